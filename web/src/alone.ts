// IPC alone of the kernels that are shown, measured in the background in a worker of its own: each once, whatever the policy and however many
// runs have it.
import type { FromWorker, Loaded, ToWorker } from "./protocol.ts";
import { begin, spawn, type Run } from "./run.ts";
import type { Experiment } from "./types.ts";

export interface AloneEvents {
  /** IPC alone of a run's kernel; null with a reason when it cannot be measured. */
  alone(run: Run, kernel: number, ipc: number | null, why: string): void;
  /** How far its measurement is, 0 to 1; null where that is not known. */
  aloneProgress(run: Run, kernel: number, done: number | null): void;
}

/** What a kernel does alone: its IPC and the ends of its interval, or why there is none. */
type Answer = Pick<Extract<FromWorker, { t: "alone" }>, "ipc" | "ends" | "why">;
interface Wanted { run: Run; kernel: number; key: string; experiment: Experiment }

/** In any order: the worker may measure them in another one. */
const names = (wanted: readonly Wanted[]): string => [...new Set(wanted.map(({ key }) => key))].sort().join();

export class Alone {
  readonly #module: WebAssembly.Module;
  readonly #events: AloneEvents;
  #worker: Promise<Worker> | null = null;
  /** By the experiment that measures it. */
  readonly #known = new Map<string, Answer>();
  #wanted: Wanted[] = [];
  /** What the worker has been told to measure. */
  #told = "";
  #id = 0;

  constructor(module: WebAssembly.Module, events: AloneEvents) {
    this.#module = module;
    this.#events = events;
  }

  /** A run has other kernels now. */
  want(run: Run, loaded: Loaded): void {
    this.#wanted = this.#wanted.filter((one) => one.run !== run);
    loaded.alone.forEach((experiment, kernel) => {
      const key = JSON.stringify(experiment), known = this.#known.get(key);
      if (known) this.#give(run, kernel, known); else this.#wanted.push({ run, kernel, key, experiment });
    });
    this.#measure();
  }

  /** A run has gone, or becomes another one: what is measured for it is for nobody, but is kept. */
  forget(run: Run): void { this.#wanted = this.#wanted.filter((one) => one.run !== run); }

  #measure(): void {
    // Kernels that are measured by the same experiment are measured once.
    const jobs = this.#wanted.filter((one, i) => this.#wanted.findIndex((other) => other.key === one.key) === i).map(({ kernel, key, experiment }) => ({ kernel, key, experiment }));
    const told = names(this.#wanted);
    if (told === this.#told || (jobs.length === 0 && !this.#worker)) return;
    this.#told = told;
    this.#worker ??= (async () => {
      const worker = spawn("alone");
      await begin(worker, this.#module);
      worker.onerror = (event) => this.#failed(event.message);
      worker.onmessage = (event: MessageEvent<FromWorker>) => this.#receive(event.data);
      return worker;
    })();
    const id = ++this.#id;
    this.#worker.then(
      (worker) => { if (id === this.#id) worker.postMessage({ t: "alone", id, jobs } satisfies ToWorker); },
      (error: unknown) => this.#failed(String(error)),
    );
  }

  #receive(message: FromWorker): void {
    if (message.t === "failed") this.#failed(message.message);
    else if (message.t === "aloneProgress") {
      for (const one of this.#wanted) if (one.key === message.key) this.#events.aloneProgress(one.run, one.kernel, message.done);
    } else if (message.t === "alone") {
      const { ipc, ends, why } = message, mine = this.#wanted.filter((one) => one.key === message.key);
      this.#known.set(message.key, { ipc, ends, why });
      this.#wanted = this.#wanted.filter((one) => one.key !== message.key);
      // The worker goes on with the rest by itself.
      this.#told = names(this.#wanted);
      for (const one of mine) this.#give(one.run, one.kernel, { ipc, ends, why });
    }
  }

  #failed(message: string): void {
    this.#worker?.then((worker) => worker.terminate(), () => undefined);
    this.#worker = null;
    this.#told = "";
    for (const one of this.#wanted) this.#events.alone(one.run, one.kernel, null, message || "its worker stopped");
    this.#wanted = [];
  }

  #give(run: Run, kernel: number, { ipc, ends, why }: Answer): void {
    if (ipc !== null) run.setAlone(kernel, ipc, ends);
    this.#events.alone(run, kernel, ipc, why);
  }
}

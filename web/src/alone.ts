// IPC alone of the kernels that are shown: brought along with the page, kept from before, or measured in the background in workers of their own, each
// once, whatever the policy and however many runs have it.
import { Answers, readAnswer } from "./answers.ts";
import type { FromWorker, Loaded, PlannedAlone, ToWorker } from "./protocol.ts";
import { begin, spawn, type Run } from "./run-handle.ts";
import type { Answer } from "./types.ts";

interface AloneEvents {
  /** IPC alone of a run's kernel; null with a reason when it cannot be measured. */
  alone(run: Run, kernel: number, ipc: number | null, why: string): void;
  /** How far its measurement is, 0 to 1; null where that is not known. */
  aloneProgress(run: Run, kernel: number, done: number | null): void;
}

interface Wanted extends PlannedAlone {
  run: Run;
  kernel: number;
}

/** Jobs dealt out to so many workers. */
export const shared = <T>(jobs: readonly T[], workers: number): T[][] =>
  Array.from({ length: workers }, (_, n) => jobs.filter((_job, i) => i % workers === n));

export class Alone {
  readonly #module: WebAssembly.Module;
  readonly #events: AloneEvents;
  #answers = new Answers("", readAnswer);
  #workers: Promise<Worker>[] = [];
  /** Why a run has no IPC, by its hash. */
  readonly #failures = new Map<string, string>();
  #wanted: Wanted[] = [];
  /** What the workers have been told to measure, and have not measured yet. What joins `#wanted` meanwhile is not among it. */
  #told = new Set<string>();
  #id = 0;

  constructor(module: WebAssembly.Module, events: AloneEvents) {
    this.#module = module;
    this.#events = events;
  }

  /** What is known of this engine's runs. */
  set answers(answers: Answers) {
    this.#answers = answers;
  }

  /** A run has other kernels now. */
  want(run: Run, loaded: Loaded): void {
    this.#add(
      this.#wanted.filter((one) => one.run !== run),
      loaded.alone.map((planned, kernel) => ({ ...planned, run, kernel })),
    );
  }

  /** A run has ended: its kernels are to run in their shares, too. These have numbers below 0. */
  share(run: Run, runs: readonly PlannedAlone[]): void {
    this.#add(
      this.#wanted.filter((one) => one.run !== run || one.kernel >= 0),
      runs.map((planned, n) => ({ ...planned, run, kernel: -1 - n })),
    );
  }

  #add(others: readonly Wanted[], wanted: readonly Wanted[]): void {
    this.#wanted = [...others, ...wanted];
    const done = (): void => {
      this.#settle();
      this.#measure();
    };
    this.#answers.recall(wanted).then(done, done);
  }

  /** A run has gone, or becomes another one: what is measured for it is for nobody, but is kept. */
  forget(run: Run): void {
    this.#wanted = this.#wanted.filter((one) => one.run !== run);
  }

  /** Gives what is known. */
  #settle(): void {
    const wanted = this.#wanted,
      { known } = this.#answers;
    this.#wanted = wanted.filter(({ hash }) => !(hash in known) && !this.#failures.has(hash));
    for (const one of wanted) if (!this.#wanted.includes(one)) this.#give(one, known[one.hash]);
  }

  #measure(): void {
    // Kernels that are measured by the same experiment are measured once.
    const jobs = this.#wanted
      .filter((one, i) => this.#wanted.findIndex((other) => other.hash === one.hash) === i)
      .map(({ hash, experiment }) => ({ hash, experiment }));
    const isTold = jobs.length === this.#told.size && jobs.every(({ hash }) => this.#told.has(hash));
    if (isTold || (jobs.length === 0 && this.#workers.length === 0)) return;
    this.#told = new Set(jobs.map(({ hash }) => hash));
    // Kernels are measured side by side: a slowdown is known when the last of them is.
    const most = Math.min(jobs.length, navigator.hardwareConcurrency || 2);
    while (this.#workers.length < most) this.#workers.push(this.#hire());
    const id = ++this.#id,
      shares = shared(jobs, Math.max(1, most));
    this.#workers.forEach((starting, n) => {
      starting.then(
        (worker) => {
          if (id === this.#id) worker.postMessage({ t: "alone", id, jobs: shares[n] ?? [] } satisfies ToWorker);
        },
        (error: unknown) => this.#failed(String(error)),
      );
    });
  }

  async #hire(): Promise<Worker> {
    const worker = spawn("alone");
    await begin(worker, this.#module, false);
    worker.onerror = (event) => this.#failed(event.message);
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.#receive(event.data);
    return worker;
  }

  /** A worker takes memory also where it has nothing to do. */
  #dismiss(): void {
    for (const starting of this.#workers)
      starting.then(
        (worker) => worker.terminate(),
        () => undefined,
      );
    this.#workers = [];
    this.#told.clear();
  }

  #receive(message: FromWorker): void {
    if (message.t === "failed") this.#failed(message.message);
    else if (message.t === "aloneProgress") {
      for (const one of this.#wanted)
        if (one.hash === message.hash) this.#events.aloneProgress(one.run, one.kernel, message.done);
    } else if (message.t === "alone" && message.soFar) {
      const { hash, answer } = message;
      for (const one of this.#wanted) if (one.hash === hash && answer) this.#tell(one, answer, true);
    } else if (message.t === "alone") {
      const { hash, answer, why } = message;
      if (answer) this.#answers.keep(hash, answer);
      if (why !== "") this.#failures.set(hash, why);
      this.#told.delete(hash);
      this.#settle();
      // The workers go on with the rest by themselves.
      if (this.#wanted.length === 0) this.#dismiss();
    }
  }

  #failed(message: string): void {
    this.#dismiss();
    for (const one of this.#wanted) this.#events.alone(one.run, one.kernel, null, message || "its worker stopped");
    this.#wanted = [];
  }

  #give(one: Wanted, answer: Answer | undefined): void {
    const why = this.#failures.get(one.hash) ?? (answer?.stuck ? "alone, it gets stuck" : "");
    if (why === "" && answer) this.#tell(one, answer, false);
    else this.#events.alone(one.run, one.kernel, null, why);
  }

  #tell({ run, kernel, hash }: Wanted, answer: Answer, soFar: boolean): void {
    run.setAlone(kernel, hash, answer, soFar);
    this.#events.alone(run, kernel, answer.ipc, "");
  }
}

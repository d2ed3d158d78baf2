// What kernels do alone, once to their end: measured in a worker of its own, one after the other, and kept in this browser for this very engine.
import { Answers } from "../answers.ts";
import { ownName, watched } from "../life.ts";
import { readMeasured, type Measured } from "./model.ts";
import type { FromMeasurer, Job, ToMeasurer } from "./types.ts";

export class Measures {
  readonly #module: WebAssembly.Module;
  readonly #kept: Answers<Measured>;
  readonly #changed: () => void;
  readonly #parts = new Map<string, Measured>();
  readonly #failures = new Map<string, string>();
  #worker: Worker | null = null;
  #wanted: readonly Job[] = [];
  #paused = false;

  /** `changed`: something more is known. */
  constructor(module: WebAssembly.Module, stamp: string, changed: () => void) {
    this.#module = module;
    this.#kept = new Answers<Measured>(`${stamp} once`, readMeasured);
    this.#changed = changed;
  }

  /** What is known of a run: all of it, or what it has shown so far. */
  of(hash: string): Measured | null {
    return this.#kept.known[hash] ?? this.#parts.get(hash) ?? null;
  }
  /** Why it cannot be measured; empty if it can. */
  why(hash: string): string {
    return this.#failures.get(hash) ?? "";
  }
  get paused(): boolean {
    return this.#paused;
  }
  /** The run that is measured now, or comes next. */
  get current(): string | null {
    return this.#left()[0]?.hash ?? null;
  }

  #left(): Job[] {
    const left = this.#kept.missing(this.#wanted).filter(({ hash }) => !this.#failures.has(hash));
    return left.filter(({ hash }, i) => left.findIndex((one) => one.hash === hash) === i);
  }

  /** From now on these are wanted, and no others. */
  want(jobs: readonly Job[]): void {
    const same = jobs.map(({ hash }) => hash).join() === this.#wanted.map(({ hash }) => hash).join();
    this.#wanted = jobs;
    if (same) return;
    this.#paused = false;
    const go = (): void => {
      if (this.#wanted === jobs) {
        this.#measure();
        this.#changed();
      }
    };
    this.#kept.recall(jobs).then(go, go);
  }

  /** Those that run alone stand still: what they have shown so far is what there is. */
  pause(): void {
    this.#paused = true;
    this.#post({ t: "pause" });
    this.#changed();
  }
  go(): void {
    this.#paused = false;
    this.#measure();
    this.#changed();
  }

  #measure(): void {
    const jobs = this.#left();
    if (jobs.length === 0 && !this.#worker) return;
    if (!this.#worker) {
      // The bundler finds the worker by this very expression.
      const name = ownName("measurer");
      this.#worker = watched(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name }), name);
      this.#worker.onerror = (event) => {
        this.#failed(event.message || "its worker stopped");
      };
      this.#worker.onmessage = (event: MessageEvent<FromMeasurer>) => {
        this.#receive(event.data);
      };
      this.#post({ t: "init", module: this.#module });
    }
    this.#post({ t: "measure", jobs });
  }

  #post(message: ToMeasurer): void {
    this.#worker?.postMessage(message);
  }

  #receive(message: FromMeasurer): void {
    if (message.t === "failed") {
      this.#failed(message.message);
      return;
    }
    if (message.t === "impossible") this.#failures.set(message.hash, message.why);
    else if (message.measured.whole) this.#kept.keep(message.hash, message.measured);
    else this.#parts.set(message.hash, message.measured);
    this.#changed();
  }

  #failed(why: string): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { hash } of this.#left()) this.#failures.set(hash, why);
    this.#changed();
  }
}

// What kernels do alone, once to their end: measured by a worker of the Lab, one after the other, and kept in this browser for this very engine.
import { Answers } from "../answers.ts";
import { Lab, type Asked, type Failure } from "../lab/lab.ts";
import type { PlannedAlone } from "../protocol.ts";
import { readMeasured, type Measured } from "./model.ts";

export class Measures {
  readonly #lab: Lab;
  readonly #kept: Answers<Measured>;
  readonly #changed: () => void;
  readonly #parts = new Map<string, Measured>();
  readonly #failures = new Map<string, string>();
  #wanted: readonly PlannedAlone[] = [];
  /** The run under way. */
  #running: (Asked<Measured> & { hash: string }) | null = null;
  #paused = false;

  /** `changed`: something more is known. */
  constructor(module: WebAssembly.Module, stamp: string, changed: () => void) {
    this.#lab = new Lab(module, "measurer");
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
    return this.#running?.hash ?? this.#left()[0]?.hash ?? null;
  }

  #left(): PlannedAlone[] {
    return this.#kept.missing(this.#wanted).filter(({ hash }) => !this.#failures.has(hash));
  }

  /** From now on these are wanted, and no others. A run under way goes on if it is among them. */
  want(jobs: readonly PlannedAlone[]): void {
    const same = jobs.map(({ hash }) => hash).join() === this.#wanted.map(({ hash }) => hash).join();
    this.#wanted = jobs;
    if (same) return;
    const go = (): void => {
      if (this.#wanted === jobs) this.go();
    };
    this.#kept.recall(jobs).then(go, go);
  }

  /** Those that run alone stand still: what they have shown so far is what there is. */
  pause(): void {
    this.#paused = true;
    this.#lab.hold(true);
    this.#changed();
  }
  go(): void {
    this.#paused = false;
    this.#lab.hold(false);
    this.#measure();
    this.#changed();
  }

  #measure(): void {
    const [next] = this.#left(),
      running = this.#running;
    if (running) {
      if (this.#wanted.some(({ hash }) => hash === running.hash)) return;
      running.drop();
      this.#running = null;
    }
    if (!next) return;
    const { hash, experiment } = next;
    const soFar = (_: number | null, measured: Measured | null): void => {
      if (measured) this.#parts.set(hash, measured);
      this.#changed();
    };
    const asked = this.#lab.ask("once", experiment, { soFar });
    this.#running = { ...asked, hash };
    asked.ended
      .then(
        (measured) => this.#kept.keep(hash, measured),
        (why: Failure) => void this.#failures.set(hash, why.message),
      )
      .then(() => {
        this.#running = null;
        this.#measure();
        this.#changed();
      });
  }
}

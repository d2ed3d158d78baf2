// Why kernels suffer from their neighbours: once runs have ended, those from which one cause each is taken away run in the background, and are kept in
// this browser for this very engine. What they did is told to the run that asked, which then says why.
import { Answers } from "./answers.ts";
import { Lab, type Asked } from "./lab/lab.ts";
import type { PlannedAlone } from "./protocol.ts";
import type { Run } from "./run-handle.ts";
import type { Asking } from "../model/model.ts";
import type { Tried } from "../model/types.ts";

interface Wanted {
  runs: readonly PlannedAlone[];
  stopped: boolean;
}

export class Whys {
  /** Null: nothing is asked, or all is told. */
  readonly #changed: (run: Run, asking: Asking | null) => void;
  readonly #lab: Lab;
  readonly #wanted = new Map<Run, Wanted>();
  /** What runs now, by its hash. */
  readonly #asked = new Map<string, Asked<unknown>>();
  #kept = new Answers<readonly Tried[]>("");

  constructor(module: WebAssembly.Module, changed: (run: Run, asking: Asking | null) => void) {
    this.#lab = new Lab(module, "why", navigator.hardwareConcurrency || 2);
    this.#changed = changed;
  }

  /** Of which engine it is. */
  set stamp(stamp: string) {
    this.#kept = new Answers(whyStamp(stamp));
  }

  /** What a run has to be told to say why. */
  want(run: Run, runs: readonly PlannedAlone[]): void {
    const wanted = { runs, stopped: false };
    this.#wanted.set(run, wanted);
    const go = (): void => {
      if (this.#wanted.get(run) === wanted) this.#settle();
    };
    this.#kept.recall(runs).then(go, go);
  }

  /** A run has gone, or becomes another one. */
  forget(run: Run): void {
    if (!this.#wanted.delete(run)) return;
    this.#changed(run, null);
    this.#settle();
  }

  /** What has not run yet is not wanted for now, or is again. */
  stop(stopped: boolean): void {
    for (const wanted of this.#wanted.values()) wanted.stopped = stopped;
    this.#settle();
  }

  #missing({ runs, stopped }: Wanted): readonly PlannedAlone[] {
    return stopped ? [] : this.#kept.missing(runs);
  }

  /** Tells what is known as a whole, and runs the rest. */
  #settle(): void {
    for (const [run, { runs, stopped }] of this.#wanted) {
      const done = runs.length - this.#kept.missing(runs).length;
      if (done < runs.length) {
        this.#changed(run, { done, of: runs.length, stopped });
        continue;
      }
      this.#wanted.delete(run);
      if (runs.length > 0)
        run.tellWhy(Object.fromEntries(runs.map(({ hash }) => [hash, this.#kept.known[hash] as readonly Tried[]])));
      this.#changed(run, null);
    }
    const missing = [...this.#wanted.values()].flatMap((wanted) => this.#missing(wanted));
    for (const [hash, asked] of this.#asked) {
      if (missing.some((one) => one.hash === hash)) continue;
      this.#asked.delete(hash);
      asked.drop();
    }
    for (const one of missing) if (!this.#asked.has(one.hash)) this.#ask(one);
    // A worker takes memory also where it has nothing to do.
    if (this.#asked.size === 0) this.#lab.end();
  }

  #ask({ hash, experiment }: PlannedAlone): void {
    const asked = this.#lab.ask("tried", { hash, experiment });
    this.#asked.set(hash, asked);
    asked.ended.then(
      (tried) => {
        this.#asked.delete(hash);
        this.#kept.known[hash] = tried;
        this.#settle();
      },
      // Why is not said then: what is known stands.
      () => {
        this.#asked.delete(hash);
        for (const [run, { runs }] of this.#wanted) if (runs.some((one) => one.hash === hash)) this.forget(run);
      },
    );
  }
}

/** Under which name this browser keeps what such runs did. */
export const whyStamp = (stamp: string): string => `${stamp} why`;

// IPC alone of the kernels that are shown: brought along with the page, kept from before, or measured in the background by workers of the Lab, each
// once, whatever the policy and however many runs have it.
import { Answers } from "./answers.ts";
import { Lab, type Asked, type Failure } from "./lab/lab.ts";
import type { Loaded, PlannedAlone } from "./protocol.ts";
import type { Run } from "./run-handle.ts";
import type { Answer } from "../model/types.ts";

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

export class Alone {
  readonly #events: AloneEvents;
  /** Kernels are measured side by side: a slowdown is known when the last of them is. */
  readonly #lab: Lab;
  #answers = new Answers("");
  /** Why a run has no IPC, by its hash. */
  readonly #failures = new Map<string, string>();
  #wanted: Wanted[] = [];
  /** What is being measured, by its hash. */
  readonly #asked = new Map<string, Asked<Answer>>();

  constructor(module: WebAssembly.Module, events: AloneEvents) {
    this.#lab = new Lab(module, "alone", navigator.hardwareConcurrency || 2);
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
    // A worker takes memory also where it has nothing to do.
    if (this.#wanted.length === 0 && this.#asked.size === 0) this.#lab.end();
  }

  /** Measures what is wanted, and nothing else. */
  #measure(): void {
    for (const [hash, asked] of this.#asked) {
      if (this.#wanted.some((one) => one.hash === hash)) continue;
      this.#asked.delete(hash);
      asked.drop();
    }
    for (const { hash, experiment } of this.#wanted) if (!this.#asked.has(hash)) this.#ask({ hash, experiment });
  }

  #ask(job: PlannedAlone): void {
    const { hash } = job;
    const asked = this.#lab.ask("alone", job, {
      soFar: (part, answer) => {
        for (const one of this.#wanted) {
          if (one.hash !== hash) continue;
          this.#events.aloneProgress(one.run, one.kernel, part);
          if (answer) this.#tell(one, answer, true);
        }
      },
    });
    this.#asked.set(hash, asked);
    const ended = (): void => {
      this.#asked.delete(hash);
      this.#settle();
    };
    asked.ended.then(
      (answer) => {
        this.#answers.known[hash] = answer;
        ended();
      },
      (why: Failure) => {
        this.#failures.set(hash, why.message);
        ended();
        // Another time there may be a worker.
        if (why.problems === null) this.#failures.delete(hash);
      },
    );
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

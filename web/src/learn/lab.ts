// Who runs what next: jobs wait here, what a person looks at goes first, and no job runs twice.
import { errorText } from "../format.ts";
import type { Job, Outcome } from "./measure.ts";

export type ToLab = { t: "init"; module: WebAssembly.Module } | { t: "run"; key: string; job: Job };
export type FromLab = { t: "ready" } | { t: "done"; key: string; outcome: Outcome } | { t: "failed"; why: string };

/** A worker that is ready: it takes a job, and answers each once. */
export interface Port {
  run(key: string, job: Job): void;
}
export type Start = (heard: (message: FromLab) => void) => Promise<Port>;

export const keyOf = (job: Job): string => JSON.stringify(job);

export class Lab {
  readonly #start: Start;
  readonly #changed: () => void;
  readonly #done = new Map<string, Outcome>();
  /** In the order in which they run. */
  #waiting = new Map<string, Job>();
  #port: Port | null = null;
  #starting = false;
  #running: string | null = null;
  /** Why nothing runs any more. */
  failure = "";

  constructor(start: Start, changed: () => void) {
    this.#start = start;
    this.#changed = changed;
  }

  /** These, in this order, before all that wait. */
  want(jobs: readonly Job[]): void {
    const first = jobs
      .map((job) => [keyOf(job), job] as const)
      .filter(([key]) => !this.#done.has(key) && key !== this.#running);
    this.#waiting = new Map([...first, ...[...this.#waiting].filter(([key]) => !first.some(([one]) => one === key))]);
    this.#go();
  }

  /** All of them, or null while one is missing. */
  outcomes(jobs: readonly Job[]): Outcome[] | null {
    const found = jobs.map((job) => this.#done.get(keyOf(job)));
    return found.every((one) => one !== undefined) ? found : null;
  }

  #go(): void {
    if (this.#waiting.size === 0 || this.#running !== null || this.failure !== "") return;
    if (!this.#port) {
      if (!this.#starting) {
        this.#starting = true;
        this.#start((message) => {
          this.#hear(message);
        }).then(
          (port) => {
            this.#port = port;
            this.#go();
          },
          (error: unknown) => {
            this.#fail(errorText(error));
          },
        );
      }
      return;
    }
    const [key, job] = this.#waiting.entries().next().value as [string, Job];
    this.#waiting.delete(key);
    this.#running = key;
    this.#port.run(key, job);
  }

  #hear(message: FromLab): void {
    if (message.t === "failed") this.#fail(message.why);
    if (message.t !== "done") return;
    this.#running = null;
    this.#done.set(message.key, message.outcome);
    this.#go();
    this.#changed();
  }

  #fail(why: string): void {
    this.failure = why;
    this.#changed();
  }
}

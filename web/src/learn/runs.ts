// What the stories have asked for: what a person looks at goes first, and no job runs twice.
import { errorText } from "../model/format.ts";
import type { Lab } from "../engine/lab/lab.ts";
import type { Job, Outcome } from "../engine/lab/measure.ts";

export const keyOf = (job: Job): string => JSON.stringify(job);

export class Runs {
  readonly #start: () => Promise<Pick<Lab, "ask">>;
  readonly #changed: () => void;
  readonly #done = new Map<string, Outcome>();
  /** In the order in which they run. */
  #waiting = new Map<string, Job>();
  #lab: Promise<Pick<Lab, "ask">> | null = null;
  #running: string | null = null;
  /** Why nothing runs any more. */
  failure = "";

  /** `start`: nothing is fetched before something is wanted. */
  constructor(start: () => Promise<Pick<Lab, "ask">>, changed: () => void) {
    this.#start = start;
    this.#changed = changed;
  }

  /** These, in this order, before all that wait. */
  want(jobs: readonly Job[]): void {
    const first = jobs
      .map((job) => [keyOf(job), job] as const)
      .filter(([key]) => !this.#done.has(key) && key !== this.#running);
    this.#waiting = new Map([...first, ...[...this.#waiting].filter(([key]) => !first.some(([one]) => one === key))]);
    void this.#go();
  }

  /** All of them, or null while one is missing. */
  outcomes(jobs: readonly Job[]): Outcome[] | null {
    const found = jobs.map((job) => this.#done.get(keyOf(job)));
    return found.every((one) => one !== undefined) ? found : null;
  }

  async #go(): Promise<void> {
    const [next] = this.#waiting;
    if (!next || this.#running !== null || this.failure !== "") return;
    const [key, job] = next;
    this.#waiting.delete(key);
    this.#running = key;
    try {
      this.#lab ??= this.#start();
      const lab = await this.#lab;
      this.#done.set(key, await lab.ask("short", job).ended);
    } catch (error) {
      this.failure = errorText(error);
    }
    this.#running = null;
    void this.#go();
    this.#changed();
  }
}

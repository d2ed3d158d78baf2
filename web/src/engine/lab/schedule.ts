// Which simulation of a sweep comes next: plain data, no workers. The order is the runner's: points in turn, each run alone once, before
// the first point that needs it.
import type { Answer, PlannedRun } from "../../model/types.ts";
import type { Plan, PlanPoint, Task } from "./sweep.ts";

interface Entry {
  /** Held: before its end, until somebody says whether it goes on. */
  state: "waiting" | "running" | "held" | "done";
  index: number;
  /** Of a run alone: its hash. */
  key: string | null;
}

export class Schedule {
  readonly #plan: Pick<Plan, "points" | "runs">;
  readonly #answers: Map<string, Answer>;
  /** Runs alone that no point waits for any more. */
  readonly #ended: Set<string>;
  readonly #entries: Entry[] = [];
  /** Entries before this one are not waiting. */
  #first = 0;
  #done = 0;

  /** What `done` and `answers` have is not run again; `answers` grows as runs end. */
  constructor(plan: Pick<Plan, "points" | "runs">, done: ReadonlySet<number>, answers: Map<string, Answer>) {
    this.#plan = plan;
    this.#answers = answers;
    const claimed = new Set(answers.keys());
    this.#ended = new Set(claimed);
    plan.points.forEach((point, index) => {
      if (done.has(index)) return;
      for (const key of point.needs) {
        if (claimed.has(key)) continue;
        claimed.add(key);
        this.#entries.push({ state: "waiting", index, key });
      }
      this.#entries.push({ state: "waiting", index, key: null });
    });
  }

  /** Simulations in all, and how many have ended. */
  get all(): number {
    return this.#entries.length;
  }
  get done(): number {
    return this.#done;
  }
  get over(): boolean {
    return this.#done === this.#entries.length;
  }

  /** What has not begun, and what is held. */
  waiting(): ({ kind: "alone"; key: string; index: number } | { kind: "point"; index: number })[] {
    return this.#entries.flatMap(({ state, key, index }) =>
      state !== "waiting" && state !== "held"
        ? []
        : [key === null ? { kind: "point", index } : { kind: "alone", key, index }],
    );
  }

  /** The next simulation that can start, which is then under way; null while all that is left waits for runs alone, and at the end. */
  next(): Task | null {
    while (this.#entries[this.#first] && this.#entries[this.#first]?.state !== "waiting") this.#first += 1;
    for (let i = this.#first; i < this.#entries.length; i += 1) {
      const entry = this.#entries[i] as Entry;
      if (entry.state !== "waiting") continue;
      if (entry.key !== null) {
        entry.state = "running";
        return { kind: "alone", key: entry.key, index: entry.index, run: this.#plan.runs[entry.key] as PlannedRun };
      }
      const { needs } = this.#plan.points[entry.index] as PlanPoint;
      if (!needs.every((key) => this.#ended.has(key))) continue;
      entry.state = "running";
      return {
        kind: "point",
        index: entry.index,
        answers: Object.fromEntries(
          needs.flatMap((key) => {
            const answer = this.#answers.get(key);
            return answer ? [[key, answer]] : [];
          }),
        ),
      };
    }
    return null;
  }

  /** A simulation has ended; of a run alone with its answer, unless it broke: then its points go on without. */
  ended(task: Task, answer: Answer | null = null): void {
    const entry = this.#running(task);
    if (!entry) return;
    entry.state = "done";
    this.#done += 1;
    if (task.kind !== "alone") return;
    this.#ended.add(task.key);
    if (answer) this.#answers.set(task.key, answer);
  }

  /** A point stands where it is to be held. */
  held(task: Task): void {
    const entry = this.#running(task);
    if (entry) entry.state = "held";
  }

  /** The points that are held go on, but for these, which are done. */
  goOn(without: readonly number[]): void {
    for (const entry of this.#entries) {
      if (entry.state !== "held") continue;
      const out = without.includes(entry.index);
      entry.state = out ? "done" : "waiting";
      this.#done += out ? 1 : 0;
    }
    this.#first = 0;
  }

  #running(task: Task): Entry | undefined {
    return this.#entries.find(
      (e) =>
        e.state === "running" &&
        (task.kind === "alone" ? e.key === task.key : e.key === null && e.index === task.index),
    );
  }
}

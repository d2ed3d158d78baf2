// Which simulation of a sweep comes next: plain data, no workers. The order is the runner's: points in turn, each run alone once, before
// the first point that needs it.
import type { SweepPoint } from "../types.ts";
import type { Task } from "./types.ts";

type Known = number | null;

interface Entry { state: "waiting" | "running" | "done"; index: number; /** Of a run alone: its kernel and name. */ kernel: number; key: string | null }

export class Schedule {
  readonly #points: readonly SweepPoint[];
  readonly #alone: Map<string, Known>;
  readonly #entries: Entry[] = [];
  /** Entries before this one are not waiting. */
  #first = 0;
  #done = 0;

  /** What `done` and `alone` have is not run again; `alone` grows as runs end. */
  constructor(points: readonly SweepPoint[], done: ReadonlySet<number>, alone: Map<string, Known>) {
    this.#points = points;
    this.#alone = alone;
    const claimed = new Set(alone.keys());
    points.forEach((point, index) => {
      if (done.has(index)) return;
      point.alone.forEach((key, kernel) => {
        if (claimed.has(key)) return;
        claimed.add(key);
        this.#entries.push({ state: "waiting", index, kernel, key });
      });
      this.#entries.push({ state: "waiting", index, kernel: 0, key: null });
    });
  }

  /** Simulations in all, and how many have ended. */
  get all(): number { return this.#entries.length; }
  get done(): number { return this.#done; }
  get over(): boolean { return this.#done === this.#entries.length; }

  /** The next simulation that can start, which is then under way; null while all that is left waits for runs alone, and at the end. */
  next(): Task | null {
    while (this.#entries[this.#first] && this.#entries[this.#first]?.state !== "waiting") this.#first += 1;
    for (let i = this.#first; i < this.#entries.length; i += 1) {
      const entry = this.#entries[i] as Entry;
      if (entry.state !== "waiting") continue;
      if (entry.key !== null) {
        entry.state = "running";
        return { kind: "alone", key: entry.key, index: entry.index, kernel: entry.kernel };
      }
      const keys = (this.#points[entry.index] as SweepPoint).alone;
      if (!keys.every((key) => this.#alone.has(key))) continue;
      entry.state = "running";
      return { kind: "point", index: entry.index, alone: keys.map((key) => this.#alone.get(key) ?? null) };
    }
    return null;
  }

  /** A simulation has ended; of a run alone, with its IPC. */
  ended(task: Task, ipc: Known = null): void {
    const entry = this.#entries.find((e) => e.state === "running" && (task.kind === "alone" ? e.key === task.key : e.key === null && e.index === task.index));
    if (!entry) return;
    entry.state = "done";
    this.#done += 1;
    if (task.kind === "alone") this.#alone.set(task.key, ipc);
  }
}

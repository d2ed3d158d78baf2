// How many cycles a simulation may run when its speed is limited: the wall clock pays for them, slice by slice.

/** Milliseconds of one slice of simulating. A message waits for at most one. */
export const SLICE = 8;

export class Pacing {
  /** Cycles that the wall clock has paid for and that have not been run. */
  #owed = 0;
  #last = 0;
  /** Cycles per second; Infinity is no limit. */
  speed = Infinity;

  /** Begins anew at `now`, in milliseconds: after a pause nothing is owed. */
  restart(now: number): void {
    this.#owed = 0;
    this.#last = now;
  }

  /** Whole cycles that are due at `now`. After a long slice there is no burst: a quarter of a second is owed at most, or one cycle. */
  due(now: number): number {
    this.#owed = Math.min(this.#owed + (this.speed * (now - this.#last)) / 1000, Math.max(this.speed / 4, 1));
    this.#last = now;
    return Math.floor(this.#owed);
  }

  ran(cycles: number): void {
    this.#owed -= cycles;
  }
}

// Moments of a run that going to a cycle starts from. They are as close together as memory allows, and closest just before the present cycle, where
// people step back.
//
// A moment is a copy of the whole engine: of 16 SMs two megabytes, of an A100 seventeen; taking one takes about a millisecond. From one to the next the
// engine runs for `APART` milliseconds, so that whatever cycle is asked for, it is about as far away as that on any machine. Where they are too many, the one goes whose neighbours
// are closest to each other: what is left is spread evenly over the run.

export interface Moment {
  free(): void;
}
interface Keyframe<M> {
  readonly cycle: number;
  readonly moment: M;
}

/**
 * Milliseconds that the engine runs between two moments; and in the last milliseconds of its way to a cycle, from which people may step back.
 */
export const APART = 20,
  CLOSE = 5,
  LAST = 40;
/**
 * Where taking a moment takes long, because the memory for it has to be got first, they are farther apart: it takes this part of the time. They are
 * never farther apart than `FARTHEST` milliseconds for that.
 */
export const SHARE = 1 / 10,
  FARTHEST = 60;
/** Moments just before the present cycle that stay however many there are, up to a quarter of those that have room. */
const NEAR = 12;
/** At most; fewer where the engine's memory has so many bytes before. */
const MOST = 1_000,
  BYTES = 64 * 2 ** 20;
/** There is always room for so many. */
const LEAST = 8;

/**
 * Bytes of memory for the engines of all runs that a page shows. With all else that a tab has, it stays under 300 MB (160 MB on a phone), as
 * `cargo xtask bench --memory` says.
 */
export const ROOM = { desktop: 72 * 2 ** 20, phone: 24 * 2 ** 20 };

export class Keyframes<M extends Moment> {
  /** In the order of their cycles. */
  #kept: Keyframe<M>[] = [];
  readonly #memory: () => number;
  #limit: number;
  #room = MOST;

  /** `memory`: the bytes that the engine has taken so far; they never become fewer, but what is freed is used again. */
  constructor(memory: () => number, limit = BYTES) {
    this.#memory = memory;
    this.#limit = limit;
  }

  /** From now on there is room for so many bytes. What has been taken is not given back, but fewer moments may be kept in it. */
  set limit(bytes: number) {
    this.#limit = bytes;
    this.#room = MOST;
  }

  get count(): number {
    return this.#kept.length;
  }

  /** The last moment at or before a cycle. */
  before(cycle: number): Keyframe<M> | null {
    return this.#kept[this.#after(cycle) - 1] ?? null;
  }

  /** How many moments are at or before a cycle. */
  #after(cycle: number): number {
    let low = 0,
      high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#kept[middle] as Keyframe<M>).cycle <= cycle) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the present cycle is far enough from the last moment before it. */
  wants(cycle: number, cyclesPerMs: number, apart = APART): boolean {
    const last = this.before(cycle);
    return last === null || cycle - last.cycle >= Math.max(1, cyclesPerMs * apart);
  }

  /** Takes the moment of the present cycle. */
  add(cycle: number, moment: M): void {
    const at = this.#after(cycle);
    if (this.#kept[at - 1]?.cycle === cycle) {
      moment.free();
      return;
    }
    this.#kept.splice(at, 0, { cycle, moment });
    const memory = this.#memory();
    if (memory > this.#limit && this.#kept.length > LEAST) {
      // A little fewer than now for a little more memory: over a long run moments themselves grow, by the windows that they hold.
      this.#room = Math.max(LEAST, Math.floor(this.#kept.length * Math.min(0.92, this.#limit / memory)));
      this.#limit = memory * 1.05;
    }
    for (let spare = this.#kept.length - this.#room; spare > 0; spare -= 1) this.#drop(cycle);
  }

  /** Drops the moment that is missed least: not the first, the last, nor one just before the present cycle. */
  #drop(present: number): void {
    const near = this.#after(present),
      stay = Math.min(NEAR, this.#room >> 2);
    let least = -1,
      gap = Infinity;
    for (let i = 1; i + 1 < this.#kept.length; i += 1) {
      if (i < near && i >= near - stay) continue;
      const wide = (this.#kept[i + 1] as Keyframe<M>).cycle - (this.#kept[i - 1] as Keyframe<M>).cycle;
      if (wide < gap) {
        gap = wide;
        least = i;
      }
    }
    if (least >= 0) this.#kept.splice(least, 1)[0]?.moment.free();
  }

  clear(): void {
    for (const { moment } of this.#kept) moment.free();
    this.#kept = [];
  }
}

// Moments of a run that going to a cycle starts from.
//
// From one to the next the engine runs for `APART` milliseconds, so that whatever cycle is asked for, it is about as far away as that on any machine.
// Just before the cycle that was asked for they are closer, as people step back from there. Where there is no room for all, the one goes whose
// neighbours are closest to each other: what is left is spread evenly over the run.

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
export const APART = 100,
  CLOSE = 10,
  LAST = 40;
/** Where taking a moment takes long, they are farther apart: it takes this part of the time. They are never farther than `FARTHEST` milliseconds. */
export const SHARE = 1 / 10,
  FARTHEST = 1000;
/** Moments just before the present cycle that stay however many there are, up to a quarter of those that have room. */
const NEAR = 12;
/** So many stay, even where they have no room. */
const LEAST = 8;

export class Keyframes<M extends Moment> {
  /** In the order of their cycles. */
  #kept: Keyframe<M>[] = [];
  /** Whether there are more than there is room for. */
  readonly #over: () => boolean;

  constructor(over: () => boolean) {
    this.#over = over;
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
    while (this.#kept.length > LEAST && this.#over()) this.#drop(cycle);
  }

  /** Drops the moment that is missed least: not the first, the last, nor one just before the present cycle. */
  #drop(present: number): void {
    const near = this.#after(present),
      stay = Math.min(NEAR, this.#kept.length >> 2);
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

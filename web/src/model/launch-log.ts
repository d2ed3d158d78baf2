// Launches of kernels, CTA by CTA: which SM ran each, when, and from whom it was stolen. Kept by the worker from the engine's events, each taken
// once, however often the run goes back and forth; the page gets those that have changed. No DOM.
import type { FrameLayout } from "./types.ts";

/** No SM, and no cycle. */
export const NOWHERE = 0xffff,
  NEVER = 0xffff_ffff;

export interface Launch {
  kernel: number;
  /** Of all launches of the kernel, from 0; its place in the sequence; and how often the sequence had ended before. */
  number: number;
  launch: number;
  run: number;
  /** CTAs along x, y, z. */
  grid: readonly [number, number, number];
  /** The cycle of its first CTA, and the one in which it ended. */
  begin: number;
  end: number | null;
  /** By CTA; empty where there are more than `DRAWN`: its SM, the SM from which it was stolen, and when it began and finished, in cycles after `begin`. */
  sms: Uint16Array;
  from: Uint16Array;
  begun: Uint32Array;
  done: Uint32Array;
  stolen: number;
  /** What the kernel's counters have counted from the end of the launch before to the end of this one; null before that. */
  counters: Float64Array | null;
}
/** What the page is told. `restart`: forget those before. `dropped`: launches of each kernel that are no longer kept, the oldest. */
export interface LaunchNews {
  restart: boolean;
  dropped: number[];
  changed: Launch[];
}

/** CTAs of a launch that is kept CTA by CTA; of all that are kept. */
const DRAWN = 65_536,
  KEPT = 1_000_000;
/** Launches of a kernel that are kept. */
const LAUNCHES = 4096;
/** Numbers of an event, as `ctaEvents()` says; and what has happened. */
const EVENT = 6;
/** Numbers of an array in an L1D, as `l1Contents()` says. */
export const WORDS = 3;
const FINISHED = 0,
  PLACED = 1,
  BACK = 3;

interface Kept {
  launches: Launch[];
  dropped: number;
  begun: number;
  ended: number;
  toPlace: number;
  last: Float64Array | null;
}

export class LaunchLog {
  #until = 0;
  #ctas = 0;
  #restart = true;
  #changed = new Set<Launch>();
  readonly #grids: FrameLayout["grids"];
  readonly #counters: number;
  readonly #held: number;
  readonly #kernels: Kept[];

  /** `grids`: of each kernel, those of its sequence of launches; none keeps nothing. `held`: numbers behind the counters of a launch that has ended, of which nothing is kept. */
  constructor(grids: FrameLayout["grids"], counters: number, held = 0) {
    this.#grids = grids;
    this.#counters = counters;
    this.#held = held;
    this.#kernels = grids.map(() => ({ launches: [], dropped: 0, begun: 0, ended: 0, toPlace: 0, last: null }));
  }

  static of({ grids, counters, arrays, sms }: FrameLayout): LaunchLog {
    return new LaunchLog(grids, counters.length, sms.length * arrays.length * WORDS);
  }

  /** Takes events and ends of launches, as the module gives them, of a run that is now at a cycle. Those that are known already are left out. */
  add(events: Float64Array, ends: Float64Array, cycle: number): void {
    for (let i = 0; i + EVENT <= events.length; i += EVENT) {
      const at = events[i] as number,
        kept = this.#kernels[events[i + 1] as number],
        what = events[i + 2] as number;
      if (at < this.#until || !kept) continue;
      if (what === PLACED && kept.toPlace === 0) this.#begin(events[i + 1] as number, kept, at);
      const launch = kept.launches.at(-1);
      if (!launch) continue;
      if (what === PLACED) kept.toPlace -= 1;
      note(launch, at, what, events[i + 3] as number, events[i + 4] as number, events[i + 5] as number);
      this.#changed.add(launch);
    }
    const row = 2 + this.#counters + this.#held;
    for (let i = 0; i + row <= ends.length; i += row) {
      const at = ends[i] as number,
        kept = this.#kernels[ends[i + 1] as number];
      if (at < this.#until || !kept) continue;
      this.#end(kept, at, ends.slice(i + 2, i + 2 + this.#counters));
    }
    this.#until = Math.max(this.#until, cycle);
  }

  #begin(kernel: number, kept: Kept, begin: number): void {
    const grids = this.#grids[kernel] ?? [],
      number = kept.begun,
      grid = grids[number % grids.length] ?? ([1, 1, 1] as const);
    const ctas = grid[0] * grid[1] * grid[2],
      drawn = ctas <= DRAWN ? ctas : 0;
    kept.begun += 1;
    kept.toPlace = ctas;
    const launch: Launch = {
      kernel,
      number,
      launch: number % grids.length,
      run: Math.floor(number / grids.length),
      grid,
      begin,
      end: null,
      stolen: 0,
      counters: null,
      sms: new Uint16Array(drawn).fill(NOWHERE),
      from: new Uint16Array(drawn).fill(NOWHERE),
      begun: new Uint32Array(drawn).fill(NEVER),
      done: new Uint32Array(drawn).fill(NEVER),
    };
    kept.launches.push(launch);
    this.#ctas += drawn;
    while (kept.launches.length > LAUNCHES) this.#drop(kept);
    // Where they are too many CTAs, the kernel with most loses its oldest launch.
    while (this.#ctas > KEPT) {
      const most = this.#kernels.reduce((a, b) => (ctasOf(b) > ctasOf(a) ? b : a));
      if (most.launches.length < 2) break;
      this.#drop(most);
    }
  }

  #drop(kept: Kept): void {
    const gone = kept.launches.shift();
    if (!gone) return;
    kept.dropped += 1;
    this.#ctas -= gone.sms.length;
    this.#changed.delete(gone);
  }

  #end(kept: Kept, cycle: number, counters: Float64Array): void {
    const launch = kept.launches[kept.ended - kept.dropped],
      { last } = kept;
    kept.ended += 1;
    kept.last = counters;
    if (!launch) return;
    launch.end = cycle;
    launch.counters = counters.map((count, i) => count - (last?.[i] ?? 0));
    this.#changed.add(launch);
  }

  /** The page is to be told everything again. */
  again(): void {
    this.#restart = true;
  }

  /** What the page has not been told. */
  news(): LaunchNews {
    const changed = this.#restart ? this.#kernels.flatMap(({ launches }) => launches) : [...this.#changed];
    const news = { restart: this.#restart, dropped: this.#kernels.map(({ dropped }) => dropped), changed };
    this.#restart = false;
    this.#changed = new Set();
    return news;
  }
}

const ctasOf = ({ launches }: Kept): number => launches.reduce((sum, { sms }) => sum + sms.length, 0);

function note(launch: Launch, cycle: number, what: number, sm: number, cta: number, from: number): void {
  if (from >= 0) launch.stolen += 1;
  if (cta >= launch.sms.length) return;
  if (what === PLACED || what === BACK) launch.sms[cta] = sm;
  if (what === PLACED) {
    launch.begun[cta] = cycle - launch.begin;
    if (from >= 0) launch.from[cta] = from;
  } else if (what === FINISHED) launch.done[cta] = cycle - launch.begin;
}

/** Whether an experiment has anything to show of this: a kernel that is launched several times, or a CTA order that someone has chosen. */
export const hasLaunches = (layout: FrameLayout, order: unknown): boolean =>
  order !== undefined || layout.grids.some((grids) => grids.length > 1);

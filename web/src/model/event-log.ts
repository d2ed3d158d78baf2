// What is known of a run's kernels: when each launch began and each run ended, and how many CTAs finished or were switched, and quotas given on top, when.
// Kept by the worker from the engine's events and windows, each taken once, however often the run goes back and forth: the same experiment has the same past.

/** Of one kernel: a launch of its sequence begins, or its sequence ends. `run`: how often it had ended before. */
export interface Mark {
  cycle: number;
  kernel: number;
  kind: "launch" | "end";
  launch: number;
  run: number;
}
export interface Events {
  /** Everything before this cycle is known. */
  until: number;
  marks: Mark[];
  /** Cycles of a bucket, and for each kernel the CTAs in each that finished, that left an SM before they had, and that came back to one; and the quotas that it got on top. */
  bucket: number;
  finished: Float64Array[];
  left: Float64Array[];
  back: Float64Array[];
  onTop: Float64Array[];
}

const FINEST = 400;
const BUCKETS = 2048;
/** Marks that are kept; older ones go. */
const MARKS = 4000;
/** `ctaEvents()` says, of each event in so many numbers. */
const EVENT = 6;
const FINISHED = 0,
  PLACED = 1,
  LEFT = 2,
  BACK = 3;
/** Of windows. */
const ON_TOP = 4;
const START = 0,
  END = 1;

/** How far a kernel is in its sequence of launches. */
interface Progress {
  launch: number;
  run: number;
  toPlace: number;
  toFinish: number;
}

export class EventLog {
  #until = 0;
  /** The same of windows. */
  #windows = 0;
  #bucket = FINEST;
  /** By what has happened to CTAs, and by kernel. */
  #counts: Map<number, Float64Array[]>;
  #marks: Mark[] = [];
  readonly #sizes: readonly (readonly number[])[];
  readonly #progress: Progress[];

  /** `sizes`: for each kernel, the CTAs of each launch of its sequence. */
  constructor(sizes: readonly (readonly number[])[]) {
    this.#sizes = sizes;
    this.#counts = new Map(
      [FINISHED, LEFT, BACK, ON_TOP].map((what) => [what, sizes.map(() => new Float64Array(BUCKETS))]),
    );
    this.#progress = sizes.map(() => ({ launch: -1, run: 0, toPlace: 0, toFinish: 0 }));
  }

  get until(): number {
    return this.#until;
  }

  /** Takes events, as the module gives them, of a run that is now at a cycle. Those that are known already are left out. Returns the marks that are new. */
  add(events: Float64Array, cycle: number): Mark[] {
    const fresh: Mark[] = [];
    for (let i = 0; i + EVENT <= events.length; i += EVENT) {
      const at = events[i] as number,
        kernel = events[i + 1] as number,
        what = events[i + 2] as number;
      if (at < this.#until) continue;
      this.#count(at, kernel, what);
      if (what === PLACED) this.#placed(at, kernel, fresh);
      else if (what === FINISHED) this.#ended(at, kernel, fresh);
    }
    this.#until = Math.max(this.#until, cycle);
    this.#marks.push(...fresh);
    if (this.#marks.length > MARKS) this.#marks.splice(0, this.#marks.length - (MARKS * 3) / 4);
    return fresh;
  }

  /** Takes windows, row by row: `onTop` has the column of each kernel's quotas on top. */
  addWindows(rows: Float64Array, columns: number, onTop: readonly number[]): void {
    for (let row = 0; row + columns <= rows.length; row += columns) {
      const start = rows[row + START] as number;
      if (start < this.#windows) continue;
      this.#windows = rows[row + END] as number;
      onTop.forEach((column, kernel) => {
        const times = rows[row + column] as number;
        if (times > 0) this.#count(start, kernel, ON_TOP, times);
      });
    }
  }

  #placed(cycle: number, kernel: number, fresh: Mark[]): void {
    const sizes = this.#sizes[kernel],
      progress = this.#progress[kernel];
    if (!sizes || !progress) return;
    if (progress.toPlace === 0) {
      progress.launch = (progress.launch + 1) % sizes.length;
      progress.toPlace = progress.toFinish = sizes[progress.launch] ?? 1;
      fresh.push({ cycle, kernel, kind: "launch", launch: progress.launch, run: progress.run });
    }
    progress.toPlace -= 1;
  }

  #ended(cycle: number, kernel: number, fresh: Mark[]): void {
    const progress = this.#progress[kernel],
      sizes = this.#sizes[kernel];
    if (!sizes || !progress) return;
    progress.toFinish -= 1;
    if (progress.toFinish > 0 || progress.launch !== sizes.length - 1) return;
    // The cycle in which the last CTA finished is over when the run stands at the next one.
    fresh.push({ cycle: cycle + 1, kernel, kind: "end", launch: progress.launch, run: progress.run });
    progress.run += 1;
  }

  #count(cycle: number, kernel: number, what: number, times = 1): void {
    const counts = this.#counts.get(what)?.[kernel];
    if (!counts) return;
    while (cycle >= this.#bucket * BUCKETS) this.#coarsen();
    const at = Math.floor(cycle / this.#bucket);
    counts[at] = (counts[at] as number) + times;
  }

  /** In place: two buckets become one. */
  #coarsen(): void {
    this.#bucket *= 2;
    for (const counts of [...this.#counts.values()].flat()) {
      for (let i = 0; i < BUCKETS; i += 1)
        counts[i] = 2 * i < BUCKETS ? (counts[2 * i] as number) + (counts[2 * i + 1] as number) : 0;
    }
  }

  view(): Events {
    const used = Math.min(BUCKETS, Math.ceil(this.#until / this.#bucket));
    const counts = (what: number): Float64Array[] => (this.#counts.get(what) ?? []).map((all) => all.slice(0, used));
    return {
      until: this.#until,
      marks: this.#marks.slice(),
      bucket: this.#bucket,
      finished: counts(FINISHED),
      left: counts(LEFT),
      back: counts(BACK),
      onTop: counts(ON_TOP),
    };
  }
}

/** The CTAs of each launch of each kernel, as the engine explains an experiment: there is an entry for each launch and SM class; where launches repeat, a list. */
export function launchSizes(explained: unknown): number[][] {
  const { kernels } = explained as {
    kernels: { occupancy: { launch: number; ctas: number }[]; launch_ctas?: number[] }[];
  };
  return kernels.map(
    ({ occupancy, launch_ctas: all }) =>
      all ??
      occupancy
        .filter(({ launch }, i) => occupancy.findIndex((one) => one.launch === launch) === i)
        .map(({ ctas }) => ctas),
  );
}

// Everything that is known about time: counts of every column, at edges between windows.
//
// Kept as running totals: what happened between two edges is one subtraction, however far apart they are, so a zoomed-out
// chart costs as much as it has pixels. And forgetting detail is only dropping an edge: the sums on both sides stay exact.
// That bounds the memory: when the store is full, edges in its older part go, the finest windows first.
import type { WindowsLayout } from "./types.ts";

/** Edges kept, as many as the engine keeps windows: at the 60 columns of two kernels, 8 MB. */
export const CAPACITY = 16_384;

export class WindowStore {
  readonly layout: WindowsLayout;
  private readonly capacity: number;
  /** Numbers of an edge: its cycle, the cycles covered up to it, then the running total of each column but start and end. */
  private readonly width: number;
  private readonly start: number;
  private readonly stop: number;
  private data: Float64Array;
  private edges = 0;

  constructor(layout: WindowsLayout, capacity = CAPACITY) {
    this.layout = layout;
    this.capacity = Math.max(8, capacity);
    this.start = layout.columns.findIndex((c) => c.key === "start");
    this.stop = layout.columns.findIndex((c) => c.key === "end");
    if (this.start < 0 || this.stop < 0) throw new Error("windows need the columns start and end");
    this.width = 2 + layout.columns.length;
    this.data = new Float64Array(this.width * 256);
  }

  /** Edges between windows; one more than there are windows. */
  get count(): number {
    return this.edges;
  }
  /** Bytes that it takes. */
  get bytes(): number {
    return this.data.byteLength;
  }
  get empty(): boolean {
    return this.edges < 2;
  }
  get firstCycle(): number {
    return this.edges > 0 ? this.cycle(0) : 0;
  }
  get lastCycle(): number {
    return this.edges > 0 ? this.cycle(this.edges - 1) : 0;
  }

  cycle(edge: number): number {
    return this.data[edge * this.width] as number;
  }

  clear(): void {
    this.edges = 0;
  }

  /** Adds rows, in order of time. A window that is already here, or is not a number, is skipped; a hole in time stays a hole. */
  append(rows: ArrayLike<number>): void {
    const columns = this.layout.columns.length;
    for (let r = 0; r + columns <= rows.length; r += columns) {
      const from = rows[r + this.start] as number,
        to = rows[r + this.stop] as number;
      if (!(to > from) || (this.edges > 0 && from < this.lastCycle)) continue;
      if (this.edges === 0) this.push(from);
      else if (from > this.lastCycle) this.push(from);
      const edge = this.push(to);
      const at = edge * this.width;
      this.data[at + 1] = (this.data[at + 1] as number) + (to - from);
      for (let c = 0; c < columns; c++) {
        if (c === this.start || c === this.stop) continue;
        const v = rows[r + c] as number;
        if (Number.isFinite(v)) this.data[at + 2 + c] = (this.data[at + 2 + c] as number) + v;
      }
    }
  }

  /** A new edge with the totals of the one before it. */
  private push(cycle: number): number {
    if (this.edges >= this.capacity) this.forget();
    const w = this.width;
    if ((this.edges + 1) * w > this.data.length) {
      const more = new Float64Array(Math.min(this.data.length * 2, (this.capacity + 1) * w));
      more.set(this.data);
      this.data = more;
    }
    const at = this.edges * w;
    if (this.edges > 0) this.data.copyWithin(at, at - w, at);
    else this.data.fill(0, at, at + w);
    this.data[at] = cycle;
    return this.edges++;
  }

  /** Joins neighbours in the older three quarters, the shortest first, until a quarter of the room is free. */
  private forget(): void {
    const old = Math.floor(this.edges * 0.75);
    let shortest = Infinity;
    for (let i = 1; i < old; i++) {
      const span = this.cycle(i) - this.cycle(i - 1);
      if (span < shortest) shortest = span;
    }
    const target = Math.floor(this.capacity * 0.75);
    for (let limit = shortest; this.edges > target; limit *= 2) this.joinPairs(limit, target);
  }

  /** One pass: of two neighbouring windows no longer than `limit`, the edge between them goes. */
  private joinPairs(limit: number, target: number): void {
    const w = this.width,
      old = Math.floor(this.edges * 0.75);
    let kept = 1;
    let justJoined = false;
    let left = this.edges;
    for (let i = 1; i < this.edges; i++) {
      const joinable =
        i < old &&
        left > target &&
        !justJoined &&
        this.cycle(i) - this.cycle(kept - 1) <= limit &&
        this.cycle(i + 1) - this.cycle(i) <= limit;
      if (joinable) {
        justJoined = true;
        left--;
        continue;
      }
      justJoined = false;
      if (kept !== i) this.data.copyWithin(kept * w, i * w, (i + 1) * w);
      kept++;
    }
    this.edges = kept;
  }

  /** The last edge at or before a cycle; 0 if there is none before it. */
  edgeAt(cycle: number): number {
    let low = 0,
      high = this.edges - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.cycle(middle) <= cycle) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /** What a column counted between two edges. */
  sum(column: number, from: number, to: number): number {
    const at = 2 + column;
    return (this.data[to * this.width + at] as number) - (this.data[from * this.width + at] as number);
  }

  /** Cycles between two edges that windows cover: less than their distance where there is a hole. */
  covered(from: number, to: number): number {
    return (this.data[to * this.width + 1] as number) - (this.data[from * this.width + 1] as number);
  }

  column(key: string, kernel: number | null = null): number {
    return this.layout.columns.findIndex((c) => c.key === key && c.kernel === kernel);
  }

  /**
   * Edges, at least `resolution` cycles apart, that hold [from, to]: the buckets of a chart. They are at whole multiples of
   * the resolution, so that buckets do not change when the range moves. The last bucket may be shorter.
   */
  buckets(from: number, to: number, resolution: number): Int32Array {
    if (this.empty || !(to > from)) return new Int32Array(0);
    const first = this.edgeAt(Math.floor(Math.max(from, this.firstCycle) / resolution) * resolution);
    const out: number[] = [first];
    const end = Math.min(to, this.lastCycle);
    let last = first;
    // At most one search for each bucket that can be, whatever the windows are.
    for (let next = (Math.floor(this.cycle(first) / resolution) + 1) * resolution; this.cycle(last) < end; ) {
      let edge = this.edgeAt(next);
      if (edge <= last) edge = last + 1; // a window that is longer than the resolution, or a hole
      if (edge >= this.edges) break;
      out.push(edge);
      last = edge;
      next = (Math.floor(this.cycle(edge) / resolution) + 1) * resolution;
    }
    return Int32Array.from(out);
  }
}

/** Cycles of a bucket so that `pixels` hold the range: a window doubled until buckets are two pixels wide. */
export function resolutionFor(span: number, pixels: number, window: number): number {
  let resolution = window;
  while (span / resolution > Math.max(1, pixels / 2)) resolution *= 2;
  return resolution;
}

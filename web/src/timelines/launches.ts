// Launches in lanes: who is busy when, and where two lanes of one GPU are busy at once. No DOM.

import type { TimelineLaunches as Launches } from "../wasm/corun_import.js";

export type { Launches };
/** A stretch of time, in nanoseconds. */
export type Span = readonly [from: number, to: number];

export const endOf = ({ start, duration }: Launches, at: number): number =>
  (start[at] as number) + (duration[at] as number);
export const whole = (of: Launches): Span => [0, of.start.reduce((most, _, at) => Math.max(most, endOf(of, at)), 1)];

/** The stretches in which at least two lanes of a GPU are busy, for each GPU in their order. */
export function overlaps(of: Launches): Map<number, Span[]> {
  const edges = [...of.start.keys()].flatMap((at) => [
    { time: of.start[at] as number, lane: of.lane[at] as number, by: 1 },
    { time: endOf(of, at), lane: of.lane[at] as number, by: -1 },
  ]);
  // What ends when another begins does not meet it.
  edges.sort((a, b) => a.time - b.time || a.by - b.by);
  const found = new Map<number, Span[]>(of.devices.map((device) => [device, []])),
    running = new Uint32Array(of.lanes.length),
    busy = new Map<number, number>(),
    since = new Map<number, number>();
  for (const { time, lane, by } of edges) {
    const device = of.devices[lane] ?? 0,
      before = busy.get(device) ?? 0,
      was = running[lane] as number;
    running[lane] = was + by;
    const now = before + (was === 0 ? 1 : 0) - (was + by === 0 ? 1 : 0);
    busy.set(device, now);
    if (before < 2 && now >= 2) since.set(device, time);
    else if (before >= 2 && now < 2) {
      const from = since.get(device) ?? time;
      if (time > from) found.get(device)?.push([from, time]);
    }
  }
  return found;
}

/** How much of each of `cells` parts of a stretch the spans fill, from 0 to 1. */
export function filled(spans: Iterable<Span>, [from, to]: Span, cells: number): Float64Array {
  const parts = new Float64Array(cells),
    step = (to - from) / cells;
  for (const [begin, end] of spans) {
    const a = Math.max(begin, from),
      b = Math.min(end, to);
    for (let cell = Math.floor((a - from) / step); cell < cells && from + cell * step < b; cell++) {
      const left = from + cell * step;
      parts[cell] = Math.min(1, (parts[cell] as number) + (Math.min(b, left + step) - Math.max(a, left)) / step);
    }
  }
  return parts;
}

/** When each lane is busy, in the order of starts. */
export function spansOf(of: Launches): Span[][] {
  const spans: Span[][] = of.lanes.map(() => []);
  for (let at = 0; at < of.start.length; at++)
    spans[of.lane[at] as number]?.push([of.start[at] as number, endOf(of, at)]);
  return spans;
}

/** The launch of a lane at a time, or else the one that begins next there. */
export function launchAt(of: Launches, lane: number, time: number): number | null {
  for (let at = 0; at < of.start.length; at++) if (of.lane[at] === lane && endOf(of, at) >= time) return at;
  return null;
}

/** A stretch that is seen: closer (`by` below 1) or farther around its middle, within all. */
export function zoomed([from, to]: Span, by: number, all: Span): Span {
  const half = Math.max(((to - from) * by) / 2, 50),
    middle = (from + to) / 2;
  return moved([middle - half, middle + half], 0, all);
}
/** `by`: in parts of what is seen. */
export function moved([from, to]: Span, by: number, [first, last]: Span): Span {
  const length = Math.min(to - from, last - first),
    begin = Math.min(Math.max(from + by * (to - from), first), last - length);
  return [begin, begin + length];
}
/** The first overlap that begins behind the middle of what is seen, with as much again on both sides; around again at the end. */
export function nextOverlap(all: readonly Span[], [from, to]: Span, of: Span): Span | null {
  const middle = (from + to) / 2,
    [begin, end] = all.find(([start, stop]) => (start + stop) / 2 > middle + 1) ?? all[0] ?? [0, 0];
  return end > begin ? moved([begin - (end - begin), end + (end - begin)], 0, of) : null;
}

const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
] as const;
/** 41,407 → "41.4 µs". */
export function nanoText(ns: number): string {
  const [scale, unit] = UNITS.find(([least]) => Math.abs(ns) >= least) ?? [1, "ns"],
    value = ns / scale;
  return `${value.toFixed(value >= 100 || scale === 1 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;
}

// The time axis as a drawing: on top what the policy did, below it a lane for each series, and the cycles at the bottom. A lane that has grown has a
// scale of its own. In every lane the last run is an area, and one before it a line. No DOM.
import { below, rules, type Plot } from "../picture/marks.ts";
import { Drawing, fitText, textWidth } from "../picture/drawing.ts";
import type { Paint } from "../picture/drawing.ts";
import { figure, linear, niceMax, short, whole } from "../model/scale.ts";
import { kernelPaint, stallPaint } from "../picture/theme.ts";
import type { Theme } from "../picture/theme.ts";
import type { Zoom } from "../model/types.ts";
import { resolutionFor } from "../model/window-store.ts";
import { deciding, phases, type DockRun, type Lane, type Phase } from "./dock-data.ts";
import { drawEpochs, drawLaunches, drawSwitches, EPOCH_LANE } from "./dock-past.ts";
import { evaluate, largest, stack, type LaneSpec, type SeriesSpec } from "./series.ts";

interface DockInput {
  runs: readonly DockRun[];
  lanes: readonly Lane[];
  /** The key of the lane that has grown. */
  large: string | null;
  /** The cycles that are shown. */
  range: Zoom;
  width: number;
  narrow: boolean;
  /** Ends of the vertical axes that were drawn last, by lane: they change only where they have to. */
  tops: ReadonlyMap<string, number>;
  theme: Theme;
}
/** Where the cycles are and the lanes, and what their axes end at. */
export interface DockDrawing {
  drawing: Drawing;
  x: number;
  w: number;
  lanes: readonly { lane: Lane; y: number; h: number }[];
  tops: ReadonlyMap<string, number>;
}

const FLAGS = 15,
  AXIS = 15,
  GAP = 2;
/** Of a lane: as many as are wanted have about this height together, each at least and at most that. */
const TOGETHER = 112,
  THIN = 11,
  WIDE = 25,
  /** Of one that has grown, with what is above and below its plot. */
  LARGE = 150,
  PAD = 6;
/** What an axis ends at stands beside it. */
const ENDS = 62;

function laneHeight(lane: Lane, { lanes, large }: Pick<DockInput, "lanes" | "large">): number {
  if (lane.key === large) return LARGE;
  return lane.epochs ? EPOCH_LANE : Math.max(THIN, Math.min(WIDE, Math.floor(TOGETHER / lanes.length)));
}
export const dockHeight = (of: Pick<DockInput, "lanes" | "large">): number =>
  FLAGS + of.lanes.reduce((sum, lane) => sum + laneHeight(lane, of) + GAP, 0) + AXIS;

export function drawDock(input: DockInput): DockDrawing {
  const { runs, lanes, range, width, narrow, theme: t } = input;
  const x = narrow ? 60 : 90,
    w = Math.max(40, width - x - (narrow ? 8 : ENDS));
  const d = new Drawing(width, dockHeight(input), t.surface, t.font, t.mono);
  const at = (cycle: number): number =>
    x + (w * (Math.min(Math.max(cycle, range.from), range.to) - range.from)) / (range.to - range.from);
  const bottom = d.height - AXIS;
  const place: Place = { d, at, x, w, range, t, ends: !narrow };

  const run = deciding(runs);
  const decided = run ? phases(run, range, w) : [];
  drawBands(place, decided, bottom, run);
  let y = FLAGS;
  const tops = new Map<string, number>();
  const placed = lanes.map((lane) => {
    const h = laneHeight(lane, input),
      large = lane.key === input.large;
    laneLabel(place, lane, y, h, large);
    if (lane.epochs) drawEpochs(place, lane.epochs, y);
    else tops.set(lane.key, drawLane(place, runs, lane, y, h, input.tops.get(lane.key) ?? 0, large));
    y += h + GAP;
    return { lane, y: y - h - GAP, h };
  });
  drawFlags(place, decided, bottom, run, runs.length > 1 && run ? `${run.mark} ` : "");
  const cycles = linear(range.from, range.to, Math.max(2, Math.floor(w / (narrow ? 80 : 160))));
  below(d, { x, y: 0, w, h: bottom }, cycles, t, {
    away: 4,
    say: (cycle) => (cycle === cycles.ticks.at(-1) && !narrow ? `${short(cycle)} cycles` : short(cycle)),
  });
  return { drawing: d, x, w, lanes: placed, tops };
}

export interface Place {
  d: Drawing;
  at: (cycle: number) => number;
  x: number;
  w: number;
  range: Zoom;
  t: Theme;
  /** There is room beside the lanes for what their axes end at. */
  ends: boolean;
}

// ---------------------------------------------------------------- lanes

export function seriesPaint(series: SeriesSpec, t: Theme): Paint {
  if (series.kernel !== null) return kernelPaint(series.kernel, t);
  return series.stall === null ? { colour: t.ink3, ink: t.surface, pattern: "cross" } : stallPaint(series.stall, t);
}

/** The values of a run in the buckets of the picture, with the cycles at their edges; stacked. */
function valuesOf({ w, range }: Place, run: DockRun, spec: LaneSpec): { cycles: Float64Array; tops: Float64Array[] } {
  const edges = run.store.buckets(range.from, range.to, resolutionFor(range.to - range.from, w, run.window));
  return {
    cycles: Float64Array.from(edges, (edge) => run.store.cycle(edge)),
    tops: stack(evaluate(spec, run.store, edges)),
  };
}

/** The last run is an area, by kernel; of one before it the sum is a line, and each part has one where the lane has grown. */
function drawLane(
  place: Place,
  runs: readonly DockRun[],
  lane: Lane,
  y: number,
  h: number,
  before: number,
  large: boolean,
): number {
  const { d, x, w, t } = place;
  const all = runs.flatMap((run, r) => {
    const spec = lane.specs[r];
    return spec ? [{ run, spec, area: r === runs.length - 1, ...valuesOf(place, run, spec) }] : [];
  });
  const spec = all[0]?.spec;
  if (!spec) return 0;
  const goals = spec.key === "ipc" ? all.map(({ run }) => run.goals[lane.kernel ?? 0] ?? null) : [],
    most = Math.max(largest(all.flatMap(({ tops }) => tops.slice(-1))), ...goals.map((goal) => goal ?? 0)),
    limit = spec.top?.value ?? 0;
  const wanted = most <= limit * 1.001 ? limit : niceMax(most, 5);
  const top = wanted > before || wanted < before * 0.45 ? wanted : before;
  const plot: Plot = { x, w, y: large ? y + PAD : y, h: large ? h - 2 * PAD : h, up: linear(0, top, 4) };
  const up = (v: number): number => plot.y + plot.h - (plot.h - 1) * plot.up.at(v);
  if (large) rules(d, plot, t, { size: 10 });
  // Areas lie below lines.
  for (const { spec: own, area, cycles, tops } of all)
    if (area) drawStack(d, own.series, cycles, tops, { x: place.at, y: up }, t);
  for (const { area, cycles, tops } of all)
    if (!area)
      for (const line of large ? tops : tops.slice(-1))
        for (const points of lineOf(cycles, line, { x: place.at, y: up })) {
          d.path(points, { closed: false, stroke: t.surface, width: 2.5 });
          d.path(points, { closed: false, stroke: t.ink, width: 1.25 });
        }
  if (spec.key === "ipc")
    for (const { run } of all) {
      drawLaunches(place, run, lane.kernel ?? 0, plot.y, plot.h);
      drawSwitches(place, run, lane.kernel ?? 0, plot.y, plot.h);
    }
  for (const goal of new Set(goals))
    if (goal !== null) {
      d.line(x, up(goal), x + w, up(goal), t.ink, 1.25, [1, 3]);
      if (large) beside(place, up(goal), `goal ${figure(goal)}`);
    }
  d.line(x, y + h + 1, x + w, y + h + 1, t.grid);
  if (spec.top && spec.top.label !== "") d.line(x, up(limit) + 0.5, x + w, up(limit) + 0.5, t.peak, 1, [4, 4]);
  // One that has grown has numbers on its scale: what it ends at is said where that has a name.
  const end = spec.top ? limit : top;
  if (h >= 16 && (spec.top ? spec.top.label !== "" || !large : !large) && all.some(({ cycles }) => cycles.length > 1))
    beside(place, Math.max(up(end), plot.y) + 4, `${figure(end)}${spec.unit.length > 4 ? "" : ` ${spec.unit}`}`);
  return top;
}

/** What a line stands for, beside the picture: nothing lies under it there. */
function beside({ d, x, w, t, ends }: Place, y: number, text: string): void {
  if (ends) d.text(x + w + 4, y, fitText(text, 10, ENDS - 6), t.axis, 10, { baseline: "middle" });
}

/** With a sign that it grows, or has grown. */
function laneLabel({ d, x, w, t, ends }: Place, lane: Lane, y: number, h: number, large: boolean): void {
  const middle = large ? y + 9 : y + h / 2;
  if (!lane.epochs) {
    d.path(large ? [1, middle - 2, 5, middle + 3, 9, middle - 2] : [3, middle - 4, 7, middle, 3, middle + 4], {
      closed: false,
      stroke: t.ink3,
      width: 1.5,
    });
    d.spot(`lane:${lane.key}`, 0, y, x - 2, h, () => `${lane.title}. ${lane.specs.find((spec) => spec)?.doc ?? ""}`);
  }
  // In one that has grown, the numbers of the scale stand below, and its name above the picture.
  if (large && !ends) return;
  d.text(large ? 13 : x - 8, middle, fitText(lane.label, 11, large ? w : x - 22), t.ink2, 11, {
    align: large ? "start" : "end",
    baseline: "middle",
    ...(large ? { halo: t.surface } : {}),
  });
}

// ---------------------------------------------------------------- areas and lines

/** Where the axes put a cycle and a value. */
interface Places {
  x(cycle: number): number;
  y(value: number): number;
}

/** Steps, not slopes: a value is that of its whole bucket. Stretches with data are drawn one by one, gaps stay empty. */
function drawStack(
  d: Drawing,
  series: readonly SeriesSpec[],
  edges: Float64Array,
  tops: readonly Float64Array[],
  { x, y }: Places,
  t: Theme,
): void {
  tops.forEach((upper, s) => {
    const lower = tops[s - 1];
    for (const [first, end] of known(upper)) {
      const points: number[] = [];
      let visible = false;
      for (let i = first; i < end; i++) {
        visible ||= (upper[i] as number) > (lower?.[i] ?? 0);
        step(points, x(edges[i] as number), x(edges[i + 1] as number), y(upper[i] as number));
      }
      if (!visible) continue;
      const rim = points.slice();
      for (let i = end - 1; i >= first; i--)
        step(points, x(edges[i + 1] as number), x(edges[i] as number), y(lower?.[i] ?? 0));
      d.path(points, { closed: true, fill: seriesPaint(series[s] as SeriesSpec, t) });
      // A rim in the background's colour parts areas whose colours are close.
      d.path(rim, { closed: false, stroke: d.background, width: 1 });
    }
  });
}

/** A line through values, in stretches without gaps. */
function lineOf(edges: Float64Array, values: Float64Array, { x, y }: Places): number[][] {
  return [...known(values)].map(([first, end]) => {
    const points: number[] = [];
    for (let i = first; i < end; i++)
      step(points, x(edges[i] as number), x(edges[i + 1] as number), y(values[i] as number));
    return points;
  });
}

/** Adds a horizontal piece from a to b, and leaves out a point that repeats the one before. */
function step(points: number[], a: number, b: number, y: number): void {
  const n = points.length;
  if (n >= 4 && points[n - 1] === y && points[n - 3] === y) {
    points[n - 2] = b;
    return;
  }
  if (n < 2 || points[n - 2] !== a || points[n - 1] !== y) points.push(a, y);
  points.push(b, y);
}

/** Half-open ranges of finite values. */
function* known(values: Float64Array): Generator<[number, number]> {
  let first = -1;
  for (let i = 0; i <= values.length; i++) {
    const here = i < values.length && Number.isFinite(values[i]);
    if (here && first < 0) first = i;
    if (!here && first >= 0) {
      yield [first, i];
      first = -1;
    }
  }
}

// ---------------------------------------------------------------- flags

/** Until where a phase lasts that has no next one: as far as its run is known. */
function phaseEnd({ range }: Place, decided: readonly Phase[], i: number, run: DockRun | null): number {
  return Math.min(range.to, decided[i + 1]?.cycle ?? Math.max(run?.store.lastCycle ?? 0, run?.past?.until ?? 0));
}

/** Every second phase is a band behind the lanes. */
function drawBands(place: Place, decided: readonly Phase[], bottom: number, run: DockRun | null): void {
  const { d, at, t } = place;
  decided.forEach(({ cycle }, i) => {
    const from = at(cycle),
      to = at(phaseEnd(place, decided, i, run));
    if (i % 2 === 0 && to - from >= 16) d.rect(from, 0, to - from, bottom, { fill: t.sunken, opacity: 0.7 });
  });
}

function drawFlags(place: Place, decided: readonly Phase[], bottom: number, run: DockRun | null, mark: string): void {
  const { d, at, x, range, t } = place;
  // On a phone there is no room for both words.
  const whose = textWidth(`${mark}policy`, 11) < x - 8 ? `${mark}policy` : mark.trim();
  if (decided.length > 0) d.text(x - 8, FLAGS / 2, whose, t.ink2, 11, { align: "end", baseline: "middle" });
  decided.forEach((phase, i) => {
    const from = at(phase.cycle),
      to = at(phaseEnd(place, decided, i, run));
    if (phase.cycle > range.from) d.line(from + 0.5, 0, from + 0.5, bottom, t.ink3, 1, [2, 3]);
    // Words may reach over the end of what is known, up to the next flag.
    const room = (decided[i + 1] ? at((decided[i + 1] as Phase).cycle) : x + place.w) - from - 6;
    if (room > 28) d.text(from + 4, FLAGS / 2, fitText(phase.short, 10, room), t.ink2, 10, { baseline: "middle" });
    d.spot(
      `phase:${i}`,
      from - 3,
      0,
      Math.max(8, to - from),
      FLAGS,
      () => `Decided at cycle ${whole(phase.cycle)}: ${phase.text}`,
    );
  });
}

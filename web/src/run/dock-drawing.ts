// The time axis as a drawing: on top what the policy did, then a lane for the IPC and the CTAs of each kernel, one for epochs where
// the policy has them, one for the bandwidth of the NoC and one for that of the DRAM, and the cycles below. Of two runs, A is pale or a line, B is full. No DOM.
import { Drawing, fitText, textWidth } from "../draw/drawing.ts";
import { figure, niceMax, short, ticks, whole } from "../draw/scale.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import type { Zoom } from "../types.ts";
import { evaluate, largest, stack, type ChartSpec } from "../views/chart-data.ts";
import { drawStack, lineOf } from "../views/chart-drawing.ts";
import { resolutionFor } from "../views/window-store.ts";
import { deciding, lanesOf, phases, type DockRun, type Lane, type LaneKey, type Phase } from "./dock-data.ts";
import { drawCtas, drawEpochs, drawLaunches, drawSwitches, EPOCH_LANE } from "./dock-past.ts";

export interface DockInput {
  runs: readonly DockRun[];
  /** The cycles that are shown. */
  range: Zoom;
  width: number;
  narrow: boolean;
  /** Ends of the vertical axes of IPC that were drawn last: they change only where they have to. */
  tops: readonly number[];
  theme: Theme;
}
/** Where the cycles are, and what the axes end at. */
export interface DockDrawing {
  drawing: Drawing;
  x: number;
  w: number;
  /** Top and bottom of the lanes. */
  y: number;
  bottom: number;
  tops: number[];
}

const FLAGS = 15,
  AXIS = 15,
  GAP = 2;
/** Of all lanes of IPC together, of the least one, of one of bandwidth; on a phone. */
const IPC = 50,
  THIN = 11,
  WIDE = 25,
  NARROW = 22;

export function dockHeight(runs: readonly DockRun[], narrow: boolean): number {
  return (
    FLAGS + lanesOf(runs, narrow).reduce((sum, lane, _, all) => sum + laneHeight(lane, all, narrow) + GAP, 0) + AXIS
  );
}
function laneHeight(lane: Lane, all: readonly Lane[], narrow: boolean): number {
  if (lane.key === "epochs") return EPOCH_LANE;
  if (lane.key !== "ipc") return narrow ? NARROW : WIDE;
  const kernels = all.filter(({ key }) => key === "ipc").length;
  return Math.max(THIN, Math.min(WIDE, Math.floor(IPC / kernels)));
}

export function drawDock(input: DockInput): DockDrawing {
  const { runs, range, width, narrow, theme: t } = input;
  const lanes = lanesOf(runs, narrow);
  const x = narrow ? 44 : 84,
    w = Math.max(40, width - x - (narrow ? 8 : 12));
  const d = new Drawing(width, dockHeight(runs, narrow), t.surface, t.font, t.mono);
  const at = (cycle: number): number =>
    x + (w * (Math.min(Math.max(cycle, range.from), range.to) - range.from)) / (range.to - range.from);
  const bottom = d.height - AXIS;
  const place: Place = { d, at, x, w, range, t };

  const run = deciding(runs);
  const decided = run ? phases(run, range, w) : [];
  drawBands(place, decided, bottom, run);
  let y = FLAGS;
  const tops = lanes.map((lane, i) => {
    const h = laneHeight(lane, lanes, narrow);
    laneLabel(place, lane, y, h);
    let top = 0;
    if (lane.key === "ipc") top = drawIpc(place, runs, lane, y, h, input.tops[i] ?? 0);
    else if (lane.key === "epochs") drawEpochs(place, lane.run as DockRun, y);
    else top = drawBytes(place, runs, lane.key, y, h);
    y += h + GAP;
    return top;
  });
  drawFlags(place, decided, bottom, run, runs.length > 1 && run ? `${run.mark} ` : "");
  d.line(x, bottom + 0.5, x + w, bottom + 0.5, t.axis);
  const marks = ticks(range.from, range.to, Math.max(2, Math.floor(w / (narrow ? 80 : 120))));
  marks.forEach((cycle, i) => {
    const px = at(cycle),
      label = i === marks.length - 1 && !narrow ? `${short(cycle)} cycles` : short(cycle),
      half = textWidth(label, 11) / 2;
    d.line(px, bottom, px, bottom + 3, t.axis);
    const fits = Math.min(px, width - half - 2);
    d.text(fits, bottom + 4, label, t.axis, 11, { align: "middle", baseline: "top" });
  });
  return { drawing: d, x, w, y: FLAGS, bottom, tops };
}

export interface Place {
  d: Drawing;
  at: (cycle: number) => number;
  x: number;
  w: number;
  range: Zoom;
  t: Theme;
}

// ---------------------------------------------------------------- lanes

/** The values of a run in the buckets of the picture, with the cycles at their edges. */
function valuesOf(
  { w, range }: Place,
  run: DockRun,
  spec: ChartSpec,
): { cycles: Float64Array; values: Float64Array[] } {
  const edges = run.store.buckets(range.from, range.to, resolutionFor(range.to - range.from, w, run.window));
  return {
    cycles: Float64Array.from(edges, (edge) => run.store.cycle(edge)),
    values: evaluate(spec, run.store, edges),
  };
}

function drawIpc(place: Place, runs: readonly DockRun[], lane: Lane, y: number, h: number, before: number): number {
  const { d, x, w, t } = place,
    kernel = lane.kernel ?? 0;
  const lines = runs.flatMap((run, r) => {
    const spec = run.specs.ipc,
      series = spec?.series.filter((one) => one.kernel === kernel) ?? [];
    return spec && series.length > 0 ? [{ run, r, ...valuesOf(place, run, { ...spec, series }) }] : [];
  });
  const wanted = niceMax(Math.max(...lines.map(({ values }) => largest(values)), 0));
  const top = wanted > before || wanted < before * 0.45 ? wanted : before;
  const paint = kernelPaint(kernel, t);
  for (const { run, r } of lines) drawCtas(place, run, kernel, y, h, r === runs.length - 1);
  for (const { run, r, cycles, values } of lines) {
    const full = r === runs.length - 1;
    const up = (v: number): number => y + h - ((h - 1) * v) / top;
    for (const points of lineOf(cycles, values[0] as Float64Array, { x: place.at, y: up }))
      d.path(points, {
        closed: false,
        stroke: paint.colour,
        width: full ? 1.75 : 1.5,
        ...(full ? {} : { opacity: 0.5 }),
      });
    drawLaunches(place, run, kernel, y, h);
    drawSwitches(place, run, kernel, y, h);
  }
  d.line(x, y + h + 1, x + w, y + h + 1, t.grid);
  if (h >= 16 && lines.some(({ cycles }) => cycles.length > 1))
    d.text(x + w - 3, y + 1, `to ${short(top)}`, t.axis, 10, { align: "end", baseline: "top", halo: t.surface });
  return top;
}

/** Bandwidth by kernel, stacked, under its peak; of two runs, A's sum is a line. */
function drawBytes(place: Place, runs: readonly DockRun[], key: LaneKey, y: number, h: number): number {
  const { d, at, x, w, t } = place;
  const all = runs.flatMap((run, r) => {
    const spec = run.specs[key];
    return spec ? [{ spec, full: r === runs.length - 1, ...valuesOf(place, run, spec) }] : [];
  });
  const stacks = all.map(({ values }) => stack(values)),
    peaks = all.map(({ spec }) => spec.peak?.value ?? 0),
    most = Math.max(0, ...stacks.map((one) => largest(one.slice(-1))));
  const peak = Math.max(...peaks),
    top = Math.max(peak, most > peak * 1.001 ? niceMax(most, 2) : 0) || 1;
  const up = (v: number): number => y + h - (h * Math.min(v, top)) / top;
  const places = { x: at, y: up };
  all.forEach(({ spec, full, cycles }, i) => {
    if (full) drawStack(d, spec, cycles, stacks[i] as Float64Array[], places, t);
  });
  all.forEach(({ full, cycles }, i) => {
    const sum = stacks[i]?.at(-1);
    if (full || !sum) return;
    for (const points of lineOf(cycles, sum, places)) d.path(points, { closed: false, stroke: t.ink2, width: 1.25 });
  });
  const spec = all.at(-1)?.spec;
  if (spec) {
    const limit = peaks.at(-1) || top,
      words = `${spec.peak ? "peak" : "to"} ${figure(limit * (spec.also?.scale ?? 1))} ${spec.also?.unit ?? ""}`;
    d.line(x, up(limit) + 0.5, x + w, up(limit) + 0.5, t.peak, 1, [4, 4]);
    d.text(x + w - 3, up(limit) + 2, words, t.axis, 10, { align: "end", baseline: "top", halo: t.surface });
  }
  return top;
}

function laneLabel({ d, x, t }: Place, lane: Lane, y: number, h: number): void {
  d.text(x - 8, y + h / 2, fitText(lane.label, 11, x - 10), t.ink2, 11, { align: "end", baseline: "middle" });
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

// One chart as a drawing: axes, stacked areas or lines, the peak, the policy's decisions. Of two runs the lines lie over each other, and the
// areas stand one above the other, on the same axes.
import { below, rules, titles, yOf, type Plot } from "../draw/axes.ts";
import { Drawing, fitText, textWidth } from "../draw/drawing.ts";
import type { Paint } from "../draw/drawing.ts";
import { figure, niceMax, short, ticks } from "../draw/scale.ts";
import { dashOf, kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import { kernelStyle, STALL_COLOURS } from "../palette.ts";
import { add, heading, moved } from "./beside.ts";
import { largest, stack } from "./chart-data.ts";
import type { ChartSpec, SeriesSpec } from "./chart-data.ts";

/** A decision of the policy on the time axis; several of one pixel are one mark. */
export interface Mark {
  cycle: number;
  kernel: number | null;
  count: number;
  text: string;
}

export interface ChartInput {
  spec: ChartSpec;
  /** Which run it is, where two are compared. */
  run?: { mark: string; title: string };
  /** Cycles at the bucket edges: one more than values. */
  edges: Float64Array;
  values: readonly Float64Array[];
  from: number;
  to: number;
  width: number;
  height: number;
  marks: readonly Mark[];
  /** Lines at what a series shall be at least, by its kernel. */
  goals?: readonly { kernel: number; value: number }[];
  /** Whether the marks' texts are written into the picture, as far as there is room. */
  labels?: boolean;
  /** End of the vertical axis; 0 to choose it. */
  top: number;
  /** Without the time axis's numbers: those of the chart below are its own. */
  bare?: boolean;
  theme: Theme;
}

export interface ChartDrawing {
  drawing: Drawing;
  plot: Plot;
}

export const LEFT = 54;
/** With a second axis on the right, and without. */
const RIGHT_AXIS = 54,
  RIGHT = 12,
  TOP = 16,
  BOTTOM = 38;
/** Where lines of two runs end in words; below a chart that has another one under it; of a run's heading. */
const RIGHT_WORDS = 58,
  BOTTOM_BARE = 8,
  HEAD = 22;

export function seriesPaint(series: SeriesSpec, t: Theme): Paint {
  if (series.kernel !== null) return kernelPaint(series.kernel, t);
  if (series.stall === null) return { colour: t.ink3, ink: t.surface, pattern: "cross" };
  return stallPaint(series.stall, t);
}

/** Stall causes have patterns of their own too; waiting for memory, the most common, is plain. */
export function stallPaint(stall: number, t: Theme): Paint {
  const colour = STALL_COLOURS[stall % STALL_COLOURS.length] as string;
  const patterns = ["grid", "diagonal", "plain", "dots", "back-diagonal", "horizontal", "vertical", "cross"] as const;
  return { colour, ink: t.dark ? "#00000066" : "#ffffff80", pattern: patterns[stall % patterns.length] ?? "plain" };
}

function seriesColour(series: SeriesSpec, t: Theme): string {
  const paint = seriesPaint(series, t);
  return typeof paint === "string" ? paint : paint.colour;
}

export const seriesDash = (series: SeriesSpec): number[] => dashOf(series.kernel ?? 0);

/** Where the vertical axis ends for these values. */
export function axisTop(spec: ChartSpec, values: readonly Float64Array[]): number {
  if (spec.key === "stalls") return 100;
  const most = largest(spec.kind === "stack" ? stack(values).slice(-1) : values);
  if (spec.peak?.full) return Math.max(spec.peak.value, most > spec.peak.value * 1.001 ? niceMax(most) : 0);
  return niceMax(most);
}

/** The charts of all runs as one picture. */
export function drawCharts(inputs: readonly ChartInput[]): ChartDrawing {
  const first = inputs[0] as ChartInput;
  if (inputs.length === 1 || first.spec.kind === "lines") return drawChart(first, inputs.slice(1));
  const height = Math.max(130, Math.round(first.height * 0.7));
  const charts = inputs.map((input, i) => {
    const bare = i < inputs.length - 1;
    return drawChart({ ...input, bare, height: bare ? height - (BOTTOM - BOTTOM_BARE) : height });
  });
  const own = (charts[0] as ChartDrawing).drawing;
  const all = new Drawing(
    first.width,
    charts.reduce((sum, { drawing }) => sum + drawing.height + HEAD, 0),
    own.background,
    own.font,
    own.mono,
  );
  let y = 0,
    bottom = 0;
  charts.forEach(({ drawing, plot }, i) => {
    heading(all, (inputs[i] as ChartInput).run ?? { mark: "", title: "" }, LEFT, y, first.width - LEFT, first.theme);
    add(all, drawing, 0, y + HEAD, i);
    bottom = y + HEAD + plot.y + plot.h;
    y += drawing.height + HEAD;
  });
  const plot = (charts[0] as ChartDrawing).plot;
  return { drawing: all, plot: { ...plot, y: plot.y + HEAD, h: bottom - plot.y - HEAD } };
}

/** `over`: other runs' lines on the same axes. */
export function drawChart(input: ChartInput, over: readonly ChartInput[] = []): ChartDrawing {
  const { spec, theme: t, from, to } = input;
  const d = new Drawing(input.width, input.height, t.plot, t.font, t.mono);
  const values = input.values;
  const top = input.top > 0 ? input.top : axisTop(spec, values);
  const right = spec.also ? RIGHT_AXIS : over.length > 0 ? RIGHT_WORDS : RIGHT,
    bottom = input.bare ? BOTTOM_BARE : BOTTOM;
  const plot: Plot = {
    x: LEFT,
    y: TOP,
    w: Math.max(10, input.width - LEFT - right),
    h: Math.max(10, input.height - TOP - bottom),
    top,
  };
  const x = (cycle: number): number =>
    plot.x + (plot.w * (Math.min(Math.max(cycle, from), to) - from)) / (to - from || 1);
  const y = (v: number): number => yOf(plot, v);
  rules(d, plot, t, { count: Math.max(2, Math.floor(plot.h / 34)) });
  if (spec.also) secondAxis(d, spec.also, plot, input.width, t);
  if (spec.kind === "stack") drawStack(d, spec, input.edges, stack(values), { x, y }, t);
  else drawLines(d, [input, ...over], plot, x, y);
  drawMarks(
    d,
    input,
    over.length > 0
      ? merged(
          [input, ...over].map(({ marks }) => marks),
          (8 * (to - from)) / plot.w,
        )
      : input.marks,
    plot,
    x,
  );
  drawPeak(d, spec, plot, y, t);
  [input, ...over].forEach((one) => {
    drawGoals(d, one, plot, y);
  });

  // The time axis is drawn last: areas must not cover it.
  below(d, plot, from, to, t, { bare: input.bare === true });
  titles(d, plot, input.bare ? "" : "cycle", spec.unit, t);
  return { drawing: d, plot };
}

/** The same heights in the second unit, in steps of its own. */
function secondAxis(d: Drawing, also: NonNullable<ChartSpec["also"]>, plot: Plot, width: number, t: Theme): void {
  const right = plot.x + plot.w,
    top = plot.top * also.scale;
  for (const v of ticks(0, top, Math.max(2, Math.floor(plot.h / 34)))) {
    const at = Math.round(plot.y + plot.h * (1 - v / top)) + 0.5;
    d.line(right, at, right + 4, at, t.axis);
    d.text(right + 7, at, short(v), t.axis, 11, { baseline: "middle" });
  }
  d.text(width - 8, plot.y + plot.h / 2, also.unit, t.axis, 11, { align: "middle", rotate: -90 });
}

/** Where the axes put a cycle and a value. */
export interface Places {
  x(cycle: number): number;
  y(value: number): number;
}

/** Steps, not slopes: a value is that of its whole bucket. Stretches with data are drawn one by one, gaps stay empty. */
export function drawStack(
  d: Drawing,
  { series }: ChartSpec,
  edges: Float64Array,
  tops: readonly Float64Array[],
  { x, y }: Places,
  t: Theme,
): void {
  tops.forEach((upper, s) => {
    const lower = tops[s - 1];
    for (const [first, end] of runs(upper)) {
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
export function lineOf(edges: Float64Array, values: Float64Array, { x, y }: Places): number[][] {
  return [...runs(values)].map(([first, end]) => {
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

/** The lines of all runs: those of the first are the thick ones. */
function drawLines(
  d: Drawing,
  inputs: readonly ChartInput[],
  plot: Plot,
  x: (c: number) => number,
  y: (v: number) => number,
): void {
  const ends: { x: number; y: number; text: string; colour: string }[] = [];
  for (const [r, input] of inputs.entries())
    input.values.forEach((line, s) => {
      const { edges, spec, theme: t } = input;
      const series = spec.series[s] as SeriesSpec;
      const stroke = seriesColour(series, t);
      const stretches = lineOf(edges, line, { x, y }),
        width = inputs.length === 1 ? 1.75 : r === 0 ? 2.5 : 1.25;
      for (const points of stretches) d.path(points, { closed: false, stroke, width, dash: seriesDash(series) });
      // At the end of its line, the kernel's number: the same sign as everywhere. Of two runs, its name and the run.
      const [endX, endY] = stretches.at(-1)?.slice(-2) ?? [];
      if (endX === undefined || endY === undefined || series.kernel === null) return;
      const text =
        inputs.length === 1
          ? kernelStyle(series.kernel).number
          : `${fitText(series.name, 11, RIGHT_WORDS - 20)} ${input.run?.mark ?? ""}`;
      ends.push({
        x: Math.min(endX + (inputs.length === 1 ? 1 : 4), input.width - (inputs.length === 1 ? 11 : RIGHT_WORDS - 2)),
        y: endY,
        text,
        colour: stroke,
      });
    });
  const t = (inputs[0] as ChartInput).theme;
  for (const end of apart(ends, 11, plot.y + plot.h))
    d.text(end.x, end.y, end.text, inputs.length === 1 ? end.colour : t.ink2, 11, {
      baseline: "middle",
      weight: 700,
      halo: t.plot,
    });
  if (inputs.length > 1) for (const end of ends) d.rect(end.x - 4, end.y - 3, 3, 6, { fill: end.colour });
}

/** Moves texts that would lie over each other apart, downwards, and back up where the last would leave the plot. */
function apart<T extends { y: number }>(ends: T[], least: number, bottom: number): T[] {
  const sorted = ends.sort((a, b) => a.y - b.y);
  sorted.forEach((end, i) => {
    const before = sorted[i - 1];
    if (before && end.y - before.y < least) end.y = before.y + least;
  });
  for (let i = sorted.length - 1, most = bottom; i >= 0; i -= 1, most -= least) {
    const end = sorted[i] as T;
    if (end.y > most) end.y = most;
  }
  return sorted;
}

/** Half-open ranges of finite values. */
function* runs(values: Float64Array): Generator<[number, number]> {
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

function drawMarks(d: Drawing, input: ChartInput, marks: readonly Mark[], plot: Plot, x: (c: number) => number): void {
  const t = input.theme;
  const shown = marks.filter((m) => m.cycle >= input.from && m.cycle <= input.to);
  for (const [i, mark] of shown.entries()) {
    const at = Math.round(x(mark.cycle)) + 0.5;
    d.line(at, plot.y, at, plot.y + plot.h, t.ink3, 1, [2, 3]);
    const colour =
      mark.kernel === null
        ? t.ink2
        : seriesColour({ kernel: mark.kernel, stall: null, name: "", doc: "", over: [], under: [], scale: 1 }, t);
    d.path([at - 4, plot.y - 9, at + 4, plot.y - 9, at, plot.y - 2], { closed: true, fill: colour });
    const next = shown[i + 1];
    const room = (next ? x(next.cycle) - 6 : plot.x + plot.w) - at - 8;
    const more = mark.count > 1 ? `${mark.count} decisions: ` : "";
    if (input.labels && room > 40) d.text(at + 8, plot.y - 4, fitText(`${more}${mark.text}`, 10, room), t.ink2, 10);
    else if (mark.count > 1 && textWidth(String(mark.count), 10) <= room + 4)
      d.text(at + 6, plot.y - 3, String(mark.count), t.ink3, 10);
  }
}

function drawPeak(d: Drawing, spec: ChartSpec, plot: Plot, y: (v: number) => number, t: Theme): void {
  if (!spec.peak || spec.peak.value > plot.top) return;
  const at = Math.round(y(spec.peak.value)) + 0.5;
  d.line(plot.x, at, plot.x + plot.w, at, t.peak, 1, [5, 4]);
  d.text(plot.x + plot.w - 4, at + 4, `${spec.peak.label} ${figure(spec.peak.value)}`, t.axis, 11, {
    align: "end",
    baseline: "top",
    halo: t.plot,
  });
}

/** A line at each goal, in its kernel's colour, with its number at the left end. */
function drawGoals(d: Drawing, { goals = [], run, theme: t }: ChartInput, plot: Plot, y: (v: number) => number): void {
  for (const { kernel, value } of goals) {
    const at = Math.round(y(value)) + 0.5,
      colour = seriesColour({ kernel, stall: null, name: "", doc: "", over: [], under: [], scale: 1 }, t);
    d.line(plot.x, at, plot.x + plot.w, at, colour, 1.5, [1, 3]);
    d.text(
      plot.x + 4,
      at - 3,
      `goal of ${kernelStyle(kernel).number}${run?.mark ? ` in ${run.mark}` : ""}: ${figure(value)}`,
      t.ink2,
      11,
      { halo: t.plot },
    );
  }
}

/** The marks of several runs in one chart; those within `near` cycles of each other are one. */
function merged(runs: readonly (readonly Mark[])[], near: number): Mark[] {
  const out: Mark[] = [];
  for (const mark of runs.flat().sort((a, b) => a.cycle - b.cycle)) {
    const last = out[out.length - 1];
    if (last && mark.cycle - last.cycle < near) {
      last.count += mark.count;
      if (last.kernel !== mark.kernel) last.kernel = null;
    } else out.push({ ...mark });
  }
  return out;
}

/** Decisions in a range, those within `pixels` of each other as one mark with a count. */
export function marksOf(
  decisions: readonly { cycle: number; kernel: number | null; text: string }[],
  from: number,
  to: number,
  width: number,
  pixels = 8,
): Mark[] {
  const shown = decisions
    .filter(({ cycle }) => cycle >= from && cycle <= to)
    .map(({ cycle, kernel, text }) => ({ cycle, kernel, text, count: 1 }));
  return merged([shown], ((to - from) / Math.max(1, width)) * pixels);
}

/** Puts a finished chart under a heading and a legend and over the stamp: the picture that leaves the page. */
export function framed(
  chart: Drawing,
  heading: { title: string; legend: { name: string; paint?: Paint; dash?: number[] }[]; stamp: string },
  t: Theme,
  margin = 0,
): Drawing {
  const pad = 12,
    size = 12;
  const outer = chart.width + 2 * margin;
  const items: { x: number; y: number; sign: number; name: string; paint?: Paint; dash?: number[] }[] = [];
  let x = pad,
    y = 44;
  for (const item of heading.legend) {
    const sign = item.paint === undefined ? 0 : 24,
      w = sign + textWidth(item.name, size) + 14;
    if (x + w > outer - pad && x > pad) {
      x = pad;
      y += 20;
    }
    items.push({ x, y, sign, ...item });
    x += w;
  }
  const head = heading.legend.length > 0 ? y + 16 : 34;
  const d = new Drawing(outer, head + chart.height + 30, chart.background, chart.font, chart.mono);
  d.text(pad, 22, heading.title, t.ink, 15, { weight: 600 });
  for (const item of items) {
    d.text(item.x + item.sign, item.y, item.name, t.ink2, size);
    if (item.paint === undefined) continue;
    if (item.dash)
      d.line(
        item.x,
        item.y - 4,
        item.x + 18,
        item.y - 4,
        typeof item.paint === "string" ? item.paint : item.paint.colour,
        2.5,
        item.dash,
      );
    else d.rect(item.x, item.y - 11, 18, 14, { fill: item.paint, radius: 2 });
  }
  for (const s of chart.shapes) d.shapes.push(moved(s, margin, head));
  d.text(pad, d.height - 11, heading.stamp, t.ink3, 10, { mono: true });
  return d;
}

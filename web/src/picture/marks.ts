// The marks of all static charts: rules with their numbers, names below, titles, lines with dots and whiskers, bars. A chart is these, placed.
import { textWidth, type Drawing, type Paint } from "./drawing.ts";
import { short, type Scale } from "../model/scale.ts";
import type { Interval } from "../model/types.ts";
import { kernelPaint, type Theme } from "./theme.ts";

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}
/** Where values are drawn; `up` is the scale of its height. */
export interface Plot extends Box {
  up: Scale;
}
interface Style {
  size?: number;
  say?(value: number): string;
}

export const xOf = ({ x, w }: Box, scale: Scale, value: number): number => x + w * scale.at(value);
export const yOf = ({ y, h, up }: Plot, value: number): number => y + h * (1 - up.at(value));

/** A rule at each number of the vertical axis. */
export function rules(d: Drawing, plot: Plot, t: Theme, { size = 11, say = short }: Style = {}): void {
  for (const v of plot.up.ticks) {
    const at = Math.round(yOf(plot, v)) + 0.5;
    d.line(plot.x, at, plot.x + plot.w, at, t.grid);
    d.text(plot.x - 6, at, say(v), t.axis, size, { align: "end", baseline: "middle" });
  }
}

/** The line below the plot. */
export function baseLine(d: Drawing, { x, y, w, h }: Box, t: Theme): void {
  d.line(x, y + h + 0.5, x + w, y + h + 0.5, t.axis);
}

/** The line below, with the numbers of a scale; `rise`: each has a rule through the plot. */
export function below(
  d: Drawing,
  plot: Box,
  scale: Scale,
  t: Theme,
  { size = 11, say = short, rise = false, away = 7 }: Style & { rise?: boolean; away?: number } = {},
): void {
  const base = plot.y + plot.h;
  if (!rise) baseLine(d, plot, t);
  for (const v of scale.ticks) {
    const at = Math.round(xOf(plot, scale, v)) + 0.5,
      label = say(v);
    d.line(at, rise ? plot.y : base, at, rise ? base : base + 4, rise ? t.grid : t.axis);
    const fits = Math.min(at, d.width - textWidth(label, size) / 2 - 2);
    d.text(fits, base + away, label, t.axis, size, { align: "middle", baseline: "top" });
  }
}

/** Names below the plot, each under its place; one that another is in the way of is left out, the present one never. */
export function names(
  d: Drawing,
  plot: Box,
  all: readonly { x: number; text: string; now?: boolean }[],
  t: Theme,
  size = 11,
): void {
  const taken: [number, number][] = [];
  for (const { x, text, now = false } of [...all].sort((a, b) => Number(b.now ?? false) - Number(a.now ?? false))) {
    const half = textWidth(text, size) / 2,
      at = Math.min(Math.max(x, half + 2), d.width - half - 2);
    if (text === "" || taken.some(([from, to]) => at + half + 4 > from && at - half - 4 < to)) continue;
    taken.push([at - half, at + half]);
    d.text(at, plot.y + plot.h + 7, text, now ? t.ink : t.axis, size, {
      align: "middle",
      baseline: "top",
      weight: now ? 650 : 400,
    });
  }
}

/** What the axes are of: at the lower edge of the drawing, and upright at its left. */
export function titles(d: Drawing, plot: Box, across: string, up: string, t: Theme): void {
  d.text(plot.x + plot.w / 2, d.height - 6, across, t.axis, 11, { align: "middle" });
  d.text(13, plot.y + plot.h / 2, up, t.axis, 11, { align: "middle", rotate: -90 });
}

/** `square` and round marks tell lines apart without colours. */
export function dot(d: Drawing, x: number, y: number, r: number, colour: string, t: Theme, square = false): void {
  d.rect(x - r, y - r, 2 * r, 2 * r, { fill: colour, stroke: t.plot, width: r > 5 ? 2 : 1, radius: square ? 1 : r });
}

/** The 95 % interval of a value, as far as it is in the plot. */
export function whisker(d: Drawing, plot: Plot, x: number, ends: Interval, colour: string): void {
  if (ends === null) return;
  const [low, high] = ends.map((v) => yOf(plot, v)) as [number, number];
  d.line(x, low, x, high, colour);
  for (const y of [low, high]) d.line(x - 3, y, x + 3, y, colour);
}

interface Point {
  x: number;
  value: number;
  ends?: Interval;
  says(): string;
}
/** Values in their order, joined where they are known; `now`: the one that is meant. */
export function line(
  d: Drawing,
  plot: Plot,
  t: Theme,
  of: {
    id: string;
    colour: string;
    width?: number;
    dash?: number[];
    square?: boolean;
    /** Without points. */
    bare?: boolean;
    points: readonly (Point | null)[];
    now?: number;
  },
): void {
  const { id, colour, width = 2, dash, square = false, bare = false, points, now } = of;
  let part: number[] = [];
  for (const point of [...points, null]) {
    if (point) part.push(point.x, yOf(plot, point.value));
    else {
      d.path(part, { closed: false, stroke: colour, width, ...(dash ? { dash } : {}) });
      part = [];
    }
  }
  if (bare) return;
  points.forEach((point, i) => {
    if (!point) return;
    const y = yOf(plot, point.value);
    whisker(d, plot, point.x, point.ends ?? null, t.ink2);
    dot(d, point.x, y, i === now ? 6 : 3.5, colour, t, square);
    d.spot(`${id} ${i}`, point.x - 8, y - 8, 16, 16, point.says);
  });
}

/** Parts of a bar beside each other, as far as there is room; what is too thin to be seen is left out. */
export function parts(d: Drawing, { x, y, w, h }: Box, all: readonly { share: number; paint: Paint }[]): void {
  let at = 0;
  for (const { share, paint } of all) {
    const part = Math.min(1 - at, share);
    if (part * w >= 0.4) d.rect(x + at * w, y, part * w, h, { fill: paint });
    at += part;
  }
}
/** A share of each kernel. */
export const byKernel = (shares: readonly number[], t: Theme): { share: number; paint: Paint }[] =>
  shares.map((share, k) => ({ share, paint: kernelPaint(k, t) }));

/** A bar in a trough that stands for all that there is room for. */
export function trough(d: Drawing, box: Box, part: number, fill: Paint, t: Theme): void {
  d.rect(box.x, box.y, box.w, box.h, { fill: t.slotEmpty, stroke: t.slotEdge, radius: 4 });
  const w = box.w * Math.max(0, Math.min(1, part));
  if (w > 0.5) d.rect(box.x, box.y, w, box.h, { fill, radius: 4 });
}

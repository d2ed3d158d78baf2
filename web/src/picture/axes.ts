// Linear axes around a plot: rules across with their numbers, numbers below, and what both are of.
import { textWidth, type Drawing } from "./drawing.ts";
import { short, ticks } from "../model/scale.ts";
import type { Theme } from "./theme.ts";

/** Where values are drawn; `top` is the one at its upper end, 0 is below. */
export interface Plot {
  x: number;
  y: number;
  w: number;
  h: number;
  top: number;
}
interface Style {
  size?: number;
  /** About how many numbers. */
  count?: number;
  say?(value: number): string;
}

export const yOf = ({ y, h, top }: Plot, value: number): number => y + h * (1 - Math.min(value, top) / top);

/** A rule at each number of the vertical axis. */
export function rules(d: Drawing, plot: Plot, t: Theme, { size = 11, count = 5, say = short }: Style = {}): void {
  for (const v of ticks(0, plot.top, count)) {
    const at = Math.round(yOf(plot, v)) + 0.5;
    d.line(plot.x, at, plot.x + plot.w, at, t.grid);
    d.text(plot.x - 6, at, say(v), t.axis, size, { align: "end", baseline: "middle" });
  }
}

/** The line below the plot. */
export function baseLine(d: Drawing, { x, y, w, h }: Plot, t: Theme): void {
  d.line(x, y + h + 0.5, x + w, y + h + 0.5, t.axis);
}

/** The line below, with numbers from one to another; `bare`: with their marks alone. */
export function below(
  d: Drawing,
  plot: Plot,
  from: number,
  to: number,
  t: Theme,
  {
    size = 11,
    count = Math.max(2, Math.floor(plot.w / 62)),
    say = short,
    bare = false,
  }: Style & { bare?: boolean } = {},
): void {
  const base = plot.y + plot.h;
  baseLine(d, plot, t);
  for (const v of ticks(from, to, count)) {
    const at = Math.round(plot.x + (plot.w * (v - from)) / (to - from)) + 0.5,
      label = say(v);
    d.line(at, base, at, base + 4, t.axis);
    if (bare) continue;
    const fits = Math.min(at, d.width - textWidth(label, size) / 2 - 2);
    d.text(fits, base + 7, label, t.axis, size, { align: "middle", baseline: "top" });
  }
}

/** What the axes are of: at the lower edge of the drawing, and upright at its left. */
export function titles(d: Drawing, plot: Plot, across: string, up: string, t: Theme): void {
  d.text(plot.x + plot.w / 2, d.height - 6, across, t.axis, 11, { align: "middle" });
  d.text(13, plot.y + plot.h / 2, up, t.axis, 11, { align: "middle", rotate: -90 });
}

// What the figures of the stories are drawn from: lines over the positions of a knob, a row of SMs, a bar. Plain functions of numbers.
import { baseLine, rules, yOf } from "../picture/axes.ts";
import type { Drawing, Paint } from "../picture/drawing.ts";
import { textWidth } from "../picture/drawing.ts";
import { kernelInk, kernelPaint, type Theme } from "../picture/theme.ts";

export const SMALL = 12,
  LABEL = 13;

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}
export interface Line {
  name: string;
  /** In the colour of this kernel; without, in the colour of text. */
  kernel?: number;
  dash?: number[];
  /** One for each position; null where nothing is known yet. */
  values: readonly (number | null)[];
  /** A line that is only there to compare with: thin, and without points. */
  rule?: boolean;
}
export interface Axes {
  /** What the positions of the knob are called, one for each. */
  labels: readonly string[];
  x: string;
  y: string;
  /** Where the vertical axis ends. */
  top: number;
  /** How a value of it is said. */
  say(value: number): string;
}

const percent = (value: number): string => `${Math.round(100 * value)} %`;
export const PERCENT = { say: percent };

/** Lines over the positions of a knob, with the present one marked. */
export function lines(d: Drawing, box: Box, axes: Axes, all: readonly Line[], at: number, t: Theme): void {
  const left = 44,
    bottom = 42,
    right = Math.max(16, ...all.map((line) => 1.1 * textWidth(line.name, LABEL) + 14));
  const plot = { x: box.x + left, y: box.y + 22, w: box.w - left - right, h: box.h - 22 - bottom, top: axes.top };
  const count = axes.labels.length,
    x = (i: number): number => plot.x + (plot.w * i) / Math.max(1, count - 1),
    y = (v: number): number => yOf(plot, v);
  d.text(box.x, box.y + 2, axes.y, t.axis, SMALL, { baseline: "top" });
  rules(d, plot, t, { size: SMALL, count: 4, say: (v) => axes.say(v) });
  const now = Math.round(x(at)) + 0.5;
  d.line(now, plot.y - 4, now, plot.y + plot.h, t.lineStrong, 1, [2, 3]);
  let lastEnd = -Infinity;
  axes.labels.forEach((label, i) => {
    const half = textWidth(label, SMALL) / 2,
      here = i === at;
    // A label that another one is in the way of is left out; the present one never is.
    if (
      !here &&
      (x(i) - half < lastEnd + 4 || Math.abs(x(i) - x(at)) < half + textWidth(axes.labels[at] ?? "", SMALL) / 2 + 4)
    )
      return;
    lastEnd = x(i) + half;
    d.text(x(i), plot.y + plot.h + 6, label, here ? t.ink : t.axis, SMALL, {
      align: "middle",
      baseline: "top",
      weight: here ? 650 : 400,
    });
  });
  baseLine(d, plot, t);
  d.text(plot.x + plot.w / 2, plot.y + plot.h + 25, axes.x, t.axis, SMALL, { align: "middle", baseline: "top" });
  const labels: { y: number; name: string; colour: string }[] = [];
  for (const line of all) {
    const paint = line.kernel === undefined ? t.ink : colourOf(kernelPaint(line.kernel, t)),
      colour = line.rule ? t.peak : paint;
    for (const part of parts(line.values))
      d.path(
        part.flatMap(([i, v]) => [x(i), y(v)]),
        { closed: false, stroke: colour, width: line.rule ? 1.25 : 2.25, ...(line.dash ? { dash: line.dash } : {}) },
      );
    line.values.forEach((v, i) => {
      if (v === null || line.rule) return;
      const here = i === at,
        r = here ? 6 : 3;
      // A round mark and a square one: two lines are told apart without their colours.
      d.rect(x(i) - r, y(v) - r, 2 * r, 2 * r, {
        fill: colour,
        stroke: t.plot,
        width: here ? 2 : 1,
        radius: line.dash ? 1 : r,
      });
      d.spot(`${line.name} ${i}`, x(i) - 9, y(v) - 9, 18, 18, () => `${line.name}, ${axes.labels[i]}: ${axes.say(v)}`);
    });
    const end = line.values.filter((v) => v !== null).at(-1);
    if (end !== undefined) labels.push({ y: y(end), name: line.name, colour: line.rule ? t.axis : t.ink });
  }
  // Names stand at the ends of their lines, and apart from each other.
  labels.sort((a, b) => a.y - b.y);
  labels.forEach((label, i) => {
    const above = labels[i - 1];
    if (above) label.y = Math.max(label.y, above.y + LABEL + 3);
    d.text(plot.x + plot.w + 11, label.y, label.name, label.colour, LABEL, { baseline: "middle", weight: 600 });
  });
}

const colourOf = (paint: Paint): string => (typeof paint === "string" ? paint : paint.colour);

/** Connected stretches of what is known. */
export function parts(values: readonly (number | null)[]): [number, number][][] {
  const out: [number, number][][] = [[]];
  values.forEach((v, i) => {
    if (v === null) out.push([]);
    else out.at(-1)?.push([i, v]);
  });
  return out.filter((part) => part.length > 1);
}

/** A mark of a kernel with its number, as everywhere on the page. */
export function tile(d: Drawing, box: Box, kernel: number | null, t: Theme, size = SMALL): void {
  if (kernel === null) {
    d.rect(box.x, box.y, box.w, box.h, { fill: t.slotEmpty, stroke: t.slotEdge, radius: 3 });
    return;
  }
  d.rect(box.x, box.y, box.w, box.h, { fill: kernelPaint(kernel, t), radius: 3 });
  if (box.w >= 14)
    d.text(box.x + box.w / 2, box.y + box.h / 2, String(kernel + 1), kernelInk(kernel, t), size, {
      align: "middle",
      baseline: "middle",
      weight: 700,
      halo: colourOf(kernelPaint(kernel, t)),
    });
}

/** A bar in a trough that stands for all that there is room for. */
export function trough(d: Drawing, box: Box, part: number, fill: Paint, t: Theme): void {
  d.rect(box.x, box.y, box.w, box.h, { fill: t.slotEmpty, stroke: t.slotEdge, radius: 4 });
  const w = box.w * Math.max(0, Math.min(1, part));
  if (w > 0.5) d.rect(box.x, box.y, w, box.h, { fill, radius: 4 });
}

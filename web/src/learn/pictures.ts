// What the figures of the stories are drawn from: lines over the positions of a knob, a row of SMs, a bar. Plain functions of numbers.
import { linear } from "../model/scale.ts";
import { baseLine, line, names, rules, yOf, type Box, type Plot } from "../picture/marks.ts";
import type { Drawing, Paint } from "../picture/drawing.ts";
import { textWidth } from "../picture/drawing.ts";
import { kernelInk, kernelPaint, type Theme } from "../picture/theme.ts";

export const SMALL = 12,
  LABEL = 13;

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
  const plot: Plot = {
    x: box.x + left,
    y: box.y + 22,
    w: box.w - left - right,
    h: box.h - 22 - bottom,
    up: linear(0, axes.top, 4),
  };
  const x = (i: number): number => plot.x + (plot.w * i) / Math.max(1, axes.labels.length - 1);
  d.text(box.x, box.y + 2, axes.y, t.axis, SMALL, { baseline: "top" });
  rules(d, plot, t, { size: SMALL, say: (v) => axes.say(v) });
  const now = Math.round(x(at)) + 0.5;
  d.line(now, plot.y - 4, now, plot.y + plot.h, t.lineStrong, 1, [2, 3]);
  names(
    d,
    plot,
    axes.labels.map((text, i) => ({ x: x(i), text, now: i === at })),
    t,
    SMALL,
  );
  baseLine(d, plot, t);
  d.text(plot.x + plot.w / 2, plot.y + plot.h + 25, axes.x, t.axis, SMALL, { align: "middle", baseline: "top" });
  const labels: { y: number; name: string; colour: string }[] = [];
  for (const one of all) {
    const { name, kernel, dash, values, rule = false } = one;
    line(d, plot, t, {
      id: name,
      colour: rule ? t.peak : kernel === undefined ? t.ink : colourOf(kernelPaint(kernel, t)),
      width: rule ? 1.25 : 2.25,
      ...(dash ? { dash, square: true } : {}),
      bare: rule,
      now: at,
      points: values.map((value, i) =>
        value === null ? null : { x: x(i), value, says: () => `${name}, ${axes.labels[i]}: ${axes.say(value)}` },
      ),
    });
    const end = values.filter((v) => v !== null).at(-1);
    if (end !== undefined) labels.push({ y: yOf(plot, end), name, colour: rule ? t.axis : t.ink });
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

// Pictures that only one story has.
import { linear } from "../model/scale.ts";
import { below, dot, rules, trough, xOf, yOf, type Plot } from "../picture/marks.ts";
import { textWidth, type Drawing } from "../picture/drawing.ts";
import { figure } from "../model/scale.ts";
import { kernelPaint, type Theme } from "../picture/theme.ts";
import { LABEL, SMALL, tile } from "./pictures.ts";

/** Two SMs with their CTAs: so many of BP, and as many of CFD as the knob says. */
export function smRow(d: Drawing, cfd: number, bp: number, t: Theme): void {
  const gap = 12,
    w = (d.width - gap) / 2;
  for (const sm of [0, 1]) {
    const x = sm * (w + gap);
    d.rect(x + 0.5, 0.5, w - 1, 72, { fill: t.sunken, stroke: t.line, radius: 6 });
    d.text(x + 10, 17, `SM ${sm}`, t.ink2, SMALL, { baseline: "middle" });
    const size = Math.min(24, (w - 20) / 12 - 4);
    for (let i = 0; i < 12; i += 1) {
      const kernel = i < bp ? 0 : i < bp + cfd ? 1 : null;
      tile(d, { x: x + 10 + i * (size + 4), y: 34, w: size, h: Math.max(size, 18) }, kernel, t);
    }
  }
  d.spot("sms", 0, 0, d.width, 72, () => `Each SM holds ${bp} CTAs of BP and ${cfd} of CFD`);
}

interface QueueRow {
  name: string;
  places: number;
  held: number | null;
}
interface Gauge {
  name: string;
  value: number | null;
  of: number;
  say(value: number): string;
}

/** Queues in the order in which a read passes them, and below what came of it. */
export function queueRows(d: Drawing, queues: readonly QueueRow[], gauges: readonly Gauge[], t: Theme): void {
  const narrow = d.width < 460,
    left = narrow ? 0 : 178,
    right = 84,
    step = narrow ? 46 : 40,
    w = d.width - left - right;
  let y = 0;
  const row = (name: string, part: number | null, words: string, own: boolean): void => {
    const bar = narrow ? y + 20 : y + 6;
    d.text(0, narrow ? y + 9 : bar + 11, name, t.ink, LABEL, { baseline: "middle" });
    trough(d, { x: left, y: bar, w, h: 22 }, part ?? 0, own ? kernelPaint(0, t) : t.accent, t);
    d.text(left + w + 10, bar + 11, words, t.ink, LABEL, { baseline: "middle", weight: 600 });
    d.spot(name, 0, y, d.width, step - 2, () => `${name}: ${words}`);
    y += step;
  };
  for (const [i, queue] of queues.entries()) {
    row(
      queue.name,
      queue.held === null ? null : queue.held / queue.places,
      queue.held === null ? "–" : `${Math.round(queue.held)} of ${queue.places}`,
      true,
    );
    if (i + 1 < queues.length) {
      const x = left + 11,
        at = y + (narrow ? 3 : -8);
      if (!narrow) d.path([x - 4, at, x + 4, at, x, at + 6], { closed: true, fill: t.ink3 });
    }
  }
  y += 10;
  d.line(0, y - 5.5, d.width, y - 5.5, t.line);
  for (const gauge of gauges)
    row(
      gauge.name,
      gauge.value === null ? null : gauge.value / gauge.of,
      gauge.value === null ? "–" : gauge.say(gauge.value),
      false,
    );
}

/** Rate × time as a box; where its corner has been at the other positions of the knob. */
export function lawBox(
  d: Drawing,
  points: readonly ({ rate: number; latency: number } | null)[],
  at: number,
  most: { rate: number; latency: number },
  t: Theme,
): void {
  const plot: Plot = { x: 52, y: 24, w: d.width - 52 - 14, h: d.height - 24 - 44, up: linear(0, most.latency, 4) },
    across = linear(0, most.rate);
  const x = (v: number): number => xOf(plot, across, v),
    y = (v: number): number => yOf(plot, v);
  d.text(0, 2, "cycles that a read takes", t.axis, SMALL, { baseline: "top" });
  rules(d, plot, t, { size: SMALL });
  const base = plot.y + plot.h;
  const here = points[at];
  if (here) {
    const paint = kernelPaint(0, t),
      colour = paint.colour,
      w = x(here.rate) - plot.x,
      h = base - y(here.latency);
    d.rect(plot.x, y(here.latency), w, h, { fill: colour, opacity: 0.25 });
    d.rect(plot.x + 0.75, y(here.latency) + 0.75, Math.max(1, w - 1.5), Math.max(1, h - 1.5), {
      stroke: colour,
      width: 1.5,
    });
    const words = `${figure(here.rate * here.latency)} under way`,
      inside = w > textWidth(words, 14) + 24;
    d.text(plot.x + (inside ? w / 2 : w + 14), Math.min(base - 14, y(here.latency) + h / 2), words, t.ink, 14, {
      align: inside ? "middle" : "start",
      baseline: "middle",
      weight: 650,
      halo: t.plot,
    });
  }
  below(d, plot, across, t, { size: SMALL, say: (v) => (v === 0 ? "0" : v.toFixed(2)) });
  d.text(plot.x + plot.w / 2, base + 27, "reads that come back in a cycle", t.axis, SMALL, {
    align: "middle",
    baseline: "top",
  });
  points.forEach((p, i) => {
    if (!p) return;
    dot(d, x(p.rate), y(p.latency), i === at ? 6 : 3, i === at ? kernelPaint(0, t).colour : t.ink3, t);
    d.spot(
      `p${i}`,
      x(p.rate) - 8,
      y(p.latency) - 8,
      16,
      16,
      () =>
        `${p.rate.toFixed(3)} reads a cycle × ${figure(p.latency)} cycles = ${figure(p.rate * p.latency)} under way`,
    );
  });
}

/** SMs of two sizes by the kernel that they belong to, and how fast each kernel is on them. */
export function bigAndSmall(
  d: Drawing,
  sms: readonly { big: boolean; kernel: number }[],
  kernels: readonly { name: string; kernel: number; values: readonly (number | null)[] }[],
  at: number,
  t: Theme,
): void {
  const gap = 8,
    units = sms.reduce((sum, sm) => sum + (sm.big ? 1.5 : 0.75), 0),
    unit = Math.min(52, (d.width - gap * (sms.length - 1)) / units);
  let x = 0;
  for (const [i, sm] of sms.entries()) {
    const size = unit * (sm.big ? 1.5 : 0.75);
    tile(d, { x, y: 78 - size, w: size, h: size }, sm.kernel, t, sm.big ? 15 : SMALL);
    d.spot(
      `sm${i}`,
      x,
      78 - size,
      size,
      size,
      () => `SM ${i}, ${sm.big ? "big" : "small"}: ${kernels.find((k) => k.kernel === sm.kernel)?.name ?? ""}`,
    );
    x += size + gap;
  }
  const most = 1.5,
    left = 44,
    right = 62,
    w = d.width - left - right,
    y0 = 106;
  d.text(left, y0, "speed, of that on equal SMs", t.axis, SMALL, { baseline: "middle" });
  kernels.forEach((kernel, i) => {
    const y = y0 + 16 + 34 * i,
      value = kernel.values[at] ?? null;
    d.text(0, y + 12, kernel.name, t.ink, LABEL, { baseline: "middle", weight: 600 });
    trough(d, { x: left, y, w, h: 24 }, (value ?? 0) / most, kernelPaint(kernel.kernel, t), t);
    const words = value === null ? "–" : `${Math.round(100 * value)} %`;
    d.text(left + w + 10, y + 12, words, t.ink, LABEL, { baseline: "middle", weight: 600 });
    d.spot(kernel.name, 0, y, d.width, 24, () => `${kernel.name}: ${words} of its speed on equal SMs`);
  });
  const one = Math.round(left + w / most) + 0.5,
    end = y0 + 16 + 34 * kernels.length;
  d.line(one, y0 + 10, one, end, t.ink, 1.5, [4, 3]);
  for (const v of [0, 0.5, 1, 1.5])
    d.text(left + (w * v) / most, end + 6, `${100 * v} %`, t.axis, SMALL, {
      align: v === 0 ? "start" : v === 1.5 ? "end" : "middle",
      baseline: "top",
    });
}

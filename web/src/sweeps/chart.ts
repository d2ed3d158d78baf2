// <corun-sweep-chart>: one figure of the points of a sweep, an axis across, the other axes as series. Lines where the axis has numbers,
// else bars.
import { baseLine, rules, titles, yOf, type Plot } from "../picture/axes.ts";
import { Drawing, fitText, textWidth } from "../picture/drawing.ts";
import { figure, niceMax, short } from "../model/scale.ts";
import { dashOf, kernelPaint } from "../picture/theme.ts";
import type { Theme } from "../picture/theme.ts";
import { Picture } from "../picture/picture.ts";
import type { LegendItem } from "../picture/picture.ts";
import type { Tabular } from "../model/tabular.ts";
import { MOST_SERIES } from "./results.ts";
import type { ChartData } from "./results.ts";
import type { Interval } from "../model/types.ts";

const LEFT = 54,
  RIGHT = 14,
  TOP = 12,
  BOTTOM = 42,
  HEIGHT = 280;

function drawSweep(data: ChartData, width: number, t: Theme): Drawing {
  const d = new Drawing(width, HEIGHT, t.plot, t.font, t.mono);
  const shown = data.series.slice(0, MOST_SERIES);
  const most = Math.max(0, ...shown.flatMap((s) => s.values).filter((v) => v !== null));
  const plot: Plot = {
    x: LEFT,
    y: TOP,
    w: Math.max(10, width - LEFT - RIGHT),
    h: HEIGHT - TOP - BOTTOM,
    top: niceMax(most),
  };
  rules(d, plot, t);
  const centres = data.across.numbers ? drawLines(d, data, data.across.numbers, plot, t) : drawBars(d, data, plot, t);
  const base = plot.y + plot.h;
  baseLine(d, plot, t);
  // Labels that have no room are left out: the table has them all.
  let free = 0;
  data.across.labels.forEach((label, i) => {
    const centre = centres[i] as number,
      room = data.across.numbers ? 80 : plot.w / data.across.labels.length - 4;
    const words = fitText(data.across.numbers ? short(data.across.numbers[i] as number) : label, 11, room);
    const half = textWidth(words, 11) / 2,
      at = Math.min(Math.max(centre, half + 2), width - half - 2);
    if (words === "" || at - half < free) return;
    d.text(at, base + 7, words, t.axis, 11, { align: "middle", baseline: "top" });
    free = at + half + 6;
  });
  const { title, unit } = data.metric;
  titles(d, plot, data.across.title, unit ? `${title}, ${unit}` : title, t);
  return d;
}

const pointText = (data: ChartData, series: number, at: number): string => {
  const one = data.series[series],
    value = one?.values[at] ?? null;
  return `${one?.name ? `${one.name}, ` : ""}${data.across.title} ${data.across.labels[at] ?? ""}: ${value === null ? "not run" : `${data.metric.title} ${figure(value)}${between(one?.ends[at] ?? null)}`}`;
};
const between = (ends: Interval): string => (ends === null ? "" : `, ${figure(ends[0])} to ${figure(ends[1])}`);

/** The 95 % interval of a value, as far as it is in the plot. */
function whisker(d: Drawing, ends: Interval, x: number, plot: Plot, t: Theme): void {
  if (ends === null) return;
  const [low, high] = ends.map((v) => yOf(plot, Math.max(0, v))) as [number, number];
  d.line(x, low, x, high, t.ink2, 1);
  for (const y of [low, high]) d.line(x - 3, y, x + 3, y, t.ink2, 1);
}

function drawLines(d: Drawing, data: ChartData, numbers: readonly number[], plot: Plot, t: Theme): number[] {
  const from = numbers[0] as number,
    to = numbers[numbers.length - 1] as number;
  const centres = numbers.map((v) => plot.x + 8 + ((plot.w - 16) * (v - from)) / (to - from));
  data.series.slice(0, MOST_SERIES).forEach((series, s) => {
    const paint = kernelPaint(s, t);
    const points: number[] = [];
    series.values.forEach((value, i) => {
      if (value !== null) points.push(centres[i] as number, yOf(plot, value));
    });
    d.path(points, { closed: false, stroke: paint.colour, width: 2, dash: dashOf(s) });
    series.values.forEach((value, i) => {
      if (value === null) return;
      const x = centres[i] as number,
        y = yOf(plot, value);
      whisker(d, series.ends[i] ?? null, x, plot, t);
      d.rect(x - 3.5, y - 3.5, 7, 7, { fill: paint.colour, radius: 3.5 });
      d.spot(`s${s} ${i}`, x - 7, y - 7, 14, 14, () => pointText(data, s, i));
    });
  });
  return centres;
}

function drawBars(d: Drawing, data: ChartData, plot: Plot, t: Theme): number[] {
  const shown = data.series.slice(0, MOST_SERIES),
    step = plot.w / Math.max(1, data.across.labels.length);
  const bar = Math.min(40, (step * 0.8) / Math.max(1, shown.length));
  return data.across.labels.map((_, i) => {
    const centre = plot.x + step * (i + 0.5);
    shown.forEach((series, s) => {
      const value = series.values[i] ?? null;
      if (value === null) return;
      const x = centre + bar * (s - shown.length / 2),
        h = (plot.h * value) / plot.top;
      d.rect(x, plot.y + plot.h - h, Math.max(1, bar - 1.5), h, { fill: kernelPaint(s, t) });
      whisker(d, series.ends[i] ?? null, x + bar / 2, plot, t);
      d.spot(`s${s} ${i}`, x, plot.y + plot.h - h, bar, h, () => pointText(data, s, i));
    });
    return centre;
  });
}

export class SweepChart extends Picture {
  protected readonly file = "sweep";
  protected readonly name = "The points of the sweep";
  protected readonly about = "One figure of every point of the sweep that is done, against one of its axes.";
  #data: ChartData | null = null;

  set data(data: ChartData | null) {
    this.#data = data;
    this.redraw();
  }

  protected build(width: number, t: Theme): Drawing | null {
    return this.#data ? drawSweep(this.#data, width, t) : null;
  }

  protected tabular(): Tabular | null {
    const data = this.#data;
    if (!data) return null;
    return {
      title: `${data.metric.title} by ${data.across.title}`,
      columns: [
        { key: data.across.title, title: data.across.title, unit: "" },
        ...data.series.map((s) => ({
          key: s.name || data.metric.key,
          title: s.name || data.metric.title,
          unit: data.metric.unit,
        })),
      ],
      rows: data.across.labels.map((label, i) => [
        data.across.numbers?.[i] ?? label,
        ...data.series.map((s) => s.values[i] ?? null),
      ]),
    };
  }

  protected legend(t: Theme): LegendItem[] {
    const data = this.#data;
    if (!data || data.series.length < 2) return [];
    const items: LegendItem[] = data.series
      .slice(0, MOST_SERIES)
      .map((s, i) => ({ name: s.name, paint: kernelPaint(i, t) }));
    if (data.series.length > MOST_SERIES)
      items.push({ name: `${data.series.length - MOST_SERIES} more in the table`, paint: t.line });
    return items;
  }

  protected summary(): string {
    const data = this.#data;
    const known = data?.series.flatMap((s) => s.values).filter((v) => v !== null) ?? [];
    if (!data || known.length === 0) return "No point is done yet.";
    return `${data.metric.title} of ${known.length} points, from ${figure(Math.min(...known))} to ${figure(Math.max(...known))}.`;
  }
}

customElements.define("corun-sweep-chart", SweepChart);

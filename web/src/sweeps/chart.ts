// <corun-sweep-chart>: one figure of the points of a sweep, an axis across, the other axes as series. Lines where the axis has numbers,
// else bars.
import { baseLine, line, names, rules, titles, whisker, xOf, yOf, type Plot } from "../picture/marks.ts";
import { Drawing, fitText } from "../picture/drawing.ts";
import { figure, linear, niceMax, short } from "../model/scale.ts";
import { dashOf, kernelPaint } from "../picture/theme.ts";
import type { Theme } from "../picture/theme.ts";
import { Picture } from "../picture/picture.tsx";
import type { LegendItem } from "../picture/picture.tsx";
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
  const d = new Drawing(width, HEIGHT, t.plot, t.font, t.mono),
    shown = data.series.slice(0, MOST_SERIES),
    { labels, numbers } = data.across;
  const most = Math.max(0, ...shown.flatMap((s) => s.values).filter((v) => v !== null));
  const plot: Plot = {
    x: LEFT,
    y: TOP,
    w: Math.max(10, width - LEFT - RIGHT),
    h: HEIGHT - TOP - BOTTOM,
    up: linear(0, niceMax(most)),
  };
  rules(d, plot, t);
  const step = plot.w / Math.max(1, labels.length),
    along = numbers && linear(numbers[0] as number, numbers[numbers.length - 1] as number),
    inner = { ...plot, x: plot.x + 8, w: plot.w - 16 },
    centres = labels.map((_, i) =>
      along && numbers ? xOf(inner, along, numbers[i] as number) : plot.x + step * (i + 0.5),
    ),
    bar = Math.min(40, (step * 0.8) / Math.max(1, shown.length));
  shown.forEach((series, s) => {
    const paint = kernelPaint(s, t),
      says = (i: number) => () => pointText(data, s, i);
    if (along) {
      // A point that has not run parts no line.
      const points = series.values.flatMap((value, i) =>
        value === null ? [] : { x: centres[i] as number, value, ends: series.ends[i] ?? null, says: says(i) },
      );
      line(d, plot, t, { id: `s${s}`, colour: paint.colour, dash: dashOf(s), points });
    } else
      series.values.forEach((value, i) => {
        if (value === null) return;
        const x = (centres[i] as number) + bar * (s - shown.length / 2),
          y = yOf(plot, value);
        d.rect(x, y, Math.max(1, bar - 1.5), plot.y + plot.h - y, { fill: paint });
        whisker(d, plot, x + bar / 2, series.ends[i] ?? null, t.ink2);
        d.spot(`s${s} ${i}`, x, y, bar, plot.y + plot.h - y, says(i));
      });
  });
  baseLine(d, plot, t);
  // Labels that have no room are left out: the table has them all.
  names(
    d,
    plot,
    labels.map((label, i) => ({
      x: centres[i] as number,
      text: numbers ? short(numbers[i] as number) : fitText(label, 11, step - 4),
    })),
    t,
  );
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

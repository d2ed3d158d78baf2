// <corun-curve>: one figure of a component against what is swept, measured and as theory has it.
import { below, rules, titles, yOf } from "../draw/axes.ts";
import { Drawing } from "../draw/drawing.ts";
import { figure, short } from "../draw/scale.ts";
import type { Theme } from "../draw/theme.ts";
import { Picture } from "../views/picture.ts";
import type { LegendItem } from "../views/picture.ts";
import type { Tabular } from "../views/tabular.ts";
import { curveTop, stretches, type CurveData } from "./curve-data.ts";
import type { Point } from "./types.ts";

const LEFT = 54,
  RIGHT = 14,
  TOP = 12,
  BOTTOM = 40,
  HEIGHT = 260;
function drawCurve(data: CurveData, width: number, t: Theme): Drawing {
  const d = new Drawing(width, HEIGHT, t.plot, t.font, t.mono);
  const top = curveTop(data),
    plot = { x: LEFT, y: TOP, w: Math.max(10, width - LEFT - RIGHT), h: HEIGHT - TOP - BOTTOM, top },
    from = data.from,
    to = data.to > data.from ? data.to : data.from + 1;
  const x = (v: number): number => plot.x + (plot.w * (v - from)) / (to - from);
  const y = (v: number): number => yOf(plot, v);
  rules(d, plot, t);
  const line = (of: "measured" | "theory", style: { stroke: string; width: number; dash?: number[] }): void => {
    for (const stretch of stretches(data.points, of, top))
      d.path(
        stretch.flatMap(([a, v]) => [x(a), y(v)]),
        { closed: false, ...style },
      );
  };
  line("measured", { stroke: t.accent, width: 2.5 });
  // On top, so that both are seen where they are the same.
  line("theory", { stroke: t.ink, width: 1.25, dash: [4, 4] });
  for (const [i, p] of data.points.entries()) {
    if (p.measured === null) continue;
    const cx = x(p.x),
      cy = y(Math.min(p.measured, top));
    // A point beyond the axis is an arrow at its end.
    if (p.measured > top) d.path([cx - 4, cy + 6, cx + 4, cy + 6, cx, cy], { closed: true, fill: t.accent });
    else d.rect(cx - 3, cy - 3, 6, 6, { fill: t.accent, radius: 3 });
    d.spot(`p${i}`, cx - 7, cy - 7, 14, 14, () => pointText(data, p));
  }
  below(d, plot, from, to, t);
  titles(d, plot, `${data.sweep.name} (${data.sweep.unit})`, data.figure.unit, t);
  return d;
}

const pointText = (data: CurveData, p: Point): string =>
  `${data.sweep.name} ${short(p.x)}: ${p.measured === null ? "nothing measured" : `${figure(p.measured)} ${data.figure.unit}`}${p.theory === null ? "" : `; theory ${figure(p.theory)}`}`;

export class Curve extends Picture {
  protected file = "component";
  protected name = "Curve";
  protected about = "";
  #data: CurveData | null = null;

  /** Before the element is put into the page, and for every new point. */
  set data(data: CurveData) {
    this.#data = data;
    this.file = `${data.component}-${data.figure.key.replaceAll("_", "-")}`;
    this.name = data.figure.title;
    this.about = `${data.figure.title} against ${data.sweep.name}, measured and in theory. ${data.figure.law}`;
    this.redraw();
  }

  protected build(width: number, t: Theme): Drawing | null {
    return this.#data ? drawCurve(this.#data, width, t) : null;
  }

  protected tabular(): Tabular | null {
    const data = this.#data;
    if (!data) return null;
    const { figure: f, sweep } = data;
    return {
      title: `${f.title} against ${sweep.name}`,
      columns: [
        { key: sweep.name, title: sweep.name, unit: sweep.unit },
        { key: f.key, title: "measured", unit: f.unit },
        ...(f.law ? [{ key: `theory.${f.key}`, title: "theory", unit: f.unit, doc: f.law }] : []),
      ],
      rows: data.points.map((p) => (f.law ? [p.x, p.measured, p.theory] : [p.x, p.measured])),
    };
  }

  protected legend(t: Theme): LegendItem[] {
    const law = this.#data?.figure.law;
    return [
      { name: "measured", paint: t.accent },
      ...(law ? [{ name: "theory, dashed", paint: t.ink, doc: law }] : []),
    ];
  }

  protected summary(): string {
    const data = this.#data,
      last = data?.points[data.points.length - 1];
    return data && last
      ? `${data.figure.title}: ${data.points.length} points, the last at ${pointText(data, last)}.`
      : "Nothing is measured yet.";
  }
}

customElements.define("corun-curve", Curve);

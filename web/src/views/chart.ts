// One of the charts: what its columns say of the cycles that are shown, of one run or of two. Which cycles those are, and where the cursor
// stands, is the same in all charts (charts.ts).
import { h, setText, sideMark } from "../dom.ts";
import type { Drawing } from "../draw/drawing.ts";
import { figure, niceMax, percent, whole } from "../draw/scale.ts";
import { theme, type Theme } from "../draw/theme.ts";
import type { ShownRun } from "../types.ts";
import { evaluate, means, timeTable, type ChartSpec, type SeriesSpec } from "./chart-data.ts";
import { axisTop, drawCharts, marksOf, seriesDash, seriesPaint, type ChartDrawing } from "./chart-drawing.ts";
import type { RunData, Shared } from "./chart-shared.ts";
import { chartMeanings, type Meaning } from "./meanings.ts";
import type { Turns } from "./pace.ts";
import { freshId, swatch } from "./parts.ts";
import { Picture, type LegendItem } from "./picture.ts";
import type { Tabular } from "./tabular.ts";
import { tableResolution, type TimeAxis } from "./time-axis.ts";

export interface ChartControl {
  axis: TimeAxis;
  turns: Turns;
  shared(): Shared | null;
  /** Of a plot with its axes. */
  height(): number;
  point(cycle: number | null): void;
  /** The cursor goes so many buckets on, and the chart says what is there. */
  step(buckets: number, chart: Chart): void;
  say(text: string): void;
  /** The run is to go to a cycle; null: to the cursor. */
  go(cycle: number | null): void;
}

const SHEET = 320;

export class Chart extends Picture {
  /** Its heading and kind; the series are each run's own. */
  spec!: ChartSpec;
  #specs: readonly (ChartSpec | null)[] = [];
  #runs: readonly ShownRun[] = [];
  #control!: ChartControl;
  /** Top of the vertical axis: kept from frame to frame, so that it does not jump about. */
  top = 0;
  #plot: ChartDrawing["plot"] | null = null;
  readonly #line = h("div", { class: "cv-cursor", hidden: true, "aria-hidden": "true" });
  readonly #band = h("div", { class: "cv-band", hidden: true, "aria-hidden": "true" });
  readonly #now = h("div", {
    class: "cv-now",
    hidden: true,
    "aria-hidden": "true",
    title: "The present cycle; beyond it, what has run already",
  });
  readonly #empty = h("p", { class: "cv-empty" });
  /** For each run, where the numbers of its series and their sum are written. */
  #numbers: { each: HTMLElement[]; total: HTMLElement | null }[] = [];

  /** Of each run, what it shows of it; null: nothing. */
  init(specs: readonly (ChartSpec | null)[], runs: readonly ShownRun[], control: ChartControl): this {
    this.spec = specs.find((one) => one !== null) as ChartSpec;
    this.#specs = specs;
    this.#runs = runs;
    this.#control = control;
    this.turns = control.turns;
    this.dataset["chart"] = this.spec.key;
    this.classList.add("cv-chart");
    return this;
  }

  protected get file(): string {
    return this.spec.key;
  }
  protected get name(): string {
    return this.spec.title;
  }
  protected get about(): string {
    return this.spec.doc;
  }
  protected override get caption(): string {
    return `${this.spec.title} (${this.spec.unit})`;
  }
  protected override get hint(): string {
    return `${this.spec.doc} Left and right arrow keys move the cursor and speak its values; Enter takes the run there; plus, minus and 0 zoom.`;
  }
  protected override meanings(): readonly Meaning[] {
    const run = this.#runs[this.#specs.indexOf(this.spec)] ?? (this.#runs[0] as ShownRun);
    return chartMeanings(this.spec, run.windows);
  }
  protected override say(text: string): void {
    this.#control.say(text);
  }

  protected override head(menu: HTMLElement): HTMLElement[] {
    const { title, unit, also, doc } = this.spec,
      heading = h("h3", { class: "cv-title", id: freshId("chart") }, title);
    this.setAttribute("role", "region");
    this.setAttribute("aria-labelledby", heading.id);
    this.canvas.setAttribute("aria-label", `${title}, ${unit}`);
    this.stage.classList.add("cv-plot");
    this.stage.append(this.#now, this.#line, this.#band, this.#empty);
    const units = h("span", { class: "cv-unit" }, also ? `${unit}, ${also.unit}` : unit);
    return [
      h(
        "div",
        { class: "cv-head" },
        h("div", { class: "cv-headline", title: doc }, heading, units),
        h("div", { class: "cv-actions" }, menu),
      ),
      this.keys,
    ];
  }

  // -------------------------------------------------------------- legend and numbers

  protected legend(t: Theme): LegendItem[] {
    return this.#specs
      .flatMap((spec) => spec?.series ?? [])
      .filter((s, i, all) => all.findIndex((other) => other.name === s.name) === i)
      .map((s) => ({
        name: s.name,
        paint: seriesPaint(s, t),
        ...(this.spec.kind === "lines" ? { dash: seriesDash(s) } : {}),
      }));
  }

  /** Beside each name, its number at the cursor. */
  protected override fillKeys(): void {
    this.#numbers = this.#specs.map((spec) => ({
      each: spec?.series.map(() => h("b", { class: "cv-count" }, "–")) ?? [],
      total:
        spec && ((spec.total && spec.series.length > 1) || spec.peak)
          ? h("b", { class: "cv-count cv-total" }, "–")
          : null,
    }));
    const lines = this.#specs.map((spec, r) => {
      const { each, total } = this.#numbers[r] as { each: HTMLElement[]; total: HTMLElement | null };
      const key = (doc: string, ...children: (Element | string)[]): HTMLElement =>
        h("span", { class: "cv-key", title: doc }, ...children);
      return [
        ...(spec?.series ?? []).map((one, i) =>
          key(one.doc, this.#sign(one, r), `${one.name} `, each[i] as HTMLElement),
        ),
        ...(total ? [key("", `${spec?.total || "all"} `, total)] : []),
      ];
    });
    this.keys.replaceChildren(
      ...(lines.length === 1
        ? (lines[0] ?? [])
        : lines.map((items, r) =>
            h("div", { class: "cv-legend" }, sideMark((this.#runs[r] as ShownRun).mark), ...items),
          )),
    );
    this.point(this.#control.shared());
  }

  /** A field of its colour, or a piece of the line as it is drawn. */
  #sign(series: SeriesSpec, run: number): Element {
    const paint = seriesPaint(series, theme());
    if (this.spec.kind !== "lines") return swatch(paint);
    const make = (tag: string, attributes: Record<string, string>): Element => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [k, v] of Object.entries(attributes)) made.setAttribute(k, v);
      return made;
    };
    const svg = make("svg", { width: "22", height: "10", class: "cv-sample", "aria-hidden": "true" });
    svg.append(
      make("line", {
        x2: "22",
        y1: "5",
        y2: "5",
        stroke: typeof paint === "string" ? paint : paint.colour,
        "stroke-width": run === 0 ? "3" : "1.5",
        "stroke-dasharray": seriesDash(series).join(" "),
      }),
    );
    return svg;
  }

  /** Of one run: its values in a bucket, or in the whole range. */
  #at({ runs, range, cycles }: Shared, run: number, bucket: number | null): number[] {
    const spec = this.#specs[run];
    if (!spec) return [];
    const [from, to] = bucket === null ? [range.from, range.to] : [cycles[bucket], cycles[bucket + 1]];
    return means(spec, (runs[run] as RunData).store, from as number, to as number);
  }

  #number(v: number): string {
    return this.spec.key === "stalls" ? percent(v, 100) : figure(v);
  }
  #totalText(values: number[], { also, peak }: ChartSpec): string {
    const known = values.filter((v) => Number.isFinite(v));
    if (known.length === 0) return "–";
    const sum = known.reduce((a, b) => a + b, 0);
    const more = [
      ...(also ? [`${figure(sum * also.scale)} ${also.unit}`] : []),
      ...(peak ? [`${percent(sum, peak.value)} of peak`] : []),
    ];
    return more.length > 0 ? `${figure(sum)} (${more.join(", ")})` : figure(sum);
  }

  spoken(shared: Shared, bucket: number | null): string {
    const [from, to] =
      bucket === null
        ? [shared.range.from, shared.range.to]
        : [shared.cycles[bucket] as number, shared.cycles[bucket + 1] as number];
    const runs = shared.runs.flatMap(({ run, decisions }, r) => {
      const spec = this.#specs[r];
      if (!spec) return [];
      const values = this.#at(shared, r, bucket);
      const parts = spec.series.map(
        (s, i) => `${s.name} ${Number.isFinite(values[i]) ? this.#number(values[i] as number) : "no data"}`,
      );
      const total = this.#numbers[r]?.total ? `; ${spec.total || "all"} ${this.#totalText(values, spec)}` : "";
      const decided =
        bucket === null
          ? []
          : decisions.filter(({ cycle }) => cycle >= from && cycle < to).map(({ text }) => `; decision: ${text}`);
      return [
        `${run.mark === "" ? "" : `${run.mark}, `}${parts.join(", ")}${total}${spec.key === "stalls" ? "" : ` ${spec.unit}`}${decided.join("")}`,
      ];
    });
    return `Cycles ${whole(from)} to ${whole(to)}: ${runs.join(". ")}`;
  }
  protected summary(): string {
    const shared = this.#control.shared();
    return shared ? this.spoken(shared, null) : "";
  }

  // -------------------------------------------------------------- drawing

  /** Goals are IPCs. */
  #goals({ goals }: RunData): { kernel: number; value: number }[] {
    return this.spec.key === "ipc" ? goals.flatMap((value, kernel) => (value === null ? [] : [{ kernel, value }])) : [];
  }

  protected build(width: number, t: Theme, sheet = false): Drawing | null {
    const shared = this.#control.shared();
    if (!shared) return null;
    const { from, to } = shared.range,
      height = sheet ? SHEET : this.#control.height();
    const all = shared.runs.flatMap((data, r) => {
      const spec = this.#specs[r],
        edges = shared.edges[r] as Int32Array;
      return spec ? [{ data, spec, edges, values: evaluate(spec, data.store, edges), goals: this.#goals(data) }] : [];
    });
    // One axis for all runs: it holds the highest of them.
    const wanted = Math.max(
      ...all.flatMap(({ spec, values, goals }) => [axisTop(spec, values), ...goals.map(({ value }) => niceMax(value))]),
    );
    const top = sheet || wanted > this.top || wanted < this.top * 0.45 ? wanted : this.top;
    const { drawing, plot } = drawCharts(
      all.map(({ data, spec, edges, values, goals }) => ({
        spec,
        run: data.run,
        edges: Float64Array.from(edges, (edge) => data.store.cycle(edge)),
        values,
        from,
        to,
        width,
        height,
        top,
        labels: height > 300,
        theme: t,
        goals,
        marks: marksOf(data.decisions, from, to, width),
      })),
    );
    if (sheet) return drawing;
    this.top = top;
    this.#plot = plot;
    this.#empty.hidden = all.some(({ values }) => values.some((v) => v.some((x) => Number.isFinite(x))));
    setText(
      this.#empty,
      shared.last === 0
        ? `No window is complete yet: each is ${whole(shared.window)} cycles.`
        : from >= shared.last
          ? "The run has not come this far."
          : "No data in these cycles.",
    );
    return drawing;
  }

  /** There are more windows. */
  stream(): void {
    this.drawFrame();
  }
  /** What is shown is something else. */
  afresh(): void {
    this.redraw();
  }

  protected override drawn(): void {
    const plot = this.#plot;
    if (!plot) return;
    for (const over of [this.#line, this.#band, this.#now]) {
      over.style.top = `${plot.y}px`;
      over.style.height = `${plot.h}px`;
    }
    this.point(this.#control.shared());
  }

  /** Puts the cursor and what lies ahead where they are, and writes the numbers of the cursor's bucket, or of the whole range. */
  point(shared: Shared | null): void {
    if (!shared) return;
    const { runs, range, now, cursor, bucket } = shared,
      plot = this.#plot;
    this.#line.hidden = !plot || cursor === null || cursor < range.from || cursor > range.to;
    if (plot && cursor !== null) this.#line.style.left = `${this.#control.axis.x(plot, cursor)}px`;
    this.#now.hidden = !plot || now >= range.to;
    if (plot && now < range.to) {
      this.#control.axis.cover(this.#now, plot, { from: now, to: range.to });
      this.#now.classList.toggle("cv-before", now < range.from);
    }
    this.#numbers.forEach(({ each, total }, r) => {
      const spec = this.#specs[r],
        store = runs[r]?.store;
      if (!spec || !store) return;
      const values = this.#at(shared, r, bucket);
      each.forEach((number, i) => {
        setText(number, this.#number(values[i] ?? NaN));
        const { rare, over } = spec.series[i] as SeriesSpec;
        if (rare)
          (number.parentElement as HTMLElement).hidden = over.every(
            (column) => store.sum(column, 0, Math.max(0, store.count - 1)) === 0,
          );
      });
      if (total) setText(total, this.#totalText(values, spec));
    });
  }

  // -------------------------------------------------------------- table

  /** A file has windows as fine as they are still held apart. */
  protected tabular(sheet = false): Tabular | null {
    const shared = this.#control.shared();
    if (!shared) return null;
    const { range, runs, window } = shared,
      parts = runs.flatMap(({ run, store }, r) => {
        const spec = this.#specs[r];
        return spec ? [{ spec, store, before: run.mark === "" ? "" : `${run.mark}: ` }] : [];
      });
    const data = timeTable(
      `${this.spec.title}, ${this.spec.unit}`,
      parts.map(({ store }) => store),
      range,
      sheet ? window : tableResolution(range.to - range.from, window),
      parts.flatMap(({ spec: { series, unit, also }, before }) => [
        ...series.map(({ name, doc }) => ({ key: before + name, title: before + name, unit, doc })),
        ...(also
          ? series.map(({ name, doc }) => ({
              key: `${before}${name}.${also.unit}`,
              title: `${before}${name}, ${also.unit}`,
              unit: also.unit,
              doc,
            }))
          : []),
      ]),
      (from, to) =>
        parts.flatMap(({ spec, store }) => {
          const values = means(spec, store, from, to),
            { also } = spec;
          return [...values, ...(also ? values.map((v) => v * also.scale) : [])];
        }),
    );
    // The caption says the unit once.
    return sheet ? data : { ...data, columns: data.columns.map((c, i) => (i < 2 ? c : { ...c, unit: "" })) };
  }

  // -------------------------------------------------------------- pointer and keys

  protected override listen(): void {
    const { axis, point, go, step } = this.#control;
    axis.listen(this.canvas, {
      plot: () => this.#plot,
      scrolls: true,
      point: (at) => {
        point(at && this.#plot && axis.cycle(this.#plot, at.x));
      },
      click: go,
      drag: (from, to) => {
        if (!this.#plot) return;
        this.#band.hidden = false;
        axis.cover(this.#band, this.#plot, { from: Math.min(from, to), to: Math.max(from, to) });
      },
      drop: (from, to, kept) => {
        this.#band.hidden = true;
        if (kept) axis.zoomToRange({ from: Math.min(from, to), to: Math.max(from, to) });
      },
      key: (key, shift) => {
        const steps: Record<string, number> = {
          ArrowRight: shift ? 10 : 1,
          ArrowLeft: shift ? -10 : -1,
          Home: -Infinity,
          End: Infinity,
        };
        const by = steps[key];
        if (by !== undefined) step(by, this);
        else if (key === "Escape") point(null);
        else if (key === "Enter") go(null);
        else return false;
        return true;
      },
    });
  }
}

// <corun-charts>: six charts over the same cycles, with one cursor, one zoom and the policy's decisions in all of them. Two runs that are
// compared share every axis: their lines lie over each other, their areas stand one above the other.
//
// Pointer: move for the cursor, click to go to that cycle, drag to zoom in, Ctrl+wheel to zoom, wheel sideways to move, double click for everything.
// Keys on a chart: ← → cursor (Shift: ten times), Enter to go there, Home End, + − zoom, 0 everything, Escape takes the cursor away.
import { show } from "../draw/canvas.ts";
import type { Drawing } from "../draw/drawing.ts";
import { figure, niceMax, percent, whole } from "../draw/scale.ts";
import { onRetheme, theme } from "../draw/theme.ts";
import type { Decision, ShownRun, Zoom } from "../types.ts";
import { h, setText, sideMark } from "../dom.ts";
import { axisTop, drawCharts, framed, LEFT, marksOf, seriesDash, seriesPaint } from "./chart-drawing.ts";
import type { Plot } from "./chart-drawing.ts";
import { chartSpecs, evaluate } from "./chart-data.ts";
import type { ChartSpec, SeriesSpec } from "./chart-data.ts";
import { chartMeanings } from "./meanings.ts";
import { pictureMenu } from "./menu.ts";
import { Announcer, button, fillTable, freshId, kernelNames, swatch } from "./parts.ts";
import type { Exportable } from "./parts.ts";
import { Pace, UNSEEN } from "./pace.ts";
import type { Tabular } from "./tabular.ts";
import { resolutionFor, type WindowStore } from "./window-store.ts";

/** Height of a plot with its axes, by how many charts are open: the fewer, the taller. */
const HEIGHTS = [340, 340, 260, 210];
/** Milliseconds in which a second click makes one a double click. */
const DOUBLE = 250;
/** Rows of a table on the page; an export has them all. */
const TABLE_ROWS = 100;

/** What the charts know of a run. */
interface RunData {
  run: ShownRun;
  kernels: string[];
  store: WindowStore;
  decisions: readonly Decision[];
  /** The IPC that each kernel is promised, if any. */
  goals: readonly (number | null)[];
}
/** A run in the range that is shown. */
interface Part {
  run: ShownRun;
  store: WindowStore;
  edges: Int32Array;
  cycles: Float64Array;
  decisions: readonly Decision[];
  goals: readonly (number | null)[];
}
/** What all charts show together. */
interface Shared {
  parts: Part[];
  from: number;
  to: number;
  /** At the first run's buckets; the others have the same. */
  cycles: Float64Array;
  resolution: number;
  last: number;
  window: number;
}

export class Charts extends HTMLElement {
  private runs: RunData[] = [];
  private range: Zoom | null = null;
  private open = "";
  private cursor: number | null = null;
  private now = Infinity;
  private charts: Chart[] = [];
  private readonly announcer = new Announcer();
  private readonly grid = h("div", { class: "cv-charts" });
  private readonly chips = h("div", { class: "cv-chips", role: "group", "aria-label": "Charts shown" });
  private readonly where = h("p", { class: "cv-where" });
  private readonly event = h("p", { class: "cv-event" });
  private readonly all = button(
    "All",
    { class: "cv-button", "aria-label": "Show all cycles", title: "Show all cycles (0)" },
    () => {
      this.setZoom(null);
    },
  );
  private due = false;
  private timer = 0;
  /** The timer of charts that nobody sees. */
  private late = 0;
  private readonly pace = new Pace(50);
  private made = false;
  private cleanups: (() => void)[] = [];
  private views: IntersectionObserver | null = null;

  connectedCallback(): void {
    if (!this.made) {
      this.made = true;
      this.classList.add("cv-timeline");
      const zoomIn = button("+", { class: "cv-button", "aria-label": "Zoom in", title: "Zoom in (+)" }, () => {
        this.zoomBy(0.5);
      });
      const zoomOut = button("−", { class: "cv-button", "aria-label": "Zoom out", title: "Zoom out (−)" }, () => {
        this.zoomBy(2);
      });
      this.append(
        h(
          "div",
          { class: "cv-head" },
          this.chips,
          h("div", { class: "cv-actions", role: "group", "aria-label": "Zoom" }, zoomOut, zoomIn, this.all),
        ),
        h("div", { class: "cv-status" }, this.where, this.event),
        this.grid,
        this.announcer.element,
      );
    }
    const sizes = new ResizeObserver(() => {
      this.redraw();
    });
    sizes.observe(this.grid);
    // Charts far from the screen are painted seldom; at once when they come near, or when the page is printed.
    const views = new IntersectionObserver(
      (entries) => {
        for (const e of entries) {
          const c = this.charts.find((x) => x.element === e.target);
          if (c) c.seen = e.isIntersecting;
        }
        this.redraw();
      },
      { rootMargin: "300px" },
    );
    this.views = views;
    for (const c of this.charts) views.observe(c.element);
    const printing = (): void => {
      this.redraw();
      this.draw(true);
    };
    addEventListener("beforeprint", printing);
    this.cleanups = [
      () => {
        removeEventListener("beforeprint", printing);
      },
      () => {
        sizes.disconnect();
      },
      () => {
        views.disconnect();
        this.views = null;
      },
      onRetheme(() => {
        for (const c of this.charts) c.retheme();
        this.redraw();
      }),
    ];
    this.redraw();
  }

  disconnectedCallback(): void {
    for (const done of this.cleanups) done();
    this.cleanups = [];
    clearTimeout(this.timer);
    clearTimeout(this.late);
    this.timer = this.late = 0;
  }

  // -------------------------------------------------------------- what comes in

  /** `stores`: what is known of each over time. */
  setRuns(runs: readonly ShownRun[], stores: readonly WindowStore[]): void {
    this.runs = runs.map((run, i) => ({
      run,
      kernels: kernelNames(run.layout.kernels),
      store: stores[i] as WindowStore,
      decisions: [],
      goals: [],
    }));
    this.cursor = null;
    const specs = this.runs.map(({ run, kernels }) => chartSpecs(run.windows, kernels));
    // A chart that one run has, the other has too, unless it has no kernel.
    const keys = [...new Set(specs.flat().map((spec) => spec.key))];
    this.charts = keys.map(
      (key) =>
        new Chart(
          specs.map((own) => own.find((spec) => spec.key === key) ?? null),
          runs,
          this.control,
        ),
    );
    this.views?.disconnect();
    this.grid.replaceChildren(...this.charts.map((c) => c.element));
    for (const c of this.charts) this.views?.observe(c.element);
    this.showPanels();
    this.redraw();
  }

  /** The stores have more windows; `restarted`: they have begun anew. */
  refresh(restarted: boolean): void {
    if (!restarted) {
      this.drawLater();
      return;
    }
    for (const data of this.runs) data.decisions = [];
    this.cursor = null;
    for (const c of this.charts) c.top = 0;
    this.redraw();
  }

  setDecisions(run: number, decisions: readonly Decision[]): void {
    const data = this.runs[run];
    if (
      !data ||
      (decisions.length === data.decisions.length && decisions.at(-1)?.cycle === data.decisions.at(-1)?.cycle)
    )
      return;
    data.decisions = [...decisions];
    this.drawLater();
  }

  /** The IPC that each kernel of a run is promised; null where it has no goal, or the goal is not known yet. */
  setGoals(run: number, goals: readonly (number | null)[]): void {
    const data = this.runs[run];
    if (!data || goals.every((goal, k) => goal === (data.goals[k] ?? null))) return;
    data.goals = goals;
    this.redraw();
  }

  get zoom(): Zoom | null {
    return this.range ? { ...this.range } : null;
  }
  set zoom(zoom: Zoom | null) {
    this.range =
      zoom && Number.isFinite(zoom.from) && Number.isFinite(zoom.to) && zoom.to > zoom.from
        ? { from: Math.max(0, zoom.from), to: zoom.to }
        : null;
    for (const c of this.charts) c.top = 0;
    this.redraw();
  }

  get panel(): string {
    return this.open;
  }
  set panel(panel: string) {
    this.open = panel;
    this.showPanels();
    this.redraw();
  }

  // -------------------------------------------------------------- what the user changes

  private readonly control: ChartControl = {
    point: (cycle) => {
      this.setCursor(cycle);
    },
    zoom: (zoom) => {
      this.setZoom(zoom);
    },
    zoomBy: (factor, around) => {
      this.zoomBy(factor, around);
    },
    move: (share) => {
      this.move(share);
    },
    step: (buckets, chart) => {
      this.step(buckets, chart);
    },
    say: (text) => {
      this.announcer.say(text);
    },
    go: (cycle) => {
      const to = cycle ?? this.cursor;
      if (to !== null) this.dispatchEvent(new CustomEvent<number>("go", { bubbles: true, detail: Math.round(to) }));
    },
  };

  private setZoom(zoom: Zoom | null): void {
    this.zoom = zoom;
    this.dispatchEvent(new CustomEvent<Zoom | null>("zoom", { bubbles: true, detail: this.zoom }));
    const { from, to } = this.shown();
    this.announcer.say(zoom ? `Cycles ${whole(from)} to ${whole(to)}` : "All cycles");
  }

  private zoomBy(factor: number, around: number | null = null): void {
    const { from, to } = this.shown();
    const middle = around ?? this.cursor ?? (from + to) / 2;
    const least = this.window * 4;
    const span = Math.max(least, (to - from) * factor);
    const all = this.everything();
    if (span >= all.to - all.from) {
      this.setZoom(null);
      return;
    }
    let start = middle - ((middle - from) / (to - from || 1)) * span;
    start = Math.max(all.from, Math.min(start, all.to - span));
    this.setZoom({ from: Math.round(start), to: Math.round(start + span) });
  }

  /** Moves the range by a share of its length. */
  private move(share: number): void {
    if (!this.range) return;
    const all = this.everything(),
      span = this.range.to - this.range.from;
    const from = Math.max(all.from, Math.min(this.range.from + share * span, Math.max(all.from, all.to - span)));
    if (Math.round(from) !== this.range.from) this.setZoom({ from: Math.round(from), to: Math.round(from + span) });
  }

  /** The present cycle. Where a run has gone back, what the charts know of later cycles lies ahead of it. */
  set cycle(cycle: number) {
    const last = Math.max(0, ...this.runs.map(({ store }) => store.lastCycle));
    const now = cycle > last - this.window ? Infinity : cycle;
    if (now === this.now) return;
    this.now = now;
    this.represent();
  }
  private represent(): void {
    const { from, to } = this.shown();
    for (const c of this.charts) c.present(this.now, from, to);
  }

  private setCursor(cycle: number | null): void {
    this.cursor = cycle;
    this.recursor();
  }

  /** Cursor by buckets; walking off the edge takes the range along. */
  private step(buckets: number, chart: Chart | null): void {
    const shared = this.shared();
    if (!shared || shared.cycles.length < 2) {
      this.announcer.say("No window is complete yet");
      return;
    }
    const last = shared.cycles.length - 2;
    const at = this.cursor === null ? (buckets < 0 ? last + 1 : -1) : bucketAt(shared.cycles, this.cursor);
    let to = at + buckets;
    if (Math.abs(buckets) < 1e9 && this.range && (to < 0 || to > last)) {
      this.move((buckets < 0 ? -1 : 1) * 0.5);
      const moved = this.shared();
      if (moved && moved.cycles.length >= 2)
        to = Math.max(
          0,
          Math.min(moved.cycles.length - 2, bucketAt(moved.cycles, this.cursor ?? moved.from) + Math.sign(buckets)),
        );
    }
    const now = this.shared();
    if (!now || now.cycles.length < 2) return;
    const bucket = Math.max(0, Math.min(now.cycles.length - 2, to));
    this.setCursor(((now.cycles[bucket] as number) + (now.cycles[bucket + 1] as number)) / 2);
    if (chart) this.announcer.say(chart.spoken(now, bucket));
  }

  // -------------------------------------------------------------- which cycles

  private get window(): number {
    return this.runs[0]?.run.windows.window ?? 400;
  }

  private everything(): Zoom {
    const filled = this.runs.filter(({ store }) => !store.empty);
    const last = Math.max(0, ...filled.map(({ store }) => store.lastCycle));
    const first = filled.length > 0 ? Math.min(...filled.map(({ store }) => store.firstCycle)) : 0;
    return { from: first, to: Math.max(last, first + this.window * 5) };
  }

  private shown(): Zoom {
    return this.range ?? this.everything();
  }

  private shared(): Shared | null {
    if (this.runs.length === 0) return null;
    const { from, to } = this.shown();
    const width = Math.max(100, (this.charts.find((c) => !c.element.hidden)?.width() ?? 400) - LEFT);
    const resolution = resolutionFor(to - from, width, this.window);
    const parts = this.runs.map(({ run, store, decisions, goals }): Part => {
      const edges = store.buckets(from, to, resolution);
      return { run, store, decisions, goals, edges, cycles: Float64Array.from(edges, (e) => store.cycle(e)) };
    });
    const last = Math.max(...this.runs.map(({ store }) => store.lastCycle));
    return {
      parts,
      from,
      to,
      cycles: (parts.find((part) => part.edges.length > 1) ?? (parts[0] as Part)).cycles,
      resolution,
      last,
      window: this.window,
    };
  }

  // -------------------------------------------------------------- panels

  private openKeys(): Set<string> {
    const known = this.charts.map((c) => c.spec.key);
    const wanted = this.open.split(",").filter((k) => known.includes(k));
    return new Set(wanted.length > 0 ? wanted : this.standard());
  }
  private standard(): string[] {
    return this.charts.filter((c) => !c.spec.extra).map((c) => c.spec.key);
  }

  private showPanels(): void {
    const open = this.openKeys();
    this.chips.replaceChildren(
      ...this.charts.map((c) =>
        button(c.spec.title, { class: "cv-chip", "aria-pressed": String(open.has(c.spec.key)) }, () => {
          this.togglePanel(c.spec.key);
        }),
      ),
    );
    for (const c of this.charts) c.element.hidden = !open.has(c.spec.key);
    this.grid.dataset["count"] = String(open.size);
  }

  private togglePanel(key: string): void {
    const open = this.openKeys();
    const at = this.charts.findIndex((c) => c.spec.key === key);
    const standard = this.standard().join(",");
    // From the standard ones, the first click shows that one alone; the last one open cannot be closed but brings them back.
    if ([...open].join(",") === standard) {
      open.clear();
      open.add(key);
    } else if (open.has(key)) open.delete(key);
    else open.add(key);
    const keys = this.charts.map((c) => c.spec.key).filter((k) => open.has(k));
    this.open = keys.join(",") === standard ? "" : keys.join(",");
    this.showPanels();
    (this.chips.children[at] as HTMLElement | undefined)?.focus();
    this.dispatchEvent(new CustomEvent<string>("panel", { bubbles: true, detail: this.open }));
    this.redraw();
  }

  // -------------------------------------------------------------- drawing

  /** New data: drawn when it is time. What the user does is drawn at once. */
  private drawLater(): void {
    if (this.due || this.timer !== 0) return;
    const go = (): void => {
      this.timer = 0;
      // A pending full drawing stays one.
      if (!this.due) this.pending = this.charts.filter((c) => !c.element.hidden && c.seen);
      this.schedule();
      this.drawUnseen();
    };
    const wait = this.pace.wait(performance.now());
    if (wait === 0) go();
    else this.timer = setTimeout(go, wait) as unknown as number;
  }

  private redraw(): void {
    this.pending = null;
    this.schedule();
    this.drawUnseen();
  }

  private drawUnseen(): void {
    if (this.late !== 0) return;
    this.late = setTimeout(() => {
      this.late = 0;
      // A full drawing that is due comes first.
      if (this.due && this.pending === null) {
        this.drawUnseen();
        return;
      }
      this.pending ??= [];
      this.pending.push(...this.charts.filter((c) => !c.element.hidden && !c.seen && !this.pending?.includes(c)));
      this.schedule();
    }, UNSEEN) as unknown as number;
  }

  private schedule(): void {
    if (this.due || !this.isConnected) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      if (this.isConnected) this.draw();
    });
  }

  /** Charts that still have to take up the newest data; null: all of them, now. */
  private pending: Chart[] | null = null;
  /** Milliseconds of drawing since all charts were last up to date. */
  private spent = 0;

  private draw(printing = false): void {
    const begin = performance.now();
    const shared = this.shared();
    if (!shared) return;
    const open = this.charts.filter((c) => !c.element.hidden);
    const height = HEIGHTS[Math.min(open.length, HEIGHTS.length - 1)] as number;
    // Streaming data goes into two charts a frame, so that no frame is long; what the user did, into all of them that are seen.
    const now = this.pending === null ? open.filter((c) => c.seen || printing) : this.pending.splice(0, 2);
    for (const c of now) c.draw(shared, height);
    this.represent();
    this.recursor(shared);
    const end = performance.now();
    this.spent += end - begin;
    if (this.pending !== null && this.pending.length > 0) {
      this.schedule();
      return;
    }
    this.pending = null;
    this.pace.took(end - this.spent, end);
    this.spent = 0;
  }

  private recursor(known: Shared | null = null): void {
    const shared = known ?? this.shared();
    if (!shared) return;
    const has = shared.cycles.length >= 2;
    const bucket = this.cursor !== null && has ? bucketAt(shared.cycles, this.cursor) : null;
    for (const c of this.charts) if (!c.element.hidden) c.point(shared, bucket, this.cursor);
    const grain = shared.resolution > shared.window ? `, drawn in steps of ${whole(shared.resolution)}` : "";
    setText(
      this.where,
      !has
        ? `Cycles ${whole(shared.from)} to ${whole(shared.to)}`
        : bucket === null
          ? `Cycles ${whole(shared.from)} to ${whole(shared.to)}${grain}; numbers are of all these cycles`
          : `At cycles ${whole(shared.cycles[bucket] as number)} to ${whole(shared.cycles[bucket + 1] as number)}`,
    );
    setText(this.event, this.decisionText(shared));
    this.all.disabled = this.range === null;
  }

  /** The decision nearest to the cursor, or the latest one in the range. */
  private decisionText(shared: Shared): string {
    const all = this.runs.flatMap(({ run, kernels, decisions }) =>
      decisions.map((d) => ({
        ...d,
        who: `${run.mark === "" ? "" : `${run.mark}, `}${d.kernel !== null && kernels[d.kernel] ? `${kernels[d.kernel]}: ` : ""}`,
      })),
    );
    const inside = all.filter((d) => d.cycle >= shared.from && d.cycle <= shared.to);
    if (inside.length === 0) return all.length > 0 ? "No decision of the policy in these cycles" : "";
    const cursor = this.cursor;
    const reach = (shared.to - shared.from) / 60;
    let best = inside[inside.length - 1] as (typeof inside)[number];
    if (cursor !== null) {
      for (const d of inside) if (Math.abs(d.cycle - cursor) < Math.abs(best.cycle - cursor)) best = d;
      if (Math.abs(best.cycle - cursor) > reach)
        return `${inside.length} decision${inside.length === 1 ? "" : "s"} of the policy in these cycles (▼)`;
    }
    return `▼ cycle ${whole(best.cycle)}: ${best.who}${best.text}`;
  }
}

/** The bucket that holds a cycle, or the nearest one. */
function bucketAt(cycles: Float64Array, cycle: number): number {
  let low = 0,
    high = cycles.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((cycles[middle] as number) <= cycle) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

interface ChartControl {
  point(cycle: number | null): void;
  zoom(zoom: Zoom | null): void;
  zoomBy(factor: number, around: number | null): void;
  move(share: number): void;
  step(buckets: number, chart: Chart): void;
  say(text: string): void;
  /** The run is to go to a cycle; null: to the cursor. */
  go(cycle: number | null): void;
}

/** One chart of the set. */
class Chart {
  /** Its heading and kind; the series are each run's own. */
  readonly spec: ChartSpec;
  private readonly specs: readonly (ChartSpec | null)[];
  private readonly runs: readonly ShownRun[];
  readonly element: HTMLElement;
  /** Top of the vertical axis: kept from frame to frame, so that it does not jump about. */
  top = 0;
  seen = true;
  private readonly control: ChartControl;
  private readonly canvas: HTMLCanvasElement;
  private readonly stage = h("div", { class: "cv-stage cv-plot" });
  private readonly line = h("div", { class: "cv-cursor", hidden: true, "aria-hidden": "true" });
  private readonly band = h("div", { class: "cv-band", hidden: true, "aria-hidden": "true" });
  private readonly now = h("div", {
    class: "cv-now",
    hidden: true,
    "aria-hidden": "true",
    title: "The present cycle; beyond it, what has run already",
  });
  private readonly empty: HTMLElement;
  private readonly table = h("table", { class: "cv-data" });
  private readonly tableBox: HTMLElement;
  private readonly legend = h("div", { class: "cv-legend" });
  private readonly words = h("p");
  /** For each run, where the numbers of its series and their sum are written. */
  private numbers: { each: HTMLElement[]; total: HTMLElement | null }[] = [];
  private plot: Plot | null = null;
  private shared: Shared | null = null;
  private anchor: number | null = null;
  private tableDue = 0;
  private clicked = 0;
  private height = 210;

  constructor(specs: readonly (ChartSpec | null)[], runs: readonly ShownRun[], control: ChartControl) {
    const spec = specs.find((one) => one !== null) as ChartSpec;
    this.spec = spec;
    this.specs = specs;
    this.runs = runs;
    this.control = control;
    const title = h("h3", { class: "cv-title", id: freshId("chart") }, spec.title);
    const hint = h(
      "p",
      { class: "cv-spoken", id: freshId("hint") },
      `${spec.doc} Left and right arrow keys move the cursor and speak its values; Enter takes the run there; plus, minus and 0 zoom.`,
    );
    this.canvas = h("canvas", {
      role: "img",
      tabindex: "0",
      class: "cv-canvas",
      "aria-label": `${spec.title}, ${spec.unit}`,
      "aria-describedby": hint.id,
    });
    this.canvas.append(this.words);
    this.empty = h("p", { class: "cv-empty" });
    this.tableBox = h(
      "div",
      { class: "cv-tablebox", tabindex: "0", role: "region", "aria-label": `${spec.title}, as a table`, hidden: true },
      this.table,
    );
    const meanings = chartMeanings(spec, (runs[specs.indexOf(spec)] ?? (runs[0] as ShownRun)).windows);
    const menu = pictureMenu({
      name: spec.title,
      exported: () => this.exportable(),
      table: (shown) => {
        this.showTable(shown);
      },
      meanings: () => meanings,
      announce: (text) => {
        control.say(text);
      },
    });
    this.stage.append(this.canvas, this.now, this.line, this.band, this.empty);
    this.element = h(
      "section",
      { class: "cv-chart", "aria-labelledby": title.id, "data-chart": spec.key },
      h(
        "div",
        { class: "cv-head" },
        h(
          "div",
          { class: "cv-headline", title: spec.doc },
          title,
          h("span", { class: "cv-unit" }, spec.also ? `${spec.unit}, ${spec.also.unit}` : spec.unit),
        ),
        h("div", { class: "cv-actions" }, menu),
      ),
      this.legend,
      this.stage,
      this.tableBox,
      hint,
    );
    this.retheme();
    this.listen();
  }

  width(): number {
    return this.stage.clientWidth || this.element.clientWidth;
  }

  retheme(): void {
    this.numbers = this.specs.map((spec) => ({
      each: spec?.series.map(() => h("b", { class: "cv-count" }, "–")) ?? [],
      total:
        spec && ((spec.total && spec.series.length > 1) || spec.peak)
          ? h("b", { class: "cv-count cv-total" }, "–")
          : null,
    }));
    const lines = this.specs.map((spec, r) => {
      const { each, total } = this.numbers[r] as { each: HTMLElement[]; total: HTMLElement | null };
      const items =
        spec?.series.map((series, i) =>
          h(
            "span",
            { class: "cv-key", title: series.doc },
            this.sign(series, r),
            `${series.name} `,
            each[i] as HTMLElement,
          ),
        ) ?? [];
      if (total) items.push(h("span", { class: "cv-key" }, `${spec?.total || "all"} `, total));
      return items;
    });
    if (this.runs.length === 1) this.legend.replaceChildren(...(lines[0] ?? []));
    else
      this.legend.replaceChildren(
        ...lines.map((items, r) =>
          h("div", { class: "cv-legend" }, sideMark((this.runs[r] as ShownRun).mark), ...items),
        ),
      );
  }

  /** A field of its colour, or a piece of the line as it is drawn. */
  private sign(series: SeriesSpec, run: number): Element {
    const paint = seriesPaint(series, theme());
    if (this.spec.kind !== "lines") return swatch(paint);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [k, v] of [
      ["width", "22"],
      ["height", "10"],
      ["class", "cv-sample"],
      ["aria-hidden", "true"],
    ] as const)
      svg.setAttribute(k, v);
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    for (const [k, v] of [
      ["x1", "0"],
      ["x2", "22"],
      ["y1", "5"],
      ["y2", "5"],
      ["stroke-width", run === 0 ? "3" : "1.5"],
      ["stroke", typeof paint === "string" ? paint : paint.colour],
      ["stroke-dasharray", seriesDash(series).join(" ")],
    ] as const)
      line.setAttribute(k, v);
    svg.append(line);
    return svg;
  }

  // -------------------------------------------------------------- drawing

  /** A value for each series and bucket of each run. */
  private values(shared: Shared): Float64Array[][] {
    return shared.parts.map((part, r) => {
      const spec = this.specs[r];
      return spec ? evaluate(spec, part.store, part.edges) : [];
    });
  }

  draw(shared: Shared, height: number): void {
    this.shared = shared;
    this.height = height;
    if (!this.tableBox.hidden) {
      this.refreshTable();
      return;
    }
    const width = Math.floor(this.stage.clientWidth);
    if (width < 60) return;
    const values = this.values(shared);
    const wanted = this.axisTop(values, shared);
    if (wanted > this.top || wanted < this.top * 0.45) this.top = wanted;
    const { drawing, plot } = this.picture(shared, values, width, height, this.top, height > 300);
    this.stage.style.minHeight = `${drawing.height}px`;
    this.plot = plot;
    show(this.canvas, drawing);
    const has = values.some((run) => run.some((v) => v.some((x) => Number.isFinite(x))));
    this.empty.hidden = has;
    if (!has) {
      setText(
        this.empty,
        shared.last === 0
          ? `No window is complete yet: each is ${whole(shared.window)} cycles.`
          : shared.from >= shared.last
            ? "The run has not come this far."
            : "No data in these cycles.",
      );
    }
  }

  /** One axis for all runs: it holds the highest of them. */
  private axisTop(values: Float64Array[][], shared: Shared): number {
    const goals = shared.parts.flatMap((part) => this.goals(part).map(({ value }) => niceMax(value)));
    return Math.max(
      ...goals,
      ...values.map((run, r) => {
        const spec = this.specs[r];
        return spec ? axisTop(spec, run) : 0;
      }),
    );
  }

  /** Goals are IPCs. */
  private goals({ goals }: Part): { kernel: number; value: number }[] {
    return this.spec.key === "ipc" ? goals.flatMap((value, kernel) => (value === null ? [] : [{ kernel, value }])) : [];
  }

  private picture(
    shared: Shared,
    values: Float64Array[][],
    width: number,
    height: number,
    top: number,
    labels: boolean,
  ): { drawing: Drawing; plot: Plot } {
    const { from, to } = shared,
      t = theme();
    return drawCharts(
      shared.parts.flatMap((part, r) => {
        const spec = this.specs[r];
        return spec
          ? [
              {
                spec,
                run: part.run,
                edges: part.cycles,
                values: values[r] ?? [],
                from,
                to,
                width,
                height,
                top,
                labels,
                theme: t,
                goals: this.goals(part),
                marks: marksOf(part.decisions, from, to, width),
              },
            ]
          : [];
      }),
    );
  }

  /** Moves the cursor and writes the numbers of its bucket, or of the whole range. */
  point(shared: Shared, bucket: number | null, cycle: number | null): void {
    this.shared = shared;
    const plot = this.plot;
    const inside = cycle !== null && cycle >= shared.from && cycle <= shared.to;
    this.line.hidden = !inside || !plot;
    if (inside && plot) {
      this.line.style.left = `${plot.x + (plot.w * (cycle - shared.from)) / (shared.to - shared.from || 1)}px`;
      this.line.style.top = `${plot.y}px`;
      this.line.style.height = `${plot.h}px`;
    }
    this.numbers.forEach(({ each, total }, r) => {
      const values = this.at(shared, r, bucket);
      values.forEach((v, i) => {
        const e = each[i],
          series = this.specs[r]?.series[i],
          store = shared.parts[r]?.store;
        if (!e) return;
        setText(e, this.number(v));
        if (series?.rare && store)
          (e.parentElement as HTMLElement).hidden = series.over.every(
            (column) => store.sum(column, 0, Math.max(0, store.count - 1)) === 0,
          );
      });
      if (total) setText(total, this.totalText(values, this.specs[r] ?? this.spec));
    });
  }

  /** Of one run: its values in a bucket, or in the whole range. */
  private at(shared: Shared, run: number, bucket: number | null): number[] {
    const spec = this.specs[run],
      part = shared.parts[run];
    if (!spec || !part) return [];
    const { edges } = part,
      n = edges.length;
    if (n < 2 || (bucket !== null && bucket + 1 >= n)) return spec.series.map(() => NaN);
    const pair =
      bucket === null
        ? Int32Array.of(edges[0] as number, edges[n - 1] as number)
        : Int32Array.of(edges[bucket] as number, edges[bucket + 1] as number);
    return evaluate(spec, part.store, pair).map((v) => v[0] as number);
  }

  private number(v: number): string {
    return this.spec.key === "stalls" ? percent(v, 100) : figure(v);
  }

  private totalText(values: number[], spec: ChartSpec): string {
    const known = values.filter((v) => Number.isFinite(v));
    if (known.length === 0) return "–";
    const sum = known.reduce((a, b) => a + b, 0);
    const more = [this.secondly(sum), spec.peak ? `${percent(sum, spec.peak.value)} of peak` : ""].filter(
      (part) => part !== "",
    );
    return more.length > 0 ? `${figure(sum)} (${more.join(", ")})` : figure(sum);
  }

  /** The value in the second unit, if the chart has one. */
  private secondly(v: number): string {
    return this.spec.also ? `${figure(v * this.spec.also.scale)} ${this.spec.also.unit}` : "";
  }

  spoken(shared: Shared, bucket: number): string {
    const from = shared.cycles[bucket] as number,
      to = shared.cycles[bucket + 1] as number;
    const runs = shared.parts.flatMap((part, r) => {
      const spec = this.specs[r];
      if (!spec) return [];
      const values = this.at(shared, r, bucket);
      const parts = spec.series.map(
        (s, i) => `${s.name} ${Number.isFinite(values[i]) ? this.number(values[i] as number) : "no data"}`,
      );
      const total = this.numbers[r]?.total ? `; ${spec.total || "all"} ${this.totalText(values, spec)}` : "";
      const decided = part.decisions
        .filter((d) => d.cycle >= from && d.cycle < to)
        .map((d) => `; decision: ${d.text}`)
        .join("");
      return [
        `${part.run.mark === "" ? "" : `${part.run.mark}, `}${parts.join(", ")}${total}${spec.key === "stalls" ? "" : ` ${spec.unit}`}${decided}`,
      ];
    });
    return `Cycles ${whole(from)} to ${whole(to)}: ${runs.join(". ")}`;
  }

  // -------------------------------------------------------------- table and exports

  private showTable(shown: boolean): void {
    this.tableBox.hidden = !shown;
    this.stage.hidden = shown;
    this.tableDue = 0;
    if (this.shared) this.draw(this.shared, this.height);
  }

  private refreshTable(): void {
    const now = performance.now();
    if (!this.shared || now < this.tableDue) return;
    this.tableDue = now + 500;
    let resolution = this.shared.resolution;
    while ((this.shared.to - this.shared.from) / resolution > TABLE_ROWS) resolution *= 2;
    // The caption says the unit once.
    const data = this.tabular(this.shared, resolution);
    fillTable(this.table, { ...data, columns: data.columns.map((c, i) => (i < 2 ? c : { ...c, unit: "" })) });
  }

  private tabular(shared: Shared, resolution: number): Tabular {
    const also = this.spec.also,
      number = (v: number | undefined): number | null => (v !== undefined && Number.isFinite(v) ? v : null);
    const runs = shared.parts.flatMap((part, r) => {
      const spec = this.specs[r];
      if (!spec) return [];
      const edges = part.store.buckets(shared.from, shared.to, resolution),
        before = part.run.mark === "" ? "" : `${part.run.mark}: `;
      return [{ spec, edges, store: part.store, before, values: evaluate(spec, part.store, edges) }];
    });
    // All runs have the same windows: the one that has come farthest gives the rows.
    const rows = runs.reduce((most, one) => (one.edges.length > most.edges.length ? one : most));
    return {
      title: `${this.spec.title}, ${this.spec.unit}`,
      columns: [
        { key: "start", title: "From", unit: "cycle" },
        { key: "end", title: "To", unit: "cycle" },
        ...runs.flatMap(({ spec, before }) => [
          ...spec.series.map((s) => ({
            key: `${before}${s.name}`,
            title: `${before}${s.name}`,
            unit: spec.unit,
            doc: s.doc,
          })),
          ...(also
            ? spec.series.map((s) => ({
                key: `${before}${s.name}.${also.unit}`,
                title: `${before}${s.name}, ${also.unit}`,
                unit: also.unit,
                doc: s.doc,
              }))
            : []),
        ]),
      ],
      rows: Array.from({ length: Math.max(0, rows.edges.length - 1) }, (_, i) => [
        rows.store.cycle(rows.edges[i] as number),
        rows.store.cycle(rows.edges[i + 1] as number),
        ...runs.flatMap(({ values, spec }) => [
          ...values.map((v) => number(v[i])),
          ...(spec.also ? values.map((v) => number((v[i] ?? NaN) * (spec.also?.scale ?? 1))) : []),
        ]),
      ]),
    };
  }

  private exportable(): Exportable {
    const shared = this.shared;
    if (!shared) throw new Error("there is nothing to show yet");
    return {
      name: this.spec.key,
      title: this.spec.title,
      description: this.spec.doc,
      // As fine as the windows that are still held apart.
      table: () => this.tabular(shared, shared.window),
      picture: (stamp) => {
        const t = theme(),
          width = 900;
        const values = this.values(shared);
        const { drawing } = this.picture(shared, values, width, 320, this.axisTop(values, shared), true);
        const series = this.specs
          .flatMap((spec) => spec?.series ?? [])
          .filter((s, i, all) => all.findIndex((other) => other.name === s.name) === i);
        const legend = series.map((s) => ({
          name: s.name,
          paint: seriesPaint(s, t),
          ...(this.spec.kind === "lines" ? { dash: seriesDash(s) } : {}),
        }));
        return framed(drawing, { title: `${this.spec.title} (${this.spec.unit})`, legend, stamp }, t);
      },
    };
  }

  // -------------------------------------------------------------- pointer and keys

  private cycleAt(x: number): number | null {
    const { plot, shared } = this;
    if (!plot || !shared) return null;
    const share = Math.min(1, Math.max(0, (x - plot.x) / plot.w));
    return shared.from + share * (shared.to - shared.from);
  }

  private listen(): void {
    const c = this.canvas;
    c.addEventListener("pointermove", (e) => {
      const at = this.cycleAt(e.offsetX);
      this.control.point(at);
      if (this.anchor !== null && at !== null) this.showBand(this.anchor, at);
    });
    c.addEventListener("pointerleave", () => {
      if (this.anchor === null) this.control.point(null);
    });
    c.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      this.anchor = this.cycleAt(e.offsetX);
      c.setPointerCapture(e.pointerId);
    });
    const end = (e: PointerEvent, apply: boolean): void => {
      const from = this.anchor,
        to = this.cycleAt(e.offsetX),
        plot = this.plot,
        shared = this.shared;
      this.anchor = null;
      this.band.hidden = true;
      if (!apply || from === null || to === null || !plot || !shared) return;
      // A click is not a selection: the run goes there, unless a second one follows, which shows everything.
      if ((Math.abs(to - from) / (shared.to - shared.from || 1)) * plot.w < 6) {
        clearTimeout(this.clicked);
        this.clicked = window.setTimeout(() => {
          this.control.go(to);
        }, DOUBLE);
        return;
      }
      const least = shared.window * 2;
      const a = Math.min(from, to),
        b = Math.max(from, to);
      const middle = (a + b) / 2,
        half = Math.max(b - a, least) / 2;
      this.control.zoom({ from: Math.round(Math.max(0, middle - half)), to: Math.round(middle + half) });
    };
    c.addEventListener("pointerup", (e) => {
      end(e, true);
    });
    c.addEventListener("pointercancel", (e) => {
      end(e, false);
    });
    c.addEventListener("dblclick", () => {
      clearTimeout(this.clicked);
      this.control.zoom(null);
    });
    c.addEventListener(
      "wheel",
      (e) => {
        if (e.ctrlKey || e.metaKey) {
          e.preventDefault();
          this.control.zoomBy(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) / 120), this.cycleAt(e.offsetX));
        } else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
          e.preventDefault();
          this.control.move(e.deltaX / (this.plot?.w ?? 500));
        }
      },
      { passive: false },
    );
    c.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      switch (e.key) {
        case "ArrowRight":
          this.control.step(e.shiftKey ? 10 : 1, this);
          break;
        case "ArrowLeft":
          this.control.step(e.shiftKey ? -10 : -1, this);
          break;
        case "Home":
          this.control.step(-1e9, this);
          break;
        case "End":
          this.control.step(1e9, this);
          break;
        case "+":
        case "=":
          this.control.zoomBy(0.5, null);
          break;
        case "-":
        case "_":
          this.control.zoomBy(2, null);
          break;
        case "0":
          this.control.zoom(null);
          break;
        case "Escape":
          this.control.point(null);
          break;
        case "Enter":
          this.control.go(null);
          break;
        default:
          return;
      }
      e.preventDefault();
      e.stopPropagation();
    });
  }

  /** From the present cycle on, what is drawn lies ahead; Infinity: nothing does. */
  present(cycle: number, from: number, to: number): void {
    const { plot } = this;
    this.now.hidden = !plot || cycle >= to;
    if (!plot || cycle >= to) return;
    const x = Math.max(plot.x, plot.x + (plot.w * (cycle - from)) / (to - from || 1));
    this.now.style.left = `${x}px`;
    this.now.style.width = `${plot.x + plot.w - x}px`;
    this.now.style.top = `${plot.y}px`;
    this.now.style.height = `${plot.h}px`;
    this.now.classList.toggle("cv-before", cycle < from);
  }

  private showBand(a: number, b: number): void {
    const { plot, shared } = this;
    if (!plot || !shared) return;
    const x = (cycle: number): number => plot.x + (plot.w * (cycle - shared.from)) / (shared.to - shared.from || 1);
    this.band.hidden = false;
    this.band.style.left = `${Math.min(x(a), x(b))}px`;
    this.band.style.width = `${Math.abs(x(b) - x(a))}px`;
    this.band.style.top = `${plot.y}px`;
    this.band.style.height = `${plot.h}px`;
  }
}

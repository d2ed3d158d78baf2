// <corun-charts>: charts over the same cycles, with one cursor, one zoom and the policy's decisions in all of them. Two runs that are compared
// share every axis: their lines lie over each other, their areas stand one above the other.
//
// Pointer: move for the cursor, click to go to that cycle, drag to zoom in; the rest is the axis's (time-axis.ts).
// Keys on a chart: ← → cursor (Shift: ten times), Enter to go there, Home End, Escape takes the cursor away.
import { h, setText } from "../dom.ts";
import type { Decision, ShownRun, Zoom } from "../types.ts";
import type { Chart, ChartControl } from "./chart.ts";
import { chartSpecs } from "./chart-data.ts";
import { LEFT } from "./chart-drawing.ts";
import { bucketAt, decisionText, everything, sharedOf, whereText, type RunData, type Shared } from "./chart-shared.ts";
import { Turns } from "./pace.ts";
import { Announcer, button } from "./parts.ts";
import { TimeAxis } from "./time-axis.ts";
import type { WindowStore } from "./window-store.ts";

/** Height of a plot with its axes, by how many charts are open: the fewer, the taller. */
const HEIGHTS = [340, 340, 260, 210];

export class Charts extends HTMLElement {
  #runs: RunData[] = [];
  #charts: Chart[] = [];
  /** The keys of the charts that the user has opened; empty: those that are shown at first. */
  #panel = "";
  #cursor: number | null = null;
  #cycle = Infinity;
  readonly #announcer = new Announcer();
  readonly #grid = h("div", { class: "cv-charts" });
  readonly #chips = h("div", { class: "cv-chips", role: "group", "aria-label": "Charts shown" });
  readonly #where = h("p", { class: "cv-where" });
  readonly #event = h("p", { class: "cv-event" });
  readonly #all = this.#zoomButton("All", "Show all cycles (0)", () => {
    this.#axis.zoomTo(null);
  });
  readonly #axis: TimeAxis = new TimeAxis({
    all: () => everything(this.#runs, this.#window),
    least: () => 4 * this.#window,
    around: () => this.#cursor,
    changed: (zoom) => {
      this.zoom = zoom;
      this.dispatchEvent(new CustomEvent<Zoom | null>("zoom", { bubbles: true, detail: zoom }));
    },
    say: (text) => {
      this.#announcer.say(text);
    },
  });
  readonly #control: ChartControl = {
    axis: this.#axis,
    // Two in a frame, so that no frame is long.
    turns: new Turns(16, 0.2, 2),
    shared: () => this.#shared(),
    height: () => HEIGHTS[Math.min(this.#open().length, HEIGHTS.length - 1)] as number,
    point: (cycle) => {
      this.#point(cycle);
    },
    step: (buckets, chart) => {
      this.#step(buckets, chart);
    },
    say: (text) => {
      this.#announcer.say(text);
    },
    go: (cycle) => {
      const to = cycle ?? this.#cursor;
      if (to !== null) this.dispatchEvent(new CustomEvent<number>("go", { bubbles: true, detail: Math.round(to) }));
    },
  };

  connectedCallback(): void {
    if (this.childElementCount > 0) return;
    this.classList.add("cv-timeline");
    const zoom = [
      this.#zoomButton("−", "Zoom out (−)", () => {
        this.#axis.zoomBy(2);
      }),
      this.#zoomButton("+", "Zoom in (+)", () => {
        this.#axis.zoomBy(0.5);
      }),
      this.#all,
    ];
    this.append(
      h(
        "div",
        { class: "cv-head" },
        this.#chips,
        h("div", { class: "cv-actions", role: "group", "aria-label": "Zoom" }, ...zoom),
      ),
      h("div", { class: "cv-status" }, this.#where, this.#event),
      this.#grid,
      this.#announcer.element,
    );
  }
  #zoomButton(sign: string, title: string, click: () => void): HTMLButtonElement {
    return button(sign, { class: "cv-button", "aria-label": title.replace(/ \(.*/, ""), title }, click);
  }

  // -------------------------------------------------------------- what comes in

  /** `stores`: what is known of each over time. */
  setRuns(runs: readonly ShownRun[], stores: readonly WindowStore[]): void {
    this.#runs = runs.map((run, i) => ({
      run,
      kernels: run.layout.kernels,
      store: stores[i] as WindowStore,
      decisions: [],
      goals: [],
    }));
    this.#cursor = null;
    const specs = this.#runs.map(({ run, kernels }) => chartSpecs(run.windows, kernels));
    // A chart that one run has, the other has too, unless it has no kernel.
    const keys = [...new Set(specs.flat().map(({ key }) => key))];
    this.#charts = keys.map((key) =>
      document.createElement("corun-chart").init(
        specs.map((own) => own.find((spec) => spec.key === key) ?? null),
        runs,
        this.#control,
      ),
    );
    this.#grid.replaceChildren(...this.#charts);
    this.#showPanels();
  }

  /** The stores have more windows; `restarted`: they have begun anew. */
  refresh(restarted: boolean): void {
    if (!restarted) {
      this.#stream();
      return;
    }
    for (const data of this.#runs) data.decisions = [];
    this.#cursor = null;
    this.#afresh();
  }

  setDecisions(run: number, decisions: readonly Decision[]): void {
    const data = this.#runs[run];
    if (
      !data ||
      (decisions.length === data.decisions.length && decisions.at(-1)?.cycle === data.decisions.at(-1)?.cycle)
    )
      return;
    data.decisions = [...decisions];
    this.#stream();
  }

  /** The IPC that each kernel of a run is promised; null where it has no goal, or the goal is not known yet. */
  setGoals(run: number, goals: readonly (number | null)[]): void {
    const data = this.#runs[run];
    if (!data || goals.every((goal, k) => goal === (data.goals[k] ?? null))) return;
    data.goals = goals;
    this.#redraw();
  }

  /** The present cycle. Where a run has gone back, what the charts know of later cycles lies ahead of it. */
  set cycle(cycle: number) {
    const last = Math.max(0, ...this.#runs.map(({ store }) => store.lastCycle)),
      now = cycle > last - this.#window ? Infinity : cycle;
    if (now === this.#cycle) return;
    this.#cycle = now;
    this.#point(this.#cursor);
  }

  get zoom(): Zoom | null {
    return this.#axis.zoom;
  }
  set zoom(zoom: Zoom | null) {
    this.#axis.zoom = zoom;
    this.#afresh();
  }

  get panel(): string {
    return this.#panel;
  }
  set panel(panel: string) {
    this.#panel = panel;
    this.#showPanels();
  }

  // -------------------------------------------------------------- which cycles

  get #window(): number {
    return this.#runs[0]?.run.windows.window ?? 400;
  }
  #shared(): Shared | null {
    const width = (this.#open()[0]?.clientWidth || 400) - LEFT;
    return sharedOf(this.#runs, this.#axis.shown, width, this.#cycle, this.#cursor);
  }

  #point(cycle: number | null): void {
    this.#cursor = cycle;
    const shared = this.#shared();
    for (const one of this.#open()) one.point(shared);
    this.#tell(shared);
  }

  /** Cursor by buckets; walking off the edge takes the range along. */
  #step(buckets: number, chart: Chart): void {
    const before = this.#shared();
    if (!before || before.cycles.length < 2) {
      this.#announcer.say("No window is complete yet");
      return;
    }
    const last = before.cycles.length - 2,
      to = (before.bucket ?? (buckets < 0 ? last + 1 : -1)) + buckets,
      off = Number.isFinite(buckets) && this.zoom !== null && (to < 0 || to > last);
    if (off) this.#axis.zoomBy(1, undefined, Math.sign(buckets) * 0.5);
    const { cycles } = this.#shared() ?? before,
      wanted = off ? bucketAt(cycles, this.#cursor ?? before.range.from) + Math.sign(buckets) : to,
      at = Math.max(0, Math.min(cycles.length - 2, wanted));
    this.#point(((cycles[at] as number) + (cycles[at + 1] as number)) / 2);
    const now = this.#shared();
    if (now) this.#announcer.say(chart.spoken(now, at));
  }

  // -------------------------------------------------------------- panels

  #open(): Chart[] {
    return this.#charts.filter(({ hidden }) => !hidden);
  }
  get #standard(): string[] {
    return this.#charts.flatMap(({ spec }) => (spec.extra ? [] : [spec.key]));
  }

  #showPanels(): void {
    const wanted = this.#panel.split(",").filter((key) => this.#charts.some(({ spec }) => spec.key === key)),
      open = wanted.length > 0 ? wanted : this.#standard;
    for (const chart of this.#charts) chart.hidden = !open.includes(chart.spec.key);
    this.#chips.replaceChildren(
      ...this.#charts.map(({ spec, hidden }, i) =>
        button(spec.title, { class: "cv-chip", "aria-pressed": String(!hidden) }, () => {
          this.#toggle(i);
        }),
      ),
    );
    this.#grid.dataset["count"] = String(open.length);
    this.#redraw();
  }

  #toggle(at: number): void {
    const keys = this.#charts.map(({ spec }) => spec.key),
      standard = this.#standard.join(","),
      open = this.#open().map(({ spec }) => spec.key),
      key = keys[at] as string;
    // From the standard ones, the first click shows that one alone; the last one open cannot be closed but brings them back.
    const wanted = open.join(",") === standard ? [key] : keys.filter((one) => open.includes(one) !== (one === key));
    const panel = wanted.join(",");
    this.panel = panel === standard ? "" : panel;
    (this.#chips.children[at] as HTMLElement | undefined)?.focus();
    this.dispatchEvent(new CustomEvent<string>("panel", { bubbles: true, detail: this.#panel }));
  }

  // -------------------------------------------------------------- drawing

  /** New data: drawn when it is time. What the user does is drawn at once. */
  #stream(): void {
    for (const one of this.#open()) one.stream();
    this.#control.turns.ask(this.#told);
  }
  readonly #told = (): void => {
    this.#tell(this.#shared());
  };
  #redraw(): void {
    for (const one of this.#open()) one.afresh();
    this.#tell(this.#shared());
  }
  /** Of other cycles: their values may be others. */
  #afresh(): void {
    for (const one of this.#charts) one.top = 0;
    this.#redraw();
  }

  #tell(shared: Shared | null): void {
    if (!shared) return;
    setText(this.#where, whereText(shared));
    setText(this.#event, decisionText(shared));
    this.#all.disabled = this.zoom === null;
  }
}

// "Vary something": many experiments from one file, on a pool of plain workers. The file is the runner's, and so are the lines of results, byte for byte.
import { copyText, notice, toast, type Notice } from "../dialogs.ts";
import { h, icon, onFileDrop, setText } from "../dom.ts";
import { count, timeText } from "../format.ts";
import { currentStamp, download } from "../stamp.ts";
import type { Experiment, Problem } from "../types.ts";
import { toCsv } from "../views/tabular.ts";
import { AxesForm } from "./axes-form.ts";
import { SweepChart } from "./chart.ts";
import { HeatView } from "./heat-view.ts";
import { Kept } from "./kept.ts";
import { METRICS, metricsOf, type Metric } from "./metrics.ts";
import { PointsTable } from "./points.ts";
import { Pool, readPlan } from "./pool.ts";
import { axisTitle, chartData, everything, fileText, heatAxes } from "./results.ts";
import type { SweepState } from "./state.ts";
import type { Line, Plan, Task } from "./types.ts";

/** Points that the page takes: their results stay in its memory. */
const MOST_POINTS = 5_000;
const MOST_BYTES = 4 << 20;
const MOST_WORKERS = 64;

/** What has been run of one sweep. It is kept while the page is open, also when another sweep is looked at. */
interface Run {
  plan: Plan;
  pool: Pool;
  texts: Map<number, string>;
  lines: Map<number, Line>;
  broken: Map<number, string>;
}
type Phase = "loading" | "checking" | "bad" | "ready" | "running" | "stopped" | "done";

export interface PanelEvents {
  examples: Readonly<Record<string, string>>;
  /** The sweep, or what is shown of it, has changed: by a person, or as it was opened. */
  changed(): void;
  /** A person changes the sweep. */
  taken(): void;
  /** Values to begin with, of a field of a sweep's experiment. */
  suggest(base: unknown, path: string): Promise<unknown[]>;
  /** The sweep of the mix above. */
  ofMix(): Promise<string>;
}

export class VaryPanel {
  readonly #events: PanelEvents;
  readonly #form: HTMLElement;
  readonly #results: HTMLElement;
  readonly #notices: HTMLElement;
  #module: WebAssembly.Module | null = null;
  #version = "";
  #stamp = "";
  #phase: Phase = "loading";
  #run: Run | null = null;
  #metric: Metric = METRICS[0] as Metric;
  #wanted = "";
  #axis = 0;
  readonly #runs = new Map<string, Run>();
  #kept: Kept | null = null;
  #timer = 0;
  #unread: () => void = () => undefined;
  #due = false;

  readonly #bar = h("progress", { max: 1, value: 0, "aria-label": "Simulations done" });
  readonly #words = h("span", { class: "sweep-progress" });
  /** Only what starts and ends is spoken. */
  readonly #spoken = h("span", { class: "hidden", role: "status" });
  readonly #go = h("button", { type: "button", class: "button primary", onclick: () => this.start() }, "Run");
  readonly #stop = h("button", { type: "button", class: "button", onclick: () => this.halt() }, "Stop");
  readonly #editor = h("textarea", {
    id: "f-sweep",
    class: "json",
    spellcheck: false,
    rows: 18,
    autocomplete: "off",
    "aria-describedby": "f-sweep-problem",
  });
  readonly #wrong = h("div", { class: "problems", id: "f-sweep-problem", role: "alert", hidden: true });
  readonly #example: HTMLSelectElement;
  readonly #open = h("input", {
    id: "f-open",
    class: "hidden",
    accept: ".json,application/json",
    tabIndex: -1,
    "aria-label": "Open a sweep's file",
  });
  readonly #workers = h("input", {
    id: "f-workers",
    class: "number",
    inputMode: "numeric",
    autocomplete: "off",
    value: String(Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2)),
  });
  readonly #axes: AxesForm;
  readonly #data: HTMLDetailsElement;
  readonly #chart = new SweepChart();
  readonly #y = h("select", { id: "f-y" });
  readonly #x = h("select", { id: "f-x" });
  readonly #heat = new HeatView(() => this.#refresh());
  readonly #savers: readonly HTMLButtonElement[];
  readonly #points: PointsTable;
  readonly #compared: HTMLElement;

  constructor(form: HTMLElement, results: HTMLElement, notices: HTMLElement, events: PanelEvents) {
    this.#form = form;
    this.#results = results;
    this.#notices = notices;
    this.#events = events;
    const { examples } = events;
    this.#example = h(
      "select",
      { id: "f-example", "aria-label": "Open an example" },
      h("option", { value: "" }, "Open an example…"),
      ...Object.keys(examples).map((name) => h("option", { value: name }, name)),
    );
    this.#axes = new AxesForm({
      text: () => this.#editor.value,
      changed: (text) => {
        events.taken();
        this.#editor.value = text;
        this.#example.value = "";
        this.#check();
      },
      suggest: (path) => events.suggest(this.#base(), path),
    });
    this.#savers = [
      saver("The lines that corun sweep writes", "Lines (JSONL)", () => this.#save("jsonl")),
      saver("A row for each point, for a spreadsheet", "Table (CSV)", () => this.#save("csv")),
    ];
    this.#points = new PointsTable(this.#savers, () => this.#stamp);
    this.#compared = h(
      "section",
      { class: "card", "aria-labelledby": "chart-title" },
      h("h3", { id: "chart-title" }, "Compared"),
      h(
        "div",
        { class: "sweep-choices" },
        h("label", { for: "f-y" }, "Figure"),
        this.#y,
        h("label", { for: "f-x" }, "across"),
        this.#x,
      ),
      this.#chart,
    );
    this.#data = this.#asData();
    this.#form.append(
      h(
        "div",
        { class: "vary-from" },
        this.#example,
        h(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              events.taken();
              void events.ofMix().then((text) => this.edit(text));
            },
          },
          "Vary the mix above",
        ),
      ),
      this.#axes.element,
      this.#wrong,
      h("div", { class: "run-bar" }, this.#go, this.#stop, this.#bar, this.#words, this.#spoken),
      this.#data,
    );
    this.#listen();
    this.#show("loading");
  }

  #asData(): HTMLDetailsElement {
    this.#open.setAttribute("type", "file");
    this.#workers.setAttribute("type", "number");
    this.#workers.min = "1";
    this.#workers.max = String(MOST_WORKERS);
    const button = (name: Parameters<typeof icon>[0], text: string, onclick: () => void): HTMLElement =>
      h("button", { type: "button", class: "button", onclick }, icon(name), text);
    return h(
      "details",
      { class: "vary-data" },
      h("summary", null, "As data"),
      h("label", { for: "f-sweep" }, "The whole sweep as JSON"),
      this.#editor,
      h(
        "p",
        { class: "field-help" },
        "Every value of every axis with every value of the others, the last axis fastest; the paths of a zip together.",
      ),
      h(
        "div",
        { class: "file-buttons" },
        this.#open,
        button("upload", "Open a sweep's file", () => this.#open.click()),
        button("download", "Save the sweep", () => download("sweep.json", this.#editor.value, "application/json")),
        button("terminal", "Copy the command", () => void this.#copyCommand()),
      ),
      h(
        "div",
        { class: "field-row" },
        h("label", { for: "f-workers" }, "Simulations at once"),
        h("div", { class: "field-control" }, this.#workers, h("span", { class: "unit" }, "workers")),
      ),
    ) as HTMLDetailsElement;
  }

  #listen(): void {
    const { examples } = this.#events;
    this.#editor.addEventListener("input", () => {
      this.#events.taken();
      this.#example.value = "";
      this.#axes.show();
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#check(), 400);
    });
    this.#example.addEventListener("change", () => {
      const text = examples[this.#example.value];
      this.#events.taken();
      if (text !== undefined) this.edit(text);
    });
    this.#open.addEventListener("change", () => {
      const file = this.#open.files?.[0];
      this.#open.value = "";
      if (file) this.#take(file);
    });
    onFileDrop((file) => {
      if (this.#phase !== "running" && this.#phase !== "loading") this.#take(file);
    });
    this.#y.addEventListener("change", () => {
      this.#metric = this.#metrics().find((m) => m.key === this.#y.value) ?? this.#metric;
      this.#wanted = this.#metric.key;
      this.#chosen();
    });
    this.#x.addEventListener("change", () => {
      this.#axis = Number(this.#x.value);
      this.#chosen();
    });
  }

  #chosen(): void {
    this.#events.taken();
    this.#refresh();
    this.#events.changed();
  }

  #metrics(): readonly Metric[] {
    return this.#run ? metricsOf(this.#run.plan) : METRICS;
  }
  #base(): unknown {
    try {
      return (JSON.parse(this.#editor.value) as { sweep?: { base?: unknown } }).sweep?.base;
    } catch {
      return undefined;
    }
  }

  // ---------------------------------------------------------------- what the page asks

  /** The module is there: sweeps can be read. */
  begin(module: WebAssembly.Module): void {
    this.#module = module;
    if (this.#phase === "loading") this.#check();
  }

  get running(): boolean {
    return this.#phase === "running";
  }
  get stamped(): { engine: string; config: string } {
    return { engine: this.#version, config: this.#run?.plan.hash ?? "" };
  }
  get state(): SweepState {
    return { text: this.#editor.value, y: this.#metric === METRICS[0] ? "" : this.#metric.key, x: this.#axis };
  }

  open({ text, x, y }: SweepState): void {
    this.#say(null);
    this.#wanted = y;
    this.#axis = x;
    this.#form.hidden = false;
    this.edit(text);
  }

  edit(text: string): void {
    const { examples } = this.#events;
    this.#editor.value = text;
    this.#axes.show();
    this.#example.value = Object.keys(examples).find((name) => examples[name] === text) ?? "";
    this.#check();
  }

  /** There is nothing to vary, and why. */
  refuse(why: Notice): void {
    this.#run = null;
    this.#render();
    this.#form.hidden = true;
    this.#show("bad");
    setText(this.#words, "");
    this.#say(why);
  }

  // ---------------------------------------------------------------- running

  #show(next: Phase): void {
    const primary = this.#go,
      inert = next === "running";
    this.#phase = next;
    document.documentElement.dataset["sweep"] = next;
    this.#stop.hidden = next !== "running";
    primary.hidden = next === "running" || next === "loading";
    primary.disabled = next === "checking" || next === "bad" || next === "done";
    setText(primary, next === "stopped" ? "Go on" : "Run");
    this.#editor.readOnly = inert;
    this.#axes.element.toggleAttribute("inert", inert);
    this.#open.disabled = this.#example.disabled = inert;
    this.#bar.hidden = !inert;
    this.#tell();
  }

  #tell(): void {
    const points = this.#run?.plan.points.length ?? 0,
      done = this.#run?.lines.size ?? 0;
    const state = `${count(done)} of ${count(points)} points`;
    if (this.#phase === "running" && this.#run) {
      const { done: share, left } = this.#run.pool.progress();
      this.#bar.value = share;
      setText(this.#words, `${state}${left === null ? "" : `, about ${timeText(left)} left`}`);
      return;
    }
    setText(
      this.#words,
      {
        loading: "",
        checking: "Reading…",
        bad: "It cannot run",
        ready: `${count(points)} points`,
        stopped: `Stopped: ${state}`,
        done: `Done: ${state}`,
        running: "",
      }[this.#phase],
    );
  }

  start(): void {
    const run = this.#run;
    if (!run || this.running || run.lines.size === run.plan.points.length) return;
    this.#say(null);
    run.broken.clear();
    const focused = document.activeElement === this.#go;
    this.#show("running");
    if (focused) this.#stop.focus();
    setText(this.#spoken, "Running");
    const wanted = Math.floor(this.#workers.valueAsNumber);
    run.pool.start(Number.isFinite(wanted) ? Math.min(MOST_WORKERS, Math.max(1, wanted)) : 1);
  }

  halt(): void {
    if (!this.running) return;
    this.#run?.pool.stop();
    this.#ended("stopped");
  }

  #ended(phase: Phase): void {
    const focused = document.activeElement === this.#stop;
    this.#show(phase);
    if (focused) this.#go.focus();
    setText(this.#spoken, this.#words.textContent ?? "");
    this.#refresh();
  }

  #broke(task: Task | null, why: string): void {
    if (task?.kind === "point") this.#run?.broken.set(task.index, why);
    this.#say({
      kind: "error",
      title: "A simulation stopped",
      text: ["That is a defect of Corun, or of this browser, not of the sweep. It said:", h("pre", null, why)],
      actions: [],
    });
  }

  #say(of: Notice | null): void {
    this.#notices.replaceChildren(...(of ? [notice(of)] : []));
  }

  // ---------------------------------------------------------------- the sweep: its text, and what the engine says of it

  #take(file: File): void {
    this.#events.taken();
    this.#form.hidden = false;
    this.#say(null);
    if (file.size > MOST_BYTES) {
      this.#problems([{ path: "(file)", found: `${count(file.size)} bytes`, want: "a sweep: JSON of at most 4 MiB" }]);
      return;
    }
    void file.text().then((text) => this.edit(text));
  }

  /** What the engine says of the text; a newer text ends the reading of an older one. */
  #check(): void {
    clearTimeout(this.#timer);
    this.#unread();
    if (!this.#module) {
      this.#show("loading");
      return;
    }
    this.#show("checking");
    const text = this.#editor.value;
    this.#unread = readPlan(this.#module, text, MOST_POINTS, (plan, of, made) => {
      [this.#version, this.#stamp] = [of, made];
      if (Array.isArray(plan)) this.#problems(plan);
      else void this.#accepted(text, plan);
    });
  }

  #problems(found: Problem[]): void {
    this.#wrong.hidden = false;
    this.#wrong.replaceChildren(
      h("h3", null, "This sweep cannot run"),
      h("ul", null, ...found.map((p) => h("li", null, h("b", null, p.path), `: found ${p.found}, want ${p.want}`))),
    );
    this.#editor.setAttribute("aria-invalid", "true");
    if (this.#axes.element.hidden) this.#data.open = true;
    this.#run = null;
    this.#show("bad");
    this.#render();
  }

  async #accepted(text: string, plan: Plan): Promise<void> {
    this.#wrong.hidden = true;
    this.#editor.removeAttribute("aria-invalid");
    const mine = this.#runs.get(plan.hash) ?? (await this.#fresh(text, plan));
    // Another text came while the browser looked for what it keeps.
    if (this.#editor.value !== text) return;
    this.#run = mine;
    this.#runs.set(plan.hash, mine);
    if (this.#axis >= plan.axes.length) this.#axis = 0;
    this.#metric = this.#metrics().find(({ key }) => key === this.#wanted) ?? (METRICS[0] as Metric);
    this.#show(mine.lines.size === plan.points.length ? "done" : mine.lines.size > 0 ? "stopped" : "ready");
    this.#render();
    this.#events.changed();
  }

  async #fresh(text: string, plan: Plan): Promise<Run> {
    const texts = new Map<number, string>(),
      lines = new Map<number, Line>(),
      broken = new Map<number, string>();
    const pool = new Pool(this.#module as WebAssembly.Module, text, plan, {
      line: (index, line) => {
        this.#kept?.keep(plan.hash, index, line);
        texts.set(index, line);
        lines.set(index, JSON.parse(line) as Line);
        this.#refresh();
      },
      broken: (task, why) => this.#broke(task, why),
      progress: () => this.#tell(),
      over: () => this.#ended(this.#run && lines.size === plan.points.length ? "done" : "stopped"),
    });
    this.#kept ??= new Kept(this.#stamp);
    for (const { index, text: written, line } of await this.#kept.recall(plan.hash)) {
      if (index >= plan.points.length) continue;
      texts.set(index, written);
      lines.set(index, line);
    }
    pool.skip(lines.keys());
    return { plan, pool, texts, lines, broken };
  }

  // ---------------------------------------------------------------- results

  /** A sweep is shown that was not. */
  #render(): void {
    const run = this.#run;
    this.#points.show(run);
    this.#heat.reset();
    this.#results.replaceChildren(
      ...(run ? [this.#compared, ...(heatAxes(run.plan) ? [this.#heat.element] : []), this.#points.element] : []),
    );
    if (!run) return;
    this.#y.replaceChildren(...this.#metrics().map((m) => h("option", { value: m.key }, m.title)));
    this.#y.value = this.#metric.key;
    this.#x.replaceChildren(...run.plan.axes.map((_, i) => h("option", { value: String(i) }, axisTitle(run.plan, i))));
    this.#x.value = String(this.#axis);
    this.#refresh();
  }

  /** What a new line changes, at most once a frame. */
  #refresh(): void {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.#tell();
      const run = this.#run;
      if (!run) return;
      this.#chart.data = chartData(run.plan, run.lines, this.#metric, this.#axis);
      this.#heat.show(run.plan, run.lines, this.#metric);
      for (const button of this.#savers) button.disabled = run.lines.size === 0;
      this.#points.refresh();
    });
  }

  #save(kind: "jsonl" | "csv"): void {
    const run = this.#run;
    if (!run) return;
    const name = `corun-sweep-${run.plan.hash.slice(0, 8)}.${kind}`;
    if (kind === "jsonl") download(name, fileText(run.texts), "application/x-ndjson");
    else download(name, toCsv(everything(run.plan, run.lines), currentStamp()), "text/csv");
    toast(
      `Saved ${name}${kind === "jsonl" && run.lines.size < run.plan.points.length ? ": corun sweep --resume runs what is missing" : ""}`,
    );
  }

  async #copyCommand(): Promise<void> {
    const name = this.#run ? `corun-sweep-${this.#run.plan.hash.slice(0, 8)}` : "corun-sweep";
    await copyText(
      `cat > ${name}.json <<'SWEEP'\n${this.#editor.value.trimEnd()}\nSWEEP\ntarget/release/corun sweep ${name}.json --resume --out ${name}.jsonl\n`,
      "The command is copied. It writes the same lines, in a clone of Corun after `cargo build --release`.",
    );
  }
}

const saver = (title: string, text: string, onclick: () => void): HTMLButtonElement =>
  h("button", { type: "button", class: "button", title, onclick }, icon("download"), text);

/** The experiment of a sweep's base, as far as it is one. */
export const asMix = (base: unknown): Experiment | null =>
  typeof base === "object" && base !== null && Array.isArray((base as { kernels?: unknown }).kernels)
    ? (base as Experiment)
    : null;

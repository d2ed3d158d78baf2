// <corun-schemes>: the present mix under every scheme, or under those that are chosen, on the pool of workers that sweeps use. A table that any
// column sorts, bars, and every row opens as A or as B.
import { begun, kernelLabels, policyEntry, schemeName } from "../choices.ts";
import { definition, h, setText } from "../dom.ts";
import { MISSING, count, fixed, problemText, timeText } from "../format.ts";
import { kernelStyle } from "../palette.ts";
import { plusMinus } from "../sure.ts";
import { Pool, readPlan } from "../sweeps/pool.ts";
import { hasGoal } from "../goal.ts";
import type { Line } from "../sweeps/types.ts";
import type { Catalogue, Experiment, PolicyChoice, PolicyEntry, Problem } from "../types.ts";
import { distinctNames } from "../views/letters.ts";
import { SchemeChart } from "./chart.ts";
import { columns, headline, nextOrder, sorted, sweepOf, under, type Column, type Order, type Row } from "./table.ts";

export interface SchemesEvents {
  /** What is on the page now. */
  present(): Experiment | null;
  validate(experiment: object): Promise<Problem[]>;
  /** The pool wants all cores. */
  starting(): void;
  /** As A (0) or as B (1). */
  open(side: number, experiment: Experiment): void;
}

/** Figures that are of each kernel; the others have the title of their one column. */
const OF_KERNELS: Record<string, { title: string; axis: string }> = {
  goals: { title: "Goals, and what is left", axis: "Part of the goal (reached at the line), or of the IPC alone" },
  slowdown: { title: "Slowdown of each kernel", axis: "Slowdown, ×" },
};

/** Long enough for schemes that learn to have learnt. */
const CYCLES = 500_000;
const LEAST = 1_000,
  MOST = 100_000_000;

/** What has been run, or is being run. */
interface Study {
  experiment: Experiment;
  cycles: number;
  rows: Row[];
  columns: Column[];
  pool: Pool | null;
}

export class CorunSchemes extends HTMLElement {
  #catalogue: Catalogue | null = null;
  #module: WebAssembly.Module | null = null;
  #events: SchemesEvents | null = null;
  #study: Study | null = null;
  #order: Order | null = null;
  #shown = "slowdown";
  #unread: () => void = () => undefined;
  readonly #cycles = h("input", {
    id: "f-schemes-cycles",
    class: "number",
    inputMode: "numeric",
    autocomplete: "off",
    value: String(CYCLES),
  });
  readonly #boxes = new Map<string, HTMLInputElement>();
  readonly #chosen = h("summary");
  readonly #go = h(
    "button",
    {
      type: "button",
      class: "button primary",
      id: "f-schemes-run",
      onclick: () => {
        this.start();
      },
    },
    "Run all schemes",
  );
  readonly #stop = h(
    "button",
    {
      type: "button",
      class: "button",
      hidden: true,
      onclick: () => {
        this.#halt();
      },
    },
    "Cancel",
  );
  readonly #bar = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Schemes done" });
  readonly #words = h("span", { class: "schemes-progress" });
  readonly #spoken = h("span", { class: "hidden", role: "status" });
  readonly #title = h("h3");
  readonly #figure = h("select", { id: "f-schemes-figure" });
  readonly #chart = new SchemeChart();
  readonly #head = h("tr");
  readonly #body = h("tbody");
  readonly #results = h(
    "div",
    { class: "schemes-results", hidden: true },
    this.#title,
    h("div", { class: "schemes-figure" }, h("label", { for: "f-schemes-figure" }, "Bars show"), this.#figure),
    this.#chart,
    h(
      "div",
      { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "The schemes compared" },
      h(
        "table",
        { class: "numbers schemes" },
        h("caption", { class: "hidden" }, "The schemes compared"),
        h("thead", null, this.#head),
        this.#body,
      ),
    ),
  );

  init(catalogue: Catalogue, module: WebAssembly.Module, events: SchemesEvents): void {
    this.#catalogue = catalogue;
    this.#module = module;
    this.#events = events;
    this.#cycles.setAttribute("type", "number");
    this.#cycles.min = String(LEAST);
    this.#cycles.max = String(MOST);
    for (const policy of catalogue.policies) {
      const box = h("input", { checked: true });
      box.setAttribute("type", "checkbox");
      box.addEventListener("change", () => {
        this.#tellChosen();
      });
      this.#boxes.set(policy.name, box);
    }
    const choose = (on: (policy: PolicyEntry) => boolean): void => {
      for (const policy of catalogue.policies) (this.#boxes.get(policy.name) as HTMLInputElement).checked = on(policy);
      this.#tellChosen();
    };
    const chooser = (title: string, on: (policy: PolicyEntry) => boolean): HTMLElement =>
      h(
        "button",
        {
          type: "button",
          class: "button",
          onclick: () => {
            choose(on);
          },
        },
        title,
      );
    this.#figure.addEventListener("change", () => {
      this.#shown = this.#figure.value;
      this.#refresh();
    });
    this.replaceChildren(
      h(
        "p",
        { class: "field-help" },
        "The same mix, GPU and seed under each scheme, with what each kernel does alone. Those that learn need some hundred thousand cycles. It runs on all cores of this computer; the run above stands still meanwhile.",
      ),
      h(
        "div",
        { class: "schemes-bar" },
        h(
          "div",
          { class: "schemes-length" },
          h("label", { for: "f-schemes-cycles" }, "Length"),
          this.#cycles,
          h("span", { class: "unit" }, "cycles each"),
        ),
        this.#go,
        this.#stop,
        this.#bar,
        this.#words,
        this.#spoken,
      ),
      h(
        "details",
        { class: "schemes-chosen" },
        this.#chosen,
        h(
          "div",
          { class: "schemes-all" },
          chooser("All", () => true),
          chooser("None", () => false),
          chooser("Those that keep goals", (policy) => policy.keeps_goals),
        ),
        h(
          "div",
          { class: "schemes-boxes" },
          ...catalogue.policies.map((p) =>
            h("label", { class: "check", title: p.doc }, this.#boxes.get(p.name) as HTMLElement, p.title || p.name),
          ),
        ),
      ),
      this.#results,
    );
    this.#tellChosen();
  }

  #tellChosen(): void {
    const on = [...this.#boxes.values()].filter((box) => box.checked).length;
    setText(this.#chosen, `Schemes: ${on} of ${this.#boxes.size}`);
    setText(this.#go, on === this.#boxes.size ? "Run all schemes" : on === 1 ? "Run one scheme" : `Run ${on} schemes`);
    this.#go.disabled = on === 0;
  }

  /** Whether it does not look at goals. What an own program looks at is its own. */
  #isDeaf(scheme: string): boolean {
    const entry = this.#catalogue?.policies.find(({ name }) => name === scheme);
    return entry !== undefined && !entry.keeps_goals && !entry.params.some(({ kind }) => kind === "text");
  }

  get running(): boolean {
    return !this.#stop.hidden;
  }

  // ---------------------------------------------------------------- running

  /** Runs the present mix, as it is now. */
  start(): void {
    void this.#start();
  }

  async #start(): Promise<void> {
    const catalogue = this.#catalogue,
      events = this.#events,
      module = this.#module,
      experiment = events?.present();
    if (!catalogue || !events || !module || !experiment || this.running) return;
    const asked = Math.floor(this.#cycles.valueAsNumber),
      cycles = Number.isFinite(asked) ? Math.min(MOST, Math.max(LEAST, asked)) : CYCLES;
    this.#cycles.value = String(cycles);
    // The scheme that is on the page keeps its settings.
    const present = experiment.policy,
      mine = policyEntry(catalogue, schemeName(experiment))?.name;
    const policies = catalogue.policies
      .filter((p) => this.#boxes.get(p.name)?.checked)
      .map(
        (p): PolicyChoice =>
          p.name === mine && typeof present === "object" && !Array.isArray(present)
            ? structuredClone(present)
            : begun(p.name, experiment.kernels.length),
      );
    this.#busy(true);
    setText(this.#words, "Reading…");
    events.starting();
    const problems = await Promise.all(policies.map((policy) => events.validate(under(experiment, policy))));
    if (!this.running) return;
    let point = 0;
    const goals = experiment.kernels.map(hasGoal);
    const rows = policies.map((policy, i): Row => {
      const wrong = problems[i] ?? [];
      return {
        name: policy.name,
        policy,
        point: wrong.length === 0 ? point++ : null,
        why: wrong.map(problemText).join("; "),
        result: null,
        deaf: goals.includes(true) && this.#isDeaf(policy.name),
      };
    });
    const names = distinctNames(kernelLabels(experiment.kernels), (k) => kernelStyle(k).number);
    const study: Study = {
      experiment: structuredClone(experiment),
      cycles,
      rows,
      columns: columns(names, goals, catalogue.metrics),
      pool: null,
    };
    // Where something is promised, that comes first.
    if (goals.includes(true) !== (this.#study?.columns[0]?.figure === "goals"))
      this.#shown = goals.includes(true) ? "goals" : "slowdown";
    this.#study = study;
    this.#render();
    if (point === 0) {
      this.#over("No scheme can run this mix");
      return;
    }
    const text = sweepOf(
      experiment,
      rows.filter((row) => row.point !== null).map((row) => row.policy),
      cycles,
    );
    this.#unread = readPlan(module, text, catalogue.policies.length, (plan) => {
      if (this.#study !== study) return;
      if (Array.isArray(plan)) {
        this.#over(`It cannot run: ${plan.map(problemText).join("; ")}`);
        return;
      }
      const pool = new Pool(module, text, plan, {
        line: (index, line) => {
          const row = rows.find((one) => one.point === index);
          if (row) row.result = (JSON.parse(line) as Line).result;
          this.#refresh();
        },
        broken: (task, why) => {
          const row = rows.find((one) => task?.kind === "point" && one.point === task.index);
          if (row) row.why = `a defect: ${why}`;
          this.#refresh();
        },
        progress: () => {
          const { done, left } = pool.progress();
          this.#bar.value = done;
          setText(
            this.#words,
            `${this.#done()} of ${count(plan.points.length)} schemes${left === null ? "" : `, about ${timeText(left)} left`}`,
          );
        },
        over: () => {
          this.#over(`Done: ${this.#done()} of ${count(rows.length)} schemes`);
        },
      });
      study.pool = pool;
      pool.start(navigator.hardwareConcurrency || 2);
    });
  }

  #done(): string {
    return count(this.#study?.rows.filter(({ result }) => result !== null).length ?? 0);
  }

  /** Ends in this very moment; what is done stays. */
  #halt(): void {
    this.#unread();
    this.#study?.pool?.stop();
    this.#over(`Cancelled: ${this.#done()} of ${count(this.#study?.rows.length ?? 0)} schemes are done`);
  }

  #over(words: string): void {
    this.#busy(false);
    setText(this.#words, words);
    setText(this.#spoken, words);
    this.#refresh();
  }

  #busy(on: boolean): void {
    const focused = document.activeElement === this.#go || document.activeElement === this.#stop;
    this.#stop.hidden = this.#bar.hidden = !on;
    this.#go.hidden = on;
    this.#cycles.readOnly = on;
    for (const box of this.#boxes.values()) box.disabled = on;
    this.#bar.value = 0;
    if (on) setText(this.#spoken, "Running all schemes");
    if (focused) (on ? this.#stop : this.#go).focus();
  }

  // ---------------------------------------------------------------- results

  #render(): void {
    const study = this.#study;
    if (!study) return;
    this.#results.hidden = false;
    setText(this.#title, headline(study.experiment, study.cycles));
    const figures = new Map(study.columns.map(({ figure, title }) => [figure, OF_KERNELS[figure]?.title ?? title]));
    this.#figure.replaceChildren(...[...figures].map(([value, title]) => h("option", { value }, title)));
    this.#figure.value = this.#shown;
    this.#refresh();
  }

  #due = false;
  #refresh(): void {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.#draw();
    });
  }

  #draw(): void {
    const study = this.#study;
    if (!study || study.columns.length === 0) return;
    const rows = sorted(study.rows, study.columns, this.#order);
    const shown = study.columns.filter(({ figure }) => figure === this.#shown);
    this.#chart.data = {
      at: this.#shown === "goals" ? 1 : null,
      title: OF_KERNELS[this.#shown]?.axis ?? `${shown[0]?.title ?? ""}${shown[0]?.unit ? `, ${shown[0].unit}` : ""}`,
      rows,
      columns: shown,
    };
    const focused = this.contains(document.activeElement) ? document.activeElement?.id : "";
    this.#head.replaceChildren(
      this.#heading("scheme", "Scheme", null),
      ...study.columns.map((c) => this.#heading(c.key, c.title, c)),
      h("th", { scope: "col" }, "Open as"),
    );
    this.#body.replaceChildren(...rows.map((row) => this.#row(study, row)));
    if (focused) document.getElementById(focused)?.focus();
  }

  #heading(key: string, title: string, column: Column | null): HTMLElement {
    const order = this.#order?.key === key ? this.#order : null;
    const button = h(
      "button",
      {
        type: "button",
        class: "sort",
        id: `f-sort-${key.replaceAll(".", "-")}`,
        title: `Sort by ${title}`,
        onclick: () => {
          this.#order = nextOrder(this.#order, key);
          this.#draw();
        },
      },
      title,
      h("span", { class: "sort-sign", "aria-hidden": "true" }, order === null ? "↕" : order.down ? "▼" : "▲"),
    );
    return h(
      "th",
      {
        scope: "col",
        class: column ? "num" : "",
        "aria-sort": order === null ? "none" : order.down ? "descending" : "ascending",
      },
      button,
      column
        ? definition(column.title, h("p", null, column.doc), h("p", null, `Unit: ${column.unit || "none, a ratio"}`))
        : null,
    );
  }

  #row(study: Study, row: Row): HTMLElement {
    const entry = this.#catalogue?.policies.find((p) => p.name === row.name);
    const name = h("th", { scope: "row", title: entry?.title ?? "" }, row.name);
    const id = row.name.replaceAll(/[^A-Za-z0-9]+/g, "-");
    const open = (side: number, mark: string): HTMLElement =>
      h(
        "button",
        {
          type: "button",
          class: "button",
          id: `f-open-${mark}-${id}`,
          "aria-label": `Open ${row.name} as ${mark}`,
          title: `Open ${row.name} as ${mark}`,
          onclick: () => {
            this.#events?.open(side, under(study.experiment, structuredClone(row.policy)));
          },
        },
        mark,
      );
    const actions = h("td", { class: "schemes-open" }, open(0, "A"), open(1, "B"));
    if (row.why !== "")
      return h(
        "tr",
        null,
        name,
        h("td", { colSpan: study.columns.length, class: "schemes-why" }, `It cannot run this mix. ${row.why}`),
        h("td"),
      );
    const { result } = row;
    if (!result)
      return h(
        "tr",
        null,
        name,
        h("td", { colSpan: study.columns.length, class: "schemes-why" }, this.running ? "waiting" : "not run"),
        actions,
      );
    const stuck =
      result.stop === "stuck" || result.stop === "failed"
        ? h("span", { class: "beside" }, `${result.stop} at ${fixed(result.cycles, 0)}`)
        : null;
    if (stuck) name.append(stuck);
    if (row.deaf) name.append(h("span", { class: "beside" }, "keeps no goals"));
    return h(
      "tr",
      null,
      name,
      ...study.columns.map((column) => {
        const value = column.read(result),
          text = column.format(value);
        return h(
          "td",
          { class: "num" },
          h(
            "span",
            { class: "with-beside" },
            h("span", { class: "value", ...(text === MISSING ? { "data-missing": "", title: "no data" } : {}) }, text),
            column.said ? h("span", { class: "beside said" }, column.said(value)) : null,
            h("span", { class: "beside" }, plusMinus(value, column.ends(result), column.format)),
          ),
        );
      }),
      actions,
    );
  }
}

customElements.define("corun-schemes", CorunSchemes);

// The numbers: how fast each kernel is alone and shared, and what the sharing is worth, each with half of its 95 % interval. What a number means
// comes from the engine's registry of metrics; a number that is not there is a dash with the reason beside it.
//
// One run has its numbers as tiles and tables. Where there is something to compare them with (a second run, or the run before the last change),
// all stand in one table: a column for each, and how far the last two are apart.
import { definition, h, icon, setText, sideMark, swatch } from "./dom.ts";
import { ENDLESS, MISSING, count, fixed, percent } from "./format.ts";
import { apart, gapText, inFull, interval, isClear, plusMinus, sureness } from "./sure.ts";
import type { Catalogue, Controls, Interval, KernelResult, Result } from "./types.ts";
import { mixFigure, slowdownOf, whyStarved } from "./run/figures.ts";

const WAITING = "being measured in the background";

type Format = (value: number | null | undefined) => string;
interface Figure {
  key: string;
  title: string;
  format: Format;
  needsAlone?: boolean;
}
/** A run, or what one was before: a column of the comparison. */
interface Column {
  mark: string;
  title: string;
  kernels: string[];
  /** Which of them have a goal. */
  goals: boolean[];
  result: Result | null;
  /** Why a kernel has no IPC alone. */
  alone: (string | null)[];
  controls: Controls | null;
}
/** Whose number it is: the mix's, the GPU's, that of its energy, or that of a kernel, by its place. */
type Of = "metrics" | "gpu" | "energy" | number;
/** A number on the page, and the element beside it that says how sure it is. */
interface Cell {
  element: HTMLElement;
  beside: HTMLElement;
  refresh(): void;
}

const decimals =
  (n: number): Format =>
  (value) =>
    fixed(value, n);
const SPEED: Figure[] = [
  { key: "ipc_alone", title: "IPC alone", format: decimals(1), needsAlone: true },
  { key: "ipc", title: "IPC shared", format: decimals(1) },
  { key: "slowdown", title: "Slowdown", format: decimals(2), needsAlone: true },
];
/** Of kernels that have one. */
const GOAL: Figure[] = [
  { key: "goal_ipc", title: "Goal", format: decimals(1), needsAlone: true },
  { key: "goal_reached", title: "Of its goal", format: percent, needsAlone: true },
];
const SHARE: Figure[] = [
  { key: "noc_utilisation", title: "NoC", format: percent },
  { key: "dram_utilisation", title: "DRAM", format: percent },
  { key: "l1_hit_rate", title: "L1 hits", format: percent },
  { key: "ctas_done", title: "CTAs done", format: count },
];
const MIX: Figure[] = [
  { key: "hspeedup", title: "HSpeedup", format: decimals(3) },
  { key: "stp", title: "STP", format: decimals(3) },
  { key: "antt", title: "ANTT", format: decimals(3) },
];
const FAIRNESS: Figure = { key: "fairness", title: "Fairness", format: decimals(3) };
const GPU: Figure[] = [
  { key: "ipc", title: "IPC", format: decimals(1) },
  { key: "noc_utilisation", title: "NoC used", format: percent },
  { key: "dram_utilisation", title: "DRAM used", format: percent },
  { key: "l1_hit_rate", title: "L1 hits", format: percent },
  { key: "l2_miss_rate", title: "L2 misses", format: percent },
  { key: "dram_row_hit_rate", title: "Row hits", format: percent },
];

const ENERGY: Figure[] = [
  { key: "joules", title: "Energy, mJ", format: (value) => fixed(typeof value === "number" ? value * 1000 : value, 3) },
  { key: "watts", title: "Power, W", format: decimals(1) },
  {
    key: "instructions_per_watt",
    title: "Instr. per watt",
    format: (value) => count(typeof value === "number" ? Math.round(value) : value),
  },
];

/** What an interval is, and where the method comes from: in short what docs/reference/experiments.md says. */
const INTERVALS = (): HTMLElement =>
  definition(
    "a 95 % interval",
    h(
      "p",
      null,
      "A run is one sample. The interval is where the number of an endless run lies, in 95 of 100 such runs. It narrows as the run goes on; one that begins cold, or whose policy still learns, keeps it wide.",
    ),
    h(
      "p",
      null,
      "The run is cut into batches of windows of 400 cycles. Their scatter, with Student's t and a correction for what is left of their correlation, gives the interval of each ratio, slowdown and speedup. Where a kernel repeats itself, launch by launch, each repetition is a batch.",
    ),
    h(
      "p",
      null,
      "Before each kernel has shown a whole launch, no statistics can know what comes: the interval is too narrow then.",
    ),
    h(
      "p",
      null,
      "The interval of a difference takes the two runs as independent: its half is the root of the sum of both halves' squares. A difference that is greater than that is bold.",
    ),
    h(
      "p",
      { class: "source" },
      "Source: batch means after Schmeiser (Operations Research 30(3), 1982) and Yeh and Schmeiser (48(6), 2000); the correction of SBatch (Lada and Wilson, WSC 2008) and N-Skart (Tafazzoli, Steiger and Wilson, IEEE Trans. Automatic Control 56(2), 2011).",
    ),
  );

const objectOf = (result: Result, of: Of): Record<string, unknown> | undefined =>
  typeof of === "string"
    ? (result[of] as Record<string, unknown> | undefined)
    : (result.kernels[of] as KernelResult | undefined);
function read(column: Column, of: Of, key: string): number | null {
  const { result } = column,
    value = result ? objectOf(result, of)?.[key] : null;
  if (typeof value === "number") return value;
  if (!result || of === "gpu" || of === "energy") return null;
  // A kernel that has got nothing is no missing number.
  if (of === "metrics") return mixFigure(result, key);
  return key === "slowdown" ? slowdownOf(result, of) : null;
}
const starvedOf = ({ result, title, controls }: Column, k: number): string =>
  result ? whyStarved(result, k, title, controls) : "";
function endsOf({ result }: Column, of: Of, key: string): Interval {
  return interval(
    of === "energy"
      ? undefined
      : of === "metrics"
        ? result?.ci95?.metrics
        : of === "gpu"
          ? result?.ci95?.gpu
          : result?.ci95?.kernels[of],
    key,
  );
}
/** Why a number is not there. */
function whyNot(column: Column, of: Of, figure: Figure): string {
  if (!column.result) return "nothing has run yet";
  if (typeof of === "number" && figure.key.startsWith("goal") && !column.goals[of]) return "it has no goal";
  if (of === "metrics") {
    const missing = column.alone.findIndex((why) => why !== null);
    return missing >= 0 ? `IPC alone of ${column.kernels[missing]} is ${column.alone[missing]}` : "no data yet";
  }
  if (typeof of === "number" && figure.needsAlone && typeof column.result.kernels[of]?.ipc_alone !== "number")
    return `IPC alone is ${column.alone[of] ?? "missing"}`;
  return column.result.cycles === 0 ? "nothing has run yet" : "no data yet";
}

export class CorunNumbers extends HTMLElement {
  #catalogue: Catalogue | null = null;
  #runs: Column[] = [];
  #before: Column | null = null;
  #cells: Cell[] = [];
  #note = h("p", { class: "note two-lines" });
  #sure = h("span", { class: "sure" });

  /** One run, or two that are compared; `mark`: A, B, or nothing where there is one. */
  setRuns(
    catalogue: Catalogue,
    runs: readonly { mark: string; title: string; kernels: string[]; goals: boolean[] }[],
  ): void {
    this.#catalogue = catalogue;
    this.#runs = runs.map((run) => ({ ...run, result: null, alone: run.kernels.map(() => WAITING), controls: null }));
    this.#render();
  }

  /** What a run has now stays in view as what was before, until it is dismissed. A run that has not begun has nothing to keep. */
  keep(run: number): void {
    const column = this.#runs[run];
    if (!column?.result || column.result.cycles === 0) return;
    this.#before = { ...column, alone: [...column.alone] };
  }
  dismiss(): void {
    const had = this.#before !== null;
    this.#before = null;
    if (had) this.#render();
  }

  alone(run: number, kernel: number, ipc: number | null, why: string): void {
    const column = this.#runs[run];
    if (column) column.alone[kernel] = ipc === null ? `missing: ${why}` : null;
    this.#refresh();
  }

  aloneProgress(run: number, kernel: number, done: number | null): void {
    const column = this.#runs[run];
    if (column && done !== null) column.alone[kernel] = `${WAITING}, ${fixed(Math.min(1, done) * 100, 0)} % done`;
    this.#refresh();
  }

  /** As the machine reads them: they say why a kernel gets nothing. */
  setControls(run: number, controls: Controls): void {
    const column = this.#runs[run];
    if (column) column.controls = controls;
  }

  /** Of each run; all are of one cycle. */
  update(results: readonly (Result | null)[]): void {
    this.#runs.forEach((column, i) => {
      const result = results[i];
      if (result) column.result = result;
    });
    this.#refresh();
  }

  // ---------------------------------------------------------------- what it looks like

  #render(): void {
    this.#cells = [];
    const [run] = this.#runs;
    if (!run) return;
    const sure = h("p", { class: "note three-lines" }, "± is half of a 95 % interval", INTERVALS(), ". ", this.#sure);
    if (this.#runs.length === 1 && !this.#before) this.replaceChildren(...this.#plain(run, sure));
    else this.replaceChildren(this.#compared(), this.#note, sure);
    this.#refresh();
  }

  #plain(run: Column, sure: HTMLElement): HTMLElement[] {
    const table = (caption: string, figures: Figure[]): HTMLElement =>
      h(
        "div",
        { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": caption },
        h(
          "table",
          { class: "numbers" },
          h("caption", { class: "hidden" }, caption),
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              h("th", { scope: "col" }, "Kernel"),
              ...figures.map((c) => h("th", { scope: "col", class: "num" }, c.title, this.#what(c.key))),
            ),
          ),
          h(
            "tbody",
            null,
            ...run.kernels.map((name, k) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, h("span", { class: "kernel-name" }, swatch(k), h("span", null, name))),
                ...figures.map((c) => h("td", { class: "num" }, this.#number(run, k, c))),
              ),
            ),
          ),
        ),
      );
    const tiles = MIX.map((figure) => {
      const metric = this.#metric(figure.key);
      return h(
        "div",
        { class: "tile" },
        h("div", { class: "tile-title" }, metric?.title ?? figure.title, this.#what(figure.key)),
        h("div", { class: "tile-value" }, this.#number(run, "metrics", figure)),
        h("div", { class: "tile-unit" }, metric?.unit || "ratio"),
      );
    });
    const stats = (figures: Figure[], of: Of): HTMLElement =>
      h(
        "dl",
        { class: "stats" },
        ...figures.map((figure) =>
          h(
            "div",
            { class: "stat" },
            h("dt", null, figure.title, this.#what(figure.key)),
            h("dd", null, this.#number(run, of, figure)),
          ),
        ),
      );
    return [
      h("div", { class: "tiles" }, ...tiles),
      table("How fast each kernel is", SPEED),
      ...(run.goals.some((has) => has) ? [table("What each kernel is promised", GOAL)] : []),
      this.#note,
      sure,
      h("h3", null, "What each kernel uses"),
      table("What each kernel uses", SHARE),
      h("h3", null, "Whole GPU"),
      stats(GPU, "gpu"),
      h("h3", null, "Energy, to compare"),
      stats(ENERGY, "energy"),
    ];
  }

  /** One table: a column for each run and for what was before, and the difference of the last two. */
  #compared(): HTMLElement {
    const columns = [...(this.#before ? [this.#before] : []), ...this.#runs];
    const [one, other] = columns.slice(-2) as [Column, Column];
    const two = this.#runs.length > 1;
    const head = h(
      "tr",
      null,
      h("th", { scope: "col" }, h("span", { class: "hidden" }, "Number")),
      ...columns.map((column) =>
        h(
          "th",
          { scope: "col", class: "num" },
          column === this.#before
            ? this.#beforeHead(column)
            : two
              ? h("span", { class: "side-head" }, sideMark(column.mark), column.title)
              : "Now",
        ),
      ),
      h("th", { scope: "col", class: "num" }, two ? "B − A" : "Change"),
    );
    const row = (figure: Figure, places: (Of | null)[]): HTMLElement => {
      const at = (column: Column): Of | null => places[columns.indexOf(column)] ?? null;
      const [a, b] = [at(one), at(other)];
      return h(
        "tr",
        null,
        h("th", { scope: "row" }, figure.title, this.#what(figure.key)),
        ...columns.map((column, i) => {
          const of = places[i] ?? null;
          return h("td", { class: "num" }, of === null ? this.#absent() : this.#number(column, of, figure));
        }),
        h(
          "td",
          { class: "num" },
          a === null || b === null ? this.#absent() : this.#difference(one, a, other, b, figure),
        ),
      );
    };
    const group = (title: (HTMLElement | string)[], figures: Figure[], places: (Of | null)[]): HTMLElement =>
      h(
        "tbody",
        null,
        h("tr", { class: "group-row" }, h("th", { scope: "rowgroup", colSpan: columns.length + 2 }, ...title)),
        ...figures.map((figure) => row(figure, places)),
      );
    const groups = [
      group(
        ["The mix"],
        [...MIX, FAIRNESS],
        columns.map(() => "metrics"),
      ),
      ...union(columns.map(({ kernels }) => kernels)).map(({ name, places }) =>
        group(
          [
            h(
              "span",
              { class: "kernel-name" },
              swatch(places.find((place) => place !== null) ?? 0),
              h("span", null, name),
            ),
          ],
          [
            ...(columns.some(({ goals }, i) => places[i] != null && goals[places[i] as number])
              ? [...GOAL].reverse()
              : []),
            ...[...SPEED].reverse(),
            ...SHARE,
          ],
          places,
        ),
      ),
      group(
        ["Whole GPU"],
        GPU,
        columns.map(() => "gpu"),
      ),
      group(
        ["Energy, to compare"],
        ENERGY,
        columns.map(() => "energy"),
      ),
    ];
    return h(
      "div",
      { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "The numbers compared" },
      h(
        "table",
        { class: "numbers compared" },
        h("caption", { class: "hidden" }, "The numbers compared"),
        h("thead", null, head),
        ...groups,
      ),
    );
  }

  #beforeHead(column: Column): HTMLElement {
    return h(
      "span",
      { class: "before-head" },
      h(
        "button",
        {
          type: "button",
          class: "icon-button small",
          "aria-label": "Dismiss the numbers from before",
          title: "Dismiss the numbers from before",
          onclick: () => {
            this.dismiss();
          },
        },
        icon("close"),
      ),
      h("span", null, column.mark === "" ? "Before" : `${column.mark} before`),
      h(
        "span",
        { class: "before-what" },
        h("span", null, `${column.title},`),
        " ",
        h("span", null, `${count(column.result?.cycles)} cycles`),
      ),
    );
  }

  #number(column: Column, of: Of, figure: Figure): HTMLElement {
    const element = h("span", { class: "value" }, MISSING),
      beside = h("span", { class: "beside" });
    const refresh = (): void => {
      const value = read(column, of, figure.key),
        ends = endsOf(column, of, figure.key),
        text = figure.format(value);
      put(
        element,
        text,
        text === MISSING ? whyNot(column, of, figure) : "",
        text === ENDLESS ? this.#starved([column]) : undefined,
      );
      setText(beside, plusMinus(value, ends, figure.format));
      entitle(beside, inFull(ends, figure.format));
    };
    this.#cells.push({ element, beside, refresh });
    // What was before has its numbers elsewhere.
    if (column !== this.#before) {
      element.dataset["stands"] = `${column.mark}.${figure.key}${typeof of === "number" ? `.${of}` : ""}`;
      element.tabIndex = -1;
    }
    return h("span", { class: "with-beside" }, element, beside);
  }

  /** How far the second is above the first. */
  #difference(one: Column, a: Of, other: Column, b: Of, figure: Figure): HTMLElement {
    const element = h("span", { class: "value" }, MISSING),
      beside = h("span", { class: "beside" });
    const refresh = (): void => {
      const from = read(one, a, figure.key),
        to = read(other, b, figure.key);
      // What is equal to the last digit is the same measurement.
      const ends =
        from === to ? ([null, null] as const) : ([endsOf(one, a, figure.key), endsOf(other, b, figure.key)] as const);
      const gap = apart(from, ends[0], to, ends[1]),
        text = gapText(gap, figure.format);
      put(
        element,
        text,
        gap === null ? "one of the two is missing" : "",
        gap === null
          ? ""
          : `${from ? `${fixed((gap.value / from) * 100, 1)} %` : "from 0"}${gap.half === null ? "" : isClear(gap) ? ", more than the intervals explain" : ", within the intervals: it may be chance"}`,
      );
      element.toggleAttribute("data-clear", gap !== null && isClear(gap));
      setText(
        beside,
        gap === null || gap.half === null
          ? ""
          : plusMinus(gap.value, [gap.value - gap.half, gap.value + gap.half], figure.format),
      );
    };
    this.#cells.push({ element, beside, refresh });
    return h("span", { class: "with-beside" }, element, beside);
  }

  #absent(): HTMLElement {
    return h("span", { class: "value", "data-missing": "", title: "not in this mix" }, MISSING);
  }

  #metric(key: string): Catalogue["metrics"][number] | undefined {
    return this.#catalogue?.metrics.find((m) => m.key === key);
  }

  #what(key: string): HTMLElement | null {
    const metric = this.#metric(key);
    if (!metric) return null;
    return definition(
      metric.title,
      h("p", null, metric.doc),
      h(
        "dl",
        { class: "what-list" },
        h("dt", null, "Formula"),
        h("dd", { class: "formula" }, metric.formula),
        h("dt", null, "Unit"),
        h("dd", null, metric.unit || "none: a ratio"),
        h("dt", null, "Of"),
        h("dd", null, metric.scope),
      ),
    );
  }

  /** Who has got nothing, and why. */
  #starved(columns: readonly Column[]): string {
    return columns
      .flatMap((column) => column.kernels.map((name, k) => ({ name, mark: column.mark, why: starvedOf(column, k) })))
      .filter(({ why }) => why !== "")
      .map(({ name, mark, why }) => `${mark === "" ? "" : `${mark}: `}${name} gets nothing: ${why}.`)
      .join(" ");
  }

  #refresh(): void {
    for (const cell of this.#cells) cell.refresh();
    const title = (ratio: string): string => this.#metric(ratio)?.title ?? ratio;
    setText(
      this.#sure,
      this.#runs.map(({ mark, result }) => `${mark === "" ? "" : `${mark}: `}${sureness(result, title)}`).join(" "),
    );
    const reasons = this.#runs.flatMap(({ alone, kernels }) =>
      alone.map((why, k) => ({ why, name: kernels[k] ?? "" })),
    );
    const waiting = reasons.filter(({ why }) => why?.startsWith(WAITING));
    const failed = reasons.filter(({ why }) => why !== null && !why.startsWith(WAITING));
    const first = waiting.find(({ why }) => why !== WAITING) ?? waiting[0];
    const starved = this.#starved(this.#runs);
    setText(
      this.#note,
      starved !== ""
        ? starved
        : first
          ? `IPC alone of ${first.name} is ${first.why}; slowdowns follow.`
          : failed[0]
            ? `IPC alone is ${failed[0].why}.`
            : "Slowdowns are of this run so far, against each kernel with the whole GPU to itself.",
    );
  }
}

/** Kernels of several mixes, each with its places in them: of two of the same name, the first goes with the first. */
function union(mixes: readonly (readonly string[])[]): { name: string; places: (number | null)[] }[] {
  const names = mixes.map((mix) =>
    mix.map((name, k) => `${name} ${mix.slice(0, k).filter((other) => other === name).length}`),
  );
  const all = [...new Set(names.flat())];
  return all.map((key) => ({
    name: key.slice(0, key.lastIndexOf(" ")),
    places: names.map((mix) => {
      const at = mix.indexOf(key);
      return at < 0 ? null : at;
    }),
  }));
}

function put(element: HTMLElement, text: string, missing: string, title: string = missing): void {
  setText(element, text);
  entitle(element, title);
  element.toggleAttribute("data-missing", missing !== "");
}
function entitle(element: HTMLElement, title: string): void {
  if (element.title !== title) element.title = title;
}

customElements.define("corun-numbers", CorunNumbers);

// The numbers: how fast each kernel is alone and shared, and what the sharing is worth, each with half of its 95 % interval. What a number means
// comes from the engine's registry of metrics; a number that is not there is a dash with the reason beside it.
import { definition, h, setText, swatch } from "./dom.ts";
import { MISSING, count, fixed, percent } from "./format.ts";
import { inFull, interval, plusMinus, sureness } from "./sure.ts";
import type { Catalogue, Interval, KernelResult, Result } from "./types.ts";

const WAITING = "being measured in the background";

type Format = (value: number | null | undefined) => string;
interface Column { key: keyof KernelResult & string; title: string; format: Format; needsAlone?: boolean }
/** A number on the page, and the element beside it that says how sure it is. */
interface Cell {
  element: HTMLElement; beside: HTMLElement; format: Format;
  read(result: Result): number | null | undefined;
  ends(result: Result): Interval;
  why(result: Result): string;
}

/** What an interval is, and where the method comes from: in short what docs/experiments.md says. */
const INTERVALS = (): HTMLElement => definition("a 95 % interval",
  h("p", null, "A run is one sample. The interval is where the number of an endless run lies, in 95 of 100 such runs. It narrows as the run goes on; one that begins cold, or whose policy still learns, keeps it wide."),
  h("p", null, "The run is cut into batches of windows of 400 cycles. Their scatter, with Student's t and a correction for what is left of their correlation, gives the interval of each ratio, slowdown and speedup. Where a kernel repeats itself, launch by launch, each repetition is a batch."),
  h("p", null, "Before each kernel has shown a whole launch, no statistics can know what comes: the interval is too narrow then."),
  h("p", { class: "source" }, "Source: batch means after Schmeiser (Operations Research 30(3), 1982) and Yeh and Schmeiser (48(6), 2000); the correction of SBatch (Lada and Wilson, WSC 2008) and N-Skart (Tafazzoli, Steiger and Wilson, IEEE Trans. Automatic Control 56(2), 2011)."));

export class CorunNumbers extends HTMLElement {
  #catalogue: Catalogue | null = null;
  #cells: Cell[] = [];
  #kernels: string[] = [];
  #note = h("p", { class: "note two-lines" });
  #sure = h("span", { class: "sure" });
  /** Why a kernel has no IPC alone. */
  #alone: (string | null)[] = [];
  #last: Result | null = null;

  setKernels(catalogue: Catalogue, kernels: string[]): void {
    this.#catalogue = catalogue;
    this.#kernels = kernels;
    this.#cells = [];
    this.#alone = kernels.map(() => WAITING);
    this.#last = null;

    const decimals = (n: number): Format => (value) => fixed(value, n);
    const speed: Column[] = [
      { key: "ipc_alone", title: "IPC alone", format: decimals(1), needsAlone: true },
      { key: "ipc", title: "IPC shared", format: decimals(1) },
      { key: "slowdown", title: "Slowdown", format: decimals(2), needsAlone: true },
    ];
    const share: Column[] = [
      { key: "noc_utilisation", title: "NoC", format: percent },
      { key: "dram_utilisation", title: "DRAM", format: percent },
      { key: "l1_hit_rate", title: "L1 hits", format: percent },
      { key: "ctas_done", title: "CTAs done", format: count },
    ];
    const table = (caption: string, columns: Column[]): HTMLElement =>
      h("div", { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": caption }, h("table", { class: "numbers" },
        h("caption", { class: "hidden" }, caption),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Kernel"), ...columns.map((c) => h("th", { scope: "col", class: "num" }, c.title, this.#what(c.key))))),
        h("tbody", null, ...kernels.map((name, k) => h("tr", null,
          h("th", { scope: "row" }, h("span", { class: "kernel-name" }, swatch(k), h("span", null, name))),
          ...columns.map((c) => h("td", { class: "num" }, this.#cell({
            format: c.format,
            read: (r) => r.kernels[k]?.[c.key] as number | null | undefined,
            ends: (r) => interval(r.ci95?.kernels[k], c.key),
            why: (r) => {
              if (c.needsAlone && typeof r.kernels[k]?.ipc_alone !== "number") return `IPC alone is ${this.#alone[k] ?? "missing"}`;
              return r.cycles === 0 ? "nothing has run yet" : "no data yet";
            },
          }))))))));
    const tiles = ([["hspeedup", "HSpeedup"], ["stp", "STP"], ["antt", "ANTT"]] as const).map(([key, title]) => {
      const metric = catalogue.metrics.find((m) => m.key === key);
      return h("div", { class: "tile" },
        h("div", { class: "tile-title" }, metric?.title ?? title, this.#what(key)),
        h("div", { class: "tile-value" }, this.#cell({
          format: decimals(3),
          read: (r) => r.metrics?.[key],
          ends: (r) => interval(r.ci95?.metrics, key),
          why: () => {
            const missing = this.#alone.findIndex((why) => why !== null);
            return missing >= 0 ? `IPC alone of ${kernels[missing]} is ${this.#alone[missing]}` : "no data yet";
          },
        })),
        h("div", { class: "tile-unit" }, metric?.unit || "ratio"));
    });
    const gpu = ([["ipc", "IPC", decimals(1)], ["noc_utilisation", "NoC used", percent], ["dram_utilisation", "DRAM used", percent], ["l1_hit_rate", "L1 hits", percent], ["l2_miss_rate", "L2 misses", percent], ["dram_row_hit_rate", "Row hits", percent]] as [string, string, Format][])
      .map(([key, title, format]) => h("div", { class: "stat" }, h("dt", null, title, this.#what(key)),
        h("dd", null, this.#cell({ format, read: (r) => r.gpu[key], ends: (r) => interval(r.ci95?.gpu, key), why: () => "no data yet" }))));

    this.replaceChildren(
      h("div", { class: "tiles" }, ...tiles),
      table("How fast each kernel is", speed),
      this.#note,
      h("p", { class: "note three-lines" }, "± is half of a 95 % interval", INTERVALS(), ". ", this.#sure),
      h("h3", null, "What each kernel uses"),
      table("What each kernel uses", share),
      h("h3", null, "Whole GPU"),
      h("dl", { class: "stats" }, ...gpu));
    this.#refresh();
  }

  #cell(cell: Omit<Cell, "element" | "beside">): HTMLElement {
    const element = h("span", { class: "value" }, MISSING), beside = h("span", { class: "beside" });
    this.#cells.push({ element, beside, ...cell });
    return h("span", { class: "with-beside" }, element, beside);
  }

  #what(key: string): HTMLElement | null {
    const metric = this.#catalogue?.metrics.find((m) => m.key === key);
    if (!metric) return null;
    return definition(metric.title,
      h("p", null, metric.doc),
      h("dl", { class: "what-list" },
        h("dt", null, "Formula"), h("dd", { class: "formula" }, metric.formula),
        h("dt", null, "Unit"), h("dd", null, metric.unit || "none: a ratio"),
        h("dt", null, "Of"), h("dd", null, metric.scope)));
  }

  alone(kernel: number, ipc: number | null, why: string): void {
    this.#alone[kernel] = ipc === null ? `missing: ${why}` : null;
    this.#refresh();
  }

  aloneProgress(kernel: number, done: number | null): void {
    if (done !== null) this.#alone[kernel] = `${WAITING}, ${fixed(Math.min(1, done) * 100, 0)} % done`;
    this.#refresh();
  }

  update(result: Result): void {
    this.#last = result;
    this.#refresh();
  }

  #refresh(): void {
    const result = this.#last;
    for (const cell of this.#cells) {
      const value = result ? cell.read(result) : null;
      const text = cell.format(value);
      const why = text === MISSING ? (result ? cell.why(result) : "nothing has run yet") : "";
      setText(cell.element, text);
      if (cell.element.title !== why) {
        cell.element.title = why;
        cell.element.toggleAttribute("data-missing", why !== "");
      }
      const ends = result ? cell.ends(result) : null;
      setText(cell.beside, plusMinus(value, ends, cell.format));
      const full = inFull(ends, cell.format);
      if (cell.beside.title !== full) cell.beside.title = full;
    }
    setText(this.#sure, sureness(result, (ratio) => this.#catalogue?.metrics.find((m) => m.key === ratio)?.title ?? ratio));
    const waiting = this.#alone.map((why, k) => ({ why, name: this.#kernels[k] ?? "" })).filter(({ why }) => why?.startsWith(WAITING));
    const failed = this.#alone.filter((why) => why !== null && !why.startsWith(WAITING));
    const first = waiting.find(({ why }) => why !== WAITING) ?? waiting[0];
    setText(this.#note, first ? `IPC alone of ${first.name} is ${first.why}; slowdowns follow.`
      : failed.length > 0 ? `IPC alone is ${failed[0]}.` : "Slowdowns are of this run so far, against each kernel with the whole GPU to itself.");
  }
}

customElements.define("corun-numbers", CorunNumbers);

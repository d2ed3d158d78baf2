// The numbers: how fast each kernel is alone and shared, and what the sharing is worth. What a number means comes from the
// engine's registry of metrics; a number that is not there is a dash with the reason beside it.
import { definition, h, setText, swatch } from "./dom.ts";
import { MISSING, count, fixed, percent } from "./format.ts";
import type { Catalogue, KernelResult, Result } from "./types.ts";

const WAITING = "being measured in the background";

interface Column { key: string; title: string; read: (kernel: KernelResult) => string; needsAlone?: boolean }
interface Cell { element: HTMLElement; read(result: Result): string; why(result: Result): string }

export class CorunNumbers extends HTMLElement {
  #catalogue: Catalogue | null = null;
  #cells: Cell[] = [];
  #kernels: string[] = [];
  #note = h("p", { class: "note two-lines" });
  /** Why a kernel has no IPC alone. */
  #alone: (string | null)[] = [];
  #last: Result | null = null;

  setKernels(catalogue: Catalogue, kernels: string[]): void {
    this.#catalogue = catalogue;
    this.#kernels = kernels;
    this.#cells = [];
    this.#alone = kernels.map(() => WAITING);
    this.#last = null;

    const speed: Column[] = [
      { key: "ipc_alone", title: "IPC alone", read: (k) => fixed(k.ipc_alone, 1), needsAlone: true },
      { key: "ipc", title: "IPC shared", read: (k) => fixed(k.ipc, 1) },
      { key: "slowdown", title: "Slowdown", read: (k) => fixed(k.slowdown, 2), needsAlone: true },
    ];
    const share: Column[] = [
      { key: "noc_utilisation", title: "NoC", read: (k) => percent(k.noc_utilisation) },
      { key: "dram_utilisation", title: "DRAM", read: (k) => percent(k.dram_utilisation) },
      { key: "l1_hit_rate", title: "L1 hits", read: (k) => percent(k.l1_hit_rate) },
      { key: "ctas_done", title: "CTAs done", read: (k) => count(k.ctas_done) },
    ];
    const table = (caption: string, columns: Column[]): HTMLElement =>
      h("div", { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": caption }, h("table", { class: "numbers" },
        h("caption", { class: "hidden" }, caption),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Kernel"), ...columns.map((c) => h("th", { scope: "col", class: "num" }, c.title, this.#what(c.key))))),
        h("tbody", null, ...kernels.map((name, k) => h("tr", null,
          h("th", { scope: "row" }, h("span", { class: "kernel-name" }, swatch(k), h("span", null, name))),
          ...columns.map((c) => h("td", { class: "num" }, this.#cell((r) => (r.kernels[k] ? c.read(r.kernels[k] as KernelResult) : MISSING), (r) => {
            if (c.needsAlone && typeof r.kernels[k]?.ipc_alone !== "number") return `IPC alone is ${this.#alone[k] ?? "missing"}`;
            return r.cycles === 0 ? "nothing has run yet" : "no data yet";
          }))))))));
    const tiles = ([["hspeedup", "HSpeedup", 3], ["stp", "STP", 3], ["antt", "ANTT", 3]] as const).map(([key, title, decimals]) => {
      const metric = catalogue.metrics.find((m) => m.key === key);
      return h("div", { class: "tile" },
        h("div", { class: "tile-title" }, metric?.title ?? title, this.#what(key)),
        h("div", { class: "tile-value" }, this.#cell((r) => fixed(r.metrics?.[key], decimals), () => {
          const missing = this.#alone.findIndex((why) => why !== null);
          return missing >= 0 ? `IPC alone of ${kernels[missing]} is ${this.#alone[missing]}` : "no data yet";
        })),
        h("div", { class: "tile-unit" }, metric?.unit || "ratio"));
    });
    const gpu = ([["ipc", "IPC", (v) => fixed(v, 1)], ["noc_utilisation", "NoC used", percent], ["dram_utilisation", "DRAM used", percent], ["l1_hit_rate", "L1 hits", percent], ["l2_miss_rate", "L2 misses", percent], ["dram_row_hit_rate", "Row hits", percent]] as [string, string, (v: number | null | undefined) => string][])
      .map(([key, title, format]) => h("div", { class: "stat" }, h("dt", null, title, this.#what(key)), h("dd", null, this.#cell((r) => format(r.gpu[key]), () => "no data yet"))));

    this.replaceChildren(
      h("div", { class: "tiles" }, ...tiles),
      table("How fast each kernel is", speed),
      this.#note,
      h("h3", null, "What each kernel uses"),
      table("What each kernel uses", share),
      h("h3", null, "Whole GPU"),
      h("dl", { class: "stats" }, ...gpu));
    this.#refresh();
  }

  #cell(read: (result: Result) => string, why: (result: Result) => string): HTMLElement {
    const element = h("span", { class: "value" }, MISSING);
    this.#cells.push({ element, read, why });
    return element;
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
      const text = result ? cell.read(result) : MISSING;
      const why = text === MISSING ? (result ? cell.why(result) : "nothing has run yet") : "";
      setText(cell.element, text);
      if (cell.element.title !== why) {
        cell.element.title = why;
        cell.element.toggleAttribute("data-missing", why !== "");
      }
    }
    const waiting = this.#alone.map((why, k) => ({ why, name: this.#kernels[k] ?? "" })).filter(({ why }) => why?.startsWith(WAITING));
    const failed = this.#alone.filter((why) => why !== null && !why.startsWith(WAITING));
    const first = waiting.find(({ why }) => why !== WAITING) ?? waiting[0];
    setText(this.#note, first ? `IPC alone of ${first.name} is ${first.why}; slowdowns follow.`
      : failed.length > 0 ? `IPC alone is ${failed[0]}.` : "Slowdowns are of this run so far, against each kernel with the whole GPU to itself.");
  }
}

customElements.define("corun-numbers", CorunNumbers);

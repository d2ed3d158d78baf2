// <corun-decisions>: the last decision in a sentence, what holds for each kernel, the controls as the machine reads them, and all that happened in the
// run as a list, which leads to each of it. The time axes of the dock and of the charts mark the same.
import { holding, inForce, latest } from "./decided.ts";
import { toast } from "./dialogs.ts";
import { h, setText, sideHeading, swatch } from "./dom.ts";
import { count } from "./format.ts";
import { DECISIONS, happened } from "./happened.ts";
import { kernelControls } from "./manual.ts";
import type { Past } from "./past.ts";
import type { ControlEntry, Decision, ShownRun } from "./types.ts";
import { saveAs } from "./views/menu.ts";
import { button, kernelNames } from "./views/parts.ts";

/** Entries of the list that are shown; an export has all. */
const LISTED = 200;

export class CorunDecisions extends HTMLElement {
  #runs: Decided[] = [];
  /** What to do for who wants to see a run's assignment of SM classes turned round. */
  swap: (run: number) => void = () => undefined;
  /** The run is to go to a cycle. */
  go: (cycle: number) => void = () => undefined;

  /** New runs: nothing is decided yet. */
  setRuns(runs: readonly ShownRun[], offered: readonly ControlEntry[]): void {
    this.#runs = runs.map(
      (run, at) =>
        new Decided(
          run,
          offered,
          () => this.swap(at),
          (cycle) => this.go(cycle),
        ),
    );
    this.replaceChildren(...this.#runs.map((run) => run.element));
  }

  /** A run's whole log so far; another list where the run has begun again. */
  setLog(run: number, log: readonly Decision[]): void {
    this.#runs[run]?.setLog(log);
  }

  setPast(run: number, past: Past): void {
    this.#runs[run]?.setPast(past);
  }

  setControls(run: number, controls: unknown): void {
    this.#runs[run]?.setControls(controls);
  }

  /** The present cycle: what was decided later is not said, where a run has gone back. */
  set cycle(cycle: number) {
    for (const run of this.#runs) run.at(cycle);
  }
}

/** What one run's policy decided. */
class Decided {
  readonly element: HTMLElement;
  #log: readonly Decision[] = [];
  #past: Past | null = null;
  /** How many of them are said. */
  #said = -1;
  readonly #kernels: string[];
  readonly #sms: number;
  readonly #offered: readonly ControlEntry[];
  #shown = "";
  readonly #now = h("p", { class: "decided-now" }, "The policy has decided nothing yet.");
  readonly #holds = h("dl", { class: "decided" });
  readonly #controls = h("div", { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "Controls in force" });
  readonly #list = h("ol", { class: "log", tabIndex: 0, "aria-label": "Launches, switches and decisions" });
  #listed = "";
  readonly #kind = h("select", { onchange: () => this.#fill() }, h("option", { value: DECISIONS }, "every decision"));
  readonly #swap: HTMLButtonElement;
  readonly #more = h(
    "details",
    { class: "decided-log", ontoggle: () => this.#fill() },
    h("summary", null, "Every decision, launch and switch, the last first"),
    h("div", { class: "decided-kind" }, h("label", null, "Show ", this.#kind), this.#save("csv"), this.#save("json")),
    this.#list,
  );
  readonly #go: (cycle: number) => void;

  constructor(run: ShownRun, offered: readonly ControlEntry[], swap: () => void, go: (cycle: number) => void) {
    this.#go = go;
    this.#kernels = run.layout.kernels;
    this.#sms = run.layout.sms.length;
    this.#offered = offered;
    for (const box of [this.#controls, this.#list])
      if (run.mark !== "") box.setAttribute("aria-label", `${box.getAttribute("aria-label")}, ${run.mark}`);
    this.#swap = h(
      "button",
      {
        type: "button",
        class: "button",
        title: "A second run beside this one, in which who got big SMs gets small ones, and the other way",
        onclick: swap,
      },
      "Swap the assignment",
    );
    this.element = h(
      "div",
      { class: "decided-run" },
      run.mark === "" ? null : sideHeading(run.mark, run.title),
      h("div", null, this.#now, this.#swap, this.#more),
      this.#holds,
      this.#controls,
    );
    this.at(0);
  }

  setLog(log: readonly Decision[]): void {
    if (log !== this.#log) this.#said = -1;
    this.#log = log;
    this.#fill();
  }

  setPast(past: Past): void {
    this.#past = past;
    this.#fill();
  }

  at(cycle: number): void {
    let said = Math.max(0, Math.min(this.#said, this.#log.length));
    while (said > 0 && (this.#log[said - 1] as Decision).cycle > cycle) said -= 1;
    while (said < this.#log.length && (this.#log[said] as Decision).cycle <= cycle) said += 1;
    if (said === this.#said) return;
    const log = this.#log.slice(0, said);
    this.#said = said;
    setText(this.#now, latest(log, (k) => this.#name(k)) || "The policy has decided nothing yet.");
    this.#holds.replaceChildren(
      ...holding(log, this.#kernels.length).flatMap(({ kernel, said }) => [
        h(
          "dt",
          null,
          kernel === null
            ? "The whole GPU"
            : h("span", { class: "kernel-name" }, swatch(kernel), h("span", null, this.#name(kernel))),
        ),
        ...said.map((d) => h("dd", null, d.text, h("span", { class: "decided-when" }, ` cycle ${count(d.cycle)}`))),
      ]),
    );
    this.#swap.hidden = !log.some((d) => d.topic === "assignment");
  }

  // ---------------------------------------------------------------- the list

  #known(): ReturnType<typeof happened> {
    return happened(kernelNames(this.#kernels), this.#past, this.#log);
  }

  /** All that is known, where the list is open: also of later cycles than the present one, since it leads there. */
  #fill(): void {
    if (!this.#more.open) return;
    const known = this.#known(),
      chosen = this.#kind.value,
      kinds = [
        "",
        DECISIONS,
        ...new Set([...known.map(({ kind }) => kind), ...(chosen.includes(" ") ? [chosen] : [])]),
      ];
    if ([...this.#kind.options].map(({ value }) => value).join("\n") !== kinds.join("\n")) {
      const words: Record<string, string> = { "": "everything", [DECISIONS]: "every decision" };
      this.#kind.replaceChildren(...kinds.map((kind) => h("option", { value: kind }, words[kind] ?? kind)));
      this.#kind.value = chosen;
    }
    const shown = known.filter(({ kind }) => kind.startsWith(chosen)).slice(0, LISTED),
      key = JSON.stringify(shown);
    if (key === this.#listed) return;
    this.#listed = key;
    this.#list.replaceChildren(
      ...shown.map(({ cycle, kernel, text }) =>
        h(
          "li",
          null,
          h("button", { type: "button", title: "Go there", onclick: () => this.#go(cycle) }, `cycle ${count(cycle)}`),
          " ",
          h("span", null, kernel === null ? null : h("b", null, `${this.#name(kernel)} `), text),
        ),
      ),
    );
  }

  #save(kind: "csv" | "json"): HTMLButtonElement {
    const table = () => ({
      title: "Launches, switches and decisions",
      columns: ["cycle", "kind", "kernel", "what"].map((key) => ({ key, title: key, unit: "" })),
      rows: this.#known().map((one) => [
        one.cycle,
        one.kind,
        one.kernel === null ? null : this.#name(one.kernel),
        one.text,
      ]),
    });
    const what = { name: "decisions", title: "Decisions", description: "", table };
    return button(
      kind.toUpperCase(),
      { class: "cv-button", "aria-label": `Save the list as ${kind.toUpperCase()}` },
      () => {
        void saveAs(kind, what).then(toast);
      },
    );
  }

  #name(kernel: number): string {
    return this.#kernels[kernel] ?? `kernel ${kernel}`;
  }

  /** The controls as they stand: the table is made anew only when something in it changed. */
  setControls(controls: unknown): void {
    const offered = kernelControls(this.#offered, this.#sms);
    const rows = inForce(offered, controls, this.#kernels.length, this.#sms),
      shown = JSON.stringify(rows.map((row) => [row.control.key, row.entries]));
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#controls.replaceChildren(
      rows.length === 0
        ? h("p", { class: "note" }, "No control is set: every kernel takes what it finds.")
        : h(
            "table",
            { class: "numbers" },
            h("caption", { class: "hidden" }, "Controls in force"),
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                h("th", { scope: "col" }, "In force"),
                ...this.#kernels.map((name) => h("th", { scope: "col", class: "num" }, name)),
              ),
            ),
            h(
              "tbody",
              null,
              ...rows.map(({ control, entries }) =>
                h(
                  "tr",
                  null,
                  h(
                    "th",
                    { scope: "row", title: control.doc },
                    control.title,
                    control.unit ? h("span", { class: "unit-of" }, ` ${control.unit}`) : null,
                  ),
                  ...entries.map((text) => h("td", { class: "num" }, text)),
                ),
              ),
            ),
          ),
    );
  }
}
customElements.define("corun-decisions", CorunDecisions);

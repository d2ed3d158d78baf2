// The table of predictions: a row for each kernel, with what is predicted, what the run shows so far, and a field for its deadline.
import { definition, h, setText, swatch } from "../dom.ts";
import { MISSING, count, fixed } from "../format.ts";
import type { Prediction } from "../types.ts";
import {
  cyclesOf,
  errorOf,
  figureOf,
  readDeadline,
  signed,
  smsText,
  verdict,
  type Setup,
  type Shown,
} from "./model.ts";

export interface RunShown {
  shown: readonly Shown[];
  now: number;
}
interface Row {
  name: string;
  sms: HTMLElement;
  cells: Record<Key, { value: HTMLElement; beside: HTMLElement }>;
  meter: HTMLElement;
  input: HTMLInputElement;
  problem: HTMLElement;
  said: HTMLElement;
}
type Key = "latency" | "simulated" | "error" | "slowdown" | "bandwidth" | "naive";

/** The paper's margin of acceptability (§7.3). */
const MARGIN = 0.2;
const COLUMNS: readonly { key: Key; title: string; doc: string }[] = [
  {
    key: "latency",
    title: "Predicted",
    doc: "Latency from the common start to the kernel's end, in milliseconds and core cycles (Eq. 8).",
  },
  {
    key: "simulated",
    title: "Simulated",
    doc: "When the kernel has ended in the run above; until then, the part of its CTAs that have finished.",
  },
  {
    key: "error",
    title: "Error",
    doc: "Predicted over simulated, less 1: above 0 where too much is predicted. While the kernel runs, against what it would take at its pace so far. The paper accepts 20 %.",
  },
  {
    key: "slowdown",
    title: "Slowdown",
    doc: "Predicted latency over that alone on the same SMs, which is predicted too (Eq. 4).",
  },
  {
    key: "bandwidth",
    title: "Bandwidth",
    doc: "GB/s between the kernel's SMs and L2 that it asks for when it is alone on them (Eq. 17).",
  },
  {
    key: "naive",
    title: "Naive bound",
    doc: "The paper's baseline: every kernel is 73 % slower for as long as any other runs.",
  },
];

/** The deadline stands beside what is predicted, where a narrow screen shows it too. */
const afterFirst = (cells: HTMLElement[], deadline: HTMLElement): HTMLElement[] => [
  ...cells.slice(0, 1),
  deadline,
  ...cells.slice(1),
];

export class PredictedTable {
  readonly #body = h("tbody");
  readonly element = h(
    "div",
    { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "Predicted and simulated" },
    h(
      "table",
      { class: "numbers predicted-table" },
      h("caption", { class: "hidden" }, "Predicted and simulated"),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, "Kernel"),
          ...afterFirst(
            COLUMNS.map(({ title, doc }) =>
              h("th", { scope: "col", class: "num" }, title, definition(title, h("p", null, doc))),
            ),
            h("th", { scope: "col" }, "Deadline"),
          ),
        ),
      ),
      this.#body,
    ),
  );
  readonly #changed: () => void;
  #rows: Row[] = [];
  #verdicts: { name: string; met: boolean | null; text: string }[] = [];
  deadlines: (number | null)[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  setKernels(names: readonly string[]): void {
    if (names.join("\n") === this.#rows.map(({ name }) => name).join("\n")) return;
    // Deadlines stay at their places.
    const typed = this.#rows.map(({ input }) => input.value);
    this.#rows = names.map((name, k) => this.#row(name, k, typed[k] ?? ""));
    this.#body.replaceChildren(
      ...this.#rows.map((row, k) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, h("span", { class: "kernel-name" }, swatch(k), h("span", null, row.name)), row.sms),
          ...afterFirst(
            COLUMNS.map(({ key }) =>
              h(
                "td",
                { class: "num" },
                h(
                  "span",
                  { class: "with-beside" },
                  row.cells[key].value,
                  row.cells[key].beside,
                  key === "error" ? row.meter : null,
                ),
              ),
            ),
            h(
              "td",
              { class: "predicted-deadline" },
              h("span", { class: "predicted-row" }, row.input, h("span", { class: "unit" }, "ms")),
              row.said,
              row.problem,
            ),
          ),
        ),
      ),
    );
    this.#read();
  }

  #row(name: string, kernel: number, typed: string): Row {
    const cells = Object.fromEntries(
      COLUMNS.map(({ key }) => [
        key,
        { value: h("span", { class: "value" }, MISSING), beside: h("span", { class: "beside" }) },
      ]),
    ) as Row["cells"];
    const problem = h("span", { class: "field-problem", id: `f-deadline-${kernel}-problem`, role: "alert" });
    const input = h("input", {
      id: `f-deadline-${kernel}`,
      class: "number",
      inputMode: "decimal",
      autocomplete: "off",
      placeholder: "none",
      value: typed,
      "aria-label": `Deadline of ${name}, ms`,
      "aria-describedby": problem.id,
    });
    input.addEventListener("input", () => {
      this.#read();
      this.#changed();
    });
    input.setAttribute("type", "text");
    return {
      name,
      sms: h("span", { class: "beside predicted-sms" }),
      cells,
      meter: h("span", { class: "error-meter", "aria-hidden": "true" }, h("span")),
      input,
      problem,
      said: h("span", { class: "beside deadline-said" }),
    };
  }

  /** As a link has them; what is typed and says the same stays. */
  setDeadlines(deadlines: readonly (number | null)[]): void {
    this.#rows.forEach(({ input }, k) => {
      const deadline = deadlines[k] ?? null;
      if (deadline !== (this.deadlines[k] ?? null)) input.value = deadline === null ? "" : String(deadline);
    });
    this.#read();
  }

  #read(): void {
    this.deadlines = this.#rows.map(({ input, problem }) => {
      const { deadline, problem: said } = readDeadline(input.value);
      setText(problem, said);
      input.setAttribute("aria-invalid", String(said !== ""));
      return deadline;
    });
  }

  /** Goes to the first deadline that is none; whether there is one. */
  focusProblem(): boolean {
    const wrong = this.#rows.find(({ problem }) => problem.textContent !== "");
    wrong?.input.focus();
    return wrong !== undefined;
  }

  show(setup: Setup, split: readonly number[], prediction: Prediction | null, run: RunShown | null): void {
    this.#verdicts = [];
    this.#rows.forEach((row, k) => {
      const kernel = prediction?.kernels[k] ?? null,
        shown = run?.shown[k] ?? null,
        deadline = this.deadlines[k] ?? null;
      const put = (key: Key, value: string, beside = ""): void => {
        setText(row.cells[key].value, value);
        row.cells[key].value.toggleAttribute("data-missing", value === MISSING);
        setText(row.cells[key].beside, beside);
      };
      setText(row.sms, smsText(split[k] ?? 0));
      put(
        "latency",
        kernel ? `${figureOf(kernel.latency)} ms` : MISSING,
        kernel ? `${count(cyclesOf(setup, kernel.latency))} cycles` : "",
      );
      put("slowdown", kernel ? `${fixed(kernel.slowdown, 2)} ×` : MISSING);
      put("bandwidth", kernel ? `${fixed(kernel.bandwidth, 1)} GB/s` : MISSING);
      put("naive", kernel ? `${figureOf(kernel.naive)} ms` : MISSING);
      put(
        "simulated",
        !shown ? MISSING : shown.ended !== null ? `${figureOf(shown.ended)} ms` : `${fixed(shown.share * 100, 0)} %`,
        !shown ? "" : shown.ended !== null ? `${count(cyclesOf(setup, shown.ended))} cycles` : "of its CTAs",
      );
      const error = kernel && shown ? errorOf(kernel.latency, shown, run?.now ?? 0) : null;
      put(
        "error",
        error === null ? MISSING : signed(error),
        error === null ? "" : shown?.ended == null ? "at this pace" : "",
      );
      row.meter.toggleAttribute("data-far", error !== null && Math.abs(error) > MARGIN);
      (row.meter.firstElementChild as HTMLElement).style.width = `${Math.min(100, Math.abs(error ?? 0) * 100)}%`;
      const judged = kernel && deadline !== null ? verdict(deadline, kernel.latency, shown, run?.now ?? 0) : null;
      setText(row.said, judged?.text ?? "");
      row.said.dataset["met"] = judged ? String(judged.met ?? kernel?.meets === true) : "";
      if (judged) this.#verdicts.push({ name: row.name, ...judged });
    });
  }

  /** What the run proves of the deadlines; empty before all of their kernels have ended. */
  proof(run: RunShown | null): string {
    if (!run || this.#verdicts.length === 0 || this.#verdicts.some(({ met }) => met === null)) return "";
    const missed = this.#verdicts.filter(({ met }) => met === false);
    return missed.length === 0
      ? `${this.#verdicts.length === 1 ? "The deadline is" : this.#verdicts.length === 2 ? "Both deadlines are" : "All deadlines are"} met, simulated.`
      : `Not met: ${missed.map(({ name, text }) => `${name} ${text}`).join("; ")}.`;
  }
}

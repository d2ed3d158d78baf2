// <corun-compare>: which two experiments are compared, in which fields they differ, and what can be done about each side: another scheme, editing
// it, keeping only it.
import { policyEntry } from "./choices.ts";
import type { Difference } from "./difference.ts";
import { h, setText, sideMark } from "./dom.ts";
import type { Catalogue } from "./types.ts";

export interface CompareEvents {
  swap(side: number, scheme: string): void;
  edit(side: number): void;
  only(side: number): void;
}
export interface ComparedSide {
  /** The scheme's name, and what it is run on. */ scheme: string;
  mix: string;
  gpu: string;
}

/** Differences that are shown before the rest has to be asked for. */
const SHOWN = 6;
export const MARKS = ["A", "B"] as const;

export class CorunCompare extends HTMLElement {
  #catalogue: Catalogue | null = null;
  #events: CompareEvents | null = null;
  readonly #sides = h("div", { class: "compare-sides" });
  readonly #differ = h("div", { class: "compare-differ", role: "status" });
  #shown = "";

  init(catalogue: Catalogue, events: CompareEvents): void {
    this.#catalogue = catalogue;
    this.#events = events;
    this.replaceChildren(this.#sides, this.#differ);
  }

  show(sides: readonly ComparedSide[], edited: number): void {
    const focused = this.contains(document.activeElement) ? document.activeElement?.id : "";
    this.#sides.replaceChildren(...sides.map((side, i) => this.#side(side, i, edited === i)));
    if (focused) document.getElementById(focused)?.focus();
  }

  #side(side: ComparedSide, i: number, edited: boolean): HTMLElement {
    const mark = MARKS[i] ?? "",
      policies = this.#catalogue?.policies ?? [];
    const select = h(
      "select",
      { id: `f-side-${mark}`, "aria-label": `Scheme of ${mark}` },
      ...policies.map((p) => h("option", { value: p.name }, p.title || p.name)),
    );
    const entry = this.#catalogue ? policyEntry(this.#catalogue, side.scheme) : undefined;
    if (!entry) select.prepend(h("option", { value: side.scheme }, side.scheme));
    select.value = entry?.name ?? side.scheme;
    select.addEventListener("change", () => this.#events?.swap(i, select.value));
    const button = (id: string, text: string, title: string, run: () => void): HTMLElement =>
      h("button", { type: "button", class: "button", id: `f-${id}-${mark}`, title, onclick: run }, text);
    const edit = button("edit", `Edit ${mark}`, `Edit ${mark} in the form`, () => this.#events?.edit(i));
    edit.setAttribute("aria-pressed", String(edited));
    return h(
      "section",
      { class: "compare-side", "aria-label": `Run ${mark}` },
      h("div", { class: "compare-scheme" }, sideMark(mark), select),
      h(
        "div",
        { class: "compare-buttons" },
        edit,
        button("only", `Only ${mark}`, `Go on with ${mark} alone`, () => this.#events?.only(i)),
      ),
      h("p", { class: "note" }, `${side.mix} on ${side.gpu}`),
    );
  }

  /** null: not known yet, or one of them cannot run, which `why` says. */
  differ(differences: readonly Difference[] | null, why = ""): void {
    const key = JSON.stringify([differences, why]);
    if (key === this.#shown) return;
    this.#shown = key;
    if (differences === null) {
      this.#differ.replaceChildren(h("p", null, why));
      return;
    }
    if (differences.length === 0) {
      this.#differ.replaceChildren(
        h("p", null, "A and B are the same experiment. Give one of them another scheme, or edit it."),
      );
      return;
    }
    const item = ({ title, path, a, b }: Difference): HTMLElement =>
      h(
        "li",
        { title: path },
        h("b", null, `${title}:`),
        " ",
        h("span", { class: "difference-of" }, sideMark("A"), a),
        " ",
        h("span", { class: "difference-of" }, sideMark("B"), b),
      );
    const rest = differences.slice(SHOWN);
    const head = h("p", null);
    setText(
      head,
      differences.length === 1 ? "They differ in one field:" : `They differ in ${differences.length} fields:`,
    );
    this.#differ.replaceChildren(
      head,
      h("ul", null, ...differences.slice(0, SHOWN).map(item)),
      ...(rest.length > 0
        ? [h("details", null, h("summary", null, `${rest.length} more`), h("ul", null, ...rest.map(item)))]
        : []),
    );
  }
}

customElements.define("corun-compare", CorunCompare);

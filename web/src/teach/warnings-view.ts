// <corun-warnings>: what a run cannot show, below its pictures; two runs that are compared have theirs one after the other.
import { h } from "../dom.ts";

export class CorunWarnings extends HTMLElement {
  #shown = "";

  /** Of each run, its mark (empty where there is one) and what is to be said of it. */
  show(runs: readonly { mark: string; texts: readonly string[] }[]): void {
    // What both have in common is said once.
    const all = runs.flatMap(({ mark, texts }) =>
      texts.map((text) => ({ text, mark: runs.every((one) => one.texts.includes(text)) ? "" : mark })),
    );
    const lines = [...new Set(all.map(({ mark, text }) => (mark === "" ? text : `${mark}: ${text}`)))];
    const key = lines.join("\n");
    if (key === this.#shown) return;
    this.#shown = key;
    this.hidden = lines.length === 0;
    const list = h(
      "ul",
      { class: "warnings", role: "list", "aria-label": "What this run cannot show" },
      ...lines.map((text) => h("li", null, h("b", { "aria-hidden": "true" }, "!"), h("span", null, text))),
    );
    // Several would take the room of the pictures.
    const folded = h(
      "details",
      { class: "warnings-all" },
      h("summary", null, `${lines.length} things that this run cannot show`),
      list,
    );
    this.replaceChildren(...(lines.length === 0 ? [] : [lines.length === 1 ? list : folded]));
  }
}
customElements.define("corun-warnings", CorunWarnings);

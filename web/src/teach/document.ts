// A page of docs/ in a dialog, as elements.
import { h, icon } from "../dom.ts";
import type { Block, Inline } from "./markdown.ts";

/** A dialog that is gone when it is closed. */
export class DocumentDialog {
  readonly title = h("h2", { id: "document-title" });
  readonly body = h("div", { class: "policy-card", tabIndex: -1 });
  readonly #dialog: HTMLDialogElement;

  constructor(title: string) {
    this.title.textContent = title;
    const close = h("button", { type: "button", class: "icon-button", "aria-label": "Close" }, icon("close"));
    this.#dialog = h(
      "dialog",
      { class: "help policy-dialog", "aria-labelledby": this.title.id },
      h("div", { class: "dialog-head" }, this.title, close),
      this.body,
    );
    close.onclick = () => this.#dialog.close();
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
    this.#dialog.addEventListener("close", () => this.#dialog.remove());
  }

  open(): void {
    document.body.append(this.#dialog);
    this.#dialog.showModal();
  }
}

export type LinkOf = (text: string, to: string) => HTMLElement;

const inline = (parts: readonly Inline[], link: LinkOf): (Node | string)[] => parts.map((part) => inlineOf(part, link));

function inlineOf(part: Inline, link: LinkOf): Node | string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "bold":
      return h("strong", null, part.text);
    case "italic":
      return h("em", null, part.text);
    case "code":
      return h("code", null, part.text);
    case "link":
      return link(part.text, part.to);
  }
}

export function blockOf(block: Block, link: LinkOf): HTMLElement {
  switch (block.kind) {
    case "heading":
      return h("h3", null, ...inline(block.text, link));
    case "paragraph":
      return h("p", null, ...inline(block.text, link));
    case "list":
      return h(block.ordered ? "ol" : "ul", null, ...block.items.map((item) => h("li", null, ...inline(item, link))));
    case "code":
      return h("pre", null, block.text);
    case "table":
      return h(
        "div",
        {
          class: "scroll-x",
          tabIndex: 0,
          role: "region",
          "aria-label": `Table: ${block.head.map((cell) => cell.map(({ text }) => text).join("")).join(", ")}`,
        },
        h(
          "table",
          { class: "numbers" },
          h(
            "thead",
            null,
            h("tr", null, ...block.head.map((cell) => h("th", { scope: "col" }, ...inline(cell, link)))),
          ),
          h(
            "tbody",
            null,
            ...block.rows.map((row) => h("tr", null, ...row.map((cell) => h("td", null, ...inline(cell, link))))),
          ),
        ),
      );
  }
}

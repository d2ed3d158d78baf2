// Sentences on the page: a number leads to where it stands, a kernel's name has its mark. An element says where a number stands by `data-stands`.
import { h, setText, swatch } from "../dom.ts";
import type { Part, Sentence } from "./verdict.ts";

/** The name of a number's place, of a run: `A.slowdown.0`. */
export const placeOf = (mark: string, at: string): string => `${mark}.${at}`;

/** Leads to the number, and marks it for a moment. */
function lead(place: string): void {
  const to = document.querySelector<HTMLElement>(`[data-stands="${place}"]`);
  if (!to) return;
  const closed = to.closest<HTMLDetailsElement>("details:not([open])");
  if (closed) closed.open = true;
  to.scrollIntoView({ block: "center" });
  to.tabIndex = -1;
  to.focus({ preventScroll: true });
}

/** A paragraph for sentences that change while the run goes on: only what differs is written, so that a button can be pressed. */
export class Prose {
  readonly element = h("p", { class: "prose" });
  readonly #mark: string;
  #shape = "";
  #numbers: HTMLElement[] = [];

  constructor(mark: string) {
    this.#mark = mark;
  }

  show(sentences: readonly Sentence[]): void {
    const parts = sentences.flatMap((sentence, i): Part[] => (i === 0 ? sentence : [" ", ...sentence]));
    const numbers = parts.filter((part) => typeof part !== "string" && "at" in part);
    const shape = JSON.stringify(parts.map((part) => (typeof part === "string" || "kernel" in part ? part : part.at)));
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#numbers = [];
      this.element.replaceChildren(...parts.map((part) => this.#part(part)));
    }
    numbers.forEach((part, i) => {
      const number = this.#numbers[i];
      if (number && typeof part !== "string") setText(number, part.text);
    });
  }

  #part(part: Part): Node | string {
    if (typeof part === "string") return part;
    if ("kernel" in part) return h("span", { class: "named" }, swatch(part.kernel), h("b", null, part.text));
    const place = placeOf(this.#mark, part.at);
    const number = !document.querySelector(`[data-stands="${place}"]`)
      ? h("b", null, part.text)
      : h(
          "button",
          {
            type: "button",
            class: "stands",
            title: "Where this number stands",
            onclick: () => {
              lead(place);
            },
          },
          part.text,
        );
    this.#numbers.push(number);
    return number;
  }
}

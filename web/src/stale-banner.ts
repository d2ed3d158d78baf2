// What stands on the page while it is not what is asked for: the pictures of the run before, faded under a ribbon that says so.
import { h, setText } from "./dom.ts";

export class StaleBanner {
  readonly #pictures: HTMLElement;
  readonly #text = h("span");
  readonly #ribbon = h("p", { class: "standing", hidden: true }, this.#text);

  constructor(pictures: HTMLElement) {
    this.#pictures = pictures;
    pictures.prepend(this.#ribbon);
  }

  /** `faded`: it waits for what comes; else it goes on, because what was asked for cannot run. */
  mark(text: string, faded: boolean): void {
    setText(this.#text, text);
    this.#ribbon.hidden = false;
    this.#pictures.dataset["standing"] = faded ? "faded" : "on";
    this.#pictures.setAttribute("aria-busy", String(faded));
  }

  clear(): void {
    this.#ribbon.hidden = true;
    delete this.#pictures.dataset["standing"];
    this.#pictures.removeAttribute("aria-busy");
  }
}

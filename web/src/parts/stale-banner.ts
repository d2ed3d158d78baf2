// What stands on the page while it is not what is asked for: nothing of the run before where the next one comes, and else that run under a ribbon.
import { h, setText } from "./dom.ts";

export class StaleBanner {
  readonly #pictures: HTMLElement;
  readonly #text = h("span");
  readonly #ribbon = h("p", { class: "standing", hidden: true }, this.#text);

  constructor(pictures: HTMLElement) {
    this.#pictures = pictures;
    pictures.prepend(this.#ribbon);
  }

  mark(standing: "waits" | { text: string } | null): void {
    const waits = standing === "waits",
      text = standing === null || waits ? "" : standing.text;
    setText(this.#text, text);
    this.#ribbon.hidden = text === "";
    this.#pictures.toggleAttribute("data-waits", waits);
    if (waits) this.#pictures.setAttribute("aria-busy", "true");
    else this.#pictures.removeAttribute("aria-busy");
  }
}

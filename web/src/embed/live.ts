// The elements of the package: a run, what goes into articles, and the pictures that the page is made of.
import { defineArticle } from "./article.ts";
import { paintKernels, onThemeChange } from "../parts/palette.ts";
import { VIEWS } from "../picture/elements.ts";
import { documentSheet } from "./looks.ts";
import { mountRun, type Mounted, type Outcome } from "./mount.ts";
import type { Engine } from "./run.ts";

/** The engine of the package; it starts once, with the module that its caller has handed over, or with its own. */
async function started(): Promise<Engine> {
  const engine = await import("#corun");
  await engine.default();
  return engine as Engine;
}

/** <corun-run link="#v=1&…" theme="dark">: runs the link with the engine of the package. Fires `corun-result` (bubbling, CustomEvent<Outcome>). */
class CorunRun extends HTMLElement {
  static readonly observedAttributes = ["link", "theme"];
  #mounted: Mounted | null = null;

  connectedCallback(): void {
    this.#mounted = mountRun(this, {
      link: this.getAttribute("link") ?? "",
      theme: this.getAttribute("theme"),
      engine: started,
      ended: (detail) => {
        this.dispatchEvent(new CustomEvent<Outcome>("corun-result", { bubbles: true, detail }));
      },
    });
  }

  disconnectedCallback(): void {
    this.#mounted?.end();
    this.#mounted = null;
  }

  attributeChangedCallback(name: string, _: string | null, theme: string | null): void {
    if (!this.#mounted) return;
    if (name === "theme") this.#mounted.recolour(theme);
    else {
      this.disconnectedCallback();
      this.connectedCallback();
    }
  }
}

export function defineAll(): void {
  const fresh = ([name]: readonly [string, CustomElementConstructor]): boolean => !customElements.get(name);
  const mine = [["corun-run", CorunRun], ...VIEWS].filter((one) => fresh(one as [string, CustomElementConstructor]));
  if (mine.length > 0) {
    document.adoptedStyleSheets.push(documentSheet());
    paintKernels();
    onThemeChange(paintKernels);
  }
  for (const [name, element] of mine) customElements.define(name as string, element as CustomElementConstructor);
  // There is no page beside a package.
  defineArticle(() => null);
}

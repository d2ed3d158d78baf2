// <corun-figure paper="ccbp" figure="fig9a">: a figure in an article. Shows a picture at once, its own or the one inside the
// element, and becomes the live figure, in a frame, when it is clicked. Built as one file with a stable name, corun-figure.js, that runs
// as a module and as a plain script: a host that sends no CORS headers serves only the latter to other origins.

// A function, so that as a plain script it leaves no names behind in the article.
(() => {
const SCRIPT = "corun-figure.js";
const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** Heights of a frame that are believed, pixels. */
const TALLEST = 20_000;

const LOOKS = `
:host { display: block; position: relative; }
.box { position: relative; cursor: pointer; }
img, ::slotted(img), ::slotted(*) { max-width: 100%; }
img { display: block; height: auto; }
button { font: 600 0.8125rem/1.4 system-ui, sans-serif; margin-top: 0.5rem; padding: 0.5rem 0.75rem; min-height: 2.25rem; cursor: pointer; color: #fff; background: #1f5fbf; border: 1px solid #1f5fbf; border-radius: 5px; }
button:hover { background: #174a96; }
button:focus-visible { outline: 2px solid #1f5fbf; outline-offset: 2px; }
iframe { display: block; width: 100%; border: 0; }
p { color: #b3261e; font: 0.875rem/1.5 system-ui, sans-serif; }
`;

/** The folder that the script lies in. */
function folder(): string {
  const found = [...document.scripts].map((script) => script.src).find((src) => new URL(src || "about:blank", document.baseURI).pathname.endsWith(`/${SCRIPT}`));
  return new URL(".", found ?? document.baseURI).href;
}

class CorunFigure extends HTMLElement {
  static readonly observedAttributes = ["paper", "figure"];
  readonly #root = this.attachShadow({ mode: "open" });
  #frame: HTMLIFrameElement | null = null;

  connectedCallback(): void {
    const sheet = new CSSStyleSheet();
    // The picture goes with the system's colours, but an article that says nothing of colours stays light in a dark system.
    sheet.replaceSync(getComputedStyle(this).colorScheme === "normal" ? `${LOOKS}:host { color-scheme: light; }` : LOOKS);
    this.#root.adoptedStyleSheets = [sheet];
    addEventListener("message", this.#heard);
    this.#still();
  }

  disconnectedCallback(): void { removeEventListener("message", this.#heard); }

  attributeChangedCallback(_: string, before: string | null): void { if (before !== null && this.isConnected) this.#still(); }

  #address(): { picture: string; page: string } | string {
    const [paper, figure] = ["paper", "figure"].map((name) => this.getAttribute(name) ?? "") as [string, string];
    const wrong = !NAME.test(paper) ? "paper" : !NAME.test(figure) ? "figure" : null;
    if (wrong !== null) return `corun-figure: ${wrong}: found “${(this.getAttribute(wrong) ?? "nothing").slice(0, 40)}”, want a name such as ${wrong === "paper" ? "ccbp" : "fig9a"}`;
    const base = folder();
    return { picture: `${base}papers/${paper}/${figure}.svg`, page: `${base}figures.html?paper=${paper}&figure=${figure}&embed=1` };
  }

  /** The picture, and a button that makes it live. */
  #still(): void {
    this.#frame = null;
    const address = this.#address();
    if (typeof address === "string") {
      const problem = document.createElement("p");
      problem.textContent = address;
      this.#root.replaceChildren(document.createElement("slot"), problem);
      return;
    }
    const box = document.createElement("div"), slot = document.createElement("slot"), go = document.createElement("button");
    box.className = "box";
    go.type = "button";
    go.textContent = "Make it live";
    const picture = document.createElement("img");
    picture.alt = this.getAttribute("alt") ?? `Figure ${this.getAttribute("figure")} of ${this.getAttribute("paper")}`;
    box.append(slot, go);
    // What the author put inside may be parsed later than this.
    const settle = (): void => {
      if (this.firstElementChild) picture.remove();
      else if (!picture.isConnected) { picture.src = address.picture; box.prepend(picture); }
    };
    slot.addEventListener("slotchange", settle);
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", settle, { once: true });
    else settle();
    box.addEventListener("click", (event) => {
      event.preventDefault();
      this.#live(address.page);
    });
    this.#root.replaceChildren(box);
  }

  #live(page: string): void {
    const frame = document.createElement("iframe");
    frame.src = page;
    frame.title = this.querySelector("img")?.alt ?? this.getAttribute("alt") ?? "A live figure of Corun";
    // At least as tall as what it replaces, until it says how tall it is.
    frame.height = String(Math.max(240, Math.ceil(this.getBoundingClientRect().height)));
    frame.allow = "clipboard-write";
    this.#frame = frame;
    this.#root.replaceChildren(frame);
    frame.focus();
  }

  readonly #heard = (event: MessageEvent): void => {
    if (!this.#frame || event.source !== this.#frame.contentWindow) return;
    const { corun, height } = (event.data ?? {}) as { corun?: unknown; height?: unknown };
    if (corun === "figure-height" && typeof height === "number" && height > 0) this.#frame.height = String(Math.min(TALLEST, Math.ceil(height)));
  };
}

if (!customElements.get("corun-figure")) customElements.define("corun-figure", CorunFigure);
})();

// <corun-figure paper="ccbp" figure="fig9a">: a figure in an article. <corun-lab link="#v=1&…" hide="schemes">: a run of the simulator in one.
// Each shows a picture at once, its own or the one inside the element, and becomes live, in a frame, when it is clicked. `host` is the folder of
// the page whose frame that is, `theme` its colours.

/** Registers both. `folder`: where the page is for elements that do not say so; null where that is not known. */
export function defineArticle(folder: () => string | null): void {
  const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
  /** Pixels of a frame; what is taller scrolls in it. */
  const TALLEST = 600;

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

  /** What an element shows: its page, what is to be read of it, and its picture, if there is one beside the page. */
  interface Address {
    page: string;
    title: string;
    picture: string | null;
    go: string;
  }

  abstract class Live extends HTMLElement {
    readonly #root = this.attachShadow({ mode: "open" });
    #frame: HTMLIFrameElement | null = null;

    /** From the attributes, below the folder of the page; words where they are wrong. `theme`: what is added to a page's query. */
    protected abstract address(base: string, theme: string): Address | string;

    /** The same, once what both elements have is read. */
    #address(): Address | string {
      const wrong = (name: string, want: string): string =>
        `${this.localName}: ${name}: found “${(this.getAttribute(name) ?? "nothing").slice(0, 40)}”, want ${want}`;
      const host = this.getAttribute("host") ?? folder(),
        theme = this.getAttribute("theme") ?? "";
      if (
        host === null ||
        !URL.canParse(host, document.baseURI) ||
        !/^https?:/.test(new URL(host, document.baseURI).href)
      )
        return wrong("host", "the folder of Corun's page, such as https://your.host/corun/");
      if (!/^(light|dark)?$/.test(theme)) return wrong("theme", "light or dark");
      this.style.colorScheme = theme;
      return this.address(new URL(`${host.replace(/\/$/, "")}/`, document.baseURI).href, theme && `&theme=${theme}`);
    }

    connectedCallback(): void {
      const sheet = new CSSStyleSheet();
      // The picture goes with the system's colours, but an article that says nothing of colours stays light in a dark system.
      sheet.replaceSync(
        getComputedStyle(this).colorScheme === "normal" ? `${LOOKS}:host { color-scheme: light; }` : LOOKS,
      );
      this.#root.adoptedStyleSheets = [sheet];
      addEventListener("message", this.#heard);
      this.#still();
    }

    disconnectedCallback(): void {
      removeEventListener("message", this.#heard);
    }

    attributeChangedCallback(_: string, before: string | null): void {
      if (before !== null && this.isConnected) this.#still();
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
      const box = document.createElement("div"),
        slot = document.createElement("slot"),
        go = document.createElement("button");
      box.className = "box";
      go.type = "button";
      go.textContent = address.go;
      const picture = document.createElement("img");
      picture.alt = address.title;
      box.append(slot, go);
      // What the author put inside may be parsed later than this.
      const settle = (): void => {
        if (this.firstElementChild || address.picture === null) picture.remove();
        else if (!picture.isConnected) {
          picture.src = address.picture;
          box.prepend(picture);
        }
      };
      slot.addEventListener("slotchange", settle);
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", settle, { once: true });
      else settle();
      box.addEventListener("click", (event) => {
        event.preventDefault();
        this.#live(address);
      });
      this.#root.replaceChildren(box);
    }

    #live(address: Address): void {
      const frame = document.createElement("iframe");
      frame.src = address.page;
      frame.title = this.querySelector("img")?.alt ?? address.title;
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
      if (corun === "figure-height" && typeof height === "number" && height > 0)
        this.#frame.height = String(Math.min(TALLEST, Math.ceil(height)));
    };
  }

  class CorunFigure extends Live {
    static readonly observedAttributes = ["paper", "figure", "host", "theme"];

    protected address(base: string, theme: string): Address | string {
      const [paper, figure] = ["paper", "figure"].map((name) => this.getAttribute(name) ?? "") as [string, string];
      const wrong = !NAME.test(paper) ? "paper" : !NAME.test(figure) ? "figure" : null;
      if (wrong !== null)
        return `corun-figure: ${wrong}: found “${(this.getAttribute(wrong) ?? "nothing").slice(0, 40)}”, want a name such as ${wrong === "paper" ? "ccbp" : "fig9a"}`;
      return {
        page: `${base}figures.html?paper=${paper}&figure=${figure}&embed=1${theme}`,
        picture: `${base}papers/${paper}/${figure}.svg`,
        title: this.getAttribute("alt") ?? `Figure ${figure} of ${paper}`,
        go: "Make it live",
      };
    }
  }

  /** Of the link only what is behind its `#` counts: the run is the one of the page that the script belongs to. */
  class CorunLab extends Live {
    static readonly observedAttributes = ["link", "hide", "host", "theme"];

    protected address(base: string, theme: string): Address | string {
      const link = this.getAttribute("link") ?? "",
        at = link.indexOf("#"),
        hide = this.getAttribute("hide") ?? "";
      if (!/^#v=\d/.test(link.slice(Math.max(0, at))))
        return `corun-lab: link: found “${link.slice(0, 40) || "nothing"}”, want the link to a run, such as #v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD`;
      if (!/^[a-z, ]*$/.test(hide))
        return `corun-lab: hide: found “${hide.slice(0, 40)}”, want names of panels, such as experiment,schemes`;
      const panels = hide.replaceAll(" ", "");
      return {
        page: `${base}?embed=1${theme}${panels === "" ? "" : `&hide=${panels}`}${link.slice(at)}`,
        picture: null,
        title: this.getAttribute("alt") ?? "A run of Corun",
        go: "Run it here",
      };
    }
  }

  if (!customElements.get("corun-figure")) customElements.define("corun-figure", CorunFigure);
  if (!customElements.get("corun-lab")) customElements.define("corun-lab", CorunLab);
}

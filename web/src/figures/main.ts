// The figures of a paper, live: `figures.html?paper=ccbp` shows all, `&figure=fig9a` one, `&embed=1` that one for a frame in an article.
import "../style/tokens.css";
import "../style/base.css";
import "../style/layout.css";
import "../style/parts.css";
import "../views/views.css";
import "./figures.css";
import * as engine from "../wasm/corun.js";
import { notice, type Notice } from "../dialogs.ts";
import { h } from "../dom.ts";
import { compileModule } from "../module.ts";
import { startTheme, themeButton } from "../theme.ts";
import { FigureCard, type Shared } from "./card.ts";
import { DocumentError, NAME, readDocument, type FigureDocument } from "./document.ts";

const $ = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement;
const query = new URLSearchParams(location.search);
const paper = query.get("paper") ?? "ccbp", only = query.get("figure"), embedded = query.get("embed") === "1";
document.documentElement.toggleAttribute("data-embed", embedded);

let cards: FigureCard[] = [];
startTheme();

function say(of: Notice | null): void { $("#notices").replaceChildren(...(of ? [notice(of)] : [])); }
const retry = { label: "Try again", primary: true, run: () => { location.reload(); } };

async function fetched(): Promise<FigureDocument> {
  if (!NAME.test(paper)) throw new DocumentError("The address does not name a paper: paper=… takes small letters, digits and dashes.");
  const response = await fetch(`./papers/${paper}.json`);
  if (response.status === 404) throw new DocumentError(`This page has no figures of a paper “${paper}”. \`cargo xtask reproduce\` computes them.`);
  if (!response.ok) throw new Error(`the figures could not be fetched: ${response.status} ${response.statusText}`);
  let value: unknown;
  // Some hosts answer with a page of their own instead of 404.
  try { value = await response.json(); } catch { throw new DocumentError(`papers/${paper}.json is not JSON.`); }
  return readDocument(value);
}

function build(of: FigureDocument): void {
  const chosen = only === null ? of.figures : of.figures.filter((f) => f.id === only);
  if (chosen.length === 0) throw new DocumentError(`There is no figure “${(only ?? "").slice(0, 40)}”; there are ${of.figures.map((f) => f.id).join(", ")}.`);
  const shared: Shared = {
    document: of, base: new URL("./", location.href).href, embedded, results: new Map(), busy: null,
    changed: () => { for (const card of cards) card.refresh(); document.documentElement.dataset["figures"] = shared.busy ? "running" : "ready"; },
  };
  cards = chosen.map((figure) => new FigureCard(figure, shared));
  document.title = `${only === null ? `Figures: ${of.title}` : chosen[0]?.title ?? ""} · Corun`;
  // In an article there are more main parts than this one.
  if (embedded) $("#main").setAttribute("aria-label", `Live figure: ${chosen[0]?.title ?? ""}`);
  $("#figures").replaceChildren(...cards.map((card) => card.element));
  $("#list").replaceChildren(
    h("section", { class: "editor-section", "aria-label": "The paper" }, h("h2", null, of.title), h("div", { class: "section-body" }, h("p", null, of.citation))),
    h("nav", { class: "editor-section", "aria-label": "Figures" }, h("h2", null, "Figures"), h("ul", { class: "figure-list" },
      ...of.figures.map((f) => h("li", null, h("a", { href: only === null ? `#${f.id}` : `./figures.html?paper=${paper}#${f.id}`, ...(f.id === only ? { "aria-current": "page" } : {}) }, h("b", null, f.source || f.id), ` ${f.title}`))))));
  if (location.hash !== "" && only === null) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const otherEngine = (stored: string, here: string): string =>
  `The stored values were made with an engine of another behaviour (Corun ${stored}): running a figure again here shows the values of the present engine (Corun ${here}), which can differ.`;

/** Tells the article around a frame how tall the figure is. */
function tellHeight(): void {
  const tell = (): void => { parent.postMessage({ corun: "figure-height", paper, figure: only, height: Math.ceil(document.body.getBoundingClientRect().height) }, "*"); };
  new ResizeObserver(tell).observe(document.body);
}

$("#actions").append(themeButton());
addEventListener("beforeunload", (event) => { if (!embedded && cards.some((card) => card.running)) event.preventDefault(); });

async function begin(): Promise<void> {
  if (embedded && parent !== window) tellHeight();
  const compiling = compileModule();
  compiling.catch(() => undefined);
  let of: FigureDocument;
  try {
    of = await fetched();
    build(of);
  } catch (error) {
    $("#list").hidden = true;
    say({ kind: "error", title: "These figures cannot be shown", text: [error instanceof Error ? error.message : String(error)], actions: [retry] });
    return;
  }
  try {
    const module = await compiling;
    await engine.default({ module_or_path: module });
    for (const card of cards) card.awake(module, engine);
    if (of.stamp.engine !== engine.stamp()) say({ kind: "info", title: "Stored values of another engine", text: [otherEngine(of.stamp.engine, engine.stamp())], actions: [] });
    document.documentElement.dataset["figures"] = "ready";
  } catch (error) {
    say({ kind: "error", title: "The simulator could not be started", text: [error instanceof Error ? error.message : String(error), "The figures stand as they were drawn when they were computed; they cannot be run again."], actions: [retry] });
  }
}
void begin();

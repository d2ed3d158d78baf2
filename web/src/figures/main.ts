// The figures of a paper: `figures.html?paper=ccbp` shows them small, `&figure=fig9a` one, live, `&all=1` all of them so, `&embed=1` one for a frame in an article.
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
import { sameEngine } from "../stamp.ts";
import { startTheme, themeButton } from "../theme.ts";
import { FigureCard, type Shared } from "./card.ts";
import { DocumentError, NAME, readDocument, readPapers, type FigureDocument } from "./document.ts";

const $ = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement;
const query = new URLSearchParams(location.search);
const paper = query.get("paper") ?? "ccbp",
  embedded = query.get("embed") === "1",
  all = query.get("all") === "1";
/** Older links to a figure among all of them name it behind the #. */
const only = query.get("figure") ?? (!all && /^#fig[a-z0-9-]+$/.test(location.hash) ? location.hash.slice(1) : null);
const overview = only === null && !all;
const here = (more: string): string => `./figures.html?paper=${paper}${more}`;
document.documentElement.toggleAttribute("data-embed", embedded);

let cards: FigureCard[] = [];
startTheme();

function say(of: Notice | null): void {
  $("#notices").replaceChildren(...(of ? [notice(of)] : []));
}
const retry = {
  label: "Try again",
  primary: true,
  run: () => {
    location.reload();
  },
};

async function fetched(): Promise<FigureDocument> {
  if (!NAME.test(paper))
    throw new DocumentError("The address does not name a paper: paper=… takes small letters, digits and dashes.");
  const response = await fetch(`./papers/${paper}.json`);
  if (response.status === 404)
    throw new DocumentError(
      `This page has no figures of a paper “${paper}”. \`cargo xtask reproduce --paper NAME\` computes them.`,
    );
  if (!response.ok) throw new Error(`the figures could not be fetched: ${response.status} ${response.statusText}`);
  let value: unknown;
  // Some hosts answer with a page of their own instead of 404.
  try {
    value = await response.json();
  } catch {
    throw new DocumentError(`papers/${paper}.json is not JSON.`);
  }
  return readDocument(value);
}

/** The papers that this page has figures of; none where the host does not say. */
async function papers(): Promise<readonly { paper: string; title: string }[]> {
  try {
    const value: unknown = await (await fetch("./papers/list.json")).json();
    return readPapers(value);
  } catch {
    return [];
  }
}

/** Links to the other papers, beneath the present one's. */
async function leadToOthers(): Promise<void> {
  const all = await papers();
  if (all.length < 2) return;
  $("#list").append(
    h(
      "nav",
      { class: "editor-section", "aria-label": "Papers" },
      h("h2", null, "Papers"),
      h(
        "ul",
        { class: "figure-list" },
        ...all.map((one) =>
          h(
            "li",
            null,
            h(
              "a",
              { href: `./figures.html?paper=${one.paper}`, ...(one.paper === paper ? { "aria-current": "page" } : {}) },
              one.title,
            ),
          ),
        ),
      ),
    ),
  );
}

function build(of: FigureDocument): void {
  const chosen = all ? of.figures : of.figures.filter((f) => f.id === only);
  if (chosen.length === 0 && !overview)
    throw new DocumentError(
      `There is no figure “${(only ?? "").slice(0, 40)}”; there are ${of.figures.map((f) => f.id).join(", ")}.`,
    );
  const shared: Shared = {
    document: of,
    base: new URL("./", location.href).href,
    embedded,
    results: new Map(),
    busy: null,
    changed: () => {
      for (const card of cards) card.refresh();
      document.documentElement.dataset["figures"] = shared.busy ? "running" : "ready";
    },
  };
  cards = chosen.map((figure) => new FigureCard(figure, shared));
  document.title = `${only === null ? `Figures: ${of.title}` : (chosen[0]?.title ?? "")} · Corun`;
  // In an article there are more main parts than this one.
  if (embedded) $("#main").setAttribute("aria-label", `Live figure: ${chosen[0]?.title ?? ""}`);
  $("#figures").replaceChildren(...(overview ? smallPictures(of) : cards.map((card) => card.element)));
  $("#list").replaceChildren(
    h(
      "section",
      { class: "editor-section", "aria-label": "The paper" },
      h("h2", null, of.title),
      h(
        "div",
        { class: "section-body" },
        h("p", null, of.citation),
        ...(of.stamp.mode === "full"
          ? []
          : [
              h(
                "p",
                { class: "note" },
                `Of the ${of.stamp.mode} study: a sample of the paper's cases, each run for ${of.stamp.cycles.toLocaleString("en")} cycles.`,
              ),
            ]),
        h(
          "p",
          null,
          overview
            ? h("a", { href: here("&all=1") }, "All figures on one page, live")
            : h("a", { href: here("") }, "All figures, small"),
        ),
      ),
    ),
    h(
      "nav",
      { class: "editor-section", "aria-label": "Figures" },
      h("h2", null, "Figures"),
      h(
        "ul",
        { class: "figure-list" },
        ...of.figures.map((f) =>
          h(
            "li",
            null,
            h(
              "a",
              {
                href: all ? `#${f.id}` : here(`&figure=${f.id}`),
                ...(f.id === only ? { "aria-current": "page" } : {}),
              },
              h("b", null, f.source || f.id),
              ` ${f.title}`,
            ),
          ),
        ),
      ),
    ),
  );
  if (location.hash !== "" && all) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** The number of the paper's figure that this is a part of: “Fig. 11” of “CCBP Fig. 11(a)”. */
const figureOf = ({ source, id }: FigureDocument["figures"][number]): string =>
  /Fig\.? ?\d+/.exec(source ?? "")?.[0] ?? (source || id);

/** Every figure as it was drawn when it was computed; the parts of one figure of the paper side by side. */
function smallPictures(of: FigureDocument): HTMLElement[] {
  const groups = new Map<string, FigureDocument["figures"]>();
  for (const figure of of.figures) groups.set(figureOf(figure), [...(groups.get(figureOf(figure)) ?? []), figure]);
  return [
    h(
      "section",
      { class: "card", "aria-labelledby": "overview-title" },
      h("h2", { id: "overview-title" }, of.title),
      h("p", { class: "note" }, "Each opens live: its points lead to their experiments, and it can be run again here."),
      h(
        "ul",
        { class: "figure-overview" },
        ...[...groups].map(([name, figures]) =>
          h(
            "li",
            { class: "figure-group" },
            h("h3", null, name),
            h(
              "ul",
              null,
              ...figures.map((f) =>
                h(
                  "li",
                  null,
                  h(
                    "a",
                    { href: here(`&figure=${f.id}`) },
                    h("img", { src: `./papers/${paper}/${f.id}.svg`, alt: "", width: 320, height: 180 }),
                    h("span", null, f.title),
                  ),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ];
}

const otherEngine = (stored: string, here: string): string =>
  `The stored values were made with an engine of another behaviour (Corun ${stored}): running a figure again here shows the values of the present engine (Corun ${here}), which can differ.`;

/** Tells the article around a frame how tall the figure is. */
function tellHeight(): void {
  const tell = (): void => {
    parent.postMessage(
      { corun: "figure-height", paper, figure: only, height: Math.ceil(document.body.getBoundingClientRect().height) },
      "*",
    );
  };
  new ResizeObserver(tell).observe(document.body);
}

$("#actions").append(themeButton());
addEventListener("beforeunload", (event) => {
  if (!embedded && cards.some((card) => card.running)) event.preventDefault();
});

async function begin(): Promise<void> {
  if (embedded && parent !== window) tellHeight();
  const compiling = compileModule();
  compiling.catch(() => undefined);
  let of: FigureDocument;
  try {
    of = await fetched();
    build(of);
    void leadToOthers();
  } catch (error) {
    $("#list").hidden = true;
    say({
      kind: "error",
      title: "These figures cannot be shown",
      text: [error instanceof Error ? error.message : String(error)],
      actions: [retry],
    });
    return;
  }
  try {
    const module = await compiling;
    await engine.default({ module_or_path: module });
    for (const card of cards) card.awake(module, engine);
    if (!sameEngine(of.stamp.engine, engine.stamp()))
      say({
        kind: "info",
        title: "Stored values of another engine",
        text: [otherEngine(of.stamp.engine, engine.stamp())],
        actions: [],
      });
    document.documentElement.dataset["figures"] = "ready";
  } catch (error) {
    say({
      kind: "error",
      title: "The simulator could not be started",
      text: [
        error instanceof Error ? error.message : String(error),
        "The figures stand as they were drawn when they were computed; they cannot be run again.",
      ],
      actions: [retry],
    });
  }
}
void begin();

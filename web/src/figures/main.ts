// The place Papers: `figures.html` has a card for each, `?paper=ccbp` the small pictures of one's figures, `&figure=fig9a` one, live, `&all=1`
// all of them so, `&report=1` its report; `&embed=1` is one figure for a frame in an article.
import { errorText } from "../format.ts";
import "../style/tokens.css";
import "../style/base.css";
import "../style/layout.css";
import "../style/parts.css";
import "../views/views.css";
import "../teach/teach.css";
import "./figures.css";
import "./papers.css";
import { h as jsx, render } from "preact";
import * as engine from "../wasm/corun.js";
import { notice, type Notice } from "../dialogs.ts";
import { h } from "../dom.ts";
import { compileModule } from "../module.ts";
import { startTheme, themeButton } from "../theme.ts";
import { FigureCard, type Shared } from "./card.ts";
import { Cards, Made, Setting, SettingLink, Source, type Here } from "./cards.tsx";
import { DocumentError, NAME, readDocument, type FigureDocument } from "./document.ts";
import type { FigureClaims, PaperCard } from "./paper.ts";

const $ = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement;
const query = new URLSearchParams(location.search);
const paper = query.get("paper") ?? "ccbp",
  embedded = query.get("embed") === "1",
  all = query.get("all") === "1",
  report = query.get("report") === "1";
/** Older links to a figure among all of them name it behind the #. */
const only =
  query.get("figure") ?? (!all && !report && /^#fig[a-z0-9-]+$/.test(location.hash) ? location.hash.slice(1) : null);
const overview = only === null && !all;
/** No paper is named: all of them. */
const cover = overview && !report && !query.has("paper");
const here = (more: string): string => `./figures.html?paper=${paper}${more}`;
document.documentElement.toggleAttribute("data-embed", embedded);
document.documentElement.dataset["view"] = cover ? "papers" : report ? "report" : overview ? "paper" : "figure";

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

async function json<T>(address: string): Promise<T> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} could not be fetched: ${response.status} ${response.statusText}`);
  return (await response.json()) as T;
}
const papers = (): Promise<PaperCard[]> => json("./papers/list.json");

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
  side(of.title, [
    h(
      "nav",
      { class: "editor-section", "aria-label": "Figures" },
      h("h2", null, "Figures"),
      h(
        "p",
        { class: "side-way" },
        overview
          ? h("a", { href: here("&all=1") }, "All figures on one page, live")
          : h("a", { href: here("") }, "All figures, small"),
      ),
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
  ]);
  if (location.hash !== "" && all) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** The column beside a paper: which it is, and the way through its figures or its report. */
function side(title: string, ways: HTMLElement[]): void {
  $("#list").replaceChildren(
    h(
      "section",
      { class: "editor-section", "aria-label": "The paper" },
      h("p", { class: "side-way" }, h("a", { href: "./figures.html" }, "All papers")),
      h("h2", null, title),
      h("div", { class: "section-body", id: "paper" }),
    ),
    ...ways,
  );
}

/** What the paper's card says, in that column. */
function sayPaper(of: PaperCard, engineHere: Here | null): void {
  render(
    [
      jsx(Source, { of }),
      jsx(Setting, { of, here: engineHere }),
      jsx(
        "p",
        { class: "paper-links" },
        report
          ? jsx("a", { class: "button", href: here("") }, "Figures")
          : jsx("a", { class: "button", href: here("&report=1") }, "Report"),
        jsx(SettingLink, { of, engine: engineHere?.stamp }),
      ),
      // A figure says that itself.
      only === null && !all ? jsx(Made, { stamp: of.stamp, here: engineHere?.stamp }) : null,
    ],
    $("#paper"),
  );
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

/** The engine, for drawing, for running again, and for what it calls things. */
async function wake(compiling: Promise<WebAssembly.Module>): Promise<WebAssembly.Module> {
  const module = await compiling;
  await engine.default({ module_or_path: module });
  return module;
}
const engineHere = (): Here => ({ stamp: engine.stamp(), catalogue: engine.presets() });

/** What stands on the page whether the engine comes or not; what it says once it is there is for `after`. */
async function show(): Promise<(module: WebAssembly.Module) => void> {
  if (cover) {
    $("#list").hidden = true;
    const list = await papers(),
      draw = (of: Here | null): void => render(jsx(Cards, { papers: list, here: of }), $("#figures"));
    draw(null);
    return () => draw(engineHere());
  }
  let tell: (of: Here | null) => void = () => undefined;
  let engineIs: Here | null = null;
  if (report) {
    if (!NAME.test(paper)) throw new DocumentError("The address does not name a paper.");
    const [{ reportOf }, response] = await Promise.all([import("./report.ts"), fetch(`./papers/${paper}/report.md`)]);
    const text = await response.text();
    // Some hosts answer with a page of their own instead of 404.
    if (!response.ok || /^\s*<!doctype/i.test(text))
      throw new DocumentError(`This page has no report of a paper “${paper}”.`);
    const { title, parts, elements } = reportOf(text, paper);
    document.title = `Report: ${title} · Corun`;
    side(title, [
      h(
        "nav",
        { class: "editor-section", "aria-label": "Report" },
        h("h2", null, "Report"),
        h(
          "ul",
          { class: "figure-list" },
          ...parts.map(({ id, title: words }) => h("li", null, h("a", { href: `#${id}` }, words))),
        ),
      ),
    ]);
    $("#figures").replaceChildren(
      h(
        "article",
        { class: "card report", "aria-label": title },
        h("h2", { class: "report-title" }, title),
        ...elements,
      ),
    );
    // Only now is there what the address names.
    if (location.hash !== "") location.replace(location.hash);
  } else {
    build(await fetched());
    if (!overview && !embedded)
      void json<FigureClaims>(`./papers/${paper}/claims.json`).then(
        (claims) => {
          for (const card of cards) card.say(claims, here("&report=1"), only !== null);
        },
        () => undefined,
      );
  }
  // Where the host does not say what a paper claims, its figures stand without that.
  if (!embedded)
    void papers().then(
      (list) => {
        const card = list.find((one) => one.paper === paper);
        if (!card) return;
        tell = (of) => sayPaper(card, of);
        tell(engineIs);
      },
      () => undefined,
    );
  return (module) => {
    for (const card of cards) card.awake(module, engine);
    engineIs = engineHere();
    tell(engineIs);
  };
}

async function begin(): Promise<void> {
  if (embedded && parent !== window) tellHeight();
  const compiling = compileModule();
  compiling.catch(() => undefined);
  let awake: Awaited<ReturnType<typeof show>>;
  try {
    awake = await show();
  } catch (error) {
    $("#list").hidden = true;
    say({
      kind: "error",
      title: report ? "This report cannot be shown" : "These figures cannot be shown",
      text: [errorText(error)],
      actions: [retry],
    });
    return;
  }
  try {
    awake(await wake(compiling));
    document.documentElement.dataset["figures"] = "ready";
  } catch (error) {
    say({
      kind: "error",
      title: "The simulator could not be started",
      text: [
        errorText(error),
        "The figures stand as they were drawn when they were computed; they cannot be run again.",
      ],
      actions: [retry],
    });
  }
}
void begin();

// The place Papers: `figures.html` has a card for each, `?paper=ccbp` the small pictures of one's figures, `&figure=fig9a` one, live, `&all=1`
// all of them so, `&report=1` its report; `&embed=1` is one figure for a frame in an article.
import "../parts/style/tokens.css";
import "../parts/style/base.css";
import "../parts/style/layout.css";
import "../parts/style/parts.css";
import "../picture/views.css";
import "../parts/teach.css";
import "./figures.css";
import "./papers.css";
import { effect, signal } from "@preact/signals";
import { render, type ComponentChildren } from "preact";
import * as engine from "../wasm/corun.js";
import { errorText } from "../model/format.ts";
import { ThemeButton } from "../parts/widgets.tsx";
import { compileModule } from "../engine/module.ts";
import { NoticeBox, notStarted, retry, type Notice } from "../parts/notice.tsx";
import { startSkip, tellHeight } from "../parts/dom.ts";
import { startTheme } from "../parts/theme.ts";
import { Again, Figures } from "./again.ts";
import { FigureCard } from "./card.tsx";
import { Cards, Made, Setting, SettingLink, Source, type Here } from "./cards.tsx";
import { DocumentError, NAME, readDocument, type FigureDocument } from "../embed/figure-document.ts";
import type { FigureClaims, PaperCard } from "./paper.ts";
import { Rerun } from "./rerun.ts";

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

startTheme();
startSkip();

const said = signal<Notice | null>(null);
/** The engine, once it is there. */
const engineHere = signal<Here | null>(null);

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

/** The number of the paper's figure that this is a part of: “Fig. 11” of “CCBP Fig. 11(a)”. */
const figureOf = ({ source, id }: FigureDocument["figures"][number]): string =>
  /Fig\.? ?\d+/.exec(source ?? "")?.[0] ?? (source || id);

/** Every figure as it was drawn when it was computed; the parts of one figure of the paper side by side. */
function SmallPictures({ of }: { of: FigureDocument }) {
  const groups = new Map<string, FigureDocument["figures"]>();
  for (const figure of of.figures) groups.set(figureOf(figure), [...(groups.get(figureOf(figure)) ?? []), figure]);
  return (
    <section class="card" aria-labelledby="overview-title">
      <h2 id="overview-title">{of.title}</h2>
      <p class="note">Each opens live: its points lead to their experiments, and it can be run again here.</p>
      <ul class="figure-overview">
        {[...groups].map(([name, figures]) => (
          <li key={name} class="figure-group">
            <h3>{name}</h3>
            <ul>
              {figures.map(({ id, title }) => (
                <li key={id}>
                  <a href={here(`&figure=${id}`)}>
                    <img src={`./papers/${paper}/${id}.svg`} alt="" width={320} height={180} />
                    <span>{title}</span>
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Way {
  id: string;
  title: ComponentChildren;
  href: string;
}
/** The column beside a paper: which it is, what its card says, and the way through its figures or its report. */
function Side(props: { title: string; what: string; ways: readonly Way[]; children?: ComponentChildren }) {
  const card = paperCard.value,
    stamp = engineHere.value?.stamp;
  return (
    <>
      <section class="editor-section" aria-label="The paper">
        <p class="side-way">
          <a href="./figures.html">All papers</a>
        </p>
        <h2>{props.title}</h2>
        <div class="section-body" id="paper">
          {card && (
            <>
              <Source of={card} />
              <Setting of={card} here={engineHere.value} />
              <p class="flow paper-links">
                {report ? (
                  <a class="button" href={here("")}>
                    Figures
                  </a>
                ) : (
                  <a class="button" href={here("&report=1")}>
                    Report
                  </a>
                )}
                <SettingLink of={card} engine={stamp} />
              </p>
              {/* A figure says that itself. */}
              {only === null && !all && <Made stamp={card.stamp} here={stamp} />}
            </>
          )}
        </div>
      </section>
      <nav class="editor-section" aria-label={props.what}>
        <h2>{props.what}</h2>
        {props.children}
        <ul class="figure-list">
          {props.ways.map(({ id, title, href }) => (
            <li key={id}>
              <a href={href} aria-current={id === only ? "page" : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}
/** What the place Papers says of this one. */
const paperCard = signal<PaperCard | null>(null);

/** The figures of a document, small or live. Gives back what its cards share. */
function showFigures(of: FigureDocument): Figures {
  const chosen = all ? of.figures : of.figures.filter(({ id }) => id === only);
  if (chosen.length === 0 && !overview)
    throw new DocumentError(
      `There is no figure “${(only ?? "").slice(0, 40)}”; there are ${of.figures.map((f) => f.id).join(", ")}.`,
    );
  const figures = new Figures(of, embedded, new URL("./", location.href).href),
    cards = chosen.map((figure) => new Again(figures, figure));
  document.title = `${only === null ? `Figures: ${of.title}` : (chosen[0]?.title ?? "")} · Corun`;
  // In an article there are more main parts than this one.
  if (embedded) $("#main").setAttribute("aria-label", `Live figure: ${chosen[0]?.title ?? ""}`);
  const shown = cards.map((again) => (
    <FigureCard key={again.figure.id} again={again} open={only !== null} report={here("&report=1")} />
  ));
  render(overview ? <SmallPictures of={of} /> : shown, $("#figures"));
  const ways = of.figures.map(({ id, source, title }) => ({
    id,
    title: (
      <>
        <b>{source || id}</b> {title}
      </>
    ),
    href: all ? `#${id}` : here(`&figure=${id}`),
  }));
  const way = overview ? (
    <a href={here("&all=1")}>All figures on one page, live</a>
  ) : (
    <a href={here("")}>All figures, small</a>
  );
  render(
    <Side title={of.title} what="Figures" ways={ways}>
      <p class="side-way">{way}</p>
    </Side>,
    $("#list"),
  );
  addEventListener("beforeunload", (event) => {
    if (!embedded && figures.busy.value) event.preventDefault();
  });
  effect(() => {
    if (figures.awake.value) document.documentElement.dataset["figures"] = figures.busy.value ? "running" : "ready";
  });
  if (location.hash !== "" && all) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  return figures;
}

async function showReport(): Promise<void> {
  if (!NAME.test(paper)) throw new DocumentError("The address does not name a paper.");
  const [{ reportOf }, response] = await Promise.all([import("./report.tsx"), fetch(`./papers/${paper}/report.md`)]);
  const text = await response.text();
  // Some hosts answer with a page of their own instead of 404.
  if (!response.ok || /^\s*<!doctype/i.test(text))
    throw new DocumentError(`This page has no report of a paper “${paper}”.`);
  const { title, parts, content } = reportOf(text, paper);
  document.title = `Report: ${title} · Corun`;
  render(
    <Side title={title} what="Report" ways={parts.map((part) => ({ ...part, href: `#${part.id}` }))} />,
    $("#list"),
  );
  render(
    <article class="card report" aria-label={title}>
      <h2 class="report-title">{title}</h2>
      {content}
    </article>,
    $("#figures"),
  );
  // Only now is there what the address names.
  if (location.hash !== "") location.replace(location.hash);
  lead();
  addEventListener("hashchange", lead);
}

/** What the address names has the focus, in the middle of the view: a row far below the head of its table says by itself what it is. */
function lead(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named) return;
  named.tabIndex = -1;
  named.focus({ preventScroll: true });
  named.scrollIntoView({ block: "center" });
}

render(<ThemeButton />, $("#actions"));
render(<NoticeBox of={said} />, $("#notices"));

/** What stands on the page whether the engine comes or not. Gives back what cards of figures share, where there are some. */
async function show(): Promise<Figures | null> {
  if (cover) {
    $("#list").hidden = true;
    const list = await papers(),
      View = () => <Cards papers={list} here={engineHere.value} />;
    render(<View />, $("#figures"));
    return null;
  }
  // Where the host does not say what a paper claims, its figures stand without that.
  const silent = (): void => undefined;
  const figures = report ? null : showFigures(await fetched());
  if (report) await showReport();
  if (!embedded)
    void papers().then((list) => {
      paperCard.value = list.find((one) => one.paper === paper) ?? null;
    }, silent);
  if (figures && !overview)
    void json<FigureClaims>(`./papers/${paper}/claims.json`).then((claims) => {
      figures.claims.value = claims;
    }, silent);
  return figures;
}

async function begin(): Promise<void> {
  if (embedded) tellHeight({ paper, figure: only });
  const compiling = compileModule();
  compiling.catch(() => undefined);
  let figures: Figures | null;
  try {
    figures = await show();
  } catch (error) {
    $("#list").hidden = true;
    said.value = {
      kind: "error",
      title: report ? "This report cannot be shown" : "These figures cannot be shown",
      text: [errorText(error)],
      actions: [retry],
    };
    return;
  }
  try {
    const module = await compiling;
    await engine.default({ module_or_path: module });
    engineHere.value = { stamp: engine.stamp(), catalogue: engine.presets() };
    const of = figures?.document;
    if (figures && of)
      figures.awake.value = {
        engine,
        rerun: (runs, windows, complete, events) =>
          new Rerun(module, of, runs, windows, navigator.hardwareConcurrency || 2, complete, events),
      };
    document.documentElement.dataset["figures"] = "ready";
  } catch (error) {
    const still = "The figures stand as they were drawn when they were computed; they cannot be run again.";
    said.value = notStarted(error, still);
  }
}
void begin();

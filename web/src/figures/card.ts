// One figure: the stored data as a picture at once, each mark a way into the lab, and its runs again on this computer.
import { h as jsx, render } from "preact";
import { kernelLabels } from "../choices.ts";
import { copyText, toast } from "../dialogs.ts";
import { append, h, icon, setText } from "../dom.ts";
import { encodeLink } from "../link.ts";
import { timeText, errorText } from "../format.ts";
import { sameEngine } from "../stamp.ts";
import { figureTitle } from "../titles.ts";
import type { Experiment, Figure, Result } from "../types.ts";
import { fillTable } from "../views/parts.ts";
import {
  compare,
  comparisonText,
  elementCode,
  figureAddress,
  frameCode,
  lengthOf,
  neighbour,
  placeText,
  pointName,
  pointText,
  runsOf,
  sweepOf,
  tableOf,
  trimmed,
  valueText,
  windowsOf,
} from "./document.ts";
import type { FigureDocument } from "./document.ts";
import { Printed } from "./claims.tsx";
import type { FigureClaims } from "./paper.ts";
import { Rerun } from "./rerun.ts";

/** The module on the page's own thread: drawing and adding up are quick. */
type FigureEngine = typeof import("../wasm/corun.js");

/** What the cards of a page share. */
export interface Shared {
  document: FigureDocument;
  /** Address of the folder that the page lies in, with a slash at its end. */
  base: string;
  embedded: boolean;
  /** Results that were computed here, by the place of their run. */
  results: Map<number, Result>;
  /** The figure whose runs are under way: one at a time, on all cores. */
  busy: FigureCard | null;
  changed(): void;
}

/** Widths at which figures are drawn. */
const NARROWEST = 280,
  WIDEST = 1100;
/** Runs of a point that are listed. */
const LISTED = 80;

/** The looks of drawn figures: taken out of the first one, because the page's content policy refuses style elements. */
let looks: CSSStyleSheet | null = null;

/** Drawn text as elements; its style sheet holds for the whole page. */
function parsed(svg: string): SVGElement {
  const [whole = "", rules = ""] = /<style>([^<]*)<\/style>/.exec(svg) ?? [];
  if (!looks && rules !== "") {
    looks = new CSSStyleSheet();
    looks.replaceSync(rules);
    document.adoptedStyleSheets.push(looks);
  }
  const root = new DOMParser().parseFromString(svg.replace(whole, ""), "image/svg+xml").documentElement;
  if (root.localName !== "svg") throw new Error("what was drawn is not an SVG");
  return document.importNode(root, true) as unknown as SVGElement;
}

export class FigureCard {
  readonly element: HTMLElement;
  readonly #shared: Shared;
  readonly #figure: Figure;
  #module: WebAssembly.Module | null = null;
  #engine: FigureEngine | null = null;
  #rerun: Rerun | null = null;
  #why: string[] = [];
  #changed = 0;
  #here: (number | null)[] | null = null;
  #width = 0;
  #at: number | null = null;
  #open = false;

  readonly #stage: HTMLElement;
  readonly #spoken = h("span", { class: "hidden", role: "status" });
  readonly #panel = h("div", { class: "figure-panel", hidden: true });
  readonly #bar = h("progress", { max: 1, value: 0, "aria-label": "Runs done", hidden: true });
  readonly #words = h("span", { class: "figure-progress" });
  readonly #outcome = h("p", { class: "figure-outcome", role: "status", hidden: true });
  readonly #go = h(
    "button",
    {
      type: "button",
      class: "button primary",
      disabled: true,
      onclick: () => {
        this.start(runsOf(this.#figure.points));
      },
    },
    "Run it again here",
  );
  readonly #stop = h(
    "button",
    {
      type: "button",
      class: "button",
      hidden: true,
      onclick: () => {
        this.stop();
      },
    },
    "Stop",
  );
  readonly #claims = h("div", { class: "figure-claims" });
  readonly #made = h("span");
  readonly #table = h("table", { class: "cv-data" });
  readonly #tableBox: HTMLElement;
  readonly #toggle = h(
    "button",
    {
      type: "button",
      class: "button",
      "aria-pressed": "false",
      onclick: () => {
        this.#tabulate(this.#tableBox.hidden !== false);
      },
    },
    "Table",
  );

  constructor(figure: Figure, shared: Shared) {
    this.#figure = figure;
    this.#shared = shared;
    const {
      document: { paper, stamp },
      base,
      embedded,
    } = shared;
    const title = `${figure.id}-title`,
      hint = `${figure.id}-hint`;
    this.#stage = h(
      "div",
      {
        class: "figure-stage",
        tabIndex: 0,
        role: "group",
        "aria-label": `${figure.title}: points`,
        "aria-describedby": hint,
      },
      // What was drawn when the data was computed stands there until the module is, and where it does not come.
      h("img", { src: `./papers/${paper}/${figure.id}.svg`, alt: figure.title }),
    );
    this.#tableBox = h(
      "div",
      { class: "cv-tablebox", tabIndex: 0, role: "region", "aria-label": `${figure.title}, as a table`, hidden: true },
      this.#table,
    );
    const action = (title: string, run: () => void, ...content: (Node | string)[]): HTMLElement =>
      h("button", { type: "button", class: "button", title, onclick: run }, ...content);
    const copies = [
      action(
        "Commands that make the same runs with the native runner",
        () => void this.#copyCommand(runsOf(figure.points)),
        icon("terminal"),
        "Copy the command",
      ),
      ...(embedded
        ? []
        : [
            action(
              "The picture with its numbers, and the simulator: it runs when asked, also without a network",
              () => void this.#save(),
              icon("download"),
              "One HTML file",
            ),
            action(
              "An element for articles, with a picture for readers without scripts",
              () =>
                void copyText(elementCode(base, paper, figure), "The embed code is copied: paste it into an article."),
              icon("link"),
              "Copy embed code",
            ),
            action(
              "For articles that allow no scripts",
              () =>
                void copyText(
                  frameCode(base, paper, figure, this.#stage.offsetHeight + 260),
                  "The iframe is copied: paste it into an article.",
                ),
              "As iframe",
            ),
          ]),
    ];
    const heading = h("h2", { id: title }, figure.title),
      source = `${figure.id}-source`;
    this.element = h(
      "section",
      { class: "card figure-card", id: figure.id, "aria-labelledby": `${title} ${source}`, tabIndex: -1 },
      heading,
      h(
        "p",
        { class: "note", id: source },
        figure.source || shared.document.citation,
        figure.points.some((p) => p.paper !== undefined) ? "; hollow marks: what the paper prints" : "",
      ),
      this.#stage,
      h(
        "p",
        { class: "hidden", id: hint },
        "Arrow keys walk the points and speak their values; Enter opens one. The table has all of them.",
      ),
      this.#tableBox,
      figure.differs ? h("p", { class: "figure-differs" }, h("b", null, "Beside the paper. "), figure.differs) : null,
      this.#claims,
      this.#panel,
      h(
        "div",
        { class: "figure-run" },
        this.#go,
        this.#stop,
        this.#bar,
        this.#words,
        h("span", { class: "figure-copies" }, this.#toggle, ...copies),
      ),
      this.#outcome,
      this.#spoken,
      h(
        "p",
        { class: "note figure-stamp" },
        `Computed by Corun ${stamp.engine}, commit ${stamp.commit}, ${stamp.mode} study: ${lengthOf(shared.document, figure)}, seed ${stamp.seed}. `,
        this.#made,
        embedded
          ? h("a", { href: figureAddress("./", paper, figure.id), target: "_blank", rel: "noopener" }, "Open in Corun")
          : h("a", { href: figureAddress("./", paper, figure.id) }, "Link to this figure"),
      ),
    );
    this.#listen();
  }

  /** The module is there: the picture becomes live. */
  awake(module: WebAssembly.Module, engine: FigureEngine): void {
    this.#module = module;
    this.#engine = engine;
    new ResizeObserver(() => {
      this.#draw();
    }).observe(this.#stage);
    this.#draw();
    this.refresh();
    const { stamp } = this.#shared.document,
      here = engine.stamp();
    if (!sameEngine(stamp.engine, here))
      setText(this.#made, `This page's engine is ${here}: run again here, values can differ. `);
  }

  /** The claims that speak of the figure; `report` is the address of the rest. */
  say(claims: FigureClaims, report: string, open: boolean): void {
    const mine = claims[this.#figure.id];
    if (mine) render(jsx(Printed, { claims: mine, report, open }), this.#claims);
  }

  get running(): boolean {
    return this.#rerun !== null;
  }

  // ---------------------------------------------------------------- the picture

  #draw(): void {
    const width = Math.round(Math.min(WIDEST, Math.max(NARROWEST, this.#stage.clientWidth)));
    if (!this.#engine || width === this.#width || this.#stage.clientWidth === 0) return;
    this.#width = width;
    this.#stage.replaceChildren(parsed(this.#engine.figureSvg(this.#figure, { width, title: false })));
    this.#mark();
  }

  #mark(): void {
    for (const old of this.#stage.querySelectorAll(".figure-at")) old.classList.remove("figure-at");
    if (this.#at !== null) this.#stage.querySelector(`[data-point="${this.#at}"]`)?.classList.add("figure-at");
  }

  #listen(): void {
    const pointOf = (event: Event): number | null => {
      const mark = (event.target as Element).closest("[data-point]");
      return mark ? Number(mark.getAttribute("data-point")) : null;
    };
    this.#stage.addEventListener("click", (event) => {
      const point = pointOf(event);
      if (point !== null) this.#show(point, false);
    });
    this.#stage.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "Enter" && this.#at !== null) this.#show(this.#at, true);
      else if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") this.#walk(event.key);
      else return;
      event.preventDefault();
    });
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.#hide();
      this.#stage.focus();
    });
  }

  #walk(key: string): void {
    const next = neighbour(this.#figure, this.#at, key);
    if (next === null) return;
    this.#at = next;
    this.#mark();
    setText(this.#spoken, pointText(this.#figure, next));
    if (this.#open) this.#show(next, false);
  }

  // ---------------------------------------------------------------- a point

  #hide(): void {
    this.#open = false;
    this.#panel.hidden = true;
  }

  #show(index: number, focus: boolean): void {
    const figure = this.#figure,
      point = figure.points[index];
    if (!point) return;
    this.#at = index;
    this.#open = true;
    this.#mark();
    const here = this.#here?.[index];
    const baseline = point.baseline ?? [];
    const kernels = kernelLabels(this.#shared.document.runs[point.runs[0] ?? -1]?.experiment.kernels ?? []);
    const links = [
      ...point.runs.map((run) => this.#link(run, "")),
      ...baseline.map((run) => this.#link(run, "divided by ")),
    ];
    const close = h(
      "button",
      {
        type: "button",
        class: "icon-button card-close",
        "aria-label": "Close the point",
        onclick: () => {
          this.#hide();
          this.#stage.focus();
        },
      },
      icon("close"),
    );
    const again = h(
      "button",
      {
        type: "button",
        class: "button",
        disabled: !this.#module || this.#shared.busy !== null || links.length === 0,
        onclick: () => {
          this.start(runsOf([point]));
        },
      },
      "Run this point again here",
    );
    this.#panel.replaceChildren();
    append(this.#panel, [
      close,
      h("h3", null, pointName(figure, index)),
      h(
        "dl",
        { class: "stats figure-values" },
        stat("Ours", valueText(figure, point.value)),
        stat("Paper", valueText(figure, point.paper)),
        stat(
          "Ours / paper",
          point.paper && typeof point.value === "number"
            ? valueText({ ...figure, y: {} }, point.value / point.paper)
            : "–",
        ),
        here === undefined || here === null
          ? null
          : stat("Computed here", here === point.value ? `${valueText(figure, here)}, equal` : valueText(figure, here)),
      ),
      links.length === 0
        ? h("p", { class: "note" }, "This point has no runs.")
        : h(
            "p",
            { class: "figure-measure" },
            how(figure, index, (path) => figureTitle(path, this.#engine?.presets().metrics ?? [], kernels)),
          ),
      h("ul", { class: "figure-links" }, ...links.slice(0, LISTED)),
      links.length > LISTED ? h("p", { class: "note" }, `and ${links.length - LISTED} more`) : null,
      links.length === 0
        ? null
        : h(
            "div",
            { class: "figure-run" },
            again,
            h(
              "button",
              { type: "button", class: "button", onclick: () => void this.#copyCommand(runsOf([point])) },
              icon("terminal"),
              "Copy its command",
            ),
          ),
    ]);
    this.#panel.hidden = false;
    if (focus) (this.#panel.querySelector<HTMLElement>(".figure-links a") ?? close).focus();
  }

  /** A run as an ordinary link to its experiment. */
  #link(run: number, before: string): HTMLElement {
    const experiment = (this.#shared.document.runs[run] as FigureDocument["runs"][number]).experiment;
    // It can be focused before its address is packed.
    const away = h(
      "a",
      { tabIndex: 0, ...(this.#shared.embedded ? { target: "_blank", rel: "noopener" } : {}) },
      `Open in the lab: ${experiment.name || `run ${run}`}`,
    );
    void encodeLink({ experiment, view: {}, ...(this.#engine ? { engine: this.#engine.stamp() } : {}) }).then(
      (hash) => {
        away.href = `./${hash}`;
      },
    );
    return h("li", null, before, away);
  }

  async #save(): Promise<void> {
    const { document } = this.#shared,
      figure = this.#figure;
    try {
      if (!this.#engine) throw new Error("the simulator is not there yet");
      const { saveFigure } = await import("../embed/save.ts");
      const svg = this.#engine.figureSvg(figure, { width: 860, title: false });
      await saveFigure(document, figure, runsOf(figure.points), svg);
    } catch (error) {
      toast(`The file could not be made: ${errorText(error)}`);
    }
  }

  async #copyCommand(runs: readonly number[]): Promise<void> {
    const { document } = this.#shared,
      name = `corun-${document.paper}-${this.#figure.id}`;
    const experiments = runs.map((run) => (document.runs[run] as FigureDocument["runs"][number]).experiment);
    const complete = (experiment: Experiment): Experiment => this.#engine?.normalise(experiment) ?? experiment;
    const sweep = JSON.stringify(
      sweepOf(experiments, `${this.#figure.source ?? ""} ${this.#figure.title}`.trim(), complete),
    );
    await copyText(
      `cat > ${name}.json <<'SWEEP'\n${sweep}\nSWEEP\ntarget/release/corun sweep ${name}.json --resume --out ${name}.jsonl\n`,
      `The command is copied: ${runs.length} runs, in a clone of Corun at commit ${document.stamp.commit} after \`cargo build --release\`.`,
    );
  }

  // ---------------------------------------------------------------- running it again

  start(runs: readonly number[]): void {
    const shared = this.#shared,
      module = this.#module,
      engine = this.#engine;
    if (!module || !engine || shared.busy) return;
    const windows = windowsOf(this.#figure, this.#figure.points);
    let wanted = runs.filter((run) => {
      const known = shared.results.get(run);
      return known === undefined || (windows > 0 && !Array.isArray(known["windows"]));
    });
    // What this figure has shown already is asked for anew.
    if (wanted.length === 0 && !this.#outcome.hidden) wanted = [...runs];
    for (const run of wanted) shared.results.delete(run);
    this.#why = [];
    this.#changed = 0;
    if (wanted.length === 0) {
      this.#ended("over");
      return;
    }
    shared.busy = this;
    this.#rerun = new Rerun(
      module,
      shared.document,
      wanted,
      windows > 0,
      navigator.hardwareConcurrency || 2,
      (experiment) => engine.normalise(experiment),
      {
        result: (run, result) => {
          shared.results.set(run, trimmed(result, Math.max(windows, windowsOf(this.#figure, this.#figure.points))));
        },
        changed: (changed) => {
          this.#changed = changed.length;
        },
        progress: () => {
          this.#tell();
        },
        broken: (why) => {
          this.#why.push(why);
        },
        over: () => {
          this.#ended("over");
        },
      },
    );
    setText(this.#spoken, "Running");
    this.#outcome.hidden = true;
    this.#tell();
    shared.changed();
  }

  /** Ends it within the click; what is done is kept, and going on runs the rest. */
  stop(): void {
    if (!this.#rerun) return;
    this.#rerun.stop();
    this.#ended("stopped");
  }

  #ended(how: "over" | "stopped"): void {
    const { results, document } = this.#shared,
      figure = this.#figure;
    this.#rerun = null;
    if (this.#shared.busy === this) this.#shared.busy = null;
    const list = document.runs.map((_, run) => results.get(run) ?? null);
    this.#here = this.#engine ? this.#engine.figureValues(figure, JSON.stringify(list)) : null;
    const outcome = compare(document, figure, this.#here ?? [], results);
    const said = [
      how === "stopped" ? "Stopped." : "",
      comparisonText(figure, outcome),
      this.#changed > 0
        ? `${this.#changed} of the experiments are not what they were: since then the engine gives some of their names another meaning.`
        : "",
      this.#why.length > 0 ? `Some could not run: ${this.#why.slice(0, 3).join("; ")}` : "",
    ];
    setText(this.#outcome, said.filter((part) => part !== "").join(" "));
    this.#outcome.hidden = false;
    this.#outcome.dataset["outcome"] =
      how === "stopped"
        ? "stopped"
        : this.#why.length > 0
          ? "broken"
          : outcome.differ.length === 0 && outcome.same === outcome.digests
            ? "equal"
            : "different";
    if (!this.#tableBox.hidden) this.#tabulate(true);
    if (this.#open && this.#at !== null) this.#show(this.#at, false);
    this.refresh();
    this.#shared.changed();
  }

  /** Buttons and progress as things stand. */
  refresh(): void {
    const { busy } = this.#shared,
      runs = runsOf(this.#figure.points);
    this.#go.disabled = this.#engine === null || busy !== null || runs.length === 0;
    this.#go.title =
      busy !== null && busy !== this
        ? "Another figure is running"
        : `${runs.length.toLocaleString("en")} runs, and each kernel alone`;
    this.#go.hidden = this.running;
    this.#stop.hidden = this.#bar.hidden = !this.running;
    setText(this.#go, this.#outcome.dataset["outcome"] === "stopped" ? "Go on" : "Run it again here");
    if (!this.running)
      setText(this.#words, `${runs.length.toLocaleString("en")} ${runs.length === 1 ? "run" : "runs"}`);
    for (const again of this.#panel.querySelectorAll<HTMLButtonElement>(".figure-run > .button:first-child"))
      again.disabled = this.#go.disabled;
  }

  #tell(): void {
    const rerun = this.#rerun;
    if (!rerun) return;
    const { done, left } = rerun.progress();
    this.#bar.value = done;
    setText(
      this.#words,
      `${rerun.done.toLocaleString("en")} of ${rerun.all.toLocaleString("en")} runs${left === null ? "" : `, about ${timeText(left)} left`}`,
    );
  }

  #tabulate(shown: boolean): void {
    this.#tableBox.hidden = !shown;
    this.#toggle.setAttribute("aria-pressed", String(shown));
    if (shown) fillTable(this.#table, tableOf(this.#figure, this.#here));
  }
}

const stat = (name: string, value: string): HTMLElement =>
  h("div", { class: "stat" }, h("dt", null, name), h("dd", null, value));

const bounds = ({ from, to }: Figure["measure"]): string =>
  [from === undefined ? "" : `${from} or more`, to === undefined ? "" : `less than ${to}`]
    .filter(Boolean)
    .join(" and ");

/** How the value of a point comes about. */
function how(figure: Figure, index: number, title: (path: string) => string): string {
  const point = figure.points[index] as Figure["points"][number],
    { path, reduce } = point.measure ?? figure.measure;
  const over = point.baseline && point.baseline.length > 0 ? ", each over the same of the run it is divided by" : "";
  if (reduce === "given")
    return `${path}: computed by the report from ${point.runs.length === 1 ? "this run" : `these ${point.runs.length} runs`}`;
  const words = { geomean: "Geometric mean", mean: "Mean", max: "Greatest", share: "", value: "" }[reduce];
  if (reduce === "share")
    return `Part of ${point.runs.length} runs in which ${title(path)} is ${bounds(point.measure ?? figure.measure)}, at ${placeText(figure, point.x)}`;
  return words === "" || point.runs.length === 1
    ? `${title(path)} in this run${over}`
    : `${words} of ${title(path)} over ${point.runs.length} runs${over}, at ${placeText(figure, point.x)}`;
}

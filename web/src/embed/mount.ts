// A run in a host that is not Corun's page: an article, a notebook, a file. It says who suffers and why, shows every SM as the run goes on, and
// tells its host the result. Everything is in a shadow root, so that neither has the other's looks.
import { errorText, problemsIn, problemText } from "../model/format.ts";
import { show } from "../picture/canvas.ts";
import { themeOf, type Theme } from "../picture/theme.ts";
import { decodeLink, LinkError } from "../model/link.ts";
import { shadowSheet } from "./looks.ts";
import type { RunSide } from "../model/model.ts";
import { SmModel } from "../picture/sm-model.ts";
import type { Answer, Problem, Result } from "../model/types.ts";
import { createElement, render } from "preact";
import { DataTable } from "../picture/parts.tsx";
import { drawRun } from "./picture.ts";
import { runWhole, type Engine, type Ran } from "./run.ts";
import type { Series } from "./series.ts";
import { numbersOf, sentence, sidesOf, stampOf, titleOf } from "./says.ts";

/** Of one run its result; of two, by their marks; or what is wrong with the link or with what it runs. */
export type Outcome = Result | Record<string, Result> | { problems: Problem[] };

interface RunOptions {
  /** The page's address of a run: what counts is behind its `#`. */
  link: string;
  theme?: string | null;
  engine(): Promise<Engine>;
  /** The runs have ended, each with a series, or cannot begin. */
  ended(outcome: Outcome, series: readonly Series[]): void;
}

const link = (text: string, found: string, want: string): Problem[] => [{ path: text, found, want }];

/** What is wrong, as everything else of Corun says it. */
function asProblems(error: unknown, given: string): Problem[] {
  const problems = problemsIn(error);
  if (problems) return problems;
  const said = errorText(error);
  return error instanceof LinkError
    ? link(
        "link",
        `“${given.slice(0, 40)}”`,
        `the link to a run, such as #v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD. ${said}`,
      )
    : link("corun", said, "a run");
}

const THEMES = ["light", "dark"];

/** Whether an element is to be dark: it says so, or else its surroundings do. */
function isDark(host: HTMLElement, theme: string | null | undefined): boolean {
  if (typeof theme === "string" && THEMES.includes(theme)) return theme === "dark";
  const around = getComputedStyle(host.parentElement ?? document.documentElement).colorScheme;
  return around.includes("dark") && (!around.includes("light") || matchMedia("(prefers-color-scheme: dark)").matches);
}

export interface Mounted {
  /** Another theme; the run goes on. */
  recolour(theme: string | null): void;
  /** Ends the run, and leaves nothing of it in the host. */
  end(): void;
}

/** Runs what a link says inside `host`. */
export function mountRun(host: HTMLElement, options: RunOptions): Mounted {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [shadowSheet()];
  const make = <K extends keyof HTMLElementTagNameMap>(tag: K, name: string, ...content: (Node | string)[]) => {
    const element = document.createElement(tag);
    element.className = name;
    element.append(...content);
    return element;
  };
  const title = make("p", "title"),
    says = make("p", "says"),
    bar = make("progress", "bar"),
    doing = make("span", "doing"),
    progress = make("p", "progress", bar, doing),
    canvas = make("canvas", "picture"),
    table = make("div", "numbers"),
    details = make("details", "more", make("summary", "", "Numbers"), table),
    stamp = make("p", "stamp");
  bar.setAttribute("aria-label", "How much has run");
  says.setAttribute("role", "status");
  canvas.setAttribute("role", "img");
  const section = make("section", "run", title, says, progress, canvas, details, stamp);
  section.setAttribute("aria-label", "A run of Corun");
  root.replaceChildren(section);
  const recolour = (theme: string | null | undefined): void => {
    host.dataset["theme"] = isDark(host, theme) ? "dark" : "light";
    draw();
  };

  const stopped = new AbortController();
  let sides: RunSide[] = [],
    models: (SmModel | null)[] = [],
    drawn = "";
  const draw = (): void => {
    const width = Math.floor(section.clientWidth);
    if (width < 40 || sides.length === 0) return;
    const theme: Theme = themeOf(host, host.dataset["theme"] === "dark");
    canvas.setAttribute("aria-label", `${title.textContent ?? ""}: times slower, and all SMs`);
    show(canvas, drawRun(sides, models, width, theme));
  };
  const tell = (final: boolean): void => {
    const known = sides.some(({ result }) => result !== null);
    // Announced once, when it is final.
    const text = final ? sentence(sides) : "";
    if (text !== drawn) says.textContent = drawn = text;
    details.hidden = stamp.hidden = !known;
    render(createElement(DataTable, { of: numbersOf(sides) }), table);
    stamp.textContent = stampOf(sides);
    draw();
  };
  const sizes = new ResizeObserver(draw);
  sizes.observe(section);

  const go = async (): Promise<Ran[]> => {
    progress.hidden = false;
    doing.textContent = "Loading the simulator";
    const linked = await decodeLink(options.link.slice(Math.max(0, options.link.indexOf("#"))));
    if (!linked) throw new LinkError("It is empty.", "");
    sides = sidesOf(linked);
    models = sides.map(() => null);
    title.textContent = titleOf(sides.map(({ experiment }) => experiment));
    const engine = await options.engine(),
      known: Record<string, Answer> = {},
      ran: Ran[] = [],
      catalogue = engine.presets();
    sides = sidesOf(linked, catalogue);
    title.textContent = titleOf(
      sides.map(({ experiment }) => experiment),
      catalogue,
    );
    for (const [at, side] of sides.entries()) {
      const now = (change: Partial<RunSide>): void => {
        sides = sides.map((one, i) => (i === at ? { ...one, ...change } : one));
      };
      const one = await runWhole(
        engine,
        side.experiment,
        known,
        {
          built: (layout) => {
            models[at] = new SmModel(layout);
            draw();
          },
          frame: (frame) => {
            models[at]?.update(frame);
            draw();
          },
          result: (so) => {
            now({ result: so });
            tell(false);
          },
          progress: (what, done) => {
            doing.textContent = side.mark === "" ? what : `${side.mark}: ${what}`;
            if (done === null) bar.removeAttribute("value");
            else bar.value = Math.min(1, done);
          },
        },
        stopped.signal,
      );
      now({ result: one.result, origin: "here" });
      ran.push(one);
    }
    tell(true);
    return ran;
  };
  details.hidden = stamp.hidden = true;
  recolour(options.theme);
  go().then(
    (ran) => {
      progress.hidden = true;
      const [first, second] = ran.map(({ result }) => result),
        outcome = second ? Object.fromEntries(ran.map(({ result }, i) => [sides[i]?.mark ?? "", result])) : first;
      options.ended(
        outcome as Outcome,
        ran.map(({ series }) => series),
      );
    },
    (error: unknown) => {
      if (stopped.signal.aborted) return;
      progress.hidden = true;
      const problems = asProblems(error, options.link);
      says.classList.add("wrong");
      says.textContent = problems.map(problemText).join("; ");
      options.ended({ problems }, []);
    },
  );
  return {
    recolour,
    end: () => {
      stopped.abort();
      sizes.disconnect();
      root.replaceChildren();
    },
  };
}

// Where the page starts: it puts the parts together and passes news between them.
//
// The experiment (from the address bar, or the default) goes to the engine; frames come back and go to the views; what the
// user changes goes into the address bar, which always is the link to what is on the screen. There is one experiment, or two that are compared.
//
// The views come from ./views/index.ts, which registers these elements when it is imported:
//   <corun-sm-grid>      SmView      the SMs, their CTA slots and schedulers; fires `select-sm`
//   <corun-sm-detail>    SmView      one SM: registers, shared memory, warps, slots, warp states
//   <corun-memory-path>  FrameView   NoC ports, L2 banks, DRAM channels
//   <corun-charts>       WindowView  the charts over time; fires `zoom` and `panel`
// Their types are in ./types.ts, the kernels' colours in ./palette.ts, the stamp for exports in ./stamp.ts, the tokens in
// ./style/tokens.css. The content policy allows no style attributes in markup; setting element.style is fine.
import "./style/tokens.css";
import "./style/base.css";
import "./style/layout.css";
import "./style/parts.css";
import "./run/screen.css";
import "./script/script.css";
import "./views/index.ts";
import "./compare.ts";
import "./decisions.ts";
import "./predict/predict.css";
import "./predict/panel.ts";
import "./timeline/timeline.ts";
import "./launches/strips.ts";
import "./make/element.tsx";
import "./numbers.ts";
import "./run/dock.ts";
import "./teach/teach.css";
import "./teach/warnings-view.ts";
import { epochOf, kernelLabels, mixText, policyOf, runTitles, scheme, schemeName } from "./choices.ts";
import { MARKS, type CorunCompare } from "./compare.ts";
import { differences } from "./difference.ts";
import { copyText, helpDialog, notice, toast, type Key, type Notice } from "./dialogs.ts";
import { h, setText } from "./dom.ts";
import type { CorunDecisions } from "./decisions.ts";
import type { CorunEditor } from "./make/element.tsx";
import { Engine, type Ready } from "./engine.ts";
import { count, problemText } from "./format.ts";
import { hasGoal } from "./goal.ts";
import { LinkError, decodeLink, encodeLink, otherEngine, type View } from "./link.ts";
import type { CorunNumbers } from "./numbers.ts";
import { keepOffline } from "./offline.ts";
import type { CorunPredicted } from "./predict/panel.ts";
import type { FrameMessage, Loaded, RunState } from "./protocol.ts";
import { currentStamp, download, provideStamp, stampName, stampText } from "./stamp.ts";
import type { CorunLaunches } from "./launches/strips.ts";
import { sharedAddress } from "./share.ts";
import { Standing } from "./standing.ts";
import { store, stored } from "./stored.ts";
import { startTheme, toggleTheme } from "./theme.ts";
import { LINKED, startEmbed } from "./teach/embed.ts";
import { Budget } from "./views/pace.ts";
import { endWarnings, setupWarnings } from "./teach/warnings.ts";
import type { CorunWarnings } from "./teach/warnings-view.ts";
import type { Chosen } from "./run/choices.tsx";
import { NONE, schemeTitle } from "./run/choice.ts";
import first from "./run/first.json" with { type: "json" };
import type { RunSide, SchemeAnswer } from "./run/model.ts";
import { shownOf } from "./run/origin.ts";
import { present, presenting } from "./run/present.ts";
import { oneLess, oneMore, otherGpu, otherKernel, type Edit } from "./run/mix.ts";
import { SchemesRun } from "./run/schemes-run.ts";
import { schemesHost } from "./run/schemes-host.ts";
import { answerOf, answersAreOf, answersFor, mixKey } from "./run/stored.ts";
import { Screen } from "./run/screen.tsx";
import { schemesFor } from "./schemes/variants.ts";
import { encodeSweep } from "./sweeps/state.ts";
import { sweepOf, type Axis } from "./sweeps/vary.ts";
import type { CorunTimeline } from "./timeline/timeline.ts";
import type { CorunDock } from "./run/dock.ts";
import { lengthOf } from "./run/dock-data.ts";
import type {
  Catalogue,
  Experiment,
  FrameView,
  PolicyEntry,
  Problem,
  Result,
  SelectSm,
  ShownRun,
  WindowView,
  Zoom,
} from "./types.ts";

/** The first screen: two schemes on one mix. */
const FIRST: Experiment = { ...(first as Experiment), policy: { name: "even" } };
const FIRST_B: Experiment = { ...FIRST, policy: { name: "ccbp" } };
/** Where the first screen stops when motion is not wanted: the SMs are full and the charts have begun. */
const STILL = 8_000;

const $ = <T extends Element>(selector: string): T => document.querySelector(selector) as T;
const dock = $<CorunDock>("corun-dock");
const editor = $<CorunEditor>("corun-editor");
const notices = $<HTMLElement>("#notices");
const pictures = $<HTMLElement>("#pictures");
const sidebar = $<HTMLElement>("#editor");

let engine: Engine | null = null;
let catalogue: Catalogue | null = null;
let version = "",
  stamp = "";
/** What to say of the link that was opened, where another engine made it. */
let foreign: string | null = null;
/** An experiment of the page, and what the engine said of it last: what it built, or what is wrong. */
interface Side {
  experiment: Experiment;
  loaded: Loaded | null;
  problems: Problem[];
  /** Of each kernel, once it is known. */
  alone: ({ ipc: number | null; why: string } | undefined)[];
  /** What its run says so far. */
  result: Result | null;
  /** What the pictures show of it. */
  laid: { experiment: Experiment; loaded: Loaded } | null;
}
/** One, or two that are compared: A and B. Empty before the first link is read. */
let sides: Side[] = [];
/** Which of them the form shows. */
let edited = 0;
let view: View = {};
let state: RunState | "idle" = "idle";
let cycle = 0;
/** What the runs were last told to do once they are built. */
let asked = { play: false, seek: 0 };
/** That was stopped before it could begin. */
let givenUp = false;
/** The cycle belongs in the link only where the user has stopped to look. */
let linkCycle = false;
let pausedByHiding = false;
let link = "";
/** Of what the pictures show. */
let shownLink = "";

startTheme();

// ---------------------------------------------------------------- pictures

const card = (id: string, title: string, ...body: Node[]): HTMLElement =>
  h(
    "section",
    { class: "card", id, "aria-labelledby": `${id}-title`, tabIndex: -1 },
    h("h2", { id: `${id}-title` }, title),
    ...body,
  );

const grid = document.createElement("corun-sm-grid");
const detail = document.createElement("corun-sm-detail");
const path = document.createElement("corun-memory-path") as FrameView,
  mesh = document.createElement("corun-mesh") as FrameView;
const charts = document.createElement("corun-charts") as WindowView;
const timeline = document.createElement("corun-timeline") as CorunTimeline;
const launches = document.createElement("corun-launches") as CorunLaunches,
  launchesCard = card("launches", "CTAs by launch", launches);
const numbers = document.createElement("corun-numbers") as CorunNumbers;
const decisions = document.createElement("corun-decisions") as CorunDecisions;
const compare = document.createElement("corun-compare") as CorunCompare;
const warnings = document.createElement("corun-warnings") as CorunWarnings;
const compareCard = card("compare", "A and B", compare);
const predicted = document.createElement("corun-predicted") as CorunPredicted;
// The SM's heading and its close button are the view's own.
const detailCard = h("section", { class: "card", id: "sm", "aria-label": "One SM" }, detail);
$("#sms").append(grid);
const screen = new Screen(
  [
    { id: "compare", title: "A and B", elements: [compareCard] },
    { id: "path", title: "Path", elements: [card("path", "Memory path", mesh, path)] },
    { id: "charts", title: "Charts", elements: [card("charts", "Over time", charts)] },
    { id: "numbers", title: "Numbers", elements: [card("numbers", "Numbers", numbers)] },
    { id: "decisions", title: "Decisions", elements: [card("decisions", "What the policy decided", decisions)] },
    { id: "launches", title: "Launches", elements: [launchesCard] },
    { id: "sm", title: "One SM", elements: [detailCard] },
    { id: "predicted", title: "Predicted", elements: [card("predicted", "Predicted", predicted)] },
    { id: "timeline", title: "CTAs", elements: [card("timeline", "CTAs and launches", timeline)] },
  ],
  ["compare", "launches", "sm"],
  () => choose,
);
pictures.after(warnings);
startEmbed();

const standing = new Standing(pictures);

for (const one of [grid, detail])
  one.addEventListener("select-sm", (event) => select((event as CustomEvent<SelectSm>).detail.sm));
// One zoom for both: who changes it tells the other.
for (const [one, other] of [
  [charts, dock],
  [dock, charts],
] as const)
  one.addEventListener("zoom", (event) => {
    const zoom = (event as CustomEvent<Zoom | null>).detail;
    if (zoom) view.zoom = zoom;
    else delete view.zoom;
    other.zoom = zoom;
    writeLink();
  });
charts.addEventListener("go", (event) => {
  does.go((event as CustomEvent<number>).detail);
});
charts.addEventListener("panel", (event) => {
  const panel = (event as CustomEvent<string>).detail;
  if (panel) view.panel = panel;
  else delete view.panel;
  writeLink();
});

function select(sm: number | null): void {
  const hadFocus = detailCard.contains(document.activeElement);
  if (sm === null) delete view.sm;
  else view.sm = sm;
  showSelection();
  if (sm !== null) screen.tab.value = "sm";
  if (sm === null && hadFocus) grid.focus();
  writeLink();
}
function showSelection(): void {
  const sms = Math.max(0, ...sides.map(({ loaded }) => loaded?.layout.sms.length ?? 0));
  const sm = view.sm !== undefined && view.sm < sms ? view.sm : null;
  grid.selected = sm;
  detail.selected = sm;
  screen.has("sm", sm !== null);
}

// ---------------------------------------------------------------- notices

function say(of: Notice | null): void {
  notices.replaceChildren(...(of ? [notice(of)] : []));
}
const openFirst = {
  label: "Open the default experiment",
  primary: true,
  run: () => {
    view = {};
    open(FIRST, true);
  },
};

// ---------------------------------------------------------------- the experiment

const side = (experiment: Experiment): Side => ({
  experiment,
  loaded: null,
  problems: [],
  alone: [],
  result: null,
  laid: null,
});

/** Shows and runs what comes from elsewhere than the form: one experiment, or two. */
function open(next: Experiment, play: boolean, seek = 0, other: Experiment | null = null): void {
  if (sides.length > 1) engine?.only(0);
  numbers.dismiss();
  sides = [{ ...side(next), laid: sides[0]?.laid ?? null }];
  showSides(0);
  sidebar.hidden = false;
  run(0, next, other === null && play, other === null ? seek : 0);
  if (other) beside(other, play, seek);
  remember(play, seek);
}

function run(at: number, next: Experiment, play: boolean, seek: number): void {
  // Where a link could not be opened, there was none.
  sides[at] ??= side(next);
  const mine = sides[at];
  mine.experiment = next;
  mine.loaded = null;
  mine.result = null;
  foreign = null;
  asked = { play, seek };
  dock.toward = seek;
  givenUp = false;
  prepare("idle");
  engine?.load(at, next, play, seek);
}

const nameOf = (experiment: Experiment): string => `${mixText(experiment)} · ${schemeName(experiment)}`;
const PREPARING = { idle: "Loading", profiling: "Profiling", stopped: "Not begun" } as const;
/** What is asked for is not there yet. Until then, the transport, the title and a ribbon say that the pictures are of before. */
function prepare(how: keyof typeof PREPARING): void {
  state = "idle";
  dock.show(how, 0, 0);
  document.title = `${PREPARING[how]}: ${titleText()}`;
  if (!laid()) return;
  const was = sides.flatMap((one) => (one.laid ? [nameOf(one.laid.experiment)] : [])).join(" and ");
  const comes = sides
    .flatMap(({ experiment, loaded }, at) =>
      loaded ? [] : [sides.length > 1 ? `${MARKS[at] ?? ""} (${nameOf(experiment)})` : nameOf(experiment)],
    )
    .join(" and ");
  const why = {
    idle: "is being built",
    profiling: "waits until its kernels are measured alone",
    stopped: "has not begun",
  }[how];
  // Where a second run comes beside the first, the first is what it was.
  standing.mark(
    `Below is still ${was}, at cycle ${count(cycle)}. ${comes} ${why}.`,
    sides.some(({ laid: of, loaded }) => of !== null && !loaded),
  );
}

/** Whether the run before can be taken up again instead. */
const canReturn = (): boolean =>
  laid() &&
  held.length === sides.length &&
  sides.every((one) => one.laid !== null) &&
  sides.some(({ loaded }) => !loaded);
/** What was asked for is called off: the run before goes on where it was. */
function takeBack(): void {
  sides = sides.map((one) => (one.laid ? { ...one, ...one.laid, problems: [] } : one));
  givenUp = false;
  say(null);
  numbers.dismiss();
  showSides(edited);
  standing.clear();
  document.title = titleText();
  engine?.keep();
  writeLink();
}
const wayBack = (): { label: string; run(): void }[] => {
  const [first] = sides;
  if (sides.length > 1 && first?.loaded && sides[1]?.laid === null)
    return [
      {
        label: "Drop B",
        run: () => {
          only(0);
        },
      },
    ];
  return canReturn()
    ? [
        {
          label: `Back to ${sides.map(({ laid: of }) => schemeName((of as { experiment: Experiment }).experiment)).join(" and ")}`,
          run: takeBack,
        },
      ]
    : [];
};

/** The cycle is in the link where the user has stopped at it. */
function remember(play: boolean, seek: number): void {
  linkCycle = seek > 0 && !play;
  if (linkCycle) view.cycle = seek;
  else delete view.cycle;
  writeLink();
}

/** A second experiment beside the first, at the same cycle. */
function beside(other: Experiment, play: boolean, seek: number): void {
  sides = [sides[0] as Side, side(other)];
  showSides(1);
  compare.differ(null, "B is being built…");
  asked = { play, seek };
  dock.toward = seek;
  prepare("idle");
  void engine?.compare(other, play, seek);
}

/** One of two goes on alone. */
function only(at: number): void {
  const kept = sides[at];
  if (!kept || sides.length < 2) return;
  // The panel of both goes.
  if (compareCard.contains(document.activeElement)) $<HTMLElement>("#choose-scheme-A").focus();
  // One that could not be built is built alone, or says alone why not.
  if (!kept.loaded) {
    open(kept.experiment, !calm());
    return;
  }
  engine?.only(at);
  sides = [kept];
  numbers.dismiss();
  showSides(0);
  lay();
  say(null);
  writeLink();
}

/** The answers that came with the page for the present mix. */
let came: { key: string; answers: readonly SchemeAnswer[] } = { key: "", answers: [] };

/** What the first screen says of the sides: the stored answer until a run here has ended. */
function tellAnswer(): void {
  screen.sides.value = sides.map((one, at): RunSide => {
    const { experiment, result, alone } = one,
      answer = answerOf(came.answers, experiment);
    return {
      mark: sides.length > 1 ? (MARKS[at] ?? "") : "",
      scheme: catalogue ? schemeTitle(catalogue, experiment) : (answer?.scheme ?? schemeName(experiment)),
      experiment,
      kernels: kernelLabels(experiment.kernels),
      ...shownOf(answer?.result ?? null, result, state === "done"),
      alone: experiment.kernels.map((_, k) => alone[k]?.why ?? (alone[k] ? "" : "alone: being measured")),
    };
  });
  screen.live.value = screen.sides.value.map((shown, at) => {
    const result = sides[at]?.result ?? null;
    return result === null || result.cycles === 0 ? shown : { ...shown, result };
  });
}

/** Loads the answers of the present mix, where some came with the page, and shows them with those that have run here. */
async function loadStored(experiment: Experiment): Promise<void> {
  const key = mixKey(experiment);
  if (key !== came.key) {
    came = { key, answers: [] };
    const answers = await answersFor(experiment);
    if (came.key !== key) return;
    came = { key, answers: answers ?? [] };
    dropForeign();
    screen.stored.value = came.answers;
    tellAnswer();
  }
  if (catalogue) await allSchemes?.show(experiment, came.answers, schemesFor(catalogue, experiment));
}
/** Answers that came with the page may be of another engine than its module: known once that is there. */
function dropForeign(): void {
  if (stamp === "" || answersAreOf(stamp)) return;
  came.answers = [];
  screen.stored.value = [];
}
/** What runs every scheme on the present mix. */
let allSchemes: SchemesRun | null = null;

/** The form, and the card of the comparison. */
function showSides(edit: number): void {
  edited = edit;
  const shown = sides[edit];
  if (!shown) return;
  const two = sides.length > 1;
  editor.setSides(two ? runTitles(sides.map(({ experiment }) => experiment)) : [], edit);
  editor.show(shown.experiment);
  if (shown.loaded) editor.accepted(shown.loaded.normal, shown.loaded.explained);
  if (shown.problems.length > 0) editor.problems(shown.problems);
  screen.has("compare", two);
  tellSides();
  predict();
}
/** The panel of predictions is of the side that the form shows. */
function predict(): void {
  const mine = sides[edited]?.laid;
  if (!mine) return;
  predicted.setRun(mine.experiment, mine.loaded, sides.length > 1 ? (MARKS[edited] ?? "") : "");
  predicted.view = view.predict ?? {};
}
/** The row of choices and the answer. */
function tellScreen(): void {
  screen.experiments.value = sides.map(({ experiment }) => experiment);
  const [first] = sides;
  if (first) void loadStored(first.experiment);
  tellAnswer();
}
function tellSides(): void {
  tellScreen();
  if (sides.length < 2) return;
  editor.setSides(runTitles(sides.map(({ experiment }) => experiment)), edited);
  compare.show(
    sides.map(({ experiment }) => ({
      scheme: schemeName(experiment),
      mix: mixText(experiment),
      gpu: gpuName(experiment),
    })),
    edited,
  );
}
const gpuName = ({ gpu }: Experiment): string =>
  typeof gpu === "string" ? gpu : String(gpu?.preset ?? "the default GPU");

/** A change of the form, or of a side's scheme. What ran, runs again from the start; who has stopped at a cycle sees that cycle of the new run. */
function change(next: Experiment, at = edited): void {
  numbers.keep(at);
  // Where the last change is not built yet, or not yet where it goes, it is to do what that one was to do.
  const waits = (state === "idle" || state === "seeking") && laid();
  const stay = waits ? !asked.play && asked.seek > 0 : state === "paused" && cycle > 0,
    linked = linkCycle,
    there = waits ? asked.seek : cycle;
  const play = waits ? asked.play : !stay && state !== "paused" && !(state === "idle" && calm());
  run(at, next, play, stay ? there : 0);
  remember(play, stay ? there : 0);
  if (stay) {
    linkCycle = linked;
    if (!linked) delete view.cycle;
  }
  tellSides();
}

/** Two examples, from the start. */
function pair(first: Experiment, second: Experiment): void {
  view = {};
  open(first, !calm(), 0, second);
}

/** What the form offers to compare with. */
function compareWith(other: Experiment): void {
  const stay = state === "paused" && cycle > 0;
  beside(other, !stay && !calm(), stay ? cycle : 0);
  writeLink();
}

function swap(at: number, name: string): void {
  const mine = sides[at];
  if (!catalogue || !mine) return;
  const next = { ...structuredClone(mine.experiment), policy: scheme(catalogue, name, mine.experiment.kernels.length) };
  change(next, at);
  if (at === edited) editor.show(next);
}

/** The same, with SM classes assigned the other way round, becomes the other side. */
decisions.swap = (at) => {
  const mine = sides[at]?.experiment;
  if (!mine) return;
  const given: { name: string; swap?: unknown } = policyOf(mine);
  const { swap: swapped, ...policy } = given;
  openAs(1 - at, { ...structuredClone(mine), policy: swapped === true ? policy : { ...policy, swap: true } });
};

/** A partition of the panel of predictions takes the place of the form's experiment, and runs from the start. */
function simulate(next: Experiment): void {
  numbers.keep(edited);
  run(edited, next, true, 0);
  remember(true, 0);
  editor.show(next);
  tellSides();
}

/** Changes what both sides share. */
function changeMix(edit: Edit): void {
  sides.forEach(({ experiment }, at) => {
    const next = structuredClone(experiment);
    edit(next);
    change(next, at);
    if (at === edited) editor.show(next);
  });
}
/** What the row of choices does. */
const choose: Chosen = {
  kernel: (at, name) => changeMix(otherKernel(at, name)),
  add: (name) => changeMix(oneMore(catalogue, name)),
  remove: (at) => changeMix(oneLess(catalogue, at)),
  gpu: (name) => changeMix(otherGpu(name)),
  scheme: (at, name) => {
    const [first] = sides;
    if (at < sides.length && name !== NONE) swap(at, name);
    else if (name === NONE) only(0);
    else if (catalogue && first)
      compareWith({
        ...structuredClone(first.experiment),
        policy: scheme(catalogue, name, first.experiment.kernels.length),
      });
  },
};

/** A row of the schemes' table becomes a side. */
function openAs(at: number, next: Experiment): void {
  if (at >= sides.length) {
    compareWith(next);
    return;
  }
  change(next, at);
  showSides(at);
  pictures.scrollIntoView({ block: "start" });
}

/** The place Schemes, of a mix. */
const schemesLink = async (experiment: Experiment): Promise<string> =>
  `./sweeps.html${await encodeLink({ experiment, view: {} })}`;
function toSchemes(): void {
  const experiment = sides[edited]?.experiment;
  if (experiment) void schemesLink(experiment).then((href) => location.assign(href));
}
screen.chosen = (next) => {
  openAs(1, next);
};
screen.lead = (stands) => {
  screen.tab.value = "numbers";
  // The tab opens a moment later.
  requestAnimationFrame(() => numbers.querySelector<HTMLElement>(`[data-stands="${stands}"]`)?.focus());
};
screen.runAll = () => {
  if (state === "playing" || state === "seeking") engine?.pause();
  allSchemes?.start();
};

// ---------------------------------------------------------------- what the engine says

function onLoaded(at: number, message: Loaded): void {
  const mine = sides[at];
  if (!catalogue || !mine) return;
  mine.loaded = message;
  mine.problems = [];
  mine.alone = [];
  cycle = 0;
  if (at === edited) editor.accepted(message.normal, message.explained);
  say(
    foreign === null
      ? null
      : {
          kind: "info",
          title: foreign,
          text: [],
          actions: [
            {
              label: "Close this notice",
              run: () => {
                say(null);
              },
            },
          ],
        },
  );
  lay();
}

/** What the runs cannot show. Once they have ended, `results` are theirs. */
function warn(results: readonly (Result | null)[] = []): void {
  warnings.show(
    sides.map(({ loaded }, at) => {
      const result = results[at],
        mark = sides.length > 1 ? (MARKS[at] ?? "") : "";
      return {
        mark,
        texts: loaded
          ? [
              ...setupWarnings(loaded.normal, loaded.explained),
              ...(result ? endWarnings(loaded.normal, loaded.explained, result) : []),
            ]
          : [],
      };
    }),
  );
}

/** Gives the views the runs, once all are built. */
function lay(): void {
  if (!catalogue || sides.some(({ loaded }) => !loaded)) return;
  const two = sides.length > 1;
  const titles = runTitles(sides.map(({ experiment }) => experiment));
  const runs = sides.map(({ loaded }, i): ShownRun => {
    const { layout, windows } = loaded as Loaded;
    return { mark: two ? (MARKS[i] ?? "") : "", title: titles[i] ?? "", layout, windows };
  });
  held = runs.map(() => []);
  pictures.hidden = false;
  for (const one of [grid, detail, mesh, path]) one.setRuns(runs, catalogue);
  charts.setRuns(runs);
  charts.panel = view.panel ?? "";
  charts.zoom = view.zoom ?? null;
  dock.setRuns(
    runs,
    charts.stores,
    sides.map(({ loaded }) => lengthOf(loaded?.normal.stop)),
  );
  timeline.setRuns(
    runs,
    sides.map(({ loaded }) => loaded && epochOf(loaded.normal)),
  );
  screen.has(
    "launches",
    launches.setRuns(
      runs,
      sides.map(({ experiment }) => experiment.cta_order),
    ),
  );
  launches.view = view.launches ?? { kernel: 0 };
  dock.zoom = view.zoom ?? null;
  dock.bookmarks = view.bookmarks ?? [];
  numbers.setRuns(
    catalogue,
    runs.map(({ mark, title, layout }, i) => ({
      mark,
      title,
      kernels: layout.kernels,
      goals: (sides[i] as Side).experiment.kernels.map(hasGoal),
    })),
  );
  decisions.setRuns(runs, catalogue.controls);
  if (two) {
    const [a, b] = sides.map(({ experiment, loaded }) => ({ written: experiment, normal: (loaded as Loaded).normal }));
    if (a && b) compare.differ(differences(a, b));
  }
  for (const [at, { alone }] of sides.entries())
    alone.forEach((known, kernel) => {
      if (known) numbers.alone(at, kernel, known.ipc, known.why);
    });
  showSelection();
  warn();
  for (const one of sides) one.laid = { experiment: one.experiment, loaded: one.loaded as Loaded };
  predict();
  standing.clear();
  document.title = titleText();
}
function titleText(): string {
  const [first, second] = sides as [Side, Side?];
  const mixes = [...new Set(sides.map(({ experiment }) => mixText(experiment)))].join(" vs ");
  return `${mixes} · ${schemeName(first.experiment)}${second && schemeName(second.experiment) !== schemeName(first.experiment) ? ` vs ${schemeName(second.experiment)}` : ""} · Corun`;
}
const PROFILING = "Profiling";
function onProfiling(at: number, name: string, done: number, of: number, part: number): void {
  prepare("profiling");
  const title = `${PROFILING} ${sides.length > 1 ? `for ${MARKS[at] ?? ""}, ` : ""}${name}: ${done + 1} of ${of}`;
  // The button stays the same while runs come and go, so that it can be pressed.
  const shown = notices.querySelector("h2"),
    bar = notices.querySelector("progress");
  if (bar && shown?.textContent.startsWith(`${PROFILING} `)) {
    setText(shown, title);
    bar.value = (done + part) / of;
    return;
  }
  say({
    kind: "loading",
    title,
    text: [
      "The policy has to know how its kernels do alone before it begins. This browser keeps what is measured.",
      h("progress", { max: 1, value: (done + part) / of, "aria-label": "How much is measured" }),
    ],
    actions: [{ label: "Stop", run: () => engine?.stopProfiling() }, ...wayBack()],
  });
}

function onProfilingStopped(): void {
  givenUp = true;
  prepare("stopped");
  say({
    kind: "info",
    title: "Stopped before the run began",
    text: ["What was measured until then is kept."],
    actions: [{ label: "Go on", primary: true, run: goOn }, ...wayBack(), openFirst],
  });
}

/** Builds what was not built, and goes to where it was to go. */
function goOn(): void {
  const { play, seek } = asked;
  say(null);
  sides.forEach(({ experiment, loaded }, at) => {
    if (!loaded) run(at, experiment, play || seek === 0, seek);
  });
}

function onProblems(at: number, problems: Problem[]): void {
  const mine = sides[at];
  if (!mine) return;
  mine.problems = problems;
  if (at === edited) editor.problems(problems);
  if (sides.length > 1)
    compare.differ(
      null,
      `${MARKS[at] ?? ""} cannot run: ${problems.map(problemText).join("; ")}. Edit it, give it another scheme, or go on with the other one.`,
    );
  if (laid()) {
    document.title = "A problem · Corun";
    state = "paused";
    dock.show(state, cycle, 0);
    const of = sides.map((one) => one.laid).find((one) => one !== null);
    if (of) standing.mark(`Below is still ${nameOf(of.experiment)}: what the form says cannot run.`, false);
    return;
  }
  dock.show("empty", 0, 0);
  say({
    kind: "error",
    title: "This experiment cannot run",
    text: [
      h(
        "ul",
        null,
        ...problems.map((p) =>
          h("li", null, h("b", null, p.path || "experiment"), `: found ${p.found}, want ${p.want}`),
        ),
      ),
    ],
    actions: [openFirst],
  });
}

/** Milliseconds of a frame after which no other picture is begun: with the longest of them it is below 50. */
const PAINTING = 12;
const paces = [grid, detail, mesh, path].map((one) => ({ one, budget: new Budget(0.25) }));
const chartBudget = new Budget(0.1);
/** Of each run that the views have, windows that the charts have not been given yet. */
let held: Float64Array[][] = [];
const laid = (): boolean => held.length > 0;

function drawCharts(still: boolean): void {
  if (held.every((run) => run.length === 0)) return;
  chartBudget.run(still, () => {
    // All runs at once: none is ever ahead of another.
    held.forEach((run, at) => {
      const all = new Float64Array(run.reduce((sum, rows) => sum + rows.length, 0));
      let end = 0;
      for (const rows of run) {
        all.set(rows, end);
        end += rows.length;
      }
      charts.setWindows(at, all);
    });
    held = held.map(() => []);
    dock.refresh();
  });
}

/** A frame of each run, all of one cycle. */
function onFrames(frames: FrameMessage[], now: RunState, rate: number): void {
  // The second run may not have been built yet.
  if (frames.length !== sides.length || frames.length !== held.length) return;
  const before = state,
    stood = cycle,
    first = frames[0] as FrameMessage;
  state = now;
  cycle = first.cycle;
  dock.show(state === "done" && frames.some(({ result }) => result?.settled?.reached) ? "settled" : state, cycle, rate);
  const still = state !== "playing" && state !== "seeking";
  // While it runs, a frame has room for the pictures that fit its budget; the others begin the next one.
  const began = performance.now();
  for (let left = paces.length; left > 0 && (still || performance.now() - began < PAINTING); left -= 1) {
    const next = paces.shift() as (typeof paces)[number];
    paces.push(next);
    next.budget.run(still, () => next.one.update(frames.map(({ frame }) => frame)));
  }
  const restarted = frames.some(({ restart }) => restart);
  if (restarted) {
    // What one brings anew, the others bring too, or have not lost.
    frames.forEach(({ restart }, at) => {
      if (restart) {
        held[at] = [];
        charts.clear(at);
      }
    });
    if (view.zoom) charts.zoom = view.zoom;
    dock.refresh();
  }
  frames.forEach(({ windows }, at) => {
    if (windows.length > 0) held[at]?.push(windows);
  });
  drawCharts(still);
  frames.forEach(({ restart, decisions: news, controls }, at) => {
    if (restart || news.length > 0) {
      const log = decisions.add(at, news, restart);
      charts.setDecisions(at, log);
      for (const one of [dock, timeline]) one.setDecisions(at, log);
    }
    if (controls) for (const one of [decisions, numbers]) one.setControls(at, controls);
  });
  frames.forEach(({ past, shares, held: words }, at) => {
    if (past) for (const one of [dock, timeline]) one.setPast(at, past);
    if (shares) detail.setShares(at, shares);
    if (words) detail.setHeld(at, words);
  });
  launches.update(frames, still);
  for (const one of [charts, decisions, dock, timeline]) one.cycle = cycle;
  if (frames.some(({ met }) => met)) dock.stoppedAt(frames.map(({ met }) => met));
  else if (!still || cycle !== stood) dock.stoppedAt([]);
  if (frames.every(({ result }) => result)) {
    const results = frames.map(({ result }) => result);
    numbers.update(results);
    results.forEach((result, at) => {
      const mine = sides[at];
      if (mine) mine.result = result ?? null;
    });
    tellAnswer();
    const mine = results[edited];
    if (mine) predicted.update(mine, frames[edited]?.past ?? null);
    results.forEach((result, at) => {
      charts.setGoals(at, result?.kernels.map(({ goal_ipc: goal }) => (typeof goal === "number" ? goal : null)) ?? []);
    });
    // The result may come a frame after the end.
    if (state === "done") warn(results);
  }
  if (state !== before) {
    if (state !== "done") warn();
    if (state === "stuck") {
      const stuck = frames.findIndex((frame) => frame.state === "stuck"),
        which = frames.length > 1 ? ` in ${MARKS[stuck] ?? ""}` : "";
      say({
        kind: "error",
        title: `The machine is stuck${which} at cycle ${count(cycle)}`,
        text: [
          "Nothing can happen any more, in this cycle or a later one. The engine says why:",
          h("pre", null, frames[stuck]?.why ?? ""),
        ],
        actions: [],
      });
    } else if (state === "failed") {
      const at = frames.findIndex((frame) => frame.state === "failed"),
        which = frames.length > 1 ? ` of ${MARKS[at] ?? ""}` : "",
        why = frames[at]?.why ?? "";
      editor.scriptFailed(at, why);
      say({
        kind: "error",
        title: `The script${which} has failed at cycle ${count(cycle)}`,
        text: [
          "The run ends there. What it set before holds; what the call that failed has set does not.",
          h("pre", null, why),
        ],
        actions: [],
      });
    } else if (before === "stuck" || before === "failed") say(null);
    if (still) {
      document.documentElement.dataset["settled"] = String(cycle);
      if (linkCycle && cycle > 0) view.cycle = cycle;
      else delete view.cycle;
      writeLink();
    } else {
      delete document.documentElement.dataset["settled"];
      if (state === "playing" && view.cycle !== undefined) {
        delete view.cycle;
        linkCycle = false;
        writeLink();
      }
    }
  } else if (state === "paused" && linkCycle && view.cycle !== cycle) {
    document.documentElement.dataset["settled"] = String(cycle);
    view.cycle = cycle;
    writeLink();
  }
}

function onFailed(message: string): void {
  state = "idle";
  dock.show("empty", cycle, 0);
  say({
    kind: "error",
    title: "The simulation stopped",
    text: [
      "The engine met something that it cannot go on from. That is a defect of Corun, not of the experiment. It said:",
      h("pre", null, message),
    ],
    actions: [
      { label: "Start this experiment again", primary: true, run: () => void again() },
      {
        label: "Open the default experiment",
        run: () => {
          if (sides.length > 1) only(0);
          sides = [side(FIRST)];
          showSides(0);
          void again();
        },
      },
    ],
  });
}
async function again(): Promise<void> {
  say({ kind: "loading", title: "Starting again…", text: [], actions: [] });
  try {
    await engine?.restart();
    held = [];
    sides.forEach(({ experiment }, at) => {
      run(at, experiment, false, 0);
    });
    remember(false, 0);
  } catch (error) {
    onFailed(String(error));
  }
}

// ---------------------------------------------------------------- the address bar

let writing = 0;
let linkTimer = 0;
/** Makes the address bar the link to what is shown; browsers allow only so many changes a second. */
function writeLink(): void {
  clearTimeout(linkTimer);
  linkTimer = window.setTimeout(() => void writeNow(), 60);
}
async function writeNow(): Promise<void> {
  const [first, second] = sides;
  if (!first) return;
  const mine = ++writing;
  const hash = await encodeLink({
    experiment: first.experiment,
    ...(second ? { other: second.experiment } : {}),
    view,
    engine: stamp,
  });
  // Nor over a link that came into the address bar meanwhile, of which the browser has not told yet.
  if (mine !== writing || location.hash !== link) return;
  if (sides.every(({ loaded }) => loaded)) shownLink = hash;
  void schemesLink(first.experiment).then((href) => $('.pages a[href^="./sweeps.html"]').setAttribute("href", href));
  if (location.hash !== hash) history.replaceState(null, "", hash);
  link = location.hash;
  dispatchEvent(new Event(LINKED));
}

/** The address that opens the form. */
const MAKE = "#make";
/** Opens what the address bar says. */
async function readLink(first: boolean): Promise<void> {
  const hash = location.hash;
  if (!first && hash === link) return;
  link = hash;
  if (hash === MAKE) {
    showSide(true);
    if (first) open(FIRST, !calm(), 0, FIRST_B);
    else writeLink();
    return;
  }
  // Links inside the page, such as the one that skips to the pictures.
  if (/^#(main|f-[a-z0-9-]+)$/i.test(hash)) {
    if (first) open(FIRST, !calm(), 0, FIRST_B);
    return;
  }
  clearTimeout(linkTimer);
  writing += 1;
  try {
    const linked = await decodeLink(hash);
    if (hash !== location.hash) return;
    view = linked?.view ?? {};
    // A tab that somebody has opened before the engine was there stays open.
    if (!first || screen.tab.value === null) screen.tab.value = view.tab ?? (view.sm === undefined ? null : "sm");
    const at = view.cycle ?? 0,
      other = linked ? (linked.other ?? null) : FIRST_B;
    if (at > 0) open(linked?.experiment ?? FIRST, false, at, other);
    else if (calm()) {
      open(linked?.experiment ?? FIRST, false, STILL, other);
      linkCycle = false;
      delete view.cycle;
    } else open(linked?.experiment ?? FIRST, true, 0, other);
    foreign = linked && otherEngine(linked, stamp);
  } catch (error) {
    engine?.pause();
    if (!laid()) {
      sidebar.hidden = true;
      dock.show("empty", 0, 0);
    }
    say({
      kind: "error",
      title: "This link cannot be opened",
      text: error instanceof LinkError ? [error.message, error.advice] : [`It is damaged (${String(error)}).`],
      actions: [openFirst],
    });
  }
}
const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
addEventListener("hashchange", () => void readLink(false));

// ---------------------------------------------------------------- what the user does

function toggle(): void {
  if (!engine || !laid()) return;
  if (givenUp && sides.length > 1) {
    asked.play = true;
    goOn();
    return;
  }
  if (state === "playing" || state === "seeking") {
    linkCycle = true;
    engine.pause();
  } else if (state === "done" || state === "stuck" || state === "failed") {
    say(null);
    engine.reset(true);
  } else {
    linkCycle = false;
    engine.play();
  }
}
const does = {
  toggle,
  step: () => {
    linkCycle = true;
    engine?.step(1);
  },
  back: () => {
    if (cycle > 0) does.go(cycle - 1);
  },
  event: () => {
    linkCycle = true;
    engine?.stepEvent();
  },
  reset: () => {
    linkCycle = false;
    engine?.reset(false);
  },
  go: (to: number) => {
    linkCycle = true;
    dock.toward = to;
    asked = { play: false, seek: to };
    engine?.seek(to);
  },
  speed: (cyclesPerSecond: number) => {
    engine?.speed(cyclesPerSecond);
  },
};

async function copyLink(): Promise<void> {
  await writeNow();
  const plain = Object.keys(view).length === 0 && sides.every(({ loaded }) => loaded);
  const page = plain ? await sharedAddress(sides.map(({ loaded }) => loaded?.hash ?? "")) : null;
  await copyText(page ?? location.href, "The link is copied. Whoever opens it sees the same run.");
}

/** Goes to a sweep over a field of the experiment, in the place of this page: back leads here again. */
function vary(experiment: Experiment, axis: Axis, title: string): void {
  void encodeSweep({ text: sweepOf(experiment, axis, title), y: "", x: 0 }, {}).then((hash) => {
    if (hash === null) toast("This experiment is too long for a link: save it, and write the sweep around it.");
    else location.href = `./sweeps.html${hash}`;
  });
}

/** The file is stamped in its `source`, which is for people: the hash of the experiment leaves it out. */
function experimentText(): string {
  const { corun, ...rest } = (sides[edited] as Side).experiment;
  const source = stampText({ ...currentStamp(), config: sides[edited]?.loaded?.hash ?? "" });
  return `${JSON.stringify({ corun, source, ...rest }, null, 2)}\n`;
}

function exportExperiment(): void {
  if (sides.length > 0) download(stampName("experiment", "json"), experimentText(), "application/json");
}

/** A command that runs the same experiment natively, file and all; where the page has stopped, it stops too. */
async function copyCommand(): Promise<void> {
  if (sides.length === 0) return;
  const name = stampName("experiment", "json");
  const until = view.cycle !== undefined && state !== "done" ? ` --cycles ${view.cycle}` : "";
  await copyText(
    `# ${stampText()}\ncat > ${name} <<'EXPERIMENT'\n${experimentText()}EXPERIMENT\ntarget/release/corun run ${name}${until} --json\n`,
    "The command is copied. Paste it into a shell in a clone of Corun, after `cargo build --release`.",
  );
}

async function exportResult(): Promise<void> {
  if (!engine || !laid()) return;
  const results = await Promise.all(sides.map((_, at) => (engine as Engine).result(at)));
  // Of two runs, each by its mark.
  const runs =
    results.length > 1 ? Object.fromEntries(results.map((result, at) => [MARKS[at] ?? "", result])) : results[0];
  // With the link, the file opens the run again.
  const saved = { ...runs, link: location.href };
  download(stampName("result", "json"), `${JSON.stringify(saved, null, 2)}\n`, "application/json");
}

async function saveFile(): Promise<void> {
  try {
    const { saveRun } = await import("./embed/save.ts");
    await saveRun(screen.sides.value, grid.models, new URL(shownLink, location.href).hash);
  } catch (error) {
    toast(`The file could not be made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The card of a policy: its text is a chunk of its own. */
function about(policy: PolicyEntry): void {
  void import("./teach/card.ts").then(
    ({ openCard }) => openCard(policy, catalogue?.policies ?? [], stamp),
    () => toast("The card could not be loaded. Is the page's host still there?"),
  );
}

/** The run of a file that was saved here or elsewhere. */
function reopen(hash: string): void {
  if (location.hash === hash) toast("This is the run that is shown.");
  else location.hash = hash;
}

function showSide(open: boolean): void {
  document.documentElement.dataset["side"] = open ? "open" : "closed";
  make.toggleAttribute("data-open", open);
}
function toggleSide(): void {
  const closed = document.documentElement.dataset["side"] === "closed";
  showSide(closed);
  if (closed) (editor.querySelector("select, input, button") as HTMLElement | null)?.focus();
}

// Of what the pictures show.
provideStamp(() => ({
  engine: version,
  config: sides.map(({ laid: of }) => of?.loaded.hash ?? "").join("+"),
  seed: sides[0]?.laid?.loaded.normal.seed ?? sides[0]?.experiment.seed ?? 0,
  cycle,
  link: new URL(shownLink, location.href).href,
}));

const to = (id: string) => (): void => {
  if (screen.tabs.value.has(id)) screen.tab.value = id;
  document.getElementById(id)?.focus();
};
/** What a key does; `key` is the browser's name of it. Space and Escape have rules of their own. */
const KEYS: (Key & { key: string; run: () => void })[] = [
  { key: " ", keys: ["space"], does: "play, pause", run: toggle },
  { key: ".", keys: ["."], does: "one cycle forward", run: does.step },
  { key: ",", keys: [","], does: "one cycle back", run: does.back },
  { key: "e", keys: ["e"], does: "to the next event", run: does.event },
  {
    key: "[",
    keys: ["["],
    does: "slower",
    run: () => {
      dock.nudge(-3);
    },
  },
  {
    key: "]",
    keys: ["]"],
    does: "faster",
    run: () => {
      dock.nudge(3);
    },
  },
  { key: "r", keys: ["r"], does: "reset to cycle 0", run: does.reset },
  {
    key: "g",
    keys: ["g"],
    does: "go to a cycle",
    run: () => {
      dock.focusField();
    },
  },
  {
    key: "b",
    keys: ["b"],
    does: "bookmark this cycle",
    run: () => {
      dock.mark();
    },
  },
  { key: "c", keys: ["c"], does: "copy the link", run: () => void copyLink() },
  { key: "x", keys: ["x"], does: "open or close the experiment", run: toggleSide },
  { key: "1", keys: ["1"], does: "to the SMs", run: to("sms") },
  { key: "2", keys: ["2"], does: "to the memory path", run: to("path") },
  { key: "3", keys: ["3"], does: "to the numbers", run: to("numbers") },
  { key: "4", keys: ["4"], does: "to the charts", run: to("charts") },
  { key: "5", keys: ["5"], does: "to every scheme", run: toSchemes },
  { key: "d", keys: ["d"], does: "dark or light", run: toggleTheme },
  {
    key: "p",
    keys: ["p"],
    does: "present: the answer alone, large",
    run: () => {
      present(!presenting());
    },
  },
  {
    key: "Escape",
    keys: ["esc"],
    does: "close what is open",
    run: () => {
      if (presenting()) present(false);
      else if (view.sm !== undefined && !document.querySelector(":popover-open")) select(null);
    },
  },
  {
    key: "?",
    keys: ["?"],
    does: "this list",
    run: () => {
      help.showModal();
    },
  },
];
const help = helpDialog(
  KEYS,
  () => stored("corun-keys") !== "off",
  (on) => store("corun-keys", on ? "on" : "off"),
);

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const target = event.target as HTMLElement,
    key = KEYS.find((one) => one.key === event.key);
  if (!key || target.closest("input:not([type=checkbox]):not([type=range]), textarea, select, dialog")) return;
  // Escape closes what is open, also where the other keys are off.
  if (event.key !== "Escape" && stored("corun-keys") === "off") return;
  if (event.key === " " && target.closest("button, summary, a, input, [role=button], [role=gridcell]")) return;
  key.run();
  if (event.key !== "Escape") event.preventDefault();
});

// A hidden page runs nothing.
document.addEventListener("visibilitychange", () => {
  if (document.hidden && state === "playing") {
    pausedByHiding = true;
    engine?.pause();
  } else if (!document.hidden && pausedByHiding) {
    pausedByHiding = false;
    engine?.play();
  }
});

screen.tab.subscribe((tab) => {
  if (tab === (view.tab ?? null)) return;
  if (tab === null) delete view.tab;
  else view.tab = tab;
  writeLink();
});

const make = $<HTMLAnchorElement>("#make");
make.addEventListener("click", (event) => {
  event.preventDefault();
  toggleSide();
});
screen.actions([
  { title: "Copy the link", note: "to this very run ( c )", run: () => void copyLink() },
  { title: "Save the result", note: "so far, as JSON", run: () => void exportResult() },
  {
    title: "Save as one HTML file",
    note: "a picture that runs when asked, also without a network",
    run: () => void saveFile(),
  },
  { title: "Dark or light", note: "( d )", run: toggleTheme },
  { title: "Present", note: "the answer alone, large ( p )", run: () => present(true) },
  { title: "Keys and help", note: "( ? )", run: () => help.showModal() },
]);

// ---------------------------------------------------------------- start

/** The answer that came with the page, before the simulator is there. */
async function preview(): Promise<void> {
  const linked = await decodeLink(location.hash).catch(() => null);
  if (!linked && /^#./.test(location.hash)) return;
  sides = linked ? [linked.experiment, ...(linked.other ? [linked.other] : [])].map(side) : [FIRST, FIRST_B].map(side);
  screen.experiments.value = sides.map(({ experiment }) => experiment);
  tellAnswer();
  await loadStored(sides[0]?.experiment ?? FIRST);
  pictures.hidden = came.answers.length === 0;
  sides = [];
}

async function start(): Promise<void> {
  dock.init({
    ...does,
    stopWhen: (when) => {
      engine?.stopWhen(when);
    },
    bookmarks: (bookmarks) => {
      if (bookmarks.length > 0) view.bookmarks = [...bookmarks];
      else delete view.bookmarks;
      writeLink();
    },
  });
  showSide(false);
  await preview();
  let ready: Ready;
  try {
    ({ engine, ready } = await Engine.start({
      loaded: onLoaded,
      problems: onProblems,
      frames: onFrames,
      failed: onFailed,
      underWay: (at) => {
        state = "seeking";
        dock.show(state, at, 0);
      },
      alone: (at, kernel, ipc, why) => {
        const mine = sides[at];
        if (mine) mine.alone[kernel] = { ipc, why };
        numbers.alone(at, kernel, ipc, why);
        tellAnswer();
      },
      aloneProgress: (at, kernel, done) => {
        numbers.aloneProgress(at, kernel, done);
      },
      profiling: onProfiling,
      profilingStopped: onProfilingStopped,
      refused: (problems) => toast(problems.map((p) => `${p.path}: found ${p.found}, want ${p.want}`).join("; ")),
    }));
  } catch (error) {
    sidebar.hidden = true;
    dock.show("empty", 0, 0);
    say({
      kind: "error",
      title: "The simulator could not be started",
      text: [
        error instanceof Error ? error.message : String(error),
        "It needs a browser with WebAssembly and module workers: any that was current in 2023 or later.",
      ],
      actions: [{ label: "Try again", primary: true, run: () => location.reload() }],
    });
    return;
  }
  catalogue = ready.catalogue;
  ({ version, stamp } = ready);
  dropForeign();
  const running = engine;
  allSchemes = new SchemesRun(
    schemesHost(running.module, ready.catalogue, ready.stamp, (one) => running.validate(one)),
  );
  screen.start(ready.catalogue, allSchemes);
  predicted.init(running.module, stamp, {
    simulate,
    changed: (seen) => {
      view.predict = seen;
      writeLink();
    },
  });
  timeline.go = does.go;
  launches.init({
    next: does.event,
    l1: (at, kernel, when) => running.l1(at, kernel, when),
    changed: (seen) => {
      if (seen) view.launches = seen;
      else delete view.launches;
      writeLink();
    },
  });
  compare.init(ready.catalogue, {
    swap,
    only,
    edit: (at) => {
      showSides(at);
      showSide(true);
    },
  });
  editor.init(ready.catalogue, {
    change: (next) => {
      change(next);
    },
    compare: compareWith,
    pair,
    schemes: toSchemes,
    edit: showSides,
    vary,
    dropped: () => {
      sidebar.hidden = false;
      showSide(true);
    },
    freshSeed: () => running.freshSeed(),
    about,
    reopen,
    validate: (one) => running.validate(one),
    exportExperiment,
    copyCommand: () => void copyCommand(),
  });
  await readLink(true);
  if (document.documentElement.dataset["embed"] === undefined) void keepOffline(toast);
}
void start();

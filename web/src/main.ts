// Where the page starts: it puts the parts together and passes news between them.
//
// The experiment (from the address bar, or the default) goes to the engine; frames come back and go to the views; what the
// user changes goes into the address bar, which always is the link to what is on the screen.
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
import "./views/index.ts";
import "./decisions.ts";
import "./editor.ts";
import "./numbers.ts";
import "./transport.ts";
import { kernelName } from "./choices.ts";
import { copyText, helpDialog, notice, toast, type Key, type Notice } from "./dialogs.ts";
import { h, icon } from "./dom.ts";
import type { CorunDecisions } from "./decisions.ts";
import type { CorunEditor } from "./editor.ts";
import { Engine } from "./engine.ts";
import { count } from "./format.ts";
import { LinkError, decodeLink, encodeLink, otherEngine, type View } from "./link.ts";
import type { CorunNumbers } from "./numbers.ts";
import type { FrameMessage, Loaded, RunState } from "./protocol.ts";
import { download, provideStamp, stampName, stampText } from "./stamp.ts";
import { store, stored } from "./stored.ts";
import { startTheme, themeButton, toggleTheme } from "./theme.ts";
import type { CorunTransport } from "./transport.ts";
import type { Catalogue, Experiment, FrameView, PolicyChoice, Problem, SelectSm, SmView, WindowView, Zoom } from "./types.ts";

/** The first screen. */
const FIRST: Experiment = { corun: 1, gpu: "ccbp-16sm", kernels: ["BP", "CFD"], policy: { name: "even" }, seed: 1 };
/** Where the first screen stops when motion is not wanted: the SMs are full and the charts have begun. */
const STILL = 8_000;

const $ = <T extends Element>(selector: string): T => document.querySelector(selector) as T;
const transport = $<CorunTransport>("corun-transport");
const editor = $<CorunEditor>("corun-editor");
const notices = $<HTMLElement>("#notices");
const pictures = $<HTMLElement>("#pictures");
const side = $<HTMLElement>("#editor");

let engine: Engine | null = null;
let catalogue: Catalogue | null = null;
let version = "", stamp = "";
/** What to say of the link that was opened, where another engine made it. */
let foreign: string | null = null;
let experiment: Experiment | null = null;
let view: View = {};
let loaded: Loaded | null = null;
let state: RunState | "idle" = "idle";
let cycle = 0;
/** The cycle belongs in the link only where the user has stopped to look. */
let linkCycle = false;
let pausedByHiding = false;
let link = "";

startTheme();

// ---------------------------------------------------------------- pictures

const card = (id: string, title: string, ...body: Node[]): HTMLElement =>
  h("section", { class: "card", id, "aria-labelledby": `${id}-title`, tabIndex: -1 }, h("h2", { id: `${id}-title` }, title), ...body);

const grid = document.createElement("corun-sm-grid") as SmView;
const detail = document.createElement("corun-sm-detail") as SmView;
const path = document.createElement("corun-memory-path") as FrameView;
const charts = document.createElement("corun-charts") as WindowView;
const numbers = document.createElement("corun-numbers") as CorunNumbers;
const decisions = document.createElement("corun-decisions") as CorunDecisions;
// The SM's heading and its close button are the view's own.
const detailCard = h("section", { class: "card", id: "sm", "aria-label": "One SM", hidden: true }, detail);
pictures.append(
  h("div", { class: "columns" },
    h("div", { class: "column wide" }, card("sms", "Streaming multiprocessors", grid), card("path", "Memory path", path)),
    h("div", { class: "column" }, card("numbers", "Numbers", numbers), detailCard, card("decisions", "What the policy decided", decisions))),
  card("charts", "Over time", charts));

for (const one of [grid, detail]) one.addEventListener("select-sm", (event) => select((event as CustomEvent<SelectSm>).detail.sm));
charts.addEventListener("zoom", (event) => {
  const zoom = (event as CustomEvent<Zoom | null>).detail;
  if (zoom) view.zoom = zoom; else delete view.zoom;
  writeLink();
});
charts.addEventListener("panel", (event) => {
  const panel = (event as CustomEvent<string>).detail;
  if (panel) view.panel = panel; else delete view.panel;
  writeLink();
});

function select(sm: number | null): void {
  const hadFocus = detailCard.contains(document.activeElement);
  if (sm === null) delete view.sm; else view.sm = sm;
  showSelection();
  if (sm === null && hadFocus) grid.focus();
  writeLink();
}
function showSelection(): void {
  const sms = loaded?.layout.sms.length ?? 0;
  const sm = view.sm !== undefined && view.sm < sms ? view.sm : null;
  grid.selected = sm;
  detail.selected = sm;
  detailCard.hidden = sm === null;
}

// ---------------------------------------------------------------- notices

function say(of: Notice | null): void {
  notices.replaceChildren(...(of ? [notice(of)] : []));
}
const openFirst = { label: "Open the default experiment", primary: true, run: () => { view = {}; open(FIRST, true); } };

// ---------------------------------------------------------------- the experiment

/** Shows and runs an experiment that comes from elsewhere than the form. */
function open(next: Experiment, play: boolean, seek = 0): void {
  editor.show(next);
  side.hidden = false;
  apply(next, play, seek);
}

function apply(next: Experiment, play: boolean, seek = 0): void {
  experiment = next;
  foreign = null;
  linkCycle = seek > 0 && !play;
  if (linkCycle) view.cycle = seek;
  else delete view.cycle;
  engine?.load(next, play, seek);
  writeLink();
}

/** A change of the form. What ran, runs again from the start; who has stopped at a cycle sees that cycle of the new run. */
function change(next: Experiment): void {
  if (state === "paused" && cycle > 0) {
    const linked = linkCycle;
    apply(next, false, cycle);
    linkCycle = linked;
    if (!linked) delete view.cycle;
  } else {
    apply(next, state !== "paused" && !(state === "idle" && calm()));
  }
}

const names = (of: Experiment): string[] => of.kernels.map(kernelName);
const policyName = (of: Experiment): string => (typeof of.policy === "string" ? of.policy : (of.policy as PolicyChoice | undefined)?.name ?? "even");

function onLoaded(message: Loaded): void {
  if (!catalogue || !experiment) return;
  loaded = message;
  cycle = 0;
  held = [];
  editor.accepted(message.normal, message.explained);
  say(foreign === null ? null : { kind: "info", title: "This link was made with another engine", text: [foreign], actions: [{ label: "Close this notice", run: () => { say(null); } }] });
  pictures.hidden = false;
  for (const one of [grid, detail, path]) one.setLayout(message.layout, catalogue);
  charts.setLayout(message.windows, message.layout.kernels);
  charts.panel = view.panel ?? "";
  charts.zoom = view.zoom ?? null;
  numbers.setKernels(catalogue, message.layout.kernels);
  decisions.setRun(message.layout.kernels, message.layout.sms.length, catalogue.controls);
  charts.setDecisions([]);
  showSelection();
  document.title = `${names(experiment).join(" + ")} · ${policyName(experiment)} · Corun`;
}

const PROFILING = "Profiling";
function onProfiling(name: string, done: number, of: number): void {
  const title = `${PROFILING} ${name}: ${done + 1} of ${of}`;
  // The button stays the same while runs come and go, so that it can be pressed.
  const shown = notices.querySelector("h2");
  if (shown?.textContent.startsWith(`${PROFILING} `)) { shown.textContent = title; return; }
  say({
    kind: "loading", title, text: ["The policy has to know how its kernels do alone before it begins. This browser keeps what is measured."],
    actions: [{ label: "Stop", run: () => engine?.stopProfiling() }],
  });
}

function onProfilingStopped(): void {
  say({
    kind: "info", title: "Stopped before the run began", text: ["What was measured until then is kept."],
    actions: [{ label: "Go on", primary: true, run: () => { if (experiment) apply(experiment, true); } }, openFirst],
  });
}

function onProblems(problems: Problem[]): void {
  editor.problems(problems);
  if (loaded) { document.title = "A problem · Corun"; return; }
  transport.show("empty", 0, 0);
  say({
    kind: "error", title: "This experiment cannot run",
    text: [h("ul", null, ...problems.map((p) => h("li", null, h("b", null, p.path || "experiment"), `: found ${p.found}, want ${p.want}`)))],
    actions: [openFirst],
  });
}

/**
 * Drawing may take a part of the time and no more: on a slow computer a picture skips frames, so that the simulation and
 * the answers to clicks get the rest. A picture is never skipped when nothing runs.
 */
class Pace {
  #cost = 0;
  #last = -Infinity;
  constructor(readonly share: number) {}
  run(now: boolean, draw: () => void): boolean {
    const start = performance.now();
    if (!now && start - this.#last < this.#cost / this.share) return false;
    draw();
    this.#cost = 0.7 * this.#cost + 0.3 * (performance.now() - start);
    this.#last = start;
    return true;
  }
}
const paces = [grid, detail, path].map((one) => ({ one, pace: new Pace(0.25) }));
const chartPace = new Pace(0.1);
/** Windows that the charts have not been given yet. */
let held: Float64Array[] = [];

function drawCharts(windows: Float64Array, still: boolean): void {
  const layout = loaded?.windows;
  if (windows.length > 0) held.push(windows);
  if (!layout || held.length === 0) return;
  chartPace.run(still, () => {
    const all = new Float64Array(held.reduce((sum, rows) => sum + rows.length, 0));
    let at = 0;
    for (const rows of held) { all.set(rows, at); at += rows.length; }
    held = [];
    charts.setWindows(layout, all);
  });
}

function onFrame(message: FrameMessage): void {
  const before = state;
  state = message.state;
  cycle = message.cycle;
  transport.show(state === "done" && message.result?.settled?.reached ? "settled" : state, cycle, message.rate);
  const still = state !== "playing" && state !== "seeking";
  for (const { one, pace } of paces) pace.run(still, () => one.update(message.frame));
  if (message.restart) { held = []; charts.reset(); if (view.zoom) charts.zoom = view.zoom; }
  drawCharts(message.windows, still);
  if (message.restart || message.decisions.length > 0) charts.setDecisions(decisions.add(message.decisions, message.restart));
  if (message.result) numbers.update(message.result);
  if (message.controls) decisions.setControls(message.controls);
  if (state !== before) {
    if (state === "stuck") {
      say({ kind: "error", title: `The machine is stuck at cycle ${count(cycle)}`, text: ["Nothing can happen any more, in this cycle or a later one. The engine says why:", h("pre", null, message.why)], actions: [] });
    } else if (before === "stuck") say(null);
    if (state !== "playing" && state !== "seeking") {
      document.documentElement.dataset["settled"] = String(cycle);
      if (linkCycle && cycle > 0) view.cycle = cycle; else delete view.cycle;
      writeLink();
    } else {
      delete document.documentElement.dataset["settled"];
      if (state === "playing" && view.cycle !== undefined) { delete view.cycle; linkCycle = false; writeLink(); }
    }
  } else if (state === "paused" && linkCycle && view.cycle !== cycle) {
    document.documentElement.dataset["settled"] = String(cycle);
    view.cycle = cycle;
    writeLink();
  }
}

function onFailed(message: string): void {
  state = "idle";
  transport.show("empty", cycle, 0);
  say({
    kind: "error", title: "The simulation stopped",
    text: ["The engine met something that it cannot go on from. That is a defect of Corun, not of the experiment. It said:", h("pre", null, message)],
    actions: [
      { label: "Start this experiment again", primary: true, run: () => void again() },
      { label: "Open the default experiment", run: () => { experiment = FIRST; editor.show(FIRST); void again(); } },
    ],
  });
}
async function again(): Promise<void> {
  say({ kind: "loading", title: "Starting again…", text: [], actions: [] });
  try {
    await engine?.restart();
    apply(experiment ?? FIRST, false);
  } catch (error) { onFailed(String(error)); }
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
  if (!experiment) return;
  const mine = ++writing;
  const hash = await encodeLink({ experiment, view, engine: stamp });
  if (mine !== writing) return;
  link = hash;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

/** Opens what the address bar says. */
async function readLink(first: boolean): Promise<void> {
  const hash = location.hash;
  if (!first && hash === link) return;
  // Links inside the page, such as the one that skips to the pictures.
  if (/^#(main|f-[a-z0-9-]+)$/i.test(hash)) { if (first) open(FIRST, !calm()); return; }
  clearTimeout(linkTimer);
  writing += 1;
  try {
    const linked = await decodeLink(hash);
    if (hash !== location.hash) return;
    view = linked?.view ?? {};
    link = hash;
    const at = view.cycle ?? 0;
    if (at > 0) open(linked?.experiment ?? FIRST, false, at);
    else if (calm()) { open(linked?.experiment ?? FIRST, false, STILL); linkCycle = false; delete view.cycle; }
    else open(linked?.experiment ?? FIRST, true);
    foreign = linked && otherEngine(linked, stamp);
  } catch (error) {
    engine?.pause();
    if (!loaded) { side.hidden = true; transport.show("empty", 0, 0); }
    say({
      kind: "error", title: "This link cannot be opened",
      text: [error instanceof LinkError ? error.message : `It is damaged (${String(error)}).`, "It may have been cut when it was copied. Nothing of it was run."],
      actions: [openFirst],
    });
  }
}
const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
addEventListener("hashchange", () => void readLink(false));

// ---------------------------------------------------------------- what the user does

function toggle(): void {
  if (!engine || !loaded) return;
  if (state === "playing" || state === "seeking") { linkCycle = true; engine.pause(); }
  else if (state === "done" || state === "stuck") { say(null); engine.reset(true); }
  else { linkCycle = false; engine.play(); }
}
const does = {
  toggle,
  step: () => { linkCycle = true; engine?.step(1); },
  back: () => { linkCycle = true; if (cycle > 0) engine?.seek(cycle - 1); },
  event: () => { linkCycle = true; engine?.stepEvent(); },
  reset: () => { linkCycle = false; engine?.reset(false); },
  speed: (cyclesPerSecond: number) => engine?.speed(cyclesPerSecond),
};

async function copyLink(): Promise<void> {
  await writeNow();
  await copyText(location.href, "The link is copied. Whoever opens it sees the same run.");
}

/** The file is stamped in its `source`, which is for people: the hash of the experiment leaves it out. */
function experimentText(): string {
  const { corun, ...rest } = experiment as Experiment;
  return `${JSON.stringify({ corun, source: stampText(), ...rest }, null, 2)}\n`;
}

function exportExperiment(): void {
  if (experiment) download(stampName("experiment", "json"), experimentText(), "application/json");
}

/** A command that runs the same experiment natively, file and all; where the page has stopped, it stops too. */
async function copyCommand(): Promise<void> {
  if (!experiment) return;
  const name = stampName("experiment", "json");
  const until = view.cycle !== undefined && state !== "done" ? ` --cycles ${view.cycle}` : "";
  await copyText(`# ${stampText()}\ncat > ${name} <<'EXPERIMENT'\n${experimentText()}EXPERIMENT\ntarget/release/corun run ${name}${until} --json\n`,
    "The command is copied. Paste it into a shell in a clone of Corun, after `cargo build --release`.");
}

async function exportResult(): Promise<void> {
  if (!engine || !loaded) return;
  const result = await engine.result();
  download(stampName("result", "json"), `${JSON.stringify(result, null, 2)}\n`, "application/json");
}

function showSide(open: boolean): void {
  document.documentElement.dataset["side"] = open ? "open" : "closed";
  sideButton.setAttribute("aria-expanded", String(open));
}
function toggleSide(): void {
  const closed = document.documentElement.dataset["side"] === "closed";
  showSide(closed);
  if (closed) (editor.querySelector("select, input, button") as HTMLElement | null)?.focus();
}

provideStamp(() => ({ engine: version, config: loaded?.hash ?? "", seed: loaded?.normal.seed ?? experiment?.seed ?? 0, cycle, link: location.href }));

const KEYS: Key[] = [
  { keys: ["space"], does: "play, pause" },
  { keys: ["."], does: "one cycle forward" },
  { keys: [","], does: "one cycle back" },
  { keys: ["e"], does: "to the next event" },
  { keys: ["["], does: "slower" },
  { keys: ["]"], does: "faster" },
  { keys: ["r"], does: "reset to cycle 0" },
  { keys: ["c"], does: "copy the link" },
  { keys: ["x"], does: "open or close the experiment" },
  { keys: ["1"], does: "to the SMs" },
  { keys: ["2"], does: "to the memory path" },
  { keys: ["3"], does: "to the numbers" },
  { keys: ["4"], does: "to the charts" },
  { keys: ["d"], does: "dark or light" },
  { keys: ["esc"], does: "close what is open" },
  { keys: ["?"], does: "this list" },
];
const help = helpDialog(KEYS, () => stored("corun-keys") !== "off", (on) => store("corun-keys", on ? "on" : "off"));

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const target = event.target as HTMLElement;
  if (target.closest("input:not([type=checkbox]):not([type=range]), textarea, select, dialog")) return;
  if (event.key === "Escape") { if (view.sm !== undefined && !document.querySelector(":popover-open")) select(null); return; }
  if (stored("corun-keys") === "off") return;
  const go = (id: string): void => { const to = document.getElementById(id); to?.scrollIntoView({ block: "start" }); to?.focus(); };
  switch (event.key) {
    case " ":
      if (target.closest("button, summary, a, input, [role=button], [role=gridcell]")) return;
      toggle();
      break;
    case ".": does.step(); break;
    case ",": does.back(); break;
    case "e": does.event(); break;
    case "[": transport.nudge(-3); break;
    case "]": transport.nudge(3); break;
    case "r": does.reset(); break;
    case "c": void copyLink(); break;
    case "x": toggleSide(); break;
    case "1": go("sms"); break;
    case "2": go("path"); break;
    case "3": go("numbers"); break;
    case "4": go("charts"); break;
    case "d": toggleTheme(); break;
    case "?": help.showModal(); break;
    default: return;
  }
  event.preventDefault();
});

// A hidden page runs nothing.
document.addEventListener("visibilitychange", () => {
  if (document.hidden && state === "playing") { pausedByHiding = true; engine?.pause(); }
  else if (!document.hidden && pausedByHiding) { pausedByHiding = false; engine?.play(); }
});

const sideButton = h("button", { type: "button", class: "icon-button", "aria-label": "The experiment", "aria-controls": "editor", "aria-expanded": "true", title: "Open or close the experiment ( x )", onclick: toggleSide }, icon("sliders"));
$("#actions").append(
  sideButton,
  h("button", { type: "button", class: "icon-button labelled", title: "Copy the link to this very run ( c )", "aria-label": "Copy the link", onclick: () => void copyLink() }, icon("link"), h("span", null, "Link")),
  h("button", { type: "button", class: "icon-button labelled", title: "Save the result so far as JSON", "aria-label": "Save the result", onclick: () => void exportResult() }, icon("download"), h("span", null, "Result")),
  h("a", { class: "icon-button labelled", href: "./components.html", title: "A crossbar, a DRAM channel or a cache by itself, against theory", "aria-label": "Component lab" }, icon("curve"), h("span", null, "Components")),
  h("a", { class: "icon-button labelled", href: "./figures.html", title: "Figures of papers, live", "aria-label": "Figures" }, icon("bars"), h("span", null, "Figures")),
  h("a", { class: "icon-button labelled", href: "./sweeps.html", title: "Many experiments from one file", "aria-label": "Sweeps" }, icon("grid"), h("span", null, "Sweeps")),
  themeButton("d"),
  h("button", { type: "button", class: "icon-button", title: "Keys and help ( ? )", "aria-label": "Keys and help", onclick: () => help.showModal() }, h("b", { "aria-hidden": "true" }, "?")));

// ---------------------------------------------------------------- start

async function start(): Promise<void> {
  transport.init(does);
  if (matchMedia("(max-width: 60rem)").matches) showSide(false);
  say({ kind: "loading", title: "Loading the simulator…", text: ["It runs here, in your browser; nothing is sent anywhere."], actions: [] });
  let ready;
  try {
    ({ engine, ready } = await Engine.start({
      loaded: onLoaded, problems: onProblems, frame: onFrame, failed: onFailed,
      alone: (kernel, ipc, why) => numbers.alone(kernel, ipc, why),
      aloneProgress: (kernel, done) => numbers.aloneProgress(kernel, done),
      profiling: onProfiling, profilingStopped: onProfilingStopped,
      refused: (problems) => toast(problems.map((p) => `${p.path}: found ${p.found}, want ${p.want}`).join("; ")),
    }));
  } catch (error) {
    side.hidden = true;
    transport.show("empty", 0, 0);
    say({
      kind: "error", title: "The simulator could not be started",
      text: [error instanceof Error ? error.message : String(error), "It needs a browser with WebAssembly and module workers: any that was current in 2023 or later."],
      actions: [{ label: "Try again", primary: true, run: () => location.reload() }],
    });
    return;
  }
  catalogue = ready.catalogue;
  ({ version, stamp } = ready);
  const running = engine;
  editor.init(ready.catalogue, { change, dropped: () => { side.hidden = false; showSide(true); }, freshSeed: () => running.freshSeed(), validate: (one) => running.validate(one), exportExperiment, copyCommand: () => void copyCommand() });
  await readLink(true);
}
void start();

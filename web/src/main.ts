// Where the page starts: it puts the parts together. What runs is run/session.ts; what the drawer shows is the list of run/panels.tsx.
// The content policy allows no style attributes in markup; setting element.style is fine.
import { errorText } from "./model/format.ts";
import "./parts/style/tokens.css";
import "./parts/style/base.css";
import "./parts/style/layout.css";
import "./parts/style/parts.css";
import "./parts/stale-banner.css";
import "./make/make.css";
import "./run/screen.css";
import "./engine/script/script.css";
import "./picture/index.ts";
import "./run/launches/strips.ts";
import "./make/element.tsx";
import "./parts/teach.css";
import { effect } from "@preact/signals";
import { runTitles, scheme } from "./model/choices.ts";
import { toast } from "./parts/dialogs.tsx";
import type { savePicture } from "./embed/save.ts";
import { Engine } from "./engine/engine.ts";
import { others } from "./engine/lab/slices.ts";
import type { CorunEditor } from "./make/element.tsx";
import { compileModule } from "./engine/module.ts";
import { keepOffline } from "./parts/offline.ts";
import { shipped } from "./engine/profiles.ts";
import { Address, calm, FIRST, schemesLink } from "./run/address.ts";
import { Answered } from "./run/answered.ts";
import { NONE, gpuOf, vendorOf } from "./model/choice.ts";
import type { Chosen } from "./parts/choices.tsx";
import { dockPart } from "./run/dock.ts";
import { closeDrawer } from "./run/drawer.tsx";
import { Feed } from "./run/feed.ts";
import { gpuPart } from "./run/gpu.tsx";
import { listen, pageKey } from "./run/keys.ts";
import { alike, edited, oneLess, oneMore, otherGpu, otherKernel } from "./model/mix.ts";
import { firstPart } from "./model/scaled.ts";
import { importRecorded, withRecording } from "./parts/recorded.tsx";
import type { Recording } from "./engine/recordings.ts";
import { panels } from "./run/panels.tsx";
import { present, presenting } from "./run/present.ts";
import { copyCommand, copyEmbed, copyLink, saveExperiment, saveFile, saveResult } from "./run/saves.ts";
import { schemesHost } from "./schemes/schemes-host.ts";
import { SchemesRun } from "./schemes/schemes-run.ts";
import { startScreen } from "./run/screen.tsx";
import { Session } from "./run/session.ts";
import { answerText } from "./run/session-words.ts";
import { compareMeasured } from "./silicon/open.ts";
import { provideStamp } from "./model/stamp.ts";
import { staleBanner } from "./parts/stale-banner.tsx";
import { startEmbed } from "./teach/embed.tsx";
import { shapeOf, shortTitle, withPreset, type Preset } from "./model/vendors.ts";
import { startSkip } from "./parts/dom.ts";
import { startTheme, toggleTheme } from "./parts/theme.ts";
import type { Experiment } from "./model/types.ts";

const $ = <T extends Element>(selector: string): T => document.querySelector(selector) as T;
startTheme();
startSkip();

// ---------------------------------------------------------------- the parts

const dock = $<HTMLElement>("corun-dock"),
  editor = $<CorunEditor>("corun-editor"),
  sidebar = $<HTMLElement>("#editor"),
  pictures = $<HTMLElement>("#pictures"),
  make = $<HTMLAnchorElement>("#make");

const feed = new Feed();
const session = new Session({
  form: editor,
  feed,
  relink: () => address.write(),
  calm: calm(),
  first: FIRST,
});
const address = new Address(session, () => showSide(true));
const answered = new Answered(session);
const list = panels({ session, answered });
const gpu = gpuPart($("#gpu"), pictures, session);
feed.add(gpu, ...list, dockPart(dock, session));
startEmbed(list);

function showSide(open: boolean): void {
  document.documentElement.dataset["side"] = open ? "open" : "closed";
  make.toggleAttribute("data-open", open);
  if (open) editor.reveal();
}
function toggleSide(): void {
  const closed = document.documentElement.dataset["side"] === "closed";
  showSide(closed);
  // The form is drawn a moment later.
  if (closed) requestAnimationFrame(() => editor.querySelector<HTMLElement>("select, input, button")?.focus());
}
make.addEventListener("click", (event) => {
  event.preventDefault();
  toggleSide();
});

// ---------------------------------------------------------------- what follows the session

const stands = staleBanner(pictures);
const root = document.documentElement;
const follow: (() => void)[] = [
  () =>
    editor.setSides(session.two.value ? runTitles(session.experiments, session.catalogue) : [], session.edited.value),
  () => {
    const { value } = session.title;
    if (value) document.title = [value, answerText(answered.sides.value), "Corun"].filter(Boolean).join(" · ");
  },
  () => stands(session.standing.value),
  () => {
    sidebar.hidden = !session.editable.value;
  },
  () => {
    if (session.shown.value || answered.stored.value.length > 0) pictures.hidden = false;
  },
  () => {
    if (session.settled.value === null) delete root.dataset["settled"];
    else root.dataset["settled"] = String(session.settled.value);
  },
  () => {
    const [first] = session.experiments;
    if (first) void schemesLink(first).then((href) => $('.pages a[href^="./sweeps.html"]').setAttribute("href", href));
  },
  () => {
    const tab = session.tab.value;
    if (tab !== (session.view.peek().tab ?? null)) session.send("look", { tab: tab ?? undefined });
  },
];
for (const one of follow) effect(one);
document.addEventListener("visibilitychange", () => session.send("hide", document.hidden));
session.send("hide", document.hidden);
provideStamp(() => ({
  engine: session.ready.peek()?.stamp ?? "",
  config: session.sides
    .peek()
    .map(({ laid }) => laid?.loaded.hash ?? "")
    .join("+"),
  seed: session.sides.peek()[0]?.laid?.loaded.normal.seed ?? session.sides.peek()[0]?.experiment.seed ?? 0,
  cycle: session.now.cycle,
  link: address.shown,
}));

// ---------------------------------------------------------------- what the user does

/** Another scheme for a side. */
function choose(at: number, name: string): void {
  const { catalogue } = session,
    sides = session.sides.peek(),
    of = (sides[at] ?? sides[0])?.experiment;
  if (!catalogue || !of) return;
  const preset = vendorOf(catalogue, of, name);
  if (preset?.gpu !== undefined) {
    onOtherGpu(at, preset, preset.gpu);
    return;
  }
  const next = preset
    ? withPreset(of, preset)
    : { ...structuredClone(of), policy: scheme(catalogue, name, of.kernels.length) };
  session.send("change", { [at]: next });
}
/** What a vendor shares on GPUs of one kind alone: both runs move there, and can move back. */
function onOtherGpu(at: number, preset: Preset, gpu: string): void {
  const to = session.experiments,
    titleOf = (name: string): string => session.catalogue?.gpus.find((one) => one.name === name)?.title ?? name;
  const after = to.map((one) => edited(one, otherGpu(gpu)));
  after[at] = withPreset(after[at] ?? (after[0] as Experiment), preset);
  session.send("open", after);
  session.send("aside", {
    title: `${shortTitle(preset)} needs another GPU, and has it now: ${titleOf(gpu)}.`,
    back: { label: `Back to ${titleOf(gpuOf(to[0] as Experiment))}`, to },
  });
}
/** Other experiments for the sides; of another GPU that is large first the part that answers in a part of the time, if they can be scaled. The whole is
 * a press away. */
function become(next: readonly Experiment[]): void {
  const { catalogue } = session,
    [gpu = "", was] = [next, session.experiments].map(([first]) => first && gpuOf(first)),
    part = catalogue && gpu !== was ? firstPart(shapeOf(catalogue, gpu).sms, gpu, __SCALES__) : null;
  session.send("become", next, part);
}
/** A recording is here now. */
function takeRecorded(recording: Recording): void {
  const shown = session.experiments.length > 0 ? session.experiments : [FIRST],
    next = shown.map((one) => withRecording(one, recording, session.catalogue));
  // What has waited for it opens anew.
  if (next.every((one, at) => one === shown[at])) session.send("open", shown, session.view.peek());
  else if (session.sides.peek().length > 0) session.send("change", next);
  else session.send("open", next);
}
const chosen: Chosen = {
  kernel: (at, body) => session.changeBoth(otherKernel(at, body)),
  add: (body) => session.changeBoth(oneMore(session.catalogue, body)),
  remove: (at) => session.changeBoth(oneLess(session.catalogue, at)),
  gpu: (name) => become(session.experiments.map((one) => edited(one, otherGpu(name)))),
  scheme: (at, name) => (name === NONE ? session.send("only", 0) : choose(at, name)),
  whole: become,
  own: (at) => {
    showSide(true);
    // The form is drawn a moment later.
    requestAnimationFrame(() => editor.own(at));
  },
};
const help = listen([
  pageKey(" ", "play, pause", () => session.send("toggle"), "space"),
  pageKey(".", "one cycle forward", () => session.send("step")),
  pageKey(",", "one cycle back", () => session.send("back")),
  pageKey("e", "to the next event", () => session.send("event")),
  pageKey("g", "go to a cycle", () => $<HTMLElement>("#f-go").focus()),
  pageKey("c", "copy the link", () => void copyLink(session, address)),
  pageKey("x", "open or close the experiment", toggleSide),
  pageKey("p", "present: the answer alone, large", () => present(!presenting())),
  pageKey(
    "Escape",
    "close what is open",
    () => {
      if (presenting()) present(false);
      else if (document.querySelector(":popover-open")) return;
      else if (session.sm.peek() !== null && !$("#drawer").contains(document.activeElement))
        session.send("look", { sm: undefined });
      else if (session.tab.peek() === null && session.selected.peek()) session.send("stretchTo", null);
      else closeDrawer(session.tab);
    },
    "esc",
  ),
]);
let engine: Engine | null = null;
async function trace(at: number): Promise<void> {
  const module = session.ready.peek()?.module,
    run = answered.sides.peek()[at];
  if (!module || !run) return;
  await import("./run/trace.tsx").then(
    ({ openTrace }) => openTrace(run, module),
    () => toast("This part could not be loaded. Is the page's host still there?"),
  );
}
/** What is saved as a file. */
const shown = (): Parameters<typeof savePicture> => [answered.sides.value, gpu.models, session.catalogue];
startScreen(session, answered, list, {
  shown: gpu.shown,
  choose: chosen,
  edit: (side, path) => {
    session.send("edit", side);
    showSide(true);
    // The form is drawn a moment later.
    requestAnimationFrame(() => editor.lead(path));
  },
  lead: (stands) => {
    session.tab.value = "numbers";
    // The tab opens a moment later.
    requestAnimationFrame(() => $<HTMLElement>(`#numbers [data-stands="${stands}"]`)?.focus());
  },
  share: () => [
    { title: "Copy the link", note: "to this very run ( c )", run: () => void copyLink(session, address) },
    { title: "Copy the embed", note: "a frame of it, for an article", run: () => void copyEmbed(session, address) },
    { title: "Save the result", note: "so far, as JSON", run: () => void (engine && saveResult(session, engine)) },
    {
      title: "Save as a picture",
      note: "bars and SMs, as SVG",
      run: () => void saveFile((by) => by.savePicture(...shown())),
    },
    {
      title: "Save as one HTML file",
      note: "a picture that runs when asked, also without a network",
      run: () => void saveFile((by) => by.saveRun(new URL(address.shown).hash, ...shown())),
    },
    ...session.sides.value.map((_, at) => ({
      title: session.two.value ? `Trace of ${session.mark(at)}` : "Trace",
      note: "to open in Perfetto, or to save",
      run: () => void trace(at),
    })),
    { title: "Dark or light", note: "", run: toggleTheme },
    // On a phone it would be what stands there.
    ...(matchMedia("(max-width: 30rem)").matches
      ? []
      : [{ title: "Present", note: "the answer alone, large ( p )", run: () => present(true) }]),
    { title: "Keys and help", note: "( ? )", run: help },
  ],
});

// ---------------------------------------------------------------- start

async function start(): Promise<void> {
  showSide(false);
  // The answer that came with the page, before the simulator is there.
  await address.preview();
  await answered.loaded;
  let ready: Awaited<ReturnType<typeof Engine.start>>["ready"];
  try {
    ({ engine, ready } = await Engine.start(
      await compileModule(),
      shipped,
      session.send,
      session.experiments.length > 1,
    ));
  } catch (error) {
    session.send("unable", errorText(error));
    return;
  }
  const running = engine,
    { catalogue, stamp } = ready;
  session.engine = running;
  editor.init(catalogue, {
    change: (next) => {
      const at = session.edited.peek(),
        { [at]: before, [1 - at]: other } = session.experiments;
      session.send("typed", next);
      const also = before && other && alike(before, next, other);
      if (also) session.send("change", { [1 - at]: also });
    },
    open: (one) => session.send("open", [one]),
    edit: (side) => session.send("edit", side),
    dropped: () => {
      session.send("dropped");
      showSide(true);
    },
    freshSeed: () => running.freshSeed(),
    // The card of a policy: its text is a chunk of its own.
    about: (policy) =>
      void import("./teach/card.tsx").then(
        ({ openCard }) => openCard(policy, catalogue.policies, stamp),
        () => toast("The card could not be loaded. Is the page's host still there?"),
      ),
    measured: (file) => compareMeasured(file, running.module),
    recorded: (files) => void importRecorded(files, running.module, takeRecorded),
    // The run of a file that was saved here or elsewhere.
    reopen: (hash) => {
      if (location.hash === hash) toast("This is the run that is shown.");
      else location.hash = hash;
    },
    validate: (one) => running.validate(one),
    exportExperiment: () => saveExperiment(session),
    copyCommand: () => void copyCommand(session),
  });
  // Each in a task of its own: what is drawn meanwhile does not wait for all of them.
  await others();
  session.ready.value = { ...ready, module: running.module };
  await others();
  answered.start(new SchemesRun(schemesHost(running.module, catalogue, stamp, (one) => running.validate(one))));
  await others();
  await address.read(true);
  if (document.documentElement.dataset["embed"] !== undefined) return;
  // What is kept is fetched once the runs rest: it would take the cores from the first of them.
  let kept = false;
  effect(() => {
    if (kept || session.settled.value === null) return;
    kept = true;
    void keepOffline(toast);
  });
}
void start();

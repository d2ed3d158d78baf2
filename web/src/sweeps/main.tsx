// The place Schemes: which is best for a mix, and what varying something does. The address bar is the link to the mix, or to the sweep once somebody changes
// that.
import "../parts/style/tokens.css";
import "../parts/style/base.css";
import "../parts/style/layout.css";
import "../parts/style/parts.css";
import "../picture/views.css";
import "../run/screen.css";
import "./sweeps.css";
import { effect } from "@preact/signals";
import { render, type ComponentType } from "preact";
import { fieldsOf } from "../engine/browser-store.ts";
import { schemeName } from "../model/choices.ts";
import { copyText, toast } from "../parts/dialogs.tsx";
import { startSkip, onFileDrop } from "../parts/dom.ts";
import { IconButton, ThemeButton } from "../parts/widgets.tsx";
import { asExperiment, decodeLink, encodeLink } from "../model/link.ts";
import { compileModule } from "../engine/module.ts";
import { NoticeBox, notOpened, notStarted } from "../parts/notice.tsx";
import { policyKey } from "../model/stored.ts";
import { schemesHost } from "../schemes/schemes-host.ts";
import first from "../model/first.json" with { type: "json" };
import { QueryWorker } from "../silicon/query-worker.ts";
import { importNotice, importRecorded, withRecording } from "../parts/recorded.tsx";
import { Place } from "../schemes/place.ts";
import { showPlace } from "../schemes/place.tsx";
import { compareMeasured } from "../silicon/open.ts";
import { kindOf, openTimeline } from "../timelines/open.ts";
import { provideStamp } from "../model/stamp.ts";
import { startTheme } from "../parts/theme.ts";
import { byName } from "../model/titles.ts";
import type { Experiment } from "../model/types.ts";
import { StoredLines } from "./stored.ts";
import { Results, VaryForm } from "./panel.tsx";
import { Pool, readPlan } from "../engine/lab/pool.ts";
import { decodeSweep, encodeSweep, read } from "./state.ts";
import { Sweeps, asMix } from "./sweeps.ts";
import { around, sweepOf } from "./vary.ts";

const EXAMPLES = Object.fromEntries(
  Object.entries(
    import.meta.glob("../../../examples/sweeps/*.json", { eager: true, query: "?raw", import: "default" }) as Record<
      string,
      string
    >,
  ).map(([path, text]): [string, string] => [path.replace(/^.*\/(.*)\.json$/, "$1"), text]),
);
/** Points that the page takes: their results stay in its memory. */
const MOST_POINTS = 5_000;
const FIRST_SWEEP = "bandwidth";
const FIRST_MIX = { ...first, policy: { name: "even" } } as Experiment;

const $ = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement;

startTheme();
startSkip();

/** What the link is of: who was changed last. */
let about: "mix" | "sweep" = "mix";
let link = "";
let desk: QueryWorker | null = null;

const place = new Place(FIRST_MIX);

const sweeps = new Sweeps({
  changed: () => {
    if (about === "sweep") void writeLink();
  },
  taken: () => {
    about = "sweep";
  },
});
effect(() => {
  document.documentElement.dataset["sweep"] = sweeps.phase.value;
});
async function ofMix(): Promise<string> {
  const experiment = place.experiment.value,
    path = "gpu.noc.mhz";
  return sweepOf(experiment, { path, values: await suggest(experiment, path) }, "The NoC's clock");
}
onFileDrop(async (file, all) => {
  const kind = await kindOf(file);
  if (kind === "timeline" && desk) openTimeline(file, desk.catalogue);
  else if (kind === "measured") compareMeasured(file, compileModule());
  else if (kind === "recorded")
    void importRecorded(all, compileModule(), (recording) =>
      become(withRecording(place.experiment.peek(), recording, null)),
    );
  else void sweeps.take(file).then(() => $("#vary").scrollIntoView());
});

/** Around what the experiment has now, as the engine says it. */
async function suggest(base: unknown, path: string): Promise<unknown[]> {
  const fixed = byName<unknown[]>({
    policy: ["even", "smk", "ws", "ccbp"],
    kernels: [
      ["BP", "CFD"],
      ["BP", "SAD"],
    ],
    gpu: ["ccbp-16sm", "qos-16sm"],
    seed: [1, 2, 3],
    warp_order: ["lrr", "gto"],
    "stop.cycles": [50_000, 100_000, 200_000],
  });
  const mix = asMix(base),
    known = fixed.get(path);
  if (known || !mix || !desk) return known ?? [1, 2, 4];
  const { gpu, kernels } = fieldsOf(await desk.explain(mix));
  const ctas = /^kernels\[(\d+)\]\.ctas_per_sm$/.exec(path);
  const value = ctas
    ? fieldsOf((fieldsOf((kernels as unknown[])?.[Number(ctas[1])])["occupancy"] as unknown[])?.[0])["ctas_per_sm"]
    : fieldsOf(gpu)[path.replace(/^gpu\./, "")];
  return typeof value === "number" ? around(value, 1, ctas ? value : Infinity) : [1, 2, 4];
}

// ---------------------------------------------------------------- the mix

/** The mix with its scheme as A, and another as B. */
async function openInRun(answer: { experiment: Experiment }): Promise<void> {
  const experiment = place.experiment.value,
    other = { ...structuredClone(experiment), policy: answer.experiment.policy ?? schemeName(experiment) };
  const same = policyKey(other) === policyKey(experiment);
  const hash = await encodeLink({ experiment, ...(same ? {} : { other }), view: {} });
  location.href = `./${hash}`;
}

// ---------------------------------------------------------------- the address bar

let writing = 0;
async function writeLink(): Promise<void> {
  const mine = ++writing,
    of = about;
  const hash =
    of === "mix"
      ? await encodeLink({ experiment: place.experiment.value, view: {} })
      : await encodeSweep(sweeps.state, EXAMPLES);
  // Nor over a link that came into the address bar meanwhile, of which the browser has not told yet.
  if (mine !== writing || location.hash !== link) return;
  link = hash ?? "";
  // What is too long for a link has none: its file is what can be handed on.
  if (location.hash !== link) history.replaceState(null, "", link || location.pathname);
}

/** A link to a mix, as Run writes it, or to a sweep. */
async function readMix(hash: string): Promise<Experiment | null> {
  if (/[#&]mix=/.test(hash)) return (await decodeLink(hash))?.experiment ?? null;
  if (!/^#v=1&z=[^&]*(&e=[^&]*)?$/.test(hash)) return null;
  const state = await decodeSweep(hash.replace(/&e=.*$/, ""), EXAMPLES),
    value = read(state?.text ?? "");
  return asMix(value) && asExperiment(value);
}

/** What the link is of stands first, and so does what is wrong. */
function lead(sweep: boolean): void {
  $("#main")[sweep ? "prepend" : "append"]($("#vary"));
  scrollTo(0, 0);
}

let opened = false;
async function readLink(): Promise<void> {
  const hash = location.hash;
  if (hash === link && link !== "") return;
  link = hash;
  writing += 1;
  sweeps.halt();
  try {
    const mix = await readMix(hash),
      sweep = mix ? null : await decodeSweep(hash, EXAMPLES);
    if (hash !== location.hash) return;
    about = sweep ? "sweep" : "mix";
    lead(sweep !== null);
    const wanted = mix ?? (sweep ? place.experiment.value : FIRST_MIX);
    if (!opened || JSON.stringify(wanted) !== JSON.stringify(place.experiment.value)) void place.open(wanted);
    opened = true;
    sweeps.open(sweep ?? { text: EXAMPLES[FIRST_SWEEP] ?? "", x: 0, y: "" });
  } catch (error) {
    const run = (): void => {
      location.hash = `#v=1&example=${FIRST_SWEEP}`;
    };
    lead(true);
    sweeps.refuse(notOpened(error, { label: "Open the first example", primary: true, run }));
  }
}
addEventListener("hashchange", () => void readLink());
addEventListener("beforeunload", (event) => {
  if (sweeps.running) event.preventDefault();
});

// ---------------------------------------------------------------- start

async function copyLink(): Promise<void> {
  await writeLink();
  if (link === "") toast("This is too long for a link: copy the command, or hand its file on.");
  else await copyText(location.href, "The link is copied. Whoever opens it can run the same.");
}
const PARTS: Readonly<Record<string, ComponentType>> = {
  actions: () => (
    <>
      <IconButton
        icon="link"
        label="Copy the link"
        title="Copy the link to this mix, or to this sweep"
        press={() => void copyLink()}
      />
      <ThemeButton />
    </>
  ),
  notices: () => (
    <>
      <NoticeBox of={sweeps.notice} />
      <NoticeBox of={importNotice} />
    </>
  ),
  "vary-form": () => <VaryForm of={sweeps} examples={EXAMPLES} suggest={suggest} ofMix={ofMix} />,
  results: () => <Results of={sweeps} />,
};
for (const [id, Part] of Object.entries(PARTS)) render(<Part />, $(`#${id}`));
provideStamp(() => ({ ...sweeps.stamped, seed: 0, cycle: 0, link: location.href }));

/** The place is about another mix. */
function become(next: Experiment): void {
  about = "mix";
  void place.open(next);
  void writeLink();
}

async function begin(): Promise<void> {
  // What came with the page stands there before the engine does, and can be changed.
  await readLink();
  showPlace($("#schemes"), {
    place,
    onChange: become,
    onOpen: (answer) => void openInRun(answer),
  });
  let module: WebAssembly.Module;
  try {
    module = await compileModule();
    desk = await QueryWorker.open(module);
  } catch (error) {
    lead(true);
    sweeps.refuse(notStarted(error));
    return;
  }
  const here = desk;
  sweeps.begin({
    metrics: here.catalogue.metrics,
    read: (text, said) => readPlan(module, text, MOST_POINTS, said),
    pool: (text, plan, events) => new Pool(module, text, plan, events),
    kept: (stamp) => new StoredLines(stamp),
  });
  await place.start({
    host: schemesHost(module, here.catalogue, here.stamp, (one) => here.validate(one)),
    stamp: here.stamp,
    oraclePolicies: (experiment) => here.oraclePolicies(experiment),
  });
}
void begin();

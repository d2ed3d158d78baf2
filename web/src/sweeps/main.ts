// The place Schemes: which is best for a mix, and what varying something does. The address bar is the link to the mix, or to the sweep once somebody changes
// that.
import { errorText } from "../format.ts";
import "../style/tokens.css";
import "../style/base.css";
import "../style/layout.css";
import "../style/parts.css";
import "../views/views.css";
import "../run/screen.css";
import "./sweeps.css";
import { fieldsOf } from "../browser-store.ts";
import { schemeName } from "../choices.ts";
import { copyText, notice, toast } from "../dialogs.ts";
import { h, icon } from "../dom.ts";
import { LinkError, asExperiment, decodeLink, encodeLink } from "../link.ts";
import { compileModule } from "../module.ts";
import { policyKey } from "../run/scheme-points.ts";
import { schemesHost } from "../run/schemes-host.ts";
import first from "../run/first.json" with { type: "json" };
import { Desk } from "../schemes/desk.ts";
import { Place } from "../schemes/place.ts";
import { showPlace } from "../schemes/place.tsx";
import { predictInto } from "../schemes/predicted.ts";
import { provideStamp } from "../stamp.ts";
import { startTheme, themeButton } from "../theme.ts";
import type { Experiment } from "../types.ts";
import { VaryPanel, asMix } from "./panel.ts";
import { decodeSweep, encodeSweep, read } from "./state.ts";
import { around, sweepOf } from "./vary.ts";

const EXAMPLES = Object.fromEntries(
  Object.entries(
    import.meta.glob("../../../examples/sweeps/*.json", { eager: true, query: "?raw", import: "default" }) as Record<
      string,
      string
    >,
  ).map(([path, text]): [string, string] => [path.replace(/^.*\/(.*)\.json$/, "$1"), text]),
);
const FIRST_SWEEP = "bandwidth";
const FIRST_MIX = { ...first, policy: { name: "even" } } as Experiment;

const $ = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement;

startTheme();

/** What the link is of: who was changed last. */
let about: "mix" | "sweep" = "mix";
let link = "";
let desk: Desk | null = null;

const place = new Place(FIRST_MIX);

const panel = new VaryPanel($("#vary-form"), $("#results"), $("#notices"), {
  examples: EXAMPLES,
  changed: () => {
    if (about === "sweep") void writeLink();
  },
  taken: () => {
    about = "sweep";
  },
  suggest,
  ofMix: async () => {
    const experiment = place.experiment.value,
      path = "gpu.noc.mhz";
    return sweepOf(experiment, { path, values: await suggest(experiment, path) }, "The NoC's clock");
  },
});

/** Around what the experiment has now, as the engine says it. */
async function suggest(base: unknown, path: string): Promise<unknown[]> {
  const fixed: Readonly<Record<string, unknown[]>> = {
    policy: ["even", "smk", "ws", "ccbp"],
    kernels: [
      ["BP", "CFD"],
      ["BP", "SAD"],
    ],
    gpu: ["ccbp-16sm", "qos-16sm"],
    seed: [1, 2, 3],
    warp_order: ["lrr", "gto"],
    "stop.cycles": [50_000, 100_000, 200_000],
  };
  const mix = asMix(base),
    known = fixed[path];
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

/** A partition that the formulas were asked about, by itself. */
async function openAlone(experiment: Experiment): Promise<void> {
  location.href = `./${await encodeLink({ experiment, view: {} })}`;
}

// ---------------------------------------------------------------- the address bar

let writing = 0;
async function writeLink(): Promise<void> {
  const mine = ++writing,
    of = about;
  const hash =
    of === "mix"
      ? await encodeLink({ experiment: place.experiment.value, view: {} })
      : await encodeSweep(panel.state, EXAMPLES);
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

let opened = false;
async function readLink(): Promise<void> {
  const hash = location.hash;
  if (hash === link && link !== "") return;
  link = hash;
  writing += 1;
  if (hash === "#main") return;
  panel.halt();
  try {
    const mix = await readMix(hash),
      sweep = mix ? null : await decodeSweep(hash, EXAMPLES);
    if (hash !== location.hash) return;
    about = sweep ? "sweep" : "mix";
    const wanted = mix ?? (sweep ? place.experiment.value : FIRST_MIX);
    if (!opened || JSON.stringify(wanted) !== JSON.stringify(place.experiment.value)) void place.open(wanted);
    opened = true;
    panel.open(sweep ?? { text: EXAMPLES[FIRST_SWEEP] ?? "", x: 0, y: "" });
    if (sweep) $("#vary").scrollIntoView({ block: "start" });
  } catch (error) {
    panel.refuse({
      kind: "error",
      title: "This link cannot be opened",
      text: error instanceof LinkError ? [error.message, error.advice] : [String(error)],
      actions: [
        {
          label: "Open the first example",
          primary: true,
          run: () => {
            location.hash = `#v=1&example=${FIRST_SWEEP}`;
          },
        },
      ],
    });
  }
}
addEventListener("hashchange", () => void readLink());
addEventListener("beforeunload", (event) => {
  if (panel.running) event.preventDefault();
});

// ---------------------------------------------------------------- start

$("#actions").append(
  h(
    "button",
    {
      type: "button",
      class: "icon-button",
      title: "Copy the link to this mix, or to this sweep",
      "aria-label": "Copy the link",
      onclick: () => {
        void writeLink().then(() => {
          if (link === "") toast("This is too long for a link: copy the command, or hand its file on.");
          else void copyText(location.href, "The link is copied. Whoever opens it can run the same.");
        });
      },
    },
    icon("link"),
  ),
  themeButton(),
);
provideStamp(() => ({ ...panel.stamped, seed: 0, cycle: 0, link: location.href }));

async function begin(): Promise<void> {
  // What came with the page stands there before the engine does, and can be changed.
  await readLink();
  showPlace($("#schemes"), {
    place,
    onChange: (next) => {
      about = "mix";
      void place.open(next);
      void writeLink();
    },
    onOpen: (answer) => void openInRun(answer),
  });
  let module: WebAssembly.Module;
  try {
    module = await compileModule();
    desk = await Desk.open(module);
  } catch (error) {
    $("#vary").hidden = true;
    $("#notices").replaceChildren(
      notice({
        kind: "error",
        title: "The simulator could not be started",
        text: [errorText(error)],
        actions: [{ label: "Try again", primary: true, run: () => location.reload() }],
      }),
    );
    return;
  }
  const here = desk;
  panel.begin(module);
  predictInto($("#predicted") as HTMLDetailsElement, { module, desk: here, place, open: (one) => void openAlone(one) });
  await place.start({
    host: schemesHost(module, here.catalogue, here.stamp, (one) => here.validate(one)),
    stamp: here.stamp,
    explain: (experiment) => here.explain(experiment),
  });
}
void begin();

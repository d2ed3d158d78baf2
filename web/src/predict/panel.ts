// <corun-predicted>: what each kernel will take on its SMs beside the others, by formula, with the simulation beside it; a bar whose borders move the
// partition, deadlines, the search for a partition that meets them, and the run that proves it.
import { definition, h, setText, sideMark } from "../dom.ts";
import { count, fixed, problemText, problemsIn } from "../format.ts";
import { launchSizes, type Past } from "../past.ts";
import type { PredictView } from "../link.ts";
import type { Loaded } from "../protocol.ts";
import type { Experiment, Prediction, PredictQuestion, Reading, Result } from "../types.ts";
import { kernelNames } from "../views/parts.ts";
import { PartitionBar } from "./bar.ts";
import { Measures } from "./measures.ts";
import {
  READINGS,
  aloneOf,
  aloneRun,
  cyclesOf,
  figureOf,
  hasFirst,
  isReading,
  isSpatial,
  milliseconds,
  once,
  partsOf,
  question,
  runsOnce,
  shareOf,
  shownOf,
  type Setup,
  type Shown,
  type Size,
} from "./model.ts";
import { PredictedTable } from "./table.ts";
import "./windows.ts";
import type { WindowsPicture } from "./windows.ts";

type Formulas = Pick<typeof import("../wasm/corun.js"), "predict" | "planPartition" | "configHash">;
export interface PredictedEvents {
  /** From the start, in the place of the run that is shown. */
  simulate(experiment: Experiment): void;
  /** What the link has of it. */
  changed(view: PredictView): void;
}

interface AloneRun {
  kernel: number;
  sms: number;
  hash: string;
  experiment: Experiment;
}
/** Milliseconds for which a border stands still before more is measured. */
const REST = 600;

/** What it reads of a simulation that is built. */
export type Laid = Pick<Loaded, "normal" | "layout" | "windows" | "explained">;

export class CorunPredicted extends HTMLElement {
  #events: PredictedEvents | null = null;
  #start: (() => Promise<void>) | null = null;
  #formulas: Formulas | null = null;
  #measures: Measures | null = null;
  #loaded: Laid | null = null;
  #setup: Setup | null = null;
  /** Runs alone that are wanted: of each kernel on all SMs, and where that is asked for on its own. */
  #runs: AloneRun[] = [];
  /** Runs alone that were wanted before, of partitions that the bar has shown. */
  #earlier: AloneRun[] = [];
  /** The search goes on when the partition that it found is measured. */
  #searching = false;
  #split: number[] = [];
  #reading: Reading = "literal";
  #prediction: Prediction | null = null;
  #problem = "";
  #run: { shown: Shown[]; now: number } | null = null;

  readonly #why = h("span");
  readonly #mark = sideMark("");
  readonly #apart = h(
    "button",
    {
      type: "button",
      class: "button",
      id: "f-predict-apart",
      onclick: () => {
        const setup = this.#setup;
        if (setup) this.#events?.simulate(once(setup.experiment, this.#split));
      },
    },
    "Partition the SMs",
  );
  readonly #without = h("p", { class: "predicted-row" }, this.#why, this.#apart);
  readonly #bar = new PartitionBar((split) => {
    this.#split = split;
    this.#said = "";
    this.#searching = false;
    this.#later();
    this.#soon();
  });
  readonly #alone = h(
    "select",
    { id: "f-predict-alone" },
    h("option", { value: "" }, "by formula"),
    h("option", { value: "measured" }, "measured"),
  );
  readonly #select = h(
    "select",
    { id: "f-predict-reading" },
    ...READINGS.map(({ name, title }) => h("option", { value: name }, title)),
  );
  readonly #meaning = h("p", { class: "field-help" });
  readonly #measuring = h("span");
  readonly #progress = h("progress", { max: 1, value: 0, "aria-label": "How much is measured" });
  readonly #pause = h(
    "button",
    {
      type: "button",
      class: "button",
      id: "f-predict-pause",
      onclick: () => {
        if (this.#measures?.paused) this.#measures.go();
        else this.#measures?.pause();
      },
    },
    "Stop",
  );
  readonly #notes = h("p", { class: "field-help" });
  readonly #simulate = h(
    "button",
    {
      type: "button",
      class: "button primary",
      id: "f-predict-simulate",
      onclick: () => {
        const setup = this.#setup;
        if (setup) this.#events?.simulate(once(setup.experiment, this.#split));
      },
    },
    "Simulate",
  );
  readonly #find = h(
    "button",
    {
      type: "button",
      class: "button",
      id: "f-predict-find",
      onclick: () => {
        this.#plan();
      },
    },
    "Find a partition",
  );
  readonly #proof = h("p", { class: "predicted-proof", role: "status" });
  readonly #table = new PredictedTable(() => {
    this.#changed();
  });
  readonly #picture = document.createElement("corun-windows") as WindowsPicture;
  readonly #body = h(
    "div",
    { class: "predicted", hidden: true },
    h("p", { class: "predicted-row" }, this.#measuring, this.#progress, this.#pause),
    h(
      "div",
      null,
      h("div", { class: "partition-frame" }, this.#bar.element),
      h(
        "p",
        { class: "field-help" },
        "Drag a border, or move it with the arrow keys: the prediction follows. Each kernel runs once, from the start; SMs that it has left stay idle.",
      ),
    ),
    h(
      "div",
      { class: "predicted-row" },
      this.#simulate,
      this.#find,
      h(
        "span",
        { class: "predicted-row predicted-field" },
        h("label", { for: "f-predict-reading" }, "Reading"),
        this.#select,
        definition("A reading", ...READINGS.map(({ title, doc }) => h("p", null, h("b", null, title), `: ${doc}`))),
      ),
      h(
        "span",
        { class: "predicted-row predicted-field" },
        h("label", { for: "f-predict-alone" }, "Alone on its SMs"),
        this.#alone,
        definition(
          "A kernel alone on its SMs",
          h(
            "p",
            null,
            "Windows are cut where kernels would end alone on their SMs, and S is what they ask for there. By formula: Eqs. 4 and 17, from runs on all SMs, for every partition at once. Measured: by more runs, for the partition that the bar shows; until they have ended, by formula. A search then takes what is measured, has the partition measured that it finds, and goes on until that is one that is measured.",
          ),
        ),
      ),
    ),
    this.#meaning,
    this.#proof,
    this.#table.element,
    this.#picture,
    this.#notes,
  );
  /** What the search has said. */
  #said = "";

  init(module: WebAssembly.Module, stamp: string, events: PredictedEvents): void {
    this.#events = events;
    this.#measures = new Measures(module, stamp, () => {
      this.#soon();
    });
    this.#start = async () => {
      const formulas = await import("../wasm/corun.js");
      await formulas.default({ module_or_path: module });
      this.#formulas = formulas;
    };
    this.#select.addEventListener("change", () => {
      if (isReading(this.#select.value)) this.#reading = this.#select.value;
      this.#changed();
    });
    this.#alone.addEventListener("change", () => {
      this.#want();
      this.#changed();
    });
    this.replaceChildren(this.#mark, this.#without, this.#body);
  }

  /** As a link has it. */
  set view(view: PredictView) {
    this.#reading = isReading(view.reading) ? view.reading : "literal";
    this.#select.value = this.#reading;
    this.#table.setDeadlines(view.deadlines ?? []);
    if ((view.measured ?? false) !== (this.#alone.value !== "")) {
      this.#alone.value = view.measured ? "measured" : "";
      this.#want();
    }
    this.#soon();
  }

  #changed(): void {
    this.#said = "";
    this.#searching = false;
    this.#events?.changed({
      ...(this.#reading === "literal" ? {} : { reading: this.#reading }),
      ...(this.#alone.value === "" ? {} : { measured: true }),
      ...(this.#table.deadlines.some((deadline) => deadline !== null) ? { deadlines: this.#table.deadlines } : {}),
    });
    this.#soon();
  }

  // ---------------------------------------------------------------- the run

  /** The run that is shown, with its mark where it is one of two; nothing else happens where it is the one that was. */
  setRun(experiment: Experiment, loaded: Laid, mark: string): void {
    this.#mark.hidden = mark === "";
    setText(this.#mark, mark);
    if (loaded === this.#loaded) return;
    this.#loaded = loaded;
    const gpu = loaded.normal.gpu as Record<string, unknown>,
      { layout, windows, explained } = loaded;
    const setup: Setup = {
      experiment,
      names: kernelNames(layout.kernels),
      sms: layout.sms.length,
      banks: layout.banks,
      coreMhz: windows.core_mhz,
      bandwidthMax: ((windows.peaks.dram_bytes_per_cycle ?? 0) * windows.core_mhz) / 1000,
      lineBytes: Number(gpu["l2.line_bytes"]),
      ctas: launchSizes(explained).map((launches) => launches.reduce((sum, ctas) => sum + ctas, 0)),
    };
    this.#setup = setup;
    this.#run = this.#prediction = null;
    this.#runs = this.#earlier = [];
    this.#searching = false;
    this.#said = this.#problem = "";
    this.#split = partsOf(experiment, setup.sms);
    const no = this.#whyNot(setup);
    this.#without.hidden = no === "";
    this.#body.hidden = no !== "";
    setText(this.#why, no);
    this.#apart.hidden = isSpatial(experiment) || setup.names.length > setup.sms;
    this.#bar.setKernels(setup.names, setup.sms);
    this.#bar.split = this.#split;
    this.#table.setKernels(setup.names);
    if (no === "") void this.#ask(setup);
    else this.#measures?.want([]);
    this.#soon();
  }

  #whyNot({ experiment, names, sms, bandwidthMax }: Setup): string {
    if (names.length > sms)
      return `There is nothing to predict: ${names.length} kernels cannot each have one of ${sms} SMs.`;
    if (!(bandwidthMax > 0))
      return "There is nothing to predict: kernels slow each other down by DRAM's bandwidth, and this DRAM has no limit.";
    return isSpatial(experiment)
      ? ""
      : "There is nothing to predict: the formulas are for kernels on SMs of their own, and here kernels share SMs.";
  }

  /** Has the runs measured that the formulas need. */
  async #ask(setup: Setup): Promise<void> {
    try {
      if (!this.#formulas) await this.#start?.();
    } catch (error) {
      this.#problem = `The formulas could not be loaded: ${String(error)}`;
      this.#soon();
      return;
    }
    const formulas = this.#formulas;
    if (!formulas || this.#setup !== setup) return;
    this.#want();
  }

  #timer = 0;
  /** While a border moves, nothing is begun. */
  #later(): void {
    clearTimeout(this.#timer);
    if (this.#alone.value !== "")
      this.#timer = setTimeout(() => {
        this.#want();
      }, REST) as unknown as number;
  }

  #want(): void {
    const setup = this.#setup,
      formulas = this.#formulas;
    if (!setup || !formulas || this.#body.hidden) return;
    const run = (kernel: number, sms: number): AloneRun => {
      const known = this.#earlier.find((one) => one.kernel === kernel && one.sms === sms),
        experiment = aloneRun(setup.experiment, kernel, sms === setup.sms ? null : sms);
      return known ?? { kernel, sms, experiment, hash: formulas.configHash(experiment) };
    };
    const all = setup.names.map((_, k) => run(k, setup.sms)),
      own =
        this.#alone.value === ""
          ? []
          : this.#split.flatMap((sms, k) => (sms > 0 && sms < setup.sms ? [run(k, sms)] : []));
    this.#runs = [...all, ...own];
    this.#earlier = [...this.#earlier, ...this.#runs.filter((one) => !this.#earlier.includes(one))];
    this.#measures?.want(this.#runs);
    this.#soon();
  }

  /** What the run shows now. */
  update(result: Result, past: Past | null): void {
    const setup = this.#setup;
    if (!setup || !isSpatial(setup.experiment)) return;
    this.#run = { shown: shownOf(setup, result, past), now: milliseconds(setup, result.cycles) };
    this.#soon();
  }

  // ---------------------------------------------------------------- what is shown

  #due = false;
  #soon(): void {
    if (this.#due || this.#body.hidden) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.#refresh();
    });
  }

  /** Nothing more will be known of a run: it is measured, or cannot be. */
  #settled({ kernel, hash }: AloneRun): boolean {
    return (
      (this.#measures?.why(hash) ?? "") !== "" ||
      shareOf(this.#measures?.of(hash) ?? null, this.#setup?.ctas[kernel] ?? 1) === 1
    );
  }

  /** What is known of kernels alone: measured on all SMs, and where that is asked for on their own, of this partition and of others that are settled. */
  #sizes(): Size[] {
    return [
      ...this.#runs,
      ...(this.#alone.value === ""
        ? []
        : this.#earlier.filter((one) => !this.#runs.includes(one) && this.#settled(one))),
    ].map(({ kernel, sms, hash }) => ({ kernel, sms, measured: this.#measures?.of(hash) ?? null }));
  }

  /** The question as it stands, of a partition or of all; null while a kernel has shown nothing. */
  #question(split: readonly number[] | null): PredictQuestion | null {
    const setup = this.#setup,
      sizes = this.#sizes();
    return setup && sizes.length > 0 ? question(setup, sizes, split, this.#reading, this.#table.deadlines) : null;
  }

  #answer(ask: (formulas: Formulas) => Prediction | null): Prediction | null {
    if (!this.#formulas) return null;
    this.#problem = "";
    try {
      return ask(this.#formulas);
    } catch (error) {
      const problems = problemsIn(error);
      this.#problem = `The formulas cannot say: ${problems ? problems.map(problemText).join("; ") : String(error)}`;
      return null;
    }
  }

  #refresh(): void {
    const setup = this.#setup;
    if (!setup || this.#body.hidden) return;
    const asked = this.#question(this.#split);
    this.#prediction = asked && this.#answer(({ predict }) => predict(asked));
    // What is simulated is of the run's own partition.
    const mine = partsOf(setup.experiment, setup.sms).join() === this.#split.join(),
      run = mine ? this.#run : null;
    this.#table.show(setup, this.#split, this.#prediction, run);
    this.#picture.hidden = this.#prediction === null;
    this.#picture.data = this.#prediction && {
      prediction: this.#prediction,
      deadlines: this.#table.deadlines,
      shown: run?.shown ?? null,
      now: run?.now ?? 0,
    };
    setText(this.#meaning, READINGS.find(({ name }) => name === this.#reading)?.doc ?? "");
    this.#tellMeasures(setup);
    setText(this.#proof, this.#problem || this.#table.proof(run) || this.#said);
    setText(this.#notes, this.#remarks(setup, mine).join(" "));
    this.#find.disabled = this.#question(null) === null;
    if (this.#searching && this.#runs.every((one) => this.#settled(one))) this.#plan();
  }

  #tellMeasures(setup: Setup): void {
    const measures = this.#measures,
      on = (sms: number): string => (sms === setup.sms ? `all ${sms} SMs` : `${sms} SMs`);
    if (!measures) return;
    const runs = this.#runs.map(({ kernel, sms, hash }) => ({
      hash,
      sms,
      why: measures.why(hash),
      share: shareOf(measures.of(hash), setup.ctas[kernel] ?? 1),
      cycles: measures.of(hash)?.cycles ?? 0,
      title: `${setup.names[kernel] ?? ""} on ${on(sms)}`,
      ctas: setup.ctas[kernel],
    }));
    const part = (run: (typeof runs)[number]): string =>
      `${run.title}, ${fixed(run.share * 100, 0)} % of its ${count(run.ctas)} CTAs in ${count(run.cycles)} cycles`;
    const impossible = runs.filter(({ why }) => why !== ""),
      left = runs.filter(({ share, why }) => share < 1 && why === ""),
      current = runs.find(({ hash }) => hash === measures.current),
      going = left.length > 0 && !measures.paused;
    const bare = left.filter(({ share, sms }) => share === 0 && sms === setup.sms),
      some = left.filter(({ share }) => share > 0);
    this.#progress.hidden = !going;
    this.#progress.value = runs.reduce((sum, { share }) => sum + share, 0) / Math.max(1, runs.length);
    this.#pause.hidden = left.length === 0;
    setText(this.#pause, measures.paused ? "Measure the rest" : "Stop");
    setText(
      this.#measuring,
      impossible.length > 0
        ? impossible.map(({ title, why }) => `${title} cannot be measured: ${why}.`).join(" ")
        : runs.length === 0
          ? "Loading the formulas…"
          : going
            ? `Measuring each kernel alone, once to its end: ${current ? part(current) : ""}. ${bare.length > 0 ? "The prediction begins when each has finished a CTA." : "Until then, a part stands for the whole."}`
            : left.length > 0
              ? `Stopped.${some.length > 0 ? ` Measured alone, where a part stands for the whole: ${some.map(part).join("; ")}.` : ""}${bare.length > 0 ? ` No CTA has finished, and so there is no prediction, of ${bare.map(({ title }) => title).join(", ")}.` : ""}`
              : `Each kernel is measured alone on all ${setup.sms} SMs${this.#alone.value === "" ? "" : " and on its own"}, once to its end.`,
    );
  }

  /** What has to be said of this machine, this mix, this run. */
  #remarks(setup: Setup, mine: boolean): string[] {
    const over = this.#sizes().flatMap(({ kernel, sms, measured }) => {
      const alone = aloneOf(setup, measured, kernel);
      return alone && sms === setup.sms && alone.bandwidth > setup.bandwidthMax
        ? [
            `${setup.names[kernel] ?? ""} takes ${fixed(alone.bandwidth, 0)} GB/s from L2, more than DRAM's ${fixed(setup.bandwidthMax, 0)}, with which the formulas reckon.`,
          ]
        : [];
    });
    const classes =
      new Set(this.#loaded?.layout.sms.map((sm) => sm.class)).size > 1
        ? ["The formulas take all SMs as equal, which here they are not."]
        : [];
    return [
      ...(mine ? [] : ["The run above has another partition: Simulate runs this one."]),
      ...(mine && !runsOnce(setup.experiment)
        ? [
            "In the run above, kernels that have ended start again, which the formulas know nothing of: Simulate runs each once.",
          ]
        : []),
      ...(hasFirst(setup.experiment) ? ["The bar shows how many SMs each kernel has, not which."] : []),
      ...classes,
      ...over,
      ...(this.#prediction?.notes ?? []),
      `Nominal bandwidth ${fixed(setup.bandwidthMax, 1)} GB/s is DRAM's peak; what lasts is 330/348 of it, as in the paper (Masola et al., JSSPP 2023).`,
    ];
  }

  // ---------------------------------------------------------------- the search

  #plan(): void {
    this.#searching = false;
    if (this.#table.focusProblem()) return;
    const asked = this.#question(null);
    const found = asked && this.#answer(({ planPartition }) => planPartition(asked));
    if (found?.plan) {
      const { meets, tried, step } = found.plan,
        promised = this.#table.deadlines.some((deadline) => deadline !== null);
      this.#split = found.kernels.map(({ sms }) => sms);
      this.#bar.split = this.#split;
      this.#want();
      this.#searching = this.#alone.value !== "" && !this.#runs.every((one) => this.#settled(one));
      this.#said = this.#searching
        ? "The best partition by what is known is not measured yet: the search goes on when it is."
        : `${!promised ? "The shortest" : meets ? "Meets every deadline by prediction, and is the shortest that does," : "No partition meets every deadline; this one is the least late"} of ${count(tried)} partitions${step > 1 ? ` in steps of ${step} SMs` : ""}: ${figureOf(found.makespan)} ms, ${count(cyclesOf(this.#setup as Setup, found.makespan))} cycles. Simulate shows whether it is so.`;
    }
    this.#soon();
  }
}

customElements.define("corun-predicted", CorunPredicted);

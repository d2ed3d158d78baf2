// What the panel of predictions shows: a partition, its prediction by formula with the simulation beside it, what is measured for that, deadlines, and the search
// for a partition that meets them. No DOM.
import { batch, computed, signal } from "@preact/signals";
import { count, errorText, fixed, problemText, problemsIn } from "../format.ts";
import type { PredictView } from "../link.ts";
import { launchSizes, type Events } from "../event-log.ts";
import type { Loaded, PlannedAlone } from "../protocol.ts";
import type { Experiment, Prediction, PredictQuestion, Reading, Result } from "../types.ts";
import {
  aloneOf,
  aloneRun,
  cyclesOf,
  figureOf,
  hasFirst,
  isReading,
  MOST,
  milliseconds,
  moved,
  notForScheme,
  once,
  partsOf,
  question,
  readDeadline,
  runsOnce,
  shareOf,
  shownOf,
  type Measured,
  type Setup,
  type Size,
} from "./model.ts";
import { proofOf, rowsOf, type RunShown } from "./rows.ts";

export type Formulas = Pick<typeof import("../wasm/corun.js"), "predict" | "planPartition" | "configHash">;
/** What kernels do alone: measures.ts. */
export interface Measurer {
  of(hash: string): Measured | null;
  why(hash: string): string;
  readonly paused: boolean;
  readonly current: string | null;
  want(jobs: readonly PlannedAlone[]): void;
  pause(): void;
  go(): void;
}
export interface Around {
  formulas(): Promise<Formulas>;
  /** `changed`: something more is known. */
  measurer(changed: () => void): Measurer;
}
interface PredictedEvents {
  /** From the start, in the place of the run that is shown. */
  simulate(experiment: Experiment): void;
  /** What the link has of it. */
  changed(view: PredictView): void;
}

interface AloneRun extends PlannedAlone {
  kernel: number;
  sms: number;
}
/** Milliseconds for which a border stands still before more is measured. */
const REST = 600;

/** What it reads of a simulation that is built. */
export type Laid = Pick<Loaded, "normal" | "layout" | "windows" | "explained">;

export class Predictor {
  readonly setup = signal<Setup | null>(null);
  /** Of the run, where it is one of two. */
  readonly mark = signal("");
  readonly split = signal<readonly number[]>([]);
  readonly reading = signal<Reading>("literal");
  /** What kernels do alone on their own SMs is measured, too. */
  readonly measured = signal(false);
  /** The deadlines as they are typed. */
  readonly typed = signal<readonly string[]>([]);
  readonly deadlines = computed(() => this.typed.value.map(readDeadline));
  readonly #promised = computed(() => this.deadlines.value.map(({ deadline }) => deadline));
  readonly #ran = signal<RunShown | null>(null);
  readonly #formulas = signal<Formulas | null>(null);
  readonly #measurer = signal<Measurer | null>(null);
  /** Counts what the measurer has said. */
  readonly #news = signal(0);
  /** Runs alone that are wanted: of each kernel on all SMs, and where that is asked for on its own. */
  readonly #runs = signal<readonly AloneRun[]>([]);
  /** What the search has said, or why there are no formulas. */
  readonly #said = signal("");
  /** Runs alone that were wanted before, of partitions that the bar has shown. */
  #earlier: AloneRun[] = [];
  /** The search goes on when the partition that it found is measured. */
  #searching = false;
  #loaded: Laid | null = null;
  #around: Around | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #events: PredictedEvents;

  constructor(events: PredictedEvents) {
    this.#events = events;
  }

  init(around: Around): void {
    this.#around = around;
    this.#measurer.value = around.measurer(() => {
      this.#news.value += 1;
      if (this.#searching && this.#runs.value.every((one) => this.#settled(one))) this.find();
    });
  }

  /** As a link has it. What is typed and says the same stays. */
  set view({ reading, measured = false, deadlines = [] }: PredictView) {
    const other = measured !== this.measured.value;
    batch(() => {
      this.reading.value = isReading(reading) ? reading : "literal";
      this.measured.value = measured;
      this.typed.value = this.typed.value.map((typed, k) => {
        const deadline = deadlines[k] ?? null;
        return deadline === readDeadline(typed).deadline ? typed : String(deadline ?? "");
      });
    });
    if (other) this.#want();
  }
  get view(): PredictView {
    const promised = this.#promised.value;
    return {
      ...(this.reading.value === "literal" ? {} : { reading: this.reading.value }),
      ...(this.measured.value ? { measured: true } : {}),
      ...(promised.some((deadline) => deadline !== null) ? { deadlines: promised } : {}),
    };
  }

  // ---------------------------------------------------------------- the run

  /** The run that is shown, with its mark where it is one of two; nothing else happens where it is the one that was. */
  setRun(experiment: Experiment, loaded: Laid, mark: string): void {
    this.mark.value = mark;
    if (loaded === this.#loaded) return;
    this.#loaded = loaded;
    const gpu = loaded.normal.gpu as Record<string, unknown>,
      { layout, windows, explained } = loaded;
    const setup: Setup = {
      experiment,
      names: layout.kernels,
      sms: layout.sms.length,
      banks: layout.banks,
      coreMhz: windows.core_mhz,
      bandwidthMax: ((windows.peaks.dram_bytes_per_cycle ?? 0) * windows.core_mhz) / 1000,
      lineBytes: Number(gpu["l2.line_bytes"]),
      ctas: launchSizes(explained).map((launches) => launches.reduce((sum, ctas) => sum + ctas, 0)),
    };
    this.#earlier = [];
    this.#searching = false;
    batch(() => {
      this.#ran.value = null;
      this.#runs.value = [];
      this.#said.value = "";
      this.split.value = partsOf(experiment, setup.sms);
      // Deadlines stay at their places.
      this.typed.value = setup.names.map((_, k) => this.typed.value[k] ?? "");
      this.setup.value = setup;
    });
    if (this.whyNot.value === "") void this.#ask(setup);
    else this.#measurer.value?.want([]);
  }

  /** Why there is nothing to predict; empty where there is. */
  readonly whyNot = computed((): string => {
    const setup = this.setup.value;
    if (!setup) return "";
    const { experiment, names, sms, bandwidthMax } = setup;
    if (names.length > sms)
      return `There is nothing to predict: ${names.length} kernels cannot each have one of ${sms} SMs.`;
    if (names.length > MOST)
      return `There is nothing to predict: the formulas take ${MOST} kernels at most, and here are ${names.length}.`;
    if (!(bandwidthMax > 0))
      return "There is nothing to predict: kernels slow each other down by DRAM's bandwidth, and this DRAM has no limit.";
    const why = notForScheme(experiment);
    return why === "" ? "" : `There is nothing to predict: ${why}`;
  });
  /** Kernels of another scheme can be given SMs of their own. */
  readonly canPart = computed(() => {
    const setup = this.setup.value;
    return setup !== null && notForScheme(setup.experiment) !== "" && setup.names.length <= Math.min(setup.sms, MOST);
  });

  /** Has the runs measured that the formulas need. */
  async #ask(setup: Setup): Promise<void> {
    try {
      this.#formulas.value ??= (await this.#around?.formulas()) ?? null;
    } catch (error) {
      this.#said.value = `The formulas could not be loaded: ${errorText(error)}`;
    }
    if (this.setup.value === setup) this.#want();
  }

  #want(): void {
    const setup = this.setup.value,
      formulas = this.#formulas.value;
    if (!setup || !formulas || this.whyNot.value !== "") return;
    const run = (kernel: number, sms: number): AloneRun => {
      const known = this.#earlier.find((one) => one.kernel === kernel && one.sms === sms),
        experiment = aloneRun(setup.experiment, kernel, sms === setup.sms ? null : sms);
      return known ?? { kernel, sms, experiment, hash: formulas.configHash(experiment) };
    };
    const own = this.split.value.flatMap((sms, k) => (sms > 0 && sms < setup.sms ? [run(k, sms)] : []));
    const all = [...setup.names.map((_, k) => run(k, setup.sms)), ...(this.measured.value ? own : [])];
    this.#earlier = [...this.#earlier, ...all.filter((one) => !this.#earlier.includes(one))];
    this.#runs.value = all;
    this.#measurer.value?.want(all);
  }

  /** What the run shows now. */
  update(result: Result, past: Events | null): void {
    const setup = this.setup.value;
    if (!setup || notForScheme(setup.experiment) !== "") return;
    this.#ran.value = { shown: shownOf(setup, result, past), now: milliseconds(setup, result.cycles) };
  }

  // ---------------------------------------------------------------- what a person does

  #changed(): void {
    this.#said.value = "";
    this.#searching = false;
    this.#events.changed(this.view);
  }
  read(reading: string): void {
    if (isReading(reading)) this.reading.value = reading;
    this.#changed();
  }
  measureOwn(own: boolean): void {
    this.measured.value = own;
    this.#want();
    this.#changed();
  }
  type(kernel: number, text: string): void {
    this.typed.value = this.typed.value.map((old, k) => (k === kernel ? text : old));
    this.#changed();
  }
  /** The end of a kernel's part is drawn to an SM. While it moves, nothing is begun. */
  move(kernel: number, to: number): void {
    const { value: setup } = this.setup,
      split = setup ? moved(this.split.value, kernel, to, setup.sms) : [];
    if (!setup || split.join() === this.split.value.join()) return;
    this.split.value = split;
    this.#said.value = "";
    this.#searching = false;
    clearTimeout(this.#timer);
    if (this.measured.value) this.#timer = setTimeout(() => this.#want(), REST);
  }
  simulate(): void {
    const setup = this.setup.value;
    if (setup) this.#events.simulate(once(setup.experiment, this.split.value));
  }
  pause(): void {
    const measurer = this.#measurer.value;
    if (measurer?.paused) measurer.go();
    else measurer?.pause();
  }

  // ---------------------------------------------------------------- what is known

  /** Nothing more will be known of a run: it is measured, or cannot be. */
  #settled({ kernel, hash }: AloneRun): boolean {
    const measurer = this.#measurer.value,
      share = shareOf(measurer?.of(hash) ?? null, this.setup.value?.ctas[kernel] ?? 1);
    return (measurer?.why(hash) ?? "") !== "" || share === 1;
  }

  /** What is known of kernels alone: measured on all SMs, and where that is asked for on their own, of this partition and of others that are settled. */
  #sizes(): Size[] {
    void this.#news.value;
    const runs = this.#runs.value,
      earlier = this.#earlier.filter((one) => !runs.includes(one) && this.#settled(one));
    return [...runs, ...(this.measured.value ? earlier : [])].map(({ kernel, sms, hash }) => ({
      kernel,
      sms,
      measured: this.#measurer.value?.of(hash) ?? null,
    }));
  }

  /** The question as it stands, of a partition or of all; null while a kernel has shown nothing. */
  #question(split: readonly number[] | null): PredictQuestion | null {
    const setup = this.setup.value,
      sizes = this.#sizes();
    return setup && sizes.length > 0 ? question(setup, sizes, split, this.reading.value, this.#promised.value) : null;
  }
  readonly canFind = computed(() => this.#question(null) !== null);

  /** What the formulas answer, or why they cannot. */
  #answer(split: readonly number[] | null, ask: "predict" | "planPartition"): Prediction | string | null {
    const formulas = this.#formulas.value,
      asked = this.#question(split);
    if (!formulas || !asked) return null;
    try {
      return formulas[ask](asked);
    } catch (error) {
      return `The formulas cannot say: ${problemsIn(error)?.map(problemText).join("; ") ?? String(error)}`;
    }
  }
  readonly #predicted = computed(() => (this.whyNot.value === "" ? this.#answer(this.split.value, "predict") : null));
  readonly prediction = computed(() => (typeof this.#predicted.value === "string" ? null : this.#predicted.value));

  /** What is simulated is of the run's own partition. */
  readonly #mine = computed(() => {
    const setup = this.setup.value;
    return setup !== null && partsOf(setup.experiment, setup.sms).join() === this.split.value.join();
  });
  readonly #run = computed(() => (this.#mine.value ? this.#ran.value : null));
  readonly rows = computed(() => {
    const setup = this.setup.value;
    return setup ? rowsOf(setup, this.split.value, this.prediction.value, this.#run.value, this.#promised.value) : [];
  });
  readonly windows = computed(() => {
    const prediction = this.prediction.value,
      { shown = null, now = 0 } = this.#run.value ?? {};
    return prediction && { prediction, deadlines: this.#promised.value, shown, now };
  });
  /** What is proven, or else what the search has found. */
  readonly proof = computed(() => {
    const problem = typeof this.#predicted.value === "string" ? this.#predicted.value : "";
    return problem || proofOf(this.rows.value) || this.#said.value;
  });

  /** How far the measuring is: a part of 1 while it goes on, and in words; `left`: something is not measured. */
  readonly measuring = computed((): { part: number | null; left: boolean; paused: boolean; says: string } => {
    void this.#news.value;
    const setup = this.setup.value,
      measurer = this.#measurer.value;
    const none = { part: null, left: false, paused: false };
    if (!setup || !measurer || this.#runs.value.length === 0) return { ...none, says: "Loading the formulas…" };
    const runs = this.#runs.value.map(({ kernel, sms, hash }) => ({
      hash,
      sms,
      why: measurer.why(hash),
      share: shareOf(measurer.of(hash), setup.ctas[kernel] ?? 1),
      cycles: measurer.of(hash)?.cycles ?? 0,
      title: `${setup.names[kernel] ?? ""} on ${sms === setup.sms ? "all " : ""}${sms} SMs`,
      ctas: setup.ctas[kernel],
    }));
    const part = (run: (typeof runs)[number]): string =>
      `${run.title}, ${fixed(run.share * 100, 0)} % of its ${count(run.ctas)} CTAs in ${count(run.cycles)} cycles`;
    const impossible = runs.filter(({ why }) => why !== ""),
      left = runs.filter(({ share, why }) => share < 1 && why === ""),
      current = runs.find(({ hash }) => hash === measurer.current),
      bare = left.filter(({ share, sms }) => share === 0 && sms === setup.sms),
      some = left.filter(({ share }) => share > 0);
    const now = {
      part: left.length > 0 && !measurer.paused ? runs.reduce((sum, { share }) => sum + share, 0) / runs.length : null,
      left: left.length > 0,
      paused: measurer.paused,
    };
    if (impossible.length > 0)
      return { ...now, says: impossible.map(({ title, why }) => `${title} cannot be measured: ${why}.`).join(" ") };
    if (now.part !== null)
      return {
        ...now,
        says: `Measuring each kernel alone, once to its end: ${current ? part(current) : ""}. ${bare.length > 0 ? "The prediction begins when each has finished a CTA." : "Until then, a part stands for the whole."}`,
      };
    const measured = `Measured alone, where a part stands for the whole: ${some.map(part).join("; ")}.`,
      missing = `No CTA has finished, and so there is no prediction, of ${bare.map(({ title }) => title).join(", ")}.`;
    return {
      ...now,
      says: now.left
        ? ["Stopped.", ...(some.length > 0 ? [measured] : []), ...(bare.length > 0 ? [missing] : [])].join(" ")
        : `Each kernel is measured alone on all ${setup.sms} SMs${this.measured.value ? " and on its own" : ""}, once to its end.`,
    };
  });

  /** What has to be said of this machine, this mix, this run. */
  readonly remarks = computed((): string => {
    const setup = this.setup.value,
      mine = this.#mine.value;
    if (!setup) return "";
    const over = this.#sizes().flatMap(({ kernel, sms, measured }) => {
      const alone = aloneOf(setup, measured, kernel);
      return alone && sms === setup.sms && alone.bandwidth > setup.bandwidthMax
        ? [
            `${setup.names[kernel] ?? ""} takes ${fixed(alone.bandwidth, 0)} GB/s from L2, more than DRAM's ${fixed(setup.bandwidthMax, 0)}, with which the formulas reckon.`,
          ]
        : [];
    });
    const classes = new Set(this.#loaded?.layout.sms.map((sm) => sm.class)).size;
    return [
      mine ? "" : "The run above has another partition: Simulate runs this one.",
      mine && !runsOnce(setup.experiment)
        ? "In the run above, kernels that have ended start again, which the formulas know nothing of: Simulate runs each once."
        : "",
      hasFirst(setup.experiment) ? "The bar shows how many SMs each kernel has, not which." : "",
      classes > 1 ? "The formulas take all SMs as equal, which here they are not." : "",
      ...over,
      ...(this.prediction.value?.notes ?? []),
      `Nominal bandwidth ${fixed(setup.bandwidthMax, 1)} GB/s is DRAM's peak; what lasts is 330/348 of it, as in the paper (Masola et al., JSSPP 2023).`,
    ]
      .filter((text) => text !== "")
      .join(" ");
  });

  // ---------------------------------------------------------------- the search

  /** Finds the best partition. Gives back the kernel whose deadline is none; null where all can be read. */
  find(): number | null {
    this.#searching = false;
    const wrong = this.deadlines.value.findIndex(({ problem }) => problem !== "");
    if (wrong >= 0) return wrong;
    const found = this.#answer(null, "planPartition"),
      setup = this.setup.value;
    if (typeof found === "string") this.#said.value = found;
    if (!setup || found === null || typeof found === "string" || !found.plan) return null;
    const { meets, tried, step } = found.plan;
    this.split.value = found.kernels.map(({ sms }) => sms);
    this.#want();
    this.#searching = this.measured.value && !this.#runs.value.every((one) => this.#settled(one));
    const which = this.#promised.value.every((deadline) => deadline === null)
      ? "The shortest"
      : meets
        ? "Meets every deadline by prediction, and is the shortest that does,"
        : "No partition meets every deadline; this one is the least late";
    this.#said.value = this.#searching
      ? "The best partition by what is known is not measured yet: the search goes on when it is."
      : `${which} of ${count(tried)} partitions${step > 1 ? ` in steps of ${step} SMs` : ""}: ${figureOf(found.makespan)} ms, ${count(cyclesOf(setup, found.makespan))} cycles. Simulate shows whether it is so.`;
    return null;
  }
}

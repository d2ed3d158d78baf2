// A figure's runs again on this computer: what is run, how far that is, and how it compares with what is stored. No DOM.
import { batch, computed, signal } from "@preact/signals";
import { count, counted, timeText } from "../model/format.ts";
import type { Experiment, Figure, Result } from "../model/types.ts";
import { compare, comparisonText, runsOf, trimmed, windowsOf, type FigureDocument } from "../embed/figure-document.ts";
import type { FigureClaims } from "./paper.ts";
import type { Rerun, RerunEvents } from "./rerun.ts";

/** The module on the page's own thread: drawing and adding up are quick. */
type FigureEngine = typeof import("../wasm/corun.js");
type Running = Pick<Rerun, "stop" | "progress" | "all" | "done">;
/** What the cards need of an engine. */
export interface Awake {
  engine: Pick<FigureEngine, "figureSvg" | "figureValues" | "normalise" | "stamp" | "presets">;
  rerun(
    runs: readonly number[],
    windows: boolean,
    complete: (experiment: Experiment) => Experiment,
    events: RerunEvents,
  ): Running;
}

/** What the cards of a page share. */
export class Figures {
  readonly awake = signal<Awake | null>(null);
  /** The figure whose runs are under way: one at a time, on all cores. */
  readonly busy = signal<Again | null>(null);
  readonly claims = signal<FigureClaims>({});
  /** Results that were computed here, by the place of their run. */
  readonly results = new Map<number, Result>();

  constructor(
    readonly document: FigureDocument,
    readonly embedded: boolean,
    /** Address of the folder that the page lies in, with a slash at its end. */
    readonly base: string,
  ) {}

  experiments(runs: readonly number[]): Experiment[] {
    return runs.map((run) => (this.document.runs[run] as FigureDocument["runs"][number]).experiment);
  }
}

export interface Outcome {
  kind: "stopped" | "broken" | "equal" | "different";
  text: string;
}

export class Again {
  /** Of its points, as far as they were computed here. */
  readonly here = signal<readonly (number | null)[] | null>(null);
  readonly outcome = signal<Outcome | null>(null);
  readonly spoken = signal("");
  readonly #running = signal<Running | null>(null);
  readonly #news = signal(0);
  readonly runs: readonly number[];
  #why: string[] = [];
  #changed = 0;

  constructor(
    readonly of: Figures,
    readonly figure: Figure,
  ) {
    this.runs = runsOf(figure.points);
  }

  readonly running = computed(() => this.#running.value !== null);
  readonly can = computed(() => this.of.awake.value !== null && this.of.busy.value === null);
  readonly part = computed(() => {
    void this.#news.value;
    return this.#running.value?.progress().done ?? 0;
  });
  readonly words = computed((): string => {
    void this.#news.value;
    const running = this.#running.value,
      all = this.runs.length;
    if (!running) return counted(all, "run");
    const { left } = running.progress();
    return `${count(running.done)} of ${count(running.all)} runs${left === null ? "" : `, about ${timeText(left)} left`}`;
  });
  /** What is said of running it all again. */
  readonly title = computed(() =>
    this.of.busy.value !== null && this.of.busy.value !== this
      ? "Another figure is running"
      : `${counted(this.runs.length, "run")}, and each kernel alone`,
  );

  start(runs: readonly number[] = this.runs): void {
    const { of, figure } = this,
      awake = of.awake.value;
    if (!awake || of.busy.value) return;
    const windows = windowsOf(figure, figure.points);
    let wanted = runs.filter((run) => {
      const known = of.results.get(run);
      return known === undefined || (windows > 0 && !Array.isArray(known["windows"]));
    });
    // What this figure has shown already is asked for anew.
    if (wanted.length === 0 && this.outcome.value) wanted = [...runs];
    for (const run of wanted) of.results.delete(run);
    this.#why = [];
    this.#changed = 0;
    if (wanted.length === 0) {
      this.#ended("over");
      return;
    }
    batch(() => {
      of.busy.value = this;
      this.spoken.value = "Running";
      this.outcome.value = null;
    });
    this.#running.value = awake.rerun(wanted, windows > 0, (experiment) => awake.engine.normalise(experiment), {
      result: (run, result) => {
        of.results.set(run, trimmed(result, windows));
      },
      changed: (changed) => {
        this.#changed = changed.length;
      },
      progress: () => {
        this.#news.value += 1;
      },
      broken: (why) => {
        this.#why.push(why);
      },
      over: () => this.#ended("over"),
    });
  }

  /** Ends it within the click; what is done is kept, and going on runs the rest. */
  stop(): void {
    if (!this.#running.value) return;
    this.#running.value.stop();
    this.#ended("stopped");
  }

  #ended(how: "over" | "stopped"): void {
    const { results, document, awake, busy } = this.of;
    const list = document.runs.map((_, run) => results.get(run) ?? null),
      here = awake.value?.engine.figureValues(this.figure, JSON.stringify(list)) ?? null,
      { differ, same, digests, ...rest } = compare(document, this.figure, here ?? [], results);
    const said = [
      how === "stopped" ? "Stopped." : "",
      comparisonText(this.figure, { differ, same, digests, ...rest }),
      this.#changed > 0
        ? `${this.#changed} of the experiments are not what they were: since then the engine gives some of their names another meaning.`
        : "",
      this.#why.length > 0 ? `Some could not run: ${this.#why.slice(0, 3).join("; ")}` : "",
    ];
    const equal = differ.length === 0 && same === digests ? "equal" : "different";
    batch(() => {
      this.#running.value = null;
      if (busy.value === this) busy.value = null;
      this.here.value = here;
      this.outcome.value = {
        kind: how === "stopped" ? "stopped" : this.#why.length > 0 ? "broken" : equal,
        text: said.filter((part) => part !== "").join(" "),
      };
    });
  }
}

// The numbers of a run, and of what it is compared with: which there are, why one is missing, how far two are apart, and what is to be said of all. What a
// number means comes from the engine's registry of metrics; a number that is not there is a dash with the reason beside it. No DOM.
import { computed, signal } from "@preact/signals";
import { ENDLESS, MISSING, fixed } from "./format.ts";
import { endsOf, formatOf, readFigure, whyStarved, type Of } from "./figures.ts";
import { apart, gapText, inFull, isClear, plusMinus, sureness } from "./interval-text.ts";
import type { Catalogue, Controls, MetricEntry, Result } from "./types.ts";

const WAITING = "being measured in the background";

/** Figures by their keys in the engine's registry, which has their titles. */
export const SPEED = ["ipc_alone", "ipc", "slowdown"];
/** What a slowdown is made of: one times the other. */
export const COST = ["share_cost", "neighbour_cost"];
/** Of kernels that have one. */
export const GOAL = ["goal_ipc", "goal_reached"];
export const SHARE = ["noc_utilisation", "dram_utilisation", "l1_hit_rate", "ctas_done"];
export const MIX = ["hspeedup", "stp", "antt"];
export const GPU = ["ipc", "noc_utilisation", "dram_utilisation", "l1_hit_rate", "l2_miss_rate", "dram_row_hit_rate"];
export const ENERGY = ["joules", "watts", "instructions_per_watt"];
/** What is not there without an IPC alone. */
const OF_ALONE = new Set(["ipc_alone", "slowdown", ...COST, ...GOAL]);

interface ShownNumbers {
  /** A, B, or nothing where there is one. */
  mark: string;
  title: string;
  kernels: readonly string[];
  /** Which of them have a goal. */
  goals: readonly boolean[];
}
/** A run, or what one was before: a column of the comparison. */
export interface Column extends ShownNumbers {
  result: Result | null;
  /** Why a kernel has no IPC alone. */
  alone: readonly (string | null)[];
  controls: Controls | null;
}
const starvedOf = ({ result, title, controls }: Column, k: number): string =>
  result ? whyStarved(result, k, title, controls) : "";
/** Why a number is not there. */
function whyNot(column: Column, of: Of, key: string): string {
  if (!column.result) return "nothing has run yet";
  if (typeof of === "number" && GOAL.includes(key) && !column.goals[of]) return "it has no goal";
  if (of === "metrics") {
    const missing = column.alone.findIndex((why) => why !== null);
    return missing >= 0 ? `IPC alone of ${column.kernels[missing]} is ${column.alone[missing]}` : "no data yet";
  }
  if (typeof of === "number" && OF_ALONE.has(key) && typeof column.result.kernels[of]?.ipc_alone !== "number")
    return `IPC alone is ${column.alone[of] ?? "missing"}`;
  if (column.result.cycles === 0) return "nothing has run yet";
  if (!column.result.ci95) return "not known of a stretch of the run";
  return COST.includes(key) ? "known by a run in its share, once this one has ended" : "no data yet";
}

/** A number as it is written, with how sure it is beside it. `title`: what is said of it at length. */
export interface Cell {
  text: string;
  missing: boolean;
  title: string;
  beside: string;
  besideTitle: string;
  /** More apart than chance explains. */
  clear?: boolean;
}

export function cellOf(column: Column, of: Of, figure: MetricEntry): Cell {
  const { result } = column,
    value = result && readFigure(result, of, figure.key),
    ends = endsOf(result, of, figure.key),
    format = formatOf(figure),
    text = format(value),
    missing = text === MISSING;
  return {
    text,
    missing,
    title: missing ? whyNot(column, of, figure.key) : text === ENDLESS ? starved([column]) : "",
    beside: plusMinus(value, ends, format),
    besideTitle: inFull(ends, format),
  };
}

export const ABSENT: Cell = { text: MISSING, missing: true, title: "not in this mix", beside: "", besideTitle: "" };

/** How far the second is above the first. */
export function gapOf([one, a]: [Column, Of], [other, b]: [Column, Of], figure: MetricEntry): Cell {
  const { key } = figure,
    format = formatOf(figure),
    from = one.result && readFigure(one.result, a, key),
    to = other.result && readFigure(other.result, b, key);
  // What is equal to the last digit is the same measurement.
  const [low, high] = from === to ? [null, null] : [endsOf(one.result, a, key), endsOf(other.result, b, key)];
  const gap = apart(from, low, to, high),
    text = gapText(gap, format);
  if (gap === null) return { ...ABSENT, text, title: "one of the two is missing" };
  const { value, half } = gap,
    share = from ? `${fixed((value / from) * 100, 1)} %` : "from 0",
    clear = isClear(gap);
  return {
    text,
    missing: false,
    title: `${share}${half === null ? "" : clear ? ", more than the intervals explain" : ", within the intervals: it may be chance"}`,
    beside: half === null ? "" : plusMinus(value, [value - half, value + half], format),
    besideTitle: "",
    clear,
  };
}

const marked = (mark: string, text: string): string => `${mark === "" ? "" : `${mark}: `}${text}`;

/** Who has got nothing, and why. */
const starved = (columns: readonly Column[]): string =>
  columns
    .flatMap((column) =>
      column.kernels.map((name, k) => {
        const why = starvedOf(column, k);
        return why === "" ? "" : marked(column.mark, `${name} gets nothing: ${why}.`);
      }),
    )
    .filter((text) => text !== "")
    .join(" ");

/** What has to be said first: who gets nothing, what is measured yet, what cannot be. */
function noteOf(runs: readonly Column[]): string {
  const nothing = starved(runs);
  if (nothing !== "") return nothing;
  const reasons = runs.flatMap(({ alone, kernels }) => alone.map((why, k) => ({ why, name: kernels[k] ?? "" }))),
    waiting = reasons.filter(({ why }) => why?.startsWith(WAITING)),
    failed = reasons.find(({ why }) => why !== null && !why.startsWith(WAITING)),
    first = waiting.find(({ why }) => why !== WAITING) ?? waiting[0];
  if (first) return `IPC alone of ${first.name} is ${first.why}; slowdowns follow.`;
  return failed
    ? `IPC alone is ${failed.why}.`
    : `Slowdowns are of ${runs.some(({ result }) => result && !result.ci95) ? "the selected cycles" : "this run so far"}, against each kernel with the whole GPU to itself.`;
}

/** Kernels of several mixes, each with its places in them: of two of the same name, the first goes with the first. */
export function union(mixes: readonly (readonly string[])[]): { name: string; places: (number | null)[] }[] {
  const names = mixes.map((mix) =>
    mix.map((name, k) => `${name} ${mix.slice(0, k).filter((other) => other === name).length}`),
  );
  const all = [...new Set(names.flat())];
  return all.map((key) => ({
    name: key.slice(0, key.lastIndexOf(" ")),
    places: names.map((mix) => {
      const at = mix.indexOf(key);
      return at < 0 ? null : at;
    }),
  }));
}

/** The numbers of one run or two, and of what was before the last change. */
export class Numbers {
  readonly metrics = signal<readonly MetricEntry[]>([]);
  readonly runs = signal<readonly Column[]>([]);
  readonly before = signal<Column | null>(null);
  readonly note = computed(() => noteOf(this.runs.value));
  readonly sure = computed(() =>
    this.runs.value
      .map(({ mark, result }) =>
        marked(
          mark,
          sureness(result, (ratio) => this.metric(ratio)?.title ?? ratio),
        ),
      )
      .join(" "),
  );

  metric(key: string): MetricEntry | undefined {
    return this.metrics.value.find((metric) => metric.key === key);
  }
  of(keys: readonly string[]): MetricEntry[] {
    return keys.flatMap((key) => this.metric(key) ?? []);
  }

  setRuns({ metrics }: Pick<Catalogue, "metrics">, runs: readonly ShownNumbers[]): void {
    this.metrics.value = metrics;
    this.runs.value = runs.map((run) => ({
      ...run,
      result: null,
      alone: run.kernels.map(() => WAITING),
      controls: null,
    }));
  }

  /** What a run has now stays in view as what was before, until it is dismissed. A run that has not begun has nothing to keep. */
  keep(run: number): void {
    const column = this.runs.value[run];
    if (column?.result && column.result.cycles > 0) this.before.value = column;
  }
  dismiss(): void {
    this.before.value = null;
  }

  #change(run: number, change: (column: Column) => Partial<Column>): void {
    this.runs.value = this.runs.value.map((column, i) => (i === run ? { ...column, ...change(column) } : column));
  }
  #alone(run: number, kernel: number, why: string | null): void {
    this.#change(run, ({ alone }) => ({ alone: alone.map((old, k) => (k === kernel ? why : old)) }));
  }

  alone(run: number, kernel: number, ipc: number | null, why: string): void {
    this.#alone(run, kernel, ipc === null ? `missing: ${why}` : null);
  }
  aloneProgress(run: number, kernel: number, done: number | null): void {
    if (done !== null) this.#alone(run, kernel, `${WAITING}, ${fixed(Math.min(1, done) * 100, 0)} % done`);
  }
  /** As the machine reads them: they say why a kernel gets nothing. */
  setControls(run: number, controls: Controls): void {
    this.#change(run, () => ({ controls }));
  }
  /** Of each run; all are of one cycle. */
  update(results: readonly (Result | null)[]): void {
    this.runs.value = this.runs.value.map((column, i) => ({ ...column, result: results[i] ?? column.result }));
  }
}

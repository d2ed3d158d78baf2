// What the time axis knows: the runs, their lanes, and the numbers in them. No DOM.
import type { Events } from "../model/event-log.ts";
import type { Decision, ShownRun, Zoom } from "../model/types.ts";
import type { Tabular } from "../model/tabular.ts";
import type { WindowStore } from "../model/window-store.ts";
import { laneSpecs, means, timeTable, type LaneSpec, type SeriesSpec } from "./series.ts";

export interface DockRun {
  mark: string;
  title: string;
  kernels: readonly string[];
  window: number;
  /** Shared with others: what is appended there is here. */
  store: WindowStore;
  specs: readonly LaneSpec[];
  decisions: readonly Decision[];
  past: Events | null;
  /** The IPC that each kernel is promised, if any. */
  goals: readonly (number | null)[];
  /** The cycle at which it ends by its own stop condition; null where that is not known before. */
  length: number | null;
  /** Cycles of an epoch, where its policy has them. */
  epoch: number | null;
}

export function dockRun(
  { mark, title, layout, windows }: ShownRun,
  store: WindowStore,
  length: number | null,
  epoch: number | null = null,
): DockRun {
  const { kernels } = layout;
  return {
    mark,
    title,
    kernels,
    window: windows.window,
    store,
    specs: laneSpecs(windows, kernels),
    decisions: [],
    past: null,
    goals: [],
    length,
    epoch,
  };
}

// ---------------------------------------------------------------- the axis

/** Runs up to here have their whole length on the axis from the start. */
const AT_ONCE = 1_000_000;
/** What the axis begins with where the length is not known. */
const LEAST = 50_000;

/** The right end: the run's length; of a very long run a half, a quarter, …, as long as that holds all that is known. */
export function axisEnd(lengths: readonly (number | null)[], known: number): number {
  const length = lengths.every((one) => one !== null) ? Math.max(0, ...(lengths as number[])) : 0;
  if (length >= known && length > 0) {
    let end = length;
    while (end / 2 >= Math.max(known, AT_ONCE)) end /= 2;
    return Math.ceil(end);
  }
  let end = LEAST;
  while (end < known) end *= 2;
  return end;
}

// ---------------------------------------------------------------- lanes and their numbers

export interface Lane {
  /** In links: of what it is, and of which kernel where each has one. */
  key: string;
  title: string;
  label: string;
  kernel: number | null;
  /** Of each run, what it shows; null: nothing. */
  specs: readonly (LaneSpec | null)[];
  /** A lane of epochs is of one run; the others are of all. */
  epochs: DockRun | null;
}

/** Those that stand there before anybody has chosen. */
const FIRST: readonly string[] = ["ipc", "noc", "dram"];
/** Where there is no room for a lane of each kernel. */
const FEW: readonly string[] = ["noc", "dram"];

/** The name of a kernel in all runs; where they differ, its place. */
export function kernelLabel(runs: readonly DockRun[], kernel: number): string {
  const names = new Set(runs.flatMap(({ kernels }) => kernels[kernel] ?? []));
  return names.size === 1 ? ([...names][0] as string) : `kernel ${kernel + 1}`;
}

/** What lanes can be of, in their order. */
function kinds(runs: readonly DockRun[]): LaneSpec[] {
  const all = runs.flatMap(({ specs }) => specs);
  return all.filter(({ key }, i) => all.findIndex((other) => other.key === key) === i);
}

/** All that can be a lane, and whether it is one. `chosen`: null where nobody has chosen. */
export function offered(
  runs: readonly DockRun[],
  chosen: readonly string[] | null,
): { key: string; title: string; doc: string; on: boolean }[] {
  return kinds(runs).map(({ key, title, doc }) => ({ key, title, doc, on: (chosen ?? FIRST).includes(key) }));
}

/** `large`: the lane that has grown, which is there whatever is chosen. */
export function lanesOf(
  runs: readonly DockRun[],
  chosen: readonly string[] | null,
  large: string | null,
  narrow: boolean,
): Lane[] {
  const lanes = kinds(runs).flatMap((kind): Lane[] => {
    const own = runs.map(({ specs }) => specs.find(({ key }) => key === kind.key) ?? null);
    if (!kind.each) return [{ ...kind, label: kind.name, kernel: null, specs: own, epochs: null }];
    const most = Math.max(...own.map((spec) => spec?.series.length ?? 0));
    return Array.from({ length: most }, (_, kernel) => ({
      key: `${kind.key}.${kernel}`,
      title: `${kind.title} of ${kernelLabel(runs, kernel)}`,
      label: `${kernelLabel(runs, kernel)} ${kind.name}`,
      kernel,
      specs: own.map((spec) => {
        const series = spec?.series.filter((one) => one.kernel === kernel) ?? [];
        return spec && series.length > 0 ? { ...spec, series } : null;
      }),
      epochs: null,
    }));
  });
  const wanted = chosen ?? (narrow ? FEW : FIRST),
    shown = lanes.filter(
      ({ key, kernel }) => key === large || wanted.includes(kernel === null ? key : key.replace(/\.\d+$/, "")),
    );
  const after = shown.filter(({ key }) => key.startsWith("ipc.")).length;
  const epochs = (narrow ? [] : runs).flatMap((run): Lane[] =>
    run.epoch === null
      ? []
      : [
          {
            key: `epochs.${run.mark}`,
            title: "Epochs",
            label: run.mark === "" ? "epochs" : `${run.mark} epochs`,
            kernel: null,
            specs: [],
            epochs: run,
          },
        ],
  );
  return [...shown.slice(0, after), ...epochs, ...shown.slice(after)];
}

/** A line of numbers: of each run one; NaN where it has none. */
export interface Figures {
  /** In words: “IPC BP”, “NoC in all”. */
  label: string;
  name: string;
  series: SeriesSpec | null;
  unit: string;
  values: number[];
  /** What the sum of a lane can be at most. */
  peak: number | null;
}

const ALL = "in all";
/** Means of a lane between two cycles, of whole windows: of each part, and of all where that is a number, too. */
export function figures(runs: readonly DockRun[], lane: Lane, from: number, to: number): Figures[] {
  const all = runs.map(({ store }, r) => {
      const spec = lane.specs[r];
      return spec ? means(spec, store, from, to) : [];
    }),
    spec = lane.specs.find((one) => one !== null);
  if (!spec) return [];
  const row = (name: string, series: SeriesSpec | null, values: number[], peak: number | null): Figures => ({
    label: `${spec.name} ${name}`,
    name,
    series,
    unit: spec.unit,
    values,
    peak,
  });
  const most = Math.max(...all.map((one) => one.length));
  const rows = Array.from({ length: most }, (_, s) => {
    const same = lane.specs.flatMap((one) => one?.series[s] ?? []),
      [series = null] = same,
      names = new Set(same.map(({ name }) => name));
    return row(
      names.size === 1 ? ([...names][0] as string) : kernelLabel(runs, series?.kernel ?? 0),
      series,
      all.map((values) => values[s] ?? NaN),
      null,
    );
  }).filter(({ series, values }) => series?.kernel !== null || series.stall !== null || values.some((v) => v > 0));
  if (!spec.sum) return rows;
  const sum = row(
    ALL,
    null,
    all.map((values) => (values.every((v) => Number.isNaN(v)) ? NaN : values.reduce((a, b) => a + (b || 0), 0))),
    spec.top?.value ?? null,
  );
  return rows.length > 1 ? [...rows, sum] : [{ ...(rows[0] ?? sum), peak: sum.peak }];
}

/** The numbers of all lanes as a table, a row for each stretch of so many cycles. */
export function dockTable(runs: readonly DockRun[], lanes: readonly Lane[], range: Zoom, resolution: number): Tabular {
  const of = (from: number, to: number): Figures[] => lanes.flatMap((lane) => figures(runs, lane, from, to));
  const heads = of(range.from, range.to);
  return timeTable(
    "Over time, means of windows; bandwidth at the core clock",
    runs.map(({ store }) => store),
    range,
    resolution,
    heads.flatMap(({ label, unit }) =>
      runs.map(({ mark }) => {
        const title = `${mark === "" ? "" : `${mark}: `}${label}`;
        return { key: title, title, unit };
      }),
    ),
    (from, to) => {
      const now = new Map(of(from, to).map((one) => [one.label, one.values]));
      return heads.flatMap(({ label }) => runs.map((_, r) => now.get(label)?.[r] ?? NaN));
    },
  );
}

// ---------------------------------------------------------------- what the policy did

/** Decisions of one cycle, or of several that are too close to be told apart. */
export interface Phase {
  cycle: number;
  /** In few words; and all that was decided. */
  short: string;
  text: string;
}

/** The run whose decisions the axis has room for: the last one that decides anything after the start, else the last. */
export function deciding(runs: readonly DockRun[]): DockRun | null {
  const [last = null, ...others] = [...runs].reverse();
  return [last, ...others].find((run) => run?.decisions.some(({ cycle }) => cycle > 0)) ?? last;
}

export function phases(run: DockRun, { from, to }: Zoom, width: number, pixels = 8): Phase[] {
  const near = ((to - from) / Math.max(1, width)) * pixels;
  const groups: Decision[][] = [];
  for (const one of run.decisions) {
    const group = groups.at(-1);
    if (group && one.cycle - (group[0] as Decision).cycle < near) group.push(one);
    else groups.push([one]);
  }
  // The phase before the range reaches into it.
  const first = groups.filter((group) => (group[0] as Decision).cycle <= from).length - 1;
  return groups.slice(Math.max(0, first)).flatMap((group) => {
    const cycle = (group[0] as Decision).cycle;
    return cycle > to ? [] : [{ cycle, short: shortText(group), text: phaseText(group, run.kernels) }];
  });
}

const NAMED = 6;
function phaseText(group: readonly Decision[], kernels: readonly string[]): string {
  const said = group
    .slice(0, NAMED)
    .map(({ kernel, text }) => `${kernel === null ? "" : `${kernels[kernel] ?? "a kernel"} `}${text}`);
  return [...said, ...(group.length > NAMED ? [`and ${group.length - NAMED} more decisions`] : [])].join("; ");
}

/** "6 + 5 CTAs": what kernels get is said by its numbers, what is decided of the whole GPU in its own words, all else by what it is about. */
export function shortText(group: readonly Decision[]): string {
  const ctas = group.flatMap(({ topic, kernel, values }) => {
    const n = topic === "ctas" && kernel !== null ? values["ctas"] : null;
    return typeof n === "number" ? [n] : [];
  });
  const whole = group.filter(({ kernel }) => kernel === null).map(({ text }) => text);
  const said = [...(ctas.length > 0 ? [`${ctas.join(" + ")} CTAs`] : []), ...whole];
  return said.length > 0
    ? said.join("; ")
    : [...new Set(group.map(({ topic }) => topic.replaceAll("_", " ").replace(/^ctas?\b|\bctas?\b/g, "CTAs")))].join(
        ", ",
      );
}

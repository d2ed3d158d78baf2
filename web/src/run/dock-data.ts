import type { Events } from "../event-log.ts";
import type { Decision, ShownRun, Zoom } from "../types.ts";
import { chartSpecs, means, timeTable, type ChartSpec } from "../views/chart-data.ts";
import type { Tabular } from "../views/tabular.ts";
import type { WindowStore } from "../views/window-store.ts";

export type LaneKey = "ipc" | "noc" | "dram";

export interface DockRun {
  mark: string;
  title: string;
  kernels: readonly string[];
  window: number;
  /** Shared with the charts: what is appended there is here. */
  store: WindowStore;
  specs: Partial<Record<LaneKey, ChartSpec>>;
  decisions: readonly Decision[];
  past: Events | null;
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
  const specs: DockRun["specs"] = {};
  for (const spec of chartSpecs(windows, kernels))
    if (spec.key === "ipc" || spec.key === "noc" || spec.key === "dram") specs[spec.key] = spec;
  return { mark, title, kernels, window: windows.window, store, specs, decisions: [], past: null, length, epoch };
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
  key: LaneKey | "epochs";
  /** A lane of IPC is of one kernel; those of bandwidth are of all. */
  kernel: number | null;
  /** A lane of epochs is of one run; the others are of all. */
  run?: DockRun;
  label: string;
}

/** The name of a kernel in all runs; where they differ, its place. */
export function kernelLabel(runs: readonly DockRun[], kernel: number): string {
  const names = new Set(runs.flatMap(({ kernels }) => kernels[kernel] ?? []));
  return names.size === 1 ? ([...names][0] as string) : `kernel ${kernel + 1}`;
}

export function lanesOf(runs: readonly DockRun[], narrow: boolean): Lane[] {
  const kernels = narrow ? 0 : Math.max(0, ...runs.map(({ kernels: all }) => all.length));
  const has = (key: LaneKey): boolean => runs.some(({ specs }) => specs[key]);
  return [
    ...Array.from({ length: has("ipc") ? kernels : 0 }, (_, kernel): Lane => {
      return { key: "ipc", kernel, label: `${kernelLabel(runs, kernel)} IPC` };
    }),
    ...(narrow ? [] : runs.filter(({ epoch }) => epoch !== null)).map((run): Lane => {
      return { key: "epochs", kernel: null, label: run.mark === "" ? "epochs" : `${run.mark} epochs`, run };
    }),
    ...(has("noc") ? [{ key: "noc", kernel: null, label: "NoC" } as const] : []),
    ...(has("dram") ? [{ key: "dram", kernel: null, label: "DRAM" } as const] : []),
  ];
}

/** A line of numbers: of each run one; NaN where it has none. */
export interface Figures {
  /** `IPC`, `NoC` or `DRAM`; and of what: a kernel, or all. */
  lane: string;
  name: string;
  kernel: number | null;
  unit: string;
  values: number[];
  /** What the sum of a lane can be at most. */
  peak: number | null;
}

export const ALL = "in all";
/** Means between two cycles: IPC by kernel, bandwidth by kernel and in all. They are of whole windows. */
export function figures(runs: readonly DockRun[], from: number, to: number): Figures[] {
  return (["ipc", "noc", "dram"] as const).flatMap((key) => {
    const all = runs.map(({ specs, store }) => (specs[key] ? means(specs[key], store, from, to) : [])),
      spec = runs.map(({ specs }) => specs[key]).find((one) => one !== undefined);
    if (!spec) return [];
    const lane = key === "ipc" ? "IPC" : key === "noc" ? "NoC" : "DRAM",
      scale = spec.also?.scale ?? 1,
      unit = spec.also?.unit ?? "";
    const series = Math.max(...all.map((one) => one.length));
    const rows = Array.from({ length: series }, (_, s): Figures => {
      const one = runs.map(({ specs }) => specs[key]?.series[s]).find((found) => found !== undefined);
      const kernel = one?.kernel ?? null;
      return {
        lane,
        name: kernel === null ? (one?.name ?? "") : kernelLabel(runs, kernel),
        kernel,
        unit,
        values: all.map((values) => (values[s] ?? NaN) * scale),
        peak: null,
      };
    }).filter(({ kernel, values }) => kernel !== null || values.some((v) => v > 0));
    if (key === "ipc") return rows;
    const sum: Figures = {
      lane,
      name: ALL,
      kernel: null,
      unit,
      values: all.map((values) =>
        values.every((v) => Number.isNaN(v)) ? NaN : values.reduce((a, b) => a + (b || 0), 0) * scale,
      ),
      peak: spec.peak ? spec.peak.value * scale : null,
    };
    return rows.length > 1 ? [...rows, sum] : [{ ...(rows[0] ?? sum), peak: sum.peak }];
  });
}

export const labelOf = ({ lane, name }: Figures): string => `${lane} ${name}`;

/** The numbers as a table, a row for each stretch of so many cycles. */
export function dockTable(runs: readonly DockRun[], range: Zoom, resolution: number): Tabular {
  const heads = figures(runs, range.from, range.to);
  return timeTable(
    `Over time, means of windows; bandwidth at the core clock`,
    runs.map(({ store }) => store),
    range,
    resolution,
    heads.flatMap((one) =>
      runs.map(({ mark }) => {
        const title = `${mark === "" ? "" : `${mark}: `}${labelOf(one)}`;
        return { key: title, title, unit: one.unit };
      }),
    ),
    (from, to) => {
      const now = new Map(figures(runs, from, to).map((one) => [labelOf(one), one.values]));
      return heads.flatMap((one) => runs.map((_, r) => now.get(labelOf(one))?.[r] ?? NaN));
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

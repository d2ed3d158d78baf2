// What the lanes of the time axis show: which columns of the windows, divided by what, in which unit. No drawing, no DOM.
import type { WindowsLayout, Zoom } from "../model/types.ts";
import type { Column, Tabular } from "../model/tabular.ts";
import type { WindowStore } from "../model/window-store.ts";

export interface SeriesSpec {
  name: string;
  doc: string;
  /** Colour: a kernel's or a stall cause's. */
  kernel: number | null;
  stall: number | null;
  /** Columns that are summed, and those that are taken off. */
  over: number[];
  less?: number[];
  /** Divided by the cycles, or by the sum of these columns. */
  under: "cycles" | number[];
  scale: number;
}

export interface LaneSpec {
  key: string;
  title: string;
  /** Beside the lane, after the kernel's name where each has a lane of its own. */
  name: string;
  unit: string;
  doc: string;
  /** Each kernel has a lane of its own; else they are stacked in one. */
  each: boolean;
  series: SeriesSpec[];
  /** Where the scale ends: at what the hardware can do, which has a name, or at all there is. */
  top: { value: number; label: string } | null;
  /** The sum of the stack is a number, too. */
  sum: boolean;
}

/** What most lanes have: no unit, lanes of all kernels in one, no sum, and no bound. */
const USUAL = { unit: "", each: false, sum: false, top: null };

/** What a layout has columns for, in the order of the lanes. */
export function laneSpecs(layout: WindowsLayout, kernels: readonly string[]): LaneSpec[] {
  const find = (key: string, kernel: number | null): number =>
    layout.columns.findIndex((c) => c.key === key && c.kernel === kernel);
  const doc = (column: number): string => layout.columns[column]?.doc ?? "";
  const perKernel = (key: string, under: "cycles" | ((k: number) => number[]), scale = 1): SeriesSpec[] =>
    kernels.flatMap((name, k) => {
      const column = find(key, k);
      if (column < 0) return [];
      return [
        {
          name,
          doc: doc(column),
          kernel: k,
          stall: null,
          over: [column],
          under: under === "cycles" ? under : under(k),
          scale,
        },
      ];
    });
  const peaks = layout.peaks,
    sustainable = peaks.noc_sustainable_bytes_per_cycle;
  // Bytes a cycle at so many million cycles a second, in thousands of a million bytes a second.
  const gigabytes = layout.core_mhz / 1000;
  const peakOf = (value: number | null, label: string): LaneSpec["top"] =>
    value !== null && value > 0 ? { value, label } : null;

  // Context switches of all kernels are one part: what a kernel itself moves is the rest.
  const dram = (): SeriesSpec[] => {
    const contexts = perKernel("dram_context_bytes", "cycles", gigabytes),
      own = perKernel("dram_bytes", "cycles", gigabytes);
    const of = contexts[0];
    return of === undefined
      ? own
      : [
          ...own.map((series, k) => ({ ...series, less: contexts[k]?.over ?? [] })),
          { ...of, name: "context switches", kernel: null, over: contexts.flatMap(({ over }) => over) },
        ];
  };
  const issued = perKernel("warp_instructions", () => [], 100);
  const causesOf = (kernel: number | null): number[] =>
    layout.columns.flatMap((c, i) => (c.key.startsWith("stall.") && c.kernel === kernel ? [i] : []));
  const causes = causesOf(null);
  // Every scheduler-cycle issued one warp instruction or is charged to one cause: their sum is all there is.
  const slots = [...issued.flatMap((s) => s.over), ...causes];
  const issues = issued.map((s) => ({
    ...s,
    name: `${s.name} issued`,
    doc: `A warp instruction of ${s.name} was issued`,
    under: slots,
  }));
  const stalled = (columns: readonly number[]): SeriesSpec[] =>
    columns.map((column, i) => ({
      name: layout.columns[column]?.title ?? "",
      doc: doc(column),
      kernel: null,
      stall: i,
      over: [column],
      under: slots,
      scale: 100,
    }));

  const all: LaneSpec[] = [
    {
      ...USUAL,
      key: "ipc",
      title: "IPC",
      name: "IPC",
      each: true,
      doc: "Thread instructions executed per core cycle over the whole GPU, by kernel.",
      series: perKernel("thread_instructions", "cycles"),
    },
    {
      ...USUAL,
      key: "noc",
      title: "NoC reply bandwidth",
      name: "NoC",
      unit: "GB/s",
      sum: true,
      doc: "Bytes of replies that crossed the NoC from L2 to the SMs, at the core clock, by kernel.",
      series: perKernel("noc_bytes", "cycles", gigabytes),
      top: peakOf(peaks.noc_bytes_per_cycle && peaks.noc_bytes_per_cycle * gigabytes, "peak"),
    },
    {
      ...USUAL,
      key: "dram",
      title: "DRAM bandwidth",
      name: "DRAM",
      unit: "GB/s",
      sum: true,
      doc: "Bytes on the DRAM data buses, at the core clock, by kernel, and for context switches of their CTAs.",
      series: dram(),
      top: peakOf(peaks.dram_bytes_per_cycle && peaks.dram_bytes_per_cycle * gigabytes, "peak"),
    },
    {
      ...USUAL,
      key: "demand",
      title: "NoC demand",
      name: "NoC demand",
      unit: "× sustainable",
      sum: true,
      doc: "Replies to the reads that waited in L1D miss queues or came to them, over what the NoC can sustain as CCBP has it (§3, Fig. 3). Above 1, reads wait.",
      series: sustainable === null ? [] : perKernel("noc_demand_bytes", "cycles", 1 / sustainable),
      top: peakOf(1, "sustainable"),
    },
    {
      ...USUAL,
      key: "latency",
      title: "Memory latency",
      name: "latency",
      unit: "cycles",
      each: true,
      doc: "Core cycles from entering the L1D miss queue to the reply's arrival, mean over the read replies of the window. A gap where none arrived.",
      series: perKernel("latency_sum", (k) => [find("latency_count", k)].filter((c) => c >= 0)),
    },
    {
      ...USUAL,
      key: "stalls",
      title: "Issue slots",
      name: "issue slots",
      unit: "%",
      doc: "What the warp schedulers did: issued for a kernel, or the one cause that each idle scheduler-cycle is charged to.",
      series: [...issues, ...stalled(causes)],
      top: { value: 100, label: "" },
    },
    ...issues.flatMap((own): LaneSpec[] => {
      const kernel = own.kernel ?? 0,
        name = kernels[kernel] ?? "",
        mine = causesOf(kernel);
      return mine.length === 0
        ? []
        : [
            {
              ...USUAL,
              key: `stalls.${kernel}`,
              title: `Issue slots of ${name}`,
              name: `${name} slots`,
              unit: "%",
              doc: `When ${name} issued, and, while a scheduler issued nothing, what kept the warps of ${name} that it has. In what is left, other kernels issued, or the scheduler had no warp of ${name}.`,
              series: [own, ...stalled(mine)],
              top: { value: 100, label: "" },
            },
          ];
    }),
    {
      ...USUAL,
      key: "ctas",
      title: "Resident CTAs",
      name: "CTAs",
      sum: true,
      doc: "CTAs resident on all SMs, mean over the window, by kernel.",
      series: perKernel("cta_cycles", "cycles"),
    },
    {
      ...USUAL,
      key: "quota",
      title: "Quota left",
      name: "quota",
      unit: "instructions",
      each: true,
      doc: "What is left of the quotas of each kernel, over all SMs on which something is left, mean of the ends of windows. A refill lifts it.",
      series: perKernel("quota_left", "cycles", layout.window),
    },
  ];
  return all.filter((one) => one.series.length > 0);
}

/** A value for each series and bucket; NaN where there is no data. */
export function evaluate(spec: Pick<LaneSpec, "series">, store: WindowStore, edges: Int32Array): Float64Array[] {
  const n = Math.max(0, edges.length - 1);
  return spec.series.map((series) => {
    const out = new Float64Array(n);
    for (let i = 0; i < n; i++) out[i] = ratio(series, store, edges[i] as number, edges[i + 1] as number);
    return out;
  });
}

function ratio(series: SeriesSpec, store: WindowStore, from: number, to: number): number {
  let over = 0;
  for (const c of series.over) over += store.sum(c, from, to);
  // What is counted at two places may pass one of them in the next window.
  for (const c of series.less ?? []) over = Math.max(0, over - store.sum(c, from, to));
  let under = 0;
  if (series.under === "cycles") under = store.covered(from, to);
  else for (const c of series.under) under += store.sum(c, from, to);
  return under > 0 ? (series.scale * over) / under : NaN;
}

/** Means of each series between two cycles, of whole windows; NaN where there is none. A range inside one window is that window. */
export function means(spec: Pick<LaneSpec, "series">, store: WindowStore, from: number, to: number): number[] {
  const first = store.edgeAt(from);
  let last = store.edgeAt(to);
  if (last <= first || store.cycle(last) < to) last = Math.min(store.count - 1, Math.max(first + 1, last + 1));
  const inside = !store.empty && last > first && from < store.lastCycle && to > store.firstCycle;
  return spec.series.map((series) => (inside ? ratio(series, store, first, last) : NaN));
}

/** A row for each stretch of so many cycles; the run that has come farthest gives the rows. */
export function timeTable(
  title: string,
  stores: readonly WindowStore[],
  { from, to }: Zoom,
  resolution: number,
  columns: readonly Column[],
  cells: (from: number, to: number) => number[],
): Tabular {
  const store = stores.reduce((most, one) => (one.lastCycle > most.lastCycle ? one : most));
  const edges = [...store.buckets(from, to, resolution)].map((edge) => store.cycle(edge));
  return {
    title,
    columns: [{ key: "start", title: "From", unit: "cycle" }, { key: "end", title: "To", unit: "cycle" }, ...columns],
    rows: edges.slice(1).map((end, i) => {
      const start = edges[i] as number;
      return [start, end, ...cells(start, end).map((v) => (Number.isFinite(v) ? v : null))];
    }),
  };
}

/** Running sums over the series: `out[s][i]` is the top of series s. A bucket without any data stays NaN. */
export function stack(values: readonly Float64Array[]): Float64Array[] {
  const n = values[0]?.length ?? 0;
  const below = new Float64Array(n);
  const any = new Uint8Array(n);
  for (const v of values) for (let i = 0; i < n; i++) if (Number.isFinite(v[i])) any[i] = 1;
  return values.map((v) => {
    const top = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const here = v[i] as number;
      if (Number.isFinite(here)) below[i] = (below[i] as number) + here;
      top[i] = any[i] ? (below[i] as number) : NaN;
    }
    return top;
  });
}

/** The largest finite number; 0 if there is none. */
export function largest(values: readonly Float64Array[]): number {
  let most = 0;
  for (const v of values) for (const x of v) if (x > most) most = x;
  return most;
}

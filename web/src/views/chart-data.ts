// What the charts show: which columns, divided by what, in which unit. No drawing, no DOM.
import type { WindowsLayout, Zoom } from "../types.ts";
import type { Column, Tabular } from "./tabular.ts";
import type { WindowStore } from "./window-store.ts";

export interface SeriesSpec {
  name: string;
  doc: string;
  /** Colour: a kernel's or a stall cause's. */
  kernel: number | null;
  stall: number | null;
  /** Columns that are summed, and those that are taken off. */
  over: number[];
  less?: number[];
  /** It is named only where there has been any. */
  rare?: boolean;
  /** Divided by the cycles, or by the sum of these columns. */
  under: "cycles" | number[];
  scale: number;
}

export interface ChartSpec {
  key: string;
  title: string;
  /** What the vertical axis says. */
  unit: string;
  doc: string;
  /** Stacked areas, or a line for each series. */
  kind: "stack" | "lines";
  series: SeriesSpec[];
  /** A line at what the hardware can do; also the end of the axis when `full`. */
  peak: { value: number; label: string; full: boolean } | null;
  /** The same values in a second unit, so many of it for one of the first. */
  also: { unit: string; scale: number } | null;
  /** What the sum of a stack is called in the readout; empty where it says nothing. */
  total: string;
  /** It is shown only when it is asked for. */
  extra?: boolean;
}

/** The charts that a layout has columns for, in the order of the page. */
export function chartSpecs(
  layout: WindowsLayout,
  kernels: readonly string[],
  stalls: readonly { key: string; title: string; doc: string }[] = [],
): ChartSpec[] {
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
  const peakOf = (value: number | null, label: string, full: boolean): ChartSpec["peak"] =>
    value !== null && value > 0 ? { value, label, full } : null;

  // Context switches of all kernels are one part: what a kernel itself moves is the rest.
  const dram = (): SeriesSpec[] => {
    const contexts = perKernel("dram_context_bytes", "cycles"),
      own = perKernel("dram_bytes", "cycles");
    const of = contexts[0];
    return of === undefined
      ? own
      : [
          ...own.map((series, k) => ({ ...series, less: contexts[k]?.over ?? [] })),
          { ...of, name: "context switches", kernel: null, over: contexts.flatMap(({ over }) => over), rare: true },
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
    columns.map((column, i) => {
      const key = (layout.columns[column]?.key ?? "").slice("stall.".length);
      const info = stalls.find((s) => s.key === key);
      return {
        name: info?.title ?? layout.columns[column]?.title ?? key,
        doc: info?.doc ?? doc(column),
        kernel: null,
        stall: i,
        over: [column],
        under: slots,
        scale: 100,
      };
    });

  // Bytes a cycle at so many million cycles a second, in thousands of a million bytes a second.
  const gigabytes = { unit: "GB/s", scale: layout.core_mhz / 1000 };

  const charts: ChartSpec[] = [
    {
      key: "noc",
      title: "NoC reply bandwidth",
      unit: "bytes / cycle",
      kind: "stack",
      total: "all",
      doc: "Bytes of replies that crossed the NoC from L2 to the SMs, per core cycle, by kernel; at the core clock, GB/s.",
      series: perKernel("noc_bytes", "cycles"),
      peak: peakOf(peaks.noc_bytes_per_cycle, "peak", true),
      also: gigabytes,
    },
    {
      key: "demand",
      title: "NoC demand",
      unit: "× sustainable",
      kind: "stack",
      total: "all",
      extra: true,
      doc: "Replies to the reads that waited in L1D miss queues or came to them, over what the NoC can sustain as CCBP has it (§3, Fig. 3). Above 1, reads wait.",
      series: sustainable === null ? [] : perKernel("noc_demand_bytes", "cycles", 1 / sustainable),
      peak: peakOf(1, "sustainable", true),
      also: null,
    },
    {
      key: "dram",
      title: "DRAM bandwidth",
      unit: "bytes / cycle",
      kind: "stack",
      total: "all",
      doc: "Bytes on the DRAM data buses, per core cycle, by kernel, and for context switches of their CTAs; at the core clock, GB/s.",
      series: dram(),
      peak: peakOf(peaks.dram_bytes_per_cycle, "peak", true),
      also: gigabytes,
    },
    {
      key: "ipc",
      title: "IPC",
      unit: "thread instructions / cycle",
      kind: "lines",
      total: "",
      doc: "Thread instructions executed per core cycle over the whole GPU, by kernel.",
      series: perKernel("thread_instructions", "cycles"),
      peak: null,
      also: null,
    },
    {
      key: "latency",
      title: "Memory latency",
      unit: "cycles, mean of read replies",
      kind: "lines",
      total: "",
      doc: "Core cycles from entering the L1D miss queue to the reply's arrival, mean over the read replies of the window. A gap where none arrived.",
      series: perKernel("latency_sum", (k) => [find("latency_count", k)].filter((c) => c >= 0)),
      peak: null,
      also: null,
    },
    {
      key: "stalls",
      title: "Issue slots",
      unit: "% of scheduler-cycles",
      kind: "stack",
      total: "",
      doc: "What the warp schedulers did: issued for a kernel, or the one cause that each idle scheduler-cycle is charged to.",
      series: [...issues, ...stalled(causes)],
      peak: null,
      also: null,
    },
    {
      key: "ctas",
      title: "Resident CTAs",
      unit: "CTAs on the GPU",
      kind: "stack",
      total: "all",
      doc: "CTAs resident on all SMs, mean over the window, by kernel.",
      series: perKernel("cta_cycles", "cycles"),
      peak: null,
      also: null,
    },
    {
      key: "quota",
      title: "Quota left",
      unit: "instructions",
      kind: "lines",
      total: "",
      extra: true,
      doc: "What is left of the quotas of each kernel, over all SMs on which something is left, mean of the ends of windows. A refill lifts it.",
      series: perKernel("quota_left", "cycles", layout.window),
      peak: null,
      also: null,
    },
    ...issues.flatMap((own): ChartSpec[] => {
      const kernel = own.kernel ?? 0,
        name = kernels[kernel] ?? "",
        mine = causesOf(kernel);
      return mine.length === 0
        ? []
        : [
            {
              key: `stalls.${kernel}`,
              title: `Issue slots of ${name}`,
              unit: "% of scheduler-cycles",
              kind: "stack",
              total: "",
              extra: true,
              doc: `When ${name} issued, and, while a scheduler issued nothing, what kept the warps of ${name} that it has. In what is left, other kernels issued, or the scheduler had no warp of ${name}.`,
              series: [own, ...stalled(mine)],
              peak: null,
              also: null,
            },
          ];
    }),
  ];
  return charts.filter((c) => c.series.length > 0);
}

/** A value for each series and bucket; NaN where there is no data. */
export function evaluate(spec: ChartSpec, store: WindowStore, edges: Int32Array): Float64Array[] {
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
export function means(spec: ChartSpec, store: WindowStore, from: number, to: number): number[] {
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

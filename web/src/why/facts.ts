// What a run's result says of who suffers and why, as plain data: for each kernel how much slower it is, what its warps wait for, where its reads
// wait, and which part of each shared place is its own. No DOM.
import type { Controls, KernelResult, Result } from "../types.ts";

/** Where a read may wait, from L1D to DRAM and back: the parts of its latency. */
export const STATIONS = ["miss_queue", "request_noc", "l2", "dram", "reply_noc"] as const;
export type Station = (typeof STATIONS)[number];

/** Of all cycles of a kernel's resident warps, the part in which they wait for memory, wait for the load-store unit, issue, and do anything else. */
export interface Waits {
  memory: number;
  lsu: number;
  issues: number;
  other: number;
}

/** Of the cycles in which a scheduler with warps of a kernel issues nothing, the part in which they are ready and their quota is used up, in which they wait for memory, for the load-store unit, and for anything else. */
export interface Stalls {
  quota: number;
  memory: number;
  lsu: number;
  other: number;
}

export interface KernelFacts {
  name: string;
  /** Times slower than alone; Infinity for a kernel that has got nothing, null while that is not known. */
  slowdown: number | null;
  /** Whether it is promised anything. */
  promised: boolean;
  /** Of the IPC that it is promised, the part that it has; null without a goal, and while that is not known. */
  reached: number | null;
  /** Why it has got nothing; empty where it has. */
  starved: string;
  waits: Waits | null;
  stalls: Stalls | null;
  /** Mean core cycles of a read that misses L1D, and of these in each station. */
  latency: number | null;
  stations: Record<Station, number> | null;
  /** Of all entries of a station that are taken, the part that is this kernel's: by Little's law its part of all cycles that reads have spent there. */
  holds: Record<Station, number | null>;
  /** Of the flits of the reply NoC, and of the lines that DRAM has moved, the part that is this kernel's. */
  flits: number | null;
  lines: number | null;
  /** Of all lines that DRAM has moved, the part that is registers and shared memory of this kernel's CTAs, on their way by a context switch. */
  contexts: number | null;
  /** Of all issue slots, the part in which it issued. */
  slots: number | null;
  /** CTAs on an SM, the mean of all SMs and cycles; and how many one holds of this kernel alone. */
  ctas: number | null;
  room: number | null;
}
export interface Facts {
  cycles: number;
  scheme: string;
  kernels: KernelFacts[];
  /** Parts of the peaks of reply NoC, DRAM and issue slots that are in use. */
  noc: number | null;
  dram: number | null;
  slots: number | null;
}

const share = (a: number, b: number): number | null => (b > 0 ? a / b : null);
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

/** A counter of the engine's registry; 0 for one that it does not have. */
function counter(kernel: KernelResult, key: string): number {
  return number((kernel["counters"] as Record<string, unknown> | undefined)?.[key]) ?? 0;
}

/** `controls`: as the machine reads them. `room`: CTAs of each kernel that an SM holds. */
export function factsOf(
  result: Result,
  scheme: string,
  controls: Controls | null,
  room: readonly (number | null)[],
): Facts {
  const { kernels } = result,
    schedulerCycles = number(result.gpu["scheduler_cycles"]) ?? 0;
  const all = (key: string): number => sum(kernels.map((kernel) => counter(kernel, key)));
  const flits = (kernel: KernelResult): number =>
    counter(kernel, "noc_reply_flits") + counter(kernel, "noc_acknowledgement_flits");
  const lines = (kernel: KernelResult): number => counter(kernel, "dram_reads") + counter(kernel, "dram_writes");
  const contexts = (kernel: KernelResult): number =>
    counter(kernel, "context_lines_out") + counter(kernel, "context_lines_in");
  const allFlits = sum(kernels.map(flits)),
    allLines = sum(kernels.map(lines));
  const each = <T>(of: (station: Station) => T): Record<Station, T> =>
    Object.fromEntries(STATIONS.map((station) => [station, of(station)])) as Record<Station, T>;
  return {
    cycles: result.cycles,
    scheme,
    noc: number(result.gpu["noc_utilisation_all"]) ?? number(result.gpu["noc_utilisation"]),
    dram: number(result.gpu["dram_utilisation"]),
    slots: share(all("warp_instructions"), schedulerCycles),
    kernels: kernels.map((kernel, k): KernelFacts => {
      const warps = counter(kernel, "warp_cycles"),
        memory = counter(kernel, "warps_wait_memory"),
        lsu = counter(kernel, "warps_wait_lsu"),
        issues = counter(kernel, "warp_instructions");
      const reads = counter(kernel, "latency_count"),
        starved = whyStarved(result, k, scheme, controls);
      return {
        name: kernel.name,
        starved,
        slowdown: slowdownOf(result, k),
        promised: "goal_ipc" in kernel,
        reached: number(kernel["goal_reached"]),
        waits:
          warps > 0
            ? {
                memory: memory / warps,
                lsu: lsu / warps,
                issues: issues / warps,
                other: (warps - memory - lsu - issues) / warps,
              }
            : null,
        stalls: stallsOf(kernel),
        latency: share(counter(kernel, "latency_sum"), reads),
        stations: reads > 0 ? each((station) => counter(kernel, `wait_${station}`) / reads) : null,
        holds: each((station) => share(counter(kernel, `wait_${station}`), all(`wait_${station}`))),
        flits: share(flits(kernel), allFlits),
        lines: share(lines(kernel), allLines),
        contexts: share(contexts(kernel), allLines),
        slots: share(issues, schedulerCycles),
        ctas: number(kernel["ctas_per_sm"]),
        room: room[k] ?? null,
      };
    }),
  };
}

/** Nothing where no scheduler has stalled. */
function stallsOf({ stalls }: KernelResult): Stalls | null {
  const part = (key: string): number | null => number((stalls as Record<string, unknown> | undefined)?.[key]);
  const [quota, memory, lsu] = [part("quota"), part("raw_long"), part("lsu_full")];
  return quota === null || memory === null || lsu === null
    ? null
    : { quota, memory, lsu, other: Math.max(0, 1 - quota - memory - lsu) };
}

/** Cycles after which a kernel that has issued nothing is starved: a window. Before, it has only just been launched. */
const SOON = 400;

/** Why a kernel has got nothing until now, as far as the controls are known; empty for one that has got something. */
export function whyStarved(result: Result, k: number, scheme: string, controls: Controls | null): string {
  const kernel = result.kernels[k];
  if (!kernel || result.cycles < SOON || kernel.thread_instructions !== 0) return "";
  if (counter(kernel, "ctas_launched") > 0) return "its CTAs have not issued an instruction yet";
  const from = number(result["measured_from"]) ?? 0;
  const none = `no CTA placed since cycle ${from.toLocaleString("en")}`;
  if (controls === null) return none;
  const ranks = listed(controls, "dispatch_rank"),
    before = ranks.findIndex((rank, j) => j !== k && rank < (ranks[k] ?? 0));
  if (listed(controls, "cta_target")[k] === 0) return `${none}: ${scheme} lets it hold none`;
  if (before >= 0)
    return `${none}: ${scheme} gives ${kernel.name} room only when ${result.kernels[before]?.name ?? "the kernel before it"} has none left to place`;
  return `${none}: no SM has had room for one`;
}

/** It has got nothing: no number is missing, the number is known. */
export const isStarved = (result: Result, k: number): boolean => whyStarved(result, k, "", null) !== "";

/** Times slower than alone; Infinity for a kernel that has got nothing. */
export function slowdownOf(result: Result, k: number): number | null {
  return isStarved(result, k) ? Infinity : number(result.kernels[k]?.slowdown);
}

/** A figure of the mix. Where a kernel has got nothing, its progress is 0, and the figure is what its formula makes of that. */
export function mixFigure(result: Result, key: string): number | null {
  const starved = result.kernels.map((_, k) => isStarved(result, k));
  if (!starved.includes(true)) return number(result.metrics?.[key]);
  switch (key) {
    case "hspeedup":
    case "fairness":
      return 0;
    case "antt":
      return Infinity;
    case "stp":
    case "wspeedup":
      return number(
        sum(
          result.kernels.map(({ slowdown }, k) => (starved[k] ? 0 : typeof slowdown === "number" ? 1 / slowdown : NaN)),
        ),
      );
    default:
      return null;
  }
}

/** A control's values by kernel, where it has the same on all SMs. */
function listed(controls: Controls | null, key: string): number[] {
  const value = controls?.[key];
  return Array.isArray(value) ? value.map((v) => (typeof v === "number" ? v : Infinity)) : [];
}

/** CTAs of each kernel's first launch that an SM holds, as the engine explains it; null where the SMs differ. */
export function roomOf(explained: unknown): (number | null)[] {
  const kernels =
    (explained as { kernels?: { occupancy?: { launch: number; ctas_per_sm: number }[] }[] } | null)?.kernels ?? [];
  return kernels.map(({ occupancy = [] }) => {
    const first = occupancy.filter(({ launch }) => launch === 0);
    return first.length === 1 ? (first[0]?.ctas_per_sm ?? null) : null;
  });
}

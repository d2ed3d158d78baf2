// Where a kernel's time goes, beside what it takes alone: as numbers of a result. No DOM.
import { fixed } from "../format.ts";
import { hasGoal } from "../goal.ts";
import { interval } from "../sure.ts";
import type { Interval, KernelResult, Result } from "../types.ts";
import type { RunSide } from "./model.ts";
import { counter, finite, hasCounters, mixFigure, slowdownOf, whyStarved } from "./starved.ts";

type Breakdown = NonNullable<Result["kernels"][number]["breakdown_alone"]>;

/** The stations of a read that misses L1D, in its order. */
export const STATIONS = [
  { key: "miss_queue", name: "SM’s miss queue", doc: "In L1D's miss queue and its arbiter." },
  { key: "request_noc", name: "request network", doc: "In the request network and its queues." },
  { key: "l2", name: "L2 bank", doc: "In L2: queue, lookup, pipeline and reply port." },
  { key: "dram", name: "DRAM", doc: "Waiting for DRAM, merged requests included; a mean over all reads." },
  { key: "reply_noc", name: "reply network", doc: "In the reply network and its queues." },
] as const satisfies readonly { key: keyof Breakdown; name: string; doc: string }[];
export type StationKey = (typeof STATIONS)[number]["key"];

/** Where a kernel's time goes in this run, by the engine's own formulas; null where it has issued nothing, or nothing was counted. */
export function breakdownOf({ kernels, cycles }: Result, k: number): Breakdown | null {
  const kernel = kernels[k];
  if (!kernel) return null;
  if (kernel["breakdown"]) return kernel["breakdown"] as Breakdown;
  const of = (key: string): number => counter(kernel, key),
    instructions = of("warp_instructions"),
    reads = of("latency_count");
  if (instructions === 0 || cycles === 0) return null;
  const part = (sum: number, whole: number): number => (whole > 0 ? sum / whole : 0),
    memory = of("warps_wait_memory"),
    lsu = of("warps_wait_lsu");
  return {
    warps: of("warp_cycles") / cycles,
    memory: memory / instructions,
    lsu: lsu / instructions,
    other: (of("warp_cycles") - memory - lsu) / instructions,
    miss_queue: part(of("wait_miss_queue"), reads),
    request_noc: part(of("wait_request_noc"), reads),
    l2: part(of("wait_l2"), reads),
    dram: part(of("wait_dram"), reads),
    reply_noc: part(of("wait_reply_noc"), reads),
    l1_hit_rate: part(of("l1_hits"), of("l1_reads")),
    l2_miss_rate: part(of("l2_misses"), of("l2_reads") + of("l2_writes")),
  };
}

/** The kernel that a side's verdict is about; where it names none, the slowest. */
export function subject({ result }: RunSide): number {
  if (!result) return 0;
  const slowdowns = result.kernels.map((_, k) => slowdownOf(result, k) ?? 0);
  return result.verdict?.sufferer ?? slowdowns.indexOf(Math.max(...slowdowns));
}

/** Of all that reads have waited in a station, the part of each kernel: by Little's law, its part of the entries there. */
export function held({ kernels }: Result, station: StationKey): number[] {
  const waits = kernels.map((kernel) => counter(kernel, `wait_${station}`)),
    all = waits.reduce((a, b) => a + b, 0);
  return waits.map((wait) => (all > 0 ? wait / all : 0));
}

// ---------------------------------------------------------------- the path of a read

export interface StationWait {
  key: StationKey;
  name: string;
  /** Core cycles of a read there. */
  here: number;
  alone: number | null;
}
export interface ReadPath {
  mark: string;
  kernel: number;
  name: string;
  /** Empty where nothing is known. */
  stations: StationWait[];
  here: number | null;
  alone: number | null;
  /** Why a number is missing; empty where none is. */
  why: string;
  /** Whom its reads wait behind. */
  behind: { kernel: number; name: string } | null;
}

/** The path of a read of the kernel that suffers in the first side; of each side that has it, else of the one that suffers there. */
export function paths(sides: readonly RunSide[]): ReadPath[] {
  const first = sides[0] && subject(sides[0]),
    name = sides[0]?.kernels[first ?? 0];
  return sides.map((side) => {
    const same = first !== undefined && side.kernels[first] === name ? first : side.kernels.indexOf(name ?? "");
    return pathOf(side, same < 0 ? subject(side) : same);
  });
}

function pathOf({ mark, kernels, result }: RunSide, k: number): ReadPath {
  const name = kernels[k] ?? "",
    none = { mark, kernel: k, name, stations: [], here: null, alone: null, behind: null };
  if (!result) return { ...none, why: "nothing is known yet" };
  const { latency, breakdown_alone: alone = null } = result.kernels[k] ?? {},
    one = kernels.length < 2;
  const stations = STATIONS.map(({ key, name: station }) => ({
    key,
    name: station,
    here: finite(latency?.[key]),
    alone: alone?.[key] ?? null,
  }));
  const total = (of: "here" | "alone"): number => stations.reduce((all, station) => all + (station[of] ?? 0), 0);
  const allAlone = alone && total("alone");
  if (stations.some(({ here }) => here === null))
    return { ...none, alone: allAlone, why: `no read of ${name} has come back` };
  const by = behind(result, k);
  return {
    ...none,
    stations: stations as StationWait[],
    here: total("here"),
    alone: allAlone,
    why: alone || one ? "" : `what ${name} takes alone is not known yet`,
    behind: by === null ? null : { kernel: by, name: kernels[by] ?? "" },
  };
}

/** The kernel that fills the place which the verdict names; where it names none, the other one whose reads wait longest in all. */
function behind({ verdict, kernels }: Result, k: number): number | null {
  const { sufferer, filled_by: by, cause } = verdict ?? {};
  if (sufferer === k && by != null && (cause === "noc" || cause === "dram")) return by;
  const others = kernels.map((_, j) => j).filter((j) => j !== k),
    waits = (j: number): number => counter(kernels[j] as KernelResult, "latency_sum");
  if (others.length > 1 && !kernels.every(hasCounters)) return null;
  return others.reduce<number | null>((most, j) => (most === null || waits(j) > waits(most) ? j : most), null);
}

// ---------------------------------------------------------------- bars

/** What a bar shows: how many times slower than alone, the part of a promise that is kept, or the reads that L1D has. */
export type BarKind = "slow" | "kept" | "found";
export interface Bar {
  kernel: number;
  name: string;
  kind: BarKind;
  /** Infinity for a kernel that gets nothing. */
  value: number | null;
  ends: Interval;
  /** Why there is no value, or why it is endless; empty else. */
  why: string;
}
/** What is said of all bars of a kind. */
export const BARS: Record<BarKind, { title: string; format(value: number | null | undefined): string; least: number }> =
  {
    slow: {
      title: "How much slower than alone",
      format: (value) => fixed(value, (value ?? 0) >= 99.5 && value !== Infinity ? 0 : 1),
      least: 2,
    },
    kept: { title: "Part of the promise kept", format: (value) => fixed(times(value, 100), 0), least: 1.25 },
    found: { title: "Reads found in L1D", format: (value) => fixed(times(value, 100), 0), least: 1 },
  };
const times = (value: number | null | undefined, by: number): number | null | undefined => value && value * by;

/** A bar for each kernel of a side. */
export function bars({ experiment, kernels, result, alone }: RunSide): Bar[] {
  return kernels.map((name, kernel) => {
    const of = result?.kernels[kernel],
      choice = experiment.kernels[kernel];
    const kind: BarKind =
      choice !== undefined && hasGoal(choice) ? "kept" : result?.verdict?.question === "reuse" ? "found" : "slow";
    const key = { slow: "slowdown", kept: "goal_reached", found: "l1_hit_rate" }[kind],
      value = result && (kind === "slow" ? slowdownOf(result, kernel) : finite(of?.[key]));
    const why =
      value === null
        ? alone?.[kernel] || "not known yet"
        : value === Infinity && result
          ? whyStarved(result, kernel, "", null)
          : "";
    return { kernel, name, kind, value, ends: interval(result?.ci95?.kernels[kernel], key), why };
  });
}

/** The value at the end of the bars of each kind: all sides have one scale. */
export function tops(all: readonly Bar[]): Record<BarKind, number> {
  const top = (kind: BarKind): number => {
    const values = all.flatMap(({ kind: of, value }) =>
      of === kind && value !== null && value < Infinity ? [value] : [],
    );
    return Math.max(BARS[kind].least, ...values);
  };
  return { slow: top("slow"), kept: top("kept"), found: top("found") };
}

/** The figures of merit at the end of a row of bars; none for one kernel. */
export const MERITS = [
  { key: "hspeedup", name: "speedup", doc: "Harmonic speedup: the harmonic mean of the kernels' progress" },
  { key: "stp", name: "throughput", doc: "System throughput: the sum of the kernels' progress" },
] as const;
export function merits({
  result,
  kernels,
}: RunSide): { name: string; doc: string; value: number | null; ends: Interval }[] {
  if (kernels.length < 2) return [];
  return MERITS.map(({ key, name, doc }) => ({
    name,
    doc,
    value: result && mixFigure(result, key),
    ends: interval(result?.ci95?.metrics, key),
  }));
}

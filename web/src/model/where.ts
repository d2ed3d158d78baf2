// Where a kernel's time goes, beside what it takes alone: as numbers of a result. No DOM.
import { isApart } from "./choices.ts";
import { count, finite } from "./format.ts";
import { interval } from "./interval-text.ts";
import type { IntervalsOf, KernelResult, Result } from "./types.ts";
import type { RunSide } from "./model.ts";
import { ALIKE } from "./bars.ts";
import { counter, hasCounters, isClose, slowdownOf } from "./figures.ts";

type Breakdown = NonNullable<Result["kernels"][number]["breakdown_alone"]>;

/** The stations of a read that misses L1D, in its order. */
export const STATIONS = [
  { key: "miss_queue", name: "SM’s miss queue", short: "miss queue", doc: "In L1D's miss queue and its arbiter." },
  { key: "request_noc", name: "request network", short: "request", doc: "In the request network and its queues." },
  { key: "l2", name: "L2 bank", short: "L2", doc: "In L2: queue, lookup, pipeline and reply port." },
  {
    key: "dram",
    name: "DRAM",
    short: "DRAM",
    doc: "Waiting for DRAM, merged requests included; a mean over all reads.",
  },
  { key: "reply_noc", name: "reply network", short: "reply", doc: "In the reply network and its queues." },
] as const satisfies readonly { key: keyof Breakdown; name: string; short: string; doc: string }[];
type StationKey = (typeof STATIONS)[number]["key"];

/** The kernel that a side's verdict is about; where it names none, the slowest. */
export function subject({ result }: RunSide): number {
  if (!result) return 0;
  const slowdowns = result.kernels.map((_, k) => slowdownOf(result, k) ?? 0);
  return result.verdict?.sufferer ?? slowdowns.indexOf(Math.max(...slowdowns));
}

// ---------------------------------------------------------------- the path of a read

interface StationWait {
  key: StationKey;
  name: string;
  short: string;
  /** Whole core cycles of a read there: those of all stations add up to the path's. */
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

function pathOf(side: RunSide, k: number): ReadPath {
  const { mark, kernels, result } = side;
  const name = kernels[k] ?? "",
    none = { mark, kernel: k, name, stations: [], here: null, alone: null, behind: null };
  if (!result) return { ...none, why: "nothing is known yet" };
  const { latency, breakdown_alone: alone = null } = result.kernels[k] ?? {},
    one = kernels.length < 2;
  const whole = (cycles: number | null | undefined): number | null => {
    const known = finite(cycles);
    return known === null ? null : Math.round(known);
  };
  const stations = STATIONS.map(({ key, name: station, short }) => ({
    key,
    name: station,
    short,
    here: whole(latency?.[key]),
    alone: whole(alone?.[key]),
  }));
  const total = (of: "here" | "alone"): number => stations.reduce((all, station) => all + (station[of] ?? 0), 0);
  const allAlone = alone && total("alone");
  if (stations.some(({ here }) => here === null))
    return { ...none, alone: allAlone, why: `no read of ${name} has come back` };
  // What a run's first reads take says nothing beside what they take alone.
  const means = result.ci95?.kernels[k]?.["latency"] as IntervalsOf | undefined,
    ends = interval(means, "mean");
  if (allAlone !== null && means && !isClose(total("here"), ends)) {
    const range = ends ? `${ends.map((end) => count(Math.round(end))).join("–")} cycles: ` : "";
    return { ...none, alone: allAlone, why: `${range}the run is too short to say` };
  }
  const by = behind(side, k);
  return {
    ...none,
    stations: stations as StationWait[],
    here: total("here"),
    alone: allAlone,
    why: alone || one ? "" : `what ${name} takes alone is not known yet`,
    behind: by === null ? null : { kernel: by, name: kernels[by] ?? "" },
  };
}

/** The other kernel whose reads wait longest in all. Null where reads meet no other kernel's, and where neighbours cost nothing. */
function behind({ experiment, kernels: names, result }: RunSide, k: number): number | null {
  const { kernels = [] } = result ?? {};
  if (isApart(experiment)) return null;
  if ((finite(kernels[k]?.neighbour_cost) ?? Infinity) <= ALIKE) return null;
  const others = names.map((_, j) => j).filter((j) => j !== k),
    waits = (j: number): number => counter(kernels[j] as KernelResult, "latency_sum");
  if (others.length > 1 && !kernels.every(hasCounters)) return null;
  return others.reduce<number | null>((most, j) => (most === null || waits(j) > waits(most) ? j : most), null);
}

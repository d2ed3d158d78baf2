// A stretch of a run in numbers: what a result says at its end, less what it said where the stretch begins. What comes from other runs (shares, causes)
// and intervals are of whole runs, and are left out. No DOM.
import { count, finite } from "./format.ts";
import type { KernelResult, Part, Result, Zoom } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Means over the cycles that are measured. */
const OVER_CYCLES = [
  "ipc",
  "noc_utilisation",
  "noc_utilisation_all",
  "dram_utilisation",
  "l2_gb_s",
  "dram_gb_s",
  "throughput",
  "ctas_per_sm",
  "warps",
];
/** Means over what is counted; stations of a read are over its replies. */
const OVER: Readonly<Record<string, readonly string[]>> = {
  l1_hit_rate: ["l1_reads"],
  l2_miss_rate: ["l2_reads", "l2_writes"],
  dram_row_hit_rate: ["dram_reads", "dram_writes"],
  rf: ["requests"],
  df: ["replies"],
  load: ["loads_done"],
  memory: ["warp_instructions"],
  lsu: ["warp_instructions"],
  other: ["warp_instructions"],
};
for (const key of ["mean", "miss_queue", "request_noc", "l2", "dram", "reply_noc", "l1_to_l2", "l2_to_dram"])
  Object.assign(OVER, { [key]: ["latency_count"] });
/** Sums. */
const SUMS = ["thread_instructions", "warp_instructions", "ctas_done", "runs_done"];

/** All that is counted of a kernel, or of several. */
function counted(kernels: readonly KernelResult[]): Fields {
  const all: Record<string, number> = {};
  for (const { counters } of kernels)
    for (const [key, n] of Object.entries(counters ?? {})) all[key] = (all[key] ?? 0) + (finite(n) ?? 0);
  return all;
}
/** What a part of a result says of the cycles between; what is not known of these is null. */
function between(
  before: Fields,
  after: Fields,
  cycles: readonly [number, number],
  counts: readonly [Fields, Fields],
): Fields {
  const over = (key: string): readonly [number, number] | null => {
    if (OVER_CYCLES.includes(key)) return cycles;
    const keys = OVER[key];
    const sum = (of: Fields): number => (keys ?? []).reduce((all, one) => all + (finite(of[one]) ?? 0), 0);
    return keys ? [sum(counts[0]), sum(counts[1])] : null;
  };
  return Object.fromEntries(
    Object.entries(after).map(([key, value]): [string, unknown] => {
      const is = finite(value),
        was = finite(before[key]) ?? 0;
      if (SUMS.includes(key)) return [key, (is ?? 0) - was];
      const span = over(key);
      if (!span) return [key, typeof value === "string" || key === "breakdown_alone" ? value : null];
      const [first, last] = span;
      return [key, is === null || last <= first ? null : Math.max(0, (is * last - was * first) / (last - first))];
    }),
  );
}

const measured = (result: Result | null): number =>
  typeof result?.measured_from === "number" ? result.cycles - result.measured_from : 0;

/** `begun`: what the run said where the stretch begins; null where that is its start. */
export function ofStretch(begun: Result | null, ended: Result, { from, to }: Zoom): Result {
  const cycles = [measured(begun), measured(ended)] as const;
  const kernels = ended.kernels.map((after, k): KernelResult => {
    const before = begun?.kernels[k],
      counts = [counted(before ? [before] : []), counted([after])] as const;
    const part = (key: "latency" | "breakdown"): Fields =>
      between(before?.[key] ?? {}, after[key] ?? {}, cycles, counts);
    const of = between({ ...before }, { ...after }, cycles, counts) as KernelResult,
      ipc = finite(of.ipc),
      alone = finite(after.ipc_alone),
      goal = finite(after.goal_ipc);
    return {
      ...of,
      ipc_alone: alone,
      slowdown: alone !== null && ipc ? alone / ipc : null,
      ...(after.goal_ipc === undefined
        ? {}
        : { goal_ipc: goal, goal_reached: goal !== null && ipc !== null ? ipc / goal : null }),
      latency: part("latency") as KernelResult["latency"],
      ...(after.breakdown ? { breakdown: part("breakdown") as NonNullable<KernelResult["breakdown"]> } : {}),
      counters: Object.fromEntries(
        Object.entries(counts[1]).map(([key, n]) => [key, (n as number) - (finite(counts[0][key]) ?? 0)]),
      ) as KernelResult["counters"],
    };
  });
  const all = [counted(begun?.kernels ?? []), counted(ended.kernels)] as const,
    slowdowns = kernels.map(({ slowdown }) => finite(slowdown));
  const { because: _because, ci95: _ci95, energy: _energy, ...rest } = ended;
  return {
    ...rest,
    measured_from: Math.max(from, ended.measured_from ?? from),
    kernels,
    gpu: between({ ...begun?.gpu }, { ...ended.gpu }, cycles, all) as Result["gpu"],
    metrics: metricsOf(slowdowns),
    verdict: verdictOf(ended, kernels, { from, to }),
  };
}

/** The figures of the mix, by their formulas. */
function metricsOf(slowdowns: readonly (number | null)[]): Result["metrics"] {
  const known = slowdowns.flatMap((one) => one ?? []),
    sum = known.reduce((a, b) => a + b, 0),
    progress = known.map((one) => 1 / one),
    stp = progress.reduce((a, b) => a + b, 0);
  return known.length < slowdowns.length || known.length === 0
    ? { hspeedup: null, stp: null, wspeedup: null, antt: null, fairness: null }
    : {
        hspeedup: known.length / sum,
        stp,
        wspeedup: stp,
        antt: sum / known.length,
        fairness: Math.min(...progress) / Math.max(...progress),
      };
}

/** Who is how many times slower in these cycles. */
function verdictOf(
  ended: Result,
  kernels: readonly KernelResult[],
  { from, to }: Zoom,
): NonNullable<Result["verdict"]> {
  const slow = kernels
      .map(({ name, slowdown, thread_instructions: did }, kernel) => ({
        kernel,
        name,
        slowdown: did === 0 ? Infinity : finite(slowdown),
      }))
      .sort((a, b) => (b.slowdown ?? 0) - (a.slowdown ?? 0)),
    [most] = slow,
    first = slow.findIndex(({ slowdown }) => slowdown !== Infinity);
  const clauses = slow.flatMap(({ kernel, name, slowdown }, at): Part[] => {
    if (slowdown === null) return [];
    const times = `${slowdown.toFixed(slowdown >= 9.95 ? 1 : 2)} times`,
      begun: Part[] = [...(at > 0 ? [{ text: ", " }] : []), { text: name, kernel }];
    return slowdown === Infinity
      ? [...begun, { text: " gets nothing" }]
      : [
          ...begun,
          { text: at === first ? " is " : " " },
          { text: times, kernel, figure: "slowdown" },
          ...(at === first ? [{ text: " slower than alone" }] : []),
        ];
  });
  return {
    question: ended.verdict?.question ?? "sharing",
    headline: [
      { text: `From cycle ${count(from)} to ${count(to)}, ` },
      ...(clauses.length > 0 ? clauses : [{ text: "it is not known yet how fast the kernels are alone" }]),
      { text: "." },
    ],
    says: [],
    sufferer: most && most.slowdown !== null ? most.kernel : null,
    slowdown: finite(most?.slowdown),
    ci95: null,
    sure: true,
  };
}

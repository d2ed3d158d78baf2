// The bars of the first screen: how much slower each kernel is, the part of its promise that is kept, or what it finds again. No DOM.
import { fixed, finite } from "../format.ts";
import { hasGoal } from "../goal.ts";
import { interval } from "../interval-text.ts";
import type { Interval, Result } from "../types.ts";
import { mixFigure, slowdownOf, whyStarved } from "./figures.ts";
import type { RunSide } from "./model.ts";

/** So many times slower, or less, is as fast, where shares and neighbours are told apart: as the engine's sentence has it. */
export const ALIKE = 1.05;
/** Half of an interval that is close, as a part of its number. */
const CLOSE = 0.25;

/** What a bar shows: how many times slower than alone, the part of a promise that is kept, or the reads that L1D has. */
export type BarKind = "slow" | "kept" | "found";
export interface Bar {
  kernel: number;
  name: string;
  kind: BarKind;
  /** Infinity for a kernel that gets nothing. */
  value: number | null;
  ends: Interval;
  /** How many times slower it is for its share, and whether that is all; null where that is not known, or nothing. */
  share: { cost: number; all: boolean } | null;
  /** What is left of the slowdown with the cure that gives most back, and that in words; null where none does, or nobody has asked. */
  cure: { left: number; says: string } | null;
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

/** What its share costs a kernel, where that is something and its interval is close, as in the engine's sentence. */
function shareOf({ kernels, ci95 }: Result, k: number): Bar["share"] {
  const cost = finite(kernels[k]?.share_cost),
    ends = interval(ci95?.kernels[k], "share_cost");
  return cost !== null && cost > ALIKE && ends !== null && ends[1] - cost <= CLOSE * cost
    ? { cost, all: (finite(kernels[k]?.neighbour_cost) ?? Infinity) <= ALIKE }
    : null;
}

/** A cure gives something back from this factor on: as the engine's sentence has it. */
export const GIVES_BACK = 1.05;

/** What the best cure leaves of a kernel's slowdown. */
function cureOf({ because = [] }: Result, k: number, value: number): Bar["cure"] {
  const one = because.find(({ kernel }) => kernel === k),
    factor = finite(one?.cures[0]?.gives_back);
  return one && factor !== null && factor >= GIVES_BACK ? { left: value / factor, says: one.says } : null;
}

/** A bar for each kernel of a side. */
export function bars({ experiment, kernels, result, alone, origin }: RunSide): Bar[] {
  return kernels.map((name, kernel) => {
    const of = result?.kernels[kernel],
      choice = experiment.kernels[kernel];
    const kind: BarKind =
      choice !== undefined && hasGoal(choice) ? "kept" : result?.verdict?.question === "reuse" ? "found" : "slow";
    const key = { slow: "slowdown", kept: "goal_reached", found: "l1_hit_rate" }[kind],
      known = result && (kind === "slow" ? slowdownOf(result, kernel) : finite(of?.[key])),
      // A factor of a run's first cycles says nothing: of a run that goes on none stands before its interval.
      early = origin === "running" && kind === "slow" && interval(result?.ci95?.kernels[kernel], key) === null,
      value = early && known !== Infinity ? null : known;
    const why =
      value === null
        ? alone?.[kernel] || "not known yet"
        : value === Infinity && result
          ? whyStarved(result, kernel, "", null)
          : "";
    const share = kind === "slow" && value !== null && value < Infinity && result ? shareOf(result, kernel) : null;
    const cure = kind === "slow" && value !== null && value < Infinity && result ? cureOf(result, kernel, value) : null;
    return { kernel, name, kind, value, ends: interval(result?.ci95?.kernels[kernel], key), share, cure, why };
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
const MERITS = [
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

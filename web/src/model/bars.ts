// The bars of the first screen: how much slower each kernel is, the part of its promise that is kept, or what it finds again. No DOM.
import { fixed, finite } from "./format.ts";
import { hasGoal } from "./goal.ts";
import { interval } from "./interval-text.ts";
import type { Interval, Result } from "./types.ts";
import { isClose, saidSlowdown, whyStarved } from "./figures.ts";
import type { RunSide } from "./model.ts";

/** So many times slower, or less, is as fast, where shares and neighbours are told apart: as the engine's sentence has it. */
export const ALIKE = 1.05;

/** What a bar shows: how many times slower than alone, the part of a promise that is kept, or the reads that L1D has. */
export type BarKind = "slow" | "kept" | "found";
export interface Bar {
  kernel: number;
  name: string;
  kind: BarKind;
  /** Infinity for a kernel that gets nothing; null where the run does not say. */
  value: number | null;
  ends: Interval;
  /** How many times slower it is for its share, and for whom else: their product is the value. Null where that is not known. */
  taken: { share: number; others: number; by: string } | null;
  /** What the best cure gives back of the slowdown, as a factor, and what it is; null where none does, or nobody has asked. */
  cure: { gives: number; words: string } | null;
  /** Why there is no value, or why it is endless; empty else. */
  why: string;
}
/** What is said of all bars of a kind. */
export const BARS: Record<BarKind, { title: string; format(value: number | null | undefined): string; least: number }> =
  {
    slow: {
      title: "How much slower than alone",
      // As the engine's headline has it.
      format: (value) => fixed(value, (value ?? 0) >= 9.95 && value !== Infinity ? 1 : 2),
      least: 2,
    },
    kept: { title: "Part of the promise kept", format: (value) => fixed(times(value, 100), 0), least: 1.25 },
    found: { title: "Reads found in L1D", format: (value) => fixed(times(value, 100), 0), least: 1 },
  };
/** What stands in place of a value that the run does not say; empty where nothing is known of it. */
export const rangeText = ({ kind, ends }: Pick<Bar, "kind" | "ends">): string =>
  ends === null ? "" : `${ends.map(BARS[kind].format).join("–")}${kind === "slow" ? "×" : " %"}`;
const times = (value: number | null | undefined, by: number): number | null | undefined => value && value * by;

/** What its share and its neighbours cost a kernel, where the interval of that is close, as in the engine's sentence. */
function takenOf({ kernels, ci95 }: Result, k: number, names: readonly string[]): Bar["taken"] {
  const share = finite(kernels[k]?.share_cost),
    others = finite(kernels[k]?.neighbour_cost),
    ends = interval(ci95?.kernels[k], "share_cost");
  if (share === null || others === null || !isClose(share, ends)) return null;
  const beside = names.filter((_, j) => j !== k);
  return { share, others, by: beside.length === 1 ? (beside[0] as string) : "the others" };
}

/** A bar's parts in words: what is as good as nothing is left out. */
export function takenText({ taken, cure }: Bar): string {
  const { format } = BARS.slow,
    share = taken && taken.share > ALIKE,
    others = taken && taken.others > ALIKE;
  const parts =
    share && others
      ? `share ${format(taken.share)} × ${taken.by} ${format(taken.others)}`
      : share
        ? "all for its share"
        : others
          ? `all for ${taken.by}`
          : "";
  // Behind its factor the cure is a label, without an article.
  return [parts, cure ? `${cure.words.replace(/^an? /, "")} ÷ ${format(cure.gives)}` : ""].filter(Boolean).join("; ");
}

/** A cure gives something back from this factor on: as the engine's sentence has it. */
export const GIVES_BACK = 1.05;

function cureOf({ because = [] }: Result, k: number): Bar["cure"] {
  const best = because.find(({ kernel }) => kernel === k)?.cures[0],
    gives = finite(best?.gives_back);
  return best && gives !== null && gives >= GIVES_BACK ? { gives, words: best.words } : null;
}

/** A bar for each kernel of a side. */
export function bars(side: RunSide): Bar[] {
  const { experiment, kernels, result, alone } = side;
  return kernels.map((name, kernel) => {
    const of = result?.kernels[kernel],
      choice = experiment.kernels[kernel];
    const kind: BarKind =
      choice !== undefined && hasGoal(choice) ? "kept" : result?.verdict?.question === "reuse" ? "found" : "slow";
    const key = { slow: "slowdown", kept: "goal_reached", found: "l1_hit_rate" }[kind],
      value = kind === "slow" ? saidSlowdown(side, kernel) : finite(of?.[key]),
      ends = interval(result?.ci95?.kernels[kernel], key);
    const why =
      value === null
        ? ends
          ? `${rangeText({ kind, ends })}: the run is too short to say`
          : alone?.[kernel] || "not known yet"
        : value === Infinity && result
          ? whyStarved(result, kernel, "", null)
          : "";
    const told = kind === "slow" && value !== null && value < Infinity ? result : null;
    return {
      kernel,
      name,
      kind,
      value,
      ends,
      taken: told && takenOf(told, kernel, kernels),
      cure: told && cureOf(told, kernel),
      why,
    };
  });
}

/** An interval has room beyond the longest bar up to so many times it: a longer one would take the room of all others. */
const BEYOND = 1.5;

/** The value at the end of the scale of each kind: all sides have one, with room for intervals. */
export function tops(all: readonly Bar[]): Record<BarKind, number> {
  const top = (kind: BarKind): number => {
    const shown = all.filter(({ kind: of, value }) => of === kind && value !== Infinity),
      longest = Math.max(BARS[kind].least, ...shown.map(({ value, ends }) => value ?? ends?.[0] ?? 0));
    return Math.max(longest, Math.min(BEYOND * longest, Math.max(...shown.map(({ ends }) => ends?.[1] ?? 0))));
  };
  return { slow: top("slow"), kept: top("kept"), found: top("found") };
}

/** Where a value stands on its scale, from 0 to 1: slowdowns are factors, on a logarithmic one that begins at as fast as alone. */
export function place(kind: BarKind, value: number, top: number): number {
  const at = kind === "slow" ? Math.log(value) / Math.log(top) : value / top;
  return Math.min(1, Math.max(0, at));
}

/** Where a scale of slowdowns has its lines: at most five, each a power of two. */
export function ticks(top: number): number[] {
  const doublings = Math.floor(Math.log2(top) + 1e-9),
    step = Math.ceil((doublings + 1) / 5);
  return Array.from({ length: Math.floor(doublings / step) + 1 }, (_, i) => 2 ** (i * step));
}

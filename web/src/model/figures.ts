// What is read of a result: counters, slowdowns, figures of the mix. Those of a kernel that has got nothing are known, not missing. No DOM.
import { finite, fixed, percent } from "./format.ts";
import { interval } from "./interval-text.ts";
import type { RunSide } from "./model.ts";
import type { Controls, Interval, IntervalsOf, KernelResult, MetricEntry, Result } from "./types.ts";

/** A counter of the engine's registry; 0 for one that it does not have. */
export function counter(kernel: KernelResult, key: string): number {
  return finite((kernel["counters"] as Record<string, unknown> | undefined)?.[key]) ?? 0;
}

export const hasCounters = (kernel: KernelResult | undefined): boolean => kernel?.["counters"] !== undefined;

/** Cycles after which a kernel that has issued nothing is starved: a window. Before, it has only just been launched. */
const SOON = 400;

/** Why a kernel has got nothing until now, as far as the controls are known; empty for one that has got something. */
export function whyStarved(result: Result, k: number, scheme: string, controls: Controls | null): string {
  const kernel = result.kernels[k];
  // A stored answer has no counts.
  const got = kernel?.thread_instructions ?? kernel?.ipc;
  if (!kernel || result.cycles < SOON || got !== 0) return "";
  if (!hasCounters(kernel)) return "it has not issued an instruction";
  if (counter(kernel, "ctas_launched") > 0) return "its CTAs have not issued an instruction yet";
  const from = finite(result["measured_from"]) ?? 0;
  const none = `no CTA placed since cycle ${from.toLocaleString("en")}`;
  if (controls === null) return none;
  const ranks = listed(controls, "dispatch_rank"),
    before = ranks.findIndex((rank, j) => j !== k && rank < (ranks[k] ?? 0));
  if (listed(controls, "cta_target")[k] === 0) return `${none}: ${scheme} lets it hold none`;
  if (before >= 0)
    return `${none}: ${scheme} gives ${kernel.name} room only when ${result.kernels[before]?.name ?? "the kernel before it"} has none left to place`;
  return `${none}: no SM has had room for one`;
}

const isStarved = (result: Result, k: number): boolean => whyStarved(result, k, "", null) !== "";

/** Times slower than alone; Infinity for a kernel that has got nothing. */
export function slowdownOf(result: Result, k: number): number | null {
  return isStarved(result, k) ? Infinity : finite(result.kernels[k]?.slowdown);
}

/** Half of an interval that is close, as a part of its number: as the engine's sentence has it. */
const CLOSE = 0.25;
export const isClose = (value: number, ends: Interval): boolean => ends !== null && ends[1] - value <= CLOSE * value;

/** Two speeds are alike up to such a part: as the engine's sentence has it. */
const ALIKE = 0.05;

/** What `slowdownOf` has, where a sentence or a bar may say it: its interval is close, or it has none as it is of a stretch. A kernel that seems faster than
    alone has to have run to its end. */
export function saidSlowdown({ result, origin }: Pick<RunSide, "result" | "origin">, k: number): number | null {
  const value = result && slowdownOf(result, k),
    ends = interval(result?.ci95?.kernels[k], "slowdown");
  if (value === null || value === Infinity || origin === "stretch") return value;
  const shown = value >= 1 - ALIKE || (result?.kernels[k]?.runs_done ?? 0) > 0;
  return shown && isClose(value, ends) ? value : null;
}

/** A figure of the mix. Where a kernel has got nothing, its progress is 0, and the figure is what its formula makes of that. */
export function mixFigure(result: Result, key: string): number | null {
  const starved = result.kernels.map((_, k) => isStarved(result, k));
  if (!starved.includes(true)) return finite(result.metrics?.[key]);
  switch (key) {
    case "hspeedup":
    case "fairness":
      return 0;
    case "antt":
      return Infinity;
    case "stp":
    case "wspeedup": {
      const progress = result.kernels.map(({ slowdown }, k) =>
        starved[k] ? 0 : typeof slowdown === "number" ? 1 / slowdown : Number.NaN,
      );
      return finite(progress.reduce((a, b) => a + b, 0));
    }
    default:
      return null;
  }
}

/** Whose figure it is: the mix's, the GPU's, of its energy, of how its goals came out, or that of a kernel, by its place. */
export type Of = "metrics" | "gpu" | "energy" | "goals" | number;

/** A figure by its path there, such as `latency.mean`. */
export function readFigure(result: Result, of: Of, path: string): number | null {
  if (of === "metrics") return mixFigure(result, path);
  if (typeof of === "number" && path === "slowdown") return slowdownOf(result, of);
  const whole: unknown = typeof of === "number" ? result.kernels[of] : result[of];
  return finite(path.split(".").reduce((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], whole));
}

/** Its 95 % interval; null for one that has none. */
export function endsOf(result: Result | null | undefined, of: Of, path: string): Interval {
  if (of === "goals" || of === "energy") return null;
  const ci = result?.ci95,
    whole = typeof of === "number" ? ci?.kernels[of] : ci?.[of],
    [head = "", tail] = path.split(".");
  return tail === undefined ? interval(whole, head) : interval(whole?.[head] as IntervalsOf | undefined, tail);
}

/** As it is written: a part of something as per cent, all else with the digits of the engine's registry. */
export const formatOf =
  ({ unit, digits }: Pick<MetricEntry, "unit" | "digits">) =>
  (value: number | null | undefined): string =>
    unit.startsWith("fraction") ? percent(value) : fixed(value, digits);

/** A control's values by kernel, where it has the same on all SMs. */
function listed(controls: Controls | null, key: string): number[] {
  const value = controls?.[key];
  return Array.isArray(value) ? value.map((v) => (typeof v === "number" ? v : Infinity)) : [];
}

/** The engine says of no kernel anything yet: the run is too short. */
export const isSilent = ({ verdict }: Result): boolean =>
  verdict?.headline.every(({ kernel }) => kernel == null) === true;

// What all charts show together: which cycles, in which buckets, where the cursor is; and what is said of that. No DOM.
import { whole } from "../draw/scale.ts";
import type { Decision, ShownRun, Zoom } from "../types.ts";
import { resolutionFor, type WindowStore } from "./window-store.ts";

/** What the charts know of a run. */
export interface RunData {
  run: ShownRun;
  kernels: string[];
  store: WindowStore;
  decisions: readonly Decision[];
  /** The IPC that each kernel is promised, if any. */
  goals: readonly (number | null)[];
}
/** What all charts show together. */
export interface Shared {
  runs: readonly RunData[];
  /** Of each run, the edges of its buckets. */
  edges: readonly Int32Array[];
  range: Zoom;
  /** At the edges of the run that has any; the others have the same. */
  cycles: Float64Array;
  resolution: number;
  window: number;
  /** Up to where a run is known. */
  last: number;
  /** The present cycle: from it on, what is drawn lies ahead; Infinity: nothing does. */
  now: number;
  cursor: number | null;
  /** The bucket that the cursor is in. */
  bucket: number | null;
}

/** All cycles that are known, or at least five windows. */
export function everything(runs: readonly RunData[], window: number): Zoom {
  const filled = runs.flatMap(({ store }) => (store.empty ? [] : [store])),
    from = filled.length > 0 ? Math.min(...filled.map(({ firstCycle }) => firstCycle)) : 0;
  return { from, to: Math.max(from + 5 * window, ...filled.map(({ lastCycle }) => lastCycle)) };
}

/** In pictures that are so wide. */
export function sharedOf(
  runs: readonly RunData[],
  range: Zoom,
  width: number,
  now: number,
  cursor: number | null,
): Shared | null {
  const [main] = runs;
  if (!main) return null;
  const { window } = main.run.windows,
    resolution = resolutionFor(range.to - range.from, Math.max(100, width), window);
  const edges = runs.map(({ store }) => store.buckets(range.from, range.to, resolution)),
    known = Math.max(
      0,
      edges.findIndex((own) => own.length > 1),
    );
  const cycles = Float64Array.from(edges[known] ?? [], (edge) => (runs[known] ?? main).store.cycle(edge));
  return {
    runs,
    edges,
    range,
    cycles,
    resolution,
    window,
    last: Math.max(...runs.map(({ store }) => store.lastCycle)),
    now,
    cursor,
    bucket: cursor !== null && cycles.length >= 2 ? bucketAt(cycles, cursor) : null,
  };
}

/** The bucket that holds a cycle, or the nearest one. */
export function bucketAt(cycles: Float64Array, cycle: number): number {
  const after = cycles.findIndex((begin) => begin > cycle);
  return Math.max(0, Math.min(cycles.length - 2, after < 0 ? Infinity : after - 1));
}

export function whereText({ cycles, bucket, range, resolution, window }: Shared): string {
  const words = (from: number, to: number): string => `ycles ${whole(from)} to ${whole(to)}`;
  if (bucket !== null) return `At c${words(cycles[bucket] as number, cycles[bucket + 1] as number)}`;
  const grain = resolution > window ? `, drawn in steps of ${whole(resolution)}` : "";
  return `C${words(range.from, range.to)}${cycles.length < 2 ? "" : `${grain}; numbers are of all these cycles`}`;
}

/** The decision nearest to the cursor, or the latest one in the range. */
export function decisionText({ runs, range: { from, to }, cursor }: Shared): string {
  const all = runs.flatMap(({ run, kernels, decisions }) => decisions.map((one) => ({ ...one, run, kernels }))),
    inside = all.filter(({ cycle }) => cycle >= from && cycle <= to);
  const far = ({ cycle }: Decision): number => Math.abs(cycle - (cursor ?? Infinity));
  const best = inside.reduceRight<(typeof inside)[number] | null>(
    (least, one) => (least === null || far(one) < far(least) ? one : least),
    null,
  );
  if (!best) return all.length > 0 ? "No decision of the policy in these cycles" : "";
  if (cursor !== null && far(best) > (to - from) / 60)
    return `${inside.length} decision${inside.length === 1 ? "" : "s"} of the policy in these cycles (▼)`;
  const { run, kernels, kernel } = best,
    of = kernel === null ? undefined : kernels[kernel];
  return `▼ cycle ${whole(best.cycle)}: ${run.mark === "" ? "" : `${run.mark}, `}${of ? `${of}: ` : ""}${best.text}`;
}

// What crosses between the component lab and its worker.
import type { OptionValue, ProbeInfo, ProbeResult, Problem } from "../types.ts";

/** A point of a curve. */
export interface Point {
  x: number;
  measured: number | null;
  theory: number | null;
}

export type ToLab =
  | { t: "init"; module: WebAssembly.Module }
  /** Measure a component at every point of `sweep`; answered by a `point` each. To cancel, the page ends the worker. */
  | { t: "curve"; component: string; options: Record<string, OptionValue>; sweep: string; points: number[] };
export type FromLab =
  | { t: "ready"; stamp: string; probes: ProbeInfo[] }
  | { t: "point"; index: number; result: ProbeResult }
  | { t: "problems"; problems: Problem[] }
  | { t: "failed"; message: string };

// What crosses between the component lab and its worker. The first three are as the module hands them out.
import type { Problem } from "../types.ts";

export type OptionValue = number | string | boolean;
export interface ProbeOption {
  name: string; unit: string; kind: "int" | "number" | "choice" | "flag"; min?: number; max?: number; choices?: string[];
  default: OptionValue | null; doc: string;
}
export interface ProbeFigure { key: string; title: string; unit: string; law: string }
export interface ProbeInfo {
  name: string; title: string; doc: string; sweep: string; points: string;
  figures: ProbeFigure[];
  presets: { name: string; options: Record<string, OptionValue> }[];
  options: ProbeOption[];
}
/** Figures by key; `theory` has what the laws say of them. Null: nothing was measured, or the law does not apply. */
export interface ProbeResult { theory: Record<string, number | null>; [figure: string]: number | null | Record<string, number | null> }

/** A point of a curve. */
export interface Point { x: number; measured: number | null; theory: number | null }

export type ToLab =
  | { t: "init"; module: WebAssembly.Module }
  /** Measure a component at every point of `sweep`; answered by a `point` each. Whoever wants no more ends the worker. */
  | { t: "curve"; component: string; options: Record<string, OptionValue>; sweep: string; points: number[] };
export type FromLab =
  | { t: "ready"; version: string; probes: ProbeInfo[] }
  | { t: "point"; index: number; result: ProbeResult }
  | { t: "problems"; problems: Problem[] }
  | { t: "failed"; message: string };

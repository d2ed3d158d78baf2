// What the panel of predictions and its worker say to each other.
import type { Experiment } from "../types.ts";
import type { Measured } from "./model.ts";

export interface Job {
  hash: string;
  experiment: Experiment;
}
export type ToMeasurer =
  | { t: "init"; module: WebAssembly.Module }
  /** These runs, in this order; a run that is under way goes on if it is among them. */
  | { t: "measure"; jobs: Job[] }
  | { t: "pause" }
  | { t: "go" };
export type FromMeasurer =
  /** What a run has shown so far, and at its end. */
  | { t: "measured"; hash: string; measured: Measured }
  | { t: "impossible"; hash: string; why: string }
  | { t: "failed"; message: string };

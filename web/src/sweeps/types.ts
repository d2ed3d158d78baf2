// What the page and the workers of a sweep say to each other.
import type { Problem, Result, SweepPoint } from "../types.ts";

/** A sweep, read. */
export interface Plan { name: string; hash: string; /** For each axis, its paths. */ axes: string[][]; points: SweepPoint[] }

/** One simulation to run. */
export type Task =
  /** A kernel of a point by itself; `key` names the run. */
  | { kind: "alone"; key: string; index: number; kernel: number }
  /** A point, with the IPC alone of its kernels; null where that run got stuck. */
  | { kind: "point"; index: number; alone: (number | null)[] };

/** A line of results, as `corun sweep` writes it. */
export interface Line { index: number; points: number; sweep: string; axes: Record<string, unknown>; config_hash: string; result: Result }

export type ToSweeper =
  | { t: "init"; module: WebAssembly.Module }
  /** Read a sweep; `plan`: and say what its points are, if they are at most so many; `windows`: the results get their windows. */
  | { t: "open"; text: string; plan: number | null; windows?: boolean }
  | { t: "run"; task: Task };

export type FromSweeper =
  | { t: "ready"; version: string; stamp: string }
  | { t: "opened"; plan: Plan | null }
  | { t: "problems"; problems: Problem[] }
  /** How far the task is, 0 to 1. */
  | { t: "progress"; done: number }
  | { t: "alone"; key: string; ipc: number | null }
  | { t: "line"; index: number; line: string }
  | { t: "failed"; message: string };

// What the page and the workers of a sweep say to each other.
import type { Answer, PlannedRun, Problem, Result, SweepPoint } from "../types.ts";

/** A point with the hashes of the runs alone whose answers it needs: its policy's profile, and what its slowdowns compare with. */
export interface PlanPoint extends SweepPoint {
  needs: string[];
}

/** A sweep, read. */
export interface Plan {
  name: string;
  hash: string;
  /** For each axis, its paths. */
  axes: string[][];
  points: PlanPoint[];
  /** What the points need, by hash. */
  runs: Record<string, PlannedRun>;
}

/** One simulation to run. */
export type Task =
  /** A run alone that points need; `index` is the first of them. */
  | { kind: "alone"; key: string; index: number; run: PlannedRun }
  /** A point, with the answers that it needs. */
  | { kind: "point"; index: number; answers: Record<string, Answer> };

/** A line of results, as `corun sweep` writes it. */
export interface Line {
  index: number;
  points: number;
  sweep: string;
  axes: Record<string, unknown>;
  config_hash: string;
  result: Result;
}

export type ToSweeper =
  | { t: "init"; module: WebAssembly.Module }
  /** Read a sweep; `plan`: and say what its points are, if they are at most so many; `windows`: the results get their windows. */
  | { t: "open"; text: string; plan: number | null; windows?: boolean }
  | { t: "run"; task: Task };

export type FromSweeper =
  | { t: "ready"; stamp: string }
  | { t: "opened"; plan: Plan | null }
  | { t: "problems"; problems: Problem[] }
  /** How far the task is, 0 to 1. */
  | { t: "progress"; done: number }
  | { t: "alone"; key: string; answer: Answer }
  | { t: "line"; index: number; line: string }
  | { t: "failed"; message: string };

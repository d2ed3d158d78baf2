// A sweep as the page has it.
import type { Answer, PlannedRun, Result, SweepPoint, PolicyChoice } from "../../model/types.ts";

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

/** What an oracle searches: numbers of CTAs, or of SMs. */
export type Space = "cta" | "spatial";

/** What each oracle tries on a mix, as the engine says it. */
export type OraclePolicies = Readonly<Record<Space, readonly PolicyChoice[]>>;

// What the parts of the first screen are given. Plain data: no part knows where a run's figures come from.
import type { Experiment, Result } from "./types.ts";

/** How many of the runs that tell why have ended; `stopped`: the rest is not wanted for now. */
export interface Asking {
  done: number;
  of: number;
  stopped: boolean;
}

/** A or B: a run on this page, or an answer that came with the page. */
export interface RunSide {
  /** `A` or `B`; empty where there is one run. */
  mark: string;
  /** The scheme, in words. */
  scheme: string;
  experiment: Experiment;
  /** Kernels as they are labelled, in the order of the mix. */
  kernels: readonly string[];
  /** Null until anything is known. */
  result: Result | null;
  /**
   * Stored: it came with the page, is of the end, and no run here has reached that. Rests: of the cycle at which the user has stopped to look.
   * Stretch: of the cycles up to there that are selected. Earlier: of its end before, from where it goes on to a later one. Confirmed: a run here ended with the stored digest. Differs: with another.
   */
  origin: "stored" | "running" | "rests" | "stretch" | "earlier" | "here" | "confirmed" | "differs";
  /** It differs from A in more than its scheme and when it ends: a picture of A's mix has no place for it. */
  elsewhere?: boolean;
  /** How far the runs are that tell why its kernels suffer. */
  asking?: Asking | null;
  /** Of each kernel, why its speed alone is not known yet, in words; empty where it is. */
  alone?: readonly string[];
}

/** One scheme on the present mix, for the picture of all schemes. */
export interface SchemeAnswer {
  /** The experiment that has it, whole. */
  experiment: Experiment;
  scheme: string;
  result: Result | null;
  /** Why there is none, where it cannot run. */
  why?: string;
  /** When it can act for the first time, where that is after its run. */
  acts?: number;
  /** Its result is of the cycle at which it is held, or from which it goes on: it is still in the race. */
  races?: true;
  /** It has been dropped from the race, and its result is of that cycle: the part of the first one's speedup that it lacked. */
  dropped?: number;
}

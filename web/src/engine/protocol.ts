// What the page and the worker of a run say to each other.
//
// The page never waits for the simulation: it posts and goes on. The simulation goes where it is told to, sends one frame there, and rests.
import type { Arrived, Built } from "../model/session.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import type { LaunchNews } from "../model/launch-log.ts";
import type { Events } from "../model/event-log.ts";
import type {
  Answer,
  Catalogue,
  Controls,
  Decision,
  Experiment,
  Problem,
  Result,
  Shares,
  ShownTable,
  Tried,
} from "../model/types.ts";

export type ToWorker =
  /** The compiled module; compiled once, shared by all workers. `keeps`: this one keeps moments of its run. */
  | { t: "init"; module: WebAssembly.Module; keeps: boolean }
  /** Build a simulation. Answered by `loaded`, or by `problems` (the old one stays). */
  | { t: "load"; id: number; experiment: string | object }
  /** Give up a load whose policy still has to know something. Answered by `profilingStopped`. */
  | { t: "stopProfiling" }
  /** Give up a load for good. */
  | { t: "keep" }
  /**
   * Go to a cycle, forwards or back, and send one frame there; nothing is drawn on the way. `event`: only as far as the next event. `full`: with result
   * and controls. Where the run ends before, the frame says so, and names the ticket: others may be under way from before.
   */
  | { t: "goTo"; ticket: number; cycle: number; event: boolean; full: boolean }
  /** Where it is on its way, it has arrived. */
  | { t: "pause" }
  /** What moments to go back to may take from now on. */
  | { t: "room"; room: MemoryBudget }
  /** Stop; the next frame brings all windows and decisions anew. */
  | { t: "again" }
  /** `soFar`: of a run alone that goes on. `kernel`: below 0 for a run of a share. */
  | { t: "setAlone"; id: number; kernel: number; hash: string; answer: Answer; soFar: boolean }
  /** What kernels did in the runs of `whys`, by hash. */
  | { t: "tellWhy"; id: number; tried: Record<string, readonly Tried[]> }
  | { t: "result"; id: number }
  | { t: "freshSeed"; id: number }
  /** What is wrong with an experiment, as text or as an object; nothing is loaded. */
  | { t: "validate"; id: number; text: string };

/** A run of one kernel alone, and the hash that names it. */
export interface PlannedAlone {
  hash: string;
  experiment: Experiment;
}
export interface Loaded extends Built {
  t: "loaded";
  id: number;
  /** For each kernel, the run that measures it alone. */
  alone: PlannedAlone[];
}
export interface FrameMessage extends Arrived {
  t: "frame";
  frame: Uint32Array;
  /** Windows and decisions that the page has not had yet; `restart`: forget those before. A run that goes back and on brings none again. */
  windows: Float64Array;
  restart: boolean;
  decisions: Decision[];
  /** A few times a second, and always when the simulation stops. */
  /** As often, and with every decision: the controls as the machine reads them. */
  controls: Controls | null;
  /** With the result: what is known of the whole run, also beyond `cycle` where it has gone back. */
  past: Events | null;
  /** With the result, where kernels are launched several times or a CTA order was chosen: launches that have changed, and what each SM has before it, by kernel. */
  launches: LaunchNews | null;
  shares: (Shares | null)[] | null;
  /** With the result: what the L1Ds hold, as `l1Contents()` says. */
  held: Uint32Array | null;
  /** With the result: what the mechanisms in force and the policy show of themselves. */
  shown: ShownTable[] | null;
  /** Of which `goTo`; whether it stopped at an event; and milliseconds since it was told to go there. */
  ticket: number;
  event: boolean;
  took: number;
}
export type FromWorker =
  | {
      t: "ready";
      /** The engine's version and how it behaves. */
      stamp: string;
      catalogue: Catalogue;
    }
  | Loaded
  | { t: "problems"; id: number; problems: Problem[] }
  | FrameMessage
  /** On a long way: how far it is. */
  | { t: "reached"; id: number; cycle: number }
  /** To `result`, `freshSeed` and `validate`. */
  | { t: "answer"; id: number; value: Result | number | readonly Problem[] }
  /** The run has ended: the runs in which its kernels have the share that they had at last, and no neighbour. */
  | { t: "shares"; id: number; runs: PlannedAlone[] }
  /** It is known what its kernels do in their shares: the runs that tell why they suffer from their neighbours. */
  | { t: "whys"; id: number; runs: PlannedAlone[] }
  /** Before `loaded`, where the policy has to know how its kernels do alone: which run of how many is under way, those before it done, and which part of it, 0 to 1; null while another worker measures it. */
  | { t: "profiling"; id: number; name: string; done: number; of: number; part: number | null }
  | { t: "profilingStopped"; id: number }
  | { t: "failed"; message: string };

// What the session is made of: its sides, and what it works with. Types, and an empty side.
import type { Engine } from "../engine/engine.ts";
import type { Loaded } from "../engine/protocol.ts";
import type { Experiment, Problem, Result } from "../model/types.ts";
import type { Asking } from "../model/model.ts";
import type { Feed } from "./feed.ts";

export const MARKS = ["A", "B"] as const;

/** An experiment of the page, and what the engine said of it last: what it built, or what is wrong. */
export interface Side {
  readonly experiment: Experiment;
  readonly loaded: Loaded | null;
  readonly problems: readonly Problem[];
  /** What it has to know first was being measured, and that was stopped. */
  readonly stopped: boolean;
  /** Of each kernel, once it is known. */
  readonly alone: readonly ({ ipc: number | null; why: string } | undefined)[];
  /** How far the runs are that tell why its kernels suffer; null where nothing is asked, or all is told. */
  readonly asking: Asking | null;
  /** What its run says so far. */
  readonly result: Result | null;
  /** What the pictures show of it. */
  readonly laid: { experiment: Experiment; loaded: Loaded } | null;
}
export const side = (experiment: Experiment): Side => ({
  experiment,
  loaded: null,
  problems: [],
  stopped: false,
  alone: [],
  asking: null,
  result: null,
  laid: null,
});

/** What moves the runs. */
export type Driver = Pick<
  Engine,
  "load" | "only" | "keep" | "play" | "pause" | "step" | "stepEvent" | "seek" | "speed"
> &
  Pick<Engine, "stopProfiling" | "stopWhy" | "restart" | "validate">;
/** The form, which shows one side. */
interface Form {
  setSides(titles: readonly string[], side: number): void;
  show(experiment: Experiment): void;
  accepted(normal: Experiment, explained: unknown): void;
  problems(problems: Problem[]): void;
  scriptFailed(side: number, why: string): void;
}
export interface Surroundings {
  form: Form;
  feed: Feed;
  /** What is shown has changed: the address is to say so. */
  relink(): void;
  /** No motion is wanted: nothing starts by itself. */
  calm(): boolean;
  /** What stands there where a link cannot be opened. */
  first: Experiment;
}

/** The experiment of a run for twice as long where that has ended, and as it is where it has not; null for one that is over for good. */
export function further({ experiment, loaded, result }: Side): Experiment | null {
  if (!loaded || !result) return null;
  const stop = (loaded.normal.stop ?? {}) as { settled?: number; at_most?: number; cycles?: number },
    length = stop.settled === undefined ? "cycles" : "at_most";
  switch (result.stop) {
    case "budget":
      return experiment;
    case "cycles":
      return { ...structuredClone(experiment), stop: { ...stop, [length]: 2 * (stop[length] ?? result.cycles) } };
    case "settled":
      return { ...structuredClone(experiment), stop: { cycles: 2 * result.cycles } };
    default:
      return null;
  }
}

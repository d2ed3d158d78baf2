/// <reference lib="esnext.disposable" />
import type { Decision, Problem, Result, WindowsLayout } from "./corun_script.js";
import type { FrameView, ShownRun, SmView } from "./shown.js";

export type { FrameView, ShownRun, SmView } from "./shown.js";

/** Registers every element of Corun that is not registered yet. Only where there is a document. */
export declare function define(): Promise<void>;

/** Of one run its result; of two that are compared, by their marks A and B; or what is wrong with the link or with what it runs. */
export type Outcome = Result | Record<string, Result> | { problems: Problem[] };

/**
 * `<corun-run link="#v=1&…" theme="dark">`: runs a link with the engine of this package. Fires `corun-result` (bubbling, `CustomEvent<Outcome>`).
 */
export type CorunRun = HTMLElement;
/** `<corun-figure host="https://your.host/corun/" paper="ccbp" figure="fig9a" theme="dark">`: a figure of a host of Corun, in a frame. */
export type CorunFigure = HTMLElement;
/** `<corun-lab host="https://your.host/corun/" link="#v=1&…" hide="schemes" theme="dark">`: the page of a host of Corun, in a frame. */
export type CorunLab = HTMLElement;

/** The windows of a run so far. A range of cycles costs what it is wide on the screen, however many windows are in it. */
export declare class WindowStore {
  constructor(layout: WindowsLayout);
  /** Complete windows that are new since the last call (`windows`). */
  append(rows: ArrayLike<number>): void;
  /** The cycle at which the last window ends. */
  readonly lastCycle: number;
  clear(): void;
}
/** Charts over time. */
export interface WindowView extends HTMLElement {
  /** `stores`: the windows of each run, to which windows are added as they come. */
  setRuns(runs: readonly ShownRun[], stores: readonly WindowStore[]): void;
  /** The stores have more windows; `restarted`: they have begun anew. */
  refresh(restarted: boolean): void;
  /** A policy's whole log so far (`decisions`): marks on the time axis. */
  setDecisions(run: number, decisions: readonly Decision[]): void;
  /** The IPC that each kernel of a run is promised; null where it has no goal. */
  setGoals(run: number, goals: readonly (number | null)[]): void;
  /** The cycle that the cursor shows. */
  cycle: number;
}

declare global {
  interface HTMLElementTagNameMap {
    "corun-run": CorunRun;
    "corun-figure": CorunFigure;
    "corun-lab": CorunLab;
    "corun-gpu": FrameView;
    "corun-sm-detail": SmView;
    "corun-memory-path": FrameView;
    "corun-mesh": FrameView;
    "corun-charts": WindowView;
  }
}

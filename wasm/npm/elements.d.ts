/// <reference lib="esnext.disposable" />
import type { Problem, Result } from "./corun_script.js";
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

declare global {
  interface HTMLElementTagNameMap {
    "corun-run": CorunRun;
    "corun-figure": CorunFigure;
    "corun-lab": CorunLab;
    "corun-gpu": FrameView;
    "corun-sm-detail": SmView;
    "corun-memory-path": FrameView;
    "corun-mesh": FrameView;
  }
}

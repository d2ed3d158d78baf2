/// <reference lib="esnext.disposable" />
import type { Problem, Result } from "./corun_script.js";

/** Of one run its result; of two that are compared, by their marks A and B; or what is wrong with the link or with what it runs. */
export type Outcome = Result | Record<string, Result> | { problems: Problem[] };

/** What the widget sends. Of each run `series` has the names of columns; the message's buffers have their rows, as doubles. */
export interface Message {
  result: Outcome;
  series: string[][];
}

/**
 * What the widget asks of its host's model.
 *
 * It reads `link`, the page's address of a run; `theme`, which is `light`, `dark` or nothing; and `wasm`, the bytes or the address of the module
 * `corun_script_bg.wasm`, where that is not beside the widget. It sends a message when the runs
 * have ended or cannot begin.
 */
export interface Model {
  get(name: string): unknown;
  send?(content: Message, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  on?(event: string, listener: () => void): void;
  off?(event: string, listener: () => void): void;
}

/** Shows a run in `el`, and runs again when the link changes. What it returns ends that. */
declare function render(context: { model: Model; el: HTMLElement }): () => void;

declare const widget: { render: typeof render };
export default widget;

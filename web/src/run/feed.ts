// Brings frames to the parts of the page: what is drawn fits its budget of time, and windows go into the stores that all parts read. No DOM.
import type { FrameMessage } from "../engine/protocol.ts";
import type { Decision, FrameView, Result } from "../model/types.ts";
import { Budget } from "../picture/pace.ts";
import type { News, Part, Shown } from "./panel.ts";

/** Milliseconds of a frame after which no other picture is begun: with the longest of them it is below 50. */
const PAINTING = 12;

interface Painted {
  one: FrameView;
  budget: Budget;
}

export class Feed {
  readonly parts: Part[] = [];
  readonly #pictures: Painted[] = [];
  readonly #windows = new Budget(0.1);
  #shown: Shown | null = null;
  #logs: Decision[][] = [];
  /** Of each run, windows that its store has not been given yet. */
  #held: Float64Array[][] = [];

  add(...parts: readonly Part[]): void {
    this.parts.push(...parts);
    for (const { pictures = [] } of parts)
      this.#pictures.push(...pictures.map((one) => ({ one, budget: new Budget(0.25) })));
  }

  runs(shown: Shown): void {
    this.#shown = shown;
    this.#logs = shown.runs.map(() => []);
    this.#held = shown.runs.map(() => []);
    for (const { one } of this.#pictures) one.setRuns(shown.runs, shown.catalogue);
    for (const part of this.parts) part.runs?.(shown);
  }

  /** A frame of each run, all of one cycle. */
  take(frames: readonly FrameMessage[], still: boolean): void {
    const began = performance.now();
    // While it runs, a frame has room for the pictures that fit its budget; the others begin the next one.
    for (let left = this.#pictures.length; left > 0 && (still || performance.now() - began < PAINTING); left -= 1) {
      const next = this.#pictures.shift() as Painted;
      this.#pictures.push(next);
      next.budget.run(still, () => next.one.update(frames.map(({ frame }) => frame)));
    }
    // What one brings anew, the others bring too, or have not lost.
    const restarted = frames.some(({ restart }) => restart);
    frames.forEach(({ restart, windows }, at) => {
      if (restart) {
        this.#held[at] = [];
        this.#shown?.stores[at]?.clear();
      }
      if (windows.length > 0) this.#held[at]?.push(windows);
    });
    if (restarted) for (const part of this.parts) part.windows?.(true);
    this.#store(still);
    const logs = frames.map(({ restart, decisions }, at) => {
      if (restart) this.#logs[at] = [];
      this.#logs[at]?.push(...decisions);
      return restart || decisions.length > 0 ? (this.#logs[at] ?? []) : null;
    });
    const results = frames.map(({ result }) => result),
      known = results.every((result): result is Result => result !== null);
    const news: News = { frames, cycle: frames[0]?.cycle ?? 0, still, logs, results: known ? results : null };
    for (const part of this.parts) part.news?.(news);
  }

  /** All runs at once: none is ever ahead of another. */
  #store(still: boolean): void {
    if (this.#held.every((run) => run.length === 0)) return;
    this.#windows.run(still, () => {
      this.#held.forEach((run, at) => {
        for (const rows of run) this.#shown?.stores[at]?.append(rows);
      });
      this.#held = this.#held.map(() => []);
      for (const part of this.parts) part.windows?.(false);
    });
  }
}

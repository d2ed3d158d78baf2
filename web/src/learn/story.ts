// What a story is: a text, one knob, and a figure of small runs, which the engine makes here and now.
import { Drawing } from "../picture/drawing.ts";
import type { Theme } from "../picture/theme.ts";
import type { Experiment } from "../model/types.ts";
import type { Job, Outcome } from "../engine/lab/measure.ts";

interface Knob {
  name: string;
  values: readonly number[];
  /** Where it stands at first, as a position. */
  first: number;
  /** A value in words. */
  say(value: number): string;
}
/** What a story is written as. `P` is what its figure needs of one position. */
interface Written<P> {
  id: string;
  title: string;
  /** Paragraphs, in the little Markdown of the documentation, with marks. */
  text: readonly string[];
  knob: Knob;
  jobs(value: number): readonly Job[];
  read(outcomes: readonly Outcome[], value: number): P;
  height(width: number): number;
  draw(d: Drawing, points: readonly (P | null)[], at: number, t: Theme): void;
  /** The figure in a sentence. */
  summary(point: P, value: number): string;
  /** What the Run page opens: one run, or two side by side. */
  opens(value: number): { experiment: Experiment; other?: Experiment };
}
/** One position as the figure has it. */
export interface Known {
  readonly summary: string;
  /** What the story has read of its runs. */
  readonly point: unknown;
}
export interface Story extends Pick<Written<unknown>, "id" | "title" | "text" | "knob" | "jobs" | "opens"> {
  /** One position. */
  known(outcomes: readonly Outcome[], value: number): Known;
  draw(known: readonly (Known | null)[], at: number, width: number, t: Theme): Drawing;
}

/**
 * A text as readers see it, without its marks. `75{{= at(0).bp}} %` says what the number is, `first{{? at(0).bp > at(1).bp}}` why a word holds.
 */
export const shown = (text: string): string => text.replaceAll(/\{\{.*?\}\}/g, "");

export function story<P>(written: Written<P>): Story {
  return {
    ...written,
    known(outcomes, value) {
      const point = written.read(outcomes, value);
      return { summary: written.summary(point, value), point };
    },
    draw(known, at, width, t) {
      const d = new Drawing(width, written.height(width), t.plot, t.font, t.mono);
      written.draw(
        d,
        known.map((one) => (one ? (one.point as P) : null)),
        at,
        t,
      );
      return d;
    },
  };
}

/** The GPU of the CCBP paper, cut down to so many of its 16 SMs, L2 banks and DRAM channels. */
export const partOfCcbp = (sms: number): { preset: string; [field: string]: string | number } => ({
  preset: "ccbp-16sm",
  "sm.count": sms,
  "l2.banks": sms,
  "dram.channels": sms,
});

/** Thread instructions a cycle of a kernel of a run. */
export const ipc = (outcome: Outcome | undefined, kernel: number): number => {
  const value = outcome?.result.kernels[kernel]?.ipc;
  return typeof value === "number" ? value : 0;
};

/** A share in whole percent, as texts and figures say it. */
export const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** A program that reads line after line and none twice; each warp waits once it has `reads` under way. */
export function reader(reads: number): Record<string, unknown> {
  const bytes = 128 * reads;
  return {
    name: "READ",
    arrays: [{ name: "a", bytes: 67_108_864 }],
    launches: [
      {
        ctas: 4096,
        threads: 64,
        program: [
          {
            loop: {
              trips: 16,
              body: [
                ...Array.from({ length: reads }, (_, i) => ({
                  load: { array: "a", lane: 4, cta: 32 * bytes, warp: 16 * bytes, offset: 128 * i, loops: [bytes] },
                })),
                { wait: { loads: 0 } },
              ],
            },
          },
        ],
      },
    ],
  };
}

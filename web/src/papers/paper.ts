// What the place Papers knows of a paper before its figures are loaded. build/papers.ts makes it.
import type { Experiment, Figure } from "../model/types.ts";

export interface Claim {
  id: string;
  says: string;
  section: string;
  /** What was run for it. */
  over: string;
  /** What the paper prints and what came out here, in the paper's unit. */
  paper: string;
  here: string;
  verdict: "reproduced" | "direction only" | "not reproduced" | "not testable";
  /** Why it came out so: the cause that the report names, what the report notes, or how near it is. */
  why: string;
}
/** The mark of each beside the report's own words: none of the report's relations (`≈`, `≳`, `≲`), which say something else. */
export const VERDICTS: Readonly<Record<Claim["verdict"], string>> = {
  reproduced: "✓",
  "direction only": "◐",
  "not reproduced": "✗",
  "not testable": "–",
};
/** A printed gain over a bar of a figure: both by their places among its points. */
export interface Gain {
  of: number;
  over: number;
  times: number;
}
/** What a paper prints of a figure. */
export interface OfFigure {
  claims: Claim[];
  gains: Gain[];
}
/** Of the claims of a kind that can be tested. */
export interface Total {
  kept: number;
  /** The right direction, another size. */
  partly: number;
  failed: number;
  tested: number;
}
export interface PaperCard {
  paper: string;
  name: string;
  title: string;
  authors: string;
  venue: string;
  doi: string;
  says: string;
  /** The figure that stands for the paper. */
  picture: string;
  stamp: { engine: string; mode: string; cycles: number };
  figures: number;
  points: number;
  /** Points beside which the paper's value stands. */
  printed: number;
  totals: { directions: Total; magnitudes: Total };
  headline: Claim[];
  setting: {
    /** GPUs and orders of warps by their names. */
    gpus: string[];
    orders: string[];
    prefix: string;
    classes: { name: string; kernels: string[] }[];
    schemes: string[];
  };
  /** What a reader of the paper does not find here, and why. */
  lacks: readonly (readonly [what: string, why: string])[];
  /** A mix under the baseline, and under the paper's own scheme. */
  open: Experiment[];
}
/** By the figure's id. */
export type FigureClaims = Record<string, OfFigure>;

/** A figure with the gains that the paper prints: a bar over which it prints one has a mark where that gain, from the other bar's value here, puts it. */
export function withGains(figure: Figure, gains: readonly Gain[]): Figure {
  if (gains.length === 0) return figure;
  const points = [...figure.points];
  for (const { of, over, times } of gains) {
    const value = figure.points[of]?.value,
      point = points[over];
    if (typeof value === "number" && point) points[over] = { ...point, paper: value / times };
  }
  return { ...figure, points };
}

/** What came out here with the unit that the paper's value has. */
export function withUnit({ paper, here }: Claim): string {
  const unit = /^[^\d]*[\d.]+( [^\d]+)$/.exec(paper)?.[1] ?? "";
  return /^-?[\d.]+$/.test(here) ? `${here}${unit}` : here;
}

/** “44 of 57 directions”. */
export const keptText = ({ kept, tested }: Total, what: string): string => `${kept} of ${tested} ${what}`;

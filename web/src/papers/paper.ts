// What the place Papers knows of a paper before its figures are loaded. build/papers.ts makes it.
import type { Experiment } from "../model/types.ts";

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
/** The claims that speak of a figure, by the figure's id. */
export type FigureClaims = Record<string, Claim[]>;

/** What came out here with the unit that the paper's value has. */
export function withUnit({ paper, here }: Claim): string {
  const unit = /^[^\d]*[\d.]+( [^\d]+)$/.exec(paper)?.[1] ?? "";
  return /^-?[\d.]+$/.test(here) ? `${here}${unit}` : here;
}

/** “44 of 57 directions”. */
export const keptText = ({ kept, tested }: Total, what: string): string => `${kept} of ${tested} ${what}`;

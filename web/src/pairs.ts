// Examples of two runs beside each other: an example, and what is otherwise in the second run.
import type { Catalogue, Experiment } from "./types.ts";

export interface Pair {
  name: string;
  title: string;
  of: string;
  with: Partial<Experiment>;
}
export const PAIRS: readonly Pair[] = [
  {
    name: "hotspot-flip",
    title: "Hotspot: why flip finds more in L1D than reset",
    of: "hotspot-reset",
    with: { cta_order: "flip" },
  },
];

/** Both experiments of a pair; null where there is none of that name. */
export function pairOf({ experiments }: Pick<Catalogue, "experiments">, name: string): [Experiment, Experiment] | null {
  const pair = PAIRS.find((one) => one.name === name),
    first = experiments.find((one) => one.name === pair?.of)?.experiment;
  return pair && first ? [structuredClone(first), { ...structuredClone(first), ...pair.with }] : null;
}

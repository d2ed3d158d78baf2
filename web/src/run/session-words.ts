// What the session calls its sides: in the title of the page, and in the ribbon over pictures of another run.
import { mixText, schemeText } from "../choices.ts";
import type { Catalogue, Experiment } from "../types.ts";
import type { Side } from "./side.ts";

/** What is asked for is not there yet: how, and what the title of the page says of it. */
export const PREPARING = { idle: "Loading", profiling: "Profiling", stopped: "Not begun" } as const;
export type Preparing = keyof typeof PREPARING;

type Known = Catalogue | null;
export const nameOf = (experiment: Experiment, catalogue: Known): string =>
  `${mixText(experiment)} · ${schemeText(experiment, catalogue)}`;

export function titleOf(sides: readonly Side[], catalogue: Known): string {
  const [first, second] = sides;
  if (!first) return "Corun";
  const mixes = [...new Set(sides.map(({ experiment }) => mixText(experiment)))].join(" vs "),
    [a, b] = [first, second].map((one) => one && schemeText(one.experiment, catalogue));
  return `${mixes} · ${a}${b !== undefined && b !== a ? ` vs ${b}` : ""} · Corun`;
}

/** Which run the pictures still show where what the form says cannot run. */
export function standsInstead(sides: readonly Side[], catalogue: Known): string | null {
  const of = sides.find(({ laid }) => laid !== null)?.laid;
  return of ? `Below is still ${nameOf(of.experiment, catalogue)}: what the form says cannot run.` : null;
}

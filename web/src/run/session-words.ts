// What the session calls its sides: in the title of the page, and in the ribbon over pictures of another run.
import { mixText, schemeText } from "../model/choices.ts";
import { fixed } from "../model/format.ts";
import type { Catalogue, Experiment } from "../model/types.ts";
import { ALIKE } from "../model/bars.ts";
import { gpuText } from "../model/choice.ts";
import { saidSlowdown } from "../model/figures.ts";
import type { RunSide } from "../model/model.ts";
import { isFinal } from "../model/says.ts";
import type { Side } from "../model/session.ts";

/** What is asked for is not there yet: how, and what the title of the page says of it. */
export const PREPARING = { idle: "Loading", profiling: "Profiling", stopped: "Not begun" } as const;

type Known = Catalogue | null;
export const nameOf = (experiment: Experiment, catalogue: Known): string =>
  `${mixText(experiment)} · ${schemeText(experiment, catalogue)}`;

export function titleOf(sides: readonly Side[], catalogue: Known): string {
  const [first, second] = sides;
  if (!first) return "";
  const on = ({ experiment }: Side): string => {
    const gpu = gpuText(catalogue, experiment);
    return `${mixText(experiment)}${gpu === undefined ? "" : ` on ${gpu}`}`;
  };
  const mixes = [...new Set(sides.map(on))].join(" vs "),
    [a, b] = [first, second].map((one) => one && schemeText(one.experiment, catalogue));
  return `${mixes} · ${a}${b !== undefined && b !== a ? ` vs ${b}` : ""}`;
}

/** What a tab, or a link that is sent, says of the answer: who suffers most under A, and how that is under B; empty until A's is final. */
export function answerText([a, b]: readonly RunSide[]): string {
  if (!a?.result || !isFinal(a)) return "";
  const slows = a.kernels.map((_, k) => saidSlowdown(a, k) ?? 0),
    kernel = slows.indexOf(Math.max(...slows)),
    under = b && isFinal(b) && !b.elsewhere ? saidSlowdown(b, kernel) : null;
  const [first, second] = [slows[kernel] ?? 0, under].map((slow) => fixed(slow, 1));
  return (slows[kernel] ?? 0) < ALIKE
    ? ""
    : `${a.kernels[kernel]} ${first}${under === null ? "" : ` vs ${second}`} times slower`;
}

/** Which run the pictures still show where what the form says cannot run. */
export function standsInstead(sides: readonly Side[], catalogue: Known): string | null {
  const of = sides.find(({ laid }) => laid !== null)?.laid;
  return of ? `Below is still ${nameOf(of.experiment, catalogue)}: what the form says cannot run.` : null;
}

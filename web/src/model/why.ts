// What stands behind the answer, as tables of numbers: what neighbours cost without one cause each, and where the time of the one that suffers goes.
// No DOM.
import { fixed, finite } from "./format.ts";
import { policiesOf } from "./choices.ts";
import type { Catalogue, Result } from "./types.ts";
import type { RunSide, SchemeAnswer } from "./model.ts";
import { GIVES_BACK } from "./bars.ts";
import { slowdownOf } from "./figures.ts";
import { subject } from "./where.ts";

/** A number of this run beside that of the run alone. */
export interface Beside {
  name: string;
  doc: string;
  here: number | null;
  alone: number | null;
}
/** What neighbours cost without one cause, and what of their cost goes. */
interface Cured {
  name: string;
  here: number | null;
  base: number | null;
  back: number | null;
  /** Half of the interval of that. */
  give: number | null;
}
/** A scheme that acts on the best cure's cause, and what has become of the kernel under it; null where it has not run. */
export interface Acts {
  scheme: string;
  slowdown: number | null;
}
/** What the neighbours cost a kernel that suffers from them, without one cause each. */
export interface Cures {
  title: string;
  kernel: number;
  rows: readonly Cured[];
  not: readonly string[];
  bound: readonly string[];
  acts: readonly Acts[];
}
interface Chain {
  mark: string;
  scheme: string;
  /** The kernel whose time it is. */
  kernel: number;
  name: string;
  cures: readonly Cures[];
  /** What an instruction waits for, in cycles of a warp; a stored answer does not have it. */
  time: readonly Beside[];
}

/** `answers`: what is known of all schemes on A's mix; `acts`: what acts on what, of the catalogue. */
export function chain(side: RunSide, answers: readonly SchemeAnswer[] = [], acts: Catalogue["cures"] = []): Chain {
  const { mark, scheme, kernels, result } = side,
    kernel = subject(side);
  return {
    mark,
    scheme,
    kernel,
    name: kernels[kernel] ?? "",
    cures: result
      ? cures(result, kernel, kernels, (cause, k) => acting(cause, k, side.elsewhere ? [] : answers, acts))
      : [],
    time: result ? time(result, kernel) : [],
  };
}

function cures(
  { because = [], kernels: of }: Result,
  first: number,
  kernels: readonly string[],
  acts: (cause: string, kernel: number) => readonly Acts[],
): Cures[] {
  // Who the sentence is about first.
  const all = [...because].sort((a, b) => Number(b.kernel === first) - Number(a.kernel === first));
  return all.map(({ kernel, cures: tried, not_tried: not, bound }) => ({
    title: `Neighbours cost ${kernels[kernel] ?? ""} ${fixed(finite(of[kernel]?.neighbour_cost), 2)} ×; without one cause each`,
    kernel,
    rows: tried.map(({ words, without, neighbour_cost: here, gives_back: back, ci95 }) => ({
      name: `with ${words}`,
      here: finite(here),
      base: finite(without),
      back: finite(back),
      give: ci95 ? ((ci95[1] ?? 0) - (ci95[0] ?? 0)) / 2 : null,
    })),
    not,
    bound,
    acts: (finite(tried[0]?.gives_back) ?? 0) < GIVES_BACK ? [] : acts(tried[0]?.cure ?? "", kernel),
  }));
}

/** The schemes that act on a cause, those first under which the kernel is least slow. */
function acting(
  cause: string,
  kernel: number,
  answers: readonly SchemeAnswer[],
  cures: Catalogue["cures"],
): readonly Acts[] {
  const names = cures.find(({ name }) => name === cause)?.policies ?? [],
    act = answers.filter(
      ({ experiment, why }) => !why && policiesOf(experiment).some(({ name }) => names.includes(name)),
    );
  return act
    .map(({ scheme, result }) => ({ scheme, slowdown: result && slowdownOf(result, kernel) }))
    .sort((a, b) => (a.slowdown ?? Infinity) - (b.slowdown ?? Infinity));
}

const INSTRUCTION = [
  { key: "memory", name: "waiting for memory", doc: "Waiting for loads that missed L1D." },
  { key: "lsu", name: "waiting for the LSU", doc: "Waiting for the LSU, the load-store unit, to take an access." },
  {
    key: "other",
    name: "everything else",
    doc: "The instruction itself, arithmetic, barriers, another warp's turn, a quota.",
  },
] as const;

function time(result: Result, k: number): Beside[] {
  const { breakdown: here, breakdown_alone: alone } = result.kernels[k] ?? {};
  return here
    ? INSTRUCTION.map(({ key, name, doc }) => ({ name, doc, here: here[key] ?? null, alone: alone?.[key] ?? null }))
    : [];
}

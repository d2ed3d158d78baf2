// What stands behind the answer, as tables of numbers: what neighbours cost without one cause each, the warps of each kernel, what an instruction of the one that
// suffers waits for, where its reads wait, and who fills these places. No DOM.
import { count, fixed, percent, finite } from "../format.ts";
import { policiesOf } from "../choices.ts";
import type { Catalogue, KernelResult, Result } from "../types.ts";
import type { RunSide, SchemeAnswer } from "./model.ts";
import { GIVES_BACK } from "./bars.ts";
import { counter, hasCounters, slowdownOf } from "./figures.ts";
import { held, STATIONS, subject } from "./where.ts";

/** A number of this run beside that of the run alone. */
export interface Beside {
  name: string;
  /** Whose mark stands before it; null for none. */
  kernel: number | null;
  doc: string;
  here: number | null;
  alone: number | null;
}
/** How much of a place each kernel has. */
export interface Shared {
  name: string;
  doc: string;
  parts: { kernel: number; name: string; part: number }[];
  /** The part of its peak that is used; null where none is known. */
  used: number | null;
}
/** What neighbours cost without one cause, and what of their cost goes. */
export interface Cured {
  name: string;
  doc: string;
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
export type Step = { title: string; unit: string } & (
  | { kind: "beside"; rows: Beside[]; format(value: number | null): string }
  | { kind: "shared"; rows: Shared[] }
  | { kind: "cures"; kernel: number; rows: Cured[]; not: readonly string[]; acts: readonly Acts[] }
);
export interface Chain {
  mark: string;
  scheme: string;
  /** The kernel whose reads and instructions it is about. */
  kernel: number;
  name: string;
  steps: Step[];
}

/** `answers`: what is known of all schemes on A's mix; `cures`: what acts on what, of the catalogue. */
export function chain(side: RunSide, answers: readonly SchemeAnswer[] = [], of: Catalogue["cures"] = []): Chain {
  const { mark, scheme, kernels, result } = side,
    kernel = subject(side),
    name = kernels[kernel] ?? "";
  const steps =
    result === null
      ? []
      : [
          ...cures(result, kernels, (cause, k) => acting(cause, k, side.elsewhere ? [] : answers, of)),
          // A stored answer has a part of it.
          ...time(result, kernels, kernel).filter(
            (step) => step.kind === "beside" && step.rows.some(({ here }) => here !== null),
          ),
          ...(result.kernels.every(hasCounters) ? places(result, kernels) : []),
        ];
  return { mark, scheme, kernel, name, steps };
}

// ---------------------------------------------------------------- beside alone

/** What the neighbours cost each kernel that suffers from them, without one cause each. */
function cures(
  { because = [] }: Result,
  kernels: readonly string[],
  acts: (cause: string, kernel: number) => readonly Acts[],
): Step[] {
  return because.map(({ kernel, neighbour_cost: cost = null, cures: tried, not_tried: not }) => ({
    kind: "cures",
    title: `Neighbours cost ${kernels[kernel] ?? ""} ${fixed(cost, 2)} ×; without one cause each`,
    unit: "",
    kernel,
    rows: tried.map(({ words, neighbour_cost: here, gives_back: back, ci95 }) => ({
      name: `with ${words}`,
      doc: "",
      here: finite(here),
      base: cost,
      back: finite(back),
      give: ci95 ? ((ci95[1] ?? 0) - (ci95[0] ?? 0)) / 2 : null,
    })),
    not,
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
  { key: "memory", name: "memory", doc: "Waiting for loads that missed L1D." },
  { key: "lsu", name: "load-store unit", doc: "Waiting for the load-store unit to take an access." },
  {
    key: "other",
    name: "everything else",
    doc: "The instruction itself, arithmetic, barriers, another warp's turn, a quota.",
  },
] as const;
const CACHES = [
  { key: "l1_hit_rate", name: "found in L1D", doc: "Reads that found their line in L1D." },
  { key: "l2_miss_rate", name: "missing in L2", doc: "Lookups of L2 that sent a fetch to DRAM." },
] as const;

function time(result: Result, kernels: readonly string[], k: number): Step[] {
  const here = kernels.map((_, j) => result.kernels[j]?.breakdown ?? null),
    alone = result.kernels.map((kernel) => kernel.breakdown_alone ?? null),
    name = kernels[k] ?? "";
  const rows = (
    of: readonly { key: keyof NonNullable<(typeof here)[number]>; name: string; doc: string }[],
  ): Beside[] =>
    of.map((one) => ({
      name: one.name,
      kernel: null,
      doc: one.doc,
      here: here[k]?.[one.key] ?? null,
      alone: alone[k]?.[one.key] ?? null,
    }));
  return [
    {
      kind: "beside",
      title: "Warps on the GPU",
      unit: "warps",
      format: count,
      rows: kernels.map((label, j) => ({
        name: label,
        kernel: j,
        doc: "Resident warps of the whole GPU, the mean over cycles.",
        here: here[j]?.warps ?? null,
        alone: alone[j]?.warps ?? null,
      })),
    },
    {
      kind: "beside",
      title: `An instruction of ${name} waits for`,
      unit: "cycles of a warp per instruction",
      format: (value) => fixed(value, 1),
      rows: rows(INSTRUCTION),
    },
    {
      kind: "beside",
      title: `A read of ${name} that misses L1D waits in`,
      unit: "cycles per read",
      format: count,
      rows: rows(STATIONS).map((row, i) => ({
        ...row,
        here: finite(result.kernels[k]?.latency?.[(STATIONS[i] as (typeof STATIONS)[number]).key]),
      })),
    },
    { kind: "beside", title: `Reads of ${name}`, unit: "", format: percent, rows: rows(CACHES) },
  ];
}

// ---------------------------------------------------------------- by kernel

function places(result: Result, kernels: readonly string[]): Step[] {
  const sums = (...keys: string[]): number[] =>
    result.kernels.map((kernel) => keys.reduce((sum, key) => sum + counter(kernel, key), 0));
  const shared = (name: string, doc: string, shares: readonly number[], used: number | null = null): Shared => ({
    name,
    doc,
    parts: kernels.map((label, kernel) => ({ kernel, name: label, part: shares[kernel] ?? 0 })),
    used,
  });
  const lines = sums("dram_reads", "dram_writes"),
    contexts = sums("context_lines_out", "context_lines_in");
  const entries =
    "Of the entries that reads take there, the part of each kernel: by Little's law, of all cycles that reads have waited there.";
  const gpu = (key: string): number | null => finite(result.gpu[key]);
  const steps: Step[] = [
    {
      kind: "shared",
      title: "Who fills these places",
      unit: "",
      rows: [
        ...STATIONS.filter(({ key }) => key !== "dram" && key !== "reply_noc").map(({ key, name }) =>
          shared(name, entries, held(result, key)),
        ),
        shared(
          "DRAM",
          "Of the lines that DRAM has moved, the part of each kernel; and the part of its peak that is used.",
          parts(lines),
          gpu("dram_utilisation"),
        ),
        ...(total(contexts) > 0
          ? [
              shared(
                "contexts in DRAM",
                "Of the lines that DRAM has moved, those of CTAs that are switched out or in.",
                parts(contexts, total(lines)),
              ),
            ]
          : []),
        shared(
          "reply network",
          "Of its flits, the part of each kernel; and the part of its peak that is used.",
          parts(sums("noc_reply_flits", "noc_acknowledgement_flits")),
          gpu("noc_utilisation_all"),
        ),
        shared(
          "issue slots",
          "Of the instructions that were issued, the part of each kernel; and the part of all issue slots that is used.",
          parts(sums("warp_instructions")),
          part(total(sums("warp_instructions")), gpu("scheduler_cycles") ?? 0),
        ),
      ],
    },
  ];
  const quotas = result.kernels.map(quota);
  if (total(quotas) > 0)
    steps.push({
      kind: "beside",
      title: "Stopped by a quota",
      unit: "of the cycles in which its schedulers issue nothing",
      format: percent,
      rows: kernels.map((label, kernel) => ({
        name: label,
        kernel,
        doc: "Its warps are ready, and it has used its quota up.",
        here: quotas[kernel] ?? null,
        alone: null,
      })),
    });
  return steps;
}

const quota = ({ stalls }: KernelResult): number =>
  finite((stalls as Record<string, unknown> | undefined)?.["quota"]) ?? 0;
const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const part = (a: number, b: number): number | null => (b > 0 ? a / b : null);
const parts = (values: readonly number[], of = total(values)): number[] => values.map((value) => part(value, of) ?? 0);

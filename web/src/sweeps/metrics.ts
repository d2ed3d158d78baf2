// The figures of a result that a chart and the table of a sweep can show. No DOM.
import { finite } from "../format.ts";
import { fieldsOf } from "../browser-store.ts";
import { kernelLabels } from "../choices.ts";
import { hasGoal } from "../goal.ts";
import { interval } from "../interval-text.ts";
import type { Interval, IntervalsOf, KernelChoice } from "../types.ts";
import type { Line, Plan } from "./types.ts";

export interface Metric {
  key: string;
  title: string;
  unit: string;
  /** Where a result has it: of the mix, of the GPU, of its goals, of its energy, or of one kernel. */
  of: "metrics" | "gpu" | "goals" | "energy" | "kernels";
  kernel?: number;
  /** Its name there, where it is not the key. */
  field?: string;
  /** Which end is the better one, where there is one. */
  better?: "more" | "less";
  /** Digits behind the point. */
  digits: number;
}

const mix = (key: string, title: string, better: Metric["better"], unit = ""): Metric => ({
  key,
  title,
  unit,
  of: "metrics",
  digits: 3,
  ...(better ? { better } : {}),
});
const gpu = (key: string, title: string, unit: string, digits = 3): Metric => ({ key, title, unit, of: "gpu", digits });

/** Of every sweep. */
export const METRICS: readonly Metric[] = [
  mix("stp", "STP", "more"),
  mix("hspeedup", "HSpeedup", "more"),
  mix("antt", "ANTT", "less", "×"),
  mix("fairness", "Fairness", "more"),
  gpu("ipc", "IPC", "thread instructions per cycle", 1),
  gpu("noc_utilisation", "NoC utilisation", "fraction of peak"),
  gpu("dram_utilisation", "DRAM utilisation", "fraction of peak"),
  gpu("l1_hit_rate", "L1D hit rate", "fraction"),
  gpu("l2_miss_rate", "L2 miss rate", "fraction"),
  gpu("dram_row_hit_rate", "Row hits", "fraction"),
  { key: "joules", title: "Energy", unit: "J", of: "energy", better: "less", digits: 4 },
  {
    key: "instructions_per_watt",
    title: "Instructions per watt",
    unit: "thread instructions / W",
    of: "energy",
    better: "more",
    digits: 0,
  },
];

/** Of sweeps with goals. */
const GOALS: readonly Metric[] = [
  { key: "goals_reached", title: "Goals reached", unit: "share of the goals", of: "goals", better: "more", digits: 2 },
  {
    key: "goals_least",
    title: "Least kept goal",
    unit: "part of the goal",
    of: "goals",
    field: "least",
    better: "more",
    digits: 3,
  },
  {
    key: "goals_others",
    title: "Left for the others",
    unit: "part of their IPC alone",
    of: "goals",
    field: "others",
    better: "more",
    digits: 3,
  },
];

const EACH: readonly Pick<Metric, "key" | "title" | "unit" | "field" | "better" | "digits">[] = [
  { key: "slowdown", title: "Slowdown", unit: "×", better: "less", digits: 2 },
  { key: "latency", title: "Latency of a read", unit: "cycles", field: "latency.mean", better: "less", digits: 0 },
  { key: "goal", title: "Part of the goal reached", unit: "", field: "goal_reached", better: "more", digits: 3 },
];

/** Every figure that the points of a sweep can have. A kernel is called by its name where all points have the same there. */
export function metricsOf({ points }: Pick<Plan, "points">): Metric[] {
  const mixes = points.map(({ experiment }) => (experiment.kernels ?? []) as KernelChoice[]);
  const goals = mixes.some((kernels) => kernels.some(hasGoal));
  const names = mixes.map(kernelLabels),
    most = Math.max(0, ...mixes.map(({ length }) => length));
  const kernels = Array.from({ length: most }, (_, k) => {
    const called = new Set(names.map((each) => each[k]));
    return {
      k,
      name: called.size === 1 ? ([...called][0] ?? "") : `kernel ${k + 1}`,
      goal: mixes.some((m) => m[k] !== undefined && hasGoal(m[k])),
    };
  });
  return [
    ...METRICS,
    ...(goals ? GOALS : []),
    ...EACH.flatMap((one) =>
      kernels
        .filter(({ goal }) => goal || one.key !== "goal")
        .map(
          ({ k, name }): Metric => ({
            ...one,
            key: `${one.key}_${k}`,
            title: `${one.title} of ${name}`,
            of: "kernels",
            kernel: k,
            field: one.field ?? one.key,
          }),
        ),
    ),
  ];
}

/** A number by its path in an object. */
function numberAt(of: unknown, path: string): number | null {
  return finite(path.split(".").reduce<unknown>((inner, key) => fieldsOf(inner)[key], of));
}

/** The share of goals that are reached; null while one is not known. */
function reached({ result }: Line): number | null {
  const goals = result.kernels.flatMap(({ goal_reached: part }) => (part === undefined ? [] : [part]));
  return goals.length === 0 || goals.includes(null)
    ? null
    : goals.filter((part) => (part as number) >= 1).length / goals.length;
}

export function figureOf(line: Line | undefined, metric: Metric): number | null {
  if (!line) return null;
  if (metric.key === "goals_reached") return reached(line);
  const { result } = line,
    field = metric.field ?? metric.key;
  return numberAt(metric.of === "kernels" ? result.kernels[metric.kernel ?? 0] : result[metric.of], field);
}

/** The 95 % interval of a figure; null for one that has none. */
export function endsOf(line: Line | undefined, metric: Metric): Interval {
  const ci = line?.result.ci95;
  if (!ci || metric.of === "goals" || metric.of === "energy") return null;
  const of: IntervalsOf | undefined = metric.of === "kernels" ? ci.kernels[metric.kernel ?? 0] : ci[metric.of];
  const [head = "", tail] = (metric.field ?? metric.key).split(".");
  return tail === undefined ? interval(of, head) : interval(of?.[head] as IntervalsOf | undefined, tail);
}

// The figures of a result that a chart and the table of a sweep can show. No DOM.
import { finite } from "../model/format.ts";
import { kernelLabels } from "../model/choices.ts";
import { hasGoal } from "../model/goal.ts";
import { endsOf as figureEnds, readFigure, type Of } from "../model/figures.ts";
import type { Interval, KernelChoice, MetricEntry } from "../model/types.ts";
import type { Line, Plan } from "../engine/lab/sweep.ts";

export interface Metric extends Pick<MetricEntry, "key" | "title" | "unit" | "digits"> {
  of: Of;
  /** Its name there, where it is not the key. */
  field?: string;
}

/** Where a result has the figures of the engine's registry, by what they are figures of: the mix's come first. */
const PLACES: readonly (readonly ["metrics" | "gpu" | "energy", readonly MetricEntry["scope"][]])[] = [
  ["metrics", ["mix"]],
  ["gpu", ["gpu and kernel", "gpu"]],
  ["energy", ["energy"]],
];
/** STP by another name. */
const ALIAS = "wspeedup";
/** Of each kernel: its figure, and what it is called in links. */
const EACH: readonly (readonly [string, string])[] = [
  ["slowdown", "slowdown"],
  ["latency.mean", "latency"],
  ["goal_reached", "goal"],
];

/** Of sweeps with goals. */
const GOALS: readonly Metric[] = [
  { key: "goals_reached", title: "Goals reached", unit: "share of the goals", of: "goals", digits: 2 },
  {
    key: "goals_least",
    title: "Least kept goal",
    unit: "part of the goal",
    of: "goals",
    field: "least",
    digits: 3,
  },
  {
    key: "goals_others",
    title: "Left for the others",
    unit: "part of their IPC alone",
    of: "goals",
    field: "others",
    digits: 3,
  },
];

/** Every figure that the points of a sweep can have, of those of the registry. A kernel is called by its name where all points have the same there. */
export function metricsOf({ points }: Pick<Plan, "points">, registry: readonly MetricEntry[]): Metric[] {
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
  const whole = PLACES.flatMap(([of, scopes]) =>
    registry.filter(({ key, scope }) => scopes.includes(scope) && key !== ALIAS).map((one): Metric => ({ ...one, of })),
  );
  const each = EACH.flatMap(([field, key]): Metric[] => {
    const one = registry.find((entry) => entry.scope === "kernel" && entry.key === field),
      those = kernels.filter(({ goal }) => goal || key !== "goal");
    return one
      ? those.map(({ k, name }) => ({
          ...one,
          key: `${key}_${k}`,
          title: `${one.title} of ${name}`,
          of: k,
          field,
        }))
      : [];
  });
  return [...whole, ...(goals ? GOALS : []), ...each];
}

/** The share of goals that are reached; null while one is not known. */
function reached({ result }: Line): number | null {
  const goals = result.kernels.flatMap(({ goal_reached: part }) => (part === undefined ? [] : [part]));
  return goals.length === 0 || goals.includes(null)
    ? null
    : goals.filter((part) => (part as number) >= 1).length / goals.length;
}

const fieldOf = ({ field, key }: Metric): string => field ?? key;

/** What is endless is no number of a chart. */
export const figureOf = (line: Line | undefined, metric: Metric): number | null =>
  line
    ? metric.key === "goals_reached"
      ? reached(line)
      : finite(readFigure(line.result, metric.of, fieldOf(metric)))
    : null;

export const endsOf = (line: Line | undefined, metric: Metric): Interval =>
  figureEnds(line?.result, metric.of, fieldOf(metric));

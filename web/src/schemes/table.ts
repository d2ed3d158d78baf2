// The mix under every scheme, as data: the sweep that runs it, the columns of its table, and their order. No DOM.
import { mixText } from "../model/choices.ts";
import { fixed, percent, finite } from "../model/format.ts";
import { interval } from "../model/interval-text.ts";
import { titleOf } from "../model/titles.ts";
import type { SchemeAnswer } from "../model/model.ts";
import type { Column as Named } from "../model/tabular.ts";
import { mixFigure, slowdownOf } from "../model/figures.ts";
import type { Experiment, Interval, MetricEntry, PolicyChoice, Result } from "../model/types.ts";

/** A scheme of the table. `deaf`: the mix has goals, and the scheme does not look at them. */
export interface Row {
  name: string;
  answer: SchemeAnswer;
  deaf: boolean;
}

/** The mix with another scheme. Nobody changes an experiment that is shown, so that what they have in common is there once. */
export const under = (experiment: Experiment, policy: PolicyChoice): Experiment => ({ ...experiment, policy });

/** The sweep's text: each of these schemes for so many cycles, with what each kernel does alone. */
export function sweepOf(experiment: Experiment, policies: readonly PolicyChoice[], cycles: number): string {
  const { policy: _, ...rest } = experiment;
  return JSON.stringify({
    corun: 1,
    sweep: {
      name: `${mixText(experiment)} under every scheme`,
      base: { ...rest, stop: { cycles }, alone: rest.alone || true },
      axes: [{ path: "policy", values: policies }],
    },
  });
}

export interface Column extends Named {
  doc: string;
  /** Which figure it is a part of. */
  figure: string;
  /** Of which kernel. */
  kernel: number | null;
  read(result: Result): number | null;
  ends(result: Result): Interval;
  format(value: number | null): string;
  /** What the value means. */
  said?(value: number | null): string;
}

/** What becomes of a promise of which this part is kept. */
const keptText = (reached: number | null): string =>
  reached === null
    ? ""
    : reached >= 1
      ? `reached, ${percent(reached - 1)} to spare`
      : `missed by ${percent(1 - reached)}`;

/** Of what it does alone, by how many times slower it is. */
const left = (slowdown: number | null): number | null => (slowdown === null ? null : 1 / slowdown);
/** A ratio is known as well as its inverse: within the same part of itself. */
const inverse = (value: number | null, ends: Interval): Interval =>
  ends === null || !value
    ? null
    : [1 / value - (value - ends[0]) / value ** 2, 1 / value + (ends[1] - value) / value ** 2];
const LEFT = "What is left for a kernel without a goal: its IPC as a part of its IPC alone";

/**
 * Where kernels have goals, what becomes of each, and what is left for the others; slowdown of each kernel, then the figures of the mix, then what of the machine is used. What they mean is
 * the registry's.
 */
export function columns(
  kernels: readonly string[],
  goals: readonly boolean[],
  metrics: readonly MetricEntry[],
): Column[] {
  const of = (key: string): { title: string; unit: string; doc: string } =>
    metrics.find((m) => m.key === key) ?? { title: titleOf(key), unit: "", doc: "" };
  const ratio =
    (digits: number) =>
    (value: number | null): string =>
      fixed(value, digits);
  const ofGoal = (name: string, k: number): Column => ({
    ...of("goal_reached"),
    key: `goal_reached.${k}`,
    title: `${name}: of its goal`,
    figure: "goals",
    kernel: k,
    format: (value) => percent(value),
    said: keptText,
    read: (r) => finite(r.kernels[k]?.["goal_reached"]),
    ends: (r) => interval(r.ci95?.kernels[k], "goal_reached"),
  });
  const ofAlone = (name: string, k: number): Column => ({
    key: `left.${k}`,
    title: `${name}: of its IPC alone`,
    unit: "",
    doc: LEFT,
    figure: "goals",
    kernel: k,
    format: (value) => percent(value),
    read: (r) => left(slowdownOf(r, k)),
    ends: (r) => inverse(slowdownOf(r, k), interval(r.ci95?.kernels[k], "slowdown")),
  });
  const each = kernels.map((name, k) => ({ name, k })),
    any = goals.includes(true);
  return [
    ...each.filter(({ k }) => goals[k]).map(({ name, k }) => ofGoal(name, k)),
    ...each.filter(({ k }) => any && !goals[k]).map(({ name, k }) => ofAlone(name, k)),
    ...kernels.map(
      (name, k): Column => ({
        ...of("slowdown"),
        key: `slowdown.${k}`,
        title: `Slowdown of ${name}`,
        figure: "slowdown",
        kernel: k,
        format: ratio(2),
        read: (r) => slowdownOf(r, k),
        ends: (r) => interval(r.ci95?.kernels[k], "slowdown"),
      }),
    ),
    ...["hspeedup", "stp", "antt", "fairness"].map(
      (key): Column => ({
        ...of(key),
        key,
        figure: key,
        kernel: null,
        format: ratio(3),
        read: (r) => mixFigure(r, key),
        ends: (r) => interval(r.ci95?.metrics, key),
      }),
    ),
    ...["noc_utilisation", "dram_utilisation"].map(
      (key): Column => ({
        ...of(key),
        key,
        figure: key,
        kernel: null,
        format: (value) => percent(value),
        read: (r) => finite(r.gpu[key]),
        ends: (r) => interval(r.ci95?.gpu, key),
      }),
    ),
    {
      ...of("instructions_per_watt"),
      key: "instructions_per_watt",
      figure: "instructions_per_watt",
      kernel: null,
      format: (value) => fixed(value, 0),
      read: (r) => finite((r["energy"] as Record<string, unknown> | undefined)?.["instructions_per_watt"]),
      ends: () => null,
    },
  ];
}

export interface Order {
  key: string;
  down: boolean;
}

/** In the order of a column; what has no number there comes last. By `scheme`, in the order of the names. */
export function sorted(rows: readonly Row[], all: readonly Column[], order: Order | null): Row[] {
  if (order === null) return [...rows];
  const sign = order.down ? -1 : 1,
    column = all.find(({ key }) => key === order.key);
  if (!column) return [...rows].sort((a, b) => sign * a.name.localeCompare(b.name));
  const value = ({ answer: { result } }: Row): number | null => (result ? column.read(result) : null);
  return [...rows].sort((a, b) => {
    const one = value(a),
      other = value(b);
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  });
}

/** A column that is chosen sorts upwards, and the other way the second time. */
export const nextOrder = (order: Order | null, key: string): Order => ({
  key,
  down: order?.key === key ? !order.down : false,
});

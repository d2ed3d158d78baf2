// The mix under every scheme, as data: the sweep that runs it, the columns of its table, and their order. No DOM.
import { mixText } from "../model/choices.ts";
import { percent } from "../model/format.ts";
import { titleOf } from "../model/titles.ts";
import type { SchemeAnswer } from "../model/model.ts";
import type { Column as Named } from "../model/tabular.ts";
import { endsOf, formatOf, readFigure, type Of } from "../model/figures.ts";
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

/** Of what it does alone, by how many times slower it is. A ratio is known as well as its inverse: within the same part of itself. */
function left(name: string, k: number): Column {
  const read = (r: Result): number | null => readFigure(r, k, "slowdown");
  return {
    key: `left.${k}`,
    title: `${name}: of its IPC alone`,
    unit: "",
    doc: "What is left for a kernel without a goal: its IPC as a part of its IPC alone",
    figure: "goals",
    kernel: k,
    format: percent,
    read: (r) => {
      const slowdown = read(r);
      return slowdown === null ? null : 1 / slowdown;
    },
    ends: (r) => {
      const value = read(r),
        ends = endsOf(r, k, "slowdown");
      return ends === null || !value
        ? null
        : [1 / value - (value - ends[0]) / value ** 2, 1 / value + (ends[1] - value) / value ** 2];
    },
  };
}

/**
 * Where kernels have goals, what becomes of each, and what is left for the others; slowdown of each kernel, then the figures of the mix, then what of the machine is used. What they mean is
 * the registry's.
 */
export function columns(
  kernels: readonly string[],
  goals: readonly boolean[],
  metrics: readonly MetricEntry[],
): Column[] {
  const column = (key: string, of: Of, more: Partial<Column> = {}): Column => {
    const entry = metrics.find((m) => m.key === key) ?? { title: titleOf(key), unit: "", doc: "", digits: 2 };
    return {
      ...entry,
      key: typeof of === "number" ? `${key}.${of}` : key,
      figure: key,
      kernel: typeof of === "number" ? of : null,
      format: formatOf(entry),
      read: (r) => readFigure(r, of, key),
      ends: (r) => endsOf(r, of, key),
      ...more,
    };
  };
  const each = kernels.map((name, k) => ({ name, k })),
    any = goals.includes(true);
  return [
    ...each
      .filter(({ k }) => goals[k])
      .map(({ name, k }) =>
        column("goal_reached", k, { title: `${name}: of its goal`, figure: "goals", format: percent, said: keptText }),
      ),
    ...each.filter(({ k }) => any && !goals[k]).map(({ name, k }) => left(name, k)),
    ...each.map(({ name, k }) => column("slowdown", k, { title: `Slowdown of ${name}` })),
    ...["hspeedup", "stp", "antt", "fairness"].map((key) => column(key, "metrics")),
    ...["noc_utilisation", "dram_utilisation"].map((key) => column(key, "gpu")),
    column("instructions_per_watt", "energy"),
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

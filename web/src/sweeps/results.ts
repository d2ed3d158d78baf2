// The results of a sweep as tables and as the series of a chart: plain functions of the plan and the lines.
import { mixText, valueText } from "../model/choices.ts";
import { pathTitle } from "../model/titles.ts";
import type { Cell, Column, Tabular } from "../model/tabular.ts";
import type { Interval, KernelChoice, MetricEntry, SweepPoint } from "../model/types.ts";
import { endsOf, figureOf, metricsOf, type Metric } from "./metrics.ts";
import type { Line, Plan } from "../engine/lab/sweep.ts";

const axisValue = (path: string, value: unknown): string =>
  path === "kernels" && Array.isArray(value) ? mixText({ kernels: value as KernelChoice[] }) : valueText(value);

/** What a point sets on one axis; the paths of a zip together. */
export function axisText(plan: Plan, axis: number, point: SweepPoint): string {
  return (plan.axes[axis] ?? []).map((path) => axisValue(path, point.axes[path])).join(", ");
}
export const axisTitle = (plan: Plan, axis: number): string => (plan.axes[axis] ?? []).map(pathTitle).join(", ");

// ---------------------------------------------------------------- the table of points

const plain = (value: unknown): Cell =>
  typeof value === "number"
    ? value
    : value === undefined || value === null
      ? null
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);

/** Everything that a spreadsheet can use: a row for each point that is done. */
export function everything(plan: Plan, lines: ReadonlyMap<number, Line>, registry: readonly MetricEntry[]): Tabular {
  const paths = plan.axes.flat(),
    metrics = metricsOf(plan, registry).filter(({ of }) => typeof of === "string");
  const kernels = Math.max(0, ...[...lines.values()].map((line) => line.result.kernels.length));
  const perKernel = [
    "name",
    "ipc",
    "ipc_alone",
    "slowdown",
    "noc_utilisation",
    "dram_utilisation",
    "l1_hit_rate",
    "l2_miss_rate",
    "latency",
    "goal_reached",
  ];
  const ofKernel = (kernel: Line["result"]["kernels"][number] | undefined, key: string): Cell =>
    plain(key === "latency" ? kernel?.latency?.mean : kernel?.[key]);
  const column = (key: string, unit = ""): Column => ({ key, title: key, unit });
  const columns = [
    column("index"),
    ...paths.map((path) => column(path)),
    column("config_hash"),
    column("digest"),
    column("cycles"),
    column("stop"),
    ...metrics.map((m) => column(`${m.of}.${m.field ?? m.key}`, m.unit)),
    ...Array.from({ length: kernels }, (_, k) => perKernel.map((key) => column(`kernels[${k}].${key}`))).flat(),
  ];
  const done = [...lines.values()].sort((a, b) => a.index - b.index);
  const rows = done.map((line): Cell[] => {
    const { index, axes, config_hash, result } = line;
    return [
      index,
      ...paths.map((path) => plain(axes[path])),
      config_hash,
      result.digest,
      result.cycles,
      result.stop ?? null,
      ...metrics.map((m) => figureOf(line, m)),
      ...Array.from({ length: kernels }, (_, k) => perKernel.map((key) => ofKernel(result.kernels[k], key))).flat(),
    ];
  });
  return { title: plan.name || "A sweep", columns, rows };
}

// ---------------------------------------------------------------- the chart: one axis across, the others as series

interface Series {
  name: string;
  /** A value for each place across; null where there is none (yet). */
  values: (number | null)[];
  /** Of each value, its interval, where it has one. */
  ends: Interval[];
}
export interface ChartData {
  across: {
    title: string;
    labels: string[];
    /** Where all labels are numbers that rise. */
    numbers: number[] | null;
  };
  series: Series[];
  metric: Metric;
}

/** Series that a chart can tell apart. */
export const MOST_SERIES = 8;

export function chartData(plan: Plan, lines: ReadonlyMap<number, Line>, metric: Metric, axis: number): ChartData {
  const labels: string[] = [];
  const numbers: number[] = [];
  const series = new Map<string, { values: (number | null)[]; ends: Interval[] }>();
  plan.points.forEach((point, index) => {
    const label = axisText(plan, axis, point);
    let at = labels.indexOf(label);
    if (at < 0) {
      at = labels.push(label) - 1;
      const value = point.axes[plan.axes[axis]?.[0] ?? ""];
      if (typeof value === "number") numbers.push(value);
    }
    const name = plan.axes.flatMap((_, other) => (other === axis ? [] : [axisText(plan, other, point)])).join(" · ");
    const one = series.get(name) ?? { values: [], ends: [] };
    series.set(name, one);
    one.values[at] = figureOf(lines.get(index), metric);
    one.ends[at] = endsOf(lines.get(index), metric);
  });
  const rising =
    numbers.length === labels.length &&
    numbers.length > 1 &&
    numbers.every((n, i) => i === 0 || n > (numbers[i - 1] as number));
  return {
    across: { title: axisTitle(plan, axis), labels, numbers: rising ? numbers : null },
    series: [...series].map(([name, { values, ends }]) => ({
      name,
      values: labels.map((_, i) => values[i] ?? null),
      ends: labels.map((_, i) => ends[i] ?? null),
    })),
    metric,
  };
}

// ---------------------------------------------------------------- the file

/** The lines as the runner's file has them: in the order of the points, whatever the order in which they were run. */
export function fileText(texts: ReadonlyMap<number, string>): string {
  return [...texts]
    .sort(([a], [b]) => a - b)
    .map(([, line]) => `${line}\n`)
    .join("");
}

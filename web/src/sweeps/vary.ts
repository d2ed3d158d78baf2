// A sweep that varies one field of an experiment, and the axes of a sweep as a form has them: plain functions of JSON.
import { fieldsOf } from "../engine/browser-store.ts";
import type { Experiment } from "../model/types.ts";
import { read } from "./state.ts";

export interface Axis {
  path: string;
  values: unknown[];
}

/** Cycles of each point, where the experiment says none: a sweep is not as long as a run that is looked at. */
const CYCLES = 100_000;

/** Values around one: half of it, itself and twice, as far as they are allowed. */
export function around(value: number, min = -Infinity, max = Infinity): number[] {
  const whole = Number.isInteger(value);
  const all = (value === 0 ? [0, 1, 2] : [value / 2, value, value * 2]).map((v) =>
    Math.min(max, Math.max(min, whole ? Math.round(v) : v)),
  );
  return [...new Set(all)];
}

/** The file of a sweep over one field of an experiment. */
export function sweepOf(experiment: Experiment, axis: Axis, title: string): string {
  const { corun, name, source, ...rest } = experiment;
  void source;
  const kernels = rest.kernels.map((kernel, i) =>
    axis.path === `kernels[${i}].ctas_per_sm` && typeof kernel === "string" ? { kernel } : kernel,
  );
  const base = {
    corun,
    ...rest,
    kernels,
    ...(typeof rest.policy === "string" && axis.path.startsWith("policy.") ? { policy: { name: rest.policy } } : {}),
    stop: rest.stop ?? { cycles: CYCLES },
  };
  return `${JSON.stringify({ corun: 1, sweep: { name: `${title} of ${typeof name === "string" && name !== "" ? name : "the experiment"}`, base, axes: [axis] } }, null, 2)}\n`;
}

/** The axes of a sweep's text, where a form can show them; null where the text is not such a sweep. */
export function axesOf(text: string): (Axis | { zip: Axis[] })[] | null {
  const { axes } = fieldsOf(fieldsOf(read(text))["sweep"]);
  const isAxis = (one: unknown): boolean => {
    const { path, values, zip } = fieldsOf(one);
    return typeof path === "string" && Array.isArray(values) && zip === undefined;
  };
  const all = (list: unknown, is: (one: unknown) => boolean): boolean => Array.isArray(list) && list.every(is);
  return all(axes, (one) => isAxis(one) || all(fieldsOf(one)["zip"], isAxis))
    ? (axes as (Axis | { zip: Axis[] })[])
    : null;
}

/** The text with other axes. */
export function withAxes(text: string, axes: readonly unknown[]): string {
  const file = JSON.parse(text) as { sweep: { axes: unknown } };
  file.sweep.axes = axes;
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Values as they are typed: “1, 2, 4”, “even, ccbp”, or JSON where that is needed. */
export function readValues(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) {
    try {
      const list = JSON.parse(trimmed) as unknown;
      if (Array.isArray(list)) return list;
    } catch {
      /* taken as words */
    }
  }
  return trimmed === ""
    ? []
    : trimmed
        .split(/\s*,\s*/)
        .filter((part) => part !== "")
        .map((part) =>
          part === "true" ? true : part === "false" ? false : Number.isFinite(Number(part)) ? Number(part) : part,
        );
}
export function valuesText(values: readonly unknown[]): string {
  return values.every(
    (v) =>
      typeof v === "number" ||
      typeof v === "boolean" ||
      (typeof v === "string" && readValues(v)[0] === v && !v.includes(",")),
  )
    ? values.join(", ")
    : JSON.stringify(values);
}

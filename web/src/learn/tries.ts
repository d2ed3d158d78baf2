// Ten things to try, as data (tries.json), and whether what a text says happens does happen.
import type { Experiment } from "../types.ts";

/** A value of a run, by its place in the result, against a bound or against the same number of the other run. */
interface Expectation {
  of: "experiment" | "other";
  at: string;
  is: "over" | "under" | "is";
  /** A number, or as many times what the other run has; a word is to be that word. */
  than: number | string | { times: number };
}
export interface Try {
  id: string;
  title: string;
  press: string;
  watch: string;
  why: string;
  experiment: Experiment;
  other?: Experiment;
  expect: readonly Expectation[];
}

/** What stands at a place such as `kernels.0.slowdown`. */
function valueAt(result: unknown, place: string): unknown {
  let value: unknown = result;
  for (const key of place.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return value;
}

/** What does not hold, in words. */
export function broken(expect: readonly Expectation[], results: { experiment: unknown; other?: unknown }): string[] {
  return expect.flatMap(({ of, at, is, than }) => {
    const found = valueAt(results[of], at),
      rest = valueAt(results[of === "other" ? "experiment" : "other"], at),
      bound = typeof than === "object" ? (typeof rest === "number" ? than.times * rest : null) : than;
    const holds =
      is === "is"
        ? found === bound
        : typeof found === "number" && typeof bound === "number" && (is === "over" ? found > bound : found < bound);
    return holds ? [] : [`${at} of ${of} is ${String(found)}, and not ${is === "is" ? "" : `${is} `}${String(bound)}`];
  });
}

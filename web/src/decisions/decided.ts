// What the policy decided, as plain data: what holds for each kernel, and the controls in force.
import { neutral, numbersText, type KernelControl } from "../model/manual.ts";
import type { Decision } from "../model/types.ts";

/**
 * What was decided last on each topic and kernel: `gets 6 CTAs` is what has become of `may hold 4 CTAs while it is measured`. Several decisions
 * of one cycle on one topic stand together. Kernels in order, the whole GPU last; of each, the latest first.
 */
export function holding(log: readonly Decision[], kernels: number): { kernel: number | null; said: Decision[] }[] {
  const groups = [...Array.from({ length: kernels }, (_, k) => k), null];
  return groups
    .map((kernel) => {
      const mine = log.filter((d) => d.kernel === kernel);
      const last = new Map(mine.map((d) => [about(d), d.cycle]));
      return { kernel, said: mine.filter((d) => last.get(about(d)) === d.cycle).sort((a, b) => b.cycle - a.cycle) };
    })
    .filter(({ said }) => said.length > 0);
}

/** What a decision is about: a script sets one control after another. */
const about = (d: Decision): string => `${d.topic} ${String(d.values["control"] ?? "")}`;

/** The controls that are not neutral for all kernels, one row each with an entry for each kernel. */
export function inForce(
  offered: readonly KernelControl[],
  controls: unknown,
  kernels: number,
  sms: number,
): { control: KernelControl; entries: string[] }[] {
  const given = (controls ?? {}) as Record<string, unknown>;
  const rows = offered.map((control) => {
    const value = given[control.key],
      none = JSON.stringify(neutral(control));
    const all = Array.from({ length: kernels }, (_, k) => bySms(value, sms).map((list) => list[k] ?? neutral(control)));
    const plain = all.every((values) => values.every((v) => JSON.stringify(v) === none));
    return plain ? null : { control, entries: all.map((values) => entryText(control, values)) };
  });
  return rows.filter((row) => row !== null);
}

/** The lists by kernel that a control has: one for all SMs, or one for each range of SMs and an empty one for SMs that are not named. */
function bySms(value: unknown, sms: number): unknown[][] {
  if (Array.isArray(value)) return [value];
  if (typeof value !== "object" || value === null) return [[]];
  const named = Object.keys(value)
    .map((key) => key.split("-").map(Number))
    .reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0);
  const lists = Object.values(value) as unknown[][];
  return named < sms ? [...lists, []] : lists;
}

function entryText(control: KernelControl, values: readonly unknown[]): string {
  if (control.kind === "numbers")
    return [...new Set(values.map((v) => numbersText(v as number[]) || "none"))].join(" or ");
  if (control.kind === "choice") return [...new Set(values.map(String))].join(" or ");
  if (control.kind === "flag")
    return values.every((v) => v === true) ? "yes" : values.includes(true) ? "on some SMs" : "no";
  const numbers = values.map((v) => (typeof v === "number" ? v : Infinity)),
    least = Math.min(...numbers),
    most = Math.max(...numbers);
  const one = (n: number): string => (n === Infinity ? "no limit" : n.toLocaleString("en"));
  return least === most ? one(least) : `${one(least)} to ${one(most)}`;
}

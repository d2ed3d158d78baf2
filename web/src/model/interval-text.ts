// How sure a number is: its 95 % interval as a half-width, and what a run says of being settled, in words.
import { MISSING } from "./format.ts";
import type { Interval, IntervalsOf, Result } from "./types.ts";

/** An interval by the key of its number; null for a number that has none. */
export function interval(of: IntervalsOf | undefined, key: string): Interval {
  const found = of?.[key];
  return Array.isArray(found) ? found : null;
}

/** `±2.3`, written as its number is; nothing where there is no interval. What rounds to 0 is less than the last digit. */
export function plusMinus(value: number | null | undefined, ends: Interval, format: (value: number) => string): string {
  if (typeof value !== "number" || ends === null) return "";
  const half = Math.max(ends[1] - value, value - ends[0]);
  const text = format(half);
  if (text === MISSING) return "";
  return half > 0 && !/[1-9]/.test(text) ? `±<${text.replace(/0(?!.*0)/, "1")}` : `±${text}`;
}

/** The same at length, for those who point at it. */
export function inFull(ends: Interval, format: (value: number) => string): string {
  return ends === null ? "" : `95 % interval: ${format(ends[0])} to ${format(ends[1])}`;
}

/** A part as per cent with two digits that mean something: `±0.83 %`, `±12 %`; a line does not break in it. */
export function part(value: number): string {
  return `±${Number((value * 100).toPrecision(2)).toLocaleString("en")}\u00a0%`;
}

const SHORT = "It comes with the tenth window of 400 cycles.";

/** How sure the run is, in a sentence. `title`: what a ratio is called. */
export function sureness(result: Result | null, title: (ratio: string) => string): string {
  const settled = result?.settled;
  if (result && result.cycles > 0 && !result.ci95) return "Intervals are of whole runs, not of a stretch.";
  if (!result || !settled) return ofIpc(result);
  const name = (kernel: number | null): string => result.kernels[kernel ?? -1]?.name ?? "a kernel";
  const known =
    settled.known === null
      ? ""
      : ` ${title(settled.ratio ?? "")} of ${name(settled.kernel)} is known least: ${part(settled.known)}.`;
  if (settled.reached) return `Settled, as asked: ${part(settled.within)}.${known}`;
  if (result["stop"] === "cycles") return `It ended before it was settled (${part(settled.within)}).${known}`;
  if (settled.waits_for !== null)
    return `Not settled yet: ${name(settled.waits_for)} has not shown a whole launch.${known}`;
  return known === "" ? SHORT : `It stops at ${part(settled.within)}.${known}`;
}

/** The kernel whose IPC is known least. */
function ofIpc(result: Result | null): string {
  let worst: { name: string; part: number } | null = null;
  for (const [k, kernel] of (result?.kernels ?? []).entries()) {
    const ends = interval(result?.ci95?.kernels[k], "ipc");
    if (ends === null || !kernel.ipc) continue;
    const part = (ends[1] - kernel.ipc) / kernel.ipc; // the lower end may be cut off at 0
    if (worst === null || part > worst.part) worst = { name: kernel.name, part };
  }
  return worst === null ? SHORT : `IPC of ${worst.name} is known least: ${part(worst.part)}.`;
}

/** How far `b` is above `a`, and half of the interval of that, where both have one: the runs are taken as independent. */
interface Gap {
  value: number;
  half: number | null;
}
export function apart(a: number | null, aEnds: Interval, b: number | null, bEnds: Interval): Gap | null {
  if (a === null || b === null) return null;
  const half = (value: number, ends: Interval): number | null =>
    ends === null ? null : Math.max(ends[1] - value, value - ends[0]);
  const one = half(a, aEnds),
    other = half(b, bEnds);
  return { value: b - a, half: one === null || other === null ? null : Math.hypot(one, other) };
}

/** More than chance explains. */
export const isClear = ({ value, half }: Gap): boolean => half !== null && Math.abs(value) > half;

/** `+2.3`, `−0.41`, `0.00`. */
export function gapText(gap: Gap | null, format: (value: number) => string): string {
  if (gap === null) return MISSING;
  const text = format(Math.abs(gap.value));
  return /[1-9]/.test(text) ? `${gap.value > 0 ? "+" : "−"}${text}` : text;
}

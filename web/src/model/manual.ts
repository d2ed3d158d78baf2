// The controls that the manual policy sets, as the page offers them; the engine's registry says which there are, and what they take. What is
// left out stays neutral.
import type { ControlEntry } from "./types.ts";

/** A control with an entry for each kernel. */
export interface KernelControl extends Omit<ControlEntry, "kind"> {
  min: number;
  max: number;
  kind: "limit" | "rank" | "numbers" | "flag" | "choice";
}

const KINDS: Partial<Record<ControlEntry["kind"], KernelControl["kind"]>> = {
  limit: "limit",
  requests: "limit",
  int: "rank",
  numbers: "numbers",
  sms: "numbers",
  flag: "flag",
  choice: "choice",
};

/** Those of the registry's controls that have an entry for each kernel, on a GPU with so many SMs. */
export function kernelControls(all: readonly ControlEntry[], sms: number): KernelControl[] {
  return all
    .filter((c) => c.scope.startsWith("kernel"))
    .flatMap((c) => {
      const kind = KINDS[c.kind],
        max = c.kind === "sms" ? sms - 1 : (c.max ?? 1);
      return kind === undefined ? [] : [{ ...c, min: c.min ?? 0, max, kind, doc: `${c.doc}. Empty: ${c.neutral}.` }];
    });
}

/** `0-2, 5` as [0, 1, 2, 5]; null when it is not such a list. */
export function parseNumbers(text: string, max: number): number[] | null {
  const out = new Set<number>();
  for (const part of text.split(/[,\s]+/).filter((p) => p !== "")) {
    const found = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part);
    if (!found) return null;
    const from = Number(found[1]);
    const to = Number(found[2] ?? found[1]);
    if (from > to || to > max) return null;
    for (let n = from; n <= to; n += 1) out.add(n);
  }
  return [...out].sort((a, b) => a - b);
}

/** [0, 1, 2, 5] as `0-2, 5`. */
export function numbersText(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; i += 1) {
    const from = numbers[i] as number;
    while (numbers[i + 1] === (numbers[i] as number) + 1) i += 1;
    const to = numbers[i] as number;
    parts.push(from === to ? String(from) : `${from}-${to}`);
  }
  return parts.join(", ");
}

/** The entry of one kernel, with the neutral value where there is none. */
export function neutral(control: KernelControl): unknown {
  if (control.kind === "rank") return 0;
  if (control.kind === "flag") return false;
  if (control.kind === "choice") return control.neutral;
  if (control.kind === "limit") return null;
  return Array.from({ length: control.max + 1 }, (_, i) => i);
}

/**
 * `controls` with one kernel's entry changed; null puts it back to neutral, and a control that is neutral for all kernels is left out.
 */
export function withEntry(
  controls: Record<string, unknown>,
  control: KernelControl,
  kernels: number,
  kernel: number,
  value: unknown,
): Record<string, unknown> {
  const none = neutral(control);
  const old = controls[control.key];
  const entries = Array.from(
    { length: kernels },
    (_, k) => (Array.isArray(old) ? (old[k] as unknown) : undefined) ?? none,
  );
  entries[kernel] = value ?? none;
  const next = { ...controls };
  if (entries.every((e) => JSON.stringify(e) === JSON.stringify(none))) delete next[control.key];
  else next[control.key] = entries;
  return next;
}

// ---------------------------------------------------------------- sliders

/** What the stops of a slider stand for, from left to right; a limit's last stop is “no limit”. */
export function stops(control: KernelControl): (number | null)[] {
  // Ranks only compare kernels, of which there are eight.
  if (control.kind === "rank") return Array.from({ length: 9 }, (_, rank) => rank);
  const out: (number | null)[] = control.min === 0 ? [0] : [];
  if (control.max <= 100) for (let n = 1; n <= control.max; n += 1) out.push(n);
  else
    for (let power = 1; power <= control.max; power *= 10)
      out.push(...[1, 2, 5].map((n) => n * power).filter((n) => n <= control.max));
  return [...out, null];
}

/** The stop that is nearest to a value; one between two stops is at the lower one. */
export function stopOf(control: KernelControl, value: number | null): number {
  const all = stops(control);
  if (value === null) return control.kind === "rank" ? 0 : all.length - 1;
  return Math.max(0, all.filter((stop) => stop !== null && stop <= value).length - 1);
}

export function stopText(control: KernelControl, value: number | null): string {
  if (value === null) return control.kind === "rank" ? "rank 0" : "no limit";
  return control.kind === "rank" ? `rank ${value}` : `${value.toLocaleString("en")} ${control.unit}`;
}

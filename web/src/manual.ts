// The controls that the manual policy sets, as the page offers them: one row each, one entry per kernel. The names, units and
// meanings are those of the engine's controls; what is left out stays neutral.

export interface KernelControl {
  key: string; title: string; unit: string; min: number; max: number;
  kind: "limit" | "rank" | "numbers";
  doc: string;
}

export const KERNEL_CONTROLS: readonly KernelControl[] = [
  { key: "sm_mask", title: "SMs", unit: "numbers", min: 0, max: 63, kind: "numbers", doc: "SMs that the kernel may use, such as 0-7. Empty: all." },
  { key: "cta_target", title: "CTA target", unit: "per SM", min: 0, max: 64, kind: "limit", doc: "Resident CTAs on each SM, at most. Empty: no limit." },
  { key: "cta_throttle", title: "CTA throttle", unit: "per SM", min: 0, max: 64, kind: "limit", doc: "CTAs on each SM that may issue; younger ones pause. Empty: no limit." },
  { key: "warp_quota", title: "Warp quota", unit: "instructions", min: 0, max: 1e9, kind: "limit", doc: "Warp instructions on each SM between refills. Empty: no limit." },
  { key: "memory_cap", title: "Memory cap", unit: "instructions", min: 0, max: 65_535, kind: "limit", doc: "Memory instructions in flight on each SM, at most. Empty: no limit." },
  { key: "memory_quota", title: "Memory quota", unit: "instructions", min: 1, max: 1e9, kind: "limit", doc: "Memory instructions in a round; who has most left goes first. Empty: goes ahead of all." },
  { key: "miss_credits", title: "Miss credits", unit: "requests", min: 0, max: 1e6, kind: "limit", doc: "Requests from each SM's miss queue in a credit interval. Empty: no limit." },
  { key: "l1_ways", title: "L1D ways", unit: "numbers", min: 0, max: 31, kind: "numbers", doc: "Ways that its fills may take, such as 0-1. Empty: all." },
  { key: "dispatch_rank", title: "Dispatch rank", unit: "", min: 0, max: 255, kind: "rank", doc: "Lower ranks are placed first. Empty: 0." },
  { key: "miss_rank", title: "Miss-queue rank", unit: "", min: 0, max: 255, kind: "rank", doc: "Lower ranks go first, in a split miss queue. Empty: 0." },
  { key: "dram_rank", title: "DRAM rank", unit: "", min: 0, max: 255, kind: "rank", doc: "Lower ranks are served first. Empty: 0." },
];

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
export function neutral(control: KernelControl, sms: number): unknown {
  if (control.kind === "rank") return 0;
  if (control.kind === "limit") return null;
  return Array.from({ length: control.key === "sm_mask" ? sms : 32 }, (_, i) => i);
}

/**
 * `controls` with one kernel's entry changed; null puts it back to neutral, and a control that is neutral for all kernels is left out.
 */
export function withEntry(controls: Record<string, unknown>, control: KernelControl, kernels: number, sms: number, kernel: number, value: unknown): Record<string, unknown> {
  const none = neutral(control, sms);
  const old = controls[control.key];
  const entries = Array.from({ length: kernels }, (_, k) => (Array.isArray(old) ? old[k] as unknown : undefined) ?? none);
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
  else for (let power = 1; power <= control.max; power *= 10) out.push(...[1, 2, 5].map((n) => n * power).filter((n) => n <= control.max));
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

// When a run stops: the rule, and its numbers as the form edits them. The engine judges them.

export type StopRule = "cycles" | "kernels_done" | "settled";
export interface Stop {
  cycles?: number;
  kernels_done?: boolean;
  settled?: number;
  of?: string[];
  at_most?: number;
}

export function stopRule(stop: Stop | undefined): StopRule {
  return stop?.settled !== undefined ? "settled" : stop?.kernels_done ? "kernels_done" : "cycles";
}

/** The cycle after which a run ends, as its experiment says after defaults, behind its warm-up; null where it depends on what happens. */
export function endOf({ stop, warm_up: warmUp }: { stop?: unknown; warm_up?: unknown }): number | null {
  const { cycles, kernels_done: done, settled } = (stop ?? {}) as Stop;
  return typeof cycles === "number" && done !== true && settled === undefined
    ? cycles + (typeof warmUp === "number" ? warmUp : 0)
    : null;
}

/** The stop condition with another rule, which keeps the number of cycles; nothing for what is the default. */
export function withRule(stop: Stop | undefined, rule: StopRule): Stop | undefined {
  const most = stop?.cycles ?? stop?.at_most;
  if (rule === "settled") return { settled: 0.01, ...(most === undefined ? {} : { at_most: most }) };
  if (rule === "kernels_done") return { kernels_done: true, ...(most === undefined ? {} : { cycles: most }) };
  return most === undefined ? undefined : { cycles: most };
}

/** The stop condition with another number; null takes it out. */
export function withNumber(
  stop: Stop | undefined,
  key: "cycles" | "settled" | "at_most",
  value: number | null,
): Stop | undefined {
  const { [key]: _, ...rest } = stop ?? {};
  const next: Stop = value === null ? rest : { ...rest, [key]: value };
  return Object.keys(next).length === 0 ? undefined : next;
}

/** Parts and per cent, without the digits that binary fractions add. */
export const toPercent = (value: number): number => Number((value * 100).toPrecision(12));
export const fromPercent = (value: number): number => Number((value / 100).toPrecision(12));

// What a kernel is promised, as the form shows it and as an experiment says it (`kernels[k].qos`). No DOM.
import type { KernelChoice } from "./types.ts";

/** A share of its IPC alone in percent, an IPC, or a deadline in milliseconds for each of its runs. */
export interface Goal {
  kind: "percent" | "ipc" | "deadline";
  value: number;
}

/** The kinds in words, with the number that a new one begins with. */
export const GOALS: readonly {
  kind: Goal["kind"];
  title: string;
  unit: string;
  first: number;
  /** What the format calls it. */
  field: string;
}[] = [
  { kind: "percent", title: "part of its speed alone", unit: "% of its IPC alone", first: 80, field: "of_alone" },
  { kind: "ipc", title: "an IPC", unit: "thread instructions a cycle", first: 100, field: "ipc" },
  { kind: "deadline", title: "a deadline for each run", unit: "ms", first: 1, field: "deadline_ms" },
];

/** The goal that an experiment says; null for none, and for what the form cannot show. */
export function goalOf(qos: unknown): Goal | null {
  // Not 56.99999999999999 %.
  if (typeof qos === "number") return { kind: "percent", value: Number((qos * 100).toPrecision(12)) };
  if (typeof qos !== "object" || qos === null) return null;
  const { of_alone: share, ipc, deadline_ms: ms } = qos as Record<string, unknown>;
  if (typeof share === "number") return goalOf(share);
  return typeof ipc === "number"
    ? { kind: "ipc", value: ipc }
    : typeof ms === "number"
      ? { kind: "deadline", value: ms }
      : null;
}

/** As an experiment says it. */
export const written = ({ kind, value }: Goal): unknown =>
  kind === "percent" ? Number((value / 100).toPrecision(12)) : kind === "ipc" ? { ipc: value } : { deadline_ms: value };

/** Whether a kernel of a mix is promised anything. */
export const hasGoal = (choice: KernelChoice): boolean => typeof choice === "object" && choice["qos"] !== undefined;

/** A kernel of a mix with something more said of it, or, with null, no longer. One of which nothing more is said is only its name. */
export function withExtra(choice: KernelChoice, key: string, value: unknown): KernelChoice {
  const more: Record<string, unknown> =
    typeof choice === "object" && choice["kernel"] !== undefined ? { ...choice } : { kernel: choice };
  delete more[key];
  if (value !== null) more[key] = value;
  return Object.keys(more).length === 1 ? (more["kernel"] as KernelChoice) : more;
}

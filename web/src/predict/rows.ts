// The table of predictions: a row for each kernel, with what is predicted, what the run shows so far, and what becomes of its deadline. No DOM.
import { MISSING, count, fixed } from "../format.ts";
import type { Prediction } from "../types.ts";
import { cyclesOf, errorOf, figureOf, signed, smsText, verdict, type Setup, type Shown } from "./model.ts";

export interface RunShown {
  shown: readonly Shown[];
  now: number;
}
/** A number, and what stands beside it. */
type Cell = readonly [value: string, beside: string];
export interface Row {
  name: string;
  sms: string;
  cells: Readonly<Record<Key, Cell>>;
  /** Predicted over simulated, less 1; null while nothing is simulated. */
  error: number | null;
  /** What becomes of the deadline, where there is one. `met`: as the run has proven it; `meets`: else by prediction. */
  judged: { met: boolean | null; meets: boolean; text: string } | null;
}
type Key = "latency" | "simulated" | "error" | "slowdown" | "bandwidth" | "naive";

/** The paper's margin of acceptability (§7.3). */
export const MARGIN = 0.2;
export const COLUMNS: readonly { key: Key; title: string; doc: string }[] = [
  {
    key: "latency",
    title: "Predicted",
    doc: "Latency from the common start to the kernel's end, in milliseconds and core cycles (Eq. 8).",
  },
  {
    key: "simulated",
    title: "Simulated",
    doc: "When the kernel has ended in the run above; until then, the part of its CTAs that have finished.",
  },
  {
    key: "error",
    title: "Error",
    doc: "Predicted over simulated, less 1: above 0 where too much is predicted. While the kernel runs, against what it would take at its pace so far. The paper accepts 20 %.",
  },
  {
    key: "slowdown",
    title: "Slowdown",
    doc: "Predicted latency over that alone on the same SMs, which is predicted too (Eq. 4).",
  },
  {
    key: "bandwidth",
    title: "Bandwidth",
    doc: "GB/s between the kernel's SMs and L2 that it asks for when it is alone on them (Eq. 17).",
  },
  {
    key: "naive",
    title: "Naive bound",
    doc: "The paper's baseline: every kernel is 73 % slower for as long as any other runs.",
  },
];

const NONE: Cell = [MISSING, ""];

export function rowsOf(
  setup: Setup,
  split: readonly number[],
  prediction: Prediction | null,
  run: RunShown | null,
  deadlines: readonly (number | null)[],
): Row[] {
  const inCycles = (ms: number): string => `${count(cyclesOf(setup, ms))} cycles`;
  return setup.names.map((name, k) => {
    const kernel = prediction?.kernels[k] ?? null,
      shown = run?.shown[k] ?? null,
      deadline = deadlines[k] ?? null,
      now = run?.now ?? 0,
      error = kernel && shown ? errorOf(kernel.latency, shown, now) : null;
    return {
      name,
      sms: smsText(split[k] ?? 0),
      cells: {
        latency: kernel ? [`${figureOf(kernel.latency)} ms`, inCycles(kernel.latency)] : NONE,
        slowdown: kernel ? [`${fixed(kernel.slowdown, 2)} ×`, ""] : NONE,
        bandwidth: kernel ? [`${fixed(kernel.bandwidth, 1)} GB/s`, ""] : NONE,
        naive: kernel ? [`${figureOf(kernel.naive)} ms`, ""] : NONE,
        simulated: !shown
          ? NONE
          : shown.ended === null
            ? [`${fixed(shown.share * 100, 0)} %`, "of its CTAs"]
            : [`${figureOf(shown.ended)} ms`, inCycles(shown.ended)],
        error: error === null ? NONE : [signed(error), shown?.ended == null ? "at this pace" : ""],
      },
      error,
      judged:
        kernel && deadline !== null
          ? { meets: kernel.meets === true, ...verdict(deadline, kernel.latency, shown, now) }
          : null,
    };
  });
}

/** What the run proves of the deadlines; empty before all of their kernels have ended. */
export function proofOf(rows: readonly Row[]): string {
  const judged = rows.flatMap((row) => row.judged ?? []);
  if (judged.length === 0 || judged.some(({ met }) => met === null)) return "";
  const missed = rows.flatMap(({ name, judged: of }) => (of?.met === false ? [`${name} ${of.text}`] : []));
  if (missed.length > 0) return `Not met: ${missed.join("; ")}.`;
  const which = ["The deadline is", "Both deadlines are"][judged.length - 1] ?? "All deadlines are";
  return `${which} met, simulated.`;
}

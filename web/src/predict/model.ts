// What the panel of predictions computes by itself: the runs alone that the formulas need, the question that they are asked, and what has become of a
// prediction in the simulation. Nothing here touches the page. Latencies are milliseconds, bandwidths GB/s.
import { fieldsOf } from "../browser-store.ts";
import { policyOf, schemeName } from "../choices.ts";
import { fixed } from "../format.ts";
import type { Events } from "../event-log.ts";
import type { Experiment, Prediction, PredictQuestion, Reading, Result } from "../types.ts";

/** How the paper is read where its text and its equations differ, and one model that is not the paper's. */
export const READINGS: readonly { name: Reading; title: string; doc: string }[] = [
  {
    name: "literal",
    title: "Literal",
    doc: "Eq. 15 as printed. Where memory is oversubscribed, a kernel's penalty Π can even be below 1.",
  },
  { name: "clamped", title: "At least 1", doc: "Eq. 15, but no penalty Π is below 1, as the text before it demands." },
  {
    name: "elected",
    title: "One elected",
    doc: "As the text after Eq. 15 says: in each window the kernel that asks for the most bandwidth is penalised least; every other has its penalties, at least 1.",
  },
  {
    name: "i_only",
    title: "Interference alone",
    doc: "No penalties: the factor I of a window slows its kernels, and nothing counts twice.",
  },
  {
    name: "fluid",
    title: "Fluid (not the paper's)",
    doc: "Our model: an oversubscribed memory serves kernels in proportion to what they ask for, and windows stretch as kernels do. It has no parameter.",
  },
];
export const isReading = (name: string | undefined): name is Reading =>
  READINGS.some((reading) => reading.name === name);

export const smsText = (sms: number): string => `${sms} ${sms === 1 ? "SM" : "SMs"}`;

/** Bytes of an access as the paper counts them. */
const SECTOR = 32;

/** The machine and the mix of a run, as far as the formulas know them. */
export interface Setup {
  experiment: Experiment;
  names: readonly string[];
  sms: number;
  banks: number;
  coreMhz: number;
  /** DRAM's peak. */
  bandwidthMax: number;
  lineBytes: number;
  /** CTAs of each kernel in one run. */
  ctas: readonly number[];
}

/** What a kernel did alone. */
export interface Measured {
  cycles: number;
  /** Thread instructions. */
  instructions: number;
  /** Lines that L2 looked up. */
  accesses: number;
  ctas: number;
  /** It ran to its end. */
  whole: boolean;
}

/** A stored value as what a whole run has measured; null for what is none. */
export function readMeasured(value: unknown): Measured | null {
  const { whole, ...counts } = fieldsOf(value);
  const numbers = ["cycles", "instructions", "accesses", "ctas"].map((key) => counts[key]);
  return whole === true && numbers.every((count) => Number.isSafeInteger(count) && (count as number) >= 0)
    ? (value as Measured)
    : null;
}

export function measuredOf(result: Result, whole: boolean): Measured {
  const kernel = result.kernels[0],
    counters = (kernel?.["counters"] ?? {}) as Record<string, number>;
  return {
    cycles: result.cycles,
    instructions: kernel?.thread_instructions ?? 0,
    accesses: (counters["l2_reads"] ?? 0) + (counters["l2_writes"] ?? 0),
    ctas: kernel?.ctas_done ?? 0,
    whole,
  };
}

/** Which part of a kernel has been measured: of its CTAs, those that have finished. */
export const shareOf = (measured: Measured | null, ctas: number): number =>
  measured === null ? 0 : measured.whole ? 1 : Math.min(1, measured.ctas / ctas);

/** The experiment that runs a kernel alone, once to its end: on all SMs, or on the first of them. */
export function aloneRun(experiment: Experiment, kernel: number, sms: number | null = null): Experiment {
  const { name: _, source: __, warm_up: ___, ...rest } = structuredClone(experiment);
  const { ctas } = policyOf(experiment) as { ctas?: unknown };
  const choice = rest.kernels[kernel] as Experiment["kernels"][number];
  if (typeof choice === "object") delete choice["qos"];
  const policy = {
    name: "spatial",
    ...(sms === null ? {} : { split: [sms] }),
    ...(Array.isArray(ctas) ? { ctas: [ctas[kernel] as number] } : {}),
  };
  return { ...rest, kernels: [choice], policy, restart: false, stop: { kernels_done: true } };
}

/** Kernels of a group that the engine predicts, at most: a plan compares the partitions among all of them. */
export const MOST = 8;

/** SMs that each kernel has of its own, as the experiment says them; null for equal parts, nothing where kernels have no such SMs or they are not said. */
function saidParts(experiment: Experiment): number[] | null | undefined {
  const { split, sms } = policyOf(experiment) as { split?: unknown; sms?: unknown };
  switch (schemeName(experiment)) {
    case "spatial":
      return Array.isArray(split) ? split.map(Number) : null;
    case "green-context":
      if (typeof sms === "number") return experiment.kernels.map(() => sms);
      return Array.isArray(sms) ? sms.map(Number) : undefined;
  }
}
/** Why the formulas are not for an experiment's scheme; empty where they are. */
export function notForScheme(experiment: Experiment): string {
  if (saidParts(experiment) !== undefined) return "";
  switch (schemeName(experiment)) {
    case "mig":
      return "the formulas are for kernels that share DRAM's bandwidth, and each of MIG's instances has its own.";
    case "green-context":
      return "the formulas need each kernel's SMs, and the experiment does not say them (sms).";
    default:
      return "the formulas are for kernels on SMs of their own, and here kernels share SMs.";
  }
}
/** Whether it ends when every kernel has run once, as the formulas have it. */
export const hasFirst = (experiment: Experiment): boolean => Array.isArray(policyOf(experiment)["first"]);
export const runsOnce = (experiment: Experiment): boolean =>
  experiment.restart === false && (experiment.stop as { kernels_done?: boolean } | undefined)?.kernels_done === true;

/** The experiment that shows what becomes of a partition: every kernel once, from the start, on its own SMs. Where they begin stays only with their number. */
export function once(experiment: Experiment, split: readonly number[]): Experiment {
  const { warm_up: _, ...rest } = structuredClone(experiment);
  const { first, ...policy } =
      schemeName(experiment) === "spatial" ? policyOf(rest) : { name: "spatial", split: null, first: null },
    same = Array.isArray(first) && String(policy["split"]) === split.join();
  return {
    ...rest,
    policy: { ...policy, split: [...split], ...(same ? { first } : {}) },
    restart: false,
    stop: { kernels_done: true },
  };
}

// ---------------------------------------------------------------- the partition

/** SMs of each kernel, as the policy gives them: what it says, or equal parts. */
export function partsOf(experiment: Experiment, sms: number): number[] {
  const kernels = experiment.kernels.length,
    said = saidParts(experiment);
  if (said) return said;
  return experiment.kernels.map((_, k) => Math.floor(sms / kernels) + (k < sms % kernels ? 1 : 0));
}

/** The SM at which a kernel's part ends. */
export const borderOf = (split: readonly number[], kernel: number): number =>
  split.slice(0, kernel + 1).reduce((sum, sms) => sum + sms, 0);

/** How far the end of a kernel's part can go: one SM stays with it and with the next; after the last one, SMs may be idle. */
export function rangeOf(split: readonly number[], kernel: number, sms: number): { least: number; most: number } {
  const begin = borderOf(split, kernel) - (split[kernel] ?? 0),
    next = split[kernel + 1];
  return { least: begin + 1, most: next === undefined ? sms : borderOf(split, kernel + 1) - 1 };
}

/** The partition with the end of a kernel's part at another SM, or as near as can be. */
export function moved(split: readonly number[], kernel: number, to: number, sms: number): number[] {
  const { least, most } = rangeOf(split, kernel, sms),
    by = Math.max(least, Math.min(most, Math.round(to))) - borderOf(split, kernel);
  return split.map((own, k) => (k === kernel ? own + by : k === kernel + 1 ? own - by : own));
}

// ---------------------------------------------------------------- the question

/** What a kernel has shown alone on a number of SMs. */
export interface Size {
  kernel: number;
  sms: number;
  measured: Measured | null;
}

/** The question that the formulas are asked, where `sizes` has what was measured, all SMs first of all; null while a kernel has shown nothing on these. */
export function question(
  setup: Setup,
  sizes: readonly Size[],
  split: readonly number[] | null,
  reading: Reading,
  deadlines: readonly (number | null)[],
): PredictQuestion | null {
  const kernels = setup.names.map((name, k): PredictQuestion["predict"]["kernels"][number] | null => {
    const on = (sms: number): Alone | null =>
      aloneOf(setup, sizes.find((size) => size.kernel === k && size.sms === sms)?.measured ?? null, k);
    const alone = on(setup.sms),
      deadline = deadlines[k] ?? null,
      own = sizes.filter(({ kernel, sms }) => kernel === k && sms !== setup.sms);
    const profile = own.flatMap(({ sms }) => {
      const known = on(sms);
      return known ? [{ sms, latency: known.latency, bandwidth: Math.min(known.bandwidth, setup.bandwidthMax) }] : [];
    });
    return (
      alone && {
        name,
        ...(split ? { sms: split[k] ?? 0 } : {}),
        latency_full: alone.latency,
        bandwidth_full: Math.min(alone.bandwidth, setup.bandwidthMax),
        kai: alone.kai,
        ...(profile.length > 0 ? { profile } : {}),
        ...(deadline === null ? {} : { deadline }),
      }
    );
  });
  if (kernels.includes(null)) return null;
  return {
    corun: 1,
    predict: {
      sms: setup.sms,
      l2_banks: setup.banks,
      bandwidth_max: setup.bandwidthMax,
      reading,
      missing: "model",
      kernels: kernels as PredictQuestion["predict"]["kernels"],
    },
  };
}

export interface Alone {
  latency: number;
  bandwidth: number;
  kai: number;
}
/** A kernel alone; what was measured over a part of its CTAs stands for all of them. Null before the first one has finished. */
export function aloneOf(setup: Setup, measured: Measured | null, kernel: number): Alone | null {
  const share = shareOf(measured, setup.ctas[kernel] ?? 1);
  if (!measured || share === 0) return null;
  const bytes = measured.accesses * setup.lineBytes;
  return {
    latency: milliseconds(setup, measured.cycles) / share,
    bandwidth: (bytes * setup.coreMhz) / (measured.cycles * 1000),
    kai: bytes === 0 ? 0 : measured.instructions / (bytes / SECTOR) / 1000,
  };
}

export const milliseconds = ({ coreMhz }: { coreMhz: number }, cycles: number): number => cycles / (coreMhz * 1000);
export const cyclesOf = ({ coreMhz }: { coreMhz: number }, ms: number): number => ms * coreMhz * 1000;

const LONGEST = 1e6;
/** A deadline as it is typed: none, milliseconds, or what is wrong with it. */
export function readDeadline(text: string): { deadline: number | null; problem: string } {
  const typed = text.trim(),
    value = Number(typed);
  if (typed === "") return { deadline: null, problem: "" };
  if (/^[+]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) && value >= 1e-6 && value <= LONGEST)
    return { deadline: value, problem: "" };
  const found = typed.length > 20 ? `${typed.slice(0, 20)}…` : typed;
  return {
    deadline: null,
    problem: `found “${found}”, want milliseconds: a number above 0, at most ${LONGEST.toLocaleString("en")}`,
  };
}

// ---------------------------------------------------------------- the simulation beside it

/** What a run shows of a kernel so far. */
export interface Shown {
  /** Of its CTAs, those that have finished in its first run. */
  share: number;
  /** When its first run has ended; null before. */
  ended: number | null;
}

export function shownOf(setup: Setup, result: Result, past: Events | null): Shown[] {
  return setup.names.map((_, k) => {
    const kernel = result.kernels[k],
      end = past?.marks.find(
        (mark) => mark.kind === "end" && mark.kernel === k && mark.run === 0 && mark.cycle <= result.cycles,
      );
    return end
      ? { share: 1, ended: milliseconds(setup, end.cycle) }
      : { share: Math.min(1, (kernel?.ctas_done ?? 0) / (setup.ctas[k] ?? 1)), ended: null };
  });
}

/** How far a prediction is from the simulation, in parts of it: above 0 where it predicts too much. While the kernel runs it is what it would be at this pace. */
export function errorOf(predicted: number, shown: Shown, now: number): number | null {
  const simulated = shown.ended ?? (shown.share > 0 ? now / shown.share : null);
  return simulated === null || simulated === 0 ? null : predicted / simulated - 1;
}

export const signed = (part: number): string => `${part < 0 ? "−" : "+"}${fixed(Math.abs(part) * 100, 1)} %`;

/** What becomes of a deadline: by the simulation where the kernel has ended there, else by the prediction. */
export function verdict(
  deadline: number,
  predicted: number,
  shown: Shown | null,
  now: number,
): { met: boolean | null; text: string } {
  const late = (by: number): string => `${figureOf(by)} ms (${fixed((by / deadline) * 100, 1)} %)`;
  if (shown?.ended != null)
    return shown.ended <= deadline
      ? { met: true, text: `met, simulated: ${late(deadline - shown.ended)} to spare` }
      : { met: false, text: `missed by ${late(shown.ended - deadline)}, simulated` };
  if (shown && now > deadline) return { met: false, text: `missed: at ${figureOf(now)} ms it still runs` };
  return predicted <= deadline
    ? { met: null, text: `met by prediction, ${late(deadline - predicted)} to spare` }
    : { met: null, text: `missed by prediction, by ${late(predicted - deadline)}` };
}

/** Four significant digits, so that an error of a tenth of a per cent is seen. */
export function figureOf(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const digits = Math.floor(Math.log10(Math.abs(value)));
  return fixed(value, Math.max(0, Math.min(8, 3 - digits)));
}

/** A kernel's predicted latency, window by window: they add up to it. */
export function segments(prediction: Prediction, kernel: number): number[] {
  const of = prediction.kernels[kernel];
  if (!of) return [];
  const weights = of.windows.map((part) => part.share * part.interference * part.penalty),
    sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => (sum > 0 ? (of.latency * weight) / sum : 0));
}

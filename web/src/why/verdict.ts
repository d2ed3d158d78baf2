// The verdict: who suffers and why, in one or two sentences. Rules over plain data; a number keeps the name of the place where it stands, so that
// the page can lead there. No DOM.
import { fixed } from "../format.ts";
import type { Facts, KernelFacts } from "./facts.ts";

/** Words, or a number with the place where it stands: `slowdown.0` (`slowdown` of the first kernel). A kernel's name has its place in the mix. */
export type Part = string | { text: string; at: string } | { text: string; kernel: number };
export type Sentence = Part[];

/** What a sentence says, as plain text. */
export const plain = (sentence: Sentence): string =>
  sentence.map((part) => (typeof part === "string" ? part : part.text)).join("");

/** From this part of itself on, a difference of two slowdowns is worth a word. */
const ALIKE = 0.05;
/** A kernel suffers from here on. */
const SUFFERS = 1.1;

/**
 * What a crossbar with a queue at each input and a DRAM with FR-FCFS sustain, as parts of their peaks: heads of lines that block each other leave
 * 0.60 of the crossbar, turns of the bus and rows that are opened 0.70 of DRAM (CCBP §2, and what this model does).
 */
const SUSTAINED = { noc: 0.6, dram: 0.7 } as const;
/** Of what is sustained, the part from which on queues before it grow. */
const PRESSED = 0.7;
/** Of all issue slots, the part from which on warps wait for them. */
const SLOTS_PRESSED = 0.7;
/** Of its warps' time, the part of waiting that counts as the cause. */
const MATTERS = 0.3;

export const percentText = (part: number): string => `${fixed(part * 100, part < 0.095 ? 1 : 0)} %`;
/** `12.3`, `1.29`: as many digits as the eye can use. */
export const timesText = (times: number): string => fixed(times, times >= 9.95 ? 1 : 2);

/** The shared place that limits the mix: the one that is nearest to what it sustains, if its queues grow. */
export type Place = "noc" | "dram";
export function pressed(facts: Facts): Place | null {
  const load = (place: Place): number => (facts[place] ?? 0) / SUSTAINED[place];
  const most: Place = load("dram") > load("noc") ? "dram" : "noc";
  return load(most) >= PRESSED ? most : null;
}
/** Of what passes that place, a kernel's part. */
export const partAt = (place: Place, kernel: KernelFacts): number | null =>
  place === "noc" ? kernel.flits : kernel.lines;
/** The kernel that fills a place most; null where nothing has passed. */
export function filler(place: Place, facts: Facts): number | null {
  const parts = facts.kernels.map((kernel) => partAt(place, kernel) ?? 0),
    most = Math.max(0, ...parts);
  return most > 0 ? parts.indexOf(most) : null;
}

/** Whether quotas are what stops a kernel: no other wait of its schedulers is longer. */
export const heldByQuota = ({ stalls }: KernelFacts): boolean =>
  stalls !== null && stalls.quota >= Math.max(MATTERS, stalls.memory, stalls.lsu, stalls.other);

/** The kernel that issues most of those that this one makes room for: with a goal, where any has one; null where no other has issued. */
function favoured(facts: Facts, k: number): number | null {
  const others = facts.kernels.map((_, j) => j).filter((j) => j !== k && (facts.kernels[j]?.slots ?? 0) > 0),
    promised = others.filter((j) => facts.kernels[j]?.promised);
  const slots = (j: number): number => facts.kernels[j]?.slots ?? 0;
  return (promised.length > 0 ? promised : others).sort((i, j) => slots(j) - slots(i))[0] ?? null;
}

/** The kernel that suffers most; null where nobody does or nothing is known. */
export function sufferer(facts: Facts): number | null {
  const slowdowns = facts.kernels.map(({ slowdown }) => slowdown ?? 0),
    most = Math.max(0, ...slowdowns);
  return most >= SUFFERS ? slowdowns.indexOf(most) : null;
}

/** One or two sentences that are true of the run so far. */
export function verdict(facts: Facts): Sentence[] {
  if (facts.cycles === 0) return [["Nothing has run yet."]];
  const who = whoSuffers(facts),
    worst = sufferer(facts),
    promised = promises(facts),
    before = promised ? [promised, who] : [who];
  if (worst === null) return before;
  const why = whyItSuffers(facts, worst);
  return why ? [...before, why] : before;
}

// ---------------------------------------------------------------- promises

/** What becomes of the goals; null where there is none, or nothing is known. */
function promises(facts: Facts): Sentence | null {
  const clauses = facts.kernels.flatMap(({ name, reached }, k): Sentence[] => {
    if (reached === null) return [];
    const kernel: Part = { text: name, kernel: k },
      part: Part = { text: percentText(Math.abs(reached - 1)), at: `goal_reached.${k}` };
    return [
      reached >= 1 ? [kernel, " reaches its goal, with ", part, " to spare"] : [kernel, " misses its goal by ", part],
    ];
  });
  return clauses.length === 0
    ? null
    : [...clauses.flatMap((clause, i): Sentence => [i === 0 ? "" : "; ", ...clause]), "."];
}

// ---------------------------------------------------------------- who

function whoSuffers(facts: Facts): Sentence {
  const order = facts.kernels
    .map((_, k) => k)
    .sort((a, b) => (facts.kernels[b]?.slowdown ?? -1) - (facts.kernels[a]?.slowdown ?? -1));
  const known = order.filter((k) => facts.kernels[k]?.slowdown !== null),
    unknown = order.filter((k) => facts.kernels[k]?.slowdown === null);
  if (known.length === 0)
    return [
      ...names(facts, unknown),
      unknown.length > 1 ? " run together" : " runs",
      "; how fast each is alone is being measured.",
    ];
  const unhurt = known.every((k) => pace(facts.kernels[k] as KernelFacts) === "alike") && unknown.length === 0;
  if (unhurt)
    return [
      known.length > 1 ? "Nobody suffers: " : "",
      ...names(facts, known),
      known.length > 1 ? " run as fast as alone." : " runs as fast as alone.",
    ];
  const sentence: Sentence = [];
  let last: Pace | null = null;
  for (const k of known) {
    const kernel = facts.kernels[k] as KernelFacts,
      now = pace(kernel);
    if (last !== null) sentence.push("; ");
    sentence.push({ text: kernel.name, kernel: k }, ...clause(kernel, k, now, now === last));
    last = now;
  }
  for (const k of unknown)
    sentence.push("; ", { text: facts.kernels[k]?.name ?? "", kernel: k }, " alone is being measured");
  return [...sentence, "."];
}

type Pace = "nothing" | "slower" | "alike" | "faster";
function pace({ slowdown }: KernelFacts): Pace {
  if (slowdown === Infinity) return "nothing";
  return (slowdown ?? 1) > 1 + ALIKE ? "slower" : (slowdown ?? 1) < 1 - ALIKE ? "faster" : "alike";
}

/** What a kernel does; after another one of the same pace, only the number. */
function clause(kernel: KernelFacts, k: number, now: Pace, again: boolean): Sentence {
  const slowdown = kernel.slowdown ?? 1,
    at = `slowdown.${k}`;
  switch (now) {
    case "nothing":
      return [again ? " nothing either" : ` gets nothing (${kernel.starved})`];
    case "alike":
      return [again ? " does too" : " runs as fast as alone"];
    case "slower":
      return again
        ? [" ", { text: timesText(slowdown), at }, " times"]
        : [" runs ", { text: timesText(slowdown), at }, " times slower than alone"];
    case "faster":
      return [
        again ? " " : " runs ",
        { text: timesText(1 / slowdown), at },
        again ? " times" : " times faster than alone",
      ];
  }
}

function names(facts: Facts, kernels: readonly number[]): Sentence {
  return kernels.flatMap(
    (k, i): Sentence => [
      i === 0 ? "" : i === kernels.length - 1 ? " and " : ", ",
      { text: facts.kernels[k]?.name ?? "", kernel: k },
    ],
  );
}

// ---------------------------------------------------------------- why

/** The cause that the numbers show; null where they show none. */
function whyItSuffers(facts: Facts, k: number): Sentence | null {
  const kernel = facts.kernels[k] as KernelFacts,
    { waits } = kernel,
    subject: Part = { text: kernel.name, kernel: k };
  // Its reason stands in the first sentence.
  if (!waits || kernel.slowdown === Infinity) return null;
  if (heldByQuota(kernel)) return [...outOfQuota(facts, k), "."];
  const waiting = waits.memory + waits.lsu,
    place = pressed(facts);
  const waitsFor: Sentence = [
    subject,
    " waits for memory ",
    { text: percentText(waiting), at: `waits.${k}` },
    " of its time",
  ];
  if (place !== null && waiting >= MATTERS) return [...waitsFor, ": ", ...full(facts, place, k), "."];
  if ((facts.slots ?? 0) >= SLOTS_PRESSED) return [...slotsTaken(facts, k), "."];
  if (kernel.ctas !== null && kernel.room !== null && kernel.ctas < 0.9 * kernel.room) {
    return [
      subject,
      " has ",
      { text: fixed(kernel.ctas, 1), at: `ctas.${k}` },
      " of the ",
      String(kernel.room),
      " CTAs that an SM holds of it alone, and no queue is full: it has too few warps to hide its waiting.",
    ];
  }
  if (kernel.latency !== null && waiting >= MATTERS)
    return [
      ...waitsFor,
      ", and no queue is full: a read takes ",
      { text: fixed(kernel.latency, 0), at: `latency.${k}` },
      " cycles.",
    ];
  return null;
}

/** A place that is full, and whose it is. */
function full(facts: Facts, place: Place, sufferer: number): Sentence {
  const name = place === "noc" ? "the reply NoC" : "DRAM",
    unit = place === "noc" ? "flits" : "lines",
    by = filler(place, facts);
  if (by === null) return [name, " is full"];
  const most = facts.kernels[by] as KernelFacts;
  const number: Part = { text: percentText(partAt(place, most) ?? 0), at: `${place}.${by}` };
  const switched =
    place === "dram" && (most.contexts ?? 0) > (most.lines ?? 0) / 2 ? ", most of them CTAs that are switched" : "";
  if (by === sufferer) return [name, " is full, mostly with its own lines (", number, ` of its ${unit}${switched})`];
  return [
    name,
    ` is ${place === "noc" ? "full of" : "busy with"} `,
    { text: most.name, kernel: by },
    "’s lines (",
    number,
    ` of its ${unit}${switched})`,
  ];
}

/** A kernel that its quota stops: because it has what it is promised, or because another one gets the slots. */
function outOfQuota(facts: Facts, k: number): Sentence {
  const { name, stalls, reached } = facts.kernels[k] as KernelFacts,
    by = favoured(facts, k);
  const waitsFor: Sentence = [
    { text: name, kernel: k },
    " waits for its quota in ",
    { text: percentText(stalls?.quota ?? 0), at: `quota.${k}` },
    " of the cycles in which its schedulers issue nothing",
  ];
  if (reached !== null && reached >= 1) return [...waitsFor, ": it gets what it is promised"];
  if (by === null) return waitsFor;
  const other = facts.kernels[by] as KernelFacts;
  return [
    ...waitsFor,
    ": ",
    { text: other.name, kernel: by },
    `${other.promised ? ", which has a goal," : ""} gets `,
    { text: percentText(other.slots ?? 0), at: `slots.${by}` },
    " of the issue slots",
  ];
}

function slotsTaken(facts: Facts, sufferer: number): Sentence {
  const slots = facts.kernels.map((kernel) => kernel.slots ?? 0),
    by = slots.indexOf(Math.max(...slots)),
    most = facts.kernels[by] as KernelFacts;
  const taken: Sentence = [{ text: percentText(facts.slots ?? 0), at: "slots" }, " of the issue slots are taken"];
  return by === sufferer
    ? [...taken, ", most of them by itself"]
    : [
        ...taken,
        ", ",
        { text: percentText(most.slots ?? 0), at: `slots.${by}` },
        " by ",
        { text: most.name, kernel: by },
      ];
}

// ---------------------------------------------------------------- two runs

/** How B differs from A for the kernel that suffers most in either; null where that cannot be said. */
export function versus(a: Facts, b: Facts): Sentence | null {
  if (a.kernels.length !== b.kernels.length || a.kernels.some(({ name }, k) => name !== b.kernels[k]?.name))
    return null;
  const both = a.kernels.map((kernel, k) => [kernel, b.kernels[k] as KernelFacts] as const);
  if (both.some((pair) => pair.some(({ slowdown }) => slowdown === null))) return null;
  const most = both.map((pair) => Math.max(...pair.map(({ slowdown }) => slowdown ?? 0))),
    k = most.indexOf(Math.max(...most));
  const [inA, inB] = both[k] as (typeof both)[number],
    gap = change(inA, inB);
  if (gap === 0) return ["A and B are alike for ", { text: inA.name, kernel: k }, "."];
  const [mark, from, to] = gap < 0 ? (["B", inA, inB] as const) : (["A", inB, inA] as const);
  const sentence: Sentence = [
    `${mark} is better for `,
    { text: to.name, kernel: k },
    `: ${often(to)} slower than alone instead of ${often(from)}`,
  ];
  if (from.latency !== null && to.latency !== null && to.latency < from.latency * (1 - ALIKE))
    sentence.push(`, as its reads come back after ${fixed(to.latency, 0)} cycles, not ${fixed(from.latency, 0)}`);
  sentence.push(".");
  both.forEach((pair, j) => {
    const [here, there] = gap < 0 ? [pair[0], pair[1]] : [pair[1], pair[0]],
      other = change(here, there);
    if (j === k || other === 0) return;
    sentence.push(
      " ",
      { text: here.name, kernel: j },
      other > 0
        ? ` pays for it: ${often(there)} instead of ${often(here)}.`
        : ` gains too: ${often(there)} instead of ${often(here)}.`,
    );
  });
  return sentence;
}
const often = ({ slowdown }: KernelFacts): string =>
  slowdown === Infinity ? "endlessly" : `${timesText(slowdown ?? 1)} times`;
/** Below 0: `b` is faster; 0: about as fast. */
function change(a: KernelFacts, b: KernelFacts): number {
  const from = a.slowdown ?? 1,
    to = b.slowdown ?? 1;
  return from === to || Math.abs(to / from - 1) < ALIKE ? 0 : to - from;
}

// What the L1Ds hold, by array and by state, and whether the CTAs that come next find there what they read. No DOM.
import { percent, whole } from "../draw/scale.ts";
import type { FrameLayout } from "../types.ts";
import type { Cell, Column, Tabular } from "../views/tabular.ts";
import { WORDS, type Launch } from "./log.ts";

/** States of a word in an L1D, in the order in which a bar has them: what stays when a launch begins comes first. */
export const STATES = ["owned", "kept", "copies", "written"] as const;
export type State = (typeof STATES)[number];
export const stateTitle: Readonly<Record<State, string>> = {
  owned: "owned",
  kept: "read only, kept",
  copies: "copies",
  written: "written, not made known",
};

export function stateDoc(state: State, protocol: string): string {
  switch (state) {
    case "owned":
      return "Written here, and registered at L2: it stays when the next launch begins";
    case "kept":
      return "Of an array that nothing writes: it stays when the next launch begins";
    case "copies":
      return protocol === "none"
        ? "Read, and never dropped: without coherence, launches change nothing"
        : "Read, and not owned: dropped when the next launch begins";
    case "written":
      return protocol === "denovo"
        ? "Written here; it waits in the store buffer, or for its registration"
        : "Written here; it is written through to L2 before the launch ends";
  }
}

interface Held {
  array: number;
  words: Readonly<Record<State, number>>;
  all: number;
}
/** One L1D, or all of them. */
export interface Contents {
  capacity: number;
  arrays: readonly Held[];
  words: Readonly<Record<State, number>>;
  all: number;
}

const none = (): Record<State, number> => ({ owned: 0, kept: 0, copies: 0, written: 0 });

/** What one SM's L1D holds. */
export function contentsOf({ sms, arrays }: FrameLayout, held: Uint32Array, sm: number): Contents {
  const shape = sms[sm],
    words = none();
  const each = arrays.map(({ read_only: readOnly }, array): Held => {
    const at = (sm * arrays.length + array) * WORDS,
      [copies = 0, written = 0, owned = 0] = held.subarray(at, at + WORDS);
    const stays = readOnly && (shape?.l1_keeps_read_only ?? false),
      own = { owned, kept: stays ? copies : 0, copies: stays ? 0 : copies, written };
    for (const state of STATES) words[state] += own[state];
    return { array, words: own, all: copies + written + owned };
  });
  return {
    capacity: (shape?.l1_bytes ?? 0) / 4,
    arrays: each,
    words,
    all: each.reduce((sum, { all }) => sum + all, 0),
  };
}

/** The L1Ds of all SMs together. */
export function contentsOfAll(layout: FrameLayout, held: Uint32Array): Contents {
  const each = layout.sms.map((_, sm) => contentsOf(layout, held, sm)),
    words = none();
  for (const one of each) for (const state of STATES) words[state] += one.words[state];
  const arrays = layout.arrays.map((_, array): Held => {
    const own = none();
    for (const one of each) for (const state of STATES) own[state] += one.arrays[array]?.words[state] ?? 0;
    return { array, words: own, all: STATES.reduce((sum, state) => sum + own[state], 0) };
  });
  return {
    capacity: each.reduce((sum, { capacity }) => sum + capacity, 0),
    arrays,
    words,
    all: each.reduce((sum, { all }) => sum + all, 0),
  };
}

/** An array's number in pictures, and its name; that of its kernel before it where there are several. */
export const arrayNumber = (array: number): string => String(array + 1);
export const arrayName = ({ arrays, kernels }: FrameLayout, array: number): string => {
  const of = arrays[array];
  return of ? `${kernels.length > 1 ? `${kernels[of.kernel] ?? ""}: ` : ""}${of.name}` : "";
};

const statesText = (words: Readonly<Record<State, number>>): string =>
  STATES.filter((state) => words[state] > 0)
    .map((state) => `${whole(words[state])} ${stateTitle[state]}`)
    .join(", ");

/** “12,288 of 16,384 words (75 %): temperature 8,192 owned; power 4,096 read only, kept; 4,096 invalid”. */
export function contentsText(layout: FrameLayout, { capacity, arrays, all }: Contents): string {
  const parts = arrays
    .filter((held) => held.all > 0)
    .map(({ array, words }) => `${arrayName(layout, array)} ${statesText(words)}`);
  return `${whole(all)} of ${whole(capacity)} words (${percent(all, capacity)}): ${[...parts, `${whole(capacity - all)} invalid`].join("; ")}`;
}

// ---------------------------------------------------------------- the CTAs before each SM

/** A CTA that an SM runs or has before it, and how much of what it reads is in its L1D. */
export interface Ahead {
  cta: number;
  runs: boolean;
  reads: number;
  here: number;
}

const ROW = 5;
/** By SM, in the order in which it comes to them. */
export function aheadOf(numbers: Uint32Array, sms: number): Ahead[][] {
  const each = Array.from({ length: sms }, (): Ahead[] => []);
  for (let i = 0; i + ROW <= numbers.length; i += ROW) {
    const [sm = 0, cta = 0, runs = 0, reads = 0, here = 0] = numbers.subarray(i, i + ROW);
    each[sm]?.push({ cta, runs: runs === 1, reads, here });
  }
  return each;
}

interface Found {
  reads: number;
  here: number;
}
const found = (ctas: readonly Ahead[]): Found =>
  ctas.reduce((sum, { reads, here }) => ({ reads: sum.reads + reads, here: sum.here + here }), { reads: 0, here: 0 });

/** What the first CTAs of every SM find, and the last ones: a third of those before it each. */
export function firstAndLast(each: readonly (readonly Ahead[])[]): { first: Found; last: Found; all: Found } {
  const third = (ctas: readonly Ahead[]): number => Math.ceil(ctas.length / 3);
  return {
    first: found(each.flatMap((ctas) => ctas.slice(0, third(ctas)))),
    last: found(each.flatMap((ctas) => ctas.slice(ctas.length - third(ctas)))),
    all: found(each.flat()),
  };
}

export const aheadText = ({ cta, runs, reads, here }: Ahead, place: number): string =>
  `CTA ${whole(cta)}, ${runs ? "which runs" : `number ${whole(place + 1)} from now`}: ${whole(here)} of the ${whole(reads)} words that it reads are in this L1D (${percent(here, reads)})`;

/** What is to be seen, in one sentence. */
export function aheadSummary(each: readonly (readonly Ahead[])[]): string {
  const { first, last, all } = firstAndLast(each);
  if (all.reads === 0) return "no CTA is before an SM.";
  return `of what its CTAs read, an SM’s L1D holds ${percent(all.here, all.reads)}: ${percent(first.here, first.reads)} for the first third of the CTAs that the SM comes to, ${percent(last.here, last.reads)} for the last.`;
}

/** Which of two runs begins where the data still are: where the first CTAs of one find much more than those of the other. Empty where they do not. */
export function beginsText(sides: readonly { mark: string; ahead: readonly (readonly Ahead[])[] }[]): string {
  const shares = sides.map(({ mark, ahead }) => {
    const { first } = firstAndLast(ahead);
    return { mark, share: first.reads === 0 ? null : first.here / first.reads, ...first };
  });
  const [a, b] = shares;
  if (!a || !b || a.share === null || b.share === null || Math.abs(a.share - b.share) < 0.05) return "";
  const [more, less] = a.share > b.share ? [a, b] : [b, a];
  return `${more.mark} begins where its data still are: its first CTAs find ${percent(more.here, more.reads)} of what they read in L1D, those of ${less.mark} ${percent(less.here, less.reads)}.`;
}

// ---------------------------------------------------------------- tables

export function l1Table(
  layout: FrameLayout,
  held: Uint32Array,
  each: readonly (readonly Ahead[])[],
  title: string,
): Tabular {
  const columns: Column[] = [
    { key: "sm", title: "SM", unit: "" },
    { key: "words", title: "L1D", unit: "words" },
    ...layout.arrays.flatMap((_, array) =>
      STATES.map(
        (state): Column => ({
          key: `${array}.${state}`,
          title: `${arrayName(layout, array)}, ${stateTitle[state]}`,
          unit: "words",
        }),
      ),
    ),
    { key: "invalid", title: "Invalid", unit: "words" },
    ...(["first", "last", "all"] as const).map(
      (which): Column => ({
        key: which,
        title: which === "all" ? "CTAs before it find" : `The ${which} third finds`,
        unit: "% of what they read",
      }),
    ),
  ];
  const rows = layout.sms.map((_, sm): Cell[] => {
    const { capacity, arrays, all } = contentsOf(layout, held, sm),
      parts = firstAndLast([each[sm] ?? []]);
    const share = ({ reads, here }: Found): number | null =>
      reads === 0 ? null : Math.round((1000 * here) / reads) / 10;
    return [
      sm,
      capacity,
      ...arrays.flatMap(({ words }) => STATES.map((state) => words[state])),
      capacity - all,
      share(parts.first),
      share(parts.last),
      share(parts.all),
    ];
  });
  return { title, columns, rows };
}

// ---------------------------------------------------------------- two runs

const sumOf = (launches: readonly Launch[], counters: FrameLayout["counters"], key: string): number => {
  const at = counters.findIndex((one) => one.key === key);
  return at < 0 ? 0 : launches.reduce((sum, { counters: counts }) => sum + (counts?.[at] ?? 0), 0);
};

/** How two runs differ over the launches that both have ended: time, hits, what went past L2, and traffic. Empty before the first of them. */
export function differText(
  sides: readonly { mark: string; launches: readonly Launch[]; counters: FrameLayout["counters"] }[],
  cycle: number,
): string {
  const ended = sides.map(({ launches }) =>
    launches.filter(({ end, counters }) => end !== null && end < cycle && counters !== null),
  );
  const both = Math.min(...ended.map((launches) => launches.at(-1)?.number ?? -1)),
    begin = Math.max(...ended.map((launches) => launches[0]?.number ?? 0));
  const shown = ended.map((launches) => launches.filter(({ number }) => number >= begin && number <= both));
  const [a, b] = shown,
    [one, other] = sides;
  if (!a || !b || !one || !other || a.length === 0 || a.length !== b.length) return "";
  const times = shown.map((launches) => (launches.at(-1)?.end ?? 0) - (launches[0]?.begin ?? 0) + 1);
  const hits = shown.map((launches, i) => {
    const { counters } = sides[i] as (typeof sides)[number];
    return [sumOf(launches, counters, "l1_hits"), sumOf(launches, counters, "l1_reads")] as const;
  });
  const of = (key: RegExp): number[] =>
    shown.map((launches, i) => {
      const { counters } = sides[i] as (typeof sides)[number];
      return counters.filter((c) => key.test(c.key)).reduce((sum, c) => sum + sumOf(launches, counters, c.key), 0);
    });
  const pair = (text: (i: number) => string): string => `${one.mark} ${text(0)}, ${other.mark} ${text(1)}`;
  const more = ([x = 0, y = 0]: readonly number[]): string =>
    x === 0 ? "" : ` (${y > x ? "+" : y < x ? "−" : "±"}${(Math.abs(100 * (y - x)) / x).toFixed(1)} %)`;
  const said = [
    `${a.length === 1 ? "launch" : "launches"} ${whole(begin + 1)}${both > begin ? ` to ${whole(both + 1)}` : ""} took ${pair((i) => `${whole(times[i] ?? 0)} cycles`)}${more(times)}`,
    ...((hits[0]?.[1] ?? 0) > 0
      ? [`reads that hit L1D: ${pair((i) => percent(hits[i]?.[0] ?? 0, hits[i]?.[1] ?? 0))}`]
      : []),
    ...[
      { name: "lines from memory", key: /^misses_to_memory$/ },
      { name: "flits × links", key: /^noc_.+_crossings$/ },
    ].flatMap(({ name, key }) => {
      const counts = of(key);
      return counts.some((n) => n > 0) ? [`${name}: ${pair((i) => whole(counts[i] ?? 0))}${more(counts)}`] : [];
    }),
  ];
  return `In both runs ${said.join("; ")}.`;
}

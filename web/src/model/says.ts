// What the page says first, from the engine's verdict: its headline, what else there is to say, how sure it is, and when it may change. No DOM.
import { count } from "./format.ts";
import { inFull, interval, plusMinus } from "./interval-text.ts";
import type { Interval, Part, Result } from "./types.ts";
import { isSilent, saidSlowdown } from "./figures.ts";
import type { RunSide } from "./model.ts";

/** From this part of itself on, half of an interval is said beside its number. */
const WIDE = 0.15;

/** The interval of a number in a headline, at length and, where it is wide, beside the number. */
export function givesOf({ kernel, figure }: Part, result: Result): { range: string; give: string } {
  const k = kernel ?? -1,
    known = figure === "gives_back" ? result.because?.find((one) => one.kernel === k)?.cures[0] : undefined,
    value = known ? known.gives_back : (result.kernels[k]?.[figure ?? ""] as number | null | undefined),
    ends = (known ? known.ci95 : interval(result.ci95?.kernels[k], figure ?? "")) as [number, number] | null;
  // A kernel that is faster than alone is said to be so many times faster.
  const faster = figure === "slowdown" && typeof value === "number" && value < 1 && ends !== null && ends[0] > 0,
    [told, of] = faster ? [1 / value, [1 / ends[1], 1 / ends[0]] as [number, number]] : [value, ends];
  const half = typeof told === "number" && of ? Math.max(of[1] - told, told - of[0]) : 0;
  return {
    range: inFull(of, timesText),
    give: figure === "slowdown" && half > WIDE * (told ?? 0) ? plusMinus(told, of, timesText).replace("±", "± ") : "",
  };
}

/** As the engine writes it: `12.3`, `1.29`. */
const timesText = (times: number): string => times.toFixed(times >= 9.95 ? 1 : 2);

/** What is said of one side. */
export interface Said {
  side: RunSide;
  /** What stands before it where it stands by itself: which run it is about. */
  lead: string;
  headline: readonly Part[];
  notes: readonly string[];
}

/** The engine says in words alone that a scheme lacks the goals that it would keep. */
export const lacks = (sentence: string): boolean => sentence.endsWith("keeps goals, and no kernel has one.");

/** All of A. Of the others the headline, which the page shows as bars, and in notes that it says nothing, or is not sure. */
export function said(sides: readonly RunSide[]): Said[] {
  const [a] = sides;
  return sides.map((side, at) => {
    const verdict = side.result?.verdict,
      headline = verdict?.headline ?? [{ text: "Nothing is known yet." }],
      says = verdict?.says ?? [];
    if (at === 0) return { side, lead: "", headline, notes: says };
    const first = a?.result?.verdict,
      doubts = headline.every(({ kernel }) => kernel == null) ? [textOf(headline)] : [],
      known = [...(first?.says ?? []), textOf(first?.headline ?? headline)];
    const alike = side.kernels.join() === a?.kernels.join() && side.scheme !== a.scheme,
      last = verdict?.sure === false && doubts.length === 0 ? says.slice(-1) : [];
    return {
      side,
      lead: alike ? `Under ${side.scheme}: ` : `${side.mark}: `,
      headline,
      // What is not known of both is said once.
      notes: [...new Set([...doubts, ...says.filter(lacks), ...last])].filter((text) => !known.includes(text)),
    };
  });
}

/** What B's scheme makes of the kernel that A's headline is about, and the interval of that, alone where it is wide; null where A's says no number, or B is another mix. */
export function against([a, b]: readonly RunSide[]): { text: string; range: string } | null {
  const k = a?.result?.verdict?.sufferer ?? null;
  if (!a?.result || !b?.result || k === null || a.kernels.join() !== b.kernels.join() || b.elsewhere) return null;
  const [here, there] = [saidSlowdown(a, k), saidSlowdown(b, k)],
    [mine, ends] = [a.result, b.result].map(({ ci95 }) => interval(ci95?.kernels[k], "slowdown")) as [
      Interval,
      Interval,
    ],
    who = `Under ${a.scheme === b.scheme ? "B" : b.scheme}`;
  if (there === Infinity) return { text: `${who} ${a.kernels[k] ?? ""} gets nothing.`, range: "" };
  if (here === null || !ends) return null;
  const times = (there === null ? ends : [there]).map(timesText).join("–"),
    apart = here === Infinity || (mine && (ends[1] < mine[0] || mine[1] < ends[0]));
  return {
    text: `${who}: ${times} times${apart ? "" : ", which may be the same"}.`,
    range: inFull(ends, timesText),
  };
}

/** A headline as text. */
export const textOf = (headline: readonly Part[]): string => headline.map(({ text }) => text).join("");

/** All that is said, as text, for those who hear it. */
export const plain = (all: readonly Said[]): string =>
  all
    .map(({ lead, headline, notes }) => {
      const first = textOf(headline);
      return `${lead}${[first, ...notes.filter((note) => note !== first)].join(" ")}`;
    })
    .join(" ");

// ---------------------------------------------------------------- how sure it is

/** No run here goes on to change it. */
export const isFinal = ({ origin, result }: RunSide): boolean =>
  result !== null &&
  origin !== "earlier" &&
  (origin !== "running" || !["budget", "interrupted", undefined].includes(result.stop));

function originOf({ origin, result }: RunSide): string {
  if (!result) return "";
  const cycles = `${count(result.cycles)} cycles`;
  switch (origin) {
    case "stored":
      return `Stored answer of the end, ${cycles}: the run here is not there yet.`;
    case "running":
      return `Running here: ${cycles} so far.`;
    case "rests":
      return `Paused here: ${cycles} so far.${isSilent(result) ? " Play goes on." : ""}`;
    case "earlier":
      return `Answer of the first ${cycles}: the run here goes on.`;
    case "stretch":
      return "Shares, causes and intervals are of whole runs.";
    case "here":
      return `Run here: ${cycles}.`;
    case "confirmed":
      return `Confirmed here, bit for bit: ${cycles}.`;
    case "differs":
      return `Not confirmed: the run here ended after ${cycles} in another state than the stored answer.`;
  }
}

/** Where the answers come from: in one sentence where both come from the same. */
export function origins(sides: readonly RunSide[]): { mark: string; text: string; origin: RunSide["origin"] }[] {
  const all = sides.map((side) => ({ mark: side.mark, text: originOf(side), origin: side.origin }));
  const [first] = all;
  if (first && all.every(({ text }) => text === first.text)) return first.text === "" ? [] : [{ ...first, mark: "" }];
  return all.filter(({ text }) => text !== "");
}

// ---------------------------------------------------------------- when it changes

/** Milliseconds for which a sentence, and the bars of its result, stand at least while a run goes on. */
export const STANDS = 3000;

/** What stands on the page. `of`: which runs it is about. */
export interface Standing {
  of: string;
  text: string;
  since: number;
  sides: readonly RunSide[];
}

/** What is to stand now, and after how many milliseconds to look again; null: not before something is new. */
export function stand(
  before: Standing | null,
  sides: readonly RunSide[],
  now: number,
): { standing: Standing; again: number | null } {
  const of = JSON.stringify(
    sides.map(({ mark, scheme, kernels, result }) => [mark, scheme, kernels, result?.config_hash, known(result)]),
  );
  const text = [plain(said(sides)), ...origins(sides).map((one) => one.text)].join(" ");
  const next = { of, text, since: now, sides };
  if (before === null || before.of !== of) return { standing: next, again: null };
  if (before.text === text) return { standing: { ...next, since: before.since }, again: null };
  const left = before.since + STANDS - now,
    first = !tells(before.sides) && tells(sides);
  return left <= 0 || first || sides.every(isFinal)
    ? { standing: next, again: null }
    : { standing: before, again: left };
}

/** The headline of A has a figure, and not only that a run is too short for one. */
const tells = ([a]: readonly RunSide[]): boolean =>
  a?.result?.verdict?.headline.some(({ figure }) => figure !== undefined) === true;

/** How much is known: nothing, slowdowns, or their intervals, too. A slowdown of a run's first cycles gives way as soon as it has an interval. */
function known(result: Result | null): number {
  if (result?.verdict == null || (result.verdict.sufferer ?? result.verdict.slowdown) === null) return 0;
  return result.kernels.every((_, k) => interval(result.ci95?.kernels[k], "slowdown") !== null) ? 2 : 1;
}

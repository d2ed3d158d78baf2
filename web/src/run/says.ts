// What the page says first, from the engine's verdict: its sentences with the kernels and numbers in them found, how sure they are, and when they
// may change. No DOM.
import { count, literally } from "../format.ts";
import { inFull, interval } from "../interval-text.ts";
import type { Interval, Result } from "../types.ts";
import type { RunSide } from "./model.ts";
import { slowdownOf } from "./figures.ts";

/** Words; a kernel's name (`kernel` is null where several are called so); or how many times slower or faster a kernel is. */
export type Part =
  | { kind: "words"; text: string }
  | { kind: "kernel"; text: string; kernel: number | null }
  | { kind: "times"; text: string; kernel: number; range: string; give: string };

/** From this part of itself on, half of an interval is said beside its number. */
const WIDE = 0.15;

/** As the engine writes it: `12.3`, `1.29`. */
const timesText = (times: number): string => times.toFixed(times >= 9.95 ? 1 : 2);

/** A sentence of the engine with its kernels and their slowdowns found. `kernels`: as they are labelled. */
export function parts(sentence: string, kernels: readonly string[], result: Result): Part[] {
  const labels = [...new Set(kernels)].filter((label) => label !== "").sort((a, b) => b.length - a.length);
  const name =
    labels.length > 0 ? `(?<![\\p{L}\\p{N}_/])(?:${labels.map(literally).join("|")})(?![\\p{L}\\p{N}_/])` : "(?!)";
  const found: Part[] = [];
  let at = 0,
    last = "";
  for (const match of sentence.matchAll(new RegExp(`(${name})|\\d+(?:\\.\\d+)?(?= times)`, "gu"))) {
    const [text, label] = match;
    let part: Part | null;
    if (label !== undefined) {
      last = label;
      const those = kernels.flatMap((other, k) => (other === label ? [k] : []));
      part = { kind: "kernel", text, kernel: those.length === 1 ? (those[0] as number) : null };
    } else {
      const faster = sentence.startsWith(" times faster", match.index + text.length);
      part = timesOf(text, last, faster, kernels, result);
    }
    if (part === null) continue;
    if (match.index > at) found.push({ kind: "words", text: sentence.slice(at, match.index) });
    found.push(part);
    at = match.index + text.length;
  }
  if (at < sentence.length) found.push({ kind: "words", text: sentence.slice(at) });
  return found;
}

/** The number as the slowdown of a kernel of this name, if it is that. */
function timesOf(
  text: string,
  label: string,
  faster: boolean,
  kernels: readonly string[],
  result: Result,
): Part | null {
  for (const [k, name] of kernels.entries()) {
    const slowdown = slowdownOf(result, k);
    if (name !== label || slowdown === null || slowdown === Infinity) continue;
    const times = faster ? 1 / slowdown : slowdown;
    if (timesText(times) !== text) continue;
    const ends = turned(interval(result.ci95?.kernels[k], "slowdown"), faster);
    const half = ends === null ? 0 : Math.max(ends[1] - times, times - ends[0]);
    return {
      kind: "times",
      text,
      kernel: k,
      range: inFull(ends, timesText),
      give: half > WIDE * times ? timesText(half) : "",
    };
  }
  return null;
}

const turned = (ends: Interval, over: boolean): Interval =>
  ends === null || !over ? ends : ends[0] > 0 ? [1 / ends[1], 1 / ends[0]] : null;

/** A paragraph: sentences about one side. */
export interface Said {
  side: RunSide;
  /** What stands before: which run it is about. */
  lead: string;
  sentences: string[];
  /** What the run would need to be sure; empty where it is. */
  needs: string;
}

/** Why the kernel suffers that the verdict is about, or else the first that does, once runs have told. */
function why({ because = [] }: Result, sufferer: number | null): string[] {
  const one = because.find(({ kernel }) => kernel === sufferer) ?? because[0];
  return one ? [one.says] : [];
}

/** The engine's sentences without its last, where that says what a run would need to be sure. */
function saidOf(side: RunSide): Said {
  const verdict = side.result?.verdict;
  if (!verdict) return { side, lead: "", sentences: ["Nothing is known yet."], needs: "" };
  const last = verdict.says.length - 1,
    needs = !verdict.sure && last > 0 ? (verdict.says[last] ?? "") : "";
  const says = needs === "" ? verdict.says : verdict.says.slice(0, last);
  return { side, lead: "", sentences: [...says, ...why(side.result as Result, verdict.sufferer)], needs };
}

/** The engine says in words alone that a scheme lacks the goals that it would keep. */
const lacks = (sentence: string): boolean => sentence.endsWith("keeps goals, and no kernel has one.");

/** All of A's, and of B's only who suffers, or what becomes of each promise, and that it has none to keep. */
export function said(sides: readonly RunSide[]): Said[] {
  const [a, ...others] = sides;
  if (!a) return [];
  const first = saidOf(a);
  // What is not known of both is said once.
  const other = ({ result }: RunSide): boolean =>
    result?.verdict?.question === "goals" || first.sentences[0] !== (result?.verdict?.says[0] ?? "");
  return [
    first,
    ...others.filter(other).map((side) => {
      const of = saidOf(side),
        all = side.result?.verdict?.question === "goals",
        alike = side.kernels.join() === a.kernels.join() && side.scheme !== a.scheme;
      return {
        ...of,
        lead: alike ? `Under ${side.scheme}: ` : `${side.mark}: `,
        sentences: !side.result
          ? ["nothing is known yet."]
          : of.sentences.filter((sentence, i) => all || i === 0 || lacks(sentence)),
      };
    }),
  ];
}

/** The paragraphs as text, for those who hear them. */
export const plain = (paragraphs: readonly Said[]): string =>
  paragraphs
    .map(({ lead, sentences, needs }, i) => `${lead}${[...sentences, ...(i > 0 && needs ? [needs] : [])].join(" ")}`)
    .join(" ");

// ---------------------------------------------------------------- how sure it is

/** No run here goes on to change it. */
export const isFinal = ({ origin, result }: RunSide): boolean =>
  result !== null && (origin !== "running" || !["budget", "interrupted", undefined].includes(result.stop));

function originOf({ origin, result }: RunSide): string {
  if (!result) return "";
  const cycles = `${count(result.cycles)} cycles`;
  switch (origin) {
    case "stored":
      return `Stored answer of the end, ${cycles}.`;
    case "running":
      return `Running here: ${cycles} so far.`;
    case "rests":
      return `Paused here: ${cycles} so far.`;
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

/** Milliseconds for which a sentence stands at least, while a run goes on. */
export const STANDS = 5000;

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
  const left = before.since + STANDS - now;
  return left <= 0 || sides.every(isFinal) ? { standing: next, again: null } : { standing: before, again: left };
}

/** How much is known: nothing, slowdowns, or their intervals, too. A slowdown of a run's first cycles gives way as soon as it has an interval. */
function known(result: Result | null): number {
  if (result?.verdict == null || (result.verdict.sufferer ?? result.verdict.slowdown) === null) return 0;
  return result.kernels.every((_, k) => interval(result.ci95?.kernels[k], "slowdown") !== null) ? 2 : 1;
}

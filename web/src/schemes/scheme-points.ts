// The schemes of a mix as points: equal ones drawn once, which of them is best and by what, their axes, where their names stand, and where an arrow key leads. No DOM.
import type { Column } from "./table.ts";
import { count, fixed, timeText } from "../model/format.ts";
import { interval } from "../model/interval-text.ts";
import type { Interval, Result } from "../model/types.ts";
import { rangeText } from "../model/bars.ts";
import { isClose, mixFigure, saidSlowdown, slowdownOf } from "../model/figures.ts";
import type { RunSide, SchemeAnswer } from "../model/model.ts";
import type { SchemesProgress } from "./schemes-run.ts";
import type { Scale } from "../model/scale.ts";
import { schemeKey } from "../model/stored.ts";
import type { Box } from "../picture/marks.ts";

/** Schemes whose results are equal. */
export interface SchemePoint {
  /** Those that are A and B first. */
  answers: SchemeAnswer[];
  /** The result of the first of them. */
  result: Result;
  name: string;
  /** The sides that it is: `A`, `B`, `AB`, or empty. */
  marks: string;
  /** By kernel; Infinity for one that gets nothing. */
  slowdowns: number[];
  ends: Interval[];
  /** Harmonic speedup. */
  speedup: number | null;
  speedupEnds: Interval;
  /** The engine's sentence, where the scheme has not acted yet. */
  learning: string;
  /** Where it is in a race, in words: still there, or dropped; empty where it has run whole. */
  race: string;
  dropped: boolean;
}

// ---------------------------------------------------------------- which schemes are one

/** Whether a side has this scheme of the mix. */
export const isSide = (answer: SchemeAnswer, side: RunSide | null): boolean =>
  side !== null && side.elsewhere !== true && schemeKey(answer.experiment) === schemeKey(side.experiment);

/** Slowdowns within this part of each other are the same. */
const ALIKE = 0.01;

/** Whether each number is within a part of the other's. */
export const within = (part: number, ones: readonly (number | null)[], others: readonly (number | null)[]): boolean =>
  ones.length === others.length &&
  ones.every((one, k) => {
    const other = others[k] ?? null;
    return one === other || (one !== null && other !== null && Math.abs(one - other) <= part * Math.min(one, other));
  });

function equal(a: Result, b: Result): boolean {
  const of = (result: Result) => result.kernels.map((_, k) => slowdownOf(result, k));
  return a.digest === b.digest || within(ALIKE, of(a), of(b));
}

/** What equal schemes are called: by the words that their names begin with, or else by the first of them. */
export function commonName(names: readonly string[]): string {
  const [first = "", ...others] = names;
  if (others.length === 0) return first;
  const words = first.split(" ");
  let n = 0;
  const plain = (word: string | undefined): string | undefined => word?.replace(/[,:]$/, "");
  while (n < words.length && others.every((name) => plain(name.split(" ")[n]) === plain(words[n]))) n += 1;
  const common = words.slice(0, n).join(" ").replace(/[,:]$/, "");
  return n > 0 ? `${common} (${names.length} forms)` : `${first} (${names.length} alike)`;
}

/** The engine says so in words alone. */
const learning = ({ verdict }: Result): string =>
  verdict?.says.find((sentence) => sentence.startsWith("The policy still learns")) ?? "";

/** How a race stands with a scheme, in words; empty for one that has run whole. */
export function raceText({ result, races, dropped }: SchemeAnswer): string {
  if (!result) return "";
  const at = `at ${count(result.cycles)} cycles`;
  if (dropped !== undefined) return `dropped ${at}: ${Math.round(100 * dropped)} % behind`;
  return races ? `still races, now ${at}` : "";
}

/** So many names are said of those that are waited for. */
export const FEW = 4;

/** Who still runs, or is still in the race, and for how long. */
export function runningText(waiting: readonly SchemeAnswer[], progress: SchemesProgress): string {
  const { done, of, leftMs, race, lookMs } = progress;
  const few = waiting.length <= FEW ? `: ${waiting.map(({ scheme }) => scheme).join(", ")}` : "",
    look = lookMs === undefined ? "" : `, first compared in about ${timeText(lookMs)}`,
    left = leftMs === null ? "" : `${look}, ${race ? "at most" : "about"} ${timeText(leftMs)} left`;
  return waiting.some(({ races }) => races)
    ? `${of - done} of ${of} still race${few}${left}`
    : `${waiting.length} more ${waiting.length === 1 ? "is" : "are"} running${few}${left}`;
}

interface Entry {
  answer: SchemeAnswer;
  /** Of the side that it is; empty for none. */
  mark: string;
}
/** Its bars have a number each, or at least a range. */
const stands = (side: RunSide): boolean =>
  side.kernels.every((_, k) => saidSlowdown(side, k) !== null || interval(side.result?.ci95?.kernels[k], "slowdown"));

/** The answers, with A and B in the places of their schemes, and behind all others where they are none of them. */
function entries(answers: readonly SchemeAnswer[], a: RunSide | null, b: RunSide | null): Entry[] {
  let left = [a, b].flatMap((side, i) =>
    side?.result && side.elsewhere !== true && stands(side) ? [{ side, mark: "AB"[i] ?? "" }] : [],
  );
  const entry = ({ side, mark }: (typeof left)[number]): Entry => ({
    answer: { experiment: side.experiment, scheme: side.scheme, result: side.result },
    mark,
  });
  const placed = answers.flatMap((answer): Entry[] => {
    const mine = left.filter(({ side }) => isSide(answer, side));
    left = left.filter((one) => !mine.includes(one));
    return mine.length > 0 ? mine.map(entry) : [{ answer, mark: "" }];
  });
  return [...placed, ...left.map(entry)];
}

const alikeInRace = (one: SchemeAnswer, other: SchemeAnswer): boolean =>
  one.races === other.races && (one.dropped === undefined) === (other.dropped === undefined);

/** Best first, and behind them those that a race has dropped. A and B stand where their bars say, also as schemes with settings of their own; of another mix than A's is no place here. */
export function schemePoints(answers: readonly SchemeAnswer[], a: RunSide | null, b: RunSide | null): SchemePoint[] {
  const groups: { result: Result; answers: SchemeAnswer[]; marks: string }[] = [];
  for (const { answer, mark } of entries(answers, a, b)) {
    const { result } = answer;
    if (!result || result.kernels.some((_, k) => slowdownOf(result, k) === null)) continue;
    // Figures of different lengths are not the same.
    const group = groups.find(
      ({ answers: [one], ...other }) => one && alikeInRace(one, answer) && equal(other.result, result),
    );
    if (group) {
      group.answers.splice(mark === "" ? group.answers.length : mark === "A" ? 0 : group.marks.length, 0, answer);
      group.marks = [...group.marks, mark].sort().join("");
    } else groups.push({ result, answers: [answer], marks: mark });
  }
  return groups
    .map(({ result: found, answers, marks }): SchemePoint => {
      const result = answers[0]?.result ?? found,
        speedup = mixFigure(result, "hspeedup");
      return {
        answers,
        result,
        name: commonName(answers.map(({ scheme }) => scheme)),
        marks,
        slowdowns: result.kernels.map((_, k) => slowdownOf(result, k) as number),
        ends: result.kernels.map((_, k) => interval(result.ci95?.kernels[k], "slowdown")),
        speedup,
        // Of what gets nothing, nothing is left to be known.
        speedupEnds: speedup === 0 ? [0, 0] : interval(result.ci95?.metrics, "hspeedup"),
        learning: learning(result),
        race: raceText(answers[0] as SchemeAnswer),
        dropped: answers[0]?.dropped !== undefined,
      };
    })
    .sort((one, other) => Number(one.dropped) - Number(other.dropped) || (other.speedup ?? -1) - (one.speedup ?? -1));
}

/** The one whose harmonic speedup is above all others' intervals; null where intervals leave that open. */
export function best(points: readonly SchemePoint[]): SchemePoint | null {
  const [first, ...others] = points;
  const low = first?.speedupEnds?.[0];
  return first && low !== undefined && others.length > 0 && others.every((p) => p.speedupEnds && p.speedupEnds[1] < low)
    ? first
    : null;
}

/** Where something is promised: by how many promises are kept; then, where all are, by what is left for the others, and else by what is reached. `shown`: the part of each goal, and of each other's IPC alone. */
export function byPromise(points: readonly SchemePoint[], shown: readonly Column[]): SchemePoint[] {
  const promises = shown.filter(({ key }) => key.startsWith("goal_reached")),
    others = shown.filter((column) => !promises.includes(column));
  const sum = (of: readonly Column[], point: SchemePoint, read: (value: number) => number): number =>
    of.reduce((total, column) => total + read(column.read(point.result) ?? 0), 0);
  const kept = (point: SchemePoint): number => sum(promises, point, (value) => Number(value >= 1)),
    worth = (point: SchemePoint): number =>
      kept(point) === promises.length
        ? sum(others, point, (value) => value)
        : sum(promises, point, (value) => Math.min(1, value));
  return [...points].sort((a, b) => kept(b) - kept(a) || worth(b) - worth(a));
}

// ---------------------------------------------------------------- three questions

/** A question that one scheme answers, and its answer in words. */
export interface Pick {
  id: string;
  /** On its button. */
  title: string;
  point: SchemePoint;
  says: string;
}

/**
 * The fairest, the fastest for a kernel, and the one that does most, of those that were not dropped; a race drops by harmonic speedup, and who could
 * still be first by another figure is named. `kernel`: the one that suffers.
 */
export function picksOf(points: readonly SchemePoint[], kernels: readonly string[], kernel: number): Pick[] {
  // As a bar has it: a number, or the range of one that is not known closely.
  const times = (value: number, ends: Interval): string =>
    ends === null || isClose(value, ends) ? `${fixed(value, 2)}×` : rangeText({ kind: "slow", ends });
  const slow = ({ slowdowns, ends }: SchemePoint): string => {
    const said = slowdowns.map((value, k) => (value === Infinity ? "gets nothing" : times(value, ends[k] ?? null)));
    return `${kernels.map((name, k) => `${name} ${said[k]}`).join(", ")} slower`;
  };
  const metric =
    (key: string) =>
    (point: SchemePoint): [number | null, Interval] => [
      mixFigure(point.result, key),
      interval(point.result.ci95?.metrics, key),
    ];
  const of = (
    id: string,
    title: string,
    figure: (point: SchemePoint) => [number | null, Interval],
    more: boolean,
    says: (point: SchemePoint, of: string, value: number) => string,
  ): Pick[] => {
    const known = points
      .flatMap((point) => {
        const [value, ends] = figure(point);
        return value === null ? [] : [{ point, value, ends }];
      })
      .sort((one, other) => (more ? other.value - one.value : one.value - other.value));
    const ran = known.filter(({ point }) => !point.dropped),
      [first] = ran;
    if (!first) return [];
    const [low, high] = first.ends ?? [first.value, first.value];
    const reach = known.filter(
      (one) => one !== first && (more ? (one.ends?.[1] ?? one.value) >= low : (one.ends?.[0] ?? one.value) <= high),
    );
    const lost = reach.filter(({ point }) => point.dropped),
      left = reach.length - lost.length,
      [one] = lost;
    const close =
      (left === 0 ? "" : ` ${left} more may be: intervals overlap.`) +
      (one === undefined
        ? ""
        : lost.length === 1
          ? ` ${one.point.name} may be, too: the race dropped it before its end.`
          : ` ${lost.length} more may be, too: the race dropped them before their end.`);
    return [
      {
        id,
        title,
        point: first.point,
        says: `${says(first.point, `of ${ran.length} that ran`, first.value)}.${close}`,
      },
    ];
  };
  const name = kernels[kernel] ?? "";
  return [
    ...of("fairest", "fairest", metric("fairness"), true, (p, n) => `${p.name} is fairest ${n}: ${slow(p)}`),
    ...of(
      "fastest",
      `fastest for ${name}`,
      ({ slowdowns, ends }) => [slowdowns[kernel] ?? null, ends[kernel] ?? null],
      false,
      (p, n) => `Under ${p.name}, ${name} is fastest ${n}: ${slow(p)}`,
    ),
    ...of(
      "most",
      "most work",
      metric("stp"),
      true,
      (p, n, stp) => `${p.name} does most work ${n}: together ${fixed(stp, 2)} of what each does alone`,
    ),
  ];
}

// ---------------------------------------------------------------- axes

/** A kernel this many times slower than under half of the schemes stands at the edge: what starves it would take the room of all others. */
const HOPELESS = 2.5;

/** A logarithmic axis of slowdowns, from 1× or, where a kernel gains, from less. */
export interface Axis extends Scale {
  from: number;
  to: number;
}

/** `keep`: values that are on it, however large, as far as an axis of five doublings goes. */
export function axisOf(values: readonly number[], keep: readonly number[] = []): Axis {
  const finite = values.filter(Number.isFinite).sort((a, b) => a - b),
    least = finite[0] ?? 1,
    middle = finite[finite.length >> 1] ?? 1;
  const hopeful = finite.filter((v) => v <= HOPELESS * middle || keep.includes(v));
  const from = least < 0.95 ? 0.5 : 1,
    to = Math.min(32 * from, Math.max(2, ...hopeful.map((v) => v * 1.15)));
  const ticks: number[] = [];
  for (let tick = from; tick <= to; tick *= 2) ticks.push(tick);
  const at = (value: number): number =>
    Math.min(1, Math.max(0, Math.log(Math.max(value, from) / from) / Math.log(to / from)));
  return { from, to, ticks, at };
}

// ---------------------------------------------------------------- names that do not overlap

export interface Anchor {
  x: number;
  y: number;
  r: number;
  /** Of its name. */
  w: number;
  h: number;
  /** It has a name, if need be farther away. */
  must: boolean;
}

export const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const NEAR = [3, 6] as const,
  FAR = [3, 6, 14, 24, 36, 50, 66, 84, 102, 120] as const;
const TURNS = 16;
const PAD = 1;

/** A place for each name, the first first, until there are so many; null where there is none beside its point. `taken`: where no name may stand. */
export function placeNames(anchors: readonly Anchor[], most: number, taken: readonly Box[], room: Box): (Box | null)[] {
  const placed: Box[] = [];
  const fits = (box: Box): boolean => {
    const grown: Box = { x: box.x - PAD, y: box.y - PAD, w: box.w + 2 * PAD, h: box.h + 2 * PAD };
    return (
      box.x >= room.x &&
      box.y >= room.y &&
      box.x + box.w <= room.x + room.w &&
      box.y + box.h <= room.y + room.h &&
      ![...taken, ...placed].some((one) => overlap(grown, one))
    );
  };
  return anchors.map(({ x, y, r, w, h, must }) => {
    if (placed.length === most) return null;
    for (const away of must ? FAR : NEAR)
      for (let turn = 0; turn < TURNS; turn += 1) {
        // To the right first, then ever more to the left, above before below.
        const step = Math.ceil(turn / 2) * (turn % 2 === 0 ? 1 : -1),
          cos = Math.cos((step * 2 * Math.PI) / TURNS),
          sin = Math.sin((step * 2 * Math.PI) / TURNS);
        // The name's near side touches the end of the ray.
        const box: Box = {
          x: x + (r + away) * cos - (w * (1 - cos)) / 2,
          y: y + (r + away) * sin - (h * (1 - sin)) / 2,
          w,
          h,
        };
        if (!fits(box)) continue;
        placed.push(box);
        return box;
      }
    return null;
  });
}

// ---------------------------------------------------------------- keys

const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** Where a key leads from a place: the nearest in its direction, what lies straight ahead first; Home and End are the first and the last. Null for any other key. */
export function goTo(places: readonly { x: number; y: number }[], from: number, key: string): number | null {
  if (key === "Home") return 0;
  if (key === "End") return places.length - 1;
  const way = WAYS[key],
    here = places[from];
  if (!way || !here) return null;
  let found = from,
    least = Infinity;
  places.forEach((place, i) => {
    const ahead = (place.x - here.x) * way[0] + (place.y - here.y) * way[1],
      aside = Math.abs((place.x - here.x) * way[1]) + Math.abs((place.y - here.y) * way[0]);
    // What stands in the same place comes in its order, or no key would reach it.
    const twin = ahead === 0 && aside === 0 && (way[0] + way[1] > 0 ? i > from : i < from);
    if (ahead <= 0 && !twin) return;
    const far = twin ? 0 : Math.hypot(ahead, aside) * (aside > ahead ? 3 : 1);
    if (far < least || (twin && i < from)) {
      least = far;
      found = i;
    }
  });
  return found;
}

// What the page knows of a run's launches, and what is said of them. No DOM.
import { percent, whole } from "./scale.ts";
import type { FrameLayout, Share } from "./types.ts";
import type { Cell, Column, Tabular } from "./tabular.ts";
import { type Launch, type LaunchNews, NEVER, NOWHERE } from "./launch-log.ts";

export class Launches {
  #kernels: Launch[][] = [];

  take({ restart, dropped, changed }: LaunchNews): void {
    if (restart) this.#kernels = [];
    for (const launch of changed) {
      const all = this.#kernels[launch.kernel] ?? [],
        at = launch.number - (all[0]?.number ?? launch.number);
      all[at] = launch;
      this.#kernels[launch.kernel] = all;
    }
    dropped.forEach((count, kernel) => {
      const all = this.#kernels[kernel];
      if (all?.[0] && all[0].number < count) all.splice(0, count - all[0].number);
    });
  }

  /** Of all kernels, as they began. */
  all(): readonly Launch[] {
    return this.#kernels.flat().sort((a, b) => a.begin - b.begin);
  }
}

const ctas = ({ grid: [x, y, z] }: Launch): number => x * y * z;

/** How many of a launch's CTAs have begun before a cycle, and have finished. */
function progress(launch: Launch, cycle: number): { begun: number; done: number } {
  if (launch.end !== null && launch.end < cycle) return { begun: ctas(launch), done: ctas(launch) };
  let begun = 0,
    done = 0;
  for (let cta = 0; cta < launch.sms.length; cta += 1) {
    if (hasBegun(launch, cta, cycle)) begun += 1;
    if (hasFinished(launch, cta, cycle)) done += 1;
  }
  return { begun, done };
}
export const hasBegun = (launch: Launch, cta: number, cycle: number): boolean =>
  launch.begun[cta] !== NEVER && launch.begin + (launch.begun[cta] as number) < cycle;
export const hasFinished = (launch: Launch, cta: number, cycle: number): boolean =>
  launch.done[cta] !== NEVER && launch.begin + (launch.done[cta] as number) < cycle;

/** A CTA's place in the grid, as x, y, z; x goes fastest. */
export function placeOf(cta: number, [x, y]: Launch["grid"]): [number, number, number] {
  return [cta % x, Math.floor(cta / x) % y, Math.floor(cta / (x * y))];
}

const launchName = ({ launch, run }: Launch): string =>
  `Launch ${whole(launch + 1)}${run > 0 ? `, run ${whole(run + 1)}` : ""}`;

/** What is said of a CTA. */
export function ctaText(launch: Launch, cta: number, cycle: number): string {
  const name = `${launchName(launch)}, CTA ${whole(cta)} (${placeOf(cta, launch.grid).join(", ")})`;
  if (!hasBegun(launch, cta, cycle)) return `${name}: has not begun`;
  const begin = launch.begin + (launch.begun[cta] as number),
    end = launch.begin + (launch.done[cta] as number),
    thief = launch.from[cta] as number;
  const where = `${name} on SM ${launch.sms[cta]}${thief === NOWHERE ? "" : `, stolen from SM ${thief}`}`;
  return hasFinished(launch, cta, cycle)
    ? `${where}: cycles ${whole(begin)} to ${whole(end)}, ${whole(end - begin + 1)} cycles`
    : `${where}: since cycle ${whole(begin)}`;
}

export function launchText(launch: Launch, cycle: number, counters: readonly Counter[]): string {
  const { begun, done } = progress(launch, cycle),
    all = ctas(launch);
  if (launch.begin >= cycle) return `${launchName(launch)}: has not begun`;
  const ended = launch.end !== null && launch.end < cycle;
  const count =
    launch.sms.length === 0
      ? `${whole(all)} CTAs, too many to be drawn`
      : ended
        ? `${whole(all)} CTAs`
        : `${whole(done)} of ${whole(all)} CTAs have finished, ${whole(begun - done)} run`;
  const parts = [
    count,
    `grid ${launch.grid.join(" × ")}`,
    `from cycle ${whole(launch.begin)}${ended ? `, ${whole((launch.end as number) - launch.begin + 1)} cycles` : ""}`,
  ];
  if (launch.stolen > 0) parts.push(`${whole(launch.stolen)} stolen`);
  if (ended) for (const group of GROUPS) parts.push(...groupText(group, launch, counters));
  return `${launchName(launch)}: ${parts.join("; ")}`;
}

// ---------------------------------------------------------------- counters of a launch, by class

export type Counter = FrameLayout["counters"][number];
/** Counters that are parts of one whole: accesses by who served them, traffic by what it was for. */
export interface Group {
  key: string;
  title: string;
  unit: string;
  parts(counters: readonly Counter[]): { key: string; title: string }[];
}

const words = (key: string): string => key.replaceAll("_", " ").replaceAll(/\bl(\d)\b/g, "L$1");
/** Where the lines that loads ask for are found. Counters of misses by who has answered them, `misses_to_…`, take the place of all misses. */
const ACCESSES: Group = {
  key: "accesses",
  title: "Reads of L1D",
  unit: "lines",
  parts: (counters) => {
    const served = counters
      .filter(({ key }) => key.startsWith("misses_to_"))
      .map(({ key }) => ({ key, title: words(key) }));
    const rest = served.length > 0 ? served : [{ key: "l1_misses", title: "misses" }];
    return [{ key: "l1_hits", title: "hits" }, { key: "l1_merged", title: "merged" }, ...rest].filter(({ key }) =>
      counters.some((one) => one.key === key),
    );
  },
};
/** Flits by what they were for: every `noc_…_crossings`. */
const TRAFFIC: Group = {
  key: "crossings",
  title: "NoC",
  unit: "flits × links",
  parts: (counters) =>
    counters.flatMap(({ key }) => {
      const found = /^noc_(.+)_crossings$/.exec(key);
      return found ? [{ key, title: words(found[1] as string) }] : [];
    }),
};
export const GROUPS: readonly Group[] = [ACCESSES, TRAFFIC];

/** A launch's parts of a group; null before it has ended. */
export function partsOf(
  group: Group,
  launch: Launch,
  counters: readonly Counter[],
): { key: string; title: string; count: number }[] | null {
  const { counters: counts } = launch;
  return (
    counts &&
    group
      .parts(counters)
      .map((part) => ({ ...part, count: counts[counters.findIndex(({ key }) => key === part.key)] ?? 0 }))
  );
}

function groupText(group: Group, launch: Launch, counters: readonly Counter[]): string[] {
  const parts = partsOf(group, launch, counters) ?? [],
    sum = parts.reduce((all, { count }) => all + count, 0);
  return sum === 0
    ? []
    : [
        `${group.title}: ${whole(sum)} ${group.unit}, ${parts
          .filter(({ count }) => count > 0)
          .map(({ title, count }) => `${title} ${percent(count, sum)}`)
          .join(", ")}`,
      ];
}

/** Every launch as a row. `kernels`: their names. */
export function launchTable(
  launches: readonly Launch[],
  cycle: number,
  counters: readonly Counter[],
  kernels: readonly string[],
  title: string,
): Tabular {
  const parts = GROUPS.flatMap((group) => group.parts(counters).map((part) => ({ ...part, group })));
  const doc = (key: string): string => counters.find((one) => one.key === key)?.doc ?? "";
  const columns: Column[] = [
    { key: "kernel", title: "Kernel", unit: "" },
    { key: "run", title: "Run", unit: "" },
    { key: "launch", title: "Launch", unit: "" },
    { key: "grid", title: "Grid", unit: "CTAs" },
    { key: "begin", title: "From cycle", unit: "" },
    { key: "cycles", title: "Length", unit: "cycles" },
    { key: "done", title: "Finished", unit: "CTAs" },
    { key: "stolen", title: "Stolen", unit: "CTAs" },
    ...parts.map(({ key, title: name, group }) => ({
      key,
      title: `${group.title}, ${name}`,
      unit: group.unit,
      doc: doc(key),
    })),
  ];
  const rows = launches
    .filter(({ begin }) => begin < cycle)
    .map((launch): Cell[] => {
      const ended = launch.end !== null && launch.end < cycle;
      return [
        kernels[launch.kernel] ?? "",
        launch.run + 1,
        launch.launch + 1,
        launch.grid.join(" × "),
        launch.begin,
        ended ? (launch.end as number) - launch.begin + 1 : null,
        progress(launch, cycle).done,
        launch.stolen,
        ...parts.map(({ key }) =>
          ended ? (launch.counters?.[counters.findIndex((one) => one.key === key)] ?? null) : null,
        ),
      ];
    });
  return { title, columns, rows };
}

// ---------------------------------------------------------------- what each SM has before it

const rangeText = ([first, end]: readonly [number, number]): string =>
  first >= end ? "nothing" : end - first === 1 ? String(first) : `${first} to ${end - 1}`;

/** An SM's chunk, what is left of it and its steal queue, in words. */
export function shareTexts(share: Share): { chunk: string; left: string; queue: string; waits: string } {
  const waiting = share.queue.slice(...share.waiting);
  return {
    chunk: share.chunk ? rangeText(share.chunk) : "",
    left: rangeText(share.left),
    queue: share.queue.join(" "),
    waits: waiting.join(" "),
  };
}

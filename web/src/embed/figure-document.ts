// The figures of a paper as data: what each point is, of which runs it is made, and how it compares with the paper and with what was
// computed again. Plain functions; `sim-core/src/study/figure` has the format, computes the values and draws.
import { MISSING, counted, fixed } from "../model/format.ts";
import type { Experiment, Figure, FigurePoint, Result } from "../model/types.ts";
import type { Tabular } from "../model/tabular.ts";

interface StoredRun {
  experiment: Experiment;
  /** Of the experiment after defaults. */
  hash: string;
  /** Of the machine at the end. */
  digest?: string;
}
export interface FigureDocument {
  paper: string;
  title: string;
  citation: string;
  stamp: { engine: string; commit: string; mode: string; cycles: number; seed: number };
  runs: StoredRun[];
  figures: Figure[];
}

export class DocumentError extends Error {}

/** A paper's or a figure's name in addresses. */
export const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

// ---------------------------------------------------------------- reading

/** What a figure means is checked by the engine, which draws it. */
export function readDocument(value: unknown): FigureDocument {
  const { corun, ...document } = Object(value) as { corun: unknown } & FigureDocument;
  if (corun !== 1) throw new DocumentError(`corun: found ${JSON.stringify(corun) ?? "nothing"}, want 1`);
  for (const { points } of document.figures) for (const point of points) point.runs ??= [];
  return document;
}

// ---------------------------------------------------------------- runs

/** Over how many cycles a figure's runs go, or at most: a study measures some mixes longer than its mode says. */
export function lengthOf(of: FigureDocument, figure: Figure): string {
  const cycles = runsOf(figure.points).map((run) => {
    const stop: unknown = of.runs[run]?.experiment.stop;
    return typeof stop === "object" && stop !== null && "cycles" in stop && typeof stop.cycles === "number"
      ? stop.cycles
      : of.stamp.cycles;
  });
  const [least, most] =
    cycles.length === 0 ? [of.stamp.cycles, of.stamp.cycles] : [Math.min(...cycles), Math.max(...cycles)];
  return `${least === most ? "" : `${least.toLocaleString("en")} to `}${most.toLocaleString("en")} cycles`;
}

/** The runs behind some points, each once, in rising order. */
export function runsOf(points: readonly FigurePoint[]): number[] {
  return [...new Set(points.flatMap((p) => [...p.runs, ...(p.baseline ?? [])]))].sort((a, b) => a - b);
}

const measured = (figure: Figure, point: FigurePoint): string => (point.measure ?? figure.measure).path;

/** Whether the report computed a point's value by more than a path can say: its runs can be made again, the value stands. */
const given = (figure: Figure, point: FigurePoint): boolean => (point.measure ?? figure.measure).reduce === "given";

/** How many windows of a run's result the points need: 0 for none. */
export function windowsOf(figure: Figure, points: readonly FigurePoint[]): number {
  return Math.max(0, ...points.map((p) => Number(/^windows\[(\d+)\]/.exec(measured(figure, p))?.[1] ?? -1) + 1));
}

/** A result without the windows that no figure reads. */
export function trimmed(result: Result, windows: number): Result {
  const all = result["windows"];
  return Array.isArray(all) ? { ...result, windows: all.slice(0, windows) } : result;
}

/**
 * Experiments as one sweep, which the pool and the runner take: a point for each, in order. What they share is the base, the rest steps
 * together. A field that only some of them have is filled in by `complete`, which writes out the engine's defaults.
 */
export function sweepOf(
  experiments: readonly Experiment[],
  name: string,
  complete: (experiment: Experiment) => Experiment,
): object {
  const keys = [...new Set(experiments.flatMap((e) => Object.keys(e)))];
  const full = experiments.map((e) => {
    const missing = keys.filter((key) => e[key] === undefined);
    if (missing.length === 0) return e;
    const defaults = complete(e);
    return { ...e, ...Object.fromEntries(missing.map((key) => [key, defaults[key]])) };
  });
  const same = (key: string): boolean => full.every((e) => JSON.stringify(e[key]) === JSON.stringify(full[0]?.[key]));
  // An axis needs a path: the kernels are always there.
  const zip = keys
    .filter((key) => key === "kernels" || !same(key))
    .map((path) => ({ path, values: full.map((e) => e[path]) }));
  const base = Object.fromEntries(
    keys.filter((key) => key !== "kernels" && same(key)).map((key) => [key, full[0]?.[key]]),
  );
  return { corun: 1, sweep: { name: name.slice(0, 200), base, axes: [{ zip }] } };
}

// ---------------------------------------------------------------- comparing

/** What was computed again, beside what is stored. */
interface Comparison {
  /** Points whose runs have all run again. */
  points: number;
  equal: number;
  /** Points that differ, the worst first. */
  differ: { point: number; stored: number | null; here: number | null }[];
  /** Runs that ended, how many of them have a stored digest, and how many of those have the same. */
  runs: number;
  digests: number;
  same: number;
}

export function compare(
  document: FigureDocument,
  figure: Figure,
  values: readonly (number | null)[],
  results: ReadonlyMap<number, Result>,
): Comparison {
  const complete = figure.points
    .map((p, i) => ({ i, p }))
    .filter(({ p }) => p.runs.length > 0 && !given(figure, p) && runsOf([p]).every((run) => results.has(run)));
  const differ = complete
    .map(({ i, p }) => ({ point: i, stored: p.value ?? null, here: values[i] ?? null }))
    .filter(({ stored, here }) => stored !== here);
  const off = ({ stored, here }: { stored: number | null; here: number | null }): number =>
    stored === null || here === null ? Infinity : Math.abs(here / stored - 1);
  differ.sort((a, b) => off(b) - off(a) || 0);
  const ran = runsOf(figure.points).filter((run) => results.has(run));
  const digested = ran.filter((run) => document.runs[run]?.digest !== undefined);
  return {
    points: complete.length,
    equal: complete.length - differ.length,
    differ,
    runs: ran.length,
    digests: digested.length,
    same: digested.filter((run) => results.get(run)?.digest === document.runs[run]?.digest).length,
  };
}

/** The outcome as a sentence. */
export function comparisonText(figure: Figure, of: Comparison): string {
  if (of.points === 0 && !figure.points.every((p) => given(figure, p)))
    return `${counted(of.runs, "run")} done here; no point is complete yet.`;
  const digests =
    of.digests === 0
      ? ""
      : of.same === of.digests
        ? `, and the digests of ${of.digests === 1 ? "its run" : `all ${counted(of.digests, "run")}`} are equal`
        : `; ${counted(of.digests - of.same, "run")} of ${of.digests} ended in another state`;
  if (of.points === 0)
    return `The report computed these values from its runs; ${counted(of.runs, "run")} done here${digests}.`;
  if (of.differ.length === 0)
    return `Equal, to the last digit: ${counted(of.points, "point")} of ${figure.points.length} computed here${digests}.`;
  const worst = of.differ[0] as Comparison["differ"][number];
  return `${counted(of.differ.length, "point")} of ${of.points} computed here ${of.differ.length === 1 ? "differs" : "differ"}${digests}. The worst: ${pointName(figure, worst.point)}, stored ${valueText(figure, worst.stored)}, here ${valueText(figure, worst.here)}.`;
}

// ---------------------------------------------------------------- words

const percentual = (figure: Figure): boolean => figure.y?.unit === "%";

export function valueText(figure: Figure, value: number | null | undefined): string {
  if (value === null || value === undefined) return MISSING;
  if (percentual(figure)) return `${fixed(value * 100, 1)} %`;
  return fixed(value, Math.abs(value) >= 100 ? 1 : 3);
}

export const placeText = (figure: Figure, x: number): string => figure.categories?.[x] ?? x.toLocaleString("en");

/** Which point it is: its series, where there are several, and its place. */
export function pointName(figure: Figure, index: number): string {
  const point = figure.points[index];
  if (!point) return "";
  const place = figure.categories
    ? placeText(figure, point.x)
    : `${figure.x?.label || "x"} ${placeText(figure, point.x)}`;
  return figure.series.length > 1 ? `${figure.series[point.series] ?? ""}, ${place}` : place;
}

/** What is said of a point: ours, and the paper's. `gain`: what the paper prints of another bar over it. */
export function pointText(figure: Figure, index: number, gain?: number): string {
  const point = figure.points[index];
  if (!point) return "";
  const said = gain === undefined ? "the paper prints" : `by the ${gain} × that the paper prints over it`,
    paper = point.paper === undefined ? "" : `; ${said} ${valueText(figure, point.paper)}`;
  return `${pointName(figure, index)}: ${valueText(figure, point.value)}${paper}`;
}

/** Every point, with the paper's value and what was computed here. */
export function tableOf(figure: Figure, here: readonly (number | null)[] | null): Tabular {
  const unit = figure.y?.unit ?? "",
    name = figure.y?.label || "Value",
    scale = percentual(figure) ? 100 : 1;
  const cell = (value: number | null | undefined): number | null =>
    value === null || value === undefined ? null : value * scale;
  return {
    title: figure.title,
    columns: [
      { key: "series", title: "Series", unit: "" },
      { key: "x", title: figure.x?.label || "Place", unit: figure.categories ? "" : (figure.x?.unit ?? "") },
      { key: "value", title: name, unit },
      { key: "paper", title: "Paper", unit },
      ...(here ? [{ key: "here", title: "Computed here", unit }] : []),
      { key: "runs", title: "Runs", unit: "" },
    ],
    rows: figure.points.map((p, i) => [
      figure.series[p.series] ?? "",
      figure.categories?.[p.x] ?? p.x,
      cell(p.value),
      cell(p.paper),
      ...(here ? [cell(here[i])] : []),
      p.runs.length,
    ]),
  };
}

// ---------------------------------------------------------------- walking the marks

/** The point that an arrow key leads to: along its series, or to another series at the same place. Null: nowhere. */
export function neighbour(figure: Figure, at: number | null, key: string): number | null {
  const drawn = figure.points.map((p, i) => ({ p, i })).filter(({ p }) => typeof p.value === "number");
  const from = at === null ? undefined : figure.points[at];
  if (key === "Home" || !from) return drawn[0]?.i ?? null;
  if (key === "End") return drawn.at(-1)?.i ?? null;
  const along = key === "ArrowRight" || key === "ArrowLeft",
    up = key === "ArrowRight" || key === "ArrowUp" ? 1 : -1;
  const rank = ({ series, x }: FigurePoint): number => up * (along ? x - from.x : series - from.series);
  const others = drawn.filter(({ p }) => (along ? p.series === from.series : p.x === from.x) && rank(p) > 0);
  return (
    others.reduce<{ p: FigurePoint; i: number } | null>(
      (best, one) => (best === null || rank(one.p) < rank(best.p) ? one : best),
      null,
    )?.i ?? null
  );
}

// ---------------------------------------------------------------- embedding

const escaped = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The address of a figure by itself. `base` ends with a slash. */
export const figureAddress = (base: string, paper: string, id: string): string =>
  `${base}figures.html?paper=${paper}&figure=${id}`;

/** What an author pastes into an article: the picture stands there without scripts too. */
export function elementCode(base: string, paper: string, figure: Figure): string {
  return `<script type="module" src="${base}corun-figure.js"></script>
<corun-figure paper="${paper}" figure="${figure.id}">
  <a href="${escaped(figureAddress(base, paper, figure.id))}"><img src="${base}papers/${paper}/${figure.id}.svg" alt="${escaped(figure.title)}"></a>
</corun-figure>
`;
}

export function frameCode(base: string, paper: string, figure: Figure, height: number): string {
  return `<iframe src="${escaped(`${figureAddress(base, paper, figure.id)}&embed=1`)}" title="${escaped(figure.title)}" width="100%" height="${Math.ceil(height)}" loading="lazy" style="border: 0"></iframe>
`;
}

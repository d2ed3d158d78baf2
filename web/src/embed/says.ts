// What an embedded run says: who suffers and why, in the engine's words, and its numbers. No DOM.
import { kernelLabels, mixText, runTitles } from "../model/choices.ts";
import { count, fixed } from "../model/format.ts";
import type { LinkState } from "../model/link.ts";
import { endsOf, readFigure, type Of } from "../model/figures.ts";
import type { RunSide } from "../model/model.ts";
import { plain, said } from "../model/says.ts";
import { plusMinus } from "../model/interval-text.ts";
import type { Catalogue, Experiment, Result } from "../model/types.ts";
import type { Tabular } from "../model/tabular.ts";

const MARKS = ["A", "B"] as const;

/** The runs of a link, none of which has begun. */
export function sidesOf(
  { experiment, other }: Pick<LinkState, "experiment" | "other">,
  catalogue: Catalogue | null = null,
): RunSide[] {
  const all = other ? [experiment, other] : [experiment],
    titles = runTitles(all, catalogue);
  return all.map((one, i) => ({
    mark: all.length > 1 ? (MARKS[i] ?? "") : "",
    scheme: titles[i] ?? "",
    experiment: one,
    kernels: kernelLabels(one.kernels),
    result: null,
    origin: "running",
  }));
}

/** `BP + CFD: Even split and CCBP`. */
export function titleOf(experiments: readonly Experiment[], catalogue: Catalogue | null = null): string {
  const mixes = [...new Set(experiments.map(mixText))];
  return `${mixes.join(" / ")}: ${[...new Set(runTitles(experiments, catalogue))].join(" and ")}`;
}

/** What is said of all. */
export const sentence = (sides: readonly RunSide[]): string => plain(said(sides));

const FIGURES = [
  { key: "ipc", title: "IPC", decimals: 1 },
  { key: "ipc_alone", title: "IPC alone", decimals: 1 },
  { key: "slowdown", title: "Times slower", decimals: 2 },
] as const;
const MIX = [
  { key: "hspeedup", title: "Harmonic speedup" },
  { key: "stp", title: "System throughput" },
  { key: "fairness", title: "Fairness" },
] as const;

/** The numbers of the runs that have some: a row a kernel, and below one for each figure of the mix. */
export function numbersOf(sides: readonly RunSide[]): Tabular {
  const text = (result: Result, of: Of, key: string, decimals: number): string => {
    const value = readFigure(result, of, key),
      format = (one: number | null): string => fixed(one, decimals);
    return `${format(value)} ${plusMinus(value, endsOf(result, of, key), format)}`.trim();
  };
  const rows = sides.flatMap(({ mark, kernels, result }) => {
    if (!result) return [];
    const before = sides.length > 1 ? `${mark}: ` : "";
    const mix = MIX.map(({ key, title }) => [`${before}${title}`, "", "", text(result, "metrics", key, 3)]);
    return [
      ...kernels.map((name, k) => [
        `${before}${name}`,
        ...FIGURES.map(({ key, decimals }) => text(result, k, key, decimals)),
      ]),
      ...(kernels.length < 2 ? [] : mix),
    ];
  });
  return {
    title: "Numbers, with half of their 95 % intervals",
    columns: [
      { key: "kernel", title: "Kernel, or figure of the mix", unit: "" },
      ...FIGURES.map(({ key, title }) => ({ key, title, unit: "" })),
    ],
    rows,
  };
}

/** What was run, so that it can be run again. */
export const stampOf = (sides: readonly RunSide[]): string =>
  sides
    .flatMap(({ mark, result }) =>
      result
        ? [
            `${mark === "" ? "" : `${mark}: `}Corun ${result.engine}, config ${result.config_hash}, seed ${result.seed}, ${count(result.cycles)} cycles, digest ${result.digest}`,
          ]
        : [],
    )
    .join("; ");

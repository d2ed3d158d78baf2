// The numbers of the time axis in words and as a table: what the pointer stands on, and what is selected.
import { h, sideMark } from "../parts/dom.ts";
import { figure, percent } from "../model/scale.ts";
import { theme } from "../picture/theme.ts";
import { swatch } from "../picture/parts.ts";
import type { DockRun, Figures } from "./dock-data.ts";
import { seriesPaint } from "./dock-drawing.ts";

/** Of one run, with its part of a peak. */
export function valueText({ values, unit, peak }: Figures, run: number, units: boolean): string {
  const v = values[run] ?? NaN;
  if (!Number.isFinite(v)) return "–";
  return `${figure(v)}${units && unit !== "" ? ` ${unit}` : ""}${peak === null ? "" : ` (${percent(v, peak)} of peak)`}`;
}

/** In a line of words, for those who hear it; empty where nothing is known. */
export function figuresText(runs: readonly DockRun[], all: readonly Figures[]): string {
  return runs
    .map(({ mark }, r) => {
      const parts = all.flatMap((one) =>
        Number.isFinite(one.values[r] ?? NaN) ? [`${one.label} ${valueText(one, r, true)}`] : [],
      );
      return parts.length > 0 ? `${mark === "" ? "" : `${mark}: `}${parts.join(", ")}` : "";
    })
    .filter((part) => part !== "")
    .join("; ");
}

/** Of a lane: what all its parts take of a peak, or where it has one part alone, that. */
export const brief = (all: readonly Figures[]): Figures[] =>
  all.length === 1 ? [...all] : all.filter(({ peak }) => peak !== null);

/** A row for each part of a lane, a column for each run. */
export const figuresTable = (runs: readonly DockRun[], all: readonly Figures[]): HTMLElement =>
  h(
    "table",
    null,
    runs.length > 1
      ? h("tr", null, h("td"), ...runs.map(({ mark }) => h("th", { scope: "col" }, sideMark(mark))))
      : null,
    ...all.map((one) =>
      h(
        "tr",
        null,
        h("th", { scope: "row" }, one.series ? swatch(seriesPaint(one.series, theme())) : null, one.name),
        ...runs.map((_, r) => h("td", null, valueText(one, r, true))),
      ),
    ),
  );

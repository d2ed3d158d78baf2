// The numbers of the time axis in words and as a table: what the pointer stands on, and what is selected.
import { SideMark } from "../parts/widgets.tsx";
import { figure, percent } from "../model/scale.ts";
import { theme } from "../picture/theme.ts";
import { PaintSwatch } from "../picture/parts.tsx";
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
export const FiguresTable = ({ runs, all }: { runs: readonly DockRun[]; all: readonly Figures[] }) => (
  <table>
    {runs.length > 1 && (
      <tr>
        <td />
        {runs.map(({ mark }) => (
          <th key={mark} scope="col">
            <SideMark mark={mark} />
          </th>
        ))}
      </tr>
    )}
    {all.map((one) => (
      <tr key={one.name}>
        <th scope="row">
          {one.series && <PaintSwatch of={seriesPaint(one.series, theme())} />}
          {one.name}
        </th>
        {runs.map((_, r) => (
          <td key={r}>{valueText(one, r, true)}</td>
        ))}
      </tr>
    ))}
  </table>
);

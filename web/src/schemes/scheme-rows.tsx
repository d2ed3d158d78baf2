// Three and more kernels, or a promise: a row a scheme, a bar a kernel, in columns.
import { fixed } from "../model/format.ts";
import { kernelStyle, painted } from "../parts/palette.ts";
import { Track } from "../parts/track.tsx";
import type { Column } from "./table.ts";
import { axisOf, type SchemePoint } from "./scheme-points.ts";

/** As in the style sheet: the heights of the head and of a row. */
export const HEAD = 20,
  ROW = 17;
/** More kernels than these leave no room for names and numbers, which the tip and the table have. */
const MANY = 4;

interface Props {
  points: readonly SchemePoint[];
  /** One for each kernel. */
  columns: readonly Column[];
  kernels: readonly string[];
  active: number | null;
  optionId(i: number): string;
  spoken(point: SchemePoint): string;
}

/** What becomes of a promise: whether it is kept, as far as the interval says. */
const kept = (value: number | null, ends: [number, number] | null): "kept" | "missed" | "open" | "" =>
  value === null ? "" : ends !== null && ends[0] < 1 && ends[1] >= 1 ? "open" : value >= 1 ? "kept" : "missed";

const percents = (value: number): string => `${Math.round(100 * value)} %`;
const times = (value: number): string => (value === Infinity ? "∞" : `${fixed(value, value < 9.95 ? 1 : 0)}×`);

export function SchemeRows({ points, columns, kernels, active, optionId, spoken }: Props) {
  const slow = axisOf(
    points
      .flatMap(({ result }) => columns.filter((c) => c.figure === "slowdown").map((c) => c.read(result) ?? 1))
      .filter(Number.isFinite),
  );
  /** Parts of a goal or of the speed alone are linear, and end a little beyond 1. */
  const where = (column: Column, value: number): number =>
    column.figure === "slowdown" ? slow.at(value) : Math.min(1, value / 1.25);
  const narrow = columns.length > MANY;
  return (
    <div class={narrow ? "rows narrow" : "rows"} role="presentation">
      <div class="row head" aria-hidden="true">
        <span />
        {columns.map((column) => (
          <span key={column.key} class="head-cell">
            <span class="swatch" style={painted(column.kernel ?? 0)}>
              {narrow ? <b>{kernelStyle(column.kernel ?? 0).number}</b> : null}
            </span>
            {narrow ? null : kernels[column.kernel ?? 0]}
            {narrow
              ? null
              : column.key.startsWith("goal_reached")
                ? ": of its goal"
                : column.figure === "goals"
                  ? ": of IPC alone"
                  : ""}
          </span>
        ))}
      </div>
      {points.map((point, i) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the option (aria-activedescendant).
        <div
          key={point.answers[0]?.scheme}
          id={optionId(i)}
          data-at={i}
          role="option"
          aria-selected={point.marks.includes("B")}
          aria-label={spoken(point)}
          class={`row ${i === active ? "active" : ""} ${point.marks === "" ? "" : "mine"} ${point.dropped ? "dropped" : ""}`}
        >
          <span class="row-name">
            {[...point.marks].map((mark) => (
              <b key={mark} class={`chip ${mark}`}>
                {mark}
              </b>
            ))}
            {point.learning !== "" && <span class="learns" />}
            {point.dropped && <span class="cross">×</span>}
            <span class="text">{point.name}</span>
          </span>
          {columns.map((column) => {
            const value = column.read(point.result),
              ends = column.ends(point.result);
            const promise = column.key.startsWith("goal_reached") ? kept(value, ends) : "";
            return (
              <span key={column.key} class="cell">
                <Track
                  at={(of) => where(column, of)}
                  bars={value === null ? [] : [{ to: value, kernel: column.kernel ?? 0 }]}
                  ends={point.marks !== "" || i === active ? ends : null}
                  line={promise === "" ? undefined : 1}
                />
                <span class={`value ${promise === "" ? "" : "promised"}`}>
                  {promise !== "" && <span class={`promise ${promise}`} />}
                  {value === null || narrow ? "" : column.figure === "slowdown" ? times(value) : percents(value)}
                </span>
              </span>
            );
          })}
        </div>
      ))}
    </div>
  );
}

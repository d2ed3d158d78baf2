// The numbers of the time axis in words and as a table: what the pointer stands on, and what a range holds.
import { h, swatch } from "../dom.ts";
import { figure, percent } from "../draw/scale.ts";
import { ALL, labelOf, type DockRun, type Figures } from "./dock-data.ts";

const number = (v: number, unit: string): string =>
  Number.isFinite(v) ? `${figure(v)}${unit === "" ? "" : ` ${unit}`}` : "–";
const share = (v: number, { peak }: Figures): string =>
  peak !== null && Number.isFinite(v) ? ` (${percent(v, peak)} of peak)` : "";

/** In a line of words, for those who hear it; empty where nothing is known. */
export function figuresText(runs: readonly DockRun[], all: readonly Figures[]): string {
  return runs
    .map(({ mark }, r) => {
      const parts = all.flatMap((one) => {
        const v = one.values[r] ?? NaN;
        return Number.isFinite(v) ? [`${labelOf(one)} ${number(v, one.unit)}${share(v, one)}`] : [];
      });
      return parts.length > 0 ? `${mark === "" ? "" : `${mark}: `}${parts.join(", ")}` : "";
    })
    .filter((part) => part !== "")
    .join("; ");
}

/** IPC of each kernel, and what all of them take of a peak. */
export const brief = (all: readonly Figures[]): Figures[] =>
  all.filter(({ lane, peak }) => lane === "IPC" || peak !== null);

/** A row for each kernel, columns for IPC and bandwidth, of each run one. */
export function figuresTable(runs: readonly DockRun[], all: readonly Figures[]): HTMLElement {
  const lanes = [...new Set(all.map(({ lane }) => lane))],
    names = [...new Set(all.map(({ name }) => name))].sort((a, b) => Number(a === ALL) - Number(b === ALL));
  const find = (lane: string, name: string): Figures | undefined =>
    all.find((one) => one.lane === lane && one.name === name);
  const unit = (lane: string): string => all.find((one) => one.lane === lane)?.unit ?? "";
  return h(
    "table",
    null,
    h(
      "tr",
      null,
      h("td"),
      ...lanes.flatMap((lane) =>
        runs.map(({ mark }) =>
          h("th", { scope: "col" }, [lane, mark, unit(lane)].filter((part) => part !== "").join(" ")),
        ),
      ),
    ),
    ...names.map((name) => {
      const kernel = all.find((one) => one.name === name)?.kernel ?? null;
      return h(
        "tr",
        null,
        h("th", { scope: "row" }, kernel === null ? null : swatch(kernel), name === ALL ? `${ALL}, of peak` : name),
        ...lanes.flatMap((lane) => {
          const one = find(lane, name);
          return runs.map((_, r) => h("td", null, one ? cell(one, r) : ""));
        }),
      );
    }),
  );
}
const cell = (one: Figures, run: number): string => {
  const v = one.values[run] ?? NaN;
  return one.peak !== null && Number.isFinite(v) ? `${figure(v)}, ${percent(v, one.peak)}` : figure(v);
};

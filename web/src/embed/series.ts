// What happened over time, as a host of another language takes it: JSON has no NaN, and hosts make a text or a null of it, so numbers go as bytes.

/** A row for each window of 400 cycles; NaN where there is nothing to measure. */
export interface Series {
  /** `start`, `ipc`, …, `kernels[0].ipc`, …: as a result has them. */
  columns: string[];
  rows: Float64Array<ArrayBuffer>;
}

/** Every value of a window, with its path. */
function values(window: object, path = ""): [string, number][] {
  return Object.entries(window).flatMap(([key, value]): [string, number][] => {
    const name = Array.isArray(window) ? `${path.slice(0, -1)}[${key}]` : `${path}${key}`;
    return typeof value === "object" && value !== null
      ? values(value, `${name}.`)
      : [[name, typeof value === "number" ? value : Number.NaN]];
  });
}

/** The `windows` of a result. */
export function seriesOf(windows: readonly object[]): Series {
  const rows = windows.map((window) => values(window));
  return {
    columns: (rows[0] ?? []).map(([name]) => name),
    rows: Float64Array.from(rows.flatMap((row) => row.map(([, value]) => value))),
  };
}

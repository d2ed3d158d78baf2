// A table as data: what stands behind every picture, and what CSV and JSON exports write.
import type { Stamp } from "./stamp.ts";

export type Cell = string | number | null;
export interface Column {
  key: string;
  title: string;
  unit: string;
  doc?: string;
}
export interface Tabular {
  title: string;
  columns: Column[];
  rows: Cell[][];
}

function csvCell(cell: Cell): string {
  if (cell === null || (typeof cell === "number" && !Number.isFinite(cell))) return "";
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** RFC 4180, with the stamp as `#` lines before the heading. No data is an empty field, never 0. */
export function toCsv(table: Tabular, stamp: Stamp): string {
  const words = (text: string): string => text.replace(/[\r\n]+/g, " ");
  const head = [
    `# ${words(table.title)}`,
    `# corun ${words(stamp.engine)}; config ${words(stamp.config)}; seed ${stamp.seed}; cycle ${stamp.cycle}`,
    ...(stamp.link ? [`# ${words(stamp.link)}`] : []),
  ];
  const heading = table.columns.map((c) => csvCell(c.unit ? `${c.key} (${c.unit})` : c.key)).join(",");
  return `${[...head, heading, ...table.rows.map((row) => row.map(csvCell).join(","))].join("\r\n")}\r\n`;
}

export function toJson(table: Tabular, stamp: Stamp): string {
  const rows = table.rows.map((row) =>
    Object.fromEntries(
      table.columns.map((c, i) => {
        const cell = row[i] ?? null;
        return [c.key, typeof cell === "number" && !Number.isFinite(cell) ? null : cell];
      }),
    ),
  );
  return `${JSON.stringify({ title: table.title, stamp, columns: table.columns, rows }, null, 1)}\n`;
}

// Two runs as one: their drawings beside or below each other, their tables as one table. No DOM.
import { Drawing, fitText } from "./drawing.ts";
import type { Shape } from "./drawing.ts";
import type { Theme } from "./theme.ts";
import type { Cell, Tabular } from "../model/tabular.ts";

export interface Part {
  mark: string;
  title: string;
  /** What the picture says of it above its drawing; may be empty. */
  said?: string;
  draw(width: number): Drawing;
}

const GAP = 16;
/** How high a heading is. */
export const HEAD = 24;
/** The least width of a drawing that stands beside another; narrower ones stand below each other. */
const LEAST = 270;

/** How many drawings stand beside each other, and how wide each is. */
function roomFor(count: number, width: number): { columns: number; room: number } {
  const columns = (width + GAP) / count - GAP >= LEAST ? count : 1;
  return { columns, room: Math.floor((width + GAP) / columns - GAP) };
}

/** One drawing, under what is said of it; two with their headings, side by side where there is room. */
export function beside(parts: readonly Part[], width: number, t: Theme): Drawing {
  const only = parts[0] as Part;
  if (parts.length === 1 && only.mark === "" && !only.said) return only.draw(width);
  const { columns, room } = roomFor(parts.length, width);
  const drawings = parts.map((part) => part.draw(room));
  const first = drawings[0] as Drawing;
  const height =
    columns > 1
      ? Math.max(...drawings.map((d) => d.height)) + HEAD
      : drawings.reduce((sum, d) => sum + d.height + HEAD + GAP, -GAP);
  const all = new Drawing(width, height, first.background, first.font, first.mono);
  let x = 0,
    y = 0;
  drawings.forEach((d, i) => {
    const part = parts[i] as Part;
    heading(all, part, x, y, room, t);
    add(all, d, x, y + HEAD, i);
    if (columns > 1) x += room + GAP;
    else y += d.height + HEAD + GAP;
  });
  return all;
}

/** The run's mark, as on the rest of the page, and its scheme, with what is said of it. */
export function heading(
  d: Drawing,
  of: { mark: string; title: string; said?: string },
  x: number,
  y: number,
  room: number,
  t: Theme,
): void {
  const after = of.mark === "" ? 0 : 25;
  if (of.mark !== "") {
    d.rect(x, y, 18, 18, { fill: t.ink, radius: 4 });
    d.text(x + 9, y + 9.5, of.mark, t.surface, 11, { align: "middle", baseline: "middle", weight: 700 });
  }
  // Heavy type is wider.
  d.text(x + after, y + 9.5, fitText(headingText(of), 12, (room - after) / 1.1), t.ink, 12, {
    baseline: "middle",
    weight: 600,
  });
}
const headingText = ({ title, said = "" }: { title: string; said?: string }): string =>
  [title, said].filter((text) => text !== "").join(": ");

/** Puts a drawing into another one. Its spots keep their names, with the run behind: `sm:3@1`. */
export function add(into: Drawing, d: Drawing, right: number, down: number, run: number): void {
  for (const shape of d.shapes) into.shapes.push(moved(shape, right, down));
  for (const s of d.spots)
    into.spot(run === 0 ? s.id : `${s.id}@${run}`, s.x + right, s.y + down, s.w, s.h, (x) =>
      s.text(x === undefined ? x : x - right),
    );
}

export function moved(s: Shape, right: number, down: number): Shape {
  switch (s.kind) {
    case "rect":
    case "cells":
      return { ...s, x: s.x + right, y: s.y + down };
    case "line":
      return { ...s, x1: s.x1 + right, x2: s.x2 + right, y1: s.y1 + down, y2: s.y2 + down };
    case "text":
      return { ...s, x: s.x + right, y: s.y + down };
    case "path":
      return { ...s, points: s.points.map((v, i) => (i % 2 === 1 ? v + down : v + right)) };
  }
}

/** The rows of all tables, the run before them; a column that one of them has not is empty there. */
export function joined(parts: readonly { mark: string; table: Tabular }[]): Tabular | null {
  const first = parts[0];
  if (!first) return null;
  if (parts.length === 1) return first.table;
  const columns = parts
    .flatMap(({ table }) => table.columns)
    .filter((c, i, all) => all.findIndex((other) => other.key === c.key) === i);
  return {
    title: first.table.title,
    columns: [{ key: "run", title: "Run", unit: "" }, ...columns],
    rows: parts.flatMap(({ mark, table }) => {
      const place = columns.map((c) => table.columns.findIndex((own) => own.key === c.key));
      return table.rows.map((row): Cell[] => [mark, ...place.map((at) => (at < 0 ? null : (row[at] ?? null)))]);
    }),
  };
}

// A picture as a list of shapes: built once, then painted on a canvas (canvas.ts) or written as SVG (svg.ts).
//
// Lengths are CSS pixels. Colours are final: the code that builds a picture takes them from the theme (theme.ts), so the same
// list is the picture on the screen and in a paper.
import type { Fill, Pattern } from "../parts/palette.ts";

export type Paint = string | Fill;

interface RectShape {
  kind: "rect";
  x: number;
  y: number;
  w: number;
  h: number;
  fill?: Paint;
  stroke?: string;
  width?: number;
  radius?: number;
  opacity?: number;
}
interface LineShape {
  kind: "line";
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  stroke: string;
  width: number;
  dash?: number[];
}
/** A polyline through x0 y0 x1 y1 …; `closed` joins the ends. */
interface PathShape {
  kind: "path";
  points: number[];
  closed: boolean;
  fill?: Paint;
  stroke?: string;
  width?: number;
  dash?: number[];
  opacity?: number;
}
export interface TextShape {
  kind: "text";
  x: number;
  y: number;
  text: string;
  colour: string;
  size: number;
  align: "start" | "middle" | "end";
  baseline: "top" | "middle" | "alphabetic";
  weight: number;
  mono: boolean;
  /** Degrees, clockwise, around (x, y). */
  rotate?: number;
  /** A rim in this colour, so that text can be read on a pattern. */
  halo?: string;
}
/** Many cells of equal width side by side, from left to right: `at` says which of the fills each has; 0 is none. */
export interface CellsShape {
  kind: "cells";
  x: number;
  y: number;
  w: number;
  h: number;
  fills: readonly string[];
  at: Uint16Array;
}
export type Shape = RectShape | LineShape | PathShape | TextShape | CellsShape;

/** The cells as rectangles: neighbours of one fill are one where cells have no gap between them. */
export function eachCell(s: CellsShape, draw: (fill: string, x: number, w: number) => void): void {
  const step = s.w / s.at.length,
    gap = step >= 4 ? 1 : 0;
  for (let i = 0; i < s.at.length; ) {
    const fill = s.at[i] as number;
    let next = i + 1;
    while (gap === 0 && next < s.at.length && s.at[next] === fill) next += 1;
    const x = Math.round(s.x + i * step),
      end = Math.round(s.x + next * step) - gap;
    if (fill > 0) draw(s.fills[fill] as string, x, end - x);
    i = next;
  }
}

/** A part of a picture that has something to say: found by the pointer and walked by the arrow keys. */
export interface Spot {
  x: number;
  y: number;
  w: number;
  h: number;
  /** One line of plain text, with units; only written on demand. Of a wide spot, it may be of what is at `x`. */
  text: (x?: number) => string;
  /** What it stands for, in the view's own numbering. */
  id: string;
}

type TextStyle = Partial<Pick<TextShape, "align" | "baseline" | "weight" | "mono" | "rotate" | "halo">>;

/** A picture that is being built. */
export class Drawing {
  readonly shapes: Shape[] = [];
  readonly spots: Spot[] = [];
  width: number;
  height: number;
  readonly background: string;
  readonly font: string;
  readonly mono: string;

  constructor(width: number, height: number, background: string, font: string, mono: string) {
    this.width = width;
    this.height = height;
    this.background = background;
    this.font = font;
    this.mono = mono;
  }

  rect(x: number, y: number, w: number, h: number, style: Omit<RectShape, "kind" | "x" | "y" | "w" | "h">): void {
    if (w > 0 && h > 0) this.shapes.push({ kind: "rect", x, y, w, h, ...style });
  }

  line(x1: number, y1: number, x2: number, y2: number, stroke: string, width = 1, dash?: number[]): void {
    this.shapes.push({ kind: "line", x1, y1, x2, y2, stroke, width, ...(dash ? { dash } : {}) });
  }

  path(points: number[], style: Omit<PathShape, "kind" | "points">): void {
    if (points.length >= 4) this.shapes.push({ kind: "path", points, ...style });
  }

  text(x: number, y: number, text: string, colour: string, size: number, style: TextStyle = {}): void {
    if (text !== "") {
      this.shapes.push({
        kind: "text",
        x,
        y,
        text,
        colour,
        size,
        align: "start",
        baseline: "alphabetic",
        weight: 400,
        mono: false,
        ...style,
      });
    }
  }

  cells(x: number, y: number, w: number, h: number, fills: readonly string[], at: Uint16Array): void {
    this.shapes.push({ kind: "cells", x, y, w, h, fills, at });
  }

  spot(id: string, x: number, y: number, w: number, h: number, text: (x?: number) => string): void {
    this.spots.push({ id, x, y, w, h, text });
  }

  /** The last spot drawn that holds the point: what is on top. */
  spotAt(x: number, y: number): Spot | null {
    for (let i = this.spots.length - 1; i >= 0; i--) {
      const s = this.spots[i] as Spot;
      if (x >= s.x && x < s.x + s.w && y >= s.y && y < s.y + s.h) return s;
    }
    return null;
  }
}

/** About how wide a text is in the widest of the fonts that a system may have, without a canvas: for layout that must be the same in SVG, on screen and in tests. */
export function textWidth(text: string, size: number): number {
  let units = 0;
  for (const c of text) {
    units += "il.,:;'|!j ".includes(c)
      ? 0.33
      : "frt()[]-".includes(c)
        ? 0.4
        : "mwMW%@…".includes(c)
          ? 0.96
          : c >= "A" && c <= "Z"
            ? 0.7
            : 0.625;
  }
  return units * size;
}

/** Shortens a text with an ellipsis until it fits `room`; nothing at all if not even one letter would. */
export function fitText(text: string, size: number, room: number): string {
  if (textWidth(text, size) <= room) return text;
  // Uses of one kernel differ by their number alone, which stays: “MAT… #10 IPC”.
  const number = / #\d+(?: \S+)?$/.exec(text)?.[0] ?? "",
    tails = number === "" ? [""] : [number, ""];
  for (const tail of tails)
    for (let n = text.length - tail.length - 1; n >= 1; n--) {
      const cut = `${text.slice(0, n).trimEnd()}…${tail}`;
      if (textWidth(cut, size) <= room) return cut;
    }
  return "";
}

// ---------------------------------------------------------------- patterns

/** Strokes and dots of one square of a pattern; both painters draw it from here. */
interface Tile {
  size: number;
  stroke: number;
  lines: readonly (readonly [number, number, number, number])[];
  dots: readonly (readonly [number, number, number])[];
}

const S = 6;
/** Corner to corner, with the two ends that neighbours would cut off. */
const RISING = [
  [-1, S + 1, S + 1, -1],
  [-1, 1, 1, -1],
  [S - 1, S + 1, S + 1, S - 1],
] as const;
const FALLING = [
  [-1, -1, S + 1, S + 1],
  [S - 1, -1, S + 1, 1],
  [-1, S - 1, 1, S + 1],
] as const;

export function patternTile(pattern: Pattern): Tile {
  const tile = (lines: Tile["lines"], dots: Tile["dots"] = [], stroke = 1.4, size = S): Tile => ({
    size,
    stroke,
    lines,
    dots,
  });
  switch (pattern) {
    case "plain":
      return tile([]);
    case "diagonal":
      return tile(RISING);
    case "back-diagonal":
      return tile(FALLING);
    case "cross":
      return tile([...RISING, ...FALLING], [], 1);
    case "dots":
      return tile(
        [],
        [
          [S / 4, S / 4, 1],
          [(3 * S) / 4, (3 * S) / 4, 1],
        ],
      );
    case "horizontal":
      return tile([[0, 2, 4, 2]], [], 1.4, 4);
    case "vertical":
      return tile([[2, 0, 2, 4]], [], 1.4, 4);
    case "grid":
      return tile(
        [
          [0, 2.5, 5, 2.5],
          [2.5, 0, 2.5, 5],
        ],
        [],
        1,
        5,
      );
  }
}

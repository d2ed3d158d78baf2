// Paints a drawing on a 2D canvas, sharp at any pixel ratio.
import { eachCell, patternTile } from "./drawing.ts";
import type { Drawing, Paint, Shape, TextShape } from "./drawing.ts";
import type { Fill } from "../parts/palette.ts";

const tiles = new Map<string, HTMLCanvasElement>();

/** The tile of a pattern in device pixels; there are at most a few dozen, so they are kept. */
function tileImage(fill: Fill, scale: number): HTMLCanvasElement {
  const key = `${fill.pattern} ${fill.colour} ${fill.ink} ${scale}`;
  const known = tiles.get(key);
  if (known) return known;
  const tile = patternTile(fill.pattern);
  const side = Math.max(1, Math.round(tile.size * scale));
  const image = document.createElement("canvas");
  image.width = side;
  image.height = side;
  const c = image.getContext("2d");
  if (c) {
    c.scale(side / tile.size, side / tile.size);
    c.fillStyle = fill.colour;
    c.fillRect(0, 0, tile.size, tile.size);
    c.strokeStyle = fill.ink;
    c.fillStyle = fill.ink;
    c.lineWidth = tile.stroke;
    for (const [x1, y1, x2, y2] of tile.lines) {
      c.beginPath();
      c.moveTo(x1, y1);
      c.lineTo(x2, y2);
      c.stroke();
    }
    for (const [x, y, r] of tile.dots) {
      c.beginPath();
      c.arc(x, y, r, 0, 2 * Math.PI);
      c.fill();
    }
  }
  if (tiles.size > 200) tiles.clear();
  tiles.set(key, image);
  return image;
}

function paintOf(
  ctx: CanvasRenderingContext2D,
  paint: Paint,
  scale: number,
  made: Map<string, string | CanvasPattern>,
): string | CanvasPattern {
  if (typeof paint === "string") return paint;
  if (paint.pattern === "plain") return paint.colour;
  const key = `${paint.pattern} ${paint.colour} ${paint.ink}`;
  const known = made.get(key);
  if (known) return known;
  const image = tileImage(paint, scale);
  const pattern = ctx.createPattern(image, "repeat");
  if (!pattern) return paint.colour;
  // The tile is in device pixels, the canvas is scaled: undo it, exactly.
  const shrink = patternTile(paint.pattern).size / image.width;
  pattern.setTransform(new DOMMatrix([shrink, 0, 0, shrink, 0, 0]));
  made.set(key, pattern);
  return pattern;
}

const BASELINES = { top: "top", middle: "middle", alphabetic: "alphabetic" } as const;

function text(ctx: CanvasRenderingContext2D, t: TextShape, drawing: Drawing): void {
  ctx.font = `${t.weight} ${t.size}px ${t.mono ? drawing.mono : drawing.font}`;
  ctx.textAlign = t.align === "middle" ? "center" : t.align;
  ctx.textBaseline = BASELINES[t.baseline];
  const put = (x: number, y: number): void => {
    if (t.halo !== undefined) {
      ctx.strokeStyle = t.halo;
      ctx.lineWidth = 3;
      ctx.lineJoin = "round";
      ctx.strokeText(t.text, x, y);
    }
    ctx.fillStyle = t.colour;
    ctx.fillText(t.text, x, y);
  };
  if (t.rotate === undefined) {
    put(t.x, t.y);
    return;
  }
  ctx.save();
  ctx.translate(t.x, t.y);
  ctx.rotate((t.rotate * Math.PI) / 180);
  put(0, 0);
  ctx.restore();
}

function shape(
  ctx: CanvasRenderingContext2D,
  s: Shape,
  drawing: Drawing,
  scale: number,
  made: Map<string, string | CanvasPattern>,
): void {
  switch (s.kind) {
    case "rect": {
      if (s.opacity !== undefined) ctx.globalAlpha = s.opacity;
      const rounded = s.radius !== undefined && s.radius > 0;
      if (rounded) {
        ctx.beginPath();
        ctx.roundRect(s.x, s.y, s.w, s.h, Math.min(s.radius as number, s.w / 2, s.h / 2));
      }
      if (s.fill !== undefined) {
        ctx.fillStyle = paintOf(ctx, s.fill, scale, made);
        if (rounded) ctx.fill();
        else ctx.fillRect(s.x, s.y, s.w, s.h);
      }
      if (s.stroke !== undefined) {
        ctx.strokeStyle = s.stroke;
        ctx.lineWidth = s.width ?? 1;
        if (rounded) ctx.stroke();
        else ctx.strokeRect(s.x, s.y, s.w, s.h);
      }
      ctx.globalAlpha = 1;
      break;
    }
    case "line":
      ctx.beginPath();
      ctx.setLineDash(s.dash ?? []);
      ctx.strokeStyle = s.stroke;
      ctx.lineWidth = s.width;
      ctx.moveTo(s.x1, s.y1);
      ctx.lineTo(s.x2, s.y2);
      ctx.stroke();
      ctx.setLineDash([]);
      break;
    case "path": {
      if (s.opacity !== undefined) ctx.globalAlpha = s.opacity;
      const p = s.points;
      ctx.beginPath();
      ctx.moveTo(p[0] as number, p[1] as number);
      for (let i = 2; i + 1 < p.length; i += 2) ctx.lineTo(p[i] as number, p[i + 1] as number);
      if (s.closed) ctx.closePath();
      if (s.fill !== undefined) {
        ctx.fillStyle = paintOf(ctx, s.fill, scale, made);
        ctx.fill();
      }
      if (s.stroke !== undefined) {
        ctx.setLineDash(s.dash ?? []);
        ctx.strokeStyle = s.stroke;
        ctx.lineWidth = s.width ?? 1;
        ctx.lineJoin = "round";
        ctx.stroke();
        ctx.setLineDash([]);
      }
      ctx.globalAlpha = 1;
      break;
    }
    case "cells":
      eachCell(s, (fill, x, w) => {
        ctx.fillStyle = fill;
        ctx.fillRect(x, s.y, w, s.h);
      });
      break;
    case "text":
      text(ctx, s, drawing);
      break;
  }
}

/** Paints the whole drawing; `scale` is device pixels per CSS pixel, and the canvas already has the right size. */
export function paint(ctx: CanvasRenderingContext2D, drawing: Drawing, scale: number): void {
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.fillStyle = drawing.background;
  ctx.fillRect(0, 0, drawing.width, drawing.height);
  const made = new Map<string, string | CanvasPattern>();
  for (const s of drawing.shapes) shape(ctx, s, drawing, scale, made);
}

/** Sizes a canvas for a drawing and paints it. Touching width or height clears a canvas, so only when they change. */
export function show(
  canvas: HTMLCanvasElement,
  drawing: Drawing,
  scale = (devicePixelRatio || 1) * (canvas.currentCSSZoom ?? 1),
): void {
  const w = Math.max(1, Math.round(drawing.width * scale)),
    h = Math.max(1, Math.round(drawing.height * scale));
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const cssW = `${drawing.width}px`,
    cssH = `${drawing.height}px`;
  if (canvas.style.width !== cssW) canvas.style.width = cssW;
  if (canvas.style.height !== cssH) canvas.style.height = cssH;
  const ctx = canvas.getContext("2d", { alpha: false });
  if (ctx) paint(ctx, drawing, scale);
}

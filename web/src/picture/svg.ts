// Writes a drawing as an SVG document: the same shapes that canvas.ts paints.
import { eachCell, patternTile } from "./drawing.ts";
import type { Drawing, Paint, Shape } from "./drawing.ts";
import type { Fill } from "../parts/palette.ts";

interface SvgText {
  title: string;
  description: string;
  /** Kept in <metadata>, as JSON. */
  metadata?: unknown;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot hold these at all.
const OUTSIDE_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;

export function escapeXml(text: string): string {
  return text
    .replace(OUTSIDE_XML, "")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}

function num(v: number): string {
  return Number.isFinite(v) ? String(Math.round(v * 100) / 100) : "0";
}

class Patterns {
  private readonly ids = new Map<string, string>();
  readonly defs: string[] = [];

  of(paint: Paint): string {
    if (typeof paint === "string") return escapeXml(paint);
    if (paint.pattern === "plain") return escapeXml(paint.colour);
    const key = `${paint.pattern} ${paint.colour} ${paint.ink}`;
    let id = this.ids.get(key);
    if (id === undefined) {
      id = `corun-${paint.pattern}-${this.ids.size}`;
      this.ids.set(key, id);
      this.defs.push(Patterns.definition(id, paint));
    }
    return `url(#${id})`;
  }

  private static definition(id: string, fill: Fill): string {
    const t = patternTile(fill.pattern);
    const lines = t.lines.map(([x1, y1, x2, y2]) => `M${num(x1)} ${num(y1)}L${num(x2)} ${num(y2)}`).join("");
    const dots = t.dots
      .map(([x, y, r]) => `<circle cx="${num(x)}" cy="${num(y)}" r="${num(r)}" fill="${escapeXml(fill.ink)}"/>`)
      .join("");
    return (
      `<pattern id="${id}" width="${t.size}" height="${t.size}" patternUnits="userSpaceOnUse">` +
      `<rect width="${t.size}" height="${t.size}" fill="${escapeXml(fill.colour)}"/>` +
      (lines ? `<path d="${lines}" stroke="${escapeXml(fill.ink)}" stroke-width="${t.stroke}" fill="none"/>` : "") +
      `${dots}</pattern>`
    );
  }
}

function stroke(colour: string | undefined, width: number | undefined, dash?: number[]): string {
  if (colour === undefined) return "";
  const dashed = dash && dash.length > 0 ? ` stroke-dasharray="${dash.map(num).join(" ")}"` : "";
  return ` stroke="${escapeXml(colour)}" stroke-width="${num(width ?? 1)}"${dashed}`;
}

const BASELINES = { top: "text-before-edge", middle: "central", alphabetic: "alphabetic" } as const;

function element(s: Shape, drawing: Drawing, patterns: Patterns): string {
  switch (s.kind) {
    case "rect": {
      const radius = s.radius ? ` rx="${num(Math.min(s.radius, s.w / 2, s.h / 2))}"` : "";
      const opacity = s.opacity === undefined ? "" : ` opacity="${num(s.opacity)}"`;
      const fill = s.fill === undefined ? "none" : patterns.of(s.fill);
      return `<rect x="${num(s.x)}" y="${num(s.y)}" width="${num(s.w)}" height="${num(s.h)}"${radius} fill="${fill}"${stroke(s.stroke, s.width)}${opacity}/>`;
    }
    case "cells": {
      const rects: string[] = [];
      eachCell(s, (fill, x, w) =>
        rects.push(
          `<rect x="${num(x)}" y="${num(s.y)}" width="${num(w)}" height="${num(s.h)}" fill="${escapeXml(fill)}"/>`,
        ),
      );
      return rects.join("");
    }
    case "line":
      return `<path d="M${num(s.x1)} ${num(s.y1)}L${num(s.x2)} ${num(s.y2)}" fill="none"${stroke(s.stroke, s.width, s.dash)}/>`;
    case "path": {
      const d: string[] = [];
      for (let i = 0; i + 1 < s.points.length; i += 2)
        d.push(`${i === 0 ? "M" : "L"}${num(s.points[i] as number)} ${num(s.points[i + 1] as number)}`);
      const opacity = s.opacity === undefined ? "" : ` opacity="${num(s.opacity)}"`;
      const fill = s.fill === undefined ? "none" : patterns.of(s.fill);
      return `<path d="${d.join("")}${s.closed ? "Z" : ""}" fill="${fill}"${stroke(s.stroke, s.width, s.dash)} stroke-linejoin="round"${opacity}/>`;
    }
    case "text": {
      const turn = s.rotate === undefined ? "" : ` transform="rotate(${num(s.rotate)} ${num(s.x)} ${num(s.y)})"`;
      const rim =
        s.halo === undefined
          ? ""
          : ` stroke="${escapeXml(s.halo)}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`;
      const mono = s.mono ? ` font-family="${escapeXml(drawing.mono)}"` : "";
      return (
        `<text x="${num(s.x)}" y="${num(s.y)}" font-size="${num(s.size)}" font-weight="${s.weight}" fill="${escapeXml(s.colour)}"` +
        ` text-anchor="${s.align}" dominant-baseline="${BASELINES[s.baseline]}"${mono}${rim}${turn}>${escapeXml(s.text)}</text>`
      );
    }
  }
}

function shapesSvg(drawing: Drawing): string {
  const patterns = new Patterns(),
    body = drawing.shapes.map((s) => element(s, drawing, patterns)).join("\n");
  return (patterns.defs.length > 0 ? `<defs>${patterns.defs.join("")}</defs>\n` : "") + body;
}

/** To stand within an SVG of the page, which says what it shows; its spots say what they are to a pointer. */
export function inlineSvg(drawing: Drawing): string {
  const spots = drawing.spots.map(
    ({ x, y, w, h, text }) =>
      `<rect x="${num(x)}" y="${num(y)}" width="${num(w)}" height="${num(h)}" fill="transparent"><title>${escapeXml(text())}</title></rect>`,
  );
  return `<g aria-hidden="true">${shapesSvg(drawing)}${spots.join("")}</g>`;
}

export function toSvg(drawing: Drawing, words: SvgText): string {
  const w = num(drawing.width),
    h = num(drawing.height);
  const metadata =
    words.metadata === undefined ? "" : `<metadata>${escapeXml(JSON.stringify(words.metadata))}</metadata>\n`;
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" font-family="${escapeXml(drawing.font)}">\n` +
    `<title>${escapeXml(words.title)}</title>\n<desc>${escapeXml(words.description)}</desc>\n${metadata}` +
    `<rect width="${w}" height="${h}" fill="${escapeXml(drawing.background)}"/>\n${shapesSvg(drawing)}\n</svg>\n`
  );
}

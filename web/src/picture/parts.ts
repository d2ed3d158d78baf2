// Small pieces of DOM that the views share: swatches, the table behind a picture, its exports, the announcer.
import { h, setText } from "../parts/dom.ts";
import type { Drawing, Fill, Paint } from "./drawing.ts";
import { toPng } from "./png.ts";
import { toSvg } from "./svg.ts";
import { figure, whole } from "../model/scale.ts";
import { currentStamp, stampText } from "../model/stamp.ts";
import type { Stamp } from "../model/stamp.ts";
import { toCsv, toJson } from "../model/tabular.ts";
import type { Cell, Tabular } from "../model/tabular.ts";

export function button(text: string, attributes: Record<string, string>, click: () => void): HTMLButtonElement {
  return h("button", { type: "button", ...attributes, onclick: click }, text);
}

let ids = 0;
export function freshId(what: string): string {
  return `cv-${what}-${++ids}`;
}

// ---------------------------------------------------------------- the kernels' patterns in CSS

/** The same patterns as in drawing.ts, as backgrounds: set by script, so that a strict content policy has nothing to refuse. */
export function cssFill(e: HTMLElement, paint: Paint): void {
  const fill: Fill = typeof paint === "string" ? { colour: paint, ink: paint, pattern: "plain" } : paint;
  const ink = fill.ink;
  const stripes = (angle: number, every: number): string =>
    `repeating-linear-gradient(${angle}deg, ${ink} 0 1.4px, transparent 1.4px ${every}px)`;
  const bars = (to: string): string =>
    `repeating-linear-gradient(to ${to}, transparent 0 1.3px, ${ink} 1.3px 2.7px, transparent 2.7px 4px)`;
  const rules = (to: string): string =>
    `repeating-linear-gradient(to ${to}, transparent 0 2px, ${ink} 2px 3px, transparent 3px 5px)`;
  const dot = (at: number): string => `radial-gradient(circle at ${at}px ${at}px, ${ink} 0.9px, transparent 1.3px)`;
  let image = "none",
    size = "auto";
  switch (fill.pattern) {
    case "plain":
      break;
    case "diagonal":
      image = stripes(135, 4.24);
      break;
    case "back-diagonal":
      image = stripes(45, 4.24);
      break;
    case "cross":
      image = `${stripes(135, 4.24)}, ${stripes(45, 4.24)}`;
      break;
    case "dots":
      image = `${dot(1.5)}, ${dot(4.5)}`;
      size = "6px 6px";
      break;
    case "horizontal":
      image = bars("bottom");
      break;
    case "vertical":
      image = bars("right");
      break;
    case "grid":
      image = `${rules("bottom")}, ${rules("right")}`;
      break;
  }
  e.style.backgroundColor = fill.colour;
  e.style.backgroundImage = image;
  e.style.backgroundSize = size;
}

export function swatch(paint: Paint): HTMLElement {
  const s = h("span", { class: "cv-swatch", "aria-hidden": "true" });
  cssFill(s, paint);
  return s;
}

// ---------------------------------------------------------------- tables

export function cellText(cell: Cell): string {
  if (cell === null) return "–";
  if (typeof cell === "string") return cell;
  return Number.isInteger(cell) ? whole(cell) : figure(cell);
}

/** Fills a table in place: cells that did not change are not touched. */
export function fillTable(table: HTMLTableElement, data: Tabular): void {
  const heading = data.columns.map((c) => (c.unit ? `${c.title} (${c.unit})` : c.title));
  if (table.dataset["heading"] !== heading.join("|")) {
    table.dataset["heading"] = heading.join("|");
    table.replaceChildren(
      h("caption"),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ...data.columns.map((c, i) =>
            h("th", { scope: "col", ...(c.doc ? { title: c.doc } : {}) }, heading[i] as string),
          ),
        ),
      ),
      h("tbody"),
    );
  }
  setText(table.caption as HTMLElement, data.title);
  const body = table.tBodies[0] as HTMLTableSectionElement;
  while (body.rows.length > data.rows.length) body.deleteRow(-1);
  data.rows.forEach((cells, r) => {
    const row = body.rows[r] ?? body.insertRow();
    cells.forEach((cell, c) => {
      const td = row.cells[c] ?? row.appendChild(c === 0 ? h("th", { scope: "row" }) : h("td"));
      setText(td, cellText(cell));
    });
  });
}

// ---------------------------------------------------------------- exports

export interface Exportable {
  /** In file names. */
  name: string;
  title: string;
  description: string;
  table(): Tabular;
  /** The picture with heading, legend and `footer` on it; a list has none. */
  picture?(footer: string): Drawing;
}

export type ExportKind = "csv" | "json" | "svg" | "png";

/** The content of an export. */
export async function exportAs(kind: ExportKind, what: Exportable, stamp: Stamp = currentStamp()): Promise<Blob> {
  const text = (content: string, type: string): Blob => new Blob([content], { type });
  if (kind === "csv") return text(toCsv(what.table(), stamp), "text/csv;charset=utf-8");
  if (kind === "json") return text(toJson(what.table(), stamp), "application/json");
  const said = stampText(stamp),
    drawing = what.picture?.(said);
  if (!drawing) throw new Error(`${what.title} has no picture`);
  if (kind === "svg")
    return text(toSvg(drawing, { title: what.title, description: what.description, metadata: stamp }), "image/svg+xml");
  return toPng(drawing, { Title: what.title, Software: said, "Corun stamp": JSON.stringify(stamp) });
}

/** A polite live region: says one thing at a time, and says it again when asked again. */
export class Announcer {
  readonly element = h("div", { class: "cv-spoken", role: "status", "aria-live": "polite" });
  say(text: string): void {
    this.element.textContent = this.element.textContent === text ? `${text}\u00a0` : text;
  }
}

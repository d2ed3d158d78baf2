// Small pieces that the views share: swatches, the table behind a picture, what its numbers mean, its exports.
import { background } from "../parts/palette.ts";
import type { Drawing, Paint } from "./drawing.ts";
import type { Meaning } from "./meanings.ts";
import { toPng } from "./png.ts";
import { toSvg } from "./svg.ts";
import { figure, whole } from "../model/scale.ts";
import { currentStamp, stampText } from "../model/stamp.ts";
import type { Stamp } from "../model/stamp.ts";
import { toCsv, toJson } from "../model/tabular.ts";
import type { Cell, Tabular } from "../model/tabular.ts";

export const fillStyle = (paint: Paint) => ({ background: typeof paint === "string" ? paint : background(paint) });

export const PaintSwatch = ({ of }: { of: Paint }) => (
  <span class="cv-swatch" aria-hidden="true" style={fillStyle(of)} />
);

// ---------------------------------------------------------------- tables

export function cellText(cell: Cell): string {
  if (cell === null) return "–";
  if (typeof cell === "string") return cell;
  return Number.isInteger(cell) ? whole(cell) : figure(cell);
}

export const DataTable = ({ of: { title, columns, rows } }: { of: Tabular }) => (
  <table class="cv-data">
    <caption>{title}</caption>
    <thead>
      <tr>
        {columns.map(({ title: name, unit, doc }, c) => (
          <th key={c} scope="col" title={doc}>
            {unit ? `${name} (${unit})` : name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((cells, r) => (
        <tr key={r}>
          {cells.map((cell, c) =>
            c === 0 ? (
              <th key={c} scope="row">
                {cellText(cell)}
              </th>
            ) : (
              <td key={c}>{cellText(cell)}</td>
            ),
          )}
        </tr>
      ))}
    </tbody>
  </table>
);

/** What the numbers of a picture mean. */
export const MeaningsList = ({ of }: { of: readonly Meaning[] }) => (
  <dl class="meanings">
    {of.map(({ title, unit, formula, doc }, i) => [
      <dt key={`${i} title`}>
        {title}
        {unit && <span class="unit-of"> {unit}</span>}
      </dt>,
      <dd key={`${i} doc`}>
        {doc}
        {formula && <span class="formula">{formula}</span>}
      </dd>,
    ])}
  </dl>
);

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

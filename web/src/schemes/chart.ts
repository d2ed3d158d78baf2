// <corun-scheme-chart>: a figure of each scheme as bars, in the order of the table; the slowdowns of all kernels together.
import { Drawing, fitText, textWidth } from "../draw/drawing.ts";
import { niceMax, short, ticks } from "../draw/scale.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import { Picture } from "../views/picture.ts";
import type { LegendItem } from "../views/picture.ts";
import type { Tabular } from "../views/tabular.ts";
import type { Column, Row } from "./table.ts";

interface SchemeBars {
  title: string;
  rows: Row[];
  /** One series for each. */
  columns: Column[];
  /** Where a line says what is enough. */
  at: number | null;
}

const BAR = 14,
  GAP = 10,
  TOP = 6,
  BOTTOM = 36,
  RIGHT = 52,
  MOST_LABEL = 110;

function drawSchemes(data: SchemeBars, width: number, t: Theme): Drawing {
  const each = BAR * data.columns.length + GAP,
    height = TOP + data.rows.length * each + BOTTOM;
  const d = new Drawing(width, height, t.plot, t.font, t.mono);
  const left = 12 + Math.min(MOST_LABEL, Math.max(30, ...data.rows.map((row) => textWidth(row.name, 12))));
  // The bar of a kernel that gets nothing is as long as there is room.
  const values = data.rows.map(({ answer: { result } }) =>
    data.columns.map((column) => (result ? column.read(result) : null)),
  );
  const top = niceMax(Math.max(data.at ?? 0, ...values.flat().map((v) => (v === null || v === Infinity ? 0 : v)))),
    room = Math.max(10, width - left - RIGHT),
    base = height - BOTTOM;
  for (const v of ticks(0, top, Math.max(2, Math.floor(room / 70)))) {
    const at = Math.round(left + (room * v) / top) + 0.5;
    d.line(at, TOP, at, base, t.grid);
    d.text(at, base + 6, short(v), t.axis, 11, { align: "middle", baseline: "top" });
  }
  d.line(left + 0.5, TOP, left + 0.5, base, t.axis);
  d.text(width / 2, height - 5, fitText(data.title, 11, width - 8), t.axis, 11, { align: "middle" });
  if (data.at !== null) {
    const at = Math.round(left + (room * data.at) / top) + 0.5;
    d.line(at, TOP, at, base, t.ink2, 1.5, [4, 3]);
  }
  data.rows.forEach((row, r) => {
    const y = TOP + r * each + GAP / 2;
    d.text(left - 8, y + (each - GAP) / 2, fitText(row.name, 12, left - 12), row.deaf ? t.ink3 : t.ink, 12, {
      align: "end",
      baseline: "middle",
    });
    if (!row.answer.result) {
      d.text(left + 8, y + (each - GAP) / 2, "not run", t.ink3, 11, { baseline: "middle" });
      return;
    }
    data.columns.forEach((column, c) => {
      const value = values[r]?.[c] ?? null,
        at = y + c * BAR;
      const length = value === null ? 0 : Math.min(room, (room * value) / top);
      if (value !== null)
        d.rect(left + 1, at + 1, Math.max(1, length), BAR - 2, {
          fill: column.kernel === null ? t.accent : kernelPaint(column.kernel, t),
        });
      d.text(left + length + 6, at + BAR / 2, column.format(value), t.ink2, 11, { baseline: "middle", halo: t.plot });
      d.spot(`${row.name} ${c}`, left, at, Math.max(12, length), BAR, () => spoken(row, column, value));
    });
  });
  return d;
}

function spoken(row: Row, column: Column, value: number | null): string {
  const said = column.said?.(value) ?? "";
  return `${row.name}${row.deaf ? ", which keeps no goals" : ""}: ${column.title} ${column.format(value)}${column.unit ? ` ${column.unit}` : ""}${said === "" ? "" : `, ${said}`}`;
}

export class SchemeChart extends Picture {
  protected readonly file = "schemes";
  protected readonly name = "The schemes";
  protected readonly about = "One figure of the mix under each scheme.";
  #data: SchemeBars | null = null;

  set data(data: SchemeBars | null) {
    this.#data = data;
    this.redraw();
  }

  protected build(width: number, t: Theme): Drawing | null {
    return this.#data ? drawSchemes(this.#data, width, t) : null;
  }

  protected tabular(): Tabular | null {
    const data = this.#data;
    return (
      data && {
        title: data.title,
        columns: [
          { key: "scheme", title: "Scheme", unit: "" },
          ...data.columns.map(({ key, title, unit }) => ({ key, title, unit })),
        ],
        rows: data.rows.map((row) => [
          row.name,
          ...data.columns.map((column) => (row.answer.result ? column.read(row.answer.result) : null)),
        ]),
      }
    );
  }

  protected legend(t: Theme): LegendItem[] {
    return (this.#data?.columns ?? []).flatMap(({ kernel, title }) =>
      kernel === null ? [] : [{ name: title, paint: kernelPaint(kernel, t) }],
    );
  }

  protected summary(): string {
    const data = this.#data;
    return data
      ? data.rows
          .flatMap(({ name, answer: { result } }) =>
            result ? [`${name}: ${data.columns.map((c) => `${c.title} ${c.format(c.read(result))}`).join(", ")}`] : [],
          )
          .join("; ") || "No scheme has run yet."
      : "";
  }
}

customElements.define("corun-scheme-chart", SchemeChart);

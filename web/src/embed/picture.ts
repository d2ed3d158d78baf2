// A run as one picture: how much slower each kernel is, and all SMs. Live on a canvas, frozen as SVG. No DOM.
import { Drawing, fitText } from "../picture/drawing.ts";
import { kernelPaint, type Theme } from "../picture/theme.ts";
import { count, ENDLESS, MISSING } from "../model/format.ts";
import { BARS, bars, place, rangeText, tops, type Bar } from "../model/bars.ts";
import type { RunSide } from "../model/model.ts";
import { plusMinus } from "../model/interval-text.ts";
import { add, beside } from "../picture/beside.ts";
import { trough } from "../picture/marks.ts";
import { smsAlone } from "../picture/gpu-drawing.ts";
import { residentText, type SmModel } from "../picture/sm-model.ts";

const ROW = 24,
  HEAD = 22,
  GAP = 14,
  NAME = 72,
  VALUE = 104;

/** What a bar is worth, in words. */
function barText(bar: Bar): string {
  const { kind, value, ends, why } = bar;
  if (value === null) return rangeText(bar) || `${MISSING} ${why}`;
  if (value === Infinity) return ENDLESS;
  const { format } = BARS[kind],
    unit = kind === "slow" ? "×" : " %";
  return `${format(value)}${unit} ${plusMinus(value, ends, format)}`.trim();
}

function drawBars(sides: readonly RunSide[], width: number, t: Theme): Drawing {
  const rows = sides.map((side) => ({ side, all: bars(side) })),
    every = rows.flatMap(({ all }) => all),
    top = tops(every);
  const d = new Drawing(width, HEAD + rows.length * HEAD + every.length * ROW, t.plot, t.font, t.mono);
  const titles = [...new Set(every.map(({ kind }) => BARS[kind].title))];
  d.text(0, 14, titles.join("; "), t.ink2, 12, { weight: 600 });
  let y = HEAD;
  for (const { side, all } of rows) {
    d.text(0, y + 14, fitText(`${side.mark} ${side.scheme}`.trim(), 12, width), t.ink, 12, { weight: 600 });
    y += HEAD;
    for (const bar of all) {
      const room = Math.max(20, width - NAME - VALUE),
        middle = y + ROW / 2 - 2;
      d.text(0, middle, fitText(bar.name, 12, NAME - 8), t.ink2, 12, { baseline: "middle" });
      const part = bar.value === null ? 0 : place(bar.kind, bar.value, top[bar.kind]);
      trough(d, { x: NAME, y, w: room, h: ROW - 6 }, part, kernelPaint(bar.kernel, t), t);
      if (bar.value === null && bar.ends) {
        const [from, to] = bar.ends.map((end) => NAME + room * place(bar.kind, end, top[bar.kind])) as [number, number];
        d.line(from, middle, to, middle, t.ink, 1);
      }
      // As fast as alone, or a promise that is just kept.
      const one = Math.round(NAME + room * place(bar.kind, 1, top[bar.kind]));
      d.line(one, y - 2, one, y + ROW - 4, t.ink, 2);
      d.text(NAME + room + 8, middle, fitText(barText(bar), 12, VALUE - 8), t.ink, 12, { baseline: "middle" });
      y += ROW;
    }
  }
  return d;
}

/** `models`: the SMs of the sides whose runs have begun. */
export function drawRun(
  sides: readonly RunSide[],
  models: readonly (SmModel | null)[],
  width: number,
  t: Theme,
): Drawing {
  const above = drawBars(sides, width, t);
  const parts = sides.flatMap(({ mark, scheme }, i) => {
    const model = models[i];
    return model
      ? [
          {
            mark,
            title: scheme,
            // Bars may be of another cycle: of the end, where the run is on its way.
            said: `cycle ${count(model.cycle)}: ${residentText(model)}`,
            draw: (room: number) => smsAlone(model, room, t),
          },
        ]
      : [];
  });
  if (parts.length === 0) return above;
  const sms = beside(parts, width, t),
    all = new Drawing(width, above.height + GAP + sms.height, t.plot, t.font, t.mono);
  add(all, above, 0, 0, 0);
  add(all, sms, 0, above.height + GAP, 1);
  return all;
}

// A picture as it leaves the page: under a heading and a legend, and over its stamp.
import { Drawing, textWidth } from "./drawing.ts";
import type { Paint } from "./drawing.ts";
import type { Theme } from "./theme.ts";
import { moved } from "./beside.ts";

/** Puts a finished picture under a heading and a legend and over the stamp: the picture that leaves the page. */
export function framed(
  chart: Drawing,
  heading: { title: string; legend: { name: string; paint?: Paint }[]; stamp: string },
  t: Theme,
  margin = 0,
): Drawing {
  const pad = 12,
    size = 12;
  const outer = chart.width + 2 * margin;
  const items: { x: number; y: number; sign: number; name: string; paint?: Paint }[] = [];
  let x = pad,
    y = 44;
  for (const item of heading.legend) {
    const sign = item.paint === undefined ? 0 : 24,
      w = sign + textWidth(item.name, size) + 14;
    if (x + w > outer - pad && x > pad) {
      x = pad;
      y += 20;
    }
    items.push({ x, y, sign, ...item });
    x += w;
  }
  const head = heading.legend.length > 0 ? y + 16 : 34;
  const d = new Drawing(outer, head + chart.height + 30, chart.background, chart.font, chart.mono);
  d.text(pad, 22, heading.title, t.ink, 15, { weight: 600 });
  for (const item of items) {
    d.text(item.x + item.sign, item.y, item.name, t.ink2, size);
    if (item.paint === undefined) continue;
    d.rect(item.x, item.y - 11, 18, 14, { fill: item.paint, radius: 2 });
  }
  for (const s of chart.shapes) d.shapes.push(moved(s, margin, head));
  d.text(pad, d.height - 11, heading.stamp, t.ink3, 10, { mono: true });
  return d;
}

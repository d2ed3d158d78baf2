// The L1Ds at one cycle: a row for each SM. On the left what its L1D holds, by state and within that by array; on the right the CTAs before it in the
// order in which it comes to them, the darker, the more of what they read is in that L1D. No DOM.
import { Drawing, fitText } from "../draw/drawing.ts";
import { inkOn, mix } from "../draw/mix.ts";
import type { Theme } from "../draw/theme.ts";
import type { FrameLayout } from "../types.ts";
import type { LegendItem } from "../views/picture.ts";
import {
  aheadText,
  arrayNumber,
  contentsOf,
  contentsText,
  STATES,
  stateDoc,
  stateTitle,
  type Ahead,
  type State,
} from "./l1.ts";

export interface L1Input {
  layout: FrameLayout;
  held: Uint32Array;
  ahead: readonly (readonly Ahead[])[];
  width: number;
  theme: Theme;
}

const HEAD = 34,
  GAP = 2,
  LEVELS = 10;

export function stateColour(state: State, t: Theme): string {
  switch (state) {
    case "owned":
      return t.accent;
    case "kept":
      return mix(t.accent, t.surface, 0.55);
    case "copies":
      return mix(t.lineStrong, t.surface, 0.75);
    case "written":
      return t.ink2;
  }
}

/** For a share of what a CTA reads. Nothing is not white: the CTA is there. */
const shareColour = (level: number, t: Theme): string => mix(t.accent, t.sunken, level / LEVELS);

export function drawL1({ layout, held, ahead, width, theme: t }: L1Input): Drawing {
  const sms = layout.sms.length,
    high = Math.max(5, Math.min(18, Math.floor(420 / Math.max(1, sms)) - GAP));
  const narrow = width < 480,
    label = narrow ? 22 : 46,
    room = width - label,
    left = Math.floor(room * (narrow ? 0.38 : 0.34)),
    x0 = label + left + 12,
    right = width - x0;
  const d = new Drawing(width, HEAD + sms * (high + GAP) + 16, t.surface, t.font, t.mono);
  d.text(label, 8, fitText("What its L1D holds", 11, left), t.ink3, 11, { baseline: "middle" });
  d.text(x0, 8, fitText("Its CTAs, as it comes to them", 11, right), t.ink3, 11, { baseline: "middle" });
  d.text(x0, 24, "first", t.ink3, 10, { baseline: "middle" });
  d.text(width - 1, 24, "last", t.ink3, 10, { align: "end", baseline: "middle" });
  const every = Math.ceil(12 / (high + GAP)),
    most = Math.max(1, ...ahead.map((ctas) => ctas.length));
  const fills = ["", ...Array.from({ length: LEVELS + 1 }, (_, level) => shareColour(level, t))];
  const numbers = right / most >= 22 && high >= 13;
  layout.sms.forEach((_, sm) => {
    const y = HEAD + sm * (high + GAP),
      contents = contentsOf(layout, held, sm);
    if (sm % every === 0)
      d.text(label - 6, y + high / 2, narrow ? String(sm) : `SM ${sm}`, t.ink2, 10, {
        align: "end",
        baseline: "middle",
      });
    d.rect(label, y, left, high, { fill: t.sunken });
    let x = label;
    for (const state of STATES)
      for (const { array, words } of contents.arrays) {
        const w = contents.capacity === 0 ? 0 : (left * words[state]) / contents.capacity;
        if (w <= 0) continue;
        const colour = stateColour(state, t);
        d.rect(x, y, Math.max(0.5, w - (w > 4 ? 1 : 0)), high, { fill: colour });
        if (w >= 14 && high >= 11)
          d.text(x + w / 2, y + high / 2 + 0.5, arrayNumber(array), inkOn(colour), 10, {
            align: "middle",
            baseline: "middle",
            weight: 600,
          });
        x += w;
      }
    d.spot(`l1:${sm}`, label, y, left, high, () => `SM ${sm}: ${contentsText(layout, contents)}`);
    const ctas = ahead[sm] ?? [],
      wide = (right * ctas.length) / most;
    if (ctas.length === 0) return;
    const cells = Math.min(ctas.length, Math.floor(wide)),
      at = new Uint16Array(cells);
    for (let cell = 0; cell < cells; cell += 1) {
      // Where there are more CTAs than cells, a cell is all of its CTAs.
      const own = ctas.slice(Math.floor((cell * ctas.length) / cells), Math.floor(((cell + 1) * ctas.length) / cells));
      const reads = own.reduce((sum, one) => sum + one.reads, 0),
        here = own.reduce((sum, one) => sum + one.here, 0);
      at[cell] = 1 + (reads === 0 ? 0 : Math.round((LEVELS * here) / reads));
    }
    d.cells(x0, y, wide, high, fills, at);
    // In numbers where there is room: nothing is said by colour alone.
    const each = wide / ctas.length;
    if (numbers)
      ctas.forEach(({ reads, here }, i) => {
        if (reads > 0)
          d.text(
            x0 + (i + 0.5) * each,
            y + high / 2 + 0.5,
            String(Math.round((100 * here) / reads)),
            inkOn(fills[at[i] as number] as string),
            9,
            { align: "middle", baseline: "middle" },
          );
      });
    d.spot(`ahead:${sm}`, x0, y, wide, high, (px) => {
      const i = px === undefined ? 0 : Math.floor((px - x0) / each),
        one = ctas[i];
      return one ? `SM ${sm}: ${aheadText(one, i)}` : "";
    });
  });
  const below = HEAD + sms * (high + GAP) + 9;
  if (ahead.every((ctas) => ctas.length === 0))
    d.text(
      x0,
      HEAD + 10,
      fitText("Which CTAs an SM comes to is not known before they are placed.", 11, right),
      t.ink3,
      11,
      { baseline: "middle" },
    );
  d.text(
    x0,
    below,
    fitText(
      narrow ? "darker: finds more there" : `The darker, the more of what it reads is here${numbers ? " (%)" : ""}`,
      10,
      right,
    ),
    t.ink3,
    10,
    { baseline: "middle" },
  );
  return d;
}

/** What the colours mean, and which array has which number. */
export function l1Legend(layout: FrameLayout, names: readonly string[], t: Theme): LegendItem[] {
  const protocol = layout.sms[0]?.l1_protocol ?? "none";
  const possible = STATES.filter(
    (state) =>
      (state !== "owned" || protocol === "denovo") &&
      (state !== "kept" || layout.sms.some((sm) => sm.l1_keeps_read_only)) &&
      (state !== "written" || protocol !== "none"),
  );
  return [
    ...possible.map((state) => ({
      name: stateTitle[state],
      paint: stateColour(state, t),
      doc: stateDoc(state, protocol),
    })),
    { name: "invalid", paint: t.sunken, doc: "No word, or one that may be old" },
    { name: "a CTA that finds nothing", paint: shareColour(0, t) },
    {
      name: "a CTA that finds all",
      paint: shareColour(LEVELS, t),
      doc: "Words that the CTA reads and that are in the L1D of the SM that comes to it",
    },
    ...(names.length > 0
      ? [{ name: "Arrays:" }, ...names.map((name, i) => ({ name: `${arrayNumber(i)} ${name}` }))]
      : []),
  ];
}

// Launches as strips, one below the other: each is a row of its CTAs in the order of their numbers, in the colour of the SM that ran them, paler
// the earlier they began. Stolen ones have a bar on top; those that run are lower. No DOM.
import type { Box } from "../../picture/marks.ts";
import { Drawing, fitText } from "../../picture/drawing.ts";
import { inkOn, mix } from "../../picture/mix.ts";
import type { Theme } from "../../picture/theme.ts";
import type { LegendItem } from "../../picture/picture.tsx";
import { NOWHERE, type Launch } from "../../model/launch-log.ts";
import { ctaText, hasBegun, hasFinished, launchText, type Counter } from "../../model/launches.ts";

/** `launches`: of all kernels, as they began. */
interface StripsInput {
  kernels: readonly string[];
  launches: readonly Launch[];
  cycle: number;
  sms: number;
  counters: readonly Counter[];
  width: number;
  theme: Theme;
}

/** Launches that are drawn, the last that have begun; the table has all. */
const ROWS = 32;
const TALL = 18,
  LOW = 6,
  GAP = 2,
  HEAD = 18,
  LEVELS = 6;

/** The colour of an SM: hues apart from each other, two lightnesses in turn. */
export function smColour(sm: number, sms: number, dark: boolean): string {
  const hue = (360 * sm) / Math.max(1, sms) + 210,
    light = (dark ? 58 : 52) + (sm % 2 === 0 ? 0 : 12);
  return rgb(hue % 360, dark ? 48 : 58, light);
}

function rgb(hue: number, saturation: number, lightness: number): string {
  const l = lightness / 100,
    a = (saturation / 100) * Math.min(l, 1 - l);
  const part = (n: number): string => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
      .toString(16)
      .padStart(2, "0");
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

/** For each SM, `LEVELS` shades from the first of a launch to the last; the first fill of all is none. */
function shades(sms: number, t: Theme): string[] {
  return [
    "",
    ...Array.from({ length: sms * LEVELS }, (_, i) =>
      mix(smColour(Math.floor(i / LEVELS), sms, t.dark), t.surface, 0.34 + (0.66 * (i % LEVELS)) / (LEVELS - 1)),
    ),
  ];
}

export function drawStrips({ launches, kernels, cycle, sms, counters, width, theme: t }: StripsInput): Drawing {
  const rows = launches.filter(({ begin }) => begin < cycle).slice(-ROWS),
    high = Math.max(LOW, Math.min(TALL, Math.floor(420 / Math.max(1, rows.length)) - GAP));
  const label = kernels.length < 2 && width < 480 ? 26 : 84,
    w = Math.max(40, width - label - 2),
    fills = shades(sms, t);
  const d = new Drawing(width, HEAD + Math.max(1, rows.length) * (high + GAP), t.surface, t.font, t.mono);
  d.text(
    label,
    8,
    rows.length === 0 ? "No launch has begun, or controls were set by hand." : "CTAs in the order of their numbers",
    t.ink3,
    11,
    { baseline: "middle" },
  );
  // Below each other, labels need room.
  const every = Math.ceil(13 / (high + GAP));
  rows.forEach((launch, row) => {
    const y = HEAD + row * (high + GAP),
      name = kernels.length < 2 ? (width < 480 ? "" : "launch") : (kernels[launch.kernel] ?? "");
    if (row % every === 0)
      d.text(label - 6, y + high / 2, fitText(`${name} ${launch.launch + 1}`.trim(), 11, label - 6), t.ink2, 11, {
        align: "end",
        baseline: "middle",
      });
    drawStrip(d, launch, { x: label, y, w, h: high }, cycle, fills, t);
    d.spot(`launch:${launch.kernel}:${launch.number}`, label, y, width - label, high + GAP, (x) => {
      const cta = x === undefined ? -1 : Math.floor(((x - label) / w) * launch.sms.length);
      const said =
        cta >= 0 && cta < launch.sms.length ? ctaText(launch, cta, cycle) : launchText(launch, cycle, counters);
      return kernels.length < 2 ? said : `${kernels[launch.kernel] ?? ""}: ${said}`;
    });
  });
  return d;
}

function drawStrip(d: Drawing, launch: Launch, box: Box, cycle: number, fills: readonly string[], t: Theme): void {
  const { x, y, w, h: high } = box;
  const all = launch.sms.length,
    cells = Math.min(all, Math.floor(w));
  d.rect(x, y, w, high, { fill: t.sunken });
  if (all === 0) {
    d.text(x + 6, y + high / 2, "too many CTAs to be drawn", t.ink3, Math.min(11, high), { baseline: "middle" });
    return;
  }
  const span = lastBegin(launch),
    at = new Uint16Array(cells),
    stolen = new Uint16Array(cells),
    runs = new Uint16Array(cells);
  let anyStolen = false,
    anyRuns = false;
  for (let cell = 0; cell < cells; cell += 1) {
    // Where there are more CTAs than cells, the first of a cell is drawn; all of them are looked at for thefts.
    const first = Math.floor((cell * all) / cells),
      end = Math.floor(((cell + 1) * all) / cells);
    for (let cta = first; cta < end; cta += 1) {
      if (!hasBegun(launch, cta, cycle)) continue;
      if (at[cell] === 0)
        at[cell] =
          1 +
          (launch.sms[cta] as number) * LEVELS +
          (span === 0 ? LEVELS - 1 : Math.floor((LEVELS * (launch.begun[cta] as number)) / (span + 1)));
      if (launch.from[cta] !== NOWHERE) {
        stolen[cell] = 1;
        anyStolen = true;
      }
      if (!hasFinished(launch, cta, cycle)) {
        runs[cell] = 1;
        anyRuns = true;
      }
    }
  }
  d.cells(x, y, w, high, fills, at);
  if (anyRuns) d.cells(x, y, w, Math.ceil(high / 3), ["", t.sunken], runs);
  if (anyStolen) d.cells(x, y, w, Math.max(2, Math.floor(high / 6)), ["", t.ink], stolen);
  const wide = w / all;
  // As words where there is room: nothing is said by colour alone.
  if (wide >= 16 && high >= 14)
    for (let cta = 0; cta < all; cta += 1)
      if (hasBegun(launch, cta, cycle))
        d.text(
          x + (cta + 0.5) * wide,
          y + high / 2 + 2,
          String(launch.sms[cta]),
          inkOn(fills[at[cta] as number] as string),
          10,
          { align: "middle", baseline: "middle", weight: 600 },
        );
}

/** Of a launch that is known: when its last CTA began, in cycles after the first. */
const lasts = new WeakMap<Launch, number>();
function lastBegin(launch: Launch): number {
  const known = lasts.get(launch);
  if (known !== undefined) return known;
  let last = 0;
  for (const begun of launch.begun) if (begun !== 0xffff_ffff && begun > last) last = begun;
  lasts.set(launch, last);
  return last;
}

/** What the colours mean. */
export function stripLegend(sms: number, t: Theme): LegendItem[] {
  const shown = Math.min(sms, 16);
  return [
    ...Array.from({ length: shown }, (_, sm) => ({ name: `SM ${sm}`, paint: smColour(sm, sms, t.dark) })),
    ...(sms > shown ? [{ name: `and so on to SM ${sms - 1}`, paint: smColour(sms - 1, sms, t.dark) }] : []),
    {
      name: "began early",
      paint: mix(smColour(0, sms, t.dark), t.surface, 0.34),
      doc: "The paler, the earlier in its launch a CTA began",
    },
    { name: "late", paint: smColour(0, sms, t.dark) },
    {
      name: "bar on top: stolen",
      paint: t.ink,
      doc: "In this launch an SM without work took the CTA from another SM's chunk or queue",
    },
  ];
}

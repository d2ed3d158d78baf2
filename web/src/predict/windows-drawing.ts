// The windows in which the formulas see the kernels (Fig. 10 of the paper): each kernel alone on its SMs, as it is predicted and as it is
// simulated, one below the other; borders where a kernel ends alone; S and I of each window, Π in each part of a kernel; deadlines.
import { Drawing, fitText, textWidth } from "../draw/drawing.ts";
import { niceMax, short, ticks } from "../draw/scale.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import { fixed } from "../format.ts";
import type { Prediction } from "../types.ts";
import { figureOf, segments, type Shown } from "./model.ts";

export interface WindowsData {
  prediction: Prediction;
  deadlines: readonly (number | null)[];
  /** The run beside it, and how far it is; null where it is of another partition. */
  shown: readonly Shown[] | null;
  now: number;
}

const HEAD = 40,
  ROW = 52,
  BOTTOM = 34,
  RIGHT = 14,
  ALONE = 6,
  BAR = 18,
  RUN = 8;
const MOST_LABEL = 92;

export function drawWindows(data: WindowsData, width: number, t: Theme): Drawing {
  const {
    prediction: { kernels, windows },
    deadlines,
    shown,
    now,
  } = data;
  const names = kernels.map(({ name }) => name),
    height = HEAD + kernels.length * ROW + BOTTOM;
  const d = new Drawing(width, height, t.plot, t.font, t.mono);
  const left = 14 + Math.min(MOST_LABEL, Math.max(...names.map((name) => textWidth(name, 12)))),
    room = Math.max(10, width - left - RIGHT),
    base = height - BOTTOM;
  const reach = (shown ?? []).map(({ ended, share }) => ended ?? (share < 1 ? now : 0));
  const top = niceMax(
    Math.max(
      ...kernels.flatMap(({ latency, latency_alone }) => [latency, latency_alone]),
      ...windows.map(({ end }) => end),
      ...deadlines.map((deadline) => deadline ?? 0),
      ...reach,
    ),
    5,
  );
  const x = (ms: number): number => left + room * Math.min(1, ms / top);
  for (const v of ticks(0, top, Math.max(2, Math.floor(room / 80)))) {
    d.line(Math.round(x(v)) + 0.5, HEAD, Math.round(x(v)) + 0.5, base, t.grid);
    d.text(x(v), base + 6, short(v), t.axis, 11, { align: v === 0 ? "start" : "middle", baseline: "top" });
  }
  d.text(left + room, height - 4, "ms", t.axis, 11, { align: "end" });
  d.line(left + 0.5, HEAD, left + 0.5, base, t.axis);
  windows.forEach((window, w) => {
    const from = x(window.start),
      to = x(window.end),
      fits = (...texts: string[]): string => texts.find((text) => textWidth(text, 11) <= to - from - 6) ?? "";
    d.line(Math.round(to) + 0.5, 4, Math.round(to) + 0.5, base, t.ink3, 1, [3, 3]);
    d.text((from + to) / 2, 12, fits(`Window ${w + 1}`, `W${w + 1}`), t.ink2, 11, {
      align: "middle",
      baseline: "middle",
      weight: 600,
    });
    d.text(
      (from + to) / 2,
      28,
      fits(`S ${fixed(window.sum, 0)}, I ${fixed(window.interference, 2)}`, `I ${fixed(window.interference, 2)}`),
      t.ink2,
      11,
      { align: "middle", baseline: "middle" },
    );
    d.spot(`w${w}`, from, 2, Math.max(8, to - from), HEAD - 6, () => windowText(data, w));
  });
  kernels.forEach((kernel, k) => {
    const y = HEAD + k * ROW + 7,
      paint = kernelPaint(k, t);
    d.text(left - 8, y + ALONE + 2 + BAR / 2, fitText(names[k] ?? "", 12, left - 12), t.ink, 12, {
      align: "end",
      baseline: "middle",
    });
    d.rect(left + 1, y, x(kernel.latency_alone) - left - 1, ALONE - 1, { fill: t.peak });
    let begin = 0;
    segments(data.prediction, k).forEach((ms, w) => {
      const from = x(begin),
        wide = Math.max(1, x(begin + ms) - from),
        at = y + ALONE + 2,
        penalty = kernel.windows[w]?.penalty ?? 1;
      begin += ms;
      d.rect(from + (w === 0 ? 1 : 0), at, wide, BAR, { fill: paint, stroke: t.plot, width: 1 });
      const says = penalty === 1 ? "" : `Π ${fixed(penalty, 2)}`;
      if (says !== "" && textWidth(says, 11) + 10 < wide) {
        d.rect(from + wide / 2 - textWidth(says, 11) / 2 - 3, at + 2, textWidth(says, 11) + 6, BAR - 4, {
          fill: t.plot,
          radius: 3,
        });
        d.text(from + wide / 2, at + BAR / 2, says, t.ink, 11, { align: "middle", baseline: "middle" });
      }
      d.spot(`k${k} w${w}`, from, at, Math.max(8, wide), BAR, () => partText(data, k, w));
    });
    const run = shown?.[k],
      at = y + ALONE + BAR + 5;
    if (run && (run.ended !== null || now > 0)) {
      const end = run.ended ?? now;
      d.rect(left + 1, at, x(end) - left - 1, RUN, {
        fill: run.ended === null ? { colour: t.ink3, ink: t.plot, pattern: "diagonal" } : t.ink,
      });
      d.spot(`k${k} run`, left, at - 2, Math.max(8, x(end) - left), RUN + 4, () => runText(kernel.name, run, now));
    }
    const deadline = deadlines[k] ?? null;
    if (deadline !== null) {
      d.line(Math.round(x(deadline)), y - 4, Math.round(x(deadline)), at + RUN + 4, t.plot, 7);
      d.line(Math.round(x(deadline)), y - 4, Math.round(x(deadline)), at + RUN + 4, t.accent, 3);
      d.spot(
        `k${k} deadline`,
        x(deadline) - 5,
        y - 4,
        10,
        ROW - 6,
        () => `Deadline of ${kernel.name}: ${figureOf(deadline)} ms`,
      );
    }
  });
  return d;
}

export function windowText({ prediction: { windows, platform } }: WindowsData, w: number): string {
  const window = windows[w];
  return window
    ? `Window ${w + 1}, ${figureOf(window.start)} to ${figureOf(window.end)} ms: ${window.kernels} ${window.kernels === 1 ? "kernel asks" : "kernels ask"} for S = ${fixed(window.sum, 1)} GB/s, of ${fixed(platform.bandwidth_sustained, 0)} that last. I = ${fixed(window.interference, 3)}`
    : "";
}
function partText({ prediction }: WindowsData, k: number, w: number): string {
  const kernel = prediction.kernels[k],
    part = kernel?.windows[w];
  if (!kernel || !part) return "";
  const four =
    part.penalty_sm === null
      ? ""
      : ` (of SMs ${fixed(part.penalty_sm, 2)}, accesses ${fixed(part.penalty_access, 2)}, bandwidth ${fixed(part.penalty_bandwidth, 2)})`;
  return `${kernel.name} in window ${w + 1}: ${fixed(part.share * 100, 0)} % of its time alone × I ${fixed(part.interference, 3)} × Π ${fixed(part.penalty, 3)}${four}: ${figureOf(segments(prediction, k)[w] ?? 0)} ms`;
}
const runText = (name: string, run: Shown, now: number): string =>
  run.ended === null
    ? `${name}, simulated: ${fixed(run.share * 100, 0)} % of its CTAs at ${figureOf(now)} ms`
    : `${name}, simulated: ${figureOf(run.ended)} ms`;

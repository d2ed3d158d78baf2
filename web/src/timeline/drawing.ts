// What a run's CTAs did as a drawing: for each run a lane for each kernel (its launches, CTAs as they finish, and those that context
// switches take off their SMs and bring back), one for epochs where the policy has them, with the quotas that kernels get on top in them, and one for the policy (its phases: from one decision to the
// next). The axis is the whole run, as far as it is known. No DOM.
import { Drawing, fitText } from "../draw/drawing.ts";
import { short, ticks, whole } from "../draw/scale.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import { kernelStyle } from "../palette.ts";
import type { Past } from "../past.ts";
import type { Decision } from "../types.ts";

export interface TimelineRun {
  mark: string;
  title: string;
  kernels: readonly string[];
  /** Cycles of an epoch, where the policy has them. */
  epoch: number | null;
  past: Past | null;
  decisions: readonly Decision[];
}
export interface TimelineInput {
  runs: readonly TimelineRun[];
  end: number;
  /** The present one. */
  cycle: number;
  width: number;
  theme: Theme;
}

const LANE = 22,
  POLICY = 14,
  EPOCHS = 8,
  ON_TOP = 8,
  AXIS = 20,
  HEAD = 20,
  GAP = 4;
/** Width of a column of finished CTAs, of switched ones, and the least of an epoch. */
const COLUMN = 3,
  SWITCHES = 9,
  SEEN = 4;

export function drawTimeline({ runs, end, cycle, width, theme: t }: TimelineInput): Drawing {
  const x = width < 480 ? 46 : 76,
    w = Math.max(40, width - x - 10);
  const at: At = (one) => x + (w * Math.min(Math.max(one, 0), end)) / end;
  const lanes = (run: TimelineRun): number =>
    (run.mark === "" ? 0 : HEAD) +
    run.kernels.length * (LANE + GAP) +
    (run.epoch === null ? 0 : EPOCHS + ON_TOP + GAP) +
    POLICY +
    GAP;
  const d = new Drawing(width, runs.reduce((sum, run) => sum + lanes(run), 0) + AXIS, t.surface, t.font, t.mono);
  let y = 0;
  for (const run of runs) {
    drawRun(d, run, y, x, w, at, t);
    y += lanes(run);
  }
  for (const tick of ticks(0, end, Math.max(2, Math.floor(w / 90)))) {
    d.line(at(tick), y, at(tick), y + 4, t.axis);
    d.text(at(tick), y + 6, short(tick), t.axis, 11, {
      align: at(tick) > x + w - 24 ? "end" : "middle",
      baseline: "top",
    });
  }
  if (cycle < end) d.line(at(cycle), 0, at(cycle), y, t.accent, 1.5);
  return d;
}

type At = (cycle: number) => number;

function drawRun(d: Drawing, run: TimelineRun, top: number, x: number, w: number, at: At, t: Theme): void {
  let y = top;
  if (run.mark !== "") {
    d.rect(2, y + 1, 16, 16, { fill: t.ink, radius: 4 });
    d.text(10, y + 9.5, run.mark, t.surface, 11, { align: "middle", baseline: "middle", weight: 700 });
    d.text(24, y + 9.5, fitText(run.title, 12, d.width - 30), t.ink, 12, { baseline: "middle", weight: 600 });
    y += HEAD;
  }
  run.kernels.forEach((name, kernel) => {
    d.text(x - 6, y + LANE / 2, fitText(`${kernelStyle(kernel).number} ${name}`, 11, x - 8), t.ink2, 11, {
      align: "end",
      baseline: "middle",
    });
    d.rect(x, y, w, LANE, { fill: t.sunken });
    if (run.past) for (const draw of [drawCtas, drawSwitches, drawLaunches]) draw(d, run.past, name, kernel, y, at, t);
    y += LANE + GAP;
  });
  if (run.epoch !== null) {
    d.text(x - 6, y + (EPOCHS + ON_TOP) / 2, "epochs", t.ink2, 11, { align: "end", baseline: "middle" });
    drawEpochs(d, run.epoch, run.past ? run.past.until : 0, y, at, t);
    y += EPOCHS;
    d.rect(x, y, w, ON_TOP, { fill: t.sunken });
    if (run.past) drawOnTop(d, run.past, run.kernels, y, at, t);
    y += ON_TOP + GAP;
  }
  d.text(x - 6, y + POLICY / 2, "policy", t.ink2, 11, { align: "end", baseline: "middle" });
  drawPhases(d, run, y, x + w, at, t);
}

/** CTAs that finished, column by column; the highest column fills the lane. */
function drawCtas(d: Drawing, past: Past, name: string, kernel: number, y: number, at: At, t: Theme): void {
  const counts = past.finished[kernel],
    left = at(0);
  if (!counts) return;
  const columns: number[] = [];
  counts.forEach((count, i) => {
    const c = Math.floor((at(i * past.bucket) - left) / COLUMN);
    columns[c] = (columns[c] ?? 0) + count;
  });
  const most = columns.reduce((a, b) => Math.max(a, b), 1),
    paint = kernelPaint(kernel, t),
    room = LANE - 2;
  for (const [c, count] of columns.entries()) {
    if (!count) continue;
    const high = Math.max(2, (room * count) / most);
    d.rect(left + c * COLUMN, y + LANE - high, COLUMN, high, { fill: paint });
  }
  const all = counts.reduce((a, b) => a + b, 0);
  d.spot(
    `ctas:${kernel}`,
    left,
    y,
    d.width - left,
    LANE,
    () => `${name}: ${whole(all)} CTAs finished in ${whole(past.until)} cycles`,
  );
}

/** CTAs that context switches take off their SMs, up, and bring back, down; those that would stand on each other are one mark. */
function drawSwitches(d: Drawing, past: Past, name: string, kernel: number, y: number, at: At, t: Theme): void {
  const columns = new Map<number, { from: number; left: number; back: number }>(),
    zero = at(0);
  past.left[kernel]?.forEach((left, i) => {
    const back = past.back[kernel]?.[i] ?? 0,
      from = i * past.bucket,
      c = Math.floor((at(from) - zero) / SWITCHES);
    if (left + back === 0) return;
    const column = columns.get(c) ?? { from, left: 0, back: 0 };
    columns.set(c, { ...column, left: column.left + left, back: column.back + back });
  });
  for (const [c, { from, left, back }] of columns) {
    const px = zero + c * SWITCHES,
      style = { closed: true, fill: t.ink, stroke: t.surface, width: 1 };
    if (left > 0) d.path([px, y + 9, px + 8, y + 9, px + 4, y + 2], style);
    if (back > 0) d.path([px, y + 11, px + 8, y + 11, px + 4, y + 18], style);
    d.spot(
      `switch:${kernel}:${c}`,
      px - 1,
      y,
      SWITCHES,
      LANE,
      () => `From cycle ${whole(from)}: ${switchText(name, left, back)}`,
    );
  }
}

export function switchText(name: string, left: number, back: number): string {
  const ctas = (n: number): string => `${whole(n)} CTA${n === 1 ? "" : "s"}`;
  return `context switches take ${[...(left > 0 ? [`${ctas(left)} of ${name} off`] : []), ...(back > 0 ? [`${ctas(back)} of ${name} back to`] : [])].join(", ")} ${left + back === 1 ? "an SM" : "SMs"}`;
}

/** One beside the other in two shades; where they are too small to be seen, several are one. */
function drawEpochs(d: Drawing, epoch: number, until: number, y: number, at: At, t: Theme): void {
  const together = Math.max(1, Math.ceil(SEEN / Math.max(1e-9, at(epoch) - at(0)))),
    step = epoch * together;
  for (let i = 0; i * step < until; i += 1) {
    const from = i * step,
      px = at(from),
      w = at(Math.min(until, from + step)) - px,
      first = i * together + 1;
    d.rect(px, y, w, EPOCHS, { fill: i % 2 === 0 ? t.grid : t.line });
    d.line(px + 0.5, y, px + 0.5, y + EPOCHS, t.axis);
    d.spot(
      `epoch:${i}`,
      px,
      y,
      w,
      EPOCHS,
      () =>
        `${together === 1 ? `Epoch ${whole(first)} begins` : `Epochs ${whole(first)} to ${whole(first + together - 1)} begin`} at cycle ${whole(from)}, one every ${whole(epoch)} cycles`,
    );
  }
}

/** Quotas on top, below the epochs in which kernels get them: a column where there were any, as high as they are many; those that would stand on each other are one. */
function drawOnTop(d: Drawing, past: Past, kernels: readonly string[], y: number, at: At, t: Theme): void {
  const zero = at(0),
    columns = new Map<number, { from: number; times: number[] }>();
  for (const { from, times } of onTopOf(past)) {
    const c = Math.floor((at(from) - zero) / COLUMN),
      before = columns.get(c);
    columns.set(
      c,
      before ? { from: before.from, times: before.times.map((n, k) => n + (times[k] ?? 0)) } : { from, times },
    );
  }
  const sum = (times: readonly number[]): number => times.reduce((a, b) => a + b, 0),
    most = Math.max(1, ...[...columns.values()].map(({ times }) => sum(times)));
  for (const [c, { from, times }] of columns) {
    const high = Math.max(2, (ON_TOP * sum(times)) / most),
      px = zero + c * COLUMN;
    let base = y + ON_TOP;
    times.forEach((n, k) => {
      const h = (high * n) / sum(times);
      base -= h;
      d.rect(px, base, COLUMN, h, { fill: kernelPaint(k, t) });
    });
    d.spot(`on-top:${c}`, px, y, COLUMN, ON_TOP, () => `From cycle ${whole(from)}: ${onTopText(kernels, times)}`);
  }
}

/** The buckets in which any kernel got its quota on top. */
export function onTopOf(past: Past): { from: number; times: number[] }[] {
  return Array.from(past.onTop[0] ?? [], (_, i) => ({
    from: i * past.bucket,
    times: past.onTop.map((all) => all[i] ?? 0),
  })).filter(({ times }) => times.some((n) => n > 0));
}

export function onTopText(kernels: readonly string[], times: readonly number[]): string {
  return `${times.flatMap((n, k) => (n > 0 ? [`${kernels[k] ?? "a kernel"} gets its quota on top ${n === 1 ? "once" : `${whole(n)} times`}`] : [])).join(", ")}, all SMs together`;
}

function drawLaunches(d: Drawing, past: Past, name: string, kernel: number, y: number, at: At, t: Theme): void {
  const begins = past.marks.filter((mark) => mark.kernel === kernel && mark.kind === "launch");
  let free = -Infinity;
  begins.forEach((mark, i) => {
    const px = at(mark.cycle),
      next = begins[i + 1],
      room = (next ? at(next.cycle) : at(past.until)) - px;
    if (px >= free) {
      d.line(px, y, px, y + LANE, t.ink, 1.5);
      free = px + 2;
    }
    const words = launchText(name, mark.launch, mark.run);
    if (room > 18)
      d.text(
        px + 3,
        y + 2,
        fitText(`launch ${begins.length > 1 || mark.run > 0 ? i + 1 : 1}`, 10, room - 4),
        t.ink,
        10,
        { baseline: "top", weight: 600, halo: t.surface },
      );
    d.spot(
      `launch:${kernel}:${i}`,
      px - 2,
      y,
      Math.min(6, Math.max(3, room)),
      LANE,
      () => `Cycle ${whole(mark.cycle)}: ${words} begins`,
    );
  });
}

export function launchText(name: string, launch: number, run: number): string {
  return `launch ${launch + 1} of ${name}${run > 0 ? `, run ${run + 1}` : ""}`;
}

/** From one decision to the next nothing is decided: that is a phase. */
function drawPhases(d: Drawing, run: TimelineRun, y: number, right: number, at: At, t: Theme): void {
  const cycles = [...new Set(run.decisions.map(({ cycle }) => cycle))],
    until = run.past ? Math.min(at(run.past.until), right) : right;
  let free = -Infinity;
  cycles.forEach((cycle, i) => {
    const from = at(cycle),
      next = cycles[i + 1],
      to = next === undefined ? until : at(next);
    if (to <= free && i + 1 < cycles.length) return;
    free = Math.max(from + 2, to);
    d.rect(from, y, Math.max(2, to - from), POLICY, { fill: i % 2 === 0 ? t.grid : t.line });
    d.path([from - 3.5, y, from + 3.5, y, from, y + 6], { closed: true, fill: t.accent });
    const said = run.decisions.filter((one) => one.cycle === cycle);
    const words = said
      .map((one) => `${one.kernel === null ? "" : `${run.kernels[one.kernel] ?? "a kernel"} `}${one.text}`)
      .join("; ");
    if (to - from > 60)
      d.text(from + 6, y + POLICY / 2 + 0.5, fitText(words, 10, to - from - 10), t.ink2, 10, { baseline: "middle" });
    d.spot(
      `decision:${i}`,
      from - 4,
      y,
      Math.max(8, to - from),
      POLICY,
      () => `Decided at cycle ${whole(cycle)}: ${words}`,
    );
  });
}

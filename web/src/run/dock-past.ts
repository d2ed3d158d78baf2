// What a run's CTAs did, in the lanes of the time axis: launches and context switches; and a lane of epochs with the quotas that
// kernels get on top in them. No DOM.
import { whole } from "../model/scale.ts";
import { kernelPaint } from "../picture/theme.ts";
import { launchText, onTopOf, onTopText, switchText } from "../model/happened.ts";
import type { Events } from "../model/event-log.ts";
import type { DockRun } from "./dock-data.ts";
import type { Place } from "./dock-drawing.ts";

/** Of a lane of epochs: the epochs, and below them the quotas. */
const EPOCHS = 6,
  ON_TOP = 8;
export const EPOCH_LANE = EPOCHS + ON_TOP;
/** Least widths: of a column of counts, of a mark of switches, of an epoch. */
const COLUMN = 3,
  SWITCHES = 9,
  SEEN = 4;

const said = (run: DockRun): string => (run.mark === "" ? "" : `${run.mark}: `);

/** Counts by bucket become columns that are wide enough to be seen, of the cycles that are shown. */
function columns<T>(
  { at, range, x }: Place,
  past: Events,
  least: number,
  of: (bucket: number) => T | null,
  add: (a: T, b: T) => T,
): { from: number; x: number; w: number; of: T }[] {
  const all = new Map<number, { from: number; x: number; w: number; of: T }>();
  const end = Math.min(range.to, past.until);
  for (let i = Math.floor(range.from / past.bucket); i * past.bucket < end; i += 1) {
    const value = of(i);
    if (value === null) continue;
    const from = i * past.bucket,
      left = at(from),
      c = Math.floor((left - x) / least),
      before = all.get(c);
    // Where buckets are wider than that, each is a column of its own width, and it ends where the run is known to.
    const wide = at(Math.min(end, from + past.bucket)) - left,
      begin = wide > least ? left : x + c * least;
    all.set(
      c,
      before ? { ...before, of: add(before.of, value) } : { from, x: begin, w: Math.max(least, wide), of: value },
    );
  }
  return [...all.values()];
}

/** Where a kernel is launched again. */
export function drawLaunches({ d, at, range, t }: Place, run: DockRun, kernel: number, y: number, h: number): void {
  let free = -Infinity;
  for (const { cycle, kernel: whose, kind, launch, run: turn } of run.past?.marks ?? []) {
    if (whose !== kernel || kind !== "launch" || launch + turn === 0) continue;
    const px = at(cycle);
    if (cycle < range.from || cycle > range.to || px < free) continue;
    d.line(px, y + h - 5, px, y + h, t.ink2, 1);
    free = px + 4;
    const words = launchText(run.kernels[kernel] ?? "", launch, turn);
    d.spot(
      `launch:${run.mark}:${kernel}:${cycle}`,
      px - 2,
      y + h - 6,
      5,
      6,
      () => `${said(run)}Cycle ${whole(cycle)}: ${words} begins`,
    );
  }
}

/** CTAs that context switches take off their SMs, up, and bring back, down; those that would stand on each other are one mark. */
export function drawSwitches(place: Place, run: DockRun, kernel: number, y: number, h: number): void {
  const { d, t } = place,
    { past } = run;
  if (!past) return;
  const marks = columns(
    place,
    past,
    SWITCHES,
    (i) => {
      const left = past.left[kernel]?.[i] ?? 0,
        back = past.back[kernel]?.[i] ?? 0;
      return left + back > 0 ? { left, back } : null;
    },
    (a, b) => ({ left: a.left + b.left, back: a.back + b.back }),
  );
  for (const { from, x, of } of marks) {
    const style = { closed: true, fill: t.ink, stroke: t.surface, width: 1 },
      low = y + h;
    if (of.left > 0) d.path([x, y + 6, x + 8, y + 6, x + 4, y], style);
    if (of.back > 0) d.path([x, low - 6, x + 8, low - 6, x + 4, low], style);
    d.spot(
      `switch:${run.mark}:${kernel}:${from}`,
      x - 1,
      y,
      SWITCHES,
      h,
      () => `${said(run)}From cycle ${whole(from)}: ${switchText(run.kernels[kernel] ?? "", of.left, of.back)}`,
    );
  }
}

/** Epochs in two shades, several as one where they are too small to be seen; below them quotas on top, as high as they are many. */
export function drawEpochs(place: Place, run: DockRun, y: number): void {
  const { d, at, x, w, range, t } = place,
    { epoch, past } = run;
  if (epoch === null || !past) return;
  const until = Math.min(past.until, range.to),
    together = Math.max(1, Math.ceil((SEEN * (range.to - range.from)) / (w * epoch))),
    step = epoch * together;
  for (let i = Math.floor(range.from / step); i * step < until; i += 1) {
    const from = i * step,
      px = at(from),
      wide = at(Math.min(until, from + step)) - px,
      first = i * together + 1;
    d.rect(px, y, wide, EPOCHS, { fill: i % 2 === 0 ? t.grid : t.line });
    d.line(px + 0.5, y, px + 0.5, y + EPOCHS, t.axis);
    const words =
      together === 1
        ? `Epoch ${whole(first)} begins`
        : `Epochs ${whole(first)} to ${whole(first + together - 1)} begin`;
    d.spot(
      `epoch:${run.mark}:${i}`,
      px,
      y,
      wide,
      EPOCHS,
      () => `${said(run)}${words} at cycle ${whole(from)}, one every ${whole(epoch)} cycles`,
    );
  }
  d.rect(x, y + EPOCHS, Math.max(0, at(until) - x), ON_TOP, { fill: t.sunken });
  const given = new Map(onTopOf(past).map(({ from, times }) => [from / past.bucket, times])),
    sum = (times: readonly number[]): number => times.reduce((a, b) => a + b, 0);
  const quotas = columns(
      place,
      past,
      COLUMN,
      (i) => given.get(i) ?? null,
      (a, b) => a.map((n, k) => n + (b[k] ?? 0)),
    ),
    most = Math.max(1, ...quotas.map(({ of }) => sum(of)));
  for (const { from, x: px, w: wide, of } of quotas) {
    let base = y + EPOCH_LANE;
    const high = Math.max(2, (ON_TOP * sum(of)) / most);
    of.forEach((n, k) => {
      base -= (high * n) / sum(of);
      d.rect(px, base, wide, (high * n) / sum(of), { fill: kernelPaint(k, t) });
    });
    d.spot(
      `on-top:${run.mark}:${from}`,
      px,
      y + EPOCHS,
      wide,
      ON_TOP,
      () => `${said(run)}From cycle ${whole(from)}: ${onTopText(run.kernels, of)}`,
    );
  }
}

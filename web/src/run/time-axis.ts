// Time as an axis: which cycles are shown, and how the pointer, the wheel and the keys change that.
//
// Pointer: drag, wheel to zoom, wheel sideways or with Shift to move, two fingers to zoom, double click for all.
// Keys: w + zoom in, s − zoom out, a d move, 0 everything.
import { whole } from "../model/scale.ts";
import type { Zoom } from "../model/types.ts";

/** `zoom` scaled by a factor around a cycle and moved by a share of itself, inside all there is; null: all of it. */
export function zoomed(shown: Zoom, all: Zoom, least: number, factor: number, around: number, move = 0): Zoom | null {
  const before = shown.to - shown.from,
    span = Math.max(Math.min(least, all.to - all.from), before * factor);
  if (span >= all.to - all.from) return null;
  const wanted = around - ((around - shown.from) / before) * span + move * span;
  const from = Math.round(Math.min(Math.max(all.from, wanted), all.to - span));
  return { from, to: from + Math.round(span) };
}

/** Cycles of a row of a table of a range: at most so many rows that a person reads them. */
const TABLE_ROWS = 100;
export function tableResolution(span: number, window: number): number {
  let resolution = window;
  while (span / resolution > TABLE_ROWS) resolution *= 2;
  return resolution;
}

/** Where the cycles lie in a picture. */
export interface TimePlot {
  x: number;
  w: number;
}

/** What a picture makes of the pointer over it. */
interface TimePicture {
  /** Null: it is not drawn yet. */
  plot(): TimePlot | null;
  /** The pointer is there; null: it has gone. */
  point(at: { x: number; y: number; touch: boolean } | null): void;
  click(press: Press): void;
  /** The pointer is down and has come to another cycle. */
  drag(press: Press, to: number): void;
  /** It is let go; `kept`: not because the browser took it away. */
  drop(press: Press, to: number, kept: boolean): void;
  /** Whether a key does anything. */
  key(key: string, shift: boolean): boolean;
}

interface TimeAxisOf {
  /** All cycles that can be shown, and how many at least. */
  all(): Zoom;
  least(): number;
  /** The cycle around which keys zoom; null: the middle. */
  around(): number | null;
  /** The user shows other cycles. */
  changed(zoom: Zoom | null): void;
  say(text: string): void;
}

/** The pointer is down: since where, and whether it has moved. */
export interface Press {
  x: number;
  y: number;
  cycle: number;
  moved: boolean;
}

/** Milliseconds in which a second click makes one a double click, and pixels in which a press is no drag. */
const DOUBLE = 250,
  STILL = 4;
const most = (v: number): number => Math.max(-60, Math.min(60, v));

export class TimeAxis {
  readonly #of: TimeAxisOf;
  #zoom: Zoom | null = null;

  constructor(of: TimeAxisOf) {
    this.#of = of;
  }

  /** What is shown; null: all. */
  get zoom(): Zoom | null {
    return this.#zoom;
  }
  set zoom(zoom: Zoom | null) {
    this.#zoom =
      zoom && Number.isFinite(zoom.from) && Number.isFinite(zoom.to) && zoom.to > zoom.from
        ? { from: Math.max(0, zoom.from), to: zoom.to }
        : null;
  }
  get shown(): Zoom {
    return this.#zoom ?? this.#of.all();
  }

  zoomTo(zoom: Zoom | null): void {
    if (zoom?.from === this.#zoom?.from && zoom?.to === this.#zoom?.to) return;
    this.zoom = zoom;
    this.#of.changed(this.#zoom);
    this.#of.say(zoom ? `Cycles ${whole(zoom.from)} to ${whole(zoom.to)}` : "The whole run");
  }
  zoomBy(factor: number, around = this.#of.around(), move = 0): void {
    const { from, to } = this.shown,
      middle = around !== null && around >= from && around <= to ? around : (from + to) / 2;
    this.zoomTo(zoomed(this.shown, this.#of.all(), this.#of.least(), factor, middle, move));
  }
  /** Shows a stretch, and what is around it if it is too short. */
  zoomToRange({ from, to }: Zoom): void {
    const middle = (from + to) / 2,
      half = Math.max(to - from, this.#of.least()) / 2;
    this.zoomTo({ from: Math.max(0, Math.round(middle - half)), to: Math.round(middle + half) });
  }

  // ---------------------------------------------------------------- places

  x(plot: TimePlot, cycle: number): number {
    const { from, to } = this.shown;
    return plot.x + (plot.w * (cycle - from)) / (to - from || 1);
  }
  cycle(plot: TimePlot, x: number): number {
    const { from, to } = this.shown;
    return Math.round(from + Math.min(1, Math.max(0, (x - plot.x) / plot.w)) * (to - from));
  }
  /** Lays an element over the part of a stretch that is shown. */
  cover(element: HTMLElement, plot: TimePlot, range: Zoom): { left: number; right: number } {
    const { from, to } = this.shown,
      left = this.x(plot, Math.max(from, range.from)),
      right = this.x(plot, Math.min(to, range.to));
    element.style.left = `${left}px`;
    element.style.width = `${Math.max(1, right - left)}px`;
    return { left, right };
  }

  // ---------------------------------------------------------------- pointer and keys

  #key(key: string): boolean {
    switch (key.toLowerCase()) {
      case "w":
      case "+":
      case "=":
        this.zoomBy(0.5);
        return true;
      case "s":
      case "-":
      case "_":
        this.zoomBy(2);
        return true;
      case "a":
        this.zoomBy(1, undefined, -0.25);
        return true;
      case "d":
        this.zoomBy(1, undefined, 0.25);
        return true;
      case "0":
        this.zoomTo(null);
        return true;
      default:
        return false;
    }
  }

  listen(element: HTMLElement, picture: TimePicture): void {
    /** Fingers or the pointer that are down, with where they are. */
    const down = new Map<number, number>();
    let press: Press | null = null,
      click = 0;
    const where = (event: MouseEvent): { x: number; y: number } => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const cycleAt = (x: number): number | null => {
      const plot = picture.plot();
      return plot && this.cycle(plot, x);
    };
    /** Two fingers stay on their cycles. */
    const pinch = (id: number, x: number): void => {
      const before = down.get(id),
        other = [...down].find(([one]) => one !== id)?.[1];
      down.set(id, x);
      if (before === undefined || other === undefined) return;
      const apart = Math.abs(x - other);
      if (apart > 10) this.zoomBy(Math.abs(before - other) / apart, cycleAt(other));
    };
    const end = (event: PointerEvent, kept: boolean): void => {
      const was = press,
        cycle = cycleAt(where(event).x);
      down.delete(event.pointerId);
      press = null;
      if (!was || cycle === null) return;
      if (was.moved) picture.drop(was, cycle, kept);
      else if (kept) {
        // Where a double click has something to do, a click waits for the second one.
        clearTimeout(click);
        click = window.setTimeout(
          () => {
            picture.click(was);
          },
          this.#zoom ? DOUBLE : 0,
        );
      }
    };
    element.addEventListener("pointerdown", (event) => {
      const { x, y } = where(event),
        cycle = cycleAt(x);
      if (event.button !== 0 || cycle === null) return;
      if (press?.moved) picture.drop(press, cycle, false);
      down.set(event.pointerId, x);
      element.setPointerCapture(event.pointerId);
      press = down.size > 1 ? null : { x, y, cycle, moved: false };
    });
    element.addEventListener("pointermove", (event) => {
      const at = where(event),
        cycle = cycleAt(at.x);
      if (down.size > 1) pinch(event.pointerId, at.x);
      else if (press && cycle !== null) {
        press.moved ||= Math.abs(at.x - press.x) >= STILL;
        if (press.moved) picture.drag(press, cycle);
      }
      picture.point({ ...at, touch: event.pointerType === "touch" });
    });
    element.addEventListener("pointerup", (event) => {
      end(event, true);
    });
    element.addEventListener("pointercancel", (event) => {
      end(event, false);
    });
    element.addEventListener("pointerleave", () => {
      picture.point(null);
    });
    element.addEventListener("dblclick", () => {
      clearTimeout(click);
      this.zoomTo(null);
    });
    element.addEventListener(
      "wheel",
      (event) => {
        const { deltaX, deltaY, shiftKey: shift } = event,
          moves = shift || Math.abs(deltaX) > Math.abs(deltaY);
        event.preventDefault();
        if (moves)
          this.zoomBy(1, undefined, most(shift && deltaX === 0 ? deltaY : deltaX) / (picture.plot()?.w ?? 500));
        else this.zoomBy(Math.exp(most(deltaY) / 200), cycleAt(where(event).x));
      },
      { passive: false },
    );
    element.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!picture.key(event.key, event.shiftKey) && !this.#key(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
}

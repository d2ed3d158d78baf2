// The picture of the dock: one slider over time. Its drawing is dock-drawing.ts; here are the cursor, the pointer, the keys, the zoom and the range.
//
// Pointer: drag to go there, wheel to zoom, wheel sideways (or with Shift) to move, Shift+drag for a range, two fingers to zoom, double click for all.
// Keys: ← → a window (Shift: take the range along), Page Up and Down a tenth, Home, End, w s zoom, a d move, 0 everything, Escape ends the range.
import { h, setText } from "../dom.ts";
import { show } from "../draw/canvas.ts";
import type { Spot } from "../draw/drawing.ts";
import { whole } from "../draw/scale.ts";
import { kernelPaint, onRetheme, theme } from "../draw/theme.ts";
import { count } from "../format.ts";
import type { Bookmark, Zoom } from "../types.ts";
import { framed } from "../views/chart-drawing.ts";
import { Pace } from "../views/pace.ts";
import type { Exportable } from "../views/parts.ts";
import { axisEnd, dockTable, figures, kernelLabel, zoomed, type DockRun } from "./dock-data.ts";
import { brief, figuresTable, figuresText } from "./dock-figures.ts";
import { drawDock, type DockDrawing } from "./dock-drawing.ts";

export interface AxisEvents {
  go(cycle: number): void;
  /** The user shows other cycles. */
  zoom(zoom: Zoom | null): void;
}

/** The pointer is down: since where, and whether it has moved. */
interface Press {
  x: number;
  cycle: number;
  range: boolean;
  moved: boolean;
}

/** Below this width lanes of bandwidth alone are drawn. */
const NARROW = 600;
/** Below it, a window has no room for the lanes of IPC. */
const LOW = 800;
const few = (width: number): boolean => width < NARROW || innerHeight < LOW;
/** Milliseconds in which a second click makes one a double click, and pixels in which a press is no drag. */
const DOUBLE = 250,
  STILL = 4;
const WINDOWS = 4;
/** Rows of the table on the page; an export has all windows. */
const TABLE_ROWS = 100;

export class Axis {
  readonly element: HTMLElement;
  readonly #events: AxisEvents;
  #runs: DockRun[] = [];
  #bookmarks: readonly Bookmark[] = [];
  #cycle = 0;
  #still = true;
  #zoom: Zoom | null = null;
  #selected: Zoom | null = null;
  #drawn: DockDrawing | null = null;
  #tops: number[] = [];
  #due = 0;
  #pointed: { x: number; y: number } | null = null;
  /** Fingers or the pointer that are down, with where they are. */
  readonly #down = new Map<number, number>();
  #press: Press | null = null;
  #click = 0;
  readonly #pace = new Pace(66, 0.1);
  readonly #canvas = h("canvas", { "aria-hidden": "true", height: 0 });
  readonly #now = h("div", { class: "dk-now", "aria-hidden": "true" });
  readonly #ahead = h("div", { class: "dk-ahead", hidden: true, "aria-hidden": "true" });
  readonly #band = h("div", { class: "dk-band", hidden: true, "aria-hidden": "true" });
  readonly #tip = h("div", { class: "dk-tip", hidden: true, "aria-hidden": "true" });
  readonly #said = h("p", { class: "hidden", role: "status" });
  readonly #track = h(
    "div",
    {
      class: "dk-track",
      role: "slider",
      tabIndex: 0,
      "aria-label": "Time: the cycle that is shown",
      "aria-valuenow": "0",
    },
    this.#canvas,
    this.#band,
    this.#ahead,
    this.#now,
  );
  readonly #numbers = h("div", { class: "dk-numbers" });
  readonly #rangeTitle = h("h3");
  readonly #range = h(
    "div",
    { class: "dk-range", role: "group", "aria-label": "The selected cycles", hidden: true },
    this.#rangeTitle,
    this.#numbers,
    h(
      "div",
      { class: "dk-range-buttons" },
      h("button", { type: "button", class: "button", onclick: () => this.#zoomToRange() }, "Zoom in"),
      h("button", { type: "button", class: "button", onclick: () => this.#select(null, true) }, "Close"),
    ),
  );

  constructor(events: AxisEvents) {
    this.#events = events;
    this.element = h("div", { class: "dk-axis" }, this.#track, this.#tip, this.#range, this.#said);
    this.#listen();
  }

  /** From now on it follows its width and the theme; the answer stops it. */
  connect(): () => void {
    const sizes = new ResizeObserver(() => {
      this.#draw();
    });
    sizes.observe(this.#track);
    const themes = onRetheme(() => {
      this.#draw();
    });
    return () => {
      sizes.disconnect();
      themes();
      clearTimeout(this.#due);
      this.#due = 0;
    };
  }

  focus(): void {
    this.#track.focus();
  }

  // ---------------------------------------------------------------- what comes in

  set runs(runs: DockRun[]) {
    this.#runs = runs;
    this.#tops = [];
    this.#select(null);
    this.#draw();
  }
  set bookmarks(bookmarks: readonly Bookmark[]) {
    this.#bookmarks = bookmarks;
    this.later();
  }
  set zoom(zoom: Zoom | null) {
    this.#zoom = zoom && zoom.to > zoom.from ? zoom : null;
    this.#tops = [];
    this.later();
  }
  get zoom(): Zoom | null {
    return this.#zoom;
  }
  set cycle(cycle: number) {
    const end = this.#end();
    this.#cycle = cycle;
    if (this.#end() !== end) this.later();
    this.#place();
  }
  /** Nothing runs: what the slider says may be long. */
  set still(still: boolean) {
    if (still === this.#still) return;
    this.#still = still;
    this.#tell();
  }

  // ---------------------------------------------------------------- which cycles

  /** Up to where anything is known. */
  #known(): number {
    const ends = this.#runs.flatMap(({ store, past }) => [store.lastCycle, past?.until ?? 0]);
    return Math.max(this.#cycle, ...ends, ...this.#bookmarks.map(({ cycle }) => cycle));
  }
  #end(): number {
    return axisEnd(
      this.#runs.map(({ length }) => length),
      this.#known(),
    );
  }
  #shown(): Zoom {
    return this.#zoom ?? { from: 0, to: this.#end() };
  }
  #window(): number {
    return this.#runs[0]?.window ?? 400;
  }
  #least(): number {
    return WINDOWS * this.#window();
  }

  zoomBy(factor: number, around = this.#cycle, move = 0): void {
    const shown = this.#shown();
    const middle = around >= shown.from && around <= shown.to ? around : (shown.from + shown.to) / 2;
    this.#zoomTo(zoomed(shown, this.#end(), this.#least(), factor, middle, move));
  }
  all(): void {
    this.#zoomTo(null);
  }
  #zoomTo(zoom: Zoom | null): void {
    if (zoom?.from === this.#zoom?.from && zoom?.to === this.#zoom?.to) return;
    this.zoom = zoom;
    this.#events.zoom(zoom);
    setText(this.#said, zoom ? `Cycles ${whole(zoom.from)} to ${whole(zoom.to)}` : "The whole run");
  }
  #zoomToRange(): void {
    const range = this.#selected;
    if (!range) return;
    this.#select(null, true);
    const middle = (range.from + range.to) / 2,
      half = Math.max(range.to - range.from, this.#least()) / 2;
    this.#zoomTo({ from: Math.max(0, Math.round(middle - half)), to: Math.round(middle + half) });
  }

  // ---------------------------------------------------------------- drawing

  later(): void {
    if (this.#due !== 0) return;
    this.#due = window.setTimeout(() => {
      requestAnimationFrame(() => {
        this.#due = 0;
        this.#draw();
      });
    }, this.#pace.wait(performance.now()));
  }

  #draw(): void {
    const width = Math.floor(this.#track.clientWidth);
    if (width < 80 || this.#runs.length === 0) return;
    const begin = performance.now();
    this.#drawn = this.#picture(width);
    this.#tops = this.#drawn.tops;
    show(this.#canvas, this.#drawn.drawing);
    this.#place();
    this.#placeRange();
    this.#tipAt();
    this.#pace.took(begin, performance.now());
  }

  #picture(width: number): DockDrawing {
    return drawDock({
      runs: this.#runs,
      range: this.#shown(),
      bookmarks: this.#bookmarks,
      width,
      narrow: few(width),
      tops: this.#tops,
      theme: theme(),
    });
  }

  #x(cycle: number): number {
    const { from, to } = this.#shown(),
      drawn = this.#drawn;
    return drawn ? drawn.x + (drawn.w * (cycle - from)) / (to - from) : 0;
  }

  /** Puts the cursor where the run is; what is known beyond lies ahead of it. */
  #place(): void {
    const drawn = this.#drawn;
    if (!drawn) return;
    const { from, to } = this.#shown(),
      inside = this.#cycle >= from && this.#cycle <= to;
    this.#now.hidden = !inside;
    if (inside) this.#now.style.transform = `translateX(${this.#x(this.#cycle)}px)`;
    const known = Math.min(this.#known(), to),
      left = this.#x(Math.max(this.#cycle, from));
    this.#ahead.hidden = known <= this.#cycle + this.#window();
    if (!this.#ahead.hidden) {
      this.#ahead.style.left = `${left}px`;
      this.#ahead.style.width = `${Math.max(0, this.#x(known) - left)}px`;
    }
    this.#tell();
  }

  #tell(): void {
    const known = this.#known(),
      end = this.#end();
    const sure = this.#runs.length > 0 && this.#runs.every(({ length }) => length !== null);
    const words = [
      `cycle ${count(this.#cycle)}${sure ? ` of ${count(Math.max(known, ...this.#runs.map(({ length }) => length ?? 0)))}` : ""}`,
      ...(this.#still && known > this.#cycle ? [`known up to ${count(known)}`] : []),
      ...(this.#still && this.#cycle > 0
        ? [figuresText(this.#runs, brief(figures(this.#runs, this.#cycle - this.#window(), this.#cycle)))]
        : []),
    ];
    for (const [name, value] of Object.entries({
      "aria-valuemin": "0",
      "aria-valuemax": String(end),
      "aria-valuenow": String(this.#cycle),
      "aria-valuetext": words.filter((part) => part !== "").join("; "),
    }))
      if (this.#track.getAttribute(name) !== value) this.#track.setAttribute(name, value);
  }

  // ---------------------------------------------------------------- numbers under the pointer, and of a range

  #tipAt(): void {
    const drawn = this.#drawn,
      at = this.#pointed;
    const cycle = at && this.#cycleAt(at.x);
    this.#tip.hidden = !drawn || !at || cycle === null || this.#press?.range === true;
    if (!drawn || !at || cycle === null || this.#tip.hidden) return;
    const spot = drawn.drawing.spotAt(at.x, at.y),
      near = { from: cycle - this.#window() / 2, to: cycle + this.#window() / 2 };
    this.#tip.replaceChildren(
      h("b", null, spot ? spot.text() : `Cycle ${whole(cycle)}`),
      ...(spot ? [] : [figuresTable(this.#runs, figures(this.#runs, near.from, near.to))]),
    );
    const room = this.element.clientWidth,
      w = this.#tip.offsetWidth;
    this.#tip.style.left = `${Math.max(4, Math.min(at.x + 12, room - w - 4))}px`;
  }

  #select(range: Zoom | null, focus = false): void {
    this.#selected = range;
    this.#placeRange();
    if (focus) this.focus();
  }
  #placeRange(): void {
    const range = this.#selected;
    this.#band.hidden = this.#range.hidden = range === null || !this.#drawn;
    if (!range || !this.#drawn) return;
    const { from, to } = this.#shown(),
      left = this.#x(Math.max(from, range.from)),
      right = this.#x(Math.min(to, range.to));
    this.#band.style.left = `${left}px`;
    this.#band.style.width = `${Math.max(1, right - left)}px`;
    const found = figures(this.#runs, range.from, range.to);
    setText(this.#rangeTitle, `Cycles ${whole(range.from)} to ${whole(range.to)}: means`);
    this.#numbers.replaceChildren(figuresTable(this.#runs, found));
    const w = this.#range.offsetWidth;
    this.#range.style.left = `${Math.max(4, Math.min((left + right - w) / 2, this.element.clientWidth - w - 4))}px`;
  }
  /** The range from where it begins to another cycle. */
  #extend(to: number): void {
    const at = Math.max(0, Math.min(this.#end(), Math.round(to))),
      start = this.#anchor ?? this.#cycle;
    this.#anchor = start;
    this.#head = at;
    this.#select(at === start ? null : { from: Math.min(start, at), to: Math.max(start, at) });
    if (this.#selected)
      setText(
        this.#said,
        `Cycles ${whole(this.#selected.from)} to ${whole(this.#selected.to)}; ${figuresText(this.#runs, figures(this.#runs, this.#selected.from, this.#selected.to))}`,
      );
  }
  /** Where a range began, and its moving end. */
  #anchor: number | null = null;
  #head: number | null = null;

  // ---------------------------------------------------------------- table and exports

  /** Null where there is nothing to show yet. */
  exportable(): Exportable | null {
    if (this.#runs.length === 0) return null;
    return {
      name: "time",
      title: "Over time",
      description: "IPC by kernel and the bandwidth of NoC and DRAM by kernel, over the cycles of the run.",
      table: () => dockTable(this.#runs, this.#shown(), this.#window()),
      picture: (stamp) => {
        const t = theme(),
          { drawing } = this.#picture(960);
        return framed(drawing, { title: "Over time", legend: this.#legend(), stamp }, t);
      },
    };
  }
  /** At most so many rows that a person reads them. */
  table(): ReturnType<typeof dockTable> | null {
    if (this.#runs.length === 0) return null;
    const { from, to } = this.#shown();
    let resolution = this.#window();
    while ((Math.min(to, this.#known()) - from) / resolution > TABLE_ROWS) resolution *= 2;
    return dockTable(this.#runs, { from, to }, resolution);
  }
  #legend(): Parameters<typeof framed>[1]["legend"] {
    const most = Math.max(...this.#runs.map(({ kernels }) => kernels.length));
    return [
      ...Array.from({ length: most }, (_, k) => ({ name: kernelLabel(this.#runs, k), paint: kernelPaint(k, theme()) })),
      ...(this.#runs.length > 1
        ? this.#runs.map(({ mark, title }, i) => ({
            name: `${mark}: ${title}, ${i === 0 ? "pale, sum as a line" : "full"}`,
          }))
        : []),
    ];
  }

  // ---------------------------------------------------------------- pointer and keys

  #cycleAt(x: number): number | null {
    const drawn = this.#drawn,
      { from, to } = this.#shown();
    return drawn ? Math.round(from + Math.min(1, Math.max(0, (x - drawn.x) / drawn.w)) * (to - from)) : null;
  }
  #spotAt(x: number, y: number): Spot | null {
    return this.#drawn?.drawing.spotAt(x, y) ?? null;
  }
  #go(cycle: number): void {
    const to = Math.max(0, Math.round(cycle));
    if (to !== this.#cycle) this.#events.go(to);
  }

  #listen(): void {
    const track = this.#track;
    const where = (event: MouseEvent): { x: number; y: number } => {
      const box = track.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    track.addEventListener("pointerdown", (event) => {
      const { x } = where(event),
        cycle = this.#cycleAt(x);
      if (event.button !== 0 || cycle === null) return;
      this.#down.set(event.pointerId, x);
      track.setPointerCapture(event.pointerId);
      this.#press = this.#down.size > 1 ? null : { x, cycle, range: event.shiftKey, moved: false };
      if (this.#press?.range) this.#anchor = cycle;
    });
    track.addEventListener("pointermove", (event) => {
      const at = where(event);
      this.#pointed = event.pointerType === "touch" ? null : at;
      if (this.#down.size > 1) this.#pinch(event.pointerId, at.x);
      else if (this.#press) this.#drag(this.#press, at.x);
      this.#tipAt();
    });
    track.addEventListener("pointerup", (event) => {
      const press = this.#press,
        { x, y } = where(event);
      this.#down.delete(event.pointerId);
      this.#press = null;
      if (!press || press.moved || press.range) return;
      const mark = this.#spotAt(x, y)?.id.split(":");
      const to = mark?.[0] === "bookmark" ? Number(mark[1]) : press.cycle;
      // Where a double click has something to do, a click waits for the second one.
      clearTimeout(this.#click);
      this.#click = window.setTimeout(() => this.#go(to), this.#zoom ? DOUBLE : 0);
    });
    track.addEventListener("pointercancel", (event) => {
      this.#down.delete(event.pointerId);
      this.#press = null;
    });
    track.addEventListener("pointerleave", () => {
      this.#pointed = null;
      this.#tipAt();
    });
    track.addEventListener("dblclick", () => {
      clearTimeout(this.#click);
      this.all();
    });
    track.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const by = Math.max(-60, Math.min(60, event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX));
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
          this.zoomBy(1, this.#cycle, by / (this.#drawn?.w ?? 500));
        else
          this.zoomBy(
            Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 200),
            this.#cycleAt(where(event).x) ?? this.#cycle,
          );
      },
      { passive: false },
    );
    track.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.#key(event.key, event.shiftKey)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.#range.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#select(null, true);
    });
  }

  #drag(press: Press, x: number): void {
    press.moved ||= Math.abs(x - press.x) >= STILL;
    const cycle = this.#cycleAt(x);
    if (!press.moved || cycle === null) return;
    if (press.range) this.#extend(cycle);
    else this.#go(cycle);
  }

  /** Two fingers stay on their cycles. */
  #pinch(id: number, x: number): void {
    const before = this.#down.get(id),
      other = [...this.#down].find(([one]) => one !== id)?.[1];
    this.#down.set(id, x);
    if (before === undefined || other === undefined) return;
    const apart = Math.abs(x - other);
    if (apart > 10) this.zoomBy(Math.abs(before - other) / apart, this.#cycleAt(other) ?? this.#cycle);
  }

  /** Whether the key does anything here. */
  #key(key: string, shift: boolean): boolean {
    const { from, to } = this.#shown(),
      window = this.#window(),
      tenth = (to - from) / 10,
      start = shift ? (this.#head ?? this.#cycle) : this.#cycle;
    const moves: Record<string, number> = {
      ArrowLeft: start - window,
      ArrowDown: start - window,
      ArrowRight: start + window,
      ArrowUp: start + window,
      PageDown: start - tenth,
      PageUp: start + tenth,
      Home: 0,
      End: this.#known(),
    };
    const wanted = moves[key];
    if (wanted !== undefined) {
      if (shift) this.#extend(wanted);
      else {
        this.#anchor = this.#head = null;
        this.#go(Math.min(wanted, this.#end()));
      }
      return true;
    }
    switch (key.toLowerCase()) {
      case "w":
        this.zoomBy(0.5);
        return true;
      case "s":
        this.zoomBy(2);
        return true;
      case "a":
        this.zoomBy(1, this.#cycle, -0.25);
        return true;
      case "d":
        this.zoomBy(1, this.#cycle, 0.25);
        return true;
      case "0":
        this.all();
        return true;
      case "escape":
        if (!this.#selected) return false;
        this.#anchor = this.#head = null;
        this.#select(null);
        return true;
      default:
        return false;
    }
  }
}

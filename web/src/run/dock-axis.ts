// The picture of the dock: one slider over time. Its drawing is dock-drawing.ts, its zoom views/time-axis.ts; here are the cursor, its keys and the range.
//
// Pointer: drag to go there, Shift+drag for a range. Keys: ← → a window (Shift: take the range along), Page Up and Down a tenth, Home, End, Escape
// ends the range.
import { h, setText } from "../dom.ts";
import { show } from "../draw/canvas.ts";
import { whole } from "../draw/scale.ts";
import { kernelPaint, onRetheme, theme } from "../draw/theme.ts";
import { count } from "../format.ts";
import type { Zoom } from "../types.ts";
import { framed } from "../views/chart-drawing.ts";
import { Turns } from "../views/pace.ts";
import type { Exportable } from "../views/parts.ts";
import { tableResolution, TimeAxis } from "../views/time-axis.ts";
import { axisEnd, dockTable, figures, kernelLabel, type DockRun } from "./dock-data.ts";
import { brief, figuresTable, figuresText } from "./dock-figures.ts";
import { drawDock, type DockDrawing } from "./dock-drawing.ts";

export interface AxisEvents {
  go(cycle: number): void;
  /** The user shows other cycles. */
  zoom(zoom: Zoom | null): void;
}

/** Below this width lanes of bandwidth alone are drawn. */
const NARROW = 600;
/** Below it, a window has no room for the lanes of IPC. */
const LOW = 800;
const few = (width: number): boolean => width < NARROW || innerHeight < LOW;
/** Windows that are shown at least. */
const WINDOWS = 4;

export class Axis {
  readonly element: HTMLElement;
  readonly #events: AxisEvents;
  #runs: DockRun[] = [];
  #cycle = 0;
  #still = true;
  readonly #time = new TimeAxis({
    all: () => ({ from: 0, to: this.#end() }),
    least: () => WINDOWS * this.#window(),
    around: () => this.#cycle,
    changed: (zoom) => {
      this.zoom = zoom;
      this.#events.zoom(zoom);
    },
    say: (text) => {
      setText(this.#said, text);
    },
  });
  #selected: Zoom | null = null;
  #drawn: DockDrawing | null = null;
  #tops: number[] = [];
  #pointed: { x: number; y: number } | null = null;
  /** The pointer takes a range along. */
  #ranging = false;
  readonly #turns = new Turns(66, 0.1);
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
  set zoom(zoom: Zoom | null) {
    this.#time.zoom = zoom;
    this.#tops = [];
    this.later();
  }
  get zoom(): Zoom | null {
    return this.#time.zoom;
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
    return Math.max(this.#cycle, ...ends);
  }
  #end(): number {
    return axisEnd(
      this.#runs.map(({ length }) => length),
      this.#known(),
    );
  }
  #window(): number {
    return this.#runs[0]?.window ?? 400;
  }
  all(): void {
    this.#time.zoomTo(null);
  }
  #zoomToRange(): void {
    const range = this.#selected;
    if (!range) return;
    this.#select(null, true);
    this.#time.zoomToRange(range);
  }

  // ---------------------------------------------------------------- drawing

  later(): void {
    this.#turns.ask(this.#draw);
  }

  readonly #draw = (): void => {
    const width = Math.floor(this.#track.clientWidth);
    if (width < 80 || this.#runs.length === 0) return;
    this.#drawn = this.#picture(width);
    this.#tops = this.#drawn.tops;
    show(this.#canvas, this.#drawn.drawing);
    this.#place();
    this.#placeRange();
    this.#tipAt();
  };

  #picture(width: number): DockDrawing {
    return drawDock({
      runs: this.#runs,
      range: this.#time.shown,
      width,
      narrow: few(width),
      tops: this.#tops,
      theme: theme(),
    });
  }

  /** Puts the cursor where the run is; what is known beyond lies ahead of it. */
  #place(): void {
    const drawn = this.#drawn;
    if (!drawn) return;
    const { from, to } = this.#time.shown,
      inside = this.#cycle >= from && this.#cycle <= to;
    this.#now.hidden = !inside;
    if (inside) this.#now.style.transform = `translateX(${this.#time.x(drawn, this.#cycle)}px)`;
    const known = this.#known();
    this.#ahead.hidden = Math.min(known, to) <= this.#cycle + this.#window();
    if (!this.#ahead.hidden) this.#time.cover(this.#ahead, drawn, { from: this.#cycle, to: known });
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
    this.#tip.hidden = !drawn || !at || this.#ranging;
    if (!drawn || !at || this.#tip.hidden) return;
    const cycle = this.#time.cycle(drawn, at.x),
      spot = drawn.drawing.spotAt(at.x, at.y),
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
    const range = this.#selected,
      drawn = this.#drawn;
    this.#band.hidden = this.#range.hidden = range === null || !drawn;
    if (!range || !drawn) return;
    const { left, right } = this.#time.cover(this.#band, drawn, range);
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
      table: () => dockTable(this.#runs, this.#time.shown, this.#window()),
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
    const { from, to } = this.#time.shown;
    return dockTable(this.#runs, { from, to }, tableResolution(Math.min(to, this.#known()) - from, this.#window()));
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

  #go(cycle: number): void {
    const to = Math.max(0, Math.round(cycle));
    if (to !== this.#cycle) this.#events.go(to);
  }

  #listen(): void {
    this.#time.listen(this.#track, {
      plot: () => this.#drawn,
      scrolls: false,
      point: (at) => {
        this.#pointed = at?.touch ? null : at;
        this.#tipAt();
      },
      click: (cycle) => this.#go(cycle),
      drag: (from, to, shift) => {
        this.#ranging = shift;
        if (!shift) this.#go(to);
        else {
          this.#anchor = from;
          this.#extend(to);
        }
      },
      drop: () => {
        this.#ranging = false;
      },
      key: (key, shift) => this.#key(key, shift),
    });
    this.#range.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#select(null, true);
    });
  }

  /** Whether the key does anything here. */
  #key(key: string, shift: boolean): boolean {
    const { from, to } = this.#time.shown,
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
    if (key !== "Escape" || !this.#selected) return false;
    this.#anchor = this.#head = null;
    this.#select(null);
    return true;
  }
}

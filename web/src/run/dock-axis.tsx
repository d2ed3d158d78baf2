// The picture of the dock: one slider over time. Its drawing is dock-drawing.ts, its zoom time-axis.ts; here are the cursor, its keys, what is selected,
// and the lane that has grown.
//
// Pointer: a click goes there, a drag selects, a drag of the cursor takes it along; a press on a lane's name makes it large, or small again. Keys: ← → a
// window, Page Up and Down a tenth, Home, End; with Shift they select. Enter makes a lane large, then ↑ ↓ take the next one. Escape ends what is selected.
import { render } from "preact";
import { made } from "../parts/dom.ts";
import { IconButton, SideMark } from "../parts/widgets.tsx";
import { show } from "../picture/canvas.ts";
import { short, whole } from "../model/scale.ts";
import { kernelPaint, onRetheme, theme } from "../picture/theme.ts";
import { count } from "../model/format.ts";
import { Said } from "../parts/term-tip.tsx";
import type { Zoom } from "../model/types.ts";
import { framed } from "../picture/framed.ts";
import { Turn } from "../picture/pace.ts";
import { PaintSwatch, type Exportable } from "../picture/parts.tsx";
import { axisEnd, dockTable, figures, kernelLabel, lanesOf, type DockRun, type Lane } from "./dock-data.ts";
import { drawDock, seriesPaint, type DockDrawing } from "./dock-drawing.ts";
import { brief, FiguresTable, figuresText, valueText } from "./dock-figures.tsx";
import type { Session } from "./session.ts";
import { tableResolution, TimeAxis, type Press } from "./time-axis.ts";

/** Below this width there is no room beside the lanes; below that, or this height of the window, none for a lane of each kernel. */
const NARROW = 600,
  LOW = 800;
/** Windows that are shown at least. */
const WINDOWS = 4;
/** Pixels around the cursor in which a drag takes it along. */
const GRIP = 6;

const KEYS =
  "Arrow keys move by a window, with Shift they select cycles. Enter makes a lane large, up and down take the next one. Plus, minus and 0 zoom.";

export class Axis {
  readonly #send: Session["send"];
  #runs: DockRun[] = [];
  #chosen: readonly string[] | null = null;
  #large: string | null = null;
  #lanes: Lane[] = [];
  #cycle = 0;
  #still = true;
  readonly #time = new TimeAxis({
    all: () => ({ from: 0, to: this.#end() }),
    least: () => WINDOWS * this.#window(),
    around: () => this.#cycle,
    changed: (zoom) => {
      this.zoom = zoom;
      this.#send("look", { zoom: zoom ?? undefined });
    },
    say: (text) => {
      this.#said.textContent = text;
    },
  });
  #stretch: Zoom | null = null;
  /** The same while the pointer still changes it. */
  #dragged: Zoom | null = null;
  /** Of what the keys select: where it began, and its moving end. */
  #anchor: number | null = null;
  #head: number | null = null;
  #drawn: DockDrawing | null = null;
  #tops: ReadonlyMap<string, number> = new Map();
  #pointed: { x: number; y: number } | null = null;
  readonly element = made<HTMLElement>(
    <div class="dk-axis">
      <div class="dk-legend" hidden />
      <div
        class="dk-track"
        role="slider"
        tabIndex={0}
        aria-label="Time: the cycle that is shown"
        aria-valuenow={0}
        aria-describedby="dk-keys"
      >
        <canvas height={0} />
        <div class="dk-band" hidden aria-hidden="true" />
        <div class="dk-ahead" hidden aria-hidden="true" />
        <div class="dk-now" aria-hidden="true" />
      </div>
      <div class="dk-tip" hidden aria-hidden="true" />
      <p class="hidden" role="status" />
      <p class="hidden" id="dk-keys">
        {KEYS}
      </p>
    </div>,
  );
  readonly #canvas = this.#part("canvas") as HTMLCanvasElement;
  readonly #now = this.#part(".dk-now");
  readonly #ahead = this.#part(".dk-ahead");
  readonly #band = this.#part(".dk-band");
  readonly #tip = this.#part(".dk-tip");
  readonly #said = this.#part("[role=status]");
  readonly #track = this.#part(".dk-track");
  readonly #legend = this.#part(".dk-legend");
  #part(of: string): HTMLElement {
    return this.element.querySelector(of) as HTMLElement;
  }

  constructor(send: Session["send"]) {
    this.#send = send;
    this.#listen();
    new ResizeObserver(this.#draw).observe(this.#track);
    onRetheme(this.#draw);
  }

  focus(): void {
    this.#track.focus();
  }

  // ---------------------------------------------------------------- what comes in

  set runs(runs: DockRun[]) {
    this.#runs = runs;
    this.#tops = new Map();
    this.later();
  }
  /** What lanes are of, by their keys; null: nobody has chosen. */
  set chosen(chosen: readonly string[] | null) {
    this.#chosen = chosen;
    this.later();
  }
  set large(lane: string | null) {
    this.#large = lane;
    this.later();
  }
  set zoom(zoom: Zoom | null) {
    this.#time.zoom = zoom;
    this.#tops = new Map();
    this.later();
  }
  set stretch(stretch: Zoom | null) {
    // Nothing is selected any more: what the keys select begins anew.
    if (!stretch) this.#anchor = this.#head = null;
    this.#stretch = stretch;
    this.later();
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
    this.focus();
  }
  zoomIn(): void {
    if (this.#stretch) this.#time.zoomToRange(this.#stretch);
  }

  // ---------------------------------------------------------------- drawing

  later(): void {
    this.#turn.ask();
  }

  readonly #draw = (): void => {
    const width = Math.floor(this.#track.clientWidth);
    if (width < 80 || this.#runs.length === 0) return;
    this.#lanes = this.#wanted(width < NARROW || innerHeight < LOW);
    this.#drawn = this.#picture(width, this.#lanes);
    this.#tops = this.#drawn.tops;
    show(this.#canvas, this.#drawn.drawing);
    this.#fillLegend();
    this.#place();
    this.#tipAt();
  };

  readonly #turn = new Turn(this.#draw, 66, 0.1);

  /** Without `few` also those for which the window has no room. */
  #wanted(few = false): Lane[] {
    return lanesOf(this.#runs, this.#chosen, this.#large, few);
  }
  #picture(width: number, lanes: readonly Lane[]): DockDrawing {
    return drawDock({
      runs: this.#runs,
      lanes,
      large: this.#large,
      range: this.#time.shown,
      width,
      narrow: width < NARROW,
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
    const band = this.#dragged ?? this.#stretch;
    this.#band.hidden = band === null;
    if (band) this.#time.cover(this.#band, drawn, band);
    if (this.#still) this.#fillLegend();
    this.#tell();
  }

  /** The cycles that numbers beside the lanes are of: those that are selected, or the last window. */
  #span(): Zoom {
    return this.#dragged ?? this.#stretch ?? { from: Math.max(0, this.#cycle - this.#window()), to: this.#cycle };
  }
  #grown(): Lane | undefined {
    return this.#lanes.find(({ key, epochs }) => key === this.#large && !epochs);
  }
  #fillLegend(): void {
    const lane = this.#grown();
    this.#legend.hidden = !lane;
    if (!lane) return;
    const { from, to } = this.#span(),
      all = figures(this.#runs, lane, from, to),
      spec = lane.specs.find((one) => one !== null),
      stretch = this.#dragged ?? this.#stretch;
    const name = `${lane.title}${spec?.unit ? `, ${spec.unit}` : ""}`;
    render(
      <>
        <span class="dk-values">
          <Said says={spec?.doc ?? ""}>{name}</Said>
          <span class="dk-numbers">
            <span>{stretch ? `mean of ${short(from)} to ${short(to)}` : `at cycle ${count(this.#cycle)}`}</span>
            {all.map((one) => (
              <span key={one.name} title={one.series?.doc ?? ""}>
                {one.series && <PaintSwatch of={seriesPaint(one.series, theme())} />}
                {`${one.name} `}
                {this.#runs.map(({ mark }, r) => [
                  mark !== "" && <SideMark key={`${r} mark`} mark={mark} />,
                  <b key={r}> {valueText(one, r, false)} </b>,
                ])}
              </span>
            ))}
          </span>
        </span>
        <IconButton
          icon="close"
          label="Make the lane small"
          title="Small again (Enter)"
          press={() => {
            this.#grow(null);
            this.focus();
          }}
        />
      </>,
      this.#legend,
    );
  }

  #tell(): void {
    const known = this.#known(),
      end = this.#end();
    const sure = this.#runs.length > 0 && this.#runs.every(({ length }) => length !== null);
    const { from, to } = this.#span();
    const words = [
      `cycle ${count(this.#cycle)}${sure ? ` of ${count(Math.max(known, ...this.#runs.map(({ length }) => length ?? 0)))}` : ""}`,
      ...(this.#stretch ? [`selected: ${count(from)} to ${count(to)}`] : []),
      ...(this.#still && known > this.#cycle ? [`known up to ${count(known)}`] : []),
      ...(this.#still && this.#cycle > 0
        ? [
            figuresText(
              this.#runs,
              this.#wanted().flatMap((lane) => {
                const all = figures(this.#runs, lane, from, to);
                return lane.key === this.#large ? all : brief(all);
              }),
            ),
          ]
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

  // ---------------------------------------------------------------- what lies under the pointer

  #laneAt(y: number): Lane | undefined {
    return this.#drawn?.lanes.find((one) => y >= one.y && y < one.y + one.h)?.lane;
  }
  #tipAt(): void {
    const drawn = this.#drawn,
      at = this.#pointed;
    if (drawn && at)
      this.#track.style.cursor = at.x < drawn.x ? "pointer" : this.#grips(at.x) ? "ew-resize" : "crosshair";
    this.#tip.hidden = !drawn || !at || at.x < drawn.x || this.#dragged !== null;
    if (!drawn || !at || this.#tip.hidden) return;
    const cycle = this.#time.cycle(drawn, at.x),
      spot = drawn.drawing.spotAt(at.x, at.y),
      lane = this.#laneAt(at.y),
      half = this.#window() / 2;
    render(
      <>
        <b>{spot ? spot.text() : `Cycle ${whole(cycle)}`}</b>
        {!spot && lane && !lane.epochs && (
          <FiguresTable runs={this.#runs} all={figures(this.#runs, lane, cycle - half, cycle + half)} />
        )}
      </>,
      this.#tip,
    );
    const { clientWidth: room, offsetLeft: from } = this.element,
      w = this.#tip.offsetWidth;
    this.#tip.style.left = `${from + Math.max(4, Math.min(at.x + 12, room - w - 4))}px`;
  }
  #grips(x: number): boolean {
    return this.#drawn !== null && Math.abs(x - this.#time.x(this.#drawn, this.#cycle)) <= GRIP;
  }

  // ---------------------------------------------------------------- what is selected, and what has grown

  /** Of whole windows of what is known; null where that is none. */
  #windows(a: number, b: number): Zoom | null {
    const window = this.#window(),
      most = Math.floor(this.#known() / window) * window;
    const edge = (cycle: number): number => Math.max(0, Math.min(most, Math.round(cycle / window) * window));
    const from = edge(Math.min(a, b)),
      to = edge(Math.max(a, b));
    return to > from ? { from, to } : null;
  }
  /** By the keys: from where it began to another cycle. */
  #extend(to: number): void {
    const start = this.#anchor ?? this.#cycle,
      stretch = this.#windows(start, to);
    this.#send("stretchTo", stretch);
    // Whoever selects anew begins where the cursor was.
    this.#anchor = start;
    this.#head = to;
  }

  #grow(lane: string | null): void {
    this.large = lane;
    this.#send("look", { panel: lane ?? undefined });
    const found = this.#lanes.find(({ key }) => key === lane);
    this.#said.textContent = found ? `${found.title}, large` : "All lanes small";
  }

  // ---------------------------------------------------------------- table and exports

  /** Null where there is nothing to show yet. */
  exportable(): Exportable | null {
    if (this.#runs.length === 0) return null;
    return {
      name: "time",
      title: "Over time",
      description: "The lanes of the time axis, over the cycles of the run.",
      table: () => dockTable(this.#runs, this.#wanted(), this.#time.shown, this.#window()),
      picture: (stamp) => {
        const t = theme(),
          { drawing } = this.#picture(960, this.#wanted());
        return framed(drawing, { title: "Over time", legend: this.#paints(), stamp }, t);
      },
    };
  }
  /** At most so many rows that a person reads them. */
  table(): ReturnType<typeof dockTable> | null {
    if (this.#runs.length === 0) return null;
    const { from, to } = this.#time.shown;
    return dockTable(
      this.#runs,
      this.#wanted(),
      { from, to },
      tableResolution(Math.min(to, this.#known()) - from, this.#window()),
    );
  }
  #paints(): Parameters<typeof framed>[1]["legend"] {
    const most = Math.max(...this.#runs.map(({ kernels }) => kernels.length));
    return [
      ...Array.from({ length: most }, (_, k) => ({ name: kernelLabel(this.#runs, k), paint: kernelPaint(k, theme()) })),
      ...(this.#runs.length > 1
        ? this.#runs.map(({ mark, title }, i) => ({ name: `${mark}: ${title}, ${i === 0 ? "line" : "area"}` }))
        : []),
    ];
  }

  // ---------------------------------------------------------------- pointer and keys

  #go(cycle: number): void {
    const to = Math.max(0, Math.round(cycle));
    if (to !== this.#cycle || this.#stretch) this.#send("go", to);
  }

  #listen(): void {
    /** The pointer takes the cursor along. */
    let grips = false;
    const beside = ({ x }: Press): boolean => this.#drawn !== null && x < this.#drawn.x - 4;
    this.#time.listen(this.#track, {
      plot: () => this.#drawn,
      point: (at) => {
        this.#pointed = at?.touch ? null : at;
        this.#tipAt();
      },
      click: (press) => {
        const lane = this.#laneAt(press.y);
        if (!beside(press)) this.#go(press.cycle);
        else if (lane && !lane.epochs) this.#grow(lane.key === this.#large ? null : lane.key);
      },
      drag: (press, to) => {
        if (beside(press)) return;
        grips ||= this.#dragged === null && this.#grips(press.x);
        if (grips) this.#go(to);
        else {
          this.#dragged = this.#windows(press.cycle, to);
          this.#place();
        }
      },
      drop: (press, to, kept) => {
        const selects = kept && !grips && !beside(press);
        grips = false;
        this.#dragged = null;
        this.#place();
        if (selects) this.#send("stretchTo", this.#windows(press.cycle, to));
      },
      key: (key, shift) => this.#key(key, shift),
    });
  }

  /** Whether the key does anything here. */
  #key(key: string, shift: boolean): boolean {
    const { from, to } = this.#time.shown,
      window = this.#window(),
      tenth = (to - from) / 10,
      start = shift ? (this.#head ?? this.#cycle) : this.#cycle,
      lanes = this.#lanes.filter(({ epochs }) => !epochs),
      grown = lanes.findIndex((lane) => lane.key === this.#large);
    if (key === "Enter") {
      this.#grow(grown < 0 ? (lanes[0]?.key ?? null) : null);
      return true;
    }
    if (grown >= 0 && (key === "ArrowUp" || key === "ArrowDown")) {
      const next = grown + (key === "ArrowUp" ? -1 : 1);
      this.#grow(lanes[(next + lanes.length) % lanes.length]?.key ?? null);
      return true;
    }
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
      if (shift) this.#extend(Math.max(0, Math.min(wanted, this.#known())));
      else this.#go(Math.min(wanted, this.#end()));
      return true;
    }
    if (key !== "Escape" || !this.#stretch) return false;
    this.#send("stretchTo", null);
    return true;
  }
}

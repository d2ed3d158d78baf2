// <corun-dock>: time, at the bottom of the window. A row of controls (dock-controls.tsx), and below it one axis for the whole run (dock-axis.ts).
//
// It keeps no windows of its own: it reads the stores that feed.ts fills. Fires `zoom` (CustomEvent<Zoom | null>) when the user shows other cycles.
import "./dock.css";
import { createElement, render } from "preact";
import type { Events } from "../model/event-log.ts";
import type { Decision, ShownRun, Zoom } from "../model/types.ts";
import type { WindowStore } from "../model/window-store.ts";
import { Axis } from "./dock-axis.tsx";
import { Controls } from "./dock-controls.tsx";
import { dockRun, offered, type DockRun } from "./dock-data.ts";
import type { Doing } from "../model/session.ts";
import { DockState, type DockEvents } from "./dock-state.ts";

export type { DockEvents } from "./dock-state.ts";

export class CorunDock extends HTMLElement {
  /** Where the run goes, while it goes there. */
  toward = 0;
  #runs: DockRun[] = [];
  #chosen: readonly string[] | null = null;
  #state: DockState | null = null;
  #disconnect: (() => void) | null = null;
  readonly #axis = new Axis({
    go: (cycle) => this.#state?.events.go(cycle),
    select: (stretch) => this.#state?.events.select(stretch),
    grow: (lane) => this.#state?.events.grow(lane),
    zoom: (zoom) => {
      this.#zoomIs(zoom);
      this.dispatchEvent(new CustomEvent<Zoom | null>("zoom", { bubbles: true, detail: zoom }));
    },
  });

  connectedCallback(): void {
    const axis = this.#axis.connect();
    // What opens upwards from below the dock leaves it in view.
    const sizes = new ResizeObserver(() => {
      document.documentElement.style.setProperty("--dock", `${this.offsetHeight}px`);
    });
    sizes.observe(this);
    this.#disconnect = () => {
      axis();
      sizes.disconnect();
    };
  }
  disconnectedCallback(): void {
    this.#disconnect?.();
    this.#disconnect = null;
  }

  init(events: DockEvents): void {
    const state = new DockState(events);
    this.#state = state;
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "Time");
    const row = document.createElement("div");
    row.className = "dk-row";
    this.replaceChildren(row, this.#axis.element);
    const picture = {
      all: () => {
        this.#axis.all();
        this.#axis.focus();
      },
      zoomIn: () => {
        this.#axis.zoomIn();
      },
      focus: () => {
        this.#axis.focus();
      },
      table: () => this.#axis.table(),
      exportable: () => this.#axis.exportable(),
    };
    render(createElement(Controls, { dock: state, picture }), row);
    this.show("idle", 0, 0);
  }

  // ---------------------------------------------------------------- what comes in

  /**
   * `stores`: where the windows of each run are; `lengths`: the cycle at which each ends, where its experiment says so; `epochs`: cycles of an
   * epoch of each, where its policy has them.
   */
  setRuns(
    runs: readonly ShownRun[],
    stores: readonly WindowStore[],
    lengths: readonly (number | null)[],
    epochs: readonly (number | null)[],
  ): void {
    this.#runs = runs.map((run, i) => dockRun(run, stores[i] as WindowStore, lengths[i] ?? null, epochs[i] ?? null));
    this.#axis.runs = this.#runs;
    this.#axis.cycle = 0;
    const state = this.#state;
    if (!state) return;
    state.two.value = runs.length > 1;
    state.wrong.value = "";
    state.offered.value = offered(this.#runs, this.#chosen);
  }

  /** The stores have windows that they had not, or have lost some. */
  refresh(): void {
    this.#axis.later();
  }

  setPast(run: number, past: Events): void {
    const mine = this.#runs[run];
    if (!mine) return;
    mine.past = past;
    this.#axis.later();
  }

  setDecisions(run: number, decisions: readonly Decision[]): void {
    const mine = this.#runs[run];
    if (!mine || mine.decisions.length === decisions.length) return;
    mine.decisions = [...decisions];
    this.#axis.later();
  }

  /** The IPC that each kernel of a run is promised; null where it has no goal, or the goal is not known yet. */
  setGoals(run: number, goals: readonly (number | null)[]): void {
    const mine = this.#runs[run];
    if (!mine || goals.every((goal, k) => goal === (mine.goals[k] ?? null))) return;
    mine.goals = goals;
    this.#axis.later();
  }

  show(state: Doing, cycle: number, perSecond: number): void {
    this.#state?.show(state, cycle, perSecond, this.toward);
    this.#axis.still = state !== "playing" && state !== "seeking";
  }

  /** The present cycle. */
  set cycle(cycle: number) {
    this.#axis.cycle = cycle;
  }

  /** What lanes are of; null where nobody has chosen. */
  set lanes(keys: readonly string[] | null) {
    this.#chosen = keys;
    this.#axis.chosen = keys;
    if (this.#state) this.#state.offered.value = offered(this.#runs, keys);
  }
  /** The lane that is large. */
  set large(lane: string | null) {
    this.#axis.large = lane;
  }
  /** The cycles that are selected. */
  set stretch(stretch: Zoom | null) {
    this.#axis.stretch = stretch;
    if (this.#state) this.#state.stretch.value = stretch;
  }

  /** What Play will do. */
  set plays(words: string) {
    if (this.#state) this.#state.plays.value = words;
  }

  /** The cycles that are shown; null for all. */
  get zoom(): Zoom | null {
    return this.#axis.zoom;
  }
  set zoom(zoom: Zoom | null) {
    this.#axis.zoom = zoom;
    this.#zoomIs(zoom);
  }
  #zoomIs(zoom: Zoom | null): void {
    if (this.#state) this.#state.zoomed.value = zoom !== null;
  }

  focusField(): void {
    this.querySelector<HTMLInputElement>("#f-go")?.focus();
  }
}

customElements.define("corun-dock", CorunDock);

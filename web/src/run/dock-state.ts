// What the dock's controls show, as signals; and what the user does with them.
import { batch, signal } from "@preact/signals";
import { count, rate, SPEED_STEPS, speedAt, timeText } from "../format.ts";
import { asNote, MAX_BOOKMARKS } from "../link.ts";
import type { RunState } from "../protocol.ts";
import type { StopWhen } from "../stop-when.ts";
import type { Bookmark } from "../types.ts";

/**
 * `idle`: not yet ready, and what is shown may be of before. `profiling`: neither, and kernels are measured alone first; `stopped`: that was stopped.
 * `empty`: ready, and there is nothing to run. `settled`: done, because what is measured is known.
 */
export type ShownState = RunState | "idle" | "profiling" | "stopped" | "empty" | "settled";
export const STATES: Record<ShownState, string> = {
  idle: "Loading",
  profiling: "Profiling",
  stopped: "Not begun",
  empty: "Nothing open",
  paused: "Paused",
  playing: "Running",
  seeking: "Going there",
  done: "Finished",
  settled: "Settled",
  stuck: "Stuck",
  failed: "Script failed",
};
/** Nothing can be stepped. */
const OVER: readonly ShownState[] = ["done", "settled", "stuck", "failed", "idle", "profiling", "stopped", "empty"];

export interface DockEvents {
  toggle(): void;
  step(): void;
  back(): void;
  event(): void;
  reset(): void;
  speed(cyclesPerSecond: number): void;
  /** The run is to go to a cycle, and stay there. */
  go(cycle: number): void;
  /** Playing is to stop where this is met. */
  stopWhen(when: StopWhen | null): void;
  /** The bookmarks are others now. */
  bookmarks(bookmarks: readonly Bookmark[]): void;
}

/** “12 % of the way, about 3 min left”. */
export function wayText(cycle: number, toward: number, perSecond: number): string {
  const share = `${Math.floor((100 * cycle) / toward)} % of the way`;
  return perSecond > 0 ? `${share}, about ${timeText((1000 * (toward - cycle)) / perSecond)} left` : share;
}

/** A cycle as people write it: 250000, 250,000, 250 000, 250k, 1.5M; null where it is none. */
export function cycleFrom(text: string): number | null {
  const found = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(text.trim().replaceAll(/(?<=\d)[,_'\s](?=\d)/g, ""));
  if (!found) return null;
  const cycle = Number(found[1]) * (found[2] === "k" ? 1e3 : found[2] === "M" ? 1e6 : 1);
  const near = Math.round(cycle);
  return Math.abs(cycle - near) < 1e-6 && Number.isSafeInteger(near) ? near : null;
}

/** The speeds of the menu, fastest first: as many steps of format.ts apart as a key takes. */
const NOTCH = 3;
export const SPEEDS: readonly number[] = Array.from({ length: SPEED_STEPS / NOTCH + 1 }, (_, i) =>
  speedAt(SPEED_STEPS - NOTCH * i),
);
const stepOf = (speed: number): number => {
  for (let step = 0; step < SPEED_STEPS; step += 1) if (speedAt(step) >= speed) return step;
  return SPEED_STEPS;
};

export class DockState {
  readonly state = signal<ShownState>("idle");
  readonly cycle = signal(0);
  readonly cycleText = signal("0");
  readonly rateText = signal(rate(0));
  /** On a long way: how much of it is done. */
  readonly wayText = signal("");
  readonly speed = signal(Infinity);
  readonly bookmarks = signal<readonly Bookmark[]>([]);
  readonly kernels = signal<readonly string[]>([]);
  readonly two = signal(false);
  readonly zoomed = signal(false);
  /** What the run has stopped at; and what is wrong with what was typed. */
  readonly met = signal("");
  readonly wrong = signal("");
  /** Said to those who do not see it. */
  readonly said = signal("");
  /** The bookmark whose note is to have the focus. */
  readonly noting = signal<number | null>(null);
  readonly events: DockEvents;

  constructor(events: DockEvents) {
    this.events = events;
  }

  get running(): boolean {
    return this.state.value === "playing" || this.state.value === "seeking";
  }
  get over(): boolean {
    return OVER.includes(this.state.value);
  }

  show(state: ShownState, cycle: number, perSecond: number, toward: number): void {
    batch(() => {
      const changed = state !== this.state.peek() || this.said.peek() === "";
      this.state.value = state;
      this.cycle.value = cycle;
      this.cycleText.value = count(cycle);
      this.rateText.value = rate(perSecond);
      this.wayText.value = state === "seeking" && toward > cycle ? wayText(cycle, toward, perSecond) : "";
      if (changed)
        this.said.value =
          state === "playing" || state === "seeking" ? STATES[state] : `${STATES[state]} at cycle ${count(cycle)}`;
    });
  }

  /** So many notches of the old slider slower or faster. */
  nudge(by: number): void {
    this.setSpeed(speedAt(Math.min(SPEED_STEPS, Math.max(0, stepOf(this.speed.value) + by))));
  }
  setSpeed(speed: number): void {
    this.speed.value = speed;
    this.events.speed(speed);
  }

  /** Whether the text is a cycle; then the run goes there. */
  goTo(text: string): boolean {
    const cycle = cycleFrom(text);
    this.wrong.value = cycle === null ? `“${text}” is no cycle: a whole number is, as in 250000, 250,000 or 250k.` : "";
    if (cycle !== null) this.events.go(cycle);
    return cycle !== null;
  }

  /** A bookmark at the present cycle; its note can be written at once. */
  mark(): void {
    const cycle = this.cycle.value,
      all = this.bookmarks.value;
    if (!all.some((one) => one.cycle === cycle)) {
      if (all.length >= MAX_BOOKMARKS) {
        this.wrong.value = `There are ${MAX_BOOKMARKS} bookmarks, as many as a link holds.`;
        return;
      }
      this.#change([...all, { cycle, note: "" }].sort((a, b) => a.cycle - b.cycle));
    }
    this.noting.value = cycle;
  }
  note(cycle: number, text: string): void {
    this.#change(this.bookmarks.value.map((one) => (one.cycle === cycle ? { cycle, note: asNote(text) } : one)));
  }
  unmark(cycle: number): void {
    this.#change(this.bookmarks.value.filter((one) => one.cycle !== cycle));
  }
  #change(bookmarks: readonly Bookmark[]): void {
    this.bookmarks.value = bookmarks;
    this.events.bookmarks(bookmarks);
  }
}

// What the dock's controls show, as signals; and what the user does with them.
import { batch, signal } from "@preact/signals";
import { count, rate, timeText } from "../model/format.ts";
import type { Doing } from "../model/session.ts";
import type { Session } from "./session.ts";

export const STATES: Record<Doing, string> = {
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
const OVER: readonly Doing[] = ["done", "settled", "stuck", "failed", "idle", "profiling", "stopped", "empty"];

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

/** Cycles per second: all that goes; a window of the lanes in an eye's blink; what warps do; cycle by cycle. */
export const SPEEDS: readonly number[] = [Infinity, 20_000, 500, 5];

export class DockState {
  readonly state = signal<Doing>("idle");
  readonly cycle = signal(0);
  readonly cycleText = signal("0");
  readonly rateText = signal(rate(0));
  /** On a long way: how much of it is done. */
  readonly wayText = signal("");
  readonly speed = signal(Infinity);
  readonly two = signal(false);
  /** All that can be a lane. */
  readonly offered = signal<readonly { key: string; title: string; doc: string; on: boolean }[]>([]);
  /** What is wrong with what was typed. */
  readonly wrong = signal("");
  /** Said to those who do not see it. */
  readonly said = signal("");

  constructor(readonly session: Pick<Session, "send" | "plays" | "selected" | "view" | "engine">) {}

  get running(): boolean {
    return this.state.value === "playing" || this.state.value === "seeking";
  }
  get over(): boolean {
    return OVER.includes(this.state.value);
  }

  show(state: Doing, cycle: number, perSecond: number, toward: number): void {
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

  setSpeed(speed: number): void {
    this.speed.value = speed;
    if (this.session.engine) this.session.engine.transport.speed = speed;
  }

  /** A lane more, or one less. */
  toggleLane(key: string): void {
    const keys = this.offered.value.filter((one) => (one.key === key ? !one.on : one.on)).map((one) => one.key);
    this.session.send("look", { lanes: keys.join(",") });
  }

  /** Whether the text is a cycle; then the run goes there. */
  goTo(text: string): boolean {
    const cycle = cycleFrom(text);
    this.wrong.value = cycle === null ? `“${text}” is no cycle: a whole number is, as in 250000, 250,000 or 250k.` : "";
    if (cycle !== null) this.session.send("go", cycle);
    return cycle !== null;
  }
}

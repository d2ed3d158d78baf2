// What the page is sent of the run: a frame where there is news, the page has drawn the one before, and it is not too soon; each with all that the
// page has not had yet. It reads the run and never moves it.
import type { LaunchLog } from "../model/launch-log.ts";
import type { EventLog } from "../model/event-log.ts";
import type { FrameMessage } from "./protocol.ts";
import type { FrameLayout, WindowsLayout } from "../model/types.ts";
import type { Simulation } from "../wasm/corun.js";

/** Milliseconds between frames: 60 a second at most. */
const FRAME_GAP = 15.5;
/** Between two results. */
export const RESULT_GAP = 250;
/** The column of a window that says where it ends. */
const WINDOW_END = 1;

/** The run as it stands. */
interface Shown {
  sim: Simulation;
  past: EventLog;
  launches: LaunchLog | null;
  running: boolean;
  /** With another run: one frame at the end of each way; `full`: that frame has the result. */
  lockstep: { full: boolean } | null;
  stands: Pick<FrameMessage, "id" | "state" | "why" | "ticket" | "event">;
  /** When it was last told to go to a cycle. */
  setOut: number;
}

export class Frames {
  #waiting = false; // a frame is at the page
  #sent = 0; // the last frame's number
  #dirty = false; // there is something that the page has not seen
  #frameAt = -Infinity;
  #resultAt = -Infinity; // at the next frame; a worker may be younger than any gap
  #windowsSent = 0;
  #decisionsSent = 0;
  #restart = true;
  #columns = 0; // of a window
  #onTop: number[] = []; // of them, the quotas that each kernel got on top
  #window = 1; // cycles of one
  #marks: { at: number; cycle: number }[] = []; // for the rate

  /** Another run is built. */
  built(layout: FrameLayout, { columns, window }: WindowsLayout): void {
    this.#columns = columns.length;
    this.#window = window;
    this.#onTop = layout.kernels
      .map((_, k) => columns.findIndex(({ key, kernel }) => key === "quota_top_ups" && kernel === k))
      .filter((column) => column >= 0);
  }

  hasNews(): void {
    this.#dirty = true;
  }
  /** There is news, and the next frame has the result, however short ago the last one was. */
  wantsWhole(): void {
    this.#dirty = true;
    this.#resultAt = -Infinity;
  }
  /** The next frame brings all windows and decisions. */
  fromStart(): void {
    this.#windowsSent = this.#decisionsSent = 0;
    this.#restart = true;
  }
  restartRate(): void {
    this.#marks = [];
  }
  /**
   * No word on a frame that is under way counts any more. Taken for a word on the next one, it would let a third overtake that at the page,
   * which draws only the latest: the windows and decisions of the one between were lost.
   */
  forget(wait: boolean): void {
    this.#sent += 1;
    this.#waiting = wait;
  }
  /** The page has drawn a frame: whether that was the last one. */
  drawn(number: number): boolean {
    if (number !== this.#sent) return false;
    this.#waiting = false;
    return true;
  }

  /** The next frame, if one is due. */
  next({ sim, past, launches, running, lockstep, stands, setOut }: Shown): FrameMessage | null {
    if (this.#waiting || !this.#dirty) return null;
    const now = performance.now();
    if (running && (lockstep || now - this.#frameAt < FRAME_GAP)) return null;
    this.#frameAt = now;
    this.#dirty = false;
    this.#waiting = true;
    this.#sent += 1;

    const { cycle } = sim,
      rate = this.#rate(now, cycle, running);
    const windows = Float64Array.from(sim.windows(this.#windowsSent));
    if (windows.length > 0)
      this.#windowsSent = (windows[windows.length - this.#columns + WINDOW_END] as number) / this.#window;
    const decisions = sim.decisions(this.#decisionsSent);
    this.#decisionsSent += decisions.length;
    const whole = lockstep ? lockstep.full : now - this.#resultAt >= RESULT_GAP;
    const controls = whole || decisions.length > 0 ? sim.controls() : null;
    if (whole) this.#resultAt = now;
    const result = whole ? sim.result() : null;
    const frame = sim.frame().slice(); // a view into the module's memory: copied before anything else is called
    past.addWindows(windows, this.#columns, this.#onTop);
    const restart = this.#restart;
    this.#restart = false;
    return {
      t: "frame",
      ...stands,
      number: this.#sent,
      cycle,
      rate,
      frame,
      windows,
      restart,
      decisions,
      result,
      controls,
      past: whole ? past.view() : null,
      launches: whole ? (launches?.news() ?? null) : null,
      shares: whole && launches ? sim.shares() : null,
      held: whole ? sim.l1Contents() : null,
      shown: whole ? sim.shown() : null,
      took: now - setOut,
    };
  }

  #rate(now: number, cycle: number, running: boolean): number {
    this.#marks.push({ at: now, cycle });
    while (this.#marks.length > 2 && now - (this.#marks[0] as { at: number }).at > 500) this.#marks.shift();
    const first = this.#marks[0] as { at: number; cycle: number };
    return running && now - first.at > 50 ? ((cycle - first.cycle) / (now - first.at)) * 1000 : 0;
  }
}

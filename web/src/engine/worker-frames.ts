// What the page is sent of the run: frames, each with all that the page has not had yet. It reads the run and never moves it.
import type { LaunchLog } from "../model/launch-log.ts";
import type { EventLog } from "../model/event-log.ts";
import type { FrameMessage } from "./protocol.ts";
import type { FrameLayout, WindowsLayout } from "../model/types.ts";
import type { Simulation } from "../wasm/corun.js";

/** The column of a window that says where it ends. */
const WINDOW_END = 1;

/** The run as it stands. */
interface Shown {
  sim: Simulation;
  past: EventLog;
  launches: LaunchLog | null;
  /** With the result. */
  full: boolean;
  stands: Pick<FrameMessage, "state" | "why" | "ticket" | "event">;
  /** When it was last told to go to a cycle. */
  setOut: number;
}

export class Frames {
  #windowsSent = 0;
  #decisionsSent = 0;
  #restart = true;
  #columns = 0; // of a window
  #onTop: number[] = []; // of them, the quotas that each kernel got on top
  #window = 1; // cycles of one

  /** Another run is built. */
  built(layout: FrameLayout, { columns, window }: WindowsLayout): void {
    this.#columns = columns.length;
    this.#window = window;
    this.#onTop = layout.kernels
      .map((_, k) => columns.findIndex(({ key, kernel }) => key === "quota_top_ups" && kernel === k))
      .filter((column) => column >= 0);
  }

  /** The next frame brings all windows and decisions. */
  fromStart(): void {
    this.#windowsSent = this.#decisionsSent = 0;
    this.#restart = true;
  }
  next({ sim, past, launches, full, stands, setOut }: Shown): FrameMessage {
    const windows = Float64Array.from(sim.windows(this.#windowsSent));
    if (windows.length > 0)
      this.#windowsSent = (windows[windows.length - this.#columns + WINDOW_END] as number) / this.#window;
    const decisions = sim.decisions(this.#decisionsSent);
    this.#decisionsSent += decisions.length;
    const controls = full || decisions.length > 0 ? sim.controls() : null;
    const result = full ? sim.result() : null;
    const frame = sim.frame().slice(); // a view into the module's memory: copied before anything else is called
    past.addWindows(windows, this.#columns, this.#onTop);
    const restart = this.#restart;
    this.#restart = false;
    return {
      t: "frame",
      ...stands,
      cycle: sim.cycle,
      frame,
      windows,
      restart,
      decisions,
      result,
      controls,
      past: full ? past.view() : null,
      launches: full ? (launches?.news() ?? null) : null,
      shares: full && launches ? sim.shares() : null,
      held: full ? sim.l1Contents() : null,
      shown: full ? sim.shown() : null,
      took: performance.now() - setOut,
    };
  }
}

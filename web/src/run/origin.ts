// Which result the first screen shows of a side, and what that result is: the answer that came with the page, until a run here has ended. No DOM.
import type { Result } from "../types.ts";
import type { RunSide } from "./model.ts";

/** `over`: the run here has ended. It confirms the stored answer, or differs from it, where it is as long. */
export function shownOf(stored: Result | null, here: Result | null, over: boolean): Pick<RunSide, "result" | "origin"> {
  const ended = over ? here : null;
  if (ended === null) return stored ? { result: stored, origin: "stored" } : { result: here, origin: "running" };
  if (stored === null || stored.cycles !== ended.cycles) return { result: ended, origin: "here" };
  return { result: ended, origin: stored.digest === ended.digest ? "confirmed" : "differs" };
}

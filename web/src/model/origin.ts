// Which result the first screen shows of a side, and what that result is. What is said is of the cycle that the link has: of the end, by the answer that
// came with the page until a run here has ended; where the user has stopped to look, of that cycle; and of a stretch up to it that is selected. No DOM.
import type { Result } from "./types.ts";
import type { RunSide } from "./model.ts";

/** Where the run here is: on its way, at rest where the user has stopped to look or has selected a stretch up to there, or at its end. */
export type Whereabouts = "way" | "rest" | "stretch" | "end";

/** What a share costs, and why a kernel suffers, is known by runs that come after the end: until then, the stored answer says more. */
const wants = (stored: Result, here: Result): boolean =>
  (stored.because !== undefined && here.because === undefined) ||
  (stored.kernels ?? []).some(
    ({ share_cost: cost }, k) => typeof cost === "number" && typeof here.kernels?.[k]?.share_cost !== "number",
  );

/**
 * At its end the run here confirms the stored answer, or differs from it, where it is as long. `earlier`: what was shown at its end, from where it
 * goes on to a later one.
 */
export function shownOf(
  stored: Result | null,
  here: Result | null,
  at: Whereabouts,
  earlier: Result | null = null,
): Pick<RunSide, "result" | "origin"> {
  if (here === null || at === "way") {
    if (stored) return { result: stored, origin: "stored" };
    return earlier ? { result: earlier, origin: "earlier" } : { result: here, origin: "running" };
  }
  if (at === "rest") return { result: here, origin: "rests" };
  if (at === "stretch") return { result: here, origin: "stretch" };
  if (stored === null || stored.cycles !== here.cycles) return { result: here, origin: "here" };
  if (stored.digest !== here.digest) return { result: here, origin: "differs" };
  return { result: wants(stored, here) ? stored : here, origin: "confirmed" };
}

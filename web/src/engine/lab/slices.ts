// A run in slices: between two of them its thread reads messages, or does its host's own work.
import { SLICE } from "../pacing.ts";
import type { Reason } from "../../model/types.ts";

/** Ends the slice; others go on before the next one. Unlike a timer it does not wait. */
export const others = (): Promise<void> =>
  new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(0);
  });

/** Runs on to its end, or to a cycle before that. `between`: what is done after each slice; where it throws, the run is not wanted any more. */
export async function toItsEnd(
  run: { readonly cycle: number; advanceFor(milliseconds: number, to?: number): Reason },
  between: () => Promise<void>,
  to = Infinity,
): Promise<Reason> {
  for (;;) {
    const reason = run.advanceFor(SLICE, to === Infinity ? undefined : to);
    if (reason !== "budget" || run.cycle >= to) return reason;
    await between();
  }
}

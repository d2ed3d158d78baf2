// What a run cannot show, in plain words: said before it starts where that is known, and at its end where only that tells.
import { count } from "../model/format.ts";
import { pathTitle } from "../model/titles.ts";
import type { Experiment, Problem, Result } from "../model/types.ts";

/** What the engine explains of a kernel (`corun explain`): for each launch and class of SMs, how many CTAs there are and how many fit. */
interface Fit {
  launch: number;
  sm_class: string;
  ctas_per_sm: number;
  ctas: number;
}
interface Explained {
  kernels: { name: string; occupancy: Fit[] }[];
  /** What is no error, and yet most likely not meant. */
  warnings?: Problem[];
}

/** SMs of a class; `normal` is the experiment after defaults. */
function smsOf(normal: Experiment, name: string): number {
  const gpu = typeof normal.gpu === "object" ? (normal.gpu as Record<string, unknown>) : {};
  return Number(gpu[`sm.${name}.count`] ?? gpu["sm.count"] ?? 0);
}

/** Of the setup: what the engine takes for a slip, kernels that cannot fill the GPU, and a warm-up that is longer than what is measured. */
export function setupWarnings(normal: Experiment, explained: unknown): string[] {
  const said = ((explained as Explained | null)?.warnings ?? []).map(
    ({ path, found, want }) => `${pathTitle(path)}: found ${found}. Wanted is ${want}.`,
  );
  for (const { name, occupancy } of (explained as Explained | null)?.kernels ?? []) {
    const launches = [...new Set(occupancy.map((fit) => fit.launch))];
    const rooms = launches.map((launch) => {
      const fits = occupancy.filter((fit) => fit.launch === launch);
      return {
        ctas: fits[0]?.ctas ?? 0,
        room: fits.reduce((sum, fit) => sum + fit.ctas_per_sm * smsOf(normal, fit.sm_class), 0),
        sms: fits.reduce((sum, fit) => sum + smsOf(normal, fit.sm_class), 0),
      };
    });
    const few = rooms.filter(({ ctas, room }) => ctas < room);
    const worst = few.sort((a, b) => a.ctas / a.room - b.ctas / b.room)[0];
    if (!worst) continue;
    const which =
      few.length === 1 && rooms.length === 1
        ? ""
        : few.length === rooms.length
          ? " in each of its launches, at the least"
          : ` in ${few.length} of its ${rooms.length} launches, at the least`;
    const means =
      worst.ctas < worst.sms
        ? `${count(worst.sms - worst.ctas)} of the ${count(worst.sms)} SMs get none of them`
        : "it cannot fill the GPU even alone";
    said.push(
      `${name} has few CTAs for this GPU: ${count(worst.ctas)}${which}, where ${count(worst.room)} fit. So ${means}.`,
    );
  }
  const stop = typeof normal.stop === "object" ? (normal.stop as { cycles?: unknown }).cycles : undefined;
  const warm = Number(normal["warm_up"] ?? 0);
  if (typeof stop === "number" && warm > stop)
    said.push(
      `The warm-up is longer than the run: ${count(warm)} cycles pass before the ${count(stop)} that are measured.`,
    );
  return said;
}

/** Of a run that has ended: kernels that are still in their first launch. */
export function endWarnings(normal: Experiment, explained: unknown, result: Result): string[] {
  return ((explained as Explained | null)?.kernels ?? []).flatMap(({ name, occupancy }, k) => {
    const first = occupancy.find((fit) => fit.launch === 0)?.ctas ?? 0,
      { runs_done: runs = 0, ctas_done: ctas = 0 } = result.kernels[k] ?? {};
    // With a warm-up, CTAs that ended before it are not counted.
    if (runs > 0 || ctas >= first || Number(normal["warm_up"] ?? 0) > 0) return [];
    return [
      `${name} never reached its second launch: ${count(ctas)} of the ${count(first)} CTAs of its first were done at cycle ${count(result.cycles)}. What it does from then on is not in these numbers; let it run longer.`,
    ];
  });
}

/** Of each of the runs that are shown, its mark (empty where there is one) and what is to be said of it; `over`: also at its end. */
export function warningsOf(
  sides: readonly { laid: { loaded: { normal: Experiment; explained: unknown } } | null; result: Result | null }[],
  over: boolean,
): { mark: string; texts: readonly string[] }[] {
  return sides.map(({ laid, result }, at) => ({
    mark: sides.length > 1 ? ("AB"[at] ?? "") : "",
    texts: laid
      ? [
          ...setupWarnings(laid.loaded.normal, laid.loaded.explained),
          ...(over && result ? endWarnings(laid.loaded.normal, laid.loaded.explained, result) : []),
        ]
      : [],
  }));
}

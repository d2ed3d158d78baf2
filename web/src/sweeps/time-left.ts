// How long a pool of workers still takes: each simulation at the rate that is measured now, the next one on the worker that is free first.

/** A simulation: of a kernel alone, or of a mix. They run at rates of their own. */
export interface Work {
  alone: boolean;
  cycles: number;
}
/** One that has run, or is running, for so long, and the cycles that it has done in that time. */
export interface Worked extends Work {
  done: number;
  spentMs: number;
}

/** What has run for less says nothing of its own rate yet. */
const TELLS_MS = 300;

/** Milliseconds; null until a rate is known. */
export function timeLeft(
  ended: readonly Worked[],
  running: readonly Worked[],
  waiting: readonly Work[],
  workers: number,
): number | null {
  const worked = [...ended, ...running];
  const rate = (of: readonly Worked[]): number | null => {
    const done = of.reduce((sum, one) => sum + one.done, 0),
      spent = of.reduce((sum, one) => sum + one.spentMs, 0);
    return done > 0 && spent >= TELLS_MS ? done / spent : null;
  };
  const all = rate(worked);
  if (all === null) return null;
  const usual = {
    alone: rate(worked.filter((one) => one.alone)) ?? all,
    mix: rate(worked.filter((one) => !one.alone)) ?? all,
  };
  const takes = (work: Work, left: number, own: number | null): number =>
    left / (own ?? (work.alone ? usual.alone : usual.mix));
  const free = running.map((one) => takes(one, Math.max(0, one.cycles - one.done), rate([one])));
  while (free.length < workers) free.push(0);
  for (const work of waiting) {
    const first = free.indexOf(Math.min(...free));
    free[first] = (free[first] as number) + takes(work, work.cycles, null);
  }
  return Math.max(0, ...free);
}

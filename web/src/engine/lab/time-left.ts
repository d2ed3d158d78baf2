// How long a pool of workers still takes: each simulation at the rate that is measured now, the next one on the worker that is free first.

/** A simulation: of a kernel alone, or of a mix. They run at rates of their own. */
export interface Work {
  alone: boolean;
  cycles: number;
}
interface Measured {
  /** Cycles, in so much time. */
  done: number;
  spentMs: number;
}
/** One that has run, or is running: all of it, and its last seconds. */
export interface Worked extends Work, Measured {
  lately: Measured;
}

/** Before so much has been worked, nothing is said: it would be wrong by factors. */
const TELLS_MS = 4000;
/** From so much on, a kind has a rate of its own: short runs of kernels alone are slower for each cycle, and say less of a mix than its first run. */
const KIND_MS = 800;
/** For so long, one that begins is taken to run at the rate of the others. */
const BEGINS_MS = 2000;

/** Of those that have ended, so many of the latest for each worker count: rates change while a module is compiled, and with what else the computer does. */
const LATEST = 6;

/** Milliseconds; null until a rate is known. */
export function timeLeft(
  ended: readonly Worked[],
  running: readonly Worked[],
  waiting: readonly Work[],
  workers: number,
): number | null {
  const spent = (of: readonly Worked[]): number => of.reduce((sum, one) => sum + one.spentMs, 0);
  // Of the whole of each: a slow one takes as much more of the time as it is slower.
  const rate = (is: (one: Work) => boolean, least: number): number | null => {
    const of = [...ended.filter(is).slice(-LATEST * workers), ...running.filter(is)],
      done = of.reduce((sum, one) => sum + one.done, 0);
    return done > 0 && spent(of) >= least ? done / spent(of) : null;
  };
  const all = spent([...ended, ...running]) >= TELLS_MS ? rate(() => true, 0) : null;
  if (all === null) return null;
  const alone = rate((one) => one.alone, KIND_MS) ?? all,
    mix = rate((one) => !one.alone, KIND_MS) ?? all;
  const usual = (work: Work): number => (work.alone ? alone : mix);
  const free = running.map((one) => {
    const own = (one.lately.done + BEGINS_MS * usual(one)) / (one.lately.spentMs + BEGINS_MS);
    return Math.max(0, one.cycles - one.done) / own;
  });
  while (free.length < workers) free.push(0);
  for (const work of waiting) {
    const first = free.indexOf(Math.min(...free));
    free[first] = (free[first] as number) + work.cycles / usual(work);
  }
  return Math.max(0, ...free);
}

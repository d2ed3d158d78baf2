// Runs of kernels alone, in slices, so that messages are read in between: what a policy has to know before its run is built, and the IPC alone that
// the page asks for. It knows nothing of the run that the page shows.
import type { Answers } from "./answers.ts";
import { problemsIn, problemText } from "./format.ts";
import { SLICE } from "./pacing.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import type { Engine } from "./script/module.ts";
import type { Experiment, PlannedRun, Reason } from "./types.ts";
import type { Simulation } from "./wasm/corun.js";

/** To which part an IPC alone has to be known to be told while its run goes on. From then on it is told each time that it is known twice as well. */
const TOLD = 0.25;
/** Milliseconds between two words on how far a run is. */
const PROFILE_GAP = 250,
  ALONE_GAP = 500;

/**
 * Runs on for as long as it is wanted: the reason of its end, or "budget". `tell`: after each gap, whether it goes on, and which part is done; null
 * where that is not known.
 */
async function runOut(
  one: Simulation,
  { stop }: Experiment,
  wanted: () => boolean,
  gap: number,
  tell: (part: number | null, goesOn: boolean) => void,
): Promise<Reason> {
  const last = (stop as { cycles?: number } | undefined)?.cycles;
  let reason: Reason = "budget",
    told = performance.now();
  while (reason === "budget" && wanted()) {
    reason = one.advanceFor(SLICE);
    if (performance.now() - told > gap) {
      told = performance.now();
      tell(typeof last === "number" ? one.cycle / last : null, reason === "budget");
    }
    await new Promise((turn) => setTimeout(turn, 0));
  }
  return reason;
}

/**
 * Measures those of `runs` that `answers` lacks, and keeps what they say. Done when all are known, or when it is ended: then nothing is told any
 * more, and nothing of it is left in the module. `tell`: which run goes on, how many are done, and which part of this one is.
 */
export async function profile(
  engine: Engine,
  runs: readonly PlannedRun[],
  answers: Answers,
  ended: AbortSignal,
  tell: (name: string, done: number, part: number) => void,
): Promise<void> {
  await answers.recall(runs);
  for (const [done, { name, hash, experiment }] of runs.entries()) {
    // It may have been stopped after the last slice of the run before: nothing may then be said that calls it back.
    if (ended.aborted) return;
    if (hash in answers.known) continue;
    tell(name, done, 0);
    const one = new engine.Simulation(experiment),
      free = (): void => {
        one.free();
      };
    ended.addEventListener("abort", free, { once: true });
    await runOut(
      one,
      experiment,
      () => !ended.aborted,
      PROFILE_GAP,
      (part) => {
        tell(name, done, Math.min(1, part ?? 0));
      },
    );
    if (ended.aborted) return;
    ended.removeEventListener("abort", free);
    answers.keep(hash, one.answer());
    one.free();
  }
}

/** The kernels that the page wants to be measured alone, one after another; jobs that come later replace those before. */
export class AloneJobs {
  readonly #begin: (experiment: Experiment) => Simulation;
  readonly #send: (message: FromWorker) => void;
  #jobs: Extract<ToWorker, { t: "alone" }> | null = null;

  constructor(begin: (experiment: Experiment) => Simulation, send: (message: FromWorker) => void) {
    this.#begin = begin;
    this.#send = send;
  }

  start(message: Extract<ToWorker, { t: "alone" }>): void {
    const idle = this.#jobs === null;
    this.#jobs = message;
    if (idle) setTimeout(() => void this.#run(), 0);
  }

  async #run(): Promise<void> {
    for (let jobs = this.#jobs; jobs; jobs = this.#jobs) {
      const job = jobs.jobs.shift();
      if (job) await this.#measure(jobs, job);
      else this.#jobs = null;
    }
  }

  async #measure(
    jobs: Extract<ToWorker, { t: "alone" }>,
    { hash, experiment }: { hash: string; experiment: Experiment },
  ): Promise<void> {
    const { id } = jobs;
    let one: Simulation | null = null;
    try {
      const begun = this.#begin(experiment);
      one = begun;
      let asked = TOLD;
      const still = (): boolean => this.#jobs === jobs;
      const reason = await runOut(begun, experiment, still, ALONE_GAP, (done, goesOn) => {
        this.#send({ t: "aloneProgress", id, hash, done });
        const answer = goesOn ? begun.answerSoFar(asked) : null;
        if (answer) {
          asked /= 2;
          this.#send({ t: "alone", id, hash, answer, why: "", soFar: true });
        }
      });
      if (!still()) return; // the experiment has changed meanwhile
      const why = reason === "stuck" ? "alone, it gets stuck" : "";
      this.#send({ t: "alone", id, hash, answer: begun.answer(), why, soFar: false });
    } catch (error) {
      const problems = problemsIn(error);
      const why = problems ? problems.map(problemText).join("; ") : String(error);
      this.#send({ t: "alone", id, hash, answer: null, why, soFar: false });
    } finally {
      one?.free();
    }
  }
}

// What can be asked of the engine, and what comes of it. A worker of the Lab does one after the other.
import { Answers } from "../answers.ts";
import { measure, type Job, type Outcome } from "./measure.ts";
import { problemsIn } from "../../model/format.ts";
import { engineFor, type Engine } from "../script/module.ts";
import { endOf } from "../../model/stop-rule.ts";
import { planOf } from "./plan.ts";
import { bring, recordingsIn } from "../recordings.ts";
import type { OraclePolicies, Plan } from "./sweep.ts";
import type { PlannedAlone } from "../protocol.ts";
import type { Answer, Catalogue, Experiment, PolicyChoice, Problem, Race, Standing, Tried } from "../../model/types.ts";
import { whyStamp } from "../whys.ts";
import * as plain from "../../wasm/corun.js";
import type { Simulation, Sweep } from "../../wasm/corun.js";
import { toItsEnd } from "./slices.ts";

/** By name: what is asked for, what is given, and what is said of it while it goes on. */
export interface Works {
  catalogue: { of: null; gives: Catalogue; soFar: never };
  validate: { of: object; gives: Problem[]; soFar: never };
  /** Null for an experiment that is wrong. */
  explain: { of: Experiment; gives: unknown; soFar: never };
  oracles: { of: Experiment; gives: OraclePolicies; soFar: never };
  /** Of the file of a GPU that was measured. */
  silicon: { of: { text: string; scale: string; ipcs: readonly number[] }; gives: unknown; soFar: never };
  siliconSweep: { of: { text: string; gpu: string; scale: string }; gives: unknown; soFar: never };
  /** What a sweep is, if it has at most so many points. */
  plan: { of: { text: string; most: number }; gives: Plan; soFar: never };
  /** A kernel alone, kept in this browser. It is said what it shows while it goes on. */
  alone: { of: PlannedAlone; gives: Answer; soFar: Answer };
  /** A run that tells why: what each of its kernels did, kept in this browser. */
  tried: { of: PlannedAlone; gives: readonly Tried[]; soFar: never };
  /**
   * A sweep's point with the answers that it needs, as the line of its result. `windows`: it has its windows, which the runner's lines do not have.
   * `to`: a cycle at which it is held, to go on when it is asked for again.
   */
  point: {
    of: { text: string; index: number; answers: Record<string, Answer>; windows: boolean; to?: number };
    gives: Point;
    soFar: never;
  };
  /** Which of those that are held go on. */
  race: { of: { cycles: number; standings: readonly Standing[] }; gives: Race; soFar: never };
  /** A run's timeline, as `corun run --trace` writes it. */
  trace: { of: Experiment; gives: Blob; soFar: never };
  /** A run that takes no second. */
  short: { of: Job; gives: Outcome; soFar: never };
}
export type Work = keyof Works;

/** A point where its run has ended, or is held. */
export interface Point {
  line: string;
  held: boolean;
  /** Since when it has shared the GPU as it will; null while that changes. */
  steadySince: number | null;
}

/** After a slice. `part`: how much is done, 0 to 1; null where that is not known. `value`: what it shows, asked for as often as it is said. */
export type Between<S> = (part: number | null, value?: () => S | null) => Promise<void>;

/**
 * To which part an IPC alone has to be known to be told while its run goes on: who is slower is said then, and by how much is not. From then on it is
 * told each time that it is known twice as well.
 */
const TOLD = 0.5;

/** Letters of a trace that are held as text. */
const PART = 4 << 20;

let kept: Answers | null = null;
/** Of this very engine: the simulator, sweeps and figures keep theirs in one place. */
const answers = (): Answers => (kept ??= new Answers(plain.stamp()));
let keptWhy: Answers<readonly Tried[]> | null = null;
const whyAnswers = (): Answers<readonly Tried[]> => (keptWhy ??= new Answers(whyStamp(plain.stamp())));

const engineOf = async (given: string | object): Promise<Engine> => (await engineFor(given, { engine: plain })).engine;
/** The plain module, for what asks nothing of a script. */
async function withRecordings(experiment: object): Promise<typeof plain> {
  await bring(plain, recordingsIn(experiment));
  return plain;
}

/** What a run gives, which is freed whatever comes of it. */
async function of<T>(simulation: Simulation, give: (simulation: Simulation) => T | Promise<T>): Promise<T> {
  try {
    return await give(simulation);
  } finally {
    simulation.free();
  }
}
/** What a run gives, once for all workers. */
const measured = <T>(
  answers: Answers<T>,
  { hash, experiment }: PlannedAlone,
  between: Between<never>,
  give: (simulation: Simulation) => Promise<T>,
): Promise<T> =>
  answers.of(
    hash,
    async () => of(new (await engineOf(experiment)).Simulation(experiment), give),
    () => between(null),
  );
const partOf = ({ cycle }: Simulation, cycles: number | null): number | null => (cycles ? cycle / cycles : null);
/** Null where the engine says what is wrong. */
async function orNull<T>(give: () => T | Promise<T>): Promise<T | null> {
  try {
    return await give();
  } catch (error) {
    if (problemsIn(error)) return null;
    throw error;
  }
}

/** The sweep that points were asked of last. */
let opened: { text: string; engine: Engine; sweep: Sweep } | null = null;
async function sweepOf(text: string): Promise<{ engine: Engine; sweep: Sweep }> {
  if (opened?.text !== text) {
    opened?.sweep.free();
    opened = null;
    const engine = await engineOf(text);
    opened = { text, engine, sweep: new engine.Sweep(text) };
  }
  return opened;
}

/** Points that are held, by their sweep and their place in it. */
const held = new Map<string, Simulation>();

export const WORKS: {
  readonly [W in Work]: (
    of: Works[W]["of"],
    between: Between<Works[W]["soFar"]>,
  ) => Works[W]["gives"] | Promise<Works[W]["gives"]>;
} = {
  catalogue: () => plain.presets(),
  validate: async (experiment) => (await withRecordings(experiment)).validate(experiment),
  explain: (experiment) => orNull(async () => (await withRecordings(experiment)).explain(experiment) as unknown),
  oracles: async (experiment) => {
    const engine = await withRecordings(experiment);
    return {
      cta: engine.oraclePolicies(experiment, false) as PolicyChoice[],
      spatial: engine.oraclePolicies(experiment, true) as PolicyChoice[],
    };
  },
  silicon: ({ text, scale, ipcs }) => plain.silicon(text, scale, Float64Array.from(ipcs)),
  siliconSweep: ({ text, gpu, scale }) => plain.siliconSweep(text, gpu, scale),
  plan: async ({ text, most }) => planOf(await engineOf(text), text, most),
  alone: (run, between) =>
    measured(answers(), run, between, async (alone) => {
      const length = endOf(run.experiment);
      let asked = TOLD;
      const shown = (): Answer | null => {
        const answer = alone.answerSoFar(asked);
        if (!answer) return null;
        asked /= 2;
        // Where its time goes is compared, and has to be known as well as what bars and sentence compare.
        const { breakdown: _, ...rough } = answer as Answer & { breakdown?: unknown };
        return 2 * asked === TOLD ? rough : answer;
      };
      await toItsEnd(alone, () => between(partOf(alone, length), shown));
      return alone.answer();
    }),
  tried: (run, between) =>
    measured(whyAnswers(), run, between, async (tried) => {
      await toItsEnd(tried, () => between(null));
      return tried.tried();
    }),
  point: async ({ text, index, answers: given, windows, to }, between) => {
    const { engine, sweep } = await sweepOf(text),
      { cycles, experiment, axes, config_hash: hash } = sweep.point(index),
      key = `${index} ${text}`;
    const run = held.get(key) ?? engine.Simulation.withAnswers(experiment, given);
    held.delete(key);
    let holds = false;
    try {
      const reason = await toItsEnd(run, () => between(partOf(run, cycles)), to);
      holds = reason === "budget";
      if (holds) held.set(key, run);
      const steadySince = run.steadySince ?? null;
      if (!windows) return { line: sweep.line(index, run), held: holds, steadySince };
      const result = run.resultWithWindows(),
        line = JSON.stringify({ index, points: sweep.points, sweep: sweep.hash, axes, config_hash: hash, result });
      return { line, held: holds, steadySince };
    } finally {
      if (!holds) run.free();
    }
  },
  trace: async (experiment, between) => {
    const engine = await engineOf(experiment);
    return of(new engine.Simulation(experiment), async (run) => {
      const trace = new engine.Trace(run),
        length = endOf(experiment),
        parts: Blob[] = [];
      let text: string[] = [],
        letters = 0;
      // A browser may keep long parts outside its memory.
      const keep = (least: number): void => {
        const more = trace.take();
        letters += more.length;
        text.push(more);
        if (letters < least) return;
        parts.push(new Blob(text));
        text = [];
        letters = 0;
      };
      try {
        while (trace.advance(run) === "budget") {
          keep(PART);
          await between(partOf(run, length));
        }
        trace.finish(run);
        keep(0);
      } finally {
        trace.free();
      }
      return new Blob(parts, { type: "application/json" });
    });
  },
  race: ({ cycles, standings }) => plain.race(cycles, standings),
  short: (job) => measure(plain, job),
};

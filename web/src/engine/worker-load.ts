// From an experiment to the run that it describes: fetches the module that it needs, measures what its policy has to know, and builds. Until then
// the run before goes on; a load that comes later, or to be stopped, calls it off.
import { Answers } from "./answers.ts";
import { problemsIn } from "../model/format.ts";
import { others, toItsEnd } from "./lab/slices.ts";
import { shipped } from "./profiles.ts";
import type { FromWorker, PlannedAlone, ToWorker } from "./protocol.ts";
import { engineFor, type Engine, type Started } from "./script/module.ts";
import { endOf } from "../model/stop-rule.ts";
import type { Answer, Experiment, PlannedRun, Problem } from "../model/types.ts";
import * as plain from "../wasm/corun.js";
import type { Simulation } from "../wasm/corun.js";

type Load = Extract<ToWorker, { t: "load" }>;
export interface Built {
  message: Load;
  sim: Simulation;
  /** Of the module that the run is in. */
  memory: WebAssembly.Memory;
  normal: Experiment;
  hash: string;
  explained: unknown;
  /** The run that measures a kernel alone. */
  aloneOf(kernel: number): PlannedAlone;
}
interface Worker {
  send(message: FromWorker): void;
  /** Runs what may trap in the module. */
  guarded(run: () => void): void;
  /** The run that is built. */
  present(): Simulation | null;
  built(built: Built): void;
}

/** Milliseconds between two words on how far a run is. */
const TELL = 250;

/**
 * Measures those of `runs` that `answers` lacks, and keeps what they say. Done when all are known, or when it is ended: then nothing is told any
 * more. `tell`: which run goes on, how many are done, and which part of this one is; null while another worker measures it.
 */
async function profile(
  engine: Engine,
  runs: readonly PlannedRun[],
  answers: Answers,
  ended: AbortSignal,
  tell: (name: string, done: number, part: number | null) => void,
): Promise<void> {
  await answers.recall(runs);
  for (const [done, { name, hash, experiment }] of runs.entries()) {
    // It may have been stopped after the last slice of the run before: nothing may then be said that calls it back.
    if (ended.aborted) return;
    if (hash in answers.known) continue;
    tell(name, done, 0);
    const length = endOf(experiment);
    let told = performance.now();
    const between = async (part: number | null): Promise<void> => {
      if (performance.now() - told > TELL) {
        told = performance.now();
        tell(name, done, part);
      }
      await others();
      ended.throwIfAborted();
    };
    const measure = async (): Promise<Answer> => {
      const one = new engine.Simulation(experiment);
      try {
        await toItsEnd(one, () => between(length === null ? 0 : Math.min(1, one.cycle / length)));
        return one.answer();
      } finally {
        one.free();
      }
    };
    try {
      await answers.of(hash, measure, () => between(null));
    } catch (error) {
      if (ended.aborted) return;
      throw error;
    }
  }
}

export class Loader {
  readonly #worker: Worker;
  #plain: Started | null = null;
  #answers = new Answers("");
  /** The load that waits for its module or its profile; and what calls that off. */
  #waiting: Load | null = null;
  #ended = new AbortController();

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** The plain module has been started. */
  begin(memory: WebAssembly.Memory): void {
    this.#plain = { engine: plain, memory };
    this.#answers = new Answers(plain.stamp(), shipped);
  }

  /** Stops what waits. */
  giveUp(): void {
    if (this.#waiting) this.#worker.send({ t: "profilingStopped", id: this.#waiting.id });
    this.forget();
  }
  forget(): void {
    this.#ended.abort();
    this.#waiting = null;
  }

  load(message: Load): void {
    this.forget();
    if (!this.#plain) return;
    const started = engineFor(message.experiment, this.#plain);
    if (!(started instanceof Promise)) {
      this.#read(message, started);
      return;
    }
    const unreachable = (error: unknown) => () =>
      this.#problems(message, [{ path: "policy", found: String(error), want: "a page that can be reached" }]);
    this.#wait(message, () => started.then((there) => () => this.#read(message, there), unreachable));
  }

  /** What is wrong with an experiment; nothing is loaded. */
  validate(id: number, text: string): void {
    const { send, guarded } = this.#worker;
    const judge = (by: Engine): void => {
      send({ t: "answer", id, value: by.validate(text) });
    };
    const started = engineFor(text, { engine: plain });
    if (!(started instanceof Promise)) judge(started.engine);
    // Where it cannot be had, the plain module says what it lacks.
    else
      started.then(
        ({ engine }) => guarded(() => judge(engine)),
        () => guarded(() => judge(plain)),
      );
  }

  /** Goes on with what `begin` comes to, unless something else has been asked for meanwhile. */
  #wait(message: Load, begin: (ended: AbortSignal) => Promise<() => void>): void {
    const { guarded } = this.#worker;
    this.#waiting = message;
    this.#ended = new AbortController();
    begin(this.#ended.signal).then(
      (goOn) => {
        if (this.#waiting !== message) return;
        this.#waiting = null;
        guarded(goOn);
      },
      (error: unknown) =>
        guarded(() => {
          throw error;
        }),
    );
  }

  #problems({ id }: Load, problems: Problem[]): void {
    this.#worker.send({ t: "problems", id, problems });
  }
  /** What `run` gives; nothing where the engine says what is wrong with the experiment. */
  #attempt<T>(message: Load, run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      const problems = problemsIn(error);
      if (!problems) throw error;
      this.#problems(message, problems);
      return undefined;
    }
  }

  #read(message: Load, started: Started): void {
    const { engine } = started;
    const runs = this.#attempt(message, () => engine.plan(message.experiment).profile);
    if (!runs) return;
    const answers = this.#answers;
    if (answers.missing(runs).length === 0) {
      this.#build(message, started);
      return;
    }
    this.#wait(message, async (ended) => {
      await profile(engine, runs, answers, ended, (name, done, part) => {
        this.#worker.send({ t: "profiling", id: message.id, name, done, of: runs.length, part });
      });
      return () => this.#build(message, started);
    });
  }

  /** The run that is built, where it goes on as the one that is asked for: the same to a later end. One of the other module is none such. */
  #goesOn({ experiment }: Load, engine: Engine): Simulation | null {
    const present = this.#worker.present();
    return present instanceof engine.Simulation && present.goOn(experiment) ? present : null;
  }

  #build(message: Load, { engine, memory }: Started): void {
    const { experiment } = message;
    const built = this.#attempt(message, () => ({
      normal: engine.normalise(experiment),
      hash: engine.configHash(experiment),
      explained: engine.explain(experiment),
      // The last: nothing can fail after it and leave it in the module.
      sim: this.#goesOn(message, engine) ?? engine.Simulation.withAnswers(experiment, this.#answers.known),
    }));
    if (!built) return;
    engine.reserve();
    this.#worker.built({
      ...built,
      message,
      memory,
      aloneOf: (kernel) => {
        const one = built.sim.aloneExperiment(kernel);
        return { hash: engine.configHash(one), experiment: one };
      },
    });
  }
}

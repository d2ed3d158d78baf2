// Runs an experiment on the thread of its host, in slices between which the host does its own work: an article or a notebook may forbid workers.
import type * as module from "../wasm/corun_script.js";
import { others, toItsEnd } from "../engine/lab/slices.ts";
import { endOf } from "../model/stop-rule.ts";
import { seriesOf, type Series } from "./series.ts";
import type { Answer, Experiment, FrameLayout, Result } from "../model/types.ts";

/** The module of the engine, once it has been started. */
export type Engine = typeof module;

/** Milliseconds between two results, each of which digests the whole state, and between two pictures. */
const RESULT_GAP = 400,
  FRAME_GAP = 60;

export interface RunEvents {
  /** A run has been built. */
  built(layout: FrameLayout): void;
  /** The machine as it stands; only lent. */
  frame(frame: Uint32Array): void;
  /** What the run says so far. */
  result(result: Result): void;
  /** What is under way, in words, and which part of it is done; null where its end is not known. */
  progress(what: string, done: number | null): void;
}

type Simulation = InstanceType<Engine["Simulation"]>;

/** Cycles after which a run ends; null where something else ends it. */
const lengthOf = (engine: Engine, experiment: Experiment): number | null =>
  endOf(engine.normalise(experiment as object));

/** `slice`: after each. */
async function ranToItsEnd(sim: Simulation, signal: AbortSignal, slice: () => void): Promise<void> {
  await toItsEnd(sim, async () => {
    slice();
    await others();
    signal.throwIfAborted();
  });
}

/** What a run ends with. */
export interface Ran {
  result: Result;
  series: Series;
}

/** Runs an experiment whole, and its kernels alone before it. `known`: answers of runs alone by hash, to which this adds. */
export async function runWhole(
  engine: Engine,
  experiment: Experiment,
  known: Record<string, Answer>,
  events: RunEvents,
  signal: AbortSignal,
): Promise<Ran> {
  const alone = async (hash: string, one: Experiment, name: string): Promise<void> => {
    if (hash in known) return;
    const length = lengthOf(engine, one),
      sim = engine.Simulation.withAnswers(one as object, {});
    try {
      await ranToItsEnd(sim, signal, () => {
        events.progress(`${name} alone`, length === null ? null : sim.cycle / length);
      });
      known[hash] = sim.answer();
    } finally {
      sim.free();
    }
  };
  for (const { hash, name, experiment: one } of engine.plan(experiment as object).profile)
    await alone(hash, one as Experiment, name);
  const sim = engine.Simulation.withAnswers(experiment as object, known);
  try {
    const layout = sim.frameLayout();
    events.built(layout);
    for (const [kernel, name] of layout.kernels.entries()) {
      const one = sim.aloneExperiment(kernel) as Experiment,
        hash = engine.configHash(one as object);
      await alone(hash, one, name);
      sim.tell({ [hash]: known[hash] as Answer });
    }
    const length = lengthOf(engine, experiment);
    let framed = 0,
      resulted = performance.now();
    await ranToItsEnd(sim, signal, () => {
      const now = performance.now();
      if (now - framed < FRAME_GAP) return;
      framed = now;
      events.frame(sim.frame());
      events.progress("Running", length === null ? null : sim.cycle / length);
      if (now - resulted < RESULT_GAP) return;
      events.result(sim.result() as Result);
      resulted = performance.now();
    });
    events.frame(sim.frame());
    const { windows, ...result } = sim.resultWithWindows() as Result;
    events.result(result);
    return { result, series: seriesOf(windows as object[]) };
  } finally {
    sim.free();
  }
}

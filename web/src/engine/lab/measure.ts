// One small run, from its beginning to its end: what a worker does for a figure, and what the tests do to hold the text against it.
import type { FrameLayout, Result, Experiment } from "../../model/types.ts";

export interface Job {
  experiment: Experiment;
  /** Sections of a frame of which the mean is wanted, such as `dram.queue`. */
  sample?: readonly string[];
}
export interface Outcome {
  result: Result;
  /** By section: what an SM, a bank or a channel holds of it, on the mean. */
  held: Readonly<Record<string, number>>;
}

/** What is needed of the engine's module. */
export interface Engine {
  Simulation: new (
    experiment: object,
  ) => {
    readonly cycle: number;
    advance(cycles: number): string;
    frame(): Uint32Array;
    frameLayout(): FrameLayout;
    result(): unknown;
    free(): void;
  };
}

/** Cycles between two samples, and before the first one: queues begin empty. */
const EVERY = 100,
  EMPTY = 2_000;

export function measure(engine: Engine, job: Job): Outcome {
  const run = new engine.Simulation(job.experiment);
  try {
    const held = job.sample ? sampled(run, job.sample) : {};
    if (!job.sample) while (run.advance(1_000_000) === "budget");
    return { result: run.result() as Result, held };
  } finally {
    run.free();
  }
}

function sampled(run: InstanceType<Engine["Simulation"]>, names: readonly string[]): Record<string, number> {
  const sections = run.frameLayout().sections.filter((section) => names.includes(section.name)),
    sums = new Map<string, number>();
  let samples = 0;
  while (run.advance(EVERY) === "budget") {
    if (run.cycle < EMPTY) continue;
    const frame = run.frame();
    samples += 1;
    for (const { name, offset, shape } of sections) {
      const size = shape.reduce((a, b) => a * b, 1);
      let sum = sums.get(name) ?? 0;
      for (let i = offset; i < offset + size; i += 1) sum += (frame[i] as number) / (shape[0] as number);
      sums.set(name, sum);
    }
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, sum / samples]));
}

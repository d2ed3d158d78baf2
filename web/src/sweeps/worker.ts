// Runs the simulations of a sweep, one at a time. It gets no message to stop: the page ends it at once.
import { errorText, problemsIn } from "../format.ts";
import { live } from "../life.ts";
import * as plain from "../wasm/corun.js";
import type { Simulation, Sweep } from "../wasm/corun.js";
import { Answers, readAnswer } from "../answers.ts";
import { scriptEngine } from "../script/module.ts";
import type { Answer, PlannedRun, Problem } from "../types.ts";
import type { FromSweeper, PlanPoint, Task, ToSweeper } from "./types.ts";

const send = (message: FromSweeper): void => {
  self.postMessage(message);
};

/** Milliseconds between two words about how far it is. */
const TELL = 100;
/** Problems of points that are said, at most. */
const MAX_PROBLEMS = 100;

/** The plain module, or the one that runs scripts. */
let engine = plain;
let sweep: Sweep | null = null;
let windows = false;
let answers = new Answers("", readAnswer);

/** One message after the other, also while the module is being started. */
let turn = Promise.resolve();
live();
self.onmessage = (event: MessageEvent<ToSweeper>): void => {
  turn = turn.then(() => receive(event.data));
};

async function receive(message: ToSweeper): Promise<void> {
  try {
    if (message.t === "init") {
      await plain.default({ module_or_path: message.module });
      answers = new Answers(engine.stamp(), readAnswer);
      send({ t: "ready", stamp: engine.stamp() });
    } else if (message.t === "open") {
      windows = message.windows === true;
      engine = (await scriptEngine(message.text))?.engine ?? plain;
      open(message.text, message.plan);
    } else if (message.task.kind === "alone") await alone(message.task.run);
    else if (sweep) point(sweep, message.task);
  } catch (error) {
    const problems = problemsIn(error);
    if (problems) send({ t: "problems", problems });
    else send({ t: "failed", message: errorText(error) });
  }
}

function open(text: string, most: number | null): void {
  sweep?.free();
  sweep = null;
  const opened = new engine.Sweep(text);
  sweep = opened;
  if (most === null) {
    send({ t: "opened", plan: null });
    return;
  }
  if (opened.points > most) {
    send({
      t: "problems",
      problems: [
        {
          path: "sweep.axes",
          found: `${opened.points.toLocaleString("en")} points`,
          want: `at most ${most.toLocaleString("en")} on the page; the command line takes more`,
        },
      ],
    });
    return;
  }
  const points: PlanPoint[] = [],
    runs: Record<string, PlannedRun> = {},
    problems: Problem[] = [];
  // Nothing starts before all points can.
  for (let index = 0; index < opened.points && problems.length < MAX_PROBLEMS; index += 1) {
    try {
      const point = opened.point(index),
        { profile, alone } = engine.plan(point.experiment);
      const needs = [...profile, ...alone];
      for (const run of needs) runs[run.hash] = run;
      points.push({ ...point, needs: [...new Set(needs.map((run) => run.hash))] });
    } catch (error) {
      const found = problemsIn(error);
      if (!found) throw error;
      problems.push(...found.map((p) => ({ ...p, found: `${p.found} (point ${index})` })));
    }
  }
  if (problems.length > 0) send({ t: "problems", problems });
  else send({ t: "opened", plan: { name: opened.name, hash: opened.hash, axes: opened.axes(), points, runs } });
}

/** Measures a run alone, unless this browser knows its answer: the simulator and other sweeps keep theirs in the same place. */
async function alone(run: PlannedRun): Promise<void> {
  await answers.recall([run]);
  if (!(run.hash in answers.known)) {
    const simulation = new engine.Simulation(run.experiment);
    try {
      finish(simulation, (run.experiment["stop"] as { cycles?: number } | undefined)?.cycles ?? null);
      answers.keep(run.hash, simulation.answer());
    } finally {
      simulation.free();
    }
  }
  send({ t: "alone", key: run.hash, answer: answers.known[run.hash] as Answer });
}

function point(sweep: Sweep, task: Extract<Task, { kind: "point" }>): void {
  const { cycles, experiment } = sweep.point(task.index);
  const simulation = engine.Simulation.withAnswers(experiment, task.answers);
  try {
    finish(simulation, cycles);
    send({
      t: "line",
      index: task.index,
      line: windows ? withWindows(sweep, task.index, simulation) : sweep.line(task.index, simulation),
    });
  } finally {
    simulation.free();
  }
}

/** Runs a simulation to its end, with a word from time to time where it is known when that is. */
function finish(simulation: Simulation, cycles: number | null): void {
  while (simulation.advanceFor(TELL) === "budget") {
    if (cycles !== null && cycles > 0) send({ t: "progress", done: simulation.cycle / cycles });
  }
}

/** The line of a point with the windows of its run, which the runner's lines do not have. */
function withWindows(sweep: Sweep, index: number, simulation: Simulation): string {
  const { axes, config_hash } = sweep.point(index);
  return JSON.stringify({
    index,
    points: sweep.points,
    sweep: sweep.hash,
    axes,
    config_hash,
    result: simulation.resultWithWindows(),
  });
}

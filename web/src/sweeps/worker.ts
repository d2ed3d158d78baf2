// Runs the simulations of a sweep, one at a time. It gets no message to stop: the page ends it at once.
import * as engine from "../wasm/corun.js";
import type { Simulation, Sweep } from "../wasm/corun.js";
import type { Problem, SweepPoint } from "../types.ts";
import type { FromSweeper, Task, ToSweeper } from "./types.ts";

const send = (message: FromSweeper): void => { self.postMessage(message); };

/** Milliseconds between two words about how far it is. */
const TELL = 100;
/** Problems of points that are said, at most. */
const MAX_PROBLEMS = 100;

let sweep: Sweep | null = null;
let windows = false;

/** One message after the other, also while the module is being started. */
let turn = Promise.resolve();
self.onmessage = (event: MessageEvent<ToSweeper>): void => { turn = turn.then(() => receive(event.data)); };

async function receive(message: ToSweeper): Promise<void> {
  try {
    if (message.t === "init") {
      await engine.default({ module_or_path: message.module });
      send({ t: "ready", version: engine.version(), stamp: engine.stamp() });
    } else if (message.t === "open") {
      windows = message.windows === true;
      open(message.text, message.plan);
    } else if (sweep) run(sweep, message.task);
  } catch (error) {
    const problems = problemsOf(error);
    if (problems) send({ t: "problems", problems });
    else send({ t: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

function problemsOf(error: unknown): Problem[] | null {
  const problems = (error as { problems?: unknown } | null)?.problems;
  return Array.isArray(problems) ? problems as Problem[] : null;
}

function open(text: string, most: number | null): void {
  sweep?.free();
  sweep = null;
  const opened = new engine.Sweep(text);
  sweep = opened;
  if (most === null) { send({ t: "opened", plan: null }); return; }
  if (opened.points > most) {
    send({ t: "problems", problems: [{ path: "sweep.axes", found: `${opened.points.toLocaleString("en")} points`, want: `at most ${most.toLocaleString("en")} on the page; the command line takes more` }] });
    return;
  }
  const points: SweepPoint[] = [], problems: Problem[] = [];
  // Nothing starts before all points can.
  for (let index = 0; index < opened.points && problems.length < MAX_PROBLEMS; index += 1) {
    try { points.push(opened.point(index)); } catch (error) {
      const found = problemsOf(error);
      if (!found) throw error;
      problems.push(...found.map((p) => ({ ...p, found: `${p.found} (point ${index})` })));
    }
  }
  if (problems.length > 0) send({ t: "problems", problems });
  else send({ t: "opened", plan: { name: opened.name, hash: opened.hash, axes: opened.axes(), points } });
}

function run(sweep: Sweep, task: Task): void {
  const { cycles } = sweep.point(task.index);
  const simulation = task.kind === "alone" ? sweep.alone(task.index, task.kernel) : sweep.simulation(task.index);
  try {
    let reason = simulation.advanceFor(TELL);
    while (reason === "budget") {
      if (cycles !== null && cycles > 0) send({ t: "progress", done: simulation.cycle / cycles });
      reason = simulation.advanceFor(TELL);
    }
    if (task.kind === "alone") {
      const ipc = simulation.result().kernels[0]?.ipc;
      send({ t: "alone", key: task.key, ipc: reason !== "stuck" && typeof ipc === "number" ? ipc : null });
    } else {
      task.alone.forEach((ipc, kernel) => { if (ipc !== null) simulation.setAlone(kernel, ipc); });
      send({ t: "line", index: task.index, line: windows ? withWindows(sweep, task.index, simulation) : sweep.line(task.index, simulation) });
    }
  } finally {
    simulation.free();
  }
}

/** The line of a point with the windows of its run, which the runner's lines do not have. */
function withWindows(sweep: Sweep, index: number, simulation: Simulation): string {
  const { axes, config_hash } = sweep.point(index);
  return JSON.stringify({ index, points: sweep.points, sweep: sweep.hash, axes, config_hash, result: simulation.resultWithWindows() });
}

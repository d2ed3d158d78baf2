// Runs kernels alone, each once to its end, for the panel of predictions; it says what they have shown so far, and can pause.
import * as engine from "../wasm/corun.js";
import { problemText, errorText, problemsIn } from "../format.ts";
import { live } from "../life.ts";
import { measuredOf } from "./model.ts";
import type { FromMeasurer, Job, ToMeasurer } from "./types.ts";

const send = (message: FromMeasurer): void => {
  self.postMessage(message);
};
/** Milliseconds: of a slice, after which messages are read, and between reports. */
const SLICE = 12,
  REPORT = 400;

let jobs: Job[] = [];
let current: { job: Job; run: engine.Simulation } | null = null;
let paused = false;
let ready = false;
let going = false;
let told = 0;

live();
self.onmessage = (event: MessageEvent<ToMeasurer>): void => {
  const message = event.data;
  if (message.t === "init") {
    engine.default({ module_or_path: message.module }).then(() => {
      ready = true;
      go();
    }, failed);
    return;
  }
  if (message.t === "pause") paused = true;
  else if (message.t === "go") paused = false;
  else {
    paused = false;
    jobs = message.jobs;
    if (current && !jobs.some(({ hash }) => hash === current?.job.hash)) drop();
    jobs = jobs.filter(({ hash }) => hash !== current?.job.hash);
  }
  go();
};

function failed(error: unknown): void {
  send({ t: "failed", message: errorText(error) });
}

function go(): void {
  if (going || !ready) return;
  going = true;
  setTimeout(() => {
    going = false;
    try {
      slice();
    } catch (error) {
      failed(error);
    }
  }, 0);
}

function drop(): void {
  current?.run.free();
  current = null;
}

function slice(): void {
  if (paused) return;
  if (!current) {
    const job = jobs.shift();
    if (!job) return;
    try {
      current = { job, run: new engine.Simulation(job.experiment) };
    } catch (error) {
      const problems = problemsIn(error);
      if (!problems) throw error;
      send({ t: "impossible", hash: job.hash, why: problems.map(problemText).join("; ") });
    }
    go();
    return;
  }
  const { job, run } = current,
    reason = run.advanceFor(SLICE),
    over = reason !== "budget";
  if (over || performance.now() - told > REPORT) {
    told = performance.now();
    if (reason === "stuck" || reason === "failed")
      send({ t: "impossible", hash: job.hash, why: "alone, it gets stuck" });
    else send({ t: "measured", hash: job.hash, measured: measuredOf(run.result(), over) });
  }
  if (over) drop();
  go();
}

// The engine, for questions that need no run.
import * as engine from "../wasm/corun.js";
import type { Laid } from "../predict/predictor.ts";
import type { Catalogue } from "../types.ts";

/** `lay`: what is read of a simulation before it runs. */
export type Question = "validate" | "explain" | "lay";
export type ToDesk =
  | { t: "init"; module: WebAssembly.Module }
  | { t: "ask"; id: number; what: Question; experiment: object };
export type FromDesk =
  | { t: "ready"; catalogue: Catalogue; stamp: string }
  | { t: "answer"; id: number; answer: unknown };

const send = (message: FromDesk): void => {
  self.postMessage(message);
};

function lay(experiment: object): Laid {
  const built = new engine.Simulation(experiment);
  try {
    return {
      normal: engine.normalise(experiment),
      layout: built.frameLayout(),
      windows: built.windowsLayout(),
      explained: engine.explain(experiment),
    };
  } finally {
    built.free();
  }
}

const ANSWERS: Readonly<Record<Question, (experiment: object) => unknown>> = {
  validate: (experiment) => engine.validate(experiment),
  explain: (experiment) => engine.explain(experiment),
  lay,
};

function answer(what: Question, experiment: object): unknown {
  try {
    return ANSWERS[what](experiment);
  } catch {
    return null;
  }
}

let ready: Promise<unknown> = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<ToDesk>): void => {
  if (data.t === "init") {
    ready = engine.default({ module_or_path: data.module }).then(() => {
      send({ t: "ready", catalogue: engine.presets(), stamp: engine.stamp() });
    });
    return;
  }
  void ready.then(() => {
    send({ t: "answer", id: data.id, answer: answer(data.what, data.experiment) });
  });
};

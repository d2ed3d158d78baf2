// The engine, for questions that need no run.
import { problemsIn } from "../format.ts";
import { live } from "../life.ts";
import * as engine from "../wasm/corun.js";
import type { Laid } from "../predict/predictor.ts";
import type { Catalogue, Problem } from "../types.ts";

/** `lay`: what is read of a simulation before it runs. The last two are of the file of a GPU that was measured. */
export type Question = "validate" | "explain" | "lay" | "silicon" | "siliconSweep";
/** What the arguments of the engine's function for such a file are, by its name. */
export interface OfMeasured {
  silicon: { text: string; scale: string; ipcs: readonly number[] };
  siliconSweep: { text: string; gpu: string; scale: string };
}
export type ToDesk = { t: "init"; module: WebAssembly.Module } | { t: "ask"; id: number; what: Question; of: object };
export type FromDesk =
  | { t: "ready"; catalogue: Catalogue; stamp: string }
  /** Null for what cannot be answered; `problems`: why. */
  | { t: "answer"; id: number; answer: unknown; problems: Problem[] };

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

const ANSWERS: Readonly<Record<Question, (of: object) => unknown>> = {
  validate: (experiment) => engine.validate(experiment),
  explain: (experiment) => engine.explain(experiment),
  lay,
  silicon: (of) => {
    const { text, scale, ipcs } = of as OfMeasured["silicon"];
    return engine.silicon(text, scale, Float64Array.from(ipcs));
  },
  siliconSweep: (of) => {
    const { text, gpu, scale } = of as OfMeasured["siliconSweep"];
    return engine.siliconSweep(text, gpu, scale);
  },
};

function answer(what: Question, of: object): { answer: unknown; problems: Problem[] } {
  try {
    return { answer: ANSWERS[what](of), problems: [] };
  } catch (error) {
    return { answer: null, problems: problemsIn(error) ?? [] };
  }
}

let ready: Promise<unknown> = Promise.resolve();
live();
self.onmessage = ({ data }: MessageEvent<ToDesk>): void => {
  if (data.t === "init") {
    ready = engine.default({ module_or_path: data.module }).then(() => {
      send({ t: "ready", catalogue: engine.presets(), stamp: engine.stamp() });
    });
    return;
  }
  void ready.then(() => {
    send({ t: "answer", id: data.id, ...answer(data.what, data.of) });
  });
};

// The engine, for questions that need no run.
import * as engine from "../wasm/corun.js";
import type { Catalogue } from "../types.ts";

export type ToDesk =
  | { t: "init"; module: WebAssembly.Module }
  | { t: "ask"; id: number; what: "validate" | "explain"; experiment: object };
export type FromDesk =
  | { t: "ready"; catalogue: Catalogue; stamp: string }
  | { t: "answer"; id: number; answer: unknown };

const send = (message: FromDesk): void => {
  self.postMessage(message);
};

function answer(what: "validate" | "explain", experiment: object): unknown {
  try {
    return what === "validate" ? engine.validate(experiment) : engine.explain(experiment);
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

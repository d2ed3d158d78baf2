// Measures the points of one curve, one after the other.
import { errorText, problemsIn } from "../format.ts";
import { live } from "../life.ts";
import * as engine from "../wasm/corun.js";
import type { FromLab, ToLab } from "./types.ts";

const send = (message: FromLab): void => {
  self.postMessage(message);
};

live();
self.onmessage = (event: MessageEvent<ToLab>): void => {
  void receive(event.data);
};

async function receive(message: ToLab): Promise<void> {
  try {
    if (message.t === "init") {
      await engine.default({ module_or_path: message.module });
      send({ t: "ready", stamp: engine.stamp(), probes: engine.presets().probes });
      return;
    }
    message.points.forEach((x, index) => {
      send({ t: "point", index, result: engine.probe(message.component, { ...message.options, [message.sweep]: x }) });
    });
  } catch (error) {
    const problems = problemsIn(error);
    if (problems) send({ t: "problems", problems });
    else send({ t: "failed", message: errorText(error) });
  }
}

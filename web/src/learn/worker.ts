// Runs one job after the other, as the page hands them out.
import * as engine from "../wasm/corun.js";
import { errorText, problemText, problemsIn } from "../format.ts";
import { live } from "../life.ts";
import type { FromLab, ToLab } from "./lab.ts";
import { measure } from "./measure.ts";

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
      send({ t: "ready" });
    } else send({ t: "done", key: message.key, outcome: measure(engine, message.job) });
  } catch (error) {
    const why = problemsIn(error)?.map(problemText).join("; ") ?? errorText(error);
    send({ t: "failed", why });
  }
}

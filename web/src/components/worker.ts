// Measures the points of one curve, one after the other.
import * as generated from "../wasm/corun.js";
import type { Problem } from "../types.ts";
import type { FromLab, ProbeInfo, ProbeResult, ToLab } from "./types.ts";

const engine = generated as unknown as {
  default(options: { module_or_path: WebAssembly.Module }): Promise<unknown>;
  version(): string;
  presets(): { probes: ProbeInfo[] };
  probe(component: string, options: object): ProbeResult;
};
const send = (message: FromLab): void => { (self as unknown as { postMessage(message: FromLab): void }).postMessage(message); };

self.onmessage = (event: MessageEvent<ToLab>): void => { void receive(event.data); };

async function receive(message: ToLab): Promise<void> {
  try {
    if (message.t === "init") {
      await engine.default({ module_or_path: message.module });
      send({ t: "ready", version: engine.version(), probes: engine.presets().probes });
      return;
    }
    message.points.forEach((x, index) => {
      send({ t: "point", index, result: engine.probe(message.component, { ...message.options, [message.sweep]: x }) });
    });
  } catch (error) {
    const problems = (error as { problems?: Problem[] } | null)?.problems;
    if (problems) send({ t: "problems", problems });
    else send({ t: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

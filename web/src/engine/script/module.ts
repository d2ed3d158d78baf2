// The engine is one of two modules: the second one also runs scripts, and is half as large again. It is fetched only where an experiment has one.
import type * as plain from "../../wasm/corun.js";
import { hasScript } from "./given.ts";
import scriptUrl from "../../wasm/corun_script_bg.wasm?url";

export type Engine = typeof plain;
/** A module that has been started, and its memory. */
export interface Started {
  engine: Engine;
  memory: WebAssembly.Memory;
}

let scripts: Started | null = null;
let underWay: Promise<Started> | null = null;

/** The module that runs scripts, where `given` may have one; at once, if it is there. Null: the plain one will do. */
export function scriptEngine(given: string | object): Started | Promise<Started> | null {
  if (!hasScript(given)) return null;
  if (scripts) return scripts;
  underWay ??= start().then(
    (started) => {
      scripts = started;
      return started;
    },
    (error: unknown) => {
      underWay = null;
      throw error;
    },
  );
  return underWay;
}

async function start(): Promise<Started> {
  const [module, response] = await Promise.all([import("../../wasm/corun_script.js"), fetch(scriptUrl)]);
  if (!response.ok)
    throw new Error(`the module that runs scripts could not be fetched: ${response.status} ${response.statusText}`);
  const { memory } = await module.default({ module_or_path: await WebAssembly.compile(await response.arrayBuffer()) });
  // The two differ in what is behind their functions alone.
  return { engine: module as unknown as Engine, memory };
}

// The engine is one of two modules: the second one also runs scripts, and is half as large again. It is fetched only where an experiment has one.
import type * as plain from "../../wasm/corun.js";
import { bring, recordingsIn, unknown } from "../recordings.ts";
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

/**
 * The module for what `given` has: `plain`, or the one that runs scripts where there may be one. It knows the recordings that `given` names and this
 * browser keeps. At once, if all is there.
 */
export function engineFor<P extends { engine: Engine }>(
  given: string | object,
  plain: P,
): P | Started | Promise<P | Started> {
  const of = hasScript(given) ? (scripts ?? fetched()) : plain,
    hashes = recordingsIn(given);
  if (hashes.length === 0 || (!(of instanceof Promise) && unknown(of.engine, hashes).length === 0)) return of;
  return withRecordings(of, hashes);
}
async function withRecordings<T extends { engine: Engine }>(of: T | Promise<T>, hashes: readonly string[]): Promise<T> {
  const started = await of;
  await bring(started.engine, hashes);
  return started;
}
function fetched(): Promise<Started> {
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

// The module is beside this file: Node reads it, so that the engine is ready when the import returns.
import { readFileSync } from "node:fs";
import { initSync } from "./corun_script.js";

initSync({ module: readFileSync(new URL("corun_script_bg.wasm", import.meta.url)) });

export * from "./corun_script.js";

export default async function init() {}

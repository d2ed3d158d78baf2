// The fixed runs in Node: one line of JSON each. `node benches/node.mjs [--quick]`
import { readFileSync } from "node:fs";
import { initSync, Simulation } from "../web/src/wasm/corun.js";
import { measure } from "./measure.mjs";

const file = (path) => readFileSync(new URL(path, import.meta.url));
initSync({ module: file("../web/src/wasm/corun_bg.wasm") });
const part = process.argv.includes("--quick") ? 10 : 1;
for (const line of measure(Simulation, JSON.parse(file("runs.json")), part)) console.log(JSON.stringify(line));

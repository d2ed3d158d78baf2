// Runs in Node. `node benches/node.mjs MODULE...`: each MODULE is a folder with a built module; each line of standard input is a run of runs.json
// with `module`, the place of its MODULE, and is answered with a line of JSON.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { answer } from "./measure.mjs";

const modules = [];
for (const folder of process.argv.slice(2)) {
  const module = await import(pathToFileURL(resolve(folder, "corun.js")));
  module.initSync({ module: readFileSync(resolve(folder, "corun_bg.wasm")) });
  modules.push(module);
}
for await (const line of createInterface({ input: process.stdin })) {
  const run = JSON.parse(line);
  console.log(JSON.stringify(answer(modules[run.module].Simulation, run)));
}

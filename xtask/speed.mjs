// The same runs as examples/speed.rs, on the built module in Node; see bench.rs for the lines that it prints.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initSync, Simulation } from "../web/src/wasm/corun.js";

const root = join(import.meta.dirname, "..");
initSync({ module: readFileSync(join(root, "web/src/wasm/corun_bg.wasm")) });
const runs = readFileSync(join(root, "xtask/speed.tsv"), "utf8").trim().split("\n").map((line) => line.split("\t"));
const part = process.argv.includes("--quick") ? 10 : 1;

for (const [name, cycles] of runs) {
  const text = readFileSync(join(root, "examples/experiments", `${name}.json`), "utf8");
  const budget = Math.floor(Number(cycles) / part);
  // Engines compile in tiers: the first run only warms up.
  const warm = new Simulation(text);
  warm.advance(Math.min(budget, 20_000));
  warm.free();
  const simulation = new Simulation(text);
  const start = performance.now();
  simulation.advance(budget);
  const seconds = (performance.now() - start) / 1000;
  const instructions = simulation.result().kernels.reduce((sum, kernel) => sum + kernel.warp_instructions, 0);
  console.log([name, simulation.cycle, instructions, seconds, simulation.digest()].join("\t"));
  simulation.free();
}

// The page that every bundler builds (`cargo xtask test --full package`): a simulation, an element and a widget, and the digests of
// these in one line.
import init, { Simulation } from "corun";
import { define } from "corun/elements";
import widget from "corun/widget.mjs";
import { wasm } from "./wasm.js";

const link = "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&cycles=20000";

async function main() {
  await init(wasm);
  const experiment = { corun: 1, gpu: "ccbp-16sm", kernels: ["ccbp/BP", "ccbp/CFD"], policy: "even" };
  const simulation = new Simulation({ ...experiment, stop: { cycles: 20_000 } });
  while (simulation.advance(10_000) === "budget");

  await define();
  const run = document.createElement("corun-run");
  run.setAttribute("link", link);
  const { detail } = await new Promise((done) => {
    run.addEventListener("corun-result", done);
    document.body.append(run);
  });

  const result = await new Promise((done) => {
    const state = { link, wasm };
    const model = { get: (name) => state[name], send: (message) => done(message.result) };
    widget.render({ model, el: document.body });
  });
  console.log(simulation.digest(), detail.digest ?? JSON.stringify(detail), result.digest ?? JSON.stringify(result));
}

main()
  .catch((error) => console.log(String(error)))
  .finally(() => console.log("end"));

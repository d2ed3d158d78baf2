// The predictor in the place Schemes: what the formulas say of the present mix, each kernel on SMs of its own. Nothing is measured before it is opened.
import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { needText } from "../format.ts";
import { aroundOf, Predicted } from "../predict/panel.tsx";
import { Predictor } from "../predict/predictor.ts";
import type { Experiment } from "../types.ts";
import type { QueryWorker } from "./query-worker.ts";
import type { Place } from "./place.ts";

interface Around {
  module: WebAssembly.Module;
  desk: QueryWorker;
  place: Place;
  /** A partition is to be seen in Run. */
  open(experiment: Experiment): void;
}

export function predictInto(box: HTMLDetailsElement, { module, desk, place, open }: Around): void {
  const opened = signal(box.open),
    why = signal(""),
    predictor = new Predictor({ simulate: open, changed: () => undefined });
  let turn = 0;
  predictor.init(aroundOf(module, desk.stamp));
  box.addEventListener("toggle", () => {
    opened.value = box.open;
  });
  const View = () => (why.value === "" ? <Predicted of={predictor} /> : <p class="note">{why}</p>);
  render(<View />, box.appendChild(document.createElement("div")));
  effect(() => {
    const experiment: Experiment = { ...place.experiment.value, policy: { name: "spatial" } };
    if (!opened.value) return;
    const mine = ++turn;
    void desk.lay(experiment).then(async (laid) => {
      const needs = laid ? "" : needText(await desk.validate(experiment));
      if (mine !== turn) return;
      why.value = needs;
      if (laid) predictor.setRun(experiment, laid, "");
    });
  });
}

// The predictor in the place Schemes: what the formulas say of the present mix, each kernel on SMs of its own. Nothing is measured before it is opened.
import { effect, signal } from "@preact/signals";
import { needText } from "../format.ts";
import { CorunPredicted } from "../predict/panel.ts";
import "../predict/predict.css";
import type { Experiment } from "../types.ts";
import type { Desk } from "./desk.ts";
import type { Place } from "./place.ts";

/** `open`: a partition is to be seen in Run. */
export function predictInto(
  box: HTMLDetailsElement,
  {
    module,
    desk,
    place,
    open,
  }: { module: WebAssembly.Module; desk: Desk; place: Place; open(experiment: Experiment): void },
): void {
  const opened = signal(box.open),
    says = document.createElement("p");
  let panel: CorunPredicted | null = null,
    turn = 0;
  says.className = "note";
  box.append(says);
  box.addEventListener("toggle", () => {
    opened.value = box.open;
  });
  effect(() => {
    const experiment: Experiment = { ...place.experiment.value, policy: { name: "spatial" } };
    if (!opened.value) return;
    const mine = ++turn;
    void desk.lay(experiment).then(async (laid) => {
      const why = laid ? "" : needText(await desk.validate(experiment));
      if (mine !== turn) return;
      says.textContent = why;
      if (panel) panel.hidden = why !== "";
      if (!laid) return;
      if (!panel) {
        panel = new CorunPredicted();
        panel.init(module, desk.stamp, { simulate: open, changed: () => undefined });
        box.append(panel);
      }
      panel.setRun(experiment, laid, "");
    });
  });
}

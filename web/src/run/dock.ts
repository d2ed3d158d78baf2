// Time, at the bottom of the window: what it hears of the runs, and what it does with them. A row of controls (dock-controls.tsx), and below it one axis
// for the whole run (dock-axis.tsx). It keeps no windows of its own: it reads the stores that feed.ts fills.
import "./dock.css";
import { computed, effect } from "@preact/signals";
import { createElement, render } from "preact";
import { epochOf } from "../model/choices.ts";
import { endOf } from "../model/stop-rule.ts";
import type { WindowStore } from "../model/window-store.ts";
import { Axis } from "./dock-axis.tsx";
import { Controls } from "./dock-controls.tsx";
import { dockRun, offered, type DockRun } from "./dock-data.ts";
import { DockState } from "./dock-state.ts";
import type { Part } from "./panel.ts";
import type { Session } from "./session.ts";

export function dockPart(dock: HTMLElement, session: Session): Part {
  const state = new DockState(session),
    axis = new Axis(session.send);
  let runs: DockRun[] = [];

  const row = document.createElement("div");
  row.className = "dk-row";
  dock.setAttribute("role", "region");
  dock.setAttribute("aria-label", "Time");
  dock.replaceChildren(row, axis.element);
  // What opens upwards from below the dock leaves it in view.
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--dock", `${dock.offsetHeight}px`);
  }).observe(dock);
  render(createElement(Controls, { dock: state, picture: axis }), row);

  const zoom = computed(() => session.view.value.zoom ?? null),
    lanes = computed(() => session.view.value.lanes),
    large = computed(() => session.view.value.panel ?? null);
  const offer = (): void => {
    state.offered.value = offered(runs, lanes.peek()?.split(",") ?? null);
  };
  const follow: (() => void)[] = [
    () => {
      axis.zoom = zoom.value;
    },
    () => {
      axis.chosen = lanes.value?.split(",") ?? null;
      offer();
    },
    () => {
      axis.large = large.value;
    },
    () => {
      axis.stretch = session.selected.value;
    },
    () => {
      const { state: doing, cycle, rate, toward } = session.where.value;
      state.show(doing, cycle, rate, toward);
      axis.still = doing !== "playing" && doing !== "seeking";
    },
  ];
  for (const one of follow) effect(one);

  return {
    runs: ({ runs: shown, stores, loaded }) => {
      runs = shown.map((run, i) => {
        const normal = loaded[i]?.normal;
        return dockRun(run, stores[i] as WindowStore, normal ? endOf(normal) : null, normal ? epochOf(normal) : null);
      });
      axis.runs = runs;
      axis.cycle = 0;
      state.two.value = runs.length > 1;
      state.wrong.value = "";
      offer();
    },
    windows: () => axis.later(),
    news: ({ frames, logs, results, cycle }) => {
      runs.forEach((run, at) => {
        // The IPC that each kernel is promised; null where it has no goal, or the goal is not known yet.
        const goals = results?.[at]?.kernels.map(({ goal_ipc: goal }) => (typeof goal === "number" ? goal : null));
        // A result comes often, and says a goal anew hardly ever.
        const newGoals = goals?.some((goal, k) => goal !== (run.goals[k] ?? null)) ? goals : null;
        if (newGoals || logs[at] || frames[at]?.past) axis.later();
        run.decisions = logs[at] ?? run.decisions;
        run.past = frames[at]?.past ?? run.past;
        run.goals = newGoals ?? run.goals;
      });
      axis.cycle = cycle;
    },
  };
}

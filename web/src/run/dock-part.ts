// The dock as a part of the page: what it hears of the runs, and what it does with them.
import { computed, effect } from "@preact/signals";
import { epochOf } from "../model/choices.ts";
import { endOf } from "../model/stop-rule.ts";
import type { Zoom } from "../model/types.ts";
import type { CorunDock } from "./dock.ts";
import type { Part } from "./panel.ts";
import type { Session } from "./session.ts";

export function dockPart(dock: CorunDock, session: Session): Part {
  dock.init({
    toggle: () => session.send("toggle"),
    step: () => session.send("step"),
    back: () => session.send("back"),
    event: () => session.send("event"),
    reset: () => session.send("reset"),
    go: (cycle) => session.send("go", cycle),
    select: (stretch) => session.send("stretchTo", stretch),
    lanes: (keys) => session.send("look", { lanes: keys.join(",") }),
    grow: (lane) => session.send("look", { panel: lane ?? undefined }),
    speed: (cyclesPerSecond) => {
      if (session.engine) session.engine.transport.speed = cyclesPerSecond;
    },
  });
  dock.addEventListener("zoom", (event) =>
    session.send("look", { zoom: (event as CustomEvent<Zoom | null>).detail ?? undefined }),
  );
  const zoom = computed(() => session.view.value.zoom ?? null),
    lanes = computed(() => session.view.value.lanes),
    large = computed(() => session.view.value.panel ?? null);
  effect(() => {
    dock.zoom = zoom.value;
  });
  effect(() => {
    dock.lanes = lanes.value?.split(",") ?? null;
  });
  effect(() => {
    dock.large = large.value;
  });
  effect(() => {
    dock.stretch = session.selected.value;
  });
  effect(() => {
    dock.plays = session.plays.value;
  });
  effect(() => {
    const { state, cycle, rate, toward } = session.where.value;
    dock.toward = toward;
    dock.show(state, cycle, rate);
  });
  return {
    runs: ({ runs, stores, loaded }) =>
      dock.setRuns(
        runs,
        stores,
        loaded.map(({ normal }) => endOf(normal)),
        loaded.map(({ normal }) => epochOf(normal)),
      ),
    windows: () => dock.refresh(),
    news: ({ frames, logs, results, cycle }) => {
      logs.forEach((log, at) => {
        if (log) dock.setDecisions(at, log);
      });
      frames.forEach(({ past }, at) => {
        if (past) dock.setPast(at, past);
      });
      results?.forEach(({ kernels }, at) => {
        dock.setGoals(
          at,
          kernels.map(({ goal_ipc: goal }) => (typeof goal === "number" ? goal : null)),
        );
      });
      dock.cycle = cycle;
    },
  };
}

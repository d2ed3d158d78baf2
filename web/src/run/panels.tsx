// The panels of the drawer, in the order of their tabs. To add one: an entry here, with its id, its title, what it shows in a sentence, and a component
// or an element; what it wants to hear of the runs is in panel.ts. Link, keys, `hide=` of an embedded run and the drawer take it from this list.
import { batch, signal } from "@preact/signals";
import { policyOf } from "../model/choices.ts";
import { Decided } from "../decisions/decisions.ts";
import { Decisions } from "../decisions/view.tsx";
import { hasGoal } from "../model/goal.ts";
import type { CorunLaunches } from "./launches/strips.ts";
import { Numbers } from "../model/numbers.ts";
import { NumbersView } from "./numbers.tsx";
import { warningsOf } from "../teach/warnings.ts";
import { Warnings } from "../teach/warnings-view.tsx";
import type { Answered } from "./answered.ts";
import type { Panel } from "./panel.ts";
import type { Session } from "./session.ts";
import { Why } from "./why.tsx";

interface Around {
  session: Session;
  answered: Answered;
}

export const panels = (around: Around): readonly Panel[] =>
  [why, path, numbers, decisions, launches].map((panel) => panel(around));

const why = ({ session, answered }: Around): Panel => ({
  id: "why",
  title: "Why",
  heading: "",
  help: "What neighbours cost without one cause each, and where the time of the kernel that suffers goes; and what this run cannot show.",
  view: () => (
    <>
      <Why sides={answered.sides.value} answers={answered.answers.value} cures={session.catalogue?.cures} />
      <Warnings runs={warningsOf(session.sides.value, session.over.value)} />
    </>
  ),
});

const path = (): Panel => {
  const mesh = document.createElement("corun-mesh"),
    memory = document.createElement("corun-memory-path");
  const view = document.createElement("div");
  view.append(mesh, memory);
  return {
    id: "path",
    title: "Path",
    heading: "Memory path",
    help: "Every queue and bank between the SMs and DRAM, with whose requests are in it.",
    view,
    pictures: [mesh, memory],
  };
};

const numbers = ({ answered }: Around): Panel => {
  const all = new Numbers();
  return {
    id: "numbers",
    title: "Numbers",
    help: "Every number of the run, with its interval and what it means.",
    view: () => (
      <>
        {answered.ahead.value ? (
          <p class="note">These are of the run so far. What the sentence above is of stands under it.</p>
        ) : null}
        <NumbersView of={all} />
      </>
    ),
    runs: ({ catalogue, runs, experiments }) =>
      all.setRuns(
        catalogue,
        runs.map(({ mark, title, layout: { kernels } }, i) => {
          return { mark, title, kernels, goals: (experiments[i]?.kernels ?? []).map(hasGoal) };
        }),
      ),
    news: ({ frames, results }) =>
      batch(() => {
        frames.forEach(({ controls }, at) => {
          if (controls) all.setControls(at, controls);
        });
        if (results) all.update(results);
      }),
    before: (side) => (side === null ? all.dismiss() : all.keep(side)),
    alone: (side, kernel, ipc, why) => all.alone(side, kernel, ipc, why),
    aloneProgress: (side, kernel, done) => all.aloneProgress(side, kernel, done),
  };
};

const decisions = ({ session }: Around): Panel => {
  const all = signal<readonly Decided[]>([]),
    now = signal(0);
  // The same, with SM classes assigned the other way round, becomes the other side.
  const swapped = (at: number): void => {
    const mine = session.sides.peek()[at]?.experiment;
    if (!mine) return;
    const { swap, ...policy } = policyOf(mine) as { name: string; swap?: unknown };
    session.send("change", {
      [1 - at]: { ...structuredClone(mine), policy: swap === true ? policy : { ...policy, swap: true } },
    });
  };
  return {
    id: "decisions",
    title: "Decisions",
    heading: "What the policy decided",
    help: "What the policy decided and decides on: tables, the controls that hold, and every decision, launch and switch.",
    view: () => (
      <div class="all-decisions">
        {all.value.map((of, at) => (
          <Decisions
            key={at}
            of={of}
            cycle={now.value}
            swap={() => swapped(at)}
            go={(cycle) => session.send("go", cycle)}
          />
        ))}
      </div>
    ),
    runs: ({ runs, catalogue }) => {
      all.value = runs.map((run) => new Decided(run, catalogue.controls));
    },
    news: ({ frames, logs, cycle }) =>
      batch(() => {
        now.value = cycle;
        all.value.forEach((mine, at) => {
          const { controls = null, past = null, shown = null } = frames[at] ?? {};
          mine.log.value = logs[at]?.slice() ?? mine.log.value;
          mine.controls.value = controls ?? mine.controls.value;
          mine.past.value = past ?? mine.past.value;
          mine.tables.value = shown ?? mine.tables.value;
        });
      }),
  };
};

const launches = (): Panel => {
  const view = document.createElement("corun-launches") as CorunLaunches,
    there = signal(false);
  return {
    id: "launches",
    title: "Launches",
    heading: "CTAs by launch",
    help: "What each launch of a kernel did with its CTAs: which SM ran each, and when.",
    view,
    there,
    runs: ({ runs, experiments }) => {
      there.value = view.setRuns(
        runs,
        experiments.map(({ cta_order: order }) => order),
      );
    },
    news: ({ frames }) => view.update(frames),
  };
};

// The drawer's tab in which one watches what a scheme does: the tables that the engine shows of it, live, and their course over time.
import "./watch.css";
import { computed, signal } from "@preact/signals";
import { SideHeading } from "../widgets.tsx";
import type { Panel, Shown as Runs } from "../run/panel.ts";
import type { Session } from "../run/session.ts";
import type { ShownTable } from "../types.ts";
import { chartSpecs } from "../views/chart-data.ts";
import { Course } from "./course.tsx";
import { courseOf } from "./model.ts";
import { Shown } from "./table.tsx";

export const watch = ({ session }: { session: Session }): Panel => {
  const shown = signal<Runs | null>(null),
    /** Of each run. */
    tables = signal<readonly (readonly ShownTable[])[]>([]),
    /** Of the stores. */
    version = signal(0);
  const specs = computed(() =>
    (shown.value?.runs ?? []).map(({ layout, windows }) => chartSpecs(windows, layout.kernels, layout.stalls)),
  );
  const View = () => {
    void version.value;
    const { runs = [], stores = [] } = shown.value ?? {};
    return (
      <div class="watch">
        {runs.map(({ mark, title, layout, windows }, at) => {
          const mine = tables.value[at] ?? [],
            store = stores[at];
          return (
            <div key={mark}>
              <SideHeading mark={mark} title={title} />
              {mine.length === 0 && <p class="note">It has no tables. What it has decided is in Decisions.</p>}
              {mine.map((table) => {
                const spec = courseOf(table, specs.value[at] ?? [], windows);
                return (
                  <Shown key={table.key} table={table} kernels={layout.kernels} of={mark}>
                    {spec && store ? <Course spec={spec} store={store} zoom={session.view.value.zoom ?? null} /> : null}
                    {table.key === "algorithm_1" ? (
                      <p>
                        <a href="./learn.html#algorithm-1">Work it out with numbers of your own</a>
                      </p>
                    ) : null}
                  </Shown>
                );
              })}
            </div>
          );
        })}
      </div>
    );
  };
  return {
    id: "watch",
    title: "Watch",
    heading: "What the scheme does",
    help: "What the scheme decides on, as it stands: who holds what share, queues with bounds and credits, quotas, idle warps.",
    view: View,
    there: computed(() => tables.value.some((mine) => mine.length > 0)),
    runs: (next) => {
      shown.value = next;
      tables.value = [];
    },
    windows: () => {
      version.value += 1;
    },
    news: ({ frames }) => {
      if (frames.every(({ shown: mine }) => mine !== null)) tables.value = frames.map(({ shown: mine }) => mine ?? []);
    },
  };
};

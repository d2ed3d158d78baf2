// A sweep as its points, with the runs alone that these need.
import { problemsIn } from "../../model/format.ts";
import type { Engine } from "../script/module.ts";
import type { PlannedRun, Problem } from "../../model/types.ts";
import type { Plan, PlanPoint } from "./sweep.ts";

/** Problems of points that are said, at most. */
const MAX_PROBLEMS = 100;

const wrong = (problems: readonly Problem[]): Error => Object.assign(new Error("not a sweep"), { problems });

/** Nothing starts before all points can: what is wrong with any of them is thrown as `problems`. */
export function planOf(engine: Engine, text: string, most: number): Plan {
  const sweep = new engine.Sweep(text);
  try {
    if (sweep.points > most)
      throw wrong([
        {
          path: "sweep.axes",
          found: `${sweep.points.toLocaleString("en")} points`,
          want: `at most ${most.toLocaleString("en")} on the page; the command line takes more`,
        },
      ]);
    const points: PlanPoint[] = [],
      runs: Record<string, PlannedRun> = {},
      problems: Problem[] = [];
    for (let index = 0; index < sweep.points && problems.length < MAX_PROBLEMS; index += 1) {
      try {
        const point = sweep.point(index),
          { profile, alone } = engine.plan(point.experiment);
        const needs = [...profile, ...alone];
        for (const run of needs) runs[run.hash] = run;
        points.push({ ...point, needs: [...new Set(needs.map((run) => run.hash))] });
      } catch (error) {
        const found = problemsIn(error);
        if (!found) throw error;
        problems.push(...found.map((p) => ({ ...p, found: `${p.found} (point ${index})` })));
      }
    }
    if (problems.length > 0) throw wrong(problems);
    return { name: sweep.name, hash: sweep.hash, axes: sweep.axes(), points, runs };
  } finally {
    sweep.free();
  }
}

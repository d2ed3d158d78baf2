// Slowdowns of kernels that stand for two of a timeline, simulated in this browser when somebody asks. No DOM.
import { signal } from "@preact/signals";
import { Lab } from "../engine/lab/lab.ts";
import { compileModule } from "../engine/module.ts";
import { slowdownOf } from "../model/figures.ts";
import { errorText } from "../model/format.ts";
import type { Line } from "../engine/lab/sweep.ts";
import type { Experiment } from "../model/types.ts";

/** How far a run is; of each kernel, how many times as long it takes as alone; or why nothing has come of it. */
export type Simulated = { part: number | null } | { slowdowns: readonly (number | null)[] } | { why: string };

/** Each kernel alone, and both. */
const RUNS = 3;

export class Simulations {
  /** By the experiment's text. */
  readonly known = signal<ReadonlyMap<string, Simulated>>(new Map());
  #lab: Lab | null = null;

  of(experiment: Experiment): Simulated | undefined {
    return this.known.value.get(JSON.stringify(experiment));
  }

  /** Runs it, and each of its kernels alone. */
  async run(experiment: Experiment): Promise<void> {
    const put = (value: Simulated): void => {
      this.known.value = new Map(this.known.peek()).set(JSON.stringify(experiment), value);
    };
    put({ part: null });
    try {
      this.#lab ??= new Lab(await compileModule(), "pairs", Math.min(navigator.hardwareConcurrency || 2, RUNS - 1));
      const lab = this.#lab,
        base = { ...experiment, alone: true },
        text = JSON.stringify({ corun: 1, sweep: { base, axes: [{ path: "seed", values: [experiment.seed] }] } });
      const { runs } = await lab.ask("plan", { text, most: 1 }).ended;
      const parts = new Map<string, number>(),
        soFar = (run: string) => ({
          soFar: (part: number | null): void => {
            if (part === null) return;
            parts.set(run, part);
            put({ part: [...parts.values()].reduce((sum, one) => sum + one, 0) / (Object.keys(runs).length + 1) });
          },
        });
      const alone = await Promise.all(
        Object.values(runs).map(async (run) => [run.hash, await lab.ask("alone", run, soFar(run.hash)).ended] as const),
      );
      for (const [hash] of alone) parts.set(hash, 1);
      const answers = Object.fromEntries(alone),
        { line } = await lab.ask("point", { text, index: 0, answers, windows: false }, soFar("both")).ended,
        { result } = JSON.parse(line) as Line;
      put({ slowdowns: result.kernels.map((_, kernel) => slowdownOf(result, kernel)) });
    } catch (error) {
      put({ why: errorText(error) });
    }
  }

  /** Nobody looks any more. */
  close(): void {
    this.#lab?.end();
  }
}

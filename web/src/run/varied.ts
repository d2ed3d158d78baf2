// A knob varied: the mix under A and under B with each of a few values of it, in short runs, on workers of the Lab. No DOM.
import { signal } from "@preact/signals";
import { policyOf } from "../model/choices.ts";
import { problemText } from "../model/format.ts";
import type { Line, Plan } from "../engine/lab/sweep.ts";
import type { Experiment, Result } from "../model/types.ts";
import type { Knob, Step } from "./knobs.ts";
import { edited } from "../model/mix.ts";
import type { RunSide } from "../model/model.ts";
import type { SchemesHost } from "../schemes/schemes-run.ts";

/** Cycles of each run. */
export const LENGTH = 100_000;
/** More values of a knob are too many for one picture. */
const MOST = 6;

export type VariedHost = Pick<SchemesHost, "workers" | "validate" | "plan" | "pool">;

export interface Varied {
  knob: Knob;
  steps: readonly Step[];
  kernels: readonly string[];
  /** A, and B where it differs in its scheme alone. */
  sides: readonly Pick<RunSide, "mark" | "scheme">[];
  /** By side and step. */
  results: readonly (readonly (Result | null)[])[];
  running: boolean;
  /** Why there is nothing more; empty else. */
  why: string;
}

/** Of steps, a few: the first, the last and the present one among them. */
export function chosen({ steps, now }: Knob): readonly Step[] {
  if (steps.length <= MOST) return steps;
  const spread = Array.from({ length: MOST - 1 }, (_, i) => Math.round((i * (steps.length - 1)) / (MOST - 2)));
  return steps.filter((_, i) => i === now || spread.includes(i));
}
/** What else is asked for than a value of the knob. */
const asked = (experiments: readonly Experiment[], knob: Knob): string =>
  JSON.stringify(experiments.map((one) => edited(one, knob.turned(undefined))));

/** The experiments of a sweep, as its runner reads them: the schemes, and under each all values. */
function textOf(
  { name: _name, source: _source, ...base }: Experiment,
  policies: readonly unknown[],
  knob: Knob,
  steps: readonly Step[],
): string {
  const kernels = base.kernels.map((kernel) => (typeof kernel === "string" ? { kernel } : kernel));
  const axes = [
    { path: "policy", values: policies },
    { path: knob.path, values: steps.map(({ swept }) => swept) },
  ];
  return JSON.stringify({ corun: 1, sweep: { base: { ...base, kernels, stop: { cycles: LENGTH } }, axes } });
}

export class VariedRun {
  readonly shown = signal<Varied | null>(null);
  #turn = 0;
  #asked = "";
  #end: () => void = () => undefined;

  async start(host: VariedHost, sides: readonly RunSide[], knob: Knob): Promise<void> {
    this.close();
    const [a] = sides;
    if (!a) return;
    this.#asked = asked(
      sides.map(({ experiment }) => experiment),
      knob,
    );
    const turn = ++this.#turn,
      compared = sides.filter(({ elsewhere }) => !elsewhere),
      all = chosen(knob);
    // What the engine does not take is left out.
    const problems = await Promise.all(
      all.map(({ value }) =>
        Promise.all(compared.map(({ experiment }) => host.validate(edited(experiment, knob.turned(value))))),
      ),
    );
    if (turn !== this.#turn) return;
    const steps = all.filter((_, i) => problems[i]?.flat().length === 0);
    this.shown.value = {
      knob,
      steps,
      kernels: a.kernels,
      sides: compared.map(({ mark, scheme }) => ({ mark, scheme })),
      results: compared.map(() => steps.map(() => null)),
      running: true,
      why: "",
    };
    const text = textOf(
      a.experiment,
      compared.map(({ experiment }) => experiment.policy ?? policyOf(experiment)),
      knob,
      steps,
    );
    this.#end = host.plan(text, compared.length * steps.length, (plan) => {
      if (turn !== this.#turn) return;
      if (Array.isArray(plan)) this.#put({ running: false, why: plan.map(problemText).join("; ") });
      else this.#run(host, text, plan, turn);
    });
  }

  #run(host: VariedHost, text: string, plan: Plan, turn: number): void {
    const pool = host.pool(text, plan, {
      line: (index, line) => {
        if (turn === this.#turn) this.#take(index, (JSON.parse(line) as Line).result);
      },
      broken: (_, why) => this.#put({ why }),
      progress: () => undefined,
      over: () => {
        if (turn === this.#turn) this.#put({ running: false });
      },
    });
    this.#end = () => pool.stop();
    pool.start(host.workers);
  }

  #put(part: Partial<Varied>): void {
    const now = this.shown.peek();
    if (now) this.shown.value = { ...now, ...part };
  }
  /** The last axis is the fastest. */
  #take(index: number, result: Result): void {
    const { results = [], steps = [] } = this.shown.peek() ?? {};
    const side = Math.floor(index / steps.length),
      step = index % steps.length;
    this.#put({ results: results.map((row, i) => row.map((one, n) => (i === side && n === step ? result : one))) });
  }

  /** Another mix, GPU or scheme is shown: what is there is of none of them. */
  follow(experiments: readonly Experiment[]): void {
    const now = this.shown.peek();
    if (now && asked(experiments, now.knob) !== this.#asked) this.close();
  }
  /** What is there stays. */
  stop(): void {
    this.#turn += 1;
    this.#end();
    this.#end = () => undefined;
    this.#put({ running: false });
  }
  close(): void {
    this.stop();
    this.shown.value = null;
  }
}

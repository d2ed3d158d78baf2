// Oracles: the best fixed numbers of CTAs for a mix, found by trying them all for a short time, and the first few for a long one. An oracle is no scheme:
// it bounds what schemes can reach that choose numbers of CTAs alone (docs/reference/schemes/oracles.md). No DOM.
import { type ReadonlySignal, signal } from "@preact/signals";
import { fieldsOf } from "../engine/browser-store.ts";
import { count, problemText } from "../model/format.ts";
import type { RunsPoints, SchemesHost, SchemesProgress } from "./schemes-run.ts";
import type { SchemeAnswer } from "../model/model.ts";
import { mixFigure } from "../model/figures.ts";
import type { Line, OraclePolicies, Plan, Space } from "../engine/lab/sweep.ts";
import type { Experiment, PolicyChoice, Problem, Result } from "../model/types.ts";
import { sweepOf, under } from "./table.ts";

/** All that fit are tried for so long, of which a first part is not measured: while all CTAs are in step, those combinations look best that are not (BP and CFD: of the four best of 6,000 cycles without a warm-up, the best is a fifth below the true one; with it they have it). */
export const SHORT = 12_000;
const WARM_UP = 6_000;
/** So many of each go on at length. */
export const LAST = 4;
/** More than a page tries; `corun oracle` takes more. */
const MOST = 2_000;
/** Before so much of the time, the rest is not known. */
const TELLS_MS = 2_000;

const SPACES: Readonly<Record<Space, string>> = { cta: "CTA oracle", spatial: "Spatial oracle" };

interface Tried {
  space: Space;
  policy: PolicyChoice;
  result: Result | null;
}
const ctasOf = (policy: PolicyChoice): string => {
  const { combination, ctas } = fieldsOf(policy);
  return ((combination ?? ctas) as number[]).join(" + ");
};
const score = ({ result }: Tried): number => (result ? (mixFigure(result, "hspeedup") ?? -1) : -1);
/** The best first; of equals, the first. */
const ranked = (tried: readonly Tried[]): Tried[] => [...tried].sort((a, b) => score(b) - score(a));

export class OracleSearch {
  readonly #host: SchemesHost;
  readonly #policies: (experiment: Experiment) => Promise<OraclePolicies>;
  readonly #answers = signal<readonly SchemeAnswer[]>([]);
  readonly #progress = signal<SchemesProgress | null>(null);
  readonly #says = signal("");
  #pool: RunsPoints | null = null;
  #end: () => void = () => undefined;
  #turn = 0;

  constructor(host: SchemesHost, policies: (experiment: Experiment) => Promise<OraclePolicies>) {
    this.#host = host;
    this.#policies = policies;
  }

  /** The oracles that have been found. */
  get answers(): ReadonlySignal<readonly SchemeAnswer[]> {
    return this.#answers;
  }
  get progress(): ReadonlySignal<SchemesProgress | null> {
    return this.#progress;
  }
  /** What has been searched, or why it cannot be. */
  get says(): ReadonlySignal<string> {
    return this.#says;
  }

  /** Another mix: what was found is not of it. */
  reset(): void {
    this.stop();
    this.#answers.value = [];
    this.#says.value = "";
  }

  stop(): void {
    this.#turn += 1;
    this.#end();
    this.#pool?.stop();
    this.#pool = null;
    this.#progress.value = null;
  }

  /** Tries all combinations of a mix, and the best of them for `cycles`. */
  async start(experiment: Experiment, cycles: number): Promise<void> {
    this.stop();
    const turn = this.#turn,
      policies = await this.#policies(under(experiment, { name: "even" }));
    if (turn !== this.#turn) return;
    const spaces = Object.keys(SPACES) as Space[];
    const tried = spaces
      .filter((space) => policies[space].length <= MOST)
      .flatMap((space) => policies[space].map((policy): Tried => ({ space, policy, result: null })));
    if (tried.length === 0) {
      this.#says.value = spaces.every((space) => policies[space].length === 0)
        ? "No SM holds a CTA of each of these kernels."
        : `More than ${count(MOST)} combinations: corun oracle tries them all.`;
      return;
    }
    const last = spaces.reduce(
      (sum, space) => sum + Math.min(LAST, tried.filter((one) => one.space === space).length),
      0,
    );
    const work = tried.length * SHORT + last * cycles,
      began = performance.now();
    const tell = (before: number, now: number) => (part: number, done: number, of: number) => {
      const all = (before + part * now) / work,
        spent = performance.now() - began;
      this.#progress.value = {
        done,
        of,
        part: all,
        leftMs: spent < TELLS_MS || all === 0 ? null : (spent * (1 - all)) / all,
      };
    };
    this.#progress.value = { done: 0, of: tried.length, part: 0, leftMs: null };
    await this.#run({ ...experiment, warm_up: WARM_UP }, tried, SHORT, tell(0, tried.length * SHORT));
    if (turn !== this.#turn) return;
    const finalists = spaces.flatMap((space) =>
      ranked(tried.filter((one) => one.space === space && one.result))
        .slice(0, LAST)
        .map((one) => ({ ...one, result: null })),
    );
    await this.#run(experiment, finalists, cycles, tell(tried.length * SHORT, last * cycles));
    if (turn !== this.#turn) return;
    this.stop();
    this.#answers.value = spaces.flatMap((space): SchemeAnswer[] => {
      const [best] = ranked(finalists.filter((one) => one.space === space));
      return best?.result
        ? [
            {
              experiment: { ...under(experiment, best.policy), stop: { cycles }, alone: true },
              scheme: `${SPACES[space]} (${ctasOf(best.policy)} CTAs)`,
              result: best.result,
            },
          ]
        : [];
    });
    const of = (space: Space): number => tried.filter((one) => one.space === space).length;
    this.#says.value = `Of ${of("cta")} combinations of CTAs on every SM, and ${of("spatial")} of CTAs on SMs apart, each ran ${count(SHORT)} cycles, the first ${count(WARM_UP)} not counted; the ${LAST} best of either by HSpeedup ran ${count(cycles)}, and the best of these are the oracles.`;
  }

  /** Runs points to their end; what is stopped never ends. */
  async #run(
    experiment: Experiment,
    points: Tried[],
    cycles: number,
    tell: (part: number, done: number, of: number) => void,
  ): Promise<void> {
    const host = this.#host,
      turn = this.#turn;
    const text = sweepOf(
      experiment,
      points.map(({ policy }) => policy),
      cycles,
    );
    const plan = await new Promise<Plan | Problem[]>((resolve) => {
      this.#end = host.plan(text, points.length, resolve);
    });
    if (Array.isArray(plan)) {
      this.#says.value = plan.map(problemText).join("; ");
      return;
    }
    await host.alone.recall(Object.keys(plan.runs).map((hash) => ({ hash })));
    if (turn !== this.#turn) return;
    let done = 0;
    await new Promise<void>((over) => {
      const pool = host.pool(text, plan, {
        line: (index, line) => {
          (points[index] as Tried).result = (JSON.parse(line) as Line).result;
          done += 1;
        },
        broken: (_, why) => {
          this.#says.value = `a defect: ${why}`;
        },
        progress: () => tell(pool.progress().done, done, points.length),
        over,
      });
      pool.know(host.alone.known);
      this.#pool = pool;
      pool.start(host.workers);
    });
  }
}

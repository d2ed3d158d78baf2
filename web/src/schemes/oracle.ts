// Oracles: the best fixed numbers of CTAs for a mix, found by trying them all for a short time, and the first few for a long one. An oracle is no scheme:
// it bounds what schemes can reach that choose numbers of CTAs alone (docs/reference/schemes/oracles.md). No DOM.
import { type ReadonlySignal, signal } from "@preact/signals";
import { fieldsOf } from "../browser-store.ts";
import { count, problemText } from "../format.ts";
import type { RunsPoints, SchemesHost, SchemesProgress } from "../run/schemes-run.ts";
import type { SchemeAnswer } from "../run/model.ts";
import { mixFigure } from "../run/figures.ts";
import type { Line, Plan } from "../sweeps/types.ts";
import type { Experiment, PolicyChoice, Problem, Result } from "../types.ts";
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

type Space = "cta" | "spatial";
const SPACES: Readonly<Record<Space, string>> = { cta: "CTA oracle", spatial: "Spatial oracle" };

/** What a CTA of a kernel takes of an SM, and how many of them it holds alone. */
interface Cost {
  takes: readonly number[];
  most: number;
}

const WARP = 32;
const up = (value: number, to: number): number => Math.ceil(value / to) * to;

/** What an SM has, and what kernels take of it, as the engine explains an experiment; null where SMs are unlike, or it says something else. */
export function costsOf(explained: unknown): { whole: readonly number[]; kernels: readonly Cost[] } | null {
  const { gpu, kernels } = fieldsOf(explained),
    has = fieldsOf(gpu);
  const sm = (key: string): number => Number(has[`sm.${key}`]);
  const whole = [sm("ctas"), sm("threads"), sm("registers"), sm("shared_bytes")],
    granularity = sm("register_granularity"),
    // Not said of a GPU whose driver takes nothing.
    reserved = Number(has["sm.shared_reserved"] ?? 0);
  if (![...whole, granularity].every(Number.isFinite) || !Array.isArray(kernels)) return null;
  const costs = kernels.map((kernel): Cost => {
    const launches = (fieldsOf(kernel)["occupancy"] as Record<string, number>[]).map(
      ({ threads = 0, registers = 0, shared_bytes: shared = 0, ctas_per_sm: fit = 0 }) => ({
        fit,
        takes: [1, up(threads, WARP), Math.ceil(threads / WARP) * up(registers * WARP, granularity), shared + reserved],
      }),
    );
    return {
      takes: whole.map((_, i) => Math.max(0, ...launches.map(({ takes }) => takes[i] as number))),
      most: Math.min(...launches.flatMap(({ fit }) => (fit > 0 ? [fit] : []))),
    };
  });
  return costs.every(({ most }) => Number.isFinite(most)) ? { whole, kernels: costs } : null;
}

/** Every list of numbers of CTAs, at least one of each kernel, that is allowed; null for more than a page tries. */
function every(kernels: readonly Cost[], fits: (ctas: readonly number[]) => boolean): number[][] | null {
  const found: number[][] = [];
  const grow = (ctas: number[]): void => {
    if (ctas.length === kernels.length) {
      found.push(ctas);
      return;
    }
    for (let n = 1; n <= (kernels[ctas.length] as Cost).most && found.length <= MOST; n += 1) {
      if (!fits([...ctas, n])) return;
      grow([...ctas, n]);
    }
  };
  grow([]);
  return found.length > MOST ? null : found;
}

/** What each oracle tries: all on every SM together, or each kernel on its part of the SMs. */
export function combinations(explained: unknown, space: Space): number[][] | null {
  const costs = costsOf(explained);
  if (!costs) return null;
  const { whole, kernels } = costs;
  return every(
    kernels,
    space === "spatial"
      ? () => true
      : (ctas) =>
          whole.every((room, i) => ctas.reduce((sum, n, k) => sum + n * (kernels[k]?.takes[i] ?? 0), 0) <= room),
  );
}

const policyOf = (space: Space, ctas: readonly number[]): PolicyChoice =>
  space === "cta" ? { name: "fixed", combination: [...ctas] } : { name: "spatial", ctas: [...ctas] };

interface Tried {
  space: Space;
  ctas: readonly number[];
  result: Result | null;
}
const score = ({ result }: Tried): number => (result ? (mixFigure(result, "hspeedup") ?? -1) : -1);
/** The best first; of equals, the first. */
const ranked = (tried: readonly Tried[]): Tried[] => [...tried].sort((a, b) => score(b) - score(a));

export class OracleSearch {
  readonly #host: SchemesHost;
  readonly #explain: (experiment: Experiment) => Promise<unknown>;
  readonly #answers = signal<readonly SchemeAnswer[]>([]);
  readonly #progress = signal<SchemesProgress | null>(null);
  readonly #says = signal("");
  #pool: RunsPoints | null = null;
  #end: () => void = () => undefined;
  #turn = 0;

  constructor(host: SchemesHost, explain: (experiment: Experiment) => Promise<unknown>) {
    this.#host = host;
    this.#explain = explain;
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
      explained = await this.#explain(under(experiment, { name: "even" }));
    if (turn !== this.#turn) return;
    const spaces = Object.keys(SPACES) as Space[];
    const tried = spaces.flatMap((space) =>
      (combinations(explained, space) ?? []).map((ctas): Tried => ({ space, ctas, result: null })),
    );
    if (tried.length === 0) {
      this.#says.value =
        costsOf(explained) === null
          ? "The oracles choose CTAs of SMs that are alike."
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
              experiment: { ...under(experiment, policyOf(space, best.ctas)), stop: { cycles }, alone: true },
              scheme: `${SPACES[space]} (${best.ctas.join(" + ")} CTAs)`,
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
      points.map(({ space, ctas }) => policyOf(space, ctas)),
      cycles,
    );
    const plan = await new Promise<Plan | Problem[]>((resolve) => {
      this.#end = host.plan(text, points.length, resolve);
    });
    if (Array.isArray(plan)) {
      this.#says.value = plan.map(problemText).join("; ");
      return;
    }
    const known = Object.keys(plan.runs).map((hash) => ({ hash }));
    await host.alone.recall(known);
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
      pool.know(
        Object.fromEntries(
          known.flatMap(({ hash }) => (host.alone.known[hash] ? [[hash, host.alone.known[hash]]] : [])),
        ),
      );
      this.#pool = pool;
      pool.start(host.workers);
    });
  }
}

// Every scheme on the present mix, run where no answer is stored: on the pool of workers that sweeps use. What has been run is not run again.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Answers } from "../answers.ts";
import { needText, problemText } from "../format.ts";
import { sweepOf, under } from "../schemes/table.ts";
import type { Pool, PoolEvents } from "../sweeps/pool.ts";
import type { Line, Plan } from "../sweeps/types.ts";
import type { Answer, Catalogue, Experiment, PolicyChoice, Problem, Result } from "../types.ts";
import type { SchemeAnswer } from "./model.ts";
import { slowdownOf } from "./figures.ts";
import { resultName, schemeKey } from "./stored.ts";

export interface SchemesProgress {
  /** Schemes that have run, and how many there are to run. */
  done: number;
  of: number;
  /** Of all work, 0 to 1. */
  part: number;
  /** Null until a rate is measured. */
  leftMs: number | null;
}

export type RunsPoints = Pick<Pool, "know" | "skip" | "start" | "stop" | "progress">;

/** What it runs on. */
export interface SchemesHost {
  readonly catalogue: Catalogue;
  readonly workers: number;
  validate(experiment: object): Promise<Problem[]>;
  /** Reads a sweep; what is returned ends that, unheard. */
  plan(text: string, most: number, said: (plan: Plan | Problem[]) => void): () => void;
  pool(text: string, plan: Plan, events: PoolEvents): RunsPoints;
  /** What is known: of kernels alone, and of schemes. */
  alone: Answers<Answer>;
  results: Answers<Result>;
}

/** Long enough for schemes that learn to have learnt. */
const CYCLES = 500_000;
/** Between two words about how far it is. */
const TELL_MS = 250;

/** A stored value as a result; null for what is none. */
export function readResult(value: unknown): Result | null {
  const { digest, config_hash: hash, kernels, cycles } = (value ?? {}) as Record<string, unknown>;
  return typeof digest === "string" &&
    typeof hash === "string" &&
    Array.isArray(kernels) &&
    Number.isSafeInteger(cycles)
    ? (value as Result)
    : null;
}

/** What a point's result is kept by. */
export const resultKey = ({ config_hash: hash, experiment }: Plan["points"][number]): string =>
  resultName(hash, experiment);

/** A scheme as it is asked for. */
export interface Asked {
  policy: PolicyChoice;
  title: string;
  /** It does nothing before this cycle. */
  acts?: number;
}

const cyclesOf = (experiment: Experiment | undefined): number | null => {
  const cycles = (experiment?.stop as { cycles?: unknown } | undefined)?.cycles;
  return typeof cycles === "number" ? cycles : null;
};
/** How long the schemes of a mix run: as long as the answers that came with it, or else as it says itself, or so long that those that learn have learnt. */
export const lengthOf = (experiment: Experiment, stored: readonly SchemeAnswer[] = []): number =>
  cyclesOf(stored[0]?.experiment) ?? cyclesOf(experiment) ?? CYCLES;

/** When a run ends, as text. */
const lengthKey = ({ stop }: Experiment): string => JSON.stringify(stop ?? null);

/** The mix under each of these schemes. */
const schemesOf = (experiment: Experiment, schemes: readonly Asked[], cycles: number): SchemeAnswer[] =>
  schemes.map(({ policy, title, acts = 0 }) => ({
    experiment: { ...under(experiment, structuredClone(policy)), stop: { cycles }, alone: experiment.alone || true },
    scheme: title,
    result: null,
    ...(acts > cycles ? { acts } : {}),
  }));

/** Neighbours in the catalogue are alike, and take alike: what runs first is to be like what runs last, or the time left would be wrong. */
const spread = (places: readonly number[]): number[] => {
  const key = (n: number): number => (n * 0.618034) % 1;
  return places
    .map((place, n) => ({ place, key: key(n) }))
    .sort((a, b) => a.key - b.key)
    .map(({ place }) => place);
};

const NOTHING: readonly SchemeAnswer[] = [];

export class SchemesRun {
  readonly #host: SchemesHost;
  readonly #answers = signal<readonly SchemeAnswer[]>([]);
  readonly #progress = signal<SchemesProgress | null>(null);
  /** Of the mix that is shown, before any answer; and how often that has changed. */
  #schemes: readonly SchemeAnswer[] = [];
  /** The answers that came with the page for it. */
  #stored: readonly SchemeAnswer[] = NOTHING;
  #turn = 0;
  #pool: RunsPoints | null = null;
  /** The points of the sweep, as places among the answers. */
  #places: number[] = [];
  #end: () => void = () => undefined;
  /** To be started as soon as it can be; the pool is at it. */
  #wanted = false;
  #running = false;

  constructor(host: SchemesHost) {
    this.#host = host;
  }

  get answers(): ReadonlySignal<readonly SchemeAnswer[]> {
    return this.#answers;
  }
  get progress(): ReadonlySignal<SchemesProgress | null> {
    return this.#progress;
  }

  /** Another mix, with the answers that came with the page. Nothing runs before `start`; what runs of the same schemes on the same mix goes on. */
  async show(experiment: Experiment, brought: readonly SchemeAnswer[], asked: readonly Asked[]): Promise<void> {
    const stored = brought.length > 0 ? brought : NOTHING,
      schemes = schemesOf(experiment, asked, lengthOf(experiment, stored)),
      known = new Map(stored.filter(({ result }) => result).map((one) => [schemeKey(one.experiment), one]));
    const same = (one: SchemeAnswer, i: number): boolean =>
      JSON.stringify(one.experiment) === JSON.stringify(this.#schemes[i]?.experiment);
    if (stored === this.#stored && schemes.length === this.#schemes.length && schemes.every(same)) return;
    this.#stored = stored;
    this.stop();
    this.#end();
    this.#pool = null;
    this.#schemes = schemes;
    const turn = ++this.#turn;
    this.#answers.value = schemes.map((one) => ({
      ...one,
      ...known.get(schemeKey(one.experiment)),
      scheme: one.scheme,
    }));
    const open = this.#open();
    const problems = await Promise.all(
      open.map((i) => this.#host.validate((this.#answers.value[i] as SchemeAnswer).experiment)),
    );
    if (turn !== this.#turn) return;
    open.forEach((i, n) => {
      const wrong = problems[n] ?? [];
      if (wrong.length > 0) this.#put(i, { why: needText(wrong) });
    });
    await this.#prepare(turn);
  }

  /** Answers that can still come. */
  #open(): number[] {
    return this.#answers.value.flatMap((one, i) => (one.result === null && one.why === undefined ? [i] : []));
  }

  /** What the page has run itself, whole, is an answer too. */
  take({ experiment, result }: Pick<SchemeAnswer, "experiment" | "result">): void {
    const place = this.#open().find((i) => {
      const open = this.#answers.value[i] as SchemeAnswer;
      return (
        schemeKey(open.experiment) === schemeKey(experiment) && lengthKey(open.experiment) === lengthKey(experiment)
      );
    });
    if (place === undefined || result?.kernels.some((_, k) => slowdownOf(result, k) === null) !== false) return;
    this.#put(place, { result });
    const index = this.#places.indexOf(place);
    if (this.#pool && index >= 0) this.#pool.skip([index]);
  }

  #put(place: number, more: Partial<SchemeAnswer>): void {
    this.#answers.value = this.#answers.value.map((one, i) => (i === place ? { ...one, ...more } : one));
  }

  /** Reads the sweep of what is open, and takes what is known of it. */
  async #prepare(turn: number): Promise<void> {
    const host = this.#host,
      places = spread(this.#open());
    const answers = places.map((i) => this.#answers.value[i] as SchemeAnswer),
      first = answers[0];
    if (!first) return;
    const { cycles } = first.experiment.stop as { cycles: number };
    const text = sweepOf(
      first.experiment,
      answers.map(({ experiment }) => experiment.policy as PolicyChoice),
      cycles,
    );
    const plan = await new Promise<Plan | Problem[]>((resolve) => {
      this.#end = host.plan(text, places.length, resolve);
    });
    if (turn !== this.#turn) return;
    if (Array.isArray(plan)) {
      const why = plan.map(problemText).join("; ");
      for (const i of places) this.#put(i, { why });
      return;
    }
    const runs = plan.points.map((point) => ({ hash: resultKey(point) }));
    await Promise.all([host.results.recall(runs), host.alone.recall(Object.keys(plan.runs).map((hash) => ({ hash })))]);
    if (turn !== this.#turn) return;
    const pool = host.pool(text, plan, {
      line: (index, line) => {
        const { result } = JSON.parse(line) as Line;
        host.results.keep(runs[index]?.hash ?? "", result);
        this.#put(this.#places[index] as number, { result });
        this.#tell(pool);
      },
      broken: (task, why) => {
        for (const i of task?.kind === "point" ? [this.#places[task.index] as number] : task ? [] : this.#open())
          this.#put(i, { why: `a defect: ${why}` });
      },
      progress: () => this.#tell(pool),
      over: () => {
        if (pool === this.#pool) this.stop();
      },
    });
    this.#places = places;
    this.#pool = pool;
    runs.forEach(({ hash }, index) => {
      const known = host.results.known[hash];
      if (known) this.#put(places[index] as number, { result: known });
    });
    // What the page has run itself meanwhile is done, too.
    const open = this.#open();
    pool.skip(places.flatMap((place, index) => (open.includes(place) ? [] : [index])));
    pool.know(
      Object.fromEntries(
        Object.keys(plan.runs).flatMap((hash) => {
          const answer = host.alone.known[hash];
          return answer ? [[hash, answer]] : [];
        }),
      ),
    );
    if (this.#wanted) this.start();
  }

  #told = 0;
  /** Rate and time are said some times a second, results at once. */
  #tell(pool: RunsPoints): void {
    const before = this.#progress.value,
      now = performance.now(),
      left = this.#open().length;
    if (!before || pool !== this.#pool) return;
    const done = before.of - left;
    if (done === before.done && now - this.#told < TELL_MS) return;
    this.#told = now;
    const { done: part, left: leftMs } = pool.progress();
    this.#progress.value = { done, of: before.of, part, leftMs };
  }

  /** Runs what has no answer yet. */
  start(): void {
    const of = this.#open().length;
    this.#wanted = of > 0;
    if (of === 0 || this.#running) return;
    this.#progress.value = { done: 0, of, part: 0, leftMs: null };
    if (!this.#pool) return;
    this.#running = true;
    this.#pool.start(this.#host.workers);
  }

  /** Ends in this very moment; what is done stays. */
  stop(): void {
    this.#wanted = false;
    this.#running = false;
    this.#pool?.stop();
    this.#progress.value = null;
  }
}

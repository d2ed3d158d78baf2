// Every scheme on the present mix, run where no answer is stored: on the pool of workers that sweeps use, as a race. What has been run is not run again.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Answers } from "../engine/answers.ts";
import { needText, problemText } from "../model/format.ts";
import { hasGoal } from "../model/goal.ts";
import { interval } from "../model/interval-text.ts";
import { sweepOf, under } from "./table.ts";
import type { Pool, PoolEvents, RaceEvents } from "../engine/lab/pool.ts";
import type { Line, Plan } from "../engine/lab/sweep.ts";
import type { Answer, Catalogue, Experiment, Fate, PolicyChoice, Problem, Result, Standing } from "../model/types.ts";
import type { SchemeAnswer } from "../model/model.ts";
import { mixFigure, slowdownOf } from "../model/figures.ts";
import { resultName, schemeKey } from "../model/stored.ts";

export interface SchemesProgress {
  /** Schemes that have run, and how many there are to run. */
  done: number;
  of: number;
  /** Of all work, 0 to 1. */
  part: number;
  /** Null until a rate is measured; of a race, if nobody else is dropped. */
  leftMs: number | null;
  /** It is a race; and until all of it are compared for the first time, if that is to come and a rate is measured. */
  race?: boolean;
  lookMs?: number;
}

export type RunsPoints = Pick<Pool, "know" | "skip" | "again" | "start" | "stop" | "progress">;

/** What it runs on. */
export interface SchemesHost {
  readonly catalogue: Catalogue;
  readonly workers: number;
  validate(experiment: object): Promise<Problem[]>;
  /** Reads a sweep; what is returned ends that, unheard. */
  plan(text: string, most: number, said: (plan: Plan | Problem[]) => void): () => void;
  pool(text: string, plan: Plan, events: PoolEvents, race?: RaceEvents | null): RunsPoints;
  /** What is known: of kernels alone, and of schemes. */
  alone: Answers<Answer>;
  results: Answers<Result>;
}

/** Long enough for schemes that learn to have learnt. */
const CYCLES = 500_000;
/** Between two words about how far it is. */
const TELL_MS = 250;

/** How a result stands in a race that it has run to the end of, or to where it is held. */
const standingOf = (result: Result, steadySince: number | null): Standing => {
  const speedup = mixFigure(result, "hspeedup");
  return {
    cycle: result.cycles,
    steady_since: result["measured_from"] === null ? null : steadySince,
    speedup,
    ends: speedup === 0 ? [0, 0] : interval(result.ci95?.metrics, "hspeedup"),
  };
};
const NOWHERE: Standing = { cycle: 0, steady_since: null, speedup: null, ends: null };

/** What a point's result is kept by where its run was dropped; the result says how far behind it was. */
const droppedKey = (hash: string): string => `${hash} dropped`;

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
  /** What their results are kept by. */
  #hashes: string[] = [];
  /** Of those that are held, since when they have shared the GPU as they will: by their places. */
  readonly #held = new Map<number, number | null>();
  /** The places of those that the race was asked of last. */
  #asked: number[] = [];
  /** To be started as soon as it can be, and whether to the end; the pool is at it. */
  #wanted = false;
  #whole = false;
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
    return this.#answers.value.flatMap((one, i) =>
      (one.result === null || one.races === true) && one.why === undefined ? [i] : [],
    );
  }
  #droppedOnes(): number[] {
    return this.#answers.value.flatMap((one, i) => (one.dropped === undefined ? [] : [i]));
  }

  /** What the page has run itself, whole, is an answer too. */
  take({ experiment, result }: Pick<SchemeAnswer, "experiment" | "result">): void {
    const place = [...this.#open(), ...this.#droppedOnes()].find((i) => {
      const open = this.#answers.value[i] as SchemeAnswer;
      return (
        schemeKey(open.experiment) === schemeKey(experiment) && lengthKey(open.experiment) === lengthKey(experiment)
      );
    });
    if (place === undefined || result?.kernels.some((_, k) => slowdownOf(result, k) === null) !== false) return;
    this.#put(place, { result });
    const index = this.#places.indexOf(place);
    if (!this.#pool || index < 0) return;
    this.#host.results.keep(this.#hashes[index] ?? "", result);
    this.#pool.skip([index]);
  }

  /** What is not said of its race holds no more. */
  #put(place: number, more: Partial<SchemeAnswer>): void {
    this.#answers.value = this.#answers.value.map((one, i) => {
      if (i !== place) return one;
      const { races: _, dropped: _dropped, ...rest } = one;
      return { ...rest, ...more };
    });
  }

  // ---------------------------------------------------------------- the race

  /** Where something is promised, no one figure says which scheme is best: all run to their ends. */
  get #races(): boolean {
    return this.#schemes[0]?.experiment.kernels.some(hasGoal) === false;
  }

  #race(cycles: number): RaceEvents | null {
    if (!this.#races) return null;
    return {
      cycles,
      held: (index, line, steadySince) => {
        const place = this.#places[index] as number;
        if (!this.#open().includes(place)) return;
        this.#held.set(place, steadySince);
        this.#put(place, { result: (JSON.parse(line) as Line).result, races: true });
      },
      standings: () => this.#standings(cycles),
      judged: (fates) => this.#judged(fates),
    };
  }

  #standings(cycles: number): Standing[] {
    this.#asked = this.#answers.value.flatMap((one, i) =>
      one.why === undefined && one.dropped === undefined ? [i] : [],
    );
    return this.#asked.map((i) => {
      const { result = null, races } = this.#answers.value[i] as SchemeAnswer;
      // However it has ended, it runs no further.
      if (result && !races) return { ...standingOf(result, 0), cycle: cycles };
      return result && this.#held.has(i) ? standingOf(result, this.#held.get(i) ?? null) : NOWHERE;
    });
  }

  #judged(fates: readonly Fate[]): number[] {
    const out = this.#asked.filter((_, n) => fates[n]?.goes_on === false);
    this.#asked.forEach((place, n) => {
      const { result = null, races } = this.#answers.value[place] as SchemeAnswer,
        behind = fates[n]?.behind ?? null;
      if (!races || !result || behind === null || !out.includes(place)) return;
      this.#put(place, { dropped: behind });
      const hash = this.#hashes[this.#places.indexOf(place)] ?? "";
      this.#host.results.keep(droppedKey(hash), { ...result, behind } as Result);
    });
    return out.map((place) => this.#places.indexOf(place)).filter((index) => index >= 0);
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
    const dropped = runs.map(({ hash }) => ({ hash: droppedKey(hash) }));
    await Promise.all([
      host.results.recall(runs),
      host.results.recall(dropped),
      host.alone.recall(Object.keys(plan.runs).map((hash) => ({ hash }))),
    ]);
    if (turn !== this.#turn) return;
    const pool = this.#poolOf(text, plan, this.#race(cycles));
    this.#places = places;
    this.#hashes = runs.map(({ hash }) => hash);
    this.#pool = pool;
    this.#recalled();
    // What the page has run itself meanwhile is done, too.
    const open = this.#open();
    pool.skip(places.flatMap((place, index) => (open.includes(place) ? [] : [index])));
    pool.know(host.alone.known);
    if (this.#wanted) this.start(this.#whole);
  }

  /** What this browser knows of the points. */
  #recalled(): void {
    const { known } = this.#host.results,
      open = new Set(this.#open());
    this.#hashes.forEach((hash, index) => {
      const place = this.#places[index] as number,
        whole = known[hash],
        dropped = known[droppedKey(hash)],
        behind = dropped?.["behind"];
      if (!open.has(place)) return;
      if (whole) this.#put(place, { result: whole });
      else if (dropped && typeof behind === "number") this.#put(place, { result: dropped, dropped: behind });
    });
  }

  #poolOf(text: string, plan: Plan, race: RaceEvents | null): RunsPoints {
    const events: PoolEvents = {
      line: (index, line) => {
        const { result } = JSON.parse(line) as Line;
        this.#host.results.keep(this.#hashes[index] ?? "", result);
        this.#put(this.#places[index] as number, { result });
        this.#tell(pool);
      },
      broken: (task, why) => {
        for (const i of task?.kind === "point" ? [this.#places[task.index] as number] : task ? [] : this.#open())
          this.#put(i, { result: null, why: `a defect: ${why}` });
      },
      progress: () => this.#tell(pool),
      over: () => {
        if (pool === this.#pool) this.stop();
      },
    };
    const pool = this.#host.pool(text, plan, events, race);
    return pool;
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
    const { done: part, left: leftMs, look } = pool.progress(),
      race = before.race === true;
    this.#progress.value = { done, of: before.of, part, leftMs, race, ...(look ? { lookMs: look } : {}) };
  }

  /** Runs what has no answer yet: as a race, or, with those that one has dropped, each to its end. */
  start(whole = false): void {
    const dropped = whole ? this.#droppedOnes() : [];
    if (this.#running) return;
    for (const place of dropped) this.#put(place, { result: null });
    this.#pool?.again(dropped.map((place) => this.#places.indexOf(place)));
    const of = this.#open().length;
    this.#wanted = of > 0;
    this.#whole = whole;
    if (of === 0) return;
    this.#progress.value = { done: 0, of, part: 0, leftMs: null, race: this.#races && !whole };
    if (!this.#pool) return;
    this.#running = true;
    this.#held.clear();
    this.#pool.start(this.#host.workers, whole);
  }

  /** Ends in this very moment; what is done stays. */
  stop(): void {
    this.#wanted = false;
    this.#running = false;
    this.#pool?.stop();
    this.#progress.value = null;
  }
}

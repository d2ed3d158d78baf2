// All schemes of a mix, run where no answer is there: what runs, what does not run twice, how it is stopped, and the time left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { schemeHead } from "../src/model/choices.ts";
import { Answers } from "../src/engine/answers.ts";
import type { SchemeAnswer } from "../src/model/model.ts";
import { raceText, runningText } from "../src/schemes/scheme-points.ts";
import { type RunsPoints, type SchemesProgress, SchemesRun } from "../src/schemes/schemes-run.ts";
import { schemesFor } from "../src/schemes/variants.ts";
import type { PoolEvents, RaceEvents } from "../src/engine/lab/pool.ts";
import type { Plan } from "../src/engine/lab/sweep.ts";
import { timeLeft, type Worked } from "../src/engine/lab/time-left.ts";
import type { Catalogue, Experiment, PolicyEntry, Problem, Result } from "../src/model/types.ts";
import { VENDORS } from "./vendors.ts";

const entry = (name: string, title: string): PolicyEntry => ({ name, title, params: [] }) as unknown as PolicyEntry;
const catalogue = {
  policies: [
    entry("even", "Even split"),
    entry("cc", "CCBP: CTAs and bandwidth together"),
    entry("hetero-a", "HeteroCore: some of each"),
    entry("hetero-b", "HeteroCore: by class"),
    entry("fixed", "Fixed"),
  ],
  gpus: [],
  gpu_fields: [],
  vendors: VENDORS,
} as unknown as Catalogue;
const mix: Experiment = { corun: 1, kernels: ["BP", "CFD"], policy: { name: "even" }, seed: 1 };
const result = (hash: string): Result =>
  ({ digest: `d${hash}`, config_hash: hash, kernels: [], cycles: 1, gpu: {}, engine: "", seed: 1 }) as Result;

/** A pool whose points end when the test says so. */
function host() {
  const pools: {
    text: string;
    events: PoolEvents;
    race: RaceEvents | null;
    skipped: number[];
    again: number[];
    /** How it was started; null while it stands. */
    running: "race" | "whole" | null;
    end(name: string, speedup?: number): void;
    hold(name: string, speedup: number): void;
  }[] = [];
  const tested = {
    pools,
    catalogue,
    workers: 2,
    validate: (one: object): Promise<Problem[]> =>
      Promise.resolve(
        ((one as Experiment).policy as { name: string }).name === "fixed"
          ? [{ path: "policy.combination", found: "nothing", want: "a list" }]
          : [],
      ),
    plan: (text: string, _most: number, said: (plan: Plan) => void): (() => void) => {
      const { sweep } = JSON.parse(text) as { sweep: { base: object; axes: { values: { name: string }[] }[] } };
      said({
        name: "",
        hash: "",
        axes: [["policy"]],
        points: (sweep.axes[0]?.values ?? []).map((policy) => ({
          axes: { policy },
          // As the engine's: how kernels run alone is no part of it.
          config_hash: `h ${JSON.stringify({ ...sweep.base, policy, alone: 0, alone_gpu: 0 })}`,
          experiment: { corun: 1, kernels: [], ...sweep.base },
          cycles: 500_000,
          alone: [],
          needs: [],
        })),
        runs: {},
      });
      return () => undefined;
    },
    pool: (text: string, plan: Plan, events: PoolEvents, race: RaceEvents | null = null): RunsPoints => {
      const find = (name: string): number =>
        plan.points.findIndex(({ axes }) => (axes["policy"] as { name: string }).name === name);
      const line = (index: number, cycles: number, hspeedup: number): string =>
        JSON.stringify({
          index,
          result: { ...result(plan.points[index]?.config_hash ?? ""), cycles, metrics: { hspeedup } },
        });
      const pool: (typeof pools)[number] = {
        text,
        events,
        race,
        skipped: [],
        again: [],
        running: null,
        end: (name, speedup = 0.5) => events.line(find(name), line(find(name), 500_000, speedup)),
        hold: (name, speedup) => race?.held(find(name), line(find(name), 100_000, speedup), 0),
      };
      pools.push(pool);
      return {
        know: () => undefined,
        skip: (points) => {
          pool.skipped.push(...points);
        },
        again: (points) => {
          pool.again.push(...points);
        },
        start: (_workers, whole = false) => {
          pool.running = whole ? "whole" : "race";
        },
        stop: () => {
          pool.running = null;
        },
        progress: () => ({ done: 0.5, left: 1000 }),
      };
    },
    alone: new Answers(""),
    results: new Answers<Result>(""),
  };
  return tested;
}
const show = (run: SchemesRun, experiment: Experiment, stored: readonly SchemeAnswer[] = []): Promise<void> =>
  run.show(experiment, stored, schemesFor(catalogue, experiment));
const state = (run: SchemesRun): string[] =>
  run.answers.value.map(({ scheme, result: has, why }) => `${scheme}: ${has ? "done" : why ? "cannot" : "open"}`);

test("a scheme is called by its title up to the colon, unless another begins so", () => {
  assert.deepEqual(
    ["even", "cc", "hetero-a", "own"].map((name) => schemeHead(name, catalogue)),
    ["Even split", "CCBP", "HeteroCore: some of each", "own"],
  );
});

test("the picture fills point by point; what cannot run says why; stopping keeps what is done, and going on runs the rest", async () => {
  const on = host(),
    run = new SchemesRun(on);
  await show(run, mix);
  assert.deepEqual(state(run), [
    "Even split: open",
    "CCBP: open",
    "HeteroCore: some of each: open",
    "HeteroCore: by class: open",
    "Fixed: cannot",
  ]);
  assert.equal(run.answers.value[4]?.why, "needs a list");
  assert.equal(
    run.answers.value[0]?.experiment.stop && JSON.stringify(run.answers.value[0].experiment.stop),
    '{"cycles":500000}',
  );
  assert.equal(run.progress.value, null, "nothing runs before it is asked for");
  run.start();
  const [pool] = on.pools as [(typeof on.pools)[0]];
  assert.ok(pool.running);
  assert.deepEqual(run.progress.value, { done: 0, of: 4, part: 0, leftMs: null, race: true });
  pool.end("cc");
  assert.equal(state(run)[1], "CCBP: done");
  assert.deepEqual(run.progress.value, { done: 1, of: 4, part: 0.5, leftMs: 1000, race: true });
  run.stop();
  assert.ok(!pool.running);
  assert.equal(run.progress.value, null);
  assert.equal(state(run)[1], "CCBP: done");
  run.start();
  assert.equal(on.pools.length, 1, "the same pool, which knows what it has run");
  assert.deepEqual(run.progress.value, { done: 0, of: 3, part: 0, leftMs: null, race: true });
  pool.events.broken({ kind: "point", index: 0, answers: {} }, "a trap");
  assert.equal(run.answers.value[0]?.why, "a defect: a trap");
  pool.end("hetero-a");
  pool.end("hetero-b");
  pool.events.over();
  assert.equal(run.progress.value, null);
});

test("what is stored, or has been run, is not run again", async () => {
  const on = host(),
    run = new SchemesRun(on);
  const stored = (policy: string): SchemeAnswer => ({
    experiment: { ...mix, policy },
    scheme: policy,
    result: result(policy),
  });
  await show(run, mix, [stored("even"), stored("cc")]);
  assert.deepEqual(state(run).slice(0, 3), ["Even split: done", "CCBP: done", "HeteroCore: some of each: open"]);
  const [pool] = on.pools as [(typeof on.pools)[0]];
  assert.deepEqual(
    (JSON.parse(pool.text) as { sweep: { axes: { values: { name: string }[] }[] } }).sweep.axes[0]?.values.map(
      (v) => v.name,
    ),
    ["hetero-a", "hetero-b"],
  );
  run.start();
  pool.end("hetero-a");
  // Another mix, and back again.
  await show(run, { ...mix, seed: 2 });
  assert.equal(run.progress.value, null);
  assert.ok(!pool.running);
  assert.ok(state(run).every((one) => !one.endsWith("done")));
  await show(run, mix, [stored("even"), stored("cc")]);
  assert.deepEqual(state(run).slice(2, 4), ["HeteroCore: some of each: done", "HeteroCore: by class: open"]);
  assert.deepEqual(on.pools.at(-1)?.skipped, [0]);
  // The same schemes on the same mix: nothing begins anew.
  run.start();
  await show(run, { ...mix, policy: "cc" });
  const pools = on.pools.length;
  await show(run, { ...mix, policy: { name: "hetero-a" } });
  assert.equal(on.pools.length, pools);
});

test("a race: what is held is shown, what is dropped says so and is not run again, unless it is asked for", async () => {
  const on = host(),
    run = new SchemesRun(on);
  await show(run, mix);
  run.start();
  const [pool] = on.pools as [(typeof on.pools)[0]],
    race = pool.race as RaceEvents;
  assert.equal(pool.running, "race");
  assert.equal(race.cycles, 500_000);
  // Nothing has run; what cannot run is not in it.
  assert.deepEqual(
    race.standings().map(({ cycle, speedup }) => [cycle, speedup]),
    [0, 1, 2, 3].map(() => [0, null]),
  );
  const goesOn = { goes_on: true, behind: null };
  assert.deepEqual(race.judged([goesOn, goesOn, goesOn, goesOn]), []);
  pool.hold("cc", 0.6);
  pool.hold("even", 0.3);
  pool.hold("hetero-a", 0.55);
  pool.end("hetero-b", 0.5);
  const waiting = () => run.answers.value.filter(({ result: has, races }) => has && races);
  const progress = run.progress.value as SchemesProgress;
  assert.equal(
    runningText(waiting(), progress),
    "3 of 4 still race: Even split, CCBP, HeteroCore: some of each, at most 1 s left",
  );
  assert.equal(
    runningText(waiting(), { ...progress, lookMs: 12_000, leftMs: 90_000 }),
    "3 of 4 still race: Even split, CCBP, HeteroCore: some of each, first compared in about 12 s, at most 2 min left",
  );
  assert.deepEqual(
    race.standings().map(({ cycle, steady_since, speedup }) => [cycle, steady_since, speedup]),
    [
      [100_000, 0, 0.3],
      [100_000, 0, 0.6],
      [100_000, 0, 0.55],
      [500_000, 0, 0.5],
    ],
  );
  const ended = { goes_on: false, behind: null };
  assert.equal(race.judged([{ goes_on: false, behind: 0.5 }, goesOn, goesOn, ended]).length, 2);
  const [even, cc] = run.answers.value as [SchemeAnswer, SchemeAnswer];
  assert.equal(raceText(even), "dropped at 100,000 cycles: 50 % behind");
  assert.equal(raceText(cc), "still races, now at 100,000 cycles");
  pool.end("cc", 0.61);
  pool.end("hetero-a", 0.5);
  pool.events.over();
  assert.equal(run.progress.value, null);
  assert.equal(raceText(run.answers.value[1] as SchemeAnswer), "");
  // Another mix, and back again: it has been dropped.
  await show(run, { ...mix, seed: 2 });
  await show(run, mix);
  assert.equal(raceText(run.answers.value[0] as SchemeAnswer), "dropped at 100,000 cycles: 50 % behind");
  run.start();
  assert.equal(run.progress.value, null, "nothing is left to run");
  run.start(true);
  const last = on.pools.at(-1) as (typeof on.pools)[0];
  assert.deepEqual([last.running, last.again.length], ["whole", 1]);
  last.end("even", 0.35);
  assert.equal(raceText(run.answers.value[0] as SchemeAnswer), "");
  assert.equal(run.answers.value[0]?.result?.cycles, 500_000);
});

test("a dropped scheme that the page runs to its end is dropped no more; where a kernel has a goal nobody races", async () => {
  const on = host(),
    run = new SchemesRun(on);
  await show(run, mix);
  run.start();
  const [pool] = on.pools as [(typeof on.pools)[0]];
  pool.race?.standings();
  pool.hold("even", 0.3);
  pool.race?.judged([{ goes_on: false, behind: 0.5 }]);
  const even = run.answers.value[0] as SchemeAnswer;
  assert.equal(even.dropped, 0.5);
  run.take({ experiment: even.experiment, result: { ...result("whole"), cycles: 500_000 } as Result });
  assert.equal(run.answers.value[0]?.dropped, undefined);
  assert.equal(run.answers.value[0]?.result?.config_hash, "whole");
  await show(run, { ...mix, kernels: [{ kernel: "BP", qos: 0.5 }, "CFD"] });
  assert.equal(on.pools.at(-1)?.race, null);
});

test("a stored answer is of one scheme with one order of CTAs, and of how its kernels ran alone", async () => {
  const alone: Experiment = { ...mix, kernels: ["HS"] },
    ordered = (cta_order: string): SchemeAnswer => ({
      experiment: { ...alone, policy: "even", cta_order },
      scheme: cta_order,
      result: result(cta_order),
    });
  const on = host(),
    run = new SchemesRun(on);
  await show(run, { ...alone, cta_order: "flip" }, [ordered("reset"), ordered("flip"), ordered("steal")]);
  assert.equal(run.answers.value[0]?.result?.config_hash, "flip");

  await show(run, mix);
  run.start();
  on.pools.at(-1)?.end("cc");
  assert.equal(state(run)[1], "CCBP: done");
  // It is the same run, with other slowdowns.
  await show(run, { ...mix, alone_gpu: "qos-16sm" });
  assert.equal(state(run)[1], "CCBP: open");
  await show(run, mix);
  assert.equal(state(run)[1], "CCBP: done");
});

test("asked for while it is still being read, it starts when it can", async () => {
  const on = host(),
    run = new SchemesRun(on),
    shown = show(run, mix);
  run.start();
  assert.equal(run.progress.value?.leftMs, null);
  await shown;
  assert.ok(on.pools[0]?.running);
  assert.equal(run.progress.value?.of, 4);
});

test("the time left: each at its own rate, the rest at the mean, the next on the worker that is free first", () => {
  const worked =
    (alone: boolean) =>
    (cycles: number, done: number, spentMs: number): Worked => ({
      alone,
      cycles,
      done,
      spentMs,
      lately: { done, spentMs },
    });
  const alone = worked(true),
    mixed = worked(false);
  const waits = (n: number) => Array.from({ length: n }, () => ({ alone: false, cycles: 1000 }));
  assert.equal(timeLeft([], [], waits(3), 2), null, "no rate yet");
  assert.equal(timeLeft([], [mixed(9000, 20, 20)], [], 1), null, "too short to tell");
  // One worker at 1 cycle a millisecond: half of one and two more.
  assert.equal(timeLeft([], [mixed(8000, 4000, 4000)], waits(2), 1), 6000);
  // Two workers, three more: the last one decides.
  assert.equal(timeLeft([], [mixed(8000, 4000, 4000), mixed(8000, 4000, 4000)], waits(3), 2), 6000);
  // One is slow: it keeps its own rate, once it has run for a while.
  const slow = timeLeft([mixed(90_000, 90_000, 90_000)], [mixed(8000, 4000, 40_000)], [], 1) ?? 0;
  assert.ok(slow > 20_000 && slow < 40_000, String(slow));
  // One that begins runs like the others, whatever its first moments say.
  const begins = timeLeft([mixed(90_000, 90_000, 90_000)], [mixed(8000, 1, 200)], [], 1) ?? 0;
  assert.ok(begins > 7500 && begins < 9000, String(begins));
  // Runs alone tell of the mix until a mix has run.
  assert.equal(timeLeft([alone(9000, 9000, 4500)], [], waits(1), 1), 500);
  assert.equal(timeLeft([alone(9000, 9000, 4500), mixed(2000, 2000, 4000)], [], waits(1), 1), 2000);
  // The first that has run is enough, however many short runs alone there were, and however little the latest took.
  assert.equal(timeLeft([alone(1000, 1000, 10_000), mixed(2000, 2000, 1000)], [], waits(3), 1), 1500);
  const short = Array.from({ length: 20 }, () => alone(100, 100, 100));
  assert.equal(timeLeft([mixed(8000, 8000, 4000), ...short], [], waits(2), 1), 1000);
});

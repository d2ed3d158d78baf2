// A sweep in the page without the page: its text is read, run, stopped and gone on with, and its lines are kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolEvents } from "../src/engine/lab/pool.ts";
import { Sweeps, endedText } from "../src/sweeps/sweeps.ts";
import type { Line, Plan } from "../src/engine/lab/sweep.ts";
import type { Problem } from "../src/model/types.ts";

const plan = (hash: string, points = 3): Plan =>
  ({
    name: "",
    hash,
    axes: [["seed"]],
    points: Array.from({ length: points }, (_, index) => ({
      index,
      axes: { seed: index },
      experiment: { kernels: ["BP"] },
    })),
    runs: {},
  }) as unknown as Plan;
const lineOf = (index: number): string => JSON.stringify({ index, result: { cycles: 100 * index, kernels: [] } });

function begun(kept: readonly number[] = []) {
  const said: string[] = [],
    pools: { events: PoolEvents; skipped: number[]; started: number[]; stopped: number }[] = [],
    stored: number[] = [];
  let answer: (plan: Plan | Problem[]) => void = () => undefined;
  const of = new Sweeps({ changed: () => said.push("changed"), taken: () => said.push("taken") });
  of.open({ text: "one", x: 0, y: "" });
  assert.equal(of.phase.value, "loading");
  of.begin({
    metrics: [],
    read: (text, done) => {
      let ended = false;
      answer = (read) => {
        if (!ended) done(read, "1.0-abc");
      };
      said.push(`read ${text}`);
      return () => {
        ended = true;
      };
    },
    pool: (_, __, events) => {
      const pool = { events, skipped: [] as number[], started: [] as number[], stopped: 0 };
      pools.push(pool);
      return {
        skip: (points) => pool.skipped.push(...points),
        start: (workers) => pool.started.push(workers),
        stop: () => {
          pool.stopped += 1;
        },
        progress: () => ({ done: 0.5, left: 3000 }),
      };
    },
    kept: () => ({
      recall: async () =>
        kept.map((index) => ({ index, text: lineOf(index), line: JSON.parse(lineOf(index)) as Line })),
      keep: (_, index) => void stored.push(index),
    }),
  });
  const settle = (): Promise<void> => new Promise((done) => setTimeout(done, 0));
  const read = async (as: Plan | Problem[]): Promise<void> => {
    answer(as);
    await settle();
  };
  return { of, said, pools, stored, read };
}

test("a sweep runs, stops and goes on; what is done is kept and not run again", async () => {
  const { of, pools, stored, read } = begun();
  await read(plan("a"));
  assert.deepEqual([of.phase.value, of.words.value], ["ready", "3 points"]);
  of.start(1000);
  assert.deepEqual([of.phase.value, pools[0]?.started], ["running", [64]]);
  assert.equal(of.words.value, "0 of 3 points, about 3 s left");
  pools[0]?.events.line(1, lineOf(1));
  of.halt();
  assert.deepEqual([of.phase.value, of.words.value, pools[0]?.stopped], ["stopped", "Stopped: 1 of 3 points", 1]);
  assert.equal(of.spoken.value, "Stopped: 1 of 3 points");
  assert.deepEqual(stored, [1]);
  // Another sweep, and back.
  of.edit("two");
  await read(plan("b"));
  assert.equal(of.phase.value, "ready");
  of.edit("one");
  await read(plan("a"));
  assert.equal(of.phase.value, "stopped");
  of.start(2);
  pools[0]?.events.line(0, lineOf(0));
  pools[0]?.events.line(2, lineOf(2));
  pools[0]?.events.over();
  assert.equal(of.words.value, "Done: 3 of 3 points");
  assert.equal(pools.length, 2);
});

test("lines of an earlier visit are there at once", async () => {
  const { of, pools, read } = begun([0, 2, 7]);
  await read(plan("a"));
  assert.deepEqual([of.phase.value, pools[0]?.skipped], ["stopped", [0, 2]]);
  const run = of.run.value;
  assert.ok(run);
  run.broken.set(1, "it broke");
  assert.deepEqual(
    [0, 1, 2].map((index) => endedText(run, index)),
    ["at 0", "a defect", "at 200"],
  );
});

test("what is wrong is said, and a newer text ends the reading of an older one", async () => {
  const { of, said, read } = begun();
  await read([{ path: "sweep.axes", found: "nothing", want: "a list" }]);
  assert.deepEqual([of.phase.value, of.words.value, of.run.value], ["bad", "It cannot run", null]);
  of.change("two");
  assert.deepEqual(said.slice(-2), ["taken", "read two"]);
  of.edit("three");
  await read(plan("a"));
  assert.deepEqual([of.phase.value, of.problems.value], ["ready", []]);
  of.show({ metric: "ipc", axis: 0 });
  assert.deepEqual(of.state, { text: "three", y: "ipc", x: 0 });
  of.refuse({ kind: "error", title: "No" });
  assert.deepEqual([of.run.value, of.words.value], [null, ""]);
});

// A GPU that was measured, beside the machine: which preset it is held against, what fills as runs end, what is left, and what does not run twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Answers } from "../src/engine/answers.ts";
import type { RunsPoints } from "../src/schemes/schemes-run.ts";
import { Comparison, likely, progressText } from "../src/silicon/model.ts";
import type { PoolEvents } from "../src/engine/lab/pool.ts";
import type { Plan } from "../src/engine/lab/sweep.ts";
import type { Problem, Result, Silicon } from "../src/model/types.ts";

const PRESETS = [
  { name: "h100-sxm5", scale: "1/4" },
  { name: "h200-sxm", scale: "1/4" },
];
const CASES = ["l1 alone", "l2 alone", "l1 beside l2"];
const measured = (presets: Silicon["presets"]): Silicon => ({
  gpu: "A GPU",
  date: "",
  alone: [],
  pairs: [],
  title: "",
  presets,
  summary: null,
});
const far = (of: Comparison) => of.progress.value;
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** A pool whose runs end when the test says so. `asked`: which IPCs the engine has been told. */
function tested(presets = PRESETS, wrong: Problem[] = []) {
  const pools: {
      gpu: string;
      events: PoolEvents;
      skipped: number[];
      running: boolean;
      end(index: number, ipc: number): void;
    }[] = [],
    asked: { scale: string; ipcs: number[] }[] = [];
  const host = {
    workers: 2,
    plan: (text: string, _most: number, said: (plan: Plan | Problem[]) => void): (() => void) => {
      const { gpu } = JSON.parse(text) as { gpu: string };
      const points = CASES.map((name) => ({
        axes: { name },
        config_hash: `${name} on ${gpu}`,
        experiment: { corun: 1, name, kernels: [] },
        cycles: 400_000,
        alone: [],
        needs: [],
      }));
      said(wrong.length > 0 ? wrong : ({ name: "", hash: "", axes: [], points, runs: {} } as unknown as Plan));
      return () => undefined;
    },
    pool: (text: string, plan: Plan, events: PoolEvents): RunsPoints => {
      const pool = {
        gpu: (JSON.parse(text) as { gpu: string }).gpu,
        events,
        skipped: [] as number[],
        running: false,
        end: (index: number, ipc: number): void => {
          const result = {
            digest: "d",
            config_hash: plan.points[index]?.config_hash,
            cycles: 1,
            kernels: [{ ipc: 9 }, { ipc }],
          };
          events.line(index, JSON.stringify({ index, result }));
        },
      };
      pools.push(pool);
      return {
        know: () => undefined,
        again: () => undefined,
        skip: (points) => {
          pool.skipped.push(...points);
        },
        start: () => {
          pool.running = true;
        },
        stop: () => {
          pool.running = false;
        },
        progress: () => ({ done: 0.5, left: 60_000 }),
      };
    },
    results: new Answers<Result>(""),
  };
  const reader = {
    read: (scale: string, ipcs: readonly number[]): Promise<Silicon> => {
      asked.push({ scale, ipcs: [...ipcs] });
      return Promise.resolve({ ...measured(presets), title: `${ipcs.filter((ipc) => ipc > 0).length} known` });
    },
    sweep: (gpu: string, scale: string): Promise<object> => Promise.resolve({ gpu, scale }),
  };
  return { host, reader, pools, asked, of: new Comparison(host, reader, measured(presets)) };
}

test("of presets that fit, the GPU's name decides, then the file's, then their order", () => {
  const of = (gpu: string, file: string): string => likely(PRESETS, gpu, file);
  assert.equal(of("NVIDIA H200", "h100.csv"), "h200-sxm");
  assert.equal(of("NVIDIA H100 80GB HBM3", "gpu.csv"), "h100-sxm5");
  assert.equal(of("Graphics Device", "h200.csv"), "h200-sxm");
  assert.equal(of("Graphics Device", "gpu.csv"), "h100-sxm5");
  assert.equal(of("NVIDIA H2000", "gpu.csv"), "h100-sxm5");
  assert.equal(likely([], "NVIDIA H100", "h100.csv"), "");
});

test("what runs fills run by run, of its last kernel; stopping keeps it, and the rest is run when asked", async () => {
  const { of, pools, asked } = tested();
  assert.equal(of.left.value, 0);
  of.start();
  assert.equal(of.progress.value, null, "nothing is there to run");
  await of.choose("h100-sxm5");
  assert.deepEqual([of.left.value, [...of.runs.value.keys()], of.progress.value], [3, CASES, null]);
  of.start();
  assert.deepEqual([pools[0]?.running, far(of)?.of], [true, 3]);
  pools[0]?.end(1, 4);
  await turn();
  assert.deepEqual(asked, [{ scale: "1/4", ipcs: [Number.NaN, 4, Number.NaN] }]);
  assert.deepEqual([of.left.value, of.shown.value.title, far(of)?.done], [2, "1 known", 1]);
  assert.equal(progressText({ done: 1, of: 3, part: 0.5, leftMs: null }, "1 min"), "1 of 3 runs, about 1 min left");
  of.stop();
  assert.deepEqual([pools[0]?.running, of.progress.value, of.left.value], [false, null, 2]);
  of.start();
  assert.deepEqual([pools[0]?.running, far(of)?.of], [true, 2]);
  pools[0]?.end(0, 2);
  pools[0]?.end(2, 1);
  pools[0]?.events.over();
  await turn();
  assert.deepEqual([of.left.value, of.progress.value, of.shown.value.title], [0, null, "3 known"]);
});

test("another preset begins anew; what has run on the first stands there again", async () => {
  const { of, pools } = tested();
  await of.choose("h100-sxm5");
  of.start();
  pools[0]?.end(0, 2);
  await turn();
  await of.choose("h200-sxm");
  assert.deepEqual([pools[0]?.running, of.left.value, of.shown.value.title], [false, 3, ""]);
  pools[0]?.end(1, 4);
  await turn();
  assert.deepEqual([of.left.value, of.shown.value.title], [3, ""], "of a run that ended too late nothing is shown");
  await of.choose("h100-sxm5");
  await turn();
  assert.deepEqual(
    [pools[2]?.gpu, pools[2]?.skipped, of.left.value, of.shown.value.title],
    ["h100-sxm5", [0, 1], 1, "2 known"],
  );
});

test("without a preset nothing runs; what cannot run says why", async () => {
  const none = tested([]);
  await none.of.choose("");
  assert.deepEqual([none.pools.length, none.of.left.value, none.of.why.value], [0, 0, ""]);
  const wrong = tested(PRESETS, [{ path: "scale", found: "1/4", want: "1" }]);
  await wrong.of.choose("h100-sxm5");
  assert.deepEqual([wrong.of.left.value, wrong.of.why.value], [0, "scale: found 1/4, want 1"]);
  const large = tested();
  large.reader.sweep = () => Promise.reject(new Error("# shared_bytes: found 9, want 8"));
  await large.of.choose("h100-sxm5");
  assert.deepEqual([large.of.left.value, large.of.why.value], [0, "# shared_bytes: found 9, want 8"]);
  await large.of.choose("");
  assert.equal(large.of.why.value, "");
});

// The chain behind the answer: every number is the result's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, type Step } from "../src/run/why.ts";
import type { RunSide } from "../src/run/model.ts";
import type { Result } from "../src/types.ts";

const counters = (by: number): object => ({
  warp_instructions: 100 * by,
  wait_l2: 9000 * by,
  dram_reads: 10,
  dram_writes: 30 * by,
  context_lines_in: by === 3 ? 4 : 0,
  noc_reply_flits: 25 * by,
});
const RESULT = {
  config_hash: "",
  cycles: 1000,
  gpu: { dram_utilisation: 0.25, noc_utilisation_all: 0.6, scheduler_cycles: 1600 },
  kernels: [
    {
      name: "BP",
      slowdown: 4,
      thread_instructions: 1,
      counters: counters(1),
      breakdown: { warps: 5, memory: 30, lsu: 5, other: 15 },
      breakdown_alone: { warps: 9, memory: 2 },
    },
    {
      name: "CFD",
      slowdown: 1,
      thread_instructions: 1,
      counters: counters(3),
      breakdown: { warps: 5 },
      stalls: { quota: 0.2 },
    },
  ],
  verdict: {
    sufferer: 0,
    cause: "noc",
    evidence: [{ what: "warps on the GPU", unit: "warps", here: 5, alone: 9 }],
  },
} as unknown as Result;
const side = (result: Result | null): RunSide => ({
  mark: "A",
  scheme: "Even split",
  experiment: { corun: 1, kernels: ["BP", "CFD"] },
  kernels: ["BP", "CFD"],
  result,
  origin: "here",
});
const step = (steps: readonly Step[], title: string): Step => {
  const found = steps.find((one) => one.title.startsWith(title));
  assert.ok(found, title);
  return found;
};

test("what a kernel takes here stands beside what it takes alone; what is missing is null", () => {
  const { name, steps } = chain(side(RESULT));
  assert.equal(name, "BP");
  const rows = (title: string): unknown =>
    step(steps, title).rows.map((row) => ("here" in row ? [row.name, row.here, row.alone] : null));
  assert.deepEqual(rows("The sentence follows from"), [["warps on the GPU", 5, 9]]);
  assert.deepEqual(rows("Warps on the GPU"), [
    ["BP", 5, 9],
    ["CFD", 5, null],
  ]);
  assert.deepEqual(rows("An instruction of BP"), [
    ["memory", 30, 2],
    ["load-store unit", 5, null],
    ["everything else", 15, null],
  ]);
  assert.deepEqual(rows("Stopped by a quota"), [
    ["BP", 0, null],
    ["CFD", 0.2, null],
  ]);
});

test("a place is shared by what has passed it; the one that the verdict names is marked", () => {
  const rows = step(chain(side(RESULT)).steps, "Who fills").rows.map((row) =>
    "parts" in row ? [row.name, row.parts.map(({ part }) => part), row.used, row.cause] : null,
  );
  assert.deepEqual(rows, [
    ["SM’s miss queue", [0, 0], null, false],
    ["request network", [0, 0], null, false],
    ["L2 bank", [0.25, 0.75], null, false],
    ["DRAM", [40 / 140, 100 / 140], 0.25, false],
    ["contexts in DRAM", [0, 4 / 140], null, false],
    ["reply network", [0.25, 0.75], 0.6, true],
    ["issue slots", [0.25, 0.75], 0.25, false],
  ]);
});

test("a stored answer has the part of the chain that it knows", () => {
  const kernels = RESULT.kernels.map(({ counters: _, breakdown: _own, ...kernel }) => ({
    ...kernel,
    latency: { miss_queue: 70, request_noc: 20, l2: 30, dram: 40, reply_noc: 10 },
  }));
  const { steps } = chain({ ...side({ ...RESULT, kernels } as unknown as Result), origin: "stored" });
  assert.deepEqual(
    steps.map(({ title }) => title),
    ["The sentence follows from", "A read of BP that misses L1D waits in"],
  );
});

test("nothing is said of a run without a result", () => {
  assert.deepEqual(chain(side(null)).steps, []);
});

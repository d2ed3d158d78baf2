// The chain behind the answer: every number is the result's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, type Step } from "../src/run/why.ts";
import type { RunSide, SchemeAnswer } from "../src/run/model.ts";
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
  verdict: { sufferer: 0 },
  because: [
    {
      kernel: 0,
      neighbour_cost: 3.5,
      cures: [
        { cure: "noc", words: "a NoC without limits", neighbour_cost: 1.4, gives_back: 2.5, ci95: [2, 3] },
        { cure: "l2", words: "a larger L2", neighbour_cost: 3.5, gives_back: 1, ci95: null },
      ],
      not_tried: ["slots"],
      says: "With a NoC without limits, 2.50 × of the 3.50 × that CFD costs BP would go.",
    },
  ],
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
    step(steps, title).rows.map((row) => ("alone" in row ? [row.name, row.here, row.alone] : null));
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

test("what neighbours cost stands without one cause each, the best first", () => {
  const found = step(chain(side(RESULT)).steps, "Neighbours cost BP 3.50 ×");
  assert.ok(found.kind === "cures");
  assert.deepEqual(
    found.rows.map(({ name, here, base, back, give }) => [name, here, base, back, give]),
    [
      ["with a NoC without limits", 1.4, 3.5, 2.5, 0.5],
      ["with a larger L2", 3.5, 3.5, 1, null],
    ],
  );
  assert.deepEqual(found.not, ["slots"]);
  // A scheme that acts on the first, and one that does not.
  const answer = (name: string, slowdown: number): SchemeAnswer => ({
    experiment: { corun: 1, kernels: ["BP", "CFD"], policy: { name } },
    scheme: name.toUpperCase(),
    result: { ...RESULT, kernels: [{ ...RESULT.kernels[0], slowdown }, RESULT.kernels[1]] } as unknown as Result,
  });
  const acts = { name: "noc", words: "a NoC without limits", policies: ["ccbp", "mil"] };
  const known = step(
    chain(side(RESULT), [answer("mil", 2.1), answer("ccbp", 1.6), answer("smk", 1.1)], [acts]).steps,
    "Neighbours cost BP",
  );
  assert.ok(known.kind === "cures");
  assert.deepEqual(known.acts, [
    { scheme: "CCBP", slowdown: 1.6 },
    { scheme: "MIL", slowdown: 2.1 },
  ]);
});

test("a place is shared by what has passed it", () => {
  const rows = step(chain(side(RESULT)).steps, "Who fills").rows.map((row) =>
    "parts" in row ? [row.name, row.parts.map(({ part }) => part), row.used] : null,
  );
  assert.deepEqual(rows, [
    ["SM’s miss queue", [0, 0], null],
    ["request network", [0, 0], null],
    ["L2 bank", [0.25, 0.75], null],
    ["DRAM", [40 / 140, 100 / 140], 0.25],
    ["contexts in DRAM", [0, 4 / 140], null],
    ["reply network", [0.25, 0.75], 0.6],
    ["issue slots", [0.25, 0.75], 0.25],
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
    ["Neighbours cost BP 3.50 ×; without one cause each", "A read of BP that misses L1D waits in"],
  );
});

test("nothing is said of a run without a result", () => {
  assert.deepEqual(chain(side(null)).steps, []);
});

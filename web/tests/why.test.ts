// The chain behind the answer: every number is the result's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain } from "../src/model/why.ts";
import type { RunSide, SchemeAnswer } from "../src/model/model.ts";
import type { Result } from "../src/model/types.ts";

const RESULT = {
  config_hash: "",
  cycles: 1000,
  gpu: {},
  kernels: [
    {
      name: "BP",
      slowdown: 4,
      neighbour_cost: 3.5,
      thread_instructions: 1,
      breakdown: { warps: 5, memory: 30, lsu: 5, other: 15 },
      breakdown_alone: { warps: 9, memory: 2 },
    },
    {
      name: "CFD",
      slowdown: 1,
      thread_instructions: 1,
      breakdown: { warps: 5 },
    },
  ],
  verdict: { sufferer: 0 },
  because: [
    {
      kernel: 0,
      neighbour_cost: 3.4,
      cures: [
        { cure: "noc", words: "an unlimited NoC", without: 3.4, neighbour_cost: 1.4, gives_back: 2.5, ci95: [2, 3] },
        { cure: "l2", words: "a larger L2", without: 3.5, neighbour_cost: 3.5, gives_back: 1, ci95: null },
      ],
      not_tried: ["slots"],
      bound: [],
      says: "With an unlimited NoC, CFD costs BP 2.50 times less.",
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

test("first stands what neighbours cost the kernel that the sentence is about", () => {
  const [of] = RESULT.because ?? [];
  const both = { ...RESULT, because: [{ ...of, kernel: 1 }, of] } as unknown as Result;
  assert.deepEqual(
    chain(side(both)).cures.map(({ kernel }) => kernel),
    [0, 1],
  );
});

test("what an instruction waits for here stands beside what it waits for alone; what is missing is null", () => {
  const { name, time } = chain(side(RESULT));
  assert.equal(name, "BP");
  assert.deepEqual(
    time.map((row) => [row.name, row.here, row.alone]),
    [
      ["waiting for memory", 30, 2],
      ["waiting for the LSU", 5, null],
      ["everything else", 15, null],
    ],
  );
});

test("what neighbours cost stands without one cause each, the best first", () => {
  const [found] = chain(side(RESULT)).cures;
  assert.match(found?.title ?? "", /^Neighbours cost BP 3.50 ×/);
  assert.deepEqual(
    found?.rows.map(({ name, here, base, back, give }) => [name, here, base, back, give]),
    [
      ["with an unlimited NoC", 1.4, 3.4, 2.5, 0.5],
      ["with a larger L2", 3.5, 3.5, 1, null],
    ],
  );
  assert.deepEqual(found?.not, ["slots"]);
  // A scheme that acts on the first, and one that does not.
  const answer = (name: string, slowdown: number): SchemeAnswer => ({
    experiment: { corun: 1, kernels: ["BP", "CFD"], policy: { name } },
    scheme: name.toUpperCase(),
    result: { ...RESULT, kernels: [{ ...RESULT.kernels[0], slowdown }, RESULT.kernels[1]] } as unknown as Result,
  });
  const acts = { name: "noc", words: "an unlimited NoC", policies: ["ccbp", "mil"] };
  const [known] = chain(side(RESULT), [answer("mil", 2.1), answer("ccbp", 1.6), answer("smk", 1.1)], [acts]).cures;
  assert.deepEqual(known?.acts, [
    { scheme: "CCBP", slowdown: 1.6 },
    { scheme: "MIL", slowdown: 2.1 },
  ]);
});

test("a stored answer has what neighbours cost, and a run without a result nothing", () => {
  const kernels = RESULT.kernels.map(({ breakdown: _, ...kernel }) => kernel);
  const stored = chain({ ...side({ ...RESULT, kernels } as unknown as Result), origin: "stored" });
  assert.deepEqual([stored.cures.length, stored.time], [1, []]);
  const none = chain(side(null));
  assert.deepEqual([none.cures, none.time], [[], []]);
});

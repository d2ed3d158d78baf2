// What a tab, and a link that is sent on, is called: the mix, the GPU, the schemes, and the answer once it is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunSide } from "../src/model/model.ts";
import { answerText, titleOf } from "../src/run/session-words.ts";
import { side } from "../src/model/session.ts";
import type { Catalogue, Experiment, Result } from "../src/model/types.ts";

const catalogue = {
  policies: [{ name: "even", title: "Even split" }],
  gpus: [{ name: "a100-40gb", aliases: ["a100-40gb"], title: "108 SMs, as published of an A100" }],
  vendors: { words: [], gpus: [] },
  gpu_fields: [],
} as unknown as Catalogue;
const MIX: Experiment = { corun: 1, gpu: "a100-40gb", scale: "1/4", kernels: ["ccbp/BP", "ccbp/CFD"], policy: "even" };
const run = (slowdowns: readonly (number | null)[], origin: RunSide["origin"] = "here", more = {}): RunSide => ({
  mark: "",
  scheme: "",
  experiment: MIX,
  kernels: ["BP", "CFD"],
  origin,
  result: {
    cycles: 1,
    kernels: slowdowns.map((slowdown) => ({ slowdown })),
    ci95: { kernels: slowdowns.map((of) => ({ slowdown: of === null ? null : [of - 0.1, of + 0.1] })) },
  } as unknown as Result,
  ...more,
});

test("a title has the mix, the part of the GPU, and both schemes", () => {
  const [a, b] = [MIX, { ...MIX, policy: "smk" }].map(side);
  assert.ok(a && b);
  assert.equal(titleOf([a], catalogue), "BP + CFD on 108 SMs, 1/4 · Even split");
  assert.match(titleOf([a, b], catalogue), /^BP \+ CFD on 108 SMs, 1\/4 · Even split vs /);
  assert.equal(titleOf([a], null), "BP + CFD · Even split");
});

test("a title has the answer once A's is final: who suffers most, and how that is under B", () => {
  assert.equal(answerText([run([1.2, 4.71])]), "CFD 4.7 times slower");
  assert.equal(answerText([run([1.2, 4.71]), run([9, 1.64])]), "CFD 4.7 vs 1.6 times slower");
  assert.equal(answerText([run([1.2, 4.71], "stored"), run([9, 1.64], "running")]), "CFD 4.7 times slower");
  assert.equal(answerText([run([1.2, 4.71]), run([9, 1.64], "here", { elsewhere: true })]), "CFD 4.7 times slower");
  for (const none of [run([1.2, 4.71], "running"), run([1.01, 1]), run([null, null])])
    assert.equal(answerText([none]), "");
  assert.equal(answerText([]), "");
});

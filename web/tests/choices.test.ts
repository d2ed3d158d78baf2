// What an experiment says, read against the catalogue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eachPerKernel, epochOf, policyEntry } from "../src/choices.ts";
import type { Catalogue, Experiment } from "../src/types.ts";

const split = { name: "ctas", kind: "per_kernel_int", unit: "", required: false, default: null, doc: "" };
const catalogue = { policies: [{ name: "even", formerly: [], params: [] }, { name: "new", formerly: ["old"], params: [split] }] } as unknown as Catalogue;

test("a policy is found by its name and by one that it had before, so that an old link has its form", () => {
  assert.equal(policyEntry(catalogue, "new")?.name, "new");
  assert.equal(policyEntry(catalogue, "old")?.name, "new");
  assert.equal(policyEntry(catalogue, "none"), undefined);
  const experiment: Experiment = { corun: 1, gpu: "tiny-2sm", kernels: ["A", "B"], policy: { name: "old", ctas: [3, 4] } };
  eachPerKernel(catalogue, experiment, (values) => values.reverse());
  assert.deepEqual(experiment.policy, { name: "old", ctas: [4, 3] });
});

test("a scheme's epochs are those that its experiment says, but for epochs that may begin early", () => {
  const of = (policy: Experiment["policy"] & object) => epochOf({ corun: 1, gpu: "tiny-2sm", kernels: ["A"], policy });
  assert.deepEqual([of({ name: "qos-rollover", epoch: 5000 }), of({ name: "spart", epoch: 10_000 }), of({ name: "qos-elastic", epoch: 10_000 }), of({ name: "even" })], [5000, 10_000, null, null]);
});

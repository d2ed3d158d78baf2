// What an experiment says, read against the catalogue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eachPerKernel, policyEntry } from "../src/choices.ts";
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

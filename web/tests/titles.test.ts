// Identifiers in words: from the docs of what they name, and never as they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MetricEntry } from "../src/model/types.ts";
import { choiceTitle, figureTitle, gpuTitle, orderTitle, pathTitle, titleOf } from "../src/model/titles.ts";

test("a choice is what its doc says of it, with its name behind", () => {
  assert.equal(choiceTitle("p+w", "p: the combination of CTAs alone; p+w: with quotas"), "With quotas (p+w)");
  assert.equal(
    choiceTitle("p", "p: the combination of CTAs alone; p+w: with quotas"),
    "The combination of CTAs alone (p)",
  );
  assert.equal(
    choiceTitle(
      "drf",
      "drf: learns online and keeps the priority. adj: then the priority goes down while the metric goes up. offline: longer windows, every priority tried",
    ),
    "Learns online and keeps the priority (drf)",
  );
  assert.equal(choiceTitle("rotate", "How the ranks of the other kernels change"), "Rotate");
  assert.equal(choiceTitle("when_all_spent", "When quotas are filled up again"), "When all spent (when_all_spent)");
});

test("paths, fields and figures", () => {
  assert.deepEqual(
    ["policy.name", "kernels", "kernels[0].ctas_per_sm", "policy.slots", "gpu.sm.l1.miss_queue", "seed"].map(pathTitle),
    ["Scheme", "Mix", "Kernel 1: CTAs per SM", "Scheme: count CTA slots", "SM L1D: miss queue", "Seed"],
  );
  assert.equal(gpuTitle("sm.big.l1.mshrs"), "SM big L1D: MSHRs");
  assert.equal(titleOf("core_mhz"), "Core MHz");
  assert.equal(
    orderTitle({ name: "gto", doc: "Greedy then oldest: one warp as long as it can, else the oldest ready one" }),
    "Greedy then oldest (gto)",
  );
  const metrics = [{ key: "slowdown", title: "Slowdown" }] as MetricEntry[];
  assert.equal(figureTitle("kernels[0].slowdown", metrics, ["BP"]), "Slowdown of BP");
  assert.equal(
    figureTitle("windows[200].kernels[1].noc_demand", metrics, ["BP", "CFD"]),
    "NoC demand of CFD in window 200",
  );
});

test("what every object has is a word like any other", () => {
  assert.equal(titleOf("constructor"), "Constructor");
  assert.equal(titleOf("to_toString"), "To toString");
  assert.equal(gpuTitle("sm.constructor.registers"), "SM constructor: registers");
  assert.equal(pathTitle("toString"), "ToString");
});

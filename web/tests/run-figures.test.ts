// A kernel that has got nothing: why, and what becomes of the figures of its mix.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mixFigure, slowdownOf, whyStarved } from "../src/model/figures.ts";
import type { Result } from "../src/model/types.ts";

const result = (cycles: number, kernels: Record<string, unknown>[]): Result => ({
  engine: "",
  config_hash: "",
  digest: "",
  seed: 1,
  cycles,
  gpu: { scheduler_cycles: cycles * 4 },
  kernels: kernels as Result["kernels"],
});
const counters = (of: Record<string, number>, more: object = {}): Record<string, unknown> => ({
  name: "BP",
  thread_instructions: 100,
  slowdown: 2,
  counters: of,
  ...more,
});

test("a kernel that has got nothing is starved, and the controls say why", () => {
  const nothing = { name: "CFD", thread_instructions: 0, slowdown: null, counters: { ctas_launched: 0 } },
    run = result(50_000, [counters({}), nothing]);
  assert.equal(
    whyStarved(run, 1, "leftover", { dispatch_rank: [0, 1] }),
    "no CTA placed since cycle 0: leftover gives CFD room only when BP has none left to place",
  );
  assert.equal(
    whyStarved(run, 1, "fixed", { dispatch_rank: [0, 0], cta_target: [4, 0] }),
    "no CTA placed since cycle 0: fixed lets it hold none",
  );
  assert.equal(
    whyStarved({ ...run, measured_from: 9000 }, 1, "even", {}),
    "no CTA placed since cycle 9,000: no SM has had room for one",
  );
  assert.equal(
    whyStarved(run, 1, "leftover", null),
    "no CTA placed since cycle 0",
    "without the controls, no reason is made up",
  );
  assert.equal(whyStarved(run, 0, "leftover", null), "");
  assert.equal(whyStarved({ ...run, cycles: 399 }, 1, "leftover", null), "", "it has only just been launched");
  assert.equal(slowdownOf(run, 1), Infinity);
});

test("figures of a mix in which one has got nothing follow from their formulas", () => {
  const nothing = { name: "CFD", thread_instructions: 0, slowdown: null, counters: {} },
    run = result(50_000, [counters({}), nothing]);
  assert.deepEqual(
    ["hspeedup", "fairness", "antt", "stp", "ipc"].map((key) => mixFigure(run, key)),
    [0, 0, Infinity, 0.5, null],
  );
  assert.equal(
    mixFigure(result(50_000, [{ name: "BP", thread_instructions: 1, slowdown: null }, nothing]), "stp"),
    null,
    "BP alone is not known",
  );
  assert.equal(mixFigure({ ...result(50_000, [counters({})]), metrics: { stp: 0.7 } }, "stp"), 0.7);
});

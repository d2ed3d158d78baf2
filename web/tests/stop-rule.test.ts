import assert from "node:assert/strict";
import { test } from "node:test";
import { endOf, fromPercent, stopRule, toPercent, withNumber, withRule, type Stop } from "../src/model/stop-rule.ts";

test("where a run ends: behind its warm-up, or where nobody knows yet", () => {
  const stops = [{ cycles: 500 }, { kernels_done: true, cycles: 500 }, { settled: 0.01, at_most: 9 }, undefined];
  assert.deepEqual(
    stops.map((stop) => endOf({ stop })),
    [500, null, null, null],
  );
  assert.deepEqual(
    [60, "settled"].map((warm_up) => endOf({ stop: { cycles: 500 }, warm_up })),
    [560, 500],
  );
});

test("the rule of a stop condition", () => {
  assert.deepEqual([undefined, {}, { cycles: 5 }, { kernels_done: true, cycles: 5 }, { settled: 0.01 }].map(stopRule), [
    "cycles",
    "cycles",
    "cycles",
    "kernels_done",
    "settled",
  ]);
});

test("another rule keeps the number of cycles", () => {
  assert.deepEqual(withRule(undefined, "settled"), { settled: 0.01 });
  assert.deepEqual(withRule({ cycles: 5 }, "settled"), { settled: 0.01, at_most: 5 });
  assert.deepEqual(withRule({ settled: 0.02, of: ["ipc"], at_most: 7 }, "kernels_done"), {
    kernels_done: true,
    cycles: 7,
  });
  assert.deepEqual(withRule({ kernels_done: true, cycles: 7 }, "cycles"), { cycles: 7 });
  assert.equal(withRule({ settled: 0.02 }, "cycles"), undefined);
});

test("a number is put in and taken out, and the rest stays", () => {
  const stop: Stop = { settled: 0.02, of: ["ipc"], at_most: 7 };
  assert.deepEqual(withNumber(stop, "settled", 0.03), { settled: 0.03, of: ["ipc"], at_most: 7 });
  assert.deepEqual(withNumber(stop, "at_most", null), { settled: 0.02, of: ["ipc"] });
  assert.equal(withNumber({ cycles: 5 }, "cycles", null), undefined);
  assert.deepEqual(withNumber(undefined, "cycles", 5), { cycles: 5 });
  assert.deepEqual(stop, { settled: 0.02, of: ["ipc"], at_most: 7 });
});

test("per cent go there and back without stray digits", () => {
  for (const percent of [1, 0.7, 3, 12.5, 0.01, 99]) assert.equal(toPercent(fromPercent(percent)), percent);
  assert.deepEqual([fromPercent(0.7), toPercent(0.07)], [0.007, 7]);
});

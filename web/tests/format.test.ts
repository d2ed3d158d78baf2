import assert from "node:assert/strict";
import { test } from "node:test";
import { count, fieldFor, fixed, percent, plainPath, rate } from "../src/model/format.ts";

test("what is missing is a dash, and zero is zero", () => {
  for (const none of [null, undefined, NaN]) {
    assert.equal(count(none), "–");
    assert.equal(fixed(none, 2), "–");
    assert.equal(percent(none), "–");
  }
  assert.deepEqual(
    [fixed(Infinity, 2), count(Infinity), percent(Infinity)],
    ["∞", "–", "–"],
    "a slowdown may have no end, a count or a share may not",
  );
  assert.equal(count(0), "0");
  assert.equal(fixed(0, 2), "0.00");
  assert.equal(percent(0), "0.0 %");
});

test("rates have three digits", () => {
  assert.equal(rate(0), "0 cycles/s");
  assert.equal(rate(9_949), "9,949 cycles/s");
  assert.equal(rate(48_400), "48 k cycles/s");
  assert.equal(rate(1_250_000), "1.25 M cycles/s");
});

test("a problem belongs to the field with the longest path before it", () => {
  assert.equal(plainPath("kernels[1].threads"), "kernels.1.threads");
  assert.equal(plainPath('gpu["sm.count"]'), "gpu.sm.count");
  const fields = ["gpu", "gpu.sm.count", "kernels", "kernels.0", "kernels.1", "kernels.1.ctas_per_sm", "seed"];
  assert.equal(fieldFor("kernels[1].ctas_per_sm", fields), "kernels.1.ctas_per_sm");
  assert.equal(fieldFor("kernels[1].program[0].op", fields), "kernels.1");
  assert.equal(fieldFor("kernels[10]", fields), "kernels");
  assert.equal(fieldFor("gpu.sm.countess", fields), "gpu");
  assert.equal(fieldFor("colour", fields), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { KERNEL_CONTROLS, stopOf, stopText, stops, numbersText, parseNumbers, withEntry, type KernelControl } from "../src/manual.ts";

test("lists of numbers are read and written", () => {
  assert.deepEqual(parseNumbers("0-2, 5", 15), [0, 1, 2, 5]);
  assert.deepEqual(parseNumbers("", 15), []);
  for (const bad of ["x", "3-1", "16", "1-", "0-99999"]) assert.equal(parseNumbers(bad, 15), null, bad);
  for (const text of ["0-2, 5", "7", "0, 2, 4-6"]) assert.equal(numbersText(parseNumbers(text, 15) as number[]), text);
});

test("a control that is neutral for all kernels is left out", () => {
  const named = (key: string): KernelControl => KERNEL_CONTROLS.find((c) => c.key === key) as KernelControl;
  let controls: Record<string, unknown> = { miss_queue_split: true };
  controls = withEntry(controls, named("cta_target"), 2, 4, 1, 3);
  assert.deepEqual(controls, { miss_queue_split: true, cta_target: [null, 3] });
  controls = withEntry(controls, named("cta_target"), 2, 4, 1, null);
  assert.deepEqual(controls, { miss_queue_split: true });
  controls = withEntry(controls, named("sm_mask"), 2, 4, 0, [0, 1]);
  assert.deepEqual(controls["sm_mask"], [[0, 1], [0, 1, 2, 3]]);
  controls = withEntry(controls, named("dram_rank"), 2, 4, 1, 2);
  assert.deepEqual(controls["dram_rank"], [0, 2]);
});

test("every stop of a slider is a value of its control, and shows as itself", () => {
  for (const control of KERNEL_CONTROLS.filter((c) => c.kind !== "numbers")) {
    const all = stops(control);
    all.forEach((value, i) => {
      assert.equal(stopOf(control, value), i, `${control.key} ${value}`);
      if (value !== null) assert.ok(value >= control.min && value <= control.max && (i === 0 || value > (all[i - 1] as number)), `${control.key} ${value}`);
    });
    assert.equal(stopOf(control, control.max), control.kind === "rank" ? 8 : all.length - 2, "the end of the numbers, not “no limit”");
    assert.equal(stopText(control, null), control.kind === "rank" ? "rank 0" : "no limit");
  }
  const quota = KERNEL_CONTROLS.find((c) => c.key === "warp_quota") as KernelControl;
  assert.equal(stops(quota)[stopOf(quota, 1999)], 1000);
  assert.equal(stopText(quota, 5000), "5,000 instructions");
});

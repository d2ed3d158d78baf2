import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTROLS } from "./controls.ts";
import {
  kernelControls,
  stopOf,
  stopText,
  stops,
  numbersText,
  parseNumbers,
  withEntry,
  type KernelControl,
} from "../src/model/manual.ts";

const OFFERED = kernelControls(CONTROLS, 4);

test("what the registry has for each kernel is offered", () => {
  assert.deepEqual(
    OFFERED.map((c) => [c.key, c.kind, c.max]),
    [
      ["sm_mask", "numbers", 3],
      ["cta_target", "limit", 64],
      ["cta_switch", "flag", 1],
      ["warp_quota", "limit", 1e9],
      ["miss_credits", "limit", 1e6],
      ["l1_ways", "numbers", 31],
      ["dram_rank", "rank", 255],
    ],
  );
});

test("lists of numbers are read and written", () => {
  assert.deepEqual(parseNumbers("0-2, 5", 15), [0, 1, 2, 5]);
  assert.deepEqual(parseNumbers("", 15), []);
  for (const bad of ["x", "3-1", "16", "1-", "0-99999"]) assert.equal(parseNumbers(bad, 15), null, bad);
  for (const text of ["0-2, 5", "7", "0, 2, 4-6"]) assert.equal(numbersText(parseNumbers(text, 15) as number[]), text);
});

test("a control that is neutral for all kernels is left out", () => {
  const named = (key: string): KernelControl => OFFERED.find((c) => c.key === key) as KernelControl;
  let controls: Record<string, unknown> = { miss_queue_split: true };
  controls = withEntry(controls, named("cta_target"), 2, 1, 3);
  assert.deepEqual(controls, { miss_queue_split: true, cta_target: [null, 3] });
  controls = withEntry(controls, named("cta_target"), 2, 1, null);
  assert.deepEqual(controls, { miss_queue_split: true });
  controls = withEntry(controls, named("sm_mask"), 2, 0, [0, 1]);
  assert.deepEqual(controls["sm_mask"], [
    [0, 1],
    [0, 1, 2, 3],
  ]);
  controls = withEntry(controls, named("dram_rank"), 2, 1, 2);
  assert.deepEqual(controls["dram_rank"], [0, 2]);
  controls = withEntry(withEntry(controls, named("cta_switch"), 2, 0, true), named("cta_switch"), 2, 1, false);
  assert.deepEqual(controls["cta_switch"], [true, false]);
});

test("every stop of a slider is a value of its control, and shows as itself", () => {
  for (const control of OFFERED.filter((c) => c.kind === "limit" || c.kind === "rank")) {
    const all = stops(control);
    all.forEach((value, i) => {
      assert.equal(stopOf(control, value), i, `${control.key} ${value}`);
      if (value !== null)
        assert.ok(
          value >= control.min && value <= control.max && (i === 0 || value > (all[i - 1] as number)),
          `${control.key} ${value}`,
        );
    });
    assert.equal(
      stopOf(control, control.max),
      control.kind === "rank" ? 8 : all.length - 2,
      "the end of the numbers, not “no limit”",
    );
    assert.equal(stopText(control, null), control.kind === "rank" ? "rank 0" : "no limit");
  }
  const quota = OFFERED.find((c) => c.key === "warp_quota") as KernelControl;
  assert.equal(stops(quota)[stopOf(quota, 1999)], 1000);
  assert.equal(stopText(quota, 5000), "5,000 warp instructions");
});

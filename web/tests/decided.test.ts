import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTROLS } from "./controls.ts";
import { holding, inForce } from "../src/decisions/decided.ts";
import { kernelControls } from "../src/model/manual.ts";
import type { Decision } from "../src/model/types.ts";

const decision = (cycle: number, kernel: number | null, topic: string, text: string): Decision => ({
  cycle,
  kernel,
  topic,
  values: {},
  text,
});
const LOG = [
  decision(0, 0, "ctas", "may hold 4 CTAs on each SM while it is measured"),
  decision(0, 1, "ctas", "may hold 4 CTAs on each SM while it is measured"),
  decision(5600, 1, "kernel_type", "is DRAM-intensive: df/rf 1.154 ≥ 0.757"),
  decision(8000, 0, "ctas", "gets 6 CTAs on each SM"),
  decision(8000, 1, "ctas", "gets 5 CTAs on each SM"),
  decision(10_200, null, "priority", "priority 1.00 gives HSpeedup 0.614"),
  decision(10_200, 0, "ctas", "gets 7 CTAs on each SM"),
];

test("a later sentence replaces an earlier one about the same", () => {
  const said = holding(LOG, 2).map(({ kernel, said }) => [
    kernel,
    ...said.map((d) => d.text.split(" ").slice(0, 2).join(" ")),
  ]);
  assert.deepEqual(said, [
    [0, "gets 7"],
    [1, "gets 5", "is DRAM-intensive:"],
    [null, "priority 1.00"],
  ]);
  // What is said of a topic does not matter, and two decisions of one cycle on one topic do not replace each other.
  const log = [
    decision(0, 0, "ctas", "words"),
    decision(9, 0, "steal", "other words"),
    decision(9, 0, "steal", "words"),
    decision(12, 0, "ctas", "may hold 1 CTA"),
  ];
  assert.deepEqual(
    holding(log, 1)[0]?.said.map((d) => [d.cycle, d.text]),
    [
      [12, "may hold 1 CTA"],
      [9, "other words"],
      [9, "words"],
    ],
  );
});

test("controls in force are those that are not neutral, SM by SM where they differ", () => {
  const all = [0, 1, 2, 3];
  const offered = kernelControls(CONTROLS, 4);
  const rows = inForce(
    offered,
    {
      sm_mask: [all, all],
      cta_target: { 0: [4, null], 1: [4, 3], "2-3": [4, 2] },
      cta_switch: { "0-1": [false, true] },
      warp_quota: [null, null],
      miss_credits: [12.5, null],
      dram_rank: [0, 0],
      l1_ways: [
        [0, 1],
        [2, 3, 4],
      ],
      miss_queue_split: true,
    },
    2,
    4,
  );
  assert.deepEqual(
    rows.map((row) => [row.control.key, ...row.entries]),
    [
      ["cta_target", "4", "2 to no limit"],
      ["cta_switch", "no", "on some SMs"],
      ["miss_credits", "12.5", "no limit"],
      ["l1_ways", "0-1", "2-4"],
    ],
  );
  assert.deepEqual(inForce(offered, null, 2, 4), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { holding, inForce, latest } from "../src/decided.ts";
import type { Decision } from "../src/types.ts";

const decision = (cycle: number, kernel: number | null, text: string): Decision => ({ cycle, kernel, text });
const LOG = [
  decision(0, 0, "may hold 4 CTAs on each SM while it is measured"), decision(0, 1, "may hold 4 CTAs on each SM while it is measured"),
  decision(5600, 1, "is DRAM-intensive: df/rf 1.154 ≥ 0.757"), decision(8000, 0, "gets 6 CTAs on each SM"), decision(8000, 1, "gets 5 CTAs on each SM"),
  decision(10_200, null, "priority 1.00 gives HSpeedup 0.614"), decision(10_200, 0, "gets 7 CTAs on each SM"),
];

test("the last decision is everything that was said in its cycle", () => {
  assert.equal(latest(LOG, (k) => ["BP", "FTD"][k] ?? ""), "Since cycle 10,200: priority 1.00 gives HSpeedup 0.614; BP gets 7 CTAs on each SM.");
  assert.equal(latest(LOG.slice(0, 1), () => "BP"), "From the start: BP may hold 4 CTAs on each SM while it is measured.");
  assert.equal(latest([], () => ""), "");
});

test("a later sentence replaces an earlier one about the same", () => {
  const said = holding(LOG, 2).map(({ kernel, said }) => [kernel, ...said.map((d) => d.text.split(" ").slice(0, 2).join(" "))]);
  assert.deepEqual(said, [[0, "gets 7"], [1, "gets 5", "is DRAM-intensive:"], [null, "priority 1.00"]]);
  // Two sentences of one cycle about the same do not replace each other.
  assert.equal(holding([decision(0, 0, "may hold 6 CTAs"), decision(0, 0, "gets 11538 warp instructions")], 1)[0]?.said.length, 2);
  // Words that nobody has told the page stand for themselves.
  assert.deepEqual(holding([decision(0, 0, "steals a CTA"), decision(9, 0, "steals two"), decision(9, 0, "waits")], 1)[0]?.said.map((d) => d.text), ["waits", "steals two"]);
});

test("controls in force are those that are not neutral, SM by SM where they differ", () => {
  const all = [0, 1, 2, 3];
  const rows = inForce({
    sm_mask: [all, all], cta_target: [[4, null], [4, 3], [4, 2], [4, 3]], warp_quota: [null, null], miss_credits: [12.5, null], dram_rank: [0, 0], l1_ways: [[0, 1], [2, 3, 4]],
    miss_queue_split: true,
  }, 2, 4);
  assert.deepEqual(rows.map((row) => [row.control.key, ...row.entries]), [["cta_target", "4", "2 to no limit"], ["miss_credits", "12.5", "no limit"], ["l1_ways", "0-1", "2-4"]]);
  assert.deepEqual(inForce(null, 2, 4), []);
});

// What numbers mean: said for all that a picture shows, in the engine's own words.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FrameLayout } from "../src/model/types.ts";
import { gpuMeanings, memoryMeanings, smDetailMeanings } from "../src/picture/meanings.ts";

const NAMES = [
  "sm.slot_kernel",
  "sm.issued",
  "sm.registers",
  "sm.shared",
  "sm.threads",
  "sm.ctas",
  "sm.drains",
  "sm.mshr",
  "sm.miss_queue",
  "sm.lsu",
  "sm.scheduler",
  "warp.pc",
  "noc.request_queue",
  "noc.request_busy",
  "l2.queue",
  "l2.mshr",
  "dram.queue",
  "dram.busy",
  "dram.open_row",
  "noc.reply_queue",
  "noc.reply_busy",
];
const LAYOUT = {
  sections: NAMES.map((name) => ({ name, offset: 0, shape: [1], doc: `About ${name}` })),
  stalls: [{ key: "idle", title: "No warp", doc: "No warp is there" }],
  warp_states: [{ key: "ready", title: "Ready", doc: "It can issue" }],
  capacity: { request_queue: 8, reply_queue: 8, l2_queue: 8, l2_mshr: 16, dram_queue: 16 },
} as unknown as FrameLayout;

test("every section that a picture shows is explained by its own description", () => {
  const all = [gpuMeanings(LAYOUT), smDetailMeanings(LAYOUT), memoryMeanings(LAYOUT)];
  for (const meanings of all) for (const { title, doc } of meanings) assert.notEqual(doc, "", title);
  const said = new Set(all.flat().map(({ doc }) => doc));
  for (const name of NAMES) assert.ok(said.has(`About ${name}`), name);
  assert.ok(said.has("No warp is there") && said.has("It can issue"));
  assert.match(memoryMeanings(LAYOUT)[3]?.formula ?? "", /entries \/ 16/);
});

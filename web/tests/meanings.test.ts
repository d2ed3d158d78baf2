// What numbers mean: said for all that a picture shows, in the engine's own words.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FrameLayout, WindowsLayout } from "../src/types.ts";
import { chartSpecs } from "../src/views/chart-data.ts";
import { chartMeanings, memoryMeanings, smDetailMeanings, gpuMeanings } from "../src/views/meanings.ts";

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

test("a chart's numbers have the formula that they are drawn by", () => {
  const column = (key: string, kernel: number | null = null, title = key) => ({
    key,
    unit: "",
    title,
    doc: `About ${key}`,
    kernel,
  });
  const windows: WindowsLayout = {
    window: 400,
    core_mhz: 1400,
    peaks: { noc_bytes_per_cycle: 1, dram_bytes_per_cycle: 1, noc_sustainable_bytes_per_cycle: 0.6, ipc: 1 },
    columns: [
      column("start"),
      column("end"),
      column("warp_instructions", 0),
      column("latency_sum", 0, "Latency sum"),
      column("latency_count", 0, "Read replies"),
      column("dram_bytes", 0, "DRAM"),
      column("stall.idle"),
      column("stall.raw_long"),
    ],
  };
  const of = (key: string): string[] =>
    chartMeanings(chartSpecs(windows, ["A"]).find((spec) => spec.key === key)!, windows).map(
      ({ title, formula, doc }) => [title, formula, doc].join(" | "),
    );
  assert.deepEqual(of("latency").slice(1), ["A | Σ latency sum / read replies | About latency_sum"]);
  assert.deepEqual(of("dram").slice(1), ["A | Σ dram / cycles | About dram_bytes"]);
  assert.deepEqual(of("stalls")[2], "stall.idle | 100 × Σ stall.idle / all scheduler-cycles | About stall.idle");
});

// A stretch of a run: what is said at its end, less what was said where it begins.
import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "../src/model/says.ts";
import { ofStretch } from "../src/model/stretch.ts";
import type { Result } from "../src/model/types.ts";

/** A run of two kernels that have done so much each in so many cycles: instructions, reads of L1D and hits among them, cycles of read replies and replies. */
function at(cycles: number, each: readonly (readonly [number, number, number, number, number])[]): Result {
  const kernels = each.map(([instructions, reads, hits, waits, replies], k) => ({
    name: ["BP", "CFD"][k],
    kernel: "",
    share: "all of it",
    ipc: instructions / cycles,
    ipc_alone: 10,
    slowdown: (10 * cycles) / instructions,
    share_cost: 1.5,
    noc_utilisation: null,
    l1_hit_rate: hits / reads,
    thread_instructions: instructions,
    latency: { mean: waits / replies, dram: waits / 2 / replies },
    counters: { l1_reads: reads, l1_hits: hits, latency_count: replies, wait_dram: waits / 2 },
  }));
  const sum = (of: number): number => each.reduce((all, one) => all + (one[of] as number), 0);
  return {
    cycles,
    measured_from: 0,
    stop: "budget",
    because: [{ kernel: 0 }],
    ci95: { kernels: [{ ipc: [1, 2] }] },
    verdict: { question: "sharing", says: ["of the whole run"], sufferer: 1, slowdown: 9, ci95: null, sure: false },
    gpu: { ipc: sum(0) / cycles, l1_hit_rate: sum(2) / sum(1), stalls: { idle: 0.5 } },
    metrics: {},
    kernels,
  } as unknown as Result;
}
const BEGIN = at(1000, [
  [8000, 100, 90, 1000, 10],
  [2000, 50, 0, 500, 5],
]);
const END = at(3000, [
  [12_000, 200, 100, 9000, 50],
  [12_000, 50, 0, 500, 5],
]);

test("rates are those of the stretch alone, whatever they are of: cycles, reads, replies", () => {
  const of = ofStretch(BEGIN, END, { from: 1000, to: 3000 });
  assert.deepEqual(
    of.kernels.map(({ ipc, slowdown, l1_hit_rate: hits, thread_instructions: did }) => [ipc, slowdown, hits, did]),
    [
      [2, 5, 0.1, 4000],
      [5, 2, null, 10_000],
    ],
  );
  assert.deepEqual(of.kernels[0]?.latency, { mean: 200, dram: 100 });
  assert.deepEqual(of.kernels[1]?.latency, { mean: null, dram: null }, "no read of it came back");
  assert.deepEqual(of.kernels[0]?.counters, { l1_reads: 100, l1_hits: 10, latency_count: 40, wait_dram: 4000 });
  assert.deepEqual([of.gpu["ipc"], of.gpu["l1_hit_rate"], of.cycles, of.measured_from], [7, 0.1, 3000, 1000]);
  const { hspeedup, stp, antt, fairness } = of.metrics ?? {};
  assert.deepEqual([hspeedup, stp, antt, fairness], [2 / 7, 0.7, 3.5, 0.4]);
});

test("what is known of whole runs alone is left out, and the sentence is of the stretch", () => {
  const of = ofStretch(BEGIN, END, { from: 1000, to: 3000 });
  assert.deepEqual(
    [of.because, of.ci95, of.kernels[0]?.share_cost, of.kernels[0]?.noc_utilisation, of.gpu["stalls"]],
    [undefined, undefined, null, null, null],
  );
  assert.equal(of.kernels[0]?.share, "all of it");
  assert.equal(
    textOf(of.verdict?.headline ?? []),
    "From cycle 1,000 to 3,000, BP is 5.00 times slower than alone, CFD 2.00 times.",
  );
  assert.equal(of.verdict?.sufferer, 0);
});

test("a kernel that does nothing in a stretch gets nothing there, whatever it did before", () => {
  const still = at(3000, [
    [12_000, 200, 100, 9000, 50],
    [2000, 50, 0, 500, 5],
  ]);
  const { verdict } = ofStretch(BEGIN, still, { from: 1000, to: 3000 });
  assert.equal(
    textOf(verdict?.headline ?? []),
    "From cycle 1,000 to 3,000, CFD gets nothing, BP is 5.00 times slower than alone.",
  );
  assert.equal(verdict?.sufferer, 1);
});

test("a stretch from the start is the run up to there; one in which a kernel is not known alone has no figures of the mix", () => {
  const whole = ofStretch(null, END, { from: 0, to: 3000 });
  assert.deepEqual(
    whole.kernels.map(({ ipc, l1_hit_rate: hits }) => [ipc, hits]),
    END.kernels.map(({ ipc, l1_hit_rate: hits }) => [ipc, hits]),
  );
  const unknown = structuredClone(END);
  (unknown.kernels[1] as { ipc_alone: number | null }).ipc_alone = null;
  const of = ofStretch(BEGIN, unknown, { from: 1000, to: 3000 });
  assert.deepEqual([of.metrics?.hspeedup, of.kernels[1]?.slowdown], [null, null]);
  assert.equal(textOf(of.verdict?.headline ?? []), "From cycle 1,000 to 3,000, BP is 5.00 times slower than alone.");
});

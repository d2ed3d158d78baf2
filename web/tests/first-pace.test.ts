// The first visit's speed: slow where something happens for the first time, and only then.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FOLLOWED, FirstPace, LOOK, SLOW } from "../src/first/pace.ts";
import type { Facts, KernelFacts } from "../src/why/facts.ts";

const kernel = (name: string, flits: number): KernelFacts => ({
  name,
  slowdown: 2,
  promised: false,
  reached: null,
  starved: "",
  waits: null,
  stalls: null,
  latency: null,
  stations: null,
  holds: { miss_queue: null, request_noc: null, l2: null, dram: null, reply_noc: null },
  flits,
  lines: 0.5,
  contexts: 0,
  slots: 0.1,
  ctas: 4,
  room: 8,
});
const facts = (cycles: number, noc: number): Facts => ({
  cycles,
  scheme: "even",
  kernels: [kernel("BP", 0.1), kernel("CFD", 0.9)],
  noc,
  dram: 0.1,
  slots: 0.2,
});

test("it slows at the beginning, at the first saturation and at the first decision, each once", () => {
  const pace = new FirstPace(0);
  assert.deepEqual([pace.speed(0), pace.speed(LOOK)], [SLOW, FOLLOWED]);
  assert.equal(pace.see(facts(4000, 0.3), "", 5000), "");
  assert.equal(pace.speed(5000), FOLLOWED);
  assert.equal(
    pace.see(facts(12_400, 0.5), "", 6000),
    "Cycle 12,400: the reply NoC is full, mostly with lines of CFD.",
  );
  assert.deepEqual([pace.speed(6001), pace.speed(6000 + LOOK)], [SLOW, FOLLOWED]);
  assert.equal(pace.see(facts(16_000, 0.55), "", 20_000), "", "it is full already");
  assert.equal(
    pace.see(facts(20_000, 0.55), "Since cycle 20,000: BP gets 6 CTAs.", 30_000),
    "Since cycle 20,000: BP gets 6 CTAs.",
  );
  assert.equal(pace.speed(30_001), SLOW);
  assert.equal(pace.see(facts(30_000, 0.55), "Since cycle 30,000: BP gets 7 CTAs.", 40_000), "");
  assert.equal(pace.speed(40_000), FOLLOWED);
});

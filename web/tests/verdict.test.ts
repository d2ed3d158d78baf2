// The verdict's sentences, from made-up facts: each rule says what the numbers say, and no more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, mixFigure, whyStarved, type Facts, type KernelFacts } from "../src/why/facts.ts";
import { plain, pressed, sufferer, timesText, verdict, versus } from "../src/why/verdict.ts";
import type { Result } from "../src/types.ts";

const NOWHERE = { miss_queue: null, request_noc: null, l2: null, dram: null, reply_noc: null };
const kernel = (name: string, of: Partial<KernelFacts> = {}): KernelFacts => ({
  name,
  slowdown: 1,
  promised: false,
  reached: null,
  starved: "",
  waits: { memory: 0.5, lsu: 0.1, issues: 0.1, other: 0.3 },
  stalls: { quota: 0, memory: 0.6, lsu: 0.1, other: 0.3 },
  latency: 400,
  stations: null,
  holds: NOWHERE,
  flits: 0.5,
  lines: 0.5,
  contexts: 0,
  slots: 0.2,
  ctas: 8,
  room: 8,
  ...of,
});
const facts = (kernels: KernelFacts[], of: Partial<Facts> = {}): Facts => ({
  cycles: 10_000,
  scheme: "even",
  kernels,
  noc: 0.2,
  dram: 0.2,
  slots: 0.3,
  ...of,
});
const said = (of: Facts): string => verdict(of).map(plain).join(" ");

const BP = kernel("BP", {
  slowdown: 12.31,
  waits: { memory: 0.7, lsu: 0.08, issues: 0.02, other: 0.2 },
  flits: 0.09,
  lines: 0.3,
  latency: 2318,
});
const CFD = kernel("CFD", { slowdown: 0.9, flits: 0.91, lines: 0.7 });

test("who suffers, what for, and whose the full place is", () => {
  assert.equal(
    said(facts([BP, CFD], { noc: 0.54 })),
    "BP runs 12.3 times slower than alone; CFD runs 1.11 times faster than alone. BP waits for memory 78 % of its time: the reply NoC is full of CFD’s lines (91 % of its flits).",
  );
  assert.equal(
    said(facts([BP, CFD], { noc: 0.3, dram: 0.62 })).split(". ")[1],
    "BP waits for memory 78 % of its time: DRAM is busy with CFD’s lines (70 % of its lines).",
  );
  assert.equal(
    said(
      facts(
        [
          { ...CFD, slowdown: 1.2 },
          { ...BP, slowdown: 1.12 },
        ],
        { noc: 0.54 },
      ),
    ),
    "CFD runs 1.20 times slower than alone; BP 1.12 times. CFD waits for memory 60 % of its time: the reply NoC is full, mostly with its own lines (91 % of its flits).",
  );
});

test("lines of CTAs that are switched are said to be that", () => {
  assert.match(
    said(facts([BP, { ...CFD, contexts: 0.4 }], { noc: 0.3, dram: 0.62 })),
    /DRAM is busy with CFD’s lines \(70 % of its lines, most of them CTAs that are switched\)\.$/,
  );
  assert.match(
    said(
      facts(
        [{ ...CFD, slowdown: 1.3, contexts: 0.4 }, BP].map((of) => ({ ...of, slowdown: of.name === "BP" ? 1 : 1.3 })),
        { dram: 0.62 },
      ),
    ),
    /DRAM is full, mostly with its own lines \(70 % of its lines, most of them CTAs that are switched\)\.$/,
  );
  assert.match(
    said(facts([BP, { ...CFD, contexts: 0.3 }], { noc: 0.3, dram: 0.62 })),
    /\(70 % of its lines\)\.$/,
    "less than half of them",
  );
  assert.match(
    said(facts([BP, { ...CFD, contexts: 0.9 }], { noc: 0.54, dram: 0.3 })),
    /\(91 % of its flits\)\.$/,
    "the reply NoC is full of something else",
  );
});

test("a cause is named only where the numbers show it", () => {
  const few = kernel("PF", { slowdown: 2, ctas: 4 });
  assert.match(
    said(facts([few, kernel("HG")])),
    /^PF runs 2\.00 times slower than alone; HG runs as fast as alone\. PF has 4\.0 of the 8 CTAs that an SM holds of it alone, and no queue is full/,
  );
  assert.match(
    said(facts([kernel("PF", { slowdown: 2, slots: 0.3 }), kernel("BP", { slots: 0.5 })], { slots: 0.8 })),
    /80 % of the issue slots are taken, 50 % by BP\.$/,
  );
  assert.match(
    said(facts([kernel("PF", { slowdown: 2 }), kernel("BP")])),
    /PF waits for memory 60 % of its time, and no queue is full: a read takes 400 cycles\.$/,
  );
  assert.equal(
    said(facts([kernel("PF", { slowdown: 2, waits: { memory: 0.1, lsu: 0, issues: 0.5, other: 0.4 } })])),
    "PF runs 2.00 times slower than alone.",
  );
});

test("a kernel that its quota stops waits for that, and for whom", () => {
  const quota = (part: number): KernelFacts["stalls"] => ({ quota: part, memory: 0.3, lsu: 0, other: 0.7 - part });
  const held = kernel("SGEMM", { slowdown: 16, ctas: 4, slots: 0.02, stalls: quota(0.61) }),
    goal = kernel("SAD", { slowdown: 1.2, promised: true, reached: 1.02, slots: 0.65 });
  const cause = (of: KernelFacts[], place: Partial<Facts> = {}): string =>
    said(facts(of, place)).split(". ").at(-1) ?? "";
  assert.equal(
    said(facts([goal, held], { noc: 0.54, slots: 0.67 })),
    "SAD reaches its goal, with 2.0 % to spare. SGEMM runs 16.0 times slower than alone; SAD 1.20 times. " +
      "SGEMM waits for its quota in 61 % of the cycles in which its schedulers issue nothing: SAD, which has a goal, gets 65 % of the issue slots.",
  );
  assert.equal(
    cause([held, kernel("BP", { slots: 0.7 }), { ...goal, slots: 0.1 }]),
    "SGEMM waits for its quota in 61 % of the cycles in which its schedulers issue nothing: SAD, which has a goal, gets 10 % of the issue slots.",
    "who has no goal gets no more than is left",
  );
  assert.equal(
    cause([held, kernel("BP", { slots: 0.3 })]),
    "SGEMM waits for its quota in 61 % of the cycles in which its schedulers issue nothing: BP gets 30 % of the issue slots.",
    "SMK has quotas and no goals",
  );
  assert.equal(
    cause([{ ...held, promised: true, reached: 1.01 }, goal]),
    "SGEMM waits for its quota in 61 % of the cycles in which its schedulers issue nothing: it gets what it is promised.",
  );
  assert.equal(cause([held]), "SGEMM waits for its quota in 61 % of the cycles in which its schedulers issue nothing.");
  assert.match(
    cause([goal, { ...held, stalls: quota(0.34) }]),
    /^SGEMM has 4\.0 of the 8 CTAs/,
    "other waits are longer",
  );
  assert.match(cause([goal, { ...held, stalls: null }]), /^SGEMM has 4\.0 of the 8 CTAs/);
});

test("nobody suffers, nothing is known, nothing has run", () => {
  assert.equal(
    said(facts([kernel("BP"), kernel("CFD", { slowdown: 0.97 })])),
    "Nobody suffers: BP and CFD run as fast as alone.",
  );
  assert.equal(
    said(facts([kernel("BP", { slowdown: null }), kernel("CFD", { slowdown: null })])),
    "BP and CFD run together; how fast each is alone is being measured.",
  );
  assert.equal(
    said(facts([BP, kernel("CFD", { slowdown: null })])).split(". ")[0],
    "BP runs 12.3 times slower than alone; CFD alone is being measured",
  );
  assert.equal(said(facts([BP], { cycles: 0 })), "Nothing has run yet.");
  assert.equal(sufferer(facts([kernel("BP", { slowdown: 1.09 })])), null);
  assert.equal(timesText(9.949), "9.95", "digits do not jump where they round");
});

test("a place is pressed near what it sustains, not near its peak", () => {
  assert.equal(pressed(facts([BP, CFD], { noc: 0.43, dram: 0.3 })), "noc");
  assert.equal(pressed(facts([BP, CFD], { noc: 0.43, dram: 0.67 })), "dram");
  assert.equal(pressed(facts([BP, CFD], { noc: 0.41, dram: 0.48 })), null);
  assert.equal(pressed(facts([BP, CFD], { noc: null, dram: null })), null, "an ideal network has no peak");
});

const result = (cycles: number, kernels: Record<string, unknown>[]): Result => ({
  engine: "",
  config_hash: "",
  digest: "",
  seed: 1,
  cycles,
  gpu: { scheduler_cycles: cycles * 4 },
  kernels: kernels as Result["kernels"],
});
const counters = (of: Record<string, number>, more: object = {}): Record<string, unknown> => ({
  name: "BP",
  thread_instructions: 100,
  slowdown: 2,
  counters: of,
  ...more,
});

test("a kernel that has got nothing is starved, and the controls say why", () => {
  const nothing = { name: "CFD", thread_instructions: 0, slowdown: null, counters: { ctas_launched: 0 } },
    run = result(50_000, [counters({}), nothing]);
  assert.equal(
    whyStarved(run, 1, "leftover", { dispatch_rank: [0, 1] }),
    "no CTA placed since cycle 0: leftover gives CFD room only when BP has none left to place",
  );
  assert.equal(
    whyStarved(run, 1, "fixed", { dispatch_rank: [0, 0], cta_target: [4, 0] }),
    "no CTA placed since cycle 0: fixed lets it hold none",
  );
  assert.equal(
    whyStarved({ ...run, measured_from: 9000 }, 1, "even", {}),
    "no CTA placed since cycle 9,000: no SM has had room for one",
  );
  assert.equal(
    whyStarved(run, 1, "leftover", null),
    "no CTA placed since cycle 0",
    "without the controls, no reason is made up",
  );
  assert.equal(whyStarved(run, 0, "leftover", null), "");
  assert.equal(whyStarved({ ...run, cycles: 399 }, 1, "leftover", null), "", "it has only just been launched");
  const of = factsOf(run, "leftover", { dispatch_rank: [0, 1] }, [8, 16]);
  assert.equal(of.kernels[1]?.slowdown, Infinity);
  assert.match(
    verdict(of).map(plain).join(" "),
    /^CFD gets nothing \(no CTA placed since cycle 0: leftover .*\); BP runs 2\.00 times slower than alone\.$/,
  );
});

test("figures of a mix in which one has got nothing follow from their formulas", () => {
  const nothing = { name: "CFD", thread_instructions: 0, slowdown: null, counters: {} },
    run = result(50_000, [counters({}), nothing]);
  assert.deepEqual(
    ["hspeedup", "fairness", "antt", "stp", "ipc"].map((key) => mixFigure(run, key)),
    [0, 0, Infinity, 0.5, null],
  );
  assert.equal(
    mixFigure(result(50_000, [{ name: "BP", thread_instructions: 1, slowdown: null }, nothing]), "stp"),
    null,
    "BP alone is not known",
  );
  assert.equal(mixFigure({ ...result(50_000, [counters({})]), metrics: { stp: 0.7 } }, "stp"), 0.7);
});

test("facts are the registry's counters divided", () => {
  const of = factsOf(
    result(1000, [
      counters(
        {
          warp_cycles: 200,
          warps_wait_memory: 100,
          warps_wait_lsu: 20,
          warp_instructions: 10,
          latency_sum: 900,
          latency_count: 3,
          wait_dram: 600,
          wait_l2: 300,
          noc_reply_flits: 8,
          noc_acknowledgement_flits: 2,
          dram_reads: 1,
          context_lines_in: 1,
        },
        {
          stalls: {
            idle: 0,
            barrier: 0.25,
            raw_long: 0.125,
            raw_short: 0.0625,
            lsu_full: 0.0625,
            throttled: 0,
            quota: 0.5,
          },
          goal_ipc: null,
          goal_reached: null,
        },
      ),
      counters({ wait_dram: 200, noc_reply_flits: 30, dram_reads: 2, dram_writes: 1, warp_instructions: 30 }),
    ]),
    "even",
    null,
    [8, null],
  );
  const [first, second] = of.kernels;
  assert.deepEqual(first?.waits, { memory: 0.5, lsu: 0.1, issues: 0.05, other: 0.35 });
  assert.deepEqual(
    [first?.stalls, first?.promised, first?.reached],
    [{ quota: 0.5, memory: 0.125, lsu: 0.0625, other: 0.3125 }, true, null],
    "a goal counts before the speed alone is known",
  );
  assert.deepEqual([second?.stalls, second?.promised], [null, false]);
  assert.equal(first?.latency, 300);
  assert.deepEqual(first?.stations, { miss_queue: 0, request_noc: 0, l2: 100, dram: 200, reply_noc: 0 });
  assert.deepEqual([first?.holds.dram, first?.holds.l2, first?.holds.miss_queue], [0.75, 1, null]);
  assert.deepEqual([first?.flits, first?.lines, second?.flits, second?.lines], [0.25, 0.25, 0.75, 0.75]);
  assert.deepEqual([first?.contexts, second?.contexts], [0.25, 0]);
  assert.deepEqual([second?.waits, second?.latency, second?.stations, second?.room], [null, null, null, null]);
  assert.equal(of.slots, 0.01);
});

test("two runs: which is better for whom, and who pays", () => {
  const better = { ...BP, slowdown: 2.76, latency: 1183 },
    worse = { ...CFD, slowdown: 1.63 };
  const b = facts([better, worse]),
    a = facts([
      { ...BP, slowdown: 5.28 },
      { ...CFD, slowdown: 1.29 },
    ]);
  const text =
    " is better for BP: 2.76 times slower than alone instead of 5.28 times, as its reads come back after 1,183 cycles, not 2,318. CFD pays for it: 1.63 times instead of 1.29 times.";
  assert.equal(plain(versus(a, b) ?? []), `B${text}`);
  assert.equal(plain(versus(b, a) ?? []), `A${text}`);
  assert.equal(plain(versus(a, a) ?? []), "A and B are alike for BP.");
  assert.equal(versus(a, facts([better])), null);
  assert.equal(versus(a, facts([better, { ...worse, slowdown: null }])), null);
  const starved = facts([kernel("BP", { slowdown: 1.07 }), kernel("CFD", { slowdown: Infinity, latency: null })]);
  assert.equal(
    plain(versus(starved, a) ?? []),
    "B is better for CFD: 1.29 times slower than alone instead of endlessly. BP pays for it: 5.28 times instead of 1.07 times.",
  );
});

test("what becomes of promises is said first", () => {
  assert.match(
    said(facts([kernel("SAD", { reached: 1.035 }), kernel("BP")])),
    /^SAD reaches its goal, with 3\.5 % to spare\. Nobody suffers/,
  );
  assert.match(
    said(facts([kernel("SAD", { reached: 0.62 }), kernel("BP", { reached: 1 })])),
    /^SAD misses its goal by 38 %; BP reaches its goal, with 0\.0 % to spare\. /,
  );
});

// The chain behind the verdict: each step's words and bars are the facts', and what is offered acts on the cause.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, helps, longest, segmentText, subject } from "../src/why/chain.ts";
import type { Facts, KernelFacts } from "../src/why/facts.ts";
import { plain, verdict } from "../src/why/verdict.ts";

const NOWHERE = { miss_queue: null, request_noc: null, l2: null, dram: null, reply_noc: null };
const BP: KernelFacts = {
  name: "BP",
  slowdown: 5.28,
  promised: false,
  reached: null,
  starved: "",
  waits: { memory: 0.52, lsu: 0.17, issues: 0.02, other: 0.29 },
  stalls: { quota: 0, memory: 0.9, lsu: 0.1, other: 0 },
  latency: 2000,
  stations: { miss_queue: 700, request_noc: 140, l2: 800, dram: 220, reply_noc: 140 },
  holds: { miss_queue: 0.1, request_noc: 0.2, l2: 0.1, dram: 0.3, reply_noc: 0.1 },
  flits: 0.09,
  lines: 0.25,
  contexts: 0,
  slots: 0.14,
  ctas: 4,
  room: 8,
};
const CFD: KernelFacts = {
  ...BP,
  name: "CFD",
  slowdown: 1.29,
  flits: 0.91,
  lines: 0.75,
  slots: 0.08,
  ctas: 8,
  room: 17,
  holds: { miss_queue: 0.9, request_noc: 0.8, l2: 0.9, dram: 0.7, reply_noc: 0.9 },
};
const facts = (kernels: KernelFacts[], of: Partial<Facts> = {}): Facts => ({
  cycles: 10_000,
  scheme: "even",
  kernels,
  noc: 0.54,
  dram: 0.24,
  slots: 0.22,
  ...of,
});
const mix = facts([BP, CFD]);

test("the chain goes from what the warps do to whose entries fill the place that is full", () => {
  assert.deepEqual(
    chain(mix).map(({ says }) => plain(says)),
    [
      "An SM has 4.0 CTAs of BP; of it alone it would hold 8.",
      "BP waits for memory in 52 % of all cycles of its warps, for the load-store unit in 17 %, and issues in 2.0 %.",
      "A read of BP that misses L1D comes back after 2,000 cycles; most of them, 40 %, pass in L2 and its reply port.",
      "The reply NoC is what limits them: 54 % of its peak is used, and about 60 % can be sustained. Most of it, 91 %, is CFD’s.",
    ],
  );
  const rows = chain(mix).flatMap((step) =>
    step.rows.map((row) =>
      [step.key, row.name, row.value, row.full, row.segments.map(segmentText).join(", ")].join(" | "),
    ),
  );
  assert.deepEqual(rows, [
    "holds | BP | 4.0 of 8 CTAs | false | CTAs 50 %",
    "holds | CFD | 8.0 of 17 CTAs | false | CTAs 47 %",
    "holds | Issue slots | 22 % used | false | BP 14 %, CFD 8.0 %",
    "warps | BP | 69 % | false | memory 52 %, LSU 17 %, issues 2.0 %, other 29 %",
    "warps | CFD | 69 % | false | memory 52 %, LSU 17 %, issues 2.0 %, other 29 %",
    ...["BP", "CFD"].map(
      (name) =>
        `reads | ${name} | 2,000 cycles | false | L1D’s miss queue 35 %, request NoC 7.0 %, L2 and its reply port 40 %, DRAM 11 %, reply NoC 7.0 %`,
    ),
    "places | Miss queues |  | false | BP 10 %, CFD 90 %",
    "places | Request NoC |  | false | BP 20 %, CFD 80 %",
    "places | L2 banks |  | false | BP 10 %, CFD 90 %",
    "places | DRAM | 24 % used | false | BP 25 %, CFD 75 %",
    "places | Reply NoC | 54 % used | true | BP 9.0 %, CFD 91 %",
  ]);
});

test("contexts that have moved have a row of their own, where any has", () => {
  const rows = (of: Facts) =>
    chain(of)
      .at(-1)
      ?.rows.map(({ name, value, segments }) => [name, value, segments.map(segmentText).join(", ")].join(" | ")) ?? [];
  assert.deepEqual(
    rows(facts([{ ...BP, contexts: 0.2 }, CFD])).filter((row) => !rows(mix).includes(row)),
    ["Contexts in DRAM | 20 % of lines | BP 20 %, "],
  );
});

const HELD: KernelFacts = { ...BP, stalls: { quota: 0.61, memory: 0.29, lsu: 0, other: 0.1 } },
  SAD: KernelFacts = { ...CFD, name: "SAD", promised: true, reached: 1.02 };

test("quotas are a link of the chain where one has stopped a kernel", () => {
  const steps = chain(facts([HELD, SAD])),
    quotas = steps[2];
  assert.deepEqual(
    steps.map(({ key }) => key),
    ["holds", "warps", "quotas", "reads", "places"],
  );
  assert.equal(
    plain(quotas?.says ?? []),
    "Of the cycles in which its schedulers issue nothing, BP waits for its quota in 61 %.",
  );
  assert.deepEqual(
    quotas?.rows.map(({ name, value, at, segments }) => [
      name,
      value,
      at,
      segments
        .map(segmentText)
        .filter((text) => text !== "")
        .join(", "),
    ]),
    [
      ["BP", "61 %", "quota.0", "memory 29 %, quota 61 %, other 10 %"],
      ["SAD", "0.0 %", "quota.1", "memory 90 %, LSU 10 %"],
    ],
  );
  const both = chain(
    facts([
      { ...HELD, stalls: { quota: 0.02, memory: 0.98, lsu: 0, other: 0 } },
      { ...SAD, stalls: HELD.stalls },
    ]),
  )[2];
  assert.equal(
    plain(both?.says ?? []),
    "Of the cycles in which its schedulers issue nothing, SAD waits for its quota in 61 %; BP in 2.0 %.",
  );
});

test("every number of the verdict stands in the chain, or in the numbers", () => {
  const few = { ...BP, waits: { memory: 0.1, lsu: 0.1, issues: 0.4, other: 0.4 } };
  for (const of of [
    mix,
    facts([BP, CFD], { noc: 0.1, dram: 0.6 }),
    facts([few, CFD], { noc: 0.1 }),
    facts([{ ...few, ctas: 8 }, CFD], { noc: 0.1, slots: 0.8 }),
    facts([{ ...BP, ctas: 8 }, CFD], { noc: 0.1 }),
    facts([HELD, SAD]),
  ]) {
    const places = new Set(
      chain(of).flatMap(({ rows }) =>
        rows.flatMap((row) => [row.at, ...(row.kernel === null ? row.segments.map((_, k) => `${row.at}.${k}`) : [])]),
      ),
    );
    const numbers = verdict(of)
      .flat()
      .flatMap((part) => (typeof part === "object" && "at" in part ? [part.at] : []));
    assert.ok(numbers.length > 2);
    for (const at of numbers) assert.ok(/^(slowdown|goal_reached)\./.test(at) || places.has(at), at);
  }
});

test("where nothing has come back, the chain says so", () => {
  const none = {
    ...BP,
    slowdown: Infinity,
    starved: "no CTA",
    waits: null,
    latency: null,
    stations: null,
    holds: NOWHERE,
    flits: null,
    lines: null,
    slots: null,
    ctas: null,
  };
  assert.deepEqual(
    chain(facts([none, CFD], { noc: 0, dram: 0 })).map(({ says }) => plain(says)),
    [
      "BP holds nothing yet.",
      "BP has had no warp on an SM.",
      "No read of BP has come back.",
      "No shared place is near what it sustains.",
    ],
  );
  assert.equal(longest(none), null);
  assert.equal(subject(facts([CFD, BP])), 1);
});

test("what may help acts on the cause, and is not what is in force", () => {
  const all = ["leftover", "even", "ccbp", "ws", "smk", "ws+mil", "spatial"];
  const offered = (of: Facts, schemes = all): string[] =>
    helps(of, schemes).map(({ scheme, says }) => `${scheme}: ${plain(says)}`);
  assert.deepEqual(offered(mix), [
    "ccbp: gives BP a miss queue of its own and CFD a number of requests for each interval",
    "ws+mil: limits the memory instructions that each kernel may have under way, so that they block BP less in the load-store unit",
  ]);
  assert.deepEqual(
    helps({ ...mix, scheme: "ccbp" }, all).map(({ scheme }) => scheme),
    ["ws+mil", "spatial"],
  );
  assert.deepEqual(offered(mix, ["even"]), []);
  assert.deepEqual(
    helps(facts([{ ...BP, slowdown: Infinity }, CFD], { scheme: "leftover" }), all).map(({ scheme }) => scheme),
    ["even", "ccbp"],
  );
  assert.deepEqual(
    helps(facts([BP, CFD], { noc: 0.1, slots: 0.8 }), all).map(({ scheme }) => scheme),
    ["ws", "smk"],
  );
  const goals = [...all, "spart", "qos-rollover", "qos-naive"];
  assert.deepEqual(offered(facts([HELD, SAD], { scheme: "qos-rollover" }), goals), [
    "spart: gives whole SMs to SAD, as many as what is promised takes, and to BP the others, where no quota stops it",
    "even: keeps no goals and has no quotas: BP issues whenever it has warps that are ready",
  ]);
  assert.deepEqual(
    helps(facts([HELD, CFD], { scheme: "smk" }), goals).map(({ scheme }) => scheme),
    ["even"],
    "a miss queue of its own helps nobody who may not issue",
  );
  assert.equal(
    offered(facts([BP, { ...SAD, reached: 0.7 }]), goals)[0],
    "qos-rollover: gives SAD quotas that keep what is promised, and more of them while that is missed",
  );
  assert.deepEqual(
    offered(
      facts([
        { ...BP, slowdown: 1 },
        { ...CFD, slowdown: null },
      ]),
    ),
    [],
  );
});

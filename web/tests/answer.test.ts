// The answer from results as the engine gives them: what is found in its sentences, when they change, and where a read waits.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { bars, place, takenText, ticks, tops } from "../src/model/bars.ts";
import type { RunSide } from "../src/model/model.ts";
import { rateOf } from "../src/model/rate.ts";
import { against, givesOf, isFinal, origins, plain, said, stand, STANDS, textOf } from "../src/model/says.ts";
import { paths } from "../src/model/where.ts";
import type { Experiment, Part, Result } from "../src/model/types.ts";

const ALONE = {
  warps: 1000,
  memory: 8,
  lsu: 1,
  other: 12,
  miss_queue: 100,
  request_noc: 110,
  l2: 150,
  dram: 190,
  reply_noc: 30,
  l1_hit_rate: 0,
  l2_miss_rate: 0.3,
};
const counters = (waits: number[], of: object = {}): object => ({
  warp_instructions: 1000,
  warp_cycles: 50_000,
  warps_wait_memory: 30_000,
  warps_wait_lsu: 5000,
  latency_count: 10,
  latency_sum: waits.reduce((a, b) => a + b, 0),
  ...Object.fromEntries(
    ["miss_queue", "request_noc", "l2", "dram", "reply_noc"].map((s, i) => [`wait_${s}`, waits[i]]),
  ),
  ...of,
});
const kernel = (name: string, slowdown: number | null, of: object = {}): object => ({
  name,
  slowdown,
  thread_instructions: 1,
  counters: counters([8000, 1500, 9000, 2600, 1800]),
  breakdown_alone: ALONE,
  latency: { miss_queue: 800, request_noc: 150, l2: 900, dram: 260, reply_noc: 180 },
  ...of,
});
const says = (headline: string | Part[], ...sentences: string[]): object => ({
  question: "sharing",
  headline: typeof headline === "string" ? [{ text: headline, kernel: 0 }] : headline,
  says: sentences,
  sufferer: 0,
  slowdown: 5.28,
  ci95: null,
  sure: true,
});
function result(verdict: object, kernels: object[], slowdowns: ([number, number] | null)[], of: object = {}): Result {
  return {
    engine: "0",
    config_hash: "a",
    digest: "",
    seed: 1,
    cycles: 10_000,
    stop: "budget",
    gpu: {},
    kernels,
    verdict,
    ci95: { kernels: slowdowns.map((slowdown) => ({ slowdown })), gpu: {}, metrics: { stp: [0.9, 1] } },
    metrics: { hspeedup: 0.3, stp: 0.96 },
    ...of,
  } as unknown as Result;
}
const side = (of: Result | null, more: Partial<RunSide> = {}): RunSide => ({
  mark: "A",
  scheme: "Even split",
  experiment: { corun: 1, kernels: ["ccbp/BP", "ccbp/CFD"] },
  kernels: ["BP", "CFD"],
  result: of,
  origin: "running",
  ...more,
});
const PAIR = [kernel("BP", 5.283), kernel("CFD", 1.291)];
const FIRST: Part[] = [
  { text: "BP", kernel: 0 },
  { text: " is " },
  { text: "5.28", kernel: 0, figure: "slowdown" },
  { text: " times slower than alone." },
];
const EVEN = result(says(FIRST, "CFD sits on the big SMs."), PAIR, [
  [4.6, 6],
  [1.08, 1.5],
]);
test("a figure of the headline has its interval, also beside it where that is wide", () => {
  const of = (part: Part, more: object = {}) => givesOf(part, { ...EVEN, ...more } as Result);
  const slowdown = (kernel: number): Part => ({ text: "", kernel, figure: "slowdown" });
  assert.deepEqual(of(slowdown(0)), { range: "95 % interval: 4.60 to 6.00", give: "" });
  assert.deepEqual(of(slowdown(1)), { range: "95 % interval: 1.08 to 1.50", give: "± 0.21" });
  const faster = result(says(""), [kernel("BP", 0.5), kernel("CFD", 1.3)], [[0.4, 0.625], null]);
  assert.deepEqual(givesOf(slowdown(0), faster), { range: "95 % interval: 1.60 to 2.50", give: "± 0.50" });
  assert.deepEqual(givesOf(slowdown(1), faster), { range: "", give: "" });
  const because = [{ kernel: 0, cures: [{ cure: "noc", gives_back: 2.5, ci95: [2, 3] }] }],
    back: Part = { text: "2.50", kernel: 0, figure: "gives_back" };
  assert.deepEqual(of(back, { because }), { range: "95 % interval: 2.00 to 3.00", give: "" });
});

test("A is said whole; of B it stands that it says nothing, or what it needs to be sure", () => {
  const unsure = { ...says("CFD gets nothing.", "CFD sits.", "The policy still learns."), sure: false },
    b = side(result(unsure, PAIR, []), { mark: "B", scheme: "CCBP" });
  const both = said([side(EVEN), b]);
  assert.deepEqual(
    both.map(({ lead, headline, notes }) => [lead, textOf(headline), notes]),
    [
      ["", "BP is 5.28 times slower than alone.", ["CFD sits on the big SMs."]],
      ["Under CCBP: ", "CFD gets nothing.", ["The policy still learns."]],
    ],
  );
  assert.ok(plain(both).endsWith("Under CCBP: CFD gets nothing. The policy still learns."));
  assert.equal(said([side(EVEN), { ...b, scheme: "Even split" }])[1]?.lead, "B: ");
  assert.equal(plain(said([side(null)])), "Nothing is known yet.");
  assert.deepEqual(said([side(null), side(null)])[1]?.notes, [], "what is not known of both is said once");
  const doubt = side(result(says([{ text: "The run is too short." }]), PAIR, []));
  assert.deepEqual(said([side(EVEN), doubt])[1]?.notes, ["The run is too short."]);
  const goal = "QoS rollover keeps goals, and no kernel has one.",
    lacking = side(result(says(FIRST, goal, "CFD is 1.29 times slower."), PAIR, []));
  assert.deepEqual(said([side(EVEN), lacking])[1]?.notes, [goal]);
});

test("what B makes of the kernel that A's sentence is about, and whether their intervals tell them apart", () => {
  const b = (slowdown: number, ends: [number, number] | null, more: Partial<RunSide> = {}) =>
    side(result(says(FIRST), [kernel("BP", slowdown), kernel("CFD", 2)], [ends]), {
      mark: "B",
      scheme: "CCBP",
      ...more,
    });
  const of = (other: RunSide) => against([side(EVEN), other])?.text;
  assert.equal(of(b(1.9, [1.8, 2])), "Under CCBP: 1.90 times.");
  assert.equal(of(b(5.5, [5, 6])), "Under CCBP: 5.50 times, which may be the same.");
  assert.equal(of(b(1.9, [1.8, 2], { scheme: "Even split" })), "Under B: 1.90 times.");
  assert.equal(of(b(1.9, [1, 3])), "Under CCBP: 1.00–3.00 times.", "no number that its bar does not say");
  assert.equal(of(b(1.9, null)), undefined, "nothing is said of what is not known");
  assert.equal(of(b(1.9, [1.8, 2], { elsewhere: true })), undefined);
  assert.equal(of(b(1.9, [1.8, 2], { kernels: ["BP", "HG"] })), undefined);
  assert.equal(against([side(EVEN)]), null);
  const starved = result(says(FIRST), [kernel("BP", null, { thread_instructions: 0 }), kernel("CFD", 2)], []);
  assert.equal(of(side(starved, { scheme: "CCBP" })), "Under CCBP BP gets nothing.");
});

test("how sure it is: once for both sides where it is the same", () => {
  assert.deepEqual(
    origins([side(EVEN), side(EVEN)]).map(({ mark, text }) => `${mark}${text}`),
    ["Running here: 10,000 cycles so far."],
  );
  assert.deepEqual(
    origins([side(EVEN, { origin: "stored" }), side(EVEN, { mark: "B", origin: "differs" }), side(null)]).map(
      ({ mark, text }) => `${mark}: ${text}`,
    ),
    [
      "A: Stored answer of the end, 10,000 cycles: the run here is not there yet.",
      "B: Not confirmed: the run here ended after 10,000 cycles in another state than the stored answer.",
    ],
  );
  assert.deepEqual(origins([side(null)]), []);
  assert.equal(origins([side(EVEN, { origin: "rests" })])[0]?.text, "Paused here: 10,000 cycles so far.");
  const earlier = side({ ...EVEN, stop: "cycles" }, { origin: "earlier" });
  assert.equal(origins([earlier])[0]?.text, "Answer of the first 10,000 cycles: the run here goes on.");
  assert.ok(!isFinal(earlier), "it is not said as the last");
});

test("a sentence stands for three seconds while the run goes on, and changes once when it ends", () => {
  const at = (cycles: number, of: object = {}): RunSide[] => [side({ ...EVEN, cycles, ...of })];
  const first = stand(null, at(1000), 0);
  assert.equal(first.again, null);
  const early = stand(first.standing, at(2000), 300);
  assert.equal(early.standing, first.standing, "nothing is rewritten");
  assert.equal(early.again, STANDS - 300);
  const late = stand(first.standing, at(9000), STANDS);
  assert.equal(late.standing.sides[0]?.result?.cycles, 9000);
  const same = stand(late.standing, at(9000), STANDS + 100);
  assert.deepEqual([same.standing.since, same.again], [STANDS, null]);
  const end = stand(late.standing, at(10_000, { stop: "cycles" }), STANDS + 200);
  assert.equal(end.standing.sides[0]?.result?.cycles, 10_000, "it ended");
  const other = stand(late.standing, at(1, { config_hash: "b" }), STANDS + 300);
  assert.equal(other.standing.sides[0]?.result?.cycles, 1, "another run");
  const known = { ...(EVEN.verdict as object), sufferer: null, slowdown: null };
  const before = stand(null, at(1, { verdict: known }), 0);
  assert.equal(stand(before.standing, at(2), 1).standing.sides[0]?.result?.cycles, 2, "now something is known");
});

test("that a run is too short to say gives way to the first headline with a figure at once, and not the other way round", () => {
  const words = {
      ...(EVEN.verdict as object),
      headline: [{ text: "The run is too short to say whether BP suffers." }],
    },
    at = (cycles: number, of: object = {}): RunSide[] => [side({ ...EVEN, cycles, ...of })];
  const before = stand(null, at(1, { verdict: words }), 0),
    told = stand(before.standing, at(2), 1);
  assert.equal(told.standing.sides[0]?.result?.cycles, 2);
  assert.equal(stand(told.standing, at(3, { verdict: words }), 2).standing, told.standing);
});

test("a slowdown of a run's first cycles gives way to the first with an interval", () => {
  const at = (cycles: number, of: object = {}): RunSide[] => [side({ ...EVEN, cycles, ...of })];
  const bare = stand(null, at(96, { ci95: undefined }), 0);
  assert.equal(stand(bare.standing, at(97, { ci95: undefined }), 1).standing, bare.standing);
  const first = stand(bare.standing, at(6000), 300);
  assert.equal(first.standing.sides[0]?.result?.cycles, 6000);
  assert.equal(stand(first.standing, at(7000), 600).standing, first.standing, "and stands");
});

test("an answer is final where no run here goes on", () => {
  assert.deepEqual(
    [side(EVEN), side({ ...EVEN, stop: "settled" }), side(EVEN, { origin: "stored" }), side(null)].map(isFinal),
    [false, true, true, false],
  );
  // Who steps through a run reads the sentence of each cycle at once, as all else is of it.
  const at = (cycles: number): RunSide[] => [side({ ...EVEN, cycles }, { origin: "rests" })];
  assert.equal(stand(stand(null, at(1000), 0).standing, at(1001), 10).standing.sides[0]?.result?.cycles, 1001);
});

test("the rate is that of docs/reference/verdicts.md", () => {
  const page = readFileSync(new URL("../../../../docs/reference/verdicts.md", import.meta.url), "utf8"),
    rate = rateOf(page);
  assert.ok(rate);
  assert.match(page, new RegExp(`that name a cause \\| ${rate.held} of ${rate.of} `));
  assert.deepEqual(rateOf("| that name a cause | 41 of 53 (77 %) |\n"), { held: 41, of: 53 });
  assert.equal(rateOf("# Something else"), null);
});

test("a read's path is that of who suffers in A, in both sides; what is missing says why", () => {
  const b = result({ ...says(FIRST), sufferer: 1 }, PAIR, []);
  const [inA, inB] = paths([side(EVEN), side(b, { mark: "B" })]);
  assert.deepEqual(
    [inA?.name, inB?.name, inA?.here, inA?.alone, inB?.behind],
    ["BP", "BP", 2290, 580, { kernel: 1, name: "CFD" }],
  );
  assert.deepEqual(inA?.stations[0], {
    key: "miss_queue",
    name: "SM’s miss queue",
    short: "miss queue",
    here: 800,
    alone: 100,
  });
  const parts = { miss_queue: 775.6, request_noc: 179.6, l2: 307.6, dram: 184.6, reply_noc: 170.6 },
    [odd] = paths([side(result(says(FIRST), [kernel("BP", 5, { latency: parts }), PAIR[1]!], []))]);
  assert.equal(
    odd?.stations.reduce((sum, { here }) => sum + here, 0),
    odd?.here,
    "as printed, they add up",
  );
  const [unknown] = paths([side(result(says(FIRST), [kernel("BP", 5, { breakdown_alone: undefined }), PAIR[1]!], []))]);
  assert.deepEqual(
    [unknown?.stations[0]?.alone, unknown?.alone, unknown?.why],
    [null, null, "what BP takes alone is not known yet"],
  );
  const [none] = paths([side(result(says(FIRST), [kernel("BP", 5, { latency: { l2: null } })], []))]);
  assert.deepEqual([none?.stations.length, none?.why], [0, "no read of BP has come back"]);
  assert.equal(paths([side(null)])[0]?.why, "nothing is known yet");
  // At the sentence's own bounds: a read of a run's start may be faster than alone by chance.
  const wide = (mean: [number, number] | null) =>
    paths([
      side({ ...EVEN, ci95: { kernels: [{ latency: { mean } }], gpu: {}, metrics: {} } } as unknown as Result),
    ])[0];
  assert.deepEqual([wide([2000, 2500])?.here, wide([2000, 2500])?.why], [2290, ""]);
  assert.deepEqual([wide([1200, 3000])?.here, wide([1200, 3000])?.stations], [null, []]);
  assert.equal(wide([1200, 3000])?.why, "1,200–3,000 cycles: the run is too short to say");
  assert.equal(wide(null)?.why, "the run is too short to say");
  assert.equal(
    origins([side({ ...EVEN, verdict: says([{ text: "Too short." }]) } as Result, { origin: "rests" })])[0]?.text,
    "Paused here: 10,000 cycles so far. Play goes on.",
  );
  const stored = { counters: undefined, thread_instructions: undefined };
  const kernels = ["BP", "CFD", "LBM"],
    three = result(
      says(FIRST),
      kernels.map((name) => kernel(name, 2, stored)),
      [],
    );
  const [short] = paths([side(three, { kernels })]);
  assert.deepEqual([short?.here, short?.behind], [2290, null], "a stored answer does not say who of two waits longer");
});

test("reads stand behind those that wait longest, and behind nobody whom they cannot meet", () => {
  const names = ["BT", "FTD", "PF"],
    // Reads of FTD wait longest.
    waits = [counters([1]), counters([9000, 9000]), counters([10])].map((of): object => ({ counters: of })),
    three = () =>
      result(
        says(FIRST),
        names.map((name, k) => kernel(name, 2, waits[k])),
        [],
      );
  const behind = (policy?: Experiment["policy"]): string | null => {
    const experiment: Experiment = { corun: 1, gpu: "a100-40gb", kernels: names, ...(policy ? { policy } : {}) };
    return paths([side(three(), { kernels: names, experiment })])[0]?.behind?.name ?? null;
  };
  assert.equal(behind(), "FTD");
  waits[0] = { counters: counters([1]), neighbour_cost: 1.02 };
  assert.equal(behind(), null, "what neighbours cost nothing is its share's");
  waits[0] = { counters: counters([1]), neighbour_cost: 1.4 };
  assert.equal(behind(), "FTD");
  // MIG's instances have SMs, L2 banks and DRAM channels of their own.
  assert.equal(behind({ name: "mig", profiles: ["3g.20gb"] }), null);
  const split = [42, 28, 14];
  assert.equal(behind({ name: "spatial", split, channels: [20, 10, 10] }), null);
  assert.equal(behind({ name: "spatial", split }), "FTD");
});

test("how much slower? No bar says it where the engine's sentence does not, and each where it does", () => {
  const folder = new URL("../../../../web/public/answers/", import.meta.url),
    counts = { said: 0, unsaid: 0 };
  for (const file of readdirSync(folder)) {
    const { mix, schemes = [] } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as {
      mix: Experiment;
      schemes?: { result?: Result }[];
    };
    for (const { result: of } of schemes) {
      if (!of || !["sharing", "classes"].includes(of.verdict?.question ?? "")) continue;
      const sentences = [textOf(of.verdict?.headline ?? []), ...(of.verdict?.says ?? [])].join(" "),
        short = /too short to say (?:how much slower than alone|whether) (.*?) (?:is|are|suffers?)\./g,
        unsaid = new Set([...sentences.matchAll(short)].flatMap(([, names = ""]) => names.split(/, | and /)));
      const kernels = of.kernels.map(({ name }) => name);
      for (const { name, value, ends, cure, taken } of bars(
        side(of, { experiment: mix, kernels, origin: "stored" }),
      ).filter(({ kind }) => kind === "slow")) {
        assert.equal(value === null, unsaid.has(name), `${file}: ${name} ${value} of ${ends}, and: ${sentences}`);
        assert.ok(value !== null || (cure === null && taken === null), `${file}: what is not said is not taken apart`);
        counts[value === null ? "unsaid" : "said"] += 1;
      }
    }
  }
  assert.ok(Math.min(counts.said, counts.unsaid) > 100, JSON.stringify(counts));
});

test("what the best cure gives back stands in the bar once runs have told", () => {
  const told = "With an unlimited NoC, CFD costs BP 2.47 times less.",
    because = [
      {
        kernel: 0,
        neighbour_cost: 3.49,
        cures: [{ cure: "noc", words: "an unlimited NoC", gives_back: 2.47 }],
        not_tried: [],
        says: told,
      },
    ];
  const [bp, cfd] = bars(side({ ...EVEN, because } as unknown as Result));
  assert.deepEqual(bp?.cure, { gives: 2.47, words: "an unlimited NoC" });
  assert.equal(bp && takenText(bp), "unlimited NoC ÷ 2.47");
  assert.equal(cfd?.cure, null);
});

test("bars: slowdowns, promises, what a kernel finds again; all sides have one scale", () => {
  const ended = (of: Result | null, more: Partial<RunSide> = {}): RunSide => side(of, { origin: "here", ...more });
  const starved = result(
    says("CFD gets nothing."),
    [kernel("BP", 1), kernel("CFD", null, { thread_instructions: 0 })],
    [[0.9, 1.1], null],
  );
  const all = bars(ended(starved));
  assert.deepEqual(
    all.map(({ value, why }) => [value, why]),
    [
      [1, ""],
      [Infinity, "no CTA placed since cycle 0"],
    ],
  );
  // The longest bar leaves room for its interval, and a hopeless one takes no more than half as much again.
  const ofEven = bars(ended(EVEN)),
    longest = Math.max(...ofEven.map(({ value }) => value ?? 0)),
    end = Math.max(...ofEven.map(({ ends }) => ends?.[1] ?? 0));
  assert.ok(end > longest);
  assert.deepEqual(tops([...all, ...ofEven]), { slow: end, kept: 1.25, found: 1 });
  assert.equal(tops(ofEven.map((bar) => ({ ...bar, ends: [1, 99] }))).slow, 1.5 * longest);
  assert.equal(tops(ofEven.map((bar) => ({ ...bar, value: null, ends: [3, 5] }))).slow, 4.5, "a range has room, too");
  const gone = kernel("CFD", null, { thread_instructions: undefined, counters: undefined, ipc: 0 });
  assert.deepEqual(
    bars(ended(result(says(""), [PAIR[0]!, gone], []))).map(({ value, why }) => [value, why])[1],
    [Infinity, "it has not issued an instruction"],
    "a stored answer",
  );
  // A run's first cycles say nothing of how much: no factor stands before its interval, nor while that is wide.
  const early = (ends: [number, number] | null) => bars(side(result(says(FIRST), PAIR, [ends, [1.1, 1.5]])));
  assert.deepEqual(
    [early(null), early([2, 8.5])].map((all) => all.map(({ value, why }) => [value, why])),
    [
      [
        [null, "not known yet"],
        [1.291, ""],
      ],
      [
        [null, "2.00–8.50×: the run is too short to say"],
        [1.291, ""],
      ],
    ],
  );
  // A slowdown taken apart: what is as good as nothing is not said, and nothing of one that gets nothing.
  const shares = [
    { share_cost: 2.2, neighbour_cost: 1.2 },
    { share_cost: 1.03, neighbour_cost: 2.5 },
    { share_cost: null },
    { share_cost: 2.2, neighbour_cost: 1 },
    { share_cost: 2.2, neighbour_cost: 1 },
    // Too wide to be said.
    { share_cost: 2.2, neighbour_cost: 1 },
  ];
  assert.deepEqual(
    bars(
      ended(
        result(
          says(""),
          shares.map((of, k) => kernel(`K${k}`, k === 3 ? Infinity : 2.6, of)),
          [],
          {
            ci95: {
              kernels: shares.map(({ share_cost: of }, k) => ({
                slowdown: [2.5, 2.7],
                share_cost: of ? [of - 0.1, of + (k < 5 ? 0.1 : 1)] : null,
              })),
            },
          },
        ),
        { kernels: shares.map((_, k) => `K${k}`) },
      ),
    ).map(takenText),
    ["share 2.20 × the others 1.20", "all for the others", "", "", "all for its share", ""],
  );
  const [one] = bars(
    ended(
      result(says(""), [kernel("BP", 4.7, { share_cost: 1.4, neighbour_cost: 3.4 }), PAIR[1]!], [], {
        ci95: { kernels: [{ slowdown: [4.6, 4.8], share_cost: [1.3, 1.5] }] },
      }),
    ),
  );
  assert.equal(one && takenText(one), "share 1.40 × CFD 3.40", "of two kernels it is the other one");
  // Factors are as long as each other wherever they stand.
  const at = (value: number): number => place("slow", value, 8);
  assert.deepEqual([at(0.9), at(1), at(8), at(99)], [0, 0, 1, 1]);
  assert.ok(Math.abs(at(4) - at(2) - at(2)) < 1e-9);
  assert.equal(place("kept", 0.5, 1.25), 0.4);
  assert.deepEqual([2, 5, 31.9, 82].map(ticks), [
    [1, 2],
    [1, 2, 4],
    [1, 2, 4, 8, 16],
    [1, 4, 16, 64],
  ]);
  const promised = ended(result(says(""), [kernel("BP", 2, { goal_reached: 0.9 }), PAIR[1]!], [null, [1.1, 1.5]]), {
    experiment: { corun: 1, kernels: [{ kernel: "ccbp/BP", qos: 0.8 }, "ccbp/CFD"] },
  });
  assert.deepEqual(
    bars(promised).map(({ kind, value }) => [kind, value]),
    [
      ["kept", 0.9],
      ["slow", 1.291],
    ],
  );
  const reuse = result({ ...says(""), question: "reuse" }, [kernel("HS", null, { l1_hit_rate: 0.65 })], []);
  assert.deepEqual(
    bars(ended(reuse, { kernels: ["HS"] })).map(({ kind, value }) => [kind, value]),
    [["found", 0.65]],
  );
  assert.deepEqual(
    bars(ended(null, { alone: ["45 % measured", ""] })).map(({ value, why }) => [value, why]),
    [
      [null, "45 % measured"],
      [null, "not known yet"],
    ],
  );
});

// What the first screen shows of A and of B: a stored answer is that of one experiment, never of another that has the same scheme.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Answered } from "../src/run/answered.ts";
import first from "../src/model/first.json" with { type: "json" };
import shipped from "../src/model/answers.json" with { type: "json" };
import { schemePoints } from "../src/schemes/scheme-points.ts";
import { SchemesRun, type SchemesHost } from "../src/schemes/schemes-run.ts";
import { side, type Side } from "../src/model/session.ts";
import { computed, signal } from "@preact/signals";
import type { Whereabouts } from "../src/model/origin.ts";
import type { Experiment, Result } from "../src/model/types.ts";

// The page's own files, as its host gives them.
const asked: string[] = [];
globalThis.fetch = ((place: string) => {
  asked.push(place);
  return Promise.resolve(new Response(readFileSync(place.replace("./", "public/"), "utf8")));
}) as typeof fetch;

const even: Experiment = { ...(first as Experiment), policy: { name: "even" } };
const ccbp = (more: Partial<Experiment> = {}): Experiment => ({ ...even, policy: { name: "ccbp" }, ...more });

const nothing = (): void => undefined;
/** What is to be seen of a session. */
const seen = () => {
  const sides = signal<readonly Side[]>([]),
    experiments = computed(() => sides.value.map(({ experiment }) => experiment));
  return {
    sides,
    seen: sides,
    over: signal(false),
    whereabouts: signal<Whereabouts>("way"),
    ready: signal(null),
    catalogue: null,
    get experiments() {
      return experiments.value;
    },
  };
};
/** The sides of a page that has these runs; `more`: what the engine has said of each. */
async function shown(experiments: readonly Experiment[], more: readonly Partial<Side>[] = []): Promise<Answered> {
  const session = seen(),
    answered = new Answered(session);
  session.sides.value = experiments.map((one, at) => ({ ...side(one), ...more[at] }));
  await answered.loaded;
  return answered;
}
const answersOf = ({ sides }: Answered): (string | null)[] =>
  sides.value.map(({ result }) => result?.config_hash ?? null);
const EVEN = "eeec77369edff565";

test("B has a stored answer only where its own experiment has one", async () => {
  const mine = answersOf(await shown([even, ccbp()]));
  assert.equal(mine[0], EVEN);
  assert.notEqual(mine[1], null);
  assert.notEqual(mine[1], EVEN);
  const others: [string, Experiment][] = [
    ["other kernels", ccbp({ kernels: ["ccbp/BP", "ccbp/HG"] })],
    ["a kernel's CTAs", ccbp({ kernels: ["ccbp/BP", { kernel: "ccbp/CFD", ctas_per_sm: 2 }] })],
    ["another GPU", ccbp({ gpu: "qos-16sm" })],
    ["a smaller L2", ccbp({ gpu: { preset: "ccbp-16sm", "l2.bank_bytes": 32768 } })],
    ["another seed", ccbp({ seed: 2 })],
    ["another length", ccbp({ stop: { cycles: 100_000 } })],
    ["another order of warps", ccbp({ warp_order: "gto" })],
    ["kernels alone on another GPU", ccbp({ alone_gpu: "qos-16sm" })],
    ["a setting of the scheme", ccbp({ policy: { name: "ccbp", priority: 0.123 } })],
  ];
  for (const [what, other] of others) assert.deepEqual(answersOf(await shown([even, other])), [EVEN, null], what);
});

test("B of another mix that came with the page has that mix's answer", async () => {
  const mix = shipped.mixes.find(({ file }) => file === "cfd-ftd-ccbp")?.mix as Experiment,
    answered = await shown([even, { ...mix, policy: { name: "ccbp" } }]);
  assert.deepEqual(
    answered.sides.value[1]?.result?.kernels.map(({ name }) => name),
    ["CFD", "FTD"],
  );
});

test("a run that goes on beyond its end keeps what stood there, its causes too, until it has ended again", async () => {
  const longer: Experiment = { ...even, stop: { cycles: 1_000_000 } },
    [stored] = (await shown([even])).sides.value,
    digest = stored?.result?.digest,
    earlier = { experiment: even, result: { ...ended([9, 9], 500_000), config_hash: EVEN, digest } as Result };
  const on = await shown([longer], [{ earlier, result: ended([5, 2], 600_000) }]);
  // The run itself had ended, and its causes were not asked for yet.
  assert.ok((stored?.result?.because ?? []).length > 0);
  assert.deepEqual([on.sides.value[0]?.origin, on.sides.value[0]?.result], ["earlier", stored?.result]);
  const own = await shown([{ ...longer, seed: 2 }], [{ earlier: { ...earlier, experiment: { ...even, seed: 2 } } }]);
  assert.equal(own.sides.value[0]?.result, earlier.result, "without a stored answer, its own");
  const over = await shown([longer], [{ earlier: null, result: ended([5, 2], 1_000_000) }]);
  assert.equal(over.sides.value[0]?.result?.cycles, 1_000_000);
});

test("while a stored answer stands, what a run says on its way is nothing new to what is drawn of the sides", async () => {
  const session = seen(),
    answered = new Answered(session);
  session.sides.value = [even, ccbp()].map(side);
  await answered.loaded;
  const before = answered.sides.value,
    results = (a: Partial<Side>): void => {
      session.sides.value = session.sides.value.map((one, at) => (at === 0 ? { ...one, ...a } : one));
    };
  results({ result: { ...ended([5, 2], 1000), stop: "budget" } });
  assert.equal(answered.sides.value, before);
  results({ alone: [{ ipc: 1, why: "" }] });
  assert.notEqual(answered.sides.value, before);
  assert.equal(answered.sides.value[1], before[1], "B is as it was");
});

test("who stops before anything can be said of A keeps what stood there, of A and B alike", async () => {
  const session = seen(),
    answered = new Answered(session),
    says = (...headline: object[]): Result =>
      ({ ...ended([5, 2], 5000), stop: "budget", verdict: { headline } }) as unknown as Result,
    origins = (...results: Result[]): string[] => {
      session.sides.value = session.sides.value.map((one, at) => ({ ...one, result: results[at] ?? null }));
      return answered.sides.value.map(({ origin }) => origin);
    };
  session.sides.value = [even, ccbp()].map(side);
  await answered.loaded;
  session.whereabouts.value = "rest";
  const silent = says({ text: "The run is too short." }),
    speaks = says({ text: "BP", kernel: 0 }, { text: " suffers." });
  assert.deepEqual(origins(silent, speaks), ["stored", "stored"]);
  assert.deepEqual(origins(speaks, silent), ["rests", "rests"]);
  session.sides.value = [even, ccbp({ seed: 2 })].map(side);
  await answered.loaded;
  assert.deepEqual(origins(silent, silent), ["rests", "rests"], "B has nothing that stood there");
});

test("once the engine has named an experiment by its hash, the answer has that hash or is none", async () => {
  const loaded = (hash: string): Partial<Side> => ({ loaded: { hash, normal: even } as Side["loaded"] });
  assert.deepEqual(answersOf(await shown([even], [loaded(EVEN)])), [EVEN]);
  assert.deepEqual(answersOf(await shown([even], [loaded("0123456789abcdef")])), [null]);
  // Written at length, it is the same experiment.
  const written = ccbp({ policy: { name: "ccbp", priority: 0.4 } }),
    hash = answersOf(await shown([ccbp()]))[0] ?? "";
  assert.deepEqual(answersOf(await shown([written])), [null]);
  assert.deepEqual(answersOf(await shown([written], [loaded(hash)])), [hash]);
});

const ended = (slowdowns: number[], cycles = 2_000_000): Result =>
  ({
    engine: "",
    config_hash: slowdowns.join(),
    digest: slowdowns.join(),
    seed: 1,
    cycles,
    stop: "cycles",
    gpu: {},
    kernels: slowdowns.map((slowdown, k) => ({ name: `K${k}`, slowdown, thread_instructions: 1 })),
    metrics: {},
    ci95: { kernels: slowdowns.map((of) => ({ slowdown: [of - 0.1, of + 0.1] })), gpu: {}, metrics: {} },
    verdict: { says: [], sure: false },
  }) as unknown as Result;
const points = (answered: Answered, answers = answered.answers.value): [string, string, number][] => {
  const [a, b = null] = answered.sides.value;
  return schemePoints(answers, a ?? null, b).map(({ name, marks, slowdowns }) => [name, marks, slowdowns[0] ?? 0]);
};
/** A page with the simulator: it has these two schemes, and nothing has run. */
const host = {
  catalogue: {
    policies: [
      { name: "even", title: "Even split" },
      { name: "smk", title: "SMK" },
    ],
  },
  workers: 1,
  validate: () => Promise.resolve([]),
  plan: () => nothing,
} as unknown as SchemesHost;
async function beginning(answered: Answered, of: Experiment): Promise<SchemesRun> {
  const run = new SchemesRun(host);
  void run.show(of, answered.stored.value, [
    { policy: { name: "even" }, title: "Even split" },
    { policy: { name: "smk" }, title: "SMK" },
  ]);
  answered.schemes.value = run;
  await answered.loaded;
  return run;
}

test("A and B stand in the picture of all schemes also where no answer came with the page", async () => {
  const mine: Experiment = { ...even, kernels: ["ccbp/LAV", "ccbp/HG"], stop: { cycles: 2_000_000 } },
    b = { ...mine, policy: { name: "ccbp", priority: 0.5 } };
  const answered = await shown([mine, b], [{ result: ended([3, 2]) }, { result: ended([2, 1.5]) }]);
  await beginning(answered, mine);
  assert.deepEqual(
    points(answered).map(([, marks, slowdown]) => [marks, slowdown]),
    [
      ["A", 3],
      ["B", 2],
    ],
  );
});

test("what has run to its end on the page is one of all schemes, and is not run again", async () => {
  const mine: Experiment = { ...even, kernels: ["ccbp/LAV", "ccbp/HG"], stop: { cycles: 2_000_000 } },
    session = seen(),
    answered = new Answered(session);
  session.sides.value = [{ ...side(mine), result: ended([3, 2]) }];
  const run = await beginning(answered, mine);
  const known = (): boolean[] => run.answers.value.map(({ result }) => result !== null);
  assert.deepEqual(known(), [false, false]);
  session.over.value = true;
  assert.deepEqual(known(), [true, false]);
  // A run of another length is another run.
  session.sides.value = [
    { ...side({ ...mine, policy: { name: "smk" }, stop: { cycles: 1000 } }), result: ended([9, 9]) },
  ];
  assert.deepEqual(known(), [true, false]);
});

test("another mix has no answers of the mix before, and each file is asked for once", async () => {
  const session = seen(),
    answered = new Answered(session);
  asked.length = 0;
  session.sides.value = [side(even), side(ccbp())];
  await answered.loaded;
  assert.deepEqual(asked, ["./answers/first.json"]);
  await beginning(answered, even);
  assert.ok(answered.answers.value.length > 0);
  session.sides.value = [side({ ...even, seed: 2 })];
  assert.deepEqual(answered.answers.value, []);
});

test("B of another mix has no place among the schemes of A's", async () => {
  const other = ccbp({ kernels: ["ccbp/BP", "ccbp/HG"] }),
    answered = await shown([even, other], [{}, { result: ended([9, 8]) }]);
  const all = points(answered);
  assert.ok(all.length > 5);
  assert.deepEqual(
    all.filter(([, marks]) => marks !== "").map(([, marks]) => marks),
    ["A"],
  );
  // One that only ends earlier is of this mix, and stands where its own bars say.
  const shorter = await shown(
    [even, ccbp({ stop: { cycles: 100_000 } })],
    [{}, { result: ended([2.345, 2], 100_000) }],
  );
  assert.deepEqual(
    points(shorter).filter(([, marks]) => marks.includes("B")),
    [["CCBP", "B", 2.345]],
  );
});

test("a mix for another number of cycles keeps the picture of its schemes, in which A is what has run here", async () => {
  const longer = { ...even, stop: { cycles: 1_000_000 } },
    answered = await shown([longer], [{ result: ended([5.5, 1.2], 600_000) }]);
  assert.deepEqual(
    answered.sides.value.map(({ origin }) => origin),
    ["running"],
  );
  const all = points(answered);
  assert.ok(all.length > 5);
  assert.deepEqual(
    all.filter(([, marks]) => marks !== ""),
    [["Even split", "A", 5.5]],
  );
  assert.ok(answered.stored.value.every(({ experiment }) => JSON.stringify(experiment.stop) === '{"cycles":500000}'));
});

// The picture of all schemes as data: which are one, which is best, names that do not overlap, where arrow keys lead.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { RunSide, SchemeAnswer } from "../src/model/model.ts";
import { axisOf, best, commonName, goTo, overlap, picksOf, schemePoints } from "../src/schemes/scheme-points.ts";
import type { Box } from "../src/picture/marks.ts";
import shipped from "../src/model/answers.json" with { type: "json" };
import { scatterOf } from "../src/schemes/scheme-scatter.tsx";
import { policyKey, readAnswers } from "../src/model/stored.ts";
import { policyOf } from "../src/model/choices.ts";
import { slowdownOf } from "../src/model/figures.ts";
import type { Experiment, Interval, Result } from "../src/model/types.ts";

const result = (slowdowns: number[], speedup: number, ends: Interval = null, digest = ""): Result =>
  ({
    digest: digest || slowdowns.join(),
    config_hash: digest || slowdowns.join(),
    cycles: 1000,
    gpu: {},
    kernels: slowdowns.map((slowdown, k) => ({ name: `K${k}`, slowdown, thread_instructions: 1 })),
    metrics: { hspeedup: speedup },
    ci95: { kernels: slowdowns.map((s) => ({ slowdown: [s - 0.1, s + 0.1] })), metrics: { hspeedup: ends }, gpu: {} },
    verdict: { says: ["K0 suffers."], sure: false },
  }) as unknown as Result;
const answer = (name: string, scheme: string, of: Result | null, more: object = {}): SchemeAnswer => ({
  experiment: { corun: 1, kernels: ["BP", "CFD"], policy: { name, ...more } },
  scheme,
  result: of,
});
const side = (mark: string, of: SchemeAnswer): RunSide => ({
  mark,
  scheme: of.scheme,
  experiment: of.experiment,
  kernels: ["BP", "CFD"],
  result: of.result,
  origin: "stored",
});

test("equal schemes are one point: the same digest, or the same slowdowns to 1 %", () => {
  const answers = [
    answer("even", "Even split", result([4.8, 1.2], 0.33)),
    answer("ws", "Warped-Slicer", result([3.78, 1.27], 0.396)),
    answer("ws+tcm", "Warped-Slicer with TCM", result([3.782, 1.267], 0.3961)),
    answer("ws+lrr+gto", "Warped-Slicer with LRR", result([3.81, 1.227], 0.397)),
    answer("spatial", "Spatial partitioning", result([4.39, 1.6], 0.334, null, "same")),
    answer("mps", "MPS", result([4.5, 1.6], 0.334, null, "same")),
    answer("smk", "SMK", null),
    { ...answer("fixed", "Fixed", null), why: "no combination" },
  ];
  const points = schemePoints(answers, side("A", answers[0] as SchemeAnswer), side("B", answers[5] as SchemeAnswer));
  assert.deepEqual(
    points.map(({ name, marks }) => [name, marks]),
    [
      ["Warped-Slicer with LRR", ""],
      ["Warped-Slicer (2 forms)", ""],
      ["MPS (2 alike)", "B"],
      ["Even split", "A"],
    ],
  );
  assert.equal(commonName(["QoS quotas, naive", "QoS quotas with rollover", "QoS quotas"]), "QoS quotas (3 forms)");
});

test("a side with settings of its own is a point of its own; policies are the same however they are written", () => {
  const even = answer("even", "Even split", result([4.8, 1.2], 0.33)),
    ccbp = answer("ccbp", "CCBP", result([1.7, 1.66], 0.6)),
    own = answer("ccbp", "CCBP, priority 0.5", result([2, 1.5], 0.5), { priority: 0.5 });
  assert.deepEqual(
    schemePoints([even, ccbp], side("A", even), side("B", own)).map(({ name, marks }) => [name, marks]),
    [
      ["CCBP", ""],
      ["CCBP, priority 0.5", "B"],
      ["Even split", "A"],
    ],
  );
  const policies = ["ccbp", { name: "ccbp" }].map((policy) => policyKey({ corun: 1, kernels: [], policy }));
  assert.equal(policies[0], policies[1]);
  assert.equal(
    policyKey({ corun: 1, kernels: [], policy: { name: "x", a: 1, b: { c: 1, d: 2 } } }),
    policyKey({ corun: 1, kernels: [], policy: { b: { d: 2, c: 1 }, a: 1, name: "x" } }),
  );
});

test("one is best only where no other's interval reaches it; a kernel that gets nothing counts as 0", () => {
  const of = (...all: [number, Interval][]): string | undefined =>
    best(
      schemePoints(
        all.map(([speedup, ends], i) => answer(`s${i}`, `S${i}`, result([2 + i, 3], speedup, ends))),
        null,
        null,
      ),
    )?.name;
  assert.equal(of([0.6, [0.53, 0.66]], [0.41, [0.39, 0.43]]), "S0");
  assert.equal(of([0.6, [0.53, 0.66]], [0.41, [0.15, 0.65]]), undefined, "overlaps");
  assert.equal(of([0.6, [0.53, 0.66]], [0.41, null]), undefined, "not known");
  assert.equal(of([0.6, [0.53, 0.66]]), undefined, "nothing to compare with");
  const starved = {
    ...result([1.1, 1], 0),
    kernels: [
      { name: "K0", slowdown: 1.1, thread_instructions: 1 },
      { name: "K1", thread_instructions: 0 },
    ],
  } as unknown as Result;
  const points = schemePoints(
    [answer("leftover", "Leftover", starved), answer("even", "Even", result([2, 2], 0.5, [0.4, 0.6]))],
    null,
    null,
  );
  assert.deepEqual(points[1]?.slowdowns, [1.1, Infinity]);
  assert.equal(best(points)?.name, "Even");
});

test("what the engine says of a policy that still learns is kept", () => {
  const learns = "The policy still learns: what it does to the kernels is not known yet.";
  const of = { ...result([2, 2], 0.5), verdict: { says: ["K0 suffers.", learns] } } as unknown as Result;
  assert.deepEqual(
    schemePoints([answer("ccbp", "CCBP", of), answer("even", "Even", result([3, 3], 0.3))], null, null).map(
      ({ learning }) => learning,
    ),
    [learns, ""],
  );
});

test("axes are logarithmic from 1, leave what is far beyond to the edge, and go below where a kernel gains", () => {
  const axis = axisOf([1.6, 4.8, 3]);
  assert.deepEqual(axis.ticks, [1, 2, 4]);
  assert.equal(axis.at(1), 0);
  assert.ok(Math.abs(axis.at(2) * 2 - axis.at(4)) < 1e-9);
  assert.ok(axisOf([1.2, 1.5, 93]).to < 4);
  assert.equal(axisOf([1.2, 1.5, 93]).at(93), 1);
  assert.ok(axisOf([1.2, 1.5, 20], [20]).to > 20, "what is A or B is on it");
  assert.equal(axisOf([1.2, 1.5, 93], [93]).to, 32);
  assert.equal(axisOf([Infinity, 1.2]).to, 2);
  assert.equal(axis.at(0), 0, "an interval that reaches 0");
  assert.equal(axisOf([0.8, 2]).from, 0.5);
});

test("three questions: the fairest, the fastest for a kernel, and who does most, each with how sure that is", () => {
  const of = (slowdowns: number[], fairness: number, stp: number, give = 0.01): Result =>
    ({
      ...result(slowdowns, 0.5),
      metrics: { hspeedup: 0.5, fairness, stp },
      ci95: {
        kernels: slowdowns.map((s) => ({ slowdown: [s - 0.1, s + 0.1] })),
        metrics: { fairness: [fairness - give, fairness + give], stp: [stp - give, stp + give] },
        gpu: {},
      },
    }) as unknown as Result;
  const all = [
    answer("even", "Even split", of([4.7, 1.13], 0.24, 1.1)),
    answer("ccbp", "CCBP", of([1.74, 1.6], 0.92, 1.2)),
    answer("spart", "Spart", of([1.8, 1.7], 0.91, 1.19, 0.1)),
    { ...answer("lrr", "LRR", of([4.9, 1.5], 0.3, 0.9)), dropped: 0.5 },
  ];
  const says = (kernel: number, answers = all): string[] =>
    picksOf(schemePoints(answers, null, null), ["BP", "CFD"], kernel).map((pick) => `${pick.title}: ${pick.says}`);
  assert.deepEqual(says(0), [
    "fairest: CCBP is fairest of 3 that ran: BP 1.74×, CFD 1.60× slower. 1 more may be: intervals overlap.",
    "fastest for BP: Under CCBP, BP is fastest of 3 that ran: BP 1.74×, CFD 1.60× slower. 1 more may be: intervals overlap.",
    "most work: CCBP does most work of 3 that ran: together 1.20 of what each does alone. 1 more may be: intervals overlap.",
  ]);
  assert.equal(
    says(1)[1],
    "fastest for CFD: Under Even split, CFD is fastest of 3 that ran: BP 4.70×, CFD 1.13× slower.",
  );
  // A race drops by harmonic speedup: who was dropped may still be first by another figure, and a pick says so.
  const race = (...names: string[]): SchemeAnswer[] => [
    ...all,
    ...names.map((name, i) => ({
      ...answer(name, name, of([1.9 + i, 1.88 + i], 0.9, 1, 0.1)),
      dropped: 0.3,
    })),
  ];
  assert.match(says(0, race("WS"))[0] ?? "", /overlap\. WS may be, too: the race dropped it before its end\.$/);
  assert.match(
    says(0, race("WS", "SMK"))[0] ?? "",
    /overlap\. 2 more may be, too: the race dropped them before their end\.$/,
  );
});

test("a kernel that gets nothing is said to", () => {
  const starved = {
    ...result([1.1, 1], 0),
    kernels: [
      { name: "K0", slowdown: 1.1, thread_instructions: 1 },
      { name: "K1", thread_instructions: 0 },
    ],
  } as unknown as Result;
  const points = schemePoints(
    [answer("leftover", "Leftover", starved), answer("even", "Even", result([2, 2], 0.5))],
    null,
    null,
  );
  assert.match(picksOf(points, ["K0", "K1"], 0)[1]?.says ?? "", /K0 1\.10×, K1 gets nothing/);
});

// The pictures of all mixes that have answers with the page, as wide as a column, a phone, and a place.
const mixes = shipped.mixes as unknown as { file: string; mix: Experiment }[];
for (const { file, mix } of mixes) {
  if (mix.kernels.length !== 2) continue;
  test(`${file}: at most eight names, none on another or on a dot; A and B are named; no dot covers another or hides a slowdown`, () => {
    const text = readFileSync(`public/answers/${file}.json`, "utf8");
    const answers = readAnswers(JSON.parse(text), mix, shipped.engine) ?? [];
    assert.ok(answers.length > 20);
    const known = answers.filter((one) => one.result !== null);
    for (const width of [304, 350, 620])
      for (const [a, b] of [
        ["even", "ccbp"],
        ["leftover", "time-slice"],
        ["mps", "spatial"],
      ] as const) {
        const sideOf = (mark: string, name: string): RunSide =>
          side(mark, known.find(({ experiment }) => policyOf(experiment).name === name) as SchemeAnswer);
        const points = schemePoints(answers, sideOf("A", a), sideOf("B", b));
        const { dots, room } = scatterOf(points, null, width, 320);
        const count = dots.reduce((sum, { point }) => sum + point.answers.length, 0);
        assert.equal(count, known.length, "every scheme is at a dot");
        const named = dots.filter(({ box }) => box !== null);
        assert.ok(named.length <= 8 && named.length >= Math.min(4, dots.length), `${named.length} names`);
        for (const mark of ["A", "B"])
          assert.ok(
            named.some(({ point }) => point.marks.includes(mark)),
            `${mark} of ${a} and ${b} at ${width}`,
          );
        const square = ({ x, y, r }: { x: number; y: number; r: number }): Box => ({
          x: x - r,
          y: y - r,
          w: 2 * r,
          h: 2 * r,
        });
        for (const one of named) {
          const box = one.box as Box;
          assert.ok(box.x >= room.x && box.y >= room.y && box.x + box.w <= room.x + room.w);
          for (const other of named) assert.ok(one === other || !overlap(box, other.box as Box), "two names");
          for (const { place } of dots) assert.ok(!overlap(box, square(place)), `${one.name} on a dot`);
        }
        for (const [i, { place, point }] of dots.entries())
          for (const other of dots.slice(i + 1))
            assert.ok(
              Math.hypot(place.x - other.place.x, place.y - other.place.y) >= Math.max(place.r, other.place.r),
              `${point.name} and ${other.point.name} at ${width}`,
            );
        // Who reads a dot's slowdowns reads those of every scheme at it, to 5 %.
        for (const { point } of dots)
          for (const one of point.answers)
            point.slowdowns.forEach((slowdown, k) => {
              const own = one.result && slowdownOf(one.result, k);
              assert.ok(
                own === slowdown || (own !== null && Math.abs(own - slowdown) <= 0.06 * Math.min(own, slowdown)),
                `${one.scheme} at ${point.name}`,
              );
            });
      }
  });
}

test("an arrow leads to the nearest in its direction; Home and End to the first and the last; other keys nowhere", () => {
  const places = [
    { x: 100, y: 100 },
    { x: 160, y: 110 },
    { x: 110, y: 40 },
    { x: 120, y: 200 },
    { x: 100, y: 100 },
  ];
  assert.equal(goTo(places, 1, "ArrowLeft"), 0);
  assert.equal(goTo(places, 4, "ArrowRight"), 1);
  assert.equal(goTo(places, 4, "ArrowUp"), 0, "what stands in the same place");
  assert.equal(goTo(places, 0, "ArrowUp"), 2);
  assert.equal(goTo(places, 0, "ArrowDown"), 4, "and the other way");
  assert.equal(goTo(places, 4, "ArrowDown"), 3);
  assert.equal(goTo(places, 2, "ArrowUp"), 2, "nothing there");
  assert.equal(goTo(places, 2, "Home"), 0);
  assert.equal(goTo(places, 2, "End"), 4);
  assert.equal(goTo(places, 2, "x"), null);
  // Every point can be reached from every other.
  const reached = new Set([0]);
  for (const from of reached)
    for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"])
      reached.add(goTo(places, from, key) as number);
  assert.equal(reached.size, places.length);
});

test("what a race has dropped stands behind all others, is no part of them, and says why", () => {
  const dropped = { ...answer("even", "Even split", result([4.8, 1.2], 0.6, [0.5, 0.7])), dropped: 0.314 },
    races = { ...answer("ws", "Warped-Slicer", result([4.8, 1.2], 0.4, [0.39, 0.41])), races: true as const },
    whole = answer("ccbp", "CCBP", result([4.8, 1.2], 0.5, [0.49, 0.51]));
  const points = schemePoints([dropped, races, whole], null, null);
  assert.deepEqual(
    points.map(({ name, race }) => [name, race]),
    [
      ["CCBP", ""],
      ["Warped-Slicer", "still races, now at 1,000 cycles"],
      ["Even split", "dropped at 1,000 cycles: 31 % behind"],
    ],
  );
  // Its interval still counts: what it may have reached is not beaten.
  assert.equal(best(points), null);
  const low = { ...dropped, result: result([9, 2], 0.2, [0.19, 0.21]) };
  assert.equal(best(schemePoints([low, whole], null, null))?.name, "CCBP");
  // As B it is a run of its own.
  const [first] = schemePoints([low], null, side("B", answer("even", "Even split", result([8, 2], 0.22))));
  assert.deepEqual([first?.marks, first?.race], ["B", ""]);
});

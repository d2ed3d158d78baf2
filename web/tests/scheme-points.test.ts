// The picture of all schemes as data: which are one, which is best, names that do not overlap, where arrow keys lead.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunSide, SchemeAnswer } from "../src/run/model.ts";
import {
  type Anchor,
  along,
  axisOf,
  best,
  commonName,
  crosses,
  goTo,
  overlap,
  placeNames,
  schemePoints,
} from "../src/run/scheme-points.ts";
import { policyKey } from "../src/run/stored.ts";
import type { Interval, Result } from "../src/types.ts";

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
      ["Spatial partitioning (2 alike)", "B"],
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

test("axes are logarithmic from 1, hold all but what is far beyond, and go below where a kernel gains", () => {
  const axis = axisOf([1.6, 4.8]);
  assert.deepEqual(axis.ticks, [1, 2, 4]);
  assert.equal(along(axis, 1), 0);
  assert.ok(Math.abs(along(axis, 2) * 2 - along(axis, 4)) < 1e-9);
  assert.deepEqual(axisOf([1.2, 93]).ticks, [1, 2, 4, 8, 16, 32]);
  assert.equal(along(axisOf([1.2, 93]), 93), 1);
  assert.equal(along(axis, 0), 0, "an interval that reaches 0");
  assert.equal(axisOf([0.8, 2]).from, 0.5);
});

test("names overlap neither each other, nor points, nor lines; each is within the room or left out", () => {
  const room = { x: 40, y: 10, w: 400, h: 250 };
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
  for (let round = 0; round < 40; round += 1) {
    const crowd = round % 2 === 0 ? 1 : 0.15;
    const anchors = Array.from(
      { length: 4 + (round % 16) },
      (): Anchor => ({
        x: room.x + 10 + random() * (room.w - 20) * crowd,
        y: room.y + 10 + random() * (room.h - 20) * crowd,
        r: 4,
        widths: [40 + random() * 90, 40],
        h: 13,
      }),
    );
    const taken = [{ x: 200, y: 20, w: 110, h: 14 }];
    const placed = placeNames(anchors, taken, room).filter((one) => one !== null);
    if (crowd === 1) assert.ok(placed.length >= anchors.length - 1, `${placed.length} of ${anchors.length}`);
    placed.forEach((box, i) => {
      assert.ok(
        box.x >= room.x && box.y >= room.y && box.x + box.w <= room.x + room.w && box.y + box.h <= room.y + room.h,
      );
      for (const mark of anchors) assert.ok(!overlap(box, { x: mark.x - 4, y: mark.y - 4, w: 8, h: 8 }));
      for (const one of taken) assert.ok(!overlap(box, one));
      placed.forEach((other, j) => {
        if (i === j) return;
        assert.ok(!overlap(box, other), "two names");
        if (other.lead) assert.ok(!crosses(...other.lead, box), "a line through a name");
      });
    });
  }
  assert.deepEqual(placeNames([{ x: 100, y: 100, r: 4, widths: [50], h: 13 }], [], room)[0]?.lead, null);
});

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

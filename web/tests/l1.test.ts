// What the L1Ds hold: states by array, what the CTAs that come next find, and how two runs differ.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellsShape, RectShape } from "../src/draw/drawing.ts";
import { LIGHT } from "../src/draw/theme.ts";
import {
  aheadOf,
  aheadSummary,
  beginsText,
  contentsOf,
  contentsOfAll,
  contentsText,
  differText,
  firstAndLast,
  l1Table,
} from "../src/launches/l1.ts";
import { drawL1, l1Legend, stateColour } from "../src/launches/l1-drawing.ts";
import { LaunchLog, type Launch } from "../src/launches/log.ts";
import type { FrameLayout } from "../src/types.ts";

const sm = { l1_bytes: 400, l1_protocol: "denovo", l1_keeps_read_only: true };
const LAYOUT = {
  kernels: ["HS"],
  sms: [sm, sm],
  grids: [
    [
      [6, 1, 1],
      [6, 1, 1],
    ],
  ],
  counters: [],
  arrays: [
    { kernel: 0, name: "in", bytes: 4096, read_only: false },
    { kernel: 0, name: "power", bytes: 4096, read_only: true },
  ],
} as unknown as FrameLayout;
/** Copies, written, owned; of each array, of each SM. */
const HELD = Uint32Array.from([10, 5, 40, 20, 0, 0, /* SM 1 */ 0, 0, 0, 0, 0, 0]);
/** SM, CTA, runs, reads, here: SM 0 goes on with 2, 1; SM 1 runs 5 and has 4 and 3 before it. */
const AHEAD = Uint32Array.from([
  0, 2, 1, 32, 32, 0, 1, 0, 32, 16, 0, 0, 0, 32, 0, 1, 5, 1, 32, 0, 1, 4, 0, 32, 0, 1, 3, 0, 32, 32,
]);

test("words of an L1D by array and state; clean copies of what nothing writes stay where the GPU keeps them", () => {
  const one = contentsOf(LAYOUT, HELD, 0);
  assert.deepEqual([one.capacity, one.all, one.words], [100, 75, { owned: 40, kept: 20, copies: 10, written: 5 }]);
  assert.equal(
    contentsText(LAYOUT, one),
    "75 of 100 words (75 %): in 40 owned, 10 copies, 5 written, not made known; power 20 read only, kept; 25 invalid",
  );
  const dropped = { ...LAYOUT, sms: [{ ...sm, l1_keeps_read_only: false }, sm] } as FrameLayout;
  assert.deepEqual(contentsOf(dropped, HELD, 0).words, { owned: 40, kept: 0, copies: 30, written: 5 });
  const all = contentsOfAll(LAYOUT, HELD);
  assert.deepEqual([all.capacity, all.all, all.words.owned, all.arrays[1]?.words.kept], [200, 75, 40, 20]);
  assert.equal(contentsOf(LAYOUT, new Uint32Array(), 1).all, 0, "of a run that has said nothing yet");
});

test("what the CTAs find to which an SM comes first, and last", () => {
  const ahead = aheadOf(AHEAD, 2);
  assert.deepEqual(
    ahead.map((ctas) => ctas.map(({ cta }) => cta)),
    [
      [2, 1, 0],
      [5, 4, 3],
    ],
  );
  const { first, last, all } = firstAndLast(ahead);
  assert.deepEqual(
    [first, last, all],
    [
      { reads: 64, here: 32 },
      { reads: 64, here: 32 },
      { reads: 192, here: 80 },
    ],
  );
  assert.equal(
    aheadSummary([ahead[0] ?? []]),
    "of what its CTAs read, an SM’s L1D holds 50 %: 100 % for the first third of the CTAs that the SM comes to, 0 % for the last.",
  );
  const [everything, nothing] = [
    [{ cta: 0, runs: true, reads: 10, here: 10 }],
    [{ cta: 1, runs: true, reads: 10, here: 1 }],
  ];
  assert.equal(
    beginsText([
      { mark: "A", ahead: [nothing] },
      { mark: "B", ahead: [everything] },
    ]),
    "B begins where its data still are: its first CTAs find 100 % of what they read in L1D, those of A 10 %.",
  );
  assert.equal(
    beginsText([
      { mark: "A", ahead: [everything] },
      { mark: "B", ahead: [everything] },
    ]) + beginsText([{ mark: "", ahead: [everything] }]),
    "",
    "alike, or one alone",
  );
  assert.equal(aheadSummary([[], []]), "no CTA is before an SM.");
  assert.deepEqual(l1Table(LAYOUT, HELD, ahead, "").rows, [
    [0, 100, 40, 0, 10, 5, 0, 20, 0, 0, 25, 100, 0, 50],
    [1, 100, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 100, 33.3],
  ]);
});

test("a row has the bar of its L1D and its CTAs in the order in which they come, the darker, the more they find", () => {
  for (const width of [900, 350]) {
    const drawn = drawL1({ layout: LAYOUT, held: HELD, ahead: aheadOf(AHEAD, 2), width, theme: LIGHT });
    const bars = drawn.shapes.filter(
      (shape): shape is RectShape => shape.kind === "rect" && shape.fill !== LIGHT.sunken,
    );
    assert.deepEqual(
      bars.map(({ fill }) => fill),
      (["owned", "kept", "copies", "written"] as const).map((state) => stateColour(state, LIGHT)),
    );
    const [first, second] = drawn.shapes.filter((shape): shape is CellsShape => shape.kind === "cells");
    assert.deepEqual(
      [[...(first?.at ?? [])], [...(second?.at ?? [])]],
      [
        [11, 6, 1],
        [1, 1, 11],
      ],
    );
    const spot = drawn.spots.find(({ id }) => id === "ahead:1");
    assert.equal(
      spot?.text(spot.x + spot.w - 2),
      "SM 1: CTA 3, number 3 from now: 32 of the 32 words that it reads are in this L1D (100 %)",
    );
    assert.match(drawn.spots.find(({ id }) => id === "l1:0")?.text() ?? "", /^SM 0: 75 of 100 words/);
    assert.ok(
      drawn.spots.every(({ x, w }) => x >= 0 && x + w <= width),
      `within ${width}`,
    );
  }
  const empty = drawL1({ layout: LAYOUT, held: HELD, ahead: [[], []], width: 900, theme: LIGHT });
  assert.ok(empty.shapes.some((shape) => shape.kind === "text" && shape.text.startsWith("Which CTAs an SM comes to")));
  const many = aheadOf(
    Uint32Array.from(Array.from({ length: 2000 }, (_, i) => [0, i, 0, 10, i < 1000 ? 10 : 0]).flat()),
    2,
  );
  const narrow = drawL1({ layout: LAYOUT, held: HELD, ahead: many, width: 350, theme: LIGHT }).shapes.filter(
    (shape): shape is CellsShape => shape.kind === "cells",
  );
  assert.deepEqual([narrow[0]?.at[0], narrow[0]?.at.at(-1)], [11, 1]);
  const named = (protocol: string): string[] =>
    l1Legend(
      { ...LAYOUT, sms: [{ ...sm, l1_protocol: protocol, l1_keeps_read_only: protocol === "denovo" }] } as FrameLayout,
      ["in", "power"],
      LIGHT,
    ).map(({ name }) => name);
  assert.deepEqual(named("denovo").slice(0, 4), ["owned", "read only, kept", "copies", "written, not made known"]);
  assert.deepEqual(named("none").slice(0, 2), ["copies", "invalid"]);
  // A name for each, so that the legend of thirteen arrays breaks where the page is narrow.
  assert.deepEqual(named("denovo").slice(-3), ["Arrays:", "1 in", "2 power"]);
});

/** A run of two launches, of so many cycles each and with so many hits of 100 reads; what the L1Ds held at the end of each. */
function run(cycles: number, hits: number): readonly Launch[] {
  const log = LaunchLog.of({
    ...LAYOUT,
    counters: ["l1_hits", "l1_reads", "misses_to_memory"].map((key) => ({ key, unit: "lines", doc: "" })),
  } as FrameLayout);
  const events = [0, 1].flatMap((launch) =>
    Array.from({ length: 6 }, (_, cta) => [1000 + launch * cycles, 0, 1, 0, cta, -1]).flat(),
  );
  const ends = [1, 2].flatMap((launch) => [
    999 + launch * cycles,
    0,
    hits * launch,
    100 * launch,
    10 * launch,
    ...HELD.map((n) => n * launch),
  ]);
  log.add(Float64Array.from(events), Float64Array.from(ends), 9000);
  return log.news().changed;
}

test("the ends of launches say what the L1Ds held; two runs differ in what both have ended", () => {
  const [a, b] = [run(400, 50), run(300, 80)],
    counters = ["l1_hits", "l1_reads", "misses_to_memory"].map((key) => ({ key, unit: "lines", doc: "" }));
  assert.deepEqual(
    a.map(({ held, counters: counts }) => [held?.[2], counts?.[0], counts?.[2]]),
    [
      [40, 50, 10],
      [80, 50, 10],
    ],
  );
  const said = (cycle: number): string =>
    differText(
      [
        { mark: "A", launches: a, counters },
        { mark: "B", launches: b, counters },
      ],
      cycle,
    );
  assert.equal(
    said(9000),
    "In both runs launches 1 to 2 took A 800 cycles, B 600 cycles (−25.0 %); reads that hit L1D: A 50 %, B 80 %; lines from memory: A 20, B 20 (±0.0 %).",
  );
  assert.match(said(1700), /^In both runs launch 1 took A 400 cycles, B 300 cycles/);
  assert.equal(said(1350), "", "A has not ended its first launch");
});

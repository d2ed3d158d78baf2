import assert from "node:assert/strict";
import { test } from "node:test";
import {
  filled,
  launchAt,
  moved,
  nanoText,
  nextOverlap,
  overlaps,
  spansOf,
  whole,
  zoomed,
  type Launches,
  type Span,
} from "../src/timelines/launches.ts";

/** [lane, start, duration]; lanes 0 and 1 are of one GPU, 2 of another. */
const of = (...all: [number, number, number][]): Launches => ({
  lanes: ["stream 7", "stream 20", "GPU 1, stream 7"],
  devices: [0, 0, 1],
  names: [],
  lane: Uint32Array.from(all, ([lane]) => lane),
  kernel: Uint32Array.from(all, (_, at) => at),
  start: Float64Array.from(all, ([, start]) => start),
  duration: Float64Array.from(all, ([, , duration]) => duration),
});

test("streams overlap where two of one GPU are busy, whatever another GPU does", () => {
  const launches = of([0, 0, 100], [2, 0, 1000], [1, 60, 40], [1, 100, 50], [0, 120, 100], [1, 400, 0]);
  assert.deepEqual(
    [...overlaps(launches)],
    [
      [
        0,
        [
          [60, 100],
          [120, 150],
        ],
      ],
      [1, []],
    ],
  );
  assert.deepEqual(whole(launches), [0, 1000]);
});

test("launches of one stream that meet are no overlap of streams", () => {
  assert.deepEqual(overlaps(of([0, 0, 100], [0, 50, 100])).get(0), []);
});

test("a cell is as full as its part of the time is busy", () => {
  const launches = of([0, 0, 25], [0, 50, 100], [1, 0, 200]);
  assert.deepEqual([...filled(spansOf(launches)[0] ?? [], [0, 200], 4)], [0.5, 1, 1, 0]);
  assert.deepEqual([...filled(spansOf(launches)[0] ?? [], [20, 60], 4)], [0.5, 0, 0, 1]);
});

test("a place in a lane says its launch, or the next one", () => {
  const launches = of([0, 0, 25], [1, 10, 5], [0, 50, 100]);
  assert.deepEqual(
    [0, 30, 60, 200].map((time) => launchAt(launches, 0, time)),
    [0, 2, 2, null],
  );
});

test("what is seen stays within the timeline, however close or far", () => {
  const all: Span = [0, 1000];
  assert.deepEqual(zoomed([0, 1000], 0.5, all), [250, 750]);
  assert.deepEqual(zoomed([250, 750], 8, all), all);
  assert.deepEqual(moved([250, 750], 1, all), [500, 1000]);
  assert.deepEqual(moved([250, 750], -1, all), [0, 500]);
});

test("the next overlap comes after the middle, and the first one after the last", () => {
  const all: Span[] = [
      [100, 200],
      [600, 610],
    ],
    whole: Span = [0, 1000],
    first = nextOverlap(all, [0, 100], whole);
  assert.deepEqual(first, [0, 300]);
  const second = nextOverlap(all, first as Span, whole);
  assert.deepEqual(second, [590, 620]);
  assert.deepEqual(nextOverlap(all, second as Span, whole), [0, 300]);
  assert.equal(nextOverlap([], whole, whole), null);
});

test("times have three figures and a unit", () => {
  assert.deepEqual([0, 999, 1792, 41_407, 560_663_002, 12.5e9].map(nanoText), [
    "0 ns",
    "999 ns",
    "1.79 µs",
    "41.4 µs",
    "561 ms",
    "12.5 s",
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed, percent } from "../src/model/format.ts";
import { apart, gapText, isClear, inFull, interval, part, plusMinus, sureness } from "../src/model/interval-text.ts";
import type { Ci95, Result } from "../src/model/types.ts";

const one = (value: number): string => fixed(value, 1);

test("half of an interval is written as its number is", () => {
  assert.equal(plusMinus(228.06, [225.8, 230.3], one), "±2.3");
  assert.equal(plusMinus(0.553, [0.541, 0.565], percent), "±1.2 %");
  assert.equal(plusMinus(0.02, [0, 0.07], percent), "±5.0 %", "the longer side of one that is cut at 0");
  assert.equal(plusMinus(1162.6, [1162.59, 1162.61], one), "±<0.1", "what rounds to 0 is not 0");
  assert.equal(plusMinus(0.5, [0.4999, 0.5001], percent), "±<0.1 %");
  assert.equal(plusMinus(3, [3, 3], one), "±0.0");
  assert.equal(plusMinus(null, [1, 2], one), "");
  assert.equal(plusMinus(3, null, one), "");
  assert.equal(inFull([225.8, 230.3], one), "95 % interval: 225.8 to 230.3");
  assert.equal(inFull(null, one), "");
  assert.deepEqual([0.01, 0.00834, 0.123, 2.5].map(part), ["±1 %", "±0.83 %", "±12 %", "±250 %"].map(unbroken));
});

test("an interval is found by its key, and one of an inner object is none", () => {
  const of = { ipc: [1, 2] as [number, number], slowdown: null, latency: { mean: null } };
  assert.deepEqual(
    [
      interval(of, "ipc"),
      interval(of, "slowdown"),
      interval(of, "latency"),
      interval(of, "more"),
      interval(undefined, "ipc"),
    ],
    [[1, 2], null, null, null, null],
  );
});

/** As it is written: a number and its unit stay on one line. */
const unbroken = (text: string): string => text.replaceAll(" %", "\u00a0%");
const says = (said: string, text: string): void => {
  assert.equal(said, unbroken(text));
};
const kernels = [
  { name: "BP", ipc: 100, thread_instructions: 1, ctas_done: 1, runs_done: 0 },
  { name: "CFD", ipc: 200, thread_instructions: 1, ctas_done: 1, runs_done: 0 },
];
const result = (more: object): Result => ({ kernels, gpu: {}, stop: "budget", ...more }) as unknown as Result;
const title = (ratio: string): string => ratio.toUpperCase();
const known = (ci: [number, number][]): Ci95 => ({
  batches: 128,
  batch_windows: 1,
  gpu: {},
  kernels: ci.map((ipc) => ({ ipc })),
  metrics: {},
});

test("a run says what it knows least", () => {
  const none = "It comes with the tenth window of 400 cycles.";
  says(sureness(null, title), none);
  says(sureness(result({}), title), none);
  says(
    sureness(
      result({
        ci95: known([
          [99, 101],
          [190, 210],
        ]),
      }),
      title,
    ),
    "IPC of CFD is known least: ±5 %.",
  );
});

test("a run that stops when it is settled says how far it is", () => {
  const settled = (more: object, stop = "budget"): string =>
    sureness(
      result({
        stop,
        settled: { within: 0.01, reached: false, known: 0.034, kernel: 1, ratio: "ipc", waits_for: null, ...more },
      }),
      title,
    );
  says(settled({}), "It stops at ±1 %. IPC of CFD is known least: ±3.4 %.");
  says(
    settled({ waits_for: 0 }),
    "Not settled yet: BP has not shown a whole launch. IPC of CFD is known least: ±3.4 %.",
  );
  says(
    settled({ waits_for: 0, known: null, kernel: null, ratio: null }),
    "Not settled yet: BP has not shown a whole launch.",
  );
  says(settled({ known: null, kernel: null, ratio: null }), "It comes with the tenth window of 400 cycles.");
  says(
    settled({ reached: true, known: 0.0098 }, "settled"),
    "Settled, as asked: ±1 %. IPC of CFD is known least: ±0.98 %.",
  );
  says(settled({}, "cycles"), "It ended before it was settled (±1 %). IPC of CFD is known least: ±3.4 %.");
});

test("a difference has the interval of two independent runs, and is clear beyond it", () => {
  const gap = apart(10, [7, 13], 16, [12, 20]);
  assert.deepEqual(gap, { value: 6, half: 5 });
  assert.equal(isClear({ value: 6, half: 5 }), true);
  assert.equal(isClear({ value: -4, half: 5 }), false);
  assert.equal(isClear({ value: 6, half: null }), false);
  assert.equal(apart(null, null, 1, null), null);
  assert.deepEqual(apart(1, null, 3, [2, 4]), { value: 2, half: null });
  const format = (value: number): string => value.toFixed(1);
  assert.deepEqual(
    [2.34, -0.41, 0.01, -0.01].map((value) => gapText({ value, half: null }, format)),
    ["+2.3", "−0.4", "0.0", "0.0"],
  );
  assert.equal(gapText(null, format), "–");
});

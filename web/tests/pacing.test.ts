import assert from "node:assert/strict";
import { test } from "node:test";
import { Pacing } from "../src/engine/pacing.ts";

/** Cycles that run in slices that begin at these milliseconds. */
function run(pacing: Pacing, slices: Iterable<number>): number {
  let sum = 0;
  for (const now of slices) {
    const due = pacing.due(now);
    pacing.ran(due);
    sum += due;
  }
  return sum;
}
function* every(from: number, to: number, step: number): Iterable<number> {
  for (let now = from; now <= to; now += step) yield now;
}

test("speed is cycles per second, however the time is sliced", () => {
  for (const speed of [1, 7, 440, 25_000, 3_000_000]) {
    for (const step of [4, 8, 15.5, 100]) {
      const pacing = new Pacing();
      pacing.speed = speed;
      pacing.restart(1000);
      const ran = run(pacing, every(1000 + step, 11_000, step)),
        ends = 1000 + Math.floor(10_000 / step) * step;
      const paid = (speed * (ends - 1000)) / 1000;
      assert.ok(
        ran <= paid + 1e-6 && ran > paid - 1.001,
        `${speed} cycles a second in slices of ${step} ms: ${ran} of ${paid}`,
      );
    }
  }
});

test("nothing is owed after a pause, and a quarter of a second at most after a long slice", () => {
  const pacing = new Pacing();
  pacing.speed = 400;
  pacing.restart(0);
  assert.equal(run(pacing, [60_000]), 100);
  pacing.restart(90_000);
  assert.equal(pacing.due(90_000), 0);
  assert.equal(pacing.due(90_010), 4);
  // What has not been run stays owed.
  assert.equal(pacing.due(90_020), 8);
  pacing.ran(5);
  assert.equal(pacing.due(90_020), 3);
});

test("the slowest speed runs a cycle at a time", () => {
  const pacing = new Pacing();
  pacing.speed = 1;
  pacing.restart(0);
  assert.equal(pacing.due(999), 0);
  assert.equal(run(pacing, [1000, 5000]), 2);
});

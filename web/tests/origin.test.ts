// What the first screen says of where an answer is from.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownOf } from "../src/model/origin.ts";
import type { Result } from "../src/model/types.ts";

const of = (cycles: number, digest: string): Result => ({ cycles, digest }) as Result;

test("the stored answer stands until the run here has ended, which confirms it by its digest or says that it differs", () => {
  const stored = of(500, "a");
  assert.deepEqual(shownOf(stored, null, "way"), { result: stored, origin: "stored" });
  assert.deepEqual(shownOf(stored, of(100, "x"), "way"), { result: stored, origin: "stored" });
  assert.deepEqual(shownOf(stored, of(500, "a"), "end"), { result: of(500, "a"), origin: "confirmed" });
  assert.deepEqual(shownOf(stored, of(500, "b"), "end"), { result: of(500, "b"), origin: "differs" });
});

test("the stored answer, once confirmed, stands until the runs in shares have ended, too", () => {
  const costs = (...each: (number | null)[]): Result =>
      ({ ...of(500, "a"), kernels: each.map((cost) => ({ share_cost: cost })) }) as Result,
    stored = costs(1.5, null);
  assert.deepEqual(shownOf(stored, costs(null, null), "end"), { result: stored, origin: "confirmed" });
  assert.deepEqual(shownOf(stored, costs(1.5, null), "end"), { result: costs(1.5, null), origin: "confirmed" });
});

test("a run of another length confirms nothing, and without a stored answer the run here is all there is", () => {
  assert.deepEqual(shownOf(of(500, "a"), of(400, "a"), "end"), { result: of(400, "a"), origin: "here" });
  assert.deepEqual(shownOf(null, of(100, "x"), "way"), { result: of(100, "x"), origin: "running" });
  assert.deepEqual(shownOf(null, of(100, "x"), "end"), { result: of(100, "x"), origin: "here" });
  assert.deepEqual(shownOf(null, null, "way"), { result: null, origin: "running" });
});

test("what a run said at its end stands while it goes on to a later one, but not where the user has stopped to look", () => {
  const before = of(500, "a");
  assert.deepEqual(shownOf(null, of(600, "x"), "way", before), { result: before, origin: "earlier" });
  assert.deepEqual(shownOf(of(1000, "b"), null, "way", before), { result: of(1000, "b"), origin: "stored" });
  assert.deepEqual(shownOf(null, of(600, "x"), "rest", before), { result: of(600, "x"), origin: "rests" });
});

test("where the user has stopped to look, all is of that cycle, or of a stretch up to it; what runs on says the end again", () => {
  const stored = of(500, "a");
  assert.deepEqual(shownOf(stored, of(100, "x"), "rest"), { result: of(100, "x"), origin: "rests" });
  assert.deepEqual(shownOf(stored, of(100, "x"), "stretch"), { result: of(100, "x"), origin: "stretch" });
  assert.deepEqual(shownOf(null, of(100, "x"), "rest"), { result: of(100, "x"), origin: "rests" });
  assert.deepEqual(shownOf(stored, null, "rest"), { result: stored, origin: "stored" }, "it is not there yet");
  assert.deepEqual(shownOf(stored, of(200, "x"), "way"), { result: stored, origin: "stored" });
});

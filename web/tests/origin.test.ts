// What the first screen says of where an answer is from.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownOf } from "../src/run/origin.ts";
import type { Result } from "../src/types.ts";

const of = (cycles: number, digest: string): Result => ({ cycles, digest }) as Result;

test("the stored answer stands until the run here has ended, which confirms it by its digest or says that it differs", () => {
  const stored = of(500, "a");
  assert.deepEqual(shownOf(stored, null, false), { result: stored, origin: "stored" });
  assert.deepEqual(shownOf(stored, of(100, "x"), false), { result: stored, origin: "stored" });
  assert.deepEqual(shownOf(stored, of(500, "a"), true), { result: of(500, "a"), origin: "confirmed" });
  assert.deepEqual(shownOf(stored, of(500, "b"), true), { result: of(500, "b"), origin: "differs" });
});

test("a run of another length confirms nothing, and without a stored answer the run here is all there is", () => {
  assert.deepEqual(shownOf(of(500, "a"), of(400, "a"), true), { result: of(400, "a"), origin: "here" });
  assert.deepEqual(shownOf(null, of(100, "x"), false), { result: of(100, "x"), origin: "running" });
  assert.deepEqual(shownOf(null, of(100, "x"), true), { result: of(100, "x"), origin: "here" });
  assert.deepEqual(shownOf(null, null, false), { result: null, origin: "running" });
});

// What may come a moment later: in a task of its own, and only the last of what has changed meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { effect, signal } from "@preact/signals";
import { others } from "../src/engine/lab/slices.ts";
import { later } from "../src/run/later.ts";

test("it follows in a task of its own, once for all that has changed before", async () => {
  const of = signal(1),
    then = later(() => of.value),
    seen: number[] = [];
  effect(() => {
    seen.push(then.value);
  });
  await others();
  of.value = 2;
  await Promise.resolve();
  of.value = 3;
  assert.deepEqual(seen, [1]);
  await others();
  await others();
  assert.deepEqual(seen, [1, 3]);
});

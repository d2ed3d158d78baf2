// A goal in the form is the goal of the experiment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GOALS, goalOf, withExtra, written } from "../src/model/goal.ts";

test("each kind of goal is read as it is written", () => {
  for (const { kind, first } of GOALS)
    assert.deepEqual(goalOf(written({ kind, value: first })), { kind, value: first });
  assert.deepEqual(goalOf(0.57), { kind: "percent", value: 57 });
  assert.equal(written({ kind: "percent", value: 57 }), 0.57);
  assert.deepEqual(goalOf({ of_alone: 0.5 }), { kind: "percent", value: 50 });
  for (const none of [undefined, null, "much", {}, { ipc: "1" }]) assert.equal(goalOf(none), null);
});

test("a kernel of which nothing more is said is only its name", () => {
  assert.deepEqual(withExtra("BP", "qos", 0.8), { kernel: "BP", qos: 0.8 });
  assert.deepEqual(withExtra({ kernel: "BP", ctas_per_sm: 2 }, "qos", 0.8), { kernel: "BP", ctas_per_sm: 2, qos: 0.8 });
  assert.equal(withExtra({ kernel: "BP", qos: 0.8 }, "qos", null), "BP");
});

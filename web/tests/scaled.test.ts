// When the page offers a scale model, and what it says that one is off by.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { otherGpu } from "../src/model/mix.ts";
import type { RunSide } from "../src/model/model.ts";
import { firstPart, pressed, scaleWords, scalesOf, type Measured } from "../src/model/scaled.ts";
import type { Experiment, Result } from "../src/model/types.ts";

const measured: Measured[] = [
  { gpu: "a100-40gb", part: "1/2", slowdowns: 36, median: 2, most: 9, time: 45 },
  { gpu: "a100-40gb", part: "1/4", slowdowns: 36, median: 2.8, most: 14.8, time: 16 },
];
const side = (of: Partial<Experiment>, stop = "interrupted"): RunSide => ({
  mark: "A",
  scheme: "even split",
  experiment: { kernels: ["BP", "CFD"], gpu: "a100-40gb", ...of } as Experiment,
  kernels: ["BP", "CFD"],
  result: { stop, cycles: 1000 } as unknown as Result,
  origin: "running",
});

test("the page of docs/ has rows of parts that were measured, and no other text has", () => {
  const all = scalesOf(readFileSync("../docs/reference/scale.md", "utf8"));
  assert.ok(all.length > 0);
  for (const { part, slowdowns, median, most, time } of all) {
    assert.match(part, /^1\/\d$/);
    assert.ok(slowdowns > 0 && median > 0 && most >= median && time > 0 && time < 100);
  }
  assert.deepEqual(scalesOf("# Another page\n\n| `a100-40gb` | 1/4 | neither | 15.1 % | 36.2 % | x |\n"), []);
});

test("a large GPU has a part offered until its answer is final: the fastest that was measured", () => {
  const words = scaleWords([side({})], measured, 108);
  assert.equal(
    words?.says,
    "With a quarter of this GPU it takes 16 % of the time. Nine in ten slowdowns were within 14.8 % of the whole’s.",
  );
  assert.deepEqual([words?.press, words?.part], ["Run a quarter", "1/4"]);
  assert.equal(scaleWords([side({}, "cycles")], measured, 108), null);
  assert.equal(scaleWords([side({ gpu: "ccbp-16sm" })], measured, 16), null);
  // Another GPU than the one that was measured.
  for (const gpu of ["h100-sxm5", { preset: "a100-40gb", "l2.ways": 8 }])
    assert.match(scaleWords([side({ gpu })], measured, 108)?.says ?? "", /has not been measured/);
  assert.equal(scaleWords([], measured, 108), null);
});

test("a large GPU begins with the part that answers soonest, a small one with the whole", () => {
  assert.equal(firstPart(108, "a100-40gb", measured), "1/4");
  assert.equal(firstPart(132, "h100-sxm5", []), "1/4", "what nobody has measured");
  assert.equal(firstPart(16, "ccbp-16sm", measured), null);
});

test("on a part stands what it is off by, and the way back to the whole", () => {
  const says = (of: Partial<Experiment>): string | undefined => scaleWords([side(of, "cycles")], measured, 108)?.says;
  assert.equal(
    says({ scale: "1/4" }),
    "A scale model: a quarter of the GPU. Of 36 slowdowns half were within 2.8 % of the whole’s, nine in ten within 14.8 %.",
  );
  assert.match(says({ scale: "1/8" }) ?? "", /1\/8 of the GPU\. How far it is off the whole has not been measured\./);
  assert.match(says({ scale: "1/4", gpu: "h100-sxm5" }) ?? "", /has not been measured/);
});

test("a press scales both runs, another brings the whole back, and another GPU is a whole", () => {
  const both = [side({}), side({ policy: "smk" })];
  const parts = pressed(both, { says: "", press: "", part: "1/4" });
  assert.deepEqual(
    parts.map(({ scale }) => scale),
    ["1/4", "1/4"],
  );
  const [whole] = pressed([side({ scale: "1/4" })], { says: "", press: "", part: "1" });
  assert.ok(whole && !("scale" in whole));
  const other = { ...(parts[0] as Experiment) };
  otherGpu("ccbp-16sm")(other);
  assert.ok(!("scale" in other));
});

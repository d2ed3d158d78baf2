// A sweep from an experiment, and its axes as a form shows and changes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Experiment } from "../src/model/types.ts";
import { around, axesOf, readValues, sweepOf, valuesText, withAxes } from "../src/sweeps/vary.ts";

test("a sweep over a number begins with half of it, itself and twice, as far as they are allowed", () => {
  assert.deepEqual(
    [around(4, 1, 6), around(1, 1, 64), around(0.5, 0, 1), around(0)],
    [
      [2, 4, 6],
      [1, 2],
      [0.25, 0.5, 1],
      [0, 1, 2],
    ],
  );
});

test("the base is the experiment, in the form that the axis needs", () => {
  const experiment: Experiment = {
    corun: 1,
    name: "Mine",
    gpu: "tiny-2sm",
    kernels: ["BP", "CFD"],
    policy: "ccbp",
    seed: 3,
  };
  const of = (path: string): { name: string; base: Experiment; axes: unknown[] } =>
    (
      JSON.parse(sweepOf(experiment, { path, values: [1, 2] }, "Seed")) as {
        sweep: { name: string; base: Experiment; axes: unknown[] };
      }
    ).sweep;
  assert.deepEqual(of("seed"), {
    name: "Seed of Mine",
    base: { corun: 1, gpu: "tiny-2sm", kernels: ["BP", "CFD"], policy: "ccbp", seed: 3, stop: { cycles: 100_000 } },
    axes: [{ path: "seed", values: [1, 2] }],
  });
  assert.deepEqual(of("policy.priority").base.policy, { name: "ccbp" });
  assert.deepEqual(of("kernels[1].ctas_per_sm").base.kernels, ["BP", { kernel: "CFD" }]);
});

test("values are typed as words and numbers, and come back as they were", () => {
  for (const values of [
    [1, 2, 4],
    ["even", "ccbp"],
    [true, false],
    ["1", "2"],
    [["BP", "CFD"], ["BP"]],
    [{ name: "ccbp", priority: 0.5 }],
    [],
  ])
    assert.deepEqual(readValues(valuesText(values)), values);
  assert.equal(valuesText([1, 2]), "1, 2");
});

test("the axes of a text, and the text with others", () => {
  const text = JSON.stringify({ corun: 1, sweep: { name: "n", base: {}, axes: [{ path: "seed", values: [1] }] } });
  assert.deepEqual(axesOf(text), [{ path: "seed", values: [1] }]);
  assert.deepEqual(axesOf(withAxes(text, [{ path: "gpu", values: ["a"] }])), [{ path: "gpu", values: ["a"] }]);
  assert.deepEqual([axesOf("{"), axesOf("{}"), axesOf("[]"), axesOf('{"sweep":{"axes":3}}')], [null, null, null, null]);
});

test("a form is for axes that are some; what else a text has is left to the engine", () => {
  const of = (axes: unknown): string => JSON.stringify({ corun: 1, sweep: { axes } });
  const seed = { path: "seed", values: [1, 2] };
  assert.deepEqual(axesOf(of([seed, { zip: [seed] }])), [seed, { zip: [seed] }]);
  const bad = [
    null,
    5,
    [],
    {},
    { zip: null },
    { zip: [null] },
    { zip: {} },
    { ...seed, zip: null },
    { ...seed, path: 1 },
    { ...seed, values: "xy" },
  ];
  for (const axis of bad) assert.equal(axesOf(of([seed, axis])), null, JSON.stringify(axis));
  const deep = JSON.stringify(seed).replace("2", `${"[".repeat(9000)}${"]".repeat(9000)}`);
  assert.equal(axesOf(`{"corun":1,"sweep":{"axes":[${deep}]}}`), null);
  for (const axes of [{}, null, 5]) assert.equal(axesOf(of(axes)), null);
  for (const text of ["null", "5", "[]", "{", '{"sweep":null}']) assert.equal(axesOf(text), null, text);
});

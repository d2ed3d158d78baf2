import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { begun, schemeName } from "../src/model/choices.ts";
import first from "../src/model/first.json" with { type: "json" };
import shipped from "../src/model/answers.json" with { type: "json" };
import { answerOf, answersAreOf, mixKey, readAnswers, resultName, type Stored } from "../src/model/stored.ts";
import type { Experiment, PolicyChoice } from "../src/model/types.ts";

const FIRST = first as Experiment;
const read = (file: string): Stored => JSON.parse(readFileSync(`public/answers/${file}.json`, "utf8")) as Stored;
const under = (policy: PolicyChoice): Experiment => ({ ...FIRST, policy });

test("a mix is known by all but its scheme, its texts and the order of its keys", () => {
  const key = mixKey(FIRST);
  const { kernels, ...rest } = FIRST;
  assert.equal(mixKey({ kernels, ...rest, policy: "ccbp", name: "Mine", alone: true }), key);
  assert.notEqual(mixKey({ ...FIRST, seed: 2 }), key);
  assert.notEqual(mixKey({ ...FIRST, kernels: [...kernels].reverse() }), key);
});

test("a result's name has how kernels ran alone, where that is not as usual", () => {
  const name = (more: object): string => resultName("h", { ...FIRST, ...more });
  assert.deepEqual([name({}), name({ alone: true, name: "Mine" })], ["h", "h"]);
  const names = [name({}), name({ alone: false }), name({ alone_gpu: "fermi-16sm" }), name({ alone_gpu: "qos-16sm" })];
  assert.equal(new Set(names).size, 4);
});

test("every shipped file is read whole, and its schemes are found", () => {
  for (const { file, mix } of shipped.mixes) {
    const answers = readAnswers(read(file), mix as Experiment, shipped.engine);
    assert.ok(answers && answers.length > 0, file);
    for (const { experiment, result, why } of answers)
      assert.ok(result !== null || (why ?? "") !== "", file + schemeName(experiment));
  }
});

test("the first mix has its A and B, under what the page sets of a policy at its beginning", () => {
  const answers = readAnswers(read("first"), FIRST, shipped.engine) ?? [];
  for (const name of ["even", "ccbp", "mps", "time-slice", "ws"]) {
    const found = answerOf(answers, under(begun(name, 2)));
    assert.ok(found?.result, name);
    assert.deepEqual([schemeName(found.experiment), found.experiment.stop], [name, FIRST.stop]);
    assert.equal(found.result.kernels.length, 2);
    assert.ok((found.result.kernels[0]?.slowdown ?? 0) > 0 && (found.result.verdict?.headline.length ?? 0) > 0);
  }
  assert.ok(answerOf(answers, { ...FIRST, policy: "ccbp" }));
  assert.equal(answerOf(answers, under({ name: "ccbp", priority: 0.123 })), null);
});

test("schemes of a kernel by itself are the orders of its CTAs", () => {
  const mix = shipped.mixes.find(({ file }) => file === "hotspot-reset")?.mix as Experiment;
  const flip: Experiment = { ...mix, policy: "leftover", cta_order: "flip" };
  const answers = readAnswers(read("hotspot-reset"), flip, shipped.engine) ?? [];
  const [reset, found] = ["reset", "flip"].map((cta_order) => answerOf(answers, { ...flip, cta_order }));
  assert.deepEqual([reset?.scheme, found?.scheme], ["reset", "flip"]);
  assert.ok(reset?.result && found?.result && reset.result.digest !== found.result.digest);
});

test("what is another engine's or another mix's is no answer", () => {
  const whole = read("first");
  const of = (change: (file: typeof whole) => void, experiment = FIRST): unknown => {
    const file = structuredClone(whole);
    change(file);
    return readAnswers(file, experiment, shipped.engine);
  };
  assert.ok(of(() => undefined));
  assert.equal(
    of((file) => (file.engine = "0.2.0-00000000")),
    null,
  );
  assert.equal(
    of(() => undefined, { ...FIRST, seed: 2 }),
    null,
  );
  assert.ok(answersAreOf(`9.9.9-${shipped.engine.split("-")[1] ?? ""}`));
  assert.ok(!answersAreOf("0.2.0-00000000"));
});

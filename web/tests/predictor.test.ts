// What the panel of predictions does and says, with formulas and measurements that the test makes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Measured } from "../src/predict/model.ts";
import { proofOf, rowsOf } from "../src/predict/rows.ts";
import { Predictor, type Formulas, type Laid, type Measurer } from "../src/predict/predictor.ts";
import type { Experiment, Prediction } from "../src/types.ts";

const SPATIAL = { corun: 1, gpu: "g", kernels: ["A", "B"], policy: { name: "spatial" } } as unknown as Experiment;
const LAID = {
  normal: { gpu: { "l2.line_bytes": 128 } },
  layout: { kernels: ["A", "B"], sms: Array.from({ length: 8 }, () => ({ class: 0 })), banks: 4 },
  windows: { core_mhz: 1000, peaks: { dram_bytes_per_cycle: 100 } },
  explained: { kernels: [{ launch_ctas: [20] }, { launch_ctas: [20] }] },
} as unknown as Laid;
const WHOLE: Measured = { cycles: 1000, instructions: 9, accesses: 10, ctas: 20, whole: true };

const predicted = (split: readonly number[], plan?: object): Prediction =>
  ({
    kernels: split.map((sms, k) => ({
      name: "AB"[k],
      sms,
      latency: 2,
      slowdown: 1.5,
      bandwidth: 8,
      naive: 3,
      meets: true,
    })),
    windows: [],
    notes: [],
    makespan: 2,
    ...(plan ? { plan } : {}),
  }) as unknown as Prediction;

/** A predictor of eight SMs; `known` are the runs that are measured. */
function begun(known: Set<string> | null, experiment = SPATIAL, laid = LAID) {
  const asked: { sms?: number }[][] = [],
    seen: object[] = [],
    simulated: Experiment[] = [];
  let told: () => void = () => undefined;
  const formulas = {
    predict: (of: { predict: { kernels: { sms?: number }[] } }) => {
      asked.push(of.predict.kernels);
      return predicted(of.predict.kernels.map(({ sms = 0 }) => sms));
    },
    planPartition: () => predicted([3, 5], { meets: true, tried: 7, step: 1 }),
    configHash: (of: Experiment) => JSON.stringify([of.kernels, of.policy]),
  } as unknown as Formulas;
  const measurer: Measurer = {
    of: (hash) => (known === null || known.has(hash) ? WHOLE : null),
    why: () => "",
    paused: false,
    current: null,
    want: () => undefined,
    pause: () => undefined,
    go: () => undefined,
  };
  const of = new Predictor({ simulate: (one) => simulated.push(one), changed: (view) => seen.push(view) });
  of.init({
    formulas: () => Promise.resolve(formulas),
    measurer: (changed) => {
      told = changed;
      return measurer;
    },
  });
  of.setRun(experiment, laid, "");
  return { of, asked, seen, simulated, told: () => told(), ready: new Promise((done) => setTimeout(done, 0)) };
}

test("the prediction follows the border, and what is simulated is the partition that is shown", async () => {
  const { of, asked, simulated, ready } = begun(null);
  await ready;
  assert.deepEqual(of.split.value, [4, 4]);
  assert.equal(of.rows.value[0]?.cells.latency[0], "2.000 ms");
  of.move(0, 100);
  assert.deepEqual(of.split.value, [7, 1], "one SM stays with the next kernel");
  assert.equal(of.rows.value[1]?.sms, "1 SM");
  assert.deepEqual(
    asked.at(-1)?.map(({ sms }) => sms),
    [7, 1],
  );
  assert.match(of.remarks.value, /^The run above has another partition/);
  of.simulate();
  assert.deepEqual(simulated[0]?.policy, { name: "spatial", split: [7, 1] });
});

test("nothing is predicted before each kernel is measured, and where kernels share SMs", async () => {
  const none = begun(new Set());
  await none.ready;
  assert.equal(none.of.prediction.value, null);
  assert.equal(none.of.canFind.value, false);
  assert.match(none.of.measuring.value.says, /^Measuring each kernel alone/);
  const shared = begun(null, { ...SPATIAL, policy: { name: "even" } });
  await shared.ready;
  assert.match(shared.of.whyNot.value, /here kernels share SMs\.$/);
  assert.equal(shared.of.canPart.value, true);
  const names = [..."ABCDEFGHI"],
    sms = Array.from({ length: 18 }, () => ({ class: 0 })),
    nine = names.map(() => ({ launch_ctas: [20] }));
  const many = begun(null, { ...SPATIAL, kernels: names }, {
    ...LAID,
    layout: { ...LAID.layout, kernels: names, sms },
    explained: { kernels: nine },
  } as unknown as Laid);
  await many.ready;
  assert.match(many.of.whyNot.value, /take 8 kernels at most, and here are 9\.$/);
  assert.deepEqual([many.of.canPart.value, many.asked], [false, []]);
});

test("deadlines are read as they are typed, and one that is none stops the search at its field", async () => {
  const { of, seen, ready } = begun(null);
  await ready;
  of.type(1, "soon");
  assert.match(of.deadlines.value[1]?.problem ?? "", /^found “soon”/);
  assert.equal(of.find(), 1);
  of.type(1, "2.5");
  assert.deepEqual(seen.at(-1), { deadlines: [null, 2.5] });
  assert.match(of.rows.value[1]?.judged?.text ?? "", /^met by prediction/);
  assert.equal(of.find(), null);
  assert.deepEqual(of.split.value, [3, 5]);
  assert.match(of.proof.value, /^Meets every deadline by prediction, and is the shortest that does, of 7 partitions/);
  of.view = { deadlines: [null, 2.5], reading: "fluid" };
  assert.equal(of.typed.value[1], "2.5");
  assert.deepEqual(of.view, { reading: "fluid", deadlines: [null, 2.5] });
});

test("a search with what is measured goes on when its partition is measured", async () => {
  const known = new Set(
    ["A", "B"].flatMap((name) => [
      JSON.stringify([[name], { name: "spatial" }]),
      JSON.stringify([[name], { name: "spatial", split: [4] }]),
    ]),
  );
  const { of, told, ready } = begun(known);
  await ready;
  of.measureOwn(true);
  of.find();
  assert.match(of.proof.value, /is not measured yet/);
  for (const [name, sms] of [
    ["A", 3],
    ["B", 5],
  ] as const)
    known.add(JSON.stringify([[name], { name: "spatial", split: [sms] }]));
  told();
  assert.match(of.proof.value, /^The shortest of 7 partitions/);
});

test("a run proves deadlines when all of their kernels have ended", () => {
  const setup = { names: ["A", "B"], coreMhz: 1000 } as unknown as Parameters<typeof rowsOf>[0];
  const proof = (...ended: (number | null)[]): string =>
    proofOf(
      rowsOf(
        setup,
        [4, 4],
        predicted([4, 4]),
        { shown: ended.map((at) => ({ share: at === null ? 0.5 : 1, ended: at })), now: 1 },
        [3, 3],
      ),
    );
  assert.equal(proof(2, null), "");
  assert.equal(proof(2, 3), "Both deadlines are met, simulated.");
  assert.match(proof(2, 4), /^Not met: B missed by 1\.000 ms/);
});

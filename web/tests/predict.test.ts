// The panel of predictions without the page: partitions, the question that the formulas are asked, and what becomes of a prediction.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIGHT } from "../src/draw/theme.ts";
import { decodeLink, encodeLink } from "../src/link.ts";
import {
  aloneOf,
  aloneRun,
  borderOf,
  errorOf,
  measuredOf,
  moved,
  notForScheme,
  once,
  partsOf,
  question,
  rangeOf,
  readDeadline,
  runsOnce,
  segments,
  shownOf,
  signed,
  verdict,
  type Measured,
  type Setup,
  type Size,
} from "../src/predict/model.ts";
import { drawWindows } from "../src/predict/windows-drawing.ts";
import type { Experiment, Prediction, Result } from "../src/types.ts";

const experiment: Experiment = {
  corun: 1,
  gpu: "tiny-2sm",
  kernels: ["BP", { kernel: "CFD", qos: 0.8 }],
  policy: { name: "spatial", split: [10, 20], ctas: [2, 3] },
  seed: 7,
  warm_up: 400,
};
const setup: Setup = {
  experiment,
  names: ["BP", "CFD"],
  sms: 30,
  banks: 24,
  coreMhz: 1000,
  bandwidthMax: 348,
  lineBytes: 32,
  ctas: [100, 50],
};
const whole: Measured = { cycles: 1_000_000, instructions: 64_000_000, accesses: 1_000_000, ctas: 100, whole: true };

test("the SMs of green contexts are a partition; MIG's instances and schemes that share SMs are not predicted, each for its reason", () => {
  const of = (policy: Experiment["policy"]): Experiment => ({ ...experiment, policy });
  assert.deepEqual(partsOf(of({ name: "green-context", sms: [8, 16] }), 30), [8, 16]);
  assert.deepEqual(partsOf(of({ name: "green-context", sms: 12 }), 30), [12, 12]);
  assert.equal(notForScheme(of({ name: "green-context", sms: 12 })), "");
  assert.deepEqual(once(of({ name: "green-context", sms: 12 }), [12, 12]).policy, {
    name: "spatial",
    split: [12, 12],
  });
  assert.match(notForScheme(of("green-context")), /does not say them \(sms\)/);
  assert.match(
    notForScheme(of({ name: "mig", profiles: ["3g.71gb", "4g.71gb"] })),
    /each of MIG's instances has its own/,
  );
  assert.match(notForScheme(of("even")), /here kernels share SMs/);
  assert.equal(notForScheme(of("spatial")), "");
});

test("a border moves SMs from one kernel to its neighbour, and leaves each one SM; after the last one SMs may be idle", () => {
  assert.deepEqual(moved([10, 20], 0, 12, 30), [12, 18]);
  assert.deepEqual(moved([10, 20], 0, 99, 30), [29, 1]);
  assert.deepEqual(moved([10, 20], 0, -5, 30), [1, 29]);
  assert.deepEqual(moved([10, 20], 1, 25, 30), [10, 15]);
  assert.deepEqual(moved([10, 10, 5], 1, 22.4, 30), [10, 12, 3]);
  assert.deepEqual(rangeOf([10, 10, 5], 1, 30), { least: 11, most: 24 });
  assert.deepEqual(rangeOf([10, 10, 5], 2, 30), { least: 21, most: 30 });
  assert.equal(borderOf([10, 10, 5], 2), 25);
});

test("the partition is what the policy says, or equal parts with what is left over going to the first", () => {
  assert.deepEqual(partsOf(experiment, 30), [10, 20]);
  assert.deepEqual(partsOf({ ...experiment, policy: "spatial" }, 7), [4, 3]);
  assert.deepEqual(
    partsOf({ ...experiment, policy: { name: "manual", split: [1, 1] } }, 7),
    [4, 3],
    "another policy's split is none",
  );
});

test("a kernel is measured alone as it is in the mix, once; what is simulated runs each once on its own SMs", () => {
  const alone = aloneRun(experiment, 1);
  assert.deepEqual(alone, {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: [{ kernel: "CFD" }],
    policy: { name: "spatial", ctas: [3] },
    seed: 7,
    restart: false,
    stop: { kernels_done: true },
  });
  assert.deepEqual(aloneRun({ corun: 1, kernels: ["BP"], policy: "even", name: "mine" }, 0).policy, {
    name: "spatial",
  });
  assert.deepEqual(aloneRun(experiment, 0, 5).policy, { name: "spatial", split: [5], ctas: [2] });
  const next = once({ ...experiment, policy: { name: "spatial", split: [10, 20], first: [0, 10] } }, [12, 18]);
  assert.deepEqual(
    [next.policy, next.restart, next.stop, next["warm_up"]],
    [{ name: "spatial", split: [12, 18] }, false, { kernels_done: true }, undefined],
  );
  assert.deepEqual(
    once({ ...experiment, policy: { name: "spatial", split: [10, 20], first: [20, 0] } }, [10, 20]).policy,
    { name: "spatial", split: [10, 20], first: [20, 0] },
  );
  assert.deepEqual(once({ ...experiment, policy: "even" }, [15, 15]).policy, { name: "spatial", split: [15, 15] });
  assert.ok(runsOnce(next) && !runsOnce(experiment));
  assert.deepEqual(experiment["warm_up"], 400, "and nothing else changes");
});

test("what the formulas are told follows from counters; a part of a kernel stands for the whole", () => {
  // 32 MB in a millisecond, 2000 instructions an access of 32 bytes.
  assert.deepEqual(aloneOf(setup, { ...whole, instructions: 2_000_000_000 }, 0), { latency: 1, bandwidth: 32, kai: 2 });
  assert.equal(aloneOf({ ...setup, lineBytes: 128 }, whole, 0)?.kai, 0.016, "an access of a line of 128 bytes is four");
  const half = { ...whole, ctas: 50, cycles: 500_000, whole: false };
  assert.equal(aloneOf(setup, half, 0)?.latency, 1);
  assert.equal(aloneOf(setup, { ...half, ctas: 0 }, 0), null, "before its first CTA has ended nothing is known");
  assert.equal(aloneOf(setup, { ...whole, accesses: 0 }, 0)?.kai, 0);
  const sizes = (...measured: (Measured | null)[]): Size[] =>
    measured.map((one, kernel) => ({ kernel, sms: 30, measured: one }));
  assert.equal(question(setup, sizes(whole, null), [10, 20], "literal", []), null);
  const asked = question(
    setup,
    [
      ...sizes({ ...whole, accesses: 20_000_000 }, whole),
      { kernel: 1, sms: 20, measured: { ...whole, cycles: 2_000_000 } },
      { kernel: 0, sms: 10, measured: null },
    ],
    [10, 20],
    "fluid",
    [null, 0.5],
  )?.predict;
  assert.deepEqual(
    [asked?.sms, asked?.l2_banks, asked?.bandwidth_max, asked?.reading, asked?.missing],
    [30, 24, 348, "fluid", "model"],
  );
  assert.equal(asked?.kernels[0]?.bandwidth_full, 348, "a kernel cannot ask for more than DRAM has");
  assert.deepEqual(
    asked?.kernels.map(({ sms, deadline }) => [sms, deadline]),
    [
      [10, undefined],
      [20, 0.5],
    ],
  );
  assert.deepEqual(
    asked?.kernels.map(({ profile }) => profile),
    [undefined, [{ sms: 20, latency: 2, bandwidth: 16 }]],
    "what is not measured is left to the formulas",
  );
  assert.equal(
    "sms" in (question(setup, sizes(whole, whole), null, "literal", [])?.predict.kernels[0] ?? {}),
    false,
    "a search has no partition",
  );
  const searched = question(
    setup,
    [...sizes(whole, whole), { kernel: 1, sms: 20, measured: { ...whole, cycles: 2_000_000 } }],
    null,
    "literal",
    [],
  )?.predict;
  assert.deepEqual(
    searched?.kernels[1]?.profile,
    [{ sms: 20, latency: 2, bandwidth: 16 }],
    "but takes what is measured",
  );
  const measured = measuredOf(
    {
      cycles: 9,
      kernels: [{ name: "BP", thread_instructions: 8, ctas_done: 7, counters: { l2_reads: 5, l2_writes: 6 } }],
    } as unknown as Result,
    true,
  );
  assert.deepEqual(measured, { cycles: 9, instructions: 8, accesses: 11, ctas: 7, whole: true });
});

test("deadlines are milliseconds; whatever else is typed is named", () => {
  assert.deepEqual(
    ["", " 0.5 ", "2e-3", "1000000"].map((text) => readDeadline(text)),
    [
      { deadline: null, problem: "" },
      { deadline: 0.5, problem: "" },
      { deadline: 0.002, problem: "" },
      { deadline: 1e6, problem: "" },
    ],
  );
  for (const text of ["soon", "-1", "0", "1,5", "0x10", "Infinity", "NaN", "1e9", "1e-9", "1 2"])
    assert.match(readDeadline(text).problem, /^found “.+”, want milliseconds: a number above 0/, text);
});

test("a run shows its share, then its end; the error is against its pace until then", () => {
  const kernels = [
    { name: "BP", ctas_done: 40 },
    { name: "CFD", ctas_done: 80 },
  ];
  const past = {
    until: 5000,
    marks: [
      { cycle: 3000, kernel: 1, kind: "end", launch: 0, run: 0 },
      { cycle: 4500, kernel: 1, kind: "end", launch: 0, run: 1 },
    ],
    bucket: 400,
    finished: [],
    left: [],
    back: [],
    onTop: [],
  };
  const shown = shownOf(setup, { cycles: 5000, kernels } as unknown as Result, past as never);
  assert.deepEqual(
    shown,
    [
      { share: 0.4, ended: null },
      { share: 1, ended: 0.003 },
    ],
    "later runs of a kernel do not count",
  );
  assert.deepEqual(
    shownOf(setup, { cycles: 2000, kernels } as unknown as Result, past as never)[1],
    { share: 1, ended: null },
    "gone back, it has not ended",
  );
  assert.equal(errorOf(5, { share: 0.4, ended: null }, 4), -0.5);
  assert.equal(errorOf(6, { share: 1, ended: 4 }, 9), 0.5);
  assert.equal(errorOf(6, { share: 0, ended: null }, 9), null);
  assert.deepEqual([signed(0.123), signed(-0.5)], ["+12.3 %", "−50.0 %"]);
});

test("a deadline is met by prediction until the run proves it or not", () => {
  assert.deepEqual(verdict(1, 0.9, null, 0), { met: null, text: "met by prediction, 0.1000 ms (10.0 %) to spare" });
  assert.deepEqual(verdict(1, 1.2, { share: 0.5, ended: null }, 0.5), {
    met: null,
    text: "missed by prediction, by 0.2000 ms (20.0 %)",
  });
  assert.equal(verdict(1, 0.9, { share: 0.5, ended: null }, 1.5).met, false);
  assert.deepEqual(verdict(1, 1.2, { share: 1, ended: 1 }, 2), {
    met: true,
    text: "met, simulated: 0 ms (0.0 %) to spare",
  });
  assert.deepEqual(verdict(1, 0.9, { share: 1, ended: 1.25 }, 2), {
    met: false,
    text: "missed by 0.2500 ms (25.0 %), simulated",
  });
});

const part = (end: number, share: number, penalty: number): Prediction["kernels"][number]["windows"][number] => ({
  end,
  share,
  sum: 400,
  interference: 1.5,
  penalty,
  penalty_sm: null,
  penalty_access: null,
  penalty_bandwidth: null,
  penalties: null,
});
const prediction = {
  name: "",
  makespan: 6,
  platform: { sms: 30, l2_banks: 24, bandwidth_max: 348, bandwidth_sustained: 330, threshold: 278.4 },
  windows: [
    { start: 0, end: 1, kernels: 2, sum: 400, interference: 1.5 },
    { start: 1, end: 4, kernels: 1, sum: 100, interference: 1 },
  ],
  kernels: [
    { name: "BP", latency: 1.5, latency_alone: 1, windows: [part(1, 1, 1)] },
    {
      name: "CFD",
      latency: 6,
      latency_alone: 4,
      windows: [part(1, 0.25, 2), { ...part(4, 0.75, 1), interference: 1 }],
    },
  ],
} as unknown as Prediction;

test("windows, parts, the run and deadlines are all found in the picture, each with its numbers", () => {
  assert.deepEqual(segments(prediction, 1), [3, 3], "0.25 × 1.5 × 2 and 0.75 × 1 × 1");
  const drawn = drawWindows(
    {
      prediction,
      deadlines: [null, 5],
      shown: [
        { share: 1, ended: 1.6 },
        { share: 0.5, ended: null },
      ],
      now: 2,
    },
    800,
    LIGHT,
  );
  const spots = Object.fromEntries(drawn.spots.map((spot) => [spot.id, spot]));
  assert.deepEqual(Object.keys(spots), ["w0", "w1", "k0 w0", "k0 run", "k1 w0", "k1 w1", "k1 run", "k1 deadline"]);
  assert.equal(
    spots["w0"]?.text(),
    "Window 1, 0 to 1.000 ms: 2 kernels ask for S = 400.0 GB/s, of 330 that last. I = 1.500",
  );
  assert.match(
    spots["k1 w0"]?.text() ?? "",
    /^CFD in window 1: 25 % of its time alone × I 1\.500 × Π 2\.000: 3\.000 ms$/,
  );
  assert.equal(spots["k1 run"]?.text(), "CFD, simulated: 50 % of its CTAs at 2.000 ms");
  assert.ok(
    drawn.spots.every(({ x, y, w, h }) => x >= 0 && y >= 0 && x + w <= 800 && y + h <= drawn.height),
    "nothing lies outside",
  );
  assert.equal(
    drawn.spots.length,
    drawWindows({ prediction, deadlines: [null, 5], shown: null, now: 0 }, 320, LIGHT).spots.length + 2,
    "without a run, the rest stays",
  );
});

test("the link carries the reading and the deadlines; a deadline that is none is refused by name", async () => {
  const view = { predict: { reading: "fluid", measured: true, deadlines: [0.25, null, 3] } };
  const hash = await encodeLink({ experiment: { corun: 1, gpu: "tiny-2sm", kernels: ["BP"] }, view });
  assert.ok(hash.endsWith("&reading=fluid&alone=measured&deadlines=0.25,,3"), hash);
  assert.deepEqual((await decodeLink(hash))?.view, view);
  await assert.rejects(decodeLink(`${hash.replace("0.25", "soon")}`), /A deadline is wrong: found “soon”/);
  await assert.rejects(decodeLink(`${hash.replace("fluid", "%3Cb%3E")}`), /reading of a paper/);
});

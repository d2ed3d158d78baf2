// What an embedded run says and shows, and a saved file, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIGHT } from "../src/picture/theme.ts";
import { fileOf } from "../src/embed/frozen.ts";
import { drawRun } from "../src/embed/picture.ts";
import { seriesOf } from "../src/embed/series.ts";
import { numbersOf, sentence, sidesOf, stampOf, titleOf } from "../src/embed/says.ts";
import type { RunSide } from "../src/model/model.ts";
import type { Experiment, Result } from "../src/model/types.ts";

const EXPERIMENT: Experiment = {
  corun: 1,
  gpu: "tiny-2sm",
  kernels: ["ccbp/BP", "ccbp/CFD"],
  policy: { name: "even" },
};
const RESULT = {
  engine: "0.2.0",
  config_hash: "0123456789abcdef",
  digest: "fedcba9876543210",
  seed: 1,
  cycles: 4000,
  gpu: {},
  kernels: [
    { name: "BP", ipc: 20, ipc_alone: 50, slowdown: 2.5 },
    { name: "CFD", ipc: 10, ipc_alone: 12, slowdown: 1.2 },
  ],
  metrics: { hspeedup: 0.5, stp: 1.2, fairness: 0.4 },
  ci95: { kernels: [{ slowdown: [2.25, 2.75] }, { slowdown: [1.1, 1.3] }], metrics: {} },
  verdict: {
    question: "sharing",
    headline: [{ text: "BP is 2.50 times slower than alone.", kernel: 0 }],
    says: ["CFD is 1.20 times slower.", "A longer run would say this more precisely."],
    sure: false,
  },
} as unknown as Result;
const run = (sides: RunSide[]): RunSide[] => sides.map((side) => ({ ...side, result: RESULT, origin: "here" }));

test("a run says its sentences once, also what both would need", () => {
  const one = run(sidesOf({ experiment: EXPERIMENT })),
    all = "BP is 2.50 times slower than alone. CFD is 1.20 times slower. A longer run would say this more precisely.";
  assert.equal(sentence(one), all);
  const other = { ...EXPERIMENT, policy: { name: "spatial" } },
    two = run(sidesOf({ experiment: EXPERIMENT, other })),
    slower = structuredClone(RESULT);
  (slower.verdict as { headline: object[] }).headline = [{ text: "BP is 3.00 times slower than alone.", kernel: 0 }];
  const [a, b] = two as [RunSide, RunSide];
  assert.equal(
    sentence([a, { ...b, result: slower }]),
    `${all} Under Spatial partitioning: BP is 3.00 times slower than alone.`,
  );
  assert.equal(titleOf([EXPERIMENT, other]), "BP + CFD: Even split and Spatial partitioning");
});

test("its numbers are those of the result, and there are none before one", () => {
  const sides = sidesOf({ experiment: EXPERIMENT });
  assert.deepEqual(numbersOf(sides).rows, []);
  assert.equal(stampOf(sides), "");
  const { columns, rows } = numbersOf(run(sides));
  assert.equal(columns.length, rows[0]?.length);
  assert.deepEqual(rows, [
    ["BP", "20.0", "50.0", "2.50 ±0.25"],
    ["CFD", "10.0", "12.0", "1.20 ±0.10"],
    ["Harmonic speedup", "", "", "0.500"],
    ["System throughput", "", "", "1.200"],
    ["Fairness", "", "", "0.400"],
  ]);
  assert.match(stampOf(run(sides)), /config 0123456789abcdef, seed 1, 4,000 cycles, digest fedcba9876543210$/);
});

test("bars are as long as their kernels are slower, on one scale", () => {
  const width = 600,
    sides = run(sidesOf({ experiment: EXPERIMENT })),
    drawing = drawRun(sides, [null], width, LIGHT);
  const filled = drawing.shapes.flatMap((shape) =>
    shape.kind === "rect" && typeof shape.fill === "object" ? [shape.w] : [],
  );
  assert.equal(filled.length, 2);
  assert.ok(Math.abs((filled[0] ?? 0) / (filled[1] ?? 1) - Math.log(2.5) / Math.log(1.2)) < 1e-9);
  assert.ok(drawing.shapes.every((shape) => !("x" in shape) || shape.x <= width));
});

test("nothing of a title or a link becomes markup in a saved file, and it may fetch nothing", () => {
  const evil = `</script><img src=x onerror="alert(1)">`;
  const html = fileOf(
    {
      title: evil,
      says: evil,
      picture: "<svg></svg>",
      numbers: { title: evil, columns: [{ key: "a", title: evil, unit: "" }], rows: [[evil]] },
      stamp: evil,
      runs: [
        { name: evil, link: evil, digest: null },
        { name: "b", link: "#v=1", digest: null },
      ],
      theme: "dark",
    },
    { looks: "", boot: "", widget: `export default "${evil.replaceAll('"', "'")}";`, wasm: "AAAA" },
  );
  assert.ok(!html.includes("<img"));
  assert.equal(html.match(/<\/script>/g)?.length, 4, "only the file's own");
  assert.match(html, /default-src 'none'/);
  assert.match(html, /data-theme="dark"/);
  const [, runs = ""] = /id="runs">(.*)<\/script>/.exec(html) ?? [];
  assert.equal((JSON.parse(runs) as { link: string }[])[0]?.link, evil);
});

test("what a window cannot know is NaN in a series, by the path that a result has", () => {
  const window = (start: number, latency: number | null) => ({ start, ipc: 3, kernels: [{ ipc: 1, latency }] });
  const { columns, rows } = seriesOf([window(0, null), window(400, 250)]);
  assert.deepEqual(columns, ["start", "ipc", "kernels[0].ipc", "kernels[0].latency"]);
  assert.deepEqual([...rows], [0, 3, 1, Number.NaN, 400, 3, 1, 250]);
  assert.deepEqual(seriesOf([]), { columns: [], rows: new Float64Array() });
});

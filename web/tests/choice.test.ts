// The menus of the row: what a search finds first, and what a scheme is called wherever the page speaks of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runTitles, schemeText } from "../src/model/choices.ts";
import { found, gpuText, schemeChoices, vendorChoices } from "../src/model/choice.ts";
import { schemesFor } from "../src/schemes/variants.ts";
import type { Catalogue, Experiment, GpuField, PolicyEntry } from "../src/model/types.ts";
import { VENDORS } from "./vendors.ts";

const entry = (name: string, title: string, source: string, doc: string): PolicyEntry =>
  ({ name, title, source, doc, params: [], formerly: [] }) as unknown as PolicyEntry;
const field = (path: string, a100: number): GpuField =>
  ({ path, unit: "", doc: "", kind: "int", values: { "a100-40gb": a100 } }) as GpuField;
const catalogue = {
  policies: [
    entry("even", "Even split", "Xu et al., ISCA 2016", "CTA slots in equal parts"),
    entry("spatial", "Spatial partitioning", "Adriaens et al., HPCA 2012", "Disjoint sets of SMs"),
    entry("mps", "MPS with a thread percentage", "NVIDIA, MPS", "SMs that a kernel may use, in per cent"),
    entry("time-slice", "Time slicing", "NVIDIA", "The whole GPU in turns, at least 10 SMs and ms long"),
    entry("ccbp", "CCBP: CTAs and bandwidth together", "Lin et al., TPDS 2019", "CTAs and bandwidth"),
  ],
  gpus: [{ name: "a100-40gb", aliases: ["a100-40gb"], title: "108 SMs, A100" }],
  vendors: VENDORS,
  gpu_fields: [field("sm.count", 108), field("dram.channels", 40), field("core_mhz", 1410)],
} as unknown as Catalogue;
const on = (policy: Experiment["policy"] = "even"): Experiment => ({
  corun: 1,
  gpu: "a100-40gb",
  kernels: ["ccbp/BP", "ccbp/CFD"],
  ...(policy === undefined ? {} : { policy }),
});
const first = (sought: string): string | undefined => {
  const [one] = found([...schemeChoices(catalogue), ...vendorChoices(catalogue, on())], sought);
  return one && `${one.group ?? ""}: ${one.title}`;
};

test("a search finds the very text before its pieces", () => {
  assert.match(first("2 ms") ?? "", /^Time slicing: 2 ms/);
  assert.match(first("10 ms") ?? "", /^Time slicing: 10 ms/);
  assert.match(first("30 ms") ?? "", /^Time slicing: 30 ms/);
  assert.match(first("50 %") ?? "", /^MPS.*: 50 % each/);
  assert.match(first("mps 50 %") ?? "", /^MPS.*: 50 % each/);
  assert.match(first("MIG 3g.20gb + 4g.20gb") ?? "", /: 3g\.20gb \+ 4g\.20gb$/);
  assert.match(first("4g.20gb +") ?? "", /: 4g\.20gb \+ /);
  assert.match(first("spatial") ?? "", /: Spatial partitioning$/);
  // A name that nobody sees is a name: so are its beginning, and pieces in any order.
  assert.match(first("ccbp") ?? "", /: CCBP/);
  assert.match(first("  TIME   slic ") ?? "", /: Time slicing$/);
  assert.match(first("cing ime") ?? "", /: Time slicing$/);
  assert.equal(first("no such thing"), undefined);
  assert.equal(found(schemeChoices(catalogue), "").length, 5);
});

test("a scheme is called in the vendors' words wherever the page speaks of it", () => {
  const called: [Experiment["policy"], string][] = [
    [{ name: "mig", profiles: ["3g.20gb", "4g.20gb"] }, "MIG 3g.20gb + 4g.20gb"],
    [{ name: "mps", percentage: [50, 50] }, "MPS 50 % each"],
    [{ name: "time-slice", slice_ms: 2 }, "Time slicing 2 ms"],
    [{ name: "spatial", split: [54, 54] }, "MPS 54 SMs each"],
    [{ name: "green-context", sms: [80, 28] }, "Green contexts 80 + 28 SMs"],
    ["even", "Even split"],
    [{ name: "ccbp", variant: "offline" }, "CCBP, offline"],
  ];
  for (const [policy, title] of called) {
    assert.equal(schemeText(on(policy), catalogue).replace(/, in chunks.*/, ""), title);
    assert.equal(runTitles([on(policy)], catalogue)[0]?.replace(/, in chunks.*/, ""), title);
  }
  // Numbers that no vendor has a word for are said as they are, unless they are many.
  const own = on({ name: "spatial", split: [40, 60] }),
    many = on({ name: "spatial", split: Array(16).fill(100) });
  assert.equal(schemeText(own, catalogue), "Spatial partitioning (split 40 + 60)");
  assert.equal(schemeText(many, catalogue), "Spatial partitioning (set)");
  // So are those that all schemes are compared by: each name there is the one that its side has.
  const compared = schemesFor(catalogue, on({ name: "mps", percentage: [10, 90] }));
  assert.deepEqual(
    compared.map(({ title }) => title),
    [
      "Even split",
      "Spatial partitioning",
      "MPS 10 + 90 %",
      "Time slicing 100,000 cycles",
      "CCBP",
      "CCBP, shares alone",
      "CCBP, offline",
    ],
  );
});

test("a GPU is called by its SMs, also where they are others than the preset's, and marked where else it is another", () => {
  const called = (gpu: Experiment["gpu"], scale?: Experiment["scale"]): string | undefined =>
    gpuText(catalogue, { ...on(), ...(gpu === undefined ? {} : { gpu }), ...(scale ? { scale } : {}) });
  assert.equal(called("a100-40gb"), "108 SMs");
  assert.equal(called("a100-40gb", "1/4"), "108 SMs, 1/4");
  assert.equal(called({ preset: "a100-40gb", "sm.count": 40 }), "40 SMs");
  assert.equal(called({ preset: "a100-40gb", "dram.channels": 20 }), "108 SMs (set)");
});

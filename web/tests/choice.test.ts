// The menus of the row: what a search finds first, and what a scheme is called wherever the page speaks of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runTitles } from "../src/choices.ts";
import { found, schemeChoices, schemeTitle, vendorChoices } from "../src/run/choice.ts";
import type { Catalogue, Experiment, GpuField, PolicyEntry } from "../src/types.ts";

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
    [{ name: "spatial", split: [42, 56], channels: [20, 20] }, "MIG 3g.20gb + 4g.20gb"],
    [{ name: "mps", percentage: [50, 50] }, "MPS 50 % each"],
    [{ name: "time-slice", slice: 2_820_000 }, "Time slicing 2 ms"],
    [{ name: "spatial", split: [54, 54] }, "MPS 54 SMs each"],
    ["even", "Even split"],
    [{ name: "ccbp", variant: "offline" }, "CCBP, offline"],
  ];
  for (const [policy, title] of called) {
    assert.equal(schemeTitle(catalogue, on(policy)).replace(/, in chunks.*/, ""), title);
    assert.equal(runTitles([on(policy)], catalogue)[0]?.replace(/, in chunks.*/, ""), title);
  }
  // Numbers that no vendor has a word for are said as they are.
  const own = on({ name: "spatial", split: [40, 60] });
  assert.equal(schemeTitle(catalogue, own), "Spatial partitioning (set)");
  assert.equal(runTitles([own], catalogue)[0], "Spatial partitioning (split 40 + 60)");
});

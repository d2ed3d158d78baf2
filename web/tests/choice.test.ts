// The menus of the row: what a search finds first, and what a scheme is called wherever the page speaks of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runTitles, schemeText } from "../src/model/choices.ts";
import { found, gpuText, schemeChoices, vendorChoices } from "../src/model/choice.ts";
import { alike } from "../src/model/mix.ts";
import { rowOf, rowText } from "../src/model/row.ts";
import { schemesFor } from "../src/schemes/variants.ts";
import type { Catalogue, Experiment, GpuField, PolicyEntry } from "../src/model/types.ts";
import { VENDORS } from "./vendors.ts";

const entry = (name: string, title: string, source: string, doc: string, params: string[] = []): PolicyEntry =>
  ({
    name,
    title,
    source,
    doc,
    params: params.map((one) => ({ name: one.split(" ")[0], kind: one.split(" ")[1] })),
  }) as unknown as PolicyEntry;
const field = (path: string, a100: number): GpuField =>
  ({ path, unit: "", doc: "", kind: "int", values: { "a100-40gb": a100 } }) as GpuField;
const catalogue = {
  policies: [
    entry("even", "Even split", "Xu et al., ISCA 2016", "CTA slots in equal parts"),
    entry("spatial", "Spatial partitioning", "Adriaens et al., HPCA 2012", "Disjoint sets of SMs"),
    entry("mps", "MPS with a thread percentage", "NVIDIA, MPS", "SMs that a kernel may use, in per cent", [
      "percentage per_kernel_number",
    ]),
    entry("mig", "MIG", "NVIDIA", "An instance for each kernel", ["profiles per_kernel_text"]),
    entry("time-slice", "Time slicing", "NVIDIA", "The whole GPU in turns, at least 10 SMs and ms long", [
      "slice int",
      "slice_ms number",
    ]),
    entry("ws", "Warped-Slicer", "Xu et al., ISCA 2016", "The best combination of CTAs"),
    entry("ws+ucp", "WS + UCP: ways of L1D", "Yoon et al., TACO 2019", "Warped-Slicer, and ways of L1D"),
    entry("ccbp", "CCBP: CTAs and bandwidth together", "Lin et al., TPDS 2019", "CTAs and bandwidth"),
  ],
  kernels: ["ccbp/BP", "ccbp/CFD", "ccbp/HG", "ccbp/SAD", "ccbp/SMV", "qos/SAD", "qos/SGEMM"].map((name) => ({
    name,
  })),
  gpus: [
    { name: "ccbp-16sm", aliases: [], title: "16 SMs, Maxwell-like" },
    { name: "a100-40gb", aliases: ["a100-40gb", "a100"], title: "108 SMs, A100" },
    { name: "rtx5090", aliases: ["5090"], title: "170 SMs, as published of an RTX 5090" },
  ],
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
  // The order that is typed wins, however it is spelt.
  for (const [two, title] of [
    ["3g + 4g", /: 3g\.20gb \+ 4g\.20gb$/],
    ["3g+4g", /: 3g\.20gb \+ 4g\.20gb$/],
    ["4g+3g", /: 4g\.20gb \+ 3g\.20gb$/],
    ["mig 3g+4g", /: 3g\.20gb \+ 4g\.20gb$/],
  ] as const)
    assert.match(first(two) ?? "", title);
  assert.match(first("4g.20gb +") ?? "", /: 4g\.20gb \+ /);
  assert.match(first("spatial") ?? "", /: Spatial partitioning$/);
  // A name that nobody sees is a name: so are its beginning, and pieces in any order.
  assert.match(first("ccbp") ?? "", /: CCBP/);
  assert.match(first("  TIME   slic ") ?? "", /: Time slicing$/);
  assert.match(first("cing ime") ?? "", /: Time slicing$/);
  assert.equal(first("no such thing"), undefined);
  assert.equal(found(schemeChoices(catalogue), "").length, catalogue.policies.length);
});

test("a few words choose the whole row: kernels, GPU, and what A and B are", () => {
  const says = (words: string, sides = [on(), on("ccbp")], at = 0): string => {
    const row = rowOf(catalogue, sides, words, at);
    return typeof row === "string" ? `? ${row}` : `${row.things} ${rowText(row.experiments, catalogue, true)}`;
  };
  assert.equal(says("SMV + HG, ws against ccbp"), "4 SMV + HG on 108 SMs, A: Warped-Slicer, B: CCBP");
  assert.equal(says("a100 mps 50/50"), "2 BP + CFD on 108 SMs, A: MPS 50 % each, B: CCBP");
  assert.equal(
    says("sad bp, MPS 60 % 40 % or MIG 3g + 4g on an A100"),
    "5 SAD + BP on 108 SMs, A: MPS 60 + 40 %, B: MIG 3g.20gb + 4g.20gb",
  );
  // Of one scheme, that of the side whose menu it is typed in; of two, the first is A's, and B comes where it was not.
  assert.equal(says("mps 70/30", undefined, 1), "1 BP + CFD on 108 SMs, A: Even split, B: MPS 70 + 30 %");
  assert.equal(says("even vs ccbp", [on()]), "2 BP + CFD on 108 SMs, A: Even split, B: CCBP");
  assert.equal(says("bp", [on()]), "1 BP on 108 SMs, A: Even split");
  // One name of several words is one thing, and so is the beginning of one; a number may be a slice's, or a GPU's.
  assert.equal(says("ws+ucp vs warped"), "2 BP + CFD on 108 SMs, A: WS + UCP, B: Warped-Slicer");
  assert.equal(says("ccbp/bp time slicing 2 ms, rtx 5090"), "3 BP on 170 SMs, A: Time slicing 2 ms, B: CCBP");
  assert.equal(says("mps 75/25 16 SMs"), "2 BP + CFD on 16 SMs, A: MPS 75 + 25 %, B: CCBP");
  // A GPU without MIG becomes one that has it, for both.
  assert.equal(says("16 SMs mig 3g"), "2 BP + CFD on 108 SMs, A: MIG 3g.20gb each, B: CCBP");
  // Of two papers that have a kernel, the one that has the other kernel.
  const kernelsOf = (words: string) => {
    const row = rowOf(catalogue, [on({ name: "mps", percentage: [10, 20] })], words, 0);
    return typeof row === "string" ? row : row.experiments.map(({ kernels, policy }) => ({ kernels, policy }));
  };
  assert.deepEqual(kernelsOf("sgemm sad sgemm"), [
    { kernels: ["qos/SGEMM", "qos/SAD", "qos/SGEMM"], policy: { name: "mps", percentage: [10, 20, 20] } },
  ]);
  assert.deepEqual(kernelsOf("sad"), [{ kernels: ["ccbp/SAD"], policy: { name: "mps", percentage: [10] } }]);
  assert.equal(says("smvv hg"), "? smvv");
  assert.equal(says("bp 12"), "? 12");
  assert.equal(says("even ccbp ws"), "? even ccbp ws");
});

test("a kernel that both sides have becomes the same one in both; one that B alone has stays", () => {
  const own = { name: "mine", threads: 64 },
    a = on(),
    mine: Experiment = { ...a, kernels: [a.kernels[0] as string, { kernel: own, ctas_per_sm: 2 }] },
    other: Experiment = { ...on("ccbp"), kernels: ["ccbp/BP", { kernel: "ccbp/CFD", qos: 0.5 }] };
  assert.deepEqual(alike(a, mine, other), { ...other, kernels: ["ccbp/BP", { kernel: own, qos: 0.5 }] });
  for (const kernels of [["ccbp/BP", "ccbp/HG"], ["ccbp/BP"]]) {
    const apart = { ...other, kernels };
    assert.equal(alike(a, mine, apart), apart);
  }
  // A limit is each side's own.
  const limited: Experiment = { ...a, kernels: [{ kernel: "ccbp/BP", ctas_per_sm: 1 }, "ccbp/CFD"] };
  assert.equal(alike(a, limited, other), other);
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
      "MIG",
      "Time slicing 100,000 cycles",
      "Warped-Slicer",
      "Warped-Slicer, online",
      "WS + UCP",
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

// What an experiment says, read against the catalogue.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  eachPerKernel,
  epochOf,
  kernelEntry,
  kernelLabels,
  policyEntry,
  runTitles,
  schemeName,
  schemeText,
} from "../src/model/choices.ts";
import type { Catalogue, Experiment } from "../src/model/types.ts";

const split = { name: "ctas", kind: "per_kernel_int", unit: "", required: false, default: null, doc: "" };
const catalogue = {
  policies: [
    { name: "even", params: [] },
    { name: "new", params: [split] },
  ],
} as unknown as Catalogue;

test("a policy is found by its name", () => {
  assert.equal(policyEntry(catalogue, "new")?.name, "new");
  assert.equal(policyEntry(catalogue, "none"), undefined);
  const experiment: Experiment = {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["A", "B"],
    policy: { name: "new", ctas: [3, 4] },
  };
  eachPerKernel(catalogue, experiment, (values) => values.reverse());
  assert.deepEqual(experiment.policy, { name: "new", ctas: [4, 3] });
});

test("a scheme's epochs are those that its experiment says, but for epochs that may begin early", () => {
  const of = (policy: Experiment["policy"] & object) => epochOf({ corun: 1, gpu: "tiny-2sm", kernels: ["A"], policy });
  assert.deepEqual(
    [
      of({ name: "qos-rollover", epoch: 5000 }),
      of({ name: "spart", epoch: 10_000 }),
      of({ name: "qos-elastic", epoch: 10_000 }),
      of({ name: "even" }),
    ],
    [5000, 10_000, null, null],
  );
});

test("runs beside each other are called by their schemes, and by their CTA orders where these differ", () => {
  const one = { corun: 1, kernels: [], policy: { name: "even" }, cta_order: "reset" } as unknown as Experiment;
  assert.deepEqual(runTitles([one, { ...one, cta_order: "flip" }]), ["Even split, reset", "Even split, flip"]);
  assert.deepEqual(runTitles([one, { ...one, policy: { name: "ccbp" } }]), ["Even split", "CCBP"]);
  assert.deepEqual(
    [runTitles([one]), runTitles([{ corun: 1, kernels: [] } as unknown as Experiment, one])],
    [["Even split"], ["Even split, round-robin", "Even split, reset"]],
  );
});

test("a kernel is found by its whole name", () => {
  const kernels = [{ name: "ccbp/BP" }, { name: "ikra/BP" }];
  const found = (name: string): string | undefined => kernelEntry({ kernels } as unknown as Catalogue, name)?.name;
  assert.deepEqual(["ccbp/BP", "BP", "ikra/BP"].map(found), ["ccbp/BP", undefined, "ikra/BP"]);
});

test("kernels are called by their names without the paper, as in a result, unless two would be called alike; uses of one have numbers", () => {
  for (const [kernels, labels] of [
    [
      ["ccbp/BP", "CFD", { kernel: "qos/SGEMM", qos: 0.8 }, { name: "ikra/HS" }],
      ["BP", "CFD", "SGEMM", "HS"],
    ],
    [
      ["ccbp/BP", "ikra/BP", "ccbp/CFD"],
      ["ccbp/BP", "ikra/BP", "CFD"],
    ],
    [
      ["ccbp/BP", "CFD", "ccbp/BP"],
      ["BP #1", "CFD", "BP #2"],
    ],
    [
      ["VADD", "latency/VADD", "odd/"],
      ["VADD", "latency/VADD", "odd/"],
    ],
  ] as const)
    assert.deepEqual(kernelLabels(kernels), labels);
});

test("several policies in turn have the name that joins theirs", () => {
  const several: Experiment = { corun: 1, kernels: ["BP"], policy: ["ws", { name: "ucp", repartition: 5000 }] };
  assert.equal(schemeName(several), "ws+ucp");
  assert.equal(schemeText(several), "WS + UCP");
});

test("a scheme is called as people call it, with what of it is set; forms that papers compare have titles of their own", () => {
  const of = (policy: Experiment["policy"]): string => schemeText({ corun: 1, kernels: ["BP", "CFD"], policy });
  assert.deepEqual(
    [
      of("ccbp"),
      of({ name: "ccbp", priority: 0.5 }),
      of({ name: "smk", variant: "p" }),
      of({ name: "smk", variant: "p", quota: 3 }),
      of(["ws", "mine"]),
      of("mine"),
    ],
    ["CCBP", "CCBP (priority 0.5)", "SMK without quotas", "SMK (variant p, quota 3)", "Warped-Slicer + mine", "mine"],
  );
});

test("a name that every object has is a scheme's name like any other", () => {
  for (const name of ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"]) {
    const experiment: Experiment = { corun: 1, gpu: "tiny-2sm", kernels: ["ccbp/BP", "ccbp/CFD"], policy: { name } };
    assert.equal(schemeText(experiment), name);
    assert.equal(
      schemeText({ ...experiment, policy: [{ name }, { name: "ucp" }] as never })
        .split(/,|\+| and /)[0]
        ?.trim(),
      name,
    );
    assert.equal(schemeName(experiment), name);
  }
});

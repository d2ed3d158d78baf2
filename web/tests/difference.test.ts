// The fields in which two experiments differ: exactly those, in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, type Described } from "../src/model/difference.ts";
import type { Experiment } from "../src/model/types.ts";

/** After defaults, as the engine spells an experiment out; what it begins with is what the link has. */
const BASE: Experiment = {
  corun: 1,
  name: "BP + CFD",
  source: "",
  seed: 1,
  gpu: { preset: "tiny-2sm", "sm.count": 2, "sm.l1.bytes": 4096, core_mhz: 1800 },
  kernels: [
    { kernel: { name: "BP", launches: [{ ctas: 8192, threads: 128 }] } },
    { kernel: { name: "CFD", launches: [{ ctas: 4096, threads: 64 }] }, ctas_per_sm: 4 },
  ],
  policy: { name: "even" },
  warp_order: "lrr",
  cta_order: "round-robin",
  stop: { cycles: 1_000_000 },
  restart: true,
  alone: true,
};
const of = (change: Partial<Experiment>, written: Partial<Experiment> = {}): Described => ({
  normal: { ...structuredClone(BASE), ...change },
  written: { corun: 1, kernels: ["BP", "CFD"], ...written },
});
const said = (a: Described, b: Described): string[] =>
  differences(a, b).map((d) => `${d.path} | ${d.title}: ${d.a} | ${d.b}`);

test("equal experiments differ in nothing, whatever they are called", () => {
  assert.deepEqual(said(of({}), of({})), []);
  assert.deepEqual(said(of({}), of({ name: "Mine", source: "me" })), []);
});

test("another scheme is one difference, with what of it is set; of one scheme the parameters are compared", () => {
  const ccbp = { name: "ccbp", variant: "adj", priority: 1, units: 20 };
  assert.deepEqual(
    said(of({}, { policy: { name: "even" } }), of({ policy: ccbp }, { policy: { name: "ccbp", priority: 1 } })),
    ["policy | Scheme: Even split | CCBP (priority 1)"],
  );
  assert.deepEqual(said(of({ policy: ccbp }), of({ policy: { ...ccbp, priority: 0.5, time_scale: 2 } })), [
    "policy.priority | Scheme: priority: 1 | 0.5",
    "policy.time_scale | Scheme: time scale: none | 2",
  ]);
});

test("a field of the GPU is named by itself, and another preset is one difference", () => {
  assert.deepEqual(
    said(of({}), of({ gpu: { ...(BASE.gpu as object), "sm.count": 4 } as unknown as NonNullable<Experiment["gpu"]> })),
    ["gpu.sm.count | SM: SMs: 2 | 4"],
  );
  assert.deepEqual(
    said(of({}), of({ gpu: { preset: "qos-16sm", "sm.count": 16, "sm.l1.bytes": 4096, "dram.queue": 8 } })),
    ["gpu | GPU: tiny-2sm | qos-16sm"],
  );
});

test("kernels are compared place by place: another one, one more, and the fields of the same one", () => {
  const [bp, cfd] = BASE.kernels as [Record<string, unknown>, Record<string, unknown>];
  const sad = { kernel: { name: "SAD", launches: [] } };
  assert.deepEqual(said(of({}), of({ kernels: [bp, sad] })), ["kernels.1 | Kernel 2: CFD | SAD"]);
  assert.deepEqual(said(of({}), of({ kernels: [bp, cfd, sad] })), ["kernels.2 | Kernel 3: none | SAD"]);
  const named = (name: string) => of({ kernels: [{ kernel: { name, launches: [] } }] });
  assert.deepEqual(said(named("ccbp/BP"), named("qos/SAD")), ["kernels.0 | Kernel 1: BP | SAD"]);
  assert.deepEqual(said(named("ccbp/BP"), named("ikra/BP")), ["kernels.0 | Kernel 1: ccbp/BP | ikra/BP"]);
  assert.deepEqual(said(of({}), of({ kernels: [bp, { ...cfd, ctas_per_sm: 6 }] })), [
    "kernels.1.ctas_per_sm | CFD: CTAs per SM: 4 | 6",
  ]);
  assert.deepEqual(
    said(of({}), of({ kernels: [{ kernel: { name: "BP", launches: [{ ctas: 8192, threads: 256 }] } }, cfd] })),
    ["kernels.0.body.launches.0.threads | BP: Launches 0 threads: 128 | 256"],
  );
});

test("orders, seed and stop", () => {
  assert.deepEqual(
    said(
      of({}),
      of({
        seed: 2,
        warp_order: "gto",
        cta_order: "chunk",
        stop: { kernels_done: true, cycles: 1_000_000 },
        restart: false,
      }),
    ),
    [
      "seed | Seed: 1 | 2",
      "warp_order | Warp order: lrr | gto",
      "cta_order | CTA order: round-robin | chunk",
      "stop.kernels_done | Stop: Kernels done: none | yes",
      "restart | Restart: yes | no",
    ],
  );
});

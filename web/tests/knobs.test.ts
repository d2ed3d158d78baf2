// The knobs of the row: which values each has, what turning one changes, and what a varied one asks of the Lab.
import assert from "node:assert/strict";
import { test } from "node:test";
import { holdsOf, knobsOf, reset, type Knob } from "../src/run/knobs.ts";
import { edited } from "../src/model/mix.ts";
import type { RunSide } from "../src/model/model.ts";
import { chosen, LENGTH, VariedRun, type VariedHost } from "../src/run/varied.ts";
import type { PoolEvents } from "../src/engine/lab/pool.ts";
import type { Plan } from "../src/engine/lab/sweep.ts";
import type { Catalogue, Experiment, GpuField, Result } from "../src/model/types.ts";

const field = (path: string, value: number | string, more: Partial<GpuField> = {}): GpuField =>
  ({ path, unit: "", doc: "", kind: "int", values: { small: value }, ...more }) as GpuField;
const catalogue = {
  gpus: [{ name: "small", aliases: ["small", "s"], title: "16 SMs" }],
  warp_orders: [
    { name: "lrr", doc: "" },
    { name: "gto", doc: "" },
  ],
  gpu_fields: [
    field("sm.count", 16, { max: 256 }),
    field("l2.bank_bytes", 131_072),
    field("l2.banks", 16),
    field("l2.ways", 8),
    field("l2.line_bytes", 128),
    field("noc.flit_bytes", 32),
    field("noc.mhz", 1200),
    field("dram.mhz", 1246, { max: 3000 }),
    field("dram.channels", 16),
    field("dram.timing.T", 8),
    field("warp_order", "lrr"),
  ],
} as unknown as Catalogue;
const MIX: Experiment = { corun: 1, gpu: "small", kernels: ["BP", "CFD"], policy: "even" };
const knobs = (of: Experiment = MIX, holds: readonly (number | null)[] = [8, 17]): Knob[] =>
  knobsOf(catalogue, of, holds);
const knob = (id: string, of = MIX): Knob => {
  const found = knobs(of).find((one) => one.id === id);
  assert.ok(found, id);
  return found;
};
const texts = (id: string, of = MIX): string[] => knob(id, of).steps.map(({ text }) => text);

test("a knob has what the GPU has, and a few values around it", () => {
  assert.deepEqual(texts("sms"), ["4 SMs (¼)", "8 SMs (½)", "16 SMs", "32 SMs (2×)", "64 SMs (4×)"]);
  assert.deepEqual(texts("l2"), ["512 KB (¼)", "1 MB (½)", "2 MB", "4 MB (2×)", "8 MB (4×)"]);
  assert.deepEqual(texts("noc")[2], "614 GB/s");
  // Four times, 4,984 MHz, is more than a GPU may have: three quarters are offered instead.
  assert.deepEqual(
    knob("dram").steps.map(({ value }) => value),
    [312, 623, 935, 1246, 2492],
  );
  assert.deepEqual(texts("ctas-1"), ["1", "2", "3", "4", "6", "8", "12", "16", "no limit: 17"]);
  assert.deepEqual(texts("order"), ["LRR", "GTO"]);
  for (const { id, now, base } of knobs()) assert.equal(now, base, id);
  // A part of a scale model's SMs runs: all of its parts are whole.
  assert.deepEqual(
    knob("sms", { ...MIX, scale: "1/8" }).steps.map(({ value }) => value),
    [8, 16, 24, 32, 64],
  );
});

test("a knob changes one field, and its first value takes that out again", () => {
  const turn = (id: string, step: number, of = MIX): Experiment => {
    const one = knob(id, of);
    return edited(of, one.turned(one.steps[step]?.value));
  };
  const l2 = turn("l2", 0);
  assert.deepEqual(l2, { ...MIX, gpu: { preset: "small", "l2.bank_bytes": 32_768 } });
  assert.deepEqual([knob("l2", l2).now, knob("l2", l2).base], [0, 2]);
  assert.deepEqual(turn("l2", 2, l2), MIX);
  const limited = turn("ctas-0", 1);
  assert.deepEqual(limited.kernels, [{ kernel: "BP", ctas_per_sm: 2 }, "CFD"]);
  assert.equal(knob("ctas-0", limited).steps[knob("ctas-0", limited).now]?.text, "2");
  const both = turn("order", 1, turn("sms", 3, limited));
  assert.equal(both["warp_order"], "gto");
  assert.deepEqual(edited(both, reset(knobs(both))), { ...MIX, kernels: ["BP", "CFD"] });
  // B on another GPU keeps that.
  const other: Experiment = { ...MIX, gpu: "s" };
  assert.deepEqual(edited(other, knob("sms").turned(16)).gpu, "small");
});

test("a value that the form has set is one of the knob's", () => {
  const odd: Experiment = { ...MIX, gpu: { preset: "small", "sm.count": 20 } };
  assert.deepEqual(texts("sms", odd)[knob("sms", odd).now], "20 SMs (1.25×)");
  const classes: Experiment = { ...MIX, kernels: [{ kernel: "BP", ctas_per_sm: { big: 2 } }, "CFD"] };
  assert.ok(!knobs(classes).some(({ id }) => id === "ctas-0"), "a limit by class is the form's");
});

test("CTAs that an SM holds are the engine's, where no limit hides them", () => {
  const explained = {
    kernels: [
      { occupancy: [{ ctas_per_sm: 8, limiter: "threads" }] },
      { occupancy: [{ ctas_per_sm: 2, limiter: "ctas_per_sm" }] },
    ],
  };
  assert.deepEqual(holdsOf(explained), [8, null]);
  assert.deepEqual(holdsOf(null), []);
  assert.deepEqual(
    knobs(MIX, [null, 17]).map(({ id }) => id),
    ["sms", "l2", "noc", "dram", "ctas-1", "order"],
  );
});

// ---------------------------------------------------------------- a knob varied

const run = (mark: string, policy: string, more: Partial<RunSide> = {}): RunSide => ({
  mark,
  scheme: policy,
  experiment: { ...MIX, policy },
  kernels: ["BP", "CFD"],
  result: null,
  origin: "running",
  ...more,
});

/** A host that takes no 64 SMs, and whose runs end when they are told to. */
function fake() {
  const asked: { text: string; most: number; events: PoolEvents; ended: number }[] = [];
  const host: VariedHost = {
    workers: 2,
    validate: (one) =>
      Promise.resolve(
        JSON.stringify(one).includes('"sm.count":64') ? [{ path: "gpu", found: "64", want: "fewer" }] : [],
      ),
    plan: (text, most, said) => {
      void Promise.resolve().then(() => said({ points: [] } as unknown as Plan));
      asked.push({ text, most, events: null as unknown as PoolEvents, ended: 0 });
      return () => undefined;
    },
    pool: (_, _plan, events) => {
      const last = asked.at(-1);
      assert.ok(last);
      last.events = events;
      const pool = { start: () => undefined, stop: () => (last.ended += 1) };
      return pool as unknown as ReturnType<VariedHost["pool"]>;
    },
  };
  return { asked, host };
}
const settle = (): Promise<void> => new Promise((done) => setTimeout(done, 0));
const line = (slowdown: number): string => JSON.stringify({ result: { kernels: [{ slowdown }] } as unknown as Result });

test("a varied knob runs A and B with each value that the engine takes, and shows what comes", async () => {
  const { asked, host } = fake(),
    varied = new VariedRun();
  await varied.start(host, [run("A", "even"), run("B", "ccbp")], knob("sms"));
  await settle();
  const [one] = asked;
  assert.ok(one);
  const { base, axes } = (JSON.parse(one.text) as { sweep: { base: Experiment; axes: unknown } }).sweep;
  assert.deepEqual(axes, [
    { path: "policy", values: ["even", "ccbp"] },
    { path: "gpu.sm.count", values: [4, 8, 16, 32] },
  ]);
  assert.deepEqual([base.stop, one.most], [{ cycles: LENGTH }, 8]);
  // The last axis goes fastest: the sixth is B with 8 SMs.
  one.events.line(5, line(2.5));
  const { results = [] } = varied.shown.peek() ?? {};
  assert.equal(results[1]?.[1]?.kernels[0]?.slowdown, 2.5);
  assert.equal(results.flat().filter((result) => result !== null).length, 1);
  varied.stop();
  one.events.line(0, line(9));
  assert.deepEqual([one.ended, varied.shown.peek()?.running, varied.shown.peek()?.results[0]?.[0]], [1, false, null]);
});

test("turning the varied knob keeps its picture; another mix closes it", async () => {
  const { host } = fake(),
    varied = new VariedRun(),
    sides = [run("A", "even"), run("B", "ccbp", { elsewhere: true })];
  await varied.start(host, sides, knob("l2"));
  assert.equal(varied.shown.peek()?.sides.length, 1, "a B with another mix is not compared");
  const now = sides.map(({ experiment }) => experiment),
    l2 = knob("l2");
  varied.follow(now.map((one) => edited(one, l2.turned(l2.steps[0]?.value))));
  assert.ok(varied.shown.peek());
  varied.follow(now.map((one) => ({ ...one, kernels: ["BP", "SAD"] })));
  assert.equal(varied.shown.peek(), null);
});

test("of many values a few are run, the present one among them", () => {
  const limited: Experiment = { ...MIX, kernels: ["BP", { kernel: "CFD", ctas_per_sm: 3 }] },
    few = chosen(knob("ctas-1", limited)).map(({ text }) => text);
  assert.ok(few.length <= 6, few.join());
  assert.deepEqual([few[0], few.includes("3"), few.at(-1)], ["1", true, "no limit: 17"]);
});

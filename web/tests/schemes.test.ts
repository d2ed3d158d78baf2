// The mix under every scheme, as data: the sweep, the columns, their order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { columns, nextOrder, sorted, sweepOf, under, type Column, type Row } from "../src/schemes/table.ts";
import type { Experiment, Result } from "../src/model/types.ts";

const mix: Experiment = {
  corun: 1,
  gpu: "tiny-2sm",
  kernels: ["BP", "CFD"],
  policy: { name: "even" },
  seed: 3,
  warp_order: "gto",
  stop: { kernels_done: true },
  alone: false,
};

test("the sweep has the experiment but for its scheme and its end, and measures what kernels do alone", () => {
  assert.deepEqual(JSON.parse(sweepOf(mix, [{ name: "even" }, { name: "ccbp", priority: 0.5 }], 5000)), {
    corun: 1,
    sweep: {
      name: "BP + CFD under every scheme",
      base: {
        corun: 1,
        gpu: "tiny-2sm",
        kernels: ["BP", "CFD"],
        seed: 3,
        warp_order: "gto",
        stop: { cycles: 5000 },
        alone: true,
      },
      axes: [{ path: "policy", values: [{ name: "even" }, { name: "ccbp", priority: 0.5 }] }],
    },
  });
  assert.deepEqual(under(mix, { name: "ws" }), { ...mix, policy: { name: "ws" } });
});

const result = (bp: number | null, stp: number): Result =>
  ({
    cycles: 1,
    gpu: { noc_utilisation: 0.5 },
    kernels: [
      { name: "BP", slowdown: bp },
      { name: "CFD", slowdown: 1 },
    ],
    metrics: { stp },
    ci95: { kernels: [{ slowdown: [1, 3] }, {}], metrics: {}, gpu: {} },
  }) as unknown as Result;
const row = (name: string, has: Result | null): Row => ({
  name,
  answer: { experiment: { corun: 1, kernels: [], policy: { name } }, scheme: name, result: has },
  deaf: false,
});

test("a column for each kernel's slowdown, the mix's figures and the bandwidths, with their intervals", () => {
  const all = columns(
    ["BP", "CFD"],
    [false, false],
    [
      {
        key: "slowdown",
        title: "Slowdown",
        unit: "×",
        scope: "kernel",
        formula: "",
        digits: 2,
        better: null,
        doc: "how much slower",
      },
      { key: "stp", title: "STP", unit: "", scope: "mix", formula: "", digits: 3, better: null, doc: "" },
      {
        key: "noc_utilisation",
        title: "",
        unit: "fraction of peak",
        scope: "gpu and kernel",
        formula: "",
        digits: 3,
        better: null,
        doc: "",
      },
    ],
  );
  assert.deepEqual(
    all.map((c) => c.key),
    [
      "slowdown.0",
      "slowdown.1",
      "hspeedup",
      "stp",
      "antt",
      "fairness",
      "noc_utilisation",
      "dram_utilisation",
      "instructions_per_watt",
    ],
  );
  const [bp] = all as [(typeof all)[number]],
    has = result(2, 1.5);
  assert.deepEqual(
    [bp.title, bp.unit, bp.doc, bp.read(has), bp.ends(has), bp.format(bp.read(has))],
    ["Slowdown of BP", "×", "how much slower", 2, [1, 3], "2.00"],
  );
  assert.deepEqual(
    all.map((c) => c.format(c.read(has))),
    ["2.00", "1.00", "–", "1.500", "–", "–", "50.0 %", "–", "–"],
  );
});

test("any column sorts, both ways; what has no number comes last", () => {
  const all = columns(["BP", "CFD"], [], []),
    rows = [row("spatial", result(3, 1)), row("even", null), row("ccbp", result(1, 2)), row("ws", result(null, 3))];
  const names = (order: Parameters<typeof sorted>[2]): string =>
    sorted(rows, all, order)
      .map(({ name }) => name)
      .join(" ");
  assert.equal(names(null), "spatial even ccbp ws");
  assert.equal(names({ key: "slowdown.0", down: false }), "ccbp spatial even ws");
  assert.equal(names({ key: "slowdown.0", down: true }), "spatial ccbp even ws");
  assert.equal(names({ key: "stp", down: true }), "ws ccbp spatial even");
  assert.equal(names({ key: "scheme", down: false }), "ccbp even spatial ws");
  assert.deepEqual(nextOrder(null, "stp"), { key: "stp", down: false });
  assert.deepEqual(nextOrder({ key: "stp", down: false }, "stp"), { key: "stp", down: true });
  assert.deepEqual(nextOrder({ key: "stp", down: true }, "antt"), { key: "antt", down: false });
});

test("kernels with a goal have a column that says what becomes of it, first of all; then what is left for the others", () => {
  const all = columns(["BP", "CFD"], [false, true], []);
  const of = (reached: number | null, slowdown: number | null): Result =>
    ({
      cycles: 1000,
      kernels: [
        { slowdown, thread_instructions: slowdown === null ? 0 : 1, counters: {} },
        { goal_reached: reached, thread_instructions: 1 },
      ],
      ci95: { kernels: [{ slowdown: [2, 3] }, { goal_reached: [0.8, 0.9] }] },
    }) as unknown as Result;
  assert.deepEqual(
    all.slice(0, 3).map(({ key, title, figure }) => [key, title, figure]),
    [
      ["goal_reached.1", "CFD: of its goal", "goals"],
      ["left.0", "BP: of its IPC alone", "goals"],
      ["slowdown.0", "Slowdown of BP", "slowdown"],
    ],
  );
  const [goal, left] = all as [Column, Column],
    said = (reached: number | null): unknown[] => {
      const value = goal.read(of(reached, 2.5));
      return [goal.format(value), goal.said?.(value)];
    };
  assert.deepEqual(
    [said(0.875), said(1), said(1.0312), said(null)],
    [
      ["87.5 %", "missed by 12.5 %"],
      ["100.0 %", "reached, 0.0 % to spare"],
      ["103.1 %", "reached, 3.1 % to spare"],
      ["–", ""],
    ],
  );
  assert.deepEqual(
    [left.format(left.read(of(1, 2.5))), left.ends(of(1, 2.5))?.map((end) => left.format(end)), left.said],
    ["40.0 %", ["32.0 %", "48.0 %"], undefined],
  );
  // A kernel that gets nothing has nothing left.
  assert.equal(left.format(left.read(of(1, null))), "0.0 %");
});

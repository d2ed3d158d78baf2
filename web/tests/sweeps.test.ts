import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkError } from "../src/model/link.ts";
import { valueText } from "../src/model/choices.ts";
import { fakeStore } from "./fake-store.ts";
import { timeText } from "../src/model/format.ts";
import { endsOf, figureOf, metricsOf, type Metric } from "../src/sweeps/metrics.ts";
import { chartData, everything, fileText } from "../src/sweeps/results.ts";
import { sealed } from "../src/engine/browser-store.ts";
import { StoredLines } from "../src/sweeps/stored.ts";
import { Schedule } from "../src/engine/lab/schedule.ts";
import { decodeSweep, encodeSweep, pretty } from "../src/sweeps/state.ts";
import type { Line, Plan, PlanPoint, Task } from "../src/engine/lab/sweep.ts";
import type { Answer, MetricEntry } from "../src/model/types.ts";

const experiment: PlanPoint["experiment"] = { corun: 1, kernels: ["BP"] };
const point = (axes: Record<string, unknown>, ...needs: string[]): PlanPoint => ({
  axes,
  config_hash: "",
  experiment,
  cycles: 1000,
  alone: [],
  needs,
});
const run = (hash: string) => ({ hash, name: hash, experiment });
const plan = (axes: string[][], points: PlanPoint[]): Plan => ({
  name: "",
  hash: "",
  axes,
  points,
  runs: Object.fromEntries(points.flatMap((p) => p.needs).map((hash) => [hash, run(hash)])),
});
const answer = (ipc: number): Answer => ({ ipc, warp_ipc: 1, noc_utilisation: 0, dram_utilisation: 0, stuck: false });
const line = (index: number, metrics: Record<string, number | null>, kernels = 1): Line => ({
  index,
  points: 9,
  sweep: "",
  axes: {},
  config_hash: `h${index}`,
  result: {
    engine: "",
    config_hash: `h${index}`,
    digest: "d",
    seed: 1,
    cycles: 1000,
    stop: "cycles",
    gpu: { ipc: 2 * index },
    metrics,
    kernels: Array.from({ length: kernels }, (_, k) => ({ name: `K${k}`, ipc: k + 1 })),
  },
});
const entry = (
  scope: MetricEntry["scope"],
  key: string,
  title: string,
  better: MetricEntry["better"] = null,
): MetricEntry => ({ key, title, unit: "", scope, formula: "", digits: 2, better, doc: "" });
/** As much of the engine's registry as these tests ask for. */
const REGISTRY = [
  entry("gpu and kernel", "ipc", "IPC"),
  entry("kernel", "slowdown", "Slowdown", "less"),
  entry("kernel", "latency.mean", "Memory latency", "less"),
  entry("kernel", "goal_reached", "Goal reached", "more"),
  entry("mix", "stp", "STP", "more"),
  entry("mix", "wspeedup", "WSpeedup", "more"),
  entry("mix", "antt", "ANTT", "less"),
  entry("gpu", "l2_gb_s", "L2 bandwidth"),
  entry("energy", "joules", "Energy", "less"),
];
const metric = (key: string): Metric => metricsOf({ points: [] }, REGISTRY).find((one) => one.key === key) as Metric;
const name = (task: Task | null): string =>
  task === null ? "-" : task.kind === "alone" ? task.key : String(task.index);

test("each run alone comes once, before the first point that waits for it", () => {
  const points = [point({}, "a", "b"), point({}, "b", "c"), point({}), point({}, "a")];
  const schedule = new Schedule(plan([], points), new Set(), new Map());
  assert.equal(schedule.all, 7);
  const order: string[] = [],
    under: Task[] = [];
  // Two workers; the one that has worked longest ends first.
  while (!schedule.over) {
    for (let task = schedule.next(); under.length < 2 && task; task = under.length < 2 ? schedule.next() : null) {
      order.push(name(task));
      under.push(task);
    }
    const first = under.shift();
    assert.ok(first, "nobody works, and not all is done");
    if (first.kind === "point")
      assert.deepEqual(
        Object.keys(first.answers),
        points[first.index]?.needs,
        `point ${first.index} without its answers`,
      );
    schedule.ended(first, first.kind === "alone" ? answer(7) : null);
  }
  assert.deepEqual([...order].sort(), ["0", "1", "2", "3", "a", "b", "c"]);
  assert.ok(order.indexOf("a") < order.indexOf("0") && order.indexOf("c") < order.indexOf("1"));
});

test("while a run alone is under way, other points go ahead of those that wait for it", () => {
  const schedule = new Schedule(plan([], [point({}, "a"), point({})]), new Set(), new Map());
  assert.deepEqual([name(schedule.next()), name(schedule.next()), name(schedule.next())], ["a", "1", "-"]);
  schedule.ended({ kind: "alone", key: "a", index: 0, run: run("a") }, null);
  assert.deepEqual(schedule.next(), { kind: "point", index: 0, answers: {} });
});

test("going on runs only what is missing", () => {
  const points = [point({}, "a"), point({}, "b"), point({}, "a")];
  const schedule = new Schedule(plan([], points), new Set([0]), new Map([["a", answer(5)]]));
  assert.equal(schedule.all, 3);
  assert.deepEqual(schedule.next(), { kind: "alone", key: "b", index: 1, run: run("b") });
  assert.deepEqual(schedule.next(), { kind: "point", index: 2, answers: { a: answer(5) } });
  assert.ok(new Schedule(plan([], points), new Set([0, 1, 2]), new Map()).over);
});

test("a chart has one axis across and the others as series", () => {
  const stp = metric("stp");
  const points = [1, 2].flatMap((mhz) =>
    ["even", { name: "fixed", combination: [2, 3] }].map((policy) => point({ mhz, other: mhz * 2, policy })),
  );
  const of = plan([["mhz", "other"], ["policy"]], points);
  const lines = new Map([
    [0, line(0, { stp: 1.5 })],
    [3, line(3, { stp: null })],
  ]);
  const across = chartData(of, lines, stp, 0);
  assert.deepEqual(across.across, { title: "MHz, Other", labels: ["1, 2", "2, 4"], numbers: [1, 2] });
  assert.deepEqual(across.series, [
    { name: "even", values: [1.5, null], ends: [null, null] },
    { name: "fixed (combination 2 + 3)", values: [null, null], ends: [null, null] },
  ]);
  const policies = chartData(of, lines, stp, 1);
  assert.equal(policies.across.numbers, null);
  assert.deepEqual(
    policies.series.map((s) => s.name),
    ["1, 2", "2, 4"],
  );
  // Numbers that do not rise are names.
  assert.equal(chartData(plan([["n"]], [point({ n: 2 }), point({ n: 1 })]), lines, stp, 0).across.numbers, null);
});

test("figures are those that the points can have: of each kernel by its name, of goals where there are any, with their intervals", () => {
  const mixed = (...kernels: unknown[][]): ReturnType<typeof metricsOf> =>
    metricsOf(
      { points: kernels.map((k) => ({ ...point({}), experiment: { corun: 1, kernels: k } })) as PlanPoint[] },
      REGISTRY,
    );
  const keys = (of: ReturnType<typeof metricsOf>): string[] => of.map(({ key }) => key);
  assert.deepEqual(
    keys(mixed(["BP"])),
    ["stp", "antt", "ipc", "l2_gb_s", "joules", "slowdown_0", "latency_0"],
    "every figure of the registry, once",
  );
  const all = mixed(["BP", { kernel: "CFD", qos: 0.8 }], ["BP", { kernel: "SAD", qos: 0.8 }]);
  assert.deepEqual(
    all.flatMap(({ key, title }) => (/_[01]$/.test(key) ? [title] : [])),
    [
      "Slowdown of BP",
      "Slowdown of kernel 2",
      "Memory latency of BP",
      "Memory latency of kernel 2",
      "Goal reached of kernel 2",
    ],
  );
  const made = line(0, {});
  made.result.kernels = [
    { name: "BP", slowdown: 2, latency: { mean: 500 } as never },
    { name: "CFD", goal_reached: 0.9 },
  ];
  made.result["goals"] = { least: 0.9, mean: 0.9, others: 0.5 } as never;
  made.result["energy"] = { joules: 0.05 } as never;
  made.result.ci95 = {
    kernels: [{ slowdown: [1.5, 2.5], latency: { mean: [450, 550] } }],
    gpu: {},
    metrics: {},
  } as never;
  const read = (key: string): unknown[] => {
    const one = all.find((of) => of.key === key) as Metric;
    return [figureOf(made, one), endsOf(made, one)];
  };
  assert.deepEqual(["slowdown_0", "latency_0", "goal_1", "goals_reached", "goals_least", "joules", "stp"].map(read), [
    [2, [1.5, 2.5]],
    [500, [450, 550]],
    [0.9, null],
    [0, null],
    [0.9, null],
    [0.05, null],
    [null, null],
  ]);
});

test("the table for a spreadsheet has as many cells as headings", () => {
  const of = plan([["seed"]], [point({ seed: 1 }), point({ seed: 2 })]);
  const table = everything(
    of,
    new Map([
      [1, line(1, { stp: 2 }, 3)],
      [0, line(0, {}, 1)],
    ]),
    REGISTRY,
  );
  assert.deepEqual(
    table.rows.map((row) => row[0]),
    [0, 1],
  );
  for (const row of table.rows) assert.equal(row.length, table.columns.length);
  assert.equal(
    table.rows[0]?.[table.columns.findIndex((c) => c.key === "metrics.stp")],
    null,
    "what is missing is not 0",
  );
  assert.equal(table.rows[1]?.[table.columns.findIndex((c) => c.key === "kernels[2].ipc")], 3);
});

test("lines are filed in the order of the points", () => {
  assert.equal(
    fileText(
      new Map([
        [2, "c"],
        [0, "a"],
        [10, "d"],
        [1, "b"],
      ]),
    ),
    "a\nb\nc\nd\n",
  );
  assert.equal(fileText(new Map()), "");
});

test("values and times in a few words", () => {
  assert.deepEqual(
    [["BP", "CFD"], { kernel: "BP", ctas_per_sm: 2 }, { name: "even" }, 3, null, true, {}].map(valueText),
    ["BP + CFD", "BP (ctas_per_sm 2)", "even", "3", "null", "true", "{}"],
  );
  assert.deepEqual([10, 12_000, 200_000, 7_500_000].map(timeText), ["1 s", "12 s", "3 min", "2 h 5 min"]);
});

const EXAMPLES = { one: '{ "corun": 1,\n "sweep": {} }\n' };

test("a link is the sweep and what is shown of it", async () => {
  assert.equal(await encodeSweep({ text: '{"corun":1,"sweep":{}}', y: "", x: 0 }, EXAMPLES), "#v=1&example=one");
  assert.deepEqual(await decodeSweep("#v=1&example=one&y=ipc&x=2", EXAMPLES), { text: EXAMPLES.one, y: "ipc", x: 2 });
  const text = '{"corun":1,"sweep":{"name":"é","base":{},"axes":[{"path":"seed","values":[1,2,3]}]}}';
  const hash = (await encodeSweep({ text, y: "antt", x: 1 }, EXAMPLES)) as string;
  const back = await decodeSweep(hash, EXAMPLES);
  assert.deepEqual([JSON.parse(back?.text ?? ""), back?.y, back?.x], [JSON.parse(text), "antt", 1]);
  assert.equal(await decodeSweep("", EXAMPLES), null);
  let long = 12345;
  const noise = Array.from({ length: 9000 }, () => (long = (Math.imul(long, 1103515245) + 12345) >>> 0));
  assert.equal(await encodeSweep({ text: JSON.stringify(noise), y: "", x: 0 }, EXAMPLES), null);
});

test("a damaged link says what is wrong", async () => {
  for (const hash of [
    "#v=1",
    "#v=2&example=one",
    "#v=1&example=two",
    "#v=1&example=constructor",
    "#v=1&z=!!",
    "#v=1&example=one&x=-1",
    "#v=1&example=one&y=a b",
    "#v=1&v=1",
    "#x",
    `#v=1&z=${"A".repeat(40_000)}`,
  ]) {
    await assert.rejects(decodeSweep(hash, EXAMPLES), LinkError, hash);
  }
});

test("JSON is written for people, and is the same JSON", () => {
  for (const text of [
    '{"a":[1,2,{"b":null}],"c":{"d":"x".padEnd}}'.replace('"x".padEnd', JSON.stringify("x".repeat(80))),
    "[]",
    "3",
    '{"a":{}}',
  ]) {
    assert.deepEqual(JSON.parse(pretty(text)), JSON.parse(text));
  }
  assert.equal(pretty('{"a":1}'), '{ "a": 1 }\n');
  assert.equal(pretty("{ not json"), "{ not json");
});

test("what is nested deeper than the engine reads stays as it is written", () => {
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  assert.equal(pretty(deep), deep);
});

test("what is damaged in the store is deleted, and the point runs anew", async () => {
  const good = JSON.stringify(line(1, { stp: 1 }));
  const { held } = fakeStore([
    [["0.1.0", "", 1], sealed(good)],
    [["0.1.0", "", 2], good],
    [["0.1.0", "", 3], 7],
    // Of the right form, but not what was stored.
    [["0.1.0", "", 99], sealed(good).replace("stp", "sto")],
  ]);
  const kept = await new StoredLines("0.1.0").recall("");
  assert.deepEqual(kept, [{ index: 1, text: good, line: line(1, { stp: 1 }) }]);
  await new Promise((later) => setTimeout(later));
  assert.deepEqual([...held.keys()], [JSON.stringify(["0.1.0", "", 1])]);
});

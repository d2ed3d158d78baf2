// The data behind the lanes: sums stay exact whatever is forgotten, ratios are of sums, no data is never 0.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WindowsLayout } from "../src/model/types.ts";
import { evaluate, laneSpecs, largest, stack } from "../src/run/series.ts";
import { resolutionFor, WindowStore } from "../src/model/window-store.ts";
import { toCsv, toJson } from "../src/model/tabular.ts";

const column = (key: string, kernel: number | null = null, unit = "") => ({ key, unit, title: key, doc: key, kernel });
const LAYOUT: WindowsLayout = {
  window: 400,
  core_mhz: 1400,
  columns: [
    column("start"),
    column("end"),
    ...[0, 1].flatMap((k) =>
      [
        "thread_instructions",
        "warp_instructions",
        "noc_bytes",
        "noc_request_bytes",
        "dram_bytes",
        "latency_sum",
        "latency_count",
        "cta_cycles",
      ].map((key) => column(key, k)),
    ),
    column("stall.idle"),
    column("stall.raw_long"),
    column("stall.idle", 1),
    column("stall.raw_long", 1),
  ],
  peaks: { noc_bytes_per_cycle: 512, dram_bytes_per_cycle: 128, noc_sustainable_bytes_per_cycle: 307.2, ipc: 1024 },
};
const WIDTH = LAYOUT.columns.length;

function row(i: number, f: (column: number) => number = (c) => i * 31 + c): number[] {
  return LAYOUT.columns.map((_, c) => (c === 0 ? i * 400 : c === 1 ? (i + 1) * 400 : f(c)));
}
function rows(from: number, to: number): number[] {
  const out: number[] = [];
  for (let i = from; i < to; i++) out.push(...row(i));
  return out;
}
const total = (from: number, to: number, c: number): number => {
  let sum = 0;
  for (let i = from; i < to; i++) sum += i * 31 + c;
  return sum;
};

test("an ideal NoC and an ideal DRAM have no line of their peak", () => {
  const peaks = (layout: WindowsLayout) =>
    laneSpecs(layout, ["A", "B"])
      .filter(({ series }) =>
        series.some(({ over }) => over.some((c) => /^(noc|dram)_bytes$/.test(layout.columns[c]?.key ?? ""))),
      )
      .map(({ top }) => top?.value ?? null);
  assert.deepEqual(peaks(LAYOUT), [512 * 1.4, 128 * 1.4]);
  assert.deepEqual(
    peaks({ ...LAYOUT, peaks: { ...LAYOUT.peaks, noc_bytes_per_cycle: null, dram_bytes_per_cycle: null } }),
    [null, null],
  );
});

test("sums between edges equal the sums of their windows", () => {
  const store = new WindowStore(LAYOUT);
  store.append(rows(0, 100));
  assert.equal(store.count, 101);
  assert.equal(store.lastCycle, 40_000);
  assert.equal(store.sum(5, 0, 100), total(0, 100, 5));
  assert.equal(store.sum(5, 37, 38), 37 * 31 + 5);
  assert.equal(store.covered(10, 20), 4000);
});

test("context switches are a part of DRAM's bytes of their own, and no kernel's", () => {
  const columns = ["dram_bytes", "dram_context_bytes"].flatMap((key) => [0, 1].map((k) => column(key, k))),
    layout = { ...LAYOUT, columns: [column("start"), column("end"), ...columns] };
  const store = new WindowStore(layout),
    spec = laneSpecs(layout, ["A", "B"]).find(({ key }) => key === "dram");
  // B's contexts of the second window are on DRAM's buses in the third.
  store.append([0, 400, 4000, 8000, 0, 6000, 400, 800, 4000, 0, 0, 2000, 800, 1200, 0, 2000, 0, 0]);
  const values = spec ? evaluate(spec, store, Int32Array.of(0, 1, 2, 3)).map((v) => [...v]) : [];
  assert.deepEqual(
    spec?.series.map(({ name }, i) => [name, ...(values[i] ?? [])]),
    [
      ["A", 14, 14, 0],
      ["B", 7, 0, 7],
      ["context switches", 21, 7, 0],
    ],
  );
});

test("a full store forgets edges and never counts; the newest windows stay fine", () => {
  const store = new WindowStore(LAYOUT, 1000);
  for (let i = 0; i < 250_000; i += 500) {
    store.append(rows(i, i + 500));
    assert.ok(store.count <= 1000, `${store.count} edges`);
  }
  assert.equal(store.firstCycle, 0);
  assert.equal(store.lastCycle, 100_000_000);
  for (const c of [2, 9, WIDTH - 1]) assert.equal(store.sum(c, 0, store.count - 1), total(0, 250_000, c));
  assert.equal(store.covered(0, store.count - 1), 100_000_000);
  assert.equal(store.cycle(store.count - 1) - store.cycle(store.count - 2), 400);
  // Every stretch still holds exactly what its windows held, and no stretch of the past swallows the run.
  let longest = 0;
  for (let e = 1; e < store.count; e++) {
    const from = store.cycle(e - 1) / 400,
      to = store.cycle(e) / 400;
    assert.equal(store.sum(3, e - 1, e), total(from, to, 3));
    longest = Math.max(longest, to - from);
  }
  assert.ok(longest <= 2048, `longest stretch: ${longest} windows of 250,000 with 1,000 edges`);
});

test("windows that came before are skipped, a hole stays a hole", () => {
  const store = new WindowStore(LAYOUT);
  store.append(rows(0, 3));
  store.append(rows(1, 4));
  assert.equal(store.lastCycle, 1600);
  assert.equal(store.sum(4, 0, store.count - 1), total(0, 4, 4));
  store.append(rows(10, 11));
  assert.equal(store.lastCycle, 4400);
  assert.equal(store.covered(0, store.count - 1), 2000);
  const spec = laneSpecs(LAYOUT, ["A", "B"]).find((s) => s.key === "noc")!;
  const edges = store.buckets(0, 4400, 400);
  const values = evaluate(spec, store, edges)[0]!;
  const hole = Array.from(edges).findIndex((e) => store.cycle(e) === 1600);
  assert.ok(Number.isNaN(values[hole]), "the hole has no value");
  assert.ok(Number.isFinite(values[hole + 1]));
});

test("nonsense rows are skipped", () => {
  const store = new WindowStore(LAYOUT);
  store.append([1, 2, 3]);
  store.append(row(0).map(() => NaN));
  store.append(row(2).map((v, c) => (c === 1 ? 0 : v)));
  assert.ok(store.empty);
  assert.equal(store.buckets(0, 1000, 400).length, 0);
});

test("buckets are at whole multiples of the resolution, wherever the range starts", () => {
  const store = new WindowStore(LAYOUT);
  store.append(rows(0, 1000));
  for (const from of [0, 400, 1300, 33_333]) {
    const edges = store.buckets(from, from + 100_000, 1600);
    assert.ok(edges.length > 60 && edges.length < 66, `${edges.length}`);
    for (const e of edges) assert.equal(store.cycle(e) % 1600, 0);
    assert.ok(store.cycle(edges[0]!) <= from);
    assert.ok(store.cycle(edges[edges.length - 1]!) >= from + 100_000);
  }
  const tail = store.buckets(390_000, 500_000, 1600);
  assert.equal(store.cycle(tail[tail.length - 1]!), 400_000);
});

test("a hundred thousand windows become as many buckets as the chart has pixels for", () => {
  const store = new WindowStore(LAYOUT, 120_000);
  for (let i = 0; i < 100_000; i += 1000) store.append(rows(i, i + 1000));
  const edges = store.buckets(0, 40_000_000, resolutionFor(40_000_000, 800, 400));
  assert.ok(edges.length <= 402 && edges.length > 150, `${edges.length} buckets`);
});

test("coarse ratios are ratios of sums, not means of ratios", () => {
  const store = new WindowStore(LAYOUT);
  const at = (key: string, k: number | null): number =>
    LAYOUT.columns.findIndex((c) => c.key === key && c.kernel === k);
  const sum = at("latency_sum", 0),
    count = at("latency_count", 0);
  store.append(row(0, (c) => (c === sum ? 100 : c === count ? 1 : 0)));
  store.append(row(1, (c) => (c === sum ? 9000 : c === count ? 30 : 0)));
  store.append(row(2, () => 0));
  const spec = laneSpecs(LAYOUT, ["A", "B"]).find((s) => s.key === "latency")!;
  const fine = evaluate(spec, store, store.buckets(0, 1200, 400))[0]!;
  assert.deepEqual([fine[0], fine[1]], [100, 300]);
  assert.ok(Number.isNaN(fine[2]), "no replies: no latency");
  const coarse = evaluate(spec, store, Int32Array.of(0, 2))[0]!;
  assert.equal(coarse[0], 9100 / 31);
});

test("issue slots add up to 100 %", () => {
  const store = new WindowStore(LAYOUT);
  store.append(rows(3, 9));
  const spec = laneSpecs(LAYOUT, ["A", "B"]).find((s) => s.key === "stalls")!;
  assert.deepEqual(
    spec.series.map((s) => s.name),
    ["A issued", "B issued", "stall.idle", "stall.raw_long"],
  );
  const top = stack(evaluate(spec, store, store.buckets(0, 4000, 800))).at(-1)!;
  for (const v of top) assert.ok(Math.abs(v - 100) < 1e-9, `${v}`);
  // A kernel's own: its causes, of all slots.
  const own = laneSpecs(LAYOUT, ["A", "B"]).filter(({ key }) => key.startsWith("stalls."));
  assert.deepEqual(
    own.map((s) => [s.key, ...s.series.map((of) => of.name)]),
    [["stalls.1", "B issued", "stall.idle", "stall.raw_long"]],
  );
  const idle = LAYOUT.columns.findIndex((c) => c.key === "stall.idle" && c.kernel === 1),
    all = spec.series.flatMap((s) => s.over);
  const edges = store.buckets(0, 4000, 4000),
    first = edges[0]!,
    last = edges[1]!;
  assert.equal(
    evaluate(own[0]!, store, edges)[1]![0],
    (100 * store.sum(idle, first, last)) / all.reduce((sum, c) => sum + store.sum(c, first, last), 0),
  );
});

test("stacking keeps gaps and treats one kernel's missing value as nothing on top", () => {
  const tops = stack([Float64Array.of(1, NaN, NaN), Float64Array.of(2, 5, NaN)]);
  assert.deepEqual(Array.from(tops[0]!).map(String), ["1", "0", "NaN"]);
  assert.deepEqual(Array.from(tops[1]!).map(String), ["3", "5", "NaN"]);
  assert.equal(largest(tops), 5);
  assert.deepEqual(stack([]), []);
});

test("a layout without a lane's columns has no such lane", () => {
  const specs = laneSpecs({ ...LAYOUT, columns: LAYOUT.columns.filter((c) => c.key !== "noc_bytes") }, ["A", "B"]);
  assert.ok(!specs.some((s) => s.key === "noc"));
  assert.ok(specs.some((s) => s.key === "dram"));
});

test("the resolution doubles from one window until buckets have two pixels", () => {
  assert.equal(resolutionFor(40_000, 800, 400), 400);
  assert.equal(resolutionFor(400 * 400, 800, 400), 400);
  assert.equal(resolutionFor(400 * 401, 800, 400), 800);
  assert.equal(resolutionFor(100_000_000, 800, 400), 409_600);
});

test("CSV and JSON carry the stamp, quote what needs it, and leave no data empty", () => {
  const stamp = { engine: "0.1.0", config: "1a2b", seed: 7, cycle: 12400, link: "https://x/#v=1" };
  const table = {
    title: "NoC, by\nkernel",
    columns: [
      { key: "start", title: "Start", unit: "cycles" },
      { key: "a", title: "A", unit: "" },
    ],
    rows: [
      [0, 1.5],
      [400, null],
      [800, NaN],
      ['x,"y"', -0.25],
    ] as (string | number | null)[][],
  };
  const lines = toCsv(table, stamp).split("\r\n");
  assert.equal(lines[0], "# NoC, by kernel");
  assert.equal(lines[1], "# corun 0.1.0; config 1a2b; seed 7; cycle 12400");
  assert.equal(lines[3], "start (cycles),a");
  assert.deepEqual(lines.slice(4, 8), ["0,1.5", "400,", "800,", '"x,""y""",-0.25']);
  const json = JSON.parse(toJson(table, stamp)) as { stamp: object; rows: Record<string, unknown>[] };
  assert.deepEqual(json.stamp, stamp);
  assert.deepEqual(json.rows[2], { start: 800, a: null });
});

test("bandwidths are in GB/s, at the core clock", () => {
  const store = new WindowStore(LAYOUT),
    bytes = LAYOUT.columns.findIndex(({ key, kernel }) => key === "noc_bytes" && kernel === 0);
  store.append(row(0, (c) => (c === bytes ? 4000 : 0)));
  const noc = laneSpecs({ ...LAYOUT, core_mhz: 1500 }, ["A", "B"]).find(({ key }) => key === "noc")!;
  assert.deepEqual([noc.unit, evaluate(noc, store, Int32Array.of(0, 1))[0]![0], noc.top?.value], ["GB/s", 15, 768]);
});

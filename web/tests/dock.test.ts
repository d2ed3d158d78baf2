// The time axis at the bottom of the page: its end, its zoom, its numbers, what it draws, and what its controls make of what is typed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIGHT } from "../src/picture/theme.ts";
import {
  axisEnd,
  deciding,
  dockRun,
  dockTable,
  figures,
  lanesOf,
  offered,
  phases,
  shortText,
  type DockRun,
} from "../src/run/dock-data.ts";
import { dockHeight, drawDock } from "../src/run/dock-drawing.ts";
import { EventLog } from "../src/model/event-log.ts";
import { cycleFrom, DockState, SPEEDS, wayText } from "../src/run/dock-state.ts";
import type { Decision, ShownRun, WindowsLayout } from "../src/model/types.ts";
import { tableResolution, zoomed } from "../src/run/time-axis.ts";
import { WindowStore } from "../src/model/window-store.ts";

const column = (key: string, kernel: number | null) => ({ key, kernel, title: key, unit: "", doc: key });
const KEYS = ["thread_instructions", "noc_bytes", "dram_bytes"];
/** Windows of so many kernels, as the engine lays them out, as far as the axis reads them. */
const layoutOf = (kernels: number): WindowsLayout => ({
  window: 400,
  core_mhz: 1000,
  columns: [
    column("start", null),
    column("end", null),
    ...Array.from({ length: kernels }, (_, k) => KEYS.map((key) => column(key, k))).flat(),
  ],
  peaks: { noc_bytes_per_cycle: 400, dram_bytes_per_cycle: 200, noc_sustainable_bytes_per_cycle: 240, ipc: 1000 },
});
/** A run in which kernel k makes k + 1 instructions a cycle, and moves ten times as many bytes. */
function ran(
  windows: number,
  names = ["BP", "CFD"],
  mark = "",
  length: number | null = 1_000_000,
  epoch: number | null = null,
): DockRun {
  const layout = layoutOf(names.length),
    store = new WindowStore(layout);
  for (let w = 0; w < windows; w += 1)
    store.append([w * 400, (w + 1) * 400, ...names.flatMap((_, k) => [400 * (k + 1), 4000 * (k + 1), 2000 * (k + 1)])]);
  return dockRun(
    { mark, title: "", layout: { kernels: names }, windows: layout } as unknown as ShownRun,
    store,
    length,
    epoch,
  );
}
const decided = (cycle: number, kernel: number | null, topic: string, text: string, values = {}): Decision => ({
  cycle,
  kernel,
  topic,
  text,
  values,
});
const drawn = (runs: readonly DockRun[], width = 1400, to = 1_000_000, large: string | null = null, from = 0) =>
  drawDock({
    runs,
    lanes: lanesOf(runs, null, large, width < 600),
    large,
    range: { from, to },
    width,
    narrow: width < 600,
    tops: new Map(),
    theme: LIGHT,
  });
const texts = (all: ReturnType<typeof drawn>): string[] =>
  all.drawing.shapes.flatMap((shape) => (shape.kind === "text" ? [shape.text] : []));

test("the axis ends where the run does; of a long run it shows a part, and of one without a known end as much as is needed", () => {
  assert.equal(axisEnd([500_000], 20_000), 500_000);
  assert.equal(axisEnd([500_000, 1_000_000], 0), 1_000_000);
  assert.equal(axisEnd([20_000_000], 300_000), 1_250_000);
  assert.equal(axisEnd([20_000_000], 1_300_000), 2_500_000);
  assert.equal(axisEnd([20_000_000], 19_000_000), 20_000_000);
  assert.deepEqual(
    [0, 50_001, 420_000].map((known) => axisEnd([null], known)),
    [50_000, 100_000, 800_000],
  );
  assert.equal(axisEnd([1000], 1001), 50_000, "a length that is no more");
});

test("zooming keeps the cycle under the pointer, stays inside, and ends at the whole run", () => {
  const all = { from: 0, to: 1000 };
  assert.deepEqual(zoomed(all, all, 10, 0.5, 250), { from: 125, to: 625 });
  assert.deepEqual(zoomed({ from: 125, to: 625 }, all, 10, 1, 0, 0.25), { from: 250, to: 750 });
  assert.deepEqual(zoomed({ from: 600, to: 900 }, all, 10, 1, 0, 0.5), { from: 700, to: 1000 });
  assert.equal(zoomed({ from: 125, to: 625 }, all, 10, 2, 250), null);
  assert.deepEqual(zoomed({ from: 100, to: 112 }, all, 10, 0.1, 106), { from: 101, to: 111 });
  const later = { from: 5000, to: 6000 };
  assert.deepEqual(zoomed(later, later, 10, 0.5, 5000), { from: 5000, to: 5500 }, "what is known begins later");
  assert.deepEqual(
    [40_000, 40_001, 200_000].map((span) => tableResolution(span, 400)),
    [400, 800, 3200],
    "at most a hundred rows",
  );
});

test("numbers are means over whole windows, bandwidth in GB/s with its peak, and none where nothing ran", () => {
  const run = ran(100),
    all = (of: DockRun, from: number, to: number) =>
      lanesOf([of], null, null, false).flatMap((lane) => figures([of], lane, from, to)),
    of = (from: number, to: number) => all(run, from, to).map(({ label, values }) => [label, values[0]]);
  assert.deepEqual(of(0, 40_000), [
    ["IPC BP", 1],
    ["IPC CFD", 2],
    ["NoC BP", 10],
    ["NoC CFD", 20],
    ["NoC in all", 30],
    ["DRAM BP", 5],
    ["DRAM CFD", 10],
    ["DRAM in all", 15],
  ]);
  assert.deepEqual(of(900, 901), of(0, 40_000), "inside one window");
  assert.equal(all(run, 0, 400).find(({ label }) => label === "NoC in all")?.peak, 400);
  assert.ok(all(run, 50_000, 60_000).every(({ values }) => Number.isNaN(values[0])));
  assert.ok(all(ran(0), 0, 400).every(({ values }) => Number.isNaN(values[0])));
  const two = [ran(100, ["BP", "CFD"], "A"), ran(50, ["BP", "CFD"], "B")],
    table = dockTable(two, lanesOf(two, null, null, false), { from: 0, to: 40_000 }, 400);
  assert.equal(table.rows.length, 100);
  assert.deepEqual(
    table.columns.slice(0, 4).map(({ title }) => title),
    ["From", "To", "A: IPC BP", "B: IPC BP"],
  );
  assert.deepEqual(
    [table.rows[49]?.slice(0, 4), table.rows[50]?.slice(0, 4)],
    [
      [19_600, 20_000, 1, 1],
      [20_000, 20_400, 1, null],
    ],
  );
});

test("what is decided together stands in few words, by its numbers where it has some", () => {
  const share = [
    decided(170_000, 0, "demand_per_cta", "uses much"),
    decided(170_000, 0, "ctas", "gets 6 CTAs on each SM", { ctas: 6 }),
    decided(170_000, 1, "ctas", "gets 5 CTAs on each SM", { ctas: 5 }),
  ];
  assert.equal(shortText(share), "6 + 5 CTAs");
  assert.equal(shortText([decided(1, null, "priority", "settled: priority 1.00")]), "settled: priority 1.00");
  assert.equal(
    shortText([decided(1, 0, "kernel_type", "is so"), decided(1, 1, "kernel_type", "is so")]),
    "kernel type",
  );
  const run = ran(0);
  run.decisions = [
    decided(0, 0, "ctas", "may hold 4", { ctas: 4 }),
    ...share,
    decided(433_000, null, "p", "one"),
    decided(435_000, null, "p", "two"),
  ];
  const of = (from: number, to: number) => phases(run, { from, to }, 1000).map(({ cycle, short }) => [cycle, short]);
  assert.deepEqual(of(0, 1_000_000), [
    [0, "4 CTAs"],
    [170_000, "6 + 5 CTAs"],
    [433_000, "one; two"],
  ]);
  assert.deepEqual(of(434_000, 440_000), [
    [433_000, "one"],
    [435_000, "two"],
  ]);
  const calm = ran(0);
  calm.decisions = run.decisions.slice(0, 1);
  assert.equal(deciding([run, calm]), run);
  assert.equal(deciding([calm, calm]), calm);
});

test("a lane for the IPC of each kernel, one for each bandwidth under its peak; on a phone bandwidth alone", () => {
  const run = ran(500);
  const all = texts(drawn([run]));
  for (const wanted of ["BP IPC", "CFD IPC", "NoC", "DRAM", "400 GB/s", "200 GB/s", "1M cycles"])
    assert.ok(all.includes(wanted), wanted);
  const phone = texts(drawn([run], 374));
  assert.ok(phone.includes("NoC") && !phone.includes("BP IPC"));
  const high = (of: DockRun, narrow = false) => dockHeight({ lanes: lanesOf([of], null, null, narrow), large: null });
  assert.ok(high(run) <= 140 && high(run, true) <= 90);
  assert.ok(high(ran(1, ["a", "b", "c", "d", "e", "f", "g", "h"])) <= 190);
});

test("a lane that has grown has a scale of its own, and its numbers stand beside the picture; the others stay small", () => {
  const run = ran(500, ["BP", "CFD"], "", 1_000_000);
  run.goals = [null, 1.5];
  const small = drawn([run]),
    large = drawn([run], 1400, 1_000_000, "ipc.1"),
    high = ({ lanes }: typeof small) => lanes.map(({ h }) => h);
  assert.deepEqual(high(small), [25, 25, 25, 25]);
  assert.deepEqual(high(large), [25, 150, 25, 25]);
  const lane = large.lanes[1]!;
  const scale = large.drawing.shapes.flatMap((shape) =>
    shape.kind === "text" && shape.y > lane.y && shape.y < lane.y + lane.h && shape.x < large.x ? [shape.text] : [],
  );
  assert.deepEqual(scale, ["CFD IPC", "0", "0.5", "1", "1.5", "2"]);
  const goal = large.drawing.shapes.find((shape) => shape.kind === "text" && shape.text === "goal 1.50");
  assert.ok(goal?.kind === "text" && goal.x >= large.x + large.w, "beside the picture");
  // A lane that nobody has chosen is there once it is large, for as long.
  assert.equal(drawn([run], 374, 1_000_000, "ipc.1").lanes.length, 3);
});

test("lanes are what the user has chosen, in their own order", () => {
  const runs = [ran(10, ["BP", "CFD"], "A"), ran(10, ["BP", "HG"], "B")];
  assert.deepEqual(
    offered(runs, null).map(({ key, on }) => [key, on]),
    [
      ["ipc", true],
      ["noc", true],
      ["dram", true],
    ],
  );
  const keys = (chosen: string[] | null, large: string | null = null, narrow = false): string[] =>
    lanesOf(runs, chosen, large, narrow).map(({ key }) => key);
  assert.deepEqual(keys(["dram", "ipc", "nothing"]), ["ipc.0", "ipc.1", "dram"]);
  assert.deepEqual(keys(null, null, true), ["noc", "dram"]);
  assert.deepEqual(keys(["dram"], "noc"), ["noc", "dram"]);
  assert.deepEqual(
    lanesOf(runs, ["ipc"], null, false).map(({ label }) => label),
    ["BP IPC", "kernel 2 IPC"],
  );
});

test("nothing is drawn of what has not run: no line, no area, no band reaches beyond it", () => {
  const run = ran(500);
  run.decisions = [decided(0, null, "p", "begins")];
  const { drawing, x, w } = drawn([run]),
    reached = x + w * 0.2 + 1;
  for (const shape of drawing.shapes) {
    if (shape.kind === "path") assert.ok(Math.max(...shape.points.filter((_, i) => i % 2 === 0)) <= reached);
    if (shape.kind === "rect") assert.ok(shape.x + shape.w <= reached);
  }
  const none = drawn([ran(0)]);
  assert.ok(
    none.drawing.shapes.every(
      (shape) => shape.kind !== "path" || shape.points.every((v, i) => i % 2 === 1 || v < none.x),
    ),
  );
});

test("of two runs A is a line and B an area, in every lane", () => {
  const two = [ran(500, ["BP"], "A"), ran(250, ["BP"], "B")];
  for (const large of [null, "ipc.0", "noc"]) {
    const all = drawn(two, 1400, 1_000_000, large),
      paths = all.drawing.shapes.flatMap((shape) => (shape.kind === "path" ? [shape] : []));
    const within = (y: number, h: number, points: readonly number[]) =>
      points.every((v, i) => i % 2 === 0 || (v >= y - 1 && v <= y + h + 1));
    for (const { lane, y, h } of all.lanes) {
      const mine = paths.filter(({ points }) => within(y, h, points) && (points[0] ?? 0) >= all.x);
      const reach = (of: (typeof mine)[number]) =>
        Math.round(((Math.max(...of.points.filter((_, i) => i % 2 === 0)) - all.x) / all.w) * 1e6);
      assert.deepEqual(mine.filter(({ fill }) => fill !== undefined).map(reach), [100_000], `${lane.key}: B`);
      assert.deepEqual(mine.filter(({ stroke }) => stroke === LIGHT.ink).map(reach), [200_000], `${lane.key}: A`);
    }
  }
  // One run by itself is an area, too.
  const one = drawn([ran(500, ["BP"])]).drawing.shapes.filter(
    (shape) => shape.kind === "path" && shape.fill !== undefined,
  );
  assert.equal(one.length, 3);
});

test("a drawing has as many points as pixels, however many windows there are, and takes a few milliseconds", (t) => {
  const runs = [ran(50_000, ["BP", "CFD"], "A", 20_000_000), ran(50_000, ["BP", "CFD"], "B", 20_000_000)];
  const long = drawn(runs, 1440, 20_000_000);
  for (const shape of long.drawing.shapes) if (shape.kind === "path") assert.ok(shape.points.length <= 1440 * 4);
  const half = [ran(1250, ["BP", "CFD"], "A"), ran(1250, ["BP", "CFD"], "B")];
  for (let i = 0; i < 20; i += 1) drawn(half, 1440, 500_000);
  const begin = performance.now();
  for (let i = 0; i < 50; i += 1) drawn(half, 1440, 500_000);
  t.diagnostic(`${((performance.now() - begin) / 50).toFixed(2)} ms for two runs of 500,000 cycles`);
});

test("decisions say what they are where they stand", () => {
  const run = ran(500);
  run.decisions = [decided(100_000, 1, "ctas", "gets 5 CTAs", { ctas: 5 })];
  const { drawing, x, w } = drawn([run], 1400);
  assert.equal(drawing.spotAt(x + w / 10 + 2, 5)?.text(), "Decided at cycle 100,000: CFD gets 5 CTAs");
});

/** Events as the module gives them, of their cycles, kernels, and what has happened. */
const told = (...events: [number, number, number][]): Float64Array =>
  Float64Array.from(events.flatMap(([cycle, kernel, what]) => [cycle, kernel, what, 0, 0, -1]));
const said = ({ drawing }: ReturnType<typeof drawn>, what: string): string[] =>
  drawing.spots.filter(({ id }) => id.startsWith(what)).map(({ text }) => text());

test("launches, context switches and epochs stand in the lanes, several as one where they are small", () => {
  const past = new EventLog([[1], [9]]);
  past.add(
    told([0, 0, 1], [0, 1, 1], ...Array.from({ length: 16 }, (): [number, number, number] => [20_150, 1, 2])),
    30_000,
  );
  past.add(told([40_000, 0, 0], [40_001, 0, 1], [60_100, 1, 3], [60_101, 1, 3]), 95_000);
  const epochs = (epoch: number | null, to = 100_000, from = 0): ReturnType<typeof drawn> => {
    const run = ran(238, ["SAD", "SGEMM"], "", 100_000, epoch);
    run.past = past.view();
    return drawn([run], 1400, to, null, from);
  };
  const shown = epochs(10_000);
  assert.deepEqual(said(shown, "epoch:").slice(-1), ["Epoch 10 begins at cycle 90,000, one every 10,000 cycles"]);
  assert.equal(said(shown, "epoch:").length, 10);
  assert.deepEqual(said(shown, "switch:"), [
    "From cycle 20,000: context switches take 16 CTAs of SGEMM off SMs",
    "From cycle 60,000: context switches take 2 CTAs of SGEMM back to SMs",
  ]);
  assert.deepEqual(said(shown, "launch:"), ["Cycle 40,001: launch 1 of SAD, run 2 begins"]);
  assert.equal(
    said(epochs(1000, 2_000_000), "epoch:")[1],
    "Epochs 8 to 14 begin at cycle 7,000, one every 1,000 cycles",
  );
  assert.deepEqual(said(epochs(10_000, 100_000, 50_000), "switch:").length, 1, "of the cycles that are shown");
  const without = epochs(null);
  assert.deepEqual([said(without, "epoch:"), without.drawing.height < shown.drawing.height], [[], true]);
});

test("quotas on top stand below the epochs", () => {
  const past = new EventLog([[9], [9]]),
    window = (start: number, sad: number, sgemm: number): number[] => [start, start + 400, 7, sad, 7, sgemm];
  past.add(told([0, 0, 1], [0, 1, 1]), 95_000);
  past.addWindows(Float64Array.from([...window(400, 0, 3), ...window(40_000, 1, 2)]), 6, [3, 5]);
  const onTop = (epoch: number | null, mark = ""): string[] => {
    const run = ran(238, ["SAD", "SGEMM"], mark, 100_000, epoch);
    run.past = past.view();
    return said(drawn([run], 1400, 100_000), "on-top:");
  };
  assert.deepEqual(onTop(10_000, "B"), [
    "B: From cycle 400: SGEMM gets its quota on top 3 times, all SMs together",
    "B: From cycle 40,000: SAD gets its quota on top once, SGEMM gets its quota on top 2 times, all SMs together",
  ]);
  assert.deepEqual(onTop(null), []);
});

test("a cycle is read as people write it", () => {
  assert.deepEqual(
    ["250000", "250,000", " 250 000 ", "250k", "1.5M", "0"].map(cycleFrom),
    [250_000, 250_000, 250_000, 250_000, 1_500_000, 0],
  );
  assert.deepEqual(["", "soon", "-5", "1.5", "1e9", "250kk"].map(cycleFrom), [null, null, null, null, null, null]);
  assert.equal(wayText(30, 100, 10), "30 % of the way, about 7 s left");
});

/** Controls that note what they ask for. */
function controls(): { state: DockState; asked: unknown[]; transport: { speed: number } } {
  const asked: unknown[] = [],
    transport = { speed: Infinity };
  const session = { send: (...event: unknown[]) => void asked.push(event), engine: { transport } };
  return { state: new DockState(session as unknown as DockState["session"]), asked, transport };
}

test("the controls say how the run stands, and take a speed and a cycle", () => {
  const { state, asked, transport } = controls();
  state.show("seeking", 30_000, 20_000, 100_000);
  assert.deepEqual(
    [state.running, state.cycleText.value, state.wayText.value, state.said.value],
    [true, "30,000", "30 % of the way, about 4 s left", "Going there"],
  );
  state.show("paused", 7000, 0, 100_000);
  assert.deepEqual(
    [state.running, state.over, state.wayText.value, state.said.value],
    [false, false, "", "Paused at cycle 7,000"],
  );

  assert.deepEqual(SPEEDS, [Infinity, 20_000, 500, 5]);
  state.setSpeed(500);
  assert.deepEqual([transport.speed, state.speed.value], [500, 500]);

  assert.equal(state.goTo("soon"), false);
  assert.match(state.wrong.value, /^“soon” is no cycle/);
  assert.equal(state.goTo("12k"), true);
  assert.deepEqual([asked.splice(0), state.wrong.value], [[["go", 12_000]], ""]);
});

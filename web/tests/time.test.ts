// Going back and forth in time: which moments of a run are kept, and what its timeline knows of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { happened, onTopOf, onTopText } from "../src/model/happened.ts";
import { Keyframes, type Moment } from "../src/engine/keyframes.ts";
import { launchSizes, EventLog } from "../src/model/event-log.ts";
import type { Decision, WindowsLayout } from "../src/model/types.ts";
import { WindowStore } from "../src/model/window-store.ts";

/** Events as the module gives them, of their cycles, kernels, and what has happened. */
const told = (...threes: number[]): Float64Array =>
  Float64Array.from(threes.flatMap((number, i) => (i % 3 === 2 ? [number, 0, 0, -1] : [number])));

/** Moments that say when they are freed; there is room for so many. */
function kept(room: { most: number }): {
  frames: Keyframes<Moment & { cycle: number }>;
  alive: Set<number>;
  add: (cycle: number) => void;
} {
  const alive = new Set<number>();
  const frames = new Keyframes<Moment & { cycle: number }>(() => alive.size > room.most);
  const add = (cycle: number): void => {
    alive.add(cycle);
    frames.add(cycle, {
      cycle,
      free: () => {
        assert.ok(alive.delete(cycle), `${cycle} is freed once`);
      },
    });
  };
  return { frames, alive, add };
}

test("the last moment at or before a cycle is found, in whatever order they came", () => {
  const { frames, add } = kept({ most: 1000 });
  for (const cycle of [0, 500, 200, 900]) add(cycle);
  assert.deepEqual(
    [0, 199, 200, 499, 899, 5000].map((cycle) => frames.before(cycle)?.cycle),
    [0, 0, 200, 200, 500, 900],
  );
});

test("moments stay within their memory, spread over the whole run, and close together before the present cycle", () => {
  const { frames, alive, add } = kept({ most: 60 });
  for (let cycle = 0; cycle <= 1_000_000; cycle += 1000) {
    add(cycle);
    assert.ok(alive.size <= 60, `${alive.size} at ${cycle}`);
    assert.equal(alive.size, frames.count);
  }
  assert.equal(alive.size, 60);
  assert.ok(alive.has(0) && alive.has(1_000_000));
  const cycles = [...alive].sort((a, b) => a - b),
    gaps = cycles.slice(1).map((cycle, i) => cycle - (cycles[i] as number));
  // As many moments evenly spread were 1,000,000 / 49 apart, twice that after a drop.
  assert.ok(Math.max(...gaps) <= 60_000, String(gaps));
  for (let back = 1; back <= 10; back += 1)
    assert.equal(frames.before(1_000_000 - back * 1000)?.cycle, 1_000_000 - back * 1000);
  frames.clear();
  assert.equal(alive.size, 0);
});

test("a run that gets less room keeps fewer moments from then on, more once it has room again, and never fewer than eight", () => {
  const room = { most: 200 },
    { alive, add } = kept(room);
  for (let cycle = 0; cycle < 150; cycle += 1) add(cycle);
  room.most = 100;
  for (let cycle = 150; cycle < 300; cycle += 1) add(cycle);
  assert.equal(alive.size, 100);
  assert.ok(alive.has(0) && alive.has(299));
  room.most = 1000;
  for (let cycle = 300; cycle < 500; cycle += 1) add(cycle);
  assert.equal(alive.size, 300);
  room.most = 0;
  add(500);
  assert.equal(alive.size, 8);
});

test("the windows that a tab keeps of two runs of any length have their bytes bounded", () => {
  const columns = ["start", "end", ...Array.from({ length: 58 }, (_, i) => `c${i}`)].map((key) => ({
    key,
    kernel: null,
  }));
  const store = new WindowStore({ window: 400, columns } as unknown as WindowsLayout);
  const row = new Float64Array(60).fill(1);
  for (let cycle = 0; cycle < 20_000_000; cycle += 400) {
    row[0] = cycle;
    row[1] = cycle + 400;
    store.append(row);
  }
  const bytes = 2 * store.bytes;
  console.log(`two runs of 20 M cycles: ${(bytes / 1e6).toFixed(0)} MB of windows`);
  assert.ok(bytes < 20e6, String(bytes));
  // Nothing is lost but detail.
  assert.deepEqual([store.firstCycle, store.lastCycle, store.sum(2, 0, store.count - 1)], [0, 20_000_000, 50_000]);
});

test("a moment is due when the engine has run for as long as between two of them", () => {
  const { frames, add } = kept({ most: 1000 });
  assert.equal(frames.wants(0, 100), true);
  add(0);
  assert.equal(frames.wants(9999, 100), false);
  assert.equal(frames.wants(10_000, 100), true);
  assert.equal(frames.wants(10_000, 500), false);
});

test("launches, runs and CTAs are counted once, however often the run goes over them", () => {
  const past = new EventLog([[2, 1], [3]]);
  // Kernel 0: two launches, of 2 CTAs and of 1; one of its CTAs is switched out and back.
  const first = [0, 0, 1, 0, 0, 1, 0, 1, 1, 5, 0, 2, 9, 0, 3, 10, 0, 0, 20, 0, 0, 20, 0, 1],
    second = [30, 0, 0, 30, 0, 1];
  const said = past.add(told(...first), 25);
  assert.deepEqual(
    said.map(({ cycle, kernel, kind, launch, run }) => [cycle, kernel, kind, launch, run]),
    [
      [0, 0, "launch", 0, 0],
      [0, 1, "launch", 0, 0],
      [20, 0, "launch", 1, 0],
    ],
  );
  // It goes back to cycle 10 and comes again.
  assert.deepEqual(past.add(told(...first.slice(15)), 25), []);
  assert.deepEqual(
    past.add(told(...second), 40).map(({ cycle, kind, launch, run }) => [cycle, kind, launch, run]),
    [
      [31, "end", 1, 0],
      [30, "launch", 0, 1],
    ],
  );
  const view = past.view();
  assert.equal(view.until, 40);
  const sums = (of: Float64Array[]): number[] => of.map((counts) => counts.reduce((a, b) => a + b, 0));
  assert.deepEqual(
    [view.finished, view.left, view.back].map(sums),
    [
      [3, 0],
      [1, 0],
      [1, 0],
    ],
    "a switch is counted once, and is no end",
  );
});

test("a long run's counts become coarser and lose nothing", () => {
  const past = new EventLog([[1]]);
  const events = Array.from({ length: 5000 }, (_, i) => [
    i * 1000,
    0,
    1,
    i * 1000 + 300,
    0,
    2,
    i * 1000 + 600,
    0,
    3,
    i * 1000 + 900,
    0,
    0,
  ]).flat();
  past.add(told(...events), 5_000_000);
  const { bucket, finished, left, back, marks } = past.view();
  assert.equal(bucket, 3200);
  for (const [counts] of [finished, left, back])
    assert.equal(
      counts?.reduce((a, b) => a + b, 0),
      5000,
    );
  assert.ok((finished[0]?.length ?? 0) <= 2048);
  assert.equal(marks.at(-1)?.run, 4999);
});

test("what happened in a run stands in a list, the last first, with its kind", () => {
  const past = new EventLog([[9], [9]]);
  const out = Array.from({ length: 16 }, () => [20_150, 1, 2]),
    back = Array.from({ length: 2 }, () => [60_100, 1, 3]);
  past.add(told(0, 0, 1, 0, 1, 1, ...out.flat(), ...back.flat()), 95_000);
  const log = [
    { cycle: 0, kernel: 0, topic: "sm_ctas", text: "may hold 4", values: {} },
    { cycle: 30_000, kernel: null, topic: "priority", text: "settled", values: {} },
  ] as Decision[];
  assert.deepEqual(
    happened(["SAD", "SGEMM"], past.view(), log).map((one) => Object.values(one)),
    [
      [60_000, "context switches of CTAs", null, "context switches take 2 CTAs of SGEMM back to SMs"],
      [30_000, "decisions: priority", null, "settled"],
      [20_000, "context switches of CTAs", null, "context switches take 16 CTAs of SGEMM off SMs"],
      [0, "launches and ends", null, "launch 1 of SGEMM begins"],
      [0, "launches and ends", null, "launch 1 of SAD begins"],
      [0, "decisions: SM CTAs", 0, "may hold 4"],
    ],
  );
  assert.deepEqual(happened(["SAD"], null, log.slice(1)).length, 1);
});

test("quotas on top are known by window, each taken once however often it comes", () => {
  const past = new EventLog([[9], [9]]),
    window = (start: number, sad: number, sgemm: number): number[] => [start, start + 400, 7, sad, 7, sgemm];
  const rows = Float64Array.from([
    ...window(0, 0, 0),
    ...window(400, 0, 3),
    ...window(800, 0, 0),
    ...window(40_000, 1, 2),
  ]);
  past.add(told(0, 0, 1, 0, 1, 1), 95_000);
  past.addWindows(rows.slice(0, 12), 6, [3, 5]);
  past.addWindows(rows, 6, [3, 5]);
  past.addWindows(rows, 6, [3, 5]);
  const seen = onTopOf(past.view());
  assert.deepEqual(seen, [
    { from: 400, times: [0, 3] },
    { from: 40_000, times: [1, 2] },
  ]);
  assert.equal(
    onTopText(["SAD", "SGEMM"], [1, 2]),
    "SAD gets its quota on top once, SGEMM gets its quota on top 2 times, all SMs together",
  );
});

test("the sizes of launches are read once for each, not for each class of SMs", () => {
  const of = (launch: number, ctas: number) => ({ launch, ctas });
  assert.deepEqual(
    launchSizes({ kernels: [{ occupancy: [of(0, 8), of(0, 8), of(1, 4), of(1, 4)] }, { occupancy: [of(0, 2)] }] }),
    [[8, 4], [2]],
  );
  assert.deepEqual(
    launchSizes({ kernels: [{ occupancy: [of(0, 1), of(1, 9)], launch_ctas: [1, 9, 1, 4, 1] }] }),
    [[1, 9, 1, 4, 1]],
    "launches that repeat",
  );
});

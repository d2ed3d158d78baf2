// The axis under the dock and the charts, and who is drawn when.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision, ShownRun, WindowsLayout, Zoom } from "../src/types.ts";
import { decisionText, everything, sharedOf, whereText, type RunData, type Shared } from "../src/views/chart-shared.ts";
import { Turns } from "../src/views/pace.ts";
import { TimeAxis, type TimePlot } from "../src/views/time-axis.ts";
import { WindowStore } from "../src/views/window-store.ts";

/** An axis of a thousand cycles, what it has told its owner, and what it has said. */
function axisOf(around: number | null = null): { axis: TimeAxis; told: (Zoom | null)[]; said: string[] } {
  const told: (Zoom | null)[] = [],
    said: string[] = [];
  const axis = new TimeAxis({
    all: () => ({ from: 0, to: 1000 }),
    least: () => 40,
    around: () => around,
    changed: (zoom) => told.push(zoom),
    say: (text) => said.push(text),
  });
  return { axis, told, said };
}

test("the axis tells what the user shows, once, and takes from others only what is a range", () => {
  const { axis, told, said } = axisOf(250);
  axis.zoomBy(0.5);
  axis.zoomTo({ from: 125, to: 625 });
  axis.zoomToRange({ from: 300, to: 310 });
  axis.zoomTo(null);
  assert.deepEqual(told, [{ from: 125, to: 625 }, { from: 285, to: 325 }, null]);
  assert.deepEqual(said, ["Cycles 125 to 625", "Cycles 285 to 325", "The whole run"]);
  const kept = [
    { from: 200, to: 400 },
    { from: -5, to: 10 },
    { from: 7, to: 7 },
    { from: NaN, to: 9 },
    { from: 0, to: Infinity },
  ].map((zoom) => {
    axis.zoom = zoom;
    return axis.zoom;
  });
  assert.deepEqual(kept, [{ from: 200, to: 400 }, { from: 0, to: 10 }, null, null, null]);
  assert.equal(told.length, 3, "whoever sets it knows it");
});

test("a key zooms around the middle where the cursor is not in view", () => {
  const { axis } = axisOf(900);
  axis.zoom = { from: 0, to: 400 };
  axis.zoomBy(0.5);
  assert.deepEqual(axis.zoom, { from: 100, to: 300 });
});

test("a place is a cycle, and what lies over a stretch ends with the picture", () => {
  const { axis } = axisOf(),
    plot: TimePlot = { x: 50, w: 500 };
  axis.zoom = { from: 100, to: 200 };
  assert.deepEqual(
    [100, 150, 200].map((cycle) => axis.x(plot, cycle)),
    [50, 300, 550],
  );
  assert.deepEqual(
    [0, 50, 300, 900].map((x) => axis.cycle(plot, x)),
    [100, 100, 150, 200],
  );
  const style: Record<string, string> = {};
  axis.cover({ style } as unknown as HTMLElement, plot, { from: 0, to: 120 });
  assert.deepEqual(style, { left: "50px", width: "100px" });
});

test("pictures take turns: who asked first is drawn first, two at a time, and none is left out", async () => {
  const frames: (() => void)[] = [],
    before = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (draw) => frames.push(() => draw(0));
  const frame = async (): Promise<void> => {
    while (frames.length === 0) await new Promise((done) => setTimeout(done, 1));
    frames.shift()?.();
  };
  try {
    const drawn: string[] = [],
      turns = new Turns(1, 1, 2),
      [a, b, c] = ["a", "b", "c"].map((name) => () => void drawn.push(name)) as [() => void, () => void, () => void];
    turns.ask(a, true);
    assert.deepEqual(drawn, ["a"], "in the frame that it comes from");
    for (const ask of [b, c, a, b]) turns.ask(ask);
    assert.deepEqual(drawn, ["a"]);
    await frame();
    assert.deepEqual(drawn, ["a", "b", "c"]);
    turns.ask(b);
    await frame();
    assert.deepEqual(drawn, ["a", "b", "c", "a", "b"], "whoever is drawn too often does not come before the others");
    assert.equal(frames.length, 0);
  } finally {
    globalThis.requestAnimationFrame = before;
  }
});

/** A run of so many windows of 400 cycles, with its decisions. */
function runOf(windows: number, mark = "", decisions: readonly Decision[] = []): RunData {
  const layout = {
    window: 400,
    columns: ["start", "end"].map((key) => ({ key, kernel: null, title: key, unit: "", doc: "" })),
  } as unknown as WindowsLayout;
  const store = new WindowStore(layout);
  for (let w = 0; w < windows; w += 1) store.append([400 * w, 400 * (w + 1)]);
  return { run: { mark, windows: layout } as unknown as ShownRun, kernels: ["BP", "CFD"], store, decisions, goals: [] };
}

test("charts say which cycles they show, and what was decided there", () => {
  const decided = (cycle: number, kernel: number | null, text: string): Decision =>
    ({ cycle, kernel, text, topic: "", values: {} }) as Decision;
  const runs = [runOf(0, "A"), runOf(150, "B", [decided(0, null, "begins"), decided(30_000, 1, "gets 5 CTAs")])],
    all = everything(runs, 400);
  assert.deepEqual(
    [all, everything([runOf(1)], 400)],
    [
      { from: 0, to: 60_000 },
      { from: 0, to: 2000 },
    ],
  );
  const at = (cursor: number | null, range: Zoom = all): [string, string] => {
    const shared = sharedOf(runs, range, 400, Infinity, cursor) as Shared;
    return [whereText(shared), decisionText(shared)];
  };
  assert.deepEqual(at(null), [
    "Cycles 0 to 60,000; numbers are of all these cycles",
    "▼ cycle 30,000: B, CFD: gets 5 CTAs",
  ]);
  assert.deepEqual(at(500), ["At cycles 400 to 800", "▼ cycle 0: B, begins"]);
  assert.deepEqual(at(15_000), ["At cycles 14,800 to 15,200", "2 decisions of the policy in these cycles (▼)"]);
  assert.deepEqual(at(1e9)[0], "At cycles 59,600 to 60,000", "beyond the last bucket is the last bucket");
  assert.deepEqual(at(null, { from: 400, to: 8000 })[1], "No decision of the policy in these cycles");
  assert.equal(
    whereText(sharedOf(runs, all, 100, Infinity, null) as Shared).includes(", drawn in steps of 1,600;"),
    true,
  );
  assert.equal(sharedOf([], all, 400, Infinity, null), null);
});

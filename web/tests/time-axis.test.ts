// The axis under the lanes, and who is drawn when.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Zoom } from "../src/model/types.ts";
import { Turn } from "../src/picture/pace.ts";
import { TimeAxis, type TimePlot } from "../src/run/time-axis.ts";

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

test("what is asked for often is drawn once for all, at once where it is due", async () => {
  const frames: (() => void)[] = [],
    before = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (draw) => frames.push(() => draw(0));
  const frame = async (): Promise<void> => {
    while (frames.length === 0) await new Promise((done) => setTimeout(done, 1));
    frames.shift()?.();
  };
  try {
    let drawn = 0;
    const turn = new Turn(
      () => {
        drawn += 1;
      },
      20,
      1,
    );
    turn.ask(true);
    assert.equal(drawn, 1, "in the frame that it comes from");
    for (let i = 0; i < 5; i += 1) turn.ask(true);
    assert.equal(drawn, 1, "not before its time");
    await frame();
    assert.equal(drawn, 2);
    assert.equal(frames.length, 0);
  } finally {
    globalThis.requestAnimationFrame = before;
  }
});

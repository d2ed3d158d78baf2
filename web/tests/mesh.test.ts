// The mesh as a picture: what sits where, and how loaded each link was in the last window.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIGHT } from "../src/picture/theme.ts";
import type { FrameLayout } from "../src/model/types.ts";
import { drawMesh, MeshModel } from "../src/picture/mesh-drawing.ts";

/** Two rows of three routers, the first without an SM, at half of the core's clock. */
const LAYOUT = {
  length: 2 + 6 * 4 + 5 + 6,
  core_mhz: 1400,
  kernels: ["A"],
  stalls: [],
  warp_states: [],
  sms: [],
  banks: 6,
  channels: 2,
  dram_banks: 8,
  grids: [],
  counters: [],
  mesh: { width: 3, height: 2, sms: [1, 2, 3, 4, 5], channels: [0, 5], mhz: 700 },
  sections: [
    { name: "cycle", offset: 0, shape: [2], doc: "" },
    { name: "noc.link_flits", offset: 2, shape: [6, 4], doc: "" },
    { name: "sm.ctas", offset: 26, shape: [5, 1], doc: "" },
    { name: "l2.queue", offset: 31, shape: [6, 1], doc: "" },
  ],
  capacity: { request_queue: 8, reply_queue: 8, l2_queue: 8, l2_mshr: 32, dram_queue: 32 },
} as unknown as FrameLayout;

function model(cycle: number): MeshModel {
  const of = new MeshModel(LAYOUT),
    frame = new Uint32Array(LAYOUT.length);
  frame[0] = cycle;
  frame[2 + 4 * 1 + 1] = 100; // router 1 to the west
  frame[2 + 4 * 2 + 2] = 300; // router 2 to the south
  frame[26 + 2] = 3; // SM 2, which is at router 3
  of.update(frame);
  return of;
}

test("a link's load is the flits of the last window over the NoC's cycles in it", () => {
  const links = model(1234).links;
  assert.equal(links.length, 14, "no link leads out of the mesh");
  assert.deepEqual(
    links.filter(({ load }) => load > 0).map(({ from, to, way, load }) => [from, to, way.name, load]),
    [
      [1, 0, "west", 0.5],
      [2, 5, "south", 1.5],
    ],
  );
  assert.deepEqual([model(1234).shown, model(399).shown], [[800, 1200], null]);
});

test("each router says what sits there, and each link how loaded it is", () => {
  for (const width of [1000, 360]) {
    const drawn = drawMesh(model(800), width, LIGHT),
      said = (id: string): string => drawn.spots.find((spot) => spot.id === id)?.text() ?? "";
    assert.equal(said("router:0"), "Router 0: L2 bank 0, 0 requests wait; DRAM channel 0");
    assert.equal(said("router:3"), "Router 3: SM 2 with 3 CTAs of A; L2 bank 3, 0 requests wait");
    assert.equal(
      said("link:1:west"),
      "Link from router 1 west to router 0: 100 flits in the last window, 0.500 for each NoC cycle, at most 1 in each network",
    );
    assert.ok(
      drawn.spots.every(({ x, y, w, h }) => x >= 0 && y >= 0 && x + w <= width && y + h <= drawn.height),
      `within ${width}`,
    );
    const wide = (id: string): number => {
      const spot = drawn.spots.find((one) => one.id === id);
      return spot ? spot.w * spot.h : 0;
    };
    assert.ok(wide("link:1:west") > 0);
    const lines = drawn.shapes.filter((shape) => shape.kind === "line").map(({ stroke }) => stroke);
    assert.equal(new Set(lines).size, 3, "idle, loaded, and loaded more");
  }
});

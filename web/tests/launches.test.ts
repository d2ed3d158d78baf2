// Launches CTA by CTA: what is kept of them, what is said, and what is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIGHT } from "../src/picture/theme.ts";
import type { CellsShape } from "../src/picture/drawing.ts";
import { toSvg } from "../src/picture/svg.ts";
import { mix } from "../src/picture/mix.ts";
import { drawStrips, smColour } from "../src/run/launches/drawing.ts";
import { LaunchLog, hasLaunches } from "../src/model/launch-log.ts";
import {
  Launches,
  ctaText,
  launchTable,
  launchText,
  partsOf,
  placeOf,
  GROUPS,
  shareTexts,
} from "../src/model/launches.ts";
import type { FrameLayout } from "../src/model/types.ts";

const FINISHED = 0,
  PLACED = 1,
  NOBODY = -1;
const counter = (key: string): FrameLayout["counters"][number] => ({ key, unit: "lines", doc: `${key} in words` });
const COUNTERS = ["l1_hits", "l1_merged", "l1_misses", "noc_read_crossings", "noc_write_crossings"].map(counter);

/** Two launches of a grid of 3 × 2 on two SMs; SM 1 has stolen CTA 2 in the first. */
function twoLaunches(): { log: LaunchLog; events: number[]; ends: number[] } {
  const events: number[] = [];
  for (const begin of [100, 200])
    for (let cta = 0; cta < 6; cta += 1)
      events.push(begin + cta, 0, PLACED, cta < 2 ? 0 : 1, cta, cta === 2 && begin === 100 ? 0 : NOBODY);
  for (const begin of [100, 200])
    for (let cta = 0; cta < 6; cta += 1) events.push(begin + 20 + cta, 0, FINISHED, 0, cta, NOBODY);
  const rows: number[][] = [];
  for (let i = 0; i < events.length; i += 6) rows.push(events.slice(i, i + 6));
  rows.sort((a, b) => (a[0] as number) - (b[0] as number));
  return {
    log: new LaunchLog(
      [
        [
          [3, 2, 1],
          [3, 2, 1],
        ],
      ],
      COUNTERS.length,
    ),
    events: rows.flat(),
    ends: [125, 0, 5, 1, 4, 100, 40, 225, 0, 14, 1, 5, 130, 90],
  };
}

test("launches are told CTA by CTA, once, however often the run goes back", () => {
  const { log, events, ends } = twoLaunches(),
    page = new Launches();
  const until = (cycle: number): number[] => {
    const at = events.findIndex((_, i) => i % 6 === 0 && (events[i] as number) >= cycle);
    return at < 0 ? events : events.slice(0, at);
  };
  log.add(Float64Array.from(until(110)), new Float64Array(), 110);
  page.take(log.news());
  assert.equal(page.all().length, 1);
  assert.equal(ctaText(page.all()[0]!, 2, 110), "Launch 1, CTA 2 (2, 0, 0) on SM 1, stolen from SM 0: since cycle 102");
  // The same again, and what follows.
  log.add(Float64Array.from(events), Float64Array.from(ends), 300);
  const news = log.news();
  assert.deepEqual([news.restart, news.changed.map(({ number }) => number)], [false, [0, 1]]);
  page.take(news);
  const [first, second] = page.all();
  assert.ok(first && second);
  assert.deepEqual([first.stolen, second.stolen, first.end, second.end], [1, 0, 125, 225]);
  assert.equal(
    ctaText(first, 2, 300),
    "Launch 1, CTA 2 (2, 0, 0) on SM 1, stolen from SM 0: cycles 102 to 122, 21 cycles",
  );
  assert.equal(ctaText(second, 5, 204), "Launch 2, CTA 5 (2, 1, 0): has not begun");
  assert.deepEqual([...second.counters!], [9, 0, 1, 30, 50], "what the counters have counted since the launch before");
  assert.match(
    launchText(second, 300, COUNTERS),
    /^Launch 2: 6 CTAs; grid 3 × 2 × 1; from cycle 200, 26 cycles; Reads of L1D: 10 lines, hits 90 %, misses 10 %; NoC: 80 flits × links, read 38 %, write 63 %$/,
  );
  assert.match(launchText(second, 221, COUNTERS), /^Launch 2: 1 of 6 CTAs have finished, 5 run; /);
  assert.deepEqual(log.news().changed, []);
  log.again();
  assert.deepEqual([log.news().changed.length, log.news().changed.length], [2, 0]);
});

test("the sequence begins again after its last launch, and the oldest launches go when they are too many", () => {
  const log = new LaunchLog(
      [
        [
          [1, 1, 1],
          [2, 1, 1],
        ],
      ],
      0,
    ),
    page = new Launches();
  const events: number[] = [];
  for (let i = 0; i < 3 * 5000; i += 1) events.push(10 * i, 0, PLACED, 0, i % 3 === 2 ? 1 : 0, NOBODY);
  log.add(Float64Array.from(events.slice(0, 9000)), new Float64Array(), 15_000);
  page.take(log.news());
  assert.deepEqual([page.all()[2]?.launch, page.all()[2]?.run, page.all()[3]?.launch], [0, 1, 1]);
  log.add(Float64Array.from(events), new Float64Array(), 200_000);
  page.take(log.news());
  const all = page.all();
  assert.deepEqual([all.length, all[0]?.number, all.at(-1)?.number], [4096, 10_000 - 4096, 9999]);
});

test("a strip has the SMs in the order of the CTAs, thefts and what runs; what lies ahead of the cycle is not there", () => {
  const { log, events, ends } = twoLaunches();
  log.add(Float64Array.from(events), Float64Array.from(ends), 300);
  const launches = log.news().changed,
    draw = (cycle: number) =>
      drawStrips({ launches, kernels: ["HS"], cycle, sms: 2, counters: COUNTERS, width: 900, theme: LIGHT });
  const cells = (cycle: number): CellsShape[] =>
    draw(cycle).shapes.filter((shape): shape is CellsShape => shape.kind === "cells");
  const [first, stolen, second] = cells(300);
  assert.ok(first && stolen && second);
  const sm = (shape: CellsShape): number[] => [...shape.at].map((fill) => Math.floor((fill - 1) / 6));
  assert.deepEqual(
    [sm(first), sm(second)],
    [
      [0, 0, 1, 1, 1, 1],
      [0, 0, 1, 1, 1, 1],
    ],
  );
  assert.equal(
    first.fills[first.at[5] as number],
    smColour(1, 2, false),
    "the last of a launch has its SM's full colour",
  );
  assert.notEqual(first.fills[first.at[2] as number], first.fills[first.at[5] as number]);
  assert.deepEqual([...stolen.at], [0, 0, 1, 0, 0, 0]);
  assert.deepEqual(
    cells(104).map(({ at }) => [...at].filter((fill) => fill > 0).length),
    [4, 4, 1],
    "four have begun, they run, one is stolen",
  );
  const svg = toSvg(draw(300), { title: "", description: "" });
  assert.ok(svg.includes(smColour(1, 2, false)));
  const spot = draw(300).spots[1]!;
  assert.match(spot.text(spot.x + spot.w * 0.02), /^Launch 2, CTA 0 /);
  assert.match(spot.text(), /^Launch 2: 6 CTAs/);
});

test("of many launches the last that have begun are drawn", () => {
  const log = new LaunchLog([Array.from({ length: 50 }, (): [number, number, number] => [1, 1, 1])], 0),
    events = Array.from({ length: 50 }, (_, i) => [10 * i, 0, PLACED, 0, 0, NOBODY]).flat();
  log.add(Float64Array.from(events), new Float64Array(), 9000);
  const launches = log.news().changed;
  const drawn = (cycle: number): string[] =>
    drawStrips({ launches, kernels: ["HS"], cycle, sms: 2, counters: [], width: 900, theme: LIGHT }).spots.map(
      ({ id }) => id,
    );
  assert.deepEqual([drawn(95).length, drawn(95).at(-1)], [10, "launch:0:9"]);
  assert.deepEqual([drawn(9000)[0], drawn(9000).at(-1)], ["launch:0:18", "launch:0:49"]);
});

test("where no launch is known, the picture says so", () => {
  const drawn = drawStrips({
    launches: [],
    kernels: ["HS"],
    cycle: 300,
    sms: 2,
    counters: COUNTERS,
    width: 390,
    theme: LIGHT,
  });
  assert.ok(drawn.shapes.some((shape) => shape.kind === "text" && shape.text.startsWith("No launch has begun")));
});

test("many CTAs in a narrow strip stay few rectangles, and their thefts are seen", () => {
  const grid: [number, number, number] = [47, 47, 1],
    log = new LaunchLog([[grid]], 0),
    events: number[] = [];
  for (let cta = 0; cta < 47 * 47; cta += 1)
    events.push(1, 0, PLACED, Math.floor(cta / 148), cta, cta === 1000 ? 3 : NOBODY);
  log.add(Float64Array.from(events), new Float64Array(), 5000);
  const drawn = drawStrips({
    launches: log.news().changed,
    kernels: ["BFS", "HS"],
    cycle: 5000,
    sms: 15,
    counters: [],
    width: 390,
    theme: LIGHT,
  });
  const cells = drawn.shapes.filter((shape): shape is CellsShape => shape.kind === "cells");
  assert.ok(cells.every(({ at }) => at.length <= 390));
  assert.ok(
    drawn.shapes.some((shape) => shape.kind === "text" && shape.text === "BFS 1"),
    "of several kernels, whose it is",
  );
  assert.match(drawn.spots[0]?.text() ?? "", /^BFS: Launch 1: /);
  assert.equal(
    cells.at(-1)!.at.reduce((a, b) => a + b, 0),
    1,
  );
  assert.ok(toSvg(drawn, { title: "", description: "" }).split("<rect").length < 60);
});

test("classes of traffic and of accesses follow from the counters that there are", () => {
  const { log, events, ends } = twoLaunches();
  log.add(Float64Array.from(events), Float64Array.from(ends), 300);
  const [launch] = log.news().changed,
    [accesses, traffic] = GROUPS;
  assert.deepEqual(
    partsOf(accesses!, launch!, COUNTERS)?.map(({ title, count }) => [title, count]),
    [
      ["hits", 5],
      ["merged", 1],
      ["misses", 4],
    ],
  );
  const more = [
    ...COUNTERS,
    counter("noc_writeback_crossings"),
    counter("misses_to_l2"),
    counter("misses_to_remote_l1"),
  ];
  assert.deepEqual(
    traffic!.parts(more).map(({ title }) => title),
    ["read", "write", "writeback"],
  );
  assert.deepEqual(
    accesses!.parts(more).map(({ title }) => title),
    ["hits", "merged", "misses to L2", "misses to remote L1"],
  );
  const table = launchTable([launch!], 300, COUNTERS, ["HS"], "");
  assert.deepEqual(table.rows, [["HS", 1, 1, "3 × 2 × 1", 100, 26, 6, 1, 5, 1, 4, 100, 40]]);
});

test("colours are mixed however they are written", () => {
  assert.deepEqual(
    [mix("#000000", "#fff", 0.5), mix("#fff", "#000", 1), mix("#123456", "#abcdef", 0)],
    ["#808080", "#ffffff", "#abcdef"],
  );
});

test("places in the grid, chunks and queues are said in words", () => {
  assert.deepEqual(
    [0, 5, 6, 23].map((cta) => placeOf(cta, [6, 2, 2])),
    [
      [0, 0, 0],
      [5, 0, 0],
      [0, 1, 0],
      [5, 1, 1],
    ],
  );
  assert.deepEqual(shareTexts({ chunk: [6, 11], left: [9, 11], queue: [23, 22, 17], waiting: [1, 3] }), {
    chunk: "6 to 10",
    left: "9 to 10",
    queue: "23 22 17",
    waits: "22 17",
  });
  assert.equal(shareTexts({ chunk: null, left: [4, 4], queue: [], waiting: [0, 0] }).left, "nothing");
});

test("launches are shown where kernels have several, or a CTA order was chosen", () => {
  const layout = (grids: FrameLayout["grids"]): FrameLayout => ({ grids }) as FrameLayout;
  assert.deepEqual(
    [
      hasLaunches(layout([[[4, 1, 1]]]), undefined),
      hasLaunches(layout([[[4, 1, 1]]]), "flip"),
      hasLaunches(
        layout([
          [
            [4, 1, 1],
            [4, 1, 1],
          ],
        ]),
        undefined,
      ),
    ],
    [false, true, true],
  );
});

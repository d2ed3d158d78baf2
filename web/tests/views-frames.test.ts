// What the pictures read from frames: differences across wrap-around, averages, the fullest resource, tiles in even rows.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Drawing } from "../src/picture/drawing.ts";
import { kernelPaint, LIGHT, stallPaint } from "../src/picture/theme.ts";
import type { FrameLayout, FrameSection } from "../src/model/types.ts";
import { FrameReader } from "../src/engine/frame-reader.ts";
import { stateLetters } from "../src/model/letters.ts";
import { drawMemory, memoryPanels, memoryTable } from "../src/picture/memory-drawing.ts";
import { Lately, MemoryModel } from "../src/picture/memory-model.ts";
import { Pace } from "../src/picture/pace.ts";
import { drainPaint, drawGpu, GpuModel, otherPaint, placed, smTable } from "../src/picture/gpu-drawing.ts";
import { residentText, shownCauses, SmModel, smsText } from "../src/picture/sm-model.ts";

const sections: FrameSection[] = [];
let length = 0;
for (const [name, ...shape] of [
  ["cycle", 2],
  ["sm.slot_kernel", 3, 4],
  ["sm.slot_cta", 3, 4],
  ["sm.slot_age", 3, 4],
  ["sm.ctas", 3, 2],
  ["sm.threads", 3, 2],
  ["sm.registers", 3, 2],
  ["sm.shared", 3, 2],
  ["sm.scheduler", 3, 2],
  ["sm.issued", 3, 2],
  ["sm.stalls", 3, 3],
  ["noc.request_queue", 3, 2],
  ["noc.request_busy", 4],
  ["noc.reply_queue", 4, 2],
  ["noc.reply_busy", 3],
  ["l2.queue", 4, 2],
  ["l2.mshr", 4, 2],
  ["dram.queue", 2, 2],
  ["dram.busy", 2],
  ["dram.open_row", 2, 8],
  ["sm.quota", 3, 2],
  ["sm.quota_left", 3, 2],
  ["sm.drains", 3, 2],
] as [string, ...number[]][]) {
  sections.push({ name, offset: length, shape, doc: "" });
  length += shape.reduce((a, b) => a * b, 1);
}
const big = {
  class: "big",
  slots: 4,
  schedulers: 2,
  warps: 8,
  threads: 256,
  registers: 1000,
  shared_bytes: 0,
  mshrs: 8,
  miss_queue: 8,
  l1_bytes: 24576,
  l1_protocol: "none",
  l1_keeps_read_only: false,
};
const LAYOUT: FrameLayout = {
  length,
  core_mhz: 1000,
  sections,
  kernels: ["A", "B"],
  stalls: ["idle", "memory", "other"].map((key) => ({ key, title: key, doc: "" })),
  warp_states: [],
  sms: [big, big, { ...big, class: "small", slots: 2, registers: 500 }],
  banks: 4,
  channels: 2,
  dram_banks: 8,
  mesh: null,
  grids: [],
  arrays: [],
  counters: [],
  capacity: { request_queue: 8, reply_queue: 8, l2_queue: 8, l2_mshr: 16, dram_queue: 16 },
};
function frame(values: Record<string, number[]>): Uint32Array {
  const f = new Uint32Array(length);
  for (const [name, v] of Object.entries(values)) f.set(v, sections.find((s) => s.name === name)!.offset);
  return f;
}

test("the reader finds elements, keeps a copy, and gives 0 for what is not there", () => {
  const r = new FrameReader(LAYOUT);
  const f = frame({ cycle: [5, 1], "dram.queue": [1, 2, 3, 4] });
  r.load(f);
  f.fill(9);
  assert.equal(r.cycle, 2 ** 32 + 5);
  assert.equal(r.get("dram.queue", 1, 0), 3);
  assert.equal(r.get("dram.queue", 7, 0), 0);
  assert.equal(r.get("nothing", 0), 0);
  r.load(new Uint32Array(3));
  assert.equal(r.get("dram.queue", 1, 0), 0);
});

test("shares are differences of counters, right across the 32-bit wrap", () => {
  const m = new SmModel(LAYOUT);
  m.update(frame({ cycle: [100], "sm.issued": [0xfffffff0, 10], "sm.stalls": [0, 0xffffffff, 0] }));
  m.update(frame({ cycle: [150], "sm.issued": [0x20, 20], "sm.stalls": [0, 41, 0] }));
  // 48 and 10 issued, 42 stalled: 100 scheduler-cycles.
  assert.deepEqual(m.shares(0), [0.48, 0.1, 0, 0.42, 0]);
  assert.deepEqual(m.shares(1), [0, 0, 0, 0, 0]);
});

test("the first frame shows the last cycle; a single step shows that cycle alone", () => {
  const m = new SmModel(LAYOUT);
  m.update(frame({ cycle: [100], "sm.scheduler": [0x101, 1], "sm.issued": [50, 50] }));
  assert.deepEqual(m.shares(0), [0, 0.5, 0, 0.5, 0]);
  m.update(frame({ cycle: [200], "sm.issued": [150, 50], "sm.stalls": [0, 100, 0] }));
  m.update(frame({ cycle: [201], "sm.issued": [152, 50], "sm.stalls": [0, 100, 0] }));
  assert.deepEqual(m.shares(0), [1, 0, 0, 0, 0]);
  // Going back starts again.
  m.update(frame({ cycle: [0], "sm.issued": [0, 0] }));
  assert.deepEqual(m.shares(0), [0, 0, 0, 0, 0]);
});

test("running frames blend, and a frame without cycles changes nothing", () => {
  const m = new SmModel(LAYOUT);
  m.update(frame({ cycle: [0] }));
  m.update(frame({ cycle: [100], "sm.issued": [100, 0] }));
  m.update(frame({ cycle: [200], "sm.issued": [100, 100] }));
  const [a, b] = m.shares(0) as [number, number];
  assert.ok(b > a && a > 0.3, `${a} ${b}`);
  m.update(frame({ cycle: [200], "sm.issued": [100, 100] }));
  assert.deepEqual(m.shares(0).slice(0, 2), [a, b]);
});

test("the fullest resource is named, and one that an SM does not have is not", () => {
  const m = new SmModel(LAYOUT);
  m.update(frame({ cycle: [9], "sm.ctas": [1, 1], "sm.threads": [64, 64], "sm.registers": [300, 400] }));
  assert.equal(m.limiting(0)?.title, "Registers");
  assert.ok(!m.resources(0).some((r) => r.key === "sm.shared"));
});

test("the GPU fits any room, with a spot for each SM, bank and channel, and a row for each SM", () => {
  const m = new GpuModel(LAYOUT);
  m.update(frame({ cycle: [9], "sm.slot_kernel": [1, 2, 0, 0, 1], "sm.ctas": [1, 1, 1, 0] }));
  for (const [width, height] of [
    [220, 180],
    [328, 328],
    [1500, 400],
  ] as const) {
    const d = drawGpu(m, width, height, LIGHT);
    for (const [kind, count] of [
      ["sm:", 3],
      ["bank:", 4],
      ["channel:", 2],
    ] as const)
      assert.equal(d.spots.filter((s) => s.id.startsWith(kind)).length, count);
    for (const s of d.spots)
      assert.ok(
        s.x >= 0 && s.x + s.w <= width + 0.01 && s.y + s.h <= d.height + 0.01,
        `${s.id} at ${s.x}+${s.w} of ${width}`,
      );
  }
  assert.equal(m.slotText(0, 1), "Slot 1: CTA 0 of B, resident for 0 cycles");
  assert.equal(m.slotText(0, 2), "Slot 2: empty");
  assert.equal(smTable(m).rows.length, 3);
  assert.equal(smTable(m).rows[1]![4], 0);
  m.update(frame({ cycle: [0] }));
  assert.equal(smTable(m).rows[1]![4], null, "nothing known of the schedulers is no data, not 0");
});

const many = (count: number): FrameLayout => ({ ...LAYOUT, sms: Array.from({ length: count }, () => big) });

test("SMs are tiles in even rows, as large as the room allows, from 2 to 170 of them", () => {
  for (const [count, width, height, columns, least] of [
    [2, 400, 400, 2, 120],
    [16, 400, 400, 4, 90],
    [16, 240, 300, 4, 50],
    [30, 400, 400, 5, 60],
    [56, 400, 400, 7, 40],
    [108, 400, 400, 9, 29],
    [132, 400, 400, 11, 26],
    [132, 240, 280, 11, 15],
    [170, 400, 400, 10, 18],
  ] as const) {
    const [row] = placed(many(count), width, height);
    assert.ok(row);
    assert.equal(row.columns, columns, `${count} SMs in ${width} × ${height}`);
    assert.ok(Math.min(row.w, row.h) >= least, `${count} SMs of ${row.w} × ${row.h}`);
    assert.ok(row.w * row.columns <= width && (count / row.columns) * row.h <= height);
  }
  // On a wide screen no gap stands beside them.
  for (const [width, height] of [
    [490, 790],
    [700, 600],
  ] as const) {
    const [row] = placed(many(16), width, height);
    assert.ok(row && row.columns * (row.w + row.gap) > 0.97 * width, `${row?.columns} columns of ${row?.w}`);
  }
});

test("a bank on which all requests camp is the only full one, and says whose they are", () => {
  const m = new GpuModel(LAYOUT);
  for (let cycle = 100; cycle < 3000; cycle += 100)
    m.update(frame({ cycle: [cycle], "l2.queue": [0, 0, 6, 2, 0, 0, 0, 0], "dram.queue": [0, 0, 4, 4] }));
  const d = drawGpu(m, 600, 400, LIGHT),
    spot = (id: string) => d.spots.find((s) => s.id === id)!,
    filled = (id: string): number => {
      const { x, y, w, h } = spot(id);
      return d.shapes
        .filter((s) => s.kind === "rect" && s.y === y && s.x >= x && s.x < x + w && h > 0 && s.fill !== LIGHT.slotEmpty)
        .reduce((sum, s) => sum + (s.kind === "rect" ? s.w / w : 0), 0);
    };
  assert.deepEqual(
    ["bank:0", "bank:1", "bank:2", "bank:3", "channel:0", "channel:1"].map((id) => filled(id).toFixed(2)),
    ["0.00", "1.00", "0.00", "0.00", "0.00", "0.50"],
  );
  assert.match(spot("bank:1").text(), /^L2 bank 1: its queue is 100 % full lately \(A 75 %, B 25 %\); 0 of 16 misses/);
  assert.match(spot("channel:1").text(), /^DRAM channel 1: its queue is 50 % full lately/);
  // Many banks stand in several columns, each still to be seen.
  const wide = new GpuModel({ ...LAYOUT, banks: 96, channels: 96 });
  const banks = drawGpu(wide, 600, 400, LIGHT).spots.filter((s) => s.id.startsWith("bank:"));
  assert.equal(banks.length, 96);
  assert.ok(banks.every(({ w, h }) => w >= 30 && h >= 6));
});

test("a tile's bar is the issue slots in the order of the legend, other causes as what is left", () => {
  const layout: FrameLayout = {
      ...LAYOUT,
      stalls: ["idle", "raw_long", "lsu_full"].map((key) => ({ key, title: key, doc: "" })),
    },
    m = new GpuModel(layout);
  m.update(frame({ cycle: [0] }));
  m.update(frame({ cycle: [100], "sm.issued": [20, 10], "sm.stalls": [10, 40, 20] }));
  assert.deepEqual(
    shownCauses(layout).map(({ stall, name }) => [stall, name]),
    [
      [1, "memory"],
      [2, "LSU full"],
    ],
  );
  const d = drawGpu(m, 500, 120, LIGHT),
    tile = d.spots[0]!;
  const bars = d.shapes.flatMap((s) =>
    s.kind === "rect" && s.x < tile.w && s.y > tile.y + tile.h / 2 && s.fill && s.y < tile.y + tile.h ? [s] : [],
  );
  const all = bars[0]!.w;
  assert.deepEqual(
    bars.map(({ w, fill }) => [Math.round((100 * w) / all), fill]),
    [
      [100, otherPaint(LIGHT)],
      [20, kernelPaint(0, LIGHT)],
      [10, kernelPaint(1, LIGHT)],
      [40, stallPaint(1, LIGHT)],
      [20, stallPaint(2, LIGHT)],
    ],
  );
});

test("what the SMs hold, in words", () => {
  const m = new SmModel(LAYOUT),
    said = (ctas: number[]): string => {
      m.update(frame({ cycle: [m.cycle + 1], "sm.ctas": ctas }));
      return residentText(m);
    };
  assert.equal(said([4, 8, 4, 8, 4, 7]), "4 CTAs of A, 8 of B");
  assert.equal(said([1, 0, 1, 0, 1, 0]), "1 CTA of A, none of B");
  assert.equal(said([5, 0, 5, 0, 0, 8]), "5 CTAs of A on 2 SMs, 8 of B on 1");
  assert.equal(said([0, 3, 0, 3, 0, 3]), "none of A, 3 CTAs of B");
  assert.equal(said([0, 0, 0, 0, 0, 0]), "no CTAs");
});

test("SMs are drawn by class, a small one smaller than a big one; one that drains is hatched, and says of whom", () => {
  const m = new GpuModel(LAYOUT),
    tile = (d: Drawing, sm: number) => d.spots.find((s) => s.id === `sm:${sm}`)!;
  m.update(frame({ cycle: [9], "sm.ctas": [1, 1, 1, 0, 2, 0], "sm.drains": [0, 0, 0, 0, 1, 0] }));
  const hatched = (d: Drawing): number =>
    d.shapes.filter((s) => s.kind === "rect" && JSON.stringify(s.fill) === JSON.stringify(drainPaint(LIGHT))).length;
  for (const width of [400, 600, 1500]) {
    const d = drawGpu(m, width, 300, LIGHT);
    assert.ok(tile(d, 2).w < 0.9 * tile(d, 0).w, `${tile(d, 2).w} beside ${tile(d, 0).w} at ${width}`);
    assert.equal(tile(d, 1).w, tile(d, 0).w);
    assert.ok(tile(d, 2).h <= tile(d, 0).h && tile(d, 2).y > tile(d, 1).y);
    assert.equal(hatched(d), 1);
    assert.deepEqual(d.shapes.flatMap((s) => (s.kind === "text" ? [s.text] : [])).slice(0, 2), [
      "2 big: 1 CTA of A, 1 of B on 1 SM",
      "1 small: 2 CTAs of A, none of B",
    ]);
    assert.match(
      tile(d, 2).text(),
      /^SM 2 \(small\): CTAs 2 of A, 0 of B, in 2 of 2 slots; drains: more CTAs of A than it may hold; /,
    );
    assert.match(tile(d, 0).text(), /^SM 0 \(big\): CTAs 1 of A, 1 of B, in 2 of 4 slots; schedulers/);
  }
  const { columns, rows } = smTable(m),
    at = columns.findIndex(({ key }) => key === "drains");
  assert.deepEqual(
    rows.map((row) => [row[1], row[at]]),
    [
      ["big", null],
      ["big", null],
      ["small", "A"],
    ],
  );
  assert.equal(smsText(LAYOUT), "3 SMs (2 big, 1 small)");
  // Equal SMs have no class to name, and are as large as each other.
  const equal = new GpuModel({ ...LAYOUT, sms: [big, big, big] });
  equal.update(frame({ cycle: [9] }));
  const d = drawGpu(equal, 500, 300, LIGHT);
  assert.equal(new Set([0, 1, 2].map((sm) => tile(d, sm).w)).size, 1);
  assert.match(tile(d, 0).text(), /^SM 0: /);
  assert.equal(hatched(d), 0);
});

test("what was lately: a mean at first, then a running one", () => {
  const b = new Lately(1, 2);
  b.sample((_, k) => 1 - k);
  assert.equal(b.of(0, 0), 1);
  b.sample(() => 0);
  assert.equal(b.of(0, 0), 0.5);
  for (let i = 0; i < 2000; i++) b.sample((_, k) => (i % 4 === 0 ? k : 0));
  assert.ok(Math.abs(b.of(0, 1) - 0.25) < 0.12 && b.of(0, 0) < 1e-9);
  assert.ok(b.used(0) <= 1);
});

test("the memory path counts a cycle once, fits any width, and has a row for each part", () => {
  const m = new MemoryModel(LAYOUT);
  const f = frame({
    cycle: [9],
    "noc.request_busy": [1, 0, 2, 0],
    "noc.reply_queue": [0, 0, 2, 5],
    "l2.mshr": [4, 0, 0, 12],
    "dram.queue": [3, 4, 0, 0],
    "dram.open_row": [0, 5, 6],
  });
  m.update(f);
  m.update(f);
  assert.equal(m.request.mean(0), 0.25);
  assert.equal(m.entries("dram.queue", 0), 7);
  assert.equal(m.openRows(0), 2);
  for (const width of [300, 700, 1500]) {
    const d = drawMemory(m, width, LIGHT);
    for (const s of d.spots)
      assert.ok(s.x >= -0.01 && s.x + s.w <= width + 0.01 && s.y + s.h <= d.height, `${s.id} at ${s.x}`);
    assert.equal(
      d.spots.find((s) => s.id === "reply:0:1")!.text(),
      "Reply queue of L2 bank 1: 7 of 8 entries, A 2, B 5",
    );
    assert.match(d.spots.find((s) => s.id === "dram:0:0")!.text(), /7 of 16 entries, A 3, B 4; 2 of 8 banks/);
  }
  const { columns, rows } = memoryTable(m);
  assert.equal(rows.length, 3 + 4 + 4 + 4 + 2 + 4 + 3);
  assert.deepEqual(
    columns.slice(2, 6).map((c) => c.title),
    ["In use", "Capacity", "Of A", "Of B"],
  );
  assert.deepEqual(rows.find(([part, i]) => part === "reply queue of L2 bank" && i === 1)!.slice(2, 6), [7, 8, 2, 5]);
  const l2 = memoryPanels(m)[1]!;
  assert.deepEqual([l2.headline, l2.use], ["25 % of MSHRs", [4 / 64, 12 / 64]]);
});

test("each warp state has a letter of its own", () => {
  assert.deepEqual(stateLetters(["Ready", "Replay", "Memory", "Memory", ""]), ["R", "E", "M", "O", "A"]);
  assert.equal(new Set(stateLetters(Array.from({ length: 20 }, () => "same"))).size, 20);
});

test("drawing keeps to its share of the time", () => {
  const p = new Pace(30, 0.25);
  assert.equal(p.wait(0), 0);
  p.took(100, 102);
  assert.equal(p.wait(102), 28);
  assert.equal(p.wait(130), 0);
  p.took(200, 240);
  assert.equal(p.wait(240), 120);
});

test("quotas are shown where a kernel has one, what is left below zero too", () => {
  const m = new GpuModel(LAYOUT);
  m.update(frame({ cycle: [100] }));
  assert.equal(m.hasQuotas(), false);
  const before = drawGpu(m, 500, 300, LIGHT);
  m.update(frame({ cycle: [101], "sm.quota": [101, 0, 51, 1], "sm.quota_left": [40, 0, -14 >>> 0, 0] }));
  assert.deepEqual(
    [0, 1, 2].map((sm) => m.quotas(sm)),
    [
      [{ quota: 100, left: 40 }, null],
      [
        { quota: 50, left: -14 },
        { quota: 0, left: 0 },
      ],
      [null, null],
    ],
  );
  const after = drawGpu(m, 500, 300, LIGHT),
    said = (sm: number): string =>
      after.spots
        .find((s) => s.id === `sm:${sm}`)!
        .text()
        .split("; ")
        .at(-1)!;
  assert.ok(after.shapes.length > before.shapes.length, "lines of quotas are drawn");
  assert.equal(said(0), "left of each quota: A 40 of 100");
  assert.equal(
    said(1),
    "left of each quota: A -14 of 50, it waits for the next refill, B 0 of 0, it waits for the next refill",
  );
  const { columns, rows } = smTable(m);
  assert.deepEqual(
    columns.flatMap(({ title }, i) => (/uota/.test(title) ? [[title, rows[1]?.[i]]] : [])),
    [
      ["Quota left of A", -14],
      ["Quota of A", 50],
      ["Quota left of B", 0],
      ["Quota of B", 0],
    ],
  );
});

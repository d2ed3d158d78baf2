// A page to work on the views without an engine (`npx vite`, then /dev/views.html): frames and windows are made up here.
// Address: ?sms=16&slots=8&kernels=2&windows=300&theme=dark&classes=2&run. Not part of a built page.
import "../src/style/tokens.css";
import "./views.css";
import "../src/views/index.ts";
import type { Catalogue, FrameLayout, FrameSection, ShownRun, WindowsLayout } from "../src/types.ts";
import { WindowStore } from "../src/views/window-store.ts";
import { provideStamp } from "../src/stamp.ts";

const query = new URLSearchParams(location.search);
const number = (name: string, or: number): number => Number(query.get(name) ?? or);
if (query.get("theme")) document.documentElement.dataset["theme"] = query.get("theme") as string;

const SMS = number("sms", 16),
  KERNELS = number("kernels", 2),
  SLOTS = number("slots", 8),
  CLASSES = number("classes", 1);
const BANKS = number("banks", 12),
  CHANNELS = number("channels", 6),
  WARPS = 48,
  SCHEDULERS = 2,
  DRAM_BANKS = 16;
const names = ["BP", "CFD", "FTD", "SAD", "vadd", "saxpy", "copy", "mv"].slice(0, KERNELS);
const stalls = [
  ["idle", "No warp"],
  ["barrier", "Barrier"],
  ["raw_long", "Memory"],
  ["raw_short", "Execution"],
  ["lsu_full", "LSU full"],
  ["throttled", "Throttled"],
  ["quota", "Quota"],
].map(([key, title]) => ({ key: key as string, title: title as string, doc: `${title}: made up` }));
const states = [
  ["empty", "Empty"],
  ["ready", "Ready"],
  ["memory", "Memory"],
  ["execution", "Execution"],
  ["barrier", "Barrier"],
  ["finished", "Finished"],
].map(([key, title]) => ({ key: key as string, title: title as string, doc: `${title}: made up` }));

const sections: FrameSection[] = [];
let length = 0;
function section(name: string, ...shape: number[]): void {
  sections.push({ name, offset: length, shape, doc: name });
  length += shape.reduce((a, b) => a * b, 1);
}
section("cycle", 2);
for (const s of ["slot_kernel", "slot_cta", "slot_age"]) section(`sm.${s}`, SMS, SLOTS);
for (const s of ["ctas", "threads", "registers", "shared"]) section(`sm.${s}`, SMS, KERNELS);
section("sm.scheduler", SMS, SCHEDULERS);
section("sm.issued", SMS, KERNELS);
section("sm.stalls", SMS, stalls.length);
section("sm.lsu", SMS, KERNELS);
section("sm.miss_queue", SMS, KERNELS);
section("sm.mshr", SMS);
for (const s of ["kernel", "state", "pc", "slot"]) section(`warp.${s}`, SMS, WARPS);
section("noc.request_queue", SMS, KERNELS);
section("noc.request_busy", BANKS);
section("noc.reply_queue", BANKS, KERNELS);
section("noc.reply_busy", SMS);
section("l2.queue", BANKS, KERNELS);
section("l2.mshr", BANKS, KERNELS);
section("dram.queue", CHANNELS, KERNELS);
section("dram.busy", CHANNELS);
section("dram.open_row", CHANNELS, DRAM_BANKS);

const layout: FrameLayout = {
  length,
  core_mhz: 1400,
  sections,
  kernels: names,
  stalls,
  warp_states: states,
  banks: BANKS,
  channels: CHANNELS,
  dram_banks: DRAM_BANKS,
  sms: Array.from({ length: SMS }, (_, i) => {
    const big = CLASSES < 2 || i % 4 === 0;
    return {
      class: CLASSES < 2 ? "sm" : big ? "big" : "small",
      slots: big ? SLOTS : Math.max(1, SLOTS / 2),
      schedulers: SCHEDULERS,
      warps: big ? WARPS : WARPS / 2,
      threads: big ? 1536 : 768,
      registers: big ? 32768 : 16384,
      shared_bytes: big ? 49152 : 24576,
      mshrs: 64,
      miss_queue: 8,
      l1_bytes: 24576,
      l1_protocol: "none",
      l1_keeps_read_only: false,
    };
  }),
  mesh: null,
  grids: [],
  arrays: [],
  counters: [],
  capacity: { request_queue: 8, reply_queue: 8, l2_queue: 16, l2_mshr: 32, dram_queue: 32 },
};

let seed = 1;
const random = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const frame = new Uint32Array(length);
const at = (name: string): FrameSection => sections.find((s) => s.name === name) as FrameSection;
function put(name: string, i: number, j: number, v: number): void {
  const s = at(name);
  frame[s.offset + i * s.shape.slice(1).reduce((a, b) => a * b, 1) + j] = v;
}
function add(name: string, i: number, j: number, v: number): void {
  const s = at(name),
    w = s.shape.slice(1).reduce((a, b) => a * b, 1),
    o = s.offset + i * w + j;
  frame[o] = (frame[o] as number) + v;
}

let cycle = 0;
function tick(cycles: number): Uint32Array {
  cycle += cycles;
  put("cycle", 0, 0, cycle);
  layout.sms.forEach((sm, i) => {
    for (const s of ["sm.ctas", "sm.threads", "sm.registers", "sm.shared"])
      for (let k = 0; k < KERNELS; k++) put(s, i, k, 0);
    for (let slot = 0; slot < sm.slots; slot++) {
      const k = ((slot * KERNELS) / sm.slots) | 0,
        hole = (slot + i) % 7 === 6 && Math.sin(cycle / 3000 + i) > 0;
      put("sm.slot_kernel", i, slot, hole ? 0 : k + 1);
      put("sm.slot_cta", i, slot, ((cycle / 900) | 0) * SMS + i + slot);
      put("sm.slot_age", i, slot, cycle % 900);
      if (hole) continue;
      add("sm.ctas", i, k, 1);
      add("sm.threads", i, k, 176);
      add("sm.registers", i, k, ((176 * (k % 2 ? 22 : 16) * sm.registers) / 32768) | 0);
      add("sm.shared", i, k, k % 2 ? 0 : 1088);
    }
    let left = cycles * SCHEDULERS;
    for (let k = 0; k < KERNELS; k++) {
      const n = (left * (0.15 + 0.2 * random())) | 0;
      add("sm.issued", i, k, n);
      left -= n;
    }
    [0.02, 0.05, 0.6, 0.2, 0.1, 0, 0].forEach((share, s) => {
      add("sm.stalls", i, s, (left * share * (0.8 + 0.4 * random())) | 0);
    });
    for (let s = 0; s < SCHEDULERS; s++)
      put("sm.scheduler", i, s, random() < 0.4 ? 0x100 | ((random() * KERNELS) | 0) : 2 + ((random() * 3) | 0));
    for (let k = 0; k < KERNELS; k++) {
      put("sm.lsu", i, k, (random() * 5) | 0);
      put("sm.miss_queue", i, k, (random() * 4) | 0);
    }
    put("sm.mshr", i, 0, (20 + random() * 40) | 0);
    for (let w = 0; w < sm.warps; w++) {
      put("warp.kernel", i, w, w > sm.warps * 0.85 ? 0 : 1 + (((w * KERNELS) / sm.warps) | 0));
      put("warp.state", i, w, w > sm.warps * 0.85 ? 0 : ([2, 2, 2, 1, 3, 3, 4, 5][(random() * 8) | 0] as number));
      put("warp.pc", i, w, (random() * 20) | 0);
      put("warp.slot", i, w, w >> 2);
    }
    for (let k = 0; k < KERNELS; k++) put("noc.request_queue", i, k, ((random() * 9) / KERNELS) | 0);
    put("noc.reply_busy", i, 0, random() < 0.55 ? 1 + ((random() * random() * KERNELS) | 0) : 0);
  });
  for (let b = 0; b < BANKS; b++) {
    put("noc.request_busy", b, 0, random() < 0.35 ? 1 + ((random() * KERNELS) | 0) : 0);
    for (let k = 0; k < KERNELS; k++) {
      put("noc.reply_queue", b, k, ((random() * 9) / KERNELS) | 0);
      put("l2.queue", b, k, ((random() * 16) / KERNELS) | 0);
      put("l2.mshr", b, k, ((random() * 32) / KERNELS) | 0);
    }
  }
  for (let c = 0; c < CHANNELS; c++) {
    for (let k = 0; k < KERNELS; k++) put("dram.queue", c, k, ((random() * 30) / KERNELS) | 0);
    put("dram.busy", c, 0, random() < 0.6 ? 1 + ((random() * KERNELS) | 0) : 0);
    for (let b = 0; b < DRAM_BANKS; b++) put("dram.open_row", c, b, random() < 0.7 ? 1 : 0);
  }
  return frame;
}

const column = (key: string, unit: string, title: string, kernel: number | null = null) => ({
  key,
  unit,
  title,
  doc: `${title}: made up`,
  kernel,
});
const windows: WindowsLayout = {
  window: 400,
  core_mhz: 1400,
  columns: [
    column("start", "cycles", "Start"),
    column("end", "cycles", "End"),
    ...names.flatMap((n, k) =>
      [
        "thread_instructions",
        "warp_instructions",
        "noc_bytes",
        "noc_request_bytes",
        "dram_bytes",
        "latency_sum",
        "latency_count",
        "cta_cycles",
      ].map((key) => column(key, "", `${n} ${key}`, k)),
    ),
    ...stalls.map((s) => column(`stall.${s.key}`, "scheduler-cycles", s.title)),
  ],
  peaks: { noc_bytes_per_cycle: 512, noc_sustainable_bytes_per_cycle: 0.6 * 512, dram_bytes_per_cycle: 137, ipc: 1024 },
};
let made = 0;
function rows(upTo: number): Float64Array {
  const out: number[] = [];
  for (; made < upTo; made++) {
    const wave = (k: number, period: number): number =>
      0.6 + 0.3 * Math.sin(made / period + k * 2) + 0.2 * (random() - 0.5);
    out.push(made * 400, made * 400 + 400);
    for (let k = 0; k < KERNELS; k++) {
      const on = 1 / KERNELS,
        warp = (400 * 16 * wave(k, 30) * on) | 0;
      const quiet = k === 1 && made % 120 > 108;
      out.push(
        warp * 31,
        warp,
        (400 * 330 * wave(k, 25) * on) | 0,
        (400 * 60 * wave(k, 25) * on) | 0,
        (400 * 105 * wave(k, 40) * on) | 0,
        quiet ? 0 : ((300 + 260 * wave(k, 50)) * 900) | 0,
        quiet ? 0 : 900,
        (400 * SMS * SLOTS * on * (0.8 + 0.15 * Math.sin(made / 60 + k))) | 0,
      );
    }
    for (const share of [0.03, 0.06, 0.5, 0.2, 0.15, 0.03, 0])
      out.push((400 * 32 * 0.6 * share * (0.7 + 0.6 * random())) | 0);
  }
  return Float64Array.from(out);
}

const grid = document.querySelector("corun-gpu")!,
  detail = document.querySelector("corun-sm-detail")!;
const memory = document.querySelector("corun-memory-path")!,
  charts = document.querySelector("corun-charts")!;
provideStamp(() => ({ engine: "0.1.0", config: "1a2b3c4d5e6f", seed: 1, cycle, link: location.href }));
const catalogue = {} as Catalogue;
// ?runs=2: as if two were compared.
const runs: ShownRun[] =
  number("runs", 1) === 2
    ? [
        { mark: "A", title: "Even split", layout, windows },
        { mark: "B", title: "CCBP", layout, windows },
      ]
    : [{ mark: "", title: "", layout, windows }];
for (const view of [grid, detail, memory]) view.setRuns(runs, catalogue);
const stores = runs.map(() => new WindowStore(windows));
charts.setRuns(runs, stores);
grid.addEventListener("select-sm", (e) => {
  detail.selected = (e as CustomEvent<{ sm: number | null }>).detail.sm;
  detail.update(runs.map(() => frame));
});
if (query.has("select")) detail.selected = number("select", 0);
const total = number("windows", 300);
function advance(cycles: number): void {
  const f = tick(cycles);
  for (const view of [grid, detail, memory]) view.update(runs.map(() => f));
}
if (total > 0) for (let i = 0; i < 20; i++) advance(total * 20);
const first = rows(total);
for (const store of stores) store.append(first);
charts.refresh(false);
charts.setDecisions(
  0,
  total > 0
    ? [
        { cycle: 0, kernel: null, topic: "controls", values: {}, text: "each kernel gets half of every SM" },
        {
          cycle: total * 90,
          kernel: 0,
          topic: "ctas",
          values: { ctas: 3 },
          text: "CTA limit 4 → 3: replies take longer than they should",
        },
        { cycle: total * 210, kernel: 1, topic: "bandwidth", values: {}, text: "miss-queue credits 2 → 3" },
      ]
    : [],
);
if (query.has("run")) {
  const times: number[] = [];
  const go = (): void => {
    const begin = performance.now();
    advance(2000);
    const more = rows(made + 5);
    for (const store of stores) store.append(more);
    charts.refresh(false);
    times.push(performance.now() - begin);
    document.body.dataset["ms"] = (times.slice(-60).reduce((a, b) => a + b, 0) / Math.min(60, times.length)).toFixed(2);
    document.body.dataset["frames"] = String(times.length);
    requestAnimationFrame(go);
  };
  requestAnimationFrame(go);
}
document.body.dataset["ready"] = "1";

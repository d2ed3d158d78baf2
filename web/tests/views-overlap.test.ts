// No text of a picture lies over another one or leaves the picture, however wide the picture is and however many kernels run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Drawing, type TextShape, textWidth } from "../src/picture/drawing.ts";
import { LIGHT } from "../src/picture/theme.ts";
import type { FrameLayout, FrameSection } from "../src/model/types.ts";
import { drawMemory } from "../src/picture/memory-drawing.ts";
import { drawGpu, GpuModel } from "../src/picture/gpu-drawing.ts";

interface Box {
  x: number;
  y: number;
  right: number;
  bottom: number;
  text: string;
}

function box(s: TextShape): Box {
  // Heavy type is wider; ascenders and descenders are within the size of the letters.
  const w = textWidth(s.text, s.size) * (s.weight >= 600 ? 1.08 : 1),
    h = s.size * 0.8;
  const left = s.align === "start" ? 0 : s.align === "middle" ? -w / 2 : -w,
    top = s.baseline === "top" ? 0 : s.baseline === "middle" ? -h / 2 : -h;
  return s.rotate
    ? { x: s.x + top, y: s.y - left - w, right: s.x + top + h, bottom: s.y - left, text: s.text }
    : { x: s.x + left, y: s.y + top, right: s.x + left + w, bottom: s.y + top + h, text: s.text };
}

function clear(d: Drawing, where: string, least = 1): void {
  const boxes = d.shapes.filter((s): s is TextShape => s.kind === "text").map(box);
  assert.ok(boxes.length >= least, where);
  for (const [i, a] of boxes.entries()) {
    assert.ok(
      a.x >= -1 && a.right <= d.width + 1 && a.y >= -1 && a.bottom <= d.height + 1,
      `${where}: “${a.text}” leaves the picture`,
    );
    for (const b of boxes.slice(i + 1))
      assert.ok(
        a.right <= b.x + 1 || b.right <= a.x + 1 || a.bottom <= b.y + 1 || b.bottom <= a.y + 1,
        `${where}: “${a.text}” over “${b.text}”`,
      );
  }
}

const WIDTHS = [250, 328, 460, 560, 640, 700, 830, 950, 1200, 1700];
const STALLS = ["No warp", "Barrier", "Memory", "Execution", "LSU full", "Throttled", "Quota"];

function layoutOf(kernels: number, sms: number, slots: number): { layout: FrameLayout; values: Uint32Array } {
  const sections: FrameSection[] = [];
  let length = 0;
  for (const [name, ...shape] of [
    ["cycle", 2],
    ["sm.slot_kernel", sms, slots],
    ["sm.slot_cta", sms, slots],
    ["sm.slot_age", sms, slots],
    ["sm.ctas", sms, kernels],
    ["sm.threads", sms, kernels],
    ["sm.registers", sms, kernels],
    ["sm.shared", sms, kernels],
    ["sm.scheduler", sms, 2],
    ["sm.issued", sms, kernels],
    ["sm.stalls", sms, STALLS.length],
    ["noc.request_queue", sms],
    ["noc.request_busy", 16],
    ["noc.reply_queue", 16],
    ["noc.reply_busy", sms],
    ["l2.queue", 16],
    ["l2.mshr", 16],
    ["dram.queue", 16, kernels],
    ["dram.busy", 16],
    ["dram.open_row", 16, 16],
  ] as [string, ...number[]][]) {
    sections.push({ name, offset: length, shape, doc: "" });
    length += shape.reduce((a, b) => a * b, 1);
  }
  const layout: FrameLayout = {
    length,
    core_mhz: 1000,
    sections,
    kernels: Array.from({ length: kernels }, (_, k) => `hetero/K${k}`),
    stalls: STALLS.map((title) => ({ key: title, title, doc: "" })),
    warp_states: [],
    sms: Array.from({ length: sms }, (_, i) => ({
      class: i < 4 ? "big" : "small",
      slots,
      schedulers: 2,
      warps: 48,
      threads: 1536,
      registers: i < 4 ? 32768 : 8192,
      shared_bytes: 49152,
      mshrs: 32,
      miss_queue: 8,
      l1_bytes: 24576,
      l1_protocol: "none",
      l1_keeps_read_only: false,
    })),
    banks: 16,
    channels: 16,
    dram_banks: 16,
    mesh: null,
    grids: [],
    arrays: [],
    counters: [],
    capacity: { request_queue: 8, reply_queue: 8, l2_queue: 8, l2_mshr: 256, dram_queue: 128 },
  };
  const values = new Uint32Array(length).fill(1);
  // Every slot holds a kernel's CTA; one cause has nearly all of the cycles.
  const of = (name: string): FrameSection => sections.find((s) => s.name === name) as FrameSection;
  for (let i = 0; i < sms * slots; i++) values[of("sm.slot_kernel").offset + i] = 1 + (i % kernels);
  return { layout, values };
}

test("SMs and the memory path", () => {
  for (const width of WIDTHS)
    for (const [kernels, sms, slots] of [
      [1, 2, 8],
      [2, 16, 32],
      [3, 16, 8],
      [8, 30, 16],
      [2, 56, 32],
    ] as const)
      for (const cause of STALLS.keys()) {
        const { layout, values } = layoutOf(kernels, sms, slots),
          where = `${kernels} kernels, ${sms} SMs, ${width} px, ${STALLS[cause]}`;
        const section = layout.sections.find((s) => s.name === "sm.stalls") as FrameSection;
        const model = new GpuModel(layout),
          { memory } = model;
        for (let frame = 0; frame < 6; frame++) {
          values[0] = 100 * (frame + 1);
          for (let sm = 0; sm < sms; sm++) values[section.offset + sm * STALLS.length + cause] = 1 + 200 * frame;
          model.update(values.slice());
          if (frame !== 0 && frame !== 5) continue;
          clear(drawGpu(model, width, Math.round(0.6 * width), LIGHT), `GPU, ${where}`);
          clear(drawMemory(memory, width, LIGHT), `memory path, ${where}, frame ${frame}`);
        }
      }
});

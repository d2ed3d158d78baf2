// The memory path as a drawing: requests leave the SMs, cross the NoC to the L2 banks, miss to DRAM, and replies come back.
//
// Each stage is a panel with two strips: how full its queues are (bars, full height = capacity), and how busy what they
// wait for is (cells filled by kernel from the bottom, full height = always).
import { byKernel, parts, type Box } from "./marks.ts";
import { Drawing, fitText, textWidth } from "./drawing.ts";
import { percent, whole } from "../model/scale.ts";
import { kernelPaint } from "./theme.ts";
import type { Theme } from "./theme.ts";
import type { Lately, MemoryModel } from "./memory-model.ts";
import type { Cell, Tabular } from "../model/tabular.ts";

const GAP = 30,
  PAD = 10,
  BAR = 52,
  CELL = 30;
const HEIGHT = PAD + 16 + 16 + 10 + 14 + BAR + 16 + 14 + CELL + 16 + PAD - 6;

/** A row of queues, of what they wait for, or of both. */
interface Strip {
  /** What each of them is called, before its number. */
  what: string;
  title: string;
  count: number;
  height: number;
  queue?: { section: string; capacity: number };
  busy?: Lately;
  /** What else is to say of one. */
  more?(i: number): string;
  /** In the table it is a part of the row of this one. */
  of?: string;
}
interface Panel {
  key: string;
  title: string;
  headline: string;
  /** Each kernel's share of it. */
  use: number[];
  strips: Strip[];
}

export function memoryPanels(model: MemoryModel): Panel[] {
  const { layout } = model,
    { capacity: cap, banks, channels } = layout,
    sms = layout.sms.length;
  const shares = (of: (kernel: number) => number): number[] => layout.kernels.map((_, k) => of(k)),
    sum = (parts: readonly number[]): number => parts.reduce((a, b) => a + b, 0);
  const queue = (what: string, section: string, count: number, capacity: number, title: string): Strip => {
    return { what, title: `${title}, of ${capacity}`, count, height: BAR, queue: { section, capacity } };
  };
  const ports = (what: string, busy: Lately, title: string): Strip => {
    return { what, title, count: busy.count, height: CELL, busy };
  };
  const panel = (key: string, title: string, busy: Lately, strips: Strip[]): Panel => {
    const use = shares((k) => busy.mean(k));
    let seen = 0;
    for (let i = 0; i < busy.count; i++) if (busy.used(i) > 0) seen++;
    // A share of one or two frames is no share yet: then it is said how many were seen busy.
    const few = busy.frames === 0 ? "" : `${seen} of ${busy.count} seen busy`;
    return { key, title, headline: busy.frames >= 5 ? `${percent(sum(use), 1)} busy` : few, use, strips };
  };
  const misses = shares((k) => model.meanEntries("l2.mshr", banks, k) / Math.max(1, cap.l2_mshr)),
    mshrs = queue("MSHRs of L2 bank", "l2.mshr", banks, cap.l2_mshr, "misses under way"),
    waiting = queue("DRAM channel", "dram.queue", channels, cap.dram_queue, "queues of the channels");
  const openRows = (i: number): string => `; ${model.openRows(i)} of ${layout.dram_banks} banks have an open row`;
  return [
    panel("request", "Request NoC", model.request, [
      queue("Request queue of SM", "noc.request_queue", sms, cap.request_queue, "queues at the SMs"),
      ports("Request port to L2 bank", model.request, "ports to the L2 banks, by kernel"),
    ]),
    {
      key: "l2",
      title: "L2",
      headline: `${percent(sum(misses), 1)} of MSHRs`,
      use: misses,
      strips: [
        queue("Queue of L2 bank", "l2.queue", banks, cap.l2_queue, "queues at the banks"),
        { ...mshrs, height: CELL },
      ],
    },
    panel("dram", "DRAM", model.dram, [
      { ...waiting, more: openRows },
      { ...ports("Data bus of DRAM channel", model.dram, "data buses, by kernel"), of: waiting.what },
    ]),
    panel("reply", "Reply NoC", model.reply, [
      queue("Reply queue of L2 bank", "noc.reply_queue", banks, cap.reply_queue, "queues at the L2 banks"),
      ports("Reply port to SM", model.reply, "ports to the SMs, by kernel"),
    ]),
  ];
}

/** Each kernel's share of one of a strip. */
function partsOf({ reader, layout }: MemoryModel, { queue, busy }: Strip, i: number): number[] {
  return layout.kernels.map((_, k) =>
    queue ? reader.get(queue.section, i, k) / Math.max(1, queue.capacity) : (busy?.of(i, k) ?? 0),
  );
}

function textOf(model: MemoryModel, { what, queue, busy, more }: Strip, i: number): string {
  const { reader, layout } = model;
  const each = (of: (k: number) => number, least: number, say: (v: number) => string): string =>
    layout.kernels.map((name, k) => (of(k) > least ? `, ${name} ${say(of(k))}` : "")).join("");
  return queue
    ? `${what} ${i}: ${whole(model.entries(queue.section, i))} of ${whole(queue.capacity)} entries${each((k) => reader.get(queue.section, i, k), 0, whole)}${more?.(i) ?? ""}`
    : `${what} ${i}: busy in ${percent(busy?.used(i) ?? 0, 1)} of the last frames${each(
        (k) => busy?.of(i, k) ?? 0,
        0.005,
        (v) => percent(v, 1),
      )}`;
}

export function drawMemory(model: MemoryModel, width: number, t: Theme): Drawing {
  const panels = memoryPanels(model);
  // Four in a line; or a loop of two and two, replies coming back below; or one below the other.
  const columns = width >= 820 ? 4 : width >= 480 ? 2 : 1;
  const rows = Math.ceil(panels.length / columns);
  const w = (width - GAP * (columns - 1)) / columns;
  const d = new Drawing(width, rows * HEIGHT + (rows - 1) * GAP, t.surface, t.font, t.mono);
  const place = panels.map((_, i) => {
    const row = Math.floor(i / columns);
    const column = columns === 2 && row === 1 ? 1 - (i % 2) : i % columns;
    return { x: column * (w + GAP), y: row * (HEIGHT + GAP), column, row };
  });
  for (let i = 0; i + 1 < place.length; i++) {
    const a = place[i]!,
      b = place[i + 1]!;
    if (a.row === b.row) {
      const right = b.x > a.x;
      arrow(d, right ? a.x + w + 4 : a.x - 4, a.y + HEIGHT / 2, right ? b.x - 4 : b.x + w + 4, b.y + HEIGHT / 2, t);
    } else arrow(d, a.x + w / 2, a.y + HEIGHT + 4, b.x + w / 2, b.y - 4, t);
  }
  panels.forEach((p, i) => {
    drawPanel(d, model, p, place[i]!.x, place[i]!.y, w, t);
  });
  return d;
}

function arrow(d: Drawing, x1: number, y1: number, x2: number, y2: number, t: Theme): void {
  const length = Math.hypot(x2 - x1, y2 - y1),
    dx = (x2 - x1) / length,
    dy = (y2 - y1) / length;
  d.line(x1, y1, x2 - dx * 7, y2 - dy * 7, t.lineStrong, 2);
  d.path([x2, y2, x2 - dx * 9 - dy * 5, y2 - dy * 9 + dx * 5, x2 - dx * 9 + dy * 5, y2 - dy * 9 - dx * 5], {
    closed: true,
    fill: t.lineStrong,
  });
}

function drawPanel(d: Drawing, model: MemoryModel, panel: Panel, x: number, y: number, w: number, t: Theme): void {
  d.rect(x + 0.5, y + 0.5, w - 1, HEIGHT - 1, { fill: t.plot, stroke: t.line, radius: 6 });
  const ix = x + PAD,
    iw = w - 2 * PAD;
  let iy = y + PAD;
  d.text(ix, iy + 8, panel.title, t.ink, 13, { weight: 600, baseline: "middle" });
  d.text(ix + iw, iy + 8, fitText(panel.headline, 12, iw - textWidth(panel.title, 14) - 10), t.ink2, 12, {
    align: "end",
    baseline: "middle",
  });
  iy += 22;
  // The stage's mean use at a glance; of L2, its misses under way.
  d.rect(ix, iy, iw, 8, { fill: t.slotEmpty, radius: 2 });
  parts(d, { x: ix, y: iy, w: iw, h: 8 }, byKernel(panel.use, t));
  iy += 18;
  for (const [s, strip] of panel.strips.entries()) {
    d.text(ix, iy + 7, fitText(strip.title, 11, iw), t.ink3, 11, { baseline: "middle" });
    iy += 16;
    drawStrip(d, model, `${panel.key}:${s}`, strip, { x: ix, y: iy, w: iw }, t);
    iy += strip.height + 16;
  }
}

function drawStrip(d: Drawing, model: MemoryModel, id: string, strip: Strip, box: Omit<Box, "h">, t: Theme): void {
  const { x, y, w } = box;
  const n = Math.max(1, strip.count);
  const gap = w / n >= 8 ? 3 : w / n >= 4 ? 1 : 0;
  const bar = Math.min(34, (w - gap * (n - 1)) / n);
  const every = Math.ceil((textWidth(String(n - 1), 10) + 6) / (bar + gap));
  for (let i = 0; i < strip.count; i++) {
    const bx = x + i * (bar + gap);
    d.rect(bx, y, bar, strip.height, { fill: t.slotEmpty });
    let filled = 0;
    partsOf(model, strip, i).forEach((share, k) => {
      const h = Math.min(1 - filled, Math.max(0, share)) * strip.height;
      if (h >= 0.3) d.rect(bx, y + strip.height * (1 - filled) - h, bar, h, { fill: kernelPaint(k, t) });
      filled += h / strip.height;
    });
    if (i % every === 0)
      d.text(bx + bar / 2, y + strip.height + 7, String(i), t.ink3, 10, { align: "middle", baseline: "middle" });
    d.spot(`${id}:${i}`, bx, y, bar + gap, strip.height, () => textOf(model, strip, i));
  }
  d.line(x, y + strip.height + 0.5, x + strip.count * (bar + gap) - gap, y + strip.height + 0.5, t.slotEdge);
}

export function memoryTable(model: MemoryModel): Tabular {
  const { layout, reader } = model;
  const strips = memoryPanels(model).flatMap((panel) => panel.strips);
  const rows = strips
    .filter(({ of }) => of === undefined)
    .flatMap(({ what, count, queue, busy }) => {
      const part = /^[A-Z][a-z]/.test(what) ? what[0]?.toLowerCase() + what.slice(1) : what,
        use = busy ?? strips.find(({ of }) => of === what)?.busy;
      return Array.from({ length: count }, (_, i): Cell[] => [
        part,
        i,
        queue ? model.entries(queue.section, i) : null,
        queue?.capacity ?? null,
        ...layout.kernels.map((_, k) => (queue ? reader.get(queue.section, i, k) : null)),
        ...layout.kernels.map((_, k) => (use ? Math.round(use.of(i, k) * 1000) / 10 : null)),
      ]);
    });
  return {
    title: `Memory path at cycle ${whole(model.cycle)}`,
    columns: [
      { key: "part", title: "Part", unit: "" },
      { key: "number", title: "Number", unit: "" },
      { key: "entries", title: "In use", unit: "entries" },
      { key: "capacity", title: "Capacity", unit: "entries" },
      ...layout.kernels.map((name, k) => ({ key: `entries_${k}_${name}`, title: `Of ${name}`, unit: "entries" })),
      ...layout.kernels.map((name, k) => ({
        key: `busy_${k}_${name}`,
        title: `Busy for ${name}`,
        unit: "% of the last frames",
      })),
    ],
    rows,
  };
}

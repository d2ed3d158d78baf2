// The memory path as a drawing: requests leave the SMs, cross the NoC to the L2 banks, miss to DRAM, and replies come back.
//
// Each stage is a panel with two strips: how full its queues are (bars, full height = capacity), and how busy what they
// wait for is (cells filled by kernel from the bottom, full height = always).
import { Drawing, fitText, textWidth } from "../draw/drawing.ts";
import { percent, whole } from "../draw/scale.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import type { Busy, MemoryModel } from "./memory-model.ts";
import type { Cell, Tabular } from "./tabular.ts";

const GAP = 30,
  PAD = 10,
  BAR = 52,
  CELL = 30;
const HEIGHT = PAD + 16 + 16 + 10 + 14 + BAR + 16 + 14 + CELL + 16 + PAD - 6;

interface Strip {
  title: string;
  prefix: string;
  count: number;
  height: number;
  /** Each kernel's part of an element, from the bottom, as shares of its height. */
  parts: (i: number) => { share: number; kernel: number }[];
  text: (i: number) => string;
}
interface Panel {
  key: string;
  title: string;
  headline: string;
  use: { share: number; kernel: number }[];
  strips: Strip[];
}

export function memoryPanels(model: MemoryModel): Panel[] {
  const { layout, reader } = model;
  const cap = layout.capacity;
  const kernels = layout.kernels.map((_, k) => k);
  // A share of one or two frames is no share yet: then it is said how many were seen busy.
  const busyText = (busy: Busy): string => {
    if (busy.frames >= 5) return `${percent(total(busy), 1)} busy`;
    let seen = 0;
    for (let i = 0; i < busy.count; i++) if (busy.used(i) > 0) seen++;
    return busy.frames === 0 ? "" : `${seen} of ${busy.count} seen busy`;
  };
  const total = (busy: Busy): number => kernels.reduce((sum, k) => sum + busy.mean(k), 0);
  const use = (busy: Busy): Panel["use"] => kernels.map((kernel) => ({ share: busy.mean(kernel), kernel }));
  const queue = (
    what: string,
    prefix: string,
    section: string,
    count: number,
    capacity: number,
    title: string,
  ): Strip => ({
    title,
    prefix,
    count,
    height: BAR,
    parts: (i) => kernels.map((kernel) => ({ share: reader.get(section, i, kernel) / Math.max(1, capacity), kernel })),
    text: (i) =>
      `${what} ${i}: ${whole(model.entries(section, i))} of ${whole(capacity)} entries` +
      kernels
        .filter((k) => reader.get(section, i, k) > 0)
        .map((k) => `, ${layout.kernels[k]} ${whole(reader.get(section, i, k))}`)
        .join(""),
  });
  const ports = (what: string, prefix: string, busy: Busy, title: string): Strip => ({
    title,
    prefix,
    count: busy.count,
    height: CELL,
    parts: (i) => kernels.map((kernel) => ({ share: busy.of(i, kernel), kernel })),
    text: (i) =>
      `${what} ${i}: busy in ${percent(busy.used(i), 1)} of the last frames` +
      kernels
        .filter((k) => busy.of(i, k) > 0.005)
        .map((k) => `, ${layout.kernels[k]} ${percent(busy.of(i, k), 1)}`)
        .join(""),
  });
  const misses = kernels.map((kernel) => ({
    share: model.meanEntries("l2.mshr", layout.banks, kernel) / Math.max(1, cap.l2_mshr),
    kernel,
  }));
  const sms = layout.sms.length;
  const channels = queue(
    "DRAM channel",
    "ch",
    "dram.queue",
    layout.channels,
    cap.dram_queue,
    `queues of the channels, of ${cap.dram_queue}`,
  );
  const entries = channels.text;
  channels.text = (i) => `${entries(i)}; ${model.openRows(i)} of ${layout.dram_banks} banks have an open row`;
  return [
    {
      key: "request",
      title: "Request NoC",
      headline: busyText(model.request),
      use: use(model.request),
      strips: [
        queue(
          "Request queue of SM",
          "SM",
          "noc.request_queue",
          sms,
          cap.request_queue,
          `queues at the SMs, of ${cap.request_queue}`,
        ),
        ports("Request port to L2 bank", "bank", model.request, "ports to the L2 banks, by kernel"),
      ],
    },
    {
      key: "l2",
      title: "L2",
      headline: `${percent(
        misses.reduce((sum, { share }) => sum + share, 0),
        1,
      )} of MSHRs`,
      use: misses,
      strips: [
        queue(
          "Queue of L2 bank",
          "bank",
          "l2.queue",
          layout.banks,
          cap.l2_queue,
          `queues at the banks, of ${cap.l2_queue}`,
        ),
        {
          ...queue(
            "MSHRs of L2 bank",
            "bank",
            "l2.mshr",
            layout.banks,
            cap.l2_mshr,
            `misses under way, of ${cap.l2_mshr}`,
          ),
          height: CELL,
        },
      ],
    },
    {
      key: "dram",
      title: "DRAM",
      headline: busyText(model.dram),
      use: use(model.dram),
      strips: [channels, ports("Data bus of DRAM channel", "ch", model.dram, "data buses, by kernel")],
    },
    {
      key: "reply",
      title: "Reply NoC",
      headline: busyText(model.reply),
      use: use(model.reply),
      strips: [
        queue(
          "Reply queue of L2 bank",
          "bank",
          "noc.reply_queue",
          layout.banks,
          cap.reply_queue,
          `queues at the L2 banks, of ${cap.reply_queue}`,
        ),
        ports("Reply port to SM", "SM", model.reply, "ports to the SMs, by kernel"),
      ],
    },
  ];
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
    drawPanel(d, p, place[i]!.x, place[i]!.y, w, t);
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

function drawPanel(d: Drawing, panel: Panel, x: number, y: number, w: number, t: Theme): void {
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
  let at = ix;
  for (const part of panel.use) {
    const width = part.share * iw;
    if (width >= 0.4) d.rect(at, iy, width, 8, { fill: kernelPaint(part.kernel, t) });
    at += width;
  }
  iy += 18;
  for (const [s, strip] of panel.strips.entries()) {
    d.text(ix, iy + 7, fitText(strip.title, 11, iw), t.ink3, 11, { baseline: "middle" });
    iy += 16;
    drawStrip(d, panel, s, strip, ix, iy, iw, t);
    iy += strip.height + 16;
  }
}

function drawStrip(
  d: Drawing,
  panel: Panel,
  index: number,
  strip: Strip,
  x: number,
  y: number,
  w: number,
  t: Theme,
): void {
  const n = Math.max(1, strip.count);
  const gap = w / n >= 8 ? 3 : w / n >= 4 ? 1 : 0;
  const bar = Math.min(34, (w - gap * (n - 1)) / n);
  const every = Math.ceil((textWidth(String(n - 1), 10) + 6) / (bar + gap));
  for (let i = 0; i < strip.count; i++) {
    const bx = x + i * (bar + gap);
    d.rect(bx, y, bar, strip.height, { fill: t.slotEmpty });
    let filled = 0;
    for (const part of strip.parts(i)) {
      const h = Math.min(1 - filled, Math.max(0, part.share)) * strip.height;
      if (h >= 0.3) d.rect(bx, y + strip.height * (1 - filled) - h, bar, h, { fill: kernelPaint(part.kernel, t) });
      filled += h / strip.height;
    }
    if (i % every === 0)
      d.text(bx + bar / 2, y + strip.height + 7, String(i), t.ink3, 10, { align: "middle", baseline: "middle" });
    d.spot(`${panel.key}:${index}:${i}`, bx, y, bar + gap, strip.height, () => strip.text(i));
  }
  d.line(x, y + strip.height + 0.5, x + strip.count * (bar + gap) - gap, y + strip.height + 0.5, t.slotEdge);
}

export function memoryTable(model: MemoryModel): Tabular {
  const { layout, reader } = model;
  const share = (v: number): number => Math.round(v * 1000) / 10;
  const rows: Cell[][] = [];
  const none = layout.kernels.map(() => null);
  const add = (part: string, i: number, section: string, capacity: number | null, busy: Busy | null): void => {
    const entries = layout.kernels.map((_, k) => reader.get(section, i, k));
    rows.push([
      part,
      i,
      section === "" ? null : model.entries(section, i),
      capacity,
      ...(section === "" ? none : entries),
      ...layout.kernels.map((_, k) => (busy ? share(busy.of(i, k)) : null)),
    ]);
  };
  for (let i = 0; i < layout.sms.length; i++)
    add("request queue of SM", i, "noc.request_queue", layout.capacity.request_queue, null);
  for (let i = 0; i < layout.banks; i++) add("request port to L2 bank", i, "", null, model.request);
  for (let i = 0; i < layout.banks; i++) add("queue of L2 bank", i, "l2.queue", layout.capacity.l2_queue, null);
  for (let i = 0; i < layout.banks; i++) add("MSHRs of L2 bank", i, "l2.mshr", layout.capacity.l2_mshr, null);
  for (let i = 0; i < layout.channels; i++)
    add("DRAM channel", i, "dram.queue", layout.capacity.dram_queue, model.dram);
  for (let i = 0; i < layout.banks; i++)
    add("reply queue of L2 bank", i, "noc.reply_queue", layout.capacity.reply_queue, null);
  for (let i = 0; i < layout.sms.length; i++) add("reply port to SM", i, "", null, model.reply);
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

// The GPU as a drawing: a tile for each SM, and beside them how full the queues of the L2 banks and DRAM channels are.
import { Drawing, fitText, textWidth } from "./drawing.ts";
import { percent, whole } from "../model/scale.ts";
import { byKernel, parts, type Box } from "./marks.ts";
import { kernelPaint, stallPaint } from "./theme.ts";
import type { Paint } from "./drawing.ts";
import type { Fill } from "../parts/palette.ts";
import type { Theme } from "./theme.ts";
import { type Lately, MemoryModel } from "./memory-model.ts";
import { hasClasses, residentText, shownCauses, smGroups, SmModel, smName } from "./sm-model.ts";
import type { FrameLayout } from "../model/types.ts";
import type { SmGroup } from "./sm-model.ts";
import type { Cell, Tabular } from "../model/tabular.ts";

/** Between tiles, and between those of many SMs. */
const GAP = 6,
  NARROW = 4,
  MANY = 48,
  /** The name of a class, above its rows. */
  NAME = 18;
/** The least and the largest tile. */
const LEAST = 12,
  MOST = 264;
/** How much of the width is memory: L2 banks and DRAM channels. */
const MEMORY = 0.3;
/** The line under the columns of memory, which says what they are. */
const CAPTION = 16;
/** Of a bank or channel: how low at least, before there is another column of them, and how high at most. */
const LOW = 7,
  HIGH = 64;
/** The line of quotas and the space above it. */
const QUOTA = 5;

/** Over an SM that drains. */
export const drainPaint = (t: Theme): Fill => ({ colour: t.plot, ink: t.lineStrong, pattern: "back-diagonal" });
/** All stall causes that have no colour of their own here. */
export const otherPaint = (t: Theme): Paint => t.slotEdge;

/** What the GPU does: its SMs, and the memory that they share. */
export class GpuModel extends SmModel {
  readonly memory: MemoryModel;
  constructor(layout: FrameLayout) {
    super(layout);
    this.memory = new MemoryModel(layout);
  }
  override update(frame: Uint32Array): void {
    super.update(frame);
    this.memory.update(frame);
  }
}

/** How the SMs of a group are drawn: where its first row is, how many stand in a row, how large one is. */
interface Rows {
  group: SmGroup;
  top: number;
  columns: number;
  w: number;
  h: number;
  gap: number;
}

/** Each class in rows of its own, under each other; a smaller SM is a smaller tile. The columns that make the largest tiles, in even rows if they can. */
export function placed(layout: FrameLayout, width: number, height: number): Rows[] {
  const groups = smGroups(layout),
    named = hasClasses(layout) ? NAME : 0,
    largest = groups.find(({ scale }) => scale === 1) ?? (groups[0] as SmGroup);
  const gap = layout.sms.length > MANY ? NARROW : GAP;
  let best: { rows: Rows[]; score: number } | null = null;
  for (let of = 1; of <= largest.count; of++) {
    const full = Math.min(MOST, (width - gap * (of - 1)) / of);
    if (full < LEAST && best) break;
    const each = groups.map((group) => {
      const w = full * group.scale,
        columns = group === largest ? of : Math.max(1, Math.min(group.count, Math.floor((width + gap) / (w + gap))));
      return { group, w, columns, lines: Math.ceil(group.count / columns) };
    });
    const lines = each.reduce((sum, { lines: n, group }) => sum + n * group.scale, 0),
      gaps = each.reduce((sum, { lines: n }) => sum + n * gap, 0) + named * groups.length,
      high = Math.min(1.5 * full, (height - gaps) / lines);
    const even = largest.count % of === 0 ? 1 : 0.7,
      // What is left of the width beside the largest tiles is lost.
      filled = (of * (full + gap) - gap) / width,
      score = Math.min(full, 1.2 * high) * even * filled;
    if (best && score < best.score) continue;
    let top = 0;
    const rows = each.map(({ group, w, columns, lines: n }): Rows => {
      const h = Math.max(LEAST, Math.floor(high * group.scale)),
        at = top + named;
      top = at + n * (h + gap);
      return { group, top: at, columns, w, h, gap };
    });
    best = { rows, score };
  }
  return best?.rows ?? [];
}

/** `most` CTAs have been on an SM: slots beyond them are not drawn, so that two runs that are compared have one scale. */
export function drawGpu(model: GpuModel, width: number, height: number, t: Theme, most = model.most): Drawing {
  const d = new Drawing(width, height, t.page, t.font, t.mono),
    memory = Math.round(MEMORY * width),
    each = (memory - 3 * GAP) / 2;
  drawSms(d, model, width - memory, height - CAPTION, most, t);
  const column = (x: number, caption: string, id: string, of: Lately, says: (i: number) => string): void => {
    drawColumn(d, id, of, says, { x, y: 0, w: each, h: height - CAPTION }, t);
    const long = `${caption} queues`;
    d.text(x, height - 3, textWidth(long, 11) > each ? fitText(caption, 11, each) : long, t.ink2, 11);
  };
  const { banks, channels } = model.memory;
  column(width - 2 * each - GAP, "L2", "bank", banks, (i) => bankText(model.memory, i));
  column(width - each, "DRAM", "channel", channels, (i) => channelText(model.memory, i));
  return d;
}

/** The SMs alone, no higher than they need. */
export function smsAlone(model: SmModel, width: number, t: Theme): Drawing {
  const d = new Drawing(width, 0, t.page, t.font, t.mono);
  drawSms(d, model, width, 0.4 * width, model.most, t);
  d.height = Math.max(28, ...d.spots.map(({ y, h }) => y + h));
  return d;
}

function drawSms(d: Drawing, model: SmModel, width: number, height: number, most: number, t: Theme): void {
  const quotas = model.hasQuotas(),
    named = hasClasses(model.layout);
  for (const { group, top, columns, w, h, gap } of placed(model.layout, width, height)) {
    if (named) {
      const text = `${group.count} ${group.name}: ${residentText(model, group.first, group.count)}`;
      d.text(0, top - NAME / 2, fitText(text, 11, width), t.ink2, 11, { baseline: "middle" });
    }
    for (let i = 0; i < group.count; i++) {
      const sm = group.first + i,
        x = (i % columns) * (w + gap),
        y = top + Math.floor(i / columns) * (h + gap);
      d.rect(x + 0.5, y + 0.5, w - 1, h - 1, {
        fill: model.drains(sm).length > 0 ? drainPaint(t) : t.plot,
        stroke: t.line,
        radius: w < 40 ? 2 : 5,
      });
      drawTile(d, model, sm, most, { x, y, w, h }, quotas, t);
      d.spot(`sm:${sm}`, x, y, w, h, () => describe(model, sm));
    }
  }
}

/** Banks or channels below each other, each a bar that is full where its queue is; many stand in several columns. */
function drawColumn(d: Drawing, id: string, of: Lately, says: (i: number) => string, room: Box, t: Theme): void {
  const columns = Math.max(1, Math.ceil((of.count * LOW) / room.h)),
    rows = Math.ceil(of.count / columns),
    w = (room.w - GAP * (columns - 1)) / columns,
    step = Math.min(HIGH, room.h / rows),
    h = step - Math.min(4, 0.25 * step);
  for (let i = 0; i < of.count; i++) {
    const x = room.x + Math.floor(i / rows) * (w + GAP),
      y = (i % rows) * step,
      shares = Array.from({ length: of.kernels }, (_, k) => of.of(i, k));
    d.rect(x, y, w, h, { fill: t.slotEmpty, radius: 2 });
    parts(d, { x, y, w, h }, byKernel(shares, t));
    d.spot(`${id}:${i}`, x, y, w, step, () => says(i));
  }
}

/** How full a queue is lately, and of whom. */
function queueText({ layout }: MemoryModel, of: Lately, i: number): string {
  const each = layout.kernels.map((name, k) => `${name} ${percent(of.of(i, k), 1)}`);
  return `its queue is ${percent(of.used(i), 1)} full lately (${each.join(", ")})`;
}
const bankText = (m: MemoryModel, i: number): string =>
  `L2 bank ${i}: ${queueText(m, m.banks, i)}; ${whole(m.entries("l2.mshr", i))} of ${whole(m.layout.capacity.l2_mshr)} misses under way`;
const channelText = (m: MemoryModel, i: number): string =>
  `DRAM channel ${i}: ${queueText(m, m.channels, i)}; ${m.openRows(i)} of ${m.layout.dram_banks} banks have an open row`;

/** CTAs by kernel; below, issue slots by cause, and what is left of quotas. */
function drawTile(d: Drawing, model: SmModel, sm: number, most: number, tile: Box, quotas: boolean, t: Theme): void {
  const pad = tile.w < 24 ? 2 : tile.w < 60 ? 3 : 6,
    inner = { x: tile.x + pad, y: tile.y + pad, w: tile.w - 2 * pad },
    line = quotas && tile.h >= 24 ? QUOTA : 0,
    h = tile.h - 2 * pad - line,
    space = Math.max(1, Math.round(0.1 * h)),
    slots = Math.floor(0.62 * (h - space));
  drawSlots(d, model, sm, most, { ...inner, h: slots }, t);
  drawIssue(d, model, sm, { ...inner, y: inner.y + slots + space, h: h - slots - space }, t);
  if (line > 0) drawQuotas(d, model, sm, { ...inner, y: tile.y + tile.h - pad - 3, h: 3 }, t);
}

/** The CTAs by kernel, and empty slots up to the most that an SM has held; as few rows as leave each of them 2 px and a gap. */
function drawSlots(d: Drawing, model: SmModel, sm: number, most: number, { x, y, w, h }: Box, t: Theme): void {
  const count = Math.min(most, model.layout.sms[sm]?.slots ?? 0);
  if (count === 0) return;
  const held = model.held(sm);
  const rows = Math.ceil(most / Math.max(1, Math.floor((w + 1) / 3))),
    inRow = Math.ceil(most / rows),
    pitch = Math.min(24, (w + 1) / inRow),
    step = (h + 1) / rows,
    high = Math.max(1, step - 1);
  for (let i = 0; i < count; i++) {
    const cx = x + (i % inRow) * pitch,
      cy = y + Math.floor(i / inRow) * step,
      cta = held[i];
    // A CTA that moves does nothing else: its upper half is left when it leaves, the lower one when it comes back.
    if (!cta || cta.way > 0) d.rect(cx, cy, pitch - 1, high, { fill: t.slotEmpty });
    if (cta)
      d.rect(cx, cta.way === 2 ? cy + high / 2 : cy, pitch - 1, cta.way > 0 ? high / 2 : high, {
        fill: kernelPaint(cta.kernel, t),
      });
  }
}

/** The issue slots lately, in the order of the legend; only a frame before the schedulers have run. */
function drawIssue(d: Drawing, model: SmModel, sm: number, bar: Box, t: Theme): void {
  const { x, y, w, h } = bar,
    shares = model.shares(sm);
  if (shares.every((share) => share === 0)) {
    d.rect(x + 0.5, y + 0.5, w - 1, h - 1, { stroke: t.slotEdge });
    return;
  }
  d.rect(x, y, w, h, { fill: otherPaint(t) });
  parts(d, bar, issueParts(model, shares, t));
}

/** What a bar of issue slots shows, without what is other. */
function issueParts(model: SmModel, shares: readonly number[], t: Theme): { share: number; paint: Paint }[] {
  return [
    ...byKernel(shares.slice(0, model.kernels), t),
    ...shownCauses(model.layout).map(({ stall }) => ({
      share: shares[model.kernels + stall] ?? 0,
      paint: stallPaint(stall, t),
    })),
  ];
}

/** A line for each kernel with a quota, beside each other: as long as what is left of what a refill gives. */
function drawQuotas(d: Drawing, model: SmModel, sm: number, { x, y, w, h }: Box, t: Theme): void {
  const given = model.quotas(sm).flatMap((one, k) => (one ? [{ ...one, k }] : []));
  const room = (w - 2 * Math.max(0, given.length - 1)) / Math.max(1, given.length);
  given.forEach(({ left, quota, k }, i) => {
    const at = x + i * (room + 2),
      share = quota > 0 ? Math.min(1, Math.max(0, left / quota)) : 0;
    d.rect(at, y, room, h, { fill: t.slotEmpty });
    parts(d, { x: at, y, w: room, h }, [{ share, paint: kernelPaint(k, t) }]);
  });
}

function describe(model: SmModel, sm: number): string {
  const { layout } = model,
    limit = model.limiting(sm),
    shares = model.shares(sm),
    drains = model.drains(sm).map((k) => layout.kernels[k] ?? "?"),
    slots = layout.sms[sm]?.slots ?? 0;
  const slices = shares
    .map((share, i) => ({ share, name: layout.kernels[i] ?? layout.stalls[i - model.kernels]?.title ?? "?" }))
    .filter(({ share }) => share >= 0.005);
  const ctas = model.ctas(sm),
    issued = shares.slice(0, model.kernels).reduce((a, b) => a + b, 0);
  return [
    `${smName(layout, sm)}: CTAs ${layout.kernels.map((name, k) => `${ctas[k]} of ${name}`).join(", ")}, in ${ctas.reduce((a, b) => a + b, 0)} of ${slots} slots`,
    ...(drains.length > 0 ? [`drains: more CTAs of ${drains.join(" and ")} than it may hold`] : []),
    shares.some((share) => share > 0)
      ? `schedulers issued in ${percent(issued, 1)} of cycles lately (${slices.map(({ name, share }) => `${name} ${percent(share, 1)}`).join(", ")})`
      : "schedulers have not run yet",
    ...(limit ? [`fullest resource ${limit.title.toLowerCase()}, ${percent(limit.used, limit.capacity)}`] : []),
    ...quotasText(model, sm),
  ].join("; ");
}

function quotasText(model: SmModel, sm: number): string[] {
  const given = model
    .quotas(sm)
    .flatMap((one, k) =>
      one
        ? [
            `${model.layout.kernels[k] ?? "?"} ${whole(one.left)} of ${whole(one.quota)}${one.left <= 0 ? ", it waits for the next refill" : ""}`,
          ]
        : [],
    );
  return given.length > 0 ? [`left of each quota: ${given.join(", ")}`] : [];
}

/** The SMs as a table: one row for each. */
export function smTable(model: SmModel): Tabular {
  const { layout } = model,
    quotas = model.hasQuotas();
  return {
    title: `SMs at cycle ${whole(model.cycle)}`,
    columns: [
      { key: "sm", title: "SM", unit: "" },
      { key: "class", title: "Class", unit: "" },
      ...layout.kernels.map((name, k) => ({ key: `ctas_${k}_${name}`, title: `CTAs of ${name}`, unit: "CTAs" })),
      ...layout.kernels.map((name, k) => ({
        key: `issued_${k}_${name}`,
        title: `Issued for ${name}`,
        unit: "% of scheduler-cycles lately",
      })),
      ...layout.stalls.map((s) => ({
        key: `stall_${s.key}`,
        title: s.title,
        unit: "% of scheduler-cycles lately",
        doc: s.doc,
      })),
      ...(quotas
        ? layout.kernels.flatMap((name, k) => [
            { key: `quota_left_${k}_${name}`, title: `Quota left of ${name}`, unit: "instructions" },
            { key: `quota_${k}_${name}`, title: `Quota of ${name}`, unit: "instructions" },
          ])
        : []),
      { key: "drains", title: "Drains", unit: "kernels with more CTAs than they may hold" },
      { key: "limit", title: "Fullest resource", unit: "" },
      { key: "limit_use", title: "Its use", unit: "%" },
    ],
    rows: layout.sms.map((shape, sm): Cell[] => {
      const shares = model.shares(sm);
      const any = shares.some((s) => s > 0);
      const limit = model.limiting(sm);
      return [
        sm,
        shape.class,
        ...layout.kernels.map((_, k) => model.reader.get("sm.ctas", sm, k)),
        ...shares.map((s) => (any ? Math.round(s * 1000) / 10 : null)),
        ...(quotas ? model.quotas(sm).flatMap((one) => [one?.left ?? null, one?.quota ?? null]) : []),
        model
          .drains(sm)
          .map((k) => layout.kernels[k] ?? "?")
          .join(", ") || null,
        limit?.title ?? null,
        limit ? Math.round((limit.used / limit.capacity) * 1000) / 10 : null,
      ];
    }),
  };
}

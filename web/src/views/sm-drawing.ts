// The SM grid as a drawing: a tile for each SM, or a cell where there are too many for tiles.
import { Drawing, fitText } from "../draw/drawing.ts";
import { percent, whole } from "../draw/scale.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Fill, Paint } from "../draw/drawing.ts";
import type { Theme } from "../draw/theme.ts";
import { stallPaint } from "./chart-drawing.ts";
import { columnsFor, hasClasses, residentText, shownCauses, smGroups, smName } from "./sm-model.ts";
import type { FrameLayout } from "../types.ts";
import type { SmGroup, SmModel } from "./sm-model.ts";
import type { Cell, Tabular } from "./tabular.ts";

const GAP = 4,
  CELL_GAP = 2,
  /** The name of a class, above its rows. */
  NAME = 18;
/** How wide a tile is at least where that makes few rows, and otherwise; how wide at most; more rows of tiles make cells of them. */
const WISHED = 40,
  FEW = 3,
  LEAST = 24,
  MOST = 200,
  ROWS = 4;
const LEAST_CELL = 18,
  MOST_CELL = 30;
/** The line of quotas and the space above it. */
const QUOTA = 5;

/** Over an SM that drains. */
export const drainPaint = (t: Theme): Fill => ({ colour: t.plot, ink: t.lineStrong, pattern: "back-diagonal" });
/** All stall causes that have no colour of their own here. */
export const otherPaint = (t: Theme): Paint => t.slotEdge;

/** How the SMs of a group are drawn: where its name and its first row are, how many stand in a row, how large one is. */
interface Rows {
  group: SmGroup;
  top: number;
  columns: number;
  w: number;
  h: number;
}
interface Layout {
  cells: boolean;
  gap: number;
  rows: Rows[];
  height: number;
}

function inRow({ count }: SmGroup, width: number): number {
  const wished = columnsFor(count, width, WISHED, GAP);
  return Math.ceil(count / wished) <= FEW ? wished : columnsFor(count, width, LEAST, GAP);
}
/** Whether there are too many SMs for tiles at that width. */
export function asCells(layout: FrameLayout, width: number): boolean {
  const groups = smGroups(layout);
  return groups.reduce((sum, group) => sum + Math.ceil(group.count / inRow(group, width)), 0) > ROWS * groups.length;
}

/** Each class in rows of its own, under each other; a smaller SM is a smaller tile. */
function placed(layout: FrameLayout, width: number, quotas: boolean): Layout {
  const groups = smGroups(layout),
    named = hasClasses(layout),
    cells = asCells(layout, width),
    gap = cells ? CELL_GAP : GAP;
  const largest = groups.find(({ scale }) => scale === 1) ?? (groups[0] as SmGroup);
  const of = cells ? columnsFor(largest.count, width, LEAST_CELL, gap) : inRow(largest, width),
    full = Math.min(cells ? MOST_CELL : MOST, (width - gap * (of - 1)) / of);
  let top = 0;
  const rows = groups.map((group): Rows => {
    const w = full * group.scale,
      columns = group === largest ? of : columnsFor(group.count, width, w, gap);
    const h = cells
      ? Math.round(Math.min(16, Math.max(12, w * 0.5)))
      : Math.round(Math.min(40, Math.max(28, w * 0.66))) + (quotas ? QUOTA : 0);
    if (named) top += NAME;
    const at = top;
    top += Math.ceil(group.count / columns) * (h + gap) - gap + (named ? 6 : 0);
    return { group, top: at, columns, w, h };
  });
  return { cells, gap, rows, height: top };
}

/** `most` CTAs have been on an SM: slots beyond them are not drawn, so that two runs that are compared have one scale. */
export function drawSms(model: SmModel, width: number, t: Theme, selected: number | null, most = model.most): Drawing {
  const quotas = model.hasQuotas(),
    named = hasClasses(model.layout),
    { cells, gap, rows, height } = placed(model.layout, width, quotas);
  const d = new Drawing(width, Math.max(28, height), t.page, t.font, t.mono);
  for (const { group, top, columns, w, h } of rows) {
    if (named) {
      const text = `${group.count} ${group.name}: ${residentText(model, group.first, group.count)}`;
      d.text(0, top - NAME / 2, fitText(text, 11, width), t.ink2, 11, { baseline: "middle" });
    }
    for (let i = 0; i < group.count; i++) {
      const sm = group.first + i,
        x = (i % columns) * (w + gap),
        y = top + Math.floor(i / columns) * (h + gap);
      const drains = model.drains(sm).length > 0,
        chosen = sm === selected;
      d.rect(x + 0.5, y + 0.5, w - 1, h - 1, {
        fill: drains ? drainPaint(t) : t.plot,
        stroke: chosen ? t.accent : t.line,
        width: chosen ? 2 : 1,
        radius: cells ? 1 : 3,
      });
      // Inside a cell that drains, its hatching is a frame.
      if (cells) drawCell(d, model, sm, x, y, w, h, drains ? 3 : 1, t);
      else drawTile(d, model, sm, most, x, y, w, h, quotas, t);
      d.spot(`sm:${sm}`, x, y, w, h, () => describe(model, sm));
    }
  }
  return d;
}

/** CTAs by kernel; issue slots by cause; what is left of quotas. */
function drawTile(
  d: Drawing,
  model: SmModel,
  sm: number,
  most: number,
  x: number,
  y: number,
  w: number,
  h: number,
  quotas: boolean,
  t: Theme,
): void {
  const pad = w < 80 ? 3 : 5,
    ix = x + pad,
    iw = w - 2 * pad,
    ih = h - 2 * pad - (quotas ? QUOTA : 0);
  const slotsH = Math.floor((ih - 3) / 2);
  drawSlots(d, model, sm, most, ix, y + pad, iw, slotsH, t);
  drawIssue(d, model, sm, ix, y + pad + slotsH + 3, iw, ih - slotsH - 3, t);
  if (quotas) drawQuotas(d, model, sm, ix, y + h - pad - 3, iw, t);
}

/** The CTAs by kernel, and empty slots up to the most that an SM has held; as few rows as leave each of them 2 px and a gap. */
function drawSlots(
  d: Drawing,
  model: SmModel,
  sm: number,
  most: number,
  x: number,
  y: number,
  w: number,
  h: number,
  t: Theme,
): void {
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
function drawIssue(d: Drawing, model: SmModel, sm: number, x: number, y: number, w: number, h: number, t: Theme): void {
  const shares = model.shares(sm);
  if (shares.every((share) => share === 0)) {
    d.rect(x + 0.5, y + 0.5, w - 1, h - 1, { stroke: t.slotEdge });
    return;
  }
  d.rect(x, y, w, h, { fill: otherPaint(t) });
  let at = x;
  for (const { share, paint } of issueParts(model, shares, t)) {
    if (share * w >= 0.4) d.rect(at, y, share * w, h, { fill: paint });
    at += share * w;
  }
}

/** What a bar of issue slots shows, without what is other. */
function issueParts(model: SmModel, shares: readonly number[], t: Theme): { share: number; paint: Paint }[] {
  return [
    ...shares.slice(0, model.kernels).map((share, k) => ({ share, paint: kernelPaint(k, t) })),
    ...shownCauses(model.layout).map(({ stall }) => ({
      share: shares[model.kernels + stall] ?? 0,
      paint: stallPaint(stall, t),
    })),
  ];
}

/** The mix of kernels that are resident, and below it the main cause of stalls, as strong as its share. */
function drawCell(
  d: Drawing,
  model: SmModel,
  sm: number,
  x: number,
  y: number,
  w: number,
  h: number,
  pad: number,
  t: Theme,
): void {
  const ix = x + pad,
    iw = w - 2 * pad,
    ih = h - 2 * pad,
    causeH = 4;
  const ctas = model.ctas(sm),
    all = ctas.reduce((a, b) => a + b, 0);
  d.rect(ix, y + pad, iw, ih, { fill: t.slotEmpty });
  let at = ix;
  ctas.forEach((n, k) => {
    const part = all > 0 ? (iw * n) / all : 0;
    d.rect(at, y + pad, part, ih - causeH, { fill: kernelPaint(k, t) });
    at += part;
  });
  const main = mainCause(model, sm, t);
  if (main)
    d.rect(ix, y + pad + ih - causeH + 1, iw, causeH - 1, { fill: main.paint, opacity: 0.25 + 0.75 * main.share });
}

/** The largest of the causes that the legend names, other ones together. */
function mainCause(model: SmModel, sm: number, t: Theme): { share: number; paint: Paint } | null {
  const shares = model.shares(sm),
    parts = issueParts(model, shares, t);
  const known = parts.reduce((sum, { share }) => sum + share, 0);
  const causes = [...parts.slice(model.kernels), { share: 1 - known, paint: otherPaint(t) }];
  return shares.some((share) => share > 0) ? causes.reduce((a, b) => (b.share > a.share ? b : a)) : null;
}

/** A line for each kernel with a quota, beside each other: as long as what is left of what a refill gives. */
function drawQuotas(d: Drawing, model: SmModel, sm: number, x: number, y: number, w: number, t: Theme): void {
  const given = model.quotas(sm).flatMap((one, k) => (one ? [{ ...one, k }] : []));
  const room = (w - 2 * Math.max(0, given.length - 1)) / Math.max(1, given.length);
  given.forEach(({ left, quota, k }, i) => {
    const at = x + i * (room + 2),
      part = quota > 0 ? Math.min(1, Math.max(0, left / quota)) : 0;
    d.rect(at, y, room, 3, { fill: t.slotEmpty });
    if (part * room >= 0.4) d.rect(at, y, part * room, 3, { fill: kernelPaint(k, t) });
  });
}

function describe(model: SmModel, sm: number): string {
  const { layout } = model,
    limit = model.limiting(sm),
    shares = model.shares(sm),
    drains = model.drains(sm).map((k) => layout.kernels[k] ?? "?"),
    slots = layout.sms[sm]?.slots ?? 0;
  const parts = shares
    .map((share, i) => ({ share, name: layout.kernels[i] ?? layout.stalls[i - model.kernels]?.title ?? "?" }))
    .filter(({ share }) => share >= 0.005);
  const ctas = model.ctas(sm),
    issued = shares.slice(0, model.kernels).reduce((a, b) => a + b, 0);
  return [
    `${smName(layout, sm)}: CTAs ${layout.kernels.map((name, k) => `${ctas[k]} of ${name}`).join(", ")}, in ${ctas.reduce((a, b) => a + b, 0)} of ${slots} slots`,
    ...(drains.length > 0 ? [`drains: more CTAs of ${drains.join(" and ")} than it may hold`] : []),
    shares.some((share) => share > 0)
      ? `schedulers issued in ${percent(issued, 1)} of cycles lately (${parts.map(({ name, share }) => `${name} ${percent(share, 1)}`).join(", ")})`
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

/** The same picture as a table: one row for each SM. */
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

// The SM grid as a drawing.
import { Drawing, fitText, textWidth } from "../draw/drawing.ts";
import { percent, whole } from "../draw/scale.ts";
import { kernelInk, kernelPaint } from "../draw/theme.ts";
import type { Fill } from "../draw/drawing.ts";
import type { Theme } from "../draw/theme.ts";
import { kernelStyle } from "../palette.ts";
import { stallPaint } from "./chart-drawing.ts";
import { columnsFor, hasClasses, smGroups, smName } from "./sm-model.ts";
import type { SmGroup, SmModel } from "./sm-model.ts";
import type { Cell, Tabular } from "./tabular.ts";

const GAP = 8,
  PAD = 8;
/** An SM is at least so wide; where there are classes, one of the largest, and any. */
const LEAST = 112,
  LEAST_LARGE = 150,
  LEAST_SMALL = 124;

/** Over an SM that drains. */
export const drainPaint = (t: Theme): Fill => ({ colour: t.plot, ink: t.slotEdge, pattern: "back-diagonal" });

/** How the SMs of a group are drawn: where its first row begins, how many stand in a row, how large one is, and its slots. */
interface Tiles {
  group: SmGroup;
  top: number;
  columns: number;
  w: number;
  h: number;
  perRow: number;
  cellW: number;
  cellH: number;
  slotsH: number;
}

/** Each class in rows of its own, under each other: a smaller SM is narrower, and its slots are as large as those of the largest. */
function placed(model: SmModel, width: number, quotas: boolean): Tiles[] {
  const groups = smGroups(model.layout),
    classes = groups.length > 1,
    slotsOf = ({ first }: SmGroup): number => Math.max(1, model.layout.sms[first]?.slots ?? 1);
  const largest = groups.find(({ scale }) => scale === 1),
    most = largest ? slotsOf(largest) : 1;
  const columnsOfAll = columnsFor(largest?.count ?? 1, width, classes ? LEAST_LARGE : LEAST, GAP),
    full = Math.min(280, (width - GAP * (columnsOfAll - 1)) / columnsOfAll);
  const inRow =
    most <= 4 ? most : most <= 8 ? (full >= 150 ? most : Math.ceil(most / 2)) : full >= 150 ? Math.min(16, most) : 8;
  const cellW = (full - 2 * PAD - 2 * (inRow - 1)) / inRow,
    cellH = Math.ceil(most / inRow) > 2 ? 10 : Math.min(24, Math.max(14, cellW * 0.9));
  let top = 0;
  return groups.map((group): Tiles => {
    const w = Math.min(full, Math.max(LEAST_SMALL, full * group.scale)),
      slots = slotsOf(group);
    const perRow = Math.min(inRow, slots, Math.max(1, Math.floor((w - 2 * PAD + 2.01) / (cellW + 2)))),
      rows = Math.ceil(slots / perRow);
    const columns = w === full && group === largest ? columnsOfAll : columnsFor(group.count, width, Math.floor(w), GAP);
    const slotsH = rows * cellH + (rows - 1) * 2,
      h = PAD + 18 + slotsH + 9 + 9 + 17 + 5 + 9 + 17 + 5 + (quotas ? 9 + 17 + 5 : 0);
    const at = top;
    top += Math.ceil(group.count / columns) * (h + GAP);
    return { group, top: at, columns, w, h, perRow, cellW, cellH, slotsH };
  });
}

export function drawSms(model: SmModel, width: number, t: Theme, selected: number | null): Drawing {
  const { layout, reader } = model;
  const quotas = model.hasQuotas(),
    classes = hasClasses(layout);
  const tiles = placed(model, width, quotas),
    bottom = tiles.reduce(
      (_, { top, h, columns, group }) => top + Math.ceil(group.count / columns) * (h + GAP) - GAP,
      0,
    );
  const d = new Drawing(width, Math.max(40, bottom), t.surface, t.font, t.mono);

  for (const { group, top, columns, w: tile, h: height, perRow, cellW, cellH, slotsH } of tiles)
    for (let i = 0; i < group.count; i++) {
      const sm = group.first + i,
        shape = layout.sms[sm]!;
      const x = (i % columns) * (tile + GAP),
        y = top + Math.floor(i / columns) * (height + GAP);
      const chosen = sm === selected,
        drains = model.drains(sm).length > 0;
      d.rect(x + 0.5, y + 0.5, tile - 1, height - 1, {
        fill: drains ? drainPaint(t) : t.plot,
        stroke: chosen ? t.accent : t.line,
        width: chosen ? 2 : 1,
        radius: 6,
      });
      d.spot(`sm:${sm}`, x, y, tile, height, () => describe(model, sm));

      const ix = x + PAD,
        iw = tile - 2 * PAD;
      let iy = y + PAD;
      const resident = model.resources(sm).find((r) => r.key === "sm.ctas")?.used ?? 0;
      const count = `${resident}/${shape.slots}`;
      d.text(ix, iy + 8, `SM ${sm}`, t.ink, 12, { weight: 600, baseline: "middle" });
      const after = textWidth(`SM ${sm}`, 12) + 8,
        room = iw - after - textWidth(count, 11) - 4;
      const named = classes ? shape.class : "",
        label = [named, ...(drains ? ["drains"] : [])].filter((word) => word !== "").join(", ");
      d.text(ix + after, iy + 8, fitText(textWidth(label, 10) <= room ? label : named, 10, room), t.ink3, 10, {
        baseline: "middle",
      });
      d.text(ix + iw, iy + 8, count, t.ink3, 11, { align: "end", baseline: "middle" });
      iy += 18;

      for (let slot = 0; slot < shape.slots; slot++) {
        const cx = ix + (slot % perRow) * (cellW + 2),
          cy = iy + Math.floor(slot / perRow) * (cellH + 2);
        const holds = reader.get("sm.slot_kernel", sm, slot);
        if (holds === 0) {
          d.rect(cx + 0.5, cy + 0.5, cellW - 1, cellH - 1, { fill: t.slotEmpty, stroke: t.slotEdge, radius: 2 });
        } else {
          const paint = kernelPaint(holds - 1, t);
          d.rect(cx, cy, cellW, cellH, { fill: paint, radius: 2 });
          if (cellW >= 15 && cellH >= 12) {
            d.text(cx + cellW / 2, cy + cellH / 2 + 0.5, kernelStyle(holds - 1).number, kernelInk(holds - 1, t), 10, {
              align: "middle",
              baseline: "middle",
              weight: 700,
              ...(paint.pattern === "plain" ? {} : { halo: paint.colour }),
            });
          }
        }
        // A CTA that moves does nothing else: a bar below says so when it leaves, above when it comes back.
        const way = reader.get("sm.slot_switch", sm, slot);
        if (way > 0) d.rect(cx, way === 1 ? cy + cellH - 3 : cy, cellW, 3, { fill: t.slotEmpty });
        d.spot(`slot:${sm}:${slot}`, cx, cy, cellW, cellH, () => describeSlot(model, sm, slot));
      }
      iy += slotsH + 9;

      const shares = model.shares(sm);
      bar(d, ix, iy, iw, t);
      let at = ix;
      let issued = 0,
        worst = -1;
      shares.forEach((share, i) => {
        const w = share * iw;
        const paint = i < model.kernels ? kernelPaint(i, t) : stallPaint(i - model.kernels, t);
        if (w >= 0.4) d.rect(at, iy, w, 9, { fill: paint });
        at += w;
        if (i < model.kernels) issued += share;
        else if (worst < 0 || share > (shares[worst] as number)) worst = i;
      });
      const active = shares.some((s) => s > 0);
      const waits = worst >= 0 && (shares[worst] as number) > 0.005 ? ` ${percent(shares[worst] as number, 1)}` : "";
      const cause = layout.stalls[worst - model.kernels]?.title ?? "";
      // Both if they fit; on a narrow tile the shares alone, and of the cause's name as much as there is room for.
      const done = active ? `issued ${percent(issued, 1)}` : "not started";
      const both = waits === "" || textWidth(done, 11) + textWidth(`${cause}${waits}`, 11) + 18 <= iw;
      const left = both ? done : percent(issued, 1);
      d.text(ix, iy + 19, left, t.ink2, 11, { baseline: "middle" });
      if (waits !== "")
        d.text(
          ix + iw,
          iy + 19,
          `${fitText(cause, 11, iw - textWidth(left, 11) - textWidth(waits, 11) - 12)}${waits}`,
          t.ink3,
          11,
          { align: "end", baseline: "middle" },
        );
      d.spot(`issue:${sm}`, ix, iy - 2, iw, 26, () => describeIssue(model, sm));
      iy += 9 + 17 + 5;

      const limit = model.limiting(sm);
      bar(d, ix, iy, iw, t);
      if (limit) {
        let ax = ix;
        for (let k = 0; k < model.kernels; k++) {
          const w = (iw * reader.get(limit.key, sm, k)) / limit.capacity;
          if (w >= 0.4) d.rect(ax, iy, Math.min(w, ix + iw - ax), 9, { fill: kernelPaint(k, t) });
          ax += w;
        }
        const used = percent(limit.used, limit.capacity);
        d.text(ix, iy + 19, fitText(limit.title, 11, iw - textWidth(used, 11) - 6), t.ink2, 11, { baseline: "middle" });
        d.text(ix + iw, iy + 19, used, t.ink3, 11, { align: "end", baseline: "middle" });
        d.spot(`use:${sm}`, ix, iy - 2, iw, 26, () => describeUse(model, sm));
      }
      if (quotas) drawQuotas(d, model, sm, ix, iy + 9 + 17 + 5, iw, t);
    }
  return d;
}

/** A bar for each kernel with a quota, beside each other: as long as what is left of what a refill gives, and the kernels that wait for the next one. */
function drawQuotas(d: Drawing, model: SmModel, sm: number, x: number, y: number, w: number, t: Theme): void {
  const given = model.quotas(sm).flatMap((one, k) => (one ? [{ ...one, k }] : []));
  const room = (w - 4 * Math.max(0, given.length - 1)) / Math.max(1, given.length);
  given.forEach(({ left, quota, k }, i) => {
    const at = x + i * (room + 4);
    bar(d, at, y, room, t);
    const part = quota > 0 ? Math.min(1, Math.max(0, left / quota)) : 0;
    if (part * room >= 0.4) d.rect(at, y, part * room, 9, { fill: kernelPaint(k, t) });
  });
  const spent = given.filter(({ left }) => left <= 0).map(({ k }) => kernelStyle(k).number);
  d.text(x, y + 19, given.length === 0 ? "no quota" : "Quota left", t.ink2, 11, { baseline: "middle" });
  if (spent.length > 0)
    d.text(x + w, y + 19, `${spent.join(", ")} waits`, t.ink3, 11, { align: "end", baseline: "middle" });
  d.spot(`quota:${sm}`, x, y - 2, w, 26, () => describeQuotas(model, sm));
}

function bar(d: Drawing, x: number, y: number, w: number, t: Theme): void {
  d.rect(x, y, w, 9, { fill: t.slotEmpty });
}

function describe(model: SmModel, sm: number): string {
  const limit = model.limiting(sm);
  const shares = model.shares(sm);
  const issued = shares.slice(0, model.kernels).reduce((a, b) => a + b, 0);
  const ctas = model.layout.kernels.map((name, k) => `${model.reader.get("sm.ctas", sm, k)} of ${name}`).join(", ");
  const drains = model.drains(sm).map((k) => model.layout.kernels[k] ?? "?");
  return (
    `${smName(model.layout, sm)}: CTAs ${ctas}${drains.length > 0 ? `; drains: more CTAs of ${drains.join(" and ")} than it may hold` : ""}; schedulers issued in ${percent(issued, 1)} of cycles` +
    (limit ? `; fullest resource ${limit.title.toLowerCase()}, ${percent(limit.used, limit.capacity)}` : "")
  );
}

function describeSlot(model: SmModel, sm: number, slot: number): string {
  const holds = model.reader.get("sm.slot_kernel", sm, slot);
  if (holds === 0) return `SM ${sm}, slot ${slot}: empty`;
  return (
    `SM ${sm}, slot ${slot}: CTA ${whole(model.reader.get("sm.slot_cta", sm, slot))} of ${model.layout.kernels[holds - 1] ?? "?"}, ` +
    `resident for ${whole(model.reader.get("sm.slot_age", sm, slot))} cycles${["", ", leaves by a context switch", ", its context is on the way here"][model.reader.get("sm.slot_switch", sm, slot)] ?? ""}`
  );
}

function describeIssue(model: SmModel, sm: number): string {
  const parts = model
    .shares(sm)
    .map((share, i) => ({
      share,
      name:
        i < model.kernels
          ? `issued for ${model.layout.kernels[i]}`
          : (model.layout.stalls[i - model.kernels]?.title ?? ""),
    }))
    .filter((p) => p.share > 0)
    .sort((a, b) => b.share - a.share);
  return parts.length === 0
    ? `SM ${sm}: schedulers have not run yet`
    : `SM ${sm}, scheduler-cycles lately: ${parts.map((p) => `${p.name} ${percent(p.share, 1)}`).join(", ")}`;
}

function describeUse(model: SmModel, sm: number): string {
  return `SM ${sm}: ${model
    .resources(sm)
    .map((r) => `${r.title} ${whole(r.used)} of ${whole(r.capacity)} ${r.unit} (${percent(r.used, r.capacity)})`)
    .join("; ")}`;
}

function describeQuotas(model: SmModel, sm: number): string {
  return `SM ${sm}, left of each quota: ${model
    .quotas(sm)
    .flatMap((one, k) =>
      one
        ? [
            `${model.layout.kernels[k] ?? "?"} ${whole(one.left)} of ${whole(one.quota)}${one.left <= 0 ? ", it waits for the next refill" : ""}`,
          ]
        : [],
    )
    .join("; ")}`;
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

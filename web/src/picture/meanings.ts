// What the numbers of a picture mean: unit, formula and definition, from the engine's own descriptions of frames and windows.
import type { FrameLayout } from "../model/types.ts";

export interface Meaning {
  title: string;
  unit: string;
  formula: string;
  doc: string;
}

const docOf = (layout: FrameLayout, section: string): string =>
  layout.sections.find(({ name }) => name === section)?.doc ?? "";

const LATELY = "% of scheduler-cycles lately";
/** What an SM holds. */
const RESOURCES = [
  ["Registers", "", "sm.registers"],
  ["Shared memory", "bytes", "sm.shared"],
  ["Threads", "", "sm.threads"],
  ["CTA slots", "", "sm.ctas"],
  ["MSHRs", "", "sm.mshr"],
  ["Miss queue", "requests", "sm.miss_queue"],
  ["LSU", "instructions", "sm.lsu"],
] as const;

export function gpuMeanings(layout: FrameLayout): Meaning[] {
  return [
    { title: "CTAs", unit: "CTA slots", formula: "one cell a slot, by kernel", doc: docOf(layout, "sm.slot_kernel") },
    {
      title: "Issued",
      unit: LATELY,
      formula: "Δ issued / Δ scheduler-cycles, over the last frames",
      doc: docOf(layout, "sm.issued"),
    },
    { title: "Drains", unit: "", formula: "CTAs held > CTAs that it may hold", doc: docOf(layout, "sm.drains") },
    ...layout.stalls.map(({ title, doc }) => ({
      title,
      unit: LATELY,
      formula: "Δ charged to it / Δ scheduler-cycles, over the last frames",
      doc,
    })),
    ...RESOURCES.slice(0, 4).map(([title, unit, section]) => ({
      title,
      unit: unit || "% of the SM's",
      formula: "in use / what the SM has; the tip names the fullest",
      doc: docOf(layout, section),
    })),
    ...quotaMeaning(layout),
    queueMeaning(layout, "L2 banks", "l2.queue", layout.capacity.l2_queue),
    queueMeaning(layout, "DRAM channels", "dram.queue", layout.capacity.dram_queue),
  ];
}

const queueMeaning = (layout: FrameLayout, title: string, section: string, places: number): Meaning => ({
  title,
  unit: "% of a queue's places",
  formula: `entries / ${places}, mean of the last frames, about 20; by kernel`,
  doc: docOf(layout, section),
});

const quotaMeaning = (layout: FrameLayout): Meaning[] =>
  docOf(layout, "sm.quota_left") === ""
    ? []
    : [
        {
          title: "Quota left",
          unit: "instructions",
          formula: "left / what a refill gives; shown where a kernel has a quota",
          doc: docOf(layout, "sm.quota_left"),
        },
      ];

export function smDetailMeanings(layout: FrameLayout): Meaning[] {
  return [
    ...RESOURCES.map(([title, unit, section]) => ({
      title,
      unit,
      formula: section === "sm.lsu" ? "" : "in use / what the SM has",
      doc: docOf(layout, section),
    })),
    ...quotaMeaning(layout),
    { title: "Schedulers", unit: "", formula: "", doc: docOf(layout, "sm.scheduler") },
    { title: "Operation", unit: "", formula: "", doc: docOf(layout, "warp.pc") },
    ...layout.warp_states.map(({ title, doc }) => ({
      title,
      unit: "warps",
      formula: "warps of the SM in that state",
      doc,
    })),
  ];
}

export function memoryMeanings(layout: FrameLayout): Meaning[] {
  const { capacity } = layout;
  const entries = (title: string, section: string, of: number): Meaning => ({
    title,
    unit: "entries",
    formula: `entries / ${of}, by kernel`,
    doc: docOf(layout, section),
  });
  const busy = (title: string, section: string): Meaning => ({
    title,
    unit: "% of the last frames",
    formula: "frames in which it was busy / the last frames, about 20; by kernel",
    doc: docOf(layout, section),
  });
  return [
    entries("Queues at the SMs", "noc.request_queue", capacity.request_queue),
    busy("Request ports", "noc.request_busy"),
    entries("Queues at the banks", "l2.queue", capacity.l2_queue),
    entries("L2 misses under way", "l2.mshr", capacity.l2_mshr),
    entries("Queues of the channels", "dram.queue", capacity.dram_queue),
    busy("Data buses", "dram.busy"),
    { title: "Open rows", unit: "banks", formula: "", doc: docOf(layout, "dram.open_row") },
    entries("Reply queues", "noc.reply_queue", capacity.reply_queue),
    busy("Reply ports", "noc.reply_busy"),
  ];
}

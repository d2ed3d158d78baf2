// What an SM did lately and what it holds, from frames. No drawing, no DOM.
import { whole } from "../model/scale.ts";
import type { FrameLayout } from "../model/types.ts";
import { FrameReader } from "../engine/frame-reader.ts";

interface Resource {
  key: string;
  title: string;
  unit: string;
  used: number;
  capacity: number;
}

/** The stall causes that a tile shows by themselves, by key; all others are one. */
const SHOWN_CAUSES = [
  { key: "raw_long", name: "memory" },
  { key: "lsu_full", name: "LSU full" },
] as const;
/** A stall cause that a tile shows: which of the layout's it is. */
interface ShownCause {
  stall: number;
  name: string;
}
export const shownCauses = ({ stalls }: FrameLayout): ShownCause[] =>
  SHOWN_CAUSES.map(({ key, name }) => ({ name, stall: stalls.findIndex((s) => s.key === key) })).filter(
    ({ stall }) => stall >= 0,
  );

/** Weight of what was before in the shares: smooth at 60 frames a second, gone after a second. */
const KEEP = 0.8;

export class SmModel {
  readonly layout: FrameLayout;
  readonly reader: FrameReader;
  readonly kernels: number;
  readonly stalls: number;
  /** Scheduler-cycles lately, decaying: for each SM its kernels, then its stall causes. */
  private readonly recent: Float64Array;
  private readonly before: Uint32Array;
  private readonly width: number;
  private known = false;
  /** Shares come from a difference of frames. */
  private measured = false;
  private lastCycle = 0;
  cycle = 0;
  /** The most CTAs that an SM has held in any frame. */
  most = 1;
  /** Cycles that the last frame brought. */
  advanced = 0;

  constructor(layout: FrameLayout) {
    this.layout = layout;
    this.reader = new FrameReader(layout);
    this.kernels = layout.kernels.length;
    this.stalls = layout.stalls.length;
    this.width = this.kernels + this.stalls;
    this.recent = new Float64Array(layout.sms.length * this.width);
    this.before = new Uint32Array(this.recent.length);
  }

  update(frame: Uint32Array): void {
    const r = this.reader;
    r.load(frame);
    this.cycle = r.cycle;
    const back = this.cycle < this.lastCycle;
    this.advanced = this.known && !back ? this.cycle - this.lastCycle : 0;
    if (back || !this.known) this.recent.fill(0);
    // A single step shows that cycle alone; running frames blend into each other, but not with the first frame's stopgap.
    const keep = this.advanced <= 1 || !this.measured ? 0 : KEEP;
    const fresh = this.known && !back && this.advanced > 0;
    for (let sm = 0; sm < this.layout.sms.length; sm++) {
      for (let i = 0; i < this.width; i++) {
        const now = i < this.kernels ? r.get("sm.issued", sm, i) : r.get("sm.stalls", sm, i - this.kernels);
        const at = sm * this.width + i;
        // Counters are the low 32 bits: the difference is right across one wrap.
        if (fresh) this.recent[at] = (this.recent[at] as number) * keep + ((now - (this.before[at] as number)) >>> 0);
        this.before[at] = now;
      }
      if (!fresh && this.cycle > 0 && (back || !this.known)) this.lastCycleOnly(sm);
      let held = 0;
      for (let k = 0; k < this.kernels; k++) held += r.get("sm.ctas", sm, k);
      this.most = Math.max(this.most, held);
    }
    this.measured = fresh || (this.measured && !back);
    this.known = true;
    this.lastCycle = this.cycle;
  }

  /** With nothing to difference yet, the schedulers' last cycle is all there is to show. */
  private lastCycleOnly(sm: number): void {
    const shape = this.layout.sms[sm];
    for (let s = 0; s < (shape?.schedulers ?? 0); s++) {
      const did = this.reader.get("sm.scheduler", sm, s);
      const i = did & 0x100 ? did & 0xff : this.kernels + did;
      const at = sm * this.width + i;
      if (i < this.width) this.recent[at] = (this.recent[at] as number) + 1;
    }
  }

  private total(sm: number): number {
    let sum = 0;
    for (let i = 0; i < this.width; i++) sum += this.recent[sm * this.width + i] as number;
    return sum;
  }

  /** Shares of the scheduler-cycles lately: kernels, then stall causes; all 0 before anything happened. */
  shares(sm: number): number[] {
    const total = this.total(sm);
    return Array.from({ length: this.width }, (_, i) =>
      total > 0 ? (this.recent[sm * this.width + i] as number) / total : 0,
    );
  }

  /** What the slots of an SM hold, by kernel: whose CTA, and whether it moves. */
  held(sm: number): { kernel: number; way: number }[] {
    return Array.from({ length: this.layout.sms[sm]?.slots ?? 0 }, (_, slot) => ({
      kernel: this.reader.get("sm.slot_kernel", sm, slot) - 1,
      way: this.reader.get("sm.slot_switch", sm, slot),
    }))
      .filter(({ kernel }) => kernel >= 0)
      .sort((a, b) => a.kernel - b.kernel);
  }

  /** CTAs resident on an SM, by kernel. */
  ctas(sm: number): number[] {
    return Array.from({ length: this.kernels }, (_, k) => this.reader.get("sm.ctas", sm, k));
  }

  /** What a CTA slot holds, in words. */
  slotText(sm: number, slot: number): string {
    const r = this.reader,
      holds = r.get("sm.slot_kernel", sm, slot);
    if (holds === 0) return `Slot ${slot}: empty`;
    const way = ["", ", leaves by a context switch", ", its context is on the way here"][
      r.get("sm.slot_switch", sm, slot)
    ];
    return `Slot ${slot}: CTA ${whole(r.get("sm.slot_cta", sm, slot))} of ${this.layout.kernels[holds - 1] ?? "?"}, resident for ${whole(r.get("sm.slot_age", sm, slot))} cycles${way ?? ""}`;
  }

  /** Resources of an SM; shared memory is left out where there is none. */
  resources(sm: number): Resource[] {
    const shape = this.layout.sms[sm];
    if (!shape) return [];
    const sum = (section: string): number => {
      let n = 0;
      for (let k = 0; k < this.kernels; k++) n += this.reader.get(section, sm, k);
      return n;
    };
    const all: Resource[] = [
      {
        key: "sm.registers",
        title: "Registers",
        unit: "registers",
        used: sum("sm.registers"),
        capacity: shape.registers,
      },
      { key: "sm.shared", title: "Shared memory", unit: "bytes", used: sum("sm.shared"), capacity: shape.shared_bytes },
      { key: "sm.threads", title: "Threads", unit: "threads", used: sum("sm.threads"), capacity: shape.threads },
      { key: "sm.ctas", title: "CTA slots", unit: "CTAs", used: sum("sm.ctas"), capacity: shape.slots },
    ];
    return all.filter((r) => r.capacity > 0);
  }

  /** What is left of each kernel's quota on an SM, and what a refill gives; null for a kernel without one. */
  quotas(sm: number): ({ left: number; quota: number } | null)[] {
    return Array.from({ length: this.kernels }, (_, k) => {
      const quota = this.reader.get("sm.quota", sm, k);
      return quota === 0 ? null : { quota: quota - 1, left: this.reader.signed("sm.quota_left", sm, k) };
    });
  }

  /** Kernels that hold more CTAs on an SM than they may: its CTAs drain, or leave by a context switch. */
  drains(sm: number): number[] {
    return this.layout.kernels.flatMap((_, k) => (this.reader.get("sm.drains", sm, k) > 0 ? [k] : []));
  }

  /** Whether any kernel has a quota anywhere. */
  hasQuotas(): boolean {
    return this.layout.sms.some((_, sm) => this.quotas(sm).some((one) => one !== null));
  }

  /** The fullest resource: the first of them that will refuse the next CTA, or nearly. */
  limiting(sm: number): Resource | null {
    let best: Resource | null = null;
    for (const r of this.resources(sm)) if (!best || r.used / r.capacity > best.used / best.capacity) best = r;
    return best;
  }
}

/** SMs of the same class that follow each other. `scale`: how wide one is drawn, of the largest. */
export interface SmGroup {
  name: string;
  first: number;
  count: number;
  scale: number;
}

/** How much smaller than the largest SM any other is drawn, at most: its words need room. */
const SMALLEST = 0.7;

/** The SMs by class, as they follow each other; their area goes with the storage for threads, as far as it can be drawn. */
export function smGroups({ sms }: FrameLayout): SmGroup[] {
  const storage = sms.map((sm) => 4 * sm.registers + sm.shared_bytes),
    most = Math.max(1, ...storage);
  const groups: SmGroup[] = [];
  sms.forEach((sm, i) => {
    const last = groups.at(-1);
    if (last?.name === sm.class) last.count++;
    else
      groups.push({
        name: sm.class,
        first: i,
        count: 1,
        scale: Math.max(SMALLEST, Math.sqrt((storage[i] as number) / most)),
      });
  });
  return groups;
}

/**
 * What an SM of a group holds, in words: `4 CTAs of BP, 8 of CFD`. The count is the median of the SMs that hold any; a kernel
 * that is not on all of them says on how many it is.
 */
export function residentText(model: SmModel, first = 0, count = model.layout.sms.length): string {
  const held = model.layout.kernels.map((name, k) => {
    const counts = Array.from({ length: count }, (_, i) => model.reader.get("sm.ctas", first + i, k))
      .filter((n) => n > 0)
      .sort((a, b) => a - b);
    return { name, on: counts.length, ctas: counts[counts.length >> 1] ?? 0 };
  });
  if (held.every(({ on }) => on === 0)) return "no CTAs";
  // Each unit is said once.
  let ctasSaid = false,
    smsSaid = false;
  return held
    .map(({ name, on, ctas }) => {
      if (on === 0) return `none of ${name}`;
      const unit = ctasSaid ? "" : ctas === 1 ? " CTA" : " CTAs",
        where = on === count ? "" : ` on ${on}${smsSaid ? "" : on === 1 ? " SM" : " SMs"}`;
      ctasSaid = true;
      smsSaid ||= where !== "";
      return `${ctas}${unit} of ${name}${where}`;
    })
    .join(", ");
}

/** Whether the SMs have classes that one can tell apart. */
export const hasClasses = ({ sms }: FrameLayout): boolean => sms.some((sm) => sm.class !== sms[0]?.class);

/** An SM by its number, with its class where there are several. */
export const smName = (layout: FrameLayout, sm: number): string =>
  hasClasses(layout) ? `SM ${sm} (${layout.sms[sm]?.class ?? "?"})` : `SM ${sm}`;

/** Which SMs there are: `16 SMs`, `16 SMs (8 big, 8 small)`. */
export function smsText(layout: FrameLayout): string {
  const each = hasClasses(layout)
    ? [...new Set(layout.sms.map((sm) => sm.class))].map(
        (name) => `${layout.sms.filter((sm) => sm.class === name).length} ${name}`,
      )
    : [];
  return `${layout.sms.length} SMs${each.length > 0 ? ` (${each.join(", ")})` : ""}`;
}

// How full and how busy the memory path is, from frames. No drawing, no DOM.
import type { FrameLayout } from "../model/types.ts";
import { FrameReader } from "../engine/frame-reader.ts";

/** Weight of one frame in the means: about the last 20 frames. */
const WEIGHT = 0.1;

/** Of ports, buses or queues, the part of each that kernels had lately. */
export class Lately {
  private readonly share: Float64Array;
  readonly kernels: number;
  readonly count: number;
  /** Samples so far. */
  frames = 0;

  constructor(count: number, kernels: number) {
    this.count = count;
    this.kernels = kernels;
    this.share = new Float64Array(count * kernels);
  }

  /** `part`: what a kernel has of one now. Plain mean at first, then a running one. */
  sample(part: (i: number, kernel: number) => number): void {
    this.frames++;
    const w = Math.max(WEIGHT, 1 / this.frames);
    for (let i = 0; i < this.count; i++)
      for (let k = 0; k < this.kernels; k++) {
        const at = i * this.kernels + k;
        this.share[at] = (this.share[at] as number) * (1 - w) + w * part(i, k);
      }
  }

  clear(): void {
    this.share.fill(0);
    this.frames = 0;
  }

  of(i: number, kernel: number): number {
    return this.share[i * this.kernels + kernel] as number;
  }

  used(i: number): number {
    let sum = 0;
    for (let k = 0; k < this.kernels; k++) sum += this.of(i, k);
    return sum;
  }

  /** Mean over all of them. */
  mean(kernel: number): number {
    let sum = 0;
    for (let i = 0; i < this.count; i++) sum += this.of(i, kernel);
    return this.count > 0 ? sum / this.count : 0;
  }
}

export class MemoryModel {
  readonly layout: FrameLayout;
  readonly reader: FrameReader;
  /** How busy ports and data buses are. */
  readonly request: Lately;
  readonly reply: Lately;
  readonly dram: Lately;
  /** How full the queues of L2 banks and DRAM channels are. */
  readonly banks: Lately;
  readonly channels: Lately;
  cycle = 0;
  private last = -1;

  constructor(layout: FrameLayout) {
    this.layout = layout;
    this.reader = new FrameReader(layout);
    const kernels = layout.kernels.length;
    this.request = new Lately(layout.banks, kernels);
    this.reply = new Lately(layout.sms.length, kernels);
    this.dram = new Lately(layout.channels, kernels);
    this.banks = new Lately(layout.banks, kernels);
    this.channels = new Lately(layout.channels, kernels);
  }

  update(frame: Uint32Array): void {
    const { reader, layout } = this;
    reader.load(frame);
    this.cycle = reader.cycle;
    if (this.cycle < this.last)
      for (const one of [this.request, this.reply, this.dram, this.banks, this.channels]) one.clear();
    // A frame of the same cycle says nothing new.
    if (this.cycle !== this.last) {
      // A frame says who uses a port now: kernel + 1, or 0 for none.
      const uses = (section: string) => (i: number, k: number) => (reader.get(section, i) === k + 1 ? 1 : 0),
        fills = (section: string, capacity: number) => (i: number, k: number) =>
          reader.get(section, i, k) / Math.max(1, capacity);
      this.request.sample(uses("noc.request_busy"));
      this.reply.sample(uses("noc.reply_busy"));
      this.dram.sample(uses("dram.busy"));
      this.banks.sample(fills("l2.queue", layout.capacity.l2_queue));
      this.channels.sample(fills("dram.queue", layout.capacity.dram_queue));
    }
    this.last = this.cycle;
  }

  /** Entries of a queue that are taken, of all kernels. */
  entries(section: string, i: number): number {
    let sum = 0;
    for (let k = 0; k < this.layout.kernels.length; k++) sum += this.reader.get(section, i, k);
    return sum;
  }

  /** Mean entries of all queues of a section, of one kernel. */
  meanEntries(section: string, count: number, kernel: number): number {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += this.reader.get(section, i, kernel);
    return count > 0 ? sum / count : 0;
  }

  openRows(channel: number): number {
    let sum = 0;
    for (let b = 0; b < this.layout.dram_banks; b++) if (this.reader.get("dram.open_row", channel, b) > 0) sum++;
    return sum;
  }
}

// How full and how busy the memory path is, from frames. No drawing, no DOM.
import type { FrameLayout } from "../types.ts";
import { FrameReader } from "./frame-reader.ts";

/** Weight of one frame in the averages of busy flags: about the last 20 frames. */
const WEIGHT = 0.1;

/** Ports, banks or buses whose frames say which kernel uses them now. */
export class Busy {
  private readonly share: Float64Array;
  private readonly kernels: number;
  readonly count: number;
  /** Samples so far. */
  frames = 0;

  constructor(count: number, kernels: number) {
    this.count = count;
    this.kernels = kernels;
    this.share = new Float64Array(count * kernels);
  }

  /** `user` is kernel + 1, or 0 for none. Plain mean at first, then a running one. */
  sample(user: (i: number) => number): void {
    this.frames++;
    const w = Math.max(WEIGHT, 1 / this.frames);
    for (let i = 0; i < this.count; i++) {
      const k = user(i) - 1;
      for (let j = 0; j < this.kernels; j++) {
        const at = i * this.kernels + j;
        this.share[at] = (this.share[at] as number) * (1 - w) + (j === k ? w : 0);
      }
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
  readonly request: Busy;
  readonly reply: Busy;
  readonly dram: Busy;
  cycle = 0;
  private last = -1;

  constructor(layout: FrameLayout) {
    this.layout = layout;
    this.reader = new FrameReader(layout);
    const kernels = layout.kernels.length;
    this.request = new Busy(layout.banks, kernels);
    this.reply = new Busy(layout.sms.length, kernels);
    this.dram = new Busy(layout.channels, kernels);
  }

  update(frame: Uint32Array): void {
    this.reader.load(frame);
    this.cycle = this.reader.cycle;
    if (this.cycle < this.last) for (const b of [this.request, this.reply, this.dram]) b.clear();
    // A frame of the same cycle says nothing new.
    if (this.cycle !== this.last) {
      this.request.sample((i) => this.reader.get("noc.request_busy", i));
      this.reply.sample((i) => this.reader.get("noc.reply_busy", i));
      this.dram.sample((i) => this.reader.get("dram.busy", i));
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

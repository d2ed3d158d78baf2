// Finds numbers in a frame by their section's name.
import type { FrameLayout } from "../model/types.ts";

export class FrameReader {
  private readonly sections = new Map<string, { offset: number; stride: number; size: number }>();
  readonly layout: FrameLayout;
  /** A copy of the last frame: frames are only lent. */
  readonly words: Uint32Array;

  constructor(layout: FrameLayout) {
    this.layout = layout;
    this.words = new Uint32Array(layout.length);
    for (const s of layout.sections) {
      this.sections.set(s.name, {
        offset: s.offset,
        stride: s.shape.slice(1).reduce((a, b) => a * b, 1),
        size: s.shape.reduce((a, b) => a * b, 1),
      });
    }
  }

  load(frame: Uint32Array): void {
    this.words.fill(0);
    this.words.set(frame.length > this.words.length ? frame.subarray(0, this.words.length) : frame);
  }

  /** Element [i] or [i, j]; 0 where a section or element does not exist. */
  get(section: string, i: number, j = 0): number {
    const s = this.sections.get(section);
    if (!s) return 0;
    const at = i * s.stride + j;
    return at < s.size ? (this.words[s.offset + at] ?? 0) : 0;
  }

  /** The same of a section of signed numbers. */
  signed(section: string, i: number, j = 0): number {
    return this.get(section, i, j) | 0;
  }

  get cycle(): number {
    return this.get("cycle", 0) + this.get("cycle", 1) * 2 ** 32;
  }
}

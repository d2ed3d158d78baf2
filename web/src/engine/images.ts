// Moments of a run as bytes: what in the memory of its module differs from what was there at earlier moments. The whole of it is kept of one, the
// base, and what differs from that of another one, the middle.
//
// A restore puts these bytes back. So what has been made in the module since is gone, and what has been freed since is there again: nobody may hold
// the one or miss the other.
import type { Moment } from "./keyframes.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { BYTES, FileStore, MemoryStore, type MomentsFile, PART, Parts, type SnapshotStore } from "./snapshot-store.ts";

/** A moment of a run, to go back to. */
export interface Image extends Moment {
  restore(): void;
}

/** Words of a block, which are 32 halves: a bit for each half says which of them differ. Most words differ in one. */
const BLOCK = 16,
  HALVES = 2 * BLOCK,
  /** Halves that say which block, and which of its halves. */
  HEAD = 4;
/** A moment that is so much larger than the first one after the middle asks for another middle. */
const GROWN = 1.5;
/** And a middle that is so much of the base, for another base: with a quarter, or a half, fewer moments have room. */
const FAR = 2 / 5;

export class Images {
  #file: MomentsFile | null = null;
  #store: SnapshotStore = new MemoryStore();
  /** Bytes that the store may have, if it is a file. */
  #most: number | null = null;
  #memory = new WebAssembly.Memory({ initial: 0 });
  /** The whole memory at some moment, in parts; null: the next moment is one. */
  #base: Parts | null = null;
  /** What differed from it at a later moment: what comes after that differs from both in less. Null: the next moment is one. */
  #middle: Parts | null = null;
  /** Parts of the first moment after it. */
  #first = 0;
  readonly #part = new Int32Array(PART);
  readonly #packed = new Int32Array(PART);
  readonly #halves = new Uint16Array(this.#packed.buffer);
  readonly #patches = [new Patch(), new Patch()] as const;

  /** From now on they lie in this file. */
  useFile(file: MomentsFile): void {
    this.#file = file;
    this.#use(file);
  }

  #use(file: MomentsFile | null): void {
    this.#rebase();
    this.#store = file ? new FileStore(file.file) : new MemoryStore();
    this.#most = file?.most ?? null;
  }

  #rebase(): void {
    this.#base?.free();
    this.#middle?.free();
    this.#base = this.#middle = null;
  }

  /** A run begins, whose module has this memory. Moments of the run before are free. */
  begin(memory: WebAssembly.Memory): void {
    this.#memory = memory;
    this.#use(this.#file);
  }

  /** Whether moments take more than there is room for. */
  over(room: MemoryBudget): boolean {
    return this.#store.bytes > (this.#most === null ? room.memory : Math.min(room.file, this.#most));
  }

  take(): Image {
    try {
      return this.#take();
    } catch {
      // No room: until the next run in memory. What lies in the file can still be read.
      this.#use(null);
      return this.#take();
    }
  }

  #take(): Image {
    this.#base ??= new Parts(this.#store, this.#now());
    const base = this.#base,
      middle = this.#middle,
      under = middle ? [middle] : [];
    const kept = new Parts(this.#store, this.#differences(base, under)),
      { length } = kept.all;
    for (const one of [base, ...under]) one.use();
    if (middle) {
      this.#first ||= length;
      if (length > GROWN * this.#first) {
        middle.free();
        this.#middle = null;
      }
    } else if (this.#most !== null && length > FAR * base.all.length) {
      // In the tab's memory there is no room for two bases.
      this.#rebase();
    } else {
      kept.use();
      this.#middle = kept;
      this.#first = 0;
    }
    return {
      restore: () => {
        const words = new Int32Array(this.#memory.buffer);
        let at = 0;
        for (const part of this.#moment(base, [...under, kept])) {
          words.set(part, at);
          at += PART;
        }
      },
      free: () => {
        for (const one of [kept, ...under, base]) one.free();
      },
    };
  }

  /** The memory as it stands, in parts. */
  *#now(): Generator<Int32Array> {
    for (let at = 0; at < this.#memory.buffer.byteLength; at += BYTES)
      yield new Int32Array(this.#memory.buffer, at, PART);
  }

  /** The memory as it was, in parts: a base, and what differed from it, one after the other. */
  *#moment(base: Parts, over: readonly Parts[]): Generator<Int32Array> {
    const patches = over.map((parts, i) => (this.#patches[i] as Patch).begin(parts)),
      halves = new Uint16Array(this.#part.buffer);
    for (let i = 0; i * BYTES < this.#memory.buffer.byteLength; i += 1) {
      base.read(i, this.#part);
      for (const patch of patches) patch.apply(i, halves);
      yield this.#part;
    }
  }

  /** Blocks that differ from a moment, in parts: which one, which of its halves differ, these halves. A block without any ends a part. */
  *#differences(base: Parts, over: readonly Parts[]): Generator<Int32Array> {
    const packed = this.#halves,
      wasHalves = new Uint16Array(this.#part.buffer);
    let block = 0,
      used = 0;
    for (const was of this.#moment(base, over)) {
      const now = new Int32Array(this.#memory.buffer, block * BLOCK * 4, PART),
        nowHalves = new Uint16Array(now.buffer, now.byteOffset, 2 * PART);
      for (let at = 0; at < PART; at += BLOCK, block += 1) {
        if (!differs(now, was, at)) continue;
        if (used + 2 * HEAD + HALVES > packed.length) {
          packed.fill(0, used, used + HEAD);
          yield this.#packed;
          used = 0;
        }
        let bits = 0,
          end = used + HEAD;
        for (let bit = 0; bit < HALVES; bit += 1) {
          const half = nowHalves[2 * at + bit] as number,
            other = half === wasHalves[2 * at + bit] ? 0 : 1;
          // Which differ is hard to predict: each is written, and the next one over it where it does not.
          packed[end] = half;
          end += other;
          bits |= other << bit;
        }
        packed[used] = block;
        packed[used + 1] = block >>> 16;
        packed[used + 2] = bits;
        packed[used + 3] = bits >>> 16;
        used = end;
      }
    }
    packed.fill(0, used, used + HEAD);
    yield this.#packed;
  }
}

/** Puts what differed over the parts of a memory, one after the other. */
class Patch {
  #parts: Parts | null = null;
  /** The next of its parts, and where in the present one. */
  #next = 0;
  #at = 0;
  readonly #packed = new Int32Array(PART);
  readonly #halves = new Uint16Array(this.#packed.buffer);

  begin(parts: Parts): this {
    this.#parts = parts;
    this.#next = 0;
    this.#turn();
    return this;
  }
  #turn(): void {
    if (this.#parts && this.#next < this.#parts.all.length) this.#parts.read(this.#next, this.#packed);
    else this.#packed.fill(0, 0, HEAD);
    this.#next += 1;
    this.#at = 0;
  }
  #long(at: number): number {
    return (this.#halves[at] as number) | ((this.#halves[at + 1] as number) << 16);
  }

  apply(part: number, into: Uint16Array): void {
    const packed = this.#halves,
      first = (part * PART) / BLOCK,
      end = first + PART / BLOCK;
    for (;;) {
      let bits = this.#long(this.#at + 2);
      if (bits === 0) {
        if (this.#next >= (this.#parts?.all.length ?? 0)) return;
        this.#turn();
        continue;
      }
      const block = this.#long(this.#at);
      if (block >= end) return;
      const begin = (block - first) * HALVES;
      let at = this.#at + HEAD;
      for (; bits !== 0; bits &= bits - 1) into[begin + 31 - Math.clz32(bits & -bits)] = packed[at++] as number;
      this.#at = at;
    }
  }
}

function differs(words: Int32Array, was: Int32Array, at: number): boolean {
  let bits = 0;
  for (let i = at; i < at + BLOCK; i += 1) bits |= (words[i] as number) ^ (was[i] as number);
  return bits !== 0;
}

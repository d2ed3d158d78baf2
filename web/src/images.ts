// Moments of a run as bytes: what in the memory of its module differs from what was there at an earlier moment, the base.
//
// A restore puts these bytes back. So what has been made in the module since is gone, and what has been freed since is there again: nobody may hold
// the one or miss the other.
import type { Moment } from "./keyframes.ts";
import type { Room } from "./room.ts";
import { BYTES, FileShelf, MemoryShelf, type MomentsFile, PART, Parts, type Shelf } from "./shelf.ts";

/** A moment of a run, to go back to. */
export interface Image extends Moment {
  restore(): void;
}

/** Words of a block: a bit for each says which of them differ. */
const BLOCK = 32;

export class Images {
  #file: MomentsFile | null = null;
  #shelf: Shelf = new MemoryShelf();
  /** Bytes that the shelf may have, if it is a file. */
  #most: number | null = null;
  #memory = new WebAssembly.Memory({ initial: 0 });
  /** The whole memory at some moment, in parts; null: the next moment is one. */
  #base: Parts | null = null;
  readonly #part = new Int32Array(PART);
  readonly #packed = new Int32Array(PART);

  /** From now on they lie in this file. */
  useFile(file: MomentsFile): void {
    this.#file = file;
    this.#use(file);
  }

  #use(file: MomentsFile | null): void {
    this.#rebase();
    this.#shelf = file ? new FileShelf(file.file) : new MemoryShelf();
    this.#most = file?.most ?? null;
  }

  #rebase(): void {
    this.#base?.free();
    this.#base = null;
  }

  /** A run begins, whose module has this memory. Moments of the run before are free. */
  begin(memory: WebAssembly.Memory): void {
    this.#memory = memory;
    this.#use(this.#file);
  }

  /** Whether moments take more than there is room for. */
  over(room: Room): boolean {
    return this.#shelf.bytes > (this.#most === null ? room.memory : Math.min(room.file, this.#most));
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
    this.#base ??= new Parts(this.#shelf, this.#now());
    const base = this.#base,
      kept = new Parts(this.#shelf, this.#differences(base));
    base.use();
    // Once a quarter as much as the base differs, another base makes moments small again: with a third, or a fifth, fewer have room. In the tab's memory
    // there is no room for two.
    if (this.#most !== null && kept.all.length > base.all.length / 4) this.#rebase();
    return {
      restore: () => {
        this.#restore(base, kept);
      },
      free: () => {
        kept.free();
        base.free();
      },
    };
  }

  /** The memory as it stands, in parts. */
  *#now(): Generator<Int32Array> {
    for (let at = 0; at < this.#memory.buffer.byteLength; at += BYTES)
      yield new Int32Array(this.#memory.buffer, at, PART);
  }

  /** Blocks that differ, in parts: where each begins, which of its words differ, these words. A block without any ends a part. */
  *#differences(base: Parts): Generator<Int32Array> {
    const was = this.#part,
      packed = this.#packed;
    let i = 0,
      used = 0;
    for (const now of this.#now()) {
      base.read(i, was);
      for (let at = 0; at < PART; at += BLOCK) {
        if (!differs(now, was, at)) continue;
        if (used + 4 + BLOCK > PART) {
          packed[used + 1] = 0;
          yield packed;
          used = 0;
        }
        packed[used] = i * PART + at;
        let bits = 0,
          end = used + 2;
        for (let bit = 0; bit < BLOCK; bit += 1) {
          const word = now[at + bit] as number,
            other = word === was[at + bit] ? 0 : 1;
          // Which words differ is hard to predict: each is written, and the next one over it where it does not.
          packed[end] = word;
          end += other;
          bits |= other << bit;
        }
        packed[used + 1] = bits;
        used = end;
      }
      i += 1;
    }
    packed[used + 1] = 0;
    yield packed;
  }

  #restore(base: Parts, kept: Parts): void {
    let i = 0;
    for (const words of this.#now()) {
      base.read(i, words);
      i += 1;
    }
    const words = new Int32Array(this.#memory.buffer),
      packed = this.#packed;
    for (i = 0; i < kept.all.length; i += 1) {
      kept.read(i, packed);
      let at = 0;
      for (let bits = packed[1] as number; bits !== 0; bits = packed[at + 1] as number) {
        const begin = packed[at] as number;
        at += 2;
        for (; bits !== 0; bits &= bits - 1) words[begin + 31 - Math.clz32(bits & -bits)] = packed[at++] as number;
      }
    }
  }
}

function differs(words: Int32Array, was: Int32Array, at: number): boolean {
  let bits = 0;
  for (let i = at; i < at + BLOCK; i += 1) bits |= (words[i] as number) ^ (was[i] as number);
  return bits !== 0;
}

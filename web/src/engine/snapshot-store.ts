// Where moments of a run are kept: in a file that this browser has for the page, so that a long run has many and the tab's memory has none of them;
// or, where there can be no such file, in that memory. What is kept comes in parts of one size.

/** What is needed of a `FileSystemSyncAccessHandle`. */
export interface BytesFile {
  read(into: Int32Array, options: { at: number }): number;
  write(words: Int32Array, options: { at: number }): number;
  truncate(bytes: number): void;
}
/** A file for moments, and the bytes that the browser would have in it at most. */
export interface MomentsFile {
  file: BytesFile;
  most: number;
}

/** Bytes of a part of what is kept: a module's memory is a multiple of them. And words of 4 bytes. */
export const BYTES = 64 * 1024,
  PART = BYTES / 4;

/** Where parts are kept, by number. */
export interface SnapshotStore {
  /** Of all its parts. */
  readonly bytes: number;
  keep(words: Int32Array): number;
  read(part: number, into: Int32Array): void;
  free(part: number): void;
}

export class MemoryStore implements SnapshotStore {
  readonly #parts = new Map<number, Int32Array>();
  #next = 0;

  get bytes(): number {
    return this.#parts.size * BYTES;
  }
  keep(words: Int32Array): number {
    this.#parts.set(this.#next, words.slice());
    return this.#next++;
  }
  read(part: number, into: Int32Array): void {
    into.set(this.#parts.get(part) ?? []);
  }
  free(part: number): void {
    this.#parts.delete(part);
  }
}

export class FileStore implements SnapshotStore {
  readonly #file: BytesFile;
  #free: number[] = [];
  #end = 0;

  constructor(file: BytesFile) {
    this.#file = file;
  }
  get bytes(): number {
    return (this.#end - this.#free.length) * BYTES;
  }
  keep(words: Int32Array): number {
    const part = this.#free.at(-1) ?? this.#end;
    if (this.#file.write(words, { at: part * BYTES }) !== BYTES) throw new Error("the disk is full");
    if (this.#free.pop() === undefined) this.#end += 1;
    return part;
  }
  read(part: number, into: Int32Array): void {
    if (this.#file.read(into, { at: part * BYTES }) !== BYTES)
      throw new Error("moments of the run are not on disk any more");
  }
  free(part: number): void {
    this.#free.push(part);
    if (this.bytes > 0) return;
    this.#free = [];
    this.#end = 0;
    try {
      this.#file.truncate(0);
    } catch {
      // It stays as long as it was, and is written over.
    }
  }
}

/** Parts that are kept together. */
export class Parts {
  readonly #store: SnapshotStore;
  readonly all: readonly number[];
  #users = 1;

  /** Keeps one part after another; where the store has no room, nothing. */
  constructor(store: SnapshotStore, each: Iterable<Int32Array>) {
    const all: number[] = [];
    this.#store = store;
    this.all = all;
    try {
      for (const part of each) all.push(store.keep(part));
    } catch (error) {
      this.free();
      throw error;
    }
  }
  read(i: number, into: Int32Array): void {
    const part = this.all[i];
    if (part === undefined) into.fill(0);
    else this.#store.read(part, into);
  }
  use(): void {
    this.#users += 1;
  }
  /** Once for each that uses them. */
  free(): void {
    this.#users -= 1;
    if (this.#users === 0) for (const part of this.all) this.#store.free(part);
  }
}

/** Of what a browser grants a page, one run takes this part at most: a private window has it in memory. */
const MODEST = 1 / 20;

/** A new file for one worker's moments; null where this browser gives none. */
export async function momentsFile(): Promise<MomentsFile | null> {
  try {
    const { quota } = await navigator.storage.estimate(),
      root = await navigator.storage.getDirectory(),
      folder = await root.getDirectoryHandle("corun-moments", { create: true });
    const file = await oneAtATime(async () => {
      const handle = await folder.getFileHandle(crypto.randomUUID(), { create: true });
      return await (handle as Opens).createSyncAccessHandle();
    });
    // Those that tabs have left; what is in use cannot be removed.
    oneAtATime(async () => {
      for await (const name of folder.keys()) await folder.removeEntry(name).catch(() => undefined);
    }).catch(() => undefined);
    return { file, most: quota === undefined ? Infinity : quota * MODEST };
  } catch {
    return null;
  }
}
/** One worker at a time: a file that is not opened yet looks like one that a tab has left. */
const oneAtATime = <T>(what: () => Promise<T>): Promise<T> =>
  navigator.locks.request("corun-moments", what) as Promise<T>;
/** Only workers have it. */
type Opens = FileSystemFileHandle & { createSyncAccessHandle(): Promise<BytesFile> };

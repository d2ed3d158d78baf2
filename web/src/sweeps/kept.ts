// Lines of sweeps that this browser keeps across reloads: by engine, sweep and point. Where storage is forbidden, they last as long as the page.
import { done, openStore } from "../browser-store.ts";

const STORE = "lines";
type Key = [stamp: string, sweep: string, index: number];

export class Kept {
  #opened: Promise<IDBDatabase | null> | null = null;

  constructor(readonly stamp: string) {}

  /** What is kept of a sweep, by point. */
  async recall(sweep: string): Promise<Map<number, string>> {
    const lines = new Map<number, string>(),
      database = await this.#open();
    if (!database) return lines;
    const store = database.transaction(STORE).objectStore(STORE),
      range = IDBKeyRange.bound([this.stamp, sweep, 0], [this.stamp, sweep, Number.MAX_SAFE_INTEGER]);
    const [keys, texts] = await Promise.all([done(store.getAllKeys(range)), done(store.getAll(range))]).catch(() => [
      [],
      [],
    ]);
    keys.forEach((key, i) => {
      lines.set((key as Key)[2], String(texts[i]));
    });
    return lines;
  }

  keep(sweep: string, index: number, line: string): void {
    void this.#open().then((database) => {
      try {
        database
          ?.transaction(STORE, "readwrite")
          .objectStore(STORE)
          .put(line, [this.stamp, sweep, index] satisfies Key);
      } catch {
        /* not stored */
      }
    });
  }

  #open(): Promise<IDBDatabase | null> {
    this.#opened ??= openStore("corun-sweeps", STORE, (store) => {
      // Another engine's lines are no results of this one.
      store.delete(IDBKeyRange.upperBound([this.stamp], true));
      store.delete(IDBKeyRange.lowerBound([`${this.stamp}\u0000`]));
    });
    return this.#opened;
  }
}

// Lines of sweeps that this browser keeps across reloads: by engine, sweep and point. Where storage is forbidden, they last as long as the page.

const STORE = "lines";
type Key = [stamp: string, sweep: string, index: number];

export class Kept {
  #opened: Promise<IDBDatabase | null> | null = null;

  constructor(readonly stamp: string) {}

  /** What is kept of a sweep, by point. */
  async recall(sweep: string): Promise<Map<number, string>> {
    const lines = new Map<number, string>(), database = await this.#open();
    if (!database) return lines;
    const store = database.transaction(STORE).objectStore(STORE), range = IDBKeyRange.bound([this.stamp, sweep, 0], [this.stamp, sweep, Number.MAX_SAFE_INTEGER]);
    const [keys, texts] = await Promise.all([done(store.getAllKeys(range)), done(store.getAll(range))]).catch(() => [[], []]);
    keys.forEach((key, i) => { lines.set((key as Key)[2], String(texts[i])); });
    return lines;
  }

  keep(sweep: string, index: number, line: string): void {
    void this.#open().then((database) => { try { database?.transaction(STORE, "readwrite").objectStore(STORE).put(line, [this.stamp, sweep, index] satisfies Key); } catch { /* not stored */ } });
  }

  #open(): Promise<IDBDatabase | null> {
    this.#opened ??= (async () => {
      try {
        const request = indexedDB.open("corun-sweeps", 1);
        request.onupgradeneeded = () => { request.result.createObjectStore(STORE); };
        const database = await done(request);
        // Another engine's lines are no results of this one.
        const store = database.transaction(STORE, "readwrite").objectStore(STORE);
        store.delete(IDBKeyRange.upperBound([this.stamp], true));
        store.delete(IDBKeyRange.lowerBound([`${this.stamp}\u0000`]));
        return database;
      } catch { return null; }
    })();
    return this.#opened;
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => { resolve(request.result); };
    request.onerror = () => { reject(request.error ?? new Error("not stored")); };
  });
}

// Lines of sweeps that this browser keeps across reloads: by engine, sweep and point. Where storage is forbidden, they last as long as the page. What is
// damaged is deleted, and the point runs anew.
import { done, openStore, sealed, storeOf, unsealed } from "../engine/browser-store.ts";
import type { Line } from "../engine/lab/sweep.ts";

const STORE = "lines";
type Key = [stamp: string, sweep: string, index: number];

export class StoredLines {
  #opened: Promise<IDBDatabase | null> | null = null;

  constructor(readonly stamp: string) {}

  /** What is kept of a sweep: each line as it is written, and read. */
  async recall(sweep: string): Promise<{ index: number; text: string; line: Line }[]> {
    const store = await this.#store("readonly");
    if (!store) return [];
    const range = IDBKeyRange.bound([this.stamp, sweep, 0], [this.stamp, sweep, Number.MAX_SAFE_INTEGER]);
    const [keys, texts] = await Promise.all([done(store.getAllKeys(range)), done(store.getAll(range))]).catch(() => [
      [],
      [],
    ]);
    const lines = keys.map((key, i) => {
      const [, , index] = key as Key;
      return { index, text: unsealed(texts[i]) as string | undefined };
    });
    const bad = lines.filter(({ text }) => text === undefined),
      writable = bad.length > 0 ? await this.#store("readwrite") : null;
    for (const { index } of bad) writable?.delete([this.stamp, sweep, index] satisfies Key);
    return lines.flatMap(({ index, text }) =>
      text === undefined ? [] : [{ index, text, line: JSON.parse(text) as Line }],
    );
  }

  keep(sweep: string, index: number, line: string): void {
    void this.#store("readwrite").then((store) => store?.put(sealed(line), [this.stamp, sweep, index] satisfies Key));
  }

  async #store(mode: IDBTransactionMode): Promise<IDBObjectStore | null> {
    this.#opened ??= openStore("corun-sweeps", STORE, (store) => {
      // Another engine's lines are no results of this one.
      store.delete(IDBKeyRange.upperBound([this.stamp], true));
      store.delete(IDBKeyRange.lowerBound([`${this.stamp}\u0000`]));
    });
    return storeOf(await this.#opened, STORE, mode);
  }
}

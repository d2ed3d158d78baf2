// What runs alone have answered, by config hash: brought along with the page, or kept in this browser for this very engine, so that nothing is measured
// twice. Where storage is forbidden, it is kept as long as the page.
import { done, openStore } from "./browser-store.ts";
import type { Answer } from "./types.ts";

const STORE = "answers";

/** Answers of one engine, named by its stamp. */
export class Answers<T = Answer> {
  readonly known: Record<string, T> = {};
  readonly #stamp: string;
  readonly #shipped: (stamp: string) => Promise<Record<string, T>>;
  #brought: Promise<Record<string, T>> | null = null;
  #opened: Promise<IDBDatabase | null> | null = null;

  /** `shipped`: what the page has of an engine; asked for once. */
  constructor(stamp: string, shipped: (stamp: string) => Promise<Record<string, T>> = () => Promise.resolve({})) {
    this.#stamp = stamp;
    this.#shipped = shipped;
  }

  /** Which of these runs have not been measured. */
  missing<T extends { hash: string }>(runs: readonly T[]): T[] {
    return runs.filter((run) => !(run.hash in this.known));
  }

  /** Takes what was brought along, or is stored, of these runs. */
  async recall(runs: readonly { hash: string }[]): Promise<void> {
    if (this.missing(runs).length === 0) return;
    this.#brought ??= this.#shipped(this.#stamp);
    const brought = await this.#brought;
    for (const { hash } of this.missing(runs)) {
      const answer = brought[hash];
      if (answer) this.known[hash] = answer;
    }
    if (this.missing(runs).length === 0) return;
    const database = await this.#open();
    if (!database) return;
    const store = database.transaction(STORE).objectStore(STORE);
    await Promise.all(
      this.missing(runs).map(async ({ hash }) => {
        const answer = (await done(store.get(this.#key(hash))).catch(() => undefined)) as T | undefined;
        if (answer) this.known[hash] = answer;
      }),
    );
  }

  keep(hash: string, answer: T): void {
    this.known[hash] = answer;
    void this.#open().then((database) => {
      try {
        database?.transaction(STORE, "readwrite").objectStore(STORE).put(answer, this.#key(hash));
      } catch {
        /* not stored */
      }
    });
  }

  #key(hash: string): string {
    return `${this.#stamp} ${hash}`;
  }

  #open(): Promise<IDBDatabase | null> {
    this.#opened ??= openStore("corun", STORE);
    return this.#opened;
  }
}

// What runs alone have answered, by config hash: brought along with the page, or kept in this browser for this very engine, so that nothing is measured
// twice. Where storage is forbidden, it is kept as long as the page. What is damaged is deleted, and measured anew.
import { done, openStore, sealed, storeOf, unsealed } from "./browser-store.ts";
import { lockManager } from "./life.ts";
import type { Answer } from "../model/types.ts";

const STORE = "answers";

/** Milliseconds after which it is looked again whether a run is still measured elsewhere. */
const SOON = 50;

/** Answers of one engine, named by its stamp. */
export class Answers<T = Answer> {
  readonly known: Record<string, T> = {};
  readonly #stamp: string;
  readonly #shipped: (stamp: string) => Promise<Readonly<Record<string, T>>>;
  #brought: Promise<Readonly<Record<string, T>>> | null = null;
  #opened: Promise<IDBDatabase | null> | null = null;

  /** `shipped`: what the page has of an engine; asked for once. */
  constructor(
    stamp: string,
    shipped: (stamp: string) => Promise<Readonly<Record<string, T>>> = () => Promise.resolve({}),
  ) {
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
    for (const { hash } of this.missing(runs)) if (brought[hash] !== undefined) this.known[hash] = brought[hash];
    if (this.missing(runs).length === 0) return;
    const store = await this.#store("readonly");
    if (!store) return;
    await Promise.all(
      this.missing(runs).map(async ({ hash }) => {
        const stored: unknown = await done(store.get(this.#key(hash))).catch(() => undefined);
        if (stored === undefined) return;
        const answer = unsealed(stored) as T | undefined;
        if (answer !== undefined) this.known[hash] = answer;
        else (await this.#store("readwrite"))?.delete(this.#key(hash));
      }),
    );
  }

  /**
   * The answer of a run: what is known, or what `measure` gives. Of all workers that ask for it one measures, and the others take what it has kept.
   * `waits`: what is done meanwhile; where it throws, the answer is not wanted any more.
   */
  async of(hash: string, measure: () => Promise<T>, waits: () => Promise<void>): Promise<T> {
    const give = async (): Promise<T> => {
      await this.recall([{ hash }]);
      if (!(hash in this.known)) await this.keep(hash, await measure());
      return this.known[hash] as T;
    };
    const locks = lockManager();
    if (!locks) return give();
    for (;;) {
      const answer = await locks.request(`measure ${this.#key(hash)}`, { ifAvailable: true }, (lock) => lock && give());
      if (answer !== null) return answer;
      await waits();
      await new Promise((later) => setTimeout(later, SOON));
    }
  }

  /** Done when it is stored, or cannot be. */
  async keep(hash: string, answer: T): Promise<void> {
    this.known[hash] = answer;
    const store = await this.#store("readwrite");
    if (store) await done(store.put(sealed(answer), this.#key(hash))).catch(() => undefined);
  }

  #key(hash: string): string {
    return `${this.#stamp} ${hash}`;
  }

  async #store(mode: IDBTransactionMode): Promise<IDBObjectStore | null> {
    this.#opened ??= openStore("corun", STORE);
    return storeOf(await this.#opened, STORE, mode);
  }
}

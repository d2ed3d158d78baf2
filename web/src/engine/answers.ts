// What runs alone have answered, by config hash: brought along with the page, or kept in this browser for this very engine, so that nothing is measured
// twice. Where storage is forbidden, it is kept as long as the page. What is stored and is no answer is deleted, and measured anew.
import { done, fieldsOf, openStore, sealed, storeOf, unsealed } from "./browser-store.ts";
import { lockManager } from "./life.ts";
import type { Answer } from "../model/types.ts";

const STORE = "answers";

/** Milliseconds after which it is looked again whether a run is still measured elsewhere. */
const SOON = 50;

const FIGURES = ["ipc", "warp_ipc", "noc_utilisation", "dram_utilisation"] as const;
const BREAKDOWN = [
  "warps",
  "memory",
  "lsu",
  "other",
  "miss_queue",
  "request_noc",
  "l2",
  "dram",
  "reply_noc",
  "l1_hit_rate",
  "l2_miss_rate",
] as const;

/** A value as an answer; null for what the engine does not take for one. */
export function readAnswer(value: unknown): Answer | null {
  const { ipc_ci95: interval = null, stuck = false, breakdown = null, ...figures } = fieldsOf(value);
  const within = (one: unknown, least: number): boolean => typeof one === "number" && one >= least && one <= 1e12;
  const ends =
    interval === null ||
    (Array.isArray(interval) && interval.length === 2 && interval.every((end) => within(end, -1e12)));
  const whole = (keys: readonly string[], fields: Record<string, unknown>): boolean =>
    Object.keys(fields).length === keys.length && keys.every((key) => within(fields[key], 0));
  return whole(FIGURES, figures) &&
    ends &&
    (breakdown === null || whole(BREAKDOWN, fieldsOf(breakdown))) &&
    typeof stuck === "boolean"
    ? (value as Answer)
    : null;
}

/** Answers of one engine, named by its stamp. */
export class Answers<T = Answer> {
  readonly known: Record<string, T> = {};
  readonly #stamp: string;
  readonly #read: (value: unknown) => T | null;
  readonly #shipped: (stamp: string) => Promise<Readonly<Record<string, unknown>>>;
  #brought: Promise<Readonly<Record<string, unknown>>> | null = null;
  #opened: Promise<IDBDatabase | null> | null = null;

  /** `read`: a value as an answer, null for none. `shipped`: what the page has of an engine; asked for once. */
  constructor(
    stamp: string,
    read: (value: unknown) => T | null,
    shipped: (stamp: string) => Promise<Readonly<Record<string, unknown>>> = () => Promise.resolve({}),
  ) {
    this.#stamp = stamp;
    this.#read = read;
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
      this.#know(hash, brought[hash]);
    }
    if (this.missing(runs).length === 0) return;
    const store = await this.#store("readonly");
    if (!store) return;
    await Promise.all(
      this.missing(runs).map(async ({ hash }) => {
        const stored: unknown = await done(store.get(this.#key(hash))).catch(() => undefined);
        if (stored === undefined || this.#know(hash, unsealed(stored))) return;
        (await this.#store("readwrite"))?.delete(this.#key(hash));
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

  /** Takes a value for the answer of a run, if it is one. */
  #know(hash: string, value: unknown): boolean {
    const answer = this.#read(value);
    if (answer !== null) this.known[hash] = answer;
    return answer !== null;
  }

  #key(hash: string): string {
    return `${this.#stamp} ${hash}`;
  }

  async #store(mode: IDBTransactionMode): Promise<IDBObjectStore | null> {
    this.#opened ??= openStore("corun", STORE);
    return storeOf(await this.#opened, STORE, mode);
  }
}

// Who runs what next: what is asked for waits here, and each worker does one at a time. The page asks, and goes on.
import { problemText } from "../../model/format.ts";
import { ownName, watched } from "../life.ts";
import type { Problem } from "../../model/types.ts";
import type { FromLab, ToLab } from "./protocol.ts";
import type { Work, Works } from "./work.ts";

/** Why nothing has come of what was asked for. */
export class Failure extends Error {
  /** What the engine says of it; null for what has no place in it, and where the worker is gone. */
  readonly problems: readonly Problem[] | null;
  /** It has not even begun: no worker could be started. */
  readonly unstarted: boolean;

  constructor(message: string, problems: readonly Problem[] = [], unstarted = false) {
    super(problems.length > 0 ? problems.map(problemText).join("; ") : message);
    this.problems = problems.length > 0 ? problems : null;
    this.unstarted = unstarted;
  }
}

interface Told<S> {
  /** A worker begins with it. */
  begun?: () => void;
  soFar?: (part: number | null, value: S | null) => void;
}

/** What was asked for. Once it is dropped, it neither gives nor fails. */
export interface Asked<T> {
  readonly ended: Promise<T>;
  drop(): void;
}

interface Waiting {
  work: Work;
  of: unknown;
  told: Told<never>;
  /** What it goes on with, which one worker has; null for nothing. */
  place: string | null;
  give(value: unknown): void;
  fail(why: Failure): void;
}
interface Hand {
  worker: Worker;
  ready: boolean;
  does: { id: number; what: Waiting } | null;
  /** What it has been given a place for. */
  places: Set<string>;
}

export class Lab {
  readonly #module: WebAssembly.Module;
  readonly #name: string;
  readonly #most: number;
  /** Fewer than wanted, where no more could be started. */
  #room: number;
  #hands: Hand[] = [];
  #waiting: Waiting[] = [];
  #asked = 0;
  #stamp = "";

  /** At most so many workers of this name, each as soon as there is something to do for it. */
  constructor(module: WebAssembly.Module, name: string, most = 1) {
    this.#module = module;
    this.#name = name;
    this.#most = this.#room = most;
  }

  /** The engine's version and how it behaves; empty before the first answer. */
  get stamp(): string {
    return this.#stamp;
  }

  /** `place`: what is asked for with the same one goes to the worker that did the first, which has kept what it goes on with. */
  ask<W extends Work>(
    work: W,
    of: Works[W]["of"],
    told: Told<Works[W]["soFar"]> = {},
    place: string | null = null,
  ): Asked<Works[W]["gives"]> {
    let what: Waiting | null = null;
    const ended = new Promise<Works[W]["gives"]>((give, fail) => {
      what = { work, of, told, place, give: give as Waiting["give"], fail };
      this.#waiting.push(what);
    });
    this.#go();
    return { ended, drop: () => what && this.#drop(what) };
  }

  /** Ends every worker in this very moment: what was asked for is dropped. It can be asked again. */
  end(): void {
    this.#waiting = [];
    for (const { worker } of this.#hands) worker.terminate();
    this.#hands = [];
    this.#room = this.#most;
  }

  #drop(what: Waiting): void {
    this.#waiting = this.#waiting.filter((one) => one !== what);
    const hand = this.#hands.find(({ does }) => does?.what === what);
    if (!hand?.does) return;
    this.#post(hand, { t: "drop", id: hand.does.id });
    hand.does = null;
    this.#go();
  }

  /** Gives what waits to those that have nothing to do, and hires more for the rest. */
  #go(): void {
    for (const hand of this.#hands) {
      const what = hand.ready && !hand.does ? this.#next(hand) : undefined;
      if (!what) continue;
      if (what.place !== null) hand.places.add(what.place);
      const id = ++this.#asked;
      hand.does = { id, what };
      this.#post(hand, { t: "do", id, work: what.work, of: what.of } as ToLab);
      what.told.begun?.();
    }
    const free = this.#hands.filter(({ does }) => !does).length,
      wanted = Math.min(this.#room - this.#hands.length, this.#waiting.length - free);
    for (let n = 0; n < wanted; n += 1) this.#hands.push(this.#hire());
  }

  /** The first that this worker can do: what another one has begun is that one's. */
  #next(hand: Hand): Waiting | undefined {
    const others = this.#hands.filter((one) => one !== hand);
    const at = this.#waiting.findIndex(
      ({ place }) => place === null || hand.places.has(place) || !others.some(({ places }) => places.has(place)),
    );
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  #hire(): Hand {
    // The bundler finds the worker by this very expression.
    const name = ownName(this.#name),
      worker = watched(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name }), name);
    const hand: Hand = { worker, ready: false, does: null, places: new Set() };
    worker.onmessage = ({ data }: MessageEvent<FromLab>) => {
      if (this.#hands.includes(hand)) this.#hear(hand, data);
    };
    worker.onerror = ({ message }) => {
      if (this.#hands.includes(hand)) this.#lose(hand, message || "its worker stopped");
    };
    this.#post(hand, { t: "init", module: this.#module });
    return hand;
  }

  #post({ worker }: Hand, message: ToLab): void {
    worker.postMessage(message);
  }

  #hear(hand: Hand, message: FromLab): void {
    if (message.t === "ready") {
      this.#stamp = message.stamp;
      hand.ready = true;
      this.#go();
      return;
    }
    const { does } = hand;
    // It was dropped, and this was under way.
    if (does?.id !== message.id) return;
    if (message.t === "soFar") does.what.told.soFar?.(message.part, message.value as never);
    else if (message.t === "fails" && message.problems === null) this.#lose(hand, message.message);
    else {
      hand.does = null;
      if (message.t === "gives") does.what.give(message.value);
      else does.what.fail(new Failure(message.message, message.problems ?? []));
      this.#go();
    }
  }

  /** What a trap leaves of a module is not used again: another worker takes its place. Where one does not even start, the others go on without it. */
  #lose(hand: Hand, why: string): void {
    hand.worker.terminate();
    this.#hands = this.#hands.filter((one) => one !== hand);
    hand.does?.what.fail(new Failure(why));
    if (!hand.ready) this.#room = this.#hands.length;
    if (this.#room > 0) {
      this.#go();
      return;
    }
    const waiting = this.#waiting;
    this.end();
    for (const what of waiting) what.fail(new Failure(why, [], true));
  }
}

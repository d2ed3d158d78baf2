// What the first screen says of the sides, and of all schemes on their mix: the answers that came with the page until runs here have ended. No DOM.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { kernelLabels, schemeText } from "../model/choices.ts";
import { others } from "../engine/lab/slices.ts";
import { schemesFor } from "../schemes/variants.ts";
import type { Experiment } from "../model/types.ts";
import { isSilent } from "../model/figures.ts";
import type { RunSide, SchemeAnswer } from "../model/model.ts";
import { shownOf } from "../model/origin.ts";
import type { SchemesRun } from "../schemes/schemes-run.ts";
import type { Session } from "./session.ts";
import { MARKS, type Side } from "../model/session.ts";
import { answerOf, answersAreOf, answersFor, mixKey, trunkKey } from "../model/stored.ts";

const NEAR = "near ";
/** A side differs from A in more than its scheme and when it ends. Once both are built, the engine has said what each leaves out. */
function isElsewhere(sides: readonly Side[], at: number): boolean {
  const [a, other] = [sides[0], sides[at]];
  if (!a || !other || a === other) return false;
  const both = a.loaded && other.loaded;
  const [one, two] = both ? [a.loaded.normal, other.loaded.normal] : [a.experiment, other.experiment];
  return trunkKey(one) !== trunkKey(two);
}

/** The sides as they were, as far as nothing of them is new: what is drawn of these stands. */
function kept(before: readonly RunSide[], next: readonly RunSide[]): readonly RunSide[] {
  const same = (one: unknown, other: unknown): boolean =>
    Object.is(one, other) || (Array.isArray(one) && Array.isArray(other) && one.join("\n") === other.join("\n"));
  const all = next.map((side, at) => {
    const was = before[at];
    return was && (Object.keys(side) as (keyof RunSide)[]).every((key) => same(was[key], side[key])) ? was : side;
  });
  return all.length === before.length && all.every((side, at) => side === before[at]) ? before : all;
}

/** What is followed of the session. */
type Followed = Pick<Session, "sides" | "seen" | "experiments" | "over" | "whereabouts" | "ready" | "catalogue">;

export class Answered {
  /** What runs all schemes, once the simulator is there. */
  readonly schemes = signal<SchemesRun | null>(null);
  /** By the mix of A and of B, the answers that came with the page for it; behind `NEAR`, those for another number of cycles, too. */
  readonly #brought = signal<ReadonlyMap<string, readonly SchemeAnswer[]>>(new Map());
  /** Those of A's mix, or where none came for that, of the same for another number of cycles: for the picture of all schemes. */
  readonly stored = signal<readonly SchemeAnswer[]>([]);
  #turn = 0;
  #before: readonly RunSide[] = [];
  readonly #session: Followed;
  /** The answers of the present mix are there, or there are none. */
  loaded: Promise<void> = Promise.resolve();

  constructor(session: Followed) {
    this.#session = session;
    effect(() => {
      const { experiments } = session,
        schemes = this.schemes.value;
      if (experiments.length > 0) this.loaded = untracked(() => this.#load(experiments, schemes));
    });
    // What has run here to its end is one of all schemes.
    effect(() => {
      const ended = session.over.value ? session.sides.value : [];
      untracked(() => {
        ended.forEach((side, at) => {
          if (!isElsewhere(ended, at)) this.schemes.peek()?.take(side);
        });
      });
    });
  }

  /** What is known of every scheme on the present mix. */
  readonly answers = computed((): readonly SchemeAnswer[] => {
    const all = this.schemes.value?.answers.value ?? this.stored.value,
      [of] = all,
      [first] = this.#session.experiments;
    // Those of the mix before stand until the present one's are asked for.
    return of && first && trunkKey(of.experiment) !== trunkKey(first) ? [] : all;
  });

  readonly sides = computed((): readonly RunSide[] => {
    const { seen, ready, whereabouts } = this.#session,
      all = seen.value,
      catalogue = ready.value?.catalogue;
    const brought = (one: Experiment, hash: string | null): SchemeAnswer | null =>
      answerOf(this.#brought.value.get(mixKey(one)) ?? [], one, hash);
    const known = all.map(({ experiment, loaded, earlier }) => ({
      answer: brought(experiment, loaded?.hash ?? null),
      before:
        earlier &&
        shownOf(brought(earlier.experiment, earlier.result.config_hash)?.result ?? null, earlier.result, "end").result,
    }));
    // Who stops before anything can be said of A keeps what was there, of all.
    const soon =
        whereabouts.value === "rest" &&
        all[0]?.result != null &&
        isSilent(all[0].result) &&
        known.every(({ answer, before }) => answer?.result ?? before),
      at = soon ? "way" : whereabouts.value;
    const sides = all.map(({ experiment, result, alone, asking }, i): RunSide => {
      const { answer = null, before = null } = known[i] ?? {};
      return {
        mark: all.length > 1 ? (MARKS[i] ?? "") : "",
        scheme: catalogue ? schemeText(experiment, catalogue) : (answer?.scheme ?? schemeText(experiment)),
        experiment,
        kernels: kernelLabels(experiment.kernels),
        ...shownOf(answer?.result ?? null, result, at, before),
        elsewhere: isElsewhere(all, i),
        asking,
        alone: experiment.kernels.map((_, k) => alone[k]?.why ?? (alone[k] ? "" : "alone: being measured")),
      };
    });
    this.#before = kept(this.#before, sides);
    return this.#before;
  });
  /** What is said is of an end, and not of where the runs here are. */
  readonly ahead = computed(() => this.sides.value.some(({ origin }) => origin === "stored" || origin === "earlier"));

  async #load(experiments: readonly Experiment[], schemes: SchemesRun | null): Promise<void> {
    const turn = ++this.#turn,
      [first] = experiments as [Experiment];
    const before = this.#brought.peek(),
      [of] = this.stored.peek();
    // What is there stays while the rest comes.
    if (of && trunkKey(of.experiment) !== trunkKey(first)) this.stored.value = [];
    const asked = new Map<string, Promise<readonly SchemeAnswer[]>>();
    const find = (one: Experiment, near: boolean): Promise<readonly SchemeAnswer[]> => {
      const key = `${near ? NEAR : ""}${mixKey(one)}`,
        known = before.get(key),
        found = asked.get(key) ?? (known ? Promise.resolve(known) : answersFor(one, near).then((all) => all ?? []));
      asked.set(key, found);
      return found;
    };
    // What a run said before it went on stands until it has ended again.
    const earlier = this.#session.sides.peek().flatMap((one) => one.earlier?.experiment ?? []);
    await Promise.all([...experiments, ...earlier].map((one) => find(one, false)));
    const own = await find(first, false),
      stored = own.length > 0 ? own : await find(first, true);
    const brought = await Promise.all([...asked].map(async ([key, all]) => [key, await all] as const));
    if (turn !== this.#turn) return;
    batch(() => {
      this.#brought.value = new Map(this.#ours ? brought : []);
      this.stored.value = this.#ours ? stored : [];
    });
    // What stands first is drawn before all schemes are looked up.
    await others();
    const catalogue = this.#session.catalogue;
    if (turn === this.#turn && catalogue) await schemes?.show(first, this.stored.peek(), schemesFor(catalogue, first));
  }

  /** Answers that came with the page may be of another engine than its module: known once that is there. */
  get #ours(): boolean {
    const stamp = this.#session.ready.peek()?.stamp;
    return stamp === undefined || answersAreOf(stamp);
  }
  start(schemes: SchemesRun): void {
    batch(() => {
      if (!this.#ours) {
        this.#brought.value = new Map();
        this.stored.value = [];
      }
      this.schemes.value = schemes;
    });
  }
}

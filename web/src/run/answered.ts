// What the first screen says of the sides, and of all schemes on their mix: the answers that came with the page until runs here have ended. No DOM.
import { computed, effect, signal, untracked } from "@preact/signals";
import { kernelLabels, schemeName } from "../choices.ts";
import { schemesFor } from "../schemes/variants.ts";
import type { Experiment } from "../types.ts";
import { schemeTitle } from "./choice.ts";
import type { RunSide, SchemeAnswer } from "./model.ts";
import { shownOf } from "./origin.ts";
import type { SchemesRun } from "./schemes-run.ts";
import type { Session } from "./session.ts";
import { MARKS } from "./side.ts";
import { answerOf, answersAreOf, answersFor, mixKey } from "./stored.ts";

export class Answered {
  /** What runs all schemes, once the simulator is there. */
  readonly schemes = signal<SchemesRun | null>(null);
  /** The answers that came with the page for the present mix. */
  readonly stored = signal<readonly SchemeAnswer[]>([]);
  #key = "";
  readonly #session: Session;
  /** The answers of the present mix are there, or there are none. */
  loaded: Promise<void> = Promise.resolve();

  constructor(session: Session) {
    this.#session = session;
    effect(() => {
      const [first] = session.experiments,
        schemes = this.schemes.value;
      if (first) this.loaded = untracked(() => this.#load(first, schemes));
    });
  }

  /** What is known of every scheme on the present mix. */
  readonly answers = computed(() => this.schemes.value?.answers.value ?? this.stored.value);

  readonly sides = computed((): readonly RunSide[] => {
    const { sides, preview, ready, over } = this.#session,
      all = sides.value.length > 0 ? sides.value : preview.value,
      catalogue = ready.value?.catalogue;
    return all.map(({ experiment, result, alone }, at) => {
      const answer = answerOf(this.stored.value, experiment);
      return {
        mark: all.length > 1 ? (MARKS[at] ?? "") : "",
        scheme: catalogue ? schemeTitle(catalogue, experiment) : (answer?.scheme ?? schemeName(experiment)),
        experiment,
        kernels: kernelLabels(experiment.kernels),
        ...shownOf(answer?.result ?? null, result, over.value),
        alone: experiment.kernels.map((_, k) => alone[k]?.why ?? (alone[k] ? "" : "alone: being measured")),
      };
    });
  });
  /** The same of what has run here: with all counters, which stored answers leave out. */
  readonly live = computed(() =>
    this.sides.value.map((shown, at): RunSide => {
      const result = this.#session.sides.value[at]?.result ?? null;
      return result === null || result.cycles === 0 ? shown : { ...shown, result };
    }),
  );

  async #load(experiment: Experiment, schemes: SchemesRun | null): Promise<void> {
    const key = mixKey(experiment);
    if (key !== this.#key) {
      this.#key = key;
      this.stored.value = [];
      const answers = (await answersFor(experiment)) ?? [];
      if (this.#key !== key) return;
      this.stored.value = this.#ours ? answers : [];
    }
    const catalogue = this.#session.catalogue;
    if (catalogue) await schemes?.show(experiment, this.stored.peek(), schemesFor(catalogue, experiment));
  }

  /** Answers that came with the page may be of another engine than its module: known once that is there. */
  get #ours(): boolean {
    const stamp = this.#session.ready.peek()?.stamp;
    return stamp === undefined || answersAreOf(stamp);
  }
  start(schemes: SchemesRun): void {
    if (!this.#ours) this.stored.value = [];
    this.schemes.value = schemes;
  }
}

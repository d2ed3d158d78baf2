// The place Schemes: one mix, what is compared on it, and what has come of that. No DOM.
import { batch, computed, signal } from "@preact/signals";
import { answersFor, answersAreOf, mixKey, policyKey } from "../model/stored.ts";
import type { SchemeAnswer } from "../model/model.ts";
import { lengthOf, SchemesRun, type SchemesHost } from "./schemes-run.ts";
import { hasGoal } from "../model/goal.ts";
import type { Catalogue, Experiment } from "../model/types.ts";
import type { OraclePolicies } from "../engine/lab/sweep.ts";
import { OracleSearch } from "./oracle.ts";
import type { Row } from "./table.ts";
import { keyOf, schemesFor, type Scheme } from "./variants.ts";

export const LEAST = 1_000,
  MOST = 100_000_000;

/** The engine, once it is there. */
export interface Backing {
  host: SchemesHost;
  stamp: string;
  oraclePolicies(experiment: Experiment): Promise<OraclePolicies>;
}

export class Place {
  readonly experiment;
  /** By their keys, the schemes that are left out. */
  readonly without = signal<ReadonlySet<string>>(new Set());
  readonly catalogue = signal<Catalogue | null>(null);
  readonly run = signal<SchemesRun | null>(null);
  readonly oracles = signal<OracleSearch | null>(null);
  readonly #stored = signal<readonly SchemeAnswer[]>([]);
  #storedOf = "";
  #stamp = "";
  #change = 0;

  constructor(experiment: Experiment) {
    this.experiment = signal(experiment);
  }

  /** What can be compared. */
  readonly schemes = computed<readonly Scheme[]>(() =>
    this.catalogue.value ? schemesFor(this.catalogue.value, this.experiment.value) : [],
  );
  readonly length = computed(() => lengthOf(this.experiment.value, this.#stored.value));
  /** Of the schemes, and of the oracles that have been found. */
  readonly schemeAnswers = computed<readonly SchemeAnswer[]>(() => this.run.value?.answers.value ?? this.#stored.value);
  readonly bounds = computed<readonly SchemeAnswer[]>(() => this.oracles.value?.answers.value ?? []);
  readonly answers = computed<readonly SchemeAnswer[]>(() => [...this.schemeAnswers.value, ...this.bounds.value]);
  /** What the table has: all but what does not apply to the mix. */
  readonly rows = computed<Row[]>(() => {
    const promised = this.experiment.value.kernels.some(hasGoal);
    const deaf = new Set(this.schemes.value.filter(({ keepsGoals }) => !keepsGoals).map(({ policy }) => keyOf(policy)));
    return this.answers.value.flatMap((answer) =>
      answer.why === undefined
        ? [{ name: answer.scheme, answer, deaf: promised && deaf.has(policyKey(answer.experiment)) }]
        : [],
    );
  });

  /** The engine is there. */
  async start({ host, stamp, oraclePolicies }: Backing): Promise<void> {
    this.#stamp = stamp;
    batch(() => {
      if (!answersAreOf(stamp)) this.#stored.value = [];
      this.catalogue.value = host.catalogue;
      this.oracles.value = new OracleSearch(host, oraclePolicies);
    });
    const run = new SchemesRun(host);
    // It has its first answers at once, and is told of every change from now on.
    const shown = this.#show(run);
    this.run.value = run;
    await shown;
  }

  /** Another mix, GPU or length. */
  async open(experiment: Experiment): Promise<void> {
    const change = ++this.#change,
      key = mixKey(experiment);
    const same = key === this.#storedOf;
    batch(() => {
      this.experiment.value = experiment;
      this.without.value = new Set();
      if (!same) this.#stored.value = [];
    });
    this.oracles.value?.reset();
    this.#storedOf = key;
    if (!same) {
      const answers = await answersFor(experiment);
      if (change !== this.#change) return;
      this.#stored.value = answers && (this.#stamp === "" || answersAreOf(this.#stamp)) ? answers : [];
    }
    await this.#show(this.run.value);
  }

  async #show(run: SchemesRun | null): Promise<void> {
    await run?.show(
      this.experiment.value,
      this.#stored.value,
      this.schemes.value.filter(({ policy }) => !this.without.value.has(keyOf(policy))),
    );
  }

  /** Which schemes are compared. */
  choose(chosen: (scheme: Scheme) => boolean): void {
    this.without.value = new Set(this.schemes.value.filter((one) => !chosen(one)).map(({ policy }) => keyOf(policy)));
    void this.#show(this.run.value);
  }

  /** `whole`: to their ends, also those that the race has dropped. */
  runAll(whole = false): void {
    this.oracles.value?.stop();
    this.run.value?.start(whole);
  }

  searchOracles(): void {
    this.run.value?.stop();
    void this.oracles.value?.start(this.experiment.value, this.length.value);
  }
}

// The session as the page has it: signals of what it is (model/session.ts), and hands that do what is to be done with the engine, the form and the
// parts of the page. No DOM.
import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Engine, Ready } from "../engine/engine.ts";
import { tabBudget } from "../engine/memory-budget.ts";
import type { FrameMessage } from "../engine/protocol.ts";
import { runTitles } from "../model/choices.ts";
import { differences } from "../model/difference.ts";
import { edited, type Edit } from "../model/mix.ts";
import * as model from "../model/session.ts";
import { MARKS, type Built, type Effects, type Event, type State } from "../model/session.ts";
import type { Experiment, Problem } from "../model/types.ts";
import { WindowStore } from "../model/window-store.ts";
import type { Feed } from "./feed.ts";
import { noticeOf, type Told } from "./notices.ts";
import type { Shown } from "./panel.ts";
import { PREPARING, standsInstead, titleOf } from "./session-words.ts";

/** The form, which shows one side. */
interface Form {
  show(experiment: Experiment): void;
  accepted(normal: Experiment, explained: unknown): void;
  problems(problems: Problem[]): void;
  scriptFailed(side: number, why: string): void;
}
interface Surroundings {
  form: Form;
  feed: Feed;
  /** What is shown has changed: the address is to say so. */
  relink(): void;
  /** No motion is wanted: nothing starts by itself. */
  calm: boolean;
  /** What stands there where a link cannot be opened. */
  first: Experiment;
}

function alike(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  const values = Object.entries(a);
  return (
    values.length === Object.keys(b).length &&
    values.every(([key, value]) => Object.is(value, b[key as keyof typeof b]))
  );
}

export class Session {
  readonly #state: Signal<State>;
  readonly #around: Surroundings;
  engine: Engine | null = null;
  readonly ready = signal<(Ready & { module: WebAssembly.Module }) | null>(null);
  /** What the pictures show. */
  readonly shown = signal<Shown | null>(null);
  /** The open tab of the drawer. */
  readonly tab = signal<string | null>(null);

  constructor(around: Surroundings) {
    this.#around = around;
    this.#state = signal(model.begin(around.first, around.calm));
  }

  /** Something happens: what follows from it is done at once. */
  readonly send = (...event: Event): void => {
    batch(() => {
      const [state, effects] = model.reduce(this.now, event);
      this.#state.value = state;
      for (const [name, ...args] of effects) (this.#does[name] as (...args: unknown[]) => void)(...args);
    });
  };
  /** Changes what all sides share. */
  changeBoth(edit: Edit): void {
    this.send(
      "change",
      this.now.sides.map(({ experiment }) => edited(experiment, edit)),
    );
  }

  // ---------------------------------------------------------------- what it is

  get now(): State {
    return this.#state.peek();
  }
  /** The same object as long as it holds the same. */
  #of<T>(part: (state: State) => T): ReadonlySignal<T> {
    let last: T;
    return computed(() => {
      const next = part(this.#state.value);
      if (!alike(last, next)) last = next;
      return last;
    });
  }
  readonly sides = this.#of(({ sides }) => sides);
  readonly seen = this.#of(model.sidesIn);
  readonly edited = this.#of(({ edited: at }) => at);
  readonly editable = this.#of(({ editable }) => editable);
  readonly view = this.#of(({ view }) => view);
  readonly state = this.#of(({ doing }) => model.runOf(doing));
  readonly over = this.#of(({ over }) => over);
  readonly whereabouts = this.#of(model.whereaboutsIn);
  readonly selected = computed(() => model.selectedIn(this.view.value));
  readonly plays = this.#of(model.playsIn);
  readonly settled = this.#of(({ settled }) => settled);
  readonly two = computed(() => this.sides.value.length > 1);
  /** For the dock: what to say of where the runs are. */
  readonly where = this.#of(({ doing, cycle, rate, toward }) => ({
    state: doing,
    cycle: doing in PREPARING ? 0 : cycle,
    rate,
    toward,
  }));
  /** The SM that is shown on its own. */
  readonly sm = computed(() => {
    const { sm } = this.view.value,
      sms = Math.max(0, ...(this.shown.value?.runs ?? []).map(({ layout }) => layout.sms.length));
    return sm !== undefined && sm < sms ? sm : null;
  });
  readonly #doing = this.#of(({ doing }) => doing);
  readonly title = computed(() => {
    const doing = this.#doing.value,
      sides = this.sides.value,
      title = titleOf(sides, this.catalogue);
    if (title === "") return "";
    if (doing in PREPARING) return `${PREPARING[doing as keyof typeof PREPARING]}: ${title}`;
    return sides.some(({ problems }) => problems.length > 0) ? "A problem" : title;
  });
  /** In which fields the two differ, as far as is known. */
  readonly differ = computed(() => {
    const [a, b] = this.sides.value.map(({ laid }) => laid && { written: laid.experiment, normal: laid.loaded.normal });
    return a && b ? differences(a, b, this.catalogue) : [];
  });
  /** The pictures are of the run before: they wait for what is asked for, or that cannot run, and these words say so. Null where they are not. */
  readonly standing = computed((): "waits" | { text: string } | null => {
    const sides = this.sides.value,
      instead =
        sides.some(({ loaded, problems }) => !loaded && problems.length > 0) && standsInstead(sides, this.catalogue);
    if (!this.shown.value) return null;
    if (instead) return { text: instead };
    return sides.some(({ laid, loaded }) => laid && !loaded) ? "waits" : null;
  });
  readonly #told = this.#of(
    ({ sides, laid, profile, ended, trouble, aside }): Told => ({ sides, laid, profile, ended, trouble, aside }),
  );
  readonly notice = computed(() => noticeOf(this.#told.value, this.catalogue, this.send));
  readonly #experiments = this.#of(model.experimentsIn);
  /** A, and B where there is one; the same list as long as they are the same. */
  get experiments(): readonly Experiment[] {
    return this.#experiments.value;
  }
  /** The mark of a side; empty where there is one. */
  mark(at: number): string {
    return this.two.peek() ? (MARKS[at] ?? "") : "";
  }
  get catalogue() {
    return this.ready.value?.catalogue ?? null;
  }

  // ---------------------------------------------------------------- what it does

  readonly #does: { [K in keyof Effects]: (...args: Effects[K]) => void } = {
    load: (at, experiment, play, seek) => this.engine?.load(at, experiment, play, seek),
    only: (at) => this.engine?.only(at),
    keep: () => this.engine?.keep(),
    play: () => this.engine?.transport.play(),
    pause: () => this.engine?.transport.pause(),
    step: () => this.engine?.transport.step(),
    stepEvent: () => this.engine?.transport.event(),
    seek: (cycle, plays) => this.engine?.transport.to(cycle, plays),
    stopProfiling: () => this.engine?.stopProfiling(),
    restart: () => void this.#restart(),
    judge: (of, parts, whole) => void this.#judge(of, parts, whole),
    show: () => {
      const one = this.now.sides[this.now.edited];
      if (one) this.#around.form.show(one.experiment);
      this.#does.judged();
    },
    judged: () => {
      const { loaded = null, problems = [] } = this.now.sides[this.now.edited] ?? {};
      if (loaded) this.#around.form.accepted(loaded.normal, loaded.explained);
      if (problems.length > 0) this.#around.form.problems([...problems]);
    },
    scriptFailed: (at, why) => this.#around.form.scriptFailed(at, why),
    link: () => this.#around.relink(),
    lay: () => this.#lay(),
    before: (at) => this.#tell((part) => part.before?.(at)),
    // What has come is what goes on, frames and all.
    take: (frames, still) => this.#around.feed.take(frames as readonly FrameMessage[], still),
    alone: (...known) => this.#tell((part) => part.alone?.(...known)),
    aloneProgress: (...how) => this.#tell((part) => part.aloneProgress?.(...how)),
  };
  #tell(what: (part: Feed["parts"][number]) => void): void {
    this.#around.feed.parts.forEach(what);
  }

  async #restart(): Promise<void> {
    try {
      await this.engine?.restart();
      this.shown.value = null;
      this.send("restarted");
    } catch (error) {
      this.send("failed", String(error));
    }
  }
  async #judge(of: readonly Experiment[], parts: readonly Experiment[], whole: readonly Experiment[]): Promise<void> {
    const problems = await Promise.all(parts.map((one) => this.engine?.validate(one) ?? []));
    this.send("fits", of, problems.flat().length === 0 ? parts : whole);
  }
  /** Shows the runs, which are all built. */
  #lay(): void {
    const { catalogue, now } = this,
      loaded = now.sides.map((one) => one.loaded as Built);
    if (!catalogue) return;
    const experiments = now.sides.map(({ experiment }) => experiment),
      titles = runTitles(experiments, catalogue);
    const shown: Shown = {
      catalogue,
      runs: loaded.map(({ layout, windows }, i) => ({ mark: this.mark(i), title: titles[i] ?? "", layout, windows })),
      stores: loaded.map(({ windows }) => new WindowStore(windows, tabBudget().edges)),
      experiments,
      loaded,
    };
    this.#around.feed.runs(shown);
    now.sides.forEach(({ alone }, at) => {
      alone.forEach((known, kernel) => {
        if (known) this.#does.alone(at, kernel, known.ipc, known.why);
      });
    });
    this.shown.value = shown;
  }
}

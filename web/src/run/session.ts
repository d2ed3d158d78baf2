// What the page runs: one experiment, or two that are compared; what the engine says of each, and what is to be seen of them. Signals hold it,
// commands change it, and whoever shows it follows the signals. No DOM: a test drives it with an engine of its own.
import { batch, computed, signal } from "@preact/signals";
import { runTitles, schemeText } from "../model/choices.ts";
import { differences, type Difference } from "../model/difference.ts";
import type { Ready } from "../engine/engine.ts";
import type { View } from "../model/link.ts";
import type { FrameMessage, Loaded, RunState } from "../engine/protocol.ts";
import { tabBudget } from "../engine/memory-budget.ts";
import type { Experiment, Problem, Result, Zoom } from "../model/types.ts";
import { WindowStore } from "../model/window-store.ts";
import type { Asking } from "../model/model.ts";
import type { ShownState } from "./dock-state.ts";
import { atItsEnd, cannotRun, crashed, notBegun, profiling, type Action, type Notice } from "../parts/notice.tsx";
import type { Whereabouts } from "../model/origin.ts";
import type { Shown } from "./panel.ts";
import { PREPARING, standsInstead, titleOf, type Preparing } from "./session-words.ts";
import { ofStretch } from "./stretch.ts";
import { further, MARKS, side, type Driver, type Side, type Surroundings } from "./side.ts";

export class Session {
  /** One, or two that are compared: A and B. Empty before the first link is read. */
  readonly sides = signal<readonly Side[]>([]);
  /** What the sides will be, before the simulator is there. */
  readonly preview = signal<readonly Side[]>([]);
  /** Which of them the form shows. */
  readonly edited = signal(0);
  /** What the link has beside the experiments. */
  readonly view = signal<Readonly<View>>({});
  readonly state = signal<RunState | "idle">("idle");
  /** For the dock: what to say of where the runs are. */
  readonly where = signal<{ state: ShownState; cycle: number; rate: number }>({ state: "idle", cycle: 0, rate: 0 });
  /** What has run is at its end, and its result is here. */
  readonly over = signal(false);
  /** Where they are: what the page says is of this. The link has a cycle where the user has stopped to look, and only there. */
  readonly whereabouts = computed(
    (): Whereabouts =>
      this.stretch.value
        ? "stretch"
        : this.over.value
          ? "end"
          : this.state.value === "paused" && this.view.value.cycle !== undefined
            ? "rest"
            : "way",
  );
  /** The stretch of the run that the user has selected; the run rests at its end, or is on its way there. */
  readonly selected = computed((): Zoom | null => {
    const { from, cycle } = this.view.value;
    return from !== undefined && cycle !== undefined && from < cycle ? { from, to: cycle } : null;
  });
  /** The same, once the runs rest at its end and what they have said is of it. */
  readonly stretch = signal<Zoom | null>(null);
  /** What the runs said where a stretch begins. */
  #begun: { cycle: number; results: readonly Result[] } | null = null;
  /** They are on their way there. */
  #looks = false;
  readonly notice = signal<Notice | null>(null);
  /** The pictures are of the run before: they wait for what is asked for, or that cannot run, and these words say so. Null where they are not. */
  readonly standing = signal<"waits" | { text: string } | null>(null);
  readonly title = signal("");
  /** In which fields the two differ, as far as is known. */
  readonly differ = signal<readonly Difference[]>([]);
  /** The open tab of the drawer. */
  readonly tab = signal<string | null>(null);
  readonly shown = signal<Shown | null>(null);
  /** The cycle at which the runs rest; null while they run. */
  readonly settled = signal<number | null>(null);
  readonly ready = signal<(Ready & { module: WebAssembly.Module }) | null>(null);
  /** There is an experiment that the form can show. */
  readonly editable = signal(true);
  /** The SM that is shown on its own. */
  readonly sm = computed(() => {
    const { sm } = this.view.value,
      sms = Math.max(0, ...(this.shown.value?.runs ?? []).map(({ layout }) => layout.sms.length));
    return sm !== undefined && sm < sms ? sm : null;
  });
  readonly two = computed(() => this.sides.value.length > 1);
  readonly #experiments = computed(() => {
    const seen = this.sides.value.length > 0 ? this.sides.value : this.preview.value,
      now = seen.map(({ experiment }) => experiment);
    const same = now.length === this.#last.length && now.every((one, at) => one === this.#last[at]);
    if (!same) this.#last = now;
    return this.#last;
  });
  #last: readonly Experiment[] = [];

  engine: Driver | null = null;
  /** Where the runs go, while they go there. */
  toward = 0;
  /** What to say once the runs are built: of a link that another engine made, or of a GPU that a choice has brought. */
  aside: { title: string; actions: Action[] } | null = null;
  /** The cycle belongs in the link only where the user has stopped to look. */
  linkCycle = false;
  cycle = 0;
  /** What the runs were last told to do once they are built. */
  #asked = { play: false, seek: 0 };
  /** What was asked for cannot run, and nobody has asked anything else of what runs since. */
  #refused = false;
  #hidden = false;
  #pausedByHiding = false;
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** A, and B where there is one; the same list as long as they are the same. */
  get experiments(): readonly Experiment[] {
    return this.#experiments.value;
  }
  /** The mark of a side; empty where there is one. */
  mark(at: number): string {
    return this.two.peek() ? (MARKS[at] ?? "") : "";
  }
  get #sides(): readonly Side[] {
    return this.sides.peek();
  }
  #patch(at: number, part: Partial<Side>): void {
    this.sides.value = this.#sides.map((one, i) => (i === at ? { ...one, ...part } : one));
  }
  get catalogue() {
    return this.ready.value?.catalogue ?? null;
  }
  get laid(): boolean {
    return this.shown.peek() !== null;
  }
  get running(): boolean {
    const state = this.state.peek();
    return state === "playing" || state === "seeking";
  }

  // ---------------------------------------------------------------- what is seen

  /** Changes what the link has of the view; what is undefined is left out of it. */
  look(part: { [K in keyof View]: View[K] | undefined }): void {
    const view: Record<string, unknown> = { ...this.view.peek(), ...part };
    for (const key of Object.keys(view)) if (view[key] === undefined) delete view[key];
    this.view.value = view;
    this.#around.relink();
  }

  /** One SM large; null: none. */
  select(sm: number | null): void {
    this.look({ sm: sm ?? undefined });
  }

  readonly openFirst: Action = {
    label: "Open the default experiment",
    primary: true,
    run: () => {
      this.view.value = {};
      this.open(this.#around.first, true);
    },
  };

  // ---------------------------------------------------------------- which experiments

  /** Shows and runs what comes from elsewhere than the form: one experiment, or two. */
  open(next: Experiment, play: boolean, seek = 0, other: Experiment | null = null): void {
    batch(() => {
      if (this.two.peek()) this.engine?.only(0);
      this.#before(null);
      this.sides.value = [{ ...side(next), laid: this.#sides[0]?.laid ?? null }];
      this.editable.value = true;
      this.edit(0);
      this.#run(0, next, other === null && play, other === null ? seek : 0);
      if (other) this.#beside(other, play, seek);
      this.#remember(play, seek);
    });
  }

  /** What was to be opened cannot be read. */
  unreadable(text: readonly string[]): void {
    this.engine?.pause();
    if (!this.laid) this.#nothing();
    this.#say({ kind: "error", title: "This link cannot be opened", text, actions: [this.openFirst] });
  }
  /** The simulator is not to be had. */
  unable(notice: Notice): void {
    this.#nothing();
    this.#say(notice);
  }
  #nothing(): void {
    this.editable.value = false;
    this.where.value = { state: "empty", cycle: 0, rate: 0 };
  }

  #run(at: number, next: Experiment, play: boolean, seek: number): void {
    // Where a link could not be opened, there was none.
    if (!this.#sides[at]) this.sides.value = [...this.#sides, side(next)];
    this.#patch(at, { experiment: next, loaded: null, result: null, stopped: false });
    this.aside = null;
    this.#asked = { play, seek };
    this.toward = seek;
    this.#prepare("idle");
    this.engine?.load(at, next, play, seek);
  }

  /** What is asked for is not there yet. Until then, the transport and the title say so, and what the pictures have of before is not seen. */
  #prepare(how: Preparing): void {
    this.state.value = "idle";
    this.over.value = false;
    this.stretch.value = null;
    this.where.value = { state: how, cycle: 0, rate: 0 };
    this.title.value = `${PREPARING[how]}: ${titleOf(this.#sides, this.catalogue)}`;
    // Where a second run comes beside the first, the first is what it was.
    const waits = this.#sides.some(({ laid: of, loaded }) => of !== null && !loaded);
    this.standing.value = this.laid && waits ? "waits" : null;
  }

  /** The way back to what ran before, where there is one. */
  #wayBack(): Action[] {
    const [first, second] = this.#sides;
    if (first?.loaded && second?.laid === null) return [{ label: "Drop B", run: () => this.only(0) }];
    const laid = this.#sides.flatMap((one) => (one.laid ? [one.laid] : []));
    const can =
      this.shown.peek()?.runs.length === this.#sides.length &&
      laid.length === this.#sides.length &&
      this.#sides.some(({ loaded }) => !loaded);
    const names = laid.map(({ experiment }) => schemeText(experiment, this.catalogue)).join(" and ");
    return can ? [{ label: `Back to ${names}`, run: () => this.#takeBack() }] : [];
  }
  /** What was asked for is called off: the run before goes on where it was. */
  #takeBack(): void {
    this.sides.value = this.#sides.map((one) =>
      one.laid ? { ...one, ...one.laid, problems: [], stopped: false } : one,
    );
    this.notice.value = null;
    this.#before(null);
    this.edit(this.edited.peek());
    this.standing.value = null;
    this.title.value = titleOf(this.#sides, this.catalogue);
    this.engine?.keep();
    this.#around.relink();
  }

  /** The cycle is in the link where the user has stopped at it. */
  #remember(play: boolean, seek: number): void {
    this.linkCycle = seek > 0 && !play;
    this.look(this.linkCycle ? { cycle: seek } : { cycle: undefined, from: undefined });
  }

  /** A second experiment beside the first, at the same cycle. */
  #beside(other: Experiment, play: boolean, seek: number): void {
    batch(() => {
      this.sides.value = [this.#sides[0] as Side, side(other)];
      this.edit(1);
      this.differ.value = [];
      this.#asked = { play, seek };
      this.toward = seek;
      this.#prepare("idle");
    });
    this.engine?.load(1, other, play, seek);
  }
  /** Another experiment is compared with the one that runs. */
  compareWith(other: Experiment): void {
    const stay = this.state.peek() === "paused" && this.cycle > 0;
    this.#beside(other, !stay && !this.#around.calm(), stay ? this.cycle : 0);
    this.#around.relink();
  }

  /** One of two goes on alone. */
  only(at: number): void {
    const kept = this.#sides[at];
    if (!kept || !this.two.peek()) return;
    // One that could not be built is built alone, or says alone why not.
    if (!kept.loaded) {
      this.open(kept.experiment, !this.#around.calm());
      return;
    }
    this.engine?.only(at);
    this.sides.value = [kept];
    this.#before(null);
    this.edit(0);
    this.#lay();
    this.notice.value = null;
    this.#around.relink();
  }

  /** The form shows a side. */
  edit(at: number): void {
    this.edited.value = at;
    const shown = this.#sides[at];
    if (!shown) return;
    const { form } = this.#around;
    this.#tellSides();
    form.show(shown.experiment);
    if (shown.loaded) form.accepted(shown.loaded.normal, shown.loaded.explained);
    if (shown.problems.length > 0) form.problems([...shown.problems]);
  }
  #tellSides(): void {
    const titles = this.two.peek() ? runTitles(this.experiments, this.catalogue) : [];
    this.#around.form.setSides(titles, this.edited.peek());
  }

  /** A change of the form, or of a side's scheme. What ran, runs again from the start; who has stopped at a cycle sees that cycle of the new run. */
  change(next: Experiment, at = this.edited.peek()): void {
    this.#before(at);
    const state = this.state.peek(),
      asked = this.#asked;
    // Where the last change is not built yet, cannot be, or is not yet where it goes, it is to do what that one was to do.
    const waits = (state === "idle" || state === "seeking" || this.#refused) && this.laid;
    const stay = waits ? !asked.play && asked.seek > 0 : state === "paused" && this.cycle > 0,
      linked = this.linkCycle,
      there = waits ? asked.seek : this.cycle;
    const play = waits ? asked.play : !stay && state !== "paused" && !(state === "idle" && this.#around.calm());
    this.#run(at, next, play, stay ? there : 0);
    this.#remember(play, stay ? there : 0);
    if (stay) {
      this.linkCycle = linked;
      if (!linked) this.look({ cycle: undefined });
    }
    this.#tellSides();
  }
  /** The same, where the form has to be told. */
  changeElsewhere(next: Experiment, at: number): void {
    this.change(next, at);
    if (at === this.edited.peek()) this.#around.form.show(next);
  }
  /** Changes what both sides share. */
  changeBoth(edit: (experiment: Experiment) => void): void {
    this.#sides.forEach(({ experiment }, at) => {
      const next = structuredClone(experiment);
      edit(next);
      this.changeElsewhere(next, at);
    });
  }
  /** An experiment becomes a side. */
  openAs(at: number, next: Experiment): void {
    if (at >= this.#sides.length) {
      this.compareWith(next);
      return;
    }
    this.change(next, at);
    this.edit(at);
  }
  /** Two, from the start. */
  pair(first: Experiment, second: Experiment): void {
    this.view.value = {};
    this.open(first, !this.#around.calm(), 0, second);
  }

  #before(at: number | null): void {
    for (const part of this.#around.feed.parts) part.before?.(at);
  }

  // ---------------------------------------------------------------- what the engine says

  loaded(at: number, message: Loaded): void {
    if (!this.catalogue || !this.#sides[at]) return;
    this.#patch(at, { loaded: message, problems: [], alone: [], stopped: false });
    this.cycle = 0;
    this.#refused = this.#looks = false;
    this.#begun = null;
    if (at === this.edited.peek()) this.#around.form.accepted(message.normal, message.explained);
    this.#sayUnbuilt();
    this.#lay();
    if (this.#hidden && this.#asked.play) {
      this.#pausedByHiding = true;
      this.engine?.pause();
    }
  }
  /** What is to be said once a side is built: of one that is not, or beside the run. */
  #sayUnbuilt(): void {
    const unbuilt = this.#sides.filter(({ loaded }) => !loaded);
    if (unbuilt.some(({ stopped }) => stopped)) this.#sayStopped();
    // Of one that is on its way, what is said stays.
    else if (unbuilt.some(({ problems }) => problems.length === 0)) return;
    else if (unbuilt[0]) {
      if (!this.laid) this.#cannot(unbuilt[0].problems);
      else if (this.two.peek()) this.#cannotBeside(this.#sides.indexOf(unbuilt[0]), unbuilt[0].problems);
      else this.#say(null);
    } else {
      const close = (): void => {
        this.aside = null;
        this.#say(null);
      };
      const actions = [...(this.aside?.actions ?? []), { label: "Close this notice", run: close }];
      this.#say(this.aside && { kind: "info", title: this.aside.title, actions });
    }
  }
  #cannot(problems: readonly Problem[]): void {
    this.where.value = { state: "empty", cycle: 0, rate: 0 };
    this.#say(cannotRun(problems, this.openFirst));
  }
  /** One of two: the other may go on without it. */
  #cannotBeside(at: number, problems: readonly Problem[]): void {
    const other = 1 - at,
      alone = { label: `Go on with ${MARKS[other] ?? ""} alone`, primary: true, run: () => this.only(other) };
    this.#say({ ...cannotRun(problems, alone), title: `${MARKS[at] ?? ""} cannot run` });
  }
  #say(notice: Notice | null): void {
    this.notice.value = notice;
  }

  /** Shows the runs, once all are built. */
  #lay(): void {
    const { catalogue } = this,
      loaded = this.#sides.flatMap((one) => one.loaded ?? []);
    if (!catalogue || loaded.length < this.#sides.length) return;
    const experiments = this.#sides.map(({ experiment }) => experiment),
      titles = runTitles(experiments, catalogue);
    const shown: Shown = {
      catalogue,
      runs: loaded.map(({ layout, windows }, i) => ({ mark: this.mark(i), title: titles[i] ?? "", layout, windows })),
      stores: loaded.map(({ windows }) => new WindowStore(windows, tabBudget().edges)),
      experiments,
      loaded,
    };
    const [a, b] = this.#sides.map(({ experiment }, i) => ({
      written: experiment,
      normal: (loaded[i] as Loaded).normal,
    }));
    batch(() => {
      this.differ.value = a && b ? differences(a, b, this.catalogue) : [];
      this.sides.value = this.#sides.map((one, i) => ({
        ...one,
        laid: { experiment: one.experiment, loaded: loaded[i] as Loaded },
      }));
      this.#around.feed.runs(shown);
      this.#sides.forEach(({ alone }, at) => {
        alone.forEach((known, kernel) => {
          if (known) for (const part of this.#around.feed.parts) part.alone?.(at, kernel, known.ipc, known.why);
        });
      });
      this.shown.value = shown;
      this.standing.value = null;
      this.title.value = titleOf(this.#sides, this.catalogue);
    });
  }

  profiling(at: number, name: string, done: number, of: number, part: number): void {
    this.#patch(at, { stopped: false });
    this.#prepare("profiling");
    const mark = this.mark(at),
      stop = { label: "Stop", run: () => this.engine?.stopProfiling() };
    this.#say(profiling(`${mark === "" ? "" : `for ${mark}, `}${name}`, done, of, part, stop, ...this.#wayBack()));
  }
  profilingStopped(at: number): void {
    this.#patch(at, { stopped: true });
    this.#sayStopped();
  }
  #sayStopped(): void {
    this.#prepare("stopped");
    const on = { label: "Go on", primary: true, run: () => this.#goOn() };
    this.#say(notBegun(on, ...this.#wayBack(), this.openFirst));
  }
  /** Builds what was not built, and goes to where it was to go. */
  #goOn(): void {
    const { play, seek } = this.#asked;
    this.#say(null);
    this.#sides.forEach(({ experiment, stopped }, at) => {
      if (stopped) this.#run(at, experiment, play || seek === 0, seek);
    });
  }

  problems(at: number, problems: Problem[]): void {
    if (!this.#sides[at]) return;
    this.#patch(at, { problems });
    if (at === this.edited.peek()) this.#around.form.problems(problems);
    if (this.two.peek()) this.#cannotBeside(at, problems);
    if (!this.laid) {
      this.#cannot(problems);
      return;
    }
    this.title.value = "A problem";
    this.#refused = true;
    this.state.value = "paused";
    this.where.value = { state: "paused", cycle: this.cycle, rate: 0 };
    const text = standsInstead(this.#sides, this.catalogue);
    if (text !== null) this.standing.value = { text };
  }

  alone(at: number, kernel: number, ipc: number | null, why: string): void {
    const alone = [...(this.#sides[at]?.alone ?? [])];
    alone[kernel] = { ipc, why };
    this.#patch(at, { alone });
    for (const part of this.#around.feed.parts) part.alone?.(at, kernel, ipc, why);
  }
  aloneProgress(at: number, kernel: number, done: number | null): void {
    for (const part of this.#around.feed.parts) part.aloneProgress?.(at, kernel, done);
  }
  why(at: number, asking: Asking | null): void {
    if (this.#sides[at]) this.#patch(at, { asking });
  }
  underWay(cycle: number, rate: number): void {
    this.state.value = "seeking";
    this.where.value = { state: "seeking", cycle, rate };
  }

  /** A frame of each run, all of one cycle. */
  frames(frames: FrameMessage[], now: RunState, rate: number): void {
    // The second run may not have been built yet.
    if (frames.length !== this.#sides.length || frames.length !== this.shown.peek()?.runs.length) return;
    const before = this.state.peek(),
      still = now !== "playing" && now !== "seeking",
      selected = still ? this.selected.peek() : null;
    if (selected && this.#looksBack(selected, frames)) return;
    const stretch = selected?.to === frames[0]?.cycle ? selected : null;
    if (stretch) frames = this.#ofStretch(stretch, frames);
    this.state.value = now;
    this.cycle = (frames[0] as FrameMessage).cycle;
    const settled = now === "done" && frames.some(({ result }) => result?.settled?.reached);
    this.where.value = { state: settled ? "settled" : now, cycle: this.cycle, rate };
    this.#around.feed.take(frames, still);
    batch(() => {
      if (!stretch || frames.every(({ result }) => result)) this.stretch.value = stretch;
      if (frames.every(({ result }) => result)) {
        this.sides.value = this.#sides.map((one, at) => ({ ...one, result: frames[at]?.result ?? null }));
        // The result may come a frame after the end.
        this.over.value = now === "done" && !stretch;
      }
      if (now !== "done") this.over.value = false;
    });
    if (now !== before) {
      this.#ended(frames, now, before);
      if (still) {
        this.settled.value = this.cycle;
        this.look({ cycle: this.linkCycle && this.cycle > 0 ? this.cycle : undefined });
      } else {
        this.settled.value = null;
        if (now === "playing" && this.view.peek().cycle !== undefined) {
          this.linkCycle = false;
          this.look({ cycle: undefined });
        }
      }
    } else if (now === "paused" && this.linkCycle && this.settled.peek() !== this.cycle) {
      this.settled.value = this.cycle;
      this.look({ cycle: this.cycle });
    }
  }
  /** Whether they still go where a stretch begins: to say what is of it alone, that has to be known. */
  #looksBack({ from, to }: Zoom, frames: readonly FrameMessage[]): boolean {
    const cycle = frames[0]?.cycle,
      results = frames.flatMap(({ result }) => result ?? []),
      there = this.#looks && cycle === from,
      known = from === 0 || this.#begun?.cycle === from;
    if (!there && (this.#looks || known || cycle !== to)) return false;
    this.#around.feed.take(frames, true);
    // The results may come a frame later.
    if (there && results.length < frames.length) return true;
    if (there) this.#begun = { cycle: from, results };
    this.#looks = !there;
    this.engine?.seek(there ? to : from);
    return true;
  }
  #ofStretch(stretch: Zoom, frames: readonly FrameMessage[]): FrameMessage[] {
    const begun = stretch.from > 0 ? this.#begun?.results : undefined;
    return frames.map((frame, at) =>
      frame.result ? { ...frame, result: ofStretch(begun?.[at] ?? null, frame.result, stretch) } : frame,
    );
  }
  /** Says why the runs cannot go on. */
  #ended(frames: readonly FrameMessage[], now: RunState, before: RunState | "idle"): void {
    const at = frames.findIndex((frame) => frame.state === now),
      why = frames[at] ? atItsEnd(frames[at], this.mark(at)) : null;
    if (now === "failed") this.#around.form.scriptFailed(at, frames[at]?.why ?? "");
    if (why) this.#say(why);
    else if (before === "stuck" || before === "failed") this.#say(null);
  }

  /** A worker is dead. */
  failed(message: string): void {
    this.state.value = "idle";
    this.where.value = { state: "empty", cycle: this.cycle, rate: 0 };
    const other = (): void => {
      if (this.two.peek()) this.only(0);
      this.sides.value = [side(this.#around.first)];
      this.edit(0);
      void this.#again();
    };
    const again = { label: "Start this experiment again", primary: true, run: () => void this.#again() };
    this.#say(crashed(message, again, { label: "Open the default experiment", run: other }));
  }
  async #again(): Promise<void> {
    this.#say({ kind: "loading", title: "Starting again…" });
    try {
      await this.engine?.restart();
      this.shown.value = null;
      this.#sides.forEach(({ experiment }, at) => {
        this.#run(at, experiment, false, 0);
      });
      this.#remember(false, 0);
    } catch (error) {
      this.failed(String(error));
    }
  }

  // ---------------------------------------------------------------- what the user does

  toggle(): void {
    const { engine } = this;
    if (!engine || !this.laid) return;
    const state = this.state.peek();
    this.#acts(this.linkCycle);
    if (this.#sides.some(({ stopped }) => stopped)) {
      this.#asked.play = true;
      this.#goOn();
    } else if (this.running) {
      this.linkCycle = true;
      engine.pause();
    } else if (state === "done" && this.#goFurther()) {
      return;
    } else if (state === "done" || state === "stuck" || state === "failed") {
      this.#say(null);
      engine.seek(0, true);
    } else {
      this.linkCycle = false;
      engine.play();
    }
  }
  /** What has ended goes on, as the same run with a later end; false where a run is over for good, since its kernels are done. */
  #goFurther(): boolean {
    const next = this.#sides.map((one) => further(one));
    if (!next.every((one) => one !== null)) return false;
    const there = this.cycle;
    next.forEach((experiment, at) => {
      this.#run(at, experiment, true, there);
    });
    this.#remember(true, there);
    this.#around.form.show(next[this.edited.peek()] as Experiment);
    this.#tellSides();
    return true;
  }
  /** The user moves what runs: whether the cycle is to be in the link. */
  #acts(linkCycle: boolean): void {
    this.linkCycle = linkCycle;
    this.#refused = this.#looks = false;
    this.stretch.value = null;
    if (this.view.peek().from !== undefined) this.look({ from: undefined });
  }
  step(): void {
    this.#acts(true);
    this.engine?.step();
  }
  back(): void {
    if (this.cycle > 0) this.go(this.cycle - 1);
  }
  event(): void {
    this.#acts(true);
    this.engine?.stepEvent();
  }
  reset(): void {
    this.#acts(false);
    this.engine?.seek(0);
  }
  go(to: number): void {
    this.#acts(true);
    this.toward = to;
    this.#asked = { play: false, seek: to };
    this.engine?.seek(to);
  }
  /** What is said is to be of a stretch of the run, at whose end it stays; null: again of the run up to where it is. */
  stretchTo(stretch: Zoom | null): void {
    const from = stretch?.from ?? 0,
      to = stretch?.to ?? this.cycle;
    this.#acts(true);
    this.toward = to;
    this.#asked = { play: false, seek: to };
    this.look({ from: stretch?.from, cycle: to || undefined });
    this.#looks = from > 0 && this.#begun?.cycle !== from;
    this.engine?.seek(this.#looks ? from : to);
  }
  /** A hidden page runs nothing. */
  hide(hidden: boolean): void {
    this.#hidden = hidden;
    if (hidden && this.state.peek() === "playing") {
      this.#pausedByHiding = true;
      this.engine?.pause();
    } else if (!hidden && this.#pausedByHiding) {
      this.#pausedByHiding = false;
      this.engine?.play();
    }
  }
}

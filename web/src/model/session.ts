// What the page runs, as a state and what happens to it: from a state and an event come the next state and what is then to be done, as data. Nothing here
// waits, asks or draws: run/session.ts does what is to be done, and tells what came of it as an event.
import { count } from "./format.ts";
import type { View } from "./link.ts";
import { edited } from "./mix.ts";
import type { Asking } from "./model.ts";
import type { Whereabouts } from "./origin.ts";
import { scaledTo } from "./scaled.ts";
import type { Stop } from "./stop-rule.ts";
import { ofStretch } from "./stretch.ts";
import type { Experiment, FrameLayout, Problem, Result, RunState, WindowsLayout, Zoom } from "./types.ts";

export const MARKS = ["A", "B"] as const;

/** A run that the engine has built. */
export interface Built {
  layout: FrameLayout;
  windows: WindowsLayout;
  hash: string;
  /** The experiment after defaults. */
  normal: Experiment;
  /** GPU, occupancy and its limiter, as the engine explains it. */
  explained: unknown;
}
/** An experiment of the page, and what the engine said of it last: what it built, or what is wrong. */
export interface Side {
  readonly experiment: Experiment;
  readonly loaded: Built | null;
  readonly problems: readonly Problem[];
  /** What it has to know first was being measured, and that was stopped. */
  readonly stopped: boolean;
  /** Of each kernel, once it is known. */
  readonly alone: readonly ({ ipc: number | null; why: string } | undefined)[];
  /** How far the runs are that tell why its kernels suffer; null where nothing is asked, or all is told. */
  readonly asking: Asking | null;
  /** What its run says so far. */
  readonly result: Result | null;
  /** What it said at its end, where it goes on to a later one. */
  readonly earlier: { experiment: Experiment; result: Result } | null;
  /** What the pictures show of it. */
  readonly laid: { experiment: Experiment; loaded: Built } | null;
}
export const side = (experiment: Experiment): Side => ({
  experiment,
  loaded: null,
  problems: [],
  stopped: false,
  alone: [],
  asking: null,
  result: null,
  earlier: null,
  laid: null,
});

/**
 * `idle`: not yet ready, and what is shown may be of before. `profiling`: neither, and kernels are measured alone first; `stopped`: that was stopped.
 * `empty`: ready, and there is nothing to run. `settled`: done, because what is measured is known.
 */
export type Doing = RunState | "idle" | "profiling" | "stopped" | "empty" | "settled";
const UNBUILT: readonly Doing[] = ["idle", "profiling", "stopped", "empty"];
/** What the runs do, whatever it is called. */
export const runOf = (doing: Doing): RunState | "idle" =>
  UNBUILT.includes(doing) ? "idle" : doing === "settled" ? "done" : (doing as RunState);

/** What is said of a frame. */
export interface Arrived {
  cycle: number;
  state: RunState;
  /** A few times a second, and always when the simulation stops. */
  result: Result | null;
  /** Why it is stuck, or has failed; empty otherwise. */
  why: string;
}
/** Why nothing runs, apart from what is wrong with an experiment. */
type Trouble =
  | { what: "unreadable"; error: unknown }
  | { what: "unable" | "crashed"; text: string }
  | { what: "restarting" };

export const begin = (/** What stands there where a link cannot be opened. */ first: Experiment, calm: boolean) => ({
  first,
  /** No motion is wanted: nothing starts by itself. */
  calm,
  /** One, or two that are compared: A and B. Empty before the first link is read. */
  sides: [] as readonly Side[],
  /** What they will be, before the simulator is there; and what has been chosen in place of these. */
  preview: [] as readonly Side[],
  chosen: null as { of: readonly Experiment[]; next: readonly Experiment[] } | null,
  /** Which of them the form shows, and whether there is one. */
  edited: 0,
  editable: true,
  /** What the link has beside the experiments. */
  view: {} as Readonly<View>,
  doing: "idle" as Doing,
  cycle: 0,
  rate: 0,
  /** Where the runs go, while they go there. */
  toward: 0,
  /** What they were last told to do once they are built. */
  asked: { play: false, seek: 0 },
  /** The cycle belongs in the link only where the user has stopped to look. */
  linkCycle: false,
  /** What was asked for cannot run, and nobody has asked anything else of what runs since. */
  refused: false,
  /** How many runs the pictures show. */
  laid: 0,
  /** What has run is at its end, and its result is here. */
  over: false,
  /** The stretch that is selected, once the runs rest at its end and what they have said is of it. */
  stretch: null as Zoom | null,
  /** What the runs said where it begins; and whether they are on their way there. */
  begun: null as { cycle: number; results: readonly Result[] } | null,
  looks: false,
  /** The cycle at which the runs rest; null while they run. */
  settled: null as number | null,
  /** What is measured before a side can run: the run under way, how many are done, of how many, and how much of this one is; null: it is another's. */
  profile: null as { at: number; name: string; done: number; of: number; part: number | null } | null,
  /** The run that is stuck, or whose script has failed. */
  ended: null as (Arrived & { at: number }) | null,
  trouble: null as Trouble | null,
  /** What to say once the runs are built: of a link that another engine made, or of a GPU that a choice has brought, from which a press leads back. */
  aside: null as { title: string; back?: { label: string; to: readonly Experiment[] } } | null,
  hidden: false,
  pausedByHiding: false,
});
export type State = Readonly<ReturnType<typeof begin>>;

interface Events extends Told {
  open: [experiments: readonly Experiment[], view?: View, still?: number];
  preview: [experiments: readonly Experiment[]];
  unreadable: [error: unknown];
  unable: [text: string];
  aside: [State["aside"]];
  look: [part: { [K in keyof View]?: View[K] | undefined }];
  edit: [at: number];
  dropped: [];
  /** The form has another experiment. */
  typed: [next: Experiment];
  /** Other experiments for these sides; beyond the last one, a side more. */
  change: [next: Readonly<Record<number, Experiment>>];
  /** Other experiments for all sides, or first that part of their GPU, if they can be scaled. */
  become: [next: readonly Experiment[], part: string | null];
  fits: [of: readonly Experiment[], next: readonly Experiment[]];
  only: [at: number];
  takeBack: [];
  stopProfiling: [];
  goOn: [];
  again: [];
  openFirst: [];
  restarted: [];
  toggle: [];
  step: [];
  back: [];
  event: [];
  reset: [];
  go: [to: number];
  /** What is said is to be of a stretch of the run, at whose end it stays; null: again of the run up to where it is. */
  stretchTo: [stretch: Zoom | null];
  /** A hidden page runs nothing. */
  hide: [hidden: boolean];
}
/** What the engine says; `at`: 0 for the first run, A; 1 for the second, B. */
interface Told {
  loaded: [at: number, built: Built];
  problems: [at: number, problems: readonly Problem[]];
  /** What a policy has to know is being measured: the run under way, how many are done, of how many, and how much of this one is. */
  profiling: [at: number, name: string, done: number, of: number, part: number | null];
  profilingStopped: [at: number];
  alone: [at: number, kernel: number, ipc: number | null, why: string];
  aloneProgress: [at: number, kernel: number, done: number | null];
  /** How far the runs are that tell why kernels suffer; null where nothing is asked, or all is told. */
  why: [at: number, asking: Asking | null];
  /** On a long way, on which nothing is drawn. */
  underWay: [cycle: number, rate: number];
  /** In an animation frame, one of each run, all of one cycle. */
  frames: [frames: readonly Arrived[], now: RunState, rate: number];
  /** A worker is dead. */
  failed: [message: string];
}
export type Tell = (...said: { [K in keyof Told]: [K, ...Told[K]] }[keyof Told]) => void;
export interface Effects {
  // ---- on the engine
  load: [at: number, experiment: Experiment, play: boolean, seek: number];
  only: [at: number];
  keep: [];
  play: [];
  pause: [];
  step: [];
  stepEvent: [];
  seek: [cycle: number, plays?: boolean];
  stopProfiling: [];
  restart: [];
  /** Whether these can run, or else the other ones; chosen where there were those first ones. Answered by `fits`. */
  judge: [of: readonly Experiment[], parts: readonly Experiment[], whole: readonly Experiment[]];
  // ---- on the form, which shows one side
  show: [];
  /** What the engine says of that one. */
  judged: [];
  scriptFailed: [at: number, why: string];
  // ---- on the rest of the page
  /** What is shown has changed: the address is to say so. */
  link: [];
  /** The runs are built: the pictures are of these from now on. */
  lay: [];
  /** A side is about to run something else; null: what was before is of no use any more. */
  before: [at: number | null];
  take: [frames: readonly Arrived[], still: boolean];
  alone: [at: number, kernel: number, ipc: number | null, why: string];
  aloneProgress: [at: number, kernel: number, done: number | null];
}
export type Effect = { [K in keyof Effects]: [K, ...Effects[K]] }[keyof Effects];
export type Event = { [K in keyof Events]: [K, ...Events[K]] }[keyof Events];

/** An event that is being answered: the state so far, and what is to be done. */
class Turn {
  state: State;
  readonly effects: Effect[] = [];
  linked = false;
  constructor(state: State) {
    this.state = state;
  }
  set(part: Partial<State>): void {
    this.state = { ...this.state, ...part };
  }
  patch(at: number, part: Partial<Side>): void {
    this.set({ sides: this.state.sides.map((one, i) => (i === at ? { ...one, ...part } : one)) });
  }
  do(...effect: Effect): void {
    this.effects.push(effect);
  }
  look(part: Events["look"][0]): void {
    const view: Record<string, unknown> = { ...this.state.view, ...part };
    for (const key of Object.keys(view)) if (view[key] === undefined) delete view[key];
    this.set({ view });
    this.linked = true;
  }
}

export function reduce(state: State, [name, ...args]: Event): [State, Effect[]] {
  const turn = new Turn(state);
  (on[name] as (turn: Turn, ...args: unknown[]) => void)(turn, ...args);
  return [turn.state, turn.linked ? [...turn.effects, ["link"]] : turn.effects];
}

// ---------------------------------------------------------------- what follows from a state

/** The stretch of the run that the user has selected; the run rests at its end, or is on its way there. */
export const selectedIn = ({ from, cycle }: Readonly<View>): Zoom | null =>
  from !== undefined && cycle !== undefined && from < cycle ? { from, to: cycle } : null;
/** Where the runs are: what the page says is of this. The link has a cycle where the user has stopped to look, and only there. */
export const whereaboutsIn = ({ stretch, over, doing, view }: State): Whereabouts =>
  stretch ? "stretch" : over ? "end" : doing === "paused" && view.cycle !== undefined ? "rest" : "way";
export const isRunning = ({ doing }: State): boolean => doing === "playing" || doing === "seeking";
/** What is run, or will be. */
export const sidesIn = ({ sides, preview }: State): readonly Side[] => (sides.length > 0 ? sides : preview);
export const experimentsIn = (state: State): readonly Experiment[] =>
  sidesIn(state).map(({ experiment }) => experiment);
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The experiment of a run for twice as long where that has ended, and as it is where it has not; null for one that is over for good. */
export function further({ experiment, loaded, result }: Side): Experiment | null {
  if (!loaded || !result) return null;
  const stop = (loaded.normal.stop ?? {}) as { settled?: number; at_most?: number; cycles?: number },
    length = stop.settled === undefined ? "cycles" : "at_most";
  switch (result.stop) {
    case "budget":
      return experiment;
    case "cycles":
      return { ...structuredClone(experiment), stop: { ...stop, [length]: 2 * (stop[length] ?? result.cycles) } };
    case "settled":
      return { ...structuredClone(experiment), stop: { cycles: 2 * result.cycles } };
    default:
      return null;
  }
}

/** All of them for longer; null where one is over for good. */
function allFurther(sides: readonly Side[]): readonly Experiment[] | null {
  const next = sides.flatMap((one) => further(one) ?? []);
  return next.length === sides.length ? next : null;
}
/** What Play will do, in few words. */
export function playsIn(state: State): string {
  const { sides, doing, view } = state,
    over = runOf(doing);
  if (isRunning(state)) return "Pause";
  const next = over === "done" ? allFurther(sides) : null,
    ends = next?.map((one, at) => {
      // One that goes on as it is may leave its end to what the engine takes where it names none.
      const { stop, warm_up: warmUp = 0 } = { ...sides[at]?.loaded?.normal, ...one };
      const { cycles, at_most: most } = (stop ?? {}) as Stop;
      return (cycles ?? most ?? 0) + (warmUp as number);
    });
  const words = [
    ends
      ? `go on to ${count(Math.max(...ends))} cycles`
      : ["done", "stuck", "failed"].includes(over) && "again from cycle 0",
    selectedIn(view) && "numbers are of the whole run again",
  ].filter(Boolean);
  return words.length > 0 ? `Play: ${words.join("; ")}` : "Play";
}

// ---------------------------------------------------------------- steps of several events

/** Shows and runs what comes from elsewhere than the form. */
function start(turn: Turn, experiments: readonly Experiment[], play: boolean, seek: number): void {
  const { sides } = turn.state,
    [of] = sides;
  if (sides.length > 1) turn.do("only", 0);
  turn.do("before", null);
  turn.set({
    sides: experiments.map((one, at) => ({ ...side(one), laid: at === 0 ? (of?.laid ?? null) : null })),
    edited: experiments.length - 1,
    editable: true,
  });
  for (const [at, one] of experiments.entries()) run(turn, at, one, play, seek);
  turn.do("show");
  remember(turn, play, seek);
}
/** The cycle is in the link where the user has stopped at it. */
function remember(turn: Turn, play: boolean, seek: number): void {
  const linkCycle = seek > 0 && !play;
  turn.set({ linkCycle });
  turn.look(linkCycle ? { cycle: seek } : { cycle: undefined, from: undefined });
}
function run(turn: Turn, at: number, experiment: Experiment, play: boolean, seek: number): void {
  const part = { experiment, loaded: null, problems: [], result: null, earlier: null, stopped: false };
  // Where a link could not be opened, there was none.
  if (turn.state.sides[at]) turn.patch(at, part);
  else turn.set({ sides: [...turn.state.sides, side(experiment)] });
  turn.set({ aside: null, trouble: null, profile: null, ended: null, asked: { play, seek }, toward: seek });
  prepare(turn, "idle");
  turn.do("load", at, experiment, play, seek);
}
/** What is asked for is not there yet. */
const prepare = (turn: Turn, doing: Doing): void => turn.set({ doing, rate: 0, over: false, stretch: null });

/** The form shows a side. */
function edit(turn: Turn, at: number): void {
  turn.set({ edited: at });
  turn.do("show");
}
/** What ran, runs again from the start; who has stopped at a cycle sees that cycle of the new run. */
function change(turn: Turn, next: Experiment, at: number): void {
  const { doing, asked, cycle, linkCycle, refused, laid, calm, sides } = turn.state,
    idle = runOf(doing) === "idle",
    // Where the last change is not built yet, cannot be, or is not yet where it goes, it is to do what that one was to do.
    waits = (idle || doing === "seeking" || refused) && laid > 0,
    stay = waits ? !asked.play && asked.seek > 0 : doing === "paused" && cycle > 0,
    there = stay ? (waits ? asked.seek : cycle) : 0;
  if (sides.length > 0 && at >= sides.length) {
    run(turn, at, next, !stay && !calm, there);
    edit(turn, at);
    turn.linked = true;
    return;
  }
  turn.do("before", at);
  run(turn, at, next, waits ? asked.play : !stay && doing !== "paused" && !(idle && calm), there);
  turn.set({ linkCycle: stay && linkCycle });
  if (!stay) turn.look({ cycle: undefined, from: undefined });
  else turn.look({ cycle: linkCycle ? there : undefined });
}
function changeAll(turn: Turn, next: Events["change"][0]): void {
  for (const [key, one] of Object.entries(next)) {
    const at = Number(key),
      changes = !same(one, turn.state.sides[at]?.experiment);
    if (changes) change(turn, one, at);
    if (changes && at === turn.state.edited) turn.do("show");
  }
}
/** The user moves what runs: whether the cycle is to be in the link. */
function acts(turn: Turn, linkCycle: boolean): void {
  turn.set({ linkCycle, refused: false, looks: false, stretch: null });
  if (turn.state.view.from !== undefined) turn.look({ from: undefined });
}
/** Builds what was not built, and goes to where it was to go. */
function goOn(turn: Turn, play: boolean): void {
  const { seek } = turn.state.asked;
  turn.state.sides.forEach(({ experiment, stopped }, at) => {
    if (stopped) run(turn, at, experiment, play || seek === 0, seek);
  });
}
/** What has ended goes on, as the same run with a later end, and what it said stays until then; false where a run is over for good. */
function goFurther(turn: Turn): boolean {
  const { sides, cycle } = turn.state,
    next = allFurther(sides);
  if (!next) return false;
  sides.forEach(({ experiment, result }, at) => {
    run(turn, at, next[at] as Experiment, true, cycle);
    if (result && result.stop !== "budget") turn.patch(at, { earlier: { experiment, result } });
  });
  remember(turn, true, cycle);
  turn.do("show");
  return true;
}
function lay(turn: Turn): void {
  const { sides } = turn.state;
  if (sides.some(({ loaded }) => !loaded)) return;
  turn.set({
    sides: sides.map((one) => ({ ...one, laid: { experiment: one.experiment, loaded: one.loaded as Built } })),
    laid: sides.length,
  });
  turn.do("lay");
}
/** Whether the runs still go where a stretch begins: to say what is of it alone, that has to be known. */
function looksBack(turn: Turn, { from, to }: Zoom, frames: readonly Arrived[]): boolean {
  const { looks, begun } = turn.state,
    cycle = frames[0]?.cycle,
    results = frames.flatMap(({ result }) => result ?? []),
    there = looks && cycle === from,
    known = from === 0 || begun?.cycle === from;
  if (!there && (looks || known || cycle !== to)) return false;
  turn.do("take", frames, true);
  // The results may come a frame later.
  if (there && results.length < frames.length) return true;
  turn.set({ looks: !there, ...(there ? { begun: { cycle: from, results } } : {}) });
  turn.do("seek", there ? to : from);
  return true;
}
function again(turn: Turn): void {
  turn.set({ trouble: { what: "restarting" } });
  turn.do("restart");
}

// ---------------------------------------------------------------- what happens

const on: { [K in keyof Events]: (turn: Turn, ...args: Events[K]) => void } = {
  /** `still`: where it stops to be seen if nothing is to move. */
  open(turn, experiments, view = {}, still = 0) {
    const { cycle = 0 } = view,
      { calm, chosen } = turn.state;
    turn.set({ view, chosen: null });
    start(
      turn,
      chosen && same(chosen.of, experiments) ? chosen.next : experiments,
      cycle === 0 && !calm,
      cycle || (calm ? still : 0),
    );
    if (cycle > 0) return;
    turn.set({ linkCycle: false });
    turn.look({ cycle: undefined, from: undefined });
  },
  preview: (turn, experiments) => turn.set({ preview: experiments.map(side) }),
  unreadable(turn, error) {
    turn.do("pause");
    turn.set({ trouble: { what: "unreadable", error } });
    if (turn.state.laid === 0) turn.set({ doing: "empty", editable: false });
  },
  unable: (turn, text) => turn.set({ trouble: { what: "unable", text }, doing: "empty", editable: false }),
  aside: (turn, aside) => turn.set({ aside }),
  look: (turn, part) => turn.look(part),
  edit,
  dropped: (turn) => turn.set({ editable: true }),

  typed: (turn, next) => change(turn, next, turn.state.edited),
  change: changeAll,
  become(turn, next, part) {
    const of = experimentsIn(turn.state);
    if (part === null) on.fits(turn, of, next);
    else {
      const parts = next.map((one) => edited(one, scaledTo(part)));
      turn.do("judge", of, parts, next);
    }
  },
  fits(turn, of, next) {
    // Somebody may have chosen something else meanwhile; that the same has loaded meanwhile is no other choice.
    if (!same(experimentsIn(turn.state), of)) return;
    if (turn.state.sides.length > 0) changeAll(turn, next);
    else turn.set({ chosen: { of, next }, preview: next.map(side) });
  },
  only(turn, at) {
    const { sides, calm } = turn.state,
      kept = sides[at];
    if (!kept || sides.length < 2) return;
    // One that could not be built is built alone, or says alone why not.
    if (!kept.loaded) {
      start(turn, [kept.experiment], !calm, 0);
      return;
    }
    turn.do("only", at);
    turn.set({ sides: [kept], trouble: null, profile: null, ended: null, aside: null });
    turn.do("before", null);
    edit(turn, 0);
    lay(turn);
    turn.linked = true;
  },
  /** What was asked for is called off: the run before goes on where it was. */
  takeBack(turn) {
    turn.set({
      sides: turn.state.sides.map((one) => (one.laid ? { ...one, ...one.laid, problems: [], stopped: false } : one)),
      profile: null,
    });
    turn.do("before", null);
    turn.do("show");
    turn.do("keep");
    turn.linked = true;
  },
  stopProfiling: (turn) => turn.do("stopProfiling"),
  goOn: (turn) => goOn(turn, turn.state.asked.play),
  again,
  openFirst(turn) {
    const { first, trouble, sides } = turn.state;
    if (trouble?.what !== "crashed") {
      on.open(turn, [first]);
      return;
    }
    // Its worker is dead.
    if (sides.length > 1) turn.do("only", 0);
    turn.set({ sides: [side(first)] });
    edit(turn, 0);
    again(turn);
  },
  restarted(turn) {
    turn.set({ laid: 0 });
    for (const [at, { experiment }] of turn.state.sides.entries()) run(turn, at, experiment, false, 0);
    remember(turn, false, 0);
  },

  toggle(turn) {
    const { sides, laid, doing, linkCycle } = turn.state;
    if (laid === 0) return;
    const running = isRunning(turn.state);
    acts(turn, linkCycle);
    if (sides.some(({ stopped }) => stopped)) goOn(turn, true);
    else if (running) {
      turn.set({ linkCycle: true });
      turn.do("pause");
    } else if (runOf(doing) === "done" && goFurther(turn)) return;
    else if (["done", "stuck", "failed"].includes(runOf(doing))) turn.do("seek", 0, true);
    else {
      turn.set({ linkCycle: false });
      turn.do("play");
    }
  },
  step(turn) {
    acts(turn, true);
    turn.do("step");
  },
  back(turn) {
    if (turn.state.cycle > 0) on.go(turn, turn.state.cycle - 1);
  },
  event(turn) {
    acts(turn, true);
    turn.do("stepEvent");
  },
  reset(turn) {
    acts(turn, false);
    turn.do("seek", 0);
  },
  go(turn, to) {
    acts(turn, true);
    turn.set({ toward: to, asked: { play: false, seek: to } });
    turn.do("seek", to);
  },
  stretchTo(turn, stretch) {
    const { from, to } = stretch ?? { from: 0, to: turn.state.cycle };
    acts(turn, true);
    turn.set({ toward: to, asked: { play: false, seek: to }, looks: from > 0 && turn.state.begun?.cycle !== from });
    turn.look({ from: stretch?.from, cycle: to || undefined });
    turn.do("seek", turn.state.looks ? from : to);
  },
  hide(turn, hidden) {
    const { doing, pausedByHiding } = turn.state;
    turn.set({ hidden });
    if (hidden && doing === "playing") {
      turn.set({ pausedByHiding: true });
      turn.do("pause");
    } else if (!hidden && pausedByHiding) {
      turn.set({ pausedByHiding: false });
      turn.do("play");
    }
  },

  loaded(turn, at, loaded) {
    if (!turn.state.sides[at]) return;
    turn.patch(at, { loaded, problems: [], alone: [], stopped: false });
    turn.set({ cycle: 0, refused: false, looks: false, begun: null, profile: null });
    const { sides, edited: shown, laid, hidden, asked } = turn.state,
      unbuilt = sides.filter((one) => !one.loaded);
    if (at === shown) turn.do("judged");
    if (unbuilt.some(({ stopped }) => stopped)) prepare(turn, "stopped");
    else if (laid === 0 && unbuilt.some(({ problems }) => problems.length > 0)) turn.set({ doing: "empty" });
    lay(turn);
    if (hidden && asked.play) {
      turn.set({ pausedByHiding: true });
      turn.do("pause");
    }
  },
  problems(turn, at, problems) {
    const { sides, edited: shown, laid } = turn.state;
    if (!sides[at]) return;
    turn.patch(at, { problems });
    turn.set({ profile: null, rate: 0, refused: laid > 0, doing: laid > 0 ? "paused" : "empty" });
    if (at === shown) turn.do("judged");
  },
  profiling(turn, at, name, done, of, part) {
    turn.patch(at, { stopped: false });
    const { profile } = turn.state;
    // What waits for a run of the other side says nothing over how far that is.
    if (part !== null || profile === null || profile.at === at) turn.set({ profile: { at, name, done, of, part } });
    prepare(turn, "profiling");
  },
  profilingStopped(turn, at) {
    turn.patch(at, { stopped: true });
    prepare(turn, "stopped");
  },
  alone(turn, at, kernel, ipc, why) {
    const alone = [...(turn.state.sides[at]?.alone ?? [])];
    alone[kernel] = { ipc, why };
    turn.patch(at, { alone });
    turn.do("alone", at, kernel, ipc, why);
  },
  aloneProgress: (turn, ...how) => turn.do("aloneProgress", ...how),
  why: (turn, at, asking) => turn.patch(at, { asking }),
  underWay: (turn, cycle, rate) => turn.set({ doing: "seeking", cycle, rate }),
  frames(turn, given, now, rate) {
    const { sides, laid, doing, view, stretch: before, over, linkCycle, settled } = turn.state,
      [first] = given;
    // The second run may not have been built yet.
    if (!first || given.length !== sides.length || given.length !== laid) return;
    const still = now !== "playing" && now !== "seeking",
      selected = still ? selectedIn(view) : null,
      { cycle } = first;
    if (selected && looksBack(turn, selected, given)) return;
    const stretch = selected?.to === cycle ? selected : null,
      begun = stretch && stretch.from > 0 ? turn.state.begun?.results : undefined,
      frames = given.map((frame, at) =>
        stretch && frame.result ? { ...frame, result: ofStretch(begun?.[at] ?? null, frame.result, stretch) } : frame,
      ),
      // The result may come a frame after the end.
      known = frames.every(({ result }) => result),
      ends = now === "done" && (known ? !stretch : over);
    turn.set({
      doing: now === "done" && frames.some(({ result }) => result?.settled?.reached) ? "settled" : now,
      cycle,
      rate,
      stretch: stretch && !known ? before : stretch,
      over: ends,
      sides: known
        ? sides.map((one, at) => ({
            ...one,
            result: frames[at]?.result ?? null,
            earlier: ends ? null : one.earlier,
          }))
        : sides,
    });
    turn.do("take", frames, still);
    const changed = now !== runOf(doing);
    if (changed) {
      const at = frames.findIndex(({ state }) => state === now),
        frame = frames[at];
      turn.set({ ended: frame && (now === "stuck" || now === "failed") ? { ...frame, at } : null });
      if (now === "failed") turn.do("scriptFailed", at, frame?.why ?? "");
    }
    if (still) {
      if (!changed && (now !== "paused" || !linkCycle || settled === cycle)) return;
      turn.set({ settled: cycle });
      turn.look({ cycle: linkCycle && cycle > 0 ? cycle : undefined });
    } else if (changed) {
      turn.set({ settled: null });
      if (now !== "playing" || view.cycle === undefined) return;
      turn.set({ linkCycle: false });
      turn.look({ cycle: undefined });
    }
  },
  failed: (turn, text) => turn.set({ trouble: { what: "crashed", text }, doing: "empty", rate: 0 }),
};

// What the page runs, as its user asks for it: from a state and an event, the next state and what is then to be done.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeOf } from "../src/run/notices.ts";
import { edited } from "../src/model/mix.ts";
import {
  begin,
  experimentsIn,
  further,
  playsIn,
  reduce,
  side,
  whereaboutsIn,
  type Arrived,
  type Built,
  type Effect,
  type Event,
  type Side,
  type State,
} from "../src/model/session.ts";
import type { Experiment, Result } from "../src/model/types.ts";

const by = (name: string, cycles = 500): Experiment => ({
  corun: 1,
  kernels: ["ccbp/BP", "ccbp/CFD"],
  policy: { name },
  stop: { cycles },
});
const A = by("even"),
  B = by("ccbp");
const built = (normal: Experiment): Built => ({ normal, hash: JSON.stringify(normal) }) as unknown as Built;
const result = (cycles: number, more: Partial<Result> = {}): Result =>
  ({ cycles, stop: "cycles", measured_from: 0, kernels: [], gpu: {}, ...more }) as unknown as Result;
const at = (cycle: number, state: Arrived["state"], said: Result | null = result(cycle)): Arrived => ({
  cycle,
  state,
  result: said,
  why: "",
});

/** The state after these events, and what was to be done after the last of them. */
function after(state: State, ...events: readonly Event[]): [State, Effect[]] {
  let effects: Effect[] = [];
  for (const event of events) [state, effects] = reduce(state, event);
  return [state, effects];
}
/** A page that runs these, of which the engine has built each. */
function running(experiments: readonly Experiment[], calm = false): State {
  const built_ = experiments.map((one, i): Event => ["loaded", i, built(one)]);
  return after(begin(A, calm), ["open", experiments], ...built_)[0];
}
const frames = (n: number, now: Arrived["state"], cycle: number, said?: Result | null): Event => [
  "frames",
  Array.from({ length: n }, () => at(cycle, now, said)),
  now,
  0,
];
/** One that has ended at cycle 500. */
const ended = (...experiments: Experiment[]): State =>
  after(running(experiments), frames(experiments.length, "done", 500))[0];
const only = <K extends Effect[0]>(effects: readonly Effect[], kind: K): Extract<Effect, [K, ...unknown[]]>[] =>
  effects.filter((one): one is Extract<Effect, [K, ...unknown[]]> => one[0] === kind);

test("a link plays from the start; one of a cycle rests there, and has it in the link", () => {
  const [played, todo] = reduce(begin(A, false), ["open", [A, B]]);
  assert.deepEqual(only(todo, "load"), [
    ["load", 0, A, true, 0],
    ["load", 1, B, true, 0],
  ]);
  assert.deepEqual(played.view, {});
  const [rests, then] = reduce(begin(A, false), ["open", [A], { cycle: 300, from: 100 }]);
  assert.deepEqual(only(then, "load"), [["load", 0, A, false, 300]]);
  assert.deepEqual([rests.view, rests.linkCycle], [{ cycle: 300, from: 100 }, true]);
});

test("where no motion is wanted nothing starts, and nobody has stopped it: the link has no cycle", () => {
  const [state, todo] = reduce(begin(A, true), ["open", [A], {}, 80]);
  assert.deepEqual(only(todo, "load"), [["load", 0, A, false, 80]]);
  assert.deepEqual([state.view, state.linkCycle], [{}, false]);
  const [rests] = after(state, ["loaded", 0, built(A)], frames(1, "paused", 80));
  assert.equal(whereaboutsIn(rests), "way");
  assert.equal(whereaboutsIn(after(rests, ["go", 40], frames(1, "paused", 40))[0]), "rest", "to go back is to look");
});

test("Play on a finished run goes on twice as far from where it is, and keeps what it said until then", () => {
  const before = ended(A),
    [state, todo] = reduce(before, ["toggle"]);
  assert.equal(playsIn(before), "Play: go on to 1,000 cycles", "what it will do is said");
  assert.deepEqual(only(todo, "load"), [["load", 0, by("even", 1000), true, 500]]);
  assert.deepEqual(only(todo, "show").length, 1, "the form has the longer run");
  assert.deepEqual(state.sides[0]?.earlier, { experiment: A, result: before.sides[0]?.result });
  const [goes] = after(state, ["loaded", 0, built(by("even", 1000))], frames(1, "playing", 700));
  assert.equal(goes.sides[0]?.earlier?.result.cycles, 500, "on its way, too");
  const [over] = reduce(goes, frames(1, "done", 1000));
  assert.deepEqual([over.sides[0]?.earlier, over.sides[0]?.result?.cycles, over.over], [null, 1000, true]);
});

test("Play says that it leaves the cycles that are selected, and what it does where nothing goes on", () => {
  const rests = after(running([A]), frames(1, "paused", 300))[0];
  assert.equal(playsIn(running([A])), "Play");
  assert.equal(playsIn(after(running([A]), frames(1, "playing", 300))[0]), "Pause");
  assert.equal(
    playsIn(reduce(rests, ["stretchTo", { from: 100, to: 300 }])[0]),
    "Play: numbers are of the whole run again",
  );
  assert.equal(playsIn(reduce(rests, frames(1, "stuck", 400))[0]), "Play: again from cycle 0");
});

test("of two, one that names no end and is not at it has the engine's", () => {
  const { stop: _, ...endless } = B,
    frame: Event = ["frames", [at(500, "done"), at(500, "paused", result(500, { stop: "budget" }))], "done", 0],
    both = after(running([A, endless as Experiment]), ["loaded", 1, built(by("ccbp", 3000))], frame)[0];
  assert.equal(playsIn(both), "Play: go on to 3,000 cycles");
});

test("of two, the one whose end is later keeps it; one whose kernels are done begins again", () => {
  const [state, todo] = reduce(
    after(running([A, by("ccbp", 2000)]), [
      "frames",
      [at(500, "done"), at(500, "paused", result(500, { stop: "budget" }))],
      "done",
      0,
    ])[0],
    ["toggle"],
  );
  assert.deepEqual(only(todo, "load"), [
    ["load", 0, by("even", 1000), true, 500],
    ["load", 1, by("ccbp", 2000), true, 500],
  ]);
  assert.deepEqual(
    state.sides.map(({ earlier }) => earlier !== null),
    [true, false],
    "B has not said its last",
  );
  const done = after(running([A]), frames(1, "done", 500, result(500, { stop: "kernels_done" })))[0];
  assert.deepEqual(only(reduce(done, ["toggle"])[1], "seek"), [["seek", 0, true]]);
});

test("a run that has settled goes on for twice its cycles, and one that is over for good does not", () => {
  const of = (stop: object, why: string): unknown => {
    const experiment = { ...A, stop },
      loaded = built(experiment);
    return further({ ...side(experiment), loaded, result: { stop: why, cycles: 7_000 } as Result })?.stop;
  };
  assert.deepEqual(of({ settled: 0.01 }, "settled"), { cycles: 14_000 });
  assert.deepEqual(of({ settled: 0.01, at_most: 7_000 }, "cycles"), { settled: 0.01, at_most: 14_000 });
  assert.deepEqual(of({ kernels_done: true, cycles: 7_000 }, "cycles"), { kernels_done: true, cycles: 14_000 });
  assert.equal(of({ kernels_done: true }, "kernels_done"), undefined);
});

test("to change A builds A alone, and B keeps what it said", () => {
  const before = ended(A, B),
    [state, todo] = reduce(before, ["change", { 0: by("smk") }]);
  assert.deepEqual(only(todo, "load"), [["load", 0, by("smk"), true, 0]]);
  assert.equal(state.sides[0]?.result, null);
  assert.equal(state.sides[1], before.sides[1]);
  assert.deepEqual(only(reduce(before, ["change", { 0: A }])[1], "load"), [], "the same is no change");
});

test("a knob turns A and B at once, at the cycle at which both rest", () => {
  const rests = after(running([A, B]), ["go", 300], frames(2, "paused", 300))[0];
  const turned = experimentsIn(rests).map((one) =>
    edited(one, (experiment) => {
      experiment.gpu = { preset: "ccbp-16sm", sms: 8 };
    }),
  );
  const [state, todo] = reduce(rests, ["change", turned]);
  assert.deepEqual(
    only(todo, "load"),
    turned.map((one, i) => ["load", i, one, false, 300]),
  );
  assert.deepEqual([state.view.cycle, state.toward], [300, 300]);
});

test("a scheme for B where there is none makes a second run, at A's cycle where that rests", () => {
  const rests = after(running([A]), ["go", 300], frames(1, "paused", 300))[0],
    [state, todo] = reduce(rests, ["change", { 1: B }]);
  assert.deepEqual(only(todo, "load"), [["load", 1, B, false, 300]]);
  assert.deepEqual([experimentsIn(state), state.edited], [[A, B], 1]);
  assert.deepEqual(only(reduce(running([A]), ["change", { 1: B }])[1], "load"), [["load", 1, B, true, 0]]);
});

const onA100 = [A, B].map((one) => ({ ...one, gpu: "a100-40gb" }));
test("a GPU that is chosen while the page still loads survives that", () => {
  const previewed = after(begin(A, false), ["preview", [A, B]])[0],
    [, todo] = reduce(previewed, ["become", onA100, "quarter"]);
  const [[, of, parts, whole] = []] = only(todo, "judge");
  assert.deepEqual([of, whole], [[A, B], onA100]);
  assert.notDeepEqual(parts, whole);
  // It is judged before the page has opened its link, or after.
  const early = after(previewed, ["fits", [A, B], onA100]);
  assert.deepEqual(experimentsIn(early[0]), onA100, "the row says so already");
  for (const events of [
    [
      ["fits", [A, B], onA100],
      ["open", [A, B]],
    ],
    [
      ["open", [A, B]],
      ["fits", [A, B], onA100],
    ],
    [
      ["open", [A, B]],
      ["loaded", 0, built(A)],
      ["loaded", 1, built(B)],
      ["fits", [A, B], onA100],
    ],
  ] as Event[][]) {
    const [state, last] = after(previewed, ...events);
    assert.deepEqual(experimentsIn(state), onA100);
    assert.deepEqual(
      only(last, "load").map(([, , one]) => one),
      onA100,
    );
  }
});
test("a small GPU, a mix and schemes are there as soon as they are chosen", () => {
  const next = ["smk", "ws"].map((scheme) => ({ ...by(scheme), gpu: "tiny-2sm" }));
  const [state, todo] = reduce(running([A, B]), ["become", next, null]);
  assert.deepEqual([experimentsIn(state), only(todo, "judge")], [next, []]);
});
test("another choice made meanwhile is not overtaken by a GPU that is judged later", () => {
  const [state, todo] = after(running([A, B]), ["change", { 1: by("smk") }], ["fits", [A, B], onA100]);
  assert.deepEqual([experimentsIn(state), todo], [[A, by("smk")], []]);
  const [opened] = after(begin(A, false), ["preview", [A]], ["fits", [A], onA100], ["open", [B]]);
  assert.deepEqual(experimentsIn(opened), [B], "nor is another link");
});

test("going back keeps one clock: all is of that cycle, for both, and the link has it", () => {
  const over = ended(A, B);
  assert.equal(whereaboutsIn(over), "end");
  const [way, todo] = reduce(over, ["go", 200]);
  assert.deepEqual(only(todo, "seek"), [["seek", 200]]);
  const [state] = reduce(way, frames(2, "paused", 200));
  assert.deepEqual([whereaboutsIn(state), state.view.cycle, state.cycle], ["rest", 200, 200]);
  assert.deepEqual(
    state.sides.map(({ result: said }) => said?.cycles),
    [200, 200],
  );
  const [on] = after(state, ["toggle"], frames(2, "playing", 250));
  assert.deepEqual([whereaboutsIn(on), on.view.cycle], ["way", undefined]);
});

test("a stretch is of its cycles alone: its beginning is looked up once, and whoever goes elsewhere ends it", () => {
  const [looks, first] = reduce(ended(A), ["stretchTo", { from: 100, to: 300 }]);
  assert.deepEqual(only(first, "seek"), [["seek", 100]]);
  const [begun, second] = reduce(looks, frames(1, "paused", 100));
  assert.deepEqual([only(second, "seek"), begun.stretch], [[["seek", 300]], null]);
  const [there] = reduce(begun, frames(1, "paused", 300));
  assert.deepEqual([whereaboutsIn(there), there.sides[0]?.result?.measured_from], ["stretch", 100]);
  assert.deepEqual(only(reduce(there, ["stretchTo", { from: 100, to: 200 }])[1], "seek"), [["seek", 200]]);
  const [gone] = after(there, ["go", 50], frames(1, "paused", 50));
  assert.deepEqual([gone.stretch, gone.view.from, whereaboutsIn(gone)], [null, undefined, "rest"]);
});

test("what comes late of runs before is dropped", () => {
  const two = running([A, B]),
    one = after(two, ["only", 0])[0];
  assert.deepEqual(reduce(one, frames(2, "playing", 900)), [one, []], "a frame of both");
  assert.deepEqual(reduce(one, ["loaded", 1, built(B)]), [one, []]);
  assert.deepEqual(reduce(one, ["problems", 1, []]), [one, []]);
  const changing = after(two, ["change", { 0: by("smk") }])[0];
  assert.equal(changing.over, false);
  assert.equal(changing.sides[0]?.result, null);
});

test("what cannot run leaves the run before where it is, and the next change still goes where that was to go", () => {
  const rests = after(running([A]), ["go", 300], frames(1, "paused", 300))[0],
    wrong = [{ path: "policy", found: "x", want: "a policy" }];
  const [state] = after(rests, ["typed", by("bad")], ["problems", 0, wrong]);
  assert.deepEqual([state.doing, state.cycle, state.sides[0]?.laid?.experiment], ["paused", 300, A]);
  const [better, todo] = reduce(state, ["typed", B]);
  assert.deepEqual(only(todo, "load"), [["load", 0, B, false, 300]]);
  assert.deepEqual(better.sides[0]?.problems, []);
  const [back, kept] = after(rests, ["typed", B], ["takeBack"]);
  assert.deepEqual([experimentsIn(back), only(kept, "keep").length], [[A], 1]);
});

test("a profile that is stopped goes on with Play, to where the run was to go", () => {
  const [stopped] = after(begin(A, false), ["open", [A], { cycle: 300 }], ["profilingStopped", 0]);
  assert.equal(stopped.doing, "stopped");
  assert.deepEqual(only(reduce(stopped, ["goOn"])[1], "load"), [["load", 0, A, false, 300]]);
  const laid = after(running([A]), ["typed", B], ["profilingStopped", 0])[0];
  assert.deepEqual(only(reduce(laid, ["toggle"])[1], "load"), [["load", 0, B, true, 0]]);
});

test("what waits for a run that another worker measures says so, and nothing over how far that is", () => {
  const notice = (...told: Event[]): unknown => {
    const [state] = after(begin(A, false), ["open", [A, B]], ...told);
    return noticeOf(state, null, () => undefined)?.title;
  };
  const waits: Event = ["profiling", 1, "BP", 0, 2, null];
  assert.equal(
    notice(["profiling", 1, "BP", 0, 2, 0], waits),
    "Profiling for B, BP: 1 of 2, which another tab measures now",
  );
  assert.equal(notice(["profiling", 0, "BP", 0, 2, 0.4], waits), "Profiling for A, BP: 1 of 2");
});

test("a hidden page runs nothing, and goes on when somebody looks", () => {
  const playing = after(running([A]), frames(1, "playing", 100))[0],
    [hidden, todo] = reduce(playing, ["hide", true]);
  assert.deepEqual(todo, [["pause"]]);
  assert.deepEqual(reduce(hidden, ["hide", false])[1], [["play"]]);
  const late = after(begin(A, false), ["hide", true], ["open", [A]], ["loaded", 0, built(A)]);
  assert.deepEqual(only(late[1], "pause").length, 1, "also what is built only then");
});

test("a dead worker is said, and started again it rests at the start", () => {
  const [dead] = reduce(running([A]), ["failed", "unreachable"]);
  assert.deepEqual(dead.trouble, { what: "crashed", text: "unreachable" });
  assert.deepEqual(reduce(dead, ["again"])[1], [["restart"]]);
  assert.deepEqual(only(after(dead, ["again"], ["restarted"])[1], "load"), [["load", 0, A, false, 0]]);
  const [first] = after(after(running([B, A]), ["failed", "unreachable"])[0], ["openFirst"]);
  assert.deepEqual(experimentsIn(first), [A]);
});

test("nothing of a state is changed in its place", () => {
  const freeze = <T>(of: T): T => {
    if (typeof of === "object" && of !== null && !Object.isFrozen(of)) Object.values(Object.freeze(of)).forEach(freeze);
    return of;
  };
  let state = freeze(running([A, B]));
  const events: Event[] = [
    ["alone", 0, 1, 2, ""],
    frames(2, "done", 500),
    ["toggle"],
    ["look", { zoom: { from: 0, to: 9 } }],
    ["stretchTo", { from: 10, to: 20 }],
    ["only", 1],
  ];
  for (const event of events) state = freeze(reduce(state, freeze(event))[0]);
  assert.deepEqual(
    state.sides.map((one: Side) => one.experiment.policy),
    [B.policy],
  );
});

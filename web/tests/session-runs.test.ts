// What the page runs, as its user asks for it: the session, the engine's page side and the lock-step are real, the worker is made up at its messages.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Engine } from "../src/engine/engine.ts";
import { Feed } from "../src/run/feed.ts";
import type { Notice } from "../src/parts/notice.tsx";
import { Session } from "../src/run/session.ts";
import type { Experiment } from "../src/model/types.ts";
import { under } from "../src/schemes/table.ts";
import { FakeWorker } from "./fake-worker.ts";

FakeWorker.install();

const MIX = ["ccbp/BP", "ccbp/CFD"];
const by = (name: string, kernels: readonly string[] = MIX): Experiment => ({
  corun: 1,
  kernels: [...kernels],
  policy: { name },
});

interface Form {
  shown: Experiment | null;
  problems: string[];
}
interface Page {
  session: Session;
  form: Form;
  /** Of each run's kernels, as often as it was told. */
  alone: string[];
}
let page: Page | null = null;

async function start(calm = false): Promise<Page> {
  const form: Form = { shown: null, problems: [] },
    alone: string[] = [];
  const feed = new Feed();
  feed.add({ alone: (side, kernel, ipc) => void alone.push(`${side} ${kernel} ${ipc}`) });
  const session = new Session({
    form: {
      show: (experiment) => {
        form.shown = experiment;
      },
      accepted: () => {
        form.problems = [];
      },
      problems: (problems) => {
        form.problems = problems.map(({ path }) => path);
      },
      scriptFailed: () => undefined,
    },
    feed,
    relink: () => undefined,
    calm,
    first: by("even"),
  });
  const { engine, ready } = await Engine.start(
    {} as WebAssembly.Module,
    () => Promise.resolve({}),
    session.send,
    false,
  );
  session.engine = engine;
  session.ready.value = { ...ready, module: engine.module };
  page = { session, form, alone };
  return page;
}
afterEach(() => {
  // What plays would play for ever.
  for (const worker of FakeWorker.all) worker.terminate();
  FakeWorker.all = [];
  page = null;
});

/** Waits for what is to come; that it does not come is the failure. */
async function until(what: string, holds: () => boolean): Promise<void> {
  const late = Date.now() + 2_000;
  while (!holds()) {
    if (Date.now() > late) assert.fail(`${what}: never; ${JSON.stringify(seen())}`);
    await new Promise((on) => setTimeout(on, 1));
  }
}
/** Long enough for anything that would come. */
const settle = (): Promise<void> => new Promise((on) => setTimeout(on, 40));
const seen = (): object => {
  const { session } = page as Page;
  return { state: session.state.peek(), where: session.where.peek(), notice: session.notice.peek()?.title ?? null };
};
const playing = (session: Session): Promise<void> =>
  until("it plays", () => session.state.peek() === "playing" && session.now.cycle > 0);
const restsAt = (session: Session, cycle: number): Promise<void> =>
  until(`it rests at ${cycle}`, () => session.state.peek() === "paused" && session.now.cycle === cycle);
function press(notice: Notice | null, label: string): void {
  const action = notice?.actions?.find((one) => one.label === label);
  if (!action) assert.fail(`no button ${label} on ${notice?.title ?? "no notice"}`);
  action.run();
}
/** Where A was told to go since it was built last. */
function sinceBuilt(): number[] {
  const heard = FakeWorker.runs[0]?.heard ?? [];
  return heard
    .slice(heard.map(({ t }) => t).lastIndexOf("load"))
    .flatMap((one) => (one.t === "goTo" ? [one.cycle] : []));
}
const schemes = (session: Session): string[] =>
  session.experiments.map(({ policy }) => (policy as { name: string }).name);

test("a link opens and plays; pausing puts the cycle in the link, playing takes it out", async () => {
  const { session } = await start();
  session.send("open", [by("even")]);
  await playing(session);
  assert.equal(session.notice.peek(), null);
  assert.match(session.title.peek(), /^BP \+ CFD.* · Even/);
  session.send("toggle");
  await until("it is paused", () => session.state.peek() === "paused");
  assert.equal(session.view.peek().cycle, session.now.cycle);
  assert.equal(session.settled.peek(), session.now.cycle);
  session.send("toggle");
  await playing(session);
  assert.equal(session.view.peek().cycle, undefined);
});

test("Play on what has ended goes on from there, twice as far, and keeps the other's end where that is later", async () => {
  const { session, form } = await start();
  const ends = (name: string, stop: object): Experiment => ({ ...by(name), stop });
  const stops = (): unknown[] => session.experiments.map(({ stop }) => stop);
  const ended = (cycle: number): Promise<void> =>
    until(
      `it ends at ${cycle}`,
      () => session.state.peek() === "done" && session.now.cycle === cycle && session.over.peek(),
    );
  session.send("open", [ends("even", { cycles: 6_000 })]);
  await ended(6_000);
  session.send("toggle");
  await ended(12_000);
  assert.deepEqual(sinceBuilt()[0], 6_000, "from there, not from the start");
  assert.deepEqual([stops(), form.shown?.stop], [[{ cycles: 12_000 }], { cycles: 12_000 }]);

  session.send("open", [ends("even", { cycles: 6_000 }), ends("ccbp", { cycles: 20_000 })]);
  await ended(6_000);
  session.send("toggle");
  await ended(12_000);
  assert.deepEqual(stops(), [{ cycles: 12_000 }, { cycles: 20_000 }]);
  session.send("only", 0);

  // Where kernels have run to their end, there is nothing to go on with.
  const done = { kernels_done: true, cycles: 6_000 };
  session.send("open", [ends("even", done)]);
  await ended(6_000);
  session.send("toggle");
  await until("it starts again", () => sinceBuilt().lastIndexOf(0) > 0);
  assert.deepEqual(stops(), [done]);
});

test("a stretch: the runs look where it begins and stay at its end; whoever goes elsewhere or plays ends it", async () => {
  const { session } = await start();
  for (const other of [null, by("ccbp")]) {
    session.send("open", other ? [by("even"), other] : [by("even")], { cycle: 500 });
    await restsAt(session, 500);
    const seen: number[] = [];
    const stop = session.settled.subscribe((cycle) => void (cycle !== null && seen.push(cycle)));
    session.send("stretchTo", { from: 100, to: 300 });
    await until("it is of the stretch", () => session.now.stretch?.from === 100);
    assert.deepEqual([session.now.cycle, session.whereabouts.peek(), seen.at(-1)], [300, "stretch", 300]);
    assert.ok(!seen.includes(100), "nothing is said of where it begins");
    assert.deepEqual(
      session.sides.peek().map(({ result }) => [result?.measured_from, result?.cycles]),
      session.sides.peek().map(() => [100, 300]),
    );
    assert.deepEqual([session.view.peek().from, session.view.peek().cycle], [100, 300]);
    session.send("stretchTo", { from: 100, to: 200 });
    await until("it is of the shorter one", () => session.now.stretch?.to === 200);
    session.send("stretchTo", null);
    await until("it is of the run so far", () => session.sides.peek()[0]?.result?.measured_from === 0);
    assert.deepEqual(
      [session.now.cycle, session.whereabouts.peek(), session.view.peek().from],
      [200, "rest", undefined],
    );
    session.send("stretchTo", { from: 0, to: 100 });
    await until("it is of the first part", () => session.now.stretch?.to === 100);
    session.send("go", 400);
    await restsAt(session, 400);
    assert.deepEqual([session.now.stretch, session.view.peek().from], [null, undefined]);
    session.send("stretchTo", { from: 200, to: 400 });
    await until("it is of the last part", () => session.now.stretch?.from === 200);
    session.send("toggle");
    await playing(session);
    assert.equal(session.selected.peek(), null);
    stop();
  }
});

test("Play where a stretch ends with the run goes on, and what is paused later is no stretch", async () => {
  const { session } = await start();
  session.send("open", [{ ...by("even"), stop: { cycles: 300 } }]);
  await until("it has ended", () => session.over.peek());
  session.send("stretchTo", { from: 100, to: 300 });
  await until("it is of the stretch", () => session.now.stretch !== null && session.state.peek() === "done");
  assert.equal(session.over.peek(), false, "what is said is not the whole run's");
  session.send("toggle");
  await until("it has gone on", () => session.over.peek() && session.now.cycle === 600);
  session.send("go", 400);
  await restsAt(session, 400);
  assert.deepEqual([session.selected.peek(), session.view.peek().from], [null, undefined]);
});

test("a link with a stretch opens on it, and another scheme shows the same stretch of its own run", async () => {
  const { session } = await start();
  session.send("open", [by("even")], { from: 100, cycle: 300 });
  await until("it is of the stretch", () => session.now.stretch?.from === 100);
  session.send("typed", by("ccbp"));
  await until("it is of the new run's", () => schemes(session)[0] === "ccbp" && session.now.stretch?.to === 300);
  assert.deepEqual(
    session.sides.peek().map(({ result, loaded }) => [result?.measured_from, loaded !== null]),
    [[100, true]],
  );
});

test("what is said is of the cycle at which the user has stopped to look, and else of the end", async () => {
  const { session } = await start();
  session.send("open", [by("even")]);
  await playing(session);
  assert.equal(session.whereabouts.peek(), "way");
  session.send("toggle");
  await until("it is paused", () => session.state.peek() === "paused");
  assert.equal(session.whereabouts.peek(), "rest");
  session.send("go", 5_000);
  await restsAt(session, 5_000);
  assert.equal(session.whereabouts.peek(), "rest");
  session.send("toggle");
  await playing(session);
  assert.equal(session.whereabouts.peek(), "way");
});

test("nobody has stopped a run that rests since no motion is wanted; going back is to look", async () => {
  const { session } = await start(true);
  session.send("open", [by("even")], {}, 8_000);
  await restsAt(session, 8_000);
  assert.deepEqual([session.whereabouts.peek(), session.view.peek().cycle], ["way", undefined]);
  session.send("go", 4_000);
  await restsAt(session, 4_000);
  assert.equal(session.whereabouts.peek(), "rest", "and going back is to look");
});

test("another scheme at a cycle at rest shows that cycle of the new run; while it plays, from the start", async () => {
  const { session } = await start();
  session.send("open", [by("even")], { cycle: 5_000 });
  await restsAt(session, 5_000);
  session.send("typed", by("ccbp"));
  assert.equal(session.standing.peek(), "waits");
  await restsAt(session, 5_000);
  assert.deepEqual(schemes(session), ["ccbp"]);
  assert.equal(session.standing.peek(), null);
  assert.equal(session.view.peek().cycle, 5_000, "who came by a link of a cycle is still there");

  session.send("toggle");
  await playing(session);
  session.send("typed", by("even"));
  await playing(session);
  assert.equal(sinceBuilt()[0], 0);
});

test("what an older experiment comes to is dropped when it comes late", async () => {
  const { session } = await start();
  session.send("open", [by("even")], { cycle: 1_000 });
  await restsAt(session, 1_000);
  const mixed: unknown[] = [];
  const stop = session.sides.subscribe(([one]) => {
    if (one?.loaded && one.loaded.normal.policy !== one.experiment.policy) mixed.push(one.loaded.normal.policy);
  });
  for (const name of ["ccbp", "bad", "ws", "smk"]) session.send("typed", by(name));
  await restsAt(session, 1_000);
  await settle();
  assert.deepEqual([schemes(session), mixed, session.standing.peek()], [["smk"], [], null]);
  stop();
});

test("another mix under two schemes at rest: both runs at that cycle", async () => {
  const { session } = await start();
  session.send("open", [by("even"), by("ccbp")], { cycle: 4_000 });
  await restsAt(session, 4_000);
  session.changeBoth((experiment) => {
    experiment.kernels = ["ccbp/BP", "ccbp/HS"];
  });
  await restsAt(session, 4_000);
  await until("both are built", () => session.sides.peek().every(({ loaded }) => loaded !== null));
  assert.deepEqual(
    FakeWorker.runs.map(({ experiment, cycle }) => [experiment?.kernels, cycle]),
    [
      [["ccbp/BP", "ccbp/HS"], 4_000],
      [["ccbp/BP", "ccbp/HS"], 4_000],
    ],
  );
  assert.deepEqual(session.differ.peek().length, 1);
});

test("the same experiment as A and B: no difference, one clock, and each kernel is measured alone once", async () => {
  const { session, alone } = await start();
  session.send("open", [by("even"), by("even")]);
  await playing(session);
  session.send("toggle");
  await until("it is paused", () => session.state.peek() === "paused");
  assert.deepEqual(session.differ.peek(), []);
  assert.equal(FakeWorker.runs[0]?.cycle, FakeWorker.runs[1]?.cycle);
  await until("all are known", () => new Set(alone).size === 4);
  const jobs = FakeWorker.alone;
  assert.equal(new Set(jobs.map(({ hash }) => hash)).size, 2);
});

test("what cannot run is said at the form, and the run before stays", async () => {
  const { session, form } = await start();
  session.send("open", [by("even")], { cycle: 2_000 });
  await restsAt(session, 2_000);
  session.send("typed", by("bad"));
  await until("it is said", () => form.problems.length > 0);
  assert.deepEqual(form.problems, ["policy"]);
  assert.match(JSON.stringify(session.standing.peek()), /Below is still .*Even/);
  assert.equal(session.now.cycle, 2_000);
  session.send("typed", by("ccbp"));
  await restsAt(session, 2_000);
  assert.deepEqual([form.problems, session.standing.peek()], [[], null]);
});

test("what cannot run, asked for before the run before is where it goes, does not change where that is", async () => {
  const { session, form } = await start();
  session.send("open", [by("even")], { cycle: 2_000 });
  await restsAt(session, 2_000);
  session.send("typed", by("slow"));
  await until("it sets out", () => session.state.peek() === "seeking" && session.now.cycle === 0);
  session.send("typed", by("bad"));
  await until("it is said", () => form.problems.length > 0);
  session.send("typed", by("ccbp"));
  await restsAt(session, 2_000);
  // What played is to play again.
  session.send("toggle");
  await playing(session);
  session.send("typed", by("bad"));
  await until("it is said", () => form.problems.length > 0);
  session.send("typed", by("even"));
  await playing(session);
  // Who has gone elsewhere meanwhile stays there.
  session.send("go", 3_000);
  await restsAt(session, 3_000);
  session.send("typed", by("bad"));
  await until("it is said", () => form.problems.length > 0);
  session.send("step");
  await restsAt(session, 3_001);
  session.send("typed", by("ccbp"));
  await restsAt(session, 3_001);
});

test("a link whose A cannot run says so, also once its B is built", async () => {
  const { session } = await start();
  session.send("open", [by("bad"), by("even")]);
  await until("B is built", () => (session.sides.peek()[1]?.loaded ?? null) !== null);
  await settle();
  assert.equal(session.notice.peek()?.title, "This experiment cannot run");
  session.send("only", 1);
  await playing(session);
  assert.equal(session.notice.peek(), null);
});

test("when a run has ended its kernels run in their shares, each once, and the run is told; no kernel counts as alone for it", async () => {
  const { session, alone } = await start();
  session.send("open", [by("even")], { cycle: 5_000 });
  await restsAt(session, 5_000);
  await until("both are known alone", () => new Set(alone).size === 2);
  const [run] = FakeWorker.runs,
    told = (): [number, string][] =>
      (run?.asked("setAlone") ?? []).filter(({ kernel }) => kernel < 0).map(({ kernel, hash }) => [kernel, hash]);
  run?.shares("BP in its share", "CFD in its share");
  await until("the run is told", () => told().length === 2);
  assert.deepEqual(
    new Map(told()),
    new Map([
      [-1, "BP in its share"],
      [-2, "CFD in its share"],
    ]),
  );
  // It has gone back and ended again.
  run?.shares("BP in its share", "CFD in its share");
  await until("the run is told again", () => told().length === 4);
  const jobs = FakeWorker.alone;
  assert.equal(jobs.filter(({ hash }) => hash.endsWith("share")).length, 2, "what is known is not measured again");
  assert.equal(new Set(alone).size, 2);
});

test("B that cannot run: what is wrong, and either may go on alone", async () => {
  const { session } = await start();
  session.send("open", [by("even")], { cycle: 1_000 });
  await restsAt(session, 1_000);
  session.send("change", { 1: by("bad") });
  await until("it is said", () => session.notice.peek()?.title === "B cannot run");
  press(session.notice.peek(), "Go on with A alone");
  await restsAt(session, 1_000);
  assert.deepEqual([schemes(session), session.standing.peek()], [["even"], null]);
});

test("a link of another engine says so once: not again after it was closed, nor of another experiment", async () => {
  const { session } = await start();
  session.send("open", [by("even")]);
  session.send("aside", { title: "Made by another engine" });
  await until("it is said", () => session.notice.peek()?.title === "Made by another engine");
  press(session.notice.peek(), "Close this notice");
  session.send("change", { 1: by("ccbp") });
  await until("both are built", () => session.sides.peek()[1]?.loaded != null);
  assert.equal(session.notice.peek(), null);

  session.send("open", [by("even")]);
  session.send("aside", { title: "Made by another engine" });
  await until("it is said", () => session.notice.peek() !== null);
  session.send("typed", by("ccbp"));
  await until("it is gone", () => session.notice.peek() === null);
});

test("a link that cannot be read stops the run and leads to the first experiment", async () => {
  const { session } = await start();
  session.send("open", [by("ccbp")]);
  await playing(session);
  session.send("unreadable", new Error("cut"));
  await until("it is paused", () => session.state.peek() === "paused");
  press(session.notice.peek(), "Open the default experiment");
  await until("it is built", () => session.notice.peek() === null);
  assert.deepEqual(schemes(session), ["even"]);
});

test("a worker that dies is said with what it said; started again, it rests at the start", async () => {
  const { session } = await start();
  session.send("open", [by("crash")]);
  await until("it is said", () => session.notice.peek()?.title === "The simulation stopped");
  const [dead] = FakeWorker.runs;
  session.send("toggle");
  await settle();
  assert.equal(session.notice.peek()?.title, "The simulation stopped", "nothing runs in a dead worker");
  press(session.notice.peek(), "Start this experiment again");
  await restsAt(session, 0);
  assert.deepEqual([dead?.ended, schemes(session), session.notice.peek()], [true, ["crash"], null]);

  session.send("toggle");
  await until("it is said", () => session.notice.peek()?.title === "The simulation stopped");
  press(session.notice.peek(), "Open the default experiment");
  await restsAt(session, 0);
  assert.deepEqual(schemes(session), ["even"]);
});

test("of two, one worker dies: both start again, on one clock", async () => {
  const { session } = await start();
  session.send("open", [by("even"), by("crash")]);
  await until("it is said", () => session.notice.peek()?.title === "The simulation stopped");
  press(session.notice.peek(), "Open the default experiment");
  await restsAt(session, 0);
  assert.deepEqual(schemes(session), ["even"]);
  session.send("change", { 1: by("ccbp") });
  await playing(session);
});

test("a stuck machine says why; played again, it begins anew without the words", async () => {
  const { session } = await start();
  session.send("open", [by("stuck")]);
  await until("it is stuck", () => session.state.peek() === "stuck");
  assert.equal(session.notice.peek()?.title, "The machine is stuck at cycle 3,000");
  session.send("go", 1_000);
  await restsAt(session, 1_000);
  assert.equal(session.notice.peek(), null);
});

test("a profile: undone while it is measured, the run before is built anew and nothing is said of it", async () => {
  const { session } = await start();
  session.send("open", [by("even")], { cycle: 3_000 });
  await restsAt(session, 3_000);
  session.send("typed", by("measured"));
  await until("it is said", () => /^Profiling one: 1 of 2/.test(session.notice.peek()?.title ?? ""));
  assert.equal(session.where.peek().state, "profiling");
  session.send("typed", by("even"));
  await restsAt(session, 3_000);
  await settle();
  assert.deepEqual([session.notice.peek(), session.standing.peek()], [null, null]);
});

test("a profile: called off, the run before goes on where it was", async () => {
  const { session, form } = await start();
  session.send("open", [by("even")], { cycle: 3_000 });
  await restsAt(session, 3_000);
  session.send("typed", by("measured"));
  await until("it is said", () => session.where.peek().state === "profiling");
  press(session.notice.peek(), "Back to Even split");
  await restsAt(session, 3_000);
  assert.deepEqual([schemes(session), session.notice.peek(), form.shown], [["even"], null, by("even")]);
  assert.equal(FakeWorker.runs[0]?.asked("load").length, 2, "it is not built again");
});

test("a profile: stopped, then played after all; the transport works, also once a second run is there", async () => {
  const { session } = await start();
  session.send("open", [by("even")]);
  await playing(session);
  session.send("typed", by("measured"));
  await until("it is measured", () => session.where.peek().state === "profiling");
  press(session.notice.peek(), "Stop");
  await until("it is stopped", () => session.where.peek().state === "stopped");
  session.send("toggle");
  await until("it is measured again", () => session.where.peek().state === "profiling");
  FakeWorker.runs[0]?.measured();
  await playing(session);
  session.send("change", { 1: by("even") });
  await until("both are built", () => session.sides.peek()[1]?.loaded != null);
  await playing(session);
  session.send("toggle");
  await until("it is paused", () => session.state.peek() === "paused");
});

test("two profiles are stopped and one side gets another scheme: the other still says that it has not begun", async () => {
  const { session } = await start();
  session.send("open", [by("even"), by("ccbp")]);
  await playing(session);
  session.send("open", [by("measured"), by("measured", ["ccbp/BP"])]);
  const [first] = FakeWorker.runs;
  await until("both are measured", () => FakeWorker.runs.length === 2 && session.where.peek().state === "profiling");
  await settle();
  press(session.notice.peek(), "Stop");
  await until("they are stopped", () => session.where.peek().state === "stopped");
  await settle();
  session.send("change", { 1: by("even") });
  await until("B is built", () => session.sides.peek()[1]?.loaded != null);
  await settle();
  assert.deepEqual(
    [session.notice.peek()?.title, session.where.peek().state],
    ["Stopped before the run began", "stopped"],
  );
  session.send("toggle");
  await until("it is measured again", () => session.where.peek().state === "profiling");
  first?.measured();
  await playing(session);
});

test("a run that is built while its tab is hidden waits until somebody looks", async () => {
  const { session } = await start();
  session.send("hide", true);
  session.send("open", [by("even")]);
  await until("it is built", () => session.sides.peek()[0]?.loaded != null);
  await settle();
  assert.equal(FakeWorker.runs[0]?.state, "paused");
  session.send("hide", false);
  await playing(session);
});

test("where no motion is wanted, nothing starts by itself", async () => {
  const { session } = await start(true);
  session.send("open", [by("even")], { cycle: 2_000 });
  await restsAt(session, 2_000);
  session.send("change", { 1: by("ccbp") });
  await until("both are built", () => session.sides.peek()[1]?.loaded != null);
  await restsAt(session, 2_000);
  session.send("open", [by("even"), by("ccbp")]);
  await restsAt(session, 0);
});

test("an experiment is judged as a text, and under many schemes not copied for each", async () => {
  const { session } = await start(),
    long = { ...by("even"), unknown: Array.from({ length: 1_000 }, () => 0) };
  void session.engine?.validate(long);
  const asked = FakeWorker.runs[0]?.asked("validate").at(-1);
  assert.equal(asked?.text, JSON.stringify(long));
  assert.equal(under(long, { name: "ccbp" })["unknown"], long.unknown);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Failure, Lab } from "../src/engine/lab/lab.ts";
import type { FromLab, ToLab } from "../src/engine/lab/protocol.ts";
import type { Experiment } from "../src/model/types.ts";
import { heard } from "./fake-lab.ts";
import { FakeWorker } from "./fake-worker.ts";

/** A worker that says what the test has it say. */
class Hand {
  static all: Hand[] = [];
  static install(): void {
    Hand.all = [];
    FakeWorker.install();
    Object.assign(globalThis, { Worker: Hand });
  }
  onmessage: ((event: { data: FromLab }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  readonly heard: ToLab[] = [];
  ended = false;

  constructor() {
    Hand.all.push(this);
  }
  addEventListener(): void {}
  postMessage(message: ToLab): void {
    this.heard.push(message);
  }
  terminate(): void {
    this.ended = true;
  }
  says(data: FromLab): void {
    this.onmessage?.({ data });
  }
  ready(): void {
    this.says({ t: "ready", stamp: "1 a" });
  }
  /** What it was asked last. */
  get id(): number {
    return this.heard.reduce((last, one) => (one.t === "do" ? one.id : last), 0);
  }
  gives(value: unknown): void {
    this.says({ t: "gives", id: this.id, value });
  }
}
const at = (n: number): Hand => Hand.all[n] as Hand;
const NONE = {} as WebAssembly.Module;
const explain = (lab: Lab, seed: number) => lab.ask("explain", { seed } as Experiment);

test("as many workers as there is work, each does one at a time, in the order of asking", async () => {
  Hand.install();
  const lab = new Lab(NONE, "test", 2),
    given: unknown[] = [];
  for (const n of [1, 2, 3]) explain(lab, n).ended.then((value) => given.push(value), assert.fail);
  assert.equal(Hand.all.length, 2);
  at(1).ready();
  at(0).ready();
  assert.equal(lab.stamp, "1 a");
  at(0).gives("second");
  await heard();
  at(0).gives("third");
  at(1).gives("first");
  await heard();
  assert.deepEqual(given, ["second", "third", "first"]);
  assert.deepEqual(
    Hand.all.map(({ heard: said }) => said.flatMap((one) => (one.t === "do" ? [(one.of as Experiment).seed] : []))),
    [[2, 3], [1]],
  );
});

test("what is dropped says nothing more, and its worker goes on with the next", async () => {
  Hand.install();
  const lab = new Lab(NONE, "test"),
    given: unknown[] = [];
  const [first, second, third] = [1, 2, 3].map((n) => explain(lab, n));
  for (const one of [first, second, third]) one?.ended.then((value) => given.push(value), assert.fail);
  at(0).ready();
  const dropped = at(0).id;
  second?.drop();
  first?.drop();
  assert.deepEqual(at(0).heard.at(-2), { t: "drop", id: dropped });
  // It was under way when it was dropped.
  at(0).says({ t: "gives", id: dropped, value: "first" });
  at(0).gives("third");
  await heard();
  assert.deepEqual(given, ["third"]);
  lab.end();
  assert.ok(at(0).ended);
});

test("what the engine refuses fails with its problems; where it traps, another worker takes its place", async () => {
  Hand.install();
  const lab = new Lab(NONE, "test"),
    failed: Failure[] = [],
    given: unknown[] = [];
  for (const n of [1, 2, 3])
    explain(lab, n).ended.then(
      (value) => given.push(value),
      (why: Failure) => failed.push(why),
    );
  at(0).ready();
  const problem = { path: "gpu", found: "x", want: "a GPU" };
  at(0).says({ t: "fails", id: at(0).id, problems: [problem], message: "" });
  at(0).says({ t: "fails", id: at(0).id, problems: null, message: "unreachable" });
  await heard();
  assert.deepEqual([failed[0]?.problems, failed[1]?.message, failed[1]?.problems], [[problem], "unreachable", null]);
  assert.ok(at(0).ended);
  at(1).ready();
  at(1).gives("third");
  await heard();
  assert.deepEqual([given, Hand.all.length], [["third"], 2]);
});

test("where a worker does not start, the others do its work; where none does, all that waits fails, and it can be tried again", async () => {
  Hand.install();
  const lab = new Lab(NONE, "test", 2),
    failed: Failure[] = [],
    given: unknown[] = [];
  const ask = (n: number): void =>
    void explain(lab, n).ended.then(
      (value) => given.push(value),
      (why: Failure) => failed.push(why),
    );
  [1, 2].forEach(ask);
  at(0).onerror?.({ message: "no memory" });
  at(1).ready();
  at(1).gives("first");
  at(1).gives("second");
  await heard();
  assert.deepEqual([given, Hand.all.length], [["first", "second"], 2]);
  lab.end();
  ask(3);
  at(2).onerror?.({ message: "no memory" });
  await heard();
  assert.deepEqual(
    failed.map(({ message, unstarted }) => [message, unstarted]),
    [["no memory", true]],
  );
  ask(4);
  at(3).ready();
  at(3).gives("fourth");
  await heard();
  assert.deepEqual(given.at(-1), "fourth");
});

test("what has a place goes on at the worker that began it; the others do the rest; where that is lost, another begins anew", async () => {
  Hand.install();
  const lab = new Lab(NONE, "test", 2);
  const seeds = (n: number): number[] =>
    at(n).heard.flatMap((one) => (one.t === "do" ? [(one.of as Experiment).seed as number] : []));
  const ask = (seed: number, place: string | null): void =>
    void lab.ask("explain", { seed } as Experiment, {}, place).ended.catch(() => undefined);
  ask(1, "a");
  ask(2, "b");
  at(0).ready();
  at(1).ready();
  at(0).gives(null);
  await heard();
  // Both go on: the free one does not take the other's.
  ask(3, "b");
  ask(4, "a");
  ask(5, null);
  assert.deepEqual([seeds(0), seeds(1)], [[1, 4], [2]]);
  at(0).gives(null);
  await heard();
  assert.deepEqual(seeds(0), [1, 4, 5]);
  at(1).says({ t: "fails", id: at(1).id, problems: null, message: "a trap" });
  at(0).gives(null);
  await heard();
  assert.deepEqual(seeds(0), [1, 4, 5, 3]);
});

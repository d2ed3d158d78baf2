import assert from "node:assert/strict";
import { test } from "node:test";
import { Answers } from "../src/engine/answers.ts";
import { sealed } from "../src/engine/browser-store.ts";
import type { Answer } from "../src/model/types.ts";
import { fakeStore } from "./fake-store.ts";

/** Locks as a browser has them, for who takes one only if it is free. */
function fakeLocks(): void {
  const held = new Set<string>();
  const request = async (name: string, _: object, run: (lock: object | null) => unknown): Promise<unknown> => {
    if (held.has(name)) return run(null);
    held.add(name);
    try {
      return await run({});
    } finally {
      held.delete(name);
    }
  };
  Object.defineProperty(globalThis, "navigator", { value: { locks: { request } }, configurable: true });
}
const turn = (): Promise<void> => new Promise((later) => setImmediate(later));

test("what has been measured is not asked for again, also where nothing can be stored", async () => {
  const answers = new Answers("0.1.0");
  const runs = [{ hash: "a" }, { hash: "b" }];
  await answers.recall(runs);
  assert.deepEqual(answers.missing(runs), runs);
  answers.keep("a", { ipc: 1, warp_ipc: 0.1, noc_utilisation: 0, dram_utilisation: 0, stuck: false });
  assert.deepEqual(answers.missing(runs), [{ hash: "b" }]);
  assert.equal(answers.known["a"]?.ipc, 1);
});

test("what the page brings along of this engine is known, and asked for once", async () => {
  const brought = { ipc: 7, warp_ipc: 0.1, noc_utilisation: 0, dram_utilisation: 0, stuck: false },
    asked: string[] = [];
  const answers = new Answers("0.1.0-abc", (stamp) => {
    asked.push(stamp);
    return Promise.resolve({ a: brought });
  });
  await answers.recall([{ hash: "a" }, { hash: "b" }]);
  assert.deepEqual(answers.missing([{ hash: "a" }, { hash: "b" }]), [{ hash: "b" }]);
  assert.deepEqual(answers.known, { a: brought });
  await answers.recall([{ hash: "a" }]);
  await answers.recall([{ hash: "c" }]);
  assert.deepEqual(asked, ["0.1.0-abc"]);
});

const GOOD: Answer = {
  ipc: 7,
  warp_ipc: 0.1,
  noc_utilisation: 0,
  dram_utilisation: 0.5,
  ipc_ci95: [6.5, 7.5],
  stuck: false,
};

test("what is damaged in the store is deleted and measured anew", async () => {
  const { held } = fakeStore([
    ["0.1.0 good", sealed(GOOD)],
    ["0.1.0 worse", "text"],
    // Of the right form, but not what was stored.
    ["0.1.0 damaged", sealed(GOOD).replace('"ipc":7', '"ipc":0')],
    ["0.1.0 bare", GOOD],
  ]);
  const answers = new Answers("0.1.0");
  const runs = ["good", "worse", "damaged", "bare"].map((hash) => ({ hash }));
  await answers.recall(runs);
  assert.deepEqual(answers.known, { good: GOOD });
  assert.deepEqual(answers.missing(runs), runs.slice(1));
  await new Promise((later) => setTimeout(later));
  assert.deepEqual([...held.keys()], ['"0.1.0 good"']);
});

test("a run that two workers ask for is measured by one, and the other one can be called off", async () => {
  fakeStore([]);
  fakeLocks();
  let measured = 0,
    end = (): void => undefined;
  const measure = (): Promise<Answer> => {
    measured += 1;
    return new Promise((give) => {
      end = () => give(GOOD);
    });
  };
  const asked = (waits: () => Promise<void>): Promise<Answer> => new Answers("0.1.0").of("a", measure, waits);
  const first = asked(turn),
    second = asked(turn),
    off = asked(() => Promise.reject(new Error("off")));
  await assert.rejects(off, /off/);
  await turn();
  assert.equal(measured, 1);
  end();
  assert.deepEqual(await Promise.all([first, second]), [GOOD, GOOD]);
  assert.equal(measured, 1);
});

test("where its measurement fails, the next one measures", async () => {
  fakeStore([]);
  fakeLocks();
  const answers = (): Answers => new Answers("0.1.0");
  const failed = answers().of("a", () => Promise.reject(new Error("trap")), turn),
    next = answers().of("a", () => Promise.resolve(GOOD), turn);
  await assert.rejects(failed, /trap/);
  assert.deepEqual(await next, GOOD);
});

test("a database that is closed behind the page's back is as good as none", async () => {
  const { close } = fakeStore([["0.1.0 b", sealed(GOOD)]]);
  const answers = new Answers("0.1.0");
  await answers.recall([{ hash: "a" }]);
  close();
  answers.keep("a", GOOD);
  await answers.recall([{ hash: "b" }]);
  assert.deepEqual(answers.known, { a: GOOD });
});

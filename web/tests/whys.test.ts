import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../src/engine/run-handle.ts";
import type { Experiment } from "../src/model/types.ts";
import { Whys } from "../src/engine/whys.ts";
import type { Asking } from "../src/model/model.ts";
import { FakeWorker } from "./fake-worker.ts";

const turns = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await new Promise((later) => setImmediate(later));
};
const runsOf = (...hashes: string[]) => hashes.map((hash) => ({ hash, experiment: {} as Experiment }));

/** A run that asks why; what it is told, and how far that is. */
function asking(): { whys: Whys; run: Run; told: string[][]; heard: (Asking | null)[] } {
  FakeWorker.install();
  const told: string[][] = [],
    heard: (Asking | null)[] = [];
  const run = { tellWhy: (tried: object) => void told.push(Object.keys(tried)) } as unknown as Run;
  const whys = new Whys({} as WebAssembly.Module, (_run, one) => void heard.push(one));
  whys.stamp = "1 a";
  return { whys, run, told, heard };
}

test("a run is told why once all runs for it have ended, and not asked again for what is known", async () => {
  const { whys, run, told, heard } = asking();
  whys.want(run, runsOf("a", "b"));
  await turns();
  assert.deepEqual(told, [["a", "b"]]);
  assert.deepEqual(heard.at(0), { done: 0, of: 2, stopped: false });
  assert.equal(heard.at(-1), null);
  const before = FakeWorker.all.length;
  whys.want(run, runsOf("b"));
  await turns();
  assert.deepEqual(told, [["a", "b"], ["b"]]);
  assert.equal(FakeWorker.all.length, before, "nothing runs for it");
});

test("it can be stopped, and goes on where it was", async () => {
  const { whys, run, told, heard } = asking();
  whys.want(run, runsOf("c", "d"));
  await Promise.resolve();
  whys.stop(true);
  await turns();
  assert.deepEqual(told, []);
  assert.deepEqual(heard.at(-1), { done: 0, of: 2, stopped: true });
  whys.stop(false);
  await turns();
  assert.deepEqual(told, [["c", "d"]]);
});

test("a run that has gone is told nothing", async () => {
  const { whys, run, told, heard } = asking();
  whys.want(run, runsOf("e"));
  await Promise.resolve();
  whys.forget(run);
  await turns();
  assert.deepEqual([told, heard.at(-1)], [[], null]);
});

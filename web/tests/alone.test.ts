import assert from "node:assert/strict";
import { test } from "node:test";
import { Alone } from "../src/engine/alone.ts";
import { Answers } from "../src/engine/answers.ts";
import type { Loaded } from "../src/engine/protocol.ts";
import type { Run } from "../src/engine/run-handle.ts";
import type { Experiment } from "../src/model/types.ts";
import { FakeWorker } from "./fake-worker.ts";

const experiment = {} as Experiment;
const RUN = { setAlone: () => undefined } as unknown as Run;
const turns = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await new Promise((later) => setImmediate(later));
};

/** Runs alone of nothing but these hashes; the numbers of those that are known. `recalled`: lets what is asked of the store be answered. */
function measuring(): { alone: Alone; told: number[]; recalled: () => void } {
  FakeWorker.install();
  const told: number[] = [],
    asked: (() => void)[] = [];
  const alone = new Alone({} as WebAssembly.Module, {
    alone: (_run, kernel, ipc) => void (ipc !== null && told.push(kernel)),
    aloneProgress: () => undefined,
  });
  const answers = new Answers("1 a");
  answers.recall = () => new Promise((known) => asked.push(known));
  alone.answers = answers;
  return { alone, told, recalled: () => void asked.splice(0).map((known) => known()) };
}

test("what is asked for while another run alone ends is measured, too", async () => {
  const { alone, told, recalled } = measuring();
  alone.want(RUN, { alone: [{ hash: "whole", experiment }] } as unknown as Loaded);
  recalled();
  await Promise.resolve();
  // Its kernels in their shares are asked for, and the store has not answered yet when the run alone ends.
  alone.share(RUN, [{ hash: "share", experiment }]);
  await turns();
  assert.deepEqual(told, [0]);
  recalled();
  await turns();
  assert.deepEqual(told, [0, -1]);
});

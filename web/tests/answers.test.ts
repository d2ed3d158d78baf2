import assert from "node:assert/strict";
import { test } from "node:test";
import { Answers } from "../src/answers.ts";

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

// Which recordings does an experiment need?
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordingsIn } from "../src/engine/recordings.ts";
import { isRecorded } from "../src/parts/recorded.tsx";

const [A, B] = ["1f3a00c2d4e5f607", "00000000000000aa"];
const kernel = (recording: string) => ({
  name: "a",
  arrays: [],
  launches: [{ grid: 2, recorded: { recording, launch: 0 } }],
});

test("recordings are found in kernels and their uses, in experiments and in texts of sweeps, each once", () => {
  const kernels = ["BP", kernel(A), { kernel: kernel(B), ctas_per_sm: 2 }, kernel(A)],
    experiment = { corun: 1, kernels };
  assert.deepEqual(recordingsIn(experiment), [A, B]);
  assert.deepEqual(recordingsIn(JSON.stringify({ base: experiment }, null, 2)), [A, B]);
  assert.deepEqual(recordingsIn({ corun: 1, kernels: ["BP"], policy: { name: "even" } }), []);
  // What is no hash is for the engine to refuse.
  assert.deepEqual(recordingsIn({ kernels: [kernel("1f3a")] }), []);
});

test("files of traces and recordings are told from the page's own", () => {
  const is = (name: string): boolean => isRecorded(new File([], name));
  for (const name of [
    "a.corun",
    "kernel-1.trace",
    "k.traceg",
    "k.traceg.xz",
    "K.TRACE.GZ",
    "k.tracez",
    "kernelslist.g",
  ])
    assert.ok(is(name), name);
  for (const name of ["experiment.json", "a.png", "h100.csv", "a.xz.json", "trace.json"]) assert.ok(!is(name), name);
});

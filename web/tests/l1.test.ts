// What an L1D holds: states by array.
import assert from "node:assert/strict";
import { test } from "node:test";
import { contentsOf, contentsText } from "../src/picture/l1.ts";
import type { FrameLayout } from "../src/model/types.ts";

const sm = { l1_bytes: 400, l1_protocol: "denovo", l1_keeps_read_only: true };
const LAYOUT = {
  kernels: ["HS"],
  sms: [sm, sm],
  grids: [
    [
      [6, 1, 1],
      [6, 1, 1],
    ],
  ],
  counters: [],
  arrays: [
    { kernel: 0, name: "in", bytes: 4096, read_only: false },
    { kernel: 0, name: "power", bytes: 4096, read_only: true },
  ],
} as unknown as FrameLayout;
/** Copies, written, owned; of each array, of each SM. */
const HELD = Uint32Array.from([10, 5, 40, 20, 0, 0, /* SM 1 */ 0, 0, 0, 0, 0, 0]);

test("words of an L1D by array and state; clean copies of what nothing writes stay where the GPU keeps them", () => {
  const one = contentsOf(LAYOUT, HELD, 0);
  assert.deepEqual([one.capacity, one.all, one.words], [100, 75, { owned: 40, kept: 20, copies: 10, written: 5 }]);
  assert.equal(
    contentsText(LAYOUT, one),
    "75 of 100 words (75 %): in 40 owned, 10 copies, 5 written, not made known; power 20 read only, kept; 25 invalid",
  );
  const dropped = { ...LAYOUT, sms: [{ ...sm, l1_keeps_read_only: false }, sm] } as FrameLayout;
  assert.deepEqual(contentsOf(dropped, HELD, 0).words, { owned: 40, kept: 0, copies: 30, written: 5 });
  assert.equal(contentsOf(LAYOUT, new Uint32Array(), 1).all, 0, "of a run that has said nothing yet");
});

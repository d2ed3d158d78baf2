// Moments of a run as bytes, in memory and in a file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Images, type Image } from "../src/engine/images.ts";
import type { BytesFile } from "../src/engine/snapshot-store.ts";

const PAGE = 65_536;
/** Where this lies once it is compiled. */
const WASM = new URL("../../../src/wasm/", import.meta.url);

/** A file that has so many bytes at most, and says how many it has. */
function file(most = Infinity): BytesFile & { length: number } {
  let bytes = new Uint8Array(0);
  const view = (words: Int32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return {
    get length() {
      return bytes.length;
    },
    read(into, { at }) {
      const there = bytes.subarray(at, at + into.byteLength);
      view(into).set(there);
      return there.length;
    },
    write(words, { at }) {
      const end = at + words.byteLength;
      if (end > most) throw new Error("no room");
      if (end > bytes.length) {
        const longer = new Uint8Array(end);
        longer.set(bytes);
        bytes = longer;
      }
      bytes.set(view(words), at);
      return words.byteLength;
    },
    truncate(length) {
      bytes = bytes.slice(0, length);
    },
  };
}

/** A memory that a run changes: each step writes here and there, and in some of them it grows. */
function run(grows = true): { memory: WebAssembly.Memory; step: () => void } {
  const memory = new WebAssembly.Memory({ initial: 4 });
  new Uint32Array(memory.buffer).forEach((_, i, all) => {
    if (i % 3 === 0) all[i] = i;
  });
  let seed = 1;
  const step = (): void => {
    if (grows && seed % 5 === 0) memory.grow(1);
    const words = new Uint32Array(memory.buffer);
    for (let i = 0; i < 2000; i += 1) {
      seed = (seed * 1_103_515_245 + 12_345) >>> 0;
      words[seed % words.length] = i % 7 === 0 ? 0 : seed;
    }
    // The first and the last word, too.
    words[0] = words[words.length - 1] = seed;
  };
  return { memory, step };
}
const copy = (memory: WebAssembly.Memory): Uint8Array => new Uint8Array(memory.buffer.slice(0));
/** What the memory holds is this, and zeros where it has grown since. */
function holds(memory: WebAssembly.Memory, was: Uint8Array): void {
  const now = new Uint8Array(memory.buffer);
  assert.equal(Buffer.compare(now.subarray(0, was.length), was), 0);
  assert.ok(now.subarray(was.length).every((byte) => byte === 0));
}

for (const [where, lies] of [
  ["in memory", null],
  ["in a file", file()],
] as const)
  test(`a run goes back to each of its moments, in any order, to the byte: ${where}`, () => {
    const images = new Images();
    if (lies) images.useFile({ file: lies, most: Infinity });
    const { memory, step } = run();
    images.begin(memory);
    const moments: { image: Image; was: Uint8Array }[] = [];
    for (let i = 0; i < 24; i += 1) {
      moments.push({ image: images.take(), was: copy(memory) });
      step();
    }
    for (let i = 0; i < 100; i += 1) {
      const { image, was } = moments[(i * 7) % moments.length] as { image: Image; was: Uint8Array };
      image.restore();
      holds(memory, was);
      step();
      // In place of one that goes.
      if (i % 3 === 0) {
        const gone = moments.splice((i * 5) % moments.length, 1)[0];
        gone?.image.free();
        moments.push({ image: images.take(), was: copy(memory) });
      }
    }
  });

test("a file is no longer than its moments were at once, and empty when they are gone and another run begins", () => {
  const lies = file(),
    images = new Images(),
    { memory, step } = run(false);
  images.useFile({ file: lies, most: 10 * PAGE });
  images.begin(memory);
  const moments: Image[] = [];
  let longest = 0;
  for (let i = 0; i < 300; i += 1) {
    step();
    moments.push(images.take());
    if (moments.length > 10) moments.splice((i * 3) % 9, 1)[0]?.free();
    if (i === 20) longest = lies.length;
  }
  assert.ok(lies.length < 1.5 * longest, `${lies.length} bytes, ${longest} before`);
  // They are more than its file may have, however much room the page has for them.
  assert.ok(lies.length > 10 * PAGE);
  assert.equal(images.over({ memory: Infinity, file: Infinity }), true);
  for (const moment of moments) moment.free();
  images.begin(memory);
  assert.equal(lies.length, 0);
  assert.equal(images.over({ memory: 0, file: 0 }), false);
});

test("a moment takes what differs, and hardly more, however it is scattered", () => {
  const lies = file(),
    images = new Images(),
    memory = new WebAssembly.Memory({ initial: 32 });
  images.useFile({ file: lies, most: Infinity });
  images.begin(memory);
  images.take();
  const before = lies.length,
    words = new Int32Array(memory.buffer);
  for (let at = 7; at < words.length; at += 32) words[at] = at;
  images.take();
  // A word in each 128 bytes: 64 KB of them.
  assert.ok(lies.length - before <= 4 * PAGE, `${lies.length - before} bytes`);
});

test("what a run writes once is kept of a few moments, not of all that come after it", () => {
  const lies = file(),
    images = new Images(),
    memory = new WebAssembly.Memory({ initial: 64 }),
    words = new Int32Array(memory.buffer),
    SOME = 4096;
  images.useFile({ file: lies, most: Infinity });
  images.begin(memory);
  images.take();
  const before = lies.length;
  // Each writes 16 KB anew, and 16 KB that none has written before: all of these are 30 MB, with what was written before.
  for (let i = 1; i <= 60; i += 1) {
    words.fill(-i, 0, SOME);
    words.fill(-i, i * SOME, (i + 1) * SOME);
    images.take();
  }
  assert.ok(lies.length - before < 15e6, `${lies.length - before} bytes`);
});

test("a moment that the disk has no room for lies in memory, as do those that come after it", () => {
  const images = new Images(),
    { memory, step } = run();
  // The base, and one moment beside it.
  const lies = file(6 * PAGE);
  images.useFile({ file: lies, most: Infinity });
  images.begin(memory);
  const moments = Array.from({ length: 6 }, () => {
    step();
    return { image: images.take(), was: copy(memory) };
  });
  assert.ok(lies.length > 4 * PAGE);
  assert.equal(images.over({ memory: 1, file: Infinity }), true);
  for (const { image, was } of moments.reverse()) {
    image.restore();
    holds(memory, was);
  }
  // The next run has the file again.
  for (const { image } of moments) image.free();
  images.begin(memory);
  assert.equal(lies.length, 0);
  images.take();
  assert.ok(lies.length > 0);
});

test("a file that comes late has the moments from then on, and a file that is gone says so", () => {
  const images = new Images(),
    { memory, step } = run(),
    lies = file();
  images.begin(memory);
  const early = { image: images.take(), was: copy(memory) };
  step();
  images.useFile({ file: lies, most: Infinity });
  const late = { image: images.take(), was: copy(memory) };
  assert.ok(lies.length > 0);
  for (const { image, was } of [early, late, early]) {
    image.restore();
    holds(memory, was);
  }
  lies.truncate(PAGE);
  assert.throws(() => {
    late.image.restore();
  }, /not on disk any more/);
});

test("a run goes back whatever else its module was asked meanwhile, and is what it was", async () => {
  const corun = (await import(new URL("corun.js", WASM).href)) as typeof import("../src/wasm/corun.js");
  const { memory } = await corun.default({ module_or_path: readFileSync(new URL("corun_bg.wasm", WASM)) });
  const run = (kernel: string): InstanceType<typeof corun.Simulation> =>
    new corun.Simulation({ corun: 1, gpu: "tiny-2sm", kernels: ["ccbp/BP", kernel], policy: "even" });
  // As deep as is read at all: while it is, the module holds more values of JavaScript than at any other time.
  const deep = Array.from({ length: 120 }).reduce((inner: object) => ({ inner }), {});
  const asked = (): void => {
    assert.equal(corun.validate({ corun: 1, name: deep }).length > 0, true);
    const other = run("ccbp/SAD");
    other.advance(3000);
    other.free();
  };
  const sim = run("ccbp/CFD"),
    images = new Images(),
    digests: string[] = [],
    moments: Image[] = [];
  corun.reserve();
  images.begin(memory);
  const { byteLength } = memory.buffer;
  for (let i = 0; i < 5; i += 1) {
    moments.push(images.take());
    digests.push(sim.digest());
    sim.advance(4000);
  }
  for (const i of [3, 0, 4, 1]) {
    asked();
    moments[i]?.restore();
    assert.deepEqual([sim.cycle, sim.digest()], [4000 * i, digests[i]]);
    asked();
    if (i + 1 >= digests.length) continue;
    sim.advance(4000);
    assert.equal(sim.digest(), digests[i + 1]);
  }
  // However often it goes back, it needs no more memory.
  assert.equal(memory.buffer.byteLength, byteLength);
});

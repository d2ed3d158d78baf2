// Runs on one clock, with runs that are made up: whatever is drawn is of one cycle, and who ends or has an event first stops the other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Transport, type Member } from "../src/engine/transport.ts";
import type { FrameMessage } from "../src/engine/protocol.ts";
import type { RunState } from "../src/model/types.ts";

Object.assign(globalThis, { requestAnimationFrame: setImmediate });

/** A run that counts cycles: it ends at `end`, and has an event at every multiple of `beat`. */
class Counter implements Member {
  cycle = 0;
  asked = 0;
  /** Up to where it has told what was. */
  #told = 0;
  #restart = true;
  readonly #end: number;
  readonly #beat: number;
  readonly #slow: number;
  #halted = false;
  constructor(end = Infinity, beat = Infinity, slow = 0) {
    this.#end = end;
    this.#beat = beat;
    this.#slow = slow;
  }
  again(): void {
    this.#told = 0;
    this.#restart = true;
  }
  halt(): void {
    this.#halted = true;
  }
  async goTo(cycle: number, event: boolean, full: boolean): Promise<FrameMessage> {
    this.asked += 1;
    this.#halted = false;
    let to = Math.min(cycle, this.#end);
    const next = (Math.floor(this.cycle / this.#beat) + 1) * this.#beat,
      found = event && next <= to;
    if (found) to = next;
    if (this.#slow > 0) {
      const before = this.cycle;
      for (let part = 1; part <= 20 && !this.#halted; part += 1) {
        await new Promise((on) => setTimeout(on, this.#slow));
        this.cycle = Math.round(before + ((to - before) * part) / 20);
      }
    } else {
      await Promise.resolve();
      this.cycle = to;
    }
    const windows = Float64Array.of(this.#told, Math.max(this.#told, this.cycle)),
      restart = this.#restart;
    this.#told = windows[1] as number;
    this.#restart = false;
    const state: RunState = this.cycle === this.#end ? "done" : "paused";
    return {
      cycle: this.cycle,
      state,
      event: found,
      took: 1,
      result: full ? {} : null,
      windows,
      restart,
      frame: new Uint32Array(),
    } as unknown as FrameMessage;
  }
}

interface Drawn {
  /** Up to where is known what has been, of each. */
  known: number[];
  cycles: number[];
  state: RunState;
  full: boolean;
}
interface Clock {
  lock: Transport;
  drawn: Drawn[];
  /** How far the runs were on a long way, and how fast. */
  far: [number, number][];
  rest(state?: RunState): Promise<Drawn>;
}
function clock(...members: Counter[]): Clock {
  const drawn: Drawn[] = [],
    far: [number, number][] = [];
  const lock = new Transport((...said) => {
    if (said[0] === "underWay") far.push([said[1], said[2]]);
    if (said[0] !== "frames") return;
    const [, frames, state] = said;
    const before = drawn.at(-1)?.known;
    const known = frames.map((frame, i) => {
      const { windows, restart } = frame as FrameMessage,
        [from = 0, to = 0] = windows,
        is = restart ? 0 : (before?.[i] ?? 0);
      return from === is ? to : Number.NaN;
    });
    drawn.push({
      known,
      cycles: frames.map((frame) => frame.cycle),
      state,
      full: frames.every((frame) => frame.result !== null),
    });
  });
  lock.begin(members);
  /** Until the clock stands still, with everything drawn. */
  const rest = async (state: RunState = "paused"): Promise<Drawn> => {
    for (;;) {
      await new Promise((on) => setTimeout(on, 1));
      const last = drawn[drawn.length - 1];
      if (last && last.state === state && last.full && !lock.running) return last;
    }
  };
  return { lock, drawn, far, rest };
}
const even = (drawn: Drawn[]): void => {
  for (const { cycles, known } of drawn) {
    assert.equal(new Set(cycles).size, 1, cycles.join());
    assert.ok(
      known.every((to) => to >= (cycles[0] ?? 0)),
      `all is known of what was, up to ${known.join()} of ${cycles.join()}`,
    );
  }
};

test("playing and pausing: all that is drawn is of one cycle, and rest has its results", async () => {
  const { lock, drawn, rest } = clock(new Counter(), new Counter(Infinity, Infinity, 1));
  lock.play();
  await new Promise((on) => setTimeout(on, 200));
  lock.pause();
  const last = await rest();
  assert.ok(drawn.length > 2 && (last.cycles[0] ?? 0) > 0);
  assert.ok(drawn.some(({ state }) => state === "playing"));
  even(drawn);
});

test("a seek takes both there, forwards and back, and a step is one cycle", async () => {
  const { lock, drawn, rest } = clock(new Counter(), new Counter());
  lock.to(12_345);
  assert.deepEqual((await rest()).cycles, [12_345, 12_345]);
  lock.step();
  assert.deepEqual((await rest()).cycles, [12_346, 12_346]);
  lock.to(7);
  assert.deepEqual((await rest()).cycles, [7, 7]);
  even(drawn);
});

test("who comes late catches up, and can be halted on the way", async () => {
  const late = new Counter(Infinity, Infinity, 5),
    early = new Counter();
  early.cycle = 1000;
  const { lock, drawn, rest } = clock(early, late);
  lock.to(1000);
  await new Promise((on) => setTimeout(on, 30));
  lock.pause();
  const last = await rest();
  assert.ok((last.cycles[0] ?? 0) < 1000, "both are where the late one was halted");
  even(drawn);
});

test("a long way says how far the last of the runs is, and how fast they are", async () => {
  const [a, b] = [new Counter(Infinity, Infinity, 10), new Counter(Infinity, Infinity, 10)],
    { lock, far } = clock(a, b);
  lock.to(1_000_000);
  lock.reached(a, 300);
  await new Promise((on) => setTimeout(on, 60));
  lock.reached(b, 200);
  lock.reached(a, 900);
  lock.reached(b, 700);
  assert.deepEqual(
    far.map(([cycle]) => cycle),
    [300, 200, 200, 700],
  );
  assert.ok((far.at(-1)?.[1] ?? 0) > 0);
  lock.play();
  lock.reached(a, 950);
  assert.equal(far.length, 4, "who plays is on no way");
  lock.part(0, false);
  lock.reached(a, 1_000);
  assert.equal(far.length, 4, "nobody is on that way any more");
});

test("the first event of any run stops all", async () => {
  const { lock, drawn, rest } = clock(new Counter(Infinity, 7000), new Counter(Infinity, 4500));
  lock.event();
  assert.deepEqual((await rest()).cycles, [4500, 4500]);
  lock.event();
  assert.deepEqual((await rest()).cycles, [7000, 7000]);
  even(drawn);
});

test("the end of one run is the end of both, and from there only back", async () => {
  const { lock, drawn, rest } = clock(new Counter(3000), new Counter());
  lock.play();
  assert.deepEqual((await rest("done")).cycles, [3000, 3000]);
  const shown = drawn.length;
  lock.play();
  await new Promise((on) => setTimeout(on, 20));
  assert.equal(drawn.length, shown, "nothing goes on");
  lock.to(0);
  assert.deepEqual((await rest()).cycles, [0, 0]);
  even(drawn);
});

test("a change while frames are under way is asked for again", async () => {
  const a = new Counter(),
    b = new Counter();
  const { lock, rest } = clock(a, b);
  lock.to(10);
  await rest();
  const asked = a.asked;
  lock.refresh();
  lock.refresh();
  await new Promise((on) => setTimeout(on, 20));
  assert.equal(a.asked, asked + 2);
  assert.equal(a.asked, b.asked);
});

test("where other runs are built, nothing more is drawn of those before; what is asked meanwhile holds for them", async () => {
  const { lock, drawn, rest } = clock(new Counter(), new Counter());
  lock.play();
  await new Promise((on) => setTimeout(on, 20));
  lock.part(500, true);
  lock.pause();
  const shown = drawn.length;
  await new Promise((on) => setTimeout(on, 50));
  assert.equal(drawn.length, shown);
  lock.begin([new Counter()]);
  assert.deepEqual((await rest()).cycles, [500]);
});

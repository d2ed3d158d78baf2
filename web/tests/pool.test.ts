// The points of a sweep as a race: held where it says, dropped or going on at the same worker, and each to its end without one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromLab, ToLab } from "../src/engine/lab/protocol.ts";
import { Pool, type RaceEvents } from "../src/engine/lab/pool.ts";
import type { Plan } from "../src/engine/lab/sweep.ts";
import type { Race, Standing } from "../src/model/types.ts";
import { heard } from "./fake-lab.ts";
import { FakeWorker } from "./fake-worker.ts";

type Do = Extract<ToLab, { t: "do" }>;

/** Points run as far as they are asked to; the first look is at 100, the second at 200, and who is dropped there the test says. */
class Runner {
  static all: Runner[] = [];
  static drops: number[][] = [];
  onmessage: ((event: { data: FromLab }) => void) | null = null;
  readonly did: string[] = [];
  constructor() {
    Runner.all.push(this);
  }
  addEventListener(): void {}
  terminate(): void {}
  postMessage(message: ToLab): void {
    if (message.t === "init") setImmediate(() => this.onmessage?.({ data: { t: "ready", stamp: "1 a" } }));
    if (message.t === "do")
      setImmediate(() => this.onmessage?.({ data: { t: "gives", id: message.id, value: this.#value(message) } }));
  }
  #value(message: Do): unknown {
    if (message.work === "race") return judged(message.of.standings);
    if (message.work !== "point") return null;
    const { index, to } = message.of;
    this.did.push(`${index} to ${to ?? "its end"}`);
    return { line: `line ${index}`, held: to !== undefined, steadySince: 7 };
  }
}
function judged(standings: readonly Standing[]): Race {
  const out = Runner.drops.shift() ?? [],
    cycle = Math.max(0, ...standings.map((one) => one.cycle));
  return {
    to: cycle < 200 ? cycle + 100 : null,
    fates: standings.map((_, n) => ({ goes_on: !out.includes(n), behind: out.includes(n) ? 0.3 : null })),
  };
}

const plan: Plan = {
  name: "",
  hash: "",
  axes: [],
  points: [0, 1, 2, 3].map((n) => ({
    axes: { policy: n },
    config_hash: String(n),
    experiment: { corun: 1, kernels: [] },
    cycles: 500,
    alone: [],
    needs: [],
  })) as unknown as Plan["points"],
  runs: {},
};

function raced(drops: number[][]) {
  Runner.all = [];
  Runner.drops = drops;
  FakeWorker.install();
  Object.assign(globalThis, { Worker: Runner });
  const cycles = new Map<number, number>(),
    said: string[] = [];
  let asked: number[] = [];
  const race: RaceEvents = {
    cycles: 500,
    held: (index, line, steadySince) => {
      cycles.set(index, (cycles.get(index) ?? 0) + 100);
      said.push(`${line} held, ${steadySince}`);
    },
    standings: () => {
      asked = [0, 1, 2, 3].filter((n) => !said.includes(`${n} out`));
      return asked.map((n) => ({ cycle: cycles.get(n) ?? 0, steady_since: 7, speedup: null, ends: null }));
    },
    judged: (fates) => {
      const out = asked.filter((_, n) => fates[n]?.goes_on === false);
      for (const n of out) said.push(`${n} out`);
      return out;
    },
  };
  return new Promise<{ pool: Pool; said: string[]; progress: { done: number } }>((done) => {
    const pool: Pool = new Pool(
      {} as WebAssembly.Module,
      "text",
      plan,
      {
        line: (index) => said.push(`${index} ended`),
        broken: assert.fail,
        progress: () => undefined,
        over: () => done({ pool, said, progress: pool.progress() }),
      },
      { race },
    );
    pool.start(2);
  });
}
const did = (): string[] => Runner.all.flatMap((one) => one.did).sort();

test("points are held at each look; who is dropped does not go on, the rest goes on where it is held", async () => {
  const { said, pool } = await raced([[], [1], [0]]);
  assert.deepEqual(did(), [
    "0 to 100",
    "0 to 200",
    "1 to 100",
    "2 to 100",
    "2 to 200",
    "2 to its end",
    "3 to 100",
    "3 to 200",
    "3 to its end",
  ]);
  // Each at one worker.
  for (const n of [0, 1, 2, 3])
    assert.equal(Runner.all.filter((one) => one.did.some((what) => what.startsWith(`${n} `))).length, 1);
  assert.deepEqual(said.filter((what) => !what.includes("held")).sort(), ["0 out", "1 out", "2 ended", "3 ended"]);
  assert.ok(said.includes("line 1 held, 7"));
  // Those that were dropped, to their ends.
  Runner.all = [];
  pool.again([1]);
  pool.start(2, true);
  for (let n = 0; n < 10; n += 1) await heard();
  assert.deepEqual(did(), ["1 to its end"]);
});

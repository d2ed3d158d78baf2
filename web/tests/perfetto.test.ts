// A trace goes to Perfetto's page once that has answered, to nobody else, and nobody waits for ever.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { handOver, PERFETTO } from "../src/run/perfetto.ts";
import { heard } from "./fake-lab.ts";

interface Sent {
  data: unknown;
  to: string;
}
function windows() {
  const sent: Sent[] = [],
    listeners = new Set<(event: MessageEvent) => void>();
  const away = { closed: false, postMessage: (data: unknown, to: string) => void sent.push({ data, to }) };
  const here = {
    addEventListener: (_: string, one: (event: MessageEvent) => void) => void listeners.add(one),
    removeEventListener: (_: string, one: (event: MessageEvent) => void) => void listeners.delete(one),
    setInterval: (run: () => void, ms: number) => setInterval(run, ms),
    clearInterval: (timer: NodeJS.Timeout) => clearInterval(timer),
  };
  const says = (origin: string, data: unknown): void => {
    for (const one of listeners) one({ origin, data } as MessageEvent);
  };
  const trace = { bytes: new Blob(["{}\n"]), title: "BP + CFD, Even split", file: "trace.json" };
  return { sent, says, away, listeners, done: handOver(trace, away as never, here as never) };
}

test("it is asked until it answers, and gets the trace with its name", async () => {
  mock.timers.enable({ apis: ["setInterval"] });
  const { sent, says, listeners, done } = windows();
  mock.timers.tick(250);
  assert.deepEqual(sent, [
    { data: "PING", to: PERFETTO },
    { data: "PING", to: PERFETTO },
  ]);
  says("https://example.org", "PONG");
  says(PERFETTO, "something else");
  await heard();
  assert.equal(sent.length, 2, "nothing for others");
  says(PERFETTO, "PONG");
  await done;
  const { data, to } = sent[2] as unknown as {
    data: { perfetto: { buffer: ArrayBuffer; title: string; fileName: string } };
    to: string;
  };
  assert.equal(to, PERFETTO);
  assert.equal(new TextDecoder().decode(data.perfetto.buffer), "{}\n");
  assert.deepEqual([data.perfetto.title, data.perfetto.fileName], ["BP + CFD, Even split", "trace.json"]);
  mock.timers.tick(1000);
  assert.deepEqual([sent.length, listeners.size], [3, 0], "nobody asks any more");
  mock.timers.reset();
});

test("a window that is closed, or does not answer, is an error", async () => {
  mock.timers.enable({ apis: ["setInterval"] });
  const one = windows();
  one.away.closed = true;
  mock.timers.tick(100);
  await assert.rejects(one.done, /window was closed/);
  const two = windows();
  mock.timers.tick(60_000);
  await assert.rejects(two.done, /does not answer/);
  assert.equal(two.listeners.size, 0);
  mock.timers.reset();
});

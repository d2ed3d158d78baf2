// The simulation's own thread. It advances in slices of a few milliseconds, so that a message is never far from being read.
import { errorText } from "../model/format.ts";
import { live } from "./life.ts";
import * as plain from "../wasm/corun.js";
import type { Simulation } from "../wasm/corun.js";
import { hasLaunches, LaunchLog } from "../model/launch-log.ts";
import { type Image, Images } from "./images.ts";
import { APART, CLOSE, FARTHEST, Keyframes, LAST, SHARE } from "./keyframes.ts";
import { SLICE } from "./pacing.ts";
import { launchSizes, EventLog } from "../model/event-log.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { momentsFile } from "./snapshot-store.ts";
import type { Answer, Reason, RunState, Tried } from "../model/types.ts";
import { Frames } from "./worker-frames.ts";
import { Loader, type Built } from "./worker-load.ts";

const send = (message: FromWorker, transfer: Transferable[] = []): void => {
  self.postMessage(message, { transfer });
};

/** Milliseconds that a worker waits for its file at most. */
const PATIENCE = 200;
const after = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** Milliseconds between two words on how far it is. */
const REACHED_GAP = 250;

let sim: Simulation | null = null;
let id = 0;
let state: RunState = "paused";
/** Where it was told to go, until it has sent a frame from there. */
let way: Extract<ToWorker, { t: "goTo" }> | null = null;
let fromMoment = false; // where it began: people may step back from where it ends
let event = false; // it stopped at an event
let setOut = 0; // when it was told
let reachedAt = 0; // when it last said how far it is
let perMs = 100; // cycles per millisecond, estimated
let keepCost = 0; // milliseconds to keep a moment, estimated
let ticking = false;

const frames = new Frames();
let why = "";
const images = new Images();
let room: MemoryBudget = { memory: Infinity, file: Infinity };
const keyframes = new Keyframes<Image>(() => images.over(room));
/** What the run goes on as since its first end: moments from before do not know. */
let longer: Built["message"]["experiment"] | null = null;
/** What is known of the run, also beyond the present cycle where it has gone back. */
let past = new EventLog([]);
/** The same, CTA by CTA; nothing where the page does not show it. */
let launches: LaunchLog | null = null;
/** Runs of shares that are to be told before it is asked why. */
let sharesLeft = new Set<string>();
const aloneKnown = new Map<number, { hash: string; answer: Answer; soFar: boolean }>();
const loader = new Loader({
  send,
  guarded,
  present: () => sim,
  built: take,
});

// A port posts a task without the delay that setTimeout adds, and lets the page's messages in between.
const channel = new MessageChannel();
channel.port1.onmessage = () => {
  ticking = false;
  guarded(tick);
};
function schedule(): void {
  if (ticking) return;
  ticking = true;
  channel.port2.postMessage(0);
}

let dead = false;
/** A trap in the module leaves it in an unknown state: say so once, and do nothing more. */
function guarded(run: () => void): void {
  if (dead) return;
  try {
    run();
  } catch (error) {
    dead = true;
    state = "paused";
    send({ t: "failed", message: errorText(error) });
  }
}

// ---------------------------------------------------------------- running

const over = (): boolean => state === "done" || state === "stuck" || state === "failed";

function tell(sim: Simulation, { hash, answer, soFar }: { hash: string; answer: Answer; soFar: boolean }): void {
  if (soFar) sim.showSoFar({ [hash]: answer });
  else sim.tell({ [hash]: answer });
}

function stopAt(reason: Reason): void {
  if (reason === "stuck") {
    why = sim?.explainStuck() ?? "";
    state = "stuck";
  } else if (reason === "failed") {
    why = sim?.failure() ?? "";
    state = "failed";
  } else if (reason === "cycles" || reason === "kernels_done" || reason === "settled") {
    state = "done";
    if (sim) askShares(sim);
  }
}

/** Asks for what kernels do in their shares, which follow from what they do alone. */
function askShares(sim: Simulation): void {
  const runs = sim.shareRuns();
  sharesLeft = new Set(runs.map(({ hash }) => hash));
  send({ t: "shares", id, runs });
}

/** At its end, what is known of kernels alone says what their shares are, and what they do in these whom to ask why. */
function askOn(sim: Simulation, kernel: number, hash: string): void {
  if (kernel >= 0) askShares(sim);
  else if (sharesLeft.delete(hash) && sharesLeft.size === 0) send({ t: "whys", id, runs: sim.askWhy() });
}

function tick(): void {
  if (!sim) return;
  if (state === "seeking" && way) {
    if (way.event) eventSlice(sim, way.cycle);
    else slice(sim, way.cycle);
    note(sim);
    keep(sim, false);
  }
  if (state === "seeking") schedule();
  else offer();
}

function measure(cycles: number, milliseconds: number): void {
  if (cycles > 50 && milliseconds > 0.2) perMs = Math.max(1, 0.8 * perMs + (0.2 * cycles) / milliseconds);
}

function eventSlice(sim: Simulation, to: number): void {
  const reason = sim.advanceEvent(to - sim.cycle);
  event = reason === "event";
  state = "paused";
  stopAt(reason);
}

function slice(sim: Simulation, to: number): void {
  const until = performance.now() + SLICE;
  while (sim.cycle < to && performance.now() < until) {
    const before = sim.cycle;
    const t = performance.now();
    const reason = sim.advance(Math.max(1, Math.min(to - before, Math.floor(perMs * 3))));
    measure(sim.cycle - before, performance.now() - t);
    keep(sim, fromMoment && to - sim.cycle < perMs * LAST);
    if (reason !== "budget") {
      stopAt(reason);
      return;
    }
  }
  if (sim.cycle >= to) state = "paused";
  else if (performance.now() - reachedAt > REACHED_GAP) {
    reachedAt = performance.now();
    send({ t: "reached", id, cycle: sim.cycle });
  }
}

/** Goes to a cycle, forwards or back, from the last moment before it. What the page knows of the run's later cycles stays true. */
function goTo(sim: Simulation, to: Extract<ToWorker, { t: "goTo" }>): void {
  const { cycle } = to;
  way = to;
  event = fromMoment = false;
  setOut = reachedAt = performance.now();
  // Who has ended and rests there has still ended.
  if (!over() || sim.cycle !== cycle) {
    const from = to.event ? null : keyframes.before(cycle);
    if (from && (cycle < sim.cycle || from.cycle > sim.cycle)) {
      fromMoment = true;
      restore(sim, from.moment);
    }
    why = "";
    state = sim.cycle >= cycle ? "paused" : "seeking";
  }
  schedule();
}

/** Goes back to a moment, with what is known only since then. */
function restore(sim: Simulation, moment: Image): void {
  moment.restore();
  if (longer) sim.goOn(longer);
  for (const one of aloneKnown.values()) tell(sim, one);
}

function keep(sim: Simulation, close: boolean): void {
  if (
    !keyframes.wants(
      sim.cycle,
      perMs,
      close ? Math.max(CLOSE, keepCost) : Math.max(APART, Math.min(FARTHEST, keepCost / SHARE)),
    )
  )
    return;
  note(sim);
  const begin = performance.now();
  keyframes.add(sim.cycle, images.take());
  keepCost = 0.7 * keepCost + 0.3 * (performance.now() - begin);
}

/** Takes up what has happened to CTAs. */
function note(sim: Simulation): void {
  const events = sim.ctaEvents(),
    ends = sim.launchEnds();
  past.add(events, sim.cycle);
  launches?.add(events, ends, sim.cycle);
}

// ---------------------------------------------------------------- frames

/** Sends a frame if one is asked for, and it is there. */
function offer(): void {
  if (!sim || !way || state === "seeking") return;
  const { ticket, full } = way;
  way = null;
  const message = frames.next({ sim, past, launches, full, stands: { state, why, ticket, event }, setOut });
  send(message, [message.frame.buffer, message.windows.buffer]);
}

// ---------------------------------------------------------------- messages

/** Another run is built, which takes the place of the one before, or that one goes on to a later end. */
function take({ message, sim: next, memory, normal, hash, explained, aloneOf }: Built): void {
  id = message.id;
  aloneKnown.clear();
  if (next === sim) longer = message.experiment;
  else begin(next, message, memory, explained);
  way = null;
  why = "";
  state = "paused";
  const layout = next.frameLayout();
  const windows = next.windowsLayout();
  frames.built(layout, windows);
  send({ t: "loaded", id, layout, windows, hash, normal, explained, alone: layout.kernels.map((_, k) => aloneOf(k)) });
}

function begin(next: Simulation, message: Built["message"], memory: Built["memory"], explained: unknown): void {
  sim?.free();
  sim = next;
  longer = null;
  past = new EventLog(launchSizes(explained));
  launches = hasLaunches(sim.frameLayout(), (message.experiment as { cta_order?: unknown }).cta_order)
    ? LaunchLog.of(sim.frameLayout())
    : null;
  sim.keepCtaEvents();
  keyframes.clear();
  keepCost = 0;
  images.begin(memory);
  keyframes.add(sim.cycle, images.take());
}

live();
self.onmessage = (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  if (message.t === "init") {
    const file = message.keeps ? momentsFile() : Promise.resolve(null),
      there = file.then((given) => {
        if (given) images.useFile(given);
      });
    // With a file, the first moment lies in it. One that is late is for those that come later.
    Promise.all([plain.default({ module_or_path: message.module }), Promise.race([there, after(PATIENCE)])]).then(
      ([module]) =>
        guarded(() => {
          loader.begin(module.memory);
          send({ t: "ready", stamp: plain.stamp(), catalogue: plain.presets() });
        }),
      (error: unknown) => send({ t: "failed", message: String(error) }),
    );
    return;
  }
  guarded(() => handle(message));
};

function handle(message: Exclude<ToWorker, { t: "init" }>): void {
  switch (message.t) {
    case "load":
      loader.load(message);
      return;
    case "room":
      room = message.room;
      return;
    case "freshSeed":
      send({ t: "answer", id: message.id, value: plain.freshSeed() });
      return;
    case "validate":
      loader.validate(message.id, message.text);
      return;
    case "stopProfiling":
      loader.giveUp();
      return;
    case "keep":
      loader.forget();
      return;
  }
  if (!sim) return;
  switch (message.t) {
    case "goTo":
      goTo(sim, message);
      break;
    case "pause":
      if (state === "seeking") state = "paused";
      offer();
      break;
    case "again":
      way = null;
      if (state === "seeking") state = "paused";
      frames.fromStart();
      launches?.again();
      break;
    case "setAlone":
      if (message.id !== id) break;
      aloneKnown.set(message.kernel, message);
      tell(sim, message);
      if (state === "done" && !message.soFar) askOn(sim, message.kernel, message.hash);
      break;
    case "tellWhy":
      if (message.id !== id) break;
      sim.tellWhy(message.tried as Record<string, Tried[]>);
      send({ t: "whys", id, runs: sim.askLonger() });
      break;
    case "result":
      send({ t: "answer", id: message.id, value: sim.result() });
      break;
  }
}

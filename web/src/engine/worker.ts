// The simulation's own thread. It advances in slices of a few milliseconds, so that a message is never far from being read.
import { errorText, problemsIn } from "../model/format.ts";
import { live } from "./life.ts";
import * as plain from "../wasm/corun.js";
import type { Simulation } from "../wasm/corun.js";
import { hasLaunches, LaunchLog } from "../model/launch-log.ts";
import { type Image, Images } from "./images.ts";
import { APART, CLOSE, FARTHEST, Keyframes, LAST, SHARE } from "./keyframes.ts";
import { Pacing, SLICE } from "./pacing.ts";
import { launchSizes, EventLog } from "../model/event-log.ts";
import type { FromWorker, RunState, ToWorker } from "./protocol.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { momentsFile } from "./snapshot-store.ts";
import type { Answer, Reason, Tried } from "../model/types.ts";
import { Frames, RESULT_GAP } from "./worker-frames.ts";
import { Loader, type Built } from "./worker-load.ts";

const send = (message: FromWorker, transfer: Transferable[] = []): void => {
  self.postMessage(message, { transfer });
};

/** Milliseconds that a worker waits for its file at most. */
const PATIENCE = 200;
const after = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** An event that does not come: look up again after this many cycles, so that messages are read. */
const EVENT_SLICE = 2_000;

let sim: Simulation | null = null;
let id = 0;
let state: RunState = "paused";
let target = 0; // of a seek
let afterSeek: RunState = "paused";
let fromMoment = false; // where it began: people may step back from where it ends
let toEvent = false;
/** In lock-step: one frame for each `goTo`, at its end. */
let quiet = false;
let ticket = 0; // of the last one
let full = false; // that frame has the result
let event = false; // it stopped at an event
let setOut = 0; // when it was told
let reachedAt = 0; // when it last said how far it is
const pacing = new Pacing();
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
/** Somebody has set its controls: it is no experiment's run any more. */
let altered = false;
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
  waits: () => {
    if (running()) setState("paused");
  },
  present: () => (altered ? null : sim),
  built: take,
});

// A port posts a task without the delay that setTimeout adds, and lets the page's messages in between.
const channel = new MessageChannel();
channel.port1.onmessage = () => {
  ticking = false;
  guarded(tick);
};
function schedule(delay = 0): void {
  if (ticking) return;
  ticking = true;
  if (delay < 1) channel.port2.postMessage(0);
  else
    setTimeout(() => {
      ticking = false;
      guarded(tick);
    }, delay);
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

const running = (): boolean => state === "playing" || state === "seeking";
const over = (): boolean => state === "done" || state === "stuck" || state === "failed";

function setState(next: RunState): void {
  if (!running() && (next === "playing" || next === "seeking")) {
    pacing.restart(performance.now());
    frames.restartRate();
  }
  state = next;
  frames.wantsWhole();
}

function tell(sim: Simulation, { hash, answer, soFar }: { hash: string; answer: Answer; soFar: boolean }): void {
  if (soFar) sim.showSoFar({ [hash]: answer });
  else sim.tell({ [hash]: answer });
}

function stopAt(reason: Reason): void {
  if (reason === "stuck") {
    why = sim?.explainStuck() ?? "";
    setState("stuck");
  } else if (reason === "failed") {
    why = sim?.failure() ?? "";
    setState("failed");
  } else if (reason === "cycles" || reason === "kernels_done" || reason === "settled") {
    setState("done");
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
  const now = performance.now();
  if (running()) {
    if (toEvent) eventSlice(sim);
    else if (state === "seeking") seekSlice(sim);
    else playSlice(sim, now);
    note(sim);
    keep(sim, false);
    frames.hasNews();
  }
  offer();
  if (running()) {
    // At low speeds there is nothing to do until the next cycle is due.
    const wait = state === "playing" && !toEvent && pacing.speed < 200 ? Math.min(16, 1000 / pacing.speed) : 0;
    schedule(state === "playing" && !toEvent && pacing.speed < perMs * 900 ? Math.max(wait, 4) : 0);
  }
}

function playSlice(sim: Simulation, now: number): void {
  if (pacing.speed === Infinity) {
    const before = sim.cycle;
    stopAt(sim.advanceFor(SLICE));
    measure(sim.cycle - before, performance.now() - now);
    return;
  }
  let due = pacing.due(now);
  while (due >= 1 && state === "playing") {
    const before = sim.cycle;
    const t = performance.now();
    const reason = sim.advance(Math.max(1, Math.min(due, Math.floor(perMs * 2))));
    const ran = sim.cycle - before;
    due -= ran;
    pacing.ran(ran);
    measure(ran, performance.now() - t);
    stopAt(reason);
    if (performance.now() - now > SLICE) break;
    if (ran === 0) break;
  }
}

function measure(cycles: number, milliseconds: number): void {
  if (cycles > 50 && milliseconds > 0.2) perMs = Math.max(1, 0.8 * perMs + (0.2 * cycles) / milliseconds);
}

function eventSlice(sim: Simulation): void {
  const until = performance.now() + SLICE;
  while (performance.now() < until) {
    const reason = sim.advanceEvent(Math.min(EVENT_SLICE, target - sim.cycle));
    if (reason === "budget" && sim.cycle < target) continue;
    toEvent = false;
    event = reason === "event";
    setState("paused");
    stopAt(reason);
    return;
  }
}

function seekSlice(sim: Simulation): void {
  const until = performance.now() + SLICE;
  while (sim.cycle < target && performance.now() < until) {
    const before = sim.cycle;
    const t = performance.now();
    const reason = sim.advance(Math.max(1, Math.min(target - before, Math.floor(perMs * 3))));
    measure(sim.cycle - before, performance.now() - t);
    keep(sim, fromMoment && target - sim.cycle < perMs * LAST);
    if (reason !== "budget") {
      stopAt(reason);
      return;
    }
  }
  if (sim.cycle >= target) setState(afterSeek);
  else if (quiet && performance.now() - reachedAt > RESULT_GAP) {
    reachedAt = performance.now();
    send({ t: "reached", id, cycle: sim.cycle });
  }
}

/** Goes to a cycle, forwards or back, from the last moment before it. What the page knows of the run's later cycles stays true. */
function seek(cycle: number, after: RunState): void {
  if (!sim) return;
  setOut = performance.now();
  // Who has ended and rests there has still ended.
  const stays = over() && sim.cycle === cycle && after === "paused";
  const from = keyframes.before(cycle);
  fromMoment = false;
  if (from && (cycle < sim.cycle || from.cycle > sim.cycle)) {
    fromMoment = true;
    restore(sim, from.moment);
  }
  target = cycle;
  afterSeek = after;
  toEvent = false;
  if (!stays) why = "";
  setState(stays ? state : sim.cycle >= cycle ? after : "seeking");
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

// ---------------------------------------------------------------- in lock-step with another run

function goTo(message: Extract<ToWorker, { t: "goTo" }>): void {
  ({ ticket, full } = message);
  event = false;
  setOut = reachedAt = performance.now();
  frames.forget(false);
  if (!message.event) {
    seek(message.cycle, "paused");
    return;
  }
  target = message.cycle;
  toEvent = true;
  setState("seeking");
  schedule();
}

/** What is sent next is everything. */
function again(silent: boolean): void {
  quiet = silent;
  ticket = 0;
  toEvent = false;
  frames.forget(silent);
  fromStart();
  if (running()) setState("paused");
  frames.wantsWhole();
}

// ---------------------------------------------------------------- frames

/** The next frame brings all windows and decisions. */
function fromStart(): void {
  frames.fromStart();
  launches?.again();
}

/** Sends a frame if one is due. */
function offer(): void {
  if (!sim) return;
  const message = frames.next({
    sim,
    past,
    launches,
    running: running(),
    lockstep: quiet ? { full } : null,
    stands: { id, state, why, ticket, event },
    setOut,
  });
  if (message) send(message, [message.frame.buffer, message.windows.buffer]);
}

// ---------------------------------------------------------------- messages

/** Another run is built, which takes the place of the one before, or that one goes on to a later end. */
function take({ message, sim: next, memory, normal, hash, explained, aloneOf }: Built): void {
  quiet = false;
  ticket = 0;
  id = message.id;
  aloneKnown.clear();
  if (next === sim) longer = message.experiment;
  else begin(next, message, memory, explained);
  fresh();
  frames.forget(false);
  const layout = next.frameLayout();
  const windows = next.windowsLayout();
  frames.built(layout, windows);
  send({ t: "loaded", id, layout, windows, hash, normal, explained, alone: layout.kernels.map((_, k) => aloneOf(k)) });
  seek(message.seek, message.play ? "playing" : "paused");
}

function begin(next: Simulation, message: Built["message"], memory: Built["memory"], explained: unknown): void {
  sim?.free();
  sim = next;
  longer = null;
  altered = false;
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

function fresh(): void {
  fromStart();
  toEvent = false;
  why = "";
  frames.restartRate();
  state = "paused";
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
    case "drawn":
      if (frames.drawn(message.number)) offer();
      return;
    case "speed":
      pacing.speed = message.cyclesPerSecond > 0 ? message.cyclesPerSecond : 1;
      pacing.restart(performance.now());
      frames.restartRate();
      return;
    case "room":
      room = message.room;
      return;
    case "freshSeed":
      send({ t: "seed", id: message.id, seed: plain.freshSeed() });
      return;
    case "validate":
      loader.validate(message.id, message.text);
      return;
    case "stopProfiling":
      loader.giveUp();
      return;
    case "keep":
      loader.forget();
      // The page took no frame while it waited for another run.
      fromStart();
      frames.wantsWhole();
      offer();
      return;
  }
  if ((message.t === "play" || message.t === "reset") && loader.takeUp(message.t === "play" || message.play)) return;
  // Who asks is answered of the run that the page shows, also while the next one's profile is measured.
  if (!sim || (loader.pending && message.t !== "result")) return;
  switch (message.t) {
    case "play":
      toEvent = false;
      if (state === "paused" || state === "seeking") {
        setState("playing");
        schedule();
      }
      break;
    case "pause":
      toEvent = false;
      if (running()) setState("paused");
      break;
    case "step":
      if (over()) break;
      seek(sim.cycle + Math.max(1, Math.floor(message.cycles)), "paused");
      break;
    case "seek":
      seek(Math.max(0, Math.floor(message.cycle)), "paused");
      break;
    case "stepEvent":
      if (over()) break;
      toEvent = true;
      target = Infinity;
      setState("seeking");
      schedule();
      break;
    case "goTo":
      goTo(message);
      break;
    case "again":
      again(message.quiet);
      break;
    case "reset":
      seek(0, message.play ? "playing" : "paused");
      break;
    case "setAlone":
      if (message.id !== id) break;
      aloneKnown.set(message.kernel, message);
      tell(sim, message);
      if (state === "done" && !message.soFar) askOn(sim, message.kernel, message.hash);
      frames.wantsWhole();
      break;
    case "tellWhy":
      if (message.id !== id) break;
      sim.tellWhy(message.tried as Record<string, Tried[]>);
      send({ t: "whys", id, runs: sim.askLonger() });
      frames.wantsWhole();
      break;
    case "setControls":
      try {
        sim.setControls(message.controls);
      } catch (error) {
        const problems = problemsIn(error);
        if (!problems) throw error;
        send({ t: "refused", problems });
      }
      // From here on it is another run.
      altered = true;
      keyframes.clear();
      keyframes.add(sim.cycle, images.take());
      past = new EventLog([]);
      launches = launches && new LaunchLog([], 0);
      fromStart();
      // What was stuck, or whose script had failed, may go on now.
      if (state === "stuck" || state === "failed") {
        why = "";
        setState("paused");
      }
      frames.hasNews();
      break;
    case "result":
      send({ t: "result", id: message.id, result: sim.result() });
      break;
  }
  offer();
}

// The simulation's worker as the page hears it: it answers the messages of protocol.ts, and counts cycles in place of simulating. A worker of the Lab
// answers each run alone with the same. What it does is said
// by the policy's name: `bad` cannot run, `measured` has to know something first and knows it when the test says so, `stuck` is stuck at 3,000,
// `slow` has not come far when something else is asked of it, `crash` kills the worker when it plays.
import { kernelName } from "../src/model/choices.ts";
import type { FromLab, ToLab } from "../src/engine/lab/protocol.ts";
import type { FrameMessage, FromWorker, Loaded, PlannedAlone, ToWorker } from "../src/engine/protocol.ts";
import type { Answer, Catalogue, Experiment, RunState } from "../src/model/types.ts";
import shipped from "../src/model/answers.json" with { type: "json" };
import { VENDORS } from "./vendors.ts";

const STUCK = 3_000,
  CYCLES_A_MS = 50;
/** What the page reads of one whatever it shows. */
const CATALOGUE = {
  gpus: [],
  gpu_fields: [],
  policies: Object.entries(shipped.titles).map(([name, title]) => ({ name, title, params: [] })),
  vendors: VENDORS,
} as unknown as Catalogue;
const ALONE: Answer = { ipc: 2, warp_ipc: 1, noc_utilisation: 0, dram_utilisation: 0 } as never;
const policyOf = ({ policy }: Experiment): string => (policy as { name: string }).name;

const scheduled = (run: () => void): void => void setImmediate(run);

export class FakeWorker {
  static all: FakeWorker[] = [];
  /** Of runs, without those that measure kernels alone. */
  static get runs(): FakeWorker[] {
    return FakeWorker.all.filter(({ name, ended }) => name.startsWith("simulation ") && !ended);
  }
  /** Puts it, and what else the page's engine needs of a browser, in their places. */
  static install(): void {
    Object.assign(globalThis, {
      Worker: FakeWorker,
      requestAnimationFrame: (run: () => void) => scheduled(run),
      matchMedia: () => ({ matches: false }),
    });
    // Younger versions of Node have one, which cannot be assigned to.
    if (!("navigator" in globalThis)) Object.assign(globalThis, { navigator: { hardwareConcurrency: 2 } });
  }

  onmessage: ((event: { data: FromWorker | FromLab }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  readonly name: string;
  readonly heard: (ToWorker | ToLab)[] = [];
  /** Nobody ends it without a word. */
  addEventListener(): void {}
  ended = false;
  state: RunState = "paused";
  cycle = 0;
  experiment: Experiment | null = null;
  #id = 0;
  #waiting: Extract<ToWorker, { t: "load" }> | null = null;
  /** On a way that it does not get far on. */
  #under: Extract<ToWorker, { t: "goTo" }> | null = null;
  #dead = false;
  #took = 1;

  constructor(_url: URL, { name }: { name: string }) {
    this.name = name;
    FakeWorker.all.push(this);
  }
  terminate(): void {
    this.ended = true;
  }
  postMessage(message: ToWorker | ToLab): void {
    this.heard.push(message);
    scheduled(() => {
      if (!this.ended && !this.#dead) this.#hear(message);
    });
  }
  /** What was asked for, of one kind. */
  asked<T extends ToWorker["t"]>(t: T): Extract<ToWorker, { t: T }>[] {
    return this.heard.filter((one): one is Extract<ToWorker, { t: T }> => one.t === t);
  }
  /** Runs alone that workers of the Lab were asked for. */
  static get alone(): PlannedAlone[] {
    return FakeWorker.all.flatMap(({ heard }) =>
      heard.flatMap((one) => (one.t === "do" && one.work === "alone" ? [one.of] : [])),
    );
  }
  /** What its policy has to know is measured. */
  measured(): void {
    const load = this.#waiting;
    this.#waiting = null;
    if (load) this.#build(load);
  }
  /** Its run has ended: these are to run in their shares. */
  shares(...hashes: string[]): void {
    const experiment = this.experiment as Experiment;
    this.#say({ t: "shares", id: this.#id, runs: hashes.map((hash) => ({ hash, experiment })) });
  }

  #say(data: FromWorker | FromLab): void {
    scheduled(() => {
      if (!this.ended) this.onmessage?.({ data });
    });
  }
  #hear(message: ToWorker | ToLab): void {
    switch (message.t) {
      case "init":
        this.#say({ t: "ready", stamp: "1 a", catalogue: CATALOGUE });
        return;
      case "do":
        this.#say({ t: "gives", id: message.id, value: ALONE });
        return;
      case "load":
        this.#load(message);
        return;
      case "stopProfiling":
        if (!this.#waiting) return;
        this.#say({ t: "profilingStopped", id: this.#waiting.id });
        this.#waiting = null;
        return;
      case "keep":
        this.#waiting = null;
        return;
      case "result":
        this.#say({ t: "answer", id: message.id, value: this.#result() });
        return;
    }
    switch (message.t) {
      case "pause":
        if (this.#under) this.#frame(this.#under.ticket);
        return;
      case "goTo":
        this.#under = null;
        // It has come nowhere yet when something else is asked for.
        if (this.experiment && policyOf(this.experiment) === "slow" && message.cycle > this.cycle) {
          this.#under = message;
          this.#say({ t: "reached", id: this.#id, cycle: 0 });
          return;
        }
        this.#took = Math.max(1, Math.abs(message.cycle - this.cycle) / CYCLES_A_MS);
        this.#move(message.cycle);
        if (!this.#dead) this.#frame(message.ticket);
        return;
    }
  }

  #load(message: Extract<ToWorker, { t: "load" }>): void {
    const experiment = message.experiment as Experiment,
      { id } = message;
    this.#waiting = null;
    if (policyOf(experiment) === "bad") {
      this.#say({ t: "problems", id, problems: [{ path: "policy", found: "bad", want: "a policy" }] });
    } else if (policyOf(experiment) === "measured") {
      this.#waiting = message;
      this.#say({ t: "profiling", id, name: "one", done: 0, of: 2, part: 0 });
    } else this.#build(message);
  }
  #build({ id, experiment: given }: Extract<ToWorker, { t: "load" }>): void {
    const experiment = given as Experiment;
    this.#id = id;
    this.experiment = experiment;
    this.cycle = 0;
    this.state = "paused";
    const columns = ["start", "end"].map((key) => ({ key, kernel: null }));
    this.#say({
      t: "loaded",
      id,
      layout: { kernels: experiment.kernels.map(kernelName), sms: [{}, {}] },
      windows: { window: 100, columns },
      hash: JSON.stringify(experiment),
      normal: experiment,
      explained: {},
      alone: experiment.kernels.map((one) => ({ hash: `alone ${kernelName(one)}`, experiment })),
    } as unknown as Loaded);
  }

  #move(to: number): void {
    const policy = this.experiment && policyOf(this.experiment);
    if (policy === "crash" && to > 0) {
      this.#say({ t: "failed", message: "unreachable" });
      this.#dead = true;
      return;
    }
    this.cycle = policy === "stuck" ? Math.min(to, STUCK) : to;
    const { cycles: end = Infinity } = this.#stop;
    this.cycle = Math.min(this.cycle, end);
    if (policy === "stuck" && this.cycle === STUCK) this.state = "stuck";
    else if (this.cycle === end) this.state = "done";
    else if (this.state === "stuck" || this.state === "done") this.state = "paused";
  }
  get #stop(): { cycles?: number; kernels_done?: boolean } {
    return this.experiment?.stop ?? {};
  }
  #result(): never {
    const { kernels_done: done = false } = this.#stop,
      stop = this.state !== "done" ? "budget" : done ? "kernels_done" : "cycles";
    return {
      policy: policyOf(this.experiment as Experiment),
      stop,
      cycles: this.cycle,
      measured_from: 0,
      kernels: [],
      gpu: {},
    } as never;
  }
  #frame(ticket: number): void {
    this.#under = null;
    const message: Partial<FrameMessage> = {
      t: "frame",
      cycle: this.cycle,
      state: this.state,
      frame: new Uint32Array(),
      windows: new Float64Array(),
      restart: false,
      decisions: [],
      result: this.#result(),
      controls: null,
      past: null,
      launches: null,
      shares: null,
      held: null,
      shown: null,
      why: this.state === "stuck" ? "no warp can issue" : "",
      ticket,
      event: false,
      took: this.#took,
    };
    this.#say(message as FrameMessage);
  }
}

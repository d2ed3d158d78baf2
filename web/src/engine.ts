// The page's side of the engine: starts the workers, passes messages, holds back frames until they can be drawn.
import { compileModule } from "./module.ts";
import type { FromWorker, FrameMessage, Loaded, ToWorker } from "./protocol.ts";
import type { Catalogue, Controls, Experiment, Problem, Result } from "./types.ts";

export interface EngineEvents {
  loaded(message: Loaded): void;
  problems(problems: Problem[]): void;
  /** Called in an animation frame; the arrays are the receiver's. */
  frame(message: FrameMessage): void;
  /** IPC alone of a kernel; null with a reason when it cannot be measured. */
  alone(kernel: number, ipc: number | null, why: string): void;
  aloneProgress(kernel: number, done: number | null): void;
  /** What the policy has to know is being measured: the run under way, how many are done, and of how many. */
  profiling(name: string, done: number, of: number): void;
  profilingStopped(): void;
  refused(problems: Problem[]): void;
  /** A worker is dead. */
  failed(message: string): void;
}

export interface Ready { version: string; stamp: string; catalogue: Catalogue }

function spawn(name: string): Worker {
  // The bundler finds the worker by this very expression.
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name });
}

function start(worker: Worker, module: WebAssembly.Module): Promise<Ready> {
  return new Promise((ready, failed) => {
    worker.onerror = (event) => failed(new Error(event.message || "a worker could not start"));
    worker.onmessage = (event: MessageEvent<FromWorker>) => {
      if (event.data.t === "ready") ready(event.data);
      else if (event.data.t === "failed") failed(new Error(event.data.message));
    };
    worker.postMessage({ t: "init", module } satisfies ToWorker);
  });
}

/** What a kernel does alone: its IPC and the ends of its interval, or why there is none. */
type Alone = Pick<Extract<FromWorker, { t: "alone" }>, "ipc" | "ends" | "why">;

export class Engine {
  #module: WebAssembly.Module;
  #worker: Worker;
  #background: Promise<Worker> | null = null;
  #events: EngineEvents;
  #id = 0;
  #pending: FrameMessage | null = null;
  #asked = 0;
  #results = new Map<number, (result: Result) => void>();
  #validated = new Map<number, (problems: Problem[]) => void>();
  #seeds = new Map<number, (seed: number) => void>();
  #controls = new Map<number, (controls: Controls) => void>();
  /** IPC alone, by the experiment that measures it: a change of policy does not measure again. */
  #alone = new Map<string, Alone>();
  #speed = Infinity;

  private constructor(module: WebAssembly.Module, worker: Worker, events: EngineEvents) {
    this.#module = module;
    this.#worker = worker;
    this.#events = events;
    this.#listen(worker);
  }

  static async start(events: EngineEvents): Promise<{ engine: Engine; ready: Ready }> {
    const module = await compileModule();
    const worker = spawn("simulation");
    const ready = await start(worker, module);
    return { engine: new Engine(module, worker, events), ready };
  }

  /** After a failure: a new worker from the same module. */
  async restart(): Promise<void> {
    this.#worker.terminate();
    this.#pending = null;
    const worker = spawn("simulation");
    await start(worker, this.#module);
    this.#worker = worker;
    this.#listen(worker);
    this.speed(this.#speed);
  }

  #listen(worker: Worker): void {
    worker.onerror = (event) => this.#events.failed(event.message || "the simulation's worker stopped");
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.#receive(event.data);
  }

  #receive(message: FromWorker): void {
    switch (message.t) {
      case "loaded":
        if (message.id !== this.#id) return;
        this.#pending = null;
        this.#events.loaded(message);
        this.#measureAlone(message);
        return;
      case "problems": if (message.id === this.#id) this.#events.problems(message.problems); return;
      case "frame": {
        const first = this.#pending === null;
        this.#pending = message;
        if (first) requestAnimationFrame(() => this.#draw());
        return;
      }
      case "result": this.#results.get(message.id)?.(message.result); this.#results.delete(message.id); return;
      case "controls": this.#controls.get(message.id)?.(message.controls); this.#controls.delete(message.id); return;
      case "seed": this.#seeds.get(message.id)?.(message.seed); this.#seeds.delete(message.id); return;
      case "validated": this.#validated.get(message.id)?.(message.problems); this.#validated.delete(message.id); return;
      case "profiling": if (message.id === this.#id) this.#events.profiling(message.name, message.done, message.of); return;
      case "profilingStopped": if (message.id === this.#id) this.#events.profilingStopped(); return;
      case "refused": this.#events.refused(message.problems); return;
      case "failed": this.#events.failed(message.message); return;
      case "alone": this.#gotAlone(message); return;
      case "aloneProgress":
        if (message.id !== this.#id) return;
        for (const job of this.#waiting) if (job.key === message.key) this.#events.aloneProgress(job.kernel, message.done);
        return;
      case "ready": return;
    }
  }

  #draw(): void {
    const message = this.#pending;
    this.#pending = null;
    try {
      if (message && message.id === this.#id) this.#events.frame(message);
    } finally {
      this.#post({ t: "drawn" });
    }
  }

  #post(message: ToWorker): void { this.#worker.postMessage(message); }

  load(experiment: Experiment, play: boolean, seek = 0): void {
    this.#id += 1;
    this.#post({ t: "load", id: this.#id, experiment, play, seek });
  }
  stopProfiling(): void { this.#post({ t: "stopProfiling" }); }
  play(): void { this.#post({ t: "play" }); }
  pause(): void { this.#post({ t: "pause" }); }
  step(cycles = 1): void { this.#post({ t: "step", cycles }); }
  stepEvent(): void { this.#post({ t: "stepEvent" }); }
  seek(cycle: number): void { this.#post({ t: "seek", cycle }); }
  speed(cyclesPerSecond: number): void { this.#speed = cyclesPerSecond; this.#post({ t: "speed", cyclesPerSecond }); }
  reset(play: boolean): void { this.#post({ t: "reset", play }); }
  setControls(controls: Controls): void { this.#post({ t: "setControls", controls }); }
  result(): Promise<Result> {
    const id = ++this.#asked;
    return new Promise((done) => { this.#results.set(id, done); this.#post({ t: "result", id }); });
  }
  controls(): Promise<Controls> {
    const id = ++this.#asked;
    return new Promise((done) => { this.#controls.set(id, done); this.#post({ t: "controls", id }); });
  }

  validate(experiment: string | object): Promise<Problem[]> {
    const id = ++this.#asked;
    return new Promise((done) => { this.#validated.set(id, done); this.#post({ t: "validate", id, experiment }); });
  }
  freshSeed(): Promise<number> {
    const id = ++this.#asked;
    return new Promise((done) => { this.#seeds.set(id, done); this.#post({ t: "freshSeed", id }); });
  }

  // ---------------------------------------------------------------- IPC alone

  #measureAlone(loaded: Loaded): void {
    const jobs: { kernel: number; key: string; experiment: Experiment }[] = [];
    loaded.alone.forEach((experiment, kernel) => {
      const key = JSON.stringify(experiment);
      const known = this.#alone.get(key);
      if (known) this.#giveAlone(kernel, known);
      else jobs.push({ kernel, key, experiment });
    });
    // Kernels that are measured by the same experiment are measured once.
    const once = jobs.filter((job, i) => jobs.findIndex((other) => other.key === job.key) === i);
    this.#waiting = jobs;
    if (once.length === 0 && !this.#background) return;
    this.#background ??= (async () => {
      const worker = spawn("alone");
      await start(worker, this.#module);
      worker.onerror = (event) => this.#aloneFailed(event.message);
      worker.onmessage = (event: MessageEvent<FromWorker>) => {
        if (event.data.t === "failed") this.#aloneFailed(event.data.message);
        else this.#receive(event.data);
      };
      return worker;
    })();
    const id = loaded.id;
    this.#background.then(
      (worker) => { if (id === this.#id) worker.postMessage({ t: "alone", id, jobs: once } satisfies ToWorker); },
      (error: unknown) => this.#aloneFailed(String(error)),
    );
  }
  #waiting: { kernel: number; key: string }[] = [];

  #aloneFailed(message: string): void {
    this.#background?.then((worker) => worker.terminate(), () => undefined);
    this.#background = null;
    for (const job of this.#waiting) this.#events.alone(job.kernel, null, message || "its worker stopped");
    this.#waiting = [];
  }

  #gotAlone(message: Extract<FromWorker, { t: "alone" }>): void {
    const { ipc, ends, why } = message;
    this.#alone.set(message.key, { ipc, ends, why });
    if (message.id !== this.#id) return;
    for (const job of this.#waiting) if (job.key === message.key) this.#giveAlone(job.kernel, { ipc, ends, why });
    this.#waiting = this.#waiting.filter((job) => job.key !== message.key);
  }

  #giveAlone(kernel: number, { ipc, ends, why }: Alone): void {
    if (ipc !== null) this.#post({ t: "setAlone", id: this.#id, kernel, ipc, ends });
    this.#events.alone(kernel, ipc, why);
  }
}

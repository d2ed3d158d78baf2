// The page's side of the engine: one run, or two that are compared, behind one transport; and what is measured for them.
import { Alone } from "./alone.ts";
import { Answers, readAnswer } from "./answers.ts";
import type { Loaded } from "./protocol.ts";
import { tabBudget } from "./memory-budget.ts";
import { Run, type Ready, type RunEvents } from "./run-handle.ts";
import type { Experiment, Problem, Result } from "../model/types.ts";
import { Transport, type Heard } from "./transport.ts";
import { Whys } from "./whys.ts";
import type { Asking } from "../model/model.ts";

export type { Ready } from "./run-handle.ts";

/** `side`: 0 for the first run, A; 1 for the second, B. */
export interface EngineEvents extends Heard {
  loaded(side: number, message: Loaded): void;
  problems(side: number, problems: Problem[]): void;
  alone(side: number, kernel: number, ipc: number | null, why: string): void;
  aloneProgress(side: number, kernel: number, done: number | null): void;
  /** What the policy has to know is being measured: the run under way, how many are done, of how many, and how much of this one is. */
  profiling(side: number, name: string, done: number, of: number, part: number): void;
  profilingStopped(side: number): void;
  /** How far the runs are that tell why kernels suffer; null where nothing is asked, or all is told. */
  why(side: number, asking: Asking | null): void;
  /** A worker is dead. */
  failed(message: string): void;
}

export class Engine {
  readonly module: WebAssembly.Module;
  readonly #events: EngineEvents;
  readonly #alone: Alone;
  readonly #whys: Whys;
  #runs: Run[] = [];
  /** What the second run is to be, while its worker starts; null where none does, or it has been called off. */
  #second: Experiment | null = null;
  readonly #transport: Transport;

  private constructor(module: WebAssembly.Module, events: EngineEvents) {
    this.module = module;
    this.#events = events;
    this.#transport = new Transport(events);
    this.#alone = new Alone(module, {
      alone: (run, kernel, ipc, why) => {
        if (kernel >= 0) events.alone(this.#side(run), kernel, ipc, why);
        if (ipc !== null) this.#transport.refresh();
      },
      aloneProgress: (run, kernel, done) => {
        if (kernel >= 0) events.aloneProgress(this.#side(run), kernel, done);
      },
    });
    this.#whys = new Whys(module, (run, asking) => {
      if (this.#runs.includes(run)) events.why(this.#side(run), asking);
      if (asking === null) this.#transport.refresh();
    });
  }

  /** `shipped`: what the page brings along of runs alone, for an engine. */
  static async start(
    module: WebAssembly.Module,
    shipped: (stamp: string) => Promise<Readonly<Record<string, unknown>>>,
    events: EngineEvents,
  ): Promise<{ engine: Engine; ready: Ready }> {
    const engine = new Engine(module, events);
    const { run, ready } = await Run.start(engine.module, engine.#heard);
    engine.#runs = [run];
    engine.#share();
    engine.#alone.answers = new Answers(ready.stamp, readAnswer, shipped);
    engine.#whys.stamp = ready.stamp;
    return { engine, ready };
  }

  readonly #heard: RunEvents = {
    loaded: (run, message) => {
      this.#events.loaded(this.#side(run), message);
      this.#alone.want(run, message);
      if (this.#built) this.#transport.begin(this.#runs);
    },
    problems: (run, problems) => {
      this.#events.problems(this.#side(run), problems);
      if (this.#built) this.#transport.stay(this.#runs);
    },
    reached: (run, cycle) => {
      this.#transport.reached(run, cycle);
    },
    profiling: (run, name, done, of, part) => {
      this.#events.profiling(this.#side(run), name, done, of, part);
    },
    profilingStopped: (run) => {
      this.#events.profilingStopped(this.#side(run));
    },
    shares: (run, runs) => {
      this.#alone.share(run, runs);
    },
    whys: (run, runs) => {
      this.#whys.want(run, runs);
    },
    failed: (message) => {
      this.#transport.part(0, false);
      this.#events.failed(message);
    },
  };
  get #built(): boolean {
    return this.#second === null && this.#runs.every((run) => run.loaded);
  }
  #side(run: Run): number {
    return this.#runs.indexOf(run);
  }
  get #first(): Run {
    return this.#runs[0] as Run;
  }

  /** What a tab may take is for all runs. */
  #share(): void {
    const { memory, file } = tabBudget(),
      { length } = this.#runs;
    for (const run of this.#runs) run.post({ t: "room", room: { memory: memory / length, file: file / length } });
  }

  /** After a failure: new workers from the same module. */
  async restart(): Promise<void> {
    for (const run of this.#runs) await run.restart();
    this.#share();
  }

  // ---------------------------------------------------------------- which runs

  /** Builds another simulation for a side, of which there may be none yet. Once all are built, they go to cycle `seek`. */
  load(side: number, experiment: Experiment, play: boolean, seek = 0): void {
    const run = this.#runs[side];
    this.#transport.part(seek, play);
    if (run) {
      this.#forget(run);
      run.load(experiment);
    } else {
      const starts = this.#second !== null;
      this.#second = experiment;
      if (!starts) void this.#beside();
    }
  }
  /** A worker for the second run. */
  async #beside(): Promise<void> {
    const { run } = await Run.start(this.module, this.#heard),
      second = this.#second;
    this.#second = null;
    if (second === null) {
      run.end();
      return;
    }
    this.#runs.push(run);
    this.#share();
    run.load(second);
  }

  /** One of the two goes on alone. */
  only(side: number): void {
    const kept = this.#runs[side] ?? this.#first;
    this.#second = null;
    for (const run of this.#runs)
      if (run !== kept) {
        this.#forget(run);
        run.end();
      }
    this.#runs = [kept];
    this.#share();
    if (this.#built) this.#transport.begin(this.#runs);
  }

  /** What is measured for a run is not wanted any more. */
  #forget(run: Run): void {
    this.#alone.forget(run);
    this.#whys.forget(run);
  }

  /** What was to be built is called off; what was built goes on, at rest. */
  keep(): void {
    for (const run of this.#runs) {
      run.keep();
      if (run.loaded) this.#alone.want(run, run.loaded);
    }
    this.#transport.stay(this.#runs);
  }

  // ---------------------------------------------------------------- the transport

  stopProfiling(): void {
    for (const run of this.#runs) run.post({ t: "stopProfiling" });
  }
  /** The runs that tell why are stopped, or go on. */
  stopWhy(stopped: boolean): void {
    this.#whys.stop(stopped);
  }
  play(): void {
    this.#transport.play();
  }
  pause(): void {
    this.#transport.pause();
  }
  step(): void {
    this.#transport.step();
  }
  stepEvent(): void {
    this.#transport.event();
  }
  seek(cycle: number, plays = false): void {
    this.#transport.to(cycle, plays);
  }
  speed(cyclesPerSecond: number): void {
    this.#transport.speed = cyclesPerSecond;
  }

  result(side: number): Promise<Result> {
    return (this.#runs[side] as Run).result();
  }
  validate(experiment: string | object): Promise<Problem[]> {
    return this.#first.validate(experiment);
  }
  freshSeed(): Promise<number> {
    return this.#first.freshSeed();
  }
}

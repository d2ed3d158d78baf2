// The page's side of the engine: one run, or two that are compared, behind one transport. A run that is alone goes by itself, and its frames are
// held back until they can be drawn; two go in lock-step, and are drawn when both are at the same cycle.
import { Alone } from "./alone.ts";
import { Answers, readAnswer } from "./answers.ts";
import { Lockstep } from "./lockstep.ts";
import type { FrameMessage, Loaded, RunState } from "./protocol.ts";
import { tabBudget } from "./memory-budget.ts";
import { Run, type Ready, type RunEvents } from "./run-handle.ts";
import type { Controls, Experiment, Problem, Result } from "../model/types.ts";
import { Whys } from "./whys.ts";
import type { Asking } from "../model/model.ts";

export type { Ready } from "./run-handle.ts";

/** `side`: 0 for the first run, A; 1 for the second, B. */
export interface EngineEvents {
  loaded(side: number, message: Loaded): void;
  problems(side: number, problems: Problem[]): void;
  /** Called in an animation frame, with a frame of each run; all are of one cycle. The arrays are the receiver's. */
  frames(frames: FrameMessage[], state: RunState, rate: number): void;
  /** On a long way, on which nothing is drawn. */
  underWay(cycle: number): void;
  alone(side: number, kernel: number, ipc: number | null, why: string): void;
  aloneProgress(side: number, kernel: number, done: number | null): void;
  /** What the policy has to know is being measured: the run under way, how many are done, of how many, and how much of this one is. */
  profiling(side: number, name: string, done: number, of: number, part: number): void;
  profilingStopped(side: number): void;
  /** How far the runs are that tell why kernels suffer; null where nothing is asked, or all is told. */
  why(side: number, asking: Asking | null): void;
  refused(problems: Problem[]): void;
  /** A worker is dead. */
  failed(message: string): void;
}

export class Engine {
  readonly module: WebAssembly.Module;
  readonly #events: EngineEvents;
  readonly #alone: Alone;
  readonly #whys: Whys;
  #runs: Run[] = [];
  #lock: Lockstep | null = null;
  /** Where two runs are to meet when both are built, and what then. */
  #meeting: { cycle: number; after: "rest" | "play" } = { cycle: 0, after: "rest" };
  /** Where they were before that. */
  #before: { cycle: number; after: "rest" | "play" } = { cycle: 0, after: "rest" };
  #pending: FrameMessage | null = null;
  #speed = Infinity;

  private constructor(module: WebAssembly.Module, events: EngineEvents) {
    this.module = module;
    this.#events = events;
    this.#alone = new Alone(module, {
      alone: (run, kernel, ipc, why) => {
        if (kernel >= 0) events.alone(this.#side(run), kernel, ipc, why);
        if (ipc !== null) this.#lock?.refresh();
      },
      aloneProgress: (run, kernel, done) => {
        if (kernel >= 0) events.aloneProgress(this.#side(run), kernel, done);
      },
    });
    this.#whys = new Whys(module, (run, asking) => {
      if (this.#runs.includes(run)) events.why(this.#side(run), asking);
      if (asking === null) this.#lock?.refresh();
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
      if (this.#runs.length > 1 && this.#runs.every((one) => one.loaded)) this.#meet();
    },
    problems: (run, problems) => {
      this.#events.problems(this.#side(run), problems);
      if (this.#runs.length > 1 && this.#runs.every((one) => one.loaded)) {
        this.#meeting = this.#before;
        this.#meet();
      }
    },
    frame: (run, message) => {
      this.#hold(run, message);
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
    refused: (problems) => {
      this.#events.refused(problems);
    },
    failed: (message) => {
      this.#lock?.end();
      this.#events.failed(message);
    },
  };
  #side(run: Run): number {
    return this.#runs.indexOf(run);
  }
  #run(side: number): Run {
    return this.#runs[side] as Run;
  }

  /** What a tab may take is for all runs. */
  #share(): void {
    const { memory, file } = tabBudget(),
      { length } = this.#runs;
    for (const run of this.#runs) run.post({ t: "room", room: { memory: memory / length, file: file / length } });
  }

  /** After a failure: new workers from the same module. */
  async restart(): Promise<void> {
    this.#pending = null;
    for (const run of this.#runs) await run.restart();
    this.#share();
    this.speed(this.#speed);
  }

  // ---------------------------------------------------------------- frames

  /** Of a run that goes by itself: drawn in the next animation frame, and then it may send another one. */
  #hold(run: Run, message: FrameMessage): void {
    if (this.#runs.length > 1 || this.#lock) return;
    const first = this.#pending === null;
    this.#pending = message;
    if (first)
      requestAnimationFrame(() => {
        const held = this.#pending;
        this.#pending = null;
        try {
          if (held && held.id === run.id && this.#runs.length === 1) this.#events.frames([held], held.state, held.rate);
        } finally {
          run.drawn(held ?? message);
        }
      });
  }

  // ---------------------------------------------------------------- which runs

  /** What the second run is to be, while its worker starts; null when it has been called off. */
  #second: { experiment: Experiment; play: boolean; seek: number } | null = null;

  /** Builds another simulation for a side. Of two runs, both are then at cycle `seek`. */
  load(side: number, experiment: Experiment, play: boolean, seek = 0): void {
    if (side >= this.#runs.length) {
      this.#second = { experiment, play, seek };
      return;
    }
    const run = this.#run(side),
      two = this.#runs.length > 1;
    this.#forget(run);
    if (two) {
      if (this.#lock) this.#before = { cycle: this.#lock.cycle, after: "rest" };
      this.#part();
      this.#meeting = { cycle: seek, after: play ? "play" : "rest" };
    }
    run.load(experiment, play && !two, two ? 0 : seek);
  }

  /** A second run beside the first. */
  async compare(experiment: Experiment, play: boolean, seek = 0): Promise<void> {
    const starting = this.#second !== null;
    this.#second = { experiment, play, seek };
    if (this.#runs.length === 1) {
      if (starting) return;
      this.#run(0).post({ t: "pause" });
      const { run } = await Run.start(this.module, this.#heard);
      if (this.#second === null) {
        run.end();
        return;
      }
      this.#runs.push(run);
      this.#share();
    }
    const second = this.#second;
    this.#second = null;
    this.load(1, second.experiment, second.play, second.seek);
  }

  /** One of the two goes on alone. */
  only(side: number): void {
    const kept = this.#run(Math.min(side, this.#runs.length - 1)),
      playing = this.#lock?.running ?? false;
    this.#second = null;
    this.#part();
    for (const run of this.#runs)
      if (run !== kept) {
        this.#forget(run);
        run.end();
      }
    this.#runs = [kept];
    this.#share();
    this.#pending = null;
    kept.post({ t: "again", quiet: false });
    this.speed(this.#speed);
    if (playing) kept.post({ t: "play" });
  }

  /** What is measured for a run is not wanted any more. */
  #forget(run: Run): void {
    this.#alone.forget(run);
    this.#whys.forget(run);
  }

  #part(): void {
    this.#lock?.end();
    this.#lock = null;
  }

  /** Both runs are built. */
  #meet(): void {
    this.#part();
    this.#pending = null;
    const lock = new Lockstep(
      this.#runs,
      (frames, state, rate) =>
        new Promise((drawn) =>
          requestAnimationFrame(() => {
            try {
              if (this.#lock === lock) this.#events.frames(frames, state, rate);
            } finally {
              drawn();
            }
          }),
        ),
    );
    for (const run of this.#runs) {
      run.post({ t: "again", quiet: true });
      run.reached = (cycle) => {
        if (this.#lock === lock) this.#events.underWay(cycle);
      };
    }
    this.#lock = lock;
    lock.speed = this.#speed;
    lock.to(this.#meeting.cycle, this.#meeting.after);
  }

  // ---------------------------------------------------------------- the transport

  /** The runs are not both built yet: what is told now holds from then on. */
  get #waiting(): boolean {
    return this.#runs.length > 1 && this.#lock === null;
  }

  /** What was to be built is called off; what was built goes on, at rest. */
  keep(): void {
    for (const run of this.#runs) {
      run.keep();
      if (run.loaded) this.#alone.want(run, run.loaded);
    }
    if (this.#runs.length > 1) {
      this.#meeting = this.#before;
      this.#meet();
    }
  }

  stopProfiling(): void {
    for (const run of this.#runs) run.post({ t: "stopProfiling" });
  }
  /** The runs that tell why are stopped, or go on. */
  stopWhy(stopped: boolean): void {
    this.#whys.stop(stopped);
  }
  play(): void {
    if (this.#lock) this.#lock.play();
    else if (this.#waiting) this.#meeting.after = "play";
    else this.#run(0).post({ t: "play" });
  }
  pause(): void {
    if (this.#lock) this.#lock.pause();
    else if (this.#waiting) this.#meeting.after = "rest";
    else this.#run(0).post({ t: "pause" });
  }
  step(cycles = 1): void {
    if (this.#lock) this.#lock.to(this.#lock.cycle + cycles);
    else if (!this.#waiting) this.#run(0).post({ t: "step", cycles });
  }
  stepEvent(): void {
    if (this.#lock) this.#lock.event();
    else if (!this.#waiting) this.#run(0).post({ t: "stepEvent" });
  }
  seek(cycle: number): void {
    if (this.#lock) this.#lock.to(cycle);
    else if (!this.#waiting) this.#run(0).post({ t: "seek", cycle });
  }
  reset(play: boolean): void {
    if (this.#lock) this.#lock.to(0, play ? "play" : "rest");
    else if (this.#waiting) this.#meeting = { cycle: 0, after: play ? "play" : "rest" };
    else this.#run(0).post({ t: "reset", play });
  }
  speed(cyclesPerSecond: number): void {
    this.#speed = cyclesPerSecond;
    if (this.#lock) this.#lock.speed = cyclesPerSecond;
    else for (const run of this.#runs) run.post({ t: "speed", cyclesPerSecond });
  }

  setControls(side: number, controls: Controls): void {
    this.#run(side).post({ t: "setControls", controls });
    this.#lock?.refresh();
  }
  result(side: number): Promise<Result> {
    return this.#run(side).result();
  }
  validate(experiment: string | object): Promise<Problem[]> {
    return this.#run(0).validate(experiment);
  }
  freshSeed(): Promise<number> {
    return this.#run(0).freshSeed();
  }
}

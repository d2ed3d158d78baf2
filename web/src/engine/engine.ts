// The page's side of the engine: one run, or two that are compared, behind one transport; and what is measured for them.
import { Alone } from "./alone.ts";
import { Answers } from "./answers.ts";
import type { FromWorker } from "./protocol.ts";
import { tabBudget } from "./memory-budget.ts";
import { Run, type Ready } from "./run-handle.ts";
import { errorText } from "../model/format.ts";
import type { Answer, Experiment, Problem, Result } from "../model/types.ts";
import { Transport } from "./transport.ts";
import { Whys } from "./whys.ts";
import type { Tell } from "../model/session.ts";

export type { Ready } from "./run-handle.ts";

export class Engine {
  readonly module: WebAssembly.Module;
  readonly #tell: Tell;
  readonly #alone: Alone;
  readonly #whys: Whys;
  #runs: Run[] = [];
  /** What the second run is to be, while its worker starts; null where none does, or it has been called off. */
  #second: Experiment | null = null;
  /** Its worker, where that was started with the first one. */
  #spare: ReturnType<typeof Run.start> | null = null;
  readonly transport: Transport;

  private constructor(module: WebAssembly.Module, tell: Tell) {
    this.module = module;
    this.#tell = tell;
    this.transport = new Transport(tell);
    this.#alone = new Alone(module, {
      alone: (run, kernel, ipc, why) => {
        if (kernel >= 0) tell("alone", this.#side(run), kernel, ipc, why);
        if (ipc !== null) this.transport.refresh();
      },
      aloneProgress: (run, kernel, done) => {
        if (kernel >= 0) tell("aloneProgress", this.#side(run), kernel, done);
      },
    });
    this.#whys = new Whys(module, (run, asking) => {
      if (this.#runs.includes(run)) tell("why", this.#side(run), asking);
      if (asking === null) this.transport.refresh();
    });
  }

  /** `shipped`: what the page brings along of runs alone, for an engine. `two`: there will be a second run, whose worker starts at the same time. */
  static async start(
    module: WebAssembly.Module,
    shipped: (stamp: string) => Promise<Readonly<Record<string, Answer>>>,
    tell: Tell,
    two: boolean,
  ): Promise<{ engine: Engine; ready: Ready }> {
    const engine = new Engine(module, tell);
    if (two) {
      engine.#spare = Run.start(module, engine.#heard);
      // Who needs it hears that it could not start.
      engine.#spare.catch(() => undefined);
    }
    const { run, ready } = await Run.start(engine.module, engine.#heard);
    engine.#runs = [run];
    engine.#share();
    engine.#alone.answers = new Answers<Answer>(ready.stamp, shipped);
    engine.#whys.stamp = ready.stamp;
    return { engine, ready };
  }

  readonly #heard = (run: Run, message: FromWorker): void => {
    const side = this.#runs.indexOf(run);
    switch (message.t) {
      case "loaded":
        this.#tell("loaded", side, message);
        this.#alone.want(run, message);
        if (this.#built) this.transport.begin(this.#runs);
        return;
      case "problems":
        this.#tell("problems", side, message.problems);
        if (this.#built) this.transport.stay(this.#runs);
        return;
      case "reached":
        this.transport.reached(run, message.cycle);
        return;
      case "profiling":
        this.#tell("profiling", side, message.name, message.done, message.of, message.part);
        return;
      case "profilingStopped":
        this.#tell("profilingStopped", side);
        return;
      case "shares":
        this.#alone.share(run, message.runs);
        return;
      case "whys":
        this.#whys.want(run, message.runs);
        return;
      case "failed":
        this.transport.part(0, false);
        this.#tell("failed", message.message);
        return;
    }
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
    this.transport.part(seek, play);
    if (run) {
      this.#forget(run);
      run.load(experiment);
    } else {
      const starts = this.#second !== null;
      this.#second = experiment;
      if (!starts) this.#beside().catch((error: unknown) => this.#tell("failed", errorText(error)));
    }
  }
  /** A worker for the second run. */
  async #beside(): Promise<void> {
    const started = this.#spare ?? Run.start(this.module, this.#heard);
    this.#spare = null;
    const { run } = await started,
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
    if (this.#built) this.transport.begin(this.#runs);
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
    this.transport.stay(this.#runs);
  }

  stopProfiling(): void {
    for (const run of this.#runs) run.post({ t: "stopProfiling" });
  }
  /** The runs that tell why are stopped, or go on. */
  stopWhy(stopped: boolean): void {
    this.#whys.stop(stopped);
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

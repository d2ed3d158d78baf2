// One run, as the page has it: a worker with one simulation. The page has one run, or two that are compared.
import { ownName, watched } from "./life.ts";
import type { FrameMessage, FromWorker, Loaded, ToWorker } from "./protocol.ts";
import type { Catalogue, Experiment, Answer, Problem, Result, Tried } from "../model/types.ts";

export interface Ready {
  stamp: string;
  catalogue: Catalogue;
}

function spawn(of: string): Worker {
  const name = ownName(of);
  // The bundler finds the worker by this very expression.
  return watched(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name }), name);
}

/** Hands a worker the module, and waits until it is ready. `keeps`: it keeps moments of its run. */
export function begin(worker: Worker, module: WebAssembly.Module, keeps: boolean): Promise<Ready> {
  return new Promise((ready, failed) => {
    worker.onerror = (event) => failed(new Error(event.message || "a worker could not start"));
    worker.onmessage = (event: MessageEvent<FromWorker>) => {
      if (event.data.t === "ready") ready(event.data);
      else if (event.data.t === "failed") failed(new Error(event.data.message));
    };
    worker.postMessage({ t: "init", module, keeps } satisfies ToWorker);
  });
}

/** What is for those who have the run. */
type Heard = (run: Run, message: FromWorker) => void;

export class Run {
  readonly #module: WebAssembly.Module;
  readonly #heard: Heard;
  #worker: Worker;
  /** Loads that were asked for. */
  #asked = 0;
  /** What the worker has built: the load's number, and what it said. */
  #built: Loaded | null = null;
  /** It is to build another one. */
  #waits = false;
  #ticket = 0;
  #questions = 0;
  readonly #answers = new Map<number, (value: never) => void>();
  #arrived: ((message: FrameMessage | null) => void) | null = null;

  private constructor(module: WebAssembly.Module, worker: Worker, heard: Heard) {
    this.#module = module;
    this.#worker = worker;
    this.#heard = heard;
    this.#listen();
  }

  static async start(module: WebAssembly.Module, heard: Heard): Promise<{ run: Run; ready: Ready }> {
    const worker = spawn("simulation");
    const ready = await begin(worker, module, true);
    return { run: new Run(module, worker, heard), ready };
  }

  /** After a failure: a new worker from the same module. */
  async restart(): Promise<void> {
    this.end();
    this.#built = null;
    const worker = spawn("simulation");
    await begin(worker, this.#module, true);
    this.#worker = worker;
    this.#listen();
  }

  end(): void {
    this.#worker.terminate();
    this.#arrive(null);
  }

  #listen(): void {
    this.#worker.onerror = ({ message }) =>
      this.#heard(this, { t: "failed", message: message || "the simulation's worker stopped" });
    this.#worker.onmessage = (event: MessageEvent<FromWorker>) => this.#receive(event.data);
  }

  #receive(message: FromWorker): void {
    switch (message.t) {
      case "frame":
        if (message.ticket === this.#ticket) this.#arrive(message);
        return;
      case "answer":
        (this.#answers.get(message.id) as ((value: unknown) => void) | undefined)?.(message.value);
        this.#answers.delete(message.id);
        return;
      case "shares":
      case "whys":
        if (message.id !== this.id) return;
        break;
      case "loaded":
      case "problems":
      case "profiling":
      case "profilingStopped":
        if (message.id !== this.#asked) return;
    }
    if (message.t === "loaded") {
      this.#built = message;
      this.#waits = false;
    }
    // What was built before stays.
    if (message.t === "problems") this.keep();
    this.#heard(this, message);
  }

  post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  /** What the worker has built; null before, and while it builds another one. */
  get loaded(): Loaded | null {
    return this.#waits ? null : this.#built;
  }
  get id(): number {
    return this.loaded?.id ?? 0;
  }

  load(experiment: Experiment): void {
    this.#asked += 1;
    this.#waits = true;
    this.#arrive(null);
    this.post({ t: "load", id: this.#asked, experiment });
  }

  /** What is built stays; what was to be built is called off. */
  keep(): void {
    this.#asked += 1;
    this.#waits = false;
    this.post({ t: "keep" });
  }

  setAlone(kernel: number, hash: string, answer: Answer, soFar: boolean): void {
    this.post({ t: "setAlone", id: this.id, kernel, hash, answer, soFar });
  }

  tellWhy(tried: Record<string, readonly Tried[]>): void {
    this.post({ t: "tellWhy", id: this.id, tried });
  }

  // ---------------------------------------------------------------- questions

  #ask<T>(message: (id: number) => ToWorker): Promise<T> {
    const id = ++this.#questions;
    return new Promise((done) => {
      this.#answers.set(id, done);
      this.post(message(id));
    });
  }

  result(): Promise<Result> {
    return this.#ask((id) => ({ t: "result", id }));
  }
  validate(experiment: string | object): Promise<Problem[]> {
    // As a text: Chromium copies half a million numbers in 80 ms, and writes and copies their text in 13.
    const text = typeof experiment === "string" ? experiment : JSON.stringify(experiment);
    return this.#ask((id) => ({ t: "validate", id, text }));
  }
  freshSeed(): Promise<number> {
    return this.#ask((id) => ({ t: "freshSeed", id }));
  }

  // ---------------------------------------------------------------- for the transport

  /** What comes next is everything: who shows it has forgotten what was before. */
  again(): void {
    this.post({ t: "again" });
  }
  /** Goes to a cycle and says what is there; null where another experiment has taken its place meanwhile. */
  goTo(cycle: number, event: boolean, full: boolean): Promise<FrameMessage | null> {
    this.#arrive(null);
    return new Promise((arrived) => {
      this.#arrived = arrived;
      this.post({ t: "goTo", ticket: ++this.#ticket, cycle, event, full });
    });
  }
  /** Where it is on its way, it has arrived. */
  halt(): void {
    this.post({ t: "pause" });
  }

  #arrive(message: FrameMessage | null): void {
    const arrived = this.#arrived;
    this.#arrived = null;
    arrived?.(message);
  }
}

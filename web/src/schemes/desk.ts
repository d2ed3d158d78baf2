// Asks the engine what needs no run: its catalogue, what is wrong with an experiment, what it makes of one.
import type { Catalogue, Experiment, Problem } from "../types.ts";
import type { Laid } from "../predict/predictor.ts";
import type { FromDesk, Question, ToDesk } from "./worker.ts";

export class Desk {
  readonly catalogue: Catalogue;
  readonly stamp: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #asked = 0;

  private constructor(worker: Worker, catalogue: Catalogue, stamp: string) {
    this.#worker = worker;
    this.catalogue = catalogue;
    this.stamp = stamp;
    worker.onmessage = ({ data }: MessageEvent<FromDesk>) => {
      if (data.t !== "answer") return;
      this.#waiting.get(data.id)?.(data.answer);
      this.#waiting.delete(data.id);
    };
  }

  static open(module: WebAssembly.Module): Promise<Desk> {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "schemes" });
    return new Promise((opened, failed) => {
      worker.onerror = (event) => failed(new Error(event.message || "its worker stopped"));
      worker.onmessage = ({ data }: MessageEvent<FromDesk>) => {
        if (data.t === "ready") opened(new Desk(worker, data.catalogue, data.stamp));
      };
      worker.postMessage({ t: "init", module } satisfies ToDesk);
    });
  }

  #ask(what: Question, experiment: object): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ t: "ask", id, what, experiment } satisfies ToDesk);
    });
  }

  validate(experiment: object): Promise<Problem[]> {
    return this.#ask("validate", experiment) as Promise<Problem[]>;
  }

  /** Null for one that is wrong. */
  explain(experiment: Experiment): Promise<unknown> {
    return this.#ask("explain", experiment);
  }

  /** What is read of a simulation before it runs; null for one that is wrong. */
  lay(experiment: Experiment): Promise<Laid | null> {
    return this.#ask("lay", experiment) as Promise<Laid | null>;
  }
}

// Asks the engine what needs no run: its catalogue, what is wrong with an experiment, what it makes of one, or of a GPU that was measured.
import type { Reader } from "../silicon/model.ts";
import type { Catalogue, Experiment, Problem } from "../types.ts";
import { problemText } from "../format.ts";
import { ownName, watched } from "../life.ts";
import type { Laid } from "../predict/predictor.ts";
import type { FromDesk, OfMeasured, Question, ToDesk } from "./worker.ts";

export class QueryWorker {
  readonly catalogue: Catalogue;
  readonly stamp: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: FromDesk & { t: "answer" }) => void>();
  #asked = 0;

  private constructor(worker: Worker, catalogue: Catalogue, stamp: string) {
    this.#worker = worker;
    this.catalogue = catalogue;
    this.stamp = stamp;
    worker.onmessage = ({ data }: MessageEvent<FromDesk>) => {
      if (data.t !== "answer") return;
      this.#waiting.get(data.id)?.(data);
      this.#waiting.delete(data.id);
    };
  }

  static open(module: WebAssembly.Module): Promise<QueryWorker> {
    const name = ownName("schemes"),
      worker = watched(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name }), name);
    return new Promise((opened, failed) => {
      worker.onerror = (event) => failed(new Error(event.message || "its worker stopped"));
      worker.onmessage = ({ data }: MessageEvent<FromDesk>) => {
        if (data.t === "ready") opened(new QueryWorker(worker, data.catalogue, data.stamp));
      };
      worker.postMessage({ t: "init", module } satisfies ToDesk);
    });
  }

  /** It answers nobody any more. */
  close(): void {
    this.#worker.terminate();
  }

  #say(what: Question, of: object): Promise<FromDesk & { t: "answer" }> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ t: "ask", id, what, of } satisfies ToDesk);
    });
  }
  async #ask(what: Question, of: object): Promise<unknown> {
    return (await this.#say(what, of)).answer;
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

  /** Of what a GPU measured. What is wrong with the text is thrown as `problems`. */
  silicon(text: string): Reader {
    const ask = async <T, Q extends keyof OfMeasured>(what: Q, of: Omit<OfMeasured[Q], "text">): Promise<T> => {
      const { answer, problems } = await this.#say(what, { text, ...of });
      if (answer === null) throw Object.assign(new Error(problems.map(problemText).join("; ")), { problems });
      return answer as T;
    };
    return {
      read: (scale, ipcs) => ask("silicon", { scale, ipcs }),
      sweep: (gpu, scale) => ask("siliconSweep", { gpu, scale }),
    };
  }
}

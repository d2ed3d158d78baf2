// Asks the engine what needs no run: its catalogue, what is wrong with an experiment, what it makes of one, or of a GPU that was measured.
import { Lab } from "../engine/lab/lab.ts";
import type { Reader } from "./model.ts";
import type { OraclePolicies } from "../engine/lab/sweep.ts";
import type { Catalogue, Experiment, Problem } from "../model/types.ts";

export class QueryWorker {
  readonly catalogue: Catalogue;
  readonly #lab: Lab;

  private constructor(lab: Lab, catalogue: Catalogue) {
    this.#lab = lab;
    this.catalogue = catalogue;
  }

  static async open(module: WebAssembly.Module): Promise<QueryWorker> {
    const lab = new Lab(module, "questions");
    return new QueryWorker(lab, await lab.ask("catalogue", null).ended);
  }

  get stamp(): string {
    return this.#lab.stamp;
  }

  /** It answers nobody any more. */
  close(): void {
    this.#lab.end();
  }

  validate(experiment: object): Promise<Problem[]> {
    return this.#lab.ask("validate", experiment).ended;
  }

  /** Null for one that is wrong. */
  explain(experiment: Experiment): Promise<unknown> {
    return this.#lab.ask("explain", experiment).ended;
  }

  /** What the oracles try on a mix. */
  oraclePolicies(experiment: Experiment): Promise<OraclePolicies> {
    return this.#lab.ask("oracles", experiment).ended;
  }

  /** Of what a GPU measured. What is wrong with the text is thrown as `problems`. */
  silicon(text: string): Reader {
    const lab = this.#lab;
    return {
      read: (scale, ipcs) => lab.ask("silicon", { text, scale, ipcs }).ended as ReturnType<Reader["read"]>,
      sweep: (gpu, scale) => lab.ask("siliconSweep", { text, gpu, scale }).ended as ReturnType<Reader["sweep"]>,
    };
  }
}

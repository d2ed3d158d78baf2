// Schemes on the engine: in workers, with what the page and this browser know.
import { Answers } from "../engine/answers.ts";
import { shipped } from "../engine/profiles.ts";
import { Pool, readPlan } from "../engine/lab/pool.ts";
import type { Catalogue, Problem } from "../model/types.ts";
import type { SchemesHost } from "./schemes-run.ts";

export function schemesHost(
  module: WebAssembly.Module,
  catalogue: Catalogue,
  stamp: string,
  validate: (experiment: object) => Promise<Problem[]>,
): SchemesHost {
  return {
    catalogue,
    workers: navigator.hardwareConcurrency || 2,
    validate,
    plan: (text, most, said) => readPlan(module, text, most, said),
    pool: (text, plan, events, race = null) => new Pool(module, text, plan, events, { race }),
    alone: new Answers(stamp, shipped),
    results: new Answers(`${stamp} schemes`),
  };
}

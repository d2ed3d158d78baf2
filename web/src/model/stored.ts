// Answers that come with the page: what each scheme makes of the mixes that most visits begin with. `cargo xtask answers` makes them; each is the part of
// a run's result that the first screen reads, by the hash of its experiment. Those of another engine are none. No DOM.
import { policiesOf, readCtaOrder, schemeText, valueText } from "./choices.ts";
import { needText } from "./format.ts";
import { sameEngine } from "./stamp.ts";
import type { Experiment, PolicyChoice, Problem, Result } from "./types.ts";
import shipped from "./answers.json" with { type: "json" };
import type { SchemeAnswer } from "./model.ts";

/** Which file has which mix. */
export interface Index {
  engine: string;
  mixes: readonly { file: string; mix: object }[];
}

type Fields = Record<string, unknown>;

/** A value with the keys of all objects in one order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, ordered((value as Fields)[key])]));
}
const text = (value: unknown): string => JSON.stringify(ordered(value));

/** All that decides the result of an experiment, but the scheme: of a kernel by itself, that is the order of its CTAs. */
function mixOf(experiment: object): Fields {
  const { policy: _, name: _name, source: _source, alone, ...mix } = experiment as Fields;
  // Whether kernels also run alone decides nothing; how they do, decides slowdowns.
  if (typeof alone === "object") mix["alone"] = alone;
  const { cta_order: _order, ...rest } = mix;
  return isOne(mix) ? rest : mix;
}
const isOne = ({ kernels }: Fields): boolean => Array.isArray(kernels) && kernels.length === 1;
/** What the answers of an experiment are found by. */
export const mixKey = (experiment: object): string => text(mixOf(experiment));
/** The same of runs that differ in nothing but when they end. */
export const trunkKey = (experiment: object): string => text({ ...mixOf(experiment), stop: null });

/** The policies of an experiment with their settings, the same text however they are written. */
export const policyKey = (experiment: Experiment): string => text(policiesOf(experiment));
/** The scheme of an experiment: of a kernel by itself, with the order of its CTAs. */
export const schemeKey = (experiment: Experiment): string =>
  isOne(experiment)
    ? text([policyKey(experiment), readCtaOrder(experiment.cta_order ?? "round-robin")])
    : policyKey(experiment);

/** What a result is found by: the engine's hash of its experiment, and whether and how its kernels run alone, which that leaves out. */
export function resultName(hash: string, experiment: object): string {
  const alone = Object.entries(experiment).filter(
    ([key, value]) => key.startsWith("alone") && value !== true && value !== null && value !== undefined,
  );
  return alone.length === 0 ? hash : `${hash} ${text(Object.fromEntries(alone))}`;
}

/** A run that ends after so many cycles, and not before. */
const isCounted = ({ stop }: Fields): boolean => {
  const keys = Object.keys((stop ?? {}) as object);
  return keys.length === 1 && keys[0] === "cycles";
};
/** The mix of an experiment among those that came with the page. `near`: where there is none, the same for another number of cycles. */
function shippedMix(experiment: Experiment, near: boolean, { mixes }: Index): Index["mixes"][number] | undefined {
  const key = mixKey(experiment),
    found = mixes.find(({ mix }) => mixKey(mix) === key);
  if (found || !near || !isCounted(experiment)) return found;
  const trunk = trunkKey(experiment);
  return mixes.find(({ mix }) => isCounted(mix as Fields) && trunkKey(mix) === trunk);
}
const addressOf = (file: string): string => `./answers/${file}.json`;

/** Whether the answers are an engine's, by its stamp: known once the module is there. */
export const answersAreOf = (stamp: string, index: Index = shipped): boolean => sameEngine(index.engine, stamp);

/**
 * Every scheme on an experiment's mix, as it came with the page; null where none came, or it cannot be had. `near`: where none came, on the same
 * mix for another number of cycles, which each answer's own experiment has.
 */
export async function answersFor(experiment: Experiment, near = false): Promise<SchemeAnswer[] | null> {
  const found = shippedMix(experiment, near, shipped);
  if (!found) return null;
  try {
    const response = await fetch(addressOf(found.file));
    return response.ok ? readAnswers((await response.json()) as Stored, found.mix as Experiment, shipped.engine) : null;
  } catch {
    return null;
  }
}

/** What a file has of a mix. `alone`: what each kernel does alone, where all schemes' results have that alike. */
export interface Stored {
  engine: string;
  mix: object;
  alone?: readonly object[];
  schemes: readonly {
    policy: PolicyChoice;
    cta_order?: unknown;
    why?: readonly Problem[];
    /** Schemes that do the same have one result, the first one's. */
    as?: number;
    result?: Partial<Result> & { alone?: readonly object[] };
  }[];
}

/** What a file says of an experiment's mix, scheme by scheme; null where it is another engine's, or another mix's. */
export function readAnswers(
  { engine: made, mix, alone = [], schemes }: Stored,
  experiment: Experiment,
  engine: string,
): SchemeAnswer[] | null {
  if (!sameEngine(made, engine) || mixKey(mix) !== mixKey(experiment)) return null;
  return schemes.map(({ policy, cta_order: order, why, as, result }): SchemeAnswer => {
    const own: Experiment = {
      ...structuredClone(experiment),
      policy,
      ...(order === undefined ? {} : { cta_order: order }),
    };
    const answer = { experiment: own, scheme: isOne(own) ? valueText(own.cta_order ?? "") : schemeText(own) };
    if (why) return { ...answer, result: null, why: needText(why) };
    const { alone: each = alone, ...rest } = { ...schemes[as ?? -1]?.result, ...result };
    const kernels = rest.kernels?.map((kernel, k) => ({ ...kernel, ...each[k] }));
    return { ...answer, result: { ...rest, engine: made, kernels } as Result };
  });
}

/**
 * The answer of this very experiment, among the answers of its mix; null where there is none. `hash`: the engine's hash of it, once that is known;
 * until then it is known by its text.
 */
export function answerOf(
  answers: readonly SchemeAnswer[],
  experiment: Experiment,
  hash: string | null = null,
): SchemeAnswer | null {
  const mix = mixKey(experiment),
    scheme = schemeKey(experiment);
  // The hash leaves out how kernels run alone, which decides slowdowns.
  const same = (one: SchemeAnswer): boolean =>
    mixKey(one.experiment) === mix &&
    (hash === null ? schemeKey(one.experiment) === scheme : one.result?.config_hash === hash);
  return answers.find(same) ?? null;
}

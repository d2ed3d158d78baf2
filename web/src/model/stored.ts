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

/** Where the answers of an experiment's mix are, relative to the page; null where none came with it. */
export function placeOf(experiment: Experiment, index: Index = shipped, near = false): string | null {
  const found = shippedMix(experiment, near, index);
  return found ? addressOf(found.file) : null;
}

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
    return response.ok ? readAnswers(await response.json(), found.mix as Experiment, shipped.engine) : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: unknown, of: (one: unknown) => boolean): boolean => Array.isArray(value) && value.every(of);
const isText = (value: unknown): value is string => typeof value === "string";
const isHash = (value: unknown): boolean => isText(value) && /^[0-9a-f]{16}$/.test(value);
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isMeasured = (value: unknown): boolean => value === null || isNumber(value);
/** Numbers that may be missing, in objects and lists as deep as they come. */
const isFigures = (value: unknown): boolean =>
  isMeasured(value) || isList(value, isFigures) || (isObject(value) && Object.values(value).every(isFigures));

function isKernel(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, share = null, ...figures } = value;
  return isText(name) && (share === null || isText(share)) && isFigures(figures);
}

/** A value as the part of a result that is stored; null for what is none. `alone`: what each kernel does alone, where all schemes' results have that alike. */
function readResult(value: Fields, engine: string, alone: unknown, kernels: number): Result | null {
  const { alone: own = alone, ...result } = value;
  const { config_hash: config, digest, seed, cycles, kernels: each, gpu, metrics, ci95, verdict } = result;
  const whole =
    isHash(config) &&
    isHash(digest) &&
    isNumber(seed) &&
    isNumber(cycles) &&
    isList(each, isKernel) &&
    isList(own, isObject) &&
    isFigures(own) &&
    [each, own].every((list) => (list as unknown[]).length === kernels) &&
    isObject(gpu) &&
    [gpu, metrics, ci95].every(isFigures) &&
    isObject(verdict) &&
    isList(verdict["headline"], (part) => isObject(part) && isText(part["text"])) &&
    isList(verdict["says"], isText) &&
    typeof verdict["sure"] === "boolean";
  if (!whole) return null;
  const both = (each as Fields[]).map((kernel, k) => ({ ...kernel, ...(own as Fields[])[k] }));
  return { ...result, engine, kernels: both } as unknown as Result;
}

const isProblem = (value: unknown): value is Problem =>
  isObject(value) && ["path", "found", "want"].every((key) => isText(value[key]));

/** What a file says of an experiment's mix, scheme by scheme; null where it is another engine's, another mix's, or no answers. */
export function readAnswers(value: unknown, experiment: Experiment, engine: string): SchemeAnswer[] | null {
  if (!isObject(value)) return null;
  const { engine: made, mix, alone, schemes } = value;
  if (!isText(made) || !sameEngine(made, engine)) return null;
  if (!isObject(mix) || mixKey(mix) !== mixKey(experiment) || !Array.isArray(schemes)) return null;
  const answers = schemes.map((scheme: unknown): SchemeAnswer | null => {
    if (!isObject(scheme) || !isObject(scheme["policy"]) || !isText(scheme["policy"]["name"])) return null;
    const own = { ...structuredClone(experiment), policy: scheme["policy"] as PolicyChoice };
    if (scheme["cta_order"] !== undefined) own.cta_order = scheme["cta_order"];
    const answer = { experiment: own, scheme: isOne(own) ? valueText(own.cta_order ?? "") : schemeText(own) };
    const { why } = scheme;
    if (Array.isArray(why) && why.length > 0 && why.every(isProblem))
      return { ...answer, result: null, why: needText(why) };
    // Schemes that do the same have one result, the first one's.
    const same: unknown = typeof scheme["as"] === "number" ? schemes[scheme["as"]] : {};
    if (!isObject(scheme["result"]) || !isObject(same)) return null;
    const first = isObject(same["result"]) ? same["result"] : {};
    const result = readResult({ ...first, ...scheme["result"] }, made, alone, experiment.kernels.length);
    return result && { ...answer, result };
  });
  return answers.every((answer) => answer !== null) ? answers : null;
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

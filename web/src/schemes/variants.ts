// What is compared on a mix: the catalogue's schemes, and the forms of them that papers compare beside their usual ones. No DOM.
import { begun, policyEntry, schemeName, schemeText } from "../model/choices.ts";
import { hasGoal } from "../model/goal.ts";
import type { Asked } from "./schemes-run.ts";
import { policyKey } from "../model/stored.ts";
import variants from "./variants.json" with { type: "json" };
import type { Catalogue, Experiment, PolicyChoice, PolicyEntry } from "../model/types.ts";

export interface Variant {
  policy: PolicyChoice;
  title: string;
  /** Who compares it, and where. */
  paper: string;
  /** Differs only where a kernel is promised something. */
  goals?: boolean;
}

export const VARIANTS: readonly Variant[] = variants as Variant[];

/** A scheme that can be compared. */
export interface Scheme extends Asked {
  /** What it is, and where from. */
  doc: string;
  keepsGoals: boolean;
}

export const keyOf = (policy: PolicyChoice): string => policyKey({ corun: 1, kernels: [], policy });

/** It must be given what no beginning can be guessed for: numbers of CTAs, which the oracles search, or a program. */
const needsMore = (entry: PolicyEntry, kernels: number): boolean =>
  entry.params.some(({ name, required }) => required && begun(entry.name, kernels)[name] === undefined);

/** Everything that can be compared on a mix, each form behind its scheme. The present one keeps its settings. */
export function schemesFor(catalogue: Catalogue, experiment: Experiment): Scheme[] {
  const { policy } = experiment,
    kernels = experiment.kernels.length,
    own = typeof policy === "object" && !Array.isArray(policy) ? structuredClone(policy) : null;
  const mine = policyEntry(catalogue, schemeName(experiment))?.name,
    promised = experiment.kernels.some(hasGoal);
  const found = catalogue.policies.flatMap((entry): Scheme[] => {
    const usual = own && entry.name === mine ? { ...own, name: entry.name } : begun(entry.name, kernels);
    const of = (choice: PolicyChoice, doc: string): Scheme => ({
      policy: choice,
      title: schemeText({ ...experiment, policy: choice }, catalogue),
      doc,
      keepsGoals: entry.keeps_goals,
      acts: actsAt(choice, entry),
    });
    const forms = VARIANTS.filter((one) => one.policy.name === entry.name && (promised || !one.goals));
    return [
      // Whose numbers are given is one of those that an oracle searches, and comes with it.
      ...(needsMore(entry, kernels) && entry.name !== mine ? [] : [of(usual, `${entry.doc} (${entry.source})`)]),
      ...forms.map((one) => of(one.policy, one.paper)),
    ];
  });
  const keys = found.map((one) => keyOf(one.policy));
  return found.filter((_, i) => keys.indexOf(keys[i] as string) === i);
}

/** Cycles of CCBP's count of its factors, which is no parameter. */
const FACTORS = 20_000;
/** How much longer CCBP's offline form measures. */
const OFFLINE = 10;

/** When a scheme that learns can act for the first time: behind the parameters of its catalogue entry that say for how long it only measures. */
export function actsAt(policy: PolicyChoice, { params }: Pick<PolicyEntry, "params">): number {
  const value = (name: string): number => {
    const given = policy[name] ?? params.find((param) => param.name === name)?.default;
    return typeof given === "number" ? given : 0;
  };
  if (policy.name === "ccbp") {
    const scale = (value("time_scale") || 1) * (policy["variant"] === "offline" ? OFFLINE : 1);
    return scale * (value("warm_up") + FACTORS + value("skip") + value("window"));
  }
  return policy.name === "ws" && policy["curves_from"] === "online" ? value("warm_up") + value("window") : 0;
}

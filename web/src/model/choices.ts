// What an experiment says of its kernels, its policy and its order of warps, read and written: an experiment may say each in several ways.
import { words } from "./format.ts";
import shipped from "./answers.json" with { type: "json" };
import variants from "../schemes/variants.json" with { type: "json" };
import { titleOf, vendorTitle } from "./vendors.ts";
import { byName } from "./titles.ts";
import type {
  Catalogue,
  Experiment,
  KernelBody,
  KernelChoice,
  KernelEntry,
  PolicyChoice,
  PolicyEntry,
} from "./types.ts";

/** A kernel of the mix as the name of a preset, or as a whole kernel; either may be inside an object that says more about it. */
export function kernelName(choice: KernelChoice): string {
  const inner = typeof choice === "string" ? choice : (choice["kernel"] ?? choice);
  return typeof inner === "string" ? inner : String((inner as Record<string, unknown> | null)?.["name"] ?? "own");
}
const shortName = (name: string): string => name.slice(name.lastIndexOf("/") + 1) || name;
/** The kernels of a mix by their names without the paper, or whole where that would call two alike. */
export function mixNames(kernels: readonly KernelChoice[]): string[] {
  const names = kernels.map(kernelName);
  const alike = (name: string): boolean =>
    names.some((other) => other !== name && shortName(other) === shortName(name));
  return names.map((name) => (alike(name) ? name : shortName(name)));
}
/** What the kernels of a mix are called in tables and charts, as in a result: uses of one kernel have numbers. */
export function kernelLabels(kernels: readonly KernelChoice[]): string[] {
  const names = mixNames(kernels),
    uses = (name: string, end?: number): number => names.slice(0, end).filter((other) => other === name).length;
  return names.map((name, k) => (uses(name) > 1 ? `${name} #${uses(name, k + 1)}` : name));
}
/** What the catalogue says of a kernel. */
export function kernelEntry(catalogue: Catalogue, name: string): KernelEntry | undefined {
  return catalogue.kernels.find((k) => k.name === name);
}
export function ownBody(choice: KernelChoice): KernelBody | null {
  if (typeof choice === "string") return null;
  const inner = choice["kernel"] === undefined ? choice : choice["kernel"];
  return typeof inner === "object" && inner !== null ? (inner as KernelBody) : null;
}
/** `choice` with another kernel inside, and all else that it says kept. */
export function withBody(choice: KernelChoice, body: string | KernelBody): KernelChoice {
  return typeof choice === "object" && choice["kernel"] !== undefined ? { ...choice, kernel: body } : body;
}

/** What the catalogue says of a policy. */
export function policyEntry(catalogue: Catalogue, name: string): PolicyEntry | undefined {
  return catalogue.policies.find((p) => p.name === name);
}

/** The policies that act in turn, each with its parameters; mostly one. */
export function policiesOf({ policy }: Experiment, otherwise = "even"): PolicyChoice[] {
  return [policy ?? otherwise].flat().map((one) => (typeof one === "string" ? { name: one } : one));
}
/** The policy with its parameters; several in turn are one by the name that joins theirs, as in ws+ucp. */
export function policyOf(experiment: Experiment, otherwise = "even"): PolicyChoice {
  const all = policiesOf(experiment, otherwise),
    [only] = all;
  return only && !Array.isArray(experiment.policy) ? only : { name: all.map(({ name }) => name).join("+") };
}

/** Whether its kernels share no SM, L2 bank or DRAM channel: as MIG's instances, each has its own. */
export const isApart = (experiment: Experiment): boolean =>
  policiesOf(experiment).some(
    ({ name, split, channels }) => name === "mig" || (Array.isArray(split) && Array.isArray(channels)),
  );

/** The lists of the policy that have one value for each kernel, which follow the kernels when those move. */
export function eachPerKernel(catalogue: Catalogue, experiment: Experiment, change: (values: unknown[]) => void): void {
  const changed = (policy: PolicyChoice | string): PolicyChoice | string => {
    if (typeof policy === "string") return policy;
    const next = { ...policy };
    for (const param of policyEntry(catalogue, policy.name)?.params ?? []) {
      const value = policy[param.name];
      if (!param.kind.startsWith("per_kernel_") || !Array.isArray(value)) continue;
      const values = [...value] as unknown[];
      change(values);
      next[param.name] = values;
    }
    return next;
  };
  const { policy } = experiment;
  if (policy !== undefined) experiment.policy = Array.isArray(policy) ? policy.map(changed) : changed(policy);
}

/** Characters of a text in a description: a program may have thousands. */
const LONGEST = 40;

/** A value of an experiment in a few words: a policy is its name, a mix its kernels. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(" + ");
  if (typeof value === "object" && value !== null) {
    const { name, kernel, preset, ...rest } = value as Record<string, unknown>;
    const head = name ?? kernel ?? preset;
    const more = Object.entries(rest).map(([key, inner]) => `${key} ${valueText(inner)}`);
    return head === undefined
      ? more.join(", ") || "{}"
      : [valueText(head), ...(more.length > 0 ? [`(${more.join(", ")})`] : [])].join(" ");
  }
  const text = String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST).trimEnd()}…` : text;
}

/** What a scheme is called where others have these titles: its own, without what follows a colon where no other begins so. */
function headOf(titles: readonly string[], title: string): string {
  const head = (one: string): string => one.replace(/:.*$/, "");
  return titles.filter((one) => head(one) === head(title)).length > 1 ? title : head(title);
}
const SHIPPED = byName<string>(shipped.titles);
/** A scheme's name: by the catalogue, or, before the engine is there, by those of its titles that came with the answers. */
export function schemeHead(name: string, catalogue: Catalogue | null = null): string {
  const titles = catalogue ? catalogue.policies.map(({ title }) => title) : [...SHIPPED.values()],
    title = catalogue ? policyEntry(catalogue, name)?.title : SHIPPED.get(name);
  return headOf(titles, title || name);
}

/** The title of a form of a scheme that papers compare; null where an experiment's is none. */
function formOf(experiment: Experiment): string | null {
  const { name, ...set } = policyOf(experiment),
    settings = Object.keys(set);
  const form = variants.find(
    ({ policy: { name: its, ...own } }) =>
      its === name &&
      settings.length === Object.keys(own).length &&
      settings.every((key) => (own as Record<string, unknown>)[key] === set[key]),
  );
  return form?.title ?? null;
}
/**
 * What an experiment's scheme is called wherever the page speaks of it: in the vendors' words, as papers call a form of it, or else by its name with what
 * is set of it, “CCBP (priority 0.5)”; that something is, where it is too long to be said.
 */
export function schemeText(experiment: Experiment, catalogue: Catalogue | null = null): string {
  const { name, ...set } = policyOf(experiment),
    word = catalogue
      ? vendorTitle(catalogue, experiment)
      : titleOf(shipped.words, { name, ...set }, experiment.kernels.length),
    said = word ?? formOf(experiment);
  if (said !== null) return said;
  // Several in turn may have one title. A wrong file may have anything for a name, or nothing.
  const whole = String(name),
    known = schemeHead(whole, catalogue);
  const head =
    known === whole
      ? policiesOf(experiment)
          .map((one) => schemeHead(String(one.name), catalogue))
          .join(" + ")
      : known;
  if (Object.keys(set).length === 0) return head;
  const settings = valueText(set);
  return `${head} (${settings.length > LONGEST ? "set" : settings})`;
}
/** What runs that stand beside each other are called: by their schemes, and by their CTA orders where these differ. */
export function runTitles(experiments: readonly Experiment[], catalogue: Catalogue | null = null): string[] {
  const orders = experiments.map(({ cta_order: order }) => valueText(order ?? "round-robin"));
  return experiments.map((experiment, i) => {
    const scheme = schemeText(experiment, catalogue);
    return new Set(orders).size > 1 ? `${scheme}, ${orders[i] ?? ""}` : scheme;
  });
}
export function schemeName(experiment: Experiment): string {
  return policyOf(experiment).name;
}
/** Cycles of a scheme's epochs; null for one without, and for one whose epochs may begin early. The experiment has all of its parameters. */
export function epochOf({ policy }: Experiment): number | null {
  const epoch =
    typeof policy === "object" && !Array.isArray(policy) && policy.name !== "qos-elastic" ? policy["epoch"] : null;
  return typeof epoch === "number" && epoch > 0 ? epoch : null;
}
export const mixText = ({ kernels }: Pick<Experiment, "kernels">): string => mixNames(kernels).join(" + ");

/** A scheme with what must be given of it and has a beginning that makes sense: MPS's manual's advice, a short slice, the first kernel first. */
export function begun(name: string, kernels: number): PolicyChoice {
  switch (name) {
    case "mps":
      return {
        name,
        percentage: Array.from({ length: kernels }, () => Math.min(100, Math.round(2000 / kernels) / 10)),
      };
    case "time-slice":
      return { name, slice: 100_000 };
    case "priority":
      return { name, level: Array.from({ length: kernels }, (_, k) => (k === 0 ? -5 : 0)) };
    default:
      return { name };
  }
}

/** A scheme by its name. A parameter without a default must have a value: it starts from the least that makes sense, or an example. */
export function scheme(catalogue: Catalogue, name: string, kernels: number): PolicyChoice {
  const choice = begun(name, kernels);
  for (const param of policyEntry(catalogue, name)?.params ?? []) {
    if (
      ["per_kernel_int", "per_kernel_number"].includes(param.kind) &&
      param.required &&
      choice[param.name] === undefined
    )
      choice[param.name] = Array.from({ length: kernels }, () => Math.max(1, param.min ?? 1));
    if (param.kind === "text" && param.required) choice[param.name] = catalogue.script.examples[0]?.source ?? "";
  }
  return choice;
}

export function normalPolicy(normal: Experiment | null): string {
  return normal ? policyOf(normal).name : "even";
}

/** For each kernel, how many CTAs an SM holds and what limits them, as the engine explains it. */
export function readOccupancy(explained: unknown): string[] {
  const kernels = (explained as { kernels?: unknown } | null)?.kernels;
  if (!Array.isArray(kernels)) return [];
  return kernels.map(
    (kernel: { occupancy?: { launch: number; sm_class: string; ctas_per_sm: number; limiter: string }[] }) => {
      const first = (kernel.occupancy ?? []).filter((o) => o.launch === 0);
      return first
        .map(
          (o) =>
            `${first.length > 1 ? `${o.sm_class}: ` : ""}An SM holds ${o.ctas_per_sm} ${o.ctas_per_sm === 1 ? "CTA" : "CTAs"}, limited by ${words(o.limiter)}.`,
        )
        .join(" ");
    },
  );
}

/** A CTA order is a name, or an object with its name and parameters. */
export function readCtaOrder(value: unknown): PolicyChoice {
  return typeof value === "object" && value !== null ? { name: "", ...value } : { name: String(value ?? "") };
}
/** A name alone where there are no parameters: the link stays short. */
export function writeCtaOrder(order: PolicyChoice): PolicyChoice | string {
  return Object.keys(order).length === 1 ? order.name : order;
}

/** An order is a name, or a name with a group size: `two-level(8)`. */
export function readOrder(value: unknown): { name: string; size: number | null } {
  if (typeof value === "string") {
    const found = /^(.*)\((\d+)\)$/.exec(value);
    return found ? { name: found[1] as string, size: Number(found[2]) } : { name: value, size: null };
  }
  return { name: JSON.stringify(value), size: null };
}
export function writeOrder(name: string, size: number | null): string {
  return size === null ? name : `${name}(${size})`;
}

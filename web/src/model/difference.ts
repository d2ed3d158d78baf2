// In which fields two experiments differ: computed from the two descriptions, after defaults, so that what is left out counts as what it means.
import { mixNames, ownBody, policyOf, schemeText, valueText } from "./choices.ts";
import { gpuTitle, pathTitle, titleOf } from "./titles.ts";
import type { Catalogue, Experiment, KernelChoice, PolicyChoice } from "./types.ts";

export interface Difference {
  path: string;
  /** The field in words. */
  title: string;
  a: string;
  b: string;
}

/** What is for people only. */
const WORDS = ["corun", "name", "source"];
const NONE = "none";

/** `written`: as the link has it; `normal`: after defaults, as the engine gives it. */
export interface Described {
  written: Experiment;
  normal: Experiment;
}

export function differences(a: Described, b: Described, catalogue: Catalogue | null = null): Difference[] {
  const keys = unique(a.normal, b.normal).filter((key) => !WORDS.includes(key));
  return keys.flatMap((key): Difference[] => {
    if (key === "policy") return policies(a, b, catalogue);
    if (key === "kernels") return kernels(a.normal.kernels, b.normal.kernels);
    if (key === "gpu") return gpus(a.normal, b.normal);
    const title = pathTitle(key);
    return fields(a.normal[key], b.normal[key], key, (path) =>
      path === key ? title : `${title}: ${titleOf(path.slice(key.length + 1))}`,
    );
  });
}

/** Another scheme is one difference: the fields that only it has come with it. Those that are set are said. */
function policies(a: Described, b: Described, catalogue: Catalogue | null): Difference[] {
  const one = asPolicy(a.normal),
    other = asPolicy(b.normal);
  if (one.name !== other.name) {
    const [text, named] = [a, b].map(({ written }) => schemeText(written, catalogue)) as [string, string];
    return [{ path: "policy", title: "Scheme", a: text, b: named }];
  }
  return fields(one, other, "policy", (path) => pathTitle(path));
}
const asPolicy = (of: Experiment): PolicyChoice => policyOf(of, "");

/** Another preset is one difference: its fields have come with it. */
function gpus(a: Experiment, b: Experiment): Difference[] {
  const [one, other] = [a, b].map(({ gpu }) => (typeof gpu === "object" ? gpu.preset : gpu)) as [string, string];
  if (one !== other) return [{ path: "gpu", title: "GPU", a: one, b: other }];
  return fields(a.gpu, b.gpu, "gpu", (path) => gpuTitle(path.slice("gpu.".length)));
}

/** Place by place. Another kernel is one difference; of the same one, its fields are compared. */
function kernels(a: readonly KernelChoice[], b: readonly KernelChoice[]): Difference[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => {
    const one = a[i],
      other = b[i],
      path = `kernels.${i}`;
    const [name = NONE, named = NONE] = mixNames([one ?? other, other ?? one] as KernelChoice[]);
    if (one === undefined || other === undefined || name !== named)
      return [{ path, title: `Kernel ${i + 1}`, a: one ? name : NONE, b: other ? named : NONE }];
    const more = (choice: KernelChoice): unknown => ({
      ...(typeof choice === "object" && choice["kernel"] !== undefined ? { ...choice, kernel: undefined } : {}),
      body: ownBody(choice),
    });
    return fields(
      more(one),
      more(other),
      path,
      (at) => `${name}: ${titleOf(at.slice(path.length + 1).replace(/^body\.?/, ""))}`,
    );
  }).flat();
}

function fields(a: unknown, b: unknown, path: string, title: (path: string) => string): Difference[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (isObject(a) && isObject(b)) return unique(a, b).flatMap((key) => fields(a[key], b[key], `${path}.${key}`, title));
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.some(isObject))
    return a.flatMap((value, i) => fields(value, b[i], `${path}.${i}`, title));
  return [{ path, title: title(path), a: said(a), b: said(b) }];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const unique = (a: object, b: object): string[] => [...new Set([...Object.keys(a), ...Object.keys(b)])];
const said = (value: unknown): string =>
  value === undefined || value === null
    ? NONE
    : value === true
      ? "yes"
      : value === false
        ? "no"
        : Array.isArray(value)
          ? value.map(said).join(", ")
          : valueText(value);

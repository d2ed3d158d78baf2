// What a few words say of the whole row of choices: “SMV + HG, ws against ccbp”, “a100 mps 50/50 mig 3g+4g”. No DOM.
import { gpuOf, gpuText } from "./choice.ts";
import { eachPerKernel, kernelLabels, scheme, schemeHead, schemeText, withBody } from "./choices.ts";
import { edited, otherGpu } from "./mix.ts";
import type { Catalogue, Experiment, PolicyChoice, PolicyEntry } from "./types.ts";
import { shapeOf, withPreset } from "./vendors.ts";

/** Words between names, which choose nothing. */
const BETWEEN = new Set(
  "a against an and at b beside by compared for from in of on or than the to under versus vs with".split(" "),
);
/** Words of the longest name. */
const LONGEST = 5;
/** Letters from which on the beginning of a name stands for it. */
const BEGUN = 4;

type Named = { kernels: string[] } | { gpu: string } | { scheme: PolicyEntry };
/** A scheme with what is said of it: “mps 50 50”, “time slicing 2 ms”. */
interface Under {
  scheme: PolicyEntry;
  values: string[];
  unit: string;
}

/** Names are found whatever stands between their letters and digits. */
const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}./]/gu, "");

function namesOf(catalogue: Catalogue): Map<string, Named> {
  const all = new Map<string, Named>();
  const say = (named: Named, names: readonly string[]): void => {
    for (const name of names.map(bare)) if (name !== "" && !all.has(name)) all.set(name, named);
  };
  for (const { name } of catalogue.kernels)
    for (const one of [name, name.replace(/^.*\//, "")].map(bare)) {
      const known = all.get(one);
      if (known && "kernels" in known) known.kernels.push(name);
      else say({ kernels: [name] }, [one]);
    }
  for (const entry of catalogue.policies) {
    const heads = catalogue.vendors.words.filter(({ policy }) => policy === entry.name).map(({ head }) => head);
    say({ scheme: entry }, [entry.name, ...heads, schemeHead(entry.name, catalogue)]);
  }
  for (const { name, aliases, title } of catalogue.gpus)
    say({ gpu: name }, [name, ...aliases, title.replace(/,.*$/, "")]);
  return all;
}

/** What is named, in the order of the words; the word that names nothing. */
function read(catalogue: Catalogue, text: string): { kernels: string[][]; gpu?: string; under: Under[] } | string {
  const names = namesOf(catalogue),
    // Where a slash stands in no name, it is between two.
    words = (text.toLowerCase().match(/[\p{L}\p{N}./]+/gu) ?? []).flatMap((word) =>
      names.has(word) ? [word] : word.split("/").filter(Boolean),
    );
  const found: ReturnType<typeof read> & object = { kernels: [], under: [] };
  const named = (at: number): { of: Named; end: number } | null => {
    const ends = Array.from({ length: LONGEST }, (_, k) => at + LONGEST - k).filter((end) => end <= words.length),
      joined = (end: number): string => bare(words.slice(at, end).join(""));
    for (const end of ends) {
      const of = names.get(joined(end));
      if (of) return { of, end };
    }
    for (const end of ends) {
      const begun = joined(end),
        of = begun.length >= BEGUN && [...names].find(([name]) => name.startsWith(begun));
      if (of) return { of: of[1], end };
    }
    return null;
  };
  for (let at = 0; at < words.length; ) {
    const word = words[at] as string,
      last = found.under.at(-1);
    // A number behind a scheme is its, unless it is of a GPU: “mps 50/50 16 SMs”.
    if (last && /^\d[\d.]*(g(\.\d+gb)?)?$/.test(word) && words[at + 1] !== "sms" && !names.has(word)) {
      last.values.push(word);
      at += 1;
      continue;
    }
    if (last && last.values.length > 0 && last.unit === "" && ["ms", "cycles"].includes(word)) {
      last.unit = word;
      at += 1;
      continue;
    }
    const next = named(at);
    if (next === null) {
      if (!BETWEEN.has(word)) return word;
      at += 1;
      continue;
    }
    at = next.end;
    if ("kernels" in next.of) found.kernels.push(next.of.kernels);
    else if ("gpu" in next.of) found.gpu = next.of.gpu;
    else found.under.push({ scheme: next.of.scheme, values: [], unit: "" });
  }
  return found;
}

/** Of kernels that several papers have, those of the paper that has most of the named ones. */
function ofOnePaper(kernels: readonly string[][]): string[] {
  const paper = (name: string): string => name.split("/")[0] ?? "",
    votes = (name: string): number => kernels.filter((one) => one.some((other) => paper(other) === paper(name))).length;
  return kernels.map((one) => [...one].sort((a, b) => votes(b) - votes(a))[0] ?? "");
}

/** An experiment under a scheme; null where what is said of it is nothing that it has. */
function under(catalogue: Catalogue, experiment: Experiment, { scheme: of, values, unit }: Under): Experiment | null {
  const n = experiment.kernels.length,
    policy = scheme(catalogue, of.name, n);
  if (values.length === 0) return { ...experiment, policy };
  const { vendors, coreMhz } = shapeOf(catalogue, experiment.gpu),
    [param] = of.params,
    numbers = values.map(Number);
  if (unit !== "") {
    const key = unit === "ms" ? "slice_ms" : "slice",
      [length = 0] = numbers;
    if (!of.params.some(({ name }) => name === key) || numbers.length > 1) return null;
    const slice = unit === "ms" ? length * 1000 * coreMhz : length;
    return withPreset(experiment, { group: "", title: "", note: "", slice, policy: { name: of.name, [key]: length } });
  }
  if (!param?.kind.startsWith("per_kernel_")) return null;
  const mig = vendors.gpus.find(({ gpu }) => gpu === gpuOf(experiment))?.mig ?? [],
    whole = (text: string): string => mig.find(({ name }) => `${name}.`.startsWith(`${text}.`))?.name ?? text,
    said = param.kind === "per_kernel_text" ? values.map(whole) : numbers,
    each = said.length === 1 ? Array.from({ length: n }, () => said[0]) : said;
  return { ...experiment, policy: { name: of.name, [param.name]: each } as PolicyChoice };
}

export interface Row {
  /** A, and B where there is one. */
  experiments: Experiment[];
  /** How many things are named. */
  things: number;
}
/**
 * What the sides become by these words, or the word that names nothing. `at`: the side that one scheme alone is for; of two, the first is A's.
 */
export function rowOf(catalogue: Catalogue, sides: readonly Experiment[], text: string, at: number): Row | string {
  const found = read(catalogue, text);
  if (typeof found === "string") return found;
  const { kernels, under: schemes } = found,
    [first] = sides;
  if (!first || schemes.length > 2) return text;
  const migs = catalogue.vendors.gpus.filter(({ mig }) => mig.length > 0).map(({ gpu }) => gpu);
  const apart = schemes.some(({ scheme: { name } }) => name === "mig"),
    asked = found.gpu ?? gpuOf(first),
    gpu = apart && migs[0] !== undefined && !migs.includes(asked) ? migs[0] : asked;
  const names = ofOnePaper(kernels),
    from = schemes.length === 2 ? 0 : at,
    count = Math.max(sides.length, from + schemes.length);
  const experiments = Array.from({ length: count }, (_, side): Experiment | null => {
    const other = edited(sides[side] ?? first, (one) => {
      if (gpu !== gpuOf(one)) otherGpu(gpu)(one);
      if (names.length === 0) return;
      one.kernels = names.map((name, k) => withBody(one.kernels[k] ?? "", name));
      eachPerKernel(catalogue, one, (values) => {
        values.push(...names.slice(values.length).map(() => values.at(-1) ?? 1));
        values.length = names.length;
      });
    });
    const scheme = schemes[side - from];
    return scheme ? under(catalogue, other, scheme) : other;
  });
  const known = experiments.flatMap((one) => one ?? []);
  if (known.length < experiments.length) return text;
  return { experiments: known, things: kernels.length + schemes.length + (found.gpu === undefined ? 0 : 1) };
}

/** What the row will say. */
export function rowText(experiments: readonly Experiment[], catalogue: Catalogue, sides: boolean): string {
  const [first] = experiments;
  if (!first) return "";
  const under = experiments.map((one, at) => `${"AB"[at] ?? ""}: ${schemeText(one, catalogue)}`);
  return [
    `${kernelLabels(first.kernels).join(" + ")} on ${gpuText(catalogue, first) ?? gpuOf(first)}`,
    ...(sides ? under : []),
  ].join(", ");
}

// What the menus of the row of choices list. No DOM.
import { changesOf } from "./classes.ts";
import { literally } from "./format.ts";
import { presets, shapeOf, shortTitle, type Preset } from "./vendors.ts";
import { byName } from "./titles.ts";
import type { Catalogue, Experiment } from "./types.ts";

export interface Choice {
  value: string;
  title: string;
  /** What it is, in one line. */
  note?: string;
  group?: string;
}

/**
 * Choices that have all words that are sought, in the title, the group or the line, the closest first: the title is the text, begins with it, has it from a
 * word's beginning; any text has it so; all words begin words, of group and title in their order, or in any; any words have them. A plus parts words, too.
 */
export function found(choices: readonly Choice[], sought: string): Choice[] {
  const text = sought.toLowerCase().trim().replace(/\s+/g, " "),
    words = text.split(/[ +]+/).filter(Boolean);
  if (words.length === 0) return [...choices];
  const starts = (piece: string, all: string, at = 0): number => {
    const from = new RegExp(`(?<![\\p{L}\\p{N}.])${literally(piece)}`, "gu");
    from.lastIndex = at;
    return from.test(all) ? from.lastIndex : -1;
  };
  const whole = (all: string): boolean => starts(text, all) >= 0,
    inOrder = (all: string): boolean => words.reduce((at, word) => (at < 0 ? at : starts(word, all, at)), 0) >= 0;
  const close = ({ title, group = "", note = "", value }: Choice): number => {
    const name = title.toLowerCase(),
      named = `${group} ${name}`.toLowerCase(),
      all = `${named} ${value} ${note}`.toLowerCase();
    const ways = [
      name === text || value.toLowerCase() === text,
      name.startsWith(text) && whole(name),
      whole(named),
      whole(all),
      inOrder(named),
      words.every((word) => starts(word, all) >= 0),
      words.every((word) => all.includes(word)),
    ];
    return ways.indexOf(true);
  };
  return choices
    .map((choice) => ({ choice, at: close(choice) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ choice }) => choice);
}

/** The first sentence of a description; what is in brackets ends none. */
const firstSentence = (doc: string): string =>
  /^(?:\([^)]*\)|[^(])*?[.:](?=\s|$)/.exec(doc)?.[0].replace(/[.:]$/, "") ?? doc;

/** Whose kernels these are, by what stands before the slash. */
const PAPERS = byName({
  ccbp: "CCBP",
  qos: "QoS",
  ikra: "IKRA",
  latency: "Latency prediction",
  hetero: "HeteroCore",
});
const REST = "Others";

export function kernelChoices(catalogue: Catalogue): Choice[] {
  const paperOf = (name: string): string => PAPERS.get(name.split("/")[0] ?? "") ?? REST;
  const order = [...PAPERS.values(), REST];
  const all = catalogue.kernels.map(({ name, title, doc }) => {
    const short = name.slice(name.lastIndexOf("/") + 1),
      note = ["", name, short].includes(title) ? firstSentence(doc) : title;
    return { value: name, title: short, note, group: paperOf(name) };
  });
  return all.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

export const gpuChoices = (catalogue: Catalogue): Choice[] =>
  catalogue.gpus.map(({ name, title, doc }) => ({ value: name, title: title || name, note: firstSentence(doc) }));

/** The value of no second scheme. */
export const NONE = "";
/** Schemes by where they come from: the paper and its year, without what it says where. */
export function schemeChoices(catalogue: Catalogue): Choice[] {
  const from = (source: string): string => /^.*?\b(?:19|20)\d\d|^[A-Z][\w-]*/.exec(source)?.[0] ?? REST;
  const all = catalogue.policies.map(
    ({ name, title, doc, source }): Choice => ({
      value: name,
      title: title || name,
      note: firstSentence(doc),
      group: from(source),
    }),
  );
  const order = [...new Set(all.map(({ group }) => group))];
  return all.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

/** Before the values of choices in the words of vendors, which are no names of schemes. */
const VENDOR = "vendor ";
/** How vendors say that a GPU of this kind is shared, for so many kernels. */
export function vendorChoices(catalogue: Catalogue, { kernels, gpu }: Experiment): Choice[] {
  return presets(kernels.length, shapeOf(catalogue, gpu)).map((one) => ({
    value: `${VENDOR}${shortTitle(one)}`,
    title: one.title,
    note: firstSentence(one.note),
    group: one.group,
  }));
}
/** A GPU that its vendor sells: how that is shared there comes before what papers propose. */
export const isVendors = ({ vendors }: Catalogue, experiment: Experiment): boolean =>
  vendors.gpus.some(({ gpu }) => gpu === gpuOf(experiment));
/** What of the vendors' a choice is. */
export const vendorOf = (catalogue: Catalogue, { kernels, gpu }: Experiment, value: string): Preset | undefined =>
  presets(kernels.length, shapeOf(catalogue, gpu)).find((one) => value === `${VENDOR}${shortTitle(one)}`);
/** The preset of an experiment's GPU. */
export const gpuOf = ({ gpu }: Experiment): string =>
  typeof gpu === "string" ? gpu : String(gpu?.preset ?? "ccbp-16sm");

/** What the GPU is called in the row: a changed one by its own SMs, and else marked; of a scale model with the part of it that runs. */
export function gpuText(catalogue: Catalogue | null, experiment: Experiment): string | undefined {
  const usual = catalogue?.gpus.find(({ name }) => name === gpuOf(experiment))?.title.split(",")[0],
    { preset: _, "sm.count": sms, ...others } = changesOf(experiment.gpu);
  const own = typeof sms === "number" && usual ? usual.replace(/^\d+(?= SMs)/, String(sms)) : usual,
    changed = Object.keys(others).length > 0 || (sms !== undefined && own === usual);
  const title = own && changed ? `${own} (set)` : own;
  return title && experiment.scale && experiment.scale !== "1" ? `${title}, ${experiment.scale}` : title;
}

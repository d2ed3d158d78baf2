// Scale models of large GPUs: when one is offered, and how far it is off the whole, from the page that `cargo xtask study scale` writes. No DOM.
import { byName } from "./titles.ts";
import type { Experiment } from "./types.ts";
import { gpuOf } from "./choice.ts";
import { edited, type Edit } from "./mix.ts";
import type { RunSide } from "./model.ts";
import { isFinal } from "./says.ts";

/** What slowdowns on a part of a GPU were off those on the whole, in %, and the part of the time that they took. */
export interface Measured {
  gpu: string;
  part: string;
  slowdowns: number;
  median: number;
  /** Of nine in ten. */
  most: number;
  time: number;
}

/** Reads docs/reference/scale.md; nothing is measured by another text. */
export function scalesOf(page: string): Measured[] {
  const row = /^\| `([\w-]+)` \| (1\/\d+) \| (\d+) \| ([\d.]+) % \| ([\d.]+) % \| .* \| \d+ of \d+ \| (\d+) % \|$/gm;
  return [...page.matchAll(row)].map(([, gpu = "", part = "", ...numbers]) => {
    const [slowdowns = 0, median = 0, most = 0, time = 0] = numbers.map(Number);
    return { gpu, part, slowdowns, median, most, time };
  });
}

const WHOLE = "1";
/** SMs from which on the whole takes longer than somebody waits: ten seconds and more. */
const LARGE = 64;
/** What is offered where nothing has been measured. */
const USUAL = "1/4";
const partOf = ({ scale }: Experiment): string => scale ?? WHOLE;
const NAMES = byName({ "1/2": "half", "1/3": "a third", "1/4": "a quarter" });
const nameOf = (part: string): string => NAMES.get(part) ?? part;

/** The whole, or a part of it, is run in place of what runs. */
export const scaledTo =
  (part: string): Edit =>
  (experiment) => {
    if (part === WHOLE) delete experiment.scale;
    else experiment.scale = part as NonNullable<Experiment["scale"]>;
  };

/** Of those that were measured, the part of a GPU that takes the least time. */
const quickest = (measured: readonly Measured[], gpu: string): Measured | undefined =>
  measured.filter((one) => one.gpu === gpu).sort((a, b) => a.time - b.time)[0];

/** The part that a GPU of so many SMs begins with; null for the whole. */
export const firstPart = (sms: number, gpu: string, measured: readonly Measured[]): string | null =>
  sms < LARGE ? null : (quickest(measured, gpu)?.part ?? USUAL);

/** What is said of a part, and what a press runs in its place. */
export interface ScaleWords {
  says: string;
  press: string;
  part: string;
}

const UNKNOWN = "How far it is off the whole has not been measured.";

/**
 * On a part: how far it is off the whole. On a whole of so many SMs, until its answer is final: a part, of those that were measured the one that takes
 * the least time. Null where nothing is to be said.
 */
export function scaleWords(sides: readonly RunSide[], measured: readonly Measured[], sms: number): ScaleWords | null {
  const [first] = sides;
  if (!first) return null;
  const { experiment } = first,
    part = partOf(experiment),
    // A changed GPU is not the one that was measured.
    name = typeof experiment.gpu === "string" ? gpuOf(experiment) : "";
  if (part !== WHOLE) {
    const of = measured.find((one) => one.gpu === name && one.part === part),
      head = `A scale model: ${nameOf(part)} of the GPU.`;
    return {
      says: of
        ? `${head} Of ${of.slowdowns} slowdowns half were within ${of.median} % of the whole’s, nine in ten within ${of.most} %.`
        : `${head} ${UNKNOWN}`,
      press: "Run the whole",
      part: WHOLE,
    };
  }
  if (sms < LARGE || sides.every(isFinal)) return null;
  const best = quickest(measured, name),
    offered = best?.part ?? USUAL;
  return {
    says: best
      ? `With ${nameOf(offered)} of this GPU it takes ${best.time} % of the time. Nine in ten slowdowns were within ${best.most} % of the whole’s.`
      : `With ${nameOf(offered)} of this GPU it takes a part of the time. ${UNKNOWN}`,
    press: `Run ${nameOf(offered)}`,
    part: offered,
  };
}

/** The experiments as a press would make them. */
export const pressed = (sides: readonly RunSide[], { part }: ScaleWords): Experiment[] =>
  sides.map(({ experiment }) => edited(experiment, scaledTo(part)));

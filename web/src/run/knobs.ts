// The knobs of the row: what a GPU has of SMs, L2 and bandwidth, how many CTAs a kernel may hold, and the order of warps; a few values of each. No DOM.
import { changesOf, gpuValue, presetValue, withField } from "../model/classes.ts";
import { kernelLabels } from "../model/choices.ts";
import { count } from "../model/format.ts";
import { withExtra } from "../model/goal.ts";
import { limitOf } from "../model/limits.ts";
import type { Catalogue, Experiment, GpuField } from "../model/types.ts";
import { gpuOf } from "../model/choice.ts";
import type { Edit } from "../model/mix.ts";

/** A value of a knob. */
export interface Step {
  /** In an experiment; undefined: nothing is said there. */
  value: number | string | undefined;
  text: string;
  /** At an axis, which says the unit. */
  short: string;
  /** What a sweep has for it. */
  swept: number | string;
}
export interface Knob {
  id: string;
  title: string;
  /** What it turns, and what goes with that. */
  doc: string;
  /** Of all its steps; empty where each has its own. */
  unit: string;
  /** The field, as the axis of a sweep. */
  path: string;
  steps: readonly Step[];
  /** The place of the present value, and of the one that nobody has turned. */
  now: number;
  base: number;
  /** With a value. */
  turned(value: Step["value"]): Edit;
}

/** Multiples of what a preset has, those first that are offered first. */
const FACTORS = [1, 1 / 2, 2, 1 / 4, 4, 3 / 4, 3 / 2, 1 / 8];
const MOST = 5;
const PARTS: readonly (readonly [number, string])[] = [
  [1 / 8, "⅛"],
  [1 / 4, "¼"],
  [1 / 2, "½"],
  [3 / 4, "¾"],
  [2, "2×"],
];
/** Whole SMs and sets are not exactly half. */
const ALMOST = 0.06;

/** Of what a GPU has, by the paths of its fields. */
type Has = (path: string) => number;
interface OfGpu {
  id: string;
  title: string;
  doc: string;
  unit: string;
  field: string;
  /** What it can be, those first that are offered first. */
  values(base: number, has: Has, parts: number): number[];
  says(value: number, has: Has): string;
}

const doubled = (base: number, unit: number): number[] =>
  FACTORS.map((factor) => (factor === 1 ? base : Math.max(unit, Math.round((base * factor) / unit) * unit)));
const rate = (gbs: number): string => count(Math.round(gbs));
const size = (bytes: number): string => {
  const mb = bytes / 2 ** 20;
  return mb < 1
    ? `${count(Math.round(bytes / 1024))} KB`
    : `${mb.toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
};

const OF_GPU: readonly OfGpu[] = [
  {
    id: "sms",
    title: "SMs",
    doc: "Streaming multiprocessors; L2, NoC and DRAM stay",
    unit: "SMs",
    field: "sm.count",
    // Of a scale model, a part of them runs.
    values: (base, _, parts) => doubled(base, parts),
    says: String,
  },
  {
    id: "l2",
    title: "L2",
    doc: "Capacity of all L2 banks",
    unit: "",
    field: "l2.bank_bytes",
    values: (base, has) => doubled(base, has("l2.ways") * has("l2.line_bytes")),
    says: (value, has) => size(value * has("l2.banks")),
  },
  {
    id: "noc",
    title: "NoC bandwidth",
    doc: "Width of the links between SMs and L2; their clock stays",
    unit: "GB/s",
    field: "noc.flit_bytes",
    // A flit divides a line, or has all of it behind a header of 8 bytes.
    values: (base, has) =>
      [8, 16, 32, 64, 128]
        .filter((bytes) => bytes <= has("l2.line_bytes"))
        .concat(has("l2.line_bytes") + 8)
        .sort((a, b) => Math.abs(Math.log(a / base)) - Math.abs(Math.log(b / base))),
    says: (value, has) => rate((value * has("l2.banks") * has("noc.mhz")) / 1000),
  },
  {
    id: "dram",
    title: "DRAM bandwidth",
    doc: "Clock of DRAM, with its timings in clocks",
    unit: "GB/s",
    field: "dram.mhz",
    values: (base) => doubled(base, 1),
    says: (value, has) => rate((value * has("dram.channels") * has("l2.line_bytes")) / has("dram.timing.T") / 1000),
  },
];

function partText(part: number): string {
  const named = PARTS.find(([of]) => Math.abs(part / of - 1) < ALMOST);
  return part === 1 ? "" : ` (${named?.[1] ?? `${part.toLocaleString("en", { maximumFractionDigits: 2 })}×`})`;
}

function presetOf({ gpus }: Catalogue, experiment: Experiment): string {
  const name = gpuOf(experiment);
  return gpus.find(({ aliases }) => aliases.includes(name))?.name ?? name;
}

function ofGpu(catalogue: Catalogue, experiment: Experiment, knob: OfGpu): Knob | null {
  const { gpu_fields: fields } = catalogue,
    preset = presetOf(catalogue, experiment),
    changes = changesOf(experiment.gpu),
    field = fields.find(({ path }) => path === knob.field) as GpuField,
    base = presetValue(field, preset),
    has: Has = (path) => Number(gpuValue(fields, preset, changes, path)),
    now = has(knob.field);
  // A GPU of several classes of SMs has no one number of them.
  if (typeof base !== "number") return null;
  const [, parts = "1"] = (experiment.scale ?? "1").split("/"),
    { min = 1, max = Infinity } = field;
  const offered = [...new Set([base, ...knob.values(base, has, Number(parts))])]
    .filter((value) => value >= min && value <= max)
    .slice(0, MOST);
  const values = [...new Set([now, ...offered])].sort((a, b) => a - b);
  const steps = values.map((value): Step => {
    const short = knob.says(value, has);
    return { value, swept: value, short, text: `${short} ${knob.unit}`.trim() + partText(value / base) };
  });
  return {
    ...knob,
    path: `gpu.${knob.field}`,
    steps,
    now: values.indexOf(now),
    base: values.indexOf(base),
    turned: (value) => (one) => {
      const own = presetOf(catalogue, one);
      one.gpu = withField(one.gpu, own, knob.field, value, presetValue(field, own));
    },
  };
}

/** Of so many CTAs the numbers that are offered: all, or a few. */
const limits = (most: number): number[] =>
  most <= 8
    ? Array.from({ length: most - 1 }, (_, i) => i + 1)
    : [1, 2, 3, 4, 6, 8, 12, 16, 24].filter((n) => n < most);

/** `holds`: CTAs of each kernel that an SM holds where nobody limits them; null where that is not known. */
function ofCtas({ kernels }: Experiment, k: number, holds: number | null): Knob | null {
  const choice = kernels[k],
    limit = choice === undefined ? null : limitOf(choice),
    most = holds ?? (typeof limit === "number" ? limit : 1);
  // One that is set by class is the form's.
  if (choice === undefined || (limit !== null && typeof limit !== "number")) return null;
  const numbers = [...new Set([...limits(most), ...(limit === null ? [] : [limit])])].sort((a, b) => a - b);
  if (numbers.length === 0) return null;
  const free = {
    value: undefined,
    text: holds === null ? "no limit" : `no limit: ${holds}`,
    short: holds === null ? "all" : String(holds),
    swept: holds ?? most,
  };
  const label = kernelLabels(kernels)[k] ?? "";
  return {
    id: `ctas-${k}`,
    title: `CTAs of ${label}`,
    doc: `The most CTAs of ${label} that an SM holds at a time`,
    unit: "",
    path: `kernels[${k}].ctas_per_sm`,
    steps: [...numbers.map((n) => ({ value: n, swept: n, text: String(n), short: String(n) })), free],
    now: limit === null ? numbers.length : numbers.indexOf(limit),
    base: numbers.length,
    turned: (value) => (one) => {
      const old = one.kernels[k];
      if (old !== undefined) one.kernels[k] = withExtra(old, "ctas_per_sm", value ?? null);
    },
  };
}

const orderText = (name: string): string => name.replace(/\b(?:lrr|gto|gty)\b/g, (short) => short.toUpperCase());

function ofOrder({ warp_orders: orders, gpu_fields: fields }: Catalogue, experiment: Experiment): Knob {
  const field = fields.find(({ path }) => path === "warp_order"),
    usual = String(
      changesOf(experiment.gpu)["warp_order"] ?? (field && presetValue(field, gpuOf(experiment))) ?? orders[0]?.name,
    ),
    now = String(experiment.warp_order ?? usual);
  const names = [...new Set([...orders.map(({ name }) => name), now])],
    steps = names.map((name): Step => ({ value: name, swept: name, text: orderText(name), short: orderText(name) }));
  return {
    id: "order",
    title: "Warp order",
    doc: "Which ready warp a scheduler takes",
    unit: "",
    path: "warp_order",
    steps,
    now: names.indexOf(now),
    base: Math.max(0, names.indexOf(usual)),
    turned: (value) => (one) => {
      if (value === undefined || value === usual) delete one.warp_order;
      else one.warp_order = value;
    },
  };
}

export function knobsOf(catalogue: Catalogue, experiment: Experiment, holds: readonly (number | null)[]): Knob[] {
  const all = [
    ...OF_GPU.map((knob) => ofGpu(catalogue, experiment, knob)),
    ...experiment.kernels.map((_, k) => ofCtas(experiment, k, holds[k] ?? null)),
    ofOrder(catalogue, experiment),
  ];
  return all.filter((knob) => knob !== null);
}

/** All as nobody has turned them. */
export const reset =
  (knobs: readonly Knob[]): Edit =>
  (experiment) => {
    for (const { turned } of knobs) turned(undefined)(experiment);
  };

/** For each kernel, how many CTAs an SM of the first class holds, as the engine explains it; null where a limit says so. */
export function holdsOf(explained: unknown): (number | null)[] {
  const { kernels = [] } = (explained ?? {}) as {
    kernels?: { occupancy?: { ctas_per_sm: number; limiter: string }[] }[];
  };
  return kernels.map(({ occupancy }) => {
    const first = occupancy?.[0];
    return first && first.limiter !== "ctas_per_sm" ? first.ctas_per_sm : null;
  });
}

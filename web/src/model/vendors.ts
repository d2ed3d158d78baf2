// How vendors say that a GPU is shared, as settings of policies, from which the form offers them and by which it knows them again. What GPUs have, and
// what it is called, is the engine's table (`vendors` of the catalogue). All of it is a modelling assumption, not validated hardware: the policies'
// pages (docs/reference/schemes) say what is published, and where.
import { changesOf, gpuValue, smsOf } from "./classes.ts";
import type { Catalogue, Experiment, GpuChoice, PolicyChoice, Vendors } from "./types.ts";

/** Of the GPU of the experiment, what the presets need. */
export interface Shape {
  gpu: string;
  sms: number;
  channels: number;
  coreMhz: number;
  /** What vendors' GPUs have, and their words. */
  vendors: Vendors;
}

/** What an experiment's GPU is to them. */
export function shapeOf({ gpus, gpu_fields: fields, vendors }: Catalogue, gpu: GpuChoice | undefined): Shape {
  const said = typeof gpu === "string" ? gpu : String(gpu?.preset ?? ""),
    preset = gpus.find(({ aliases }) => aliases.includes(said))?.name ?? said,
    changes = changesOf(gpu),
    number = (path: string): number => Number(gpuValue(fields, preset, changes, path));
  return {
    gpu: preset,
    sms: smsOf(fields, preset, changes),
    channels: number("dram.channels"),
    coreMhz: number("core_mhz"),
    vendors,
  };
}

export interface Preset {
  /** Group and name in the vendor's words. */
  group: string;
  title: string;
  /** What it models, and what not. */
  note: string;
  policy: PolicyChoice;
  /** The GPU that it belongs to, where the experiment has another one. */
  gpu?: string;
  /** Cycles of a slice, where kernels take turns. */
  slice?: number;
  /** What the engine calls the policy with these settings. */
  word?: string;
}

/** Parameters of which one value may stand for all kernels. */
const EACH: readonly string[] = ["percentage", "profiles", "sms"];

/** What people call a policy with its settings, in the words of its vendor; null where it is no vendor's, or nothing of it is set. As `policy.title` of
 * a result says it. */
export function titleOf(words: Vendors["words"], policy: PolicyChoice, kernels: number): string | null {
  const word = words.find((one) => one.policy === policy.name),
    said = word?.values.find(({ param }) => policy[param] !== undefined);
  if (!word || !said) return null;
  const values = [policy[said.param]]
      .flat()
      .map((one) => (typeof one === "number" ? one.toLocaleString("en") : String(one))),
    // One value may stand for all kernels.
    each = Array.isArray(policy[said.param]) ? values.length : EACH.includes(said.param) ? kernels : 1,
    alike = each > 1 && new Set(values).size === 1;
  return `${word.head} ${alike ? values[0] : values.join(" + ")}${said.unit}${alike ? " each" : ""}`;
}

/** By number of kernels, the compute slices of each instance beside those that are all alike. */
const MIXED: Readonly<Record<number, number[][]>> = {
  2: [
    [4, 3],
    [3, 4],
    [4, 2],
    [2, 4],
    [4, 1],
    [1, 4],
  ],
  3: [
    [4, 2, 1],
    [3, 2, 2],
  ],
  4: [
    [3, 2, 1, 1],
    [4, 1, 1, 1],
  ],
};

/** The one policy of presets for which no vendor has a word. */
const PARTITIONS = "spatial";
const PARTITION_NOTE = "Disjoint SMs in whole chunks; L2, NoC and DRAM are shared.";

/** What can be chosen for so many kernels on this GPU. */
export function presets(kernels: number, shape: Shape): Preset[] {
  if (kernels < 1) return [];
  const all = [
    ...mps(kernels),
    ...partitions(kernels, shape),
    ...mig(kernels, shape),
    ...green(kernels, shape),
    ...priorities(kernels),
    ...slices(shape),
  ];
  return all.map((one) => {
    const note = shape.vendors.words.find(({ policy }) => policy === one.policy.name)?.note ?? PARTITION_NOTE,
      word = titleOf(shape.vendors.words, one.policy, kernels);
    return { ...one, note, ...(word === null ? {} : { word }) };
  });
}

type Unsaid = Omit<Preset, "note" | "word">;

function mps(n: number): Unsaid[] {
  const each = (percent: number): number[] => Array.from({ length: n }, () => percent);
  const round = (percent: number): number => Math.round(10 * percent) / 10;
  const of = (title: string, percentage: number[]): Unsaid => ({
    group: "MPS, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    title,
    policy: { name: "mps", percentage },
  });
  const found = [of("100 % each: no limit", each(100))];
  if (n > 1) {
    const advised = Math.min(100, round(200 / n)),
      uniform = round(100 / n);
    if (advised < 100) found.push(of(`${advised} % each: 100/(n/2), as the manual advises`, each(advised)));
    found.push(of(`${uniform} % each: uniform, 100/n`, each(uniform)));
    // The first has half of it and a quarter more; the others share the rest alike.
    found.push(of("75 % for the first, 25 % for the others: weighted", [75, ...each(round(25 / (n - 1))).slice(1)]));
  }
  return found;
}

/** Equal parts in whole chunks; null where the GPU has too few. */
function chunked(n: number, sms: number, chunk: number): number[] | null {
  const part = Math.floor(sms / n / chunk) * chunk;
  return part > 0 ? Array.from({ length: n }, () => part) : null;
}

const vendorOf = ({ gpu, vendors }: Shape): Vendors["gpus"][number] | undefined =>
  vendors.gpus.find((one) => one.gpu === gpu);

function partitions(n: number, shape: Shape): Unsaid[] {
  const chunk = vendorOf(shape)?.step_sms ?? 2,
    split = chunked(n, shape.sms, chunk);
  return split
    ? [
        {
          group: "MPS, static SM partitions",
          title: `${split[0]} SMs each, in chunks of ${chunk}`,
          policy: { name: PARTITIONS, split },
        },
      ]
    : [];
}

function green(n: number, shape: Shape): Unsaid[] {
  const vendor = vendorOf(shape);
  if (!vendor) return [];
  const { least_sms: least, step_sms: step } = vendor,
    { sms } = shape,
    small = Math.max(least, Math.floor(sms / 4 / step) * step),
    rest = n > 1 ? Math.floor((sms - small) / (n - 1) / step) * step : 0;
  const found: Unsaid[] = [];
  const of = (title: string, each: number[]): void => {
    found.push({ group: "Green contexts", title, policy: { name: "green-context", sms: each } });
  };
  if (n > 1 && rest >= least) {
    of(`${small} SMs for the first, ${rest} for ${n > 2 ? "each of the others" : "the other"}`, [
      small,
      ...Array.from({ length: n - 1 }, () => rest),
    ]);
    const most = Math.floor((sms - least * (n - 1)) / step) * step;
    // Of many kernels, a quarter for the first may leave no more for each.
    if (most > least && most !== small)
      of(`${most} SMs for the first, ${least} for ${n > 2 ? "each of the others" : "the other"}: the least`, [
        most,
        ...Array.from({ length: n - 1 }, () => least),
      ]);
  }
  return found;
}

function priorities(n: number): Unsaid[] {
  const of = (title: string, first: number): Unsaid => ({
    group: "Stream priority",
    title,
    policy: { name: "priority", level: Array.from({ length: n }, (_, k) => (k === first ? -5 : 0)) },
  });
  const rest = n > 2 ? "the others" : "the other";
  return n > 1 ? [of(`−5 for the first, 0 for ${rest}`, 0), of(`−5 for the last, 0 for ${rest}`, n - 1)] : [];
}

function mig(n: number, shape: Shape): Unsaid[] {
  const own = (vendorOf(shape)?.mig.length ?? 0) > 0,
    vendor = own ? vendorOf(shape) : shape.vendors.gpus.find(({ mig: profiles }) => profiles.length > 0);
  if (!vendor) return [];
  // The first profile of as many compute slices: one with double memory comes behind it.
  const by = (slices: number) => vendor.mig.find(({ name }) => name.startsWith(`${slices}g.`));
  const alike = [1, 2, 3, 4].map((slices) => Array.from({ length: n }, () => slices));
  const memory = (mix: number[]): number => mix.reduce((sum, s) => sum + (by(s)?.memory ?? Infinity), 0);
  const fits = (mix: number[]): boolean => mix.reduce((sum, s) => sum + s, 0) <= 7 && memory(mix) <= 8;
  return [...alike, ...(MIXED[n] ?? [])].filter(fits).map((mix): Unsaid => {
    const names = mix.map((slices) => by(slices)?.name ?? "");
    return {
      group: own ? "MIG" : "MIG (makes the GPU an A100)",
      title: new Set(names).size === 1 && n > 1 ? `${names[0]} each` : names.join(" + "),
      policy: { name: "mig", profiles: names },
      ...(own ? {} : { gpu: vendor.gpu }),
    };
  });
}

function slices({ coreMhz }: Shape): Unsaid[] {
  const ms = (title: string, length: number): Unsaid => ({
    group: "Time slicing",
    title: `${length} ms: ${title}`,
    policy: { name: "time-slice", slice_ms: length },
    slice: length * 1000 * coreMhz,
  });
  const cycles = 100_000;
  return [
    ms("short, and the default", 2),
    ms("medium", 10),
    ms("long", 30),
    {
      group: "Time slicing",
      title: "100,000 cycles: shorter than any, to see turns soon",
      policy: { name: "time-slice", slice: cycles },
      slice: cycles,
    },
  ];
}

/** In few words, those of results where these have some: “MPS 50 % each”, “MIG 3g.20gb + 4g.20gb”. */
export const shortTitle = ({ group, title, word }: Preset): string =>
  word ?? `${group.replace(/[,(].*$/, "").trim()} ${title.replace(/:.*$/, "")}`;

/** The experiment with a preset: on the GPU that it needs, and long enough for two turns of each kernel. */
export function withPreset(experiment: Experiment, { policy, gpu, slice = 0 }: Preset): Experiment {
  const next: Experiment = { ...structuredClone(experiment), policy: structuredClone(policy) };
  if (gpu !== undefined) next.gpu = gpu;
  const turns = 2 * next.kernels.length * slice,
    cycles = (next.stop as { cycles?: unknown } | undefined)?.cycles;
  if (typeof cycles === "number" && cycles < turns) next.stop = { cycles: turns };
  return next;
}

/** The presets that an experiment is: more than one where vendors' words mean the same. */
export function presetsOf(experiment: Experiment, shape: Shape): Preset[] {
  const policy = typeof experiment.policy === "object" && !Array.isArray(experiment.policy) ? experiment.policy : null;
  if (policy === null) return [];
  const n = experiment.kernels.length;
  // One value for all kernels is that value for each.
  const each = (key: string, value: unknown): unknown =>
    EACH.includes(key) && !Array.isArray(value) ? Array.from({ length: n }, () => value) : value;
  const text = (one: PolicyChoice): string =>
    JSON.stringify(
      Object.entries(one)
        .map(([key, value]): [string, unknown] => [key, each(key, value)])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return presets(n, shape).filter((one) => one.gpu === undefined && text(one.policy) === text(policy));
}
/** What an experiment's scheme is called in the vendors' words; null where they have none for it. */
export function vendorTitle(catalogue: Catalogue, experiment: Experiment): string | null {
  const { policy, kernels, gpu } = experiment;
  // What sets nothing is no preset: most schemes are none, and a GPU's shape is dear.
  if (typeof policy !== "object" || Array.isArray(policy) || Object.keys(policy).length < 2) return null;
  const word = titleOf(catalogue.vendors.words, policy, kernels.length);
  if (word !== null) return word;
  const [first] = policy.name === PARTITIONS ? presetsOf(experiment, shapeOf(catalogue, gpu)) : [];
  return first ? shortTitle(first) : null;
}

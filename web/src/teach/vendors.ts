// How vendors say that a GPU is shared, as settings of policies: data, from which the form offers them and by which it knows them again.
// All of it is a modelling assumption, not validated hardware. The policies' pages (docs/reference/schemes) say what is published, and where.
import { changesOf, gpuValue, smsOf } from "../classes.ts";
import type { Catalogue, Experiment, GpuChoice, PolicyChoice } from "../types.ts";

/** Of the GPU of the experiment, what the presets need. */
export interface Shape {
  gpu: string;
  sms: number;
  channels: number;
  coreMhz: number;
}

/** What an experiment's GPU is to them. */
export function shapeOf({ gpu_fields: fields }: Catalogue, gpu: GpuChoice | undefined): Shape {
  const preset = typeof gpu === "string" ? gpu : String(gpu?.preset ?? ""),
    changes = changesOf(gpu),
    number = (path: string): number => Number(gpuValue(fields, preset, changes, path));
  return {
    gpu: preset,
    sms: smsOf(fields, preset, changes),
    channels: number("dram.channels"),
    coreMhz: number("core_mhz"),
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
}

/** Profiles of MIG: SMs and eighths of the memory, by GPU (NVIDIA, MIG user guide, and `nvidia-smi mig -lgip`); SMs are not multiples of a slice. */
interface Profile {
  name: string;
  slices: number;
  eighths: number;
  sms: number;
}
const profiles = (gb: [number, number, number], sms: [number, number, number, number]): Profile[] => [
  { name: `1g.${gb[0]}gb`, slices: 1, eighths: 1, sms: sms[0] },
  { name: `2g.${gb[1]}gb`, slices: 2, eighths: 2, sms: sms[1] },
  { name: `3g.${gb[2]}gb`, slices: 3, eighths: 4, sms: sms[2] },
  { name: `4g.${gb[2]}gb`, slices: 4, eighths: 4, sms: sms[3] },
];
const MIG: Readonly<Record<string, { profiles: Profile[]; channels: number }>> = {
  "a100-40gb": { profiles: profiles([5, 10, 20], [14, 28, 42, 56]), channels: 40 },
  "h100-sxm5": { profiles: profiles([10, 20, 40], [16, 32, 60, 64]), channels: 80 },
  "h200-sxm": { profiles: profiles([18, 35, 71], [16, 32, 60, 64]), channels: 96 },
};
/** By number of kernels, the slices of each instance beside those that are all alike. */
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

const MIG_NOTE =
  "Each kernel has SMs, L2 slices and DRAM channels of its own, so that they meet nowhere. Not modelled: a profile with double memory, power, copy engines.";
const MPS_NOTE =
  "The percentage limits the SMs that a kernel may use and reserves none; L2, NoC and DRAM are shared. Which SMs a client gets is not published.";
const PARTITION_NOTE = "Disjoint SMs in whole chunks; L2, NoC and DRAM are shared.";
const GREEN_NOTE =
  "Disjoint SMs in the steps that the driver grants; L2, NoC and DRAM are shared. Contexts that overlap on purpose are not modelled.";
const PRIORITY_NOTE =
  "CTAs of the stream with the higher priority go first wherever they fit; the others take what these cannot use. No CTA that runs is stopped.";
const SLICE_NOTE =
  "The whole GPU in turns. What a switch costs follows from the contexts, which travel through NoC and DRAM. The vendor does not publish how long a slice is.";

/** What can be chosen for so many kernels on this GPU. */
export function presets(kernels: number, shape: Shape): Preset[] {
  if (kernels < 1) return [];
  return [
    ...mps(kernels),
    ...partitions(kernels, shape),
    ...mig(kernels, shape),
    ...green(kernels, shape),
    ...priorities(kernels),
    ...slices(shape),
  ];
}

function mps(n: number): Preset[] {
  const each = (percent: number): number[] => Array.from({ length: n }, () => percent);
  const round = (percent: number): number => Math.round(10 * percent) / 10;
  const of = (title: string, percentage: number[]): Preset => ({
    group: "MPS, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    title,
    note: MPS_NOTE,
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

const chunkOf = (gpu: string): number => (gpu === "h100-sxm5" || gpu === "h200-sxm" ? 8 : 2);

function partitions(n: number, { gpu, sms }: Shape): Preset[] {
  const chunk = chunkOf(gpu),
    split = chunked(n, sms, chunk);
  return split
    ? [
        {
          group: "MPS, static SM partitions",
          title: `${split[0]} SMs each, in chunks of ${chunk}`,
          note: PARTITION_NOTE,
          policy: { name: "spatial", split },
        },
      ]
    : [];
}

function green(n: number, { gpu, sms }: Shape): Preset[] {
  const step = chunkOf(gpu),
    least = step === 8 ? 8 : 4,
    small = Math.max(least, Math.floor(sms / 4 / step) * step),
    rest = n > 1 ? Math.floor((sms - small) / (n - 1) / step) * step : 0;
  const found: Preset[] = [];
  const of = (title: string, split: number[]): void => {
    found.push({ group: "Green contexts", title, note: GREEN_NOTE, policy: { name: "spatial", split } });
  };
  if (n > 1 && rest >= least) {
    of(`${small} SMs for the first, ${rest} for ${n > 2 ? "each of the others" : "the other"}`, [
      small,
      ...Array.from({ length: n - 1 }, () => rest),
    ]);
    const most = Math.floor((sms - least * (n - 1)) / step) * step;
    if (most > least)
      of(`${most} SMs for the first, ${least} for ${n > 2 ? "each of the others" : "the other"}: the least`, [
        most,
        ...Array.from({ length: n - 1 }, () => least),
      ]);
  }
  return found;
}

function priorities(n: number): Preset[] {
  const of = (title: string, first: number): Preset => ({
    group: "Stream priority",
    title,
    note: PRIORITY_NOTE,
    policy: { name: "priority", level: Array.from({ length: n }, (_, k) => (k === first ? -5 : 0)) },
  });
  const rest = n > 2 ? "the others" : "the other";
  return n > 1 ? [of(`−5 for the first, 0 for ${rest}`, 0), of(`−5 for the last, 0 for ${rest}`, n - 1)] : [];
}

function mig(n: number, { gpu }: Shape): Preset[] {
  const own = Object.hasOwn(MIG, gpu),
    on = own ? gpu : "a100-40gb",
    { profiles: all, channels } = MIG[on] as { profiles: Profile[]; channels: number };
  const by = (slices: number): Profile => all[slices - 1] as Profile;
  const alike = all.map((one) => Array.from({ length: n }, () => one.slices));
  const fits = (mix: number[]): boolean =>
    mix.reduce((sum, s) => sum + s, 0) <= 7 && mix.reduce((sum, s) => sum + by(s).eighths, 0) <= 8;
  return [...alike, ...(MIXED[n] ?? [])].filter(fits).map((mix): Preset => {
    const chosen = mix.map(by),
      names = chosen.map((one) => one.name);
    return {
      group: own ? "MIG" : "MIG (makes the GPU an A100)",
      title: new Set(names).size === 1 && n > 1 ? `${names[0]} each` : names.join(" + "),
      note: MIG_NOTE,
      policy: {
        name: "spatial",
        split: chosen.map((one) => one.sms),
        channels: chosen.map((one) => (one.eighths * channels) / 8),
      },
      ...(own ? {} : { gpu: on }),
    };
  });
}

function slices({ coreMhz }: Shape): Preset[] {
  const of = (title: string, slice: number): Preset => ({
    group: "Time slicing",
    title,
    note: SLICE_NOTE,
    policy: { name: "time-slice", slice },
  });
  return [
    of("2 ms: short, and the default", 2_000 * coreMhz),
    of("10 ms: medium", 10_000 * coreMhz),
    of("30 ms: long", 30_000 * coreMhz),
    of("100,000 cycles: shorter than any, to see turns soon", 100_000),
  ];
}

/** In few words: “MPS 50 % each”, “MIG 3g.20gb + 4g.20gb”. */
export const shortTitle = ({ group, title }: Preset): string =>
  `${group.replace(/[,(].*$/, "").trim()} ${title.replace(/:.*$/, "")}`;

/** The experiment with a preset: on the GPU that it needs, and long enough for two turns of each kernel. */
export function withPreset(experiment: Experiment, { policy, gpu }: Preset): Experiment {
  const next: Experiment = { ...structuredClone(experiment), policy: structuredClone(policy) };
  if (gpu !== undefined) next.gpu = gpu;
  const slice = typeof policy === "object" && !Array.isArray(policy) ? Number(policy["slice"] ?? 0) : 0,
    turns = 2 * next.kernels.length * slice,
    cycles = (next.stop as { cycles?: unknown } | undefined)?.cycles;
  if (typeof cycles === "number" && cycles < turns) next.stop = { cycles: turns };
  return next;
}

/** The presets that an experiment is: more than one where vendors' words mean the same. */
export function presetsOf(experiment: Experiment, shape: Shape): Preset[] {
  const policy = typeof experiment.policy === "object" && !Array.isArray(experiment.policy) ? experiment.policy : null;
  if (policy === null) return [];
  const text = (one: PolicyChoice): string => JSON.stringify(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
  return presets(experiment.kernels.length, shape).filter(
    (one) => one.gpu === undefined && text(one.policy) === text(policy),
  );
}
/** What an experiment's scheme is called in the vendors' words; null where they have none for it. */
export function vendorTitle(catalogue: Catalogue, experiment: Experiment): string | null {
  const [first] = presetsOf(experiment, shapeOf(catalogue, experiment.gpu));
  return first ? shortTitle(first) : null;
}

// The address bar: the whole experiment and the view, after the `#`.
//
// Two forms. Where an experiment is made of presets it can be read and typed:
//   #v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&cycles=500000
// Anything else is the experiment's JSON, packed: #v=1&z=<deflate-raw, base64url>.
// A second experiment that it is compared with has the same parts with “b.” before them: b.policy=ccbp. What is left out is as in the first.
// The view follows in both: c (cycle), from (where the stretch begins whose numbers are shown), sm (open SM), zoom (cycles shown), panel (the lane of the time axis that is large), lanes (those that were chosen), show (the open tab of the drawer), and last, e: the engine
// that made the link.
// Links are untrusted: every length is limited before it is worked on, and errors are messages in words.
// Whether the experiment itself makes sense is for the engine to say.
import shipped from "./answers.json" with { type: "json" };
import { sameEngine } from "./stamp.ts";
import type { Experiment, GpuChoice, KernelChoice, Zoom } from "./types.ts";

export interface View {
  cycle?: number;
  sm?: number;
  zoom?: Zoom;
  /** The lane of the time axis that is large, and those that the user has chosen. */
  panel?: string;
  lanes?: string;
  /** Where the stretch begins whose numbers are shown; it ends at `cycle`. */
  from?: number;
  /** The open tab of the drawer. */
  tab?: string;
}
export interface LinkState {
  experiment: Experiment;
  /** Compared with this one. */
  other?: Experiment;
  view: View;
  /** The stamp of the engine that made it. */
  engine?: string;
}

export class LinkError extends Error {
  /** What else to say: a link that cannot be read was mostly cut, unless it says that it is newer. */
  constructor(
    message: string,
    readonly advice = "It may have been cut when it was copied. Nothing of it was run.",
  ) {
    super(message);
  }
}

/** Refuses what is not of version 1. A newer page writes newer links. */
function checkVersion(version: string | undefined): void {
  if (version === undefined) throw new LinkError("It does not say its version (v=1).");
  if (version === "1") return;
  if (!/^[1-9]\d{0,5}$/.test(version))
    throw new LinkError(`It is of version “${quote(version)}”; this page reads version 1.`);
  throw new LinkError(
    `It is of format ${version}, which a newer Corun wrote; this page reads format 1.`,
    "Open it with the Corun that made it, or update this one (`git pull`, then `cargo xtask serve`). Nothing of it was run.",
  );
}

/** The parts that are the experiment: packed, or readable. */
const EXPERIMENT = ["z", "gpu", "mix", "policy", "order", "cta", "seed", "cycles"];

const MAX_HASH = 100_000;
const MAX_JSON = 1_000_000;
const MAX_DEPTH = 32;
/** Two kernels of as many launches as the engine takes have fewer in so long a text. */
const MAX_VALUES = 200_000;
const MAX_KERNELS = 64;

const NAME = /^[A-Za-z0-9][A-Za-z0-9/_.-]*$/;
const ENGINE = /^[A-Za-z0-9.+-]{1,60}$/;
/** A lane of the time axis: what it is of, and of which kernel. */
const LANE = /^[a-z]{1,20}(\.\d{1,3})?$/;
const ORDER = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

// ---------------------------------------------------------------- encoding

export async function encodeLink(state: LinkState): Promise<string> {
  const first = await written(state.experiment);
  const parts = ["v=1", ...first];
  if (state.other) parts.push(...(await second(first, state.other)));
  const { cycle, from, sm, zoom, panel, lanes, tab } = state.view;
  if (cycle !== undefined && cycle > 0) parts.push(`c=${cycle}`);
  if (from !== undefined && cycle !== undefined && from < cycle) parts.push(`from=${from}`);
  if (sm !== undefined) parts.push(`sm=${sm}`);
  if (zoom) parts.push(`zoom=${Math.round(zoom.from)}-${Math.round(zoom.to)}`);
  if (panel) parts.push(`panel=${panel}`);
  if (lanes) parts.push(`lanes=${lanes}`);
  if (tab) parts.push(`show=${tab}`);
  if (state.engine) parts.push(`e=${state.engine}`);
  return `#${parts.join("&")}`;
}

const packed = async (experiment: Experiment): Promise<string[]> => [`z=${await pack(JSON.stringify(experiment))}`];
const written = async (experiment: Experiment): Promise<string[]> => readable(experiment) ?? (await packed(experiment));

const B = "b.";
/** The parts of the second experiment: those that differ, at least one. One that leaves out what the first says is packed. */
async function second(first: readonly string[], experiment: Experiment): Promise<string[]> {
  const key = (part: string): string => part.slice(0, part.indexOf("="));
  let other = await written(experiment);
  if (key(first[0] ?? "") !== "z" && first.some((part) => !other.some((one) => key(one) === key(part))))
    other = await packed(experiment);
  const rest = other.filter((part) => !first.includes(part));
  const parts = key(first[0] ?? "") === "z" ? other : rest.length > 0 ? rest : other.slice(0, 1);
  return parts.map((part) => `${B}${part}`);
}

/** The parts of the readable form, or null if the experiment does not fit it. Decoding them gives the same experiment. */
function readable(experiment: Experiment): string[] | null {
  const parts: string[] = [];
  for (const key of Object.keys(experiment)) {
    if (!["corun", "gpu", "kernels", "policy", "seed", "stop", "warp_order", "cta_order"].includes(key)) return null;
  }
  if (experiment.corun !== 1 || typeof experiment.gpu !== "string" || !NAME.test(experiment.gpu)) return null;
  parts.push(`gpu=${experiment.gpu}`);
  if (!Array.isArray(experiment.kernels) || experiment.kernels.length === 0) return null;
  const mix: string[] = [];
  for (const kernel of experiment.kernels) {
    const text = readableKernel(kernel);
    if (text === null) return null;
    mix.push(text);
  }
  parts.push(`mix=${mix.join("+")}`);
  const policy = experiment.policy;
  if (policy !== undefined) {
    if (
      typeof policy !== "object" ||
      policy === null ||
      Array.isArray(policy) ||
      typeof policy.name !== "string" ||
      Object.keys(policy).length !== 1
    )
      return null;
    if (!/^[A-Za-z0-9][A-Za-z0-9+_.-]*$/.test(policy.name)) return null;
    parts.push(`policy=${encodeURIComponent(policy.name)}`);
  }
  for (const [key, short] of [
    ["warp_order", "order"],
    ["cta_order", "cta"],
  ] as const) {
    const value = experiment[key];
    if (value === undefined) continue;
    if (typeof value !== "string" || !ORDER.test(value)) return null;
    parts.push(`${short}=${value}`);
  }
  if (experiment.seed !== undefined) {
    if (!Number.isSafeInteger(experiment.seed) || experiment.seed < 0) return null;
    parts.push(`seed=${experiment.seed}`);
  }
  if (experiment.stop !== undefined) {
    const { cycles, ...more } = experiment.stop as { cycles?: unknown };
    if (!Number.isSafeInteger(cycles) || Number(cycles) < 0 || Object.keys(more).length > 0) return null;
    parts.push(`cycles=${Number(cycles)}`);
  }
  return parts;
}

function readableKernel(kernel: KernelChoice): string | null {
  if (typeof kernel === "string") return NAME.test(kernel) ? kernel : null;
  const keys = Object.keys(kernel);
  const { kernel: name, ctas_per_sm: ctas } = kernel as { kernel?: unknown; ctas_per_sm?: unknown };
  if (keys.length !== 2 || typeof name !== "string" || !NAME.test(name)) return null;
  return Number.isSafeInteger(ctas) && (ctas as number) >= 0 ? `${name}:${ctas as number}` : null;
}

// ---------------------------------------------------------------- decoding

/** What a hash has, by name; null for an empty one. */
export function linkFields(hash: string, most: number): Map<string, string> | null {
  const text = hash.replace(/^#/, "");
  if (text === "") return null;
  if (text.length > most) throw new LinkError(`It is longer than ${most.toLocaleString("en")} characters.`);
  const fields = new Map<string, string>();
  for (const part of text.split("&")) {
    const [, key = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(part) ?? [];
    if (fields.has(key)) throw new LinkError(`It has “${quote(key)}” twice.`);
    try {
      fields.set(key, decodeURIComponent(value));
    } catch {
      throw new LinkError(`The value of “${quote(key)}” is cut or damaged.`);
    }
  }
  checkVersion(fields.get("v"));
  return fields;
}

/** The state in a hash; null for an empty one. Throws a LinkError that says what is wrong. */
export async function decodeLink(hash: string): Promise<LinkState | null> {
  const fields = linkFields(hash, MAX_HASH);
  if (!fields) return null;
  const known = [
    "v",
    ...EXPERIMENT,
    "c",
    "sm",
    "zoom",
    "panel",
    "lanes",
    "from",
    "show",
    "e",
    ...EXPERIMENT.map((key) => `${B}${key}`),
  ];
  for (const key of fields.keys())
    if (!known.includes(key)) throw new LinkError(`It has a part that this page does not know: “${quote(key)}”.`);

  const own = new Map([...fields].filter(([key]) => EXPERIMENT.includes(key)));
  const others = new Map(
    [...fields]
      .filter(([key]) => key.startsWith(B))
      .map(([key, value]): [string, string] => [key.slice(B.length), value]),
  );
  // A part of its own in the readable form changes the first; a first that is packed has none that could be left as they are.
  const other =
    others.size === 0 ? null : await fromParts(others.has("z") || own.has("z") ? others : new Map([...own, ...others]));
  const engine = fields.get("e");
  if (engine !== undefined && !ENGINE.test(engine))
    throw new LinkError("The engine that it names is no engine's name.");
  return {
    experiment: await fromParts(own),
    ...(other ? { other } : {}),
    view: viewFrom(fields),
    ...(engine === undefined ? {} : { engine }),
  };
}

/** An experiment from its parts: packed, or readable. */
async function fromParts(fields: Map<string, string>): Promise<Experiment> {
  const packed = fields.get("z");
  if (packed === undefined) return fromFields(fields);
  for (const key of EXPERIMENT.slice(1))
    if (fields.has(key)) throw new LinkError(`It has both “z” and “${key}”: only one of them can be the experiment.`);
  return fromPacked(packed);
}

/** What to say of a link that another engine than `here` has made; null for one of this engine, and for one that names none. */
export function otherEngine(link: LinkState, here: string): string | null {
  if (link.engine === undefined || sameEngine(link.engine, here)) return null;
  return `This link was made with engine ${link.engine}; this is ${here}: its numbers may differ from those that its maker saw.`;
}

function fromFields(fields: Map<string, string>): Experiment {
  const gpu = fields.get("gpu");
  const mix = fields.get("mix");
  if (!gpu) throw new LinkError("It does not say which GPU (gpu=…).");
  if (!mix) throw new LinkError("It does not say which kernels (mix=…).");
  const names = mix.split(/[+ ]/);
  if (names.length > MAX_KERNELS) throw new LinkError(`Its mix has ${names.length} kernels.`);
  const kernels = names.map((name): KernelChoice => {
    const [kernel = "", ctas, ...more] = name.split(":");
    if (!NAME.test(kernel) || more.length > 0) throw new LinkError(`“${quote(name)}” is not a kernel's name.`);
    return ctas === undefined ? kernel : { kernel, ctas_per_sm: whole(ctas, `the CTA limit of ${quote(kernel)}`) };
  });
  const experiment: Experiment = { corun: 1, gpu, kernels };
  const policy = fields.get("policy");
  if (policy !== undefined) experiment.policy = { name: policy };
  const order = fields.get("order");
  if (order !== undefined) experiment.warp_order = order;
  const cta = fields.get("cta");
  if (cta !== undefined) experiment.cta_order = cta;
  const seed = fields.get("seed");
  if (seed !== undefined) experiment.seed = whole(seed, "the seed");
  const cycles = fields.get("cycles");
  if (cycles !== undefined) experiment.stop = { cycles: whole(cycles, "the number of cycles") };
  return withWholeNames(experiment);
}

async function fromPacked(packed: string): Promise<Experiment> {
  const text = await unpack(packed);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LinkError("Its packed experiment is not JSON.");
  }
  // Each value costs the page some microseconds, over all schemes. A comma stands behind all but one of a list.
  if (text.split(",").length > MAX_VALUES)
    throw new LinkError(`Its experiment has more than ${MAX_VALUES.toLocaleString("en")} values.`);
  return asExperiment(value);
}

/** Whether a value is nested deeper than that; what recurses has to know it first. */
export function deeperThan(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((v) => (typeof v === "object" && v !== null ? Object.values(v) : []));
  }
  return false;
}

/** A value that can be edited and sent as an experiment: an object, with a list of kernels, not too deep. */
export function asExperiment(value: unknown): Experiment {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new LinkError('An experiment is a JSON object: { "corun": 1, … }.');
  if (deeperThan(value, MAX_DEPTH)) throw new LinkError(`The experiment is nested more than ${MAX_DEPTH} deep.`);
  const { kernels, gpu, policy } = value as Record<string, unknown>;
  if (!Array.isArray(kernels)) throw new LinkError("The experiment has no list of kernels.");
  if (kernels.length > MAX_KERNELS) throw new LinkError(`The experiment has ${kernels.length} kernels.`);
  const object = (v: unknown): boolean => typeof v === "object" && v !== null && !Array.isArray(v);
  if (!kernels.every((k) => typeof k === "string" || object(k)))
    throw new LinkError("A kernel of the experiment is neither a name nor an object.");
  if (gpu !== undefined && typeof gpu !== "string" && !object(gpu))
    throw new LinkError("The experiment's GPU is neither a preset's name nor an object.");
  if (policy !== undefined && ![policy].flat().every((one) => typeof one === "string" || object(one)))
    throw new LinkError("The experiment's policy is neither a name, an object, nor a list of these.");
  return withWholeNames(value as Experiment);
}

/** GPUs by the shorter names that people say for them. */
const ALIASES: Readonly<Record<string, string>> = shipped.aliases;

/** An experiment with whole names of GPUs: everything behind links and files knows these alone. */
function withWholeNames(experiment: Experiment): Experiment {
  const whole = (name: string): string => (Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name);
  const named = (gpu: GpuChoice): GpuChoice =>
    typeof gpu === "string" ? whole(gpu) : { ...gpu, preset: whole(gpu.preset) };
  const { gpu, alone_gpu: alone } = experiment;
  return {
    ...experiment,
    ...(gpu === undefined ? {} : { gpu: named(gpu) }),
    ...(alone === undefined || alone === null ? {} : { alone_gpu: named(alone) }),
  };
}

function viewFrom(fields: Map<string, string>): View {
  const view: View = {};
  const cycle = fields.get("c");
  if (cycle !== undefined) view.cycle = whole(cycle, "the cycle");
  const sm = fields.get("sm");
  if (sm !== undefined) view.sm = whole(sm, "the SM");
  const zoom = fields.get("zoom");
  if (zoom !== undefined) {
    const [from = "", to = "", ...more] = zoom.split("-");
    if (more.length > 0) throw new LinkError("Its zoom is not “from-to”.");
    view.zoom = { from: whole(from, "the zoom"), to: whole(to, "the zoom") };
    if (view.zoom.from >= view.zoom.to) throw new LinkError("Its zoom ends before it begins.");
  }
  const panel = fields.get("panel");
  if (panel !== undefined) {
    if (!LANE.test(panel)) throw new LinkError("Its large lane of the time axis is none.");
    view.panel = panel;
  }
  const lanes = fields.get("lanes");
  if (lanes !== undefined) {
    if (lanes.length > 200 || !lanes.split(",").every((one) => LANE.test(one)))
      throw new LinkError("Its list of lanes is damaged.");
    view.lanes = lanes;
  }
  const from = fields.get("from");
  if (from !== undefined) {
    view.from = whole(from, "the first cycle of the stretch");
    if (view.from >= (view.cycle ?? 0)) throw new LinkError("Its stretch (from) ends before it begins (c).");
  }
  const tab = fields.get("show");
  if (tab !== undefined) {
    if (!/^[a-z-]{1,20}$/.test(tab)) throw new LinkError("Its tab of the drawer is none.");
    view.tab = tab;
  }
  return view;
}

function whole(text: string, what: string): number {
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(value))
    throw new LinkError(
      `${what[0]?.toUpperCase()}${what.slice(1)} is “${quote(text)}”, which is not a whole number up to ${Number.MAX_SAFE_INTEGER.toLocaleString("en")}.`,
    );
  return value;
}

export const quote = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

// ---------------------------------------------------------------- packing

export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function unpack(packed: string, what = "experiment"): Promise<string> {
  if (!/^[A-Za-z0-9_-]+$/.test(packed))
    throw new LinkError(`Its packed ${what} has characters that do not belong there.`);
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    throw new LinkError(`Its packed ${what} is cut or damaged.`);
  }
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      // A few bytes can unpack to gigabytes: stop as soon as it is more than any experiment has.
      if (text.length > MAX_JSON) break;
    }
  } catch {
    throw new LinkError(`Its packed ${what} is cut or damaged.`);
  }
  void reader.cancel().catch(() => undefined);
  throw new LinkError(`Its packed ${what} unpacks to more than a million characters.`);
}

/** One thing wrong with an input. */
export interface Problem { path: string; found: string; want: string }
/** What the constructor and the setters throw for bad input. */
export interface ExperimentError extends Error { problems: Problem[] }
/** Why an advance returned. */
export type Reason = "budget" | "event" | "cycles" | "kernels_done" | "stuck";
/** A key with words for people. */
export interface Named { key: string; title: string; doc: string }
/** Where everything is in `frame()`: sections of u32, row-major. */
export interface FrameLayout {
  length: number;
  sections: { name: string; offset: number; shape: number[]; doc: string }[];
  kernels: string[];
  stalls: Named[];
  warp_states: Named[];
  sms: { class: string; slots: number; schedulers: number; warps: number; threads: number; registers: number; shared_bytes: number }[];
  banks: number;
  channels: number;
  dram_banks: number;
  capacity: { request_queue: number; reply_queue: number; l2_queue: number; l2_mshr: number; dram_queue: number; mshr: number; miss_queue: number };
}
/** The columns of `windows()`. */
export interface WindowsLayout {
  window: number;
  /** The core clock: what a cycle of the columns takes. */
  core_mhz: number;
  columns: { key: string; unit: string; title: string; doc: string; kernel: number | null }[];
  peaks: { noc_bytes_per_cycle: number; dram_bytes_per_cycle: number; ipc: number };
}
/** An entry of the policy's log: a topic with its values (`corun schema result` has them all), and the same as a sentence for people. */
export interface Decision { cycle: number; kernel: number | null; topic: string; values: Record<string, number | string | number[]>; text: string }
/** A parameter of a policy, enough to build a form from. */
export interface PolicyParam {
  name: string;
  kind: "int" | "number" | "choice" | "per_kernel_int" | "per_kernel_number" | "per_kernel_list" | "bool" | "controls";
  unit: string;
  min?: number;
  max?: number;
  required: boolean;
  /** What holds where it is left out, in words or as a value. */
  default: unknown;
  choices?: string[];
  doc: string;
}
/** Everything that can be chosen by name. */
export interface Catalogue {
  gpus: { name: string; title: string; source: string; doc: string }[];
  gpu_fields: { path: string; unit: string; min?: number; max?: number; doc: string; kind: "int" | "choice"; choices?: string[]; values: Record<string, number | string> }[];
  kernels: { name: string; title: string; doc: string; source: string; threads: number; registers: number; shared_bytes: number; ctas: number; launches: number; fits: Record<string, number> }[];
  policies: { name: string; title: string; doc: string; source: string; params: PolicyParam[] }[];
  warp_orders: { name: string; doc: string; takes?: "group size" }[];
  cta_orders: { name: string; doc: string }[];
  probes: ProbeInfo[];
  metrics: { key: string; title: string; unit: string; scope: string; formula: string; doc: string }[];
  experiments: { name: string; title: string; experiment: object }[];
}
/** An option of a probe, enough to build a form from. */
export interface ProbeOption { name: string; unit: string; kind: "int" | "number" | "choice" | "flag"; min?: number; max?: number; choices?: string[]; default: number | string | boolean | null; doc: string }
/** A component that `probe` can drive: along `sweep` its figures make curves. */
export interface ProbeInfo {
  name: string;
  title: string;
  doc: string;
  sweep: string;
  points: string;
  figures: { key: string; title: string; unit: string; law: string }[];
  presets: { name: string; options: Record<string, number | string | boolean> }[];
  options: ProbeOption[];
}
/** A probe's figures; `theory` has what the laws say of them. Null: nothing was measured, or the law does not apply. */
export interface ProbeResult { theory: Record<string, number | null>; [figure: string]: number | null | Record<string, number | null> }
/** A point of a sweep: what the axes set, and what must run for it. */
export interface SweepPoint {
  axes: Record<string, unknown>;
  config_hash: string;
  /** The experiment as the sweep's file writes it. */
  experiment: object;
  /** Cycles that it runs; null where it runs until its kernels are done. */
  cycles: number | null;
  /** For each kernel whose IPC alone is wanted, the name of the run that measures it: equal names, equal runs. */
  alone: string[];
}

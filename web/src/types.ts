// What crosses between the engine (WebAssembly, in a worker) and the page, and between the page and its views.

/** One thing that is wrong with an experiment: where, what was found, what is wanted. */
export interface Problem { path: string; found: string; want: string }

/** Why the simulation returned from an advance. */
export type Reason = "budget" | "cycles" | "kernels_done" | "stuck" | "event";

// ---------------------------------------------------------------- a frame: the machine at one cycle, as u32 words

export interface FrameSection { name: string; offset: number; shape: number[]; doc: string }
export interface Named { key: string; title: string; doc: string }
export interface SmShape {
  class: string; slots: number; schedulers: number; warps: number; threads: number; registers: number; shared_bytes: number;
}
export interface FrameLayout {
  length: number;
  sections: FrameSection[];
  kernels: string[];
  stalls: Named[];
  warp_states: Named[];
  sms: SmShape[];
  banks: number;
  channels: number;
  dram_banks: number;
  capacity: {
    request_queue: number; reply_queue: number; l2_queue: number; l2_mshr: number; dram_queue: number; mshr: number; miss_queue: number;
  };
}

// ---------------------------------------------------------------- windows: what happened in each 400 cycles

export interface WindowColumn { key: string; unit: string; title: string; doc: string; kernel: number | null }
export interface WindowsLayout {
  /** Cycles in a window. */
  window: number;
  /** The core clock, in which the cycles are. */
  core_mhz: number;
  columns: WindowColumn[];
  peaks: { noc_bytes_per_cycle: number; dram_bytes_per_cycle: number; ipc: number };
}

export interface Decision { cycle: number; kernel: number | null; topic: string; values: Record<string, number | string | number[]>; text: string }

// ---------------------------------------------------------------- the catalogue: what there is to choose from

export interface GpuEntry { name: string; title: string; source: string; doc: string }
export interface GpuField {
  path: string; unit: string; min: number; max: number; doc: string;
  kind: "int" | "choice"; choices?: string[]; values: Record<string, number | string>;
}
export interface KernelEntry {
  name: string; title: string; doc: string; source: string; threads: number; registers: number; shared_bytes: number; ctas: number;
}
export interface PolicyParam {
  name: string; kind: "int" | "number" | "choice" | "per_kernel_int" | "per_kernel_number" | "per_kernel_list" | "bool" | "controls"; unit: string;
  min: number; max: number; choices?: string[]; doc: string;
  /** A value, or words for what holds when it is left out. */
  default: unknown;
  /** It cannot be left out. */
  required?: boolean;
}
export interface PolicyEntry { name: string; title: string; doc: string; source: string; params: PolicyParam[] }
export interface OrderEntry { name: string; doc: string; takes?: string }
export interface MetricEntry { key: string; title: string; unit: string; scope: string; formula: string; doc: string }
export interface Catalogue {
  gpus: GpuEntry[];
  gpu_fields: GpuField[];
  kernels: KernelEntry[];
  policies: PolicyEntry[];
  warp_orders: OrderEntry[];
  cta_orders: OrderEntry[];
  metrics: MetricEntry[];
  experiments: { name: string; title: string; experiment: Experiment }[];
}

// ---------------------------------------------------------------- an experiment, as the format has it

export type GpuChoice = string | ({ preset: string } & Record<string, number | string>);
/** A preset's name, a preset with settings, or a whole kernel. */
export type KernelChoice = string | Record<string, unknown>;
export type PolicyChoice = { name: string } & Record<string, unknown>;
export interface Experiment {
  corun: 1;
  name?: string;
  source?: string;
  seed?: number;
  /** Left out: the engine's own choice. */
  gpu?: GpuChoice;
  kernels: KernelChoice[];
  policy?: PolicyChoice | string;
  warp_order?: unknown;
  cta_order?: unknown;
  stop?: unknown;
  restart?: boolean;
  alone?: boolean;
  [more: string]: unknown;
}

/** A result, as far as the page reads it. A value that is missing is null or absent, never 0. */
export interface KernelResult {
  name: string; ipc?: number | null; ipc_alone?: number | null; slowdown?: number | null;
  thread_instructions?: number; warp_instructions?: number; ctas_done?: number; runs_done?: number;
  noc_utilisation?: number | null; dram_utilisation?: number | null; l1_hit_rate?: number | null; l2_miss_rate?: number | null;
  [more: string]: unknown;
}
export interface Result {
  engine: string; config_hash: string; digest: string; seed: number; cycles: number; stop?: string;
  gpu: Record<string, number | null | undefined>;
  kernels: KernelResult[];
  metrics?: Record<string, number | null | undefined>;
  [more: string]: unknown;
}

// ---------------------------------------------------------------- the views (src/views/index.ts)

/** A picture of the machine at one cycle. */
export interface FrameView extends HTMLElement {
  /** A new simulation: its shape. Comes before the first update, and clears what was drawn. */
  setLayout(layout: FrameLayout, catalogue: Catalogue): void;
  /** The frame is only lent: do not keep it after the call. */
  update(frame: Uint32Array): void;
  reset(): void;
}
/** A picture that has a selected SM: `<corun-sm-grid>` chooses it (event `select-sm`), `<corun-sm-detail>` shows it. */
export interface SmView extends FrameView { selected: number | null }
/** Fired by the grid, bubbling: CustomEvent<SelectSm>. */
export interface SelectSm { sm: number | null }

/** Charts over time. */
export interface Zoom { from: number; to: number }
export interface WindowView extends HTMLElement {
  setLayout(layout: WindowsLayout, kernels: string[]): void;
  /** Complete windows that are new since the last call, row-major, columns as in the layout. */
  setWindows(layout: WindowsLayout, rows: Float64Array): void;
  /** The policy's whole log so far: marks on the time axis, with their text. */
  setDecisions(decisions: readonly Decision[]): void;
  reset(): void;
  /** The cycles shown; null shows all. Fires `zoom` (bubbling, CustomEvent<Zoom | null>) when the user changes it. */
  zoom: Zoom | null;
  /** Which charts are open: fires `panel` (CustomEvent<string>) when the user changes it; empty is the default set. */
  panel: string;
}

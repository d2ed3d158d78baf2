// What crosses between the engine and JavaScript. These lines stand in the module's own declarations (`corun.d.ts`), from which the page and
// its tests import them: they are written nowhere else.

/** One thing wrong with an input: where, what was found, what is wanted. */
export interface Problem { path: string; found: string; want: string }
/** What the constructor and the setters throw for bad input. */
export interface ExperimentError extends Error { problems: Problem[] }
/** Why an advance returned. */
export type Reason = "budget" | "event" | "cycles" | "kernels_done" | "settled" | "stuck" | "failed";
/** A key with words for people. */
export interface Named { key: string; title: string; doc: string }

// ---------------------------------------------------------------- parts of the format by themselves

/** Settings of the machine, by name, in the shape that the policy `manual` takes. */
export type Controls = Record<string, unknown>;

/** The two ends of a 95 % interval; null where the run is too short to have one, or there is no number. */
export type Interval = [number, number] | null;
/** Intervals by the keys of the figures that they belong to; those of an inner object stand in an inner object. */
export interface IntervalsOf { [key: string]: Interval | undefined | Record<string, Interval> }
/** What `intervals()` gives while a run goes on. */
export interface Intervals { ci95: Ci95; settled?: Settled }
// ---------------------------------------------------------------- a frame: the machine at one cycle, as u32 words

export interface FrameSection { name: string; offset: number; shape: number[]; doc: string }
export interface SmShape { class: string; slots: number; schedulers: number; warps: number; threads: number; registers: number; shared_bytes: number; mshrs: number; miss_queue: number; l1_bytes: number; l1_protocol: string; /** When a launch begins, lines of arrays that are read only stay. */ l1_keeps_read_only: boolean }
/** Where everything is in `frame()`: sections of u32, row-major. */
export interface FrameLayout {
  length: number;
  /** The core clock: a cycle is so much less than a microsecond. */
  core_mhz: number;
  sections: FrameSection[];
  kernels: string[];
  stalls: Named[];
  warp_states: Named[];
  sms: SmShape[];
  banks: number;
  channels: number;
  dram_banks: number;
  /** Where everything sits: the router of each SM and DRAM channel; L2 bank i sits at router i. Its clock. Null where there is no mesh. */
  mesh: { width: number; height: number; sms: number[]; channels: number[]; mhz: number } | null;
  /** Of each kernel, the grid of every launch of its sequence: CTAs along x, y, z. */
  grids: [number, number, number][][];
  /** The arrays of all kernels in turn: what `l1Contents()` tells apart. */
  arrays: { kernel: number; name: string; bytes: number; read_only: boolean }[];
  /** What `launchEnds()` counts. */
  counters: { key: string; unit: string; doc: string }[];
  capacity: { request_queue: number; reply_queue: number; l2_queue: number; l2_mshr: number; dram_queue: number };
}

/** CTAs of a launch from a first one to before an end. */
export type CtaRange = [number, number];
/** What an SM has before it of a kernel's launch. */
export interface Share {
  /** Its chunk, less what others have stolen of it; null where the CTA order does not keep it. */
  chunk: CtaRange | null;
  /** The part of it that has not begun. */
  left: CtaRange;
  /** CTAs that it has stolen, the oldest first; and the places in it of those that have not begun. */
  queue: number[];
  waiting: CtaRange;
}
export interface Shares { /** SMs go from the end of their chunks to the beginning. */ backward: boolean; /** The next launch deals chunks anew. */ deals_anew: boolean; sms: Share[] }

// ---------------------------------------------------------------- windows, and the policy's log

export interface WindowColumn { key: string; unit: string; title: string; doc: string; kernel: number | null }
/** The columns of `windows()`. */
export interface WindowsLayout {
  /** Cycles in a window. */
  window: number;
  /** The core clock: what a cycle of the columns takes. */
  core_mhz: number;
  columns: WindowColumn[];
  /** Null of an ideal NoC and an ideal DRAM, which have none. */
  peaks: { noc_bytes_per_cycle: number | null; dram_bytes_per_cycle: number | null; /** As CCBP §3 has it. */ noc_sustainable_bytes_per_cycle: number | null; ipc: number };
}

/** What a mechanism or a policy shows of itself: a table. `course`: the column of windows that has its course over time. */
export interface ShownTable {
  key: string; title: string; doc: string; row: string; course: string | null;
  columns: { title: string; unit: string; doc: string; kernel: number | null }[];
  rows: { name: string | number | null; kernel: number | null; cells: (string | number | null)[] }[];
}
/** The fields of what `allocation()` is asked and of each kernel in it, as the catalogue's records have them, and a question to begin with. */
export interface AllocationForm { question: RecordEntry; kernel: RecordEntry; start: Record<string, unknown> & { kernels: Record<string, unknown>[] } }

// ---------------------------------------------------------------- the catalogue: everything that can be chosen by name

export interface GpuEntry { name: string; title: string; source: string; doc: string; /** Shorter names that experiments may say. */ aliases: string[] }
export interface GpuField {
  path: string;
  unit: string;
  min?: number;
  max?: number;
  doc: string;
  kind: "int" | "choice";
  choices?: string[];
  /** By preset. */
  values: Record<string, number | string>;
}
export interface KernelEntry {
  name: string;
  title: string;
  doc: string;
  source: string;
  threads: number;
  registers: number;
  shared_bytes: number;
  ctas: number;
  launches: number;
  /** CTAs that an SM of each preset holds. */
  fits: Record<string, number>;
}
/** A field of a record, enough to build its form from; what else it has depends on its kind. */
export interface RecordField { name: string; unit: string; doc: string; required: boolean; default: unknown; kind: string; [more: string]: unknown }
/** A record of the format, and its rules across fields. */
export interface RecordEntry { name: string; doc: string; fields: RecordField[]; rules: { name: string; says: string }[] }
/** A parameter of a policy or of a CTA order, enough to build a form from. */
export interface PolicyParam {
  name: string;
  kind: "int" | "number" | "choice" | "per_kernel_int" | "per_kernel_number" | "per_kernel_list" | "per_kernel_text" | "bool" | "record" | "text";
  unit: string;
  min?: number;
  max?: number;
  /** It cannot be left out. */
  required: boolean;
  /** What holds where it is left out, in words or as a value. */
  default: unknown;
  choices?: string[];
  doc: string;
}
export interface PolicyEntry { name: string; title: string; doc: string; source: string; /** Whether it looks at kernels' goals, as its settings are where none is given. */ keeps_goals: boolean; params: PolicyParam[] }
/** How vendors let GPUs be shared, in their words. */
export interface Vendors {
  /** What a policy is called: `head`, then the values of the first of these parameters that is given, each with its unit. */
  words: { policy: string; head: string; values: { param: string; unit: string }[]; setting: string; note: string }[];
  /** Of GPUs: fewest SMs of a green context and their steps; profiles of MIG, the smallest first, with their SMs, their eighths of the memory, and where these may begin. */
  gpus: { gpu: string; least_sms: number; step_sms: number; mig: { name: string; sms: number; memory: number; starts: number[] }[] }[];
  time_slices: { word: string; ms: number }[];
}
export interface OrderEntry { name: string; doc: string; takes?: string }
export interface CtaOrderEntry extends OrderEntry { source: string; params: PolicyParam[] }
export interface MetricEntry {
  key: string;
  title: string;
  unit: string;
  /** Of what it is a figure. */
  scope: "kernel" | "gpu and kernel" | "mix" | "gpu" | "energy";
  formula: string;
  /** Digits behind the point that people are shown. */
  digits: number;
  /** Which end is the better one; null for neither. */
  better: "more" | "less" | null;
  doc: string;
}
/** A control, as the engine's registry has it. */
export interface ControlEntry {
  key: string;
  title: string;
  unit: string;
  /** What there is a value for. */
  scope: "GPU" | "kernel" | "SM" | "kernel on SM";
  /** What holds where it is left out, in words. */
  neutral: string;
  doc: string;
  /** When it bites, and what happens to work in flight. */
  bites: string;
  kind: "flag" | "int" | "limit" | "requests" | "numbers" | "sms" | "choice" | "warp_order";
  min?: number;
  max?: number;
  choices?: string[];
}
/** A name that a script can say. */
export interface ScriptName { name: string; unit: string; doc: string }
/** What a script can say, and examples. */
export interface ScriptWords {
  /** The functions that are called. */
  hooks: { name: string; params: string[]; doc: string }[];
  /** Functions that it can call. */
  functions: { call: string; doc: string }[];
  /** Of `seen`, of a kernel, of an SM, of a kernel on an SM. */
  run: ScriptName[];
  kernel: ScriptName[];
  sm: ScriptName[];
  on_sm: ScriptName[];
  counters: ScriptName[];
  examples: { name: string; title: string; source: string }[];
}
export interface Catalogue {
  gpus: GpuEntry[];
  gpu_fields: GpuField[];
  kernels: KernelEntry[];
  policies: PolicyEntry[];
  vendors: Vendors;
  controls: ControlEntry[];
  script: ScriptWords;
  warp_orders: OrderEntry[];
  cta_orders: CtaOrderEntry[];
  probes: ProbeInfo[];
  metrics: MetricEntry[];
  /** What can be taken away from a run, and the policies that act on it. */
  cures: { name: string; words: string; policies: string[] }[];
  /** Every record of the format, enough to build its form from. */
  records: RecordEntry[];
  experiments: { name: string; title: string; experiment: Experiment }[];
}

// ---------------------------------------------------------------- probes and sweeps

export type OptionValue = number | string | boolean;
/** An option of a probe, enough to build a form from. */
export interface ProbeOption {
  name: string;
  unit: string;
  kind: "int" | "number" | "choice" | "bool";
  min?: number;
  max?: number;
  choices?: string[];
  default: OptionValue | null;
  doc: string;
}
export interface ProbeFigure { key: string; title: string; unit: string; law: string }
/** A component that `probe` can drive: along `sweep` its figures make curves. */
export interface ProbeInfo {
  name: string;
  title: string;
  doc: string;
  sweep: string;
  points: string;
  figures: ProbeFigure[];
  presets: { name: string; options: Record<string, OptionValue> }[];
  options: ProbeOption[];
}
/** A probe's figures; `theory` has what the laws say of them. Null: nothing was measured, or the law does not apply. */
export interface ProbeResult { theory: Record<string, number | null>; [figure: string]: number | null | Record<string, number | null> }
/** A point of a sweep: what the axes set, and what must run for it. */
export interface SweepPoint {
  axes: Record<string, unknown>;
  config_hash: string;
  /** The experiment as the sweep's file writes it. */
  experiment: Experiment;
  /** Cycles that it runs, its warm-up with them; null where it runs until its kernels are done. */
  cycles: number | null;
  /** For each kernel whose IPC alone is wanted, the name of the run that measures it: equal names, equal runs. */
  alone: string[];
}

// ---------------------------------------------------------------- a GPU that was measured

/** A kernel beside another: how many times as long as alone it takes, on the GPU and simulated; `measured_first`: the other came after it. */
export interface SiliconPair { kernel: string; beside: string; measured: number | null; measured_first: number | null; simulated: number | null }
/** What kernels took on a GPU, and what the machine makes of the same. */
export interface Silicon {
  gpu: string;
  date: string;
  /** The kernels, in the order of the file; null for a program that the machine cannot run. */
  alone: { kernel: string; ms: number; program: object | null; simulated_over_measured: number | null }[];
  /** Each beside each. */
  pairs: SiliconPair[];
  title: string;
  /** Presets with as many SMs, each with the part of it to simulate. */
  presets: { name: string; scale: string }[];
  /** Sentences on kernels alone, a table of errors with its heading, and how often questions are answered right; null where nothing was simulated. */
  summary: { alone: string[]; errors: string[][]; right: string } | null;
}

// ---------------------------------------------------------------- runs alone

/** What a run of one kernel alone says: rates over the whole GPU for each core cycle, shares of peaks, and whether it got stuck. */
export interface Answer { ipc: number; warp_ipc: number; noc_utilisation: number; dram_utilisation: number; ipc_ci95?: Interval; stuck: boolean }
/** What a kernel did in a run that tells why. */
export interface Tried { ipc: number | null; ci95: Interval; held: number | null }
/** A run alone that another one needs the answer of; equal hashes, equal runs. */
export interface PlannedRun { hash: string; name: string; experiment: Experiment }
/** The runs alone that an experiment needs: what its policy has to know before it begins, and what its result compares with. */
export interface Plan { profile: PlannedRun[]; alone: PlannedRun[] }

// ---------------------------------------------------------------- predictions

export type Reading = "literal" | "clamped" | "elected" | "i_only" | "fluid";
/** A time in which the same kernels run; `kernels` is how many, `sum` the bandwidth that they ask for. */
export interface PredictWindow { start: number; end: number; kernels: number; sum: number; interference: number }
/** A kernel in one window. The single penalties are null where the sum is below the sustained bandwidth. */
export interface PredictPart {
  end: number;
  share: number;
  sum: number;
  interference: number;
  penalty: number;
  penalty_sm: number | null;
  penalty_access: number | null;
  penalty_bandwidth: number | null;
  penalties: number | null;
}
export interface PredictedKernel {
  name: string;
  sms: number;
  tc: number;
  latency: number;
  /** Over `latency_alone`, alone on the same SMs. */
  slowdown: number;
  /** That it asks for alone on the same SMs. */
  bandwidth: number;
  latency_alone: number;
  bandwidth_shared: number | null;
  naive: number;
  /** Its latency by each reading. */
  readings: Record<Reading, number>;
  deadline: number | null;
  meets: boolean | null;
  windows: PredictPart[];
}
export interface Prediction {
  name: string;
  makespan: number;
  platform: { sms: number; l2_banks: number; bandwidth_max: number; bandwidth_sustained: number; threshold: number };
  /** Of `planPartition`. */
  plan?: { step: number; tried: number; meets: boolean };
  /** What has to be said of it, for people. */
  notes: string[];
  kernels: PredictedKernel[];
  windows: PredictWindow[];
}

// ---------------------------------------------------------------- all schemes of a mix as a race

/** Where a scheme stands: cycles that it has run; since when it has shared the GPU as it will, null while that changes; harmonic speedup. */
export interface Standing { cycle: number; steady_since: number | null; speedup: number | null; ends: Interval }
/** What becomes of the schemes, in the order of their standings, and the cycle to which those run that go on; null where none does. */
export interface Race { to: number | null; fates: Fate[] }
/** `behind`: which part of the first one's speedup it lacks at least, where it is dropped for that; null while it races and where it has run whole. */
export interface Fate { goes_on: boolean; behind: number | null }

// ---------------------------------------------------------------- recorded kernels

/** What a recording is called in experiments, and its kernels as these have them, one for each stream. */
export interface RecordingKernels { hash: string; kernels: Kernel[] }

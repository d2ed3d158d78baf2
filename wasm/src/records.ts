/** An experiment: one GPU, the kernels on it, how they share it, and when to stop */
export type Experiment = {
  /** Version of the format */
  corun: 1;
  /** Name, for people */
  name?: string;
  /** The hardware: a preset, or a preset with changes */
  gpu?: string | GpuChange;
  /** The mix */
  kernels: (string | KernelUse | Kernel)[];
  /** Order in which a scheduler considers its ready warps */
  warp_order?: string;
  /** Order in which CTAs are placed */
  cta_order?: CtaOrder;
  /** How the kernels share the GPU */
  policy?: Policy | Policy[];
  /** How long it runs before anything is measured, after the policy has settled. So many cycles, or, `settled`, until L2 has filled as far as the kernels fill it. stop.cycles and stop.settled count from there on */
  warm_up?: number | "settled";
  /** The GPU on which each kernel is run by itself */
  alone_gpu?: string | GpuChange | null;
  /** What it reproduces or where it comes from */
  source?: string;
  /** Seed of every draw */
  seed?: number;
  /** When the run ends */
  stop?: StopWhenSettled | StopAfter | StopWhenDone;
  /** Whether a kernel that has run to its end starts again */
  restart?: boolean;
  /** Whether each kernel is also run by itself, so that slowdowns exist */
  alone?: boolean;
  /** Order in which a scheduler considers its ready warps where a kernel is run by itself */
  alone_warp_order?: string | null;
  /** Part of the GPU, and of each kernel's grids, rows and shared arrays, that is run in place of the whole */
  scale?: "1" | "1/2" | "1/3" | "1/4" | "1/6" | "1/8";
};
/** A preset with some of its fields changed */
export type GpuChange = {
  /** The preset that is changed */
  preset: string;
  [more: string]: number | string;
};
/** A kernel of the mix with this experiment's settings for it */
export type KernelUse = {
  /** The kernel */
  kernel: string | Kernel;
  /** CTAs that it may hold on an SM, whatever the policy; on every SM, or by class of SMs (CTAs) */
  ctas_per_sm?: number | Record<string, number>;
  /** What it is promised, for policies that keep goals */
  qos?: number | Goal;
  /** Factor on the arithmetic instructions between its memory accesses */
  arithmetic?: number;
  /** Launches after which it is cut off (launches) */
  launches?: number;
};
/** A kernel: a sequence of launches over arrays in global memory */
export type Kernel = {
  /** Name, such as `ccbp/BP` */
  name: string;
  /** What it is, in a few words */
  title?: string;
  /** What the real kernel does and how the Program follows it */
  doc?: string;
  /** Where its shape comes from */
  source?: string;
  /** Arrays in global memory, which all launches share */
  arrays?: GlobalArray[];
  /** Lists of trips, for work that follows from data */
  lists?: TripList[];
  /** Launches in order; each starts when the one before has finished */
  launches: (Repeat | Launch)[];
};
/** An array in global memory */
export type GlobalArray = {
  /** Name, by which accesses refer to it */
  name: string;
  /** Size. Addresses wrap around in it (bytes) */
  bytes: number;
  /** Whether neither a launch nor the CPU between launches writes it: what a cache holds of it stays valid */
  read_only?: boolean;
};
/** Numbers of trips, for work that follows from data: the degrees of a graph's vertices, an input */
export type TripList = {
  /** Name, by which loops refer to it */
  name: string;
  /** The trips, one after the other; behind the last comes the first again (trips) */
  values: number[];
};
/** Launches that run several times: all of them in order, then all of them again */
export type Repeat = {
  /** How often they run (times) */
  repeat: number;
  /** The launches */
  launches: Launch[];
};
/** A launch: its grid, what a CTA takes, and what each warp does */
export type Launch = {
  /** CTAs of a grid of one dimension (CTAs) */
  ctas?: number;
  /** CTAs along x, or along x, y and z (CTAs) */
  grid?: number | number[];
  /** What is added to the grid with each repeat of the launch (CTAs) */
  grid_step?: number | number[];
  /** Time from the end of the launch before to the first cycle in which a CTA may be placed (cycles) */
  gap?: number;
  /** Threads of a CTA (threads) */
  threads: number;
  /** Registers of a thread (registers) */
  registers?: number;
  /** Shared memory of a CTA (bytes) */
  shared_bytes?: number;
  /** Shared memory of an SM that it prefers: a size that the GPU has, or a part of the most that it has, rounded up to one. L1D is the rest (bytes) */
  carve_out?: number | CarveOut;
  /** What each warp does */
  program?: ("barrier" | Operation)[];
  /** What the warps of a real launch did, instead of a program */
  recorded?: RecordedLaunch;
};
/** {"percent": part} */
export type CarveOut = { percent: number };
/** "barrier", or one of {"alu"}, {"sfu"}, {"fp64"}, {"shared"}, {"load"}, {"store"}, {"atomic"}, {"wait"}, {"sleep"}, {"loop"} */
export type Operation = { alu: Alu } | { sfu: Sfu } | { fp64: Fp64 } | { shared: Shared } | { load: Access } | { store: Access } | { atomic: Access } | { wait: Wait } | { sleep: Sleep } | { loop: Loop };
/** Dependent arithmetic instructions */
export type Alu = {
  /** How many, one after the other (instructions) */
  count?: number;
  /** From one to the next (cycles) */
  latency?: number;
  /** Active lanes (lanes) */
  lanes?: number;
};
/** Dependent instructions on the special-function unit */
export type Sfu = {
  /** How many, one after the other (instructions) */
  count?: number;
  /** From one to the next (cycles) */
  latency?: number;
  /** Active lanes (lanes) */
  lanes?: number;
};
/** Dependent double-precision instructions */
export type Fp64 = {
  /** How many, one after the other (instructions) */
  count?: number;
  /** From one to the next (cycles) */
  latency?: number;
  /** Active lanes (lanes) */
  lanes?: number;
};
/** Accesses of shared memory */
export type Shared = {
  /** How many, one after the other (accesses) */
  count?: number;
  /** Distance of the words of neighbouring lanes; 0: all lanes read one word (words) */
  stride?: number;
  /** Active lanes (lanes) */
  lanes?: number;
};
/** A global access: the byte address of each lane's word is the sum of the terms, modulo the array's size */
export type Access = {
  /** The array, by name or by number */
  array?: string | number;
  /** Active lanes (lanes) */
  lanes?: number;
  /** Where it starts (bytes) */
  offset?: number;
  /** What each CTA of the grid adds (bytes) */
  cta?: number;
  /** What each warp of the CTA adds (bytes) */
  warp?: number;
  /** What each lane adds (bytes) */
  lane?: number;
  /** What each repeat of the launch adds (bytes) */
  repeat?: number;
  /** What each iteration of the enclosing loops adds, outermost first (bytes) */
  loops?: number[];
  /** A random part (bytes) */
  scatter?: Scatter;
  /** A position in a matrix, in place of lane and scatter */
  tile?: Tile;
};
/** {"warp": bytes}, {"lane": bytes} or {"skewed": bytes} */
export type Scatter = { warp: number } | { lane: number } | { skewed: number };
/** An element of 4 bytes of a matrix, for each lane */
export type Tile = {
  /** Columns of the matrix (columns) */
  columns: number;
  /** Rows of the matrix (rows) */
  rows?: number;
  /** Distance from a row to the next (bytes) */
  pitch?: number;
  /** Lanes in a row; the next lane is in the next row (lanes) */
  lanes?: number;
  /** Column of lane 0 */
  x?: Terms;
  /** Row of lane 0 */
  y?: Terms;
};
/** What a column or row depends on: the sum of these terms */
export type Terms = {
  /** Where it starts */
  at?: number;
  /** What each warp of the CTA adds */
  warp?: number;
  /** What each repeat of the launch adds */
  repeat?: number;
  /** What each CTA along x, y and z adds */
  grid?: number[];
  /** What each iteration of the enclosing loops adds, outermost first */
  loops?: number[];
};
/** A wait for the warp's loads */
export type Wait = {
  /** Loads that may stay outstanding (loads) */
  loads?: number;
};
/** A pause of the warp, which keeps its place */
export type Sleep = {
  /** Until its next instruction (cycles) */
  cycles: number;
};
/** A loop */
export type Loop = {
  /** How often the body runs (trips) */
  trips: number | Trips;
  /** Operations in order */
  body: ("barrier" | Operation)[];
};
/** a whole number, {"per_warp": [min, max]}, {"per_cta": [min, max]}, {"some_warps": [trips, one_in]}, {"listed_per_cta": list} or {"listed_per_warp": list} */
export type Trips = { per_warp: number[] } | { per_cta: number[] } | { some_warps: number[] } | { listed_per_cta: string } | { listed_per_warp: string };
/** A launch of a recording, which `corun import` makes */
export type RecordedLaunch = {
  /** The recording: the hash of its bytes, as `corun explain --json` writes it of an experiment with the file */
  recording: string;
  /** Which of its launches, from 0 */
  launch?: number;
};
/** one goal: a share of the IPC alone from 0.001 to 1, {"ipc": N} or {"deadline_ms": N} */
export type Goal = { of_alone: number } | { ipc: number } | { deadline_ms: number };
/** a CTA order: its name, or its name and parameters */
export type CtaOrder = string | { name: string; [parameter: string]: unknown };
/** a policy: its name, or its name and parameters */
export type Policy = string | { name: string; [parameter: string]: unknown };
/** A run that ends when it knows what it measures */
export type StopWhenSettled = {
  /** Half of the 95 % interval of each figure, as a part of the figure itself; of a goal, unless its interval excludes it */
  settled: number;
  /** The figures, of each kernel */
  of?: ("ipc" | "noc_utilisation" | "noc_utilisation_all" | "dram_utilisation" | "l2_gb_s" | "dram_gb_s" | "l1_hit_rate" | "l2_miss_rate" | "dram_row_hit_rate" | "rf" | "df" | "ctas_per_sm" | "latency.mean" | "latency.miss_queue" | "latency.request_noc" | "latency.l2" | "latency.dram" | "latency.reply_noc" | "latency.l1_to_l2" | "latency.l2_to_dram" | "latency.load" | "warp_stalls.raw_long" | "warp_stalls.lsu_full" | "warp_stalls.other" | "slowdown" | "goal_reached")[];
  /** Measured cycles after which it ends all the same (cycles) */
  at_most?: number;
};
/** A run of a length, or at most of a length */
export type StopAfter = {
  /** How long it runs, or at most runs (cycles) */
  cycles: number;
  /** Whether it ends before, once every kernel has run to its end */
  kernels_done?: boolean;
};
/** A run that ends once every kernel has run to its end */
export type StopWhenDone = {
  /** True */
  kernels_done: true;
};
/** A file with a sweep */
export type SweepFile = {
  /** Version of the format */
  corun: 1;
  /** The sweep */
  sweep: SweepBody;
};
/** Many experiments: a base and the fields that vary */
export type SweepBody = {
  /** Name, for people */
  name?: string;
  /** What it reproduces or where it comes from */
  source?: string;
  /** An experiment, of which the axes may fill in what is missing */
  base: Record<string, unknown>;
  /** What varies: the points are the product of the axes, of which the last turns fastest */
  axes: (Zip | Path)[];
};
/** Paths that step together */
export type Zip = {
  /** The paths */
  zip: Path[];
};
/** A field of the experiment and its values */
export type Path = {
  /** Where in the experiment, as `corun run --set` takes it: policy, kernels[0].ctas_per_sm, gpu.sm.count */
  path: string;
  /** What stands there, one after the other */
  values: unknown[];
};
/** What a run was, and what came out of it. A number that is missing is null, never 0 */
export type Result = {
  /** Version of the format */
  corun: 1;
  /** The engine: its version and eight digits that change with its numbers */
  engine: string;
  /** Name of the experiment */
  name: string;
  /** What it reproduces or where it comes from */
  source: string;
  /** Hash of the experiment after defaults, sixteen hexadecimal digits */
  config_hash: string;
  /** Digest of the whole state at the end, sixteen hexadecimal digits */
  digest: string;
  /** Seed of every draw */
  seed: number;
  /** How long was simulated (core cycles) */
  cycles: number;
  /** The core clock (MHz) */
  core_mhz: number;
  /** The time of these cycles (ms) */
  ms: number | null;
  /** First cycle after the warm-up, from which on everything is measured; null while the warm-up lasts (core cycles) */
  measured_from: number | null;
  /** Whether L2 was still filling there, though the run was to measure from where it had filled */
  cold?: boolean;
  /** Why the run ended */
  stop: "budget" | "interrupted" | "cycles" | "kernels_done" | "settled" | "stuck" | "failed";
  /** Time that the shared run took (s) */
  wall_seconds?: number | null;
  /** Speed of the simulation (core cycles/s) */
  cycles_per_second?: number | null;
  /** Speed of the simulation (warp instructions/s) */
  warp_instructions_per_second?: number | null;
  /** Figures of the whole GPU */
  gpu: GpuResult;
  /** Figures of each kernel, in the order of the mix */
  kernels: KernelResult[];
  /** Figures of the mix */
  metrics: Metrics;
  /** Who suffers, and how much */
  verdict: Verdict;
  /** What makes each kernel that suffers slower, found by running */
  because?: Because[];
  /** Energy of the measured cycles, by published energies of events: for ratios, not for absolute values */
  energy: Energy;
  /** How well each ratio is known */
  ci95: Ci95;
  /** The policy and what it decided */
  policy: PolicyResult;
  /** How the goals of the mix came out */
  goals?: GoalsResult;
  /** Why the script that shares the GPU failed: the line, and what is wrong */
  failure?: string;
  /** How sure a run is that stops when it is settled */
  settled?: Settled;
  /** What each kernel did on the SMs of each class */
  sm_classes?: ClassResult[];
};
/** What the whole GPU did */
export type GpuResult = {
  /** Instructions of active lanes per core cycle, over the whole GPU (thread instructions per cycle) */
  ipc: number | null;
  /** Share of the L2-to-SM crossbar's bandwidth that replies to reads take, headers included (CCBP eq. 1); missing with an ideal NoC (fraction of peak) */
  noc_utilisation: number | null;
  /** Share of that bandwidth that all replies take, acknowledgements of stores included (fraction of peak) */
  noc_utilisation_all: number | null;
  /** Share of all DRAM data buses' time; missing with an ideal DRAM (fraction of peak) */
  dram_utilisation: number | null;
  /** Bytes of lines that SMs and L2 move between them, headers not counted (GB/s) */
  l2_gb_s: number | null;
  /** Bytes that DRAM moves (GB/s) */
  dram_gb_s: number | null;
  /** Reads that found their line in L1D (fraction) */
  l1_hit_rate: number | null;
  /** Lookups that sent a fetch to DRAM (fraction) */
  l2_miss_rate: number | null;
  /** DRAM accesses that found their row open (fraction) */
  dram_row_hit_rate: number | null;
  /** Share of the issue slots' lanes that did work (fraction of peak) */
  throughput: number | null;
  /** Shares of the cycles in which a scheduler issued nothing, by cause */
  stalls: Stalls;
  /** Schedulers of all SMs × core cycles: what the shares of stalls can be compared with (scheduler cycles) */
  scheduler_cycles: number;
};
/** Shares of the cycles in which schedulers issued nothing, by cause */
export type Stalls = {
  /** No warp of the scheduler is resident (fraction) */
  idle: number | null;
  /** Every warp waits for its CTA at a barrier (fraction) */
  barrier: number | null;
  /** Waits for a load that missed L1D (RAW_long) (fraction) */
  raw_long: number | null;
  /** Waits for arithmetic or its unit, shared memory or a load that hit L1D (fraction) */
  raw_short: number | null;
  /** A memory instruction is ready but cannot enter the load-store unit (fraction) */
  lsu_full: number | null;
  /** The ready warps belong to CTAs that the policy has paused (fraction) */
  throttled: number | null;
  /** The ready warps belong to kernels that have used their issue quota (fraction) */
  quota: number | null;
};
/** What a kernel did, and what was done for it */
export type KernelResult = {
  /** Name without the paper, or the whole name where two kernels would be called alike */
  name: string;
  /** Whole name */
  kernel: string;
  /** Instructions of active lanes per core cycle, over the whole GPU (thread instructions per cycle) */
  ipc: number | null;
  /** Share of the L2-to-SM crossbar's bandwidth that replies to reads take, headers included (CCBP eq. 1); missing with an ideal NoC (fraction of peak) */
  noc_utilisation: number | null;
  /** Share of that bandwidth that all replies take, acknowledgements of stores included (fraction of peak) */
  noc_utilisation_all: number | null;
  /** Share of all DRAM data buses' time; missing with an ideal DRAM (fraction of peak) */
  dram_utilisation: number | null;
  /** Bytes of lines that SMs and L2 move between them, headers not counted (GB/s) */
  l2_gb_s: number | null;
  /** Bytes that DRAM moves (GB/s) */
  dram_gb_s: number | null;
  /** Reads that found their line in L1D (fraction) */
  l1_hit_rate: number | null;
  /** Lookups that sent a fetch to DRAM (fraction) */
  l2_miss_rate: number | null;
  /** DRAM accesses that found their row open (fraction) */
  dram_row_hit_rate: number | null;
  /** IPC on the whole GPU, as many CTAs as fit, as long a run, in the run's order of warps or in `alone_warp_order` (thread instructions per cycle) */
  ipc_alone: number | null;
  /** How many times slower the kernel is than by itself; 1 is no loss (×) */
  slowdown: number | null;
  /** What the controls leave the kernel of the GPU at last, in words */
  share?: string;
  /** IPC by itself in that share, as long a run (thread instructions per cycle) */
  ipc_share?: number | null;
  /** How many times slower the kernel is for its share; with that of its neighbours, its slowdown (×) */
  share_cost?: number | null;
  /** How many times slower the kernel is for its neighbours (×) */
  neighbour_cost?: number | null;
  /** Instructions issued, counted once for each active lane (thread instructions) */
  thread_instructions: number;
  /** Instructions issued, counted once for each warp (warp instructions) */
  warp_instructions: number;
  /** CTAs finished (CTAs) */
  ctas_done: number;
  /** Times that the kernel ran to its end (runs) */
  runs_done: number;
  /** From the beginning of the run; the kernel's latency, where it runs once (core cycles) */
  finished_at: number | null;
  /** Time from the beginning of the run; the kernel's latency, where it runs once (ms) */
  finished_at_ms: number | null;
  /** Time in which launches ran, without what the CPU does between them (core cycles) */
  launches_took: number | null;
  /** Reads among the requests (CCBP eq. 2) (fraction) */
  rf: number | null;
  /** DRAM accesses that a reply reports, 0 to 2 (CCBP eq. 4) (accesses per request) */
  df: number | null;
  /** Mean time of an L1D read miss, and its parts by station (core cycles) */
  latency: Latency;
  /** Shares of the cycles in which a scheduler that holds the kernel issued nothing, by cause */
  stalls: Stalls;
  /** What resident warps wait for */
  warp_stalls: WarpStalls;
  /** Resident CTAs, mean over cycles and SMs (CTAs) */
  ctas_per_sm: number | null;
  /** Where the kernel's time goes */
  breakdown?: Breakdown;
  /** Where the kernel's time goes alone */
  breakdown_alone?: Breakdown;
  /** Every counter */
  counters: Counters;
  /** The IPC that the kernel is promised over its whole run. IPC alone is the policy's `ipc_alone` where that is given (thread instructions per cycle) */
  goal_ipc?: number | null;
  /** 1 or more: the promise is kept so far (fraction of its goal) */
  goal_reached?: number | null;
};
/** Mean time of an L1D read miss, and its parts by station */
export type Latency = {
  /** From entering the miss queue to the reply (core cycles) */
  mean: number | null;
  /** In the miss queue and its arbiter (core cycles) */
  miss_queue: number | null;
  /** In the request network and its queues (core cycles) */
  request_noc: number | null;
  /** In L2: queue, lookup, pipeline and reply port (core cycles) */
  l2: number | null;
  /** Waiting for DRAM, merged requests included (core cycles) */
  dram: number | null;
  /** In the reply network and its queues (core cycles) */
  reply_noc: number | null;
  /** All but the wait for DRAM (core cycles) */
  l1_to_l2: number | null;
  /** The wait for DRAM (core cycles) */
  l2_to_dram: number | null;
  /** From a load's issue to its last line (core cycles) */
  load: number | null;
};
/** What warps wait for, as shares of the cycles in which a resident warp issues nothing (the account of CCBP Fig. 11(d)) */
export type WarpStalls = {
  /** Waits for a load that missed L1D (fraction) */
  raw_long: number | null;
  /** Has an access that the load-store unit does not take (fraction) */
  lsu_full: number | null;
  /** Anything else: arithmetic, a barrier, ready while another warp issues (fraction) */
  other: number | null;
};
/** Where a kernel's time goes: its warps, what an instruction of a warp waits for, and where a read that misses L1D waits */
export type Breakdown = {
  /** Resident warps of the whole GPU, mean over cycles (warps) */
  warps: number;
  /** Waiting for loads that missed L1D (cycles of a warp per instruction) */
  memory: number;
  /** Waiting for the load-store unit to take an access (cycles of a warp per instruction) */
  lsu: number;
  /** Everything else: the instruction itself, arithmetic, barriers, another warp's turn, a quota (cycles of a warp per instruction) */
  other: number;
  /** In L1D's miss queue and its arbiter (cycles per read) */
  miss_queue: number;
  /** In the request network and its queues (cycles per read) */
  request_noc: number;
  /** In L2: queue, lookup, pipeline and reply port (cycles per read) */
  l2: number;
  /** Waiting for DRAM, merged requests included (cycles per read) */
  dram: number;
  /** In the reply network and its queues (cycles per read) */
  reply_noc: number;
  /** Reads that found their line in L1D (fraction) */
  l1_hit_rate: number;
  /** Lookups that sent a fetch to DRAM (fraction) */
  l2_miss_rate: number;
};
/** Everything that is counted of a kernel */
export type Counters = {
  /** Instructions issued, counted once for each active lane (thread instructions) */
  thread_instructions: number;
  /** Instructions issued, counted once for each warp (warp instructions) */
  warp_instructions: number;
  /** Global loads among them (warp instructions) */
  load_instructions: number;
  /** Global stores and atomic operations among them (warp instructions) */
  store_instructions: number;
  /** Cycles that shared-memory accesses took beyond their first, for bank conflicts (cycles) */
  shared_conflict_cycles: number;
  /** Lines that loads asked of L1D, after coalescing (lines) */
  l1_reads: number;
  /** Reads that found their line in L1D (lines) */
  l1_hits: number;
  /** Reads that joined a miss already under way (MSHR hit) (lines) */
  l1_merged: number;
  /** Reads that sent a request to L2 (lines) */
  l1_misses: number;
  /** Lines that stores wrote through L1D (lines) */
  l1_writes: number;
  /** Cycles in which an L1D access waited because no MSHR was free (cycles) */
  fail_mshr: number;
  /** Cycles in which an L1D access waited because its MSHR could merge no more (cycles) */
  fail_merge: number;
  /** Cycles in which an L1D access waited because the kernel's miss queue was full (cycles) */
  fail_miss_queue: number;
  /** Cycles in which a store waited because the store buffer was full (cycles) */
  fail_store_buffer: number;
  /** Cycles in which an L1D access waited because every way that its line may take was reserved (l1.allocate = on_miss) (cycles) */
  fail_line: number;
  /** Cycles in which the oldest access that waited on its SM was the kernel's and lacked what misses need (cycles) */
  oldest_fails_miss: number;
  /** Cycles in which it was the kernel's and lacked an entry of the store buffer (cycles) */
  oldest_fails_store: number;
  /** Requests that left the miss queue for the NoC (requests) */
  requests: number;
  /** Reads among them (requests) */
  read_requests: number;
  /** Replies and store acknowledgements that came back (replies) */
  replies: number;
  /** DRAM accesses reported in reply headers: 0, 1 or 2 each (accesses) */
  reported_dram_accesses: number;
  /** Core cycles from entering the miss queue to the reply's arrival, summed over read replies (cycles) */
  latency_sum: number;
  /** Read replies in that sum (replies) */
  latency_count: number;
  /** Part of the latency sum spent in the miss queue and its arbiter (cycles) */
  wait_miss_queue: number;
  /** Part of the latency sum spent in the request crossbar and its queues (cycles) */
  wait_request_noc: number;
  /** Part of the latency sum spent in L2: queue, lookup, pipeline and reply port (cycles) */
  wait_l2: number;
  /** Part of the latency sum spent waiting for DRAM, merged requests included (cycles) */
  wait_dram: number;
  /** Part of the latency sum spent in the reply crossbar and its queues (cycles) */
  wait_reply_noc: number;
  /** Core cycles from a load's issue to its last line, summed over loads (cycles) */
  load_latency_sum: number;
  /** Loads in that sum (warp instructions) */
  loads_done: number;
  /** Flits that the kernel's requests put on the request crossbar (flits) */
  noc_request_flits: number;
  /** Flits that replies to the kernel's reads put on the reply crossbar (flits) */
  noc_reply_flits: number;
  /** Flits that acknowledgements of the kernel's stores put on the reply crossbar (flits) */
  noc_acknowledgement_flits: number;
  /** Reads that L2 looked up (lines) */
  l2_reads: number;
  /** Writes that L2 looked up (lines) */
  l2_writes: number;
  /** Lookups that found their line (lines) */
  l2_hits: number;
  /** Lookups that joined a miss already under way (lines) */
  l2_merged: number;
  /** Lookups that sent a fetch to DRAM (lines) */
  l2_misses: number;
  /** Lookups of stores of a whole line that took a place without a fetch (lines) */
  l2_filled_by_stores: number;
  /** Dirty lines written back because the kernel's miss needed their place (lines) */
  l2_dirty_victims: number;
  /** Lines that DRAM read for the kernel (lines) */
  dram_reads: number;
  /** Lines that DRAM wrote for the kernel (lines) */
  dram_writes: number;
  /** Lines among these whose row was open when their turn came (lines) */
  dram_row_hits: number;
  /** CTAs placed on an SM (CTAs) */
  ctas_launched: number;
  /** CTAs finished (CTAs) */
  ctas_done: number;
  /** CTAs finished on an SM where their kernel had more than it may have (CTAs) */
  ctas_drained: number;
  /** CTAs that have left an SM before they had finished (CTAs) */
  ctas_switched_out: number;
  /** CTAs that have come back to an SM (CTAs) */
  ctas_switched_in: number;
  /** Lines of registers and shared memory that these have sent to DRAM (lines) */
  context_lines_out: number;
  /** Lines of them that have come back (lines) */
  context_lines_in: number;
  /** Cycles from when a CTA was to leave until it had left, and from when it was placed again until it went on (cycles) */
  switch_cycles: number;
  /** Times that the kernel ran to its end (runs) */
  runs_done: number;
  /** Resident CTAs summed over cycles (CTA cycles) */
  cta_cycles: number;
  /** Resident warps summed over cycles (warp cycles) */
  warp_cycles: number;
  /** Warps among them that wait for a load that missed L1D (warp cycles) */
  warps_wait_memory: number;
  /** Warps among them whose next access the load-store unit does not take (warp cycles) */
  warps_wait_lsu: number;
  /** Special-function instructions among the thread instructions (thread instructions) */
  special_thread_instructions: number;
  /** Accesses of shared memory among them (thread instructions) */
  shared_thread_instructions: number;
  /** Global loads and stores among them (thread instructions) */
  global_thread_instructions: number;
  /** Lines of registers and shared memory of switched CTAs that L2 has passed on to DRAM, or that have come from there (lines) */
  dram_context_lines: number;
  /** Misses of L1D that L2 has answered, where the line was (misses) */
  misses_to_l2: number;
  /** Misses that L2 has answered after it had waited for DRAM (misses) */
  misses_to_memory: number;
  /** Misses that another SM's L1D has answered, alone or beside L2 (l1.protocol denovo) (misses) */
  misses_to_remote_l1: number;
  /** Reads that L1D has sent once more: refused by who no longer had the words, or for words that did not come (l1.protocol denovo) (requests) */
  reads_again: number;
  /** Flits of the kernel's reads, of forwards and of the lines that they bring, each counted once for every link of the mesh that it crosses (flits) */
  noc_read_crossings: number;
  /** Flits of its writes or registrations and of what answers them, counted in the same way (flits) */
  noc_write_crossings: number;
  /** Flits of the dirty lines that its misses push out of L2, and of what L1Ds that own words write back, counted in the same way (flits) */
  noc_writeback_crossings: number;
  /** Quotas that the kernel has got on top on an SM before a refill, because all kernels there had used theirs (top-ups) */
  quota_top_ups: number;
};
/** Metrics of a mix; each is missing while an IPC is missing or zero */
export type Metrics = {
  /** Harmonic speedup: the harmonic mean of the kernels' progress, which punishes starving one of them */
  hspeedup: number | null;
  /** System throughput, also called weighted speedup: how many GPUs' worth of progress is made; N is the ideal */
  stp: number | null;
  /** Weighted speedup, another name of STP */
  wspeedup: number | null;
  /** Average normalised turnaround time: the mean slowdown; 1 is the ideal (×) */
  antt: number | null;
  /** 1 if all kernels progress alike, 0 if one starves */
  fairness: number | null;
};
/** Who suffers, and how much */
export type Verdict = {
  /** What it answers */
  question: "sharing" | "classes" | "goals" | "reuse";
  /** The answer, read at a glance: who suffers most and by what, in pieces of which some are kernels and their figures */
  headline: Part[];
  /** What else there is to say, a sentence each */
  says: string[];
  /** The kernel that suffers most */
  sufferer: number | null;
  /** How many times slower than alone that is (×) */
  slowdown: number | null;
  /** The ends of the 95 % interval of that */
  ci95: (number | null)[] | null;
  /** Whether the run is long enough, and its policy has learned */
  sure: boolean;
};
/** A piece of a headline */
export type Part = {
  /** Its words */
  text: string;
  /** The kernel that it names, or whose figure it is */
  kernel?: number;
  /** Which figure of that kernel it is */
  figure?: "slowdown" | "share_cost" | "neighbour_cost" | "gives_back";
};
/** What makes a kernel slower beside its neighbours */
export type Because = {
  /** The kernel */
  kernel: number;
  /** How many times slower it is for its neighbours, in the runs that the cures are held against (×) */
  neighbour_cost: number | null;
  /** Each cure that was tried, the best first. They overlap and do not add up */
  cures: Cured[];
  /** Cures that this GPU cannot have, or that would change nothing */
  not_tried: ("noc" | "dram" | "l2" | "banks" | "l1" | "l1-mshrs" | "lsu" | "slots" | "fp64" | "sfu" | "shared" | "quota")[];
  /** Cures that say nothing: with them a quota binds, which the scheme would set anew */
  bound: ("noc" | "dram" | "l2" | "banks" | "l1" | "l1-mshrs" | "lsu" | "slots" | "fp64" | "sfu" | "shared" | "quota")[];
  /** A few CTAs of it begin a second wave in its share */
  wave?: Wave;
  /** What the best cure gives back, in a sentence */
  says: string;
};
/** What a cure gives back */
export type Cured = {
  /** Which */
  cure: "noc" | "dram" | "l2" | "banks" | "l1" | "l1-mshrs" | "lsu" | "slots" | "fp64" | "sfu" | "shared" | "quota";
  /** What it is, behind "with" */
  words: string;
  /** How many times slower the kernel is for its neighbours without it, in runs of the same length (×) */
  without: number | null;
  /** How many times slower it is for them with it (×) */
  neighbour_cost: number | null;
  /** What of the neighbours' cost goes, as a factor; 1: nothing (×) */
  gives_back: number | null;
  /** The ends of the 95 % interval of that */
  ci95: (number | null)[] | null;
};
/** A wave of few CTAs, which costs as much time as a whole one */
export type Wave = {
  /** CTAs of a launch (CTAs) */
  ctas: number;
  /** As many of them begin no such wave (CTAs) */
  fit: number;
  /** What of the slowdown goes with so many, as a factor (×) */
  gives_back: number | null;
};
/** The energy of a run, by published energies of events: for ratios between schemes on one GPU, not for absolute values */
export type Energy = {
  /** Of the measured cycles. For ratios between schemes on one GPU; not for absolute values: docs/reference/energy.md (J) */
  joules: number | null;
  /** Energy by time; for ratios, not for absolute values (W) */
  watts: number | null;
  /** Thread instructions of the measured cycles for each watt: compare runs of equal length (thread instructions / W) */
  instructions_per_watt: number | null;
  /** With idle SMs switched off */
  idle_sms_off: EnergyTotals;
  /** By what took it (J) */
  parts: EnergyParts;
  /** Of each kernel's events, without what leaks (J) */
  kernels: (number | null)[];
};
/** Energy, power, and what is done with it */
export type EnergyTotals = {
  /** Of the measured cycles. For ratios between schemes on one GPU; not for absolute values: docs/reference/energy.md (J) */
  joules: number | null;
  /** Energy by time; for ratios, not for absolute values (W) */
  watts: number | null;
  /** Thread instructions of the measured cycles for each watt: compare runs of equal length (thread instructions / W) */
  instructions_per_watt: number | null;
};
/** Energy by what took it */
export type EnergyParts = {
  /** Arithmetic (J) */
  arithmetic: number | null;
  /** Special functions (J) */
  special: number | null;
  /** Shared memory (J) */
  shared_memory: number | null;
  /** L1D (J) */
  l1: number | null;
  /** L2 and NoC (J) */
  l2: number | null;
  /** DRAM (J) */
  dram: number | null;
  /** DRAM rows opened (J) */
  dram_rows: number | null;
  /** Leakage of SMs at work (J) */
  busy_sms: number | null;
  /** Leakage of idle SMs (J) */
  idle_sms: number | null;
  /** Constant power (J) */
  constant: number | null;
};
/** The 95 % interval of each ratio of a result, at its place there */
export type Ci95 = {
  /** Batches that the intervals are made of (batches) */
  batches: number;
  /** Windows of 400 cycles in each batch; null while the warm-up lasts (windows) */
  batch_windows: number | null;
  /** Of the whole GPU */
  gpu: IntervalsOf;
  /** Of each kernel */
  kernels: IntervalsOf[];
  /** Of the mix */
  metrics: IntervalsOf;
  /** Of each class of SMs, by kernel */
  sm_classes?: unknown;
};
/** The policy of a run */
export type PolicyResult = {
  /** Which one */
  name: string;
  /** What people call it with its settings: the vendor's words where it is a vendor's way to share */
  title: string;
  /** What it decided, in order */
  decisions: Decision[];
};
/** Something that a policy decided. A later decision about the same kernel and topic replaces it */
export type Decision = {
  /** When (core cycles) */
  cycle: number;
  /** About which kernel; null: about the whole GPU */
  kernel: number | null;
  /** About what */
  topic: string;
  /** What holds from now on, by name */
  values: Record<string, number | string | number[]>;
  /** A sentence for people, whose words may change */
  text: string;
};
/** How the goals of a mix came out (Wang et al., ISCA 2017, §4.1); each number is missing while one that it needs is */
export type GoalsResult = {
  /** Least of IPC shared / goal over the kernels with a goal: the goals of the mix are reached where it is 1 or more */
  least: number | null;
  /** Mean of IPC shared / goal over the kernels with a goal */
  mean: number | null;
  /** Mean of IPC shared / IPC alone over the kernels without a goal */
  others: number | null;
};
/** How sure a run is that stops when it is settled */
export type Settled = {
  /** Half of an interval that was asked for, as a part of its figure */
  within: number;
  /** Whether the run stopped for it */
  reached: boolean;
  /** Half of the interval of the figure that is farthest from decided, as a part of it; null: nothing is known yet */
  known: number | null;
  /** Of which kernel that is */
  kernel: number | null;
  /** Where the figure stands in what the result says of a kernel */
  ratio: string | null;
  /** A kernel that has not shown a whole launch; the run goes on until it has */
  waits_for: number | null;
};
/** What each kernel did on the SMs of a class */
export type ClassResult = {
  /** Name of the class */
  name: string;
  /** SMs of it (SMs) */
  sms: number;
  /** Figures of each kernel there */
  kernels: KernelOnClass[];
};
/** What a kernel did on the SMs of a class */
export type KernelOnClass = {
  /** Its name, as among the kernels */
  name: string;
  /** IPC over these SMs (thread instructions per cycle) */
  ipc: number | null;
  /** Resident CTAs on each of them, mean over cycles (CTAs) */
  ctas_per_sm: number | null;
  /** CTAs finished there (CTAs) */
  ctas_done: number;
};
/** A file that asks for a prediction */
export type PredictQuestion = {
  /** Version of the format */
  corun: 1;
  /** Name, for people */
  name?: string;
  /** What it reproduces or where it comes from */
  source?: string;
  /** The GPU on which is measured what is left out, as in an experiment */
  gpu?: unknown;
  /** Seed of the runs that measure */
  seed?: number;
  /** What is asked */
  predict: PredictGroup;
};
/** A group of kernels on disjoint parts of a GPU. Latencies share one unit, bandwidths another */
export type PredictGroup = {
  /** The GPU on which is measured what is left out, as in an experiment */
  gpu?: unknown;
  /** SMs of the whole GPU, N (SMs) */
  sms?: number;
  /** L2 banks (slices) (banks) */
  l2_banks?: number;
  /** Nominal bandwidth, BW_max */
  bandwidth_max?: number;
  /** Bandwidth at which kernels saturate, EM_BW; at most bandwidth_max */
  bandwidth_sustained?: number;
  /** What becomes of Eq. 15 */
  reading?: "literal" | "clamped" | "elected" | "i_only" | "fluid";
  /** Which latency Eq. 8 stretches */
  base?: "eq4" | "measured";
  /** Whether, on all SMs, Eq. 4 returns latency_full */
  exact_at_n?: boolean;
  /** Whether Eq. 16 adds its density to 1 */
  density_added?: boolean;
  /** Where latencies and bandwidths come from that are left out */
  missing?: "measured" | "model";
  /** Every part of a plan is a multiple of so many SMs (SMs) */
  step?: number;
  /** The group */
  kernels: PredictKernel[];
};
/** A kernel of the group, and what is known of it alone */
export type PredictKernel = {
  /** Name; of a kernel of the library, if it is to be measured */
  name: string;
  /** SMs of its own (SMs) */
  sms?: number;
  /** The first of its SMs */
  first?: number;
  /** Latency alone on all SMs, C(N) */
  latency_full?: number;
  /** Bandwidth alone on all SMs, BW(N); at most bandwidth_max */
  bandwidth_full?: number;
  /** Thousands of thread instructions for each L2 access (Eq. 3); times the utilisation less than the number of SMs */
  kai?: number;
  /** Latency alone on its SMs, C(n) */
  latency?: number;
  /** Bandwidth alone on its SMs, BW(n); at most bandwidth_max */
  bandwidth?: number;
  /** L2 accesses of the whole kernel; of every kernel, or of none */
  accesses?: number;
  /** Latency that Eq. 8 stretches */
  tc?: number;
  /** Latency that it must not exceed */
  deadline?: number;
  /** What is known of it on other numbers of SMs */
  profile?: PredictSize[];
};
/** What is known of a kernel alone on a number of SMs */
export type PredictSize = {
  /** The SMs (SMs) */
  sms: number;
  /** Latency, C(n) */
  latency?: number;
  /** Bandwidth, BW(n); at most bandwidth_max */
  bandwidth?: number;
  /** L2 accesses of the whole kernel */
  accesses?: number;
  /** Latency that Eq. 8 stretches */
  tc?: number;
};
/** A figure as data: what is drawn, and which runs make each point */
export type Figure = {
  /** A short name, for addresses and files */
  id: string;
  /** Heading */
  title: string;
  /** What it follows, such as `CCBP Fig. 9` */
  source?: string;
  /** How it is drawn */
  kind: "bars" | "lines" | "scatter" | "shares";
  /** The horizontal axis */
  x?: AxisLabel;
  /** The vertical axis */
  y?: AxisLabel;
  /** Names of the series */
  series: string[];
  /** Names of the places along x */
  categories?: string[];
  /** How points are measured */
  measure: Measure;
  /** The marks */
  points: FigurePoint[];
  /** Where and why it differs from the paper */
  differs?: string;
};
/** An axis: what it shows and in which unit */
export type AxisLabel = {
  /** Words */
  label?: string;
  /** Unit; empty for plain numbers, `%` for fractions that are shown as percent */
  unit?: string;
};
/** What of a result a point shows, and how the numbers of several runs become one */
export type Measure = {
  /** Where the number stands in a result */
  path: string;
  /** How several become one */
  reduce: "geomean" | "mean" | "max" | "value" | "share" | "given";
  /** With share: values from there on count */
  from?: number;
  /** With share: values below it count */
  to?: number;
};
/** A mark of a figure */
export type FigurePoint = {
  /** Place of its series */
  series: number;
  /** Place of its category, or a number */
  x: number;
  /** Its value; missing where its runs have none */
  value?: number | null;
  /** The 95 % interval of its value; shares show none */
  ci95?: number[] | null;
  /** What the paper prints there */
  paper?: number | null;
  /** The runs that it is made of, as places in the list of runs beside the figures */
  runs?: number[];
  /** The runs that they are divided by, one for each */
  baseline?: number[];
  /** How it is measured */
  measure?: Measure;
};
/** A GPU that experiments can name, with the source of each of its figures */
export type GpuPreset = {
  /** Heading, at most 80 characters */
  title: string;
  /** Where its figures come from, at most 200 characters */
  source: string;
  /** What it is for, at most 200 characters */
  doc: string;
  /** The preset of which it has every field that it does not give */
  base?: string;
  /** Fields and their values, by where the values come from */
  fields: SourcedFields[];
  /** Values that were tried and taken back; `source` says why */
  tried?: SourcedFields[];
};
/** Fields with values of one source: `sm.X` is X of every class of SMs, `sm.NAME.X` of one */
export type SourcedFields = {
  /** Where the values come from, at most 400 characters */
  source: string;
  [more: string]: number | string;
};
/** Speed of a kernel alone over numbers of SMs */
export type Curve = {
  /** The kernel */
  kernel: string;
  /** The GPU */
  gpu: string;
  /** Numbers of SMs, the fewest first */
  points: OnSms[];
};
/** What a kernel does on so many SMs */
export type OnSms = {
  /** How many (SMs) */
  sms: number;
  /** Instructions of active lanes per core cycle, over the whole GPU (thread instructions per cycle) */
  ipc: number | null;
  /** IPC by that on all SMs (fraction) */
  speed: number | null;
  /** Speed by the share of the SMs: over 1, fewer SMs do more each (fraction) */
  by_share: number | null;
};


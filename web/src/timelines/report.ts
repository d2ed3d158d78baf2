// What a timeline says, as corun-timelines has it; the names are those of its JSON. Times are nanoseconds.

export interface Spread {
  cases: number;
  lower: number;
  median: number;
  upper: number;
}
export interface KernelRow {
  /** Its number in the timeline. */
  kernel: number;
  name: string;
  short: string;
  /** That, and what no other one has. */
  called: string;
  launches: number;
  ns: number;
  shape: { grid: readonly number[]; block: readonly number[]; registers: number; shared_bytes: number } | null;
  resident: { ctas_per_sm: number; limiter: string; waves: number | null } | null;
}
export interface PairRow {
  first: number;
  second: number;
  lost_ns: number;
  places: readonly { scheme: string; title: string; words: string }[];
  slowdowns: readonly (number | null)[];
  words: string;
  /** So many more are alike, for which it stands; null where another one stands for it. */
  alike: number | null;
}
/** A kernel beside others of a name. */
export interface BesideRow {
  kernel: number;
  name: string;
  beside: Spread;
  alone: Spread | null;
  slowdown: number | null;
}
export interface Report {
  tool: string;
  gpus: readonly { id: number; name: string; described: string }[];
  launches: number;
  kernel_count: number;
  kernels: readonly KernelRow[];
  pairs: readonly PairRow[];
  pairs_left_out: number;
  overview: string;
  beside: readonly BesideRow[];
  slowdowns: string;
  loss: string;
  notes: readonly string[];
}

// What a timeline says, as corun-timelines has it; the names are those of its JSON. Times are nanoseconds.

interface Spread {
  cases: number;
  median: number;
}
export interface KernelRow {
  /** Its number in the timeline. */
  kernel: number;
  name: string;
  short: string;
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
  beside: readonly { kernel: number; name: string; beside: Spread; alone: Spread | null; slowdown: number | null }[];
  loss: string;
  notes: readonly string[];
}

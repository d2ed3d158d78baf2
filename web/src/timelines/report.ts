// What a timeline says, as corun-timelines has it; the names are those of its JSON. Times are nanoseconds.

interface Spread {
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
  launches: number;
  ns: number;
  median_ns: number;
  resident: {
    grid: readonly number[];
    block: readonly number[];
    registers: number;
    shared_bytes: number;
    ctas_per_sm: number;
    limiter: string;
    waves: number | null;
    tail_free: number;
    occupancy: number;
  } | null;
  alone: Spread | null;
}
export interface PairRow {
  first: number;
  second: number;
  possible: boolean;
  meetings: number;
  seen_ns: number;
  share: number;
  lost_ns: number;
  places: readonly { scheme: string; title: string; words: string }[];
  slowdowns: readonly (number | null)[];
  words: string;
}
export interface Report {
  tool: string;
  gpus: readonly {
    id: number;
    name: string;
    described: string;
    ns: number;
    busy_ns: number;
    streams: readonly number[];
  }[];
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

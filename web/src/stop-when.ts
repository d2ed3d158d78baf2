// "Stop when…": a condition that the user sets, looked at while a run plays. Where it holds for the first time, the run stops, at that very cycle; what
// held already when the run set out has to end before it counts.
//
// Ends of kernels and decisions are known to the cycle. Queues and slowdowns are looked at where windows end, every 400 cycles.
import type { Mark, EventLog } from "./event-log.ts";
import type { Decision, FrameLayout, WindowsLayout } from "./types.ts";
import { FrameReader } from "./views/frame-reader.ts";

export type StopWhen =
  /** A kernel ends, with all its launches; null: any does. */
  | { kind: "end"; kernel: number | null }
  | { kind: "decision" }
  /** One and the same queue of a kind is full at the ends of so many windows in a row. */
  | { kind: "full"; queue: QueueKey; windows: number }
  /** Over the last 10,000 cycles, a kernel is so many times slower than alone. */
  | { kind: "slowdown"; kernel: number; above: number };

/** Where a condition was met, and by what. */
export type Met = { cycle: number } & (
  | { kind: "end"; kernel: number; run: number }
  | { kind: "decision"; kernel: number | null; text: string }
  | { kind: "full"; queue: QueueKey; place: number; windows: number }
  /** Infinity where it did nothing at all. */
  | { kind: "slowdown"; kernel: number; slowdown: number }
);

type Full = (frame: FrameReader, place: number) => boolean;
const sum = (frame: FrameReader, section: string, place: number): number =>
  frame.layout.kernels.reduce((all, _, kernel) => all + frame.get(section, place, kernel), 0);
/** The queues that can fill: how many of a kind there are, and when one is full. */
const QUEUES = {
  miss_queue: {
    title: "miss queue of an L1D",
    one: (place: number) => `the miss queue of SM ${place}`,
    places: ({ sms }: FrameLayout) => sms.length,
    full: ((f, i) => sum(f, "sm.miss_queue", i) >= (f.layout.sms[i]?.miss_queue ?? Infinity)) as Full,
  },
  mshr: {
    title: "MSHRs of an L1D",
    one: (place: number) => `the set of MSHRs of SM ${place}`,
    places: ({ sms }: FrameLayout) => sms.length,
    full: ((f, i) => f.get("sm.mshr", i) >= (f.layout.sms[i]?.mshrs ?? Infinity)) as Full,
  },
  request_queue: {
    title: "input of the request NoC",
    one: (place: number) => `the request NoC's input of SM ${place}`,
    places: ({ sms }: FrameLayout) => sms.length,
    full: ((f, i) => sum(f, "noc.request_queue", i) >= f.layout.capacity.request_queue) as Full,
  },
  l2_queue: {
    title: "queue of an L2 bank",
    one: (place: number) => `the queue of L2 bank ${place}`,
    places: ({ banks }: FrameLayout) => banks,
    full: ((f, i) => sum(f, "l2.queue", i) >= f.layout.capacity.l2_queue) as Full,
  },
  l2_mshr: {
    title: "MSHRs of an L2 bank",
    one: (place: number) => `the set of MSHRs of L2 bank ${place}`,
    places: ({ banks }: FrameLayout) => banks,
    full: ((f, i) => sum(f, "l2.mshr", i) >= f.layout.capacity.l2_mshr) as Full,
  },
  reply_queue: {
    title: "input of the reply NoC",
    one: (place: number) => `the reply NoC's input of L2 bank ${place}`,
    places: ({ banks }: FrameLayout) => banks,
    full: ((f, i) => sum(f, "noc.reply_queue", i) >= f.layout.capacity.reply_queue) as Full,
  },
  dram_queue: {
    title: "queue of a DRAM channel",
    one: (place: number) => `the queue of DRAM channel ${place}`,
    places: ({ channels }: FrameLayout) => channels,
    full: ((f, i) => sum(f, "dram.queue", i) >= f.layout.capacity.dram_queue) as Full,
  },
} as const;
type QueueKey = keyof typeof QUEUES;
export const QUEUE_KEYS = Object.keys(QUEUES) as QueueKey[];
export const queueTitle = (key: QueueKey): string => QUEUES[key].title;

/** Windows that a slowdown is taken over. */
const SPAN = 25;

/** What is looked at of a run. */
interface Watched {
  readonly cycle: number;
  decisions(since: number): Decision[];
  windows(since: number): ArrayLike<number>;
  frame(): Uint32Array;
}

/** One condition, from the cycle on at which the run sets out. */
export class Watch {
  readonly #when: StopWhen;
  readonly #run: Watched;
  readonly #past: EventLog;
  readonly #alone: (kernel: number) => number | undefined;
  readonly #windows: WindowsLayout;
  readonly #frame: FrameReader;
  readonly #from: number;
  /** Decisions that have been looked at. */
  #decisions = 0;
  /** For each place of the queue, at how many windows' ends in a row it was full; below 0 where it has been since the run set out. */
  #full: number[] = [];
  /** The next window to be looked at; whether the kernel was as slow as that at the end of the one before, and whether that is known. */
  #window: number;
  #slow = false;
  #known = false;

  constructor(
    when: StopWhen,
    layout: FrameLayout,
    windows: WindowsLayout,
    run: Watched,
    past: EventLog,
    alone: (kernel: number) => number | undefined,
  ) {
    this.#when = when;
    this.#run = run;
    this.#past = past;
    this.#alone = alone;
    this.#windows = windows;
    this.#frame = new FrameReader(layout);
    this.#from = run.cycle;
    this.#window = Math.floor(run.cycle / windows.window);
    if (when.kind === "decision") this.#decisions = run.decisions(0).length;
    if (when.kind === "full") {
      this.#frame.load(run.frame());
      this.#full = Array.from({ length: QUEUES[when.queue].places(layout) }, (_, place) =>
        QUEUES[when.queue].full(this.#frame, place) ? -Infinity : 0,
      );
    }
  }

  /** Where the condition is met, at the present cycle or before; null where it is not. Asked at least once in each window. */
  look(): Met | null {
    const when = this.#when;
    switch (when.kind) {
      case "end":
        return met(this.#past.ended(when.kernel, this.#from, this.#run.cycle));
      case "decision":
        return this.#decided();
      case "full":
        return this.#run.cycle % this.#windows.window === 0 ? this.#filled(when.queue, when.windows) : null;
      case "slowdown":
        return this.#slowed(when.kernel, when.above);
    }
  }

  #decided(): Met | null {
    const news = this.#run.decisions(this.#decisions),
      first = news[0];
    this.#decisions += news.length;
    return first ? { kind: "decision", cycle: first.cycle, kernel: first.kernel, text: first.text } : null;
  }

  #filled(queue: QueueKey, windows: number): Met | null {
    this.#frame.load(this.#run.frame());
    this.#full = this.#full.map((before, place) => (QUEUES[queue].full(this.#frame, place) ? before + 1 : 0));
    const place = this.#full.findIndex((count) => count >= windows);
    return place < 0 ? null : { kind: "full", cycle: this.#run.cycle, queue, place, windows };
  }

  /** Window by window. What a kernel does alone may be known later than the run has come: then all are looked at that went by. */
  #slowed(kernel: number, above: number): Met | null {
    const alone = this.#alone(kernel),
      { window, columns } = this.#windows;
    if (alone === undefined) return null;
    const instructions = columns.findIndex(
        (column) => column.key === "thread_instructions" && column.kernel === kernel,
      ),
      end = columns.findIndex((column) => column.key === "end");
    const rows = this.#run.windows(Math.max(0, this.#window - SPAN)),
      count = Math.floor(rows.length / columns.length);
    const ran = Array.from({ length: count }, (_, i) => rows[i * columns.length + instructions] as number);
    for (let i = SPAN - 1; i < count; i += 1) {
      const cycle = rows[i * columns.length + end] as number,
        number = cycle / window - 1;
      if (number < this.#window - (this.#known ? 0 : 1)) continue;
      const did = ran.slice(i + 1 - SPAN, i + 1).reduce((a, b) => a + b, 0),
        slowdown = did > 0 ? alone / (did / (SPAN * window)) : Infinity;
      const begins = slowdown > above && !this.#slow && number >= this.#window;
      this.#slow = slowdown > above;
      if (begins) return { kind: "slowdown", cycle, kernel, slowdown };
    }
    this.#known = true;
    this.#window = Math.floor(this.#run.cycle / window);
    return null;
  }
}

const met = (mark: Mark | null): Met | null =>
  mark ? { kind: "end", cycle: mark.cycle, kernel: mark.kernel, run: mark.run } : null;

/** In words: what has stopped the run. */
export function metText(met: Met, kernels: readonly string[]): string {
  const name = (kernel: number): string => kernels[kernel] ?? `kernel ${kernel + 1}`;
  switch (met.kind) {
    case "end":
      return `${name(met.kernel)} has finished${met.run > 0 ? `, run ${met.run + 1}` : ""}`;
    case "decision":
      return `the policy decided: ${met.kernel === null ? "" : `${name(met.kernel)} `}${met.text}`;
    case "full":
      return `${QUEUES[met.queue].one(met.place)} was full at the ${met.windows === 1 ? "end of a window" : `ends of ${met.windows} windows in a row`}`;
    case "slowdown":
      return `${name(met.kernel)} ${met.slowdown === Infinity ? "did nothing" : `was ${met.slowdown.toFixed(1)} times slower than alone`} over the last 10,000 cycles`;
  }
}

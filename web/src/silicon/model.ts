// A GPU that was measured, beside the machine: on which preset the same kernels run, what has come of that, and what is left. No DOM.
import { batch, signal } from "@preact/signals";
import { count, errorText, problemText } from "../model/format.ts";
import { resultKey, type RunsPoints, type SchemesHost, type SchemesProgress } from "../schemes/schemes-run.ts";
import type { Line, Plan } from "../engine/lab/sweep.ts";
import type { Experiment, Problem, Result, Silicon } from "../model/types.ts";

/** What the engine makes of a file, whose text it has. */
export interface Reader {
  /** What it says, and how near the runs on a part of a GPU come that have ended with these IPCs. */
  read(scale: string, ipcs: readonly number[]): Promise<Silicon>;
  /** The runs, as a sweep. */
  sweep(gpu: string, scale: string): Promise<object>;
}

/** More runs than a file has. */
const MOST = 1_000;
/** Between two words about how far it is. */
const TELL_MS = 250;

/** Of the presets that fit, the one whose name the GPU's name has in it, or else the file's; of several, the first. */
export function likely(presets: Silicon["presets"], gpu: string, file: string): string {
  const said = `${gpu} ${file}`.toLowerCase().split(/[^a-z0-9]+/);
  const at = ({ name }: { name: string }): number => {
    const place = said.indexOf(name.split("-")[0] ?? "");
    return place < 0 ? Infinity : place;
  };
  return [...presets].sort((a, b) => (at(a) === at(b) ? 0 : at(a) - at(b)))[0]?.name ?? "";
}

/** The kernel of a case is the last of its run. */
const ipcOf = (result: Result): number => {
  const ipc = result.kernels.at(-1)?.["ipc"];
  return typeof ipc === "number" ? ipc : Number.NaN;
};

export class Comparison {
  /** What was measured, and what has been simulated of it. */
  readonly shown;
  /** The preset that it is held against; empty where none fits. */
  readonly gpu = signal("");
  /** Runs that can be started and have not ended. */
  readonly left = signal(0);
  readonly progress = signal<SchemesProgress | null>(null);
  /** Of the pairs, by name: `l1 beside dram`. */
  readonly runs = signal<ReadonlyMap<string, Experiment>>(new Map());
  readonly why = signal("");
  readonly #host: Pick<SchemesHost, "workers" | "plan" | "pool" | "results">;
  readonly #reader: Reader;
  readonly #measured: Silicon;
  #ipcs: number[] = [];
  #pool: RunsPoints | null = null;
  #end: () => void = () => undefined;
  #turn = 0;
  #told = 0;

  constructor(host: Pick<SchemesHost, "workers" | "plan" | "pool" | "results">, reader: Reader, measured: Silicon) {
    this.#host = host;
    this.#reader = reader;
    this.#measured = measured;
    this.shown = signal(measured);
  }

  get scale(): string {
    return this.#measured.presets.find(({ name }) => name === this.gpu.peek())?.scale ?? "1";
  }

  /** Holds it against another preset. What this browser has simulated before stands there at once. */
  async choose(gpu: string): Promise<void> {
    this.close();
    const turn = this.#turn,
      host = this.#host;
    this.#ipcs = [];
    batch(() => {
      this.gpu.value = gpu;
      this.shown.value = this.#measured;
      this.runs.value = new Map();
      this.left.value = 0;
      this.why.value = "";
    });
    if (gpu === "") return;
    const plan = await this.#plan(gpu, turn);
    if (plan === null || turn !== this.#turn) return;
    if ("why" in plan) {
      this.why.value = plan.why;
      return;
    }
    const points = plan.of.points,
      runs = points.map((point) => ({ hash: resultKey(point) }));
    await host.results.recall(runs);
    if (turn !== this.#turn) return;
    const ipcs = runs.map(({ hash }) => {
      const known = host.results.known[hash];
      return known ? ipcOf(known) : Number.NaN;
    });
    this.#ipcs = ipcs;
    this.runs.value = new Map(points.map(({ experiment }) => [experiment["name"] as string, experiment as Experiment]));
    const pool = host.pool(plan.text, plan.of, {
      line: (index, line) => {
        const { result } = JSON.parse(line) as Line;
        host.results.keep(runs[index]?.hash ?? "", result);
        ipcs[index] = ipcOf(result);
        if (pool !== this.#pool) return;
        this.left.value = ipcs.filter(Number.isNaN).length;
        void this.#refresh(turn);
        this.#tell(pool);
      },
      broken: (_, why) => {
        this.why.value = `A defect: ${why}`;
      },
      progress: () => this.#tell(pool),
      over: () => {
        if (pool === this.#pool) this.stop();
      },
    });
    pool.skip(ipcs.flatMap((ipc, index) => (Number.isNaN(ipc) ? [] : [index])));
    this.#pool = pool;
    this.left.value = ipcs.filter(Number.isNaN).length;
    if (this.left.value < runs.length) void this.#refresh(turn);
  }

  /** The sweep, read; null where nobody waits for it any more. */
  async #plan(gpu: string, turn: number): Promise<{ text: string; of: Plan } | { why: string } | null> {
    let text: string;
    try {
      text = JSON.stringify(await this.#reader.sweep(gpu, this.scale));
    } catch (error) {
      return { why: errorText(error) };
    }
    if (turn !== this.#turn) return null;
    const plan = await new Promise<Plan | Problem[]>((resolve) => {
      this.#end = this.#host.plan(text, MOST, resolve);
    });
    return Array.isArray(plan) ? { why: plan.map(problemText).join("; ") } : { text, of: plan };
  }

  async #refresh(turn: number): Promise<void> {
    const shown = await this.#reader.read(this.scale, this.#ipcs);
    if (turn === this.#turn) this.shown.value = shown;
  }

  /** Rate and time are said some times a second, what has ended at once. */
  #tell(pool: RunsPoints): void {
    const before = this.progress.value,
      now = performance.now();
    if (!before || pool !== this.#pool) return;
    const done = before.of - this.left.peek();
    if (done === before.done && now - this.#told < TELL_MS) return;
    this.#told = now;
    const { done: part, left: leftMs } = pool.progress();
    this.progress.value = { done, of: before.of, part, leftMs };
  }

  /** Runs what has not run. */
  start(): void {
    const of = this.left.peek();
    if (!this.#pool || of === 0) return;
    this.progress.value = { done: 0, of, part: 0, leftMs: null };
    this.#pool.start(this.#host.workers);
  }

  /** Ends in this very moment; what is done stays. */
  stop(): void {
    this.#pool?.stop();
    this.progress.value = null;
  }

  /** Nobody looks any more. */
  close(): void {
    this.stop();
    this.#end();
    this.#pool = null;
    this.#turn += 1;
  }
}

/** How far the runs are. */
export const progressText = ({ done, of }: SchemesProgress, left: string | null): string =>
  `${count(done)} of ${count(of)} runs${left === null ? "" : `, about ${left} left`}`;

// Some runs of a document, in the worker pool that sweeps have: the same sweep, the same lines, the same stop within the click.
import { problemText } from "../model/format.ts";
import { Pool, readPlan } from "../engine/lab/pool.ts";
import type { Line, Plan } from "../engine/lab/sweep.ts";
import type { Result } from "../model/types.ts";
import { sweepOf } from "../embed/figure-document.ts";
import type { FigureDocument } from "../embed/figure-document.ts";
import type { Experiment } from "../model/types.ts";

/** Points of one sweep that the page reads. */
const MOST_RUNS = 5_000;

export interface RerunEvents {
  /** A run has ended. */
  result(run: number, result: Result): void;
  /** Runs whose experiments now have another hash than the stored one. */
  changed(runs: number[]): void;
  progress(): void;
  broken(why: string): void;
  /** Everything has run, or can not. */
  over(): void;
}

export class Rerun {
  readonly #runs: readonly number[];
  readonly #events: RerunEvents;
  #unread: () => void;
  #pool: Pool | null = null;
  #done = 0;

  constructor(
    module: WebAssembly.Module,
    document: FigureDocument,
    runs: readonly number[],
    windows: boolean,
    workers: number,
    complete: (experiment: Experiment) => Experiment,
    events: RerunEvents,
  ) {
    this.#runs = runs;
    this.#events = events;
    const text = JSON.stringify(
      sweepOf(
        runs.map((run) => (document.runs[run] as FigureDocument["runs"][number]).experiment),
        document.title,
        complete,
      ),
    );
    this.#unread = readPlan(module, text, MOST_RUNS, (plan) => {
      if (Array.isArray(plan)) {
        events.broken(plan.map(problemText).join("\n"));
        events.over();
        return;
      }
      const changed = runs.filter((run, i) => plan.points[i]?.config_hash !== document.runs[run]?.hash);
      if (changed.length > 0) events.changed(changed);
      this.#start(new Pool(module, text, plan, this.#told(plan), { windows }), workers);
    });
  }

  #told(plan: Plan) {
    return {
      line: (index: number, line: string): void => {
        this.#done += 1;
        this.#events.result(this.#runs[index] as number, (JSON.parse(line) as Line).result);
      },
      broken: (_: unknown, why: string): void => {
        this.#events.broken(why);
      },
      progress: (): void => {
        this.#events.progress();
      },
      over: (): void => {
        if (this.#done < plan.points.length) this.#events.progress();
        this.#events.over();
      },
    };
  }

  #start(pool: Pool, workers: number): void {
    this.#pool = pool;
    pool.start(workers);
  }

  /** Ends it here and now; nothing is heard of it any more. */
  stop(): void {
    this.#unread();
    this.#pool?.stop();
  }

  get all(): number {
    return this.#runs.length;
  }
  get done(): number {
    return this.#done;
  }
  progress(): { done: number; left: number | null } {
    return this.#pool?.progress() ?? { done: 0, left: null };
  }
}

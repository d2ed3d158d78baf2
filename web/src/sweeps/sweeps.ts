// "Vary something": many experiments from one file, on a pool of plain workers. The file is the runner's, and so are the lines of results, byte for byte. No DOM.
import { batch, computed, signal } from "@preact/signals";
import { count, timeText } from "../model/format.ts";
import type { Notice } from "../parts/notice.tsx";
import type { Experiment, MetricEntry, Problem } from "../model/types.ts";
import type { StoredLines } from "./stored.ts";
import { metricsOf, type Metric } from "./metrics.ts";
import type { Pool, PoolEvents } from "../engine/lab/pool.ts";
import type { SweepState } from "./state.ts";
import type { Line, Plan, Task } from "../engine/lab/sweep.ts";

const MOST_BYTES = 4 << 20;
export const MOST_WORKERS = 64;
/** Milliseconds: for which nobody types before the text is read; between two times that results are shown. */
const REST = 400,
  GAP = 30;

/** What has been run of one sweep. It is kept while the page is open, also when another sweep is looked at. */
interface Run {
  plan: Plan;
  pool: Pick<Pool, "start" | "stop" | "skip" | "progress">;
  texts: Map<number, string>;
  lines: Map<number, Line>;
  broken: Map<number, string>;
}
type Phase = "loading" | "checking" | "bad" | "ready" | "running" | "stopped" | "done";

/** What is shown where nobody has chosen; also before the engine has said what it knows. */
const FIRST: Metric = { key: "stp", title: "STP", unit: "", of: "metrics", digits: 3 };

/** What sweeps are read and run by. */
export interface Backing {
  readonly metrics: readonly MetricEntry[];
  /** Gives back how the reading is ended. */
  read(text: string, said: (plan: Plan | Problem[], stamp: string) => void): () => void;
  pool(text: string, plan: Plan, events: PoolEvents): Run["pool"];
  kept(stamp: string): Pick<StoredLines, "recall" | "keep">;
}
interface Events {
  /** The sweep, or what is shown of it, has changed: by a person, or as it was opened. */
  changed(): void;
  /** A person changes the sweep. */
  taken(): void;
}

export class Sweeps {
  readonly text = signal("");
  readonly phase = signal<Phase>("loading");
  readonly problems = signal<readonly Problem[]>([]);
  /** What stands above it all: why there is no sweep, or what broke. */
  readonly notice = signal<Notice | null>(null);
  /** A link that cannot be opened leaves nothing to vary. */
  readonly refused = signal(false);
  readonly run = signal<Run | null>(null);
  /** Counts what has come of the run; at most so often as anybody sees. */
  readonly news = signal(0);
  /** Only what starts and ends is spoken. */
  readonly spoken = signal("");
  readonly axis = signal(0);
  readonly #wanted = signal("");
  /** Every figure that the engine knows. */
  readonly registry = signal<readonly MetricEntry[]>([]);
  readonly metrics = computed((): readonly Metric[] =>
    metricsOf(this.run.value?.plan ?? { points: [] }, this.registry.value),
  );
  readonly metric = computed((): Metric => {
    const named = (name: string): Metric | undefined => this.metrics.value.find(({ key }) => key === name);
    return named(this.#wanted.value) ?? named(FIRST.key) ?? FIRST;
  });

  readonly #events: Events;
  readonly #runs = new Map<string, Run>();
  #backing: Backing | null = null;
  #kept: ReturnType<Backing["kept"]> | null = null;
  #stamp = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = false;
  #unread: () => void = () => undefined;

  constructor(events: Events) {
    this.#events = events;
  }

  /** The module is there: sweeps can be read. */
  begin(backing: Backing): void {
    this.#backing = backing;
    this.registry.value = backing.metrics;
    if (this.phase.value === "loading") this.#check();
  }

  get running(): boolean {
    return this.phase.value === "running";
  }
  /** The engine that reads them, with its behaviour. */
  get stamp(): string {
    return this.#stamp;
  }
  get stamped(): { engine: string; config: string } {
    return { engine: this.#stamp, config: this.run.value?.plan.hash ?? "" };
  }
  get state(): SweepState {
    // Before the engine has said what it knows, what a link asks for stands.
    const key = this.registry.value.length === 0 ? this.#wanted.value : this.metric.value.key;
    return { text: this.text.value, y: key === FIRST.key ? "" : key, x: this.axis.value };
  }

  open({ text, x, y }: SweepState): void {
    batch(() => {
      this.notice.value = null;
      this.refused.value = false;
      this.#wanted.value = y;
      this.axis.value = x;
    });
    this.edit(text);
  }
  /** Another text, from elsewhere. */
  edit(text: string): void {
    this.text.value = text;
    this.#check();
  }
  /** Another text, by a person; `typed`: letter by letter. */
  change(text: string, typed = false): void {
    this.#events.taken();
    this.text.value = text;
    if (!typed) {
      this.#check();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), REST);
  }
  async take(file: File): Promise<void> {
    if (this.running || this.phase.value === "loading") return;
    this.#events.taken();
    batch(() => {
      this.refused.value = false;
      this.notice.value = null;
    });
    if (file.size <= MOST_BYTES) this.edit(await file.text());
    else this.#bad([{ path: "(file)", found: `${count(file.size)} bytes`, want: "a sweep: JSON of at most 4 MiB" }]);
  }
  /** Another figure, or another axis across. */
  show({ metric = this.metric.value.key, axis = this.axis.value }: { metric?: string; axis?: number }): void {
    this.#events.taken();
    batch(() => {
      this.#wanted.value = metric;
      this.axis.value = axis;
    });
    this.#events.changed();
  }

  /** There is nothing to vary, and why. */
  refuse(why: Notice): void {
    batch(() => {
      this.run.value = null;
      this.refused.value = true;
      this.phase.value = "bad";
      this.notice.value = why;
    });
  }

  // ---------------------------------------------------------------- the text, and what the engine says of it

  /** A newer text ends the reading of an older one. */
  #check(): void {
    clearTimeout(this.#timer);
    this.#unread();
    this.phase.value = this.#backing ? "checking" : "loading";
    const text = this.text.value;
    this.#unread =
      this.#backing?.read(text, (plan, stamp) => {
        this.#stamp = stamp;
        if (Array.isArray(plan)) this.#bad(plan);
        else void this.#accepted(text, plan);
      }) ?? (() => undefined);
  }

  #bad(problems: readonly Problem[]): void {
    batch(() => {
      this.problems.value = problems;
      this.run.value = null;
      this.phase.value = "bad";
    });
  }

  async #accepted(text: string, plan: Plan): Promise<void> {
    this.problems.value = [];
    const mine = this.#runs.get(plan.hash) ?? (await this.#fresh(text, plan));
    // Another text came while the browser looked for what it keeps.
    if (this.text.value !== text) return;
    this.#runs.set(plan.hash, mine);
    batch(() => {
      this.run.value = mine;
      if (this.axis.value >= plan.axes.length) this.axis.value = 0;
      this.phase.value = mine.lines.size === plan.points.length ? "done" : mine.lines.size > 0 ? "stopped" : "ready";
    });
    this.#events.changed();
  }

  async #fresh(text: string, plan: Plan): Promise<Run> {
    const backing = this.#backing as Backing;
    this.#kept ??= backing.kept(this.#stamp);
    const kept = this.#kept;
    const texts = new Map<number, string>(),
      lines = new Map<number, Line>(),
      broken = new Map<number, string>();
    const pool = backing.pool(text, plan, {
      line: (index, line) => {
        kept.keep(plan.hash, index, line);
        texts.set(index, line);
        lines.set(index, JSON.parse(line) as Line);
        this.#soon();
      },
      broken: (task, why) => this.#broke(task, why),
      progress: () => this.#soon(),
      over: () => this.#ended(this.run.value && lines.size === plan.points.length ? "done" : "stopped"),
    });
    for (const { index, text: written, line } of await kept.recall(plan.hash)) {
      if (index >= plan.points.length) continue;
      texts.set(index, written);
      lines.set(index, line);
    }
    pool.skip(lines.keys());
    return { plan, pool, texts, lines, broken };
  }

  // ---------------------------------------------------------------- running

  start(workers: number): void {
    const run = this.run.value;
    if (!run || this.running || run.lines.size === run.plan.points.length) return;
    run.broken.clear();
    batch(() => {
      this.notice.value = null;
      this.phase.value = "running";
      this.spoken.value = "Running";
    });
    run.pool.start(Number.isFinite(workers) ? Math.min(MOST_WORKERS, Math.max(1, Math.floor(workers))) : 1);
  }

  halt(): void {
    if (!this.running) return;
    this.run.value?.pool.stop();
    this.#ended("stopped");
  }

  #ended(phase: Phase): void {
    batch(() => {
      this.phase.value = phase;
      this.news.value += 1;
      this.spoken.value = this.words.value;
    });
  }

  #broke(task: Task | null, why: string): void {
    if (task?.kind === "point") this.run.value?.broken.set(task.index, why);
    this.notice.value = {
      kind: "error",
      title: "A simulation stopped",
      text: [`That is a defect of Corun, or of this browser, not of the sweep. It said: ${why}`],
    };
  }

  #soon(): void {
    if (this.#due) return;
    this.#due = true;
    setTimeout(() => {
      this.#due = false;
      this.news.value += 1;
    }, GAP);
  }

  // ---------------------------------------------------------------- how far it is

  readonly progress = computed(() => {
    void this.news.value;
    return this.phase.value === "running" ? (this.run.value?.pool.progress() ?? null) : null;
  });
  readonly words = computed((): string => {
    void this.news.value;
    const run = this.run.value,
      points = count(run?.plan.points.length ?? 0),
      state = `${count(run?.lines.size ?? 0)} of ${points} points`,
      left = this.progress.value?.left ?? null;
    return this.refused.value
      ? ""
      : {
          loading: "",
          checking: "Reading…",
          bad: "It cannot run",
          ready: `${points} points`,
          running: `${state}${left === null ? "" : `, about ${timeText(left)} left`}`,
          stopped: `Stopped: ${state}`,
          done: `Done: ${state}`,
        }[this.phase.value];
  });
}

/** How a point ended. */
export function endedText({ lines, broken }: Pick<Run, "lines" | "broken">, index: number): string {
  const result = lines.get(index)?.result;
  if (!result) return broken.has(index) ? "a defect" : "not run";
  const how = result.stop === "stuck" || result.stop === "failed" ? `${result.stop} ` : "";
  return `${how}at ${count(result.cycles)}`;
}

/** The experiment of a sweep's base, as far as it is one. */
export const asMix = (base: unknown): Experiment | null =>
  typeof base === "object" && base !== null && Array.isArray((base as { kernels?: unknown }).kernels)
    ? (base as Experiment)
    : null;

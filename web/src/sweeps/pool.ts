// A pool of plain workers, one simulation each. Stopping ends them in the same moment; what was done is kept, and going on runs the rest.
import { problemText } from "../format.ts";
import { ownName, watched } from "../life.ts";
import type { Answer, Problem } from "../types.ts";
import { Schedule } from "./schedule.ts";
import { timeLeft, type Work, type Worked } from "./time-left.ts";
import type { FromSweeper, Plan, Task, ToSweeper } from "./types.ts";

export interface PoolEvents {
  line(index: number, line: string): void;
  /** A simulation that could not be run, through a defect of the engine or of the browser. */
  broken(task: Task | null, why: string): void;
  progress(): void;
  /** Everything has run. */
  over(): void;
}

interface Hand {
  worker: Worker;
  task: Task | null;
  /** Of the task, 0 to 1. */
  done: number;
  /** When the task began; how far it was, and when, 3 to 6 seconds ago: the engine runs faster once its module is compiled for good. */
  since: number;
  marks: [Mark, Mark];
}
interface Mark {
  at: number;
  done: number;
}
const MARKS_MS = 3000;

/** What takes less was not simulated: its answer was known. */
const KNOWN_MS = 50;

function begun(): Pick<Hand, "since" | "marks"> {
  const mark = { at: performance.now(), done: 0 };
  return { since: mark.at, marks: [mark, mark] };
}

function spawn(module: WebAssembly.Module, of: string): Worker {
  const name = ownName(of),
    worker = watched(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name }), name);
  worker.postMessage({ t: "init", module } satisfies ToSweeper);
  return worker;
}

/**
 * Reads a sweep in a worker of its own, so that a long list of points does not hold up the page. What is said at the end is its plan,
 * or what is wrong with it, and the engine's stamp. The function that it returns ends it, unheard.
 */
export function readPlan(
  module: WebAssembly.Module,
  text: string,
  most: number,
  said: (plan: Plan | Problem[], stamp: string) => void,
): () => void {
  const worker = spawn(module, "sweep reader");
  let stamp = "",
    ended = false;
  const end = (): void => {
    ended = true;
    worker.terminate();
  };
  const say = (plan: Plan | Problem[]): void => {
    if (ended) return;
    end();
    said(plan, stamp);
  };
  const failed = (found: string): void => {
    say([{ path: "(whole)", found, want: "a sweep" }]);
  };
  worker.onerror = (event) => {
    failed(event.message || "a reader that stopped");
  };
  worker.onmessage = ({ data }: MessageEvent<FromSweeper>) => {
    if (data.t === "ready") stamp = data.stamp;
    else if (data.t === "problems") say(data.problems);
    else if (data.t === "failed") failed(data.message);
    else if (data.t === "opened" && data.plan) say(data.plan);
  };
  worker.postMessage({ t: "open", text, plan: most } satisfies ToSweeper);
  return end;
}

export class Pool {
  readonly #module: WebAssembly.Module;
  readonly #text: string;
  readonly #plan: Plan;
  readonly #events: PoolEvents;
  readonly #windows: boolean;
  #hands: Hand[] = [];
  #schedule: Schedule;
  /** Of runs alone, by hash. */
  readonly #answers = new Map<string, Answer>();
  readonly #finished = new Set<number>();
  /** What has been simulated, for the time that is left. */
  #ended: Worked[] = [];

  /** `windows`: whether the results in the lines have their windows. */
  constructor(module: WebAssembly.Module, text: string, plan: Plan, events: PoolEvents, windows = false) {
    this.#module = module;
    this.#text = text;
    this.#plan = plan;
    this.#events = events;
    this.#windows = windows;
    this.#schedule = this.#rest();
  }

  #rest(): Schedule {
    return new Schedule(this.#plan, this.#finished, this.#answers);
  }

  get running(): boolean {
    return this.#hands.length > 0;
  }

  /** These points are done already: they are not run again. */
  skip(points: Iterable<number>): void {
    for (const index of points) this.#finished.add(index);
    if (!this.running) this.#schedule = this.#rest();
  }

  /** Answers of runs alone, by hash: they are not run again. */
  know(answers: Readonly<Record<string, Answer>>): void {
    for (const [hash, answer] of Object.entries(answers)) this.#answers.set(hash, answer);
    if (!this.running) this.#schedule = this.#rest();
  }

  /** Runs what is not done yet. */
  start(workers: number): void {
    this.stop();
    this.#schedule = this.#rest();
    this.#ended = [];
    for (let n = 0; n < Math.min(workers, this.#schedule.all); n += 1) this.#hands.push(this.#hire(n));
    this.#give();
  }

  /** Ends every worker, wherever it is. */
  stop(): void {
    for (const hand of this.#hands) hand.worker.terminate();
    this.#hands = [];
  }

  /** How much of what was started for is done, 0 to 1, and the milliseconds that the rest takes. */
  progress(): { done: number; left: number | null } {
    const parts = this.#hands.reduce((sum, hand) => sum + (hand.task ? Math.min(1, hand.done) : 0), 0);
    const done = this.#schedule.all === 0 ? 1 : (this.#schedule.done + parts) / this.#schedule.all;
    const running = this.#hands.flatMap((hand) => (hand.task ? [this.#worked(hand, hand.task)] : []));
    const waiting = this.#schedule.waiting().map((task) => this.#work(task));
    return { done, left: timeLeft(this.#ended, running, waiting, this.#hands.length) };
  }

  #work(task: Pick<Task, "kind" | "index"> & { key?: string }): Work {
    const cycles =
      task.kind === "alone"
        ? (this.#plan.runs[task.key ?? ""]?.experiment["stop"] as { cycles?: number } | undefined)?.cycles
        : this.#plan.points[task.index]?.cycles;
    // Where no length is given, one is as long as another.
    return { alone: task.kind === "alone", cycles: cycles ?? 1 };
  }

  #worked(hand: Hand, task: Task): Worked {
    const work = this.#work(task),
      now = performance.now(),
      part = Math.min(1, hand.done);
    return {
      ...work,
      done: work.cycles * part,
      spentMs: now - hand.since,
      lately: { done: work.cycles * Math.max(0, part - hand.marks[0].done), spentMs: now - hand.marks[0].at },
    };
  }

  #hire(n: number): Hand {
    const worker = spawn(this.#module, `sweep ${n + 1}`);
    const hand: Hand = { worker, task: null, done: 0, ...begun() };
    worker.onmessage = (event: MessageEvent<FromSweeper>) => {
      if (this.#hands.includes(hand)) this.#receive(hand, n, event.data);
    };
    worker.onerror = (event) => {
      if (this.#hands.includes(hand)) this.#broke(hand, n, event.message || "its worker stopped");
    };
    worker.postMessage({ t: "open", text: this.#text, plan: null, windows: this.#windows } satisfies ToSweeper);
    return hand;
  }

  #receive(hand: Hand, n: number, message: FromSweeper): void {
    switch (message.t) {
      case "ready":
        return;
      case "opened":
        // Starting a worker is no part of its first task.
        Object.assign(hand, begun());
        return;
      case "progress":
        hand.done = message.done;
        if (performance.now() - hand.marks[1].at > MARKS_MS)
          hand.marks = [hand.marks[1], { at: performance.now(), done: hand.done }];
        this.#events.progress();
        return;
      case "alone":
        if (hand.task) this.#schedule.ended(hand.task, message.answer);
        break;
      case "line":
        if (hand.task) this.#schedule.ended(hand.task);
        this.#finished.add(message.index);
        this.#events.line(message.index, message.line);
        break;
      case "problems":
        this.#broke(hand, n, message.problems.map(problemText).join("; "));
        return;
      case "failed":
        this.#broke(hand, n, message.message);
        return;
    }
    if (hand.task && performance.now() - hand.since >= KNOWN_MS) {
      hand.done = 1;
      this.#ended.push(this.#worked(hand, hand.task));
    }
    hand.task = null;
    hand.done = 0;
    this.#give();
  }

  /** Gives every free worker a task: the end of a run alone can free points for several. */
  #give(): void {
    for (const hand of this.#hands) {
      if (hand.task) continue;
      const task = this.#schedule.next();
      if (!task) break;
      hand.task = task;
      Object.assign(hand, begun());
      hand.worker.postMessage({ t: "run", task } satisfies ToSweeper);
    }
    this.#events.progress();
    if (this.#schedule.over) {
      this.stop();
      this.#events.over();
    }
  }

  /** What a trap leaves of a module is not used again: a new worker takes the place of the old one. */
  #broke(hand: Hand, n: number, why: string): void {
    const task = hand.task;
    hand.worker.terminate();
    if (task) {
      this.#schedule.ended(task);
      this.#events.broken(task, why);
      this.#hands[this.#hands.indexOf(hand)] = this.#hire(n);
      this.#give();
      return;
    }
    // It did not even start: the others go on without it.
    this.#hands = this.#hands.filter((one) => one !== hand);
    if (this.#hands.length === 0) {
      this.#events.broken(null, why);
      this.#events.over();
    }
  }
}

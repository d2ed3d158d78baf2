// The points of a sweep on the Lab's workers, each run alone before the first point that needs it. Stopping ends them in the same moment; what was done is
// kept, and going on runs the rest.
import { problemsIn } from "../../model/format.ts";
import { type Failure, Lab } from "./lab.ts";
import type { Point } from "./work.ts";
import type { Answer, Fate, Problem, Race, Standing } from "../../model/types.ts";
import { Schedule } from "./schedule.ts";
import { timeLeft, type Work, type Worked } from "./time-left.ts";
import type { Plan, PlanPoint, Task } from "./sweep.ts";

export interface PoolEvents {
  line(index: number, line: string): void;
  /** A simulation that could not be run, through a defect of the engine or of the browser. */
  broken(task: Task | null, why: string): void;
  progress(): void;
  /** Everything has run. */
  over(): void;
}

/** A race of the points: they are held at the cycles that it says, and those that it drops do not go on. */
export interface RaceEvents {
  /** Cycles of a whole run. */
  readonly cycles: number;
  /** Where a point stands where it is held. `steadySince`: since when it has shared the GPU as it will. */
  held(index: number, line: string, steadySince: number | null): void;
  /** How all stand by now. */
  standings(): readonly Standing[];
  /** Takes what the race says of them; the points that do not go on are returned. */
  judged(fates: readonly Fate[]): readonly number[];
}

/** A simulation under way. */
interface Running {
  task: Task;
  /** Of the task, 0 to 1; and how much of it had been done when it was held. */
  done: number;
  from: number;
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

function begun(done: number): Pick<Running, "since" | "marks"> {
  const mark = { at: performance.now(), done };
  return { since: mark.at, marks: [mark, mark] };
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
  const lab = new Lab(module, "sweep reader");
  const say = (plan: Plan | Problem[]): void => {
    const { stamp } = lab;
    lab.end();
    said(plan, stamp);
  };
  lab.ask("plan", { text, most }).ended.then(say, (error: Failure) => {
    say(problemsIn(error) ?? [{ path: "(whole)", found: error.message, want: "a sweep" }]);
  });
  return () => lab.end();
}

export class Pool {
  readonly #module: WebAssembly.Module;
  readonly #text: string;
  readonly #plan: Plan;
  readonly #events: PoolEvents;
  readonly #windows: boolean;
  #lab: Lab | null = null;
  #workers = 0;
  #running: Running[] = [];
  #schedule: Schedule;
  /** Of runs alone, by hash. */
  readonly #answers = new Map<string, Answer>();
  readonly #finished = new Set<number>();
  /** What has been simulated, for the time that is left. */
  #ended: Worked[] = [];
  readonly #race: RaceEvents | null;
  /** The same while it is run. */
  #racing: RaceEvents | null = null;
  /** The cycle at which points are held next; null for none. */
  #to: number | null = null;
  /** The race, until it has compared all for the first time. */
  #first: RaceEvents | null = null;
  /** How much is done of the points that are held, or go on from there, by their index. */
  #parts = new Map<number, number>();

  /** `windows`: whether the results in the lines have their windows. */
  constructor(
    module: WebAssembly.Module,
    text: string,
    plan: Plan,
    events: PoolEvents,
    { windows = false, race = null }: { windows?: boolean; race?: RaceEvents | null } = {},
  ) {
    this.#module = module;
    this.#text = text;
    this.#plan = plan;
    this.#events = events;
    this.#windows = windows;
    this.#race = race;
    this.#schedule = this.#rest();
  }

  #rest(): Schedule {
    return new Schedule(this.#plan, this.#finished, this.#answers);
  }

  get running(): boolean {
    return this.#lab !== null;
  }

  /** These points are done already: they are not run again. */
  skip(points: Iterable<number>): void {
    for (const index of points) this.#finished.add(index);
    if (!this.running) this.#schedule = this.#rest();
  }

  /** These points are to be run again. */
  again(points: Iterable<number>): void {
    for (const index of points) this.#finished.delete(index);
    if (!this.running) this.#schedule = this.#rest();
  }

  /** Answers of runs alone, by hash: they are not run again. */
  know(answers: Readonly<Record<string, Answer>>): void {
    for (const [hash, answer] of Object.entries(answers)) this.#answers.set(hash, answer);
    if (!this.running) this.#schedule = this.#rest();
  }

  /** Runs what is not done yet. `whole`: each to its end, without a race. */
  start(workers: number, whole = false): void {
    this.stop();
    this.#schedule = this.#rest();
    this.#ended = [];
    this.#workers = Math.min(workers, this.#schedule.all);
    this.#lab = new Lab(this.#module, "sweep", this.#workers);
    this.#racing = whole ? null : this.#race;
    this.#to = null;
    this.#first = this.#racing;
    if (this.#racing && this.#workers > 0) void this.#judge(this.#lab, this.#racing);
    else this.#give();
  }

  /** Asks who goes on, and to which cycle. */
  async #judge(lab: Lab, race: RaceEvents): Promise<void> {
    let found: Race;
    try {
      found = await lab.ask("race", { cycles: race.cycles, standings: race.standings() }).ended;
    } catch (why) {
      if (lab === this.#lab) this.#unstarted((why as Failure).message);
      return;
    }
    if (lab !== this.#lab) return;
    if (this.#to !== null) this.#first = null;
    this.#to = found.to;
    const out = race.judged(found.fates);
    for (const index of out) {
      this.#finished.add(index);
      this.#parts.delete(index);
    }
    this.#schedule.goOn(out);
    this.#give();
  }

  /** Ends every worker, wherever it is. */
  stop(): void {
    this.#lab?.end();
    this.#lab = null;
    this.#running = [];
    this.#parts.clear();
  }

  /** How much of what was started for is done, 0 to 1, and the milliseconds that the rest takes. `look`: those until a race compares all for the first time. */
  progress(): { done: number; left: number | null; look?: number | null } {
    const held = new Map(this.#parts);
    for (const { task } of this.#running) held.delete(task.index);
    const parts =
      this.#running.reduce((sum, one) => sum + Math.min(1, one.done), 0) +
      [...held.values()].reduce((a, b) => a + b, 0);
    const done = this.#schedule.all === 0 ? 1 : (this.#schedule.done + parts) / this.#schedule.all;
    const running = this.#running.map((one) => this.#worked(one));
    const waiting = this.#schedule.waiting().map((task) => this.#work(task)),
      workers = this.#lab ? this.#workers : 0;
    const left = timeLeft(this.#ended, running, waiting, workers);
    if (!this.#first || this.#to === null) return { done, left };
    const to = this.#to / this.#first.cycles,
      some = <W extends Work>(work: W): W => (work.alone ? work : { ...work, cycles: work.cycles * to });
    const first = this.#schedule.waiting().filter((task) => this.#heldAt(task) === 0);
    const look = timeLeft(
      this.#ended,
      running.map(some),
      first.map((task) => some(this.#work(task))),
      workers,
    );
    return { done, left, look };
  }

  #work(task: Pick<Task, "kind" | "index"> & { key?: string }): Work {
    const cycles =
      task.kind === "alone"
        ? (this.#plan.runs[task.key ?? ""]?.experiment["stop"] as { cycles?: number } | undefined)?.cycles
        : this.#plan.points[task.index]?.cycles;
    // Where no length is given, one is as long as another.
    return { alone: task.kind === "alone", cycles: (cycles ?? 1) * (1 - this.#heldAt(task)) };
  }
  #heldAt(task: Pick<Task, "kind" | "index">): number {
    return task.kind === "point" ? (this.#parts.get(task.index) ?? 0) : 0;
  }

  #worked({ task, done, from, since, marks: [before] }: Running): Worked {
    const work = this.#work(task),
      now = performance.now(),
      part = Math.min(1, done),
      whole = work.cycles / (1 - from);
    return {
      ...work,
      done: whole * Math.max(0, part - from),
      spentMs: now - since,
      lately: { done: whole * Math.max(0, part - before.done), spentMs: now - before.at },
    };
  }

  /** Gives every free worker a simulation: the end of a run alone can free points for several. */
  #give(): void {
    const lab = this.#lab;
    while (lab && this.#running.length < this.#workers) {
      const task = this.#schedule.next();
      if (!task) break;
      this.#run(lab, task);
    }
    this.#events.progress();
    if (this.#schedule.over) {
      this.stop();
      this.#events.over();
    } else if (lab && this.#racing && this.#running.length === 0) void this.#judge(lab, this.#racing);
  }

  #run(lab: Lab, task: Task): void {
    const from = this.#heldAt(task),
      running: Running = { task, done: from, from, ...begun(from) };
    this.#running.push(running);
    const told = {
      // Starting a worker is no part of its first simulation.
      begun: () => void Object.assign(running, begun(from)),
      soFar: (part: number | null) => {
        running.done = part ?? 0;
        if (performance.now() - running.marks[1].at > MARKS_MS)
          running.marks = [running.marks[1], { at: performance.now(), done: running.done }];
        this.#events.progress();
      },
    };
    const ended = (give: () => void): void => {
      if (lab !== this.#lab) return;
      this.#running = this.#running.filter((one) => one !== running);
      give();
      this.#give();
    };
    const spent = (): void => {
      running.done = 1;
      if (performance.now() - running.since >= KNOWN_MS) this.#ended.push(this.#worked(running));
    };
    const failed = (why: Failure): void => {
      if (lab === this.#lab && why.unstarted) this.#unstarted(why.message);
      else
        ended(() => {
          this.#parts.delete(task.index);
          this.#schedule.ended(task);
          this.#events.broken(task, why.message);
        });
    };
    if (task.kind === "alone")
      lab.ask("alone", task.run, told).ended.then((answer) => {
        ended(() => {
          spent();
          this.#schedule.ended(task, answer);
        });
      }, failed);
    else {
      const { index, answers } = task,
        to = this.#to === null ? {} : { to: this.#to };
      const of = { text: this.#text, index, answers, windows: this.#windows, ...to };
      lab
        .ask("point", of, told, this.#racing ? String(index) : null)
        .ended.then((point) => ended(() => this.#stands(running, point, spent)), failed);
    }
  }

  /** A point is held, or has ended. */
  #stands(running: Running, { line, held, steadySince }: Point, spent: () => void): void {
    const { task } = running,
      { index } = task;
    if (held && this.#to !== null) {
      const { cycles } = this.#plan.points[index] as PlanPoint;
      running.done = cycles ? this.#to / cycles : 0;
      this.#ended.push(this.#worked(running));
      this.#parts.set(index, running.done);
      this.#schedule.held(task);
      this.#racing?.held(index, line, steadySince);
      return;
    }
    spent();
    this.#parts.delete(index);
    this.#schedule.ended(task);
    this.#finished.add(index);
    this.#events.line(index, line);
  }

  /** No worker can be had. */
  #unstarted(why: string): void {
    this.stop();
    this.#events.broken(null, why);
    this.#events.over();
  }
}

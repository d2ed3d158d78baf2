// What moves the runs, one or several on one clock. Each is told a cycle to go to; only when all are there is anything drawn, and while that is drawn
// they are already on their way to the next one. A run that ends before, or that stops at an event, stops the others at the same cycle.
import { Pacing } from "./pacing.ts";
import type { Tell } from "../model/session.ts";
import type { RunState } from "../model/types.ts";
import type { FrameMessage } from "./protocol.ts";

export interface Member {
  /** The next frame is of all that has been. */
  again(): void;
  /** Goes to a cycle, forwards or back, and says what is there; null where it has become another run. */
  goTo(cycle: number, event: boolean, full: boolean): Promise<FrameMessage | null>;
  /** Ends a long way where it is. */
  halt(): void;
}

/** `plays`: there, it goes on. */
type Wanted = { kind: "rest" } | { kind: "play" } | { kind: "event" } | { kind: "to"; cycle: number; plays: boolean };

/** Milliseconds of simulating between two pictures at top speed: at least, and at most where drawing takes longer. */
const SHORTEST = 20,
  LONGEST = 80;
/** Cycles in which an event is looked for before the other run may do the same. */
const EVENT_SPAN = 2_000;
/** Between two results. */
const FULL_GAP = 250;

export class Transport {
  /** Null while they are not all built: what is asked then holds from when they are. */
  #members: readonly Member[] | null = null;
  readonly #tell: Tell;
  /** How far each is on its way. */
  #under = new Map<Member, number>();
  readonly #pacing = new Pacing();
  #wanted: Wanted = { kind: "rest" };
  #cycle = 0;
  /** The farthest that all have been: to get there is a jump. */
  #known = 0;
  /** All are at `#cycle`. */
  #even = false;
  /** What stands on the page is full, and of now. */
  #rested = false;
  /** How often something about the runs has changed: what was asked before is of before. */
  #changes = 0;
  /** How the runs ended, if one of them has. */
  #ended: "done" | "stuck" | "failed" | null = null;
  #busy = false;
  /** How often there have been other runs: what is under way for those before is for nobody. */
  #turn = 0;
  /** Cycles of one step at top speed. */
  #step = 500;
  #drawnAt = 0;
  #fullAt = 0;
  #marks: { at: number; cycle: number }[] = [];

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  // ---------------------------------------------------------------- which runs

  /** Other runs are being built: when they are, all go to a cycle, and then rest or play. */
  part(cycle: number, plays: boolean): void {
    this.#halt();
    this.#turn += 1;
    this.#members = null;
    this.#wanted = { kind: "to", cycle, plays };
  }
  /** These run from now on. */
  begin(members: readonly Member[]): void {
    this.#turn += 1;
    this.#members = members;
    for (const member of members) member.again();
    this.#known = 0;
    this.#even = this.#busy = false;
    this.#ended = null;
    this.#want(this.#wanted);
  }
  /** What was to be built is not: these rest where they were. */
  stay(members: readonly Member[]): void {
    this.#wanted = { kind: "to", cycle: this.#cycle, plays: false };
    this.begin(members);
  }
  /** One is on a long way. Who plays goes nowhere: a step of a slow run takes long, too. */
  reached(member: Member, cycle: number): void {
    if (this.#members === null || this.#wanted.kind === "play") return;
    this.#under.set(member, cycle);
    const least = Math.min(...this.#under.values());
    this.#tell("underWay", least, this.#rate(least));
  }

  // ---------------------------------------------------------------- what they do

  get running(): boolean {
    return this.#wanted.kind !== "rest";
  }

  set speed(cyclesPerSecond: number) {
    this.#pacing.speed = cyclesPerSecond;
    this.#pacing.restart(performance.now());
    this.#marks = [];
  }

  play(): void {
    if (this.#members === null && this.#wanted.kind === "to") this.#want({ ...this.#wanted, plays: true });
    else if (this.#ended === null) this.#want({ kind: "play" });
  }
  pause(): void {
    this.#halt();
    if (this.#members === null && this.#wanted.kind === "to") this.#want({ ...this.#wanted, plays: false });
    else this.#want({ kind: "rest" });
  }
  /** Goes to a cycle, and then rests or plays. */
  to(cycle: number, plays = false): void {
    // A long way to somewhere else ends here.
    this.#halt();
    if (this.#members && cycle < this.#cycle) {
      this.#even = false;
      this.#ended = null;
    }
    this.#want({ kind: "to", cycle, plays });
  }
  step(): void {
    if (this.#members) this.to(this.#cycle + 1);
  }
  event(): void {
    if (this.#members && this.#ended === null) this.#want({ kind: "event" });
  }
  /** The same cycle again: something about the runs has changed. */
  refresh(): void {
    this.#changes += 1;
    this.#rested = false;
    void this.#go();
  }

  #halt(): void {
    if (!this.#even) for (const member of this.#members ?? []) member.halt();
  }
  #want(wanted: Wanted): void {
    if (!this.running) {
      this.#pacing.restart(performance.now());
      this.#marks = [];
    }
    this.#wanted = wanted;
    this.#rested = false;
    void this.#go();
  }

  async #go(): Promise<void> {
    const members = this.#members,
      turn = this.#turn;
    if (this.#busy || members === null) return;
    this.#busy = true;
    let drawn = Promise.resolve();
    while (!(this.#wanted.kind === "rest" && this.#rested)) {
      const wanted = this.#wanted,
        aim = this.#aim(wanted);
      if (aim === null) {
        await new Promise((wake) => setTimeout(wake, 4));
        if (turn !== this.#turn) return;
        continue;
      }
      const changes = this.#changes;
      const full = wanted.kind === "rest" || aim.last || performance.now() - this.#fullAt > FULL_GAP;
      const frames = await this.#meet(members, aim.cycle, wanted.kind, full);
      // Others may run now.
      if (turn !== this.#turn) return;
      if (frames === null) break;
      if (full) this.#fullAt = performance.now();
      this.#arrive(frames, wanted, full && changes === this.#changes);
      await drawn;
      if (turn !== this.#turn) return;
      drawn = this.#drawn(turn, frames, this.#state(), this.#rate(this.#cycle));
      // At rest there is no hurry: what comes next may be asked by what is drawn.
      if (this.#wanted.kind === "rest") await drawn;
      if (turn !== this.#turn) return;
    }
    this.#busy = false;
  }
  #drawn(turn: number, ...what: [FrameMessage[], RunState, number]): Promise<void> {
    return new Promise((done) =>
      requestAnimationFrame(() => {
        try {
          if (turn === this.#turn) this.#tell("frames", ...what);
        } finally {
          done();
        }
      }),
    );
  }

  /** Where to go next; null while nothing is due. */
  #aim(wanted: Wanted): { cycle: number /** What is wanted is reached there. */; last: boolean } | null {
    switch (wanted.kind) {
      case "rest":
        return { cycle: this.#cycle, last: true };
      case "event":
        return { cycle: this.#cycle + EVENT_SPAN, last: true };
      case "to": {
        // Who is behind comes after, or all go back, in one go; so do all where they have been before.
        const cycle = this.#even
          ? Math.min(wanted.cycle, Math.max(this.#cycle + this.#step, this.#known))
          : wanted.cycle;
        return { cycle, last: cycle === wanted.cycle };
      }
      case "play": {
        if (this.#pacing.speed === Infinity) return { cycle: this.#cycle + this.#step, last: false };
        const due = Math.min(this.#pacing.due(performance.now()), this.#step);
        return due < 1 ? null : { cycle: this.#cycle + due, last: false };
      }
    }
  }

  /** Sends all to a cycle. Where one stops before, the others go back to it. */
  async #meet(
    members: readonly Member[],
    cycle: number,
    kind: Wanted["kind"],
    full: boolean,
  ): Promise<FrameMessage[] | null> {
    this.#under.clear();
    let frames = await Promise.all(members.map((member) => member.goTo(cycle, kind === "event", full)));
    for (;;) {
      const here = frames.filter((frame) => frame !== null);
      if (here.length < frames.length) return null;
      const least = Math.min(...here.map((frame) => frame.cycle));
      if (here.every((frame) => frame.cycle === least)) return here;
      frames = await Promise.all(
        here.map((frame, i) => {
          const member = members[i] as Member;
          if (frame.cycle === least) return frame;
          // What that frame has brought is not shown.
          member.again();
          return member.goTo(least, false, full);
        }),
      );
    }
  }

  #arrive(frames: readonly FrameMessage[], wanted: Wanted, full: boolean): void {
    const first = frames[0] as FrameMessage,
      took = Math.max(1, ...frames.map((frame) => frame.took)),
      now = performance.now();
    if (wanted.kind === "play") this.#pacing.ran(first.cycle - this.#cycle);
    // A step takes as long as drawing does, so that neither waits for the other.
    const time = Math.min(LONGEST, Math.max(SHORTEST, now - this.#drawnAt - 5)),
      moved = first.cycle - this.#cycle;
    // A jump to where all have been says nothing of the speed.
    if (this.#even && moved > this.#step / 2 && moved <= this.#step)
      this.#step = Math.max(1, Math.round(Math.min(moved * 2, Math.max(moved / 2, (moved * time) / took))));
    this.#drawnAt = now;
    this.#cycle = first.cycle;
    this.#known = Math.max(this.#known, first.cycle);
    this.#even = true;
    this.#ended = frames.some((frame) => frame.state === "failed")
      ? "failed"
      : frames.some((frame) => frame.state === "stuck")
        ? "stuck"
        : frames.some((frame) => frame.state === "done")
          ? "done"
          : null;
    // Who has asked for something else meanwhile gets that.
    if (this.#wanted !== wanted) return;
    if (this.#ended !== null || (wanted.kind === "event" && frames.some((frame) => frame.event)))
      this.#wanted = { kind: "rest" };
    else if (wanted.kind === "to" && this.#cycle >= wanted.cycle)
      this.#wanted = { kind: wanted.plays ? "play" : "rest" };
    this.#rested = this.#wanted.kind === "rest" && full;
  }

  #state(): RunState {
    if (this.#wanted.kind === "play") return "playing";
    if (this.#wanted.kind !== "rest") return "seeking";
    return this.#ended ?? "paused";
  }

  /** Cycles per second over the last half second; 0 at rest. */
  #rate(cycle: number): number {
    const now = performance.now();
    if (!this.running) {
      this.#marks = [];
      return 0;
    }
    this.#marks.push({ at: now, cycle });
    while (this.#marks.length > 2 && now - (this.#marks[0] as { at: number }).at > 500) this.#marks.shift();
    const first = this.#marks[0] as { at: number; cycle: number };
    return now - first.at > 50 ? Math.max(0, ((cycle - first.cycle) / (now - first.at)) * 1000) : 0;
  }
}

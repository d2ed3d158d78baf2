// Two runs on one clock. Each is told a cycle to go to; only when both are there is anything drawn, and while that is drawn they are already on
// their way to the next one. A run that ends before, or that stops at an event, stops the other at the same cycle.
import { Pacing } from "./pacing.ts";
import type { FrameMessage, RunState } from "./protocol.ts";

export interface Member {
  /** Goes to a cycle, forwards or back, and says what is there; null where it has become another run. */
  goTo(cycle: number, event: boolean, full: boolean): Promise<FrameMessage | null>;
  /** Ends a long way where it is. */
  halt(): void;
}

type Wanted =
  | { kind: "rest" }
  | { kind: "play" }
  | { kind: "event" }
  | { kind: "to"; cycle: number; then: "rest" | "play" };

/** Milliseconds of simulating between two pictures at top speed: at least, and at most where drawing takes longer. */
const SHORTEST = 20,
  LONGEST = 80;
/** Cycles in which an event is looked for before the other run may do the same. */
const EVENT_SPAN = 2_000;
/** Between two results. */
const FULL_GAP = 250;

export class Lockstep {
  readonly #members: readonly Member[];
  /** Draws frames that are all of one cycle; done when they are drawn. */
  readonly #draw: (frames: FrameMessage[], state: RunState, rate: number) => Promise<void>;
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
  #over = false;
  /** Cycles of one step at top speed. */
  #step = 500;
  #drawnAt = 0;
  #fullAt = 0;
  #marks: { at: number; cycle: number }[] = [];

  constructor(
    members: readonly Member[],
    draw: (frames: FrameMessage[], state: RunState, rate: number) => Promise<void>,
  ) {
    this.#members = members;
    this.#draw = draw;
  }

  get running(): boolean {
    return this.#wanted.kind !== "rest";
  }
  get cycle(): number {
    return this.#cycle;
  }

  set speed(cyclesPerSecond: number) {
    this.#pacing.speed = cyclesPerSecond;
    this.#pacing.restart(performance.now());
    this.#marks = [];
  }

  play(): void {
    if (this.#ended === null) this.#want({ kind: "play" });
  }
  pause(): void {
    if (!this.#even) for (const member of this.#members) member.halt();
    this.#want({ kind: "rest" });
  }
  /** Goes to a cycle, and then rests or plays. */
  to(cycle: number, then: "rest" | "play" = "rest"): void {
    // A long way to somewhere else ends here.
    if (!this.#even) for (const member of this.#members) member.halt();
    if (cycle < this.#cycle) {
      this.#even = false;
      this.#ended = null;
    }
    this.#want({ kind: "to", cycle, then });
  }
  event(): void {
    if (this.#ended === null) this.#want({ kind: "event" });
  }
  /** The same cycle again: something about the runs has changed. */
  refresh(): void {
    this.#changes += 1;
    this.#rested = false;
    void this.#go();
  }
  /** Nothing more is asked, and nothing more is drawn. */
  end(): void {
    this.#over = true;
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
    if (this.#busy) return;
    this.#busy = true;
    let drawn = Promise.resolve();
    while (!this.#over && !(this.#wanted.kind === "rest" && this.#rested)) {
      const wanted = this.#wanted,
        aim = this.#aim(wanted);
      if (aim === null) {
        await new Promise((wake) => setTimeout(wake, 4));
        continue;
      }
      const changes = this.#changes;
      const full = wanted.kind === "rest" || aim.last || performance.now() - this.#fullAt > FULL_GAP;
      const frames = await this.#meet(aim.cycle, wanted.kind, full);
      if (frames === null || this.#over) break;
      if (full) this.#fullAt = performance.now();
      this.#arrive(frames, wanted, full && changes === this.#changes);
      await drawn;
      if (this.#over) break;
      drawn = this.#draw(frames, this.#state(), this.#rate());
      // At rest there is no hurry: what comes next may be asked by what is drawn.
      if (this.#wanted.kind === "rest") await drawn;
    }
    this.#busy = false;
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
  async #meet(cycle: number, kind: Wanted["kind"], full: boolean): Promise<FrameMessage[] | null> {
    let frames = await Promise.all(this.#members.map((member) => member.goTo(cycle, kind === "event", full)));
    for (;;) {
      const here = frames.filter((frame) => frame !== null);
      if (here.length < frames.length || this.#over) return null;
      const least = Math.min(...here.map((frame) => frame.cycle));
      if (here.every((frame) => frame.cycle === least)) return here;
      frames = await Promise.all(
        here.map((frame, i) => (frame.cycle > least ? (this.#members[i] as Member).goTo(least, false, full) : frame)),
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
    else if (wanted.kind === "to" && this.#cycle >= wanted.cycle) this.#wanted = { kind: wanted.then };
    this.#rested = this.#wanted.kind === "rest" && full;
  }

  #state(): RunState {
    if (this.#wanted.kind === "play") return "playing";
    if (this.#wanted.kind !== "rest") return "seeking";
    return this.#ended ?? "paused";
  }

  /** Cycles per second over the last half second; 0 at rest. */
  #rate(): number {
    const now = performance.now();
    if (!this.running) {
      this.#marks = [];
      return 0;
    }
    this.#marks.push({ at: now, cycle: this.#cycle });
    while (this.#marks.length > 2 && now - (this.#marks[0] as { at: number }).at > 500) this.#marks.shift();
    const first = this.#marks[0] as { at: number; cycle: number };
    return now - first.at > 50 ? Math.max(0, ((this.#cycle - first.cycle) / (now - first.at)) * 1000) : 0;
  }
}

// How often a picture is drawn while frames stream in: often enough to be smooth, seldom enough that drawing never takes more
// than its share of the time, on a slow machine too.

export class Pace {
  private next = 0;
  private readonly least: number;
  private readonly share: number;

  /** At least `least` ms from one drawing to the next, and drawing at most `share` of the time. */
  constructor(least: number, share = 0.2) {
    this.least = least;
    this.share = share;
  }

  /** Milliseconds until the next drawing is due; 0 if it is. */
  wait(now: number): number {
    return Math.max(0, this.next - now);
  }

  /** A drawing took from `begin` to `end`. */
  took(begin: number, end: number): void {
    this.next = begin + Math.max(this.least, (end - begin) / this.share);
  }
}

/** A drawing that keeps to its part of the time, however often it is asked for. */
export class Turn {
  readonly #pace: Pace;
  readonly #draw: () => void;
  #due = false;

  constructor(draw: () => void, least: number, share = 0.2) {
    this.#draw = draw;
    this.#pace = new Pace(least, share);
  }

  /** `atOnce`: the call comes from an animation frame already, and what is due is drawn in it. */
  ask(atOnce = false): void {
    if (this.#due) return;
    if (atOnce && this.#pace.wait(performance.now()) === 0) this.#take();
    else this.#later();
  }

  #later(): void {
    this.#due = true;
    setTimeout(() => {
      requestAnimationFrame(() => {
        this.#due = false;
        this.#take();
      });
    }, this.#pace.wait(performance.now()));
  }

  #take(): void {
    const begin = performance.now();
    this.#draw();
    this.#pace.took(begin, performance.now());
  }
}

/** Milliseconds after which also what nobody sees is drawn. */
export const UNSEEN = 1000;

/**
 * Drawing may take a part of the time and no more: on a slow computer a picture skips frames, so that the simulation and
 * the answers to clicks get the rest. A picture is never skipped when nothing runs.
 */
export class Budget {
  #cost = 0;
  #last = -Infinity;
  constructor(readonly share: number) {}
  run(now: boolean, draw: () => void): boolean {
    const start = performance.now();
    if (!now && start - this.#last < this.#cost / this.share) return false;
    draw();
    this.#cost = 0.7 * this.#cost + 0.3 * (performance.now() - start);
    this.#last = start;
    return true;
  }
}

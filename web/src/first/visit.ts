// The first visit: one line that says what this is, and a run that can be followed until the visitor takes over.
import "./first.css";
import { h, setText } from "../dom.ts";
import { store, stored } from "../stored.ts";
import type { Facts } from "../why/facts.ts";
import { FirstPace } from "./pace.ts";

const KEY = "corun-visited";

export interface VisitEvents {
  /** Cycles a second; Infinity is as fast as it goes. */ speed(cyclesPerSecond: number): void;
  tour(): void;
}

export class FirstVisit {
  readonly element: HTMLElement;
  readonly #events: VisitEvents;
  readonly #news = h("span", { class: "first-news", role: "status" });
  #pace: FirstPace | null = null;
  #speed = Infinity;

  constructor(events: VisitEvents) {
    this.#events = events;
    this.element = h(
      "aside",
      { class: "first", "aria-label": "What this is", hidden: true },
      h(
        "p",
        null,
        h("b", null, "This page simulates one GPU that runs two kernels at once, cycle by cycle. "),
        "Watch who slows whom down, and change what you like. ",
        this.#news,
      ),
      h(
        "div",
        { class: "first-buttons" },
        h(
          "button",
          {
            type: "button",
            class: "button primary",
            onclick: () => {
              this.#events.tour();
            },
          },
          "Take the tour",
        ),
        h(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              this.element.hidden = true;
              this.takeOver();
            },
          },
          "Close",
        ),
      ),
    );
  }

  /** Whether somebody is here for the first time. */
  static get isFirst(): boolean {
    return stored(KEY) === null;
  }

  /** `moves`: the run plays by itself. */
  begin(moves: boolean): void {
    store(KEY, "1");
    this.element.hidden = false;
    if (moves) {
      this.#pace = new FirstPace(performance.now());
      this.#follow();
    }
  }

  /** The visitor has done something: from now on it runs as it is told to. `speed`: unless that was the speed itself. */
  takeOver(speed = true): void {
    if (!this.#pace) return;
    this.#pace = null;
    setText(this.#news, "");
    if (speed) this.#events.speed(Infinity);
  }

  /** A result while it plays. */
  see(facts: Facts | null, decided: string): void {
    const news = facts && this.#pace ? this.#pace.see(facts, decided, performance.now()) : "";
    if (news !== "") setText(this.#news, news);
    this.#follow();
  }

  #follow(): void {
    const speed = this.#pace?.speed(performance.now());
    if (speed === undefined || speed === this.#speed) return;
    this.#speed = speed;
    this.#events.speed(speed);
  }
}

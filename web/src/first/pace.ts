// How fast the first visit plays: slowly enough to be followed, and slower still where something happens for the first time. No DOM.
import { count } from "../format.ts";
import type { Facts } from "../why/facts.ts";
import { filler, pressed } from "../why/verdict.ts";

/** Cycles a second, of what can be followed and of what is to be looked at; and for how long. */
export const FOLLOWED = 20_000,
  SLOW = 2_000,
  LOOK = 4_000;

export class FirstPace {
  #until: number;
  readonly #seen = new Set<string>();

  /** The beginning is the first thing to look at. `now`: milliseconds. */
  constructor(now: number) {
    this.#until = now + LOOK;
  }

  /** What has happened for the first time, in words; empty where nothing has. `decided`: the policy's last decision after cycle 0. */
  see(facts: Facts, decided: string, now: number): string {
    const place = pressed(facts),
      by = place === null ? null : filler(place, facts);
    const full =
      place === null || by === null
        ? ""
        : `Cycle ${count(facts.cycles)}: ${place === "noc" ? "the reply NoC" : "DRAM"} is full, mostly with lines of ${facts.kernels[by]?.name ?? ""}.`;
    const said = [
      ["decision", decided],
      ["full", full],
    ].flatMap(([what = "", words = ""]) => {
      if (words === "" || this.#seen.has(what)) return [];
      this.#seen.add(what);
      return [words];
    });
    if (said.length > 0) this.#until = now + LOOK;
    return said.join(" ");
  }

  speed(now: number): number {
    return now < this.#until ? SLOW : FOLLOWED;
  }
}

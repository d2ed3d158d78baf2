// The component lab without its page: what is measured, how far that is, and what is wrong with it.
import { batch, computed, signal } from "@preact/signals";
import { finite } from "../format.ts";
import type { Failure, Lab } from "../lab/lab.ts";
import type { OptionValue, ProbeInfo, ProbeOption, ProbeResult, Problem } from "../types.ts";
import { points, type LabState } from "./state.ts";
import type { Point } from "./types.ts";

/** Milliseconds after which a change is measured. */
const REST = 250;

export class Probes {
  readonly probes = signal<readonly ProbeInfo[]>([]);
  readonly state = signal<LabState | null>(null);
  /** Where it is measured, and the results so far, in that order. */
  readonly at = signal<readonly number[]>([]);
  readonly results = signal<readonly ProbeResult[]>([]);
  readonly problems = signal<readonly Problem[]>([]);
  /** A defect, in its own words. */
  readonly broken = signal("");
  /** How the last measurement ended; empty while one is under way. */
  readonly ended = signal("");
  stamp = "";

  readonly info = computed(() => this.probes.value.find(({ name }) => name === this.state.value?.component) ?? null);
  readonly words = computed(() => {
    const done = `${this.results.value.length} of ${this.at.value.length} points`;
    if (this.ended.value !== "") return `${this.ended.value}: ${done}`;
    return this.results.value.length === 0 ? "Measuring…" : done;
  });

  /** An abandoned curve is not measured to its end: that ends the worker. */
  #lab: Pick<Lab, "ask" | "end" | "stamp"> | null = null;
  /** Counts curves. */
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Asks what can be measured. */
  async begin(lab: Pick<Lab, "ask" | "end" | "stamp">): Promise<void> {
    this.#lab = lab;
    this.probes.value = (await lab.ask("catalogue", null).ended).probes;
    this.stamp = lab.stamp;
  }

  /** Another component, or what a link has; measured at once. */
  open(state: LabState): void {
    this.state.value = state;
    this.measure();
  }
  change(change: Partial<LabState>): void {
    if (!this.state.value) return;
    this.state.value = { ...this.state.value, ...change };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.measure(), REST);
  }
  /** Null, and what is the default anyway, sets nothing. */
  set(option: ProbeOption, value: OptionValue | null): void {
    const { [option.name]: _, ...rest } = this.state.value?.options ?? {};
    this.change({
      options: value === null || value === option.default ? rest : { ...rest, [option.name]: value },
    });
  }

  /** Nothing is shown, and nothing runs. */
  clear(): void {
    this.#end("");
    this.state.value = null;
  }

  stop(why = "Stopped"): void {
    this.#end(why);
  }

  measure(): void {
    const { state, info } = { state: this.state.value, info: this.info.value };
    if (!state || !info) return;
    this.#end("");
    const found = points(state.points);
    batch(() => {
      this.at.value = found ?? [];
      this.results.value = [];
      this.problems.value = [];
      this.broken.value = "";
    });
    if (!found) {
      const want = `FROM:TO:STEP with at most 1,000 points, such as ${info.points}`;
      this.#refused([{ path: info.sweep, found: JSON.stringify(state.points), want }]);
      return;
    }
    const { component, options } = state,
      turn = this.#turn;
    for (const x of found)
      this.#lab?.ask("probe", { component, options: { ...options, [info.sweep]: x } }).ended.then(
        (result) => {
          if (turn === this.#turn) this.#add(result);
        },
        (why: Failure) => {
          if (turn === this.#turn) this.#failed(why);
        },
      );
  }

  #add(result: ProbeResult): void {
    batch(() => {
      this.results.value = [...this.results.value, result];
      if (this.results.value.length === this.at.value.length) this.#end("Measured");
    });
  }
  #failed(why: Failure): void {
    if (why.problems) this.#refused(why.problems);
    else {
      this.#end("Stopped");
      this.broken.value = why.message;
    }
  }

  #refused(problems: readonly Problem[]): void {
    batch(() => {
      this.#end("Nothing measured");
      this.problems.value = problems;
    });
  }

  #end(how: string): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.#lab?.end();
    this.ended.value = how;
  }
}

// ---------------------------------------------------------------- what is read of a component

/** A component as it is first shown: with one of its presets, or with its defaults. */
export function fresh(info: ProbeInfo, preset = -1): LabState {
  const given = Object.entries(info.presets[preset]?.options ?? {}),
    options = given.filter(([name, value]) => info.options.find((one) => one.name === name)?.default !== value);
  return { component: info.name, options: Object.fromEntries(options), points: info.points };
}

/** The preset that the options are; -1 for none. One may name what is the default anyway. */
export function presetOf(info: ProbeInfo, options: LabState["options"]): number {
  const others = info.options.filter(({ name }) => name !== info.sweep);
  return info.presets.findIndex((preset) =>
    others.every(({ name, default: none }) => (options[name] ?? none) === (preset.options[name] ?? none)),
  );
}

/** The points of a figure that are measured, with what theory says there. */
export function curveOf(key: string, at: readonly number[], results: readonly ProbeResult[]): Point[] {
  return results.map((result, i) => ({
    x: at[i] ?? 0,
    measured: finite(result[key]),
    theory: finite(result.theory[key]),
  }));
}

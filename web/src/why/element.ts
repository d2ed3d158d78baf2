// <corun-verdict>: who suffers and why, in words, above everything else; and how many times slower than alone each kernel is, as bars.
import "./why.css";
import { h, setText, sideHeading, swatch } from "../dom.ts";
import { ENDLESS, fixed } from "../format.ts";
import type { Catalogue, Controls, Result } from "../types.ts";
import { factsOf, type Facts } from "./facts.ts";
import { Panel } from "./panel.ts";
import { Prose } from "./stands.ts";
import { timesText, verdict, versus } from "./verdict.ts";

export interface VerdictRun {
  /** A or B; empty for one run. */ mark: string;
  title: string;
  scheme: string;
  kernels: readonly string[];
  room: readonly (number | null)[];
}

export interface VerdictEvents {
  /** Another scheme is wanted beside. */
  compare(scheme: string): void;
  /** The panel was opened or closed. */
  opened(open: boolean): void;
}

/** A run on the page, and what is known of it. */
class Side {
  readonly prose: Prose;
  readonly panel: Panel;
  readonly bars: Bar[];
  result: Result | null = null;
  controls: Controls | null = null;
  /** Why a kernel has no IPC alone yet. */
  readonly alone: string[];
  readonly run: VerdictRun;

  constructor(run: VerdictRun, schemes: Catalogue["policies"], events: VerdictEvents) {
    this.run = run;
    this.prose = new Prose(run.mark);
    this.panel = new Panel(run.mark, schemes, (scheme) => events.compare(scheme));
    this.bars = run.kernels.map((name, k) => new Bar(name, k));
    this.alone = run.kernels.map(() => "alone: being measured");
  }

  get facts(): Facts | null {
    return this.result && factsOf(this.result, this.run.scheme, this.controls, this.run.room);
  }
}

/** How much slower a kernel is. The line is where it would be as fast as alone. */
class Bar {
  readonly fill = h("span", { class: "slow-fill" });
  readonly line = h("span", { class: "slow-one" });
  readonly value = h("span", { class: "slow-value" });
  readonly element: HTMLElement;

  constructor(name: string, kernel: number) {
    this.fill.classList.add(`swatch-${kernel % 8}`);
    this.element = h(
      "li",
      { class: "slow-bar" },
      h("span", { class: "slow-name" }, swatch(kernel), h("span", null, name)),
      h("span", { class: "slow-track", "aria-hidden": "true" }, this.fill, this.line),
      this.value,
    );
  }

  show(slowdown: number | null, why: string, top: number): void {
    const starved = slowdown === Infinity;
    this.fill.style.width = `${slowdown === null ? 0 : starved ? 100 : Math.min(100, (100 * slowdown) / top)}%`;
    this.line.style.left = `${100 / top}%`;
    this.element.toggleAttribute("data-starved", starved);
    setText(this.value, slowdown === null ? why : starved ? ENDLESS : `${timesText(slowdown)}×`);
    this.value.toggleAttribute("data-missing", slowdown === null);
    if (this.value.title !== why) this.value.title = why;
  }
}

export class CorunVerdict extends HTMLElement {
  #sides: Side[] = [];
  #schemes: Catalogue["policies"] = [];
  #events: VerdictEvents = { compare: () => undefined, opened: () => undefined };
  readonly #versus = new Prose("");
  readonly #panels = h("div", { class: "verdicts" });
  readonly #why = h(
    "details",
    { class: "why", id: "why" },
    h("summary", null, "Why? From its warps to what is full, and what may help"),
    this.#panels,
  );

  init(catalogue: Catalogue, events: VerdictEvents): void {
    this.#schemes = catalogue.policies;
    this.#events = events;
    this.#why.addEventListener("toggle", () => {
      this.#events.opened(this.#why.open);
    });
  }

  /** The panel with the chain of causes. */
  set open(open: boolean) {
    this.#why.open = open;
  }

  setRuns(runs: readonly VerdictRun[]): void {
    this.#sides = runs.map((run) => new Side(run, this.#schemes, this.#events));
    const two = runs.length > 1;
    this.#versus.element.classList.add("versus");
    this.replaceChildren(
      ...(two ? [this.#versus.element] : []),
      h(
        "div",
        { class: "verdicts" },
        ...this.#sides.map(({ run, prose, bars }) =>
          h(
            "div",
            { class: "verdict" },
            two ? sideHeading(run.mark, run.title) : null,
            prose.element,
            h(
              "ul",
              { class: "slow", "aria-label": `Times slower than alone${two ? `, ${run.mark}` : ""}` },
              ...bars.map(({ element }) => element),
            ),
          ),
        ),
      ),
      h(
        "p",
        { class: "note" },
        "Bars: times slower than alone. At the line, a kernel is as fast as with the whole GPU to itself.",
      ),
      this.#why,
    );
    this.#panels.replaceChildren(
      ...this.#sides.map(({ run, panel }) =>
        h("div", { class: "verdict" }, two ? sideHeading(run.mark, run.title) : null, panel.element),
      ),
    );
    this.#refresh();
  }

  alone(run: number, kernel: number, ipc: number | null, why: string): void {
    this.#whyNot(run, kernel, ipc === null ? `alone: ${why}` : "");
  }
  aloneProgress(run: number, kernel: number, done: number | null): void {
    if (done !== null) this.#whyNot(run, kernel, `alone: ${fixed(Math.min(1, done) * 100, 0)} % measured`);
  }
  #whyNot(run: number, kernel: number, why: string): void {
    const side = this.#sides[run];
    if (side) side.alone[kernel] = why;
    this.#refresh();
  }

  setControls(run: number, controls: Controls): void {
    const side = this.#sides[run];
    if (side) side.controls = controls;
  }

  /** Of each run; all are of one cycle. */
  update(results: readonly (Result | null)[]): void {
    this.#sides.forEach((side, i) => {
      const result = results[i];
      if (result) side.result = result;
    });
    this.#refresh();
  }

  /** What is known of the first run. */
  get facts(): Facts | null {
    return this.#sides[0]?.facts ?? null;
  }

  #refresh(): void {
    const facts = this.#sides.map((side) => side.facts);
    const slowdowns = facts
      .flatMap((of) => of?.kernels.map(({ slowdown }) => slowdown ?? 0) ?? [])
      .filter((s) => s !== Infinity);
    // Two runs have one scale, with room for the line.
    const top = Math.max(2, ...slowdowns);
    this.#sides.forEach(({ prose, bars, alone, panel }, i) => {
      const of = facts[i];
      // Before the sentences, whose numbers lead into it.
      if (of) panel.show(of);
      prose.show(of ? verdict(of) : [["Nothing has run yet."]]);
      bars.forEach((bar, k) => {
        const kernel = of?.kernels[k];
        bar.show(
          kernel?.slowdown ?? null,
          kernel?.starved || alone[k] || (of && of.cycles > 0 ? "no instruction yet" : "nothing has run yet"),
          top,
        );
      });
    });
    const [a, b] = facts;
    if (facts.length > 1) {
      const said = a && b ? versus(a, b) : null;
      this.#versus.show(said ? [said] : []);
      this.#versus.element.hidden = !said;
    }
  }
}
customElements.define("corun-verdict", CorunVerdict);

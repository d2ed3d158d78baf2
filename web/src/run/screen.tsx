// The first screen: what its parts are given, and where they stand. main.ts says what runs; the parts show it.
import { signal } from "@preact/signals";
import { render } from "preact";
import type { Catalogue, Experiment } from "../types.ts";
import { Sentence, SlowBars, Stations } from "./answer.tsx";
import { Choices, type Chosen } from "./choices.tsx";
import { Drawer, type Tab } from "./drawer.tsx";
import type { RunSide, SchemeAnswer } from "./model.ts";
import { Popup, type Deed } from "./popup.tsx";
import { SchemesPicture } from "./schemes-picture.tsx";
import type { SchemesRun } from "./schemes-run.ts";
import { Why } from "./why.tsx";

const place = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

export class Screen {
  readonly catalogue = signal<Catalogue | null>(null);
  /** A, and B where there is one. */
  readonly experiments = signal<readonly Experiment[]>([]);
  /** What is known of each. */
  readonly sides = signal<readonly RunSide[]>([]);
  /** The same of what has run here alone: with all counters, which stored answers leave out. */
  readonly live = signal<readonly RunSide[]>([]);
  /** The open tab of the drawer. */
  readonly tab = signal<string | null>(null);
  /** The answers that came with the page for this mix. */
  readonly stored = signal<readonly SchemeAnswer[]>([]);
  /** What runs all schemes, once the simulator is there. */
  readonly #run = signal<SchemesRun | null>(null);
  /** Tabs that have something to show. */
  readonly tabs = signal<ReadonlySet<string>>(new Set());

  constructor(all: readonly Tab[], hidden: readonly string[], chosen: () => Chosen) {
    const Row = () => (
      <Choices catalogue={this.catalogue.value} experiments={this.experiments.value} onChoose={chosen()} />
    );
    render(<Row />, place("choices"));
    const why = document.createElement("div"),
      tabs = [{ id: "why", title: "Why", elements: [why] }, ...all];
    this.tabs.value = new Set(tabs.map(({ id }) => id).filter((id) => !hidden.includes(id)));
    render(<Drawer tabs={tabs} shown={this.tabs} open={this.tab} />, place("drawer"));
    const { sides } = this;
    const Says = () =>
      sides.value.some(({ result }) => result) ? (
        <Sentence sides={sides.value} rate={__VERDICTS__} lead={(stands) => this.lead(stands)} />
      ) : null;
    const Bars = () => <SlowBars sides={sides.value} />;
    const Path = () => <Stations sides={sides.value} />;
    const Chain = () => (this.tab.value === "why" ? <Why sides={this.live.value} /> : null);
    render(<Chain />, why);
    render(<Says />, place("verdict"));
    render(<Bars />, place("slows"));
    render(<Path />, place("stations"));
    const Picture = () => {
      const [first] = sides.value,
        run = this.#run.value;
      if (!first) return null;
      return (
        <SchemesPicture
          answers={run?.answers.value ?? this.stored.value}
          kernels={first.kernels}
          a={first}
          b={sides.value[1] ?? null}
          onChoose={(answer) => this.chosen(answer.experiment)}
          onRunAll={() => this.runAll()}
          onStop={() => run?.stop()}
          progress={run?.progress.value ?? null}
          metrics={this.catalogue.value?.metrics ?? []}
        />
      );
    };
    render(<Picture />, place("all-schemes"));
  }

  /** Leads to a number of the answer among all numbers. */
  lead: (stands: string) => void = () => undefined;
  /** A scheme of the picture is to be B. */
  chosen: (experiment: Experiment) => void = () => undefined;
  /** All schemes are to run. */
  runAll: () => void = () => undefined;

  start(catalogue: Catalogue, run: SchemesRun): void {
    this.catalogue.value = catalogue;
    this.#run.value = run;
  }

  actions(deeds: readonly Deed[]): void {
    render(<Popup title="Share & help" label="Share this run, and help" deeds={deeds} />, place("actions"));
  }

  /** Whether a tab of the drawer has something to show. */
  has(id: string, on: boolean): void {
    if (this.tabs.value.has(id) === on) return;
    const next = new Set(this.tabs.value);
    if (on) next.add(id);
    else next.delete(id);
    this.tabs.value = next;
    if (!on && this.tab.value === id) this.tab.value = null;
  }
}

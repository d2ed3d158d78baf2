// <corun-l1>: what the L1Ds held when a launch began, and whether the CTAs to which each SM came first found there what they read. The run is looked back at
// for this, where it stands; while it plays, the picture stays as it was.
import { h, setText } from "../dom.ts";
import type { Drawing } from "../draw/drawing.ts";
import { whole } from "../draw/scale.ts";
import type { Theme } from "../draw/theme.ts";
import type { L1Moment } from "../protocol.ts";
import type { ShownRun } from "../types.ts";
import { beside, joined } from "../views/beside.ts";
import { Picture, type LegendItem } from "../views/picture.ts";
import type { Tabular } from "../views/tabular.ts";
import {
  aheadOf,
  aheadSummary,
  arrayName,
  beginsText,
  contentsOfAll,
  contentsText,
  l1Table,
  type Ahead,
} from "./l1.ts";
import { drawL1, l1Legend } from "./l1-drawing.ts";
import type { Launch } from "./log.ts";

/** Asks a run what its L1Ds held at a cycle; null where it cannot say now. */
export type AskL1 = (side: number, kernel: number, cycle: number) => Promise<L1Moment | null>;
/** A run, and the launches of the kernel that is shown which have begun. */
interface L1Side {
  run: ShownRun;
  begun: readonly Launch[];
}
interface Shown {
  side: L1Side;
  launch: Launch;
  moment: L1Moment;
  ahead: Ahead[][];
}

/** An SM gets a CTA a cycle: in so many it has its first ones, and nothing that they read has come from L2 yet. */
export const L1_AT = 8;

class L1Picture extends Picture {
  protected readonly file = "l1";
  protected readonly name = "L1Ds when a launch begins";
  protected readonly about =
    "For each SM, what its L1D holds by state and array, and its CTAs in the order in which it comes to them, the darker, the more of what they read is in that L1D.";
  shown: readonly Shown[] = [];

  protected build(width: number, t: Theme): Drawing | null {
    if (this.shown.length === 0) return null;
    const draw =
      ({ side: { run }, moment, ahead }: Shown) =>
      (room: number): Drawing =>
        drawL1({ layout: run.layout, held: moment.held, ahead, width: room, theme: t });
    return beside(
      this.shown.map((one) => ({ mark: one.side.run.mark, title: one.side.run.title, draw: draw(one) })),
      width,
      t,
    );
  }

  protected tabular(): Tabular | null {
    return joined(
      this.shown.map(({ side: { run }, launch, moment, ahead }) => ({
        mark: run.mark,
        table: l1Table(
          run.layout,
          moment.held,
          ahead,
          `L1Ds at cycle ${whole(moment.cycle)}, when launch ${launch.number + 1} begins`,
        ),
      })),
    );
  }

  protected legend(t: Theme): LegendItem[] {
    const layout = this.shown[0]?.side.run.layout;
    return layout
      ? l1Legend(
          layout,
          layout.arrays.map((_, array) => arrayName(layout, array)),
          t,
        )
      : [];
  }

  protected summary(): string {
    return this.shown
      .map(
        (one) =>
          `${said(one)} All L1Ds: ${contentsText(one.side.run.layout, contentsOfAll(one.side.run.layout, one.moment.held))}.`,
      )
      .join(" ");
  }

  afresh(): void {
    this.redraw();
  }
}
customElements.define("corun-l1-picture", L1Picture);

const said = ({ side: { run }, moment, ahead }: Shown): string =>
  `${run.mark === "" ? "Cycle" : `${run.mark}, cycle`} ${whole(moment.cycle)}: ${aheadSummary(ahead)}`;

export class CorunL1 extends HTMLElement {
  #ask: AskL1 | null = null;
  readonly #picture = document.createElement("corun-l1-picture") as L1Picture;
  readonly #launch = h("input", { id: "f-l1-launch", type: "range", min: 1, step: 1 });
  readonly #which = h("span", { class: "ln-said" });
  readonly #texts = h("div", { class: "ln-texts", role: "status" });
  #sides: readonly L1Side[] = [];
  #kernel = 0;
  /** The launch that somebody has chosen; else the last one that has begun everywhere. */
  chosen: number | undefined;
  #key = "";
  #asked = 0;

  init(ask: AskL1, choose: (launch: number) => void): void {
    this.#ask = ask;
    this.replaceChildren(
      h(
        "div",
        { class: "ln-bar" },
        h("h3", { class: "ln-title" }, "What the L1Ds hold when a launch begins"),
        h("div", { class: "ln-field" }, h("label", { for: "f-l1-launch" }, "Launch"), this.#launch, this.#which),
      ),
      this.#texts,
      this.#picture,
    );
    this.#launch.addEventListener("input", () => {
      choose(Number(this.#launch.value) - 1);
    });
    this.hidden = true;
  }

  /** Other runs: nothing is known of them. */
  clear(): void {
    this.#asked += 1;
    [this.#key, this.hidden, this.#picture.shown] = ["", true, []];
    this.#picture.afresh();
  }

  /** Of launches that have begun, where the runs rest. */
  show(sides: readonly L1Side[], kernel: number): void {
    [this.#sides, this.#kernel] = [sides, kernel];
    this.#look();
  }

  #look(): void {
    const last = Math.min(...this.#sides.map(({ begun }) => begun.at(-1)?.number ?? -1)),
      first = Math.max(...this.#sides.map(({ begun }) => begun[0]?.number ?? 0));
    this.hidden = this.#sides.length === 0 || last < first;
    if (this.hidden || !this.#ask) return;
    const number = Math.min(last, Math.max(first, this.chosen ?? last));
    [this.#launch.min, this.#launch.max, this.#launch.value] = [
      String(first + 1),
      String(last + 1),
      String(number + 1),
    ];
    setText(this.#which, `${whole(number + 1)} of ${whole(last + 1)} that have begun`);
    const launches = this.#sides.map(({ begun }) => begun.find((launch) => launch.number === number)),
      key = `${this.#kernel} ${launches.map((launch) => launch?.begin).join()}`;
    if (key === this.#key || launches.some((launch) => !launch)) return;
    const asked = ++this.#asked,
      ask = this.#ask,
      sides = this.#sides;
    void Promise.all(launches.map((launch, at) => ask(at, this.#kernel, (launch as Launch).begin + L1_AT))).then(
      (moments) => {
        if (asked !== this.#asked || moments.some((moment) => moment === null)) return;
        this.#key = key;
        this.#picture.shown = sides.map((side, at): Shown => {
          const moment = moments[at] as L1Moment;
          return {
            side,
            launch: launches[at] as Launch,
            moment,
            ahead: aheadOf(moment.ahead, side.run.layout.sms.length),
          };
        });
        this.#texts.replaceChildren(
          ...[
            ...this.#picture.shown.map(said),
            beginsText(this.#picture.shown.map(({ side, ahead }) => ({ mark: side.run.mark, ahead }))),
          ]
            .filter((text) => text !== "")
            .map((text) => h("p", { class: "ln-said" }, text)),
        );
        this.#picture.afresh();
      },
    );
  }
}
customElements.define("corun-l1", CorunL1);

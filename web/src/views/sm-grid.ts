// <corun-sm-grid>: every SM as a tile with its CTA slots and its issue slots by cause; one control for the keyboard.
// A click or Enter on an SM fires `select-sm` (SelectSm), a second one takes the selection back.
import type { Theme } from "../draw/theme.ts";
import type { Drawing, Spot } from "../draw/drawing.ts";
import type { Catalogue, FrameLayout, SelectSm, ShownRun, SmView } from "../types.ts";
import { percent, whole } from "../draw/scale.ts";
import { folded, roomFor } from "./beside.ts";
import { stallPaint } from "./chart-drawing.ts";
import { MachinePicture } from "./machine-picture.ts";
import { smMeanings } from "./meanings.ts";
import type { Meaning } from "./meanings.ts";
import type { LegendItem } from "./picture.ts";
import { asCells, drainPaint, drawSms, otherPaint, smTable } from "./sm-drawing.ts";
import { hasClasses, residentText, shownCauses, SmModel, smsText } from "./sm-model.ts";
import type { Tabular } from "./tabular.ts";

/** Below this width only one of two runs is open. */
const BOTH = 480;

export class SmGrid extends MachinePicture<SmModel> implements SmView {
  protected readonly file = "sms";
  protected readonly name = "SMs";
  protected readonly about =
    "Each SM with its CTA slots by kernel and, below, its schedulers' recent cycles by kernel and by cause of stalls.";
  private sm: number | null = null;
  /** SMs are cells, too many for tiles. */
  private cells = false;
  /** Of two runs, the one that is shown where there is no room for both. */
  private open = 0;
  /** Once an SM has drained, and once a kernel has had a quota, the legend says what that looks like. */
  private met = { drains: false, quotas: false };

  override setRuns(runs: readonly ShownRun[], catalogue: Catalogue): void {
    if (this.sm !== null && !runs.some((run) => (this.sm as number) < run.layout.sms.length)) this.sm = null;
    this.met = { drains: false, quotas: false };
    super.setRuns(runs, catalogue);
  }

  override update(frames: readonly Uint32Array[]): void {
    super.update(frames);
    const drains =
        this.met.drains || this.sides.some(({ model: m }) => m.layout.sms.some((_, sm) => m.drains(sm).length > 0)),
      quotas = this.met.quotas || this.sides.some(({ model }) => model.hasQuotas());
    if (drains === this.met.drains && quotas === this.met.quotas) return;
    this.met = { drains, quotas };
    this.redraw();
  }

  /** Of two runs, 0 or 1: which one is shown where there is no room for both. Fires `show-side` (CustomEvent<number>) when the user changes it. */
  get side(): number {
    return this.open;
  }
  set side(side: number) {
    this.open = side;
    this.redraw();
  }

  get selected(): number | null {
    return this.sm;
  }
  set selected(sm: number | null) {
    this.sm =
      sm !== null && this.sides.length > 0 && !this.sides.some(({ model }) => sm < model.layout.sms.length) ? null : sm;
    this.redraw();
  }

  protected override walks(spot: Spot): boolean {
    return /^(sm|side):/.test(spot.id);
  }

  protected override chosen(spot: Spot): void {
    const [what, number] = spot.id.split(":");
    const sm = Number.parseInt(number as string, 10);
    if (what === "side") {
      this.side = sm;
      this.dispatchEvent(new CustomEvent<number>("show-side", { bubbles: true, detail: sm }));
      return;
    }
    this.selected = this.sm === sm ? null : sm;
    this.dispatchEvent(new CustomEvent<SelectSm>("select-sm", { bubbles: true, detail: { sm: this.sm } }));
  }

  protected model(layout: FrameLayout): SmModel {
    return new SmModel(layout);
  }
  protected override above(model: SmModel): string {
    // Classes have headings of their own.
    return hasClasses(model.layout) ? "" : residentText(model);
  }
  protected override build(width: number, t: Theme): Drawing | null {
    const fold = this.sides.length > 1 && width < BOTH,
      room = fold ? width : roomFor(Math.max(1, this.sides.length), width).room,
      cells = this.sides.some(({ model }) => asCells(model.layout, room));
    if (cells !== this.cells) {
      this.cells = cells;
      this.relegend();
    }
    return fold ? folded(this.parts(t), (run) => run === this.open, width, t) : super.build(width, t);
  }
  protected drawingOf(model: SmModel, width: number, t: Theme): Drawing {
    return drawSms(model, width, t, this.sm, Math.max(...this.sides.map((side) => side.model.most)));
  }
  protected tableOf(model: SmModel): Tabular {
    return smTable(model);
  }

  protected override legend(t: Theme): LegendItem[] {
    const layout = this.sides[0]?.model.layout;
    if (!layout) return [];
    const shown = shownCauses(layout),
      others = layout.stalls.filter((_, i) => !shown.some(({ stall }) => stall === i)).map(({ title }) => title);
    const counts = [...new Set(this.sides.map(({ model }) => smsText(model.layout)))];
    return [
      {
        name: `All ${counts.join(" / ")} now: CTAs by kernel; below, ${this.cells ? "the main cause of stalls" : "issue slots"}:`,
      },
      ...super.legend(t),
      ...shown.map(({ stall, name }) => ({ name, paint: stallPaint(stall, t), doc: layout.stalls[stall]?.doc ?? "" })),
      { name: "other", paint: otherPaint(t), doc: `No warp issues for another cause: ${others.join(", ")}` },
      ...(this.met.drains
        ? [{ name: "SM that drains", paint: drainPaint(t), doc: "A kernel holds more CTAs on it than it may" }]
        : []),
      ...(this.met.quotas ? [{ name: "Lowest line: what is left of quotas" }] : []),
    ];
  }

  protected override meanings(): Meaning[] {
    const side = this.sides[0];
    return side ? smMeanings(side.model.layout) : [];
  }

  protected said(m: SmModel): string {
    const n = m.layout.sms.length;
    const parts = m.layout.kernels.map((name, k) => {
      let ctas = 0,
        share = 0;
      for (let sm = 0; sm < n; sm++) {
        ctas += m.reader.get("sm.ctas", sm, k);
        share += (m.shares(sm)[k] ?? 0) / n;
      }
      return `${name}: ${whole(ctas)} CTAs resident, ${percent(share, 1)} of scheduler-cycles`;
    });
    const drains = m.layout.sms.filter((_, sm) => m.drains(sm).length > 0).length;
    return `${smsText(m.layout)} at cycle ${whole(m.cycle)}${drains > 0 ? `, ${drains} of which drain` : ""}. ${parts.join("; ")}.`;
  }
}

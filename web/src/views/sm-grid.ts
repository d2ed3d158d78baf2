// <corun-sm-grid>: every SM with its CTA slots, what its schedulers did lately, and its fullest resource.
// A click or Enter on an SM fires `select-sm` (SelectSm), a second one takes the selection back.
import type { Theme } from "../draw/theme.ts";
import type { Drawing, Spot } from "../draw/drawing.ts";
import type { Catalogue, FrameLayout, SelectSm, ShownRun, SmView } from "../types.ts";
import { percent, whole } from "../draw/scale.ts";
import { stallPaint } from "./chart-drawing.ts";
import { MachinePicture } from "./machine-picture.ts";
import { smMeanings } from "./meanings.ts";
import type { Meaning } from "./meanings.ts";
import type { LegendItem } from "./picture.ts";
import { drainPaint, drawSms, smTable } from "./sm-drawing.ts";
import { SmModel, smsText } from "./sm-model.ts";
import type { Tabular } from "./tabular.ts";

export class SmGrid extends MachinePicture<SmModel> implements SmView {
  protected readonly file = "sms";
  protected readonly name = "SMs";
  protected readonly about =
    "Each SM with its CTA slots by kernel, its schedulers' recent cycles and its fullest resource.";
  private sm: number | null = null;

  override setRuns(runs: readonly ShownRun[], catalogue: Catalogue): void {
    if (this.sm !== null && !runs.some((run) => (this.sm as number) < run.layout.sms.length)) this.sm = null;
    super.setRuns(runs, catalogue);
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
    return spot.id.startsWith("sm:");
  }

  protected override chosen(spot: Spot): void {
    const sm = Number.parseInt(spot.id.slice(3), 10);
    this.selected = this.sm === sm ? null : sm;
    this.dispatchEvent(new CustomEvent<SelectSm>("select-sm", { bubbles: true, detail: { sm: this.sm } }));
  }

  protected model(layout: FrameLayout): SmModel {
    return new SmModel(layout);
  }
  protected drawingOf(model: SmModel, width: number, t: Theme): Drawing {
    return drawSms(model, width, t, this.sm);
  }
  protected tableOf(model: SmModel): Tabular {
    return smTable(model);
  }

  protected override legend(t: Theme): LegendItem[] {
    const stalls = this.sides[0]?.model.layout.stalls ?? [];
    return [
      ...super.legend(t),
      { name: "SM that drains", paint: drainPaint(t), doc: "A kernel holds more CTAs on it than it may" },
      ...stalls.map((s, i) => ({ name: s.title, paint: stallPaint(i, t), doc: s.doc })),
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

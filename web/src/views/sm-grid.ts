// <corun-sm-grid>: every SM with its CTA slots, what its schedulers did lately, and its fullest resource.
// A click or Enter on an SM fires `select-sm` (SelectSm), a second one takes the selection back.
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import type { Drawing, Spot } from "../draw/drawing.ts";
import type { Catalogue, FrameLayout, SelectSm, SmView } from "../types.ts";
import { percent, whole } from "../draw/scale.ts";
import { stallPaint } from "./chart-drawing.ts";
import { kernelNames } from "./parts.ts";
import { Picture } from "./picture.ts";
import type { LegendItem } from "./picture.ts";
import { drawSms, smTable } from "./sm-drawing.ts";
import { SmModel } from "./sm-model.ts";
import type { Tabular } from "./tabular.ts";

export class SmGrid extends Picture implements SmView {
  protected readonly file = "sms";
  protected readonly name = "SMs";
  protected readonly about = "Each SM with its CTA slots by kernel, its schedulers' recent cycles and its fullest resource.";
  private model: SmModel | null = null;
  private sm: number | null = null;

  setLayout(layout: FrameLayout, _catalogue: Catalogue): void {
    this.model = new SmModel({ ...layout, kernels: kernelNames(layout.kernels) });
    if (this.sm !== null && this.sm >= layout.sms.length) this.sm = null;
    if (this.isConnected) this.relegend();
    this.redraw();
  }

  update(frame: Uint32Array): void {
    this.model?.update(frame);
    this.drawFrame();
  }

  reset(): void {
    if (this.model) this.model = new SmModel(this.model.layout);
    this.redraw();
  }

  get selected(): number | null { return this.sm; }
  set selected(sm: number | null) {
    this.sm = sm !== null && this.model && sm >= this.model.layout.sms.length ? null : sm;
    this.redraw();
  }

  protected override walks(spot: Spot): boolean { return spot.id.startsWith("sm:"); }

  protected override chosen(spot: Spot): void {
    const sm = Number(spot.id.slice(3));
    this.selected = this.sm === sm ? null : sm;
    this.dispatchEvent(new CustomEvent<SelectSm>("select-sm", { bubbles: true, detail: { sm: this.sm } }));
  }

  protected build(width: number, t: Theme): Drawing | null { return this.model ? drawSms(this.model, width, t, this.sm) : null; }
  protected tabular(): Tabular | null { return this.model ? smTable(this.model) : null; }

  protected legend(t: Theme): LegendItem[] {
    if (!this.model) return [];
    const { kernels, stalls } = this.model.layout;
    return [
      ...kernels.map((name, k) => ({ name, paint: kernelPaint(k, t) })),
      ...stalls.map((s, i) => ({ name: s.title, paint: stallPaint(i, t), doc: s.doc })),
    ];
  }

  protected summary(): string {
    const m = this.model;
    if (!m) return "";
    const n = m.layout.sms.length;
    const parts = m.layout.kernels.map((name, k) => {
      let ctas = 0, share = 0;
      for (let sm = 0; sm < n; sm++) { ctas += m.reader.get("sm.ctas", sm, k); share += (m.shares(sm)[k] ?? 0) / n; }
      return `${name}: ${whole(ctas)} CTAs resident, ${percent(share, 1)} of scheduler-cycles`;
    });
    return `${n} SMs at cycle ${whole(m.cycle)}. ${parts.join("; ")}.`;
  }
}

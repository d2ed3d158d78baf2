// <corun-gpu>: every SM as a tile with its CTA slots and its issue slots by cause, and beside them the L2 banks and DRAM channels; one control for
// the keyboard. A click or Enter on an SM fires `select-sm` (SelectSm); on a bank or a channel, `select-memory`.
import type { Drawing, Spot } from "./drawing.ts";
import { percent, whole } from "../model/scale.ts";
import type { Theme } from "./theme.ts";
import type { Catalogue, FrameLayout, SelectSm, ShownRun } from "../model/types.ts";
import { HEAD } from "./beside.ts";
import { stallPaint } from "./theme.ts";
import { drainPaint, drawGpu, GpuModel, otherPaint, smTable } from "./gpu-drawing.ts";
import { MachinePicture, type Side } from "./machine-picture.ts";
import { gpuMeanings } from "./meanings.ts";
import type { Meaning } from "./meanings.ts";
import type { LegendItem } from "./picture.tsx";
import { hasClasses, residentText, shownCauses, smsText } from "./sm-model.ts";
import type { Tabular } from "../model/tabular.ts";

/** How high it is of its width, where nothing else says that. */
const FLAT = 0.62;

export class Gpu extends MachinePicture<GpuModel> {
  protected readonly file = "gpu";
  protected readonly name = "GPU";
  protected readonly about =
    "Each SM with its CTA slots by kernel and, below, its schedulers' recent cycles by kernel and by cause of stalls; beside them how full the queues of L2 banks and DRAM channels are, by kernel.";
  private one: number | null = null;
  /** Once an SM has drained, and once a kernel has had a quota, the legend says what that looks like. */
  private met = { drains: false, quotas: false };

  override setRuns(runs: readonly ShownRun[], catalogue: Catalogue): void {
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

  /** Of two runs, 0 or 1: the one that is drawn; null: both, side by side. */
  get shown(): number | null {
    return this.one;
  }
  set shown(one: number | null) {
    this.one = one;
    this.redraw();
  }
  private get drawnSides(): readonly Side<GpuModel>[] {
    return this.one === null || this.sides.length < 2 ? this.sides : this.sides.slice(this.one, this.one + 1);
  }
  protected override get caption(): string {
    const [only, other] = this.drawnSides;
    return only && !other ? `${this.name}, ${`${only.run.mark} ${only.run.title}`.trim()}` : this.name;
  }

  protected override chosen(spot: Spot): void {
    const sm = /^sm:(\d+)/.exec(spot.id)?.[1];
    this.dispatchEvent(
      sm === undefined
        ? new CustomEvent("select-memory", { bubbles: true })
        : new CustomEvent<SelectSm>("select-sm", { bubbles: true, detail: { sm: Number(sm) } }),
    );
  }

  protected model(layout: FrameLayout): GpuModel {
    return new GpuModel(layout);
  }
  protected override above(model: GpuModel): string {
    // Classes have headings of their own.
    return hasClasses(model.layout) ? "" : residentText(model);
  }
  /** It fills its stage, whose height is given. */
  protected override build(width: number, t: Theme, sheet = false): Drawing | null {
    const [only, other] = this.drawnSides,
      high = sheet ? 0 : this.stage.clientHeight,
      height = high >= 80 ? high : Math.round(FLAT * width);
    if (!only) return null;
    return other
      ? this.beside((model, room) => drawGpu(model, room, height - HEAD, t, this.most), width, t)
      : drawGpu(only.model, width, height, t, this.most);
  }
  /** One scale for both runs. */
  private get most(): number {
    return Math.max(...this.sides.map(({ model }) => model.most));
  }
  protected tableOf(model: GpuModel): Tabular {
    return smTable(model);
  }

  protected override legend(t: Theme): LegendItem[] {
    const layout = this.sides[0]?.model.layout;
    if (!layout) return [];
    const shown = shownCauses(layout),
      others = layout.stalls.filter((_, i) => !shown.some(({ stall }) => stall === i)).map(({ title }) => title);
    return [
      { name: "CTAs, issue slots:", doc: this.about },
      ...super.legend(t),
      ...shown.map(({ stall, name }) => ({ name, paint: stallPaint(stall, t), doc: layout.stalls[stall]?.doc ?? "" })),
      { name: "other", paint: otherPaint(t), doc: `No warp issues for another cause: ${others.join(", ")}` },
      ...(this.met.drains
        ? [{ name: "drains", paint: drainPaint(t), doc: "A kernel holds more CTAs on it than it may" }]
        : []),
      ...(this.met.quotas ? [{ name: "Lowest line: what is left of quotas" }] : []),
    ];
  }

  protected override meanings(): Meaning[] {
    const side = this.sides[0];
    return side ? gpuMeanings(side.model.layout) : [];
  }

  protected said(m: GpuModel): string {
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
    const fullest = (of: GpuModel["memory"]["banks"], what: string): string => {
      const used = Array.from({ length: of.count }, (_, i) => of.used(i)),
        at = used.indexOf(Math.max(...used));
      return `fullest ${what} ${at}: ${percent(used[at] ?? 0, 1)}`;
    };
    return `${smsText(m.layout)} at cycle ${whole(m.cycle)}${drains > 0 ? `, ${drains} of which drain` : ""}. ${parts.join("; ")}. Queues: ${fullest(m.memory.banks, "L2 bank")}, ${fullest(m.memory.channels, "DRAM channel")}.`;
  }
}

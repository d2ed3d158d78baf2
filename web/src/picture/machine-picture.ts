// A picture of the machine at one cycle: of one run, or of two side by side on one canvas, so that both are always of the same cycle.
import type { Drawing } from "./drawing.ts";
import { kernelPaint } from "./theme.ts";
import type { Theme } from "./theme.ts";
import type { Catalogue, FrameLayout, FrameView, ShownRun } from "../model/types.ts";
import { beside, joined } from "./beside.ts";
import type { Part } from "./beside.ts";
import { Picture } from "./picture.tsx";
import type { LegendItem } from "./picture.tsx";
import type { Tabular } from "../model/tabular.ts";

/** What a picture knows of a machine, from frames. */
export interface Model {
  readonly layout: FrameLayout;
  update(frame: Uint32Array): void;
}
export interface Side<M> {
  run: ShownRun;
  model: M;
}

export abstract class MachinePicture<M extends Model> extends Picture implements FrameView {
  protected sides: Side<M>[] = [];
  protected abstract model(layout: FrameLayout): M;
  protected abstract tableOf(model: M): Tabular;
  /** One sentence with numbers. */
  protected abstract said(model: M): string;

  /** What it knows of each run's machine. */
  get models(): readonly M[] {
    return this.sides.map(({ model }) => model);
  }

  setRuns(runs: readonly ShownRun[], _catalogue: Catalogue): void {
    this.sides = runs.map((run) => ({
      run,
      model: this.model(run.layout),
    }));
    this.redraw();
  }

  update(frames: readonly Uint32Array[]): void {
    this.sides.forEach(({ model }, i) => {
      const frame = frames[i];
      if (frame) model.update(frame);
    });
    this.drawFrame();
  }

  reset(): void {
    for (const side of this.sides) side.model = this.model(side.model.layout);
    this.redraw();
  }

  /** What stands above each run's drawing, behind its scheme. */
  protected above(_model: M): string {
    return "";
  }

  /** Each run's drawing under what is said of it. */
  protected beside(draw: (model: M, room: number) => Drawing, width: number, t: Theme): Drawing | null {
    const parts = this.sides.map(
      ({ run, model }): Part => ({
        mark: run.mark,
        title: run.title,
        said: this.above(model),
        draw: (room) => draw(model, room),
      }),
    );
    return parts.length > 0 ? beside(parts, width, t) : null;
  }

  protected tabular(): Tabular | null {
    return joined(this.sides.map(({ run, model }) => ({ mark: run.mark, table: this.tableOf(model) })));
  }

  /** The kernels; where two runs have different ones at a place, both names. */
  protected legend(t: Theme): LegendItem[] {
    const most = Math.max(0, ...this.sides.map(({ model }) => model.layout.kernels.length));
    return Array.from({ length: most }, (_, k) => ({
      name: [...new Set(this.sides.flatMap(({ model }) => model.layout.kernels[k] ?? []))].join(" / "),
      paint: kernelPaint(k, t),
    }));
  }

  protected summary(): string {
    return this.sides
      .map(({ run, model }) => (run.mark === "" ? this.said(model) : `${run.mark}, ${run.title}: ${this.said(model)}`))
      .join(" ");
  }
}

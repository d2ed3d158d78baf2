// <corun-memory-path>: from the SMs through the request NoC, L2 and DRAM, and back.
import type { Drawing } from "../draw/drawing.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import type { Catalogue, FrameLayout, FrameView } from "../types.ts";
import { whole } from "../draw/scale.ts";
import { drawMemory, memoryPanels, memoryTable } from "./memory-drawing.ts";
import { MemoryModel } from "./memory-model.ts";
import { kernelNames } from "./parts.ts";
import { Picture } from "./picture.ts";
import type { LegendItem } from "./picture.ts";
import type { Tabular } from "./tabular.ts";

export class MemoryPath extends Picture implements FrameView {
  protected readonly file = "memory-path";
  protected readonly name = "Memory path";
  protected readonly about = "Queues and use of request NoC, L2 banks, DRAM channels and reply NoC. Bars are full at capacity; use is the mean of the last frames.";
  private model: MemoryModel | null = null;

  setLayout(layout: FrameLayout, _catalogue: Catalogue): void {
    this.model = new MemoryModel({ ...layout, kernels: kernelNames(layout.kernels) });
    if (this.isConnected) this.relegend();
    this.redraw();
  }

  update(frame: Uint32Array): void {
    this.model?.update(frame);
    this.drawFrame();
  }

  reset(): void {
    if (this.model) this.model = new MemoryModel(this.model.layout);
    this.redraw();
  }

  protected build(width: number, t: Theme): Drawing | null { return this.model ? drawMemory(this.model, width, t) : null; }
  protected tabular(): Tabular | null { return this.model ? memoryTable(this.model) : null; }

  protected legend(t: Theme): LegendItem[] {
    return this.model ? [
      ...this.model.layout.kernels.map((name, k) => ({ name, paint: kernelPaint(k, t) })),
      { name: "entries of any kernel", paint: t.ink3 },
    ] : [];
  }

  protected summary(): string {
    const m = this.model;
    return m ? `Memory path at cycle ${whole(m.cycle)}. ${memoryPanels(m).map((p) => `${p.title}: ${p.headline}`).join("; ")}.` : "";
  }
}

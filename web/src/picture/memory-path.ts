// <corun-memory-path>: from the SMs through the request NoC, L2 and DRAM, and back.
import type { Drawing } from "./drawing.ts";
import type { Theme } from "./theme.ts";
import type { FrameLayout } from "../model/types.ts";
import { whole } from "../model/scale.ts";
import { drawMemory, memoryPanels, memoryTable } from "./memory-drawing.ts";
import { MachinePicture } from "./machine-picture.ts";
import { memoryMeanings } from "./meanings.ts";
import type { Meaning } from "./meanings.ts";
import { MemoryModel } from "./memory-model.ts";
import type { Tabular } from "../model/tabular.ts";

export class MemoryPath extends MachinePicture<MemoryModel> {
  protected readonly file = "memory-path";
  protected readonly name = "Memory path";
  protected readonly about =
    "Queues and use of request NoC, L2 banks, DRAM channels and reply NoC. Bars are full at capacity, and in parts by kernel; use is the mean of the last frames.";

  protected model(layout: FrameLayout): MemoryModel {
    return new MemoryModel(layout);
  }
  protected build(width: number, t: Theme): Drawing | null {
    return this.beside((model, room) => drawMemory(model, room, t), width, t);
  }
  protected tableOf(model: MemoryModel): Tabular {
    return memoryTable(model);
  }

  protected override meanings(): Meaning[] {
    const side = this.sides[0];
    return side ? memoryMeanings(side.model.layout) : [];
  }

  protected said(m: MemoryModel): string {
    return `Memory path at cycle ${whole(m.cycle)}. ${memoryPanels(m)
      .map((p) => `${p.title}: ${p.headline}`)
      .join("; ")}.`;
  }
}

// <corun-launches>: what each launch did with its CTAs, launch below launch; its table is the log of all launches. A tab only where there is
// something to show: a kernel that is launched several times, or a CTA order that someone has chosen.
import type { Drawing, Spot } from "../../picture/drawing.ts";
import { whole } from "../../model/scale.ts";
import type { Theme } from "../../picture/theme.ts";
import type { FrameMessage } from "../../engine/protocol.ts";
import type { ShownRun } from "../../model/types.ts";
import { beside, joined } from "../../picture/beside.ts";
import { Picture, type LegendItem } from "../../picture/picture.tsx";
import type { Tabular } from "../../model/tabular.ts";
import { drawStrips, stripLegend } from "./drawing.ts";
import { hasLaunches } from "../../model/launch-log.ts";
import { Launches, launchTable, launchText } from "../../model/launches.ts";

interface Side {
  run: ShownRun;
  known: Launches;
}

export class CorunLaunches extends Picture {
  protected readonly file = "launches";
  protected readonly name = "CTAs by launch";
  protected readonly about =
    "Each launch as a row of its CTAs, in the colour of the SM that ran them; paler, the earlier they began. A bar on top: stolen from another SM.";
  #sides: readonly Side[] = [];
  #cycle = 0;

  /** `orders`: the CTA order that each experiment names, if it names one. Returns whether there is anything to show. */
  setRuns(runs: readonly ShownRun[], orders: readonly unknown[]): boolean {
    this.#sides = runs.map((run) => ({ run, known: new Launches() }));
    this.#cycle = 0;
    this.redraw();
    return runs.some(({ layout }, i) => hasLaunches(layout, orders[i]));
  }

  /** A frame of each run, all of one cycle. */
  update(frames: readonly FrameMessage[]): void {
    this.#cycle = frames[0]?.cycle ?? this.#cycle;
    frames.forEach(({ launches }, i) => {
      if (launches) this.#sides[i]?.known.take(launches);
    });
    this.drawFrame();
  }

  protected build(width: number, t: Theme): Drawing | null {
    const draw =
      ({ run: { layout }, known }: Side) =>
      (room: number): Drawing =>
        drawStrips({
          launches: known.all(),
          kernels: layout.kernels,
          cycle: this.#cycle,
          sms: layout.sms.length,
          counters: layout.counters,
          width: room,
          theme: t,
        });
    return this.#sides.length === 0
      ? null
      : beside(
          this.#sides.map((side) => ({ mark: side.run.mark, title: side.run.title, draw: draw(side) })),
          width,
          t,
        );
  }

  protected tabular(): Tabular | null {
    const title = `Launches at cycle ${whole(this.#cycle)}`;
    return joined(
      this.#sides.map(({ run: { mark, layout }, known }) => ({
        mark,
        table: launchTable(known.all(), this.#cycle, layout.counters, layout.kernels, title),
      })),
    );
  }

  protected legend(t: Theme): LegendItem[] {
    return this.#sides.length === 0
      ? []
      : stripLegend(Math.max(...this.#sides.map(({ run }) => run.layout.sms.length)), t);
  }

  protected summary(): string {
    return this.#sides
      .map(({ run: { mark, layout }, known }) => {
        const last = known
          .all()
          .filter(({ begin }) => begin < this.#cycle)
          .at(-1);
        return `${mark === "" ? "" : `${mark}: `}${last ? launchText(last, this.#cycle, layout.counters) : "No launch has begun"}.`;
      })
      .join(" ");
  }

  protected override walks(spot: Spot): boolean {
    return spot.id.startsWith("launch:");
  }
}
customElements.define("corun-launches", CorunLaunches);

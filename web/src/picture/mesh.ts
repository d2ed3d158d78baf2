// <corun-mesh>: the mesh of routers with what sits at each, and how loaded its links were in the last window. Hidden where the NoC is none.
import type { Drawing } from "./drawing.ts";
import { figure, whole } from "../model/scale.ts";
import type { Theme } from "./theme.ts";
import type { Catalogue, FrameLayout, ShownRun } from "../model/types.ts";
import { MachinePicture } from "./machine-picture.ts";
import type { Meaning } from "./meanings.ts";
import { drawMesh, MeshModel, PEAK, shade, STEPS, type Link } from "./mesh-drawing.ts";
import type { LegendItem } from "./picture.tsx";
import type { Tabular } from "../model/tabular.ts";

export class Mesh extends MachinePicture<MeshModel> {
  protected readonly file = "mesh";
  protected readonly name = "Mesh";
  protected readonly about =
    "The routers of the mesh with their SMs, L2 banks and DRAM channels; links in the colour and width of their load in the last complete window.";

  override setRuns(runs: readonly ShownRun[], catalogue: Catalogue): void {
    this.hidden = runs.every(({ layout }) => layout.mesh === null);
    super.setRuns(
      runs.filter(({ layout }) => layout.mesh !== null),
      catalogue,
    );
    this.places = runs.flatMap(({ layout }, i) => (layout.mesh === null ? [] : [i]));
    this.sides.forEach(({ run, model }) => {
      model.window = run.windows.window;
    });
  }
  private places: number[] = [];

  override update(frames: readonly Uint32Array[]): void {
    if (!this.hidden) super.update(this.places.flatMap((i) => frames[i] ?? []));
  }

  protected model(layout: FrameLayout): MeshModel {
    return new MeshModel(layout);
  }
  protected build(width: number, t: Theme): Drawing | null {
    return this.beside((model, room) => drawMesh(model, room, t), width, t);
  }

  protected tableOf(model: MeshModel): Tabular {
    const shown = model.shown;
    return {
      title: shown
        ? `Links of the mesh in cycles ${whole(shown[0])} to ${whole(shown[1])}`
        : "Links of the mesh: no window has ended",
      columns: [
        { key: "from", title: "From router", unit: "" },
        { key: "way", title: "To the", unit: "" },
        { key: "to", title: "To router", unit: "" },
        { key: "flits", title: "Flits", unit: "flits" },
        { key: "load", title: "Load", unit: "flits for each NoC cycle" },
      ],
      rows: model.links.map(({ from, to, way, flits, load }) => [from, way.name, to, flits, load]),
    };
  }

  protected override legend(t: Theme): LegendItem[] {
    const name = (from: number, i: number): string =>
      i === STEPS.length - 1 ? `from ${from}` : i === 0 ? `under ${STEPS[1]}` : `${from} to ${STEPS[i + 1]}`;
    return STEPS.map((from, i) => ({
      name: `${name(from, i)}${i === STEPS.length - 1 ? " flits for each NoC cycle and link" : ""}`,
      paint: shade(from, t),
      doc: `Flits over the link in the last complete window, all networks together, over its NoC cycles; ${PEAK}`,
    }));
  }

  protected override meanings(): Meaning[] {
    const layout = this.sides[0]?.model.layout;
    return layout
      ? [
          {
            title: "Load of a link",
            unit: "flits for each NoC cycle",
            formula: `flits in the last complete window / its NoC cycles; ${PEAK}`,
            doc: layout.sections.find(({ name }) => name === "noc.link_flits")?.doc ?? "",
          },
        ]
      : [];
  }

  protected said(model: MeshModel): string {
    const { links, shown } = model,
      most = links.reduce<Link | null>((a, b) => (a === null || b.load > a.load ? b : a), null);
    if (!shown || !most) return "Mesh: no window has ended yet.";
    const mean = links.reduce((sum, { load }) => sum + load, 0) / links.length;
    return `Mesh in cycles ${whole(shown[0])} to ${whole(shown[1])}: ${figure(mean)} flits for each NoC cycle and link; most, ${figure(most.load)}, from router ${most.from} to router ${most.to}.`;
  }
}

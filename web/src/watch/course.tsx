// The course of a table's numbers over time: one chart of the windows, in the range that the charts show.
import { Surface } from "../draw/surface.tsx";
import type { Theme } from "../draw/theme.ts";
import type { Zoom } from "../types.ts";
import { evaluate, type ChartSpec } from "../views/chart-data.ts";
import { drawChart } from "../views/chart-drawing.ts";
import { resolutionFor, type WindowStore } from "../views/window-store.ts";

const HEIGHT = 190;

export function Course({ spec, store, zoom }: { spec: ChartSpec; store: WindowStore; zoom: Zoom | null }) {
  const from = zoom?.from ?? store.firstCycle,
    to = Math.max(from + 1, zoom?.to ?? store.lastCycle);
  const draw = (width: number, t: Theme) => {
    const edges = store.buckets(from, to, resolutionFor(to - from, width, store.layout.window));
    return drawChart({
      spec,
      edges: Float64Array.from(edges, (edge) => store.cycle(edge)),
      values: evaluate(spec, store, edges),
      from,
      to,
      width,
      height: HEIGHT,
      marks: [],
      top: 0,
      theme: t,
    }).drawing;
  };
  return (
    <figure class="watch-course">
      <figcaption>
        {spec.title}, {spec.unit}
      </figcaption>
      <div>
        <Surface draw={draw} aria-label={`${spec.title} over time. Its numbers are in the tab Charts.`} />
      </div>
    </figure>
  );
}

// The course of a table's numbers over time: one chart of the windows, in the range that the charts show.
import { useEffect, useRef } from "preact/hooks";
import { show } from "../draw/canvas.ts";
import { onRetheme, theme } from "../draw/theme.ts";
import type { Zoom } from "../types.ts";
import { evaluate, type ChartSpec } from "../views/chart-data.ts";
import { drawChart } from "../views/chart-drawing.ts";
import { resolutionFor, type WindowStore } from "../views/window-store.ts";

const HEIGHT = 190;

export function Course({ spec, store, zoom }: { spec: ChartSpec; store: WindowStore; zoom: Zoom | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const paint = (): void => {
    const element = canvas.current,
      width = element?.parentElement?.clientWidth ?? 0;
    if (!element || width < 40) return;
    const from = zoom?.from ?? store.firstCycle,
      to = Math.max(from + 1, zoom?.to ?? store.lastCycle);
    const edges = store.buckets(from, to, resolutionFor(to - from, width, store.layout.window));
    const { drawing } = drawChart({
      spec,
      edges: Float64Array.from(edges, (edge) => store.cycle(edge)),
      values: evaluate(spec, store, edges),
      from,
      to,
      width,
      height: HEIGHT,
      marks: [],
      top: 0,
      theme: theme(),
    });
    show(element, drawing);
  };
  const latest = useRef(paint);
  latest.current = paint;
  useEffect(paint);
  useEffect(() => {
    const again = (): void => latest.current(),
      sizes = new ResizeObserver(again);
    if (canvas.current?.parentElement) sizes.observe(canvas.current.parentElement);
    const forget = onRetheme(again);
    return () => {
      sizes.disconnect();
      forget();
    };
  }, []);
  return (
    <figure class="watch-course">
      <figcaption>
        {spec.title}, {spec.unit}
      </figcaption>
      <div>
        <canvas ref={canvas} role="img" aria-label={`${spec.title} over time. Its numbers are in the tab Charts.`} />
      </div>
    </figure>
  );
}

// The views by the names of their elements, none of which is registered.
import { Chart } from "./chart.ts";
import { Charts } from "./charts.ts";
import { Mesh } from "./mesh.ts";
import { MemoryPath } from "./memory-path.ts";
import { SmDetail } from "./sm-detail.ts";
import { SmGrid } from "./sm-grid.ts";

export const VIEWS = [
  ["corun-sm-grid", SmGrid],
  ["corun-sm-detail", SmDetail],
  ["corun-memory-path", MemoryPath],
  ["corun-mesh", Mesh],
  ["corun-chart", Chart],
  ["corun-charts", Charts],
] as const;

declare global {
  interface HTMLElementTagNameMap {
    "corun-sm-grid": SmGrid;
    "corun-sm-detail": SmDetail;
    "corun-memory-path": MemoryPath;
    "corun-mesh": Mesh;
    "corun-chart": Chart;
    "corun-charts": Charts;
  }
}

// The views: importing this registers their elements. Types are in ../types.ts.
//
//   <corun-sm-grid>      every SM; fires `select-sm`
//   <corun-sm-detail>    one SM in full; fires `select-sm` with null when it is closed
//   <corun-memory-path>  NoC ports, L2 banks, DRAM channels
//   <corun-mesh>         routers and links, where the NoC is a mesh
//   <corun-charts>       charts over time; fires `zoom` and `panel`
//
// They read the colours of pictures from these custom properties of :root: --surface --sunken --line --line-strong --ink
// --ink-2 --ink-3 --accent --plot-bg --plot-grid --plot-axis --plot-peak --slot-empty --slot-edge --font --mono. Their own
// rules (views.css) use the other tokens of style/tokens.css as well.
import "./views.css";
import { Charts } from "./charts.ts";
import { Mesh } from "./mesh.ts";
import { MemoryPath } from "./memory-path.ts";
import { SmDetail } from "./sm-detail.ts";
import { SmGrid } from "./sm-grid.ts";

export { Charts, MemoryPath, Mesh, SmDetail, SmGrid };

for (const [name, element] of [
  ["corun-sm-grid", SmGrid],
  ["corun-sm-detail", SmDetail],
  ["corun-memory-path", MemoryPath],
  ["corun-mesh", Mesh],
  ["corun-charts", Charts],
] as const) {
  if (!customElements.get(name)) customElements.define(name, element);
}

declare global {
  interface HTMLElementTagNameMap {
    "corun-sm-grid": SmGrid;
    "corun-sm-detail": SmDetail;
    "corun-memory-path": MemoryPath;
    "corun-mesh": Mesh;
    "corun-charts": Charts;
  }
}

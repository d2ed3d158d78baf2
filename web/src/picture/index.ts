// The views: importing this registers their elements. Types are in ../types.ts.
//
//   <corun-gpu>          every SM, and the L2 banks and DRAM channels; fires `select-sm` and `select-memory`
//   <corun-sm-detail>    one SM in full; fires `select-sm` with null when it is closed
//   <corun-memory-path>  NoC ports, L2 banks, DRAM channels
//   <corun-mesh>         routers and links, where the NoC is a mesh
//
// They read the colours of pictures from these custom properties of :root: --surface --sunken --line --line-strong --ink
// --ink-2 --ink-3 --accent --plot --grid --axis --peak --slot-empty --slot-edge --font --mono. Their own
// rules (views.css) use the other tokens of style/tokens.css as well.
import "./views.css";
import { VIEWS } from "./elements.ts";

for (const [name, element] of VIEWS) {
  if (!customElements.get(name)) customElements.define(name, element);
}

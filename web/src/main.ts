// Where the page starts.
//
// The views come from ./views/index.ts, which registers these elements when it is imported:
//   <corun-sm-grid>      SmView      the SMs, their CTA slots and schedulers; fires `select-sm`
//   <corun-sm-detail>    SmView      one SM: registers, shared memory, warps, slots, warp states; empty when nothing is selected
//   <corun-memory-path>  FrameView   NoC ports, L2 banks, DRAM channels
//   <corun-charts>       WindowView  the charts over time; fires `zoom` and `panel`
// Their types are in ./types.ts, the kernels' colours in ./palette.ts, the stamp for exports in ./stamp.ts,
// the colour, space and type tokens (custom properties) in ./style/tokens.css.
import "./style/tokens.css";

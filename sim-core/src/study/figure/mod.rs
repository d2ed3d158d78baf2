//! Figures as data: what is drawn, and which runs make each point. The runner writes them, the page reads them, and both draw them here.
//!
//! ```text
//! { "id": "fig9", "title": "…", "source": "CCBP Fig. 9", "kind": "bars" | "lines" | "scatter" | "shares",
//!   "x": { "label": "…" }, "y": { "label": "…", "unit": "…" },
//!   "series": ["SMK", …], "categories": ["LS+BI", …],
//!   "measure": { "path": "metrics.hspeedup", "reduce": "geomean" | "mean" | "max" | "value" | "share" | "given", "from": 0.95, "to": 1 },
//!   "points": [ { "series": 0, "x": 0, "value": 1.2, "paper": 1.0, "runs": [3, 4], "baseline": [7, 8], "measure": {…} } ],
//!   "differs": "…" }
//! ```
//!
//! A point's value is `reduce` over i of `path` in the result of `runs[i]`, divided by `path` in the result of `baseline[i]` where there is a
//! baseline. `runs` and `baseline` are places in the list of runs that stands beside the figures. A path is as in `kernels[0].latency.mean`;
//! `windows[12].kernels[0].noc_utilisation` is a window of 400 cycles ([`crate::run::windows::Windows::to_value`]). `share` is the part of the values
//! that are at least `from` and less than `to`; either may be left out. `given` is the value as the report computed it from these runs, by more than a
//! path can say (the path names it): it stands, and is not computed again.
//!
//! With `categories`, `x` is the place of one. `shares` are stacked, in the order of the series. Where the unit is `%`, values are fractions.

mod axis;
mod data;
mod draw;
mod evaluate;
mod svg;
#[cfg(test)]
mod tests;

pub use data::*;
pub use draw::{Options, draw};
pub use evaluate::{Reduce, lookup, reduce};

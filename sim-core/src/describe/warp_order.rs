//! Orders of warps, and their names.

use crate::describe::record::{Datum, Pattern};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::String;

/// The order in which a warp scheduler considers its ready warps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WarpOrder {
    /// Loose round robin: the next ready warp after the one that issued last.
    Lrr,
    /// Greedy then oldest: the warp that issued last as long as it can, else the oldest ready one.
    #[default]
    Gto,
    /// Greedy then oldest among this many neighbouring warps (≥ 1) at a time. Where none of them can issue, the cycle is lost, and the
    /// scheduler goes to the next such group that holds warps (the big SM of HeteroCore, §3.2).
    GtoGroups(u8),
    /// Round robin inside a group of this many warps (≥ 1) until the whole group stalls, then the next group.
    TwoLevel(u8),
    /// Round robin over kernels, greedy then oldest within each (the order of Maestro, as CCBP §7.6 reads it).
    LrrGto,
    /// Greedy then youngest: the warp that issued last as long as it can, else the youngest ready one. Measured among the warps of one kernel on Turing,
    /// Ampere and Blackwell ("Dissecting and Modeling the Architecture of Modern GPU Cores", MICRO 2025, §5.1).
    Gty,
}

impl WarpOrder {
    /// Whether the warp that issued last goes on issuing as long as it can.
    pub fn is_greedy(self) -> bool {
        matches!(self, WarpOrder::Gto | WarpOrder::GtoGroups(_) | WarpOrder::Gty)
    }
}

/// Names of warp orders in experiments, with what they do; an order of groups carries their size, as in `two-level(8)`.
pub const WARP_ORDERS: &[(&str, &str)] = &[
    ("lrr", "Loose round robin: the next ready warp after the one that issued last"),
    ("gto", "Greedy then oldest: one warp as long as it can, else the oldest ready one"),
    ("gty", "Greedy then youngest: one warp as long as it can, else the youngest ready one"),
    (
        "gto-groups",
        "Greedy then oldest inside a group of warp slots until none there can issue; a cycle is lost, then the next group with warps",
    ),
    ("two-level", "Round robin inside a group of warps until all of it stalls, then the next group"),
    ("lrr+gto", "Round robin over kernels, greedy then oldest within each"),
];

/// Orders that carry a size, each with the one that its name alone stands for.
const SIZED: [(&str, WarpOrder); 2] = [("gto-groups", WarpOrder::GtoGroups(24)), ("two-level", WarpOrder::TwoLevel(8))];

/// The form of a warp order.
pub static WARP_ORDER: Pattern = Pattern {
    regex: "^(lrr|gto|gty|lrr\\+gto|(gto-groups|two-level)(\\(([1-9]|[1-5][0-9]|6[0-4])\\))?)$",
    holds: |text| named(text).is_some(),
    want: "lrr, gto, gty, lrr+gto, or gto-groups(N) or two-level(N) with N from 1 to 64",
};

fn named(text: &str) -> Option<WarpOrder> {
    let (name, size) = text.split_once('(').map_or((text, None), |(name, rest)| (name, Some(rest)));
    if size.is_none() {
        match name {
            "lrr" => return Some(WarpOrder::Lrr),
            "gto" => return Some(WarpOrder::Gto),
            "gty" => return Some(WarpOrder::Gty),
            "lrr+gto" => return Some(WarpOrder::LrrGto),
            _ => {}
        }
    }
    let usual = SIZED.iter().find(|sized| sized.0 == name)?.1;
    let Some(size) = size else { return Some(usual) };
    let size: u8 =
        size.strip_suffix(')').filter(|size| !size.starts_with(['0', '+']))?.parse().ok().filter(|size| (1..=64).contains(size))?;
    Some(if let WarpOrder::GtoGroups(_) = usual { WarpOrder::GtoGroups(size) } else { WarpOrder::TwoLevel(size) })
}

impl Datum for WarpOrder {
    fn read(value: &Value) -> Self {
        value.as_str().and_then(named).unwrap_or_default()
    }

    fn write(&self) -> Value {
        encode_warp_order(*self).into()
    }
}

/// A warp order's name in experiments.
pub fn encode_warp_order(order: WarpOrder) -> String {
    match order {
        WarpOrder::Lrr => "lrr".into(),
        WarpOrder::Gto => "gto".into(),
        WarpOrder::GtoGroups(size) => format!("gto-groups({size})"),
        WarpOrder::TwoLevel(size) => format!("two-level({size})"),
        WarpOrder::LrrGto => "lrr+gto".into(),
        WarpOrder::Gty => "gty".into(),
    }
}

//! Orders of warps, and their names.

use crate::describe::error::Problems;
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
    /// Round robin inside a group of this many warps (≥ 1) until the whole group stalls, then the next group.
    TwoLevel(u8),
    /// Round robin over kernels, greedy then oldest within each (the order of Maestro, as CCBP §7.6 reads it).
    LrrGto,
}

/// Names of warp orders in experiments, with what they do; a two-level order carries its group size, as in `two-level(8)`.
pub const WARP_ORDERS: &[(&str, &str)] = &[
    ("lrr", "Loose round robin: the next ready warp after the one that issued last"),
    ("gto", "Greedy then oldest: one warp as long as it can, else the oldest ready one"),
    ("two-level", "Round robin inside a group of warps until all of it stalls, then the next group"),
    ("lrr+gto", "Round robin over kernels, greedy then oldest within each"),
];

/// Reads a warp order.
pub fn decode_warp_order(value: &Value, path: &str, problems: &mut Problems) -> Option<WarpOrder> {
    let text = value.as_str().unwrap_or("");
    let order = match text {
        "lrr" => Some(WarpOrder::Lrr),
        "gto" => Some(WarpOrder::Gto),
        "lrr+gto" => Some(WarpOrder::LrrGto),
        "two-level" => Some(WarpOrder::TwoLevel(8)),
        _ => text
            .strip_prefix("two-level(")
            .and_then(|rest| rest.strip_suffix(')'))
            .and_then(|size| size.parse().ok())
            .filter(|size| (1..=64).contains(size))
            .map(WarpOrder::TwoLevel),
    };
    if order.is_none() {
        problems.add(path, value.describe(), "lrr, gto, lrr+gto, or two-level(N) with N from 1 to 64");
    }
    order
}

/// A warp order's name in experiments.
pub fn encode_warp_order(order: WarpOrder) -> String {
    match order {
        WarpOrder::Lrr => "lrr".into(),
        WarpOrder::Gto => "gto".into(),
        WarpOrder::TwoLevel(size) => format!("two-level({size})"),
        WarpOrder::LrrGto => "lrr+gto".into(),
    }
}

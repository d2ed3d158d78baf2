//! How many CTAs each SM may hold, said once where all SMs are alike and class by class where they are not.

use crate::describe::ids::KernelId;
use crate::interface::decision::{Decided, Log, decide, list, topics};
use crate::interface::observation::Observation;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

topics! {
    ClassCtas "class_ctas", "CTAs that a kernel may hold on each SM, where SMs are unlike" {
        ctas: Vec<u32>, "CTAs per SM", "At most so many, for each class in the order of the GPU's classes";
    } => format!("may hold {} CTAs on each SM of the GPU's classes in turn", list(ctas.iter().map(|ctas| format!("{ctas}"))));
}

/// Writes down how many CTAs of a kernel each SM may hold: `one` where all SMs are alike, else what `on` says of an SM, class by class.
pub fn decide_ctas(log: &mut Log, seen: &Observation, kernel: KernelId, one: impl Into<Decided>, on: impl Fn(usize) -> u32) {
    let of_class = |sms: Range<u32>| on(sms.start as usize).min(seen.cta_limit[sms.start as usize][kernel]);
    match seen.gpu.sms.len() {
        1 => decide(log, seen, kernel, one),
        _ => decide(log, seen, kernel, ClassCtas { ctas: seen.gpu.class_sms().into_iter().map(of_class).collect() }),
    }
}

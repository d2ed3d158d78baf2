//! Warped-Slicer with memory instruction limiting: a kernel with many reservation failures in L1D may have fewer memory instructions in
//! flight.
//!
//! # Idea
//! Dai et al., HPCA 2018 (DMIL), as CCBP §7.5 compares it. For each sample of a kernel's L1D requests, count how often L1D failed to reserve what
//! a miss needs (an MSHR, a merge, a place in the miss queue). The kernel may then have as many memory instructions in flight as its peak
//! in the sample, halved once for each failure per request. Where failures are rare, it has no limit.
//! # Observes
//! L1D requests, reservation failures and the peak of memory instructions in flight of each kernel; and what Warped-Slicer does.
//! # Sets
//! `memory_cap`; and what Warped-Slicer does.
//! # Parameters
//! See `docs/schemes/ws-mil.md`.
//! # Deviations
//! 1. Samples are those of all SMs together, with the highest peak of any; all SMs have the same caps.
//! 2. They are checked every `interval` cycles, not at the request that completes a sample.
//! 3. A failure is a cycle in which an access waits, as if it were tried again in each.

use super::spec::{Param, PolicySpec};
use super::ws::{self, Ws};
use super::{AnyPolicy, PROFILE_CYCLES, Policy, PolicyInfo, SAMPLE, SAMPLE_INTERVAL, Samples};
use crate::describe::ids::{Cycle, KernelId};
use crate::seam::controls::Controls;
use crate::seam::decision::{Decided, Log, decide};
use crate::seam::observation::Needs;
use crate::seam::observation::Observation;
use crate::seam::stats::KernelStats;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "ws+mil",
    title: "Warped-Slicer with MIL: caps on memory instructions",
    source: "Dai et al., HPCA 2018, as CCBP §7.5 compares it",
    doc: "Warped-Slicer's combination of CTAs; kernels for which L1D often fails to reserve may have fewer memory instructions in flight",
    params: &[
        PROFILE_CYCLES,
        ws::CURVES,
        ws::COMBINATION,
        ws::FALLBACK,
        ws::FALLBACK_LOSS,
        SAMPLE,
        SAMPLE_INTERVAL,
        Param::choice(
            "failures",
            &["misses", "all"],
            "misses",
            "misses: of what misses need, MSHRs, merges and the miss queue (CCBP §7.5). all: of the store buffer too",
        ),
        Param::number("release", (0.0, 1000.0), 1.0, "failures per request", "Reservation failures below which a kernel has no cap"),
        Param::int("least", (1, 64), 1, "instructions", "The lowest cap"),
    ],
    check: PolicyInfo::NO_CHECK,
    make: |spec| AnyPolicy::WsMil(WsMil::new(spec)),
};

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct WsMil {
    ws: Ws,
    interval: Cycle,
    stores_count: bool,
    release: f64,
    least: u32,
    samples: Samples,
    /// The most in flight of each kernel in its sample so far.
    peaks: Vec<u32>,
}

/// A cap that never limits, so that the machine counts peaks.
const NO_CAP: u16 = u16::MAX;

impl Policy for WsMil {
    fn needs(&self) -> Needs {
        self.ws.needs()
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.ws.start(seen, controls, log);
        self.samples.start(seen);
        self.peaks = alloc::vec![0; seen.kernels];
        for kernel in KernelId::first(seen.kernels) {
            controls.each_sm(|sm| sm.memory_cap[kernel] = Some(NO_CAP));
        }
    }

    fn interval(&self) -> Option<Cycle> {
        Some(self.interval)
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for ((kernel, peak), &seen_peak) in KernelId::first(seen.kernels).zip(&mut self.peaks).zip(seen.peak_in_flight) {
            *peak = seen_peak.max(*peak);
            let Some(sample) = self.samples.take(seen, kernel) else { continue };
            let rate = failures(&sample, self.stores_count) as f64 / Samples::requests(&sample).max(1) as f64;
            let cap = cap(rate, *peak, self.release, self.least);
            if controls.sms[0].memory_cap[kernel] != Some(cap) {
                controls.each_sm(|sm| sm.memory_cap[kernel] = Some(cap));
                let memory_cap = (cap != NO_CAP).then_some(cap.into());
                decide(log, seen, kernel, Decided::MemoryCap { memory_cap, failures: rate, peak: *peak });
            }
            *peak = 0;
        }
    }
}

impl WsMil {
    fn new(spec: &PolicySpec) -> Self {
        WsMil {
            ws: Ws::new(spec),
            interval: spec.int(SAMPLE_INTERVAL.name) as Cycle,
            stores_count: spec.choice("failures") == "all",
            release: spec.number("release"),
            least: spec.int("least") as u32,
            samples: Samples::new(spec.int(SAMPLE.name) as u64),
            peaks: Vec::new(),
        }
    }
}

fn failures(sample: &KernelStats, stores_count: bool) -> u64 {
    let of_stores = if stores_count { sample.fail_store_buffer } else { 0 };
    sample.fail_mshr + sample.fail_merge + sample.fail_miss_queue + of_stores
}

/// The peak shifted right by the whole failures per request, as the counters of the source do it; none below `release`.
fn cap(rate: f64, peak: u32, release: f64, least: u32) -> u16 {
    if rate < release {
        return NO_CAP;
    }
    (peak >> (rate as u32).min(31)).clamp(least, u32::from(NO_CAP) - 1) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 in flight: 1.9 failures per request halve it once, 3.2 three times, and nothing is left after six.
    #[test]
    fn each_failure_per_request_halves_the_peak() {
        let capped = |rate| cap(rate, 40, 1.0, 1);
        assert_eq!([1.0, 1.9, 2.0, 3.2, 6.0, 1e9].map(capped), [20, 20, 10, 5, 1, 1]);
        assert_eq!(capped(0.99), NO_CAP, "failures are rare");
        assert_eq!(cap(0.5, 40, 0.25, 1), 40, "with a lower bound, the peak itself");
        assert_eq!(cap(9.0, 40, 1.0, 4), 4);
    }

    #[test]
    fn what_misses_need_counts_and_the_store_buffer_if_asked() {
        let sample = KernelStats { fail_mshr: 1, fail_merge: 20, fail_miss_queue: 300, fail_store_buffer: 4000, ..KernelStats::default() };
        assert_eq!((failures(&sample, false), failures(&sample, true)), (321, 4321));
    }
}

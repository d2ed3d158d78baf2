//! Memory instruction limiting: a kernel with many reservation failures in L1D may have fewer memory instructions in
//! flight.
//!
//! # Idea
//! Dai et al., HPCA 2018 (DMIL), as CCBP §7.5 compares it. For each sample of a kernel's L1D requests, count how often L1D failed to reserve what
//! a miss needs (an MSHR, a merge, a way, a place in the miss queue). The kernel may then have as many memory instructions in flight as its peak
//! in the sample, halved once for each failure per request. Where failures are rare, it has no limit. Each SM judges by its own samples.
//! # Observes
//! L1D requests, reservation failures and the peak of memory instructions in flight of each kernel.
//! # Sets
//! `memory_cap`.
//! # Parameters
//! See `docs/reference/schemes/mil.md`.
//! # Deviations
//! 1. Samples are checked every `interval` cycles, not at the request that completes one.
//! 2. A failure is a cycle in which an access waits as the oldest of its SM, as if one access were tried again in each cycle.

use super::samples::{SAMPLE, SAMPLE_INTERVAL, Samples};
use super::scheme::{Absent, Member, Param, Policy, PolicyInfo};
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, count, decide, topics};
use crate::interface::observation::Observation;
use crate::interface::shown::{Column, Row, Table};
use crate::interface::stats::KernelStats;
use alloc::format;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "mil",
    title: "MIL: caps on memory instructions",
    source: "Dai et al., HPCA 2018, as CCBP §7.5 compares it",
    doc: "Kernels for which L1D often fails to reserve may have fewer memory instructions in flight",
    params: &[
        SAMPLE,
        SAMPLE_INTERVAL,
        Param::constant(
            "failures",
            Absent::Name("misses"),
            "A reservation failure is what keeps a miss waiting: an MSHR, a merge, a way, a place in the miss queue (CCBP §7.5). A full store buffer is none: a cap on memory instructions drains no store",
        ),
        Param::constant("scope", Absent::Name("sm"), "Each SM has samples and caps of its own, as the source's counters stand in each SM"),
        Param::constant("peak", Absent::Name("sample"), "A cap is halved from the most in flight in the sample that shows the failures"),
        Param::constant(
            "release",
            Absent::Number(RELEASE),
            "Failures per request from which on a kernel has a cap: one halves its peak once, fewer do not. The source says only that the limit goes when failures are rare",
        ),
        Param::constant("least", Absent::Int(1), "The lowest cap: without a memory instruction a kernel would not go on"),
    ],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    MemoryCap "memory_cap", "Memory instructions that a kernel may have in flight, by its reservation failures (MIL)" {
        memory_cap: Option<u32>, "memory instructions per SM", "The least that an SM lets it have from now on; missing without a cap";
        highest: Option<u32>, "memory instructions per SM", "The most that an SM lets it have; missing where it has no cap";
        sms: u32, "SMs", "Whose samples ended";
        failures: f64, "failures per request", "How often L1D failed there to reserve what a request needs";
        peak: u32, "memory instructions per SM", "The most in flight in these samples";
    } => {
        let cap = match (memory_cap, highest) {
            (None, _) => "no cap".into(),
            (Some(least), None) => format!("at most {least} on some SM from now on, and no cap on some other"),
            (Some(least), Some(most)) if least == most => format!("at most {least} from now on"),
            (Some(least), Some(most)) => format!("at most {least} to {most} from now on"),
        };
        let (sms, peak) = (count(*sms, "SM"), count(*peak, "memory instruction"));
        format!("L1D of {sms} failed {failures:.2} times per request with up to {peak} in flight: {cap}")
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Mil {
    interval: Cycle,
    requests: u64,
    /// What is known of each SM.
    sms: Vec<Judged>,
}

/// An SM, which is judged by itself.
#[derive(Clone, PartialEq, Debug)]
struct Judged {
    /// Counters of each kernel when its present sample began.
    then: Vec<KernelStats>,
    /// The most in flight of each kernel in its sample so far.
    peaks: PerKernel<u32>,
    /// What the last sample of each kernel said.
    said: PerKernel<Option<Said>>,
}

/// What a sample said of a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Said {
    /// Reservation failures per request.
    failures: f64,
    /// The most memory instructions in flight.
    peak: u32,
}

impl Said {
    fn cap(self) -> u16 {
        cap(self.failures, self.peak)
    }
}

impl Judged {
    /// The sample of a kernel on SM `sm`, with its peak, if it has `requests` requests; the next one begins.
    fn take(&mut self, seen: &Observation, sm: usize, kernel: KernelId, requests: u64) -> Option<(KernelStats, u32)> {
        let peak = seen.peak_in_flight[sm][kernel].max(self.peaks[kernel]);
        self.peaks[kernel] = peak;
        let now = seen.on_sm[sm][kernel.index()];
        let sample = now - self.then[kernel.index()];
        (Samples::requests(&sample) >= requests).then(|| {
            (self.then[kernel.index()], self.peaks[kernel]) = (now, 0);
            (sample, peak)
        })
    }
}

/// Reservation failures per request below which a kernel has no cap. CCBP says only that the limit is released when the rate is low (§7.5).
const RELEASE: f64 = 1.0;

/// A cap that never limits, so that the machine counts peaks.
const NO_CAP: u16 = u16::MAX;

impl Policy for Mil {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, _log: &mut Log) {
        self.sms =
            seen.on_sm.iter().map(|stats| Judged { then: stats.clone(), peaks: PerKernel::all(0), said: PerKernel::all(None) }).collect();
        for kernel in KernelId::first(seen.kernels) {
            controls.each_sm(|sm| sm.memory_cap[kernel] = Some(NO_CAP));
        }
    }

    fn interval(&self) -> Option<Cycle> {
        Some(self.interval)
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            let before = range(controls, kernel);
            let (mut judged, mut fails, mut requests, mut highest) = (0, 0, 0, 0);
            for (number, (judged_sm, sm)) in self.sms.iter_mut().zip(&mut controls.sms).enumerate() {
                let Some((sample, peak)) = judged_sm.take(seen, number, kernel, self.requests) else { continue };
                let (failed, asked) = (sample.oldest_fails_miss, Samples::requests(&sample).max(1));
                let said = Said { failures: failed as f64 / asked as f64, peak };
                sm.memory_cap[kernel] = Some(said.cap());
                judged_sm.said[kernel] = Some(said);
                judged += 1;
                (fails, requests, highest) = (fails + failed, requests + asked, peak.max(highest));
            }
            let after = range(controls, kernel);
            if after != before {
                let [memory_cap, most] = after.map(|cap| (cap != NO_CAP).then_some(cap.into()));
                let failures = fails as f64 / requests.max(1) as f64;
                decide(log, seen, kernel, MemoryCap { memory_cap, highest: most, sms: judged, failures, peak: highest });
            }
        }
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        let cells = |sm: usize, kernel: KernelId| {
            let judged = &self.sms[sm];
            let said = judged.said[kernel];
            let sample = seen.on_sm[sm][kernel.index()] - judged.then[kernel.index()];
            [
                Value::from(said.map(Said::cap).filter(|&cap| cap != NO_CAP)),
                said.map(|said| said.failures).into(),
                said.map(|said| said.peak).into(),
                Samples::requests(&sample).into(),
                seen.peak_in_flight[sm][kernel].max(judged.peaks[kernel]).into(),
            ]
        };
        let row = |sm: usize| Row {
            name: sm.into(),
            kernel: None,
            cells: KernelId::first(seen.kernels).flat_map(|kernel| cells(sm, kernel)).collect(),
        };
        alloc::vec![Table {
            key: "mil",
            title: "Limits of memory instructions in flight".into(),
            doc: "A limit is the most in flight in a sample, halved once for each whole reservation failure per request (Dai et al., HPCA 2018, DMIL)",
            row: "SM",
            course: None,
            columns: Column::for_each(
                seen.kernels,
                &[
                    ("Limit", "in flight", "Memory instructions that it may have in flight; nothing without a limit"),
                    (
                        "Failed",
                        "per request",
                        "How often L1D failed to reserve what a miss needs, in the last sample; nothing before the first"
                    ),
                    ("Peak", "in flight", "The most memory instructions in flight in the last sample"),
                    ("So far", "requests", "L1D requests of the sample that is being taken"),
                    ("Peak so far", "in flight", "The most memory instructions in flight in the sample that is being taken"),
                ],
            ),
            rows: (0..self.sms.len()).map(row).collect(),
        }]
    }
}

/// The lowest and the highest cap of a kernel on any SM.
fn range(controls: &Controls, kernel: KernelId) -> [u16; 2] {
    let caps = || controls.sms.iter().map(|sm| sm.memory_cap[kernel].unwrap_or(NO_CAP));
    [caps().min(), caps().max()].map(|cap| cap.unwrap_or(NO_CAP))
}

impl Mil {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Mil { interval: spec.int(SAMPLE_INTERVAL.name) as Cycle, requests: spec.int(SAMPLE.name) as u64, sms: Vec::new() }
    }
}

/// The peak shifted right by the whole failures per request, as the counters of the source do it; none below `RELEASE`.
fn cap(rate: f64, peak: u32) -> u16 {
    if rate < RELEASE {
        return NO_CAP;
    }
    (peak >> (rate as u32).min(31)).clamp(1, u32::from(NO_CAP) - 1) as u16
}

#[cfg(test)]
mod tests {
    use super::super::scheme::Setting;
    use super::*;
    use crate::describe::gpu::presets;
    use crate::interface::controls::WarpOrder;
    use crate::interface::observation::Profile;

    /// 40 in flight: 1.9 failures per request halve it once, 3.2 three times, and nothing is left after six.
    #[test]
    fn each_failure_per_request_halves_the_peak() {
        assert_eq!([1.0, 1.9, 2.0, 3.2, 6.0, 1e9].map(|rate| cap(rate, 40)), [20, 20, 10, 5, 1, 1]);
        assert_eq!(cap(0.99, 40), NO_CAP, "failures are rare");
    }

    /// SM 1 fails three times a request, SM 0 never: each is capped by its own sample. What the store buffer lacks counts for neither. A cap leaves no
    /// more in flight than itself, and rises again with the next peak.
    #[test]
    fn each_sm_is_judged_by_its_own_samples() {
        let gpu = presets::find("tiny-2sm").unwrap();
        let mut mil = Mil::new(&Member::of(&INFO).with("sample", Setting::Int(100)));
        let (profile, mut log, mut controls) = (Profile::default(), Log::new(), Controls::neutral(2, WarpOrder::Lrr));
        let mut on_sm = alloc::vec![alloc::vec![KernelStats::default()]; 2];
        mil.start(&Observation { on_sm: &on_sm, ..Observation::bare(&gpu, 1, &profile) }, &mut controls, &mut log);
        let after = [[40, 80], [8, 10], [40, 80]].map(|peaks| {
            on_sm.iter_mut().for_each(|stats| (stats[0].l1_reads, stats[0].oldest_fails_store) = (stats[0].l1_reads + 100, 4000));
            on_sm[1][0].oldest_fails_miss += 300;
            let peaks = peaks.map(PerKernel::all);
            let seen = Observation { on_sm: &on_sm, peak_in_flight: &peaks, ..Observation::bare(&gpu, 1, &profile) };
            mil.on_interval(&seen, &mut controls, &mut log);
            [0, 1].map(|sm| controls.sms[sm].memory_cap[KernelId(0)].unwrap())
        });
        assert_eq!((after, log.len()), ([[NO_CAP, 10], [NO_CAP, 1], [NO_CAP, 10]], 3));

        // What the last samples said, and the next ones so far.
        on_sm[0][0].l1_writes += 60;
        let peaks = [30, 7].map(PerKernel::all);
        let table = mil.shows(&Observation { on_sm: &on_sm, peak_in_flight: &peaks, ..Observation::bare(&gpu, 1, &profile) }).remove(0);
        let first: [Value; 5] = [Value::Null, 0.0.into(), 40.into(), 60.into(), 30.into()];
        assert_eq!(table.cells(), [first, [10.into(), 3.0.into(), 80.into(), 0.into(), 7.into()]]);
    }
}

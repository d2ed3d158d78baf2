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

use super::spec::{Member, Param};
use super::{AnyPolicy, Policy, PolicyInfo, SAMPLE, SAMPLE_INTERVAL, Samples};
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::seam::controls::Controls;
use crate::seam::decision::{Log, count, decide, topics};
use crate::seam::observation::Observation;
use crate::seam::stats::KernelStats;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "mil",
    title: "MIL: caps on memory instructions",
    source: "Dai et al., HPCA 2018, as CCBP §7.5 compares it",
    doc: "Kernels for which L1D often fails to reserve may have fewer memory instructions in flight",
    params: &[
        SAMPLE,
        SAMPLE_INTERVAL,
        Param::choice(
            "failures",
            &["misses", "all"],
            "misses",
            "misses: of what misses need, MSHRs, merges, ways and the miss queue (CCBP §7.5). all: of the store buffer too",
        ),
        Param::choice(
            "scope",
            &["sm", "gpu"],
            "sm",
            "sm: each SM has samples and caps of its own. gpu: samples of all SMs together, with the highest peak of any, make one cap",
        ),
        Param::choice(
            "peak",
            &["sample", "run"],
            "sample",
            "What a cap is halved from: the most in flight in the sample, or in the whole run",
        ),
        Param::number("release", (0.0, 1000.0), 1.0, "failures per request", "Reservation failures below which a kernel has no cap"),
        Param::int("least", (1, 64), 1, "instructions", "The lowest cap"),
    ],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
    make: |spec| AnyPolicy::Mil(Mil::new(spec)),
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
    stores_count: bool,
    /// Whether all SMs are judged together.
    pooled: bool,
    /// Whether peaks are those of the whole run.
    keeps_peaks: bool,
    release: f64,
    least: u32,
    requests: u64,
    /// One for each SM, or one for all of them.
    groups: Vec<Group>,
}

/// SMs that are judged together.
#[derive(Clone, PartialEq, Debug)]
struct Group {
    sms: Range<usize>,
    /// Counters of each kernel when its present sample began.
    then: Vec<KernelStats>,
    /// The most in flight of each kernel in its sample so far.
    peaks: PerKernel<u32>,
}

impl Group {
    fn new(sms: Range<usize>, seen: &Observation) -> Self {
        let mut group = Group { sms, then: Vec::new(), peaks: PerKernel::all(0) };
        group.then = KernelId::first(seen.kernels).map(|kernel| group.count(seen, kernel)).collect();
        group
    }

    fn count(&self, seen: &Observation, kernel: KernelId) -> KernelStats {
        let mut sum = KernelStats::default();
        self.sms.clone().for_each(|sm| sum += seen.on_sm[sm][kernel.index()]);
        sum
    }

    /// The sample of a kernel, with its peak, if it has `requests` requests on each SM; the next one begins.
    fn take(&mut self, seen: &Observation, kernel: KernelId, requests: u64) -> Option<(KernelStats, u32)> {
        let peak = self.sms.clone().map(|sm| seen.peak_in_flight[sm][kernel]).max().unwrap_or(0).max(self.peaks[kernel]);
        self.peaks[kernel] = peak;
        let now = self.count(seen, kernel);
        let sample = now - self.then[kernel.index()];
        (Samples::requests(&sample) >= requests * self.sms.len() as u64).then(|| {
            self.then[kernel.index()] = now;
            (sample, peak)
        })
    }
}

/// A cap that never limits, so that the machine counts peaks.
const NO_CAP: u16 = u16::MAX;

impl Policy for Mil {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, _log: &mut Log) {
        let sms = seen.gpu.sm_count() as usize;
        let group = |sms| Group::new(sms, seen);
        self.groups = if self.pooled { alloc::vec![group(0..sms)] } else { (0..sms).map(|sm| group(sm..sm + 1)).collect() };
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
            for group in &mut self.groups {
                let Some((sample, peak)) = group.take(seen, kernel, self.requests) else { continue };
                let (failed, asked) = (failures(&sample, self.stores_count), Samples::requests(&sample).max(1));
                let cap = cap(failed as f64 / asked as f64, peak, self.release, self.least);
                controls.sms[group.sms.clone()].iter_mut().for_each(|sm| sm.memory_cap[kernel] = Some(cap));
                judged += group.sms.len() as u32;
                (fails, requests, highest) = (fails + failed, requests + asked, peak.max(highest));
                if !self.keeps_peaks {
                    group.peaks[kernel] = 0;
                }
            }
            let after = range(controls, kernel);
            if after != before {
                let [memory_cap, most] = after.map(|cap| (cap != NO_CAP).then_some(cap.into()));
                let failures = fails as f64 / requests.max(1) as f64;
                decide(log, seen, kernel, MemoryCap { memory_cap, highest: most, sms: judged, failures, peak: highest });
            }
        }
    }
}

/// The lowest and the highest cap of a kernel on any SM.
fn range(controls: &Controls, kernel: KernelId) -> [u16; 2] {
    let caps = || controls.sms.iter().map(|sm| sm.memory_cap[kernel].unwrap_or(NO_CAP));
    [caps().min(), caps().max()].map(|cap| cap.unwrap_or(NO_CAP))
}

impl Mil {
    fn new(spec: &Member) -> Self {
        Mil {
            interval: spec.int(SAMPLE_INTERVAL.name) as Cycle,
            stores_count: spec.choice("failures") == "all",
            pooled: spec.choice("scope") == "gpu",
            keeps_peaks: spec.choice("peak") == "run",
            release: spec.number("release"),
            least: spec.int("least") as u32,
            requests: spec.int(SAMPLE.name) as u64,
            groups: Vec::new(),
        }
    }
}

fn failures(sample: &KernelStats, stores_count: bool) -> u64 {
    sample.oldest_fails_miss + if stores_count { sample.oldest_fails_store } else { 0 }
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
    use super::super::spec::Setting;
    use super::*;
    use crate::describe::gpu::presets;
    use crate::seam::controls::WarpOrder;
    use crate::seam::observation::Profile;

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
        let sample = KernelStats { oldest_fails_miss: 321, oldest_fails_store: 4000, fail_mshr: 9999, ..KernelStats::default() };
        assert_eq!((failures(&sample, false), failures(&sample, true)), (321, 4321));
    }

    /// The caps of kernel 0 on two SMs, after each of three intervals in which it makes 100 requests on each, 300 of which failed on SM 1, with
    /// `peaks` in flight.
    fn caps<const N: usize>(settings: [(&str, Setting); N], peaks: [[u32; 2]; 3]) -> ([[u16; 2]; 3], usize) {
        let gpu = presets::find("tiny-2sm").unwrap();
        let of = Member::of(&INFO).with("sample", Setting::Int(100));
        let spec = settings.into_iter().fold(of, |spec, (name, setting)| spec.with(name, setting));
        let (mut mil, profile, mut log) = (Mil::new(&spec), Profile::default(), Log::new());
        let mut controls = Controls::neutral(2, WarpOrder::Lrr);
        let mut on_sm = alloc::vec![alloc::vec![KernelStats::default()]; 2];
        let limits = [PerKernel::all(8); 2];
        mil.start(&Observation { on_sm: &on_sm, cta_limit: &limits, ..Observation::bare(&gpu, 1, &profile) }, &mut controls, &mut log);
        log.clear();
        let after = peaks.map(|peaks| {
            on_sm.iter_mut().for_each(|stats| stats[0].l1_reads += 100);
            on_sm[1][0].oldest_fails_miss += 300;
            let peaks = peaks.map(PerKernel::all);
            let seen = Observation { on_sm: &on_sm, peak_in_flight: &peaks, ..Observation::bare(&gpu, 1, &profile) };
            mil.on_interval(&seen, &mut controls, &mut log);
            [0, 1].map(|sm| controls.sms[sm].memory_cap[KernelId(0)].unwrap())
        });
        (after, log.len())
    }

    /// SM 1 fails three times a request, SM 0 never: each is capped by its own sample, or both by the 1.5 of all requests. With `release` 0 a
    /// sample without failures leaves its peak as the cap, from which it only comes up again if peaks are those of the run.
    #[test]
    fn each_sm_is_judged_by_its_own_samples() {
        let peaks = [[40, 80], [8, 10], [40, 80]];
        assert_eq!(caps([], peaks), ([[NO_CAP, 10], [NO_CAP, 1], [NO_CAP, 10]], 3));
        let pooled = ("scope", Setting::Choice("gpu"));
        assert_eq!(caps([pooled], peaks), ([[40, 40], [5, 5], [40, 40]], 3));
        let always = ("release", Setting::Number(0.0));
        assert_eq!(caps([always.clone()], peaks).0, [[40, 10], [8, 1], [40, 10]]);
        let of_run = ("peak", Setting::Choice("run"));
        assert_eq!(caps([always, of_run], peaks), ([[40, 10]; 3], 1));
    }
}

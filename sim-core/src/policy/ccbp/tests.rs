//! CCBP on kernels that are formulas: so many requests for each CTA that may issue, no more than their credits.

use super::super::spec::Setting;
use super::*;
use crate::describe::gpu::{Gpu, presets};
use crate::interface::controls::WarpOrder;
use crate::interface::decision::Decision;
use crate::interface::observation::{Alone, By, Needs, Profile};
use alloc::format;
use alloc::string::String;

/// A kernel that makes `appetite` requests for each CTA of an SM in 200 cycles, credits permitting.
#[derive(Clone, Copy)]
struct Fake {
    appetite: f64,
    rf: f64,
    df: f64,
    /// IPC with so many CTAs on every SM and so many requests an interval.
    ipc: fn(f64, f64) -> f64,
    cta: Resources,
}

/// An SM holds eight.
const CTA: Resources = Resources { ctas: 1, threads: 256, registers: 256 * 16, shared_bytes: 0 };

/// With the even combination's four CTAs a quarter of its even share, 8.
const LATENCY: Fake = Fake { appetite: 0.5, rf: 1.0, df: 0.5, ipc: |ctas, _| 10.0 * ctas, cta: CTA };
const NOC: Fake = Fake { appetite: 4.0, rf: 1.0, df: 0.15, ipc: |_, rate| 30.0 + 2.0 * rate, cta: CTA };
const DRAM: Fake = Fake { appetite: 4.0, rf: 0.6, df: 1.5, ipc: |_, rate| 5.0 * rate, cta: CTA };

struct FakeRun {
    gpu: Gpu,
    fakes: Vec<Fake>,
    policy: Ccbp,
    controls: Controls,
    log: Log,
    now: Cycle,
    grid: Vec<u32>,
    total: Vec<KernelStats>,
    profile: Profile,
    /// CTAs that linger on SM 3 although they should go.
    lingering: u32,
    /// When it was asked.
    asked: Vec<Cycle>,
}

impl FakeRun {
    /// Sixteen SMs.
    fn new(fakes: &[Fake], settings: &[(&str, Setting)]) -> FakeRun {
        let mut spec = Member::of(&INFO);
        for (name, setting) in settings {
            spec = spec.with(name, setting.clone());
        }
        FakeRun {
            gpu: presets::find("ccbp-16sm").unwrap(),
            fakes: fakes.to_vec(),
            policy: Ccbp::new(&spec),
            controls: Controls::neutral(16, WarpOrder::Lrr),
            log: Log::new(),
            now: 0,
            grid: alloc::vec![u32::MAX; fakes.len()],
            total: alloc::vec![KernelStats::default(); fakes.len()],
            profile: Profile(alloc::vec![alloc::vec![alloc::vec![Alone { ipc: 100.0, ..Alone::default() }]; fakes.len()]]),
            lingering: 0,
            asked: Vec::new(),
        }
    }

    /// (Requests an interval on an SM, whether more are wanted) under the present controls.
    fn rate(&self, kernel: KernelId) -> (f64, bool) {
        let controls = &self.controls.sms[0];
        let active = controls.cta_target[kernel].min(controls.cta_throttle[kernel]);
        let wanted = self.fakes[kernel.index()].appetite * f64::from(active);
        let credits = controls.miss_credits[kernel].map_or(f64::INFINITY, |credits| f64::from(credits) / 16.0);
        (wanted.min(credits), wanted > credits)
    }

    fn pass(&mut self, cycles: Cycle) {
        self.now += cycles;
        for kernel in KernelId::first(self.fakes.len()) {
            let (rate, fake) = (self.rate(kernel).0, self.fakes[kernel.index()]);
            let ctas = self.controls.sms[0].cta_target[kernel];
            let requests = rate * 16.0 * cycles as f64 / 200.0;
            let total = &mut self.total[kernel.index()];
            *total += KernelStats {
                requests: requests as u64,
                replies: requests as u64,
                read_requests: (requests * fake.rf) as u64,
                reported_dram_accesses: (requests * fake.df) as u64,
                cta_cycles: u64::from(ctas) * 16 * cycles,
                thread_instructions: ((fake.ipc)(ctas.into(), rate) * cycles as f64) as u64,
                ..KernelStats::default()
            };
        }
    }

    fn ask(&mut self, question: fn(&mut Ccbp, &Observation, &mut Controls, &mut Log)) {
        let kernels = self.fakes.len();
        let (mut limit, mut cost) = (PerKernel::all(0), PerKernel::all(Resources::default()));
        let (mut resident, mut queued) = (PerKernel::all(0), PerKernel::all(0));
        for kernel in KernelId::first(kernels) {
            cost[kernel] = self.fakes[kernel.index()].cta;
            limit[kernel] = (1..).take_while(|&n| fit(self.sm(), [(cost[kernel], n)].into_iter())).count() as u32;
            resident[kernel] = self.controls.sms[0].cta_target[kernel].into();
            queued[kernel] = if self.rate(kernel).1 { 5 } else { 0 };
        }
        let mut resident = alloc::vec![resident; 16];
        resident[3][KernelId(1)] += self.lingering;
        let seen = Observation {
            now: self.now,
            grid: &self.grid,
            cta_limit: &[limit; 16],
            cta_cost: &[cost; 16],
            resident: &resident,
            queued: &[queued; 16],
            total: &self.total,
            window: &self.total,
            ..Observation::bare(&self.gpu, kernels, &self.profile)
        };
        question(&mut self.policy, &seen, &mut self.controls, &mut self.log);
    }

    fn run(&mut self) {
        self.ask(Ccbp::start);
        self.go_on(Cycle::MAX);
    }

    fn go_on(&mut self, until: Cycle) {
        while let Some(wait) = self.policy.interval().filter(|_| self.now < until) {
            self.asked.push(self.now + wait);
            self.pass(wait);
            self.ask(Ccbp::on_interval);
            self.check();
            assert!(self.asked.len() < 10_000, "it never settles");
        }
    }

    fn sm(&self) -> Resources {
        Resources::of_class(&self.gpu.sms[0])
    }

    /// What must hold of every decision.
    fn check(&self) {
        let (applied, sm) = (&self.policy.climb.applied, self.sm());
        assert!(self.ctas().iter().all(|&ctas| ctas > 0), "every kernel has a CTA: {:?}", self.ctas());
        if applied.is_empty() {
            return;
        }
        let one_each = self.fakes.iter().map(|fake| (fake.cta, 1));
        let all = self.fakes.iter().map(|fake| fake.cta).zip(self.ctas().into_iter().map(u32::from));
        assert!(!fit(sm, one_each) || fit(sm, all), "{:?} do not fit", self.ctas());
        let units = self.policy.settings.units;
        let total = |of: fn(&Grant) -> f64| applied.iter().map(of).sum::<f64>();
        if self.policy.partitions() {
            assert!(total(|grant| grant.noc) <= units + 1e-6 && total(|grant| grant.dram) <= units + 1e-6, "{applied:?}");
        }
    }

    fn said(&self, part: &str) -> Vec<String> {
        let with_cycle =
            |d: &Decision| format!("{} {}{}", d.cycle, d.kernel.map_or(String::new(), |k| format!("K{}: ", k.0)), d.what.sentence());
        self.log.iter().map(with_cycle).filter(|line| line.contains(part)).collect()
    }

    fn ctas(&self) -> Vec<u16> {
        assert!(self.controls.sms.iter().all(|sm| *sm == self.controls.sms[0]));
        self.controls.sms[0].cta_target.0[..self.fakes.len()].to_vec()
    }

    fn credits(&self) -> Vec<Option<f64>> {
        self.controls.sms[0].miss_credits.0[..self.fakes.len()].iter().map(|c| c.map(|c| f64::from(c) / 16.0)).collect()
    }
}

/// Whether an SM holds so many CTAs of each.
fn fit(sm: Resources, ctas: impl Iterator<Item = (Resources, u32)>) -> bool {
    let mut taken = Resources::default();
    ctas.flat_map(|(cta, count)| core::iter::repeat_n(cta, count as usize)).all(|cta| {
        let fits = taken.fits(cta, sm);
        taken.add(cta);
        fits
    })
}

fn drf() -> (&'static str, Setting) {
    ("variant", Setting::Choice("drf"))
}

/// What should BP + CFD look like? Each step of CCBP §5.4 at its cycle, with its numbers.
#[test]
fn it_learns_step_by_step_and_says_so() {
    let mut fake_run = FakeRun::new(&[LATENCY, NOC], &[drf()]);
    fake_run.run();
    let said: Vec<String> = fake_run.said("");
    assert_eq!(
        said,
        [
            "0 K0: may hold 4 CTAs on each SM while it is measured: its 8 alone, shared by 2",
            "0 K1: may hold 4 CTAs on each SM while it is measured: its 8 alone, shared by 2",
            "70000 K0: reads are 1.00 of its requests (rf), each needs 0.50 DRAM accesses (df): an even share buys 8.0 requests an interval on each SM",
            "70000 K1: reads are 1.00 of its requests (rf), each needs 0.15 DRAM accesses (df): an even share buys 8.0 requests an interval on each SM",
            "90000 K0: is latency-sensitive: wants 2.0 requests an interval, even share 8.0",
            "90000 K1: is NoC-intensive: df/rf 0.150 < 0.757; wants 8.0 requests an interval, even share 8.0",
            "170000 K0: uses 0.6 NoC and 0.4 DRAM units of 20 with each CTA",
            "170000 K1: learned its bandwidth, units of 20: 1 CTA 5.0 NoC and 1.0 DRAM, 2 CTAs 10.0 NoC and 2.0 DRAM, \
             3 CTAs 15.0 NoC and 3.0 DRAM, 4 CTAs 20.0 NoC and 4.0 DRAM",
            "170000 K0: gets 5 CTAs on each SM",
            "170000 K0: gets 3.1 NoC and 2.1 DRAM units of 20: 3.0 requests an interval on each SM",
            "170000 K1: gets 3 CTAs on each SM",
            "170000 K1: gets 15.0 NoC and 3.0 DRAM units of 20: 12.0 requests an interval on each SM",
            "171000 settled: the priority stays 1.00, as the variant says",
        ]
    );
    assert_eq!((fake_run.ctas(), fake_run.credits()), (alloc::vec![5, 3], alloc::vec![Some(3.0), Some(12.0)]));
    assert_eq!(fake_run.controls.sms[0].cta_throttle, PerKernel::all(u16::MAX), "no kernel stays throttled");
    assert!(fake_run.controls.sms[0].miss_queue_split && fake_run.controls.sms[0].miss_rank.0[..2] == [0, 1] && fake_run.policy.settled());
    // Warm-up, factors, skip, one question each 200 cycles of the demand's window, then skip and window for each point.
    let demand = (1..=50).map(|n| 80_000 + 200 * n);
    let points = (1..=8).map(|n| 90_000 + 10_000 * n);
    assert_eq!(fake_run.asked, [50_000, 70_000, 80_000].into_iter().chain(demand).chain(points).chain([171_000]).collect::<Vec<_>>());
}

/// All of it in a tenth of the time, and ten times longer offline.
#[test]
fn lengths_scale_and_stay_whole_intervals() {
    let scaled = |variant, scale| {
        let mut fake_run = FakeRun::new(&[NOC, DRAM], &[("variant", Setting::Choice(variant)), ("time_scale", Setting::Number(scale))]);
        fake_run.run();
        assert!(fake_run.asked.iter().all(|cycle| cycle % 200 == 0));
        fake_run.now
    };
    // 50 + 20 + 10 + 10 thousand, then four points of each kernel, 20 thousand each, and a check whether the allocation is real.
    assert_eq!([scaled("drf", 1.0), scaled("drf", 0.1), scaled("offline", 1.0)], [251_000, 25_200, 2_501_000]);
    assert_eq!(scaled("drf", 0.013), 800 + 400 + 200 + 200 + 8 * 400 + 200);
}

#[test]
fn both_kinds_of_bandwidth_are_handed_out_in_proportion() {
    let mut fake_run = FakeRun::new(&[NOC, DRAM], &[]);
    fake_run.run();
    assert_eq!(
        fake_run.said("is DRAM-intensive"),
        ["90000 K1: is DRAM-intensive: df/rf 2.500 ≥ 0.757; wants 4.0 requests an interval, even share 4.0"]
    );
    assert_eq!(fake_run.said("settled").len(), 1);
    assert!(fake_run.said("settled")[0].contains("no kernel is latency-sensitive"));
    let model = Model::new(&fake_run.gpu, 0.6, 0.7, 200.0);
    let (rates, fakes) = (fake_run.credits(), [NOC, DRAM]);
    let total = |cost: &dyn Fn(f64, Fake) -> f64| rates.iter().zip(fakes).map(|(rate, fake)| cost(rate.unwrap(), fake)).sum::<f64>();
    let noc = total(&|rate, fake| model.noc_bytes(rate, fake.rf)) / model.noc;
    let dram = total(&|rate, fake| model.dram_bytes(rate, fake.df)) / model.dram;
    assert!(noc <= 1.0 && dram <= 1.0 && noc > 0.9 && dram > 0.8, "NoC {noc}, DRAM {dram}");
}

/// Two kernels that suffer from latency: an SM's resources are shared, bandwidth is not (CCBP §7.1).
#[test]
fn without_bandwidth_intensive_kernels_there_are_no_quotas() {
    let mut fake_run = FakeRun::new(&[LATENCY, LATENCY], &[]);
    fake_run.run();
    assert_eq!((fake_run.ctas(), fake_run.credits()), (alloc::vec![4, 4], alloc::vec![None, None]));
    assert!(fake_run.said("settled")[0].contains("all kernels are latency-sensitive"));
}

#[test]
fn a_kernel_without_requests_is_latency_sensitive_and_not_limited_by_nothing() {
    let silent = Fake { appetite: 0.0, ..LATENCY };
    let mut fake_run = FakeRun::new(&[silent, DRAM], &[drf()]);
    fake_run.run();
    assert_eq!(fake_run.said("K0: is"), ["90000 K0: is latency-sensitive: wants 0.0 requests an interval and pays for none"]);
    assert!(fake_run.ctas()[0] >= 4);
    assert_eq!(fake_run.credits()[0], None);
}

#[test]
fn credits_of_latency_sensitive_kernels_can_be_read_in_several_ways() {
    let credits = |settings: &[(&str, Setting)]| {
        let mut fake_run = FakeRun::new(&[LATENCY, NOC], &[&[drf()], settings].concat());
        fake_run.run();
        fake_run.credits()
    };
    let choice = Setting::Choice;
    // Five CTAs of half a request, rounded up; 18.1 units of NoC are handed out, and the rest is 1.9 units or 1.5 requests.
    assert_eq!(credits(&[]), [Some(3.0), Some(12.0)]);
    // No limit but the even share.
    assert_eq!(credits(&[("ls_credit_mode", choice("unlimited"))]), [Some(8.0), Some(12.0)]);
    // What is kept of unused credits is the miss queue's business.
    let mut kept = FakeRun::new(&[LATENCY, NOC], &[drf(), ("credit_carry", Setting::Int(2))]);
    kept.run();
    assert!(kept.controls.sms.iter().all(|sm| sm.credit_carry == 2) && kept.credits() == [Some(3.0), Some(12.0)]);
    // With 19 units of NoC a unit is 0.84 requests: 14 of them 11.79.
    let units = ("units", Setting::Int(19));
    assert_eq!(credits(core::slice::from_ref(&units))[1], Some(11.75));
    assert_eq!(credits(&[units, ("rounding", choice("nearest"))])[1], Some(12.0));
}

/// Against the last lines of CCBP §5.5: from 1.0 downwards, one allocation after the other, until the metric falls.
#[test]
fn the_priority_climbs_until_the_metric_falls() {
    let mut fake_run = FakeRun::new(&[LATENCY, NOC], &[]);
    fake_run.run();
    // 5 CTAs and 12 requests: 2 / (100/50 + 100/54); 6 and 8: 2 / (100/60 + 100/46); 7 and 4: 2 / (100/70 + 100/38).
    assert_eq!(
        fake_run.said("gives"),
        [
            "271000 priority 1.00 gives HSpeedup 0.519",
            "372000 priority 0.80 gives HSpeedup 0.521, best so far 0.519",
            "473000 priority 0.30 gives HSpeedup 0.493, best so far 0.521",
        ]
    );
    assert_eq!(fake_run.said("settled"), ["474000 settled: priority 0.80 is best with HSpeedup 0.521"]);
    assert_eq!((fake_run.ctas(), fake_run.credits()), (alloc::vec![6, 2], alloc::vec![Some(3.0), Some(8.0)]));

    // Of 100 and 200 alone: 2 / (100/50 + 200/54), then less. The first step down is one too many, but the offline variant looks at all of them.
    let tried = |variant| {
        let alone = ("ipc_alone", Setting::Numbers(alloc::vec![100.0, 200.0]));
        let mut fake_run = FakeRun::new(&[LATENCY, NOC], &[("variant", Setting::Choice(variant)), alone]);
        fake_run.run();
        assert_eq!(fake_run.ctas(), [5, 3], "{variant}");
        fake_run.said("gives").len()
    };
    assert_eq!((tried("adj"), tried("offline")), (2, 3));
}

/// 80 CTAs on 16 SMs are five on each: what the others leave is not kept for CTAs that the grid does not have.
#[test]
fn no_kernel_is_granted_more_than_spreads_its_grid_over_the_sms() {
    let ctas = |grid| {
        let mut fake_run = FakeRun::new(&[LATENCY, NOC], &[]);
        fake_run.grid[0] = grid;
        fake_run.run();
        fake_run.ctas()
    };
    assert_eq!([ctas(u32::MAX), ctas(80)], [[6, 2], [5, 3]]);
}

#[test]
fn without_ipc_alone_there_is_no_climb() {
    let none_alone = Alone { ipc: 0.0, ..Alone::default() };
    // Not known, or of no use: a speedup over an IPC of 0 is none.
    for profile in [Profile::default(), Profile(alloc::vec![alloc::vec![alloc::vec![none_alone]; 2]])] {
        let mut fake_run = FakeRun::new(&[LATENCY, NOC], &[]);
        fake_run.profile = profile;
        fake_run.run();
        assert_eq!(fake_run.said("settled"), ["171000 settled: IPC alone is not known: the priority stays 1.00"]);
    }
    assert_eq!(FakeRun::new(&[LATENCY, NOC], &[]).policy.needs(), Needs::of(By::Whole, 50_000));
    let given = [("ipc_alone", Setting::Numbers(alloc::vec![50.0, 50.0]))];
    assert_eq!(FakeRun::new(&[LATENCY, NOC], &given).policy.needs(), Needs::default());
    assert_eq!(FakeRun::new(&[LATENCY, NOC], &[drf()]).policy.needs(), Needs::default());
}

#[test]
fn an_allocation_is_judged_and_kept_once_no_sm_holds_more_than_it_says() {
    let said = |variant, part: &str| {
        let mut fake_run = FakeRun::new(&[LATENCY, NOC], &[("variant", Setting::Choice(variant))]);
        fake_run.lingering = 1;
        fake_run.run();
        fake_run.said(part)
    };
    assert!(said("adj", "gives")[0].starts_with("370000 "), "after 100,000 cycles all the same: {:?}", said("adj", "gives"));
    assert!(said("drf", "settled")[0].starts_with("270000 "), "{:?}", said("drf", "settled"));
}

/// Of an even share of 8 a kernel that sends 6 is latency-sensitive, and one that sends 6.8 is bandwidth-intensive. Where what waits counts
/// too, it is one that asks for more than 8.
#[test]
fn the_type_is_by_requests_sent() {
    let kinds = |appetite: f64, settings: &[(&str, Setting)]| {
        let mut fake_run = FakeRun::new(&[Fake { appetite, ..LATENCY }, NOC], &[&[drf()], settings].concat());
        fake_run.run();
        fake_run.said("K0: is")[0].split(": ").nth(1).map(String::from).unwrap()
    };
    assert_eq!([1.5, 1.7].map(|appetite| kinds(appetite, &[])), ["is latency-sensitive", "is NoC-intensive"]);
    let backlog = [("demand", Setting::Choice("backlog"))];
    assert_eq!(
        [1.5, 1.7, 2.1].map(|appetite| kinds(appetite, &backlog)),
        ["is latency-sensitive", "is latency-sensitive", "is NoC-intensive"]
    );
}

/// Bandwidth becomes a rate by the rf and df with which it was measured: five CTAs of half a request are 2.5 requests.
#[test]
fn a_quota_is_the_demand_that_was_measured_although_the_kernel_has_changed_since_its_factors_were() {
    let mut fake_run = FakeRun::new(&[LATENCY, NOC], &[drf()]);
    fake_run.ask(Ccbp::start);
    fake_run.go_on(70_000);
    fake_run.fakes[0] = Fake { rf: 0.25, df: 0.1, ..LATENCY };
    fake_run.go_on(Cycle::MAX);
    assert_eq!((fake_run.ctas(), fake_run.credits()[0]), (alloc::vec![5, 3], Some(3.0)));
}

#[test]
fn its_parameters_have_the_papers_values() {
    let settings = Settings::new(&Member::of(&INFO));
    assert_eq!((settings.units, NOC_SUSTAINABLE, settings.dram_sustainable, settings.interval), (20.0, 0.6, 0.7, 200));
    assert_eq!((settings.warm_up, settings.factor_window, settings.skip, settings.window), (50_000, 20_000, 10_000, 10_000));
    assert_eq!((settings.priority_window, priority(0), priority(1)), (100_000, 1.0, 0.9));
    assert_eq!((settings.variant, METRIC, INFO.name), (Variant::Adj, "hspeedup", "ccbp"));
}

/// For all kernels and all readings of the open points: the checks of `FakeRun::check` at every decision, and an end.
#[test]
fn no_mix_is_granted_more_than_there_is() {
    let mut kinds = [0; 3];
    for seed in 0..300_u64 {
        let below = |i: u64, n: u64| crate::describe::rng::below(crate::describe::rng::mix(seed, i), n);
        let any = |i: u64, choices: &[f64]| choices[below(i, choices.len() as u64) as usize];
        let fake = |k: u64| Fake {
            appetite: any(20 * k, &[0.0, 0.1, 0.5, 2.0, 8.0]),
            rf: any(20 * k + 1, &[0.0, 0.3, 1.0]),
            df: any(20 * k + 2, &[0.0, 0.02, 0.9, 2.0]),
            ipc: [LATENCY, NOC, DRAM][below(20 * k + 3, 3) as usize].ipc,
            cta: Resources {
                ctas: 1,
                threads: 32 * (1 + below(20 * k + 4, 24) as u32),
                registers: 256 * (1 + below(20 * k + 5, 96) as u32),
                shared_bytes: any(20 * k + 6, &[0.0, 1024.0, 30_000.0]) as u32,
            },
        };
        let fakes: Vec<Fake> = (0..1 + below(1000, 8)).map(fake).collect();
        let choice = |i: u64, name, choices: &[&'static str]| (name, Setting::Choice(choices[below(i, choices.len() as u64) as usize]));
        let settings = [
            choice(1001, "variant", &["drf", "adj", "offline"]),
            choice(1002, "demand", &["sent", "backlog"]),
            choice(1005, "ls_mode", &["strict", "clip"]),
            choice(1008, "ls_credit_mode", &["literal", "unlimited"]),
            choice(1009, "rounding", &["fraction", "nearest"]),
            ("units", Setting::Int(1 + below(1010, 40) as i64)),
            ("time_scale", Setting::Number(0.05)),
        ];
        let mut fake_run = FakeRun::new(&fakes, &settings);
        fake_run.run();
        assert!(fake_run.policy.settled(), "{seed}");
        fake_run.policy.kernels.iter().for_each(|learned| kinds[learned.kind as usize] += 1);
    }
    assert!(kinds.iter().all(|&kind| kind > 50), "all types occur: {kinds:?}");
}

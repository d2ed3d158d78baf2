//! Every setting that a sharing scheme may change while the machine runs. The machine reads this struct and never knows who wrote it;
//! who has read this file knows all that any policy can do.
//!
//! Each field states its unit, its neutral value (the machine behaves as if the field did not exist), where it bites, and what happens
//! to work in flight.

use crate::describe::decode::{Fields, choice, element, int, list, number};
use crate::describe::error::Problems;
use crate::describe::ids::{MAX_KERNELS, PerKernel};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

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
    /// Round robin over kernels, greedy then oldest within each (Maestro, as read by CCBP §7.6).
    LrrGto,
}

/// When warp quotas are filled up again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum QuotaRefill {
    /// Every `quota_interval` cycles.
    #[default]
    Interval,
    /// When every kernel that is resident on the SM and has a quota has spent it (SMK).
    WhenAllSpent,
}

/// All actuators: what concerns the GPU as a whole, and what each SM reads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Controls {
    /// What each SM reads, in the order of their numbers.
    pub sms: Vec<SmControls>,
    /// Order in which kernels are offered room: a kernel is offered only while no kernel of lower rank has CTAs left to place; equal ranks
    /// take turns. Neutral: all equal. Bites at the next placement.
    pub dispatch_rank: PerKernel<u8>,
    /// Rank in the DRAM schedulers, lower first, ahead of row hits and age. Neutral: all equal. Bites at the next scheduling decision.
    pub dram_rank: PerKernel<u8>,
}

/// The actuators of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SmControls {
    /// Whether a kernel may use this SM. Neutral: it may. Bites at the next CTA placement; resident CTAs finish where they are.
    pub allowed: PerKernel<bool>,
    /// Resident CTAs of a kernel, at most. Neutral: `u16::MAX`. Bites at the next placement; CTAs above a lowered target finish.
    pub cta_target: PerKernel<u16>,
    /// CTAs of a kernel that may issue; the youngest beyond it pause. Neutral: `u16::MAX`. Bites in the next cycle; loads in flight
    /// complete, and a paused CTA keeps its resources.
    pub cta_throttle: PerKernel<u16>,
    /// Warp instructions that a kernel may issue between refills. Neutral: `None`, no limit. Bites in the next cycle; loads in flight complete.
    pub warp_quota: PerKernel<Option<u32>>,
    /// When quotas are filled up again: to their full value, nothing carries over.
    pub quota_refill: QuotaRefill,
    /// Core cycles between refills with `QuotaRefill::Interval`, ≥ 1.
    pub quota_interval: u32,
    /// Global memory instructions of a kernel in flight, at most: loads until their last line is there, stores until their last line has
    /// left the LSU. Neutral: `None`, no limit. Bites in the next cycle; instructions in flight complete.
    pub memory_cap: PerKernel<Option<u16>>,
    /// Memory instructions in each round by which kernels take turns at memory: of a scheduler's ready global accesses, those of the kernel
    /// go first that has most of its quota left. When a kernel has used its own up, every kernel gets its quota again on top of what it
    /// has left. Nobody is ever held back for want of quota. Neutral: `None`; such a kernel goes first, and if all are so, only the warp
    /// order counts. Bites in the next cycle, with a new round.
    pub memory_quota: PerKernel<Option<u32>>,
    /// Whether the L1D miss queue is carved into one virtual queue of equal size per kernel (CCBP §5.1), and the store buffer with it. Neutral:
    /// `false`, one FIFO for all. Bites at the next entry; entries already queued keep their places.
    pub miss_queue_split: bool,
    /// Requests that a kernel may send from the miss queue in each credit interval, in sixteenths of a request; the fraction carries over
    /// to the next interval, whole credits do not (CCBP §5.1). Neutral: `None`, no limit. Bites at the next interval's start; queued
    /// requests wait and are never dropped. In an unsplit queue a head without credit holds back the queue.
    pub miss_credits: PerKernel<Option<u32>>,
    /// Core cycles of a credit interval, ≥ 1. CCBP: 200.
    pub credit_interval: u32,
    /// Rank in the miss queue's arbiter, lower first, equal ranks take turns; only in a split queue. Neutral: all equal. Bites at the next grant.
    pub miss_rank: PerKernel<u8>,
    /// L1D ways that a kernel's fills may take, bit `w` for way `w`. Neutral: all ones. Bites at the next fill; lookups hit in every way.
    pub l1_ways: PerKernel<u32>,
    /// Every so many sets of L1D have shadow tags for each kernel, which count by position in the LRU stack what the kernel would hit
    /// if it had the cache to itself (UMON). Neutral: 0, no tags. Bites at the next access; a change starts with empty tags and counts at 0.
    pub l1_monitor: u32,
    /// Order of warps. Neutral: the experiment's. Bites in the next cycle.
    pub warp_order: WarpOrder,
}

impl Controls {
    /// Controls under which the machine shares nothing on purpose.
    pub fn neutral(sms: usize, warp_order: WarpOrder) -> Self {
        Controls { sms: alloc::vec![SmControls::neutral(warp_order); sms], dispatch_rank: PerKernel::all(0), dram_rank: PerKernel::all(0) }
    }

    /// Sets something on every SM alike.
    pub fn each_sm(&mut self, set: impl FnMut(&mut SmControls)) {
        self.sms.iter_mut().for_each(set);
    }
}

impl SmControls {
    /// Controls under which an SM shares nothing on purpose.
    pub fn neutral(warp_order: WarpOrder) -> Self {
        SmControls {
            allowed: PerKernel::all(true),
            cta_target: PerKernel::all(u16::MAX),
            cta_throttle: PerKernel::all(u16::MAX),
            warp_quota: PerKernel([None; MAX_KERNELS]),
            quota_refill: QuotaRefill::Interval,
            quota_interval: 10_000,
            memory_cap: PerKernel([None; MAX_KERNELS]),
            memory_quota: PerKernel([None; MAX_KERNELS]),
            miss_queue_split: false,
            miss_credits: PerKernel([None; MAX_KERNELS]),
            credit_interval: 200,
            miss_rank: PerKernel::all(0),
            l1_ways: PerKernel::all(u32::MAX),
            l1_monitor: 0,
            warp_order,
        }
    }
}

/// Reading and writing controls as data, for the manual policy and the page's sliders.
impl Controls {
    /// Reads controls for `kernels` kernels on `sms` SMs; what is left out is neutral. Lists have one entry per kernel; `cta_target` has one list for
    /// all SMs, or one for each; SM masks are lists of SM numbers; null is "no limit".
    pub fn decode(value: &Value, path: &str, kernels: usize, sms: usize, problems: &mut Problems) -> Option<Controls> {
        let before = problems.0.len();
        let mut controls = Controls::neutral(sms, WarpOrder::Gto);
        // What is said of all SMs alike.
        let mut alike = SmControls::neutral(WarpOrder::Gto);
        let mut fields = Fields::of(value, path, "an object of controls", problems)?;
        if let Some(value) = fields.take("sm_mask") {
            each(value, &fields.path("sm_mask"), kernels, problems, |k, value, path, problems| {
                let Some(items) = list(value, path, 0..=sms, "SM numbers", problems) else { return };
                controls.each_sm(|sm| sm.allowed.0[k] = false);
                for (i, item) in items.iter().enumerate() {
                    if let Some(sm) = int(item, &element(path, i), 0..=sms as i64 - 1, problems) {
                        controls.sms[sm as usize].allowed.0[k] = true;
                    }
                }
            });
        }
        if let Some(value) = fields.take("cta_target") {
            let path = fields.path("cta_target");
            let for_each_sm = matches!(value, Value::Array(items) if items.iter().any(|item| matches!(item, Value::Array(_))));
            if for_each_sm {
                each(value, &path, sms, problems, |sm, value, path, problems| {
                    each(value, path, kernels, problems, |k, value, path, problems| {
                        if let Some(n) = limit(value, path, 0..=64, problems) {
                            controls.sms[sm].cta_target.0[k] = n.map_or(u16::MAX, |n| n as u16);
                        }
                    });
                });
            } else {
                each(value, &path, kernels, problems, |k, value, path, problems| {
                    if let Some(n) = limit(value, path, 0..=64, problems) {
                        controls.each_sm(|sm| sm.cta_target.0[k] = n.map_or(u16::MAX, |n| n as u16));
                    }
                });
            }
        }
        if let Some(value) = fields.take("cta_throttle") {
            each(value, &fields.path("cta_throttle"), kernels, problems, |k, value, path, problems| {
                if let Some(n) = limit(value, path, 0..=64, problems) {
                    alike.cta_throttle.0[k] = n.map_or(u16::MAX, |n| n as u16);
                }
            });
        }
        for (key, ranks) in
            [("dispatch_rank", &mut controls.dispatch_rank), ("miss_rank", &mut alike.miss_rank), ("dram_rank", &mut controls.dram_rank)]
        {
            if let Some(value) = fields.take(key) {
                each(value, &fields.path(key), kernels, problems, |k, value, path, problems| {
                    if let Some(n) = int(value, path, 0..=255, problems) {
                        ranks.0[k] = n as u8;
                    }
                });
            }
        }
        if let Some(value) = fields.take("warp_quota") {
            each(value, &fields.path("warp_quota"), kernels, problems, |k, value, path, problems| {
                if let Some(n) = limit(value, path, 0..=1_000_000_000, problems) {
                    alike.warp_quota.0[k] = n.map(|n| n as u32);
                }
            });
        }
        if let Some(value) = fields.take("memory_cap") {
            each(value, &fields.path("memory_cap"), kernels, problems, |k, value, path, problems| {
                if let Some(n) = limit(value, path, 0..=65_535, problems) {
                    alike.memory_cap.0[k] = n.map(|n| n as u16);
                }
            });
        }
        if let Some(value) = fields.take("memory_quota") {
            each(value, &fields.path("memory_quota"), kernels, problems, |k, value, path, problems| {
                if let Some(n) = limit(value, path, 1..=1_000_000_000, problems) {
                    alike.memory_quota.0[k] = n.map(|n| n as u32);
                }
            });
        }
        if let Some(value) = fields.take("quota_refill") {
            const REFILLS: [(&str, QuotaRefill); 2] = [("interval", QuotaRefill::Interval), ("when_all_spent", QuotaRefill::WhenAllSpent)];
            if let Some(n) = choice(value, &fields.path("quota_refill"), &REFILLS.map(|refill| refill.0), problems) {
                alike.quota_refill = REFILLS[n].1;
            }
        }
        let interval = |n: Option<i64>, neutral: u32| n.map_or(neutral, |n| n as u32);
        alike.quota_interval = interval(fields.int("quota_interval", 1..=1_000_000_000, Some(10_000), problems), 10_000);
        alike.miss_queue_split = fields.flag("miss_queue_split", false, problems);
        if let Some(value) = fields.take("miss_credits") {
            each(value, &fields.path("miss_credits"), kernels, problems, |k, value, path, problems| {
                if *value == Value::Null {
                    alike.miss_credits.0[k] = None;
                } else if let Some(x) = number(value, path, 0.0..=1_000_000.0, problems) {
                    alike.miss_credits.0[k] = Some((x * 16.0) as u32);
                }
            });
        }
        alike.credit_interval = interval(fields.int("credit_interval", 1..=1_000_000, Some(200), problems), 200);
        if let Some(value) = fields.take("l1_ways") {
            each(value, &fields.path("l1_ways"), kernels, problems, |k, value, path, problems| {
                let Some(items) = list(value, path, 1..=32, "way numbers", problems) else { return };
                alike.l1_ways.0[k] = 0;
                for (i, item) in items.iter().enumerate() {
                    if let Some(way) = int(item, &element(path, i), 0..=31, problems) {
                        alike.l1_ways.0[k] |= 1 << way;
                    }
                }
            });
        }
        alike.l1_monitor = fields.int("l1_monitor", 0..=1_000_000, Some(0), problems).unwrap_or(0) as u32;
        if let Some(value) = fields.take("warp_order")
            && let Some(order) = decode_warp_order(value, &fields.path("warp_order"), problems)
        {
            alike.warp_order = order;
        }
        for sm in &mut controls.sms {
            *sm = SmControls { allowed: sm.allowed, cta_target: sm.cta_target, ..alike.clone() };
        }
        fields.finish(problems);
        (problems.0.len() == before).then_some(controls)
    }

    /// The canonical form, which `decode` reads back.
    pub fn encode(&self) -> Value {
        let bits = |mask: u64, count: u32| Value::array((0..count).filter(|i| mask >> i & 1 == 1));
        let all = |ranks: &PerKernel<u8>| Value::array(ranks.0);
        let limit = |n: u16| if n == u16::MAX { Value::Null } else { n.into() };
        let alike = self.sms.first().cloned().unwrap_or(SmControls::neutral(WarpOrder::Gto));
        let allowed = |k: usize| Value::array((0..self.sms.len()).filter(|&sm| self.sms[sm].allowed.0[k]).map(|sm| sm as u32));
        Value::object([
            ("sm_mask", Value::array((0..MAX_KERNELS).map(allowed))),
            ("cta_target", Value::array(self.sms.iter().map(|sm| Value::array(sm.cta_target.0.map(limit))))),
            ("cta_throttle", Value::array(alike.cta_throttle.0.map(limit))),
            ("dispatch_rank", all(&self.dispatch_rank)),
            ("warp_quota", Value::array(alike.warp_quota.0)),
            ("quota_refill", if alike.quota_refill == QuotaRefill::Interval { "interval" } else { "when_all_spent" }.into()),
            ("quota_interval", alike.quota_interval.into()),
            ("memory_cap", Value::array(alike.memory_cap.0.map(|cap| cap.map(u32::from)))),
            ("memory_quota", Value::array(alike.memory_quota.0)),
            ("miss_queue_split", alike.miss_queue_split.into()),
            ("miss_credits", Value::array(alike.miss_credits.0.map(|credits| credits.map(|n| f64::from(n) / 16.0)))),
            ("credit_interval", alike.credit_interval.into()),
            ("miss_rank", all(&alike.miss_rank)),
            ("l1_ways", Value::array(alike.l1_ways.0.map(|mask| bits(mask.into(), 32)))),
            ("l1_monitor", alike.l1_monitor.into()),
            ("dram_rank", all(&self.dram_rank)),
            ("warp_order", encode_warp_order(alike.warp_order).into()),
        ])
    }
}

/// Reads a list of at least `count` elements, one for each kernel or SM; more, up to eight kernels, are the unused rest of a canonical form.
fn each(value: &Value, path: &str, count: usize, problems: &mut Problems, mut read: impl FnMut(usize, &Value, &str, &mut Problems)) {
    let Some(items) = list(value, path, count..=count.max(MAX_KERNELS), "entries, one for each", problems) else { return };
    for (i, item) in items.iter().enumerate().take(count) {
        read(i, item, &element(path, i), problems);
    }
}

/// A whole number in `range`, or null for "no limit".
fn limit(value: &Value, path: &str, range: core::ops::RangeInclusive<i64>, problems: &mut Problems) -> Option<Option<i64>> {
    if *value == Value::Null { Some(None) } else { int(value, path, range, problems).map(Some) }
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

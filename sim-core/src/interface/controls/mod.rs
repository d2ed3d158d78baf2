//! Every setting that a sharing scheme may change while the machine runs. The machine reads these structs and does not know which policy
//! wrote them; this file lists all that any policy can do.
//!
//! To add a control: a line in `controls!` below, and a place in the machine that reads its field. The line gives the field, its neutral
//! value, its JSON form (`data.rs`), the digest, the JSON Schema, the form on the page and the table in
//! `docs/reference/schemes/manual.md`, for which `tests/suite/schemes.rs` prints the row. If an SM derives something from the field, it does so in
//! `Sm::controls_changed`; a GPU-wide field is read where `Machine::step` hands `Controls` over.

mod data;

pub use crate::describe::warp_order::{WARP_ORDER, WARP_ORDERS, WarpOrder, encode_warp_order};

use crate::describe::ids::{KernelId, MAX_KERNELS, PerKernel};
use crate::describe::record::{Absent, Field, Pattern, Shape, record};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Virtual queues into which the miss queue can be split, one for each kernel (CCBP §5.1).
pub const SUB_QUEUES: usize = 8;

/// When quotas are filled up again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum QuotaRefill {
    /// Every `quota_interval` cycles, counted from cycle 0.
    #[default]
    Interval,
    /// When every kernel that is resident on the SM and has a quota has spent it (SMK).
    WhenAllSpent,
    /// `quota_interval` cycles after the last refill, or before, when all have spent theirs (the elastic epoch of Wang et al., ISCA 2017).
    IntervalOrAllSpent,
    /// When `quota_round` changes, and no earlier.
    Round,
}

/// What a refill keeps of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum QuotaCarry {
    /// Nothing: the counter is the quota again.
    #[default]
    Nothing,
    /// What was not used.
    Unused,
    /// What was used too much.
    Overrun,
    /// Either.
    Both,
}

impl QuotaCarry {
    /// A counter after `times` refills in a row, one at least, with a quota.
    pub fn filled(self, left: i64, quota: i64, times: i64) -> i64 {
        match self {
            QuotaCarry::Nothing => quota,
            QuotaCarry::Unused => left.max(0) + times * quota,
            QuotaCarry::Overrun if left.min(0) + (times - 1) * quota <= 0 => left.min(0) + times * quota,
            QuotaCarry::Overrun => quota,
            QuotaCarry::Both => left + times * quota,
        }
    }
}

/// When an instruction is taken from its kernel's quota.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum QuotaCharge {
    /// As it issues.
    #[default]
    Issue,
    /// As it completes: arithmetic and shared-memory accesses when their result is ready, loads with their last line, stores when they have
    /// left the LSU.
    Completion,
}

/// What a control has a value for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The GPU.
    Gpu,
    /// Each kernel.
    Kernel,
    /// Each SM.
    Sm,
    /// Each kernel on each SM.
    KernelOnSm,
}

/// What a control takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// True or false.
    Flag,
    /// A whole number.
    Int {
        /// Least.
        min: u32,
        /// Greatest.
        max: u32,
    },
    /// A whole number, or null for no limit.
    Limit {
        /// Least.
        min: u32,
        /// Greatest.
        max: u32,
    },
    /// Requests, or null for no limit. The machine counts sixteenths: a finer number is rounded down to one.
    Requests {
        /// Greatest.
        max: u32,
    },
    /// A list of numbers, which the machine keeps as a mask.
    Numbers {
        /// Greatest.
        max: u32,
    },
    /// A list of SM numbers for each kernel: a flag on each SM.
    Sms,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// A warp order.
    WarpOrder,
}

impl Kind {
    /// What one value may be.
    const fn shape(self) -> Shape {
        match self {
            Kind::Flag | Kind::Sms => Shape::Flag,
            Kind::Int { min, max } => Shape::Int { min: min as i64, max: max as i64 },
            Kind::Limit { min, max } => Shape::Limit { min: min as i64, max: max as i64 },
            Kind::Requests { max } => Shape::Allowance { max: max as f64 },
            Kind::Numbers { max } => Shape::Numbers { max: max as i64 },
            Kind::Choice(names) => Shape::Choice(names),
            Kind::WarpOrder => Shape::Pattern(&WARP_ORDER),
        }
    }
}

/// Numbers of SMs: one, or a range.
static SMS: Pattern = Pattern {
    regex: "^(0|[1-9][0-9]{0,4})(-(0|[1-9][0-9]{0,4}))?$",
    holds: |text| {
        let number =
            |text: &str| text == "0" || (1..=5).contains(&text.len()) && !text.starts_with('0') && text.bytes().all(|c| c.is_ascii_digit());
        text.split_once('-').map_or_else(|| number(text), |(first, last)| number(first) && number(last))
    },
    want: "a value for an SM such as 0, or for some such as 0-3",
};

/// A value for each kernel; of those on each SM, for all SMs, by SMs, or in an old form a list for each SM.
macro_rules! shape {
    (gpu $kind:expr) => {
        $kind.shape()
    };
    (kernel $kind:expr) => {{
        const OF: Shape = $kind.shape();
        Shape::PerKernel(&OF)
    }};
    (sm $kind:expr) => {{
        const OF: Shape = $kind.shape();
        Shape::Forms { of: &[OF, Shape::Map { keys: &SMS, of: &OF, want: BY_SMS }], want: BY_SMS }
    }};
    (kernel_on_sm $kind:expr) => {{
        const OF: Shape = $kind.shape();
        const EACH: Shape = Shape::PerKernel(&OF);
        const MAP: Shape = Shape::Map { keys: &SMS, of: &EACH, want: BY_SMS };
        const LISTS: Shape = Shape::List { of: &EACH, min: 1, max: MOST_SMS, what: "lists, one for each SM", beyond: "" };
        const NUMBERS: Shape =
            Shape::PerKernel(&Shape::List { of: &Shape::Int { min: 0, max: 255 }, min: 0, max: MOST_SMS, what: "SM numbers", beyond: "" });
        match $kind {
            Kind::Sms => Shape::Forms { of: &[MAP, NUMBERS], want: BY_SMS },
            Kind::Numbers { .. } => Shape::Forms { of: &[MAP, EACH], want: BY_SMS },
            _ => Shape::Forms { of: &[MAP, EACH, LISTS], want: BY_SMS },
        }
    }};
}

const BY_SMS: &str = "an entry for each kernel, or an object of such by SMs";

/// SMs of a GPU, at most.
const MOST_SMS: usize = 256;

record! {
    /// What a policy may set while the machine runs; a control that is left out is neutral.
    pub static CONTROLS_RECORD "Controls", "an object of controls"; each of CONTROLS, field_of
}

const fn field_of(control: &Control) -> Field {
    control.field
}

/// A control's value as a number; `None` is no limit.
type Raw = Option<u32>;

/// Says what a control is, for schemas, forms and docs.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// Its field in JSON: key, values, unit and what it does.
    pub field: Field,
    /// Heading.
    pub title: &'static str,
    /// What it has a value for.
    pub scope: Scope,
    /// What it takes.
    pub kind: Kind,
    /// When it takes effect, and what happens to work in flight.
    pub effect: &'static str,
    get: fn(&Controls, sm: usize, kernel: usize) -> Raw,
    set: fn(&mut Controls, sm: usize, kernel: usize, value: Raw),
}

macro_rules! controls {
    (
        $order:ident;
        gpu { $($g:ident $gkey:literal: $gt:ty = $gn:expr, $gk:expr, $gu:literal, $gtitle:literal, $gdoc:literal, $geffect:literal;)* }
        kernel { $($k:ident $kkey:literal: $kt:ty = $kn:expr, $kk:expr, $ku:literal, $ktitle:literal, $kdoc:literal, $keffect:literal;)* }
        sm { $($s:ident $skey:literal: $st:ty = $sn:expr, $sk:expr, $su:literal, $stitle:literal, $sdoc:literal, $seffect:literal;)* }
        kernel_on_sm { $($f:ident $fkey:literal: $ft:ty = $fn:expr, $fk:expr, $fu:literal, $ftitle:literal, $fdoc:literal, $feffect:literal;)* }
    ) => {
        /// All actuators: what concerns the GPU as a whole, and what each SM reads.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Controls {
            /// What each SM reads, in the order of their numbers.
            pub sms: Vec<SmControls>,
            $(#[doc = concat!($gdoc, ". ", $geffect, " Unit: ", $gu, ". Neutral: `", stringify!($gn), "`.")] pub $g: $gt,)*
            $(#[doc = concat!($kdoc, ". ", $keffect, " Unit: ", $ku, ". Neutral: `", stringify!($kn), "`.")] pub $k: PerKernel<$kt>,)*
        }

        /// The actuators of one SM.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct SmControls {
            $(#[doc = concat!($fdoc, ". ", $feffect, " Unit: ", $fu, ". Neutral: `", stringify!($fn), "`.")] pub $f: PerKernel<$ft>,)*
            $(#[doc = concat!($sdoc, ". ", $seffect, " Unit: ", $su, ". Neutral: `", stringify!($sn), "`.")] pub $s: $st,)*
        }

        impl Controls {
            /// Neutral controls: the machine restricts no kernel.
            pub fn neutral(sms: usize, $order: WarpOrder) -> Self {
                Controls { sms: alloc::vec![SmControls::neutral($order); sms], $($g: $gn,)* $($k: PerKernel::all($kn),)* }
            }
        }

        impl SmControls {
            /// Neutral controls of an SM: it restricts no kernel.
            pub fn neutral($order: WarpOrder) -> Self {
                SmControls { $($f: PerKernel::all($fn),)* $($s: $sn,)* }
            }
        }

        /// Every control.
        pub const CONTROLS: &[Control] = &[
            $(Control {
                field: Field { name: $fkey, shape: shape!(kernel_on_sm $fk), unit: $fu, absent: NEUTRAL, doc: $fdoc },
                title: $ftitle, scope: Scope::KernelOnSm, kind: $fk, effect: $feffect,
                get: |c, sm, kernel| c.sms[sm].$f.0[kernel].raw(),
                set: |c, sm, kernel, value| c.sms[sm].$f.0[kernel] = Number::of(value),
            },)*
            $(Control {
                field: Field { name: $skey, shape: shape!(sm $sk), unit: $su, absent: NEUTRAL, doc: $sdoc },
                title: $stitle, scope: Scope::Sm, kind: $sk, effect: $seffect,
                get: |c, sm, _| c.sms[sm].$s.raw(),
                set: |c, sm, _, value| c.sms[sm].$s = Number::of(value),
            },)*
            $(Control {
                field: Field { name: $kkey, shape: shape!(kernel $kk), unit: $ku, absent: NEUTRAL, doc: $kdoc },
                title: $ktitle, scope: Scope::Kernel, kind: $kk, effect: $keffect,
                get: |c, _, kernel| c.$k.0[kernel].raw(),
                set: |c, _, kernel, value| c.$k.0[kernel] = Number::of(value),
            },)*
            $(Control {
                field: Field { name: $gkey, shape: shape!(gpu $gk), unit: $gu, absent: NEUTRAL, doc: $gdoc },
                title: $gtitle, scope: Scope::Gpu, kind: $gk, effect: $geffect,
                get: |c, _, _| c.$g.raw(),
                set: |c, _, _, value| c.$g = Number::of(value),
            },)*
        ];
    };
}

/// Controls that do nothing to the only kernel of a run whose controls stay.
const BESIDE_OTHERS: [&str; 8] =
    ["dispatch_rank", "placement_rank", "dram_rank", "issue_rank", "miss_rank", "cta_switch", "context_lines", "l1_monitor"];

const NEUTRAL: Absent = Absent::Words("neutral");
const RANK: Kind = Kind::Int { min: 0, max: 255 };
const CTAS: Kind = Kind::Limit { min: 0, max: 64 };

// Field, key in JSON: type = neutral value, what it takes, unit, heading, what it does, when it takes effect and what happens to work in
// flight.
controls! {
    warp_order;
    gpu {}
    kernel {
        dispatch_rank "dispatch_rank": u8 = 0, RANK, "", "Dispatch rank",
            "A kernel is offered room only while no kernel of lower rank has CTAs left to place; equal ranks take turns",
            "Takes effect at the next placement.";
        placement_rank "placement_rank": u8 = 0, RANK, "", "Placement rank",
            "Of the kernels of which an SM could take a CTA, one of the lowest rank goes first; equal ranks take turns, and others take the room that these cannot use",
            "Takes effect at the next placement; resident CTAs stay.";
        dram_rank "dram_rank": u8 = 0, RANK, "", "DRAM rank",
            "Rank in the DRAM schedulers, lower first, ahead of row hits and age",
            "Takes effect at the next scheduling decision.";
        channels "channels": u16 = u16::MAX, Kind::Limit { min: 1, max: 256 }, "DRAM channels", "DRAM channels",
            "Consecutive DRAM channels, with their L2 banks, over which a kernel's lines are spread; kernels whose channels overlap must have the same ones",
            "Takes effect at the next request. L2 drops the kernel's lines.";
        first_channel "first_channel": u16 = 0, Kind::Int { min: 0, max: 255 }, "", "First DRAM channel",
            "The first of these channels; after the GPU's last one comes channel 0",
            "Takes effect at the next request. L2 drops the kernel's lines.";
    }
    sm {
        quota_refill "quota_refill": QuotaRefill = QuotaRefill::Interval, Kind::Choice(&["interval", "when_all_spent", "interval_or_all_spent", "round"]), "", "Quota refill",
            "What fills quotas up again: time; that every resident kernel with a quota has spent it (SMK); either, and time counts from the last refill; or a change of the round",
            "They get their full value, and what Quota carry leaves them.";
        quota_interval "quota_interval": u32 = 10_000, Kind::Int { min: 1, max: 1_000_000_000 }, "cycles", "Quota interval",
            "Time between two refills of quotas",
            "Intervals are counted from cycle 0, or from the last refill if that may come early.";
        quota_round "quota_round": u32 = 0, Kind::Int { min: 0, max: 1_000_000_000 }, "", "Quota round",
            "A number whose change fills all quotas up",
            "Takes effect in the next cycle, with the quotas as they are then.";
        quota_charge "quota_charge": QuotaCharge = QuotaCharge::Issue, Kind::Choice(&["issue", "completion"]), "", "Quotas are charged at",
            "When an instruction is taken from its kernel's quota: as it issues, or as it completes",
            "Takes effect in the next cycle, also for memory instructions in flight.";
        miss_queue_split "miss_queue_split": bool = false, Kind::Flag, "", "Split the miss queue",
            "The L1D miss queue is carved into one virtual queue of equal size for each kernel (CCBP §5.1), and the store buffer with it",
            "Takes effect at the next entry; entries already queued keep their places.";
        credit_interval "credit_interval": u32 = 200, Kind::Int { min: 1, max: 1_000_000 }, "cycles", "Credit interval",
            "Time between two reloads of miss credits",
            "Intervals are counted from cycle 0.";
        credit_carry "credit_carry": u32 = 0, Kind::Int { min: 0, max: 1_000_000 }, "intervals", "Credit carry",
            "Credit intervals for which miss credits that were not used are kept; 0: a reload drops them (CCBP §6.2)",
            "Takes effect at the next interval's start.";
        l1_monitor "l1_monitor": u32 = 0, Kind::Int { min: 0, max: 1_000_000 }, "sets", "L1D monitor",
            "Every so many sets of L1D have shadow tags that count, by position in the LRU stack, what each kernel would hit alone (UMON); 0: none",
            "Takes effect at the next access; a change starts with empty tags and counts at 0.";
        warp_order "warp_order": WarpOrder = warp_order, Kind::WarpOrder, "", "Warp order",
            "In which order a scheduler considers its ready warps",
            "Takes effect in the next cycle.";
    }
    kernel_on_sm {
        allowed "sm_mask": bool = true, Kind::Sms, "SMs", "SMs",
            "SMs on which a kernel's CTAs may be placed",
            "Takes effect at the next placement; resident CTAs finish where they are.";
        cta_target "cta_target": u16 = u16::MAX, CTAS, "CTAs per SM", "CTA target",
            "Resident CTAs of a kernel, at most",
            "Takes effect at the next placement; CTAs above a lowered target finish.";
        cta_switch "cta_switch": bool = false, Kind::Flag, "", "Context switch",
            "CTAs of a kernel beyond its target, or on an SM that it may not use, leave by a context switch, the youngest first, instead of finishing",
            "Takes effect in the next cycle; a CTA that was told to leave leaves when its loads are back, and goes on where there is room.";
        context_lines "context_lines": Option<u32> = None, Kind::Limit { min: 0, max: 1_000_000 }, "lines", "Context lines",
            "Lines of registers and shared memory that a context switch moves of a CTA, at most; 0: the switch takes no time and no bandwidth",
            "Takes effect when a CTA's context begins to leave; the CTA comes back with as many.";
        cta_throttle "cta_throttle": u16 = u16::MAX, CTAS, "CTAs per SM", "CTA throttle",
            "CTAs of a kernel whose warps may issue; the youngest beyond it pause",
            "Takes effect in the next cycle; loads in flight complete, and a paused CTA keeps its resources.";
        warp_quota "warp_quota": Option<u32> = None, Kind::Limit { min: 0, max: 1_000_000_000 }, "warp instructions", "Warp quota",
            "Warp instructions that a kernel may issue between two refills",
            "Takes effect in the next cycle; loads in flight complete.";
        thread_quota "thread_quota": Option<u32> = None, Kind::Limit { min: 0, max: 1_000_000_000 }, "thread instructions", "Thread quota",
            "Thread instructions that a kernel gets at a refill, in place of a warp quota; it issues while anything is left, and may end below zero",
            "Takes effect at the next refill, or in the next cycle for a kernel without a quota before; loads in flight complete.";
        quota_carry "quota_carry": QuotaCarry = QuotaCarry::Nothing, Kind::Choice(&["nothing", "unused", "overrun", "both"]), "", "Quota carry",
            "What a refill keeps of a kernel's quota: nothing, what was not used, what was used too much, or either",
            "Takes effect at the next refill.";
        quota_top_up "quota_top_up": bool = false, Kind::Flag, "", "Quota top-up",
            "A kernel gets its quota on top before the refill whenever all that are resident have spent theirs, where spending fills no quotas up",
            "Takes effect in the next cycle.";
        issue_rank "issue_rank": u8 = 0, RANK, "", "Issue rank",
            "A kernel issues nothing while a resident kernel of lower rank has quota left",
            "Takes effect in the next cycle; loads in flight complete.";
        memory_cap "memory_cap": Option<u16> = None, Kind::Limit { min: 0, max: 65_535 }, "memory instructions", "Memory cap",
            "Global memory instructions of a kernel in flight, at most: loads until their last line is there, stores until theirs has left the LSU",
            "Takes effect in the next cycle; instructions in flight complete.";
        memory_quota "memory_quota": Option<u32> = None, Kind::Limit { min: 1, max: 1_000_000_000 }, "memory instructions", "Memory quota",
            "Memory instructions in a round: of a scheduler's ready accesses, those of the kernel go first that has most left; with none left, all get theirs again on top",
            "Takes effect in the next cycle, with a new round. It stops no kernel; a kernel without a quota goes first.";
        miss_credits "miss_credits": Option<u32> = None, Kind::Requests { max: 1_000_000 }, "requests", "Miss credits",
            "Requests that a kernel may send from the miss queue in a credit interval, in steps of 1/16; a fraction carries over, whole credits do not (CCBP §5.1)",
            "Takes effect at the next interval's start; queued requests wait and are never dropped. In one queue for all, a head without credit holds back the rest.";
        miss_rank "miss_rank": u8 = 0, RANK, "", "Miss-queue rank",
            "Rank in the arbiter of a split miss queue, lower first; equal ranks take turns",
            "Takes effect at the next grant.";
        l1_ways "l1_ways": u32 = u32::MAX, Kind::Numbers { max: 31 }, "ways", "L1D ways",
            "Ways of L1D that a kernel's fills may take",
            "Takes effect at the next fill; lookups hit in every way.";
    }
}

impl Controls {
    /// Sets something on every SM alike.
    pub fn each_sm(&mut self, set: impl FnMut(&mut SmControls)) {
        self.sms.iter_mut().for_each(set);
    }

    /// Holds every CTA target within what its SM may hold of the kernel: a kernel's own CTA limit holds under every policy.
    pub fn keep_limits(&mut self, limits: &[PerKernel<u32>], kernels: usize) {
        for (sm, limit) in self.sms.iter_mut().zip(limits) {
            for (target, &limit) in sm.cta_target.0.iter_mut().zip(&limit.0).take(kernels) {
                *target = (*target).min(limit as u16);
            }
        }
    }

    /// The first of a kernel's DRAM channels and how many they are, on a GPU that has so many.
    pub fn home(&self, kernel: KernelId, channels: u32) -> (u32, u32) {
        let count = u32::from(self.channels[kernel]).min(channels);
        (if count < channels { u32::from(self.first_channel[kernel]) % channels } else { 0 }, count)
    }

    /// Whether one of the first `kernels` kernels has channels of its own.
    pub fn own_channels(&self, kernels: usize, channels: u32) -> bool {
        KernelId::first(kernels).any(|kernel| self.home(kernel, channels).1 < channels)
    }

    /// Two of the first `kernels` kernels that share some of their DRAM channels but not all, if there are any. An L2 bank numbers its lines by their
    /// kernel's channels, so that lines of these two would have one number.
    pub fn mixed_homes(&self, kernels: usize, channels: u32) -> Option<[KernelId; 2]> {
        let mixed = |(a, b): (KernelId, KernelId)| {
            let (a, b) = (self.home(a, channels), self.home(b, channels));
            let has = |(first, count): (u32, u32), channel: u32| (channel + channels - first) % channels < count;
            a != b && (has(a, b.0) || has(b, a.0))
        };
        let pairs = KernelId::first(kernels).flat_map(|a| KernelId::first(a.index()).map(move |b| (b, a)));
        pairs.filter(|&pair| mixed(pair)).map(|(a, b)| [a, b]).next()
    }

    /// Whether an SM's miss queue is to be split among more kernels than it has virtual queues.
    pub fn split_too_far(&self, kernels: usize) -> bool {
        kernels > SUB_QUEUES && self.sms.iter().any(|sm| sm.miss_queue_split)
    }

    /// What these leave `kernel`, as controls of a run in which it is the only one. Neutral are those that only matter beside others or when controls
    /// change, CTA targets of at least `most`, and channels that are all of the GPU's.
    pub fn of_one(&self, kernel: KernelId, most: &[PerKernel<u32>], channels: u32) -> Controls {
        let neutral = Controls::neutral(1, WarpOrder::default());
        let mut one = self.clone();
        for control in CONTROLS {
            for (sm, _) in control.places(self.sms.len(), 1) {
                let beside_others = BESIDE_OTHERS.contains(&control.field.name);
                let value = if beside_others { (control.get)(&neutral, 0, 0) } else { (control.get)(self, sm, kernel.index()) };
                (control.set)(&mut one, sm, 0, value);
            }
        }
        for (sm, most) in one.sms.iter_mut().zip(most) {
            if u32::from(sm.cta_target.0[0]) >= most[kernel] {
                sm.cta_target.0[0] = u16::MAX;
            }
        }
        if self.home(kernel, channels).1 == channels {
            (one.channels.0[0], one.first_channel.0[0]) = (u16::MAX, 0);
        }
        one.keep_kernels(1);
        one
    }

    /// Resets every control of kernels beyond the first `kernels`, which do not exist, to neutral.
    pub fn keep_kernels(&mut self, kernels: usize) {
        let neutral = Controls::neutral(1, WarpOrder::default());
        for control in CONTROLS.iter().filter(|control| control.scope.is_of_kernel()) {
            for (sm, kernel) in control.places(self.sms.len(), MAX_KERNELS).filter(|&(_, kernel)| kernel >= kernels) {
                (control.set)(self, sm, kernel, (control.get)(&neutral, 0, kernel));
            }
        }
    }

    /// Feeds what is not neutral for the first `kernels` kernels to `state`, so that an unused control does not change digests.
    pub fn hash_set(&self, kernels: usize, state: &mut impl Hasher) {
        let neutral = Controls::neutral(1, WarpOrder::default());
        for control in CONTROLS {
            for (sm, kernel) in control.places(self.sms.len(), kernels) {
                let value = (control.get)(self, sm, kernel);
                if value != (control.get)(&neutral, 0, kernel) {
                    control.field.name.hash(state);
                    (sm as u32, kernel as u32, value).hash(state);
                }
            }
        }
    }
}

impl SmControls {
    /// A kernel's instruction quota, if it has one.
    pub fn quota(&self, kernel: KernelId) -> Option<u32> {
        self.thread_quota[kernel].or(self.warp_quota[kernel])
    }

    /// CTAs that a kernel may hold here.
    pub fn may_hold(&self, kernel: KernelId) -> u32 {
        if self.allowed[kernel] { self.cta_target[kernel].into() } else { 0 }
    }
}

impl Scope {
    /// Whether there is a value for each SM.
    pub fn is_on_sm(self) -> bool {
        matches!(self, Scope::Sm | Scope::KernelOnSm)
    }

    /// Whether there is a value for each kernel.
    pub fn is_of_kernel(self) -> bool {
        matches!(self, Scope::Kernel | Scope::KernelOnSm)
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Scope::Gpu => "GPU",
            Scope::Kernel => "kernel",
            Scope::Sm => "SM",
            Scope::KernelOnSm => "kernel on SM",
        }
    }
}

impl Control {
    /// Whether it is not the same for the first kernel in both.
    pub fn differs(&self, one: &Controls, other: &Controls) -> bool {
        self.places(one.sms.len(), 1).any(|(sm, kernel)| (self.get)(one, sm, kernel) != (self.get)(other, sm, kernel))
    }

    /// SM and kernel of each value; 0 for a scope that the control does not have.
    fn places(&self, sms: usize, kernels: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let sms = if self.scope.is_on_sm() { sms } else { 1 };
        let kernels = if self.scope.is_of_kernel() { kernels } else { 1 };
        (0..sms).flat_map(move |sm| (0..kernels).map(move |kernel| (sm, kernel)))
    }
}

/// What can be the value of a control.
trait Number {
    fn raw(self) -> Raw;
    fn of(raw: Raw) -> Self;
}

impl Number for u8 {
    fn raw(self) -> Raw {
        Some(self.into())
    }
    fn of(raw: Raw) -> Self {
        raw.unwrap_or(0) as u8
    }
}

/// The greatest number stands for no limit.
impl Number for u16 {
    fn raw(self) -> Raw {
        (self != u16::MAX).then_some(self.into())
    }
    fn of(raw: Raw) -> Self {
        raw.map_or(u16::MAX, |n| n as u16)
    }
}

impl Number for u32 {
    fn raw(self) -> Raw {
        Some(self)
    }
    fn of(raw: Raw) -> Self {
        raw.unwrap_or(0)
    }
}

impl Number for bool {
    fn raw(self) -> Raw {
        Some(self.into())
    }
    fn of(raw: Raw) -> Self {
        raw == Some(1)
    }
}

impl Number for Option<u32> {
    fn raw(self) -> Raw {
        self
    }
    fn of(raw: Raw) -> Self {
        raw
    }
}

impl Number for Option<u16> {
    fn raw(self) -> Raw {
        self.map(u32::from)
    }
    fn of(raw: Raw) -> Self {
        raw.map(|n| n as u16)
    }
}

/// Choices by their place in the list of names.
macro_rules! choices {
    ($($Type:ident: $first:ident $(, $other:ident)*;)*) => { $(impl Number for $Type {
        fn raw(self) -> Raw {
            Some(self as u32)
        }
        fn of(raw: Raw) -> Self {
            $(if raw == Some($Type::$other as u32) {
                return $Type::$other;
            })*
            $Type::$first
        }
    })* };
}
choices! {
    QuotaRefill: Interval, WhenAllSpent, IntervalOrAllSpent, Round;
    QuotaCarry: Nothing, Unused, Overrun, Both;
    QuotaCharge: Issue, Completion;
}

/// The orders without a group, then those with groups by their size, at most 64.
impl Number for WarpOrder {
    fn raw(self) -> Raw {
        Some(match self {
            WarpOrder::Lrr => 0,
            WarpOrder::Gto => 1,
            WarpOrder::LrrGto => 2,
            WarpOrder::TwoLevel(size) => 2 + u32::from(size),
            WarpOrder::GtoGroups(size) => 66 + u32::from(size),
            WarpOrder::Gty => 131,
        })
    }
    fn of(raw: Raw) -> Self {
        match raw.unwrap_or(0) {
            0 => WarpOrder::Lrr,
            1 => WarpOrder::Gto,
            2 => WarpOrder::LrrGto,
            n @ 3..=66 => WarpOrder::TwoLevel((n - 2) as u8),
            131 => WarpOrder::Gty,
            n => WarpOrder::GtoGroups((n - 66) as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a share is the kernel's own; what stands between kernels is gone.
    #[test]
    fn the_controls_of_one_kernel_are_those_of_its_share() {
        let mut both = Controls::neutral(4, WarpOrder::Gto);
        let (first, second) = (KernelId(0), KernelId(1));
        for (number, sm) in both.sms.iter_mut().enumerate() {
            (sm.allowed[first], sm.allowed[second]) = (number < 3, number == 3);
            (sm.cta_target[first], sm.cta_target[second]) = (8, 2);
            (sm.issue_rank[second], sm.cta_switch[second]) = (1, true);
        }
        (both.channels[second], both.first_channel[second], both.dram_rank[second]) = (2, 6, 3);
        let most = alloc::vec![PerKernel::all(8); 4];
        let mut wanted = Controls::neutral(4, WarpOrder::Gto);
        wanted.sms.iter_mut().take(3).for_each(|sm| sm.allowed[first] = false);
        wanted.sms.iter_mut().for_each(|sm| sm.cta_target[first] = 2);
        (wanted.channels[first], wanted.first_channel[first]) = (2, 6);
        assert_eq!(both.of_one(second, &most, 8), wanted);
        both.sms.iter_mut().for_each(|sm| sm.allowed[first] = true);
        assert_eq!(both.of_one(first, &most, 8), Controls::neutral(4, WarpOrder::Gto), "a target that binds nobody");
        assert!(BESIDE_OTHERS.iter().all(|name| CONTROLS.iter().any(|control| control.field.name == *name)));
    }

    /// Several refills at once are as many in a row.
    #[test]
    fn refills_that_were_missed_are_made_up_for() {
        for carry in [QuotaCarry::Nothing, QuotaCarry::Unused, QuotaCarry::Overrun, QuotaCarry::Both] {
            for left in [-100, -25, -20, -1, 0, 1, 30] {
                for times in 1..=8 {
                    let in_a_row = (0..times).fold(left, |left, _| carry.filled(left, 10, 1));
                    assert_eq!(carry.filled(left, 10, times), in_a_row, "{carry:?}, {left}, {times}");
                }
            }
        }
    }
}

//! CCBP's parameters: lengths of the time-line, and one for each point that the paper leaves open.

use super::super::spec::{Absent, Member, Param, Shape};
use super::super::{AnyPolicy, PROFILE_CYCLES, PolicyInfo};
use super::Ccbp;
use super::topics::TOPICS;
use crate::describe::ids::{Cycle, KernelId};
use alloc::format;
use alloc::vec::Vec;

const WINDOW: (i64, i64) = (200, 100_000_000);

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "ccbp",
    title: "CCBP: CTAs and bandwidth together",
    source: "CCBP §5",
    doc: "Learns what each kernel is and needs, then hands out CTAs and NoC and DRAM bandwidth by dominant resource fairness",
    params: &[
        Param::choice(
            "variant",
            &["drf", "adj", "offline"],
            "adj",
            "drf: learns online and keeps the priority. adj: then the priority goes down while the metric goes up. offline: longer windows, every priority tried",
        ),
        Param::number(
            "priority",
            (0.01, 1.0),
            1.0,
            "",
            "Factor on the dominant share of latency-sensitive kernels, priorLSK: less prefers them (CCBP §5.5). Kept, or where the search begins",
        ),
        Param::choice("metric", &["hspeedup", "wspeedup"], "hspeedup", "What the priority maximises (CCBP §5.5)"),
        Param {
            name: "ipc_alone",
            shape: Shape::PerKernel(&Shape::Number { min: 0.001, max: 1e6 }),
            unit: "thread instructions per cycle",
            absent: Absent::Words("measured before the run"),
            doc: "IPC of each kernel alone, which the metric needs",
        },
        PROFILE_CYCLES,
        Param::int("units", (1, 1000), 20, "units", "Parts that each bandwidth is divided into, M (CCBP §5.2)"),
        Param::number("noc_sustainable", (0.01, 1.0), 0.6, "of the peak", "NoC bandwidth that can be sustained (CCBP §3)"),
        Param::number("dram_sustainable", (0.01, 1.0), 0.7, "of the peak", "DRAM bandwidth that can be sustained (CCBP §3)"),
        Param::int("credit_interval", (1, 100_000), 200, "cycles", "Time between two reloads of the credits (CCBP §5.1)"),
        Param::int(
            "credit_carry",
            (0, 1000),
            0,
            "intervals",
            "Intervals for which credits that were not used are kept; 0: a reload drops them (CCBP §6.2)",
        ),
        Param::number(
            "time_scale",
            (0.001, 100.0),
            1.0,
            "×",
            "Multiplies every length below; much less than 1 judges kernels by how they begin",
        ),
        Param::int("warm_up", WINDOW, 50_000, "cycles", "Before anything is counted (CCBP §5.4)"),
        Param::int("factor_window", WINDOW, 20_000, "cycles", "For rf and df (CCBP §5.4)"),
        Param::int("skip", WINDOW, 10_000, "cycles", "Left out after a change, before the next window (CCBP §5.4)"),
        Param::int("window", WINDOW, 10_000, "cycles", "For the demand, and for each CTA count of a curve (CCBP §5.4)"),
        Param::int("priority_window", WINDOW, 100_000, "cycles", "For each priority that is tried (CCBP §5.5)"),
        Param::int(
            "drain_limit",
            WINDOW,
            100_000,
            "cycles",
            "Longest wait for CTAs beyond a new combination to finish, before it is judged",
        ),
        Param::number(
            "offline_factor",
            (1.0, 1000.0),
            10.0,
            "×",
            "How much longer the offline variant measures (CCBP §5.4); not the priorities",
        ),
        Param::choice(
            "demand",
            &["backlog", "starved"],
            "backlog",
            "When a kernel counts as bandwidth-intensive. backlog: requests sent in an interval and left waiting at its end reach the even share. starved: requests wait at the end of at least half of the intervals",
        ),
        Param::choice(
            "factors",
            &["measured", "first"],
            "measured",
            "rf and df that turn bandwidth back into a rate. measured: those with which that bandwidth was measured, at the nearest CTA count; first: those of the factor window",
        ),
        Param::choice(
            "curve_points",
            &["auto", "all"],
            "auto",
            "CTA counts at which bandwidth is measured. auto: all up to six, of more 1, 2, half and all, and lines between; all: every one",
        ),
        Param::choice(
            "ls_mode",
            &["strict", "clip"],
            "strict",
            "A latency-sensitive kernel's next CTA, when its bandwidth does not fit. strict: refused. clip: placed, with what is left",
        ),
        Param::choice(
            "on_rejection",
            &["drop", "stop"],
            "drop",
            "The first grant that does not fit ends that kernel's allocation, or that of all kernels",
        ),
        Param::choice(
            "bi_growth",
            &["one", "enough"],
            "one",
            "CTAs that a bandwidth-intensive kernel gets with a unit that its CTAs cannot use: one, or as many as use it",
        ),
        Param::flag("ls_slots", false, "CTA slots count among the resources whose greatest share a latency-sensitive kernel is judged by"),
        Param::flag(
            "reserve_cta",
            true,
            "Room for one CTA is kept for each kernel that has none yet. Without it such a kernel waits for room",
        ),
        Param::choice(
            "ls_credit_mode",
            &["literal", "residual", "unlimited"],
            "literal",
            "Credits of latency-sensitive kernels: their measured demand, that and what is left over, or no limit",
        ),
        Param::choice(
            "rounding",
            &["fraction", "nearest"],
            "fraction",
            "Credits in sixteenths that carry over, or in whole requests, at least one",
        ),
        Param::choice(
            "ls_rounding",
            &["up", "same"],
            "up",
            "Credits of latency-sensitive kernels: rounded up to whole requests, or as the others'",
        ),
        Param::flag("ls_first", true, "The miss queue's arbiter prefers latency-sensitive kernels (CCBP §6.2)"),
        Param::number("priority_step", (0.01, 1.0), 0.1, "", "Step from one priority to the next (CCBP §5.5)"),
        Param::number("priority_floor", (0.01, 1.0), 0.1, "", "Last priority that is tried"),
    ],
    topics: TOPICS,
    check: |_, mix, problems| {
        let fits = |kernel: &KernelId| mix.limits.iter().all(|limit| limit[*kernel] > 0);
        for kernel in KernelId::first(mix.kernels).filter(|kernel| !fits(kernel)) {
            let found = format!("kernel {}, whose CTAs do not fit every SM class", kernel.0);
            problems.add(mix.path, found, "kernels that fit every SM: CCBP gives all SMs one combination of CTAs (§5.2)");
        }
    },
    make: |spec| AnyPolicy::Ccbp(Ccbp::new(spec)),
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    Drf,
    Adj,
    Offline,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LsCredits {
    Literal,
    Residual,
    Unlimited,
}

/// Parameters as the policy uses them; lengths are scaled already.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    pub variant: Variant,
    pub weighted: bool,
    pub ipc_alone: Vec<f64>,
    pub profile_cycles: Cycle,
    pub units: f64,
    pub sustainable: (f64, f64),
    pub interval: Cycle,
    pub carry: u32,
    pub warm_up: Cycle,
    pub factor_window: Cycle,
    pub skip: Cycle,
    pub window: Cycle,
    pub priority_window: Cycle,
    pub drain_limit: Cycle,
    pub poll: Cycle,
    pub starved: bool,
    pub measured_factors: bool,
    pub every_point: bool,
    pub clip: bool,
    pub stop_at_first: bool,
    pub grow_enough: bool,
    pub count_slots: bool,
    pub reserve_cta: bool,
    pub ls_credits: LsCredits,
    pub whole_credits: bool,
    pub ls_up: bool,
    pub ls_first: bool,
    pub priority: f64,
    pub step: f64,
    pub floor: f64,
}

impl Settings {
    /// As `spec` says.
    pub fn new(spec: &Member) -> Self {
        let variant = match spec.choice("variant") {
            "drf" => Variant::Drf,
            "offline" => Variant::Offline,
            _ => Variant::Adj,
        };
        let scale = spec.number("time_scale");
        let detection = scale * if variant == Variant::Offline { spec.number("offline_factor") } else { 1.0 };
        let interval = spec.int("credit_interval") as Cycle;
        // Whole credit intervals, so that every window begins and ends with one.
        let cycles = |cycles: i64, scale: f64| ((cycles as f64 * scale) as Cycle).max(1).next_multiple_of(interval);
        Settings {
            variant,
            weighted: spec.choice("metric") == "wspeedup",
            ipc_alone: spec.numbers("ipc_alone").to_vec(),
            profile_cycles: spec.int(PROFILE_CYCLES.name) as Cycle,
            units: spec.int("units") as f64,
            sustainable: (spec.number("noc_sustainable"), spec.number("dram_sustainable")),
            interval,
            carry: spec.int("credit_carry") as u32,
            warm_up: cycles(spec.int("warm_up"), detection),
            factor_window: cycles(spec.int("factor_window"), detection),
            skip: cycles(spec.int("skip"), detection),
            window: cycles(spec.int("window"), detection),
            priority_window: cycles(spec.int("priority_window"), scale),
            drain_limit: cycles(spec.int("drain_limit"), scale),
            poll: cycles(1000, scale),
            starved: spec.choice("demand") == "starved",
            measured_factors: spec.choice("factors") == "measured",
            every_point: spec.choice("curve_points") == "all",
            clip: spec.choice("ls_mode") == "clip",
            stop_at_first: spec.choice("on_rejection") == "stop",
            grow_enough: spec.choice("bi_growth") == "enough",
            count_slots: spec.flag("ls_slots"),
            reserve_cta: spec.flag("reserve_cta"),
            ls_credits: match spec.choice("ls_credit_mode") {
                "residual" => LsCredits::Residual,
                "unlimited" => LsCredits::Unlimited,
                _ => LsCredits::Literal,
            },
            whole_credits: spec.choice("rounding") == "nearest",
            ls_up: spec.choice("ls_rounding") == "up",
            ls_first: spec.flag("ls_first"),
            priority: spec.number("priority"),
            step: spec.number("priority_step"),
            floor: spec.number("priority_floor"),
        }
    }
}

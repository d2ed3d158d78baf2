//! CCBP's parameters: lengths of the time-line, and one for each point that the paper leaves open and on which a result depends.

use super::super::scheme::{Absent, Member, PROFILE_CYCLES, Param, PolicyInfo, Shape};
use super::topics::TOPICS;
use crate::describe::goal::LEAST_RATE;
use crate::describe::ids::{Cycle, KernelId};
use crate::interface::controls::SUB_QUEUES;
use alloc::format;
use alloc::vec::Vec;

const WINDOW: (i64, i64) = (200, 100_000_000);

/// The parts of their peaks that a crossbar and DRAM can sustain (Lin et al. 2019, CCBP, §3).
pub const NOC_SUSTAINABLE: f64 = 0.6;
const DRAM_SUSTAINABLE: f64 = 0.7;

/// The part of its even share from which on a kernel's requests are "equal or higher" (CCBP §5.4). One that is held to the share sends a
/// little less, as credits that it leaves in an interval are lost.
pub const INTENSIVE: f64 = 0.8;

/// What the priority maximises.
pub const METRIC: &str = "hspeedup";

/// Cycles in which rf and df are counted, and those after which a new combination is judged in any case.
const FACTOR_WINDOW: i64 = 20_000;
const DRAIN_LIMIT: i64 = 100_000;

/// How much longer the offline variant measures.
const OFFLINE_FACTOR: f64 = 10.0;

/// From one priority to the next, beginning with 1, and the last.
pub const STEP: f64 = 0.1;
pub const FLOOR: f64 = 0.1;

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
        Param::constant(
            "priority",
            Absent::Number(1.0),
            "Factor on the dominant share of latency-sensitive kernels, priorLSK: kept under drf, and where the search begins (CCBP §5.5)",
        ),
        Param::constant(
            "metric",
            Absent::Name(METRIC),
            "What the priority maximises: of the two metrics of CCBP §5.5 the one of the report's headline; no report asks for the other",
        ),
        Param {
            name: "ipc_alone",
            shape: Shape::PerKernel(&Shape::Number { min: LEAST_RATE, max: 1e6 }),
            unit: "thread instructions per cycle",
            absent: Absent::Words("measured before the run"),
            doc: "IPC of each kernel alone, which the metric needs",
        },
        PROFILE_CYCLES,
        Param::int("units", (1, 1000), 20, "units", "Parts that each bandwidth is divided into, M (CCBP §5.2)"),
        Param::constant(
            "noc_sustainable",
            Absent::Number(NOC_SUSTAINABLE),
            "Part of the NoC's peak bandwidth that can be sustained (CCBP §3)",
        ),
        Param::number("dram_sustainable", (0.01, 1.0), DRAM_SUSTAINABLE, "of the peak", "DRAM bandwidth that can be sustained (CCBP §3)"),
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
        Param::constant("factor_window", Absent::Int(FACTOR_WINDOW), "Cycles in which rf and df are counted (CCBP §5.4)"),
        Param::int("skip", WINDOW, 10_000, "cycles", "Left out after a change, before the next window (CCBP §5.4)"),
        Param::int("window", WINDOW, 10_000, "cycles", "For the demand, and for each CTA count of a curve (CCBP §5.4)"),
        Param::int("priority_window", WINDOW, 100_000, "cycles", "For each priority that is tried (CCBP §5.5)"),
        Param::constant(
            "drain_limit",
            Absent::Int(DRAIN_LIMIT),
            "Longest wait, in cycles, for CTAs beyond a new combination to finish. With two million HSpeedup of nine pairs moved by 0.2 % in the mean",
        ),
        Param::constant(
            "offline_factor",
            Absent::Number(OFFLINE_FACTOR),
            "How much longer the offline variant measures, but for the priorities (CCBP §5.4)",
        ),
        Param::choice(
            "demand",
            &["sent", "backlog"],
            "sent",
            "What makes a kernel bandwidth-intensive. sent: the requests that it sends come to four fifths of its even share. backlog: what it sends in an interval and what waits at its end reach the even share",
        ),
        Param::constant(
            "factors",
            Absent::Name("measured"),
            "Bandwidth becomes a rate by the rf and df with which it was measured, at the nearest CTA count, so that a quota is the demand that it stands for. Those of the factor window moved BP+SRT by -2.6 % and PF+FTD by 2.4 %",
        ),
        Param::constant(
            "curve_points",
            Absent::Name("auto"),
            "Bandwidth is measured at all CTA counts up to six, of more at 1, 2, half and all (\"CTA numbers of interest\", CCBP §5.4)",
        ),
        Param::choice(
            "ls_mode",
            &["strict", "clip"],
            "clip",
            "A latency-sensitive kernel's next CTA, when its bandwidth does not fit. strict: refused. clip: placed, with what is left (Table 3)",
        ),
        Param::constant("on_rejection", Absent::Name("drop"), "What does not fit ends that kernel's allocation alone (Algorithm 1)"),
        Param::constant(
            "bi_growth",
            Absent::Name("one"),
            "With a unit that its CTAs cannot use, a bandwidth-intensive kernel gets one CTA more (Algorithm 1)",
        ),
        Param::constant(
            "ls_slots",
            Absent::Flag(false),
            "A latency-sensitive kernel is judged by registers, shared memory and threads, not by CTA slots (CCBP §5.5)",
        ),
        Param::constant(
            "reserve_cta",
            Absent::Flag(true),
            "Room for one CTA is kept for each kernel that has none yet, so that none starves. Without it HSpeedup of 24 pairs was equal to three digits",
        ),
        Param::choice(
            "ls_credit_mode",
            &["literal", "unlimited"],
            "literal",
            "Credits of latency-sensitive kernels: their measured demand, or no limit below their even share of both bandwidths",
        ),
        Param::choice(
            "rounding",
            &["fraction", "nearest"],
            "fraction",
            "Credits in sixteenths that carry over, or in whole requests, at least one",
        ),
        Param::constant(
            "ls_rounding",
            Absent::Name("up"),
            "Credits of latency-sensitive kernels are rounded up to whole requests: their quota is a measured mean",
        ),
        Param::constant("ls_first", Absent::Flag(true), "The miss queue's arbiter prefers latency-sensitive kernels (CCBP §6.2)"),
        Param::constant("priority_step", Absent::Number(STEP), "Step from one priority to the next (CCBP §5.5)"),
        Param::constant(
            "priority_floor",
            Absent::Number(FLOOR),
            "The last priority that is tried: at 0 latency-sensitive kernels would take all",
        ),
    ],
    topics: TOPICS,
    check: |_, mix, problems| {
        if mix.kernels > SUB_QUEUES {
            mix.sub_queues(mix.path, problems);
        }
        let fits = |kernel: &KernelId| mix.limits.iter().all(|limit| limit[*kernel] > 0);
        for kernel in KernelId::first(mix.kernels).filter(|kernel| !fits(kernel)) {
            let found = format!("kernel {}, whose CTAs do not fit every SM class", kernel.0);
            problems.add(mix.path, found, "kernels that fit every SM: CCBP gives all SMs one combination of CTAs (§5.2)");
        }
    },
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
    Unlimited,
}

/// Parameters as the policy uses them; lengths are scaled already.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    pub variant: Variant,
    pub ipc_alone: Vec<f64>,
    pub profile_cycles: Cycle,
    pub units: f64,
    pub dram_sustainable: f64,
    pub interval: Cycle,
    pub carry: u32,
    pub warm_up: Cycle,
    pub factor_window: Cycle,
    pub skip: Cycle,
    pub window: Cycle,
    pub priority_window: Cycle,
    pub drain_limit: Cycle,
    pub poll: Cycle,
    pub backlog: bool,
    pub clip: bool,
    pub ls_credits: LsCredits,
    pub whole_credits: bool,
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
        let detection = scale * if variant == Variant::Offline { OFFLINE_FACTOR } else { 1.0 };
        let interval = spec.int("credit_interval") as Cycle;
        // Whole credit intervals, so that every window begins and ends with one.
        let cycles = |cycles: i64, scale: f64| ((cycles as f64 * scale) as Cycle).max(1).next_multiple_of(interval);
        Settings {
            variant,
            ipc_alone: spec.numbers("ipc_alone").to_vec(),
            profile_cycles: spec.int(PROFILE_CYCLES.name) as Cycle,
            units: spec.int("units") as f64,
            dram_sustainable: spec.number("dram_sustainable"),
            interval,
            carry: spec.int("credit_carry") as u32,
            warm_up: cycles(spec.int("warm_up"), detection),
            factor_window: cycles(FACTOR_WINDOW, detection),
            skip: cycles(spec.int("skip"), detection),
            window: cycles(spec.int("window"), detection),
            priority_window: cycles(spec.int("priority_window"), scale),
            drain_limit: cycles(DRAIN_LIMIT, scale),
            poll: cycles(1000, scale),
            backlog: spec.choice("demand") == "backlog",
            clip: spec.choice("ls_mode") == "clip",
            ls_credits: match spec.choice("ls_credit_mode") {
                "unlimited" => LsCredits::Unlimited,
                _ => LsCredits::Literal,
            },
            whole_credits: spec.choice("rounding") == "nearest",
        }
    }
}

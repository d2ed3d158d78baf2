//! HeteroCore: kernels that use the room for threads that an SM has go to the big SMs, the others to the small ones.
//!
//! # Idea
//! Zhao, Wang and Eeckhout, IEEE TPDS 30(1), 2019. Some kernels (thick) gain from more resident CTAs, others (lean) lose nothing with fewer. Half of the
//! SMs get room for threads that the other half gives up; each SM belongs to one kernel. Which kernels belong on which SMs is known from their class, from
//! runs alone before the run, or from a short measurement in the run, again with each launch.
//! # Observes
//! Instructions on each SM; CTAs that have ended; launches and ends of kernels; what a CTA takes of each SM; IPC alone on big, small and uniform SMs.
//! # Sets
//! `allowed`, `cta_switch`, `context_lines`.
//! # Parameters
//! See `docs/reference/schemes/hetero.md`.
//! # Deviations
//! 1. The paper assigns two kernels or four. Of any other number, half, rounded down, go to the big SMs.
//! 2. A launch during a measurement does not begin it anew: kernels of short launches would be measured for ever.
//! 3. An SM goes to its new kernel once the last CTA of the old one has left it.

mod assign;
mod topics;

use self::assign::{Assignment, Best, Speeds, best, estimate};
use self::topics::{Assigned, ClassIpc, ClassSms, LeavesBy, MeasuredClasses, TOPICS, Thickness, ToBigAsThick, ToBigSms};
use super::scheme::{Absent, Member, Mix, Param, Policy, PolicyInfo, schemes};
use super::spatial;
use crate::describe::error::Problems;
use crate::describe::ids::{Cycle, KernelId, LaunchId};
use crate::describe::path::field;
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, decide};
use crate::interface::event::{Event, EventKind, EventKinds};
use crate::interface::observation::{By, Needs, Observation};
use crate::interface::shown::{Column, Row, Table};
use alloc::format;
use alloc::vec::Vec;

const SOURCE: &str = "Zhao, Wang and Eeckhout, IEEE TPDS 30(1), 2019";

const PROFILE_CYCLES: Param = Param::int(
    "profile_cycles",
    (1000, 100_000_000),
    200_000,
    "cycles",
    "Length of each run that measures a kernel alone (§4.2); the run itself begins after all of them",
);

/// Part of its IPC on uniform SMs that a lean kernel may lose on small ones.
const SMALL_LOSS: f64 = 0.02;

/// Where big and small SMs hold as many CTAs, how far uniform SMs are from small to big.
const SCALED: f64 = 0.5;

const SWAP: Param = Param::flag(
    "swap",
    false,
    "The assignment is turned round, to see what it is worth: who would get big SMs gets small ones, and the other way",
);

schemes! { Hetero, SOURCE, check, TOPICS;
    agnostic HeteroAgnostic "hetero-agnostic" "HeteroCore: some of each class" "Every kernel gets as many SMs of each class" &[];
    classify HeteroClassify "hetero-classify" "HeteroCore: by the kernel's class" "Thick kernels on big SMs, lean ones on small SMs; of one class, some of each" &[
        PROFILE_CYCLES,
        Param::constant("small_loss", Absent::Number(SMALL_LOSS), "A kernel that loses no more of its IPC on small SMs is lean (§4.2.1): \"not lower\" in the paper, with room for noise"),
        SWAP
    ];
    stp HeteroStp "hetero-stp" "HeteroCore: for throughput" "The assignment with the greatest sum of speeds alone" &[PROFILE_CYCLES, SWAP];
    balanced HeteroBalanced "hetero-balanced" "HeteroCore: for throughput and turnaround" "The same, but two kernels that both do better on big SMs get some of each class" &[PROFILE_CYCLES, SWAP];
    dynamic HeteroDynamic "hetero-dynamic" "HeteroCore: measured in the run" "Every launch is followed by a measurement, on some SMs of each class, that assigns SMs" &[
        Param::int("warm_up", (1, 100_000_000), 20_000, "cycles", "Before the measurement (§4.3)"),
        Param::int("measure", (1, 100_000_000), 20_000, "cycles", "Length of the measurement (§4.3)"),
        Param::choice("again", &["launch", "run", "never"], "launch", "What is followed by another measurement. launch: every launch of a kernel; run: the first launch of its next run; never: nothing"),
        Param::constant("scaled", Absent::Number(SCALED), "Where big and small SMs hold as many CTAs, uniform SMs are half way from small to big: the paper does not say, and no side is nearer"),
        Param::choice("make_room", &["adaptive", "drain", "context_switch", "free"], "adaptive", "How CTAs leave an SM. adaptive: they finish if their kernel had one that did in the warm-up, else their context travels to memory (§4.3); drain: they finish; context_switch: their context travels; free: they are gone at once"),
        SWAP
    ];
}

/// Two classes, with an SM of each for every kernel while SMs are split.
fn check(spec: &Member, mix: Mix, problems: &mut Problems) {
    if mix.classes != 2 {
        let found = format!("{} on a GPU with {} SM class{}", spec.name(), mix.classes, if mix.classes == 1 { "" } else { "es" });
        problems.add(field(mix.path, "name"), found, "a GPU with two SM classes, such as hetero-8b8s");
    } else if mix.smallest_class < mix.kernels {
        let found = format!("{} kernels on a GPU with {} SMs in one of its classes", mix.kernels, mix.smallest_class);
        problems.add(mix.path, found, "an SM of each class for every kernel");
    }
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Hetero {
    spec: Member,
    /// The kernel that each SM is for.
    owner: Vec<KernelId>,
    /// Kernels that go on.
    live: Vec<KernelId>,
    phase: Phase,
    /// When it was last asked: intervals count from there.
    asked_at: Cycle,
    /// CTAs of each kernel that had ended when the last warm-up began.
    ended: Vec<u64>,
    /// Thread instructions on each SM and of each kernel when the measurement began.
    before: Vec<Vec<u64>>,
    /// By which speeds SMs were last assigned, of the kernels that went on.
    judged: Vec<(KernelId, Speeds)>,
}

/// What the dynamic scheme is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Until this cycle, nothing is measured.
    WarmUp(Cycle),
    /// Until this cycle, IPC is measured.
    Measure(Cycle),
    /// SMs are assigned.
    Assigned,
}

impl Policy for Hetero {
    fn needs(&self) -> Needs {
        let base = match self.spec.name() {
            "hetero-classify" => By::Uniform { as_small: true },
            "hetero-stp" | "hetero-balanced" => By::Uniform { as_small: false },
            _ => return Needs::default(),
        };
        Needs { by: alloc::vec![By::Class, base], cycles: self.spec.int("profile_cycles") as Cycle }
    }

    fn interval(&self) -> Option<Cycle> {
        match self.phase {
            Phase::WarmUp(until) | Phase::Measure(until) => Some(until - self.asked_at),
            Phase::Assigned => None,
        }
    }

    /// Until the first measurement; those that follow are part of what the scheme costs.
    fn learns(&self) -> bool {
        self.phase != Phase::Assigned && self.judged.is_empty()
    }

    fn wants(&self) -> EventKinds {
        match self.dynamic() {
            true => EventKinds::of(&[EventKind::KernelLaunched, EventKind::KernelFinished, EventKind::PreemptionDone]),
            false => EventKinds::NONE,
        }
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.asked_at = seen.now;
        self.live = KernelId::first(seen.kernels).collect();
        self.owner = alloc::vec![KernelId(0); controls.sms.len()];
        self.phase = Phase::Assigned;
        let name = self.spec.name();
        match name {
            "hetero-dynamic" => {
                self.measure_anew(seen, log);
                if self.spec.choice("make_room") != "adaptive" {
                    self.make_room(seen, controls, log);
                }
            }
            "hetero-agnostic" => self.assign(&Assignment::Split, seen, log),
            "hetero-classify" => {
                let way = self.by_class(seen, log);
                self.assign(&way, seen, log);
            }
            _ => {
                let speeds: Vec<Speeds> = self.live.iter().map(|&kernel| alone(seen, kernel)).collect();
                let way = self.choose(&speeds, name == "hetero-balanced", seen, log);
                self.assign(&way, seen, log);
            }
        }
        self.hand_over(seen, controls);
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.asked_at = seen.now;
        match self.phase {
            Phase::WarmUp(_) => {
                self.before = instructions(seen);
                self.phase = Phase::Measure(seen.now + self.spec.int("measure") as Cycle);
                self.make_room(seen, controls, log);
            }
            Phase::Measure(_) => {
                let speeds: Vec<Speeds> = self.live.iter().map(|&kernel| self.measured(seen, kernel)).collect();
                let way = self.choose(&speeds, true, seen, log);
                let split = u32::from(way == Assignment::Split);
                self.phase = Phase::Assigned;
                decide(log, seen, None, Assigned { split });
                self.assign(&way, seen, log);
                self.hand_over(seen, controls);
            }
            Phase::Assigned => {}
        }
    }

    fn on_event(&mut self, event: Event, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        match event {
            Event::KernelLaunched { launch, .. } => {
                let follows = match self.spec.choice("again") {
                    "launch" => true,
                    "run" => launch == LaunchId::default(),
                    _ => false,
                };
                if follows && self.phase == Phase::Assigned && self.live.len() > 1 {
                    self.measure_anew(seen, log);
                }
            }
            Event::KernelFinished { kernel } if seen.progress[kernel.index()].waiting == 0 => {
                self.live.retain(|&other| other != kernel);
                match self.live.len() {
                    0 => return,
                    1 => {
                        self.phase = Phase::Assigned;
                        self.assign(&Assignment::Split, seen, log);
                    }
                    _ => self.measure_anew(seen, log),
                }
            }
            _ => {}
        }
        self.hand_over(seen, controls);
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        let speeds = (!self.judged.is_empty()).then(|| self.speeds_shown());
        speeds.into_iter().chain([self.owners_shown(seen)]).collect()
    }
}

impl Hetero {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Hetero {
            spec: spec.clone(),
            owner: Vec::new(),
            live: Vec::new(),
            phase: Phase::Assigned,
            asked_at: 0,
            ended: Vec::new(),
            before: Vec::new(),
            judged: Vec::new(),
        }
    }

    fn dynamic(&self) -> bool {
        self.spec.name() == "hetero-dynamic"
    }

    /// A new measurement: every kernel gets SMs of each class.
    fn measure_anew(&mut self, seen: &Observation, log: &mut Log) {
        let [warm_up, measure] = ["warm_up", "measure"].map(|name| self.spec.int(name) as Cycle);
        decide(log, seen, None, MeasuredClasses { warm_up, measure });
        self.phase = Phase::WarmUp(seen.now + warm_up);
        self.ended = seen.total.iter().map(|total| total.ctas_done).collect();
        self.assign(&Assignment::Split, seen, log);
    }

    /// Says which SM is for which kernel. Each class is cut into equal parts, in the order of the mix.
    fn assign(&mut self, way: &Assignment, seen: &Observation, log: &mut Log) {
        let (big, swap) = (big_class(seen), !matches!(way, Assignment::Split) && self.spec.flag("swap"));
        let mut sms = alloc::vec![[0; 2]; self.live.len()];
        for (class, range) in seen.gpu.class_sms().into_iter().enumerate() {
            let has = |place: usize| match way {
                Assignment::Split => true,
                Assignment::Apart(on_big) => on_big[place] == ((class == big) != swap),
            };
            let places: Vec<usize> = (0..self.live.len()).filter(|&place| has(place)).collect();
            for (&place, (first, count)) in places.iter().zip(spatial::parts(&[], range.len() as u32, places.len().max(1) as u32)) {
                let first = (range.start + first) as usize;
                self.owner[first..first + count as usize].fill(self.live[place]);
                sms[place][usize::from(class != big)] = count;
            }
        }
        for (&kernel, [big, small]) in self.live.iter().zip(sms) {
            decide(log, seen, kernel, ClassSms { big, small });
        }
    }

    /// Lets each kernel use its SMs, where no CTA of another one is left.
    fn hand_over(&self, seen: &Observation, controls: &mut Controls) {
        for ((sm, &owner), resident) in controls.sms.iter_mut().zip(&self.owner).zip(seen.resident) {
            let free = KernelId::first(seen.kernels).all(|kernel| kernel == owner || resident[kernel] == 0);
            for kernel in KernelId::first(seen.kernels) {
                sm.allowed[kernel] = kernel == owner && free;
            }
        }
    }

    /// How CTAs leave SMs, by what they did in the warm-up.
    fn make_room(&self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let room = self.spec.choice("make_room");
        for &kernel in &self.live {
            let ctas = seen.total[kernel.index()].ctas_done - self.ended[kernel.index()];
            let drain = room == "drain" || room == "adaptive" && ctas > 0;
            if room == "adaptive" {
                decide(log, seen, kernel, LeavesBy { how: if drain { "drain" } else { "context_switch" }, ctas });
            }
            controls.each_sm(|sm| {
                sm.cta_switch[kernel] = !drain;
                sm.context_lines[kernel] = (room == "free").then_some(0);
            });
        }
    }

    /// IPC of a kernel on its SMs of each class in the measurement, and what it would be on uniform ones.
    fn measured(&self, seen: &Observation, kernel: KernelId) -> Speeds {
        let (now, big) = (instructions(seen), big_class(seen));
        let mut ipc = [0.0; 2];
        for (class, range) in seen.gpu.class_sms().into_iter().enumerate() {
            let mine = range.map(|sm| sm as usize).filter(|&sm| self.owner[sm] == kernel);
            let sum: u64 = mine.map(|sm| now[sm][kernel.index()] - self.before[sm][kernel.index()]).sum();
            ipc[usize::from(class != big)] += sum as f64 / self.spec.int("measure") as f64;
        }
        let [big, small] = ipc;
        Speeds { big, small, base: estimate(big, small, ctas_of_classes(seen, kernel), SCALED) }
    }

    /// The assignment by speeds, and why.
    fn choose(&mut self, speeds: &[Speeds], split_if_all_gain: bool, seen: &Observation, log: &mut Log) -> Assignment {
        self.judged = self.live.iter().copied().zip(speeds.iter().copied()).collect();
        for (&kernel, &Speeds { big, small, base }) in self.live.iter().zip(speeds) {
            decide(log, seen, kernel, ClassIpc { big, small, base });
        }
        let Some(Best { big, sum, other }) = best(speeds, split_if_all_gain) else { return Assignment::Split };
        for (&kernel, _) in self.live.iter().zip(&big).filter(|(_, big)| **big) {
            decide(log, seen, kernel, ToBigSms { sum, other });
        }
        Assignment::Apart(big)
    }

    /// Thick kernels on the big SMs, lean ones on the small ones; all of one class get some of each.
    fn by_class(&self, seen: &Observation, log: &mut Log) -> Assignment {
        let small_class = 1 - big_class(seen);
        let thick = |kernel: KernelId| {
            let runs = |set: usize| &seen.profile.0[set][kernel.index()];
            let (small, base) = (runs(0)[small_class].ipc, runs(1)[0].ipc);
            (small < (1.0 - SMALL_LOSS) * base, small, base)
        };
        let kernels: Vec<(bool, f64, f64)> = self.live.iter().map(|&kernel| thick(kernel)).collect();
        for (&kernel, &(thick, small, base)) in self.live.iter().zip(&kernels) {
            decide(log, seen, kernel, Thickness { class: if thick { "thick" } else { "lean" }, small, base });
        }
        let lean = kernels.iter().filter(|(thick, ..)| !thick).count() as u32;
        if lean == 0 || lean as usize == kernels.len() {
            return Assignment::Split;
        }
        for (&kernel, _) in self.live.iter().zip(&kernels).filter(|(_, (thick, ..))| *thick) {
            decide(log, seen, kernel, ToBigAsThick { lean });
        }
        Assignment::Apart(kernels.iter().map(|(thick, ..)| *thick).collect())
    }
}

/// What people watch.
impl Hetero {
    /// The speeds by which SMs were last assigned.
    fn speeds_shown(&self) -> Table {
        let part = |ipc: f64, base: f64| Value::from((base > 0.0).then(|| ipc / base));
        let row = |&(kernel, Speeds { big, small, base }): &(KernelId, Speeds)| Row {
            name: Value::Null,
            kernel: Some(kernel),
            cells: alloc::vec![big.into(), small.into(), base.into(), part(big, base), part(small, base)],
        };
        Table {
            key: "hetero",
            title: "Speeds by which SMs are assigned".into(),
            doc: "The assignment with the greatest sum of speeds in parts of those on uniform SMs is taken (HeteroCore §4.2, §4.3)",
            row: "",
            course: None,
            columns: alloc::vec![
                Column::of("On big SMs", "IPC", "Its IPC on SMs of the class with the most room for threads"),
                Column::of("On small SMs", "IPC", "Its IPC on SMs of the other class"),
                Column::of("On uniform SMs", "IPC", "Its IPC on SMs that are all alike, measured or estimated"),
                Column::of("Big", "of uniform", "Its speed on big SMs"),
                Column::of("Small", "of uniform", "Its speed on small SMs"),
            ],
            rows: self.judged.iter().map(row).collect(),
        }
    }

    /// Whose each SM is, and what each kernel still holds there.
    fn owners_shown(&self, seen: &Observation) -> Table {
        let doing = match self.phase {
            Phase::WarmUp(until) => format!("a warm-up until cycle {until}"),
            Phase::Measure(until) => format!("a measurement until cycle {until}"),
            Phase::Assigned => "assigned".into(),
        };
        let row = |(sm, &owner): (usize, &KernelId)| Row {
            name: sm.into(),
            kernel: Some(owner),
            cells: [Value::from(seen.gpu.class_of(sm as u32).name.as_str())]
                .into_iter()
                .chain(KernelId::first(seen.kernels).map(|kernel| seen.resident[sm][kernel].into()))
                .collect(),
        };
        Table {
            key: "hetero_sms",
            title: format!("Whose each SM is: {doing}"),
            doc: "An SM goes to its new kernel once the last CTA of the old one has left it (HeteroCore §4.3)",
            row: "SM",
            course: None,
            columns: [Column::of("Class", "", "The SM's class")]
                .into_iter()
                .chain(Column::for_each(seen.kernels, &[("CTAs", "", "Resident CTAs")]))
                .collect(),
            rows: self.owner.iter().enumerate().map(row).collect(),
        }
    }
}

/// The class with the most room for threads.
fn big_class(seen: &Observation) -> usize {
    (0..seen.gpu.sms.len()).max_by_key(|&class| (seen.gpu.sms[class].room(), usize::MAX - class)).unwrap_or(0)
}

/// CTAs of a kernel's launch that a uniform, a big and a small SM hold.
fn ctas_of_classes(seen: &Observation, kernel: KernelId) -> (u32, u32, u32) {
    let big = big_class(seen);
    let held = |class: usize| seen.launched[seen.gpu.class_sms()[class].start as usize][kernel].1;
    let launch = seen.progress[kernel.index()].launch;
    (seen.uniform_ctas[kernel.index()][launch.index()], held(big), held(1 - big))
}

/// IPC of a kernel alone: on all big SMs, on all small ones, on as many uniform ones as there are SMs.
fn alone(seen: &Observation, kernel: KernelId) -> Speeds {
    let (classes, uniform) = (&seen.profile.0[0][kernel.index()], &seen.profile.0[1][kernel.index()]);
    let big = big_class(seen);
    Speeds { big: classes[big].ipc, small: classes[1 - big].ipc, base: uniform[0].ipc }
}

/// Thread instructions on each SM, of each kernel.
fn instructions(seen: &Observation) -> Vec<Vec<u64>> {
    let of = |kernels: &Vec<_>| kernels.iter().map(|of: &crate::interface::stats::KernelStats| of.thread_instructions).collect();
    seen.on_sm.iter().map(of).collect()
}

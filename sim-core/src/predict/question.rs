//! What `corun predict` is asked: `{ "corun": 1, "predict": { … } }`, read strictly, and the loads that follow from it.
//! docs/reference/predict.md has the format.

use super::group::Load;
use super::reading::{Base, Model, Reading};
use super::{Platform, bandwidth, isolated};
use crate::describe::error::Problems;
use crate::describe::path::{element, field};
use crate::describe::record::Absent::{Flag, Name, Needed, Words};
use crate::describe::record::{Datum, Shape, int, list, names, record, rule, text};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// SMs of a GPU, and its L2 banks, at most.
pub const MAX_SMS: u32 = 4096;

/// Kernels of a group, at most. The paper's groups have up to six; a plan compares the partitions among all of them.
pub const MAX_GROUP: usize = 8;

/// Latencies, bandwidths and accesses are from 1 / `LARGEST` to `LARGEST`, in whatever units: no formula overflows.
pub const LARGEST: f64 = 1e15;

/// Sizes at which a kernel may bring a profile, at most.
pub const MAX_PROFILE: usize = 256;

/// Longest name of a group or a kernel, characters.
pub const LONGEST_NAME: usize = 200;

/// Largest seed: whole numbers up to there are the same in every JSON reader.
const MAX_SEED: i64 = (1 << 53) - 1;

names! {
    /// Where a latency or a bandwidth on a partition comes from if the file leaves it out.
    #[derive(Default)]
    pub enum Missing {
        /// From a run of its own; without a GPU to run on, it must be given.
        #[default]
        Measured = "measured",
        /// From Eqs. 4 and 17.
        Model = "model",
    }
}

/// The file, with what it leaves out left out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Question {
    /// For people.
    pub name: String,
    /// The GPU on which is measured what is left out, as experiments name it.
    pub gpu: Option<Value>,
    /// Seed of the runs that measure.
    pub seed: Option<u64>,
    /// SMs of the whole GPU, N.
    pub sms: Option<u32>,
    /// L2 banks (slices).
    pub l2_banks: Option<u32>,
    /// Nominal bandwidth, BW_max.
    pub bandwidth_max: Option<f64>,
    /// Bandwidth at which kernels saturate, EM_BW.
    pub bandwidth_sustained: Option<f64>,
    /// How the paper is read.
    pub model: Model,
    /// Where latencies and bandwidths come from that are left out.
    pub missing: Missing,
    /// Every part of a plan is a multiple of so many SMs.
    pub step: Option<u32>,
    /// The group.
    pub kernels: Vec<Profile>,
}

/// What is known of a kernel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// Its name; kernels of a group may share one.
    pub name: String,
    /// SMs of its own.
    pub sms: Option<u32>,
    /// The first of them, where the file says so.
    pub first: Option<u32>,
    /// Latency alone on all SMs, C(N).
    pub latency_full: Option<f64>,
    /// Bandwidth alone on all SMs, BW(N).
    pub bandwidth_full: Option<f64>,
    /// Thousands of thread instructions for each L2 access (Eq. 3).
    pub kai: Option<f64>,
    /// Alone on its own SMs.
    pub own: Size,
    /// Alone on other numbers of SMs.
    pub profile: Vec<(u32, Size)>,
    /// Latency that it must not exceed.
    pub deadline: Option<f64>,
}

/// What is known of a kernel alone on a number of SMs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Size {
    /// Latency, C(n).
    pub latency: Option<f64>,
    /// Bandwidth, BW(n).
    pub bandwidth: Option<f64>,
    /// L2 accesses of the whole kernel.
    pub accesses: Option<f64>,
    /// Latency that Eq. 8 stretches; by Eq. 4 if left out.
    pub tc: Option<f64>,
}

/// What a run of a kernel alone on a number of SMs has measured.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Measured {
    /// Latency.
    pub latency: f64,
    /// Bandwidth.
    pub bandwidth: f64,
    /// L2 accesses.
    pub accesses: f64,
    /// Eq. 3.
    pub kai: f64,
}

impl Question {
    /// Reads a file.
    pub fn decode(value: &Value) -> Result<Question, Problems> {
        let mut problems = Problems::default();
        let question = Self::whole(value, &mut problems);
        match question {
            Some(question) => problems.or(question),
            None => Err(problems),
        }
    }

    fn whole(value: &Value, problems: &mut Problems) -> Option<Question> {
        if !QUESTION_FILE.check(value, "", problems) {
            return None;
        }
        let inner = value.get("predict")?;
        let of = |key| QUESTION.taken(inner, key);
        let gpus: Vec<&Value> = [value.get("gpu"), inner.get("gpu")].into_iter().flatten().collect();
        if gpus.len() > 1 {
            problems.by(&ONE_GPU, |problems| problems.add("predict.gpu", "a second gpu", "one, there or beside predict"));
        }
        Some(Question {
            name: String::read(&QUESTION_FILE.taken(value, "name")),
            gpu: gpus.first().map(|gpu| (*gpu).clone()),
            seed: value.get("seed").map(u64::read),
            sms: Datum::read(&of("sms")),
            l2_banks: Datum::read(&of("l2_banks")),
            bandwidth_max: Datum::read(&of("bandwidth_max")),
            bandwidth_sustained: Datum::read(&of("bandwidth_sustained")),
            model: Model {
                reading: Datum::read(&of("reading")),
                base: Datum::read(&of("base")),
                exact_at_n: Datum::read(&of("exact_at_n")),
                density_added: Datum::read(&of("density_added")),
            },
            missing: Datum::read(&of("missing")),
            step: Datum::read(&of("step")),
            kernels: Datum::read(&of("kernels")),
        })
    }

    /// Which kernels have to run alone, and on how many of all `sms` SMs, for what the file leaves out; a `plan` needs no kernel's own SMs.
    pub fn needed(&self, sms: u32, plan: bool) -> Vec<(usize, u32)> {
        let counted = self.kernels.iter().any(|kernel| kernel.own.accesses.is_some());
        let mut needed = Vec::new();
        for (at, kernel) in self.kernels.iter().enumerate() {
            let own = kernel.sms.unwrap_or(sms);
            let given = kernel.on(own, sms);
            let formulas = plan || self.missing == Missing::Model || self.model.base == Base::Eq4 && given.tc.is_none();
            if formulas && (kernel.latency_full.is_none() || kernel.bandwidth_full.is_none() || kernel.kai.is_none()) {
                needed.push((at, sms));
            }
            let alone = self.missing == Missing::Measured && (given.latency.is_none() || given.bandwidth.is_none());
            let alone = (alone || counted && given.accesses.is_none()) && !plan && kernel.sms.is_some_and(|own| own <= sms);
            if alone && !needed.contains(&(at, own)) {
                needed.push((at, own));
            }
        }
        needed
    }

    /// Fills in what a run of a kernel alone on `on` of all `sms` SMs has measured, where the file leaves it out.
    pub fn set_measured(&mut self, kernel: usize, on: u32, sms: u32, measured: Measured) {
        let counted = self.kernels.iter().any(|kernel| kernel.own.accesses.is_some());
        let Some(kernel) = self.kernels.get_mut(kernel) else { return };
        if on == sms {
            kernel.latency_full.get_or_insert(measured.latency);
            kernel.bandwidth_full.get_or_insert(measured.bandwidth);
            kernel.kai.get_or_insert(measured.kai);
        }
        if kernel.sms == Some(on) {
            let found = Size {
                latency: Some(measured.latency),
                bandwidth: Some(measured.bandwidth),
                accesses: Some(measured.accesses).filter(|_| counted),
                tc: None,
            };
            kernel.own = kernel.on(on, sms).or(found);
        }
    }

    /// The GPU, as far as the formulas know it.
    pub fn platform(&self) -> Result<Platform, Problems> {
        let mut problems = Problems::default();
        let mut need = |key: &str, given: Option<f64>| {
            if given.is_none() {
                // A gpu has SMs and L2 banks.
                let want = if self.gpu.is_some() {
                    "a number: the gpu's DRAM is ideal and has no peak"
                } else {
                    "a number, or a gpu to take it from"
                };
                problems.add(field("predict", key), "nothing", want);
            }
            given.unwrap_or(1.0)
        };
        let bandwidth_max = need("bandwidth_max", self.bandwidth_max);
        let platform = Platform {
            sms: need("sms", self.sms.map(f64::from)) as u32,
            l2_banks: need("l2_banks", self.l2_banks.map(f64::from)) as u32,
            bandwidth_max,
            bandwidth_sustained: self.bandwidth_sustained.unwrap_or_else(|| Platform::sustained(bandwidth_max)),
        };
        if problems.0.is_empty() && platform.bandwidth_sustained > platform.bandwidth_max {
            let want = format!("at most bandwidth_max, {}", platform.bandwidth_max);
            problems.add("predict.bandwidth_sustained", platform.bandwidth_sustained, want);
        }
        problems.or_of(&COMPLETE, platform)
    }

    /// The kernels on their own SMs.
    pub fn loads(&self) -> Result<Vec<Load>, Problems> {
        let platform = self.platform()?;
        let mut problems = Problems::default();
        self.check_partition(&platform, &mut problems);
        let mut loads = Vec::with_capacity(self.kernels.len());
        for (at, kernel) in self.kernels.iter().enumerate() {
            let path = kernel_path(at);
            kernel.check(&platform, &path, &mut problems);
            loads.push(self.load(kernel, &platform, kernel.sms.unwrap_or(1), self.missing, &path, &mut problems));
        }
        let counted = self.kernels.iter().filter(|kernel| kernel.own.accesses.is_some()).count();
        if counted > 0 && counted < self.kernels.len() {
            let left_out = self.kernels.iter().position(|kernel| kernel.own.accesses.is_none()).unwrap_or_default();
            problems.add(field(&kernel_path(left_out), "accesses"), "nothing", "accesses of every kernel, or of none");
        }
        problems.or_of(&COMPLETE, loads)
    }

    /// The kernels on each of some numbers of SMs: what is not given there comes from Eqs. 4 and 17, and accesses are bandwidth times latency.
    pub fn loads_on(&self, sizes: &[u32]) -> Result<Vec<Vec<Load>>, Problems> {
        let platform = self.platform()?;
        let mut problems = Problems::default();
        let mut loads = Vec::with_capacity(self.kernels.len());
        for (at, kernel) in self.kernels.iter().enumerate() {
            let path = kernel_path(at);
            kernel.check(&platform, &path, &mut problems);
            let mut load = |&sms: &u32| {
                let load = self.load(kernel, &platform, sms, Missing::Model, &path, &mut problems);
                Load { accesses: load.bandwidth * load.latency, ..load }
            };
            loads.push(sizes.iter().map(&mut load).collect());
        }
        problems.or_of(&COMPLETE, loads)
    }

    /// The partition: every kernel has SMs of its own.
    fn check_partition(&self, platform: &Platform, problems: &mut Problems) {
        let mut taken: Vec<(u32, u32, usize)> = Vec::new();
        for (at, kernel) in self.kernels.iter().enumerate() {
            let Some(sms) = kernel.sms else {
                problems.add(field(&kernel_path(at), "sms"), "nothing", "the number of its SMs");
                continue;
            };
            let Some(first) = kernel.first else { continue };
            if first + sms > platform.sms {
                let found = format!("SMs {first} to {}", first + sms - 1);
                problems.add(field(&kernel_path(at), "first"), found, format!("some of SMs 0 to {}", platform.sms - 1));
            }
            if let Some(other) = taken.iter().find(|other| first < other.1 && other.0 < first + sms) {
                let found = format!("SMs {first} to {}, some of which are those of kernels[{}]", first + sms - 1, other.2);
                problems.add(field(&kernel_path(at), "first"), found, "SMs of its own");
            }
            taken.push((first, first + sms, at));
        }
        let together: u32 = self.kernels.iter().filter_map(|kernel| kernel.sms).sum();
        if together > platform.sms {
            problems.add("predict.kernels", format!("{together} SMs together"), format!("at most the GPU's {}", platform.sms));
        }
    }

    /// A kernel on a number of SMs.
    fn load(&self, kernel: &Profile, platform: &Platform, sms: u32, missing: Missing, path: &str, problems: &mut Problems) -> Load {
        let given = kernel.on(sms, platform.sms);
        let eq4 = || Some(isolated::latency(platform, sms, kernel.latency_full?, kernel.bandwidth_full?, kernel.kai?));
        let eq17 = || Some(bandwidth::on_sms(platform, sms, kernel.bandwidth_full?));
        let exact = kernel.latency_full.filter(|_| self.model.exact_at_n && sms == platform.sms);
        let modelled = missing == Missing::Model;
        let tc = given.tc.or(exact).or_else(eq4);
        let latency = given.latency.or(tc.filter(|_| modelled));
        let bandwidth = given.bandwidth.or_else(|| eq17().filter(|_| modelled));
        let tc = if self.model.base == Base::Measured { latency } else { tc };
        let mut need = |key: &str, found: bool, want: &str| {
            let path = field(path, key);
            if !found && problems.0.iter().all(|problem| problem.path != path) {
                problems.add(path, "nothing", want);
            }
        };
        if tc.is_none() && self.model.base == Base::Eq4 || modelled && (latency.is_none() || bandwidth.is_none()) {
            let want = "a number for Eqs. 4 and 17, or one of the library's kernels with a gpu to measure it on";
            need("latency_full", kernel.latency_full.is_some(), want);
            need("bandwidth_full", kernel.bandwidth_full.is_some(), want);
            need("kai", kernel.kai.is_some(), want);
        }
        if !modelled {
            let want = "a number, one of the library's kernels with a gpu to measure it on, or \"missing\": \"model\"";
            need("latency", latency.is_some(), want);
            need("bandwidth", bandwidth.is_some(), want);
        }
        let (latency, bandwidth) = (latency.unwrap_or(1.0), bandwidth.unwrap_or_default());
        let accesses = given.accesses.unwrap_or(bandwidth * latency);
        Load { sms, latency, bandwidth, accesses, tc: tc.unwrap_or(1.0) }
    }
}

impl Profile {
    /// What is given of the kernel on a number of SMs, of `all`.
    fn on(&self, sms: u32, all: u32) -> Size {
        let mut given = if self.sms == Some(sms) { self.own } else { Size::default() };
        for (_, size) in self.profile.iter().filter(|(at, _)| *at == sms) {
            given = given.or(*size);
        }
        let full = Size { latency: self.latency_full, bandwidth: self.bandwidth_full, ..Size::default() };
        if sms == all { given.or(full) } else { given }
    }

    /// What contradicts itself or the GPU.
    fn check(&self, platform: &Platform, path: &str, problems: &mut Problems) {
        let most = platform.bandwidth_max;
        let full = [(field(path, "bandwidth_full"), self.bandwidth_full), (field(path, "bandwidth"), self.own.bandwidth)];
        let others = self.profile.iter().enumerate().map(|(at, (_, size))| (profile_path(path, at, "bandwidth"), size.bandwidth));
        for (path, given) in full.into_iter().chain(others) {
            if let Some(given) = given.filter(|&given| given > most) {
                problems.add(path, given, format!("at most bandwidth_max, {most}: a utilisation of at most 1"));
            }
        }
        let sizes = core::iter::once((field(path, "sms"), self.sms));
        let others = self.profile.iter().enumerate().map(|(at, (sms, _))| (profile_path(path, at, "sms"), Some(*sms)));
        for (path, sms) in sizes.chain(others) {
            if let Some(sms) = sms.filter(|&sms| sms > platform.sms) {
                problems.add(path, sms, format!("at most the GPU's {}", platform.sms));
            }
        }
        if let (Some(bandwidth), Some(kai)) = (self.bandwidth_full, self.kai) {
            let product = kai * isolated::utilisation(bandwidth, most);
            if product >= f64::from(platform.sms) {
                let want = format!(
                    "less: kai times the utilisation, {product}, is taken from the {} SMs, and Eq. 4 divides by the rest",
                    platform.sms
                );
                problems.add(field(path, "kai"), kai, want);
            }
        }
    }
}

impl Size {
    /// This, and where it has nothing the other.
    fn or(self, other: Size) -> Size {
        Size {
            latency: self.latency.or(other.latency),
            bandwidth: self.bandwidth.or(other.bandwidth),
            accesses: self.accesses.or(other.accesses),
            tc: self.tc.or(other.tc),
        }
    }
}

/// The path of a kernel.
pub fn kernel_path(at: usize) -> String {
    element("predict.kernels", at)
}

fn profile_path(kernel: &str, at: usize, key: &str) -> String {
    field(&element(&field(kernel, "profile"), at), key)
}

/// A latency or a bandwidth of a GPU.
const POSITIVE: Shape = Shape::Number { min: 1.0 / LARGEST, max: LARGEST };

/// What a kernel may do without: bandwidth, accesses.
const FROM_0: Shape = Shape::Number { min: 0.0, max: LARGEST };

const SMS: Shape = Shape::Int { min: 1, max: MAX_SMS as i64 };

rule! {
    /// The gpu stands beside `predict` or in it, not in both.
    pub ONE_GPU = "one_gpu";

    /// What the formulas need is given or can be measured, bandwidths are at most bandwidth_max, and the parts of the GPU do not overlap.
    pub COMPLETE = "complete";
}

record! {
    /// A file that asks for a prediction.
    pub static QUESTION_FILE "PredictQuestion", "a prediction: {\"corun\": 1, \"predict\": {…}}", rules [&ONE_GPU, &COMPLETE];
    /// Version of the format.
    corun = int!(1, 1), Needed;
    /// Name, for people.
    name = text!(LONGEST_NAME), Name("");
    /// What it reproduces or where it comes from.
    source = text!(4096), Name("");
    /// The GPU on which is measured what is left out, as in an experiment.
    gpu = Shape::Any { want: "a GPU" }, Words("nothing is measured");
    /// Seed of the runs that measure.
    seed = Shape::Int { min: 0, max: MAX_SEED }, Words("1");
    /// What is asked.
    predict = Shape::Record(&QUESTION), Needed;
}

record! {
    /// A group of kernels on disjoint parts of a GPU. Latencies share one unit, bandwidths another.
    pub static QUESTION "PredictGroup", "an object";
    /// The GPU on which is measured what is left out, as in an experiment.
    gpu = Shape::Any { want: "a GPU" }, Words("nothing is measured");
    /// SMs of the whole GPU, N.
    sms ["SMs"] = SMS, Words("the gpu's");
    /// L2 banks (slices).
    l2_banks ["banks"] = SMS, Words("the gpu's");
    /// Nominal bandwidth, BW_max.
    bandwidth_max = POSITIVE, Words("the gpu's");
    /// Bandwidth at which kernels saturate, EM_BW; at most bandwidth_max.
    bandwidth_sustained = POSITIVE, Words("330/348 of bandwidth_max");
    /// What becomes of Eq. 15.
    reading = Shape::Choice(Reading::NAMES), Name("literal");
    /// Which latency Eq. 8 stretches.
    base = Shape::Choice(Base::NAMES), Name("eq4");
    /// Whether, on all SMs, Eq. 4 returns latency_full.
    exact_at_n = Shape::Flag, Flag(false);
    /// Whether Eq. 16 adds its density to 1.
    density_added = Shape::Flag, Flag(false);
    /// Where latencies and bandwidths come from that are left out.
    missing = Shape::Choice(Missing::NAMES), Name("measured");
    /// Every part of a plan is a multiple of so many SMs.
    step ["SMs"] = SMS, Words("1");
    /// The group.
    kernels = list!(Shape::Record(&PROFILE), 1, MAX_GROUP, "kernels"), Needed;
}

record! {
    /// A kernel of the group, and what is known of it alone.
    pub static PROFILE "PredictKernel", "an object";
    /// Name; of a kernel of the library, if it is to be measured.
    name = text!(LONGEST_NAME), Needed;
    /// SMs of its own.
    sms ["SMs"] = SMS, Words("needed but for a plan");
    /// The first of its SMs.
    first = Shape::Int { min: 0, max: MAX_SMS as i64 }, Words("any");
    /// Latency alone on all SMs, C(N).
    latency_full = POSITIVE, Words("measured");
    /// Bandwidth alone on all SMs, BW(N); at most bandwidth_max.
    bandwidth_full = FROM_0, Words("measured");
    /// Thousands of thread instructions for each L2 access (Eq. 3); times the utilisation less than the number of SMs.
    kai = FROM_0, Words("measured");
    /// Latency alone on its SMs, C(n).
    latency = POSITIVE, Words("see missing");
    /// Bandwidth alone on its SMs, BW(n); at most bandwidth_max.
    bandwidth = FROM_0, Words("see missing");
    /// L2 accesses of the whole kernel; of every kernel, or of none.
    accesses = FROM_0, Words("bandwidth times latency");
    /// Latency that Eq. 8 stretches.
    tc = POSITIVE, Words("by Eq. 4");
    /// Latency that it must not exceed.
    deadline = POSITIVE, Words("none");
    /// What is known of it on other numbers of SMs.
    profile = list!(Shape::Record(&SIZE), 0, MAX_PROFILE, "sizes"), Words("nothing");
}

record! {
    /// What is known of a kernel alone on a number of SMs.
    pub static SIZE "PredictSize", "an object";
    /// The SMs.
    sms ["SMs"] = SMS, Needed;
    /// Latency, C(n).
    latency = POSITIVE, Words("unknown");
    /// Bandwidth, BW(n); at most bandwidth_max.
    bandwidth = FROM_0, Words("unknown");
    /// L2 accesses of the whole kernel.
    accesses = FROM_0, Words("bandwidth times latency");
    /// Latency that Eq. 8 stretches.
    tc = POSITIVE, Words("by Eq. 4");
}

impl Datum for Size {
    fn read(value: &Value) -> Self {
        let of = |key| Datum::read(&SIZE.taken(value, key));
        Size { latency: of("latency"), bandwidth: of("bandwidth"), accesses: of("accesses"), tc: of("tc") }
    }

    fn write(&self) -> Value {
        let all = [("latency", self.latency), ("bandwidth", self.bandwidth), ("accesses", self.accesses), ("tc", self.tc)];
        Value::object(all.into_iter().filter(|(_, known)| known.is_some()))
    }
}

impl Datum for Profile {
    fn read(value: &Value) -> Self {
        let of = |key| PROFILE.taken(value, key);
        Profile {
            name: Datum::read(&of("name")),
            sms: Datum::read(&of("sms")),
            first: Datum::read(&of("first")),
            latency_full: Datum::read(&of("latency_full")),
            bandwidth_full: Datum::read(&of("bandwidth_full")),
            kai: Datum::read(&of("kai")),
            own: Size::read(value),
            profile: of("profile").items().iter().map(|size| (u32::read(&SIZE.taken(size, "sms")), Size::read(size))).collect(),
            deadline: Datum::read(&of("deadline")),
        }
    }

    fn write(&self) -> Value {
        Value::object([("name", self.name.as_str())])
    }
}

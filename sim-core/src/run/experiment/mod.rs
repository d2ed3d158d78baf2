//! An experiment: one GPU, the kernels on it, how they share it, and when to stop. The runner, the tests, the page and a shared link all
//! read the same strict JSON, and `config_hash` names it after defaults.

mod builder;
mod records;
mod scale;
pub mod warm_up;

pub use crate::run::confidence::Settled;
pub use builder::Builder;
pub use records::{EXPERIMENT, Experiment, MAX_CYCLES, MAX_SEED, VERSION};

use self::warm_up::WarmUp;
use crate::describe::digest::{Fnv, hex};
use crate::describe::error::Problems;
use crate::describe::goal::Goal;
use crate::describe::gpu::occupancy::{self, Divisions, Resources};
use crate::describe::gpu::presets::{self, Preset};
use crate::describe::gpu::{Gpu, SmClass, change, fields, validate, vendor};
use crate::describe::ids::{Cycle, KernelId, LaunchId, PerKernel};
use crate::describe::kernel::{CarveOut, Dim3, Kernel, Launch, MAX_LINES, WARP_SIZE};
use crate::describe::record::Datum;
use crate::describe::value::Value;
use crate::interface::controls::{WarpOrder, encode_warp_order};
use crate::interface::observation::By;
use crate::interface::ratios::peak_ipc;
use crate::policy::PolicySpec;
use crate::policy::spec::Mix;
use crate::run::confidence::{GOAL_REACHED, SLOWDOWN};
use crate::run::cta_limit::CtaLimit;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::hash::Hasher;
use records::{ADDRESSES, AT_HAND, CARVES, CTA_FITS, DEFAULT_GPU, GROUPS, LIMIT_FITS, PEAK};

/// A kernel of the mix.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelUse {
    /// The kernel.
    pub kernel: Kernel,
    /// CTAs that it may hold on an SM, whatever the policy; `None` for what fits.
    pub ctas_per_sm: Option<CtaLimit>,
    /// What it is promised, for policies that keep goals.
    pub qos: Option<Goal>,
}

impl KernelUse {
    /// CTAs of each launch that an SM of `class` holds when it holds nothing else.
    fn ctas_held(&self, class: &SmClass) -> impl Iterator<Item = u32> {
        self.kernel.launches.iter().map(|launch| occupancy::of(launch, class).ctas)
    }

    /// `ctas`, or fewer if the kernel has a limit of its own on SMs of `class`.
    fn own_limit(&self, class: &SmClass, ctas: u32) -> u32 {
        self.ctas_per_sm.as_ref().and_then(|limit| limit.on(class)).map_or(ctas, |most| most.min(ctas))
    }
}

/// When a run ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Stop {
    /// After so many cycles.
    Cycles(Cycle),
    /// When every kernel has run to its end at least once, or after so many cycles.
    KernelsDone {
        /// Most cycles.
        at_most: Cycle,
    },
    /// When the run knows what it measures.
    Settled(Settled),
}

impl Stop {
    /// Whether a run that has ended by this condition has not yet reached the other, or just now: it can go on until it does.
    pub fn is_no_later_than(self, other: Stop) -> bool {
        match (self, other) {
            (Stop::Cycles(one), Stop::Cycles(other)) => one <= other,
            (Stop::KernelsDone { at_most: one }, Stop::KernelsDone { at_most: other }) => one <= other,
            // Who asks for less is never settled later.
            (Stop::Settled(one), Stop::Settled(other)) => one.of == other.of && one.within >= other.within && one.at_most <= other.at_most,
            _ => false,
        }
    }

    /// When a kernel's run alone ends: it has no goal, and is known as well as its slowdown is to be.
    fn alone(self) -> Stop {
        match self {
            Stop::Settled(Settled { within, of, at_most }) if of & 1 << GOAL_REACHED != 0 => {
                Stop::Settled(Settled { within, of: of & !(1 << GOAL_REACHED) | 1 << SLOWDOWN, at_most })
            }
            stop => stop,
        }
    }
}

impl Experiment {
    /// Parts that are right by themselves but do not fit each other.
    pub fn check(&self) -> Result<(), Problems> {
        let mut problems = Problems::default();
        problems.by(&fields::FITS_ITSELF, |problems| validate::check(&self.gpu, "gpu", problems));
        for (i, used) in self.kernels.iter().enumerate() {
            let path = format!("kernels[{i}]");
            if let Some(limit) = &used.ctas_per_sm {
                let fit = |class: &SmClass| used.ctas_held(class).max().unwrap_or(0);
                problems.by(&LIMIT_FITS, |problems| limit.check(&self.gpu, fit, &format!("{path}.ctas_per_sm"), problems));
            }
            let line = self.gpu.l2.line_bytes;
            let lines: u64 = used.kernel.arrays.iter().map(|array| array.bytes.div_ceil(line.into())).sum();
            if lines > MAX_LINES {
                let found = format!("{lines} lines of {line} bytes together");
                problems.by(&ADDRESSES, |problems| problems.add(format!("{path}.arrays"), found, format!("at most {MAX_LINES}")));
            }
            for (l, launch) in used.kernel.launches.iter().enumerate() {
                if let Some(recorded) = &launch.recorded {
                    let bytes = used.kernel.arrays.iter().map(|array| array.bytes).sum();
                    let path = format!("{path}.launches[{l}].recorded");
                    problems
                        .by(&AT_HAND, |problems| recorded.check(launch.ctas(), launch.threads.div_ceil(WARP_SIZE), bytes, &path, problems));
                }
                if let CarveOut::Bytes(bytes) = launch.carve_out {
                    let divisions = || self.gpu.sms.iter().map(Divisions::of).filter(Divisions::any);
                    if divisions().any(|of| of.sizes().all(|size| size != bytes)) {
                        let sizes: Vec<String> = divisions().flat_map(|of| of.sizes()).map(|size| size.to_string()).collect();
                        let want = format!("a size that the SMs of {} can have: {}", self.gpu.name, sizes.join(", "));
                        problems.by(&CARVES, |problems| problems.add(format!("{path}.launches[{l}].carve_out"), bytes, want));
                    }
                }
                if self.gpu.sms.iter().any(|class| occupancy::of(launch, class).ctas > 0) {
                    continue;
                }
                for class in &self.gpu.sms {
                    let registers = occupancy::registers_of_cta(launch.threads, launch.registers, class.register_granularity);
                    let reserved = match class.shared_reserved {
                        0 => String::new(),
                        bytes => format!(", and {bytes} that the driver takes"),
                    };
                    let found = format!(
                        "a CTA of {} threads, {registers} registers and {} bytes of shared memory{reserved}",
                        launch.threads, launch.shared_bytes
                    );
                    let want = format!(
                        "one that fits an SM of class {}: {} threads (sm.threads), {} registers (sm.registers), {} bytes (sm.shared_bytes){}",
                        class.name,
                        class.threads,
                        class.registers,
                        Resources::of_class(class).shared_bytes,
                        elsewhere(launch)
                    );
                    problems.by(&CTA_FITS, |problems| problems.add(format!("{path}.launches[{l}]"), found, want));
                }
            }
        }
        let alone = self.alone_gpu.as_ref().unwrap_or(&self.gpu);
        let orders = [("warp_order", Some(self.warp_order), &self.gpu), ("alone_warp_order", self.alone_warp_order, alone)];
        for (path, order, gpu) in orders {
            let warps = gpu.sms.iter().map(|class| class.warps().div_ceil(class.schedulers)).max().unwrap_or(0);
            if let Some(order @ WarpOrder::GtoGroups(size)) = order
                && u32::from(size) > warps
            {
                let want = format!("groups of at most {warps}, the warps of a scheduler");
                problems.by(&GROUPS, |problems| problems.add(path, encode_warp_order(order), want));
            }
        }
        let peak = f64::from(peak_ipc(&self.gpu));
        for (i, (used, goal)) in self.kernels.iter().zip(self.goals()).enumerate() {
            if let (Some(asked), Some(Goal::Ipc(ipc))) = (used.qos, goal)
                && ipc > peak
            {
                let found =
                    if asked == Goal::Ipc(ipc) { format!("an IPC of {ipc}") } else { format!("a deadline that takes an IPC of {ipc:.1}") };
                let want = format!("at most {peak}, the GPU's peak");
                problems.by(&PEAK, |problems| problems.add(format!("kernels[{i}].qos"), found, want));
            }
        }
        if let Some(gpu) = &self.alone_gpu {
            problems.by(&fields::FITS_ITSELF, |problems| validate::check(gpu, "alone_gpu", problems));
            for (i, used) in self.kernels.iter().enumerate() {
                if used.kernel.launches.iter().any(|launch| gpu.sms.iter().all(|class| occupancy::of(launch, class).ctas == 0)) {
                    let found = format!("a GPU of which no SM holds a CTA of kernels[{i}], {}", used.kernel.short_name());
                    problems.by(&CTA_FITS, |problems| problems.add("alone_gpu", found, "one that every kernel runs on"));
                }
            }
        }
        if self.seed > MAX_SEED {
            problems.add("seed", self.seed, format!("at most {MAX_SEED}"));
        }
        let limits = self.on_each_sm(|used, class| used.ctas_held(class).min().unwrap_or(0));
        self.policy.check(Mix { limits: &limits, ..self.mix() }, &mut problems);
        problems.or(())
    }

    /// The goal of each kernel, deadlines as rates.
    pub fn goals(&self) -> Vec<Option<Goal>> {
        self.kernels.iter().map(|used| Some(used.qos?.as_rate(&used.kernel, self.gpu.core_mhz))).collect()
    }

    /// What is no error, and yet not as it is most likely meant.
    pub fn warnings(&self) -> Problems {
        let mut problems = Problems::default();
        let kept = self.policy.policies().iter().any(|policy| policy.keeps_goals());
        for (i, used) in self.kernels.iter().enumerate().filter(|(_, used)| used.qos.is_some() && !kept) {
            let found = format!("a goal for {}, which policy {} does not know", used.kernel.short_name(), self.policy.name());
            problems.add(format!("kernels[{i}].qos"), found, "a policy that keeps goals, or none");
        }
        if kept && self.kernels.iter().all(|used| used.qos.is_none()) {
            let found = format!("no goal for any kernel under policy {}, which keeps goals", self.policy.name());
            problems.add("kernels", found, "a goal for one at least: {\"kernel\": NAME, \"qos\": 0.8}");
        }
        problems
    }

    /// What the policy's parameters are read against.
    pub fn mix(&self) -> Mix<'static> {
        Mix { goals_fit: self.goals_fit(), ..mix_of(&self.gpu, self.kernels.len(), self.warp_order) }
    }

    /// Whether every SM holds a CTA of each kernel that has a goal at once, of those that it holds at all.
    fn goals_fit(&self) -> bool {
        let costs = self.cta_costs();
        self.gpu.sms.iter().zip(self.gpu.class_sms()).all(|(class, sms)| {
            let (whole, costs) = (Resources::of_class(class), &costs[sms.start as usize]);
            let mut used = Resources::default();
            let promised = KernelId::first(self.kernels.len()).zip(&self.kernels).filter(|(_, used)| used.qos.is_some());
            for (kernel, _) in promised.filter(|(kernel, _)| Resources::default().fits(costs[*kernel], whole)) {
                used.add(costs[kernel]);
            }
            Resources::default().fits(used, whole)
        })
    }

    /// CTAs of each kernel that each SM holds when it holds nothing else, within the kernel's own limit. For a sequence of launches, the
    /// fewest of those that fit the SM at all.
    pub fn cta_limits(&self) -> Vec<PerKernel<u32>> {
        self.on_each_sm(|used, class| used.own_limit(class, used.ctas_held(class).filter(|&ctas| ctas > 0).min().unwrap_or(0)))
    }

    /// CTAs of each kernel that each SM holds when it holds nothing else, within the kernel's own limit. For a sequence of launches, the
    /// most.
    pub fn most_ctas(&self) -> Vec<PerKernel<u32>> {
        self.on_each_sm(|used, class| used.own_limit(class, used.ctas_held(class).max().unwrap_or(0)))
    }

    /// What a CTA of the launch that `launch` says of each kernel takes of each SM, and how many of them the SM holds when it holds nothing else,
    /// within the kernel's own limit.
    pub fn of_launches(&self, launch: impl Fn(KernelId) -> LaunchId) -> Vec<PerKernel<(Resources, u32)>> {
        let launches: Vec<&Launch> =
            KernelId::first(self.kernels.len()).zip(&self.kernels).map(|(kernel, used)| used.kernel.launch(launch(kernel))).collect();
        let of = |sm| {
            let class = self.gpu.class_of(sm);
            let mut each = PerKernel::all((Resources::default(), 0));
            for (kernel, (used, launch)) in KernelId::first(self.kernels.len()).zip(self.kernels.iter().zip(&launches)) {
                each[kernel] = (Resources::of_cta(launch, class), used.own_limit(class, occupancy::of(launch, class).ctas));
            }
            each
        };
        (0..self.gpu.sm_count()).map(of).collect()
    }

    /// What a CTA of each kernel takes of each SM. For a sequence of launches, the most of each resource.
    pub fn cta_costs(&self) -> Vec<PerKernel<Resources>> {
        self.on_each_sm(|used, class| {
            used.kernel.launches.iter().map(|launch| Resources::of_cta(launch, class)).fold(Resources::default(), Resources::most)
        })
    }

    /// CTAs of each launch of each kernel's run that an SM of the uniform GPU holds when it holds nothing else, within the kernel's own limit.
    pub fn uniform_ctas(&self) -> Vec<Vec<u32>> {
        let class = &self.gpu.uniform().sms[0];
        let of_kernel = |used: &KernelUse| {
            let held: Vec<u32> = used.ctas_held(class).map(|ctas| used.own_limit(class, ctas)).collect();
            used.kernel.sequence().map(|(at, _)| held[at]).collect()
        };
        self.kernels.iter().map(of_kernel).collect()
    }

    /// CTAs of each kernel's launch. For a sequence of launches, the most.
    pub fn grids(&self) -> Vec<u32> {
        let most = |used: &KernelUse| used.kernel.grids().map(Dim3::ctas).max().unwrap_or(0);
        self.kernels.iter().map(most).collect()
    }

    fn on_each_sm<T: Copy + Default>(&self, of: impl Fn(&KernelUse, &SmClass) -> T) -> Vec<PerKernel<T>> {
        let on = |class: &SmClass| {
            let mut each = PerKernel::all(T::default());
            for (kernel, used) in KernelId::first(self.kernels.len()).zip(&self.kernels) {
                each[kernel] = of(used, class);
            }
            each
        };
        self.gpu.sms.iter().flat_map(|class| core::iter::repeat_n(on(class), class.count as usize)).collect()
    }

    /// The experiment that measures a kernel's IPC alone, as long as this one. It has the kernel's own maximum of CTAs, and the whole GPU and the order
    /// of warps of this run, or those that are given for this.
    pub fn alone(&self, kernel: KernelId) -> Experiment {
        let used = &self.kernels[kernel.index()];
        Experiment {
            name: format!("{} alone", used.kernel.short_name()),
            kernels: alloc::vec![KernelUse { qos: None, ..used.clone() }],
            policy: PolicySpec::leftover(),
            warp_order: self.alone_warp_order.unwrap_or(self.warp_order),
            gpu: self.alone_gpu.clone().unwrap_or_else(|| self.gpu.clone()),
            stop: self.stop.alone(),
            alone: false,
            alone_gpu: None,
            alone_warp_order: None,
            ..self.clone()
        }
    }

    /// The runs alone whose IPC this experiment's result needs, each with the hash that names it: equal runs have equal hashes.
    pub fn alone_runs(&self) -> Vec<(KernelId, String, Experiment)> {
        let kernels = if self.alone { self.kernels.len() } else { 0 };
        let run = |kernel| {
            let alone = self.alone(kernel);
            (kernel, alone.config_hash(), alone)
        };
        KernelId::first(kernels).map(run).collect()
    }

    /// What a result calls each kernel: its name without the paper, or its whole name where another kernel of the mix would be called the same. Uses of
    /// one kernel have numbers.
    pub fn labels(&self) -> Vec<String> {
        let names = names(&self.kernels);
        let uses = |name: &str, of: &[&str]| of.iter().filter(|other| **other == name).count();
        let label = |(at, name): (usize, &&str)| {
            if uses(name, &names) > 1 { format!("{name} #{}", uses(name, &names[..=at])) } else { (*name).to_string() }
        };
        names.iter().enumerate().map(label).collect()
    }

    /// The canonical form, complete after defaults; `decode` reads it back to an equal experiment.
    pub fn encode(&self) -> Value {
        let mut pairs =
            alloc::vec![("corun", Value::from(VERSION)), ("name", self.name.as_str().into()), ("source", self.source.as_str().into())];
        pairs.extend(self.decisive(Kernel::encode, self.policy.encode(self.mix())));
        Value::object(pairs)
    }

    /// What decides the run: everything but the texts for people.
    fn decisive(&self, kernel: fn(&Kernel) -> Value, policy: Value) -> Vec<(&'static str, Value)> {
        let written = |gpu: &Gpu| {
            let preset = [("preset".to_string(), Value::from(gpu.name.as_str()))];
            Value::Object(preset.into_iter().chain(change::all(gpu)).collect())
        };
        let kernels = self.kernels.iter().map(|used| {
            let mut pairs = alloc::vec![("kernel", kernel(&used.kernel))];
            pairs.extend(used.ctas_per_sm.as_ref().map(|limit| ("ctas_per_sm", limit.write())));
            pairs.extend(used.qos.map(|goal| ("qos", goal.write())));
            Value::object(pairs)
        });
        let mut pairs = alloc::vec![
            ("seed", self.seed.into()),
            ("gpu", written(&self.gpu)),
            ("kernels", Value::array(kernels)),
            ("policy", policy),
            ("warp_order", encode_warp_order(self.warp_order).into()),
            ("cta_order", self.cta_order.encode_short(self.mix())),
            ("stop", self.stop.write()),
            ("restart", self.restart.into()),
            ("alone", self.alone.into()),
        ];
        pairs.extend(self.alone_gpu.as_ref().map(|gpu| ("alone_gpu", written(gpu))));
        pairs.extend((self.warm_up != WarmUp::of(&self.gpu, self.stop)).then(|| ("warm_up", self.warm_up.write())));
        pairs.extend(self.alone_warp_order.map(|order| ("alone_warp_order", encode_warp_order(order).into())));
        pairs
    }

    /// The experiment's hash, sixteen hexadecimal digits: FNV-1a over the canonical form after defaults, without texts for people and, unless the
    /// policy is told of it, how kernels also run alone: equal runs have equal hashes.
    pub fn config_hash(&self) -> String {
        self.hash_without(&[])
    }

    /// The experiment's hash without when the run ends: equal for runs of which one is the beginning of the other.
    pub fn trunk_hash(&self) -> String {
        self.hash_without(&["stop"])
    }

    fn hash_without(&self, keys: &[&str]) -> String {
        let decisive = self.decisive(Kernel::encode_decisive, self.policy.encode_decisive(self.mix()));
        // Runs alone change nothing of the run itself, unless its policy is told of them.
        let told = self.policy.policies().iter().any(|policy| policy.needs().by.contains(&By::AsLong));
        let alone: &[&str] = if told { &["alone"] } else { &["alone", "alone_gpu", "alone_warp_order"] };
        let decisive = decisive.into_iter().filter(|(key, _)| !alone.contains(key) && !keys.contains(key));
        let mut hash = Fnv::default();
        hash.write(Value::object(decisive).to_string().as_bytes());
        hex(hash.finish())
    }
}

/// The presets of which an SM holds a CTA of a launch, as what to do about one that does not.
fn elsewhere(launch: &Launch) -> String {
    let holds = |preset: &&Preset| {
        let gpu = presets::find(preset.name);
        gpu.is_some_and(|gpu| gpu.sms.iter().any(|class| occupancy::of(launch, class).ctas > 0))
    };
    let names: Vec<&str> = presets::PRESETS.iter().filter(holds).map(|preset| preset.name).collect();
    if names.is_empty() { String::new() } else { format!("; it fits {}", names.join(", ")) }
}

/// Names without the paper, or whole ones where two kernels would be called the same.
fn names(kernels: &[KernelUse]) -> Vec<&str> {
    let kernels = || kernels.iter().map(|used| &used.kernel);
    let shared = |kernel: &Kernel| kernels().any(|other| other.name != kernel.name && other.short_name() == kernel.short_name());
    kernels().map(|kernel| if shared(kernel) { &kernel.name } else { kernel.short_name() }).collect()
}

/// What a policy's parameters are read against, as far as the GPU says.
fn mix_of(gpu: &Gpu, kernels: usize, warp_order: WarpOrder) -> Mix<'static> {
    Mix {
        path: "policy",
        kernels,
        sms: gpu.sm_count() as usize,
        channels: gpu.dram.channels as usize,
        core_mhz: gpu.core_mhz,
        vendor: vendor::of(gpu),
        lines_stay: gpu.owns(),
        classes: gpu.sms.len(),
        smallest_class: gpu.sms.iter().map(|class| class.count as usize).min().unwrap_or(0),
        limits: &[],
        goals_fit: true,
        warp_order,
    }
}

/// Changes one field of an experiment before it is read: `path` as in `gpu.sm.count`, `policy.combination[1]`, `seed`; what follows `gpu.` is one
/// field name. Missing objects are made.
pub fn set_path(value: &mut Value, path: &str, new: Value) -> Result<(), Problems> {
    let mut steps: Vec<String> = Vec::new();
    let (head, gpu_field) = match path.strip_prefix("gpu.") {
        Some(rest) => ("gpu", Some(rest)),
        None => (path, None),
    };
    for part in head.split('.') {
        let (name, rest) = part.split_once('[').map_or((part, ""), |(name, rest)| (name, rest));
        steps.push(name.to_string());
        steps.extend(rest.split('[').filter(|index| !index.is_empty()).map(|index| format!("[{}", index.trim_end_matches(']'))));
    }
    steps.extend(gpu_field.map(ToString::to_string));
    let fail = |found: &str, want: &str| {
        let mut problems = Problems::default();
        problems.add(path, found, want);
        Err(problems)
    };
    let mut at = value;
    for (depth, step) in steps.iter().enumerate() {
        // A name stands for an object that has it: a preset, or a policy or CTA order that gets parameters.
        if let Value::Str(name) = at {
            let key = if depth == 1 && steps[0] == "gpu" {
                "preset"
            } else if matches!(steps[0].as_str(), "policy" | "cta_order") {
                "name"
            } else {
                "kernel"
            };
            *at = Value::object([(key, name.as_str())]);
        }
        if let Some(index) = step.strip_prefix('[') {
            let Value::Array(items) = at else { return fail("no list there", "a path that exists") };
            let Some(item) = index.parse::<usize>().ok().and_then(|index| items.get_mut(index)) else {
                return fail("no such element", "the index of an element");
            };
            at = item;
        } else {
            if *at == Value::Null {
                *at = if depth == 1 && steps[0] == "gpu" { Value::object([("preset", DEFAULT_GPU)]) } else { Value::Object(Vec::new()) };
            }
            let Value::Object(pairs) = at else { return fail("no object there", "a path that exists") };
            let place = match pairs.iter().position(|(key, _)| key == step) {
                Some(place) => place,
                None => {
                    pairs.push((step.clone(), Value::Null));
                    pairs.len() - 1
                }
            };
            at = &mut pairs[place].1;
        }
    }
    *at = new;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::ids::MAX_KERNELS;
    use crate::describe::kernel::{MAX_ALU, Op, library};

    /// The default name of a mix may be longer than a name in an experiment.
    #[test]
    fn the_longest_mix_reads_back_equal() {
        let kernels = (0..MAX_KERNELS).map(|_| {
            let mut kernel = library::find("ccbp/BP").unwrap();
            kernel.name = "é".repeat(40);
            kernel.encode()
        });
        let value = Value::object([("corun", Value::from(VERSION)), ("kernels", Value::array(kernels))]);
        let experiment = Experiment::decode(&value).unwrap();
        assert_eq!(Experiment::decode(&experiment.encode()), Ok(experiment));
    }

    /// The largest factor on the largest count gives a count that a Program may have; a larger one is an error.
    #[test]
    fn the_most_arithmetic_reads_back_equal() {
        let experiment = |count: u32, factor: f64| {
            let mut kernel = library::find("VADD").unwrap();
            kernel.launches[0].program = alloc::vec![Op::Alu { count, latency: 4, lanes: 32 }];
            let kernel = Value::object([("kernel", kernel.encode()), ("arithmetic", factor.into())]);
            Experiment::decode(&Value::object([("corun", Value::from(VERSION)), ("kernels", Value::array([kernel]))]))
        };
        let most = experiment(1 << 24, 100.0).unwrap();
        assert_eq!(Experiment::decode(&most.encode()), Ok(most));
        for (count, factor) in [(1 << 25, 100.0), (MAX_ALU, 100.0), (MAX_ALU, 1.01)] {
            let problems = experiment(count, factor).unwrap_err();
            assert_eq!(problems.0.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), ["kernels[0].arithmetic"]);
        }
    }

    /// Results call kernels by short names, unless two kernels would be called the same.
    #[test]
    fn labels_tell_kernels_apart() {
        let labels = |names: &[&str]| {
            let kernels = names.iter().map(|name| match library::find(name) {
                Some(_) => Value::from(*name),
                None => Kernel { name: name.to_string(), ..library::find("VADD").unwrap() }.encode(),
            });
            let value = Value::object([("corun", Value::from(VERSION)), ("kernels", Value::array(kernels))]);
            let experiment = Experiment::decode(&value).unwrap();
            (experiment.labels().join(" "), experiment.name.replace(" + ", " "))
        };
        for (names, said) in [
            (&["ccbp/BP", "ccbp/CFD", "qos/SGEMM"][..], "BP CFD SGEMM"),
            (&["ccbp/BP", "ikra/BP", "ccbp/CFD"], "ccbp/BP ikra/BP CFD"),
            (&["VADD", "latency/VADD"], "VADD latency/VADD"),
            (&["my/own", "own", "odd/"], "my/own own odd/"),
        ] {
            assert_eq!(labels(names), (said.to_string(), said.to_string()));
        }
        assert_eq!(labels(&["ccbp/BP", "ccbp/CFD", "ccbp/BP"]), ("BP #1 CFD BP #2".into(), "BP CFD BP".into()), "uses of one kernel");
    }

    /// A kernel of which only the first launches are kept is that kernel written out with these alone.
    #[test]
    fn a_kernel_can_be_cut_off_after_a_launch() {
        let experiment = |kernel: Value| {
            Experiment::decode(&Value::object([
                ("corun", Value::from(VERSION)),
                ("gpu", "tiny-2sm".into()),
                ("kernels", Value::array([kernel])),
            ]))
        };
        let first = library::find("VADD").unwrap();
        let mut twice = first.clone();
        twice.launches.push(first.launches[0].clone());
        let cut = |launches: i64| experiment(Value::object([("kernel", twice.encode()), ("launches", launches.into())]));
        assert_eq!(cut(9).unwrap(), experiment(twice.encode()).unwrap());
        assert_eq!(cut(1).unwrap(), experiment(first.encode()).unwrap());
        assert_eq!(cut(0).unwrap_err().0[0].path, "kernels[0].launches");
    }

    /// Kernels alone on another GPU: it is the same run, with other slowdowns.
    /// Parameters as the order has them by itself are not written: the hash is that of its name alone.
    #[test]
    fn a_cta_order_is_its_name_and_what_differs_from_its_defaults() {
        let read = |set: &[(&str, Value)]| {
            let mut value = Value::object([("corun", Value::from(1)), ("kernels", Value::array(["ccbp/BP"]))]);
            set.iter().for_each(|(path, new)| set_path(&mut value, path, new.clone()).unwrap());
            Experiment::decode(&value).unwrap()
        };
        let written = |experiment: &Experiment| experiment.encode().get("cta_order").unwrap().to_string();
        let plain = read(&[("cta_order", "steal".into())]);
        let same = read(&[("cta_order", "steal".into()), ("cta_order.wrap", false.into()), ("cta_order.entries", 32.into())]);
        assert_eq!((written(&plain), plain.config_hash()), (r#""steal""#.to_string(), same.config_hash()));
        let wrapped = read(&[("cta_order", "steal".into()), ("cta_order.wrap", true.into())]);
        assert!(
            written(&wrapped).starts_with(r#"{"name":"steal","wrap":true,"scan":"next""#) && wrapped.config_hash() != plain.config_hash()
        );
        assert_eq!(Experiment::decode(&wrapped.encode()).unwrap(), wrapped);
        assert_eq!(written(&read(&[])), r#""round-robin""#);
    }

    #[test]
    fn kernels_may_run_alone_on_another_gpu() {
        let experiment = |more: Option<(&str, Value)>| {
            let kernels = Value::array([Value::from("ccbp/BP"), "ccbp/CFD".into()]);
            let pairs = [("corun", Value::from(VERSION)), ("gpu", "hetero-8b8s".into()), ("kernels", kernels)];
            Experiment::decode(&Value::object(pairs.into_iter().chain(more))).unwrap()
        };
        let (own, other) = (experiment(None), experiment(Some(("alone_gpu", "fermi-16sm".into()))));
        assert_eq!(own.config_hash(), other.config_hash());
        assert_eq!(Experiment::decode(&other.encode()), Ok(other.clone()));
        assert_eq!([&own, &other].map(|of| of.alone(KernelId(0)).gpu.name), ["hetero-8b8s", "fermi-16sm"]);
        assert_eq!(other.alone(KernelId(0)).alone_gpu, None);
    }

    /// "Slower than alone" compares with the run's own order of warps; a paper's convention is said by its experiments.
    #[test]
    fn kernels_run_alone_in_the_runs_own_warp_order() {
        let experiment = |own: &str, alone: Option<&str>| {
            let pairs = [("corun", Value::from(VERSION)), ("kernels", Value::array(["ccbp/BP"])), ("warp_order", own.into())];
            Experiment::decode(&Value::object(pairs.into_iter().chain(alone.map(|order| ("alone_warp_order", order.into())))))
        };
        let order = |own, alone| experiment(own, alone).unwrap().alone(KernelId(0)).warp_order;
        assert_eq!([order("lrr", None), order("lrr+gto", None)], [WarpOrder::Lrr, WarpOrder::LrrGto]);
        assert_eq!(order("lrr", Some("gto")), WarpOrder::Gto);
        let [own, said] = [None, Some("gto")].map(|alone| experiment("lrr", alone).unwrap());
        assert_eq!((own.config_hash(), said.alone(KernelId(0)).alone_warp_order), (said.config_hash(), None));
        assert_eq!(Experiment::decode(&said.encode()), Ok(said));
        let promised = |alone: Option<&str>| {
            let kernel = Value::object([("kernel", Value::from("ccbp/BP")), ("qos", 0.5.into())]);
            let pairs = [("corun", Value::from(VERSION)), ("kernels", Value::array([kernel])), ("policy", "qos-rollover".into())];
            Experiment::decode(&Value::object(pairs.into_iter().chain(alone.map(|order| ("alone_warp_order", order.into()))))).unwrap()
        };
        let [own, said] = [None, Some("gto")].map(|alone| promised(alone).config_hash());
        assert_ne!(own, said, "a policy that is told what a kernel does alone decides by it");
        let wrong = experiment("lrr", Some("gto-groups(64)")).unwrap_err().to_string();
        assert!(wrong.starts_with("alone_warp_order: found gto-groups(64), want groups of at most "), "{wrong}");
    }

    /// A goal that nobody keeps is said, and is no error; the run alone is the same with any goal.
    #[test]
    fn a_goal_under_a_policy_without_goals_is_a_warning() {
        let experiment = |qos: Value, policy: Value| {
            let kernel = Value::object([("kernel", Value::from("ccbp/BP")), ("qos", qos)]);
            let mix = Value::array([Value::from("ccbp/CFD"), kernel]);
            Experiment::decode(&Value::object([("corun", Value::from(VERSION)), ("kernels", mix), ("policy", policy)])).unwrap()
        };
        let warned = experiment(0.5.into(), "even".into());
        let text = "kernels[1].qos: found a goal for BP, which policy even does not know, want a policy that keeps goals, or none";
        assert_eq!(warned.warnings().to_string().trim(), text);
        let other = experiment(Value::object([("ipc", 100)]), "even".into());
        assert_eq!(Experiment::decode(&other.encode()), Ok(other.clone()));
        let alone = |experiment: &Experiment| experiment.alone(KernelId(1)).config_hash();
        assert_eq!(alone(&other), alone(&warned));
        assert_ne!(other.config_hash(), warned.config_hash());
    }

    /// Does a kernel with a factor of arithmetic issue that many more instructions, and the same memory accesses?
    /// For editors: it is no part of what runs.
    #[test]
    fn the_name_of_a_schema_changes_nothing() {
        let of = |schema: &str| Experiment::from_json(&format!(r#"{{{schema} "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP"]}}"#));
        let (plain, named) = (of("").unwrap(), of(r#""$schema": "experiment.schema.json","#).unwrap());
        assert_eq!((plain.config_hash(), plain.encode()), (named.config_hash(), named.encode()));
        assert_eq!(of(r#""$schema": 3,"#).unwrap_err().to_string(), "$schema: found 3, want text of at most 2000 characters");
    }

    /// What `explain` writes of a part is run again.
    #[test]
    fn a_rate_too_small_for_the_part_is_refused_on_the_whole() {
        let of = |kernel: &str, policy: &str| {
            let text =
                format!(r#"{{"corun": 1, "gpu": "ccbp-16sm", "scale": "1/2", "kernels": [{kernel}, "ccbp/SAD"], "policy": {policy}}}"#);
            Experiment::from_json(&text)
        };
        let goal = |ipc: f64| of(&format!(r#"{{"kernel": "ccbp/BP", "qos": {{"ipc": {ipc}}}}}"#), r#""qos-naive""#);
        let (naive, smk) = (r#"{"name": "qos-naive", "ipc_alone": [90, RATE]}"#, r#"{"name": "smk", "warp_ipc_alone": [3, RATE]}"#);
        let promised = r#"{"kernel": "ccbp/BP", "qos": 0.5}"#;
        for (found, path) in [
            (goal(0.001), "kernels[0].qos.ipc"),
            (of(promised, &naive.replace("RATE", "0.001")), "policy.ipc_alone[1]"),
            (of(r#""ccbp/BP""#, &smk.replace("RATE", "0.001")), "policy.warp_ipc_alone[1]"),
        ] {
            assert_eq!(
                found.unwrap_err().to_string(),
                format!("{path}: found 0.001, with scale 1/2 0.0005, want at least 0.002, or no scale")
            );
        }
        for least in [goal(0.002), of(promised, &naive.replace("RATE", "0.002")), of(r#""ccbp/BP""#, &smk.replace("RATE", "0.002"))] {
            let least = least.unwrap();
            assert_eq!(Experiment::decode(&least.encode()).unwrap().config_hash(), least.config_hash());
        }
    }

    #[test]
    fn arithmetic_scales_what_stands_between_memory_accesses() {
        let experiment = |kernel: Value| {
            Experiment::decode(&Value::object([
                ("corun", Value::from(VERSION)),
                ("gpu", "tiny-2sm".into()),
                ("kernels", Value::array([kernel])),
            ]))
        };
        let scaled = |factor: f64| Value::object([("kernel", Value::from("ccbp/SAD")), ("arithmetic", factor.into())]);
        let counts = |experiment: &Experiment| -> Vec<u32> {
            let ops = experiment.kernels[0].kernel.launches.iter().flat_map(|launch| &launch.program);
            ops.filter_map(|op| if let Op::Alu { count, .. } = op { Some(*count) } else { None }).collect()
        };
        let (plain, more) = (experiment("ccbp/SAD".into()).unwrap(), experiment(scaled(1.2)).unwrap());
        assert_eq!(counts(&more), counts(&plain).iter().map(|&n| (f64::from(n) * 1.2 + 0.5) as u32).collect::<Vec<_>>());
        assert_ne!(more.config_hash(), plain.config_hash());
        assert_eq!(experiment(scaled(1.0)).unwrap(), plain);
        assert!(counts(&experiment(scaled(0.01)).unwrap()).iter().all(|&n| n >= 1));
        let problems = experiment(scaled(-1.0)).unwrap_err();
        assert_eq!(problems.0[0].path, "kernels[0].arithmetic");
    }
}

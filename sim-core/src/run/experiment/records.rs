//! What an experiment looks like in JSON, and how it is read.

use super::warm_up::{self, WarmUp};
use super::{KernelUse, Settled, Stop, mix_of, names, scale};
use crate::describe::error::Problems;
use crate::describe::goal::{GOAL, Goal};
use crate::describe::gpu::Gpu;
use crate::describe::gpu::change::{self, ANY_GPU};
use crate::describe::ids::MAX_KERNELS;
use crate::describe::kernel::records::KERNEL;
use crate::describe::kernel::{Kernel, MAX_ALU, library};
use crate::describe::path::{element, field};
use crate::describe::record::Absent::{self, Int, Name, Needed, Words};
use crate::describe::record::schema::MAX_SCHEMA;
use crate::describe::record::{Datum, Names, Shape, int, is_right, list, number, record, rule, text};
use crate::describe::scale::{PARTS, Scale};
use crate::describe::value::Value;
use crate::interface::controls::{WARP_ORDER, WarpOrder};
use crate::machine::dispatch::order::{CtaOrderInfo, CtaOrderSpec};
use crate::policy::PolicySpec;
use crate::policy::spec::{Entry, MEMBERS, Mix, POLICY};
use crate::run::confidence::FIGURES;
use crate::run::cta_limit::CTA_LIMIT;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Version of the experiment format.
pub const VERSION: i64 = 1;

/// Longest run, cycles.
pub const MAX_CYCLES: u64 = 10_000_000_000_000;

/// Most cycles until every kernel is done, where nothing is said of it.
const DONE_WITHIN: u64 = 1_000_000_000_000;

/// Largest seed: what JavaScript holds exactly.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// What to do with more kernels than a mix may have.
const FEWER_KERNELS: &str = "a stream's kernels can be launches of one kernel, and clients that are alike one kernel with more CTAs";

/// Longest name of an experiment, characters.
const LONGEST_NAME: usize = 200;

/// Where an experiment may name its schema, so that an editor completes and checks it.
const SCHEMA: &str = "$schema";

/// When nothing else is said.
const DEFAULT_CYCLES: u64 = 1_000_000;

/// The GPU when nothing else is said.
pub(super) const DEFAULT_GPU: &str = "ccbp-16sm";

rule! {
    /// No warm-up before a run that ends with its kernels.
    pub WARM_UP = "warm_up";

    /// With stop.settled kernels restart: the IPC of a kernel that has ended falls for ever.
    pub RESTARTS = "restarts";

    /// Arithmetic makes no count of a Program larger than one may be, and recorded kernels have no other.
    pub COUNTS = "counts";

    /// A CTA of each launch fits an SM of some class, also on alone_gpu.
    pub CTA_FITS = "cta_fits";

    /// `carve_out` in bytes is a size that the GPU's SMs can have, where they can be divided.
    pub CARVES = "carves";

    /// `ctas_per_sm` of a class is at most what fits an SM of it, and the class is one of this GPU or of a preset.
    pub LIMIT_FITS = "limit_fits";

    /// A kernel's arrays have at most 2^28 lines of L2.
    pub ADDRESSES = "addresses";

    /// The recording of a recorded launch is at hand, and has it: so many CTAs, of so many warps, within the kernel's arrays.
    pub AT_HAND = "at_hand";

    /// `gto-groups(N)` has at most as many warps as a scheduler, also where kernels run alone.
    pub GROUPS = "groups";

    /// A goal asks for at most the GPU's peak IPC.
    pub PEAK = "peak";

    /// `scale` divides the SMs of each class, the L2 banks and the DRAM channels, also of alone_gpu. The NoC is no mesh, CTAs go round-robin, grids
    /// stay from repeat to repeat. The policy has no controls or program, no curves that are measured online, and no `spart` that
    /// climbs. Of SMs and DRAM channels that it gives, which are rounded down, one is left at least, and of rates 0.001.
    pub SCALES = "scales";
}

/// The names of the library's kernels.
static LIBRARY: Names = Names {
    names: library::names,
    shorter: Vec::new,
    known: |name| library::find(name).is_some(),
    want: |name| format!("{}, or a full kernel", library::near(name)),
    what: "a kernel",
};

/// A kernel by name or in full.
const A_KERNEL: Shape = Shape::Forms { of: &[Shape::Listed(&LIBRARY), Shape::Record(&KERNEL)], want: KERNEL_WANT };

const KERNEL_WANT: &str = "a kernel's name, or a full kernel: an object with name, arrays and launches";

/// Makes `Experiment` and its record. Fields that stand for something else than what is written, or that are read against others, are
/// `resolved`. `plain` ones are what is written. `spent` ones are used up: what they made of the others is kept.
macro_rules! experiment {
    (
        $(#[doc = $rdoc:literal])+ rules [$($rule:expr),+];
        resolved { $( $(#[doc = $rd:literal])+ $r:ident: $R:ty = $rshape:expr, $rabsent:expr; )* }
        plain { $( $(#[doc = $pd:literal])+ $p:ident: $P:ty = $pshape:expr, $pabsent:expr; )* }
        spent { $( $(#[doc = $sd:literal])+ $s:ident = $sshape:expr, $sabsent:expr; )* }
    ) => {
        $(#[doc = $rdoc])+
        #[derive(Clone, PartialEq, Debug)]
        pub struct Experiment {
            $( $(#[doc = $rd])+ pub $r: $R, )*
            $( $(#[doc = $pd])+ pub $p: $P, )*
        }

        record! {
            $(#[doc = $rdoc])+
            pub static EXPERIMENT "Experiment", "an experiment: an object", rules [$($rule),+];
            /// Version of the format.
            corun = int!(VERSION, VERSION), Needed;
            $( $(#[doc = $rd])+ $r = $rshape, $rabsent; )*
            $( $(#[doc = $pd])+ $p = $pshape, $pabsent; )*
            $( $(#[doc = $sd])+ $s = $sshape, $sabsent; )*
        }

        impl Experiment {
            /// The experiment with these resolved parts and with what is written of the rest.
            #[allow(clippy::too_many_arguments, reason = "each field once")]
            fn of_parts(value: &Value, $($r: $R),*) -> Experiment {
                $( let $p = Datum::read(&EXPERIMENT.taken(value, stringify!($p))); )*
                Experiment { $($r,)* $($p,)* }
            }
        }
    };
}

experiment! {
    /// An experiment: one GPU, the kernels on it, how they share it, and when to stop.
    rules [&WARM_UP, &RESTARTS, &COUNTS, &CTA_FITS, &CARVES, &LIMIT_FITS, &ADDRESSES, &AT_HAND, &GROUPS, &PEAK, &SCALES, &crate::interface::spec::FITS_THE_MIX, &MEMBERS];
    resolved {
        /// Name, for people.
        name: String = text!(LONGEST_NAME), Words("the kernels' names");
        /// The hardware: a preset, or a preset with changes.
        gpu: Gpu = ANY_GPU, Name(DEFAULT_GPU);
        /// The mix.
        kernels: Vec<KernelUse> = list!(
            Shape::Forms { of: &[Shape::Listed(&LIBRARY), Shape::Record(&USE), Shape::Record(&KERNEL)], want: KERNEL_WANT },
            1, MAX_KERNELS, "kernels", FEWER_KERNELS
        ), Needed;
        /// Order in which a scheduler considers its ready warps.
        warp_order: WarpOrder = Shape::Pattern(&WARP_ORDER), Words("the GPU's");
        /// Order in which CTAs are placed.
        cta_order: CtaOrderSpec = Shape::Entry(CtaOrderInfo::ENTRIES), Name("round-robin");
        /// How the kernels share the GPU.
        policy: PolicySpec = POLICY, Name("even");
        /// How long it runs before anything is measured, after the policy has settled. So many cycles, or, `settled`, until L2 has filled as far as the
        /// kernels fill it. stop.cycles and stop.settled count from there on.
        warm_up: WarmUp = warm_up::WARM_UP, Words("as the GPU's measure_from says; none where kernels run to their end");
        /// The GPU on which each kernel is run by itself.
        alone_gpu: Option<Gpu> = Shape::Nullable(&ANY_GPU), Words("the run's own");
    }
    plain {
        /// What it reproduces or where it comes from.
        source: String = text!(400), Name("");
        /// Seed of every draw.
        seed: u64 = int!(0, MAX_SEED), Int(1);
        /// When the run ends.
        stop: Stop = STOP, Words("after a million cycles");
        /// Whether a kernel that has run to its end starts again.
        restart: bool = Shape::Flag, Absent::Flag(true);
        /// Whether each kernel is also run by itself, so that slowdowns exist.
        alone: bool = Shape::Flag, Absent::Flag(true);
        /// Order in which a scheduler considers its ready warps where a kernel is run by itself.
        alone_warp_order: Option<WarpOrder> = Shape::Nullable(&Shape::Pattern(&WARP_ORDER)), Words("the run's own");
    }
    spent {
        /// Part of the GPU, and of each kernel's grids, rows and shared arrays, that is run in place of the whole.
        scale = Shape::Choice(PARTS), Name("1");
    }
}

record! {
    /// A kernel of the mix with this experiment's settings for it.
    pub static USE "KernelUse", "a kernel", tag "kernel";
    /// The kernel.
    kernel = A_KERNEL, Needed;
    /// CTAs that it may hold on an SM, whatever the policy; on every SM, or by class of SMs.
    ctas_per_sm ["CTAs"] = CTA_LIMIT, Words("what fits");
    /// What it is promised, for policies that keep goals.
    qos = GOAL, Words("nothing");
    /// Factor on the arithmetic instructions between its memory accesses.
    arithmetic = number!(0.01, 100.0), Words("1");
    /// Launches after which it is cut off.
    launches ["launches"] = int!(1, u16::MAX), Words("all");
}

/// What a stop condition looks like.
const WANT_STOP: &str = "{\"cycles\": N}, {\"kernels_done\": true} or {\"settled\": 0.01}";

const STOP: Shape = Shape::Forms { of: &[Shape::Record(&SETTLED), Shape::Record(&CYCLES), Shape::Record(&DONE)], want: WANT_STOP };

record! {
    /// A run of a length, or at most of a length.
    pub static CYCLES "StopAfter", WANT_STOP, tag "cycles";
    /// How long it runs, or at most runs.
    cycles ["cycles"] = int!(1, MAX_CYCLES), Needed;
    /// Whether it ends before, once every kernel has run to its end.
    kernels_done = Shape::Flag, Absent::Flag(false);
}

record! {
    /// A run that ends once every kernel has run to its end.
    pub static DONE "StopWhenDone", WANT_STOP, tag "kernels_done";
    /// True.
    kernels_done = Shape::True, Needed;
}

record! {
    /// A run that ends when it knows what it measures.
    pub static SETTLED "StopWhenSettled", WANT_STOP, tag "settled";
    /// Half of the 95 % interval of each figure, as a part of the figure itself; of a goal, unless its interval excludes it.
    settled = Shape::Between { above: 0.0, below: 1.0 }, Needed;
    /// The figures, of each kernel.
    of = list!(Shape::Choice(&FIGURES), 1, FIGURES.len(), "figures of a kernel"), Words("IPC");
    /// Measured cycles after which it ends all the same.
    at_most ["cycles"] = int!(1, MAX_CYCLES), Int(20_000_000);
}

impl Datum for Stop {
    fn read(value: &Value) -> Self {
        if value.get("settled").is_some() {
            let places = SETTLED.taken(value, "of");
            let bit = |name: &Value| FIGURES.iter().position(|path| name.as_str() == Some(path)).unwrap_or(0);
            let of = places.items().iter().fold(0, |bits, name| bits | 1 << bit(name));
            return Stop::Settled(Settled {
                within: f64::read(&SETTLED.taken(value, "settled")),
                of: if of == 0 { 1 } else { of },
                at_most: u64::read(&SETTLED.taken(value, "at_most")),
            });
        }
        let cycles = value.get("cycles").map(u64::read);
        match (value.get("kernels_done").is_some_and(bool::read), cycles) {
            (true, cycles) => Stop::KernelsDone { at_most: cycles.unwrap_or(DONE_WITHIN) },
            (false, cycles) => Stop::Cycles(cycles.unwrap_or(DEFAULT_CYCLES)),
        }
    }

    fn write(&self) -> Value {
        match *self {
            Stop::Cycles(cycles) => Value::object([("cycles", cycles)]),
            Stop::KernelsDone { at_most } => Value::object([("kernels_done", Value::from(true)), ("cycles", at_most.into())]),
            Stop::Settled(Settled { within, of, at_most }) => {
                let paths = FIGURES.iter().enumerate().filter(|(i, _)| of & 1 << i != 0).map(|(_, path)| *path);
                Value::object([("settled", Value::from(within)), ("of", Value::array(paths)), ("at_most", at_most.into())])
            }
        }
    }
}

impl Experiment {
    /// Reads an experiment from JSON text; on failure, everything that is wrong with it.
    pub fn from_json(text: &str) -> Result<Experiment, Problems> {
        Experiment::decode(&Value::from_json(text)?)
    }

    /// Reads an experiment; on failure, everything that is wrong with it.
    pub fn decode(value: &Value) -> Result<Experiment, Problems> {
        let mut problems = Problems::default();
        let without;
        let value = match value {
            // For editors alone.
            Value::Object(pairs) if value.get(SCHEMA).is_some() => {
                Shape::Text { longest: MAX_SCHEMA }.check(&value.get(SCHEMA).cloned().unwrap_or_default(), SCHEMA, &mut problems);
                without = Value::Object(pairs.iter().filter(|(key, _)| key != SCHEMA).cloned().collect());
                &without
            }
            _ => value,
        };
        EXPERIMENT.check(value, "", &mut problems);
        match Self::read(value, &mut problems) {
            Some(experiment) if problems.0.is_empty() => {
                experiment.check()?;
                Ok(experiment)
            }
            _ => Err(problems),
        }
    }

    /// What of the shares that a policy gives `scale` rounds, of an experiment that is right: the part written out says nothing of it.
    pub fn rounding(value: &Value) -> Problems {
        let mut problems = Problems::default();
        let scale = Scale::of(EXPERIMENT.taken(value, "scale").as_str().unwrap_or_default());
        if let Value::Object(pairs) = value
            && !scale.is_whole()
        {
            let whole = Value::Object(pairs.iter().filter(|(key, _)| key != "scale").cloned().collect());
            if let Ok(whole) = Experiment::decode(&whole) {
                scale::rounding(scale, &whole.gpu, &whole.policy, &mut problems);
            }
        }
        problems
    }

    /// Reads what is right by itself, so that problems between such parts are found beside those of others.
    fn read(value: &Value, problems: &mut Problems) -> Option<Experiment> {
        let Value::Object(_) = value else { return None };
        let of = |key| EXPERIMENT.taken(value, key);
        let wrong: Vec<&str> = EXPERIMENT.fields.iter().map(|field| field.name).filter(|name| !is_right(name, problems)).collect();
        let right = |key: &str| !wrong.contains(&key);
        let gpu = right("gpu").then(|| change::read(&of("gpu"), "gpu", problems)).flatten();
        let mix = of("kernels");
        let mix = mix.items();
        let kernels: Vec<Option<KernelUse>> = mix
            .iter()
            .take(MAX_KERNELS)
            .enumerate()
            .map(|(i, item)| {
                let path = element("kernels", i);
                is_right(&path, problems).then(|| KernelUse::read(item, &path, problems)).flatten()
            })
            .collect();
        let given = value.get("warp_order");
        let warp_order = gpu.as_ref().filter(|_| right("warp_order")).map(|gpu| given.map_or(gpu.warp_order, WarpOrder::read));
        // Policies and CTA orders are read against the mix and the GPU: a guess at them would report false problems.
        let against = gpu.as_ref().filter(|_| (1..=MAX_KERNELS).contains(&mix.len()));
        let against = against.map(|gpu| mix_of(gpu, mix.len(), warp_order.unwrap_or_default()));
        let cta_order = against.filter(|_| right("cta_order"));
        let cta_order = cta_order.and_then(|mix| CtaOrderSpec::read(&of("cta_order"), Mix { path: "cta_order", ..mix }, problems));
        let policy = against.filter(|_| right("policy"));
        let policy = policy.and_then(|mix| PolicySpec::read(&of("policy"), mix, problems));
        let (stop, restart) = (Stop::read(&of("stop")), bool::read(&of("restart")));
        let warm_up = value.get("warm_up").filter(|_| right("warm_up")).map(WarmUp::read);
        if warm_up.is_some_and(|warm_up| warm_up != WarmUp::Cycles(0)) && right("stop") && matches!(stop, Stop::KernelsDone { .. }) {
            problems.by(&WARM_UP, |problems| {
                problems.add("warm_up", "a warm-up before kernels run to their end", "none, or stop.cycles alone");
            });
        }
        if right("restart") && right("stop") && !restart && matches!(stop, Stop::Settled(_)) {
            let want = "true with stop.settled: the IPC of a kernel that has ended falls for ever";
            problems.by(&RESTARTS, |problems| problems.add("restart", "false", want));
        }
        let alone_gpu = Some(of("alone_gpu")).filter(|value| right("alone_gpu") && *value != Value::Null);
        let alone_gpu = alone_gpu.map(|value| change::read(&value, "alone_gpu", problems));
        let mut kernels: Vec<KernelUse> = kernels.into_iter().collect::<Option<_>>()?;
        let name = value.get("name").map(String::read);
        let name = name.unwrap_or_else(|| names(&kernels).join(" + ").chars().take(LONGEST_NAME).collect());
        let alone_gpu = match alone_gpu {
            Some(gpu) => Some(gpu?),
            None => None,
        };
        let (mut gpu, cta_order, mut policy, mut alone_gpu) = (gpu?, cta_order?, policy?, alone_gpu);
        if right("scale") {
            let scale = Scale::of(of("scale").as_str().unwrap_or_default());
            problems.by(&SCALES, |problems| {
                scale::check(scale, &policy, &cta_order, problems);
                scale::apply(scale, &mut gpu, alone_gpu.as_mut(), &mut kernels, problems);
            });
            policy = scale::policy(scale, policy);
        }
        let warm_up = warm_up.unwrap_or_else(|| WarmUp::of(&gpu, stop));
        Some(Experiment::of_parts(value, name, gpu, kernels, warp_order?, cta_order, policy, warm_up, alone_gpu))
    }
}

impl KernelUse {
    /// Reads a name, a full kernel, or either of them with this experiment's settings for it.
    fn read(value: &Value, path: &str, problems: &mut Problems) -> Option<KernelUse> {
        let of = |key| USE.taken(value, key);
        let (given, path_of_kernel) = match value.get("kernel") {
            Some(inner) => (inner, field(path, "kernel")),
            None => (value, path.into()),
        };
        let mut kernel = match given {
            Value::Str(name) => library::find(name)?,
            full => Kernel::read(full, &path_of_kernel, problems)?,
        };
        if value.get("kernel").is_none() {
            return Some(KernelUse { kernel, ctas_per_sm: None, qos: None });
        }
        // The result is a kernel with that much arithmetic, cut off after so many launches; neither number is kept.
        if let Some(factor) = Option::<f64>::read(&of("arithmetic")) {
            if kernel.launches.iter().any(|launch| launch.recorded.is_some()) {
                let found = format!("{factor} for {}, which is recorded", kernel.name);
                problems
                    .by(&COUNTS, |problems| problems.add(field(path, "arithmetic"), found, "none: its instructions are what they were"));
            }
            kernel = kernel.with_arithmetic(factor);
            if !kernel.arithmetic_in_range() {
                let want = format!("a factor that makes no count larger than {MAX_ALU}");
                problems.by(&COUNTS, |problems| problems.add(field(path, "arithmetic"), factor, want));
            }
        }
        if let Some(launches) = Option::<usize>::read(&of("launches")) {
            kernel = kernel.cut(launches);
        }
        Some(KernelUse { kernel, ctas_per_sm: Datum::read(&of("ctas_per_sm")), qos: Option::<Goal>::read(&of("qos")) })
    }
}

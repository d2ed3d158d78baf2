//! What a policy decided, as data: when, about which kernel, a topic, and the topic's values. Each topic is declared once, in `Decided`;
//! that line gives its key and its values in results, their schema, and the sentence that people read.
//!
//! Only people read the sentence. The digest of a run covers cycle, kernel, topic and values: integers as they are, numbers by the
//! bits of their f64 (JSON writes as many digits as give the same f64 again), words by their letters, a missing value by a mark of its own.

use crate::describe::ids::{Cycle, KernelId};
use crate::describe::value::Value;
use crate::seam::controls::CONTROLS;
use crate::seam::observation::Observation;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::Range;

/// Something that a policy decided, for the result and the page's timeline.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// When.
    pub cycle: Cycle,
    /// About which kernel, if about one.
    pub kernel: Option<KernelId>,
    /// What.
    pub what: Decided,
}

/// The policy's log of decisions.
pub type Log = Vec<Decision>;

/// Writes down a decision, about a kernel or about the whole GPU.
pub fn decide(log: &mut Log, seen: &Observation, kernel: impl Into<Option<KernelId>>, what: Decided) {
    log.push(Decision { cycle: seen.now, kernel: kernel.into(), what });
}

/// Writes down how many CTAs of a kernel each SM may hold: `one` where all SMs are alike, else what `on` says of an SM, class by class.
pub fn decide_ctas(log: &mut Log, seen: &Observation, kernel: KernelId, one: Decided, on: impl Fn(usize) -> u32) {
    let of_class = |sms: Range<u32>| on(sms.start as usize).min(seen.cta_limit[sms.start as usize][kernel]);
    let what = match seen.gpu.sms.len() {
        1 => one,
        _ => Decided::ClassCtas { ctas: seen.gpu.class_sms().into_iter().map(of_class).collect() },
    };
    decide(log, seen, kernel, what);
}

impl Decision {
    /// As results and the page's timeline carry it. A missing value is left out.
    pub fn to_value(&self) -> Value {
        let values = self.what.values().into_iter().filter(|(_, value)| *value != Value::Null);
        Value::object([
            ("cycle", Value::from(self.cycle)),
            ("kernel", self.kernel.map(|kernel| kernel.0).into()),
            ("topic", self.what.topic().into()),
            ("values", Value::object(values)),
            ("text", self.what.sentence().into()),
        ])
    }
}

impl Hash for Decision {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.cycle, self.kernel, self.what.topic()).hash(state);
        self.what.values().iter().for_each(|(_, value)| hash_value(value, state));
    }
}

fn hash_value<H: Hasher>(value: &Value, state: &mut H) {
    match value {
        Value::Bool(flag) => (1_u8, flag).hash(state),
        Value::Int(n) => (2_u8, n).hash(state),
        Value::Float(x) if x.is_finite() => (3_u8, x.to_bits()).hash(state),
        Value::Str(word) => (4_u8, word).hash(state),
        Value::Array(items) => {
            (5_u8, items.len()).hash(state);
            items.iter().for_each(|item| hash_value(item, state));
        }
        // NaN is null in JSON too; its bits depend on the target.
        Value::Null | Value::Float(_) | Value::Object(_) => 0_u8.hash(state),
    }
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A word.
    Word,
    /// A list of whole numbers.
    Integers,
    /// A list of numbers.
    Numbers,
}

/// What a value says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueInfo {
    /// Key in `values`.
    pub key: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Whether it may be missing.
    pub optional: bool,
    /// Unit; empty for words and plain numbers.
    pub unit: &'static str,
    /// Definition.
    pub doc: &'static str,
}

/// What a line of `Decided` says. Lines may share a topic: a later decision about it replaces an earlier one, whichever line it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TopicInfo {
    /// Key in results.
    pub topic: &'static str,
    /// What is decided.
    pub doc: &'static str,
    /// The values.
    pub values: &'static [ValueInfo],
}

/// What can be a value.
trait Datum {
    const KIND: Kind;
    const OPTIONAL: bool = false;
    fn datum(&self) -> Value;
}

macro_rules! datums {
    ($($Type:ty: $kind:ident,)*) => { $(impl Datum for $Type {
        const KIND: Kind = Kind::$kind;
        fn datum(&self) -> Value {
            Value::from(*self)
        }
    })* };
}
datums! { u32: Integer, u64: Integer, f64: Number, &'static str: Word, }

impl Datum for String {
    const KIND: Kind = Kind::Word;
    fn datum(&self) -> Value {
        self.as_str().into()
    }
}

impl<T: Datum> Datum for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;
    fn datum(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::datum)
    }
}

impl<T: Datum> Datum for Vec<T> {
    const KIND: Kind = if matches!(T::KIND, Kind::Integer) { Kind::Integers } else { Kind::Numbers };
    fn datum(&self) -> Value {
        Value::array(self.iter().map(T::datum))
    }
}

macro_rules! topics {
    ($($Line:ident $topic:literal, $doc:literal { $($key:ident: $Type:ty, $unit:literal, $value_doc:literal;)* } => $sentence:expr;)*) => {
        /// What can be decided: a topic with its values.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Decided {
            $(#[doc = $doc] $Line { $(#[doc = $value_doc] $key: $Type,)* },)*
        }

        impl Decided {
            /// Every line.
            pub const INFO: &'static [TopicInfo] = &[$(TopicInfo {
                topic: $topic,
                doc: $doc,
                values: &[$(ValueInfo {
                    key: stringify!($key),
                    kind: <$Type as Datum>::KIND,
                    optional: <$Type as Datum>::OPTIONAL,
                    unit: $unit,
                    doc: $value_doc,
                },)*],
            },)*];

            /// The topic's key.
            pub fn topic(&self) -> &'static str {
                match self {
                    $(Decided::$Line { .. } => $topic,)*
                }
            }

            /// The values by their keys, in the order of `INFO`.
            pub fn values(&self) -> Vec<(&'static str, Value)> {
                match self {
                    $(Decided::$Line { $($key,)* } => alloc::vec![$((stringify!($key), $key.datum()),)*],)*
                }
            }

            /// What people read: it follows the kernel's name, or stands alone.
            #[allow(unused_variables)] // not every value is in the sentence
            pub fn sentence(&self) -> String {
                match self {
                    $(Decided::$Line { $($key,)* } => $sentence,)*
                }
            }
        }
    };
}

topics! {
    GivenCtas "ctas", "CTAs that a kernel may hold on each SM, as they were given" {
        ctas: u32, "CTAs per SM", "At most so many";
    } => format!("may hold {} on each SM, as given", count(*ctas, "CTA"));

    EvenCtas "ctas", "CTAs that a kernel may hold on each SM when all kernels share evenly" {
        ctas: u32, "CTAs per SM", "At most so many";
        alone: u32, "CTAs per SM", "What an SM holds of the kernel alone";
        kernels: u32, "kernels", "Kernels that share";
    } => format!("may hold {} on each SM: its {alone} alone, shared by {kernels}", count(*ctas, "CTA"));

    MeasuringCtas "ctas", "CTAs that a kernel may hold on each SM while it is measured" {
        ctas: u32, "CTAs per SM", "At most so many";
        alone: u32, "CTAs per SM", "What an SM holds of the kernel alone";
        kernels: u32, "kernels", "Kernels that share";
    } => format!("may hold {} on each SM while it is measured: its {alone} alone, shared by {kernels}", count(*ctas, "CTA"));

    FairCtas "ctas", "CTAs that a kernel may hold on each SM, by dominant-resource fairness" {
        ctas: u32, "CTAs per SM", "At most so many";
        share: f64, "of an SM", "The greatest share that they take of any resource";
        resource: &'static str, "", "That resource";
    } => format!("may hold {} on each SM: {} of its {resource}, its dominant share", count(*ctas, "CTA"), percent(*share));

    CurveCtas "ctas", "CTAs that a kernel may hold on each SM, as the kernels' curves of IPC call for" {
        ctas: u32, "CTAs per SM", "At most so many";
        ipc_part: f64, "of its best IPC alone", "IPC alone with so many";
    } => format!("may hold {} on each SM, for {} of its best IPC alone", count(*ctas, "CTA"), percent(*ipc_part));

    ClassCtas "class_ctas", "CTAs that a kernel may hold on each SM, where SMs are unlike" {
        ctas: Vec<u32>, "CTAs per SM", "At most so many, for each class in the order of the GPU's classes";
    } => format!("may hold {} CTAs on each SM of the GPU's classes in turn", list(ctas.iter().map(|ctas| format!("{ctas}"))));

    GrantedCtas "ctas", "CTAs that a kernel gets on each SM together with bandwidth" {
        ctas: u32, "CTAs per SM", "At most so many";
    } => format!("gets {} on each SM", count(*ctas, "CTA"));

    Bandwidth "bandwidth", "Bandwidth that a kernel gets, and the requests that it buys" {
        noc: f64, "units", "Of the NoC";
        dram: f64, "units", "Of DRAM";
        units: u32, "units", "All of each";
        requests: Option<f64>, "requests per interval and SM", "What may leave the miss queue; missing without a limit";
    } => match requests {
        Some(requests) => format!("gets {noc:.1} NoC and {dram:.1} DRAM units of {units}: {requests:.1} requests an interval on each SM"),
        None => "sends requests without limit".into(),
    };

    Sms "sms", "SMs that a kernel gets for itself" {
        sms: u32, "SMs", "How many";
        first: u32, "", "The number of the first";
    } => match sms {
        0 => "gets no SM".into(),
        1 => format!("gets SM {first}"),
        _ => format!("gets SMs {first} to {}", first + sms - 1),
    };

    SharedSms "sms", "SMs that a kernel may use, where others may run too" {
        sms: u32, "SMs", "How many";
        first: u32, "", "The number of the first; after the GPU's last one comes SM 0";
    } => format!("may use {} from SM {first} on, beside others", count(*sms, "SM"));

    Channels "channels", "DRAM channels, with their L2 banks, that a kernel gets for itself" {
        channels: u32, "DRAM channels", "How many";
        first: u32, "", "The number of the first";
    } => match channels {
        1 => format!("gets DRAM channel {first} and its L2 banks"),
        _ => format!("gets DRAM channels {first} to {} and their L2 banks", first + channels - 1),
    };

    Turn "turn", "That a kernel gets the whole GPU until the next one does" {
        cycles: u64, "cycles", "For so long";
    } => format!("gets the whole GPU for {cycles} cycles; the others leave by context switches");

    SplitSms "split", "That SMs are split instead of shared, for a kernel would lose too much" {
        ctas: u32, "CTAs per SM", "What it would hold of a shared SM; where SMs are unlike, the mean, rounded down";
        ipc_part: f64, "of its best IPC alone", "IPC alone with so many; where SMs are unlike, the mean over SMs";
        most_loss: f64, "of its best IPC alone", "The loss that it may have";
    } => {
        let (part, loss) = (percent(*ipc_part), percent(*most_loss));
        format!("would keep {part} of its best IPC with {}, a loss of more than {loss}: SMs are split", count(*ctas, "CTA"))
    };

    DispatchRank "dispatch_rank", "Which kernels have to have placed their CTAs before a kernel gets room" {
        dispatch_rank: u32, "kernels", "Kernels before it";
    } => match dispatch_rank {
        0 => "takes all the room that it can use".into(),
        1 => "takes what is left once the kernel before it has no CTA to place".into(),
        n => format!("takes what is left once the {n} kernels before it have no CTA to place"),
    };

    Goal "goal", "What a kernel is promised" {
        goal: f64, "thread instructions per cycle", "The IPC that it is to have on the mean";
        alone: Option<f64>, "thread instructions per cycle", "Its IPC alone, where that is known";
    } => match alone {
        Some(alone) => format!("is promised an IPC of {goal:.1}, {} of {alone:.1} alone", percent(goal / alone)),
        None => format!("is promised an IPC of {goal:.1}"),
    };

    SymmetricCtas "ctas", "CTAs that a kernel may hold where all kernels of an SM have as many threads" {
        ctas: u32, "CTAs per SM", "At most so many, on each SM that it may use";
    } => format!("begins with {} on each of its SMs: as many threads for each kernel there", count(*ctas, "CTA"));

    GoalQuota "quota", "How a kernel stands to its goal, and its quota for the next epoch" {
        alpha: f64, "", "Its quota, in parts of what keeps the goal";
        goal: f64, "thread instructions per cycle", "The IPC that it is promised";
        history: f64, "thread instructions per cycle", "Its IPC since the policy began";
    } => format!("is at {} of its goal: quota × {alpha:.2}", percent(history / goal));

    LeftQuota "quota", "The quota of a kernel without a goal" {
        ipc: f64, "thread instructions per cycle", "The IPC that its quota is for";
    } => format!("has no goal: its quota is for an IPC of {ipc:.1}, and again once all quotas are used");

    MovedSm "sms_moved", "That an SM goes from one kernel to another" {
        sm: u32, "", "The SM";
        sms: u32, "SMs", "What it has now";
        gets: u32, "", "1 if it gets the SM, 0 if it gives it";
        of_goal: Option<f64>, "of its goal", "How it stands to its goal; missing without one";
    } => {
        let stands = of_goal.map_or(String::new(), |part| format!("is at {} of its goal: ", percent(part)));
        let what = if *gets == 1 { "gets" } else { "gives up" };
        format!("{stands}{what} SM {sm}, {} now", count(*sms, "SM"))
    };

    MeasuredClasses "phase", "That kernels have SMs of every class while they are measured" {
        warm_up: u64, "cycles", "Before the measurement";
        measure: u64, "cycles", "Its length";
    } => format!("every kernel has SMs of each class for {warm_up} cycles, and is measured in the {measure} after them");

    Assigned "phase", "That every kernel has the SMs that the measurement calls for" {
        split: u32, "", "1 if every kernel keeps SMs of each class, 0 if each has SMs of one";
    } => match split {
        1 => "every kernel keeps SMs of each class".into(),
        _ => "every kernel has SMs of one class".into(),
    };

    ClassSms "class_sms", "SMs of each class that a kernel gets for itself" {
        big: u32, "SMs", "Of the class with the most room for threads";
        small: u32, "SMs", "Of the other one";
    } => match (big, small) {
        (big, 0) => format!("gets {}", count(*big, "big SM")),
        (0, small) => format!("gets {}", count(*small, "small SM")),
        (big, small) => format!("gets {big} big and {}", count(*small, "small SM")),
    };

    ClassIpc "class_ipc", "What a kernel does on SMs of each class" {
        big: f64, "thread instructions per cycle", "On the big SMs that it was measured on";
        small: f64, "thread instructions per cycle", "On the small ones";
        base: f64, "thread instructions per cycle", "On uniform ones: measured, or estimated from the CTAs that each SM holds";
    } => format!("makes {big:.1} instructions a cycle on big SMs, {small:.1} on small ones, {base:.1} on uniform ones");

    Thickness "thickness", "Whether a kernel uses the room for threads that it has" {
        class: &'static str, "", "thick if it loses on small SMs, else lean";
        small: f64, "thread instructions per cycle", "On small SMs, alone";
        base: f64, "thread instructions per cycle", "On as many uniform ones, alone";
    } => format!("is {class}: alone it makes {small:.1} instructions a cycle on small SMs, {base:.1} on as many uniform ones");

    ToBigSms "assignment", "Why a kernel goes to the big SMs" {
        sum: f64, "", "Speeds of all kernels, in parts of those on uniform SMs, added up";
        other: f64, "", "The greatest sum that any other assignment has";
    } => format!("goes to the big SMs: all speeds add up to {sum:.3} of those on uniform SMs, to {other:.3} at most in any other way");

    ToBigAsThick "assignment", "That a kernel goes to the big SMs for its class" {
        lean: u32, "kernels", "Lean ones beside it";
    } => format!("is thick beside {}: it goes to the big SMs", count(*lean, "lean kernel"));

    LeavesBy "make_room", "How CTAs of a kernel leave an SM that goes to another" {
        how: &'static str, "", "drain or context_switch";
        ctas: u64, "CTAs", "Those that ended in the warm-up";
    } => match *how {
        "drain" => format!("leaves SMs as its CTAs end, of which {ctas} did in the warm-up"),
        _ => "leaves SMs by context switches: none of its CTAs ended in the warm-up".into(),
    };

    GotCtas "sm_ctas", "That a kernel behind its goal may hold one CTA more on some SMs" {
        sms: Vec<u32>, "", "The SMs";
    } => format!("is behind its goal: one CTA more on {}", on_sms(sms));

    GaveCtas "sm_ctas", "That CTAs of a kernel make room for another kernel's on some SMs" {
        sms: Vec<u32>, "", "The SMs";
        ctas: u32, "CTAs", "How many, on all of them together";
        why: &'static str, "", "no_goal, idle or margin: why they can be spared";
    } => {
        let why = match *why {
            "no_goal" => "it has no goal",
            "idle" => "more of its CTAs there are idle",
            _ => "it keeps its goal without",
        };
        format!("gives up {} on {}: {why}", count(*ctas, "CTA"), on_sms(sms))
    };

    WarpQuota "warp_quota", "Warp instructions of a kernel in a round, in proportion to what it issues alone" {
        warp_quota: u32, "warp instructions per SM", "At most so many in a round";
        alone: f64, "warp instructions per cycle", "What it issues alone on the whole GPU";
    } => {
        let quota = count(*warp_quota, "warp instruction");
        format!("gets {quota} of each round on each SM: alone it issues {alone:.2} a cycle on the whole GPU")
    };

    WarpOrder "warp_order", "The order of warps" {
        warp_order: &'static str, "", "As controls write it";
    } => match *warp_order {
        "lrr+gto" => "warps issue in round robin over kernels, greedy then oldest within each".into(),
        other => format!("warps issue in the order {other}"),
    };

    IpcCurve "ipc_curve", "IPC of a kernel alone by its CTAs on every SM" {
        ipc: Vec<f64>, "thread instructions per cycle", "With 1, 2, … CTAs";
    } => {
        let points = list(ipc.iter().map(|ipc| format!("{ipc:.1}")));
        match ipc.len() {
            1 => format!("alone, 1 CTA on every SM makes {points} instructions a cycle"),
            n => format!("alone, 1 to {n} CTAs on every SM make {points} instructions a cycle"),
        }
    };

    SampledCtas "sampled_ctas", "CTAs that a kernel holds on SMs of its own while its IPC by CTAs is measured" {
        first: u32, "", "The number of its first SM";
        ctas: Vec<u32>, "CTAs per SM", "At most so many, on each of its SMs in turn";
    } => format!("holds {} CTAs on SMs {first} to {} in turn while it is measured", list(ctas.iter().map(|ctas| format!("{ctas}"))), first + ctas.len() as u32 - 1);

    SampledCurve "ipc_curve", "IPC of a kernel by its CTAs, measured while the others ran on other SMs" {
        ipc: Vec<f64>, "thread instructions per cycle", "With 1, 2, … CTAs on every SM";
    } => {
        let points = list(ipc.iter().map(|ipc| format!("{ipc:.1}")));
        format!("made {points} instructions a cycle with 1, 2, … CTAs, scaled to every SM having as many")
    };

    Requests "requests", "What a kernel's requests are, and how many of them an even share of bandwidth buys" {
        rf: f64, "of its requests", "Reads";
        df: f64, "accesses per request", "DRAM accesses that each needs";
        even_rate: Option<f64>, "requests per interval and SM", "What an even share buys; missing for a kernel that pays for none";
    } => {
        let share = match even_rate {
            Some(rate) => format!("an even share buys {rate:.1} requests an interval on each SM"),
            None => "it uses no bandwidth worth limiting".into(),
        };
        format!("reads are {rf:.2} of its requests (rf), each needs {df:.2} DRAM accesses (df): {share}")
    };

    KernelType "kernel_type", "The type of a kernel by its demand (CCBP §5.4)" {
        kernel_type: &'static str, "", "latency-sensitive, NoC-intensive or DRAM-intensive";
        demand: f64, "requests per interval and SM", "What it would send without a limit";
        even_rate: Option<f64>, "requests per interval and SM", "What an even share buys; missing for a kernel that pays for none";
        waiting: Option<f64>, "of the intervals", "Those at whose end requests wait, where that decides";
        ratio: Option<f64>, "", "df over rf; missing for a kernel that only writes, or is latency-sensitive";
        threshold: f64, "", "The ratio below which a kernel is NoC-intensive";
    } => {
        let wants = match (waiting, even_rate) {
            (Some(part), _) => format!("requests wait at the end of {} of its intervals", percent(*part)),
            (None, Some(rate)) => format!("wants {demand:.1} requests an interval, even share {rate:.1}"),
            (None, None) => format!("wants {demand:.1} requests an interval and pays for none"),
        };
        match (ratio, *kernel_type) {
            (_, "latency-sensitive") => format!("is {kernel_type}: {wants}"),
            (None, _) => format!("is {kernel_type}: it only writes; {wants}"),
            (Some(ratio), "NoC-intensive") => format!("is {kernel_type}: df/rf {ratio:.3} < {threshold:.3}; {wants}"),
            (Some(ratio), _) => format!("is {kernel_type}: df/rf {ratio:.3} ≥ {threshold:.3}; {wants}"),
        }
    };

    DemandPerCta "demand_per_cta", "Bandwidth that each CTA of a kernel uses" {
        noc: f64, "units", "Of the NoC";
        dram: f64, "units", "Of DRAM";
        units: u32, "units", "All of each";
    } => format!("uses {noc:.1} NoC and {dram:.1} DRAM units of {units} with each CTA");

    DemandCurve "demand_curve", "Bandwidth that a kernel uses by its CTAs, where it was measured" {
        ctas: Vec<u32>, "CTAs per SM", "The numbers of CTAs";
        noc: Vec<f64>, "units", "Of the NoC, with each of them";
        dram: Vec<f64>, "units", "Of DRAM, with each of them";
        units: u32, "units", "All of each";
    } => {
        let points = ctas.iter().zip(noc).zip(dram);
        let points = list(points.map(|((ctas, noc), dram)| format!("{} {noc:.1} NoC and {dram:.1} DRAM", count(*ctas, "CTA"))));
        format!("learned its bandwidth, units of {units}: {points}")
    };

    TriedPriority "priority", "What a priority of latency-sensitive kernels gives (CCBP §5.5)" {
        priority: f64, "", "Factor on the dominant share of latency-sensitive kernels";
        metric: &'static str, "", "hspeedup or wspeedup";
        score: f64, "", "The metric with it";
        best: Option<f64>, "", "The best score before";
    } => {
        let best = best.map_or(String::new(), |best| format!(", best so far {best:.3}"));
        format!("priority {priority:.2} gives {} {score:.3}{best}", title(metric))
    };

    BestPriority "priority", "The priority that is best, and stays" {
        priority: f64, "", "Factor on the dominant share of latency-sensitive kernels";
        metric: &'static str, "", "hspeedup or wspeedup";
        score: f64, "", "The metric with it";
    } => format!("settled: priority {priority:.2} is best with {} {score:.3}", title(metric));

    KeptPriority "priority", "A priority that stays without others being tried" {
        priority: f64, "", "Factor on the dominant share of latency-sensitive kernels";
        why: &'static str, "", "no_latency_sensitive, all_latency_sensitive, variant or no_ipc_alone";
    } => match *why {
        "no_latency_sensitive" => "settled: no kernel is latency-sensitive: a priority would change nothing".into(),
        "all_latency_sensitive" => "settled: all kernels are latency-sensitive: a priority would change nothing".into(),
        "variant" => format!("settled: the priority stays {priority:.2}, as the variant says"),
        _ => format!("settled: IPC alone is not known: the priority stays {priority:.2}"),
    };

    Cluster "cluster", "A kernel's place in DRAM scheduling by clusters (TCM)" {
        rank: Option<u32>, "", "Its rank in the latency-sensitive cluster; missing outside it";
        mpki: f64, "L2 misses per 1000 instructions", "How intensive it is";
        dram_part: f64, "of the DRAM lines", "What it takes";
    } => {
        let place = match rank {
            Some(rank) => format!("in the latency-sensitive cluster, rank {rank}"),
            None => "behind the latency-sensitive cluster, with the ranks that change".into(),
        };
        format!("has {mpki:.1} L2 misses per 1000 instructions and {} of the DRAM lines: {place}", percent(*dram_part))
    };

    MemoryQuotas "memory_quota", "Quotas of memory instructions by what a kernel's cost (BMI)" {
        memory_quota: Vec<u32>, "memory instructions per round", "Each kernel's quota";
        cost: u64, "requests per memory instruction", "Of the kernel that was judged";
        requests: u64, "requests", "In its sample";
        instructions: u64, "memory instructions", "In its sample";
    } => {
        let (requests, instructions) = (count(*requests, "request"), count(*instructions, "memory instruction"));
        let quotas = list(memory_quota.iter().map(|quota| format!("{quota}")));
        format!("made {requests} with {instructions}, {cost} each: kernels' quotas are {quotas} a round")
    };

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

    L1Ways "l1_ways", "Ways of L1D that a kernel's fills may take, by the hits that they bring (UCP)" {
        l1_ways: Option<u32>, "ways", "How many; missing if it fills every way, as there are more kernels than ways";
        of: u32, "ways", "All of them";
        hits_one: u64, "reads", "What it would hit with 1 way";
        hits: u64, "reads", "With these";
        hits_all: u64, "reads", "With all";
    } => match l1_ways {
        Some(ways) => {
            let one = count(*hits_one, "read");
            format!("gets {ways} of {of} ways: it would hit {one} with 1 way, {hits} with these, {hits_all} with all")
        }
        None => format!("fills every way: there are more kernels than the {of} ways"),
    };

    Set "set", "A control that a script has set" {
        control: &'static str, "", "The control";
        value: String, "", "What it is now, as controls write it; where SMs differ, the first of them";
        sms: u32, "SMs", "On how many SMs it has changed; 0 for a control that is not of an SM";
    } => {
        let title = CONTROLS.iter().find(|one| one.field.name == *control).map_or(*control, |one| one.title);
        let value = if value == "null" { "no limit" } else { value.as_str() };
        match sms {
            0 => format!("{title}: {value}"),
            sms => format!("{title}: {value}, on {}", count(*sms, "SM")),
        }
    };

    Said "said", "What a script says" {
        text: String, "", "Its words";
    } => text.clone();

    Failed "failure", "That a script has failed: the run ends" {
        failure: String, "", "The line, and what is wrong";
    } => format!("the script has failed: {failure}");

    FromOutside "controls", "That controls were set from outside" {
    } => "controls set from outside".into();
}

/// So many of a thing.
fn count(n: impl Into<u64>, thing: &str) -> String {
    let n = n.into();
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// SMs by their numbers, which rise.
fn on_sms(sms: &[u32]) -> String {
    match sms {
        [sm] => format!("SM {sm}"),
        [first, .., last] if (last - first) as usize + 1 == sms.len() => format!("SMs {first} to {last}"),
        _ => format!("SMs {}", list(sms.iter().map(|sm| format!("{sm}")))),
    }
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

fn title(metric: &str) -> &str {
    if metric == "wspeedup" { "WSpeedup" } else { "HSpeedup" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::digest::Fnv;

    fn digest(what: Decided) -> u64 {
        let mut state = Fnv::default();
        Decision { cycle: 7, kernel: Some(KernelId(1)), what }.hash(&mut state);
        state.finish()
    }

    /// Two lines with one topic and the same values differ in nothing but their sentences.
    #[test]
    fn another_sentence_is_the_same_digest_and_another_value_is_not() {
        let even = |ctas| Decided::EvenCtas { ctas, alone: 8, kernels: 2 };
        let measuring = Decided::MeasuringCtas { ctas: 4, alone: 8, kernels: 2 };
        assert_ne!(even(4).sentence(), measuring.sentence());
        assert_eq!(digest(even(4)), digest(measuring));
        assert_ne!(digest(even(4)), digest(even(5)));
        // What the sentence rounds away, the digest sees: the last bit, and a value that is missing.
        let cap = |failures, memory_cap| Decided::MemoryCap { memory_cap, highest: None, sms: 1, failures, peak: 9 };
        let next = f64::from_bits(1.5_f64.to_bits() + 1);
        assert_eq!(cap(1.5, Some(4)).sentence(), cap(next, Some(4)).sentence());
        assert_ne!(digest(cap(1.5, Some(4))), digest(cap(next, Some(4))));
        assert_ne!(digest(cap(1.5, Some(0))), digest(cap(1.5, None)));
        // The same values about something else are something else.
        assert_ne!(digest(Decided::GivenCtas { ctas: 3 }), digest(Decided::DispatchRank { dispatch_rank: 3 }));
        // NaN, whatever its bits.
        let none = [f64::NAN, -f64::NAN, f64::INFINITY].map(|failures| digest(cap(failures, None)));
        assert!(none[0] == none[1] && none[1] == none[2]);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(Decided::GivenCtas { ctas: 1 }.sentence(), "may hold 1 CTA on each SM, as given");
        assert_eq!(Decided::GivenCtas { ctas: 0 }.sentence(), "may hold 0 CTAs on each SM, as given");
        assert_eq!([(1, 3), (2, 3)].map(|(sms, first)| Decided::Sms { sms, first }.sentence()), ["gets SM 3", "gets SMs 3 to 4"]);
        assert_eq!(Decided::IpcCurve { ipc: alloc::vec![2.0] }.sentence(), "alone, 1 CTA on every SM makes 2.0 instructions a cycle");
    }

    #[test]
    fn a_result_has_the_values_that_there_are() {
        let what = Decided::MemoryCap { memory_cap: None, highest: None, sms: 1, failures: 0.25, peak: 9 };
        let value = Decision { cycle: 7, kernel: None, what }.to_value();
        assert_eq!(value.get("topic"), Some(&Value::from("memory_cap")));
        assert_eq!(value.get("values"), Some(&Value::object([("sms", Value::from(1)), ("failures", 0.25.into()), ("peak", 9.into())])));
    }

    /// Lines that share a topic name the same value alike, so that one reader fits them all.
    #[test]
    fn a_value_is_one_thing_in_all_lines_of_a_topic() {
        let all = || Decided::INFO.iter().flat_map(|line| line.values.iter().map(|value| (line.topic, value)));
        for (topic, value) in all() {
            let mut others = all().filter(|other| (other.0, other.1.key) == (topic, value.key));
            assert!(others.all(|(_, other)| (other.kind, other.unit) == (value.kind, value.unit)), "{topic}.{}", value.key);
        }
    }
}

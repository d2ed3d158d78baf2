//! Sharing schemes, one file each: `ls policy/` is the list. A policy is a small state machine that reads an `Observation` when the run
//! begins and at its own intervals, edits the `Controls`, and says why. It sees nothing of the machine.
//!
//! A program that uses this crate has its own beside them: it implements `Policy`, and `Simulation::with_policy` takes it.
//!
//! To add one here: a file with its type, `impl Policy` and `INFO` (name, parameters, how it is made), and its line in `policies!`.

mod bmi;
mod ccbp;
mod ctas;
mod even;
mod fixed;
mod hetero;
mod leftover;
#[cfg(test)]
pub(crate) mod listener;
mod lrr_gto;
mod manual;
mod mil;
mod mps;
mod qos;
pub mod script;
mod smk;
mod spart;
mod spatial;
pub mod spec;
mod tcm;
mod time_slice;
mod ucp;
mod ws;

pub use self::spec::{PolicyInfo, PolicySpec};

use self::hetero::{agnostic, balanced, classify, dynamic, stp};
use self::qos::{elastic, naive, rollover, rollover_time};

use self::spec::{Member, Param};
use crate::describe::ids::{Cycle, KernelId};
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, TopicInfo};
use crate::interface::event::{Event, EventKinds};
use crate::interface::observation::Needs;
use crate::interface::observation::Observation;
use crate::interface::stats::KernelStats;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Core cycles of each run that a profile takes.
const PROFILE_CYCLES: Param = Param::int(
    "profile_cycles",
    (1000, 100_000_000),
    50_000,
    "cycles",
    "Length of each run that measures a kernel alone; the run itself begins after all of them",
);

/// A sharing scheme. It is plain data, so that a snapshot of a run is a copy.
pub trait Policy: Boxed + fmt::Debug + Send + Sync {
    /// Its name in results, if it is none of `POLICIES`: those have theirs in the list.
    fn name(&self) -> &str {
        "own"
    }

    /// The run begins, or the policy takes over in the middle of one: sets its controls, starting from neutral ones.
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log);

    /// What `Observation::profile` must hold at every call.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Core cycles between calls of `on_interval`; `None` for none.
    fn interval(&self) -> Option<Cycle> {
        None
    }

    /// Whether it looks at kernels' goals.
    fn keeps_goals(&self) -> bool {
        false
    }

    /// Whether it has finished learning.
    fn settled(&self) -> bool {
        true
    }

    /// Core cycles between samples of idle warps; `None` for none. They count from where intervals do.
    fn sampling(&self) -> Option<Cycle> {
        None
    }

    /// An interval has passed.
    fn on_interval(&mut self, _seen: &Observation, _controls: &mut Controls, _log: &mut Log) {}

    /// Events that it listens to; others do not reach it and cost nothing.
    fn wants(&self) -> EventKinds {
        EventKinds::NONE
    }

    /// Something has happened, in the cycle before `seen.now`. Events of one cycle come one by one, SM by SM.
    fn on_event(&mut self, _event: Event, _seen: &Observation, _controls: &mut Controls, _log: &mut Log) {}

    /// Why it can decide nothing more, if it has failed: the run ends.
    fn failure(&self) -> Option<&str> {
        None
    }
}

/// What a policy in a box is copied by. Every policy that is `Clone` has it.
pub trait Boxed {
    /// A copy.
    fn boxed(&self) -> Box<dyn Policy>;
}

impl<P: Policy + Clone + 'static> Boxed for P {
    fn boxed(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Policy> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// Makes the modules of schemes that are one type: of each its name, its title, what it is, and its parameters.
macro_rules! schemes {
    ($Scheme:ident, $source:expr, $check:expr, $topics:expr; $($module:ident $Type:ident $name:literal $title:literal $doc:literal $params:expr;)*) => { $(
        #[doc = $title]
        pub mod $module {
            use super::*;

            /// The policy as data.
            pub const INFO: PolicyInfo = PolicyInfo {
                name: $name,
                title: $title,
                source: $source,
                doc: $doc,
                params: $params,
                topics: $topics,
                check: $check,
                make: |spec| AnyPolicy::$Type($Scheme::new(spec)),
            };

            /// See the module above.
            pub type $Type = $Scheme;
        }
    )* };
}
use schemes;

/// Makes the enum of all policies and their catalogue from one list. A policy's file has its type and its `INFO`.
macro_rules! policies {
    ($($(#[$only:meta])? $module:ident::$Type:ident,)*) => {
        /// Any of the policies.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)] // each is documented in its own file
        #[allow(clippy::large_enum_variant)] // one of them in a simulation
        pub enum AnyPolicy {
            $($(#[$only])? $Type($module::$Type),)*
            /// One from outside this crate.
            Own(Box<dyn Policy>),
        }

        /// Every policy, in the order in which they are offered.
        pub static POLICIES: &[PolicyInfo] = &[$($(#[$only])? $module::INFO,)*];

        impl AnyPolicy {
            fn inner(&self) -> &dyn Policy {
                match self {
                    $($(#[$only])? AnyPolicy::$Type(policy) => policy,)*
                    AnyPolicy::Own(policy) => &**policy,
                }
            }

            fn inner_mut(&mut self) -> &mut dyn Policy {
                match self {
                    $($(#[$only])? AnyPolicy::$Type(policy) => policy,)*
                    AnyPolicy::Own(policy) => &mut **policy,
                }
            }
        }
    };
}

policies! {
    leftover::Leftover,
    even::Even,
    fixed::Fixed,
    spatial::Spatial,
    mps::Mps,
    time_slice::TimeSlice,
    smk::Smk,
    ws::Ws,
    tcm::Tcm,
    bmi::Bmi,
    mil::Mil,
    ucp::Ucp,
    lrr_gto::LrrGto,
    ccbp::Ccbp,
    naive::QosNaive,
    elastic::QosElastic,
    rollover::QosRollover,
    rollover_time::QosRolloverTime,
    spart::Spart,
    agnostic::HeteroAgnostic,
    classify::HeteroClassify,
    stp::HeteroStp,
    balanced::HeteroBalanced,
    dynamic::HeteroDynamic,
    manual::Manual,
    script::Script,
    #[cfg(test)] listener::Listener,
}

/// Every topic that a policy may decide about, each line once.
pub fn topics() -> Vec<&'static TopicInfo> {
    let mut all: Vec<&TopicInfo> = Vec::new();
    for line in POLICIES.iter().flat_map(|policy| policy.topics).chain(ctas::TOPICS) {
        if !all.contains(&line) {
            all.push(line);
        }
    }
    all
}

impl PolicySpec {
    /// The policies that it describes.
    pub fn policies(&self) -> Vec<AnyPolicy> {
        self.members().iter().map(AnyPolicy::new).collect()
    }
}

impl AnyPolicy {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        (spec.info().make)(spec)
    }
}

impl Policy for AnyPolicy {
    fn name(&self) -> &str {
        self.inner().name()
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.inner_mut().start(seen, controls, log);
    }

    fn needs(&self) -> Needs {
        self.inner().needs()
    }

    fn interval(&self) -> Option<Cycle> {
        self.inner().interval()
    }

    fn keeps_goals(&self) -> bool {
        self.inner().keeps_goals()
    }

    fn settled(&self) -> bool {
        self.inner().settled()
    }

    fn sampling(&self) -> Option<Cycle> {
        self.inner().sampling()
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.inner_mut().on_interval(seen, controls, log);
    }

    fn wants(&self) -> EventKinds {
        self.inner().wants()
    }

    fn on_event(&mut self, event: Event, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.inner_mut().on_event(event, seen, controls, log);
    }

    fn failure(&self) -> Option<&str> {
        self.inner().failure()
    }
}

/// L1D requests of a kernel, on each SM on average, by which BMI and MIL judge it.
const SAMPLE: Param =
    Param::int("sample", (1, 1_000_000_000), 1024, "requests", "L1D requests on an SM, on average, by which a kernel is judged");

/// Core cycles between two checks of whether there are so many.
const SAMPLE_INTERVAL: Param =
    Param::int("interval", (1, 1_000_000_000), 1000, "cycles", "Cycles after which it is looked whether a sample is complete");

/// Counters of each kernel since its present sample began: a sample ends with so many L1D requests.
#[derive(Clone, PartialEq, Debug)]
struct Samples {
    requests: u64,
    then: Vec<KernelStats>,
}

impl Samples {
    fn new(requests: u64) -> Self {
        Samples { requests, then: Vec::new() }
    }

    fn start(&mut self, seen: &Observation) {
        self.then = seen.total.to_vec();
    }

    /// The sample of a kernel if it is complete; the next one begins.
    fn take(&mut self, seen: &Observation, kernel: KernelId) -> Option<KernelStats> {
        let now = seen.total[kernel.index()];
        let sample = now - self.then[kernel.index()];
        let complete = Samples::requests(&sample) >= self.requests * u64::from(seen.gpu.sm_count());
        complete.then(|| {
            self.then[kernel.index()] = now;
            sample
        })
    }

    fn requests(sample: &KernelStats) -> u64 {
        sample.l1_reads + sample.l1_writes
    }

    fn instructions(sample: &KernelStats) -> u64 {
        sample.load_instructions + sample.store_instructions
    }
}

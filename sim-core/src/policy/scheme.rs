//! What a sharing scheme is made of: the trait that it implements, its line in the catalogue, and words that several have in common.

pub use crate::describe::record::{Absent, Shape};
pub use crate::interface::spec::{MAX_LIST, Mix, Param, Setting};

use crate::describe::error::Problems;
use crate::describe::ids::Cycle;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, TopicInfo};
use crate::interface::event::{Event, EventKinds};
use crate::interface::observation::{Needs, Observation};
use crate::interface::shown::Table;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

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

    /// Whether it hands the whole GPU from one kernel to the next: its last controls are then one kernel's turn, and no share.
    fn takes_turns(&self) -> bool {
        false
    }

    /// Whether it has finished learning.
    fn settled(&self) -> bool {
        true
    }

    /// Whether it still finds out what to do, also where what it does meanwhile is measured. A run that stops when it knows what it measures
    /// goes on as long.
    fn learns(&self) -> bool {
        !self.settled()
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

    /// What it decides on, as it stands, for people who watch.
    fn shows(&self, _seen: &Observation) -> Vec<Table> {
        Vec::new()
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

/// A policy and its parameters: a member of those that share a GPU.
pub type Member = crate::interface::spec::Spec<PolicyInfo>;

/// A policy of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct PolicyInfo {
    /// Name in experiments.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// What it decides; topics of another policy, whose types it uses, are that one's.
    pub topics: &'static [TopicInfo],
    /// Checks that concern several parameters together.
    pub check: fn(&Member, Mix, &mut Problems),
}

impl PolicyInfo {
    /// For policies whose parameters cannot contradict each other.
    pub const NO_CHECK: fn(&Member, Mix, &mut Problems) = |_, _, _| {};
}

/// Core cycles of each run that a profile takes.
pub const PROFILE_CYCLES: Param = Param::int(
    "profile_cycles",
    (1000, 100_000_000),
    50_000,
    "cycles",
    "Length of each run that measures a kernel alone; the run itself begins after all of them",
);

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
            };

            /// See the module above.
            pub type $Type = $Scheme;
        }
    )* };
}
pub(super) use schemes;

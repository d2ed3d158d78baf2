//! The list of all schemes: what can be chosen, and the type that is any of them.

use super::ctas;
use super::scheme::{Member, Policy, PolicyInfo};
use crate::describe::error::Problems;
use crate::interface::decision::TopicInfo;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};
use once_cell::race::OnceBox;

/// Makes the enum of all policies and their catalogue from one list. A policy's file has its type and its `INFO`.
macro_rules! policies {
    ($($(#[$only:meta])? super $(:: $module:ident)+ => $Type:ident,)*) => {
        /// Any of the policies, which it is used as.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)] // each is documented in its own file
        #[allow(clippy::large_enum_variant)] // one of them in a simulation
        pub enum AnyPolicy {
            $($(#[$only])? $Type(super $(:: $module)+ ::$Type),)*
            /// One from outside this crate, that no experiment can name.
            Own(Box<dyn Policy>),
            /// One from outside this crate that has been registered.
            Registered(Box<dyn Policy>),
        }

        /// Every policy, in the order in which they are offered.
        pub static POLICIES: &[PolicyInfo] = &[$($(#[$only])? super $(:: $module)+ ::INFO,)*];

        impl AnyPolicy {
            /// The policy that `spec` describes.
            pub fn new(spec: &Member) -> Self {
                match spec.name() {
                    $($(#[$only])? name if name == super $(:: $module)+ ::INFO.name => AnyPolicy::$Type(super $(:: $module)+ ::$Type::new(spec)),)*
                    name => match registered().iter().find(|own| own.info.name == name) {
                        Some(own) => AnyPolicy::Registered((own.new)(spec)),
                        None => unreachable!("{name} is not in the catalogue"),
                    },
                }
            }
        }

        impl Deref for AnyPolicy {
            type Target = dyn Policy;

            fn deref(&self) -> &(dyn Policy + 'static) {
                match self {
                    $($(#[$only])? AnyPolicy::$Type(policy) => policy,)*
                    AnyPolicy::Own(policy) | AnyPolicy::Registered(policy) => &**policy,
                }
            }
        }

        impl DerefMut for AnyPolicy {
            fn deref_mut(&mut self) -> &mut (dyn Policy + 'static) {
                match self {
                    $($(#[$only])? AnyPolicy::$Type(policy) => policy,)*
                    AnyPolicy::Own(policy) | AnyPolicy::Registered(policy) => &mut **policy,
                }
            }
        }
    };
}

policies! {
    super::leftover => Leftover,
    super::even => Even,
    super::fixed => Fixed,
    super::spatial => Spatial,
    super::mps => Mps,
    super::mig => Mig,
    super::green_context => GreenContext,
    super::time_slice => TimeSlice,
    super::priority => Priority,
    super::smk => Smk,
    super::ws => Ws,
    super::tcm => Tcm,
    super::bmi => Bmi,
    super::mil => Mil,
    super::ucp => Ucp,
    super::lrr_gto => LrrGto,
    super::ccbp => Ccbp,
    super::qos::naive => QosNaive,
    super::qos::elastic => QosElastic,
    super::qos::rollover => QosRollover,
    super::qos::rollover_time => QosRolloverTime,
    super::spart => Spart,
    super::hetero::agnostic => HeteroAgnostic,
    super::hetero::classify => HeteroClassify,
    super::hetero::stp => HeteroStp,
    super::hetero::balanced => HeteroBalanced,
    super::hetero::dynamic => HeteroDynamic,
    super::manual => Manual,
    super::script => Script,
    #[cfg(test)] super::listener => Listener,
}

/// A policy from outside this crate that experiments can name.
#[derive(Clone, Copy, Debug)]
pub struct OwnPolicy {
    /// Its line in the catalogue.
    pub info: PolicyInfo,
    /// The policy that a member of an experiment describes.
    pub new: fn(&Member) -> Box<dyn Policy>,
}

static REGISTERED: OnceBox<Vec<OwnPolicy>> = OnceBox::new();

/// Gives policies of the program's own a name in experiments: sweeps, the catalogue and so the menus of a page have them like those of this crate.
/// Once, before anything is read.
pub fn register(own: impl IntoIterator<Item = OwnPolicy>) -> Result<(), Problems> {
    let own: Vec<OwnPolicy> = own.into_iter().collect();
    let mut problems = Problems::default();
    for (at, OwnPolicy { info, .. }) in own.iter().enumerate() {
        let known = POLICIES.iter().chain(own[..at].iter().map(|other| &other.info)).any(|other| other.name == info.name);
        if known || info.name.contains('+') {
            problems.add("register", info.name, "a name that no policy has, without +");
        }
    }
    if problems.0.is_empty() && REGISTERED.set(Box::new(own)).is_err() {
        problems.add("register", "policies for the second time", "all of them at once");
    }
    problems.or(())
}

/// Those that a program has registered.
fn registered() -> &'static [OwnPolicy] {
    REGISTERED.get().map_or(&[], Vec::as_slice)
}

/// Every policy that experiments can name.
pub fn all() -> impl Iterator<Item = &'static PolicyInfo> {
    POLICIES.iter().chain(registered().iter().map(|own| &own.info))
}

/// Every topic that a policy may decide about, each line once.
pub fn topics() -> Vec<&'static TopicInfo> {
    let mut all: Vec<&TopicInfo> = Vec::new();
    for line in self::all().flat_map(|policy| policy.topics).chain(ctas::TOPICS) {
        if !all.contains(&line) {
            all.push(line);
        }
    }
    all
}

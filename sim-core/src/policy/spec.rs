//! Policies as data: each policy's file has one table (`INFO`) of its parameters, which `seam/spec.rs` reads.

use super::{AnyPolicy, leftover, manual};
use crate::describe::decode;
use crate::describe::error::Problems;
use crate::describe::record::{Entries, Names};
use crate::seam::controls::Controls;
use crate::seam::decision::TopicInfo;
use alloc::boxed::Box;
use alloc::vec::Vec;

pub use super::POLICIES;
pub use crate::describe::record::{Absent, Shape};
pub use crate::seam::spec::{Entry, MAX_LIST, Mix, Param, Setting};

/// A policy and its parameters.
pub type PolicySpec = crate::seam::spec::Spec<PolicyInfo>;

/// Names that policies had before, and have now: experiments and links that say them still mean the same.
pub const OLD_NAMES: &[(&str, &str)] = &[("maestro", "ws+lrr+gto")];

/// The names of the policies.
static NAMES: Names = Names {
    names: || POLICIES.iter().map(|policy| policy.name).collect(),
    old: || OLD_NAMES.iter().map(|(old, _)| *old).collect(),
    known: |name| PolicyInfo::find(name).is_some(),
    want: |_| decode::one_of(&POLICIES.iter().map(|policy| policy.name).collect::<Vec<_>>()),
    what: "a policy",
};

/// What experiments choose a policy from.
static ENTRIES: Entries = Entries { name: "Policy", names: &NAMES, params: |name| PolicyInfo::find(name).map(|policy| policy.params) };

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
    pub check: fn(&PolicySpec, Mix, &mut Problems),
    /// Makes it.
    pub make: fn(&PolicySpec) -> AnyPolicy,
}

impl PolicyInfo {
    /// For policies whose parameters cannot contradict each other.
    pub const NO_CHECK: fn(&PolicySpec, Mix, &mut Problems) = |_, _, _| {};
}

impl Entry for PolicyInfo {
    const ENTRIES: &'static Entries = &ENTRIES;

    fn all() -> &'static [PolicyInfo] {
        POLICIES
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn params(&self) -> &'static [Param] {
        self.params
    }

    /// The policy of this name, or of this old one.
    fn find(name: &str) -> Option<&'static PolicyInfo> {
        let name = OLD_NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
        POLICIES.iter().find(|policy| policy.name == name)
    }

    fn check(spec: &PolicySpec, mix: Mix, problems: &mut Problems) {
        (spec.info().check)(spec, mix, problems);
    }
}

impl PolicySpec {
    /// `leftover`: what a kernel alone runs under.
    pub fn leftover() -> PolicySpec {
        Self::of(&leftover::INFO)
    }

    /// `even`: what holds where an experiment names no policy.
    pub fn even() -> PolicySpec {
        Self::of(&super::even::INFO)
    }

    /// `fixed` with this combination.
    pub fn fixed(combination: &[u32]) -> PolicySpec {
        Self::of(&super::fixed::INFO).with("combination", Setting::Ints(combination.to_vec()))
    }

    /// `manual` with these controls.
    pub fn manual(controls: Controls) -> PolicySpec {
        Self::of(&manual::INFO).with("controls", Setting::Controls(Box::new(controls)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIX: Mix = Mix::SMALL;

    /// The canonical form says the new name.
    #[test]
    fn an_old_name_means_what_it_meant() {
        for (old, new) in OLD_NAMES {
            let read = |name: &str| {
                let mut problems = Problems::default();
                PolicySpec::decode(&name.into(), MIX, &mut problems).unwrap_or_else(|| panic!("{problems}"))
            };
            assert_eq!(read(old).encode(MIX), read(new).encode(MIX));
            assert_eq!(read(old).name(), *new);
            assert!(POLICIES.iter().all(|policy| policy.name != *old));
        }
    }

    #[test]
    fn every_policy_can_be_made_and_has_defaults_that_its_own_kinds_take() {
        for info in POLICIES {
            let spec = PolicySpec::of(info);
            let _ = AnyPolicy::new(&spec);
            spec.check_table();
        }
    }
    /// Lines that share a topic name the same value alike, so that one reader fits them all.
    #[test]
    fn a_value_is_one_thing_in_all_lines_of_a_topic() {
        let lines = super::super::topics();
        assert_eq!(lines.len(), 49);
        let all = || lines.iter().flat_map(|line| line.values.iter().map(|value| (line.topic, value)));
        for (topic, value) in all() {
            let mut others = all().filter(|other| (other.0, other.1.key) == (topic, value.key));
            assert!(others.all(|(_, other)| (other.kind, other.unit) == (value.kind, value.unit)), "{topic}.{}", value.key);
        }
    }
}

//! Policies as data: each policy's file has one table (`INFO`) of its parameters, which `interface/spec.rs` reads. An experiment names one policy or a
//! list of them, of which each edits the controls in turn.

use super::registry::{self, AnyPolicy};
use super::{bmi, even, fixed, leftover, lrr_gto, manual, mil, tcm, ucp, ws};
use crate::describe::error::Problems;
use crate::describe::path::{element, field, one_near};
use crate::describe::record::{Entries, Names, rule};
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub use super::registry::POLICIES;
pub use super::scheme::{Absent, MAX_LIST, Member, Mix, Param, PolicyInfo, Setting, Shape};
pub use crate::interface::spec::Entry;

/// Most policies that share a GPU.
pub const MAX_MEMBERS: usize = 4;

/// What shares a GPU: one policy, or several, of which each edits the controls in turn. Where two set a control, the later one's value holds.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicySpec {
    members: Vec<Member>,
    name: String,
}

/// A list of policies that has a name of its own. Under that name, parameters go to the members that have them.
#[derive(Clone, Copy, Debug)]
pub struct Combination {
    /// Name in experiments.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Its members, in the order in which they edit the controls. No two have a parameter in common.
    pub of: &'static [&'static PolicyInfo],
}

/// Every combination that has a name.
pub const COMBINATIONS: &[Combination] = &[
    Combination {
        name: "ws+tcm",
        title: "WS + TCM: ranks in DRAM",
        source: tcm::INFO.source,
        doc: "Warped-Slicer's combination of CTAs; DRAM serves the kernels with the fewest misses per instruction first",
        of: &[&ws::INFO, &tcm::INFO],
    },
    Combination {
        name: "ws+bmi",
        title: "WS + BMI: turns at memory",
        source: bmi::INFO.source,
        doc: "Warped-Slicer's combination of CTAs; kernels take turns at memory so that they make as many L1D requests each",
        of: &[&ws::INFO, &bmi::INFO],
    },
    Combination {
        name: "ws+mil",
        title: "WS + MIL: caps on memory instructions",
        source: mil::INFO.source,
        doc: "Warped-Slicer's combination of CTAs; kernels for which L1D often fails to reserve may have fewer memory instructions in flight",
        of: &[&ws::INFO, &mil::INFO],
    },
    Combination {
        name: "ws+ucp",
        title: "WS + UCP: ways of L1D",
        source: ucp::INFO.source,
        doc: "Warped-Slicer's combination of CTAs; L1D's ways go to the kernels whose hits grow most with them",
        of: &[&ws::INFO, &ucp::INFO],
    },
    Combination {
        name: "ws+lrr+gto",
        title: "WS + LRR + GTO: across kernels and within",
        source: lrr_gto::INFO.source,
        doc: "Warped-Slicer's combination of CTAs; schedulers take turns between kernels and are greedy within each, whatever the experiment's warp order",
        of: &[&ws::INFO, &lrr_gto::INFO],
    },
];

/// The names that an experiment may say: those of policies and of combinations.
static NAMES: Names =
    Names { names, shorter: Vec::new, known: |name| members_of(name).is_some(), want: |name| one_near(name, &names()), what: "a policy" };

/// What experiments choose a policy from.
static ENTRIES: Entries =
    Entries { name: "Policy", names: &NAMES, params: |name| Some(members_of(name)?.into_iter().map(|policy| policy.params).collect()) };

/// What an experiment says of its policy.
pub const POLICY: Shape = Shape::Forms {
    of: &[Shape::Entry(&ENTRIES), Shape::List { of: &Shape::Entry(&ENTRIES), min: 1, max: MAX_MEMBERS, what: "policies", beyond: "" }],
    want: "a policy's name, an object with its name and parameters, or a list of 1 to 4 policies",
};

rule! {
    /// A list of policies has each policy once, and at most four with the members of combinations.
    pub MEMBERS = "members";
}

fn names() -> Vec<&'static str> {
    registry::all().map(|policy| policy.name).chain(COMBINATIONS.iter().map(|combination| combination.name)).collect()
}

/// The policies that a name stands for, which may be an old one.
fn members_of(name: &str) -> Option<Vec<&'static PolicyInfo>> {
    let combination = COMBINATIONS.iter().find(|combination| combination.name == name);
    combination.map_or_else(|| Some(alloc::vec![PolicyInfo::find(name)?]), |combination| Some(combination.of.to_vec()))
}

impl Entry for PolicyInfo {
    const ENTRIES: &'static Entries = &ENTRIES;

    fn all() -> &'static [PolicyInfo] {
        POLICIES
    }

    fn find(name: &str) -> Option<&'static PolicyInfo> {
        registry::all().find(|policy| policy.name == name)
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn params(&self) -> &'static [Param] {
        self.params
    }

    fn check(spec: &Member, mix: Mix, problems: &mut Problems) {
        (spec.info().check)(spec, mix, problems);
    }
}

impl Combination {
    /// Its parameters: those of every member.
    pub fn params(&self) -> impl Iterator<Item = &'static Param> {
        self.of.iter().flat_map(|policy| policy.params)
    }
}

impl From<Member> for PolicySpec {
    fn from(member: Member) -> Self {
        PolicySpec::new(alloc::vec![member])
    }
}

impl PolicySpec {
    /// A policy with the defaults of all parameters.
    pub fn of(info: &'static PolicyInfo) -> PolicySpec {
        Member::of(info).into()
    }

    /// `leftover`: what a kernel alone runs under.
    pub fn leftover() -> PolicySpec {
        Self::of(&leftover::INFO)
    }

    /// `even`: what holds where an experiment names no policy.
    pub fn even() -> PolicySpec {
        Self::of(&even::INFO)
    }

    /// `fixed` with this combination.
    pub fn fixed(combination: &[u32]) -> PolicySpec {
        Self::of(&fixed::INFO).with("combination", Setting::Ints(combination.to_vec()))
    }

    /// `manual` with these controls.
    pub fn manual(controls: Controls) -> PolicySpec {
        Self::of(&manual::INFO).with("controls", Setting::Controls(Box::new(controls)))
    }

    fn new(members: Vec<Member>) -> PolicySpec {
        let names: Vec<&str> = members.iter().map(Member::name).collect();
        PolicySpec { name: names.join("+"), members }
    }

    /// The policies that it describes.
    pub fn policies(&self) -> Vec<AnyPolicy> {
        self.members().iter().map(AnyPolicy::new).collect()
    }

    /// The policies as data, in the order in which they edit the controls.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Its name in results: those of all members, with `+` between them.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A parameter set, of every member that has it.
    pub fn with(self, name: &str, setting: Setting) -> PolicySpec {
        PolicySpec::new(self.members.into_iter().map(|member| member.with(name, setting.clone())).collect())
    }

    /// A whole number for each kernel, of the first member that has the parameter; none if it is left out or no member has it.
    pub fn ints(&self, name: &str) -> &[u32] {
        self.members.iter().find(|member| member.has(name)).map_or(&[], |member| member.ints(name))
    }

    /// A number for each kernel, of the first member that has the parameter; none if it is left out or no member has it.
    pub fn numbers(&self, name: &str) -> &[f64] {
        self.members.iter().find(|member| member.has(name)).map_or(&[], |member| member.numbers(name))
    }

    /// The controls that a member was given, if one of them is given some.
    pub fn controls(&self) -> Option<&Controls> {
        self.members.iter().find_map(Member::controls)
    }

    /// Reads a policy or a list of policies for a mix.
    pub fn decode(value: &Value, mix: Mix, problems: &mut Problems) -> Option<PolicySpec> {
        if POLICY.check(value, mix.path, problems) { Self::read(value, mix, problems) } else { None }
    }

    /// Reads a policy or a list of policies whose shape is right.
    pub fn read(value: &Value, mix: Mix, problems: &mut Problems) -> Option<PolicySpec> {
        let Value::Array(items) = value else { return Some(PolicySpec::new(read(value, mix, problems)?)) };
        let before = problems.0.len();
        let mut members: Vec<Member> = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let path = element(mix.path, i);
            for member in read(item, Mix { path: &path, ..mix }, problems).unwrap_or_default() {
                if members.iter().any(|other| other.name() == member.name()) {
                    let found = alloc::format!("{} for the second time", member.name());
                    problems.by(&MEMBERS, |problems| problems.add(field(&path, "name"), found, "each policy once"));
                }
                members.push(member);
            }
        }
        if members.len() > MAX_MEMBERS {
            let found = alloc::format!("{} policies", members.len());
            problems.by(&MEMBERS, |problems| problems.add(mix.path, found, alloc::format!("at most {MAX_MEMBERS}")));
        }
        (problems.0.len() == before).then(|| PolicySpec::new(members))
    }

    /// Whether it fits a mix; `decode` has checked this, but a spec can also be made in Rust.
    pub fn check(&self, mix: Mix, problems: &mut Problems) {
        for (path, member) in self.placed(mix.path) {
            member.check(Mix { path: &path, ..mix }, problems);
        }
    }

    /// The policies as data, each with where its canonical form stands.
    pub fn placed<'s>(&'s self, path: &'s str) -> impl Iterator<Item = (String, &'s Member)> {
        let place = move |i| if self.is_one_object() { path.to_string() } else { element(path, i) };
        self.members.iter().enumerate().map(move |(i, member)| (place(i), member))
    }

    /// Whether its canonical form is one object: it is one policy, or a combination with a name.
    fn is_one_object(&self) -> bool {
        self.members.len() == 1 || COMBINATIONS.iter().any(|combination| combination.name == self.name)
    }

    /// The canonical form: an object with the name and every parameter that has a value, or a list of such objects. It is read back against an equal
    /// mix.
    pub fn encode(&self, mix: Mix) -> Value {
        self.written(|member| member.encode(mix))
    }

    /// The form that hashes are made of.
    pub fn encode_decisive(&self, mix: Mix) -> Value {
        self.written(|member| member.encode_decisive(mix))
    }

    fn written(&self, of: impl Fn(&Member) -> Value) -> Value {
        let members = self.members.iter().map(of);
        if !self.is_one_object() {
            return Value::array(members);
        }
        let pairs = members.flat_map(|member| if let Value::Object(pairs) = member { pairs } else { Vec::new() });
        let name = [("name".to_string(), self.name.as_str().into())];
        Value::Object(name.into_iter().chain(pairs.filter(|(key, _)| key != "name")).collect())
    }
}

/// Reads a policy, or the members of a combination by its name; the shape is right.
fn read(value: &Value, mix: Mix, problems: &mut Problems) -> Option<Vec<Member>> {
    let members = members_of(value.get("name").unwrap_or(value).as_str()?)?;
    let members: Vec<Option<Member>> = members.into_iter().map(|policy| Member::read_as(policy, value, mix, problems)).collect();
    members.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIX: Mix = Mix::SMALL;

    fn read(value: impl Into<Value>) -> Result<PolicySpec, String> {
        let mut problems = Problems::default();
        let spec = PolicySpec::decode(&value.into(), MIX, &mut problems);
        if problems.0.is_empty() { Ok(spec.unwrap()) } else { Err(problems.to_string().trim().to_string()) }
    }

    /// A combination's name, the list of its members, and its canonical form are one thing, which is one object where it has a name.
    #[test]
    fn a_combination_is_the_list_of_its_members() {
        for combination in COMBINATIONS {
            let members = || combination.of.iter().map(|policy| policy.name);
            let spec = read(combination.name).unwrap();
            assert_eq!(spec, read(Value::array(members())).unwrap());
            assert_eq!(spec.name(), members().collect::<Vec<_>>().join("+"));
            assert_eq!(spec.name(), combination.name);
            assert_eq!(read(spec.encode(MIX)).unwrap(), spec);
            let names: Vec<&str> = combination.params().map(|param| param.name).collect();
            assert!(names.iter().enumerate().all(|(i, name)| !names[..i].contains(name)), "{names:?}");
        }
        let object = |pairs: &[(&'static str, Value)]| Value::object(pairs.iter().cloned());
        let given = object(&[("name", "ws+tcm".into()), ("quantum", 500.into()), ("combination", Value::array([1, 2]))]);
        let [first, second] = &read(given).unwrap().members[..] else { panic!() };
        assert_eq!((first.ints("combination"), second.int("quantum")), (&[1, 2][..], 500));

        let apart = read(Value::array(["spatial", "mil"])).unwrap();
        assert_eq!((apart.name(), apart.members().len()), ("spatial+mil", 2));
        assert!(matches!(apart.encode(MIX), Value::Array(_)));
        assert_eq!(read(apart.encode(MIX)).unwrap(), apart);
        assert_eq!(read(Value::array(["ws"])).unwrap(), read("ws").unwrap());
        assert_eq!(read(Value::array(["ws+mil", "ucp"])).unwrap().name(), "ws+mil+ucp");
    }

    #[test]
    fn what_is_wrong_in_a_list_is_named_where_it_stands() {
        let wrong = |value: Value| read(value).unwrap_err();
        assert_eq!(wrong(Value::Array(Vec::new())), "policy: found a list of 0, want a list of 1 to 4 policies");
        assert!(wrong(Value::array(["ws", "fair"])).starts_with("policy[1].name: found \"fair\", want one of leftover, "));
        let text = "policy[1].name: found ws for the second time, want each policy once";
        assert_eq!(wrong(Value::array(["ws", "ws"])), text);
        assert_eq!(wrong(Value::array(["ws", "ws+tcm"])), text);
        let five = Value::array(["ws", "tcm", "bmi", "mil", "ucp"]);
        assert_eq!(wrong(five), "policy: found a list of 5, want a list of 1 to 4 policies");
        assert_eq!(wrong(Value::array(["ws+tcm", "bmi", "mil", "ucp"])), "policy: found 5 policies, want at most 4");
        let misspelt = Value::object([("name", Value::from("ucp")), ("repartitoin", 500.into())]);
        assert!(wrong(Value::array(["ws".into(), misspelt])).starts_with("policy[1].repartitoin: found an unknown field (500)"));
        let misspelt = Value::object([("name", Value::from("ws+ucp")), ("repartitoin", 500.into())]);
        let text = wrong(misspelt);
        assert!(
            text.starts_with("policy.repartitoin: found an unknown field (500), want one of name, ") && text.contains(", repartition"),
            "{text}"
        );
    }

    #[test]
    fn every_policy_can_be_made_and_has_defaults_that_its_own_kinds_take() {
        for info in POLICIES {
            let member = Member::of(info);
            let _ = AnyPolicy::new(&member);
            member.check_table();
        }
    }

    /// What could be chosen once is read with the value that it has now, and refused by name with any other. What can be chosen of one policy is
    /// bounded, so that its form stays short.
    #[test]
    fn a_constant_is_taken_with_its_value_alone() {
        let text = "policy.metric: found \"wspeedup\", want \"hspeedup\": it is a constant now";
        assert_eq!(read(Value::object([("name", "ccbp"), ("metric", "wspeedup")])).unwrap_err(), text);
        let text = "policy[1].shuffle_interval: found 3, want 800: it is a constant now";
        let tcm = Value::object([("name", Value::from("tcm")), ("shuffle_interval", 3.into())]);
        assert_eq!(read(Value::array(["ws".into(), tcm])).unwrap_err(), text);
        let mut constants = 0;
        for info in POLICIES {
            let chosen: Vec<_> = info.params.iter().filter(|param| !param.is_constant()).map(|param| param.name).collect();
            assert!(chosen.len() <= 16, "{}: {chosen:?}", info.name);
            for param in info.params.iter().filter(|param| param.is_constant()) {
                constants += 1;
                let value = param.absent.value().unwrap();
                let given = |value: &Value| Value::object([("name", Value::from(info.name)), (param.name, value.clone())]);
                let (spec, plain) = (read(given(&value)), PolicySpec::of(info));
                if let Ok(spec) = spec {
                    assert_eq!((spec.encode(MIX).get(param.name), &spec), (None, &plain));
                    assert_eq!(spec.encode_decisive(MIX).get(param.name), Some(&value));
                }
                let refused = read(given(&"other".into())).unwrap_err();
                let text = alloc::format!("policy.{}: found \"other\", want {value}: it is a constant now", param.name);
                assert!(refused.contains(&text), "{refused}");
            }
        }
        assert!(constants >= 42, "{constants}");
    }

    /// Lines that share a topic name the same value alike, so that one reader fits them all.
    #[test]
    fn a_value_is_one_thing_in_all_lines_of_a_topic() {
        let lines = registry::topics();
        assert!(lines.len() >= 49, "{}", lines.len());
        let all = || lines.iter().flat_map(|line| line.values.iter().map(|value| (line.topic, value)));
        for (topic, value) in all() {
            let mut others = all().filter(|other| (other.0, other.1.key) == (topic, value.key));
            assert!(others.all(|(_, other)| (other.kind, other.unit) == (value.kind, value.unit)), "{topic}.{}", value.key);
        }
    }
}

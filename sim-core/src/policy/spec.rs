//! Policies as data: which one, with which parameters. One table describes them all; decoding, the catalogue, the JSON Schema and the page's
//! form are made from it.

use crate::controls::Controls;
use crate::decode::{Fields, element, field, int, list};
use crate::error::Problems;
use crate::value::Value;
use alloc::format;
use alloc::vec::Vec;

/// A policy and its parameters.
#[derive(Clone, PartialEq, Debug)]
#[allow(clippy::large_enum_variant)] // one of them in an experiment
pub enum PolicySpec {
    /// See `policy/leftover.rs`.
    Leftover,
    /// See `policy/even.rs`.
    Even,
    /// See `policy/fixed.rs`.
    Fixed {
        /// CTAs on each SM, by kernel.
        combination: Vec<u32>,
    },
    /// See `policy/spatial.rs`.
    Spatial {
        /// SMs, by kernel; empty for equal parts.
        split: Vec<u32>,
    },
    /// See `policy/manual.rs`.
    Manual {
        /// What to set; `None` for neutral.
        controls: Option<Controls>,
    },
}

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamKind {
    /// A whole number for each kernel of the mix.
    PerKernelInt {
        /// Least.
        min: u32,
        /// Greatest.
        max: u32,
    },
    /// Controls as an object.
    Controls,
}

/// A parameter of a policy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Param {
    /// Name in experiments.
    pub name: &'static str,
    /// Values.
    pub kind: ParamKind,
    /// Unit.
    pub unit: &'static str,
    /// Whether it may be left out, and what holds then.
    pub default: Option<&'static str>,
    /// Meaning.
    pub doc: &'static str,
}

/// A policy of the catalogue.
#[derive(Clone, Copy, PartialEq, Debug)]
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
}

/// Every policy.
pub const POLICIES: &[PolicyInfo] = &[
    PolicyInfo {
        name: "leftover",
        title: "Leftover",
        source: "GPGPU-Sim's concurrent kernels",
        doc: "The next kernel gets room only once the one before has no CTA left to place",
        params: &[],
    },
    PolicyInfo {
        name: "even",
        title: "Even split inside each SM",
        source: "CCBP §5.4",
        doc: "Every kernel may hold an equal part of the CTAs that it could hold alone, on every SM",
        params: &[],
    },
    PolicyInfo {
        name: "fixed",
        title: "Fixed combination",
        source: "CCBP §3",
        doc: "So many CTAs of each kernel on every SM",
        params: &[Param {
            name: "combination",
            kind: ParamKind::PerKernelInt { min: 0, max: 64 },
            unit: "CTAs per SM",
            default: None,
            doc: "CTAs of each kernel on every SM, in the order of the mix; 0 keeps a kernel out",
        }],
    },
    PolicyInfo {
        name: "spatial",
        title: "Spatial partitioning",
        source: "Adriaens et al., HPCA 2012; MPS and MIG partition SMs alike",
        doc: "Disjoint sets of SMs; NoC, L2 and DRAM stay shared",
        params: &[Param {
            name: "split",
            kind: ParamKind::PerKernelInt { min: 0, max: 64 },
            unit: "SMs",
            default: Some("equal parts"),
            doc: "SMs of each kernel, in the order of the mix",
        }],
    },
    PolicyInfo {
        name: "manual",
        title: "Manual",
        source: "Corun",
        doc: "Controls set from outside: sliders, a function, or an experiment",
        params: &[Param {
            name: "controls",
            kind: ParamKind::Controls,
            unit: "",
            default: Some("neutral"),
            doc: "What to set; what is left out stays neutral",
        }],
    },
];

impl PolicySpec {
    /// Its name in experiments.
    pub fn name(&self) -> &'static str {
        match self {
            PolicySpec::Leftover => "leftover",
            PolicySpec::Even => "even",
            PolicySpec::Fixed { .. } => "fixed",
            PolicySpec::Spatial { .. } => "spatial",
            PolicySpec::Manual { .. } => "manual",
        }
    }

    /// Reads a policy for a mix of `kernels` on `sms` SMs: a name, or an object with `name` and parameters.
    pub fn decode(value: &Value, path: &str, kernels: usize, sms: usize, problems: &mut Problems) -> Option<PolicySpec> {
        let whole;
        let value = match value {
            Value::Str(name) => {
                whole = Value::object([("name", name.as_str())]);
                &whole
            }
            other => other,
        };
        let mut fields = Fields::of(value, path, "a policy's name, or an object with its name and parameters", problems)?;
        let names = || POLICIES.iter().map(|policy| policy.name).collect::<Vec<_>>().join(", ");
        let name = fields.need("name", &format!("one of {}", names()), problems)?;
        let spec = match name.as_str().unwrap_or("") {
            "leftover" => Some(PolicySpec::Leftover),
            "even" => Some(PolicySpec::Even),
            "fixed" => {
                let value = fields.need("combination", &format!("{kernels} whole numbers: CTAs per SM of each kernel"), problems);
                let combination = value.and_then(|v| per_kernel(v, &field(path, "combination"), kernels, "CTAs per SM", problems));
                if combination.as_ref().is_some_and(|c| c.iter().all(|&ctas| ctas == 0)) {
                    problems.add(field(path, "combination"), "only zeros", "a CTA of at least one kernel");
                }
                combination.map(|combination| PolicySpec::Fixed { combination })
            }
            "spatial" => {
                let split = match fields.take("split") {
                    Some(value) => per_kernel(value, &field(path, "split"), kernels, "SMs", problems),
                    None => Some(Vec::new()),
                };
                let given: u32 = split.iter().flatten().sum();
                if given as usize > sms {
                    problems.add(field(path, "split"), format!("{given} SMs together"), format!("at most the GPU's {sms}"));
                }
                if split.as_ref().is_some_and(|s| !s.is_empty()) && given == 0 {
                    problems.add(field(path, "split"), "only zeros", "an SM for at least one kernel");
                }
                split.map(|split| PolicySpec::Spatial { split })
            }
            "manual" => match fields.take("controls") {
                None => Some(PolicySpec::Manual { controls: None }),
                Some(value) => Controls::decode(value, &field(path, "controls"), kernels, sms, problems)
                    .map(|controls| PolicySpec::Manual { controls: Some(controls) }),
            },
            _ => {
                problems.add(field(path, "name"), name.describe(), format!("one of {}", names()));
                return None;
            }
        };
        fields.finish(problems);
        spec
    }

    /// The canonical form: an object with the name and every parameter.
    pub fn encode(&self) -> Value {
        let mut pairs = alloc::vec![("name", Value::from(self.name()))];
        match self {
            PolicySpec::Leftover | PolicySpec::Even | PolicySpec::Manual { controls: None } => {}
            PolicySpec::Fixed { combination } => pairs.push(("combination", Value::array(combination.iter().copied()))),
            PolicySpec::Spatial { split } if split.is_empty() => {}
            PolicySpec::Spatial { split } => pairs.push(("split", Value::array(split.iter().copied()))),
            PolicySpec::Manual { controls: Some(controls) } => pairs.push(("controls", controls.encode())),
        }
        Value::object(pairs)
    }
}

fn per_kernel(value: &Value, path: &str, kernels: usize, unit: &str, problems: &mut Problems) -> Option<Vec<u32>> {
    let items = list(value, path, kernels..=kernels, &format!("whole numbers ({unit} of each kernel)"), problems)?;
    let read = |(i, item): (usize, &Value)| int(item, &element(path, i), 0..=64, problems).map(|n| n as u32);
    let numbers: Vec<Option<u32>> = items.iter().enumerate().map(read).collect();
    numbers.into_iter().collect()
}

//! How many CTAs of a kernel an SM may hold, as an experiment says it: on every SM, or by class.
//!
//! A limit takes CTAs away and never adds any. A CTA takes its registers, shared memory and threads of an SM however many the kernel may
//! hold, so a limit beyond what fits has no meaning. One for all SMs is cut to what fits. One that names its class is refused, because who
//! writes it wants to see just that many. HeteroCore's Table 3 prints 6/9/1 and 5/9/3 CTAs on a baseline, a big and a small SM, which no
//! shape of a CTA gives. CTAs that give 6/9/3 do so with `{ "small": 1 }`, and with `{ "sm": 5 }` on `fermi-16sm`. `uniform` names the SMs
//! of the uniform GPU that schemes compare with.

use crate::describe::error::Problems;
use crate::describe::gpu::presets::{self, Preset};
use crate::describe::gpu::{Gpu, SmClass};
use crate::describe::path::field;
use crate::describe::record::{ANY_KEY, Datum, Shape};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// CTAs that a kernel may hold on an SM, whatever the policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CtaLimit {
    /// On every SM.
    Each(u32),
    /// On SMs of classes with these names; on others, what fits.
    OfClass(Vec<(String, u32)>),
}

/// CTAs on an SM.
const CTAS: Shape = Shape::Int { min: 1, max: 64 };

/// A number, or an object of numbers by class; which classes there are is a rule.
pub const CTA_LIMIT: Shape =
    Shape::Forms { of: &[CTAS, Shape::Map { keys: &ANY_KEY, of: &CTAS, want: "CTAs by SM class" }], want: "CTAs, or CTAs by SM class" };

impl Datum for CtaLimit {
    fn read(value: &Value) -> Self {
        match value {
            Value::Object(limits) => CtaLimit::OfClass(limits.iter().map(|(class, ctas)| (class.clone(), u32::read(ctas))).collect()),
            ctas => CtaLimit::Each(u32::read(ctas)),
        }
    }

    fn write(&self) -> Value {
        match self {
            CtaLimit::Each(ctas) => (*ctas).into(),
            CtaLimit::OfClass(limits) => Value::object(limits.iter().map(|(class, ctas)| (class.as_str(), *ctas))),
        }
    }
}

impl CtaLimit {
    /// The limit on an SM of `class`, if there is one.
    pub fn on(&self, class: &SmClass) -> Option<u32> {
        match self {
            CtaLimit::Each(ctas) => Some(*ctas),
            CtaLimit::OfClass(limits) => limits.iter().find(|limit| limit.0 == class.name).map(|limit| limit.1),
        }
    }

    /// Adds limits beyond what SMs of their class hold by `fit`, and classes that no GPU has. A kernel may say what holds on several GPUs,
    /// among them the uniform one that schemes measure it on.
    pub fn check(&self, gpu: &Gpu, fit: impl Fn(&SmClass) -> u32, path: &str, problems: &mut Problems) {
        let CtaLimit::OfClass(limits) = self else { return };
        let uniform = gpu.uniform();
        for (name, ctas) in limits {
            let at = || field(path, name);
            let is_of_preset =
                |preset: &Preset| presets::find(preset.name).is_some_and(|gpu| gpu.sms.iter().any(|class| class.name == *name));
            match gpu.sms.iter().chain(&uniform.sms).find(|class| class.name == *name) {
                Some(class) if *ctas > fit(class) => {
                    problems.add(at(), ctas, format!("at most {}, what fits an SM of class {name}", fit(class)));
                }
                None if !presets::PRESETS.iter().any(is_of_preset) => {
                    let names: Vec<&str> = gpu.sms.iter().map(|class| class.name.as_str()).collect();
                    problems.add(at(), "a class of no GPU", format!("a class of this one ({}), or of a preset", names.join(", ")));
                }
                _ => {}
            }
        }
    }
}

//! Controls as JSON, for the manual policy and the page's sliders; everything here follows from the registry.
//!
//! An object with a field for each control that is not neutral. A control of each kernel takes a list with an entry for each; null is no limit.
//! A control of each SM takes one value for all SMs, or values by SMs: `{ "0-3": 100, "7": 50 }`, neutral on the others. `sm_mask` lists
//! the SM numbers of each kernel. Old files are still read: a list for each SM of lists for each kernel, and lists of up to eight entries
//! for any mix.

use super::{CONTROLS, CONTROLS_RECORD, Control, Controls, Kind, Number, Raw, Scope, WarpOrder, encode_warp_order};
use crate::describe::error::Problems;
use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::path::{element, field, int, list};
use crate::describe::record::{Datum, rule};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

rule! {
    /// Controls have an entry for each kernel (in old files up to eight), name SMs that there are, each once, and credits of 1/16 at
    /// least.
    pub OF_THE_MIX = "of_the_mix";
}

impl Controls {
    /// Reads controls for `kernels` kernels; omitted controls stay as in `neutral`.
    pub fn decode(value: &Value, path: &str, kernels: usize, neutral: Controls, problems: &mut Problems) -> Option<Controls> {
        if CONTROLS_RECORD.check(value, path, problems) { Self::read(value, path, kernels, neutral, problems) } else { None }
    }

    /// Reads controls whose shape is right.
    pub fn read(value: &Value, path: &str, kernels: usize, neutral: Controls, problems: &mut Problems) -> Option<Controls> {
        let before = problems.0.len();
        let mut controls = neutral;
        for control in CONTROLS {
            if let Some(value) = value.get(control.field.name) {
                let path = field(path, control.field.name);
                problems.by(&OF_THE_MIX, |problems| control.read(value, &path, kernels, &mut controls, problems));
            }
        }
        (problems.0.len() == before).then_some(controls)
    }

    /// The canonical form for `kernels` kernels: what is not neutral, as short as `decode` reads it back, where `warp_order` is the
    /// experiment's.
    pub fn encode(&self, kernels: usize, warp_order: WarpOrder) -> Value {
        let neutral = Controls::neutral(1, warp_order);
        Value::object(CONTROLS.iter().filter_map(|control| Some((control.field.name, control.write(self, &neutral, kernels)?))))
    }
}

impl Control {
    /// What holds where it is left out, in words.
    pub fn neutral(&self) -> String {
        match self.kind {
            Kind::Limit { .. } | Kind::Requests { .. } => "no limit".to_string(),
            Kind::Numbers { .. } | Kind::Sms => "all".to_string(),
            Kind::WarpOrder => "the experiment's".to_string(),
            _ => match self.kind.write((self.get)(&Controls::neutral(1, WarpOrder::default()), 0, 0)) {
                Value::Str(name) => name,
                value => value.to_string(),
            },
        }
    }

    /// Its value for a kernel on an SM, as JSON writes it; either is 0 for a scope that it does not have.
    pub fn value(&self, controls: &Controls, sm: usize, kernel: KernelId) -> Value {
        self.kind.write((self.get)(controls, sm, kernel.index()))
    }

    /// Sets its value for a kernel on these SMs.
    pub fn put(&self, controls: &mut Controls, sms: Range<usize>, kernel: KernelId, value: &Value, path: &str) -> Result<(), Problems> {
        let mut problems = Problems::default();
        if self.kind.shape().check(value, path, &mut problems)
            && let Some(raw) = self.kind.read(value, path, &mut problems)
        {
            sms.for_each(|sm| (self.set)(controls, sm, kernel.index(), raw));
        }
        problems.or(())
    }

    fn read(&self, value: &Value, path: &str, kernels: usize, controls: &mut Controls, problems: &mut Problems) {
        let sms = if self.scope.is_on_sm() { controls.sms.len() } else { 1 };
        match value {
            Value::Object(_) if self.scope.is_on_sm() => self.read_by_sms(value, path, kernels, controls, problems),
            _ if self.kind == Kind::Sms => self.read_sm_numbers(value, path, kernels, controls, problems),
            Value::Array(items) if self.is_for_each_sm(items) => {
                let Some(items) = list(value, path, sms..=sms, "lists, one for each SM", problems) else { return };
                for (sm, item) in items.iter().enumerate() {
                    self.read_on(sm..sm + 1, item, &element(path, sm), kernels, controls, problems);
                }
            }
            _ => self.read_on(0..sms, value, path, kernels, controls, problems),
        }
    }

    fn is_for_each_sm(&self, items: &[Value]) -> bool {
        let lists = items.iter().any(|item| matches!(item, Value::Array(_)));
        lists && self.scope == Scope::KernelOnSm && !matches!(self.kind, Kind::Numbers { .. })
    }

    /// What holds on all of `sms`.
    fn read_on(&self, sms: Range<usize>, value: &Value, path: &str, kernels: usize, controls: &mut Controls, problems: &mut Problems) {
        let mut set = |kernel: usize, value: &Value, path: &str, problems: &mut Problems| {
            if let Some(raw) = self.kind.read(value, path, problems) {
                sms.clone().for_each(|sm| (self.set)(controls, sm, kernel, raw));
            }
        };
        if !self.scope.is_of_kernel() {
            return set(0, value, path, problems);
        }
        for (kernel, item) in each(value, path, kernels, problems) {
            set(kernel, item, &element(path, kernel), problems);
        }
    }

    /// By SM numbers and ranges of them.
    fn read_by_sms(&self, value: &Value, path: &str, kernels: usize, controls: &mut Controls, problems: &mut Problems) {
        let Value::Object(pairs) = value else { return };
        let count = controls.sms.len();
        let mut given = alloc::vec![false; count];
        for (key, value) in pairs {
            let path = field(path, key);
            let Some(sms) = sm_range(key).filter(|sms| sms.end <= count) else {
                problems.add(path, value.describe(), format!("a value for an SM such as 0, or for some such as 0-{}", count - 1));
                continue;
            };
            if given[sms.clone()].contains(&true) {
                problems.add(path, "an SM for the second time", "each SM once");
                continue;
            }
            given[sms.clone()].fill(true);
            self.read_on(sms, value, &path, kernels, controls, problems);
        }
    }

    /// The numbers of the SMs on which a flag is true, for each kernel.
    fn read_sm_numbers(&self, value: &Value, path: &str, kernels: usize, controls: &mut Controls, problems: &mut Problems) {
        let sms = controls.sms.len();
        for (kernel, item) in each(value, path, kernels, problems) {
            let path = element(path, kernel);
            let Some(items) = list(item, &path, 0..=sms, "SM numbers", problems) else { continue };
            (0..sms).for_each(|sm| (self.set)(controls, sm, kernel, false.raw()));
            for (i, item) in items.iter().enumerate() {
                if let Some(sm) = int(item, &element(&path, i), 0..=sms as i64 - 1, problems) {
                    (self.set)(controls, sm as usize, kernel, true.raw());
                }
            }
        }
    }

    fn write(&self, controls: &Controls, neutral: &Controls, kernels: usize) -> Option<Value> {
        let sms = if self.scope.is_on_sm() { controls.sms.len() } else { 1 };
        let on = |controls: &Controls, sm: usize| -> Vec<Raw> {
            let kernels = if self.scope.is_of_kernel() { kernels } else { 1 };
            (0..kernels).map(|kernel| (self.get)(controls, sm, kernel)).collect()
        };
        let (all, neutral): (Vec<_>, _) = ((0..sms).map(|sm| on(controls, sm)).collect(), on(neutral, 0));
        if all.iter().all(|values| *values == neutral) {
            return None;
        }
        if self.kind == Kind::Sms {
            let numbers = |kernel: usize| (0..sms).filter(|&sm| all[sm][kernel] == true.raw()).map(|sm| sm as u32).collect::<Vec<_>>();
            return Some(Value::array((0..kernels).map(|kernel| Value::array(numbers(kernel)))));
        }
        let value = |values: &[Raw]| match values {
            [raw] if !self.scope.is_of_kernel() => self.kind.write(*raw),
            _ => Value::array(values.iter().map(|raw| self.kind.write(*raw))),
        };
        let runs: Vec<&[Vec<Raw>]> = all.chunk_by(|a, b| a == b).collect();
        if let [run] = runs[..] {
            return Some(value(&run[0]));
        }
        let mut first = 0;
        let mut pairs = Vec::new();
        for run in runs {
            let next = first + run.len();
            if run[0] != neutral {
                let key = if run.len() == 1 { format!("{first}") } else { format!("{first}-{}", next - 1) };
                pairs.push((key, value(&run[0])));
            }
            first = next;
        }
        Some(Value::Object(pairs))
    }
}

impl Kind {
    /// A value whose shape is right, as the machine keeps it.
    fn read(self, value: &Value, path: &str, problems: &mut Problems) -> Option<Raw> {
        let place = |names: &[&str]| names.iter().position(|name| value.as_str() == Some(name)).unwrap_or(0) as u32;
        Some(match self {
            Kind::Limit { .. } | Kind::Requests { .. } if *value == Value::Null => None,
            Kind::Int { .. } | Kind::Limit { .. } => Some(u32::read(value)),
            Kind::Requests { max } => {
                let sixteenths = f64::read(value) * 16.0;
                if sixteenths > 0.0 && sixteenths < 1.0 {
                    problems.add(path, value.describe(), format!("null, 0, or a number from 0.0625 (1/16) to {max}"));
                    return None;
                }
                Some(sixteenths as u32)
            }
            Kind::Numbers { .. } => Some(value.items().iter().fold(0, |mask, bit| mask | 1 << u32::read(bit))),
            Kind::Flag | Kind::Sms => bool::read(value).raw(),
            Kind::Choice(names) => Some(place(names)),
            Kind::WarpOrder => WarpOrder::read(value).raw(),
        })
    }

    fn write(self, raw: Raw) -> Value {
        let n = raw.unwrap_or(0);
        match self {
            Kind::Limit { .. } => raw.into(),
            Kind::Int { .. } => n.into(),
            Kind::Requests { .. } => raw.map(|n| f64::from(n) / 16.0).into(),
            Kind::Numbers { max } => Value::array((0..=max).filter(|bit| n >> bit & 1 == 1)),
            Kind::Flag | Kind::Sms => (n == 1).into(),
            Kind::Choice(names) => names[n as usize].into(),
            Kind::WarpOrder => encode_warp_order(WarpOrder::of(raw)).into(),
        }
    }
}

/// The entries of the first `count` kernels of a list; more, up to eight, are the unused rest of an old canonical form.
fn each<'v>(value: &'v Value, path: &str, count: usize, problems: &mut Problems) -> impl Iterator<Item = (usize, &'v Value)> + use<'v> {
    let items = list(value, path, count..=count.max(MAX_KERNELS), "entries, one for each kernel", problems).unwrap_or(&[]);
    items.iter().enumerate().take(count)
}

/// `3` or `0-7`.
fn sm_range(key: &str) -> Option<Range<usize>> {
    let (first, last) = key.split_once('-').unwrap_or((key, key));
    let sm = |text: &str| text.parse::<u16>().ok().filter(|n| n.to_string() == text).map(usize::from);
    Some(sm(first)?..sm(last)? + 1).filter(|range| !range.is_empty())
}

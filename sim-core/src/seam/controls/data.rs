//! Controls as JSON, for the manual policy and the page's sliders; everything here follows from the registry.
//!
//! An object with a field for each control that is not neutral. A control of each kernel takes a list with an entry for each; null is no limit.
//! A control of each SM takes one value for all SMs, or values by SMs: `{ "0-3": 100, "7": 50 }`, neutral on the others. `sm_mask` lists
//! the SM numbers of each kernel. Old files are still read: a list for each SM of lists for each kernel, and lists of up to eight entries
//! for any mix.

use super::{CONTROLS, Control, Controls, Kind, Number, Raw, Scope, WarpOrder, decode_warp_order, encode_warp_order};
use crate::describe::decode::{Fields, choice, element, field, int, list, number};
use crate::describe::error::Problems;
use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

impl Controls {
    /// Reads controls for `kernels` kernels; omitted controls stay as in `neutral`.
    pub fn decode(value: &Value, path: &str, kernels: usize, neutral: Controls, problems: &mut Problems) -> Option<Controls> {
        let before = problems.0.len();
        let mut controls = neutral;
        let mut fields = Fields::of(value, path, "an object of controls", problems)?;
        for control in CONTROLS {
            if let Some(value) = fields.take(control.key) {
                control.read(value, &fields.path(control.key), kernels, &mut controls, problems);
            }
        }
        fields.finish(problems);
        (problems.0.len() == before).then_some(controls)
    }

    /// The canonical form for `kernels` kernels: what is not neutral, as short as `decode` reads it back, where `warp_order` is the
    /// experiment's.
    pub fn encode(&self, kernels: usize, warp_order: WarpOrder) -> Value {
        let neutral = Controls::neutral(1, warp_order);
        Value::object(CONTROLS.iter().filter_map(|control| Some((control.key, control.write(self, &neutral, kernels)?))))
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
        if let Some(raw) = self.kind.read(value, path, &mut problems) {
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
        let Some(mut fields) = Fields::of(value, path, "an object by SMs", problems) else { return };
        let count = controls.sms.len();
        let mut given = alloc::vec![false; count];
        for (key, value) in fields.rest() {
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
    fn read(self, value: &Value, path: &str, problems: &mut Problems) -> Option<Raw> {
        let whole = |n: i64| Some(n as u32);
        match self {
            Kind::Limit { .. } | Kind::Requests { .. } if *value == Value::Null => Some(None),
            Kind::Int { min, max } | Kind::Limit { min, max } => int(value, path, min.into()..=max.into(), problems).map(whole),
            Kind::Requests { max } => {
                let sixteenths = number(value, path, 0.0..=max.into(), problems)? * 16.0;
                if sixteenths > 0.0 && sixteenths < 1.0 {
                    problems.add(path, value.describe(), format!("null, 0, or a number from 0.0625 (1/16) to {max}"));
                    return None;
                }
                Some(Some(sixteenths as u32))
            }
            Kind::Numbers { max } => {
                let items = list(value, path, 1..=max as usize + 1, "numbers", problems)?;
                let bit = |(i, item)| int(item, &element(path, i), 0..=max.into(), problems);
                let bits: Vec<Option<i64>> = items.iter().enumerate().map(bit).collect();
                bits.into_iter().try_fold(0, |mask, bit| Some(mask | 1 << bit?)).map(Some)
            }
            Kind::Flag | Kind::Sms => match value {
                Value::Bool(flag) => Some(flag.raw()),
                other => {
                    problems.add(path, other.describe(), "true or false");
                    None
                }
            },
            Kind::Choice(names) => choice(value, path, names, problems).map(|n| Some(n as u32)),
            Kind::WarpOrder => decode_warp_order(value, path, problems).map(Number::raw),
        }
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

//! Experiments as files write them: a mix under a scheme, with its modifiers.

use super::{Lengths, Mix, Runs, SHORT};
use crate::engine::study::{Scheme, promised};
use sim_core::describe::value::Value;
use sim_core::run::experiment::set_path;

impl Runs {
    /// The warm-up of a mix's runs, and when they end.
    pub fn lengths(&self, mix: &[String], machine: &str) -> Lengths {
        let (mode, cycles) = (&self.study.mode, self.cycles(mix, machine));
        let settled = |within: f64| Value::object([("settled", Value::from(within)), ("at_most", cycles.into())]);
        if self.study.once {
            return (0, Value::object([("kernels_done", Value::from(true)), ("cycles", cycles.into())]));
        }
        (mode.warm_up, mode.settled.map_or(of_cycles(cycles), settled))
    }

    /// How many cycles a mix's runs measure, or at most.
    pub fn cycles(&self, mix: &[String], machine: &str) -> u64 {
        let short = machine.split_whitespace().any(|modifier| modifier == SHORT);
        if short { self.study.mode.cycles } else { self.study.mode.cycles_of(mix) }
    }

    /// An experiment as a file writes it.
    pub(super) fn written(&self, scheme: &str, mix: &[String], policy: Value, lengths: Lengths, machine: &str) -> Value {
        self.written_on(&self.study.gpu, scheme, mix, policy, lengths, machine)
    }

    fn written_on(&self, gpu: &Value, scheme: &str, mix: &[String], policy: Value, (warm_up, stop): Lengths, machine: &str) -> Value {
        let name = if mix.len() > 1 { format!("{}: {scheme}", mix.join("+")) } else { scheme.to_owned() };
        let mut written = Value::object([
            ("corun", Value::from(1)),
            ("name", name.into()),
            ("source", self.study.source.as_str().into()),
            ("seed", self.study.seed.into()),
            ("gpu", gpu.clone()),
            ("kernels", Value::array(mix.iter().map(|kernel| used(&self.study.prefix, kernel)))),
            ("policy", policy),
            ("warp_order", self.study.warp_order.as_str().into()),
            ("warm_up", warm_up.into()),
            ("stop", stop),
            ("alone", (!self.study.once).into()),
        ]);
        if let (Value::Object(fields), true) = (&mut written, self.study.once) {
            fields.push(("restart".into(), false.into()));
        }
        let all = [self.study.everywhere.as_str(), machine];
        let modifiers = all.iter().flat_map(|machine| machine.split_whitespace()).filter(|modifier| *modifier != SHORT);
        // Another GPU comes before what is changed of it.
        let (whole, parts): (Vec<&str>, Vec<&str>) = modifiers.partition(|modifier| modifier.starts_with("gpu="));
        whole.into_iter().chain(parts).for_each(|modifier| self.change(&mut written, modifier));
        written
    }

    /// Applies a modifier: `key=value`, or an order of warps. `KERNEL.field=value` changes one kernel, in the mixes that have it.
    pub(super) fn change(&self, written: &mut Value, modifier: &str) {
        let Some((key, value)) = modifier.split_once('=') else {
            return self.set(written, "warp_order", modifier.into());
        };
        let one = self.study.kernel_field(key);
        let path = one.map(|(_, field)| format!("kernels[*].{field}")).or_else(|| self.study.path(key).map(str::to_owned));
        let Some(path) = path else {
            return self.wrong("modifier", key, "one of study.toml, or a path");
        };
        let value: Value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        if !path.contains("[*]") {
            return self.set(written, &path, value);
        }
        let mix = mix_of(written).into_iter().enumerate();
        for (place, _) in mix.filter(|(_, name)| one.is_none_or(|(kernel, _)| kernel == name)) {
            self.set(written, &path.replace("[*]", &format!("[{place}]")), value.clone());
        }
    }

    /// Sets a field of an experiment as a file writes it.
    pub(super) fn set(&self, written: &mut Value, path: &str, value: Value) {
        if let Err(problems) = set_path(written, path, value) {
            self.problems.borrow_mut().0.extend(problems.0);
        }
    }

    pub(super) fn wrong(&self, path: &str, found: &str, want: &str) {
        self.problems.borrow_mut().add(path, format!("{found:?}"), want);
    }

    /// An experiment of a scheme, and the GPU of the kernels alone if it is another.
    pub(super) fn under(
        &self,
        scheme: &Scheme,
        name: &str,
        mix: &Mix,
        policy: Value,
        lengths: Lengths,
        machine: &str,
    ) -> (Value, Option<Value>) {
        let reference =
            scheme.gpu.as_ref().and_then(|_| self.written(name, mix, policy.clone(), lengths.clone(), machine).get("gpu").cloned());
        let gpu = scheme.gpu.as_ref().unwrap_or(&self.study.gpu);
        let mut written = self.written_on(gpu, name, mix, policy, lengths, machine);
        if let Some(order) = &scheme.warp_order {
            self.set(&mut written, "warp_order", order.as_str().into());
        }
        if let Some(order) = &scheme.cta_order {
            self.set(&mut written, "cta_order", order.clone());
        }
        (written, reference)
    }
}

/// The kernels of an experiment by name, as a file writes it: those of the library, or with all their fields.
pub(super) fn mix_of(written: &Value) -> Mix {
    let Some(Value::Array(kernels)) = written.get("kernels") else { return Vec::new() };
    kernels.iter().map(|kernel| named(kernel.get("kernel").unwrap_or(kernel)).to_owned()).collect()
}

fn named(kernel: &Value) -> &str {
    let name = kernel.as_str().or_else(|| kernel.get("name")?.as_str()).unwrap_or("");
    name.rsplit('/').next().unwrap_or(name)
}

/// The stop condition of a run of fixed length.
pub fn of_cycles(cycles: u64) -> Value {
    Value::object([("cycles", cycles)])
}

pub(super) fn fixed(ctas: &[u32]) -> Value {
    Value::object([("name", Value::from("fixed")), ("combination", Value::array(ctas.iter().copied()))])
}

/// A kernel of a mix as an experiment writes it.
fn used(prefix: &str, kernel: &str) -> Value {
    let (name, goal) = promised(kernel);
    let name = Value::from(format!("{prefix}{name}"));
    match goal {
        Some(percent) => Value::object([("kernel", name), ("qos", (percent as f64 / 100.0).into())]),
        None => name,
    }
}

/// A kernel of an experiment by itself on the same machine, or on another GPU, with all of its CTAs or so many. It has no goal there, so that all of its
/// goals are parts of one run.
pub(super) fn alone_of(written: &Value, kernel: usize, ctas: Option<u32>, gpu: Option<&Value>) -> Option<Value> {
    let Some(Value::Array(kernels)) = written.get("kernels") else { return None };
    let used = without_goal(kernels.get(kernel)?);
    let name = named(used.get("kernel").unwrap_or(&used));
    let Value::Object(mut fields) = written.clone() else { return None };
    for (key, value) in &mut fields {
        match key.as_str() {
            "name" => *value = ctas.map_or(format!("{name} alone"), |ctas| format!("{name} alone, {ctas} CTAs on each SM")).into(),
            "kernels" => *value = Value::array([used.clone()]),
            "policy" => *value = ctas.map_or("leftover".into(), |ctas| fixed(&[ctas])),
            "warp_order" => *value = "gto".into(),
            "alone" => *value = false.into(),
            "gpu" => *value = gpu.unwrap_or(value).clone(),
            _ => {}
        }
    }
    Some(Value::Object(fields))
}

/// A kernel as an experiment writes it without its goal.
fn without_goal(used: &Value) -> Value {
    let Value::Object(fields) = used else { return used.clone() };
    if used.get("qos").is_none() {
        return used.clone();
    }
    let rest: Vec<_> = fields.iter().filter(|(key, _)| key != "qos").cloned().collect();
    match &rest[..] {
        [(key, name)] if key == "kernel" => name.clone(),
        _ => Value::Object(rest),
    }
}

//! Experiments as files write them: a mix under a scheme, with its modifiers.

use crate::engine::paper::mix::{Mix, split_goal};
use crate::engine::paper::study::{Scheme, Study};
use corun_lab::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::set_path;

/// Cycles of warm-up, and a stop condition as an experiment writes it.
pub type Lengths = (u64, Value);

/// The modifier of a scheme that measures it over the mode's own cycles, whatever kernels the mix has.
pub const SHORT: &str = "long=no";

/// The warm-up of a mix's runs, and when they end.
pub fn lengths(study: &Study, mix: &[String], machine: &str) -> Lengths {
    let (mode, cycles) = (&study.mode, cycles(study, mix, machine));
    let settled = |within: f64| Value::object([("settled", Value::from(within)), ("at_most", cycles.into())]);
    if study.once {
        return (0, Value::object([("kernels_done", Value::from(true)), ("cycles", cycles.into())]));
    }
    (mode.warm_up, mode.settled.map_or(of_cycles(cycles), settled))
}

/// How many cycles a mix's runs measure, or at most.
pub fn cycles(study: &Study, mix: &[String], machine: &str) -> u64 {
    let short = machine.split_whitespace().any(|modifier| modifier == SHORT);
    if short { study.mode.cycles } else { study.mode.cycles_of(mix) }
}

/// What is to be written.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// Its name; of several kernels, behind them.
    pub name: &'a str,
    pub mix: &'a [String],
    /// The policy as an experiment writes it.
    pub policy: Value,
    pub lengths: Lengths,
    /// Modifiers of the machine.
    pub machine: &'a str,
}

impl Draft<'_> {
    /// The experiment on the study's GPU.
    pub fn write(self, study: &Study) -> Result<Value, Problems> {
        let gpu = study.gpu.clone();
        self.on(study, gpu)
    }

    /// The experiment under a scheme, which may have a GPU and orders of its own; and the GPU of the kernels alone if it is another.
    pub fn under(self, scheme: &Scheme, study: &Study) -> Result<(Value, Option<Value>), Problems> {
        let (gpu, reference) = match &scheme.gpu {
            Some(gpu) => (gpu.clone(), self.clone().write(study)?.get("gpu").cloned()),
            None => (study.gpu.clone(), None),
        };
        let mut experiment = self.on(study, gpu)?;
        if let Some(order) = &scheme.warp_order {
            set_path(&mut experiment, "warp_order", order.as_str().into())?;
        }
        if let Some(order) = &scheme.cta_order {
            set_path(&mut experiment, "cta_order", order.clone())?;
        }
        Ok((experiment, reference))
    }

    fn on(self, study: &Study, gpu: Value) -> Result<Value, Problems> {
        let Draft { name, mix, policy, lengths: (warm_up, stop), machine } = self;
        let name = if mix.len() > 1 { format!("{}: {name}", mix.join("+")) } else { name.to_owned() };
        let mut experiment = Value::object([
            ("corun", Value::from(1)),
            ("name", name.into()),
            ("source", study.source.as_str().into()),
            ("seed", study.seed.into()),
            ("gpu", gpu),
            ("kernels", Value::array(mix.iter().map(|kernel| used(&study.prefix, kernel)))),
            ("policy", policy),
            ("warp_order", study.warp_order.as_str().into()),
            ("warm_up", warm_up.into()),
            ("stop", stop),
            ("alone", (!study.once).into()),
        ]);
        if let Value::Object(fields) = &mut experiment {
            fields.extend(study.once.then(|| ("restart".into(), false.into())));
            fields.extend(study.alone_warp_order.as_deref().map(|order| ("alone_warp_order".into(), order.into())));
        }
        let all = [study.everywhere.as_str(), machine];
        let modifiers = all.iter().flat_map(|machine| machine.split_whitespace()).filter(|modifier| *modifier != SHORT);
        // Another GPU comes before what is changed of it.
        let (whole, parts): (Vec<&str>, Vec<&str>) = modifiers.partition(|modifier| modifier.starts_with("gpu="));
        whole.into_iter().chain(parts).try_for_each(|modifier| change(study, &mut experiment, modifier))?;
        Ok(experiment)
    }
}

/// Applies a modifier: `key=value`, or an order of warps. `KERNEL.field=value` changes one kernel, in the mixes that have it.
pub fn change(study: &Study, experiment: &mut Value, modifier: &str) -> Result<(), Problems> {
    let Some((key, value)) = modifier.split_once('=') else {
        return set_path(experiment, "warp_order", modifier.into());
    };
    let one = study.kernel_field(key);
    let path = one.map(|(_, field)| format!("kernels[*].{field}")).or_else(|| study.path(key).map(str::to_owned));
    let path = path.ok_or_else(|| problem("modifier", format!("{key:?}"), "one of study.toml, or a path"))?;
    let value: Value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    if !path.contains("[*]") {
        return set_path(experiment, &path, value);
    }
    let mix = mix_of(experiment).into_iter().enumerate();
    for (place, _) in mix.filter(|(_, name)| one.is_none_or(|(kernel, _)| kernel == name)) {
        set_path(experiment, &path.replace("[*]", &format!("[{place}]")), value.clone())?;
    }
    Ok(())
}

/// The kernels of an experiment by name, as a file writes it: those of the library, or with all their fields.
pub fn mix_of(experiment: &Value) -> Mix {
    let Some(Value::Array(kernels)) = experiment.get("kernels") else { return Vec::new() };
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

pub fn fixed(ctas: &[u32]) -> Value {
    Value::object([("name", Value::from("fixed")), ("combination", Value::array(ctas.iter().copied()))])
}

/// A kernel of a mix as an experiment writes it.
fn used(prefix: &str, kernel: &str) -> Value {
    let (name, goal) = split_goal(kernel);
    let name = Value::from(format!("{prefix}{name}"));
    match goal {
        Some(percent) => Value::object([("kernel", name), ("qos", (percent as f64 / 100.0).into())]),
        None => name,
    }
}

/// A kernel of an experiment by itself on the same machine, or on another GPU, with all of its CTAs or so many. It has no goal there, so
/// that all of its goals are parts of one run.
pub fn alone_of(experiment: &Value, kernel: usize, ctas: Option<u32>, gpu: Option<&Value>) -> Option<Value> {
    let Some(Value::Array(kernels)) = experiment.get("kernels") else { return None };
    let used = without_goal(kernels.get(kernel)?);
    let name = named(used.get("kernel").unwrap_or(&used));
    let order = experiment.get("alone_warp_order").cloned();
    let Value::Object(mut fields) = experiment.clone() else { return None };
    fields.retain(|(key, _)| key != "alone_warp_order");
    for (key, value) in &mut fields {
        match key.as_str() {
            "name" => *value = ctas.map_or(format!("{name} alone"), |ctas| format!("{name} alone, {ctas} CTAs on each SM")).into(),
            "kernels" => *value = Value::array([used.clone()]),
            "policy" => *value = ctas.map_or("leftover".into(), |ctas| fixed(&[ctas])),
            "warp_order" => *value = order.as_ref().unwrap_or(value).clone(),
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

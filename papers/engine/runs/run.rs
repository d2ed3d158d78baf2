//! A run that some measure needs.

use super::experiment::mix_of;
use crate::engine::paper::mix::Mix;
use sim_core::describe::goal::Goal;
use sim_core::describe::value::Value;
use std::rc::Rc;

/// What is kept of a result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Detail {
    /// The kernels' IPC: searches have thousands of runs.
    Ipc,
    /// The result.
    Full,
    /// The result with its windows.
    Windows,
}

/// An experiment, and what its metrics are relative to.
#[derive(Debug)]
pub struct Run {
    /// The experiment as a file writes it.
    pub experiment: Value,
    /// The hash of its experiment.
    pub hash: String,
    /// What is kept of its result.
    pub detail: Detail,
    /// The GPU of the kernels alone, where it is not the run's own.
    pub reference: Option<Value>,
    /// Each kernel's run alone.
    pub alone: Vec<Rc<Run>>,
    /// What each kernel is promised, deadlines as rates.
    pub goals: Vec<Option<Goal>>,
}

impl Run {
    /// Its kernels by name, with their goals.
    pub fn mix(&self) -> Mix {
        let Some(Value::Array(kernels)) = self.experiment.get("kernels") else { return Vec::new() };
        let with_goal = |(name, kernel): (String, &Value)| match kernel.get("qos").and_then(Value::as_f64) {
            Some(goal) => format!("{name}@{}", (goal * 100.0).round()),
            None => name,
        };
        let mix = mix_of(&self.experiment).into_iter().zip(kernels).map(with_goal);
        // Where kernels run once, what they take is of the SMs that they have.
        let split = self.experiment.get("policy").and_then(|policy| policy.get("split"));
        match (self.experiment.get("restart"), split) {
            (Some(Value::Bool(false)), Some(Value::Array(split))) => mix.zip(split).map(|(name, sms)| format!("{name}:{sms}")).collect(),
            _ => mix.collect(),
        }
    }

    /// The experiment with what its metrics are relative to: who runs it by itself has the study's.
    pub fn shown(&self) -> Value {
        let mut shown = self.experiment.clone();
        if let (Value::Object(fields), Some(gpu)) = (&mut shown, &self.reference) {
            fields.push(("alone_gpu".into(), gpu.clone()));
        }
        shown
    }

    /// The name of its result with metrics: these depend on whether kernels also run alone, and where.
    pub fn compared(&self) -> String {
        let gpu = self.reference.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{} {} {gpu}", self.key(), self.alone.len())
    }

    /// The name of its result: of two runs of one experiment, one may keep the windows.
    pub fn key(&self) -> String {
        format!("{}{}", self.hash, ["-ipc", "", "-windows"][self.detail as usize])
    }
}

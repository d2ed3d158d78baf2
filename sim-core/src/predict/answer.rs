//! What `corun predict` answers, as a value.

use super::group::{Factors, Load, Part, Prediction, Window, predict};
use super::plan::Plan;
use super::question::Question;
use super::reading::Reading;
use super::{Platform, naive};
use crate::describe::error::Problems;
use crate::describe::value::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A question with its prediction.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The GPU.
    pub platform: Platform,
    /// The kernels on their SMs.
    pub loads: Vec<Load>,
    /// What becomes of them.
    pub prediction: Prediction,
    /// The search that found the partition, where one was asked for.
    pub plan: Option<Plan>,
}

impl Answer {
    /// The prediction for the partition that the question names.
    pub fn of(question: &Question) -> Result<Answer, Problems> {
        let (platform, loads) = (question.platform()?, question.loads()?);
        let prediction = predict(&platform, &loads, question.model);
        Ok(Answer { platform, loads, prediction, plan: None })
    }

    /// The prediction for the best partition.
    pub fn of_plan(question: &Question) -> Result<Answer, Problems> {
        let (platform, plan) = (question.platform()?, Plan::of(question)?);
        let prediction = predict(&platform, &plan.loads, question.model);
        Ok(Answer { platform, loads: plan.loads.clone(), prediction, plan: Some(plan) })
    }

    /// The naive baseline's latency of a kernel.
    pub fn naive(&self, kernel: usize) -> f64 {
        naive::latency(self.loads.iter().map(|load| load.latency), kernel, naive::MARGIN)
    }

    /// What has to be said of the prediction, for people.
    pub fn notes(&self, question: &Question) -> Vec<String> {
        let nothing = |kernel: usize| self.prediction.kernels[kernel].parts.iter().any(|part| part.penalty <= 0.0);
        let note = |kernel: usize| {
            format!(
                "{} asks for no bandwidth, and where the others ask for more than is sustained Eq. 15 as printed has a penalty of 0: none of its latency \
                 there. The reading clamped has at least 1.",
                question.kernels[kernel].name
            )
        };
        (0..self.loads.len()).filter(|&kernel| nothing(kernel)).map(note).collect()
    }

    /// As `--json` prints it.
    pub fn to_value(&self, question: &Question) -> Value {
        let readings: Vec<Prediction> =
            Reading::ALL.into_iter().map(|reading| predict(&self.platform, &self.loads, question.model.with(reading))).collect();
        let kernel = |(at, load): (usize, &Load)| {
            let (predicted, profile) = (&self.prediction.kernels[at], &question.kernels[at]);
            let windows = self.prediction.windows.iter().zip(&predicted.parts);
            let by_reading = Reading::ALL.iter().zip(&readings).map(|(reading, of)| (reading.name(), of.kernels[at].latency));
            Value::object([
                ("name", Value::from(profile.name.as_str())),
                ("sms", load.sms.into()),
                ("tc", load.tc.into()),
                ("latency", predicted.latency.into()),
                ("slowdown", predicted.slowdown.into()),
                ("bandwidth", load.bandwidth.into()),
                ("latency_alone", load.latency.into()),
                ("bandwidth_shared", shared(load, predicted.slowdown).into()),
                ("naive", self.naive(at).into()),
                ("readings", Value::object(by_reading)),
                ("deadline", profile.deadline.into()),
                ("meets", profile.deadline.map(|deadline| predicted.latency <= deadline).into()),
                ("windows", Value::array(windows.map(of_kernel))),
            ])
        };
        let mut pairs = Vec::from([("corun", Value::from(1)), ("name", question.name.as_str().into())]);
        pairs.extend([("model", question.model.to_value()), ("platform", self.platform.to_value())]);
        pairs.push(("makespan", self.prediction.makespan().into()));
        if let Some(plan) = &self.plan {
            let plan = [("step", plan.step.into()), ("tried", plan.tried.into()), ("meets", plan.meets.into())];
            pairs.push(("plan", Value::object::<_, Value>(plan)));
        }
        pairs.push(("notes", Value::array(self.notes(question))));
        pairs.push(("kernels", Value::array(self.loads.iter().enumerate().map(kernel))));
        pairs.push(("windows", Value::array(self.prediction.windows.iter().map(of_group))));
        Value::object(pairs)
    }
}

impl Platform {
    fn to_value(self) -> Value {
        Value::object([
            ("sms", Value::from(self.sms)),
            ("l2_banks", self.l2_banks.into()),
            ("bandwidth_max", self.bandwidth_max.into()),
            ("bandwidth_sustained", self.bandwidth_sustained.into()),
            ("threshold", self.threshold().into()),
        ])
    }
}

/// The bandwidth that a kernel gets in the group; nothing where the printed equations let it end at once.
fn shared(load: &Load, slowdown: f64) -> Option<f64> {
    Some(load.bandwidth / slowdown).filter(|bandwidth| bandwidth.is_finite())
}

fn of_group(window: &Window) -> Value {
    Value::object([
        ("start", Value::from(window.start)),
        ("end", window.end.into()),
        ("kernels", window.kernels.into()),
        ("sum", window.sum.into()),
        ("interference", window.interference.into()),
    ])
}

fn of_kernel((window, part): (&Window, &Part)) -> Value {
    let factor = |of: fn(&Factors) -> f64| Value::from(part.factors.as_ref().map(of));
    Value::object([
        ("end", Value::from(window.end)),
        ("share", part.share.into()),
        ("sum", window.sum.into()),
        ("interference", window.interference.into()),
        ("penalty", part.penalty.into()),
        ("penalty_sm", factor(|factors| factors.sms)),
        ("penalty_access", factor(|factors| factors.accesses)),
        ("penalty_bandwidth", factor(|factors| factors.bandwidth)),
        ("penalties", factor(|factors| factors.together)),
    ])
}

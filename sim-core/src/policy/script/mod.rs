//! Script: a policy that the user writes, in Rhai, as a part of the experiment.
//!
//! # Idea
//! What a policy can see and do is small and named: a program of ten lines can be one. Its functions have the names of what calls them (`HOOKS`).
//! # Observes
//! What `names.rs` lists, and every counter of the registry.
//! # Sets
//! Every control, by its key.
//! # Simplified
//! A call has no time of its own: what it sets holds from the same cycle on.
//!
//! A call has no clock, no files and no more than so many operations (`budget.rs`); it gives the same in every build. One that fails ends the run,
//! with the line. The language is a part of Rhai (`subset.rs`), with functions of our own (`language.rs`) and three objects (`objects.rs`).
//! The interpreter is there with the feature `script` alone, for it is as large as half of the engine; without it, an experiment with a script is an error.

#[cfg(feature = "script")]
mod budget;
#[cfg(feature = "script")]
mod language;
#[cfg_attr(not(feature = "script"), allow(dead_code))] // then only the words are read
mod names;
#[cfg(feature = "script")]
mod objects;
#[cfg(feature = "script")]
mod program;
#[cfg(feature = "script")]
mod subset;
#[cfg(all(test, feature = "script"))]
mod tests;
mod topics;
#[cfg(feature = "script")]
mod values;
mod words;

pub use self::names::{KERNEL, Name, ON_SM, RUN, SM};
pub use self::words::{FUNCTIONS, Flaw, Function, HOOKS, Hook};

use self::names::Seen;
#[cfg(feature = "script")]
use self::program::Program;
use self::topics::{ControlSet, Failed, Said, TOPICS};
use self::words::{Call, INTERVAL, START};
use super::scheme::{Absent, Member, Param, Policy, PolicyInfo, Shape};
use crate::describe::error::Problem;
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::path::field;
use crate::describe::value::Value;
use crate::interface::controls::{CONTROLS, Controls, SUB_QUEUES};
use crate::interface::decision::{Log, decide};
use crate::interface::event::{Event, EventKinds};
use crate::interface::observation::{By, Needs, Observation};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Seed of a script's random numbers.
const SEED: u64 = 1;

/// Longest script, characters.
const LONGEST: usize = 20_000;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "script",
    title: "Own script",
    source: "Corun",
    doc: "A program of yours that reads counters and sets controls, at an interval and on events",
    params: &[
        Param {
            name: "source",
            shape: Shape::Text { longest: LONGEST },
            unit: "",
            absent: Absent::Needed,
            doc: "The program, in Rhai: functions with the names of what calls them",
        },
        Param::int("interval", (100, 1_000_000_000), 5000, "cycles", "Cycles between two calls of the function interval"),
        Param::int(
            "profile_cycles",
            (0, 100_000_000),
            50_000,
            "cycles",
            "Length of each run that measures a kernel alone, before the run begins; 0: none, and nothing is known of kernels alone",
        ),
        Param::constant("seed", Absent::Int(SEED as i64), "A script that wants other random numbers draws some first"),
    ],
    topics: TOPICS,
    check: |spec, mix, problems| {
        let flaw = Program::new(spec.text("source")).err();
        problems.0.extend(flaw.map(|flaw| Problem::new(field(mix.path, "source"), flaw, "a script that can run")));
    },
};

/// Without the interpreter there is no program.
#[cfg(not(feature = "script"))]
#[derive(Debug)]
enum Program {}

#[cfg(not(feature = "script"))]
impl Program {
    fn new(_source: &str) -> Result<Program, Flaw> {
        Err(Flaw { line: None, what: "a script, which this build of the engine cannot run (its feature `script` is off)".into() })
    }

    fn has(&self, _hook: usize) -> bool {
        match *self {}
    }

    fn call(self, _hook: usize, _event: Option<Event>, _call: Call) -> (Call, Option<Flaw>) {
        match self {}
    }
}

/// See the module. It is plain data, which any thread may have: the program is read anew for each call, of which there are few.
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    spec: Member,
    /// Which of `HOOKS` the program has: a bit for each.
    hooks: u32,
    kept: Value,
    drawn: u64,
    /// When the present interval began.
    since: Cycle,
    /// Why it was stopped.
    failure: Option<String>,
}

impl Policy for Script {
    fn needs(&self) -> Needs {
        match self.spec.int("profile_cycles") {
            0 => Needs::default(),
            cycles => Needs::of(By::Whole, cycles as Cycle),
        }
    }

    fn keeps_goals(&self) -> bool {
        self.spec.text("source").contains("goal")
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.since = seen.now;
        self.call(START, None, seen, controls, log);
    }

    fn interval(&self) -> Option<Cycle> {
        self.has(INTERVAL).then_some(self.spec.int("interval") as Cycle)
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.call(INTERVAL, None, seen, controls, log);
        self.since = seen.now;
    }

    fn wants(&self) -> EventKinds {
        let wanted = (0..HOOKS.len()).filter(|&hook| self.has(hook)).filter_map(|hook| HOOKS[hook].event);
        EventKinds::of(&wanted.collect::<Vec<_>>())
    }

    fn on_event(&mut self, event: Event, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        if let Some(hook) = HOOKS.iter().position(|hook| hook.event == Some(event.kind())) {
            self.call(hook, Some(event), seen, controls, log);
        }
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

impl Script {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        let (hooks, failure) = match Program::new(spec.text("source")) {
            Ok(program) => ((0..HOOKS.len()).filter(|&hook| program.has(hook)).fold(0, |hooks, hook| hooks | 1 << hook), None),
            Err(flaw) => (0, Some(flaw.to_string())),
        };
        Script { spec: spec.clone(), hooks, kept: Value::Object(Vec::new()), drawn: 0, since: 0, failure }
    }

    fn has(&self, hook: usize) -> bool {
        self.hooks >> hook & 1 == 1
    }

    /// Calls a function, if the script has it. What a call that fails has set does not hold.
    fn call(&mut self, hook: usize, event: Option<Event>, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        if self.failure.is_some() || !self.has(hook) {
            return;
        }
        let Ok(program) = Program::new(self.spec.text("source")) else { return };
        controls.keep_limits(seen.most_ctas, seen.kernels);
        let (kept, seed) = (core::mem::take(&mut self.kept), self.spec.int("seed") as u64);
        let call = Call { seen: Seen::of(seen, self.since), controls: controls.clone(), kept, log: Vec::new(), seed, drawn: self.drawn };
        let (mut call, flaw) = program.call(hook, event, call);
        let mixed = call.controls.mixed_homes(seen.kernels, seen.gpu.dram.channels).map(|[a, b]| Flaw {
            line: None,
            what: format!("kernels {} and {} have some DRAM channels in common: all, or none", a.0, b.0),
        });
        let moved = seen.gpu.owns() && call.controls.own_channels(seen.kernels, seen.gpu.dram.channels);
        let moved = moved.then(|| Flaw {
            line: None,
            what: "a kernel has DRAM channels of its own, where DeNovo keeps each line in one L2 bank".into(),
        });
        let split = call.controls.split_too_far(seen.kernels).then(|| Flaw {
            line: None,
            what: format!("the miss queue is split among {} kernels, and has {SUB_QUEUES} virtual queues", seen.kernels),
        });
        for (kernel, text) in call.log {
            decide(log, seen, kernel, Said { text });
        }
        if let Some(flaw) = flaw.or(mixed).or(moved).or(split) {
            let failure = flaw.to_string();
            decide(log, seen, None, Failed { failure: failure.clone() });
            self.failure = Some(failure);
            return;
        }
        (self.kept, self.drawn) = (call.kept, call.drawn);
        call.controls.keep_limits(seen.most_ctas, seen.kernels);
        log_changes(controls, &call.controls, seen, log);
        *controls = call.controls;
    }
}

/// Writes down every control that has another value now, once for each kernel.
fn log_changes(before: &Controls, after: &Controls, seen: &Observation, log: &mut Log) {
    for control in CONTROLS {
        for kernel in KernelId::first(if control.scope.is_of_kernel() { seen.kernels } else { 1 }) {
            let value = |controls: &Controls, sm: usize| control.value(controls, sm, kernel);
            let sms = if control.scope.is_on_sm() { after.sms.len() } else { 1 };
            let changed: Vec<usize> = (0..sms).filter(|&sm| value(before, sm) != value(after, sm)).collect();
            let Some(&first) = changed.first() else { continue };
            let alike = changed.iter().all(|&sm| value(after, sm) == value(after, first));
            let written = if alike { value(after, first).to_string() } else { format!("{}, …", value(after, first)) };
            let of = control.scope.is_of_kernel().then_some(kernel);
            let sms = if control.scope.is_on_sm() { changed.len() as u32 } else { 0 };
            decide(log, seen, of, ControlSet { control: control.field.name, value: written, sms });
        }
    }
}

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

pub use self::names::{KERNEL, Name, ON_SM, RUN, SM};

use self::names::Seen;
#[cfg(feature = "script")]
use self::program::Program;
use self::topics::{ControlSet, Failed, Said, TOPICS};
use super::spec::{Absent, Member, Param, Shape};
use super::{AnyPolicy, Policy, PolicyInfo};
use crate::describe::error::Problem;
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::path::field;
use crate::describe::value::Value;
use crate::interface::controls::{CONTROLS, Controls};
use crate::interface::decision::{Log, decide};
use crate::interface::event::{Event, EventKind, EventKinds};
use crate::interface::observation::{By, Needs, Observation};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

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
    make: |spec| AnyPolicy::Script(Script::new(spec)),
};

/// What calls a function of a script.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The function's name.
    pub name: &'static str,
    /// Its parameters.
    pub params: &'static [&'static str],
    /// When it is called.
    pub doc: &'static str,
    /// The event that calls it.
    event: Option<EventKind>,
}

/// Every function that is called.
pub const HOOKS: &[Hook] = &[
    Hook {
        name: "start",
        params: &["seen", "controls"],
        doc: "When the run begins, or the script takes over in the middle of one",
        event: None,
    },
    Hook { name: "interval", params: &["seen", "controls"], doc: "At the end of each interval", event: None },
    Hook {
        name: "kernel_launched",
        params: &["seen", "controls", "event"],
        doc: "When a launch of a kernel begins, the first of the run excepted; event has kernel and launch",
        event: Some(EventKind::KernelLaunched),
    },
    Hook {
        name: "kernel_finished",
        params: &["seen", "controls", "event"],
        doc: "When the last CTA of a kernel's last launch has finished; event has kernel",
        event: Some(EventKind::KernelFinished),
    },
    Hook {
        name: "cta_retired",
        params: &["seen", "controls", "event"],
        doc: "When a CTA has finished; event has sm, kernel and cta",
        event: Some(EventKind::CtaRetired),
    },
    Hook {
        name: "quotas_spent",
        params: &["seen", "controls", "event"],
        doc: "When all kernels with a warp quota on an SM have spent it; event has sm",
        event: Some(EventKind::QuotasSpent),
    },
    Hook {
        name: "preemption_done",
        params: &["seen", "controls", "event"],
        doc: "When a kernel above its CTA target on an SM has come down to it; event has sm and kernel",
        event: Some(EventKind::PreemptionDone),
    },
];

const START: usize = 0;
const INTERVAL: usize = 1;

/// A function that scripts can call.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// How it is called.
    pub call: &'static str,
    /// What it gives.
    pub doc: &'static str,
}

impl Function {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.call.split('(').next().unwrap_or(self.call)
    }
}

/// Every function, beside the operators of the language: a script that calls another cannot be read.
pub const FUNCTIONS: &[Function] = &[
    Function { call: "log(text)", doc: "Writes a line onto the timeline" },
    Function { call: "log(kernel, text)", doc: "Writes a line about a kernel, by its index, onto the timeline" },
    Function { call: "random(n)", doc: "A random whole number from 0 to n - 1, from the script's own seed" },
    Function { call: "min(a, b)", doc: "The lesser of two numbers" },
    Function { call: "max(a, b)", doc: "The greater of two numbers" },
    Function { call: "abs(x)", doc: "A number without its sign" },
    Function { call: "floor(x)", doc: "The next whole number below, as a whole number" },
    Function { call: "round(x)", doc: "The nearest whole number, as a whole number" },
    Function { call: "ceil(x)", doc: "The next whole number above, as a whole number" },
    Function { call: "sqrt(x)", doc: "The square root" },
    Function { call: "to_float(x)", doc: "A whole number as one with a point: 1 / 2 is 0, to_float(1) / 2 is 0.5" },
    Function { call: "to_string(x)", doc: "A value as text, as `${x}` writes it" },
    Function { call: "len(x)", doc: "Entries of a list or map, characters of a text" },
    Function { call: "is_empty(x)", doc: "Whether a list, map or text has nothing in it" },
    Function { call: "contains(x, y)", doc: "Whether a list has an entry, a map a key, a text a part: also `y in x`" },
    Function { call: "clear(x)", doc: "Takes everything out of a list or map" },
    Function { call: "push(list, x)", doc: "Puts an entry at the end" },
    Function { call: "pop(list)", doc: "Takes the last entry; () where there is none" },
    Function { call: "insert(list, at, x)", doc: "Puts an entry before the one at an index" },
    Function { call: "remove(list, at)", doc: "Takes the entry at an index; of a map, that of a key, or () where there is none" },
    Function { call: "index_of(list, x)", doc: "Index of the first entry that equals x; -1 where there is none" },
    Function { call: "reverse(list)", doc: "Turns the order around" },
    Function { call: "sort(list)", doc: "Puts numbers, or texts, in ascending order" },
    Function {
        call: "sort(list, |a, b| a.ipc - b.ipc)",
        doc: "Puts entries in the order of a function, which is below 0 where its first goes first; equal ones keep their order",
    },
    Function { call: "map(list, |x| x.ipc)", doc: "A list of what the function gives for each entry" },
    Function { call: "filter(list, |x| x.ipc > 1.0)", doc: "A list of the entries for which the function gives true" },
    Function { call: "keys(map)", doc: "A list of the keys, in alphabetical order" },
    Function { call: "values(map)", doc: "A list of the values, in the order of their keys" },
];

/// Why a script cannot run, or go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The line, from 1, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

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

/// What a call of a script works on, and what comes of it.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "script"), allow(dead_code))]
struct Call {
    seen: Seen,
    controls: Controls,
    /// `this`: what the script keeps from one call to the next.
    kept: Value,
    /// Lines for the timeline.
    log: Vec<(Option<KernelId>, String)>,
    seed: u64,
    /// Random numbers that the script has drawn.
    drawn: u64,
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
    fn new(spec: &Member) -> Self {
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
        for (kernel, text) in call.log {
            decide(log, seen, kernel, Said { text });
        }
        if let Some(flaw) = flaw.or(mixed).or(moved) {
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

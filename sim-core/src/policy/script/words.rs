//! What a script may be called by and call, and what a call works on.

use super::names::Seen;
use crate::describe::ids::KernelId;
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use crate::interface::event::EventKind;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

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
    pub event: Option<EventKind>,
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

/// The place of `start` in `HOOKS`.
pub const START: usize = 0;
/// The place of `interval` in `HOOKS`.
pub const INTERVAL: usize = 1;

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

/// What a call of a script works on, and what comes of it.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "script"), allow(dead_code))]
pub struct Call {
    pub seen: Seen,
    pub controls: Controls,
    /// `this`: what the script keeps from one call to the next.
    pub kept: Value,
    /// Lines for the timeline.
    pub log: Vec<(Option<KernelId>, String)>,
    pub seed: u64,
    /// Random numbers that the script has drawn.
    pub drawn: u64,
}

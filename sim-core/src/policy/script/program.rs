//! A script in Rhai: it is read, checked and called, and values go in and come out.

#[cfg(test)]
use super::budget::Budget;
use super::budget::OPERATIONS;
use super::language::{DEPTH, engine};
use super::names::{Object, Seen};
use super::objects::{Desk, Kept, Seeing, Setting};
use super::subset;
use super::values::{map, plain};
use super::words::{Call, Flaw, HOOKS};
use crate::describe::ids::KernelId;
use crate::describe::value::Value;
use crate::interface::controls::{Controls, WarpOrder};
use crate::interface::event::Event;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, Map, ParseError, Position, Scope};

/// A script, ready to be called.
pub struct Program {
    engine: Engine,
    tree: AST,
    /// For each of `HOOKS`: the line on which its function begins, if the script has it.
    begins: [Option<usize>; HOOKS.len()],
    /// Of the call under way; empty between calls.
    desk: Desk,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("begins", &self.begins).finish_non_exhaustive()
    }
}

impl Program {
    /// Reads a script.
    pub fn new(source: &str) -> Result<Program, Flaw> {
        let desk = Desk::new(empty());
        let engine = engine(&desk);
        let tree = engine.compile(source).map_err(|ParseError(error, position)| flaw(&error, position))?;
        let mut begins = [None; HOOKS.len()];
        let mut functions: Vec<_> = tree.iter_functions().collect();
        functions.sort_by_key(|function| line_of(source, function.name));
        for function in functions {
            let Some(hook) = HOOKS.iter().position(|hook| hook.name == function.name) else { continue };
            let line = line_of(source, function.name);
            if function.params.len() != HOOKS[hook].params.len() {
                let what = format!("fn {} takes ({})", function.name, HOOKS[hook].params.join(", "));
                return Err(Flaw { line: Some(line), what });
            }
            begins[hook] = Some(line);
        }
        if begins.iter().all(Option::is_none) {
            let names: Vec<&str> = HOOKS.iter().map(|hook| hook.name).collect();
            return Err(Flaw { line: None, what: format!("no function that is called, which is one of {}", names.join(", ")) });
        }
        subset::check(&tree)?;
        Ok(Program { engine, tree, begins, desk })
    }

    /// Whether it has the function that this one of `HOOKS` calls.
    pub fn has(&self, hook: usize) -> bool {
        self.begins[hook].is_some()
    }

    /// Calls a function. After a flaw, only the log of what comes of the call counts.
    pub fn call(self, hook: usize, event: Option<Event>, call: Call) -> (Call, Option<Flaw>) {
        let kept = Kept::new(map(&call.kept), &self.desk.budget);
        let mut this = Dynamic::from(kept.clone());
        *self.desk.call_mut() = call;
        self.desk.budget.refill();
        let mut arguments: Vec<Dynamic> = alloc::vec![
            Dynamic::from(Seeing { desk: self.desk.clone(), object: Object::Run }),
            Dynamic::from(Setting { desk: self.desk.clone(), sm: None }),
        ];
        arguments.extend(event.map(about));
        let options = CallFnOptions::new().eval_ast(false).bind_this_ptr(&mut this);
        let called = self.engine.call_fn_with_options::<Dynamic>(options, &mut Scope::new(), &self.tree, HOOKS[hook].name, arguments);
        let mut call = core::mem::replace(&mut *self.desk.call_mut(), empty());
        let kept = called
            .map_err(|error| failed(&error))
            .and_then(|_| plain(&kept.values().into(), "this", 0).map_err(|what| Flaw { line: None, what }));
        match kept {
            Ok(kept) => {
                call.kept = kept;
                (call, None)
            }
            // Where nothing says where it happened, it is in this function.
            Err(flaw) => (call, Some(Flaw { line: flaw.line.or(self.begins[hook]), ..flaw })),
        }
    }

    /// What the calls share.
    #[cfg(test)]
    pub fn budget(&self) -> &Budget {
        &self.desk.budget
    }

    #[cfg(test)]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}

pub fn empty() -> Call {
    let controls = Controls::neutral(0, WarpOrder::default());
    Call { seen: Seen::default(), controls, kept: Value::Null, log: Vec::new(), seed: 0, drawn: 0 }
}

/// The line on which a function begins; the first one where it is not written as usual.
fn line_of(source: &str, function: &str) -> usize {
    let begins = |line: &str| line.trim_start().strip_prefix("fn").is_some_and(|rest| rest.trim_start().starts_with(function));
    source.lines().position(begins).unwrap_or(0) + 1
}

fn flaw(what: &dyn fmt::Display, position: Position) -> Flaw {
    Flaw { line: position.line(), what: what.to_string() }
}

/// Where it really happened, or the call nearest to it of which that is known; and what it was.
fn failed(error: &EvalAltResult) -> Flaw {
    let (mut error, mut position) = (error, error.position());
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
        error = inner;
        position = if error.position().is_none() { position } else { error.position() };
    }
    match error {
        EvalAltResult::ErrorRuntime(what, _) => flaw(what, position),
        EvalAltResult::ErrorTerminated(..) => flaw(&format!("the call takes too long: more than {OPERATIONS} operations"), position),
        EvalAltResult::ErrorStackOverflow(_) => flaw(&format!("functions call each other more than {DEPTH} deep"), position),
        other => {
            let text = other.to_string();
            // The line stands before it.
            let what = text.rsplit_once(" (line ").map_or(text.as_str(), |(what, _)| what);
            flaw(&what, position)
        }
    }
}

/// What an event says.
fn about(event: Event) -> Dynamic {
    let number = |n: u32| Dynamic::from(i64::from(n));
    let kernel = |kernel: KernelId| number(kernel.0.into());
    let pairs: Vec<(&str, Dynamic)> = match event {
        Event::KernelLaunched { kernel: of, launch } => alloc::vec![("kernel", kernel(of)), ("launch", number(launch.0.into()))],
        Event::KernelFinished { kernel: of } => alloc::vec![("kernel", kernel(of))],
        Event::CtaRetired { sm, kernel: of, cta } => {
            alloc::vec![("sm", number(sm.into())), ("kernel", kernel(of)), ("cta", number(cta))]
        }
        Event::QuotasSpent { sm } => alloc::vec![("sm", number(sm.into()))],
        Event::PreemptionDone { sm, kernel: of } => alloc::vec![("sm", number(sm.into())), ("kernel", kernel(of))],
    };
    pairs.into_iter().map(|(key, value)| (key.into(), value)).collect::<Map>().into()
}

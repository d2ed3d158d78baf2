//! The interpreter: Rhai, with what a script may say of the observation and the controls.
//!
//! Everything that could differ between hosts is left out: clock, files, modules, powers of floats. What a call may use is limited, alike in every
//! build: operations, depth, variables, and the sizes of text, lists and maps.

use super::names::{Object, Seen};
use super::{Call, Flaw, HOOKS};
use crate::describe::error::Problems;
use crate::describe::ids::KernelId;
use crate::describe::rng::{below, mix};
use crate::describe::value::Value;
use crate::seam::controls::{CONTROLS, Control, Controls, WarpOrder};
use crate::seam::event::Event;
use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::fmt;
use core::ops::Range;
use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicStringPackage, LogicPackage, Package,
};
use rhai::{AST, Array, CallFnOptions, Dynamic, Engine, EvalAltResult, ImmutableString, Map, ParseError, Position, Scope};

/// Operations of a call: a few for each node of an expression.
const OPERATIONS: u64 = 200_000;
/// Operations beyond these, in which a script that takes too long comes to a variable and so to a line. One that uses none is stopped all the same.
const MORE: u64 = 5_000;
/// Functions that call each other.
const DEPTH: usize = 12;
/// Expressions within each other.
const NESTED: usize = 24;
/// Variables of a function.
const VARIABLES: usize = 64;
/// Elements of a list, with those of the lists in it.
const ELEMENTS: usize = 2048;
/// Characters of a text.
const CHARACTERS: usize = 2000;
/// Lines that a call may log.
const LINES: usize = 32;
/// Characters of such a line.
const LINE: usize = 200;

type Fallible<T> = Result<T, Box<EvalAltResult>>;

/// What the objects of a call work on.
type Desk = Rc<RefCell<Call>>;

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
        let desk = Desk::new(RefCell::new(empty()));
        let engine = engine(&desk);
        let tree = engine.compile(source).map_err(|ParseError(error, position)| flaw(&error, position))?;
        let mut begins = [None; HOOKS.len()];
        for function in tree.iter_functions() {
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
        Ok(Program { engine, tree, begins, desk })
    }

    /// Whether it has the function that this one of `HOOKS` calls.
    pub fn has(&self, hook: usize) -> bool {
        self.begins[hook].is_some()
    }

    /// Calls a function. After a flaw, only the log of what comes of the call counts.
    pub fn call(self, hook: usize, event: Option<Event>, call: Call) -> (Call, Option<Flaw>) {
        let mut kept = dynamic(&call.kept);
        *self.desk.borrow_mut() = call;
        let mut arguments: Vec<Dynamic> = alloc::vec![
            Dynamic::from(Seeing { desk: self.desk.clone(), object: Object::Run }),
            Dynamic::from(Setting { desk: self.desk.clone(), sm: None }),
        ];
        arguments.extend(event.map(about));
        let options = CallFnOptions::new().eval_ast(false).bind_this_ptr(&mut kept);
        let called = self.engine.call_fn_with_options::<Dynamic>(options, &mut Scope::new(), &self.tree, HOOKS[hook].name, arguments);
        let mut call = self.desk.replace(empty());
        let kept = called.map_err(|error| failed(&error)).and_then(|_| plain(&kept, "this", 0).map_err(|what| Flaw { line: None, what }));
        match kept {
            Ok(kept) => {
                call.kept = kept;
                (call, None)
            }
            // Where nothing says where it happened, it is in this function.
            Err(flaw) => (call, Some(Flaw { line: flaw.line.or(self.begins[hook]), ..flaw })),
        }
    }
}

fn empty() -> Call {
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
        EvalAltResult::ErrorTooManyOperations(_) => flaw(&format!("the call takes too long: more than {OPERATIONS} operations"), position),
        EvalAltResult::ErrorStackOverflow(_) => flaw(&format!("functions call each other more than {DEPTH} deep"), position),
        other => {
            let text = other.to_string();
            // The line stands before it.
            let what = text.rsplit_once(" (line ").map_or(text.as_str(), |(what, _)| what);
            flaw(&what, position)
        }
    }
}

fn too_long() -> String {
    format!("the call takes too long: more than {OPERATIONS} operations")
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

// --- values ----------------------------------------------------------------------------------------------------------------------

fn dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(flag) => (*flag).into(),
        Value::Int(n) => (*n).into(),
        Value::Float(x) => (*x).into(),
        Value::Str(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(dynamic).collect::<Array>().into(),
        Value::Object(pairs) => pairs.iter().map(|(key, value)| (key.as_str().into(), dynamic(value))).collect::<Map>().into(),
    }
}

/// A value that is nothing but data.
fn plain(value: &Dynamic, path: &str, depth: usize) -> Result<Value, String> {
    if depth > 8 {
        return Err(format!("{path} has lists in lists more than 8 deep"));
    }
    if let Some(items) = value.read_lock::<Array>() {
        let items: Result<Vec<Value>, String> = items.iter().map(|item| plain(item, path, depth + 1)).collect();
        return items.map(Value::Array);
    }
    if let Some(pairs) = value.read_lock::<Map>() {
        let pairs = pairs.iter().map(|(key, value)| Ok((key.to_string(), plain(value, &format!("{path}.{key}"), depth + 1)?)));
        return pairs.collect::<Result<_, String>>().map(Value::Object);
    }
    if value.is_unit() {
        return Ok(Value::Null);
    }
    let number = value.as_int().map(Value::Int).or_else(|_| value.as_float().map(Value::Float));
    let other = number.or_else(|_| value.as_bool().map(Value::Bool));
    let text = || value.clone().into_immutable_string().map(|text| Value::from(text.as_str()));
    other.or_else(|_| text()).map_err(|_| format!("{path} is no number, text, list or map, nor true or false"))
}

/// An index that a script gives, below `count`.
fn index(given: i64, count: usize, what: &str) -> Fallible<usize> {
    let index = usize::try_from(given).ok().filter(|index| *index < count);
    index.ok_or_else(|| format!("there is no {what} {given}: they are 0 to {}", count - 1).into())
}

// --- what is seen ----------------------------------------------------------------------------------------------------------------

/// An object of the observation.
#[derive(Clone)]
struct Seeing {
    desk: Desk,
    object: Object,
}

impl Seeing {
    fn get(&mut self, name: ImmutableString) -> Fallible<Dynamic> {
        let call = self.desk.borrow();
        let of = |object: Object| Dynamic::from(Seeing { desk: self.desk.clone(), object });
        let (sms, kernels) = (0..call.seen.sms(), 0..call.seen.kernels());
        Ok(match (self.object, name.as_str()) {
            (Object::Run, "kernels") => kernels.map(|kernel| of(Object::Kernel(kernel))).collect::<Array>().into(),
            (Object::Run, "sms") => sms.map(|sm| of(Object::Sm(sm))).collect::<Array>().into(),
            (Object::Kernel(kernel), "total") => of(Object::Total(kernel)),
            (Object::Sm(sm), "kernels") => kernels.map(|kernel| of(Object::OnSm(sm, kernel))).collect::<Array>().into(),
            (object, name) => match object.get(&call.seen, name) {
                Some(value) => dynamic(&value),
                None => return Err(format!("{} has no {name}", object.title()).into()),
            },
        })
    }
}

// --- what is set -----------------------------------------------------------------------------------------------------------------

/// The controls, of all SMs or of one.
#[derive(Clone)]
struct Setting {
    desk: Desk,
    sm: Option<usize>,
}

/// `controls.sms`: the controls of one SM in brackets.
#[derive(Clone)]
struct EachSm(Desk);

/// A control with a value for each kernel.
#[derive(Clone)]
struct EachKernel {
    of: Setting,
    control: &'static Control,
}

impl Setting {
    fn find(name: &str) -> Fallible<&'static Control> {
        CONTROLS.iter().find(|control| control.key == name).ok_or_else(|| format!("there is no control {name}").into())
    }

    /// The SMs that it sets, where a control is of SMs.
    fn sms(&self, control: &Control) -> Range<usize> {
        match self.sm {
            _ if !control.scope.is_on_sm() => 0..1,
            Some(sm) => sm..sm + 1,
            None => 0..self.desk.borrow().controls.sms.len(),
        }
    }

    fn value(&self, control: &Control, kernel: usize) -> Dynamic {
        let sm = self.sms(control).start;
        dynamic(&control.value(&self.desk.borrow().controls, sm, KernelId(kernel as u8)))
    }

    fn put(&self, control: &Control, kernel: usize, value: &Dynamic) -> Fallible<()> {
        let path = if control.scope.is_of_kernel() { format!("{}[{kernel}]", control.key) } else { control.key.to_string() };
        let value = plain(value, &path, 0)?;
        let sms = self.sms(control);
        let controls = &mut self.desk.borrow_mut().controls;
        control.put(controls, sms, KernelId(kernel as u8), &value, &path).map_err(|Problems(problems)| {
            let problem = problems.first().map(ToString::to_string);
            problem.unwrap_or_default().into()
        })
    }

    fn get(&mut self, name: ImmutableString) -> Fallible<Dynamic> {
        if name == "sms" {
            return Ok(Dynamic::from(EachSm(self.desk.clone())));
        }
        let control = Setting::find(&name)?;
        let each = || Dynamic::from(EachKernel { of: self.clone(), control });
        Ok(if control.scope.is_of_kernel() { each() } else { self.value(control, 0) })
    }

    fn set(&mut self, name: ImmutableString, value: Dynamic) -> Fallible<()> {
        // After `controls.cta_target[0] = 1`, Rhai puts back what stands before the bracket.
        if value.is::<EachKernel>() || value.is::<EachSm>() {
            return Ok(());
        }
        let control = Setting::find(&name)?;
        if !control.scope.is_of_kernel() {
            return self.put(control, 0, &value);
        }
        let kernels = self.desk.borrow().seen.kernels();
        let items = value.read_lock::<Array>().filter(|items| items.len() == kernels);
        let Some(items) = items else { return Err(format!("{name} takes a list with an entry for each of {kernels} kernels").into()) };
        items.iter().enumerate().try_for_each(|(kernel, item)| self.put(control, kernel, item))
    }
}

impl EachSm {
    fn get(&mut self, sm: i64) -> Fallible<Setting> {
        let sm = index(sm, self.0.borrow().controls.sms.len(), "SM")?;
        Ok(Setting { desk: self.0.clone(), sm: Some(sm) })
    }

    /// What Rhai puts back: see `Setting::set`.
    fn set(&mut self, _sm: i64, _put_back: Setting) {}
}

impl EachKernel {
    fn kernel(&self, given: i64) -> Fallible<usize> {
        index(given, self.of.desk.borrow().seen.kernels(), "kernel")
    }

    fn get(&mut self, kernel: i64) -> Fallible<Dynamic> {
        Ok(self.of.value(self.control, self.kernel(kernel)?))
    }

    fn set(&mut self, kernel: i64, value: Dynamic) -> Fallible<()> {
        self.of.put(self.control, self.kernel(kernel)?, &value)
    }
}

// --- the language ----------------------------------------------------------------------------------------------------------------

/// An engine whose scripts can do what this file lists and nothing else.
fn engine(desk: &Desk) -> Engine {
    let mut engine = Engine::new_raw();
    engine
        .set_max_operations(OPERATIONS + MORE)
        .set_max_call_levels(DEPTH)
        .set_max_expr_depths(NESTED, NESTED)
        .set_max_variables(VARIABLES)
        .set_max_array_size(ELEMENTS)
        .set_max_map_size(ELEMENTS)
        .set_max_string_size(CHARACTERS)
        .set_strict_variables(true);
    // A power of a float is the host's; `eval` would be a script that nobody has checked.
    for symbol in ["**", "**=", "eval", "print", "debug"] {
        engine.disable_symbol(symbol);
    }
    ArithmeticPackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    BasicIteratorPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    engine
        .register_type_with_name::<Seeing>("an observation")
        .register_indexer_get(Seeing::get)
        .register_type_with_name::<Setting>("controls")
        .register_indexer_get_set(Setting::get, Setting::set)
        .register_type_with_name::<EachSm>("controls of SMs")
        .register_indexer_get_set(EachSm::get, EachSm::set)
        .register_type_with_name::<EachKernel>("a control")
        .register_indexer_get_set(EachKernel::get, EachKernel::set);
    stop_at_a_line(&mut engine);
    register_numbers(&mut engine);
    register_log(&mut engine, desk);
    let desk = desk.clone();
    engine.register_fn("random", move |bound: i64| {
        let call = &mut *desk.borrow_mut();
        call.drawn += 1;
        below(mix(call.seed, call.drawn), bound.max(0) as u64) as i64
    });
    engine
}

/// The interpreter's own limit forgets where it was; an error at a variable does not.
#[allow(deprecated)] // Rhai says so of what may change
fn stop_at_a_line(engine: &mut Engine) {
    let over = Rc::new(Cell::new(false));
    let seen = over.clone();
    engine.on_progress(move |operations| {
        over.set(operations > OPERATIONS);
        None
    });
    engine.on_var(move |_, _, _| if seen.get() { Err(too_long().into()) } else { Ok(None) });
}

fn register_numbers(engine: &mut Engine) {
    engine
        .register_fn("min", |a: i64, b: i64| a.min(b))
        .register_fn("max", |a: i64, b: i64| a.max(b))
        .register_fn("to_float", |n: i64| n as f64)
        .register_fn("to_float", |x: f64| x)
        .register_fn("sqrt", libm::sqrt)
        .register_fn("sqrt", |n: i64| libm::sqrt(n as f64))
        .register_fn("floor", |x: f64| whole(libm::floor(x)))
        .register_fn("round", |x: f64| whole(libm::round(x)))
        .register_fn("ceil", |x: f64| whole(libm::ceil(x)))
        .register_fn("floor", |n: i64| n)
        .register_fn("round", |n: i64| n)
        .register_fn("ceil", |n: i64| n);
    engine
        .register_fn("min", |a: f64, b: f64| if b < a { b } else { a })
        .register_fn("min", |a: i64, b: f64| if b < a as f64 { b } else { a as f64 })
        .register_fn("min", |a: f64, b: i64| if (b as f64) < a { b as f64 } else { a })
        .register_fn("max", |a: f64, b: f64| if b > a { b } else { a })
        .register_fn("max", |a: i64, b: f64| if b > a as f64 { b } else { a as f64 })
        .register_fn("max", |a: f64, b: i64| if b as f64 > a { b as f64 } else { a });
}

/// A number without a fraction as a whole number.
fn whole(x: f64) -> Fallible<i64> {
    // Below 2^63, which an f64 holds exactly.
    let fits = x >= i64::MIN as f64 && x < -(i64::MIN as f64);
    if fits { Ok(x as i64) } else { Err(format!("{x} is no whole number of 64 bits").into()) }
}

fn register_log(engine: &mut Engine, desk: &Desk) {
    let log = {
        let desk = desk.clone();
        move |kernel: Option<KernelId>, text: &str| -> Fallible<()> {
            let log = &mut desk.borrow_mut().log;
            if log.len() >= LINES {
                return Err(format!("a call logs more than {LINES} lines").into());
            }
            log.push((kernel, text.chars().take(LINE).collect()));
            Ok(())
        }
    };
    let (about, desk) = (log.clone(), desk.clone());
    engine.register_fn("log", move |text: ImmutableString| log(None, &text));
    engine.register_fn("log", move |kernel: i64, text: ImmutableString| {
        let kernel = index(kernel, desk.borrow().seen.kernels(), "kernel")?;
        about(Some(KernelId(kernel as u8)), &text)
    });
}

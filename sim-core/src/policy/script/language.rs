//! The language of scripts: Rhai without its library, with the functions that `FUNCTIONS` lists.
//!
//! None of them panics or knows how wide a pointer is, and each pays for what it touches: a call ends in time and in the same way on every host.
//! Left out is what could differ between hosts: clock, files, modules, powers of floats.

use super::budget::{Budget, ELEMENTS, Fallible, weigh_list, weigh_map};
use super::objects::{self, Desk, index};
use crate::describe::ids::KernelId;
use crate::describe::rng::{below, mix};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::cmp::Ordering;
use core::fmt::Display;
use core::ops::{Range, RangeInclusive};
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, Map, NativeCallContext};

/// Functions that call each other.
pub const DEPTH: usize = 12;
/// Expressions within each other.
const NESTED: usize = 24;
/// Variables of a function.
const VARIABLES: usize = 64;
/// Characters of a text.
const CHARACTERS: usize = 2000;
/// Lines that a call may log.
const LINES: usize = 32;
/// Characters of such a line.
const LINE: usize = 200;

/// An engine whose scripts can do what this file and the objects list, and nothing else.
pub fn engine(desk: &Desk) -> Engine {
    let mut engine = Engine::new_raw();
    engine
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
    engine.register_iterator::<Array>().register_iterator::<Range<i64>>().register_iterator::<RangeInclusive<i64>>();
    objects::register(&mut engine);
    count(&mut engine, &desk.budget);
    register_numbers(&mut engine);
    register_sizes(&mut engine, &desk.budget);
    register_texts(&mut engine, &desk.budget);
    register_lists(&mut engine, &desk.budget);
    register_maps(&mut engine, &desk.budget);
    register_orders(&mut engine, &desk.budget);
    register_log(&mut engine, desk);
    let desk = desk.clone();
    engine.register_fn("random", move |bound: i64| {
        let call = &mut *desk.call_mut();
        call.drawn += 1;
        below(mix(call.seed, call.drawn), bound.max(0) as u64) as i64
    });
    engine
}

/// Counts operations, and what each variable that is read weighs: it may be copied. Rhai's own count leaves out what functions call in turn, and an
/// error of it forgets the line, which one at a variable does not.
#[allow(deprecated)] // Rhai says so of what may change
fn count(engine: &mut Engine, budget: &Budget) {
    let (ticking, reading) = (budget.clone(), budget.clone());
    engine.on_progress(move |_| if ticking.tick() { None } else { Some(Dynamic::UNIT) });
    engine.on_var(move |name, _, context| {
        context.scope().get(name).map_or(Ok(()), |value| reading.pay_for(value))?;
        Ok(None)
    });
}

/// Functions each of which pays so many touches before it works.
macro_rules! functions {
    ($engine:ident, $budget:ident: $($name:literal ($($arg:ident: $type:ty),*) pays $touches:expr => $body:expr;)*) => {$({
        let budget = $budget.clone();
        $engine.register_fn($name, move |$($arg: $type),*| -> Fallible<_> {
            budget.pay($touches)?;
            $body
        });
    })*};
}

fn register_numbers(engine: &mut Engine) {
    engine
        .register_fn("min", |a: i64, b: i64| a.min(b))
        .register_fn("max", |a: i64, b: i64| a.max(b))
        .register_fn("abs", |n: i64| n.checked_abs().ok_or_else(|| too_large(n.unsigned_abs())))
        .register_fn("abs", |x: f64| x.abs())
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

fn too_large(n: impl Display) -> Box<EvalAltResult> {
    format!("{n} is no whole number of 64 bits").into()
}

/// A number without a fraction as a whole number.
fn whole(x: f64) -> Fallible<i64> {
    // Below 2^63, which an f64 holds exactly.
    let fits = x >= i64::MIN as f64 && x < -(i64::MIN as f64);
    if fits { Ok(x as i64) } else { Err(too_large(x)) }
}

fn register_sizes(engine: &mut Engine, budget: &Budget) {
    functions! { engine, budget:
        "len"(list: &mut Array) pays 1 => Ok(list.len() as i64);
        "len"(map: &mut Map) pays 1 => Ok(map.len() as i64);
        "len"(text: &str) pays text.len() => Ok(text.chars().count() as i64);
        "is_empty"(list: &mut Array) pays 1 => Ok(list.is_empty());
        "is_empty"(map: &mut Map) pays 1 => Ok(map.is_empty());
        "is_empty"(text: &str) pays 1 => Ok(text.is_empty());
        "clear"(list: &mut Array) pays list.len() => { list.clear(); Ok(()) };
        "clear"(map: &mut Map) pays 8 * map.len() => { map.clear(); Ok(()) };
    }
}

/// Touches for writing a number.
const WRITE: usize = 32;

fn register_texts(engine: &mut Engine, budget: &Budget) {
    functions! { engine, budget:
        "to_string"(n: i64) pays WRITE => Ok(n.to_string());
        "to_string"(x: f64) pays WRITE => Ok(Dynamic::from(x).to_string());
        "to_string"(flag: bool) pays WRITE => Ok(flag.to_string());
        "to_string"(c: char) pays WRITE => Ok(c.to_string());
        "to_string"(text: ImmutableString) pays 1 => Ok(text);
        "to_string"(_nothing: ()) pays 1 => Ok(String::new());
        "contains"(text: &str, part: &str) pays text.len() + part.len() => Ok(text.contains(part));
        "contains"(text: &str, part: char) pays text.len() => Ok(text.contains(part));
        "to_string"(list: Array) pays WRITE * touches_of_list(&list)? => Ok(Dynamic::from_array(list).to_string());
        "to_string"(map: Map) pays WRITE * touches_of_map(&map)? => Ok(Dynamic::from_map(map).to_string());
    }
}

fn register_lists(engine: &mut Engine, budget: &Budget) {
    functions! { engine, budget:
        "push"(list: &mut Array, item: Dynamic) pays 1 => { list.push(item); Ok(()) };
        "pop"(list: &mut Array) pays 1 => Ok(list.pop().unwrap_or_default());
        "insert"(list: &mut Array, at: i64, item: Dynamic) pays list.len() => { list.insert(index(at, list.len() + 1, "place")?, item); Ok(()) };
        "remove"(list: &mut Array, at: i64) pays list.len() => Ok(list.remove(index(at, list.len(), "entry")?));
        "reverse"(list: &mut Array) pays list.len() => { list.reverse(); Ok(()) };
        "contains"(list: &mut Array, item: Dynamic) pays touches_of_list(list)? => Ok(list.iter().any(|other| equal(other, &item)));
        "index_of"(list: &mut Array, item: Dynamic) pays touches_of_list(list)? => {
            Ok(list.iter().position(|other| equal(other, &item)).map_or(-1, |at| at as i64))
        };
        "+"(list: Array, more: Array) pays touches_of_list(&list)? + touches_of_list(&more)? => Ok([list, more].concat());
        "=="(list: &mut Array, other: Array) pays touches_of_list(list)? => Ok(equal_lists(list, &other));
        "!="(list: &mut Array, other: Array) pays touches_of_list(list)? => Ok(!equal_lists(list, &other));
    }
}

fn register_maps(engine: &mut Engine, budget: &Budget) {
    functions! { engine, budget:
        "keys"(map: &mut Map) pays touches_of_map(map)? => Ok(map.keys().map(|key| key.as_str().into()).collect::<Array>());
        "values"(map: &mut Map) pays touches_of_map(map)? => Ok(map.values().cloned().collect::<Array>());
        "contains"(map: &mut Map, key: &str) pays key.len() => Ok(map.contains_key(key));
        "remove"(map: &mut Map, key: &str) pays key.len() => Ok(map.remove(key).unwrap_or_default());
        "=="(map: &mut Map, other: Map) pays touches_of_map(map)? => Ok(equal_maps(map, &other));
        "!="(map: &mut Map, other: Map) pays touches_of_map(map)? => Ok(!equal_maps(map, &other));
    }
}

fn touches_of_list(list: &Array) -> Fallible<usize> {
    Ok(weigh_list(list, 0)?.touches)
}

fn touches_of_map(map: &Map) -> Fallible<usize> {
    Ok(weigh_map(map, 0)?.touches)
}

/// As the language compares numbers, texts, lists and maps; nothing else is equal.
fn equal(a: &Dynamic, b: &Dynamic) -> bool {
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        let scale = if a * b == 0.0 { 1.0 } else { a.abs().max(b.abs()) };
        return (a - b).abs() / scale <= f64::EPSILON;
    }
    if let (Ok(a), Ok(b)) = (a.as_immutable_string_ref(), b.as_immutable_string_ref()) {
        return *a == *b;
    }
    if let (Ok(a), Ok(b)) = (a.as_array_ref(), b.as_array_ref()) {
        return equal_lists(&a, &b);
    }
    if let (Ok(a), Ok(b)) = (a.as_map_ref(), b.as_map_ref()) {
        return equal_maps(&a, &b);
    }
    let same_flag = a.as_bool().is_ok_and(|a| b.as_bool() == Ok(a));
    let same_char = a.as_char().is_ok_and(|a| b.as_char() == Ok(a));
    same_flag || same_char || (a.is_unit() && b.is_unit())
}

fn equal_lists(a: &Array, b: &Array) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
}

fn equal_maps(a: &Map, b: &Map) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((key, a), (other, b))| key == other && equal(a, b))
}

fn number(value: &Dynamic) -> Option<f64> {
    value.as_float().or_else(|_| value.as_int().map(|n| n as f64)).ok()
}

/// What asks a function of the script for each entry of a list.
fn register_orders(engine: &mut Engine, budget: &Budget) {
    let paying = budget.clone();
    engine.register_fn("sort", move |list: &mut Array| {
        paying.pay(touches_of_list(list)? * (1 + list.len().checked_ilog2().unwrap_or(0) as usize))?;
        sort(list, &mut |a, b| in_order(a, b))
    });
    let paying = budget.clone();
    engine.register_fn("sort", move |context: NativeCallContext, list: &mut Array, compare: FnPtr| {
        sort(list, &mut |a, b| {
            paying.pay_for(a)?;
            paying.pay_for(b)?;
            let order = compare.call_within_context::<Dynamic>(&context, (a.clone(), b.clone()))?;
            let order = number(&order).and_then(|order| order.partial_cmp(&0.0));
            order.ok_or_else(|| "the function of sort gives no number, which is below 0 where its first goes first".into())
        })
    });
    let paying = budget.clone();
    engine.register_fn("map", move |context: NativeCallContext, list: &mut Array, change: FnPtr| -> Fallible<Array> {
        paying.pay_for_list(list)?;
        list.iter().map(|item| change.call_within_context(&context, (item.clone(),))).collect()
    });
    let paying = budget.clone();
    engine.register_fn("filter", move |context: NativeCallContext, list: &mut Array, keep: FnPtr| -> Fallible<Array> {
        paying.pay_for_list(list)?;
        let mut kept = Array::new();
        for item in list.iter() {
            if keep.call_within_context(&context, (item.clone(),))? {
                kept.push(item.clone());
            }
        }
        Ok(kept)
    });
}

/// The order of two numbers or two texts.
fn in_order(a: &Dynamic, b: &Dynamic) -> Fallible<Ordering> {
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        return Ok(a.partial_cmp(&b).unwrap_or(Ordering::Equal));
    }
    match (a.as_immutable_string_ref(), b.as_immutable_string_ref()) {
        (Ok(a), Ok(b)) => Ok(a.as_str().cmp(b.as_str())),
        _ => Err("sort takes numbers or texts, or else a function that compares two entries".into()),
    }
}

/// Merges sorted halves: entries that are equal keep their order, and an order that contradicts itself gives some order, the same on every host.
/// Rust's own sort may panic at such an order.
fn sort(list: &mut Array, compare: &mut dyn FnMut(&Dynamic, &Dynamic) -> Fallible<Ordering>) -> Fallible<()> {
    if list.len() < 2 {
        return Ok(());
    }
    let mut right = list.split_off(list.len() / 2);
    sort(list, compare)?;
    sort(&mut right, compare)?;
    let mut left = core::mem::take(list).into_iter().peekable();
    let mut right = right.into_iter().peekable();
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if compare(b, a)?.is_lt() { right.next() } else { left.next() };
        list.extend(next);
    }
    list.extend(left.chain(right));
    Ok(())
}

fn register_log(engine: &mut Engine, desk: &Desk) {
    let log = {
        let desk = desk.clone();
        move |kernel: Option<KernelId>, text: &str| -> Fallible<()> {
            let log = &mut desk.call_mut().log;
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
        let kernel = index(kernel, desk.call().seen.kernels(), "kernel")?;
        about(Some(KernelId(kernel as u8)), &text)
    });
}

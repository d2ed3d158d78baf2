//! What a call of a script may use: operations, each of which may touch so many values.
//!
//! The interpreter counts nodes of the program, not their size. Whoever copies, compares or makes a value pays for what it weighs, so that a call
//! ends in some ten milliseconds whatever it does. Weights are of the values alone: they are the same on every host.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use core::cell::Cell;
use rhai::{Array, Dynamic, EvalAltResult, Map};

pub type Fallible<T> = Result<T, Box<EvalAltResult>>;

/// Operations of a call: a few for each node of an expression.
pub const OPERATIONS: u64 = 200_000;
/// Operations beyond `OPERATIONS` that a call may still take. Within them a script that takes too long reaches a variable, whose line the
/// error names. One that uses no variable is stopped all the same.
const MORE: u64 = 5_000;
/// Touches that cost one operation.
const TOUCHES: u64 = 24;
/// Lists in lists.
const NESTED: usize = 16;
/// Values in a list or a map and in those within it.
pub const ELEMENTS: usize = 2048;

/// What a call has used. Clones share one count.
#[derive(Clone, Debug, Default)]
pub struct Budget(Rc<Cell<u64>>);

impl Budget {
    /// Begins a call.
    pub fn refill(&self) {
        self.0.set(0);
    }

    /// Operations used.
    pub fn used(&self) -> u64 {
        self.0.get() / TOUCHES
    }

    /// Counts an operation of the interpreter; false: it must stop.
    pub fn tick(&self) -> bool {
        self.0.set(self.0.get() + TOUCHES);
        self.used() <= OPERATIONS + MORE
    }

    /// Pays for touching so many values.
    pub fn pay(&self, touches: usize) -> Fallible<()> {
        self.0.set(self.0.get() + touches as u64);
        if self.used() > OPERATIONS { Err(format!("the call takes too long: more than {OPERATIONS} operations").into()) } else { Ok(()) }
    }

    /// Pays for a copy, or one pass over a value.
    pub fn pay_for(&self, value: &Dynamic) -> Fallible<()> {
        self.pay(weigh(value)?.touches)
    }

    /// Pays for one pass over a list.
    pub fn pay_for_list(&self, list: &Array) -> Fallible<()> {
        self.pay(weigh_list(list, 0)?.touches)
    }
}

/// What a value is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weight {
    /// Time of one pass over it, in that for a number.
    pub touches: usize,
    /// Values in it, itself excepted.
    pub elements: usize,
}

impl Weight {
    /// With a value in it, whose place takes so many touches.
    fn with(self, place: usize, value: Weight) -> Weight {
        Weight { touches: self.touches + place + value.touches, elements: self.elements + 1 + value.elements }
    }
}

/// What a value weighs; an error where it is too deep to be walked.
pub fn weigh(value: &Dynamic) -> Fallible<Weight> {
    weigh_at(value, 0)
}

fn weigh_at(value: &Dynamic, depth: usize) -> Fallible<Weight> {
    if value.is_int() || value.is_float() {
        return Ok(Weight { touches: 1, elements: 0 }); // most are numbers
    }
    if let Ok(list) = value.as_array_ref() {
        return weigh_list(&list, depth);
    }
    if let Ok(map) = value.as_map_ref() {
        return weigh_map(&map, depth);
    }
    let touches = match value.as_immutable_string_ref() {
        // Setting a character, or taking texts out of one, walks the whole, and calls no function that could pay.
        Ok(text) => 1 + text.len(),
        // An object of the observation or the controls lies on the heap.
        Err(_) if value.is_variant() => 8,
        Err(_) => 1,
    };
    Ok(Weight { touches, elements: 0 })
}

pub fn weigh_list(list: &Array, depth: usize) -> Fallible<Weight> {
    let empty = Weight { touches: deeper(depth)?, elements: 0 };
    list.iter().try_fold(empty, |whole, item| Ok(whole.with(0, weigh_at(item, depth + 1)?)))
}

pub fn weigh_map(map: &Map, depth: usize) -> Fallible<Weight> {
    let empty = Weight { touches: deeper(depth)?, elements: 0 };
    map.iter().try_fold(empty, |whole, (key, item)| Ok(whole.with(8 + key.len() / 8, weigh_at(item, depth + 1)?)))
}

/// The touches of a list or map itself, at this depth.
fn deeper(depth: usize) -> Fallible<usize> {
    if depth < NESTED { Ok(8) } else { Err(format!("lists or maps within each other more than {NESTED} deep").into()) }
}

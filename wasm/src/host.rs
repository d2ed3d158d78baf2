//! What the module needs of the program that hosts it: a clock and fresh random bits. Neither reaches a simulation's state.

use js_sys::{Date, Error, Reflect, global};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Performance;

/// A clock that never runs backwards: `performance` of a window, a worker or Node.
#[derive(Debug)]
pub struct Clock(Option<Performance>);

impl Clock {
    /// The host's clock.
    pub fn new() -> Clock {
        let found = Reflect::get(&global(), &"performance".into()).ok().filter(JsValue::is_object);
        if found.is_none() {
            web_sys::console::warn_1(&"Corun: this host has no performance clock; advanceFor() uses the date".into());
        }
        // A window's and a worker's `performance` are one class, but hosts differ in whether its name is visible.
        Clock(found.map(JsCast::unchecked_into))
    }

    /// Milliseconds since some moment.
    pub fn now(&self) -> f64 {
        self.0.as_ref().map_or_else(Date::now, Performance::now)
    }
}

/// A random seed, small enough to be read aloud.
pub fn fresh_seed() -> Result<u32, JsValue> {
    getrandom::u32().map_err(|error| Error::new(&format!("the host gives no random numbers: {error}")).into())
}

//! All schemes of a mix as a race, for JavaScript: the rule is the core's.

use crate::Simulation;
use crate::boundary::{error, plain, value};
use sim_core::study::race;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Simulation {
    /// Since when the GPU has been shared as it will be; nothing while a policy finds out what to do, and where one hands the GPU from kernel to kernel.
    #[wasm_bindgen(getter, js_name = steadySince)]
    pub fn steady_since(&self) -> Option<f64> {
        self.engine.steady_since().map(|cycle| cycle as f64)
    }
}

/// Which schemes of a mix go on, and to which cycle, where they stand like this and would run for so many cycles. Throws an `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "Race")]
pub fn race(cycles: f64, #[wasm_bindgen(unchecked_param_type = "readonly Standing[]")] standings: &JsValue) -> Result<JsValue, JsValue> {
    let standings = value(standings).and_then(|standings| race::decode(&standings)).map_err(|problems| error(&problems))?;
    plain(&race::race(cycles as u64, &standings).to_value())
}

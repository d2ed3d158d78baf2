//! What kernels took on a real GPU, for JavaScript: the file of `silicon/interfere.cu`, the sweep that simulates the same, and how near that comes.

use crate::boundary::{error, plain};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::silicon::{self as study, CYCLES, Measured, On, Summary};
use wasm_bindgen::prelude::*;

/// What a file says: as `corun silicon --json` prints it, and in words. `ipcs`: what the runs of `siliconSweep()` on the part `scale` have ended with, in their
/// order, each the IPC of its last kernel; NaN for what has not run, and empty where nothing has. Throws an `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "Silicon")]
pub fn silicon(text: &str, scale: &str, ipcs: &[f64]) -> Result<JsValue, JsValue> {
    plain(&read(text, scale, ipcs).map_err(|problems| error(&problems))?)
}

/// The sweep that simulates what a file has measured on a preset, or a part of it, with the runner's cycles. Throws an `ExperimentError`.
#[wasm_bindgen(js_name = siliconSweep, unchecked_return_type = "object")]
pub fn silicon_sweep(text: &str, gpu: &str, scale: &str) -> Result<JsValue, JsValue> {
    let sweep = Measured::read(text).and_then(|measured| study::sweep(&measured, On { gpu, scale, cycles: CYCLES }));
    plain(&sweep.map_err(|problems| error(&problems))?)
}

fn read(text: &str, scale: &str, ipcs: &[f64]) -> Result<Value, Problems> {
    let measured = Measured::read(text)?;
    let known = study::cases(&measured).into_iter().zip(ipcs).filter(|(_, ipc)| ipc.is_finite());
    let simulated = (!ipcs.is_empty()).then(|| known.map(|(case, ipc)| (case, study::of_whole(scale, *ipc))).collect());
    let preset = |(name, scale): (&str, &str)| Value::object([("name", name), ("scale", scale)]);
    let summary = |summary: Summary| {
        let errors = Value::array(summary.errors.into_iter().map(Value::array));
        Value::object([("alone", Value::array(summary.alone)), ("errors", errors), ("right", summary.right.into())])
    };
    let more = [
        ("title", Value::from(study::title(&measured)?)),
        ("presets", Value::array(study::presets_of(&measured)?.into_iter().map(preset))),
        ("summary", simulated.as_ref().map(|simulated| summary(Summary::of(&measured, simulated))).into()),
    ];
    let mut said = study::to_value(&measured, simulated.as_ref(), None)?;
    if let Value::Object(fields) = &mut said {
        fields.extend(more.map(|(key, value)| (key.to_owned(), value)));
    }
    Ok(said)
}

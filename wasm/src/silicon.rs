//! What kernels took on a real GPU, for JavaScript: the file of `silicon/interfere.cu`, the sweep that simulates the same, and how near that comes.

use crate::boundary::{error, plain, text as given};
use js_sys::Float64Array;
use sim_core::describe::error::{Problem, Problems};
use sim_core::describe::value::Value;
use sim_core::study::silicon::{self as study, CYCLES, Measured, On, Summary};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// What a file says: as `corun silicon --json` prints it, and in words. `ipcs`: what the runs of `siliconSweep()` on the part `scale` have ended with, in their
/// order, each the IPC of its last kernel; NaN for what has not run, and empty where nothing has. Throws an `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "Silicon")]
pub fn silicon(
    #[wasm_bindgen(unchecked_param_type = "string")] text: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "string")] scale: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Float64Array")] ipcs: &JsValue,
) -> Result<JsValue, JsValue> {
    let said = || read(&given(text, "text")?, &given(scale, "scale")?, &numbers(ipcs)?);
    plain(&said().map_err(|problems| error(&problems))?)
}

/// The sweep that simulates what a file has measured on a preset, or a part of it, with the runner's cycles. Throws an `ExperimentError`.
#[wasm_bindgen(js_name = siliconSweep, unchecked_return_type = "object")]
pub fn silicon_sweep(
    #[wasm_bindgen(unchecked_param_type = "string")] text: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "string")] gpu: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "string")] scale: &JsValue,
) -> Result<JsValue, JsValue> {
    let sweep = || {
        let (text, gpu, scale) = (given(text, "text")?, given(gpu, "gpu")?, given(scale, "scale")?);
        study::sweep(&Measured::read(&text)?, On { gpu: &gpu, scale: &scale, cycles: CYCLES })
    };
    plain(&sweep().map_err(|problems| error(&problems))?)
}

/// The numbers of a list of them.
fn numbers(given: &JsValue) -> Result<Vec<f64>, Problems> {
    let list = given.dyn_ref::<Float64Array>().map(Float64Array::to_vec);
    list.ok_or_else(|| Problems(vec![Problem::new("ipcs", given.js_typeof().as_string().unwrap_or_default(), "a Float64Array")]))
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

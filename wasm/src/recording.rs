//! Recorded kernels: recordings become known to the module by their bytes, and experiments name them by their hashes.

use crate::boundary::{error, plain};
use corun_traces::launch;
use sim_core::describe::digest::{hex, of_hex};
use sim_core::describe::error::{Problem, Problems};
use sim_core::describe::kernel::Kernel;
use sim_core::describe::recorded;
use sim_core::describe::value::Value;
use wasm_bindgen::prelude::*;

/// Makes a recording known, given the bytes of a file `corun import` has written: experiments may name its launches from now on. Says by which hash,
/// and what its kernels are, named after the file. Throws an `ExperimentError` with file and byte.
#[wasm_bindgen(unchecked_return_type = "RecordingKernels")]
pub fn recording(bytes: &[u8], file: &str) -> Result<JsValue, JsValue> {
    let wrong = |problem: Problem| error(&Problems(vec![problem]));
    let launches = launch::read(bytes, file).map_err(wrong)?;
    let kernels = launches.kernels(file, None).map_err(wrong)?;
    let hash = Value::from(hex(launches.recording));
    plain(&Value::object([("hash", hash), ("kernels", Value::array(kernels.iter().map(Kernel::encode)))]))
}

/// Whether a recording is known by this hash.
#[wasm_bindgen(js_name = knowsRecording)]
pub fn knows_recording(hash: &str) -> bool {
    of_hex(hash).and_then(recorded::known).is_some()
}

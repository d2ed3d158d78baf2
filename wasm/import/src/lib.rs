//! Files of other tools, read for JavaScript: what `corun import` does with files, this does with whatever its host reads bytes from.
//!
//! Files are read as they are needed, in blocks, so that none has to fit in memory. The recording is in memory until it is finished.

mod source;
pub mod timeline;

use corun_traces::fault::fault;
use corun_traces::import;
use corun_traces::list::{self, Entry};
use corun_traces::record::{Choice, Recorder};
use corun_traces::unpack::{self, Kind};
use js_sys::{Array, Error, Function, Object, Reflect, Uint8Array};
use sim_core::describe::error::Problem;
use source::Source;
use std::io::Read;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = "
/** Bytes of a file, from a place to another one. */
export type ReadBytes = (from: number, to: number) => Uint8Array;
/** A recording, and what a run makes simpler than the traced GPU did. */
export interface Imported { bytes: Uint8Array; notes: string[] }
";

/// Prints a panic's message in the console, for bug reports.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// An error whose message says what is wrong, with file and line or byte.
fn error(problem: &Problem) -> JsValue {
    let error = Error::new(&problem.to_string());
    error.set_name("ExperimentError");
    error.into()
}

/// Kernels that become one recording.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "a recorder has none")]
pub struct Import(Recorder<Vec<u8>>);

#[wasm_bindgen]
impl Import {
    /// An import without kernels.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Import, JsValue> {
        Recorder::new(Vec::new(), Choice::default()).map(Import).map_err(|wrong| error(&wrong.at("(recording)")))
    }

    /// Reads a kernel from a file of `size` bytes. Throws an `ExperimentError` with file and line or byte; then nothing is to be made of the rest.
    pub fn kernel(
        &mut self,
        name: &str,
        size: f64,
        #[wasm_bindgen(unchecked_param_type = "ReadBytes")] read: Function,
    ) -> Result<(), JsValue> {
        import::kernel(Source::new(read, size), name, None, &mut self.0).map(drop).map_err(|problem| error(&problem))
    }

    /// Takes a copy between the program's memory and the GPU's.
    pub fn copy(&mut self, bytes: f64) {
        self.0.copy(bytes as u64);
    }

    /// The recording. Throws an `ExperimentError` where it has no kernel.
    #[wasm_bindgen(unchecked_return_type = "Imported")]
    pub fn finish(self) -> Result<Object, JsValue> {
        if self.0.kernels() == 0 {
            return Err(error(&fault("a list without kernels", "a kernel to record").at("(file)")));
        }
        let (bytes, _, notes) = self.0.finish().map_err(|problem| error(&problem))?;
        let notes: Array = notes.lines().iter().map(|note| JsValue::from(note.as_str())).collect();
        let imported = Object::new();
        Reflect::set(&imported, &"bytes".into(), &Uint8Array::from(&bytes[..]))?;
        Reflect::set(&imported, &"notes".into(), &notes)?;
        Ok(imported)
    }
}

/// What a list of kernels has, in order: the name of each kernel's file, and the bytes of each copy. Nothing where the file is no list. Throws an
/// `ExperimentError` with file and line.
#[wasm_bindgen(unchecked_return_type = "(string | number)[] | undefined")]
pub fn entries(name: &str, size: f64, #[wasm_bindgen(unchecked_param_type = "ReadBytes")] read: Function) -> Result<JsValue, JsValue> {
    let mut source = Source::new(read, size);
    let head = unpack::head(&mut source, name).map_err(|problem| error(&problem))?;
    if unpack::kind(&head) != Some(Kind::List) {
        return Ok(JsValue::UNDEFINED);
    }
    let listed = list::read((&head[..]).chain(source), name).map_err(|problem| error(&problem))?;
    let entry = |entry: &Entry| match entry {
        Entry::Kernel(name) => JsValue::from(name.as_str()),
        Entry::Copy(bytes) => JsValue::from(*bytes as f64),
    };
    Ok(listed.iter().map(entry).collect::<Array>().into())
}

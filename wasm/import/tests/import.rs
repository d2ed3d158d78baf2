//! Does the module record of a file that its host reads in pieces what is recorded of the whole, and does it say where a bad file is wrong?

use corun_import::timeline::Timeline;
use corun_import::{Import, entries};
use corun_traces::record::{Choice, Recorder};
use js_sys::{Function, Reflect, Uint8Array};
use std::io::Cursor;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const XZ: &[u8] = include_bytes!("../../../traces/tests/samples/kernel-1.v5.traceg.xz");
const TRACEZ: &[u8] = include_bytes!("../../../traces/tests/samples/kernel-1.dictionary.tracez");
const TEXT: &[u8] = include_bytes!("../../../traces/tests/samples/kernel-1.v5.traceg");

/// Gives at most 1,000 bytes at a time: a host may give fewer than it is asked for.
fn reads(bytes: Vec<u8>) -> Function {
    let read = move |from: f64, to: f64| Uint8Array::from(&bytes[from as usize..(to as usize).min(from as usize + 1000)]);
    Closure::<dyn Fn(f64, f64) -> Uint8Array>::new(read).into_js_value().unchecked_into()
}

fn imported(bytes: &[u8]) -> Result<Vec<u8>, JsValue> {
    let mut import = Import::new()?;
    import.kernel("a.trace", bytes.len() as f64, reads(bytes.to_vec()))?;
    let done = import.finish()?;
    Ok(Reflect::get(&done, &"bytes".into())?.unchecked_into::<Uint8Array>().to_vec())
}

#[wasm_bindgen_test]
fn pieces_become_what_the_whole_does() {
    for bytes in [XZ, TRACEZ, TEXT] {
        let mut whole = Recorder::new(Vec::new(), Choice::default()).unwrap();
        corun_traces::import::kernel(Cursor::new(bytes), "a.trace", None, &mut whole).unwrap();
        assert!(imported(bytes).unwrap() == whole.finish().unwrap().0);
    }
}

#[wasm_bindgen_test]
fn a_bad_file_is_named_with_its_line() {
    let cut = &TEXT[..TEXT.len() / 2];
    let line = cut.iter().filter(|byte| **byte == b'\n').count() + 1;
    let said = |bytes: &[u8]| String::from(js_sys::Error::from(imported(bytes).unwrap_err()).message());
    let message = said(cut);
    let places = [format!("a.trace:{line}"), format!("a.trace:{}", line + 1)];
    assert!(places.iter().any(|place| message.contains(place)), "{message}, line {line}");
    assert!(said(b"nothing of the kind").contains("a.trace"));
}

#[wasm_bindgen_test]
fn a_list_has_files_and_copies_and_a_kernel_is_no_list() {
    let list = b"MemcpyHtoD,0x7f00,64\nkernel-1.traceg\n";
    let read: js_sys::Array = entries("kernelslist.g", list.len() as f64, reads(list.to_vec())).unwrap().unchecked_into();
    assert_eq!(read.get(0).as_f64(), Some(64.0));
    assert_eq!(read.get(1).as_string().as_deref(), Some("kernel-1.traceg"));
    assert!(entries("a.trace", TEXT.len() as f64, reads(TEXT.to_vec())).unwrap().is_undefined());
    assert!(Import::new().unwrap().finish().is_err());
}

const TIMELINE: &[u8] = include_bytes!("../../../timelines/tests/data/kineto_ddp_a100.json.gz");

#[wasm_bindgen_test]
fn a_timeline_says_here_what_it_says_natively() {
    let read = Timeline::new("ddp.json.gz", TIMELINE.len() as f64, reads(TIMELINE.to_vec())).unwrap();
    let native = corun_timelines::read::timeline(Cursor::new(TIMELINE), "ddp.json.gz").unwrap();
    let report = |of| serde_json::to_string(&corun_timelines::report::report(&native, of)).unwrap();
    assert_eq!(read.report(None).unwrap(), report(None));
    let h200 = corun_timelines::residency::Described::preset("h200-sxm").unwrap();
    assert_eq!(read.report(Some("h200-sxm".into())).unwrap(), report(Some(&h200)));
    assert!(read.report(Some("h2000".into())).is_err());
    let launches = read.launches().unwrap();
    let starts: js_sys::Float64Array = Reflect::get(&launches, &"start".into()).unwrap().unchecked_into();
    assert_eq!(starts.to_vec(), native.launches.iter().map(|launch| launch.start as f64).collect::<Vec<_>>());
    let lanes: js_sys::Array = Reflect::get(&launches, &"lanes".into()).unwrap().unchecked_into();
    assert_eq!(lanes.join(", "), "stream 7, stream 40");
}

#[wasm_bindgen_test]
fn what_is_no_timeline_is_an_error_with_its_name() {
    let wrong = Timeline::new("a.json", 2.0, reads(b"{}".to_vec())).unwrap_err();
    assert!(String::from(js_sys::Error::from(wrong).message()).contains("a.json"));
}

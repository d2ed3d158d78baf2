//! Timelines of profilers, for JavaScript.

use super::error;
use crate::source::Source;
use corun_timelines::report::report;
use corun_timelines::residency::Described;
use corun_timelines::{read, timeline};
use js_sys::{Array, Error, Float64Array, Function, Object, Reflect, Uint32Array};
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = "
/** Launches in the order of their starts, in lanes: one for each stream of each GPU. Times are nanoseconds after the first start. */
export interface TimelineLaunches {
  lanes: string[];
  /** The number of each lane's GPU. */
  devices: number[];
  /** The name of each kernel. */
  names: string[];
  lane: Uint32Array;
  kernel: Uint32Array;
  start: Float64Array;
  duration: Float64Array;
}
";

/// A timeline that has been read.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Timeline(timeline::Timeline);

#[wasm_bindgen]
impl Timeline {
    /// Reads a file of `size` bytes. Throws an `ExperimentError` with the place, what was found there and what is wanted.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, size: f64, #[wasm_bindgen(unchecked_param_type = "ReadBytes")] read: Function) -> Result<Timeline, JsValue> {
        read::timeline(Source::new(read, size), name).map(Timeline).map_err(|problem| error(&problem))
    }

    /// What it says, as `corun explain FILE --json` prints it; of another GPU than the file's where a preset is named.
    pub fn report(&self, gpu: Option<String>) -> Result<String, JsValue> {
        let asked = gpu.map(|name| Described::preset(&name)).transpose().map_err(|problem| error(&problem))?;
        serde_json::to_string(&report(&self.0, asked.as_ref())).map_err(|wrong| Error::new(&wrong.to_string()).into())
    }

    /// Its launches, for a picture.
    #[wasm_bindgen(unchecked_return_type = "TimelineLaunches")]
    pub fn launches(&self) -> Result<Object, JsValue> {
        let timeline::Timeline { devices, kernels, launches, .. } = &self.0;
        let mut lanes: BTreeMap<(u32, u64), u32> = launches.iter().map(|launch| ((launch.device, launch.stream), 0)).collect();
        lanes.values_mut().zip(0..).for_each(|(lane, number)| *lane = number);
        let title = |(device, stream): &(u32, u64)| match devices.len() {
            1 => format!("stream {stream}"),
            _ => format!("GPU {}, stream {stream}", devices[*device as usize].id),
        };
        let texts = |texts: Vec<String>| texts.into_iter().map(JsValue::from).collect::<Array>();
        let whole = |of: &dyn Fn(&timeline::Launched) -> u32| Uint32Array::from(&launches.iter().map(of).collect::<Vec<_>>()[..]);
        let times = |of: &dyn Fn(&timeline::Launched) -> u64| {
            Float64Array::from(&launches.iter().map(|one| of(one) as f64).collect::<Vec<_>>()[..])
        };
        let all = Object::new();
        for (key, value) in [
            ("lanes", JsValue::from(texts(lanes.keys().map(title).collect()))),
            ("devices", lanes.keys().map(|(device, _)| JsValue::from(*device)).collect::<Array>().into()),
            ("names", texts(kernels.iter().map(|kernel| kernel.name.clone()).collect()).into()),
            ("lane", whole(&|launch| lanes[&(launch.device, launch.stream)]).into()),
            ("kernel", whole(&|launch| launch.kernel).into()),
            ("start", times(&|launch| launch.start).into()),
            ("duration", times(&|launch| launch.duration).into()),
        ] {
            Reflect::set(&all, &key.into(), &value)?;
        }
        Ok(all)
    }
}

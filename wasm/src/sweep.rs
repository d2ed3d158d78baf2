//! Sweeps for JavaScript: the points of a sweep's file, the simulations that they need, and the lines that the runner writes of them.

use crate::Simulation;
use crate::boundary::{error, plain, value};
use js_sys::Array;
use sim_core::describe::digest::with_check;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Stop;
use sim_core::study::sweep::{Point, Sweep as Points};
use wasm_bindgen::prelude::*;

/// Many experiments from one file.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Sweep(Points);

#[wasm_bindgen]
impl Sweep {
    /// Reads a sweep, given as JSON text or as an object. Throws an `ExperimentError`.
    #[wasm_bindgen(constructor)]
    pub fn new(#[wasm_bindgen(unchecked_param_type = "string | object")] sweep: &JsValue) -> Result<Sweep, JsValue> {
        value(sweep).and_then(|sweep| Points::decode(&sweep)).map(Sweep).map_err(|problems| error(&problems))
    }

    /// How many points there are.
    #[wasm_bindgen(getter)]
    pub fn points(&self) -> usize {
        self.0.points()
    }

    /// Its name, for people.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.0.name.clone()
    }

    /// Sixteen hexadecimal digits that name the sweep.
    #[wasm_bindgen(getter)]
    pub fn hash(&self) -> String {
        self.0.hash().to_owned()
    }

    /// For each axis, the paths that step together; the last axis turns fastest.
    #[wasm_bindgen(unchecked_return_type = "string[][]")]
    pub fn axes(&self) -> Array {
        let paths =
            |axis: &sim_core::study::sweep::Axis| axis.paths.iter().map(|(path, _)| JsValue::from(path.as_str())).collect::<Array>();
        self.0.axes().iter().map(paths).collect()
    }

    /// One point. Throws an `ExperimentError`.
    #[wasm_bindgen(unchecked_return_type = "SweepPoint")]
    pub fn point(&self, index: usize) -> Result<JsValue, JsValue> {
        let point = self.at(index)?;
        let cycles = match point.experiment.stop {
            Stop::Cycles(cycles) => Some(point.experiment.warm_up.at_most() + cycles),
            Stop::KernelsDone { .. } | Stop::Settled(_) => None,
        };
        let alone = point.experiment.alone_runs();
        plain(&Value::object([
            ("config_hash", Value::from(point.experiment.config_hash())),
            ("axes", Value::Object(point.axes)),
            ("experiment", point.written),
            ("cycles", cycles.into()),
            ("alone", Value::array(alone.into_iter().map(|(_, hash, _)| hash))),
        ]))
    }

    /// The simulation of a point. Throws an `ExperimentError`.
    pub fn simulation(&self, index: usize) -> Result<Simulation, JsValue> {
        Simulation::of(&self.at(index)?.experiment).map_err(|problems| error(&problems))
    }

    /// The simulation of a point's kernel alone. Throws an `ExperimentError`.
    pub fn alone(&self, index: usize, kernel: usize) -> Result<Simulation, JsValue> {
        let runs = self.at(index)?.experiment.alone_runs();
        let found = runs.get(kernel).ok_or_else(|| outside("kernel", kernel, runs.len()));
        found.and_then(|(_, _, experiment)| Simulation::of(experiment)).map_err(|problems| error(&problems))
    }

    /// What `corun sweep` writes of a point, without the line's end: `simulation` must be the point's, run to its end.
    pub fn line(&self, index: usize, simulation: &mut Simulation) -> Result<String, JsValue> {
        let line = self.0.line(&self.at(index)?, simulation.engine.result());
        serde_json::to_string(&line).map(|text| with_check(&text)).map_err(|error| js_sys::Error::new(&error.to_string()).into())
    }
}

impl Sweep {
    fn at(&self, index: usize) -> Result<Point, JsValue> {
        let inside = index < self.0.points();
        let point = if inside { self.0.point(index) } else { Err(outside("index", index, self.0.points())) };
        point.map_err(|problems| error(&problems))
    }
}

fn outside(path: &str, found: usize, count: usize) -> Problems {
    let mut problems = Problems::default();
    problems.add(path, found, format!("less than {count}"));
    problems
}

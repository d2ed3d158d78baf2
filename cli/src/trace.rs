//! `--trace`: a timeline in the Trace Event format that Perfetto and chrome://tracing read. A process for each SM with a track for each CTA
//! slot, where a slice is a CTA; counters by kernel for NoC and DRAM bandwidth and for CTAs between two SMs. One cycle is written as one microsecond.

use corun_lab::output::Whole;
use corun_lab::{Failure, output};
use sim_core::describe::value::Value;
use sim_core::run::result::ENGINE;
use sim_core::run::simulation::Simulation;
use sim_core::run::windows::WINDOW;
use std::collections::BTreeMap;
use std::io::Write;

/// Process number of the counters; SM `n` is process `n + 1`.
const COUNTERS: u32 = 0;

/// The trace of a run, written as it goes on.
pub struct Trace {
    file: Whole,
    first: bool,
    windows: u64,
    /// CTAs that have not finished: (SM, slot) → (cycle, kernel, CTA).
    open: BTreeMap<(u16, u8), (u64, usize, u32)>,
    /// CTAs of each kernel that have left an SM by a context switch and are on none.
    saved: Vec<u32>,
}

impl Trace {
    /// Starts a trace in an empty file; from now on the machine keeps its events.
    pub fn start(file: Whole, simulation: &mut Simulation) -> Result<Self, Failure> {
        simulation.machine_mut().record_events = true;
        let mut trace = Trace { file, first: true, windows: 0, open: BTreeMap::new(), saved: vec![0; simulation.machine().kernels()] };
        let experiment = simulation.experiment();
        let other = Value::object([
            ("experiment", Value::from(experiment.name.as_str())),
            ("config_hash", experiment.config_hash().into()),
            ("engine", ENGINE.into()),
            ("seed", experiment.seed.into()),
            ("time_unit", "1 cycle is written as 1 µs".into()),
        ]);
        write!(trace.file, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{other},\"traceEvents\":[").map_err(output::not_written)?;
        trace.named("process_name", COUNTERS, 0, "GPU")?;
        for (number, sm) in simulation.machine().sms.iter().enumerate() {
            trace.named("process_name", number as u32 + 1, 0, &format!("SM {number}"))?;
            for slot in 0..sm.ctas.slots().len() {
                trace.named("thread_name", number as u32 + 1, slot as u32 + 1, &format!("CTA slot {slot}"))?;
            }
        }
        Ok(trace)
    }

    fn event(&mut self, pairs: Vec<(&str, Value)>) -> Result<(), Failure> {
        let comma = if std::mem::take(&mut self.first) { "" } else { "," };
        write!(self.file, "{comma}\n{}", Value::object(pairs)).map_err(output::not_written)?;
        Ok(())
    }

    fn named(&mut self, what: &str, process: u32, track: u32, name: &str) -> Result<(), Failure> {
        let arguments = Value::object([("name", name)]);
        self.event(vec![("name", what.into()), ("ph", "M".into()), ("pid", process.into()), ("tid", track.into()), ("args", arguments)])
    }

    /// Writes what has happened since the last call.
    pub fn append(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        let events = std::mem::take(&mut simulation.machine_mut().events);
        let names = simulation.experiment().labels();
        for event in events {
            let place = (event.sm, event.slot);
            if event.switched {
                let saved = &mut self.saved[event.kernel.index()];
                *saved = if event.placed { *saved - 1 } else { *saved + 1 };
                let values = names.iter().zip(&self.saved).enumerate().map(|(i, (name, &saved))| (format!("{i} {name}"), saved.into()));
                let values = Value::object(values.collect::<Vec<(String, Value)>>());
                self.counter("CTAs between two SMs", event.cycle, values)?;
            }
            if event.placed {
                self.open.insert(place, (event.cycle, event.kernel.index(), event.cta));
            } else if let Some((start, kernel, cta)) = self.open.remove(&place) {
                self.slice(place, start, event.cycle, &names[kernel], cta)?;
            }
        }
        let layout = simulation.windows().layout(&simulation.experiment().gpu);
        let Some(Value::Array(columns)) = layout.get("columns") else { return Ok(()) };
        let of = |key: &str| -> Vec<usize> {
            columns
                .iter()
                .enumerate()
                .filter(|(_, column)| column.get("key").and_then(Value::as_str) == Some(key))
                .map(|(i, _)| i)
                .collect()
        };
        let series = [("NoC replies, bytes per cycle", of("noc_bytes")), ("DRAM, bytes per cycle", of("dram_bytes"))];
        for row in simulation.windows().rows_since(self.windows).chunks(columns.len()) {
            for (title, places) in &series {
                let values =
                    names.iter().zip(places).enumerate().map(|(i, (name, &place))| (format!("{i} {name}"), row[place] / WINDOW as f64));
                self.counter(title, row[0] as u64, Value::object(values))?;
            }
        }
        self.windows = simulation.windows().count();
        Ok(())
    }

    fn counter(&mut self, title: &str, cycle: u64, values: Value) -> Result<(), Failure> {
        let pairs = vec![("name", title.into()), ("ph", "C".into()), ("ts", cycle.into()), ("pid", COUNTERS.into()), ("args", values)];
        self.event(pairs)
    }

    fn slice(&mut self, (sm, slot): (u16, u8), start: u64, end: u64, kernel: &str, cta: u32) -> Result<(), Failure> {
        let pairs = vec![
            ("name", kernel.into()),
            ("cat", "cta".into()),
            ("ph", "X".into()),
            ("ts", start.into()),
            ("dur", (end - start).into()),
            ("pid", (u32::from(sm) + 1).into()),
            ("tid", (u32::from(slot) + 1).into()),
            ("args", Value::object([("cta", cta)])),
        ];
        self.event(pairs)
    }

    /// Ends the trace: CTAs that are still resident end with the run.
    pub fn finish(mut self, simulation: &Simulation) -> Result<(), Failure> {
        let now = simulation.cycle();
        let names = simulation.experiment().labels();
        for (place, (start, kernel, cta)) in std::mem::take(&mut self.open) {
            self.slice(place, start, now, &names[kernel], cta)?;
        }
        write!(self.file, "\n]}}\n").map_err(output::not_written)?;
        self.file.finish()
    }
}

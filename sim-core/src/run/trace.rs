//! A timeline of a run in the Trace Event format that Perfetto and chrome://tracing read, as text that grows with the run. A process for each SM with a
//! track for each CTA slot, where a slice is a CTA. The process of the GPU has a track of launches for each kernel, one of the policy's decisions, and
//! counters by kernel: NoC and DRAM bandwidth, and CTAs between two SMs. One cycle is written as one microsecond.

use crate::describe::ids::Cycle;
use crate::describe::value::Value;
use crate::machine::dispatch::{CtaEvent, LaunchEnd};
use crate::run::result::ENGINE;
use crate::run::simulation::Simulation;
use crate::run::windows::{KEPT, WINDOW};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

/// Process number of the GPU; SM `n` is process `n + 1`.
const GPU: u32 = 0;

/// The trace of a run, written as it goes on.
#[derive(Clone, Debug)]
pub struct Trace {
    text: String,
    first: bool,
    windows: u64,
    decisions: usize,
    /// CTAs that have not finished: (SM, slot) → (cycle, kernel, CTA).
    open: BTreeMap<(u16, u8), (Cycle, usize, u32)>,
    /// Of each kernel, which launch runs and from when, and how many have ended.
    launches: Vec<(Option<Cycle>, u32)>,
    /// CTAs of each kernel that have left an SM by a context switch and are on none.
    saved: Vec<u32>,
}

impl Trace {
    /// The run advances by so many cycles between two calls of `append`, for the same text everywhere: fewer than the windows that are kept.
    pub const STEP: u64 = WINDOW * 40;

    /// Starts a trace; from now on the machine keeps its events.
    pub fn start(simulation: &mut Simulation) -> Trace {
        const { assert!(Trace::STEP < WINDOW * KEPT as u64) };
        simulation.machine_mut().record_events = true;
        let kernels = simulation.machine().kernels();
        let mut trace = Trace {
            text: String::new(),
            first: true,
            windows: 0,
            decisions: 0,
            open: BTreeMap::new(),
            launches: vec![(None, 0); kernels],
            saved: vec![0; kernels],
        };
        let experiment = simulation.experiment();
        let other = Value::object([
            ("experiment", Value::from(experiment.name.as_str())),
            ("config_hash", experiment.config_hash().into()),
            ("engine", ENGINE.into()),
            ("seed", experiment.seed.into()),
            ("time_unit", "1 cycle is written as 1 µs".into()),
        ]);
        trace.write(&format!("{{\"displayTimeUnit\":\"ns\",\"otherData\":{other},\"traceEvents\":["));
        trace.named("process_name", GPU, 0, "GPU");
        for (kernel, label) in experiment.labels().iter().enumerate() {
            trace.named("thread_name", GPU, kernel as u32 + 1, &format!("Launches of {label}"));
        }
        trace.named("thread_name", GPU, kernels as u32 + 1, "Decisions");
        for (number, sm) in simulation.machine().sms.iter().enumerate() {
            trace.named("process_name", number as u32 + 1, 0, &format!("SM {number}"));
            for slot in 0..sm.ctas.slots().len() {
                trace.named("thread_name", number as u32 + 1, slot as u32 + 1, &format!("CTA slot {slot}"));
            }
        }
        trace
    }

    /// Takes what has been written since it was last taken.
    pub fn take(&mut self) -> String {
        mem::take(&mut self.text)
    }

    /// Writes what has happened since the last call.
    pub fn append(&mut self, simulation: &mut Simulation) {
        let events = mem::take(&mut simulation.machine_mut().events);
        let ends = mem::take(&mut simulation.machine_mut().launch_ends);
        let names = simulation.experiment().labels();
        self.launches(&events, &ends, &names);
        for event in events {
            let place = (event.sm, event.slot);
            if event.switched {
                let saved = &mut self.saved[event.kernel.index()];
                *saved = if event.placed { *saved - 1 } else { *saved + 1 };
                let values = by_kernel(&names, self.saved.iter().copied());
                self.counter("CTAs between two SMs", event.cycle, values);
            }
            if event.placed {
                self.open.insert(place, (event.cycle, event.kernel.index(), event.cta));
            } else if let Some(cta) = self.open.remove(&place) {
                self.cta(place, cta, event.cycle, &names);
            }
        }
        self.decisions(simulation);
        self.windows(simulation, &names);
    }

    /// Ends the trace: CTAs and launches that still run end with the run.
    pub fn finish(&mut self, simulation: &Simulation) {
        let now = simulation.cycle();
        let names = simulation.experiment().labels();
        for (place, cta) in mem::take(&mut self.open) {
            self.cta(place, cta, now, &names);
        }
        for kernel in 0..names.len() {
            self.launch(kernel, now, &names);
        }
        self.write("\n]}\n");
    }

    /// A launch lasts from its first CTA to its end.
    fn launches(&mut self, events: &[CtaEvent], ends: &[LaunchEnd], names: &[String]) {
        let mut ends = ends.iter().peekable();
        for event in events.iter().filter(|event| event.placed && !event.switched) {
            while let Some(end) = ends.next_if(|end| end.cycle <= event.cycle) {
                self.launch(end.kernel.index(), end.cycle, names);
            }
            self.launches[event.kernel.index()].0.get_or_insert(event.cycle);
        }
        for end in ends {
            self.launch(end.kernel.index(), end.cycle, names);
        }
    }

    fn launch(&mut self, kernel: usize, end: Cycle, names: &[String]) {
        let (began, number) = &mut self.launches[kernel];
        let Some(start) = began.take() else { return };
        let args = Value::object([("launch", *number)]);
        *number += 1;
        self.slice(&names[kernel], "launch", (GPU, kernel as u32 + 1), (start, end), args);
    }

    fn cta(&mut self, (sm, slot): (u16, u8), (start, kernel, cta): (Cycle, usize, u32), end: Cycle, names: &[String]) {
        let place = (u32::from(sm) + 1, u32::from(slot) + 1);
        self.slice(&names[kernel], "cta", place, (start, end), Value::object([("cta", cta)]));
    }

    fn decisions(&mut self, simulation: &Simulation) {
        let track = simulation.machine().kernels() as u32 + 1;
        let all = simulation.decisions();
        for decision in &all[self.decisions..] {
            let pairs = vec![
                ("name", decision.what.sentence().into()),
                ("cat", decision.what.topic().into()),
                ("ph", "i".into()),
                ("s", "p".into()),
                ("ts", decision.cycle.into()),
                ("pid", GPU.into()),
                ("tid", track.into()),
                ("args", decision.to_value()),
            ];
            self.event(pairs);
        }
        self.decisions = all.len();
    }

    fn windows(&mut self, simulation: &Simulation, names: &[String]) {
        let layout = simulation.windows().layout(&simulation.experiment().gpu);
        let Some(Value::Array(columns)) = layout.get("columns") else { return };
        let of = |key: &str| -> Vec<usize> {
            let of_key = |column: &Value| column.get("key").and_then(Value::as_str) == Some(key);
            columns.iter().enumerate().filter(|(_, column)| of_key(column)).map(|(i, _)| i).collect()
        };
        let series = [("NoC replies, bytes per cycle", of("noc_bytes")), ("DRAM, bytes per cycle", of("dram_bytes"))];
        for row in simulation.windows().rows_since(self.windows).chunks(columns.len()) {
            for (title, places) in &series {
                let values = by_kernel(names, places.iter().map(|&place| row[place] / WINDOW as f64));
                self.counter(title, row[0] as u64, values);
            }
        }
        self.windows = simulation.windows().count();
    }

    fn counter(&mut self, title: &str, cycle: Cycle, values: Value) {
        self.event(vec![("name", title.into()), ("ph", "C".into()), ("ts", cycle.into()), ("pid", GPU.into()), ("args", values)]);
    }

    fn slice(&mut self, name: &str, kind: &str, (process, track): (u32, u32), (start, end): (Cycle, Cycle), args: Value) {
        self.event(vec![
            ("name", name.into()),
            ("cat", kind.into()),
            ("ph", "X".into()),
            ("ts", start.into()),
            ("dur", (end - start).into()),
            ("pid", process.into()),
            ("tid", track.into()),
            ("args", args),
        ]);
    }

    fn named(&mut self, what: &str, process: u32, track: u32, name: &str) {
        let args = Value::object([("name", name)]);
        self.event(vec![("name", what.into()), ("ph", "M".into()), ("pid", process.into()), ("tid", track.into()), ("args", args)]);
    }

    fn event(&mut self, pairs: Vec<(&str, Value)>) {
        let comma = if mem::take(&mut self.first) { "" } else { "," };
        self.write(&format!("{comma}\n{}", Value::object(pairs)));
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

fn by_kernel<T: Into<Value>>(names: &[String], values: impl Iterator<Item = T>) -> Value {
    Value::object(names.iter().zip(values).enumerate().map(|(i, (name, value))| (format!("{i} {name}"), value.into())).collect::<Vec<_>>())
}

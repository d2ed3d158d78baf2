//! The engine's face for JavaScript: parse, step, hand out views. It makes no decisions; whatever needs one is in `sim-core`.
//!
//! The module runs in a window, a worker and Node alike. One instance holds any number of simulations; none of them knows of the others.
//! Numbers at the boundary are `f64` (whole up to 2^53) or `u32`, never BigInt.

mod boundary;
mod host;
mod race;
mod recording;
mod silicon;
mod sweep;

use boundary::{error, list, plain, text, value};
use core::hint::black_box;
use host::Clock;
use js_sys::{Array, Uint32Array};
pub use race::race;
pub use recording::{knows_recording, recording};
pub use silicon::{silicon, silicon_sweep};
use sim_core::describe::digest;
use sim_core::describe::error::Problems;
use sim_core::describe::ids::KernelId;
use sim_core::describe::record::Datum;
use sim_core::describe::value::Value;
use sim_core::interface::controls::Controls;
use sim_core::interface::decision::Decision;
use sim_core::interface::shown::Table;
use sim_core::machine::contents::Ahead;
use sim_core::machine::dispatch::order::{ChunkEntry, Share, Shares};
use sim_core::machine::dispatch::{CtaEvent, LaunchEnd};
use sim_core::machine::l1d::word_counts::WordCounts;
use sim_core::policy::{self, PolicySpec};
use sim_core::predict::answer::Answer;
use sim_core::predict::question::Question;
use sim_core::run::cure::Cure;
use sim_core::run::experiment::{Experiment, Stop};
use sim_core::run::frame;
use sim_core::run::plan::{self as run_plan, Plan, Planned};
use sim_core::run::result::ENGINE;
use sim_core::run::simulation::{Reason, Simulation as Engine};
use sim_core::run::trace::Trace as Timeline;
use sim_core::run::trials;
use sim_core::study::catalogue;
use sim_core::study::figure::{self, Figure, Options};
use sim_core::study::foreign;
use sim_core::study::oracle::{self, Space};
use sim_core::study::probe::{COMPONENTS, Component};
use sim_core::study::profile;
pub use sweep::Sweep;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = concat!(include_str!("records.ts"), include_str!("types.ts"));

/// The example experiments as JSON text, by name.
pub const EXPERIMENTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// The example scripts, by name.
pub const SCRIPTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

/// Cycles of the first chunk of `advanceFor`; afterwards a chunk is as long as fills about a millisecond.
const FIRST_CHUNK: u64 = 64;

/// Prints a panic's message in the console, for bug reports.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// More JavaScript values than the module holds at once: four for each of the 128 levels that an experiment may have, twice over.
const VALUES: usize = 1024;

/// Bytes that a run of 16 SMs asks for after it has been built: 1.8 million in 20 million cycles.
const SPARE: usize = 2 << 20;

/// For hosts that keep copies of the module's memory and put them back: makes memory and the table of JavaScript values as long as a run
/// needs. Call it once the run is built, before the first copy. A copy does not know of a table that has grown since, and memory that has
/// grown since is lost to it.
#[wasm_bindgen]
pub fn reserve() {
    drop((0..VALUES).map(|_| JsValue::from(Array::new())).collect::<Vec<_>>());
    drop(black_box(Vec::<u8>::with_capacity(SPARE)));
}

/// One run of one experiment.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    engine: Engine,
    clock: Clock,
    frame: Vec<u32>,
    chunk: u64,
}

/// A moment of a run, to go back to.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Snapshot(Engine);

#[wasm_bindgen]
impl Simulation {
    /// Builds the machine and the policy of an experiment, given as JSON text or as an object. It first measures what its policy has to
    /// know of kernels alone, which can take as long as many runs: `plan` and `withAnswers` leave that to the caller. Throws an
    /// `ExperimentError`.
    #[wasm_bindgen(constructor)]
    pub fn new(#[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue) -> Result<Simulation, JsValue> {
        read(experiment).and_then(|experiment| Simulation::of(&experiment)).map_err(|problems| error(&problems))
    }

    /// Builds an experiment with the answers of its plan by hash (`plan`), so that nothing is measured here. Throws an `ExperimentError`,
    /// also where one that its policy has to know is missing.
    #[wasm_bindgen(js_name = withAnswers)]
    pub fn with_answers(
        #[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Record<string, Answer>")] answers: &JsValue,
    ) -> Result<Simulation, JsValue> {
        let with = || Engine::with(&read(experiment)?, &run_plan::decode(&value(answers)?)?);
        with().map(Simulation::around).map_err(|problems| error(&problems))
    }

    /// Once the run has ended, the runs in which its kernels have the share of the GPU that they had at last, and no neighbour, each once. What they
    /// answer (`tell`) parts slowdowns into what the share costs and what the neighbours do.
    #[wasm_bindgen(js_name = shareRuns, unchecked_return_type = "PlannedRun[]")]
    pub fn share_runs(&mut self) -> Result<JsValue, JsValue> {
        plain(&planned(&self.engine.share_runs()))
    }

    /// Once it is known what kernels do in their shares, the runs from which one cause each is taken away. What they did (`tried`) tells why kernels suffer
    /// from their neighbours (`tellWhy`): once all is told, the result says `because`.
    #[wasm_bindgen(js_name = askWhy, unchecked_return_type = "PlannedRun[]")]
    pub fn ask_why(&mut self) -> Result<JsValue, JsValue> {
        plain(&planned(&self.engine.ask_why(&Cure::ALL)))
    }

    /// Once these are told, longer runs of the best causes, where it is not clear which costs most; asked again until there are none.
    #[wasm_bindgen(js_name = askLonger, unchecked_return_type = "PlannedRun[]")]
    pub fn ask_longer(&mut self) -> Result<JsValue, JsValue> {
        plain(&planned(&self.engine.ask_longer()))
    }

    /// What each kernel of this run has done, for the run that asked why.
    #[wasm_bindgen(unchecked_return_type = "Tried[]")]
    pub fn tried(&mut self) -> Result<JsValue, JsValue> {
        plain(&self.engine.tried().write())
    }

    /// Tells what each kernel did in runs of `askWhy`, by hash.
    #[wasm_bindgen(js_name = tellWhy)]
    pub fn tell_why(&mut self, #[wasm_bindgen(unchecked_param_type = "Record<string, Tried[]>")] tried: &JsValue) -> Result<(), JsValue> {
        let told = value(tried).and_then(|tried| trials::told(&tried)).map_err(|problems| error(&problems))?;
        told.into_iter().for_each(|(hash, tried)| self.engine.tell_why(&hash, tried));
        Ok(())
    }

    /// Tells the run more answers by hash: for slowdowns, and for policies that it is handed over to later.
    pub fn tell(&mut self, #[wasm_bindgen(unchecked_param_type = "Record<string, Answer>")] answers: &JsValue) -> Result<(), JsValue> {
        let answers = value(answers).and_then(|answers| run_plan::decode(&answers)).map_err(|problems| error(&problems))?;
        self.engine.add_solo_profiles(&answers);
        Ok(())
    }

    /// Shows what runs of its plan say that still go on, by hash, until `tell` has what they end with. No policy learns of it.
    #[wasm_bindgen(js_name = showSoFar)]
    pub fn show_so_far(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Record<string, Answer>")] answers: &JsValue,
    ) -> Result<(), JsValue> {
        let answers = value(answers).and_then(|answers| run_plan::decode(&answers)).map_err(|problems| error(&problems))?;
        self.engine.show_so_far(&answers);
        Ok(())
    }

    /// What a plan's run that goes on says of its kernel, once its IPC is known to a part of itself, 0 to 1; null before. It has no interval,
    /// as the run has not shown yet how it goes on.
    #[wasm_bindgen(js_name = answerSoFar, unchecked_return_type = "Answer | null")]
    pub fn answer_so_far(&mut self, within: f64) -> Result<JsValue, JsValue> {
        self.engine.answer_so_far(within).map_or(Ok(JsValue::NULL), |answer| plain(&run_plan::encode(&answer)))
    }

    /// What the run says of its first kernel: the answer of a plan's run that has ended.
    #[wasm_bindgen(unchecked_return_type = "Answer")]
    pub fn answer(&mut self) -> Result<JsValue, JsValue> {
        plain(&run_plan::encode(&self.engine.answer()))
    }

    /// Lets the run go on as that of an experiment that differs in nothing but a later end, after a number of cycles as its own; it must be told of
    /// runs alone again. False, and nothing has changed, where it is none such. Throws an `ExperimentError`.
    #[wasm_bindgen(js_name = goOn)]
    pub fn go_on(&mut self, #[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue) -> Result<bool, JsValue> {
        let longer = read(experiment).map_err(|problems| error(&problems))?;
        let counts = [&longer, self.engine.experiment()].iter().all(|one| matches!(one.stop, Stop::Cycles(_)));
        Ok(counts && self.engine.go_on(&longer))
    }

    /// Runs for at most `maxCycles` cycles.
    #[wasm_bindgen(unchecked_return_type = "Reason")]
    pub fn advance(&mut self, #[wasm_bindgen(js_name = maxCycles)] max_cycles: f64) -> String {
        self.engine.advance(max_cycles as u64).key().to_owned()
    }

    /// Runs for about `milliseconds` of the host's clock, in chunks of about one millisecond, and not beyond the cycle `to`.
    #[wasm_bindgen(js_name = advanceFor, unchecked_return_type = "Reason")]
    pub fn advance_for(&mut self, milliseconds: f64, to: Option<f64>) -> String {
        let to = to.map_or(u64::MAX, |cycle| cycle as u64);
        let mut now = self.clock.now();
        let end = now + milliseconds;
        loop {
            let left = to.saturating_sub(self.engine.cycle());
            let reason = self.engine.advance(self.chunk.min(left));
            let took = self.clock.now() - now;
            now += took;
            if reason != Reason::Budget || now >= end || self.engine.cycle() >= to {
                return reason.key().to_owned();
            }
            self.chunk = if took < 0.5 {
                self.chunk * 2
            } else if took > 2.0 {
                (self.chunk / 2).max(1)
            } else {
                self.chunk
            };
        }
    }

    /// Runs until a CTA is placed or finishes or the policy decides something, for at most `maxCycles` cycles.
    #[wasm_bindgen(js_name = advanceEvent, unchecked_return_type = "Reason")]
    pub fn advance_event(&mut self, #[wasm_bindgen(js_name = maxCycles)] max_cycles: f64) -> String {
        self.engine.advance_event(max_cycles as u64).key().to_owned()
    }

    /// The present cycle.
    #[wasm_bindgen(getter)]
    pub fn cycle(&self) -> f64 {
        self.engine.cycle() as f64
    }

    /// The machine as it stands, laid out as `frameLayout()` says: a view into the module's memory. Copy it before the next call.
    pub fn frame(&mut self) -> Uint32Array {
        self.engine.machine_mut().settle();
        frame::fill(self.engine.machine(), self.engine.windows(), &mut self.frame);
        // SAFETY: the view must not outlive the next growth of the memory or change of the vector. The vector belongs to this object and
        // changes only in this function; that callers copy before they call again is this function's contract.
        #[allow(unsafe_code)]
        unsafe {
            Uint32Array::view(&self.frame)
        }
    }

    /// Where everything is in `frame()`; the same for the whole run.
    #[wasm_bindgen(js_name = frameLayout, unchecked_return_type = "FrameLayout")]
    pub fn frame_layout(&self) -> Result<JsValue, JsValue> {
        plain(&frame::layout(self.engine.machine(), self.engine.experiment()))
    }

    /// Complete windows with index `since` and later, row-major, columns as `windowsLayout()` says.
    pub fn windows(&self, since: f64) -> Vec<f64> {
        self.engine.windows().rows_since(since as u64)
    }

    /// The columns of `windows()`.
    #[wasm_bindgen(js_name = windowsLayout, unchecked_return_type = "WindowsLayout")]
    pub fn windows_layout(&self) -> Result<JsValue, JsValue> {
        plain(&self.engine.windows().layout(&self.engine.experiment().gpu))
    }

    /// From now on the run keeps what happens to its CTAs, for `ctaEvents()`, and when launches end, for `launchEnds()`.
    #[wasm_bindgen(js_name = keepCtaEvents)]
    pub fn keep_cta_events(&mut self) {
        self.engine.machine_mut().record_events = true;
    }

    /// What has happened to CTAs since it was last asked, in order, six numbers each. The cycle; the kernel; what happened: 0 where the
    /// CTA has finished, 1 where it was placed, 2 where a context switch took it off its SM, 3 where one brought it back. Then the SM, the
    /// CTA's number in its grid, and the SM from which it was stolen, or −1.
    #[wasm_bindgen(js_name = ctaEvents)]
    pub fn cta_events(&mut self) -> Vec<f64> {
        let events = core::mem::take(&mut self.engine.machine_mut().events);
        let what = |event: &CtaEvent| u8::from(event.placed) | u8::from(event.switched) << 1;
        let numbers = |event: &CtaEvent| {
            let from = event.stolen_from.map_or(-1.0, f64::from);
            [event.cycle as f64, f64::from(event.kernel.0), f64::from(what(event)), f64::from(event.sm), f64::from(event.cta), from]
        };
        events.iter().flat_map(numbers).collect()
    }

    /// The launches that have ended since it was last asked, in order, row-major. Each has the cycle, the kernel, all its counters then,
    /// from the beginning of the run, as `frameLayout().counters` names them. Behind them stands what the L1Ds held then, as
    /// `l1Contents()` has it.
    #[wasm_bindgen(js_name = launchEnds)]
    pub fn launch_ends(&mut self) -> Vec<f64> {
        let ends = core::mem::take(&mut self.engine.machine_mut().launch_ends);
        let row = |end: LaunchEnd| {
            let counters = end.stats.values().map(|count| count as f64);
            let held = end.held.into_iter().flat_map(words).map(f64::from);
            [end.cycle as f64, f64::from(end.kernel.0)].into_iter().chain(counters).chain(held).collect::<Vec<f64>>()
        };
        ends.into_iter().flat_map(row).collect()
    }

    /// What each L1D holds of each array, SM by SM, and of each all arrays as `frameLayout().arrays` names them. Three numbers each: words
    /// that are clean copies, that are written and not made known yet, and that it owns. Without a state by word, those of whole lines.
    #[wasm_bindgen(js_name = l1Contents)]
    pub fn l1_contents(&self) -> Vec<u32> {
        self.engine.machine().l1_contents().into_iter().flat_map(words).collect()
    }

    /// The CTAs of a kernel's launch that each SM runs, and those that it has before it, as far as the CTA order deals them, in the order
    /// in which it comes to them. Five numbers each: the SM, the CTA's number in its grid, 1 where it runs, the words that it reads, and
    /// how many of these are in that SM's L1D. Programs are walked through for this, for at most so many steps of each SM; what comes
    /// after that is left out.
    #[wasm_bindgen(js_name = l1Ahead)]
    pub fn l1_ahead(&self, kernel: u32, steps: f64) -> Result<Vec<u32>, JsValue> {
        let ahead = self.engine.machine().l1_ahead(self.kernel(kernel)?, steps as u64);
        Ok(ahead.into_iter().flat_map(|cta: Ahead| [cta.sm.into(), cta.cta, cta.runs.into(), cta.reads, cta.here]).collect())
    }

    /// For each kernel, which CTAs of its launch each SM has before it; null where the CTA order deals no chunks.
    #[wasm_bindgen(unchecked_return_type = "(Shares | null)[]")]
    pub fn shares(&self) -> Result<JsValue, JsValue> {
        let machine = self.engine.machine();
        let range = |chunk: ChunkEntry| Value::array([chunk.first, chunk.end]);
        let share = |share: &Share| {
            Value::object([
                ("chunk", share.chunk.map(range).into()),
                ("left", range(share.left)),
                ("queue", Value::array(share.queue.iter().copied())),
                ("waiting", Value::array([share.waiting.0, share.waiting.1])),
            ])
        };
        let shares = |of: Shares| {
            Value::object([
                ("backward", Value::from(of.backward)),
                ("deals_anew", of.deals_anew.into()),
                ("sms", Value::array(of.sms.iter().map(share))),
            ])
        };
        plain(&Value::array(KernelId::first(machine.kernels()).map(|kernel| Value::from(machine.shares(kernel).map(shares)))))
    }

    /// The policy's log from entry `since`.
    #[wasm_bindgen(unchecked_return_type = "Decision[]")]
    pub fn decisions(&self, since: f64) -> Result<JsValue, JsValue> {
        let decisions = self.engine.decisions().iter().skip(since as usize);
        plain(&Value::array(decisions.map(Decision::to_value)))
    }

    /// What the mechanisms in force and the policy show of themselves, as it stands now.
    #[wasm_bindgen(unchecked_return_type = "ShownTable[]")]
    pub fn shown(&mut self) -> Result<JsValue, JsValue> {
        plain(&Value::array(self.engine.shown().iter().map(Table::to_value)))
    }

    /// The result as it stands now.
    #[wasm_bindgen(unchecked_return_type = "Result")]
    pub fn result(&mut self) -> Result<JsValue, JsValue> {
        plain(&self.engine.result())
    }

    /// How well the result is known as it stands now: its `ci95`, and its `settled` where the experiment stops when it is. Costs a fraction of
    /// `result()`, which also digests the whole state.
    #[wasm_bindgen(unchecked_return_type = "Intervals")]
    pub fn intervals(&mut self) -> Result<JsValue, JsValue> {
        plain(&self.engine.intervals())
    }

    /// The result with `windows`, a list of what happened in each window of 400 cycles: what a figure's time series are measured in.
    #[wasm_bindgen(js_name = resultWithWindows, unchecked_return_type = "Result")]
    pub fn result_with_windows(&mut self) -> Result<JsValue, JsValue> {
        plain(&self.engine.result_with_windows())
    }

    /// Tells the run a kernel's IPC alone, measured by another simulation, so that `result()` has slowdowns; with the ends of its interval, also
    /// how well they are known.
    #[wasm_bindgen(js_name = setAlone)]
    pub fn set_alone(&mut self, kernel: u32, ipc: f64, low: Option<f64>, high: Option<f64>) -> Result<(), JsValue> {
        let kernel = self.kernel(kernel)?;
        self.engine.set_alone(kernel, ipc, low.zip(high).map(<[f64; 2]>::from));
        Ok(())
    }

    /// The experiment that measures a kernel's IPC alone.
    #[wasm_bindgen(js_name = aloneExperiment, unchecked_return_type = "Experiment")]
    pub fn alone_experiment(&self, kernel: u32) -> Result<JsValue, JsValue> {
        plain(&self.engine.alone_experiment(self.kernel(kernel)?).encode())
    }

    /// One number for the whole state, as sixteen hexadecimal digits.
    pub fn digest(&mut self) -> String {
        digest::hex(self.engine.digest())
    }

    /// The run as it stands, to go back to.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.engine.clone())
    }

    /// Goes back to a moment of this or another run; the snapshot can be used again.
    pub fn restore(&mut self, #[wasm_bindgen(js_name = snapshot)] moment: &Snapshot) {
        self.engine = moment.0.clone();
    }

    /// Sets the controls by hand: the policy becomes `manual`. Throws an `ExperimentError`.
    #[wasm_bindgen(js_name = setControls)]
    pub fn set_controls(&mut self, #[wasm_bindgen(unchecked_param_type = "Controls")] controls: &JsValue) -> Result<(), JsValue> {
        let mix = self.engine.experiment().mix();
        let neutral = Controls::neutral(mix.sms, mix.warp_order);
        let controls = decoded(controls, |given, problems| Controls::decode(given, "controls", mix.kernels, neutral, problems));
        controls.and_then(|controls| self.engine.set_controls(controls)).map_err(|problems| error(&problems))
    }

    /// Hands the sharing over to another policy, from the present cycle on. Throws an `ExperimentError`.
    #[wasm_bindgen(js_name = setPolicy)]
    pub fn set_policy(&mut self, #[wasm_bindgen(unchecked_param_type = "Policy | Policy[]")] policy: &JsValue) -> Result<(), JsValue> {
        let mix = self.engine.experiment().mix();
        let policy = decoded(policy, |given, problems| PolicySpec::decode(given, mix, problems));
        let handed_over = policy.and_then(|policy| {
            let changed = Experiment { policy, ..self.engine.experiment().clone() };
            if !Plan::of(&changed).profile.iter().all(|run| self.engine.knows(&run.hash)) {
                self.engine.add_solo_profiles(&profile::answer(&changed)?);
            }
            self.engine.set_policy(&changed.policy)
        });
        handed_over.map_err(|problems| error(&problems))
    }

    /// The controls as they stand, in the shape that `setControls` takes.
    #[wasm_bindgen(unchecked_return_type = "Controls")]
    pub fn controls(&self) -> Result<JsValue, JsValue> {
        let mix = self.engine.experiment().mix();
        plain(&self.engine.machine().controls().encode(mix.kernels, mix.warp_order))
    }

    /// Why the script that shares the GPU has failed: its line, and what is wrong; empty if it has not.
    pub fn failure(&self) -> String {
        self.engine.failure().unwrap_or_default().to_owned()
    }

    /// Which queue waits for which, for a run that is stuck.
    #[wasm_bindgen(js_name = explainStuck)]
    pub fn explain_stuck(&self) -> String {
        self.engine.explain_stuck()
    }
}

impl Simulation {
    fn of(experiment: &Experiment) -> Result<Simulation, Problems> {
        profile::start(experiment).map(Simulation::around)
    }

    fn around(engine: Engine) -> Simulation {
        Simulation { engine, clock: Clock::new(), frame: Vec::new(), chunk: FIRST_CHUNK }
    }

    fn kernel(&self, index: u32) -> Result<KernelId, JsValue> {
        let kernels = self.engine.experiment().kernels.len();
        let mut ids = KernelId::first(kernels);
        ids.nth(index as usize).ok_or_else(|| {
            let mut problems = Problems::default();
            problems.add("kernel", index, format!("less than {kernels}, the number of kernels"));
            error(&problems)
        })
    }
}

/// A timeline of a run in the Trace Event format, which Perfetto reads: the text that `corun run --trace` writes, in parts. It needs a run at its start.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Trace(Timeline);

#[wasm_bindgen]
impl Trace {
    /// Starts it; from now on the run keeps its events, which are this timeline's.
    #[wasm_bindgen(constructor)]
    pub fn new(simulation: &mut Simulation) -> Trace {
        Trace(Timeline::start(&mut simulation.engine))
    }

    /// Lets the run go on for a step, and writes it. The run ends where the reason is another than `budget`.
    #[wasm_bindgen(unchecked_return_type = "Reason")]
    pub fn advance(&mut self, simulation: &mut Simulation) -> String {
        let reason = simulation.engine.advance(Timeline::STEP);
        self.0.append(&mut simulation.engine);
        reason.key().to_owned()
    }

    /// Ends it where the run stands.
    pub fn finish(&mut self, simulation: &Simulation) {
        self.0.finish(&simulation.engine);
    }

    /// Takes the text that has been written since it was last taken.
    pub fn take(&mut self) -> String {
        self.0.take()
    }
}

fn words(held: WordCounts) -> [u32; 3] {
    [held.valid, held.written, held.owned]
}

/// Reads a part of an experiment. A decoder that gives nothing has said why in the problems.
fn decoded<T>(given: &JsValue, decode: impl FnOnce(&Value, &mut Problems) -> Option<T>) -> Result<T, Problems> {
    let mut problems = Problems::default();
    let decoded = decode(&value(given)?, &mut problems);
    match decoded {
        Some(decoded) => problems.or(decoded),
        None => Err(problems),
    }
}

fn read(given: &JsValue) -> Result<Experiment, Problems> {
    Experiment::decode(&value(given)?)
}

/// Everything that can be chosen by name.
#[wasm_bindgen(unchecked_return_type = "Catalogue")]
pub fn presets() -> Result<JsValue, JsValue> {
    let experiment = |&(name, text): &(&str, &str)| Some((name.to_owned(), Value::from_json(text).ok()?));
    let experiments: Vec<(String, Value)> = EXPERIMENTS.iter().filter_map(experiment).collect();
    plain(&catalogue::catalogue(&experiments, SCRIPTS))
}

/// Drives one component by itself, with options as `presets().probes` describes them; what is left out has its default. Throws an
/// `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "ProbeResult")]
pub fn probe(
    #[wasm_bindgen(unchecked_param_type = "string")] component: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "string | object")] options: &JsValue,
) -> Result<JsValue, JsValue> {
    let component = text(component, "component").map_err(|problems| error(&problems))?;
    let found = Component::find(&component).ok_or_else(|| {
        let mut problems = Problems::default();
        let names: Vec<&str> = COMPONENTS.iter().map(|component| component.name).collect();
        problems.add("component", format!("{component:?}"), format!("one of {}", names.join(", ")));
        problems
    });
    plain(&found.and_then(|found| found.measure(&value(options)?)).map_err(|problems| error(&problems))?)
}

/// What is wrong with an experiment; nothing if it can run.
#[wasm_bindgen(unchecked_return_type = "Problem[]")]
pub fn validate(#[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue) -> Array {
    let problems = read(experiment).err().unwrap_or_default();
    list(&problems.0)
}

/// The experiment with every default written out. Throws an `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "Experiment")]
pub fn normalise(#[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue) -> Result<JsValue, JsValue> {
    plain(&read(experiment).map_err(|problems| error(&problems))?.encode())
}

/// The runs alone that an experiment needs, each once. Throws an `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "Plan")]
pub fn plan(#[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue) -> Result<JsValue, JsValue> {
    let plan = Plan::of(&read(experiment).map_err(|problems| error(&problems))?);
    plain(&Value::object([("profile", planned(&plan.profile)), ("alone", planned(&plan.alone))]))
}

fn planned(runs: &[Planned]) -> Value {
    let run = |run: &Planned| {
        let name = Value::from(run.experiment.name.as_str());
        Value::object([("hash", Value::from(run.hash.as_str())), ("name", name), ("experiment", run.experiment.encode())])
    };
    Value::array(runs.iter().map(run))
}

/// The hash that stamps an experiment's outputs, taken after defaults. Throws an `ExperimentError`.
#[wasm_bindgen(js_name = configHash)]
pub fn config_hash(#[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue) -> Result<String, JsValue> {
    Ok(read(experiment).map_err(|problems| error(&problems))?.config_hash())
}

/// The GPU after defaults, and each kernel's occupancy with its limiter for each SM class. Throws an `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "object")]
pub fn explain(#[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue) -> Result<JsValue, JsValue> {
    let value = value(experiment).map_err(|problems| error(&problems))?;
    let read = Experiment::decode(&value).map_err(|problems| error(&problems))?;
    plain(&catalogue::explain(&read, &Experiment::rounding(&value)))
}

/// The policies that an oracle tries on the mix of an experiment, whose own does not matter. They have every number of CTAs of each kernel that
/// fits an SM together. `spatial`: of each on its part of the SMs. Where they are more than a sweep takes, not all are there. Throws an
/// `ExperimentError`.
#[wasm_bindgen(js_name = oraclePolicies, unchecked_return_type = "Policy[]")]
pub fn oracle_policies(
    #[wasm_bindgen(unchecked_param_type = "string | object")] experiment: &JsValue,
    spatial: bool,
) -> Result<JsValue, JsValue> {
    let space = if spatial { Space::Spatial } else { Space::Combinations };
    let read = read(experiment).map_err(|problems| error(&problems))?;
    plain(&Value::Array(oracle::policies(&read, space)))
}

/// A figure as SVG text, to stand inline in a page or in a file. Options are `{width, title}`: pixels, and whether the title is drawn.
/// Throws an `ExperimentError`.
#[wasm_bindgen(js_name = figureSvg)]
pub fn figure_svg(
    #[wasm_bindgen(unchecked_param_type = "string | Figure")] figure: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "{ width?: number; title?: boolean }")] options: &JsValue,
) -> Result<String, JsValue> {
    let drawn =
        || Ok(figure::draw(&decoded(figure, |given, problems| Figure::decode(given, "", problems))?, Options::decode(&value(options)?)?));
    drawn().map_err(|problems| error(&problems))
}

/// The value of every point of a figure, from a list of the results of its document's runs, with null for what has not run; null where a
/// point has no value. Throws an `ExperimentError`.
#[wasm_bindgen(js_name = figureValues, unchecked_return_type = "(number | null)[]")]
pub fn figure_values(
    #[wasm_bindgen(unchecked_param_type = "string | Figure")] figure: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "string | (object | null)[]")] results: &JsValue,
) -> Result<JsValue, JsValue> {
    let values = || {
        let figure = decoded(figure, |given, problems| Figure::decode(given, "", problems))?;
        let results = value(results)?;
        let empty = Vec::new();
        let results = if let Value::Array(results) = &results { results } else { &empty };
        Ok(figure.values(results))
    };
    plain(&Value::array(values().map_err(|problems| error(&problems))?))
}

/// The latency of each kernel of a group on SMs of its own, by formula: what `corun predict --json` prints of a question. Nothing is measured:
/// what the question leaves out is missing, or comes from the formulas with `"missing": "model"`. Throws an `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "Prediction")]
pub fn predict(#[wasm_bindgen(unchecked_param_type = "string | PredictQuestion")] question: &JsValue) -> Result<JsValue, JsValue> {
    predicted(question, Answer::of)
}

/// Predicts the partition that meets the kernels' deadlines, and of these has the shortest makespan. Throws an `ExperimentError`.
#[wasm_bindgen(js_name = planPartition, unchecked_return_type = "Prediction")]
pub fn plan_partition(#[wasm_bindgen(unchecked_param_type = "string | PredictQuestion")] question: &JsValue) -> Result<JsValue, JsValue> {
    predicted(question, Answer::of_plan)
}

fn predicted(question: &JsValue, answer: fn(&Question) -> Result<Answer, Problems>) -> Result<JsValue, JsValue> {
    let question = value(question).and_then(|value| Question::decode(&value)).map_err(|problems| error(&problems))?;
    plain(&answer(&question).map_err(|problems| error(&problems))?.to_value(&question))
}

/// What `allocation()` can be asked: the fields of the question and of a kernel, and the numbers of CCBP's Table 3 to begin with.
#[wasm_bindgen(js_name = allocationForm, unchecked_return_type = "AllocationForm")]
pub fn allocation_form() -> Result<JsValue, JsValue> {
    plain(&policy::allocation_form())
}

/// CCBP's Algorithm 1, turn by turn, for numbers of one's own: the function by which the policy `ccbp` allocates. Throws an `ExperimentError`.
#[wasm_bindgen(unchecked_return_type = "ShownTable")]
pub fn allocation(#[wasm_bindgen(unchecked_param_type = "string | object")] question: &JsValue) -> Result<JsValue, JsValue> {
    let table = value(question).and_then(|question| policy::allocation(&question)).map_err(|problems| error(&problems))?;
    plain(&table.to_value())
}

/// What a file of another tool is, by its first bytes, and what can be done with it; nothing where it may be one of Corun's, or of no known kind.
#[wasm_bindgen]
pub fn recognise(head: &[u8]) -> Option<String> {
    foreign::recognise(head).map(|foreign| format!("{}; {}", foreign.what, foreign.takes))
}

/// A new seed from the host's random numbers.
#[wasm_bindgen(js_name = freshSeed)]
pub fn fresh_seed() -> Result<u32, JsValue> {
    host::fresh_seed()
}

/// The engine's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The engine's version and, behind a dash, eight digits that change with its results: what a link names as its maker.
#[wasm_bindgen]
pub fn stamp() -> String {
    ENGINE.to_owned()
}

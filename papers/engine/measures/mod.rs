//! How claims are measured. A measure sees runs and its own words among the claims, never what the paper found.
//!
//! It is a table with one of these keys, and what that form needs:
//!
//! - `gain = metric, of = scheme, over = scheme, mixes`: the metric under one scheme over that under the other, the geometric mean over the
//!   mixes. Several schemes in `over`: the best of them. With `alike = path, by = x` only the mixes in which no value of the path differs
//!   by more than x between the two. So one sees what else makes the difference.
//! - `level = metric, of, mixes`: the mean. With `where = path` only the mixes in which that is within the bounds, under the scheme itself
//!   or under each of the schemes in `under`.
//! - `compare = metric, against = metric, of, mixes`: one metric over another of the same run, the geometric mean.
//! - `share = metric, of, mixes`: the part of the values that are within the bounds.
//! - `unlike = metric, of, over, mixes, by = x`: the number of mixes in which some value differs by more than x between the schemes.
//! - `correlation = [metric, metric], of, mixes`: Pearson's, over all values under all of the schemes.
//! - `windows = column, of, mixes`: the mean over the windows of a run. With `reduce` their `variation` (standard deviation over mean) or
//!   the `share` that is within the bounds. With `where = column` only the windows where that is within them. Several mixes: the mean.
//! - `decided = topic, of, mixes`: `value` of the last decision about `kernel` on the topic; the value of the topic's name if that is left
//!   out. With `is = word` 1 where any decision has the word, else 0. The mean over the mixes that have the kernel.
//! - `chosen = path, of, mixes`: a number of the experiment itself, which a search or a filled scheme settled for.
//! - `room = kernel, of, mixes`: how many more CTAs of the kernel every SM could hold beside the combination of a search.
//! - `probe = component, options, key`: what a probe of one component prints (`corun probe`).
//! - `peak = "noc" | "dram"`: bandwidth of the study's GPU, GB/s.
//! - `limiter = resource, kernel`: 1 if that is what limits the CTAs of each launch of the kernel on an SM, else 0.
//! - `ratio = [measure, measure]`, and `min`, `max`, `mean`, `geomean = [measure, …]` put measures together.
//! - `holds = [measure]`: 1 where the measure is within the bounds, else 0.
//! - `call = name, …`: what the paper's own file of code measures.
//! - `test = "file::name"`: a unit test that holds the exact numbers.
//! - `not_testable = why`.
//!
//! Every form takes these:
//!
//! - Bounds are `above`, `at_least`, `at_most` and `below`.
//! - `reduce` (`mean`, `geomean`, `min`, `max`) stands in place of the form's own mean.
//! - `as = "percent_gained" | "percent_lost"` makes 1.2 to 20 and 0.8 to 20; `times` scales.
//! - A metric is `hspeedup`, `wspeedup` or a path in a result. `kernels[*]` stands for each kernel; ` + ` between paths adds.
//! - Mixes are as `Mixes::named` reads them, or a list of these. With `sms = n` each kernel is by itself on so many SMs.
//! - Schemes are as `Runs::run` and `Runs::value` read them.

mod statistics;

pub use statistics::{correlation, quotients, reduced};

use super::paper::mix::Mix;
use super::paper::study::Study;
use super::paper::words::{Bounds, SCHEMES, changed};
use super::runs::{Detail, Results, Runs, SHORT, Store};
use sim_core::describe::gpu::{Gpu, occupancy, presets};
use sim_core::describe::kernel::{Kernel, library};
use sim_core::describe::value::Value;
use sim_core::interface::ratios::{dram_bytes_per_cycle, noc_bytes_per_cycle};
use sim_core::run::experiment::Experiment;
use sim_core::study::figure::lookup;
use sim_core::study::oracle;
use sim_core::study::probe::Component;
use statistics::{part, variation};

/// What a measure gives.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// A number; nothing while runs are missing, or where they have none.
    Value(Option<f64>),
    /// A unit test that shows it.
    Test(String),
    /// Why nothing can show it.
    NotTestable(String),
    /// What is wrong with the measure.
    Unknown(String),
}

/// What a form or a paper's own code computes.
pub type Function = fn(&Measure) -> Option<f64>;

/// A form: its key, what else it needs, and what it gives.
struct Form {
    key: &'static str,
    needs: &'static [&'static str],
    gives: Function,
}

macro_rules! forms {
    ($($key:ident [$($need:ident),*] $gives:expr;)*) => {
        const FORMS: &[Form] = &[$(Form { key: stringify!($key), needs: &[$(stringify!($need)),*], gives: $gives },)*];
    };
}

forms! {
    gain [of, over, mixes] |measure| measure.gain();
    level [of, mixes] |measure| measure.level();
    compare [against, of, mixes] |measure| measure.compare();
    share [of, mixes] |measure| measure.share();
    unlike [of, over, mixes, by] |measure| measure.unlike();
    correlation [of, mixes] |measure| measure.correlation();
    windows [of, mixes] |measure| measure.windows();
    decided [of, mixes] |measure| measure.decided();
    chosen [of, mixes] |measure| measure.chosen();
    room [of, mixes] |measure| measure.room();
    probe [options, key] |measure| measure.probe();
    peak [] |measure| measure.peak();
    limiter [kernel] |measure| measure.limiter();
    ratio [] |measure| measure.parts(|parts| (parts.len() == 2).then(|| parts[0] / parts[1]));
    min [] |measure| measure.parts(|parts| reduced("min", parts));
    max [] |measure| measure.parts(|parts| reduced("max", parts));
    mean [] |measure| measure.parts(|parts| reduced("mean", parts));
    geomean [] |measure| measure.parts(|parts| reduced("geomean", parts));
    holds [] |measure| measure.parts(|parts| (parts.len() == 1).then(|| f64::from(u8::from(measure.bounds().hold(parts[0])))));
    call [] |measure| (measure.measures.code.find(measure.text("call"))?)(measure);
    test [] |_| None;
    not_testable [] |_| None;
}

/// What a paper has besides its files: code for what no form of a measure can say.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// What measures `call`, by name.
    pub functions: &'static [(&'static str, Function)],
    /// Adds the paper's own figures to the result of a run.
    pub complete: fn(&mut Value),
}

impl Code {
    /// For a paper that needs none.
    #[cfg(test)]
    pub const NONE: Code = Code { functions: &[], complete: |_| {} };

    /// The function of a name.
    fn find(&self, name: &str) -> Option<Function> {
        self.functions.iter().find(|function| function.0 == name).map(|function| function.1)
    }
}

/// The measures of a paper, on its runs.
#[derive(Debug)]
pub struct Measures {
    pub runs: Runs,
    code: Code,
}

impl Measures {
    /// Measures on the runs of a study, with the results of a store.
    pub fn new(study: Study, store: Store, code: Code) -> Measures {
        Measures { runs: Runs::new(study, Results::new(store, code.complete)), code }
    }

    /// Measures.
    pub fn measure(&self, words: &Value) -> Outcome {
        let text = |key: &str| words.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Err(what) = self.check(words) {
            return Outcome::Unknown(what);
        }
        match (text("test"), text("not_testable")) {
            (Some(test), _) => Outcome::Test(test),
            (_, Some(why)) => Outcome::NotTestable(why),
            _ => Outcome::Value(Measure { measures: self, runs: &self.runs, words: &short(words, &self.runs.study) }.value()),
        }
    }

    /// The number that a measure gives; nothing also where it can give none.
    pub fn number(&self, words: &Value) -> Option<f64> {
        match self.measure(words) {
            Outcome::Value(value) => value,
            _ => None,
        }
    }

    /// Whether a measure is one of the forms with all that it needs, and so is each of its parts.
    pub fn check(&self, words: &Value) -> Result<(), String> {
        let forms: Vec<&Form> = FORMS.iter().filter(|form| words.get(form.key).is_some()).collect();
        let [form] = forms[..] else { return Err(format!("{words}: {} forms, want one", forms.len())) };
        let bounded = ["where", "share", "holds"].iter().find(|key| words.get(key).is_some());
        if let Some(key) = bounded.filter(|_| Bounds::of(words) == Bounds::default()) {
            return Err(format!("{words}: {key} without bounds"));
        }
        if let Some(need) = form.needs.iter().find(|need| words.get(need).is_none()) {
            return Err(format!("{words}: no {need}"));
        }
        if let ("call", Some(name)) = (form.key, words.get("call").and_then(Value::as_str)) {
            self.code.find(name).ok_or_else(|| format!("a function {name:?}"))?;
        }
        match words.get(form.key) {
            Some(Value::Array(parts)) if form.key != "correlation" => parts.iter().try_for_each(|part| self.check(part)),
            _ => Ok(()),
        }
    }
}

/// A measure in which every scheme runs as long as the others, where its mixes or one of its schemes are measured briefly: see
/// `Study::is_short`.
fn short(words: &Value, study: &Study) -> Value {
    match words {
        Value::Object(pairs) => {
            let mixes = words.get("mixes").and_then(Value::as_str).unwrap_or("");
            let schemes = ["of", "over", "under"].into_iter().filter_map(|key| words.get(key)).flat_map(|schemes| match schemes {
                Value::Array(schemes) => schemes.iter().filter_map(Value::as_str).collect(),
                one => Vec::from_iter(one.as_str()),
            });
            if study.is_short(mixes, schemes) {
                return changed(words, SCHEMES, &|scheme: &str| format!("{scheme} {SHORT}"));
            }
            Value::object(pairs.iter().map(|(key, value)| (key.clone(), short(value, study))))
        }
        Value::Array(items) => Value::array(items.iter().map(|item| short(item, study))),
        other => other.clone(),
    }
}

/// Runs, and the words of one measure.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a> {
    measures: &'a Measures,
    /// Where results come from.
    pub runs: &'a Runs,
    words: &'a Value,
}

impl<'a> Measure<'a> {
    /// A word; empty if it is not there.
    pub fn text(&self, key: &str) -> &'a str {
        self.words.get(key).and_then(Value::as_str).unwrap_or("")
    }

    /// A word or a list of them.
    pub fn texts(&self, key: &str) -> Vec<&'a str> {
        match self.words.get(key) {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            Some(Value::Str(text)) => vec![text],
            _ => Vec::new(),
        }
    }

    /// Whether a word is true.
    pub fn flag(&self, key: &str) -> bool {
        self.words.get(key) == Some(&Value::Bool(true))
    }

    /// A number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.words.get(key).and_then(Value::as_f64)
    }

    /// A list of numbers.
    pub fn numbers(&self, key: &str) -> Vec<Option<f64>> {
        if let Some(Value::Array(items)) = self.words.get(key) { items.iter().map(Value::as_f64).collect() } else { Vec::new() }
    }

    /// The mixes.
    pub fn mixes(&self) -> Vec<Mix> {
        let of = |mixes: &str| match self.number("sms") {
            Some(sms) => self.runs.study.mixes.named(&format!("{mixes}:{sms}")),
            None => self.runs.study.mixes.named(mixes),
        };
        self.texts("mixes").into_iter().flat_map(of).collect()
    }

    /// The GPU of the study.
    pub fn gpu(&self) -> Option<Gpu> {
        presets::find(self.runs.study.gpu.as_str()?)
    }

    fn value(&self) -> Option<f64> {
        let form = FORMS.iter().find(|form| self.words.get(form.key).is_some())?;
        let value = (form.gives)(self)?;
        let value = match self.text("as") {
            "percent_gained" => (value - 1.0) * 100.0,
            "percent_lost" => (1.0 - value) * 100.0,
            _ => value,
        };
        Some(value * self.number("times").unwrap_or(1.0)).filter(|value| value.is_finite())
    }

    /// The bounds.
    pub fn bounds(&self) -> Bounds {
        Bounds::of(self.words)
    }

    /// Measures that this one puts together; all are asked for, even when one is missing.
    fn parts(&self, together: impl FnOnce(&[f64]) -> Option<f64>) -> Option<f64> {
        let form = FORMS.iter().find(|form| self.words.get(form.key).is_some())?;
        let Some(Value::Array(parts)) = self.words.get(form.key) else { return None };
        let parts: Vec<Option<f64>> = parts.iter().map(|words| Measure { words, ..*self }.value()).collect();
        together(&parts.into_iter().collect::<Option<Vec<f64>>>()?)
    }

    /// Reduced as it says, or else in the form's own way.
    fn reduced(&self, otherwise: &str, values: &[f64]) -> Option<f64> {
        let how = self.text("reduce");
        reduced(if how.is_empty() { otherwise } else { how }, values)
    }

    fn gain(&self) -> Option<f64> {
        let (metric, mixes) = (self.text("gain"), self.alike()?);
        let of = self.runs.all(&mixes, self.text("of"), metric);
        let gains: Vec<Option<f64>> = self
            .texts("over")
            .iter()
            .map(|over| {
                let over = self.runs.all(&mixes, over, metric);
                self.reduced("geomean", &quotients(of.as_ref()?, &over?))
            })
            .collect();
        // Over the best is the least gain.
        reduced("min", &gains.into_iter().collect::<Option<Vec<f64>>>()?)
    }

    /// The mixes, or those that are alike under both schemes.
    fn alike(&self) -> Option<Vec<Mix>> {
        let Some(path) = self.words.get("alike").and_then(Value::as_str) else { return Some(self.mixes()) };
        let by = self.number("by")?;
        let is_alike = |mix: Mix| {
            let [of, over] = ["of", "over"].map(|scheme| self.runs.all(std::slice::from_ref(&mix), self.text(scheme), path));
            let alike = of?.iter().zip(&over?).all(|(a, b)| (a - b).abs() <= by);
            Some((mix, alike))
        };
        let all: Vec<Option<(Mix, bool)>> = self.runs.results.look_through(|| self.mixes().into_iter().map(is_alike).collect());
        let all = all.into_iter().collect::<Option<Vec<_>>>()?;
        Some(all.into_iter().filter(|(_, alike)| *alike).map(|(mix, _)| mix).collect())
    }

    fn level(&self) -> Option<f64> {
        let (of, mixes) = (self.text("of"), self.mixes());
        let mixes = match self.text("where") {
            "" => mixes,
            path => {
                let under = self.texts(if self.words.get("under").is_some() { "under" } else { "of" });
                self.runs.within(mixes, &under, path, self.bounds())?
            }
        };
        self.reduced("mean", &self.runs.all(&mixes, of, self.text("level"))?)
    }

    fn compare(&self) -> Option<f64> {
        let of = |metric| self.runs.all(&self.mixes(), self.text("of"), self.text(metric));
        let (above, below) = (of("compare"), of("against"));
        self.reduced("geomean", &quotients(&above?, &below?))
    }

    fn share(&self) -> Option<f64> {
        let values = self.runs.all(&self.mixes(), self.text("of"), self.text("share"))?;
        part(&values, |value| self.bounds().hold(value))
    }

    fn unlike(&self) -> Option<f64> {
        let by = self.number("by")?;
        let of = |mix: &Mix, scheme: &str| self.runs.all(std::slice::from_ref(mix), scheme, self.text("unlike"));
        let unlike: Vec<Option<bool>> = self
            .mixes()
            .iter()
            .map(|mix| {
                let (of, over) = (of(mix, self.text("of")), of(mix, self.text("over")));
                Some(of?.iter().zip(&over?).any(|(a, b)| (a - b).abs() > by))
            })
            .collect();
        Some(unlike.into_iter().collect::<Option<Vec<bool>>>()?.into_iter().filter(|unlike| *unlike).count() as f64)
    }

    fn correlation(&self) -> Option<f64> {
        let of = |metric| -> Option<Vec<f64>> {
            let all: Vec<Option<Vec<f64>>> = self.texts("of").iter().map(|scheme| self.runs.all(&self.mixes(), scheme, metric)).collect();
            Some(all.into_iter().collect::<Option<Vec<_>>>()?.concat())
        };
        let metrics: Vec<Option<Vec<f64>>> = self.texts("correlation").into_iter().map(of).collect();
        let [x, y] = <[Vec<f64>; 2]>::try_from(metrics.into_iter().collect::<Option<Vec<_>>>()?).ok()?;
        correlation(&x, &y)
    }

    fn windows(&self) -> Option<f64> {
        let (column, filter) = (self.text("windows"), self.text("where"));
        let holds = |value: f64| self.bounds().hold(value);
        let of = |mix: &Mix| {
            let (_, windows, _) = self.runs.windows(mix, self.text("of"))?;
            let chosen = windows.iter().filter(|window| filter.is_empty() || lookup(window, filter).is_some_and(holds));
            let values: Vec<f64> = chosen.filter_map(|window| lookup(window, column)).collect();
            match self.text("reduce") {
                "share" => Some(values.iter().filter(|value| holds(**value)).count() as f64 / windows.len() as f64),
                "variation" => variation(&values),
                _ => self.reduced("mean", &values),
            }
        };
        let all: Vec<Option<f64>> = self.mixes().iter().map(of).collect();
        reduced("mean", &all.into_iter().collect::<Option<Vec<f64>>>()?)
    }

    fn decided(&self) -> Option<f64> {
        let (topic, kernel, word) = (self.text("decided"), self.text("kernel"), self.text("is"));
        let key = if self.text("value").is_empty() { topic } else { self.text("value") };
        let of = |mix: &Mix| {
            let place = mix.iter().position(|name| name == kernel).map(|place| place as i64);
            let run = self.runs.run(mix, self.text("of"), "hspeedup", Detail::Full)?;
            let result = self.runs.results.of(&run)?;
            let Value::Array(decisions) = result.get("policy")?.get("decisions")? else { return None };
            let mine = decisions.iter().filter(|decision| {
                decision.get("kernel").and_then(Value::as_int) == place && decision.get("topic").and_then(Value::as_str) == Some(topic)
            });
            let mut values = mine.filter_map(|decision| decision.get("values")?.get(key));
            match word {
                "" => values.next_back()?.as_f64(),
                word => Some(f64::from(u8::from(values.any(|value| value.as_str() == Some(word))))),
            }
        };
        let mixes = self.mixes().into_iter().filter(|mix| kernel.is_empty() || mix.iter().any(|name| name == kernel));
        let all: Vec<Option<f64>> = mixes.map(|mix| of(&mix)).collect();
        self.reduced("mean", &all.into_iter().collect::<Option<Vec<f64>>>()?)
    }

    fn chosen(&self) -> Option<f64> {
        let of = |mix: &Mix| {
            let run = self.runs.run(mix, self.text("of"), "hspeedup", Detail::Full)?;
            self.runs.results.of(&run)?;
            lookup(&run.experiment, self.text("chosen"))
        };
        let all: Vec<Option<f64>> = self.mixes().iter().map(of).collect();
        self.reduced("mean", &all.into_iter().collect::<Option<Vec<f64>>>()?)
    }

    fn room(&self) -> Option<f64> {
        let of = |mix: &Mix| {
            let run = self.runs.run(mix, self.text("of"), "hspeedup", Detail::Full)?;
            self.runs.results.of(&run)?;
            let experiment = Experiment::decode(&run.experiment).ok()?;
            let kernel = mix.iter().position(|name| name == self.text("room"))?;
            let mut ctas = experiment.policy.ints("combination").to_vec();
            let before = *ctas.get(kernel)?;
            while oracle::fits(&experiment, &ctas) {
                ctas[kernel] += 1;
            }
            Some(f64::from(ctas[kernel].saturating_sub(before + 1)))
        };
        let all: Vec<Option<f64>> = self.mixes().iter().map(of).collect();
        self.reduced("mean", &all.into_iter().collect::<Option<Vec<f64>>>()?)
    }

    fn probe(&self) -> Option<f64> {
        let probe = Component::find(self.text("probe"))?;
        lookup(&probe.measure(self.words.get("options")?).ok()?, self.text("key"))
    }

    fn peak(&self) -> Option<f64> {
        let gpu = self.gpu()?;
        let bytes = if self.text("peak") == "noc" { noc_bytes_per_cycle(&gpu) } else { dram_bytes_per_cycle(&gpu) };
        Some(bytes * f64::from(gpu.core_mhz) / 1000.0)
    }

    /// The kernel of the library that the measure names as mixes do.
    pub fn kernel(&self) -> Option<Kernel> {
        library::find(&format!("{}{}", self.runs.study.prefix, self.text("kernel")))
    }

    fn limiter(&self) -> Option<f64> {
        let kernel = self.kernel()?;
        let gpu = self.gpu()?;
        let limited = |launch| occupancy::of(launch, &gpu.sms[0]).limiter.key() == self.text("limiter");
        Some(f64::from(u8::from(kernel.launches.iter().all(limited))))
    }
}

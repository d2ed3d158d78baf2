//! Everything that can be chosen, with its description: what `corun list` prints and what the page builds its forms and tooltips from.

use crate::describe::error::Problems;
use crate::describe::gpu::change;
use crate::describe::gpu::fields::{GPU_FIELDS, SM_FIELDS};
use crate::describe::gpu::occupancy::{self, Divisions, Resources};
use crate::describe::gpu::presets::{self, PRESET, PRESETS};
use crate::describe::gpu::vendor::{Profile, TIME_SLICES, VENDORS, Vendor};
use crate::describe::gpu::{Gpu, SmClass};
use crate::describe::kernel::{Dim3, library};
use crate::describe::record::schema::said;
use crate::describe::record::{self, Better, Figure, Placed, Record, form};
use crate::describe::value::Value;
use crate::interface::controls::{CONTROLS, Control, Kind as ControlKind, WARP_ORDERS};
use crate::interface::ratios::{LATENCY, METRICS, RATES, REQUESTS};
use crate::interface::stats::KernelStats;
use crate::machine::dispatch::order::{CTA_ORDERS, CtaOrderInfo};
use crate::policy;
use crate::policy::AnyPolicy;
use crate::policy::script::{self, Hook, Name};
use crate::policy::spec::{COMBINATIONS, Combination, Member, PolicyInfo};
use crate::policy::words::{self, WORDS, Word};
use crate::predict::question::QUESTION_FILE;
use crate::run::cure::Cure;
use crate::run::energy::TOTALS;
use crate::run::experiment::EXPERIMENT;
use crate::run::outcome::{GPU_OUTCOME, KERNEL_OUTCOME};
use crate::run::result::OUTCOME;
use crate::study::curve::CURVE;
use crate::study::figure::FIGURE;
use crate::study::probe::{COMPONENTS, Component};
use crate::study::sweep::SWEEP_FILE;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A figure of a result: the one definition that reports, tables and tooltips show.
#[derive(Clone, PartialEq, Debug)]
pub struct Metric {
    /// Key in results.
    pub key: String,
    /// Heading.
    pub title: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// What it is a figure of: `gpu`, `kernel`, `gpu and kernel`, `mix` or `energy` (of the GPU, under that key).
    pub scope: &'static str,
    /// How it is worked out.
    pub formula: &'static str,
    /// Digits behind the point that people are shown.
    pub digits: u8,
    /// Which end is the better one.
    pub better: Better,
    /// What it says.
    pub doc: String,
}

/// Every metric: the fields of a result that have a heading.
pub fn metrics() -> Vec<Metric> {
    let parts: [(&'static str, &'static str, &'static Record); 7] = [
        ("gpu and kernel", "", &RATES),
        ("kernel", "", &KERNEL_OUTCOME),
        ("kernel", "", &REQUESTS),
        ("kernel", "latency.", &LATENCY),
        ("mix", "", &METRICS),
        ("gpu", "", &GPU_OUTCOME),
        ("energy", "", &TOTALS),
    ];
    let of = |(scope, prefix, record): (&'static str, &str, &'static Record)| {
        let metric = |figure: &Figure| {
            let field = record.fields.iter().find(|field| field.name == figure.field)?;
            let key = format!("{prefix}{}", field.name);
            let &Figure { title, formula, digits, better, .. } = figure;
            Some(Metric { key, title, unit: field.unit, scope, formula, digits, better, doc: said(field.doc) })
        };
        record.figures.iter().filter_map(metric).collect::<Vec<_>>()
    };
    parts.into_iter().flat_map(of).collect()
}

/// What is a file or an output by itself: name, record, heading.
pub const FORMAT: [(&str, &Record, &str); 7] = [
    ("experiment", &EXPERIMENT, "A Corun experiment"),
    ("sweep", &SWEEP_FILE, "A Corun sweep"),
    ("result", &OUTCOME, "A Corun result"),
    ("predict", &QUESTION_FILE, "A Corun prediction"),
    ("figure", &FIGURE, "A figure of Corun's"),
    ("preset", &PRESET, "A GPU of Corun's"),
    ("curve", &CURVE, "A curve of Corun's"),
];

/// Everything, as one object. `experiments` are the shipped ones, as (name, experiment), `scripts` as (name, text).
pub fn catalogue(experiments: &[(String, Value)], scripts: &[(&str, &str)]) -> Value {
    let gpus: Vec<Gpu> = PRESETS.iter().filter_map(|preset| presets::find(preset.name)).collect();
    let mut gpu_fields = Vec::new();
    for (prefix, class) in sm_prefixes(&gpus) {
        let value = |gpu: &Gpu, f: &Placed<SmClass, u32>| class_at(gpu, class).map(|class| f.value(class));
        gpu_fields.extend(SM_FIELDS.iter().map(|f| gpu_field(f, &format!("{prefix}.{}", f.field.name), &gpus, |gpu| value(gpu, f))));
    }
    gpu_fields.extend(GPU_FIELDS.iter().map(|f| gpu_field(f, f.field.name, &gpus, |gpu| Some(f.value(gpu)))));
    let named = |pairs: &[(&str, &str)]| Value::array(pairs.iter().map(|(name, doc)| Value::object([("name", *name), ("doc", *doc)])));
    Value::object([
        (
            "gpus",
            Value::array(PRESETS.iter().filter_map(|preset| {
                let file = preset.file().ok()?;
                let texts = [("name", preset.name.into()), ("title", file.title), ("source", file.source), ("doc", file.doc)];
                let texts = texts.map(|(key, text)| (key, Value::from(text)));
                Some(Value::object(texts.into_iter().chain([("aliases", Value::array(preset.alias))])))
            })),
        ),
        ("gpu_fields", gpu_fields.into()),
        ("kernels", Value::array(library::names().into_iter().filter_map(|name| kernel(name, &gpus)))),
        ("policies", Value::array(policy::all().map(described).chain(COMBINATIONS.iter().map(combination)))),
        ("vendors", vendors()),
        ("controls", Value::array(CONTROLS.iter().map(control))),
        ("script", script(scripts)),
        ("warp_orders", named(WARP_ORDERS)),
        ("cta_orders", Value::array(CTA_ORDERS.iter().map(cta_order))),
        ("metrics", Value::array(metrics().iter().map(metric))),
        ("cures", Value::array(Cure::ALL.map(cure))),
        ("records", Value::array(record::met(&FORMAT.map(|(_, record, _)| record)).into_iter().map(form::record))),
        ("probes", Value::array(COMPONENTS.iter().map(Component::describe))),
        (
            "experiments",
            Value::array(experiments.iter().map(|(name, experiment)| {
                let title = experiment.get("name").and_then(Value::as_str).unwrap_or(name);
                Value::object([("name", Value::from(name.as_str())), ("title", title.into()), ("experiment", experiment.clone())])
            })),
        ),
    ])
}

/// Where SM fields are: under `sm` for GPUs with equal SMs, under `sm.` and the class for others; `None` is the only class.
fn sm_prefixes(gpus: &[Gpu]) -> Vec<(String, Option<&str>)> {
    let mut prefixes = alloc::vec![("sm".into(), None)];
    for class in gpus.iter().filter(|gpu| gpu.sms.len() > 1).flat_map(|gpu| &gpu.sms) {
        let prefix = (format!("sm.{}", class.name), Some(class.name.as_str()));
        if !prefixes.contains(&prefix) {
            prefixes.push(prefix);
        }
    }
    prefixes
}

/// The class of that name, or the only class.
fn class_at<'a>(gpu: &'a Gpu, name: Option<&str>) -> Option<&'a SmClass> {
    let named = |class: &&SmClass| name.map_or(gpu.sms.len() == 1, |name| gpu.sms.len() > 1 && class.name == name);
    gpu.sms.iter().find(named)
}

/// A field, with its value on each GPU that has it.
fn gpu_field<T>(placed: &Placed<T, u32>, path: &str, gpus: &[Gpu], value: impl Fn(&Gpu) -> Option<Value>) -> Value {
    let field = placed.field;
    let mut pairs = alloc::vec![("path", Value::from(path)), ("unit", field.unit.into()), ("doc", field.doc.into())];
    pairs.extend(form::shape(&field.shape));
    pairs.push(("values", Value::object(gpus.iter().filter_map(|gpu| Some((gpu.name.as_str(), value(gpu)?))))));
    Value::object(pairs)
}

fn kernel(name: &str, gpus: &[Gpu]) -> Option<Value> {
    let kernel = library::find(name)?;
    let launch = &kernel.launches[0];
    // A number on GPUs with equal SMs, one for each class on others; for a sequence of launches, the fewest.
    let fits = gpus.iter().map(|gpu| {
        let on = |class: &SmClass| Value::from(kernel.launches.iter().map(|launch| occupancy::of(launch, class).ctas).min().unwrap_or(0));
        let by_class = || Value::object(gpu.sms.iter().map(|class| (class.name.as_str(), on(class))));
        (gpu.name.as_str(), if let [class] = &gpu.sms[..] { on(class) } else { by_class() })
    });
    Some(Value::object([
        ("name", Value::from(name)),
        ("title", kernel.title.as_str().into()),
        ("doc", kernel.doc.as_str().into()),
        ("source", kernel.source.as_str().into()),
        ("threads", launch.threads.into()),
        ("registers", launch.registers.into()),
        ("shared_bytes", launch.shared_bytes.into()),
        ("ctas", launch.ctas().into()),
        ("launches", kernel.sequence().count().into()),
        ("fits", Value::object(fits)),
    ]))
}

fn cta_order(order: &CtaOrderInfo) -> Value {
    let texts = [("name", order.name), ("source", order.source), ("doc", order.doc)].map(|(key, text)| (key, Value::from(text)));
    Value::object(texts.into_iter().chain([("params", form::fields(order.params))]))
}

fn cure(cure: Cure) -> Value {
    Value::object([
        ("name", Value::from(cure.name())),
        ("words", cure.words().into()),
        ("policies", Value::array(cure.policies().iter().copied())),
    ])
}

/// A combination as if it were one policy with the parameters of all of its members.
fn combination(combination: &'static Combination) -> Value {
    let keeps_goals = combination.of.iter().any(|policy| AnyPolicy::new(&Member::of(policy)).keeps_goals());
    Value::object([
        ("name", Value::from(combination.name)),
        ("title", combination.title.into()),
        ("source", combination.source.into()),
        ("doc", combination.doc.into()),
        ("keeps_goals", keeps_goals.into()),
        ("params", Value::array(combination.params().filter(|param| !param.is_constant()).map(form::field))),
    ])
}

fn described(policy: &'static PolicyInfo) -> Value {
    Value::object([
        ("name", Value::from(policy.name)),
        ("title", policy.title.into()),
        ("source", policy.source.into()),
        ("doc", policy.doc.into()),
        ("keeps_goals", AnyPolicy::new(&Member::of(policy)).keeps_goals().into()),
        ("params", form::fields(policy.params)),
    ])
}

/// The words of vendors: what they call policies with their settings, what each GPU has of MIG and in which steps it gives SMs, levels of time slices.
fn vendors() -> Value {
    let pair = |names: [&'static str; 2], (a, b): (Value, Value)| Value::object([(names[0], a), (names[1], b)]);
    let word = |word: &Word| {
        let values = word.values.iter().map(|&(param, unit)| pair(["param", "unit"], (param.into(), unit.into())));
        Value::object([
            ("policy", Value::from(word.policy)),
            ("head", word.head.into()),
            ("values", Value::array(values)),
            ("setting", word.setting.into()),
            ("note", word.note.into()),
        ])
    };
    let profile = |profile: &Profile| {
        Value::object([
            ("name", Value::from(profile.name)),
            ("sms", profile.sms.into()),
            ("memory", profile.memory.into()),
            ("starts", Value::array(profile.starts.iter().copied())),
        ])
    };
    let gpu = |vendor: &Vendor| {
        Value::object([
            ("gpu", Value::from(vendor.gpu)),
            ("least_sms", vendor.least.into()),
            ("step_sms", vendor.step.into()),
            ("mig", Value::array(vendor.mig.iter().map(profile))),
        ])
    };
    Value::object([
        ("words", Value::array(WORDS.iter().map(word))),
        ("gpus", Value::array(VENDORS.iter().map(gpu))),
        ("time_slices", Value::array(TIME_SLICES.iter().map(|&(word, ms)| pair(["word", "ms"], (word.into(), ms.into()))))),
    ])
}

/// What a script can say: the functions that are called, those that it can call, the names of what it sees; and examples, whose first line is a comment
/// that says what they do.
fn script(examples: &[(&str, &str)]) -> Value {
    let example = |&(name, source): &(&str, &str)| {
        let title = source.lines().next().unwrap_or(name).trim_start_matches(['/', ' ']);
        Value::object([("name", name), ("title", title), ("source", source)])
    };
    let hook = |hook: &Hook| {
        Value::object([("name", Value::from(hook.name)), ("params", Value::array(hook.params.iter().copied())), ("doc", hook.doc.into())])
    };
    let names = |names: &[Name]| {
        Value::array(names.iter().map(|name| Value::object([("name", name.name), ("unit", name.unit), ("doc", name.doc)])))
    };
    let counters = KernelStats::INFO.iter().map(|info| Value::object([("name", info.key), ("unit", info.unit), ("doc", info.doc)]));
    Value::object([
        ("hooks", Value::array(script::HOOKS.iter().map(hook))),
        ("functions", Value::array(script::FUNCTIONS.iter().map(|f| Value::object([("call", f.call), ("doc", f.doc)])))),
        ("run", names(script::RUN)),
        ("kernel", names(script::KERNEL)),
        ("sm", names(script::SM)),
        ("on_sm", names(script::ON_SM)),
        ("counters", Value::array(counters)),
        ("examples", Value::array(examples.iter().map(example))),
    ])
}

fn control(control: &Control) -> Value {
    let mut pairs = alloc::vec![
        ("key", Value::from(control.field.name)),
        ("title", control.title.into()),
        ("unit", control.field.unit.into()),
        ("scope", control.scope.words().into()),
        ("neutral", control.neutral().into()),
        ("doc", control.field.doc.into()),
        ("effect", control.effect.into()),
    ];
    let (kind, range) = match control.kind {
        ControlKind::Flag => ("flag", None),
        ControlKind::Int { min, max } => ("int", Some((min, max))),
        ControlKind::Limit { min, max } => ("limit", Some((min, max))),
        ControlKind::Requests { max } => ("requests", Some((0, max))),
        ControlKind::Numbers { max } => ("numbers", Some((0, max))),
        ControlKind::Sms => ("sms", None),
        ControlKind::Choice(_) => ("choice", None),
        ControlKind::WarpOrder => ("warp_order", None),
    };
    pairs.push(("kind", kind.into()));
    if let Some((min, max)) = range {
        pairs.extend([("min", min.into()), ("max", max.into())]);
    }
    if let ControlKind::Choice(names) = control.kind {
        pairs.push(("choices", Value::array(names.iter().copied())));
    }
    Value::object(pairs)
}

fn metric(metric: &Metric) -> Value {
    Value::object([
        ("key", Value::from(metric.key.as_str())),
        ("title", metric.title.into()),
        ("unit", metric.unit.into()),
        ("scope", metric.scope.into()),
        ("formula", metric.formula.into()),
        ("digits", u32::from(metric.digits).into()),
        ("better", metric.better.key().into()),
        ("doc", metric.doc.as_str().into()),
    ])
}

/// An experiment after defaults: its hash, the whole GPU, what limits each kernel's residency on each SM class, and what is most likely not meant. `rounded`
/// is what its scale has rounded, which the experiment itself does not know.
pub fn explain(experiment: &crate::run::experiment::Experiment, rounded: &Problems) -> Value {
    let kernels = experiment.kernels.iter().map(|used| {
        let launches = used.kernel.launches.iter().enumerate().flat_map(|(number, launch)| {
            experiment.gpu.sms.iter().map(move |class| {
                let occupancy = occupancy::of(launch, class);
                let divisions = Divisions::of(class);
                let shared = divisions.any().then(|| divisions.wanted(Resources::of_cta(launch, class), launch.carve_out));
                let own = used.ctas_per_sm.as_ref().and_then(|limit| limit.on(class)).filter(|&ctas| ctas < occupancy.ctas);
                let each = [
                    ("launch", Value::from(number)),
                    ("sm_class", class.name.as_str().into()),
                    ("ctas_per_sm", own.unwrap_or(occupancy.ctas).into()),
                    ("limiter", if own.is_some() { "ctas_per_sm" } else { occupancy.limiter.key() }.into()),
                    ("threads", launch.threads.into()),
                    ("registers", launch.registers.into()),
                    ("shared_bytes", launch.shared_bytes.into()),
                    ("ctas", launch.ctas().into()),
                ];
                // Where an SM's array is both, what the launch makes of it.
                let divided =
                    shared.map(|shared| [("sm_shared_bytes", Value::from(shared)), ("sm_l1_bytes", (class.l1.bytes - shared).into())]);
                Value::object(each.into_iter().chain(divided.into_iter().flatten()))
            })
        });
        // Launches that repeat are there once; the CTAs of every launch of a run, then.
        let ctas = || Value::array(used.kernel.grids().map(Dim3::ctas));
        let repeats = (!used.kernel.repeats.is_empty()).then(|| ("launch_ctas", ctas()));
        let each = [("name", Value::from(used.kernel.name.as_str())), ("occupancy", Value::array(launches))];
        Value::object(each.into_iter().chain(repeats))
    });
    Value::object([
        ("config_hash", Value::from(experiment.config_hash())),
        ("policy_title", words::title(&experiment.policy).into()),
        ("gpu", Value::Object(change::all(&experiment.gpu))),
        ("kernels", Value::array(kernels)),
        (
            "warnings",
            Value::array(experiment.warnings().0.iter().chain(&rounded.0).map(|warning| {
                Value::object([("path", warning.path.as_str()), ("found", warning.found.as_str()), ("want", warning.want.as_str())])
            })),
        ),
        ("experiment", experiment.encode()),
    ])
}

//! `corun schema`: JSON Schemas made from the registries, for editors and other programs.

use crate::{Failure, output};
use clap::{Args, ValueEnum};
use sim_core::describe::gpu::fields::{Field, GPU_FIELDS, Kind, SM_FIELDS};
use sim_core::describe::gpu::presets::{self, PRESETS};
use sim_core::describe::ids::MAX_KERNELS;
use sim_core::describe::kernel::tile::MAX_TERM;
use sim_core::describe::kernel::validate::{MAX_LISTED, MAX_LISTS};
use sim_core::describe::kernel::{MAX_ALU, MAX_GAP, MAX_LAUNCHES, MAX_SEQUENCE, formerly, library};
use sim_core::describe::value::Value;
use sim_core::machine::dispatch::order::CtaOrderInfo;
use sim_core::policy::PolicyInfo;
use sim_core::policy::spec::{Entry, Fallback, MAX_LIST, POLICIES, ParamKind};
use sim_core::predict::question;
use sim_core::predict::reading::{Base, Reading};
use sim_core::run::confidence::RATIOS;
use sim_core::run::energy::{ENERGIES, Energy};
use sim_core::run::experiment::{MAX_CYCLES, MAX_SEED};
use sim_core::seam::controls::{CONTROLS, Control, Kind as ControlKind, WARP_ORDERS};
use sim_core::seam::decision::{self, Decided, TopicInfo};
use sim_core::seam::stats::{KernelStats, StallCause};
use sim_core::study::catalogue::METRICS;
use sim_core::study::sweep::{MAX_AXES, MAX_VALUES};

/// Arguments of `corun schema`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Schema {
    /// Of what
    what: What,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum What {
    /// What `corun run` reads
    Experiment,
    /// What `corun sweep` reads
    Sweep,
    /// What `corun run --json` prints
    Result,
    /// What `corun predict` reads
    Predict,
}

impl Schema {
    pub fn execute(self) -> Result<(), Failure> {
        output::print_json(&match self.what {
            What::Experiment => experiment(),
            What::Sweep => sweep(),
            What::Result => result(),
            What::Predict => predict(),
        })
    }
}

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

fn typed(kind: &str, doc: &str) -> Value {
    Value::object([("type", kind), ("description", doc)])
}

fn whole(min: u64, max: u64, doc: &str) -> Value {
    integer(min as i64, max as i64, doc)
}

fn integer(min: i64, max: i64, doc: &str) -> Value {
    Value::object([("type", Value::from("integer")), ("minimum", min.into()), ("maximum", max.into()), ("description", doc.into())])
}

fn ranged(min: f64, max: f64, doc: &str) -> Value {
    Value::object([("type", Value::from("number")), ("minimum", min.into()), ("maximum", max.into()), ("description", doc.into())])
}

fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Value {
    Value::object([("enum", Value::array(names))])
}

fn closed(properties: Vec<(String, Value)>, required: &[&str]) -> Value {
    Value::object([
        ("type", Value::from("object")),
        ("properties", Value::Object(properties)),
        ("required", Value::array(required.iter().copied())),
        ("additionalProperties", false.into()),
    ])
}

fn any_of(options: Vec<Value>) -> Value {
    Value::object([("anyOf", Value::from(options))])
}

fn list_of(item: Value, min: usize, max: usize) -> Value {
    Value::object([("type", Value::from("array")), ("items", item), ("minItems", min.into()), ("maxItems", max.into())])
}

fn reference(name: &str) -> Value {
    Value::object([("$ref", format!("#/$defs/{name}"))])
}

fn named(pairs: Vec<(&str, Value)>) -> Vec<(String, Value)> {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn gpu_field<T>(prefix: &str, field: &Field<T>) -> (String, Value) {
    let schema = match field.kind {
        Kind::Int(min, max) => whole(min.into(), max.into(), &format!("{} ({})", field.doc, field.unit)),
        Kind::Choice(names) => one_of(names.iter().copied()),
    };
    (format!("{prefix}{}", field.path), schema)
}

/// An object of GPU fields that may also name fields of SM classes of its own.
fn with_classes(gpu: Value) -> Value {
    let Value::Object(mut pairs) = gpu else { unreachable!("`closed` makes an object") };
    let fields = Value::object([("^sm\\.[A-Za-z0-9_-]+\\.", Value::Object(Vec::new()))]);
    pairs.push(("patternProperties".to_owned(), fields));
    Value::Object(pairs)
}

/// A value for each of some SM classes.
fn by_class(value: Value) -> Value {
    Value::object([("type", Value::from("object")), ("additionalProperties", value)])
}

/// SMs of a GPU, at most.
const MAX_SMS: u32 = 256;

fn warp_order() -> Value {
    let group = Value::object([("type", "string"), ("pattern", "^(gto-groups|two-level)\\([1-9][0-9]?\\)$")]);
    any_of(vec![one_of(WARP_ORDERS.iter().map(|order| order.0)), group])
}

/// In every form in which a control is read.
fn control(control: &Control) -> Value {
    let doc = format!("{} ({})", control.doc, control.unit);
    let no_limit = || typed("null", "No limit");
    let numbers = |max: u32| list_of(whole(0, max.into(), &doc), 0, max as usize + 1);
    let value = match control.kind {
        ControlKind::Flag | ControlKind::Sms => typed("boolean", &doc),
        ControlKind::Int { min, max } => whole(min.into(), max.into(), &doc),
        ControlKind::Limit { min, max } => any_of(vec![whole(min.into(), max.into(), &doc), no_limit()]),
        ControlKind::Requests { max } => any_of(vec![ranged(0.0, max.into(), &doc), no_limit()]),
        ControlKind::Numbers { max } => numbers(max),
        ControlKind::Choice(names) => one_of(names.iter().copied()),
        ControlKind::WarpOrder => warp_order(),
    };
    let of_kernels = |value: Value| if control.scope.is_of_kernel() { list_of(value, 1, MAX_KERNELS) } else { value };
    let each = of_kernels(value);
    if !control.scope.is_on_sm() {
        return each;
    }
    let by_sms = Value::object([("type", Value::from("object")), ("additionalProperties", each.clone())]);
    match control.kind {
        ControlKind::Sms => any_of(vec![of_kernels(numbers(MAX_SMS - 1)), by_sms]),
        ControlKind::Numbers { .. } => any_of(vec![each, by_sms]),
        _ if control.scope.is_of_kernel() => any_of(vec![each.clone(), by_sms, list_of(each, 1, MAX_SMS as usize)]),
        _ => any_of(vec![each, by_sms]),
    }
}

fn sweep() -> Value {
    let path = || {
        let values = list_of(Value::Object(Vec::new()), 1, MAX_VALUES);
        let doc = "Where in the experiment, as in `corun run --set`: policy, kernels[0].ctas_per_sm, gpu.sm.count";
        closed(named(vec![("path", typed("string", doc)), ("values", values)]), &["path", "values"])
    };
    let zip = closed(named(vec![("zip", list_of(path(), 1, MAX_AXES))]), &["zip"]);
    let inner = named(vec![
        ("name", typed("string", "Name, for people")),
        ("source", typed("string", "What it reproduces or where it comes from")),
        ("base", typed("object", "An experiment, of which the axes may fill in what is missing")),
        ("axes", list_of(any_of(vec![path(), zip]), 1, MAX_AXES)),
    ]);
    let properties = named(vec![("corun", Value::object([("const", 1)])), ("sweep", closed(inner, &["base", "axes"]))]);
    let mut schema = vec![("$schema".to_owned(), DIALECT.into()), ("title".to_owned(), "A Corun sweep".into())];
    if let Value::Object(fields) = closed(properties, &["corun", "sweep"]) {
        schema.extend(fields);
    }
    Value::Object(schema)
}

fn predict() -> Value {
    let above_0 = |doc| ranged(1.0 / question::LARGEST, question::LARGEST, doc);
    let from_0 = |doc| ranged(0.0, question::LARGEST, doc);
    let sms = |doc| whole(1, question::MAX_SMS.into(), doc);
    let size = || {
        vec![
            ("latency", above_0("Latency alone on these SMs")),
            ("bandwidth", from_0("Bandwidth alone on these SMs; at most bandwidth_max")),
            ("accesses", from_0("L2 accesses of the whole kernel; of every kernel, or of none")),
            ("tc", above_0("Latency without interference; by Eq. 4 if left out")),
        ]
    };
    let at = closed(named([vec![("sms", sms("Number of SMs"))], size()].concat()), &["sms"]);
    let kernel = vec![
        ("name", typed("string", "Name; of a kernel of the library, if it is to be measured")),
        ("sms", sms("SMs of its own")),
        ("first", whole(0, question::MAX_SMS.into(), "The first of its SMs")),
        ("latency_full", above_0("Latency alone on all SMs")),
        ("bandwidth_full", from_0("Bandwidth alone on all SMs; at most bandwidth_max")),
        ("kai", from_0("Thousands of thread instructions for each L2 access; times the utilisation less than the number of SMs")),
        ("deadline", above_0("Latency that it must not exceed")),
        ("profile", list_of(at, 0, question::MAX_PROFILE)),
    ];
    let kernel = closed(named([kernel, size()].concat()), &["name"]);
    let gpu = || Value::object([("description", "The GPU on which is measured what is left out, as in an experiment")]);
    let inner = named(vec![
        ("gpu", gpu()),
        ("sms", sms("SMs of the whole GPU")),
        ("l2_banks", sms("L2 banks")),
        ("bandwidth_max", above_0("Nominal bandwidth")),
        ("bandwidth_sustained", above_0("Bandwidth at which kernels saturate; at most bandwidth_max, 330/348 of it if left out")),
        ("reading", one_of(Reading::NAMES)),
        ("base", one_of(Base::NAMES)),
        ("exact_at_n", typed("boolean", "On all SMs, Eq. 4 returns latency_full")),
        ("density_added", typed("boolean", "Eq. 16 adds its density to 1")),
        ("missing", one_of(question::Missing::NAMES)),
        ("step", sms("Every part of a plan is a multiple of so many SMs")),
        ("kernels", list_of(kernel, 1, MAX_KERNELS)),
    ]);
    let properties = named(vec![
        ("corun", Value::object([("const", 1)])),
        ("name", typed("string", "Name, for people")),
        ("source", typed("string", "What it reproduces or where it comes from")),
        ("seed", whole(0, MAX_SEED, "Seed of the runs that measure")),
        ("gpu", gpu()),
        ("predict", closed(inner, &["kernels"])),
    ]);
    let Value::Object(mut schema) = closed(properties, &["corun", "predict"]) else { unreachable!("`closed` makes an object") };
    schema.insert(0, ("$schema".into(), DIALECT.into()));
    schema.insert(1, ("title".into(), "A Corun prediction".into()));
    Value::Object(schema)
}

/// The entries of a list that experiments choose from: a name, or an object with a name and parameters.
fn entries<I: Entry>() -> Value {
    let mut forms = vec![one_of(I::all().iter().map(I::name))];
    for entry in I::all() {
        let mut properties = vec![("name".to_owned(), Value::object([("const", entry.name())]))];
        properties.extend(entry.params().iter().map(|param| {
            let schema = match param.kind {
                ParamKind::Int { min, max } => integer(min, max, param.doc),
                ParamKind::Number { min, max } => ranged(min, max, param.doc),
                ParamKind::Choice(names) => one_of(names.iter().copied()),
                ParamKind::Bool => typed("boolean", param.doc),
                ParamKind::PerKernelNumber { min, max } => list_of(ranged(min, max, param.doc), 1, MAX_KERNELS),
                ParamKind::PerKernelInt { min, max } => list_of(whole(min.into(), max.into(), param.doc), 1, MAX_KERNELS),
                ParamKind::PerKernelList { min, max } => list_of(list_of(ranged(min, max, param.doc), 1, MAX_LIST), 1, MAX_KERNELS),
                ParamKind::Text { longest } => {
                    let length = [("type", Value::from("string")), ("maxLength", longest.into()), ("description", param.doc.into())];
                    Value::object(length)
                }
                ParamKind::Controls => closed(CONTROLS.iter().map(|c| (c.key.to_owned(), control(c))).collect(), &[]),
            };
            (param.name.to_owned(), schema)
        }));
        let mut required = vec!["name"];
        required.extend(entry.params().iter().filter(|param| param.default == Fallback::Needed).map(|param| param.name));
        forms.push(closed(properties, &required));
    }
    any_of(forms)
}

fn experiment() -> Value {
    let presets = || one_of(PRESETS.iter().map(|preset| preset.name));
    let mut gpu = vec![("preset".to_owned(), presets())];
    gpu.extend(SM_FIELDS.iter().map(|field| gpu_field("sm.", field)));
    let classed = PRESETS.iter().filter_map(|preset| presets::find(preset.name)).filter(|gpu| gpu.sms.len() > 1);
    for class in classed.flat_map(|gpu| gpu.sms) {
        gpu.extend(SM_FIELDS.iter().map(|field| gpu_field(&format!("sm.{}.", class.name), field)));
    }
    gpu.extend(GPU_FIELDS.iter().map(|field| gpu_field("", field)));
    let share = || ranged(0.001, 1.0, "Share of its IPC alone that the kernel is promised");
    let ways = [
        ("of_alone", share()),
        ("ipc", ranged(0.001, 1e6, "IPC that it is promised")),
        ("deadline_ms", ranged(1e-6, 1e9, "Milliseconds within which it is promised that each of its runs ends")),
    ];
    let goals = ways.map(|(key, range)| closed(named(vec![(key, range)]), &[key]));
    let goal = any_of([share()].into_iter().chain(goals).collect());
    let ctas = || whole(1, 64, "CTAs that the kernel may hold on an SM, whatever the policy; by class of SMs, where classes differ");
    let old = || Value::object([("enum", Value::array(formerly::OLD_NAMES.iter().map(|(old, _)| *old))), ("deprecated", true.into())]);
    let chosen = || vec![one_of(library::names()), old(), reference("kernel")];
    let used = closed(
        named(vec![
            ("kernel", any_of(chosen())),
            ("ctas_per_sm", any_of(vec![ctas(), by_class(ctas())])),
            ("qos", goal),
            ("arithmetic", ranged(0.01, 100.0, "Arithmetic instructions between its memory accesses, times what it has")),
            ("launches", whole(1, u16::MAX.into(), "Launches after which the kernel is cut off")),
        ]),
        &["kernel"],
    );
    let cycles = || ("cycles", whole(1, MAX_CYCLES, "Run for so many cycles, or at most so many"));
    let done = |value: Value| ("kernels_done", value);
    let doc = "Run until every kernel has run to its end once";
    let settled = vec![
        ("settled", ranged(0.0, 1.0, "Run until the ratios of `of` are known so well: half of the 95 % interval, as a part of the ratio")),
        ("of", list_of(one_of(RATIOS.iter().map(|ratio| ratio.path)), 1, RATIOS.len())),
        ("at_most", whole(1, MAX_CYCLES, "Measured cycles after which a run that is not settled ends all the same")),
    ];
    let stop = any_of(vec![
        closed(named(vec![cycles(), done(typed("boolean", doc))]), &["cycles"]),
        closed(named(vec![done(Value::object([("const", Value::from(true)), ("description", doc.into())]))]), &["kernels_done"]),
        closed(named(settled), &["settled"]),
    ]);
    let any_gpu = any_of(vec![presets(), with_classes(closed(gpu, &["preset"]))]);
    let properties = named(vec![
        ("corun", Value::object([("const", 1)])),
        ("name", typed("string", "Name, for people")),
        ("source", typed("string", "What it reproduces or where it comes from")),
        ("seed", whole(0, MAX_SEED, "Seed of every draw")),
        ("gpu", any_gpu.clone()),
        ("kernels", list_of(any_of([chosen(), vec![used]].concat()), 1, MAX_KERNELS)),
        ("policy", entries::<PolicyInfo>()),
        ("warp_order", warp_order()),
        ("cta_order", entries::<CtaOrderInfo>()),
        ("warm_up", whole(0, MAX_CYCLES, "Cycles before anything is measured, after the policy has settled")),
        ("stop", stop),
        ("restart", typed("boolean", "A kernel that has run to its end starts again")),
        ("alone", typed("boolean", "Each kernel is also run by itself, so that slowdowns exist")),
        ("alone_gpu", any_gpu),
    ]);
    let Value::Object(mut schema) = closed(properties, &["corun", "kernels"]) else { unreachable!("`closed` makes an object") };
    schema.insert(0, ("$schema".into(), DIALECT.into()));
    schema.insert(1, ("title".into(), "A Corun experiment".into()));
    schema.push(("$defs".into(), Value::object([("kernel", kernel()), ("program", program()), ("access", access())])));
    Value::Object(schema)
}

fn kernel() -> Value {
    let array = closed(
        named(vec![
            ("name", typed("string", "Name")),
            ("bytes", whole(128, 1 << 35, "Size, bytes")),
            ("read_only", typed("boolean", "Nothing writes it")),
        ]),
        &["name", "bytes"],
    );
    let extents = |from: i64, doc: &str| any_of(vec![integer(from, 1 << 24, doc), list_of(integer(from, 1 << 24, doc), 1, 3)]);
    let shape = |grid: (&'static str, Value), step: Option<Value>| {
        let mut fields = vec![
            ("gap", whole(0, MAX_GAP.into(), "Cycles from the end of the launch before to its beginning")),
            ("threads", whole(1, 2048, "Threads of a CTA")),
            ("registers", whole(1, 255, "Registers of a thread")),
            ("shared_bytes", whole(0, 1 << 20, "Shared memory of a CTA, bytes")),
            ("program", reference("program")),
        ];
        fields.extend(step.map(|step| ("grid_step", step)));
        let required = [grid.0, "threads", "program"];
        fields.push(grid);
        closed(named(fields), &required)
    };
    // A grid has one name or the other; it changes only where launches repeat.
    let launch = |step: Option<Value>| {
        let ctas = ("ctas", whole(1, 1 << 24, "CTAs of the grid, of one dimension"));
        vec![shape(ctas, step.clone()), shape(("grid", extents(1, "CTAs of the grid along x, y and z")), step)]
    };
    let step = extents(-(1 << 24), "What is added to the grid with each repeat");
    let again = closed(
        named(vec![
            ("repeat", whole(1, MAX_SEQUENCE as u64, "How often they run")),
            ("launches", list_of(any_of(launch(Some(step))), 1, MAX_LAUNCHES)),
        ]),
        &["repeat", "launches"],
    );
    let mut launches = launch(None);
    launches.push(again);
    let text = |doc| typed("string", doc);
    let values = list_of(whole(0, 1 << 24, "Trips"), 1, MAX_LISTED);
    let trips = closed(named(vec![("name", text("Name, for loops")), ("values", values)]), &["name", "values"]);
    closed(
        named(vec![
            ("name", text("Name, such as ccbp/BP")),
            ("title", text("What it is")),
            ("doc", text("What the real kernel does")),
            ("source", text("Where its shape comes from")),
            ("arrays", list_of(array, 0, 64)),
            ("lists", list_of(trips, 0, MAX_LISTS)),
            ("launches", list_of(any_of(launches), 1, MAX_LAUNCHES)),
        ]),
        &["name", "launches"],
    )
}

fn program() -> Value {
    let one = |name: &str, inner: Value| closed(vec![(name.to_owned(), inner)], &[name]);
    let count = |most| ("count", whole(1, most, "How many, one after the other"));
    let lanes = || ("lanes", whole(1, 32, "Active lanes"));
    let alu = closed(named(vec![count(MAX_ALU.into()), ("latency", whole(1, 63, "Cycles from one to the next")), lanes()]), &[]);
    let shared = closed(named(vec![count(1 << 24), ("stride", whole(0, 4096, "Words between lanes")), lanes()]), &[]);
    let wait = closed(named(vec![("loads", whole(0, 255, "Loads that may stay outstanding"))]), &[]);
    let ends = || list_of(whole(0, 1 << 24, "Trips: the least, then the most"), 2, 2);
    let some = || list_of(whole(0, 1 << 24, "Trips, then of how many warps one runs them"), 2, 2);
    let listed = |key| one(key, typed("string", "Name of a list"));
    let drawn = [one("per_warp", ends()), one("per_cta", ends()), one("some_warps", some())];
    let fixed = [whole(0, 1 << 24, "Trips"), listed("listed_per_cta"), listed("listed_per_warp")];
    let trips = any_of(fixed.into_iter().chain(drawn).collect());
    let body = closed(named(vec![("trips", trips), ("body", reference("program"))]), &["trips", "body"]);
    let ops = vec![
        Value::object([("const", "barrier")]),
        one("alu", alu.clone()),
        one("sfu", alu),
        one("shared", shared),
        one("load", reference("access")),
        one("store", reference("access")),
        one("atomic", reference("access")),
        one("wait", wait),
        one("loop", body),
    ];
    list_of(any_of(ops), 1, 256)
}

fn access() -> Value {
    let bytes = |doc| typed("integer", doc);
    let scatter = |name: &str| closed(vec![(name.to_owned(), whole(4, 1 << 35, "Bytes over which the draw goes"))], &[name]);
    closed(
        named(vec![
            ("array", any_of(vec![typed("string", "Name of an array"), whole(0, 63, "Number of an array")])),
            ("lanes", whole(1, 32, "Active lanes")),
            ("offset", bytes("Bytes at which it starts")),
            ("repeat", bytes("Bytes for each repeat of the launch")),
            ("cta", bytes("Bytes for each CTA")),
            ("warp", bytes("Bytes for each warp")),
            ("lane", bytes("Bytes for each lane")),
            ("loops", list_of(bytes("Bytes for each iteration of an enclosing loop, outermost first"), 0, 3)),
            ("scatter", any_of(["warp", "lane", "skewed"].map(scatter).into())),
            ("tile", tile()),
        ]),
        &[],
    )
}

fn tile() -> Value {
    let term = |doc| integer(-MAX_TERM, MAX_TERM, doc);
    let terms = || {
        closed(
            named(vec![
                ("at", term("Where it starts")),
                ("grid", list_of(term("For each CTA along x, y and z"), 0, 3)),
                ("warp", term("For each warp")),
                ("loops", list_of(term("For each iteration of an enclosing loop, outermost first"), 0, 3)),
                ("repeat", term("For each repeat of the launch")),
            ]),
            &[],
        )
    };
    closed(
        named(vec![
            ("columns", whole(1, MAX_TERM as u64, "Columns of the matrix")),
            ("rows", whole(1, MAX_TERM as u64, "Its rows")),
            ("pitch", whole(1, 1 << 30, "Bytes from row to row")),
            ("lanes", whole(1, 32, "Lanes in a row")),
            ("x", terms()),
            ("y", terms()),
        ]),
        &["columns"],
    )
}

/// What only a kernel has that has ended: no mean over windows, so without an interval.
const ENDS: [&str; 3] = ["finished_at", "finished_at_ms", "launches_took"];

fn result() -> Value {
    let number = |doc: &str| Value::object([("type", Value::array(["number", "null"])), ("description", doc.into())]);
    let text = |doc| typed("string", doc);
    let of = |scope: &[&str]| -> Vec<(String, Value)> {
        let chosen = METRICS.iter().filter(|metric| scope.contains(&metric.scope) && !metric.key.contains('.'));
        chosen.map(|metric| (metric.key.to_owned(), number(&format!("{}: {} ({})", metric.doc, metric.formula, metric.unit)))).collect()
    };
    let open = |properties| Value::object([("type", Value::from("object")), ("properties", Value::Object(properties))]);
    let stalls = || open(StallCause::INFO.iter().map(|info| (info.key.to_owned(), number(info.doc))).collect());
    let mut kernel = of(&["kernel"]);
    kernel.push(("name".into(), text("The kernel's name without its paper, or its whole name where two kernels would be called the same")));
    kernel.push(("kernel".into(), text("The kernel's whole name")));
    kernel.push(("stalls".into(), stalls()));
    let warp_stalls = [
        ("raw_long", "Waits for a load that missed L1D"),
        ("lsu_full", "Has an access that the load-store unit does not take"),
        ("other", "Anything else: arithmetic, a barrier, ready while another warp issues"),
    ];
    kernel.push(("warp_stalls".into(), open(warp_stalls.map(|(key, doc)| (key.to_owned(), number(doc))).into())));
    kernel.push(("latency".into(), typed("object", "Mean core cycles of an L1D read miss, and its parts by station")));
    let counters = KernelStats::INFO.iter().map(|info| (info.key.to_owned(), typed("integer", info.doc)));
    let counted = |key: &str| ["thread_instructions", "warp_instructions", "ctas_done", "runs_done"].contains(&key);
    let counts = KernelStats::INFO.iter().filter(|info| counted(info.key));
    kernel.extend(counts.map(|info| (info.key.to_owned(), typed("integer", info.doc))));
    kernel.push(("ctas_per_sm".into(), number("Resident CTAs, mean over cycles and SMs")));
    kernel.push(("counters".into(), open(counters.collect())));
    let mut gpu = of(&["gpu", "kernel"]);
    gpu.retain(|(key, _)| {
        let key = key.as_str();
        !ENDS.contains(&key) && !["ipc_alone", "slowdown", "goal_ipc", "goal_reached", "rf", "df"].contains(&key)
    });
    gpu.push(("stalls".into(), stalls()));
    gpu.push((
        "scheduler_cycles".into(),
        typed("integer", "Schedulers of all SMs × core cycles: what the shares of stalls can be compared with"),
    ));
    let goals = [
        ("least", "Least of IPC over the goal's, of the kernels with a goal: all are reached where it is 1 or more"),
        ("mean", "Mean of IPC over the goal's, of the kernels with a goal"),
        ("others", "Mean of IPC over IPC alone, of the kernels without a goal"),
    ];
    let ci95 = closed(
        named(vec![
            ("batches", typed("integer", "Batches that the intervals are made of")),
            ("batch_windows", any_of(vec![typed("integer", "Windows of 400 cycles in each"), typed("null", "The warm-up lasts")])),
            ("gpu", intervals(&gpu, &["scheduler_cycles"])),
            ("kernels", list_of(intervals(&kernel, &[&["name", "kernel", "counters"], &ENDS[..]].concat()), 1, MAX_KERNELS)),
            ("metrics", intervals(&of(&["mix"]), &[])),
        ]),
        &["batches", "batch_windows", "gpu", "kernels", "metrics"],
    );
    Value::object([
        ("$schema", Value::from(DIALECT)),
        ("title", "A Corun result".into()),
        ("type", "object".into()),
        (
            "properties",
            Value::Object(named(vec![
                ("corun", Value::object([("const", 1)])),
                ("engine", text("Version of the engine")),
                ("name", text("Name of the experiment")),
                ("source", text("What it reproduces")),
                ("config_hash", text("Hash of the experiment after defaults")),
                ("digest", text("Digest of the whole state at the end")),
                ("seed", typed("integer", "Seed")),
                ("cycles", typed("integer", "Core cycles simulated")),
                ("core_mhz", typed("integer", "Core clock, MHz")),
                ("ms", typed("number", "Milliseconds of these cycles")),
                (
                    "measured_from",
                    any_of(vec![
                        typed("integer", "First cycle after the warm-up; everything is measured from there"),
                        typed("null", "The warm-up lasts"),
                    ]),
                ),
                ("stop", one_of(["budget", "interrupted", "cycles", "kernels_done", "settled", "stuck", "failed"])),
                ("wall_seconds", typed("number", "Seconds that the shared run took")),
                ("cycles_per_second", typed("number", "Simulated cycles a second")),
                ("warp_instructions_per_second", typed("number", "Simulated warp instructions a second")),
                ("gpu", open(gpu)),
                ("kernels", list_of(open(kernel), 1, MAX_KERNELS)),
                ("metrics", open(of(&["mix"]))),
                ("energy", energy()),
                ("goals", open(goals.map(|(key, doc)| (key.to_owned(), number(doc))).into())),
                ("ci95", ci95),
                ("settled", settled()),
                ("failure", text("Why the script that shares the GPU failed, where it did: the line, and what is wrong")),
                ("policy", policy()),
            ])),
        ),
    ])
}

/// The energy of a run.
fn energy() -> Value {
    let of_run = || {
        let or_none = |doc: &str| any_of(vec![typed("number", doc), typed("null", "Nothing was measured")]);
        named(vec![
            (
                "joules",
                typed("number", "Energy of the measured cycles, by published energies of events: for ratios, not for absolute values"),
            ),
            ("watts", or_none("The same by time")),
            ("instructions_per_watt", or_none("Thread instructions of the measured cycles / watts")),
        ])
    };
    let part = |energy: &Energy| {
        let doc = format!("{}, joules: {:.4} for each {} ({})", energy.title, energy.figure, energy.per, energy.source);
        (energy.key.to_owned(), typed("number", &doc))
    };
    let mut fields = of_run();
    fields.extend(named(vec![
        ("idle_sms_off", closed(of_run(), &["joules", "watts", "instructions_per_watt"])),
        ("parts", closed(ENERGIES.iter().map(part).collect(), &ENERGIES.map(|energy| energy.key))),
        ("kernels", list_of(typed("number", "Joules of a kernel's events, without what leaks"), 1, MAX_KERNELS)),
    ]));
    closed(fields, &["joules", "watts", "instructions_per_watt", "idle_sms_off", "parts", "kernels"])
}

/// How sure a run is that stops when it is settled.
fn settled() -> Value {
    let or_none = |value: Value, none| any_of(vec![value, typed("null", none)]);
    closed(
        named(vec![
            ("within", ranged(0.0, 1.0, "Half of an interval that was asked for, as a part of its ratio")),
            ("reached", typed("boolean", "Whether the run stopped for it")),
            ("known", or_none(typed("number", "The same of what is known least"), "Nothing is known yet")),
            ("kernel", or_none(whole(0, MAX_KERNELS as u64 - 1, "Of which kernel that is"), "Nothing is known yet")),
            ("ratio", or_none(one_of(RATIOS.iter().map(|ratio| ratio.path)), "Nothing is known yet")),
            ("waits_for", or_none(whole(0, MAX_KERNELS as u64 - 1, "A kernel that has not shown a whole launch"), "None such")),
        ]),
        &["within", "reached", "known", "kernel", "ratio", "waits_for"],
    )
}

/// The fields of a part of a result without `others`, with an interval in place of each ratio.
fn intervals(part: &[(String, Value)], others: &[&str]) -> Value {
    let counted = |value: &Value| value.get("type").and_then(Value::as_str) == Some("integer");
    let ratios = part.iter().filter(|(key, value)| !others.contains(&key.as_str()) && !counted(value));
    let interval = |(key, value): &(String, Value)| {
        let ends = list_of(typed("number", "An end of the 95 % interval"), 2, 2);
        let none = typed("null", "The run is too short, or there is no number");
        let inner = value.get("type").and_then(Value::as_str) == Some("object");
        (key.clone(), if inner { typed("object", "An interval for each part") } else { any_of(vec![ends, none]) })
    };
    closed(ratios.map(interval).collect(), &[])
}

/// The policy and its decisions, by topic.
fn policy() -> Value {
    let name = one_of(POLICIES.iter().map(|policy| policy.name));
    let decision = any_of(Decided::INFO.iter().map(decision).collect());
    let decisions = Value::object([("type", Value::from("array")), ("items", decision)]);
    closed(named(vec![("name", name), ("decisions", decisions)]), &["name", "decisions"])
}

fn decision(line: &TopicInfo) -> Value {
    let value = |info: &decision::ValueInfo| {
        let doc = if info.unit.is_empty() { info.doc.to_owned() } else { format!("{} ({})", info.doc, info.unit) };
        let items = |kind| {
            Value::object([
                ("type", Value::from("array")),
                ("items", Value::object([("type", kind)])),
                ("description", doc.as_str().into()),
            ])
        };
        let schema = match info.kind {
            decision::Kind::Integer => typed("integer", &doc),
            decision::Kind::Number => typed("number", &doc),
            decision::Kind::Word => typed("string", &doc),
            decision::Kind::Integers => items("integer"),
            decision::Kind::Numbers => items("number"),
        };
        (info.key.to_owned(), schema)
    };
    let needed: Vec<&str> = line.values.iter().filter(|info| !info.optional).map(|info| info.key).collect();
    let kernel = any_of(vec![whole(0, MAX_KERNELS as u64 - 1, "About which kernel"), typed("null", "About the whole GPU")]);
    let fields = named(vec![
        ("cycle", typed("integer", "When")),
        ("kernel", kernel),
        ("topic", Value::object([("const", Value::from(line.topic)), ("description", line.doc.into())])),
        ("values", closed(line.values.iter().map(value).collect(), &needed)),
        ("text", typed("string", "The same as a sentence, for people: its words may change")),
    ]);
    closed(fields, &["cycle", "kernel", "topic", "values", "text"])
}

//! `corun show`: the whole of one thing that can be chosen, or what a file of results says.

use crate::kind::Kind;
use crate::out::Out;
use crate::{input, list, points, recording, report, text};
use clap::Args;
use corun_lab::{Failure, output, problem};
use sim_core::describe::gpu::presets;
use sim_core::describe::gpu::vendor::{VENDORS, Vendor};
use sim_core::describe::kernel::library;
use sim_core::describe::value::Value;

/// What `corun show KIND NAME` shows, and what `corun list` calls all of them.
pub const KINDS: &[(&str, &str)] = &[
    ("kernel", "kernels"),
    ("policy", "policies"),
    ("gpu", "gpus"),
    ("experiment", "experiments"),
    ("sweep", "sweeps"),
    ("prediction", "predictions"),
    ("order", "orders"),
    ("control", "controls"),
    ("metric", "metrics"),
    ("script", "script"),
];

/// Arguments of `corun show`.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    override_usage = "corun show <KIND> <NAME>\n       corun show <FILE> [--csv [FILE] | --svg [FILE]] [--metric PATH]\n       corun show <FILE.corun> [--json]",
    after_help = "\
Kinds: kernel, policy, gpu, experiment, sweep, prediction, order, control, metric, script; `corun list` has their names. An experiment, a sweep and \
a prediction are printed as the JSON that the commands take.

Files: FILE.jsonl of `corun sweep` is shown as a table, with --csv as one for a spreadsheet, with --svg as a plot; FILE.json of `corun run --json` as \
`corun run` shows it; FILE.corun of `corun import` with what its kernels are and do.

Exit status: 0 done, 2 bad usage or input."
)]
pub struct Show {
    /// A kind, or a file of results
    what: String,
    /// The name of one
    name: Option<String>,
    /// Comma-separated, on stdout or to this file
    #[arg(long, value_name = "FILE", conflicts_with = "svg")]
    csv: Option<Option<String>>,
    /// A plot, on stdout or to this file: bars, or lines where the last axis has numbers
    #[arg(long, value_name = "FILE")]
    svg: Option<Option<String>>,
    /// What the plot shows, and the table has besides: the place of a number in a result, such as `kernels[0].slowdown`
    #[arg(long, value_name = "PATH", default_value = "metrics.hspeedup")]
    metric: String,
    /// Print what a recording holds as JSON
    #[arg(long, conflicts_with_all = ["csv", "svg"])]
    json: bool,
}

impl Show {
    pub fn execute(self) -> Result<(), Failure> {
        match KINDS.iter().find(|(kind, _)| *kind == self.what) {
            Some((kind, listed)) => one(kind, listed, self.name.as_deref()),
            None if self.name.is_some() => {
                let kinds: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
                Err(problem("<KIND>", format!("{:?}", self.what), &format!("one of {}", kinds.join(", "))).into())
            }
            None => self.file(),
        }
    }

    /// What a file of results says.
    fn file(&self) -> Result<(), Failure> {
        let file = &self.what;
        if let Some(recording) = recording::of(file)? {
            return if self.json { output::print_json(&recording.encode()) } else { output::print(&recording::table(&recording)) };
        }
        if self.json {
            return Err(problem("--json", "another file", "a recording of kernels").into());
        }
        let to = |file: &Option<String>| Out { out: file.clone() };
        if input::of_another_kind(file, Kind::Results).is_some() {
            let result = input::read(file, Kind::Result)?;
            if self.svg.is_some() {
                return Err(problem("--svg", "a result", "results of a sweep, to be plotted").into());
            }
            return match &self.csv {
                Some(out) => to(out).open(file)?.print(&report::csv(&result)),
                None => output::print(&report::table(&result)),
            };
        }
        let points = points::Points::read(file, &self.metric)?;
        match (&self.csv, &self.svg) {
            (Some(out), _) => to(out).open(file)?.print(&points.csv()),
            (_, Some(out)) => to(out).open(file)?.print(&points.svg()?),
            _ => output::print(&points.table(usize::MAX)),
        }
    }
}

/// Everything of one record.
fn one(kind: &str, listed: &str, name: Option<&str>) -> Result<(), Failure> {
    let rows = rows(&list::part(listed)?);
    let names = || rows.iter().map(list::name);
    let Some(name) = name else {
        return Err(problem("<NAME>", "nothing", &format!("one of {}", names().collect::<Vec<_>>().join(", "))).into());
    };
    let Some(row) = rows.iter().find(|row| is_called(kind, row, name)) else {
        let near = input::nearest(name, names()).map_or(String::new(), |near| format!(", such as {near}"));
        return Err(problem("<NAME>", format!("{name:?}"), &format!("one that `corun list {listed}` has{near}")).into());
    };
    // What is itself a file is shown as one.
    if let Some(file) = ["experiment", "sweep", "predict"].into_iter().find_map(|key| row.get(key)) {
        return output::print_json(file);
    }
    output::print(whole(kind, row)?.trim_end())
}

/// The records of a part of the catalogue, of all its groups.
fn rows(part: &Value) -> Vec<Value> {
    match part {
        Value::Array(rows) => rows.clone(),
        Value::Object(groups) => groups.iter().flat_map(|(_, rows)| self::rows(rows)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a record goes by a name, be it a shorter one.
fn is_called(kind: &str, row: &Value, name: &str) -> bool {
    let own = list::name(row);
    let shorter = report::items(row.get("aliases")).iter().any(|alias| alias.as_str() == Some(name));
    let found = || kind == "kernel" && library::find(name).is_some_and(|kernel| kernel.name == own);
    own == name || shorter || found() || own.split_once('(').is_some_and(|(call, _)| call == name)
}

fn whole(kind: &str, row: &Value) -> Result<String, Failure> {
    let field = |key: &str| row.get(key).filter(|value| **value != Value::Null).map(|value| text::plain(Some(value)));
    let mut facts = vec![vec![list::name(row).to_owned(), field("title").unwrap_or_default()]];
    for key in
        ["doc", "formula", "unit", "source", "scope", "neutral", "effect", "threads", "registers", "shared_bytes", "ctas", "launches"]
    {
        let heading = if key == "doc" { "what".to_owned() } else { key.replace('_', " ") };
        facts.extend(field(key).filter(|text| !text.is_empty()).map(|text| vec![heading, text]));
    }
    if kind == "gpu" {
        facts.extend(shared(list::name(row)));
    }
    if row.get("kind").is_some() {
        facts.push(vec!["values".to_owned(), values(row)]);
    }
    if let Some(Value::Object(fits)) = row.get("fits") {
        let fits: Vec<String> = fits.iter().map(|(gpu, ctas)| format!("{gpu} {ctas}")).collect();
        facts.push(vec!["CTAs per SM".to_owned(), fits.join(", ")]);
    }
    let params = match kind {
        "gpu" => gpu_fields(list::name(row)),
        _ => rows(row.get("params").unwrap_or(&Value::Null)).iter().filter(|param| param.get("name").is_some()).map(param).collect(),
    };
    Ok([text::wrapped(facts)].into_iter().chain(params).collect::<Vec<_>>().join("\n\n"))
}

/// How a GPU is called in short, and how its vendor lets it be shared.
fn shared(gpu: &str) -> Vec<Vec<String>> {
    let fact = |name: &str, text: String| vec![name.to_owned(), text];
    let alias = presets::preset(gpu).and_then(|preset| preset.alias).map(|alias| fact("in short", alias.to_owned()));
    let vendor = VENDORS.iter().find(|vendor| vendor.gpu == gpu);
    let mig = vendor.filter(|vendor| !vendor.mig.is_empty()).map(|vendor| fact("MIG", vendor.instances()));
    let green = |vendor: &Vendor| fact("green contexts", format!("at least {} SMs in steps of {}", vendor.least, vendor.step));
    alias.into_iter().chain(mig).chain(vendor.map(green)).collect()
}

/// A parameter: name and default, what it may be; and what it is.
fn param(param: &Value) -> String {
    let needed = param.get("required") == Some(&Value::Bool(true));
    let default = if needed { String::new() } else { format!(" = {}", text::plain(param.get("default"))) };
    described(&format!("{}{default}", list::name(param)), param, if needed { ", needed" } else { "" })
}

/// The fields of a GPU, likewise.
fn gpu_fields(gpu: &str) -> Vec<String> {
    let fields = sim_core::study::catalogue::catalogue(&[], &[]).get("gpu_fields").cloned().unwrap_or_default();
    let preset = presets::preset(gpu);
    let row = |field: &Value| {
        let value = field.get("values")?.get(gpu).filter(|value| **value != Value::Null)?;
        let path = text::plain(field.get("path"));
        let said = described(&format!("gpu.{path} = {}", text::plain(Some(value))), field, "");
        let tried = preset?.tried(&path).into_iter().map(|(value, why)| format!("tried: {}. {why}", text::plain(Some(&value))));
        let more = std::iter::once(format!("source: {}", preset?.source(&path)?)).chain(tried);
        Some(format!("{said}\n{}", text::wrapped(more.map(|line| vec!["  ".to_owned(), line]))))
    };
    rows(&fields).iter().filter_map(row).collect()
}

/// A heading with what may be there, and what it means.
fn described(heading: &str, row: &Value, more: &str) -> String {
    let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or("");
    let unit = if text("unit").is_empty() { String::new() } else { format!(" {}", text("unit")) };
    let heading = text::wrapped([vec![format!("{heading}  ({}{unit}{more})", values(row))]]);
    format!("{heading}\n{}", text::wrapped([vec!["  ".to_owned(), text("doc").to_owned()]]))
}

/// What a value may be, in words.
fn values(row: &Value) -> String {
    let kind = row.get("kind").and_then(Value::as_str).unwrap_or("");
    let [min, max] = ["min", "max"].map(|key| text::plain(row.get(key)));
    match kind {
        "choice" => rows(row.get("choices").unwrap_or(&Value::Null)).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        "bool" | "flag" => "true, false".to_owned(),
        "text" => format!("text, at most {max}"),
        "record" => "an object with fields of its own".to_owned(),
        "per_kernel_list" => format!("a list of {min} to {max} for each kernel"),
        kind if kind.starts_with("per_kernel") => format!("{min} to {max} for each kernel"),
        _ if row.get("max").is_some() => format!("{min} to {max}"),
        kind => kind.to_owned(),
    }
}

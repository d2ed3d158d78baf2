//! `corun probe`: one real component of the machine, the same code, under named traffic.
//!
//! The flags are those that `sim_core::study::probe` declares. A range (`FROM:TO:STEP`) for the option along which a component's curves are drawn
//! prints a row for each of its points.

use crate::number;
use crate::out::Out;
use crate::text::{self, shown};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use corun_lab::{Failure, problem};
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::{occupancy, presets};
use sim_core::describe::kernel::Launch;
use sim_core::describe::value::Value;
use sim_core::study::probe::{self, COMPONENTS, Component};

/// The flag that takes several options of the DRAM channel at once.
const TIMING: &str = "timing";

/// What to do.
#[derive(Debug)]
pub enum Probe {
    /// Drive a component.
    Component(Driven),
    /// How many CTAs an SM holds.
    Occupancy(Occupancy),
}

/// A component with the flags that were given.
#[derive(Debug)]
pub struct Driven {
    component: &'static Component,
    options: Vec<(String, Value)>,
    /// The points of the curve, if it is one.
    curve: Option<String>,
    json: bool,
    out: Out,
}

/// How many CTAs an SM holds, and which resource says so
#[derive(Args, Debug)]
pub struct Occupancy {
    /// GPU preset
    #[arg(long, default_value = "ccbp-16sm")]
    gpu: String,
    /// Threads of a CTA
    #[arg(long)]
    threads: u32,
    /// Registers of a thread
    #[arg(long)]
    regs: u32,
    /// Shared memory of a CTA, bytes
    #[arg(long, default_value_t = 0)]
    smem: u32,
    /// A warp gets registers in multiples of this [default: the preset's; hardware: 256]
    #[arg(long)]
    granularity: Option<u32>,
    /// Class of SM, on a GPU with several
    #[arg(long)]
    sm_class: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    out: Out,
}

impl Subcommand for Probe {
    fn augment_subcommands(command: Command) -> Command {
        let occupancy = Occupancy::augment_args(Command::new("occupancy"));
        command.subcommands(COMPONENTS.iter().map(subcommand)).subcommand(occupancy).subcommand_required(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == "occupancy" || Component::find(name).is_some()
    }
}

impl FromArgMatches for Probe {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, given) = matches.subcommand().ok_or_else(missing)?;
        match Component::find(name) {
            Some(component) => driven(component, given).map(Probe::Component),
            None => Occupancy::from_arg_matches(given).map(Probe::Occupancy),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// An option as `sim_core::study::probe` describes it.
fn text<'v>(option: &'v Value, key: &str) -> &'v str {
    option.get(key).and_then(Value::as_str).unwrap_or("")
}

fn options(component: &Component) -> Vec<Value> {
    match component.options() {
        Value::Array(options) => options,
        _ => Vec::new(),
    }
}

fn flag(name: &str) -> String {
    name.replace('_', "-")
}

fn subcommand(component: &'static Component) -> Command {
    let mut command = Command::new(component.name).about(component.doc);
    for option in options(component) {
        let (name, unit) = (text(&option, "name").to_owned(), text(&option, "unit"));
        let default = match option.get("default") {
            None | Some(Value::Null | Value::Bool(_)) => String::new(),
            Some(Value::Str(name)) => format!(" [default: {name}]"),
            Some(number) => format!(" [default: {number}]"),
        };
        let swept = if name == component.sweep { "; or FROM:TO:STEP for a curve" } else { "" };
        let choices = match option.get("choices") {
            Some(Value::Array(names)) => format!(" ({})", names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")),
            _ => String::new(),
        };
        let help = format!("{}{choices}{swept}{default}", text(&option, "doc"));
        let arg = Arg::new(name.clone()).long(flag(&name)).help(help);
        command = command.arg(match text(&option, "kind") {
            "bool" => arg.action(ArgAction::SetTrue),
            _ if unit.is_empty() => arg,
            _ => arg.value_name(unit.to_uppercase()).allow_negative_numbers(true),
        });
    }
    if component.name == "dram" {
        let help = "Several of the whole-number options at once: T=4,tCL=12,banks=16";
        command = command.arg(Arg::new(TIMING).long(TIMING).value_name("NAME=N,…").help(help));
    }
    Out::augment_args(command.arg(Arg::new("json").long("json").help("Print JSON").action(ArgAction::SetTrue)))
}

fn driven(component: &'static Component, given: &ArgMatches) -> Result<Driven, clap::Error> {
    let mut driven =
        Driven { component, options: Vec::new(), curve: None, json: given.get_flag("json"), out: Out::from_arg_matches(given)? };
    for option in options(component) {
        let name = text(&option, "name");
        if text(&option, "kind") == "bool" {
            if given.get_flag(name) {
                driven.options.push((name.to_owned(), true.into()));
            }
            continue;
        }
        let Some(written) = given.get_one::<String>(name) else { continue };
        if name == component.sweep && written.contains(':') {
            driven.curve = Some(written.clone());
            continue;
        }
        // What is no number stays text, and is refused by name where a number is wanted.
        let value = match text(&option, "kind") {
            "int" | "number" => number(written).unwrap_or_else(|| written.as_str().into()),
            _ => written.as_str().into(),
        };
        driven.options.push((name.to_owned(), value));
    }
    if component.name == "dram"
        && let Some(written) = given.get_one::<String>(TIMING)
    {
        // What is no NAME=N is refused by name, like an option that does not exist.
        let read = |value: &str| number(value.trim()).unwrap_or_else(|| value.into());
        driven.options.extend(
            written
                .split(',')
                .map(|part| part.split_once('=').unwrap_or((part, "")))
                .map(|(name, value)| (name.trim().to_owned(), read(value))),
        );
    }
    Ok(driven)
}

fn number(written: &str) -> Option<Value> {
    let whole = |written| i64::try_from(number::whole(written).ok()?).ok();
    whole(written).map(Value::from).or_else(|| written.parse::<f64>().ok().map(Value::from))
}

impl Probe {
    pub fn execute(self) -> Result<(), Failure> {
        let (figures, units, json, out) = match self {
            Probe::Component(driven) => match &driven.curve {
                Some(written) => return driven.print_curve(&driven.points(written)?),
                None => (driven.component.measure(&Value::object(driven.options))?, driven.component.figures, driven.json, driven.out),
            },
            Probe::Occupancy(probe) => (probe.measure()?, &[][..], probe.json, probe.out),
        };
        let out = out.open("")?;
        if json {
            return out.print_json(&figures);
        }
        let Value::Object(pairs) = &figures else { return Ok(()) };
        let heading = |key: &str| match units.iter().find(|figure| figure.key == key && !figure.unit.is_empty()) {
            Some(figure) => format!("{key}, {}", figure.unit),
            None => key.to_owned(),
        };
        let mut rows: Vec<Vec<String>> = pairs
            .iter()
            .filter(|(key, _)| key != "theory")
            .map(|(key, figure)| {
                vec![heading(key), shown(Some(figure)), theory(&figures, key).map_or(String::new(), |law| shown(Some(law)))]
            })
            .collect();
        if rows.iter().any(|row| !row[2].is_empty()) {
            rows.insert(0, ["", "measured", "theory"].map(String::from).to_vec());
        }
        out.print(&text::table(1, rows))
    }
}

/// What theory says of a figure, where it says something.
fn theory<'v>(figures: &'v Value, key: &str) -> Option<&'v Value> {
    figures.get("theory").and_then(|laws| laws.get(key)).filter(|law| **law != Value::Null)
}

impl Driven {
    fn points(&self, written: &str) -> Result<Vec<f64>, Problems> {
        let path = format!("--{}", flag(self.component.sweep));
        probe::range(written).ok_or_else(|| problem(&path, format!("{written:?}"), "FROM:TO:STEP, at most 1000 points"))
    }

    /// A row for each point; or a list of objects.
    fn print_curve(&self, points: &[f64]) -> Result<(), Failure> {
        let out = self.out.open("")?;
        let sweep = self.component.sweep;
        let mut rows = Vec::new();
        for &point in points {
            let at = (sweep.to_owned(), Value::from(point));
            let figures = self.component.measure(&Value::object(self.options.iter().cloned().chain([at.clone()])))?;
            let Value::Object(pairs) = figures else { continue };
            rows.push(Value::object([at].into_iter().chain(pairs)));
        }
        if self.json {
            return out.print_json(&rows.into());
        }
        let keys: Vec<&str> = self.component.figures.iter().map(|figure| figure.key).collect();
        // Of theory, what it says anything of.
        let laws: Vec<&str> = keys.iter().copied().filter(|key| rows.iter().any(|row| theory(row, key).is_some())).collect();
        let heading = [sweep.to_owned()].into_iter().chain(keys.iter().map(|&key| key.to_owned()));
        let heading = heading.chain(laws.iter().map(|key| format!("theory.{key}"))).collect();
        let line = |row: &Value| {
            let point = row.get(sweep).map_or(String::new(), Value::to_string);
            let measured = keys.iter().map(|key| shown(row.get(key)));
            [point].into_iter().chain(measured).chain(laws.iter().map(|key| shown(theory(row, key)))).collect()
        };
        let units: Vec<String> = self.component.figures.iter().map(|figure| format!("{} in {}", figure.key, figure.unit)).collect();
        out.print(&format!("{}\n{}", text::table(0, [heading].into_iter().chain(rows.iter().map(line))), units.join("; ")))
    }
}

impl Occupancy {
    fn measure(&self) -> Result<Value, Failure> {
        let Some(gpu) = presets::find(&self.gpu) else {
            let names: Vec<&str> = presets::PRESETS.iter().map(|preset| preset.name).collect();
            return Err(problem("--gpu", format!("{:?}", self.gpu), &format!("one of {}", names.join(", "))).into());
        };
        let classes: Vec<&str> = gpu.sms.iter().map(|class| class.name.as_str()).collect();
        let class = gpu.sms.iter().find(|class| self.sm_class.as_ref().map_or(classes.len() == 1, |name| *name == class.name));
        let Some(mut class) = class.cloned() else {
            let found = self.sm_class.as_ref().map_or("nothing".into(), |name| format!("{name:?}"));
            return Err(problem("--sm-class", found, &format!("one of {}", classes.join(", "))).into());
        };
        class.register_granularity = self.granularity.unwrap_or(class.register_granularity);
        for (flag, found, from, to) in [
            ("--threads", self.threads, 1, 2048),
            ("--regs", self.regs, 1, 255),
            ("--smem", self.smem, 0, 1 << 20),
            ("--granularity", class.register_granularity, 1, 1024),
        ] {
            if !(from..=to).contains(&found) {
                return Err(problem(flag, found, &format!("a whole number from {from} to {to}")).into());
            }
        }
        let launch = Launch {
            grid: 1.into(),
            threads: self.threads,
            registers: self.regs,
            shared_bytes: self.smem,
            program: Vec::new(),
            ..Launch::default()
        };
        let occupancy = occupancy::of(&launch, &class);
        Ok(Value::object([("ctas_per_sm", Value::from(occupancy.ctas)), ("limiter", occupancy.limiter.key().into())]))
    }
}

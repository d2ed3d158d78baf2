//! What a timeline says of who overlaps whom, as people read it.

use crate::text;
use corun_timelines::measured::Spread;
use corun_timelines::names::{Names, extent, short};
use corun_timelines::report::{BesideRow, KernelRow, PairRow, Report, time};
use corun_timelines::rows::Row;
use corun_timelines::timeline::{Kernel, Shape};
use sim_core::describe::error::one_line;
use std::cmp::Reverse;

/// Kernels that are listed with most time, and of what co-runs cost.
const LISTED: usize = 10;

/// Names beside which co-runs are listed.
const LISTED_NAMES: usize = 4;

/// Pairs that overlap, and pairs that never do, of each.
const LISTED_PAIRS: usize = 5;

/// Kernels with most time, pairs with most to win, what co-runs cost, and the largest loss.
pub fn text(report: &Report) -> String {
    let mut parts = vec![text::table(1, kernels(report)), report.overview.clone()];
    let (mut met, apart): (Vec<&PairRow>, Vec<&PairRow>) =
        report.pairs.iter().filter(|pair| pair.alike.is_some()).partition(|pair| pair.meetings > 0);
    met.sort_by_key(|pair| Reverse(pair.seen_ns));
    for (title, rows) in [("Overlapping longest", met), ("Never, with most to win", apart)] {
        let more = if rows.len() > LISTED_PAIRS {
            format!(" ({LISTED_PAIRS} of {} kinds)", text::grouped(rows.len() as i64))
        } else {
            String::new()
        };
        parts.extend((!rows.is_empty()).then(|| format!("{title}{more}:")));
        parts.extend(rows.into_iter().take(LISTED_PAIRS).map(pair));
    }
    parts.push(report.slowdowns.clone());
    if !report.beside.is_empty() {
        parts.push(cost(report.beside.iter().filter_map(|row| Cost::of_report(report, row)).collect(), [LISTED, LISTED_NAMES]));
    }
    parts.push(format!("The largest loss: {}", report.loss));
    parts.join("\n\n")
}

fn kernels(report: &Report) -> Vec<Vec<String>> {
    let heading =
        ["kernel", "launches", "total", "median", "grid", "block", "registers", "shared", "CTAs/SM", "limited by", "waves", "tail free"];
    let row = |row: &KernelRow| {
        let times = [row.short.clone(), text::grouped(row.launches as i64), time(row.ns), time(row.median_ns)];
        let shape = row.shape.map_or(["–"; 4].map(str::to_owned), |of| {
            [extent(of.grid), extent(of.block), of.registers.to_string(), text::grouped(of.shared_bytes.into())]
        });
        let resident = row.resident.as_ref().map_or(["–"; 4].map(str::to_owned), |of| {
            [
                of.ctas_per_sm.to_string(),
                of.limiter.replace('_', " "),
                of.waves.map_or("–".into(), |waves| format!("{waves:.2}")),
                format!("{:.0} %", 100.0 * of.tail_free),
            ]
        });
        times.into_iter().chain(shape).chain(resident).collect()
    };
    [heading.map(str::to_owned).to_vec()].into_iter().chain(report.kernels.iter().take(LISTED).map(row)).collect()
}

fn pair(pair: &PairRow) -> String {
    let alike = match pair.alike {
        None | Some(0) => String::new(),
        Some(alike) => format!(" {} more {} like it.", text::grouped(alike as i64), if alike == 1 { "is" } else { "are" }),
    };
    let mut lines = vec![format!("{}{alike}", one_line(&pair.words))];
    let places: Vec<String> = pair.places.iter().map(|place| format!("{}: {}", place.title, place.words)).collect();
    if !places.is_empty() {
        lines.push(format!("  places of the second beside the first, by {}", places.join("; ")));
    }
    let slower = pair.slowdowns.iter().zip(["first", "second"]);
    let measured: Vec<String> =
        slower.filter_map(|(slower, which)| Some(format!("the {which} takes {:.2} times as long", (*slower)?))).collect();
    let measured = if measured.is_empty() { String::new() } else { format!("; measured: {}", measured.join(", ")) };
    lines.push(format!("  at most {} could be shared that are not{measured}", time(pair.lost_ns)));
    lines.join("\n")
}

/// A kernel beside kernels of a name, in a row and a column.
pub struct Cost<'a> {
    kernel: (&'a str, Option<Shape>),
    alone: Option<Spread>,
    name: &'a str,
    beside: Spread,
}

impl<'a> Cost<'a> {
    /// One that a store has kept.
    pub fn of_row(row: &'a Row) -> Cost<'a> {
        Cost { kernel: (&row.kernel.name, row.kernel.shape), alone: row.alone, name: &row.name, beside: row.beside }
    }

    /// One of a kernel that the report has.
    fn of_report(report: &'a Report, row: &'a BesideRow) -> Option<Cost<'a>> {
        let kernel = report.kernels.iter().find(|kernel| kernel.kernel == row.kernel)?;
        Some(Cost { kernel: (&kernel.name, kernel.shape), alone: row.alone, name: &row.name, beside: row.beside })
    }

    /// The median and the quartiles beside others, over the median alone, and of how many; where it was not seen alone, its time.
    fn words(&self) -> String {
        let Spread { cases, lower, median, upper } = self.beside;
        match self.alone.map(|alone| alone.median).filter(|alone| *alone > 0.0) {
            Some(alone) => format!("{:.2} ({:.2} to {:.2}) of {cases}", median / alone, lower / alone, upper / alone),
            None => in_cases(self.beside),
        }
    }
}

/// A median, and of how many.
fn in_cases(spread: Spread) -> String {
    format!("{} of {}", time(spread.median as u64), spread.cases)
}

/// How many times as long kernels took beside others as alone, a row a kernel, a column a name: so many of each, those with most time first.
pub fn cost(mut all: Vec<Cost<'_>>, most: [usize; 2]) -> String {
    let time = |one: &Cost<'_>| one.beside.median * one.beside.cases as f64;
    all.sort_by(|one, other| time(other).total_cmp(&time(one)));
    let (mut names, mut kernels): (Vec<&str>, Vec<&Cost<'_>>) = Default::default();
    for one in &all {
        if !names.contains(&one.name) && names.len() < most[1] {
            names.push(one.name);
        }
        if names.contains(&one.name) && kernels.len() < most[0] && !kernels.iter().any(|kernel| kernel.kernel == one.kernel) {
            kernels.push(one);
        }
    }
    let heading = ["kernel", "alone"].map(str::to_owned).into_iter().chain(names.iter().map(|name| format!("beside {}", short(name))));
    let called = |of: &&Cost<'_>| Kernel { name: of.kernel.0.into(), shape: of.kernel.1, estimated_occupancy: None };
    let called = Names::of(&kernels.iter().map(called).collect::<Vec<_>>()).whole;
    let line = |(of, called): (&&Cost<'_>, String)| {
        let cell = |name: &&str| all.iter().find(|one| one.kernel == of.kernel && one.name == *name).map_or("–".into(), Cost::words);
        [called, of.alone.map_or("–".into(), in_cases)].into_iter().chain(names.iter().map(cell)).collect()
    };
    let table = text::table(2, [heading.collect()].into_iter().chain(kernels.iter().zip(called).map(line)));
    let shown = all.iter().filter(|one| names.contains(&one.name) && kernels.iter().any(|kernel| kernel.kernel == one.kernel)).count();
    let more = if shown < all.len() { format!(" ({shown} of {})", text::grouped(all.len() as i64)) } else { String::new() };
    format!("Times as long as alone (quartiles), of cases{more}:\n\n{table}")
}

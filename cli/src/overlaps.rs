//! What a timeline says of who overlaps whom, as people read it.

use crate::text;
use corun_timelines::measured::Spread;
use corun_timelines::report::{BesideRow, KernelRow, PairRow, Report, short, time};
use sim_core::describe::error::one_line;
use std::cmp::Reverse;

/// Kernels and co-runs that are listed of each.
const LISTED: usize = 10;

/// Pairs that overlap, and pairs that never do, of each.
const LISTED_PAIRS: usize = 5;

/// Kernels with most time, pairs with most to win, what co-runs cost, and the largest loss.
pub fn text(report: &Report) -> String {
    let mut parts = vec![text::table(1, kernels(report)), report.overview.clone()];
    let (mut met, apart): (Vec<&PairRow>, Vec<&PairRow>) = report.pairs.iter().partition(|pair| pair.meetings > 0);
    met.sort_by_key(|pair| Reverse(pair.seen_ns));
    for (title, rows) in [("Overlapping longest", met), ("Never, with most to win", apart)] {
        let more =
            if rows.len() > LISTED_PAIRS { format!(" ({LISTED_PAIRS} of {})", text::grouped(rows.len() as i64)) } else { String::new() };
        parts.extend((!rows.is_empty()).then(|| format!("{title}{more}:")));
        parts.extend(rows.into_iter().take(LISTED_PAIRS).map(pair));
    }
    parts.push(report.slowdowns.clone());
    if !report.beside.is_empty() {
        parts.push(text::table(2, beside(report)));
    }
    parts.push(format!("The largest loss: {}", report.loss));
    parts.join("\n\n")
}

/// Sizes along dimensions, without those at the end that are 1.
fn extent(sizes: [u32; 3]) -> String {
    let last = sizes.iter().rposition(|size| *size != 1).unwrap_or(0);
    sizes[..=last].iter().map(ToString::to_string).collect::<Vec<_>>().join("×")
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
    let mut lines = vec![one_line(&pair.words)];
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

fn beside(report: &Report) -> Vec<Vec<String>> {
    let heading = ["kernel", "beside", "cases", "median", "quartiles", "alone: cases", "median", "quartiles", "times as long"];
    let row = |row: &BesideRow| {
        let name = report.kernels.iter().find(|kernel| kernel.kernel == row.kernel).map_or("–", |kernel| &kernel.short);
        let spread = |spread: Spread| {
            let [lower, median, upper] = [spread.lower, spread.median, spread.upper].map(|ns| time(ns as u64));
            [spread.cases.to_string(), median, format!("{lower} to {upper}")]
        };
        let alone = row.alone.map_or(["–"; 3].map(str::to_owned), spread);
        let slowdown = row.slowdown.map_or("–".into(), |slowdown| format!("{slowdown:.2}"));
        [name.to_owned(), short(&row.name)].into_iter().chain(spread(row.beside)).chain(alone).chain([slowdown]).collect()
    };
    [heading.map(str::to_owned).to_vec()].into_iter().chain(report.beside.iter().take(LISTED).map(row)).collect()
}

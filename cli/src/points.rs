//! What the points of a sweep found, side by side: a table, a file for a spreadsheet, a plot.

use crate::{input, report, results, text};
use corun_lab::jsonl::Lines;
use corun_lab::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::catalogue::metrics;
use sim_core::study::figure::{Figure, Kind, Label, Measure, Options, Point, Reduce, draw, lookup};
use std::collections::BTreeMap;

/// What a table has of each point: figures of the whole, by their places in a result.
const FIGURES: &[&str] = &["gpu.ipc", "metrics.hspeedup", "metrics.stp", "metrics.antt", "metrics.fairness"];

/// Longest value of an axis in a table, characters.
const LONGEST: usize = 32;

/// The points that a file has, in order.
#[derive(Debug, Default)]
pub struct Points {
    /// What the plot shows, and the table where it has it not anyway.
    metric: String,
    /// By index, so that a point that stands twice counts once.
    rows: BTreeMap<usize, Row>,
    /// How many points the sweep has.
    points: usize,
}

/// One point.
#[derive(Debug)]
struct Row {
    axes: Vec<(String, String)>,
    stop: String,
    /// Of `FIGURES`, and whether each is known: as tables show it.
    shown: Vec<Option<String>>,
    /// What the plot shows, and its interval.
    value: Option<f64>,
    ci95: Option<[f64; 2]>,
    /// The name of the kernel of which that is a figure.
    kernel: Option<String>,
    /// Cells of the CSV file, by heading.
    cells: Vec<(String, String)>,
}

impl Points {
    /// Reads a file of results, which another process may be writing: a last line that is cut is no point yet.
    pub fn read(file: &str, metric: &str) -> Result<Points, Problems> {
        let mut points = Points { metric: metric.to_owned(), ..Points::default() };
        let rows = results::read(&input::open(file)?, file, 0, |line| {
            points.take(line);
            Ok(())
        })?;
        results::one_sweep(&rows)?;
        Ok(points)
    }

    /// Those of a file of one's own.
    pub fn of(lines: &mut Lines) -> Result<Points, Problems> {
        let mut points = Points::default();
        results::read_own(lines, |line| {
            points.take(line);
            Ok(())
        })?;
        Ok(points)
    }

    fn take(&mut self, line: &Value) {
        let whole = |key| line.get(key).and_then(Value::as_int).and_then(|n| usize::try_from(n).ok());
        let (Some(index), Some(points), Some(result)) = (whole("index"), whole("points"), line.get("result")) else { return };
        self.points = points;
        let axes = match line.get("axes") {
            Some(Value::Object(axes)) => axes.iter().map(|(path, value)| (path.clone(), named(value))).collect(),
            _ => Vec::new(),
        };
        let stop = text::plain(result.get("stop"));
        let shown = self.figures().map(|path| path.rsplit_once('.').map(|(place, key)| report::figure(result, place, key)));
        let shown = shown.map(|cell| cell.filter(|cell| cell != "–")).collect();
        let kernel = of_kernel(&self.metric).and_then(|kernel| report::items(result.get("kernels")).get(kernel));
        let kernel = kernel.map(|kernel| text::plain(kernel.get("name")));
        let (value, ci95) = (lookup(result, &self.metric), report::ends(result, &self.metric));
        self.rows.insert(index, Row { value, ci95, kernel, cells: cells(result), axes, stop, shown });
    }

    /// What a table has of each point.
    fn figures(&self) -> impl Iterator<Item = &str> {
        let own = Some(self.metric.as_str()).filter(|metric| metric.contains('.') && !FIGURES.contains(metric));
        FIGURES.iter().copied().chain(own)
    }

    /// What a figure is called, with its unit, and with the kernel's name where all points have one of that name there.
    fn heading(&self, path: &str) -> String {
        let names = distinct(self.rows.values().filter_map(|row| row.kernel.clone()));
        match (of_kernel(path), names.as_slice()) {
            (Some(kernel), names) => {
                let whose = if let [name] = names { name.clone() } else { format!("kernels[{kernel}]") };
                let heading = heading(path);
                let (title, unit) =
                    heading.split_once(", ").map_or((heading.as_str(), String::new()), |(title, unit)| (title, format!(", {unit}")));
                format!("{title} of {whose}{unit}")
            }
            _ => heading(path),
        }
    }

    /// Paths that are varied.
    fn paths(&self) -> Vec<String> {
        self.rows.values().next().map_or(Vec::new(), |row| row.axes.iter().map(|(path, _)| path.clone()).collect())
    }

    /// A line for each of the first points, with what is known of any.
    pub fn table(&self, most: usize) -> String {
        let figures: Vec<&str> = self.figures().collect();
        let known: Vec<usize> = (0..figures.len()).filter(|&figure| self.rows.values().any(|row| row.shown[figure].is_some())).collect();
        let ends = |row: &Row| if row.stop == "stuck" || row.stop == "failed" { row.stop.clone() } else { String::new() };
        let heading = ["point".to_owned()].into_iter().chain(self.paths()).chain(known.iter().map(|&figure| self.heading(figures[figure])));
        let line = |(index, row): (&usize, &Row)| {
            let axes = row.axes.iter().map(|(_, value)| shortened(value));
            let figures = known.iter().map(|&figure| row.shown[figure].clone().unwrap_or("–".to_owned()));
            [index.to_string()].into_iter().chain(axes).chain(figures).chain([ends(row)]).collect::<Vec<_>>()
        };
        let rows = [heading.chain([String::new()]).collect()].into_iter().chain(self.rows.iter().take(most).map(line));
        let mut out = text::table(1 + self.paths().len(), rows);
        if self.rows.len() > most {
            out += &format!("\n… and {} more", self.rows.len() - most);
        }
        if self.rows.len() < self.points {
            out += &format!("\n{} of {} points", self.rows.len(), self.points);
        }
        out
    }

    /// Every point with its axes, the figures of the whole and each kernel's, with the ends of their intervals.
    pub fn csv(&self) -> String {
        let longest = self.rows.values().max_by_key(|row| row.cells.len());
        let headings = longest.iter().flat_map(|row| row.cells.iter().map(|(heading, _)| heading.clone()));
        let heading = ["index".to_owned()].into_iter().chain(self.paths()).chain(headings);
        let mut lines = vec![heading.map(|cell| text::csv_text(&cell)).collect::<Vec<_>>()];
        let columns = lines[0].len();
        for (index, row) in &self.rows {
            let axes = row.axes.iter().map(|(_, value)| text::csv_text(value));
            let mut cells: Vec<String> =
                [index.to_string()].into_iter().chain(axes).chain(row.cells.iter().map(|(_, cell)| cell.clone())).collect();
            // A mix of fewer kernels than another.
            cells.resize(columns, String::new());
            lines.push(cells);
        }
        lines.iter().map(|cells| cells.join(",")).collect::<Vec<_>>().join("\n")
    }

    /// The metric along the last axis that varies, a series for each combination of the others.
    pub fn svg(&self) -> Result<String, Problems> {
        if self.rows.values().all(|row| row.value.is_none()) {
            return Err(problem("--metric", &self.metric, "the place of a number that these results have, such as gpu.ipc"));
        }
        let labels = |row: &Row, path: usize| row.axes.get(path).map_or(String::new(), |(_, value)| value.clone());
        let paths = self.paths();
        let along = (0..paths.len()).rev().find(|&path| distinct(self.rows.values().map(|row| labels(row, path))).len() > 1).unwrap_or(0);
        let others: Vec<usize> = (0..paths.len()).filter(|&path| path != along && !self.follows(path, along)).collect();
        let name = |row: &Row| others.iter().map(|&path| labels(row, path)).collect::<Vec<_>>().join(", ");
        let (series, places) = (distinct(self.rows.values().map(name)), distinct(self.rows.values().map(|row| labels(row, along))));
        let numbers: Option<Vec<f64>> = places.iter().map(|place| place.parse().ok()).collect();
        let place = |list: &[String], name: &str| list.iter().position(|known| known == name).unwrap_or(0);
        let x = |row: &Row| {
            let place = place(&places, &labels(row, along));
            numbers.as_ref().map_or(place as f64, |numbers| numbers[place])
        };
        let point = |row: &Row| Point {
            series: place(&series, &name(row)),
            x: x(row),
            value: row.value,
            ci95: row.ci95,
            paper: None,
            runs: Vec::new(),
            baseline: Vec::new(),
            measure: None,
        };
        let label = |label: &str| Label { label: label.to_owned(), unit: String::new() };
        let title = self.heading(&self.metric);
        let figure = Figure {
            id: "sweep".to_owned(),
            title: format!("{title} by {}", paths.get(along).map_or("point", String::as_str)),
            source: String::new(),
            kind: if numbers.is_some() { Kind::Lines } else { Kind::Bars },
            x: label(paths.get(along).map_or("", String::as_str)),
            y: label(&title),
            series: series.clone(),
            categories: if numbers.is_some() { Vec::new() } else { places.clone() },
            measure: Measure { path: self.metric.clone(), reduce: Reduce::Given },
            points: self.rows.values().map(point).collect(),
            differs: String::new(),
        };
        Ok(draw(&figure, Options::default()))
    }

    /// Whether one axis says no more than another: it steps with it, or not at all.
    fn follows(&self, path: usize, along: usize) -> bool {
        let mut known = BTreeMap::new();
        self.rows
            .values()
            .filter_map(|row| row.axes.get(along).zip(row.axes.get(path)))
            .all(|((_, x), (_, y))| *known.entry(x).or_insert(y) == y)
    }
}

/// Each once, in the order in which they come.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut distinct = Vec::new();
    names.for_each(|name| {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    });
    distinct
}

/// The kernel of which a place in a result is a figure.
fn of_kernel(path: &str) -> Option<usize> {
    path.strip_prefix("kernels[")?.split_once(']')?.0.parse().ok()
}

/// What a figure is called, with its unit.
fn heading(path: &str) -> String {
    let key = path.rsplit_once(['.']).map_or(path, |(_, key)| key);
    match metrics().into_iter().find(|metric| path.ends_with(&metric.key) && metric.key.ends_with(key)) {
        Some(_) if path == "gpu.ipc" => "IPC, thread instr./cycle".to_owned(),
        Some(metric) if metric.unit.is_empty() => metric.title.to_owned(),
        Some(metric) => format!("{}, {}", metric.title, metric.unit),
        None => path.to_owned(),
    }
}

/// The value of an axis as a word: a mix by its kernels, a policy by its name and what is set of it.
fn named(value: &Value) -> String {
    let name = |value: &Value| ["name", "kernel", "preset"].into_iter().find_map(|key| value.get(key)?.as_str().map(str::to_owned));
    match value {
        Value::Array(items) if items.iter().all(|item| item.as_str().is_some() || name(item).is_some()) => {
            items.iter().map(named).collect::<Vec<_>>().join(" + ")
        }
        Value::Object(pairs) if name(value).is_some() => {
            let more = pairs.iter().filter(|(key, _)| !["name", "kernel", "preset"].contains(&key.as_str()));
            let more: Vec<String> = more.map(|(key, value)| format!("{key} {value}")).collect();
            [name(value).unwrap_or_default()].into_iter().chain(more).collect::<Vec<_>>().join(" ")
        }
        other => text::plain(Some(other)),
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST { text.to_owned() } else { text.chars().take(LONGEST - 1).chain(['…']).collect() }
}

/// A point's cells of the CSV file, by heading.
fn cells(result: &Value) -> Vec<(String, String)> {
    let number = |place: &str| lookup(result, place).map_or(String::new(), |x| x.to_string());
    let mut cells: Vec<(String, String)> =
        ["config_hash", "engine", "stop", "cycles"].map(|key| (key.to_owned(), text::csv_cell(result.get(key)))).to_vec();
    for place in FIGURES {
        let [low, high] = report::ends(result, place).map_or([String::new(), String::new()], |ends| ends.map(|end| end.to_string()));
        cells.extend([((*place).to_owned(), number(place)), (format!("{place}.low"), low), (format!("{place}.high"), high)]);
    }
    for kernel in 0..report::items(result.get("kernels")).len() {
        let own = report::kernel_cells(result, kernel).into_iter();
        cells.extend(own.map(|(heading, cell)| (format!("kernels[{kernel}].{heading}"), cell)));
    }
    cells
}

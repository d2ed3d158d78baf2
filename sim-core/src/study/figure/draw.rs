//! A figure as SVG, at the width that it will have: text keeps its size, so that it is legible on a telephone and on a projector.
//!
//! Where columns would be too narrow to see, bars become rows of dots, a row for each category: that holds any number of them.

use super::axis::Axis;
use super::data::{Figure, Kind, Label, Point};
use super::svg::{Svg, colour, short, width};
use crate::describe::error::Problems;
use crate::describe::record::Absent::{Flag, Int};
use crate::describe::record::{Datum, Shape, int, record};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

record! {
    /// How a figure is drawn.
    #[derive(Copy, Eq)]
    pub struct Options as OPTIONS "DrawOptions", "an object";
    /// Width of the picture.
    width: u32 ["pixels"] = int!(240, 4000), Int(720);
    /// Whether the title stands in the picture.
    title: bool = Shape::Flag, Flag(true);
}

impl Default for Options {
    fn default() -> Self {
        Options::read(&Value::Null)
    }
}

impl Options {
    /// Reads options; what is left out has its default.
    pub fn decode(value: &Value) -> Result<Options, Problems> {
        let mut problems = Problems::default();
        OPTIONS.check(value, "options", &mut problems);
        problems.or(Options::read(value))
    }
}

/// Narrowest column, pixels.
const NARROWEST: f64 = 5.0;

/// Height of a row of dots, pixels.
const ROW: f64 = 15.0;

/// Most marks of a series that are drawn besides its line.
const MARKED: usize = 60;

/// Where the plot lies within the picture.
#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Draws a figure.
pub fn draw(figure: &Figure, options: Options) -> String {
    let wide = f64::from(options.width);
    let in_rows = figure.kind == Kind::Bars && column(figure, wide) < NARROWEST;
    let legend = Legend::of(figure, wide);
    let top = if options.title { 28.0 } else { 6.0 } + legend.height + 8.0;
    // Half a number stands right of the last tick.
    let right = wide - if figure.categories.is_empty() { 28.0 } else { 12.0 };
    let area = if in_rows {
        let left = 14.0 + 1.15 * widest(&figure.categories);
        Area { left, right, top, bottom: top + ROW * figure.categories.len() as f64 + 4.0 }
    } else {
        Area { left: 58.0, right, top, bottom: top + (wide * 0.45).clamp(150.0, 340.0) }
    };
    let tall = area.bottom + 40.0 + if in_rows { 0.0 } else { leaning(figure, area) };
    let mut svg = Svg::new(wide, tall, &name(figure));
    if options.title {
        svg.text((2.0, 16.0), "start", "title", &fitting(&figure.title, wide, 15.0));
    }
    legend.draw(&mut svg, if options.title { 28.0 } else { 6.0 });
    if in_rows {
        rows(figure, &mut svg, area);
    } else {
        match figure.kind {
            Kind::Bars => columns(figure, &mut svg, area),
            Kind::Shares => shares(figure, &mut svg, area),
            Kind::Lines | Kind::Scatter => marks(figure, &mut svg, area),
        }
    }
    svg.finish()
}

fn name(figure: &Figure) -> String {
    if figure.source.is_empty() { figure.title.clone() } else { format!("{} ({})", figure.title, figure.source) }
}

/// Letters that have room in a width.
fn most_letters(room: f64, size: f64) -> usize {
    (room / (size * 0.56)) as usize
}

/// Text cut to a width.
fn fitting(text: &str, room: f64, size: f64) -> String {
    let most = most_letters(room, size);
    if text.chars().count() <= most { text.to_string() } else { format!("{}…", text.chars().take(most.max(2) - 1).collect::<String>()) }
}

fn widest(names: &[String]) -> f64 {
    names.iter().map(|name| width(name, 11.0)).fold(0.0, f64::max)
}

/// Width of a column in a picture `wide` pixels wide.
fn column(figure: &Figure, wide: f64) -> f64 {
    (wide - 70.0) / figure.categories.len() as f64 * 0.84 / figure.series.len() as f64
}

/// How much further down leaning names of categories reach, or 0 where they fit upright.
fn leaning(figure: &Figure, area: Area) -> f64 {
    let each = (area.right - area.left) / figure.categories.len().max(1) as f64;
    let widest = widest(&figure.categories);
    if widest + 6.0 <= each { 0.0 } else { (widest * 0.6).max(12.0) }
}

/// A mark's tooltip.
fn says(figure: &Figure, point: &Point) -> String {
    let shown = |value: f64| if percent(figure) { format!("{} %", short(value * 100.0)) } else { short(value) };
    let x = figure.categories.get(point.x as usize).cloned().unwrap_or_else(|| format!("{} {}", figure.x.label, short(point.x)));
    let series = if figure.series.len() > 1 { format!("{}, ", figure.series[point.series]) } else { String::new() };
    let value = point.value.map_or("no value".into(), shown);
    let ends = point.ci95.map_or(String::new(), |[low, high]| format!(" ({} to {})", shown(low), shown(high)));
    let paper = point.paper.map_or(String::new(), |paper| format!(" (paper {})", shown(paper)));
    let runs = if point.runs.len() > 1 { format!(", {} runs", point.runs.len()) } else { String::new() };
    format!("{series}{x}: {value}{ends}{paper}{runs}")
}

fn percent(figure: &Figure) -> bool {
    figure.y.unit == "%"
}

fn axis_label(label: &Label) -> String {
    if label.unit.is_empty() { label.label.clone() } else { format!("{} ({})", label.label, label.unit) }
}

/// Names of the series, in as many lines as they need.
struct Legend {
    places: Vec<(f64, f64, String, Option<usize>)>,
    height: f64,
}

impl Legend {
    fn of(figure: &Figure, wide: f64) -> Legend {
        let mut entries: Vec<(String, Option<usize>)> = Vec::new();
        if figure.series.len() > 1 {
            entries.extend(figure.series.iter().enumerate().map(|(i, name)| (name.clone(), Some(i))));
        }
        if figure.points.iter().any(|point| point.paper.is_some()) {
            entries.push(("paper".to_string(), None));
        }
        let (mut x, mut y) = (2.0, 0.0);
        let mut places = Vec::new();
        for (text, series) in entries {
            let needs = 14.0 + width(&text, 13.0) + 14.0;
            if x > 2.0 && x + needs > wide {
                (x, y) = (2.0, y + 18.0);
            }
            places.push((x, y, text, series));
            x += needs;
        }
        let height = if places.is_empty() { 0.0 } else { y + 18.0 };
        Legend { places, height }
    }

    fn draw(&self, svg: &mut Svg, top: f64) {
        for (x, y, text, series) in &self.places {
            match series {
                Some(series) => svg.swatch((*x, top + y), &format!("bar {}", colour(*series))),
                None => svg.paper((x + 5.0, top + y + 5.0)),
            }
            svg.text((x + 14.0, top + y + 9.5), "start", "", text);
        }
    }
}

/// Every number that the value axis has to cover.
fn numbers(figure: &Figure) -> impl Iterator<Item = f64> {
    figure
        .points
        .iter()
        .flat_map(|point| [point.value, point.ci95.map(|ends| ends[0]), point.ci95.map(|ends| ends[1]), point.paper])
        .flatten()
}

/// Horizontal lines with their numbers, and the axis' label above them.
fn value_axis(figure: &Figure, svg: &mut Svg, area: Area, axis: &Axis) {
    for (value, text) in axis.ticks(percent(figure)) {
        let y = axis.at(value);
        svg.line((area.left, y), (area.right, y), "grid");
        svg.text((area.left - 6.0, y + 4.0), "end", "small", &text);
    }
    let room = area.bottom - area.top;
    let label = axis_label(&figure.y);
    let lines = lines(&label, room);
    for (line, x) in lines.iter().zip(if lines.len() == 1 { [13.0, 0.0] } else { [9.0, 21.0] }) {
        svg.leaning((x, (area.top + area.bottom) / 2.0), -90, "middle", "small", &fitting(line, room, 11.0));
    }
}

/// Small text in one line, or in two of about the same length where it is longer than the room.
fn lines(text: &str, room: f64) -> Vec<&str> {
    if text.chars().count() <= most_letters(room, 11.0) {
        return alloc::vec![text];
    }
    let spaces = text.char_indices().filter(|(_, letter)| *letter == ' ').map(|(at, _)| at);
    match spaces.min_by_key(|at| (2 * at).abs_diff(text.len())) {
        Some(at) => alloc::vec![&text[..at], &text[at + 1..]],
        None => alloc::vec![text],
    }
}

/// The line at the bottom, with the axis' label.
fn base(figure: &Figure, svg: &mut Svg, area: Area, further: f64) {
    svg.line((area.left, area.bottom), (area.right, area.bottom), "axis");
    svg.text(((area.left + area.right) / 2.0, area.bottom + 33.0 + further), "middle", "small", &axis_label(&figure.x));
}

/// Names of the categories below, upright where they fit.
fn category_axis(figure: &Figure, svg: &mut Svg, area: Area) {
    let each = (area.right - area.left) / figure.categories.len() as f64;
    let lean = leaning(figure, area);
    // Where even leaning names would overlap, only every n-th is written.
    let step = if lean > 0.0 { libm::ceil(13.0 / each) as usize } else { 1 };
    for (i, name) in figure.categories.iter().enumerate().step_by(step.max(1)) {
        let x = area.left + (i as f64 + 0.5) * each;
        if lean > 0.0 {
            svg.leaning((x + 4.0, area.bottom + 12.0), -40, "end", "small", name);
        } else {
            svg.text((x, area.bottom + 15.0), "middle", "small", name);
        }
    }
    base(figure, svg, area, lean);
}

/// The interval of a point, as a line between its ends.
fn interval(point: &Point, svg: &mut Svg, place: impl Fn(f64) -> (f64, f64)) {
    if let Some([low, high]) = point.ci95 {
        svg.line(place(low), place(high), "axis");
    }
}

/// Grouped bars.
fn columns(figure: &Figure, svg: &mut Svg, area: Area) {
    let axis = Axis::over(numbers(figure), true, 5, (area.bottom, area.top));
    value_axis(figure, svg, area, &axis);
    let each = (area.right - area.left) / figure.categories.len() as f64;
    let bar = each * 0.84 / figure.series.len() as f64;
    let x = |point: &Point| area.left + (point.x + 0.08) * each + point.series as f64 * bar;
    for (i, point) in figure.points.iter().enumerate() {
        if let Some(value) = point.value {
            let (y, zero) = (axis.at(value), axis.at(0.0));
            let place = (x(point) + bar * 0.05, y.min(zero));
            svg.bar(place, (bar * 0.9, (zero - y).abs()), &colour(point.series), i, &says(figure, point));
        }
    }
    for point in &figure.points {
        interval(point, svg, |value| (x(point) + bar / 2.0, axis.at(value)));
        if let Some(paper) = point.paper {
            svg.paper((x(point) + bar / 2.0, axis.at(paper)));
        }
    }
    category_axis(figure, svg, area);
}

/// A row for each category, a dot for each series.
fn rows(figure: &Figure, svg: &mut Svg, area: Area) {
    let axis = Axis::over(numbers(figure), false, ((area.right - area.left) / 70.0) as usize, (area.left, area.right));
    let y = |category: f64| area.top + (category + 0.5) * ROW;
    for (value, text) in axis.ticks(percent(figure)) {
        svg.line((axis.at(value), area.top), (axis.at(value), area.bottom), "grid");
        svg.text((axis.at(value), area.bottom + 14.0), "middle", "small", &text);
    }
    for (i, name) in figure.categories.iter().enumerate() {
        svg.line((area.left, y(i as f64)), (area.right, y(i as f64)), "grid");
        svg.text((area.left - 6.0, y(i as f64) + 4.0), "end", "small", name);
    }
    for (i, point) in figure.points.iter().enumerate() {
        if let Some(value) = point.value {
            svg.dot((axis.at(value), y(point.x)), 3.5, &colour(point.series), i, &says(figure, point));
        }
    }
    for point in &figure.points {
        interval(point, svg, |value| (axis.at(value), y(point.x)));
        if let Some(paper) = point.paper {
            svg.paper((axis.at(paper), y(point.x)));
        }
    }
    svg.text(((area.left + area.right) / 2.0, area.bottom + 33.0), "middle", "small", &axis_label(&figure.y));
}

/// Stacked parts of each category, the first series at the bottom.
fn shares(figure: &Figure, svg: &mut Svg, area: Area) {
    let total =
        |category: usize| figure.points.iter().filter(|point| point.x as usize == category).filter_map(|point| point.value).sum::<f64>();
    let axis = Axis::over((0..figure.categories.len()).map(total), true, 5, (area.bottom, area.top));
    value_axis(figure, svg, area, &axis);
    let each = (area.right - area.left) / figure.categories.len() as f64;
    let wide = (each * 0.6).min(90.0);
    let mut order: Vec<usize> = (0..figure.points.len()).collect();
    order.sort_by_key(|&i| figure.points[i].series);
    let mut below = alloc::vec![0.0; figure.categories.len()];
    // The paper's parts stack on each other, up to the first that the paper does not print.
    let mut papers_below = alloc::vec![Some(0.0); figure.categories.len()];
    let mut papers = Vec::new();
    for i in order {
        let point = &figure.points[i];
        let under = &mut below[point.x as usize];
        let x = area.left + (point.x + 0.5) * each;
        let paper_under = &mut papers_below[point.x as usize];
        *paper_under = paper_under.zip(point.paper).map(|(under, paper)| under + paper);
        papers.extend(paper_under.map(|paper| (x + wide / 2.0, axis.at(paper))));
        let Some(value) = point.value else { continue };
        let (bottom, top) = (axis.at(*under), axis.at(*under + value));
        svg.bar((x - wide / 2.0, top), (wide, bottom - top), &colour(point.series), i, &says(figure, point));
        *under += value;
    }
    papers.into_iter().for_each(|place| svg.paper(place));
    category_axis(figure, svg, area);
}

/// Lines or single marks over numbers or categories.
fn marks(figure: &Figure, svg: &mut Svg, area: Area) {
    let y = Axis::over(numbers(figure), figure.kind == Kind::Lines, 5, (area.bottom, area.top));
    value_axis(figure, svg, area, &y);
    let each = (area.right - area.left) / figure.categories.len().max(1) as f64;
    let xs = || figure.points.iter().map(|point| point.x);
    let along = Axis::over(xs(), false, ((area.right - area.left) / 80.0) as usize, (area.left, area.right));
    let along = if figure.kind == Kind::Lines { along.tight(xs()) } else { along };
    let x = |value: f64| if figure.categories.is_empty() { along.at(value) } else { area.left + (value + 0.5) * each };
    if figure.categories.is_empty() {
        for (value, text) in along.ticks(false) {
            svg.line((along.at(value), area.bottom), (along.at(value), area.bottom + 4.0), "axis");
            svg.text((along.at(value), area.bottom + 16.0), "middle", "small", &text);
        }
        base(figure, svg, area, 0.0);
    } else {
        category_axis(figure, svg, area);
    }
    for series in 0..figure.series.len() {
        let points = || figure.points.iter().enumerate().filter(|(_, point)| point.series == series);
        let places: Vec<(f64, f64)> = points().filter_map(|(_, point)| Some((x(point.x), y.at(point.value?)))).collect();
        let class = colour(series);
        if figure.kind == Kind::Lines {
            svg.path(&places, &format!("{class} line"));
        }
        let (radius, look) = if figure.kind == Kind::Lines && places.len() > MARKED { (3.0, "hit".to_string()) } else { (3.2, class) };
        for (i, point) in points() {
            if let Some(value) = point.value {
                svg.dot((x(point.x), y.at(value)), radius, &look, i, &says(figure, point));
            }
        }
    }
    for point in &figure.points {
        interval(point, svg, |value| (x(point.x), y.at(value)));
        if let Some(paper) = point.paper {
            svg.paper((x(point.x), y.at(paper)));
        }
    }
}

//! How results look to people: tables, numbers with their doubt, lines that fit.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use sim_core::describe::error::one_line;
use sim_core::describe::value::Value;

/// Columns of a line of text, wherever it goes.
const WIDTH: u16 = 100;

/// Rows in columns; the first `left` of them are text, the others numbers.
pub fn table(left: usize, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = columns(rows, None);
    table.column_iter_mut().skip(left).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table.trim_fmt()
}

/// Rows in columns, a line each: what does not fit the line is cut, the last column to `last` characters, then the middle.
pub fn one_line_each(last: u16, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = columns(rows, Some(1));
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    if let Some(ends) = table.column_mut(2) {
        ends.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(last)));
    }
    table.trim_fmt()
}

/// Rows in columns, as many lines each as the texts take.
pub fn wrapped(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = columns(rows, None);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    let columns = table.column_count();
    table.column_iter_mut().take(columns.saturating_sub(1)).for_each(|column| {
        column.set_constraint(ColumnConstraint::ContentWidth);
    });
    table.trim_fmt()
}

fn columns(rows: impl IntoIterator<Item = Vec<String>>, lines: Option<usize>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for cells in rows {
        let mut row = Row::from(cells.iter().map(|cell| one_line(cell)).collect::<Vec<_>>());
        if let Some(lines) = lines {
            row.max_height(lines);
        }
        table.add_row(row);
    }
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    table
}

/// A value for people: nothing is a dash, numbers have four digits.
pub fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "–".into(),
        Some(Value::Str(text)) => one_line(text),
        Some(Value::Float(x)) => number(*x),
        Some(other) => other.to_string(),
    }
}

/// A value as files have it, texts without quotes.
pub fn plain(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Str(text)) => one_line(text),
        Some(other) => other.to_string(),
    }
}

/// A number with four significant digits or more.
pub fn number(x: f64) -> String {
    with_decimals(x, 3 - magnitude(x))
}

/// A number as far as it is known, and half of the interval in which it lies: `12.3 ± 0.4`.
pub fn doubted(x: f64, ends: [f64; 2]) -> String {
    let half = (ends[1] - x).max(x - ends[0]);
    if half.is_finite() && half > 0.0 {
        let decimals = 1 - magnitude(half);
        format!("{} ± {}", with_decimals(x, decimals), with_decimals(half, decimals))
    } else {
        number(x)
    }
}

/// The power of ten of its first digit.
fn magnitude(x: f64) -> i32 {
    if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 }
}

fn with_decimals(x: f64, decimals: i32) -> String {
    if magnitude(x) >= 15 || (x != 0.0 && magnitude(x) < -6) {
        return format!("{x:.3e}");
    }
    format!("{x:.*}", decimals.clamp(0, 9) as usize)
}

/// A whole number with its thousands apart.
pub fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut text = if n < 0 { "-".to_owned() } else { String::new() };
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A cell of a CSV file.
pub fn csv_cell(value: Option<&Value>) -> String {
    let text = value.filter(|value| **value != Value::Null).map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
    csv_text(&text.unwrap_or_default())
}

/// Text of a CSV file.
pub fn csv_text(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_shows_what_is_known_of_it() {
        for (x, ends, want) in [
            (256.43, [76.1, 436.9], "256 ± 180"),
            (121.056, [117.7, 124.4], "121.1 ± 3.4"),
            (0.0323, [0.0281, 0.0365], "0.0323 ± 0.0042"),
            (0.98, [0.95, 1.0], "0.980 ± 0.030"),
            (7.0, [7.0, 7.0], "7.000"),
            (1234567.0, [1034567.0, 1434567.0], "1234567 ± 200000"),
        ] {
            assert_eq!(doubted(x, ends), want);
        }
        assert_eq!([0.0, 0.05, 2026.9, 263.09, 5.6291].map(number), ["0.000", "0.05000", "2027", "263.1", "5.629"]);
        assert_eq!([1e20, 1e-9].map(number), ["1.000e20", "1.000e-9"]);
        assert_eq!([0, 999, 1000, -1234567].map(grouped), ["0", "999", "1,000", "-1,234,567"]);
    }

    #[test]
    fn columns_keep_apart_and_lines_fit() {
        let rows = [["kernel", "ms"], ["a\nb", "12.5"], ["c", "2.68881"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(table(1, rows), "kernel       ms\na\\nb       12.5\nc       2.68881");
        let long = vec!["name".to_owned(), "words ".repeat(60), "source ".repeat(20)];
        let lines = one_line_each(30, [long.clone(), vec!["b".into(), "short".into(), "s".into()]]);
        assert!(lines.lines().count() == 2 && lines.lines().all(|line| line.chars().count() <= 100), "{lines}");
        assert!(lines.starts_with("name  words ") && lines.contains('…'), "{lines}");
        assert!(wrapped([long[..2].to_vec()]).lines().all(|line| line.chars().count() <= 100));
    }
}

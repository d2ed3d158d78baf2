//! The tables of a report, as data: of schemes, of readings, of single runs that a cause quotes.
//!
//! A table has rows and columns, and in each field one number or several, `cells`. Each is a measure, whose words are those of its row,
//! else of its cell, column and table. Besides, in rows:
//!
//! - `with`: modifiers of all schemes, as in `hol=yes`: another machine, or other kernels;
//! - `instead`: other schemes in place of these, as in `{ ccbp = "ccbp credits=unlimited" }`;
//! - `measure`: the measure itself.

use super::words::{SCHEMES, changed, merged};
use sim_core::describe::value::Value;

/// A table as its file has it.
#[derive(Clone, Debug)]
pub struct Table {
    /// What `--table` calls it.
    pub id: String,
    pub title: String,
    /// What stands above it.
    pub says: String,
    pub rows: Vec<Value>,
    pub columns: Vec<Value>,
    pub cells: Vec<Value>,
    /// What holds for all.
    all: Value,
}

impl Table {
    /// Reads a table.
    pub fn of(value: &Value) -> Option<Table> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let list = |key: &str| match value.get(key) {
            Some(Value::Array(items)) => Some(items.clone()),
            None => Some(vec![Value::Object(Vec::new())]),
            Some(_) => None,
        };
        Some(Table {
            id: text("id")?,
            title: text("title")?,
            says: text("says")?,
            rows: list("rows")?,
            columns: list("columns")?,
            cells: list("cells")?,
            all: value.clone(),
        })
    }

    /// Every measure: by rows, columns and cells.
    pub fn measures(&self) -> Vec<Vec<Vec<Value>>> {
        let field = |row: &Value, column: &Value| self.cells.iter().map(|cell| words([row, cell, column, &self.all])).collect();
        self.rows.iter().map(|row| self.columns.iter().map(|column| field(row, column)).collect()).collect()
    }

    /// Where a row, a column and a cell of these names meet; the cell may be left out where a field has one number.
    pub fn place(&self, row: &str, column: &str, cell: Option<&str>) -> Option<[usize; 3]> {
        let at = |of: &[Value], wanted: &str| {
            let name = |words: &Value| ["name", "of"].into_iter().find_map(|key| words.get(key)?.as_str().map(str::to_owned));
            of.iter().position(|words| name(words).is_some_and(|name| name == wanted))
        };
        let cell = match cell {
            Some(cell) => at(&self.cells, cell)?,
            None => (self.cells.len() == 1).then_some(0)?,
        };
        Some([at(&self.rows, row)?, at(&self.columns, column)?, cell])
    }
}

/// The words of one measure: what comes first counts.
fn words(from: [&Value; 4]) -> Value {
    if let Some(own) = from[0].get("measure") {
        return own.clone();
    }
    let with = from[0].get("with").and_then(Value::as_str).unwrap_or("");
    let scheme = |scheme: &str| {
        let other = from[0].get("instead").and_then(|instead| instead.get(scheme)?.as_str());
        format!("{} {with}", other.unwrap_or(scheme)).trim_end().to_owned()
    };
    changed(&merged(from), SCHEMES, &scheme)
}

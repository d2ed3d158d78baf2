//! What a policy or a mechanism shows of itself while it runs: tables, as data. They are made when somebody asks, of what there is anyhow; nothing
//! is kept for them, and nothing of them enters a result or a digest.

use crate::describe::ids::KernelId;
use crate::describe::value::Value;
use alloc::string::String;
use alloc::vec::Vec;

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Key, the same whenever it is shown.
    pub key: &'static str,
    /// Heading.
    pub title: String,
    /// What it says, with its source.
    pub doc: &'static str,
    /// What a row is, such as SM.
    pub row: &'static str,
    /// The column of windows that has its course over time, by key.
    pub course: Option<&'static str>,
    /// Columns; those of one kernel stand together.
    pub columns: Vec<Column>,
    /// Rows, with a cell for each column.
    pub rows: Vec<Row>,
}

/// A column.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Heading.
    pub title: String,
    /// Unit; empty for words and plain numbers.
    pub unit: &'static str,
    /// Definition.
    pub doc: &'static str,
    /// The kernel that it is about, if about one.
    pub kernel: Option<KernelId>,
}

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its name, a number or a word.
    pub name: Value,
    /// The kernel that it is about, if about one.
    pub kernel: Option<KernelId>,
    /// The cells: numbers, words, or null for nothing.
    pub cells: Vec<Value>,
}

impl Column {
    /// A column about no kernel.
    pub fn of(title: &str, unit: &'static str, doc: &'static str) -> Column {
        Column { title: title.into(), unit, doc, kernel: None }
    }

    /// Columns that each kernel has, by title, unit and definition.
    pub fn for_each(kernels: usize, columns: &[(&'static str, &'static str, &'static str)]) -> Vec<Column> {
        KernelId::first(kernels)
            .flat_map(|kernel| {
                columns.iter().map(move |&(title, unit, doc)| Column { kernel: Some(kernel), ..Column::of(title, unit, doc) })
            })
            .collect()
    }
}

impl Table {
    /// The cells of each row, for tests.
    #[cfg(test)]
    pub fn cells(&self) -> Vec<&[Value]> {
        self.rows.iter().map(|row| &row.cells[..]).collect()
    }

    /// As the page takes it.
    pub fn to_value(&self) -> Value {
        let column = |column: &Column| {
            Value::object([
                ("title", Value::from(column.title.as_str())),
                ("unit", column.unit.into()),
                ("doc", column.doc.into()),
                ("kernel", column.kernel.map(|kernel| kernel.0).into()),
            ])
        };
        let row = |row: &Row| {
            Value::object([
                ("name", row.name.clone()),
                ("kernel", row.kernel.map(|kernel| kernel.0).into()),
                ("cells", Value::Array(row.cells.clone())),
            ])
        };
        Value::object([
            ("key", Value::from(self.key)),
            ("title", self.title.as_str().into()),
            ("doc", self.doc.into()),
            ("row", self.row.into()),
            ("course", self.course.into()),
            ("columns", Value::array(self.columns.iter().map(column))),
            ("rows", Value::array(self.rows.iter().map(row))),
        ])
    }
}

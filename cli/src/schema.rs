//! `corun schema`: what the format's files look like, from their records: a JSON Schema, TypeScript types, or tables for the docs.

use crate::{Failure, output};
use clap::{Args, ValueEnum};
use sim_core::describe::record::schema::schema;
use sim_core::describe::record::{Record, table, typescript};
use sim_core::describe::value::Value;
use sim_core::study::catalogue::FORMAT;

/// Arguments of `corun schema`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Schema {
    /// Which file or output
    what: What,
    /// In which form
    #[arg(long = "as", value_enum, default_value_t = Form::Json, value_name = "FORM")]
    form: Form,
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
    /// A figure of a paper's page
    Figure,
    /// A GPU by name, with its sources
    Preset,
    /// What `corun curve --json` prints
    Curve,
    /// Everything
    All,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum Form {
    /// JSON Schema
    Json,
    /// TypeScript types
    Typescript,
    /// Tables in Markdown
    Markdown,
}

/// How docs/reference/records.md begins, the page of all tables.
const HEAD: &str = "\
# Records

Everything that Corun reads and writes, field by field. `corun schema all --as markdown` prints this page.

- \"Left out\" says what holds where a file does not have the field. Any field that is not in the table is an error.
- Rules concern several fields together. A problem with one carries its name.
- `corun show policy NAME` has the parameters of a policy, and `corun show order NAME` those of a CTA order.
";

/// A line for each file or output.
fn contents(all: &[(&str, &Record, &str)]) -> String {
    let line = |(what, _, title): &(&str, &Record, &str)| format!("- [{title}](#{}): `corun schema {what}`", heading(title));
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A heading as links to it say it.
fn heading(title: &str) -> String {
    title.to_lowercase().replace(' ', "-").replace('\'', "")
}

impl Schema {
    pub fn execute(self) -> Result<(), Failure> {
        let chosen: Vec<_> = match self.what {
            What::All => FORMAT.to_vec(),
            one => FORMAT[one as usize..=one as usize].to_vec(),
        };
        let records: Vec<&Record> = chosen.iter().map(|(_, record, _)| *record).collect();
        match (self.form, &chosen[..]) {
            (Form::Json, [(_, record, title)]) => output::print_json(&schema(record, title)),
            (Form::Json, all) => output::print_json(&Value::object(all.iter().map(|(name, record, title)| (name, schema(record, title))))),
            (Form::Typescript, _) => output::print(&typescript::declarations(&records)),
            (Form::Markdown, [_]) => output::print(&table::page(&chosen)),
            (Form::Markdown, all) => output::print(&format!("{HEAD}\nThe files and outputs:\n\n{}\n\n{}", contents(all), table::page(all))),
        }
    }
}

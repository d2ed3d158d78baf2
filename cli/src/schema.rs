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
            (Form::Markdown, _) => output::print(&table::page(&records)),
        }
    }
}

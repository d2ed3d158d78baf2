//! `corun schema`: what the format's files look like, from their records: a JSON Schema, TypeScript types, or tables for the docs.

use crate::{Failure, output};
use clap::{Args, ValueEnum};
use sim_core::describe::record::schema::schema;
use sim_core::describe::record::{Record, table, typescript};
use sim_core::predict::question::QUESTION_FILE;
use sim_core::run::experiment::EXPERIMENT;
use sim_core::run::outcome::OUTCOME;
use sim_core::study::figure::FIGURE;
use sim_core::study::sweep::SWEEP_FILE;

/// Arguments of `corun schema`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Schema {
    /// Of what
    what: What,
    /// As what
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
        let (record, title): (&'static Record, _) = match self.what {
            What::Experiment => (&EXPERIMENT, "A Corun experiment"),
            What::Sweep => (&SWEEP_FILE, "A Corun sweep"),
            What::Result => (&OUTCOME, "A Corun result"),
            What::Predict => (&QUESTION_FILE, "A Corun prediction"),
            What::Figure => (&FIGURE, "A figure of Corun's"),
        };
        match self.form {
            Form::Json => output::print_json(&schema(record, title)),
            Form::Typescript => output::print(&typescript::declarations(&[record])),
            Form::Markdown => output::print(&table::page(&[record])),
        }
    }
}

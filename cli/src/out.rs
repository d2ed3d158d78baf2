//! Where a command's result goes: to stdout, or to the file that `--out` names.

use clap::Args;
use corun_lab::Failure;
use corun_lab::output::{Whole, create, not_written, pretty, print};
use sim_core::describe::value::Value;
use std::io::Write;

/// Where a result goes.
#[derive(Args, Debug)]
pub struct Out {
    /// Write it to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<String>,
}

impl Out {
    /// Opens the file, if one is named, before there is anything to write.
    pub fn open(&self, input: &str) -> Result<Sink, Failure> {
        let [file] = create(input, [("--out", self.out.as_deref())])?;
        Ok(Sink(file))
    }
}

/// Stdout, or a file in its place.
#[derive(Debug)]
pub struct Sink(pub Option<Whole>);

impl Sink {
    /// Writes all of the output, and a line end.
    pub fn print(self, text: &str) -> Result<(), Failure> {
        let Some(mut file) = self.0 else { return print(text) };
        file.write_all(text.as_bytes()).and_then(|()| file.write_all(b"\n")).map_err(not_written)?;
        file.finish()
    }

    /// Writes a value as indented JSON.
    pub fn print_json(self, value: &Value) -> Result<(), Failure> {
        self.print(&pretty(value)?)
    }
}

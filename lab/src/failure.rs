//! How a command can fail.

use sim_core::describe::error::Problems;
use std::io;

/// Why a command did not do what it was asked; each kind has an exit status of the runner.
#[derive(Debug)]
pub enum Failure {
    /// Bad input.
    Input(Problems),
    /// The run got stuck, with the explanation.
    Stuck(String),
    /// The policy, a script, failed, with its line and what is wrong.
    Policy(String),
    /// What was asked for is not all there, with what is missing.
    Missing(String),
    /// A signal ended the work, with what is done and how to go on.
    Interrupted(String),
    /// Stdout or a file did not take all that was written, and which of them.
    Lost(&'static str, io::Error),
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Failure::Input(problems)
    }
}

/// One problem.
pub fn problem(path: &str, found: impl ToString, want: &str) -> Problems {
    let mut problems = Problems::default();
    problems.add(path, found, want);
    problems
}

//! What can be wrong with an input, and how a run can end.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// One thing wrong with an input: where, what was found, what is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Path of the field, such as `kernels[1].ctas_per_sm`.
    pub path: String,
    /// What stands there, shortened.
    pub found: String,
    /// What is wanted instead.
    pub want: String,
}

impl Problem {
    /// A problem from its three parts.
    pub fn new(path: impl ToString, found: impl ToString, want: impl ToString) -> Self {
        Problem { path: path.to_string(), found: found.to_string(), want: want.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}, want {}", self.path, self.found, self.want)
    }
}

/// Every problem found in one input; never empty when it is returned as an error.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub fn add(&mut self, path: impl ToString, found: impl ToString, want: impl ToString) {
        self.0.push(Problem::new(path, found, want));
    }

    /// The value if nothing was found wrong, else all that was.
    pub fn or<T>(self, value: T) -> Result<T, Problems> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Problems {}

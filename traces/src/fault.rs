//! What is wrong with an input, before its place is known.

use sim_core::describe::error::Problem;

/// What was found, and what is wanted instead.
#[derive(Debug)]
pub struct Fault(Box<(String, String)>);

/// What goes on unless something is wrong.
pub type Found<T> = Result<T, Fault>;

/// Something wrong.
pub fn fault(found: impl Into<String>, want: impl Into<String>) -> Fault {
    Fault(Box::new((found.into(), want.into())))
}

impl Fault {
    /// The problem, now that its place is known.
    pub fn at(self, place: impl ToString) -> Problem {
        Problem::new(place, self.0.0, self.0.1)
    }
}

/// Bytes of an input as they are shown.
pub fn shown(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(100)]))
}

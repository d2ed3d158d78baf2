//! Many simulations at once: they run on every core, and the files of what they find survive whatever stops the program.
//!
//! The runner's commands and the reproduction of papers both need this. It is a crate of its own because the runner links reproduction:
//! what both need stands below both. It knows no command line.
//!
//! A file uses only those before it:
//!
//! | file | holds |
//! |---|---|
//! | `failure.rs` | how a command can fail |
//! | `output.rs` | stdout, stderr, and files that are whole or not there |
//! | `jsonl.rs` | files of lines of JSON that grow as work gets done |
//! | `workers.rs` | worker threads, progress, signals |
//! | `engine.rs` | what tells results of one engine from those of another |
//! | `answers.rs` | what policies have to know of kernels alone, run once and kept |

pub mod answers;
pub mod engine;
mod failure;
pub mod jsonl;
pub mod output;
pub mod workers;

pub use failure::{Failure, problem};

//! Experiments in, outcomes out, each run once: what is wanted runs on every core, and what it measures is kept whatever stops the program.
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
//! | `menu.rs` | the schemes of a mix |
//! | `threads.rs` | threads that share the work of a single run |
//! | `engine.rs` | what tells results of one engine from those of another |
//! | `store.rs` | what runs have measured, kept for the next command |
//! | `lab.rs` | what is wanted, what can run, and what has come of it, without threads or files |
//! | `native.rs` | all of it: a Lab on every core, with a store |

pub mod engine;
mod failure;
pub mod jsonl;
pub mod lab;
pub mod menu;
pub mod native;
pub mod output;
pub mod store;
pub mod threads;
pub mod workers;

pub use failure::{Failure, problem};

//! What every paper is reproduced with.

pub mod claims;
pub mod figures;
pub mod history;
pub mod judged;
pub mod measure;
pub mod quotes;
pub mod report;
pub mod runs;
pub mod store;
pub mod study;
pub mod tables;

#[cfg(test)]
mod tests;

//! What the files of a paper say.

pub mod claims;
pub mod held_out;
pub mod mix;
pub mod mixes;
pub mod mode;
pub mod read;
pub mod spaces;
pub mod study;
pub mod tables;
pub mod words;

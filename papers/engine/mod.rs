//! What every paper is reproduced with, in floors: a file uses only those below it, and no two use each other. tests/suite/wall keeps it
//! so.
//!
//! | floor | room | holds |
//! |--:|---|---|
//! | 5 | `report` | tables, figures, what people found out, and the report of all |
//! | 4 | `verdict` | whether a claim is reproduced: by its value, its reason, and what is noise |
//! | 3 | `measures` | how a claim's number is had from results; a paper's own functions stand beside `verdict` |
//! | 2 | `runs` | which runs a scheme comes to, and their results, on disk as soon as they are there |
//! | 1 | `paper` | what a paper's files say: claims, study, mixes, tables |

pub mod measures;
pub mod paper;
pub mod report;
pub mod runs;
pub mod verdict;

#[cfg(test)]
mod tests;

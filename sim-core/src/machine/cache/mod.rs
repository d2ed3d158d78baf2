//! The parts that L1D and L2 are made of: tags with way masks, and MSHRs with merging.
//!
//! Lines are filled when their data arrives (allocate on fill), so a miss under way occupies an MSHR and no line; an L1D with
//! `l1.allocate = on_miss` reserves the line's way at once. Both caches use LRU and find a line's set by its number modulo sets, which need not
//! be a power of two; L1D also by Fermi's hash (`l1.index = fermi`).

pub mod mshr;
mod recency;
pub mod tags;
pub mod umon;

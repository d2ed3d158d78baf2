//! The mechanisms, and nothing else: everything that has a clock.

pub mod cache;
pub mod clock;
pub mod derived;
pub mod dram;
pub mod link;
pub mod noc;
pub mod packet;

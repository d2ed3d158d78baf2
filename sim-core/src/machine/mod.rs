//! The mechanisms, and nothing else: everything that has a clock.

pub mod cache;
pub mod clock;
pub mod derived;
pub mod dram;
pub mod l2;
pub mod link;
pub mod memory;
pub mod noc;
pub mod packet;

//! Timelines of real programs: the launches that a profiler has seen, what their shapes say of who can run beside whom, and what ran beside whom.
//!
//! Readers take anything that implements `Read`, so the page's module can use them as the runner does. Nothing here opens a file, starts a thread
//! or looks at a clock. Names of users, hosts, processes and jobs are never kept.
//!
//! A file uses only those before it:
//!
//! | file | holds |
//! |---|---|
//! | `timeline.rs` | launches in the order of their starts, each kernel and device once |
//! | `gather.rs` | launches as they come: the earliest are kept |
//! | `time.rs` | times as they are written, in whole nanoseconds |
//! | `decode.rs` | a stream's text as UTF-8 |
//! | `scan.rs` | a stream by its bytes, and the values of JSON in it |
//! | `kineto.rs` | the JSON of PyTorch's profiler |
//! | `nsys.rs` | the table `cuda_gpu_trace` of Nsight Systems |
//! | `stored.rs` | the file of a timeline |
//! | `read.rs` | a timeline of any of these |
//! | `residency.rs` | CTAs of an SM, limiter, waves and tail of each kernel, on a described GPU |
//! | `overlap.rs` | which launches ran at once, and for how long |
//! | `beside.rs` | what fits beside what, under which scheme |
//! | `pairs.rs` | kernels on different streams: what is seen of them together, and why not more |
//! | `measured.rs` | how long kernels took alone and beside others |
//! | `rows.rs` | that, as rows of a store |
//! | `names.rs` | what kernels are called |
//! | `report.rs` | all of this, as tables and sentences |

#![forbid(unsafe_code)]

pub mod beside;
mod decode;
mod gather;
mod kineto;
pub mod measured;
pub mod names;
mod nsys;
pub mod overlap;
pub mod pairs;
pub mod read;
pub mod report;
pub mod residency;
pub mod rows;
mod scan;
pub mod stored;
mod time;
pub mod timeline;

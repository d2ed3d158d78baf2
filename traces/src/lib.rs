//! Recorded kernels: the traces that Accel-Sim's tracer writes, and the recordings that Corun makes of them.
//!
//! Readers take anything that implements `Read`, so the page's module can use them as the runner does. Nothing here opens a file, starts a
//! thread or looks at a clock. Text streams: what is kept of it are the warps that have not ended, and what warps have in common.
//!
//! A file uses only those before it:
//!
//! | file | holds |
//! |---|---|
//! | `fault.rs` | what is wrong with an input, before its place is known |
//! | `scan.rs` | lines of a stream, blanks and numbers of a line |
//! | `opcode.rs` | opcodes: class, memory space, width |
//! | `header.rs` | what a trace says of its kernel first |
//! | `instruction.rs` | an instruction: what every execution of it has in common, and what one has of its own |
//! | `pages.rs` | addresses: pages by first use, and windows |
//! | `count.rs` | what a kernel does, counted |
//! | `wire.rs` | numbers and texts of a recording |
//! | `pattern.rs` | what warps have in common: instructions, masks, and addresses after a base |
//! | `record.rs` | instructions in, a recording out |
//! | `recording.rs` | a recording, read and checked |
//! | `launch.rs` | recordings as kernels that a machine runs |
//! | `unpack.rs` | gzip and xz, by how they begin |
//! | `text.rs` | `.trace` and `.traceg` |
//! | `tracez.rs` | `.tracez` |
//! | `import.rs` | a kernel of any of these |
//! | `export.rs` | described kernels as traces |
//! | `list.rs` | `kernelslist` and `kernelslist.g` |

#![forbid(unsafe_code)]

pub mod count;
pub mod export;
pub mod fault;
pub mod header;
pub mod import;
pub mod instruction;
pub mod launch;
pub mod list;
pub mod opcode;
mod pages;
mod pattern;
pub mod record;
pub mod recording;
mod scan;
mod text;
mod tracez;
pub mod unpack;
mod wire;

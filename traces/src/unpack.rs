//! What a file is, by how it begins; gzip and xz unpacked.

use crate::fault::fault;
use crate::record::MAGIC;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use sim_core::describe::error::Problem;
use std::io::{self, BufReader, Chain, Cursor, Read};

/// Memory of a decoder of xz, in KiB: its strongest preset takes 65 MiB.
const XZ_MEMORY: u32 = 100 << 10;

/// Bytes of a file that are looked at.
pub const LOOKED_AT: usize = 1 << 16;

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A kernel as text.
    Text,
    /// A kernel as `.tracez`.
    Tracez,
    /// A list of kernels.
    List,
    /// A recording of Corun's.
    Recording,
    /// Packed with gzip.
    Gzip,
    /// Packed with xz.
    Xz,
}

/// What a file is by its first bytes, of which at most `LOOKED_AT` matter.
pub fn kind(head: &[u8]) -> Option<Kind> {
    let begins = |text: &[u8]| head.starts_with(text);
    if begins(&MAGIC) {
        return Some(Kind::Recording);
    }
    if begins(b"\x1f\x8b") {
        return Some(Kind::Gzip);
    }
    if begins(b"\xfd7zXZ\0") {
        return Some(Kind::Xz);
    }
    let line = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty())?;
    if line.starts_with(b"-") {
        return Some(if head.contains(&0) { Kind::Tracez } else { Kind::Text });
    }
    let listed = line.starts_with(b"Memcpy") || line.starts_with(b"kernel");
    listed.then_some(Kind::List)
}

/// The first bytes of a stream.
pub fn head(source: &mut impl Read, name: &str) -> Result<Vec<u8>, Problem> {
    let mut head = Vec::new();
    let read = source.take(LOOKED_AT as u64).read_to_end(&mut head);
    read.map_err(|error| fault(error.to_string(), "a file that can be read").at(name))?;
    Ok(head)
}

/// A stream from its beginning, of which these bytes have been read.
pub type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// A stream, unpacked.
#[allow(missing_debug_implementations, reason = "decoders have none")]
pub enum Unpacked<R: Read> {
    /// It was not packed.
    Plain(Whole<R>),
    /// With gzip.
    Gzip(Box<MultiGzDecoder<Whole<R>>>),
    /// With xz.
    Xz(Box<XzReader<BufReader<Whole<R>>>>),
}

impl<R: Read> Unpacked<R> {
    /// A stream behind its first bytes.
    pub fn new(head: Vec<u8>, source: R) -> Self {
        let kind = kind(&head);
        let whole = Cursor::new(head).chain(source);
        match kind {
            Some(Kind::Gzip) => Unpacked::Gzip(Box::new(MultiGzDecoder::new(whole))),
            Some(Kind::Xz) => Unpacked::Xz(Box::new(XzReader::new_mem_limit(BufReader::new(whole), true, XZ_MEMORY))),
            _ => Unpacked::Plain(whole),
        }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Unpacked::Plain(source) => source.read(bytes),
            Unpacked::Gzip(source) => source.read(bytes),
            Unpacked::Xz(source) => source.read(bytes),
        }
    }
}

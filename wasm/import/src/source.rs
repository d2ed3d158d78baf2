//! A file that the host reads from.

use js_sys::{Function, Uint8Array};
use std::io::{self, Read, Seek, SeekFrom};
use wasm_bindgen::{JsCast, JsValue};

/// Bytes that are asked for at once.
const BLOCK: u64 = 1 << 20;

/// A file of which the host gives bytes by their places.
pub struct Source {
    read: Function,
    size: u64,
    /// Where the next byte stands.
    at: u64,
    /// Bytes that have come last, and where the first of them stands.
    block: Vec<u8>,
    from: u64,
}

impl Source {
    pub fn new(read: Function, size: f64) -> Self {
        Source { read, size: size as u64, at: 0, block: Vec::new(), from: 0 }
    }

    /// Asks for the block that has the next byte.
    fn fetch(&mut self) -> io::Result<()> {
        let (from, to) = (self.at, self.size.min(self.at + BLOCK));
        let given = self.read.call2(&JsValue::NULL, &(from as f64).into(), &(to as f64).into());
        let given = given.ok().and_then(|given| given.dyn_into::<Uint8Array>().ok());
        let bytes = given.ok_or_else(|| io::Error::other("the file cannot be read any more"))?.to_vec();
        if bytes.is_empty() || bytes.len() as u64 > to - from {
            return Err(io::Error::other("the file has changed while it was read"));
        }
        (self.block, self.from) = (bytes, from);
        Ok(())
    }
}

impl Read for Source {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.size {
            return Ok(0);
        }
        if self.at < self.from || self.at >= self.from + self.block.len() as u64 {
            self.fetch()?;
        }
        let read = (&self.block[(self.at - self.from) as usize..]).read(bytes)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a place before the beginning"))?;
        Ok(self.at)
    }
}

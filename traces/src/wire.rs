//! Numbers and texts of a recording: whole numbers seven bits a byte, lowest first, and texts behind their lengths.

use crate::fault::{Found, fault};
use sim_core::describe::digest::Fnv;
use sim_core::describe::error::Problem;
use std::hash::Hasher;
use std::io::{self, Read, Write};

/// Puts a number behind what is there.
pub fn put(out: &mut Vec<u8>, mut n: u64) {
    while n >= 128 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Puts a text behind its length.
pub fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put(out, text.len() as u64);
    out.extend_from_slice(text);
}

/// A difference as a number that is small where the difference is.
pub fn folded(difference: i64) -> u64 {
    (difference as u64) << 1 ^ (difference >> 63) as u64
}

/// And back.
pub fn unfolded(n: u64) -> i64 {
    (n >> 1) as i64 ^ -((n & 1) as i64)
}

/// What differs between two addresses, folded.
pub fn between(from: u64, to: u64) -> u64 {
    folded((to as i64).wrapping_sub(from as i64))
}

/// The address so far from another.
pub fn behind(from: u64, folded: u64) -> u64 {
    (from as i64).wrapping_add(unfolded(folded)) as u64
}

/// A stream that is written, with its checksum.
pub struct Sum<W> {
    out: W,
    sum: Fnv,
    /// Bytes so far.
    pub bytes: u64,
}

impl<W: Write> Sum<W> {
    pub fn new(out: W) -> Self {
        Sum { out, sum: Fnv::default(), bytes: 0 }
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.write(bytes);
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes the checksum of all before it.
    pub fn finish(mut self) -> io::Result<W> {
        let sum = self.sum.finish();
        self.write(&sum.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A stream that is read, with its checksum.
pub struct Wire<R> {
    source: R,
    name: String,
    buffer: Vec<u8>,
    next: usize,
    sum: Fnv,
    /// Bytes before the buffer.
    before: u64,
}

/// Bytes that are read at once.
const BLOCK: usize = 1 << 16;

impl<R: Read> Wire<R> {
    pub fn new(source: R, name: &str) -> Self {
        Wire { source, name: name.to_owned(), buffer: Vec::new(), next: 0, sum: Fnv::default(), before: 0 }
    }

    /// Where the next byte stands.
    pub fn place(&self) -> String {
        format!("{} at byte {}", self.name, self.before + self.next as u64)
    }

    /// A problem here.
    pub fn wrong(&self, found: impl Into<String>, want: impl Into<String>) -> Problem {
        fault(found, want).at(self.place())
    }

    /// Sees to it that there are bytes in the buffer, unless there are none left.
    fn refill(&mut self) -> Result<(), Problem> {
        if self.next == self.buffer.len() {
            self.before += self.next as u64;
            self.next = 0;
            self.buffer.clear();
            let read = self.source.by_ref().take(BLOCK as u64).read_to_end(&mut self.buffer);
            read.map_err(|error| self.wrong(error.to_string(), "all of the recording"))?;
        }
        Ok(())
    }

    /// The next byte; nothing at the end.
    fn maybe_byte(&mut self) -> Result<Option<u8>, Problem> {
        self.refill()?;
        let byte = self.buffer.get(self.next).copied();
        self.next += usize::from(byte.is_some());
        Ok(byte)
    }

    fn raw_byte(&mut self) -> Result<u8, Problem> {
        self.maybe_byte()?.ok_or_else(|| self.wrong("the end of the file", "all of the recording"))
    }

    /// A byte.
    pub fn byte(&mut self) -> Result<u8, Problem> {
        let byte = self.raw_byte()?;
        self.sum.write(&[byte]);
        Ok(byte)
    }

    /// A number up to so much.
    pub fn number(&mut self, what: &str, most: u64) -> Result<u64, Problem> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = u64::from(self.byte()?);
            if shift == 63 && byte > 1 {
                break;
            }
            n |= (byte & 127) << shift;
            if byte < 128 {
                return if n <= most { Ok(n) } else { Err(self.wrong(format!("{n}"), format!("{what}, up to {most}"))) };
            }
        }
        Err(self.wrong("a number of more than 64 bits", what))
    }

    /// So many bytes.
    pub fn bytes(&mut self, count: u64) -> Result<Vec<u8>, Problem> {
        // What a broken file says of its lengths takes no memory before the bytes are there.
        let mut bytes = Vec::with_capacity(count.min(BLOCK as u64) as usize);
        while (bytes.len() as u64) < count {
            self.refill()?;
            let part = &self.buffer[self.next..];
            let part = &part[..part.len().min(count as usize - bytes.len())];
            if part.is_empty() {
                return Err(self.wrong("the end of the file", "all of the recording"));
            }
            self.sum.write(part);
            bytes.extend_from_slice(part);
            self.next += part.len();
        }
        Ok(bytes)
    }

    /// A text of at most so many bytes.
    pub fn text(&mut self, what: &str, most: u64) -> Result<Vec<u8>, Problem> {
        let count = self.number(what, u64::MAX)?;
        if count > most {
            return Err(self.wrong(format!("{count} bytes"), format!("{what} of at most {most}")));
        }
        self.bytes(count)
    }

    /// The checksum, and then the end.
    pub fn finish(mut self) -> Result<(), Problem> {
        let sum = self.sum.finish().to_le_bytes();
        let mut stored = [0; 8];
        for byte in &mut stored {
            *byte = self.raw_byte()?;
        }
        if stored != sum {
            return Err(self.wrong("another checksum than that of the bytes before it", "a recording as it was written"));
        }
        match self.maybe_byte()? {
            None => Ok(()),
            Some(_) => Err(self.wrong("more behind the recording", "its end")),
        }
    }
}

/// Numbers in memory.
pub struct Slice<'b> {
    rest: &'b [u8],
}

impl<'b> Slice<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Slice { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// A number up to so much.
    #[inline]
    pub fn number(&mut self, what: &str, most: u64) -> Found<u64> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let Some((byte, rest)) = self.rest.split_first() else { return Err(fault("its end", what)) };
            self.rest = rest;
            let byte = u64::from(*byte);
            if shift == 63 && byte > 1 {
                break;
            }
            n |= (byte & 127) << shift;
            if byte < 128 {
                return if n <= most { Ok(n) } else { Err(fault(format!("{n}"), format!("{what}, up to {most}"))) };
            }
        }
        Err(fault("a number of more than 64 bits", what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_read() {
        let numbers = [0, 1, 127, 128, 300, 1 << 32, u64::MAX >> 1, u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|n| put(&mut bytes, *n));
        let mut slice = Slice::new(&bytes);
        assert_eq!(numbers.map(|_| slice.number("a number", u64::MAX).unwrap()), numbers);
        assert!(slice.is_empty() && slice.number("a number", 1).is_err());
        let mut wire = Wire::new(&bytes[..], "file");
        assert_eq!(numbers.map(|_| wire.number("a number", u64::MAX).unwrap()), numbers);
        for difference in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unfolded(folded(difference)), difference);
        }
        let long = [255; 11];
        assert!(Slice::new(&long).number("a number", u64::MAX).is_err());
    }
}

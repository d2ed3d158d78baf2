//! A stream by its bytes, and the values of JSON in it, one after another.
//!
//! A trace is mostly events that do not matter here, so a value is found whole before anybody reads it: its end takes brackets and quotes alone. Only
//! kernels are given to a parser, which is stricter.

use corun_traces::fault::{Fault, fault, shown};
use memchr::memchr2;
use sim_core::describe::error::Problem;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;

/// Bytes that are read at once.
const BLOCK: usize = 1 << 18;

/// Bytes of a value that is kept. A kernel's event has some hundreds.
pub const LARGEST: usize = 16 << 20;

/// What is found where a stream has no more bytes though more is wanted, an archive among them.
pub const END: &str = "the end of the file";

/// Why no value was found.
#[derive(Debug)]
pub enum Stop {
    /// The stream has ended.
    End,
    /// It is not what is wanted there.
    Wrong(Fault),
}

/// What goes on unless something stops it.
pub type Scanned<T> = Result<T, Stop>;

/// A stream, of which a part is in memory.
#[derive(Debug)]
pub struct Scan<R> {
    source: R,
    buffer: Vec<u8>,
    /// The next byte.
    at: usize,
    /// Bytes of the stream before the buffer.
    before: u64,
    /// The stream has no more bytes.
    ended: bool,
    /// It ended because it could not be read.
    failed: Option<String>,
    /// Bytes that may be read as such.
    allowed: usize,
}

impl<R: Read> Scan<R> {
    /// A stream from its beginning.
    pub fn new(source: R) -> Self {
        Scan { source, buffer: Vec::new(), at: 0, before: 0, ended: false, failed: None, allowed: LARGEST }
    }

    /// The first bytes, so many if there are.
    pub fn head(&mut self, bytes: usize) -> &[u8] {
        while self.buffer.len() < bytes && self.more(0) {}
        &self.buffer[..self.buffer.len().min(bytes)]
    }

    /// Why the stream ended, and where.
    pub fn ended(&self, want: &str) -> Problem {
        let found = self.failed.clone().unwrap_or_else(|| END.to_owned());
        fault(found, want).at(format!("byte {}", self.before + self.buffer.len() as u64))
    }

    /// Why the stream could not be read to its end, if that is so.
    pub fn failure(&self, want: &str) -> Option<Problem> {
        self.failed.as_ref().map(|_| self.ended(want))
    }

    /// Lets whoever reads bytes have so many from now on.
    pub fn allow(&mut self, bytes: usize) {
        self.allowed = bytes;
    }

    /// The place of the next byte.
    pub fn place(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Reads more behind what is in memory from `keep` on, which moves to the beginning; says whether there was more.
    fn more(&mut self, keep: usize) -> bool {
        if self.ended {
            return false;
        }
        self.buffer.drain(..keep);
        self.before += keep as u64;
        let filled = self.buffer.len();
        self.buffer.resize(filled + BLOCK, 0);
        let read = loop {
            match self.source.read(&mut self.buffer[filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let cut = error.kind() == ErrorKind::UnexpectedEof;
                    self.failed = Some(if cut { END.to_owned() } else { error.to_string() });
                    break 0;
                }
                Ok(read) => break read,
            }
        };
        self.buffer.truncate(filled + read);
        self.ended = read == 0;
        read > 0
    }

    /// Goes on behind what is in memory; at the end of the stream it stays there, however often it is asked.
    fn next_block(&mut self) -> bool {
        if self.ended {
            return false;
        }
        self.at = 0;
        self.more(self.buffer.len())
    }

    /// The next byte that is no blank, which stays.
    pub fn peek(&mut self) -> Scanned<u8> {
        loop {
            let rest = &self.buffer[self.at..];
            match rest.iter().position(|byte| !byte.is_ascii_whitespace()) {
                Some(blanks) => {
                    self.at += blanks;
                    return Ok(self.buffer[self.at]);
                }
                None => {
                    if !self.next_block() {
                        return Err(Stop::End);
                    }
                }
            }
        }
    }

    /// Goes over this byte, and blanks before it, if it is next.
    pub fn take(&mut self, byte: u8) -> Scanned<bool> {
        let is = self.peek()? == byte;
        self.at += usize::from(is);
        Ok(is)
    }

    /// Goes over this byte, which must be next.
    pub fn expect(&mut self, byte: u8, what: &str) -> Scanned<()> {
        if self.take(byte)? {
            return Ok(());
        }
        let rest = &self.buffer[self.at..];
        Err(Stop::Wrong(fault(shown(&rest[..rest.len().min(20)]), format!("`{}`, {what}", byte as char))))
    }

    /// The next value, whole.
    pub fn value(&mut self) -> Scanned<&[u8]> {
        let range = self.span(true)?;
        Ok(&self.buffer[range])
    }

    /// Goes over the next value, however long.
    pub fn skip(&mut self) -> Scanned<()> {
        self.span(false).map(drop)
    }

    /// Goes over the next value; where it is, if it is to be kept.
    fn span(&mut self, keep: bool) -> Scanned<Range<usize>> {
        let first = self.peek()?;
        if matches!(first, b',' | b'}' | b']') {
            return Err(Stop::Wrong(fault(shown(&[first]), "a value")));
        }
        let scalar = !matches!(first, b'"' | b'{' | b'[');
        let (mut start, mut at, mut depth, mut text) = (self.at, self.at, 0u32, false);
        loop {
            let rest = &self.buffer[at..];
            let next = if text {
                memchr2(b'"', b'\\', rest)
            } else if scalar {
                rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace())
            } else {
                rest.iter().position(|byte| MARKS[usize::from(*byte)])
            };
            let Some(next) = next.map(|next| at + next) else {
                at = self.further(&mut start, self.buffer.len(), keep)?;
                continue;
            };
            at = next + 1;
            match self.buffer[next] {
                _ if scalar => {
                    self.at = next;
                    return Ok(start..next);
                }
                b'"' => text = !text,
                b'\\' => {
                    if at == self.buffer.len() {
                        at = self.further(&mut start, at, keep)?;
                    }
                    at += 1;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth = depth.saturating_sub(1),
            }
            if depth == 0 && !text {
                self.at = at;
                return Ok(start..at);
            }
        }
    }

    /// Reads on in the middle of a value; where `at` is then.
    fn further(&mut self, start: &mut usize, at: usize, keep: bool) -> Scanned<usize> {
        let from = if keep { *start } else { at };
        if at - from > LARGEST {
            return Err(Stop::Wrong(fault(format!("a value of more than {LARGEST} bytes"), "events of a trace")));
        }
        if !self.more(from) {
            return Err(Stop::End);
        }
        *start = 0;
        Ok(at - from)
    }
}

/// Bytes at which a value can begin or end.
static MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    marks[b'"' as usize] = true;
    marks[b'{' as usize] = true;
    marks[b'}' as usize] = true;
    marks[b'[' as usize] = true;
    marks[b']' as usize] = true;
    marks
};

/// What has not been gone over yet.
impl<R: Read> Read for Scan<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.at == self.buffer.len() && !self.next_block() {
            return Ok(0);
        }
        if self.allowed == 0 {
            return Err(io::Error::other("a row or a file that is too long"));
        }
        let rest = &self.buffer[self.at..];
        let read = rest.len().min(bytes.len()).min(self.allowed);
        self.allowed -= read;
        bytes[..read].copy_from_slice(&rest[..read]);
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A stream that gives so many bytes at a time.
    pub struct Drops<'b>(pub &'b [u8], pub usize);

    impl Read for Drops<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let read = self.1.min(bytes.len());
            (&mut self.0).take(read as u64).read(bytes)
        }
    }

    #[test]
    fn a_value_is_found_wherever_blocks_end() {
        let values = [r#"{"a": ["}", "\"]", "\\", {"b": 1}], "c": 2}"#, r#""x\\""#, "-1.5e3", "[]", "true", r#"["é"]"#];
        let text = values.join(" \n");
        for bytes in 1..text.len() {
            let mut scan = Scan::new(Drops(text.as_bytes(), bytes));
            // The last one is skipped: where nothing is kept, the end is the same.
            for value in &values[..values.len() - 1] {
                assert_eq!(scan.value().expect("a value"), value.as_bytes(), "{bytes} at once");
            }
            scan.skip().expect("a value");
            assert_eq!(scan.place(), text.len() as u64);
            assert!(matches!(scan.peek(), Err(Stop::End)));
        }
    }

    /// What takes values until one ends it goes on with each.
    #[test]
    fn what_is_no_value_is_said() {
        for text in ["}", " ]", ","] {
            let mut scan = Scan::new(text.as_bytes());
            assert!(matches!(scan.value(), Err(Stop::Wrong(_))) && matches!(scan.skip(), Err(Stop::Wrong(_))), "{text}");
        }
    }

    #[test]
    fn what_ends_early_is_no_value() {
        for text in ["{", "[1, 2", "\"a", "\"a\\", "{\"a\": \"}", "12", ""] {
            assert!(matches!(Scan::new(text.as_bytes()).value(), Err(Stop::End)), "{text}");
        }
    }
}

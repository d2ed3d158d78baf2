//! Lines of a stream, and the words of a line. Nothing is allocated for a line.

use crate::fault::{Fault, Found, fault, shown};
use memchr::memchr;
use sim_core::describe::error::Problem;
use std::io::{ErrorKind, Read};

/// Bytes that are read at once.
const BLOCK: usize = 1 << 18;

/// Longest line: a bulk copy has thousands of addresses.
pub const LONGEST: usize = 1 << 20;

/// The lines of a stream, one after another.
pub struct Lines<R> {
    source: R,
    name: String,
    buffer: Vec<u8>,
    /// Bytes of the buffer that hold something.
    filled: usize,
    /// Where the next line begins.
    next: usize,
    /// The line without its end.
    line: (usize, usize),
    number: u64,
    /// Bytes that have been read.
    pub bytes: u64,
}

impl<R: Read> Lines<R> {
    /// The lines of a stream that people call so.
    pub fn new(source: R, name: &str) -> Self {
        Lines { source, name: name.to_owned(), buffer: vec![0; BLOCK], filled: 0, next: 0, line: (0, 0), number: 0, bytes: 0 }
    }

    /// Goes to the next line; says whether there is one.
    pub fn advance(&mut self) -> Result<bool, Problem> {
        let mut looked = 0;
        let end = loop {
            match memchr(b'\n', &self.buffer[self.next + looked..self.filled]) {
                Some(at) => break Some(self.next + looked + at),
                None => looked = self.filled - self.next,
            }
            if looked > LONGEST {
                let place = format!("{}:{}", self.name, self.number + 1);
                return Err(fault(format!("a line of more than {LONGEST} bytes"), "a line of a trace").at(place));
            }
            if !self.fill()? {
                break None;
            }
        };
        if end.is_none() && self.next == self.filled {
            return Ok(false);
        }
        let last = end.unwrap_or(self.filled);
        let trimmed = self.buffer[self.next..last].trim_ascii_end().len();
        self.line = (self.next, self.next + trimmed);
        self.next = end.map_or(last, |end| end + 1);
        self.number += 1;
        Ok(true)
    }

    /// The line, without its end and without blanks there.
    pub fn line(&self) -> &[u8] {
        &self.buffer[self.line.0..self.line.1]
    }

    /// Reads more; says whether there was more.
    fn fill(&mut self) -> Result<bool, Problem> {
        self.buffer.copy_within(self.next..self.filled, 0);
        self.filled -= self.next;
        self.next = 0;
        if self.filled == self.buffer.len() {
            self.buffer.resize(2 * self.filled, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(0) => return Ok(false),
                Ok(read) => {
                    self.filled += read;
                    self.bytes += read as u64;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(fault(error.to_string(), "all of the trace").at(self.place())),
            }
        }
    }

    /// Where the line stands.
    pub fn place(&self) -> String {
        format!("{}:{}", self.name, self.number)
    }

    /// What is wrong with the line, with its place.
    pub fn wrong(&self, fault: Fault) -> Problem {
        fault.at(self.place())
    }

    /// The problem that the stream ends here.
    pub fn ended(&self, want: impl Into<String>) -> Problem {
        let place = format!("{}:{}", self.name, self.number + 1);
        fault("the end of the file", want).at(place)
    }
}

/// The words of a line.
#[derive(Clone, Copy, Debug)]
pub struct Words<'l> {
    rest: &'l [u8],
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t' || byte == b'\r'
}

impl<'l> Words<'l> {
    pub fn new(line: &'l [u8]) -> Self {
        Words { rest: line }
    }

    /// What follows, from the next word on.
    pub fn rest(&mut self) -> &'l [u8] {
        let blanks = self.rest.iter().take_while(|byte| is_blank(**byte)).count();
        self.rest = &self.rest[blanks..];
        self.rest
    }

    /// Goes over what follows if it is this text, and whole words.
    pub fn skip(&mut self, text: &[u8]) -> bool {
        let rest = self.rest();
        let fits = rest.starts_with(text) && rest.get(text.len()).is_none_or(|byte| is_blank(*byte));
        if fits {
            self.rest = &rest[text.len()..];
        }
        fits
    }

    /// The next word, if there is one.
    #[inline]
    pub fn next(&mut self) -> Option<&'l [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        Some(word)
    }

    /// The next word, which must be there.
    #[inline]
    pub fn word(&mut self, what: &str) -> Found<&'l [u8]> {
        self.next().ok_or_else(|| fault("the end of the line", what))
    }

    /// A hexadecimal number, with 0x or without.
    #[inline]
    pub fn hex(&mut self, what: &str) -> Found<u64> {
        let word = self.word(what)?;
        hex(word).ok_or_else(|| fault(shown(word), format!("{what}, hexadecimal")))
    }

    /// A number without a sign, at most so large.
    #[inline]
    pub fn whole(&mut self, what: &str, most: u64) -> Found<u64> {
        let word = self.word(what)?;
        whole(word).filter(|n| *n <= most).ok_or_else(|| fault(shown(word), format!("{what}, a whole number up to {most}")))
    }

    /// A number that may have a sign.
    #[inline]
    pub fn signed(&mut self, what: &str) -> Found<i64> {
        let word = self.word(what)?;
        signed(word).ok_or_else(|| fault(shown(word), format!("{what}, a whole number")))
    }

    /// Nothing must follow.
    pub fn end(&mut self) -> Found<()> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(fault(format!("{} behind it", shown(word)), "the end of the instruction")),
        }
    }
}

/// A hexadecimal number of at most 64 bits, with 0x or without.
#[inline]
pub fn hex(word: &[u8]) -> Option<u64> {
    let digits = word.strip_prefix(b"0x").unwrap_or(word);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0, |n, digit| Some(n << 4 | u64::from((*digit as char).to_digit(16)?)))
}

/// A whole number without a sign.
#[inline]
pub fn whole(word: &[u8]) -> Option<u64> {
    if word.is_empty() {
        return None;
    }
    word.iter().try_fold(0u64, |n, digit| {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 { None } else { n.checked_mul(10)?.checked_add(digit.into()) }
    })
}

/// A whole number that may have a sign.
#[inline]
pub fn signed(word: &[u8]) -> Option<i64> {
    match word.strip_prefix(b"-") {
        Some(digits) => 0i64.checked_sub(i64::try_from(whole(digits)?).ok()?),
        None => i64::try_from(whole(word)?).ok(),
    }
}

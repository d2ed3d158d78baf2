//! A stream's text as UTF-8, without a byte order mark: what PowerShell redirects into a file is UTF-16.

use std::io::{self, Read};

/// Bytes that are asked for at once.
const BLOCK: usize = 1 << 16;

/// How a text is written.
#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    /// Of two bytes, this makes a number.
    Utf16(fn([u8; 2]) -> u16),
}

/// Byte order marks. What begins with none is UTF-8.
const MARKS: [(&[u8], Encoding); 3] = [
    (b"\xef\xbb\xbf", Encoding::Utf8),
    (b"\xff\xfe", Encoding::Utf16(u16::from_le_bytes)),
    (b"\xfe\xff", Encoding::Utf16(u16::from_be_bytes)),
];

/// A stream, decoded.
pub struct Decoded<R> {
    source: R,
    /// Known once the first bytes have come.
    encoding: Option<Encoding>,
    /// Decoded, or of UTF-8 the beginning; the next byte stands at `at`.
    ready: Vec<u8>,
    at: usize,
    /// Of UTF-16, bytes whose other half is to come: of a number, or of a pair of them.
    rest: Vec<u8>,
}

impl<R: Read> Decoded<R> {
    /// A stream from its beginning.
    pub fn new(source: R) -> Self {
        Decoded { source, encoding: None, ready: Vec::new(), at: 0, rest: Vec::new() }
    }

    /// Looks for a mark.
    fn begin(&mut self) -> io::Result<Encoding> {
        let longest = MARKS.iter().map(|(mark, _)| mark.len()).max().unwrap_or(0);
        self.source.by_ref().take(longest as u64).read_to_end(&mut self.ready)?;
        let known = MARKS.iter().find(|(mark, _)| self.ready.starts_with(mark));
        let (length, encoding) = known.map_or((0, Encoding::Utf8), |(mark, encoding)| (mark.len(), *encoding));
        self.ready.drain(..length);
        if let Encoding::Utf16(_) = encoding {
            self.rest = std::mem::take(&mut self.ready);
        }
        self.encoding = Some(encoding);
        Ok(encoding)
    }

    /// Decodes a block; nothing is ready at the end of the stream.
    fn decode(&mut self, number: fn([u8; 2]) -> u16) -> io::Result<()> {
        (self.at, self.ready) = (0, Vec::new());
        while self.ready.is_empty() {
            let kept = self.rest.len();
            self.rest.resize(kept + BLOCK, 0);
            let read = self.source.read(&mut self.rest[kept..])?;
            self.rest.truncate(kept + read);
            if read == 0 && kept == 0 {
                break;
            }
            let (pairs, odd) = self.rest.as_chunks::<2>();
            let mut numbers: Vec<u16> = pairs.iter().map(|pair| number(*pair)).collect();
            // The first of a pair of surrogates waits for the second.
            let waits = read > 0 && numbers.last().is_some_and(|last| (0xd800..0xdc00).contains(last));
            numbers.truncate(numbers.len() - usize::from(waits));
            // At the end, half a number is lost as half a letter of UTF-8 would be.
            let keep = if read == 0 { 0 } else { odd.len() + 2 * usize::from(waits) };
            self.rest.drain(..self.rest.len() - keep);
            self.ready = String::from_utf16_lossy(&numbers).into_bytes();
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let encoding = match self.encoding {
            Some(encoding) => encoding,
            None => self.begin()?,
        };
        if self.at == self.ready.len() {
            match encoding {
                Encoding::Utf8 => return self.source.read(bytes),
                Encoding::Utf16(number) => self.decode(number)?,
            }
        }
        let read = (&self.ready[self.at..]).read(bytes)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tests::Drops;

    #[test]
    fn a_text_is_as_it_was_whatever_it_is_written_in_and_wherever_blocks_end() {
        for text in ["Start (ns),\"µ 😀\"\r\n", "a", ""] {
            let numbers: Vec<u16> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).collect();
            let written = [
                text.as_bytes().to_vec(),
                format!("\u{feff}{text}").into_bytes(),
                numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
                numbers.iter().flat_map(|number| number.to_be_bytes()).collect(),
            ];
            for bytes in written {
                for at_once in 1..=bytes.len().max(1) {
                    let mut read = String::new();
                    Decoded::new(Drops(&bytes, at_once)).read_to_string(&mut read).expect("UTF-8");
                    assert_eq!(read, text, "{bytes:?}, {at_once} at once");
                }
            }
        }
    }

    /// What is cut within a number, or within a pair, ends all the same.
    #[test]
    fn a_text_that_is_cut_ends() {
        for (bytes, want) in [(&b"\xff\xfea\0b"[..], "a"), (b"\xff\xfe\x3d\xd8", "\u{fffd}"), (b"\xff", "\u{fffd}"), (b"\xff\xfe", "")] {
            let mut read = Vec::new();
            Decoded::new(bytes).read_to_end(&mut read).expect("memory");
            assert_eq!(String::from_utf8_lossy(&read), want);
        }
    }
}

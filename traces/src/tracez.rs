//! `.tracez`: a kernel with warps in chunks that are packed with zstd, and an index behind them.
//!
//! Header, zero byte, size of the dictionary, instructions of a chunk, dictionary. Then, for each warp, instructions, chunks, and the chunks behind their
//! sizes. Then the index, and where it begins in the last eight bytes. All numbers are little-endian, of 32 bits but for places in the file, which have 64.

use crate::fault::{Fault, Found, fault};
use crate::header::{LONGEST, Parsed};
use crate::record::{Recorder, Summary};
use crate::scan::Words;
use ruzstd::decoding::{Dictionary, FrameDecoder, StreamingDecoder};
use sim_core::describe::error::Problem;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};

/// Bytes of a chunk, packed or not, at most.
const MOST: u64 = 64 << 20;

/// Bytes of a dictionary, at most.
const MOST_OF_A_DICTIONARY: u64 = 16 << 20;

/// A file, and where its parts begin and end.
struct File<'n, R: Read> {
    source: BufReader<R>,
    name: &'n str,
    /// Where the next byte stands.
    at: u64,
    /// What is read ends here at most.
    end: u64,
}

impl<R: Read + Seek> File<'_, R> {
    fn wrong(&self, fault: Fault) -> Problem {
        fault.at(format!("{} at byte {}", self.name, self.at))
    }

    /// Goes to a place within the file.
    fn go(&mut self, at: u64) -> Result<(), Problem> {
        self.source.seek(SeekFrom::Start(at)).map_err(|error| self.wrong(fault(error.to_string(), "a file in which one can go")))?;
        self.at = at;
        Ok(())
    }

    fn bytes(&mut self, count: u64, what: &str) -> Result<Vec<u8>, Problem> {
        if count > self.end.saturating_sub(self.at) {
            return Err(
                self.wrong(fault(format!("{what} of {count} bytes that go beyond {}", self.end), "what lies within its part of the file"))
            );
        }
        let mut bytes = Vec::new();
        let read = self.source.by_ref().take(count).read_to_end(&mut bytes);
        read.map_err(|error| self.wrong(fault(error.to_string(), "all of the file")))?;
        if bytes.len() as u64 != count {
            return Err(self.wrong(fault("the end of the file", what)));
        }
        self.at += count;
        Ok(bytes)
    }

    fn number(&mut self, what: &str) -> Result<u32, Problem> {
        let bytes = self.bytes(4, what)?;
        Ok(bytes.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte)))
    }

    fn long(&mut self, what: &str) -> Result<u64, Problem> {
        let [low, high] = [self.number(what)?, self.number(what)?];
        Ok(u64::from(high) << 32 | u64::from(low))
    }
}

/// Reads a kernel; nothing if it is another one than `only`.
pub fn read<R: Read + Seek, W: Write>(
    source: R,
    name: &str,
    only: Option<u64>,
    recorder: &mut Recorder<W>,
) -> Result<Option<Summary>, Problem> {
    let mut file = File { source: BufReader::new(source), name, at: 0, end: u64::MAX };
    let end = file.source.seek(SeekFrom::End(0)).map_err(|error| file.wrong(fault(error.to_string(), "a file in which one can go")))?;
    file.go(0)?;
    let header = header(&mut file)?;
    if only.is_some_and(|id| id != header.id) {
        return Ok(None);
    }
    let dictionary = u64::from(file.number("the size of a dictionary")?);
    if dictionary > MOST_OF_A_DICTIONARY {
        return Err(file.wrong(fault(format!("a dictionary of {dictionary} bytes"), format!("at most {MOST_OF_A_DICTIONARY}"))));
    }
    file.number("the instructions of a chunk")?;
    let place = file.at;
    let dictionary = file.bytes(dictionary, "a dictionary")?;
    let mut decoder = decoder(&dictionary).map_err(|fault| fault.at(format!("{name} at byte {place}")))?;
    let data = file.at;
    let index_end = end.saturating_sub(8);
    file.go(index_end)?;
    let index = file.long("where the index begins")?;
    file.at = index_end;
    if index < data || index > index_end {
        return Err(file.wrong(fault(format!("an index at byte {index}"), format!("one from byte {data} to {index_end}"))));
    }
    recorder.begin(header.clone(), name).map_err(|fault| file.wrong(fault))?;
    file.go(index)?;
    file.end = index_end;
    let ctas = file.number("the number of CTAs")?;
    for _ in 0..ctas {
        let mut next = || file.number("a place of a CTA");
        let place = [next()?, next()?, next()?];
        for _ in 0..6 {
            next()?;
        }
        if next()? > 0 {
            recorder.clusters();
        }
        let cta = header.cta(place).map_err(|fault| file.wrong(fault))?;
        if recorder.has_cta(cta) {
            return Err(file.wrong(fault(format!("CTA {place:?} again"), "each CTA once")));
        }
        let takes = recorder.takes(cta);
        if takes {
            recorder.cta(cta);
        }
        let warps = file.number("the number of warps")?;
        if warps > header.warps() {
            return Err(file.wrong(fault(format!("{warps} warps of a CTA"), format!("at most {}", header.warps()))));
        }
        for number in 0..warps {
            let [instructions, chunks] = [file.number("the instructions of a warp")?, file.number("the chunks of a warp")?];
            let at = file.long("where a warp begins")?;
            let counts = file.bytes(4 * u64::from(chunks), "the instructions of chunks")?;
            if !takes {
                continue;
            }
            if at < data || at >= index {
                return Err(file.wrong(fault(format!("a warp at byte {at}"), format!("one from byte {data} to {index}"))));
            }
            let back = file.at;
            file.go(at)?;
            file.end = index;
            if [file.number("the instructions of a warp")?, file.number("the chunks of a warp")?] != [instructions, chunks] {
                return Err(file.wrong(fault(
                    format!("other counts of warp {number} of CTA {place:?} than its index has"),
                    format!("{instructions} instructions in {chunks} chunks"),
                )));
            }
            recorder.warp(cta, number).map_err(|fault| file.wrong(fault))?;
            let mut all = 0;
            for (chunk, count) in counts.chunks_exact(4).enumerate() {
                let count = count.iter().rev().fold(0u32, |n, byte| n << 8 | u32::from(*byte));
                all += u64::from(count);
                let size = u64::from(file.number("the size of a chunk")?);
                if size > MOST {
                    return Err(file.wrong(fault(format!("a chunk of {size} bytes"), format!("at most {MOST}"))));
                }
                let begins = file.at;
                let packed = file.bytes(size, "a chunk")?;
                let text = unpack(&mut decoder, &packed).map_err(|fault| fault.at(format!("{name} at byte {begins}")))?;
                recorder.text_bytes += text.len() as u64;
                let place = |line: usize| format!("{name} at byte {begins}, warp {number} of CTA {place:?}, chunk {chunk}, line {line}");
                let mut done = 0;
                for (line, text) in text.split(|byte| *byte == b'\n').enumerate() {
                    let mut words = Words::new(text);
                    if !words.rest().is_empty() {
                        recorder.instruction(cta, number, &mut words, false).map_err(|fault| fault.at(place(line + 1)))?;
                        done += 1;
                    }
                }
                if done != count {
                    return Err(fault(format!("{done} instructions"), format!("{count}, as the index has")).at(place(0)));
                }
            }
            if all != u64::from(instructions) {
                return Err(
                    file.wrong(fault(format!("{all} instructions in chunks"), format!("{instructions}, as the index has for the warp")))
                );
            }
            recorder.end(cta, number).map_err(|fault| file.wrong(fault))?;
            file.end = index_end;
            file.go(back)?;
        }
    }
    if file.at != index_end {
        return Err(file.wrong(fault("more in the index than its CTAs", "the end of the index")));
    }
    recorder.finish_kernel(false).map(Some).map_err(|fault| file.wrong(fault))
}

/// The header, up to the zero byte behind it.
fn header<R: Read + Seek>(file: &mut File<'_, R>) -> Result<crate::header::Header, Problem> {
    let mut text = Vec::new();
    loop {
        match file.bytes(1, "the header, which ends with a zero byte")?[..] {
            [0] => break,
            [byte] if text.len() < LONGEST => text.push(byte),
            _ => return Err(file.wrong(fault(format!("a header of more than {LONGEST} bytes"), "one that ends with a zero byte"))),
        }
    }
    let mut parsed = Parsed::default();
    for (line, text) in text.split(|byte| *byte == b'\n').enumerate() {
        match parsed.line(text.trim_ascii_end()) {
            Ok(false) => {}
            Ok(true) => break,
            Err(fault) => return Err(fault.at(format!("{}:{}", file.name, line + 1))),
        }
    }
    parsed.whole().map_err(|fault| file.wrong(fault))
}

/// A decoder, and the number of its dictionary.
fn decoder(dictionary: &[u8]) -> Found<(FrameDecoder, Option<u32>)> {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(MOST);
    if dictionary.is_empty() {
        return Ok((decoder, None));
    }
    let parsed = Dictionary::decode_dict(dictionary);
    let parsed = parsed
        .map_err(|error| fault(format!("a dictionary that zstd did not train ({error})"), "one that `zstd --train` or Accel-Sim made"))?;
    let id = parsed.id;
    decoder.add_dict(parsed).map_err(|error| fault(error.to_string(), "a dictionary of zstd"))?;
    Ok((decoder, Some(id)))
}

/// The text of a chunk.
fn unpack((decoder, dictionary): &mut (FrameDecoder, Option<u32>), packed: &[u8]) -> Found<Vec<u8>> {
    let mut source =
        StreamingDecoder::new_with_decoder(packed, &mut *decoder).map_err(|error| fault(error.to_string(), "a frame of zstd"))?;
    let expected = source.decoder.content_size();
    if expected > MOST {
        return Err(fault(format!("{expected} bytes of text in a chunk"), format!("at most {MOST}")));
    }
    // A frame need not name the dictionary that it was made with.
    if let Some(id) = *dictionary {
        source.decoder.force_dict(id).map_err(|error| fault(error.to_string(), "a frame made with the dictionary of the file"))?;
    }
    let mut text = Vec::new();
    let read = source.by_ref().take(MOST + 1).read_to_end(&mut text);
    read.map_err(|error| fault(error.to_string(), "a whole frame of zstd"))?;
    let found = text.len() as u64;
    if found > MOST || (expected > 0 && found != expected) {
        return Err(fault(format!("a frame of {found} bytes or more"), format!("{expected}, as it says, and at most {MOST}")));
    }
    if !source.into_inner().is_empty() {
        return Err(fault("more behind the frame of a chunk", "one frame"));
    }
    Ok(text)
}

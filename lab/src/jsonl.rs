//! Files of lines of JSON that grow as work gets done, and survive whatever stops the program.
//!
//! - **One writer.** `Lines::open` locks before anything is read, with the operating system's advisory lock on the file itself: it holds
//!   whatever link leads to the file, and ends with the process. Whoever comes second is told the process that `FILE.lock` names.
//! - **Whole lines.** A line is written at once behind the last whole one, so that a killed process leaves at most a torn end.
//! - **Checked lines.** Each ends with `"check"`, a checksum of the bytes before it. A line without one, or with another, is refused.

use crate::failure::{Failure, problem};
use crate::output::{not_written, place_of};
use sim_core::describe::digest::{check_of, with_check};
use sim_core::describe::error::{Problems, one_line};
use sim_core::describe::value::Value;
use std::fs::{self, File, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Longest line, bytes.
const MAX_LINE: u64 = 64 << 20;

/// A whole line of a file.
#[derive(Debug)]
pub struct Line {
    /// What it says.
    pub value: Value,
    /// Names what it says, its checksum left out.
    pub check: String,
    /// File and line, for people.
    pub place: String,
    /// Where it starts, bytes.
    pub start: u64,
    /// Its bytes, the line's end included.
    pub length: u64,
}

/// Reads every whole line of a file. What follows the last one must be the torn beginning of another: `begins` says how lines begin.
/// Returns the bytes of whole lines.
pub fn read(file: &File, path: &str, begins: &[&str], mut each: impl FnMut(Line) -> Result<(), Problems>) -> Result<u64, Problems> {
    let unreadable = |error: std::io::Error| problem("(file)", format!("{path}: {error}"), "a file that can be read");
    let mut reader = BufReader::new(file);
    reader.rewind().map_err(unreadable)?;
    let (mut start, mut number, mut text) = (0, 0, Vec::new());
    loop {
        text.clear();
        number += 1;
        let length = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut text).map_err(unreadable)? as u64;
        let place = format!("{path}:{number}");
        let Some(whole) = text.strip_suffix(b"\n") else {
            let torn = begins.iter().any(|begin| text.starts_with(begin.as_bytes()) || begin.as_bytes().starts_with(&text));
            return if torn && length < MAX_LINE { Ok(start) } else { Err(problem(&place, "other text", WANT)) };
        };
        let value = serde_json::from_slice(whole).map_err(|error| problem(&place, error, WANT))?;
        let (found, check) = check_of(whole);
        match found {
            Some(found) if found == check.as_bytes() => {}
            Some(_) => return Err(problem(&place, "a line that was changed: its check is another", WANT)),
            None => return Err(problem(&place, "a line without its check", WANT)),
        }
        each(Line { value, check, place, start, length })?;
        start += length;
    }
}

/// What each line must be.
pub const WANT: &str = "a line as `corun` wrote it";

/// A file of lines that this process alone writes, until it is dropped.
#[derive(Debug)]
pub struct Lines {
    file: File,
    /// As the user wrote it.
    name: String,
    /// With links followed.
    path: PathBuf,
    /// Bytes of whole lines.
    whole: u64,
    /// Nobody is told of it, and it goes when this does.
    scratch: bool,
    /// There was no such file: if nothing gets written, there will be none.
    fresh: bool,
}

impl Lines {
    /// Opens a file or starts one, and locks it. What is there already is kept, if `resume`, or else refused.
    pub fn open(name: &str, resume: bool) -> Result<Lines, Problems> {
        let unwritable = |error: std::io::Error| problem("(output)", format!("{name}: {error}"), "a file that can be written");
        let occupied = || problem("(output)", format!("{name}, which is there already"), "a new file, or --resume");
        loop {
            let fresh = !Path::new(name).exists();
            if !fresh && !resume {
                return Err(occupied());
            }
            let file = File::options().create(true).truncate(false).read(true).write(true).open(name).map_err(unwritable)?;
            let path = match fs::canonicalize(name) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                other => other.map_err(unwritable)?,
            };
            lock(&file, name, &path)?;
            let about = file.metadata().map_err(unwritable)?;
            if !about.is_file() {
                return Err(problem("(output)", format!("{name}, which is no plain file"), "a file that can be written"));
            }
            // Whoever held the lock before may have put another file in the place of this one.
            if !is_at(&file, &path) {
                continue;
            }
            if !resume && about.len() > 0 {
                return Err(occupied());
            }
            // What a killed process has left of putting its lines in order: the lock says that nobody does so now.
            let _ = fs::remove_file(beside(&path, ".unfinished"));
            // A note for people: without it the lock holds all the same.
            let _ = fs::write(note(&path), std::process::id().to_string());
            return Ok(Lines { file, name: one_line(name), path, whole: 0, scratch: false, fresh });
        }
    }

    /// A file in the system's folder for such, which goes when this does.
    pub fn scratch() -> Result<Lines, Problems> {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let name = std::env::temp_dir().join(format!("corun-{}-{now}.jsonl", std::process::id()));
        let mut lines = Lines::open(&name.display().to_string(), false)?;
        lines.scratch = true;
        Ok(lines)
    }

    /// The file's name as the user gave it, if at all.
    pub fn name(&self) -> Option<&str> {
        (!self.scratch).then_some(self.name.as_str())
    }

    /// Reads every whole line. Lines are appended behind the last of them, over a torn one.
    pub fn read(&mut self, begins: &[&str], each: impl FnMut(Line) -> Result<(), Problems>) -> Result<(), Problems> {
        self.whole = read(&self.file, &self.name, begins, each)?;
        Ok(())
    }

    /// Appends a line, with its checksum.
    pub fn append(&mut self, line: &Value) -> Result<(), Failure> {
        let text = serde_json::to_string(line).map_err(|error| not_written(error.into()))?;
        let text = with_check(&text) + "\n";
        let at = SeekFrom::Start(self.whole);
        let written = self.file.set_len(self.whole).and_then(|()| self.file.seek(at)).and_then(|_| self.file.write_all(text.as_bytes()));
        written.map_err(|error| {
            // A line that is cut is one that the next reader has to pass over.
            let _ = self.file.set_len(self.whole);
            not_written(error)
        })?;
        self.whole += text.len() as u64;
        Ok(())
    }

    /// Puts these lines of `sources` (number of the file, line) in the place of all that it has: all of them, or none if that fails.
    pub fn replace<'l>(&mut self, sources: &[&File], lines: impl Iterator<Item = (usize, &'l Line)>) -> Result<(), Failure> {
        if !is_at(&self.file, &self.path) {
            let found = format!("{}, in whose place there is another file now", self.name);
            return Err(problem("(output)", found, "the file that was opened").into());
        }
        let unfinished = beside(&self.path, ".unfinished");
        let target = File::options().create(true).truncate(true).read(true).write(true).open(&unfinished).map_err(not_written)?;
        let mut target = BufWriter::new(target);
        let mut text = Vec::new();
        for (number, line) in lines {
            let mut source = sources[number];
            text.resize(line.length as usize, 0);
            source.seek(SeekFrom::Start(line.start)).and_then(|_| source.read_exact(&mut text)).map_err(not_written)?;
            if check_of(text.strip_suffix(b"\n").unwrap_or(&text)).1 != line.check {
                return Err(problem(&line.place, "a line that changes as it is read", WANT).into());
            }
            target.write_all(&text).map_err(not_written)?;
        }
        let file = target.into_inner().map_err(|error| not_written(error.into_error()))?;
        let about = self.file.metadata().map_err(not_written)?;
        file.set_permissions(about.permissions()).and_then(|()| file.sync_all()).map_err(not_written)?;
        // Locked before it has the name, so that there is no moment at which the name leads to a file without a lock.
        lock(&file, &self.name, &self.path)?;
        fs::rename(&unfinished, &self.path).map_err(not_written)?;
        self.whole = file.metadata().map_err(not_written)?.len();
        self.file = file;
        Ok(())
    }

    /// Puts lines of its own in another order.
    pub fn arrange<'l>(&mut self, lines: impl Iterator<Item = &'l Line>) -> Result<(), Failure> {
        let own = self.file.try_clone().map_err(not_written)?;
        self.replace(&[&own], lines.map(|line| (0, line)))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let empty = || self.fresh && self.file.metadata().is_ok_and(|about| about.len() == 0);
        if (self.scratch || empty()) && is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
        // The lock is still held: this is no other process's note.
        let _ = fs::remove_file(note(&self.path));
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn note(path: &Path) -> PathBuf {
    beside(path, ".lock")
}

/// Locks a file, or names the process that has locked it.
fn lock(file: &File, name: &str, path: &Path) -> Result<(), Problems> {
    // Where locks do not exist, nothing is locked.
    let Err(TryLockError::WouldBlock) = file.try_lock() else { return Ok(()) };
    let holder = fs::read_to_string(note(path)).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let holder = holder.map_or("another process".to_owned(), |pid| format!("process {pid}"));
    Err(problem("(output)", format!("{name}, which {holder} is writing"), "a file of its own for each process"))
}

/// Whether a path still leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    cfg!(not(unix)) || place_of(&file.metadata()).is_some_and(|place| place_of(&fs::metadata(path)) == Some(place))
}

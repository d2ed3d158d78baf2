//! What the program writes: results on stdout or in a file, problems and progress on stderr, and the files that a run leaves.
//!
//! Nothing is lost in silence. What stdout or a file does not take ends the program with exit status 1; that stderr takes nothing is no
//! reason to stop. A file is written aside and gets its name when it is whole: whatever ends the program, there is no half file under that
//! name, and what was there before stays until then.

use crate::failure::Failure;
use sim_core::describe::error::{Problems, one_line};
use sim_core::describe::value::Value;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempPath;

/// Prints text and a line end on stdout.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).map_err(not_printed)
}

/// Prints a value as indented JSON.
pub fn print_json(value: &Value) -> Result<(), Failure> {
    print(&pretty(value)?)
}

/// A value as indented JSON.
pub fn pretty(value: &Value) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| not_printed(error.into()))
}

/// Says something on stderr.
pub fn say(text: &str) {
    let text = text.split('\n').map(one_line).collect::<Vec<_>>().join("\n") + "\n";
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Stdout did not take what was printed.
pub fn not_printed(error: io::Error) -> Failure {
    Failure::Lost("(stdout)", error)
}

/// A file did not take what was written.
pub fn not_written(error: io::Error) -> Failure {
    Failure::Lost("(output)", error)
}

/// How the name of a file ends that is not whole yet.
const UNFINISHED: &str = ".unfinished";

/// How old an unfinished file is before it can be one that nobody writes: between its beginning and its lock a process is slow at most.
const LEFT: Duration = Duration::from_secs(60);

/// Removes what killed processes have left unfinished in a folder, of files whose names begin so.
pub fn sweep(folder: &Path, begins: &str) {
    let named = |name: &str| name.starts_with(begins) && name.ends_with(UNFINISHED);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| entry.file_name().to_str().is_some_and(named)) {
        let left = || -> io::Result<bool> {
            let old = entry.metadata()?.modified()?.elapsed().is_ok_and(|age| age > LEFT);
            Ok(old && File::open(entry.path())?.try_lock().is_ok())
        };
        if left().is_ok_and(|left| left) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file that gets its name when it is whole. A device or a pipe is written as it is.
#[derive(Debug)]
pub struct Whole {
    file: BufWriter<File>,
    /// As the user wrote it.
    name: String,
    /// What it is called until then, which goes with this, and what it is to be called.
    aside: Option<(TempPath, PathBuf)>,
}

impl Whole {
    /// Opens a file to be written to this path, or to where a link there leads.
    pub fn open(path: &Path) -> io::Result<Whole> {
        let shown = path.display().to_string();
        let path = &resolved(path);
        let known = fs::metadata(path).ok();
        if let Some(about) = &known {
            // What may not be written is not replaced either.
            let there = File::options().write(true).open(path)?;
            if !about.is_file() {
                return Ok(Whole { file: BufWriter::new(there), name: shown, aside: None });
            }
        }
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy().into_owned();
        let prefix = format!(".{name}.");
        let mut builder = tempfile::Builder::new();
        let (file, aside) = permissions(&mut builder).prefix(&prefix).suffix(UNFINISHED).tempfile_in(folder_of(path))?.into_parts();
        // Whoever sweeps sees by the lock that it is being written.
        let _ = file.try_lock();
        if let Some(about) = known {
            file.set_permissions(about.permissions())?;
        }
        Ok(Whole { file: BufWriter::new(file), name: shown, aside: Some((aside, path.clone())) })
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.flush().map_err(not_written)?;
        let Some((aside, path)) = self.aside else { return Ok(()) };
        let name = &self.name;
        self.file.get_ref().sync_all().map_err(|error| not_written(of_file(name, &error)))?;
        aside.persist(path).map_err(|error| not_written(of_file(name, &error.error)))
    }
}

/// An error with the file that it is of.
fn of_file(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| of_file(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| of_file(&self.name, &error))
    }
}

/// As any new file: the user's mask says who may read it.
#[cfg(unix)]
fn permissions<'b, 'p, 's>(builder: &'b mut tempfile::Builder<'p, 's>) -> &'b mut tempfile::Builder<'p, 's> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn permissions<'b, 'p, 's>(builder: &'b mut tempfile::Builder<'p, 's>) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

/// Writes a whole file, or none.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = Whole::open(path).map_err(not_written)?;
    file.write_all(text.as_bytes()).map_err(not_written)?;
    file.finish()
}

/// Opens the files that a command leaves, each with the option that names it; none of them if one is `input`, is what stdout goes to, or is
/// a second one's too.
pub fn create<const N: usize>(input: &str, files: [(&str, Option<&str>); N]) -> Result<[Option<Whole>; N], Failure> {
    let mut taken = vec![("the input", read_from(input)), ("stdout", stdout())];
    let mut names: Vec<(&str, PathBuf)> = Vec::new();
    let mut problems = Problems::default();
    let opened = files.map(|(option, file)| {
        let name = file?;
        let path = resolved(Path::new(name));
        sweep(folder_of(&path), &format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy()));
        let opened = Whole::open(Path::new(name));
        let opened = opened.map_err(|error| problems.add("(output)", format!("{name}: {error}"), "a file that can be written")).ok()?;
        let (place, path) = (place_of(&fs::metadata(name)), resolved(Path::new(name)));
        let same_place = taken.iter().find(|(_, other)| place.is_some() && *other == place).map(|(what, _)| *what);
        let same_name = names.iter().find(|(_, other)| opened.aside.is_some() && *other == path).map(|(what, _)| *what);
        if let Some(what) = same_place.or(same_name) {
            problems.add(option, format!("{name}, where {what} is"), "a file of its own");
        }
        taken.push((option, place));
        names.push((option, path));
        Some(opened)
    });
    problems.or(opened).map_err(Failure::from)
}

/// A path with its links followed, also where nothing is at their end; of a device or a pipe as it is.
fn resolved(path: &Path) -> PathBuf {
    match fs::metadata(path) {
        Ok(about) if !about.is_file() => return path.to_owned(),
        Ok(_) => return fs::canonicalize(path).unwrap_or(path.to_owned()),
        Err(_) => {}
    }
    let mut path = path.to_owned();
    // As many as the operating system follows.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().map_or(target.clone(), |folder| folder.join(&target));
    }
    let whole = fs::canonicalize(folder_of(&path)).ok().zip(path.file_name()).map(|(folder, name)| folder.join(name));
    whole.unwrap_or(path)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A plain file, whatever path or link leads to it.
type Place = Option<(u64, u64)>;

/// Which plain file this is about.
#[cfg(unix)]
pub fn place_of(about: &io::Result<Metadata>) -> Place {
    use std::os::unix::fs::MetadataExt;
    about.as_ref().ok().filter(|about| about.is_file()).map(|about| (about.dev(), about.ino()))
}

#[cfg(not(unix))]
pub fn place_of(_: &io::Result<Metadata>) -> Place {
    None
}

/// Where an input comes from; `-` is standard input.
fn read_from(input: &str) -> Place {
    if input == "-" { of_stream(&io::stdin()) } else { place_of(&fs::metadata(input)) }
}

fn stdout() -> Place {
    of_stream(&io::stdout())
}

#[cfg(unix)]
fn of_stream(stream: &impl std::os::fd::AsFd) -> Place {
    place_of(&stream.as_fd().try_clone_to_owned().and_then(|own| File::from(own).metadata()))
}

#[cfg(not(unix))]
fn of_stream<S>(_: &S) -> Place {
    None
}

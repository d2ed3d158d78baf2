//! What the program writes: results on stdout, problems and progress on stderr, and the files that a run leaves.
//!
//! Nothing is lost in silence. What stdout or a file does not take ends the program with exit status 1; that stderr takes nothing is no reason to stop.

use crate::Failure;
use sim_core::describe::error::{Problems, one_line};
use sim_core::describe::value::Value;
use std::fs::{File, Metadata};
use std::io::{BufWriter, Write};

/// Prints text and a line end on stdout.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).map_err(not_printed)
}

/// Prints a value as indented JSON.
pub fn print_json(value: &Value) -> Result<(), Failure> {
    print(&serde_json::to_string_pretty(value).map_err(|error| not_printed(error.into()))?)
}

/// Says something on stderr.
pub fn say(text: &str) {
    let text = text.split('\n').map(one_line).collect::<Vec<_>>().join("\n") + "\n";
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Stdout did not take what was printed.
pub fn not_printed(error: std::io::Error) -> Failure {
    Failure::Lost("(stdout)", error)
}

/// A file did not take what was written.
pub fn not_written(error: std::io::Error) -> Failure {
    Failure::Lost("(output)", error)
}

/// Opens the files that a run leaves, each with the option that names it, and empties them; none of them if one is `input`, is what stdout
/// goes to, or is a second one's too.
pub fn create<const N: usize>(input: &str, files: [(&str, Option<&str>); N]) -> Result<[Option<BufWriter<File>>; N], Failure> {
    let mut taken = vec![("the input", read_from(input)), ("stdout", stdout())];
    let mut problems = Problems::default();
    let opened = files.map(|(option, file)| {
        let name = file?;
        let opened = File::options().create(true).truncate(false).write(true).open(name);
        let opened = opened.map_err(|error| problems.add("(output)", format!("{name}: {error}"), "a file that can be written")).ok()?;
        let place = place_of(&opened.metadata());
        match taken.iter().find(|(_, other)| place.is_some() && *other == place) {
            Some((what, _)) => problems.add(option, format!("{name}, where {what} is"), "a file of its own"),
            None => taken.push((option, place)),
        }
        Some(opened)
    });
    problems.or(())?;
    for file in opened.iter().flatten().filter(|file| file.metadata().is_ok_and(|about| about.is_file())) {
        file.set_len(0).map_err(not_written)?;
    }
    Ok(opened.map(|file| file.map(BufWriter::new)))
}

/// A plain file, whatever path or link leads to it.
type Place = Option<(u64, u64)>;

/// Which plain file this is about.
#[cfg(unix)]
pub fn place_of(about: &std::io::Result<Metadata>) -> Place {
    use std::os::unix::fs::MetadataExt;
    about.as_ref().ok().filter(|about| about.is_file()).map(|about| (about.dev(), about.ino()))
}

#[cfg(not(unix))]
pub fn place_of(_: &std::io::Result<Metadata>) -> Place {
    None
}

/// Where an input comes from; `-` is standard input.
fn read_from(input: &str) -> Place {
    if input == "-" { of_stream(&std::io::stdin()) } else { place_of(&std::fs::metadata(input)) }
}

fn stdout() -> Place {
    of_stream(&std::io::stdout())
}

#[cfg(unix)]
fn of_stream(stream: &impl std::os::fd::AsFd) -> Place {
    place_of(&stream.as_fd().try_clone_to_owned().and_then(|own| File::from(own).metadata()))
}

#[cfg(not(unix))]
fn of_stream<S>(_: &S) -> Place {
    None
}

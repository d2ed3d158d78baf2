//! Starting other programs: where the project is, what a program printed, and how much processor time it took.

use anyhow::{Context, Result, bail};
use std::cell::Cell;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::Duration;
use wait4::Wait4;

thread_local! {
    /// Processor time of all programs that this thread has started and seen end.
    static SPENT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Processor time, user and system, of the programs that this thread has run to their end, with what these have waited for.
pub fn spent() -> Duration {
    SPENT.get()
}

/// Waits for the end of a program and adds what it took.
pub fn wait(child: Child) -> Result<ExitStatus> {
    let ended = child.wait4()?;
    SPENT.set(SPENT.get() + ended.rusage.utime + ended.rusage.stime);
    Ok(ended.status)
}

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Where cargo leaves what it builds.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The cargo that runs this program, in the project's root.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(args);
    command
}

/// `npm` in web/, without its advice.
pub fn npm(args: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root().join("web")).args(args);
    command.env("npm_config_fund", "false").env("npm_config_audit", "false").env("npm_config_update_notifier", "false");
    command
}

/// Runs to the end; an exit status other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let child = command.spawn().with_context(|| format!("cannot start {}", shown(command)))?;
    let status = wait(child)?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs to the end with each line of stdout given to `each`. Says whether the status was 0.
pub fn watch(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {}", shown(command)))?;
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            each(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
    }
    Ok(wait(child)?.success())
}

/// Runs to the end and shows what it printed, on either stream, only if it fails.
pub fn quietly(command: &mut Command) -> Result<()> {
    let ended = captured(command.stdin(Stdio::null()))?;
    if !ended.status.success() {
        std::io::stdout().write_all(&[ended.stdout, ended.stderr].concat())?;
        bail!("{} ended with {}", shown(command), ended.status);
    }
    Ok(())
}

/// Runs to the end and keeps what it printed.
fn captured(command: &mut Command) -> Result<Output> {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().with_context(|| format!("cannot start {}", shown(command)))?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (out, err) = (child.stdout.take(), child.stderr.take());
    // Both at once: a program that fills one pipe while the other is read would wait for ever.
    thread::scope(|scope| {
        scope.spawn(|| err.map(|mut pipe| pipe.read_to_end(&mut stderr)));
        out.map(|mut pipe| pipe.read_to_end(&mut stdout));
    });
    Ok(Output { status: wait(child)?, stdout, stderr })
}

/// Runs a program, its first word, that reads all of `input`, and waits for what it says.
pub fn fed(words: &[OsString], input: &str) -> Result<Output> {
    let (program, args) = words.split_first().context("no program is named")?;
    let mut command = Command::new(program);
    command.args(args).current_dir(root()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {}", shown(&command)))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends before it has read all says why itself.
        let _ = stdin.write_all(input.as_bytes());
    }
    Ok(child.wait_with_output()?)
}

/// What a program prints on stdout; if it fails, the error has what it printed on either stream.
pub fn said(command: &mut Command) -> Result<String> {
    let out = captured(command)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if !out.status.success() {
        bail!("{} ended with {}:\n{}", shown(command), out.status, text(&[out.stdout, out.stderr].concat()));
    }
    Ok(text(&out.stdout))
}

/// What a program prints on stdout, or nothing if it cannot be run or fails.
pub fn output(command: &mut Command) -> Option<String> {
    said(command).ok()
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let mut words = vec![Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|a| a.to_string_lossy().into_owned()));
    words.join(" ")
}

/// A program on PATH.
pub fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

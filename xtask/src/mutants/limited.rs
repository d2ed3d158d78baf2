//! Programs that may take only so long.

use crate::run::{shown, wait};
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How a program with a time limit has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Well,
    Badly,
    /// A line was enough.
    Stopped,
    OutOfTime,
}

/// The process group of the program that runs with a limit; 0: none does.
static LIMITED: AtomicU32 = AtomicU32::new(0);

/// Lines that may wait to be read: a program that prints faster waits.
const LINES: usize = 1024;

/// Runs until the program ends, a line of stdout is `enough`, or `limit` is over. What it has started ends with it, also at Ctrl-C.
pub fn limited(command: &mut Command, limit: Duration, mut enough: impl FnMut(&str) -> bool) -> Result<End> {
    let end = Instant::now() + limit;
    let mut child = command.stdout(Stdio::piped()).process_group(0).spawn().with_context(|| format!("cannot start {}", shown(command)))?;
    LIMITED.store(child.id(), Ordering::SeqCst);
    let (sender, lines) = sync_channel(LINES);
    let stdout = child.stdout.take();
    // It ends with the pipe, or at the first line that nobody reads any more.
    thread::spawn(move || {
        for line in stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n')).map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                break;
            }
        }
    });
    let early = loop {
        // Of a program that prints without end a line is always there: the time is looked at for each.
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break Some(End::OutOfTime);
        }
        match lines.recv_timeout(left) {
            Ok(line) if enough(&line) => break Some(End::Stopped),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => break Some(End::OutOfTime),
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    if early.is_some() {
        kill_group(child.id());
    }
    let status = wait(child)?;
    LIMITED.store(0, Ordering::SeqCst);
    Ok(early.unwrap_or(if status.success() { End::Well } else { End::Badly }))
}

/// Ends the program that runs with a limit, with all that it has started.
pub fn kill_limited() {
    match LIMITED.load(Ordering::SeqCst) {
        0 => {}
        group => kill_group(group),
    }
}

fn kill_group(group: u32) {
    // It may have ended by itself.
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// Whoever reads is slower than the program prints, so that a line always waits.
    #[test]
    fn a_program_that_prints_without_end_is_out_of_time() {
        let slowly = |_: &str| {
            thread::sleep(Duration::from_millis(1));
            false
        };
        assert_eq!(limited(&mut shell("yes"), Duration::from_millis(50), slowly).expect("sh starts"), End::OutOfTime);
    }

    #[test]
    fn a_program_with_a_limit_ends_in_four_ways() {
        let hour = Duration::from_secs(3600);
        let end = |script: &str, limit| limited(&mut shell(script), limit, |line| line == "enough").expect("sh starts");
        assert_eq!(end("echo; exit 0", hour), End::Well);
        assert_eq!(end("exit 3", hour), End::Badly);
        assert_eq!(end("echo enough; sleep 3600", hour), End::Stopped);
        // The shell's child holds the pipe: without an end to the whole group this would wait for it.
        assert_eq!(end("sleep 3600; true", Duration::from_millis(50)), End::OutOfTime);
    }
}

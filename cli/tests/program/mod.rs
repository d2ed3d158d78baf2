//! The program, as a process of its own.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// What it prints, and how it ends, with these bytes on stdin.
pub fn corun(arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_corun"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // The program may well stop reading before the end.
    let _ = pipe.write_all(stdin);
    drop(pipe);
    child.wait_with_output().expect("the program ends")
}

//! The table of malformed experiments through the program itself: exit status 2, one line for each problem on stderr, nothing on stdout.

mod program;

use program::corun;
use std::path::{Path, PathBuf};
use std::process::Output;

#[path = "../../tests/bad_input/table.rs"]
mod table;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Larger files are not read to their end.
const MAX_BYTES: usize = 64 << 20;

/// The paths of the problems on stderr, or what is wrong with the output.
fn paths(output: &Output) -> Result<Vec<String>, String> {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(2) {
        return Err(format!("exit {:?}\n{stderr}", output.status.code()));
    }
    if !output.stdout.is_empty() {
        return Err("something on stdout".to_owned());
    }
    let path = |line: &str| {
        let (path, rest) = line.split_once(": found ").ok_or_else(|| format!("not a problem: {line:?}"))?;
        if rest.contains(", want ") { Ok(path.to_owned()) } else { Err(format!("nothing wanted: {line:?}")) }
    };
    stderr.lines().map(path).collect()
}

#[test]
fn every_malformed_experiment_ends_with_its_problems() {
    let cases = table::cases(&root());
    assert!(cases.len() >= 40, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let unreadable = case.content.len() > MAX_BYTES || std::str::from_utf8(&case.content).is_err();
        let expected = if unreadable { vec!["(file)".to_owned()] } else { case.paths.clone() };
        let command: &[&str] = if number % 2 == 0 { &["run", "-", "--json"] } else { &["explain", "-"] };
        match paths(&corun(command, &case.content)) {
            Ok(found) if found == expected => {}
            Ok(found) => wrong.push(format!("{}: expected {expected:?}, got {found:?}", case.name)),
            Err(why) => wrong.push(format!("{}: {why}", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_command_line_changes_is_checked_alike() {
    let good = br#"{"corun": 1, "kernels": ["ccbp/BP", "ccbp/CFD"], "gpu": "tiny-2sm", "alone": false}"#;
    let cases: &[(&[&str], &str)] = &[
        (&["--set", "gpu.sm.count=0"], "gpu.sm.count"),
        (&["--set", "gpu.sm.cuont=1"], "gpu.sm.cuont"),
        (&["--set", "policy=fair"], "policy.name"),
        (&["--set", "kernels[2]=BP"], "kernels[2]"),
        (&["--set", "kernels[x]=BP"], "kernels[x]"),
        (&["--set", "seed"], "--set"),
        (&["--set", "=1"], "--set"),
        (&["--set", "stop.cycles=0"], "stop.cycles"),
        (&["--cycles", "0"], "stop.cycles"),
        (&["--seed", "18446744073709551615"], "seed"),
        (&["--threads", "0"], "--threads"),
        (&["--threads", "two"], "--threads"),
        (&["--threads", "100000"], "--threads"),
        (&["--trace", "/nonexistent/folder/trace.json", "--cycles", "400"], "(output)"),
        (&["--windows", "/nonexistent/folder/windows.csv", "--cycles", "400"], "(output)"),
    ];
    for (arguments, path) in cases {
        let output = corun(&[&["run", "-", "--json"], *arguments].concat(), good);
        let found = paths(&output).unwrap_or_else(|why| panic!("{arguments:?}: {why}"));
        assert_eq!(found, [*path], "{arguments:?}");
    }
    let missing = corun(&["run", "/nonexistent/experiment.json"], b"");
    assert_eq!(paths(&missing), Ok(vec!["(file)".to_owned()]));
    let folder = corun(&["explain", env!("CARGO_MANIFEST_DIR")], b"");
    assert_eq!(paths(&folder), Ok(vec!["(file)".to_owned()]));
}

#[test]
fn bad_usage_is_exit_2() {
    for arguments in [&["walk"][..], &["run"], &["run", "-", "--cycles", "many"], &["run", "-", "--json", "--csv"], &["list", "pets"]] {
        let output = corun(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

//! Does a timeline of a real program say what ran, is it the same when it is written, and does bad input leave nothing behind?

mod program;

use program::corun;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("timeline").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn sample(name: &str) -> String {
    format!("{}/../timelines/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// What an import prints, and what it says besides.
fn imported(arguments: &[&str]) -> (String, String) {
    let output = corun(&[&["import", "timeline"], arguments].concat(), b"");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{said}");
    (String::from_utf8(output.stdout).expect("text"), said)
}

fn refused(arguments: &[&str]) -> String {
    let output = corun(arguments, b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_timeline_says_what_ran_and_is_the_same_when_it_is_written() {
    let folder = folder("written");
    let file = folder.join("ddp.json");
    let file = file.to_str().expect("a path that is text");
    let (printed, said) = imported(&[&sample("kineto_ddp_a100.json.gz"), "--out", file]);
    assert_eq!(said, "");
    let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "from PyTorch's profiler (Kineto)",
        "GPU 0 NVIDIA A100-PG509-200, 108 SMs",
        "streams 7, 40",
        "launches 2,700",
        "kernels 194, by name and shape",
        "ncclKernel_AllReduce_RING_LL_Sum_float 15 46.76 ms 2.521 ms 8 544 96 87,568",
    ] {
        assert!(words.contains(part), "{part}: {printed}");
    }
    assert_eq!(imported(&[file]), (printed, String::new()));
    assert_eq!(
        refused(&["run", file]),
        "(file): found launches of a real program, want an experiment; `corun import timeline FILE` prints them\n"
    );
}

#[test]
fn what_is_missing_is_said_beside_what_is_there() {
    let folder = folder("cut");
    let whole = fs::read(sample("kineto_alexnet_a100.json.gz")).expect("a sample");
    let file = folder.join("cut.json.gz");
    fs::write(&file, &whole[..whole.len() * 9 / 10]).expect("a file");
    let (printed, said) = imported(&[file.to_str().expect("a path that is text")]);
    assert!(printed.contains("launches"), "{printed}");
    assert!(said.starts_with("note: what follows is missing: byte ") && said.lines().count() == 1, "{said}");
}

#[test]
fn what_is_no_timeline_leaves_nothing() {
    let folder = folder("refused");
    let path = |name: &str| folder.join(name).to_str().expect("a path that is text").to_owned();
    fs::write(path("other.json"), "{\"a\": 1}").expect("a file");
    fs::write(path("kept"), "what was there").expect("a file");
    let said = refused(&["import", "timeline", &path("other.json"), "--out", &path("kept")]);
    assert!(said.contains("other.json: found JSON without `traceEvents`, want a trace of PyTorch's profiler, or a table"), "{said}");
    assert!(refused(&["import", "timeline", &path("none.json")]).starts_with("(file): found "));
    assert!(refused(&["import", "timeline", &path("kept"), "--out", &path("kept")]).contains("where the input is"));
    assert_eq!(fs::read(path("kept")).expect("the file"), b"what was there");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 2);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_an_import_that_leaves_nothing() {
    use std::process::{Command, Stdio};
    let folder = folder("stopped");
    fs::write(folder.join("long.json"), format!("{{\"traceEvents\": [{}", "{\"a\": [1]}, ".repeat(8 << 20))).expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_corun"));
    let arguments = ["import", "timeline", "long.json", "--out", "out"];
    let mut child = child.current_dir(&folder).args(arguments).stderr(Stdio::piped()).spawn().expect("the program starts");
    // As soon as there is something to be left over.
    while fs::read_dir(&folder).expect("the folder").count() == 1 {
        assert!(child.try_wait().expect("a child").is_none(), "it was done before it could be stopped");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("`kill` starts").success());
    let output = child.wait_with_output().expect("a child");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "stopped: while long.json was read; nothing is written\n");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
}

//! Do traces of Accel-Sim become a recording, and does bad input leave nothing behind?

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("import").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// A folder with all samples.
fn samples(name: &str) -> PathBuf {
    let folder = folder(name);
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/tests/samples")).expect("samples").flatten() {
        fs::copy(file.path(), folder.join(file.file_name())).expect("a copy");
    }
    folder
}

fn corun(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corun")).current_dir(folder).args(arguments).output().expect("the program starts")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// The line that refuses it.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = corun(folder, arguments);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    text(output.stderr)
}

/// What a recording holds, as `corun show` says it.
fn shown(folder: &Path, file: &str) -> Value {
    let output = corun(folder, &["show", file, "--json"]);
    assert!(output.status.success(), "{}", text(output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn same(kernel: &Value, folder: &Path, sample: &str) {
    let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).expect("what was counted apart")).expect("JSON");
    let expected = expected[sample].as_object().expect("a sample");
    assert!(expected.len() > 10);
    for (key, value) in expected {
        assert_eq!(&kernel[key], value, "{sample}: {key}");
    }
}

#[test]
fn a_list_becomes_one_recording_with_all_its_kernels() {
    let folder = samples("list");
    let output = corun(&folder, &["import", "accelsim", "kernelslist.g", "--out", "a.corun"]);
    let said = text(output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(text(output.stdout).starts_with("a.corun: 2 kernels, "));
    for note in ["approximated: HMMA (tensor) as", "approximated: HGMMA (tensor, by four warps) as", "approximated: UTMALDG (bulk copy) as"]
    {
        assert!(said.contains(&format!("note: {note}")), "{note}: {said}");
    }
    let recording = shown(&folder, "a.corun");
    assert_eq!((&recording["copies"], &recording["copied_bytes"]), (&Value::from(2), &Value::from(131_072)));
    assert_eq!(recording["kernels"].as_array().map(Vec::len), Some(2));
    same(&recording["kernels"][0], &folder, "kernel-1.v5.traceg.xz");
    same(&recording["kernels"][1], &folder, "kernel-1.plain.tracez");
    let people = text(corun(&folder, &["show", "a.corun"]).stdout);
    let said = people.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in
        ["_Z6samplePKfS0_Pf", "6 × 1 × 1 CTAs of 128 × 1 × 1 threads", "active_lanes 13,638", "UTMALDG 6", "2 copies of 131,072 bytes"]
    {
        assert!(said.contains(words), "{words}: {people}");
    }
    assert!(people.lines().all(|line| line.chars().count() <= 100), "{people}");
}

#[test]
fn a_part_of_a_kernel_can_be_recorded() {
    let folder = samples("part");
    let arguments = ["import", "accelsim", "kernel-1.v6.trace", "--kernel", "1", "--ctas", "2..5", "--strict", "--out", "a.corun"];
    assert!(corun(&folder, &arguments).status.success());
    let recording = shown(&folder, "a.corun");
    let kernel = &recording["kernels"][0];
    assert_eq!((&kernel["ctas"], &kernel["warps"], &kernel["instructions"]), (&3.into(), &12.into(), &240.into()));
}

#[test]
fn bad_input_is_named_and_leaves_nothing() {
    let folder = samples("bad");
    let whole = fs::read_to_string(folder.join("kernel-1.v5.traceg")).expect("a sample");
    let cut: Vec<&str> = whole.lines().take(45).collect();
    fs::write(folder.join("cut.traceg"), cut.join("\n")).expect("a file");
    fs::write(folder.join("listed.g"), "kernel-1.v5.traceg\nkernel-9.traceg\n").expect("a file");
    fs::write(folder.join("copies.g"), "MemcpyHtoD,0x1000,4\n").expect("a file");
    fs::write(folder.join("other"), "MZ").expect("a file");
    fs::write(folder.join("kept.corun"), "what was there").expect("a file");
    let import = |file: &str, more: &[&str]| refused(&folder, &[&["import", "accelsim", file, "--out", "kept.corun"], more].concat());
    for (file, more, said) in [
        ("cut.traceg", &[][..], "cut.traceg:46: found the end of the file, want 16 instructions of warp 1, of which 3 are there"),
        ("listed.g", &[], "(file): found kernel-9.traceg: No such file or directory"),
        ("copies.g", &[], "(file): found a list without kernels, want a kernel to record"),
        ("other", &[], "other: found another kind of file, want a trace of Accel-Sim"),
        ("kernel-1.v5.traceg", &["--kernel", "7"], "(file): found kernel-1.v5.traceg, which has no kernel 7, want a kernel to record"),
        ("kernel-1.v5.traceg", &["--ctas", "9..12"], "kernel-1.v5.traceg:15: found a grid of 6 CTAs and --ctas 9..12, want"),
        ("kernel-1.v5.traceg", &["--ctas", "5..5"], "want A..B with A less than B"),
        ("kept.corun", &[], "found kept.corun, where the input is"),
    ] {
        let problem = import(file, more);
        assert!(problem.contains(said), "{file} {more:?}: {problem}");
        assert_eq!(fs::read(folder.join("kept.corun")).expect("the file"), b"what was there", "{file}");
    }
    let left: Vec<String> =
        fs::read_dir(&folder).expect("the folder").flatten().map(|file| file.file_name().to_string_lossy().into()).collect();
    assert!(!left.iter().any(|name| name.ends_with(".unfinished")), "{left:?}");
}

#[test]
fn a_recording_is_known_by_what_it_holds() {
    let folder = samples("known");
    assert!(corun(&folder, &["import", "accelsim", "kernel-1.v5.traceg", "--out", "recorded"]).status.success());
    assert_eq!(
        refused(&folder, &["run", "recorded"]),
        "(file): found a recording of kernels, want an experiment; `corun show FILE` prints what is in it\n"
    );
    assert_eq!(
        refused(&folder, &["run", "kernel-1.v5.traceg"]),
        "(file): found a kernel's trace of Accel-Sim, want an experiment; `corun import accelsim FILE --out FILE.corun` records it\n"
    );
    let again = refused(&folder, &["import", "accelsim", "recorded", "--out", "b.corun"]);
    assert_eq!(again, "recorded: found a recording of Corun's, want a trace of Accel-Sim\n");
    let whole = fs::read(folder.join("recorded")).expect("the recording");
    fs::write(folder.join("cut.corun"), &whole[..whole.len() / 2]).expect("a file");
    assert!(refused(&folder, &["show", "cut.corun"]).starts_with("cut.corun at byte "), "a recording that is cut off");
    assert_eq!(refused(&folder, &["show", "expected.json", "--json"]), "--json: found another file, want a recording of kernels\n");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_an_import_that_leaves_nothing() {
    let folder = samples("stopped");
    fs::write(folder.join("kernelslist"), "kernel-1.v6.trace\n".repeat(1 << 18)).expect("a file");
    for signal in ["-INT", "-TERM"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_corun"));
        let arguments = ["import", "accelsim", "kernelslist", "--out", "a.corun"];
        let mut child = child.current_dir(&folder).args(arguments).stderr(Stdio::piped()).spawn().expect("the program starts");
        // As soon as there is something to be left over.
        let begun = |name: &str| name.starts_with(".a.corun.");
        while !fs::read_dir(&folder).expect("the folder").flatten().any(|file| begun(&file.file_name().to_string_lossy())) {
            assert!(child.try_wait().expect("a child").is_none(), "it was done before it could be stopped");
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("`kill` starts").success());
        let output = child.wait_with_output().expect("a child");
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(text(output.stderr), "stopped: while kernelslist was read; a.corun is not written\n");
        let left = fs::read_dir(&folder).expect("the folder").flatten().any(|file| file.file_name().to_string_lossy().contains("a.corun"));
        assert!(!left, "something is left");
    }
}

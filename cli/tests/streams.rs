//! What the program writes where: nothing lost in silence, nothing written over, problems that are a line each, whatever stands in the input.

use sim_core::describe::value::Value;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A folder of its own for each test, with a small experiment and one that would take days.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("streams").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    fs::write(folder.join("small.json"), SMALL).expect("a file of the test");
    fs::write(folder.join("long.json"), SMALL.replace("4000", "999999999999")).expect("a file of the test");
    folder
}

const SMALL: &str =
    r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"], "policy": "even", "stop": {"cycles": 4000}, "alone": false}"#;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_corun"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn corun(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// What stands on stderr, if it ends with exit status 2 and nothing on stdout.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", stderr(output));
    assert!(output.stdout.is_empty(), "something on stdout");
    stderr(output)
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("a device that is full").into()
}

/// Every command that prints.
const PRINTING: &[&[&str]] = &[
    &["run", "small.json"],
    &["run", "small.json", "--json"],
    &["run", "small.json", "--csv"],
    &["explain", "small.json"],
    &["explain", "small.json", "--json"],
    &["list", "gpus"],
    &["list", "policies"],
    &["show", "policy", "smk"],
    &["show", "experiment", "bp-cfd-even"],
    &["completions", "bash"],
    &["list", "orders", "--json"],
    &["schema", "experiment"],
    &["schema", "result"],
    &["probe", "noc", "--cycles", "1000"],
    &["probe", "noc", "--cycles", "1000", "--json"],
    &["probe", "noc", "--cycles", "1000", "--load", "0.1:0.5:0.1"],
    &["probe", "noc", "--cycles", "1000", "--load", "0.1:0.5:0.1", "--json"],
    &["probe", "occupancy", "--threads", "64", "--regs", "16"],
    &["oracle", "small.json"],
    &["oracle", "small.json", "--json"],
    &["reproduce", "--list"],
    &["reproduce", "--paper", "ikra", "--list"],
    &["help"],
    &["probe", "dram", "--help"],
    &["--version"],
];

#[test]
fn output_that_is_lost_is_exit_1() {
    let folder = folder("full");
    for arguments in PRINTING {
        let output = command(&folder, arguments).stdout(full()).output().expect("the program starts");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.lines().any(|line| line.starts_with("(stdout): found No space left")), "{arguments:?}: {said}");
        // Nobody reads: no word about it.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command(&folder, arguments).stdout(writer).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(!stderr(&output).contains("found"), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_file_that_cannot_hold_all_is_exit_1() {
    let folder = folder("room");
    for option in ["--trace", "--windows"] {
        let output = corun(&folder, &["run", "small.json", "--json", option, "/dev/full"]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{option}: {said}");
        assert!(said.starts_with("(output): found /dev/full: No space left") && output.stdout.is_empty(), "{option}: {said}");
    }
}

#[test]
fn a_full_stderr_changes_no_exit_status() {
    let folder = folder("quiet");
    let stuck = r#"policy={"name": "manual", "controls": {"cta_target": [0, 0]}}"#;
    let sweep = format!(r#"{{"corun": 1, "sweep": {{"base": {SMALL}, "axes": [{{"path": "seed", "values": [1, 2]}}]}}}}"#);
    fs::write(folder.join("sweep.json"), sweep).expect("a file of the test");
    for (arguments, want) in [
        (&["run", "small.json", "--set", "seed=-1"][..], 2),
        (&["walk"], 2),
        (&["run", "small.json", "--set", stuck], 1),
        (&["sweep", "sweep.json", "--out", "out.jsonl"], 0),
        (&["merge", "out.jsonl", "--out", "merged.jsonl"], 0),
        (&["sweep", "sweep.json", "--out", "out.jsonl"], 2),
    ] {
        let output = command(&folder, arguments).stderr(full()).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(want), "{arguments:?}");
    }
}

/// Bad usage is clap's to say: what is wrong, what would be right, and how the command is used.
#[test]
fn bad_usage_says_what_would_be_right() {
    let folder = folder("usage");
    for (arguments, want) in [
        (&[][..], &["Examples:", "corun run bp-cfd-even", "Usage: corun <COMMAND>", "sweep"][..]),
        (&["swep"], &["unrecognized subcommand 'swep'", "tip: ", "'sweep'"]),
        (&["probe"], &["Usage: corun probe <COMMAND>", "noc", "occupancy"]),
        (&["run"], &["<EXPERIMENT>", "Usage: corun run <EXPERIMENT>"]),
        (&["sweep"], &["--out <FILE.jsonl>", "<SWEEP>", "Usage: corun sweep"]),
        (
            &["run", "small.json", "--cycles", "many"],
            &["'many' for '--cycles <N>'", "a whole number, such as 20000, 20k, 1e6 or 1_000_000"],
        ),
        (&["run", "small.json", "--cycles"], &["a value is required for '--cycles <N>'"]),
        (&["run", "small.json", "--json", "--csv"], &["'--json' cannot be used with '--csv'"]),
        (&["list"], &["Usage: corun list", "gpus"]),
        (&["list", "kernel"], &["possible values: gpus, kernels", "a similar value exists: 'kernels'"]),
        (&["run", "small.json", "--cycle", "3"], &["unexpected argument '--cycle'", "a similar argument exists: '--cycles'"]),
        (&["run", "small.json", "other.json"], &["unexpected argument 'other.json'", "Usage: corun run"]),
        (&["oracle", "small.json", "--resume"], &["--out <FILE.jsonl>"]),
    ] {
        let said = refused(&corun(&folder, arguments));
        assert!(want.iter().all(|want| said.contains(want)), "{arguments:?}: {want:?} in\n{said}");
        assert!(!said.contains('\u{1b}'), "{arguments:?}: colours into a pipe");
    }
}

#[test]
fn numbers_have_many_spellings() {
    let folder = folder("numbers");
    let hash = |arguments: &[&str]| {
        let output = corun(&folder, &[&["explain", "small.json", "--json"], arguments].concat());
        let explained: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
        explained.get("config_hash").cloned().expect("a hash")
    };
    let plain = hash(&["--cycles", "20000", "--seed", "1000"]);
    for arguments in [
        ["--cycles", "20k", "--seed", "1e3"],
        ["--cycles", "2e4", "--seed", "1_000"],
        ["--set", "stop.cycles=20k", "--set", "seed=1_000"],
        ["--set", "stop.cycles=2e4", "--set", "seed=1K"],
    ] {
        assert_eq!(hash(&arguments), plain, "{arguments:?}");
    }
    assert_ne!(hash(&["--cycles", "20001", "--seed", "1000"]), plain);
    let probe = |cycles: &str| corun(&folder, &["probe", "noc", "--json", "--cycles", cycles]).stdout;
    assert_eq!(probe("2k"), probe("2000"));
}

/// A file of another kind is told what it is and which command takes it, in one line.
#[test]
fn a_file_of_another_kind_is_told_which_command_takes_it() {
    let folder = folder("kinds");
    let sweep = format!(r#"{{"corun": 1, "sweep": {{"base": {SMALL}, "axes": [{{"path": "seed", "values": [1, 2]}}]}}}}"#);
    fs::write(folder.join("sweep.json"), sweep).expect("a file of the test");
    fs::write(folder.join("script.rhai"), "// nothing\nfn interval(seen, controls) {}").expect("a file of the test");
    let predict = r#"{"corun": 1, "predict": {}}"#;
    fs::write(folder.join("predict.json"), predict).expect("a file of the test");
    let kernel = r#"{"name": "k", "arrays": [], "launches": [{"ctas": 1, "threads": 32, "program": [{"alu": {}}]}]}"#;
    fs::write(folder.join("kernel.json"), kernel).expect("a file of the test");
    let result = corun(&folder, &["run", "small.json", "--json", "--trace", "trace.json"]).stdout;
    fs::write(folder.join("result.json"), result).expect("a file of the test");
    let swept = corun(&folder, &["sweep", "sweep.json", "--out", "results.jsonl"]);
    assert!(swept.status.success(), "{}", stderr(&swept));
    // Results are mostly longer than an experiment may be.
    let line = fs::read_to_string(folder.join("results.jsonl")).expect("it is there").lines().next().expect("a line").to_owned() + "\n";
    fs::write(folder.join("long.jsonl"), line.repeat((5 << 20) / line.len())).expect("a file of the test");
    fs::write(folder.join("one.jsonl"), line).expect("a file of the test");
    for (arguments, want) in [
        (&["run", "sweep.json"][..], "(file): found a sweep, want an experiment; `corun sweep FILE --out RESULTS.jsonl` runs it\n"),
        (&["explain", "predict.json"], "(file): found a prediction, want an experiment; `corun predict FILE` works it out\n"),
        (&["oracle", "result.json"], "(file): found a result, want an experiment; `corun show FILE` prints it\n"),
        (&["run", "results.jsonl"], "(file): found results of a sweep, want an experiment; `corun show FILE` prints them\n"),
        (&["run", "long.jsonl"], "(file): found results of a sweep, want an experiment; `corun show FILE` prints them\n"),
        (&["run", "one.jsonl"], "(file): found results of a sweep, want an experiment; `corun show FILE` prints them\n"),
        (&["run", "trace.json"], "(file): found a timeline, want an experiment; https://ui.perfetto.dev shows it\n"),
        (&["run", "script.rhai"], "(file): found a script, want an experiment; `corun run EXPERIMENT --script FILE` runs it\n"),
        (
            &["run", "small.json", "--script", "sweep.json"],
            "(file): found a sweep, want a script; `corun sweep FILE --out RESULTS.jsonl` runs it\n",
        ),
        (&["run", "kernel.json"], "(file): found a kernel, want an experiment; it belongs into the `kernels` of an experiment\n"),
        (&["sweep", "small.json", "--out", "out.jsonl"], "(file): found an experiment, want a sweep; `corun run FILE` runs it\n"),
        (&["predict", "small.json"], "(file): found an experiment, want a prediction; `corun run FILE` runs it\n"),
        (
            &["merge", "small.json", "--out", "out.jsonl"],
            "(file): found an experiment, want results of a sweep; `corun run FILE` runs it\n",
        ),
        (&["merge", "result.json", "--out", "out.jsonl"], "(file): found a result, want results of a sweep; `corun show FILE` prints it\n"),
    ] {
        assert_eq!(refused(&corun(&folder, arguments)), want, "{arguments:?}");
    }
    assert!(!folder.join("out.jsonl").exists());
}

/// Who has the program alone has the examples too; a file of the same name goes first.
#[test]
fn examples_are_known_by_name() {
    let folder = folder("examples");
    let hash = |arguments: &[&str]| {
        let output = corun(&folder, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON").get("config_hash").cloned().expect("a hash")
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/experiments/tiny-bp-sad.json");
    let file = file.to_str().expect("a path that is text");
    assert_eq!(hash(&["explain", "tiny-bp-sad", "--json"]), hash(&["explain", file, "--json"]));
    assert_eq!(hash(&["run", "tiny-bp-sad", "--json", "--cycles", "4k"]), hash(&["explain", file, "--json", "--cycles", "4k"]));
    fs::create_dir(folder.join("tiny-bp-sad")).expect("a folder of that name");
    assert_eq!(hash(&["explain", "tiny-bp-sad", "--json"]), hash(&["explain", file, "--json"]));
    fs::write(folder.join("bp-cfd-even"), SMALL).expect("a file of the test");
    assert_eq!(hash(&["explain", "bp-cfd-even", "--json"]), hash(&["explain", "small.json", "--json"]));
    assert!(corun(&folder, &["predict", "copy-saxpy"]).status.success());
    let said = refused(&corun(&folder, &["run", "bp-cfd-evn"]));
    assert!(
        said.lines().count() == 1 && said.ends_with("want a file that can be read, or the name of an example, such as bp-cfd-even\n"),
        "{said}"
    );
    let said = refused(&corun(&folder, &["sweep", "polices", "--out", "out.jsonl"]));
    assert!(said.contains("such as policies"), "{said}");
    assert!(refused(&corun(&folder, &["run", "no/such/thing.json"])).ends_with("want a file that can be read\n"));
}

#[test]
fn no_name_forges_a_problem_or_drives_the_terminal() {
    let folder = folder("names");
    let forged = |name: &str| {
        format!(
            r#"{{"corun":1,"gpu":"tiny-2sm","kernels":[{{"name":"k","arrays":[{{"name":"{name}","bytes":128}}],
                "launches":[{{"ctas":1,"threads":32,"program":[{{"load":{{"array":"q"}}}}]}}]}}]}}"#
        )
    };
    for name in [r"a\nkernels[9]: found x, want y", r"a\u001b[2J", r"a\u009b2J", r"a\u2028b", r"a\u202eb"] {
        fs::write(folder.join("forged.json"), forged(name)).expect("a file of the test");
        let said = refused(&corun(&folder, &["run", "forged.json"]));
        assert!(said.lines().count() == 1 && said.starts_with("kernels[0]."), "{name}: {said}");
        assert!(said.contains(r"a\"), "{name}: {said}");
        assert!(
            !said.trim_end_matches('\n').contains(|c: char| c != '\n' && c.is_control() || c == '\u{2028}' || c == '\u{202e}'),
            "{said:?}"
        );
    }
    let bad = "no\nsuch: found x, want y\u{1b}[2J";
    for arguments in [
        &["run", bad][..],
        &["run", "small.json", "--trace", "no/such\n/file"],
        &["run", "small.json", "--set", "a\nb"],
        &["run", "small.json", "--set", "gpu.a\nb=1"],
        &["merge", bad, "--out", "out.jsonl"],
    ] {
        let said = refused(&corun(&folder, arguments));
        assert!(said.lines().count() == 1 && !said.contains('\u{1b}'), "{arguments:?}: {said}");
    }
    // Where no problem is printed, a name stands on one line too.
    for command in ["run", "explain"] {
        let output = corun(&folder, &[command, "small.json", "--set", "name=a\nb\u{1b}[2J"]);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(text.starts_with("a\\nb\\u{1b}[2J") && !text.contains('\u{1b}'), "{text}");
    }
}

#[test]
fn no_more_than_twenty_problems_are_listed() {
    let folder = folder("many");
    let fields: Vec<String> = (0..100).map(|i| format!("\"field{i}\": 1")).collect();
    fs::write(folder.join("many.json"), SMALL.replacen('{', &format!("{{{},", fields.join(",")), 1)).expect("a file of the test");
    let said = refused(&corun(&folder, &["run", "many.json"]));
    assert_eq!(said.lines().count(), 21, "{said}");
    assert_eq!(said.lines().last(), Some("(and more): found 80 more problems, want none"));
    // Of a sweep that is bad at each of its points, enough.
    let bad: Vec<String> = (0..9000).map(|i| format!("\"p{i}\"")).collect();
    let sweep = format!(r#"{{"corun": 1, "sweep": {{"base": {SMALL}, "axes": [{{"path": "policy", "values": [{}]}}]}}}}"#, bad.join(","));
    fs::write(folder.join("sweep.json"), sweep).expect("a file of the test");
    let said = refused(&corun(&folder, &["sweep", "sweep.json", "--out", "out.jsonl"]));
    assert_eq!(said.lines().count(), 21, "{said}");
    assert_eq!(said.lines().last(), Some("(and more): found at least 980 more problems, want none"));
}

#[test]
fn the_largest_numbers_are_refused_as_what_they_are() {
    let folder = folder("large");
    for (option, path) in [("--cycles", "stop.cycles"), ("--seed", "seed")] {
        let said = refused(&corun(&folder, &["run", "small.json", option, "18446744073709551615"]));
        assert!(said.starts_with(&format!("{path}: found 1.8446744073709552e19, want ")), "{said}");
    }
}

#[test]
fn a_byte_order_mark_is_no_problem() {
    let folder = folder("mark");
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    fs::write(folder.join("marked.json"), marked(SMALL)).expect("a file of the test");
    let digest = |file: &str| {
        let output = corun(&folder, &["run", file, "--json"]);
        let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
        result.get("digest").cloned()
    };
    assert_eq!(digest("marked.json"), digest("small.json"));
    let mut child = command(&folder, &["explain", "-"]).stdin(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(&marked(SMALL)).expect("the program reads");
    assert!(child.wait_with_output().expect("it ends").status.success());
    let sweep = format!(r#"{{"corun": 1, "sweep": {{"base": {SMALL}, "axes": [{{"path": "seed", "values": [1, 2]}}]}}}}"#);
    fs::write(folder.join("sweep.json"), marked(&sweep)).expect("a file of the test");
    assert!(corun(&folder, &["sweep", "sweep.json", "--out", "out.jsonl"]).status.success());
}

/// Whatever path leads to a file, a run does not write its timeline or its windows over its experiment, over each other or over its result.
#[test]
fn a_run_writes_nothing_over() {
    let folder = folder("over");
    std::os::unix::fs::symlink("small.json", folder.join("link.json")).expect("a link");
    fs::hard_link(folder.join("small.json"), folder.join("hard.json")).expect("another name");
    fs::write(folder.join("kept.csv"), "kept").expect("a file of the test");
    std::os::unix::fs::symlink("kept.csv", folder.join("kept.json")).expect("a link");
    for (arguments, path) in [
        (&["--trace", "small.json"][..], "--trace"),
        (&["--trace", "./small.json"], "--trace"),
        (&["--windows", "link.json"], "--windows"),
        (&["--trace", "hard.json"], "--trace"),
        (&["--windows", "kept.csv", "--trace", "kept.csv"], "--trace"),
        (&["--windows", "kept.csv", "--trace", "kept.json"], "--trace"),
        (&["--windows", "kept.csv", "--trace", "no/folder"], "(output)"),
    ] {
        let said = refused(&corun(&folder, &[&["run", "small.json"], arguments].concat()));
        assert!(said.lines().count() == 1 && said.starts_with(&format!("{path}: found ")), "{arguments:?}: {said}");
        assert_eq!(fs::read_to_string(folder.join("small.json")).expect("it is there"), SMALL, "{arguments:?}");
        assert_eq!(fs::read_to_string(folder.join("kept.csv")).expect("it is there"), "kept", "{arguments:?}");
    }
    let stdin = File::open(folder.join("small.json")).expect("it is there");
    let output = command(&folder, &["run", "-", "--trace", "small.json"]).stdin(stdin).output().expect("the program starts");
    assert!(refused(&output).starts_with("--trace: found small.json, where the input is, want "));
    let stdout = File::options().append(true).open(folder.join("kept.csv")).expect("it is there");
    let output =
        command(&folder, &["run", "small.json", "--json", "--trace", "kept.csv"]).stdout(stdout).output().expect("the program starts");
    assert!(refused(&output).starts_with("--trace: found kept.csv, where stdout is, want "));
    assert_eq!(fs::read_to_string(folder.join("kept.csv")).expect("it is there"), "kept");
    // Two outputs into nothing are fine, and a longer file is replaced as a whole.
    fs::write(folder.join("kept.csv"), "x".repeat(1 << 20)).expect("a file of the test");
    assert!(corun(&folder, &["run", "small.json", "--trace", "/dev/null", "--windows", "/dev/null"]).status.success());
    assert!(corun(&folder, &["run", "small.json", "--trace", "kept.json"]).status.success());
    let text = fs::read_to_string(folder.join("kept.csv")).expect("the link's target");
    assert!(serde_json::from_str::<Value>(&text).is_ok());
}

/// A run that is told to stop prints what it has, marked as cut off, and leaves whole files.
#[test]
fn a_run_that_is_told_to_stop_leaves_its_result_and_whole_files() {
    let folder = folder("stopped");
    for (signal, json) in [("-INT", false), ("-TERM", true)] {
        let mut arguments = vec!["run", "long.json", "--trace", "trace.json", "--windows", "windows.csv"];
        arguments.extend(json.then_some("--json"));
        let mut child = command(&folder, &arguments).spawn().expect("the program starts");
        // Until they are whole, files have other names.
        let growing = || {
            fs::read_dir(&folder)
                .expect("the folder")
                .flatten()
                .find(|file| file.file_name().to_string_lossy().starts_with(".windows.csv."))
        };
        while growing().and_then(|file| file.metadata().ok()).map_or(0, |about| about.len()) < 10_000 {
            assert!(child.try_wait().expect("a child").is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(!folder.join("windows.csv").exists() && !folder.join("trace.json").exists(), "half files under their names");
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("`kill` starts").success());
        let output = child.wait_with_output().expect("it ends");
        let (said, printed) = (stderr(&output), String::from_utf8(output.stdout).expect("UTF-8"));
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.starts_with("stopped: at cycle ") && said.ends_with(", where the result ends\n"), "{said}");
        if json {
            let result: Value = serde_json::from_str(&printed).expect("JSON");
            assert_eq!(result.get("stop"), Some(&"interrupted".into()));
            assert!(result.get("cycles").and_then(Value::as_int).is_some_and(|cycles| cycles > 0 && said.contains(&cycles.to_string())));
        } else {
            assert!(printed.contains("where it was CUT OFF") && printed.contains("IPC, thread instructions per cycle"), "{printed}");
        }
        let trace: Value = serde_json::from_str(&fs::read_to_string(folder.join("trace.json")).expect("it is there")).expect("whole JSON");
        assert!(matches!(trace.get("traceEvents"), Some(Value::Array(events)) if events.len() > 10));
        let windows = fs::read_to_string(folder.join("windows.csv")).expect("it is there");
        let columns: Vec<usize> = windows.lines().map(|line| line.split(',').count()).collect();
        assert!(windows.ends_with('\n') && columns.iter().all(|count| *count == columns[0]));
        for file in ["trace.json", "windows.csv"] {
            fs::remove_file(folder.join(file)).expect("it is there");
        }
    }
}

/// The program with room for so many blocks of 512 bytes in any file, as on a disk that is nearly full.
fn cramped(folder: &Path, blocks: usize, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    // Beyond the limit a write fails, where the signal that says so is ignored.
    command.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_corun")]);
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().expect("`sh` starts")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).expect("the folder").flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A file that does not fit is not there at all; one that was there before stays as it was.
#[test]
fn a_full_disk_leaves_no_half_file() {
    let folder = folder("cramped");
    let sweep = format!(r#"{{"corun": 1, "sweep": {{"base": {SMALL}, "axes": [{{"path": "seed", "values": [1, 2, 3, 4]}}]}}}}"#);
    fs::write(folder.join("sweep.json"), sweep).expect("a file of the test");
    assert!(corun(&folder, &["sweep", "sweep.json", "--out", "results.jsonl"]).status.success());
    let before = names(&folder);
    for arguments in [
        &["run", "small.json", "--trace", "new"][..],
        &["run", "small.json", "--windows", "new"],
        &["run", "small.json", "--json", "--out", "new"],
        &["explain", "small.json", "--json", "--out", "new"],
        &["show", "results.jsonl", "--svg", "new", "--metric", "gpu.ipc"],
    ] {
        let whole = corun(&folder, arguments);
        assert!(whole.status.success(), "{arguments:?}: {}", stderr(&whole));
        fs::rename(folder.join("new"), folder.join("whole")).expect("it is there");
        let length = fs::metadata(folder.join("whole")).expect("it is there").len();
        fs::remove_file(folder.join("whole")).expect("it is there");
        let blocks = (length / 512 / 2) as usize;
        for kept in [false, true] {
            if kept {
                fs::write(folder.join("new"), "kept").expect("a file of the test");
            }
            let output = cramped(&folder, blocks, arguments);
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stderr(&output));
            assert!(stderr(&output).contains("(output): found new: File too large"), "{arguments:?}: {}", stderr(&output));
            assert_eq!(fs::read_to_string(folder.join("new")).ok(), kept.then(|| "kept".to_owned()), "{arguments:?}");
            let _ = fs::remove_file(folder.join("new"));
            assert_eq!(names(&folder), before, "{arguments:?}");
        }
    }
    // The results of a sweep are its own rule: whole lines stay, and the sweep goes on from there.
    let results = fs::read_to_string(folder.join("results.jsonl")).expect("it is there");
    let output = cramped(&folder, results.len() / 512 / 2, &["sweep", "sweep.json", "--jobs", "1", "--out", "cut.jsonl"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let cut = fs::read_to_string(folder.join("cut.jsonl")).expect("it is there");
    assert!(cut.ends_with('\n') && cut.lines().count() < 4 && results.starts_with(&cut), "whole lines");
    assert!(corun(&folder, &["sweep", "sweep.json", "--resume", "--out", "cut.jsonl"]).status.success());
    assert_eq!(fs::read_to_string(folder.join("cut.jsonl")).expect("it is there"), results);
}

/// What cannot be kept is measured again next time: no reason for a run to fail.
#[test]
fn a_full_store_costs_a_warning() {
    let folder = folder("store");
    let arguments = ["run", "small.json", "--set", "alone=true", "--json", "--store", "kept"];
    let rows = || {
        let engines = names(&folder.join("kept"));
        assert_eq!(engines.len(), 1, "a folder for this engine");
        names(&folder.join("kept").join(&engines[0]))
    };
    let output = cramped(&folder, 0, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("note: (store): found kept/") && stderr(&output).lines().count() == 1, "{}", stderr(&output));
    assert_eq!(rows(), [""; 0]);
    let digest = |output: &Output| serde_json::from_slice::<Value>(&output.stdout).expect("JSON").get("digest").cloned();
    assert_eq!(digest(&output), digest(&corun(&folder, &arguments)));
    // Two alone on the whole GPU, two in their shares, and the result.
    assert_eq!(rows().len(), 5);
}

/// What cannot run is not explained: the runs that a policy needs first included, which are named.
#[test]
fn explain_refuses_what_run_refuses() {
    let folder = folder("refused");
    let large = r#"{"corun": 1, "gpu": {"preset": "hetero-8b8s", "sm.count": 2, "sm.big.count": 1, "sm.small.count": 3},
        "kernels": [{"name": "k", "launches": [{"ctas": 2, "threads": 1024, "registers": 32, "program": [{"alu": {}}]}]}],
        "stop": {"cycles": 4000}, "alone": false, "policy": {"name": "hetero-stp", "profile_cycles": 1000}}"#;
    fs::write(folder.join("large.json"), large).expect("a file of the test");
    let [run, explain] = ["run", "explain"].map(|command| refused(&corun(&folder, &[command, "large.json"])));
    assert_eq!(run, explain);
    assert!(run.starts_with("kernels[0].launches[0]: found in the run \"k alone") && run.contains("SM of class uniform"), "{run}");
}

/// A paper takes from half an hour to hours: none is run that is not named.
#[test]
fn reproduce_asks_for_a_paper_and_writes_nothing() {
    let folder = folder("papers");
    let before = names(&folder);
    for arguments in [&["reproduce"][..], &["reproduce", "--quick"], &["reproduce", "--jobs", "1"]] {
        let said = refused(&corun(&folder, arguments));
        assert!(
            ["ccbp", "qos", "hetero", "latency", "ikra", "interference"].iter().all(|paper| said.contains(&format!("\n{paper} "))),
            "{said}"
        );
        assert!(
            said.contains("time on two cores")
                && said.ends_with("--paper: found nothing, want one of ccbp, qos, hetero, latency, ikra, interference\n"),
            "{said}"
        );
        assert_eq!(names(&folder), before);
    }
    assert!(refused(&corun(&folder, &["reproduce", "--paper", "none"])).starts_with("--paper: found \"none\", want one of ccbp"));
    let unknown = ["reproduce", "--paper", "ccbp", "--figure", "fig99", "--table", "t"];
    let said = "--table: found t, want the id of a table: --list prints them\n--figure: found fig99, want the id of a figure: --list prints them\n";
    assert_eq!(refused(&corun(&folder, &unknown)), said);
}

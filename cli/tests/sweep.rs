//! What `corun sweep` promises: the same bytes however the work is divided, and nothing lost but what was running.

use sim_core::describe::digest::with_check;
use sim_core::describe::value::Value;
use sim_core::run::result::ENGINE;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder of its own for each test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweep").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_corun"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to the end; what is refused prints nothing.
fn corun(folder: &Path, arguments: &[&str]) -> Output {
    let output = command(folder, arguments).output().expect("the program starts");
    assert!(output.stdout.is_empty() || output.status.code() != Some(2), "{arguments:?}: something on stdout");
    output
}

/// Runs to the end, which must be a good one.
fn done(folder: &Path, arguments: &[&str]) {
    let output = corun(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The paths of the problems, if that is how it ends.
fn problems(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = corun(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    let path = |line: &str| line.split_once(": found ").filter(|(_, rest)| rest.contains(", want ")).map(|(path, _)| path.to_owned());
    stderr.lines().map(|line| path(line).unwrap_or_else(|| panic!("not a problem: {line:?}"))).collect()
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file of the test");
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Twelve points: three mixes, two policies, two lengths. Every mix needs runs alone that another needs too.
fn twelve(folder: &Path, cycles: u64) {
    let text = format!(
        r#"{{"corun": 1, "sweep": {{
            "base": {{"corun": 1, "gpu": "tiny-2sm"}},
            "axes": [
              {{"path": "kernels", "values": [["ccbp/BP", "ccbp/SAD"], ["ccbp/SAD", "ccbp/CFD"], ["ccbp/BP", "ccbp/CFD"]]}},
              {{"path": "policy", "values": ["even", "spatial"]}},
              {{"path": "stop.cycles", "values": [{cycles}, {}]}}] }} }}"#,
        cycles / 2
    );
    write(folder, "sweep.json", &text);
}

/// The lines without their checksums.
fn unchecked(text: &str) -> String {
    let line = |line: &str| line.rsplit_once(",\"check\":").map(|(body, _)| format!("{body}}}\n")).expect("a line with its checksum");
    text.lines().map(line).collect()
}

/// With the checksums of what they say now.
fn checked(text: &str) -> String {
    text.lines().map(|line| [&with_check(line), "\n"].concat()).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Waits until a file has a complete line.
fn has_a_line(child: &mut Child, file: &Path) {
    while !fs::read(file).is_ok_and(|bytes| bytes.contains(&b'\n')) {
        assert!(child.try_wait().expect("a child").is_none(), "it ended before its first line");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn jobs_and_shards_do_not_change_a_byte() {
    let folder = folder("bytes");
    twelve(&folder, 8_000);
    done(&folder, &["sweep", "sweep.json", "--jobs", "1", "--out", "one.jsonl"]);
    done(&folder, &["sweep", "sweep.json", "--jobs", "2", "--out", "two.jsonl"]);
    let whole = read(&folder, "one.jsonl");
    assert_eq!(whole, read(&folder, "two.jsonl"));
    let indices: Vec<Option<i64>> = lines(&whole).iter().map(|line| line.get("index").and_then(Value::as_int)).collect();
    assert_eq!(indices, (0..12).map(Some).collect::<Vec<_>>());
    for shard in ["1/3", "2/3", "3/3"] {
        done(&folder, &["sweep", "sweep.json", "--shard", shard, "--out", &format!("{}.jsonl", &shard[..1])]);
    }
    done(&folder, &["merge", "3.jsonl", "1.jsonl", "2.jsonl", "--out", "merged.jsonl"]);
    assert_eq!(whole, read(&folder, "merged.jsonl"));
    // Files may overlap, and a whole may be put together from parts and run on.
    let some = ["merge", "2.jsonl", "3.jsonl", "2.jsonl", "--out", "some.jsonl"];
    let output = corun(&folder, &some);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("some.jsonl: 8 of 12 points; missing: 0, 3, 6, 9;"), "{stderr}");
    done(&folder, &[&some[..], &["--partial"]].concat());
    assert_eq!(lines(&read(&folder, "some.jsonl")).len(), 8);
    done(&folder, &["sweep", "sweep.json", "--resume", "--out", "some.jsonl"]);
    assert_eq!(whole, read(&folder, "some.jsonl"));
}

#[test]
fn a_point_has_the_result_that_run_gives() {
    let folder = folder("result");
    twelve(&folder, 8_000);
    done(&folder, &["sweep", "sweep.json", "--shares", "--out", "out.jsonl"]);
    let last = lines(&read(&folder, "out.jsonl")).pop().expect("a point");
    assert_eq!(
        last.get("axes").map(ToString::to_string).as_deref(),
        Some(r#"{"kernels":["ccbp/BP","ccbp/CFD"],"policy":"spatial","stop.cycles":4000}"#)
    );
    let same = r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "spatial", "stop": {"cycles": 4000}}"#;
    write(&folder, "experiment.json", same);
    let run = command(&folder, &["run", "experiment.json", "--json"]).output().expect("the program starts");
    let Ok(Value::Object(mut result)) = serde_json::from_slice(&run.stdout) else { panic!("no result") };
    result.retain(|(key, _)| !["wall_seconds", "cycles_per_second", "warp_instructions_per_second"].contains(&key.as_str()));
    let result = Value::Object(result);
    assert_eq!(last.get("result"), Some(&result));
    assert_eq!(last.get("config_hash"), result.get("config_hash"));
    assert!(
        result.get("metrics").and_then(|metrics| metrics.get("antt")).and_then(Value::as_f64).is_some_and(|antt| antt > 1.0),
        "{result}"
    );
}

#[test]
fn a_torn_file_is_completed_to_the_same_bytes() {
    let folder = folder("torn");
    twelve(&folder, 8_000);
    done(&folder, &["sweep", "sweep.json", "--out", "whole.jsonl"]);
    let whole = read(&folder, "whole.jsonl");
    let second = whole.find('\n').map_or(0, |first| first + 1 + whole[first + 1..].find('\n').unwrap_or(0));
    for cut in [0, 1, second - 1, second, second + 1, second + 500, whole.len() - 1, whole.len()] {
        write(&folder, "cut.jsonl", &whole[..cut]);
        done(&folder, &["sweep", "sweep.json", "--jobs", "2", "--resume", "--out", "cut.jsonl"]);
        assert_eq!(whole, read(&folder, "cut.jsonl"), "cut at {cut}");
    }
}

#[test]
fn a_killed_sweep_goes_on_where_it_was() {
    let folder = folder("killed");
    twelve(&folder, 400_000);
    let mut child = command(&folder, &["sweep", "sweep.json", "--jobs", "2", "--out", "out.jsonl"]).spawn().expect("the program starts");
    has_a_line(&mut child, &folder.join("out.jsonl"));
    child.kill().expect("a child that runs");
    assert_eq!(child.wait().expect("a child").signal(), Some(9), "it was done before it could be killed");
    let left = read(&folder, "out.jsonl");
    let kept: Vec<&str> = left.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
    assert!(!kept.is_empty() && kept.len() < 12);
    done(&folder, &["sweep", "sweep.json", "--resume", "--out", "out.jsonl"]);
    let resumed = read(&folder, "out.jsonl");
    assert!(kept.iter().all(|line| resumed.contains(line)), "a point that was done has changed");
    // That all others are right too: the odd ones anew, from an undisturbed run.
    done(&folder, &["sweep", "sweep.json", "--shard", "2/2", "--out", "odd.jsonl"]);
    let odd: String = resumed.split_inclusive('\n').skip(1).step_by(2).collect();
    assert_eq!(odd, read(&folder, "odd.jsonl"));
}

#[test]
fn ctrl_c_keeps_what_is_done_and_says_how_to_go_on() {
    let folder = folder("interrupted");
    // The second and third point would take days.
    let sweep = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"], "alone": ALONE},
        "axes": [{"path": "stop.cycles", "values": [10000, 999999999999, 1000000000000]}]}}"#;
    for (alone, signal) in [("true", "-INT"), ("false", "-TERM")] {
        write(&folder, "sweep.json", &sweep.replace("ALONE", alone));
        let out = folder.join(format!("{alone}.jsonl"));
        let arguments = ["sweep", "sweep.json", "--jobs", "2", "--out", &format!("{alone}.jsonl")];
        let mut child = command(&folder, &arguments).spawn().expect("the program starts");
        has_a_line(&mut child, &out);
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("`kill` starts");
        assert!(sent.success());
        let output = child.wait_with_output().expect("the program ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("stopped: ") && stderr.contains("1 of 3 points") && stderr.contains("--resume"), "{stderr}");
        assert_eq!(lines(&read(&folder, &format!("{alone}.jsonl"))).len(), 1);
    }
}

/// What a policy has to know beforehand is runs like any others: they stop when they are told to.
#[test]
fn ctrl_c_is_heard_while_kernels_are_measured_alone() {
    let folder = folder("profiling");
    // Each run alone would take hours.
    let sweep = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"], "alone": false,
        "stop": {"cycles": 10000}}, "axes": [{"path": "policy", "values": ["even", {"name": "ws", "profile_cycles": 100000000}]}]}}"#;
    write(&folder, "sweep.json", sweep);
    for signal in ["-INT", "-TERM"] {
        let name = format!("out{signal}.jsonl");
        let mut child = command(&folder, &["sweep", "sweep.json", "--out", &name]).spawn().expect("the program starts");
        has_a_line(&mut child, &folder.join(&name));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("`kill` starts");
        assert!(sent.success());
        let output = child.wait_with_output().expect("the program ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("1 of 2 points"), "{stderr}");
        assert_eq!(lines(&read(&folder, &name)).len(), 1);
    }
}

#[test]
fn a_stuck_point_is_exit_1_and_a_line_like_any_other() {
    let folder = folder("stuck");
    let sweep = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"], "alone": false},
        "axes": [{"zip": [{"path": "policy", "values": ["even", {"name": "manual", "controls": {"cta_target": [0, 0]}}]},
                          {"path": "stop.cycles", "values": [5000, 5000000]}]}]}}"#;
    write(&folder, "sweep.json", sweep);
    for resume in [&[][..], &["--resume"]] {
        let output = corun(&folder, &[&["sweep", "sweep.json", "--out", "out.jsonl"], resume].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("stuck") && stderr.contains("points: 1"), "{stderr}");
    }
    let stop = |line: &Value| line.get("result").and_then(|result| result.get("stop")).and_then(Value::as_str).map(str::to_owned);
    let stops: Vec<_> = lines(&read(&folder, "out.jsonl")).iter().map(stop).collect();
    assert_eq!(stops, [Some("cycles".to_owned()), Some("stuck".to_owned())]);
}

#[test]
fn every_malformed_sweep_ends_with_its_problems() {
    let folder = folder("malformed");
    let text = fs::read_to_string(root().join("tests/bad_input/sweeps.json")).expect("the table is there");
    let Ok(Value::Array(cases)) = serde_json::from_str(&text) else { panic!("the table is a list") };
    assert!(cases.len() >= 20, "only {} cases", cases.len());
    for case in &cases {
        write(&folder, "sweep.json", &case.get("input").expect("an input").to_string());
        let found = Value::array(problems(&folder, &["sweep", "sweep.json", "--out", "out.jsonl"]));
        // A file that is something else altogether is said to be that.
        let another = case.get("name").and_then(Value::as_str) == Some("an experiment");
        let expected = if another { Value::array(["(file)"]) } else { case.get("paths").cloned().expect("paths") };
        assert_eq!(found, expected, "{:?}", case.get("name"));
    }
    assert!(!folder.join("out.jsonl").exists(), "a bad sweep leaves a file");
    // Combinations of values that are good one by one: every bad point, before anything runs.
    let sweep = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm", "stop": {"cycles": 1000000000000}}, "axes": [
        {"path": "kernels", "values": [["ccbp/BP", "ccbp/SAD"], ["ccbp/BP", "ccbp/SAD", "ccbp/CFD"]]},
        {"path": "policy", "values": ["even", {"name": "fixed", "combination": [1, 1]}]}]}}"#;
    write(&folder, "sweep.json", sweep);
    let found = problems(&folder, &["sweep", "sweep.json", "--out", "out.jsonl"]);
    assert_eq!(found, ["sweep.axes[1].values[1].combination"]);
}

#[test]
fn files_that_do_not_belong_are_refused_by_name() {
    let folder = folder("files");
    twelve(&folder, 2_000);
    done(&folder, &["sweep", "sweep.json", "--out", "good.jsonl"]);
    let good = read(&folder, "good.jsonl");
    // Another sweep: one length is different.
    write(&folder, "other.json", &read(&folder, "sweep.json").replace("2000", "3000"));
    done(&folder, &["sweep", "other.json", "--out", "other.jsonl", "--shard", "1/6"]);
    assert_eq!(problems(&folder, &["sweep", "sweep.json", "--out", "other.jsonl", "--resume"]), ["other.jsonl:1", "other.jsonl:2"]);
    assert_eq!(problems(&folder, &["merge", "good.jsonl", "other.jsonl", "--out", "out.jsonl"]), ["other.jsonl:1", "other.jsonl:2"]);
    // A changed result, a changed hash, and a line that is no JSON: also with a checksum that is right.
    let old = unchecked(&good);
    let changed = |from: &str, to: &str| {
        assert!(old.contains(from));
        write(&folder, "bad.jsonl", &checked(&old.replacen(from, to, 1)));
    };
    changed("\"slowdown\":", "\"slowdown\": ");
    assert_eq!(problems(&folder, &["merge", "good.jsonl", "bad.jsonl", "--out", "out.jsonl"]), ["bad.jsonl:1"]);
    let hash = lines(&good)[3].get("config_hash").map(ToString::to_string).expect("a hash");
    changed(&hash, "\"0123456789abcdef\"");
    assert_eq!(problems(&folder, &["sweep", "sweep.json", "--out", "bad.jsonl", "--resume"]), ["bad.jsonl:4"]);
    changed("{\"index\":5", "{\"index\"=5");
    assert_eq!(problems(&folder, &["sweep", "sweep.json", "--out", "bad.jsonl", "--resume"]), ["bad.jsonl:6"]);
    changed("\"engine\":\"", "\"engine\":\"9.");
    assert_eq!(problems(&folder, &["sweep", "sweep.json", "--out", "bad.jsonl", "--resume"]), ["bad.jsonl:1"]);
    // Nothing is written over, nowhere is no file, and a part must be one.
    assert_eq!(problems(&folder, &["sweep", "sweep.json", "--out", "good.jsonl"]), ["(output)"]);
    assert_eq!(read(&folder, "good.jsonl"), good);
    assert_eq!(problems(&folder, &["sweep", "sweep.json", "--out", "nowhere/out.jsonl"]), ["(output)"]);
    assert_eq!(problems(&folder, &["sweep", "missing.json", "--out", "out.jsonl"]), ["(file)"]);
    assert_eq!(problems(&folder, &["merge", "missing.jsonl", "--out", "out.jsonl"]), ["(file)"]);
    for shard in ["0/3", "4/3", "1", "a/b", "-1/3", "1/0"] {
        assert_eq!(problems(&folder, &["sweep", "sweep.json", &format!("--shard={shard}"), "--out", "out.jsonl"]), ["--shard"], "{shard}");
    }
    for jobs in ["0", "many", "-1"] {
        let output = corun(&folder, &["sweep", "sweep.json", &format!("--jobs={jobs}"), "--out", "out.jsonl"]);
        assert_eq!(output.status.code(), Some(2), "--jobs {jobs}");
    }
    assert!(!folder.join("out.jsonl").exists());
}

/// A changed digit of a figure, which no field of a result shows.
#[test]
fn a_line_with_one_digit_changed_is_refused() {
    let folder = folder("digit");
    twelve(&folder, 2_000);
    done(&folder, &["sweep", "sweep.json", "--out", "good.jsonl"]);
    let good = read(&folder, "good.jsonl");
    let at = good.find("\"ipc\":").expect("a figure") + 6;
    let digit = if &good[at..=at] == "1" { "2" } else { "1" };
    let bad = format!("{}{digit}{}", &good[..at], &good[at + 1..]);
    write(&folder, "bad.jsonl", &bad);
    assert_eq!(problems(&folder, &["sweep", "sweep.json", "--out", "bad.jsonl", "--resume"]), ["bad.jsonl:1"]);
    assert_eq!(problems(&folder, &["merge", "bad.jsonl", "--out", "out.jsonl"]), ["bad.jsonl:1"]);
    assert_eq!(read(&folder, "bad.jsonl"), bad, "a file that is refused stays as it is");
    // Nor is one that has lost its checksum.
    write(&folder, "bad.jsonl", &unchecked(&bad));
    for arguments in [
        &["sweep", "sweep.json", "--out", "bad.jsonl", "--resume"][..],
        &["merge", "good.jsonl", "bad.jsonl", "--out", "out.jsonl"],
        &["show", "bad.jsonl"],
    ] {
        assert_eq!(problems(&folder, arguments), ["bad.jsonl:1"], "{arguments:?}");
    }
}

/// Two builds of one version whose numbers differ.
#[test]
fn results_of_engines_that_behave_otherwise_do_not_mix() {
    let folder = folder("engines");
    twelve(&folder, 2_000);
    for shard in ["1/2", "2/2"] {
        done(&folder, &["sweep", "sweep.json", "--shard", shard, "--out", &format!("{}.jsonl", &shard[..1])]);
    }
    let second = read(&folder, "2.jsonl");
    let (version, digits) = ENGINE.split_once('-').expect("a version and digits");
    assert!(digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{ENGINE}");
    assert!(lines(&second).iter().all(|line| line.get("result").and_then(|result| result.get("engine")?.as_str()) == Some(ENGINE)));
    assert_eq!(String::from_utf8_lossy(&corun(&folder, &["--version"]).stdout).trim_end(), format!("corun {ENGINE}"));
    let other = format!("{version}-01234567");
    write(&folder, "2.jsonl", &checked(&unchecked(&second).replace(ENGINE, &other)));
    write(&folder, "both.jsonl", &[read(&folder, "1.jsonl"), read(&folder, "2.jsonl")].concat());
    for (arguments, first) in [
        (&["merge", "1.jsonl", "2.jsonl", "--out", "out.jsonl"][..], "2.jsonl:1"),
        (&["sweep", "sweep.json", "--resume", "--out", "2.jsonl"], "2.jsonl:1"),
        (&["sweep", "sweep.json", "--resume", "--out", "both.jsonl"], "both.jsonl:7"),
        (&["show", "both.jsonl"], "both.jsonl:7"),
        (&["show", "both.jsonl", "--csv"], "both.jsonl:7"),
    ] {
        let output = corun(&folder, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        let said = format!("{first}: found a result of engine {other}, want ");
        assert!(stderr.starts_with(&said) && stderr.contains(ENGINE), "{arguments:?}: {stderr}");
    }
}

#[test]
fn merge_believes_no_number_that_cannot_be() {
    let folder = folder("numbers");
    twelve(&folder, 2_000);
    done(&folder, &["sweep", "sweep.json", "--out", "good.jsonl"]);
    let good = unchecked(&read(&folder, "good.jsonl"));
    let write = |folder: &Path, name: &str, text: &str| write(folder, name, &checked(text));
    for (from, to) in [
        ("\"points\":12", "\"points\":1000000000000"),
        ("\"points\":12", "\"points\":9"),
        ("\"points\":12", "\"points\":-1"),
        ("{\"index\":11,", "{\"index\":12,"),
        ("{\"index\":11,", "{\"index\":999999999999,"),
    ] {
        write(&folder, "bad.jsonl", &good.replace(from, to));
        let found = problems(&folder, &["merge", "bad.jsonl", "--out", "out.jsonl"]);
        assert!(found[0].starts_with("bad.jsonl:"), "{to}: {found:?}");
        assert!(!folder.join("out.jsonl").exists(), "{to}");
    }
    // A result under another point's line.
    let hash = |n: usize| lines(&good)[n].get("config_hash").map(ToString::to_string).expect("a hash");
    write(&folder, "bad.jsonl", &good.replacen(&hash(0), &hash(1), 1));
    assert_eq!(problems(&folder, &["merge", "bad.jsonl", "--out", "out.jsonl"]), ["bad.jsonl:1"]);
}

/// Files that are something else are neither continued nor replaced.
#[test]
fn no_other_file_is_written_over() {
    let folder = folder("others");
    twelve(&folder, 2_000);
    done(&folder, &["sweep", "sweep.json", "--out", "good.jsonl"]);
    // On one line, without its end: as a torn line would be.
    let one_line = read(&folder, "sweep.json").replace('\n', " ");
    for (name, text) in [("one.json", one_line.as_str()), ("notes.txt", "some notes"), ("more.txt", "some\nnotes\n")] {
        write(&folder, name, text);
        for arguments in [&["sweep", "sweep.json", "--resume", "--out", name][..], &["merge", "good.jsonl", "--out", name]] {
            assert_eq!(problems(&folder, arguments), [format!("{name}:1")], "{arguments:?}");
            assert_eq!(read(&folder, name), text, "{arguments:?}");
        }
    }
    // Results of another sweep neither; of this one, merging again is fine, also into one of the parts.
    write(&folder, "other.json", &read(&folder, "sweep.json").replace("2000", "3000"));
    done(&folder, &["sweep", "other.json", "--out", "other.jsonl", "--shard", "1/6"]);
    assert_eq!(problems(&folder, &["merge", "good.jsonl", "--out", "other.jsonl"]).len(), 2);
    done(&folder, &["merge", "good.jsonl", "--out", "good.jsonl"]);
}

/// The process that comes second ends with the first one's number, whatever name it uses for the file, and a killed process leaves no lock.
#[test]
fn two_processes_do_not_write_one_file() {
    let folder = folder("locked");
    let long = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP"], "alone": false},
        "axes": [{"path": "stop.cycles", "values": [10000, 1000000000000]}]}}"#;
    write(&folder, "sweep.json", long);
    std::os::unix::fs::symlink("out.jsonl", folder.join("link.jsonl")).expect("a link");
    let arguments = |out| ["sweep", "sweep.json", "--jobs", "1", "--resume", "--out", out];
    let mut first = command(&folder, &arguments("link.jsonl")).spawn().expect("the program starts");
    has_a_line(&mut first, &folder.join("out.jsonl"));
    fs::hard_link(folder.join("out.jsonl"), folder.join("hard.jsonl")).expect("another name");
    for out in ["out.jsonl", "link.jsonl", "hard.jsonl"] {
        let output = corun(&folder, &arguments(out));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        let holder = if out == "hard.jsonl" { "another process".into() } else { format!("process {}", first.id()) };
        assert_eq!(stderr.trim_end(), format!("(output): found {out}, which {holder} is writing, want a file of its own for each process"));
    }
    // Also under a name that it gets later, and for a program that only replaces it.
    fs::rename(folder.join("out.jsonl"), folder.join("moved.jsonl")).expect("the file is there");
    assert_eq!(problems(&folder, &arguments("moved.jsonl")), ["(output)"]);
    assert_eq!(problems(&folder, &["merge", "moved.jsonl", "--out", "moved.jsonl"]), ["(output)"]);
    first.kill().expect("a child that runs");
    let _ = first.wait();
    assert_eq!(lines(&read(&folder, "moved.jsonl")).len(), 1);
    done(&folder, &["merge", "moved.jsonl", "--partial", "--out", "moved.jsonl"]);
}

/// While some processes finish a file and put it in order, others try to resume it: the one that gets it finds all finished points.
#[test]
fn many_processes_finish_one_file_and_lose_nothing() {
    let folder = folder("race");
    let seeds: Vec<String> = (0..300).map(|seed| seed.to_string()).collect();
    let sweep = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP"], "stop": {"cycles": 300}, "alone": false},
        "axes": [{"path": "seed", "values": [SEEDS]}]}}"#;
    write(&folder, "sweep.json", &sweep.replace("SEEDS", &seeds.join(",")));
    done(&folder, &["sweep", "sweep.json", "--out", "whole.jsonl"]);
    let whole = read(&folder, "whole.jsonl");
    // Nearly all, and not in order.
    let most: Vec<&str> = whole.split_inclusive('\n').rev().take(280).collect();
    for round in 0..10 {
        write(&folder, "out.jsonl", &most.concat());
        let start = || command(&folder, &["sweep", "sweep.json", "--resume", "--out", "out.jsonl"]).spawn().expect("the program starts");
        let ended: Vec<Output> =
            [start(), start(), start(), start()].into_iter().map(|child| child.wait_with_output().expect("it ends")).collect();
        for output in &ended {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let refused = output.status.code() == Some(2) && stderr.contains("is writing");
            assert!(refused || output.status.success(), "round {round}: {stderr}");
        }
        assert!(ended.iter().any(|output| output.status.success()), "round {round}: no process got the file");
        assert_eq!(read(&folder, "out.jsonl"), whole, "round {round}");
        assert!(!folder.join("out.jsonl.lock").exists(), "round {round}: a note is left");
    }
}

#[test]
fn a_link_stays_a_link() {
    let folder = folder("link");
    twelve(&folder, 2_000);
    fs::create_dir(folder.join("there")).expect("a folder");
    std::os::unix::fs::symlink("there/results.jsonl", folder.join("link.jsonl")).expect("a link");
    done(&folder, &["sweep", "sweep.json", "--jobs", "2", "--out", "link.jsonl"]);
    let whole = read(&folder, "there/results.jsonl");
    assert_eq!(lines(&whole).len(), 12);
    let backwards: String = whole.split_inclusive('\n').rev().collect();
    write(&folder, "there/results.jsonl", &backwards);
    done(&folder, &["sweep", "sweep.json", "--resume", "--out", "link.jsonl"]);
    done(&folder, &["merge", "link.jsonl", "--out", "link.jsonl"]);
    assert!(fs::symlink_metadata(folder.join("link.jsonl")).expect("it is there").is_symlink());
    assert_eq!(read(&folder, "there/results.jsonl"), whole);
}

/// What a cluster's scheduler does with examples/cluster: every part started by its script, one killed in the middle and started again.
#[test]
fn the_cluster_scripts_share_a_sweep_and_survive_a_kill() {
    for (name, start) in [("slurm", slurm as fn(&Path, usize) -> Command), ("hyperqueue", hyperqueue)] {
        let folder = folder(name);
        twelve(&folder, 100_000);
        let mut killed = start(&folder, 2).spawn().expect("bash starts");
        let part = if name == "slurm" { 3 } else { 2 };
        has_a_line(&mut killed, &folder.join(format!("results/{part}.jsonl")));
        // The script runs the program by `exec`, so that this reaches it.
        killed.kill().expect("a child that runs");
        let _ = killed.wait();
        (1..=4).for_each(|task| ends(start(&folder, task)));
        merged(&folder);
    }
}

/// Whatever array is submitted, a task is of the same partition: of parts that failed, just those are run again.
#[test]
fn the_slurm_script_takes_any_array() {
    for (name, arrays) in [
        ("from-0", &[&[0, 1, 2, 3][..]][..]),
        ("from-1", &[&[1, 2, 3, 4]]),
        ("one", &[&[1, 2, 4], &[3]]),
        ("some", &[&[1, 3], &[2, 4]]),
        ("again", &[&[1, 2, 3, 4], &[2, 2, 4], &[0]]),
    ] {
        let folder = folder("arrays").join(name);
        fs::create_dir(&folder).expect("a folder");
        twelve(&folder, 2_000);
        for array in arrays {
            // What Slurm says of the array; the script must not divide by it.
            let count = array.len().to_string();
            let (least, most) = (array.iter().min().unwrap().to_string(), array.iter().max().unwrap().to_string());
            for &task in *array {
                let mut task = slurm(&folder, task);
                let of = [("SLURM_ARRAY_TASK_COUNT", &count), ("SLURM_ARRAY_TASK_MIN", &least), ("SLURM_ARRAY_TASK_MAX", &most)];
                ends({
                    task.envs(of);
                    task
                });
            }
        }
        merged(&folder);
    }
    // Another number of parts, and an array that leaves some out.
    let folder = folder("parts");
    twelve(&folder, 2_000);
    for task in [1, 2, 3, 5] {
        let mut task = slurm(&folder, task);
        task.env("PARTS", "6");
        ends(task);
    }
    let output =
        corun(&folder, &["merge", "results/2.jsonl", "results/3.jsonl", "results/4.jsonl", "results/6.jsonl", "--out", "some.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("8 of 12 points; missing: 0, 4, 6, 10;"));
}

/// A task that has to end well.
fn ends(mut task: Command) {
    let output = task.output().expect("bash starts");
    assert!(output.status.success(), "{task:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The results of four parts, merged, are the bytes of the whole.
fn merged(folder: &Path) {
    let parts: Vec<String> = (1..=4).map(|part| format!("results/{part}.jsonl")).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    done(folder, &[&["merge"], &parts[..], &["--out", "merged.jsonl"]].concat());
    done(folder, &["sweep", "sweep.json", "--out", "whole.jsonl"]);
    assert_eq!(read(folder, "whole.jsonl"), read(folder, "merged.jsonl"), "{}", folder.display());
}

/// The environment in which a script finds the program and is told what to run.
fn script(folder: &Path) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_corun")).parent().expect("a folder").display().to_string();
    let mut bash = Command::new("bash");
    let path = format!("{program}:{}", std::env::var("PATH").unwrap_or_default());
    bash.current_dir(folder)
        .env("PATH", path)
        .env("SWEEP", "sweep.json")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    bash
}

/// One task of the Slurm array.
fn slurm(folder: &Path, part: usize) -> Command {
    let mut bash = script(folder);
    bash.arg(root().join("examples/cluster/sweep.slurm")).env("SLURM_ARRAY_TASK_ID", part.to_string());
    bash
}

/// The job file for HyperQueue.
fn job_file() -> toml::Table {
    let file = fs::read_to_string(root().join("examples/cluster/sweep.toml")).expect("the job file");
    file.parse().expect("TOML")
}

/// One task of the HyperQueue job: the command of its file, which is `["bash", "-c", "…"]`.
fn hyperqueue(folder: &Path, part: usize) -> Command {
    let file = job_file();
    let words: Vec<&str> = file["array"]["command"].as_array().expect("a list").iter().filter_map(toml::Value::as_str).collect();
    assert_eq!(words[..2], ["bash", "-c"]);
    let mut bash = script(folder);
    bash.args(&words[1..]).env("HQ_TASK_ID", part.to_string());
    bash
}

/// What `hq job submit-file` reads, which refuses any other field and any other kind: `JobDef`, `ArrayDef`, `TaskConfigDef` and
/// `ResourceRequestDef` in crates/hyperqueue/src/client/commands/submit/defs.rs of HyperQueue at 680857bdf, and the page on job files in its docs.
/// `array` is one table. What can have several kinds has the one that the docs show.
const JOB: &[(&str, &str)] =
    &[("name", "string"), ("max_fails", "integer"), ("array", "table"), ("stream", "string"), ("data_layer", "boolean")];
const ARRAY: &[(&str, &str)] = &[
    ("ids", "string"),
    ("entries", "array"),
    ("command", "array"),
    ("env", "table"),
    ("request", "array"),
    ("stdout", "string"),
    ("stderr", "string"),
    ("cwd", "string"),
    ("pin", "string"),
    ("task_dir", "boolean"),
    ("time_limit", "string"),
    ("priority", "integer"),
    ("crash_limit", "integer"),
    ("stdin", "string"),
];
const REQUEST: &[(&str, &str)] = &[("n_nodes", "integer"), ("time_request", "string"), ("resources", "table"), ("weight", "float")];

#[test]
fn the_job_file_has_the_shape_that_hyperqueue_reads() {
    let holds = |table: &toml::Value, fields: &[(&str, &str)]| {
        for (key, value) in table.as_table().expect("a table") {
            let kind = fields.iter().find(|(name, _)| name == key).map(|(_, kind)| *kind);
            assert_eq!(Some(value.type_str()), kind, "{key}");
        }
    };
    let file = toml::Value::Table(job_file());
    holds(&file, JOB);
    holds(&file["array"], ARRAY);
    file["array"]["request"].as_array().expect("a list").iter().for_each(|request| holds(request, REQUEST));
    // The command divides by as many parts as there are tasks.
    let (ids, command) = (file["array"]["ids"].as_str().expect("ids"), format!("{:?}", file["array"]["command"]));
    let parts = ids.strip_prefix("1-").expect("tasks from 1");
    assert!(command.contains(&format!("$HQ_TASK_ID/{parts}")), "{ids}: {command}");
}

#[test]
fn standard_input_is_a_sweep_too() {
    let folder = folder("stdin");
    twelve(&folder, 2_000);
    let mut child = command(&folder, &["sweep", "-", "--out", "piped.jsonl"]).stdin(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(read(&folder, "sweep.json").as_bytes()).expect("the program reads");
    assert!(child.wait().expect("the program ends").success());
    done(&folder, &["sweep", "sweep.json", "--out", "file.jsonl"]);
    assert_eq!(read(&folder, "piped.jsonl"), read(&folder, "file.jsonl"));
}

/// What a policy has to know of kernels alone is measured once for all commands that name the same folder, and gives the same lines.
#[test]
fn what_runs_alone_measure_is_kept_in_a_folder_and_read_there() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("answers");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let base = r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"], "policy": {"name": "ws", "profile_cycles": 2000}, "stop": {"cycles": 3000}}"#;
    let text = format!(r#"{{"corun": 1, "sweep": {{"base": {base}, "axes": [{{"path": "stop.cycles", "values": [3000, 4000]}}]}}}}"#);
    fs::write(folder.join("sweep.json"), text).unwrap();
    let run = |out: &str, more: &[&str]| {
        let mut arguments = vec!["sweep", "sweep.json", "--out", out];
        arguments.extend(more);
        let output = Command::new(env!("CARGO_BIN_EXE_corun")).current_dir(&folder).args(&arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(folder.join(out)).unwrap()
    };
    let plain = run("plain.jsonl", &[]);
    assert_eq!(run("first.jsonl", &["--store", "kept"]), plain);
    let of_engine = fs::read_dir(folder.join("kept")).unwrap().next().unwrap().unwrap().path();
    let files: Vec<_> = fs::read_dir(of_engine).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 4, "{files:?}");
    assert_eq!(run("second.jsonl", &["--store", "kept"]), plain);
    // They are read: with another curve, whose check is right, the lines differ. A row that was changed, or is none, is measured again.
    let kept: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let changed = |text: &str| {
        let at = text.find("\"ipc\":").unwrap() + 6;
        format!("{}9{}", &text[..at], &text[at..])
    };
    for (file, text) in files.iter().zip(&kept) {
        let (row, _) = text.split_once(",\"check\"").unwrap();
        fs::write(file, with_check(&(changed(row) + "}"))).unwrap();
    }
    assert_ne!(run("changed.jsonl", &["--store", "kept"]), plain);
    for damage in [changed, |_: &str| "{".to_owned()] {
        files.iter().zip(&kept).for_each(|(file, text)| fs::write(file, damage(text)).unwrap());
        assert_eq!(run("mended.jsonl", &["--store", "kept"]), plain);
        fs::remove_file(folder.join("mended.jsonl")).unwrap();
        assert_eq!(files.iter().map(|file| fs::read_to_string(file).unwrap()).collect::<Vec<_>>(), kept);
    }
}

/// What a command that was killed has begun to write goes when the next one comes, but for what some process is writing.
#[test]
fn what_killed_commands_have_left_unfinished_is_removed() {
    let folder = folder("unfinished");
    twelve(&folder, 2_000);
    write(&folder, "one.json", r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP"], "stop": {"cycles": 500}}"#);
    done(&folder, &["run", "one.json", "--store", "kept"]);
    let kept = fs::read_dir(folder.join("kept")).expect("a folder").next().expect("this engine's").expect("an entry").path();
    let old = std::time::SystemTime::now() - Duration::from_secs(3600);
    let begun = |name: &str, age: Option<std::time::SystemTime>| {
        let file = fs::File::create(folder.join(name)).expect("a file");
        if let Some(age) = age {
            file.set_modified(age).expect("a time");
        }
        file
    };
    let within = |name: &str| kept.join(name).strip_prefix(&folder).expect("within").display().to_string();
    let written = begun(&within(".b.json.y.unfinished"), Some(old));
    written.lock().expect("a lock");
    for (name, age) in [
        (within(".a.json.x.unfinished"), Some(old)),
        (within(".c.json.z.unfinished"), None),
        (".trace.json.x.unfinished".to_owned(), Some(old)),
        (".other.json.x.unfinished".to_owned(), Some(old)),
        ("out.jsonl.unfinished".to_owned(), None),
    ] {
        begun(&name, age);
    }
    done(&folder, &["sweep", "sweep.json", "--out", "out.jsonl", "--store", "kept"]);
    done(&folder, &["run", "one.json", "--trace", "trace.json"]);
    let unfinished = |folder: &Path| -> Vec<String> {
        let names =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
        let mut names: Vec<String> = names.filter(|name| name.ends_with("unfinished")).collect();
        names.sort();
        names
    };
    assert_eq!(unfinished(&kept), [".b.json.y.unfinished", ".c.json.z.unfinished"]);
    assert_eq!(unfinished(&folder), [".other.json.x.unfinished"], "a file of another command's is left alone");
}

//! What the runner remembers: whoever asks again waits for nothing, and gets the same. A store that is damaged, of another engine or not to be
//! written is said, and costs no more than measuring anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const EXPERIMENT: &str =
    r#"{"corun": 1, "name": "two", "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": {"cycles": 3000}}"#;

/// A folder of a test, with the experiment.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("store-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("two.json"), EXPERIMENT).expect("a file");
    folder
}

fn corun(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_corun")).current_dir(folder).args(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    output
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The folder of the engine that has just measured, and its rows.
fn rows(folder: &Path) -> (PathBuf, Vec<String>) {
    let engine = fs::read_dir(folder.join("kept")).expect("a store").next().expect("an engine").expect("an entry").path();
    let mut names: Vec<String> =
        fs::read_dir(&engine).expect("rows").map(|row| row.expect("a row").file_name().into_string().expect("text")).collect();
    names.sort();
    (engine, names)
}

#[test]
fn a_run_is_remembered_and_another_policy_finds_what_kernels_do_alone() {
    let folder = folder("remembers");
    let plain = corun(&folder, &["run", "two.json", "--no-store"]);
    let first = corun(&folder, &["run", "two.json", "--store", "kept"]);
    let (engine, of_first) = rows(&folder);
    let row = engine.join(&of_first[0]).display().to_string();
    let taken = Command::new(env!("CARGO_BIN_EXE_corun")).current_dir(&folder).args(["run", &row]).output().expect("the program starts");
    assert!(
        stderr(&taken).starts_with("(file): found a row of a store, want an experiment; `--store FOLDER` reads it"),
        "{}",
        stderr(&taken)
    );
    let again = corun(&folder, &["run", "two.json", "--store", "kept"]);
    assert_eq!((&first.stdout, &again.stdout), (&plain.stdout, &plain.stdout));
    assert!(stderr(&again).contains("from the store") && !stderr(&first).contains("from the store"), "{}", stderr(&again));
    // Another name is another text, so it is run, with the same figures. Its runs alone are known, and so are those in the shares.
    corun(&folder, &["run", "two.json", "--store", "kept", "--set", "name=other"]);
    let (_, of_second) = rows(&folder);
    assert_eq!(of_second.len(), of_first.len() + 1, "its result: {of_second:?}");
    let other = ["run", "two.json", "--csv", "--set", "policy=leftover"];
    let remembered = corun(&folder, &[&other[..], &["--store", "kept"]].concat());
    assert_eq!(remembered.stdout, corun(&folder, &[&other[..], &["--no-store"]].concat()).stdout);
    // What a run measures follows from the engine, and a result has words of the program: another one makes its own, and finds the runs alone.
    let (_, before) = rows(&folder);
    // Not by this process: what another test starts meanwhile would hold the file open for writing, and no program that is can be started.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_corun")).arg(folder.join("other")).status().expect("cp starts");
    assert!(copied.success(), "{copied}");
    let other =
        Command::new(folder.join("other")).current_dir(&folder).args(["run", "two.json", "--store", "kept"]).output().expect("it starts");
    assert!(!stderr(&other).contains("from the store") && other.stdout == plain.stdout, "{}", stderr(&other));
    assert_eq!(rows(&folder).1.len(), before.len() + 1, "its result");
    // Files of windows need the run itself.
    let windows = corun(&folder, &["run", "two.json", "--store", "kept", "--windows", "windows.csv"]);
    assert!(!stderr(&windows).contains("from the store") && folder.join("windows.csv").is_file());
    assert_eq!(windows.stdout, plain.stdout);
}

/// Several processes may use one store at a time.
#[test]
fn runs_at_the_same_time_share_a_store() {
    let folder = folder("shared");
    let start = |policy: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_corun"));
        command.current_dir(&folder).args(["run", "two.json", "--store", "kept", "--set", policy]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let policies = ["policy=even", "policy=even", "policy=leftover", "policy=smk"];
    let outputs = policies.map(start).map(|child| child.wait_with_output().expect("it ends"));
    for (policy, output) in policies.iter().zip(&outputs) {
        assert!(output.status.success() && !stderr(output).contains("note"), "{policy}: {}", stderr(output));
        assert_eq!(output.stdout, corun(&folder, &["run", "two.json", "--no-store", "--set", policy]).stdout, "{policy}");
    }
    let (_, rows) = rows(&folder);
    assert!(rows.iter().all(|row| row.ends_with(".json") && !row.starts_with('.')), "{rows:?}");
}

#[test]
fn rows_that_are_damaged_or_of_another_engine_are_measured_anew() {
    let folder = folder("damaged");
    let first = corun(&folder, &["run", "two.json", "--store", "kept"]);
    let (engine, names) = rows(&folder);
    let kept: Vec<String> = names.iter().map(|name| fs::read_to_string(engine.join(name)).expect("a row")).collect();
    let shown = engine.file_name().and_then(|name| name.to_str()).expect("text").to_owned();
    let of_another = |row: &str| {
        let (row, _) = row.split_once(",\"check\"").expect("its check");
        sim_core::describe::digest::with_check(&(row.replace(&shown, "0123456789abcdef") + "}"))
    };
    type Damage<'d> = (&'d str, &'d dyn Fn(&str) -> String);
    let damages: [Damage<'_>; 4] = [
        ("changed", &|row| row.replacen(":1", ":2", 1)),
        ("without its check", &|row| row.split(",\"check\"").next().expect("a row").to_owned() + "}"),
        ("without its check", &|_| String::new()),
        ("of another behaviour, 0123456789abcdef", &of_another),
    ];
    for (said, damage) in damages {
        names.iter().zip(&kept).for_each(|(name, row)| fs::write(engine.join(name), damage(row)).expect("a file"));
        let again = corun(&folder, &["run", "two.json", "--store", "kept"]);
        assert_eq!(again.stdout, first.stdout);
        let notes = stderr(&again);
        assert!(notes.starts_with("note: (store): found kept/") && notes.contains(said), "{notes}");
        let mended: Vec<String> = names.iter().map(|name| fs::read_to_string(engine.join(name)).expect("a row")).collect();
        assert_eq!(mended, kept, "what was measured anew is kept");
    }
}

#[test]
fn the_store_is_shown_and_pruned_of_other_engines() {
    let folder = folder("pruned");
    corun(&folder, &["run", "two.json", "--store", "kept"]);
    let (engine, names) = rows(&folder);
    let other = folder.join("kept/0123456789abcdef");
    fs::create_dir(&other).expect("a folder");
    fs::write(other.join("row.json"), "{}").expect("a file");
    fs::create_dir(folder.join("kept/notes")).expect("a folder");
    let text = |output: Output| String::from_utf8(output.stdout).expect("text");
    let shown = text(corun(&folder, &["store", "--store", "kept"]));
    assert!(shown.starts_with("kept\n") && shown.contains("engine 0123456789abcdef"), "{shown}");
    let pruned = text(corun(&folder, &["store", "--store", "kept", "--prune"]));
    let of_this = pruned.lines().find(|line| line.contains("this engine")).expect("its line");
    assert!(of_this.split_whitespace().any(|word| word == names.len().to_string()), "{pruned}");
    assert!(!other.exists() && engine.is_dir() && folder.join("kept/notes").is_dir());
    let nothing = Command::new(env!("CARGO_BIN_EXE_corun")).arg("store").env("CORUN_STORE", "").output().expect("the program starts");
    assert_eq!(nothing.status.code(), Some(2), "{}", stderr(&nothing));
}

/// By default it is a folder for caches; where there can be none, a run says so and goes on. One that somebody has named has to be one.
#[cfg(target_os = "linux")]
#[test]
fn by_default_a_run_is_remembered_where_caches_are() {
    let folder = folder("default");
    let run = |cache: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_corun"));
        command.current_dir(&folder).args(["run", "two.json"]).env_remove("CORUN_STORE").env("XDG_CACHE_HOME", folder.join(cache));
        command.output().expect("the program starts")
    };
    let [first, again] = [run("caches"), run("caches")];
    assert!(first.status.success() && folder.join("caches/corun").is_dir());
    assert!(stderr(&again).contains("from the store") && first.stdout == again.stdout);
    fs::write(folder.join("file"), "").expect("a file");
    let without = run("file");
    assert!(without.status.success() && stderr(&without).contains("nothing is kept"), "{}", stderr(&without));
    assert_eq!(without.stdout, first.stdout);
    let named = ["run", "two.json", "--store", "file"];
    let refused = Command::new(env!("CARGO_BIN_EXE_corun")).current_dir(&folder).args(named).output().expect("the program starts");
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).starts_with("--store: found file/"), "{}", stderr(&refused));
}

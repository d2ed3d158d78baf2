//! What `corun run` leaves behind: results that are the same twice, timelines that hold together, windows that add up.

mod program;

use sim_core::describe::value::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn experiment(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/experiments").join(format!("{name}.json"))
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Runs the program, which must succeed and say nothing on stderr; stdout as JSON.
fn run(name: &str, arguments: &[&str]) -> Value {
    let file = experiment(name);
    let output = Command::new(env!("CARGO_BIN_EXE_corun")).arg("run").arg(&file).arg("--json").args(arguments).output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, key| match (value, key.parse::<usize>()) {
        (Value::Array(items), Ok(index)) => &items[index],
        _ => value.get(key).unwrap_or_else(|| panic!("no {key} of {path}")),
    })
}

fn int(value: &Value, path: &str) -> i64 {
    at(value, path).as_int().unwrap_or_else(|| panic!("{path} is no whole number"))
}

fn items(value: &Value) -> &[Value] {
    if let Value::Array(items) = value { items } else { panic!("no list: {}", value.describe()) }
}

#[test]
fn the_same_input_gives_the_same_bytes_but_for_wall_clock_figures() {
    let wall = ["wall_seconds", "cycles_per_second", "warp_instructions_per_second"];
    let without = |value: Value| match value {
        Value::Object(mut pairs) => {
            let before = pairs.len();
            pairs.retain(|(key, _)| !wall.contains(&key.as_str()));
            assert_eq!(before - pairs.len(), wall.len());
            Value::Object(pairs).to_string()
        }
        other => panic!("a result that is {}", other.describe()),
    };
    let arguments = ["--set", "gpu=tiny-2sm", "--cycles", "30000"];
    let first = run("bp-cfd-even", &arguments);
    for metric in ["hspeedup", "stp", "wspeedup", "antt", "fairness"] {
        assert!(at(&first, "metrics").get(metric).and_then(Value::as_f64).is_some_and(|x| x > 0.0), "{metric}");
    }
    assert!(at(&first, "kernels.0.slowdown").as_f64().is_some());
    let other = run("bp-cfd-even", &["--set", "gpu=tiny-2sm", "--cycles", "30000", "--seed", "9"]);
    assert_ne!(at(&first, "digest"), at(&other, "digest"), "another seed is another run");
    assert_eq!(without(first), without(run("bp-cfd-even", &arguments)));
}

/// The table of a run, line by line.
fn table(name: &str, arguments: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_corun")).arg("run").arg(experiment(name)).args(arguments).output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

/// What people read has its doubt, its units, and no clock: the same run prints the same.
#[test]
fn the_table_says_how_sure_it_is() {
    let arguments = ["--set", "gpu=tiny-2sm", "--cycles", "30k"];
    let lines = table("bp-cfd-even", &arguments);
    assert_eq!(lines, table("bp-cfd-even", &arguments), "no wall-clock figure");
    let row = |title: &str| lines.iter().find(|line| line.starts_with(title)).unwrap_or_else(|| panic!("{title}: {lines:?}"));
    for (title, figures) in
        [("IPC, thread instructions per cycle", 2), ("Slowdown, ×", 2), ("Memory latency, core cycles", 2), ("STP", 1), ("ANTT", 1)]
    {
        assert_eq!(row(title).matches(" ± ").count(), figures, "{title}: {lines:?}");
    }
    assert!(row("30,000 core cycles, ").ends_with(", as many as asked for"), "{lines:?}");
    let doubts =
        |arguments: &[&str]| table("bp-cfd-even", arguments).iter().filter(|line| line.starts_with("Too short to say much of ")).count();
    assert_eq!(doubts(&["--cycles", "20k", "--seed", "7"]), 1, "an IPC that is known to ± 68 %");
    assert_eq!(doubts(&["--set", "gpu=tiny-2sm", "--cycles", "3k"]), 1, "no interval at all");
    assert_eq!(doubts(&["--cycles", "200k"]), 0);
}

/// A kernel with a goal has a row of its own, and so has the energy: figures of the JSON result.
#[test]
fn the_table_says_what_became_of_goals_and_of_the_energy() {
    let kernels = r#"kernels=[{"kernel": "ccbp/BP", "qos": 0.1}, {"kernel": "ccbp/CFD", "qos": {"ipc": 120}}, "ccbp/SAD"]"#;
    let arguments = ["--set", "gpu=tiny-2sm", "--set", "policy=qos-naive", "--set", kernels, "--cycles", "20000"];
    let (lines, result) = (table("bp-cfd-even", &arguments), run("bp-cfd-even", &arguments));
    let rows = |title: &str| lines.iter().filter(|line| line.starts_with(title)).collect::<Vec<_>>();
    let goals = rows("Goal ");
    assert_eq!(goals.len(), 2, "{lines:?}");
    for (kernel, line) in items(at(&result, "kernels")).iter().zip(goals) {
        let (name, reached) = (at(kernel, "name").as_str().unwrap(), at(kernel, "goal_reached").as_f64().unwrap());
        let missed = if reached < 1.0 { "missed by" } else { "reached with" };
        let (by, left) = ((reached - 1.0).abs() * 100.0, if reached < 1.0 { "" } else { " to spare" });
        let end = format!(", {missed} {by:.1} %{left}");
        assert!(line.contains(" ± ") && line.contains(&format!("   {name}: IPC ")) && line.ends_with(&end), "{line}");
    }
    let energy = rows("Energy ");
    assert!(energy.len() == 1 && energy[0].contains(" mJ, ") && energy[0].contains(" W, "), "{lines:?}");
    assert!(!table("tiny-bp-sad", &["--cycles", "2000"]).iter().any(|line| line.starts_with("Goal ")), "nobody has a goal");
}

/// A goal that is a share is one of the IPC alone that the policy was given: the table and the policy's own decisions say the same.
#[test]
fn a_goal_is_one_number_throughout() {
    let arguments = ["--cycles", "20k"];
    let goal = 0.8 * 60.86;
    let result = run("sad-cfd-qos-rollover", &arguments);
    assert!((at(&result, "kernels.0.goal_ipc").as_f64().expect("a goal") - goal).abs() < 1e-9);
    assert!((at(&result, "policy.decisions.0.values.goal").as_f64().expect("a goal") - goal).abs() < 1e-9);
    let alone = at(&result, "kernels.0.ipc_alone").as_f64().expect("it is measured all the same");
    assert!((alone - 60.86).abs() > 10.0, "{alone}: too short a run to know it");
    let lines = table("sad-cfd-qos-rollover", &arguments);
    assert!(lines.iter().any(|line| line.starts_with("Goal ") && line.contains(&format!(" / goal {goal:.2}, "))), "{lines:?}");
    assert!(lines.iter().any(|line| line.ends_with(&format!("SAD is promised an IPC of {goal:.1}, 80 % of 60.9 alone"))), "{lines:?}");
}

/// What a scale has rounded stands beside the result, and in what is explained.
#[test]
fn a_scale_says_what_it_has_rounded() {
    let text =
        br#"{"corun": 1, "gpu": "h100", "kernels": ["ccbp/BP", "ccbp/CFD"], "scale": "1/4", "policy": {"name": "mps", "percentage": [50, 100]},
        "stop": {"cycles": 400}, "alone": false}"#;
    let note = "policy.percentage[0]: found 50 %, with scale 1/4 16.5 SMs, want 16: it is rounded down";
    for command in ["run", "explain"] {
        let output = program::corun(&[command, "-", "--json"], text);
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), format!("note: {note}"), "{command}");
        let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        if command == "explain" {
            let warning = result.get("warnings").and_then(|all| all.items().first()).expect("a warning");
            assert_eq!(warning.get("found").and_then(Value::as_str), Some("50 %, with scale 1/4 16.5 SMs"));
            assert_eq!(result.get("policy_title").and_then(Value::as_str), Some("MPS 50 + 100 %"));
        }
    }
}

/// Slices of a timeline by (process, track): begin, end, kernel, CTA.
type Tracks = BTreeMap<(i64, i64), Vec<(i64, i64, String, i64)>>;

#[test]
fn a_timeline_has_every_cta_and_launch_once_and_every_decision() {
    let file = scratch("timeline.json");
    let path = file.to_str().expect("a path that is text");
    let result = run("tiny-bp-sad", &["--cycles", "60000", "--trace", path]);
    let text = std::fs::read_to_string(&file).expect("the timeline is there");
    let trace: Value = serde_json::from_str(&text).expect("the timeline is JSON");
    assert_eq!(at(&trace, "otherData.config_hash"), at(&result, "config_hash"));
    assert!(at(&trace, "otherData.time_unit").as_str().is_some_and(|unit| unit.contains("cycle")));
    let end = int(&result, "cycles");
    let names: Vec<&str> = items(at(&result, "kernels")).iter().filter_map(|kernel| at(kernel, "name").as_str()).collect();
    let mut tracks = Tracks::new();
    let mut named = BTreeMap::new();
    let mut dram_bytes = 0.0;
    let mut decisions = 0;
    for event in items(at(&trace, "traceEvents")) {
        let process = int(event, "pid");
        match at(event, "ph").as_str() {
            Some("M") => {
                let key = (at(event, "name").as_str().unwrap_or("").to_owned(), process, int(event, "tid"));
                assert!(named.insert(key, at(event, "args.name").clone()).is_none(), "named twice");
            }
            Some("X") => {
                let (begin, length) = (int(event, "ts"), int(event, "dur"));
                let name = at(event, "name").as_str().expect("a name").to_owned();
                assert!(names.contains(&name.as_str()), "a slice called {name}");
                assert!(begin >= 0 && length >= 0 && begin + length <= end, "{begin} + {length} of {end}");
                let number = int(event, if process == 0 { "args.launch" } else { "args.cta" });
                tracks.entry((process, int(event, "tid"))).or_default().push((begin, begin + length, name, number));
            }
            Some("C") => {
                let Value::Object(values) = at(event, "args") else { panic!("a counter without values") };
                assert_eq!(values.len(), names.len(), "one series for each kernel");
                if at(event, "name").as_str().is_some_and(|name| name.starts_with("DRAM")) {
                    dram_bytes += values.iter().filter_map(|(_, x)| x.as_f64()).sum::<f64>() * 400.0;
                }
            }
            Some("i") => {
                assert_eq!(at(event, "args"), &items(at(&result, "policy.decisions"))[decisions]);
                decisions += 1;
            }
            other => panic!("an event of kind {other:?}"),
        }
    }
    assert!(decisions > 0 && decisions == items(at(&result, "policy.decisions")).len(), "{decisions} decisions");
    let mut seen: BTreeMap<String, i64> = BTreeMap::new();
    let mut launches: BTreeMap<String, i64> = BTreeMap::new();
    for (&(process, track), slices) in &mut tracks {
        assert!(named.contains_key(&("process_name".to_owned(), process, 0)), "process {process} has no name");
        assert!(named.contains_key(&("thread_name".to_owned(), process, track)), "track {process}.{track} has no name");
        slices.sort();
        for pair in slices.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "two CTAs in one slot, or two launches of a kernel at once: {pair:?}");
        }
        for (i, (.., name, number)) in slices.iter().enumerate() {
            assert!(process > 0 || *number == i as i64, "launch {number} as launch {i}");
            *if process == 0 { &mut launches } else { &mut seen }.entry(name.clone()).or_default() += 1;
        }
    }
    for kernel in items(at(&result, "kernels")) {
        let name = at(kernel, "name").as_str().unwrap_or("");
        let launched = int(kernel, "counters.ctas_launched");
        assert!(launched > 0, "{name} never ran");
        assert_eq!(seen.get(name).copied().unwrap_or(0), launched, "CTAs of {name}");
        assert_eq!(launches.get(name), Some(&1), "launches of {name}");
    }
    let lines: i64 =
        items(at(&result, "kernels")).iter().map(|kernel| int(kernel, "counters.dram_reads") + int(kernel, "counters.dram_writes")).sum();
    let counted = lines as f64 * 128.0;
    // The last window may not have ended.
    assert!(dram_bytes > 0.0 && dram_bytes <= counted && dram_bytes > 0.95 * counted, "{dram_bytes} of {counted} bytes");
}

/// A kernel of many short launches: each from its first CTA to its end, one after the other.
#[test]
fn a_timeline_has_launches_one_after_the_other() {
    let file = scratch("launches.json");
    let path = file.to_str().expect("a path that is text");
    let result = run("hotspot-reset", &["--cycles", "60000", "--trace", path]);
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("the timeline is there")).expect("the timeline is JSON");
    let launch = |event: &&Value| event.get("cat").and_then(Value::as_str) == Some("launch");
    let mut launches: Vec<(i64, i64)> = items(at(&trace, "traceEvents"))
        .iter()
        .filter(launch)
        .map(|event| (int(event, "ts"), int(event, "ts") + int(event, "dur")))
        .collect();
    launches.sort_unstable();
    assert!(launches.len() > 1, "{launches:?}");
    assert!(launches.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{launches:?}");
    assert_eq!(launches.last().map(|last| last.1), Some(int(&result, "cycles")));
}

#[test]
fn a_timeline_does_not_change_the_run() {
    let file = scratch("unchanged.json");
    let path = file.to_str().expect("a path that is text");
    let with = run("tiny-bp-sad", &["--cycles", "20000", "--trace", path]);
    assert_eq!(at(&with, "digest"), at(&run("tiny-bp-sad", &["--cycles", "20000"]), "digest"));
}

#[test]
fn windows_add_up_to_the_counters() {
    let file = scratch("windows.csv");
    let path = file.to_str().expect("a path that is text");
    let result = run("tiny-bp-sad", &["--cycles", "20000", "--windows", path]);
    let text = std::fs::read_to_string(&file).expect("the windows are there");
    let mut lines = text.lines();
    let headings: Vec<&str> = lines.next().expect("headings").split(',').collect();
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect()).collect();
    assert_eq!(rows.len(), 50, "20,000 cycles are 50 windows of 400");
    assert!(rows.iter().all(|row| row.len() == headings.len()));
    for kernel in items(at(&result, "kernels")) {
        let heading = format!("{}.warp_instructions", at(kernel, "name").as_str().unwrap_or(""));
        let column = headings.iter().position(|name| *name == heading).unwrap_or_else(|| panic!("no column {heading}"));
        let sum: f64 = rows.iter().map(|row| row[column]).sum();
        assert_eq!(sum, int(kernel, "warp_instructions") as f64, "{heading}");
    }
}

#[test]
fn a_stuck_run_is_exit_1_with_its_reason() {
    let file = experiment("tiny-bp-sad");
    let nothing_placed = r#"policy={"name": "manual", "controls": {"cta_target": [0, 0]}}"#;
    let output = Command::new(env!("CARGO_BIN_EXE_corun")).arg("run").arg(&file).args(["--json", "--set", nothing_placed]).output();
    let output = output.expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("stuck: ") && stderr.contains("BP: 4096 CTAs wait to be placed"), "{stderr}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("the result all the same");
    assert_eq!(at(&result, "stop").as_str(), Some("stuck"));
    assert_eq!(*at(&result, "metrics.hspeedup"), Value::Null, "no figure where there is none");
}

#[test]
fn a_script_shares_the_gpu_and_one_that_fails_is_exit_1_with_its_line() {
    let short = ["--set", "gpu=tiny-2sm", "--set", "policy.profile_cycles=2000", "--set", "policy.interval=1000", "--cycles", "20000"];
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/scripts/dram-turns.rhai");
    let shared = run("bp-cfd-even", &[&["--script", script.to_str().expect("a path that is text")][..], &short[..]].concat());
    assert_eq!(at(&shared, "policy.name"), &Value::from("script"));
    let sets = items(at(&shared, "policy.decisions")).iter().filter(|decision| at(decision, "topic") == &Value::from("set"));
    assert!(sets.count() >= 19, "each interval sets two ranks");

    let output = |source: &str| {
        let file = scratch("failing.rhai");
        std::fs::write(&file, source).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_corun"))
            .arg("run")
            .arg(experiment("bp-cfd-even"))
            .arg("--script")
            .arg(&file)
            .args(short)
            .output();
        let output = output.expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let late = output("fn interval(seen, controls) {\n  if seen.now > 5000 { seen.kernels[9]; }\n}");
    let why = "failed: the script cannot go on\nat cycle 6000: line 2: Array index 9 out of bounds: only 2 elements in array\n";
    assert_eq!(late, (Some(1), why.to_owned()));
    let (code, unread) = output("fn interval(seen, controls) {\n  let x = ;\n}");
    assert!(code == Some(2) && unread.starts_with("policy.source: found line 2: "), "{unread}");
}

/// A pipe can be read but once, also where one looks first whether a file is a timeline or a recording.
#[test]
fn standard_input_is_an_experiment_too() {
    let text = std::fs::read(experiment("tiny-bp-sad")).expect("the experiment is there");
    let piped = |arguments: &[&str]| -> Value {
        let mut child = Command::new(env!("CARGO_BIN_EXE_corun"))
            .args(arguments)
            .args(["--json", "--cycles", "4000"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("the program starts");
        std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), &text).expect("the program reads");
        serde_json::from_slice(&child.wait_with_output().expect("the program ends").stdout).expect("JSON")
    };
    let file = run("tiny-bp-sad", &["--cycles", "4000"]);
    assert_eq!(at(&piped(&["run", "-"]), "digest"), at(&file, "digest"));
    if cfg!(unix) {
        assert_eq!(at(&piped(&["explain", "/dev/stdin"]), "config_hash"), at(&file, "config_hash"));
        assert_eq!(at(&piped(&["run", "/dev/stdin"]), "digest"), at(&file, "digest"));
    }
}

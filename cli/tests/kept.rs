//! Files and links of earlier versions stay what they were: tests/kept/formats.json has twenty of each, with the hashes and digests that they
//! give since the machine, or a default, last changed. The page's unit tests read the same links.

mod program;

use sim_core::describe::value::Value;
use std::path::Path;
use std::process::Command;

fn kept(part: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kept/formats.json");
    let all: Value = serde_json::from_slice(&std::fs::read(file).expect("the file is there")).expect("JSON");
    let Some(Value::Array(items)) = all.get(part) else { panic!("no {part}") };
    assert_eq!(items.len(), 20);
    items.clone()
}

/// What the runner prints for an input.
fn corun(arguments: &[&str], input: &Value) -> Value {
    let output = program::corun(arguments, input.to_string().as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("no {key}"))
}

#[test]
fn experiments_give_the_same_hash_and_the_same_digest() {
    for case in kept("experiments") {
        let experiment = case.get("experiment").expect("an experiment");
        let explained = corun(&["explain", "-", "--json"], experiment);
        assert_eq!(text(&explained, "config_hash"), text(&case, "config_hash"), "{}", text(&case, "name"));
        let result = corun(&["run", "-", "--json", "--cycles", "12000"], experiment);
        assert_eq!(text(&result, "digest"), text(&case, "digest"), "{}", text(&case, "name"));
    }
}

#[test]
fn sweeps_have_the_same_points_with_the_same_digests() {
    let folder = std::env::temp_dir().join(format!("corun-kept-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (i, case) in kept("sweeps").iter().enumerate() {
        let [file, out] = ["sweep.json", &format!("{i}.jsonl")].map(|name| folder.join(name));
        std::fs::write(&file, case.get("sweep").expect("a sweep").to_string()).expect("a file");
        let done = Command::new(env!("CARGO_BIN_EXE_corun")).arg("sweep").arg(&file).arg("--out").arg(&out).output();
        let done = done.expect("the program starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let lines = std::fs::read_to_string(&out).expect("results");
        let mut points: Vec<(i64, Value)> = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .filter_map(|line| Some((line.get("index")?.as_int()?, line)))
            .collect();
        points.sort_by_key(|point| point.0);
        let given: Vec<Value> = points
            .iter()
            .map(|(_, line)| Value::array([text(line, "config_hash"), text(line.get("result").expect("a result"), "digest")]))
            .collect();
        assert_eq!(text(&points[0].1, "sweep"), text(case, "hash"));
        assert_eq!(
            case.get("points"),
            Some(&Value::from(given)),
            "{}",
            text(case.get("sweep").expect("a sweep").get("sweep").expect("one"), "name")
        );
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

/// Whatever a link says is an experiment.
#[test]
fn the_experiments_of_links_are_read() {
    for case in kept("links") {
        for key in ["experiment", "other"] {
            if let Some(experiment) = case.get(key) {
                corun(&["explain", "-", "--json"], experiment);
            }
        }
    }
}

//! What `corun oracle` promises: every combination, the best of them, and nothing run twice.

use sim_core::describe::value::Value;
use std::path::Path;
use std::process::Command;

fn corun(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_corun")).current_dir(folder).args(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON on stdout")
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    let Some(Value::Array(items)) = value.get(key) else { panic!("no {key}") };
    items
}

#[test]
fn an_oracle_finds_what_runs_of_fixed_combinations_find() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let mix = r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/CFD", "ccbp/SAD"], "policy": "even", "stop": {"cycles": 8000}, "alone": false}"#;
    std::fs::write(folder.join("mix.json"), mix).expect("a file of the test");
    for (spatial, policy, key) in [(false, "fixed", "combination"), (true, "spatial", "ctas")] {
        let out = format!("{policy}.jsonl");
        let mut arguments = vec!["oracle", "mix.json", "--out", &out, "--json"];
        arguments.extend(spatial.then_some("--spatial"));
        let oracle = corun(&folder, &arguments);
        let rows = items(&oracle, "rows");
        assert!(rows.len() >= 4);
        // One of them by hand, with the kernels alone.
        let ctas = rows[1].get("ctas").cloned().expect("numbers of CTAs");
        let set = format!("policy={}", Value::object([("name", policy.into()), (key, ctas)]));
        let run = corun(&folder, &["run", "mix.json", "--set", &set, "--set", "alone=true", "--json"]);
        assert_eq!(run.get("metrics").and_then(|metrics| metrics.get("hspeedup")), rows[1].get("hspeedup"));
        assert_eq!(run.get("config_hash"), rows[1].get("config_hash"));
        for metric in ["hspeedup", "wspeedup"] {
            let score = |row: &Value| row.get(metric).and_then(Value::as_f64).expect("a score");
            let best = oracle.get("best").and_then(|best| best.get(metric)).map(score);
            assert_eq!(best, rows.iter().map(score).reduce(f64::max), "{policy} {metric}");
        }
        // One metric, and nothing kept.
        let mut one: Vec<&str> = vec!["oracle", "mix.json", "--metric", "wspeedup", "--json"];
        one.extend(spatial.then_some("--spatial"));
        let one = corun(&folder, &one);
        let best = |of: &Value, metric: &str| of.get("best").and_then(|best| best.get(metric)).cloned();
        assert_eq!((best(&one, "hspeedup"), best(&one, "wspeedup")), (None, best(&oracle, "wspeedup")));
        assert_eq!(one.get("rows"), oracle.get("rows"));
        // Nothing is run again, and the file stays as it is.
        let before = std::fs::read(folder.join(&out)).expect("results");
        arguments.push("--resume");
        assert_eq!(corun(&folder, &arguments), oracle);
        assert_eq!(std::fs::read(folder.join(&out)).expect("results"), before);
    }
}

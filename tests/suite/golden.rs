//! Golden files: what a test has measured must be what the file beside this one says.
//!
//! `CORUN_BLESS=1` writes what was measured into the file, prints what that changes, and fails the test: a run that blesses proves nothing,
//! so only one without the variable can pass. Where `CI` is set nothing is written. `cargo xtask test lint` holds the commit that changes
//! a golden to saying so.

use sim_core::describe::value::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Fails unless the golden `file` is `now`.
pub fn check(file: &str, now: &Value) {
    let blessing = std::env::var_os("CORUN_BLESS").is_some();
    let ci = std::env::var_os("CI").is_some();
    if let Err(why) = compare(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file), now, blessing, ci) {
        panic!("{why}");
    }
}

fn compare(file: &Path, now: &Value, blessing: bool, ci: bool) -> Result<(), String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if blessing && ci {
        return Err(format!("CORUN_BLESS is refused where CI is set: {name} is as it was"));
    }
    let golden = match fs::read_to_string(file) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?,
        Err(_) if blessing => Value::Null,
        Err(error) => return Err(format!("{name}: {error}")),
    };
    let changes = changes(&golden, now);
    let shown = changes.join("\n");
    match (blessing, changes.len()) {
        (false, 0) => Ok(()),
        (false, _) => Err(format!("{name} says otherwise (golden → now):\n{shown}")),
        (true, 0) => Err(format!("nothing to bless in {name}: run again without CORUN_BLESS")),
        (true, count) => {
            let text = serde_json::to_string_pretty(now).expect("a value is JSON") + "\n";
            fs::write(file, text).map_err(|error| format!("{name}: {error}"))?;
            Err(format!("blessed {count} values of {name} (old → new):\n{shown}\nSay why in the commit, and run again without CORUN_BLESS"))
        }
    }
}

/// A line for each value that differs: `name: old → new`.
fn changes(old: &Value, new: &Value) -> Vec<String> {
    let (old, new) = (leaves(old), leaves(new));
    let find = |all: &[(String, String)], name: &str| all.iter().find(|(one, _)| one == name).map(|(_, value)| value.clone());
    let gone = old.iter().filter(|(name, _)| find(&new, name).is_none()).map(|(name, value)| format!("{name}: {value} → gone"));
    let changed = new.iter().filter_map(|(name, value)| match find(&old, name) {
        Some(was) if was == *value => None,
        was => Some(format!("{name}: {} → {value}", was.unwrap_or_else(|| "new".into()))),
    });
    gone.chain(changed).collect()
}

/// Every value that is neither list nor object, by its path.
fn leaves(value: &Value) -> Vec<(String, String)> {
    fn collect(at: String, value: &Value, found: &mut Vec<(String, String)>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                collect(path, value, found);
            }),
            Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| collect(format!("{at}[{i}]"), item, found)),
            Value::Null => {}
            value => found.push((at, value.to_string())),
        }
    }
    let mut found = Vec::new();
    collect(String::new(), value, &mut found);
    found
}

/// A golden that says `old`, in a file of its own.
fn scratch(name: &str, old: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("corun-{}-{name}.json", std::process::id()));
    fs::write(&file, old).expect("a file in the temporary folder");
    file
}

#[test]
fn a_blessed_run_says_what_it_changes_and_is_not_green() {
    let file = scratch("blessed", r#"{ "runs": { "a": 1, "b": [2, 3] } }"#);
    let now = Value::object([("runs", Value::object([("a", Value::from(1)), ("b", Value::array([2, 4])), ("c", 5.into())]))]);
    let differs = compare(&file, &now, false, false).expect_err("it differs");
    assert!(differs.contains("runs.b[1]: 3 → 4\nruns.c: new → 5") && !differs.contains("runs.a"), "{differs}");
    let refused = compare(&file, &now, true, true).expect_err("CI does not bless");
    assert!(refused.contains("refused"), "{refused}");
    assert_eq!(compare(&file, &now, false, false), Err(differs), "the file is as it was");
    let blessed = compare(&file, &now, true, false).expect_err("a run that blesses is not green");
    assert!(blessed.contains("blessed 2 values") && blessed.contains("runs.b[1]: 3 → 4"), "{blessed}");
    assert_eq!(compare(&file, &now, false, false), Ok(()), "the run after it");
    assert!(compare(&file, &now, true, false).is_err(), "even with nothing to bless");
    fs::remove_file(file).expect("the file is there");
}

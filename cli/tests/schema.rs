//! The schemas that `corun schema` prints, against what the engine accepts and what it prints.

use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../../tests/bad_input/table.rs"]
mod table;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs the program; stdout as JSON.
fn corun(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_corun")).args(arguments).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// What is wrong with `value` by `schema`, with its path; nothing if it conforms. Only the keywords that the schemas use: any other is a
/// mistake of this test's reader and ends it.
fn flaw(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    let Value::Object(keywords) = schema else { return Some(format!("{path}: a schema that is no object")) };
    for (keyword, wanted) in keywords {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "deprecated" | "$defs" | "required" => true,
            "additionalProperties" => match wanted {
                Value::Bool(_) => true,
                inner => {
                    let flaws = pairs(value).iter().find_map(|(key, value)| flaw(root, inner, value, &format!("{path}.{key}")));
                    if flaws.is_some() {
                        return flaws;
                    }
                    true
                }
            },
            "$ref" => {
                let name = wanted.as_str().and_then(|name| name.strip_prefix("#/$defs/")).expect("a reference to a definition");
                let target = root.get("$defs").and_then(|all| all.get(name)).unwrap_or_else(|| panic!("no definition of {name}"));
                if let Some(flaw) = flaw(root, target, value, path) {
                    return Some(flaw);
                }
                true
            }
            "type" => match wanted {
                Value::Array(kinds) => kinds.iter().any(|kind| is(value, kind)),
                kind => is(value, kind),
            },
            "const" => value == wanted,
            "enum" => list(wanted).contains(value),
            "minimum" => value.as_f64().is_none_or(|x| Some(x) >= wanted.as_f64()),
            "maximum" => value.as_f64().is_none_or(|x| Some(x) <= wanted.as_f64()),
            "minItems" => !matches!(value, Value::Array(items) if (items.len() as i64) < wanted.as_int().unwrap_or(0)),
            "maxItems" => !matches!(value, Value::Array(items) if items.len() as i64 > wanted.as_int().unwrap_or(0)),
            "pattern" => {
                assert_eq!(wanted.as_str(), Some("^(gto-groups|two-level)\\([1-9][0-9]?\\)$"), "the only pattern that this test can read");
                let sized = |text| ["gto-groups(", "two-level("].iter().find_map(|name| str::strip_prefix(text, name))?.strip_suffix(')');
                let size = value.as_str().and_then(sized).filter(|size| size.len() <= 2 && !size.starts_with('0'));
                size.is_some_and(|size| size.parse::<u8>().is_ok())
            }
            "anyOf" => list(wanted).iter().any(|option| flaw(root, option, value, path).is_none()),
            "items" => match value {
                Value::Array(items) => {
                    let flaws = items.iter().enumerate().find_map(|(i, item)| flaw(root, wanted, item, &format!("{path}[{i}]")));
                    if flaws.is_some() {
                        return flaws;
                    }
                    true
                }
                _ => true,
            },
            // Read with "properties".
            "patternProperties" => true,
            "properties" => {
                for (key, inner) in pairs(value) {
                    let known = wanted.get(key).or_else(|| patterned(schema, key));
                    if known.is_none() && schema.get("additionalProperties") == Some(&Value::Bool(false)) {
                        return Some(format!("{path}.{key}: unknown"));
                    }
                    if let Some(flaw) = known.and_then(|known| flaw(root, known, inner, &format!("{path}.{key}"))) {
                        return Some(flaw);
                    }
                }
                let required = schema.get("required").map(list).unwrap_or_default();
                if let (Value::Object(_), Some(missing)) =
                    (value, required.iter().filter_map(Value::as_str).find(|key| value.get(key).is_none()))
                {
                    return Some(format!("{path}.{missing}: missing"));
                }
                true
            }
            other => panic!("the keyword {other} is new to this test"),
        };
        if !holds {
            return Some(format!("{path}: {} does not satisfy {keyword} {wanted}", value.describe()));
        }
    }
    None
}

fn is(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("object") => matches!(value, Value::Object(_)),
        Some("array") => matches!(value, Value::Array(_)),
        Some("string") => matches!(value, Value::Str(_)),
        Some("boolean") => matches!(value, Value::Bool(_)),
        Some("null") => *value == Value::Null,
        Some("integer") => value.as_int().is_some(),
        Some("number") => value.as_f64().is_some(),
        other => panic!("no type {other:?} in JSON Schema"),
    }
}

fn list(value: &Value) -> &[Value] {
    if let Value::Array(items) = value { items } else { panic!("no list: {}", value.describe()) }
}

fn pairs(value: &Value) -> &[(String, Value)] {
    if let Value::Object(pairs) = value { pairs } else { &[] }
}

#[test]
fn shipped_experiments_and_their_canonical_forms_satisfy_the_schema() {
    let schema = corun(&["schema", "experiment"]);
    let shipped = corun(&["list", "experiments", "--json"]);
    let files = std::fs::read_dir(root().join("examples/experiments")).expect("the folder is there").count();
    assert_eq!(list(&shipped).len(), files, "every file is listed");
    for entry in list(&shipped) {
        let name = entry.get("name").and_then(Value::as_str).expect("a name");
        let experiment = entry.get("experiment").expect("an experiment");
        assert_eq!(flaw(&schema, &schema, experiment, name), None);
        let canonical = Experiment::decode(experiment).unwrap_or_else(|problems| panic!("{name}: {problems}")).encode();
        assert_eq!(flaw(&schema, &schema, &canonical, &format!("{name}, canonical")), None);
    }
}

#[test]
fn shipped_sweeps_satisfy_their_schema_and_malformed_ones_mostly_do_not() {
    let schema = corun(&["schema", "sweep"]);
    let read = |file: &Path| -> Value { serde_json::from_slice(&std::fs::read(file).expect("a file")).expect("JSON") };
    let mut shipped = 0;
    for file in std::fs::read_dir(root().join("examples/sweeps")).expect("the folder is there").flatten() {
        assert_eq!(flaw(&schema, &schema, &read(&file.path()), "sweep"), None, "{:?}", file.path());
        shipped += 1;
    }
    assert!(shipped >= 3, "only {shipped} sweeps");
    let cases = read(&root().join("tests/bad_input/sweeps.json"));
    let refused = list(&cases).iter().filter(|case| flaw(&schema, &schema, case.get("input").expect("an input"), "").is_some()).count();
    // What is wrong with the experiments themselves is not in it.
    assert!(refused * 2 > list(&cases).len(), "{refused} of {}", list(&cases).len());
}

#[test]
fn shipped_predictions_satisfy_their_schema_and_malformed_ones_do_not() {
    let schema = corun(&["schema", "predict"]);
    let mut shipped = 0;
    for file in std::fs::read_dir(root().join("examples/predict")).expect("the folder is there").flatten() {
        let value: Value = serde_json::from_slice(&std::fs::read(file.path()).expect("a file")).expect("JSON");
        assert_eq!(flaw(&schema, &schema, &value, "predict"), None, "{:?}", file.path());
        shipped += 1;
    }
    assert!(shipped >= 2, "only {shipped} predictions");
    let malformed = [
        r#"{"corun": 1}"#,
        r#"{"corun": 1, "predict": {"kernels": []}}"#,
        r#"{"corun": 1, "predict": {"kernels": [{"sms": 3}]}}"#,
        r#"{"corun": 1, "predict": {"kernels": [{"name": "A", "latency": 0}]}}"#,
        r#"{"corun": 1, "predict": {"sms": 0, "kernels": [{"name": "A"}]}}"#,
        r#"{"corun": 1, "predict": {"alpha": 1, "kernels": [{"name": "A"}]}}"#,
        r#"{"corun": 1, "predict": {"reading": "loose", "kernels": [{"name": "A"}]}}"#,
    ];
    for text in malformed {
        let value = serde_json::from_str(text).expect("JSON");
        assert!(flaw(&schema, &schema, &value, "predict").is_some(), "{text}");
    }
}

/// A schema cannot say everything (whether a CTA fits, whether ways divide a cache): the table marks what it cannot.
#[test]
fn the_schema_refuses_exactly_the_malformed_experiments_that_it_can_see() {
    let schema = corun(&["schema", "experiment"]);
    let (mut refused, mut wrong) = (0, Vec::new());
    for case in table::cases(&root()) {
        let Ok(value) = serde_json::from_slice::<Value>(&case.content) else { continue };
        let seen = flaw(&schema, &schema, &value, "").is_some();
        refused += usize::from(seen);
        if seen != case.schema {
            wrong.push(format!(
                "{} {:?}: {}",
                case.name,
                case.paths,
                if seen { "refused, though marked" } else { "accepted, and not marked" }
            ));
        }
    }
    assert!(refused > 100 && wrong.is_empty(), "{refused} refused; {wrong:#?}");
}

#[test]
fn a_result_satisfies_its_schema_which_names_every_figure() {
    let schema = corun(&["schema", "result"]);
    let file = root().join("examples/experiments/tiny-bp-sad.json");
    let file = file.to_str().expect("a path that is text");
    let ccbp = ["--cycles", "20000", "--set", "policy=ccbp", "--set", "policy.time_scale=0.02"];
    for changes in [&["--cycles", "20000", "--set", "alone=true"][..], &["--cycles", "1"], &ccbp] {
        let result = corun(&[&["run", file, "--json"], changes].concat());
        let decisions = result.get("policy").and_then(|policy| policy.get("decisions")).map(list).expect("decisions");
        assert!(decisions.iter().all(|decision| !pairs(decision.get("values").expect("values")).is_empty()) && !decisions.is_empty());
        assert_eq!(flaw(&schema, &schema, &result, "result"), None);
        let described = |schema: &Value, part: &Value, path: &str| {
            assert!(!pairs(part).is_empty(), "{path} has nothing in it");
            for (key, _) in pairs(part) {
                assert!(schema.get("properties").and_then(|all| all.get(key)).is_some(), "{path}.{key} is not in the schema");
            }
        };
        described(&schema, &result, "result");
        let inner = |name: &str| schema.get("properties").and_then(|all| all.get(name)).expect("a part of the schema");
        for part in ["gpu", "metrics"] {
            described(inner(part), result.get(part).expect(part), part);
        }
        let kernel = inner("kernels").get("items").expect("a schema of kernels");
        for one in list(result.get("kernels").expect("kernels")) {
            described(kernel, one, "kernels[]");
            described(
                kernel.get("properties").and_then(|all| all.get("counters")).expect("counters"),
                one.get("counters").expect("counters"),
                "counters",
            );
        }
    }
}

/// What `patternProperties` says of a key: of the one pattern that this test can read, the fields of an SM class by its name.
fn patterned<'a>(schema: &'a Value, key: &str) -> Option<&'a Value> {
    let patterns = pairs(schema.get("patternProperties")?);
    let [(pattern, fields)] = patterns else { panic!("several patterns are new to this test") };
    assert_eq!(pattern, "^sm\\.[A-Za-z0-9_-]+\\.", "the only pattern that this test can read");
    let name = key.strip_prefix("sm.")?.split_once('.')?.0;
    (!name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || b"_-".contains(&c))).then_some(fields)
}

/// docs/energy.md says of each part of a run's energy its figure, as the program has it, and each counter that it names is one.
#[test]
fn the_page_on_energy_has_every_figure() {
    let page = std::fs::read_to_string(root().join("docs/energy.md")).expect("the page");
    for energy in sim_core::run::energy::ENERGIES {
        let row =
            page.lines().find(|line| line.starts_with(&format!("| `{}` |", energy.key))).unwrap_or_else(|| panic!("no {}", energy.key));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (figure, unit) = cells[2].split_once(' ').expect("a figure and its unit");
        assert_eq!(format!("{:.4}", energy.figure), format!("{:.4}", figure.parse::<f64>().expect("a number")), "{}", energy.key);
        assert_eq!(unit == "W", energy.per.ends_with("in watts"), "{}", energy.key);
        for counter in cells[4].split('`').skip(1).step_by(2).filter(|name| !name.contains('.')) {
            let known = sim_core::seam::stats::KernelStats::INFO.iter().any(|info| info.key == counter);
            assert!(known, "{}: {counter} is no counter", energy.key);
        }
    }
}

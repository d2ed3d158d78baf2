//! What `corun probe` prints: the figures of `sim_core::study::probe`, one point or a curve, and clear refusals.

use sim_core::describe::value::Value;
use sim_core::study::probe::COMPONENTS;
use std::process::Command;

/// Exit code, stdout, stderr.
fn probe(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_corun")).arg("probe").args(arguments).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_option_is_a_flag_that_reaches_the_probe() {
    for component in COMPONENTS {
        let (_, help, _) = probe(&[component.name, "--help"]);
        let Value::Array(options) = component.options() else { panic!("{}: no options", component.name) };
        assert!(options.len() > 3, "{}: only {} options", component.name, options.len());
        for option in &options {
            let name = option.get("name").and_then(Value::as_str).unwrap();
            let flag = format!("--{}", name.replace('_', "-"));
            assert!(help.contains(&format!("{flag} ")) || help.contains(&format!("{flag}\n")), "{}: {flag} in\n{help}", component.name);
            if option.get("kind").and_then(Value::as_str) != Some("bool") {
                let (code, _, error) = probe(&[component.name, &flag, "a lot"]);
                assert_eq!(code, Some(2), "{flag}: {error}");
                assert!(error.contains(&format!("{name}: found \"a lot\", want")), "{flag}: {error}");
            }
        }
    }
}

#[test]
fn a_curve_has_the_rows_of_its_points() {
    let (code, table, _) = probe(&["noc", "--flits", "1", "--cycles", "20000", "--load", "0.1:0.3:0.1"]);
    assert_eq!(code, Some(0));
    let (table, units) = table.trim_end().rsplit_once('\n').expect("a table and its units");
    assert!(units.contains("latency_mean in "), "{units}");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ["load", "0.1", "0.2", "0.3"]);
    let width = table.lines().next().map_or(0, |line| line.chars().count());
    assert!(table.lines().all(|line| line.chars().count() == width), "columns of numbers end together:\n{table}");
    let (_, alone, _) = probe(&["noc", "--flits", "1", "--cycles", "20000", "--load", "0.2", "--json"]);
    let alone: Value = serde_json::from_str(&alone).unwrap();
    for (heading, cell) in rows[0].iter().zip(&rows[2]).skip(1) {
        let figure = heading.split('.').try_fold(&alone, |value, key| value.get(key)).and_then(Value::as_f64).unwrap();
        assert!((figure - cell.parse::<f64>().unwrap()).abs() <= 1e-3 * figure && cell.len() <= 7, "{heading}: {cell} of {figure}");
    }
    let (_, text, _) = probe(&["occupancy", "--threads", "64", "--regs", "64"]);
    assert!(text.lines().any(|line| line.starts_with("limiter ") && line.ends_with("registers")), "{text}");
    let (_, json, _) = probe(&["noc", "--flits", "1", "--cycles", "20000", "--load", "0.1:0.3:0.1", "--json"]);
    let Value::Array(points) = serde_json::from_str(&json).unwrap() else { panic!("no list: {json}") };
    assert_eq!(points.len(), 3);
    assert_eq!(points[1].get("latency_mean"), alone.get("latency_mean"));
}

#[test]
fn a_bad_range_is_refused() {
    for bad in ["1:0:1", "0:1:0", "0:1", "0:x:1", "0:1:0.00001"] {
        let (code, _, error) = probe(&["noc", "--load", bad]);
        assert_eq!(code, Some(2), "{bad}");
        assert!(error.contains("FROM:TO:STEP"), "{error}");
    }
    let (code, _, error) = probe(&["noc", "--load", "0:2:1", "--cycles", "100"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("load: found 2.0, want a number from 0 to 1"), "{error}");
}

/// A number of lines is one, however small; multiples of the capacity have an option of their own.
#[test]
fn lines_of_a_cache_are_lines() {
    let figures = |arguments: &[&str]| -> Value {
        let (code, out, error) = probe(&[&["cache", "--json"], arguments].concat());
        assert_eq!(code, Some(0), "{error}");
        serde_json::from_str(&out).unwrap()
    };
    for lines in ["1", "8", "16", "17", "192"] {
        let got = figures(&["--lines", lines]);
        assert_eq!(got.get("lines").map(Value::to_string).as_deref(), Some(lines));
        assert_eq!(got.get("misses").map(Value::to_string).as_deref(), Some(lines), "each line misses once");
    }
    assert_eq!(figures(&["--capacities", "1.25"]).get("lines"), Some(&240.into()));
    assert_eq!(figures(&[]).get("lines"), Some(&192.into()));
    let (code, _, error) = probe(&["cache", "--lines", "5", "--capacities", "2"]);
    assert_eq!((code, error.as_str()), (Some(2), "lines: found both lines and capacities, want one of them\n"));
    let (code, _, error) = probe(&["cache", "--lines", "1.25"]);
    assert_eq!((code, error.as_str()), (Some(2), "lines: found 1.25, want a whole number from 1 to 16777216\n"));
}

#[test]
fn timings_may_be_given_at_once() {
    let figures = |arguments: &[&str]| {
        let (code, out, error) = probe(&[&["dram", "--cycles", "20000", "--stream", "random", "--json"], arguments].concat());
        assert_eq!(code, Some(0), "{error}");
        out
    };
    let one_by_one = ["--T", "8", "--tCL", "20", "--tRC", "60", "--banks", "4", "--columns", "16"];
    let at_once = figures(&["--timing", "T=8,tCL=20, tRC=60,banks=4,columns=16"]);
    assert_eq!(at_once, figures(&one_by_one));
    assert_ne!(at_once, figures(&[]));
    for (bad, path) in [("tXX=4", "tXX"), ("T", "T"), ("T=0", "T"), ("T=4,T=5", "T"), ("", "[\"\"]"), ("tCL=many", "tCL")] {
        let (code, _, error) = probe(&["dram", "--timing", bad]);
        assert_eq!(code, Some(2), "{bad}: {error}");
        assert!(error.lines().count() == 1 && error.starts_with(&format!("{path}: found ")), "{bad}: {error}");
    }
}

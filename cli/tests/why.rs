//! `corun run --why`: what is printed, and what is refused.

mod program;

use sim_core::describe::value::Value;

const MIX: &str =
    r#"{ "corun": 1, "gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 100000 } }"#;

fn printed(arguments: &[&str]) -> String {
    let output = program::corun(arguments, MIX.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_sentence_comes_with_the_cures_below_it_and_as_data() {
    let text = printed(&["run", "-", "--why=noc,slots,fp64"]);
    assert!(text.contains("\nWith an unlimited NoC, CFD costs BP ") && text.contains(" times less."), "{text}");
    assert!(text.contains("Not tried, as nothing would change or this GPU cannot have it: slots, fp64."), "{text}");
    let written = printed(&["run", "-", "--json", "--why=noc"]);
    // What is kept of a result says so, too.
    let file = std::env::temp_dir().join(format!("corun-why-{}.json", std::process::id()));
    std::fs::write(&file, &written).expect("a file");
    let shown = printed(&["show", file.to_str().expect("a path")]);
    assert!(shown.contains("\nWith an unlimited NoC, "), "{shown}");
    std::fs::remove_file(&file).expect("it was there");
    let json: Value = serde_json::from_str(&written).expect("JSON");
    let Some(Value::Array(because)) = json.get("because") else { panic!("no because") };
    let first = because.first().expect("BP suffers");
    assert_eq!(first.get("kernel").and_then(Value::as_int), Some(0));
    let Some(Value::Array(cures)) = first.get("cures") else { panic!("no cures") };
    assert_eq!(cures.iter().filter_map(|cure| cure.get("cure")?.as_str()).collect::<Vec<_>>(), ["noc"]);
    let csv = printed(&["run", "-", "--csv", "--why=noc"]);
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let at = rows[0].iter().position(|column| *column == "cure").expect("a column");
    assert_eq!(rows[0][at..at + 4], ["cure", "gives_back", "gives_back.low", "gives_back.high"]);
    assert_eq!(rows[1][at], "noc");
    assert!(rows[1][at + 1].parse::<f64>().expect("a number") > 1.5 && rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    // What nobody asked for is not there, and costs nothing.
    let plain: Value = serde_json::from_str(&printed(&["run", "-", "--json"])).expect("JSON");
    assert_eq!(plain.get("because"), None);
    assert_eq!(plain.get("digest"), json.get("digest"));
}

/// A run that cannot say who suffers is not asked why, nor is one without neighbours.
#[test]
fn a_run_that_cannot_be_asked_why_says_so() {
    let said = |fields: &[&str]| {
        let output = program::corun(&[&["run", "-", "--cycles", "8k", "--why=noc"], fields].concat(), MIX.as_bytes());
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for (fields, why) in [
        (&[][..], "the run is too short to say who suffers"),
        (&["--set", r#"kernels=["ccbp/BP"]"#], "a kernel by itself has no neighbours"),
        (&["--set", "alone=false"], "what neighbours cost is not known of every kernel"),
    ] {
        assert!(said(fields).contains(&format!("Why: {why}.")), "{}", said(fields));
    }
}

/// An experiment behind a bare `--why` is the experiment.
#[test]
fn all_causes_are_asked_for_without_a_list() {
    let output = program::corun(&["run", "--why", "-", "--cycles", "8k"], MIX.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let none = program::corun(&["run", "-", "--why="], MIX.as_bytes());
    assert!(String::from_utf8_lossy(&none.stderr).contains("--why"), "{}", String::from_utf8_lossy(&none.stderr));
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn a_cure_that_is_none_is_refused_with_those_that_are() {
    let output = program::corun(&["run", "-", "--why=noc,foo"], MIX.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains(
            "--why: found \"foo\", want all, or some of noc, dram, l2, banks, l1, l1-mshrs, lsu, slots, fp64, sfu, shared, quota"
        ),
        "{said}"
    );
}

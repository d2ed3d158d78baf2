//! What `corun list` and `corun show` print: a line of each thing that can be chosen, the whole of one, and what a file of results says.

use sim_core::describe::value::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Widest line, characters.
const WIDTH: usize = 100;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("show").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn corun(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corun")).current_dir(folder).args(arguments).output().expect("the program starts")
}

/// What it prints, if it ends well.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = corun(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The line that refuses it.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = corun(folder, arguments);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn items(value: &Value) -> &[Value] {
    if let Value::Array(items) = value { items } else { panic!("no list: {}", value.describe()) }
}

/// The whole is not cut: all words of a text are there, whatever the lines.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn the_page_of_records_is_what_schema_prints() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/records.md");
    let page = fs::read_to_string(page).unwrap_or_default();
    let now = printed(&folder("records"), &["schema", "all", "--as", "markdown"]);
    let line = page.lines().zip(now.lines()).take_while(|(page, now)| page == now).count() + 1;
    let command = "corun schema all --as markdown > docs/reference/records.md";
    assert!(page == now, "docs/reference/records.md is out of date from line {line} on; `{command}` writes it anew");
}

/// Here a list goes into a pipe: is nothing of it cut?
#[test]
fn lists_have_a_line_each_and_are_whole_in_a_pipe() {
    let folder = folder("lists");
    for what in ["gpus", "kernels", "policies", "controls", "script", "orders", "experiments", "sweeps", "predictions", "metrics"] {
        let text = printed(&folder, &["list", what]);
        assert!(text.lines().all(|line| line.trim_end() == line), "{what}:\n{text}");
        let all = json(&printed(&folder, &["list", what, "--json"]));
        let groups: Vec<&Value> = if let Value::Object(groups) = &all { groups.iter().map(|(_, rows)| rows).collect() } else { vec![&all] };
        let rows: Vec<&Value> = groups.iter().flat_map(|rows| items(rows)).collect();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.ends_with(':')).collect();
        assert_eq!(lines.len(), rows.len(), "{what}: a line each");
        for (line, row) in lines.iter().zip(rows) {
            let field = |key: &str| row.get(key).and_then(Value::as_str);
            let name = field("name").or(field("key")).or(field("call")).expect("a name");
            assert!(line.starts_with(&format!("{name} ")), "{name}: {line}");
            let texts = ["title", "unit", "source"].into_iter().filter_map(field).filter(|text| !text.contains('\n'));
            // A formula stands in the place of a description; a GPU's or a kernel's title says enough.
            let more = if row.get("fits").is_some() { None } else { field("formula").filter(|text| !text.is_empty()).or(field("doc")) };
            for text in texts.chain(more) {
                assert!(line.contains(text), "{name}: {text} in {line}");
            }
        }
    }
}

#[test]
fn the_whole_of_one_has_ranges_and_defaults() {
    let folder = folder("whole");
    for (kind, what) in [("kernel", "kernels"), ("policy", "policies"), ("gpu", "gpus"), ("control", "controls"), ("metric", "metrics")] {
        for row in items(&json(&printed(&folder, &["list", what, "--json"]))).iter().step_by(7) {
            let name = row.get("name").or(row.get("key")).and_then(Value::as_str).expect("a name");
            let text = printed(&folder, &["show", kind, name]);
            assert!(text.starts_with(name) && text.lines().all(|line| line.chars().count() <= WIDTH), "{kind} {name}:\n{text}");
            for word in words(row.get("doc").and_then(Value::as_str).expect("a text")) {
                assert!(words(&text).contains(&word), "{kind} {name}: {word} in\n{text}");
            }
        }
    }
    let smk = printed(&folder, &["show", "policy", "smk"]);
    for part in ["variant = p+w  (p+w, p)", "epoch = 10000  (100 to 100000000 cycles)"] {
        assert!(smk.contains(part), "{part}:\n{smk}");
    }
    assert!(printed(&folder, &["show", "policy", "qos-naive"]).contains("move_ctas = true  (true, false)"));
    assert!(printed(&folder, &["show", "policy", "fixed"]).contains("combination  (0 to 64 for each kernel CTAs per SM, needed)"));
    assert!(printed(&folder, &["show", "gpu", "tiny-2sm"]).contains("gpu.sm.count = 2  (0 to 256 SMs)"));
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/experiments/bp-cfd-even.json");
    let shipped = fs::read_to_string(shipped).expect("the example is there");
    assert_eq!(json(&printed(&folder, &["show", "experiment", "bp-cfd-even"])), json(&shipped));
    assert!(json(&printed(&folder, &["show", "sweep", "policies"])).get("sweep").is_some());
    for (arguments, want) in [
        (&["show", "policy", "smkk"][..], "<NAME>: found \"smkk\", want one that `corun list policies` has, such as smk\n"),
        (&["show", "experiment", "zzz"], "<NAME>: found \"zzz\", want one that `corun list experiments` has\n"),
        (&["show", "polices", "smk"], "<KIND>: found \"polices\", want one of kernel, policy, gpu"),
        (&["show", "policy"], "<NAME>: found nothing, want one of leftover, even"),
        (&["show", "nothing.jsonl"], "(file): found nothing.jsonl: No such file"),
    ] {
        let said = refused(&folder, arguments);
        assert!(said.starts_with(want), "{said}");
    }
}

/// A GPU says in which parts it can be given away, also by its short name.
#[test]
fn a_gpu_says_how_its_vendor_lets_it_be_shared() {
    let folder = folder("vendor");
    let said = printed(&folder, &["show", "gpu", "h100"]);
    assert!(said.starts_with("h100-sxm5 ") && words(&said).windows(3).any(|three| three == ["in", "short", "h100"]), "{said}");
    let said = words(&said).join(" ");
    assert!(said.contains("MIG at most 7 × 1g.10gb, 4 × 1g.20gb, 3 × 2g.20gb, 2 × 3g.40gb, 1 × 4g.40gb, 1 × 7g.80gb"), "{said}");
    assert!(said.contains("green contexts at least 8 SMs in steps of 8"), "{said}");
    assert!(!printed(&folder, &["show", "gpu", "ccbp-16sm"]).contains("MIG"));
}

const SWEEP: &str = r#"{"corun": 1, "sweep": {
    "base": {"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"]},
    "axes": [{"path": "policy", "values": ["even", {"name": "fixed", "combination": [1, 2]}]},
             {"path": "stop.cycles", "values": [4000, 8000]}] } }"#;

#[test]
fn results_of_a_sweep_are_shown_as_a_table_a_file_and_a_plot() {
    let folder = folder("results");
    fs::write(folder.join("sweep.json"), SWEEP).expect("a file of the test");
    let at_its_end = printed(&folder, &["sweep", "sweep.json", "--out", "results.jsonl"]);
    assert_eq!(printed(&folder, &["show", "results.jsonl"]), at_its_end, "the sweep's own table");
    let lines: Vec<&str> = at_its_end.lines().collect();
    assert_eq!(lines.len(), 5, "{at_its_end}");
    for heading in ["point", "policy", "stop.cycles", "IPC, thread instr./cycle", "HSpeedup", "STP", "ANTT, ×", "Fairness"] {
        assert!(lines[0].contains(heading), "{heading}: {at_its_end}");
    }
    assert!(
        lines[1].starts_with("0      even ") && lines[4].contains("fixed combination [1,2]") && lines[4].contains(" ± "),
        "{at_its_end}"
    );

    let results = fs::read_to_string(folder.join("results.jsonl")).expect("the results");
    let second = json(results.lines().nth(1).expect("four lines"));
    let hspeedup = second.get("result").and_then(|result| result.get("metrics")?.get("hspeedup")).map(Value::to_string).expect("a figure");
    let csv = printed(&folder, &["show", "results.jsonl", "--csv"]);
    let cells: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| cells[0].iter().position(|cell| *cell == name).unwrap_or_else(|| panic!("no {name}: {csv}"));
    assert_eq!((cells.len(), cells[2][column("index")], cells[2][column("stop.cycles")]), (5, "1", "8000"));
    assert_eq!((cells[2][column("metrics.hspeedup")], cells[2][column("kernels[1].name")]), (hspeedup.as_str(), "SAD"));
    let ends = ["low", "high"].map(|end| cells[2][column(&format!("metrics.hspeedup.{end}"))].parse::<f64>().expect("a number"));
    assert!((ends[0]..=ends[1]).contains(&hspeedup.parse().expect("a number")));
    let of_kernel =
        ["", ".low", ".high"].map(|end| cells[2][column(&format!("kernels[1].slowdown{end}"))].parse::<f64>().expect("a number"));
    assert!(of_kernel[1] < of_kernel[0] && of_kernel[0] < of_kernel[2], "{of_kernel:?}");
    printed(&folder, &["show", "results.jsonl", "--csv", "results.csv"]);
    assert_eq!(fs::read_to_string(folder.join("results.csv")).expect("it is there"), csv);

    let svg = printed(&folder, &["show", "results.jsonl", "--svg"]);
    assert!(svg.starts_with("<svg") && svg.matches("data-point").count() == 4 && svg.contains("stop.cycles"), "{svg}");
    assert!(["even", "fixed combination [1,2]", "HSpeedup"].iter().all(|text| svg.contains(text)), "{svg}");
    let of_sad = printed(&folder, &["show", "results.jsonl", "--svg", "--metric", "kernels[1].slowdown"]);
    assert!(of_sad.contains("Slowdown of SAD, × by stop.cycles"), "a title that names the kernel: {of_sad}");
    let upright = |line: &&str| {
        line.contains("class=\"axis\"")
            && line.split("x1=\"").nth(1).is_some_and(|x| line.contains(&format!("x2=\"{}\"", x.split('"').next().unwrap_or(""))))
    };
    assert!(of_sad.lines().filter(upright).count() >= 4, "an interval for each point: {of_sad}");
    let table = printed(&folder, &["show", "results.jsonl", "--metric", "kernels[1].slowdown"]);
    assert!(table.lines().next().is_some_and(|heading| heading.ends_with("Slowdown of SAD, ×")), "{table}");
    printed(&folder, &["show", "results.jsonl", "--svg", "plot.svg", "--metric", "kernels[0].ipc"]);
    assert_ne!(fs::read_to_string(folder.join("plot.svg")).expect("it is there"), svg);
    assert!(refused(&folder, &["show", "results.jsonl", "--svg", "--metric", "no.such"]).starts_with("--metric: found no.such, want "));
    assert!(refused(&folder, &["show", "results.jsonl", "--csv", "results.jsonl"]).contains("where the input is"));

    // What a sweep was stopped at, in the middle of a line.
    fs::write(folder.join("cut.jsonl"), &results[..results.len() - 50]).expect("a file of the test");
    let cut = printed(&folder, &["show", "cut.jsonl"]);
    fs::write(folder.join("none.jsonl"), &results[..50]).expect("a file of the test");
    let said = refused(&folder, &["show", "none.jsonl"]);
    assert_eq!(said, "(file): found no points, want results of a sweep: at least one whole line\n");
    assert!(cut.trim_end().ends_with("3 of 4 points") && cut.lines().count() == 5, "{cut}");
}

#[test]
fn a_result_is_shown_as_run_shows_it() {
    let folder = folder("result");
    let arguments = ["run", "tiny-bp-sad", "--cycles", "8k"];
    let (text, csv) = (printed(&folder, &arguments), printed(&folder, &[&arguments[..], &["--csv"]].concat()));
    printed(&folder, &[&arguments[..], &["--json", "--out", "result.json"]].concat());
    assert_eq!(printed(&folder, &["show", "result.json"]), text);
    assert_eq!(printed(&folder, &["show", "result.json", "--csv"]), csv);
    assert!(refused(&folder, &["show", "result.json", "--svg"]).starts_with("--svg: found a result, want results of a sweep"));
    fs::write(folder.join("small.json"), r#"{"corun": 1, "kernels": ["ccbp/BP"]}"#).expect("a file of the test");
    let said = refused(&folder, &["show", "small.json"]);
    assert_eq!(said, "(file): found an experiment, want a result; `corun run FILE` runs it\n");
}

/// Completions name the commands and their options; help begins with examples.
#[test]
fn shells_are_told_what_there_is() {
    let folder = folder("shells");
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&folder, &["completions", shell]);
        assert!(["sweep", "completions", "windows"].iter().all(|word| script.contains(word)), "{shell}: {script}");
    }
    let help = printed(&folder, &["--help"]);
    let examples: Vec<&str> = help.lines().take_while(|line| !line.is_empty()).collect();
    assert!(examples[0] == "Examples:" && examples.len() == 4 && !help.contains('\u{1b}'), "{help}");
}

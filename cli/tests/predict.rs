//! What `corun predict` promises: the figures of the library on a file, for people and for programs, and named problems.

mod program;

use sim_core::describe::digest::with_check;
use sim_core::describe::value::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn example(name: &str) -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/predict");
    root.join(name).to_str().expect("a path that is text").to_owned()
}

fn corun(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corun")).arg("predict").args(arguments).output().expect("the program starts")
}

fn json(arguments: &[&str]) -> Value {
    let output = corun(&[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn kernels(answer: &Value) -> &[Value] {
    if let Some(Value::Array(kernels)) = answer.get("kernels") { kernels } else { panic!("{answer}") }
}

fn number(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("{key} of {value}"))
}

/// What the command says of input that it refuses, from standard input.
fn refused(text: &str, arguments: &[&str]) -> String {
    let output = program::corun(&[&["predict", "-"], arguments].concat(), text.as_bytes());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn experiment_4_of_table_3_is_predicted_under_each_reading() {
    let wanted = [("literal", "2.270", "2.440"), ("elected", "1.578", "2.440"), ("i_only", "1.578", "1.538"), ("fluid", "1.643", "1.499")];
    for (reading, copy, saxpy) in wanted {
        let answer = json(&[&example("copy-saxpy.json"), "--reading", reading]);
        for (kernel, want) in kernels(&answer).iter().zip([copy, saxpy]) {
            assert_eq!(format!("{:.3}", number(kernel, "slowdown")), want, "{reading}");
            assert_eq!(number(kernel, "latency"), number(kernel.get("readings").expect("readings"), reading));
            let Some(Value::Array(windows)) = kernel.get("windows") else { panic!("{kernel}") };
            for key in ["end", "share", "sum", "interference", "penalty"] {
                assert!(windows.iter().all(|window| number(window, key) > 0.0), "{key}");
            }
        }
    }
    let text = String::from_utf8(corun(&[&example("copy-saxpy.json")]).stdout).expect("text");
    for shown in ["0.76067", "1.0521", "2.440", "542.10", "1.9472", "SAXPY: share × Π", "  1.000×1.439       0.777×1.677"] {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
}

#[test]
fn a_plan_names_the_partition_that_meets_both_deadlines() {
    let answer = json(&[&example("two-deadlines.json"), "--plan"]);
    assert_eq!(answer.get("plan").and_then(|plan| plan.get("meets")), Some(&Value::Bool(true)));
    let sms: Vec<f64> = kernels(&answer).iter().map(|kernel| number(kernel, "sms")).collect();
    assert!(sms.iter().sum::<f64>() <= 30.0);
    assert!(kernels(&answer).iter().all(|kernel| number(kernel, "latency") <= number(kernel, "deadline")));
    // Even halves miss one: the search is needed.
    let even = json(&[&example("two-deadlines.json")]);
    assert!(kernels(&even).iter().any(|kernel| kernel.get("meets") == Some(&Value::Bool(false))));
}

#[test]
fn bad_input_ends_with_2_and_a_line_for_each_problem() {
    let two = r#"{"corun":1,"predict":{"sms":30,"l2_banks":24,"bandwidth_max":348,"bandwidth_sustained":330,"kernels":[
        {"name":"A","sms":20,"latency":1,"bandwidth":400,"tc":1},{"name":"B","sms":20}]}}"#;
    let lines = refused(two, &[]);
    for want in [
        "predict.kernels: found 40 SMs together, want at most the GPU's 30",
        "predict.kernels[0].bandwidth: found 400, want at most bandwidth_max, 348",
        "predict.kernels[1].latency_full: found nothing, want",
    ] {
        assert!(lines.lines().any(|line| line.starts_with(want)), "{want}\n{lines}");
    }
    assert!(refused(two, &["--reading", "loose"]).contains("[possible values: literal, clamped, elected, i_only, fluid]"));
    assert!(refused("[", &[]).starts_with("(whole): found "));
}

/// BP and CFD on half of the SMs each: what the file leaves out is measured, and the group run.
const MEASURED: &str = r#"{"corun": 1, "gpu": "ccbp-16sm", "seed": 1, "predict": {"bandwidth_sustained": 300, "kernels": [{"name": "ccbp/BP", "sms": 8}, {"name": "ccbp/CFD", "sms": 8}]}}"#;

#[test]
fn what_is_left_out_is_measured_once_and_the_group_judged_by_a_run() {
    let folder = std::env::temp_dir().join(format!("corun-predict-answers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    let (file, kept, run) = (path("question.json"), path("kept"), path("run.json"));
    std::fs::write(&file, MEASURED).expect("a file");
    let answer = json(&[&file, "--simulate", "--store", &kept]);
    let platform = answer.get("platform").expect("the platform");
    assert_eq!((number(platform, "sms"), number(platform, "l2_banks")), (16.0, 16.0));

    // The same group as an experiment ends in the cycle that the longest of the simulated latencies says.
    let experiment = r#"{"corun": 1, "gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {"name": "spatial", "split": [8, 8]},
        "stop": {"kernels_done": true}, "restart": false}"#;
    std::fs::write(&run, experiment).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_corun")).args(["run", &run, "--json"]).output().expect("the program starts");
    let cycles = number(&serde_json::from_slice(&output.stdout).expect("JSON"), "cycles");
    let mhz = f64::from(sim_core::describe::gpu::presets::find("ccbp-16sm").expect("a preset").core_mhz);
    let makespan = number(answer.get("simulated").expect("the run"), "makespan");
    assert!((makespan * mhz * 1000.0 - cycles).abs() < 1e-3, "{makespan} ms, {cycles} cycles at {mhz} MHz");

    for kernel in kernels(&answer) {
        let simulated = kernel.get("simulated").expect("the run");
        let (predicted, latency) = (number(kernel, "latency"), number(simulated, "latency"));
        assert!((number(simulated, "error") - (predicted / latency - 1.0)).abs() < 1e-9);
        assert!(latency > number(kernel, "latency_alone"), "beside another it takes longer");
    }

    // Four runs alone and the group's were kept; what is kept is what the next command takes.
    let within =
        |folder: &Path| -> Vec<PathBuf> { std::fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path()).collect() };
    let files = within(&within(Path::new(&kept))[0]);
    assert_eq!(files.len(), 5);
    let alone = number(&kernels(&answer)[0], "latency_alone");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file");
        let (row, _) = text.split_once(",\"check\"").expect("its check");
        let changed = row.replace(&format!("{alone:?}"), "77.5") + "}";
        std::fs::write(&file, with_check(&changed)).expect("a file");
    }
    let again = json(&[&file, "--store", &kept]);
    assert_eq!(number(&kernels(&again)[0], "latency_alone"), 77.5);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn what_can_not_be_measured_is_named() {
    let given = r#"{"name": "BP", "sms": 8, "latency": 1, "bandwidth": 10, "tc": 1}"#;
    let whole = |gpu: &str, more: &str, kernels: &str| {
        format!(r#"{{"corun": 1, {gpu} "predict": {{"bandwidth_sustained": 9, {more} "kernels": [{kernels}]}}}}"#)
    };
    let gpu = r#""gpu": "ccbp-16sm","#;
    let all = r#""sms": 16, "l2_banks": 16, "bandwidth_max": 20,"#;
    let cases: [(String, &[&str], &str); 6] = [
        (
            whole(gpu, "", &given.replace("BP", "NONE").replace(r#""latency": 1, "#, "")),
            &[],
            "predict.kernels[0].latency: found nothing, want a number, one of",
        ),
        (whole(gpu, r#""sms": 30,"#, given), &[], "predict.sms: found 30, want the GPU's 16"),
        (whole(r#""gpu": "no-gpu","#, "", given), &[], "gpu: found \"no-gpu\", want one of"),
        (whole("", all, given), &["--simulate"], "gpu: found nothing, want the GPU to run on"),
        (
            whole(gpu, all, &given.replace("BP", "NONE")),
            &["--simulate"],
            "predict.kernels[0].name: found \"NONE\", want one of the library's kernels",
        ),
        (whole("", "", given), &[], "predict.sms: found nothing, want a number, or a gpu to take it from"),
    ];
    for (text, arguments, want) in cases {
        let lines = refused(&text, arguments);
        assert!(lines.lines().any(|line| line.starts_with(want)), "{want}\n{lines}");
    }
}

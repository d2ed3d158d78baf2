//! What `corun silicon` promises: slowdowns of a file as the program for the GPU writes it, beside simulated ones, and named problems.

mod program;

use sim_core::describe::value::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../silicon").join(name)
}

/// Runs the command on a text.
fn corun(text: &str, arguments: &[&str]) -> Output {
    program::corun(&[&["silicon", "-"], arguments].concat(), text.as_bytes())
}

fn pairs(answer: &Value) -> Vec<(String, Option<f64>, Option<f64>)> {
    let Some(Value::Array(pairs)) = answer.get("pairs") else { panic!("{answer}") };
    let name = |pair: &Value, key| pair.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let both = |pair| format!("{} beside {}", name(pair, "kernel"), name(pair, "beside"));
    let number = |pair: &Value, key| pair.get(key).and_then(Value::as_f64);
    pairs.iter().map(|pair| (both(pair), number(pair, "measured"), number(pair, "simulated"))).collect()
}

#[test]
fn every_file_of_a_gpu_is_read() {
    for (name, of_itself) in [("h100.csv", 21.37), ("h200.csv", 21.44)] {
        let text = std::fs::read_to_string(file(name)).expect("the file");
        let output = corun(&text, &["--json"]);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let pairs = pairs(&answer);
        assert_eq!(pairs.len(), 64, "{name}");
        let (_, measured, simulated) = pairs.iter().find(|pair| pair.0 == "fp64 beside fp64").expect("the pair");
        assert_eq!((measured.map(|n| (n * 100.0).round() / 100.0), *simulated), (Some(of_itself), None), "{name}");
    }
}

/// A row, so short that it runs in a second.
fn small(sms: u32, changed: &[(&str, &str)]) -> String {
    let mut text = format!(
        "# corun silicon 1\n# gpu: Tiny\n# sms: {sms}\n# core_mhz: 1000\n# date: 2026-11-26\n\
         study,kernel,beside,ctas,threads,bytes,chains,passes,ms,ms_least,ms_most,mhz,shared_sms\n\
         alone,fma,,2,128,0,4,1000,20,19,21,1000,0\n\
         alone,sleep,,2,64,0,0,1000,20,19,21,1000,0\n\
         pair,fma,fma,2,128,0,4,1000,40,39,41,1000,2\n\
         pair,fma,sleep,2,128,0,4,1000,20,19,21,1000,2\n\
         pair,sleep,fma,2,64,0,0,1000,nan,nan,nan,nan,0\n\
         pair,sleep,sleep,2,64,0,0,1000,20,19,21,1000,2\n"
    );
    for (from, to) in changed {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

#[test]
fn two_chains_of_one_pipe_take_turns() {
    let output = corun(&small(2, &[]), &["--gpu", "tiny-2sm", "--cycles", "20k", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let pairs = pairs(&answer);
    let of = |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|pair| (pair.1, pair.2)).expect("the pair");
    let (measured, simulated) = of("fma beside fma");
    assert_eq!(measured, Some(2.0));
    assert!(simulated.is_some_and(|slowdown| (1.9..2.1).contains(&slowdown)), "{simulated:?}");
    assert!(of("fma beside sleep").1.is_some_and(|slowdown| slowdown < 1.3));
    assert_eq!(of("sleep beside fma").0, None, "they were never there together");
    // The same by hand: what the runs share, and each kernel's program.
    let (Some(Value::Object(setting)), Some(Value::Array(alone))) = (answer.get("setting"), answer.get("alone")) else {
        panic!("{answer}")
    };
    let fma = alone[0].get("program").expect("its program");
    let ipc = |kernels: usize| {
        let mut experiment = setting.clone();
        experiment.push(("kernels".into(), Value::array(vec![fma.clone(); kernels])));
        let ran = program::corun(&["run", "-", "--json"], Value::Object(experiment).to_string().as_bytes());
        let result: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        result.get("kernels").and_then(|kernels| kernels.items().last()?.get("ipc")?.as_f64()).expect("an IPC")
    };
    assert_eq!(Some(ipc(1) / ipc(2)), simulated);
}

#[test]
fn what_is_wrong_with_a_file_is_named_by_its_line() {
    let refused = |text: &str, arguments: &[&str]| {
        let output = corun(text, arguments);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        String::from_utf8(output.stderr).expect("text")
    };
    for (from, to, want) in [
        ("# corun silicon 1", "kernel,ms", "line 1: found \"kernel,ms\", want \"# corun silicon 1\""),
        ("# sms: 2\n", "", "# sms: found nothing"),
        ("# sms: 2\n", "# sms: two\n", "# sms: found \"two\", want a whole number above 0"),
        ("study,kernel,beside", "study,row,column", "the columns: found study,row,column"),
        ("pair,fma,fma,2,128,0,4,1000,40,39,41,1000,2", "pair,fma,fma,2,128", "line 9: found 5 cells, want 13 cells"),
        (
            "pair,fma,fma,2,128,0,4,1000,40,39,41",
            "pair,fma,fma,2,128,0,4,1000,40,41,39",
            "line 9, ms: found 40, want a median from ms_least",
        ),
        ("pair,fma,fma,2,128,0,4,1000,40,39,41", "pair,fma,fma,2,128,0,4,1000,-4,-5,-3", "line 9, ms: found \"-4\", want a time in ms"),
        (
            "pair,fma,fma,2,128,0,4,1000,40,39,41",
            "pair,fma,fma,2,128,0,4,1000,2,2,2",
            "line 9, ms: found 2, want no kernel beside another in less",
        ),
        ("pair,fma,fma,2,128,0,4,1000,40", "pair,fma,fma,2,128,0,4,500,40", "line 9, passes: found 500, want the shape and the passes"),
        ("pair,sleep,sleep", "pair,sleep,awake", "line 12, beside: found \"awake\", want a kernel with a row alone"),
        ("pair,sleep,sleep", "pair,sleep,fma", "line 12, beside: found \"fma\", want each pair once"),
        ("pair,sleep,sleep", "slots,sleep,sleep", "(file): found no pair of sleep beside sleep"),
        ("pair,sleep,sleep", "unknown,sleep,sleep", "line 12, study: found \"unknown\", want one of alone, pair"),
    ] {
        let said = refused(&small(2, &[(from, to)]), &[]);
        assert!(said.starts_with(want), "{said}, want {want}");
    }
    let said = refused(&small(132, &[]), &["--gpu", "a100-40gb"]);
    assert!(said.starts_with("--gpu: found a100-40gb, 108 SMs, want a preset of the GPU of the file: Tiny, 132 SMs"), "{said}");
    let said = refused(&small(2, &[("# date", "# shared_bytes: 9999999\n# date")]), &["--gpu", "tiny-2sm"]);
    assert!(said.starts_with("# shared_bytes: found 9999999, want at most L1D and shared memory of tiny-2sm"), "{said}");
    assert!(refused(&small(2, &[]), &["--gpu", "a101"]).starts_with("--gpu: found \"a101\", want the name of a preset"));
}

//! Do recorded kernels run beside described ones, under every kind of scheme, and as what they were recorded from?

mod program;

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

/// Runs the program, which succeeds; gives what it printed.
fn done(arguments: &[&str], stdin: &Value) -> String {
    let output = program::corun(arguments, stdin.to_string().as_bytes());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn run(experiment: &Value) -> Value {
    serde_json::from_str(&done(&["run", "-", "--json", "--no-store"], experiment)).expect("JSON")
}

/// A recording of a sample.
fn sample(folder: &Path, name: &str) -> String {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/tests/samples").join(name);
    let file = path(folder, "sample.corun");
    done(&["import", "accelsim", &from.to_string_lossy(), "--out", &file], &Value::Null);
    file
}

fn number(result: &Value, name: &str) -> f64 {
    result["kernels"][0][name].as_f64().unwrap_or_else(|| panic!("no {name}"))
}

/// What is described, exported, imported and run has the described kernel's instructions but for each warp's EXIT, meets as much in L2, and takes as
/// long. Latencies are the GPU's: arithmetic that is described with twice its latency is faster when it is recorded.
#[test]
fn a_recording_runs_as_the_kernel_that_it_was_made_from() {
    let folder = folder("alike");
    let streams = json!({ "loop": { "trips": 6, "body": [
        { "load": { "array": "a", "cta": 3072, "warp": 768, "lane": 4, "loops": [128] } },
        { "load": { "array": "b", "scatter": { "warp": 262_144 } } },
        { "wait": { "loads": 0 } }, { "alu": { "count": 12 } },
        { "store": { "array": "a", "cta": 3072, "warp": 768, "lane": 4, "loops": [128] } }] } });
    let shares = json!({ "loop": { "trips": 6, "body": [
        { "load": { "array": "a", "cta": 3072, "warp": 768, "lane": 4, "loops": [128] } },
        { "wait": { "loads": 0 } }, { "shared": { "count": 8 } }, "barrier", { "alu": { "count": 4 } }, { "sfu": {} }] } });
    let slow = json!({ "loop": { "trips": 6, "body": [{ "alu": { "count": 100, "latency": 8 } }] } });
    for (name, ctas, body, ratios) in
        [("streams", 300, streams, 0.95..1.05), ("shares", 300, shares, 0.95..1.05), ("slow", 30, slow, 0.45..0.6)]
    {
        let kernel = json!({ "name": name, "arrays": [{ "name": "a", "bytes": 4_194_304 }, { "name": "b", "bytes": 1_048_576 }],
                             "launches": [{ "ctas": ctas, "threads": 128, "registers": 32, "shared_bytes": 4096, "program": [body] }] });
        let mix = |kernel: Value| {
            json!({ "corun": 1, "gpu": "rtx2060-30sm", "kernels": [kernel], "policy": "leftover", "alone": false, "restart": false,
                    "stop": { "kernels_done": true } })
        };
        let exported = path(&folder, name);
        done(&["export", "accelsim", "-", "--tracez", "--out", &exported], &mix(kernel.clone()));
        let file = path(&folder, &format!("{name}.corun"));
        done(&["import", "accelsim", &format!("{exported}/kernelslist.g"), "--out", &file], &Value::Null);
        let runs = [run(&mix(kernel)), run(&mix(json!(format!("@{file}"))))];
        let [a, b] = [0, 1].map(|n| number(&runs[n], "warp_instructions"));
        assert_eq!(a + f64::from(4 * ctas), b, "{name}");
        let cycles = [0, 1].map(|n| runs[n]["cycles"].as_f64().expect("cycles"));
        assert!(ratios.contains(&(cycles[1] / cycles[0])), "{name}: {cycles:?}");
        let misses = [0, 1].map(|n| runs[n]["kernels"][0]["l2_miss_rate"].as_f64().unwrap_or(0.0));
        assert!((misses[0] - misses[1]).abs() < 0.02, "{name}: {misses:?}");
    }
}

#[test]
fn a_recorded_kernel_runs_under_every_kind_of_scheme() {
    let folder = folder("schemes");
    let file = sample(&folder, "kernel-1.v5.traceg");
    let mut digests = Vec::new();
    for (gpu, policy) in [
        ("ccbp-16sm", json!("leftover")),
        ("ccbp-16sm", json!("even")),
        ("ccbp-16sm", json!("spatial")),
        ("ccbp-16sm", json!("smk")),
        ("ccbp-16sm", json!("ws+mil")),
        ("ccbp-16sm", json!("ccbp")),
        ("ccbp-16sm", json!({ "name": "time-slice", "slice": 5000 })),
        ("ccbp-16sm", json!({ "name": "priority", "level": [-1, 0] })),
        ("rtx2060-30sm", json!({ "name": "mps", "percentage": [50, 50] })),
    ] {
        let mix = json!({ "corun": 1, "gpu": gpu, "kernels": [format!("@{file}"), "ccbp/BP"], "policy": policy, "alone": false,
                          "stop": { "cycles": 12000 } });
        let result = run(&mix);
        assert!(number(&result, "warp_instructions") > 100.0, "{policy}: {result}");
        digests.push(result["digest"].clone());
        assert_eq!(run(&mix)["digest"], result["digest"], "{policy}: again");
    }
    digests.sort_by_key(Value::to_string);
    digests.dedup();
    assert!(digests.len() >= 8, "schemes differ");
}

#[test]
fn streams_are_kernels_and_a_number_takes_one_launch() {
    let folder = folder("streams");
    let exported = path(&folder, "two");
    let small = json!({ "name": "k", "arrays": [{ "name": "a", "bytes": 65536 }], "launches": [
        { "ctas": 3, "threads": 64, "program": [{ "load": { "lane": 4 } }, { "wait": {} }] }, { "ctas": 2, "threads": 32, "program": [{ "alu": { "count": 9 } }] }] });
    let two = json!({ "corun": 1, "gpu": "tiny-2sm", "kernels": [small, small] });
    done(&["export", "accelsim", "-", "--out", &exported], &two);
    let file = path(&folder, "two.corun");
    done(&["import", "accelsim", &format!("{exported}/kernelslist.g"), "--out", &file], &Value::Null);
    let of = |kernels: Value| {
        let experiment = json!({ "corun": 1, "gpu": "tiny-2sm", "kernels": kernels, "alone": false, "stop": { "cycles": 5000 } });
        let explained: Value = serde_json::from_str(&done(&["explain", "-", "--json"], &experiment)).expect("JSON");
        let result = run(&experiment);
        let names: Vec<&str> =
            result["kernels"].as_array().expect("kernels").iter().filter_map(|kernel| kernel["kernel"].as_str()).collect();
        assert!(explained["config_hash"].is_string());
        (names.join(" "), result)
    };
    let (names, whole) = of(json!([format!("@{file}")]));
    assert_eq!(names, "two.1 two.2", "{whole}");
    let (names, one) = of(json!([{ "kernel": format!("@{file}#3"), "ctas_per_sm": 1 }, "ccbp/BP"]));
    assert_eq!(names, "two ccbp/BP", "{one}");
}

#[test]
fn what_cannot_run_is_named() {
    let folder = folder("bad");
    let file = sample(&folder, "kernel-1.v5.traceg");
    let refused = |experiment: &Value, arguments: &[&str]| {
        let output = program::corun(&[&["run", "-", "--no-store"], arguments].concat(), experiment.to_string().as_bytes());
        assert_eq!(output.status.code(), Some(2), "{experiment}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let mix = |kernel: Value| json!({ "corun": 1, "gpu": "tiny-2sm", "kernels": [kernel], "alone": false, "stop": { "cycles": 2000 } });
    for (kernel, said) in [
        (json!("@nothing.corun"), "nothing.corun: No such file"),
        (json!(format!("@{file}#7")), "found kernel 7, want one that it has: 1"),
        (json!(format!("@{file}#x")), "want @FILE.corun, or @FILE.corun#ID"),
    ] {
        let problem = refused(&mix(kernel), &[]);
        assert!(problem.contains(said), "{problem}");
    }
    // By its hash it is the same kernel, if its file stands beside it.
    let sized = json!({ "corun": 1, "gpu": "tiny-2sm", "kernels": [format!("@{file}")], "alone": false, "stop": { "cycles": 2000 } });
    let digest = run(&sized)["digest"].clone();
    let explained: Value = serde_json::from_str(&done(&["explain", "-", "--json"], &sized)).expect("JSON");
    let experiment = &explained["experiment"];
    assert!(experiment.is_object(), "{explained}");
    let problem = refused(experiment, &[]);
    assert!(problem.contains("which is not here, want its file: --recording FILE.corun"), "{problem}");
    let output = program::corun(&["run", "-", "--json", "--no-store", "--recording", &file], experiment.to_string().as_bytes());
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["digest"], digest);
    // A link that asks for more than it has.
    let mut more = experiment.clone();
    more["kernels"][0]["kernel"]["launches"][0]["ctas"] = 100.into();
    let problem = refused(&more, &["--recording", &file]);
    assert!(problem.contains("kernels[0].launches[0].recorded: found 100 CTAs of 4 warps"), "{problem}");
}

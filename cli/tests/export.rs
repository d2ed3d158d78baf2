//! Does what `corun export accelsim` writes have the described kernel's own memory accesses?

use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::plan::SoloProfiles;
use sim_core::run::simulation::{Reason, Simulation};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two launches, one of them twice, with everything that a program can hold.
const EXPERIMENT: &str = r#"{ "corun": 1, "name": "all", "gpu": "tiny-2sm", "stop": { "kernels_done": true }, "kernels": [
  { "name": "mine", "lists": [{ "name": "degrees", "values": [0, 3, 1] }],
    "arrays": [{ "name": "a", "bytes": 1048576 }, { "name": "b", "bytes": 4194304 }],
    "launches": [{ "repeat": 2, "launches": [
      { "grid": [3, 2], "threads": 96, "registers": 24, "shared_bytes": 2048, "program": [
        { "loop": { "trips": 5, "body": [
          { "load": { "array": "a", "cta": 4096, "warp": 128, "lane": 4, "loops": [1024] } },
          { "load": { "array": "b", "cta": 4096, "lane": 132, "lanes": 20, "loops": [512], "repeat": 8192 } },
          { "wait": { "loads": 1 } },
          { "alu": { "count": 3, "latency": 4 } },
          { "shared": { "count": 2, "stride": 3 } },
          "barrier",
          { "store": { "array": "b", "cta": 4096, "warp": 128, "lane": 8, "loops": [1024], "lanes": 16 } } ] } },
        { "loop": { "trips": { "listed_per_warp": "degrees" }, "body": [{ "alu": { "count": 2, "latency": 1, "lanes": 3 } }] } },
        { "sfu": { "count": 2 } }, { "fp64": { "count": 2 } }, { "sleep": { "cycles": 10 } } ] },
      { "ctas": 5, "threads": 64, "registers": 16, "program": [
        { "loop": { "trips": { "per_warp": [1, 4] }, "body": [
          { "load": { "array": "b", "scatter": { "lane": 4194304 } } },
          { "wait": { "loads": 0 } },
          { "atomic": { "array": "a", "lane": 4, "scatter": { "warp": 65536 }, "lanes": 7 } } ] } } ] } ] }] }] }"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn corun(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corun")).current_dir(folder).args(arguments).output().expect("the program starts")
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = corun(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn of(kernel: &Value, name: &str) -> i64 {
    kernel.get(name).and_then(Value::as_int).unwrap_or(0)
}

#[test]
fn an_export_has_the_described_kernels_accesses() {
    let folder = folder("accesses");
    fs::write(folder.join("mine.json"), EXPERIMENT).expect("a file");
    let experiment = Experiment::decode(&Value::from_json(EXPERIMENT).expect("JSON")).expect("an experiment");
    let mut simulation = Simulation::with(&experiment, &SoloProfiles::default()).expect("it can run");
    while simulation.advance(100_000) == Reason::Budget {}
    let run = &simulation.totals()[0];
    for (form, option) in [("traceg", None), ("tracez", Some("--tracez"))] {
        let arguments = ["export", "accelsim", "mine.json", "--out", form];
        let said = done(&folder, &arguments.into_iter().chain(option).collect::<Vec<_>>());
        assert!(said.starts_with(&format!("{form}/kernelslist.g: 4 launches, ")), "{said}");
        let list = fs::read_to_string(folder.join(form).join("kernelslist.g")).expect("a list");
        assert_eq!(list, (1..=4).map(|n| format!("kernel-{n}.{form}\n")).collect::<String>());
        let file = format!("{form}.corun");
        done(&folder, &["import", "accelsim", &format!("{form}/kernelslist.g"), "--strict", "--out", &file]);
        let recording = Value::from_json(&done(&folder, &["show", &file, "--json"])).expect("JSON");
        let Some(Value::Array(kernels)) = recording.get("kernels") else { panic!("no kernels") };
        let sum = |name: &str| kernels.iter().map(|kernel| of(kernel, name)).sum::<i64>() as u64;
        let by = |stems: &[&str]| {
            let count = |kernel| stems.iter().map(|stem| of(Value::get(kernel, "by_opcode").expect("opcodes"), stem)).sum::<i64>();
            kernels.iter().map(count).sum::<i64>() as u64
        };
        assert_eq!(kernels.len(), 4);
        assert_eq!(sum("ctas"), 22);
        // A description's warps end without an instruction.
        assert_eq!(by(&["EXIT"]), sum("warps"));
        assert_eq!(sum("instructions") - sum("warps"), run.warp_instructions);
        assert_eq!(sum("active_lanes") - 32 * sum("warps"), run.thread_instructions);
        assert_eq!((by(&["LDG"]), by(&["STG", "RED"])), (run.load_instructions, run.store_instructions));
        assert_eq!(sum("line_accesses"), run.l1_reads + run.l1_writes);
        assert!(
            by(&["RED"]) > 0 && by(&["LDS"]) > 0 && by(&["BAR"]) > 0 && by(&["NANOSLEEP"]) > 0 && by(&["DFMA"]) > 0 && by(&["MUFU"]) > 0
        );
        assert_eq!(["threads", "registers", "shared_bytes", "stream"].map(|name| of(&kernels[0], name)), [96, 24, 2048, 0]);
    }
    // Both forms say the same.
    let shown = ["traceg", "tracez"].map(|form| done(&folder, &["show", &format!("{form}.corun"), "--json"]));
    assert_eq!(shown[0], shown[1]);
}

/// Accel-Sim stops at an instruction that reads more than four registers. All that a wait is for is read nevertheless.
#[test]
fn no_instruction_reads_more_registers_than_accel_sim_takes() {
    let folder = folder("sources");
    let kernel = r#"{ "corun": 1, "gpu": "tiny-2sm", "kernels": [{ "name": "five", "arrays": [{ "name": "a", "bytes": 65536 }], "launches": [
      { "ctas": 1, "threads": 32, "program": [{ "load": { "lane": 4 } }, { "load": { "lane": 8 } }, { "load": { "lane": 16 } }, { "load": { "lane": 32 } },
        { "load": { "lane": 64 } }, { "wait": {} }, { "alu": { "count": 3 } }, { "shared": {} }, { "store": { "lane": 4 } }] }] }] }"#;
    fs::write(folder.join("five.json"), kernel).expect("a file");
    done(&folder, &["export", "accelsim", "five.json", "--out", "d"]);
    let text = fs::read_to_string(folder.join("d/kernel-1.traceg")).expect("a trace");
    let (mut loaded, mut read) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| line.contains(" ffffffff ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let opcode = if words[2] == "0" { 3 } else { 4 };
        let sources: usize = words[opcode + 1].parse().expect("a number of sources");
        assert!(sources <= 4, "{line}");
        read.extend(words[opcode + 2..][..sources].iter().map(|word| (*word).to_owned()));
        if words[opcode].starts_with("LDG") {
            loaded.push(words[3].to_owned());
        }
    }
    assert_eq!(loaded.len(), 5);
    assert!(loaded.iter().all(|register| read.contains(register)), "{loaded:?} {read:?}");
}

#[test]
fn what_cannot_be_exported_is_named() {
    let folder = folder("bad");
    fs::write(folder.join("file"), "").expect("a file");
    for (arguments, said) in [
        (&["export", "accelsim", "nothing.json", "--out", "d"][..], "(file): found nothing.json: No such file or directory"),
        (&["export", "accelsim", "tiny-bp-sad", "--out", "file"], "--out: found file: "),
        (&["export", "accelsim", "tiny-bp-sad"], "--out <DIR>"),
    ] {
        let output = corun(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let problem = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(problem.contains(said), "{problem}");
    }
}

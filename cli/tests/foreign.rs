//! Does a file of another tool get one line: what it is, and what can be done with it?

mod program;

use flate2::{Compression, write::GzEncoder};
use program::corun;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const KINETO: &str = r#"{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "numSms": 108}], "traceEvents": [
 {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 0, "dur": 71, "args": {"grid": [864, 1, 1], "block": [256, 1, 1]}}]}"#;
const TIMELINE: &str = "`corun import timeline FILE` reads it";
const LAUNCHES: &str = "no command reads it yet: its grids, blocks, registers and shared memory go into the `launches` of a kernel";

fn packed(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).expect("memory");
    packer.finish().expect("memory")
}

/// A folder with a file of this content.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("corun-foreign-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder of the test");
    let file = folder.join(name);
    fs::write(&file, content).expect("a file of the test");
    file
}

/// What a command says of it.
fn said(arguments: &[&str], file: &Path) -> String {
    let output = corun(&[arguments, &[file.to_str().expect("a path that is text")]].concat(), b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_file_of_another_tool_gets_one_line() {
    let traced = "found a trace of PyTorch's profiler (Kineto)";
    let tables = [
        ("trace.json", KINETO.as_bytes().to_vec(), traced.to_owned(), TIMELINE),
        ("trace.json.gz", packed(KINETO), format!("{traced}, packed with gzip"), TIMELINE),
        ("other.gz", packed("anything"), "found a gzip archive".into(), "unpack it first; what is in it may be another tool's"),
        (
            "ncu.csv",
            b"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\"\n\"0\",\"1\",\"app\",\"host\",\"gemm\",\"1\"\n".to_vec(),
            "found a table of Nsight Compute".into(),
            LAUNCHES,
        ),
        (
            "app.nsys-rep",
            b"\x00\xff".to_vec(),
            "found a report of Nsight Systems".into(),
            "`nsys stats --report cuda_gpu_trace --format csv FILE` prints its launches, which `corun import timeline` reads",
        ),
        (
            "foreign.json",
            br#"{"name": "llama3", "sm_count": 170, "kernels": {}, "launches": [{"k": "a"}]}"#.to_vec(),
            "found a timeline of GPU-interfere".into(),
            "its launches have no registers; `nsys stats --report cuda_gpu_trace --format csv` of its .nsys-rep prints all that \
             `corun import timeline` takes",
        ),
    ];
    for (name, content, found, takes) in tables {
        let file = file(name, &content);
        for (command, want) in [
            (&["run"][..], "an experiment"),
            (&["explain"], "an experiment"),
            (&["predict"], "a prediction"),
            (&["show"], "a result"),
            (&["silicon"], "times of a GPU"),
        ] {
            // It takes a timeline as it is.
            if command == ["explain"] && takes == TIMELINE {
                continue;
            }
            assert_eq!(said(command, &file), format!("(file): {found}, want {want}; {takes}\n"), "{command:?} {name}");
        }
    }
    // No more of a long file is read than says what it is.
    let long = file("long.json", (KINETO.to_owned() + &" ".repeat(8 << 20)).as_bytes());
    assert!(said(&["run"], &long).contains(traced));
    // And what silicon/interfere.cu measured is Corun's own.
    let times = file("times.csv", b"# corun silicon 1\n# gpu: NVIDIA H100 80GB HBM3\n");
    assert_eq!(said(&["run"], &times), "(file): found times of a GPU, want an experiment; `corun silicon FILE` reads them\n");
}

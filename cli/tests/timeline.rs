//! Does a timeline of a real program say what ran, is it the same when it is written, and does bad input leave nothing behind?

mod program;

use program::corun;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("timeline").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn sample(name: &str) -> String {
    format!("{}/../timelines/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// What an import prints, and what it says besides.
fn imported(arguments: &[&str]) -> (String, String) {
    let output = corun(&[&["import", "timeline"], arguments].concat(), b"");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{said}");
    (String::from_utf8(output.stdout).expect("text"), said)
}

fn refused(arguments: &[&str]) -> String {
    let output = corun(arguments, b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_timeline_says_what_ran_and_is_the_same_when_it_is_written() {
    let folder = folder("written");
    let file = folder.join("ddp.json");
    let file = file.to_str().expect("a path that is text");
    let (printed, said) = imported(&[&sample("kineto_ddp_a100.json.gz"), "--out", file]);
    assert!(
        said.contains("within a point of it for 144 of 144 kernels. It says 0 of 50 with more than 48 KB of shared memory.\n"),
        "{said}"
    );
    let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "from PyTorch's profiler (Kineto)",
        "GPU 0 NVIDIA A100-PG509-200, 108 SMs",
        "streams 7, 40",
        "launches 2,700",
        "kernels 194, by name and shape",
        "taken as a100-40gb",
        "ncclKernel_AllReduce_RING_LL_Sum_float 15 46.8 ms 2.52 ms 8 544 96 87,568 1 registers 0.07 93 %",
        "573 pairs of kernels on different streams; overlapping: 49; apart in time: 523",
        "32 kernels were measured alone and beside others",
        "The largest loss: For 77 % of 661 ms, the GPU runs no kernel",
    ] {
        assert!(words.contains(part), "{part}: {printed}");
    }
    assert_eq!(imported(&[file]), (printed, said));
    assert_eq!(
        refused(&["run", file]),
        "(file): found launches of a real program, want an experiment; `corun import timeline FILE` prints them\n"
    );
}

/// What a file and what was made of it have measured is one; another engine's rows go, a GPU's stay.
#[test]
fn a_store_keeps_what_co_runs_cost_on_a_gpu() {
    let folder = folder("store");
    let path = |name: &str| folder.join(name).to_str().expect("a path that is text").to_owned();
    let (store, launches) = (path("kept"), path("launches.json"));
    let ddp = sample("kineto_ddp_a100.json.gz");
    let printed = imported(&[&ddp, "--out", &launches, "--store", &store]).0;
    let row = "bn_bw_1C11_kernel_new (1024 CTAs) 79.9 µs of 15 1.10 (1.10 to 1.20) of 6";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&printed).contains("of cases (10 of 37): kernel alone beside ncclKernel"), "{printed}");
    assert!(words(&printed).contains(row), "{printed}");
    imported(&[&launches, "--store", &store]);
    let rows = |folder: &str| {
        let of = |entry: std::io::Result<fs::DirEntry>| fs::read_dir(entry.expect("an entry").path()).expect("rows").count();
        fs::read_dir(folder).expect("a store").map(of).collect::<Vec<_>>()
    };
    assert_eq!(rows(&store), [37]);
    let kept = |more: &[&str]| {
        let output = corun(&[&["store", "--store", &store], more].concat(), b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    fs::create_dir(folder.join("kept/0123456789abcdef")).expect("another engine");
    assert!(words(&kept(&["--prune"])).contains("removed rows KB engine 0123456789abcdef 0 0 kept rows KB a GPU, file "));
    let measured = kept(&["--measured"]);
    assert!(measured.starts_with("NVIDIA A100-PG509-200, file ") && words(&measured).contains(row), "{measured}");
    assert_eq!(measured.lines().filter(|line| line.contains(" to ")).count(), 32, "{measured}");
    // A GPU without co-runs leaves nothing.
    let (_, said) = imported(&[&sample("kineto_alexnet_a100.json.gz"), "--store", &store]);
    assert!(said.contains("note: no kernel was seen three times beside others of a name: nothing is kept in the store\n"), "{said}");
    assert_eq!(rows(&store), [37]);
}

/// Why two transforms of AlexNet overlap for half of their time only, on the GPU of the file and on another.
#[test]
fn explain_says_why_streams_do_not_overlap() {
    let (file, experiment) = (sample("kineto_alexnet_a100.json.gz"), "bp-cfd-even");
    let explained = |arguments: &[&str]| {
        let output = corun(&[&["explain"], arguments].concat(), b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(explained(&[&file]), imported(&[&file]).0);
    let printed = explained(&[&file]);
    let pair = "fft2d_r2c_32x32 (768 CTAs) and fft2d_r2c_32x32 (512 CTAs) overlap for 48 % of the shorter one's time: the first holds all registers until \
                its last wave.\n  places of the second beside the first, by streams: 96 CTAs in its last wave; priority: with each CTA that ends; ";
    assert!(printed.contains(pair), "{printed}");
    let json: serde_json::Value = serde_json::from_str(&explained(&[&file, "--gpu", "h200", "--json"])).expect("JSON");
    assert_eq!(json["gpus"][0]["described"], "h200-sxm, as asked for");
    for (arguments, found) in [
        (&["explain", &file, "--set", "gpu=h200"][..], "--set: found a timeline"),
        (&["explain", experiment, "--gpu", "h200"], "--gpu: found h200, want a timeline"),
        (&["explain", &file, "--gpu", "hetero-8b8s"], "--gpu: found hetero-8b8s, which has 2 classes of SMs"),
        (&["import", "timeline", &file, "--gpu", "h2000"], "--gpu: found \"h2000\", want one of ccbp-16sm, "),
    ] {
        assert!(refused(arguments).starts_with(found), "{arguments:?}: {}", refused(arguments));
    }
}

#[test]
fn what_is_missing_is_said_beside_what_is_there() {
    let folder = folder("cut");
    let whole = fs::read(sample("kineto_alexnet_a100.json.gz")).expect("a sample");
    let file = folder.join("cut.json.gz");
    fs::write(&file, &whole[..whole.len() * 9 / 10]).expect("a file");
    let (printed, said) = imported(&[file.to_str().expect("a path that is text")]);
    assert!(printed.contains("launches"), "{printed}");
    assert!(said.contains("note: The file ends early, behind launch "), "{said}");
}

#[test]
fn what_is_no_timeline_leaves_nothing() {
    let folder = folder("refused");
    let path = |name: &str| folder.join(name).to_str().expect("a path that is text").to_owned();
    fs::write(path("other.json"), "{\"a\": 1}").expect("a file");
    fs::write(path("kept"), "what was there").expect("a file");
    let said = refused(&["import", "timeline", &path("other.json"), "--out", &path("kept")]);
    assert!(said.contains("other.json: found JSON without `traceEvents`, want a trace of PyTorch's profiler, or a table"), "{said}");
    assert!(refused(&["import", "timeline", &path("none.json")]).starts_with("(file): found "));
    assert!(refused(&["import", "timeline", &path("kept"), "--out", &path("kept")]).contains("where the input is"));
    assert_eq!(fs::read(path("kept")).expect("the file"), b"what was there");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 2);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_an_import_that_leaves_nothing() {
    use std::process::{Command, Stdio};
    let folder = folder("stopped");
    fs::write(folder.join("long.json"), format!("{{\"traceEvents\": [{}", "{\"a\": [1]}, ".repeat(8 << 20))).expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_corun"));
    let arguments = ["import", "timeline", "long.json", "--out", "out"];
    let mut child = child.current_dir(&folder).args(arguments).stderr(Stdio::piped()).spawn().expect("the program starts");
    // As soon as there is something to be left over.
    while fs::read_dir(&folder).expect("the folder").count() == 1 {
        assert!(child.try_wait().expect("a child").is_none(), "it was done before it could be stopped");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("`kill` starts").success());
    let output = child.wait_with_output().expect("a child");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "stopped: while long.json was read; nothing is written\n");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
}

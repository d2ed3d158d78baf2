//! How fast is a trace of PyTorch's profiler read, and in how much memory, next to Python's `json` on the same file?
//!
//! `cargo run --release -p corun-timelines --example speed -- [MEGABYTES] [PAIRS]` writes a trace of this size, mostly events of the host as real
//! ones are, and reads it in pairs: both of a pair meet the same busy moment of the machine. `cargo xtask bench --timelines MEGABYTES` prints this and the
//! page's speed, of a file that `--write FILE MEGABYTES` leaves.

use corun_timelines::read;
use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use wait4::Wait4;

type Done<T> = Result<T, Box<dyn Error>>;

/// What makes the program read a file itself.
const READ: &str = "--read";

/// What makes it write one.
const WRITE: &str = "--write";

fn main() -> Done<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [read, file] = &arguments[..]
        && read == READ
    {
        let timeline = read::timeline(File::open(file)?, file).map_err(|problem| problem.to_string())?;
        println!("{} launches, {} kernels", timeline.launches.len(), timeline.kernels.len());
        return Ok(());
    }
    if let [write_only, file, megabytes] = &arguments[..]
        && write_only == WRITE
    {
        write(Path::new(file), megabytes.parse::<u64>()? * 1_000_000)?;
        return Ok(());
    }
    let number = |at: usize, default: u64| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let (megabytes, pairs) = (number(0, 1000)?, number(1, 5)?.max(1));
    let file = env::temp_dir().join(format!("corun-speed-{}.json", std::process::id()));
    let measured = write(&file, megabytes * 1_000_000).and_then(|bytes| measure(&file, bytes, pairs));
    std::fs::remove_file(&file)?;
    measured
}

fn measure(file: &Path, bytes: u64, pairs: u64) -> Done<()> {
    println!("{:.0} MB; each pair: MB a second of processor time, and most memory\n", bytes as f64 / 1e6);
    let mut ratios = Vec::new();
    for _ in 0..pairs {
        let ours = run(Command::new(env::current_exe()?).arg(READ).arg(file))?;
        let shown = |(seconds, memory): (f64, f64)| format!("{:4.0} MB/s {memory:6.0} MB", bytes as f64 / 1e6 / seconds);
        print!("corun {}", shown(ours));
        match run(Command::new("python3").args(["-c", "import json, sys; json.load(open(sys.argv[1]))"]).arg(file)) {
            Ok(theirs) => {
                println!("   python {}", shown(theirs));
                ratios.push((theirs.0 / ours.0, theirs.1 / ours.1));
            }
            // Of a large file Python may have too little memory.
            Err(why) => println!("   python: {why}"),
        }
    }
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    if !ratios.is_empty() {
        let (faster, smaller): (Vec<f64>, Vec<f64>) = ratios.into_iter().unzip();
        println!("\nmedian: {:.1} times as fast, in 1/{:.0} of the memory", median(faster), median(smaller));
    }
    Ok(())
}

/// Processor seconds of a program, and the most megabytes that it held.
fn run(command: &mut Command) -> Done<(f64, f64)> {
    let ended = command.stdout(Stdio::null()).spawn()?.wait4()?;
    if !ended.status.success() {
        return Err(format!("{command:?} failed").into());
    }
    let used = ended.rusage;
    Ok(((used.utime + used.stime).as_secs_f64(), used.maxrss as f64 / 1e6))
}

/// Operators of the host that launch one kernel.
const OPERATORS: u64 = 12;

/// Writes a trace; says how long it became.
fn write(file: &Path, bytes: u64) -> Done<u64> {
    let mut out = Counted { file: BufWriter::new(File::create(file)?), bytes: 0 };
    write!(
        out,
        r#"{{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108, "computeMajor": 8, "computeMinor": 0}}],
  "displayTimeUnit": "ms", "traceEvents": ["#
    )?;
    let mut launch = 0u64;
    while out.bytes < bytes {
        let microseconds = 1_745_263_461_938_401 + 31 * launch;
        for operator in 0..OPERATORS {
            let at = microseconds + operator;
            write!(
                out,
                r#"
  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::empty_strided", "pid": 4242, "tid": 4242,
    "ts": {at}.125, "dur": 1.875,
    "args": {{
      "External id": {launch},"Record function id": 0, "Input Dims": [[], [], [], [{operator}, 128], []], "Input type": ["ScalarList", "", "Device", ""], "Ev Idx": {at}
    }}
  }},"#
            )?;
        }
        let (grid, stream) = (1 + launch % 97, if launch.is_multiple_of(40) { 20 } else { 7 });
        write!(
            out,
            r#"
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242,
    "ts": {microseconds}.500, "dur": 4.750,
    "args": {{ "External id": {launch}, "cbid": 211, "correlation": {launch} }}
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int, float*)", "pid": 0, "tid": {stream},
    "ts": {microseconds}.999, "dur": 11.008,
    "args": {{
      "External id": {launch}, "queued": 0, "device": 0, "context": 1, "stream": {stream}, "correlation": {launch},
      "registers per thread": 32, "shared memory": 0, "blocks per SM": 1.5, "warps per SM": 6, "grid": [{grid}, 1, 1], "block": [128, 1, 1],
      "est. achieved occupancy %": 9
    }}
  }},
  {{
    "ph": "f", "id": {launch}, "pid": 0, "tid": {stream}, "ts": {microseconds}.999, "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},"#
        )?;
        launch += 1;
    }
    writeln!(out, r#"{{"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 1}}]}}"#)?;
    out.flush()?;
    Ok(out.bytes)
}

/// A file, and how much has been written.
struct Counted {
    file: BufWriter<File>,
    bytes: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

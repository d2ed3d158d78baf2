//! The latency prediction paper (Masola et al., JSSPP 2023). Does each kernel stay on the range of SMs that it was given, run once, and
//! say when it finished? Do the paper's kernels have the shapes, the bytes and the accesses that it prints? Nothing here looks at how
//! kernels share.

use sim_core::describe::gpu::{occupancy, presets};
use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::{Kernel, library};
use sim_core::describe::value::Value;
use sim_core::interface::ratios::dram_bytes_per_cycle;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};

fn start(text: &str) -> Simulation {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let experiment = Experiment::decode(&value).unwrap_or_else(|problems| panic!("{text}:\n{problems}"));
    Simulation::new(&experiment).unwrap_or_else(|problems| panic!("{text}:\n{problems}"))
}

/// Kernels that run once, each on its range of SMs.
fn apart(gpu: &str, kernels: &str, first: &str, split: &str) -> Simulation {
    start(&format!(
        r#"{{ "corun": 1, "gpu": "{gpu}", "kernels": [{kernels}], "policy": {{ "name": "spatial", "first": {first}, "split": {split} }},
              "warp_order": "gto", "restart": false, "stop": {{ "kernels_done": true }}, "alone": false }}"#
    ))
}

/// A kernel that computes without memory.
fn compute(name: &str, ctas: u32, instructions: u32) -> String {
    format!(
        r#"{{ "name": "{name}", "launches": [{{ "ctas": {ctas}, "threads": 64, "registers": 16,
              "program": [{{ "alu": {{ "count": {instructions}, "latency": 20 }} }}] }}] }}"#
    )
}

/// A number of a kernel in the result of a run.
fn of_kernel(result: &Value, kernel: usize, key: &str) -> Option<f64> {
    let Some(Value::Array(kernels)) = result.get("kernels") else { panic!("a result has kernels") };
    kernels[kernel].get(key).and_then(Value::as_f64)
}

/// A short kernel beside a long one: each runs once on its own SMs, the short one's stay empty after it, and each ends when it ends alone.
#[test]
fn freed_sms_stay_idle_and_each_kernel_says_when_it_finished() {
    let (long, short) = (compute("long", 60, 4000), compute("short", 600, 50));
    let kernels = format!("{long}, {short}");
    let mut run = apart("rtx2060-30sm", &kernels, "[20, 3]", "[5, 10]");
    run.machine_mut().record_events = true;
    assert_eq!(run.advance(u64::MAX), Reason::KernelsDone);
    let events = &run.machine().events;
    let on = |kernel: u8| events.iter().filter(move |event| event.placed && event.kernel == KernelId(kernel)).map(|event| event.sm);
    assert_eq!((on(0).count(), on(1).count()), (60, 600), "each once");
    assert!(on(0).all(|sm| (20..25).contains(&sm)) && on(1).all(|sm| (3..13).contains(&sm)));
    let result = run.result();
    let finished = |kernel| of_kernel(&result, kernel, "finished_at").expect("it has ended");
    assert!(finished(1) < 0.5 * finished(0) && finished(0) == run.cycle() as f64);
    assert!((of_kernel(&result, 0, "finished_at_ms").unwrap() - finished(0) / 1.365e6).abs() < 1e-9);
    for (kernel, (alone, first, split)) in [(long, "[20]", "[5]"), (short, "[3]", "[10]")].into_iter().enumerate() {
        let mut run = apart("rtx2060-30sm", &alone, first, split);
        run.advance(u64::MAX);
        assert_eq!(run.cycle() as f64, finished(kernel), "kernels without memory do not meet");
    }
}

/// A kernel that has not ended says nothing, and of one that runs again and again the last end counts.
#[test]
fn who_has_not_finished_has_no_time() {
    let kernels = format!("{}, {}", compute("long", 60, 4000), compute("short", 6, 50));
    let mut run = start(&format!(
        r#"{{ "corun": 1, "gpu": "rtx2060-30sm", "kernels": [{kernels}], "policy": "spatial", "stop": {{ "cycles": 5000 }} }}"#
    ));
    run.advance(u64::MAX);
    let result = run.result();
    assert_eq!(of_kernel(&result, 0, "finished_at"), None);
    assert!((4000.0..5000.0).contains(&of_kernel(&result, 1, "finished_at").unwrap()));
}

/// What no schema can see: first SMs without a split or for another number of kernels, lines that are no power of two, flits between two sizes.
#[test]
fn ranges_and_lines_that_fit_nothing_are_named() {
    let paths = |gpu: &str, policy: &str| {
        let text = format!(r#"{{ "corun": 1, "gpu": {gpu}, "kernels": ["ccbp/BP", "ccbp/SAD"], "policy": {policy} }}"#);
        let problems = Experiment::decode(&serde_json::from_str(&text).unwrap()).expect_err(&text);
        problems.0.into_iter().map(|problem| problem.path).collect::<Vec<_>>()
    };
    let preset = r#""rtx2060-30sm""#;
    assert_eq!(paths(preset, r#"{ "name": "spatial", "first": [0, 1] }"#), ["policy.first"]);
    assert_eq!(paths(preset, r#"{ "name": "spatial", "split": [1, 1], "first": [0] }"#), ["policy.first"]);
    assert_eq!(paths(r#"{ "preset": "rtx2060-30sm", "noc.flit_bytes": 36 }"#, r#""even""#), ["gpu.noc.flit_bytes"]);
    let line = paths(r#"{ "preset": "rtx2060-30sm", "l2.line_bytes": 96, "noc.flit_bytes": 104 }"#, r#""even""#);
    assert_eq!(line, ["gpu.sm.l1.bytes", "gpu.l2.bank_bytes", "gpu.l2.line_bytes"]);
}

/// Table 2: kernel, input and output MiB, shared memory, CTAs, threads, KAI; and CTAs that an SM holds, which follows.
const TABLE_2: [(&str, f64, u32, u32, u32, f64, u32); 8] = [
    ("VADD", 120.0, 0, 81_920, 128, 0.056, 8),
    ("SAXPY", 120.0, 0, 81_920, 128, 0.059, 8),
    ("COPY", 80.0, 0, 81_920, 128, 0.064, 8),
    ("RAYTRACE", 1.5234, 0, 104 * 80, 64, 3.575, 16),
    ("DXTC", 0.753, 1536, 46, 512, 149.265, 1),
    ("CONV", 80.0, 128, 327_680, 32, 0.291, 32),
    ("MVT", 64.06, 0, 64, 64, 0.015, 16),
    ("PF", 257.0, 2048, 1024, 256, 0.475, 4),
];

fn kernel(name: &str) -> Kernel {
    library::find(&format!("latency/{name}")).unwrap_or_else(|| panic!("no kernel {name}"))
}

#[test]
fn shapes_are_those_of_table_2() {
    let gpu = presets::find("rtx2060-30sm").unwrap();
    for (name, mib, shared_bytes, ctas, threads, _, fit) in TABLE_2 {
        let kernel = kernel(name);
        for launch in &kernel.launches {
            assert_eq!((launch.shared_bytes, launch.ctas(), launch.threads), (shared_bytes, ctas, threads), "{name}");
            assert_eq!(occupancy::of(launch, &gpu.sms[0]).ctas, fit, "{name}");
        }
        // The scene of RAYTRACE is made on the device, and the table of PF's 512 rows is one array.
        let bytes: u64 = kernel.arrays.iter().filter(|array| array.name != "scene").map(|array| array.bytes).sum();
        let found = bytes as f64 / f64::from(1 << 20);
        assert!((found - mib).abs() < 0.01 * mib, "{name}: {found} MiB");
    }
}

/// Three streams have the KAI of Table 2 to its last digit, in sectors of 32 bytes: what fixes that unit.
#[test]
fn accesses_are_counted_in_sectors_of_32_bytes() {
    for (name, _, _, _, _, kai, _) in &TABLE_2[..3] {
        let mut cut = kernel(name);
        cut.launches[0].grid = 64.into();
        let cut = cut.encode().to_string();
        let mut run = apart("rtx2060-30sm", &cut, "[0]", "[30]");
        assert_eq!(run.advance(u64::MAX), Reason::KernelsDone);
        let stats = run.totals()[0];
        let per_warp = if *name == "COPY" { 8 } else { 12 };
        assert_eq!(stats.l2_reads + stats.l2_writes, 64 * 4 * per_warp, "{name}");
        let found = stats.thread_instructions as f64 / (stats.l2_reads + stats.l2_writes) as f64 / 1000.0;
        assert!((found - kai).abs() < 0.0005, "{name}: {found}");
    }
}

/// 348 GB/s on paper, of which a stream gets 330 ± 2 (§5.1): sectors read and written through L2, none of them twice.
#[test]
fn a_stream_saturates_at_330_gb_s() {
    let gpu = presets::find("rtx2060-30sm").unwrap();
    assert!((dram_bytes_per_cycle(&gpu) * 1.365 - 348.0).abs() < 1e-6);
    let mut run = start(
        r#"{ "corun": 1, "gpu": "rtx2060-30sm", "kernels": ["latency/VADD"], "policy": "leftover", "warp_order": "gto", "warm_up": 60000,
             "stop": { "cycles": 120000 }, "alone": false }"#,
    );
    run.advance(u64::MAX);
    let result = run.result();
    let (l2, dram) = (of_kernel(&result, 0, "l2_gb_s").unwrap(), of_kernel(&result, 0, "dram_gb_s").unwrap());
    assert!((l2 - 330.0).abs() <= 2.0, "{l2} GB/s");
    assert!((l2 - dram).abs() < 0.01 * l2, "{l2} and {dram} GB/s");
}

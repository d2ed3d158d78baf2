//! Sequences of launches: what an experiment says of grids, gaps and repeats, and what the machine makes of it.

use sim_core::describe::error::Problems;
use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::{Dim3, Kernel};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};

/// A kernel with these launches, in which `WORK` stands for a few operations.
fn kernel(launches: &str) -> Value {
    let text = format!(r#"{{"name": "k", "arrays": [{{"name": "a", "bytes": 4096, "read_only": true}}], "launches": [{launches}]}}"#);
    let work = r#""threads": 32, "program": [{"alu": {"count": 5}}, {"load": {"array": "a", "cta": 64, "repeat": 64}}]"#;
    serde_json::from_str(&text.replace("WORK", work)).expect("JSON")
}

#[test]
fn sequences_and_grids_read_back_equal() {
    for text in [
        r#"{"grid": 7, WORK}"#,
        r#"{"grid": [4, 3], "gap": 1000, WORK}"#,
        r#"{"grid": [1, 2, 3], WORK}"#,
        r#"{"repeat": 47, "launches": [{"grid": [47, 47], "grid_step": [-1, -1], "gap": 5, WORK}, {"ctas": 1, WORK}]}, {"ctas": 9, WORK}"#,
        r#"{"ctas": 2, WORK}, {"repeat": 1, "launches": [{"ctas": 3, WORK}]}"#,
        r#"{"ctas": 2, "carve_out": 65536, WORK}, {"ctas": 2, "carve_out": 0, WORK}, {"ctas": 2, "carve_out": {"percent": 15}, WORK}"#,
    ] {
        let mut problems = Problems::default();
        let read = Kernel::decode(&kernel(text), "k", &mut problems);
        let again = read.as_ref().and_then(|kernel| Kernel::decode(&kernel.encode(), "k", &mut problems));
        assert_eq!(problems, Problems::default(), "{text}");
        assert!(read.is_some() && again == read, "{text}");
    }
}

/// The grids of LU decomposition, and those of what is left of it after some launches.
#[test]
fn a_grid_shrinks_with_each_repeat() {
    let lud = r#"{"repeat": 47, "launches": [{"ctas": 1, WORK}, {"grid": [47, 47], "grid_step": [-1, -1], WORK}]}, {"ctas": 1, WORK}"#;
    let lud = Kernel::decode(&kernel(lud), "k", &mut Problems::default()).expect("a kernel");
    let mut want: Vec<u32> = (1..=47).rev().flat_map(|k| [1, k * k]).collect();
    want.push(1);
    assert_eq!(lud.grids().map(Dim3::ctas).collect::<Vec<_>>(), want);
    assert_eq!(lud.cut(33).grids().map(Dim3::ctas).collect::<Vec<_>>(), want[..33]);
}

/// The cycle in which the kernel's runs have ended so many times.
fn ends(launches: &str, runs: u64) -> u64 {
    let text = r#"{"corun": 1, "gpu": "ccbp-16sm", "alone": false, "stop": {"cycles": 1000000}}"#;
    let mut experiment: Value = serde_json::from_str(text).expect("JSON");
    let Value::Object(pairs) = &mut experiment else { panic!("an object") };
    pairs.push(("kernels".into(), Value::array([kernel(launches)])));
    let mut simulation = Simulation::new(&Experiment::decode(&experiment).expect("an experiment")).expect("a run");
    let run = |simulation: &Simulation| *simulation.machine().run(KernelId(0));
    while run(&simulation).runs < runs {
        assert_eq!(simulation.advance(1), Reason::Budget, "it ends before the run does");
    }
    run(&simulation).finished().expect("a run")
}

/// The first launch begins at once; each later one, and the first of a second run, so many cycles after the one before.
#[test]
fn a_gap_passes_before_a_launch() {
    let three = |gap: u32| format!(r#"{{"repeat": 3, "launches": [{{"ctas": 20, "gap": {gap}, WORK}}]}}"#);
    let at_once = [1, 2].map(|runs| ends(&three(0), runs));
    for gap in [1, 7, 1000] {
        let later = [1, 2].map(|runs| ends(&three(gap), runs));
        assert_eq!([later[0] - at_once[0], later[1] - at_once[1]], [2, 5].map(|gaps| gaps * u64::from(gap)), "{gap}");
    }
}

/// Launches behind the 256th run as those before, and each repeat reads further on.
#[test]
fn a_sequence_may_be_long() {
    let one = ends(r#"{"repeat": 1, "launches": [{"ctas": 1, "gap": 50, WORK}]}"#, 1);
    let many = ends(r#"{"repeat": 600, "launches": [{"ctas": 1, "gap": 50, WORK}]}"#, 1);
    assert!(many > 600 * 50 && many < 600 * (50 + one), "{many} cycles, of which one launch takes {one}");
}

/// A persistent GEMM of a CTA for each SM: 205,696 bytes of shared memory fit an H100, whose largest division is 228 KB, and no A100.
#[test]
fn a_large_cta_runs_where_it_fits_and_is_told_where_it_does_not() {
    let experiment = |gpu: &str| {
        Experiment::from_json(&format!(
            r#"{{"corun": 1, "gpu": {gpu}, "stop": {{"cycles": 500}}, "kernels": [{{"name": "gemm", "launches": [
                {{"ctas": 132, "threads": 384, "registers": 168, "shared_bytes": 205696, "program": [{{"alu": {{"count": 1000}}}}]}}]}}]}}"#
        ))
    };
    let runs = experiment(r#""h100-sxm5""#).unwrap_or_else(|problems| panic!("{problems}"));
    let explained = sim_core::study::catalogue::explain(&runs, &Default::default()).to_string();
    let said = r#""ctas_per_sm":1,"limiter":"registers","threads":384,"registers":168,"shared_bytes":205696,"ctas":132,"sm_shared_bytes":233472,"sm_l1_bytes":28672"#;
    assert!(explained.contains(said), "{explained}");
    let mut simulation = Simulation::new(&runs).unwrap_or_else(|problems| panic!("{problems}"));
    simulation.advance(u64::MAX);
    let sms = &simulation.machine().sms;
    assert!(sms.iter().all(|sm| (sm.ctas.count(), sm.ctas.division(), sm.l1().sets()) == (1, Some(233_472), 28 * 1024 / 2048)));
    for (gpu, most) in
        [(r#""a100-40gb""#, 167_936), (r#""rtx5090""#, 102_400), (r#"{"preset": "h100-sxm5", "sm.shared_bytes": 200704}"#, 200_704)]
    {
        let said = experiment(gpu).expect_err("it does not fit").to_string();
        let want = format!("{most} bytes (sm.shared_bytes); it fits h100-sxm5, h200-sxm, accelsim-h100");
        assert!(said.starts_with("kernels[0].launches[0]: found a CTA of 384 threads") && said.ends_with(&want), "{said}");
    }
}

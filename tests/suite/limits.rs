//! How large may a run be, and is it as right there as a small one? Sixteen kernels, launches by the thousand, gaps of a trillion cycles.

use sim_core::describe::ids::{KernelId, MAX_KERNELS};
use sim_core::describe::kernel::{MAX_GAP, MAX_LAUNCHES};
use sim_core::describe::value::Value;
use sim_core::policy::spec::POLICIES;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};

fn read(text: &str) -> Result<Experiment, String> {
    Experiment::from_json(text).map_err(|problems| problems.to_string())
}

/// Small kernels, one like the other but for their arithmetic, each with an array that is read and one that is written.
fn mix(kernels: usize, rest: &str) -> String {
    let kernel = |k: usize| {
        format!(
            r#"{{"name": "k{k}", "arrays": [{{"name": "r", "bytes": 65536, "read_only": true}}, {{"name": "w", "bytes": 65536}}],
                 "launches": [{{"ctas": 24, "threads": 64, "program": [
                    {{"load": {{"array": "r", "cta": 256, "warp": 128, "lane": 4}}}}, {{"wait": {{}}}}, {{"alu": {{"count": {}}}}},
                    {{"store": {{"array": "w", "cta": 256, "warp": 128, "lane": 4}}}}]}}]}}"#,
            5 + k
        )
    };
    let all: Vec<String> = (0..kernels).map(kernel).collect();
    format!(r#"{{"corun": 1, "gpu": "tiny-2sm", "kernels": [{}], {rest}}}"#, all.join(", "))
}

fn simulation(text: &str) -> Simulation {
    Simulation::new(&read(text).unwrap()).unwrap()
}

/// What a policy needs of a mix of sixteen.
fn policy(name: &str) -> Option<String> {
    let each = |value: &str| vec![value; MAX_KERNELS].join(", ");
    Some(match name {
        "fixed" => format!(r#"{{"name": "fixed", "combination": [{}]}}"#, each("1")),
        "mps" => format!(r#"{{"name": "mps", "percentage": [{}]}}"#, each("60")),
        "priority" => r#"{"name": "priority", "level": [0, -1, -2, -3, -4, -5, 0, -1, -2, -3, -4, -5, 0, -1, -2, -3]}"#.into(),
        "time-slice" => r#"{"name": "time-slice", "slice": 2000}"#.into(),
        "smk" => format!(r#"{{"name": "smk", "warp_ipc_alone": [{}]}}"#, each("1")),
        "leftover" | "even" | "tcm" | "bmi" | "mil" | "ucp" | "lrr+gto" | "manual" => format!("\"{name}\""),
        _ => return None,
    })
}

/// Every kernel gets on, each counter is of its own kernel, and the bits do not depend on how the run is cut, nor on who is looked at first.
#[test]
fn sixteen_kernels_share_a_gpu() {
    let names = POLICIES.iter().filter_map(|info| policy(info.name));
    let mut tried = 0;
    for policy in names {
        let text = mix(MAX_KERNELS, &format!(r#""policy": {policy}, "stop": {{"cycles": 40000}}"#));
        let mut whole = simulation(&text);
        let mut cut = simulation(&text);
        let mut backwards = simulation(&text);
        backwards.machine_mut().reversed = true;
        backwards.machine_mut().keep_awake = true;
        assert_eq!(whole.advance(u64::MAX), Reason::Cycles, "{policy}");
        while cut.advance(777) == Reason::Budget {
            cut = cut.clone();
        }
        backwards.advance(u64::MAX);
        assert_eq!([cut.digest(), backwards.digest()], [whole.digest(); 2], "{policy}");
        let totals = whole.totals();
        let waits = policy.contains("leftover") || policy.contains("priority");
        for (k, stats) in totals.iter().enumerate() {
            assert!(waits || stats.ctas_launched > 0, "{policy}: kernel {k} has had no CTA");
            // A load, its arithmetic and a store for each warp of a CTA that has finished, and no more for those that have begun.
            let warps = |ctas: u64| ctas * 2 * (7 + k as u64);
            let finished = u64::from(whole.machine().run(KernelId(k as u8)).done) + 24 * stats.runs_done;
            assert!((warps(finished)..=warps(stats.ctas_launched)).contains(&stats.warp_instructions), "{policy}: kernel {k}");
        }
        tried += 1;
    }
    assert_eq!(tried, 13);
}

/// What an L1D holds is counted for the array that it belongs to, though the kernels' addresses do not lie in the order of the mix.
#[test]
fn lines_of_sixteen_kernels_are_told_apart() {
    for protocol in ["none", "allocating"] {
        let gpu = format!(r#"{{"preset": "tiny-2sm", "sm.l1.protocol": "{protocol}", "sm.l1.bytes": 131072, "sm.l1.ways": 16}}"#);
        let text = mix(MAX_KERNELS, r#""policy": "even", "stop": {"cycles": 60000}"#).replace("\"tiny-2sm\"", &gpu);
        let mut run = simulation(&text);
        run.advance(u64::MAX);
        let held = run.machine().l1_contents();
        assert_eq!(held.len(), 2 * 2 * MAX_KERNELS);
        let of_array = |array: usize| {
            held.iter().skip(array).step_by(2 * MAX_KERNELS).map(|words| words.valid + words.written + words.owned).sum::<u32>()
        };
        for kernel in 0..MAX_KERNELS {
            // 24 CTAs of two warps read a line each.
            assert!((1..=2 * 48 * 32).contains(&of_array(2 * kernel)), "{protocol}: kernel {kernel} reads {}", of_array(2 * kernel));
            let writes = of_array(2 * kernel + 1);
            assert_eq!(writes > 0, protocol == "allocating", "{protocol}: kernel {kernel} writes {writes}");
        }
    }
}

/// A line that nobody writes stays in L1D when a launch begins, whichever kernel's it is.
#[test]
fn read_only_lines_of_sixteen_kernels_are_kept() {
    let hit_rates = |read_only: bool| -> Vec<f64> {
        let kernel = |k: usize| {
            format!(
                r#"{{"name": "k{k}", "arrays": [{{"name": "a", "bytes": 4096}}, {{"name": "r", "bytes": 4096, "read_only": {read_only}}}],
                     "launches": [{{"ctas": 1, "threads": 32, "program": [{{"load": {{"array": "r", "offset": {}}}}}, {{"wait": {{}}}}]}}]}}"#,
                256 * k
            )
        };
        let kernels: Vec<String> = (0..MAX_KERNELS).map(kernel).collect();
        let kernels = kernels.join(", ");
        let text = format!(
            r#"{{"corun": 1, "gpu": "ikra-micro-3cu", "kernels": [{kernels}], "policy": "manual", "alone": false, "stop": {{"cycles": 40000}}}}"#
        );
        let mut run = simulation(&text);
        run.advance(u64::MAX);
        run.totals().iter().map(|stats| stats.l1_hits as f64 / stats.l1_reads.max(1) as f64).collect()
    };
    let (kept, dropped) = (hit_rates(true), hit_rates(false));
    assert!(kept.iter().all(|&rate| rate > 0.5), "{kept:?}");
    assert!(dropped.iter().all(|&rate| rate < 0.5), "{dropped:?}");
}

#[test]
fn more_kernels_than_that_are_refused_with_what_to_do() {
    assert!(read(&mix(MAX_KERNELS, r#""policy": "even""#)).is_ok());
    let refused = read(&mix(MAX_KERNELS + 1, r#""policy": "even""#)).unwrap_err();
    assert!(
        refused.starts_with("kernels: found a list of 17, want a list of 1 to 16 kernels; a stream's kernels can be launches"),
        "{refused}"
    );
    // CCBP's issue-rate controller has eight sub-queues, whoever splits the miss queue.
    let split = r#"{"name": "manual", "controls": {"miss_queue_split": true}}"#;
    for (policy, path) in [("\"ccbp\"", "policy"), (split, "policy.controls.miss_queue_split")] {
        assert!(read(&mix(8, &format!(r#""policy": {policy}"#))).is_ok());
        let refused = read(&mix(9, &format!(r#""policy": {policy}"#))).unwrap_err();
        let text = format!("{path}: found a miss queue that is split among 9 kernels, want at most 8");
        assert!(refused.starts_with(&text), "{refused}");
    }
}

fn launches(count: usize, gap: u64, rest: &str) -> String {
    let one = format!(r#"{{"ctas": 1, "threads": 32, "gap": {gap}, "program": [{{"alu": {{}}}}]}}"#);
    let all = vec![one; count].join(", ");
    format!(
        r#"{{"corun": 1, "gpu": "tiny-2sm", "kernels": [{{"name": "k", "arrays": [], "launches": [{all}]}}], "policy": "leftover", {rest}}}"#
    )
}

const ONE_RUN: &str = r#""restart": false, "stop": {"kernels_done": true}"#;

#[test]
fn every_one_of_many_launches_runs() {
    let experiment = read(&launches(MAX_LAUNCHES, 0, ONE_RUN)).unwrap();
    assert_eq!(Experiment::decode(&experiment.encode()).as_ref(), Ok(&experiment));
    let mut run = Simulation::new(&experiment).unwrap();
    assert_eq!(run.advance(u64::MAX), Reason::KernelsDone);
    assert_eq!(run.totals()[0].ctas_launched, MAX_LAUNCHES as u64);
    let refused = read(&launches(MAX_LAUNCHES + 1, 0, ONE_RUN)).unwrap_err();
    let text = "kernels[0].launches: found a list of 16385, want a list of 1 to 16384 launches; cut the sequence off, or run it in parts";
    assert_eq!(refused.trim(), text);
}

/// A gap takes as long as it is, however long, and no time to simulate.
#[test]
fn a_gap_of_a_trillion_cycles_passes() {
    let short = |gap| {
        let until_done = r#""restart": false, "stop": {"kernels_done": true, "cycles": 10000000000000}"#;
        let mut run = simulation(&launches(3, gap, until_done));
        assert_eq!(run.advance(u64::MAX), Reason::KernelsDone);
        run.cycle()
    };
    assert_eq!(short(MAX_GAP) - short(1000), 2 * (MAX_GAP - 1000));
    let refused = read(&launches(1, MAX_GAP + 1, ONE_RUN)).unwrap_err();
    assert!(refused.contains("launches[0].gap: found 1099511627777, want a whole number from 0 to 1099511627776"), "{refused}");
}

/// Idle windows pass many at a time, and nobody can tell: cycle for cycle the machine is the same, and so are windows, batches and the result. With
/// refreshes of DRAM, writes that wait there, a sleeper, a policy that is asked in the gap, an end in it, and looks at whether L2 has filled.
#[test]
fn windows_that_pass_at_once_are_as_those_that_pass_one_by_one() {
    let work = r#""ctas": 4, "threads": 64, "program": [{"store": {"array": "a", "lane": 4, "warp": 128, "cta": 4096}}, SLEEP {"alu": {"count": 9}}]"#;
    let kernel = |gap: u64, sleep: &str| {
        let launch = work.replace("SLEEP", sleep);
        format!(r#"{{"name": "k", "arrays": [{{"name": "a", "bytes": 1048576}}], "launches": [{{{launch}, "gap": {gap}}}, {{{launch}}}]}}"#)
    };
    let sleep = r#"{"sleep": {"cycles": 30000}},"#;
    let stops = [r#"{"cycles": 500000}"#, r#"{"cycles": 333333}"#, r#"{"settled": 0.02, "at_most": 400000}"#, r#"{"kernels_done": true}"#];
    let (cold, warm) = ("0", "\"settled\"");
    for (kernels, policy, stop, warm_up) in [
        (kernel(100_000, ""), "leftover", stops[0], cold),
        (kernel(100_000, sleep), "even", stops[1], cold),
        (kernel(60_001, ""), "tcm", stops[0], cold),
        (kernel(7777, ""), "even", stops[2], cold),
        (format!("{}, {}", kernel(200_000, ""), kernel(90_000, sleep)), "mil", stops[0], cold),
        (kernel(150_000, sleep), "ucp", stops[3], cold),
        (kernel(35_001, ""), "even", stops[1], warm),
    ] {
        let text = format!(
            r#"{{"corun": 1, "gpu": "tiny-2sm", "kernels": [{kernels}], "policy": "{policy}", "stop": {stop}, "warm_up": {warm_up}, "alone": false}}"#
        );
        let mut one_by_one = simulation(&text);
        let mut at_once = simulation(&text);
        let mut calls = 0;
        let ended = loop {
            calls += 1;
            match one_by_one.advance(399) {
                Reason::Budget => {}
                reason => break reason,
            }
        };
        assert_eq!(at_once.advance(u64::MAX), ended, "{policy}");
        assert!(calls > 100, "{policy}: {calls} calls");
        assert_eq!((at_once.cycle(), at_once.digest()), (one_by_one.cycle(), one_by_one.digest()), "{policy}");
        assert_eq!(at_once.windows().rows_since(0), one_by_one.windows().rows_since(0), "{policy}");
        let rows = |run: &Simulation| run.batches().map(|batches| (batches.width(), batches.rows().to_vec()));
        assert_eq!(rows(&at_once), rows(&one_by_one), "{policy}");
        let result = |run: &mut Simulation| -> Value { run.result() };
        assert_eq!(result(&mut at_once), result(&mut one_by_one), "{policy}");
    }
}

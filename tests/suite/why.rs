//! Does taking a cause away find it, and does it find none where the neighbours cost nothing?

use sim_core::run::cure::Cure;
use sim_core::run::trials::{Because, Tried};
use sim_core::{Experiment, KernelId, Outcome, Simulation, SoloProfiles, start};

fn experiment(fields: &str) -> Experiment {
    Experiment::from_json(&format!(r#"{{ "corun": 1, {fields} }}"#)).unwrap_or_else(|problems| panic!("{problems}"))
}

/// A run to its end by itself, without what kernels do alone.
fn ran(experiment: &Experiment) -> Simulation {
    let mut run = Simulation::with(experiment, &SoloProfiles::new()).unwrap_or_else(|problems| panic!("{problems}"));
    run.advance(u64::MAX);
    run
}

/// A run to its end that knows what its kernels do alone and in their shares.
fn compared(fields: &str) -> Simulation {
    let experiment = experiment(fields);
    let mut run = start(&experiment).unwrap_or_else(|problems| panic!("{problems}"));
    run.advance(u64::MAX);
    let alone = experiment.alone_runs().into_iter().map(|(_, hash, alone)| (hash, ran(&alone).answer())).collect();
    run.add_solo_profiles(&alone);
    let shares = run.share_runs().into_iter().map(|one| (one.hash, ran(&one.experiment).answer())).collect();
    run.add_solo_profiles(&shares);
    run
}

/// Asks with these cures, and tells what each run did, as `told` has it.
fn ask(run: &mut Simulation, cures: &[Cure], told: impl Fn(Tried) -> Tried) -> Outcome {
    let mut runs = run.ask_why(cures);
    while !runs.is_empty() {
        for one in runs {
            let tried = ran(&one.experiment).tried();
            run.tell_why(&one.hash, tried.into_iter().map(&told).collect());
        }
        runs = run.ask_longer();
    }
    run.outcome()
}

/// Why each kernel suffers, of these cures.
fn why(fields: &str, cures: &[Cure]) -> (Outcome, Vec<Because>) {
    let outcome = ask(&mut compared(fields), cures, |tried| Tried { ci95: None, ..tried });
    let because = outcome.because.clone().expect("all was told");
    (outcome, because)
}

fn best(because: &[Because], kernel: u32) -> Option<(Cure, f64)> {
    let cured = because.iter().find(|one| one.kernel == kernel)?.cures.first()?;
    Some((cured.cure, cured.gives_back?))
}

/// CFD's replies fill the crossbar: BP waits for it, and nothing else gives as much back.
#[test]
fn a_kernel_that_waits_for_the_noc_is_cured_by_one_without_limits() {
    let fields = r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 60000 }"#;
    let (outcome, because) = why(fields, &[Cure::Dram, Cure::Noc, Cure::L1]);
    assert!(outcome.verdict.headline_text().starts_with("BP is "), "{:?}", outcome.verdict.sentences());
    let (cure, gives_back) = best(&because, 0).expect("BP suffers");
    assert!(cure == Cure::Noc && gives_back > 2.0, "{because:?}");
    let says = &because[0].says;
    assert!(says.starts_with("With an unlimited NoC, CFD costs BP 2.") && says.ends_with(" times less."), "{says}");
    // The headline has it all, in pieces that lead to their figures.
    let first = outcome.verdict.headline_text();
    assert!(first.ends_with(says.as_str()) && first.split(' ').count() <= 25, "{first}");
    let figures: Vec<_> =
        outcome.verdict.headline.iter().filter_map(|part| part.figure.map(|figure| (part.kernel, figure.name()))).collect();
    assert_eq!(figures, ["slowdown", "share_cost", "neighbour_cost", "gives_back"].map(|figure| (Some(0), figure)));
}

/// How much does PF lose beside LBM, and why? A run that cannot say the first names no cause in its sentences either; one of three times the cycles says both.
#[test]
fn a_sentence_that_does_not_say_how_much_names_no_cause() {
    let of = |cycles: u32| {
        let mix = r#""gpu": "ccbp-16sm", "kernels": ["ccbp/PF", "ccbp/LBM"], "policy": "even""#;
        let (outcome, because) = why(&format!(r#"{mix}, "stop": {{ "cycles": {cycles} }}"#), &[Cure::Dram]);
        assert!(best(&because, 0).is_some_and(|(_, gives_back)| gives_back > 1.5), "{because:?}");
        (outcome.verdict.sentences(), because[0].says.clone())
    };
    let (short, cause) = of(20_000);
    assert!(short[0].starts_with("The run is too short to say how much slower than alone PF"), "{short:?}");
    assert!(!short.iter().any(|sentence| sentence.contains(&cause)), "{short:?}");
    let (long, cause) = of(60_000);
    assert!(long[0].starts_with("PF is ") && long[0].ends_with(&cause), "{long:?}");
}

/// What chance may explain is not said as a fact.
#[test]
fn a_cure_within_its_interval_is_said_with_a_perhaps() {
    let mut run = compared(r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 20000 }"#);
    let mut cured = |ends: &dyn Fn(f64) -> [f64; 2]| {
        let within = |tried: Tried| Tried { ci95: tried.ipc.map(ends), ..tried };
        ask(&mut run, &[Cure::Noc], within).because.expect("all was told")[0].clone()
    };
    let [close, wide] = [0.01, 0.6].map(|part| cured(&|ipc| [ipc * (1.0 - part), ipc * (1.0 + part)]).says);
    assert!(!close.contains("perhaps"), "{close}");
    assert!(wide.contains("With an unlimited NoC, CFD perhaps costs BP "), "{wide}");
    // A lower end that was cut off at 0 makes none narrower: four runs that are known to twice themselves give a factor that is known to four times.
    let cut = cured(&|ipc| [0.0, 3.0 * ipc]).cures[0].clone();
    let (factor, [low, high]) = cut.gives_back.zip(cut.ci95).expect("all is known");
    assert!(low == 0.0 && (high / factor - 5.0).abs() < 1e-9, "{factor}, {high}");
}

/// Nothing is said of a part of the runs, and nothing before the end.
#[test]
fn why_is_said_once_all_is_told() {
    let mut run = compared(r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 20000 }"#);
    assert!(run.outcome().because.is_none(), "nobody has asked");
    let runs = run.ask_why(&[Cure::Noc]);
    let hashes: std::collections::BTreeSet<&str> = runs.iter().map(|one| one.hash.as_str()).collect();
    assert!(runs.len() == 4 && hashes.len() == 4, "two without a cure, and two with one");
    for (n, one) in runs.iter().enumerate() {
        assert!(run.outcome().because.is_none(), "{n} of {}", runs.len());
        let tried = ran(&one.experiment).tried();
        run.tell_why(&one.hash, tried);
    }
    assert_eq!(run.outcome().because.expect("all was told").len(), 1);
    let mut early =
        ran(&experiment(r#""gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 4000 }"#));
    assert!(early.ask_why(&Cure::ALL).is_empty(), "what shares cost is not known");
}

/// Runs in which neighbours cost something else than in the run do not tell why they do there.
#[test]
fn runs_that_are_another_story_are_no_cause() {
    let mut run = compared(r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 20000 }"#);
    let runs = run.ask_why(&[Cure::Noc]);
    for one in runs {
        let tried = ran(&one.experiment).tried();
        let half = one.experiment.kernels.len() == 2;
        let slower = |tried: Tried| Tried { ipc: tried.ipc.map(|ipc| if half { ipc / 2.0 } else { ipc }), ..tried };
        run.tell_why(&one.hash, tried.into_iter().map(slower).collect());
    }
    let says = &run.outcome().because.expect("all was told")[0].says;
    assert_eq!(says, "The runs that would tell why CFD costs BP time are too short for it.");
}

/// A collective takes two SMs from a grid that is made for all: it takes two waves, and with two CTAs less it takes one.
#[test]
fn a_second_wave_is_found_with_the_ctas_that_would_fit() {
    let kernel = |name: &str, ctas: u32, shared: u32, trips: u32| {
        format!(
            r#"{{ "name": "{name}", "launches": [{{ "ctas": {ctas}, "threads": 256, "registers": 32, "shared_bytes": {shared},
                "program": [{{ "loop": {{ "trips": {trips}, "body": [{{ "alu": {{ "count": 100, "latency": 4 }} }}] }} }}] }}] }}"#
        )
    };
    let kernels = [kernel("collective", 2, 40_000, 40_000), kernel("matmul", 16, 60_000, 20)].join(", ");
    let fields = format!(r#""gpu": "ccbp-16sm", "kernels": [{kernels}], "policy": "leftover", "stop": {{ "cycles": 200000 }}"#);
    let (outcome, because) = why(&fields, &[]);
    let matmul = &outcome.kernels[1];
    assert_eq!(matmul.share.as_deref(), Some("14 of 16 SMs, as others leave it"), "{outcome:?}");
    assert!(matmul.share_cost.is_some_and(|cost| (1.8..2.1).contains(&cost)), "{matmul:?}");
    let wave = because.first().and_then(|one| one.wave.clone()).expect("two of sixteen CTAs find no place");
    assert!((wave.ctas, wave.fit) == (16, 14) && wave.gives_back.is_some_and(|back| back > 1.6), "{wave:?}");
    assert!(because[0].says.starts_with("In its share matmul takes a wave more for 2 of its 16 CTAs: with 14, 1."), "{}", because[0].says);
}

/// A quota holds DXTC back by itself, too: it is its share, and no cure of a neighbour.
#[test]
fn a_quota_that_binds_alone_is_a_share() {
    let fields = r#""gpu": "rtx2060-30sm", "kernels": ["latency/DXTC", "latency/COPY"], "policy": "smk", "stop": { "cycles": 60000 }"#;
    let (outcome, because) = why(fields, &[Cure::Quota]);
    let held = &outcome.kernels[0];
    assert_eq!(held.share.as_deref(), Some("a limit: warp quota"));
    assert!(held.share_cost.is_some_and(|cost| cost > 1.4) && because.is_empty(), "{held:?}, {because:?}");
}

/// With a larger L1D, in which SYRK finds its lines, SC is several times as fast here.
#[test]
fn a_kernel_beside_one_that_thrashes_l1d_is_cured_by_a_larger_one() {
    let fields = r#""gpu": "fermi-16sm", "kernels": ["hetero/SYRK", "hetero/SC"], "policy": "even", "stop": { "cycles": 60000 }"#;
    let (_, because) = why(fields, &[Cure::L1, Cure::Noc, Cure::Dram]);
    let (cure, gives_back) = best(&because, 1).expect("SC suffers");
    assert!(cure == Cure::L1 && gives_back > 2.0, "{because:?}");
}

/// SMK divides issue slots by what kernels do alone, which a larger L1D changes: with the quota of the smaller one, nobody seems to suffer.
#[test]
fn a_cure_with_which_a_quota_binds_says_nothing() {
    let fields = r#""gpu": "fermi-16sm", "kernels": ["hetero/KMEANS", "hetero/SYRK"], "policy": "smk", "stop": { "cycles": 100000 }"#;
    let (_, because) = why(fields, &[Cure::L1]);
    let syrk = because.iter().find(|one| one.kernel == 1).expect("SYRK suffers");
    assert!(syrk.bound == [Cure::L1] && syrk.cures.is_empty(), "{syrk:?}");
}

/// Every CTA of the second kernel wants another division of its SM, and most SMs are divided for the first as long as that runs.
#[test]
fn an_sm_that_is_divided_for_others_is_no_room() {
    let gpu = r#"{ "preset": "ccbp-16sm", "sm.carve_outs": "9.0", "sm.shared_bytes": 233472, "sm.shared_reserved": 1024, "sm.l1.bytes": 262144 }"#;
    let kernel = |name: &str, ctas: u32, wants: u32| {
        format!(
            r#"{{ "name": "{name}", "launches": [{{ "ctas": {ctas}, "threads": 64, "carve_out": {wants}, "program": [{{ "alu": {{ "count": 9000000 }} }}] }}] }}"#
        )
    };
    let kernels = [kernel("first", 14, 8192), kernel("second", 512, 65_536)].join(", ");
    let run = compared(&format!(r#""gpu": {gpu}, "kernels": [{kernels}], "policy": "leftover", "stop": {{ "cycles": 20000 }}"#));
    assert_eq!(run.share(KernelId(1)).as_deref(), Some("2 of 16 SMs, as others leave it"));
}

/// What others would leave a kernel that has done nothing is not known.
#[test]
fn a_kernel_that_gets_nothing_has_no_share_to_be_charged_for() {
    let fields = r#""gpu": "ccbp-16sm", "kernels": ["ccbp/LAV", "ccbp/FTD"], "policy": "leftover", "stop": { "cycles": 20000 }"#;
    let outcome = compared(fields).outcome();
    let starved = outcome.kernels.iter().find(|kernel| kernel.thread_instructions == 0).expect("one gets nothing");
    assert_eq!((starved.share_cost, starved.neighbour_cost), (None, None), "{starved:?}");
}

/// All lines of MVT come to one bank of L2: neither more bandwidth of DRAM nor a larger cache helps HG as much as spreading them.
#[test]
fn a_kernel_behind_a_camped_bank_is_cured_by_spreading_lines() {
    let fields = r#""gpu": "ccbp-16sm", "kernels": ["latency/MVT", "ccbp/HG"], "policy": "even", "stop": { "cycles": 300000 }"#;
    let (_, because) = why(fields, &[Cure::Noc, Cure::Banks]);
    let (cure, gives_back) = best(&because, 1).expect("HG suffers");
    assert!(cure == Cure::Banks && gives_back > 4.0, "{because:?}");
}

/// Kernels on SMs, L2 banks and DRAM channels of their own lose by their share alone: nothing is to be cured.
#[test]
fn neighbours_that_cost_nothing_are_no_cause() {
    let own = r#"{ "name": "spatial", "split": [8, 8], "channels": [3, 3] }"#;
    let fields = format!(r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {own}, "stop": {{ "cycles": 60000 }}"#);
    let (outcome, because) = why(&fields, &Cure::ALL);
    assert!(because.is_empty(), "{because:?}, {:?}", outcome.verdict.says);
}

/// What cures are held against is the run itself, where its scheme decides at the beginning.
#[test]
fn without_a_cure_the_run_is_what_it_was() {
    for policy in
        [r#""even""#, r#""leftover""#, r#"{ "name": "mps", "percentage": [50, 50] }"#, r#"{ "name": "spatial", "split": [4, 12] }"#]
    {
        let of = experiment(&format!(
            r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {policy}, "stop": {{ "cycles": 20000 }}"#
        ));
        let mut base = ran(&of);
        let mut again = ran(&base.as_it_is(base.machine().controls()));
        assert_eq!(base.totals(), again.totals(), "{policy}");
        let alone = base.in_its_share(KernelId(0), base.machine().controls()).expect("time fills what it has");
        assert_eq!(alone.kernels.len(), 1, "{policy}");
    }
}

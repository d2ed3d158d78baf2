//! Does the scheme of stream priorities do what its page says: who goes first, what the others get, that nobody is stopped?

use sim_core::describe::gpu::occupancy::Resources;
use sim_core::describe::ids::KernelId;
use sim_core::machine::dispatch::CtaEvent;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::Simulation;

fn simulation(gpu: &str, kernels: &[&str], policy: &str, cycles: u64) -> Simulation {
    let kernels = kernels.join(", ");
    let text = format!(
        r#"{{"corun": 1, "gpu": "{gpu}", "kernels": [{kernels}], "policy": {policy}, "alone": false, "stop": {{"cycles": {cycles}}}}}"#
    );
    Simulation::new(&Experiment::from_json(&text).unwrap_or_else(|problems| panic!("{problems}"))).unwrap()
}

fn priority(levels: &[i64]) -> String {
    format!(r#"{{"name": "priority", "level": {levels:?}}}"#)
}

/// Two of its CTAs take three quarters of the threads of an SM: a third does not fit, and small ones do.
const LARGE: &str = r#"{"name": "large", "arrays": [], "launches": [{"ctas": 23, "threads": 192, "registers": 28, "gap": 700,
    "program": [{"loop": {"trips": 20, "body": [{"alu": {"count": 20}}]}}]}]}"#;
const SMALL: &str = r#"{"name": "small", "arrays": [], "launches": [{"ctas": 400, "threads": 32, "registers": 16,
    "program": [{"loop": {"trips": {"per_cta": [3, 30]}, "body": [{"alu": {"count": 20}}]}}]}]}"#;

/// Placements and retirements of a run.
fn events(mut run: Simulation) -> (Simulation, Vec<CtaEvent>) {
    run.machine_mut().record_events = true;
    run.advance(u64::MAX);
    let events = std::mem::take(&mut run.machine_mut().events);
    (run, events)
}

/// The log of a run, CTA by CTA: wherever one of the lower level was placed, no CTA of the higher one waited that fitted there. It did take
/// the room that the other could not use, no CTA left before its end, and the same holds in whichever order the kernels stand.
#[test]
fn the_higher_level_goes_first_wherever_it_fits_and_nothing_is_preempted() {
    for (kernels, levels) in [([LARGE, SMALL], [-5, 0]), ([SMALL, LARGE], [0, -1]), ([LARGE, SMALL], [-3, -2])] {
        let (mut run, events) = events(simulation("tiny-2sm", &kernels, &priority(&levels), 60_000));
        let high = KernelId(u8::from(levels[1] < levels[0]));
        let experiment = run.experiment().clone();
        let class = &experiment.gpu.sms[0];
        let cost = |kernel: KernelId| Resources::of_cta(&experiment.kernels[kernel.index()].kernel.launches[0], class);
        let launch = &experiment.kernels[high.index()].kernel.launches[0];
        let mut used = [Resources::default(); 2];
        let (mut waiting, mut done, mut opens) = (launch.ctas(), 0, 0);
        let (mut beside, mut in_the_tail) = (0, 0);
        for event in &events {
            assert!(!event.switched, "nothing is preempted");
            let sm = &mut used[usize::from(event.sm)];
            if !event.placed {
                sm.take(cost(event.kernel));
                if event.kernel == high {
                    done += 1;
                    if done == launch.ctas() {
                        (waiting, done, opens) = (launch.ctas(), 0, event.cycle + launch.gap);
                    }
                }
                continue;
            }
            let waits = waiting > 0 && event.cycle >= opens;
            let fits = sm.fits(cost(high), Resources::of_class(class));
            if event.kernel == high {
                waiting -= 1;
            } else {
                assert!(
                    !(waits && fits),
                    "cycle {}: a CTA of the lower level goes to SM {}, where one of the higher fits",
                    event.cycle,
                    event.sm
                );
                beside += u32::from(waits);
                in_the_tail += u32::from(!waits);
            }
            sm.add(cost(event.kernel));
        }
        assert!(beside > 20 && in_the_tail > 20, "{beside} beside CTAs of the higher level, {in_the_tail} without any that waited");
        let totals = run.totals();
        assert!(totals.iter().all(|kernel| kernel.ctas_switched_out == 0) && totals[high.index()].runs_done >= 2);
    }
}

/// Only the levels count, and only how they compare: no order of the mix, and no distance between levels, changes what a kernel gets. Without memory
/// accesses nothing else tells kernels apart.
#[test]
fn neither_the_order_of_the_mix_nor_the_distance_of_levels_matters() {
    let got = |kernels: [&str; 2], levels: [i64; 2], large: usize| {
        let mut run = simulation("tiny-2sm", &kernels, &priority(&levels), 60_000);
        run.advance(u64::MAX);
        let totals = run.totals();
        [large, 1 - large].map(|k| (totals[k].warp_instructions, totals[k].ctas_launched, totals[k].runs_done))
    };
    let first = got([LARGE, SMALL], [-5, 0], 0);
    assert_eq!(got([LARGE, SMALL], [-1, 0], 0), first);
    assert_eq!(got([SMALL, LARGE], [0, -5], 1), first);
    let last = got([LARGE, SMALL], [0, -5], 0);
    assert_eq!(got([SMALL, LARGE], [-2, -1], 1), last);
    assert!(last[0].0 < first[0].0, "the higher level gets more: {last:?}, {first:?}");
}

/// Kernels of one level take turns, as kernels do that no policy tells apart.
#[test]
fn equal_levels_take_turns() {
    let of = |policy: &str| events(simulation("tiny-2sm", &[LARGE, SMALL, SMALL], policy, 30_000)).1;
    let neutral = of("\"manual\"");
    assert_eq!(of(&priority(&[-2, -2, -2])), neutral);
    assert_ne!(of(&priority(&[-2, -2, -3])), neutral);
}

/// Where `leftover` makes the next kernel wait for the whole grid of the one before, whichever that is, a level decides here. A short kernel of the higher
/// level waits for CTAs of the long one that run, and no longer.
#[test]
fn a_short_kernel_no_longer_waits_for_a_long_grid() {
    let training = r#"{"name": "training", "arrays": [], "launches": [{"ctas": 512, "threads": 256, "registers": 32,
        "program": [{"loop": {"trips": 60, "body": [{"alu": {"count": 100}}]}}]}]}"#;
    let inference = r#"{"name": "inference", "arrays": [], "launches": [{"ctas": 8, "threads": 256, "registers": 32, "gap": 30000,
        "program": [{"loop": {"trips": 10, "body": [{"alu": {"count": 100}}]}}]}]}"#;
    let runs = |kernels: [&str; 2], policy: &str| {
        let mut run = simulation("tiny-2sm", &kernels, policy, 2_000_000);
        run.advance(u64::MAX);
        let inference = run.experiment().labels().iter().position(|label| *label == "inference").unwrap();
        run.totals()[inference].runs_done
    };
    let alone = runs(
        [inference, r#"{"name": "none", "arrays": [], "launches": [{"ctas": 1, "threads": 32, "program": [{"alu": {}}]}]}"#],
        "\"manual\"",
    );
    let [first, second] = [[inference, training], [training, inference]].map(|kernels| runs(kernels, "\"leftover\""));
    let by_level = runs([training, inference], &priority(&[0, -5]));
    assert!(second < 3 && first > 8 * second.max(1), "leftover: {first} runs as the first, {second} as the second");
    assert_eq!(by_level, runs([inference, training], &priority(&[-5, 0])));
    // It waits for the end of running CTAs, of about 24,000 cycles where an SM is full.
    assert!(by_level < alone && by_level >= first, "{by_level} runs, {alone} alone, {first} as the first under leftover");
}

#[test]
fn a_level_that_a_stream_cannot_have_is_refused() {
    let refused = |levels: &str| {
        let text = format!(r#"{{"corun": 1, "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {{"name": "priority"{levels}}}}}"#);
        Experiment::from_json(&text).unwrap_err().to_string().trim().to_string()
    };
    assert_eq!(refused(r#", "level": [1, -5]"#), "policy.level[0]: found 1, want a whole number from -5 to 0");
    assert_eq!(refused(r#", "level": [0, -6]"#), "policy.level[1]: found -6, want a whole number from -5 to 0");
    assert!(refused(r#", "level": [0]"#).starts_with("policy.level: found 1 numbers, want 2"), "{}", refused(r#", "level": [0]"#));
    assert!(refused("").starts_with("policy.level: found nothing, want a list"), "{}", refused(""));
}

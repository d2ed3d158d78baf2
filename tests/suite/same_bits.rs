//! Random machines give equal bits, whatever the order of parts, whether or not anything sleeps, however the run is cut, looked at or
//! cloned. `determinism.rs` holds the examples to goldens in this way; the wasm tests hold the module to those goldens.

use crate::random;
use crate::random::Change;
use proptest::prelude::*;
use sim_core::run::experiment::{Experiment, set_path};
use sim_core::run::simulation::Simulation;

/// Cycles of a run.
const CYCLES: u64 = 2500;

fn start(experiment: &Experiment) -> Simulation {
    Simulation::new(experiment).unwrap_or_else(|problems| panic!("the generator makes valid experiments:\n{problems}"))
}

fn digest_after(mut simulation: Simulation, changes: &[Change], cycles: u64) -> u64 {
    random::advance(&mut simulation, changes, cycles, false);
    simulation.digest()
}

/// For a failure: the first cycle after which two runs differ, and in which lines.
fn first_difference(mut a: Simulation, mut b: Simulation, changes: &[Change]) -> String {
    while a.cycle() < CYCLES && a.clone().digest() == b.clone().digest() {
        random::advance(&mut a, changes, 1, false);
        random::advance(&mut b, changes, 1, false);
    }
    let [there, here] = [&mut a, &mut b].map(|simulation| {
        simulation.machine_mut().settle();
        format!("{:#?}", simulation.machine())
    });
    let lines = there.lines().zip(here.lines()).filter(|(there, here)| there != here).take(12);
    let shown: Vec<String> = lines.map(|(there, here)| format!("{} | {}", there.trim(), here.trim())).collect();
    format!("first after cycle {}:\n{}", a.cycle(), shown.join("\n"))
}

proptest! {
    #![proptest_config(random::cases(1000))]

    #[test]
    fn an_experiment_reads_back_from_its_canonical_form(experiment in random::experiment(), arithmetic in 0.01..=100.0_f64) {
        let mut written = experiment.encode();
        set_path(&mut written, "kernels[0].arithmetic", arithmetic.into()).expect("a kernel is there");
        let read = Experiment::decode(&written);
        let read = read.unwrap_or_else(|problems| panic!("the generator makes valid experiments:\n{problems}"));
        let again = Experiment::decode(&read.encode());
        prop_assert_eq!(again, Ok(read));
    }

    #[test]
    fn the_order_of_parts_and_sleeping_change_nothing(experiment in random::experiment(), changes in random::changes()) {
        let want = digest_after(start(&experiment), &changes, CYCLES);
        let mut backwards = start(&experiment);
        backwards.machine_mut().reversed = true;
        prop_assert_eq!(digest_after(backwards, &changes, CYCLES), want, "every phase backwards");
        let mut awake = start(&experiment);
        awake.machine_mut().keep_awake = true;
        let asleep = start(&experiment);
        prop_assert_eq!(digest_after(awake.clone(), &changes, CYCLES), want, "nothing allowed to sleep: {}", first_difference(asleep, awake, &changes));
    }

    #[test]
    fn cuts_looks_and_clones_change_nothing(
        (experiment, changes) in (random::experiment(), random::changes()),
        cuts in random::cuts(),
        by_event in any::<bool>(),
    ) {
        let mut whole = start(&experiment);
        random::advance(&mut whole, &changes, CYCLES, false);
        let (want, end) = (whole.digest(), whole.cycle());
        let mut cut = start(&experiment);
        cut.machine_mut().record_events = true;
        let mut frame = Vec::new();
        for place in cuts {
            let part = place.index(CYCLES as usize) as u64;
            let left = end.saturating_sub(cut.cycle());
            random::advance(&mut cut, &changes, part.min(left), by_event);
            let _ = (cut.result(), cut.digest(), cut.explain_stuck());
            sim_core::run::frame::fill(cut.machine(), cut.windows(), &mut frame);
            let original = cut.clone();
            prop_assert_eq!(digest_after(original, &changes, end - cut.cycle()), want, "the original of a clone");
        }
        let left = end - cut.cycle();
        prop_assert_eq!(digest_after(cut, &changes, left), want, "cut, looked at, and cloned");
    }
}

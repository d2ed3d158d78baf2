//! Is it said what the L1Ds hold, in which state, and whether the CTAs that come next find it there?

use super::*;
use crate::describe::error::Problems;
use crate::describe::gpu::{fields, presets};
use crate::interface::spec::Entry;
use crate::machine::contents::Ahead;
use crate::machine::dispatch::order::CtaOrderInfo;
use crate::machine::l1d::word_counts::WordCounts;

fn ordered(gpu: &Gpu, kernels: &[Kernel], order: &str) -> Machine {
    let order = CtaOrderSpec::of(CtaOrderInfo::find(order).unwrap());
    Machine::new(gpu, kernels, 1, true, &order, Controls::neutral(gpu.sm_count() as usize, WarpOrder::Gto))
}

/// Of 48 CTAs of 1 KB for each SM, the last 24 have left theirs in L1D when a launch begins. Under `flip` these come first; under `reset` they come last, and
/// those that come first find nothing. Counting that changes nothing.
#[test]
fn flip_begins_with_what_is_still_there_and_reset_with_what_is_not() {
    let pass = kernel("PASS", 96, 256, vec![Op::Load { address: unit(Scatter::None), lanes: 32 }, Op::Wait { loads: 0 }]);
    let found = |order: &str, steps: u64| {
        let mut m = ordered(&gpu(2), core::slice::from_ref(&pass), order);
        let mut controls = m.controls().clone();
        controls.sms.iter_mut().for_each(|sm| sm.cta_target[KernelId(0)] = 1);
        m.set_controls(controls);
        while m.run(KernelId(0)).runs < 1 || m.run(KernelId(0)).placed < 2 {
            m.step();
        }
        m.settle();
        let digest = |m: &Machine| {
            let mut state = Fnv::default();
            m.hash_state(&mut state);
            state.finish()
        };
        let before = digest(&m);
        let ahead = m.l1_ahead(KernelId(0), steps);
        assert_eq!(before, digest(&m));
        ahead
    };
    for (order, is_here) in [("reset", 24..48), ("flip", 0..24)] {
        for sm in 0..2 {
            let of_sm: Vec<Ahead> = found(order, 1 << 20).into_iter().filter(|ahead| ahead.sm == sm).collect();
            let chunk = u32::from(sm) * 48..u32::from(sm) * 48 + 48;
            let expected: Vec<u32> = if order == "flip" { chunk.rev().collect() } else { chunk.collect() };
            assert_eq!(of_sm.iter().map(|ahead| ahead.cta).collect::<Vec<_>>(), expected, "{order}");
            assert_eq!(of_sm.iter().filter(|ahead| ahead.runs).count(), 1, "one runs at a time");
            for (place, ahead) in of_sm.iter().enumerate() {
                assert_eq!(
                    (ahead.reads, ahead.here),
                    (256, if is_here.contains(&place) { 256 } else { 0 }),
                    "{order}, CTA {place} of SM {sm}"
                );
            }
        }
    }
    // Eight warps of three steps.
    assert_eq!(found("reset", 24 * 10).len(), 20, "no more than the steps are enough for");
}

/// What a launch has written is owned under DeNovo and stays; what it has read is a clean copy that the next launch drops. GPU coherence keeps nothing, and
/// without coherence all that was read stays. The ends of launches say the same.
#[test]
fn words_are_told_by_array_and_by_state() {
    let held = |protocol: &str| {
        let mut gpu = presets::find("ikra-micro-3cu").unwrap();
        let mut problems = Problems::default();
        fields::set(&mut gpu, "sm.l1.protocol", &protocol.into(), "gpu", &mut problems);
        assert!(problems.0.is_empty(), "{problems:?}");
        let array = |name: &str, read_only| Array { name: name.to_string(), bytes: 4096, read_only };
        let at = |array| Address { array, lane: 4, warp: 128, cta: 1024, ..Address::default() };
        let load = |array| Op::Load { address: at(array), lanes: 32 };
        let program = vec![load(0), load(2), Op::Wait { loads: 0 }, Op::Store { address: at(1), lanes: 32 }];
        let arrays = vec![array("in", false), array("out", false), array("constant", true)];
        let k = kernel("K", 3, 64, program);
        let mut m = ordered(&gpu, &[Kernel { arrays, launches: vec![Launch { gap: 500, ..k.launches[0].clone() }], ..k }], "reset");
        m.record_events = true;
        while m.launch_ends.is_empty() {
            m.step();
        }
        let at_end = m.l1_contents();
        assert_eq!(m.launch_ends[0].held, at_end);
        while m.run(KernelId(0)).placed < 3 {
            m.step();
        }
        let of_sm = |held: &[WordCounts]| held[3..6].iter().map(|h| [h.valid, h.written, h.owned]).collect::<Vec<_>>();
        (of_sm(&at_end), of_sm(&m.l1_contents()))
    };
    // Each CTA has 64 words of each array, and an SM of its own.
    assert_eq!(held("denovo"), (vec![[64, 0, 0], [0, 0, 64], [64, 0, 0]], vec![[0, 0, 0], [0, 0, 64], [64, 0, 0]]));
    assert_eq!(held("gpu"), (vec![[64, 0, 0], [64, 0, 0], [64, 0, 0]], vec![[0, 0, 0]; 3]));
    assert_eq!(held("none"), (vec![[64, 0, 0], [0, 0, 0], [64, 0, 0]], vec![[64, 0, 0], [0, 0, 0], [64, 0, 0]]));
}

//! Is a CTA's place free when its stores are over, where it waits for them?

use super::*;
use crate::describe::gpu::protocols::L1Protocol;

const A: KernelId = KernelId(0);

/// An SM with one place, and two CTAs of one warp for it.
fn one_place(exit: Exit, protocol: L1Protocol, program: Vec<Op>) -> Machine {
    let mut gpu = gpu(1);
    (gpu.sms[0].ctas, gpu.sms[0].exit, gpu.sms[0].l1.protocol) = (1, exit, protocol);
    let mut m = machine(&gpu, &[kernel("A", 2, 32, program)], false);
    m.record_events = true;
    m
}

fn cycles(m: &Machine, placed: bool) -> Vec<Cycle> {
    m.events.iter().filter(|event| event.placed == placed).map(|event| event.cycle).collect()
}

/// The cycles in which answers to stores come until the kernel is done.
fn answers(m: &mut Machine) -> Vec<Cycle> {
    let mut answers = Vec::new();
    while m.runs_done() == 0 {
        let (now, before) = (m.now, m.kernel_stats(A).replies);
        m.step();
        answers.extend((before < m.kernel_stats(A).replies).then_some(now));
    }
    answers
}

/// One warp, one store of one line or of 32: the CTA is done with the last acknowledgement, and the next one has its place in that cycle.
#[test]
fn a_place_is_free_with_the_last_acknowledgement() {
    for lines in [1, 32] {
        let address = Address { lane: if lines == 1 { 4 } else { 128 }, cta: 8192, ..Address::default() };
        let mut m = one_place(Exit::StoresAcknowledged, L1Protocol::Uncoherent, vec![Op::Store { address, lanes: 32 }]);
        let answers = answers(&mut m);
        let last = [answers[lines - 1], answers[2 * lines - 1]];
        assert_eq!((answers.len(), cycles(&m, false)), (2 * lines, last.to_vec()), "{lines} lines");
        assert_eq!(cycles(&m, true), [0, last[0]]);
        assert!(last[0] > 150, "a way to L2 and back");
    }
}

/// Without the rule it is done with its last instruction; where L1D keeps what is written, with the cycle in which that takes the store: the
/// next after its issue.
#[test]
fn a_place_is_free_before_that_without_the_rule_or_with_a_store_that_stays() {
    for (exit, protocol, left) in [
        (Exit::Issued, L1Protocol::Uncoherent, [1, 2]),
        (Exit::Issued, L1Protocol::GpuCoherence, [1, 2]),
        (Exit::StoresAcknowledged, L1Protocol::GpuCoherence, [2, 4]),
    ] {
        let mut m = one_place(exit, protocol, vec![Op::Store { address: unit(Scatter::None), lanes: 32 }]);
        answers(&mut m);
        assert_eq!((cycles(&m, false), cycles(&m, true)), (left.to_vec(), vec![0, left[0]]), "{exit:?}, {protocol:?}");
    }
}

/// Without credits the store never leaves: a CTA that waits for it is known never to end.
#[test]
fn a_cta_whose_store_gets_no_credit_never_ends() {
    for (exit, ctas_done, barred) in [(Exit::Issued, 2, false), (Exit::StoresAcknowledged, 0, true)] {
        let mut m = one_place(exit, L1Protocol::Uncoherent, vec![Op::Store { address: unit(Scatter::None), lanes: 32 }]);
        let mut controls = m.controls().clone();
        controls.sms[0].miss_credits[A] = Some(0);
        m.set_controls(controls.clone());
        run(&mut m, 10_000);
        assert_eq!((m.kernel_stats(A).ctas_done, m.sms[0].barred(A, &controls.sms[0])), (ctas_done, barred), "{exit:?}");
    }
}

/// A CTA that is switched out leaves when its stores are acknowledged, and finishes elsewhere, or here, with those that it issues then.
#[test]
fn a_cta_leaves_with_no_store_under_way() {
    let store = Op::Store { address: unit(Scatter::None), lanes: 32 };
    let alu = Op::Alu { count: 30, latency: 4, lanes: 32 };
    let mut left_early = 0;
    for at in (1..400).step_by(3) {
        let mut m = one_place(Exit::StoresAcknowledged, L1Protocol::Uncoherent, vec![store.clone(), alu.clone(), store.clone()]);
        run(&mut m, at);
        let mut controls = m.controls().clone();
        (controls.sms[0].cta_target[A], controls.sms[0].cta_switch[A]) = (0, true);
        m.set_controls(controls.clone());
        while m.sms[0].ctas.count() > 0 {
            m.step();
        }
        let s = m.kernel_stats(A);
        assert_eq!((s.l1_writes, s.replies), (s.store_instructions, s.store_instructions), "at {at}");
        left_early += s.ctas_switched_out;
        controls.sms[0].cta_target[A] = 8;
        m.set_controls(controls);
        run(&mut m, 20_000);
        let s = m.kernel_stats(A);
        assert_eq!((s.ctas_done, s.replies, s.ctas_switched_in), (2, 4, s.ctas_switched_out), "at {at}");
    }
    assert!(left_early > 20, "{left_early} left before their end");
}

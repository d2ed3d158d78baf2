//! Is every function of a protocol called, and does the field choose the protocol?

use super::AnyProtocol;
use crate::describe::error::Problems;
use crate::describe::gpu::{fields, presets};
use crate::describe::ids::KernelId;
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op, Trips};
use crate::machine::Machine;
use crate::machine::dispatch::order::CtaOrderSpec;
use crate::seam::controls::{Controls, WarpOrder};
use alloc::vec;

/// A machine after three runs of one warp that reads `lines` lines, one after the other, and then writes the first.
fn after_three_runs(protocol: &str, lines: u32) -> Machine {
    let mut gpu = presets::find("tiny-2sm").unwrap();
    let mut problems = Problems::default();
    fields::set(&mut gpu, "sm.l1.protocol", &protocol.into(), "gpu", &mut problems);
    assert!(problems.0.is_empty(), "{problems:?}");
    let address = Address { lane: 4, ..Address::default() };
    let read = Op::Load { address: Address { loops: [128, 0, 0], ..address }, lanes: 32 };
    let body = vec![Op::Loop { trips: Trips::Fixed(lines) }, read, Op::Wait { loads: 0 }, Op::End, Op::Store { address, lanes: 32 }];
    let kernel = Kernel {
        name: "K".into(),
        title: "".into(),
        doc: "".into(),
        source: "".into(),
        arrays: vec![Array { name: "a".into(), bytes: 1 << 20, read_only: false }],
        launches: vec![Launch { grid: 1.into(), threads: 32, registers: 16, shared_bytes: 0, program: body, ..Launch::default() }],
        repeats: vec![],
        lists: vec![],
    };
    let mut machine = Machine::new(&gpu, &[kernel], 1, true, &CtaOrderSpec::default(), Controls::neutral(2, WarpOrder::Gto));
    while machine.runs_done() < 3 {
        machine.step();
    }
    machine.settle();
    machine
}

/// Without coherence the next launch finds what a launch has read, but for the line that was written; a launch that starts with a
/// self-invalidation reads everything again, and its stores leave their lines where they are.
#[test]
fn a_second_protocol_is_a_file_and_a_line() {
    let misses = |protocol, lines| after_three_runs(protocol, lines).kernel_stats(KernelId(0)).l1_misses;
    assert_eq!((misses("none", 8), misses("invalidating", 8)), (8 + 1 + 1, 3 * 8));
    let machine = after_three_runs("invalidating", 64);
    let AnyProtocol::Invalidating(protocol) = &machine.sms[0].l1().protocol else { panic!("another protocol was chosen") };
    // 32 of the 64 lines fit.
    assert_eq!(protocol.heard(), (3 * 32, (4, 3)), "the fourth run has begun");
}

//! Is every function of a protocol called, and does the field choose the protocol?

use super::AnyProtocol;
use crate::describe::digest::Fnv;
use crate::describe::error::Problems;
use crate::describe::gpu::{Gpu, fields, presets};
use crate::describe::ids::{Cycle, KernelId, LaunchId};
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op, Scatter, Trips};
use crate::machine::Machine;
use crate::machine::dispatch::order::CtaOrderSpec;
use crate::seam::controls::{Controls, WarpOrder};
use alloc::vec;
use alloc::vec::Vec;
use core::hash::Hasher;

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

/// A GPU with two SMs and this protocol, some of its other fields changed.
fn with(protocol: &str, fields: &[(&str, u32)]) -> Gpu {
    let mut gpu = presets::find("tiny-2sm").unwrap();
    let mut problems = Problems::default();
    fields::set(&mut gpu, "sm.l1.protocol", &protocol.into(), "gpu", &mut problems);
    fields.iter().for_each(|&(path, value)| fields::set(&mut gpu, path, &value.into(), "gpu", &mut problems));
    assert!(problems.0.is_empty(), "{problems:?}");
    gpu
}

fn launch(ctas: u32, program: Vec<Op>) -> Launch {
    Launch { grid: ctas.into(), threads: 32, registers: 16, program, ..Launch::default() }
}

fn machine(gpu: &Gpu, launches: Vec<Launch>, restart: bool) -> Machine {
    let arrays = vec![Array { name: "a".into(), bytes: 1 << 20, read_only: false }];
    let kernel =
        Kernel { name: "K".into(), title: "".into(), doc: "".into(), source: "".into(), arrays, launches, repeats: vec![], lists: vec![] };
    Machine::new(gpu, &[kernel], 1, restart, &CtaOrderSpec::default(), Controls::neutral(2, WarpOrder::Gto))
}

/// Runs a kernel of these launches once.
fn after(gpu: &Gpu, launches: Vec<Launch>) -> Machine {
    let mut machine = machine(gpu, launches, false);
    while !machine.is_still() {
        assert!(machine.now < 1_000_000, "the kernel ends");
        machine.step();
    }
    machine.settle();
    machine
}

const K: KernelId = KernelId(0);

/// A word of each thread; a CTA has a line of 128 bytes, each turn of the loop another one.
const LINES: Address =
    Address { array: 0, lane: 4, warp: 0, cta: 1 << 14, loops: [128, 0, 0], offset: 0, repeat: 0, scatter: Scatter::None, tile: None };

fn repeat(trips: u32, body: Op) -> Vec<Op> {
    vec![Op::Loop { trips: Trips::Fixed(trips) }, body, Op::Wait { loads: 0 }, Op::End]
}

/// GPU coherence: every launch reads everything anew; what it writes, however often, is one write of each line, at its end.
#[test]
fn gpu_coherence_reads_anew_in_each_launch_and_writes_at_its_end() {
    let read = || repeat(8, Op::Load { address: LINES, lanes: 32 });
    let write = || repeat(8, Op::Store { address: LINES, lanes: 32 });
    let gpu = with("gpu", &[("sm.l1.store_buffer", 64)]);
    let stats = |launches: Vec<Launch>| {
        let stats = after(&gpu, launches).kernel_stats(K);
        (stats.l1_hits, stats.l1_misses, stats.requests - stats.read_requests, stats.l2_writes)
    };
    let twice = |program: Vec<Op>| [program.clone(), program].concat();
    assert_eq!(stats(vec![launch(1, twice(read()))]), (8, 8, 0, 0), "hits within a launch");
    assert_eq!(stats(vec![launch(1, read()), launch(1, read())]), (0, 16, 0, 0), "none across launches");
    assert_eq!(stats(vec![launch(1, twice(write()))]), (0, 0, 8, 8), "stores coalesce");
    assert_eq!(stats(vec![launch(1, [write(), read()].concat())]), (8, 0, 8, 8), "and are read where they are");
    assert_eq!(stats(vec![launch(1, write()), launch(1, read())]), (0, 8, 8, 8), "but not by the next launch");
}

/// The words of a line are apart: after a store of 16 of them a load of these hits, and one of all 32 fetches the line.
#[test]
fn words_that_a_store_has_not_written_are_fetched() {
    let gpu = with("gpu", &[]);
    let misses = |lanes| {
        let store = Op::Store { address: LINES, lanes: 16 };
        let machine = after(&gpu, vec![launch(1, vec![store, Op::Load { address: LINES, lanes }, Op::Wait { loads: 0 }])]);
        machine.kernel_stats(K).l1_misses
    };
    assert_eq!((misses(16), misses(17), misses(32)), (0, 1, 1));
}

/// A store buffer of four entries: of 20 lines that are written in turn, three times, all but the last four have left before the launch ends,
/// each time that they are written; with 32 entries all leave at the end, once.
#[test]
fn a_full_store_buffer_lets_its_oldest_line_go() {
    let rounds = vec![Op::Loop { trips: Trips::Fixed(3) }, Op::Loop { trips: Trips::Fixed(20) }];
    let store = Op::Store { address: Address { loops: [0, 128, 0], ..LINES }, lanes: 32 };
    let program = [rounds, vec![store, Op::End, Op::End]].concat();
    let writes =
        |entries| after(&with("gpu", &[("sm.l1.store_buffer", entries)]), vec![launch(1, program.clone())]).kernel_stats(K).l2_writes;
    assert_eq!((writes(32), writes(4), writes(1)), (20, 60, 60));
}

/// An L1D of four lines: what does not fit is written through when it is pushed out, and nothing is written twice.
#[test]
fn written_words_that_are_pushed_out_reach_l2() {
    let gpu = with("gpu", &[("sm.l1.bytes", 512), ("sm.l1.ways", 2), ("sm.l1.store_buffer", 64)]);
    let write = repeat(20, Op::Store { address: LINES, lanes: 32 });
    let read = repeat(20, Op::Load { address: LINES, lanes: 32 });
    let stats = after(&gpu, vec![launch(2, [write, read].concat())]).kernel_stats(K);
    assert_eq!((stats.l2_writes, stats.l1_misses), (40, 40), "of two CTAs");
}

/// A launch begins after all that the one before has written is at L2, acknowledged: also what the other SM has written.
#[test]
fn a_launch_waits_for_what_the_one_before_has_written() {
    let gpu = with("gpu", &[]);
    let write = repeat(6, Op::Store { address: LINES, lanes: 32 });
    let mut machine = machine(&gpu, vec![launch(2, write), launch(2, repeat(1, Op::Load { address: LINES, lanes: 32 }))], false);
    machine.record_events = true;
    let (mut finished, mut begun) = (0, 0);
    while begun == 0 {
        machine.step();
        for event in core::mem::take(&mut machine.events) {
            finished += u32::from(!event.placed);
            if event.placed && finished == 2 {
                begun = event.cycle;
            }
        }
        let stats = machine.kernel_stats(K);
        assert_eq!(machine.run(K).launch == LaunchId(1), begun > 0);
        assert!(begun == 0 || stats.replies == 12, "{} of 12 writes are acknowledged", stats.replies);
        assert!(machine.now < 100_000);
    }
}

/// Nobody can tell whether parts sleep, in what order they are looked at, or whether a run is a copy of another.
#[test]
fn by_word_too_sleeping_order_and_copies_change_nothing() {
    let address = |scatter| Address { cta: 256, warp: 64, loops: [4096, 0, 0], scatter, ..LINES };
    let program = vec![
        Op::Loop { trips: Trips::PerWarp { min: 1, max: 3 } },
        Op::Load { address: address(Scatter::Lane { bytes: 1 << 13 }), lanes: 20 },
        Op::Store { address: address(Scatter::None), lanes: 32 },
        Op::Wait { loads: 1 },
        Op::Load { address: address(Scatter::None), lanes: 32 },
        Op::Store { address: address(Scatter::Lane { bytes: 1 << 12 }), lanes: 7 },
        Op::End,
    ];
    for protocol in ["gpu"] {
        for entries in [3, 40] {
            let gpu = with(protocol, &[("sm.l1.bytes", 2048), ("sm.l1.ways", 4), ("sm.l1.store_buffer", entries), ("sm.l1.mshrs", 16)]);
            let launch = Launch { threads: 96, ..launch(9, program.clone()) };
            let mut plain = machine(&gpu, vec![launch.clone(), launch], true);
            let (mut awake, mut reversed) = (plain.clone(), plain.clone());
            awake.keep_awake = true;
            reversed.reversed = true;
            for _ in 0..60 {
                let mut copy = plain.clone();
                let digests = [&mut plain, &mut copy, &mut awake, &mut reversed].map(|machine| {
                    run(machine, 997);
                    digest(machine)
                });
                assert_eq!(digests, [digests[0]; 4], "{protocol}, {entries} entries, at {}", plain.now);
            }
            assert!(plain.runs_done() > 0, "{protocol}: the kernel comes around");
        }
    }
}

fn run(machine: &mut Machine, cycles: Cycle) {
    let end = machine.now + cycles;
    while machine.now < end {
        machine.advance(end);
        let next = machine.next_event().min(end);
        if next > machine.now {
            machine.skip_to(next);
        }
    }
}

fn digest(machine: &mut Machine) -> u64 {
    machine.settle();
    let mut state = Fnv::default();
    machine.hash_state(&mut state);
    state.finish()
}

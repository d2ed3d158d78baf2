//! Is every function of a protocol called, and does the field choose the protocol?

use super::AnyProtocol;
use crate::describe::digest::Fnv;
use crate::describe::error::Problems;
use crate::describe::gpu::{Gpu, fields, presets};
use crate::describe::ids::{Cycle, KernelId, LaunchId};
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op, Scatter, Trips};
use crate::interface::controls::{Controls, WarpOrder};
use crate::interface::spec::Entry;
use crate::machine::Machine;
use crate::machine::dispatch::order::{CtaOrderInfo, CtaOrderSpec};
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

/// Without coherence the next launch finds what a launch has read, but for the line that was written. A launch that starts with a
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

/// What is stored stays under `allocating`: a line that was stored whole is read without a miss, and one of which a part was stored is not.
#[test]
fn a_store_of_a_whole_line_takes_a_way_under_allocating() {
    let misses = |protocol, lanes| {
        let mut gpu = with(protocol, &[]);
        let mut problems = Problems::default();
        fields::set(&mut gpu, "noc.store_flits", &"bytes".into(), "gpu", &mut problems);
        assert!(problems.0.is_empty(), "{problems:?}");
        let at = Address { loops: [128, 0, 0], ..LINES };
        let each = |op| [Op::Loop { trips: Trips::Fixed(8) }, op, Op::End];
        let program =
            [&each(Op::Store { address: at, lanes })[..], &each(Op::Load { address: at, lanes: 32 }), &[Op::Wait { loads: 0 }]].concat();
        after(&gpu, vec![launch(1, program)]).kernel_stats(KernelId(0)).l1_misses
    };
    assert_eq!([misses("allocating", 32), misses("allocating", 16), misses("none", 32)], [0, 8, 8]);
}

/// A GPU with two SMs and this protocol, on a mesh if the protocol needs one, some of its other fields changed.
fn with(protocol: &str, fields: &[(&str, u32)]) -> Gpu {
    let mut gpu = presets::find("tiny-2sm").unwrap();
    let mut problems = Problems::default();
    let noc = if protocol == "denovo" { "mesh" } else { "crossbar" };
    fields::set(&mut gpu, "noc.kind", &noc.into(), "gpu", &mut problems);
    fields::set(&mut gpu, "sm.l1.protocol", &protocol.into(), "gpu", &mut problems);
    // A coherent L1D takes its way when the line arrives: a description that says otherwise is refused.
    fields::set(&mut gpu, "sm.l1.allocate", &"on_fill".into(), "gpu", &mut problems);
    fields.iter().for_each(|&(path, value)| fields::set(&mut gpu, path, &value.into(), "gpu", &mut problems));
    assert!(problems.0.is_empty(), "{problems:?}");
    gpu
}

fn launch(ctas: u32, program: Vec<Op>) -> Launch {
    Launch { grid: ctas.into(), threads: 32, registers: 16, program, ..Launch::default() }
}

fn machine(gpu: &Gpu, launches: Vec<Launch>, restart: bool) -> Machine {
    Machine::new(gpu, &[kernel(launches)], 1, restart, &CtaOrderSpec::default(), Controls::neutral(2, WarpOrder::Gto))
}

fn kernel(launches: Vec<Launch>) -> Kernel {
    let arrays = vec![Array { name: "a".into(), bytes: 1 << 20, read_only: false }];
    Kernel { name: "K".into(), title: "".into(), doc: "".into(), source: "".into(), arrays, launches, repeats: vec![], lists: vec![] }
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

/// A store buffer of four entries: of 20 lines that are written in turn, three times, all but the last four have left before the launch
/// ends, each time that they are written. With 32 entries all leave at the end, once.
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
    for protocol in ["gpu", "denovo"] {
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

/// Every word that L2 has down as owned is owned by that L1D, and no other word is.
fn assert_owners_agree(machine: &Machine) {
    let sms = || (0..).zip(&machine.sms);
    let mut here: Vec<_> = sms().flat_map(|(sm, of)| of.l1().owned().into_iter().map(move |(line, words)| (line, sm, words))).collect();
    let mut home = machine.memory.owned();
    here.sort_unstable();
    home.sort_unstable();
    assert_eq!(here, home);
}

/// What a launch has written is still here in the next under DeNovo, and is not under GPU coherence; what it has only read is in neither.
#[test]
fn owned_words_survive_the_end_of_a_launch() {
    let write = || repeat(8, Op::Store { address: LINES, lanes: 32 });
    let read = || repeat(8, Op::Load { address: LINES, lanes: 32 });
    let stats = |protocol, launches: Vec<Launch>| {
        let machine = after(&with(protocol, &[("sm.l1.store_buffer", 64)]), launches);
        assert_owners_agree(&machine);
        let stats = machine.kernel_stats(K);
        (stats.l1_hits, stats.l1_misses, stats.l2_writes)
    };
    assert_eq!(stats("denovo", vec![launch(1, write()), launch(1, read())]), (8, 0, 8), "a registration of each line");
    assert_eq!(stats("gpu", vec![launch(1, write()), launch(1, read())]), (0, 8, 8));
    assert_eq!(stats("denovo", vec![launch(1, read()), launch(1, read())]), (0, 16, 0));
    assert_eq!(stats("denovo", vec![launch(1, write()), launch(1, write()), launch(1, read())]), (8, 0, 8), "owned once");
}

/// Without owners L2 does every atomic operation, and what an L1D has read of the word is gone. Of a line that L2 does not have it needs
/// the old values, also where a store of the whole line needs none.
#[test]
fn l2_does_atomic_operations_where_nobody_owns_words() {
    let at = Address { cta: 0, ..LINES };
    let add = || repeat(8, Op::Atomic { address: at, lanes: 32 });
    let store = || repeat(8, Op::Store { address: at, lanes: 32 });
    let load = || repeat(8, Op::Load { address: at, lanes: 32 });
    for protocol in ["none", "gpu"] {
        let stats = |launches: Vec<Launch>| {
            let mut gpu = with(protocol, &[("sm.l1.store_buffer", 3)]);
            let mut problems = Problems::default();
            fields::set(&mut gpu, "l2.write_fill", &"full_lines_skip".into(), "gpu", &mut problems);
            assert!(problems.0.is_empty(), "{problems:?}");
            let stats = after(&gpu, launches).kernel_stats(K);
            (stats.l2_writes, stats.l1_writes, stats.dram_reads)
        };
        assert_eq!(stats(vec![launch(2, [add(), add()].concat())]), (32, 32, 8), "{protocol}");
        assert_eq!(stats(vec![launch(1, store())]), (8, 8, 0), "{protocol}");
        let hits = |launches| after(&with(protocol, &[]), launches).kernel_stats(K).l1_hits;
        assert_eq!(hits(vec![launch(1, [load(), add(), load()].concat())]), 0, "{protocol}");
        assert_eq!(hits(vec![launch(1, [store(), add(), load()].concat())]), 0, "{protocol}");
    }
}

/// Under DeNovo an L1D takes the words of an atomic operation once, with their values, and owns them from then on: further operations happen there, also in
/// the next launch, and loads hit. Words that an L1D has written or owns are not asked for.
#[test]
fn an_owner_does_atomic_operations_itself() {
    let add = || repeat(8, Op::Atomic { address: LINES, lanes: 32 });
    let store = || repeat(8, Op::Store { address: LINES, lanes: 32 });
    let load = || repeat(8, Op::Load { address: LINES, lanes: 32 });
    let stats = |launches: Vec<Launch>| {
        let machine = after(&with("denovo", &[("sm.l1.store_buffer", 64)]), launches);
        assert_owners_agree(&machine);
        let stats = machine.kernel_stats(K);
        (stats.l2_writes, stats.dram_reads, stats.l1_hits)
    };
    assert_eq!(stats(vec![launch(1, [add(), add()].concat())]), (8, 8, 0));
    assert_eq!(stats(vec![launch(1, [add(), load()].concat())]), (8, 8, 8));
    assert_eq!(stats(vec![launch(1, add()), launch(1, [add(), load()].concat())]), (8, 8, 8));
    assert_eq!(stats(vec![launch(1, store()), launch(1, add())]), (8, 0, 0), "owned before");
    assert_eq!(stats(vec![launch(1, [store(), add()].concat())]), (8, 0, 0), "written before");
}

/// Every SM adds to the same words, again and again, beside others whose lines push them out: each word goes from owner to owner, memory is read once, and
/// in the end one owns each.
#[test]
fn words_that_all_add_to_go_from_owner_to_owner() {
    let small = [("sm.l1.bytes", 512), ("sm.l1.ways", 2), ("l2.bank_bytes", 256), ("l2.ways", 1), ("sm.l1.store_buffer", 3)];
    let shared = Address { cta: 0, loops: [0, 0, 0], ..LINES };
    let own = Address { cta: 1 << 12, loops: [128, 0, 0], offset: 1 << 14, ..LINES };
    let body = vec![
        Op::Atomic { address: shared, lanes: 20 },
        Op::Atomic { address: Address { offset: 64, ..shared }, lanes: 9 },
        Op::Store { address: own, lanes: 32 },
        Op::Atomic { address: own, lanes: 32 },
    ];
    let program = [vec![Op::Loop { trips: Trips::Fixed(20) }], body, vec![Op::End]].concat();
    let machine = after(&with("denovo", &small), vec![Launch { threads: 64, ..launch(6, program.clone()) }; 2]);
    assert_owners_agree(&machine);
    let add = |pause| {
        let body = vec![Op::Atomic { address: shared, lanes: 32 }, Op::Alu { count: pause, latency: 20, lanes: 32 }];
        let program = [vec![Op::Loop { trips: Trips::Fixed(20) }], body, vec![Op::End]].concat();
        let machine = after(&with("denovo", &[]), vec![launch(2, program)]);
        assert_owners_agree(&machine);
        let stats = machine.kernel_stats(K);
        assert_eq!(stats.dram_reads, 1);
        stats.l2_writes
    };
    assert!(add(1) < 5, "operations join while the words are on their way");
    assert!(add(10) >= 20, "who has lost them takes them back, each time");
}

/// CTA n writes its lines in the first launch, and CTA n reads those of its neighbour's in the second. They come from the other SM's L1D,
/// which keeps them, and L2 has none of them.
#[test]
fn what_another_sm_has_written_comes_from_its_l1d() {
    let neighbour = Address { cta: -(1 << 14), offset: 1 << 14, ..LINES };
    let launches = vec![
        launch(2, repeat(8, Op::Store { address: LINES, lanes: 32 })),
        launch(2, repeat(8, Op::Load { address: neighbour, lanes: 32 })),
        launch(2, repeat(8, Op::Load { address: LINES, lanes: 32 })),
    ];
    let machine = after(&with("denovo", &[("sm.l1.store_buffer", 64)]), launches);
    assert_owners_agree(&machine);
    let stats = machine.kernel_stats(K);
    assert_eq!((stats.misses_to_remote_l1, stats.misses_to_l2, stats.misses_to_memory), (16, 0, 0));
    assert_eq!((stats.l1_hits, stats.l2_misses), (16, 0), "the owner still has them, and memory was never asked");
}

/// A line of which another SM owns a half: L2 has the other half, fetched from DRAM; the words come from both.
#[test]
fn a_line_comes_from_l2_and_from_its_owners() {
    let store = Op::Store { address: Address { cta: 64, loops: [1 << 14, 0, 0], ..LINES }, lanes: 16 };
    let load = Op::Load { address: Address { cta: 0, loops: [1 << 14, 0, 0], ..LINES }, lanes: 32 };
    let machine = after(&with("denovo", &[]), vec![launch(2, repeat(4, store)), launch(2, repeat(4, load.clone()))]);
    assert_owners_agree(&machine);
    let stats = machine.kernel_stats(K);
    // Each SM has its own half and asks for the other.
    assert_eq!((stats.l1_misses, stats.misses_to_remote_l1, stats.replies), (8, 8, 8 + 8));
    let three = Op::Store { address: Address { cta: 64, loops: [1 << 14, 0, 0], ..LINES }, lanes: 8 };
    let machine = after(&with("denovo", &[]), vec![launch(2, repeat(4, three)), launch(2, repeat(4, load.clone()))]);
    let stats = machine.kernel_stats(K);
    assert_eq!((stats.l1_misses, stats.misses_to_remote_l1, stats.replies), (8, 8, 8 + 16), "two answers each");
    assert_eq!((stats.l2_misses, stats.dram_reads), (4, 4), "what nobody has written is in memory");
}

/// A load of other words of a line that is under way waits for it and holds nobody back. What does not come with the line is asked for then: words
/// that another SM owns.
#[test]
fn a_load_of_other_words_waits_for_a_line_under_way() {
    let part = |word: i64| Op::Load { address: Address { cta: 0, offset: 4 * word, ..LINES }, lanes: 8 };
    let elsewhere = Op::Load { address: Address { cta: 0, offset: 1 << 14, ..LINES }, lanes: 8 };
    let loads = || vec![part(8), part(16), elsewhere.clone(), Op::Wait { loads: 0 }];
    let stats = |first: Vec<Launch>| {
        let machine = after(&with("denovo", &[]), [first, vec![launch(1, loads())]].concat());
        let stats = machine.kernel_stats(K);
        assert_eq!(stats.fail_merge, 0);
        (stats.l1_misses, stats.l1_merged, stats.reads_again, stats.misses_to_remote_l1)
    };
    assert_eq!(stats(vec![]), (2, 1, 0, 0), "all of the line comes from memory");
    let eight = Op::Store { address: Address { cta: 64, ..LINES }, lanes: 8 };
    assert_eq!(stats(vec![launch(2, vec![eight])]), (2, 1, 1, 1), "words 16 to 23 are SM 1's");
}

/// L1Ds of four lines, and an L2 of two: words are written back and recalled all the time, whoever reads them next. Nothing is lost: in the end L2 and L1Ds
/// agree on who owns what.
#[test]
fn written_back_and_recalled_words_are_found_again() {
    let small = [("sm.l1.bytes", 512), ("sm.l1.ways", 2), ("l2.bank_bytes", 256), ("l2.ways", 1), ("sm.l1.store_buffer", 3)];
    let at = |shift: i64| Address { cta: 1 << 9, warp: 128, loops: [1 << 12, 0, 0], offset: shift, ..LINES };
    let update = |shift: i64| {
        let body = [Op::Load { address: at(shift), lanes: 32 }, Op::Wait { loads: 0 }, Op::Store { address: at(shift), lanes: 20 }];
        [&[Op::Loop { trips: Trips::Fixed(6) }][..], &body, &[Op::End]].concat()
    };
    let of = |shift| Launch { threads: 128, ..launch(6, update(shift)) };
    let machine = after(&with("denovo", &small), vec![of(0), of(512), of(1024), of(0)]);
    assert_owners_agree(&machine);
    let stats = machine.kernel_stats(K);
    assert!(stats.noc_writeback_crossings > 0 && stats.l2_dirty_victims > 100, "{stats:?}");
    assert!(machine.memory.owned().len() <= 4, "L2 has room for four lines");
}

/// Lines of an array that is read only stay from launch to launch, unless the GPU says that they do not.
#[test]
fn read_only_lines_stay_where_the_gpu_keeps_them() {
    let hits = |kept: &str| {
        let mut gpu = with("denovo", &[]);
        let mut problems = Problems::default();
        fields::set(&mut gpu, "sm.l1.read_only", &kept.into(), "gpu", &mut problems);
        let load = |array| repeat(4, Op::Load { address: Address { array, ..LINES }, lanes: 32 });
        let program = [load(0), load(1)].concat();
        let arrays = ["a", "b"].map(|name| Array { name: name.into(), bytes: 1 << 20, read_only: name == "b" });
        let kernel = Kernel { arrays: arrays.into(), ..kernel(vec![launch(1, program); 2]) };
        let mut machine = Machine::new(&gpu, &[kernel], 1, false, &CtaOrderSpec::default(), Controls::neutral(2, WarpOrder::Gto));
        while !machine.is_still() {
            machine.step();
        }
        machine.kernel_stats(K).l1_hits
    };
    assert_eq!((hits("kept"), hits("dropped")), (4, 0));
}

/// The paper's smallest microbenchmark (IKRA §6.1): what each SM works on fits its L1D. With `reset` every launch but the first finds it there.
#[test]
fn gpu_small_hits_in_l1d_after_its_first_launch() {
    let kernel = crate::describe::kernel::library::find("ikra/SMALL").unwrap();
    let misses = |protocol: &str, order: &str| {
        let mut gpu = presets::find("ikra-micro-3cu").unwrap();
        let mut problems = Problems::default();
        fields::set(&mut gpu, "sm.l1.protocol", &protocol.into(), "gpu", &mut problems);
        let order = CtaOrderSpec::of(CtaOrderInfo::find(order).unwrap());
        assert!(problems.0.is_empty(), "{problems:?}");
        let mut machine = Machine::new(&gpu, core::slice::from_ref(&kernel), 1, false, &order, Controls::neutral(3, WarpOrder::Gto));
        while !machine.is_still() {
            run(&mut machine, 1000);
        }
        machine.settle();
        if protocol == "denovo" {
            assert_owners_agree(&machine);
        }
        let stats = machine.kernel_stats(K);
        (stats.l1_misses, stats.misses_to_remote_l1, stats.l1_reads, machine.now)
    };
    let (reset, remote, reads, _) = misses("denovo", "reset");
    assert_eq!((reset, remote), (12 * 8192 / 64, 0), "each line once, of {reads} reads");
    let (gpu, remote, ..) = misses("gpu", "reset");
    assert_eq!((gpu, remote), (16 * reset, 0), "each line in each launch");
}

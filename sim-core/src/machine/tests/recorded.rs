//! Recorded launches: do their instructions wait for what they read and for nothing else?

use super::*;
use crate::describe::recorded::{Chunk, Does, Form, Lanes, Recorded, Step, Trace};
use alloc::sync::Arc;

/// A step of a trace that is written by hand: what it does, the registers that it writes and reads, its addresses.
struct One(Does, &'static [u16], &'static [u16], Lanes, u64);

fn alu(results: &'static [u16], sources: &'static [u16]) -> One {
    One(Does::Arithmetic, results, sources, Lanes::Stride(0, 0), 0)
}

/// A load of a line of its own.
fn load(result: &'static [u16], at: u64) -> One {
    One(Does::Load, result, &[], Lanes::Stride(32, 4), at)
}

/// A kernel of so many CTAs, of so many warps each, that all do this, each warp in a memory of its own.
fn recorded(name: &str, ctas: u32, warps: u32, width: u8, steps: Vec<One>) -> Kernel {
    let mut trace = Trace { warps_of_cta: warps, patterns: vec![0, steps.len() as u32], ..Trace::default() };
    for (form, One(does, results, sources, lanes, at)) in (0..).zip(steps) {
        trace.forms.push(Form { does, width, results: results.to_vec(), sources: sources.to_vec() });
        trace.steps.push(Step { form, active: 32, lanes, base: 0, beyond: at as i64 });
    }
    for warp in 0..ctas * warps {
        trace.warps.push(warp);
        trace.chunks.push(Chunk { pattern: 0, bases: warp });
        trace.bases.push(u64::from(warp) << 14);
    }
    trace.warps.push(ctas * warps);
    trace.bytes = 64 << 20;
    let mut kernel = kernel(name, ctas, 32 * warps, vec![]);
    kernel.launches[0].recorded = Some(Recorded { recording: trace.steps.len() as u64, launch: 0, trace: Some(Arc::new(trace)) });
    kernel
}

fn issued(m: &Machine) -> u64 {
    m.kernel_stats(KernelId(0)).warp_instructions
}

#[test]
fn who_reads_a_result_waits_for_it_and_who_does_not_does_not() {
    let chain = |_| alu(&[1], &[1]);
    const REGISTERS: [&[u16]; 4] = [&[1], &[2], &[3], &[4]];
    let apart = |n: usize| alu(REGISTERS[n % 4], &[9]);
    for (steps, cycles) in [((0..100).map(chain).collect::<Vec<_>>(), 1 + 4 * 50), ((0..100).map(apart).collect(), 51)] {
        // A register is written again when what was written before is there: with four of them, nobody waits.
        let mut m = machine(&gpu(1), &[recorded("A", 1, 1, 0, steps)], false);
        run(&mut m, cycles);
        assert_eq!(issued(&m), 50);
    }
}

/// A barrier between who writes a register and who reads it does not make the value come earlier.
#[test]
fn a_result_is_waited_for_behind_a_barrier_too() {
    let barrier = || One(Does::Barrier, &[], &[], Lanes::Stride(0, 0), 0);
    let steps = (0..100).map(|n| if n % 2 == 0 { alu(&[1], &[1]) } else { barrier() }).collect();
    let mut m = machine(&gpu(1), &[recorded("A", 1, 1, 0, steps)], false);
    run(&mut m, 1 + 4 * 25);
    assert_eq!(issued(&m), 50);
}

#[test]
fn a_load_is_waited_for_by_who_reads_it() {
    let mut steps = vec![load(&[1], 0)];
    steps.extend((0..30).map(|_| alu(&[5], &[9])));
    steps.push(alu(&[6], &[1]));
    let mut m = machine(&gpu(1), &[recorded("A", 1, 1, 4, steps)], false);
    run(&mut m, 1 + 1 + 30 * 4);
    assert_eq!(issued(&m), 31, "all but the one that reads the load");
    run(&mut m, 1000);
    let stats = m.kernel_stats(KernelId(0));
    assert_eq!((stats.warp_instructions, stats.ctas_done, stats.loads_done), (32, 1, 1));
}

/// A hit behind a miss is there first: who reads it goes on, though the miss is under way.
#[test]
fn loads_are_waited_for_one_by_one() {
    let steps = |read: &'static [u16]| {
        let warm = vec![load(&[1], 0), alu(&[2], &[1])];
        warm.into_iter().chain([load(&[3], 4096), load(&[4], 0), alu(&[5], read), alu(&[6], &[3])]).collect()
    };
    let done = |read| {
        let mut m = machine(&gpu(1), &[recorded("A", 1, 1, 4, steps(read))], false);
        let mut at = 0;
        while issued(&m) < 5 && at < 5000 {
            run(&mut m, 1);
            at += 1;
        }
        at
    };
    let (hit, miss) = (done(&[4]), done(&[3]));
    assert!(hit + 100 < miss, "the hit's reader goes at {hit}, the miss's at {miss}");
}

#[test]
fn copies_are_waited_for_in_groups() {
    let copy = |at| One(Does::Copy, &[], &[], Lanes::Stride(32, 4), at);
    let waits = |groups| {
        let of = |does| One(does, &[], &[], Lanes::Stride(0, 0), 0);
        let steps = vec![copy(0), of(Does::Commit), copy(4096), copy(8192), of(Does::Commit), of(Does::Wait(groups)), alu(&[1], &[])];
        let mut m = machine(&gpu(1), &[recorded("A", 1, 1, 4, steps)], false);
        let ends = |m: &Machine| (issued(m), m.kernel_stats(KernelId(0)).loads_done);
        while issued(&m) < 7 {
            run(&mut m, 1);
        }
        ends(&m).1
    };
    assert_eq!(waits(2), 0, "nothing is waited for");
    assert!((1..3).contains(&waits(1)), "the first group");
    assert_eq!(waits(0), 3, "both");
}

/// Integers beside single precision: two units of 16 lanes take an instruction a cycle together, one takes one every second cycle.
#[test]
fn integers_have_a_unit_of_their_own() {
    let mixed = |n: u32| One(if n.is_multiple_of(2) { Does::Arithmetic } else { Does::Integer }, &[1], &[2], Lanes::Stride(0, 0), 0);
    for (lanes, apart) in [(16, 1), (0, 2)] {
        let mut gpu = gpu(1);
        (gpu.sms[0].alu_lanes, gpu.sms[0].int_lanes) = (16, lanes);
        let mut m = machine(&gpu, &[recorded("A", 4, 16, 0, (0..400).map(mixed).collect())], false);
        run(&mut m, 201);
        let before = issued(&m);
        run(&mut m, 200);
        assert_eq!(issued(&m) - before, 4 * 200 / apart, "{lanes} lanes");
    }
}

/// A scheduler's tensor unit takes a product of two units every 16 cycles; without one, the arithmetic unit takes it for 64.
#[test]
fn products_take_their_unit() {
    let product = |_| One(Does::Tensor(2), &[1], &[2], Lanes::Stride(0, 0), 0);
    for (interval, apart) in [(8, 16), (0, 64)] {
        let mut gpu = gpu(1);
        gpu.sms[0].tensor_interval = interval;
        let mut m = machine(&gpu, &[recorded("A", 4, 16, 0, (0..200).map(product).collect())], false);
        run(&mut m, 201);
        let before = issued(&m);
        run(&mut m, 64 * 10);
        assert_eq!(issued(&m) - before, 4 * 64 * 10 / apart, "interval {interval}");
    }
}

/// Lanes one word apart go together, two words apart in two parts, on one word at once, and 16 bytes a lane take four.
#[test]
fn banks_of_shared_memory_meet_the_recorded_addresses() {
    for (width, lanes, ways) in [
        (4, Lanes::Stride(32, 4), 1),
        (4, Lanes::Stride(32, 8), 2),
        (4, Lanes::Stride(32, 128), 32),
        (4, Lanes::Stride(32, 0), 1),
        (8, Lanes::Stride(32, 8), 2),
        (16, Lanes::Stride(32, 16), 4),
        (16, Lanes::Stride(32, 0), 4),
        (4, Lanes::Stride(16, 8), 1),
    ] {
        let steps = (0..4).map(|_| One(Does::Shared, &[], &[], lanes, 0)).collect();
        let mut m = machine(&gpu(1), &[recorded("A", 1, 1, width, steps)], false);
        run(&mut m, 1000);
        assert_eq!(m.kernel_stats(KernelId(0)).shared_conflict_cycles, 4 * (ways - 1), "{width} bytes, {lanes:?}");
    }
}

/// Loads, stores, barriers and shared memory of many warps, some of which do nothing.
fn all_kinds(name: &str) -> Kernel {
    let barrier = || One(Does::Barrier, &[], &[], Lanes::Stride(0, 0), 0);
    let steps = vec![
        load(&[1], 0),
        load(&[2, 3], 512),
        alu(&[4], &[1]),
        One(Does::Shared, &[5], &[4], Lanes::Stride(32, 8), 0),
        One(Does::Special, &[6], &[5], Lanes::Stride(0, 0), 0),
        One(Does::Double, &[7, 8], &[6, 3], Lanes::Stride(0, 0), 0),
        barrier(),
        One(Does::Tensor(1), &[9], &[7], Lanes::Stride(0, 0), 0),
        One(Does::Store, &[], &[9, 2], Lanes::Stride(32, 16), 1024),
        One(Does::Atomic, &[], &[9], Lanes::Stride(1, 0), 64),
        load(&[1], 2048),
        barrier(),
        alu(&[1], &[1]),
    ];
    let mut kernel = recorded(name, 40, 8, 4, steps);
    let one = kernel.launches[0].recorded.as_mut().unwrap();
    let mut trace = Trace::clone(one.trace.as_ref().unwrap());
    // The last warp of the launch has nothing, and the first has its part twice.
    let last = trace.warps.len() - 2;
    trace.warps[last] = trace.warps[last + 1];
    let again = trace.chunks[0];
    trace.chunks.insert(0, again);
    trace.chunks.pop();
    trace.warps[1..].iter_mut().for_each(|begin| *begin += 1);
    trace.warps[last + 1] = trace.chunks.len() as u32;
    trace.warps[last] = trace.warps[last + 1];
    one.trace = Some(Arc::new(trace));
    kernel
}

#[test]
fn everything_recorded_finishes() {
    let mut m = machine(&gpu(3), &[all_kinds("A"), mixed("B")], false);
    run(&mut m, 300_000);
    assert_eq!(m.next_event(), NEVER);
    let stats = m.kernel_stats(KernelId(0));
    assert_eq!((stats.ctas_done, stats.runs_done), (40, 1));
    assert_eq!(stats.warp_instructions, 320 * 13, "one warp twice, one not at all");
    assert_eq!((stats.loads_done, stats.store_instructions), (320 * 3, 320 * 2));
}

#[test]
fn sleeping_order_and_clones_change_nothing_for_recorded_kernels() {
    let gpu = gpu(3);
    let mut plain = machine(&gpu, &[all_kinds("A"), mixed("B")], true);
    let mut awake = plain.clone();
    awake.keep_awake = true;
    let mut reversed = plain.clone();
    reversed.reversed = true;
    for _ in 0..20 {
        let mut again = plain.clone();
        for m in [&mut plain, &mut awake, &mut reversed, &mut again] {
            run(m, 997);
        }
        assert!(plain.sms == awake.sms, "SMs at {}", plain.now);
        let of = digest(&mut plain);
        assert_eq!([of, of, of], [digest(&mut awake), digest(&mut reversed), digest(&mut again)]);
    }
}

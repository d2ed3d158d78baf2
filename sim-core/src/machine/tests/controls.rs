//! Does each control, set alone, do exactly what its doc says?

use super::*;
use crate::describe::ids::PerKernel;
use crate::interface::controls::QuotaRefill;

const A: KernelId = KernelId(0);
const B: KernelId = KernelId(1);

/// Arithmetic without end, CTAs of 8 warps.
fn busy(name: &str) -> Kernel {
    kernel(name, 10_000, 256, vec![Op::Alu { count: 400, latency: 4, lanes: 32 }])
}

/// Loads without end, CTAs of 8 warps, every access another line.
fn streaming(name: &str) -> Kernel {
    let address = Address { lane: 4, warp: 128, cta: 1024 * 50, loops: [1024, 0, 0], ..Address::default() };
    kernel(name, 10_000, 256, vec![Op::Loop { trips: Trips::Fixed(50) }, Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }, Op::End])
}

fn controlled(kernels: &[Kernel], set: impl FnOnce(&mut Controls)) -> Machine {
    let gpu = gpu(4);
    let mut m = machine(&gpu, kernels, true);
    change(&mut m, set);
    m
}

/// A machine with these kernels whose SMs all have the controls that `set` makes.
fn alike(kernels: &[Kernel], set: impl FnMut(&mut SmControls)) -> Machine {
    controlled(kernels, |controls| controls.each_sm(set))
}

/// Changes the controls of a machine that runs.
fn change(m: &mut Machine, set: impl FnOnce(&mut Controls)) {
    let mut controls = m.controls().clone();
    set(&mut controls);
    m.set_controls(controls);
}

fn resident(m: &Machine, sm: usize, kernel: KernelId) -> u32 {
    m.sms[sm].ctas.used(kernel).ctas
}

#[test]
fn sm_mask_keeps_a_kernel_to_its_sms_and_evicts_nothing() {
    let mut m = controlled(&[busy("A"), busy("B")], |c| {
        for (number, sm) in c.sms.iter_mut().enumerate() {
            (sm.allowed[A], sm.allowed[B]) = (number < 2, number >= 2);
        }
    });
    run(&mut m, 500);
    let seen: Vec<(bool, bool)> = (0..4).map(|sm| (resident(&m, sm, A) > 0, resident(&m, sm, B) > 0)).collect();
    assert_eq!(seen, [(true, false), (true, false), (false, true), (false, true)]);
    let before = resident(&m, 0, A);
    change(&mut m, |c| c.sms[0].allowed[A] = false);
    run(&mut m, 10);
    assert_eq!(resident(&m, 0, A), before, "resident CTAs stay");
    run(&mut m, 10_000);
    assert_eq!(resident(&m, 0, A), 0, "and are not replaced");
}

#[test]
fn cta_target_bounds_residency_and_a_lowered_one_drains() {
    let mut m = controlled(&[busy("A"), busy("B")], |c| c.sms[2].cta_target[A] = 3);
    run(&mut m, 500);
    assert_eq!(resident(&m, 2, A), 3);
    assert_eq!(resident(&m, 1, A), 4, "eight slots of 256 threads, by turns");
    change(&mut m, |c| c.sms[1].cta_target[A] = 1);
    run(&mut m, 1);
    assert_eq!(resident(&m, 1, A), 4, "none is killed");
    run(&mut m, 20_000);
    assert_eq!(resident(&m, 1, A), 1);
}

#[test]
fn cta_throttle_pauses_the_youngest_and_lets_them_go_on() {
    let mut m = alike(&[busy("A")], |sm| sm.cta_throttle[A] = 2);
    run(&mut m, 100);
    let issuing = |m: &Machine, sm: usize| {
        m.sms[sm]
            .ctas
            .slots()
            .iter()
            .flatten()
            .filter(|cta| (0..4).any(|s| cta.warps[s] & !m.sms[sm].schedulers()[s].throttled != 0))
            .count()
    };
    assert_eq!((resident(&m, 0, A), issuing(&m, 0)), (8, 2));
    let oldest = m.sms[0].ctas.slots().iter().flatten().min_by_key(|cta| cta.order).unwrap();
    assert_eq!(oldest.warps[0] & m.sms[0].schedulers()[0].throttled, 0, "the oldest issues");
    let before = m.kernel_stats(A).warp_instructions;
    run(&mut m, 400);
    // Two CTAs are 16 warps, four on each scheduler: with a latency of 4 they fill it.
    assert_eq!(m.kernel_stats(A).warp_instructions - before, 4 * 4 * 400);
    change(&mut m, |c| c.each_sm(|sm| sm.cta_throttle[A] = 0));
    run(&mut m, 1);
    let stopped = m.kernel_stats(A).warp_instructions;
    run(&mut m, 1000);
    assert_eq!(m.kernel_stats(A).warp_instructions, stopped);
    assert!(m.stalls().0[crate::interface::stats::StallCause::Throttled.index()] >= 4 * 4 * 990);
}

#[test]
fn dispatch_rank_makes_a_kernel_wait_for_the_others_last_cta() {
    let few = kernel("A", 12, 256, vec![Op::Alu { count: 400, latency: 4, lanes: 32 }]);
    let gpu = gpu(4);
    let mut m = machine(&gpu, &[few, busy("B")], false);
    change(&mut m, |c| c.dispatch_rank[B] = 1);
    run(&mut m, 100);
    let on = |m: &Machine, kernel| (0..4).map(|sm| resident(m, sm, kernel)).sum::<u32>();
    assert_eq!((on(&m, A), on(&m, B)), (12, 20), "what A leaves");
    let mut alone = controlled(&[busy("A"), busy("B")], |c| c.dispatch_rank[B] = 1);
    run(&mut alone, 100);
    assert_eq!((on(&alone, A), on(&alone, B)), (32, 0));
}

#[test]
fn warp_quota_stops_issue_at_exactly_the_quota() {
    let mut m = alike(&[busy("A"), busy("B")], |sm| {
        sm.warp_quota[A] = Some(123);
        sm.quota_interval = 1000;
    });
    run(&mut m, 1000);
    assert_eq!(m.kernel_stats(A).warp_instructions, 4 * 123);
    run(&mut m, 5000);
    assert_eq!(m.kernel_stats(A).warp_instructions, 6 * 4 * 123, "refilled each interval, nothing carried over");
    assert!(m.kernel_stats(B).warp_instructions > 4 * 4 * 5000, "the other kernel takes the slots");
}

/// What B has issued and has left is what the interval gave it on each SM, and what it got on top each time that both had used theirs.
#[test]
fn quotas_on_top_are_counted_for_who_gets_them() {
    let mut m = alike(&[busy("A"), busy("B")], |sm| {
        (sm.warp_quota[A], sm.warp_quota[B]) = (Some(300), Some(100));
        sm.quota_interval = 100_000;
        sm.quota_top_up[B] = true;
    });
    run(&mut m, 5000);
    let top_ups = m.kernel_stats(B).quota_top_ups;
    let left: i64 = m.sms.iter().map(|sm| sm.gate().quotas.left(B)).sum();
    assert_eq!(m.kernel_stats(B).warp_instructions as i64 + left, 100 * (4 + top_ups as i64));
    assert!(top_ups > 4 * 20 && m.kernel_stats(A).quota_top_ups == 0, "{top_ups}");
}

/// A kernel that has finished, or has no CTA on the SM, holds nobody back: B leaves 200 of its quota unused.
#[test]
fn a_kernel_that_has_left_the_sm_is_not_waited_for() {
    let few = kernel("B", 4, 32, vec![Op::Alu { count: 300, latency: 4, lanes: 32 }]);
    let gpu = gpu(4);
    let mut m = machine(&gpu, &[busy("A"), few], false);
    change(&mut m, |c| {
        c.each_sm(|sm| {
            sm.warp_quota[A] = Some(100);
            sm.warp_quota[B] = Some(500);
            sm.quota_refill = QuotaRefill::WhenAllSpent;
        });
    });
    run(&mut m, 1000);
    assert_eq!((m.kernel_stats(A).warp_instructions, m.kernel_stats(B).ctas_done), (4 * 100, 0), "A waits for B");
    run(&mut m, 1000);
    assert_eq!(m.kernel_stats(B).ctas_done, 4);
    let before = m.kernel_stats(A).warp_instructions;
    run(&mut m, 1000);
    let issued = m.kernel_stats(A).warp_instructions - before;
    assert!(issued > 4 * 4 * 900, "{issued}");
}

#[test]
fn quotas_refilled_when_all_are_spent_keep_the_kernels_in_proportion() {
    let mut m = alike(&[busy("A"), busy("B")], |sm| {
        sm.warp_quota[A] = Some(300);
        sm.warp_quota[B] = Some(100);
        // Both stay resident: a kernel that is not resident holds no other back.
        sm.cta_target = PerKernel::all(4);
        sm.quota_refill = QuotaRefill::WhenAllSpent;
    });
    run(&mut m, 40_000);
    let (a, b) = (m.kernel_stats(A).warp_instructions, m.kernel_stats(B).warp_instructions);
    assert!((a as i64 - 3 * b as i64).abs() <= 4 * 300, "{a} and {b}");
    assert!(a + b > 4 * 4 * 39_000, "and waste nothing while both have work");
}

#[test]
fn miss_credits_bound_the_requests_of_every_interval() {
    let mut m = alike(&[streaming("A"), streaming("B")], |sm| {
        sm.miss_queue_split = true;
        sm.miss_credits[A] = Some(5 * 16);
    });
    run(&mut m, 2000);
    let before = (m.kernel_stats(A).requests, m.kernel_stats(B).requests);
    run(&mut m, 4000);
    let after = (m.kernel_stats(A).requests, m.kernel_stats(B).requests);
    assert_eq!(after.0 - before.0, 4 * 5 * 20, "five from each of four SMs in each of twenty intervals");
    assert!(after.1 - before.1 > 2 * 4 * 5 * 20, "the other is not held back");
}

#[test]
fn l1_ways_bound_the_lines_that_a_kernel_fills() {
    let mut m = alike(&[streaming("A"), streaming("B")], |sm| {
        sm.l1_ways[A] = 0b0000_0001;
        sm.l1_ways[B] = 0b1111_1110;
    });
    run(&mut m, 20_000);
    for sm in &m.sms {
        assert_eq!((sm.l1().resident(A), sm.l1().resident(B)), (24, 7 * 24));
    }
}

/// Loads of one line that stays in L1D, without waiting for them: bound by the LSU's port. The arithmetic lets the LSU drain after the
/// first load has brought the line.
fn hitting(name: &str) -> Kernel {
    let load = Op::Load { address: Address { lane: 4, ..Address::default() }, lanes: 32 };
    let first = [load.clone(), Op::Wait { loads: 0 }, Op::Alu { count: 40, latency: 50, lanes: 32 }];
    kernel(name, 10_000, 256, first.into_iter().chain([Op::Loop { trips: Trips::Fixed(2000) }, load, Op::End]).collect())
}

#[test]
fn memory_cap_bounds_the_instructions_in_flight() {
    let store = Op::Store { address: Address { lane: 4, warp: 128, cta: 1024, ..Address::default() }, lanes: 32 };
    let storing = kernel("B", 10_000, 256, vec![Op::Loop { trips: Trips::Fixed(50) }, store, Op::End]);
    let mut m = alike(&[streaming("A"), storing], |sm| (sm.memory_cap[A], sm.memory_cap[B]) = (Some(5), Some(2)));
    run(&mut m, 3000);
    assert_eq!((m.peak_in_flight(A), m.peak_in_flight(B)), (5, 2));
    // A lowered cap cancels nothing and holds from the next instruction on; the highest cap limits nothing.
    change(&mut m, |c| c.each_sm(|sm| sm.memory_cap[A] = Some(0)));
    run(&mut m, 5000);
    let (loads, stores) = (m.kernel_stats(A), m.kernel_stats(B).store_instructions);
    assert_eq!(loads.load_instructions, loads.loads_done);
    m.forget_peaks();
    run(&mut m, 1000);
    assert_eq!((m.kernel_stats(A).load_instructions, m.peak_in_flight(A)), (loads.load_instructions, 0));
    assert!(m.kernel_stats(B).store_instructions > stores, "the other kernel goes on");
    assert!(m.kernel_stalls(A).0[crate::interface::stats::StallCause::LsuFull.index()] > 900);
    change(&mut m, |c| c.each_sm(|sm| (sm.memory_cap[A], sm.memory_cap[B]) = (Some(u16::MAX), None)));
    run(&mut m, 3000);
    assert!(m.peak_in_flight(A) >= 32, "{}", m.peak_in_flight(A));
    assert_eq!(m.peak_in_flight(B), 0, "no peak without a cap");
}

#[test]
fn memory_quotas_share_the_port_in_their_proportion_and_hold_nobody_back() {
    let quotas = |other: Kernel| {
        let mut m = alike(&[hitting("A"), other], |sm| {
            (sm.memory_quota[A], sm.memory_quota[B]) = (Some(90), Some(30));
            sm.cta_target = PerKernel::all(4);
        });
        run(&mut m, 4000);
        let before = (m.kernel_stats(A).load_instructions, m.kernel_stats(B).load_instructions);
        run(&mut m, 4000);
        (m.kernel_stats(A).load_instructions - before.0, m.kernel_stats(B).load_instructions - before.1)
    };
    let (a, b) = quotas(hitting("B"));
    assert!(a + b > 4 * 3990, "the port is never idle: {a} and {b}");
    assert!((a as i64 - 3 * b as i64).abs() <= 4 * 90 * 2, "{a} and {b}");
    let (a, b) = quotas(busy("B"));
    assert!(a > 4 * 3990 && b == 0, "a kernel without a ready memory instruction holds no other back: {a}");
}

#[test]
fn l1_monitor_counts_what_a_kernel_alone_would_hit_and_changes_nothing() {
    // Each CTA goes over its own three lines again and again.
    let address = Address { lane: 4, cta: 384, loops: [128, 0, 0], ..Address::default() };
    let sweep = vec![Op::Loop { trips: Trips::Fixed(3) }, Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }, Op::End];
    let mut program = vec![Op::Loop { trips: Trips::Fixed(40) }];
    program.extend(sweep.into_iter().map(|op| match op {
        Op::Load { mut address, lanes } => {
            address.loops = [0, 128, 0];
            Op::Load { address, lanes }
        }
        other => other,
    }));
    program.push(Op::End);
    let few = kernel("A", 32, 32, program);
    let gpu = gpu(4);
    let mut plain = machine(&gpu, core::slice::from_ref(&few), false);
    let mut m = plain.clone();
    change(&mut m, |c| c.each_sm(|sm| sm.l1_monitor = 1));
    run(&mut m, 100_000);
    run(&mut plain, 100_000);
    let stats = m.kernel_stats(A);
    assert_eq!(stats, plain.kernel_stats(A));
    assert_eq!((stats.l1_reads, stats.l1_hits, stats.l1_merged), (32 * 120, 32 * 117, 0));
    assert_eq!(m.l1_utility(A).iter().sum::<u64>(), stats.l1_hits);
    assert!(plain.l1_utility(A).is_empty());
}

#[test]
fn warp_order_takes_effect_at_once() {
    let mut m = alike(&[busy("A")], |sm| sm.warp_order = WarpOrder::Lrr);
    run(&mut m, 2000);
    let mut gto = m.clone();
    change(&mut gto, |c| c.each_sm(|sm| sm.warp_order = WarpOrder::Gto));
    run(&mut m, 50);
    run(&mut gto, 50);
    assert_eq!(m.kernel_stats(A).warp_instructions, gto.kernel_stats(A).warp_instructions);
    assert!(m.sms != gto.sms, "the same slots, other warps");
}

/// What SM 0 and SM 1 of two show of A, when something is set on SM 1 alone.
fn on_second<T>(kernels: &[Kernel], cycles: Cycle, set: impl FnOnce(&mut SmControls), show: impl Fn(&Machine, usize) -> T) -> [T; 2] {
    let mut m = machine(&gpu(2), kernels, true);
    change(&mut m, |c| set(&mut c.sms[1]));
    run(&mut m, cycles);
    [show(&m, 0), show(&m, 1)]
}

/// Each control of an SM does its thing there, and its neighbour goes on as if it were not set.
#[test]
fn a_control_of_one_sm_leaves_the_other_alone() {
    let both = [busy("A"), busy("B")];
    let residents = |m: &Machine, sm: usize| (resident(m, sm, A), resident(m, sm, B));
    assert_eq!(on_second(&both, 300, |sm| sm.allowed[A] = false, residents), [(4, 4), (0, 8)]);
    assert_eq!(on_second(&both, 300, |sm| sm.cta_target[A] = 1, residents), [(4, 4), (1, 7)]);

    // Two CTAs of 8 warps at a latency of 4 issue as much as eight; none issues nothing.
    let issued = |m: &Machine, sm: usize| m.sms[sm].stats()[0].warp_instructions;
    let alone = [busy("A")];
    let [free, _] = on_second(&alone, 1000, |_| {}, issued);
    assert!(free > 4 * 980, "{free}");
    assert_eq!(on_second(&alone, 1000, |sm| sm.cta_throttle[A] = 0, issued), [free, 0]);
    assert_eq!(on_second(&alone, 1000, |sm| sm.warp_quota[A] = Some(123), issued), [free, 123]);
    let quick = |sm: &mut SmControls| (sm.warp_quota[A], sm.quota_interval) = (Some(123), 250);
    assert_eq!(on_second(&alone, 1000, quick, issued), [free, 4 * 123]);
    let spent = |sm: &mut SmControls| (sm.warp_quota[A], sm.quota_refill) = (Some(123), QuotaRefill::WhenAllSpent);
    let [first, second] = on_second(&alone, 1000, spent, issued);
    assert!(first == free && second > 10 * 123, "{first} and {second}");

    let state = |m: &Machine, sm: usize| m.sms[sm].clone();
    let [neighbour, with_lrr] = on_second(&alone, 1500, |sm| sm.warp_order = WarpOrder::Lrr, state);
    let [same, with_gto] = on_second(&alone, 1500, |_| {}, state);
    assert!(neighbour == same && with_lrr != with_gto);

    let streams = [streaming("A"), streaming("B")];
    let requests = |m: &Machine, sm: usize| m.sms[sm].stats()[0].requests;
    let credits = |sm: &mut SmControls| (sm.miss_queue_split, sm.miss_credits[A]) = (true, Some(16));
    let [many, few] = on_second(&streams, 4000, credits, requests);
    assert!(many > 200 && few == 20, "{many} and {few}: one in each of 20 intervals");
    let slow = |sm: &mut SmControls| (sm.miss_queue_split, sm.miss_credits[A], sm.credit_interval) = (true, Some(16), 1000);
    assert_eq!(on_second(&streams, 4000, slow, requests)[1], 4);
    // Loads of 32 lines fill the queues: of whom has the higher rank fewer leave.
    let gather = |name: &str| {
        let address = Address { scatter: Scatter::Lane { bytes: 1 << 20 }, ..Address::default() };
        kernel(
            name,
            10_000,
            256,
            vec![Op::Loop { trips: Trips::Fixed(50) }, Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }, Op::End],
        )
    };
    let sent = |m: &Machine, sm: usize| [0, 1].map(|kernel| m.sms[sm].stats()[kernel].requests);
    let behind = |kernel: KernelId| move |sm: &mut SmControls| (sm.miss_queue_split, sm.miss_rank[kernel]) = (true, 1);
    let [_, [a, b]] = on_second(&[gather("A"), gather("B")], 8000, behind(A), sent);
    assert!(2 * a < b, "{a} and {b} with A behind");
    let [_, [a, b]] = on_second(&[gather("A"), gather("B")], 8000, behind(B), sent);
    assert!(a > 2 * b, "{a} and {b} with B behind");

    let lines = |m: &Machine, sm: usize| m.sms[sm].l1().resident(A);
    let [all, one] = on_second(&[streaming("A")], 20_000, |sm| sm.l1_ways[A] = 1, lines);
    assert_eq!([all, one], [8 * 24, 24]);
    let peak = |m: &Machine, sm: usize| m.sms[sm].gate().peak_in_flight(A);
    assert_eq!(on_second(&streams, 2000, |sm| sm.memory_cap[A] = Some(5), peak), [0, 5], "without a cap nothing is counted");
    let monitored = |m: &Machine, sm: usize| !m.sms[sm].l1().utility(A).is_empty();
    assert_eq!(on_second(&streams, 2000, |sm| sm.l1_monitor = 1, monitored), [false, true]);

    let hits = [hitting("A"), hitting("B")];
    let shares = |m: &Machine, sm: usize| [0, 1].map(|kernel| m.sms[sm].stats()[kernel].load_instructions);
    let turns = |sm: &mut SmControls| (sm.memory_quota[A], sm.memory_quota[B]) = (Some(90), Some(30));
    let [[a, b], [more, less]] = on_second(&hits, 8000, turns, shares);
    let [[free_a, free_b], _] = on_second(&hits, 8000, |_| {}, shares);
    assert_eq!((a, b), (free_a, free_b));
    assert!((more as i64 - 3 * less as i64).abs() <= 2 * 90 && a > 10 * b, "{more} to {less} by quotas, {a} to {b} by age");
}

/// A kernel's lines go to its channels and nowhere else, to all of them alike; channels go round behind the last one.
#[test]
fn channels_are_where_a_kernels_lines_go() {
    let mut gpu = gpu(2);
    (gpu.l2.banks, gpu.dram.channels) = (12, 6);
    let mut m = machine(&gpu, &[streaming("A"), streaming("B")], true);
    change(&mut m, |c| {
        (c.channels[A], c.first_channel[A]) = (2, 5);
        (c.channels[B], c.first_channel[B]) = (3, 1);
    });
    let mut seen = [[false; 6]; 2];
    for _ in 0..3_000 {
        run(&mut m, 1);
        for kernel in [A, B] {
            (0..6).for_each(|channel| seen[kernel.index()][channel] |= m.memory.dram_queue(channel as u32)[kernel] > 0);
        }
    }
    assert_eq!(seen, [[true, false, false, false, false, true], [false, true, true, true, false, false]]);
}

/// Of lines that are read once, none is found in L2, however its kernel's channels change in the meantime: a bank numbers them anew. Those that
/// are on their way at a change keep their old numbers, and may be found by them.
#[test]
fn lines_are_not_found_by_the_numbers_that_others_had() {
    let mut gpu = gpu(2);
    (gpu.l2.banks, gpu.dram.channels) = (8, 4);
    let mut m = machine(&gpu, &[streaming("A")], false);
    let mut under_way = 0;
    for (channels, first) in [(u16::MAX, 0), (2, 0), (2, 2), (1, 1), (4, 0), (3, 2)] {
        under_way += m.memory.in_flight();
        change(&mut m, |c| (c.channels[A], c.first_channel[A]) = (channels, first));
        run(&mut m, 3_000);
    }
    let stats = m.kernel_stats(A);
    assert!(stats.l2_misses > u64::from(under_way), "{} lines, {under_way} on their way", stats.l2_misses);
    assert!(stats.l2_hits <= under_way.into(), "{} found, {under_way} on their way", stats.l2_hits);
}

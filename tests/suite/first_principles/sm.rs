//! Issue, barriers, shared memory and the LSU of one SM. All numbers are exact; a constant start-up is taken out by comparing two runs.

use super::{K, finish, kernel, machine, one_of_each, repeat, window};
use sim_core::describe::gpu::{Fp64Owner, Gpu, presets};
use sim_core::describe::kernel::{Address, Op};
use sim_core::interface::controls::WarpOrder;
use sim_core::machine::Machine;

fn one_scheduler() -> Gpu {
    let mut gpu = one_of_each();
    gpu.sms[0].schedulers = 1;
    gpu
}

fn alu(count: u32, latency: u32) -> Op {
    Op::Alu { count, latency, lanes: 32 }
}

/// Cycles that one more trip of a loop costs a CTA of `warps` warps.
fn cycles_a_trip(gpu: &Gpu, warps: u32, body: &[Op]) -> f64 {
    let cycles = |trips| finish(&mut machine(gpu, kernel(1, warps * 32, repeat(trips, body)), WarpOrder::Lrr));
    (cycles(300) - cycles(100)) as f64 / 200.0
}

/// W warps of dependent instructions of latency l issue min(1, W / l) instructions a cycle on a scheduler, whatever the order.
#[test]
fn warps_hide_each_others_latency() {
    let orders = [WarpOrder::Lrr, WarpOrder::Gto, WarpOrder::TwoLevel(4), WarpOrder::LrrGto];
    for order in orders {
        for (warps, latency) in [(1, 4), (3, 4), (4, 4), (8, 4), (7, 20), (16, 20), (20, 20)] {
            let mut m = machine(&one_scheduler(), kernel(1, warps * 32, vec![alu(10_000, latency)]), order);
            window(&mut m, 100);
            let got = window(&mut m, 100 * u64::from(latency)).warp_instructions;
            assert_eq!(got, 100 * u64::from(warps.min(latency)), "{warps} warps, latency {latency}, {order:?}");
        }
    }
}

/// A unit of W lanes takes a warp instruction every 32 / W cycles, whatever the order and however many warps want it; the two units of a
/// scheduler work beside each other.
#[test]
fn a_unit_of_w_lanes_issues_w_over_32_a_cycle() {
    let rate = |lanes: (u32, u32), body: &[Op], order| {
        let mut gpu = one_scheduler();
        (gpu.sms[0].alu_lanes, gpu.sms[0].sfu_lanes) = lanes;
        let mut m = machine(&gpu, kernel(1, 16 * 32, body.to_vec()), order);
        window(&mut m, 320);
        window(&mut m, 3200).warp_instructions
    };
    let sfu = |count, latency| Op::Sfu { count, latency, lanes: 32 };
    for order in [WarpOrder::Lrr, WarpOrder::Gto, WarpOrder::TwoLevel(8), WarpOrder::LrrGto] {
        for lanes in [1, 2, 4, 8, 16, 32] {
            for latency in [1, 4, 6] {
                let want = 3200 * u64::from(lanes) / 32;
                assert_eq!(rate((lanes, 32), &[alu(1_000_000, latency)], order), want, "ALU, {lanes} lanes, latency {latency}, {order:?}");
                assert_eq!(rate((32, lanes), &[sfu(1_000_000, latency)], order), want, "SFU, {lanes} lanes, latency {latency}, {order:?}");
            }
        }
    }
    // One of each in turn: the slower unit sets the pace of both.
    assert_eq!(rate((16, 4), &repeat(1_000_000, &[alu(1, 4), sfu(1, 4)]), WarpOrder::Lrr), 2 * 3200 / 8);
    // Three and one: six cycles of the one unit and eight of the other.
    assert_eq!(rate((16, 4), &repeat(1_000_000, &[alu(3, 1), sfu(1, 4)]), WarpOrder::Lrr), 4 * 3200 / 8);
}

/// An FP64 unit of W lanes takes a warp instruction every 32 / W cycles: from each scheduler where each has one, from all together where they share one,
/// each as often as the others. Chains of its latency l between fewer warps than fill it wait for themselves. Arithmetic goes on beside it.
#[test]
fn fp64_has_units_of_its_own_or_one_for_all_schedulers() {
    let fp64 = |count, latency| Op::Fp64 { count, latency, lanes: 32 };
    for order in [WarpOrder::Lrr, WarpOrder::Gto, WarpOrder::Gty] {
        for (lanes, owner, schedulers) in
            [(16, Fp64Owner::Scheduler, 4), (2, Fp64Owner::Sm, 4), (32, Fp64Owner::Sm, 4), (32, Fp64Owner::Scheduler, 2)]
        {
            let mut gpu = one_of_each();
            let sm = &mut gpu.sms[0];
            (sm.schedulers, sm.fp64_lanes, sm.fp64_unit) = (schedulers, lanes, owner);
            let units = u64::from(if owner == Fp64Owner::Sm { 1 } else { schedulers });
            let rate = |warps: u32, op: Op| {
                let mut m = machine(&gpu, kernel(1, warps * 32, vec![op]), order);
                window(&mut m, 320);
                window(&mut m, 6400)
            };
            let what = format!("{lanes} lanes, {owner:?}, {schedulers} schedulers, {order:?}");
            assert_eq!(rate(16, fp64(1_000_000, 4)).warp_instructions, units * 6400 * u64::from(lanes) / 32, "{what}");
            // One warp: at its latency, or at what the unit takes where that is longer.
            let alone = u64::from((32 / lanes).max(8));
            assert_eq!(rate(1, fp64(1_000_000, 8)).warp_instructions, 6400 / alone, "{what}");
        }
    }
    let mut gpu = one_of_each();
    (gpu.sms[0].schedulers, gpu.sms[0].fp64_lanes, gpu.sms[0].fp64_unit) = (4, 2, Fp64Owner::Sm);
    // Four warps of four schedulers: each has every fourth turn of 16 cycles, and with seven others to do between goes on while it waits.
    assert_eq!(cycles_a_trip(&gpu, 4, &[fp64(1, 8)]), 64.0);
    assert_eq!(cycles_a_trip(&gpu, 4, &[fp64(1, 8), alu(50, 1)]), 64.0);
    assert_eq!(cycles_a_trip(&gpu, 4, &[fp64(1, 8), alu(70, 1)]), 78.0);
    // Lanes that do not divide a warp: the last part of it takes a whole cycle, too.
    for (lanes, cycles) in [(12, 3), (20, 2), (7, 5)] {
        gpu.sms[0].fp64_lanes = lanes;
        assert_eq!(cycles_a_trip(&gpu, 4, &[fp64(1, 1)]), 4.0 * f64::from(cycles), "{lanes} lanes");
    }
    // Without a unit it is arithmetic.
    (gpu.sms[0].fp64_lanes, gpu.sms[0].alu_lanes) = (0, 16);
    assert_eq!(cycles_a_trip(&gpu, 16, &[fp64(3, 1)]), 4.0 * 3.0 * 2.0);
}

/// Greedy then oldest: a warp that never stalls runs to its end before the next, n cycles each.
#[test]
fn a_greedy_scheduler_finishes_warp_by_warp() {
    let mut m = machine(&one_scheduler(), kernel(16, 32, vec![alu(1000, 1)]), WarpOrder::Gto);
    m.record_events = true;
    window(&mut m, 500);
    for warp in 0..16 {
        assert_eq!(window(&mut m, 1000).ctas_done, 1, "warp {warp}");
    }
    let done: Vec<u32> = m.events.iter().filter(|event| !event.placed).map(|event| event.cta).collect();
    assert_eq!(done, Vec::from_iter(0..16), "the oldest first");
}

/// Little's law in a warp: k loads under way, each of the latency of an L1D hit, give k / latency loads a cycle.
#[test]
fn a_warp_overlaps_as_many_loads_as_it_may() {
    let load = Op::Load { address: Address { lane: 4, ..Address::default() }, lanes: 32 };
    let cycles = |under_way: u32| cycles_a_trip(&one_of_each(), 1, &[load.clone(), Op::Wait { loads: under_way - 1 }]);
    let latency = cycles(1);
    // 82 cycles from L1D, which a load reaches in the cycle after its issue; the next one issues in the cycle in which it is back.
    assert_eq!(latency, 83.0);
    for under_way in [2, 4, 8] {
        assert_eq!(cycles(under_way), latency / f64::from(under_way), "{under_way} under way");
    }
    // Without waiting at all the SM's limit of 8 holds.
    assert_eq!(cycles_a_trip(&one_of_each(), 1, &[load]), latency / 8.0);
}

/// An SM whose LSU is as measured on Turing, Ampere and Blackwell (MICRO 2025, "Dissecting and Modeling the Architecture of Modern GPU Cores"), with
/// what loads need beside it.
fn modern() -> Gpu {
    let mut gpu = one_of_each();
    let (of, sm) = (presets::find("rtx5090").expect("a preset"), &mut gpu.sms[0]);
    (sm.memory_queue, sm.lsu_queue, sm.lsu_pause) = (of.sms[0].memory_queue, of.sms[0].lsu_queue, of.sms[0].lsu_pause);
    (sm.schedulers, sm.loads_per_warp, sm.l1.latency, sm.l1.merges) = (4, 32, of.sms[0].l1.latency, 64);
    gpu
}

/// Of eight loads of a warp on each of so many sub-cores, five issue one a cycle, as many as a sub-core holds. The sixth issues eleven cycles after the
/// first, and each more after four, which its address unit takes, or after two for each sub-core, which the LSU takes.
#[test]
fn a_sub_core_holds_five_memory_instructions() {
    let load = Op::Load { address: Address { lane: 4, ..Address::default() }, lanes: 32 };
    let issued = |sub_cores: u32| {
        let mut m = machine(&modern(), kernel(1, 32 * sub_cores, vec![load.clone(); 8]), WarpOrder::Gto);
        let cycles = (0..60).flat_map(|cycle| vec![cycle; window(&mut m, 1).load_instructions as usize]);
        let cycles = Vec::from_iter(cycles);
        let first = cycles[0];
        Vec::from_iter(cycles.into_iter().map(|cycle| cycle - first))
    };
    assert_eq!(issued(1), [0, 1, 2, 3, 4, 11, 15, 19]);
    assert_eq!(issued(2), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 11, 13, 15, 17, 19, 21]);
    for (sub_cores, interval) in [(3, 6), (4, 8)] {
        let at = |n: usize| Vec::from_iter((0..sub_cores).map(|other| if n < 5 { n } else { 11 + (n - 5) * interval + 2 * other }));
        assert_eq!(issued(sub_cores as u32), Vec::from_iter((0..8).flat_map(at)), "{sub_cores}");
    }
}

/// From the issue of a load that hits L1D to its use: 32 cycles for 4 bytes a lane, 34 for 8, 38 for 16, a line of each in two cycles.
#[test]
fn wider_loads_take_two_cycles_more_for_each_line() {
    let load = |lane| Op::Load { address: Address { lane, ..Address::default() }, lanes: 32 };
    let cycles = |lane| cycles_a_trip(&modern(), 1, &[load(lane), Op::Wait { loads: 0 }]);
    assert_eq!([4, 8, 16].map(cycles), [32.0, 34.0, 38.0]);
}

/// Two-level groups of g warps whose instructions take l cycles. A group whose round takes as long as an instruction (l ≤ g) never stalls
/// as a whole. So the groups run to their end one after the other, g n cycles each (Narasiman et al., MICRO 2011, §4.2).
#[test]
fn two_level_groups_run_one_after_the_other() {
    const N: u32 = 1000;
    for group in [4, 8, 16] {
        for latency in [1, 4] {
            let mut m = machine(&one_scheduler(), kernel(16, 32, vec![alu(N, latency)]), WarpOrder::TwoLevel(group));
            let (group, mut done) = (u64::from(group), 0);
            let whole = group * u64::from(N);
            // In the middle of each group's turn the groups before it are done and no warp of its own is.
            window(&mut m, whole / 2);
            for turn in 0..16 / group {
                assert_eq!(done, turn * group, "groups of {group}, latency {latency}, turn {turn}");
                done += window(&mut m, whole).ctas_done;
            }
            assert_eq!((done, m.run(K).finished_at / 16), (16, u64::from(N)));
        }
    }
}

/// Two-level groups of g warps whose instructions take l > g cycles. Every group stalls after one round and hands over to the next. So all
/// warps advance together, and 16 ≥ l warps still fill the scheduler.
#[test]
fn two_level_groups_take_turns_when_they_stall() {
    const N: u32 = 1000;
    for (group, latency) in [(4, 5), (4, 16), (8, 9), (8, 16)] {
        let mut m = machine(&one_scheduler(), kernel(16, 32, vec![alu(N, latency)]), WarpOrder::TwoLevel(group));
        assert_eq!(window(&mut m, 16 * u64::from(N) - 16).ctas_done, 0, "groups of {group}, latency {latency}");
        // Warps arrive one a cycle: the first round is not full.
        assert_eq!(window(&mut m, 32 + 16).ctas_done, 16, "groups of {group}, latency {latency}");
    }
}

/// Groups of g warps under GTO, whose instructions take l > g cycles. Each group issues once from all its warps and loses a cycle to the
/// next. So a round of n groups has n (g + 1) cycles, in which l ≤ n (g + 1) hides.
#[test]
fn gto_groups_lose_a_cycle_each_time_they_stall() {
    const N: u32 = 1000;
    for (group, latency) in [(4, 5), (4, 20), (8, 9), (8, 18)] {
        let mut m = machine(&one_scheduler(), kernel(16, 32, vec![alu(N, latency)]), WarpOrder::GtoGroups(group));
        // Warps arrive one a cycle: the first rounds are not full.
        window(&mut m, 40);
        let rounds = 100 * (16 / u64::from(group)) * (u64::from(group) + 1);
        assert_eq!(window(&mut m, rounds).warp_instructions, 100 * 16, "groups of {group}, latency {latency}");
    }
}

/// A barrier takes each of the w warps of a scheduler one issue slot and opens in the cycle after the last arrival. With one instruction
/// of latency l before it, round robin gives w + max(w, l) cycles a round.
#[test]
fn a_barrier_costs_its_issue_slots_and_the_wait_for_the_last_warp() {
    for schedulers in [1, 2, 4] {
        let mut gpu = one_of_each();
        gpu.sms[0].schedulers = schedulers;
        for warps in [1_u32, 2, 8, 32] {
            for latency in [1, 4, 20] {
                let share = warps.div_ceil(schedulers);
                let got = cycles_a_trip(&gpu, warps, &[alu(1, latency), Op::Barrier]);
                assert_eq!(got, f64::from(share + share.max(latency)), "{warps} warps on {schedulers} schedulers, latency {latency}");
            }
        }
    }
}

/// A warp that sleeps for n cycles takes one issue slot for it, however long that is. With one more instruction of latency 60 it comes round in n + 60
/// cycles, and w warps of one scheduler cost each other less than the w slots that their sleeps take.
#[test]
fn a_warp_that_sleeps_takes_one_issue_slot_and_no_more() {
    for cycles in [1, 2, 63, 64, 126, 127, 1000, 5000] {
        for warps in [1, 8, 32] {
            let got = cycles_a_trip(&one_scheduler(), warps, &[Op::Sleep { cycles }, alu(1, 60)]);
            let alone = f64::from(cycles + 60);
            assert!((alone..alone + f64::from(warps)).contains(&got), "{warps} warps that sleep for {cycles}: {got}");
        }
    }
}

/// Lanes s words apart: d = gcd(s, 32) of the 32 lanes fall into one of 32 banks (s = 0: all read one word), which keeps the banks busy for
/// d cycles.
#[test]
fn a_bank_conflict_of_degree_d_costs_d_cycles() {
    for (stride, degree) in [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (12, 4), (16, 16), (32, 32), (33, 1)] {
        // 32 warps keep the banks busy whatever the latency.
        let shared = [Op::Shared { count: 1, stride, lanes: 32 }];
        assert_eq!(cycles_a_trip(&one_of_each(), 32, &shared), f64::from(32 * degree), "stride {stride}");
        // One warp waits for its value: the latency, and d − 1 cycles for the last of its words.
        assert_eq!(cycles_a_trip(&one_of_each(), 1, &shared), f64::from(24 + degree - 1), "stride {stride}, one warp");
    }
}

/// Coalescing: lanes that touch d lines keep the L1D port busy for d cycles, one line each (32 lanes: 4-byte words in a line, 128 bytes apart,
/// and between).
#[test]
fn l1_takes_a_line_a_cycle() {
    for (lane, lines) in [(0, 1), (4, 1), (8, 2), (32, 8), (128, 32)] {
        let load = [Op::Load { address: Address { lane, ..Address::default() }, lanes: 32 }];
        let mut m = machine(&one_of_each(), kernel(2, 1024, repeat(100_000, &load)), WarpOrder::Lrr);
        window(&mut m, 10_000);
        let got = window(&mut m, 3_200);
        assert_eq!((got.l1_hits, got.load_instructions), (3_200, 3_200 / lines), "lanes {lane} bytes apart");
    }
}

/// Schedulers whose warps all want shared memory, or the LSU, share it evenly, however long an access takes.
#[test]
fn schedulers_share_the_memory_port_evenly() {
    let shared = |stride| Op::Shared { count: 1, stride, lanes: 32 };
    let load = |lane| Op::Load { address: Address { lane, ..Address::default() }, lanes: 32 };
    for schedulers in [2, 3, 4] {
        for op in [shared(1), shared(2), shared(4), shared(32), load(4), load(32), load(128)] {
            let mut gpu = one_of_each();
            gpu.sms[0].schedulers = schedulers;
            let mut m = machine(&gpu, kernel(2, 768, repeat(1_000_000, std::slice::from_ref(&op))), WarpOrder::Lrr);
            window(&mut m, 10_000);
            let stalled = |m: &Machine| -> Vec<u64> { m.sms[0].schedulers().iter().map(|scheduler| scheduler.stalls.total()).collect() };
            let before = stalled(&m);
            window(&mut m, 12_000);
            let issued: Vec<u64> = stalled(&m).iter().zip(before).map(|(after, before)| 12_000 - (after - before)).collect();
            let share = issued.iter().sum::<u64>() / u64::from(schedulers);
            assert!(issued.iter().all(|issued| issued.abs_diff(share) <= 1), "{op:?} on {schedulers} schedulers: {issued:?}");
        }
    }
}

/// A load's value is ready when its last line is: a line that hits is there after L1D's 82 cycles, even if one that was missing comes sooner.
#[test]
fn a_load_waits_for_its_hits_too() {
    let line = |offset| Op::Load { address: Address { lane: 4, offset, ..Address::default() }, lanes: 32 };
    let both = Op::Load { address: Address { lane: 128, ..Address::default() }, lanes: 2 };
    let latencies = |delay: u32, then: &[Op]| {
        // The first line is in L1D; the second is under way when `then` begins.
        let mut program = vec![line(0), Op::Wait { loads: 0 }, line(128), alu(delay, 1)];
        program.extend_from_slice(then);
        let mut m = machine(&one_of_each(), kernel(1, 32, program), WarpOrder::Lrr);
        finish(&mut m);
        m.kernel_stats(K).load_latency_sum
    };
    let before = latencies(400, &[]);
    // Had it to wait for the second line only, the load would take `earlier` cycles.
    let alone = latencies(100, &[line(128)]) - before;
    for earlier in [20, 60, 82, 84, 100, 200] {
        let delay = (100 + alone - earlier) as u32;
        assert_eq!(latencies(delay, &[line(128)]) - before, earlier);
        assert_eq!(latencies(delay, std::slice::from_ref(&both)) - before, earlier.max(83), "{earlier} cycles before");
    }
}

/// A lone warp waits for memory from the cycle after its load has missed L1D, one after its issue, to that of the last line: the latency of
/// its loads less a cycle each. One that only stores, sixteen lines each and one a cycle, waits for the LSU, when that is full, and for
/// nothing else.
#[test]
fn warps_wait_for_what_keeps_them() {
    let far = Address { lane: 128, loops: [4096, 0, 0], ..Address::default() };
    let load = Op::Load { address: far, lanes: 4 };
    let mut m = machine(&one_of_each(), kernel(1, 32, repeat(50, &[load, Op::Wait { loads: 0 }])), WarpOrder::Lrr);
    let end = finish(&mut m);
    let stats = m.kernel_stats(K);
    assert_eq!(stats.warps_wait_memory, stats.load_latency_sum - stats.loads_done);
    assert_eq!((stats.warps_wait_lsu, stats.warp_cycles), (0, end - 1), "the warp comes in cycle 0 and may issue from the next on");

    let store = Op::Store { address: Address { lane: 128, ..Address::default() }, lanes: 16 };
    let mut gpu = one_of_each();
    gpu.sms[0].l1.store_buffer = 4096;
    gpu.sms[0].l1.miss_queue = 1024;
    let mut m = machine(&gpu, kernel(1, 32, repeat(40, &[store])), WarpOrder::Lrr);
    finish(&mut m);
    let stats = m.kernel_stats(K);
    assert_eq!((stats.warp_instructions, stats.warps_wait_memory), (40, 0));
    assert_eq!(stats.warps_wait_lsu, stats.warp_cycles - 40);
    let queued = u64::from(gpu.sms[0].lsu_queue);
    // A store goes in every 16 cycles, so the warp waits for 15; the first that finds no room comes when the others have taken a cycle each.
    assert_eq!(stats.warps_wait_lsu, (40 - queued) * 15 - (queued - 1));
}

//! L1D misses, stores, L2 and DRAM of whole machines: bounds by Little's law and by the clocks. Numbers are exact where nothing but a
//! queue's phase at the window's edges can differ; then one item at each edge is the tolerance.

use super::{K, finish, kernel, machine, near, one_of_each, repeat, window};
use sim_core::describe::gpu::{Allocate, Arbiter, DramKind, Gpu, LsuHol, NocKind, StoreFlits, StoreRelease, WriteFill};
use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::{Address, Kernel, Op, Scatter};
use sim_core::interface::controls::{Controls, WarpOrder};
use sim_core::interface::ratios::Rates;
use sim_core::interface::stats::KernelStats;
use sim_core::machine::Machine;
use sim_core::machine::dispatch::order::CtaOrderSpec;
use sim_core::study::probe;

const LINE: u64 = 128;

/// Lines of a footprint that L2 holds and L1D, here, does not: many more than are under way where few can be.
const LINES: u64 = 128;

/// Warps that load, or store, without end; each visit goes to a random line of `lines`.
fn random_lines(store: bool, lines: u64) -> Kernel {
    let address = Address { lane: 4, scatter: Scatter::Warp { bytes: lines * LINE }, ..Address::default() };
    let op = if store { Op::Store { address, lanes: 32 } } else { Op::Load { address, lanes: 32 } };
    kernel(1 << 20, 1024, repeat(1_000_000, &[op]))
}

/// L1D so small that it hardly ever hits.
fn without_l1(mut gpu: Gpu) -> Gpu {
    gpu.sms[0].l1.bytes = 128;
    gpu.sms[0].l1.ways = 1;
    gpu
}

/// What one kernel does in `cycles` cycles after a warm-up in which `LINES` lines get into L2, even one at a time.
fn steady(gpu: &Gpu, kernel: Kernel, cycles: u64) -> KernelStats {
    let mut m = machine(gpu, kernel, WarpOrder::Lrr);
    window(&mut m, 300_000);
    window(&mut m, cycles)
}

/// An L2 bank looks up one request a NoC cycle, hit or store alike; behind a crossbar its ports bind first: a read's reply and a store's
/// request are 1 + 128 / 32 = 5 flits.
#[test]
fn an_l2_bank_serves_one_request_a_noc_cycle() {
    for store in [false, true] {
        for (kind, noc_cycles) in [(NocKind::Ideal, 1), (NocKind::Crossbar, 5)] {
            let mut gpu = without_l1(one_of_each());
            gpu.sms[0].count = 16;
            gpu.noc.kind = kind;
            // 3,000 core cycles are 2,000 NoC cycles.
            let got = steady(&gpu, random_lines(store, LINES), 3_000);
            assert_eq!(got.l2_hits, 2_000 / noc_cycles, "{kind:?}, stores: {store}");
        }
    }
}

/// An atomic changes its line in L2 whether it finds it there or fetches it: DRAM writes each line that has left L2 since.
#[test]
fn an_atomic_makes_its_line_dirty_where_it_hits_as_where_it_misses() {
    let gpu = one_of_each();
    let held = u64::from(gpu.l2.banks) * u64::from(gpu.l2.bank_bytes) / LINE;
    let address = Address { lane: 4, loops: [LINE as i64, 0, 0], ..Address::default() };
    let atomic = Op::Atomic { address, lanes: 32 };
    let hit = [Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }, atomic.clone()];
    for body in [&hit[..], &[atomic]] {
        let lines = 3 * held;
        let mut m = machine(&gpu, kernel(1, 32, repeat(lines as u32, body)), WarpOrder::Lrr);
        finish(&mut m);
        let got = m.kernel_stats(K);
        assert_eq!(got.l2_hits, lines * (body.len() as u64 / 3), "{body:?}");
        // Some that have left L2 still wait to be written.
        let written = lines - held - 100..=lines;
        assert!(written.contains(&got.dram_writes), "{} of {lines} lines, {held} of them in L2: {body:?}", got.dram_writes);
    }
}

/// The L1D table of ten cyclic sweeps (`components::cache_sweeps_miss_exactly`), by loads of a warp through the SM; the same whenever a miss
/// takes its way, as there is one at a time.
#[test]
fn a_warp_that_sweeps_misses_exactly() {
    let sweeps = [(96, 96), (192, 192), (193, 274), (200, 848), (216, 2160), (240, 2400), (384, 3840)];
    for (allocate, (lines, misses)) in [Allocate::OnFill, Allocate::OnMiss].into_iter().flat_map(|at| sweeps.map(|sweep| (at, sweep))) {
        let load = Op::Load { address: Address { lane: 4, loops: [0, 128, 0], ..Address::default() }, lanes: 32 };
        let sweeps = repeat(10, &repeat(lines, &[load, Op::Wait { loads: 0 }]));
        let mut gpu = one_of_each();
        gpu.sms[0].l1.allocate = allocate;
        let mut m = machine(&gpu, kernel(1, 32, sweeps), WarpOrder::Lrr);
        finish(&mut m);
        m.settle();
        let got = m.kernel_stats(K);
        assert_eq!((got.l1_reads, got.l1_misses), (10 * u64::from(lines), misses), "{lines} lines");
        // Everything fits L2, so DRAM reads each line once.
        assert_eq!((got.l2_reads, got.dram_reads), (misses, u64::from(lines)), "{lines} lines");
    }
}

/// Write-through and write-evict: a store takes its line out of L1D, so a load after it misses, and hits L2.
#[test]
fn a_store_evicts_its_line_from_l1() {
    let line = Address { lane: 4, ..Address::default() };
    let (load, store) = (Op::Load { address: line, lanes: 32 }, Op::Store { address: line, lanes: 32 });
    let both = repeat(50, &[load.clone(), Op::Wait { loads: 0 }, store, load, Op::Wait { loads: 0 }]);
    let got = drained(&one_of_each(), kernel(1, 32, both)).kernel_stats(K);
    assert_eq!(
        [got.l1_misses, got.l1_hits, got.l1_writes],
        [51, 49, 50],
        "a load hits what the one before it brought, not what a store changed"
    );
    assert_eq!([got.l2_misses, got.dram_reads], [1, 1]);
}

/// A warp asks for 32 lines of one set. Those that take a way on the miss are as many as the set has ways for the kernel, one a cycle. The
/// next waits for a way until the first has arrived, and finds it then. Those that take a way on the fill wait for nothing.
#[test]
fn a_miss_waits_while_every_way_of_its_set_is_reserved() {
    for (allocate, mask, ways) in
        [(Allocate::OnMiss, !0, 8), (Allocate::OnMiss, 0b0110, 2), (Allocate::OnMiss, 1, 1), (Allocate::OnFill, 1, 32)]
    {
        let mut gpu = one_of_each();
        (gpu.sms[0].l1.bytes, gpu.sms[0].l1.ways, gpu.sms[0].l1.allocate) = (8 * 128, 8, allocate);
        let load = Op::Load { address: Address { lane: 128, ..Address::default() }, lanes: 32 };
        let mut m = machine(&gpu, kernel(1, 32, vec![load]), WarpOrder::Lrr);
        let mut controls = m.controls().clone();
        controls.each_sm(|sm| sm.l1_ways[K] = mask);
        m.set_controls(controls);
        let mut before = KernelStats::default();
        while m.kernel_stats(K).replies == 0 {
            before += window(&mut m, 1);
        }
        let misses = ways + u64::from(ways < 32);
        assert_eq!(before.l1_misses, misses, "as many as there are ways, and another in the cycle of the reply");
        // Issued in cycle 1, the load goes to L1D from cycle 2 on; the reply comes in the last cycle.
        let waited = if ways < 32 { m.now - 1 - 2 - ways } else { 0 };
        assert_eq!((before.fail_line, m.sms[0].l1().reserved()), (waited, if ways < 32 { ways as u32 } else { 0 }), "{ways} ways");
        finish(&mut m);
        let all = m.kernel_stats(K);
        assert_eq!([all.l1_misses, m.sms[0].l1().reserved().into()], [32, 0]);
    }
}

/// A store to a line under way leaves the way that is reserved for it: the line arrives, and the next load hits, as where it takes its way then.
#[test]
fn a_store_leaves_a_reserved_way_reserved() {
    let line = Address { lane: 4, ..Address::default() };
    let (load, store) = (Op::Load { address: line, lanes: 32 }, Op::Store { address: line, lanes: 32 });
    let wait = Op::Wait { loads: 0 };
    for allocate in [Allocate::OnFill, Allocate::OnMiss] {
        let mut gpu = one_of_each();
        gpu.sms[0].l1.allocate = allocate;
        let body = vec![load.clone(), store.clone(), wait.clone(), load.clone(), wait.clone()];
        let m = drained(&gpu, kernel(1, 32, body));
        let got = m.kernel_stats(K);
        assert_eq!([got.l1_misses, got.l1_writes, got.l1_hits], [1, 1, 1], "{allocate:?}");
        assert_eq!((m.sms[0].l1().resident(K), m.sms[0].l1().reserved()), (1, 0), "{allocate:?}");
    }
}

/// Misses to one line: an MSHR serves 8 of them with one fetch, at L1D and at L2; the others wait and hit.
#[test]
fn one_fetch_serves_as_many_as_an_mshr_merges() {
    let mut gpu = one_of_each();
    let line = vec![Op::Load { address: Address { lane: 4, ..Address::default() }, lanes: 32 }];
    let warps = drained(&gpu, kernel(1, 20 * 32, line.clone())).kernel_stats(K);
    assert_eq!([warps.l1_misses, warps.l1_merged, warps.l1_hits, warps.requests], [1, 7, 12, 1]);
    gpu.sms[0].count = 20;
    let sms = drained(&gpu, kernel(20, 32, line)).kernel_stats(K);
    assert_eq!([sms.l1_misses, sms.l2_misses, sms.l2_merged, sms.l2_hits, sms.dram_reads], [20, 1, 7, 12, 1]);
}

/// Little's law at L1D: m MSHRs, each taken for the latency of a miss, give m / latency lines a cycle, until the reply port gives
/// no more than a line every 5 NoC cycles.
#[test]
fn l1_mshrs_over_the_latency_is_the_rate_of_misses() {
    let rate = |mshrs| {
        let mut gpu = without_l1(one_of_each());
        gpu.sms[0].l1.mshrs = mshrs;
        let got = steady(&gpu, random_lines(false, LINES), 90_000);
        // What is under way on average is every MSHR: the rate times the mean latency.
        near("MSHRs in use", got.latency_sum as f64 / 90_000.0, f64::from(mshrs), 0.01 * f64::from(mshrs));
        got.latency_count as f64 / 90_000.0
    };
    let unloaded = rate(1);
    for mshrs in [2, 4, 8, 16] {
        near(&format!("{mshrs} MSHRs"), rate(mshrs), f64::from(mshrs) * unloaded, 0.02 * f64::from(mshrs) * unloaded);
    }
    near("the port's limit", rate(64), 1.0 / 7.5, 1e-4);
}

/// Little's law at L2: a bank has m MSHRs, each taken while DRAM fetches (an unloaded miss less an unloaded hit). They give m lines in
/// that time, until the bank looks up no more than one request a NoC cycle.
#[test]
fn l2_mshrs_over_the_dram_latency_is_the_rate_of_misses() {
    for mshrs in [1, 4, 16, 64, 1024] {
        let mut gpu = without_l1(one_of_each());
        gpu.sms[0].count = 16;
        // One clock, so that the latency is the same for all; unlimited bandwidth on both sides of the bank.
        (gpu.noc.mhz, gpu.dram.mhz) = (gpu.core_mhz, gpu.core_mhz);
        (gpu.noc.kind, gpu.dram.kind) = (NocKind::Ideal, DramKind::Ideal);
        gpu.l2.mshrs = mshrs;
        gpu.l2.bank_bytes = 8 * 128;
        let (hit, miss) = probe::unloaded_latency(&gpu);
        let taken = miss - hit;
        let got = steady(&gpu, random_lines(false, 1 << 22), 100 * taken as u64).l2_misses as f64;
        let want = (f64::from(mshrs) / taken).min(1.0) * 100.0 * taken;
        near(&format!("{mshrs} MSHRs"), got, want, f64::from(mshrs).min(taken));
    }
}

/// Behind a busy port an L2 bank holds what the port sends while a reply passes the bank, and as many lines as its queue. The time of a read
/// is these places, and those of the requests that wait, times the five cycles of a reply.
#[test]
fn replies_wait_for_a_busy_port_in_so_many_places() {
    for queue in [4, 8, 16] {
        let mut gpu = without_l1(one_of_each());
        gpu.noc.mhz = gpu.core_mhz;
        (gpu.l2.queue, gpu.l2.latency) = (queue, 40);
        let got = steady(&gpu, random_lines(false, LINES), 50_000);
        near("a line every five cycles", got.latency_count as f64 / 50_000.0, 0.2, 1e-4);
        let waits = got.wait_l2 as f64 / got.latency_count as f64;
        near(&format!("a queue of {queue}"), waits, 5.0 * (40.0 / 5.0 + 2.0 * f64::from(queue)), 5.0);
    }
}

/// A store buffer of b entries takes b stores, one a cycle, and holds the next one back until the first is acknowledged.
#[test]
fn a_full_store_buffer_stalls() {
    for entries in [1, 4, 16] {
        let mut gpu = one_of_each();
        gpu.sms[0].l1.store_buffer = entries;
        gpu.sms[0].l1.store_release = StoreRelease::Acknowledged;
        let address = Address { lane: 128, ..Address::default() };
        let mut m = machine(&gpu, kernel(1, 32, vec![Op::Store { address, lanes: 32 }]), WarpOrder::Lrr);
        // Unacknowledged stores before the first acknowledgement, and the cycles that the next store has waited for it.
        let mut before = KernelStats::default();
        while m.kernel_stats(K).replies == 0 {
            before += window(&mut m, 1);
        }
        assert_eq!(before.l1_writes - before.replies, u64::from(entries));
        // Issued in cycle 1, the stores go to L1D from cycle 2 on.
        assert_eq!(before.fail_store_buffer, m.now - 1 - 2 - u64::from(entries), "{entries} entries");
        finish(&mut m);
        window(&mut m, 20_000);
        assert_eq!(m.kernel_stats(K).replies, 32, "every store is acknowledged");
    }
}

/// Little's law at the store buffer: b entries, each taken for a round trip to L2, give b / round trip stores a cycle. The bound is the
/// request port, which gives no more than a packet of 5 flits every 5 NoC cycles.
#[test]
fn store_buffer_over_the_round_trip_is_the_rate_of_stores() {
    let rate = |entries| {
        let mut gpu = one_of_each();
        gpu.sms[0].l1.store_buffer = entries;
        gpu.sms[0].l1.store_release = StoreRelease::Acknowledged;
        steady(&gpu, random_lines(true, LINES), 90_000).l1_writes as f64 / 90_000.0
    };
    let unloaded = rate(1);
    // A hit, with the line on the way to L2 instead of on the way back, and the miss queue on top.
    near("round trip", 1.0 / unloaded, 200.0, 0.02 * 200.0);
    for entries in [2, 4, 8, 16] {
        near(&format!("{entries} entries"), rate(entries), f64::from(entries) * unloaded, 0.02 * f64::from(entries) * unloaded);
    }
    near("the port's limit", rate(64), 1.0 / 7.5, 1e-4);
}

/// A store that has left the SM holds no entry, nor has it one without a store buffer. One SM sends a packet of 5 flits every 5 NoC
/// cycles, however few its entries and however long L2 takes to answer.
#[test]
fn stores_that_have_left_are_bounded_by_the_port_alone() {
    let (sent, unbuffered) = (StoreRelease::Sent, StoreRelease::Unbuffered);
    for (release, entries, latency) in [(sent, 1, 100), (sent, 16, 1), (sent, 16, 100), (sent, 16, 500), (unbuffered, 1, 500)] {
        let mut gpu = one_of_each();
        (gpu.sms[0].l1.store_buffer, gpu.sms[0].l1.store_release) = (entries, release);
        gpu.l2.latency = latency;
        let rate = steady(&gpu, random_lines(true, LINES), 90_000).l1_writes as f64 / 90_000.0;
        near(&format!("{release:?}, {entries} entries, {latency} cycles"), rate, 1.0 / 7.5, 0.02 / 7.5);
    }
}

/// Without a store buffer a store needs a place in the miss queue and nothing else. While no request may leave, the queue takes as many as
/// it has places, whatever `store_buffer` says. The next store waits for a place as a read would.
#[test]
fn without_a_store_buffer_the_miss_queue_alone_bounds_stores() {
    for (release, entries) in [(StoreRelease::Sent, 3), (StoreRelease::Acknowledged, 3), (StoreRelease::Unbuffered, 8)] {
        let mut gpu = one_of_each();
        (gpu.sms[0].l1.store_buffer, gpu.sms[0].l1.miss_queue, gpu.sms[0].l1.store_release) = (3, 8, release);
        let address = Address { lane: 128, ..Address::default() };
        let mut m = machine(&gpu, kernel(1, 32, vec![Op::Store { address, lanes: 32 }]), WarpOrder::Lrr);
        let mut controls = m.controls().clone();
        controls.each_sm(|sm| sm.miss_credits[K] = Some(0));
        m.set_controls(controls);
        let got = window(&mut m, 100);
        // Issued in cycle 1, the stores go to L1D from cycle 2 on.
        let waited = 100 - 2 - entries;
        let unbuffered = release == StoreRelease::Unbuffered;
        let want = if unbuffered { (waited, 0) } else { (0, waited) };
        assert_eq!((got.l1_writes, (got.fail_miss_queue, got.fail_store_buffer)), (entries, want), "{release:?}");
        let l1 = m.sms[0].l1();
        assert_eq!((l1.misses_waiting(K), l1.stores_held(K)), (entries as u32, if unbuffered { 0 } else { 3 }), "{release:?}");
    }
}

/// Where the miss queue is split by kernel, a kernel without credits holds back no other. Its stores wait in its own part of the store
/// buffer, and its failed accesses are not retried when others free entries. Only an LSU that parks no access has the other wait.
#[test]
fn a_kernel_without_credits_leaves_another_as_if_it_were_alone() {
    let releases = [(StoreRelease::Sent, 8), (StoreRelease::Acknowledged, 8), (StoreRelease::Unbuffered, 64)];
    let holds = [LsuHol::No, LsuHol::UnlessSplit, LsuHol::Yes];
    for ((release, places), hol) in releases.into_iter().flat_map(|release| holds.map(|hol| (release, hol))) {
        let mut gpu = one_of_each();
        (gpu.sms[0].schedulers, gpu.sms[0].l1.store_release, gpu.sms[0].lsu_hol) = (1, release, hol);
        let access = |array| Address { array, lane: 128, loops: [4096, 0, 0], ..Address::default() };
        let body = [Op::Store { address: access(0), lanes: 8 }, Op::Load { address: access(0), lanes: 8 }, Op::Wait { loads: 1 }];
        let kernels = ["throttled", "free"].map(|name| Kernel { name: name.into(), ..kernel(2, 128, repeat(1_000_000, &body)) });
        let free = KernelId(1);
        let counts = |beside: bool| {
            let mut controls = Controls::neutral(1, WarpOrder::Gto);
            let of_sm = &mut controls.sms[0];
            of_sm.miss_queue_split = true;
            of_sm.miss_credits[KernelId(0)] = Some(0);
            of_sm.allowed[KernelId(0)] = beside;
            // The free kernel comes when the throttled one has come to a stop.
            of_sm.cta_target[free] = 0;
            let mut m = Machine::new(&gpu, &kernels, 1, false, &CtaOrderSpec::default(), controls.clone());
            (0..1000).for_each(|_| m.step());
            controls.sms[0].cta_target[free] = 2;
            m.set_controls(controls);
            (0..20_000).for_each(|_| m.step());
            m.settle();
            let throttled = m.kernel_stats(KernelId(0));
            let taken = if release == StoreRelease::Unbuffered { throttled.l1_writes + throttled.l1_misses } else { throttled.l1_writes };
            assert_eq!(taken, if beside { places } else { 0 }, "half of 16 entries, or of 128 places for loads and stores");
            // Whose access waits as the oldest is no property of one kernel.
            KernelStats { oldest_fails_miss: 0, oldest_fails_store: 0, ..m.kernel_stats(free) }
        };
        let (alone, beside) = (counts(false), counts(true));
        assert!(alone.l1_writes > 100 && alone.l1_misses > 100);
        if hol == LsuHol::Yes {
            assert_eq!((beside.l1_writes, beside.l1_reads), (0, 0), "{release:?}: behind the throttled kernel's access");
        } else {
            assert_eq!(alone, beside, "{release:?}, {hol:?}");
        }
    }
}

/// Virtual queue with a quota of 3 requests in 200 cycles, five of them queued, port free: three leave in successive cycles, the rest in
/// cycles 200 and 201 (CCBP §5.1).
#[test]
fn credits_let_three_leave_and_two_wait_for_the_next_interval() {
    let mut m = machine(
        &one_of_each(),
        kernel(1, 32, vec![Op::Load { address: Address { lane: 128, ..Address::default() }, lanes: 5 }]),
        WarpOrder::Lrr,
    );
    let mut controls = m.controls().clone();
    controls.each_sm(|sm| (sm.miss_queue_split, sm.miss_credits[K]) = (true, Some(3 * 16)));
    m.set_controls(controls);
    let mut left = Vec::new();
    for cycle in 0..600 {
        left.extend((0..window(&mut m, 1).requests).map(|_| cycle));
    }
    assert_eq!(left, [left[0], left[0] + 1, left[0] + 2, 200, 201]);
}

/// The NoC's clock against the core's: one SM's reply port gives `noc / 5` lines in `core` cycles, whichever is faster.
#[test]
fn noc_bandwidth_follows_its_clock() {
    for (core, noc) in [(1800, 1200), (1200, 1200), (1200, 1800), (1000, 313), (500, 2000)] {
        let mut gpu = without_l1(one_of_each());
        gpu.l2.banks = 4;
        (gpu.core_mhz, gpu.noc.mhz) = (core, noc);
        let got = steady(&gpu, random_lines(false, 8 * LINES), 5 * u64::from(core));
        near(&format!("{noc} MHz against {core}"), got.replies as f64, f64::from(noc), 1.0);
    }
}

/// DRAM's clock against the core's: in `T × core` cycles a channel gives `dram` lines of a sequential stream, less what rows and their
/// order cost (the channel by itself: `dram::a_sequential_stream_fills_the_bus`).
#[test]
fn dram_bandwidth_follows_its_clock() {
    for (core, dram) in [(1800, 1246), (1000, 1000), (700, 1246), (1800, 400)] {
        let mut gpu = without_l1(one_of_each());
        (gpu.core_mhz, gpu.noc.mhz, gpu.dram.mhz) = (core, 4 * core, dram);
        gpu.noc.kind = NocKind::Ideal;
        let address = Address { lane: 4, cta: 32 * 128, warp: 128, loops: [64 * 128, 0, 0], ..Address::default() };
        let stream = kernel(2, 1024, repeat(1_000_000, &[Op::Load { address, lanes: 32 }]));
        let mut m = machine(&gpu, stream, WarpOrder::Lrr);
        window(&mut m, 10_000);
        let got = window(&mut m, 8 * u64::from(core));
        // A line keeps its channel for T clocks, or until tCCD lets the next column command go.
        let timing = &gpu.dram.timing;
        let lines = 8.0 * f64::from(dram) / f64::from(timing.T.max(timing.tCCD));
        near(&format!("{dram} MHz against {core}"), got.dram_reads as f64, lines, 0.01 * lines);
        assert_eq!(got.dram_writes, 0);
    }
}

/// However many banks and channels there are, the lines of a channel are consecutive: a stream of loads opens each row once, and all but the first of
/// its 16 lines hit.
#[test]
fn a_stream_opens_each_row_once() {
    for (banks, channels) in [(1, 1), (4, 1), (4, 2), (6, 3), (16, 16)] {
        let mut gpu = one_of_each();
        (gpu.l2.banks, gpu.dram.channels) = (banks, channels);
        let lines = 16 * 40 * channels;
        let load = Op::Load { address: Address { lane: 4, loops: [128, 0, 0], ..Address::default() }, lanes: 32 };
        let got = drained(&gpu, kernel(1, 32, repeat(lines, &[load, Op::Wait { loads: 0 }]))).kernel_stats(K);
        assert_eq!(
            [got.dram_reads, got.dram_row_hits],
            [u64::from(lines), u64::from(lines) * 15 / 16],
            "{banks} banks, {channels} channels"
        );
    }
}

/// The ideal NoC and DRAM have the unloaded latency of the real ones (of a closed bank): only waiting for others is gone.
#[test]
fn ideal_parts_keep_the_unloaded_latency() {
    let real = probe::unloaded_latency(&one_of_each());
    let mut ideal = one_of_each();
    ideal.noc.kind = NocKind::Ideal;
    assert_eq!(probe::unloaded_latency(&ideal), real);
    ideal.dram.kind = DramKind::Ideal;
    assert_eq!(probe::unloaded_latency(&ideal), real);
}

/// A machine that has run a kernel to its end, and long enough that nothing is under way any more.
fn drained(gpu: &Gpu, kernel: Kernel) -> Machine {
    let mut m = machine(gpu, kernel, WarpOrder::Lrr);
    finish(&mut m);
    window(&mut m, 100_000);
    assert!(m.memory.is_idle());
    m
}

/// Write-back with write-allocate and fetch: each line that a stream stores, in whole or in part, is read from DRAM once, and written once
/// when it is evicted; the last ones stay dirty in L2. A stream of loads of the same size reads as much and writes nothing.
#[test]
fn a_stored_line_costs_a_read_and_a_write_back() {
    let gpu = one_of_each();
    let (lines, l2_lines) = (4096, u64::from(gpu.l2.bank_bytes) / LINE);
    let address = Address { lane: 4, cta: 8 * 128, warp: 128, ..Address::default() };
    for lanes in [1, 16, 32] {
        let store = drained(&gpu, kernel(lines / 8, 256, vec![Op::Store { address, lanes }])).kernel_stats(K);
        assert_eq!([store.l2_writes, store.l2_misses, store.dram_reads], [u64::from(lines); 3], "{lanes} lanes");
        assert_eq!([store.l2_dirty_victims, store.dram_writes], [u64::from(lines) - l2_lines; 2], "{lanes} lanes");
        let load = drained(&gpu, kernel(lines / 8, 256, vec![Op::Load { address, lanes }])).kernel_stats(K);
        assert_eq!([load.l2_misses, load.dram_reads, load.dram_writes], [u64::from(lines), u64::from(lines), 0], "{lanes} lanes");
    }
    // Stores to lines that L2 holds cost no DRAM access at all.
    let again = repeat(10, &[Op::Store { address, lanes: 32 }]);
    let got = drained(&gpu, kernel(512 / 8, 256, again)).kernel_stats(K);
    assert_eq!([got.l2_writes, got.dram_reads, got.dram_writes], [5120, 512, 0]);
}

/// SMs that all want one L2 bank share it evenly, whatever binds: a port, the bank or DRAM, whose period may divide the number of SMs. In turn or
/// by age it is even at once; where the winner is drawn, as the ideal NoC does, it is even on average.
#[test]
fn a_bank_is_shared_evenly() {
    use Arbiter::{Oldest, Random, RoundRobin};
    for (kind, arbiter) in
        [(NocKind::Crossbar, RoundRobin), (NocKind::Crossbar, Oldest), (NocKind::Crossbar, Random), (NocKind::Ideal, RoundRobin)]
    {
        for (store, lines) in [(false, 512), (true, 512), (false, 1 << 20), (true, 1 << 20)] {
            let mut gpu = without_l1(one_of_each());
            gpu.sms[0].count = 16;
            (gpu.noc.mhz, gpu.dram.mhz) = (gpu.core_mhz, gpu.core_mhz);
            (gpu.noc.kind, gpu.noc.arbiter) = (kind, arbiter);
            let mut m = machine(&gpu, random_lines(store, lines), WarpOrder::Lrr);
            let replies = |m: &Machine| -> Vec<u64> { m.sms.iter().map(|sm| sm.stats()[K.index()].replies).collect() };
            window(&mut m, 50_000);
            let before = replies(&m);
            let all = window(&mut m, 50_000).replies as f64;
            let drawn = kind == NocKind::Ideal || arbiter == Random;
            let share = all / 16.0;
            let tolerance = if drawn { 6.0 * share.sqrt() } else { 4.0 + 0.01 * share };
            for (sm, (after, before)) in replies(&m).into_iter().zip(before).enumerate() {
                let what = format!("{kind:?} {arbiter:?}, stores: {store}, {lines} lines, SM {sm}");
                near(&what, (after - before) as f64, share, tolerance);
            }
        }
    }
}

/// A rank in DRAM only orders kernels: one kernel alone runs the same under every rank, the last one included.
#[test]
fn equal_dram_ranks_change_nothing() {
    let under = |rank| {
        let mut m = machine(&without_l1(one_of_each()), random_lines(false, 1 << 22), WarpOrder::Lrr);
        let mut controls = m.controls().clone();
        controls.dram_rank[K] = rank;
        m.set_controls(controls);
        window(&mut m, 50_000)
    };
    let plain = under(0);
    assert!(plain.dram_reads > 1_000);
    for rank in [1, 127, 128, 254, 255] {
        assert_eq!(under(rank), plain, "rank {rank}");
    }
}

/// Stores to fresh lines under `full_lines_skip`. A store of a whole line takes its place in L2 without a DRAM read, one of a part of a
/// line reads it, and under `fetch` every store does. Evicted, each line is written once in any case.
#[test]
fn a_store_of_a_whole_line_needs_no_fetch() {
    let (lines, l2_lines) = (4096, u64::from(one_of_each().l2.bank_bytes) / LINE);
    let address = Address { lane: 4, cta: 8 * 128, warp: 128, ..Address::default() };
    for (write_fill, lanes, reads) in [
        (WriteFill::Fetch, 32, 4096),
        (WriteFill::Fetch, 31, 4096),
        (WriteFill::FullLinesSkip, 32, 0),
        (WriteFill::FullLinesSkip, 31, 4096),
        (WriteFill::FullLinesSkip, 1, 4096),
    ] {
        let mut gpu = one_of_each();
        gpu.l2.write_fill = write_fill;
        let got = drained(&gpu, kernel(lines / 8, 256, vec![Op::Store { address, lanes }])).kernel_stats(K);
        let what = format!("{write_fill:?}, {lanes} lanes");
        assert_eq!([got.dram_reads, got.l2_misses, got.l2_filled_by_stores], [reads, reads, u64::from(lines) - reads], "{what}");
        assert_eq!(
            [got.l2_writes, got.replies, got.dram_writes],
            [u64::from(lines), u64::from(lines), u64::from(lines) - l2_lines],
            "{what}"
        );
    }
}

/// Under `bytes` a store's packet has a header flit and its bytes in whole flits of 32; under `line` five flits whatever it writes.
#[test]
fn bytes_written_decide_the_flits_of_a_store() {
    let flits = |store_flits, lane, offset, lanes| {
        let mut gpu = one_of_each();
        gpu.noc.store_flits = store_flits;
        let address = Address { lane, offset, ..Address::default() };
        let got = drained(&gpu, kernel(1, 32, vec![Op::Store { address, lanes }])).kernel_stats(K);
        (got.requests, got.noc_request_flits)
    };
    for (lane, offset, lanes, requests, bytes) in [
        (4, 0, 32, 1, vec![128]),
        (4, 0, 8, 1, vec![32]),
        (4, 0, 9, 1, vec![36]),
        (4, 0, 1, 1, vec![4]),
        // Every lane the same word.
        (0, 0, 32, 1, vec![4]),
        // Every other word: two lines, half of each.
        (8, 0, 32, 2, vec![64, 64]),
        // Not aligned to a line.
        (4, 96, 32, 2, vec![32, 96]),
        // A lane a line.
        (128, 0, 32, 32, vec![4; 32]),
    ] {
        let want: u64 = bytes.iter().map(|bytes: &u64| 1 + bytes.div_ceil(32)).sum();
        let what = format!("{lanes} lanes {lane} bytes apart from {offset}");
        assert_eq!(flits(StoreFlits::Bytes, lane, offset, lanes), (requests, want), "{what}");
        assert_eq!(flits(StoreFlits::Line, lane, offset, lanes), (requests, 5 * requests), "{what}");
    }
}

/// CCBP's NoC utilisation counts replies to reads; with acknowledgements of stores it is another figure. A kernel that only stores has 0 of the first; of the
/// second, one flit a store, of which the request port lets one pass every 5 NoC cycles.
#[test]
fn acknowledgements_are_no_part_of_the_papers_utilisation() {
    let gpu = one_of_each();
    let stores = steady(&gpu, random_lines(true, LINES), 90_000);
    assert_eq!([stores.noc_reply_flits, stores.noc_acknowledgement_flits], [0, stores.replies]);
    assert_eq!(Rates::of(&stores, &gpu, 90_000).noc_utilisation, Some(0.0));
    let all = Rates::of(&stores, &gpu, 90_000).noc_utilisation_all.expect("a peak");
    near("acknowledgements", all, stores.replies as f64 / 60_000.0, 1e-9);
    let gpu = without_l1(gpu);
    let loads = steady(&gpu, random_lines(false, LINES), 90_000);
    assert_eq!([loads.noc_reply_flits, loads.noc_acknowledgement_flits], [5 * loads.replies, 0]);
    near("loads", Rates::of(&loads, &gpu, 90_000).noc_utilisation.expect("a peak"), 1.0, 1e-3);
}

/// An ideal part has no peak, so no share of it can be said; of a real one no kernel takes more than all.
#[test]
fn only_what_has_a_peak_has_a_utilisation() {
    let mut gpu = without_l1(one_of_each());
    (gpu.core_mhz, gpu.noc.mhz) = (1246, 4 * 1246);
    for (noc, dram) in [(NocKind::Crossbar, DramKind::Banked), (NocKind::Ideal, DramKind::Ideal)] {
        (gpu.noc.kind, gpu.dram.kind) = (noc, dram);
        let got = steady(&gpu, random_lines(false, 1 << 22), 50_000);
        let of = [Rates::of(&got, &gpu, 50_000).noc_utilisation, Rates::of(&got, &gpu, 50_000).dram_utilisation];
        if noc == NocKind::Ideal {
            assert!(got.dram_reads > 50_000 / 8, "more than the real channel's bus carries");
            assert_eq!(of, [None, None]);
        } else {
            assert!(of.iter().all(|share| share.is_some_and(|share| share > 0.1 && share <= 1.0)), "{of:?}");
        }
    }
}

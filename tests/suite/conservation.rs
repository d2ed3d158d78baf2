//! Whatever machine, kernels and controls: what enters leaves, every column adds up, and no limit is passed.
//!
//! About a thousand cases in CI; `PROPTEST_CASES=100000 cargo test --release --test suite conservation` for more. A case that ever failed is kept in
//! `tests/suite/random/regressions.txt` and is run first. That every run here ends is the proof that no valid machine hangs (`liveness.rs`).

use crate::random;
use crate::random::Change;
use proptest::prelude::*;
use sim_core::describe::gpu::{Allocate, StoreFlits, occupancy};
use sim_core::describe::ids::{Cycle, KernelId, MAX_KERNELS, PerKernel};
use sim_core::describe::kernel::{Launch, MAX_LOOPS, Op, WARP_SIZE};
use sim_core::interface::controls::{Controls, SmControls};
use sim_core::interface::stats::KernelStats;
use sim_core::machine::Machine;
use sim_core::machine::dispatch::CtaEvent;
use sim_core::machine::dispatch::order::CtaOrderSpec;
use sim_core::machine::sm::address::Place;
use sim_core::machine::sm::code::Code;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};
use std::collections::BTreeSet;

fn start(experiment: &Experiment) -> Simulation {
    Simulation::new(experiment).unwrap_or_else(|problems| panic!("the generator makes valid experiments:\n{problems}"))
}

fn controls(experiment: &Experiment) -> Option<&Controls> {
    experiment.policy.controls()
}

/// Instructions of a warp by walking its Program as a reader would: warp instructions, thread instructions, and of these the special-function ones,
/// the accesses of shared memory, and global loads and stores.
fn instructions(code: &Code, program: &[Op], cta: u32, warp: u32) -> [u64; 5] {
    let mut place = Place { cta, warp, ..Place::default() };
    let (mut at, mut sum) = (0, [0_u64; 5]);
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut add = |count: u32, lanes: u32, class: Option<usize>| {
        let threads = u64::from(count) * u64::from(lanes);
        sum[0] += u64::from(count);
        sum[1] += threads;
        sum[class.unwrap_or(0)] += threads * u64::from(class.is_some());
    };
    while at < program.len() {
        match program[at] {
            Op::Alu { count, lanes, .. } | Op::Fp64 { count, lanes, .. } => add(count, lanes, None),
            Op::Sfu { count, lanes, .. } => add(count, lanes, Some(2)),
            Op::Shared { count, lanes, .. } => add(count, lanes, Some(3)),
            Op::Load { lanes, .. } | Op::Store { lanes, .. } | Op::Atomic { lanes, .. } => add(1, lanes, Some(4)),
            Op::Barrier | Op::Sleep { .. } => add(1, WARP_SIZE, None),
            Op::Wait { .. } => {}
            Op::Loop { trips } => {
                place.loops[open.len()..MAX_LOOPS].fill(0);
                let trips = code.trips(trips, at as u32, &place);
                if trips == 0 {
                    at = end_of(program, at);
                } else {
                    open.push((at, trips));
                }
            }
            Op::End => {
                let depth = open.len() - 1;
                let (begin, trips) = open[depth];
                place.loops[depth] += 1;
                if place.loops[depth] < trips {
                    at = begin;
                } else {
                    place.loops[depth] = 0;
                    open.pop();
                }
            }
        }
        at += 1;
    }
    sum
}

/// Every word that L2 has down as an L1D's is owned there, and no other: so none has two owners.
fn owners_agree(machine: &Machine) {
    let sms = (0..).zip(&machine.sms);
    let mut here: Vec<_> = sms.flat_map(|(sm, of)| of.l1().owned().into_iter().map(move |(line, words)| (line, sm, words))).collect();
    let mut home = machine.memory.owned();
    here.sort_unstable();
    home.sort_unstable();
    assert_eq!(here, home);
}

/// What holds of each kernel where L1Ds own words: a miss may have several answers, and ask again.
fn owned_words_add_up(s: &KernelStats, k: usize) {
    let stores = s.requests - s.read_requests;
    assert_eq!(s.l1_reads, s.l1_hits + s.l1_merged + s.l1_misses, "kernel {k}");
    assert_eq!(s.latency_count, s.l1_misses, "every miss ends once");
    assert_eq!(s.misses_to_l2 + s.misses_to_memory + s.misses_to_remote_l1, s.l1_misses);
    assert_eq!(s.read_requests, s.l1_misses + s.reads_again);
    assert!(s.replies >= s.requests);
    assert_eq!(stores > 0, s.l1_writes > 0, "what is written is registered");
    assert_eq!(s.loads_done, s.load_instructions);
    assert_eq!((s.context_lines_in, s.ctas_switched_in), (s.context_lines_out, s.ctas_switched_out));
    assert_eq!((s.l2_reads, s.l2_writes), (s.read_requests, stores));
    assert_eq!(s.l2_reads + s.l2_writes, s.l2_hits + s.l2_merged + s.l2_misses + s.l2_filled_by_stores);
    assert_eq!((s.dram_reads, s.dram_writes), (s.l2_misses + s.context_lines_in, s.l2_dirty_victims + s.context_lines_out));
    let parts = s.wait_miss_queue + s.wait_request_noc + s.wait_l2 + s.wait_dram + s.wait_reply_noc;
    assert_eq!(parts, s.latency_sum, "the parts of the latency are its whole");
}

/// The `End` of the loop that begins at `at`.
fn end_of(program: &[Op], at: usize) -> usize {
    let mut depth = 0;
    for (i, op) in program.iter().enumerate().skip(at) {
        match op {
            Op::Loop { .. } => depth += 1,
            Op::End => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    program.len()
}

/// Runs to the end of all kernels and until nothing is under way any more.
fn run_dry(experiment: &Experiment, changes: &[Change]) -> Simulation {
    let mut simulation = start(experiment);
    simulation.machine_mut().record_events = true;
    let reason = random::advance(&mut simulation, changes, u64::MAX, false);
    assert_eq!(reason, Reason::KernelsDone, "{}", simulation.explain_stuck());
    let machine = simulation.machine_mut();
    let dry = |machine: &Machine| {
        let sent = machine.sms.iter().all(|sm| sm.next_event() == Cycle::MAX && !sm.waits_for_noc());
        let written = (0..experiment.gpu.dram.channels).all(|channel| machine.memory.dram_queue(channel).0 == [0; MAX_KERNELS]);
        sent && written && machine.memory.is_idle()
    };
    for _ in 0..2_000_000 {
        if dry(machine) {
            break;
        }
        machine.step();
    }
    assert!(dry(machine), "something is still under way long after the last warp");
    machine.forget_peaks();
    simulation
}

proptest! {
    #![proptest_config(random::cases(1000))]

    /// Does everything that enters leave, and do all columns add up?
    #[test]
    fn what_enters_leaves_and_columns_add_up(experiment in random::experiment(), changes in random::changes()) {
        let mut simulation = run_dry(&experiment, &changes);
        let totals = simulation.totals();
        let gpu = &experiment.gpu;
        let packet = u64::from(gpu.line_flits());
        if gpu.owns() {
            owners_agree(simulation.machine());
        }
        for (k, s) in totals.iter().enumerate() {
            if gpu.owns() {
                owned_words_add_up(s, k);
                continue;
            }
            let stores = s.requests - s.read_requests;
            prop_assert_eq!(s.replies, s.requests, "kernel {}: requests in, replies out", k);
            prop_assert_eq!(s.latency_count, s.read_requests);
            prop_assert_eq!(s.l1_reads, s.l1_hits + s.l1_merged + s.l1_misses);
            prop_assert_eq!(s.l1_misses, s.read_requests);
            if gpu.sms[0].l1.protocol.is_by_word() {
                prop_assert!(stores <= s.l1_writes, "stores coalesce");
                prop_assert_eq!(stores > 0, s.l1_writes > 0, "what is written reaches L2");
            } else {
                prop_assert_eq!(stores, s.l1_writes);
            }
            prop_assert_eq!(s.loads_done, s.load_instructions);
            let (out, come) = (s.context_lines_out, s.context_lines_in);
            prop_assert_eq!((come, s.ctas_switched_in), (out, s.ctas_switched_out), "who leaves comes back, with all its lines");
            let of_stores = s.noc_request_flits - s.read_requests - come - out * packet;
            if gpu.noc.store_flits == StoreFlits::Line {
                prop_assert_eq!(of_stores, stores * packet, "bytes on the request link");
            } else {
                prop_assert!((stores * packet.min(2)..=stores * packet).contains(&of_stores), "bytes on the request link");
            }
            prop_assert_eq!((s.noc_reply_flits, s.noc_acknowledgement_flits), ((s.read_requests + come) * packet, stores + out), "bytes on the reply link");
            prop_assert_eq!((s.l2_reads, s.l2_writes), (s.read_requests, stores));
            prop_assert_eq!(s.l2_reads + s.l2_writes, s.l2_hits + s.l2_merged + s.l2_misses + s.l2_filled_by_stores);
            prop_assert_eq!((s.dram_reads, s.dram_writes), (s.l2_misses + come, s.l2_dirty_victims + out));
            prop_assert_eq!(s.reported_dram_accesses, s.l2_misses + s.l2_dirty_victims);
            prop_assert_eq!(simulation.machine().peak_in_flight(KernelId(k as u8)), 0, "memory instructions in flight");
            let monitored: u64 = simulation.machine().l1_utility(KernelId(k as u8)).iter().sum();
            prop_assert!(monitored <= s.l1_reads, "hits of the shadow tags are reads");
            let parts = s.wait_miss_queue + s.wait_request_noc + s.wait_l2 + s.wait_dram + s.wait_reply_noc;
            prop_assert_eq!(parts, s.latency_sum, "the parts of the latency are its whole");
            let kept = s.warps_wait_memory + s.warps_wait_lsu;
            prop_assert!(kept + s.warp_instructions <= s.warp_cycles, "a warp issues, or waits for one thing");
        }
        let issued: u64 = totals.iter().map(|s| s.warp_instructions).sum();
        let slots = gpu.sms.iter().map(|class| u64::from(class.schedulers * class.count)).sum::<u64>() * simulation.cycle();
        prop_assert_eq!(issued + simulation.machine().stalls().total(), slots, "every scheduler-cycle is charged once");
    }

    /// Is every CTA of every launch run exactly once, whole, and in the order of the launches, whatever the order of CTAs?
    #[test]
    fn no_cta_is_lost_or_run_twice(experiment in random::experiment(), changes in random::changes()) {
        let mut simulation = run_dry(&experiment, &changes);
        let totals: Vec<KernelStats> = simulation.totals();
        let events: Vec<CtaEvent> = simulation.machine().events.clone();
        for kernel in random::kernels(&experiment) {
            let launches: Vec<Launch> = experiment.kernels[kernel.index()].kernel.unrolled().collect();
            let codes = simulation.machine().codes(kernel);
            let mine = || events.iter().filter(move |event| event.kernel == kernel);
            let mut placed: Vec<u32> = mine().filter(|event| event.placed && !event.switched).map(|event| event.cta).collect();
            let grid: Vec<u32> = launches.iter().flat_map(|launch| 0..launch.ctas()).collect();
            if experiment.cta_order != CtaOrderSpec::default() {
                let mut rest = &mut placed[..];
                for launch in &launches {
                    let (ctas, after) = rest.split_at_mut((launch.ctas() as usize).min(rest.len()));
                    ctas.sort_unstable();
                    rest = after;
                }
            }
            prop_assert_eq!(&placed, &grid, "each CTA is placed once, and in the order of the grid where no other is asked for");
            // A launch begins after the one before has ended.
            let (mut done, mut resident, mut saved) = (0, BTreeSet::new(), BTreeSet::new());
            let mut ends = launches.iter().scan(0, |sum, launch| { *sum += launch.ctas(); Some(*sum) });
            let mut end = ends.next().unwrap_or(0);
            for event in mine() {
                if event.placed {
                    if event.switched {
                        prop_assert!(saved.remove(&event.cta), "a CTA goes on that has not left");
                    }
                    if done == end { end = ends.next().unwrap_or(0); }
                    prop_assert!(resident.insert((event.sm, event.slot)), "the slot is taken");
                    prop_assert!(done as usize + resident.len() + saved.len() <= end as usize, "a CTA of the next launch came early");
                } else {
                    prop_assert!(resident.remove(&(event.sm, event.slot)), "a CTA ended that had not begun");
                    if event.switched {
                        prop_assert!(saved.insert(event.cta), "a CTA has left twice");
                    } else {
                        done += 1;
                    }
                }
            }
            prop_assert!(resident.is_empty() && saved.is_empty());
            let mut want = [0; 5];
            for (launch, code) in launches.iter().zip(codes) {
                for (cta, warp) in (0..launch.ctas()).flat_map(|cta| (0..launch.threads.div_ceil(WARP_SIZE)).map(move |warp| (cta, warp))) {
                    let of_warp = instructions(code, &launch.program, cta, warp);
                    want.iter_mut().zip(of_warp).for_each(|(sum, n)| *sum += n);
                }
            }
            let stats = &totals[kernel.index()];
            let classes = [stats.special_thread_instructions, stats.shared_thread_instructions, stats.global_thread_instructions];
            let found = [&[stats.warp_instructions, stats.thread_instructions][..], &classes].concat();
            prop_assert_eq!(found, want, "instructions of the Program, by hand");
        }
    }
}

/// What CTAs that are resident take of an SM: CTAs, threads in whole warps, registers, shared memory.
fn taken(experiment: &Experiment, ctas: &[Option<sim_core::machine::sm::ctas::Cta>]) -> [u64; 4] {
    ctas.iter().flatten().fold([0; 4], |[ctas, threads, registers, shared], cta| {
        let launch = experiment.kernels[cta.kernel.index()].kernel.launch(cta.launch);
        let whole = u64::from(launch.threads.div_ceil(WARP_SIZE) * WARP_SIZE);
        let granularity = experiment.gpu.sms[0].register_granularity;
        let of_cta = u64::from(occupancy::registers_of_cta(launch.threads, launch.registers, granularity));
        let of_shared = launch.shared_bytes + experiment.gpu.sms[0].shared_reserved;
        [ctas + 1, threads + whole, registers + of_cta, shared + u64::from(of_shared)]
    })
}

proptest! {
    #![proptest_config(random::cases(300))]

    /// Is any limit ever passed: residency, CTA targets, SM masks, way masks, memory instructions in flight, credits?
    #[test]
    fn no_limit_is_ever_passed(experiment in random::experiment()) {
        let mut simulation = start(&experiment);
        simulation.machine_mut().record_events = true;
        let class = experiment.gpu.sms[0].clone();
        let sets = u64::from(class.l1.bytes / (class.l1.ways * experiment.gpu.l2.line_bytes));
        let set = controls(&experiment).cloned();
        // Requests of each SM and kernel at the start of each credit interval.
        let mut log: Vec<Vec<PerKernel<u64>>> = Vec::new();
        for _ in 0..3000 {
            let now = simulation.cycle();
            if let Some(controls) = &set && now.is_multiple_of(controls.sms[0].credit_interval.into()) {
                log.push(requests(&simulation));
            }
            if simulation.advance(1) != Reason::Budget { break; }
            for (number, sm) in simulation.machine().sms.iter().enumerate() {
                let class = experiment.gpu.class_of(number as u32);
                // An SM without CTAs may be divided for ones that have gone.
                let division = sm.ctas.division().unwrap_or(class.shared_bytes);
                let limits = [class.ctas, class.threads, class.registers, division].map(u64::from);
                let used = taken(&experiment, sm.ctas.slots());
                prop_assert!(used.iter().zip(limits).all(|(&used, limit)| used <= limit), "{:?} of {:?}", used, limits);
                let reserved = if class.l1.allocate == Allocate::OnMiss { sm.l1().mshrs_used() } else { 0 };
                prop_assert_eq!(sm.l1().reserved(), reserved, "a way is reserved for each miss under way");
                let (array, carved) = (class.l1.bytes, sm.ctas.division().unwrap_or(0));
                prop_assert_eq!(sm.l1().sets() * class.l1.ways * experiment.gpu.l2.line_bytes, array - carved, "L1D is the rest");
                let Some(controls) = &set else { continue };
                for kernel in random::kernels(&experiment) {
                    prop_assert!(sm.ctas.used(kernel).ctas <= u32::from(controls.sms[number].cta_target[kernel]));
                }
            }
        }
        let Some(controls) = set else { return Ok(()) };
        for event in simulation.machine().events.iter().filter(|event| event.placed) {
            prop_assert!(controls.sms[usize::from(event.sm)].allowed[event.kernel], "a CTA outside its kernel's SMs");
        }
        let controls = &controls.sms[0];
        for kernel in random::kernels(&experiment) {
            let ways = u64::from((controls.l1_ways[kernel] & (u32::MAX >> (32 - class.l1.ways))).count_ones());
            for sm in &simulation.machine().sms {
                prop_assert!(u64::from(sm.l1().resident(kernel)) <= ways * sets, "lines outside the kernel's ways");
            }
            let in_flight = simulation.machine().peak_in_flight(kernel);
            prop_assert!(controls.memory_cap[kernel].is_none_or(|cap| in_flight <= cap.into()), "{} in flight", in_flight);
            credits_hold(&log, kernel, controls)?;
        }
    }
}

fn requests(simulation: &Simulation) -> Vec<PerKernel<u64>> {
    let of = |sm: &sim_core::machine::sm::Sm| {
        let mut row = PerKernel::all(0);
        for (kernel, stats) in sm.stats().iter().enumerate() {
            row.0[kernel] = stats.requests;
        }
        row
    };
    simulation.machine().sms.iter().map(of).collect()
}

/// Over any number of whole intervals a kernel's requests stay within its credits, of which less than one carries over, and what unused ones
/// are kept.
fn credits_hold(log: &[Vec<PerKernel<u64>>], kernel: KernelId, controls: &SmControls) -> Result<(), TestCaseError> {
    let Some(sixteenths) = controls.miss_credits[kernel] else { return Ok(()) };
    let kept = u64::from(controls.credit_carry);
    for (i, from) in log.iter().enumerate().step_by(1 + log.len() / 60) {
        for (j, to) in log.iter().enumerate().skip(i + 1).step_by(1 + log.len() / 60) {
            for (a, b) in from.iter().zip(to) {
                let (sent, intervals) = (b[kernel] - a[kernel], (j - i) as u64);
                prop_assert!(sent * 16 <= (intervals + kept) * u64::from(sixteenths) + 15, "{} requests in {} intervals", sent, intervals);
            }
        }
    }
    Ok(())
}

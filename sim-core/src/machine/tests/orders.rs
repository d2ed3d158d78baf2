//! Does the CTA order, and nothing else, say which CTA runs where; and does every CTA find a place, whatever the controls do?

use super::*;
use crate::interface::spec::{Entry, Setting};
use crate::machine::dispatch::order::{CTA_ORDERS, CtaOrderInfo};

/// CTAs of unequal length.
fn uneven(name: &str) -> Kernel {
    let work = vec![Op::Loop { trips: Trips::PerWarp { min: 1, max: 12 } }, Op::Alu { count: 5, latency: 4, lanes: 32 }, Op::End];
    kernel(name, 40, 512, work)
}

/// CTAs that read and write a little.
fn touching(name: &str) -> Kernel {
    let load = Op::Load { address: unit(Scatter::None), lanes: 32 };
    let store = Op::Store { address: unit(Scatter::None), lanes: 32 };
    kernel(name, 30, 256, vec![load, Op::Wait { loads: 0 }, Op::Alu { count: 3, latency: 4, lanes: 32 }, store])
}

fn order(name: &str) -> CtaOrderSpec {
    CtaOrderSpec::of(CtaOrderInfo::find(name).unwrap())
}

/// Every order, and those that differ from it in how the dispatcher deals with it.
fn orders() -> Vec<CtaOrderSpec> {
    let all = CTA_ORDERS.iter().map(CtaOrderSpec::of);
    let after_last = order("round-robin").with("after_last", Setting::Bool(true));
    all.chain([after_last, order("steal").with("latency", Setting::Int(30))]).collect()
}

fn ordered(gpu: &Gpu, kernels: &[Kernel], restart: bool, order: &CtaOrderSpec) -> Machine {
    Machine::new(gpu, kernels, 1, restart, order, Controls::neutral(gpu.sm_count() as usize, WarpOrder::Gto))
}

/// SMs of the CTAs of kernel A, launch by launch, in the order of their placement.
fn placements(order: &CtaOrderSpec) -> Vec<Vec<(u32, u16)>> {
    let mut machine = ordered(&gpu(3), &[uneven("A"), uneven("B")], true, order);
    machine.record_events = true;
    run(&mut machine, 15_000);
    let mut launches = vec![Vec::new()];
    for event in machine.events.iter().filter(|event| event.placed && event.kernel == KernelId(0)) {
        if launches.last().is_some_and(|launch| launch.len() == 40) {
            launches.push(Vec::new());
        }
        launches.last_mut().unwrap().push((event.cta, event.sm));
    }
    launches.pop();
    assert!(launches.len() > 2, "{} launches", launches.len());
    launches
}

/// Under every order each launch places each CTA once; those that promise it place it where it ran before.
#[test]
fn an_order_of_its_own_decides_which_cta_goes_where() {
    for order in orders() {
        let name = order.name();
        let by_cta: Vec<Vec<(u32, u16)>> = placements(&order)
            .into_iter()
            .map(|mut launch| {
                if name == "round-robin" {
                    assert!(launch.iter().map(|place| place.0).eq(0..40), "in the order of the grid");
                }
                launch.sort_unstable();
                assert!(launch.iter().map(|place| place.0).eq(0..40), "{name}: {launch:?}");
                launch
            })
            .collect();
        let stays = by_cta.windows(2).all(|pair| pair[0] == pair[1]);
        match name {
            "same-sm" | "reset" | "flip" | "dependence" => assert!(stays, "{name} moves a CTA"),
            "round-robin" => assert!(!stays, "{name} happens to stay where it was"),
            _ => {}
        }
    }
}

/// Sleeping, the order within a phase, running ahead, and a clone: no order notices.
#[test]
fn under_every_order_the_state_is_that_of_single_steps() {
    for order in orders() {
        let mut plain = ordered(&gpu(3), &[uneven("A"), touching("B")], true, &order);
        let mut awake = plain.clone();
        awake.keep_awake = true;
        let mut reversed = plain.clone();
        reversed.reversed = true;
        let mut slow = plain.clone();
        for _ in 0..10 {
            run(&mut plain, 997);
            run(&mut awake, 997);
            run(&mut reversed, 997);
            while slow.now < plain.now {
                slow.step();
            }
            let digests = [&mut plain, &mut awake, &mut reversed, &mut slow].map(digest);
            assert_eq!(digests, [digests[0]; 4], "{} at {}", order.name(), plain.now);
            let mut clone = plain.clone();
            assert_eq!(digest(&mut clone), digests[0]);
            reversed = clone;
            reversed.reversed = true;
        }
        assert!(plain.runs_done() > 2, "{}: {} runs", order.name(), plain.runs_done());
    }
}

/// Policies that give SMs to one kernel, take them away and give them back, and SMs that hold no CTA of a kernel: every launch ends all the same.
#[test]
fn no_order_waits_for_an_sm_that_takes_nothing() {
    let mut gpu = gpu(2);
    let small = SmClass { name: "small".to_string(), count: 2, threads: 256, ..gpu.sms[0].clone() };
    gpu.sms.push(small);
    for order in orders() {
        let mut m = ordered(&gpu, &[uneven("A"), touching("B")], false, &order);
        for turn in 0..40_u32 {
            let mut controls = Controls::neutral(4, WarpOrder::Gto);
            for (sm, controls) in (0..4).zip(&mut controls.sms) {
                controls.allowed[KernelId(0)] = turn > 30 || (sm + turn) % 2 == 0;
                controls.cta_target[KernelId(1)] = if turn > 30 || sm / 2 == turn % 2 { 4 } else { 0 };
            }
            controls.dispatch_rank[KernelId(0)] = (turn % 3) as u8;
            m.set_controls(controls);
            run(&mut m, if turn == 39 { 100_000 } else { 50 });
        }
        assert_eq!((m.runs_done(), m.next_event()), (2, NEVER), "{}", order.name());
    }
}

/// A pass over twice what L1D holds: in one direction LRU has just lost what comes next, turned round it has half of it (C/W).
#[test]
fn flip_hits_what_l1d_holds_of_a_pass_and_reset_hits_nothing() {
    let rate = |name: &str| {
        // 48 CTAs of 1 KB for each SM, one at a time; L1D holds 24.
        let pass = kernel("PASS", 96, 256, vec![Op::Load { address: unit(Scatter::None), lanes: 32 }, Op::Wait { loads: 0 }]);
        let mut m = ordered(&gpu(2), &[pass], true, &order(name));
        let mut controls = m.controls().clone();
        controls.sms.iter_mut().for_each(|sm| sm.cta_target[KernelId(0)] = 1);
        m.set_controls(controls);
        let until = |m: &mut Machine, runs| {
            while m.runs_done() < runs {
                run(m, 100);
            }
            m.kernel_stats(KernelId(0))
        };
        let before = until(&mut m, 2);
        let stats = until(&mut m, 12) - before;
        stats.l1_hits as f64 / stats.l1_reads as f64
    };
    let (reset, flip) = (rate("reset"), rate("flip"));
    assert!(reset < 0.01 && (flip - 0.5).abs() < 0.01, "reset {reset}, flip {flip}");
}

/// Launches end one after the other, and their counters add up to the kernel's; under `steal`, what is stolen is said to be, and from whom.
#[test]
fn launches_are_recorded_with_what_they_counted_and_who_was_robbed() {
    let mut machine = ordered(&gpu(3), &[touching("A")], true, &order("steal"));
    machine.record_events = true;
    run(&mut machine, 20_000);
    let ends = core::mem::take(&mut machine.launch_ends);
    assert!(ends.len() > 3 && ends.is_sorted_by(|a, b| a.cycle < b.cycle), "{} launches", ends.len());
    for (number, end) in (1..).zip(&ends) {
        assert_eq!((end.stats.ctas_launched, end.stats.ctas_done), (30 * number, 30 * number), "launch {number}");
    }
    let accesses = |stats: &KernelStats| stats.l1_reads;
    assert!(
        ends.windows(2).all(|pair| accesses(&pair[1].stats) - accesses(&pair[0].stats) == accesses(&ends[0].stats)),
        "the launches are alike"
    );
    machine.settle();
    assert!(machine.kernel_stats(KernelId(0)).l1_reads >= accesses(&ends.last().unwrap().stats));

    let mut machine = ordered(&gpu(3), &[uneven("A")], true, &order("steal"));
    machine.record_events = true;
    run(&mut machine, 15_000);
    let stolen: Vec<_> = machine.events.iter().filter_map(|event| Some((event.sm, event.stolen_from?))).collect();
    assert!(!stolen.is_empty() && stolen.iter().all(|&(thief, victim)| thief != victim && victim < 3), "{stolen:?}");
}

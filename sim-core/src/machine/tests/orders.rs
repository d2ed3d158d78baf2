//! Does the CTA order, and nothing else, say which CTA runs where?

use super::*;

/// CTAs of unequal length.
fn uneven(name: &str) -> Kernel {
    let work = vec![Op::Loop { trips: Trips::PerWarp { min: 3, max: 90 } }, Op::Alu { count: 5, latency: 4, lanes: 32 }, Op::End];
    kernel(name, 40, 512, work)
}

/// SMs of the CTAs of kernel A, launch by launch, in the order of their placement.
fn placements(order: &str) -> Vec<Vec<(u32, u16)>> {
    let gpu = gpu(3);
    let order = CTA_ORDERS.iter().find(|info| info.name == order).unwrap();
    let controls = Controls::neutral(3, WarpOrder::Gto);
    let mut machine = Machine::new(&gpu, &[uneven("A"), uneven("B")], 1, true, order, controls);
    machine.record_events = true;
    run(&mut machine, 300_000);
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

/// Under every order each launch places each CTA once; only `same-sm` places it where it ran before.
#[test]
fn an_order_of_its_own_decides_which_cta_goes_where() {
    let placed = |order| placements(order).into_iter();
    let mut by_cta: Vec<Vec<Vec<(u32, u16)>>> = Vec::new();
    for order in ["round-robin", "same-sm"] {
        let launches = placed(order).map(|mut launch| {
            launch.sort_unstable();
            assert!(launch.iter().map(|place| place.0).eq(0..40), "{order}: {launch:?}");
            launch
        });
        by_cta.push(launches.collect());
    }
    assert!(placed("round-robin").all(|launch| launch.iter().map(|place| place.0).eq(0..40)), "in the order of the grid");
    assert!(by_cta[0].windows(2).any(|pair| pair[0] != pair[1]), "round-robin happens to stay where it was");
    assert!(by_cta[1].windows(2).all(|pair| pair[0] == pair[1]), "same-sm moves a CTA");
}

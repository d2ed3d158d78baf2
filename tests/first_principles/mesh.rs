//! The mesh: latency by distance on whole machines.

use super::{K, kernel, repeat};
use sim_core::describe::gpu::presets;
use sim_core::describe::kernel::{Address, Op};
use sim_core::machine::Machine;
use sim_core::machine::dispatch::order::CTA_ORDERS;
use sim_core::seam::controls::{Controls, WarpOrder};

/// Of routers that are numbered row by row, four to a row.
fn hops(from: u32, to: u32) -> u32 {
    (from % 4).abs_diff(to % 4) + (from / 4).abs_diff(to / 4)
}

/// `base` and 8/3 of a cycle for each hop, to the nearest whole cycle.
fn law(base: u32, hops: u32) -> u64 {
    (f64::from(base) + f64::from(8 * hops) / 3.0).round() as u64
}

/// Table 2 of the IKRA paper: an L2 hit takes 29 to 61 core cycles, an access of memory 197 to 261, and in between the hops decide, twice from
/// CU to bank and twice from there to the corner of the bank's channel. Exact for every CU and bank.
#[test]
fn latencies_go_by_the_hops_between_every_cu_bank_and_channel() {
    for (name, cus) in [("ikra-15cu", 15), ("ikra-micro-3cu", 3)] {
        let mut gpu = presets::find(name).expect("a preset");
        // Two lines of L1D, so that the second round over a line of each bank misses it and hits L2.
        (gpu.sms[0].l1.bytes, gpu.sms[0].l1.ways) = (128, 1);
        let load = Op::Load { address: Address { lane: 4, loops: [0, 64, 0], ..Address::default() }, lanes: 16 };
        let rounds = repeat(2, &repeat(16, &[load, Op::Wait { loads: 0 }]));
        for cu in 0..cus {
            let mut controls = Controls::neutral(cus as usize, WarpOrder::Lrr);
            (0..cus).for_each(|other| controls.sms[other as usize].allowed[K] = other == cu);
            let mut m = Machine::new(&gpu, &[kernel(1, 32, rounds.clone())], 1, false, &CTA_ORDERS[0], controls);
            let (mut before, mut took) = (m.kernel_stats(K), Vec::new());
            for _ in 0..5_000 {
                m.step();
                m.settle();
                let now = m.kernel_stats(K);
                if now.loads_done > before.loads_done {
                    took.push(now.load_latency_sum - before.load_latency_sum);
                    before = now;
                }
            }
            let (to_bank, to_channel) = (|bank| hops(1 + cu, bank), |bank| hops(bank, [0, 15, 3, 12][bank as usize % 4]));
            let memory = (0..16).map(|bank| law(197, 2 * to_bank(bank) + 2 * to_channel(bank)));
            let hit = (0..16).map(|bank| law(29, 2 * to_bank(bank)));
            assert_eq!(took, memory.chain(hit).collect::<Vec<_>>(), "{name}, CU {cu}");
        }
    }
}

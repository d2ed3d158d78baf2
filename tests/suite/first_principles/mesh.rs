//! The mesh: latency by distance on whole machines, and the network alone.

use super::{K, figure, kernel, near, repeat};
use sim_core::describe::gpu::mesh::MeshConfig;
use sim_core::describe::gpu::{Arbiter, presets};
use sim_core::describe::ids::LaunchId;
use sim_core::describe::kernel::{Address, Launch, Op};
use sim_core::interface::controls::{Controls, WarpOrder};
use sim_core::machine::Machine;
use sim_core::machine::dispatch::order::CtaOrderSpec;
use sim_core::study::probe::{self, MeshProbe, Traffic};

/// Of routers that are numbered row by row, four to a row.
fn hops(from: u32, to: u32) -> u32 {
    (from % 4).abs_diff(to % 4) + (from / 4).abs_diff(to / 4)
}

/// `base` and 8/3 of a cycle for each hop, to the nearest whole cycle.
fn law(base: u32, hops: u32) -> u64 {
    (f64::from(base) + f64::from(8 * hops) / 3.0).round() as u64
}

/// Table 2 of the IKRA paper: an L2 hit takes 29 to 61 core cycles, an access of memory 197 to 261. In between the hops decide, twice from
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
            let mut m = Machine::new(&gpu, &[kernel(1, 32, rounds.clone())], 1, false, &CtaOrderSpec::default(), controls);
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

fn probe(options: MeshProbe) -> [f64; 4] {
    let figures = probe::mesh(&options).expect("good options");
    ["throughput", "latency_mean", "hops_mean", "idle_longest"].map(|key| figure(&figures, key))
}

/// A packet that meets no other takes a cycle for each flit, and `hop` cycles for each link.
#[test]
fn lonely_packets_take_their_hops_and_their_flits() {
    for (traffic, hops) in [(Traffic::Uniform, 2.5), (Traffic::Transpose, 2.5), (Traffic::Neighbour, 1.5)] {
        for (hop, flits) in [(1, 1), (8, 5)] {
            let form = MeshConfig { hop, buffer: hop + 1, ..MeshConfig::default() };
            let [_, latency, mean, _] =
                probe(MeshProbe { form, flits, traffic, load: 1e-4 * f64::from(flits), cycles: 1_000_000, ..MeshProbe::default() });
            near("hops", mean, hops, 0.05 * hops);
            near("latency", latency, f64::from(hop) * mean + f64::from(flits), 0.02 * latency);
        }
    }
}

/// Every node sends a flit to the next in every cycle: no link carries two streams, and none loses a cycle.
#[test]
fn streams_that_share_no_link_are_as_fast_as_links() {
    let [throughput, ..] = probe(MeshProbe { flits: 1, traffic: Traffic::Neighbour, ..MeshProbe::default() });
    near("neighbours", throughput, 1.0, 0.001);
}

/// Half of all flits cross the middle of a 4 × 4 mesh, where four links go each way: at most a flit a node and cycle. Which input goes first does not
/// matter. Nothing stands still for long.
#[test]
fn uniform_traffic_stays_below_the_bisection_whoever_goes_first() {
    let [(in_turn, idle), (random, _)] = [Arbiter::RoundRobin, Arbiter::Random].map(|arbiter| {
        let [throughput, _, _, idle] = probe(MeshProbe { arbiter, ..MeshProbe::default() });
        (throughput, idle)
    });
    near("at random", random, in_turn, 0.03 * in_turn);
    assert!(in_turn < 1.0 && idle < 20.0, "{in_turn} {idle}");
}

/// Table 2 of the IKRA paper: 35 to 83 cycles where another CU's L1D has the words; the way is CU, bank, owner, CU. Exact for every bank, and for CUs far from each
/// other and near.
#[test]
fn a_remote_hit_goes_by_the_hops_from_cu_to_bank_to_owner_and_back() {
    for (name, cus, owners) in [("ikra-15cu", 15, &[0, 6, 14][..]), ("ikra-micro-3cu", 3, &[0, 1, 2])] {
        let gpu = presets::find(name).expect("a preset");
        let address = Address { lane: 4, loops: [64, 0, 0], ..Address::default() };
        let store = repeat(16, &[Op::Store { address, lanes: 16 }]);
        let load = repeat(16, &[Op::Load { address, lanes: 16 }, Op::Wait { loads: 0 }]);
        for (&owner, reader) in
            owners.iter().flat_map(|owner| (0..cus).filter(move |reader| reader != owner).map(move |reader| (owner, reader)))
        {
            let only = |cu: u32| {
                let mut controls = Controls::neutral(cus as usize, WarpOrder::Lrr);
                (0..cus).for_each(|other| controls.sms[other as usize].allowed[K] = other == cu);
                controls
            };
            let mut kernel = kernel(1, 32, store.clone());
            let second = kernel.launches[0].clone();
            kernel.launches.push(Launch { program: load.clone(), gap: 1000, ..second });
            let mut m = Machine::new(&gpu, &[kernel], 1, false, &CtaOrderSpec::default(), only(owner));
            while m.run(K).launch == LaunchId(0) {
                m.step();
            }
            m.set_controls(only(reader));
            let (mut before, mut took) = (m.kernel_stats(K), Vec::new());
            while !m.is_still() && took.len() < 16 {
                m.step();
                m.settle();
                let now = m.kernel_stats(K);
                if now.loads_done > before.loads_done {
                    took.push(now.load_latency_sum - before.load_latency_sum);
                    before = now;
                }
            }
            let way = |bank| hops(1 + reader, bank) + hops(bank, 1 + owner) + hops(1 + owner, 1 + reader);
            let want: Vec<u64> = (0..16).map(|bank| law(35, way(bank))).collect();
            assert_eq!(took, want, "{name}, CU {reader} of CU {owner}");
        }
    }
}

//! Do SMs that run ahead of each other end where single steps do?

use super::*;
use crate::describe::rng::{below, mix};

/// A kernel of random shape with a barrier, a loop of a random number of trips, loads and stores.
fn random(name: &str, key: u64) -> Kernel {
    let draw = |part: u64, bound: u64| below(mix(key, part), bound);
    let array = Address { cta: 512, warp: 128, lane: 4, loops: [4096, 0, 0], ..Address::default() };
    let alu = |part: u64| Op::Alu { count: 1 + draw(part, 6) as u32, latency: 1 + draw(part + 1, 8) as u32, lanes: 32 };
    let program = vec![
        alu(10),
        Op::Loop { trips: Trips::PerWarp { min: 0, max: draw(2, 4) as u32 } },
        Op::Load { address: array, lanes: 32 },
        alu(20),
        Op::Wait { loads: draw(3, 2) as u32 },
        Op::End,
        Op::Barrier,
        Op::Store { address: array, lanes: 32 },
        alu(30),
    ];
    kernel(name, 1 + draw(4, 150) as u32, 32 << draw(5, 4), program)
}

#[test]
fn running_ahead_changes_nothing() {
    let mut ahead = 0;
    for key in 0..12 {
        let gpu = gpu(1 + key as u32 % 5);
        let mut fast = machine(&gpu, &[random("A", 2 * key), random("B", 2 * key + 1)], true);
        let mut controls = fast.controls().clone();
        controls.dispatch_rank[KernelId(1)] = key as u8 % 2;
        fast.set_controls(controls);
        // Whoever waits for launches waits for nothing that happens meanwhile.
        fast.listen_to(EventKinds::of(&[EventKind::KernelLaunched, EventKind::KernelFinished]));
        let mut slow = fast.clone();
        while fast.now < 2500 {
            let before = fast.now;
            fast.advance(before + 1 + below(mix(key, before), 300));
            ahead += if fast.now > before + 1 { fast.now - before } else { 0 };
            while slow.now < fast.now {
                slow.step();
            }
            assert_eq!(digest(&mut fast), digest(&mut slow), "machine {key} after cycle {before}");
            assert_eq!(fast.heard, slow.heard, "machine {key} after cycle {before}");
        }
    }
    assert!(ahead > 12 * 2500 / 4, "only {ahead} of 30,000 cycles were run ahead");
}

//! Do SMs that run ahead of each other end where single steps do?

use super::*;
use crate::describe::ids::PerKernel;
use crate::describe::rng::{below, mix};
use crate::interface::controls::QuotaRefill;
use crate::machine::threads::{Job, Threads};
use alloc::sync::Arc;

/// Does jobs one after the other, the last first if it is so said.
#[derive(Debug)]
struct InTurn {
    backwards: bool,
}

impl Threads for InTurn {
    fn each(&self, jobs: &mut [Job<'_>]) {
        if self.backwards {
            jobs.iter_mut().rev().for_each(Job::run);
        } else {
            jobs.iter_mut().for_each(Job::run);
        }
    }
}

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

/// A policy that hears of everything, and moves CTAs and quotas about: it hears the same, in the same cycles.
#[test]
fn running_ahead_between_events_changes_nothing() {
    let refills = [QuotaRefill::Interval, QuotaRefill::WhenAllSpent, QuotaRefill::IntervalOrAllSpent, QuotaRefill::Round];
    let kinds = [EventKind::CtaRetired, EventKind::PreemptionDone, EventKind::QuotasSpent];
    let mut ahead = [0; 3];
    let mut heard = [0; 3];
    for key in 0..24 {
        let which = key as usize % 3;
        let long = |name: &str, key: u64| {
            // As long as a warp is at its first instructions, it has more than a few to go.
            let mut kernel = random(name, key);
            kernel.launches[0].program.insert(0, Op::Alu { count: 600, latency: 1 + below(key, 3) as u32, lanes: 32 });
            kernel.launches[0].program.push(Op::Alu { count: 20, latency: 1, lanes: 32 });
            kernel
        };
        let mut gpu = gpu(1 + key as u32 / 3 % 3);
        gpu.sms[0].exit = [Exit::Issued, Exit::StoresAcknowledged][key as usize / 9 % 2];
        let mut fast = machine(&gpu, &[long("A", 2 * key), long("B", 2 * key + 1)], true);
        fast.listen_to(EventKinds::of(&kinds[which..=which]));
        let mut slow = fast.clone();
        for part in 0..8 {
            let draw = |what: u64, bound: u64| below(mix(mix(key, part), what), bound);
            let mut controls = fast.controls().clone();
            for sm in &mut controls.sms {
                for kernel in 0..2 {
                    sm.cta_target.0[kernel] = 1 + draw(kernel as u64, 6) as u16;
                    sm.warp_quota.0[kernel] = (which == 2 && draw(2, 4) > 0).then_some(100 + draw(3, 20_000) as u32);
                }
                sm.cta_switch = PerKernel::all(draw(4, 2) == 0);
                sm.context_lines = PerKernel::all([None, Some(0), Some(3)][draw(5, 3) as usize]);
                sm.quota_refill = refills[draw(6, 4) as usize];
            }
            fast.set_controls(controls.clone());
            slow.set_controls(controls);
            while fast.now < 500 * (part + 1) {
                let before = fast.now;
                fast.advance(before + 1 + below(mix(key, before), 300));
                ahead[which] += if fast.now > before + 1 { fast.now - before } else { 0 };
                while slow.now < fast.now {
                    slow.step();
                }
                assert_eq!(digest(&mut fast), digest(&mut slow), "machine {key} after cycle {before}");
                assert_eq!(fast.heard, slow.heard, "machine {key} after cycle {before}");
                heard[which] += slow.heard.len();
                fast.heard.clear();
                slow.heard.clear();
            }
        }
    }
    assert!(ahead.iter().all(|&cycles| cycles > 8 * 4000 / 8), "of 32,000 cycles each, so many were run ahead: {ahead:?}");
    assert!(heard.iter().all(|&events| events > 0), "so many events: {heard:?}");
}

/// The memory side is ahead by half of what it may be, and SMs share the work: whatever the NoC's pipeline, clock and queues. Wherever the run
/// is cut, and in whichever order jobs are done, it is the same.
#[test]
fn sharing_the_work_changes_nothing() {
    let (mut shared, mut ends) = (0, 0);
    for key in 0..48_u64 {
        let draw = |part: u64, bound: u64| below(mix(mix(7, key), part), bound);
        let mut gpu = gpu(1 + draw(0, 6) as u32);
        gpu.noc.latency = [6, 7, 12, 20, 45, 90][key as usize % 6];
        gpu.noc.mhz = [1200, 1800, 700][draw(1, 3) as usize];
        gpu.noc.queue = [2, 8][draw(2, 2) as usize];
        let mut slow = machine(&gpu, &[random("A", 2 * key), random("B", 2 * key + 1)], true);
        let mut controls = slow.controls().clone();
        controls.dispatch_rank[KernelId(1)] = draw(3, 2) as u8;
        slow.set_controls(controls.clone());
        let mut fast = slow.clone();
        fast.share_work(Some(Arc::new(InTurn { backwards: key % 2 == 1 })));
        let border = [1, 7, 400, 3000][draw(4, 4) as usize];
        for part in 1..=3 {
            controls.dram_rank[KernelId(0)] = part as u8 % 2;
            fast.set_controls(controls.clone());
            slow.set_controls(controls.clone());
            while fast.now < 1000 * part {
                let before = fast.now;
                fast.advance((before / border + 1) * border);
                shared += if fast.now > before + 64 { fast.now - before } else { 0 };
            }
            while slow.now < fast.now {
                slow.step();
            }
            assert_eq!(digest(&mut fast), digest(&mut slow), "machine {key} before cycle {}", fast.now);
        }
        ends += slow.runs_done();
    }
    assert!(shared > 4000 && ends > 20, "only {shared} cycles in one go, and {ends} runs of kernels have ended");
}

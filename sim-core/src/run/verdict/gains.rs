//! What a kernel would gain without each cause.
//!
//! What a share costs is measured: the kernel runs alone in it. The rest is against that run, where it is known, and else against the run on the whole GPU.
//!
//! A place is the cause if the sufferer would gain most without it. What it would gain follows from where its time goes. An instruction of a
//! warp takes so many cycles. In some of them the warp waits for memory, or for a load-store unit that memory blocks; these pass in the
//! stations of its reads. Beyond what a station takes when nothing is in its way, they are spent in queues.
//!
//! - Queues before a full station fill up too. What waits at L1D's miss queue, in the request network or at L2 is counted for the reply network
//!   or for DRAM. Their queues divide it: load / (1 − load), as with arrivals and services at random. A load is the traffic over what the
//!   described machine can sustain.
//!   What a policy's credits hold back in the miss queue waits for neither.
//! - A station in which reads wait no longer than alone is no cause, however full it is.
//! - Without one of the two, traffic grows until the other carries all that it can.
//! - With more warps, the sufferer's own part of a queue grows in proportion: as great a part as it has of the traffic. So does its wait for the
//!   load-store unit, which holds a fixed number of its instructions whatever warps there are.
//! - Where another kernel's misses hold L1D's MSHRs and lines, the load-store unit waits with hits too. L1D costs what that wait is longer than
//!   alone, or the misses that were hits alone.
//! - More warps issue no more than the free issue slots allow.
//! - A kernel that uses up its quota before the refill does so whatever else it waits for: the quota alone matters. So it is with credits that
//!   are all spent, but for what is in other queues.
//! - What an instruction takes longer than alone apart from memory is the wait for a quota where one is used up. Else it is the wait for an
//!   issue slot, as far as other kernels have taken those.

use crate::describe::gpu::{Gpu, NocKind};
use crate::describe::record::names;
use crate::interface::observation::Breakdown;
use alloc::vec::Vec;

names! {
    /// What costs a kernel most.
    #[derive(PartialOrd, Ord)]
    pub enum Cause {
        /// It was given less of the GPU than alone: fewer SMs, CTAs or DRAM channels, or turns.
        Share = "share",
        /// Other kernels' CTAs take the places of its own.
        Room = "room",
        /// The scheme holds it back: it has used up its quota of instructions, or its credits to send misses with.
        Quota = "quota",
        /// Other kernels' warps take the issue slots.
        Slots = "slots",
        /// Its reads wait for the reply network.
        Noc = "noc",
        /// Its reads wait for DRAM.
        Dram = "dram",
        /// Its lines are pushed out of L1D, or L1D is too full of misses to take its accesses.
        L1 = "l1",
    }
}

/// A cause stands out if the sufferer would gain so much without it, and so much more than without the next.
const GAINS: f64 = 1.05;
const LEADS: f64 = 1.1;

/// The part of its peak that a crossbar with FIFO inputs sustains, 2 − √2: a packet that waits for its output holds up those behind it.
/// Karol, Hluchyj and Morgan, IEEE Transactions on Communications 35(12), 1987.
const CROSSBAR_SUSTAINS: f64 = 0.586;

/// The parts of their peaks that NoC and DRAM sustain. A mesh is loaded as it is used: what it sustains depends on who sends where.
fn sustained(gpu: &Gpu) -> (f64, f64) {
    let noc = if gpu.noc.kind == NocKind::Crossbar { CROSSBAR_SUSTAINS } else { 1.0 };
    let (line, apart) = (f64::from(gpu.dram.timing.T), f64::from(gpu.dram.timing.tCCD));
    (noc, line / line.max(apart))
}

/// The traffic of NoC or DRAM, or the use of issue slots.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Traffic {
    /// The part of the peak that all kernels use.
    pub used: f64,
    /// The part of it that the sufferer uses.
    pub own: f64,
}

impl Traffic {
    /// The sufferer's part of the traffic.
    fn part(&self) -> f64 {
        if self.used > 0.0 { self.own / self.used } else { 0.0 }
    }

    /// The traffic over what can be sustained. What goes through is sustained.
    fn load(&self, sustained: f64) -> f64 {
        self.used / self.used.max(sustained)
    }
}

/// What is known of the places that a kernel shares, beside where its own time goes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Places {
    /// The network.
    pub noc: Traffic,
    /// DRAM.
    pub dram: Traffic,
    /// The issue slots of the SMs that the sufferer is on.
    pub slots: Traffic,
    /// Of the cycles in which an access waits for L1D, those in which MSHRs or lines lack, and not what lies behind: the miss queue or the store
    /// buffer.
    pub l1_full: f64,
    /// The part of the SMs that the sufferer is on.
    pub sms: f64,
    /// Whether another kernel is on one of them.
    pub shared: bool,
    /// Whether the sufferer uses up its quota of instructions.
    pub quota: bool,
    /// Whether it spends all credits that the policy gives it to send misses with.
    pub credits: bool,
}

/// What the sufferer would gain without each cause, as a factor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gains([f64; Cause::ALL.len()]);

impl Gains {
    /// From where the kernel's time goes in the run and alone, and what is known of the places.
    pub fn of(gpu: &Gpu, here: &Breakdown, alone: &Breakdown, places: &Places) -> Gains {
        let idle = Idle::of(gpu, here);
        let (noc, dram) = sustained(gpu);
        let (load_noc, load_dram) = (places.noc.load(noc), places.dram.load(dram));
        let queue = |load: f64| load / (1.0 - load.min(0.99));
        let queues = queue(load_noc) + queue(load_dram);
        let of_dram = if queues > 0.0 { queue(load_dram) / queues } else { 0.0 };
        let latency = here.miss_queue + here.request_noc + here.l2 + here.dram + here.reply_noc;
        let instruction = here.memory + here.lsu + here.other;
        let stalled = here.memory + here.lsu;
        // Cycles of an instruction, of cycles of a read.
        let waits = |cycles: f64| if latency > 0.0 { stalled * cycles / latency } else { 0.0 };
        let in_miss_queue = queued(here.miss_queue, idle.miss_queue);
        let held_back = if places.credits { in_miss_queue } else { 0.0 };
        let before = in_miss_queue - held_back + queued(here.request_noc, idle.request_noc) + queued(here.l2, idle.l2);
        let in_noc = waits(queued(here.reply_noc, idle.reply_noc) + before * (1.0 - of_dram));
        let in_dram = waits(queued(here.dram, idle.dram) + before * of_dram);
        let without = |cycles: f64| instruction / (instruction - cycles).max(instruction / 50.0);
        let more = if here.warps > 0.0 { (alone.warps / here.warps).max(1.0) } else { 1.0 };
        // More SMs have more load-store units.
        let more_per_sm = (more * places.sms).max(1.0);
        let own = in_noc * places.noc.part() + in_dram * places.dram.part();
        let lengthened = own * (more - 1.0) + here.lsu * (more_per_sm - 1.0);
        let were_hits = 1.0 - (1.0 - alone.l1_hit_rate) / (1.0 - here.l1_hit_rate).max(0.001);
        let not_queued = if stalled > 0.0 { 1.0 - (in_noc + in_dram) / stalled } else { 0.0 };
        let refused = (here.lsu - alone.lsu) * places.l1_full * not_queued;
        let apart = (here.other - alone.other).max(0.0);
        if places.quota {
            return Gains(Cause::ALL.map(|cause| if cause == Cause::Quota { without(apart) } else { 1.0 }));
        }
        let Traffic { used, own: issued } = places.slots;
        let can_issue = if issued > 0.0 { (issued + (1.0 - used).max(0.0)) / (issued * places.sms) } else { f64::INFINITY };
        Gains(Cause::ALL.map(|cause| match cause {
            Cause::Room => (more * instruction / (instruction + lengthened)).min(can_issue),
            Cause::Quota => without(waits(held_back)),
            Cause::Slots if places.shared => without(apart).min(1.0 / (1.0 - (used - issued)).max(0.02)),
            Cause::Noc if in_network(here) <= in_network(alone) => 1.0,
            Cause::Dram if here.dram <= alone.dram => 1.0,
            Cause::Noc => without(in_noc).min(1.0 / load_dram),
            Cause::Dram => without(in_dram).min(1.0 / load_noc),
            Cause::L1 if places.shared => without((stalled * were_hits).max(refused).max(0.0)),
            Cause::Share | Cause::Slots | Cause::L1 => 1.0,
        }))
    }

    /// What it would gain without a cause.
    pub fn without(&self, cause: Cause) -> f64 {
        self.0[cause as usize]
    }

    /// The gain without a cause is another one: known from a run, or none.
    pub fn set(&mut self, cause: Cause, gain: f64) {
        self.0[cause as usize] = gain;
    }

    /// The cause that costs most, what the sufferer would gain without it, and whether it stands out.
    pub fn first(&self) -> (Cause, f64, bool) {
        let mut order: Vec<(Cause, f64)> = Cause::ALL.into_iter().zip(self.0).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        (order[0].0, order[0].1, order[0].1 >= GAINS && order[0].1 >= order[1].1 * LEADS)
    }
}

/// Cycles of a read from L1D to L2 and back, which fill up behind a full reply network.
pub fn in_network(of: &Breakdown) -> f64 {
    of.miss_queue + of.request_noc + of.l2 + of.reply_noc
}

fn queued(cycles: f64, idle: f64) -> f64 {
    (cycles - idle).max(0.0)
}

/// Cycles of a read in each station when nothing is in its way.
struct Idle {
    miss_queue: f64,
    request_noc: f64,
    l2: f64,
    dram: f64,
    reply_noc: f64,
}

impl Idle {
    fn of(gpu: &Gpu, here: &Breakdown) -> Idle {
        let clocks = |mhz: u32| f64::from(gpu.core_mhz) / f64::from(mhz);
        let (noc, dram) = (clocks(gpu.noc.mhz), clocks(gpu.dram.mhz));
        let timing = &gpu.dram.timing;
        let bank = f64::from(timing.tRCD + timing.tCL + timing.T) * dram + f64::from(gpu.dram.latency);
        Idle {
            miss_queue: f64::from(gpu.sms.first().map_or(1, |class| class.l1.arbiter_latency) + 1),
            request_noc: f64::from(gpu.noc.latency + 1) * noc,
            l2: f64::from(gpu.l2.latency + 1) * noc,
            // A mean over all reads: only those that miss L2 go there.
            dram: bank * here.l2_miss_rate,
            reply_noc: f64::from(gpu.noc.latency + gpu.line_flits()) * noc,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu() -> Gpu {
        crate::run::experiment::Experiment::from_json(
            r#"{ "corun": 1, "gpu": "ccbp-16sm", "kernels": ["BP"], "policy": "even", "stop": { "cycles": 1 } }"#,
        )
        .unwrap_or_else(|problems| panic!("{problems}"))
        .gpu
    }

    /// A kernel on all SMs, with another one; traffic as said.
    fn places(noc: f64, dram: f64) -> Places {
        let traffic = |used| Traffic { used, own: used / 2.0 };
        let slots = Traffic { used: 0.1, own: 0.1 };
        Places { noc: traffic(noc), dram: traffic(dram), slots, l1_full: 0.0, sms: 1.0, shared: true, quota: false, credits: false }
    }

    #[test]
    fn a_kernel_that_waits_for_nothing_gains_by_room_alone() {
        let of = |warps| Breakdown { warps, other: 10.0, ..Breakdown::default() };
        assert_eq!(Gains::of(&gpu(), &of(100.0), &of(200.0), &places(0.3, 0.35)).0, [1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert!(!Gains::of(&gpu(), &of(200.0), &of(200.0), &places(0.3, 0.35)).first().2);
    }

    #[test]
    fn what_waits_before_both_belongs_to_the_one_that_is_used_more() {
        let here = Breakdown { warps: 100.0, memory: 90.0, other: 10.0, l2: 1000.0, ..Breakdown::default() };
        let alone = Breakdown { l2: 100.0, dram: 0.0, ..here };
        let here = Breakdown { dram: 1.0, ..here };
        let first = |noc, dram| Gains::of(&gpu(), &here, &alone, &places(noc, dram)).first();
        assert_eq!([first(0.5, 0.2).0, first(0.2, 0.6).0], [Cause::Noc, Cause::Dram]);
        assert!(first(0.5, 0.2).2 && first(0.2, 0.6).2);
        assert!(!first(0.293, 1.0 / 3.0).2, "both are at half of what they sustain");
    }

    #[test]
    fn a_place_in_which_reads_wait_no_longer_than_alone_costs_nothing() {
        let here = Breakdown { warps: 100.0, memory: 90.0, other: 10.0, l2: 1000.0, dram: 1000.0, ..Breakdown::default() };
        let of = |alone: Breakdown, cause: Cause| Gains::of(&gpu(), &here, &alone, &places(0.5, 0.6)).0[cause as usize];
        assert_eq!([Cause::Noc, Cause::Dram].map(|cause| of(here, cause)), [1.0, 1.0]);
        assert!(of(Breakdown { l2: 900.0, ..here }, Cause::Noc) > 1.1);
        assert!(of(Breakdown { dram: 900.0, ..here }, Cause::Dram) > 1.1);
    }

    /// What a stream of lines gets on each preset is held in `tests/suite/first_principles`.
    #[test]
    fn dram_sustains_what_its_bursts_leave_of_the_time_between_them() {
        assert_eq!(sustained(&gpu()), (CROSSBAR_SUSTAINS, 8.0 / 12.0));
    }

    #[test]
    fn what_credits_hold_back_is_the_quotas() {
        let here = Breakdown { warps: 100.0, memory: 90.0, other: 10.0, miss_queue: 1000.0, ..Breakdown::default() };
        let alone = Breakdown { miss_queue: 10.0, ..here };
        let first = |credits| Gains::of(&gpu(), &here, &alone, &Places { credits, ..places(0.5, 0.2) }).first();
        assert_eq!((first(false).0, first(false).2), (Cause::Noc, true));
        assert_eq!((first(true).0, first(true).2), (Cause::Quota, true));
    }

    #[test]
    fn a_kernel_that_uses_its_quota_up_gains_by_nothing_else() {
        let of = |other| Breakdown { warps: 100.0, memory: 60.0, other, dram: 5000.0, ..Breakdown::default() };
        let alone = Breakdown { warps: 200.0, ..of(10.0) };
        let gains = |quota| Gains::of(&gpu(), &of(70.0), &alone, &Places { quota, ..places(0.1, 0.7) });
        assert_eq!(gains(true).first(), (Cause::Quota, 130.0 / 70.0, true));
        assert_eq!(gains(true).0.iter().filter(|gain| **gain > 1.0).count(), 1);
        assert_eq!(gains(false).0[Cause::Quota as usize], 1.0);
    }

    #[test]
    fn issue_slots_cost_as_much_as_others_take_and_leave_no_room_to_more_warps() {
        let of = |warps, other| Breakdown { warps, other, ..Breakdown::default() };
        let gains = |used| {
            let slots = Traffic { used, own: 0.25 };
            Gains::of(&gpu(), &of(100.0, 40.0), &of(200.0, 10.0), &Places { slots, ..places(0.1, 0.1) })
        };
        assert_eq!(
            (gains(1.0).first().0, gains(1.0).0[Cause::Room as usize], gains(1.0).0[Cause::Slots as usize]),
            (Cause::Slots, 1.0, 4.0)
        );
        assert_eq!((gains(0.25).first().0, gains(0.25).0[Cause::Slots as usize]), (Cause::Room, 1.0));
    }

    #[test]
    fn without_a_full_place_the_other_one_fills() {
        let here = Breakdown { warps: 100.0, memory: 90.0, other: 10.0, dram: 5000.0, ..Breakdown::default() };
        let alone = Breakdown { dram: 500.0, ..here };
        let gain = |noc| Gains::of(&gpu(), &here, &alone, &places(noc, 0.7)).0[Cause::Dram as usize];
        assert!(gain(0.1) > 4.0);
        assert_eq!([gain(CROSSBAR_SUSTAINS / 2.0), gain(CROSSBAR_SUSTAINS)], [2.0, 1.0]);
    }

    #[test]
    fn more_warps_lengthen_the_own_part_of_a_queue() {
        let of = |warps| Breakdown { warps, memory: 100.0, dram: 1e9, ..Breakdown::default() };
        let room = |own| {
            let dram = Traffic { used: 0.7, own };
            Gains::of(&gpu(), &of(100.0), &of(200.0), &Places { dram, ..places(0.1, 0.7) }).0[Cause::Room as usize]
        };
        assert_eq!(room(0.0), 2.0);
        assert!((room(0.7) - 1.0).abs() < 1e-3, "{}", room(0.7));
    }

    #[test]
    fn more_warps_wait_longer_for_a_load_store_unit_and_more_sms_have_more_of_them() {
        let of = |warps| Breakdown { warps, lsu: 100.0, ..Breakdown::default() };
        let room = |sms| Gains::of(&gpu(), &of(100.0), &of(200.0), &Places { sms, ..places(0.1, 0.1) }).0[Cause::Room as usize];
        assert_eq!([room(1.0), room(0.5)], [1.0, 2.0]);
    }

    #[test]
    fn a_kernel_whose_reads_hit_less_often_gains_by_its_l1() {
        let of = |l1_hit_rate| Breakdown { warps: 100.0, memory: 90.0, other: 10.0, l1_hit_rate, ..Breakdown::default() };
        let gains = |places| Gains::of(&gpu(), &of(0.2), &of(0.8), &places);
        assert_eq!((gains(places(0.1, 0.1)).first().0, gains(places(0.1, 0.1)).first().2), (Cause::L1, true));
        assert_eq!(gains(Places { shared: false, ..places(0.1, 0.1) }).0[Cause::L1 as usize], 1.0);
    }

    #[test]
    fn a_kernel_whose_accesses_wait_for_another_ones_misses_gains_by_its_l1() {
        let of = |lsu| Breakdown { warps: 100.0, lsu, other: 10.0, ..Breakdown::default() };
        let gain = |l1_full| Gains::of(&gpu(), &of(90.0), &of(0.0), &Places { l1_full, ..places(0.1, 0.1) }).0[Cause::L1 as usize];
        assert_eq!([gain(0.0), gain(1.0)], [1.0, 10.0]);
    }
}

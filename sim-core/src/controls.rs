//! Every setting that a sharing scheme may change while the machine runs. The machine reads this struct and never knows who wrote it;
//! who has read this file knows all that any policy can do.
//!
//! Each field states its unit, its neutral value (the machine behaves as if the field did not exist), where it bites, and what happens
//! to work in flight.

use crate::ids::{MAX_KERNELS, PerKernel};
use alloc::vec::Vec;

/// The order in which a warp scheduler considers its ready warps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WarpOrder {
    /// Loose round robin: the next ready warp after the one that issued last.
    Lrr,
    /// Greedy then oldest: the warp that issued last as long as it can, else the oldest ready one.
    #[default]
    Gto,
    /// Round robin inside a group of this many warps (≥ 1) until the whole group stalls, then the next group.
    TwoLevel(u8),
    /// Round robin over kernels, greedy then oldest within each (Maestro, as read by CCBP §7.6).
    LrrGto,
}

/// When warp quotas are filled up again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum QuotaRefill {
    /// Every `quota_interval` cycles.
    #[default]
    Interval,
    /// When every kernel that is resident on the SM and has a quota has spent it (SMK).
    WhenAllSpent,
}

/// All actuators.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Controls {
    /// SMs that a kernel may use, bit `i` for SM `i`. Neutral: all ones. Bites at the next CTA placement; resident CTAs finish where they are.
    pub sm_mask: PerKernel<u64>,
    /// Resident CTAs of a kernel on each SM, at most. Neutral: `u16::MAX`. Bites at the next placement; CTAs above a lowered target finish.
    pub cta_target: Vec<PerKernel<u16>>,
    /// CTAs of a kernel on each SM that may issue; the youngest beyond it pause. Neutral: `u16::MAX`. Bites in the next cycle; loads in
    /// flight complete, and a paused CTA keeps its resources.
    pub cta_throttle: PerKernel<u16>,
    /// Order in which kernels are offered room: a kernel is offered only while no kernel of lower rank has CTAs left to place; equal ranks
    /// take turns. Neutral: all equal. Bites at the next placement.
    pub dispatch_rank: PerKernel<u8>,
    /// Warp instructions that a kernel may issue on each SM between refills. Neutral: `None`, no limit. Bites in the next cycle; loads in flight complete.
    pub warp_quota: PerKernel<Option<u32>>,
    /// When quotas are filled up again: to their full value, nothing carries over.
    pub quota_refill: QuotaRefill,
    /// Core cycles between refills with `QuotaRefill::Interval`, ≥ 1.
    pub quota_interval: u32,
    /// Whether the L1D miss queue is carved into one virtual queue of equal size per kernel (CCBP §5.1). Neutral: `false`, one FIFO for all.
    /// Bites at the next entry; entries already queued keep their places.
    pub miss_queue_split: bool,
    /// Requests that a kernel may send from each SM's miss queue in each credit interval, in sixteenths of a request; the fraction carries
    /// over to the next interval, whole credits do not (CCBP §5.1). Neutral: `None`, no limit. Bites at the next interval's start; queued
    /// requests wait and are never dropped. In an unsplit queue a head without credit holds back the queue.
    pub miss_credits: PerKernel<Option<u32>>,
    /// Core cycles of a credit interval, ≥ 1. CCBP: 200.
    pub credit_interval: u32,
    /// Rank in the miss queue's arbiter, lower first, equal ranks take turns; only in a split queue. Neutral: all equal. Bites at the next grant.
    pub miss_rank: PerKernel<u8>,
    /// L1D ways that a kernel's fills may take, bit `w` for way `w`. Neutral: all ones. Bites at the next fill; lookups hit in every way.
    pub l1_ways: PerKernel<u32>,
    /// Rank in the DRAM schedulers, lower first, ahead of row hits and age. Neutral: all equal. Bites at the next scheduling decision.
    pub dram_rank: PerKernel<u8>,
    /// Order of warps. Neutral: the experiment's. Bites in the next cycle.
    pub warp_order: WarpOrder,
}

impl Controls {
    /// Controls under which the machine shares nothing on purpose.
    pub fn neutral(sms: usize, warp_order: WarpOrder) -> Self {
        Controls {
            sm_mask: PerKernel::all(u64::MAX),
            cta_target: alloc::vec![PerKernel::all(u16::MAX); sms],
            cta_throttle: PerKernel::all(u16::MAX),
            dispatch_rank: PerKernel::all(0),
            warp_quota: PerKernel([None; MAX_KERNELS]),
            quota_refill: QuotaRefill::Interval,
            quota_interval: 10_000,
            miss_queue_split: false,
            miss_credits: PerKernel([None; MAX_KERNELS]),
            credit_interval: 200,
            miss_rank: PerKernel::all(0),
            l1_ways: PerKernel::all(u32::MAX),
            dram_rank: PerKernel::all(0),
            warp_order,
        }
    }
}

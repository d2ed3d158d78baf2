//! Where CTAs go (Wang et al., ISCA 2017, §3.6): the symmetric start, idle CTAs, and whose CTA makes room for another. Pure functions.

use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::KernelId;
use alloc::vec::Vec;

/// Whether each kernel may use each SM at first: kernels with a goal may use all, the others share the SMs out evenly, with what is left over going to
/// the first of them. Lists of kernels, by SM.
pub fn partition(sms: usize, has_goal: &[bool]) -> Vec<Vec<bool>> {
    let others: Vec<usize> = (0..has_goal.len()).filter(|&kernel| !has_goal[kernel]).collect();
    let (each, more) = (sms / others.len().max(1), sms % others.len().max(1));
    let first = |place: usize| place * each + place.min(more);
    // More kernels than SMs share them in turn.
    let owns = |place: usize, sm: usize| if each == 0 { place % sms == sm } else { (first(place)..first(place + 1)).contains(&sm) };
    let may_use = |sm: usize, kernel: usize| {
        has_goal[kernel] || others.iter().position(|&other| other == kernel).is_some_and(|place| owns(place, sm))
    };
    (0..sms).map(|sm| (0..has_goal.len()).map(|kernel| may_use(sm, kernel)).collect()).collect()
}

/// CTAs of each kernel on an SM that has `whole`, with as many threads for each kernel that may use it. In turns, each kernel that has
/// fewer threads than its part gets a CTA, as long as it fits. `limits` hold besides.
pub fn symmetric(costs: &[Resources], limits: &[u32], may_use: &[bool], whole: Resources) -> Vec<u32> {
    let kernels = may_use.iter().filter(|&&may| may).count() as u32;
    let part = whole.threads / kernels.max(1);
    let mut ctas = alloc::vec![0; costs.len()];
    let mut used = Resources::default();
    loop {
        let before = used;
        for kernel in (0..costs.len()).filter(|&kernel| may_use[kernel]) {
            let below = ctas[kernel] < limits[kernel] && ctas[kernel] * costs[kernel].threads < part;
            if below && used.fits(costs[kernel], whole) {
                used.add(costs[kernel]);
                ctas[kernel] += 1;
            }
        }
        if used == before {
            return ctas;
        }
    }
}

/// How many of a kernel's CTAs on an SM are idle: as many as the warps, on average, that were ready for a full pipeline.
pub fn idle_ctas(idle_warps: f64, warps_of_cta: u32) -> u32 {
    (idle_warps / f64::from(warps_of_cta.max(1))) as u32
}

/// A kernel on an SM whose CTAs may make room.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The kernel.
    pub kernel: KernelId,
    /// Its CTAs on the SM, those that it keeps in any case, and what each takes.
    pub ctas: u32,
    pub keeps: u32,
    pub cost: Resources,
    /// Idle CTAs on the SM.
    pub idle: u32,
    /// Its IPC since the run began, and its goal, if it has one.
    pub history: f64,
    pub goal: Option<f64>,
}

/// Why a kernel's CTAs can be spared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Why {
    /// It has no goal (a).
    NoGoal,
    /// More of its CTAs than these are idle (b).
    Idle,
    /// It would keep its goal without them (c).
    Margin,
}

impl Why {
    /// As decisions carry it.
    pub fn key(self) -> &'static str {
        match self {
            Why::NoGoal => "no_goal",
            Why::Idle => "idle",
            Why::Margin => "margin",
        }
    }
}

impl Candidate {
    /// Why `n` of its CTAs can be spared, if they can.
    fn spares(&self, n: u32) -> Option<Why> {
        if n + self.keeps > self.ctas {
            return None;
        }
        let Some(goal) = self.goal else { return Some(Why::NoGoal) };
        let left = self.history * (1.0 - f64::from(n) / f64::from(self.ctas));
        if self.idle > n { Some(Why::Idle) } else { (left > goal).then_some(Why::Margin) }
    }
}

/// Whose CTAs make room for one that takes `cost` in `room`, how many, and why: (a) before (b) before (c), then the fewest, then the first kernel.
pub fn victim(candidates: &[Candidate], cost: Resources, room: Resources) -> Option<(KernelId, u32, Why)> {
    let fewest = |candidate: &Candidate| {
        (1..=candidate.ctas).find(|&n| {
            let mut free = room;
            (0..n).for_each(|_| free.add(candidate.cost));
            Resources::default().fits(cost, free)
        })
    };
    let spared = candidates.iter().filter_map(|candidate| {
        let n = fewest(candidate)?;
        Some((candidate.spares(n)?, n, candidate.kernel))
    });
    spared.min().map(|(why, n, kernel)| (kernel, n, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(threads: u32) -> Resources {
        Resources { ctas: 1, threads, registers: 32 * threads, shared_bytes: 0 }
    }

    const WHOLE: Resources = Resources { ctas: 32, threads: 2048, registers: 65_536, shared_bytes: 98_304 };

    #[test]
    fn kernels_with_a_goal_are_on_every_sm_and_the_others_on_parts() {
        let sms = |has_goal: &[bool]| {
            let parts = partition(16, has_goal);
            (0..has_goal.len()).map(|kernel| parts.iter().filter(|sm| sm[kernel]).count()).collect::<Vec<_>>()
        };
        assert_eq!(sms(&[true, false, false]), [16, 8, 8]);
        assert_eq!(sms(&[true, true, false]), [16, 16, 16]);
        assert_eq!(sms(&[false, false, false, true]), [6, 5, 5, 16]);
        assert_eq!(sms(&[true, true]), [16, 16]);
        assert_eq!(partition(2, &[false, false, false]), [[true, false, true], [false, true, false]], "in turn");
        let two = partition(16, &[true, false, false]);
        assert!(two.iter().all(|sm| sm[1] != sm[2]), "no two of the others share an SM");
    }

    #[test]
    fn kernels_of_an_sm_have_as_many_threads() {
        let of = |threads: &[u32], limits: &[u32]| {
            let costs: Vec<Resources> = threads.iter().map(|&threads| cost(threads)).collect();
            symmetric(&costs, limits, &alloc::vec![true; threads.len()], WHOLE)
        };
        assert_eq!(of(&[256, 128], &[32, 32]), [4, 8], "1024 threads each");
        // A part of 682: the last CTA of each begins below it, as long as it fits.
        assert_eq!(of(&[128, 128, 128], &[32; 3]), [6, 5, 5]);
        assert_eq!(of(&[256, 128], &[3, 32]), [3, 8], "within its own limit");
        let one = symmetric(&[cost(256), cost(128)], &[8, 16], &[true, false], WHOLE);
        assert_eq!(one, [8, 0]);
    }

    #[test]
    fn idle_ctas_are_whole_ones() {
        assert_eq!((idle_ctas(17.9, 8), idle_ctas(7.9, 8), idle_ctas(8.0, 8)), (2, 0, 1));
    }

    #[test]
    fn a_victim_is_a_kernel_without_a_goal_before_one_with_idle_ctas_before_one_with_a_margin() {
        let kernel =
            |kernel, goal, idle, history| Candidate { kernel: KernelId(kernel), ctas: 8, keeps: 0, cost: cost(256), idle, history, goal };
        let none = Resources::default();
        let chosen = |candidates: &[Candidate], threads| victim(candidates, cost(threads), none);
        // History 120, goal 100, eight CTAs: 105 without one, 90 without two.
        let margin = kernel(0, Some(100.0), 0, 120.0);
        assert_eq!(chosen(&[margin], 256), Some((KernelId(0), 1, Why::Margin)));
        assert_eq!(chosen(&[margin], 512), None);
        let idle = kernel(1, Some(100.0), 2, 50.0);
        assert_eq!(chosen(&[idle], 256), Some((KernelId(1), 1, Why::Idle)), "two idle ones for one that goes");
        assert_eq!(chosen(&[idle], 512), None);
        let free = kernel(2, None, 0, 10.0);
        assert_eq!(chosen(&[free], 2048), Some((KernelId(2), 8, Why::NoGoal)));
        assert_eq!(chosen(&[Candidate { keeps: 1, ..free }], 2048), None, "one CTA is kept");
        assert_eq!(chosen(&[margin, idle], 256).map(|chosen| chosen.0), Some(KernelId(1)));
        assert_eq!(chosen(&[margin, idle, free], 256).map(|chosen| chosen.0), Some(KernelId(2)));
        let small = Candidate { cost: cost(64), kernel: KernelId(3), ..free };
        assert_eq!(chosen(&[small, free], 256), Some((KernelId(2), 1, Why::NoGoal)), "one CTA rather than four");
        assert_eq!(victim(&[free], cost(300), cost(44)), Some((KernelId(2), 1, Why::NoGoal)), "with the room that there is");
    }
}

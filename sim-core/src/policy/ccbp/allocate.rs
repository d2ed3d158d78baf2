//! CCBP's Algorithm 1 (§5.2): dominant resource fairness over what an SM holds (registers, shared memory, threads, CTA slots) and the two
//! bandwidths. Each turn, the kernel with the least dominant share gets one more unit of its dominant resource, a CTA or a unit of NoC or
//! DRAM bandwidth, with what goes along with it. A pure function over plain data.

use crate::describe::gpu::occupancy::{Limiter, Resources};
use alloc::vec::Vec;

/// Shares are sums of fractions: equal ones may differ by this much.
const EPSILON: f64 = 1e-9;

/// What limits a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KernelType {
    /// Latency: its dominant resource are CTAs.
    #[default]
    LatencySensitive,
    /// NoC bandwidth.
    NocIntensive,
    /// DRAM bandwidth.
    DramIntensive,
}

impl KernelType {
    /// Every type.
    pub const ALL: [KernelType; 3] = [KernelType::LatencySensitive, KernelType::NocIntensive, KernelType::DramIntensive];

    /// As a word.
    pub fn word(self) -> &'static str {
        match self {
            KernelType::LatencySensitive => "latency-sensitive",
            KernelType::NocIntensive => "NoC-intensive",
            KernelType::DramIntensive => "DRAM-intensive",
        }
    }
}

/// What a kernel takes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Demand {
    /// Its type.
    pub kind: KernelType,
    /// Units of NoC bandwidth that it uses with 0, 1, 2, … CTAs on every SM (`nbw`); the length says how many it may hold.
    pub noc: Vec<f64>,
    /// Units of DRAM bandwidth, of the same length (`dbw`).
    pub dram: Vec<f64>,
    /// What one CTA takes of an SM.
    pub cta: Resources,
}

/// The resources, who is preferred, and how Table 3 is read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rules {
    /// What an SM has.
    pub sm: Resources,
    /// Units of NoC and of DRAM bandwidth (`M`), infinite if bandwidth is not partitioned.
    pub units: f64,
    /// Latency-sensitive kernels' share counts this much (`priorLSK`): less is more priority.
    pub priority: f64,
    /// A latency-sensitive kernel may get a CTA whose bandwidth does not fit any more; its bandwidth is then cut to what is left.
    pub clip: bool,
}

/// What a kernel has got.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Grant {
    /// CTAs on every SM.
    pub ctas: usize,
    /// Units of NoC bandwidth.
    pub noc: f64,
    /// Units of DRAM bandwidth.
    pub dram: f64,
}

/// Whose turn it was, and what refused what it asked for, if that did not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The kernel.
    pub kernel: usize,
    /// The first resource of which too little is left. The kernel gets nothing more.
    pub refused: Option<Refusal>,
}

/// What refuses a grant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Its last CTA is placed: it could not use more.
    NoMoreCtas,
    /// A resource of the SM.
    Sm(Limiter),
    /// NoC bandwidth.
    Noc,
    /// DRAM bandwidth.
    Dram,
}

impl Refusal {
    /// As tables say it.
    pub fn key(self) -> &'static str {
        match self {
            Refusal::NoMoreCtas => "its last CTA",
            Refusal::Sm(Limiter::Slots) => "CTA slots",
            Refusal::Sm(Limiter::Threads) => "threads",
            Refusal::Sm(Limiter::Registers) => "registers",
            Refusal::Sm(Limiter::SharedMemory) => "shared memory",
            Refusal::Noc => "NoC bandwidth",
            Refusal::Dram => "DRAM bandwidth",
        }
    }
}

/// The algorithm between two turns.
#[derive(Clone, Debug)]
pub struct Allocation<'a> {
    demands: &'a [Demand],
    rules: Rules,
    grants: Vec<Grant>,
    share: Vec<f64>,
    live: Vec<bool>,
    /// CTAs that are kept free for each kernel that has none yet: one, unless one of each does not fit.
    reserved: usize,
}

/// All turns: what each kernel gets.
pub fn allocate(demands: &[Demand], rules: Rules) -> Vec<Grant> {
    let mut allocation = Allocation::new(demands, rules);
    while allocation.turn().is_some() {}
    allocation.grants().to_vec()
}

impl<'a> Allocation<'a> {
    /// Before the first turn.
    pub fn new(demands: &'a [Demand], rules: Rules) -> Self {
        let kernels = demands.len();
        let mut allocation = Allocation {
            demands,
            rules,
            grants: alloc::vec![Grant::default(); kernels],
            share: alloc::vec![0.0; kernels],
            live: alloc::vec![true; kernels],
            reserved: 1,
        };
        if allocation.exhausted(&allocation.grants).is_some() {
            allocation.reserved = 0;
        }
        allocation
    }

    /// The first resource of which an SM has too little for the CTAs of these grants and what is reserved.
    fn exhausted(&self, grants: &[Grant]) -> Option<Limiter> {
        let parts = |r: &Resources| [r.ctas, r.threads, r.registers, r.shared_bytes].map(u64::from);
        let ctas = |grant: &Grant| grant.ctas.max(self.reserved) as u64;
        let taken =
            |part: usize| self.demands.iter().zip(grants).map(|(demand, grant)| parts(&demand.cta)[part] * ctas(grant)).sum::<u64>();
        let limiters = [Limiter::Slots, Limiter::Threads, Limiter::Registers, Limiter::SharedMemory];
        let beyond = parts(&self.rules.sm).into_iter().enumerate().zip(limiters).find(|((part, whole), _)| taken(*part) > *whole);
        beyond.map(|(_, limiter)| limiter)
    }

    /// One turn. `None` when every kernel is finished.
    pub fn turn(&mut self) -> Option<Turn> {
        let kernel = self.least()?;
        let grant = self.tentative(kernel).ok_or(Refusal::NoMoreCtas).and_then(|grant| self.fitted(kernel, grant));
        match grant {
            Ok(grant) => {
                self.grants[kernel] = grant;
                self.share[kernel] = self.dominant_share(kernel);
            }
            Err(_) => self.live[kernel] = false,
        }
        Some(Turn { kernel, refused: grant.err() })
    }

    /// What each kernel has by now.
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }

    /// Each kernel's dominant share by now.
    pub fn shares(&self) -> &[f64] {
        &self.share
    }

    /// The kernel with the least dominant share; of equals a latency-sensitive one, then the first.
    fn least(&self) -> Option<usize> {
        let bandwidth_bound = |kernel: usize| self.demands[kernel].kind != KernelType::LatencySensitive;
        let before = |a: usize, b: usize| {
            let gap = self.share[a] - self.share[b];
            if gap.abs() > EPSILON { gap < 0.0 } else { (bandwidth_bound(a), a) < (bandwidth_bound(b), b) }
        };
        (0..self.demands.len()).filter(|&kernel| self.live[kernel]).reduce(|best, next| if before(next, best) { next } else { best })
    }

    /// What the kernel has after one more unit of its dominant resource (lines 4 to 21); `None` if it has no more to ask for.
    fn tentative(&self, kernel: usize) -> Option<Grant> {
        let (has, demand) = (self.grants[kernel], &self.demands[kernel]);
        let (dominant, other, units) = match demand.kind {
            KernelType::LatencySensitive => {
                let ctas = has.ctas + 1;
                return Some(Grant { ctas, noc: *demand.noc.get(ctas)?, dram: *demand.dram.get(ctas)? });
            }
            KernelType::NocIntensive => (&demand.noc, &demand.dram, has.noc + 1.0),
            KernelType::DramIntensive => (&demand.dram, &demand.noc, has.dram + 1.0),
        };
        // No grant beyond the last CTA: its CTAs could not use more bandwidth.
        let ctas = has.ctas + usize::from(*dominant.get(has.ctas)? < units - EPSILON);
        let (full, beside) = (*dominant.get(ctas)?, *other.get(ctas)?);
        let along = if full > 0.0 { beside * units / full } else { return None };
        Some(match demand.kind {
            KernelType::NocIntensive => Grant { ctas, noc: units, dram: along },
            _ => Grant { ctas, noc: along, dram: units },
        })
    }

    /// The grant if it fits (line 22), its bandwidth cut where that is allowed.
    fn fitted(&self, kernel: usize, grant: Grant) -> Result<Grant, Refusal> {
        let mut grants = self.grants.clone();
        grants[kernel] = grant;
        if let Some(limiter) = self.exhausted(&grants) {
            return Err(Refusal::Sm(limiter));
        }
        let left = |of: fn(&Grant) -> f64| self.rules.units - (grants.iter().map(of).sum::<f64>() - of(&grant));
        let (noc, dram) = (left(|grant| grant.noc), left(|grant| grant.dram));
        if grant.noc <= noc + EPSILON && grant.dram <= dram + EPSILON {
            return Ok(grant);
        }
        if !self.rules.clip || self.demands[kernel].kind != KernelType::LatencySensitive {
            return Err(if grant.noc > noc + EPSILON { Refusal::Noc } else { Refusal::Dram });
        }
        // One factor for both, so that the kernel's requests cost what they do.
        let part = |wanted: f64, left: f64| if wanted > left { (left / wanted).max(0.0) } else { 1.0 };
        let scale = part(grant.noc, noc).min(part(grant.dram, dram));
        Ok(Grant { ctas: grant.ctas, noc: grant.noc * scale, dram: grant.dram * scale })
    }

    /// CCBP §5.5.
    fn dominant_share(&self, kernel: usize) -> f64 {
        let (has, demand, sm) = (self.grants[kernel], &self.demands[kernel], self.rules.sm);
        match demand.kind {
            KernelType::NocIntensive => has.noc / self.rules.units,
            KernelType::DramIntensive => has.dram / self.rules.units,
            KernelType::LatencySensitive => {
                let of = |one: u32, all: u32| if all == 0 { 0.0 } else { has.ctas as f64 * f64::from(one) / f64::from(all) };
                let shares = [
                    of(demand.cta.threads, sm.threads),
                    of(demand.cta.registers, sm.registers),
                    of(demand.cta.shared_bytes, sm.shared_bytes),
                ];
                shares.into_iter().fold(0.0, f64::max) * self.rules.priority
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KernelType::{DramIntensive, LatencySensitive, NocIntensive};
    use super::*;

    const ONE: Resources = Resources { ctas: 1, threads: 1, registers: 0, shared_bytes: 0 };

    /// The setting of CCBP Table 3: ten of each, a CTA of any kernel takes one; `size` 20 doubles everything that there is.
    fn rules(size: u32, priority: f64) -> Rules {
        let sm = Resources { ctas: size, threads: size, registers: 0, shared_bytes: 0 };
        Rules { sm, units: size.into(), priority, clip: false }
    }

    fn linear(kind: KernelType, noc: f64, dram: f64, ctas: u32) -> Demand {
        let times = |slope: f64| (0..=ctas).map(|c| slope * f64::from(c)).collect();
        Demand { kind, noc: times(noc), dram: times(dram), cta: ONE }
    }

    fn table(ctas: u32) -> [Demand; 3] {
        [linear(LatencySensitive, 0.5, 0.5, ctas), linear(DramIntensive, 2.0, 4.0, ctas), linear(NocIntensive, 3.0, 1.0, ctas)]
    }

    const THIRD: f64 = 1.0 / 3.0;

    /// The turn's kernel, then what each kernel has: CTAs, NoC, DRAM.
    type Row = (usize, [usize; 3], [f64; 3], [f64; 3]);

    /// Iterations 1 to 15 of Table 3, those that the paper leaves out worked out by hand.
    const ROWS: [Row; 15] = [
        (0, [1, 0, 0], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
        (1, [1, 1, 0], [0.5, 0.5, 0.0], [0.5, 1.0, 0.0]),
        (2, [1, 1, 1], [0.5, 0.5, 1.0], [0.5, 1.0, THIRD]),
        (0, [2, 1, 1], [1.0, 0.5, 1.0], [1.0, 1.0, THIRD]),
        (1, [2, 1, 1], [1.0, 1.0, 1.0], [1.0, 2.0, THIRD]),
        (2, [2, 1, 1], [1.0, 1.0, 2.0], [1.0, 2.0, 2.0 * THIRD]),
        (0, [3, 1, 1], [1.5, 1.0, 2.0], [1.5, 2.0, 2.0 * THIRD]),
        (1, [3, 1, 1], [1.5, 1.5, 2.0], [1.5, 3.0, 2.0 * THIRD]),
        (2, [3, 1, 1], [1.5, 1.5, 3.0], [1.5, 3.0, 1.0]),
        (0, [4, 1, 1], [2.0, 1.5, 3.0], [2.0, 3.0, 1.0]),
        (1, [4, 1, 1], [2.0, 2.0, 3.0], [2.0, 4.0, 1.0]),
        (2, [4, 1, 2], [2.0, 2.0, 4.0], [2.0, 4.0, 4.0 * THIRD]),
        (0, [5, 1, 2], [2.5, 2.0, 4.0], [2.5, 4.0, 4.0 * THIRD]),
        (1, [5, 2, 2], [2.5, 2.5, 4.0], [2.5, 5.0, 4.0 * THIRD]),
        (2, [5, 2, 2], [2.5, 2.5, 5.0], [2.5, 5.0, 5.0 * THIRD]),
    ];

    fn check(grants: &[Grant], ctas: [usize; 3], noc: [f64; 3], dram: [f64; 3], what: &str) {
        for (k, grant) in grants.iter().enumerate() {
            let near = (grant.noc - noc[k]).abs() < 1e-9 && (grant.dram - dram[k]).abs() < 1e-9;
            assert!(grant.ctas == ctas[k] && near, "{what}, K{}: {grant:?}, not {} {} {}", k + 1, ctas[k], noc[k], dram[k]);
        }
    }

    fn run_table(rules: Rules) -> (Vec<Grant>, Vec<(usize, Option<Refusal>)>) {
        let demands = table(10);
        let mut allocation = Allocation::new(&demands, rules);
        for (i, (kernel, ctas, noc, dram)) in ROWS.into_iter().enumerate() {
            assert_eq!(allocation.turn(), Some(Turn { kernel, refused: None }), "iteration {}", i + 1);
            check(allocation.grants(), ctas, noc, dram, &alloc::format!("iteration {}", i + 1));
        }
        let rest = core::iter::from_fn(|| allocation.turn()).map(|turn| (turn.kernel, turn.refused)).collect();
        (allocation.grants().to_vec(), rest)
    }

    /// CCBP Table 3, read literally: the sixteenth iteration is the first that does not fit (the table's 6 CTAs of K1 are then a slip: their
    /// bandwidth is that of 5).
    #[test]
    fn table_3_strict() {
        let (grants, rest) = run_table(rules(10, 1.0));
        assert_eq!(rest, [(0, Some(Refusal::Noc)), (1, Some(Refusal::Noc)), (2, Some(Refusal::Noc))]);
        let (_, ctas, noc, dram) = ROWS[14];
        check(&grants, ctas, noc, dram, "the end");
        assert_eq!(grants.iter().map(|g| g.ctas).sum::<usize>(), 9);
        assert!((grants.iter().map(|g| g.dram).sum::<f64>() - 55.0 / 6.0).abs() < 1e-9);
    }

    /// CCBP Table 3 with every cell as printed: K1's sixth CTA is placed, and its bandwidth cut to what is left.
    #[test]
    fn table_3_clipped() {
        let (grants, rest) = run_table(Rules { clip: true, ..rules(10, 1.0) });
        // The others' next units go to CTAs that they have.
        let [noc, slots] = [Refusal::Noc, Refusal::Sm(Limiter::Slots)].map(Some);
        assert_eq!(rest, [(0, None), (1, noc), (2, noc), (0, slots)]);
        check(&grants, [6, 2, 2], [2.5, 2.5, 5.0], [2.5, 5.0, 5.0 * THIRD], "the end");
    }

    /// Lower priority numbers give the latency-sensitive kernel more; neighbouring numbers may give the same.
    #[test]
    fn priorities() {
        let table_of = |tenths: u32| allocate(&table(10), rules(10, f64::from(tenths) / 10.0));
        for (tenths, ctas, noc, dram) in [
            ([10, 9].as_slice(), [5, 2, 2], [2.5, 2.5, 5.0], [2.5, 5.0, 5.0 * THIRD]),
            (&[8, 7], [6, 2, 2], [3.0, 2.5, 4.0], [3.0, 5.0, 4.0 * THIRD]),
            (&[6, 5], [7, 1, 2], [3.5, 2.0, 4.0], [3.5, 4.0, 4.0 * THIRD]),
            (&[4, 3, 2, 1], [8, 1, 1], [4.0, 2.0, 3.0], [4.0, 4.0, 1.0]),
        ] {
            for &tenths in tenths {
                check(&table_of(tenths), ctas, noc, dram, &alloc::format!("priority 0.{tenths}"));
            }
        }
    }

    #[test]
    fn twice_as_much_of_everything() {
        check(&allocate(&table(20), rules(20, 1.0)), [10, 3, 4], [5.0, 5.0, 10.0], [5.0, 10.0, 10.0 * THIRD], "twenty of each");
    }

    /// Without bandwidth, fairness over what an SM holds: as many CTAs as give equal shares.
    #[test]
    fn latency_sensitive_kernels_share_the_sm() {
        let cta = |threads, registers| Resources { ctas: 1, threads, registers, shared_bytes: 0 };
        let kernel = |cta| Demand { noc: alloc::vec![0.0; 33], dram: alloc::vec![0.0; 33], cta, kind: LatencySensitive };
        let sm = Resources { ctas: 32, threads: 2048, registers: 65_536, shared_bytes: 98_304 };
        let rules = Rules { sm, units: f64::INFINITY, ..rules(1, 1.0) };
        // An eighth of the threads each time against an eighth of the registers.
        let grants = allocate(&[kernel(cta(256, 2048)), kernel(cta(64, 8192))], rules);
        assert_eq!(grants.iter().map(|grant| grant.ctas).collect::<Vec<_>>(), [6, 6]);
        // A kernel of tiny CTAs does not dominate by its slots.
        let grants = allocate(&[kernel(cta(32, 512)), kernel(cta(256, 2048))], rules);
        assert_eq!(grants.iter().map(|grant| grant.ctas).collect::<Vec<_>>(), [28, 4]);
    }

    /// A kernel whose next CTA adds less than a unit falls behind its quota.
    #[test]
    fn slow_kernels_grow_by_one() {
        let grants = allocate(&[linear(NocIntensive, 0.4, 0.1, 10)], Rules { units: 3.0, ..rules(10, 1.0) });
        assert_eq!((grants[0].ctas, grants[0].noc), (3, 3.0));
    }

    /// The first kernel has the lesser share after its first CTA and would take a second, in the place that is kept for the other one.
    #[test]
    fn room_for_one_cta_of_each_kernel_is_kept() {
        let kernel = |threads| Demand {
            cta: Resources { ctas: 1, threads, registers: 0, shared_bytes: 0 },
            ..linear(LatencySensitive, 0.0, 0.0, 4)
        };
        // Of 12 threads, 3 for each CTA of the first kernel, 4 and 5 for those of the others; of equal kernels the first has its turn first.
        let demands = [kernel(3), kernel(4), Demand { kind: DramIntensive, ..kernel(5) }];
        let sm = Resources { ctas: 12, threads: 12, registers: 0, shared_bytes: 0 };
        let grants = allocate(&demands, Rules { sm, ..rules(12, 1.0) });
        assert_eq!(grants.iter().map(|grant| grant.ctas).collect::<Vec<_>>(), [1, 1, 0]);
    }

    #[test]
    fn a_kernel_whose_bandwidth_is_unknown_gets_nothing_rather_than_infinity() {
        let silent = [linear(DramIntensive, 1.0, 0.0, 4), linear(LatencySensitive, 0.0, 0.0, 4)];
        let grants = allocate(&silent, rules(10, 1.0));
        assert_eq!(grants[0], Grant::default());
        assert_eq!(grants[1], Grant { ctas: 4, noc: 0.0, dram: 0.0 });
    }

    #[test]
    fn no_grant_exceeds_what_there_is() {
        for seed in 0..200_u64 {
            let draw = |i: u64| (crate::describe::rng::draw(seed * 100 + i) % 1000) as f64 / 1000.0;
            let kind = |i: u64| [LatencySensitive, NocIntensive, DramIntensive][(draw(i) * 3.0) as usize];
            let demands: Vec<Demand> = (0..4).map(|k| linear(kind(k), 3.0 * draw(10 + k), 3.0 * draw(20 + k), 6)).collect();
            let grants = allocate(&demands, Rules { clip: seed % 2 == 0, ..rules(12, 1.0 - draw(30) / 2.0) });
            assert!(grants.iter().map(|g| g.ctas).sum::<usize>() <= 12 && grants.iter().all(|g| g.ctas <= 6), "{grants:?}");
            let total = |of: fn(&Grant) -> f64| grants.iter().map(of).sum::<f64>();
            assert!(total(|g| g.noc) <= 12.0 + 1e-6 && total(|g| g.dram) <= 12.0 + 1e-6, "{grants:?}");
        }
    }
}

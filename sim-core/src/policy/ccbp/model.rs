//! CCBP's bandwidth model (§5.3, eqs. 1 to 7): what a rate of requests costs in NoC and DRAM bandwidth, and what rate a share of them buys.
//! Pure functions; `rate` is requests that an SM's miss queue issues in a time unit (200 core cycles in the paper), bandwidth is bytes that
//! the whole GPU moves in a time unit.

use crate::describe::gpu::Gpu;
use crate::interface::ratios::{dram_bytes_per_cycle, noc_bytes_per_cycle};

/// The figures of a GPU that the equations use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Model {
    /// SMs.
    pub sms: f64,
    /// Bytes of a read reply: a line and its header flit (`L1BlkSize + FlitSize`).
    pub reply_bytes: f64,
    /// Bytes of a DRAM access (`L2BlkSize`).
    pub line_bytes: f64,
    /// Sustainable NoC bandwidth from L2 to the SMs (`SustainBW_n`).
    pub noc: f64,
    /// Sustainable DRAM bandwidth (`SustainBW_d`).
    pub dram: f64,
}

/// What the monitors say of a kernel's requests.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Factors {
    /// Reads among its requests, 0 to 1.
    pub rf: f64,
    /// DRAM accesses of each request, 0 to 2.
    pub df: f64,
}

impl Factors {
    /// CCBP §5.3 eqs. 2 and 4. Both 0 for a kernel that sent nothing.
    pub fn count(requests: u64, reads: u64, replies: u64, dram_accesses: u64) -> Factors {
        let ratio = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        Factors { rf: ratio(reads, requests), df: ratio(dram_accesses, replies) }
    }
}

impl Model {
    /// Of `gpu`, where these fractions of the peaks are sustainable and a time unit is `interval` core cycles.
    pub fn new(gpu: &Gpu, noc_sustainable: f64, dram_sustainable: f64, interval: f64) -> Model {
        Model {
            sms: f64::from(gpu.sm_count()),
            reply_bytes: f64::from(gpu.line_flits() * gpu.noc.flit_bytes),
            line_bytes: f64::from(gpu.l2.line_bytes),
            noc: noc_bytes_per_cycle(gpu) * noc_sustainable * interval,
            dram: dram_bytes_per_cycle(gpu) * dram_sustainable * interval,
        }
    }

    /// NoC bandwidth of `rate` (CCBP §5.3 eq. 1).
    pub fn noc_bytes(&self, rate: f64, rf: f64) -> f64 {
        rf * rate * self.sms * self.reply_bytes
    }

    /// DRAM bandwidth of `rate` (CCBP §5.3 eq. 3).
    pub fn dram_bytes(&self, rate: f64, df: f64) -> f64 {
        df * rate * self.sms * self.line_bytes
    }

    /// The rate that moves so many NoC bytes; nothing limits a kernel without reads.
    pub fn rate_of_noc(&self, bytes: f64, rf: f64) -> f64 {
        if rf > 0.0 { bytes / self.noc_bytes(1.0, rf) } else { f64::INFINITY }
    }

    /// The rate that moves so many DRAM bytes; nothing limits a kernel that always hits L2.
    pub fn rate_of_dram(&self, bytes: f64, df: f64) -> f64 {
        if df > 0.0 { bytes / self.dram_bytes(1.0, df) } else { f64::INFINITY }
    }

    /// The greatest rate within an even share of both bandwidths (CCBP §5.4 eq. 5).
    pub fn even_rate(&self, of: Factors, kernels: usize) -> f64 {
        let share = kernels as f64;
        self.rate_of_noc(self.noc / share, of.rf).min(self.rate_of_dram(self.dram / share, of.df))
    }

    /// Whether the NoC binds before DRAM does (CCBP §5.4 eq. 6): eq. 7 without a division by rf. Equality is DRAM's.
    pub fn noc_intensive(&self, of: Factors) -> bool {
        self.noc_bytes(1.0, of.rf) / self.noc > self.dram_bytes(1.0, of.df) / self.dram
    }

    /// The df/rf below which a kernel is NoC-intensive (CCBP §5.4 eq. 7).
    pub fn threshold(&self) -> f64 {
        self.dram / self.noc * self.reply_bytes / self.line_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;

    fn paper() -> Model {
        Model::new(&presets::find("ccbp-16sm").unwrap(), 0.6, 0.7, 200.0)
    }

    fn near(found: f64, wanted: f64, digits: f64) {
        assert!((found - wanted).abs() < digits, "{found}, not {wanted}");
    }

    /// CCBP Table 1 and §3: 614 GB/s and 319 GB/s at the peak, 60 % and 70 % of them sustainable.
    #[test]
    fn the_papers_gpu_sustains_what_it_prints() {
        let model = paper();
        let gbytes = |bytes: f64| bytes / 200.0 * 1.8;
        near(gbytes(model.noc) / 0.6, 614.4, 1e-9);
        near(gbytes(model.noc), 368.64, 1e-9);
        near(model.noc / 200.0, 204.8, 1e-9);
        // 319 GB/s by 16 channels of 16 B at a whole number of MHz: 318.98.
        near(gbytes(model.dram), 223.3, 0.02);
        near(model.dram / 200.0, 124.06, 0.02);
    }

    /// CCBP §6.2: five flits a reply, 40 replies in 200 NoC cycles at the peak; 26.67 in 200 core cycles, 16 of them sustainable.
    #[test]
    fn a_port_takes_forty_replies_in_two_hundred_cycles_of_the_noc() {
        let gpu = presets::find("ccbp-16sm").unwrap();
        assert_eq!(gpu.line_flits(), 5);
        assert_eq!(200 / gpu.line_flits(), 40);
        let peak = Model::new(&gpu, 1.0, 1.0, 200.0);
        near(peak.rate_of_noc(peak.noc, 1.0), 200.0 * (1.2 / 1.8) / 5.0, 1e-9);
        near(peak.rate_of_noc(peak.noc, 1.0), 26.67, 0.01);
        near(paper().rate_of_noc(paper().noc, 1.0), 16.0, 1e-9);
        let noc_cycles = Model { noc: peak.noc * 1.5, ..peak };
        near(noc_cycles.rate_of_noc(noc_cycles.noc, 1.0), 40.0, 1e-9);
    }

    #[test]
    fn a_unit_of_twenty_is_so_many_requests() {
        let model = paper();
        near(model.rate_of_noc(model.noc / 20.0, 1.0), 0.80, 1e-9);
        near(model.rate_of_dram(model.dram / 20.0, 1.0), 0.606, 0.001);
    }

    /// Eq. 5.
    #[test]
    fn the_even_rate_is_the_tighter_of_two_bounds() {
        let model = paper();
        near(model.rate_of_dram(model.dram / 2.0, 0.15), 40.38, 0.01);
        near(model.even_rate(Factors { rf: 1.0, df: 0.15 }, 2), 8.0, 1e-9);
        near(model.rate_of_noc(model.noc / 2.0, 0.6), 13.33, 0.01);
        near(model.even_rate(Factors { rf: 0.6, df: 1.5 }, 2), 4.038, 0.001);
        for (kernels, reads, accesses) in [(2, 8.0, 6.057), (3, 5.333, 4.038), (4, 4.0, 3.029)] {
            near(model.even_rate(Factors { rf: 1.0, df: 0.0 }, kernels), reads, 0.001);
            near(model.even_rate(Factors { rf: 0.0, df: 1.0 }, kernels), accesses, 0.001);
        }
        assert_eq!(model.even_rate(Factors::default(), 2), f64::INFINITY);
    }

    /// Eqs. 1 and 3 undo themselves.
    #[test]
    fn a_rate_costs_what_it_was_bought_for() {
        let model = paper();
        near(model.noc_bytes(8.0, 1.0), model.noc / 2.0, 1e-6);
        near(model.noc_bytes(3.0, 0.5), 0.5 * 3.0 * 16.0 * 160.0, 1e-9);
        near(model.dram_bytes(3.0, 1.5), 1.5 * 3.0 * 16.0 * 128.0, 1e-9);
        near(model.rate_of_dram(model.dram_bytes(3.0, 1.5), 1.5), 3.0, 1e-9);
    }

    /// Eqs. 6 and 7, with df/rf of Table 2.
    #[test]
    fn the_threshold_splits_the_papers_kernels() {
        let model = paper();
        near(model.threshold(), 0.75718, 0.0001);
        let ratio = |df| Factors { rf: 1.0, df };
        for df in [0.168, 0.012, 0.312, 0.275] {
            assert!(model.noc_intensive(ratio(df)), "CFD, LAV, SMV, KM: {df}");
        }
        for df in [2.639, 1.318, 2.443, 1.035] {
            assert!(!model.noc_intensive(ratio(df)), "LBM, FTD, SAD, SRT: {df}");
        }
        let even = Model { noc: 160.0, dram: 128.0, ..model };
        assert!(!even.noc_intensive(ratio(1.0)), "equality is DRAM's");
        assert!(even.noc_intensive(ratio(0.999)));
        assert!(!model.noc_intensive(Factors::default()) && !model.noc_intensive(Factors { rf: 0.0, df: 0.1 }));
    }

    /// CCBP §6.3: a hit reports 0, a miss 1, a miss with a dirty victim 2.
    #[test]
    fn header_counts_average_to_df() {
        let reported: [u64; 4] = [0, 1, 2, 1];
        let factors = Factors::count(4, 3, 4, reported.iter().sum());
        assert_eq!(factors, Factors { rf: 0.75, df: 1.0 });
        assert_eq!(Factors::count(0, 0, 0, 0), Factors::default());
    }
}

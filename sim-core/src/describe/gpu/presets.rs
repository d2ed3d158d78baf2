//! GPUs by name, each figure with its source.

use super::protocols::L1Protocol;
use super::{
    Allocate, Arbiter, DramConfig, DramKind, DramMap, DramTiming, Gpu, L1Config, L2Config, LsuHol, NocConfig, NocKind, PagePolicy, SmClass,
    StoreFlits, StoreRelease, WriteFill,
};
use alloc::string::ToString;
use alloc::vec;

/// A preset's name and description.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name in experiments.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Where its figures come from.
    pub source: &'static str,
    /// What it is for.
    pub doc: &'static str,
    make: fn() -> Gpu,
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "ccbp-16sm",
        title: "16 SMs, Maxwell-like",
        source: "CCBP Table 1",
        doc: "The GPU of the CCBP paper: 16 SMs, 16 L2 banks, 16 DRAM channels of 319 GB/s together",
        make: ccbp_16sm,
    },
    Preset {
        name: "tiny-2sm",
        title: "2 SMs, for lessons and tests",
        source: "Corun",
        doc: "Small enough to follow every warp: 2 SMs of 16 warps, 2 L2 banks, 2 DRAM channels",
        make: tiny_2sm,
    },
    Preset {
        name: "fermi-16sm",
        title: "16 SMs, Fermi-like",
        source: "HeteroCore Table 2 (Zhao, Wang and Eeckhout, TPDS 2019)",
        doc: "The baseline of the HeteroCore paper: 16 equal SMs, 6 L2 banks, 6 DRAM channels of 177 GB/s together",
        make: fermi_16sm,
    },
    Preset {
        name: "hetero-8b8s",
        title: "8 big and 8 small SMs",
        source: "HeteroCore Table 1 (Zhao, Wang and Eeckhout, TPDS 2019)",
        doc: "fermi-16sm with half of the registers, shared memory, threads and CTA slots of the last 8 SMs moved to the first 8",
        make: hetero_8b8s,
    },
];

/// The preset of that name.
pub fn find(name: &str) -> Option<Gpu> {
    PRESETS.iter().find(|preset| preset.name == name).map(|preset| (preset.make)())
}

fn ccbp_16sm() -> Gpu {
    Gpu {
        name: "ccbp-16sm".to_string(),
        sms: vec![SmClass {
            name: "sm".to_string(),
            count: 16,                    // CCBP Table 1
            ctas: 32,                     // CCBP Table 1
            threads: 2048,                // CCBP Table 1
            registers: 65_536,            // CCBP Table 1: 256 KB
            register_granularity: 128,    // GPGPU-Sim 3.2.2, which CCBP used: multiples of 4 for each thread, whole warps
            shared_bytes: 96 * 1024,      // CCBP Table 1
            shared_banks: 32,             // one word a lane, as Maxwell
            shared_latency: 24,           // Maxwell by Mei and Chu (TPDS 2017), Table 8: 24 to 28
            schedulers: 4,                // CCBP Table 1
            alu_lanes: 32,                // a warp instruction every cycle: 2048 thread instructions a cycle
            sfu_lanes: 32,                // no kernel of the paper is said to use them; Maxwell has 8
            loads_per_warp: 8,            // not stated; more than any kernel here has between uses
            lsu_queue: 4,                 // not stated; a kernel's share of a memory pipeline of a few instructions
            lsu_hol: LsuHol::UnlessSplit, // CCBP §7.2: CFD dominates the memory pipeline, and sub-queues prevent it
            l1: L1Config {
                protocol: L1Protocol::Uncoherent, // not stated; GPGPU-Sim's default
                bytes: 24 * 1024,                 // CCBP Table 1
                ways: 8,                          // CCBP Table 1
                latency: 82,                      // Maxwell by Mei and Chu (TPDS 2017): 82
                mshrs: 256,                       // CCBP Table 1
                merges: 8,                        // GPGPU-Sim 3.2.2, Fermi configuration
                allocate: Allocate::OnFill,       // not stated; with 192 lines, fewer than the MSHRs, on_miss would leave 64 of them unused
                miss_queue: 128,                  // CCBP Table 1
                arbiter_latency: 1,
                store_buffer: 16,                  // CCBP Table 1
                store_release: StoreRelease::Sent, // not stated; what Table 2 prints of SAD alone allows no other
            },
        }],
        core_mhz: 1800, // CCBP §6
        noc: NocConfig {
            kind: NocKind::Crossbar,
            mhz: 1200,      // CCBP Table 1
            flit_bytes: 32, // CCBP Table 1
            queue: 8,       // not stated; GPGPU-Sim's input buffers hold 8 packets
            latency: 8,     // not stated; part of the 200 cycles below
            arbiter: Arbiter::RoundRobin,
            store_flits: StoreFlits::Line, // CCBP eq. 1: a request of 1 or 5 flits
        },
        l2: L2Config {
            banks: 16,                    // CCBP Table 1
            bank_bytes: 128 * 1024,       // CCBP Table 1
            ways: 8,                      // CCBP Table 1
            line_bytes: 128,              // CCBP Table 1
            mshrs: 256,                   // CCBP Table 1
            merges: 8,                    // not stated
            queue: 8,                     // GPGPU-Sim 3.2.2, Fermi configuration
            latency: 108,                 // makes an unloaded L2 hit 200 core cycles (CCBP Table 1)
            write_fill: WriteFill::Fetch, // CCBP §5.2: a miss is one DRAM access, two with a dirty victim
        },
        dram: DramConfig {
            kind: DramKind::Banked,
            channels: 16, // CCBP Table 1
            mhz: 1246,    // 16 channels × 16 B a clock = 319 GB/s, which CCBP prints beside 1200 MHz; the bandwidth is what binds
            queue: 128,   // CCBP Table 1
            banks: 16,    // GDDR5
            columns: 16,  // a 2 KB page of one 32-bit GDDR5 device
            map: DramMap::RowBankColumn,
            page: PagePolicy::Open,
            latency: 120, // makes an unloaded DRAM access 380 core cycles in all (CCBP Table 1)
            // tCCD: a line's four bursts lie in one bank group, where GDDR5 wants tCCDL, not tCCD, between bursts; 11 clocks for a line of 8
            // make a saturated channel sustain 70 % of its peak, which is what CCBP §6 says that its DRAM does.
            // GDDR5 of GPGPU-Sim's GTX 480 configuration at 924 MHz, the same nanoseconds at 1246 MHz; tRTW is in its code (2 clocks).
            timing: DramTiming {
                T: 8, // 128 B at 16 B a clock
                tCL: 16,
                WL: 5,
                tRP: 16,
                tRC: 54,
                tRAS: 38,
                tRCD: 16,
                tRRD: 8,
                tFAW: 0,
                tCCD: 11,
                tWR: 16,
                tWTR: 7,
                tRTW: 3,
                tRTP: 3,
                tREFI: 4860,
                tRFC: 81,
            },
        },
    }
}

fn tiny_2sm() -> Gpu {
    let large = ccbp_16sm();
    Gpu {
        name: "tiny-2sm".to_string(),
        sms: vec![SmClass {
            count: 2,
            ctas: 8,
            threads: 512,
            registers: 16_384,
            shared_bytes: 16 * 1024,
            schedulers: 2,
            lsu_hol: LsuHol::No, // a kernel's accesses can be followed without the other's
            l1: L1Config { bytes: 4 * 1024, ways: 4, mshrs: 32, miss_queue: 32, store_buffer: 8, ..large.sms[0].l1.clone() },
            ..large.sms[0].clone()
        }],
        l2: L2Config { banks: 2, bank_bytes: 32 * 1024, mshrs: 32, ..large.l2.clone() },
        dram: DramConfig { channels: 2, queue: 32, ..large.dram.clone() },
        ..large
    }
}

fn fermi_16sm() -> Gpu {
    let ccbp = ccbp_16sm();
    Gpu {
        name: "fermi-16sm".to_string(),
        sms: vec![SmClass {
            count: 16,               // HeteroCore Table 2
            ctas: 8,                 // HeteroCore Table 1
            threads: 1536,           // HeteroCore Table 2
            registers: 32_768,       // HeteroCore Table 2
            shared_bytes: 48 * 1024, // HeteroCore Table 2
            schedulers: 2,           // HeteroCore Table 2
            lsu_hol: LsuHol::No,     // not stated
            l1: L1Config {
                bytes: 16 * 1024, // HeteroCore Table 2
                ways: 4,          // HeteroCore Table 2
                latency: 18,      // Fermi: L1D hit as GPGPU-Sim's GTX 480 configuration has shared memory, not stated
                mshrs: 32,        // GPGPU-Sim 3.2.2, GTX 480 configuration
                merges: 8,        // GPGPU-Sim 3.2.2, GTX 480 configuration
                miss_queue: 8,    // GPGPU-Sim 3.2.2, GTX 480 configuration
                ..ccbp.sms[0].l1.clone()
            },
            ..ccbp.sms[0].clone()
        }],
        core_mhz: 700, // HeteroCore Table 2
        noc: NocConfig {
            mhz: 700,       // GPGPU-Sim 3.2.2, GTX 480 configuration: the crossbars have the SMs' clock
            flit_bytes: 32, // HeteroCore Table 2
            ..ccbp.noc.clone()
        },
        l2: L2Config {
            banks: 6,               // HeteroCore Table 2: one for each memory controller
            bank_bytes: 128 * 1024, // HeteroCore Table 2
            ways: 8,                // HeteroCore Table 2
            line_bytes: 128,        // HeteroCore Table 2
            mshrs: 32,              // GPGPU-Sim 3.2.2, GTX 480 configuration
            latency: 120,           // GPGPU-Sim 3.2.2, GTX 480 configuration: its ROP latency
            ..ccbp.l2.clone()
        },
        dram: DramConfig {
            channels: 6,  // HeteroCore Table 2
            mhz: 924,     // 6 channels × 32 B a clock = 177.4 GB/s, HeteroCore Table 2
            queue: 16,    // GPGPU-Sim 3.2.2, GTX 480 configuration
            banks: 16,    // HeteroCore Table 2
            latency: 100, // GPGPU-Sim 3.2.2, GTX 480 configuration
            timing: DramTiming {
                T: 4,     // 128 B at 32 B a clock
                tCL: 12,  // HeteroCore Table 2
                WL: 4,    // GPGPU-Sim 3.2.2, GTX 480 configuration
                tRP: 12,  // HeteroCore Table 2
                tRC: 40,  // HeteroCore Table 2
                tRAS: 28, // HeteroCore Table 2
                tRCD: 12, // HeteroCore Table 2
                tRRD: 6,  // HeteroCore Table 2
                tFAW: 0,
                tCCD: 2,  // HeteroCore Table 2
                tWR: 12,  // HeteroCore Table 2
                tWTR: 5,  // GPGPU-Sim 3.2.2, GTX 480 configuration: tCDLR
                tRTW: 2,  // GPGPU-Sim 3.2.2: in its code
                tRTP: 2,  // GPGPU-Sim 3.2.2, GTX 480 configuration: tRTPL
                tREFI: 0, // GPGPU-Sim has no refresh
                tRFC: 0,
            },
            ..ccbp.dram.clone()
        },
    }
}

fn hetero_8b8s() -> Gpu {
    let fermi = fermi_16sm();
    // HeteroCore Table 1; L1D, schedulers and everything else are the baseline's (§2.2).
    let class = |name: &str, ctas, threads, registers, shared_bytes| SmClass {
        name: name.to_string(),
        count: 8,
        ctas,
        threads,
        registers,
        shared_bytes,
        ..fermi.sms[0].clone()
    };
    Gpu {
        name: "hetero-8b8s".to_string(),
        sms: vec![class("big", 10, 2304, 49_152, 64 * 1024), class("small", 6, 768, 16_384, 32 * 1024)],
        ..fermi.clone()
    }
}

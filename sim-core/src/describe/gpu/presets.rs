//! GPUs by name, each figure with its source.

mod ikra;

use super::mesh::MeshConfig;
use super::protocols::L1Protocol;
use super::{
    Allocate, Arbiter, DramConfig, DramKind, DramMap, DramTiming, Gpu, L1Config, L2Config, LsuHol, NocConfig, NocKind, PagePolicy,
    ReadOnlyLines, SetIndex, SmClass, StoreFlits, StoreRelease, WriteFill,
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
    Preset {
        name: "hetero-4b12s",
        title: "4 bigger and 12 small SMs",
        source: "The HeteroCore paper, §6.5 (Zhao, Wang and Eeckhout, TPDS 2019)",
        doc: "As hetero-8b8s with 12 small SMs; the other 4 have what these leave of the baseline's",
        make: hetero_4b12s,
    },
    Preset {
        name: "hetero-12b4s",
        title: "12 less big and 4 small SMs",
        source: "The HeteroCore paper, §6.5 (Zhao, Wang and Eeckhout, TPDS 2019)",
        doc: "As hetero-8b8s with 4 small SMs; the other 12 have what these leave of the baseline's",
        make: hetero_12b4s,
    },
    Preset {
        name: "qos-16sm",
        title: "16 SMs, Maxwell-like, four memory controllers",
        source: "Table 1 of the QoS paper (Wang et al., ISCA 2017); what it leaves open as CCBP's",
        doc: "The GPU of the QoS paper: 16 SMs, 4 DRAM channels of 224 GB/s together, each with 512 KB of L2 in four banks",
        make: qos_16sm,
    },
    Preset {
        name: "qos-56sm",
        title: "56 SMs of two schedulers, four memory controllers",
        source: "The QoS paper, §4.6 (Wang et al., ISCA 2017)",
        doc: "qos-16sm with 56 SMs that have two schedulers each, and with nothing else changed",
        make: qos_56sm,
    },
    Preset {
        name: "a100-40gb",
        title: "108 SMs, as published of an A100",
        source: "NVIDIA's A100 white paper and CUDA guides; latencies measured by RRZE gpu-benches; the rest as Accel-Sim has it",
        doc: "A modelling assumption, not validated hardware. 108 SMs, 80 L2 slices of 40 MB together, 40 HBM2 channels of 1555 GB/s together",
        make: a100_40gb,
    },
    Preset {
        name: "h100-sxm5",
        title: "132 SMs, as published of an H100",
        source: "NVIDIA's H100 white paper and CUDA guides; latencies of a GH200 measured by RRZE gpu-benches; the rest as Accel-Sim has it",
        doc: "A modelling assumption, not validated hardware. 132 SMs, 80 L2 slices of 50 MB together, 80 HBM3 channels of 3350 GB/s together",
        make: h100_sxm5,
    },
    Preset {
        name: "rtx2060-30sm",
        title: "30 SMs, Turing-like, in sectors of 32 B",
        source: "The latency prediction paper, Table 1 (Masola et al., JSSPP 2023); the rest is GPGPU-Sim's RTX 2060",
        doc: "The GPU of the latency prediction paper: 30 SMs, 24 L2 slices of 3 MB together, 12 DRAM channels of 348 GB/s together",
        make: rtx2060_30sm,
    },
    Preset {
        name: "ikra-15cu",
        title: "15 CUs on a mesh of 4 × 4",
        source: "IKRA Table 2 (Huzaifa et al., ACM TACO 17(3), 2020); what it leaves open in docs/reference/machine.md",
        doc: "The GPU of the IKRA paper: 15 CUs of 128 KB L1D, 16 L2 banks of 4 MB together, a mesh of 4 × 4 with a CPU at its first node",
        make: ikra::ikra_15cu,
    },
    Preset {
        name: "ikra-micro-3cu",
        title: "3 CUs on a mesh of 4 × 4, small caches",
        source: "IKRA Table 2 (Huzaifa et al., ACM TACO 17(3), 2020); what it leaves open in docs/reference/machine.md",
        doc: "The GPU of the IKRA paper's microbenchmarks: ikra-15cu with 3 CUs of 32 KB L1D and 256 KB of L2",
        make: ikra::ikra_micro_3cu,
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
            count: 16,                 // CCBP Table 1
            ctas: 32,                  // CCBP Table 1
            threads: 2048,             // CCBP Table 1
            registers: 65_536,         // CCBP Table 1: 256 KB
            register_granularity: 128, // GPGPU-Sim 3.2.2, which CCBP used: multiples of 4 for each thread, whole warps
            shared_bytes: 96 * 1024,   // CCBP Table 1
            shared_banks: 32,          // one word a lane, as Maxwell
            shared_latency: 24,        // Maxwell by Mei and Chu (TPDS 2017), Table 8: 24 to 28
            schedulers: 4,             // CCBP Table 1
            gto_group: 0,
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
                index: SetIndex::Modulo,          // not stated
                allocate: Allocate::OnFill, // not stated; on_miss leaves 64 of the 256 MSHRs that are without use, and Table 2 is met less well
                miss_queue: 128,            // CCBP Table 1
                arbiter_latency: 1,
                store_buffer: 16,                  // CCBP Table 1
                store_release: StoreRelease::Sent, // not stated; what Table 2 prints of SAD alone allows no other
                forward_latency: 0,
                read_only: ReadOnlyLines::Kept,
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
            mesh: MeshConfig::default(),
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
            lsu_hol: LsuHol::Yes,    // not stated; GPGPU-Sim 3.2.2 has one pipe in order
            l1: L1Config {
                bytes: 16 * 1024,                        // HeteroCore Table 2
                ways: 4,                                 // HeteroCore Table 2
                latency: 18,                // Fermi: L1D hit as GPGPU-Sim's GTX 480 configuration has shared memory, not stated
                mshrs: 32,                  // GPGPU-Sim 3.2.2, GTX 480 configuration
                merges: 8,                  // GPGPU-Sim 3.2.2, GTX 480 configuration
                miss_queue: 8,              // GPGPU-Sim 3.2.2, GTX 480 configuration
                index: SetIndex::Fermi,     // GPGPU-Sim 3.2.2, GTX 480 configuration
                allocate: Allocate::OnMiss, // GPGPU-Sim 3.2.2, GTX 480 configuration
                store_release: StoreRelease::Unbuffered, // GPGPU-Sim 3.2.2
                forward_latency: 0,
                read_only: ReadOnlyLines::Kept,
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
            banks: 12,             // GPGPU-Sim 3.2.2, GTX 480 configuration: two for each memory controller, each with a port of its own
            bank_bytes: 64 * 1024, // HeteroCore Table 2: 128 KB for each memory controller
            ways: 8,               // HeteroCore Table 2
            line_bytes: 128,       // HeteroCore Table 2
            mshrs: 32,             // GPGPU-Sim 3.2.2, GTX 480 configuration
            merges: 4,             // GPGPU-Sim 3.2.2, GTX 480 configuration
            latency: 120,          // GPGPU-Sim 3.2.2, GTX 480 configuration: its ROP latency
            ..ccbp.l2.clone()
        },
        dram: DramConfig {
            channels: 6,  // HeteroCore Table 2
            mhz: 924,     // 6 channels × 32 B a clock = 177.4 GB/s, HeteroCore Table 2
            queue: 16,    // GPGPU-Sim 3.2.2, GTX 480 configuration
            banks: 16,    // HeteroCore Table 2
            columns: 32,  // GPGPU-Sim 3.2.2, GTX 480 configuration: 4 KB
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
    hetero("hetero-8b8s", 8)
}

fn hetero_4b12s() -> Gpu {
    hetero("hetero-4b12s", 4)
}

fn hetero_12b4s() -> Gpu {
    hetero("hetero-12b4s", 12)
}

/// So many big SMs, the rest small. The small ones are those of HeteroCore Table 1. The big ones have, each as much, what these leave of
/// what 16 SMs of the baseline have (§6.5: the same area). They have it in whole CTA slots, warps, registers and KB. A scheduler of a big
/// one looks at as many warps at a time as one of the baseline has (§3.2). L1D, schedulers and everything else are the baseline's (§2.2).
fn hetero(name: &str, big: u32) -> Gpu {
    let fermi = fermi_16sm();
    let baseline = &fermi.sms[0];
    let small = SmClass {
        name: "small".to_string(),
        count: baseline.count - big,
        ctas: 6,
        threads: 768,
        registers: 16_384,
        shared_bytes: 32 * 1024,
        ..baseline.clone()
    };
    // In multiples of `unit`.
    let left = |of: fn(&SmClass) -> u32, unit: u32| (baseline.count * of(baseline) - small.count * of(&small)) / big / unit * unit;
    let large = SmClass {
        name: "big".to_string(),
        count: big,
        ctas: left(|sm| sm.ctas, 1),
        threads: left(|sm| sm.threads, 32),
        registers: left(|sm| sm.registers, 1),
        shared_bytes: left(|sm| sm.shared_bytes, 1024),
        gto_group: baseline.warps() / baseline.schedulers,
        ..baseline.clone()
    };
    Gpu { name: name.to_string(), sms: vec![large, small], ..fermi }
}

/// The paper's Table 1 has clocks, numbers of SMs and memory controllers, and what an SM holds. Caches, NoC, latencies and DRAM are not given
/// by the paper: they are those of [`ccbp_16sm`], whose SM has the same sizes, and of the GTX 980, which has the paper's memory clock.
fn qos_16sm() -> Gpu {
    let ccbp = ccbp_16sm();
    Gpu {
        name: "qos-16sm".to_string(),
        sms: vec![SmClass {
            count: 16,               // QoS Table 1
            ctas: 32,                // QoS Table 1
            threads: 2048,           // QoS Table 1
            registers: 65_536,       // QoS Table 1: 256 KB
            shared_bytes: 96 * 1024, // QoS Table 1
            schedulers: 4,           // QoS Table 1
            alu_lanes: 32,           // QoS Table 1: SIMD width
            sfu_lanes: 8,            // not given by the paper; Maxwell has 32 in four quarters
            // Not given by the paper: granularity of registers, latencies, LSU and L1D (24 KB) are CCBP's.
            ..ccbp.sms[0].clone()
        }],
        core_mhz: 1216, // QoS Table 1
        noc: NocConfig {
            mhz: 1216, // not given by the paper; the SMs' clock, as in GPGPU-Sim's configurations
            // Not given by the paper: flits, queues and arbitration are CCBP's.
            ..ccbp.noc.clone()
        },
        l2: L2Config {
            // QoS Table 1: each controller has a slice; its size is not given by the paper. The GTX 980's 2 MB, in CCBP's banks, four to a slice:
            // a slice behind one port of 32 B could not read what its DRAM channel delivers.
            banks: 16,
            bank_bytes: 128 * 1024,
            latency: 173, // not given by the paper; makes an unloaded L2 hit 200 core cycles, as CCBP's
            ..ccbp.l2.clone()
        },
        dram: DramConfig {
            channels: 4,  // QoS Table 1
            mhz: 1750,    // QoS Table 1: 7 GHz are data, four beats a clock; 4 channels of 64 bits (GTX 980) × 32 B a clock = 224 GB/s
            queue: 128,   // not given by the paper; as CCBP's
            banks: 16,    // GDDR5
            columns: 32,  // the 2 KB pages of two 32-bit GDDR5 devices
            latency: 145, // not given by the paper; makes an unloaded DRAM access 380 core cycles in all, as CCBP's
            // Not given by the paper: the nanoseconds of CCBP's at 1750 MHz. tCCD: a line's two bursts lie in one bank group, where GDDR5 wants three
            // clocks between them, not two: two thirds of the peak are sustained.
            timing: DramTiming {
                T: 4, // 128 B at 32 B a clock
                tCL: 23,
                WL: 8,
                tRP: 23,
                tRC: 76,
                tRAS: 53,
                tRCD: 23,
                tRRD: 11,
                tFAW: 0,
                tCCD: 6,
                tWR: 23,
                tWTR: 9,
                tRTW: 4,
                tRTP: 4,
                tREFI: 6826,
                tRFC: 114,
            },
            ..ccbp.dram
        },
    }
}

fn qos_56sm() -> Gpu {
    let small = qos_16sm();
    Gpu {
        name: "qos-56sm".to_string(),
        sms: vec![SmClass {
            count: 56,     // QoS §4.6
            schedulers: 2, // QoS §4.6
            ..small.sms[0].clone()
        }],
        ..small
    }
}

/// What is published leaves much open, above all inside the network and L2: it is taken from Accel-Sim's configuration of the A100
/// (gpgpu-sim_distribution, `SM80_A100`), or says that it is not stated. L2 is one cache with the mean latency of its near and its far half.
fn a100_40gb() -> Gpu {
    Gpu {
        name: "a100-40gb".to_string(),
        sms: vec![SmClass {
            name: "sm".to_string(),
            count: 108,                // A100 white paper
            ctas: 32,                  // CUDA C++ Programming Guide, compute capability 8.0
            threads: 2048,             // CUDA C++ Programming Guide, compute capability 8.0
            registers: 65_536,         // CUDA C++ Programming Guide, compute capability 8.0
            register_granularity: 256, // CUDA occupancy calculator
            // A100 white paper: 192 KB are L1D and shared memory; Ampere Tuning Guide: 100 KB is one of the splits, 164 KB the largest.
            shared_bytes: 100 * 1024,
            shared_banks: 32,   // CUDA C++ Programming Guide
            shared_latency: 28, // Accel-Sim
            schedulers: 4,      // A100 white paper
            gto_group: 0,
            alu_lanes: 16,        // A100 white paper: 64 FP32 lanes
            sfu_lanes: 4,         // CUDA C++ Programming Guide: 16 results a cycle
            loads_per_warp: 32,   // not stated
            lsu_queue: 8,         // not stated
            lsu_hol: LsuHol::Yes, // not stated; one pipe, as Accel-Sim has it
            l1: L1Config {
                protocol: L1Protocol::Uncoherent,
                bytes: 92 * 1024,           // what shared memory leaves of 192 KB
                ways: 16,                   // not stated; Accel-Sim has sets of 64 lines
                latency: 32,                // 33 cycles from issue to value: RRZE gpu-benches, pointer chase on an A100 at 1410 MHz
                mshrs: 512,                 // Accel-Sim
                merges: 32,                 // Accel-Sim: 64
                index: SetIndex::Modulo,    // not stated
                allocate: Allocate::OnMiss, // Accel-Sim
                miss_queue: 16,             // Accel-Sim
                arbiter_latency: 1,
                store_buffer: 16,                        // not in use
                store_release: StoreRelease::Unbuffered, // Accel-Sim
                forward_latency: 0,
                read_only: ReadOnlyLines::Kept,
            },
        }],
        core_mhz: 1410, // A100 white paper: boost clock
        noc: NocConfig {
            kind: NocKind::Crossbar, // not published
            mhz: 1410,               // Accel-Sim
            // Header and line take two cycles: 64 B a cycle of an L2 slice and of an SM, 5120 B a cycle in all slices (A100 white paper).
            flit_bytes: 128,
            queue: 8,    // not stated
            latency: 32, // not stated; part of the 300 cycles below
            arbiter: Arbiter::RoundRobin,
            store_flits: StoreFlits::Bytes, // hardware moves sectors of 32 B, not lines
            mesh: MeshConfig::default(),
        },
        l2: L2Config {
            banks: 80,              // A100 white paper: 80 slices
            bank_bytes: 512 * 1024, // A100 white paper
            ways: 16,               // Accel-Sim
            line_bytes: 128,        // CUDA C++ Programming Guide
            mshrs: 192,             // Accel-Sim
            merges: 4,              // Accel-Sim
            queue: 64,              // Accel-Sim
            // Makes an unloaded L2 hit 300 cycles, the mean of 205 and 400 in the near and the far half (RRZE gpu-benches).
            latency: 230,
            write_fill: WriteFill::FullLinesSkip, // hardware fetches no sector that a store writes whole
        },
        dram: DramConfig {
            kind: DramKind::Banked,
            channels: 40,          // A100 white paper: 5 stacks; 8 channels of 128 bits each (JESD235)
            mhz: 1215,             // 40 channels × 32 B a clock = 1555 GB/s (A100 white paper)
            queue: 64,             // Accel-Sim
            banks: 16,             // JESD235
            columns: 16,           // JESD235: a page of 2 KB
            map: DramMap::XorBank, // not published; hardware hashes addresses
            page: PagePolicy::Open,
            latency: 188, // makes an unloaded DRAM access 535 cycles in all (RRZE gpu-benches: 515 to 552)
            // HBM2 at 1000 MHz as DRAMsim3 has it (HBM2_8Gb_x128), the same nanoseconds at 1215 MHz.
            timing: DramTiming {
                T: 4, // 128 B at 32 B a clock
                tCL: 17,
                WL: 5,
                tRP: 17,
                tRC: 59,
                tRAS: 42,
                tRCD: 17,
                tRRD: 5,
                tFAW: 37,
                tCCD: 4, // two bursts of a line, in one bank group
                tWR: 20,
                tWTR: 10,
                tRTW: 3, // not stated
                tRTP: 8,
                tREFI: 4739,
                tRFC: 316,
            },
        },
    }
}

/// As [`a100_40gb`]; of L2 and the network of an H100 less is published.
fn h100_sxm5() -> Gpu {
    let a100 = a100_40gb();
    let sm = &a100.sms[0];
    Gpu {
        name: "h100-sxm5".to_string(),
        sms: vec![SmClass {
            count: 132,         // H100 white paper
            shared_latency: 29, // Accel-Sim, SM90_H100
            alu_lanes: 32,      // H100 white paper: 128 FP32 lanes
            l1: L1Config {
                bytes: 156 * 1024, // H100 white paper: 256 KB are L1D and shared memory
                latency: 31,       // 32 cycles from issue to value: RRZE gpu-benches, pointer chase on a GH200 at 1980 MHz
                ..sm.l1.clone()
            },
            ..sm.clone()
        }],
        core_mhz: 1980, // boost clock, at which the latencies were measured; the white paper's table has 1830
        noc: NocConfig {
            mhz: 1980, // not stated; the SMs' clock, as on the A100
            ..a100.noc.clone()
        },
        l2: L2Config {
            banks: 80,              // not published; one for each DRAM channel
            bank_bytes: 640 * 1024, // H100 white paper: 50 MB
            ways: 20,               // Accel-Sim, SM90_H100
            mshrs: 384,             // Accel-Sim, SM90_H100
            latency: 318,           // makes an unloaded L2 hit 390 cycles, the mean of 280 and 500 (RRZE gpu-benches, GH200)
            ..a100.l2.clone()
        },
        dram: DramConfig {
            channels: 80, // H100 white paper: 5 stacks; 16 channels of 64 bits each (JESD238)
            mhz: 2617,    // 80 channels × 16 B a clock = 3350 GB/s (H100 data sheet)
            latency: 197, // makes an unloaded DRAM access 650 cycles in all (RRZE gpu-benches, GH200: 615 to 689)
            // Timings of HBM3 are not published: the nanoseconds of HBM2 at 2617 MHz.
            timing: DramTiming {
                T: 8, // 128 B at 16 B a clock
                tCL: 37,
                WL: 11,
                tRP: 37,
                tRC: 126,
                tRAS: 89,
                tRCD: 37,
                tRRD: 11,
                tFAW: 79,
                tCCD: 8, // the bursts of a line, in one bank group
                tWR: 42,
                tWTR: 21,
                tRTW: 6, // not stated
                tRTP: 16,
                tREFI: 10_206,
                tRFC: 680,
            },
            ..a100.dram.clone()
        },
    }
}

/// The paper's Table 1 has the SMs, the sizes of L1D and L2, and 348 GB/s. What it leaves open is GPGPU-Sim's configuration of the same GPU
/// (gpgpu-sim_distribution 4.0, `SM75_RTX2060`), which the paper simulates; "GPGPU-Sim" below.
fn rtx2060_30sm() -> Gpu {
    Gpu {
        name: "rtx2060-30sm".to_string(),
        sms: vec![SmClass {
            name: "sm".to_string(),
            count: 30,                 // Table 1
            ctas: 32,                  // GPGPU-Sim; CONV's CTAs of one warp need 32 (Table 2)
            threads: 1024,             // GPGPU-Sim
            registers: 65_536,         // GPGPU-Sim
            register_granularity: 128, // GPGPU-Sim: multiples of 4 for each thread
            shared_bytes: 64 * 1024,   // GPGPU-Sim
            shared_banks: 32,          // GPGPU-Sim
            shared_latency: 30,        // GPGPU-Sim
            schedulers: 4,             // GPGPU-Sim
            gto_group: 0,
            alu_lanes: 32, // GPGPU-Sim: 16 integer and 16 floating-point lanes, each takes a warp instruction every second cycle
            sfu_lanes: 4,  // GPGPU-Sim: every eighth cycle
            loads_per_warp: 16, // not stated; more than any kernel here has between uses
            lsu_queue: 4,  // not stated; as CCBP's
            lsu_hol: LsuHol::Yes, // GPGPU-Sim: one pipe in order
            l1: L1Config {
                protocol: L1Protocol::Uncoherent,
                bytes: 64 * 1024,           // Table 1
                ways: 32,                   // GPGPU-Sim: one set of 512 lines of four sectors; here 64 sets of 32 sectors
                index: SetIndex::Xor,       // in place of the one set: rows a power of two apart do not meet
                latency: 20,                // GPGPU-Sim
                mshrs: 256,                 // GPGPU-Sim: one for each sector
                merges: 32,                 // GPGPU-Sim
                allocate: Allocate::OnFill, // GPGPU-Sim's streaming L1D: a miss never fails for want of a way
                miss_queue: 16,             // GPGPU-Sim
                arbiter_latency: 1,
                store_buffer: 16,                        // not in use
                store_release: StoreRelease::Unbuffered, // GPGPU-Sim
                forward_latency: 0,
                read_only: ReadOnlyLines::Kept,
            },
        }],
        core_mhz: 1365, // GPGPU-Sim
        noc: NocConfig {
            kind: NocKind::Crossbar,
            mhz: 1365,      // GPGPU-Sim
            flit_bytes: 40, // GPGPU-Sim: a sector and its header
            queue: 64,      // GPGPU-Sim has 512
            latency: 1,     // GPGPU-Sim: its local crossbar
            arbiter: Arbiter::RoundRobin,
            store_flits: StoreFlits::Line, // one flit either way
            mesh: MeshConfig::default(),
        },
        l2: L2Config {
            banks: 24,              // Table 1
            bank_bytes: 128 * 1024, // Table 1: 3 MB in all
            ways: 16,               // GPGPU-Sim
            line_bytes: 32,         // GPGPU-Sim: a sector is what misses, travels and is counted
            mshrs: 192,             // GPGPU-Sim
            merges: 4,              // GPGPU-Sim
            queue: 64,              // GPGPU-Sim
            // GPGPU-Sim: 160, its ROP latency; 100 more for what a miss takes there and not here (L1D's 20 cycles first, queues). With these VADD has the
            // bandwidth of Table 3 on 5 SMs, and MVT the time of Table 2 (docs/reference/kernels-latency.md).
            latency: 260,
            write_fill: WriteFill::FullLinesSkip, // GPGPU-Sim: a sector that is written whole is not fetched
        },
        dram: DramConfig {
            kind: DramKind::Banked,
            channels: 12, // GPGPU-Sim
            mhz: 3625,    // Table 1: 12 channels × 8 B a clock = 348 GB/s; GPGPU-Sim has 3500.5 MHz
            // GPGPU-Sim: 64, before which 64 wait of each L2 slice. 128 of them sustain the 330 GB/s that the paper measures (§5.1).
            queue: 128,
            banks: 16,                   // GPGPU-Sim
            columns: 64,                 // GPGPU-Sim: rows of 2 KB
            map: DramMap::RowBankColumn, // GPGPU-Sim, but for one bit of the bank among those of the column
            page: PagePolicy::Open,      // GPGPU-Sim
            latency: 100,                // GPGPU-Sim
            timing: DramTiming {
                T: 4,    // 32 B at 8 B a clock
                tCL: 24, // GPGPU-Sim, as all that follow
                WL: 8,
                tRP: 24,
                tRC: 78,
                tRAS: 55,
                tRCD: 24,
                tRRD: 12,
                tFAW: 0,
                tCCD: 4,
                tWR: 24,
                tWTR: 10, // its CDLR
                tRTW: 2,  // in its code
                tRTP: 4,  // its RTPL
                tREFI: 0, // GPGPU-Sim has no refresh
                tRFC: 0,
            },
        },
    }
}

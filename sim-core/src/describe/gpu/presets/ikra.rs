//! The GPU of the IKRA paper (Table 2 and §5 there; ACM TACO 17(3), 2020), in its two sizes. The paper simulates GPGPU-Sim 3.2.1 with GEMS and
//! Garnet; what it leaves open has its source beside it.

use super::super::mesh::MeshConfig;
use super::super::protocols::L1Protocol;
use super::super::{
    Allocate, Arbiter, DramConfig, DramKind, DramMap, DramTiming, Gpu, L1Config, L2Config, LsuHol, NocConfig, NocKind, PagePolicy,
    ReadOnlyLines, SetIndex, SmClass, StoreFlits, StoreRelease, WriteFill,
};
use alloc::string::ToString;
use alloc::vec;

pub(super) fn ikra_15cu() -> Gpu {
    Gpu {
        name: "ikra-15cu".to_string(),
        sms: vec![SmClass {
            name: "cu".to_string(),
            count: 15,                 // IKRA Table 2
            ctas: 8,                   // §5: GPGPU-Sim's default
            threads: 48 * 32,          // §5: GPGPU-Sim's default of 48 warps
            registers: 32_768,         // §4.4: registers and scratchpad are what 528 KB leave beside L1 and an L2 bank, 128 + 16 KB
            register_granularity: 128, // GPGPU-Sim 3.2: multiples of 4 for each thread, whole warps
            shared_bytes: 16 * 1024,   // §4.4, as above
            shared_banks: 32,          // GPGPU-Sim 3.2, GTX 480 configuration
            shared_latency: 18,        // not stated; as fermi-16sm
            schedulers: 2,             // not stated; GPGPU-Sim 3.2, GTX 480 configuration
            gto_group: 0,
            alu_lanes: 32,       // GPGPU-Sim 3.2, GTX 480 configuration: a unit of 32 lanes for each scheduler
            sfu_lanes: 4,        // GPGPU-Sim 3.2, GTX 480 configuration: a warp instruction every eighth cycle
            loads_per_warp: 8,   // not stated; as the other presets
            lsu_queue: 4,        // not stated; as the other presets
            lsu_hol: LsuHol::No, // one kernel at a time
            l1: L1Config {
                protocol: L1Protocol::DeNovo, // §5.1
                bytes: 128 * 1024,            // IKRA Table 2
                ways: 8,                      // IKRA Table 2
                latency: 1,                   // IKRA Table 2
                mshrs: 64,                    // IKRA Table 2
                merges: 8,                    // GPGPU-Sim 3.2, GTX 480 configuration
                index: SetIndex::Modulo,      // not stated; GEMS
                allocate: Allocate::OnFill,   // not stated
                miss_queue: 64,               // not stated; as many as there are MSHRs
                arbiter_latency: 1,
                store_buffer: 64,                  // IKRA Table 2
                store_release: StoreRelease::Sent, // a registration is awaited at the end of the launch
                forward_latency: 10, // makes an unloaded hit in another's L1D 35 core cycles and 8/3 for each hop (IKRA Table 2)
                read_only: ReadOnlyLines::Kept, // not stated; the paper's simulator has DeNovo's read-only regions (Sinclair et al., MICRO 2015)
            },
        }],
        core_mhz: 700, // IKRA Table 2
        noc: NocConfig {
            kind: NocKind::Mesh, // §5.1
            // GEMS and Garnet run in the clock of the CPU, 2 GHz. Three cycles of 2.1 GHz are one of a CU, and eight are the 8/3 of a hop below.
            mhz: 2100,
            // Not stated; Garnet's default is 16. With 8 F takes 0.64 of R's time in GPU-medium (IKRA §6.1: 0.69), with 16 0.79.
            flit_bytes: 8,
            queue: 8,   // not stated
            latency: 2, // not stated; part of the latencies below
            arbiter: Arbiter::RoundRobin,
            store_flits: StoreFlits::Bytes, // words are what its protocols write
            mesh: MeshConfig {
                width: 4,  // §5.2
                height: 4, // §5.2
                // Table 2's ranges are 29, 35 and 197 cycles and 8/3 of a cycle for each of 12, 18 and 24 hops: twice, three and four times the
                // 6 between opposite corners.
                hop: 8,
                buffer: 16,  // Garnet's default: four virtual channels of four flits; here there is one channel
                first_sm: 1, // §5.1: a CPU core or a CU at each node; the CPU at node 0 is not simulated
            },
        },
        l2: L2Config {
            banks: 16,                            // IKRA Table 2
            bank_bytes: 256 * 1024,               // IKRA Table 2: 4 MB
            ways: 16,                             // not stated
            line_bytes: 64,                       // not stated; GEMS
            mshrs: 64,                            // not stated; as L1D
            merges: 8,                            // not stated
            queue: 8,                             // not stated
            latency: 59,                          // makes an unloaded L2 hit 29 core cycles and 8/3 for each hop (IKRA Table 2)
            write_fill: WriteFill::FullLinesSkip, // not stated; nothing is left to fetch
        },
        dram: DramConfig {
            kind: DramKind::Banked,
            channels: 4, // not stated; one at each corner
            mhz: 700,    // not stated; the CUs' clock
            queue: 64,   // not stated
            banks: 16,   // of no effect: see the timing
            columns: 16, // of no effect
            map: DramMap::RowBankColumn,
            page: PagePolicy::Closed,
            latency: 159, // makes an unloaded access 197 core cycles and 8/3 for each hop (IKRA Table 2)
            // GEMS's memory as the paper's table shows it: one latency, whatever came before. So data follow their command at once: a read
            // after a write waits for the command's distance to its data. A line of 64 B every six cycles of each channel, 30 GB/s together, is
            // not stated: F takes 0.75 of R's time in GPU-large (0.77), with 45 GB/s 0.85. The Exynos 9820, to which §5.2 likens the system, has
            // four channels of 16 bits of LPDDR4X-3600, 28.8 GB/s (WikiChip).
            timing: DramTiming {
                T: 6,
                tCL: 1,
                WL: 1,
                tRP: 0,
                tRC: 0,
                tRAS: 0,
                tRCD: 0,
                tRRD: 0,
                tFAW: 0,
                tCCD: 0,
                tWR: 0,
                tWTR: 0,
                tRTW: 0,
                tRTP: 0,
                tREFI: 0,
                tRFC: 0,
            },
        },
    }
}

pub(super) fn ikra_micro_3cu() -> Gpu {
    let mut gpu = ikra_15cu();
    gpu.name = "ikra-micro-3cu".to_string();
    gpu.sms[0].count = 3; // IKRA Table 2
    gpu.sms[0].l1.bytes = 32 * 1024; // IKRA Table 2
    gpu.l2.bank_bytes = 16 * 1024; // IKRA Table 2: 256 KB in 16 banks
    gpu
}

//! What a GPU must satisfy beyond the range of each field, so that every machine that is built can run.

use super::occupancy::Divisions;
use super::{Allocate, Gpu, HEADER_BYTES, NocKind, SetIndex, StoreRelease};
use crate::describe::error::Problems;
use crate::describe::ids::MAX_PARTS;
use alloc::format;

/// Bytes that all banks of L2 may have together.
pub const MOST_L2: u64 = 256 << 20;

/// Adds every problem of `gpu` to `problems`; `path` is where the GPU stands in the input.
pub fn check(gpu: &Gpu, path: &str, problems: &mut Problems) {
    let at = |field: &str| format!("{path}.{field}");
    if gpu.sm_count() > MAX_PARTS {
        problems.add(at("sm.count"), gpu.sm_count(), format!("at most {MAX_PARTS} SMs in all classes"));
    }
    if gpu.sm_count() == 0 {
        problems.add(at("sm.count"), 0, "an SM at least");
    }
    for class in &gpu.sms {
        let sm = |field: &str| if gpu.sms.len() == 1 { at(&format!("sm.{field}")) } else { at(&format!("sm.{}.{field}", class.name)) };
        if class.threads % 32 != 0 {
            problems.add(sm("threads"), class.threads, "a multiple of 32");
        }
        if class.warps().div_ceil(class.schedulers) > 64 {
            problems.add(sm("threads"), class.threads, format!("at most {}: 64 warps for each scheduler", class.schedulers * 2048));
        }
        let warps = class.warps().div_ceil(class.schedulers);
        if class.gto_group > warps {
            problems.add(sm("gto_group"), class.gto_group, format!("at most {warps}, the warps of a scheduler, or 0 for no groups"));
        }
        if class.l1.bytes % (class.l1.ways * gpu.l2.line_bytes) != 0 {
            problems.add(sm("l1.bytes"), class.l1.bytes, format!("whole sets: a multiple of {}", class.l1.ways * gpu.l2.line_bytes));
        }
        let (set, divisions) = (class.l1.ways * gpu.l2.line_bytes, Divisions::of(class));
        let no_sets = |shared: &u32| class.l1.bytes.checked_sub(*shared).is_none_or(|left| left == 0 || left % set != 0);
        if let Some(shared) = divisions.sizes().find(no_sets) {
            problems.add(
                sm("l1.bytes"),
                class.l1.bytes,
                format!(
                    "the array that is both, of which {shared} of shared memory leave whole sets of {set} bytes; or \"none\" for sm.carve_outs"
                ),
            );
        }
        if divisions.any() && class.l1.protocol.is_by_word() {
            let wanted = format!("\"none\" where sm.l1.protocol is \"{}\", whose L1D keeps what is written", class.l1.protocol.name());
            problems.add(sm("carve_outs"), "sizes to choose from", wanted);
        }
        let sets = class.l1.bytes / (class.l1.ways * gpu.l2.line_bytes);
        if class.l1.index == SetIndex::Fermi && (gpu.l2.line_bytes != 128 || ![32, 64].contains(&sets)) {
            let found = format!("\"fermi\" with {sets} sets of lines of {} bytes", gpu.l2.line_bytes);
            problems.add(sm("l1.index"), found, "32 or 64 sets of lines of 128 bytes, or \"modulo\"");
        }
        if class.l1.protocol != gpu.sms[0].l1.protocol {
            problems.add(sm("l1.protocol"), class.l1.protocol.name(), "the same in every SM class: caches are coherent together");
        }
        if class.l1.protocol.is_by_word() {
            let protocol = class.l1.protocol.name();
            if class.l1.allocate != Allocate::OnFill {
                problems.add(
                    sm("l1.allocate"),
                    "on_miss",
                    format!("\"on_fill\" where sm.l1.protocol is \"{protocol}\", whose stores put lines in"),
                );
            }
            if class.l1.store_release != StoreRelease::Sent {
                problems.add(
                    sm("l1.store_release"),
                    class.l1.store_release.name(),
                    format!("\"sent\" where sm.l1.protocol is \"{protocol}\", whose stores wait in the store buffer"),
                );
            }
        }
        if class.shared_banks != gpu.sms[0].shared_banks {
            problems.add(sm("shared_banks"), class.shared_banks, "the same in every SM class");
        }
    }
    let owns = gpu.sms.iter().find(|class| class.l1.protocol.owns()).map(|class| class.l1.protocol.name());
    if let Some(protocol) = owns
        && gpu.noc.kind != NocKind::Mesh
    {
        let found = if gpu.noc.kind == NocKind::Ideal { "ideal" } else { "crossbar" };
        let wanted = format!("\"mesh\" where sm.l1.protocol is \"{protocol}\", a protocol without its network elsewhere");
        problems.add(at("noc.kind"), found, wanted);
    }
    let l2 = &gpu.l2;
    if !l2.bank_bytes.is_multiple_of(l2.ways * l2.line_bytes) {
        problems.add(at("l2.bank_bytes"), l2.bank_bytes, format!("whole sets: a multiple of {}", l2.ways * l2.line_bytes));
    }
    if u64::from(l2.banks) * u64::from(l2.bank_bytes) > MOST_L2 {
        problems.add(at("l2.bank_bytes"), l2.bank_bytes, "at most 256 MiB in all banks");
    }
    if !l2.line_bytes.is_power_of_two() {
        problems.add(at("l2.line_bytes"), l2.line_bytes, "32, 64 or 128");
    }
    if !l2.line_bytes.is_multiple_of(gpu.noc.flit_bytes) && gpu.line_flits() > 1 {
        let (line, both) = (l2.line_bytes, l2.line_bytes + HEADER_BYTES);
        problems.add(
            at("noc.flit_bytes"),
            gpu.noc.flit_bytes,
            format!("a divisor of the line of {line} bytes, or at least {both}, header and line"),
        );
    }
    let mesh = &gpu.noc.mesh;
    if gpu.noc.kind == NocKind::Mesh {
        if l2.banks > mesh.routers() {
            problems.add(at("l2.banks"), l2.banks, format!("at most {}: a bank for each router of the mesh", mesh.routers()));
        }
        if owns.is_some() && gpu.sm_count() + l2.banks > MAX_PARTS {
            let wanted = format!("at most {MAX_PARTS} banks and SMs together where L1Ds own words");
            problems.add(at("l2.banks"), format!("{}, and {} SMs", l2.banks, gpu.sm_count()), wanted);
        }
        if mesh.first_sm + gpu.sm_count() > mesh.routers() {
            let found = format!("{}, and {} SMs", mesh.first_sm, gpu.sm_count());
            problems.add(at("noc.first_sm"), found, format!("room for each SM at a router of its own: the mesh has {}", mesh.routers()));
        }
    }
    if !l2.banks.is_multiple_of(gpu.dram.channels) {
        problems.add(at("dram.channels"), gpu.dram.channels, format!("a divisor of the {} L2 banks", l2.banks));
    }
    let timing = &gpu.dram.timing;
    if timing.tREFI > 0 && timing.tREFI < 2 * timing.tRFC + timing.tRC + timing.tRP + 64 {
        problems.add(at("dram.timing.tREFI"), timing.tREFI, "0, or room for accesses between refreshes");
    }
    for (clock, mhz) in [("noc.mhz", gpu.noc.mhz), ("dram.mhz", gpu.dram.mhz)] {
        if mhz > 16 * gpu.core_mhz {
            problems.add(at(clock), mhz, "at most 16 times the core clock");
        }
    }
}

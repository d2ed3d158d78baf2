//! The registry of GPU fields: each is declared once, with its path, unit, range and meaning, and its place in Rust's structs.
//!
//! `sm.X` is X of every SM class; on a GPU with several classes, `sm.NAME.X` is X of one.

use super::carve_out::{CarveOutWait, CarveOuts};
use super::protocols::L1Protocol;
use super::{
    Allocate, Arbiter, BankIndex, DramKind, DramMap, DramOrder, Exit, Fp64Owner, Gpu, LaunchDrops, LsuHol, MeasureFrom, NocKind,
    PagePolicy, ReadOnlyLines, SetIndex, SmClass, StoreFlits, StoreRelease, WriteFill,
};
use crate::describe::error::Problems;
use crate::describe::record::{Absent, Datum, Field, More, Placed, Shape, each_of, rule};
use crate::describe::value::Value;
use crate::describe::warp_order::WarpOrder;
use alloc::format;
use alloc::string::String;

/// A field that holds what the preset holds if it is left out.
const fn field(name: &'static str, shape: Shape, unit: &'static str, doc: &'static str) -> Field {
    Field { name, shape, unit, absent: Absent::Words("the preset's"), doc }
}

macro_rules! whole {
    ($path:literal, $unit:literal, $min:literal..=$max:literal, $($place:ident).+, $doc:literal) => {
        Placed {
            field: field($path, Shape::Int { min: $min, max: $max }, $unit, $doc),
            get: |of| of.$($place).+,
            set: |of, n| of.$($place).+ = n,
        }
    };
}

macro_rules! choose {
    ($path:literal, [$($name:literal = $value:expr),+], $($place:ident).+, $doc:literal) => {
        Placed {
            field: field($path, Shape::Choice(&[$($name),+]), "", $doc),
            get: |of| [$($value),+].iter().position(|value| *value == of.$($place).+).unwrap_or(0) as u32,
            set: |of, n| of.$($place).+ = [$($value),+][n as usize],
        }
    };
}

/// Fields of each SM class.
pub const SM_FIELDS: &[Placed<SmClass, u32>] = &[
    whole!("count", "SMs", 0..=256, count, "SMs; 0 takes the class away, if there is another one"),
    whole!("ctas", "CTAs", 1..=64, ctas, "CTA slots of an SM"),
    whole!("threads", "threads", 32..=4096, threads, "Threads that an SM can hold, a multiple of 32"),
    whole!("registers", "registers", 1024..=1048576, registers, "32-bit registers of an SM"),
    whole!(
        "register_granularity",
        "registers",
        1..=1024,
        register_granularity,
        "A warp gets registers in multiples of this: 128, 4 for each thread, in the papers' simulator; 256 in hardware; 1 without granularity"
    ),
    whole!("shared_bytes", "bytes", 0..=1048576, shared_bytes, "Shared memory of an SM; the most of it, where sm.carve_outs names sizes"),
    whole!("shared_reserved", "bytes", 0..=16384, shared_reserved, "Shared memory that the driver takes for each CTA besides its own"),
    choose!(
        "carve_outs",
        [
            "none" = CarveOuts::None,
            "7.0" = CarveOuts::Cc70,
            "7.5" = CarveOuts::Cc75,
            "8.0" = CarveOuts::Cc80,
            "8.6" = CarveOuts::Cc86,
            "9.0" = CarveOuts::Cc90,
            "12.0" = CarveOuts::Cc120
        ],
        carve_outs,
        "Sizes of shared memory that a launch can carve out of L1D: those of this compute capability; none: L1D and shared memory are arrays of their own"
    ),
    choose!(
        "carve_out_wait",
        ["wanted" = CarveOutWait::Wanted, "needed" = CarveOutWait::Needed],
        carve_out_wait,
        "When a CTA waits for an SM without CTAs, which is then divided anew: while it has less shared memory than the launch wants, or than the CTA needs"
    ),
    whole!("shared_banks", "banks", 1..=64, shared_banks, "Shared-memory banks of one 4-byte word"),
    whole!("shared_latency", "cycles", 1..=31, shared_latency, "From a shared-memory access to its value, without conflicts"),
    whole!("schedulers", "schedulers", 1..=4, schedulers, "Warp schedulers of an SM"),
    whole!(
        "gto_group",
        "warps",
        0..=64,
        gto_group,
        "Under warp order gto, a scheduler looks at groups of so many of its warps, as gto-groups has it; 0: at all of them"
    ),
    whole!(
        "alu_lanes",
        "lanes",
        1..=32,
        alu_lanes,
        "Arithmetic lanes of a scheduler; 32 take a warp instruction every cycle, 16 every second"
    ),
    whole!("sfu_lanes", "lanes", 1..=32, sfu_lanes, "Special-function lanes of a scheduler; 4 take a warp instruction every eighth cycle"),
    whole!(
        "fp64_lanes",
        "lanes",
        0..=32,
        fp64_lanes,
        "Lanes of an FP64 unit; 16 take a warp instruction every second cycle, 2 every sixteenth; 0: the arithmetic lanes do FP64"
    ),
    choose!(
        "fp64_unit",
        ["scheduler" = Fp64Owner::Scheduler, "sm" = Fp64Owner::Sm],
        fp64_unit,
        "Whether each scheduler has an FP64 unit, or those of an SM share one"
    ),
    whole!(
        "int_lanes",
        "lanes",
        0..=32,
        int_lanes,
        "Lanes of a scheduler's unit for integers of recorded kernels; 16 take a warp instruction every second cycle; 0: the arithmetic lanes do them"
    ),
    whole!(
        "alu_latency",
        "cycles",
        1..=63,
        alu_latency,
        "From an arithmetic instruction of a recorded kernel to one that reads its result; described kernels say theirs"
    ),
    whole!("sfu_latency", "cycles", 1..=255, sfu_latency, "Likewise of special functions"),
    whole!("fp64_latency", "cycles", 1..=255, fp64_latency, "Likewise in double precision"),
    whole!("tensor_latency", "cycles", 1..=255, tensor_latency, "Likewise of a product of matrices of 16 × 8 × 8 numbers"),
    whole!(
        "tensor_interval",
        "cycles",
        0..=255,
        tensor_interval,
        "For which such a product takes the tensor unit of a scheduler; 0: the arithmetic lanes do it"
    ),
    whole!("loads_per_warp", "loads", 1..=64, loads_per_warp, "Loads that a warp can have in flight"),
    choose!(
        "exit",
        ["issued" = Exit::Issued, "stores_acknowledged" = Exit::StoresAcknowledged],
        exit,
        "When a warp is done, and a CTA's place is free: with its last instruction; or when its stores, too, are acknowledged, or taken by an L1D that keeps what is written"
    ),
    whole!(
        "memory_queue",
        "instructions",
        0..=16,
        memory_queue,
        "Memory instructions that a scheduler holds on their way to the load-store unit; 0: none, so that one of all schedulers issues a cycle"
    ),
    whole!(
        "lsu_queue",
        "instructions",
        1..=64,
        lsu_queue,
        "Memory instructions of each kernel that the load-store unit holds, those in the schedulers' queues included"
    ),
    whole!("lsu_pause", "cycles", 0..=8, lsu_pause, "Cycles for which the load-store unit pauses after a line"),
    choose!(
        "lsu_hol",
        ["no" = LsuHol::No, "yes" = LsuHol::Yes, "unless_split" = LsuHol::UnlessSplit],
        lsu_hol,
        "Whether a kernel's blocked access holds back other kernels' accesses; unless_split: not if it lacks room in its own virtual queue"
    ),
    Placed {
        field: field(
            "l1.protocol",
            Shape::Choice(L1Protocol::NAMES),
            "",
            "What L1D does with stores, and with lines that others may have written",
        ),
        get: |of| L1Protocol::ALL.iter().position(|&protocol| protocol == of.l1.protocol).unwrap_or(0) as u32,
        set: |of, n| of.l1.protocol = L1Protocol::ALL[n as usize],
    },
    whole!("l1.bytes", "bytes", 128..=1048576, l1.bytes, "L1 data cache of an SM, with the shared memory that is carved out of it"),
    whole!("l1.ways", "ways", 1..=32, l1.ways, "Ways of an L1D set"),
    whole!("l1.latency", "cycles", 1..=1000, l1.latency, "From a load's access to its value on an L1D hit"),
    whole!("l1.mshrs", "MSHRs", 1..=1024, l1.mshrs, "L1D misses that can be under way"),
    whole!("l1.merges", "reads", 1..=32, l1.merges, "Reads that one L1D MSHR can serve"),
    choose!(
        "l1.index",
        ["modulo" = SetIndex::Modulo, "fermi" = SetIndex::Fermi, "xor" = SetIndex::Xor],
        l1.index,
        "Which set of L1D a line goes to: its number modulo the sets; Fermi's hash of the address, for 32 or 64 sets of lines of 128 bytes; or all of its number's bits XORed"
    ),
    choose!(
        "l1.allocate",
        ["on_fill" = Allocate::OnFill, "on_miss" = Allocate::OnMiss],
        l1.allocate,
        "When an L1D miss takes a way of its set: when its line arrives, or at once, so that it fails while every way is reserved"
    ),
    whole!("l1.miss_queue", "requests", 8..=1024, l1.miss_queue, "Entries of the L1D miss queue, over all kernels"),
    whole!("l1.arbiter_latency", "cycles", 1..=16, l1.arbiter_latency, "From a grant by the miss queue's arbiter to the NoC"),
    whole!("l1.store_buffer", "stores", 1..=1024, l1.store_buffer, "Entries of the store buffer, over all kernels"),
    choose!(
        "l1.store_release",
        ["sent" = StoreRelease::Sent, "acknowledged" = StoreRelease::Acknowledged, "unbuffered" = StoreRelease::Unbuffered],
        l1.store_release,
        "When a store gives its entry back: when it has left for the NoC, or when L2 has acknowledged it; unbuffered: only the miss queue bounds stores"
    ),
    whole!(
        "l1.forward_latency",
        "NoC cycles",
        0..=1000,
        l1.forward_latency,
        "From a forward, in the cycle in which L1D takes it, to its answer's port, under l1.protocol denovo"
    ),
    choose!(
        "l1.read_only",
        ["kept" = ReadOnlyLines::Kept, "dropped" = ReadOnlyLines::Dropped],
        l1.read_only,
        "Whether lines of read-only arrays stay in L1D when a launch begins, under l1.protocol denovo"
    ),
    choose!(
        "l1.launch_drops",
        ["nothing" = LaunchDrops::Nothing, "own" = LaunchDrops::Own, "all" = LaunchDrops::All],
        l1.launch_drops,
        "Which lines of L1D the first CTA of a launch on an SM drops: none, its kernel's, or all; gpu and denovo have a rule of their own"
    ),
];

/// Fields of the whole GPU.
pub const GPU_FIELDS: &[Placed<Gpu, u32>] = &[
    choose!(
        "warp_order",
        ["lrr" = WarpOrder::Lrr, "gto" = WarpOrder::Gto, "gty" = WarpOrder::Gty, "lrr+gto" = WarpOrder::LrrGto],
        warp_order,
        "Order of warps in an experiment that names none: lrr, gto, gty or lrr+gto"
    ),
    choose!(
        "measure_from",
        ["start" = MeasureFrom::Start, "settled" = MeasureFrom::Settled],
        measure_from,
        "From where a run measures whose experiment has no warm_up: from its start, or from where L2 has filled"
    ),
    whole!("core_mhz", "MHz", 100..=5000, core_mhz, "SM clock"),
    choose!(
        "noc.kind",
        ["crossbar" = NocKind::Crossbar, "ideal" = NocKind::Ideal, "mesh" = NocKind::Mesh],
        noc.kind,
        "Two crossbars, the same latency with unlimited bandwidth, or two meshes of routers"
    ),
    whole!("noc.mhz", "MHz", 100..=5000, noc.mhz, "Clock of the NoC and L2"),
    whole!(
        "noc.flit_bytes",
        "bytes",
        8..=136,
        noc.flit_bytes,
        "Bytes of a flit, a divisor of the line; or at least 8 more than the line, which then shares a flit with its header"
    ),
    whole!("noc.queue", "packets", 1..=256, noc.queue, "Packets that wait at each input of the NoC"),
    whole!(
        "noc.latency",
        "NoC cycles",
        1..=100,
        noc.latency,
        "Through an idle crossbar, or to the first router of a mesh, beyond one cycle a flit"
    ),
    choose!(
        "noc.arbiter",
        ["round-robin" = Arbiter::RoundRobin, "random" = Arbiter::Random, "oldest" = Arbiter::Oldest],
        noc.arbiter,
        "Who wins an output of a crossbar or router"
    ),
    choose!(
        "noc.store_flits",
        ["line" = StoreFlits::Line, "bytes" = StoreFlits::Bytes],
        noc.store_flits,
        "What a store's packet carries behind its header: the whole line, or the bytes written in whole flits"
    ),
    whole!("noc.width", "routers", 1..=16, noc.mesh.width, "Routers of a row of the mesh; L2 bank i sits at router i"),
    whole!("noc.height", "rows", 1..=16, noc.mesh.height, "Rows of the mesh, whose corners have the DRAM channels in turn"),
    whole!("noc.hop", "NoC cycles", 1..=64, noc.mesh.hop, "From one router of the mesh to the next, with the router's own"),
    whole!("noc.buffer", "flits", 1..=256, noc.mesh.buffer, "Flits that a router's input holds, those on their way to it included"),
    whole!("noc.first_sm", "router", 0..=255, noc.mesh.first_sm, "Router of SM 0; the others follow"),
    whole!("l2.banks", "banks", 1..=256, l2.banks, "L2 banks"),
    choose!(
        "l2.bank_index",
        ["modulo" = BankIndex::Modulo, "hash" = BankIndex::Hash],
        l2.bank_index,
        "A line's L2 bank: its number modulo the banks, or that moved on by a hash of the rest, so that lines of any distance are in many banks"
    ),
    whole!("l2.bank_bytes", "bytes", 128..=16777216, l2.bank_bytes, "Capacity of an L2 bank"),
    whole!("l2.ways", "ways", 1..=32, l2.ways, "Ways of an L2 set"),
    whole!(
        "l2.line_bytes",
        "bytes",
        32..=128,
        l2.line_bytes,
        "Line of L1, L2 and DRAM accesses: 128, 64, or 32, the sectors that recent GPUs move"
    ),
    whole!("l2.mshrs", "MSHRs", 1..=1024, l2.mshrs, "Misses that an L2 bank can have under way"),
    whole!("l2.merges", "requests", 1..=32, l2.merges, "Requests that one L2 MSHR can serve"),
    whole!(
        "l2.queue",
        "requests",
        1..=256,
        l2.queue,
        "Requests that wait at an L2 bank, and lines that wait for its port beyond what passes its latency"
    ),
    whole!("l2.latency", "NoC cycles", 1..=500, l2.latency, "From an L2 lookup that hits to the reply's port"),
    choose!(
        "l2.write_fill",
        ["fetch" = WriteFill::Fetch, "full_lines_skip" = WriteFill::FullLinesSkip],
        l2.write_fill,
        "Whether every store that misses L2 fetches its line from DRAM, or only one that does not write all of it"
    ),
    choose!(
        "dram.kind",
        ["banked" = DramKind::Banked, "ideal" = DramKind::Ideal],
        dram.kind,
        "Banks, rows and all timings, or the latency of a closed bank with unlimited bandwidth"
    ),
    whole!("dram.channels", "channels", 1..=256, dram.channels, "DRAM channels, a divisor of the L2 banks"),
    whole!("dram.mhz", "MHz", 100..=5000, dram.mhz, "DRAM command clock"),
    whole!("dram.queue", "transactions", 4..=512, dram.queue, "Entries of a channel's transaction queue"),
    whole!("dram.banks", "banks", 1..=32, dram.banks, "Banks of a channel"),
    whole!("dram.columns", "lines", 1..=1024, dram.columns, "Lines of a row"),
    choose!(
        "dram.map",
        ["row:bank:column" = DramMap::RowBankColumn, "row:column:bank" = DramMap::RowColumnBank, "hash" = DramMap::HashedBank],
        dram.map,
        "How a channel's line number becomes row, bank and column"
    ),
    choose!("dram.page", ["open" = PagePolicy::Open, "closed" = PagePolicy::Closed], dram.page, "When a row is closed"),
    choose!(
        "dram.order",
        ["reads_first" = DramOrder::ReadsFirst, "one_queue" = DramOrder::OneQueue],
        dram.order,
        "Reads before writes, which are drained in batches; or one queue for both, row hits first, then the oldest. Ranks of kernels come before either"
    ),
    whole!("dram.latency", "cycles", 1..=1000, dram.latency, "Controller and PHY on the way back to L2, beyond the timings"),
    whole!("dram.timing.T", "clocks", 1..=64, dram.timing.T, "Clocks that a line occupies the data bus"),
    whole!("dram.timing.tCL", "clocks", 1..=200, dram.timing.tCL, "Read command to first data"),
    whole!("dram.timing.WL", "clocks", 1..=200, dram.timing.WL, "Write command to first data"),
    whole!("dram.timing.tRP", "clocks", 0..=200, dram.timing.tRP, "Precharge to activate"),
    whole!("dram.timing.tRC", "clocks", 0..=400, dram.timing.tRC, "Activate to activate, same bank"),
    whole!("dram.timing.tRAS", "clocks", 0..=200, dram.timing.tRAS, "Activate to precharge"),
    whole!("dram.timing.tRCD", "clocks", 0..=200, dram.timing.tRCD, "Activate to column command"),
    whole!("dram.timing.tRRD", "clocks", 0..=200, dram.timing.tRRD, "Activate to activate, other bank"),
    whole!("dram.timing.tFAW", "clocks", 0..=400, dram.timing.tFAW, "Span of any five activates, at least; 0: off"),
    whole!("dram.timing.tCCD", "clocks", 0..=200, dram.timing.tCCD, "Column command to column command"),
    whole!("dram.timing.tWR", "clocks", 0..=200, dram.timing.tWR, "End of write data to precharge"),
    whole!("dram.timing.tWTR", "clocks", 0..=200, dram.timing.tWTR, "End of write data to read command"),
    whole!("dram.timing.tRTW", "clocks", 0..=200, dram.timing.tRTW, "Idle clocks of the data bus from a read to a write"),
    whole!("dram.timing.tRTP", "clocks", 0..=200, dram.timing.tRTP, "Read command to precharge"),
    whole!("dram.timing.tREFI", "clocks", 0..=100000, dram.timing.tREFI, "Refresh interval; 0: no refresh"),
    whole!("dram.timing.tRFC", "clocks", 0..=2000, dram.timing.tRFC, "Refresh duration"),
];

static OF_SM: [Field; SM_FIELDS.len()] = each_of!(SM_FIELDS, Placed::field);
static OF_GPU: [Field; GPU_FIELDS.len()] = each_of!(GPU_FIELDS, Placed::field);

rule! {
    /// `sm.NAME.X` is of a class of the preset, or of one whose sm.NAME.count is given; a GPU has at most 8.
    pub CLASS = "class";

    /// The parts of a GPU fit each other. Caches have whole sets, L1D beside each size of shared memory that can be carved out of it.
    /// SMs have whole warps and at most 64 a scheduler; DRAM channels divide the L2 banks, and flits the line. A mesh has a router for each SM and bank. All SMs have one L1D protocol, with the network that it needs.
    /// Refreshes leave time between them.
    pub FITS_ITSELF = "fits_itself";
}

/// The fields of a GPU by their keys.
pub static CHANGES: More = More {
    find: |key| match named(key)? {
        Named::OfGpu(i) => OF_GPU.get(i),
        Named::OfSm(_, i) => OF_SM.get(i),
    },
    patterns: || {
        let escaped = |name: &str| name.replace('.', "\\.");
        let of_sm = OF_SM.iter().map(|field| {
            (format!("^sm\\.([A-Za-z0-9_-]{{1,{LONGEST_CLASS}}}\\.)?{}$", escaped(field.name)), format!("sm.{}", field.name), field)
        });
        of_sm.chain(OF_GPU.iter().map(|field| (format!("^{}$", escaped(field.name)), field.name.into(), field))).collect()
    },
    want: |key| format!("a GPU field such as {}", nearest(key)),
};

fn is_class_name(name: &str) -> bool {
    (1..=LONGEST_CLASS).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// A field by its place in its registry; of an SM class, with the class if it is of one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Named<'k> {
    /// Of the whole GPU.
    OfGpu(usize),
    /// Of SM classes.
    OfSm(Option<&'k str>, usize),
}

/// The field that a key names, if it names one.
pub(super) fn named(key: &str) -> Option<Named<'_>> {
    let Some(rest) = key.strip_prefix("sm.") else {
        return OF_GPU.iter().position(|field| field.name == key).map(Named::OfGpu);
    };
    let of_sm = |class, name| Some(Named::OfSm(class, OF_SM.iter().position(|field| field.name == name)?));
    let of_class = |(class, name)| if is_class_name(class) { of_sm(Some(class), name) } else { None };
    of_sm(None, rest).or_else(|| rest.split_once('.').and_then(of_class))
}

impl<T> Placed<T, u32> {
    /// The field's value in `of`.
    pub fn value(&self, of: &T) -> Value {
        let n = (self.get)(of);
        if let Shape::Choice(names) = self.field.shape { names[n as usize].into() } else { n.into() }
    }

    /// Sets the field in `of` from a value of its shape.
    fn put(&self, of: &mut T, value: &Value) {
        let place = |names: &[&str]| names.iter().position(|name| value.as_str() == Some(name)).unwrap_or(0) as u32;
        (self.set)(of, if let Shape::Choice(names) = self.field.shape { place(names) } else { u32::read(value) });
    }
}

/// Sets fields of `gpu`, each from its path in the input, its key and its value.
pub(super) fn change(gpu: &mut Gpu, changes: &[(String, &str, &Value)], problems: &mut Problems) {
    add_classes(gpu, changes.iter().map(|(_, key, _)| *key));
    for (path, key, value) in changes {
        problems.by(&CLASS, |problems| set(gpu, key, value, path, problems));
    }
    drop_classes(gpu);
}

/// Adds the SM classes whose `sm.NAME.count` is among `keys` and that `gpu` does not have: each begins as a copy of the first class. A GPU
/// that has no class by then gets `sm`.
fn add_classes<'a>(gpu: &mut Gpu, keys: impl Iterator<Item = &'a str>) {
    for name in keys.filter_map(|key| key.strip_prefix("sm.")?.strip_suffix(".count")) {
        if name != "l1" && is_class_name(name) && gpu.sms.len() < MOST_CLASSES && gpu.sms.iter().all(|class| class.name != name) {
            gpu.sms.push(SmClass { name: name.into(), ..gpu.sms.first().cloned().unwrap_or_default() });
        }
    }
    if gpu.sms.is_empty() {
        gpu.sms.push(SmClass { name: "sm".into(), ..SmClass::default() });
    }
}

/// SM classes of a GPU, at most, and the longest name of one.
const MOST_CLASSES: usize = 8;
const LONGEST_CLASS: usize = 40;

/// Sets the field named by `key` on `gpu`.
pub fn set(gpu: &mut Gpu, key: &str, value: &Value, path: &str, problems: &mut Problems) {
    if (CHANGES.find)(key).is_some_and(|field| !field.shape.check(value, path, problems)) {
        return;
    }
    match named(key) {
        Some(Named::OfGpu(i)) => return GPU_FIELDS[i].put(gpu, value),
        Some(Named::OfSm(None, i)) => return gpu.sms.iter_mut().for_each(|class| SM_FIELDS[i].put(class, value)),
        Some(Named::OfSm(Some(name), i)) => {
            if let Some(class) = gpu.sms.iter_mut().find(|class| class.name == name) {
                return SM_FIELDS[i].put(class, value);
            }
        }
        None => {}
    }
    problems.add(path, format!("an unknown field ({})", value.describe()), format!("a GPU field such as {}", nearest(key)));
}

/// The field whose path shares the longest start or end with `key`.
fn nearest(key: &str) -> String {
    let paths = OF_GPU.iter().map(|field| field.name.into()).chain(OF_SM.iter().map(|field| format!("sm.{}", field.name)));
    let alike = |path: &String| {
        let start = path.bytes().zip(key.bytes()).take_while(|(a, b)| a == b).count();
        let end = path.bytes().rev().zip(key.bytes().rev()).take_while(|(a, b)| a == b).count();
        start.max(end)
    };
    paths.max_by_key(alike).unwrap_or_default()
}

/// Takes the classes without SMs away, but for a GPU that has no others.
fn drop_classes(gpu: &mut Gpu) {
    if gpu.sm_count() > 0 {
        gpu.sms.retain(|class| class.count > 0);
    }
}

//! The hardware that is simulated, as data: SM classes, caches, crossbars, DRAM, clocks. All figures are whole numbers with the unit in
//! the name. Presets are in `presets`, each figure with its source.

pub mod carve_out;
pub mod change;
pub mod fields;
pub mod mesh;
pub mod occupancy;
pub mod presets;
pub mod protocols;
pub mod validate;
pub mod vendor;

use self::carve_out::{CarveOutWait, CarveOuts};
use self::mesh::MeshConfig;
use self::protocols::L1Protocol;
use crate::describe::rng;
use crate::describe::warp_order::WarpOrder;
use alloc::string::String;
use alloc::vec::Vec;

/// Bytes of a packet's header where it shares a flit with a line (GPGPU-Sim: control packets of 8 bytes).
pub const HEADER_BYTES: u32 = 8;

/// One GPU. The default has no SMs: it is for who sets every field.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Gpu {
    /// Name of the preset it was made from.
    pub name: String,
    /// SM classes; SMs are numbered through the classes in order. Homogeneous GPUs have one.
    pub sms: Vec<SmClass>,
    /// Order of warps in experiments that name none.
    pub warp_order: WarpOrder,
    /// From where runs measure in experiments that say nothing of it.
    pub measure_from: MeasureFrom,
    /// SM clock, MHz. All cycles are cycles of this clock unless a name says otherwise.
    pub core_mhz: u32,
    /// Crossbars and L2.
    pub noc: NocConfig,
    /// L2 banks.
    pub l2: L2Config,
    /// DRAM channels.
    pub dram: DramConfig,
}

/// From where a run measures whose experiment says nothing of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MeasureFrom {
    /// From its beginning, with empty caches.
    #[default]
    Start,
    /// From where L2 has filled, as far as the kernels fill it.
    Settled,
}

/// A class of equal SMs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SmClass {
    /// Name, such as `sm`, `big`, `small`.
    pub name: String,
    /// SMs of this class.
    pub count: u32,
    /// CTA slots.
    pub ctas: u32,
    /// Threads that can be resident; warp slots are this over 32.
    pub threads: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// A warp gets registers in multiples of this many: 128, 4 for each thread, in GPGPU-Sim; 256 in hardware; 1 without granularity.
    pub register_granularity: u32,
    /// Shared memory, bytes; where it is carved out of L1D, the most that it can be.
    pub shared_bytes: u32,
    /// Shared memory that the driver takes for each CTA, bytes.
    pub shared_reserved: u32,
    /// The sizes of shared memory that can be carved out of L1D.
    pub carve_outs: CarveOuts,
    /// When a CTA may join others whose division is another one.
    pub carve_out_wait: CarveOutWait,
    /// Shared-memory banks, one 4-byte word wide each.
    pub shared_banks: u32,
    /// Cycles from a shared-memory access to its value, without conflicts.
    pub shared_latency: u32,
    /// Warp schedulers, 1 to 4.
    pub schedulers: u32,
    /// Warps of a scheduler that warp order `gto` looks at together, as `gto-groups` has it; 0: all.
    pub gto_group: u32,
    /// Lanes of each scheduler's arithmetic unit: a warp instruction takes it for 32 over this many cycles, rounded up.
    pub alu_lanes: u32,
    /// Lanes of each scheduler's special-function unit: a warp instruction takes it for 32 over this many cycles, rounded up.
    pub sfu_lanes: u32,
    /// Lanes of an FP64 unit: a warp instruction takes it for 32 over this many cycles, rounded up. 0: there is none, the arithmetic unit does FP64.
    pub fp64_lanes: u32,
    /// Whose the FP64 units are.
    pub fp64_unit: Fp64Owner,
    /// Lanes of each scheduler's unit for integers, of recorded kernels: a warp instruction takes it for 32 over this many cycles, rounded up. 0: there is
    /// none, the arithmetic unit does them.
    pub int_lanes: u32,
    /// Cycles from an arithmetic instruction of a recorded kernel to one that reads its result. Described kernels say theirs.
    pub alu_latency: u32,
    /// Likewise of special functions.
    pub sfu_latency: u32,
    /// Likewise in double precision.
    pub fp64_latency: u32,
    /// Likewise of a matrix product.
    pub tensor_latency: u32,
    /// Cycles for which a product of 16 × 8 × 8 numbers takes a scheduler's tensor unit. 0: there is none, the arithmetic unit does it.
    pub tensor_interval: u32,
    /// Loads that one warp can have in flight.
    pub loads_per_warp: u32,
    /// When a warp is done, and with its last warp a CTA's place free.
    pub exit: Exit,
    /// Memory instructions that a scheduler holds on their way to the LSU. 0: none, and one of all schedulers issues a cycle.
    pub memory_queue: u32,
    /// Memory instructions of each kernel that the LSU holds, those in the schedulers' queues included.
    pub lsu_queue: u32,
    /// Cycles for which the LSU pauses after a line.
    pub lsu_pause: u32,
    /// Whether a kernel's blocked access holds back the accesses of other kernels behind it.
    pub lsu_hol: LsuHol,
    /// L1 data cache.
    pub l1: L1Config,
}

/// Whose an FP64 unit is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Fp64Owner {
    /// Each scheduler has one.
    #[default]
    Scheduler,
    /// The schedulers of an SM share one.
    Sm,
}

/// When a warp is done, and with its last warp a CTA's place free.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Exit {
    /// When it has issued its last instruction and its loads are back.
    #[default]
    Issued,
    /// When, besides, L2 has acknowledged its stores, as in GPGPU-Sim. Where L1D keeps what is written, L1D has taken them.
    StoresAcknowledged,
}

/// Head-of-line blocking in the LSU: whether a kernel's blocked access holds back the accesses of other kernels behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LsuHol {
    /// No: it is parked and tried again.
    #[default]
    No,
    /// Yes: one pipe, in order over all kernels.
    Yes,
    /// Yes, but for one that lacks what is split by kernel: a place in its virtual queue, or an entry of its part of the store buffer.
    UnlessSplit,
}

/// L1 data cache of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct L1Config {
    /// What it does with stores, and with lines that other SMs may have written.
    pub protocol: L1Protocol,
    /// Capacity, bytes; where shared memory is carved out of it, with that.
    pub bytes: u32,
    /// Ways of a set; sets are `bytes / (ways × line)` and need not be a power of two.
    pub ways: u32,
    /// Cycles from a load's access to its value on a hit.
    pub latency: u32,
    /// Misses that can be under way.
    pub mshrs: u32,
    /// Reads that one MSHR can serve.
    pub merges: u32,
    /// Which set a line goes to.
    pub index: SetIndex,
    /// When a miss takes a way of its set.
    pub allocate: Allocate,
    /// Entries of the miss queue, over all kernels.
    pub miss_queue: u32,
    /// Cycles from a grant by the miss queue's arbiter to the request's entry into the NoC (CCBP: 1).
    pub arbiter_latency: u32,
    /// Entries of the store buffer, where there is one.
    pub store_buffer: u32,
    /// When a store gives its entry back, or that there is no store buffer.
    pub store_release: StoreRelease,
    /// NoC cycles from a forward, in the cycle in which L1D takes it, to its answer's port, where L1Ds own words.
    pub forward_latency: u32,
    /// What a launch's beginning does to lines of arrays that are read only, where L1Ds own words.
    pub read_only: ReadOnlyLines,
    /// Which lines a launch's first CTA on an SM drops, where L1Ds are not coherent by word.
    pub launch_drops: LaunchDrops,
}

/// Which lines of L1D the first CTA of a launch on an SM drops. Protocols that are coherent by word have a rule of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LaunchDrops {
    /// None: a launch finds what was there before.
    #[default]
    Nothing,
    /// Those that its own kernel has filled.
    Own,
    /// All, those of other kernels too.
    All,
}

/// Whether lines of arrays that are read only stay in L1D when a launch begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ReadOnlyLines {
    /// They stay: nobody writes them.
    #[default]
    Kept,
    /// They are dropped like others.
    Dropped,
}

/// Which set of a cache a line goes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SetIndex {
    /// Its number modulo the sets.
    #[default]
    Modulo,
    /// Fermi's, as Nugteren et al. measured it (HPCA 2014, §4): bits 7 to 11 of the address, each XOR one of bits 13, 14, 15, 17 and 19.
    /// Of 64 sets, bit 12 is the sixth bit. For 32 or 64 sets of lines of 128 bytes.
    Fermi,
    /// That of its number XORed with what the modulo leaves out of it, twice: lines a power of two apart are in different sets.
    Xor,
}

impl SetIndex {
    /// The set of a line among `sets`.
    #[inline]
    pub fn set(self, line: u32, sets: u32) -> u32 {
        match self {
            SetIndex::Modulo => line % sets,
            // Address bits 7 to 12 are bits 0 to 5 of the line's number, 13 to 15 are 6 to 8, 17 is 10 and 19 is 12.
            SetIndex::Fermi => (line ^ (line >> 6 & 0b111) ^ (line >> 7 & 0b1000) ^ (line >> 8 & 0b1_0000)) & (sets - 1),
            SetIndex::Xor => {
                let above = line / sets;
                (line ^ above ^ (above / sets)) % sets
            }
        }
    }
}

/// When a miss takes a way of its set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Allocate {
    /// When the line arrives.
    #[default]
    OnFill,
    /// At once: the way is reserved, and a miss that finds every way of its set reserved fails.
    OnMiss,
}

/// When a store gives its entry of the store buffer back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum StoreRelease {
    /// When it has left for the NoC.
    #[default]
    Sent,
    /// When L2 has acknowledged it.
    Acknowledged,
    /// There is no store buffer: a store needs a place in the miss queue and nothing else, as in GPGPU-Sim 3.2.2.
    Unbuffered,
}

impl StoreRelease {
    /// Its name in experiments.
    pub fn name(self) -> &'static str {
        ["sent", "acknowledged", "unbuffered"][self as usize]
    }
}

/// The two networks, requests SM → L2 and replies L2 → SM, with L2 in the same clock.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct NocConfig {
    /// Crossbar, ideal or mesh.
    pub kind: NocKind,
    /// Clock of the networks and L2, MHz.
    pub mhz: u32,
    /// Bytes of a flit; a header takes one flit, a line `line_bytes / flit_bytes` more, unless one flit has room for both.
    pub flit_bytes: u32,
    /// Packets that wait at each input.
    pub queue: u32,
    /// NoC cycles through an idle crossbar for the head flit, or to the first router of a mesh, beyond one cycle for each flit.
    pub latency: u32,
    /// Which input wins an output.
    pub arbiter: Arbiter,
    /// What a store's packet carries.
    pub store_flits: StoreFlits,
    /// The mesh, where it is one.
    pub mesh: MeshConfig,
}

/// What a store's packet carries behind its header flit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum StoreFlits {
    /// The whole line, whatever its lanes write of it.
    #[default]
    Line,
    /// The bytes that its lanes write, in whole flits.
    Bytes,
}

/// Kinds of NoC.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum NocKind {
    /// A FIFO at each input, a packet holds its output from head to tail.
    #[default]
    Crossbar,
    /// The latency of a crossbar, and unlimited bandwidth.
    Ideal,
    /// Routers in rows and columns, with links between neighbours.
    Mesh,
}

/// How an output chooses among the inputs that request it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Arbiter {
    /// Next input after the last winner.
    #[default]
    RoundRobin,
    /// A draw keyed by cycle and output.
    Random,
    /// The packet whose memory access is the oldest, counted from its entry into the miss queue.
    Oldest,
}

/// L2 cache: banks, write-back, write-allocate.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct L2Config {
    /// Banks.
    pub banks: u32,
    /// Which bank a line goes to.
    pub bank_index: BankIndex,
    /// Capacity of each bank, bytes.
    pub bank_bytes: u32,
    /// Ways of a set.
    pub ways: u32,
    /// Line of L1, L2 and DRAM accesses, bytes.
    pub line_bytes: u32,
    /// Misses that each bank can have under way.
    pub mshrs: u32,
    /// Requests that one MSHR can serve.
    pub merges: u32,
    /// Requests that wait at each bank, and lines that wait for its port beyond what passes its latency.
    pub queue: u32,
    /// NoC cycles from a lookup that hits to the reply's entry into its port.
    pub latency: u32,
    /// Which stores fetch their line when it is not there.
    pub write_fill: WriteFill,
}

/// Which bank of L2 a line goes to, of as many as its kernel's lines are spread over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BankIndex {
    /// Its number modulo the banks.
    #[default]
    Modulo,
    /// That, moved on by a hash of its number divided by the banks: lines at any distance from each other are in nearly all banks. Which hash
    /// hardware has is not published.
    Hash,
}

impl BankIndex {
    /// The bank of a line among `banks`: of consecutive lines as many as there are banks are in one each.
    #[inline]
    pub fn bank(self, line: u32, banks: u32) -> u32 {
        match self {
            BankIndex::Modulo if banks.is_power_of_two() => line & (banks - 1),
            BankIndex::Modulo => line % banks,
            BankIndex::Hash => {
                let bank = line % banks + rng::below((line / banks).into(), banks.into()) as u32;
                if bank < banks { bank } else { bank - banks }
            }
        }
    }
}

/// Which stores that miss L2 fetch their line from DRAM before they write it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WriteFill {
    /// Every store.
    #[default]
    Fetch,
    /// Stores of a part of the line; one of the whole line takes its place without a fetch.
    FullLinesSkip,
}

/// DRAM channels: a line goes to that of its L2 bank.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DramConfig {
    /// Banked or ideal.
    pub kind: DramKind,
    /// Channels; a divisor of the number of L2 banks.
    pub channels: u32,
    /// Command clock, MHz.
    pub mhz: u32,
    /// Entries of each channel's transaction queue.
    pub queue: u32,
    /// Banks of each channel.
    pub banks: u32,
    /// Lines of a row.
    pub columns: u32,
    /// How a channel's line number becomes row, bank and column.
    pub map: DramMap,
    /// What happens to a row after an access.
    pub page: PagePolicy,
    /// Whether reads go before writes.
    pub order: DramOrder,
    /// Fixed core cycles on the way from L2 to DRAM and back, together, beyond the timings: controller and PHY.
    pub latency: u32,
    /// Timings, command clocks.
    pub timing: DramTiming,
}

/// Kinds of DRAM.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DramKind {
    /// Banks, rows and all timing rows.
    #[default]
    Banked,
    /// The latency of a closed bank, unlimited bandwidth.
    Ideal,
}

/// Address maps of a channel, most significant part first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DramMap {
    /// Row, bank, column: consecutive lines fill a row, then move to the next bank.
    #[default]
    RowBankColumn,
    /// Row, column, bank: consecutive lines go to consecutive banks.
    RowColumnBank,
    /// Row, bank, column with the bank moved on by a hash of all of the row's bits: rows any distance apart are in different banks.
    HashedBank,
}

impl DramMap {
    /// Row and bank of a channel's line, of rows of `columns` lines.
    #[inline]
    pub fn place(self, line: u32, columns: u32, banks: u32) -> (u32, u32) {
        let rows = line / columns;
        match self {
            DramMap::RowBankColumn => (rows / banks, rows % banks),
            DramMap::RowColumnBank => (line / banks / columns, line % banks),
            DramMap::HashedBank => (rows / banks, (rows % banks + folded(rows / banks, banks)) % banks),
        }
    }
}

/// All bits of a row's number, in groups as long as a bank's number, XORed: of rows a power of two apart, as many as there are banks differ. Rows of
/// one number are in all banks, whatever it is.
fn folded(row: u32, banks: u32) -> u32 {
    let bits = banks.next_power_of_two().trailing_zeros().max(1);
    let groups = core::iter::successors(Some(row), |rest| Some(rest >> bits)).take_while(|&rest| rest != 0);
    groups.fold(0, |folded, group| folded ^ group) & ((1 << bits) - 1)
}

/// When a row is closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PagePolicy {
    /// When another row is wanted.
    #[default]
    Open,
    /// After an access, unless the queue holds another for it.
    Closed,
}

/// The order in which a channel serves its transaction queue. A policy's ranks come first; row hits before misses, then the oldest, come last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DramOrder {
    /// Reads before writes, which are drained in batches: hardware.
    #[default]
    ReadsFirst,
    /// Reads and writes alike: FR-FCFS of GPGPU-Sim 3.x.
    OneQueue,
}

/// DRAM timings in command clocks. Names as in JEDEC data sheets; 0 switches a constraint off.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[allow(non_snake_case)]
pub struct DramTiming {
    /// Clocks that a line occupies the data bus.
    pub T: u32,
    /// Read command to first data.
    pub tCL: u32,
    /// Write command to first data.
    pub WL: u32,
    /// Precharge to activate, same bank.
    pub tRP: u32,
    /// Activate to activate, same bank.
    pub tRC: u32,
    /// Activate to precharge, same bank.
    pub tRAS: u32,
    /// Activate to column command, same bank.
    pub tRCD: u32,
    /// Activate to activate, other bank.
    pub tRRD: u32,
    /// Any five activates span at least this (0: off).
    pub tFAW: u32,
    /// Column command to column command.
    pub tCCD: u32,
    /// End of write data to precharge, same bank.
    pub tWR: u32,
    /// End of write data to read command.
    pub tWTR: u32,
    /// Idle clocks of the data bus between read data and write data, on top of what tCL, T and WL give.
    pub tRTW: u32,
    /// Read command to precharge, same bank.
    pub tRTP: u32,
    /// Refresh interval, all banks (0: no refresh).
    pub tREFI: u32,
    /// Refresh duration.
    pub tRFC: u32,
}

impl Gpu {
    /// SMs of all classes.
    pub fn sm_count(&self) -> u32 {
        self.sms.iter().map(|class| class.count).sum()
    }

    /// The class of an SM.
    pub fn class_of(&self, sm: u32) -> &SmClass {
        let mut first = 0;
        for class in &self.sms {
            first += class.count;
            if sm < first {
                return class;
            }
        }
        &self.sms[self.sms.len() - 1]
    }

    /// As many SMs as there are, all alike, with the room for threads that all of them have together. A GPU with several classes, where
    /// each class takes from the others what it has, is area-neutral to this one. Shared memory is in whole KB. What is no room for
    /// threads is as in the smallest SM.
    pub fn uniform(&self) -> Gpu {
        let sms = self.sm_count();
        let mean = |of: fn(&SmClass) -> u32, unit: u32| {
            let sum: u64 = self.sms.iter().map(|class| u64::from(of(class)) * u64::from(class.count)).sum();
            ((sum + u64::from(sms * unit) / 2) / u64::from(sms * unit)) as u32 * unit
        };
        let least = self.sms.iter().min_by_key(|class| class.room()).unwrap_or(&self.sms[0]);
        let class = SmClass {
            name: "uniform".into(),
            count: sms,
            ctas: mean(|class| class.ctas, 1),
            threads: mean(|class| class.threads, crate::describe::kernel::WARP_SIZE),
            registers: mean(|class| class.registers, 1),
            shared_bytes: mean(|class| class.shared_bytes, 1024),
            ..least.clone()
        };
        Gpu { sms: alloc::vec![class], ..self.clone() }
    }

    /// The numbers of the SMs of each class.
    pub fn class_sms(&self) -> Vec<core::ops::Range<u32>> {
        let mut first = 0;
        let of_class = |class: &SmClass| {
            first += class.count;
            first - class.count..first
        };
        self.sms.iter().map(of_class).collect()
    }

    /// Whether L1Ds own the words that they have written.
    pub fn owns(&self) -> bool {
        self.sms[0].l1.protocol.owns()
    }

    /// Whether the bytes that a store writes of a line change its packet or its fetch.
    pub fn counts_store_bytes(&self) -> bool {
        self.noc.store_flits == StoreFlits::Bytes || self.l2.write_fill == WriteFill::FullLinesSkip
    }

    /// Flits of a packet that carries a line: one, where a flit has room for the line behind its header.
    pub fn line_flits(&self) -> u32 {
        let both = self.l2.line_bytes + HEADER_BYTES;
        if self.noc.flit_bytes >= both { 1 } else { 1 + self.l2.line_bytes.div_ceil(self.noc.flit_bytes) }
    }
}

impl SmClass {
    /// By how much room for threads an SM has classes are ordered: registers first.
    pub fn room(&self) -> (u32, u32, u32, u32) {
        (self.registers, self.threads, self.shared_bytes, self.ctas)
    }

    /// Warp slots.
    pub fn warps(&self) -> u32 {
        self.threads / 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// The most rows that one bank has to open for `streams` of 4 KB, all `distance` lines apart.
    fn most_rows(gpu: &Gpu, streams: u32, distance: u32) -> usize {
        let (banks, channels) = (gpu.l2.banks, gpu.dram.channels);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); (channels * gpu.dram.banks) as usize];
        for line in (0..streams).flat_map(|stream| stream * distance..stream * distance + 32) {
            let l2 = gpu.l2.bank_index.bank(line, banks);
            let (row, bank) = gpu.dram.map.place(line / banks * (banks / channels) + l2 / channels, gpu.dram.columns, gpu.dram.banks);
            let rows = &mut rows[(l2 % channels * gpu.dram.banks + bank) as usize];
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// On presets of real GPUs streams at any distance of a power of two need at most a few rows more of a bank than at an odd one, so none of them camps.
    /// The map that takes the low bits of a row alone, or none, sends all of them to one bank.
    #[test]
    fn streams_of_any_distance_are_spread_over_dram_banks() {
        for name in ["a100-40gb", "h100-sxm5", "h200-sxm", "rtx5090"] {
            let gpu = presets::find(name).unwrap();
            let plain = Gpu { dram: DramConfig { map: DramMap::RowBankColumn, ..gpu.dram.clone() }, ..gpu.clone() };
            let mut worst = 0;
            for power in 12..=27 {
                let distance = 1 << (power - 7);
                for streams in [2, 4, 8, 16, 32, 64, 100, 132].into_iter().filter(|&streams| u64::from(streams) << power <= 16 << 30) {
                    let (even, odd) = (most_rows(&gpu, streams, distance), most_rows(&gpu, streams, distance + 34));
                    assert!(
                        even <= odd + 4,
                        "{name}: {streams} streams, 2^{power} bytes apart: {even} rows of a bank, {odd} at an odd distance"
                    );
                    worst = worst.max(most_rows(&plain, streams, distance));
                }
            }
            assert!(worst >= 20, "{name}: the test tells no map from another: {worst}");
        }
    }

    /// Every line of a channel has a place of its own, and consecutive ones fill a row.
    #[test]
    fn a_hashed_bank_is_a_place_of_its_own() {
        for banks in [1, 2, 16, 24, 32] {
            let mut seen = vec![false; (banks * 300 * 16) as usize];
            for line in 0..banks * 300 * 16 {
                let (row, bank) = DramMap::HashedBank.place(line, 16, banks);
                assert!(
                    bank < banks && !core::mem::replace(&mut seen[((row * banks + bank) * 16 + line % 16) as usize], true),
                    "{line} of {banks}"
                );
            }
        }
    }
}

//! What every L1D has, whatever its protocol: tags, MSHRs, store buffer, miss queue.
//!
//! A store holds an entry of the store buffer until it has left for the NoC or, where `store_release` says so, until L2 has acknowledged
//! it. CCBP does not say which; its Table 2 does. SAD sends 2.57 stores an SM and 200 cycles at 6.8 times the unloaded latency. By
//! Little's law these are some 33 stores under way on each SM, and there are 16 entries. GPGPU-Sim 3.2.2, on which CCBP stands, has no
//! store buffer. There a store needs a place in the miss queue, as a read does, and nothing bounds how many are under way (`unbuffered`).

use super::miss_queue::{MissQueue, share};
use crate::describe::gpu::{Allocate, L1Config, StoreRelease};
use crate::describe::ids::{KernelId, LineAddr, PerKernel};
use crate::interface::controls::SmControls;
use crate::machine::cache::mshr::Mshrs;
use crate::machine::cache::tags::Tags;
use crate::machine::derived::Derived;
use crate::machine::packet::{Packet, Request, Station};

/// Why L1D cannot take an access now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReservationFailure {
    /// Every MSHR is in use.
    Mshr,
    /// The line's MSHR serves as many reads as it can.
    Merge,
    /// The kernel's miss queue is full.
    MissQueue,
    /// Every store-buffer entry that the kernel may have is in use.
    StoreBuffer,
    /// Every way that the line may take is reserved for a line under way.
    Line,
}

impl ReservationFailure {
    /// Every reason.
    pub const ALL: [ReservationFailure; 5] = [
        ReservationFailure::Mshr,
        ReservationFailure::Merge,
        ReservationFailure::MissQueue,
        ReservationFailure::StoreBuffer,
        ReservationFailure::Line,
    ];
}

/// Where a load finds its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// In the cache.
    Hit,
    /// On its way for an earlier load.
    Merged,
    /// Nowhere: a request for it has been sent.
    Fetched,
}

/// Who has answered a miss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    /// L2, which had the line.
    L2,
    /// L2, which had to wait for DRAM.
    Memory,
    /// Another SM's L1D, alone or beside L2.
    RemoteL1,
}

impl Source {
    /// Who has sent a reply with data.
    #[inline]
    pub fn of(reply: &Packet) -> Self {
        if reply.request.bytes > 0 {
            Source::RemoteL1
        } else if reply.request.stations[Station::Dram as usize] > 0 {
            Source::Memory
        } else {
            Source::L2
        }
    }
}

/// The storage of one L1D.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Parts {
    /// Which lines are here.
    pub tags: Tags,
    allocate: Allocate,
    /// Lines under way, with the loads that wait for them.
    pub mshrs: Mshrs<u16>,
    /// Requests on their way to the NoC.
    pub miss_queue: MissQueue,
    /// Stores that have not left the SM, or that L2 has not acknowledged.
    pub stores: StoreBuffer,
}

/// The store buffer: how many entries each kernel holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StoreBuffer {
    entries: u32,
    release: StoreRelease,
    kernels: u8,
    held: PerKernel<u32>,
    held_by_all: u32,
    /// Only registrations have entries, and what is written back has none.
    registers: Derived<bool>,
}

impl StoreBuffer {
    fn new(config: &L1Config, kernels: usize) -> Self {
        let (entries, release) = (config.store_buffer, config.store_release);
        let registers = Derived(config.protocol.owns());
        StoreBuffer { entries, release, kernels: kernels as u8, held: PerKernel::all(0), held_by_all: 0, registers }
    }

    /// Whether a store of `kernel` finds an entry. If the miss queue is split by kernel, so is the store buffer: otherwise a kernel whose
    /// stores wait for credits would take every entry.
    pub fn has_room(&self, kernel: KernelId, controls: &SmControls) -> bool {
        self.release == StoreRelease::Unbuffered
            || self.held_by_all < self.entries
                && (!controls.miss_queue_split || self.held[kernel] < share(self.entries, kernel, self.kernels.into()))
    }

    /// Entries that a kernel holds.
    pub fn held(&self, kernel: KernelId) -> u32 {
        self.held[kernel]
    }

    /// A store of `kernel` takes an entry, if there is a store buffer.
    pub fn hold(&mut self, kernel: KernelId) {
        let entry = u32::from(self.release != StoreRelease::Unbuffered);
        self.held[kernel] += entry;
        self.held_by_all += entry;
    }

    fn give_back(&mut self, kernel: KernelId) {
        self.held[kernel] -= 1;
        self.held_by_all -= 1;
    }

    /// A write has left for the NoC. Returns whether that freed an entry.
    pub fn sent(&mut self, request: &Request) -> bool {
        let frees = self.release == StoreRelease::Sent && !(*self.registers && request.bytes > 0);
        if frees {
            self.give_back(request.kernel);
        }
        frees
    }

    /// L2 has acknowledged a store of `kernel`.
    pub fn acknowledged(&mut self, kernel: KernelId) {
        if self.release == StoreRelease::Acknowledged {
            self.give_back(kernel);
        }
    }
}

impl Parts {
    /// Empty parts for `kernels` kernels.
    pub fn new(config: &L1Config, line_bytes: u32, kernels: usize) -> Self {
        Parts {
            tags: Tags::new(config.index, config.bytes, config.ways, line_bytes),
            allocate: config.allocate,
            mshrs: Mshrs::new(config.mshrs, config.merges),
            miss_queue: MissQueue::new(config.miss_queue, config.arbiter_latency, kernels),
            stores: StoreBuffer::new(config, kernels),
        }
    }

    /// A load waits for its line: it merges if the line is under way, else it takes an MSHR and sends a request.
    pub fn fetch(&mut self, load: u16, mut request: Request, controls: &SmControls) -> Result<Found, ReservationFailure> {
        if let Some(entry) = self.mshrs.find(request.line) {
            self.mshrs.merge(entry, load).map_err(|_| ReservationFailure::Merge)?;
            return Ok(Found::Merged);
        }
        if self.allocate == Allocate::OnMiss && !self.has_way(request.line, request.kernel, controls) {
            return Err(ReservationFailure::Line);
        }
        if self.mshrs.is_full() {
            return Err(ReservationFailure::Mshr);
        }
        if !self.miss_queue.has_room(request.kernel, controls) {
            return Err(ReservationFailure::MissQueue);
        }
        request.tag = self.mshrs.allocate(request.line, load).map_err(|_| ReservationFailure::Mshr)?;
        self.miss_queue.push(request, controls).map_err(|_| ReservationFailure::MissQueue)?;
        Ok(Found::Fetched)
    }

    /// Whether a line of a kernel's finds a way that it can reserve.
    pub fn has_way(&self, line: LineAddr, kernel: KernelId, controls: &SmControls) -> bool {
        self.tags.can_reserve(line, controls.l1_ways[kernel])
    }

    /// A request for a line has been sent: the line takes its way now if it does so on a miss. Says whether another had to go.
    #[inline]
    pub fn reserve(&mut self, line: LineAddr, kernel: KernelId, controls: &SmControls) -> bool {
        self.allocate == Allocate::OnMiss && self.tags.reserve(line, kernel, controls.l1_ways[kernel]).is_some()
    }

    /// A line that was fetched has arrived: it takes its way, unless it has it already. Says whether another had to go.
    pub fn fill(&mut self, request: &Request, controls: &SmControls) -> bool {
        if self.allocate == Allocate::OnMiss {
            self.tags.fill_reserved(request.line);
            return false;
        }
        self.tags.fill(request.line, request.kernel, false, controls.l1_ways[request.kernel]).is_some()
    }

    /// A store goes on to L2, with an entry of the store buffer.
    pub fn write_through(&mut self, request: Request, controls: &SmControls) -> Result<(), ReservationFailure> {
        if !self.stores.has_room(request.kernel, controls) {
            return Err(ReservationFailure::StoreBuffer);
        }
        self.miss_queue.push(request, controls).map_err(|_| ReservationFailure::MissQueue)?;
        self.stores.hold(request.kernel);
        Ok(())
    }
}

//! The L1 data cache of one SM, from the LSU's lines to the NoC's port and back.
//!
//! Each cycle it hands one request to the NoC and grants another. It takes one line from the LSU, which hits, is fetched, is sent on, or
//! fails with a named reservation failure. One reply may fill a line. The SM numbers the loads.
//!
//! `Parts` are what every L1D has: tags, MSHRs, store buffer, miss queue. The `Protocol` decides what they do with a line; it is one of a
//! closed list, chosen by `sm.l1.protocol`. To add one: a file here with its type and `impl Protocol`, and its line in
//! `describe::gpu::l1_protocols!`.

pub mod miss_queue;
pub mod parts;
#[cfg(test)]
mod tests;
pub mod word_counts;
mod write_back;

pub use self::parts::{Found, Parts, ReservationFailure, Source};

use super::cache::umon::Umon;
use super::coherence::Words;
use super::coherence::l1::Line;
use super::derived::Derived;
use super::noc_port::NocPort;
use super::packet::{Access, Forward, Packet, Request};
use crate::describe::gpu::protocols::{L1Protocol, l1_protocols};
use crate::describe::gpu::{Gpu, L1Config, LaunchDrops};
use crate::describe::ids::{Cycle, KernelId, Kernels, LineAddr, NEVER};
use crate::interface::controls::SmControls;
use crate::interface::stats::KernelStats;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::Range;

/// What an L1D does with a line. Every call gets the parts that it works on, and answers in the cycle of the call.
pub trait Protocol {
    /// A load reads a line. Unless the protocol says otherwise, a line with a tag is a hit, and any other is fetched whole.
    fn load(&mut self, parts: &mut Parts, load: u16, request: Request, controls: &SmControls) -> Result<Found, ReservationFailure> {
        match parts.tags.lookup(request.line) {
            Some(_) => Ok(Found::Hit),
            None => parts.fetch(load, request, controls),
        }
    }

    /// A store writes to a line, or an atomic operation changes it.
    fn store(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) -> Result<(), ReservationFailure>;

    /// A line that was fetched has arrived, or a part of it. Returns who has sent it, when all is there that loads wait for.
    fn fill(&mut self, parts: &mut Parts, reply: &Packet, controls: &SmControls) -> Option<Source> {
        if parts.fill(&reply.request, controls) {
            self.evicted();
        }
        Some(Source::of(reply))
    }

    /// A fill, or a miss that has reserved its way, has pushed a line out.
    fn evicted(&mut self) {}

    /// The SM gets the first CTA of a kernel's launch.
    fn launch_starts(&mut self, _parts: &mut Parts, _kernel: KernelId) {}

    /// The last CTA of a kernel's launch has finished, here or on another SM.
    /// Stores of it may still be on their way here (`coming`), until `stores_came`.
    fn launch_ends(&mut self, _parts: &mut Parts, _kernel: KernelId, _coming: bool) {}

    /// Whether stores of a launch that has ended are still on their way here.
    fn awaits_stores(&self, _kernel: KernelId) -> bool {
        false
    }

    /// The last of these stores has been taken.
    fn stores_came(&mut self, _kernel: KernelId) {}

    /// The NoC has delivered the answer to a write.
    fn message(&mut self, parts: &mut Parts, reply: &Packet);

    /// Puts a request of its own into the miss queue, if it has any and there is room: `blank` with what it says filled in. Returns whose read it
    /// sends once more, if it does. Answers to other L1Ds go to the NoC at once.
    fn send(&mut self, _parts: &mut Parts, _blank: Request, _controls: &SmControls, _port: &mut NocPort) -> Option<KernelId> {
        None
    }

    /// The next cycle in which `send` can do something, after it has been called in `now`, unless something arrives before.
    fn sends_next(&self, _parts: &Parts, _now: Cycle, _controls: &SmControls) -> Cycle {
        NEVER
    }

    /// Whether `send` may have something to do.
    fn has_to_send(&self) -> bool {
        false
    }

    /// Kernels whose launch waits only for writes or registrations that this L1D has still to send, a bit each.
    fn releasing(&self) -> Kernels {
        0
    }

    /// Whether requests say which words they are about.
    fn is_by_word(&self) -> bool {
        false
    }

    /// The lines of arrays that are read only, in ascending order.
    fn keeps(&mut self, _read_only: &Arc<[Range<LineAddr>]>) {}

    /// Whether it takes another forward.
    fn may_be_asked(&self) -> bool {
        false
    }

    /// L2 asks for words that this L1D owns.
    fn asked(&mut self, _parts: &mut Parts, _forward: Forward) {}

    /// The lines that are here, and their words; without a state by word, lines are whole.
    fn lines(&self, parts: &Parts) -> Vec<(LineAddr, Line)> {
        let here = (0..parts.tags.slots()).filter_map(|slot| parts.tags.line(slot).filter(|&line| parts.tags.find(line) == Some(slot)));
        here.map(|line| (line, Line { valid: Words::MAX, ..Line::default() })).collect()
    }
}

/// Makes the enum of all protocols from the list of their files.
macro_rules! declare {
    ($($(#[$attribute:meta])* $module:ident::$Type:ident,)*) => {
        $($(#[$attribute])* mod $module;)*

        /// Any of the protocols: in a box, so that the largest does not make every L1D large.
        #[derive(Clone, PartialEq, Eq, Debug)]
        enum AnyProtocol {
            $($(#[$attribute])* $Type(Box<$module::$Type>),)*
        }

        /// The state alone: which protocol it is follows from the GPU.
        impl Hash for AnyProtocol {
            fn hash<H: Hasher>(&self, state: &mut H) {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.hash(state),)* }
            }
        }

        impl AnyProtocol {
            fn new(config: &L1Config, gpu: &Gpu) -> Self {
                match config.protocol {
                    $($(#[$attribute])* L1Protocol::$Type => AnyProtocol::$Type(Box::new($module::$Type::new(config, gpu))),)*
                }
            }
        }

        impl Protocol for AnyProtocol {
            #[inline]
            fn load(&mut self, parts: &mut Parts, load: u16, request: Request, controls: &SmControls) -> Result<Found, ReservationFailure> {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.load(parts, load, request, controls),)* }
            }

            #[inline]
            fn store(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) -> Result<(), ReservationFailure> {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.store(parts, request, controls),)* }
            }

            #[inline]
            fn fill(&mut self, parts: &mut Parts, reply: &Packet, controls: &SmControls) -> Option<Source> {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.fill(parts, reply, controls),)* }
            }

            fn evicted(&mut self) {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.evicted(),)* }
            }

            fn launch_starts(&mut self, parts: &mut Parts, kernel: KernelId) {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.launch_starts(parts, kernel),)* }
            }

            fn launch_ends(&mut self, parts: &mut Parts, kernel: KernelId, coming: bool) {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.launch_ends(parts, kernel, coming),)* }
            }

            #[inline]
            fn awaits_stores(&self, kernel: KernelId) -> bool {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.awaits_stores(kernel),)* }
            }

            fn stores_came(&mut self, kernel: KernelId) {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.stores_came(kernel),)* }
            }

            #[inline]
            fn message(&mut self, parts: &mut Parts, reply: &Packet) {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.message(parts, reply),)* }
            }

            #[inline]
            fn send(&mut self, parts: &mut Parts, blank: Request, controls: &SmControls, port: &mut NocPort) -> Option<KernelId> {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.send(parts, blank, controls, port),)* }
            }

            #[inline]
            fn sends_next(&self, parts: &Parts, now: Cycle, controls: &SmControls) -> Cycle {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.sends_next(parts, now, controls),)* }
            }

            #[inline]
            fn has_to_send(&self) -> bool {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.has_to_send(),)* }
            }

            #[inline]
            fn releasing(&self) -> Kernels {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.releasing(),)* }
            }

            #[inline]
            fn is_by_word(&self) -> bool {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.is_by_word(),)* }
            }

            fn keeps(&mut self, read_only: &Arc<[Range<LineAddr>]>) {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.keeps(read_only),)* }
            }

            fn may_be_asked(&self) -> bool {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.may_be_asked(),)* }
            }

            fn asked(&mut self, parts: &mut Parts, forward: Forward) {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.asked(parts, forward),)* }
            }

            fn lines(&self, parts: &Parts) -> Vec<(LineAddr, Line)> {
                match self { $($(#[$attribute])* Self::$Type(protocol) => protocol.lines(parts),)* }
            }
        }
    };
}

l1_protocols!(declare);

/// The L1D of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct L1d {
    sm: u16,
    latency: u32,
    parts: Parts,
    protocol: AnyProtocol,
    /// Kernels whose present launch has had a CTA here, a bit each.
    started: Kernels,
    launch_drops: Derived<LaunchDrops>,
    monitor: Option<Box<Umon>>,
    /// Loads that only wait for lines that hit, in the order in which they complete.
    hits: VecDeque<(Cycle, u16)>,
    /// A granted request waits for room in the NoC.
    port_full: Derived<bool>,
    /// From the GPU's description: the array, and of it a set, bytes.
    array: Derived<(u32, u32)>,
}

impl L1d {
    /// The empty L1D of SM number `sm`, for `kernels` kernels.
    pub fn new(gpu: &Gpu, sm: u16, kernels: usize) -> Self {
        let config = &gpu.class_of(sm.into()).l1;
        L1d {
            sm,
            latency: config.latency,
            parts: Parts::new(config, gpu.l2.line_bytes, kernels),
            protocol: AnyProtocol::new(config, gpu),
            started: 0,
            launch_drops: Derived(if config.protocol.is_by_word() { LaunchDrops::Nothing } else { config.launch_drops }),
            monitor: None,
            hits: VecDeque::with_capacity(64),
            port_full: Derived(false),
            array: Derived((config.bytes, config.ways * gpu.l2.line_bytes)),
        }
    }

    /// Number of its SM.
    pub fn sm(&self) -> u32 {
        self.sm.into()
    }

    /// Takes in a reply: a fetched line, or the answer to a write. Returns whether `next_waiter` then names the loads that waited for the line.
    pub fn receive(&mut self, now: Cycle, reply: &Packet, controls: &SmControls, stats: &mut KernelStats) -> bool {
        let request = &reply.request;
        stats.replies += 1;
        stats.reported_dram_accesses += u64::from(reply.dram_accesses);
        match request.access {
            Access::Write | Access::Atomic => {
                self.protocol.message(&mut self.parts, reply);
                false
            }
            Access::Read => {
                let Some(source) = self.protocol.fill(&mut self.parts, reply, controls) else { return false };
                match source {
                    Source::L2 => stats.misses_to_l2 += 1,
                    Source::Memory => stats.misses_to_memory += 1,
                    Source::RemoteL1 => stats.misses_to_remote_l1 += 1,
                }
                stats.latency_count += 1;
                stats.latency_sum += request.age(now);
                stats.wait_miss_queue += u64::from(request.stations[0]);
                stats.wait_request_noc += u64::from(request.stations[1]);
                stats.wait_l2 += u64::from(request.stations[2]);
                stats.wait_dram += u64::from(request.stations[3]);
                stats.wait_reply_noc += now - request.since;
                true
            }
        }
    }

    /// Takes in what a home asks, if the answers to the last have left: see `may_be_asked`.
    pub fn asked(&mut self, forward: Forward) {
        self.protocol.asked(&mut self.parts, forward);
    }

    /// Whether it takes another forward.
    pub fn may_be_asked(&self) -> bool {
        self.protocol.may_be_asked()
    }

    /// The lines of arrays that are read only, in ascending order.
    pub fn keeps(&mut self, read_only: &Arc<[Range<LineAddr>]>) {
        self.protocol.keeps(read_only);
    }

    /// The lines that are here, and their words; without a state by word, lines are whole.
    pub fn lines(&self) -> Vec<(LineAddr, Line)> {
        self.protocol.lines(&self.parts)
    }

    /// Lines of which it owns words, and which.
    pub fn owned(&self) -> Vec<(LineAddr, Words)> {
        self.lines().into_iter().filter(|(_, line)| line.owned != 0).map(|(at, line)| (at, line.owned)).collect()
    }

    /// The next load that waited for the line of an MSHR; the MSHR is free after its last.
    pub fn next_waiter(&mut self, mshr: u16) -> Option<u16> {
        self.parts.mshrs.take(mshr)
    }

    fn request(&self, now: Cycle, (line, words): (LineAddr, Words), kernel: KernelId, access: Access, bytes: u8) -> Request {
        Request { line, sm: self.sm, kernel, access, bytes, words, since: now, ..Request::default() }
    }

    /// A line of a load, and the words of it that it reads. A hit is ready `latency` cycles later.
    pub fn load(
        &mut self,
        now: Cycle,
        load: u16,
        (line, words): (LineAddr, Words),
        kernel: KernelId,
        controls: &SmControls,
        stats: &mut KernelStats,
    ) -> Result<Found, ReservationFailure> {
        let request = self.request(now, (line, words), kernel, Access::Read, 0);
        let found = self.protocol.load(&mut self.parts, load, request, controls)?;
        match found {
            Found::Hit => stats.l1_hits += 1,
            Found::Merged => stats.l1_merged += 1,
            Found::Fetched => {
                stats.l1_misses += 1;
                if self.parts.reserve(line, kernel, controls) {
                    self.protocol.evicted();
                }
            }
        }
        stats.l1_reads += 1;
        self.watch(kernel, line, Access::Read);
        Ok(found)
    }

    /// A line of a store or an atomic operation, and the bytes and words of it that it changes. The answer has its `tag`, unless L1D keeps
    /// what is written.
    pub fn store(
        &mut self,
        now: Cycle,
        (access, tag): (Access, u16),
        (line, bytes, words): (LineAddr, u8, Words),
        kernel: KernelId,
        controls: &SmControls,
        stats: &mut KernelStats,
    ) -> Result<(), ReservationFailure> {
        let request = Request { tag, ..self.request(now, (line, words), kernel, access, bytes) };
        self.protocol.store(&mut self.parts, request, controls)?;
        stats.l1_writes += 1;
        self.watch(kernel, line, access);
        Ok(())
    }

    fn watch(&mut self, kernel: KernelId, line: LineAddr, access: Access) {
        if let Some(monitor) = &mut self.monitor {
            monitor.access(kernel, line, access);
        }
    }

    /// Core cycles from an access to its value on a hit.
    pub fn latency(&self) -> u32 {
        self.latency
    }

    /// All lines of a load are there, the last of them in `ready`; no earlier hit is ready later than that.
    pub fn hit(&mut self, ready: Cycle, load: u16) {
        self.hits.push_back((ready, load));
    }

    /// All lines of a load are there, the last of them in `ready`.
    pub fn hit_in_order(&mut self, ready: Cycle, load: u16) {
        let after = self.hits.partition_point(|&(at, _)| at <= ready);
        self.hits.insert(after, (ready, load));
    }

    /// The next load that is complete by `now`.
    pub fn completed(&mut self, now: Cycle) -> Option<u16> {
        let &(at, load) = self.hits.front()?;
        if at > now {
            return None;
        }
        self.hits.pop_front();
        Some(load)
    }

    /// When the next load is complete that only waits for lines that hit.
    #[inline]
    pub fn next_hit(&self) -> Cycle {
        self.hits.front().map_or(NEVER, |&(at, _)| at)
    }

    /// Whether requests wait for a grant, and one could be granted, or L1D has one of its own to send.
    #[inline]
    pub fn has_ungranted(&self) -> bool {
        self.parts.miss_queue.has_ungranted() || self.protocol.has_to_send()
    }

    /// Kernels whose launch waits only for writes or registrations that this L1D has still to send, a bit each.
    #[inline]
    pub fn releasing(&self) -> Kernels {
        self.protocol.releasing()
    }

    /// Hands a request to the NoC and grants another. Returns whether the first freed an entry of the store buffer, and whether the second
    /// freed one of the miss queue.
    #[inline]
    pub fn drain(&mut self, now: Cycle, controls: &SmControls, port: &mut NocPort, stats: &mut [KernelStats]) -> (bool, bool) {
        if let Some(kernel) = self.protocol.send(&mut self.parts, Request { sm: self.sm, since: now, ..Request::default() }, controls, port)
        {
            stats[kernel.index()].reads_again += 1;
        }
        let queue = &mut self.parts.miss_queue;
        let mut store_left = false;
        self.port_full.0 = queue.at_port(now) && !port.has_room(now);
        if !self.port_full.0
            && let Some(request) = queue.leave(now)
        {
            port.send(now, request);
            store_left = request.access != Access::Read && self.parts.stores.sent(&request);
        }
        let granted = queue.grant(now, controls);
        if let Some(request) = granted {
            let stats = &mut stats[request.kernel.index()];
            stats.requests += 1;
            stats.read_requests += u64::from(request.access == Access::Read);
        }
        (store_left, granted.is_some())
    }

    /// Whether the resource that an access of a kernel to a line failed to reserve may be free now.
    pub fn has_room(&self, kernel: KernelId, line: LineAddr, lacked: ReservationFailure, controls: &SmControls) -> bool {
        match lacked {
            ReservationFailure::Mshr => !self.parts.mshrs.is_full(),
            ReservationFailure::Merge => true,
            ReservationFailure::MissQueue => self.parts.miss_queue.has_room(kernel, controls),
            // There are more reasons than the store buffer's entries where it keeps words.
            ReservationFailure::StoreBuffer => self.protocol.is_by_word() || self.parts.stores.has_room(kernel, controls),
            ReservationFailure::Line => self.parts.has_way(line, kernel, controls),
        }
    }

    /// The next cycle in which it has a request to grant or to hand to the NoC, after `drain` in `now`.
    pub fn drains_next(&self, now: Cycle, controls: &SmControls) -> Cycle {
        let own = self.protocol.sends_next(&self.parts, now, controls);
        own.min(self.parts.miss_queue.next_event(now, controls, self.port_full.0))
    }

    /// Whether a request only waits for room in the NoC: it wants to be woken when there is some.
    pub fn waits_for_noc(&self) -> bool {
        self.port_full.0
    }

    /// The SM gets a CTA of a kernel.
    pub fn cta_placed(&mut self, kernel: KernelId) {
        if self.started >> kernel.0 & 1 == 0 {
            self.started |= 1 << kernel.0;
            match *self.launch_drops {
                LaunchDrops::Nothing => {}
                LaunchDrops::Own => self.parts.tags.drop_lines(|owner| owner == kernel),
                LaunchDrops::All => self.parts.tags.drop_lines(|_| true),
            }
            self.protocol.launch_starts(&mut self.parts, kernel);
        }
    }

    /// The last CTA of a kernel's launch has finished; the LSU may still have stores of it (`coming`).
    pub fn launch_ended(&mut self, kernel: KernelId, coming: bool) {
        self.started &= !(1 << kernel.0);
        self.protocol.launch_ends(&mut self.parts, kernel, coming);
    }

    /// Whether a launch has ended of which the LSU still had stores.
    #[inline]
    pub fn awaits_stores(&self, kernel: KernelId) -> bool {
        self.protocol.awaits_stores(kernel)
    }

    /// The LSU has none of these any more.
    pub fn stores_came(&mut self, kernel: KernelId) {
        self.protocol.stores_came(kernel);
    }

    /// Takes over changed controls.
    pub fn controls_changed(&mut self, now: Cycle, before: &SmControls, after: &SmControls, kernels: usize) {
        self.parts.miss_queue.settle(now, before);
        self.parts.miss_queue.controls_changed();
        if before.l1_monitor != after.l1_monitor {
            let (sets, ways) = (self.parts.tags.sets(), self.parts.tags.ways());
            self.monitor = (after.l1_monitor > 0).then(|| Box::new(Umon::new(after.l1_monitor, sets, ways, kernels)));
        }
    }

    /// Shared memory takes so many bytes of the array while no CTA is here, and L1D has the rest, empty: as many sets less, since associativity is
    /// wired. Which a real design gives up is not published.
    pub fn carve_out(&mut self, shared_bytes: u32) {
        let (bytes, set) = *self.array;
        self.parts.tags.restart((bytes - shared_bytes) / set);
        if let Some(monitor) = &mut self.monitor {
            monitor.restart(self.parts.tags.sets());
        }
    }

    /// What a kernel would hit if it had L1D to itself, by position in the LRU stack; empty without a monitor.
    pub fn utility(&self, kernel: KernelId) -> &[u64] {
        self.monitor.as_deref().map_or(&[], |monitor| monitor.hits(kernel))
    }

    /// Brings credits that are reloaded lazily up to the start of `now`.
    pub fn settle(&mut self, now: Cycle, controls: &SmControls) {
        self.parts.miss_queue.settle(now, controls);
    }

    /// Whether a request of `kernel` for which a CTA or the end of a launch waits, waits for credits that it will never get. CTAs may wait
    /// for `stores`, too.
    pub fn starves(&self, kernel: KernelId, stores: bool, controls: &SmControls) -> bool {
        self.parts.miss_queue.starves(kernel, stores || self.protocol.is_by_word(), controls)
    }

    /// Whether what is written stays here, so that a store is over once it has been taken.
    pub fn keeps_stores(&self) -> bool {
        self.protocol.is_by_word()
    }

    /// Requests of a kernel in the miss queue.
    pub fn misses_waiting(&self, kernel: KernelId) -> u32 {
        self.parts.miss_queue.waiting(kernel)
    }

    /// The miss queue.
    pub fn miss_queue(&self) -> &miss_queue::MissQueue {
        &self.parts.miss_queue
    }

    /// Misses under way.
    pub fn mshrs_used(&self) -> u32 {
        self.parts.mshrs.used()
    }

    /// Entries of the store buffer that a kernel holds.
    pub fn stores_held(&self, kernel: KernelId) -> u32 {
        self.parts.stores.held(kernel)
    }

    /// Ways that are reserved for lines under way.
    pub fn reserved(&self) -> u32 {
        self.parts.tags.reserved()
    }

    /// Sets of the cache.
    pub fn sets(&self) -> u32 {
        self.parts.tags.sets().0
    }

    /// Lines of a kernel in the cache.
    pub fn resident(&self, kernel: KernelId) -> u32 {
        self.parts.tags.resident(kernel)
    }
}

//! A mesh of routers with X-Y routing and wormhole switching.
//!
//! A packet goes along its row, then along its column, so that no circle of packets can wait for each other (Dally and Seitz, IEEE Trans.
//! Computers 1987). Each router has an input and an output for each of its neighbours, for its SM and for its L2 bank. A link carries a
//! flit a tick, which takes `hop` ticks with the router behind it. An output belongs to one packet from head to tail: flits of packets do
//! not interleave, and there are no virtual channels. A flit sets out only when the input that it goes to has a place, which it keeps
//! until it goes on. A place that gets free can be used from the next tick on (credits). Outputs choose among the heads of the tick's
//! start.
//!
//! At an SM or bank, packets wait whole, as at a crossbar's input: in a queue behind a pipeline of `latency` ticks. An output to one is
//! granted only while its sink has room for the whole packet. A packet of L flits over h links takes `latency + h · hop + L` ticks unloaded.

use super::super::calendar::Calendar;
use super::super::link::{Full, Link};
use super::super::packet::{Handle, Packet, Packets, Queue};
use super::ends::{Ends, Moment, Tick, hash_queues, members};
use crate::describe::gpu::mesh::MeshConfig;
use crate::describe::gpu::{Arbiter, NocConfig};
use crate::describe::ids::{Cycle, KernelId, MAX_PARTS, PerKernel, Set, members_of, words};
use crate::describe::rng::{below, mix};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::hash::{Hash, Hasher};

/// Ports of a router: to its neighbours, the opposite of each beside it, then to its SM and its bank.
const PORTS: u32 = 6;
const EAST: u32 = 0;
const WEST: u32 = 1;
const SOUTH: u32 = 2;
const NORTH: u32 = 3;
const SM: u32 = 4;
const BANK: u32 = 5;

/// No port.
const NOBODY: u8 = u8::MAX;

/// A flit in the buffer of an input.
#[derive(Clone, Copy, Debug, Default)]
struct Flit {
    packet: Handle,
    tail: bool,
}

/// A mesh of up to 256 routers.
#[derive(Clone, Debug)]
pub struct Mesh {
    ends: Ends,
    form: MeshConfig,
    latency: u32,
    arbiter: Arbiter,
    seed: u64,
    /// By input of the network: packets that have not left it with all their flits.
    queues: Box<[Queue]>,
    /// Inputs of the network without room.
    full: Set,
    /// By input of the network: flits of its first packet that have left.
    left: Box<[u16]>,
    /// Packets in the network.
    inside: u32,
    // By port, `router × PORTS + port`.
    /// What has come, or is on its way, from the neighbour.
    buffers: Box<[Link<Flit>]>,
    /// The output that the first packet at an input goes to.
    route: Box<[u8]>,
    /// The input whose packet has an output.
    holder: Box<[u8]>,
    /// The packet that has an output.
    passing: Box<[Handle]>,
    /// The input that won an output last.
    last: Box<[u8]>,
    /// Places that an output may still fill in the neighbour's buffer.
    credits: Box<[u16]>,
    /// Flits that have passed an output.
    carried: Box<[u64]>,
    // By router.
    /// Inputs whose first flit may go on, a bit each.
    ready: Box<[u8]>,
    /// Routers with such inputs.
    active: Set,
    /// Inputs by the tick in which their first flit may go on.
    due: Calendar,
    /// Outputs whose neighbour has freed a place in this tick.
    freed: Vec<u16>,
}

impl Mesh {
    /// An idle mesh.
    pub fn new(config: &NocConfig, ends: Ends, seed: u64) -> Self {
        let form = config.mesh;
        let (routers, inputs) = (form.routers(), ends.inputs.len());
        debug_assert!(routers <= MAX_PARTS && inputs <= MAX_PARTS as usize && ends.outputs.len() <= MAX_PARTS as usize);
        let ports = (routers * PORTS) as usize;
        let link = |port: usize| Link::new(if port as u32 % PORTS < SM { form.buffer } else { 1 }, form.hop);
        Mesh {
            ends,
            latency: config.latency,
            arbiter: config.arbiter,
            seed,
            queues: vec![Queue::new(config.queue + config.latency); inputs].into(),
            full: Set::EMPTY,
            left: vec![0; inputs].into(),
            inside: 0,
            buffers: (0..ports).map(link).collect(),
            route: vec![0; ports].into(),
            holder: vec![NOBODY; ports].into(),
            passing: vec![Handle::default(); ports].into(),
            last: vec![0; ports].into(),
            credits: vec![form.buffer as u16; ports].into(),
            carried: vec![0; ports].into(),
            ready: vec![0; routers as usize].into(),
            active: Set::EMPTY,
            due: Calendar::new(routers * PORTS, config.latency.max(form.hop) + 2),
            freed: Vec::with_capacity(ports),
            form,
        }
    }

    /// A mesh into which packets may be put up to `ticks` before their time.
    pub fn late_by(mut self, ticks: u32) -> Self {
        self.due = Calendar::new(self.form.routers() * PORTS, self.latency.max(self.form.hop) + ticks + 2);
        self
    }

    /// The port at which a node's packets enter and leave.
    fn port_of(&self, node: u16) -> u32 {
        match node.checked_sub(self.ends.sms) {
            None => self.form.router_of_sm(node.into()) * PORTS + SM,
            Some(bank) => self.form.router_of_bank(bank.into()) * PORTS + BANK,
        }
    }

    /// The node at a port.
    fn node_at(&self, port: u32) -> u16 {
        let router = port / PORTS;
        if port % PORTS == SM { (router - self.form.first_sm) as u16 } else { self.ends.sms + router as u16 }
    }

    /// The output of `router` towards a node: along the row, then along the column.
    fn towards(&self, router: u32, node: u16) -> u32 {
        let (to, width) = (self.port_of(node), self.form.width);
        let at = to / PORTS;
        let ([x, y], [to_x, to_y]) = ([router % width, router / width], [at % width, at / width]);
        if to_x != x {
            if to_x > x { EAST } else { WEST }
        } else if to_y != y {
            if to_y > y { SOUTH } else { NORTH }
        } else {
            to % PORTS
        }
    }

    /// The input behind an output to a neighbour, or the output before such an input.
    fn across(&self, port: u32) -> u32 {
        let router = port / PORTS;
        let next = match port % PORTS {
            EAST => router + 1,
            WEST => router - 1,
            SOUTH => router + self.form.width,
            _ => router - self.form.width,
        };
        next * PORTS + ((port % PORTS) ^ 1)
    }

    /// The network's input at a local port.
    fn input_at(&self, port: u32) -> usize {
        usize::from(self.node_at(port) - self.ends.inputs.start)
    }

    pub(super) fn has_room(&self, input: u32) -> bool {
        !self.full.contains(input)
    }

    pub(super) fn full(&self) -> &Set {
        &self.full
    }

    pub(super) fn capacity(&self) -> u32 {
        self.queues[0].capacity()
    }

    #[inline(never)] // keeps the crossbar's caller small
    pub(super) fn push(&mut self, packets: &mut Packets, tick: Tick, handle: Handle) -> Result<(), Full> {
        let ready = tick + 1 + Tick::from(self.latency);
        let packet = &mut packets[handle];
        let [from, to] = [packet.from, packet.to].map(|node| self.port_of(node.0));
        packet.hops = self.form.hops(from / PORTS, to / PORTS) as u16;
        let input = self.ends.input(packet);
        let queue = &mut self.queues[input as usize];
        queue.push(packets, handle, ready)?;
        self.inside += 1;
        if queue.len() == 1 {
            self.due.put(ready, from);
        }
        if queue.is_full() {
            self.full.insert(input);
        }
        Ok(())
    }

    #[inline(never)] // keeps the crossbar's caller small
    pub(super) fn tick(
        &mut self,
        at: Moment,
        packets: &mut Packets,
        sinks: &mut [Queue],
        arrived: &mut Set,
        mut passed: impl FnMut(&mut Packet),
    ) {
        for word in 0..words(self.form.routers() * PORTS) {
            for port in members_of(word, self.due.take(at.tick, word), at.reversed) {
                self.comes_first(port, packets);
            }
        }
        let active = self.active;
        for router in active.members(at.reversed) {
            self.step_router(at, router, packets, sinks, |packet, output| {
                passed(packet);
                arrived.insert(output);
            });
        }
        for output in self.freed.drain(..) {
            self.credits[usize::from(output)] += 1;
        }
    }

    /// The first flit at an input may go on from now on.
    fn comes_first(&mut self, port: u32, packets: &Packets) {
        let router = port / PORTS;
        self.ready[router as usize] |= 1 << (port % PORTS);
        self.active.insert(router);
        if let Some(handle) = self.first_at(port) {
            self.route[port as usize] = self.towards(router, packets[handle].to.0) as u8;
        }
    }

    /// One tick of a router: each of its outputs passes a flit on, if it can.
    fn step_router(
        &mut self,
        at: Moment,
        router: u32,
        packets: &mut Packets,
        sinks: &mut [Queue],
        mut arrived: impl FnMut(&mut Packet, u32),
    ) {
        let ready = self.ready[router as usize];
        let mut wants = [0_u8; PORTS as usize];
        for input in members(ready.into(), at.reversed) {
            wants[usize::from(self.route[(router * PORTS + input) as usize])] |= 1 << input;
        }
        for port in members((1 << PORTS) - 1, at.reversed) {
            let (output, wanted) = (router * PORTS + port, wants[port as usize]);
            if wanted == 0 || port < SM && self.credits[output as usize] == 0 {
                continue;
            }
            let sink = (port >= SM).then(|| u32::from(self.node_at(output) - self.ends.outputs.start));
            let holder = self.holder[output as usize];
            let input = if holder == NOBODY {
                if sink.is_some_and(|sink| sinks[sink as usize].is_full()) {
                    continue;
                }
                self.choose(at, output, wanted, packets)
            } else if wanted & 1 << holder != 0 {
                holder.into()
            } else {
                continue;
            };
            let flit = self.take(at.tick, router * PORTS + input, packets);
            self.carried[output as usize] += 1;
            (self.holder[output as usize], self.passing[output as usize]) =
                if flit.tail { (NOBODY, Handle::default()) } else { (input as u8, flit.packet) };
            self.last[output as usize] = input as u8;
            match sink {
                None => self.send(at.tick, output, flit),
                Some(sink) if flit.tail => {
                    arrived(&mut packets[flit.packet], sink);
                    self.inside -= 1;
                    // A bank is in the network's clock: it sees the packet in the next tick. An SM sees it in the next cycle.
                    let wait = Cycle::from(port == SM);
                    let delivered = sinks[sink as usize].push(packets, flit.packet, at.now + wait);
                    debug_assert!(delivered.is_ok(), "the grant reserved a place");
                }
                Some(_) => {}
            }
        }
        if self.ready[router as usize] == 0 {
            self.active.remove(router);
        }
    }

    /// The input that wins an output among those that want it.
    fn choose(&self, Moment { tick, now, .. }: Moment, output: u32, wanted: u8, packets: &Packets) -> u32 {
        let above = wanted & !((2_u8 << self.last[output as usize]) - 1);
        let in_turn = if above != 0 { above } else { wanted }.trailing_zeros();
        match self.arbiter {
            Arbiter::RoundRobin => in_turn,
            Arbiter::Random => {
                let skip = below(mix(mix(self.seed, tick), output.into()), wanted.count_ones().into());
                members(wanted.into(), false).nth(skip as usize).unwrap_or(in_turn)
            }
            // Ties go to the lower input.
            Arbiter::Oldest => {
                let router = output / PORTS;
                let age = |&input: &u32| Reverse(self.first_at(router * PORTS + input).map(|head| packets[head].request.age(now)));
                members(wanted.into(), false).min_by_key(age).unwrap_or(in_turn)
            }
        }
    }

    /// The first packet at an input.
    fn first_at(&self, port: u32) -> Option<Handle> {
        if port % PORTS < SM {
            self.buffers[port as usize].iter().next().map(|flit| flit.packet)
        } else {
            self.queues[self.input_at(port)].first()
        }
    }

    /// Takes the first flit from an input, and looks at what comes behind it, which competes from the next tick on.
    fn take(&mut self, tick: Tick, port: u32, packets: &Packets) -> Flit {
        let (flit, next) = if port % PORTS < SM {
            let before = self.across(port) as u16;
            let buffer = &mut self.buffers[port as usize];
            let flit = buffer.pop(tick).unwrap_or_default();
            self.freed.push(before);
            (flit, buffer.next_arrival())
        } else {
            let input = self.input_at(port);
            let queue = &mut self.queues[input];
            let packet = queue.first().unwrap_or_default();
            self.left[input] += 1;
            let tail = self.left[input] == packets[packet].flits;
            let mut next = Some(tick);
            if tail {
                self.left[input] = 0;
                queue.pop(packets);
                self.full.remove(input as u32);
                next = queue.first().map(|next| packets[next].ready);
            }
            (Flit { packet, tail }, next)
        };
        match next {
            Some(ready) if ready <= tick => {
                if flit.tail {
                    self.comes_first(port, packets);
                }
            }
            next => {
                self.ready[(port / PORTS) as usize] &= !(1 << (port % PORTS));
                if let Some(ready) = next {
                    self.due.put(ready, port);
                }
            }
        }
        flit
    }

    /// Sends a flit over a link.
    fn send(&mut self, tick: Tick, output: u32, flit: Flit) {
        let input = self.across(output);
        self.credits[output as usize] -= 1;
        let buffer = &mut self.buffers[input as usize];
        let sent = buffer.push(tick, flit);
        debug_assert!(sent.is_ok(), "a credit is a place");
        if buffer.len() == 1 {
            self.due.put(tick + Tick::from(self.form.hop), input);
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.inside == 0
    }

    pub(super) fn next_tick(&self, tick: Tick) -> Tick {
        if self.active.is_empty() { self.due.next(tick) } else { tick + 1 }
    }

    pub(super) fn queued(&self, input: u32) -> u32 {
        self.queues[input as usize].len()
    }

    pub(super) fn queued_by_kernel(&self, input: u32, packets: &Packets) -> PerKernel<u32> {
        self.queues[input as usize].by_kernel(packets)
    }

    pub(super) fn passing(&self, output: u32, packets: &Packets) -> Option<KernelId> {
        let port = self.port_of(self.ends.outputs.start + output as u16) as usize;
        (self.holder[port] != NOBODY).then(|| packets[self.passing[port]].request.kernel)
    }

    /// Flits that have gone from each router to its neighbours in the east, west, south and north.
    pub fn carried(&self) -> impl ExactSizeIterator<Item = [u64; 4]> + '_ {
        self.carried.chunks(PORTS as usize).map(|of| [EAST, WEST, SOUTH, NORTH].map(|port| of[port as usize]))
    }

    /// Feeds the state to `state`, and of each packet what `content` feeds.
    pub(super) fn hash<H: Hasher>(&self, packets: &Packets, content: impl Fn(&Packet, &mut H), state: &mut H) {
        hash_queues(&self.queues, &self.ends, packets, &content, state);
        (self.form, self.latency, self.arbiter, self.seed).hash(state);
        for buffer in &self.buffers {
            buffer.len().hash(state);
            for (arrival, flit) in buffer.timed() {
                (arrival, flit.tail, packets[flit.packet].to.0, packets[flit.packet].flits).hash(state);
                content(&packets[flit.packet], state);
            }
        }
        (&self.left, &self.holder, &self.last, &self.credits, &self.ready).hash(state);
    }
}

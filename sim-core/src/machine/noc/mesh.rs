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
use super::super::link::Full;
use super::super::packet::{Handle, Packet, Packets, Queue};
use super::ends::{Ends, Moment, Tick, hash_queues, members};
use crate::describe::gpu::mesh::MeshConfig;
use crate::describe::gpu::{Arbiter, NocConfig};
use crate::describe::ids::{Cycle, KernelId, MAX_PARTS, PerKernel, Set, words};
use crate::describe::rng::{below, mix};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::hash::{Hash, Hasher};

/// Ports of a router: to its neighbours, the opposite of each beside it, then to its SM and its bank.
const PORTS: u32 = 6;
/// What ports are numbered by: port `p` of router `r` is `r × SLOTS + p`.
const SLOTS: u32 = 8;
const EAST: u32 = 0;
const WEST: u32 = 1;
const SOUTH: u32 = 2;
const NORTH: u32 = 3;
const SM: u32 = 4;
const BANK: u32 = 5;

/// No port.
const NOBODY: u8 = u8::MAX;

/// The first input in the byte of each port.
const EACH: u64 = 0x0101_0101_0101;

/// A flit in the buffer of an input.
#[derive(Clone, Copy, Debug, Default)]
struct Flit {
    /// When it is here.
    arrival: Tick,
    packet: Handle,
    tail: bool,
}

/// An input of a router.
#[derive(Clone, Copy, Debug)]
struct Input {
    /// What is before it: the neighbour's output, or an input of the network.
    before: u16,
    /// The place of its first flit in its buffer, and how many flits it has, those on their way included.
    first: u16,
    len: u16,
    /// The output that its packet goes to.
    route: u8,
}

/// An output of a router.
#[derive(Clone, Copy, Debug)]
struct Output {
    /// What is behind it: the neighbour's input, or an output of the network.
    behind: u16,
    /// Places that it may still fill in the neighbour's buffer.
    credits: u16,
    /// The input that won it last.
    last: u8,
}

/// What a router decides by. In a word of bytes, byte `o` is about output `o`, with a bit for each input.
#[derive(Clone, Copy, Debug)]
struct Router {
    /// Inputs whose first flit may go on, by the output that it goes to.
    wanted: u64,
    /// Inputs from which an output may take: the one whose packet it has, or all.
    grants: u64,
    /// Outputs behind which there is a place, by the bit above all inputs. Where that is no buffer of the mesh, who grants looks.
    open: u64,
    /// Inputs whose next flit is a packet's first, a bit each.
    heads: u8,
}

/// The place of an input's bit in a word of a router.
fn bit(output: u32, input: u32) -> u64 {
    1 << (8 * output + input)
}

/// The bits of an output in a word of a router.
fn of(word: u64, output: u32) -> u8 {
    (word >> (8 * output)) as u8
}

/// The bit above all inputs.
const ABOVE: u32 = 7;

/// All inputs of a router.
const ALL: u64 = (1 << PORTS) - 1;

/// The bytes with an input in them, by the bit above all inputs.
fn any(word: u64) -> u64 {
    // Any input carries into its byte's highest bit.
    (word + 0x7f7f_7f7f_7f7f_7f7f) & 0x8080_8080_8080_8080
}

impl Router {
    const IDLE: Router = Router { wanted: 0, grants: EACH * ALL, open: EACH << ABOVE, heads: ALL as u8 };

    /// Outputs that may pass a flit on, by the bit above all inputs.
    fn outputs(&self) -> u64 {
        any(self.wanted & self.grants) & self.open
    }

    /// The input whose packet has an output.
    fn holder(&self, output: u32) -> u8 {
        let grants = of(self.grants, output);
        if grants.is_power_of_two() { grants.trailing_zeros() as u8 } else { NOBODY }
    }
}

/// Who is where in a mesh.
#[derive(Debug)]
struct Map {
    /// The ports at which the packets of each input of the network enter, and at which those for each output leave it.
    entries: Vec<u16>,
    exits: Vec<u16>,
    /// By router and output of the network: the port to which a packet for that goes.
    routes: Vec<u8>,
}

impl Map {
    fn new(form: &MeshConfig, ends: &Ends) -> Self {
        let port_of = |node: u16| match node.checked_sub(ends.sms) {
            None => (form.router_of_sm(node.into()) * SLOTS + SM) as u16,
            Some(bank) => (form.router_of_bank(bank.into()) * SLOTS + BANK) as u16,
        };
        let entries: Vec<u16> = ends.inputs.clone().map(port_of).collect();
        let exits: Vec<u16> = ends.outputs.clone().map(port_of).collect();
        let routes = (0..form.routers()).flat_map(|router| exits.iter().map(move |&to| towards(form, router, to.into()))).collect();
        Map { entries, exits, routes }
    }
}

/// The output of `router` towards a port: along the row, then along the column.
fn towards(form: &MeshConfig, router: u32, to: u32) -> u8 {
    let (at, width) = (to / SLOTS, form.width);
    let ([x, y], [to_x, to_y]) = ([router % width, router / width], [at % width, at / width]);
    let output = if to_x != x {
        if to_x > x { EAST } else { WEST }
    } else if to_y != y {
        if to_y > y { SOUTH } else { NORTH }
    } else {
        to % SLOTS
    };
    output as u8
}

/// The neighbour's port at the other end of a port's link. At the edge of the mesh, and where no neighbour is, it is any.
fn across(form: &MeshConfig, port: u32) -> u16 {
    let router = port / SLOTS;
    let next = match port % SLOTS {
        EAST => router + 1,
        WEST => router.wrapping_sub(1),
        SOUTH => router + form.width,
        _ => router.wrapping_sub(form.width),
    };
    next.wrapping_mul(SLOTS).wrapping_add((port % SLOTS) ^ 1) as u16
}

/// A mesh of up to 256 routers.
#[derive(Clone, Debug)]
pub struct Mesh {
    ends: Ends,
    form: MeshConfig,
    latency: u32,
    arbiter: Arbiter,
    seed: u64,
    map: Arc<Map>,
    /// By input of the network: packets that have not left it with all their flits.
    queues: Box<[Queue]>,
    /// Inputs of the network without room.
    full: Set,
    /// By input of the network: flits of its first packet that have left.
    left: Box<[u16]>,
    /// By output of the network: the packet that passes.
    passing: Box<[Handle]>,
    /// Packets in the network.
    inside: u32,
    routers: Box<[Router]>,
    /// Inputs of each router whose first flit may go on: a byte for each router, eight in a word.
    ready: Box<[u64]>,
    // By port.
    inputs: Box<[Input]>,
    outputs: Box<[Output]>,
    /// What has come, or is on its way, from the neighbour, in a ring of a power of two of places each.
    buffers: Box<[Flit]>,
    /// Places of such a ring less one.
    mask: u16,
    /// Flits that have passed an output.
    carried: Box<[u64]>,
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
        let ports = routers * SLOTS;
        let places = form.buffer.next_power_of_two();
        let map = Map::new(&form, &ends);
        let mut of_routers: Box<[Input]> =
            (0..ports).map(|port| Input { before: across(&form, port), first: 0, len: 0, route: 0 }).collect();
        let credits = form.buffer as u16;
        let mut outputs: Box<[Output]> = (0..ports).map(|port| Output { behind: across(&form, port), credits, last: 0 }).collect();
        (0..).zip(&map.entries).for_each(|(input, &port)| of_routers[usize::from(port)].before = input);
        (0..).zip(&map.exits).for_each(|(output, &port)| outputs[usize::from(port)].behind = output);
        Mesh {
            latency: config.latency,
            arbiter: config.arbiter,
            seed,
            map: Arc::new(map),
            queues: vec![Queue::new(config.queue + config.latency); inputs].into(),
            full: Set::EMPTY,
            left: vec![0; inputs].into(),
            passing: vec![Handle::default(); ends.outputs.len()].into(),
            inside: 0,
            routers: vec![Router::IDLE; routers as usize].into(),
            ready: vec![0; words(ports) as usize].into(),
            inputs: of_routers,
            outputs,
            buffers: vec![Flit::default(); (ports * places) as usize].into(),
            mask: (places - 1) as u16,
            carried: vec![0; ports as usize].into(),
            due: Calendar::new(ports, config.latency.max(form.hop) + 2),
            freed: Vec::with_capacity(ports as usize),
            ends,
            form,
        }
    }

    /// A mesh into which packets may be put up to `ticks` before their time.
    pub fn late_by(mut self, ticks: u32) -> Self {
        self.due = Calendar::new(self.form.routers() * SLOTS, self.latency.max(self.form.hop) + ticks + 2);
        self
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
        let input = self.ends.input(packet);
        let from = u32::from(self.map.entries[input as usize]);
        let to = u32::from(self.map.exits[self.ends.output(packet) as usize]);
        packet.hops = self.form.hops(from / SLOTS, to / SLOTS) as u16;
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
        if self.inside == 0 {
            return;
        }
        for word in 0..self.ready.len() as u32 {
            let due = self.due.take(at.tick, word);
            for bit in members(any(self.ready[word as usize] | due), at.reversed) {
                let comes = (due >> (bit - ABOVE)) as u8;
                self.step_router(at, word * SLOTS + bit / SLOTS, comes, packets, sinks, |packet, output| {
                    passed(packet);
                    arrived.insert(output);
                });
            }
        }
        for port in self.freed.drain(..) {
            self.outputs[usize::from(port)].credits += 1;
            self.routers[usize::from(port) / SLOTS as usize].open |= bit(u32::from(port) % SLOTS, ABOVE);
        }
    }

    /// The first flit at an input may go on from now on.
    #[inline(always)] // most often it is not the first of its packet
    fn comes_first(&mut self, router: &mut Router, port: u32, packets: &Packets) {
        if router.heads >> (port % SLOTS) & 1 == 1 {
            router.heads &= !(1 << (port % SLOTS));
            self.find_route(port, packets);
        }
        router.wanted |= bit(self.inputs[port as usize].route.into(), port % SLOTS);
    }

    /// Finds where the first packet at an input goes.
    fn find_route(&mut self, port: u32, packets: &Packets) {
        let packet = self.first_at(port).unwrap_or_default();
        let output = self.ends.output(&packets[packet]) as usize;
        self.inputs[port as usize].route = self.map.routes[(port / SLOTS) as usize * self.map.exits.len() + output];
    }

    /// One tick of a router: each of its outputs passes a flit on, if it can. The first flits at some inputs may go on from now on.
    #[inline(always)] // into the one loop that calls it
    fn step_router(
        &mut self,
        at: Moment,
        index: u32,
        comes: u8,
        packets: &mut Packets,
        sinks: &mut [Queue],
        mut arrived: impl FnMut(&mut Packet, u32),
    ) {
        let first = index * SLOTS;
        let mut router = self.routers[index as usize];
        for input in members(comes.into(), false) {
            self.comes_first(&mut router, first + input, packets);
        }
        let Router { wanted, grants, .. } = router;
        // Inputs whose next flit may not go on yet.
        let mut waits = 0;
        for above in members(router.outputs(), at.reversed) {
            let (output, shift) = (above / SLOTS, above - ABOVE);
            let port = (first + output) as usize;
            let among = of(wanted & grants, output);
            if output >= SM && of(grants, output) == ALL as u8 && sinks[usize::from(self.outputs[port].behind)].is_full() {
                continue;
            }
            let input = if among & (among - 1) == 0 { among.trailing_zeros() } else { self.choose(at, first + output, among, packets) };
            let (flit, next) = if input < SM { self.take(first + input) } else { self.take_entering(at.tick, first + input, packets) };
            router.heads |= u8::from(flit.tail) << input;
            if flit.tail || next > at.tick {
                router.wanted &= !(EACH << input);
                if next <= at.tick {
                    self.comes_first(&mut router, first + input, packets);
                } else {
                    waits |= 1 << input;
                    if next < Tick::MAX {
                        self.due.put(next, first + input);
                    }
                }
            }
            router.grants |= ALL << shift;
            if !flit.tail {
                router.grants ^= (ALL ^ 1 << input) << shift;
            }
            self.carried[port] += 1;
            let passes = &mut self.outputs[port];
            passes.last = input as u8;
            if output < SM {
                passes.credits -= 1;
                router.open ^= u64::from(passes.credits == 0) << above;
                let behind = passes.behind;
                self.send(at.tick, behind, flit);
                continue;
            }
            let sink = passes.behind;
            self.passing[usize::from(sink)] = flit.packet;
            if flit.tail {
                arrived(&mut packets[flit.packet], sink.into());
                self.inside -= 1;
                // A bank is in the network's clock: it sees the packet in the next tick. An SM sees it in the next cycle.
                let wait = Cycle::from(output == SM);
                let delivered = sinks[usize::from(sink)].push(packets, flit.packet, at.now + wait);
                debug_assert!(delivered.is_ok(), "the grant reserved a place");
            }
        }
        self.routers[index as usize] = router;
        let (ready, shift) = (&mut self.ready[(index / SLOTS) as usize], index % SLOTS * 8);
        *ready = (*ready | u64::from(comes) << shift) & !(waits << shift);
    }

    /// The input that wins an output among those that want it.
    fn choose(&self, Moment { tick, now, .. }: Moment, port: u32, wanted: u8, packets: &Packets) -> u32 {
        let above = wanted & !((2_u8 << self.outputs[port as usize].last) - 1);
        let in_turn = if above != 0 { above } else { wanted }.trailing_zeros();
        match self.arbiter {
            Arbiter::RoundRobin => in_turn,
            Arbiter::Random => {
                let output = port / SLOTS * PORTS + port % SLOTS;
                let skip = below(mix(mix(self.seed, tick), output.into()), wanted.count_ones().into());
                members(wanted.into(), false).nth(skip as usize).unwrap_or(in_turn)
            }
            // Ties go to the lower input.
            Arbiter::Oldest => {
                let first = port & !(SLOTS - 1);
                let age = |&input: &u32| Reverse(self.first_at(first + input).map(|head| packets[head].request.age(now)));
                members(wanted.into(), false).min_by_key(age).unwrap_or(in_turn)
            }
        }
    }

    /// The first packet at an input.
    fn first_at(&self, port: u32) -> Option<Handle> {
        if port % SLOTS < SM {
            self.buffer(port).next().map(|flit| flit.packet)
        } else {
            self.queues[usize::from(self.inputs[port as usize].before)].first()
        }
    }

    /// The place in `buffers` of a place of an input's buffer.
    #[inline(always)]
    fn place(&self, port: u32, place: u16) -> usize {
        port as usize * (usize::from(self.mask) + 1) + usize::from(place & self.mask)
    }

    /// What has come, or is on its way, to an input from the neighbour, oldest first.
    fn buffer(&self, port: u32) -> impl ExactSizeIterator<Item = &Flit> {
        let Input { first, len, .. } = self.inputs[port as usize];
        (0..len).map(move |before| &self.buffers[self.place(port, first + before)])
    }

    /// Takes the first flit from an input, and says when the one behind it is here.
    #[inline(always)]
    fn take(&mut self, port: u32) -> (Flit, Tick) {
        let Input { before, first, len, .. } = self.inputs[port as usize];
        let flit = self.buffers[self.place(port, first)];
        let next = self.buffers[self.place(port, first + 1)].arrival;
        let input = &mut self.inputs[port as usize];
        (input.first, input.len) = ((first + 1) & self.mask, len - 1);
        self.freed.push(before);
        (flit, if len == 1 { Tick::MAX } else { next })
    }

    /// Takes the first flit that enters the network at an input, and says when the one behind it may.
    #[inline(never)]
    fn take_entering(&mut self, tick: Tick, port: u32, packets: &Packets) -> (Flit, Tick) {
        let input = usize::from(self.inputs[port as usize].before);
        let queue = &mut self.queues[input];
        let packet = queue.first().unwrap_or_default();
        self.left[input] += 1;
        let tail = self.left[input] == packets[packet].flits;
        let mut next = tick;
        if tail {
            self.left[input] = 0;
            queue.pop(packets);
            self.full.remove(input as u32);
            next = queue.next_ready(packets);
        }
        (Flit { arrival: tick, packet, tail }, next)
    }

    /// Sends a flit over the link to an input.
    #[inline(always)]
    fn send(&mut self, tick: Tick, port: u16, flit: Flit) {
        let arrival = tick + Tick::from(self.form.hop);
        let Input { first, len, .. } = self.inputs[usize::from(port)];
        debug_assert!(u32::from(len) < self.form.buffer, "a credit is a place");
        let place = self.place(port.into(), first + len);
        self.buffers[place] = Flit { arrival, ..flit };
        self.inputs[usize::from(port)].len = len + 1;
        if len == 0 {
            self.due.put(arrival, port.into());
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.inside == 0
    }

    pub(super) fn next_tick(&self, tick: Tick) -> Tick {
        if self.ready.iter().all(|&ready| ready == 0) { self.due.next(tick) } else { tick + 1 }
    }

    pub(super) fn queued(&self, input: u32) -> u32 {
        self.queues[input as usize].len()
    }

    pub(super) fn queued_by_kernel(&self, input: u32, packets: &Packets) -> PerKernel<u32> {
        self.queues[input as usize].by_kernel(packets)
    }

    pub(super) fn passing(&self, output: u32, packets: &Packets) -> Option<KernelId> {
        let port = u32::from(self.map.exits[output as usize]);
        let passes = self.routers[(port / SLOTS) as usize].holder(port % SLOTS) != NOBODY;
        passes.then(|| packets[self.passing[output as usize]].request.kernel)
    }

    /// Flits that have gone from each router to its neighbours in the east, west, south and north.
    pub fn carried(&self) -> impl ExactSizeIterator<Item = [u64; 4]> + '_ {
        self.carried.chunks(SLOTS as usize).map(|of| [EAST, WEST, SOUTH, NORTH].map(|port| of[port as usize]))
    }

    /// Feeds the state to `state`, and of each packet what `content` feeds.
    pub(super) fn hash<H: Hasher>(&self, packets: &Packets, content: impl Fn(&Packet, &mut H), state: &mut H) {
        hash_queues(&self.queues, &self.ends, packets, &content, state);
        (self.form, self.latency, self.arbiter, self.seed).hash(state);
        let routers = || 0..self.form.routers();
        let ports = || routers().flat_map(|router| (0..PORTS).map(move |port| router * SLOTS + port));
        for port in ports() {
            let buffer = self.buffer(port);
            (buffer.len() as u32).hash(state);
            for &Flit { arrival, packet, tail } in buffer {
                (arrival, tail, packets[packet].to.0, packets[packet].flits).hash(state);
                content(&packets[packet], state);
            }
        }
        let holder: Vec<u8> = ports().map(|port| self.routers[(port / SLOTS) as usize].holder(port % SLOTS)).collect();
        let last: Vec<u8> = ports().map(|port| self.outputs[port as usize].last).collect();
        let credits: Vec<u16> = ports().map(|port| self.outputs[port as usize].credits).collect();
        let ready: Vec<u8> = routers().map(|router| of(self.ready[(router / SLOTS) as usize], router % SLOTS)).collect();
        (&self.left, holder, last, credits, ready).hash(state);
    }
}

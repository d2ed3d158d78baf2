mod mesh;

use super::*;
use crate::describe::digest::Fnv;
use crate::describe::gpu::mesh::MeshConfig;
use crate::describe::gpu::{Arbiter, StoreFlits};
use crate::describe::ids::Cycle;
use crate::describe::rng::{below, mix};
use crate::machine::packet::{Node, Request};
use alloc::vec;
use alloc::vec::Vec;

fn config(kind: NocKind, arbiter: Arbiter, queue: u32, latency: u32) -> NocConfig {
    NocConfig { kind, mhz: 1200, flit_bytes: 32, queue, latency, arbiter, store_flits: StoreFlits::Line, mesh: MeshConfig::default() }
}

/// The node of the first output.
const OUTPUTS: u16 = 300;

/// A network between scripted ports. A packet's name is a number, and the time of its creation.
#[derive(Clone)]
struct Network {
    noc: Noc,
    packets: Packets,
    sinks: Vec<Queue>,
}

impl Network {
    fn new(config: &NocConfig, inputs: u32, outputs: u32, longest: u32, seed: u64, places: u32) -> Self {
        let noc = Noc::new(config, Ends::new(OUTPUTS, 0..inputs as u16, OUTPUTS..OUTPUTS + outputs as u16), longest, seed);
        Network { noc, packets: Packets::default(), sinks: vec![Queue::new(places); outputs as usize] }
    }

    fn push(&mut self, tick: Tick, input: u32, output: u32, flits: u32, name: u64) -> Result<(), Full> {
        let request = Request { since: name, ..Request::default() };
        let handle = self.packets.add(Packet::new(request, Node(input as u16), Node(OUTPUTS + output as u16), flits));
        let pushed = self.noc.push(&mut self.packets, tick, handle);
        if pushed.is_err() {
            self.packets.remove(handle);
        }
        pushed
    }

    /// The outputs that deliver in a tick, and how many flits.
    fn tick(&mut self, tick: Tick, now: Cycle, reversed: bool) -> (Set, u32) {
        let (mut arrived, mut flits) = (Set::EMPTY, 0);
        let at = Moment { tick, now, reversed };
        self.noc.tick(at, &mut self.packets, &mut self.sinks, &mut arrived, |packet| flits += u32::from(packet.flits));
        (arrived, flits)
    }

    fn pop(&mut self, output: usize, now: Cycle) -> Option<u64> {
        let handle = self.sinks[output].first_ready(&self.packets, now)?;
        self.sinks[output].pop(&self.packets);
        self.packets.remove(handle);
        Some(self.packets.get(handle).request.since)
    }

    fn is_idle(&self) -> bool {
        self.noc.is_idle() && self.packets.is_empty()
    }

    fn digest(&self, tick: Tick) -> u64 {
        let mut state = Fnv::default();
        self.noc.hash(tick, &self.packets, |packet, state| packet.request.hash(state), &mut state);
        for queue in &self.sinks {
            queue.iter(&self.packets).for_each(|packet| (packet.ready, packet.request).hash(&mut state));
        }
        state.finish()
    }
}

/// Flits per output and tick of an N × N crossbar whose inputs always hold packets for uniform destinations.
fn saturation(n: u32, flits: u32, arbiter: Arbiter) -> f64 {
    let mut noc = Network::new(&config(NocKind::Crossbar, arbiter, 4, 0), n, n, flits, 7, 8);
    let (warm, ticks) = (2_000, 42_000 * u64::from(flits));
    let mut passed = 0;
    for tick in 0..ticks {
        for input in 0..n {
            while noc.noc.has_room(input) {
                let output = below(mix(mix(1, passed + tick), u64::from(input)), u64::from(n)) as u32;
                noc.push(tick, input, output, flits, tick).unwrap();
            }
        }
        let (_, now) = noc.tick(tick + 1, tick, false);
        if tick >= warm {
            passed += u64::from(now);
        }
        for output in 0..n as usize {
            while noc.pop(output, u64::MAX).is_some() {}
        }
    }
    passed as f64 / (ticks - warm) as f64 / f64::from(n)
}

#[test]
fn crossbar_saturates_where_queueing_theory_says() {
    for (n, want) in [(1, 1.0), (2, 0.75), (3, 0.6825), (4, 0.6552), (8, 0.6184), (16, 0.6017)] {
        for arbiter in [Arbiter::RoundRobin, Arbiter::Random, Arbiter::Oldest] {
            for flits in [1, 5] {
                let got = saturation(n, flits, arbiter);
                assert!((got - want).abs() < 0.003, "{n} × {n}, {arbiter:?}, {flits} flits: {got:.4}, want {want}");
            }
        }
    }
}

#[test]
fn an_idle_network_takes_the_pipeline_and_a_tick_for_each_flit() {
    for kind in [NocKind::Crossbar, NocKind::Ideal] {
        for latency in [0, 1, 7] {
            for flits in 1..=5 {
                let mut noc = Network::new(&config(kind, Arbiter::RoundRobin, 4, latency), 4, 4, 5, 0, 8);
                noc.push(100, 2, 3, flits, 42).unwrap();
                let arrival = 100 + u64::from(latency + flits);
                let mut tick = 100;
                while noc.noc.next_tick(tick, &noc.packets) != Tick::MAX {
                    // A network may be ticked only when it says that something can happen, and every tick; both give the same.
                    tick = noc.noc.next_tick(tick, &noc.packets);
                    let (done, passed) = noc.tick(tick, tick, false);
                    assert_eq!((!done.is_empty(), passed), if tick == arrival { (true, flits) } else { (false, 0) });
                }
                assert_eq!(tick, arrival);
                assert!(noc.noc.is_idle());
                assert_eq!(noc.pop(3, arrival + 1), Some(42));
            }
        }
    }
}

#[test]
fn packets_hold_their_output_and_do_not_interleave() {
    let mut noc = Network::new(&config(NocKind::Crossbar, Arbiter::RoundRobin, 4, 0), 2, 1, 5, 0, 8);
    noc.push(0, 0, 0, 5, 0).unwrap();
    noc.push(0, 1, 0, 3, 1).unwrap();
    let arrivals: Vec<u64> = (1..=9).filter(|&tick| !noc.tick(tick, tick, false).0.is_empty()).collect();
    // Input 1 wins first: the round robin starts after input 0.
    assert_eq!(arrivals, [3, 8]);
}

#[test]
fn a_full_sink_stops_its_output_and_nothing_is_lost() {
    for kind in [NocKind::Crossbar, NocKind::Ideal] {
        let mut noc = Network::new(&config(kind, Arbiter::RoundRobin, 4, 1), 2, 2, 1, 0, 1);
        for n in 0..4 {
            noc.push(0, 0, 0, 1, n).unwrap();
        }
        noc.push(0, 1, 1, 1, 9).unwrap();
        for tick in 1..20 {
            noc.tick(tick, tick, false);
        }
        assert_eq!((noc.noc.queued(0), noc.noc.queued(1)), (3, 0));
        assert_eq!(noc.pop(1, 99), Some(9));
        for n in 0..4 {
            assert_eq!(noc.pop(0, 99), Some(n));
            noc.tick(20 + n, 20, false);
        }
        assert!(noc.is_idle());
    }
}

/// Random traffic: everything that goes in comes out once, at its destination, in order between each pair of ports; flits add up; the
/// order in which ports are visited does not matter.
#[test]
fn everything_arrives_once_in_order() {
    for round in 0..36_u64 {
        let draw = |part: u64, bound: u64| below(mix(round, part), bound) as u32;
        let (inputs, outputs, longest) = (1 + draw(0, 9), 1 + draw(1, 9), 1 + draw(2, 6));
        let kind = [NocKind::Ideal, NocKind::Crossbar, NocKind::Mesh, NocKind::Mesh][round as usize % 4];
        let arbiter = [Arbiter::RoundRobin, Arbiter::Random, Arbiter::Oldest][round as usize % 3];
        let mut config = config(kind, arbiter, 1 + draw(3, 5), draw(4, 4));
        let [width, height] = [[3, 3], [9, 1], [1, 9], [2, 5]][draw(6, 4) as usize];
        config.mesh = MeshConfig { width, height, hop: 1 + draw(7, 4), buffer: 1 + draw(8, 6), first_sm: 0 };
        let mut forward = Network::new(&config, inputs, outputs, longest, round, 1 + draw(5, 3));
        let mut backward = forward.clone();
        let (mut sent, mut received, mut flits_in, mut flits_out) = (0_u64, 0_u64, 0_u64, 0_u64);
        let mut last = [[0_u64; 16]; 16];
        for tick in 0..3_000_u64 {
            for input in 0..inputs {
                let key = mix(mix(round, tick), u64::from(input));
                if tick < 2_000 && below(key, 3) != 0 {
                    let (output, flits) =
                        (below(mix(key, 1), u64::from(outputs)) as u32, 1 + below(mix(key, 2), u64::from(longest)) as u32);
                    let name = (sent + 1) << 16 | u64::from(input) << 8 | u64::from(output);
                    let taken = forward.push(tick, input, output, flits, name);
                    assert_eq!(taken, backward.push(tick, input, output, flits, name));
                    if taken.is_ok() {
                        sent += 1;
                        flits_in += u64::from(flits);
                    }
                }
            }
            let there = forward.tick(tick + 1, tick, false);
            assert_eq!(there, backward.tick(tick + 1, tick, true));
            assert_eq!(forward.digest(tick + 1), backward.digest(tick + 1));
            flits_out += u64::from(there.1);
            for (output, last) in last.iter_mut().enumerate().take(outputs as usize) {
                if below(mix(mix(round, tick), 99 + output as u64), 2) == 0 {
                    let got = forward.pop(output, tick);
                    assert_eq!(got, backward.pop(output, tick));
                    if let Some(name) = got {
                        let (order, input) = (name >> 16, (name >> 8 & 0xff) as usize);
                        assert_eq!((name & 0xff) as usize, output);
                        assert!(last[input] < order);
                        last[input] = order;
                        received += 1;
                    }
                }
            }
        }
        assert!(sent > 100 && forward.is_idle());
        assert_eq!((sent, flits_in), (received, flits_out));
    }
}

/// The oldest packet wins, not the one that entered its queue first.
#[test]
fn oldest_goes_by_creation() {
    let mut noc = Network::new(&config(NocKind::Crossbar, Arbiter::Oldest, 4, 0), 3, 1, 1, 0, 9);
    for (input, created) in [(0, 30), (1, 20), (1, 40), (2, 10)] {
        noc.push(50, input, 0, 1, created).unwrap();
    }
    for tick in 51..59 {
        noc.tick(tick, tick, false);
    }
    let order: Vec<u64> = core::iter::from_fn(|| noc.pop(0, 99)).collect();
    assert_eq!(order, [10, 20, 30, 40]);
}

use super::*;
use crate::describe::gpu::{Arbiter, StoreFlits};
use crate::describe::rng::{below, mix};
use alloc::vec::Vec;

/// A packet's number: smaller ones are older.
impl Payload for u64 {
    fn age(&self, _: Cycle) -> Cycle {
        u64::MAX - self
    }
}

const K: KernelId = KernelId(0);

fn config(kind: NocKind, arbiter: Arbiter, queue: u32, latency: u32) -> NocConfig {
    NocConfig { kind, mhz: 1200, flit_bytes: 32, queue, latency, arbiter, store_flits: StoreFlits::Line }
}

fn sinks(outputs: u32) -> Vec<Link<u64>> {
    (0..outputs).map(|_| Link::new(8, 1)).collect()
}

/// Flits per output and tick of an N × N crossbar whose inputs always hold packets for uniform destinations.
fn saturation(n: u32, flits: u32, arbiter: Arbiter) -> f64 {
    let mut noc: Noc<u64> = Noc::new(&config(NocKind::Crossbar, arbiter, 4, 0), n, n, flits, 7);
    let mut sinks = sinks(n);
    let (warm, ticks) = (2_000, 42_000 * u64::from(flits));
    let mut passed = 0;
    for tick in 0..ticks {
        for input in 0..n {
            while noc.has_room(input) {
                let output = below(mix(mix(1, passed + tick), u64::from(input)), u64::from(n)) as u32;
                noc.push(tick, input, output, flits, K, tick).unwrap();
            }
        }
        let mut now = 0;
        noc.tick(tick + 1, tick, false, &mut sinks, |_, flits| now += u64::from(flits));
        if tick >= warm {
            passed += now;
        }
        for sink in &mut sinks {
            while sink.pop(u64::MAX).is_some() {}
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
                let mut noc: Noc<u64> = Noc::new(&config(kind, Arbiter::RoundRobin, 4, latency), 4, 4, 5, 0);
                let mut sinks = sinks(4);
                noc.push(100, 2, 3, flits, K, 42).unwrap();
                let arrival = 100 + u64::from(latency + flits);
                let mut tick = 100;
                while let Some(next) = noc.next_tick(tick) {
                    // A network may be ticked only when it says that something can happen, and every tick; both give the same.
                    tick = next;
                    let done = noc.tick(tick, tick, false, &mut sinks, |_, n| assert_eq!(n, flits));
                    assert_eq!(!done.is_empty(), tick == arrival);
                }
                assert_eq!(tick, arrival);
                assert!(noc.is_idle());
                assert_eq!(sinks[3].pop(arrival + 1), Some(42));
            }
        }
    }
}

#[test]
fn packets_hold_their_output_and_do_not_interleave() {
    let mut noc: Noc<u64> = Noc::new(&config(NocKind::Crossbar, Arbiter::RoundRobin, 4, 0), 2, 1, 5, 0);
    let mut sinks = sinks(1);
    noc.push(0, 0, 0, 5, K, 0).unwrap();
    noc.push(0, 1, 0, 3, KernelId(1), 1).unwrap();
    let arrivals: Vec<u64> = (1..=9).filter(|&tick| !noc.tick(tick, tick, false, &mut sinks, |_, _| ()).is_empty()).collect();
    // Input 1 wins first: the round robin starts after input 0.
    assert_eq!(arrivals, [3, 8]);
}

#[test]
fn a_full_sink_stops_its_output_and_nothing_is_lost() {
    for kind in [NocKind::Crossbar, NocKind::Ideal] {
        let mut noc: Noc<u64> = Noc::new(&config(kind, Arbiter::RoundRobin, 4, 1), 2, 2, 1, 0);
        let mut sinks: Vec<Link<u64>> = (0..2).map(|_| Link::new(1, 1)).collect();
        for n in 0..4 {
            noc.push(0, 0, 0, 1, K, n).unwrap();
        }
        noc.push(0, 1, 1, 1, K, 9).unwrap();
        for tick in 1..20 {
            noc.tick(tick, tick, false, &mut sinks, |_, _| ());
        }
        assert_eq!((noc.queued(0), noc.queued(1)), (3, 0));
        assert_eq!(sinks[1].pop(99), Some(9));
        for n in 0..4 {
            assert_eq!(sinks[0].pop(99), Some(n));
            noc.tick(20 + n, 20, false, &mut sinks, |_, _| ());
        }
        assert!(noc.is_idle());
    }
}

/// Random traffic: everything that goes in comes out once, at its destination, in order between each pair of ports; flits add up; the
/// order in which ports are visited does not matter.
#[test]
fn everything_arrives_once_in_order() {
    for round in 0..24_u64 {
        let draw = |part: u64, bound: u64| below(mix(round, part), bound) as u32;
        let (inputs, outputs, longest) = (1 + draw(0, 9), 1 + draw(1, 9), 1 + draw(2, 6));
        let kind = if round % 3 == 0 { NocKind::Ideal } else { NocKind::Crossbar };
        let arbiter = [Arbiter::RoundRobin, Arbiter::Random, Arbiter::Oldest][round as usize % 3];
        let config = config(kind, arbiter, 1 + draw(3, 5), draw(4, 4));
        let mut forward: Noc<u64> = Noc::new(&config, inputs, outputs, longest, round);
        let mut backward = forward.clone();
        let mut sinks: Vec<Link<u64>> = (0..outputs).map(|_| Link::new(1 + draw(5, 3), 1)).collect();
        let mut sinks_back = sinks.clone();
        let (mut sent, mut received, mut flits_in, mut flits_out) = (0_u64, 0_u64, 0_u64, 0_u64);
        let mut last = [[0_u64; 16]; 16];
        for tick in 0..3_000_u64 {
            for input in 0..inputs {
                let key = mix(mix(round, tick), u64::from(input));
                if tick < 2_000 && below(key, 3) != 0 {
                    let (output, flits) =
                        (below(mix(key, 1), u64::from(outputs)) as u32, 1 + below(mix(key, 2), u64::from(longest)) as u32);
                    let name = (sent + 1) << 16 | u64::from(input) << 8 | u64::from(output);
                    let taken = forward.push(tick, input, output, flits, K, name);
                    assert_eq!(taken, backward.push(tick, input, output, flits, K, name));
                    if taken.is_ok() {
                        sent += 1;
                        flits_in += u64::from(flits);
                    }
                }
            }
            forward.tick(tick + 1, tick, false, &mut sinks, |_, flits| flits_out += u64::from(flits));
            backward.tick(tick + 1, tick, true, &mut sinks_back, |_, _| ());
            assert!(forward == backward && sinks == sinks_back);
            for output in 0..outputs as usize {
                if below(mix(mix(round, tick), 99 + output as u64), 2) == 0 {
                    let got = sinks[output].pop(tick);
                    assert_eq!(got, sinks_back[output].pop(tick));
                    if let Some(name) = got {
                        let (order, input) = (name >> 16, (name >> 8 & 0xff) as usize);
                        assert_eq!((name & 0xff) as usize, output);
                        assert!(last[input][output] < order);
                        last[input][output] = order;
                        received += 1;
                    }
                }
            }
        }
        assert!(sent > 100 && forward.is_idle() && sinks.iter().all(Link::is_empty));
        assert_eq!((sent, flits_in), (received, flits_out));
    }
}

/// The oldest packet wins, not the one that entered its queue first.
#[test]
fn oldest_goes_by_creation() {
    let mut noc: Noc<u64> = Noc::new(&config(NocKind::Crossbar, Arbiter::Oldest, 4, 0), 3, 1, 1, 0);
    let mut sinks = [Link::new(9, 1)];
    for (tick, input, created) in [(0, 0, 30), (0, 1, 20), (0, 1, 40), (1, 2, 10)] {
        noc.push(tick, input, 0, 1, K, created).unwrap();
    }
    for tick in 2..9 {
        noc.tick(tick, tick, false, &mut sinks, |_, _| ());
    }
    let order: Vec<u64> = core::iter::from_fn(|| sinks[0].pop(99)).collect();
    assert_eq!(order, [10, 20, 30, 40]);
}

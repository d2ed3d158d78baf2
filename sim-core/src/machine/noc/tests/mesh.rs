use super::*;

const ARBITERS: [Arbiter; 3] = [Arbiter::RoundRobin, Arbiter::Random, Arbiter::Oldest];

/// A mesh with an input and an output at each router.
fn mesh(mesh: MeshConfig, arbiter: Arbiter, flits: u32, latency: u32) -> Network {
    let config = NocConfig { mesh, ..config(NocKind::Mesh, arbiter, 4, latency) };
    Network::new(&config, mesh.routers(), mesh.routers(), flits, 7, 1)
}

/// A head waits `hop` ticks for each link, and the flits of its packet follow it one a tick: exact between all routers.
#[test]
fn an_idle_mesh_takes_its_hops_and_a_tick_for_each_flit() {
    for (width, height, hop, latency, flits) in [(4, 4, 1, 0, 1), (4, 4, 1, 0, 5), (4, 4, 8, 3, 5), (3, 5, 2, 1, 9), (8, 1, 3, 0, 2)] {
        // Of a place for each flit under way on a link and for the credit that comes back, there is no wait.
        let form = MeshConfig { width, height, hop, buffer: hop + 1, first_sm: 0 };
        let mut noc = mesh(form, Arbiter::RoundRobin, flits, latency);
        let mut tick = 100;
        for from in 0..width * height {
            for to in 0..width * height {
                let (across, down) = ((from % width).abs_diff(to % width), (from / width).abs_diff(to / width));
                noc.push(tick, from, to, flits, tick).unwrap();
                let arrival = tick + u64::from(latency + (across + down) * hop + flits);
                while tick < arrival {
                    // Ticked when it says that something can happen; `everything_arrives_once_in_order` ticks it every time.
                    tick = noc.noc.next_tick(tick, &noc.packets);
                    let (done, passed) = noc.tick(tick, tick, false);
                    assert_eq!((done.contains(to), passed), if tick == arrival { (true, flits) } else { (false, 0) });
                }
                assert!(noc.pop(to as usize, arrival + 1).is_some() && noc.is_idle());
                assert_eq!(noc.noc.next_tick(tick, &noc.packets), Tick::MAX);
            }
        }
    }
}

/// Too few places for the round trip of a link hold its flits back: `buffer` flits in `hop + 1` ticks.
#[test]
fn a_link_is_as_fast_as_its_credits() {
    for (hop, buffer, flits) in [(1, 1, 41), (8, 3, 91), (8, 9, 91)] {
        let mut noc = mesh(MeshConfig { width: 2, height: 1, hop, buffer, first_sm: 0 }, Arbiter::RoundRobin, flits, 0);
        noc.push(0, 0, 1, flits, 0).unwrap();
        let arrival = (1..1000).find(|&tick| !noc.tick(tick, tick, false).0.is_empty()).unwrap();
        let rounds = u64::from((flits - 1) / buffer * (hop + 1) + (flits - 1) % buffer);
        assert_eq!(arrival, 1 + u64::from(hop) + rounds, "{hop} {buffer}");
    }
}

/// Flits for each router and tick of a mesh whose inputs always hold packets of five flits for uniform destinations.
fn saturation(form: MeshConfig, arbiter: Arbiter, ticks: u64) -> f64 {
    let mut noc = mesh(form, arbiter, 5, 0);
    let routers = form.routers();
    let mut passed = 0;
    for tick in 0..ticks {
        for input in 0..routers {
            while noc.noc.has_room(input) {
                let output = below(mix(mix(1, tick), u64::from(input) << 8 | u64::from(noc.noc.queued(input))), routers.into()) as u32;
                noc.push(tick, input, output, 5, tick).unwrap();
            }
        }
        let (_, flits) = noc.tick(tick + 1, tick, false);
        passed += if tick < ticks / 10 { 0 } else { flits };
        for output in 0..routers as usize {
            noc.pop(output, u64::MAX);
        }
    }
    f64::from(passed) / (ticks - ticks / 10) as f64 / f64::from(routers)
}

/// Inputs in turn and inputs at random sustain the same; the oldest packet first sustains a little more, as global age does (Abts and Weisser, SC
/// 2007).
#[test]
fn the_order_of_priority_does_not_change_what_a_mesh_sustains() {
    let form = MeshConfig { width: 4, height: 4, hop: 1, buffer: 8, first_sm: 0 };
    let [in_turn, random, oldest] = ARBITERS.map(|arbiter| saturation(form, arbiter, 30_000));
    // Half of the flits cross the middle, where four links go each way: 1 for each of the 16 routers.
    assert!(in_turn < 1.0 && (random / in_turn - 1.0).abs() < 0.03, "{in_turn} {random}");
    assert!(oldest > in_turn && oldest < 1.06 * in_turn, "{in_turn} {oldest}");
}

/// X-Y routing: no circle of packets waits for itself, however small the buffers are and however long the packets.
#[test]
fn a_full_mesh_never_stands_still() {
    for (width, height, buffer) in [(4, 4, 1), (2, 2, 1), (5, 3, 2), (4, 4, 8)] {
        let form = MeshConfig { width, height, hop: 2, buffer, first_sm: 0 };
        let mut noc = mesh(form, Arbiter::Random, 20, 0);
        let (mut sent, mut last) = (0, 0);
        for tick in 0..40_000_u64 {
            for input in 0..form.routers() {
                let key = mix(tick, input.into());
                while tick < 30_000 && noc.noc.has_room(input) {
                    let to = below(mix(key, sent), form.routers().into()) as u32;
                    noc.push(tick, input, to, 1 + below(mix(key, sent + 1), 20) as u32, tick).unwrap();
                    sent += 1;
                }
            }
            if !noc.tick(tick + 1, tick, false).0.is_empty() {
                last = tick;
            }
            for output in 0..form.routers() as usize {
                // Sinks are full for a while now and then.
                if below(mix(tick >> 6, output as u64), 4) != 0 {
                    noc.pop(output, u64::MAX);
                }
            }
            assert!(noc.is_idle() || tick < last + 2_000, "{width} × {height}: nothing arrives since {last}");
        }
        assert!(noc.is_idle() && sent > 1_000);
    }
}

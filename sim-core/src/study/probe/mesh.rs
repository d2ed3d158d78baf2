//! The mesh alone.

use super::arrivals::{Latencies, Source};
use super::given::MeshProbe;
use super::{options, theory};
use crate::describe::error::Problems;
use crate::describe::gpu::{NocConfig, NocKind, StoreFlits};
use crate::describe::ids::Set;
use crate::describe::rng::{below, mix};
use crate::describe::value::Value;
use crate::machine::noc::{Ends, Moment, Noc};
use crate::machine::packet::{Node, Packet, Packets, Queue, Request};
use alloc::vec;
use alloc::vec::Vec;

/// Drives one mesh. Figures: `throughput` (flits per node and cycle), `latency_mean`, `latency_p99` (cycles from a packet's creation to
/// its tail), `hops_mean` (links that a packet has crossed). `idle_longest` is the most cycles between two arrivals: a deadlock would have
/// it grow.
pub fn mesh(options: &MeshProbe) -> Result<Value, Problems> {
    options::mesh_problems(options).or(())?;
    let &MeshProbe { form, flits, load, traffic, arbiter, cycles, seed } = options;
    let config =
        NocConfig { kind: NocKind::Mesh, mhz: 1, flit_bytes: 16, queue: 4, latency: 0, arbiter, store_flits: StoreFlits::Line, mesh: form };
    let nodes = form.routers() as u16;
    let mut noc = Noc::new(&config, Ends::new(nodes, 0..nodes, nodes..2 * nodes), flits, seed);
    let (mut packets, mut sinks, mut arrived) = (Packets::default(), vec![Queue::new(1); usize::from(nodes)], Set::EMPTY);
    let source = |node: u16| Source::new(mix(seed, node.into()), load / f64::from(flits));
    let mut sources: Vec<Source> = (0..nodes).map(source).collect();
    let (warm, mut passed, mut hops, mut latencies) = (cycles / 10, 0_u64, 0_u64, Latencies::default());
    let (mut last, mut idle_longest) = (0, 0);
    for cycle in 0..cycles {
        for (node, source) in (0_u16..).zip(&mut sources) {
            while noc.has_room(node.into())
                && let Some(created) = source.oldest(cycle)
            {
                let to = traffic.destinations(&form, node.into());
                let to = to.start + below(mix(mix(seed, !created), node.into()), to.len() as u64) as u32;
                let request = Request { since: created, ..Request::default() };
                let handle = packets.add(Packet::new(request, Node(node), Node(nodes + to as u16), flits));
                let _ = noc.push(&mut packets, cycle, handle);
                source.take();
            }
        }
        noc.tick(Moment { tick: cycle + 1, now: cycle, reversed: false }, &mut packets, &mut sinks, &mut arrived, |_| ());
        if !arrived.is_empty() || noc.is_idle() {
            last = cycle;
        }
        idle_longest = idle_longest.max(cycle - last);
        for output in core::mem::take(&mut arrived).members(false) {
            let Some(handle) = sinks[output as usize].pop(&packets) else { continue };
            if cycle >= warm {
                let packet = &packets[handle];
                latencies.add(cycle + 1 - packet.request.since);
                passed += u64::from(packet.flits);
                hops += u64::from(packet.hops);
            }
            packets.remove(handle);
        }
    }
    let count = latencies.count;
    Ok(Value::object([
        ("throughput", Value::Float(passed as f64 / (cycles - warm) as f64 / f64::from(nodes))),
        ("latency_mean", latencies.mean().into()),
        ("latency_p99", latencies.p99().into()),
        ("hops_mean", (count > 0).then(|| hops as f64 / count as f64).into()),
        ("idle_longest", idle_longest.into()),
        ("packets", count.into()),
        ("theory", theory::mesh(options)),
    ]))
}

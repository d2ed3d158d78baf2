//! What a digest of the memory side covers: the content of every queue in order, wherever its records are.

use super::super::packet::Queue;
use super::Memory;
use super::{Packet, Set};
use core::hash::{Hash, Hasher};

impl Hash for Memory {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let request = |packet: &Packet, state: &mut H| packet.request.hash(state);
        let reply = |packet: &Packet, state: &mut H| packet.hash_answer(state);
        let forward = |packet: &Packet, state: &mut H| {
            packet.hash_answer(state);
            packet.to.hash(state);
        };
        self.hash_queues(&self.noc.to_sm, self.noc.reply_queue, reply, state);
        self.stats.hash(state);
        self.noc.requests.hash(self.noc.ticks, &self.packets, request, state);
        self.noc.replies.hash(self.noc.ticks, &self.packets, reply, state);
        self.hash_queues(&self.banks.queues, self.banks.queues[0].capacity(), request, state);
        self.banks.all.len().hash(state);
        self.banks.all.iter().for_each(|bank| bank.hash(&self.packets, state));
        self.banks.all.len().hash(state);
        self.banks.all.iter().for_each(|bank| bank.links().0.hash(state));
        self.channels.all.hash(state);
        self.banks.all.len().hash(state);
        self.banks.all.iter().for_each(|bank| bank.links().1.hash(state));
        (&self.noc.clock, self.noc.ticks, &self.channels.clock, self.channels.ticks, &self.channels.turn).hash(state);
        let banks = || (0..).zip(&self.banks.all);
        set(banks().filter(|&(i, bank)| bank.is_at_work() || !self.banks.queues[i].is_empty()).map(|(i, _)| i)).hash(state);
        set(banks().filter(|(_, bank)| bank.is_asking()).map(|(i, _)| i)).hash(state);
        self.sizes.hash(state);
        if let Some(ownership) = &self.ownership {
            ownership.forwards.hash(self.noc.ticks, &self.packets, forward, state);
            self.hash_queues(&ownership.to_owner, self.noc.reply_queue, forward, state);
        }
    }
}

impl Memory {
    /// Feeds the packets that SMs or banks have not taken yet.
    fn hash_queues<H: Hasher>(&self, queues: &[Queue], capacity: u32, content: impl Fn(&Packet, &mut H), state: &mut H) {
        queues.len().hash(state);
        for queue in queues {
            (queue.len() as usize).hash(state);
            for packet in queue.iter(&self.packets) {
                packet.ready.hash(state);
                content(packet, state);
            }
            // Each is a link of one cycle.
            (capacity, 1_u32).hash(state);
        }
    }
}

fn set(members: impl Iterator<Item = usize>) -> Set {
    let mut set = Set::EMPTY;
    members.for_each(|member| set.insert(member as u32));
    set
}

use super::*;
use crate::describe::digest::Fnv;
use crate::describe::gpu::mesh::MeshConfig;
use crate::describe::gpu::*;
use crate::describe::rng::{below, mix};
use crate::interface::controls::WarpOrder;
use crate::study::probe::DramProbe;
use core::hash::{Hash, Hasher};

/// The CCBP GPU with other fixed latencies, and DRAM timings of the first-principles table at its bandwidth, without refresh.
fn gpu() -> Gpu {
    let mut gpu = presets::find("ccbp-16sm").unwrap();
    gpu.l2.latency = 40;
    gpu.dram.latency = 100;
    gpu.dram.timing = DramTiming { T: gpu.dram.timing.T, ..DramProbe::default().config.timing };
    gpu
}

fn controls(gpu: &Gpu) -> Controls {
    Controls::neutral(gpu.sm_count() as usize, WarpOrder::Gto)
}

/// Whether two memory sides are in one state; the records of packets may be elsewhere.
impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|memory| {
            let mut state = Fnv::default();
            memory.hash(&mut state);
            state.finish()
        });
        a == b
    }
}

/// What scripted SMs saw: checks each reply and adds up.
#[derive(Default, PartialEq, Debug)]
struct Seen {
    sent: [u64; 2],
    back: [u64; 2],
    latency: u64,
    stations: [u64; 4],
    reply_noc: u64,
    dram_accesses: u64,
}

impl Seen {
    fn reply(&mut self, now: Cycle, reply: &Packet) {
        let request = &reply.request;
        self.back[request.access as usize] += 1;
        self.latency += request.age(now);
        for (sum, &part) in self.stations.iter_mut().zip(&request.stations) {
            *sum += u64::from(part);
        }
        self.reply_noc += now - request.since;
        self.dram_accesses += u64::from(reply.dram_accesses);
        let parts: u64 = request.stations.iter().map(|&part| u64::from(part)).sum();
        assert_eq!(request.age(now), parts + (now - request.since), "the parts of the latency are its whole");
    }
}

/// SMs that try to send a random request each in `rate` of 256 cycles until `stop`, and take replies in `take` of 256 cycles.
struct Script {
    seed: u64,
    rate: u64,
    take: u64,
    lines: u64,
    writes: u64,
    kernels: u64,
    stop: Cycle,
}

impl Script {
    fn after_step(&self, now: Cycle, memory: &mut Memory, seen: &mut Seen) {
        for sm in 0..memory.noc.to_sm.len() as u32 {
            let key = mix(mix(self.seed, now), u64::from(sm));
            if below(mix(key, 9), 256) < self.take
                && let Some(reply) = memory.take_reply(now, sm)
            {
                assert_eq!(u32::from(reply.request.sm), sm);
                seen.reply(now, reply);
            }
            if now < self.stop && below(key, 256) < self.rate {
                let access = if below(mix(key, 1), 256) < self.writes { Access::Write } else { Access::Read };
                let request = Request {
                    line: below(mix(key, 2), self.lines) as u32,
                    sm: sm as u16,
                    kernel: KernelId(below(mix(key, 3), self.kernels) as u8),
                    access,
                    since: now,
                    ..Request::default()
                };
                if memory.has_room(sm) {
                    memory.inject(now, request);
                    seen.sent[access as usize] += 1;
                }
            }
        }
    }
}

fn random_gpu(round: u64) -> Gpu {
    let draw = |part: u64, bound: u64| below(mix(round, part), bound) as u32;
    let mut gpu = gpu();
    gpu.sms[0].count = 1 + draw(0, 6);
    gpu.core_mhz = 500 + draw(1, 1500);
    gpu.noc.mhz = 500 + draw(2, 1500);
    gpu.dram.mhz = 500 + draw(3, 1500);
    gpu.noc.queue = 1 + draw(4, 3);
    gpu.noc.latency = draw(5, 4);
    gpu.noc.arbiter = [Arbiter::RoundRobin, Arbiter::Random, Arbiter::Oldest][draw(6, 3) as usize];
    gpu.noc.kind = [NocKind::Ideal, NocKind::Crossbar, NocKind::Crossbar, NocKind::Mesh][draw(7, 4) as usize];
    let [width, height] = [[4, 4], [9, 1], [2, 5], [3, 3]][draw(21, 4) as usize];
    gpu.noc.mesh = MeshConfig { width, height, hop: 1 + draw(22, 9), buffer: 1 + draw(23, 12), first_sm: draw(24, 3) };
    gpu.dram.channels = 1 + draw(8, 3);
    gpu.l2.banks = gpu.dram.channels * (1 + draw(9, 3));
    gpu.l2.bank_bytes = 128 * 4 * (1 + draw(10, 8));
    gpu.l2.ways = 1 + draw(11, 4);
    gpu.l2.mshrs = 1 + draw(12, 5);
    gpu.l2.merges = 1 + draw(13, 3);
    gpu.l2.queue = 1 + draw(14, 3);
    gpu.l2.latency = 1 + draw(15, 5);
    gpu.dram.kind = if draw(16, 4) == 0 { DramKind::Ideal } else { DramKind::Banked };
    gpu.dram.queue = 1 + draw(17, 6);
    gpu.dram.latency = draw(18, 30);
    gpu.dram.timing.tREFI = draw(19, 2) * 500;
    gpu.dram.timing.tRFC = 60;
    gpu.dram.page = if draw(20, 2) == 0 { PagePolicy::Open } else { PagePolicy::Closed };
    gpu.dram.order = if draw(25, 2) == 0 { DramOrder::ReadsFirst } else { DramOrder::OneQueue };
    gpu
}

/// Everything that enters leaves, on GPUs with every queue small, while SMs take replies only now and then.
#[test]
fn nothing_is_lost_and_nothing_blocks_for_ever() {
    for round in 0..60 {
        let gpu = random_gpu(round);
        let controls = controls(&gpu);
        let mut memory = Memory::new(&gpu, 3, round);
        let script = Script { seed: round, rate: 200, take: 90, lines: 300, writes: 80, kernels: 3, stop: 8_000 };
        let mut seen = Seen::default();
        let mut now = 0;
        while now < script.stop || !memory.is_idle() {
            memory.step(now, &controls, false);
            script.after_step(now, &mut memory, &mut seen);
            now += 1;
            assert!(now < 400_000, "round {round}: stuck with {seen:?}");
        }
        assert!(seen.sent[0] > 50 && seen.sent[1] > 20, "round {round}: {seen:?}");
        assert_eq!(seen.sent, seen.back, "round {round}");
        assert_eq!(seen.latency, seen.stations.iter().sum::<u64>() + seen.reply_noc);
        let mut all = KernelStats::default();
        memory.stats.iter().for_each(|stats| all += *stats);
        let line_flits = u64::from(gpu.line_flits());
        assert_eq!(all.noc_request_flits, seen.sent[0] + line_flits * seen.sent[1]);
        assert_eq!([all.noc_reply_flits, all.noc_acknowledgement_flits], [line_flits * seen.sent[0], seen.sent[1]]);
        assert_eq!([all.l2_reads, all.l2_writes], seen.sent);
        assert_eq!(all.l2_hits + all.l2_merged + all.l2_misses, seen.sent[0] + seen.sent[1]);
        assert_eq!(all.l2_misses, all.dram_reads);
        assert_eq!(seen.dram_accesses, all.l2_misses + all.l2_dirty_victims);
        // All links together have carried what kernels are said to have sent over them; fetches have their way to the channel by hops alone.
        let links: u64 = memory.link_flits().iter().flatten().sum();
        let fetched: u64 = memory.stats.iter().map(|stats| stats.noc_read_crossings + stats.noc_write_crossings).sum::<u64>() - links;
        if gpu.noc.kind == NocKind::Mesh {
            let most = (0..gpu.l2.banks).map(|bank| gpu.noc.mesh.hops_to_channel(bank, bank % gpu.dram.channels)).max().unwrap_or(0);
            assert!(links > 0 && fetched.is_multiple_of(1 + line_flits) && fetched <= all.dram_reads * (1 + line_flits) * u64::from(most));
        } else {
            assert_eq!((links, fetched), (0, 0));
        }
        // No SM waits for the last writes; DRAM completes them later.
        for _ in 0..20_000 {
            memory.step(now, &controls, false);
            now += 1;
        }
        let mut all = KernelStats::default();
        memory.stats.iter().for_each(|stats| all += *stats);
        assert_eq!(all.l2_dirty_victims, all.dram_writes);
        assert!(all.dram_row_hits <= all.dram_reads + all.dram_writes);
    }
}

/// The order of components within a phase does not matter.
#[test]
fn backwards_is_the_same() {
    for round in 100..130 {
        let gpu = random_gpu(round);
        let mut controls = controls(&gpu);
        controls.dram_rank[KernelId(1)] = 2;
        let (mut forward, mut backward) = (Memory::new(&gpu, 3, round), Memory::new(&gpu, 3, round));
        let script = Script { seed: round, rate: 150, take: 120, lines: 300, writes: 80, kernels: 3, stop: 3_000 };
        let (mut seen, mut seen_back) = (Seen::default(), Seen::default());
        for now in 0..4_000 {
            forward.step(now, &controls, false);
            backward.step(now, &controls, true);
            assert!(forward == backward, "round {round}, cycle {now}");
            script.after_step(now, &mut forward, &mut seen);
            script.after_step(now, &mut backward, &mut seen_back);
        }
        assert_eq!(seen, seen_back);
    }
}

/// CCBP §4.1: hits whose replies keep the NoC busy keep misses from DRAM. Behind 40 hits a miss is looked up once all of them but those that the
/// bank and its port hold have arrived.
#[test]
fn a_busy_port_keeps_misses_from_dram() {
    let mut gpu = gpu();
    (gpu.l2.banks, gpu.dram.channels, gpu.noc.mhz) = (1, 1, gpu.core_mhz);
    let (controls, mut memory, mut now) = (controls(&gpu), Memory::new(&gpu, 1, 1), 0);
    let read = |line, sm, now| Request { line, sm, since: now, ..Request::default() };
    memory.inject(now, read(0, 0, now));
    while memory.take_reply(now, 0).is_none() {
        now += 1;
        memory.step(now, &controls, false);
    }
    for _ in 0..5 {
        (0..8).for_each(|sm| memory.inject(now, read(0, sm, now)));
        now += 1;
        memory.step(now, &controls, false);
    }
    memory.inject(now, read(1, 7, now));
    while memory.stats[0].l2_misses < 2 {
        now += 1;
        memory.step(now, &controls, false);
    }
    let arrived: u32 = memory.noc.to_sm.iter().map(Queue::len).sum();
    let in_bank = gpu.l2.queue + gpu.l2.latency / gpu.line_flits();
    let in_port = memory.reply_queue(0)[KernelId(0)];
    // A reply has just made room for the miss.
    assert_eq!((40 - in_port - arrived, in_port), (in_bank - 1, gpu.noc.queue + gpu.noc.latency), "{arrived} of 40 have arrived");
}

/// Visiting every bank and channel all the time gives the same as visiting those that are due.
#[test]
fn visiting_everything_is_the_same() {
    for round in 300..330 {
        let gpu = random_gpu(round);
        let controls = controls(&gpu);
        let (mut lazy, mut eager) = (Memory::new(&gpu, 3, round), Memory::new(&gpu, 3, round));
        let script = Script { seed: round, rate: 150, take: 120, lines: 300, writes: 80, kernels: 3, stop: 5_000 };
        let (mut seen, mut seen_eager) = (Seen::default(), Seen::default());
        for now in 0..6_000 {
            eager.channels.due.all(gpu.dram.channels, eager.channels.ticks);
            eager.channels.asked = Set::below(gpu.dram.channels);
            let banks = Set::below(gpu.l2.banks);
            let all = &mut eager.banks;
            (all.replying, all.answering, all.queued, all.stalled) = (banks, banks, banks, Set::EMPTY);
            lazy.step(now, &controls, false);
            eager.step(now, &controls, false);
            assert!(lazy == eager, "round {round}, cycle {now}");
            script.after_step(now, &mut lazy, &mut seen);
            script.after_step(now, &mut eager, &mut seen_eager);
        }
        assert_eq!(seen, seen_eager);
    }
}

/// Skipping to the next event gives the same as stepping through, and the event comes then or later, never before.
#[test]
fn skipping_is_the_same_as_stepping() {
    let mut skipped = 0;
    for round in 200..240 {
        let gpu = random_gpu(round);
        let mut controls = controls(&gpu);
        let (mut stepped, mut skipping) = (Memory::new(&gpu, 3, round), Memory::new(&gpu, 3, round));
        // One request now and then, so that there is something to skip.
        let script = Script { seed: round, rate: 1 + round % 3 * 4, take: 256, lines: 2_000, writes: 80, kernels: 3, stop: 8_000 };
        let (mut seen, mut seen_skipping) = (Seen::default(), Seen::default());
        let mut wake = 0;
        for now in 0..10_000 {
            if now == 5_000 {
                controls.dram_rank[KernelId(0)] = 1;
            }
            stepped.step(now, &controls, false);
            if wake > now && now != 5_000 {
                skipping.skip(1);
                skipped += 1;
            } else {
                skipping.step(now, &controls, false);
            }
            assert!(stepped == skipping, "round {round}, cycle {now}");
            script.after_step(now, &mut stepped, &mut seen);
            script.after_step(now, &mut skipping, &mut seen_skipping);
            wake = skipping.next_event(now);
        }
        assert_eq!(seen, seen_skipping);
        let mut jumped = stepped.clone();
        for _ in 0..777 {
            stepped.skip(1);
        }
        jumped.skip(777);
        assert!(stepped == jumped);
    }
    assert!(skipped > 100_000, "only {skipped} cycles were idle");
}

/// First principles: requests of one flit, replies of five, both crossbars, all SMs sending as fast as they can.
#[test]
fn two_crossbars_saturate_where_replies_do() {
    let mut gpu = gpu();
    gpu.noc.mhz = gpu.core_mhz;
    // Queues at the banks that never fill. With real ones a full bank holds back requests for others: 8 places give .104.
    gpu.l2.queue = 65_536;
    let controls = controls(&gpu);
    let mut memory = Memory::new(&gpu, 1, 1);
    // A footprint that L2 holds, so that after the first touch everything hits.
    let script = Script { seed: 5, rate: 256, take: 256, lines: 4_096, writes: 0, kernels: 1, stop: NEVER };
    let mut seen = Seen::default();
    let mut at_warm = 0;
    for now in 0..60_000 {
        memory.step(now, &controls, false);
        script.after_step(now, &mut memory, &mut seen);
        if now == 20_000 {
            at_warm = seen.back[0];
        }
    }
    let rate = (seen.back[0] - at_warm) as f64 / 40_000.0 / 16.0;
    assert!((rate - 0.1205).abs() < 0.002, "{rate}");
}

/// A store misses, fetches its line, makes it dirty; the line that pushes it out pays for both accesses.
#[test]
fn reply_headers_say_what_a_request_cost() {
    let mut gpu = gpu();
    gpu.l2.banks = 1;
    gpu.dram.channels = 1;
    gpu.l2.bank_bytes = 128;
    gpu.l2.ways = 1;
    let controls = controls(&gpu);
    let mut memory = Memory::new(&gpu, 2, 0);
    let mut now = 0;
    let mut cost = |line, access, kernel| {
        let request = Request { line, access, kernel: KernelId(kernel), since: now, ..Request::default() };
        memory.inject(now, request);
        loop {
            now += 1;
            memory.step(now, &controls, false);
            if let Some(reply) = memory.take_reply(now, 0) {
                return reply.dram_accesses;
            }
        }
    };
    assert_eq!(cost(7, Access::Write, 0), 1);
    assert_eq!(cost(7, Access::Read, 0), 0);
    assert_eq!(cost(9, Access::Read, 1), 2);
    assert_eq!(cost(7, Access::Read, 1), 1);
    assert_eq!([memory.stats[0].l2_dirty_victims, memory.stats[1].l2_dirty_victims], [0, 1]);
    assert_eq!([memory.stats[0].l2_misses, memory.stats[1].l2_misses], [1, 2]);
}

/// The fixed latencies are added once, and nothing else depends on them.
#[test]
fn unloaded_latency_follows_its_parameters() {
    let (hit, miss) = crate::study::probe::unloaded_latency(&gpu());
    let mut slower = gpu();
    slower.l2.latency += 12;
    slower.dram.latency += 30;
    let (slower_hit, slower_miss) = crate::study::probe::unloaded_latency(&slower);
    // 12 NoC cycles are 18 core cycles.
    assert!((slower_hit - hit - 18.0).abs() < 0.5, "{hit} {slower_hit}");
    assert!((slower_miss - miss - 48.0).abs() < 0.5, "{miss} {slower_miss}");
}

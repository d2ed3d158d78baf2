//! The memory side of an SM: replies fill L1D and end loads, the LSU sends lines to L1D, what misses leaves by the miss queue.

use super::lsu::Refusal;
use super::{Sm, World};
use crate::describe::ids::{Cycle, KernelId};
use crate::machine::memory::Memory;
use crate::machine::packet::{Access, Reply, Request};
use crate::seam::controls::SmControls;
use crate::seam::stats::KernelStats;

impl Sm {
    pub(super) fn receive(&mut self, now: Cycle, reply: Reply, world: World) {
        let request = reply.request;
        let stats = &mut self.stats[request.kernel.index()];
        stats.replies += 1;
        stats.reported_dram_accesses += u64::from(reply.dram_accesses);
        match request.access {
            Access::Write => {
                self.stores -= 1;
                self.retry_refused(now, &[Refusal::StoreBuffer]);
            }
            Access::Read => {
                stats.latency_count += 1;
                stats.latency_sum += request.age(now);
                stats.wait_miss_queue += u64::from(request.stations[0]);
                stats.wait_request_noc += u64::from(request.stations[1]);
                stats.wait_l2 += u64::from(request.stations[2]);
                stats.wait_dram += u64::from(request.stations[3]);
                stats.wait_reply_noc += now - request.since;
                self.l1.fill(request.line, request.kernel, false, world.controls.l1_ways[request.kernel]);
                while let Some(load) = self.mshrs.take(request.tag) {
                    let entry = self.loads.get(load);
                    entry.lines -= 1;
                    let (lines, ready) = (entry.lines, entry.ready);
                    if lines == 0 && ready <= now {
                        self.complete_load(now, load, world);
                    } else if lines == 0 {
                        let after = self.hits.partition_point(|&(at, _)| at <= ready);
                        self.hits.insert(after, (ready, load));
                    }
                }
                self.retry_refused(now, &[Refusal::Mshr, Refusal::Merge]);
            }
        }
    }

    pub(super) fn retry_refused(&mut self, now: Cycle, over: &[Refusal]) {
        if self.lsu.any_refused() {
            let stats = &mut self.stats;
            self.lsu.retry(now, over, |kernel, why, cycles| charge_refusal(&mut stats[kernel.index()], why, cycles));
        }
    }

    pub(super) fn complete_load(&mut self, now: Cycle, load: u16, world: World) {
        let load = self.loads.close(load);
        let stats = &mut self.stats[load.kernel.index()];
        stats.load_latency_sum += now - load.issued;
        stats.loads_done += 1;
        if self.capped != 0 {
            self.uncap(load.kernel, world.controls);
        }
        let (s, bit) = (load.warp.scheduler(), load.warp.bit());
        let warp = &mut self.warps[load.warp.index()];
        warp.loads -= 1;
        let scheduler = &mut self.schedulers[s];
        if load.missed {
            warp.missed_loads -= 1;
            if warp.missed_loads == 0 {
                if scheduler.waiting & bit != 0 {
                    self.wait_memory[load.kernel].leave(1, *self.from);
                }
                scheduler.missed &= !bit;
                *self.awake |= 1 << s;
            }
        }
        if scheduler.waiting & bit != 0 && u32::from(warp.loads) <= warp.wait_for {
            let at = warp.ready_from.max(now);
            if scheduler.missed & bit != 0 {
                self.wait_memory[load.kernel].leave(1, *self.from);
            }
            scheduler.waiting &= !bit;
            *self.awake |= 1 << s;
            self.proceed(now, at, load.warp, world);
        }
    }

    pub(super) fn drain_misses(&mut self, now: Cycle, controls: &SmControls, memory: &mut Memory) {
        if self.miss_queue.is_empty() {
            return;
        }
        let room = memory.has_room(self.id.into());
        self.door_shut.0 = !room && self.miss_queue.at_door(now);
        if room && let Some(request) = self.miss_queue.leave(now) {
            memory.inject(now, request);
        }
        if let Some(request) = self.miss_queue.grant(now, controls) {
            let stats = &mut self.stats[request.kernel.index()];
            stats.requests += 1;
            stats.read_requests += u64::from(request.access == Access::Read);
            self.retry_refused(now, &[Refusal::MissQueue]);
        }
    }

    /// Sends the next line of a kernel's oldest memory instruction to L1D.
    pub(super) fn access_l1(&mut self, now: Cycle, kernel: KernelId, world: World) {
        let controls = world.controls;
        let head = self.lsu.head(kernel, &world.codes[kernel.index()]);
        if let (Access::Read, Some(lines)) = (head.access, head.fresh) {
            self.loads.get(head.load).lines = lines as u16;
        }
        let request = Request {
            line: head.line,
            sm: self.id,
            kernel,
            access: head.access,
            bytes: head.bytes,
            born: now as u32,
            since: now,
            ..Request::default()
        };
        let outcome = match head.access {
            Access::Read => self.read_l1(now, head.load, request, controls),
            Access::Write => self.write_l1(request, controls),
        };
        match outcome {
            Ok(()) => {
                let was_full = self.lsu.full();
                self.lsu.taken(kernel);
                if let Some(monitor) = &mut self.monitor {
                    monitor.access(kernel, head.line, head.access);
                }
                if self.capped != 0 {
                    self.uncap(kernel, controls);
                }
                if was_full != self.lsu.full() {
                    self.set_gates();
                }
            }
            Err(why) => self.lsu.refuse(kernel, why, now),
        }
    }

    fn read_l1(&mut self, now: Cycle, load: u16, mut request: Request, controls: &SmControls) -> Result<(), Refusal> {
        let kernel = request.kernel;
        if self.l1.lookup(request.line).is_some() {
            let stats = &mut self.stats[kernel.index()];
            stats.l1_reads += 1;
            stats.l1_hits += 1;
            let entry = self.loads.get(load);
            entry.lines -= 1;
            entry.ready = now + Cycle::from(self.l1_latency);
            if entry.lines == 0 {
                self.hits.push_back((entry.ready, load));
            }
            return Ok(());
        }
        if let Some(entry) = self.mshrs.find(request.line) {
            self.mshrs.merge(entry, load).map_err(|_| Refusal::Merge)?;
            self.stats[kernel.index()].l1_merged += 1;
        } else {
            if self.mshrs.is_full() {
                return Err(Refusal::Mshr);
            }
            if !self.miss_queue.has_room(kernel, controls) {
                return Err(Refusal::MissQueue);
            }
            request.tag = self.mshrs.allocate(request.line, load).map_err(|_| Refusal::Mshr)?;
            self.miss_queue.push(request, controls).map_err(|_| Refusal::MissQueue)?;
            self.stats[kernel.index()].l1_misses += 1;
        }
        self.stats[kernel.index()].l1_reads += 1;
        let entry = self.loads.get(load);
        if !entry.missed {
            entry.missed = true;
            let warp = entry.warp;
            self.warps[warp.index()].missed_loads += 1;
            let scheduler = &mut self.schedulers[warp.scheduler()];
            if scheduler.waiting & !scheduler.missed & warp.bit() != 0 {
                self.wait_memory[kernel].enter(1, *self.from);
            }
            scheduler.missed |= warp.bit();
            *self.awake |= 1 << warp.scheduler();
        }
        Ok(())
    }

    /// Write-through, no allocation, and the line leaves L1D if it is there (write-evict).
    fn write_l1(&mut self, request: Request, controls: &SmControls) -> Result<(), Refusal> {
        if self.stores == self.store_buffer {
            return Err(Refusal::StoreBuffer);
        }
        self.miss_queue.push(request, controls).map_err(|_| Refusal::MissQueue)?;
        self.l1.invalidate(request.line);
        self.stores += 1;
        self.stats[request.kernel.index()].l1_writes += 1;
        Ok(())
    }
}

pub(super) fn charge_refusal(stats: &mut KernelStats, why: Refusal, cycles: u64) {
    match why {
        Refusal::Mshr => stats.fail_mshr += cycles,
        Refusal::Merge => stats.fail_merge += cycles,
        Refusal::MissQueue => stats.fail_miss_queue += cycles,
        Refusal::StoreBuffer => stats.fail_store_buffer += cycles,
    }
}

//! What a script sees, by the names that it says: each is declared once, and that line gives its value, and its words in the editor and the docs.

use crate::describe::goal::Goal;
use crate::describe::ids::{Cycle, PerKernel};
use crate::describe::value::Value;
use crate::interface::observation::{Observation, Progress};
use crate::interface::ratios::{self, Rates};
use crate::interface::stats::{KernelStats, StallCause, StallCounts};
use alloc::vec::Vec;

/// An observation of a script's own, which lives as long as a call.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    now: Cycle,
    /// Cycles of the window.
    cycles: Cycle,
    sms: usize,
    peak_ipc: u32,
    /// IPC of each kernel alone, where it was measured.
    alone: Vec<f64>,
    /// Shares of the peaks that each kernel takes in the window.
    noc: Vec<Option<f64>>,
    dram: Vec<Option<f64>>,
    goals: Vec<Option<Goal>>,
    grid: Vec<u32>,
    progress: Vec<Progress>,
    cta_limit: Vec<PerKernel<u32>>,
    resident: Vec<PerKernel<u32>>,
    queued: Vec<PerKernel<u32>>,
    idle_warps: Vec<PerKernel<u32>>,
    peak_in_flight: Vec<PerKernel<u32>>,
    window: Vec<KernelStats>,
    total: Vec<KernelStats>,
    on_sm: Vec<Vec<KernelStats>>,
    stalls_on_sm: Vec<Vec<StallCounts>>,
}

impl Seen {
    /// What is seen, in a window that began at `since`.
    pub fn of(seen: &Observation, since: Cycle) -> Seen {
        let cycles = seen.now - since;
        let rates: Vec<Rates> = seen.window.iter().map(|stats| Rates::of(stats, seen.gpu, cycles)).collect();
        Seen {
            now: seen.now,
            cycles,
            sms: seen.gpu.sm_count() as usize,
            peak_ipc: ratios::peak_ipc(seen.gpu),
            noc: rates.iter().map(|rates| rates.noc_utilisation).collect(),
            dram: rates.iter().map(|rates| rates.dram_utilisation).collect(),
            alone: seen.profile.each(|alone| alone.ipc),
            goals: seen.goals.to_vec(),
            grid: seen.grid.to_vec(),
            progress: seen.progress.to_vec(),
            cta_limit: seen.cta_limit.to_vec(),
            resident: seen.resident.to_vec(),
            queued: seen.queued.to_vec(),
            idle_warps: seen.idle_warps.to_vec(),
            peak_in_flight: seen.peak_in_flight.to_vec(),
            window: seen.window.to_vec(),
            total: seen.total.to_vec(),
            on_sm: seen.on_sm.to_vec(),
            stalls_on_sm: seen.stalls_on_sm.to_vec(),
        }
    }

    /// Kernels of the mix.
    pub fn kernels(&self) -> usize {
        self.total.len()
    }

    /// SMs of the GPU.
    pub fn sms(&self) -> usize {
        self.sms
    }

    fn ipc(&self, kernel: usize) -> Option<f64> {
        ratios::ipc(&self.window[kernel], self.cycles)
    }

    fn alone(&self, kernel: usize) -> Option<f64> {
        self.alone.get(kernel).copied().filter(|ipc| *ipc > 0.0)
    }

    fn share(&self, part: impl Fn(&KernelStats) -> u64, whole: impl Fn(&KernelStats) -> u64, kernel: usize) -> Option<f64> {
        let (part, whole) = (part(&self.window[kernel]), whole(&self.window[kernel]));
        (whole > 0).then(|| part as f64 / whole as f64)
    }
}

/// What a script can ask for a name.
#[derive(Clone, Copy, Debug)]
pub enum Object {
    /// `seen`.
    Run,
    /// A kernel since the last interval ended.
    Kernel(usize),
    /// A kernel's counters since the run began.
    Total(usize),
    /// An SM.
    Sm(usize),
    /// An SM and a kernel on it.
    OnSm(usize, usize),
}

impl Object {
    /// What it is, in words.
    pub fn title(self) -> &'static str {
        match self {
            Object::Run => "seen",
            Object::Kernel(_) => "a kernel",
            Object::Total(_) => "the total of a kernel",
            Object::Sm(_) => "an SM",
            Object::OnSm(..) => "a kernel on an SM",
        }
    }

    /// Its value by a name; nothing if it has no such name.
    pub fn get(self, seen: &Seen, name: &str) -> Option<Value> {
        let (table, sm, kernel) = match self {
            Object::Run => (RUN, 0, 0),
            Object::Kernel(kernel) => (KERNEL, 0, kernel),
            Object::Total(kernel) => (&[][..], 0, kernel),
            Object::Sm(sm) => (SM, sm, 0),
            Object::OnSm(sm, kernel) => (ON_SM, sm, kernel),
        };
        if let Some(known) = table.iter().find(|known| known.name == name) {
            return Some((known.get)(seen, sm, kernel));
        }
        let counters = match self {
            Object::Run | Object::Sm(_) => return None,
            Object::Kernel(kernel) => seen.window[kernel],
            Object::Total(kernel) => seen.total[kernel],
            Object::OnSm(sm, kernel) => seen.on_sm[sm][kernel],
        };
        let counter = KernelStats::INFO.iter().position(|info| info.key == name)?;
        Some(counters.values()[counter].into())
    }
}

/// A name that a script can say of an object.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The name.
    pub name: &'static str,
    /// Unit; empty for a plain number.
    pub unit: &'static str,
    /// Meaning.
    pub doc: &'static str,
    /// Its value, of a kernel and on an SM where the object is of these.
    pub get: fn(&Seen, sm: usize, kernel: usize) -> Value,
}

macro_rules! names {
    ($($(#[$meta:meta])* $TABLE:ident { $($name:ident: $unit:literal, $doc:literal => $get:expr;)* })*) => {
        $($(#[$meta])* pub const $TABLE: &[Name] = &[$(Name { name: stringify!($name), unit: $unit, doc: $doc, get: $get },)*];)*
    };
}

names! {
    /// Of `seen`. It also has `kernels` and `sms`, which are lists.
    RUN {
        now: "cycles", "The present cycle" => |seen, _, _| seen.now.into();
        cycles: "cycles", "Cycles since the last interval ended, of which a kernel's counters are" => |seen, _, _| seen.cycles.into();
        peak_ipc: "thread instructions per cycle", "What all schedulers together can issue" => |seen, _, _| seen.peak_ipc.into();
    }
    /// Of an entry of `seen.kernels`. It also has every counter since the last interval ended, and `total`, which has every counter since the run began.
    KERNEL {
        index: "", "Its place in the mix, from 0: what stands in the brackets of a control" => |_, _, kernel| kernel.into();
        ipc: "thread instructions per cycle", "IPC since the last interval ended; () before the first cycle" => |seen, _, kernel| seen.ipc(kernel).into();
        ipc_alone: "thread instructions per cycle", "IPC by itself; () where profile_cycles is 0" => |seen, _, kernel| seen.alone(kernel).into();
        progress: "of its IPC alone", "IPC since the last interval over IPC alone; () where one is not known" => |seen, _, kernel| {
            seen.ipc(kernel).zip(seen.alone(kernel)).map(|(shared, alone)| shared / alone).into()
        };
        goal: "of its IPC alone", "What it should keep (qos); () where there is no such goal" => |seen, _, kernel| match seen.goals.get(kernel) {
            Some(Some(Goal::OfAlone(share))) => (*share).into(),
            _ => Value::Null,
        };
        goal_ipc: "thread instructions per cycle", "The IPC that its goal asks for (qos); () without a goal, or where IPC alone is not known" => |seen, _, kernel| {
            seen.goals.get(kernel).copied().flatten().and_then(|goal| goal.ipc(seen.alone(kernel))).into()
        };
        noc_utilisation: "of the peak", "Share of the reply crossbar that its lines take since the last interval; () with an ideal NoC" => |seen, _, kernel| {
            seen.noc[kernel].into()
        };
        dram_utilisation: "of the peak", "Share of the DRAM data buses that its lines take since the last interval; () with an ideal DRAM" => |seen, _, kernel| {
            seen.dram[kernel].into()
        };
        l1_hit_rate: "of the reads", "Reads since the last interval that found their line in L1D; () without reads" => |seen, _, kernel| {
            seen.share(|stats| stats.l1_hits, |stats| stats.l1_reads, kernel).into()
        };
        l2_miss_rate: "of the lookups", "Lookups of L2 since the last interval that sent a fetch to DRAM; () without lookups" => |seen, _, kernel| {
            seen.share(|stats| stats.l2_misses, |stats| stats.l2_reads + stats.l2_writes, kernel).into()
        };
        latency: "cycles", "Mean time of an L1D read miss since the last interval; () without replies" => |seen, _, kernel| {
            seen.share(|stats| stats.latency_sum, |stats| stats.latency_count, kernel).into()
        };
        resident: "CTAs", "Its CTAs on all SMs now" => |seen, _, kernel| sum(&seen.resident, kernel).into();
        cta_limit: "CTAs per SM", "What an SM can hold of it alone, on the SM with least room" => |seen, _, kernel| {
            seen.cta_limit.iter().map(|sm| sm.0[kernel]).min().unwrap_or(0).into()
        };
        queued: "requests", "Its requests that wait in all miss queues now" => |seen, _, kernel| sum(&seen.queued, kernel).into();
        grid: "CTAs", "CTAs of its launch" => |seen, _, kernel| seen.grid[kernel].into();
        launch: "", "Launch of its sequence, from 0" => |seen, _, kernel| seen.progress[kernel].launch.0.into();
        placed: "CTAs", "CTAs of this launch that have been placed" => |seen, _, kernel| seen.progress[kernel].placed.into();
        waiting: "CTAs", "CTAs that wait for an SM: not yet placed, or switched out" => |seen, _, kernel| seen.progress[kernel].waiting.into();
        done: "CTAs", "CTAs of this launch that have finished" => |seen, _, kernel| seen.progress[kernel].done.into();
        runs: "runs", "Times that it has run to its end" => |seen, _, kernel| seen.progress[kernel].runs.into();
    }
    /// Of an entry of `seen.sms`. It also has `kernels`, a list.
    SM {
        index: "", "Its number, from 0" => |_, sm, _| sm.into();
    }
    /// Of an entry of the `kernels` of an SM. It also has every counter since the run began; what L2 and DRAM count is 0.
    ON_SM {
        index: "", "The kernel's place in the mix, from 0" => |_, _, kernel| kernel.into();
        resident: "CTAs", "Its CTAs there now" => |seen, sm, kernel| seen.resident[sm].0[kernel].into();
        cta_limit: "CTAs", "What the SM can hold of it alone" => |seen, sm, kernel| seen.cta_limit[sm].0[kernel].into();
        queued: "requests", "Its requests that wait in the SM's miss queue now" => |seen, sm, kernel| seen.queued[sm].0[kernel].into();
        idle_warps: "warps", "Its warps there that are ready for a unit that takes nothing now" => |seen, sm, kernel| seen.idle_warps[sm].0[kernel].into();
        peak_in_flight: "memory instructions", "With a memory cap: the most in flight since the last interval" => |seen, sm, kernel| {
            seen.peak_in_flight[sm].0[kernel].into()
        };
        stalls_memory: "scheduler-cycles", "Stalls there that waited for loads that missed L1D, since the run began" => |seen, sm, kernel| {
            seen.stalls_on_sm[sm][kernel].0[StallCause::RawLong.index()].into()
        };
        stalls_lsu: "scheduler-cycles", "Stalls there for which a memory instruction could not enter the LSU, since the run began" => |seen, sm, kernel| {
            seen.stalls_on_sm[sm][kernel].0[StallCause::LsuFull.index()].into()
        };
    }
}

fn sum(on: &[PerKernel<u32>], kernel: usize) -> u32 {
    on.iter().map(|sm| sm.0[kernel]).sum()
}

//! Series over time: what each kernel did in each window of 400 cycles (CCBP's burst plots use the same), as differences of counters.

use crate::describe::gpu::Gpu;
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::value::Value;
use crate::interface::ratios::{dram_peak, noc_peak, peak_ipc};
use crate::interface::stats::{KernelStats, StallCause, StallCounts, StallInfo};
use crate::machine::Machine;
use crate::policy::NOC_SUSTAINABLE;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Core cycles of a window.
pub const WINDOW: Cycle = 400;

/// Windows that are kept; older ones are dropped.
pub const KEPT: usize = 16_384;

/// A column of each kernel.
#[derive(Clone, Copy, Debug)]
struct KernelColumn {
    key: &'static str,
    unit: &'static str,
    title: &'static str,
    doc: &'static str,
    value: fn(&Reading) -> u64,
}

/// What there is of a kernel at the end of a window.
#[derive(Debug)]
struct Reading<'a> {
    gpu: &'a Gpu,
    /// Counters of the window.
    window: KernelStats,
    /// Counters before it.
    before: KernelStats,
    /// What is left of its quotas.
    quota_left: u64,
}

impl Reading<'_> {
    fn flit_bytes(&self) -> u64 {
        self.gpu.noc.flit_bytes.into()
    }

    fn line_bytes(&self) -> u64 {
        self.gpu.l2.line_bytes.into()
    }

    /// Of a read's reply: a line and its header.
    fn reply_bytes(&self) -> u64 {
        u64::from(self.gpu.line_flits()) * self.flit_bytes()
    }
}

const KERNEL_COLUMNS: [KernelColumn; 12] = [
    KernelColumn {
        key: "thread_instructions",
        unit: "thread instructions",
        title: "Thread instructions",
        doc: "Instructions issued in the window, counted once for each active lane",
        value: |of| of.window.thread_instructions,
    },
    KernelColumn {
        key: "warp_instructions",
        unit: "warp instructions",
        title: "Warp instructions",
        doc: "Instructions issued in the window",
        value: |of| of.window.warp_instructions,
    },
    KernelColumn {
        key: "noc_bytes",
        unit: "bytes",
        title: "NoC replies",
        doc: "Bytes of replies to reads, headers included, that passed the L2-to-SM crossbar",
        value: |of| of.window.noc_reply_flits * of.flit_bytes(),
    },
    KernelColumn {
        key: "noc_request_bytes",
        unit: "bytes",
        title: "NoC requests",
        doc: "Bytes of request packets, headers included, that passed the SM-to-L2 crossbar",
        value: |of| of.window.noc_request_flits * of.flit_bytes(),
    },
    KernelColumn {
        key: "noc_demand_bytes",
        unit: "bytes",
        title: "NoC demand",
        doc: "Bytes of the replies to all reads that waited in the L1D miss queues or came to them in the window (CCBP §4.1)",
        value: |of| {
            let came = |stats: &KernelStats| stats.l1_misses + stats.reads_again;
            (came(&of.before) - of.before.read_requests + came(&of.window)) * of.reply_bytes()
        },
    },
    KernelColumn {
        key: "dram_bytes",
        unit: "bytes",
        title: "DRAM",
        doc: "Bytes read from and written to DRAM",
        value: |of| (of.window.dram_reads + of.window.dram_writes) * of.line_bytes(),
    },
    KernelColumn {
        key: "dram_context_bytes",
        unit: "bytes",
        title: "Context switches",
        doc: "Bytes of registers and shared memory of switched CTAs that L2 has passed on to DRAM, or that have come from there",
        value: |of| of.window.dram_context_lines * of.line_bytes(),
    },
    KernelColumn {
        key: "latency_sum",
        unit: "cycles",
        title: "Latency sum",
        doc: "Cycles from entering the miss queue to the reply, summed over the read replies of the window",
        value: |of| of.window.latency_sum,
    },
    KernelColumn {
        key: "latency_count",
        unit: "replies",
        title: "Read replies",
        doc: "Read replies of the window",
        value: |of| of.window.latency_count,
    },
    KernelColumn {
        key: "cta_cycles",
        unit: "CTA cycles",
        title: "Resident CTAs",
        doc: "Resident CTAs of the whole GPU, summed over the cycles of the window",
        value: |of| of.window.cta_cycles,
    },
    KernelColumn {
        key: "quota_top_ups",
        unit: "top-ups",
        title: "Quota top-ups",
        doc: "Quotas that the kernel has got on top before a refill, on all SMs",
        value: |of| of.window.quota_top_ups,
    },
    KernelColumn {
        key: "quota_left",
        unit: "instructions",
        title: "Quota left",
        doc: "What is left of the kernel's quotas at the end of the window, summed over the SMs on which something is left",
        value: |of| of.quota_left,
    },
];

fn quota_left(machine: &Machine, kernel: KernelId) -> u64 {
    machine.sms.iter().map(|sm| sm.gate().quotas.left(kernel).max(0) as u64).sum()
}

/// The windows of a run.
#[derive(Clone, Debug)]
pub struct Windows {
    kernels: usize,
    /// Rows of the kept windows, without the two cycle columns.
    rows: VecDeque<Row>,
    /// Number of the oldest kept window.
    first: u64,
    last_stats: Vec<KernelStats>,
    last_stalls: StallCounts,
    last_kernel_stalls: Vec<StallCounts>,
    /// Flits over each link of the mesh until the last window was closed, and in that window.
    last_links: Vec<[u64; 4]>,
    links: Vec<[u32; 4]>,
}

/// A window that is closed never changes: a snapshot of the run shares it.
type Row = Arc<[u32]>;

impl Windows {
    /// No window yet, for `kernels` kernels.
    pub fn new(kernels: usize) -> Self {
        Windows {
            kernels,
            rows: VecDeque::new(),
            first: 0,
            last_stats: alloc::vec![KernelStats::default(); kernels],
            last_stalls: StallCounts::default(),
            last_kernel_stalls: alloc::vec![StallCounts::default(); kernels],
            last_links: Vec::new(),
            links: Vec::new(),
        }
    }

    /// The next end of a window after `now`.
    pub fn next_end(&self, now: Cycle) -> Cycle {
        now - now % WINDOW + WINDOW
    }

    /// Whether a window ends where `now` begins.
    pub fn ends_at(&self, now: Cycle) -> bool {
        now > 0 && now.is_multiple_of(WINDOW)
    }

    /// Closes the windows that end up to the machine's present cycle: one, or several in which the machine has rested as in the one before them.
    /// Returns how many.
    pub fn close(&mut self, machine: &mut Machine) -> u64 {
        machine.settle();
        let closed = machine.now / WINDOW - self.count();
        let mut row = Vec::with_capacity(self.columns());
        for (kernel, last) in KernelId::first(self.kernels).zip(&mut self.last_stats) {
            let stats = machine.kernel_stats(kernel);
            let reading = Reading { gpu: machine.gpu(), window: stats - *last, before: *last, quota_left: quota_left(machine, kernel) };
            row.extend(KERNEL_COLUMNS.iter().map(|column| (column.value)(&reading) as u32));
            *last = stats;
        }
        let mut stalled = |stalls: StallCounts, last: &mut StallCounts| {
            row.extend((stalls - *last).0.iter().map(|&cycles| cycles as u32));
            *last = stalls;
        };
        stalled(machine.stalls(), &mut self.last_stalls);
        for (kernel, last) in KernelId::first(self.kernels).zip(&mut self.last_kernel_stalls) {
            stalled(machine.kernel_stalls(kernel), last);
        }
        let links = machine.memory.link_flits();
        self.last_links.resize(links.len(), [0; 4]);
        self.links = links.iter().zip(&self.last_links).map(|(now, last)| [0, 1, 2, 3].map(|way| (now[way] - last[way]) as u32)).collect();
        self.last_links = links;
        let row = match self.rows.back() {
            Some(rest) if closed > 1 => rest.clone(),
            _ => row.into(),
        };
        let kept = closed.min(KEPT as u64);
        let dropped = (self.rows.len() as u64 + kept).saturating_sub(KEPT as u64);
        self.rows.drain(..dropped as usize);
        self.rows.extend(core::iter::repeat_n(row, kept as usize));
        self.first += dropped + closed - kept;
        closed
    }

    /// All counters of each kernel, and stalled scheduler-cycles of all schedulers, when the last window was closed.
    pub fn totals(&self) -> (&[KernelStats], StallCounts) {
        (&self.last_stats, self.last_stalls)
    }

    /// Flits that went over each link of the mesh in the last complete window, as `Memory::link_flits` has them; empty before the first and
    /// where there is no mesh.
    pub fn links(&self) -> &[[u32; 4]] {
        &self.links
    }

    /// Windows closed so far.
    pub fn count(&self) -> u64 {
        self.first + self.rows.len() as u64
    }

    /// Columns of a row, the two cycle columns included.
    pub fn columns(&self) -> usize {
        2 + self.kernels * KERNEL_COLUMNS.len() + (1 + self.kernels) * StallCause::COUNT
    }

    /// The kept windows from number `since` on, row after row, in the columns of `layout`.
    pub fn rows_since(&self, since: u64) -> Vec<f64> {
        let skipped = since.saturating_sub(self.first).min(self.rows.len() as u64) as usize;
        let mut out = Vec::with_capacity((self.rows.len() - skipped) * self.columns());
        for (number, row) in (self.first..).zip(&self.rows).skip(skipped) {
            out.push((number * WINDOW) as f64);
            out.push(((number + 1) * WINDOW) as f64);
            out.extend(row.iter().map(|&n| f64::from(n)));
        }
        out
    }

    /// The kept windows as results carry them: `start`, and for the whole GPU and each kernel `ipc` and `latency` (core cycles of a read's
    /// memory latency, missing where none came back). As fractions of peak they have `noc_utilisation`, `noc_demand` and
    /// `dram_utilisation`, missing where the part is ideal and has no peak.
    pub fn to_value(&self, gpu: &Gpu) -> Value {
        let column = |key| KERNEL_COLUMNS.iter().position(|column| column.key == key).unwrap_or(0);
        let [instructions, noc, demand, dram, latency, replies] =
            ["thread_instructions", "noc_bytes", "noc_demand_bytes", "dram_bytes", "latency_sum", "latency_count"].map(column);
        let part = |bytes: f64, peak: Option<f64>| Value::from(peak.map(|per_cycle| bytes / WINDOW as f64 / per_cycle));
        let fields = |of: &[f64]| {
            alloc::vec![
                ("ipc", Value::from(of[instructions] / WINDOW as f64)),
                ("latency", (of[replies] > 0.0).then(|| of[latency] / of[replies]).into()),
                ("noc_utilisation", part(of[noc], noc_peak(gpu))),
                ("noc_demand", part(of[demand], noc_peak(gpu))),
                ("dram_utilisation", part(of[dram], dram_peak(gpu))),
            ]
        };
        let window = |(number, row): (u64, &Row)| {
            let kernels: Vec<Vec<f64>> =
                row.chunks(KERNEL_COLUMNS.len()).take(self.kernels).map(|kernel| kernel.iter().map(|&n| f64::from(n)).collect()).collect();
            let whole: Vec<f64> = (0..KERNEL_COLUMNS.len()).map(|i| kernels.iter().map(|kernel| kernel[i]).sum()).collect();
            let mut pairs = alloc::vec![("start", Value::from(number * WINDOW))];
            pairs.extend(fields(&whole));
            pairs.push(("kernels", Value::array(kernels.iter().map(|kernel| Value::object(fields(kernel))))));
            Value::object(pairs)
        };
        Value::array((self.first..).zip(&self.rows).map(window))
    }

    /// Names, units and meanings of the columns, and the peaks to compare them with.
    pub fn layout(&self, gpu: &Gpu) -> Value {
        let column = |key: String, unit: &str, title: &str, doc: &str, kernel: Option<u8>| {
            Value::object([
                ("key", Value::from(key)),
                ("unit", unit.into()),
                ("title", title.into()),
                ("doc", doc.into()),
                ("kernel", kernel.into()),
            ])
        };
        let mut columns = alloc::vec![
            column("start".into(), "cycles", "Start", "First cycle of the window", None),
            column("end".into(), "cycles", "End", "First cycle after the window", None),
        ];
        for kernel in KernelId::first(self.kernels) {
            columns.extend(KERNEL_COLUMNS.iter().map(|c| column(c.key.into(), c.unit, c.title, c.doc, Some(kernel.0))));
        }
        for kernel in core::iter::once(None).chain(KernelId::first(self.kernels).map(|kernel| Some(kernel.0))) {
            let stall = |info: &StallInfo| column(format!("stall.{}", info.key), "scheduler-cycles", info.title, info.doc, kernel);
            columns.extend(StallCause::INFO.iter().map(stall));
        }
        Value::object([
            ("window", Value::from(WINDOW)),
            ("core_mhz", gpu.core_mhz.into()),
            ("columns", columns.into()),
            (
                "peaks",
                Value::object([
                    // Ideal ones have none.
                    ("noc_bytes_per_cycle", noc_peak(gpu)),
                    ("dram_bytes_per_cycle", dram_peak(gpu)),
                    // As CCBP has it.
                    ("noc_sustainable_bytes_per_cycle", noc_peak(gpu).map(|peak| NOC_SUSTAINABLE * peak)),
                    ("ipc", Some(f64::from(peak_ipc(gpu)))),
                ]),
            ),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::experiment::Experiment;
    use crate::run::simulation::Simulation;

    /// The columns of a name add up to what the machine has counted, for each kernel and for all of them.
    #[test]
    fn stalls_of_all_windows_are_the_machines() {
        let written = [("corun", Value::from(1)), ("gpu", "tiny-2sm".into()), ("kernels", Value::array(["ccbp/BP", "ccbp/CFD"]))];
        let mut run = Simulation::new(&Experiment::decode(&Value::object(written)).unwrap()).unwrap();
        run.advance(25 * WINDOW);
        let Some(Value::Array(columns)) = run.windows().layout(run.machine().gpu()).get("columns").cloned() else {
            panic!("it has columns")
        };
        let rows = run.windows().rows_since(0);
        assert_eq!((columns.len(), rows.len()), (run.windows().columns(), 25 * columns.len()));
        for kernel in [None, Some(0), Some(1)] {
            let counted = kernel.map_or_else(|| run.machine().stalls(), |k| run.machine().kernel_stalls(KernelId(k)));
            for (info, cycles) in StallCause::INFO.iter().zip(counted.0) {
                let (key, of) = (Value::from(format!("stall.{}", info.key)), Value::from(kernel));
                let column =
                    columns.iter().position(|column| column.get("key") == Some(&key) && column.get("kernel") == Some(&of)).unwrap();
                let sum: f64 = rows.iter().skip(column).step_by(columns.len()).sum();
                assert_eq!(sum, cycles as f64, "{} of {kernel:?}", info.key);
            }
            assert!(counted.0[StallCause::RawLong.index()] > 0);
        }
    }
}

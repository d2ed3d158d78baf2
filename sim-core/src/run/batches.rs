//! What a run did batch by batch, so that its result can say how well it knows each ratio: up to 255 batches of equally many windows,
//! from when measuring began. When the memory is full, neighbours are put together, two by two, and batches are twice as long from then on (Yeh
//! and Schmeiser, *Operations Research* 48(6), 2000: dynamic batch means). So a run of any length has 128 to 255 batches, and those are the same
//! however its calls were cut.

use crate::describe::ids::{Cycle, KernelId};
use crate::interface::stats::{KernelStats, StallCounts};
use crate::machine::Machine;
use crate::run::windows::Windows;
use alloc::vec::Vec;

/// Batches at which neighbours are put together.
const MOST: usize = 256;

/// Counters of a stretch of cycles.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counters {
    /// How many cycles.
    pub cycles: Cycle,
    /// Counters of each kernel.
    pub stats: Vec<KernelStats>,
    /// Stalled scheduler-cycles while a scheduler held warps of each kernel.
    pub stalls: Vec<StallCounts>,
    /// Stalled scheduler-cycles of all schedulers.
    pub all_stalls: StallCounts,
    /// Counters of each kernel on the SMs of each class, without what L2 and DRAM count; empty where there is one class.
    pub classes: Vec<Vec<KernelStats>>,
}

impl Counters {
    /// Everything since the machine's first cycle; call `Machine::settle` first.
    pub fn of(machine: &Machine) -> Counters {
        Counters {
            cycles: machine.now,
            stats: KernelId::first(machine.kernels()).map(|kernel| machine.kernel_stats(kernel)).collect(),
            stalls: kernel_stalls(machine),
            all_stalls: machine.stalls(),
            classes: machine.class_stats(),
        }
    }

    /// What came after `earlier`.
    pub fn since(&self, earlier: &Counters) -> Counters {
        Counters {
            cycles: self.cycles - earlier.cycles,
            stats: self.stats.iter().zip(&earlier.stats).map(|(&now, &then)| now - then).collect(),
            stalls: self.stalls.iter().zip(&earlier.stalls).map(|(&now, &then)| now - then).collect(),
            all_stalls: self.all_stalls - earlier.all_stalls,
            classes: self
                .classes
                .iter()
                .zip(&earlier.classes)
                .map(|(now, then)| now.iter().zip(then).map(|(&now, &then)| now - then).collect())
                .collect(),
        }
    }

    /// Adds what came after.
    pub fn add(&mut self, later: &Counters) {
        self.cycles += later.cycles;
        self.stats.iter_mut().zip(&later.stats).for_each(|(sum, &more)| *sum += more);
        self.stalls.iter_mut().zip(&later.stalls).for_each(|(sum, &more)| *sum += more);
        self.all_stalls += later.all_stalls;
        self.classes.iter_mut().flatten().zip(later.classes.iter().flatten()).for_each(|(sum, &more)| *sum += more);
    }
}

fn kernel_stalls(machine: &Machine) -> Vec<StallCounts> {
    KernelId::first(machine.kernels()).map(|kernel| machine.kernel_stalls(kernel)).collect()
}

/// The batches of what is measured.
#[derive(Clone, Debug)]
pub struct Batches {
    /// Complete ones.
    rows: Vec<Counters>,
    /// Windows of a batch.
    width: u64,
    /// Windows since the last one ended.
    windows: u64,
    /// All counters when the last one ended, or when measuring began.
    ended: Counters,
}

impl Batches {
    /// None yet, of a machine that has done so much before it is measured.
    pub fn new(before: Counters) -> Batches {
        Batches { rows: Vec::new(), width: 1, windows: 0, ended: before }
    }

    /// Windows until the present batch ends.
    pub fn left(&self) -> u64 {
        self.width - self.windows
    }

    /// Takes the windows that have just been closed, at most those that are left; whether a batch ends with them.
    pub fn close_windows(&mut self, closed: u64, machine: &Machine, windows: &Windows) -> bool {
        self.close(closed, || {
            // The windows have added up the SMs already.
            let (stats, all_stalls) = windows.totals();
            Counters {
                cycles: machine.now,
                stats: stats.to_vec(),
                stalls: kernel_stalls(machine),
                all_stalls,
                classes: machine.class_stats(),
            }
        })
    }

    /// Takes so many windows after which all counters are `now`; whether a batch ends with them.
    pub fn close(&mut self, closed: u64, now: impl FnOnce() -> Counters) -> bool {
        self.windows += closed;
        if self.windows < self.width {
            return false;
        }
        let now = now();
        self.rows.push(now.since(&self.ended));
        (self.ended, self.windows) = (now, 0);
        if self.rows.len() == MOST {
            self.put_together();
        }
        true
    }

    fn put_together(&mut self) {
        let mut neighbours = core::mem::take(&mut self.rows).into_iter();
        while let (Some(mut first), Some(second)) = (neighbours.next(), neighbours.next()) {
            first.add(&second);
            self.rows.push(first);
        }
        self.width *= 2;
    }

    /// Every complete batch. The first may be shorter, from when measuring began to the end of a window.
    pub fn rows(&self) -> &[Counters] {
        &self.rows
    }

    /// Windows of a batch.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Everything that lies in complete batches.
    pub fn sum(&self) -> Counters {
        let mut rows = self.rows.iter();
        let mut sum = rows.next().cloned().unwrap_or_default();
        rows.for_each(|row| sum.add(row));
        sum
    }
}

#[cfg(test)]
mod tests {
    use crate::describe::value::Value;
    use crate::run::experiment::Experiment;
    use crate::run::experiment::warm_up::WarmUp;
    use crate::run::simulation::Simulation;
    use crate::run::windows::WINDOW;

    /// However long the run: 128 to 255 batches of equal length that leave nothing out.
    #[test]
    fn batches_are_as_long_as_they_must_and_add_up() {
        let value =
            Value::object([("corun", Value::from(1)), ("gpu", "tiny-2sm".into()), ("kernels", Value::array(["ccbp/BP", "ccbp/SAD"]))]);
        let experiment = Experiment { warm_up: WarmUp::Cycles(1000), ..Experiment::decode(&value).unwrap() };
        let mut run = Simulation::new(&experiment).unwrap();
        for (windows, count, width) in [(255, 255, 1), (256, 128, 2), (300, 150, 2), (512, 128, 4), (515, 128, 4), (516, 129, 4)] {
            run.advance((2 + windows) * WINDOW - run.cycle());
            let batches = run.batches().unwrap();
            assert_eq!((batches.rows().len(), batches.width()), (count, width), "after {windows} windows");
            assert!(batches.rows()[1..].iter().all(|row| row.cycles == width * WINDOW));
            assert_eq!(batches.rows()[0].cycles, width * WINDOW - 200, "measuring begins within a window");
            let sum = batches.sum();
            assert_eq!(sum.cycles, count as u64 * width * WINDOW - 200);
            if count as u64 * width == windows {
                assert_eq!(sum.stats, run.measured().stats);
                assert_eq!((sum.stalls, sum.all_stalls), (run.measured().stalls, run.measured().all_stalls));
            }
        }
    }
}

//! The energy of a run: the energies of events, as others have published them, times the counters.
//!
//! Good for ratios between schemes on one GPU: instructions per watt of one against another's. Not good for absolute watts: the figures
//! are of two GPUs (28 and 12 nm) and of none of the presets, and no run here was held against a meter.
//!
//! Nothing is counted twice. A figure that was measured over a path holds everything on it. An arithmetic instruction holds its fetch, its
//! issue and the register file, an access of shared memory or L1D the way to the registers. A line between L1D and L2 holds the NoC and
//! L2, a line of DRAM the controller and the pins. What opens rows is taken off what moves lines.
//!
//! Left out, because nobody has published it apart: the register file, L2 and the NoC for themselves, an energy for each hop, a stall's
//! energy of this GPU. So are a write of DRAM (it takes what a read takes) and leakage by the size of an SM (every SM leaks as the one
//! that was measured).

use crate::describe::gpu::Gpu;
use crate::describe::ids::MAX_KERNELS;
use crate::describe::record::Absent::Needed;
use crate::describe::record::{Datum, Field, Shape, list, record};
use crate::describe::value::Value;
use crate::interface::ratios::{ratio, scheduler_cycles};
use crate::interface::stats::{KernelStats, StallCause};
use crate::run::simulation::Measured;
use alloc::vec::Vec;

/// What takes energy.
#[derive(Clone, Copy, Debug)]
pub struct Consumer {
    /// Key in results.
    pub key: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Picojoules for each `per`; watts for what takes power all the time.
    pub figure: f64,
    /// What the figure is for.
    pub per: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// How often that was.
    count: Count,
}

#[derive(Clone, Copy, Debug)]
enum Count {
    /// Events of a kernel.
    Events(fn(&KernelStats, &Gpu) -> f64),
    /// SMs that hold CTAs, on average over the run.
    BusySms,
    /// SMs that hold none.
    IdleSms,
    /// Always one.
    Always,
}

const GPUJOULE: &str = "Arunkumar et al., HPCA 2019 (GPUJoule), Table I: Tesla K40, 28 nm, GDDR5";
const ACCELWATCH: &str = "Kandiah et al., MICRO 2021 (AccelWattch), accelwattch_sass_sim: Volta, 12 nm";
const DRAMSIM: &str = "currents of DRAMsim3, GDDR5_8Gb_x32: (IDD0 tRC − IDD3N tRAS − IDD2N tRP) VDD, a row of 2 KB; estimates";

/// Picojoules to open a bit of a row: (75 × 80 − 55 × 56 − 45 × 24) mA clocks of 0.5 ns at 1.5 V for 16,384 bits.
const ROW_BIT: f64 = 1380.0 / 16_384.0;
/// Bits of a word.
const WORD: f64 = 32.0;
/// SMs of the GPU whose static power was published for all of them together.
const VOLTA_SMS: f64 = 80.0;

/// Everything that takes energy.
pub const ENERGIES: [Consumer; 10] = [
    Consumer {
        key: "arithmetic",
        title: "Arithmetic",
        figure: 60.0,
        per: "thread instruction",
        source: GPUJOULE,
        count: Count::Events(|stats, _| {
            let others = stats.special_thread_instructions + stats.shared_thread_instructions + stats.global_thread_instructions;
            (stats.thread_instructions - others) as f64
        }),
    },
    Consumer {
        key: "special",
        title: "Special functions",
        figure: 100.0,
        per: "thread instruction",
        source: GPUJOULE,
        count: Count::Events(|stats, _| stats.special_thread_instructions as f64),
    },
    Consumer {
        key: "shared_memory",
        title: "Shared memory",
        figure: 5.32,
        per: "bit to or from registers",
        source: GPUJOULE,
        count: Count::Events(|stats, _| stats.shared_thread_instructions as f64 * WORD),
    },
    Consumer {
        key: "l1",
        title: "L1D",
        figure: 5.85,
        per: "bit of a line read or written",
        source: GPUJOULE,
        count: Count::Events(|stats, gpu| bits(stats.l1_reads + stats.l1_writes, gpu)),
    },
    Consumer {
        key: "l2",
        title: "L2 and NoC",
        figure: 15.48,
        per: "bit of a line between L1D and L2",
        source: GPUJOULE,
        count: Count::Events(|stats, gpu| bits(stats.l2_reads + stats.l2_writes + stats.context_lines_out + stats.context_lines_in, gpu)),
    },
    Consumer {
        key: "dram",
        title: "DRAM",
        figure: 30.55 - ROW_BIT,
        per: "bit of a line read or written",
        source: GPUJOULE,
        count: Count::Events(|stats, gpu| bits(stats.dram_reads + stats.dram_writes, gpu)),
    },
    Consumer {
        key: "dram_rows",
        title: "DRAM rows opened",
        figure: ROW_BIT,
        per: "bit of a row",
        source: DRAMSIM,
        count: Count::Events(|stats, gpu| {
            let opened = stats.dram_reads + stats.dram_writes - stats.dram_row_hits;
            bits(opened * u64::from(gpu.dram.columns), gpu)
        }),
    },
    // First lane and 31 more, of integer and floating point, with all SMs at work.
    Consumer {
        key: "busy_sms",
        title: "Leakage of SMs at work",
        figure: (18.617_990_6 + 31.0 * 0.645_228_013) / VOLTA_SMS,
        per: "SM that holds CTAs, in watts",
        source: ACCELWATCH,
        count: Count::BusySms,
    },
    Consumer {
        key: "idle_sms",
        title: "Leakage of idle SMs",
        figure: 0.282_791_66,
        per: "SM that holds none, in watts",
        source: ACCELWATCH,
        count: Count::IdleSms,
    },
    Consumer {
        key: "constant",
        title: "Constant power",
        figure: 32.325_222_72,
        per: "GPU, in watts",
        source: ACCELWATCH,
        count: Count::Always,
    },
];

record! {
    /// The energy of a run, by published energies of events: for ratios between schemes on one GPU, not for absolute values.
    pub struct Energy as ENERGY "Energy", "energy";
    /// All of it.
    totals: Totals = Shape::Flat(&TOTALS), Needed;
    /// With idle SMs switched off.
    idle_sms_off: Totals = Shape::Record(&TOTALS), Needed;
    /// By what took it.
    parts: Parts ["J"] = Shape::Record(&PARTS), Needed;
    /// Of each kernel's events, without what leaks.
    kernels: Vec<f64> ["J"] = list!(Shape::Measured, 1, MAX_KERNELS, "joules"), Needed;
}

record! {
    /// Energy, power, and what is done with it.
    #[derive(Copy)]
    pub struct Totals as TOTALS "EnergyTotals", "energy";
    /// Of the measured cycles. For ratios between schemes on one GPU; not for absolute values: docs/reference/energy.md.
    joules: f64 ["J"] as ("Energy", "Σ published energy of an event × how often it was counted, and what leaks × time", 6, Less) = Shape::Measured, Needed;
    /// Energy by time; for ratios, not for absolute values.
    watts: Option<f64> ["W"] as ("Power", "energy / time", 1, Less) = Shape::Measured, Needed;
    /// Thread instructions of the measured cycles for each watt: compare runs of equal length.
    instructions_per_watt: Option<f64> ["thread instructions / W"] as ("Instructions per watt", "thread instructions / power", 0, More) = Shape::Measured, Needed;
}

/// Joules of each of `ENERGIES`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parts(pub [f64; ENERGIES.len()]);

record! {
    /// Energy by what took it.
    pub static PARTS "EnergyParts", "energy by what took it"; each of ENERGIES, part
}

const fn part(energy: &Consumer) -> Field {
    Field { name: energy.key, shape: Shape::Measured, unit: "J", absent: Needed, doc: energy.title }
}

impl Datum for Parts {
    fn read(value: &Value) -> Self {
        Parts(ENERGIES.map(|energy| value.get(energy.key).map_or(0.0, f64::read)))
    }

    fn write(&self) -> Value {
        Value::object(ENERGIES.iter().zip(self.0).map(|(energy, joules)| (energy.key, joules)))
    }
}

/// Bits of so many lines.
fn bits(lines: u64, gpu: &Gpu) -> f64 {
    lines as f64 * f64::from(gpu.l2.line_bytes) * 8.0
}

/// Joules of a kernel's events.
fn of_events(stats: &KernelStats, gpu: &Gpu) -> f64 {
    let joules = |energy: &Consumer| match energy.count {
        Count::Events(count) => energy.figure * 1e-12 * count(stats, gpu),
        _ => 0.0,
    };
    ENERGIES.iter().map(joules).sum()
}

/// What a run's figures are with one of the two choices for idle SMs.
fn totals(joules: f64, seconds: f64, instructions: u64) -> Totals {
    let watts = (seconds > 0.0).then(|| joules / seconds);
    // A watt is a joule a second: the instructions of the whole run for each watt that it took.
    let per_watt = watts.filter(|&watts| watts > 0.0).map(|watts| instructions as f64 / watts);
    Totals { joules, watts, instructions_per_watt: per_watt }
}

/// The energy of the measured cycles: all of it, by what took it, by kernel without what leaks, and with idle SMs switched off.
pub fn energy(measured: &Measured, gpu: &Gpu) -> Energy {
    let mut whole = KernelStats::default();
    measured.stats.iter().for_each(|stats| whole += *stats);
    let seconds = measured.cycles as f64 / (f64::from(gpu.core_mhz) * 1e6);
    // Schedulers without a warp, as SMs.
    let idle = ratio(measured.all_stalls.0[StallCause::Idle.index()], scheduler_cycles(gpu, measured.cycles)).unwrap_or(0.0);
    let sms = f64::from(gpu.sm_count());
    let parts = ENERGIES.map(|energy| {
        let joules = match energy.count {
            Count::Events(count) => energy.figure * 1e-12 * count(&whole, gpu),
            Count::BusySms => energy.figure * sms * (1.0 - idle) * seconds,
            Count::IdleSms => energy.figure * sms * idle * seconds,
            Count::Always => energy.figure * seconds,
        };
        (energy, joules)
    });
    let sum: f64 = parts.iter().map(|(_, joules)| joules).sum();
    let idle_sms: f64 = parts.iter().filter(|(energy, _)| matches!(energy.count, Count::IdleSms)).map(|(_, joules)| joules).sum();
    Energy {
        totals: totals(sum, seconds, whole.thread_instructions),
        idle_sms_off: totals(sum - idle_sms, seconds, whole.thread_instructions),
        parts: Parts(parts.map(|(_, joules)| joules)),
        kernels: measured.stats.iter().map(|stats| of_events(stats, gpu)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use crate::interface::stats::StallCounts;

    fn figure(value: &Value, path: &str) -> f64 {
        path.split('.').try_fold(value, |value, key| value.get(key)).and_then(Value::as_f64).expect("a figure")
    }

    /// A kernel of 1000 thread instructions, 16 SMs for a million cycles of 1216 MHz, a quarter of them idle.
    fn measured() -> Measured {
        let stats = KernelStats {
            thread_instructions: 1000,
            special_thread_instructions: 100,
            shared_thread_instructions: 200,
            global_thread_instructions: 300,
            l1_reads: 7,
            l1_writes: 3,
            l2_reads: 4,
            l2_writes: 1,
            context_lines_out: 5,
            dram_reads: 6,
            dram_writes: 4,
            dram_row_hits: 9,
            ..KernelStats::default()
        };
        let mut all_stalls = StallCounts::default();
        all_stalls.charge(StallCause::Idle, 16 * 4 * 250_000);
        Measured {
            from: Some(0),
            cold: false,
            cycles: 1_000_000,
            stats: Vec::from([stats]),
            stalls: Vec::new(),
            all_stalls,
            classes: Vec::new(),
        }
    }

    /// Each part by hand: picojoules × events, watts × seconds.
    #[test]
    fn each_part_is_its_figure_times_its_count() {
        let gpu = presets::find("qos-16sm").unwrap();
        let found = energy(&measured(), &gpu).write();
        let (line, seconds) = (1024.0, 1e6 / 1216e6);
        for (key, joules) in [
            ("arithmetic", 400.0 * 60e-12),
            ("special", 100.0 * 100e-12),
            ("shared_memory", 200.0 * 32.0 * 5.32e-12),
            ("l1", 10.0 * line * 5.85e-12),
            ("l2", 10.0 * line * 15.48e-12),
            // One line of ten opens a row of 32 lines, two devices of 2 KB: 2 × 1.38 nJ.
            ("dram", 10.0 * line * (30.55 - 1380.0 / 16384.0) * 1e-12),
            ("dram_rows", 2.0 * 1.38e-9),
            ("busy_sms", 12.0 * 0.482_750_7 * seconds),
            ("idle_sms", 4.0 * 0.282_791_66 * seconds),
            ("constant", 32.325_222_72 * seconds),
        ] {
            let part = figure(found.get("parts").unwrap(), key);
            assert!((part / joules - 1.0).abs() < 1e-6, "{key}: {part}, by hand {joules}");
        }
    }

    /// The parts are the whole, once each; what leaks is no kernel's; switched-off SMs save what idle SMs take; instructions for each watt.
    #[test]
    fn nothing_is_counted_twice() {
        let gpu = presets::find("qos-16sm").unwrap();
        let found = energy(&measured(), &gpu).write();
        let part = |key| figure(found.get("parts").unwrap(), key);
        let sum: f64 = ENERGIES.iter().map(|energy| part(energy.key)).sum();
        let joules = figure(&found, "joules");
        assert!((sum / joules - 1.0).abs() < 1e-12);
        let Some(Value::Array(kernels)) = found.get("kernels") else { panic!("no kernels") };
        let events = joules - part("busy_sms") - part("idle_sms") - part("constant");
        assert!((kernels[0].as_f64().unwrap() / events - 1.0).abs() < 1e-6);
        assert!((figure(&found, "idle_sms_off.joules") + part("idle_sms") - joules).abs() < 1e-12 * joules);
        let watts = figure(&found, "watts");
        assert!((watts / (joules * 1216.0) - 1.0).abs() < 1e-12);
        assert!((figure(&found, "instructions_per_watt") * watts / 1000.0 - 1.0).abs() < 1e-12);
    }

    /// Before the first cycle nothing was taken, and there is no power.
    #[test]
    fn no_cycles_no_power() {
        let none = Measured { cycles: 0, stats: Vec::from([KernelStats::default()]), all_stalls: StallCounts::default(), ..measured() };
        let found = energy(&none, &presets::find("ccbp-16sm").unwrap()).write();
        assert_eq!((figure(&found, "joules"), found.get("watts").and_then(Value::as_f64)), (0.0, None));
    }
}

//! Do the parts, and machines made of them, give by themselves the numbers that theory says? Nothing in the machine is tuned to them.
//!
//! Each test states its row: the quantity, and the sentence from which it follows. `components` and `dram` drive one part alone through
//! the probes (`corun probe` does so, too), `sm`, `memory` and `gpu` drive whole machines. What needs the inside of a part is beside it.
//! The credits of the virtual queues are in `machine/cache/miss_queue.rs`, the two crossbars with L2 in `machine/memory/tests.rs`, an
//! unloaded read of each kind in `machine/dram/tests.rs`, registers in `gpu/occupancy.rs`.

mod components;
mod dram;
mod gpu;
mod memory;
mod mesh;
mod sm;

use sim_core::describe::gpu::{Allocate, Gpu, presets};
use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::{Array, Kernel, Launch, Op, Trips};
use sim_core::describe::value::Value;
use sim_core::interface::controls::{Controls, WarpOrder};
use sim_core::interface::stats::KernelStats;
use sim_core::machine::Machine;
use sim_core::machine::dispatch::order::CtaOrderSpec;

/// The kernel of every test here.
const K: KernelId = KernelId(0);

fn kernel(ctas: u32, threads: u32, program: Vec<Op>) -> Kernel {
    Kernel {
        name: "probe".into(),
        title: String::new(),
        doc: String::new(),
        source: String::new(),
        arrays: vec![Array { name: "a".into(), bytes: 1 << 30, read_only: false }],
        launches: vec![Launch { grid: ctas.into(), threads, registers: 16, shared_bytes: 0, program, ..Launch::default() }],
        repeats: vec![],
        lists: vec![],
    }
}

/// `body`, `trips` times.
fn repeat(trips: u32, body: &[Op]) -> Vec<Op> {
    let mut program = vec![Op::Loop { trips: Trips::Fixed(trips) }];
    program.extend_from_slice(body);
    program.push(Op::End);
    program
}

/// `ccbp-16sm` with one SM, one L2 bank, one DRAM channel and no refresh.
fn one_of_each() -> Gpu {
    let mut gpu = presets::find("ccbp-16sm").expect("a preset");
    gpu.sms[0].count = 1;
    gpu.sms[0].l1.allocate = Allocate::OnFill;
    gpu.l2.banks = 1;
    gpu.dram.channels = 1;
    gpu.dram.timing.tREFI = 0;
    gpu
}

/// A machine with one kernel on it, which runs once.
fn machine(gpu: &Gpu, kernel: Kernel, order: WarpOrder) -> Machine {
    Machine::new(gpu, &[kernel], 1, false, &CtaOrderSpec::default(), Controls::neutral(gpu.sm_count() as usize, order))
}

/// Lets `cycles` cycles pass and returns what the kernel did in them.
fn window(machine: &mut Machine, cycles: u64) -> KernelStats {
    machine.settle();
    let before = machine.kernel_stats(K);
    let end = machine.now + cycles;
    while machine.now < end {
        machine.step();
        let next = machine.next_event().min(end);
        if next > machine.now {
            machine.skip_to(next);
        }
    }
    machine.settle();
    machine.kernel_stats(K) - before
}

/// The cycle in which the kernel has run to its end.
fn finish(machine: &mut Machine) -> u64 {
    while machine.runs_done() == 0 {
        assert!(machine.next_event() < 100_000_000, "the kernel never ends");
        window(machine, machine.next_event() - machine.now + 1);
    }
    machine.run(K).finished_at
}

fn figure(result: &Value, key: &str) -> f64 {
    result.get(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {key} in {result}"))
}

/// `got` is within `tolerance` of `want`, both as they are.
fn near(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{what}: {got}, want {want} ± {tolerance}");
}

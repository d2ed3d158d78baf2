//! Why nothing moves any more: which kernel, warp or queue waits for what, in sentences, of a stuck machine.
//!
//! The sentences go from the cause to the consequence: kernels that cannot place CTAs, warps that may not issue, requests that may not
//! leave, and then whatever is full behind them down to DRAM.
//!
//! A run is stuck when it waits for something that can never happen under the present controls. Then nothing in the machine is ever due,
//! or the run ends with its kernels and one of them can never end. No time limit is involved.

use crate::describe::ids::{KernelId, PerKernel};
use crate::interface::controls::SmControls;
use crate::machine::l1d::ReservationFailure;
use crate::machine::sm::Sm;
use crate::machine::sm::scheduler::Scheduler;
use crate::machine::{Divided, Machine};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// SMs that are described one by one; the rest are counted.
const SHOWN: usize = 4;

/// Whether nothing happens any more under the present controls or, if the run waits for every kernel's end, one can never end.
pub fn is_stuck(machine: &Machine, waits_for_kernels: bool) -> bool {
    machine.is_still() || waits_for_kernels && KernelId::first(machine.kernels()).any(|kernel| never_ends(machine, kernel))
}

/// Whether a kernel that has not run to its end holds a CTA that never ends, or has one left that no SM may take.
fn never_ends(machine: &Machine, kernel: KernelId) -> bool {
    let (run, controls) = (machine.run(kernel), machine.controls());
    let to_place = run.placed < machine.codes(kernel)[run.launch.index()].ctas || machine.saved(kernel) > 0;
    let barred = || machine.sms.iter().zip(&controls.sms).any(|(sm, controls)| sm.barred(kernel, controls));
    run.runs == 0 && (to_place && !placeable(machine, kernel) || barred())
}

/// Whether the controls let any SM hold a CTA of a kernel.
fn placeable(machine: &Machine, kernel: KernelId) -> bool {
    (0..machine.sms.len()).any(|sm| may_take(machine, kernel, sm))
}

fn may_take(machine: &Machine, kernel: KernelId, sm: usize) -> bool {
    let controls = &machine.controls().sms[sm];
    controls.allowed[kernel] && controls.cta_target[kernel] > 0
}

/// The sentences, a line each; `names` are the kernels'.
pub fn explain(machine: &Machine, names: &[String]) -> String {
    // If other kernels go on, only those that can never end need an explanation.
    let still = machine.is_still();
    let kernels = || KernelId::first(machine.kernels()).zip(names).filter(|(kernel, _)| still || never_ends(machine, *kernel));
    let mut lines = Vec::new();
    for (kernel, name) in kernels() {
        lines.extend(placement(machine, kernel, name));
    }
    let mut held: Vec<(usize, Vec<String>)> = Vec::new();
    for (number, (sm, controls)) in machine.sms.iter().zip(&machine.controls().sms).enumerate() {
        let mut here = Vec::new();
        for (kernel, name) in kernels() {
            here.extend(warps(controls, sm, kernel, name));
            here.extend(requests(controls, sm, kernel, name));
        }
        if !here.is_empty() {
            held.push((number, here));
        }
    }
    for (number, here) in held.iter().take(SHOWN) {
        lines.extend(here.iter().map(|line| format!("SM {number}: {line}")));
    }
    if held.len() > SHOWN {
        lines.push(format!("and {} more SMs that wait", held.len() - SHOWN));
    }
    lines.extend(if still { memory(machine) } else { Vec::new() });
    if lines.is_empty() {
        lines.push("nothing is resident and nothing is under way".to_string());
    }
    lines.join("\n")
}

/// CTAs of a kernel that no SM takes.
fn placement(machine: &Machine, kernel: KernelId, name: &str) -> Option<String> {
    let run = machine.run(kernel);
    let code = &machine.codes(kernel)[run.launch.index()];
    let (left, saved) = (code.ctas - run.placed, machine.saved(kernel));
    if run.over || left + saved == 0 {
        return None;
    }
    let what = match saved {
        0 => format!("{left} CTAs wait to be placed"),
        _ if left == 0 => format!("{saved} CTAs that were switched out wait to be placed again"),
        _ => format!("{saved} CTAs that were switched out wait to be placed again, and {left} CTAs to be placed"),
    };
    let controls = machine.controls();
    let allowed = |sm: usize| {
        may_take(machine, kernel, sm) && machine.sms[sm].ctas.used(kernel).ctas < u32::from(controls.sms[sm].cta_target[kernel])
    };
    let (mut may, mut fits) = (0, 0);
    for (number, sm) in machine.sms.iter().enumerate() {
        may += usize::from(allowed(number));
        fits += usize::from(allowed(number) && sm.ctas.fits(code));
    }
    let divided = machine.divided_for_others(kernel);
    let rank = controls.dispatch_rank[kernel];
    let before = KernelId::first(machine.kernels()).filter(|&other| {
        let (run, codes) = (machine.run(other), machine.codes(other));
        let waits = run.placed < codes[run.launch.index()].ctas || machine.saved(other) > 0;
        controls.dispatch_rank[other] < rank && !run.over && waits
    });
    let why = if !placeable(machine, kernel) {
        "the controls let no SM take one (sm_mask, cta_target)".to_string()
    } else if may == 0 {
        "every SM has as many as the controls let it have (cta_target)".to_string()
    } else if let (0, Some(Divided { wanted, has })) = (fits, divided) {
        format!(
            "SMs are divided for others until they are empty: they have {has} bytes of shared memory, and it wants {wanted} (carve_out)"
        )
    } else if fits == 0 {
        "no SM has room beside what is resident".to_string()
    } else if before.count() > 0 {
        "kernels of lower dispatch rank have CTAs left to place".to_string()
    } else {
        format!("{fits} SMs could take one")
    };
    Some(format!("{name}: {what}: {why}"))
}

/// Warps of a kernel on an SM, by what they wait for.
fn warps(controls: &SmControls, sm: &Sm, kernel: KernelId, name: &str) -> Vec<String> {
    let count = |set: fn(&Scheduler) -> u64| sm.schedulers().iter().map(|s| (set(s) & s.of_kernel[kernel]).count_ones()).sum::<u32>();
    let mut lines = Vec::new();
    let mut say = |warps: u32, what: &str| {
        if warps > 0 {
            lines.push(format!("{warps} warps of {name} {what}"));
        }
    };
    say(count(|s| s.ready & s.throttled), "are ready but belong to CTAs that are throttled (cta_throttle)");
    if let Some(quota) = controls.quota(kernel)
        && sm.gate().quotas.spent() >> kernel.0 & 1 == 1
    {
        let key = if controls.thread_quota[kernel].is_some() { "thread_quota" } else { "warp_quota" };
        say(count(|s| s.ready & !s.throttled), &format!("are ready but have used their quota of {quota} instructions ({key})"));
    } else {
        let why = match controls.memory_cap[kernel].filter(|_| sm.gate().capped() >> kernel.0 & 1 == 1) {
            Some(cap) => format!("are ready for a memory instruction but {cap} may be in flight (memory_cap)"),
            None => "are ready for a memory instruction that cannot enter the LSU".to_string(),
        };
        say(count(|s| s.ready & !s.throttled & (s.global | s.shared)), &why);
    }
    say(count(|s| s.waiting), "wait for loads");
    say(count(|s| s.barrier), "wait at a barrier for the other warps of their CTA");
    lines
}

/// What a kernel has in the LSU and in the miss queue of an SM.
fn requests(controls: &SmControls, sm: &Sm, kernel: KernelId, name: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(why) = sm.failure(kernel) {
        let (waiting, what) = (sm.lsu_waiting(kernel), refused(why));
        lines.push(format!("{waiting} instructions of {name} in the LSU wait because {what}"));
    }
    let misses = sm.l1().misses_waiting(kernel);
    if misses > 0 {
        let why = match controls.miss_credits[kernel] {
            Some(credits) => {
                format!("credits: it gets {} in {} cycles (miss_credits)", f64::from(credits) / 16.0, controls.credit_interval)
            }
            None if !controls.miss_queue_split => "what stands before them in the one queue of all kernels".to_string(),
            None => "the NoC".to_string(),
        };
        lines.push(format!("{misses} requests of {name} in the miss queue wait for {why}"));
    }
    lines
}

fn refused(why: ReservationFailure) -> &'static str {
    match why {
        ReservationFailure::Mshr => "no L1D MSHR is free",
        ReservationFailure::Merge => "the line's L1D MSHR serves its maximum of loads",
        ReservationFailure::MissQueue => "the miss queue is full",
        ReservationFailure::StoreBuffer => "no store-buffer entry is free",
        ReservationFailure::Line => "every way that its line may take is reserved for a line under way",
    }
}

/// What is under way behind the SMs.
fn memory(machine: &Machine) -> Vec<String> {
    let memory = &machine.memory;
    let all = |queued: PerKernel<u32>| queued.0.iter().sum::<u32>();
    let mut lines = Vec::new();
    for sm in 0..machine.gpu().sm_count() {
        let packets = all(memory.request_queue(sm));
        if packets > 0 {
            lines.push(format!("NoC: {packets} requests of SM {sm} wait for their L2 banks"));
        }
    }
    for bank in 0..machine.gpu().l2.banks {
        let (queue, mshrs, replies) = (all(memory.l2_queue(bank)), all(memory.l2_mshrs(bank)), all(memory.reply_queue(bank)));
        if queue + mshrs + replies > 0 {
            let why = memory.l2_stall(bank).map_or(String::new(), |stall| format!(": {}", stall.doc()));
            lines.push(format!("L2 bank {bank}: {queue} requests wait, {mshrs} misses under way, {replies} replies at the port{why}"));
        }
    }
    for channel in 0..machine.gpu().dram.channels {
        let queued = all(memory.dram_queue(channel));
        if queued > 0 {
            lines.push(format!("DRAM channel {channel}: {queued} transactions queued"));
        }
    }
    lines
}

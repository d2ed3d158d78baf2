//! Do CTAs that are switched out and in do the same work, at the price of moving their context?

use super::*;
use crate::describe::ids::PerKernel;
use crate::interface::controls::SmControls;

const A: KernelId = KernelId(0);

/// A machine of two SMs, the second one smaller, that records events.
fn two_classes(kernels: &[Kernel]) -> Machine {
    let mut gpu = gpu(1);
    let mut small = gpu.sms[0].clone();
    (small.name, small.threads, small.registers, small.schedulers) = ("small".to_string(), 1024, 32_768, 2);
    gpu.sms.push(small);
    (gpu.l2.banks, gpu.dram.channels) = (2, 2);
    let mut m = machine(&gpu, kernels, false);
    m.record_events = true;
    m.listen_to(EventKinds::of(&[EventKind::PreemptionDone]));
    m
}

/// Changes the controls of one SM.
fn set(m: &mut Machine, sm: usize, change: impl Fn(&mut SmControls)) {
    let mut controls = m.controls().clone();
    change(&mut controls.sms[sm]);
    m.set_controls(controls);
}

fn switched(m: &Machine, placed: bool) -> Vec<(u32, u16)> {
    m.events.iter().filter(|event| event.switched && event.placed == placed).map(|event| (event.cta, event.sm)).collect()
}

/// Everything off the first SM, and later everything off the second one: as much work, in as many instructions, by each CTA once.
fn thrown_about() -> Machine {
    let mut m = two_classes(&[mixed("A"), mixed("B")]);
    run(&mut m, 1500);
    set(&mut m, 0, |sm| (sm.allowed, sm.cta_switch) = (PerKernel::all(false), PerKernel::all(true)));
    run(&mut m, 30_000);
    assert_eq!(m.sms[0].ctas.count(), 0, "the SM is empty");
    set(&mut m, 0, |sm| sm.allowed = PerKernel::all(true));
    set(&mut m, 1, |sm| (sm.cta_target[A], sm.cta_switch[A]) = (1, true));
    m
}

#[test]
fn ctas_that_were_switched_do_what_they_would_have_done() {
    let mut m = thrown_about();
    run(&mut m, 600_000);
    let mut plain = two_classes(&[mixed("A"), mixed("B")]);
    run(&mut plain, 600_000);
    for kernel in KernelId::first(2) {
        let (s, p) = (m.kernel_stats(kernel), plain.kernel_stats(kernel));
        let work = |s: KernelStats| {
            let memory = (s.load_instructions, s.store_instructions, s.l1_reads, s.l1_writes, s.loads_done);
            (s.warp_instructions, s.thread_instructions, s.shared_conflict_cycles, memory, s.ctas_launched, s.ctas_done, s.runs_done)
        };
        assert_eq!(work(s), work(p));
        assert!(s.ctas_switched_out > 2 && s.ctas_switched_in == s.ctas_switched_out, "{} out", s.ctas_switched_out);
        // 256 threads of 16 registers and 1 KB of shared memory.
        assert_eq!((s.context_lines_out, s.context_lines_in), (s.ctas_switched_out * 136, s.ctas_switched_in * 136));
        assert_eq!(s.dram_context_lines, s.context_lines_out + s.context_lines_in, "each is counted as it passes L2");
        assert_eq!((p.ctas_switched_out, p.context_lines_out, p.dram_context_lines, p.switch_cycles), (0, 0, 0, 0));
        assert_eq!((s.requests, s.replies), (s.l1_misses + s.l1_writes, s.requests), "contexts are no requests of the program");
        assert_eq!((s.dram_reads, s.dram_writes), (s.l2_misses + s.context_lines_in, s.l2_dirty_victims + s.context_lines_out));
    }
    let both = switched(&m, true).iter().any(|&(_, sm)| sm == 0) && switched(&m, true).iter().any(|&(_, sm)| sm == 1);
    assert!(both, "CTAs come back on either class");
    assert_eq!((m.dispatcher.saved(A), m.next_event()), (0, NEVER));
}

#[test]
fn switching_is_the_same_backwards_awake_and_after_a_clone() {
    let mut plain = thrown_about();
    let mut reversed = plain.clone();
    reversed.reversed = true;
    let mut awake = plain.clone();
    awake.keep_awake = true;
    for _ in 0..30 {
        let mut copy = plain.clone();
        run(&mut plain, 331);
        run(&mut copy, 331);
        run(&mut reversed, 331);
        run(&mut awake, 331);
        let want = digest(&mut plain);
        assert_eq!([digest(&mut copy), digest(&mut reversed), digest(&mut awake)], [want; 3], "at {}", plain.now);
    }
}

/// A CTA goes on where it was: at its barrier, in its loops, in the middle of a run of instructions.
#[test]
fn a_cta_can_leave_at_any_time() {
    let program = vec![
        Op::Loop { trips: Trips::Fixed(3) },
        Op::Alu { count: 40, latency: 1, lanes: 32 },
        Op::Load { address: unit(Scatter::None), lanes: 32 },
        Op::Loop { trips: Trips::PerCta { min: 1, max: 4 } },
        Op::Shared { count: 3, stride: 2, lanes: 32 },
        Op::Store { address: unit(Scatter::None), lanes: 16 },
        Op::End,
        Op::Barrier,
        Op::Alu { count: 9, latency: 5, lanes: 31 },
        Op::End,
    ];
    let kernel = kernel("A", 2, 192, program);
    let mut plain = two_classes(core::slice::from_ref(&kernel));
    run(&mut plain, 100_000);
    let want = plain.kernel_stats(A);
    for at in (1..1200).step_by(7) {
        let mut m = two_classes(core::slice::from_ref(&kernel));
        run(&mut m, at);
        set(&mut m, 0, |sm| (sm.allowed[A], sm.cta_switch[A]) = (false, true));
        run(&mut m, 100_000);
        let s = m.kernel_stats(A);
        assert_eq!(
            (s.warp_instructions, s.thread_instructions, s.ctas_done),
            (want.warp_instructions, want.thread_instructions, 2),
            "at {at}"
        );
        assert_eq!(s.ctas_switched_in, s.ctas_switched_out);
    }
}

/// Bytes over the width of the SM's port: a line is 5 flits of 1.5 core cycles each, out on the request side and in on the reply side.
#[test]
fn a_context_takes_as_long_as_the_port_needs_for_it() {
    let mut big = kernel("A", 1, 1024, vec![Op::Alu { count: 100_000, latency: 4, lanes: 32 }]);
    (big.launches[0].registers, big.launches[0].shared_bytes) = (32, 0);
    let mut m = machine(&gpu(2), &[big], false);
    run(&mut m, 100);
    set(&mut m, 0, |sm| (sm.allowed[A], sm.cta_switch[A]) = (false, true));
    run(&mut m, 30_000);
    let s = m.kernel_stats(A);
    assert_eq!((s.context_lines_out, s.context_lines_in), (1024, 1024));
    let port = 2.0 * 1024.0 * 5.0 * 1.5;
    let took = s.switch_cycles as f64;
    assert!(took > 0.98 * port && took < 1.1 * port, "{took} cycles, the port alone {port}");
}

/// A CTA that has left may be read back at once: nothing of it is still on the way to DRAM's channels.
#[test]
fn a_cta_leaves_with_the_acknowledgement_of_its_last_line() {
    let work = vec![Op::Alu { count: 100_000, latency: 4, lanes: 32 }];
    let mut m = machine(&gpu(2), &[kernel("A", 1, 1024, work)], false);
    m.record_events = true;
    run(&mut m, 100);
    set(&mut m, 0, |sm| (sm.allowed[A], sm.cta_switch[A]) = (false, true));
    while switched(&m, false).is_empty() {
        run(&mut m, 1);
        assert!(m.now < 30_000, "it leaves");
    }
    let behind: u32 = (0..m.gpu().l2.banks).map(|bank| m.memory.l2_queue(bank)[A]).sum();
    assert_eq!((m.memory.request_queue(0)[A], behind), (0, 0), "writes that have not reached L2");
    let lines = m.kernel_stats(A).context_lines_out;
    assert_eq!((m.kernel_stats(A).noc_acknowledgement_flits, lines > 0), (lines, true));
}

/// Both ways of coming down to a target end with one event; to drain takes as long as the CTAs do.
#[test]
fn draining_and_switching_end_with_an_event() {
    for switch in [false, true] {
        let work = vec![Op::Alu { count: 3000, latency: 4, lanes: 32 }];
        let mut m = two_classes(&[kernel("A", 40, 256, work)]);
        run(&mut m, 1000);
        assert_eq!(m.sms[0].ctas.count(), 8);
        assert!(m.heard.is_empty());
        set(&mut m, 0, |sm| (sm.cta_target[A], sm.cta_switch[A]) = (3, switch));
        let mut done = Vec::new();
        for _ in 0..40_000 {
            run(&mut m, 1);
            done.extend(core::mem::take(&mut m.heard).into_iter().map(|event| (m.now, event, m.sms[0].ctas.count())));
        }
        let (at, event, left) = done[0];
        assert_eq!((done.len(), event, left), (1, Event::PreemptionDone { sm: 0, kernel: A }, 3));
        let s = m.kernel_stats(A);
        assert_eq!((s.ctas_switched_out, s.ctas_drained > 4), if switch { (5, false) } else { (0, true) });
        assert_eq!(at < 8000, switch, "at {at}");
    }
}

/// Contexts lie one after the other, so that they use all banks of DRAM: 64 of 136 lines, of which each would fit into the first bank's row
/// if it began one.
#[test]
fn contexts_lie_in_all_banks() {
    let mut m = machine(&gpu(8), &[kernel("A", 64, 256, vec![Op::Alu { count: 4000, latency: 4, lanes: 32 }])], false);
    (0..8).for_each(|sm| set(&mut m, sm, |sm| sm.cta_target[A] = 8));
    run(&mut m, 100);
    (0..8).for_each(|sm| set(&mut m, sm, |sm| (sm.allowed[A], sm.cta_switch[A]) = (false, true)));
    let mut used = std::collections::BTreeSet::new();
    while m.kernel_stats(A).ctas_switched_out < 64 {
        run(&mut m, 1);
        assert!(m.now < 100_000, "they leave");
        let dram = &m.gpu().dram;
        let banks = (0..dram.channels).flat_map(|channel| (0..dram.banks).map(move |bank| (channel, bank)));
        used.extend(banks.filter(|&(channel, bank)| m.memory.dram_open_row(channel, bank).is_some()));
    }
    assert_eq!(used.len() as u32, m.gpu().dram.channels * m.gpu().dram.banks);
}

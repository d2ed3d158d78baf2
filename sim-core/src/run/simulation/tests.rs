use super::*;
use crate::describe::goal::Goal;
use crate::describe::kernel::Launch;
use crate::describe::value::Value;
use crate::interface::event::Event;
use crate::machine::dispatch::CtaEvent;
use crate::policy::listener::Listener;
use crate::policy::spec::Setting;
use crate::run::plan::Plan;

fn experiment(policy: &str) -> Experiment {
    let value = Value::object([
        ("corun", Value::from(1)),
        ("gpu", "tiny-2sm".into()),
        ("kernels", Value::array(["ccbp/BP", "ccbp/CFD"])),
        ("policy", policy.into()),
        ("stop", Value::object([("cycles", 30_000)])),
    ]);
    Experiment::decode(&value).unwrap()
}

fn digest_after(mut simulation: Simulation, budgets: impl Iterator<Item = u64>) -> u64 {
    for budget in budgets {
        if simulation.advance(budget) != Reason::Budget {
            return simulation.digest();
        }
    }
    panic!("the run ends before the budgets do");
}

#[test]
fn the_run_is_the_same_however_it_is_cut() {
    for policy in ["leftover", "even", "spatial"] {
        let new = || Simulation::new(&experiment(policy)).unwrap();
        let whole = digest_after(new(), [u64::MAX].into_iter());
        assert_eq!(whole, digest_after(new(), core::iter::repeat(1)), "one by one");
        assert_eq!(whole, digest_after(new(), (0..).map(|n| n * 37 % 911)), "unevenly");
        let mut looked_at = new();
        while looked_at.advance(1234) == Reason::Budget {
            looked_at.result();
            looked_at.totals();
        }
        assert_eq!(whole, looked_at.digest(), "looked at in between");
        let mut events = new();
        while matches!(events.advance_event(u64::MAX), Reason::Event) {}
        assert_eq!(whole, events.digest(), "event by event");
        let mut original = new();
        original.advance(10_000);
        let copy = original.clone();
        assert_eq!(whole, digest_after(original, [u64::MAX].into_iter()));
        assert_eq!(whole, digest_after(copy, [u64::MAX].into_iter()), "from a snapshot");
    }
}

/// A run with a warm-up measures what a run without one does from there on, and reading the result changes nothing.
#[test]
fn a_warm_up_is_run_and_not_measured() {
    let plain = experiment("even");
    let warm = Experiment { warm_up: WarmUp::Cycles(10_000), stop: Stop::Cycles(20_000), ..plain.clone() };
    let mut by_hand = Simulation::new(&plain).unwrap();
    by_hand.advance(10_000);
    let before = by_hand.totals();
    assert_eq!(by_hand.advance(u64::MAX), Reason::Cycles);
    let mut run = Simulation::new(&warm).unwrap();
    run.advance(9_999);
    assert_eq!(run.measured().from, None);
    assert_eq!((run.advance(u64::MAX), run.cycle(), run.digest()), (Reason::Cycles, 30_000, by_hand.digest()));
    let after: Vec<KernelStats> = by_hand.totals().iter().zip(&before).map(|(&all, &first)| all - first).collect();
    let measured = run.measured();
    assert_eq!((measured.from, measured.cycles, &measured.stats), (Some(10_000), 20_000, &after));
    assert_eq!(measured.stalls.len(), 2);
    assert_eq!(run.result().get("measured_from").and_then(Value::as_int), Some(10_000));
    let alone = warm.alone(KernelId(0));
    assert_eq!((alone.warm_up, alone.config_hash() == plain.alone(KernelId(0)).config_hash()), (WarmUp::Cycles(10_000), false));
}

/// A scheme that learns is judged after it has settled.
#[test]
fn a_warm_up_lasts_until_the_policy_has_settled() {
    let spec = PolicySpec::decode(&"ccbp".into(), experiment("even").mix(), &mut Problems::default()).unwrap();
    let spec = spec.with("time_scale", Setting::Number(0.02)).with("ipc_alone", Setting::Numbers(alloc::vec![50.0, 50.0]));
    let warm = Experiment { policy: spec, warm_up: WarmUp::Cycles(500), stop: Stop::Cycles(5_000), ..experiment("even") };
    let mut run = Simulation::new(&warm).unwrap();
    while !run.settled() {
        assert_eq!((run.measured().from, run.advance(100)), (None, Reason::Budget));
        assert!(run.cycle() < 1_000_000, "it never settles");
    }
    let settled = run.cycle();
    assert!(settled > 1000, "nothing was learned");
    assert_eq!(run.advance(u64::MAX), Reason::Cycles);
    let from = run.measured().from.unwrap();
    assert!(from > settled + 400 && from <= settled + 500 && run.cycle() == from + 5_000, "{from} {settled}");
}

/// A launch of small CTAs has as many of them on an SM as fit, though another launch of the kernel has large ones; a limit of the kernel's own holds
/// for both.
#[test]
fn each_launch_fills_an_sm_with_ctas_of_its_own_shape() {
    let most = |ctas_per_sm: Option<u32>| {
        let mut experiment = Experiment { stop: Stop::Cycles(2000), ..experiment("leftover") };
        experiment.kernels.truncate(1);
        experiment.kernels[0].ctas_per_sm = ctas_per_sm.map(crate::run::cta_limit::CtaLimit::Each);
        let kernel = &mut experiment.kernels[0].kernel;
        kernel.arrays.clear();
        let launch = |threads, count| Launch {
            grid: 1000.into(),
            threads,
            registers: 16,
            shared_bytes: 0,
            program: alloc::vec![crate::describe::kernel::Op::Alu { count, latency: 4, lanes: 32 }],
            ..Launch::default()
        };
        kernel.launches = alloc::vec![launch(32, 5000), launch(512, 50)];
        let class = &experiment.gpu.sms[0];
        let [small, large] = [0, 1].map(|n| crate::describe::gpu::occupancy::of(&kernel.launches[n], class).ctas);
        let mut run = Simulation::new(&experiment).unwrap();
        assert!(large < small && run.cta_limit()[0][KernelId(0)] <= large);
        run.advance(1000);
        (run.machine().sms[0].ctas.used(KernelId(0)).ctas, small)
    };
    let (held, fit) = most(None);
    assert_eq!(held, fit);
    assert_eq!(most(Some(3)).0, 3.min(fit));
}

/// Two kernels whose CTAs are short, one of two launches and with a goal, under the policy of the tests that hears events.
fn listened() -> Experiment {
    let mut experiment = Experiment { stop: Stop::Cycles(12_000), ..experiment("listener") };
    let work = |count| alloc::vec![crate::describe::kernel::Op::Alu { count, latency: 4, lanes: 32 }];
    // An SM holds one CTA of the first, and as many of the second as its registers leave room for.
    let shapes = [(&[90_u32, 50][..], 128, 12_000), (&[70], 64, 0)];
    for (used, (counts, threads, shared_bytes)) in experiment.kernels.iter_mut().zip(shapes) {
        used.kernel.arrays.clear();
        let launch = |&count| Launch { grid: 9.into(), threads, registers: 52, shared_bytes, program: work(count), ..Launch::default() };
        used.kernel.launches = counts.iter().map(launch).collect();
    }
    experiment.kernels[1].qos = Some(Goal::OfAlone(0.75));
    experiment
}

fn listener(run: &Simulation) -> &Listener {
    let AnyPolicy::Listener(listener) = &run.sharers[0].policy else { panic!("another policy") };
    listener
}

/// Each event reaches the policy once, in the cycle after it has happened, however calls split the run.
#[test]
fn a_policy_hears_events_in_their_cycle_however_the_run_is_cut() {
    let mut whole = Simulation::new(&listened()).unwrap();
    whole.machine.record_events = true;
    let mut copy = whole.clone();
    let (mut reversed, mut awake) = (whole.clone(), whole.clone());
    reversed.machine.reversed = true;
    awake.machine.keep_awake = true;
    assert_eq!(whole.advance(u64::MAX), Reason::Cycles);
    while copy.advance(3) == Reason::Budget {
        copy = copy.clone();
    }
    for (other, how) in [(&mut reversed, "reversed"), (&mut awake, "awake")] {
        other.advance(u64::MAX);
        assert_eq!(other.digest(), whole.digest(), "{how}");
        assert_eq!(listener(other), listener(&whole), "{how}");
    }
    assert_eq!(copy.digest(), whole.digest(), "cut and cloned");
    assert_eq!(listener(&copy), listener(&whole), "cut and cloned");
    let heard = &listener(&whole).heard;
    let retired: Vec<_> = whole.machine.events.iter().filter(|event| !event.placed).collect();
    let heard_of: Vec<_> = heard.iter().filter(|(_, event, _)| matches!(event, Event::CtaRetired { .. })).collect();
    assert!(retired.len() > 20 && retired.len() == heard_of.len());
    for (event, (at, heard, _)) in retired.iter().zip(heard_of) {
        let CtaEvent { cycle, sm, kernel, cta, .. } = **event;
        assert_eq!((*at, *heard), (cycle + 1, Event::CtaRetired { sm, kernel, cta }));
    }
    let count = |of: fn(&Event) -> bool| heard.iter().filter(|(_, event, _)| of(event)).count() as u64;
    let finished: u64 = KernelId::first(2).map(|kernel| whole.machine.run(kernel).runs).sum();
    assert!(finished > 2);
    assert_eq!(count(|event| matches!(event, Event::KernelFinished { .. })), finished);
    assert!(count(|event| matches!(event, Event::KernelLaunched { .. })) > finished, "kernel 0 has two launches");
    let launch_of_one = |event: &Event| matches!(event, Event::KernelLaunched { kernel: KernelId(1), .. });
    assert_eq!(count(launch_of_one), whole.machine.run(KernelId(1)).runs);
    assert!(count(|event| matches!(event, Event::QuotasSpent { .. })) > 5);
}

/// The quotas of an SM are spent with the last instruction that they allow.
#[test]
fn quotas_are_spent_when_the_last_instruction_of_the_last_kernel_issues() {
    let mut run = Simulation::new(&listened()).unwrap();
    run.advance(4000);
    let first = listener(&run).heard.iter().find(|(_, event, _)| *event == Event::QuotasSpent { sm: 0 });
    let Some(&(at, ..)) = first else { panic!("nothing was spent") };
    let mut again = Simulation::new(&listened()).unwrap();
    let issued = |run: &mut Simulation| -> u64 {
        run.machine.settle();
        run.machine.sms[0].stats().iter().map(|stats| stats.warp_instructions).sum()
    };
    again.advance(at - 1);
    assert!(issued(&mut again) < 600);
    again.advance(1);
    assert_eq!(issued(&mut again), 600, "300 of each kernel");
}

#[test]
fn a_policy_sees_goals_progress_and_idle_warps() {
    let mut run = Simulation::new(&listened()).unwrap();
    run.advance(u64::MAX);
    let seen = listener(&run);
    assert_eq!(seen.goals, [None, Some(Goal::OfAlone(0.75))]);
    assert_eq!(seen.most_idle, 0, "arithmetic units that take an instruction a cycle are never full");
    let runs: Vec<u64> = seen.progress.iter().map(|progress| progress.runs).collect();
    assert_eq!(runs, KernelId::first(2).map(|kernel| run.machine.run(kernel).runs).collect::<Vec<_>>());
    let mut slow = listened();
    slow.gpu.sms[0].alu_lanes = 16;
    let mut run = Simulation::new(&slow).unwrap();
    run.advance(u64::MAX);
    assert!(listener(&run).most_idle > 0, "an instruction takes the unit for two cycles");
}

#[test]
fn policies_and_seeds_make_a_difference() {
    let digests: Vec<u64> = ["leftover", "even", "spatial"]
        .iter()
        .map(|policy| digest_after(Simulation::new(&experiment(policy)).unwrap(), [u64::MAX].into_iter()))
        .collect();
    assert!(digests[0] != digests[1] && digests[1] != digests[2]);
    let seeded = Experiment { seed: 2, ..experiment("even") };
    assert_ne!(digests[1], digest_after(Simulation::new(&seeded).unwrap(), [u64::MAX].into_iter()));
}

#[test]
fn a_canonical_experiment_reads_back_equal() {
    let experiment = experiment("spatial");
    let again = Experiment::decode(&experiment.encode()).unwrap();
    assert_eq!(experiment, again);
    assert_eq!(experiment.config_hash(), again.config_hash());
}

#[test]
fn a_run_that_cannot_go_on_is_stuck_and_says_why() {
    // Never resumed.
    let long = Experiment { stop: Stop::Cycles(5_000_000), ..experiment("even") };
    let mut paused = Simulation::new(&long).unwrap();
    let mut controls = paused.machine().controls().clone();
    controls.each_sm(|sm| sm.cta_throttle = PerKernel::all(0));
    paused.set_controls(controls).unwrap();
    assert_eq!(paused.advance(u64::MAX), Reason::Stuck);
    let why = paused.explain_stuck();
    assert!(why.contains("warps of BP are ready but belong to CTAs that are throttled"), "{why}");
    // No credit to issue: each refill gives nothing.
    let mut starved = Simulation::new(&long).unwrap();
    let mut controls = starved.machine().controls().clone();
    controls.each_sm(|sm| sm.warp_quota = PerKernel::all(Some(0)));
    starved.set_controls(controls).unwrap();
    assert_eq!(starved.advance(u64::MAX), Reason::Stuck);
    assert!(starved.cycle() < 10_000);
    let why = starved.explain_stuck();
    assert!(why.contains("have used their quota of 0 instructions"), "{why}");
}

/// A kernel that may not run yet, under a policy that lets it once another has ended so often.
fn held_back(ends: u32) -> Simulation {
    let long = Experiment { stop: Stop::KernelsDone { at_most: 1_000_000_000 }, ..listened() };
    let mut run = Simulation::new(&long).unwrap();
    run.sharers[0].policy = AnyPolicy::Listener(Listener { held_back: ends, ..Listener::default() });
    run.start_policies();
    run
}

#[test]
fn a_policy_that_hears_events_may_still_get_the_run_out() {
    let mut run = held_back(3);
    assert_eq!(run.advance(u64::MAX), Reason::KernelsDone, "{}", run.explain_stuck());
    assert!(run.machine.run(KernelId(0)).runs >= 3);
}

#[test]
fn a_policy_that_hears_the_same_events_again_and_again_and_never_acts_is_stuck() {
    let mut run = held_back(u32::MAX);
    let mut cut = run.clone();
    assert_eq!(run.advance(u64::MAX), Reason::Stuck);
    assert!(run.machine.run(KernelId(0)).runs >= STUCK_AFTER);
    while cut.advance(777) == Reason::Budget {}
    assert_eq!(cut.digest(), run.digest());
}

/// Its neighbour goes on and on.
#[test]
fn a_kernel_whose_ctas_are_switched_out_for_good_is_stuck() {
    let mut long = Experiment { stop: Stop::KernelsDone { at_most: 200_000 }, ..listened() };
    let launch = &mut long.kernels[0].kernel.launches[0];
    (launch.grid, launch.program) = (2.into(), alloc::vec![crate::describe::kernel::Op::Alu { count: 4000, latency: 8, lanes: 32 }]);
    long.policy = experiment("even").policy;
    let mut run = Simulation::new(&long).unwrap();
    run.advance(1000);
    let mut controls = run.machine().controls().clone();
    controls.each_sm(|sm| {
        sm.cta_target[KernelId(0)] = 0;
        sm.cta_switch[KernelId(0)] = true;
    });
    run.set_controls(controls).unwrap();
    assert_eq!(run.advance(u64::MAX), Reason::Stuck);
    let why = run.explain_stuck();
    assert!(why.contains("2 CTAs that were switched out wait to be placed again: the controls let no SM take one"), "{why}");
}

#[test]
fn a_frame_is_as_long_as_its_layout_says_and_looking_changes_nothing() {
    let mut simulation = Simulation::new(&experiment("even")).unwrap();
    simulation.advance(5_000);
    let before = simulation.digest();
    let mut frame = Vec::new();
    crate::run::frame::fill(simulation.machine(), simulation.windows(), &mut frame);
    let layout = crate::run::frame::layout(simulation.machine(), simulation.experiment());
    assert_eq!(layout.get("length").and_then(Value::as_int), Some(frame.len() as i64));
    assert_eq!(frame[0], 5_000);
    assert_eq!(simulation.digest(), before);
}

/// `listened` without events, until it is settled.
fn settling(within: f64, at_most: u64) -> Experiment {
    let of = ratios::RATIOS.iter().position(|ratio| ratio.path == "ctas_per_sm").unwrap();
    let stop = Stop::Settled(Settled { within, of: 1 | 1 << of, at_most });
    Experiment { policy: PolicySpec::even(), stop, ..listened() }
}

/// A run that stops when it is settled stops in the same cycle however calls split it, the sooner the less is asked; its result says how sure it is.
#[test]
fn a_run_stops_when_it_knows_what_it_measures() {
    let ended = |experiment: &Experiment| {
        let mut run = Simulation::new(experiment).unwrap();
        assert_eq!(run.advance(u64::MAX), Reason::Settled, "{}", run.result());
        run
    };
    let mut whole = ended(&settling(0.02, 10_000_000));
    let mut cut = Simulation::new(&settling(0.02, 10_000_000)).unwrap();
    while cut.advance(777) == Reason::Budget {
        cut.intervals();
    }
    assert_eq!((cut.cycle(), cut.digest()), (whole.cycle(), whole.digest()));
    assert!(whole.cycle().is_multiple_of(400) && whole.cycle() >= 128 * 400);
    assert_eq!(whole.advance(1), Reason::Settled, "it stays settled");
    let result = whole.result();
    let settled = result.get("settled").unwrap();
    let known = settled.get("known").and_then(Value::as_f64).unwrap();
    assert!(known <= 0.02 && settled.get("reached") == Some(&true.into()) && settled.get("waits_for") == Some(&Value::Null), "{settled}");
    assert_eq!(whole.intervals().get("settled"), Some(settled));
    // What is named is the least known of what is waited for.
    let kernels = [0, 1].map(|kernel| ratios::RATIOS.iter().map(move |ratio| (kernel, ratio)));
    let of_all = kernels.into_iter().flatten().filter(|(_, ratio)| ["ipc", "ctas_per_sm"].contains(&ratio.path));
    let worst = of_all.map(|(kernel, ratio)| confidence::known(whole.batches().unwrap(), kernel, ratio).unwrap()).fold(0.0, f64::max);
    assert_eq!(known, worst);
    assert!(ended(&settling(0.002, 10_000_000)).cycle() > whole.cycle());
    // A run alone settles by the same rule.
    assert_eq!(settling(0.02, 5).alone(KernelId(0)).stop, settling(0.02, 5).stop);
}

#[test]
fn a_run_that_does_not_settle_ends_and_says_so() {
    let experiment = Experiment { warm_up: WarmUp::Cycles(1000), ..settling(1e-9, 100_000) };
    let mut run = Simulation::new(&experiment).unwrap();
    assert_eq!((run.advance(u64::MAX), run.cycle()), (Reason::Cycles, 101_000));
    let settled = run.result().get("settled").cloned().unwrap();
    assert!(settled.get("known").and_then(Value::as_f64).unwrap() > 1e-9 && settled.get("reached") == Some(&false.into()), "{settled}");
}

/// The second launch is faster than the first. Within the first, all windows are alike, and the interval is narrow and wrong; so a run waits
/// until each kernel has run to its end.
#[test]
fn no_run_is_settled_within_the_first_launch() {
    let mut experiment = Experiment { stop: Stop::Settled(Settled { within: 0.02, of: 1, at_most: 10_000_000 }), ..experiment("leftover") };
    experiment.kernels.truncate(1);
    let kernel = &mut experiment.kernels[0].kernel;
    *kernel = crate::describe::kernel::library::find("COPY").unwrap();
    kernel.launches[0].grid = 2000.into();
    kernel.launches.push(kernel.launches[0].clone());
    kernel.launches[1].program.push(crate::describe::kernel::Op::Alu { count: 100, latency: 4, lanes: 32 });
    let mut run = Simulation::new(&experiment).unwrap();
    let mut narrow = None;
    while run.advance(400) == Reason::Budget {
        let settling = run.settling().unwrap();
        let (least, waits) = (settling.least.unwrap(), settling.waits_for.is_some());
        if waits && run.batches().is_some_and(confidence::is_look) && least.known.is_some_and(|known| known <= 0.02) {
            narrow = narrow.or(run.ipc(KernelId(0)));
        }
    }
    let (ended, reason, runs) = (run.ipc(KernelId(0)).unwrap(), run.stopped(), run.totals()[0].runs_done);
    assert_eq!((reason, runs > 0), (Some(Reason::Settled), true));
    let wrong = narrow.expect("the first launch looks settled") / ended;
    assert!((wrong - 1.0).abs() > 0.04, "{wrong}: it is off by twice what it claims");
}

/// A kernel beside another, each with what it is promised, until the goals are decided.
fn promised(goals: [Option<Goal>; 2], of: usize, within: f64) -> Experiment {
    let mut experiment = settling(within, 10_000_000);
    experiment.stop = Stop::Settled(Settled { within, of: 1 << of, at_most: 10_000_000 });
    experiment.kernels.iter_mut().zip(goals).for_each(|(used, goal)| used.qos = goal);
    experiment
}

/// A goal that is far from what a kernel does is decided long before its IPC is known; one that lies within the interval when that is as narrow as is
/// asked. Kernels without a goal are not waited for.
#[test]
fn a_goal_is_decided_before_the_ipc_is_known() {
    let ended = |goals, of, within| {
        let mut run = Simulation::new(&promised(goals, of, within)).unwrap();
        assert_eq!(run.advance(u64::MAX), Reason::Settled, "{}", run.result());
        run
    };
    let mut known = ended([None; 2], 0, 0.0002);
    let ipc = known.ipc(KernelId(0)).unwrap();
    let goal = |part: f64| [Some(Goal::Ipc(ipc * part)), None];
    for (part, kept) in [(0.8, true), (1.2, false)] {
        let mut run = ended(goal(part), confidence::GOAL_REACHED, 0.0002);
        assert!(run.cycle() < known.cycle() / 2, "{} of {}", run.cycle(), known.cycle());
        let result = run.result();
        let settled = result.get("settled").unwrap();
        assert_eq!((settled.get("kernel"), settled.get("ratio")), (Some(&Value::from(0_u32)), Some(&"goal_reached".into())));
        let kernels = result.get("ci95").and_then(|of| of.get("kernels")).unwrap().items();
        let ends: Vec<f64> = kernels[0].get("goal_reached").unwrap().items().iter().filter_map(Value::as_f64).collect();
        assert_eq!((ends[0] > 1.0, ends[1] < 1.0), (kept, !kept), "{ends:?}");
        assert!(settled.get("known").and_then(Value::as_f64).unwrap() > 0.0002, "it is decided however wide");
    }
    // At the goal itself, no interval excludes it.
    let asked = Settled { within: 0.0001, of: 1 << confidence::GOAL_REACHED, at_most: 10_000_000 };
    let kernels: Vec<&Kernel> = known.experiment().kernels.iter().map(|used| &used.kernel).collect();
    let of = |error| {
        let promises = [Some(Promise { ipc, error }), None];
        Settling::of(known.batches().unwrap(), true, &kernels, &asked, &promises)
    };
    assert!(of(0.0).least.unwrap().lacks > 1.0 && !of(0.0).is_done());
    assert!(of(0.1).least.unwrap().known > Some(0.1), "a goal is known no better than the IPC alone that it is a share of");
}

/// A slowdown asks for an IPC that is known better, by as much as the run alone may err. A share of an IPC alone that nobody has measured before the run asks
/// for the same, and when the run ends does not depend on when it hears of that.
#[test]
fn a_slowdown_leaves_room_for_the_error_of_the_run_alone() {
    let end = |goals, of, within, told: bool| {
        let mut run = Simulation::new(&promised(goals, of, within)).unwrap();
        run.advance(100_000);
        if told {
            KernelId::first(2).for_each(|kernel| run.set_alone(kernel, 1e3, Some([999.0, 1001.0])));
        }
        assert_eq!(run.advance(u64::MAX), Reason::Settled);
        run.cycle()
    };
    let slowdown = end([None; 2], confidence::SLOWDOWN, 0.01, false);
    assert_eq!(slowdown, end([None; 2], 0, 0.01 / core::f64::consts::SQRT_2, true));
    let share = [Some(Goal::OfAlone(0.5)), None];
    assert_eq!([false, true].map(|told| end(share, confidence::GOAL_REACHED, 0.01, told)), [slowdown; 2]);
    let alone = |of| promised(share, of, 0.01).alone(KernelId(0));
    assert_eq!(alone(confidence::GOAL_REACHED).config_hash(), alone(confidence::SLOWDOWN).config_hash(), "one run alone serves both");
}

/// A policy that keeps the controls and says for so long that it still learns.
#[derive(Clone, Debug)]
struct Pupil {
    until: Cycle,
    now: Cycle,
}

impl Policy for Pupil {
    fn start(&mut self, _: &Observation, _: &mut Controls, _: &mut Log) {}

    fn interval(&self) -> Option<Cycle> {
        Some(1000)
    }

    fn learns(&self) -> bool {
        self.now < self.until
    }

    fn on_interval(&mut self, seen: &Observation, _: &mut Controls, _: &mut Log) {
        self.now = seen.now;
    }
}

/// What a policy does while it learns is measured, and no run ends by it.
#[test]
fn no_run_is_settled_while_its_policy_learns() {
    let end = |until| {
        let mut run = Simulation::with_policy(&settling(0.1, 10_000_000), Box::new(Pupil { until, now: 0 })).unwrap();
        assert_eq!((run.advance(u64::MAX), run.measured().from), (Reason::Settled, Some(0)));
        run.cycle()
    };
    let soon = end(0);
    assert!(end(soon + 100_000) > soon + 100_000, "it ended at {soon} before");
}

/// A run that goes on where it ended says at each end what a run of that length says, and nothing goes on that would be another run.
#[test]
fn a_run_goes_on_to_a_later_end() {
    let settled = |within, at_most| Stop::Settled(Settled { within, of: 1, at_most });
    let of_cycles = [5000, 5001, 12_000, 12_000].map(Stop::Cycles);
    let until_settled =
        [settled(0.2, 70_000), settled(0.1, 80_000), settled(0.02, 80_123), settled(0.02, 1_000_000), settled(0.005, 1_000_000)];
    for stops in [&of_cycles[..], &until_settled] {
        let experiments: Vec<Experiment> =
            stops.iter().map(|&stop| Experiment { stop, policy: PolicySpec::even(), ..listened() }).collect();
        let mut run = Simulation::new(&experiments[0]).unwrap();
        for (i, experiment) in experiments.iter().enumerate() {
            assert!(i == 0 || run.go_on(experiment), "{:?}", experiment.stop);
            run.advance(u64::MAX);
            let mut alone = Simulation::new(experiment).unwrap();
            alone.advance(u64::MAX);
            assert_eq!(run.result(), alone.result());
        }
        let before = run.digest();
        for other in
            [Experiment { stop: stops[0], ..experiments[0].clone() }, Experiment { seed: 2, ..experiments.last().unwrap().clone() }]
        {
            assert!(!run.go_on(&other));
        }
        assert_eq!((run.digest(), run.experiment()), (before, experiments.last().unwrap()));
    }
}

/// One that counts cycles is told of a later end before its own, as after going back to a moment of it; no other is.
#[test]
fn a_run_that_counts_cycles_may_be_told_of_a_later_end_before_its_own() {
    let of = |stop| Experiment { stop, policy: PolicySpec::even(), ..listened() };
    let longer = of(Stop::Cycles(12_000));
    let mut run = Simulation::new(&of(Stop::Cycles(5000))).unwrap();
    run.advance(1234);
    let mut moment = run.clone();
    run.advance(u64::MAX);
    for run in [&mut moment, &mut run] {
        assert!(run.go_on(&longer));
        run.advance(u64::MAX);
        let mut alone = Simulation::new(&longer).unwrap();
        alone.advance(u64::MAX);
        assert_eq!((run.cycle(), run.result()), (12_000, alone.result()));
    }
    let settled = |at_most| of(Stop::Settled(Settled { within: 0.02, of: 1, at_most }));
    let mut run = Simulation::new(&settled(1_000_000)).unwrap();
    run.advance(1234);
    assert!(!run.go_on(&settled(2_000_000)));
}

/// In each slice the SMs go to the kernel whose turn it is, as soon as the other's CTAs have been switched out; both go on where they were.
#[test]
fn time_slices_give_the_whole_gpu_in_turns() {
    let policy = Value::object([("name", Value::from("time-slice")), ("slice", 50_000.into())]);
    let value = Value::object([
        ("corun", Value::from(1)),
        ("gpu", "tiny-2sm".into()),
        ("kernels", Value::array(["ccbp/BP", "ccbp/SAD"])),
        ("policy", policy),
        ("stop", Value::object([("cycles", 1_000_000)])),
    ]);
    let mut simulation = Simulation::new(&Experiment::decode(&value).unwrap()).unwrap();
    let mut before = [0; 2];
    simulation.advance(49_999);
    for turn in [0, 1, 0, 1] {
        let issued = [0, 1].map(|kernel| simulation.totals()[kernel].warp_instructions);
        assert!(issued[turn as usize] > before[turn as usize], "{issued:?} after {before:?} in the turn of {turn}");
        before = issued;
        let sms = &simulation.machine().sms;
        let resident = |kernel| sms.iter().map(|sm| sm.ctas.used(KernelId(kernel)).ctas).sum::<u32>();
        assert!(resident(turn) > 0 && resident(1 - turn) == 0, "{} of BP and {} of SAD", resident(0), resident(1));
        simulation.advance(50_000);
    }
    assert_eq!(simulation.decisions().iter().filter(|decision| decision.what.topic() == "turn").count(), 5);
    let left: Vec<u64> = simulation.totals().iter().map(|kernel| kernel.ctas_switched_out).collect();
    assert!(left.iter().all(|&ctas| ctas > 0), "{left:?} CTAs left");
}

/// What a kernel is said to issue is what it issues; where loops are drawn, within the scatter of the draws.
#[test]
fn a_run_of_a_kernel_has_as_many_instructions_as_its_program_says() {
    for (kernel, tolerance) in [("VADD", 0.0), ("ccbp/HG", 0.02), ("ccbp/BFS", 0.02)] {
        let value = Value::object([
            ("corun", Value::from(1)),
            ("kernels", Value::array([kernel])),
            ("restart", false.into()),
            ("stop", Value::object([("kernels_done", true)])),
        ]);
        let experiment = Experiment::decode(&value).unwrap();
        let mut run = Simulation::new(&experiment).unwrap();
        assert_eq!(run.advance(u64::MAX), Reason::KernelsDone);
        let (issued, said) = (run.totals()[0].thread_instructions as f64, experiment.kernels[0].kernel.thread_instructions());
        assert!((issued / said - 1.0).abs() <= tolerance, "{kernel}: {issued}, said {said}");
    }
}

/// A goal of a result and a goal of the policy are the same number: both compare with the same run alone.
#[test]
fn goals_are_shares_of_what_the_result_compares_with() {
    let written = Value::object([
        ("corun", Value::from(1)),
        ("gpu", "tiny-2sm".into()),
        ("kernels", Value::array([Value::object([("kernel", Value::from("ccbp/BP")), ("qos", 0.8.into())]), "ccbp/CFD".into()])),
        ("policy", "qos-rollover".into()),
        ("stop", Value::object([("cycles", 7_000)])),
    ]);
    let plan = Plan::of(&Experiment::decode(&written).unwrap());
    assert_eq!(plan.profile, plan.alone);
}

/// Says what it is shown at its own interval; a cap that limits nothing makes the machine count what is in flight.
#[derive(Clone, Debug)]
struct Probe {
    interval: Cycle,
    sampling: Cycle,
    shown: Vec<String>,
}

impl Policy for Probe {
    fn start(&mut self, _seen: &Observation, controls: &mut Controls, _log: &mut Log) {
        controls.each_sm(|sm| sm.memory_cap = PerKernel::all(Some(u16::MAX)));
    }

    fn interval(&self) -> Option<Cycle> {
        Some(self.interval)
    }

    fn sampling(&self) -> Option<Cycle> {
        Some(self.sampling)
    }

    fn on_interval(&mut self, seen: &Observation, _controls: &mut Controls, _log: &mut Log) {
        let shown = (seen.now, seen.window, seen.idle_samples, seen.idle_sum, seen.peak_in_flight);
        self.shown.push(alloc::format!("{shown:?}"));
    }
}

/// What a policy is shown of its interval does not depend on who shares the GPU with it at other intervals.
#[test]
fn each_policy_of_several_has_an_interval_of_its_own() {
    let experiment = Experiment { policy: PolicySpec::even(), stop: Stop::Cycles(6_000), ..listened() };
    let shown = |policies: Vec<AnyPolicy>| {
        let mut run = Simulation::new(&experiment).unwrap();
        let totals = run.totals();
        run.sharers = Sharer::all(policies, &experiment, &SoloProfiles::new(), (0, &totals)).unwrap();
        run.start_policies();
        run.advance(u64::MAX);
        run.sharers.into_iter().map(|sharer| alloc::format!("{:?}", sharer.policy)).collect::<Vec<_>>()
    };
    let probe = |interval, sampling| AnyPolicy::Own(Box::new(Probe { interval, sampling, shown: Vec::new() }));
    let (slow, fast) = (|| probe(700, 50), || probe(300, 40));
    let together = shown(alloc::vec![slow(), fast()]);
    assert_eq!(together, [shown(alloc::vec![slow()]), shown(alloc::vec![fast()])].concat());
    assert!(together[0].contains("shown: [\"(700, "), "{}", together[0]);
}

use super::*;
use crate::describe::error::Problems;
use crate::describe::gpu::{Gpu, presets};
use crate::describe::ids::PerKernel;
use crate::policy::spec::{Mix, Setting};
use crate::seam::controls::WarpOrder;
use crate::seam::observation::{Alone, Profile, Progress};
use crate::seam::stats::{KernelStats, StallCounts};

/// A policy with made-up counters: 2 SMs, 2 kernels.
struct Desk {
    gpu: Gpu,
    profile: Profile,
    window: [KernelStats; 2],
    script: AnyPolicy,
    controls: Controls,
    log: Log,
    now: Cycle,
}

fn spec(source: &str) -> PolicySpec {
    PolicySpec::of(&INFO).with("source", Setting::Text(source.into()))
}

impl Desk {
    fn new(source: &str) -> Desk {
        let alone = |ipc| alloc::vec![Alone { ipc, ..Alone::default() }];
        let window = [30, 80].map(|n| KernelStats { thread_instructions: 1000 * n, l1_reads: n, l1_hits: 15, ..KernelStats::default() });
        Desk {
            gpu: presets::find("tiny-2sm").unwrap(),
            profile: Profile(alloc::vec![alloc::vec![alone(60.0), alone(100.0)]]),
            window,
            script: AnyPolicy::new(&spec(source)),
            controls: Controls::neutral(2, WarpOrder::Lrr),
            log: Log::new(),
            now: 0,
        }
    }

    fn ask(&mut self, ask: impl FnOnce(&mut AnyPolicy, &Observation, &mut Controls, &mut Log)) {
        let (counts, on_sm, stalls) = (
            [PerKernel::all(3); 2],
            [[KernelStats::default(); 2].to_vec(), Vec::new()],
            [[StallCounts::default(); 2].to_vec(), Vec::new()],
        );
        let seen = Observation {
            now: self.now,
            cta_limit: &[PerKernel::all(8), PerKernel::all(6)],
            most_ctas: &[PerKernel::all(8), PerKernel::all(6)],
            resident: &counts,
            queued: &counts,
            progress: &[Progress::default(); 2],
            window: &self.window,
            total: &self.window,
            on_sm: &on_sm,
            stalls_on_sm: &stalls,
            ..Observation::bare(&self.gpu, 2, &self.profile)
        };
        ask(&mut self.script, &seen, &mut self.controls, &mut self.log);
    }

    fn start(&mut self) {
        self.ask(|script, seen, controls, log| script.start(seen, controls, log));
    }

    fn interval(&mut self) {
        self.now += 1000;
        self.ask(|script, seen, controls, log| script.on_interval(seen, controls, log));
    }

    fn said(&self) -> Vec<String> {
        self.log.iter().map(|decision| decision.what.sentence()).collect()
    }
}

/// What `start` logs.
fn says(body: &str) -> Vec<String> {
    let mut desk = Desk::new(&format!("fn start(seen, controls) {{ {body} }}"));
    desk.start();
    desk.said()
}

/// Why `start` fails.
fn fails(source: &str) -> String {
    let mut desk = Desk::new(source);
    desk.start();
    desk.script.failure().unwrap_or_else(|| panic!("{source} does not fail: {:?}", desk.said())).into()
}

fn problem(source: &str) -> String {
    let mut problems = Problems::default();
    spec(source).check(Mix::SMALL, &mut problems);
    problems.to_string()
}

#[test]
fn it_sees_the_observation_by_its_names() {
    let source = "fn interval(seen, controls) {
        for k in seen.kernels { log(k.index, `${k.ipc} of ${k.ipc_alone}, ${k.progress}, ${k.l1_hits} of ${k.total.l1_reads}, ${k.l1_hit_rate}, ${k.latency}`); }
        log(`${seen.now} ${seen.cycles} ${seen.sms[0].kernels[1].resident} ${seen.kernels[0].cta_limit} ${seen.kernels[1].resident}`);
    }";
    let mut desk = Desk::new(source);
    desk.start();
    desk.interval();
    assert_eq!(desk.script.failure(), None);
    assert_eq!(desk.said(), ["30.0 of 60.0, 0.5, 15 of 30, 0.5, ", "80.0 of 100.0, 0.8, 15 of 80, 0.1875, ", "1000 1000 3 6 6"]);
    desk.interval();
    assert_eq!(desk.said().pop().unwrap(), "2000 1000 3 6 6", "the window began with the interval");
    assert_eq!(desk.log[0].kernel, Some(KernelId(0)));
}

#[test]
fn it_sets_every_kind_of_control_and_the_log_says_so() {
    let source = "fn start(seen, controls) {
        controls.cta_target[0] = 3;
        controls.cta_target[0] += 1;
        controls.sms[1].cta_target[1] = 64;
        controls.warp_quota = [100, ()];
        controls.miss_credits[0] = 1.5;
        controls.sm_mask[1] = false;
        controls.l1_ways[0] = [0, 1];
        controls.credit_interval = 2 * controls.credit_interval;
        controls.warp_order = \"gto\";
        controls.dram_rank[1] = 7;
    }";
    let mut desk = Desk::new(source);
    desk.start();
    assert_eq!(desk.script.failure(), None);
    let sm = &desk.controls.sms[1];
    assert_eq!((desk.controls.sms[0].cta_target.0[0], sm.cta_target.0[0], sm.cta_target.0[1]), (4, 4, 6), "an SM's own limit is 6");
    assert_eq!((sm.warp_quota.0[0], sm.warp_quota.0[1], sm.miss_credits.0[0]), (Some(100), None, Some(24)));
    assert_eq!((sm.allowed.0[0], sm.allowed.0[1], sm.l1_ways.0[0]), (true, false, 3));
    assert_eq!((sm.credit_interval, sm.warp_order, desk.controls.dram_rank.0[1]), (400, WarpOrder::Gto, 7));
    let said = desk.said();
    for line in ["CTA target: 4, on 2 SMs", "Miss credits: 1.5, on 2 SMs", "Credit interval: 400, on 2 SMs", "DRAM rank: 7"] {
        assert!(said.iter().any(|said| said == line), "{line} is not in {said:#?}");
    }
}

#[test]
fn this_is_kept_from_call_to_call_and_by_a_clone() {
    let source = "fn start(seen, controls) { this.n = 1; this.list = [1.5, \"a\", #{ deep: () }]; }
        fn interval(seen, controls) { this.n *= 3; log(`${this.n} ${this.list.len()} ${this.list[2].deep == ()}`); }";
    let mut desk = Desk::new(source);
    desk.start();
    desk.interval();
    let twin = desk.script.clone();
    assert_eq!(twin, desk.script);
    desk.interval();
    assert_ne!(twin, desk.script);
    desk.script = twin;
    desk.interval();
    assert_eq!(desk.said(), ["3 3 true", "9 3 true", "9 3 true"]);
}

#[test]
fn numbers_are_those_of_every_host() {
    assert_eq!(
        says("log(`${7 / 2} ${7 / 2.0} ${0.1 + 0.2} ${sqrt(2)} ${floor(-1.5)} ${round(2.5)} ${ceil(1.1)}`)"),
        ["3 3.5 0.30000000000000004 1.4142135623730951 -2 3 2"]
    );
    assert_eq!(
        says("log(`${min(1, 2.5)} ${max(1, 2.5)} ${max(3, 2)} ${abs(-4)} ${7.5 % 2} ${to_float(1) / 3}`)"),
        ["1.0 2.5 3 4 1.5 0.3333333333333333"]
    );
    let drawn = says("let s = \"\"; for i in 0..12 { s += `${random(6)} `; } log(s)");
    assert_eq!(drawn, says("let s = \"\"; for i in 0..12 { s += `${random(6)} `; } log(s)"));
    assert!(drawn[0].split_whitespace().all(|n| n.parse::<u32>().unwrap() < 6), "{drawn:?}");
}

#[test]
fn a_script_that_cannot_be_read_is_a_problem_with_its_line() {
    let problem = |source: &str| problem(source).replace(", want a script that can run", "");
    assert_eq!(problem("fn start(seen, controls) {\n  let x = ;\n}"), "policy.source: found line 2: Unexpected ';'");
    assert_eq!(problem("fn start(seen, controls) {\n\n  log(sene.now);\n}"), "policy.source: found line 3: Undefined variable: sene");
    assert_eq!(problem("fn helper() {}\nfn interval(seen) { }"), "policy.source: found line 2: fn interval takes (seen, controls)");
    assert!(problem("fn intervall(seen, controls) {}").contains("no function that is called, which is one of start, interval"));
    assert!(problem("").contains("no function"));
    for forbidden in ["2.0 ** 0.5", "eval(\"1\")", "print(1)", "import \"x\" as y"] {
        assert!(problem(&format!("fn start(seen, controls) {{\n{forbidden};\n}}")).contains("line 2: "), "{forbidden}");
    }
}

#[test]
fn a_call_that_fails_names_its_line_and_sets_nothing() {
    let mut desk = Desk::new(
        "fn start(seen, controls) {\n  controls.cta_target[0] = 1;\n  controls.cta_target[2] = 1;\n}\nfn interval(seen, controls) {}",
    );
    desk.start();
    let why = "line 3: there is no kernel 2: they are 0 to 1";
    assert_eq!(desk.script.failure(), Some(why));
    assert!(desk.controls.sms.iter().all(|sm| sm.cta_target.0[0] >= 6));
    desk.interval();
    assert_eq!(desk.said(), [format!("the script has failed: {why}")], "it is not called again");

    let fails = |body: &str| fails(&format!("fn start(seen, controls) {{\n{body}\n}}"));
    assert_eq!(fails("controls.cta_target[0] = 65"), "line 2: cta_target[0]: found 65, want a whole number from 0 to 64");
    assert_eq!(fails("controls.cta_targets[0] = 1"), "line 2: there is no control cta_targets");
    assert_eq!(fails("seen.kernels[0].ipcc"), "line 2: a kernel has no ipcc");
    assert_eq!(fails("seen.kernels[2]"), "line 2: Array index 2 out of bounds: only 2 elements in array");
    assert_eq!(fails("1 / 0"), "line 2: Division by zero: 1 / 0");
    assert_eq!(fails("throw \"enough\""), "line 2: enough");
    assert_eq!(fails("nowhere(1)"), "line 2: Function not found: nowhere (i64)");
    assert_eq!(fails("this.kept = seen"), "line 1: this.kept is no number, text, list or map, nor true or false");
    assert_eq!(fails("\nfor i in 0..50 { log(\"again\"); }"), "line 3: a call logs more than 32 lines");
}

/// Alike in every build: the same operations, in the same order, on the same line.
#[test]
fn a_call_that_takes_too_much_is_stopped_at_its_line() {
    let fails = |body: &str| {
        fails(&format!("fn deeper(n) {{ if n == 0 {{ 0 }} else {{ 1 + deeper(n - 1) }} }}\nfn start(seen, controls) {{\n{body}\n}}"))
    };
    // An empty loop has no line of its own.
    assert_eq!(fails("loop { }"), "line 2: the call takes too long: more than 200000 operations");
    assert_eq!(fails("let n = 0;\nwhile true {\nn += 1;\n}"), "line 5: the call takes too long: more than 200000 operations");
    // Of these, the interpreter knows the function that was called.
    assert_eq!(fails("deeper(100)"), "line 2: functions call each other more than 12 deep");
    for large in ["let a = [];\nloop { a.push(a); }", "let s = \"x\";\nloop { s += s; }", "let a = [];\na.pad(1000000, 0)"] {
        let why = fails(large);
        assert!(why.starts_with("line 2: ") && why.ends_with(" too large"), "{why}");
    }
}

#[test]
fn it_hears_the_events_that_it_has_functions_for() {
    let desk = Desk::new("fn cta_retired(seen, controls, event) { log(event.kernel, `CTA ${event.cta} left SM ${event.sm}`); }");
    assert_eq!((desk.script.wants(), desk.script.interval()), (EventKinds::of(&[EventKind::CtaRetired]), None));
    let mut desk = desk;
    let event = Event::CtaRetired { sm: 1, kernel: KernelId(1), cta: 9 };
    desk.ask(|script, seen, controls, log| script.on_event(event, seen, controls, log));
    desk.ask(|script, seen, controls, log| script.on_event(Event::QuotasSpent { sm: 0 }, seen, controls, log));
    assert_eq!((desk.said(), desk.log[0].kernel), (alloc::vec!["CTA 9 left SM 1".into()], Some(KernelId(1))));
}

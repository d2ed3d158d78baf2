use super::program::empty;
use super::*;
use crate::describe::error::Problems;
use crate::describe::gpu::{Gpu, presets};
use crate::describe::ids::PerKernel;
use crate::interface::controls::WarpOrder;
use crate::interface::event::EventKind;
use crate::interface::observation::{Alone, Profile, Progress};
use crate::interface::stats::{KernelStats, StallCounts};
use crate::policy::spec::{Mix, Setting};

/// A policy with made-up counters: 2 SMs, 2 kernels.
struct Desk {
    gpu: Gpu,
    profile: Profile,
    window: [KernelStats; 2],
    script: Script,
    controls: Controls,
    log: Log,
    now: Cycle,
}

fn spec(source: &str) -> Member {
    Member::of(&INFO).with("source", Setting::Text(source.into()))
}

impl Desk {
    fn new(source: &str) -> Desk {
        let alone = |ipc| alloc::vec![Alone { ipc, ..Alone::default() }];
        let window = [30, 80].map(|n| KernelStats { thread_instructions: 1000 * n, l1_reads: n, l1_hits: 15, ..KernelStats::default() });
        Desk {
            gpu: presets::find("tiny-2sm").unwrap(),
            profile: Profile(alloc::vec![alloc::vec![alone(60.0), alone(100.0)]]),
            window,
            script: Script::new(&spec(source)),
            controls: Controls::neutral(2, WarpOrder::Lrr),
            log: Log::new(),
            now: 0,
        }
    }

    fn ask(&mut self, ask: impl FnOnce(&mut Script, &Observation, &mut Controls, &mut Log)) {
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
    assert_eq!(fails("controls.cta_target[0] = 65"), "line 2: cta_target[0]: found 65, want a whole number from 0 to 64, or null");
    assert_eq!(fails("controls.cta_targets[0] = 1"), "line 2: there is no control cta_targets");
    assert_eq!(fails("seen.kernels[0].ipcc"), "line 2: a kernel has no ipcc");
    assert_eq!(fails("seen.kernels[2]"), "line 2: Array index 2 out of bounds: only 2 elements in array");
    assert_eq!(fails("1 / 0"), "line 2: Division by zero: 1 / 0");
    assert_eq!(fails("throw \"enough\""), "line 2: enough");
    assert_eq!(fails("len(1)"), "line 2: Function not found: len (i64)");
    assert_eq!(fails("this.kept = seen"), "line 2: this.kept is no number, text, list or map, nor true or false");
    assert_eq!(fails("for i in 0..2049 { this[`k${i}`] = i; }"), "line 2: this keeps more than 2048 values");
    assert_eq!(fails("\nfor i in 0..50 { log(\"again\"); }"), "line 3: a call logs more than 32 lines");
}

/// Alike in every build: the same operations, in the same order, on the same line.
#[test]
fn a_call_that_takes_too_much_is_stopped_at_its_line() {
    let through = "fn deeper(n) { [n, n].map(|x| deeper(x - 1)) }\nfn start(seen, controls) { deeper(9); }";
    assert_eq!(fails(through), "line 2: functions call each other more than 12 deep");
    let fails = |body: &str| {
        fails(&format!("fn deeper(n) {{ if n == 0 {{ 0 }} else {{ 1 + deeper(n - 1) }} }}\nfn start(seen, controls) {{\n{body}\n}}"))
    };
    // An empty loop has no line of its own.
    assert_eq!(fails("loop { }"), "line 2: the call takes too long: more than 200000 operations");
    assert_eq!(fails("let n = 0;\nwhile true {\nn += 1;\n}"), "line 5: the call takes too long: more than 200000 operations");
    // Of these, the interpreter knows the function that was called.
    assert_eq!(fails("deeper(100)"), "line 2: functions call each other more than 12 deep");
    for large in ["let a = [];\nloop { a.push(1); }", "let s = \"x\";\nloop { s += s; }"] {
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

/// What a call of `start` uses.
fn uses(body: &str) -> u64 {
    let source = format!("fn start(seen, controls) {{ {body} }}");
    let program = Program::new(&source).unwrap_or_else(|flaw| panic!("{body}: {flaw}"));
    let budget = program.budget().clone();
    let mut call = empty();
    Desk::new(&source).ask(|_, seen, controls, _| (call.seen, call.controls) = (Seen::of(seen, 0), controls.clone()));
    let (_, flaw) = program.call(START, None, call);
    assert_eq!(flaw, None, "{body}");
    budget.used()
}

/// A value of each kind, as large as a script can make it.
const LARGEST: &str = "let list = [9, 3]; for i in 0..10 { list += list; } let text = \"x\"; for i in 0..10 { text += text; }
    let words = []; for i in 0..60 { words += `${text.len()} ${i % 7} and some words more`; }
    let map = #{}; for i in 0..500 { map[`k${i}`] = i; } let deep = []; for i in 0..12 { deep = [deep, i]; }";

/// Functions and operators, on the largest values, with what each must pay at least, in operations.
const CALLS: &[(&str, u64)] = &[
    ("log(text)", 0),
    ("log(0, text)", 0),
    ("random(9223372036854775807)", 0),
    ("min(1, 2.0)", 0),
    ("max(1, 2.0)", 0),
    ("abs(-9.5)", 0),
    ("floor(1e18)", 0),
    ("round(1e18)", 0),
    ("ceil(1e18)", 0),
    ("sqrt(1e300)", 0),
    ("to_float(9223372036854775807)", 0),
    ("to_string(1e300)", 1),
    ("len(list)", 1),
    ("len(text)", 32),
    ("is_empty(list)", 1),
    ("contains(list, deep)", 64),
    ("contains(text, \"y\")", 32),
    ("contains(map, \"k900\")", 0),
    ("clear(list)", 64),
    ("clear(map)", 64),
    ("push(words, 1)", 0),
    ("pop(list)", 0),
    ("pop(list); insert(list, 0, 1)", 64),
    ("remove(list, 0)", 64),
    ("remove(map, \"k1\")", 0),
    ("index_of(list, -1)", 64),
    ("reverse(list)", 64),
    ("sort(list)", 600),
    ("sort(words)", 10),
    ("sort(list, |a, b| a - b)", 40_000),
    ("map(list, |x| x)", 2048),
    ("filter(list, |x| x > 3)", 2048),
    ("keys(map)", 100),
    ("values(map)", 100),
    ("let copy = list", 64),
    ("let copy = [map]", 64),
    ("list == list", 64),
    ("list != list", 64),
    ("map == map", 64),
    ("[] + list", 64),
    ("list[7]", 64),
    ("list[7] = 1", 64),
    ("text[7]", 42),
    ("text[7] = 'y'", 42),
    ("words[59][7] = 'y'", 42),
    ("let kept = #{ text: text }; kept.text[7] = 'y'", 84),
    ("text - 'x'", 42),
    ("text - \"xx\"", 42),
    ("text -= 'y'", 42),
    ("text + 'x'", 42),
    ("text += 'x'", 42),
    ("text == text", 84),
    ("text < text", 84),
    ("'y' in text", 42),
    ("`${text}`", 42),
    ("switch text { \"a\" => 2, _ => 3 }", 42),
    ("map[\"k7\"] = 1", 100),
    ("map.k7 += 1", 100),
    ("\"k7\" in map", 0),
    ("7 in list", 64),
    ("`${deep}`", 1),
    ("`${words.len()}`", 1),
    ("for x in list {}", 2048),
    ("switch list { 1 => 2, _ => 3 }", 64),
    ("controls.cta_target[0] = 1", 2),
];

/// Every function is ours, and pays for the largest values that there are. A function that a new release of Rhai brings has no place here.
#[test]
fn every_function_is_listed_and_pays_for_what_it_touches() {
    let program = Program::new("fn start(seen, controls) {}").unwrap();
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let known = program.engine().collect_fn_metadata(None, |of| Some((of.metadata.name.to_string(), of.metadata.num_params)), true);
    let mut known: Vec<_> = known.into_iter().filter(|(name, _)| is_name(name)).collect();
    known.sort();
    known.dedup();
    let params = |call: &str| call.split('|').next().unwrap().matches(',').count() + 1;
    let listed: Vec<_> = FUNCTIONS.iter().map(|function| (function.name().to_string(), params(function.call))).collect();
    for function in &known {
        assert!(listed.contains(function), "{function:?} is not listed");
    }
    for function in &listed {
        assert!(known.contains(function), "{function:?} is not known");
        assert!(CALLS.iter().any(|(call, _)| call.contains(&format!("{}(", function.0))), "{function:?} is not called");
    }
    let nothing = uses(LARGEST);
    for (call, least) in CALLS {
        let used = uses(&format!("{LARGEST} {call};")) - nothing;
        assert!(used >= *least, "{call} uses {used} operations, not {least}");
    }
}

/// Whatever a script repeats, it comes to the end of its operations, also in functions that functions call.
#[test]
fn whatever_is_repeated_ends() {
    let ends = |body: &str| {
        let why = fails(&format!("fn start(seen, controls) {{ {LARGEST}\n{body} }}"));
        assert!(why.contains("line 4: the call takes too long: more than 200000 operations"), "{body}: {why}");
    };
    for (call, _) in CALLS.iter().filter(|(call, _)| !call.starts_with("log")) {
        ends(&format!("let spare = list; loop {{ list = spare; {call}; }}"));
    }
    ends("list.pop(); this.a = list; loop { let b = this.a; }");
    ends("loop { list.sort(|a, b| { let x = 0; while true { x += 1; } x }); }");
    ends("loop { let a = [1, map]; }");
    ends("loop { this.n = 1; this.n += 1; }");
    ends("loop { seen.now; seen.kernels; }");
    ends("for i in 0..9223372036854775807 { text[1000]; }");
}

#[test]
fn what_is_no_part_of_the_language_is_a_problem_at_its_line() {
    for (body, what) in [
        ("let a = this;", "this is no value of its own: name what it keeps, as this.x"),
        ("this = 1;", "this is no value of its own: name what it keeps, as this.x"),
        ("let r = 0..3;", "a range stands only after the in of a for"),
        ("\"abc\"[4294967296..4294967299];", "a range stands only after the in of a for"),
        ("try { throw 1; } catch { }", "nothing catches a failure: it ends the run"),
        ("nowhere(1);", "there is no function nowhere"),
        ("let a = []; a.pad(4294967297, 0);", "no value has a function pad: call a function of yours by its name alone"),
        ("let a = []; a.help();", "no value has a function help: call a function of yours by its name alone"),
        ("let f = |x| x;", "a function without a name stands only in the brackets of sort, map, filter"),
        ("let m = #{ len: help };", "help is a function, which is no value"),
        ("help!(1);", "help! would see the variables here: hand them over"),
        ("Fn(\"help\");", "there is no function Fn"),
        ("type_of(1);", "there is no function type_of"),
    ] {
        let source = format!("fn help(x) {{ x }}\nfn start(seen, controls) {{\n{body}\n}}");
        assert_eq!(problem(&source), format!("policy.source: found line 3: {what}, want a script that can run"));
    }
    let second = "fn a() { nowhere() }\nfn start(seen, controls) {\nnowhere()\n}\nfn b() { this.x }";
    assert!(problem(second).contains("line 1: there is no function nowhere"), "{}", problem(second));
    assert!(problem("fn a() { this.x }\nfn start(seen, controls) {}").contains("line 1: only the functions"));
    let own = "fn len(x) { 1 }\nfn start(seen, controls) {}";
    assert!(problem(own).contains("fn len: the language has a function of this name"), "{}", problem(own));
    for (body, what) in [
        (format!("let s = \"{}\";", "x".repeat(201)), "a text of 201 bytes, of at most 200: put it together"),
        (
            format!("let m = #{{ {} }};", (0..257).map(|n| format!("k{n}: {n}, ")).collect::<String>()),
            "a map of 257 keys, of at most 256: fill it step by step",
        ),
        (
            format!("switch 1 {{ {} }}", (0..65).map(|n| format!("{n}..{} => 1, ", n + 2)).collect::<String>()),
            "a switch of 65 ranges, of at most 64",
        ),
    ] {
        let found = problem(&format!("fn start(seen, controls) {{\n{body}\n}}"));
        assert_eq!(found, format!("policy.source: found line 2: {what}, want a script that can run"));
    }
    for call in ["help([LIST])", "[].push([LIST])", "[LIST] == 1"] {
        let written = format!("fn help(x) {{ x }}\nfn start(seen, controls) {{ {} }}", call.replace("LIST", &"0, ".repeat(65)));
        assert!(problem(&written).contains("line 2: a list or map of more than 64 values in a call"), "{}", problem(&written));
    }
}

/// Rust's own sort may panic at a comparison that contradicts itself.
#[test]
fn lists_are_sorted_whatever_compares_them() {
    let sorted = |how: &str| says(&format!("let a = [3, 1, 2.5, 1, 9, 4, 4, 0]; a.sort({how}); log(`${{a}}`);")).remove(0);
    assert_eq!(sorted(""), "[0, 1, 1, 2.5, 3, 4, 4, 9]");
    assert_eq!(sorted("|a, b| b - a"), "[9, 4, 4, 3, 2.5, 1, 1, 0]");
    assert_eq!(sorted("|a, b| 0"), "[3, 1, 2.5, 1, 9, 4, 4, 0]", "equal ones keep their order");
    assert_eq!(sorted("|a, b| -1"), "[0, 4, 4, 9, 1, 2.5, 1, 3]");
    assert_eq!(sorted("|a, b| random(3) - 1"), sorted("|a, b| random(3) - 1"));
    assert_eq!(says("let a = [\"b\", \"\", \"ab\"]; a.sort(); log(`${a}`);"), ["[\"\", \"ab\", \"b\"]"]);
    assert_eq!(says("let a = [0.0 / 0.0, 2, 1]; a.sort(); log(`${a.len()}`);"), ["3"]);
    let fails = |body: &str| fails(&format!("fn start(seen, controls) {{\n{body}\n}}"));
    assert_eq!(
        fails("let a = [1, \"a\"];\na.sort();"),
        "line 3: sort takes numbers or texts, or else a function that compares two entries"
    );
    assert_eq!(
        fails("let a = [1, 2];\na.sort(|a, b| a < b);"),
        "line 3: the function of sort gives no number, which is below 0 where its first goes first"
    );
    assert_eq!(
        fails("let a = [1, 2];\na.sort(|a, b|\na.x - b);"),
        "line 4: Unknown property 'x' - a getter is not registered for type 'i64'"
    );
}

#[test]
fn lists_maps_and_texts_have_their_functions() {
    assert_eq!(
        says(
            "let a = [1, 2, 3]; a.insert(0, 9); a.remove(1); a.push([4]); a.reverse(); log(`${a} ${a.len()} ${a.index_of([4.0])} ${9 in a} ${a.pop()}`);"
        ),
        ["[[4], 3, 2, 9] 4 0 true 9"]
    );
    assert_eq!(
        says(
            "let a = [1, 2, 3]; log(`${a.map(|x| 2 * x)} ${a.filter(|x| x > 1)} ${a + [1]} ${a == [1, 2.0, 3]} ${a != [1]} ${[].is_empty()} ${[].pop()}`);"
        ),
        ["[2, 4, 6] [2, 3] [1, 2, 3, 1] true true true "]
    );
    assert_eq!(says("log(`${[()] == [()]} ${[()] == [1]} ${[true] == [()]} ${[true] == [true]}`);"), ["true false false true"]);
    assert_eq!(
        says(
            "let m = #{ b: 1, a: [true] }; log(`${m} ${m.keys()} ${m.values()} ${\"a\" in m} ${m.remove(\"b\")} ${m.len()} ${m == #{ a: [true] }}`);"
        ),
        ["#{\"a\": [true], \"b\": 1} [\"a\", \"b\"] [[true], 1] true 1 1 true"]
    );
    assert_eq!(
        says("let s = \"añb\"; log(`${s.len()} ${\"ñ\" in s} ${s[1]} ${s == \"x\"} ${to_string(1.5) + ()}`);"),
        ["3 true ñ false 1.5"]
    );
    let fails = |body: &str| fails(&format!("fn start(seen, controls) {{\n{body}\n}}"));
    assert_eq!(fails("[1].remove(4294967296)"), "line 2: there is no entry 4294967296: they are 0 to 0");
    assert_eq!(fails("[].remove(0)"), "line 2: there is no entry 0: there is none");
    assert_eq!(fails("[1].insert(-1, 0)"), "line 2: there is no place -1: they are 0 to 1");
    assert_eq!(fails("abs(-9223372036854775807 - 1)"), "line 2: 9223372036854775808 is no whole number of 64 bits");
}

/// An expression of values, operators and calls of functions, drawn at random.
fn expression(draw: &mut impl FnMut(usize) -> usize, depth: usize) -> String {
    const VALUES: [&str; 16] = [
        "0",
        "-1",
        "63",
        "9223372036854775807",
        "-9223372036854775808 + 0",
        "1e308",
        "0.0",
        "()",
        "true",
        "'c'",
        "\"é\"",
        "list",
        "map",
        "text",
        "this.x",
        "seen.kernels[0]",
    ];
    const OPERATORS: [&str; 20] =
        ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", ">=", "&&", "||", "??", "in", "+=", "="];
    if depth == 0 {
        return VALUES[draw(VALUES.len())].into();
    }
    let of = |draw: &mut _| expression(draw, depth - 1);
    match draw(8) {
        0 => of(draw),
        1 => format!("({} {} {})", of(draw), OPERATORS[draw(18)], of(draw)),
        2 => format!("{}({})", FUNCTIONS[draw(FUNCTIONS.len())].name(), of(draw)),
        3 => format!("{}.{}({})", of(draw), FUNCTIONS[draw(FUNCTIONS.len())].name(), of(draw)),
        4 => format!("{}[{}]", ["list", "map", "text", "this", "seen", "controls"][draw(6)], of(draw)),
        5 => format!("list.{}(|x, y| {})", ["sort", "map", "filter"][draw(3)], of(draw)),
        6 => format!("[{}, #{{ a: {} }}, `${{{}}}`]", of(draw), of(draw), of(draw)),
        _ => format!("{}.{}", of(draw), ["x", "ipc", "kernels", "sms", "cta_target", "total"][draw(6)]),
    }
}

/// Whatever a script says, it runs or fails: nothing panics, and a second run does the same.
#[test]
fn odd_scripts_run_or_fail() {
    let mut drawn = 0;
    let mut draw = |below: usize| {
        drawn += 1;
        crate::describe::rng::below(crate::describe::rng::mix(7, drawn), below as u64) as usize
    };
    let (mut run, mut read) = (0, 0);
    for _ in 0..1000 {
        let statement = match draw(5) {
            0 => format!("list[{}] {} {}", expression(&mut draw, 1), ["=", "+=", "<<=", "%="][draw(4)], expression(&mut draw, 2)),
            1 => format!("this.{} = {}", ["x", "y"][draw(2)], expression(&mut draw, 2)),
            2 => format!("for i in {} {{ text += i; }}", expression(&mut draw, 1)),
            3 => format!("switch {} {{ 0..9 => 1, \"a\" => 2, _ => {} }}", expression(&mut draw, 2), expression(&mut draw, 1)),
            _ => format!("let a = {}; a = {}", expression(&mut draw, 3), expression(&mut draw, 2)),
        };
        let source = format!(
            "fn start(seen, controls) {{ let list = [3, 1.5, \"b\", [2]]; let map = #{{ a: [1] }}; let text = \"añb\"; this.x = list; {statement}; log(`${{list}}${{this.x}}`); }}"
        );
        let outcome = || {
            let mut desk = Desk::new(&source);
            desk.start();
            (desk.script.failure().map(String::from), desk.said())
        };
        let (failure, said) = outcome();
        assert_eq!((failure.clone(), said), outcome(), "{source}");
        read += usize::from(Program::new(&source).is_ok());
        run += usize::from(failure.is_none());
    }
    assert!(read > 500 && run > 10, "{read} can be read, {run} run to their end");
}
